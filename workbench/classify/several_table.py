"""The learners that were tried, ranked: a row each with its interval as a bar; the table is its own twin."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from algorithms.evaluation.ranking import Standing, lead
from workbench.classify.progress import state_words
from workbench.parts.row_height import set_row_height
from workbench.runs import Run, RunState
from workbench.theme import current_theme, themes
from workbench.trials import Entry, Trial
from workbench.views.figures import in_100

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
ROW_ROLE: Final = Role.UserRole
SCALE_ROLE: Final = Role.UserRole + 1
ROW_HEIGHT: Final = 26
LOW_ROW: Final = 40
"""Of a row that says below the name how it compares with the best."""
ROOM_FOR_ALL: Final = 400
"""In a narrower table that has no column of its own: names would be cut."""
HEADER_ROOM: Final = 14
HEADER: Final = "QHeaderView::section { padding: 5px 6px; }"
"""The words over a column stand where those in it stand; names have the room that this leaves."""
FIGURE_WIDTHS: Final = {1: 56, 2: 46, 3: 112}


class Column(IntEnum):
    LEARNER = 0
    INTERVAL = 1
    RIGHT = 2
    BESIDE = 3


HEADERS: Final = {
    Column.LEARNER: ("Learner", "What was tried, the best first"),
    Column.INTERVAL: ("Range", "The range that holds the true accuracy in 95 of 100 such tests"),
    Column.RIGHT: ("Right", "How many times in 100 it was right"),
    Column.BESIDE: ("Compared", "Whether the lead of the best over it may be chance"),
}


@dataclass(frozen=True, eq=False)
class Row:
    """An entry with its place; one that is not judged has none. ``beside`` says how it compares with the best."""

    entry: Entry
    standing: Standing | None
    beside: str
    explanation: str
    is_recommended: bool = False

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.standing is None else self.standing.contender.report.interval

    def interval_words(self) -> str:
        return "" if self.interval is None else f"{in_100(self.interval[0])} to {in_100(self.interval[1])}"

    def right_words(self) -> str:
        return "" if self.standing is None else in_100(self.standing.contender.report.accuracy)

    def sentence(self) -> str:
        """The row in words."""
        if self.standing is None:
            return f"{self.entry.name}: {self.beside}. {self.explanation}".strip()
        right = f"right {self.right_words()} times in 100 ({self.interval_words()})"
        options = self.entry.run.learner.summary()
        return f"{self.standing.place}. {self.entry.name} ({options}): {right}. {self.explanation}".strip()


def rows_of(trial: Trial) -> list[Row]:
    """The ranked entries, the best first, then those that are not judged."""
    ranking = trial.ranking
    ranked = [] if ranking is None else [_ranked_row(trial, standing) for standing in ranking.standings]
    placed = {id(row.entry) for row in ranked}
    return ranked + [_other_row(trial, entry) for entry in trial.entries if id(entry) not in placed]


def _ranked_row(trial: Trial, standing: Standing) -> Row:
    ranking, entry = trial.ranking, trial.entry_of(standing.contender)
    assert ranking is not None
    is_recommended = standing is ranking.recommended and not trial.is_running
    said = ["Recommended: the simplest that cannot be told from the best."] if is_recommended else []
    if standing is ranking.best:
        said.insert(0, "The best so far." if trial.is_running else "The best.")
        return Row(entry, standing, "best so far" if trial.is_running else "best", " ".join(said), is_recommended)
    if standing.behind is None:
        return Row(entry, standing, "", "", is_recommended)
    said.insert(0, f"Of 100 the best is right in {lead(standing.behind)}: {standing.chance_words()}.")
    return Row(entry, standing, _distance(standing), " ".join(said), is_recommended)


def _distance(standing: Standing) -> str:
    """How far it is behind the best, in a word or three."""
    if standing.is_negligible:
        return "as good"
    return "may be as good" if standing.may_be_chance else "behind"


def _other_row(trial: Trial, entry: Entry) -> Row:
    if not entry.has_begun:
        return Row(entry, None, "waits its turn" if trial.is_running else "not judged", "")
    if entry.run.state is RunState.FAILED:
        return Row(entry, None, "failed", entry.run.message)
    return Row(entry, None, state_words(entry.run), "")


class SeveralModel(QAbstractTableModel):
    """The rows of a trial."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self.scale = (0.0, 1.0)

    def show_trial(self, trial: Trial | None) -> None:
        rows = [] if trial is None else rows_of(trial)
        self.scale = scale_of(rows)
        if len(rows) == len(self.rows):
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(Column) - 1))
        else:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return HEADERS[Column(section)][role == Role.ToolTipRole]
        return _alignment(section) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Role.DisplayRole:
            return self.text(row, Column(index.column()))
        if role == ROW_ROLE:
            return row
        if role == SCALE_ROLE:
            return self.scale
        if role == Role.ToolTipRole or (role == Role.AccessibleTextRole and index.column() == Column.LEARNER):
            return row.sentence()
        return _alignment(index.column()) if role == Role.TextAlignmentRole else None

    def text(self, row: Row, column: Column) -> str:
        """What a cell says."""
        if column is Column.LEARNER:
            return row.entry.name
        if column is Column.INTERVAL:
            return row.interval_words()
        return row.right_words() if column is Column.RIGHT else _beside(row)

    def as_text(self, delimiter: str) -> str:
        """The whole table, its headings first."""
        lines = [[HEADERS[column][0] for column in Column]]
        lines += [[self.text(row, column) for column in Column] for row in self.rows]
        quote = '"{}"'.format if delimiter == "," else str
        return "\n".join(delimiter.join(quote(cell) for cell in line) for line in lines) + "\n"


def _beside(row: Row) -> str:
    return "recommended" if row.is_recommended else row.beside


def scale_of(rows: list[Row]) -> tuple[float, float]:
    """From where to where the bars reach: all intervals but those of constant answers, which may lie far below."""
    shown = [row for row in rows if row.interval is not None]
    telling = [row for row in shown if row.entry.burden > 0] or shown
    intervals = [row.interval for row in telling if row.interval is not None]
    if not intervals:
        return 0.0, 1.0
    low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
    room = max(0.02, 0.06 * (high - low))
    return max(0.0, low - room), min(1.0, high + room)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column == Column.RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class SeveralDelegate(QStyledItemDelegate):
    """Text as the others, and the interval as a line with a point; an arrow where it lies below the scale."""

    def __init__(self, table: SeveralTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = current_theme(), index.data(ROW_ROLE)
        area = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("accent_soft"))
        if index.column() == Column.INTERVAL and row.standing is not None:
            self._paint_interval(painter, area.adjusted(6, 0, -6, 0), row, index.data(SCALE_ROLE))
        elif index.column() != Column.INTERVAL:
            self._paint_text(painter, area.adjusted(6, 0, -6, 0), row, index)
        painter.restore()

    def _paint_text(self, painter: QPainter, area: QRectF, row: Row, index: Index) -> None:
        theme = current_theme()
        is_dim = row.standing is None or (index.column() == Column.BESIDE and not row.is_recommended)
        token = "good" if row.is_recommended and index.column() == Column.BESIDE else "dim" if is_dim else "text"
        painter.setPen(theme.color("bad" if row.entry.run.state is RunState.FAILED else token))
        painter.setFont(themes.font(12.5, bold=row.is_recommended))
        words, elide = str(index.data()), Qt.TextElideMode.ElideRight
        if index.column() == Column.LEARNER:  # names that begin alike are told apart by their ends and numbers
            elide = Qt.TextElideMode.ElideMiddle
            words = f"{row.entry.run.number} · {words}" if row.entry.run.number else words
        if index.column() == Column.LEARNER and self._table.is_narrow:
            below = area.adjusted(0, area.height() / 2, 0, -themes.px(3))
            area = area.adjusted(0, themes.px(3), 0, -area.height() / 2)
            self._paint_beside(painter, below, row)
        text = painter.fontMetrics().elidedText(words, elide, int(area.width()))
        painter.drawText(area, _alignment(index.column()), text)

    def _paint_beside(self, painter: QPainter, area: QRectF, row: Row) -> None:
        """How it compares with the best, below its name."""
        painter.save()
        painter.setFont(themes.font(11.5, bold=row.is_recommended))
        painter.setPen(current_theme().color("good" if row.is_recommended else "dim"))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, _beside(row))
        painter.restore()

    def _paint_interval(self, painter: QPainter, area: QRectF, row: Row, scale: tuple[float, float]) -> None:
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
        at = row.standing.contender.report.accuracy if row.standing is not None else 0.0
        interval = row.interval or (at, at)
        size = themes.px(4)
        painter.setBrush(color)
        if at < low:
            painter.setPen(Qt.PenStyle.NoPen)
            left = area.left()
            painter.drawPolygon(
                QPolygonF([QPointF(left - size, y), QPointF(left + size, y - size), QPointF(left + size, y + size)])
            )
            return
        painter.setPen(QPen(color, themes.px(2)))
        painter.drawLine(QPointF(max(area.left(), x(interval[0])), y), QPointF(min(area.right(), x(interval[1])), y))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(x(at), y), size, size)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, self._table.row_height)


class SeveralTable(QTableView):
    """A click, an arrow key or Enter on a row brings its run into view; Ctrl+C copies the table."""

    row_chosen = Signal(object)
    """With the :class:`Row`."""
    row_reached = Signal(QRect)
    """The keys have come to a row: where it is in the viewport."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_following = False
        self.model_ = SeveralModel()
        self.setObjectName("classify.several.table")
        self.setAccessibleName("Learners tried, the best first")
        self.setModel(self.model_)
        self.setItemDelegate(SeveralDelegate(self))
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
        header.setSectionResizeMode(Column.LEARNER, QHeaderView.ResizeMode.Stretch)
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
        return self.isColumnHidden(Column.BESIDE)

    @property
    def row_height(self) -> int:
        return themes.px(LOW_ROW if self.is_narrow else ROW_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < themes.px(ROOM_FOR_ALL)
        if is_narrow != self.is_narrow:
            self.setColumnHidden(Column.BESIDE, is_narrow)
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
        if isinstance(row, Row) and not self._is_following:
            self.row_chosen.emit(row)
            self.row_reached.emit(self.visualRect(now))

    def measure(self) -> None:
        """As high as its rows; its figures as wide as they need."""
        height = self.row_height
        set_row_height(self, height)
        header = self.horizontalHeader()
        for column, width in FIGURE_WIDTHS.items():
            words = header.fontMetrics().horizontalAdvance(HEADERS[Column(column)][0])
            header.resizeSection(column, max(themes.px(width), words + HEADER_ROOM))
        rows = len(self.model_.rows)
        besides = header.sizeHint().height() + 2 * self.frameWidth()
        self.setFixedHeight(besides + rows * height)
        self.updateGeometry()
