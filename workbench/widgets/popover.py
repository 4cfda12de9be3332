"""A popover beside what it explains, and formulas with their values as rich text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QWidget

from algorithms.core.scores import FormulaWorking
from algorithms.text.numbers import significant
from workbench.style.theme import SPACE_3, SPACE_4, current_theme, themes
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, named


class Popover(QFrame):
    """An explanation under its widget; Ctrl+C copies it. ``html`` gives the text in the current theme."""

    def __init__(self, text: str, parent: QWidget, html: str = "") -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        named(self, "popover", text)
        self._text = text
        words = label(html or text, wrap=True, rich=bool(html))
        words.setFixedWidth(themes.px(440 if html else 340))
        column_layout(words, inside=self, margins=(SPACE_4, SPACE_3, SPACE_4, SPACE_3))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Control, Qt.Key.Key_Shift):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._text)
        self.close()


def show_popover(text: str, beside: QWidget, html: str = "", place: QRect | None = None) -> Popover:
    """Shows an explanation under ``beside``, or under a part of it, inside the screen.

    The window is its parent, because a child of a tinted chip would inherit the chip's colour.
    """
    popover = Popover(text, beside.window(), html)
    popover.adjustSize()
    show_under(popover, beside, place)
    return popover


def show_under(popup: QWidget, beside: QWidget, place: QRect | None = None) -> None:
    """Shows a popup under ``beside``, or under a part of it, inside the screen."""
    under = beside.rect() if place is None else place
    corner = beside.mapToGlobal(under.bottomLeft() + QPoint(0, 4))
    screen = beside.screen().availableGeometry()
    corner.setX(max(screen.left(), min(corner.x(), screen.right() - popup.width())))
    corner.setY(max(screen.top(), min(corner.y(), screen.bottom() - popup.height())))
    popup.move(corner)
    popup.show()


def workings_html(workings: Sequence[FormulaWorking]) -> str:
    """A line for each formula, and the meaning of its terms below; formulas that differ in one sign share a line."""
    both = _with_both_signs(workings)
    lines = [both] if both else [_line(working) for working in workings]
    terms = {term.symbol: term for working in workings for term in working.terms if term.meaning}
    if terms:
        meanings = " · ".join(f"<i>{escape(t.symbol)}</i> {escape(t.meaning)}" for t in terms.values())
        lines.append(f'<span style="color:{current_theme().dim}">{meanings}</span>')
    return "<br>".join(lines)


def workings_text(workings: Sequence[FormulaWorking]) -> str:
    """The same as plain text, for the clipboard and screen readers."""
    terms = {term.symbol: term for working in workings for term in working.terms if term.meaning}
    meanings = [f"{t.symbol} = {significant(t.value)}: {t.meaning}" for t in terms.values()]
    sources = dict.fromkeys(working.source for working in workings if working.source)
    return "\n".join([*(working.sentence() for working in workings), *meanings, *sources])


def _line(working: FormulaWorking, name: str = "", value: str = "") -> str:
    steps = [escape(working.symbolic)]
    if working.filled != working.symbolic:
        steps.append(escape(working.filled))
    source = f' <span style="color:{current_theme().dim}">· {escape(working.source)}</span>' if working.source else ""
    amount = value or f"<b>{significant(working.value)}</b>"
    return f"<b>{escape(name or working.name)}</b> = {' = '.join(steps)} = {amount}{source}"


def _with_both_signs(workings: Sequence[FormulaWorking]) -> str:
    """Both ends of an interval as one formula with ±; empty if the formulas are no such pair."""
    if len(workings) != 2 or workings[0].terms != workings[1].terms:
        return ""
    low, high = workings
    differ = [index for index, (a, b) in enumerate(zip(low.formula, high.formula, strict=False)) if a != b]
    if len(low.formula) != len(high.formula) or [(low.formula[i], high.formula[i]) for i in differ] != [("−", "+")]:
        return ""
    either = replace(low, formula=f"{low.formula[: differ[0]]}±{low.formula[differ[0] + 1 :]}")
    value = f"<b>{significant(low.value)}</b> and <b>{significant(high.value)}</b>"
    return _line(either, f"{low.name}, {high.name.lower()}", value)
