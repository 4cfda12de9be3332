"""The records as a table: a million of them scroll like ten."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from algorithms.core.data import Dataset
from workbench.parts import Pane
from workbench.preprocess.records_model import CLASS_CODE_ROLE, MISSING_ROLE, RecordsModel
from workbench.selection import Mask
from workbench.theme import class_color, current_theme, themes

Index = QModelIndex | QPersistentModelIndex

ROW_HEIGHT: Final = 27
PADDING: Final = 8
NARROWEST: Final = 56
WIDEST: Final = 190
MEASURED_COLUMNS: Final = 60
MEASURED_ROWS: Final = 30
MOST_COPIED: Final = 200_000
LIT_ALPHA: Final = 26
"""How strongly the selected records are tinted, of 255."""


class RecordDelegate(QStyledItemDelegate):
    """Paints one cell: the text elided, missing values dim, a swatch before the class."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, rect = current_theme(), option.rect
        painter.save()
        view = self.parent()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.color("accent_soft"))
        elif isinstance(view, RecordsView) and view.is_lit(index.row()):
            tint = theme.color("accent")
            tint.setAlpha(LIT_ALPHA)
            painter.fillRect(rect, tint)
        painter.setPen(theme.color("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        area = rect.adjusted(PADDING, 0, -PADDING, 0)
        code = index.data(CLASS_CODE_ROLE)
        if code is not None and code >= 0:
            size = themes.px(9)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(class_color(code))
            painter.drawEllipse(QRectF(area.x(), area.center().y() - size / 2 + 0.5, size, size))
            area = area.adjusted(size + 6, 0, 0, 0)
        painter.setPen(theme.color("dim" if index.data(MISSING_ROLE) else "text"))
        painter.setFont(option.font)
        text = option.fontMetrics.elidedText(index.data() or "", Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, int(index.data(Qt.ItemDataRole.TextAlignmentRole)), text)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        painter.restore()


class RecordsView(QTableView):
    """A table whose rows all have one height, so that nothing is measured however many there are."""

    def __init__(self, model: RecordsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._records = model
        self._lit: Mask | None = None
        self.setObjectName("preprocess.records")
        self.setAccessibleName("Records")
        self.setItemDelegate(RecordDelegate(self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setCornerWidget(QWidget())
        vertical, horizontal = self.verticalHeader(), self.horizontalHeader()
        vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        vertical.setHighlightSections(False)
        vertical.setSectionsClickable(True)
        vertical.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        horizontal.setHighlightSections(False)
        horizontal.setTextElideMode(Qt.TextElideMode.ElideRight)
        horizontal.setMinimumSectionSize(28)
        horizontal.setResizeContentsPrecision(0)
        self._dress()
        self.setModel(model)
        self._scale = themes.scale
        themes.changed.connect(self._redress)

    def _dress(self) -> None:
        height = themes.px(ROW_HEIGHT)
        self.verticalHeader().setMinimumSectionSize(height)
        self.verticalHeader().setDefaultSectionSize(height)
        self.horizontalHeader().setDefaultSectionSize(themes.px(104))
        self.viewport().update()

    def _redress(self) -> None:
        self._dress()
        if self._scale != themes.scale:
            self._scale = themes.scale
            self.fit_columns({})

    def set_lit(self, mask: Mask | None) -> None:
        """Tint these rows (n,), the selected records; None tints none."""
        self._lit = mask
        self.viewport().update()

    def is_lit(self, row: int) -> bool:
        return self._lit is not None and row < len(self._lit) and bool(self._lit[row])

    def widths(self) -> dict[str, int]:
        """The width of each of the first columns by name."""
        data = self._records.dataset
        names = () if data is None else data.schema.names[:MEASURED_COLUMNS]
        return {name: self.columnWidth(column) for column, name in enumerate(names)}

    def fit_columns(self, known: dict[str, int]) -> None:
        """Give the first columns their known width, or the one that their name and first records need."""
        data = self._records.dataset
        if data is None:
            return
        metrics = QFontMetrics(themes.font())
        digits = len(f"{int(data.row_ids.max()) + 1 if len(data) else 1}")
        self.verticalHeader().setFixedWidth(metrics.horizontalAdvance("0" * max(2, digits)) + 18)
        for column, name in enumerate(data.schema.names[:MEASURED_COLUMNS]):
            width = known.get(name) or self._needed(column, name, metrics)
            self.horizontalHeader().resizeSection(column, width)

    def _needed(self, column: int, name: str, metrics: QFontMetrics) -> int:
        data = self._records.dataset
        assert data is not None
        texts = [self._records.text(row, column) or "" for row in range(min(len(data), MEASURED_ROWS))]
        widest = max(metrics.horizontalAdvance(text[:40]) for text in (name, *texts)) + 2 * PADDING + 6
        swatch = themes.px(16) if column == data.schema.class_index else 0
        return max(themes.px(NARROWEST), min(themes.px(WIDEST), widest + swatch))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Put the selected cells on the clipboard, tabs between them; missing ones are empty."""
        ranges = self.selectionModel().selection()
        lines: list[str] = []
        n_cells = 0
        for part in ranges.toList():
            for row in range(part.top(), part.bottom() + 1):
                n_cells += part.width()
                if n_cells > MOST_COPIED:
                    break
                cells = (self._records.text(row, column) or "" for column in range(part.left(), part.right() + 1))
                lines.append("\t".join(cells))
        QGuiApplication.clipboard().setText("\n".join(lines))


class RecordsPane(Pane):
    """The table with its facts, and how the file was read."""

    shown = Signal()
    """Another data set is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Records", parent=parent)
        self.model = RecordsModel(self)
        self.view = RecordsView(self.model)
        self.body.addWidget(self.view, 1)
        self.view.setMinimumHeight(themes.px(84))

    def show_data(self, data: Dataset | None) -> None:
        """Show another data set; where it has the same shape, the table stays where it is."""
        before, widths = self.model.dataset, self.view.widths()
        self.model.set_dataset(data)
        self.set_facts("" if data is None else f"{len(data):,} × {len(data.schema):,}")
        if data is not None and (before is None or before.schema.names != data.schema.names):
            same_table = before is not None and before.origin == data.origin and len(before) == len(data)
            self.view.fit_columns(widths if same_table else {})
        self.shown.emit()
