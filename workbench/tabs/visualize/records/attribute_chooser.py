"""Which attributes a picture shows, and in which order: a list to check, search and reorder, under a button."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from workbench.style.theme import SPACE_2, SPACE_3, themes
from workbench.widgets.buttons import quiet_button, spacer
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import NameDelegate, label

NAME: Final = Qt.ItemDataRole.UserRole


class _Names(QListWidget):
    """The list; Alt with an arrow moves the attribute, dragging does too."""

    move_asked = Signal(int)
    dropped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_asked.emit(step)
        else:
            super().keyPressEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        super().dropEvent(event)
        self.dropped.emit()


class AttributeChooser(QFrame):
    """The panel: what is shown stands first in its order, then all else, the most telling first.

    ``changed(names)`` comes with each change. At least one attribute stays, and at most ``most`` are shown.
    """

    changed = Signal(tuple)

    def __init__(self, name: str, most: int, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("part", "popover")
        self.setObjectName(name)
        self.setAccessibleName("Attributes to show")
        self._most = most
        self._ranked: tuple[str, ...] = ()
        self._chosen: tuple[str, ...] = ()
        self._best: tuple[str, ...] = ()
        self.search = SearchField("Find an attribute...", f"{name}.search")
        self.search.textChanged.connect(self._filter)
        self.list = _Names()
        self.list.setObjectName(f"{name}.list")
        self.list.setAccessibleName("Attributes; Space shows one or takes it away, Alt with an arrow moves it")
        self.list.setToolTip("Check what is to be shown; drag it, or Alt with an arrow, to move it")
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(NameDelegate(self.list))
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.itemChanged.connect(self._checked)
        self.list.move_asked.connect(self._move)
        self.list.dropped.connect(self._dropped)
        self.list.currentRowChanged.connect(self._enable)
        self._words = label("", "small", wrap=True)
        self._up = quiet_button("Up", f"{name}.up", "Show it earlier (Alt+Up)", lambda: self._move(-1))
        self._down = quiet_button("Down", f"{name}.down", "Show it later (Alt+Down)", lambda: self._move(1))
        self._reset = quiet_button(
            "Most telling", f"{name}.best", "Those that tell the classes apart best", self._to_best
        )
        self._lay_out()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_3, SPACE_3, SPACE_3, SPACE_3)
        column.setSpacing(SPACE_2)
        column.addWidget(self._words)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        row = QHBoxLayout()
        for widget in (self._up, self._down, spacer(), self._reset):
            row.addWidget(widget)
        column.addLayout(row)

    # ---- what stands there -----------------------------------------------------------------------------------------

    def offer(self, ranked: Sequence[str], best: Sequence[str], chosen: Sequence[str]) -> None:
        """Offer attributes, the most telling first; ``chosen`` are shown, ``best`` by default."""
        self._ranked, self._best, self._chosen = tuple(ranked), tuple(best), tuple(chosen)
        self._fill()

    def _fill(self) -> None:
        current = self._current_name()
        self.list.blockSignals(True)
        self.list.clear()
        for name in (*self._chosen, *(n for n in self._ranked if n not in set(self._chosen))):
            item = QListWidgetItem(" ".join(name.split()))
            item.setData(NAME, name)
            item.setToolTip(name)
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
            item.setFlags(flags | Qt.ItemFlag.ItemIsDragEnabled)
            item.setCheckState(Qt.CheckState.Checked if name in self._chosen else Qt.CheckState.Unchecked)
            self.list.addItem(item)
            if name == current:
                self.list.setCurrentItem(item)
        if self.list.currentRow() < 0 and self.list.count():
            self.list.setCurrentRow(0)
        self.list.blockSignals(False)
        self._filter(self.search.text())
        self._enable()
        self._words.setText(f"Shown, in this order ({len(self._chosen)} of at most {self._most}):")

    def _current_name(self) -> str:
        item = self.list.currentItem()
        return "" if item is None else str(item.data(NAME))

    def _filter(self, text: str) -> None:
        wanted = text.casefold().strip()
        for at in range(self.list.count()):
            item = self.list.item(at)
            item.setHidden(bool(wanted) and wanted not in str(item.data(NAME)).casefold())

    def _enable(self) -> None:
        at = self.list.currentRow()
        self._up.setEnabled(0 < at < len(self._chosen))
        self._down.setEnabled(0 <= at < len(self._chosen) - 1)
        self._reset.setEnabled(self._chosen != self._best)

    # ---- changes ---------------------------------------------------------------------------------------------------

    def _set(self, chosen: tuple[str, ...]) -> None:
        if chosen != self._chosen:
            self._chosen = chosen
            self.changed.emit(chosen)
        self._fill()

    def _checked(self, item: QListWidgetItem) -> None:
        name, wanted = str(item.data(NAME)), item.checkState() is Qt.CheckState.Checked
        if wanted and name not in self._chosen:
            self._set((*self._chosen, name)[: self._most])
            if name not in self._chosen:
                self._words.setText(f"At most {self._most} can be shown. Take one away first.")
        elif not wanted:
            left = tuple(n for n in self._chosen if n != name)
            self._set(left or self._chosen)

    def _move(self, by: int) -> None:
        at, order = self.list.currentRow(), list(self._chosen)
        if 0 <= at < len(order) and 0 <= at + by < len(order):
            order.insert(at + by, order.pop(at))
            self._set(tuple(order))

    def _dropped(self) -> None:
        names = [str(self.list.item(at).data(NAME)) for at in range(self.list.count())]
        self._set(tuple(name for name in names if name in set(self._chosen)))

    def _to_best(self) -> None:
        self._set(self._best)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    # ---- the panel -------------------------------------------------------------------------------------------------

    def open_under(self, button: QPushButton) -> None:
        """Show the panel under its button, inside the screen."""
        self.search.clear()
        self.resize(themes.px(320), themes.px(380))
        screen = button.screen().availableGeometry()
        at = button.mapToGlobal(QPoint(0, button.height() + 4))
        if at.y() + self.height() > screen.bottom():
            at.setY(button.mapToGlobal(QPoint(0, -4)).y() - self.height())
        at.setX(max(screen.left(), min(at.x(), screen.right() - self.width())))
        at.setY(max(screen.top(), at.y()))
        self.move(at)
        self.show()
        self.list.setFocus()
