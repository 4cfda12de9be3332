"""Buttons by role, and icons in the colours of the theme."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QPushButton, QToolButton, QWidget

import resources
from workbench.style.theme import current_theme, themes
from workbench.widgets.layouts import named

Action = Callable[[], object]


def quiet_button(
    text: str, name: str = "", tip: str = "", on_click: Action | None = None, *, checkable: bool = False
) -> QPushButton:
    """An ordinary button: white with a thin line."""
    return _button(text, "quiet", name, tip, on_click, checkable)


def accent_button(
    text: str, name: str = "", tip: str = "", on_click: Action | None = None, *, checkable: bool = False
) -> QPushButton:
    """The button of the main action."""
    return _button(text, "accent", name, tip, on_click, checkable)


def plain_button(
    text: str, name: str = "", tip: str = "", on_click: Action | None = None, *, checkable: bool = False
) -> QPushButton:
    """A button without a border until the mouse is over it."""
    return _button(text, "plain", name, tip, on_click, checkable)


def link_button(
    text: str, name: str = "", tip: str = "", on_click: Action | None = None, *, checkable: bool = False
) -> QPushButton:
    """Underlined words inside a sentence."""
    return _button(text, "link", name, tip, on_click, checkable)


def pill_button(
    text: str, name: str = "", tip: str = "", on_click: Action | None = None, *, checkable: bool = False
) -> QPushButton:
    """A round button on a soft fill, for a choice among few."""
    return _button(text, "pill", name, tip, on_click, checkable)


def _button(text: str, part: str, name: str, tip: str, on_click: Action | None, checkable: bool) -> QPushButton:
    button = named(QPushButton(text), name, text or tip, tip)
    button.setCheckable(checkable)
    button.setProperty("part", part)
    if part == "link":
        button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setAutoDefault(True)  # Enter presses it, as Space does
    if on_click is not None:
        button.clicked.connect(lambda _checked=False: on_click())
    return button


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
        self.setCheckable(checkable)
        self._icon = icon
        self.setObjectName(name)
        self.setText(text)
        self.setToolTip(says)
        self.setAccessibleName(says)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if plain:
            self.setProperty("part", "plain")
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if text else Qt.ToolButtonStyle.ToolButtonIconOnly
        self.setToolButtonStyle(style)
        if on_click is not None:
            self.clicked.connect(lambda _checked=False: on_click())
        themes.follow_now(self._dress)

    def set_icon_name(self, icon: str) -> None:
        self._icon = icon
        self._dress()

    def _dress(self) -> None:
        set_icon(self, self._icon)


def set_icon(button: QAbstractButton, name: str) -> None:
    """Sets an icon in the current theme's colours."""
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


def pixmap(name: str, color: QColor, size: int, ratio: float = 2.0) -> QPixmap:
    """An icon in one colour at ``size`` pixels, sharp up to a device pixel ratio of ``ratio``."""
    source = _source(name)
    drawn = QPixmap(round(size * ratio), round(size * ratio))
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        QSvgRenderer(QByteArray(source.replace("currentColor", color.name()).encode())).render(
            painter, QRectF(0, 0, drawn.width(), drawn.height())
        )
    drawn.setDevicePixelRatio(ratio)
    return drawn


def spacer() -> QWidget:
    """A widget that takes the remaining space of a row."""
    from PySide6.QtWidgets import QSizePolicy

    widget = QWidget()
    widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return widget
