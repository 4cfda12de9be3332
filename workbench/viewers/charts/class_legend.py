"""The legend of classes, in which one class can be highlighted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QIcon, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.widgets.labels import elided
from workbench.widgets.painting import draw_focus_frame, draw_text, pen_and_brush

MOST_WANTED: Final = 26
MOST_NAMED, LEAST_NAMED, WIDEST_NAMED = 6, 90, 160
"""Most classes named side by side, least pixels for each, and the widest name otherwise."""


class ClassLegend(QWidget):
    """The classes with symbols and colours in one line; the others are counted and listed in the tooltip.

    Texts beside it leave it ``least`` pixels, or the width of all its classes if that is less.
    """

    def __init__(self, parent: QWidget | None = None, least: int = 0) -> None:
        super().__init__(parent)
        self._least = least
        self._classes: tuple[str, ...] = ()
        self._first: tuple[int, ...] = ()
        self.most_named = 0
        """The most classes to name; 0 for as many as have room."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.changed.connect(self.updateGeometry)

    def set_classes(self, classes: tuple[str, ...]) -> None:
        if classes != self._classes:
            self._classes, self._first = classes, ()
        self.setAccessibleName("Classes: " + ", ".join(classes[:50]))
        self.updateGeometry()
        self.update()

    def put_first(self, codes: tuple[int, ...]) -> None:
        """Names these classes first, if not all have room."""
        if codes != self._first:
            self._first = codes
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, themes.px(20))

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetricsF(themes.font(12))
        names = sum(metrics.horizontalAdvance(label) + themes.px(34) for label in self._classes[:MOST_WANTED])
        least = self._least * (1 if len(self._classes) <= MOST_NAMED else 2)
        return QSize(round(min(names, themes.px(least))), themes.px(20))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), "\n".join(self._classes[:40]), self)
            return True
        return super().event(event)

    def places(self) -> tuple[list[tuple[int, str, float, float]], str]:
        """(code, text, left edge, width) of each class that fits, and a text for the others."""
        metrics = QFontMetricsF(themes.font(12))
        most, n = self._room_of_a_name(metrics), len(self._classes)
        n_named = self.most_named or n
        before, between = 2 * themes.px(5) + 5, themes.px(16)
        n_tried = min(n_named, int(self.width() / (before + between)) + 1)
        order = [*self._first, *islice((code for code in range(n) if code not in self._first), n_tried)][:n_tried]
        texts = {code: elided(metrics, self._classes[code], most, self._classes) for code in order}
        widths = {code: before + metrics.horizontalAdvance(text) for code, text in texts.items()}
        has_room = n_tried == n and 2.0 + sum(widths.values()) + between * (n - 1) <= self.width()
        shown: list[tuple[int, str, float, float]] = []
        x = 2.0
        for code in sorted(order) if has_room else order:
            more = self._rest_words(n - len(shown))
            if not has_room and x + widths[code] + between + metrics.horizontalAdvance(more) > self.width():
                return (shown, more) if shown else self._only(code, metrics)
            shown.append((code, texts[code], x, widths[code]))
            x += widths[code] + between
        return shown, "" if has_room else self._rest_words(n - len(shown))

    def _rest_words(self, n: int) -> str:
        """The words for ``n`` classes without a place."""
        return f"and {n} in grey" if self.most_named and n == len(self._classes) - self.most_named else f"and {n} more"

    def _only(self, code: int, metrics: QFontMetricsF) -> tuple[list[tuple[int, str, float, float]], str]:
        """One class with its name elided, so that the note on the others fits too."""
        others = len(self._classes) - 1
        more = f"and {others} more" if others else ""
        before = 2 * themes.px(5) + 5
        room = self.width() - 2.0 - before - themes.px(16) - metrics.horizontalAdvance(more)
        text = elided(metrics, self._classes[code], max(0.0, room), self._classes)
        return [(code, text, 2.0, before + metrics.horizontalAdvance(text))], more

    def _room_of_a_name(self, metrics: QFontMetricsF) -> float:
        """The width for a name: whole names if they fit, else equal shares if all classes fit so."""
        around, n = themes.px(34), len(self._classes)
        share = self.width() / max(1, n) - around
        if n > MOST_NAMED or share < themes.px(LEAST_NAMED):
            return float(themes.px(WIDEST_NAMED))
        whole = sum(metrics.horizontalAdvance(label) + around for label in self._classes)
        return float(self.width()) if whole <= self.width() else share

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint_legend(painter)

    def paint_legend(self, painter: QPainter) -> None:
        """Paints the symbols and names of the classes that fit."""
        look = StructureColors(current_theme())
        font = themes.font(12)
        painter.setFont(font)
        radius, middle = themes.px(5), self.height() / 2
        baseline = middle + QFontMetricsF(font).ascent() / 2 - 1
        shown, more = self.places()
        for code, text, x, _width in shown:
            draw_symbol(painter, look, code, QPointF(x + radius, middle), radius * 0.9)
            draw_text(painter, QPointF(x + 2 * radius + 5, baseline), text, look.dim)
        if more:
            after = shown[-1][2] + shown[-1][3] + themes.px(16) if shown else 2.0
            draw_text(painter, QPointF(after, baseline), more, look.dim)

    def menu_of_all(self) -> QMenu:
        """A menu of all classes with their symbols, for those without a place."""
        menu, look, side = QMenu(self), StructureColors(current_theme()), themes.px(16)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for code, name in enumerate(self._classes):
            mark = QPixmap(side, side)
            mark.fill(Qt.GlobalColor.transparent)
            with QPainter(mark) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                draw_symbol(painter, look, code, QPointF(side / 2, side / 2), side / 3)
            menu.addAction(QIcon(mark), name.replace("&", "&&"))
        return menu

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.places()[1]:
            self.menu_of_all().popup(event.globalPosition().toPoint())


NO_CLASS: Final = -1
MOST_COLORED: Final = 10
_STEPS: Final = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class ClassPicker(ClassLegend):
    """Emits the class to highlight, or -1 for all."""

    picked = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None, least: int = 0, *, groups: bool = False) -> None:
        """With ``groups``, of more than :data:`MOST_COLORED` classes only the most frequent have colours."""
        super().__init__(parent, least)
        self._groups = groups
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._labels: tuple[str, ...] = ()
        self.code = NO_CLASS
        """The highlighted class; -1 for all."""

    @property
    def colored(self) -> frozenset[int] | None:
        """The classes to show in their colours; None for all."""
        if self.code != NO_CLASS:
            return frozenset({self.code})
        return frozenset(self._first) if self.most_named else None

    def set_classes(self, classes: tuple[str, ...], counts: Sequence[float] = ()) -> None:
        """Shows these classes; ``counts`` of their records choose the ones with colours, if not all have one."""
        is_new = classes != self._labels
        self._labels = classes
        super().set_classes(classes)
        if is_new:
            self.code = NO_CLASS
            self.most_named = MOST_COLORED - 1 if self._groups and len(classes) > MOST_COLORED else 0
            if self.most_named:
                by_count = sorted(range(len(classes)), key=lambda code: -counts[code] if counts else code)
                super().put_first(tuple(by_count[: self.most_named]))
        self.setVisible(bool(classes))
        self._say()

    def pick(self, code: int) -> None:
        """Highlights a class, or all (-1)."""
        wanted = code if 0 <= code < len(self._labels) else NO_CLASS
        if wanted != self.code:
            self.code = wanted
            self._say()
            self.update()
            self.picked.emit(wanted)

    def _say(self) -> None:
        self.setAccessibleDescription(
            f"Lit: {self._labels[self.code]}" if self.code != NO_CLASS else "All classes are lit; arrows light one"
        )

    def places(self) -> tuple[list[tuple[int, str, float, float]], str]:
        """As in the legend; a highlighted class without a place is named at the end."""
        shown, more = super().places()
        if not more or self.code == NO_CLASS or any(code == self.code for code, *_ in shown):
            return shown, more
        metrics = QFontMetricsF(themes.font(12, bold=True))
        lit = elided(metrics, self._labels[self.code], themes.px(160), self._labels)
        note = ""
        while True:
            note = f"and {len(self._labels) - len(shown)} more, lit: {lit}"
            end = shown[-1][2] + shown[-1][3] + themes.px(16) if shown else 2.0
            if not shown or end + metrics.horizontalAdvance(note) < self.width():
                return shown, note
            shown.pop()

    def area_of(self, code: int) -> QRectF | None:
        """The box of a class; None if it has no place."""
        for shown, _text, x, width in self.places()[0]:
            if shown == code:
                return QRectF(x - 3, 0, width + 6, self.height())
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        shown, more = self.places()
        for code, _text, x, width in shown:
            if x - 6 <= event.position().x() <= x + width + 6:
                self._toggle(code)
                return
        if more:
            self.menu_of_all().popup(event.globalPosition().toPoint())

    def menu_of_all(self) -> QMenu:
        """The menu, whose entries light a class, or all again."""
        menu = super().menu_of_all()
        for code, action in enumerate(menu.actions()):
            action.setCheckable(True)
            action.setChecked(code in self._first if self.most_named else code == self.code)
            action.triggered.connect(partial(self._toggle, code))
        return menu

    def put_first(self, codes: tuple[int, ...]) -> None:
        if not self.most_named:
            super().put_first(codes)

    def _toggle(self, code: int, _checked: bool = False) -> None:
        if self.most_named and code not in self._first:  # a grey class takes the colour of the last one
            super().put_first((code, *self._first[: self.most_named - 1]))
            self.picked.emit(self.code)
            return
        self.pick(NO_CLASS if code == self.code else code)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows highlight the next or the previous class; Escape and Space show all."""
        key, n = Qt.Key(event.key()), len(self._labels)
        if key in _STEPS and n:
            step = _STEPS[key]
            start = self.code if self.code != NO_CLASS else (-1 if step > 0 else n)
            self.pick(NO_CLASS if not 0 <= start + step < n else start + step)
        elif key in (Qt.Key.Key_Escape, Qt.Key.Key_Space):
            self.pick(NO_CLASS)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            listed = "\n".join(self._labels[:40])
            grey = f"The {self.most_named} most frequent classes have colours. Click the grey ones to choose others."
            how = "Choose a class to isolate it, again for all." + (f"\n{grey}" if self.most_named else "")
            QToolTip.showText(event.globalPos(), f"{how}\n\n{listed}", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.code != NO_CLASS:
                area = self.area_of(self.code)
                if area is not None:
                    pen_and_brush(painter, Qt.PenStyle.NoPen, current_theme().color("accent_soft"))
                    painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
            self.paint_legend(painter)
            if self.hasFocus():
                draw_focus_frame(painter, self.rect())
