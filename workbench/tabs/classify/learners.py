"""The learners by family: found by typing, explained in a sentence, greyed out with the reason where they cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from algorithms.core.learner import Learner, Problem
from algorithms.core.registry import Registry

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
