"""Legends: of classes, of runs, in words, and painted in charts.

A click on an entry isolates it, another click shows all again, and Ctrl+click adds or removes one. Keys do the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
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
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.labels import LinkLabel, elided
from workbench.widgets.painting import draw_focus_frame, draw_text, pen_and_brush, saved

Entry = TypeVar("Entry", bound=Hashable)
NO_KEY: Final = -1
CTRL: Final = Qt.KeyboardModifier.ControlModifier


def after_click(
    shown: frozenset[Entry] | None, entry: Entry, entries: Collection[Entry], *, toggles: bool
) -> frozenset[Entry] | None:
    """The entries shown after a click on one, None for all: it alone, or all if it was; ``toggles`` changes only it."""
    alone = frozenset({entry})
    if toggles:
        left = (frozenset(entries) if shown is None else shown) ^ alone
    else:
        left = frozenset() if shown == alone else alone
    return left if left and not left.issuperset(entries) else None


def number_key(event: QKeyEvent) -> int:
    """The place of the entry that a key from 1 to 9 means, with or without Ctrl; -1 for other keys."""
    place, others = event.key() - Qt.Key.Key_1, event.modifiers() & ~(CTRL | Qt.KeyboardModifier.KeypadModifier)
    return place if 0 <= place < 9 and not others.value else NO_KEY


def toggles(event: QKeyEvent | QMouseEvent) -> bool:
    """Whether a press adds or removes an entry of a legend."""
    return bool(event.modifiers() & CTRL)


MOST_WANTED: Final = 26
LINE: Final = 20
"""Height of a line at normal text size."""
MOST_NAMED, LEAST_NAMED, WIDEST_NAMED = 6, 90, 160
"""Most classes named side by side, least pixels for each, and the widest name otherwise."""
MOST_LINES: Final = 5
"""Most lines of a legend that names the classes with colours only."""


class LegendPlace(NamedTuple):
    """The code and shown name of a class, with its left edge, width and line."""

    code: int
    text: str
    x: float
    width: float
    line: int = 0


class ClassLegend(QWidget):
    """Classes with symbols in one line; a few long names, or those with colours alone, have as many as they need.

    Texts beside it leave ``least`` pixels.
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
        n_lines = self._rest_place(*self.places())[1] + 1
        if n_lines != self._n_lines:
            self._n_lines = n_lines
            self.updateGeometry()

    def put_first(self, codes: tuple[int, ...]) -> None:
        """Names these classes first, if not all have room."""
        if codes != self._first:
            self._first = codes
            self._count_lines()
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
        named = self._first if self.most_named else range(n if n <= MOST_NAMED else 0)
        is_whole = has_room and all(texts[code] == self._classes[code] for code in order)
        in_lines = [] if is_whole else self._in_lines(metrics, named)
        if in_lines:
            return in_lines, self._rest_words(n - len(in_lines)) if self.most_named else ""
        shown: list[LegendPlace] = []
        x = 2.0
        for code in sorted(order) if has_room else order:
            more = self._rest_words(n - len(shown))
            if not has_room and x + widths[code] + between + metrics.horizontalAdvance(more) > self.width():
                return (shown, more) if shown else self._only(code, metrics)
            shown.append(LegendPlace(code, texts[code], x, widths[code]))
            x += widths[code] + between
        return shown, "" if has_room else self._rest_words(n - len(shown))

    def _in_lines(self, metrics: QFontMetricsF, codes: Sequence[int]) -> list[LegendPlace]:
        """Classes in several lines, the longest names elided as far as needed; empty if they do not fit."""
        before, between = 2 * themes.px(5) + 5, themes.px(16)
        rest = self._rest_words(len(self._classes) - len(codes)) if self.most_named else ""

        def laid_out(most: float) -> list[LegendPlace]:
            shown: list[LegendPlace] = []
            x, line = 2.0, 0
            for code in codes:
                text = elided(metrics, self._classes[code], most, self._classes)
                width = before + metrics.horizontalAdvance(text)
                if shown and x + width > self.width():
                    x, line = 2.0, line + 1
                if x + width > self.width():
                    return []
                shown.append(LegendPlace(code, text, x, width, line))
                x += width + between
            last = self._rest_place(shown, rest)[1]
            return shown if last < (MOST_LINES if self.most_named else 2) else []

        least, most = themes.px(LEAST_NAMED), themes.px(WIDEST_NAMED) if self.most_named else int(self.width())
        fewer = range(max(least, most), least - 1, -1)
        place = bisect_left(fewer, True, key=lambda most: bool(laid_out(float(most))))
        return laid_out(float(fewer[place])) if place < len(fewer) else []

    def _rest_place(self, shown: Sequence[LegendPlace], more: str) -> tuple[float, int]:
        """The left edge and the line of the words for the others: after the last class, or below it."""
        if not shown:
            return 2.0, 0
        x, line = shown[-1].x + shown[-1].width + themes.px(16), shown[-1].line
        is_beyond = bool(more) and x + QFontMetricsF(themes.font(12)).horizontalAdvance(more) > self.width()
        return (2.0, line + 1) if is_beyond else (x, line)

    def _rest_words(self, n: int) -> str:
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
            x, line = self._rest_place(shown, more)
            draw_text(painter, QPointF(x, self._line_area(line).center().y() + below), more, look.dim)

    def _line_area(self, line: int) -> QRectF:
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
    """Isolates classes; ``picked`` carries the codes shown, or None for all."""

    picked = Signal(object)

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
        self.shown: frozenset[int] | None = None
        """The classes shown; None for all."""

    @property
    def code(self) -> int:
        """The isolated class; -1 if all or several are shown."""
        return next(iter(self.shown)) if self.shown is not None and len(self.shown) == 1 else NO_CLASS

    @property
    def colored(self) -> frozenset[int] | None:
        """The classes to show in their colours; None for all."""
        if self.shown is not None:
            return self.shown
        return frozenset(self._first) if self.most_named else None

    def set_classes(self, classes: tuple[str, ...], counts: Sequence[float] = ()) -> None:
        """Shows these classes; ``counts`` of their records choose the ones with colours, if not all have one."""
        is_new = classes != self._labels
        self._labels = classes
        super().set_classes(classes)
        if is_new:
            self.shown = None
            self.most_named = MOST_COLORED - 1 if self._groups and len(classes) > MOST_COLORED else 0
            if self.most_named:
                by_count = sorted(range(len(classes)), key=lambda code: -counts[code] if counts else code)
                self._by_count = tuple(by_count)
                self._color_most_frequent()
            self._count_lines()
        self.setVisible(bool(classes))
        self._say()

    @property
    def always(self) -> int:
        """The class that always has its colour; -1 for none."""
        return self._always

    def color_always(self, code: int) -> None:
        """Gives this class a colour however few its records are; -1 for none."""
        if code != self._always:
            self._always = code
            if self.most_named:
                self._color_most_frequent()
            self.picked.emit(self.shown)

    def _color_most_frequent(self) -> None:
        first = (self._always,) if 0 <= self._always < len(self._labels) else ()
        rest = (code for code in self._by_count if code not in first)
        super().put_first((*first, *islice(rest, self.most_named - len(first))))

    def pick(self, code: int) -> None:
        """Isolates a class, or shows all (-1)."""
        self._show(frozenset({code}) if 0 <= code < len(self._labels) else None)

    def _show(self, shown: frozenset[int] | None) -> None:
        if shown != self.shown:
            self.shown = shown
            self._say()
            self.update()
            self.picked.emit(shown)

    def _say(self) -> None:
        names = () if self.shown is None else (self._labels[code] for code in sorted(self.shown))
        self.setAccessibleDescription(
            f"Shown: {', '.join(names)}" if self.shown else "All classes are shown; arrows and 1 to 9 isolate one"
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
                self._click(code, toggles=toggles(event))
                return
        if more:
            self.menu_of_all().popup(event.globalPosition().toPoint())

    def menu_of_all(self) -> QMenu:
        """The menu, whose entries isolate a class, or show all again."""
        menu = super().menu_of_all()
        for code, action in enumerate(menu.actions()):
            action.setCheckable(True)
            action.setChecked(code in self._first if self.most_named else self.shown is None or code in self.shown)
            action.triggered.connect(partial(self._click, code))
        return menu

    def put_first(self, codes: tuple[int, ...]) -> None:
        if not self.most_named:
            super().put_first(codes)

    def _click(self, code: int, _checked: bool = False, *, toggles: bool = False) -> None:
        if self.most_named and code not in self._first:  # a grey class takes the colour of the last one
            super().put_first((code, *self._first[: self.most_named - 1]))
            self.picked.emit(self.shown)
            return
        entries = self._first if self.most_named else range(len(self._labels))
        self._show(after_click(self.shown, code, entries, toggles=toggles))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows isolate the next or the previous class, digits the one at that place; Escape and Space show all."""
        key, n, place = Qt.Key(event.key()), len(self._labels), number_key(event)
        if key in _STEPS and n:
            step = _STEPS[key]
            start = self.code if self.code != NO_CLASS else (-1 if step > 0 else n)
            self.pick(NO_CLASS if not 0 <= start + step < n else start + step)
        elif key in (Qt.Key.Key_Escape, Qt.Key.Key_Space):
            self.pick(NO_CLASS)
        elif NO_KEY != place < len(named := self.places()[0]):
            self._click(named[place].code, toggles=toggles(event))
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            listed = "\n".join(self._labels[:40])
            grey = f"The {self.most_named} most frequent classes have colours. Click the grey ones to choose others."
            how = f"{HOW} ({KEYS})" + (f"\n{grey}" if self.most_named else "")
            QToolTip.showText(event.globalPos(), f"{how}\n\n{listed}", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for code in self.shown or ():
                area = self.area_of(code)
                if area is not None:
                    pen_and_brush(painter, Qt.PenStyle.NoPen, current_theme().color("accent_soft"))
                    painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 6, 6)
            self.paint_legend(painter)
            if self.hasFocus():
                draw_focus_frame(painter, self.rect())


FADED: Final = 0.12
"""Opacity of what is not isolated."""
AROUND: Final = 3.0
"""Pixels around an entry in which a click means it."""
HOW: Final = "Click to isolate, again to show all; with Ctrl to add or remove one"
KEYS: Final = "keys 1 to 9 do the same, Esc shows all"


class LegendLabel(LinkLabel):
    """A legend in words, whose entries are links; ``picked`` carries the entries shown, or None for all."""

    picked = Signal(object)

    def __init__(self, name: str, part: str = "", entries: Sequence[int] = ()) -> None:
        super().__init__("", part)
        self.setObjectName(name)
        self.setToolTip(HOW)
        self.entries = entries
        self.shown: frozenset[int] | None = None
        """The entries shown; None for all."""
        self._toggles = False
        self.linkActivated.connect(lambda target: self.pick(int(target)))

    def pick(self, index: int) -> None:
        """Takes a click on an entry."""
        self.shown = after_click(self.shown, index, self.entries, toggles=self._toggles)
        self.picked.emit(self.shown)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._toggles = toggles(event)
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._toggles = toggles(event)
        super().keyPressEvent(event)

    def item(self, index: int, html: str, color: str = "") -> str:
        """The markup of an entry; the color is that of its name, by default of text."""
        return f'<a href="{index}" style="color:{color or current_theme().text};text-decoration:none">{html}</a>'


@dataclass(frozen=True)
class LegendKey:
    """An entry of a legend: its number, and its group, of which it may be shown alone."""

    index: int
    group: int = 0


class LegendChart(PaintedChart):
    """A chart that paints what belongs to an entry of its legend in :meth:`entry`, and places entries by :meth:`put`.

    A click on an entry isolates it and does nothing else; other presses and drags reach :meth:`press` and :meth:`drag`.
    Keys 1 to 9 are clicks on entries; L isolates the next entry, Esc shows all again.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.setMouseTracking(True)
        self.places: dict[LegendKey, QRectF] = {}
        """Where the entries of the legend were painted last."""
        self.entries_shown: frozenset[LegendKey] | None = None
        """The entries of a group that are shown; None if all entries are."""
        self._drags = False

    @property
    def isolated(self) -> LegendKey | None:
        """The entry that is shown alone in its group."""
        return (
            next(iter(self.entries_shown)) if self.entries_shown is not None and len(self.entries_shown) == 1 else None
        )

    def isolate(self, key: LegendKey | None) -> None:
        """Shows an entry alone in its group; None shows all."""
        self._show(None if key is None else frozenset({key}))

    def _show(self, shown: frozenset[LegendKey] | None) -> None:
        if shown != self.entries_shown:
            self.entries_shown = shown
            self.update()

    def _click(self, key: LegendKey, *, toggles: bool) -> None:
        group = [other for other in self.places if other.group == key.group]
        is_in_group = self.entries_shown is not None and self.entries_shown.issubset(group)
        self._show(after_click(self.entries_shown if is_in_group else None, key, group, toggles=toggles))

    @contextmanager
    def entry(self, painter: QPainter, index: int, group: int = 0) -> Iterator[None]:
        """Fades what is painted within it while only other entries of the group are shown."""
        shown, key = self.entries_shown, LegendKey(index, group)
        with saved(painter):
            if shown is not None and key not in shown and any(other.group == group for other in shown):
                painter.setOpacity(FADED)
            yield

    def put(self, area: QRectF, index: int, group: int = 0) -> None:
        """Places an entry of the legend, sign and name, where a click isolates it."""
        self.places[LegendKey(index, group)] = area.adjusted(-AROUND, -AROUND, AROUND, AROUND)

    def key_at(self, point: QPointF) -> LegendKey | None:
        """The entry of the legend at a point."""
        return next((key for key, area in self.places.items() if area.contains(point)), None)

    def paint(self, painter: QPainter, part: QRect | None = None, *, focus: bool = False) -> None:
        self.places.clear()
        super().paint(painter, part, focus=focus)
        if self.entries_shown is not None and not self.entries_shown.issubset(self.places):
            self._show(self.entries_shown.intersection(self.places) or None)  # the others are no longer there

    def press(self, event: QMouseEvent) -> None:
        """Takes a press of the left button beside the legend."""

    def drag(self, event: QMouseEvent) -> None:
        """Takes a move with the left button held down, if it was pressed beside the legend."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.focusPolicy() & Qt.FocusPolicy.ClickFocus:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        key, self._drags = self.key_at(event.position()), False
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
        elif key is not None:
            self._click(key, toggles=toggles(event))
        else:
            self._drags = True
            self.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not event.buttons():
            self._show_hand(event.position())
        elif self._drags and event.buttons() & Qt.MouseButton.LeftButton:
            self.drag(event)

    def _show_hand(self, point: QPointF) -> None:
        shape = Qt.CursorShape.PointingHandCursor if self.key_at(point) else Qt.CursorShape.ArrowCursor
        if self.cursor().shape() != shape:
            self.setCursor(shape)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = [*self.places, None]
        if event.key() == Qt.Key.Key_L and not event.modifiers():
            start = keys.index(self.isolated) if self.isolated in keys else -1  # its entry may wait for the next paint
            self.isolate(keys[(start + 1) % len(keys)])
        elif event.key() == Qt.Key.Key_Escape and self.entries_shown is not None:
            self.isolate(None)
        elif NO_KEY != number_key(event) < len(self.places):
            self._click(list(self.places)[number_key(event)], toggles=toggles(event))
        else:
            super().keyPressEvent(event)

    def tip_at(self, point: QPointF) -> str | None:
        """The hint of the legend; where none is, that of :meth:`tip_beside`."""
        if self.key_at(point) is None:
            return self.tip_beside(point)
        return HOW if self.focusPolicy() is Qt.FocusPolicy.NoFocus else f"{HOW} ({KEYS})"

    def tip_beside(self, _point: QPointF) -> str | None:
        """The tooltip at a point beside the legend; None for the widget's own."""
        return None
