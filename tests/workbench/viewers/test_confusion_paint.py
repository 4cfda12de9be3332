"""How the confusion matrix is painted where it has little room."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest

from tests.workbench.stage import Stage
from workbench.style.theme import themes
from workbench.viewers.charts.confusion_matrix import ConfusionPainter, ConfusionView


def test_every_count_of_many_classes_is_written_at_eleven_pixels_or_more(stage: Stage) -> None:
    view = stage.show(ConfusionView(), 380, 260)
    counts = np.eye(26) * 77 + np.full((26, 26), 11.0)
    view.set_matrix(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), counts)
    painter = ConfusionPainter(view.classes, view.counts, view.layout_)
    _, _, width, height = view.layout_.cell(0, 0)
    metrics = QFontMetricsF(themes.font(painter.size))
    assert painter.size >= 11
    assert width >= metrics.horizontalAdvance("88") and height >= metrics.ascent()
    assert view.horizontalScrollBar().maximum() > 0 and view.verticalScrollBar().maximum() > 0


def test_zoomed_out_the_whole_matrix_is_in_sight(stage: Stage) -> None:
    view = stage.show(ConfusionView(), 380, 260)
    view.set_matrix(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), np.eye(26) * 60 + 1)
    for _ in range(12):
        view._set_zoom(view._zoom / 1.25)
    assert view.horizontalScrollBar().maximum() == view.verticalScrollBar().maximum() == 0


def test_a_large_matrix_stays_at_its_first_row_until_a_key_goes_to_the_most_frequent_confusion(stage: Stage) -> None:
    view, counts = stage.show(ConfusionView(), 380, 260, active=True), np.ones((26, 26))
    counts[24, 20] = 16
    view.setFocus(Qt.FocusReason.OtherFocusReason)
    view.set_matrix(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), counts)
    view.clearFocus()
    view.setFocus(Qt.FocusReason.OtherFocusReason)
    assert view.cell is None and view.verticalScrollBar().value() == view.horizontalScrollBar().value() == 0
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.cell == (24, 20) and view.verticalScrollBar().value() > 0
