"""What a model says of the records of a file, before it is saved: the first records in a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.parts.labels import label
from workbench.parts.text_table import TextTable
from workbench.theme import SPACE_2, themes
from workbench.wording import counted

WIDTH: Final = 640
COLUMN: Final = 180
"""Where there is no room for all, a column of words or under a long name has so many pixels at usual text size."""
MOST_ROWS: Final = 10
"""So many rows are in sight at once; the others are scrolled to."""


class _Rows(TextTable):
    """Each column is whole, as far as :data:`COLUMN`, with its name; what has no room is scrolled to."""

    def _weigh(self) -> None:
        super()._weigh()
        most = themes.px(COLUMN)
        self._least = [min(wanted, max(least, most)) for least, wanted in zip(self._least, self._wanted, strict=True)]
        self._share_room()


class AnswersTable(QWidget):
    """Rows under a row of names; of more than these records and columns it says how many there are."""

    def __init__(
        self, rows: Sequence[Sequence[str]], n_records: int, n_columns_more: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._table = _Rows("using.answers", "What the model says of the first records")
        self._table.show_rows(rows)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(0, SPACE_2, 0, SPACE_2)
        inside.setSpacing(SPACE_2)
        n = len(rows) - 1
        words = f"The first {n:,} of {counted(n_records, 'record')}" if n < n_records else "All of them"
        if n_columns_more:
            words += f"; saved with {counted(n_columns_more, 'more column')}"
        inside.addWidget(label(words))
        inside.addWidget(self._table)
        seen = min(n, MOST_ROWS) * self._table.verticalHeader().defaultSectionSize()
        bars = (
            self._table.horizontalHeader().sizeHint().height() + self._table.horizontalScrollBar().sizeHint().height()
        )
        self._table.setFixedSize(themes.px(WIDTH), seen + bars + 2 * self._table.frameWidth())
