"""The candidates for a node's question as a table: what each would gain, and why it was asked or not."""

from __future__ import annotations

import io
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from algorithms.core.files import CsvWriter
from algorithms.learners.trees.explain.gain_curve import figure
from algorithms.learners.trees.explain.reasons import NodeReasons, SplitCandidate, SplitVerdict
from algorithms.learners.trees.explain.why_words import (
    WITH_THRESHOLD,
    columns,
    gain_decimals,
    second_figure,
    test_words,
    verdict_words,
)
from workbench.style.theme import current_theme, themes
from workbench.widgets.help import meaning
from workbench.widgets.labels import NameDelegate
from workbench.widgets.tables import set_row_height

VALUE: Final = Qt.ItemDataRole.UserRole
ATTRIBUTE: Final = Qt.ItemDataRole.UserRole + 1
RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
ROW_HEIGHT: Final = 23
FEWEST_ROWS: Final = 5
MOST_ROWS: Final = 9
"""The table asks for room for so many rows; where there are more it scrolls."""
ROOM: Final = 10
TIGHT: Final = "QTableView::item, QHeaderView::section { padding: 0 4px; }"
GAIN_TIPS: Final = {
    "gini": "How much less mixed the classes are after the question (Gini index)",
    "error": "How many fewer records a question leaves wrong, as a share",
    "twoing": "How far apart the classes are in the two branches (twoing)",
    "chi-square": "How far the branches are from what independence would give",
}
RATIO_TIPS: Final = {
    "chi-square": "How often chance alone would give so clear an answer, adjusted for the ways of forming the groups",
}


class _Item(QTableWidgetItem):
    """A cell that sorts by a number where it has one; what has none comes last in falling order."""

    def __lt__(self, other: QTableWidgetItem) -> bool:
        mine, theirs = self.data(VALUE), other.data(VALUE)
        if isinstance(mine, float) and isinstance(theirs, float):
            return mine < theirs
        return self.text().lower() < other.text().lower()


class CandidateTable(QTableWidget):
    """Sortable by its headings; ``attribute_chosen`` comes with the attribute of the row that keys or mouse reach."""

    attribute_chosen = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__(0, 3)
        self.setObjectName(name)
        self.setAccessibleName("Every attribute that could be asked about here, with its gain")
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setStyleSheet(TIGHT)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSortIndicatorClearable(True)
        self._reasons: NodeReasons | None = None
        self.itemSelectionChanged.connect(self._reached)
        themes.follow(self._dress)
        self._dress()

    @property
    def attribute(self) -> int:
        """The attribute of the row in hand, -1 for none."""
        item = self.item(self.currentRow(), 0)
        return -1 if item is None else int(item.data(ATTRIBUTE))

    def show_reasons(self, reasons: NodeReasons | None) -> None:
        """Show the candidates, the best first, the row of what is asked in hand."""
        self._reasons = reasons
        self.blockSignals(True)
        self.setSortingEnabled(False)
        self.setRowCount(0 if reasons is None else len(reasons.candidates))
        if reasons is not None:
            self._set_headers(reasons)
            decimals = gain_decimals(reasons)
            for row, candidate in enumerate(reasons.candidates):
                self._set_row(row, reasons, candidate, decimals)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self._fit_columns()
        self._size_rows()
        self.blockSignals(False)
        if self.rowCount():
            self.selectRow(0)
            self.scrollToTop()

    def _set_headers(self, reasons: NodeReasons) -> None:
        gain = GAIN_TIPS.get(reasons.criterion) or f"{meaning('gain')}\nBit: {meaning('bit')}"
        tips = ("", gain, RATIO_TIPS.get(reasons.criterion) or meaning("gain ratio"))
        for column, (title, tip) in enumerate(zip(("Attribute", *columns(reasons)), tips, strict=True)):
            item = QTableWidgetItem(title)
            item.setToolTip(tip or title)
            item.setTextAlignment(RIGHT if column else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            self.setHorizontalHeaderItem(column, item)

    def _set_row(self, row: int, reasons: NodeReasons, candidate: SplitCandidate, decimals: tuple[int, int]) -> None:
        theme = current_theme()
        tip = f"{test_words(reasons.schema, candidate)}. {verdict_words(reasons, candidate)}"
        worst = float("-inf")
        cells = (
            (candidate.name, None),
            (figure(candidate.gain, decimals[0]), candidate.gain if candidate.is_split else worst),
            (second_figure(reasons, candidate, decimals[1]), candidate.gain_ratio if candidate.is_split else worst),
        )
        for column, (text, value) in enumerate(cells):
            item = _Item(text)
            item.setData(VALUE, value)
            item.setData(ATTRIBUTE, candidate.attribute)
            item.setToolTip(tip)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, tip)
            if column:
                item.setTextAlignment(RIGHT)
            if candidate.verdict in (SplitVerdict.CHOSEN, SplitVerdict.BEST):
                item.setFont(themes.font(bold=True))
            elif not candidate.verdict.is_valid:
                item.setForeground(theme.color("dim"))
            self.setItem(row, column, item)

    def _fit_columns(self) -> None:
        metrics = QFontMetrics(themes.font(bold=True))
        for column in (1, 2):
            item = self.horizontalHeaderItem(column)
            title = "" if item is None else item.text()
            figures = [cell.text() for row in range(self.rowCount()) if (cell := self.item(row, column)) is not None]
            longest = max([*figures, "0.000"], key=len)
            across = max(metrics.horizontalAdvance(title), metrics.horizontalAdvance(longest) + themes.px(14))
            self.horizontalHeader().resizeSection(column, across + themes.px(ROOM))

    def _size_rows(self) -> None:
        self.setMinimumHeight(self._height_of(min(self.rowCount(), FEWEST_ROWS)))
        self.setMaximumHeight(self._height_of(self.rowCount()))
        self.updateGeometry()

    def _height_of(self, n_rows: int) -> int:
        return self.horizontalHeader().sizeHint().height() + n_rows * themes.px(ROW_HEIGHT) + 4

    def sizeHint(self) -> QSize:
        return QSize(themes.px(240), self._height_of(min(self.rowCount(), MOST_ROWS)))

    def _reached(self) -> None:
        if self.attribute >= 0:
            self.attribute_chosen.emit(self.attribute)

    def _dress(self) -> None:
        set_row_height(self, themes.px(ROW_HEIGHT))
        self._size_rows()
        palette, theme = self.palette(), current_theme()
        palette.setColor(palette.ColorRole.Highlight, theme.color("accent_soft"))
        palette.setColor(palette.ColorRole.HighlightedText, theme.color("text"))
        self.setPalette(palette)
        if self._reasons is not None:
            self.show_reasons(self._reasons)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self._reasons is not None:
            QGuiApplication.clipboard().setText(candidates_csv(self._reasons, "\t"))
        else:
            super().keyPressEvent(event)


def candidates_csv(reasons: NodeReasons, delimiter: str = ",") -> str:
    """Every candidate with its numbers and what became of it."""
    written = io.StringIO()
    out = CsvWriter(written, delimiter)
    first, second = (name.lower() for name in columns(reasons))
    third = "split information" if first == "gain" else "degrees of freedom"
    out.writerow(["rank", "attribute", "question", first, second, third, "threshold", "why"])
    for candidate in reasons.candidates:
        numbers = [candidate.gain, candidate.gain_ratio, candidate.split_information]
        threshold = candidate.threshold if candidate.test in WITH_THRESHOLD else ""
        shown = [value if value == value else "" for value in numbers]
        words = verdict_words(reasons, candidate)
        out.writerow(
            [candidate.rank or "", candidate.name, test_words(reasons.schema, candidate), *shown, threshold, words]
        )
    return written.getvalue()
