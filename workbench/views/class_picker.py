"""The legend of the classes in which one can be picked, to be lit among the others."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from workbench.parts.elision import elided
from workbench.theme import current_theme, themes
from workbench.views.class_symbols import ClassLegend

NO_CLASS: Final = -1
_STEPS: Final = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class ClassPicker(ClassLegend):
    """``picked(code)`` where a class is to be lit, with -1 where all are again."""

    picked = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._labels: tuple[str, ...] = ()
        self._code = NO_CLASS

    @property
    def code(self) -> int:
        """The class that is lit, -1 for all."""
        return self._code

    def set_classes(self, classes: tuple[str, ...]) -> None:
        if classes != self._labels:
            self._code = NO_CLASS
        self._labels = classes
        super().set_classes(classes)
        self.setVisible(bool(classes))
        self._say()

    def pick(self, code: int) -> None:
        """Light a class, or all (-1)."""
        wanted = code if 0 <= code < len(self._labels) else NO_CLASS
        if wanted != self._code:
            self._code = wanted
            self._say()
            self.update()
            self.picked.emit(wanted)

    def _say(self) -> None:
        self.setAccessibleDescription(
            f"Lit: {self._labels[self._code]}" if self._code != NO_CLASS else "All classes are lit; arrows light one"
        )

    def places(self) -> tuple[list[tuple[int, str, float, float]], str]:
        """As in the legend; the class that is lit is named at the end where it has no place of its own."""
        shown, more = super().places()
        if not more or self._code == NO_CLASS or any(code == self._code for code, *_ in shown):
            return shown, more
        metrics = QFontMetricsF(themes.font(12, bold=True))
        lit = elided(metrics, self._labels[self._code], themes.px(160), self._labels)
        said = ""
        while True:
            said = f"and {len(self._labels) - len(shown)} more, lit: {lit}"
            end = shown[-1][2] + shown[-1][3] + themes.px(16) if shown else 2.0
            if not shown or end + metrics.horizontalAdvance(said) < self.width():
                return shown, said
            shown.pop()

    def area_of(self, code: int) -> QRectF | None:
        """Where a class stands; None where there is no room for it."""
        for shown, _text, x, width in self.places()[0]:
            if shown == code:
                return QRectF(x - 3, 0, width + 6, self.height())
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        shown, more = self.places()
        for code, _text, x, width in shown:
            if x - 6 <= event.position().x() <= x + width + 6:
                self.pick(NO_CLASS if code == self._code else code)
                return
        if more:
            self._menu().popup(event.globalPosition().toPoint())

    def _menu(self) -> QMenu:
        """All classes, for those that do not fit."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for code, label in enumerate(self._labels):
            action = menu.addAction(label)
            action.setCheckable(True)
            action.setChecked(code == self._code)
            action.setData(code)
        menu.triggered.connect(self._chosen)
        return menu

    def _chosen(self, action: QAction) -> None:
        code = int(action.data())
        self.pick(NO_CLASS if code == self._code else code)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows light the next class or the one before, Escape and Space all of them."""
        key, n = Qt.Key(event.key()), len(self._labels)
        if key in _STEPS and n:
            step = _STEPS[key]
            start = self._code if self._code != NO_CLASS else (-1 if step > 0 else n)
            self.pick(NO_CLASS if not 0 <= start + step < n else start + step)
        elif key in (Qt.Key.Key_Escape, Qt.Key.Key_Space):
            self.pick(NO_CLASS)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            listed = "\n".join(self._labels[:40])
            QToolTip.showText(event.globalPos(), f"Click a class to light it, again for all\n\n{listed}", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._code != NO_CLASS:
            self._paint_lit(painter)
        self.paint_legend(painter)
        if self.hasFocus():
            painter.setPen(QPen(current_theme().color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def _paint_lit(self, painter: QPainter) -> None:
        """A soft ground behind the class that is lit."""
        area = self.area_of(self._code)
        if area is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(current_theme().color("accent_soft"))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
