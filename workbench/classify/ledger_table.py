"""The table of the ledger: its keys, clicks on its figures, and the chosen row, which stays in sight."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from workbench.classify.ledger_model import RUN_ROLE, Column, now_sentence, sentence
from workbench.session import Session


class LedgerTable(QTableView):
    """The table: Enter brings a run back, Delete removes it, = opens the figure, Ctrl+C copies the rows as text."""

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
        self._back_in_sight = QTimer(self)
        self._back_in_sight.setSingleShot(True)
        self._back_in_sight.setInterval(0)  # how far it scrolls is known only once all rows have their heights
        self._back_in_sight.timeout.connect(self._come_back_in_sight)
        self._grown = 0
        self._is_wanted = False
        self.verticalHeader().sectionResized.connect(self._row_resized)

    def bring_into_sight(self) -> None:
        """Scroll to the chosen row once its place is known, and it is seen."""
        self._is_wanted = True
        self._back_in_sight.start()

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
        """What rows come to say may not push the chosen one out of sight that was seen whole."""
        if not self.isVisible():
            return
        at, grown, is_wanted = self.currentIndex(), self._grown, self._is_wanted
        self._grown, self._is_wanted = 0, False
        bottom = self.visualRect(at).bottom()
        if is_wanted or bottom - grown <= self.viewport().height() < bottom:
            self.scrollTo(at)

    def resize_rows(self, column: int) -> None:
        """Names stand on as many lines as they need, which hangs on the width of their column."""
        if column == Column.LEARNER:
            self.verticalHeader().resizeSections(QHeaderView.ResizeMode.ResizeToContents)

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
            rows = sorted(self.selectionModel().selectedRows(), key=lambda index: index.row())
            runs = [row.data(RUN_ROLE) for row in rows or [self.currentIndex()] if row.isValid()]
            if runs:
                QGuiApplication.clipboard().setText(
                    "\n\n".join(sentence(run, now_sentence(run, self._session)) for run in runs)
                )
        else:
            super().keyPressEvent(event)
