"""What pictures of records share: a table twin, a card beside the record pointed at, what can be taken away."""

from __future__ import annotations

from abc import abstractmethod
from html import escape
from typing import Final, Protocol

from PySide6.QtCore import QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.core.errors import DataError
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from workbench.layout.points import Mask
from workbench.viewers.charts.export import Drawing, Exported, Table, blank_picture
from workbench.viewers.charts.info_card import FloatingCard
from workbench.viewers.scatter.scatter_scene import NOBODY
from workbench.viewers.scatter.scatter_table import RecordTable, Sheet

CARD_DELAY_MS: Final = 90
MOST_EXPORTED: Final = 200_000


class Canvas(Protocol):
    """Paints itself anywhere."""

    def size(self) -> QSize: ...

    def paint_picture(self, painter: QPainter, *, vector: bool = False) -> None: ...


class Taken(Exported):
    """What can be taken away of such a picture; each kind has its own name and title."""

    def __init__(self, view: RecordsPicture) -> None:
        self._view = view

    def picture(self) -> QImage:
        canvas = self._view.picture
        image = blank_picture(canvas.size())
        painter = QPainter(image)
        canvas.paint_picture(painter)
        painter.end()
        return image

    def drawing(self) -> Drawing | None:
        if self._view.shown_rows is None:
            return None
        canvas = self._view.picture
        return canvas.size(), lambda painter: canvas.paint_picture(painter, vector=True)

    def table(self) -> Table | None:
        return self._view.table_writer()


class RecordsPicture(QWidget):
    """Records to look at and to select in, by their number in the picture; what they are says a :class:`Sheet`."""

    cleared = Signal()
    """Nothing is to be selected."""

    def __init__(self, canvas: QWidget, name: str, words: str, parent: QWidget | None = None) -> None:
        """``name`` begins the object names of the parts, ``words`` say what the table is."""
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._sheet: Sheet | None = None
        self._mask: Mask | None = None
        self._canvas = canvas
        self.card = FloatingCard(canvas, f"{name}-card")
        self._card_timer = QTimer(self)
        self._card_timer.setSingleShot(True)
        self._card_timer.setInterval(CARD_DELAY_MS)
        self._card_timer.timeout.connect(self._show_card)
        self.table = RecordTable(f"{name}-table", words)
        self.table.chosen.connect(self._rows_chosen)
        self._stack = QStackedWidget()
        self._stack.addWidget(canvas)
        self._stack.addWidget(self.table)

    @property
    @abstractmethod
    def picture(self) -> Canvas:
        """What paints the records."""

    @property
    def records(self) -> Dataset | None:
        """The data of the records that are shown; while others are on their way here not yet theirs."""
        return None if self.shown_rows is None or self._sheet is None else self._sheet.data

    @property
    @abstractmethod
    def shown_rows(self) -> IntArray | None:
        """The rows of the data that the picture has (m,), by the numbers of its records; None where it has none."""

    @abstractmethod
    def table_rows(self) -> IntArray:
        """The rows of the data that the table shows, ascending."""

    @abstractmethod
    def _rows_chosen(self, rows: IntArray) -> None:
        """A person chose these rows of the data in the table."""

    @abstractmethod
    def _show_card(self) -> None:
        """Say beside the record pointed at what it is."""

    # ---- a record in words -----------------------------------------------------------------------------------------

    def record_words(self, record: int) -> str:
        """A record in one sentence: its number, class and judgement, and its values."""
        heading, values = self._told(record)
        return ", ".join([heading, *(f"{name} {value}" for name, value in values)])

    def _told(self, record: int) -> tuple[str, list[tuple[str, str]]]:
        rows, sheet = self.shown_rows, self._sheet
        if rows is None or sheet is None or record == NOBODY:
            return "", []
        return sheet.told(int(rows[record]))

    def _put_card(self, record: int, most: int, at: QRectF) -> None:
        """Put the card of a record, with at most so many values, beside a place of the picture."""
        heading, values = self._told(record)
        lines = "<br>".join(f"{escape(name)}: {escape(value)}" for name, value in values[:most])
        self.card.show_text(f'<p style="margin:0 0 4px 0"><b>{escape(heading)}</b><br>{lines}</p>', at)

    def _point_at(self, record: int) -> None:
        """The mouse is over a record, or over none (-1)."""
        self.card.hide()
        if record == NOBODY:
            self._card_timer.stop()
        else:
            self._card_timer.start()

    # ---- the table -------------------------------------------------------------------------------------------------

    def show_table(self, wanted: bool) -> None:
        """The table instead of the picture."""
        shown = self.table if wanted else self._canvas
        self._stack.setCurrentWidget(shown)
        self._fill_table()
        shown.setFocus()

    def table_writer(self) -> Table | None:
        """What writes the table's rows as text; raises :class:`DataError` where they are too many."""
        sheet, rows = self._sheet, self.table_rows()
        if sheet is None:
            return None
        if len(rows) > MOST_EXPORTED:
            raise DataError(
                f"{len(rows):,} records are too many for this table.", remedy="Select some of them, or zoom in first."
            )
        return lambda delimiter: sheet.csv(rows, delimiter)

    def _fill_table(self) -> None:
        if self._stack.currentWidget() is self.table:
            self.table.show_records(self._sheet, self.table_rows())
