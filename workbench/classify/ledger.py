"""The ledger: every run in a row, sortable, with a note; choosing a row shows its run, Enter also sets its options."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPalette,
    QPen,
    QPolygonF,
    QResizeEvent,
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

from workbench.classify.ledger_model import (
    DOUBTS_ROLE,
    LINES_ROLE,
    RUN_ROLE,
    Column,
    LedgerModel,
    LedgerOrder,
    is_over_without_result,
    sentence,
    workings,
)
from workbench.parts import ElidedLabel, Pane, label, quiet_button
from workbench.parts.help_pages import meaning
from workbench.parts.popover import show_popover
from workbench.parts.workings import workings_html, workings_text
from workbench.runs import Run, RunState
from workbench.session import Session
from workbench.theme import current_theme, themes
from workbench.wording import counted

Index = QModelIndex | QPersistentModelIndex
LINE_HEIGHT = 18
COLUMN_WIDTHS = {Column.RIGHT: 80, Column.AUC: 52, Column.COST: 52, Column.TIME: 56}
NARROWEST_LEARNER = 136
PADDING = 6


class RunDelegate(QStyledItemDelegate):
    """Each cell a figure, and dim below it what it rests on; a bar marks the run in view."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, run = current_theme(), cast(Run, index.data(RUN_ROLE))
        area, state = option.rect, option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("accent_soft"))
        painter.setPen(theme.color("line"))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if run is self._session.current_run and index.column() == Column.LEARNER:
            painter.fillRect(QRect(area.left(), area.top() + 6, 3, area.height() - 12), theme.color("accent"))
        inner = area.adjusted(PADDING, 5, -PADDING, -5)
        side = Qt.AlignmentFlag.AlignLeft if index.column() == Column.LEARNER else Qt.AlignmentFlag.AlignRight
        below, doubts = index.data(LINES_ROLE) or [], index.data(DOUBTS_ROLE) or []
        in_doubt = doubts if index.column() == Column.LEARNER else []
        line = themes.px(LINE_HEIGHT)
        top = inner.top() + (inner.height() - line * (1 + len(below) + len(in_doubt))) // 2
        painter.setFont(themes.font(13))
        is_doubted = bool(doubts) and index.column() == Column.RIGHT
        color = theme.color("dim" if is_over_without_result(run) else "warning" if is_doubted else "text")
        if run is self._session.current_run and workings(run, Column(index.column()), self._session):
            font = painter.font()
            font.setUnderline(True)
            painter.setFont(font)
        _write(painter, QRect(inner.left(), top, inner.width(), line), str(index.data()), side, color)
        failed = run.state is RunState.FAILED and index.column() == Column.RIGHT
        painter.setFont(themes.font(11.5))
        for i, text in enumerate(below, start=1):
            place = QRect(inner.left(), top + i * line, inner.width(), line)
            _write(painter, place, text, side, theme.color("bad" if failed else "dim"))
        for i, text in enumerate(in_doubt, start=1 + len(below)):
            _write_doubt(painter, QRect(inner.left(), top + i * line, inner.width(), line), text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        first = index.model().index(index.row(), Column.LEARNER)
        lines = 1 + len(first.data(LINES_ROLE) or []) + len(first.data(DOUBTS_ROLE) or [])
        return QSize(40, themes.px(LINE_HEIGHT) * lines + 2 * PADDING)


class LedgerTable(QTableView):
    """The table: Enter brings a run back, Delete removes it, = opens the figure, Ctrl+C copies the row as text."""

    bring_back = Signal()
    remove = Signal()
    working_asked = Signal(QModelIndex)
    """Of a figure of the run in view: clicked once, or by its key."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._pressed_run: object = None
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.timeout.connect(self._ask_if_still_here)
        self.clicked.connect(self._clicked)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        was_in_view = self._session.current_run
        super().mousePressEvent(event)
        self._pressed_run = was_in_view if event.button() is Qt.MouseButton.LeftButton else None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pressed_run = None
        self._wait.stop()
        super().mouseDoubleClickEvent(event)

    def _clicked(self, index: QModelIndex) -> None:
        """A click on a figure of the row that was already in view, unless it becomes a double click."""
        is_figure = index.column() != Column.LEARNER
        if is_figure and self._pressed_run is not None and index.data(RUN_ROLE) is self._pressed_run:
            self._wait.start(QGuiApplication.styleHints().mouseDoubleClickInterval())

    def _ask_if_still_here(self) -> None:
        """Open the clicked figure, unless the person has gone elsewhere meanwhile."""
        if self.hasFocus():
            self.ask()

    def ask(self) -> None:
        """Open the current figure."""
        self.working_asked.emit(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.bring_back.emit()
        elif event.key() == Qt.Key.Key_Delete:
            self.remove.emit()
        elif event.text() == "=":
            self.ask()
        elif event.matches(QKeySequence.StandardKey.Copy):
            run = self.currentIndex().data(RUN_ROLE)
            if isinstance(run, Run):
                QGuiApplication.clipboard().setText(sentence(run))
        else:
            super().keyPressEvent(event)


class Ledger(Pane):
    """The runs of the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Ledger", parent=parent)
        self.explain(meaning("ledger"))
        self._session = session
        self._in_view: Run | None = None
        self._is_following = False
        self.model = LedgerModel(session)
        self._order = LedgerOrder(self)
        self._order.setSourceModel(self.model)
        self.table = self._made_table()
        self._empty = label("Every run is kept here: how it was done and how well it did.", "dim", wrap=True)
        self.body.addWidget(self._empty)
        self.body.addWidget(self.table, 1)
        self.body.addStretch(0)
        self._note_head = ElidedLabel("", "small")
        self.remove_button = quiet_button("Remove", "ledger.remove", "Take this run out of the ledger", self._remove)
        self.again_button = quiet_button(
            "Set up again",
            "ledger.again",
            "Set learner, options and method in Classify as they were for this run (Enter, or a double click)",
            self._bring_back,
        )
        self.heading.addWidget(self.again_button)
        self.heading.addWidget(self.remove_button)
        self.note = QPlainTextEdit()
        self.note.setObjectName("ledger.note")
        self.note.setAccessibleName("Note on this run")
        self.note.setPlaceholderText("A note on this run…")
        self.note.setTabChangesFocus(True)
        self.note.textChanged.connect(self._noted)
        self.body.addWidget(self._note_head)
        self.body.addWidget(self.note)
        for signal in (
            session.runs_changed,
            session.current_run_changed,
            session.costs_changed,
            session.trials.changed,
        ):
            signal.connect(self._later)
        themes.follow(self._measure)
        self._measure()
        self.refresh()

    @property
    def chosen(self) -> Run | None:
        """The run of the chosen row."""
        run = self.table.currentIndex().data(RUN_ROLE)
        return run if isinstance(run, Run) else None

    def _later(self) -> None:
        self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        """Follow the session's runs; a run that comes into view is chosen."""
        was_following, self._is_following = self._is_following, True
        try:
            self._follow()
        finally:
            self._is_following = was_following

    def _follow(self) -> None:
        self.model.refresh()
        runs = self._session.runs
        words, to_come = counted(len(runs), "run") if runs else "", self._session.trials.n_to_come
        self.set_facts(*(f"{words}, {to_come} to come", words) if words and to_come else (words,))
        self._empty.setVisible(not runs)
        self.table.setVisible(bool(runs))
        self._hide_columns()
        run = self._session.current_run
        if run is not self._in_view or self.chosen is None:
            self._in_view = run
            self._choose(run)
        self._show_note()
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
            self.table.scrollTo(index)

    def _row_changed(self) -> None:
        """A row that a person goes to is the run in view, everywhere."""
        run = self.chosen
        if run is not None and not self._is_following:
            self._session.set_current_run(run)
        self._show_note()

    def _bring_back(self) -> None:
        run = self.chosen
        if run is not None:
            self._session.bring_back(run)

    def _open_working(self, index: QModelIndex) -> None:
        """Open a figure to its formula; from the learner's name, the accuracy."""
        run = self.chosen
        if run is None:
            return
        column = Column(index.column()) if index.column() != Column.LEARNER else Column.RIGHT
        found = workings(run, column, self._session)
        if found:
            place = self.table.visualRect(index.siblingAtColumn(column))
            show_popover(workings_text(found), self.table.viewport(), workings_html(found), place)

    def _remove(self) -> None:
        run = self.chosen
        if run is not None:
            self._session.remove_run(run)

    def _show_note(self) -> None:
        run = self.chosen
        for widget in (self._note_head, self.note, self.remove_button, self.again_button):
            widget.setVisible(run is not None)
        if run is None:
            return
        self._note_head.setText(f"Note on run {run.number}, {run.learner.name}")
        if self.note.toPlainText() != run.note:
            self.note.blockSignals(True)
            self.note.setPlainText(run.note)
            self.note.blockSignals(False)

    def _noted(self) -> None:
        run = self.chosen
        if run is not None:
            self._session.set_note(run, self.note.toPlainText())

    # ---- the table -------------------------------------------------------------------------------------------------

    def _made_table(self) -> LedgerTable:
        table = LedgerTable(self._session)
        table.setObjectName("ledger")
        table.setAccessibleName("Ledger of runs")
        table.setModel(self._order)
        table.setItemDelegate(RunDelegate(self._session, table))
        table.setSortingEnabled(True)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._menu)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(Column.LEARNER, QHeaderView.ResizeMode.Stretch)
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
        self.note.setFixedHeight(themes.px(58))
        palette = self.table.palette()
        palette.setColor(QPalette.ColorRole.Highlight, QColor(current_theme().accent_soft))
        self.table.setPalette(palette)

    def _hide_columns(self) -> None:
        """Costs stand only where there are any; for the learner's name the time makes room, then the AUC for costs."""
        has_costs = self._session.costs is not None
        shown = [c for c in COLUMN_WIDTHS if c is not Column.COST or has_costs]
        room = self.table.width() - sum(themes.px(COLUMN_WIDTHS[c]) for c in shown) - themes.px(NARROWEST_LEARNER)
        self.table.setColumnHidden(Column.COST, not has_costs)
        self.table.setColumnHidden(Column.TIME, room < 0)
        self.table.setColumnHidden(Column.AUC, has_costs and room + themes.px(COLUMN_WIDTHS[Column.TIME]) < 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_columns()

    def _menu(self, at: QPoint) -> None:
        if self.chosen is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asked = ("How its numbers come about", self.table.ask)
        for text, act in (("Set up again", self._bring_back), asked, ("Remove", self._remove)):
            action = QAction(text, menu)
            action.triggered.connect(act)
            menu.addAction(action)
        menu.popup(self.table.viewport().mapToGlobal(at))


def _write_doubt(painter: QPainter, area: QRect, text: str) -> None:
    """A small triangle with a stroke in it, and the words."""
    color, size = current_theme().color("warning"), themes.px(10)
    box = QRectF(area.left(), area.center().y() - size / 2 + 1, size, size)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawPolygon(QPolygonF([QPointF(box.center().x(), box.top()), box.bottomRight(), box.bottomLeft()]))
    painter.setPen(QPen(current_theme().color("pane"), size / 8))
    x = box.center().x()
    painter.drawLine(QPointF(x, box.top() + 0.35 * size), QPointF(x, box.top() + 0.66 * size))
    painter.drawPoint(QPointF(x, box.top() + 0.84 * size))
    painter.restore()
    _write(painter, area.adjusted(size + 4, 0, 0, 0), text, Qt.AlignmentFlag.AlignLeft, color)


def _write(painter: QPainter, area: QRect, text: str, side: Qt.AlignmentFlag, color: QColor) -> None:
    painter.setPen(color)
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, shown)
