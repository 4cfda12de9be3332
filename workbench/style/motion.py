"""Short movements of what unfolds, slides in, goes elsewhere or is reordered; none where the desktop shows none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Hashable
from typing import Final

from PySide6.QtCore import (
    QAbstractAnimation,
    QEasingCurve,
    QEvent,
    QObject,
    QProcess,
    QPropertyAnimation,
    QRect,
    QRectF,
    QSettings,
    QStandardPaths,
    Qt,
    QTimer,
    QVariantAnimation,
)
from PySide6.QtGui import QHideEvent, QMoveEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from workbench.style.theme import current_theme

MOTION_MS: Final = 150
UNLIMITED: Final = 16777215
"""The largest height of a widget without a limit."""
MOVEMENT: Final = "movement"
"""Name of the animation of a widget that moves."""
GNOME_KEY: Final = "org.gnome.desktop.interface", "enable-animations"
PLASMA_FILE, PLASMA_KEY = "kdeglobals", "KDE/AnimationDurationFactor"


def follow_desktop(window: QWidget) -> None:
    """Turns Qt's effects off where the animations of GNOME or Plasma are off, which Qt itself does not read."""
    config = QStandardPaths.StandardLocation.GenericConfigLocation
    path = QStandardPaths.locate(config, PLASMA_FILE)
    factor = str(QSettings(path, QSettings.Format.IniFormat).value(PLASMA_KEY, "1")) if path else "1"
    if factor in ("0", "0.0"):
        QApplication.setEffectEnabled(Qt.UIEffect.UI_General, False)
    program = shutil.which("gsettings")
    if program is None:
        return
    process = QProcess(window)

    def read() -> None:
        if bytes(process.readAllStandardOutput().data()).strip() == b"false":
            QApplication.setEffectEnabled(Qt.UIEffect.UI_General, False)
        process.deleteLater()

    process.finished.connect(read)
    process.start(program, ["get", *GNOME_KEY])


def motion_ms() -> int:
    """Duration of a movement; 0 where the system asks for reduced motion or shows no effects."""
    if not QApplication.isEffectEnabled(Qt.UIEffect.UI_General):
        return 0
    asked = QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
    return MOTION_MS if asked > 0 else 0


def unfold(part: QWidget, shown: bool) -> None:
    """Shows a part, which grows to its height where motion is wanted, or hides it at once."""
    parent = part.parentWidget()
    if part.isHidden() is not shown:
        return
    if not shown or parent is None or not parent.isVisible() or motion_ms() == 0:
        part.setMaximumHeight(UNLIMITED)
        part.setVisible(shown)
        return
    part.setMaximumHeight(0)
    part.show()
    growth = QPropertyAnimation(part, b"maximumHeight", part)
    growth.setDuration(motion_ms())
    growth.setStartValue(0)
    growth.setEndValue(part.sizeHint().height())
    growth.finished.connect(lambda: part.setMaximumHeight(UNLIMITED))
    growth.start(QAbstractAnimation.DeletionPolicy.DeleteWhenStopped)


def put(widget: QWidget, place: QRect) -> None:
    """Puts a widget at a place at once, also while it moves elsewhere."""
    if (under_way := _movement_of(widget)) is not None:
        under_way.stop()
    widget.setGeometry(place)


def move_to(widget: QWidget, place: QRect, on_end: Callable[[], object] = lambda: None) -> None:
    """Moves a widget to a place in its parent, gradually where it is in view and motion is wanted."""
    under_way = _movement_of(widget)
    if under_way is not None and under_way.endValue() == place:
        return
    if not widget.isVisible() or motion_ms() == 0 or widget.geometry() == place:
        put(widget, place)
        return
    if under_way is not None:
        under_way.stop()
    movement = QPropertyAnimation(widget, b"geometry", widget)
    movement.setObjectName(MOVEMENT)
    movement.setDuration(motion_ms())
    movement.setEndValue(place)
    movement.finished.connect(on_end)
    movement.start(QAbstractAnimation.DeletionPolicy.DeleteWhenStopped)


def _movement_of(widget: QWidget) -> QPropertyAnimation | None:
    """The movement of a widget that is under way."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    movements = widget.findChildren(QPropertyAnimation, MOVEMENT, direct)
    return next((one for one in movements if one.state() is QAbstractAnimation.State.Running), None)


def slide_in(widget: QWidget, on_end: Callable[[], object] = lambda: None) -> None:
    """Lets a widget at the right of its parent, which has just got its place, come in from the edge."""
    place, parent = widget.geometry(), widget.parentWidget()
    if parent is not None and widget.isVisible() and motion_ms():
        widget.move(parent.width(), place.top())
        move_to(widget, place, on_end)


Pieces = dict[Hashable, QRect]
"""The places of the pieces of a surface that can be reordered."""
MOST_PIECES: Final = 1500
"""Surfaces of more pieces change at once."""


ENDS_A_GLIDE: Final = (QEvent.Type.Wheel, QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress)


class Glide(QWidget):
    """A picture of the pieces of a surface on their way to the places that a change gave them.

    The surface itself has changed already and takes all input. The picture lies above it and is gone after
    :data:`MOTION_MS`, or as soon as the surface gets input, scrolls, changes its size or is hidden.
    """

    def __init__(self, surface: QWidget, before: Pieces, picture: QPixmap, pieces: Callable[[], Pieces]) -> None:
        super().__init__(surface)
        self.setObjectName("glide")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._surface, self._before, self._pieces = surface, before, pieces
        self._after: Pieces = {}
        self._pictures = [picture]
        self._is_over = self._is_taken = False
        self._movement = QVariantAnimation(self)
        self._movement.setDuration(motion_ms())
        self._movement.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._movement.setStartValue(0.0)
        self._movement.setEndValue(1.0)
        self._movement.valueChanged.connect(lambda _share: self.update())
        self._movement.finished.connect(self.finish)
        self.setGeometry(surface.rect())
        self.show()
        self.raise_()
        surface.installEventFilter(self)
        QTimer.singleShot(0, self, self._start)  # the layout has been brought up to date by then

    def _start(self) -> None:
        self._after = self._pieces()
        kept = self._before.keys() & self._after.keys()
        if self._is_over or all(self._before[key] == self._after[key] for key in kept):
            self.finish()
            return
        self.setGeometry(self._surface.rect())
        self._is_taken = True
        self._pictures.append(self._surface.grab())
        self._is_taken = False
        self._movement.start()

    def finish(self) -> None:
        """Shows the surface as it is."""
        if not self._is_over:
            self._is_over = True
            self._movement.stop()
            self.hide()
            self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_resize = event.type() == QEvent.Type.Resize and len(self._pictures) > 1
        if watched is self._surface and (is_resize or event.type() in ENDS_A_GLIDE):
            self.finish()
        return super().eventFilter(watched, event)

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        if self.pos() != self._surface.rect().topLeft():
            self.finish()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.finish()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._is_taken:
            return
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            ground = current_theme().color("pane")
            painter.fillRect(self.rect(), ground)
            painter.drawPixmap(0, 0, self._pictures[-1])
            if len(self._pictures) > 1:
                moved = {key: place for key, place in self._after.items() if self._before.get(key) != place}
                for place in moved.values():
                    painter.fillRect(place, ground)
                self._paint_pieces(painter, moved)

    def _paint_pieces(self, painter: QPainter, moved: Pieces) -> None:
        """Paints the pieces between both places; those that go fade out, those that come fade in."""
        share, (old, new) = float(self._movement.currentValue()), self._pictures
        for key, place in self._before.items():
            if key not in self._after:
                painter.setOpacity(1.0 - share)
                _paint_part(painter, old, place, QRectF(place))
        for key, place in moved.items():
            start, end = QRectF(self._before.get(key, place)), QRectF(place)
            top_left = start.topLeft() * (1.0 - share) + end.topLeft() * share
            size = start.size() * (1.0 - share) + end.size() * share
            painter.setOpacity(1.0 if key in self._before else share)
            painter.fillRect(QRectF(top_left, size), current_theme().color("pane"))  # pieces may be transparent
            _paint_part(painter, new, place, QRectF(top_left, size))


def _paint_part(painter: QPainter, picture: QPixmap, part: QRect, place: QRectF) -> None:
    """Paints as much of a part of a picture as a place has room for."""
    ratio, room = picture.devicePixelRatio(), QRectF(part.topLeft(), place.size().boundedTo(part.size()))
    source = QRectF(room.x() * ratio, room.y() * ratio, room.width() * ratio, room.height() * ratio)
    painter.drawPixmap(QRectF(place.topLeft(), room.size()), picture, source)


class Reordering:
    """Lets the pieces of a surface glide: :meth:`begin` before a change that moves them, :meth:`end` after it."""

    def __init__(self, surface: QWidget, pieces: Callable[[], Pieces]) -> None:
        self._surface, self._pieces = surface, pieces
        self._before: tuple[Pieces, QPixmap] | None = None

    def begin(self) -> None:
        for glide in self._surface.findChildren(Glide, options=Qt.FindChildOption.FindDirectChildrenOnly):
            glide.finish()
        self._before = None
        if self._surface.isVisible() and motion_ms() and 0 < len(before := self._pieces()) <= MOST_PIECES:
            self._before = before, self._surface.grab()

    def end(self) -> None:
        if self._before is not None and self._surface.isVisible():
            Glide(self._surface, *self._before, self._pieces)
        self._before = None
