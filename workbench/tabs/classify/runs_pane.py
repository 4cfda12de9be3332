"""Run list: the table of all runs and the pane around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from math import ceil
from typing import Final, cast

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPalette,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from workbench.jobs.ui_scheduling import single_shot
from workbench.session.decision_rules import OPTIMISTIC_MARK
from workbench.session.learner_comparison import FEWEST
from workbench.session.runs import Run, RunState
from workbench.session.saving import NEW_DATA, PREDICT_NEW_DATA, SAVE_TEST_PREDICTIONS, TEST_PREDICTIONS
from workbench.session.session import Session
from workbench.style.motion import Pieces, Reordering
from workbench.style.theme import current_theme, themes
from workbench.tabs.classify.runs_model import (
    DOUBTS_ROLE,
    HEADERS,
    LINES_ROLE,
    NOW_ROLE,
    RUN_ROLE,
    RunsColumn,
    RunsModel,
    RunsProxyModel,
    is_over_without_result,
    now_sentence,
    sentence,
    workings,
)
from workbench.widgets.buttons import PaneButton
from workbench.widgets.dialogs import show_popover, workings_html, workings_text
from workbench.widgets.examples import FaintExample
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import ElidedLabel, TermHeader, elided_at_end, label
from workbench.widgets.layouts import add_items, named
from workbench.widgets.painting import pen_and_brush, saved
from workbench.widgets.panes import Pane
from workbench.widgets.tables import Index, show_as_list

LINE_HEIGHT: Final = 18
PADDING: Final = 6
NAME, BELOW = 13, 11.5
"""Font sizes of a name and of the lines below."""
NOT_BEFORE_A_NUMBER: Final = re.compile(r" (?!\d+$)")
"""Spaces at which a text may break: not before a final number."""
MOST_LINES: Final = 2


class RunDelegate(QStyledItemDelegate):
    """Paints a figure with dim lines below; a bar marks the current run."""

    def __init__(self, session: Session, table: QTableView) -> None:
        super().__init__(table)
        self._session, self._table = session, table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, run, column = current_theme(), cast(Run, index.data(RUN_ROLE)), index.column()
        area, is_name, is_current = option.rect, column == RunsColumn.LEARNER, run is self._session.current_run
        with saved(painter):
            if option.state & QStyle.StateFlag.State_Selected:
                painter.fillRect(area, theme.color("accent_soft"))
            painter.setPen(theme.color("line"))
            painter.drawLine(area.bottomLeft(), area.bottomRight())
            if is_current and is_name:
                painter.fillRect(QRect(area.left(), area.top() + 6, 3, area.height() - 12), theme.color("accent"))
            inner = area.adjusted(PADDING, 5, -PADDING, -5)
            side = Qt.AlignmentFlag.AlignLeft if is_name else Qt.AlignmentFlag.AlignRight
            below, doubts = self._below(index, inner.width()), index.data(DOUBTS_ROLE) or []
            names = lines_of(str(index.data()), NAME, inner.width()) if is_name else [str(index.data())]
            in_doubt, now = doubts if is_name else [], self._now(index, inner.width())
            is_doubted = bool(doubts) and column == RunsColumn.RIGHT
            failed = run.state is RunState.FAILED and column == RunsColumn.RIGHT
            line = themes.px(LINE_HEIGHT)
            top = inner.top() + (inner.height() - line * (len(names) + len(below) + len(now) + len(in_doubt))) // 2
            place = QRect(inner.left(), top, inner.width(), line)
            font = themes.font(NAME)
            is_pointed = bool(option.state & QStyle.StateFlag.State_MouseOver)
            font.setUnderline(is_pointed and is_current and bool(workings(run, RunsColumn(column), self._session)))
            painter.setFont(font)
            first = "dim" if is_over_without_result(run) else "warning" if is_doubted else "text"
            for texts, color in ((names, first), (below, "bad" if failed else "dim"), (now, "accent")):
                for text in texts:
                    _write(painter, place, text, side, theme.color(color))
                    place.translate(0, line)
                painter.setFont(themes.font(BELOW))
            for text in in_doubt:
                _write_doubt(painter, place, text)
                place.translate(0, line)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        first = index.model().index(index.row(), RunsColumn.LEARNER)
        width = self._table.columnWidth(RunsColumn.LEARNER) - 2 * PADDING
        names, doubts = lines_of(str(first.data()), NAME, width), first.data(DOUBTS_ROLE) or []
        n_lines = sum(map(len, (names, self._below(first, width), self._now(first, width), doubts)))
        return QSize(40, themes.px(LINE_HEIGHT) * n_lines + 2 * PADDING)

    def _below(self, index: Index, width: int) -> list[str]:
        """The lines of small text below a run's name, wrapped to ``width``, or below a number, not wrapped."""
        lines = index.data(LINES_ROLE) or []
        if index.column() != RunsColumn.LEARNER:
            return list(lines)
        return [line for text in lines for line in lines_of(text, BELOW, width)]

    def _now(self, index: Index, width: int) -> list[str]:
        """The figure under a rule of the user, below all others."""
        now = str(index.data(NOW_ROLE) or "")
        return [] if not now else lines_of(now, BELOW, width) if index.column() == RunsColumn.LEARNER else [now]


def lines_of(text: str, size: float, width: int) -> list[str]:
    """A text wrapped between words to ``width`` pixels."""
    metrics = QFontMetricsF(themes.font(size))
    lines: list[str] = []
    for word in NOT_BEFORE_A_NUMBER.split(text):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and (len(lines) == MOST_LINES or metrics.horizontalAdvance(longer) <= width):
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _write_doubt(painter: QPainter, area: QRect, text: str) -> None:
    color, size = current_theme().color("warning"), themes.px(10)
    box = QRectF(area.left(), area.center().y() - size / 2 + 1, size, size)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen_and_brush(painter, Qt.PenStyle.NoPen, color)
        painter.drawPolygon(QPolygonF([QPointF(box.center().x(), box.top()), box.bottomRight(), box.bottomLeft()]))
        painter.setPen(QPen(current_theme().color("pane"), size / 8))
        x = box.center().x()
        painter.drawLine(QPointF(x, box.top() + 0.35 * size), QPointF(x, box.top() + 0.66 * size))
        painter.drawPoint(QPointF(x, box.top() + 0.84 * size))
    _write(painter, area.adjusted(size + 4, 0, 0, 0), text, Qt.AlignmentFlag.AlignLeft, color)


def _write(painter: QPainter, area: QRect, text: str, side: Qt.AlignmentFlag, color: QColor) -> None:
    painter.setPen(color)
    shown = elided_at_end(painter.fontMetrics(), text, area.width())
    painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, shown)


ScrollHint = QAbstractItemView.ScrollHint


class RunsTable(QTableView):
    """Enter makes a run current, Delete removes it, = opens a figure, Ctrl+C copies the rows."""

    bring_back = Signal()
    remove = Signal()
    working_asked = Signal(QModelIndex)
    """Asks for the formula of a figure of the current run, by click or key."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._pressed_run: object = None
        self._wait = single_shot(self, 0, self._ask_if_still_here)
        self.clicked.connect(self._clicked)
        # how far it scrolls is known only once all rows have their heights
        self._back_in_sight = single_shot(self, 0, self._come_back_in_sight)
        self._grown = 0
        self._is_wanted = False
        self.verticalHeader().sectionResized.connect(self._row_resized)

    def resize_rows(self, column: int) -> None:
        if column == RunsColumn.LEARNER:
            self.verticalHeader().resizeSections(QHeaderView.ResizeMode.ResizeToContents)

    def bring_into_sight(self) -> None:
        """Scrolls to the selected row once the table is laid out and visible."""
        self._is_wanted = True
        self._back_in_sight.start()

    def updateGeometries(self) -> None:
        """Let the end of the scroll bar begin with a whole row."""
        super().updateGeometries()
        rows, bar = self.verticalHeader(), self.verticalScrollBar()
        last = max(0, rows.length() - self.viewport().height())
        row = rows.logicalIndexAt(last - rows.offset())
        if last and row >= 0 and (start := rows.sectionPosition(row)) < last:
            bar.setMaximum(start + rows.sectionSize(row))
        self._begin_with_a_whole_row()

    def _begin_with_a_whole_row(self) -> None:
        """Once the room or the heights of rows changed, scroll back to the start of the row that is cut at the top.

        Where the row in view would leave the room at the bottom, it scrolls on to the next row instead.
        """
        bar, row = self.verticalScrollBar(), self.rowAt(0)
        top = self.rowViewportPosition(row) if row >= 0 else 0
        if top < 0:
            bottom, height = self.visualRect(self.currentIndex()).bottom(), self.viewport().height()
            is_kept = not 0 <= bottom < height <= bottom - top
            bar.setValue(bar.value() + top + (0 if is_kept else self.rowHeight(row)))

    def scrollTo(self, index: Index, hint: ScrollHint = ScrollHint.EnsureVisible) -> None:
        """Scroll on to a whole row at the top, unless the row asked for is there."""
        super().scrollTo(index, hint)
        row, bar = self.rowAt(0), self.verticalScrollBar()
        top = self.rowViewportPosition(row)
        if 0 <= row != index.row() and top < 0:
            bar.setValue(bar.value() + top + self.rowHeight(row))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_wanted:
            self._back_in_sight.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        bottom = self.visualRect(self.currentIndex()).bottom()
        if event.size().height() < bottom and bottom - self._grown <= event.oldSize().height():
            self.bring_into_sight()

    def _row_resized(self, row: int, before: int, now: int) -> None:
        if 0 < before < now and row <= self.currentIndex().row():
            self._grown += now - before
            self._back_in_sight.start()

    def _come_back_in_sight(self) -> None:
        """Keeps a selected row in view when rows grow."""
        if not self.isVisible():
            return
        index, grown, is_wanted = self.currentIndex(), self._grown, self._is_wanted
        self._grown, self._is_wanted = 0, False
        bottom = self.visualRect(index).bottom()
        if is_wanted or bottom - grown <= self.viewport().height() < bottom:
            self.scrollTo(index)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        was_in_view = self._session.current_run
        super().mousePressEvent(event)
        is_plain = event.button() is Qt.MouseButton.LeftButton and not event.modifiers()
        self._pressed_run = was_in_view if is_plain else None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pressed_run = None
        self._wait.stop()
        super().mouseDoubleClickEvent(event)

    def _clicked(self, index: QModelIndex) -> None:
        """Handles a click on a figure of the current run, unless it becomes a double click."""
        is_figure = index.column() != RunsColumn.LEARNER
        if is_figure and self._pressed_run is not None and index.data(RUN_ROLE) is self._pressed_run:
            self._wait.start(QGuiApplication.styleHints().mouseDoubleClickInterval())

    def _ask_if_still_here(self) -> None:
        """Opens the clicked figure, unless the user has moved on."""
        if self.hasFocus():
            self.ask()

    def ask(self) -> None:
        self.working_asked.emit(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.bring_back.emit()
        elif event.key() == Qt.Key.Key_Delete:
            self.remove.emit()
        elif event.text() == "=":
            self.ask()
        elif event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted(self.selectionModel().selectedRows(), key=lambda index: index.row())
            runs = [row.data(RUN_ROLE) for row in rows or [self.currentIndex()] if row.isValid()]
            if runs:
                QGuiApplication.clipboard().setText(
                    "\n\n".join(sentence(run, now_sentence(run, self._session)) for run in runs)
                )
        else:
            super().keyPressEvent(event)


AGAIN: Final = "Take over the learner, options and test method of this run (Enter or double click)"
COLUMN_WIDTHS = {RunsColumn.RIGHT: 80, RunsColumn.AUC: 72, RunsColumn.COST: 70, RunsColumn.TIME: 56}
NARROWEST_LEARNER = 190
COST_BY: Final = (
    "Cost per record follows each run's decision rule; “by cost” is least expected cost",
    "Cost follows each run's rule; “by cost” is least expected cost",
    "“by cost” is least expected cost",
)
ACCURACY_BY: Final = ("Accuracy by the default decision rule, with its 95% CI", "Accuracy by default, with its 95% CI")
MARKED: Final = f"{OPTIMISTIC_MARK} is optimistic: the same records chose the threshold"
"""What the last line of figures is, in words above the table, which so does not move when costs are set."""


class RunsPane(Pane):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Runs", parent=parent)
        self.explain("Every run with its settings, test method and accuracy")
        self._session = session
        self._in_view: Run | None = None
        self._is_following = False
        self.model = RunsModel(session)
        self._order = RunsProxyModel(self)
        self._order.setSourceModel(self.model)
        self.table = self._made_table()
        reordering = Reordering(self.table.viewport(), self._rows_in_view)
        self._order.layoutAboutToBeChanged.connect(lambda *_: reordering.begin())
        self._order.layoutChanged.connect(lambda *_: reordering.end())
        self._empty = label("Every run is listed here with its settings and accuracy.", "dim", wrap=True)
        self._cost_by = named(ElidedLabel("", "small"), "ledger.cost-by")
        self._example = FaintExample("runs")
        add_items(self.body, self._empty, self._example, self._cost_by, (self.table, 1), 0)
        self._note_head = ElidedLabel("", "small")
        self.more = PaneButton("more", "Settings, formulas, removal", "ledger.more", plain=True)
        self.more.clicked.connect(lambda: self._popup_menu(self.more.mapToGlobal(self.more.rect().bottomLeft())))
        self.add_action(self.more)
        self.note = named(QPlainTextEdit(), "ledger.note", "Note on this run")
        self.note.setPlaceholderText("A note on this run…")
        self.note.setTabChangesFocus(True)
        self.note.textChanged.connect(self._noted)
        add_items(self.body, self._note_head, self.note)
        for signal in (
            session.runs_changed,
            session.current_run_changed,
            session.costs_changed,
            session.decisions.reports.changed,
            session.analyses.comparison.changed,
        ):
            signal.connect(self._later)
        themes.follow_now(self._measure)
        self.refresh()

    def _rows_in_view(self) -> Pieces:
        """The places of the rows in view by their runs."""
        view, rows = self.table.viewport().rect(), range(self._order.rowCount())
        places = {row: (self.table.rowViewportPosition(row), self.table.rowHeight(row)) for row in rows}
        boxes = {row: QRect(0, top, view.width(), high) for row, (top, high) in places.items()}
        return {
            self._order.index(row, 0).data(RUN_ROLE).number: box for row, box in boxes.items() if box.intersects(view)
        }

    def _chosen_rows(self) -> list[Run]:
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self._order.index(row, 0).data(RUN_ROLE) for row in rows]

    def _meant(self) -> list[Run]:
        """The runs to compare: the selected ones, or with fewer than two all with the same tests."""
        return self._chosen_judged() or self._session.analyses.compared.usual()

    def _chosen_judged(self) -> list[Run]:
        chosen = [run for run in self._chosen_rows() if run.report is not None]
        return chosen if len(chosen) >= FEWEST else []

    def _compare(self) -> None:
        self._session.analyses.compared.ask(self._chosen_judged() or None)

    def _compare_words(self) -> str:
        """What the menu compares: all runs, those selected, or those with the same tests; empty if too few."""
        meant, judged = self._meant(), self._session.analyses.compared.judged
        if len(meant) < FEWEST:
            return ""
        if len(meant) == len(judged):
            return "Compare both" if len(judged) == FEWEST else f"Compare all {len(meant)}"
        return f"Compare these {len(meant)}" if self._chosen_judged() else f"Compare {len(meant)} of {len(judged)}"

    @property
    def chosen(self) -> Run | None:
        run = self.table.currentIndex().data(RUN_ROLE)
        return run if isinstance(run, Run) else None

    def _later(self) -> None:
        self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        was_following, self._is_following = self._is_following, True
        try:
            self._follow()
        finally:
            self._is_following = was_following

    def _follow(self) -> None:
        self.model.refresh()
        runs = self._session.runs
        words, to_come = f"{len(runs):,}" if runs else "", self._session.analyses.comparison.n_to_come
        self.set_facts(*(f"{words}, {to_come} to come", words) if words and to_come else (words,))
        self._fit_costs()
        set_visible(not runs, self._empty, self._example)
        self.table.setVisible(bool(runs))
        self._hide_columns()
        run = self._session.current_run
        if run is not self._in_view or self.chosen is None:
            self._in_view = run
            self._choose(run)
        self._show_note()
        self.more.setVisible(self.chosen is not None)
        self.table.viewport().update()

    def _choose(self, run: Run | None) -> None:
        row = -1 if run is None else self.model.row_of(run)
        if row < 0:
            self.table.clearSelection()
            self.table.setCurrentIndex(QModelIndex())
        elif self.chosen is not run:
            index = self._order.mapFromSource(self.model.index(row, 0))
            rows = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(index, rows)
            self.table.bring_into_sight()

    def _row_changed(self) -> None:
        run = self.chosen
        if run is not None and not self._is_following:
            self._session.set_current_run(run)
        self._show_note()

    def _bring_back(self) -> None:
        run = self.chosen
        if run is not None:
            self._session.bring_back(run)

    def _open_working(self, index: QModelIndex) -> None:
        """Opens the formula of a figure, or of the accuracy from the learner's name."""
        run = self.chosen
        if run is None:
            return
        column = RunsColumn(index.column()) if index.column() != RunsColumn.LEARNER else RunsColumn.RIGHT
        formulas = workings(run, column, self._session)
        if formulas:
            place = self.table.visualRect(index.siblingAtColumn(column))
            show_popover(workings_text(formulas), self.table.viewport(), workings_html(formulas), place)

    def _remove(self) -> None:
        run, chosen = self.chosen, self._chosen_rows()
        if len(chosen) >= FEWEST:
            self._session.remove_runs(*chosen)
        elif run is not None:
            self._session.remove_runs(run)

    def _show_note(self) -> None:
        run = self.chosen
        set_visible(run is not None, self._note_head, self.note)
        if run is None:
            return
        self._note_head.setText(f"Note on run {run.number}, {run.learner.name}")
        if self.note.toPlainText() != run.note:
            with QSignalBlocker(self.note):
                self.note.setPlainText(run.note)

    def _noted(self) -> None:
        run = self.chosen
        if run is not None:
            self._session.ledger.set_note(run, self.note.toPlainText())

    def _made_table(self) -> RunsTable:
        table = named(RunsTable(self._session), "ledger", "Runs")
        table.setHorizontalHeader(TermHeader(table))
        table.setModel(self._order)
        table.setItemDelegate(RunDelegate(self._session, table))
        table.setSortingEnabled(True)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(
            lambda position: self._popup_menu(table.viewport().mapToGlobal(position))
        )
        header = show_as_list(table, several=True)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(RunsColumn.LEARNER, QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(table.resize_rows)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        table.bring_back.connect(self._bring_back)
        table.remove.connect(self._remove)
        table.working_asked.connect(self._open_working)
        table.doubleClicked.connect(lambda _index: self._bring_back())
        table.selectionModel().currentRowChanged.connect(lambda _now, _before: self._row_changed())
        return table

    def _measure(self) -> None:
        self.table.verticalHeader().setMinimumSectionSize(themes.px(LINE_HEIGHT))
        for column, width in COLUMN_WIDTHS.items():
            self.table.horizontalHeader().resizeSection(column, themes.px(width))
        self._fit_costs()
        self.note.setFixedHeight(themes.px(58))
        palette = self.table.palette()
        palette.setColor(QPalette.ColorRole.Highlight, QColor(current_theme().accent_soft))
        self.table.setPalette(palette)

    def _fit_costs(self) -> None:
        of_cost, of_least = QFontMetricsF(themes.font(NAME)), QFontMetricsF(themes.font(BELOW))
        indexes = [self.model.index(row, RunsColumn.COST) for row in range(self.model.rowCount())]
        widths = [of_cost.horizontalAdvance(str(index.data())) for index in indexes]
        widths += [of_least.horizontalAdvance(line) for index in indexes for line in index.data(LINES_ROLE)]
        width = max(themes.px(COLUMN_WIDTHS[RunsColumn.COST]), ceil(max(widths, default=0.0)) + 2 * PADDING + 2)
        self.table.horizontalHeader().resizeSection(RunsColumn.COST, width)

    def _hide_columns(self) -> None:
        """Hides the costs without any; time, then AUC, give way to name and costs."""
        has_costs = self._session.costs is not None
        shown = [c for c in COLUMN_WIDTHS if c is not RunsColumn.COST or has_costs]
        room = self.table.width() - sum(themes.px(COLUMN_WIDTHS[c]) for c in shown) - themes.px(NARROWEST_LEARNER)
        self.table.setColumnHidden(RunsColumn.COST, not has_costs)
        words = COST_BY if has_costs else ACCURACY_BY
        if any(map(self._session.decisions.mark_of, self._session.runs)):
            words = (f"{words[1]}. {MARKED}", MARKED)
        self._cost_by.set_wordings(*words)
        self._cost_by.set_note(HEADERS[RunsColumn.COST if has_costs else RunsColumn.RIGHT][1])
        self._cost_by.setVisible(self.model.rowCount() > 0)
        self.table.setColumnHidden(RunsColumn.TIME, room < 0)
        self.table.setColumnHidden(RunsColumn.AUC, has_costs and room + themes.px(COLUMN_WIDTHS[RunsColumn.TIME]) < 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_columns()

    def _popup_menu(self, place: QPoint) -> None:
        if self.chosen is None:
            return
        menu, n_rows = named(QMenu(self), "ledger.menu"), len(self._chosen_rows())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        entries: list[tuple[str, str, str, Callable[[], object]]] = []
        if compare := self._compare_words():
            tip = "Compare the accuracy of these runs with a significance test"
            entries.append(("compare", compare, tip, self._compare))
        if n_rows < FEWEST:
            entries.append(("again", "Use its settings", AGAIN, self._bring_back))
            if (run := self.chosen) is not None and run.trained is not None:
                predict = partial(self._session.saving_asked.emit, "file")
                entries.append(("predict", PREDICT_NEW_DATA, NEW_DATA, predict))
            if run is not None and run.result is not None:
                save = partial(self._session.saving_asked.emit, "predictions")
                entries.append(("predictions", SAVE_TEST_PREDICTIONS, TEST_PREDICTIONS, save))
            entries.append(("formulas", "Show formulas", "The formula of the accuracy with its values", self.table.ask))
        remove = "Remove" if n_rows < FEWEST else f"Remove these {n_rows}"
        entries.append(("remove", remove, "Remove from the runs; can be undone (Delete)", self._remove))
        for name, words, tip, act in entries:
            action = menu.addAction(words, act)
            action.setObjectName(f"ledger.{name}")
            action.setToolTip(tip)
        menu.popup(place)
