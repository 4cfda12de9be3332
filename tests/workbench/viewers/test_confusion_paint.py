"""How the confusion matrix is painted where it has little room."""

from __future__ import annotations

import numpy as np

from tests.workbench.stage import Stage
from workbench.viewers.charts.confusion_matrix import ConfusionView


def test_the_name_of_the_last_row_is_whole_however_low_the_rows_are(stage: Stage) -> None:
    view = stage.show(ConfusionView(), 420, 130)
    view.setFixedHeight(118)
    view.set_matrix(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), np.eye(26) * 60 + 1)
    seen, layout = view.viewport().grab().toImage(), view.layout_
    ground = seen.pixelColor(1, seen.height() - 1)
    assert (len(view.classes) - 1) % layout.row_label_step == 0, "the last row has a name here"

    def written(y: int) -> bool:
        return any(seen.pixelColor(x, y) != ground for x in range(int(layout.left) - 24, int(layout.left) - 9))

    inked = [y for y in range(int(layout.height) - 9, min(seen.height(), int(layout.height) + 4)) if written(y)]
    letters = [y for y in range(int(layout.top) - 4, int(layout.top) + 9) if written(y)]
    assert len(inked) >= len(letters) - 1, "as high as the first one"
