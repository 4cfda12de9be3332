"""Buttons in their few roles, and icons in the colours of the theme."""

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

Action = Callable[[], object]


def quiet_button(text: str, name: str = "", tip: str = "", on_click: Action | None = None) -> QPushButton:
    """An ordinary button: white with a thin line."""
    return _button(text, "quiet", name, tip, on_click)


def accent_button(text: str, name: str = "", tip: str = "", on_click: Action | None = None) -> QPushButton:
    """The one thing to do next."""
    return _button(text, "accent", name, tip, on_click)


def plain_button(text: str, name: str = "", tip: str = "", on_click: Action | None = None) -> QPushButton:
    """A button without a border until it is pointed at."""
    return _button(text, "plain", name, tip, on_click)


def link_button(text: str, name: str = "", tip: str = "", on_click: Action | None = None) -> QPushButton:
    """Underlined words inside a sentence."""
    return _button(text, "link", name, tip, on_click)


def pill_button(text: str, name: str = "", tip: str = "", on_click: Action | None = None) -> QPushButton:
    """A round button on a soft fill, for a choice among few."""
    return _button(text, "pill", name, tip, on_click)


def _button(text: str, part: str, name: str, tip: str, on_click: Action | None) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("part", part)
    button.setObjectName(name)
    button.setToolTip(tip)
    button.setAccessibleName(text or tip)
    if part == "link":
        button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setAutoDefault(True)  # Enter presses it, as Space does
    if on_click is not None:
        button.clicked.connect(lambda _checked=False: on_click())
    return button


class IconButton(QToolButton):
    """A button that shows an icon of ``resources/icons`` in the theme's colour; ``says`` is its accessible name."""

    def __init__(
        self, icon: str, says: str, name: str = "", on_click: Action | None = None, text: str = "", plain: bool = False
    ) -> None:
        super().__init__()
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
        themes.follow(self._dress)
        self._dress()

    def set_icon_name(self, icon: str) -> None:
        """Show another icon."""
        self._icon = icon
        self._dress()

    def _dress(self) -> None:
        set_icon(self, self._icon)


def set_icon(button: QAbstractButton, name: str) -> None:
    """Give a button an icon in the current theme's colours."""
    size = themes.px(16)
    button.setIcon(icon(name))
    button.setIconSize(QSize(size, size))


def icon(name: str, color: QColor | None = None) -> QIcon:
    """An icon of ``resources/icons`` in the text's colour, dim where disabled."""
    theme = current_theme()
    made = QIcon(pixmap(name, color or theme.color("text"), themes.px(16)))
    made.addPixmap(pixmap(name, theme.color("line"), themes.px(16)), QIcon.Mode.Disabled)
    return made


@cache
def _source(name: str) -> str:
    return (Path(resources.FOLDER) / "icons" / f"{name}.svg").read_text("utf-8")


def pixmap(name: str, color: QColor, size: int, ratio: float = 2.0) -> QPixmap:
    """An icon drawn in one colour at ``size`` pixels, sharp up to a screen of ``ratio``."""
    source = _source(name)
    drawn = QPixmap(round(size * ratio), round(size * ratio))
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    QSvgRenderer(QByteArray(source.replace("currentColor", color.name()).encode())).render(
        painter, QRectF(0, 0, drawn.width(), drawn.height())
    )
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn


def spacer() -> QWidget:
    """A widget that takes what room is left in a row."""
    from PySide6.QtWidgets import QSizePolicy

    made = QWidget()
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return made
