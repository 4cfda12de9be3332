"""Pane of the compared learners: their table, ranked best first with confidence intervals, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import zip_longest
from math import ceil
from typing import ClassVar, Final

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
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
    QBoxLayout,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from algorithms.core.errors import CoppiceError
from algorithms.core.filters import Recipe
from algorithms.evaluation.compare.ranking import Ranking, in_words
from algorithms.text.sentences import counted
from workbench.jobs.ui_scheduling import MadeInPieces, single_shot
from workbench.session.learner_comparison import Trial
from workbench.session.runs import Run, RunState, changed_since
from workbench.session.saving import NEW_DATA, PREDICT_BY_COST, PREDICT_NEW_DATA
from workbench.session.session import Session
from workbench.style.motion import unfold
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, current_theme, themes
from workbench.tabs.classify.comparison_rows import (
    ROW_ROLE,
    SCALE_ROLE,
    ComparisonColumn,
    ComparisonRow,
    LearnerComparisonModel,
    OfferedLearner,
    offered,
    test_rows,
    test_words,
)
from workbench.viewers.charts.export import Export, ExportedDrawing, Table
from workbench.widgets.buttons import link_button, quiet_button, set_caption
from workbench.widgets.labels import AIR, TermHeader, WholeLabel, elided, elided_at_end, show_text
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, saved
from workbench.widgets.panes import FailureNote, HighScrollArea, Pane
from workbench.widgets.tables import TIGHT, Index, LinesDelegate, Rows, TextTable, set_row_height, show_as_list

ROW_HEIGHT: Final = 26
LINE: Final = 16
NAME_MARGINS: Final = 12
AXIS_MARGINS: Final = 8
LOW_ROW: Final = 40
"""Height of a row that shows the difference to the best below the name."""
NARROW_AXIS: Final = 52
"""Width of the axis in such a narrow table."""
ROOM_FOR_ALL: Final = 400
"""Width below which that difference has no column of its own."""
ROOM_FOR_MORE: Final = 640
"""Width from which interval and AUC have columns of their own."""
ROOM_FOR_TIME: Final = 720
"""The same of the time."""
MORE: Final = (ComparisonColumn.INTERVAL, ComparisonColumn.OTHER, ComparisonColumn.TIME)
HEADER_ROOM: Final = 14
HEADER: Final = "QHeaderView::section { padding: 5px 6px; }"
"""Style of the header, which aligns titles with their cells."""
FIGURE_WIDTHS: Final = {
    ComparisonColumn.FIGURE: 46,
    ComparisonColumn.INTERVAL: 80,
    ComparisonColumn.AXIS: 66,
    ComparisonColumn.OTHER: 52,
    ComparisonColumn.TIME: 64,
    ComparisonColumn.BESIDE: 112,
}


class AxisHeader(TermHeader):
    """Header that shows the ends of the axis above the intervals."""

    def __init__(self, table: LearnerComparisonTable) -> None:
        super().__init__(table)
        self._table = table

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        super().paintSection(painter, rect, section)
        model = self._table.model_
        if section != ComparisonColumn.AXIS or not model.rows:
            return
        area, sides = rect.adjusted(4, 0, -4, 0), (MIDDLE_LEFT, MIDDLE_RIGHT)
        for words, side in zip(model.ends_of_axis(), sides, strict=True):
            draw_text(painter, area, words, current_theme().color("dim"), themes.font(11), side)


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
            if index.column() == ComparisonColumn.AXIS and row.standing is not None:
                self._paint_interval(painter, area.adjusted(6, 0, -6, 0), row, index.data(SCALE_ROLE))
            elif index.column() != ComparisonColumn.AXIS:
                self._paint_text(painter, area.adjusted(6, 0, -6, 0), row, index)

    def _paint_text(self, painter: QPainter, area: QRectF, row: ComparisonRow, index: Index) -> None:
        theme = current_theme()
        is_name, is_beside = (index.column() == ComparisonColumn.LEARNER, index.column() == ComparisonColumn.BESIDE)
        side = self._table.model_.side(index.column())
        is_dim = row.standing is None or (is_beside and not row.is_recommended)
        token = "good" if row.is_recommended and is_beside else "dim" if is_dim else "text"
        painter.setPen(theme.color("bad" if row.run is not None and row.run.state is RunState.FAILED else token))
        painter.setFont(themes.font(12.5, bold=row.is_recommended))
        # names that begin alike are told apart by their ends and numbers
        shorten = elided if is_name else elided_at_end
        words = self._table.name_in(row, area.width()) if is_name else str(index.data())
        if is_name and self._table.is_narrow:
            words, *below = self._table.lines_in(row, int(area.height()))
            line = (area.height() - 2 * themes.px(3)) / (len(below) + 1)
            area = QRectF(area.left(), area.top() + themes.px(3), area.width(), line)
            if below:
                with saved(painter):
                    painter.setFont(themes.font(11.5, bold=row.is_recommended))
                    painter.setPen(current_theme().color("good" if row.is_recommended else "dim"))
                    painter.drawText(area.translated(0, len(below) * line), Qt.AlignmentFlag.AlignVCenter, below[-1])
            for more in below[:-1]:
                painter.drawText(area.translated(0, line), side, more)
        lines = row.beside.split("\n") if is_beside else [words]
        area.setHeight(area.height() / len(lines))
        for text in lines:
            painter.drawText(area, side, shorten(painter.fontMetrics(), text, area.width()))
            area.translate(0, area.height())

    def _paint_interval(self, painter: QPainter, area: QRectF, row: ComparisonRow, scale: tuple[float, float]) -> None:
        theme, (low, high) = current_theme(), scale
        is_first = row.standing is not None and row.standing.place == 1
        color = theme.color("good" if row.is_recommended else "accent" if is_first else "dim")
        y, width = area.center().y(), area.width()

        def x(share: float) -> float:
            return area.left() + width * (share - low) / (high - low)

        painter.setPen(QPen(theme.color("soft"), themes.px(5), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        if row.baseline is not None and low <= row.baseline <= high:
            painter.setPen(QPen(theme.color("dim"), 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x(row.baseline), area.top()), QPointF(x(row.baseline), area.bottom()))
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
    row_reached = Signal(QRect)
    """Carries the rectangle of a row reached by keys, in the viewport."""

    def __init__(self) -> None:
        super().__init__()
        self._is_following = False
        self.model_ = LearnerComparisonModel()
        named(self, "classify.several.table", "Compared learners, the best first")
        self.setModel(self.model_)
        self.setItemDelegate(LearnerComparisonDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalHeader(AxisHeader(self))
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
            runs = [shown.run for shown in self.model_.rows]
            row = runs.index(run) if run is not None and run in runs else -1
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

    @staticmethod
    def name_in(row: ComparisonRow, room: float) -> str:
        """The learner with its options and run, or without options where they do not fit: its run tells it apart."""
        fits = QFontMetricsF(themes.font(12.5, bold=row.is_recommended)).horizontalAdvance(row.numbered) <= room
        return row.numbered if fits else row.lines[0]

    def lines_of(self, row: ComparisonRow) -> list[str]:
        """Lines of a row in a narrow table: name, options if both do not fit, and difference to the best."""
        name = self.name_in(row, self.columnWidth(ComparisonColumn.LEARNER) - NAME_MARGINS)
        options = row.lines[1] if name != row.numbered else ""
        return [*filter(None, (name, options)), row.beside_in_line]

    def lines_in(self, row: ComparisonRow, height: int) -> list[str]:
        """The lines that fit into a row of this height; if not all do, the row gets higher."""
        if height >= self.height_of(row):
            return self.lines_of(row)
        self._fit_soon.start()
        return [row.lines[0], *([row.beside_in_line] if height >= themes.px(LOW_ROW) else [])]

    def height_of(self, row: ComparisonRow) -> int:
        if not self.is_narrow:
            return themes.px(LOW_ROW if "\n" in row.beside else ROW_HEIGHT)
        return themes.px(LOW_ROW + LINE * (len(self.lines_of(row)) - 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnHidden(ComparisonColumn.BESIDE, self.width() < themes.px(ROOM_FOR_ALL))
        for column in MORE:
            room = ROOM_FOR_TIME if column == ComparisonColumn.TIME else ROOM_FOR_MORE
            self.setColumnHidden(column, self.width() < themes.px(room))
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
            if column in (ComparisonColumn.FIGURE, *MORE):
                bold = QFontMetricsF(themes.font(12.5, bold=True))
                texts = [self.model_.text(row, column) for row in range(len(self.model_.rows))]
                words = max(words, ceil(max(map(bold.horizontalAdvance, texts), default=0.0)) + NAME_MARGINS + 2)
            elif column == ComparisonColumn.AXIS and self.model_.rows:
                small = QFontMetricsF(themes.font(11))
                words = ceil(small.horizontalAdvance(" ".join(self.model_.ends_of_axis()))) + AXIS_MARGINS
            elif column == ComparisonColumn.BESIDE:
                lines = (line for row in self.model_.rows for line in row.beside.split("\n"))
                besides = map(self.fontMetrics().horizontalAdvance, lines)
                words = max(words, max(besides, default=0) + NAME_MARGINS)
            least = NARROW_AXIS if self.is_narrow and column == ComparisonColumn.AXIS else width
            header.resizeSection(column, max(themes.px(least), words))
        set_row_height(self, themes.px(LOW_ROW if self.is_narrow else ROW_HEIGHT))
        self._fit_heights()

    def _fit_heights(self) -> None:
        header, heights = self.horizontalHeader(), [self.height_of(row) for row in self.model_.rows]
        for position, height in enumerate(heights):
            self.setRowHeight(position, height)
        besides = header.sizeHint().height() + 2 * self.frameWidth()
        self.setFixedHeight(besides + sum(heights))
        self.updateGeometry()


SKIP_TIP = "Skip the running learner"


class TestsTable(TextTable):
    """A table of many columns with little room around their texts, as high as all its rows; names take two lines."""

    shows_whole_columns: ClassVar[bool] = True
    around: ClassVar[int] = 14

    def __init__(self, name: str, says: str) -> None:
        super().__init__(name, says, least_words=112)
        self.setItemDelegate(LinesDelegate(self))

    def show_rows(self, rows: Rows) -> None:
        super().show_rows(rows)
        self._share_room()  # only now the header has the rows

    def _share_room(self) -> None:
        super()._share_room()
        model, metrics, low = self.model(), self.fontMetrics(), self.verticalHeader().defaultSectionSize()
        rooms = [self.columnWidth(column) - themes.px(self.around) - AIR for column in range(model.columnCount())]
        broken = 0
        for row in range(model.rowCount()):
            cells = (str(model.index(row, column).data()) for column in range(len(rooms)))
            fits = all(metrics.horizontalAdvance(cell) <= room for cell, room in zip(cells, rooms, strict=True))
            broken += 0 if fits else metrics.lineSpacing()
            self.setRowHeight(row, low if fits else low + metrics.lineSpacing())
        self.setFixedHeight(self.content_height() + broken)


class ExportedRanking(ExportedDrawing):
    name, title = "several", "Compared learners"

    def __init__(self, table: LearnerComparisonTable) -> None:
        self._table = table

    def size(self) -> QSize:
        return self._table.size()

    def paint(self, painter: QPainter) -> None:
        self._table.render(painter, QPoint())

    def table(self) -> Table | None:
        if not self._table.model_.rowCount():
            return None
        text = {delimiter: self._table.model_.as_text(delimiter) for delimiter in (",", "\t")}
        return text.__getitem__


class TakenFor(Enum):
    OPENING = 0
    TUNING = 1
    NEW_DATA = 2


SIDE_BY_SIDE: Final = 380
"""Width from which the offered learners stand side by side."""


class OfferedLearnerCard(QFrame):
    """An offered learner with the button that tunes it."""

    asked = Signal(object, object)

    def __init__(self, number: int) -> None:
        super().__init__()
        self.setProperty("part", "pane")
        self.run: Run | None = None
        name = f"classify.several.offer.{number}"
        self._title, self.headline = WholeLabel("", "small"), named(WholeLabel("", "heading"), name)
        self._sentences = named(WholeLabel("", "small"), f"{name}.why")
        self.tune = link_button("Tune…", f"{name}.tune", "Search better values of its options", self._tune)
        words, links = (self._title, self.headline, self._sentences), row_layout(self.tune, 1)
        column_layout(*words, 1, links, inside=self, spacing=SPACE_1, margins=SPACE_3)

    def _tune(self) -> None:
        self.asked.emit(self.run, TakenFor.TUNING)

    def offer(self, learner: OfferedLearner | None, recipe: Recipe) -> None:
        """Shows an offered learner; hides the card without one."""
        from algorithms.evaluation.tuning.search_space import searchable  # late: only a finished comparison needs it

        self.setVisible(learner is not None)
        if learner is not None:
            self.run = learner.run
            for words, text in (
                (self._title, learner.title),
                (self.headline, learner.headline),
                (self._sentences, learner.sentences),
            ):
                words.setText(text)
            self.tune.setVisible(bool(searchable(learner.run.learner, recipe)))


class LearnerComparisonPane(MadeInPieces, Pane):
    """The learner comparison unless closed; ``asked`` carries a run and a :class:`TakenFor`."""

    asked = Signal(object, object)
    shown = Signal(bool)

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Comparison", parent=parent)
        self._session = session
        self.setObjectName("classify.several")
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        self.headline = named(WholeLabel("", "heading"), "classify.several.headline")
        self.doubts = named(WholeLabel(), "classify.several.doubts")
        self.failure = FailureNote("classify.several", self._resume)
        self.sentences = named(WholeLabel("", "small"), "classify.several.sentences")
        self.table = LearnerComparisonTable()
        yield True
        self._inside = inside = ClearWidget()
        self._area = HighScrollArea(inside, self)
        self.caveat = named(WholeLabel("", "small"), "classify.several.caveat")
        self.skip = quiet_button("Skip", "classify.several.skip", SKIP_TIP, session.analyses.comparison.skip)
        self.save = Export(ExportedRanking(self.table), session.jobs, self).button("classify.several.save")
        self.add_action(self.skip, self.save)
        self.cards = [OfferedLearnerCard(number) for number in (1, 2)]
        for card in self.cards:
            card.asked.connect(self.asked)
        self._offers = row_layout(*((card, 1) for card in self.cards), spacing=SPACE_2)
        tip = "Show the whole result of the selected run under the decision rule that ranked it, and set its options"
        self.open = quiet_button("", "classify.several.open", tip, self._take_opened)
        self.predict = quiet_button(
            PREDICT_NEW_DATA, "classify.several.predict", NEW_DATA, partial(self._take_opened, TakenFor.NEW_DATA)
        )
        self.details = link_button("", "classify.several.details", "The tests behind the verdicts", checkable=True)
        yield True
        self._folded = ClearWidget(inside)
        self._of_tests = named(WholeLabel("", "small"), "classify.several.of-tests")
        self.tests = TestsTable("classify.several.tests", "The test of each learner against the best")
        self.tests.setStyleSheet(TIGHT)
        self.tests.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideNone)  # two lines would be cut as one
        column_layout(self._of_tests, self.tests, self.sentences, self.caveat, inside=self._folded, spacing=SPACE_2)
        self._folded.hide()
        yield True
        self.details.toggled.connect(self._show_details)
        self._show_details(False)
        opening, fold = row_layout(self.open, self.predict, 1), (self.details, 0, Qt.AlignmentFlag.AlignLeft)
        parts = (self.headline, self.failure, self.doubts, self.table, opening, self._offers, fold, self._folded)
        column_layout(*parts, 1, inside=inside, spacing=SPACE_2)
        self.body.addWidget(self._area)
        self.table.row_chosen.connect(self._show_run)
        self.table.doubleClicked.connect(lambda _cell: self._take_opened())
        self.table.row_reached.connect(self._bring_into_view)
        for signal in (
            session.analyses.comparison.changed,
            session.runs_changed,
            session.current_run_changed,
            session.data_changed,
            session.recipe_changed,
            session.class_of_interest_changed,
            session.decisions.changed,
        ):
            signal.connect(self._follow)
        self.refresh()

    def _show_details(self, shown: bool) -> None:
        set_caption(self.details, "Significance tests ▾" if shown else "Significance tests ▸")
        unfold(self._folded, shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.is_complete:
            return
        is_wide = self.width() >= themes.px(SIDE_BY_SIDE)
        ways = QBoxLayout.Direction
        self._offers.setDirection(ways.LeftToRight if is_wide else ways.TopToBottom)

    def _take_opened(self, purpose: TakenFor = TakenFor.OPENING) -> None:
        if self._opened is not None:
            self.asked.emit(self._opened, purpose)

    @property
    def _opened(self) -> Run | None:
        """The compared run in view, if it has a result."""
        trial, run = self._session.analyses.comparison.current, self._session.current_run
        return run if trial is not None and run is not None and trial.has(run) and run.is_judged else None

    def _show_run(self, row: ComparisonRow) -> None:
        if row.entry is not None:
            self._session.analyses.comparison.show(row.entry)

    def _bring_into_view(self, row: QRect) -> None:
        middle = self.table.viewport().mapTo(self._inside, row.center()).y()
        self._area.ensureVisible(0, middle, 0, row.height())

    def _follow(self) -> None:
        """Updates in the turn of the other views; at once if the pane appears, to take the focus, or has just ended."""
        trial = self._session.analyses.comparison.current
        if self.isHidden() if trial is not None and trial.is_running else not self.save.isVisible():
            self.refresh()
        else:
            self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        trial = self._session.analyses.comparison.current
        is_shown = trial is not None and not trial.is_away
        self.setVisible(is_shown)
        self.shown.emit(is_shown)
        if trial is None or not is_shown:
            return
        n, done = len(trial.entries), trial.n_judged
        self.set_facts(f"{counted(n, 'learner')} · {trial.method.described()} · seed {trial.seed}")
        self.save.setVisible(not trial.is_running)  # before the one that goes: the keys go on to what is there then
        at_work = self._session.analyses.comparison.at_work
        self.skip.setVisible(at_work is not None and not trial.all_are_judged)
        if at_work is not None:
            self.skip.setToolTip(f"Skip {at_work.learner.summary()}")
        self.table.show_trial(trial, self._session.current_run)
        run = None if trial.is_running else self._opened
        self.open.setVisible(run is not None)
        self.predict.setVisible(run is not None and run.trained is not None)
        is_by_cost = run is not None and self._session.analyses.comparison.has_rule_by_rank(run)
        set_caption(self.predict, PREDICT_BY_COST if is_by_cost else PREDICT_NEW_DATA)
        set_caption(self.open, "" if run is None else f"Open run {run.number}")
        if trial.is_running and trial.all_are_judged:
            self._say(f"{done} of {n} tested", "The last model is being trained on all records.")
        elif trial.is_running:
            self._say(f"{done} of {n} tested", "All are tested on the same folds.")
        elif trial.ranking is None:
            self._say("No learner was tested", "")
        else:
            words = in_words(trial.ranking)
            self._show_tests(trial.ranking)
            self._say(words.headline, " ".join(self._doubts(trial)), " ".join(words.sentences), words.caveat)
        self.failure.show_failure("" if trial.is_running else trial.unfinished, "Resume", is_stop=trial.was_stopped)
        self.failure.again.setVisible(trial.can_resume)
        self._offer([] if trial.is_running else offered(trial, self._session.positive_label))

    def _show_tests(self, ranking: Ranking) -> None:
        rows = test_rows(ranking)
        show_text(self._of_tests, test_words(ranking))
        self.tests.show_rows(rows)
        self.tests.setVisible(len(rows) > 1)
        self.tests.setFixedHeight(self.tests.content_height())

    def _resume(self) -> None:
        try:
            self._session.analyses.comparison.start_again()
        except CoppiceError as error:
            self._session.messages.error(error)

    def _offer(self, learners: Sequence[OfferedLearner]) -> None:
        for card, learner in zip_longest(self.cards, learners):
            card.offer(learner, self._session.recipe)

    def _doubts(self, trial: Trial) -> list[str]:
        doubts: list[str] = []
        left = [entry for entry in trial.entries if entry.run.state is RunState.STOPPED and entry.run.message]
        doubts += [f"{entry.name}: {entry.run.message}" for entry in left]
        run = trial.entries[0].run
        changed = changed_since(run, self._session.data, self._session.recipe)
        doubts += [changed] if changed else []
        return doubts

    def _say(self, headline: str, doubts: str, sentences: str = "", caveat: str = "") -> None:
        texts = (headline, doubts, sentences, caveat)
        for words, text in zip((self.headline, self.doubts, self.sentences, self.caveat), texts, strict=True):
            show_text(words, text)
        self.details.setVisible(bool(sentences))
