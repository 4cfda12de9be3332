"""How steady a node is stands in its box, beside its records, and covers nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.stage import Stage
from tests.workbench.tree_by_hand import by_hand
from tests.workbench.window_helpers import Wait, drawn
from workbench.viewers.tree.tree_view import TreeView

ABOVE_THE_RECORDS, BELOW_THE_RECORDS = 34.0, 53.0
"""Of the 60 units of a box's height the part in which its records are counted."""


def pixels(view: TreeView) -> np.ndarray:
    """The picture of the tree as colours (height, width, 4)."""
    image = view.canvas.grab().toImage()
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4).copy()


@pytest.mark.parametrize("height", [330, 700])
def test_badges_change_nothing_but_the_lines_of_the_records(stage: Stage, wait_until: Wait, height: int) -> None:
    view = drawn(stage.show(TreeView(), 1000, height), by_hand(), wait_until)
    before = pixels(view)
    view.set_badges(dict.fromkeys(range(7), "10/10"), {})
    changed = np.any(pixels(view) != before, axis=2)
    camera, drawing = view.canvas.camera, view.drawing
    assert drawing is not None
    for node in drawing.shown.tolist():
        left, top, right, _bottom = drawing.box(node)
        x0, y0 = camera.to_view(left, top + ABOVE_THE_RECORDS)
        x1, y1 = camera.to_view(right, top + BELOW_THE_RECORDS)
        line = changed[int(y0) : int(y1) + 2, int(x0) : int(x1) + 2]
        assert line.any(), "each node has its badge"
        line[:] = False
    assert not changed.any(), "neither a branch's words, a handle, nor the edge of the picture"
