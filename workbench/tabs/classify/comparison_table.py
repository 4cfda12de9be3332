"""The learners that were tried, ranked: a row each with its interval as a bar; the table is its own twin."""

from __future__ import annotations

from math import ceil
from typing import Final

from PySide6.QtCore import QModelIndex, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from workbench.session.learner_comparison import Trial
from workbench.session.runs import Run, RunState
from workbench.style.theme import current_theme, themes
from workbench.tabs.classify.comparison_model import (
    ROW_ROLE,
    SCALE_ROLE,
    ComparisonColumn,
    ComparisonRow,
    Index,
    LearnerComparisonModel,
    alignment,
    beside,
    name,
)
from workbench.widgets.tables import set_row_height

ROW_HEIGHT: Final = 26
LINE: Final = 16
NAME_MARGINS: Final = 12
LOW_ROW: Final = 40
"""Of a row that says below the name how it compares with the best."""
ROOM_FOR_ALL: Final = 400
"""In a narrower table that has no column of its own: names would be cut."""
HEADER_ROOM: Final = 14
HEADER: Final = "QHeaderView::section { padding: 5px 6px; }"
"""The words over a column stand where those in it stand; names have the room that this leaves."""
FIGURE_WIDTHS: Final = {1: 56, 2: 46, 3: 112}


class LearnerComparisonDelegate(QStyledItemDelegate):
    """Text as the others, and the interval as a line with a point; an arrow where it lies below the scale."""

    def __init__(self, table: LearnerComparisonTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = current_theme(), index.data(ROW_ROLE)
        area = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("accent_soft"))
        if index.column() == ComparisonColumn.INTERVAL and row.standing is not None:
            self._paint_interval(painter, area.adjusted(6, 0, -6, 0), row, index.data(SCALE_ROLE))
        elif index.column() != ComparisonColumn.INTERVAL:
            self._paint_text(painter, area.adjusted(6, 0, -6, 0), row, index)
        painter.restore()

    def _paint_text(self, painter: QPainter, area: QRectF, row: ComparisonRow, index: Index) -> None:
        theme = current_theme()
        is_dim = row.standing is None or (index.column() == ComparisonColumn.BESIDE and not row.is_recommended)
        token = (
            "good" if row.is_recommended and index.column() == ComparisonColumn.BESIDE else "dim" if is_dim else "text"
        )
        painter.setPen(theme.color("bad" if row.entry.run.state is RunState.FAILED else token))
        painter.setFont(themes.font(12.5, bold=row.is_recommended))
        words, elide = str(index.data()), Qt.TextElideMode.ElideRight
        if (
            index.column() == ComparisonColumn.LEARNER
        ):  # names that begin alike are told apart by their ends and numbers
            elide = Qt.TextElideMode.ElideMiddle
            words = name(row)
        if index.column() == ComparisonColumn.LEARNER and self._table.is_narrow:
            words, *below = self._table.lines_in(row, int(area.height()))
            line = (area.height() - 2 * themes.px(3)) / (len(below) + 1)
            area = QRectF(area.left(), area.top() + themes.px(3), area.width(), line)
            if below:
                self._paint_beside(painter, area.translated(0, len(below) * line), row, below[-1])
            for more in below[:-1]:
                painter.drawText(area.translated(0, line), alignment(index.column()), more)
        text = painter.fontMetrics().elidedText(words, elide, int(area.width()))
        painter.drawText(area, alignment(index.column()), text)

    def _paint_beside(self, painter: QPainter, area: QRectF, row: ComparisonRow, words: str) -> None:
        """How it compares with the best, below its name."""
        painter.save()
        painter.setFont(themes.font(11.5, bold=row.is_recommended))
        painter.setPen(current_theme().color("good" if row.is_recommended else "dim"))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()

    def _paint_interval(self, painter: QPainter, area: QRectF, row: ComparisonRow, scale: tuple[float, float]) -> None:
        theme = current_theme()
        low, high = scale
        color = theme.color(
            "good"
            if row.is_recommended
            else "accent"
            if row.standing is not None and row.standing.place == 1
            else "dim"
        )
        y, width = area.center().y(), area.width()

        def x(share: float) -> float:
            return area.left() + width * (share - low) / (high - low)

        painter.setPen(QPen(theme.color("soft"), themes.px(5), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        at = row.figure
        interval = row.interval or (at, at)
        size = themes.px(4)
        painter.setBrush(color)
        if not low <= at <= high:
            painter.setPen(Qt.PenStyle.NoPen)
            end, out = (area.left(), -size) if at < low else (area.right(), size)
            painter.drawPolygon(
                QPolygonF([QPointF(end + out, y), QPointF(end - out, y - size), QPointF(end - out, y + size)])
            )
            return
        painter.setPen(QPen(color, themes.px(2)))
        painter.drawLine(QPointF(max(area.left(), x(interval[0])), y), QPointF(min(area.right(), x(interval[1])), y))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(x(at), y), size, size)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, self._table.height_of(index.data(ROW_ROLE)))


class LearnerComparisonTable(QTableView):
    """A click, an arrow key or Enter on a row brings its run into view; Ctrl+C copies the table."""

    row_chosen = Signal(object)
    """With the :class:`ComparisonRow`."""
    row_reached = Signal(QRect)
    """The keys have come to a row: where it is in the viewport."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_following = False
        self.model_ = LearnerComparisonModel()
        self.setObjectName("classify.several.table")
        self.setAccessibleName("Learners tried, the best first")
        self.setModel(self.model_)
        self.setItemDelegate(LearnerComparisonDelegate(self))
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStyleSheet(HEADER)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(ComparisonColumn.LEARNER, QHeaderView.ResizeMode.Stretch)
        self._fit_soon = QTimer(self)  # a header tells of another width before it has it
        self._fit_soon.setSingleShot(True)
        self._fit_soon.timeout.connect(self._fit_heights)
        header.sectionResized.connect(
            lambda column: self._fit_soon.start() if column == ComparisonColumn.LEARNER else None
        )
        self.selectionModel().currentRowChanged.connect(self._row_changed)
        themes.follow(self.measure)
        self.measure()

    def show_trial(self, trial: Trial | None, run: Run | None) -> None:
        """Show a trial; the row of ``run``, which is in view, is chosen."""
        was_following, self._is_following = self._is_following, True
        try:
            self.model_.show_trial(trial)
            row = next((i for i, each in enumerate(self.model_.rows) if each.entry.run is run and run is not None), -1)
            if row < 0:
                self.clearSelection()
                self.setCurrentIndex(QModelIndex())
            elif self.currentIndex().row() != row or not self.selectionModel().hasSelection():
                self.selectRow(row)
        finally:
            self._is_following = was_following
        self.measure()

    @property
    def is_narrow(self) -> bool:
        """Whether how a learner compares with the best stands below its name."""
        return self.isColumnHidden(ComparisonColumn.BESIDE)

    def lines_of(self, row: ComparisonRow) -> list[str]:
        """What stands in the row below one another in a narrow table: the name, how it is set where both do not fit,
        and how it compares with the best."""
        whole, room = name(row), self.columnWidth(ComparisonColumn.LEARNER) - NAME_MARGINS
        fits = QFontMetricsF(themes.font(12.5, bold=row.is_recommended)).horizontalAdvance(whole) <= room
        return [*([whole] if fits else [part for part in whole.partition(", ") if part != ", " and part]), beside(row)]

    def lines_in(self, row: ComparisonRow, height: int) -> list[str]:
        """As many of these lines as a row of so many pixels has room for; where that is not all, it gets the room."""
        if height >= self.height_of(row):
            return self.lines_of(row)
        self._fit_soon.start()
        return [name(row), beside(row)] if height >= themes.px(LOW_ROW) else [name(row)]

    def height_of(self, row: ComparisonRow) -> int:
        """In pixels."""
        if not self.is_narrow:
            return themes.px(ROW_HEIGHT)
        return themes.px(LOW_ROW + LINE * (len(self.lines_of(row)) - 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < themes.px(ROOM_FOR_ALL)
        if is_narrow != self.is_narrow:
            self.setColumnHidden(ComparisonColumn.BESIDE, is_narrow)
        self.measure()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.model_.as_text("\t"))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._row_changed(self.currentIndex(), QModelIndex())
        else:
            super().keyPressEvent(event)

    def _row_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        row = now.data(ROW_ROLE)
        if isinstance(row, ComparisonRow) and not self._is_following:
            self.row_chosen.emit(row)
            self.row_reached.emit(self.visualRect(now))

    def measure(self) -> None:
        """As high as its rows; its figures as wide as they need."""
        header = self.horizontalHeader()
        for column, width in FIGURE_WIDTHS.items():
            words = (
                header.fontMetrics().horizontalAdvance(self.model_.heading(ComparisonColumn(column))[0]) + HEADER_ROOM
            )
            if column == ComparisonColumn.FIGURE:
                bold = QFontMetricsF(themes.font(12.5, bold=True))
                figures = [bold.horizontalAdvance(row.figure_words()) for row in self.model_.rows]
                words = max(words, ceil(max(figures, default=0.0)) + NAME_MARGINS + 2)
            elif column == ComparisonColumn.BESIDE:
                said = (self.model_.index(at, column).data() or "" for at in range(len(self.model_.rows)))
                beside = [self.fontMetrics().horizontalAdvance(each) for each in said]
                words = max(words, max(beside, default=0) + NAME_MARGINS)
            header.resizeSection(column, max(themes.px(width), words))
        set_row_height(self, themes.px(LOW_ROW if self.is_narrow else ROW_HEIGHT))
        self._fit_heights()

    def _fit_heights(self) -> None:
        """Each row as high as its lines in a column of names of this width."""
        header, heights = self.horizontalHeader(), [self.height_of(row) for row in self.model_.rows]
        for at, height in enumerate(heights):
            self.setRowHeight(at, height)
        besides = header.sizeHint().height() + 2 * self.frameWidth()
        self.setFixedHeight(besides + sum(heights))
        self.updateGeometry()
