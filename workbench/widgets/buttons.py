"""Buttons by role, and icons in the colours of the theme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QObject, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QColor,
    QCursor,
    QIcon,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QShowEvent,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QFrame,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

import resources
from workbench.style.theme import SPACE_1, current_theme, themes
from workbench.widgets.keyboard_focus import DIRECTIONS
from workbench.widgets.layouts import named, row_layout

Action = Callable[[], object]


def _leaves(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Whether Qt would take an arrow key for a step to another control, which the next arrow key would change."""
    return event.key() in DIRECTIONS and button.group() is None


def _follow_pointer(button: QAbstractButton) -> None:
    """Once its menu has closed, a button is lit only under the pointer: Qt does not tell it that the pointer left."""
    is_over = button.rect().contains(button.mapFromGlobal(QCursor.pos()))
    if button.underMouse() is not is_over:
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_over)
        button.update()


class MenuKeys(QObject):
    """Marks the first entry of a menu that is opened by keys, and on a letter the next entry that begins with it."""

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
        self._menu = menu
        menu.aboutToShow.connect(self._opened)

    def _opened(self) -> None:
        for menu in (self._menu, *self._menu.findChildren(QMenu)):
            menu.installEventFilter(self)
        if QApplication.mouseButtons() is Qt.MouseButton.NoButton:
            QTimer.singleShot(0, self, self._mark_first)

    def _mark_first(self) -> None:
        if self._menu.activeAction() is None:
            self._mark(self._menu, self._entries(self._menu))

    @staticmethod
    def _entries(menu: QMenu) -> list[QAction]:
        return [one for one in menu.actions() if one.isVisible() and one.isEnabled() and not one.isSeparator()]

    @staticmethod
    def _mark(menu: QMenu, entries: Sequence[QAction]) -> None:
        if entries:
            menu.setActiveAction(entries[0])

    def eventFilter(self, menu: QObject, event: QEvent) -> bool:
        if not isinstance(menu, QMenu) or event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        letter = event.text().lower()
        if not letter.isalnum() or event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
            return False
        entries, active = self._entries(menu), menu.activeAction()
        after = entries.index(active) + 1 if active in entries else 0
        in_turn = [*entries[after:], *entries[:after]]
        self._mark(menu, [one for one in in_turn if one.text().lstrip("&").lower().startswith(letter)])
        return True


class PushButton(QPushButton):
    """A button that keeps the focus on arrow keys, unless they choose within its group."""

    def setMenu(self, menu: QMenu) -> None:
        super().setMenu(menu)
        MenuKeys(menu)
        menu.aboutToHide.connect(self._menu_closed, Qt.ConnectionType.QueuedConnection)

    def _menu_closed(self) -> None:
        _follow_pointer(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore() if _leaves(self, event) else super().keyPressEvent(event)


class CheckBox(QCheckBox):
    """A check box that keeps the focus on arrow keys."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore() if _leaves(self, event) else super().keyPressEvent(event)


def switch(words: str = "") -> CheckBox:
    """A check box in the shape of a switch, for one state that is on or off; many of many have tick boxes."""
    box = CheckBox(words)
    box.setProperty("part", "switch")
    return box


class WordsButton(PushButton):
    """A button whose press counts only for the words that were read; they may change meanwhile."""

    _is_unread = False
    _is_void = False

    def setText(self, text: str) -> None:
        if text != self.text():
            self.setDown(False)
            self._is_void = True
            self._is_unread = self.hasFocus()
            QTimer.singleShot(0, self, self._be_read)
        super().setText(text)

    def _be_read(self) -> None:
        self._is_unread = False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._is_unread:
            self._is_void = False
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._is_void:  # Qt would press the button again
            super().mouseMoveEvent(event)


def _button(
    part: str, text: str, name: str = "", tip: str = "", on_click: Action | None = None, *, checkable: bool = False
) -> QPushButton:
    button = named(WordsButton(text), name, text or tip, tip)
    button.setCheckable(checkable)
    button.setProperty("part", part)
    if part == "link":
        button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setAutoDefault(True)  # Enter presses it, as Space does
    if on_click is not None:
        button.clicked.connect(lambda _checked=False: on_click())
    return button


quiet_button = partial(_button, "quiet")
"""An ordinary button: white with a thin line."""
accent_button = partial(_button, "accent")
"""The button of the main action."""
plain_button = partial(_button, "plain")
"""A button without a border until the mouse is over it."""
link_button = partial(_button, "link")
"""Words in the accent colour inside a sentence, underlined under the pointer."""
pill_button = partial(_button, "pill")
"""A round button on a soft fill."""
segment_button = partial(_button, "segment", checkable=True)
"""One of the choices of a :class:`SegmentTrack`."""


def menu_button(text: str, name: str, tip: str) -> QPushButton:
    """An ordinary button with an arrow that opens its menu, which is empty at first."""
    button = quiet_button(f"{text} ▾", name, tip)
    button.setAccessibleName(text)
    menu = QMenu(button)
    menu.setToolTipsVisible(True)
    button.setMenu(menu)
    return button


class SegmentTrack(QFrame):
    """A sunken track with segment buttons, of which the checked one is raised."""

    def __init__(self, *segments: QAbstractButton) -> None:
        super().__init__()
        self.setProperty("part", "track")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row_layout(*segments, inside=self, spacing=SPACE_1 // 2, margins=3)


def set_caption(button: QAbstractButton, text: str) -> None:
    """Sets the text of a button, which is also its accessible name."""
    button.setText(text)
    button.setAccessibleName(text)


def add_check(menu: QMenu, text: str, on: bool, act: Action) -> QAction:
    """Adds an entry with a check mark to a menu; ``act`` follows each change by the user."""
    entry = menu.addAction(text)
    entry.setCheckable(True)
    entry.setChecked(on)
    entry.triggered.connect(lambda _checked=False: act())
    return entry


def add_choices(menu: QMenu, name: str, texts: Iterable[str], act: Action) -> QActionGroup:
    """Adds entries ``name.0`` and so on to a menu, of which one is chosen, at the beginning the first."""
    menu.addSeparator()
    group = QActionGroup(menu)
    for index, text in enumerate(texts):
        group.addAction(add_check(menu, f"{text[:1].upper()}{text[1:]}", not index, act)).setObjectName(
            f"{name}.{index}"
        )
    return group


def choice_of(group: QActionGroup) -> int:
    """The index of the chosen entry."""
    chosen = group.checkedAction()
    return 0 if chosen is None else group.actions().index(chosen)


def add_entry(menu: QMenu, name: str, text: str, tip: str, act: Action) -> QAction:
    """Adds a named entry with a tooltip to a menu."""
    entry = menu.addAction(text)
    entry.setObjectName(name)
    entry.setToolTip(tip)
    entry.triggered.connect(lambda _checked=False: act())
    return entry


class IconButton(QToolButton):
    """A button that shows an icon of ``resources/icons`` in the theme's colour; ``says`` is its accessible name."""

    def __init__(
        self,
        icon: str,
        says: str,
        name: str = "",
        on_click: Action | None = None,
        text: str = "",
        *,
        plain: bool = False,
        checkable: bool = False,
    ) -> None:
        super().__init__()
        named(self, name, says, says)
        self.setCheckable(checkable)
        self._icon = icon
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if plain:
            self.setProperty("part", "plain")
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if text else Qt.ToolButtonStyle.ToolButtonIconOnly
        self.setToolButtonStyle(style)
        if on_click is not None:
            self.clicked.connect(lambda _checked=False: on_click())
        themes.follow_now(self._dress)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses it, as Space does; arrow keys stay."""
        if _leaves(self, event):
            event.ignore()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self.menu() is not None:
            self.showMenu()
        else:
            self.click()

    def setMenu(self, menu: QMenu) -> None:
        super().setMenu(menu)
        MenuKeys(menu)
        menu.aboutToHide.connect(self._menu_closed, Qt.ConnectionType.QueuedConnection)

    def _menu_closed(self) -> None:
        _follow_pointer(self)

    def set_menu(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        self.setMenu(menu)
        self.setPopupMode(self.ToolButtonPopupMode.InstantPopup)

    def set_icon_name(self, icon: str) -> None:
        self._icon = icon
        self._dress()

    def _dress(self) -> None:
        set_icon(self, self._icon)


class UsableButton(IconButton):
    """A button that is painted while it can be pressed; its place stays."""

    @property
    def is_painted(self) -> bool:
        return self.isEnabled()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_painted:
            super().paintEvent(event)


class PaneButton(IconButton):
    """A button that is painted while the pointer is on its pane, page or card, or it has the keyboard."""

    _pane: QWidget | None = None

    @property
    def is_painted(self) -> bool:
        """Whether it is seen, not only there for the pointer and the keyboard."""
        around = self._followed_pane()
        return not _is_around(around) or self.hasFocus() or self.isDown() or around.underMouse()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._followed_pane()

    def _followed_pane(self) -> QWidget:
        """The pane or page whose pointer is followed; a heading moves from its pane into a toolbar unnoticed."""
        pane = _pane_of(self)
        if pane is not self._pane:
            if self._pane is not None:
                self._pane.removeEventFilter(self)
            self._pane = pane
            pane.installEventFilter(self)
        return pane

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_painted:
            super().paintEvent(event)


def _is_around(widget: QWidget) -> bool:
    return widget.property("part") == "pane" or bool(widget.property("is_page"))


def _pane_of(widget: QWidget) -> QWidget:
    """The pane or page around a widget; without one, what it stands in."""
    around = widget.parentWidget()
    while around is not None and not _is_around(around):
        around = around.parentWidget()
    return around or widget.parentWidget() or widget


def set_icon(button: QAbstractButton, name: str) -> None:
    size = themes.px(16)
    button.setIcon(icon(name))
    button.setIconSize(QSize(size, size))


def icon(name: str, color: QColor | None = None) -> QIcon:
    """An icon of ``resources/icons`` in the text colour, dim if disabled."""
    theme = current_theme()
    shown = QIcon(pixmap(name, color or theme.color("text"), themes.px(16)))
    shown.addPixmap(pixmap(name, theme.color("line"), themes.px(16)), QIcon.Mode.Disabled)
    return shown


@cache
def _source(name: str) -> str:
    return (Path(resources.FOLDER) / "icons" / f"{name}.svg").read_text("utf-8")


@lru_cache(maxsize=512)
def _drawn(name: str, color: str, size: int) -> QImage:
    """An icon in one colour, ``size`` pixels of the screen wide; most are shown by many buttons."""
    drawn = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        source = _source(name).replace("currentColor", color)
        QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(0, 0, size, size))
    return drawn


def pixmap(name: str, color: QColor, size: int, ratio: float = 2.0) -> QPixmap:
    """An icon in one colour at ``size`` pixels, sharp up to a device pixel ratio of ``ratio``."""
    shown = QPixmap.fromImage(_drawn(name, color.name(), round(size * ratio)))
    shown.setDevicePixelRatio(ratio)
    return shown


def spacer() -> QWidget:
    """A widget that takes the remaining space of a row."""
    widget = QWidget()
    widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return widget
