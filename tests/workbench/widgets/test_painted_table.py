"""Tables that paint their cells themselves show what is chosen, and no more than is in sight."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.workbench.stage import Stage
from workbench.widgets.tables import PaintedTable, VisibleCells

GROUND, CHOSEN, FOCUS = QColor("#ffffff"), QColor("#ff0000"), QColor("#0000ff")


class Chessboard(PaintedTable):
    """Fills chosen cells, frames the one with the keyboard, and remembers what it was asked to paint."""

    def __init__(self, n_rows: int, n_columns: int) -> None:
        super().__init__()
        self.painted: list[tuple[list[int], list[int]]] = []
        self.setModel(QStandardItemModel(n_rows, n_columns, self))

    def paint_cells(self, painter: QPainter, sight: VisibleCells) -> None:
        self.painted.append(([row.at for row in sight.rows], [column.at for column in sight.columns]))
        for at, row in enumerate(sight.rows):
            for place, column in enumerate(sight.columns):
                painter.fillRect(sight.rect(row, column), CHOSEN if sight.chosen[at, place] else GROUND)
        focus = sight.focus_rect()
        if focus is not None:
            painter.fillRect(focus, FOCUS)

    def colour(self, row: int, column: int) -> QColor:
        at = self.visualRect(self.model().index(row, column)).center()
        return QColor(self.viewport().grab(QRect(at, at)).toImage().pixel(0, 0))


@pytest.fixture
def board(stage: Stage) -> Chessboard:
    return stage.show(Chessboard(1000, 60), 400, 300, active=True)


def test_chosen_cells_and_the_one_with_the_keyboard_are_told_apart(board: Chessboard) -> None:
    flags = QItemSelectionModel.SelectionFlag
    for row in (1, 2):
        board.selectionModel().select(board.model().index(row, 1), flags.Select)
    board.selectionModel().setCurrentIndex(board.model().index(0, 0), flags.NoUpdate)
    board.setFocus()
    assert [board.colour(row, 1) for row in (0, 1, 2, 3)] == [GROUND, CHOSEN, CHOSEN, GROUND]
    assert board.colour(0, 0) == FOCUS


def test_only_what_is_in_sight_is_painted(board: Chessboard) -> None:
    board.scrollTo(board.model().index(500, 30))
    board.painted.clear()
    board.viewport().repaint()
    ((rows, columns),) = board.painted
    assert 500 in rows and 30 in columns
    assert len(rows) < 20 and len(columns) < 12
    assert rows == list(range(rows[0], rows[-1] + 1))


def test_hidden_columns_are_passed_over_and_choosing_still_fits(board: Chessboard) -> None:
    board.setColumnHidden(1, True)
    QTest.mouseClick(
        board.viewport(), Qt.MouseButton.LeftButton, pos=board.visualRect(board.model().index(2, 2)).center()
    )
    board.clearFocus()
    board.painted.clear()
    board.viewport().repaint()
    assert 1 not in board.painted[-1][1]
    assert board.colour(2, 2) == CHOSEN and board.colour(2, 3) == GROUND


def test_an_empty_table_paints_nothing(qapp: QApplication) -> None:
    empty = Chessboard(0, 3)
    empty.show()
    empty.viewport().repaint()
    assert empty.painted == []


def test_moved_columns_are_painted_where_they_stand(board: Chessboard) -> None:
    board.horizontalHeader().moveSection(40, 0)
    board.selectionModel().select(board.model().index(1, 40), QItemSelectionModel.SelectionFlag.Select)
    board.painted.clear()
    board.viewport().repaint()
    assert board.painted[-1][1][:3] == [40, 0, 1]
    assert board.colour(1, 40) == CHOSEN and board.colour(1, 0) == board.colour(2, 40) == GROUND
