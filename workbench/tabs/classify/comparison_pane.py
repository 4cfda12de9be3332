"""Pane of the compared learners: summary, and the ranking with confidence intervals."""

from __future__ import annotations

from math import ceil
from typing import Final

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
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from algorithms.evaluation.compare.ranking import in_words
from algorithms.text.sentences import counted
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.learner_comparison import Trial
from workbench.session.runs import Run, RunState, changed_since
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.tabs.classify.comparison_model import (
    ROW_ROLE,
    SCALE_ROLE,
    ComparisonColumn,
    ComparisonRow,
    LearnerComparisonModel,
    alignment,
    beside,
    name,
)
from workbench.viewers.charts.export import Drawing, Export, Exported, Table, blank_picture
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import WholeLabel
from workbench.widgets.layouts import column_layout, named
from workbench.widgets.painting import saved
from workbench.widgets.panes import HighScrollArea, Pane
from workbench.widgets.tables import Index, set_row_height, show_as_list

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
        self._inside = inside = QWidget()
        inside.setProperty("part", "clear")
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
