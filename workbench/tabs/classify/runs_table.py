"""The table of the ledger: its keys, clicks on its figures, and the chosen row, which stays in sight."""

from __future__ import annotations

import re
from typing import Final, cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from workbench.session.runs import Run, RunState
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.tabs.classify.runs_model import (
    DOUBTS_ROLE,
    LINES_ROLE,
    NOW_ROLE,
    RUN_ROLE,
    RunsColumn,
    is_over_without_result,
    now_sentence,
    sentence,
    workings,
)

Index = QModelIndex | QPersistentModelIndex
LINE_HEIGHT: Final = 18
PADDING: Final = 6
NAME, BELOW = 13, 11.5
"""Sizes of the letters of a name and of what stands below it."""
NOT_BEFORE_A_NUMBER: Final = re.compile(r" (?!\d+$)")
"""Where a text may be broken: a number at its end stays with the word that it is of."""
MOST_LINES: Final = 2
"""Of one text; what is longer is cut there."""


class RunDelegate(QStyledItemDelegate):
    """Each cell a figure, and dim below it what it rests on; a bar marks the run in view."""

    def __init__(self, session: Session, table: QTableView) -> None:
        super().__init__(table)
        self._session, self._table = session, table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, run = current_theme(), cast(Run, index.data(RUN_ROLE))
        area, state = option.rect, option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("accent_soft"))
        painter.setPen(theme.color("line"))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if run is self._session.current_run and index.column() == RunsColumn.LEARNER:
            painter.fillRect(QRect(area.left(), area.top() + 6, 3, area.height() - 12), theme.color("accent"))
        inner = area.adjusted(PADDING, 5, -PADDING, -5)
        side = Qt.AlignmentFlag.AlignLeft if index.column() == RunsColumn.LEARNER else Qt.AlignmentFlag.AlignRight
        is_name = index.column() == RunsColumn.LEARNER
        below, doubts = self._below(index, inner.width()), index.data(DOUBTS_ROLE) or []
        names = lines_of(str(index.data()), NAME, inner.width()) if is_name else [str(index.data())]
        in_doubt, now = doubts if is_name else [], self._now(index, inner.width())
        line = themes.px(LINE_HEIGHT)
        top = inner.top() + (inner.height() - line * (len(names) + len(below) + len(now) + len(in_doubt))) // 2
        painter.setFont(themes.font(NAME))
        is_doubted = bool(doubts) and index.column() == RunsColumn.RIGHT
        color = theme.color("dim" if is_over_without_result(run) else "warning" if is_doubted else "text")
        if run is self._session.current_run and workings(run, RunsColumn(index.column()), self._session):
            font = painter.font()
            font.setUnderline(True)
            painter.setFont(font)
        for i, text in enumerate(names):
            _write(painter, QRect(inner.left(), top + i * line, inner.width(), line), text, side, color)
        failed = run.state is RunState.FAILED and index.column() == RunsColumn.RIGHT
        painter.setFont(themes.font(BELOW))
        for i, text in enumerate(below, start=len(names)):
            place = QRect(inner.left(), top + i * line, inner.width(), line)
            _write(painter, place, text, side, theme.color("bad" if failed else "dim"))
        for i, text in enumerate(now, start=len(names) + len(below)):
            place = QRect(inner.left(), top + i * line, inner.width(), line)
            _write(painter, place, text, side, theme.color("accent"))
        for i, text in enumerate(in_doubt, start=len(names) + len(below) + len(now)):
            _write_doubt(painter, QRect(inner.left(), top + i * line, inner.width(), line), text)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        first = index.model().index(index.row(), RunsColumn.LEARNER)
        width = self._table.columnWidth(RunsColumn.LEARNER) - 2 * PADDING
        lines = len(lines_of(str(first.data()), NAME, width)) + len(self._below(first, width))
        lines += len(self._now(first, width))
        lines += len(first.data(DOUBTS_ROLE) or [])
        return QSize(40, themes.px(LINE_HEIGHT) * lines + 2 * PADDING)

    def _below(self, index: Index, width: int) -> list[str]:
        """What stands below a name or a figure; below a name on more lines where one is too narrow."""
        said = index.data(LINES_ROLE) or []
        if index.column() != RunsColumn.LEARNER:
            return list(said)
        return [line for text in said for line in lines_of(text, BELOW, width)]

    def _now(self, index: Index, width: int) -> list[str]:
        """How it stands as it is decided now, below all that is said of the model itself."""
        now = str(index.data(NOW_ROLE) or "")
        if not now or index.column() != RunsColumn.LEARNER:
            return [now] if now else []
        return lines_of(now, BELOW, width)


def lines_of(text: str, size: float, width: int) -> list[str]:
    """The text on one line, or more where it is wider than ``width`` (pixels), broken between words."""
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


class RunsTable(QTableView):
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
        if column == RunsColumn.LEARNER:
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
        is_figure = index.column() != RunsColumn.LEARNER
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
