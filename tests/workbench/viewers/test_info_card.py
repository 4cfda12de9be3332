"""The line from a card to what it speaks of."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRect, QRectF
from PySide6.QtWidgets import QWidget

from tests.workbench.stage import Stage
from workbench.viewers.charts.chart_base import LeaderLine


def test_the_line_from_a_card_goes_behind_all_but_what_it_leads_to(stage: Stage) -> None:
    picture = stage.show(QWidget(), 400, 100)
    line = LeaderLine(picture, "leader")
    boxes = np.array([[150.0, 20.0, 250.0, 80.0], [340.0, 20.0, 390.0, 80.0]])
    line.join(QRect(0, 30, 60, 40), QRectF(340, 20, 50, 60), boxes)
    assert line.isVisible()
    seen, y = picture.grab().toImage(), round(line.ends[0].y())

    def is_drawn(x: int) -> bool:
        return any(seen.pixelColor(x, y + by) != seen.pixelColor(2, 2) for by in (-1, 0, 1))

    assert is_drawn(100) and is_drawn(300) and is_drawn(339)
    assert not any(is_drawn(x) for x in range(152, 248))
