"""The bars of a histogram as they are painted."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from algorithms.core.statistics import BinKind, Histogram
from workbench.preprocess.histogram_bars import Bars


@pytest.mark.parametrize("width", [131, 137, 143, 262.5, 401])
@pytest.mark.parametrize("kind", [BinKind.RANGE, BinKind.VALUE])
def test_the_space_between_any_two_bars_is_the_same_however_wide_the_plot(
    qapp: QApplication, kind: BinKind, width: float
) -> None:
    n = 20
    labels = tuple(str(i) for i in range(n))
    bars = Bars()
    bars.show_histogram(Histogram(kind, labels, np.arange(n + 1.0), np.full((n, 1), 8), (), False))
    image = QImage(450, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.translate(10.3, 0.0)
    painter.scale(width / n, 2.0)
    bars.paint(painter)
    painter.end()
    white = image.pixel(0, 10)
    empty = "".join(" " if image.pixel(x, 10) == white else "#" for x in range(image.width())).strip()
    spaces = [len(part) for part in empty.replace("#", "|").split("|") if part]
    assert len(spaces) == n - 1
    assert len(set(spaces)) == 1
