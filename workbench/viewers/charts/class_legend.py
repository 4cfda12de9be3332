"""The legend of classes, in which one class can be highlighted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.widgets.labels import elided
from workbench.widgets.painting import draw_focus_frame, draw_text, pen_and_brush

MOST_WANTED: Final = 26
LINE: Final = 20
"""Height of a line at normal text size."""
MOST_NAMED, LEAST_NAMED, WIDEST_NAMED = 6, 90, 160
"""Most classes named side by side, least pixels for each, and the widest name otherwise."""


class LegendPlace(NamedTuple):
    """The code and shown name of a class, with its left edge, width and line."""

    code: int
    text: str
    x: float
    width: float
    line: int = 0


class ClassLegend(QWidget):
    """The classes with symbols and colours in a line, or two for a few long names; the others are counted, and listed.

    Texts beside it leave it ``least`` pixels, or the width of all its classes if that is less.
    """

    def __init__(self, parent: QWidget | None = None, least: int = 0) -> None:
        super().__init__(parent)
        self._least = least
        self._classes: tuple[str, ...] = ()
        self._first: tuple[int, ...] = ()
        self._n_lines = 1
        self.most_named = 0
        """The most classes to name; 0 for as many as have room."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.changed.connect(self.updateGeometry)

    def set_classes(self, classes: tuple[str, ...]) -> None:
        if classes != self._classes:
            self._classes, self._first = classes, ()
        self.setAccessibleName("Classes: " + ", ".join(classes[:50]))
        self._count_lines()
        self.updateGeometry()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._count_lines()

    def _count_lines(self) -> None:
        shown, _more = self.places()
        n_lines = shown[-1].line + 1 if shown else 1
        if n_lines != self._n_lines:
            self._n_lines = n_lines
            self.updateGeometry()

    def put_first(self, codes: tuple[int, ...]) -> None:
        """Names these classes first, if not all have room."""
        if codes != self._first:
            self._first = codes
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self._n_lines * themes.px(LINE))

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetricsF(themes.font(12))
        names = sum(metrics.horizontalAdvance(label) + themes.px(34) for label in self._classes[:MOST_WANTED])
        least = self._least * (1 if len(self._classes) <= MOST_NAMED else 2)
        return QSize(round(min(names, themes.px(least))), self._n_lines * themes.px(LINE))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), "\n".join(self._classes[:40]), self)
            return True
        return super().event(event)

    def places(self) -> tuple[list[LegendPlace], str]:
        """The place of each class that fits, and a text for the others."""
        metrics = QFontMetricsF(themes.font(12))
        most, n = self._room_of_a_name(metrics), len(self._classes)
        n_named = self.most_named or n
        before, between = 2 * themes.px(5) + 5, themes.px(16)
        n_tried = min(n_named, int(self.width() / (before + between)) + 1)
        order = [*self._first, *islice((code for code in range(n) if code not in self._first), n_tried)][:n_tried]
        texts = {code: elided(metrics, self._classes[code], most, self._classes) for code in order}
        widths = {code: before + metrics.horizontalAdvance(text) for code, text in texts.items()}
        has_room = n_tried == n and 2.0 + sum(widths.values()) + between * (n - 1) <= self.width()
        if not has_room and n <= MOST_NAMED and (two_lines := self._in_two_lines(metrics)):
            return two_lines, ""
        shown: list[LegendPlace] = []
        x = 2.0
        for code in sorted(order) if has_room else order:
            more = self._rest_words(n - len(shown))
            if not has_room and x + widths[code] + between + metrics.horizontalAdvance(more) > self.width():
                return (shown, more) if shown else self._only(code, metrics)
            shown.append(LegendPlace(code, texts[code], x, widths[code]))
            x += widths[code] + between
        return shown, "" if has_room else self._rest_words(n - len(shown))

    def _in_two_lines(self, metrics: QFontMetricsF) -> list[LegendPlace]:
        """All classes in two lines, the longest names elided as far as needed; empty if they do not fit."""
        before, between = 2 * themes.px(5) + 5, themes.px(16)

        def laid_out(most: float) -> list[LegendPlace]:
            shown: list[LegendPlace] = []
            x, line = 2.0, 0
            for code, name in enumerate(self._classes):
                text = elided(metrics, name, most, self._classes)
                width = before + metrics.horizontalAdvance(text)
                if shown and x + width > self.width():
                    x, line = 2.0, line + 1
                if line > 1 or x + width > self.width():
                    return []
                shown.append(LegendPlace(code, text, x, width, line))
                x += width + between
            return shown

        least = themes.px(LEAST_NAMED)
        fewer = range(max(least, int(self.width())), least - 1, -1)
        place = bisect_left(fewer, True, key=lambda most: bool(laid_out(float(most))))
        return laid_out(float(fewer[place])) if place < len(fewer) else []

    def _rest_words(self, n: int) -> str:
        """The words for ``n`` classes without a place."""
        return f"and {n} in grey" if self.most_named and n == len(self._classes) - self.most_named else f"and {n} more"

    def _only(self, code: int, metrics: QFontMetricsF) -> tuple[list[LegendPlace], str]:
        """One class with its name elided, so that the note on the others fits too."""
        others = len(self._classes) - 1
        more = f"and {others} more" if others else ""
        before = 2 * themes.px(5) + 5
        room = self.width() - 2.0 - before - themes.px(16) - metrics.horizontalAdvance(more)
        text = elided(metrics, self._classes[code], max(0.0, room), self._classes)
        return [LegendPlace(code, text, 2.0, before + metrics.horizontalAdvance(text))], more

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
        radius, below = themes.px(5), QFontMetricsF(font).ascent() / 2 - 1
        shown, more = self.places()
        for code, text, x, _width, line in shown:
            middle = self._line_area(line).center().y()
            draw_symbol(painter, look, code, QPointF(x + radius, middle), radius * 0.9)
            draw_text(painter, QPointF(x + 2 * radius + 5, middle + below), text, look.dim)
        if more:
            after = shown[-1].x + shown[-1].width + themes.px(16) if shown else 2.0
            draw_text(painter, QPointF(after, self.height() / 2 + below), more, look.dim)

    def _line_area(self, line: int) -> QRectF:
        """The area of one of the lines."""
        high = self.height() / self._n_lines
        return QRectF(0, line * high, self.width(), high)

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
        self._by_count: tuple[int, ...] = ()
        self._always = NO_CLASS
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
                self._by_count = tuple(by_count)
                self._color_most_frequent()
        self.setVisible(bool(classes))
        self._say()

    def color_always(self, code: int) -> None:
        """Gives this class a colour however few its records are; -1 for none."""
        if code != self._always:
            self._always = code
            if self.most_named:
                self._color_most_frequent()
                self.picked.emit(self.code)

    def _color_most_frequent(self) -> None:
        first = (self._always,) if 0 <= self._always < len(self._labels) else ()
        rest = (code for code in self._by_count if code not in first)
        super().put_first((*first, *islice(rest, self.most_named - len(first))))

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

    def places(self) -> tuple[list[LegendPlace], str]:
        """As in the legend; a highlighted class without a place is named at the end."""
        shown, more = super().places()
        if not more or self.code == NO_CLASS or any(place.code == self.code for place in shown):
            return shown, more
        metrics = QFontMetricsF(themes.font(12, bold=True))
        lit = elided(metrics, self._labels[self.code], themes.px(160), self._labels)
        note = ""
        while True:
            note = f"and {len(self._labels) - len(shown)} more, lit: {lit}"
            end = shown[-1].x + shown[-1].width + themes.px(16) if shown else 2.0
            if not shown or end + metrics.horizontalAdvance(note) < self.width():
                return shown, note
            shown.pop()

    def area_of(self, code: int) -> QRectF | None:
        """The box of a class; None if it has no place."""
        for place in self.places()[0]:
            if place.code == code:
                area = self._line_area(place.line)
                return QRectF(place.x - 3, area.top(), place.width + 6, area.height())
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        shown, more = self.places()
        for code, _text, x, width, line in shown:
            if self._line_area(line).adjusted(x - 6, 0, x + width + 6 - self.width(), 0).contains(event.position()):
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
