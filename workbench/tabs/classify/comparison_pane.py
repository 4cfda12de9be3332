"""Pane of the compared learners: summary, and the ranking with confidence intervals."""

from __future__ import annotations

from math import ceil
from typing import ClassVar, Final

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
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
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from algorithms.evaluation.compare.ranking import in_words
from algorithms.text.sentences import counted
from workbench.session.learner_comparison import Trial
from workbench.session.runs import Run, RunState, changed_since
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
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
from workbench.viewers.charts.export import Drawing, Export, Exported, Table, blank_picture
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import WholeLabel
from workbench.widgets.panes import HighScrollArea, Pane
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


SKIP_TIP = "Leave the learner that is at work and go on with the next"
FOLLOW_MS = 60


class ExportedRanking(Exported):
    """The ranking as a picture, a drawing or a table."""

    name: ClassVar[str] = "several"
    title: ClassVar[str] = "Learners tried"

    def __init__(self, table: LearnerComparisonTable) -> None:
        self._table = table

    def picture(self) -> QImage:
        image = blank_picture(self._table.size())
        painter = QPainter(image)
        self._paint(painter)
        painter.end()
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
    """Shows the session's trial; out of sight where there is none, or where a person has put it away."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Several tried", parent=parent)
        self._session = session
        self.setObjectName("classify.several")
        self.headline = WholeLabel("", "heading")
        self.headline.setObjectName("classify.several.headline")
        self.sentences = WholeLabel()
        self.sentences.setObjectName("classify.several.sentences")
        self.table = LearnerComparisonTable()
        self._inside = inside = QWidget()
        inside.setProperty("part", "clear")
        self._area = HighScrollArea(inside)
        self.caveat = WholeLabel("", "small")
        self.caveat.setObjectName("classify.several.caveat")
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
        for button in (self.skip, self.stop, self.save, self.close_button):
            self.add_action(button)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_2)
        for part in (self.headline, self.table, self.sentences, self.caveat):
            column.addWidget(part)
        column.addStretch(1)
        self.body.addWidget(self._area)
        self.table.row_chosen.connect(self._choose)
        self.table.row_reached.connect(lambda area: self._area.ensureVisible(0, self._down_to(area), 0, area.height()))
        for signal in (
            session.analyses.comparison.changed,
            session.runs_changed,
            session.current_run_changed,
            session.data_changed,
            session.recipe_changed,
        ):
            signal.connect(self._follow)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FOLLOW_MS)
        self._timer.timeout.connect(self.refresh)
        self.refresh()

    def _down_to(self, area: QRect) -> int:
        """How far down in what scrolls the middle of an area of the table's rows is."""
        return self.table.viewport().mapTo(self._inside, area.center()).y()

    def _follow(self) -> None:
        """Be brought up to date soon; while folds come in one after the other, still every now and then.

        Where it comes into sight that is at once, so that the keys go on to it from the button that asked for it."""
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
        """Show the trial as it is now."""
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
        """What speaks against reading the ranking as it stands."""
        found = [trial.unfinished] if trial.unfinished else []
        left = [entry for entry in trial.entries if entry.run.state is RunState.STOPPED and entry.run.message]
        found += [f"{entry.name}: {entry.run.message}" for entry in left]
        run = trial.entries[0].run
        changed = changed_since(run, self._session.data, self._session.recipe)
        found += [changed] if changed else []
        return found

    def _say(self, headline: str, sentences: str, caveat: str) -> None:
        for words, text in ((self.headline, headline), (self.sentences, sentences), (self.caveat, caveat)):
            words.setText(text)
            words.setVisible(bool(text))

    def _choose(self, row: ComparisonRow) -> None:
        self._session.analyses.comparison.show(row.entry)

    def _stop(self) -> None:
        trial = self._session.analyses.comparison.current
        if trial is not None and trial.job is not None:
            trial.job.stop()
