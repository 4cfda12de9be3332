"""Learners by family: table model, search, and the list with reasons why a learner is not applicable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Any, Final, NamedTuple

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QEvent, QModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from algorithms.core.learner import Learner, Problem
from algorithms.core.registry import Registry
from algorithms.text.sentences import BRIEF_NAMES, in_brief
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.widgets.fields import SearchField
from workbench.widgets.help_pages import beginning_with
from workbench.widgets.keyboard_focus import past_heading
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, named
from workbench.widgets.painting import MIDDLE_LEFT, draw_check, draw_row_ground, draw_text, saved
from workbench.widgets.tables import Index

LEARNER_ROLE: Final = Qt.ItemDataRole.UserRole
REASON_ROLE: Final = Qt.ItemDataRole.UserRole + 1
"""Why this learner is not applicable; empty if it is, or if the reason is common to all."""
ABLE_ROLE: Final = Qt.ItemDataRole.UserRole + 2

BASELINES: Final = "Baselines"


@dataclass(frozen=True)
class LearnerListItem:
    """Line of the list; the heading of a family if ``learner`` is None."""

    text: str
    learner: type[Learner] | None = None


def matches(learner: type[Learner], search: str) -> bool:
    """Whether name, id, family or sentence of the learner contain every word of the search."""
    text = " ".join((learner.name, learner.id, learner.family, learner.sentence)).lower()
    return all(word in text for word in search.lower().split())


CHOSEN: Final = "Chosen"
"""The heading above the ticked learners, which come first."""


def entries(registry: Registry, search: str = "", first: frozenset[str] = frozenset()) -> list[LearnerListItem]:
    """Matching learners, those with the ids ``first`` above the families, in order of registration."""
    items: list[LearnerListItem] = []
    families = registry.families().items()
    chosen = [learner for _, learners in families for learner in learners if learner.id in first]
    groups = [(family, [learner for learner in learners if learner.id not in first]) for family, learners in families]
    for family, learners in [(CHOSEN, chosen), *groups]:
        matching = [learner for learner in learners if matches(learner, search)]
        if matching:
            items.append(LearnerListItem(family))
            items.extend(LearnerListItem(learner.name, learner) for learner in matching)
    return items


def reason(problems: Sequence[Problem]) -> str:
    """First problem of a learner with its remedy, in one line; empty without problems."""
    return " ".join(filter(None, (problems[0].sentence, problems[0].remedy))) if problems else ""


class LearnersModel(QAbstractListModel):
    """The learners; ``problems`` tells why one is not applicable; ``has_ticks`` gives the others tick boxes."""

    ticks_changed = Signal()

    def __init__(self, registry: Registry, problems: Callable[[type[Learner]], Sequence[Problem]]) -> None:
        super().__init__()
        self.has_ticks = False
        self.ticked: frozenset[str] = frozenset()
        """Ids of the ticked learners, also of some that are not applicable."""
        self._registry, self._problems = registry, problems
        self._reasons: dict[type[Learner], str] = {}
        """Cached reasons why learners are not applicable; painting and measuring ask often."""
        self._entries, self._searched, self._first = entries(registry), "", frozenset[str]()
        self.common_reason = self._common_reason()

    def search(self, text: str) -> None:
        self.beginResetModel()
        self._searched = text
        self._entries = entries(self._registry, text, self._first)
        self.endResetModel()

    def put_ticked_first(self) -> None:
        """Put the ticked learners above the families; they stay where they are while the user ticks others."""
        self._first = self.ticked if self.has_ticks else frozenset()
        self.search(self._searched)

    def refresh(self) -> None:
        self._reasons.clear()
        self.common_reason = self._common_reason()
        if self._entries:
            self.dataChanged.emit(self.index(0), self.index(len(self._entries) - 1))

    def show_ticks(self, has_ticks: bool) -> None:
        if has_ticks != self.has_ticks:
            self.has_ticks = has_ticks
            self.put_ticked_first()

    def tick(self, ids: Iterable[str]) -> None:
        """Tick these learners and no others."""
        ticked = frozenset(ids)
        if ticked != self.ticked:
            self.ticked = ticked
            self.refresh()
            self.ticks_changed.emit()

    @property
    def chosen(self) -> list[type[Learner]]:
        """The ticked learners that are applicable, in order of registration."""
        return [kind for kind in self._registry.learners if kind.id in self.ticked and not self._why_not(kind)]

    @property
    def applicable(self) -> frozenset[str]:
        """Ids of the listed learners that are applicable."""
        return frozenset(kind.id for kind in self._registry.learners if kind.listed and not self._why_not(kind))

    @property
    def shown(self) -> frozenset[str]:
        """Ids of the learners that the search shows."""
        return frozenset(entry.learner.id for entry in self._entries if entry.learner is not None)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        learner = index.data(LEARNER_ROLE)
        if role != Qt.ItemDataRole.CheckStateRole or learner is None or not self.has_ticks:
            return False
        self.tick(self.ticked | {learner.id} if value == Qt.CheckState.Checked else self.ticked - {learner.id})
        return True

    def _common_reason(self) -> str:
        """Reason that all learners share; else empty."""
        reasons = {self._why_not(learner) for learner in self._registry.learners}
        return reasons.pop() if len(reasons) == 1 else ""

    def _why_not(self, learner: type[Learner]) -> str:
        if learner not in self._reasons:
            self._reasons[learner] = reason(self._problems(learner))
        return self._reasons[learner]

    def _in_brief(self, learner: type[Learner]) -> str:
        """The reason with the column's name cut, so that a long one leaves room for the reason itself."""
        problems = self._problems(learner)
        column = problems[0].column if problems else None
        return in_brief(reason(problems), () if column is None else (column,), BRIEF_NAMES[0])

    def index_of(self, learner: type[Learner]) -> QModelIndex:
        """Index of a learner; invalid if the search hides it."""
        return self.index_of_first(lambda other: other is learner)

    def first(self) -> QModelIndex:
        return self.index_of_first(lambda learner: True)

    def preferred(self) -> QModelIndex:
        """First applicable learner that is no baseline; else the first of all."""
        index = self.index_of_first(lambda learner: learner.family != BASELINES and not self._problems(learner))
        return index if index.isValid() else self.first()

    def index_of_first(self, wanted: Callable[[type[Learner]], bool]) -> QModelIndex:
        for row, entry in enumerate(self._entries):
            if entry.learner is not None and wanted(entry.learner):
                return self.index(row)
        return QModelIndex()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._entries)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and self._entries[index.row()].learner is not None:
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
            return flags | Qt.ItemFlag.ItemIsUserCheckable if self.has_ticks and index.data(ABLE_ROLE) else flags
        return Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        text, learner = self._entries[index.row()].text, self._entries[index.row()].learner
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if learner is None or role == LEARNER_ROLE:
            return learner
        why = self._why_not(learner)
        if role == Qt.ItemDataRole.CheckStateRole:
            ticks = {True: Qt.CheckState.Checked, False: Qt.CheckState.Unchecked}
            return ticks[learner.id in self.ticked] if self.has_ticks and not why else None
        return {
            REASON_ROLE: "" if why == self.common_reason else self._in_brief(learner),
            ABLE_ROLE: not why,
            Qt.ItemDataRole.ToolTipRole: "\n".join(filter(None, (learner.sentence, why))),
            Qt.ItemDataRole.AccessibleTextRole: f"{text}, not for this data: {why}" if why else text,
            Qt.ItemDataRole.AccessibleDescriptionRole: learner.sentence,
        }.get(role)


WRAP: Final = Qt.TextFlag.TextWordWrap
MOST_LINES: Final = 3
"""Lines of a reason below a name; the tooltip has it whole."""
MOST_OF_SENTENCE: Final = 5
"""Lines of the first sentence of a longer reason."""
MOST_NAME_LINES: Final = 2
TICK_SIZE: Final = 14


class LearnerDelegate(QStyledItemDelegate):
    """Paints families as headings and learners as lines, with a tick box or the reason why one is not applicable."""

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        """A click anywhere on a learner with a tick box, or the space bar, ticks it."""
        is_click = (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
        )
        is_press = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
        if not (is_click or is_press) or not index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            return False
        is_ticked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        other = Qt.CheckState.Unchecked if is_ticked else Qt.CheckState.Checked
        return model.setData(index, other, Qt.ItemDataRole.CheckStateRole)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = _seen_width(option)
        if index.data(LEARNER_ROLE) is None:
            return QSize(width, themes.px(26 if index.row() else 24))
        return QSize(width, _line(width - 2 * SPACE_2 - _tick_room(index), index).height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, area = current_theme(), option.rect
        with saved(painter):
            if index.data(LEARNER_ROLE) is None:
                bottom = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
                family = str(index.data()).upper()
                draw_text(
                    painter, area.adjusted(SPACE_2, 0, 0, -5), family, theme.color("dim"), themes.font(11), bottom
                )
                return
            chosen = draw_row_ground(painter, option)
            room = _tick_room(index)
            tick = index.data(Qt.ItemDataRole.CheckStateRole)
            if tick is not None:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                size = themes.px(TICK_SIZE)
                box = QRectF(area.left() + SPACE_2, area.top() + (themes.px(28) - size) / 2, size, size)
                draw_check(painter, box, checked=tick == Qt.CheckState.Checked)
            width = _seen_width(option) - 2 * SPACE_2 - room
            self._write(painter, area.adjusted(SPACE_2 + room, 0, -SPACE_2, 0), index, chosen, width)

    def _write(self, painter: QPainter, area: QRect, index: Index, chosen: bool, width: int) -> None:
        theme, line = current_theme(), _line(min(area.width(), width), index)
        color = theme.color("dim" if not index.data(ABLE_ROLE) else "accent" if chosen else "text")
        bold = themes.font(bold=True)
        is_bold = chosen and _height(QFontMetrics(bold), area.width(), line.name) <= line.of_name
        place = QRect(area.topLeft(), QSize(area.width(), line.of_name))
        draw_text(painter, place, line.name, color, bold if is_bold else themes.font(), MIDDLE_LEFT | WRAP)
        if line.why:
            below = area.adjusted(0, line.of_name - themes.px(3), 0, 0)
            draw_text(painter, below, line.why, theme.color("dim"), themes.font(11), WRAP)


def _tick_room(index: Index) -> int:
    """Width in pixels left of a name, where the list has tick boxes."""
    model = index.model()
    return themes.px(TICK_SIZE) + SPACE_2 if isinstance(model, LearnersModel) and model.has_ticks else 0


def _seen_width(option: QStyleOptionViewItem) -> int:
    """Width of a line in pixels: that of the viewport, so that measuring and painting wrap alike."""
    view = option.widget
    return view.viewport().width() if isinstance(view, QAbstractItemView) else max(1, option.rect.width())


def in_few_lines(metrics: QFontMetrics, width: int, words: str, most: int = MOST_LINES) -> str:
    """Text cut after a whole word, with an ellipsis, to fit ``most`` lines of this width."""
    words = " ".join(metrics.elidedText(word, Qt.TextElideMode.ElideMiddle, width) for word in words.split(" "))
    room = most * (metrics.lineSpacing() + 1)
    if _height(metrics, width, words) <= room:
        return words
    parts = words.split(" ")
    fit, too_many = 1, len(parts)
    while too_many - fit > 1:
        middle = (fit + too_many) // 2
        if _height(metrics, width, f"{' '.join(parts[:middle])}…") <= room:
            fit = middle
        else:
            too_many = middle
    return f"{' '.join(parts[:fit]).rstrip('.,;:')}…"


def reason_in_few_lines(metrics: QFontMetrics, width: int, why: str) -> str:
    """A reason that fits few lines; else its first sentence."""
    whole = in_few_lines(metrics, width, why)
    if not whole.endswith("…"):
        return whole
    first, stop, _ = why.partition(". ")
    return in_few_lines(metrics, width, first + stop.strip(), MOST_OF_SENTENCE)


class _Line(NamedTuple):
    """Text of a learner at one width: name, reason, and their heights in pixels."""

    name: str
    of_name: int
    why: str
    height: int


def _line(width: int, index: Index) -> _Line:
    return _measured(width, str(index.data()), index.data(REASON_ROLE) or "", themes.scale)


@lru_cache(maxsize=1024)
def _measured(width: int, name: str, why: str, _scale: float) -> _Line:
    """Wrapped text and height of a line; cached, because wrapping is slow and asked for often."""
    metrics = QFontMetrics(themes.font())
    brief = in_few_lines(metrics, width, name, MOST_NAME_LINES)
    of_name = height = themes.px(28) + _height(metrics, width, brief) - metrics.lineSpacing()
    if why:
        small = QFontMetrics(themes.font(11))
        why = reason_in_few_lines(small, width, why)
        height += _height(small, width, why) + 2
    return _Line(brief, of_name, why, height)


def _height(metrics: QFontMetrics, width: int, words: str) -> int:
    return metrics.boundingRect(QRect(0, 0, width, 1000), WRAP, words).height()


class LearnerView(QListView):
    """List view whose lines are as high as their wrapped reasons."""

    entered_learner = Signal()
    _laid_out_for = (0, 0.0)
    """Width and text scale of the current layout."""
    _typed, _typed_at, _pressed_at = "", 0, 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def doItemsLayout(self) -> None:
        self._laid_out_for = (self.viewport().width(), themes.scale)
        super().doItemsLayout()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Schedule a new layout if width or text scale have changed."""
        if self._laid_out_for != (self.viewport().width(), themes.scale):
            self.scheduleDelayedItemsLayout()
        super().paintEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Scroll to the current learner, to which the keys apply; not under a click."""
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason:
            self.scrollTo(self.currentIndex())

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        return past_heading(super().moveCursor(action, modifiers))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_learner.emit()
        else:
            # when it was pressed, as a learner chosen by the letter before may take longer than a pause
            self._pressed_at = event.timestamp() or round(1000 * monotonic())
            self.scrollTo(self.currentIndex())  # so that no key ticks a learner out of sight
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Go to the next learner that begins with the letters typed in one go, else to one with such a word."""
        pause, self._typed_at = self._pressed_at - self._typed_at, self._pressed_at
        self._typed = search if pause > QApplication.keyboardInputInterval() else self._typed + search
        is_one = len(set(self._typed)) == 1  # the same letter again goes to the next one
        wanted = beginning_with(search if is_one else self._typed)
        rows, row = self.model().rowCount(), self.currentIndex().row() + is_one
        indexes = [self.model().index((row + step) % rows, 0) for step in range(rows)]
        learners = [index for index in indexes if index.data(LEARNER_ROLE) is not None]
        for find in (re.match, re.search):
            for index in learners:
                if find(wanted, str(index.data()), re.IGNORECASE):
                    self.setCurrentIndex(index)
                    return


class LearnerList(QWidget):
    """Search field and list; ``chosen`` carries a learner class, ``activated`` follows Enter or double click."""

    chosen = Signal(object)
    activated = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.learner: type[Learner] | None = None
        """Chosen learner, also while the search hides it."""
        self._is_stale = False
        self.model = LearnersModel(session.registry, session.history.summaries.problems)
        self.search = SearchField("Search learners…", "classify.search", self)
        self.search.textChanged.connect(self._search)
        self.view = named(LearnerView(self), "classify.learners", "Learners by family")
        self.view.setModel(self.model)
        self.model.modelReset.connect(self._choose_again)
        self.view.setItemDelegate(LearnerDelegate(self.view))
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMouseTracking(True)
        self.view.selectionModel().currentChanged.connect(self._moved)
        self.view.entered_learner.connect(self.activated)
        self.view.doubleClicked.connect(lambda: None if self.model.has_ticks else self.activated.emit())
        self.nothing = label("No learner matches. Search for another word, or clear the field.", "dim", wrap=True)
        self.nothing.hide()
        self.common = named(label("", "small", wrap=True), "classify.learners.why-not")
        self.common.setProperty("tone", "warning")
        self.common.hide()
        themes.set_length(QWidget.setMinimumWidth, self.view, 100)
        box = column_layout(self.search, self.common, self.nothing, self.view, inside=self, spacing=SPACE_2)
        box.setStretchFactor(self.view, 1)
        session.summary_changed.connect(self._follow)
        session.data_changed.connect(self._follow)
        themes.changed.connect(self.view.scheduleDelayedItemsLayout)
        self.search.returnPressed.connect(self._take_first)

    def choose(self, learner: type[Learner]) -> None:
        """Choose a learner; a search that hides it is cleared."""
        if not self.model.index_of(learner).isValid():
            self.search.clear()
        index = self.model.index_of(learner)
        if index.isValid():
            self.view.setCurrentIndex(index)

    def take(self, learner: type[Learner]) -> None:
        """Choose a learner with the keyboard, and tick it if there are tick boxes."""
        self.choose(learner)
        self.view.setFocus()
        if self.model.has_ticks:
            self.model.tick(self.model.ticked | {learner.id})

    def choose_first(self) -> None:
        self.view.setCurrentIndex(self.model.preferred())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()

    def _follow(self) -> None:
        """Refresh after a change of data; later if the list is hidden."""
        self._is_stale = not self.isVisible()
        if self._is_stale:
            self._session.turns.later(self._catch_up)
        else:
            self.refresh()

    def _catch_up(self) -> None:
        if self._is_stale:
            self.refresh()

    def refresh(self) -> None:
        self._is_stale = False
        self.model.refresh()
        self.common.setText(self.model.common_reason)
        self.common.setVisible(bool(self.model.common_reason))
        self.view.scheduleDelayedItemsLayout()

    def _search(self, text: str) -> None:
        self.model.search(text)
        has_match = self.model.rowCount() > 0
        self.nothing.setVisible(not has_match)
        self.view.setVisible(has_match)

    def _choose_again(self) -> None:
        """Goes back to the chosen learner where others are listed."""
        if self.learner is not None and (index := self.model.index_of(self.learner)).isValid():
            self.view.setCurrentIndex(index)

    def _take_first(self) -> None:
        index = self.model.first()
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.view.setFocus()

    def _moved(self, index: QModelIndex) -> None:
        learner = index.data(LEARNER_ROLE)
        if learner is not None and learner is not self.learner:
            self.learner = learner
            self.chosen.emit(learner)
