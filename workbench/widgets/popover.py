"""A popover beside what it explains, and formulas with their values as rich text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from algorithms.core.scores import FormulaWorking, shown
from workbench.style.theme import SPACE_3, SPACE_4, current_theme, themes
from workbench.widgets.labels import label


class Popover(QFrame):
    """An explanation under the widget it belongs to; Ctrl+C copies it. ``html`` shows it in another dress."""

    def __init__(self, text: str, parent: QWidget, html: str = "") -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        self.setObjectName("popover")
        self.setAccessibleName(text)
        self._text = text
        words = label(html or text, wrap=True, rich=bool(html))
        words.setFixedWidth(themes.px(440 if html else 340))
        inside = QVBoxLayout(self)
        inside.setContentsMargins(SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        inside.addWidget(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Control, Qt.Key.Key_Shift):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._text)
        self.close()


def show_popover(text: str, beside: QWidget, html: str = "", place: QRect | None = None) -> Popover:
    """Show an explanation under ``beside``, or under a place in it, inside the screen.

    It belongs to the window: a child of a tinted chip would be written in the chip's colour.
    """
    popover = Popover(text, beside.window(), html)
    popover.adjustSize()
    under = beside.rect() if place is None else place
    at = beside.mapToGlobal(under.bottomLeft() + QPoint(0, 4))
    screen = beside.screen().availableGeometry()
    at.setX(max(screen.left(), min(at.x(), screen.right() - popover.width())))
    at.setY(max(screen.top(), min(at.y(), screen.bottom() - popover.height())))
    popover.move(at)
    popover.show()
    return popover


def workings_html(workings: Sequence[FormulaWorking]) -> str:
    """One line a working, and below them, dim, what the terms are; two that differ in one sign share a line."""
    both = _with_both_signs(workings)
    lines = [both] if both else [_line(working) for working in workings]
    terms = {term.symbol: term for working in workings for term in working.terms if term.meaning}
    if terms:
        meanings = " · ".join(f"<i>{escape(t.symbol)}</i> {escape(t.meaning)}" for t in terms.values())
        lines.append(f'<span style="color:{current_theme().dim}">{meanings}</span>')
    return "<br>".join(lines)


def workings_text(workings: Sequence[FormulaWorking]) -> str:
    """The same as plain text, for copying and reading aloud."""
    terms = {term.symbol: term for working in workings for term in working.terms if term.meaning}
    meanings = [f"{t.symbol} = {shown(t.value)}: {t.meaning}" for t in terms.values()]
    sources = dict.fromkeys(working.source for working in workings if working.source)
    return "\n".join([*(working.sentence() for working in workings), *meanings, *sources])


def _line(working: FormulaWorking, name: str = "", value: str = "") -> str:
    steps = [escape(working.symbolic)]
    if working.filled != working.symbolic:
        steps.append(escape(working.filled))
    source = f' <span style="color:{current_theme().dim}">· {escape(working.source)}</span>' if working.source else ""
    said = value or f"<b>{shown(working.value)}</b>"
    return f"<b>{escape(name or working.name)}</b> = {' = '.join(steps)} = {said}{source}"


def _with_both_signs(workings: Sequence[FormulaWorking]) -> str:
    """The two ends of an interval in one formula with ±; empty where the workings are not such a pair."""
    if len(workings) != 2 or workings[0].terms != workings[1].terms:
        return ""
    low, high = workings
    differ = [at for at, (a, b) in enumerate(zip(low.formula, high.formula, strict=False)) if a != b]
    if len(low.formula) != len(high.formula) or [(low.formula[i], high.formula[i]) for i in differ] != [("−", "+")]:
        return ""
    either = replace(low, formula=f"{low.formula[: differ[0]]}±{low.formula[differ[0] + 1 :]}")
    value = f"<b>{shown(low.value)}</b> and <b>{shown(high.value)}</b>"
    return _line(either, f"{low.name}, {high.name.lower()}", value)
