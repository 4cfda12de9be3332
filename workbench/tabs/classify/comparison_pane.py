"""Pane of the compared learners: their table, ranked best first with confidence intervals, and a summary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import ceil
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from algorithms.evaluation.compare.ranking import (
    By,
    RankingPlace,
    figure_words,
    in_column,
    in_words,
    lead_sentence,
    written,
)
from algorithms.text.numbers import in_100, price
from algorithms.text.sentences import counted
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.learner_comparison import SKIPPED, ComparisonEntry, Trial
from workbench.session.runs import Run, RunState, changed_since
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.tabs.classify.progress import state_words
from workbench.viewers.charts.export import Drawing, Export, Exported, Table, blank_picture
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import WholeLabel
from workbench.widgets.layouts import ClearWidget, column_layout, named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, saved
from workbench.widgets.panes import HighScrollArea, Pane
from workbench.widgets.tables import CellsModel, Index, Role, set_row_height, show_as_list

ROW_ROLE: Final = Role.UserRole
SCALE_ROLE: Final = Role.UserRole + 1
RECOMMENDED: Final = {
    By.RIGHT: "Recommended: the simplest that may be right as often as the best, and does not surely rank the records "
    "worse.",
    By.COST: "Recommended: the simplest that may cost no more than the best.",
    By.AUC: "Recommended: the simplest that tells the classes apart about as well as the best.",
}


class ComparisonColumn(IntEnum):
    LEARNER = 0
    INTERVAL = 1
    FIGURE = 2
    BESIDE = 3


HEADERS: Final = {
    ComparisonColumn.LEARNER: ("Learner", "What was tried, the best first"),
    ComparisonColumn.INTERVAL: ("Range", "The range that holds the true figure in 95 of 100 such tests"),
    ComparisonColumn.FIGURE: ("Right", "How many times in 100 it was right; the learners are ranked by this"),
    ComparisonColumn.BESIDE: ("Compared", "Whether the lead of the best over it may be chance"),
}
FIGURES: Final = {
    By.RIGHT: HEADERS[ComparisonColumn.FIGURE],
    By.COST: (
        "Cost",
        "What a record costs with the costs set in Evaluate, decided by least expected cost; the learners are ranked "
        "by this",
    ),
    By.AUC: (
        "AUC",
        "How well it tells the classes apart: 0.5 is guessing, 1 is always; the learners are ranked by this",
    ),
}
"""Column titles of the ranking measures."""
BEST: Final = {By.RIGHT: "right most often", By.COST: "costs least", By.AUC: "highest AUC"}
"""Words for the first learner by each measure, because the run list ranks by accuracy."""

RANKS_WORSE: Final = "AUC surely lower"
"""Words for a learner of equal accuracy that ranks the records worse."""


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """An entry with its rank, None without a result; ``beside`` compares it with the best, ``by`` names the measure."""

    entry: ComparisonEntry
    standing: RankingPlace | None
    beside: str
    explanation: str
    is_recommended: bool = False
    by: By = By.RIGHT

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.standing is None else self.standing.contender.interval(self.by)

    @property
    def figure(self) -> float:
        """The value of the ranking measure; 0 without a result."""
        return 0.0 if self.standing is None else self.standing.contender.figure(self.by)

    def interval_words(self) -> str:
        if self.interval is None:
            return ""
        return f"{in_column(self.interval[0], self.by)} to {in_column(self.interval[1], self.by)}"

    def figure_words(self) -> str:
        return "" if self.standing is None else in_column(self.figure, self.by)

    def sentence(self) -> str:
        """The row in words."""
        if self.standing is None:
            return f"{self.entry.name}: {self.beside}. {self.explanation}".strip()
        part = judged_on(self.entry.run)
        only = f" Judged on {part} only: it was finished early." if part else ""
        return f"{self.standing.place}. {self.entry.name}: {self._figures()}.{only} {self.explanation}".strip()

    def _figures(self) -> str:
        """The ranking measure with its interval, then the accuracy."""
        if self.standing is None:
            return ""
        contender, ranged = self.standing.contender, f"{self.figure_words()} ({self.interval_words()})"
        right = f"right {in_100(contender.report.accuracy)} times in 100"
        if self.by is By.RIGHT:
            return f"right {self.figure_words()} times in 100 ({self.interval_words()})"
        if self.by is By.COST and contender.priced is not None:
            own = price(contender.priced.standing.as_decided.mean)
            return f"a record costs {ranged}, {own} as the model itself decides; {right}"
        balanced = contender.balanced()
        of_each = "" if balanced is None else f", of each class {in_100(balanced)} on average"
        return f"AUC {ranged}; {right}{of_each}"


def rows_of(trial: Trial) -> list[ComparisonRow]:
    """The ranked entries, best first, then those without a result."""
    ranking = trial.ranking
    ranked = [] if ranking is None else [_ranked_row(trial, standing) for standing in ranking.standings]
    placed = {id(row.entry) for row in ranked}
    return ranked + [_other_row(trial, entry) for entry in trial.entries if id(entry) not in placed]


def _ranked_row(trial: Trial, standing: RankingPlace) -> ComparisonRow:
    ranking, entry = trial.ranking, trial.entry_of(standing.contender)
    assert ranking is not None
    by, is_guess = ranking.by, standing.contender.burden == 0  # of a guess it is said that none is surely better
    is_recommended = standing is ranking.recommended and not trial.is_running and not is_guess
    words = [RECOMMENDED[by]] if is_recommended else []
    if standing is ranking.best:
        words.insert(0, "The best so far." if trial.is_running else "The best.")
        beside = "leads so far" if trial.is_running else BEST[by]
        return ComparisonRow(entry, standing, beside, " ".join(words), is_recommended, by)
    if standing.behind is None:
        return ComparisonRow(entry, standing, "", "", is_recommended, by)
    words.insert(0, lead_sentence(ranking.best.contender, standing, by))
    if standing not in ranking.poorer:
        return ComparisonRow(entry, standing, _distance(standing), " ".join(words), is_recommended, by)
    area, top = standing.contender.figure(By.AUC), ranking.best_ranking.contender
    words.append(
        f"Not recommended: its AUC, {written(area, By.AUC)}, is surely lower than the {figure_words(top, By.AUC)} of "
        f"{top.name}."
    )
    return ComparisonRow(entry, standing, RANKS_WORSE, " ".join(words), is_recommended, by)


def _distance(standing: RankingPlace) -> str:
    """Difference to the best in a few words."""
    if standing.is_negligible:
        return "as good"
    return "may be as good" if standing.may_be_chance else "behind"


def _other_row(trial: Trial, entry: ComparisonEntry) -> ComparisonRow:
    if not entry.has_begun:
        return ComparisonRow(entry, None, "waits its turn" if trial.is_running else "not judged", "")
    if entry.run.state is RunState.FAILED:
        return ComparisonRow(entry, None, "failed", entry.run.message)
    if entry.run.state is RunState.STOPPED and entry.run.message:
        return ComparisonRow(
            entry, None, "skipped" if entry.run.message == SKIPPED else "time limit", entry.run.message
        )
    return ComparisonRow(entry, None, state_words(entry.run), "")


class LearnerComparisonModel(CellsModel):
    """Table model of the rows of a comparison."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ComparisonRow] = []
        self.scale = (0.0, 1.0)
        self.by = By.RIGHT

    def show_trial(self, trial: Trial | None) -> None:
        rows = [] if trial is None else rows_of(trial)
        by = By.RIGHT if trial is None or trial.ranking is None else trial.ranking.by
        if by is not self.by:
            self.by = by
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, ComparisonColumn.FIGURE, ComparisonColumn.FIGURE)
        self.scale = scale_of(rows)
        if len(rows) == len(self.rows):
            self.rows = rows
            self.changed()
        else:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def size(self) -> tuple[int, int]:
        return len(self.rows), len(ComparisonColumn)

    def heading(self, column: int) -> str:
        return (FIGURES[self.by] if column == ComparisonColumn.FIGURE else HEADERS[ComparisonColumn(column)])[0]

    def heading_tip(self, column: int) -> str:
        return (FIGURES[self.by] if column == ComparisonColumn.FIGURE else HEADERS[ComparisonColumn(column)])[1]

    def side(self, column: int) -> Qt.AlignmentFlag:
        return alignment(column)

    def text(self, row: int, column: int) -> str:
        shown = self.rows[row]
        if column == ComparisonColumn.LEARNER:
            return unnumbered(shown)
        if column == ComparisonColumn.INTERVAL:
            return shown.interval_words()
        return shown.figure_words() if column == ComparisonColumn.FIGURE else beside(shown)

    def tip(self, row: int, column: int) -> str:
        return self.rows[row].sentence()

    def value(self, row: int, column: int, role: int) -> Any:
        if role == Role.AccessibleTextRole and column == ComparisonColumn.LEARNER:
            return self.tip(row, column)
        return {ROW_ROLE: self.rows[row], SCALE_ROLE: self.scale}.get(role)

    def as_text(self, delimiter: str) -> str:
        """The whole table as delimited text, headings first."""
        lines = [[self.heading(column) for column in ComparisonColumn]]
        lines += [[self.text(row, column) for column in ComparisonColumn] for row in range(len(self.rows))]
        quote = '"{}"'.format if delimiter == "," else str
        return "\n".join(delimiter.join(quote(cell) for cell in line) for line in lines) + "\n"


def name(row: ComparisonRow) -> str:
    """The learner with the number of its run, if it has one."""
    number = row.entry.run.number
    return f"{number} · {unnumbered(row)}" if number else unnumbered(row)


def unnumbered(row: ComparisonRow) -> str:
    """The learner, and the tested folds if not all are."""
    return ", ".join(filter(None, (row.entry.name, judged_on(row.entry.run))))


def judged_on(run: Run) -> str:
    """Number of tested folds of a run that ended early: "3 of 10 folds"; else empty."""
    if run.state is not RunState.PARTIAL or not run.folds or len(run.folds) == run.folds[0].n_folds:
        return ""
    return f"{len(run.folds)} of {run.folds[0].n_folds} {run.method.part_name}s"


def beside(row: ComparisonRow) -> str:
    """Difference to the best in a few words."""
    return "recommended" if row.is_recommended else row.beside


def scale_of(rows: list[ComparisonRow]) -> tuple[float, float]:
    """Range of the bars: all intervals except those of constant predictions, which may lie far off."""
    shown = [row for row in rows if row.interval is not None]
    telling = [row for row in shown if row.entry.burden > 0] or shown
    intervals = [row.interval for row in telling if row.interval is not None]
    if not intervals:
        return 0.0, 1.0
    low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
    if rows[0].by is By.COST:
        room = 0.06 * (high - low) or 1.0
        return low - room, high + room
    room = max(0.02, 0.06 * (high - low))
    return max(0.0, low - room), min(1.0, high + room)


def alignment(column: int) -> Qt.AlignmentFlag:
    """Alignment of a column; figures are right-aligned."""
    return MIDDLE_RIGHT if column == ComparisonColumn.FIGURE else MIDDLE_LEFT


ROW_HEIGHT: Final = 26
LINE: Final = 16
NAME_MARGINS: Final = 12
LOW_ROW: Final = 40
"""Height of a row that shows the difference to the best below the name."""
ROOM_FOR_ALL: Final = 400
"""Width below which that difference has no column of its own."""
HEADER_ROOM: Final = 14
HEADER: Final = "QHeaderView::section { padding: 5px 6px; }"
"""Style of the header, which aligns titles with their cells."""
FIGURE_WIDTHS: Final = {1: 56, 2: 46, 3: 112}


class LearnerComparisonDelegate(QStyledItemDelegate):
    """Paints intervals as a line with a point, with an arrow below the scale, and other cells as text."""

    def __init__(self, table: LearnerComparisonTable) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = current_theme(), index.data(ROW_ROLE)
        area = QRectF(option.rect)
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if option.state & QStyle.StateFlag.State_Selected:
                painter.fillRect(area, theme.color("accent_soft"))
            if index.column() == ComparisonColumn.INTERVAL and row.standing is not None:
                self._paint_interval(painter, area.adjusted(6, 0, -6, 0), row, index.data(SCALE_ROLE))
            elif index.column() != ComparisonColumn.INTERVAL:
                self._paint_text(painter, area.adjusted(6, 0, -6, 0), row, index)

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
        """Paints the difference to the best below the name."""
        with saved(painter):
            painter.setFont(themes.font(11.5, bold=row.is_recommended))
            painter.setPen(current_theme().color("good" if row.is_recommended else "dim"))
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)

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
        figure = row.figure
        interval = row.interval or (figure, figure)
        size = themes.px(4)
        painter.setBrush(color)
        if not low <= figure <= high:
            painter.setPen(Qt.PenStyle.NoPen)
            end, out = (area.left(), -size) if figure < low else (area.right(), size)
            painter.drawPolygon(
                QPolygonF([QPointF(end + out, y), QPointF(end - out, y - size), QPointF(end - out, y + size)])
            )
            return
        painter.setPen(QPen(color, themes.px(2)))
        painter.drawLine(QPointF(max(area.left(), x(interval[0])), y), QPointF(min(area.right(), x(interval[1])), y))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(x(figure), y), size, size)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, self._table.height_of(index.data(ROW_ROLE)))


class LearnerComparisonTable(QTableView):
    """Click, arrow keys or Enter make the run of a row current; Ctrl+C copies the table."""

    row_chosen = Signal(object)
    """Carries the :class:`ComparisonRow`."""
    row_reached = Signal(QRect)
    """Carries the rectangle of a row reached by keys, in the viewport."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_following = False
        self.model_ = LearnerComparisonModel()
        named(self, "classify.several.table", "Learners tried, the best first")
        self.setModel(self.model_)
        self.setItemDelegate(LearnerComparisonDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = show_as_list(self)
        header.setStyleSheet(HEADER)
        header.setSectionResizeMode(ComparisonColumn.LEARNER, QHeaderView.ResizeMode.Stretch)
        self._fit_soon = single_shot(self, 0, self._fit_heights)  # a header tells of another width before it has it
        header.sectionResized.connect(
            lambda column: self._fit_soon.start() if column == ComparisonColumn.LEARNER else None
        )
        self.selectionModel().currentRowChanged.connect(self._row_changed)
        themes.follow_now(self.measure)

    def show_trial(self, trial: Trial | None, run: Run | None) -> None:
        """Shows a comparison and selects the row of ``run``."""
        was_following, self._is_following = self._is_following, True
        try:
            self.model_.show_trial(trial)
            row = next(
                (i for i, shown in enumerate(self.model_.rows) if shown.entry.run is run and run is not None), -1
            )
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
        """Whether the difference to the best stands below the name."""
        return self.isColumnHidden(ComparisonColumn.BESIDE)

    def lines_of(self, row: ComparisonRow) -> list[str]:
        """Lines of a row in a narrow table: name, options if both do not fit, and difference to the best."""
        whole, room = name(row), self.columnWidth(ComparisonColumn.LEARNER) - NAME_MARGINS
        fits = QFontMetricsF(themes.font(12.5, bold=row.is_recommended)).horizontalAdvance(whole) <= room
        return [*([whole] if fits else [part for part in whole.partition(", ") if part != ", " and part]), beside(row)]

    def lines_in(self, row: ComparisonRow, height: int) -> list[str]:
        """The lines that fit into a row of this height; if not all do, the row gets higher."""
        if height >= self.height_of(row):
            return self.lines_of(row)
        self._fit_soon.start()
        return [name(row), beside(row)] if height >= themes.px(LOW_ROW) else [name(row)]

    def height_of(self, row: ComparisonRow) -> int:
        """Height of a row in pixels."""
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
        """Fits the height to the rows and the columns to their figures."""
        header = self.horizontalHeader()
        for column, width in FIGURE_WIDTHS.items():
            words = header.fontMetrics().horizontalAdvance(self.model_.heading(column)) + HEADER_ROOM
            if column == ComparisonColumn.FIGURE:
                bold = QFontMetricsF(themes.font(12.5, bold=True))
                figures = [bold.horizontalAdvance(row.figure_words()) for row in self.model_.rows]
                words = max(words, ceil(max(figures, default=0.0)) + NAME_MARGINS + 2)
            elif column == ComparisonColumn.BESIDE:
                texts = (self.model_.index(position, column).data() or "" for position in range(len(self.model_.rows)))
                beside = [self.fontMetrics().horizontalAdvance(text) for text in texts]
                words = max(words, max(beside, default=0) + NAME_MARGINS)
            header.resizeSection(column, max(themes.px(width), words))
        set_row_height(self, themes.px(LOW_ROW if self.is_narrow else ROW_HEIGHT))
        self._fit_heights()

    def _fit_heights(self) -> None:
        """Fits each row's height to the width of the name column."""
        header, heights = self.horizontalHeader(), [self.height_of(row) for row in self.model_.rows]
        for position, height in enumerate(heights):
            self.setRowHeight(position, height)
        besides = header.sizeHint().height() + 2 * self.frameWidth()
        self.setFixedHeight(besides + sum(heights))
        self.updateGeometry()


SKIP_TIP = "Leave the learner that is at work and go on with the next"
FOLLOW_MS = 60


class ExportedRanking(Exported):
    """Exports the ranking as a picture, a drawing or a table."""

    name, title = "several", "Learners tried"

    def __init__(self, table: LearnerComparisonTable) -> None:
        self._table = table

    def picture(self) -> QImage:
        image = blank_picture(self._table.size())
        with QPainter(image) as painter:
            self._paint(painter)
        return image

    def drawing(self) -> Drawing | None:
        return self._table.size(), self._paint

    def table(self) -> Table | None:
        if not self._table.model_.rowCount():
            return None
        text = {delimiter: self._table.model_.as_text(delimiter) for delimiter in (",", "\t")}
        return lambda delimiter: text[delimiter]

    def _paint(self, painter: QPainter) -> None:
        self._table.render(painter, QPoint())


class LearnerComparisonPane(Pane):
    """Shows the session's learner comparison; hidden without one, or after the user closed it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Several tried", parent=parent)
        self._session = session
        self.setObjectName("classify.several")
        self.headline = named(WholeLabel("", "heading"), "classify.several.headline")
        self.sentences = named(WholeLabel(), "classify.several.sentences")
        self.table = LearnerComparisonTable()
        self._inside = inside = ClearWidget()
        self._area = HighScrollArea(inside)
        self.caveat = named(WholeLabel("", "small"), "classify.several.caveat")
        self.stop = quiet_button("Stop", "classify.several.stop", "Stop; what is judged stays", self._stop)
        self.skip = quiet_button("Skip", "classify.several.skip", SKIP_TIP, session.analyses.comparison.skip)
        self.save = quiet_button("Save", "classify.several.save", "Copy or save the ranking")
        self.save.setMenu(Export(ExportedRanking(self.table), session.jobs, self).menu)
        self.close_button = quiet_button(
            "Close",
            "classify.several.close",
            "Put the ranking away; its runs stay in the ledger, and it can be shown again above Try several",
            session.analyses.comparison.put_away,
        )
        self.add_action(self.skip, self.stop, self.save, self.close_button)
        column_layout(self.headline, self.table, self.sentences, self.caveat, 1, inside=inside, spacing=SPACE_2)
        self.body.addWidget(self._area)
        self.table.row_chosen.connect(lambda row: self._session.analyses.comparison.show(row.entry))
        self.table.row_reached.connect(lambda area: self._area.ensureVisible(0, self._down_to(area), 0, area.height()))
        for signal in (
            session.analyses.comparison.changed,
            session.runs_changed,
            session.current_run_changed,
            session.data_changed,
            session.recipe_changed,
        ):
            signal.connect(self._follow)
        self._timer = single_shot(self, FOLLOW_MS, self.refresh)
        self.refresh()

    def _down_to(self, area: QRect) -> int:
        """Vertical position of the middle of a row within the scrolled content."""
        return self.table.viewport().mapTo(self._inside, area.center()).y()

    def _follow(self) -> None:
        """Updates soon, at least now and then while folds arrive; at once if the pane appears, so that it can take the
        focus.
        """
        trial = self._session.analyses.comparison.current
        if trial is not None and trial.is_running and self.isHidden():
            self.refresh()
        elif trial is not None and trial.is_running:
            if not self._timer.isActive():
                self._timer.start()
        elif not self.close_button.isVisible():  # it has just ended: that is said at once
            self.refresh()
        else:
            self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        """Shows the current state of the comparison."""
        trial = self._session.analyses.comparison.current
        is_shown = trial is not None and not trial.is_away
        self.setVisible(is_shown)
        if trial is None or not is_shown:
            return
        n, done = len(trial.entries), trial.n_judged
        self.set_facts(f"{counted(n, 'learner')} · {trial.method.described()} · seed {trial.seed}")
        for button in (self.save, self.close_button):  # before the one that goes: the keys go on to what is there then
            button.setVisible(not trial.is_running)
        self.stop.setVisible(trial.is_running and not trial.all_are_judged)
        at_work = self._session.analyses.comparison.at_work
        self.skip.setVisible(at_work is not None and not trial.all_are_judged)
        if at_work is not None:
            self.skip.setToolTip(f"Leave {at_work.learner.summary()} and go on with the next")
        self.table.show_trial(trial, self._session.current_run)
        if trial.is_running and trial.all_are_judged:
            self._say(f"{done} of {n} judged", "The model of the last is being trained on all records.", "")
        elif trial.is_running:
            self._say(f"{done} of {n} judged", "Each on the same folds, the simplest first.", "")
        elif trial.ranking is None:
            self._say("None was judged", trial.unfinished, "")
        else:
            words = in_words(trial.ranking)
            self._say(words.headline, " ".join((*words.sentences, *self._doubts(trial))), words.caveat)

    def _doubts(self, trial: Trial) -> list[str]:
        """Reservations about the ranking."""
        doubts = [trial.unfinished] if trial.unfinished else []
        left = [entry for entry in trial.entries if entry.run.state is RunState.STOPPED and entry.run.message]
        doubts += [f"{entry.name}: {entry.run.message}" for entry in left]
        run = trial.entries[0].run
        changed = changed_since(run, self._session.data, self._session.recipe)
        doubts += [changed] if changed else []
        return doubts

    def _say(self, headline: str, sentences: str, caveat: str) -> None:
        for words, text in ((self.headline, headline), (self.sentences, sentences), (self.caveat, caveat)):
            words.setText(text)
            words.setVisible(bool(text))

    def _stop(self) -> None:
        trial = self._session.analyses.comparison.current
        if trial is not None and trial.job is not None:
            trial.job.stop()
