"""The height of the rows changes at once, and nothing else with it."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QApplication, QHeaderView, QTableView

from tests.workbench.window_helpers import Wait
from workbench.widgets.tables import set_row_height

ROOT = QModelIndex()
Place = QModelIndex | QPersistentModelIndex


class Rows(QAbstractTableModel):
    """As many rows as wanted, two columns."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n = n

    def rowCount(self, _parent: Place = ROOT) -> int:  # noqa: N802 - Qt's name
        return self.n

    def columnCount(self, _parent: Place = ROOT) -> int:  # noqa: N802 - Qt's name
        return 2

    def data(self, index: Place, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return str(index.row()) if role == Qt.ItemDataRole.DisplayRole else None


def made(n: int) -> tuple[QTableView, Rows]:
    view, rows = QTableView(), Rows(n)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    set_row_height(view, 24)
    view.setModel(rows)
    view.resize(400, 300)
    view.show()
    return view, rows


def test_no_row_is_resized_by_itself_however_many_there_are(qapp: QApplication) -> None:
    view, _rows = made(1_000_000)
    resized: list[int] = []
    view.verticalHeader().sectionResized.connect(lambda at, *_: resized.append(at))
    set_row_height(view, 31)
    assert not resized
    assert view.rowHeight(999_999) == 31
    assert view.verticalHeader().length() == 31_000_000
    set_row_height(view, 18)
    assert view.rowHeight(5) == 18


def test_what_is_chosen_and_where_one_is_stay(qapp: QApplication, wait_until: Wait) -> None:
    view, rows = made(1000)
    view.selectRow(300)
    view.scrollTo(rows.index(500, 0))
    wait_until(lambda: view.verticalScrollBar().value() > 0)
    scrolled, chosen = view.verticalScrollBar().value(), view.selectionModel()
    set_row_height(view, 31)
    wait_until(lambda: view.rowViewportPosition(501) - view.rowViewportPosition(500) == 31)
    assert view.model() is rows
    assert view.selectionModel() is chosen
    assert view.verticalHeader().selectionModel() is chosen
    assert {index.row() for index in chosen.selectedRows()} == {300}
    assert view.verticalScrollBar().value() == scrolled


def test_rows_that_come_later_have_the_height_too(qapp: QApplication) -> None:
    view, rows = made(3)
    set_row_height(view, 31)
    rows.beginInsertRows(ROOT, 3, 3)
    rows.n = 4
    rows.endInsertRows()
    assert view.rowHeight(3) == 31
    assert view.verticalHeader().count() == 4
