"""What a model says of the records of a file, before it is saved: the first records in a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtWidgets import QHeaderView, QVBoxLayout, QWidget

from workbench.parts.labels import label
from workbench.parts.text_table import TextTable
from workbench.theme import SPACE_2, themes
from workbench.wording import counted

WIDTH: Final = 640
COLUMN: Final = 180
"""A column is no wider than so many pixels at usual text size: what is longer is cut in its middle."""
MOST_ROWS: Final = 10
"""So many rows are in sight at once; the others are scrolled to."""


class AnswersTable(QWidget):
    """Rows under a row of names; of more than these records it says how many there are in all."""

    def __init__(self, rows: Sequence[Sequence[str]], n_records: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = TextTable("using.answers", "What the model says of the first records")
        self._table.show_rows(rows)
        header = self._table.horizontalHeader()
        header.setMaximumSectionSize(themes.px(COLUMN))
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(0, SPACE_2, 0, SPACE_2)
        inside.setSpacing(SPACE_2)
        n = len(rows) - 1
        inside.addWidget(
            label(f"The first {n:,} of {counted(n_records, 'record')}" if n < n_records else "All of them")
        )
        inside.addWidget(self._table)
        seen = min(n, MOST_ROWS) * self._table.verticalHeader().defaultSectionSize()
        bars = header.sizeHint().height() + self._table.horizontalScrollBar().sizeHint().height()
        self._table.setFixedSize(themes.px(WIDTH), seen + bars + 2 * self._table.frameWidth())
