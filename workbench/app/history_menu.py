"""Every step of the history by its name: where the table is, what undo takes back, what redo brings again."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.session.document import names_around
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, current_theme, themes
from workbench.style.wording import in_room
from workbench.widgets.elision import elided
from workbench.widgets.labels import label

MOST_SEEN: Final = 14
WIDTH: Final = 380
"""As wide at least, at usual text size; where names are longer, so much of the window at most:"""
WIDEST: Final = 0.6
BESIDE: Final = 32
"""Beside the words of a step, in pixels at usual text size."""
HERE: Final = "you are here"
SAYS: Final = (
    "Choose a step to go back, or forward, to it. What is undone stays here until the next change to the table takes "
    "its place."
)


class _Steps(QListWidget):
    """The steps, the oldest first. Enter or a click asks for the one at the cursor, Ctrl+C copies all."""

    asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.asked.emit(self.currentRow())
        elif event.matches(QKeySequence.StandardKey.Copy):
            lines = (str(self.item(row).data(Qt.ItemDataRole.UserRole)) for row in range(self.count()))
            QGuiApplication.clipboard().setText("\n".join(lines))
        else:
            super().keyPressEvent(event)


class HistoryPopover(QFrame):
    """Opens under its button with the keyboard on the present step, and closes once a step was gone to."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._session = session
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        self.setObjectName("history.popover")
        self.setAccessibleName("History")
        self._list = _Steps()
        self._list.setObjectName("history.steps")
        self._list.setAccessibleName("Steps, the oldest first")
        self._list.setUniformItemSizes(True)
        self._list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.itemClicked.connect(self._clicked)
        self._list.asked.connect(self._go)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(SPACE_3, SPACE_2, SPACE_3, SPACE_2)
        inside.setSpacing(SPACE_2)
        self._width = self._fitting(parent.window().width())
        words = label(SAYS, "small", wrap=True)
        words.setFixedWidth(self._width)
        inside.addWidget(words)
        inside.addWidget(self._list)
        self._fill()

    def _fitting(self, window: int) -> int:
        """As wide as the longest name needs with what is said behind it, within bounds, in a window so wide."""
        font = QFont(self._list.font())
        font.setBold(True)
        stack, metrics = self._session.undo_stack, QFontMetrics(font)
        names = (f"{stack.text(at)}  ·  {HERE}" for at in range(stack.count()))
        needed = max((metrics.horizontalAdvance(name) for name in names), default=0) + themes.px(BESIDE)
        least = themes.px(WIDTH)
        return max(least, min(needed, round(WIDEST * window)))

    def _fill(self) -> None:
        stack, theme = self._session.undo_stack, current_theme()
        names = ["As it was opened", *(stack.text(at) for at in range(stack.count()))]
        for at, name in enumerate(names):
            state = HERE if at == stack.index() else "undone" if at > stack.index() else ""
            words = f"{name}  ·  {state}" if state else name
            cut = self._cut(name, state, names_around(stack.command(at - 1)) if at else ())
            item = QListWidgetItem(f"{cut}  ·  {state}" if state else cut)
            item.setToolTip(name)
            item.setData(Qt.ItemDataRole.UserRole, words)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
            if at == stack.index():
                font = QFont(self._list.font())
                font.setBold(True)
                item.setFont(font)
            elif at > stack.index():
                item.setForeground(theme.color("dim"))
            self._list.addItem(item)
        self._list.setCurrentRow(stack.index())
        row = max(1, self._list.sizeHintForRow(0))
        self._list.setFixedSize(self._width, min(len(names), MOST_SEEN) * row + 4)

    def _cut(self, name: str, state: str, among: tuple[str, ...]) -> str:
        """The name, as long as it leaves room for the state behind it; the names ``among`` these are told apart."""
        font = QFont(self._list.font())
        font.setBold(True)
        metrics = QFontMetrics(font)
        room = self._width - metrics.horizontalAdvance(f"  ·  {state}" if state else "") - themes.px(BESIDE)
        return elided(metrics, in_room(name, among, lambda words: metrics.horizontalAdvance(words) <= room), room)

    def open_under(self, button: QWidget) -> None:
        """Show it under the button, inside the screen."""
        self.adjustSize()
        at = button.mapToGlobal(QPoint(button.width() - self.width(), button.height() + 4))
        screen = button.screen().availableGeometry()
        at.setX(max(screen.left(), min(at.x(), screen.right() - self.width())))
        at.setY(max(screen.top(), min(at.y(), screen.bottom() - self.height())))
        self.move(at)
        self.show()
        self._list.setFocus()
        self._list.scrollToItem(self._list.currentItem())

    def _clicked(self, item: QListWidgetItem) -> None:
        self._go(self._list.row(item))

    def _go(self, step: int) -> None:
        self.close()
        self._session.go_to(step)
