"""How the confusion matrix is painted where it has little room."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from pytest import MonkeyPatch

from algorithms.text.numbers import percent
from tests.workbench.stage import Stage
from workbench.style.theme import themes
from workbench.viewers.charts import confusion_matrix
from workbench.viewers.charts.confusion_matrix import ConfusionPainter, ConfusionView, least_cell


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


def test_of_many_classes_only_whole_cells_are_in_sight_wherever_it_is_scrolled(stage: Stage) -> None:
    view = stage.show(ConfusionView(), 407, 283)
    view.set_matrix(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), np.eye(26) * 60 + 1)
    across, down, edge = view.horizontalScrollBar(), view.verticalScrollBar(), 4
    for _ in range(4):
        for share in (0.0, 0.37, 1.0):
            across.setValue(round(share * across.maximum()))
            down.setValue(round(share * down.maximum()))
            cells = [view.place(0, column) for column in range(26)]
            seen = [
                cell
                for cell in cells
                if cell.right() > view.layout_.left and cell.left() < view.viewport().width() - edge
            ]
            assert len(seen) == across.pageStep() < 26
            assert seen[0].left() >= view.layout_.left and seen[-1].right() <= view.viewport().width()
            cells = [view.place(row, 0) for row in range(26)]
            seen = [
                cell
                for cell in cells
                if cell.bottom() > view.layout_.top and cell.top() < view.viewport().height() - edge
            ]
            assert len(seen) == down.pageStep() < 26
            assert seen[0].top() >= view.layout_.top and seen[-1].bottom() <= view.viewport().height()
        view._set_zoom(view._zoom * 1.25)


def test_a_matrix_with_nearly_enough_room_is_not_scrolled(stage: Stage) -> None:
    view = stage.show(ConfusionView(), 640, 440)
    view.set_matrix(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), np.eye(26) * 60 + 1)
    least = least_cell(view.counts)[1]
    view.resize(640, round(view.layout_.top + 26 * (least - 1)))
    assert view.verticalScrollBar().maximum() == 0
    assert view.layout_.height <= view.viewport().height()


def test_long_class_names_are_whole_in_several_lines_in_large_text(stage: Stage, monkeypatch: MonkeyPatch) -> None:
    """They were cut to "dia…confi…" although the cells have room for lines."""
    themes.set_scale(1.5)
    names = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")
    cut = list[str]()
    monkeypatch.setattr(confusion_matrix, "elided", lambda _metrics, name, *_rest: cut.append(name) or "…")
    view = stage.show(ConfusionView(), 640, 420)
    view.set_matrix(names, np.eye(3) * 60 + 1)
    view.grab()
    themes.set_scale(1.0)
    assert not view.layout_.names_turned and not cut


def test_level_names_in_lines_leave_room_for_the_percentages(stage: Stage) -> None:
    """The names stood on end although they fit level, and small cells lost their percentages."""
    themes.set_scale(1.5)
    names = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")
    shares = list[str]()
    view = stage.show(ConfusionView(), 652, 260)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confusion_matrix, "percent", lambda share: shares.append(percent(share)) or percent(share))
        view.set_matrix(names, np.eye(3) * 60 + 1)
        view.grab()
    assert not view.layout_.names_turned and shares.count("96.8%") == 3
    view.set_matrix(("diagnosisconfirmedbyasecondreader", *names[1:]), view.counts)
    assert view.layout_.names_turned, "a word would be cut"
    themes.set_scale(1.0)
