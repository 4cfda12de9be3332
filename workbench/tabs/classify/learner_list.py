"""Learners by family: table model, search, and the list with reasons why a learner is not applicable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from algorithms.core.learner import Learner, Problem
from algorithms.core.registry import Registry
from workbench.session.session import Session
from workbench.style.theme import CONTROL_RADIUS, SPACE_2, current_theme, themes
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import label

LEARNER_ROLE: Final = Qt.ItemDataRole.UserRole
REASON_ROLE: Final = Qt.ItemDataRole.UserRole + 1
"""Why this learner cannot take the data; empty where it can, or where the same holds for all."""
ABLE_ROLE: Final = Qt.ItemDataRole.UserRole + 2

BASELINES: Final = "Baselines"
"""The family of learners that only set the mark for the others."""

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class LearnerListItem:
    """A line of the list: a family's heading where ``learner`` is None."""

    text: str
    learner: type[Learner] | None = None


def matches(learner: type[Learner], search: str) -> bool:
    """Whether every word searched for is in the learner's name, id, family or sentence."""
    text = " ".join((learner.name, learner.id, learner.family, learner.sentence)).lower()
    return all(word in text for word in search.lower().split())


def entries(registry: Registry, search: str = "") -> list[LearnerListItem]:
    """The families with their learners that match, in the order of registration; no family without learners."""
    found: list[LearnerListItem] = []
    for family, learners in registry.families().items():
        matching = [learner for learner in learners if matches(learner, search)]
        if matching:
            found.append(LearnerListItem(family))
            found.extend(LearnerListItem(learner.name, learner) for learner in matching)
    return found


def reason(problems: Sequence[Problem]) -> str:
    """Why a learner is greyed out, and what to do about it, in one line; empty where it is not."""
    return " ".join(filter(None, (problems[0].sentence, problems[0].remedy))) if problems else ""


class LearnersModel(QAbstractListModel):
    """The lines of the list. ``problems`` says why a learner cannot take the data at hand."""

    def __init__(self, registry: Registry, problems: Callable[[type[Learner]], Sequence[Problem]]) -> None:
        super().__init__()
        self._registry, self._problems = registry, problems
        self._known: dict[type[Learner], str] = {}
        """Why each learner cannot take the data, asked once for all that is painted and measured of its line."""
        self._entries = entries(registry)
        self.common_reason = self._common_reason()

    def search(self, text: str) -> None:
        """Keep the learners that match."""
        self.beginResetModel()
        self._entries = entries(self._registry, text)
        self.endResetModel()

    def refresh(self) -> None:
        """Ask again which learners can take the data."""
        self._known.clear()
        self.common_reason = self._common_reason()
        if self._entries:
            self.dataChanged.emit(self.index(0), self.index(len(self._entries) - 1))

    def _common_reason(self) -> str:
        """Why no learner at all can take the data, where that is the same for each; else empty."""
        reasons = {self._why_not(learner) for learner in self._registry.learners}
        return reasons.pop() if len(reasons) == 1 else ""

    def _why_not(self, learner: type[Learner]) -> str:
        if learner not in self._known:
            self._known[learner] = reason(self._problems(learner))
        return self._known[learner]

    def index_of(self, learner: type[Learner]) -> QModelIndex:
        """Where the learner stands; invalid where it is filtered out."""
        for row, entry in enumerate(self._entries):
            if entry.learner is learner:
                return self.index(row)
        return QModelIndex()

    def first(self) -> QModelIndex:
        """The first learner of the list."""
        return self.index_of_first(lambda learner: True)

    def preferred(self) -> QModelIndex:
        """The first learner that can take the data and is no mere mark to beat; else the first of all."""
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
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.text
        if role == LEARNER_ROLE:
            return entry.learner
        if entry.learner is None:
            return None
        why = self._why_not(entry.learner)
        if role == REASON_ROLE:
            return "" if why == self.common_reason else why
        if role == ABLE_ROLE:
            return not why
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (entry.learner.sentence, why)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.text}, not for this data: {why}" if why else entry.text
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return entry.learner.sentence
        return None


WRAP = Qt.TextFlag.TextWordWrap


MOST_LINES: Final = 3
"""Of a reason below a name; the tooltip and the pane of the learner have it whole."""
MOST_OF_SENTENCE: Final = 5
"""Of the first sentence of a reason that has no room whole: what it says is not to end in the middle."""
MOST_NAME_LINES: Final = 2


class LearnerDelegate(QStyledItemDelegate):
    """Paints families as small headings, learners as lines, and why one cannot be used below its name."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = _seen_width(option)
        if index.data(LEARNER_ROLE) is None:
            return QSize(width, themes.px(26 if index.row() else 20))
        return QSize(width, _line(width - 2 * SPACE_2, index).height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, area = current_theme(), option.rect
        painter.save()
        if index.data(LEARNER_ROLE) is None:
            painter.setPen(theme.color("dim"))
            painter.setFont(themes.font(11))
            bottom = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
            painter.drawText(area.adjusted(0, 0, 0, -5), bottom, str(index.data()).upper())
            painter.restore()
            return
        state = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        pointed = bool(state & QStyle.StateFlag.State_MouseOver)
        if chosen or pointed:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_soft" if chosen else "soft"))
            painter.drawRoundedRect(QRectF(area).adjusted(0, 1, 0, -1), CONTROL_RADIUS, CONTROL_RADIUS)
        self._write(painter, area.adjusted(SPACE_2, 0, -SPACE_2, 0), index, chosen, _seen_width(option) - 2 * SPACE_2)
        painter.restore()

    def _write(self, painter: QPainter, area: QRect, index: Index, chosen: bool, width: int) -> None:
        theme, line = current_theme(), _line(min(area.width(), width), index)
        painter.setPen(theme.color("dim" if not index.data(ABLE_ROLE) else "accent" if chosen else "text"))
        bold = themes.font(bold=True)
        is_bold = chosen and _height(QFontMetrics(bold), area.width(), line.name) <= line.of_name
        painter.setFont(bold if is_bold else themes.font())
        place = QRect(area.topLeft(), QSize(area.width(), line.of_name))
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | WRAP, line.name)
        if line.why:
            painter.setFont(themes.font(11))
            painter.setPen(theme.color("dim"))
            painter.drawText(area.adjusted(0, line.of_name - themes.px(3), 0, 0), WRAP, line.why)


def _seen_width(option: QStyleOptionViewItem) -> int:
    """How wide a line is in pixels: as wide as the list shows any, also where it asks ahead with another width in mind.

    What is asked for its height and what is painted so are the same words.
    """
    view = option.widget
    return view.viewport().width() if isinstance(view, QAbstractItemView) else max(1, option.rect.width())


def in_few_lines(metrics: QFontMetrics, width: int, words: str, most: int = MOST_LINES) -> str:
    """As much of the words as stands in so many lines of this width, whole words and an ellipsis where that is less."""
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
    """A reason where it stands in few lines; else its first sentence, which says what is the matter."""
    whole = in_few_lines(metrics, width, why)
    if not whole.endswith("…"):
        return whole
    first, stop, _ = why.partition(". ")
    return in_few_lines(metrics, width, first + stop.strip(), MOST_OF_SENTENCE)


class _Line(NamedTuple):
    """What is written of a learner at one width: its name, why it cannot be used, and how high that stands (pixels)."""

    name: str
    of_name: int
    why: str
    height: int


def _line(width: int, index: Index) -> _Line:
    return _measured(width, str(index.data()), index.data(REASON_ROLE) or "", themes.scale)


@lru_cache(maxsize=1024)
def _measured(width: int, name: str, why: str, _scale: float) -> _Line:
    """Fitting words takes most of the time of a line, which is asked for its height again and again."""
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
    """The list itself; its lines are as high as the reasons in them need at this width."""

    entered_learner = Signal()
    _laid_out_for = (0, 0.0)
    """The width of a line, and the size of text, that the lines have now."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def doItemsLayout(self) -> None:
        self._laid_out_for = (self.viewport().width(), themes.scale)
        super().doItemsLayout()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Lines that were laid out for another width or size of text are laid out anew, whatever brought it about."""
        if self._laid_out_for != (self.viewport().width(), themes.scale):
            self.scheduleDelayedItemsLayout()
        super().paintEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_learner.emit()
        else:
            super().keyPressEvent(event)


class LearnerList(QWidget):
    """Search field and list; ``chosen`` comes with the learner's class, ``activated`` with Enter on it."""

    chosen = Signal(object)
    activated = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._learner: type[Learner] | None = None
        self._is_stale = False
        self.model = LearnersModel(session.registry, session.problems)
        self.search = SearchField("Search learners…", "classify.search", self)
        self.search.textChanged.connect(self._search)
        self.view = LearnerView(self)
        self.view.setObjectName("classify.learners")
        self.view.setAccessibleName("Learners by family")
        self.view.setModel(self.model)
        self.view.setItemDelegate(LearnerDelegate(self.view))
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMouseTracking(True)
        self.view.selectionModel().currentChanged.connect(self._moved)
        self.view.entered_learner.connect(self.activated)
        self.view.doubleClicked.connect(self.activated)
        self.nothing = label("No learner matches. Search for another word, or clear the field.", "dim", wrap=True)
        self.nothing.hide()
        self.common = label("", "small", wrap=True)
        self.common.setObjectName("classify.learners.why-not")
        self.common.setProperty("tone", "warning")
        self.common.hide()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_2)
        for widget in (self.search, self.common, self.nothing, self.view):
            box.addWidget(widget)
        box.setStretchFactor(self.view, 1)
        session.summary_changed.connect(self._follow)
        session.data_changed.connect(self._follow)
        themes.changed.connect(self.view.scheduleDelayedItemsLayout)
        self.search.returnPressed.connect(self._take_first)

    @property
    def learner(self) -> type[Learner] | None:
        """The chosen learner; it stays chosen while the search hides it."""
        return self._learner

    def choose(self, learner: type[Learner]) -> None:
        """Choose a learner, showing it again where the search hides it."""
        if not self.model.index_of(learner).isValid():
            self.search.clear()
        index = self.model.index_of(learner)
        if index.isValid():
            self.view.setCurrentIndex(index)

    def choose_first(self) -> None:
        """Choose the learner to begin with."""
        self.view.setCurrentIndex(self.model.preferred())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()

    def _follow(self) -> None:
        """The data is another: draw anew, in a turn of its own where nobody sees it yet."""
        self._is_stale = not self.isVisible()
        if self._is_stale:
            self._session.turns.later(self._catch_up)
        else:
            self.refresh()

    def _catch_up(self) -> None:
        if self._is_stale:
            self.refresh()

    def refresh(self) -> None:
        """Draw anew which learners can take the data."""
        self._is_stale = False
        self.model.refresh()
        self.common.setText(self.model.common_reason)
        self.common.setVisible(bool(self.model.common_reason))
        self.view.scheduleDelayedItemsLayout()

    def _search(self, text: str) -> None:
        self.model.search(text)
        found = self.model.rowCount() > 0
        self.nothing.setVisible(not found)
        self.view.setVisible(found)
        if self._learner is not None:
            index = self.model.index_of(self._learner)
            if index.isValid():
                self.view.setCurrentIndex(index)

    def _take_first(self) -> None:
        index = self.model.first()
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.view.setFocus()

    def _moved(self, index: QModelIndex) -> None:
        learner = index.data(LEARNER_ROLE)
        if learner is not None and learner is not self._learner:
            self._learner = learner
            self.chosen.emit(learner)
