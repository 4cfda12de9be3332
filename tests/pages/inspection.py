"""What the widgets of a page tell about it: buttons in view, controls cut off, small text, replaced terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QFontInfo, QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QRadioButton,
    QTabBar,
    QTableView,
    QToolButton,
    QWidget,
)

from workbench.widgets.labels import ElidedLabel

SMALLEST: Final = 11
"""Pixels that text has at least, at a scale of 1."""
MOST_BUTTONS: Final = 15
MOST_CELLS: Final = 12
"""Rows and columns of a table whose texts are looked at."""
ROWS_OF_A_LIST: Final = 5
"""A list of a fixed height with so many rows in view scrolls on purpose."""

REPLACED: Final[Mapping[str, re.Pattern[str]]] = {
    term: re.compile(pattern, re.IGNORECASE)
    for term, pattern in {
        "times in 100": r"\btimes in 100\b|\bin 100\b",
        "said (predicted)": r"\bsaid\b|\bsaying\b",
        "place (rank)": r"\bmean places?\b",
        "claims (significant)": r"\bclaims\b",
        "shuffle test (permutation test)": r"(?<!· )\bshuffle tests?\b",
        "found (recall)": r"^found\b|\bit finds\b",
        "sure (precision)": r"^sure$|\bsurely\b|\bhow sure\b|%\)? sure\b|\bsurest\b",
        "by luck": r"\bby luck\b|\bis it luck\b",
        "flatters": r"\bflatter",
        "right, wrong": r"^(?:right|wrong)\b",
        "cleared (specificity)": r"^cleared$",
        "false alarms (FPR)": r"^false alarms?$",
        "judge (evaluate, test)": r"\bjudg(?:e[ds]?|ing|ements?)\b",
        "hold out part (holdout)": r"\bhold out (?:part|the latest)\b",
        "leave one out (leave-one-out)": r"\bleave one out\b",
        "try several (compare learners, tune)": r"\btry several\b",
        "ledger (runs)": r"\bledger\b",
        "honesty (warnings)": r"\bhonesty\b",
        "committee (ensemble)": r"\bcommittees?\b",
        "list of values (nominal)": r"\blists? of values\b",
        "by itself": r"\bmakes? itself\b|\banew\b|\breckon(?:s|ed|ing)?\b",
        "what it gets right (performance)": r"\bwhat it gets right\b",
        "what mistakes cost (costs & threshold)": r"\bwhat mistakes cost\b",
        "more records, other values (diagnostics)": r"\bmore records, other values\b",
        "in force (decision rule)": r"\bin force\b",
        "tinted (background)": r"\btinted\b",
        "usual text size (reset text size)": r"\busual text size\b",
        "past messages (notifications)": r"\bpast messages\b",
    }.items()
}
"""Terms that the window no longer uses, with what finds them; the term that replaced one stands in brackets."""


@dataclass(frozen=True)
class Inspection:
    """What was noticed on a page: names of buttons, and a line for each fault."""

    buttons: tuple[str, ...]
    cut_off: tuple[str, ...]
    small: tuple[str, ...]
    replaced: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The figures of the page in one line."""
        return (
            f"{len(self.buttons)} buttons, {len(self.cut_off)} cut off, {len(self.small)} small texts, "
            f"{len(self.replaced)} replaced terms"
        )

    def lines(self) -> Iterator[str]:
        """A line for each fault."""
        if len(self.buttons) > MOST_BUTTONS:
            yield f"buttons: {', '.join(self.buttons)}"
        for title, faults in (("cut off", self.cut_off), ("small", self.small), ("replaced", self.replaced)):
            for fault in faults:
                yield f"{title}: {fault}"


def inspect(window: QWidget, scale: float = 1.0) -> Inspection:
    """Look at every widget in view; ``scale`` is that of the text. Menus of charts count while they are painted."""
    widgets = [w for w in window.findChildren(QWidget) if w.isVisible() and not w.visibleRegion().isEmpty()]
    buttons = [w for w in widgets if _is_button(w) and _is_within_reach(w, window)]
    texts = {text: name_of(widget) for widget in widgets for text in texts_of(widget)}
    return Inspection(
        tuple(map(name_of, buttons)),
        tuple(f"{name_of(w)} ({reason})" for w in widgets if (reason := _cut_off(w))),
        tuple(f"{name_of(w)} has {size} px" for w in widgets if (size := _text_size(w)) < SMALLEST * scale),
        tuple(sorted({f"{term}: {text!r} of {name}" for text, name in texts.items() for term in replaced_terms(text)})),
    )


def _is_button(widget: QWidget) -> bool:
    """Whether a widget looks like a button: words that read as a link in a sentence do not."""
    return isinstance(widget, QPushButton | QToolButton) and widget.property("part") != "link"


def _is_within_reach(button: QWidget, window: QWidget) -> bool:
    """Whether a button is painted and not covered by something over it."""
    middle = button.mapTo(window, button.visibleRegion().boundingRect().center())
    return getattr(button, "is_painted", True) and window.childAt(middle) in (button, *button.findChildren(QWidget))


def replaced_terms(text: str) -> list[str]:
    """The terms in a text that the glossary has replaced."""
    return [term for term, pattern in REPLACED.items() if pattern.search(text)]


def name_of(widget: QWidget) -> str:
    """The object name of a widget, else its text, else its class with the nearest name above it."""
    if widget.objectName():
        return widget.objectName()
    text = next(iter(texts_of(widget)), "")
    parent = widget.parentWidget()
    return repr(text) if text else f"{type(widget).__name__} in {name_of(parent) if parent else 'nothing'}"


def texts_of(widget: QWidget) -> Iterator[str]:
    """Every text of a widget that a person can read: its own, choices, headings, cells and tooltip, without markup."""
    for text in _written(widget):
        plain = QTextDocumentFragment.fromHtml(text).toPlainText() if _is_markup(text) else text
        if plain.strip():
            yield plain.strip()


def _is_markup(text: str) -> bool:
    return re.search(r"<\w+[^<>]*>", text) is not None


def _written(widget: QWidget) -> Iterator[str]:
    yield widget.toolTip()
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text().replace("&&", "\0").replace("&", "").replace("\0", "&")
        case QLineEdit():
            yield widget.placeholderText()
        case QGroupBox():
            yield widget.title()
        case QComboBox():
            yield from (widget.itemText(i) for i in range(widget.count()))
        case QTabBar():
            yield from (widget.tabText(i) for i in range(widget.count()))
        case QTableView() if widget.model() is not None:
            model = widget.model()
            for column in range(min(model.columnCount(), 50)):
                yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
            yield from _cells(model, model.columnCount())
        case QListView() if widget.model() is not None:
            yield from _cells(widget.model(), 1)
        case _:
            pass


def _cells(model: QAbstractItemModel, n_columns: int) -> Iterator[str]:
    """Texts and tooltips of the first cells of a table or list."""
    for row in range(min(model.rowCount(), MOST_CELLS)):
        for column in range(min(n_columns, MOST_CELLS)):
            for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                yield str(model.index(row, column).data(role) or "")


def _text_size(widget: QWidget) -> float:
    """Pixels of a widget's text; infinite if it shows none."""
    shows = isinstance(widget, QLabel | QAbstractButton | QLineEdit | QComboBox | QAbstractItemView)
    empty = isinstance(widget, QLabel | QAbstractButton) and not widget.text()
    return QFontInfo(widget.font()).pixelSize() if shows and not empty else float("inf")


def _cut_off(widget: QWidget) -> str:
    """Why a control does not show its whole text or itself; empty if it does."""
    if isinstance(widget, QLabel) and widget.wordWrap() and widget.text():
        needed = widget.heightForWidth(widget.width())
        if needed > widget.height() + 1:
            return f"{widget.height()} px high, needs {needed}"
    if isinstance(widget, QAbstractScrollArea):
        bar, is_fixed = widget.verticalScrollBar(), widget.minimumHeight() == widget.maximumHeight()
        is_list = isinstance(widget, QListView) and bar.pageStep() >= ROWS_OF_A_LIST
        return (
            f"of a fixed height, scrolls by {bar.maximum()}" if bar.maximum() > 0 and is_fixed and not is_list else ""
        )
    area = _scroll_area(widget)
    if area is not None:
        return _beyond(widget, area)
    if isinstance(widget, ElidedLabel):  # it may show a shorter wording, or cut a name in its middle
        return f"shows {widget.shown()!r}" if widget.shown().endswith("…") > widget.text().endswith("…") else ""
    if isinstance(widget, QLabel):
        if not widget.text() or widget.wordWrap() or _is_markup(widget.text()):
            return ""
        width = widget.fontMetrics().horizontalAdvance(widget.text())
        return f"{widget.contentsRect().width()} px for {width}" if width > widget.contentsRect().width() + 1 else ""
    if isinstance(widget, QPushButton | QToolButton | QCheckBox | QRadioButton | QComboBox | QLineEdit):
        if widget.visibleRegion().boundingRect().size() != widget.size():
            seen = widget.visibleRegion().boundingRect()
            return f"{seen.width()} x {seen.height()} of {widget.width()} x {widget.height()} px in view"
        least = widget.minimumSizeHint().width()
        if isinstance(widget, QAbstractButton) and widget.text() and widget.width() < least - 1:
            return f"{widget.width()} px wide, needs {least}"
    return ""


def _scroll_area(widget: QWidget) -> QAbstractScrollArea | None:
    """What scrolls the widget, so that it may be half in view."""
    parent = widget.parentWidget()
    while parent is not None and not parent.isWindow():
        if isinstance(parent, QAbstractScrollArea):
            return parent
        parent = parent.parentWidget()
    return None


def _beyond(widget: QWidget, area: QAbstractScrollArea) -> str:
    """How far a label or control stands beyond an area that scrolls up and down only; empty if it does not."""
    never = area.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    shows = isinstance(widget, QLabel | QAbstractButton | QComboBox | QLineEdit)
    if not never or not shows or isinstance(area, QAbstractItemView):
        return ""
    end, room = widget.mapTo(area.viewport(), widget.rect().topRight()).x() + 1, area.viewport().width()
    return f"ends at {end} px of {room}" if end > room else ""
