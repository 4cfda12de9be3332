"""How the confusion matrix is painted where it has little room."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtTest import QTest
from pytest import MonkeyPatch

from algorithms.evaluation.measures.confusion_counts import HEAD
from algorithms.text.numbers import percent
from tests.workbench.stage import Stage
from workbench.layout.matrix_layout import LARGEST, LARGEST_NARROW
from workbench.style.theme import class_color, themes
from workbench.viewers.charts import confusion_matrix
from workbench.viewers.charts.confusion_matrix import (
    LEAST_KEPT,
    LINE,
    ConfusionPainter,
    ConfusionView,
    _share_size,
    least_cell,
)

LONG = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")


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
            assert len(seen) >= across.pageStep() < 26
            seen = seen[: across.pageStep()]  # the margin stands over the others
            assert seen[0].left() >= view.layout_.left and seen[-1].right() <= view.viewport().width()
            cells = [view.place(row, 0) for row in range(26)]
            seen = [
                cell
                for cell in cells
                if cell.bottom() > view.layout_.top and cell.top() < view.viewport().height() - edge
            ]
            assert len(seen) >= down.pageStep() < 26
            seen = seen[: down.pageStep()]
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
        patch.setattr(confusion_matrix, "percent", lambda *of: shares.append(percent(*of)) or percent(*of))
        view.set_matrix(names, np.eye(3) * 60 + 1)
        view.grab()
    assert not view.layout_.names_turned and shares.count("96.8%") == 3
    view.set_matrix(("diagnosisconfirmedbyasecondreader", *names[1:]), view.counts)
    assert view.layout_.number, "a word would be cut"
    themes.set_scale(1.0)


def test_heads_of_columns_in_large_text_stand_apart_and_keep_their_symbols(stage: Stage) -> None:
    """Two heads 2 pixels apart read as one phrase, and the symbols were left out."""
    themes.set_scale(1.5)
    view = stage.show(ConfusionView(), 640, 240)
    view.set_matrix(LONG, np.eye(3) * 60 + 1)
    image, layout = view.viewport().grab().toImage(), view.layout_
    themes.set_scale(1.0)
    assert not layout.names_turned and layout.marks[1] > 0
    ground = image.pixelColor(1, 1).name()
    empty = [
        all(image.pixelColor(x, y).name() == ground for y in range(round(layout.title) + 2, round(layout.top) - 8))
        for x in range(image.width())
    ]
    for column in range(3):
        left, _, width, _ = layout.cell(0, column)
        assert class_color(column).name() in colors_in(image, QRectF(left, 0, width, layout.top))
        edge = round(layout.left + (column + 1) * layout.cell_width)
        first = next(x for x in range(edge, 0, -1) if not empty[x])
        last = next((x for x in range(edge, image.width()) if not empty[x]), image.width())
        assert first < edge and last - first >= 12


SIZES = ((380, 260), (520, 200), (640, 420), (900, 700), (1260, 1000))


def written(view: ConfusionView, monkeypatch: MonkeyPatch) -> list[str]:
    """The texts that are painted apart from names and percentages of cells."""
    texts, paint = list[str](), confusion_matrix.draw_text

    def noted(painter: QPainter, place: Any, text: str, *rest: Any) -> None:
        texts.append(text)
        paint(painter, place, text, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(confusion_matrix, "draw_text", noted)
        ConfusionPainter(view.classes, view.counts, view.layout_).picture(view.viewport().size(), 0, 0, 1)
    return texts


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_rows_end_with_total_and_recall_and_columns_with_precision(
    stage: Stage, monkeypatch: MonkeyPatch, scale: float
) -> None:
    themes.set_scale(scale)
    view = stage.show(ConfusionView(), 700, 460)
    view.set_matrix(("benign", "malignant"), np.array([[345.0, 12.0], [22.0, 190.0]]))
    texts = written(view, monkeypatch)
    assert texts[-9:] == ["Total", "357", "212", "Recall", "96.6%", "89.6%", "Precision", "94.0%", "94.1%"]
    layout, area = view.layout_, view.viewport().size()
    assert layout.width <= area.width() and layout.height <= area.height()
    at_the_end = QPoint(round(layout.right + 20), round(layout.cell(1, 0)[1] + 10))
    assert view._cell_at_point(at_the_end) == (1, HEAD), "the margin stands for its row"
    at_the_foot = QPoint(round(layout.cell(0, 1)[0] + 10), round(layout.bottom + 8))
    assert view._cell_at_point(at_the_foot) == (HEAD, 1)
    assert view._cell_at_point(QPoint(round(layout.right + 20), round(layout.bottom + 8))) is None
    themes.set_scale(1.0)


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("k", [2, 3, 8, 26, 60])
def test_margins_and_symbols_hide_no_count_and_no_percentage(stage: Stage, k: int, scale: float) -> None:
    themes.set_scale(scale)
    view = stage.show(ConfusionView(), *SIZES[0])
    view.set_matrix([f"class {code}" for code in range(k)], np.eye(k) * 734 + 1)
    for width, height in SIZES:
        view.resize(width, height)
        layout, plain = view.layout_, view._laid_out()
        for now, n in ((layout.columns, plain.columns), (layout.rows, plain.rows)):
            assert now >= (n if n == k else LEAST_KEPT * n), "margins take room of a matrix that is scrolled anyway"
        cells = [ConfusionPainter(view.classes, view.counts, one) for one in (layout, plain)]
        assert cells[0].holds_shares or not cells[1].holds_shares
        across, down = least_cell(view.counts)
        assert layout.cell_width >= min(across - 4, plain.cell_width) and layout.cell_height >= down - 4
    assert layout.beyond > (0, 0) or k > 26
    themes.set_scale(1.0)


def test_margins_stand_beside_the_cells_in_sight_at_any_zoom(stage: Stage) -> None:
    view, seen = stage.show(ConfusionView(), 640, 420), set[tuple[bool, bool]]()
    for k in (3, 8, 14, 26):
        view.set_matrix([f"class {code}" for code in range(k)], np.eye(k) * 734 + 1)
        for zoom in np.linspace(1.0, 6.0, 26).tolist():
            view._set_zoom(zoom)
            layout = view.layout_
            end, area = view._in_sight().bottomRight(), view.viewport().size()
            assert end.x() + layout.beyond[0] <= area.width() and end.y() + layout.beyond[1] <= area.height(), (k, zoom)
            if layout.columns < k and layout.rows < k:
                seen.add((layout.beyond[0] > 0, layout.beyond[1] > 0))
    assert (True, True) in seen


def test_precisions_stand_upright_below_narrow_columns(stage: Stage) -> None:
    view = stage.show(ConfusionView(), 900, 640)
    view.set_matrix(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), np.eye(26) * 77 + 1)
    metrics = QFontMetricsF(themes.font(12))
    assert view.layout_.cell_width < metrics.horizontalAdvance("75.5%") < view.layout_.beyond[1]


def test_symbols_of_the_classes_stand_before_their_names_in_any_order(stage: Stage) -> None:
    view, codes = stage.show(ConfusionView(), 640, 420), (2, 0, 1)
    view.set_matrix(("virginica", "setosa", "versicolor"), np.eye(3) * 50, codes)
    image, layout = view.viewport().grab().toImage(), view.layout_
    for position, code in enumerate(codes):
        _, top, _, height = layout.cell(position, 0)
        left, _, width, _ = layout.cell(0, position)
        beside, above = (
            QRectF(layout.title, top, layout.left - layout.title, height),
            QRectF(left, 0, width, layout.top),
        )
        for place in (beside, above):
            assert class_color(code).name() in colors_in(image, place)


def colors_in(image: QImage, place: QRectF) -> set[str]:
    box = place.toRect()
    return {
        image.pixelColor(x, y).name() for x in range(box.left(), box.right()) for y in range(box.top(), box.bottom())
    }


def test_cells_grow_in_a_large_window_up_to_a_limit(stage: Stage) -> None:
    """Cells were 150 pixels high at most, and half of a large page stayed empty."""
    view = stage.show(ConfusionView(), 1240, 980)
    view.set_matrix(("benign", "malignant"), np.array([[345.0, 12.0], [22.0, 190.0]]))
    assert LARGEST_NARROW < view.layout_.cell_height <= LARGEST
    assert view.layout_.height > 0.75 * 980 and view.layout_.height <= view.most_height
    view.resize(300, 980)
    assert view.layout_.cell_height <= max(LARGEST_NARROW, view.layout_.cell_width)


def test_empty_cells_of_many_classes_are_blank_with_percentages_too(stage: Stage, monkeypatch: MonkeyPatch) -> None:
    view, shares = stage.show(ConfusionView(), 1300, 1000), list[str]()
    view.set_matrix(tuple("ABCDEFGHIJKLMN"), np.eye(14) * 50)
    assert view.holds_shares
    monkeypatch.setattr(confusion_matrix, "percent", lambda *of: shares.append(percent(*of)) or percent(*of))
    view.grab()
    assert "100.0%" in shares and "0.0%" not in shares
    shares.clear()
    view.set_matrix(("a", "b"), np.array([[30.0, 2.0], [1.0, 40.0]]))
    view.grab()
    assert shares[-4:] == ["94%", "6%", "2%", "98%"], "fewer than 100 records have no decimals"


def test_a_scrolled_matrix_keeps_its_totals_in_sight(stage: Stage, monkeypatch: MonkeyPatch) -> None:
    """Of 26 classes the margins were left out, so that no row said how many records it has."""
    view, rng = stage.show(ConfusionView(), 520, 330), np.random.default_rng(1)
    counts = rng.poisson(2, (26, 26)) + np.diag(rng.poisson(600, 26)).astype(float)
    view.set_matrix(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), counts)
    assert view.horizontalScrollBar().maximum() > 0 and view.verticalScrollBar().maximum() > 0
    written: list[tuple[QRectF, str]] = []
    draw = confusion_matrix.draw_text

    def noted(painter: QPainter, place: Any, words: str, *look: Any) -> None:
        if isinstance(place, QRectF):
            written.append((painter.transform().mapRect(place), words))
        draw(painter, place, words, *look)

    monkeypatch.setattr(confusion_matrix, "draw_text", noted)
    view.verticalScrollBar().setValue(5)
    view.horizontalScrollBar().setValue(4)
    view.grab()
    rows = range(5, 5 + view.layout_.rows)
    totals = {str(int(counts[row].sum())): view.place(row, 0) for row in rows}
    placed = {words: place for place, words in written}
    assert {"Total", "Recall"} <= set(placed) and set(totals) <= set(placed)
    for words, cell in totals.items():
        place = placed[words]
        assert abs(place.center().y() - cell.center().y()) < 1 and place.left() > view._in_sight().right() - 1
        assert place.right() <= view.viewport().width()
    assert str(int(counts[2].sum())) not in placed and str(int(counts[25].sum())) not in placed


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_line_of_selected_records_runs_below_the_words_of_a_cell(stage: Stage, scale: float) -> None:
    """In large text it ran through the lower edge of a percentage."""
    themes.set_scale(scale)
    view, n_seen = stage.show(ConfusionView(), 420, 400), 0
    view.set_matrix(("setosa", "versicolor", "virginica"), np.diag([50.0, 49.0, 48.0]))
    try:
        for height in range(150, 420, 6):
            view.resize(420, height)
            layout = view.layout_
            painter = ConfusionPainter(view.classes, view.counts, layout)
            if not painter.holds_shares:
                continue
            _, _, _, cell = layout.cell(0, 0)
            line, share = (QFontMetricsF(themes.font(size)) for size in (painter.size, _share_size(painter.size)))
            digits = (cell + 0.95 * line.height() + share.height()) / 2 - share.descent()
            foot = cell - 1.5 * LINE if cell >= painter.roomy else cell - LINE / 2
            assert digits < foot, (height, cell)
            n_seen += 1
        assert n_seen > 5
    finally:
        themes.set_scale(1.0)


@pytest.mark.parametrize("joint", ["", "_", " "])
@pytest.mark.parametrize("k", [3, 12])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_names_of_25_letters_are_whole_at_the_edge_of_the_matrix(
    stage: Stage, monkeypatch: MonkeyPatch, k: int, scale: float, joint: str
) -> None:
    """Above the columns they were cut, in large text beside the rows too."""
    themes.set_scale(scale)
    names, cut = [joint.join(("Hypertrophic", f"{code:02} cardiomyop".replace(" ", joint))) for code in range(k)], []
    assert all(len(name) >= 24 for name in names)
    monkeypatch.setattr(confusion_matrix, "elided", lambda _metrics, name, *_rest: cut.append(name) or "…")
    view = stage.show(ConfusionView(), 620 if k == 3 else 700, 330)
    view.set_matrix(names, np.eye(k) * 60 + 1)
    view.grab()
    themes.set_scale(1.0)
    assert not cut
    assert view.layout_.number if k == 12 or not joint else scale > 1 or not view.layout_.number
