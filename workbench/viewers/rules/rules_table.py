"""The rules of a model as rows: in which order they stand, which are shown, and what each cell says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from algorithms.learners.rules.words import if_words
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet
from workbench.style.figures import UNDEFINED
from workbench.style.wording import typeset
from workbench.viewers.original_units import Unscaled, rules_in_own_units
from workbench.viewers.tree.tree_words import amount, percent

_ALIKE: Final = 0.5
"""At least this share of the conditions of the shorter rules are those of the others: one change is made at a time."""


def is_edit_of(new: RuleSet, old: RuleSet) -> bool:
    """Whether rules are likely the old ones with one change, not those of another run."""
    if new.schema != old.schema or abs(new.n_rules - old.n_rules) > 1 or new.is_ordered != old.is_ordered:
        return False
    some, more = sorted((_conditions(new), _conditions(old)), key=len)
    return len(some) == 0 or float(np.isin(some, more).mean()) >= _ALIKE


def places_now(old: RuleSet, new: RuleSet, rules: Iterable[int]) -> set[int]:
    """Where in ``new`` the rules are that say just what some of ``old`` say; those that are no more are left out."""
    found = set[int]()
    own, other = _conditions(old), _conditions(new)
    for rule in rules:
        if rule == DEFAULT_RULE:
            found.add(rule)
            continue
        said = own[list(old.conditions(rule))]
        alike = (new.decision == old.decision[rule]) & (np.diff(new.rule_start) == len(said))
        for place in np.flatnonzero(alike).tolist():
            if place not in found and np.array_equal(other[list(new.conditions(place))], said):
                found.add(place)
                break
    return found


def _conditions(rules: RuleSet) -> NDArray[np.void]:
    """Each condition as one value that can be compared."""
    columns: list[NDArray[np.float64]] = [
        rules.attribute.astype(np.float64),
        np.nan_to_num(rules.low),
        np.nan_to_num(rules.high),
        rules.low_is_open.astype(np.float64),
        rules.takes_missing.astype(np.float64),
        _values(rules),
    ]
    table = np.ascontiguousarray(np.column_stack(columns))
    return table.view(np.dtype((np.void, table.dtype.itemsize * table.shape[1]))).ravel()


def _values(rules: RuleSet) -> NDArray[np.float64]:
    """A number for the values that each condition lists: different ones, but by a rare chance, have different ones."""
    found = np.zeros(rules.n_conditions)
    listed = np.flatnonzero(rules.offset >= 0)
    if len(listed):
        starts = rules.offset[listed].astype(np.int64)
        own = np.append(rules.value_in, 0)
        at = np.arange(len(own)) - np.repeat(starts, np.diff(np.append(starts, len(own))))
        found[listed] = np.add.reduceat(own * np.random.default_rng(1).random(len(own))[at], starts)
    return found


RuleIndex = QModelIndex | QPersistentModelIndex
ROOT: Final = QModelIndex()
NUMBERS_READ: Final = 6
"""Significant digits of a number in a condition where many stand below each other; the whole is in the tooltip."""


class Part(IntEnum):
    """The columns."""

    NUMBER = 0
    CONDITIONS = 1
    CLASS = 2
    RECORDS = 3
    RIGHT = 4
    CLASSES = 5


HEADS: Final = {
    Part.NUMBER: ("Rule", "The place in the list: the first rule that fires decides"),
    Part.CONDITIONS: ("If", "The conditions, which must all hold; a missing value fails them"),
    Part.CLASS: ("Then", "The class that the rule says"),
    Part.RECORDS: ("Decides", "The training records that it decides; the faint part meets it but is decided before"),
    Part.RIGHT: ("Right", "How many of the training records that it decides are of the class that it says"),
    Part.CLASSES: ("Classes", "The classes of the training records that it decides"),
}
VOTING: Final = {
    Part.NUMBER: ("Rule", "All rules that fire vote"),
    Part.RECORDS: ("Covers", "The training records that meet its conditions"),
    Part.RIGHT: ("Right", "How many of the training records that it covers are of the class that it says"),
    Part.CLASSES: ("Classes", "The classes of the training records that it covers"),
}


class RulesTable(QAbstractTableModel):
    """A row a rule, the default one last until the rows are sorted; text is made for the rows that are seen."""

    def __init__(self) -> None:
        super().__init__()
        self._rules: RuleSet | None = None
        self._worded: RuleSet | None = None
        self._order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._shown: NDArray[np.int64] = self._order
        self._words: dict[int, str] = {}
        self._looked_for = ""
        self._class: int | None = None
        self._least = 0.0
        self._hidden: set[int] = set()
        self._sorted = (int(Part.NUMBER), Qt.SortOrder.AscendingOrder)
        self.is_edited = False
        """Whether the rules are those that were shown before, edited."""
        self.fired: tuple[int, ...] = ()
        self._in_parts = False
        """The rules that fire for the record in question, the one that decides first."""

    # ---- what is shown -----------------------------------------------------------------------------------------------

    @property
    def rules(self) -> RuleSet | None:
        return self._rules

    @property
    def worded(self) -> RuleSet | None:
        """The rules to be put into words, with numbers of rescaled columns as the table has them."""
        return self._worded

    def set_rules(self, rules: RuleSet | None, unscaled: Unscaled | None = None) -> None:
        """Show these rules, in their own order; of the same rules edited those stay hidden that were, in the order in
        which they are sorted. ``unscaled`` finds the numbers of rescaled columns as the table has them."""
        before, sorted_by = self._rules, self._sorted
        is_edit = before is not None and rules is not None and is_edit_of(rules, before)
        hidden = places_now(before, rules, self._hidden) if is_edit and before and rules else set[int]()
        self._show_anew(rules, None if rules is None else rules_in_own_units(rules, unscaled))
        self.is_edited = is_edit
        if is_edit:
            self._hidden = hidden
            self._choose()
            self.sort(*sorted_by)

    def _show_anew(self, rules: RuleSet | None, worded: RuleSet | None) -> None:
        self.beginResetModel()
        self._rules, self._worded = rules, worded
        self._words, self._looked_for, self.fired = {}, "", ()
        self._class, self._least, self._hidden = None, 0.0, set()
        self._sorted = (int(Part.NUMBER), Qt.SortOrder.AscendingOrder)
        self._order = (
            np.zeros(0, dtype=np.int64) if rules is None else np.append(np.arange(rules.n_rules), DEFAULT_RULE)
        )
        self._shown = self._order
        self.endResetModel()

    def set_words(self, words: Sequence[str]) -> None:
        """The conditions of all rules in words, made elsewhere."""
        self._words.update(enumerate(words))
        if self._looked_for:
            self._choose()

    def look_for(self, text: str, code: int | None = None, least: float = 0.0) -> None:
        """Show only the rules in whose words this stands, that say this class, and decide at least this weight."""
        self._looked_for, self._class, self._least = text.casefold().strip(), code, least
        self._choose()

    def hide(self, rule: int) -> None:
        """Put a rule out of sight."""
        self._hidden.add(rule)
        self._choose()

    def show_hidden(self) -> None:
        """Bring back all that was put out of sight."""
        self._hidden.clear()
        self._choose()

    @property
    def n_hidden(self) -> int:
        return len(self._hidden)

    def _choose(self) -> None:
        """Find which rules are shown."""
        rules = self._rules
        if rules is None:
            return
        self.beginResetModel()
        found = self._order
        if self._class is not None:
            found = found[np.append(rules.decision, rules.default_decision)[found] == self._class]
        if self._least > 0:
            found = found[np.append(rules.decided.sum(axis=1), rules.default_counts.sum())[found] >= self._least]
        kept = found.tolist()
        if self._hidden:
            kept = [rule for rule in kept if rule not in self._hidden]
        if self._looked_for:
            kept = [rule for rule in kept if self._looked_for in self.sentence(rule).casefold()]
        self._shown = np.array(kept, dtype=np.int64)
        self.endResetModel()

    @property
    def n_shown(self) -> int:
        return len(self._shown)

    def rule_of(self, row: int) -> int:
        return int(self._shown[row])

    def row_of(self, rule: int) -> int | None:
        """Where a rule stands; None where it is not shown."""
        found = np.flatnonzero(self._shown == rule)
        return int(found[0]) if len(found) else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rules by a column; equal ones keep their own order, and the focus stays on its rule."""
        rules = self._rules
        if rules is None or (column, order) == self._sorted:
            return
        self._sorted = column, order
        own = np.append(np.arange(rules.n_rules), DEFAULT_RULE)
        keys = self._keys(rules, column)
        by = np.argsort(keys if order == Qt.SortOrder.AscendingOrder else -keys, kind="stable")
        self.layoutAboutToBeChanged.emit()
        self._order = own[by]
        kept = set(self._shown.tolist())
        before, held = self._shown, self.persistentIndexList()
        self._shown = np.array([rule for rule in self._order.tolist() if rule in kept], dtype=np.int64)
        places = {rule: row for row, rule in enumerate(self._shown.tolist())}
        moved = [self.index(places[int(before[index.row()])], index.column()) for index in held]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

    def _keys(self, rules: RuleSet, column: int) -> NDArray[np.float64]:
        """What the rows go by (r + 1,)."""
        decided = np.vstack([rules.decided, rules.default_counts])
        if column == Part.CONDITIONS:
            starts, sizes = rules.rule_start[:-1], np.diff(rules.rule_start)
            first = np.append(rules.attribute, [-1])[np.where(sizes > 0, starts, -1)]
            return np.append(first, len(rules.schema)).astype(np.float64)
        if column in (Part.CLASS, Part.CLASSES):
            return np.append(rules.decision, rules.default_decision).astype(np.float64)
        if column == Part.RECORDS:
            return np.asarray(decided.sum(axis=1))
        if column == Part.RIGHT:
            return np.array([self.right_share(rule) for rule in (*range(rules.n_rules), DEFAULT_RULE)])
        return np.arange(rules.n_rules + 1, dtype=np.float64)

    # ---- what is said ------------------------------------------------------------------------------------------------

    def right_share(self, rule: int) -> float:
        """Which part of what a rule decides in training it is right about; 0 where it decides nothing."""
        assert self._rules is not None
        counts = self._rules.decided_by(rule)
        total = float(counts.sum())
        return float(counts[self._rules.decision_of(rule)]) / total if total > 0 else 0.0

    def conditions(self, rule: int) -> str:
        """What makes a rule fire, in words."""
        assert self._worded is not None
        if rule not in self._words:
            self._words[rule] = typeset(if_words(self._worded, rule, digits=NUMBERS_READ))
        return self._words[rule]

    def sentence(self, rule: int) -> str:
        """A whole rule: its conditions and what it says."""
        assert self._rules is not None
        return f"{self.conditions(rule)} then {self._rules.schema.classes[self._rules.decision_of(rule)]}"

    def place_words(self, rule: int) -> str:
        """The number of a rule, and whether it fires for the record in question, or conflicts with what is decided."""
        number = "else" if rule == DEFAULT_RULE else f"{rule + 1:,}"
        if rule not in self.fired:
            return number
        assert self._rules is not None
        if self._in_parts:
            return f"{number} in part"
        decides = rule == self.fired[0] and self._rules.is_ordered
        conflicts = self._rules.is_ordered and self._rules.decision_of(rule) != self._rules.decision_of(self.fired[0])
        return f"{number} {'decides' if decides else 'conflicts' if conflicts else 'fires'}"

    def text(self, rule: int, part: int) -> str:
        """What stands in a cell."""
        rules = self._rules
        assert rules is not None
        counts = rules.decided_by(rule)
        if part == Part.NUMBER:
            return self.place_words(rule)
        if part == Part.CONDITIONS:
            return self.conditions(rule)
        if part == Part.CLASS:
            return rules.schema.classes[rules.decision_of(rule)]
        if part == Part.RECORDS:
            return amount(float(counts.sum()))
        if part == Part.RIGHT:
            return percent(self.right_share(rule)) if counts.sum() > 0 else UNDEFINED
        said = [(float(n), name) for n, name in zip(counts, rules.schema.classes, strict=True) if n > 0]
        return ", ".join(f"{name} {amount(n)}" for n, name in sorted(said, key=lambda each: -each[0]))

    def tip(self, rule: int, part: int) -> str:
        """What the pointer is told over a cell."""
        rules = self._rules
        assert rules is not None
        if part == Part.RIGHT and not rules.decided_by(rule).sum():
            return "It decides no training record"
        if part != Part.RECORDS or rule == DEFAULT_RULE or not rules.is_ordered:
            return self.text(rule, part)
        covered, decided = float(rules.covered[rule].sum()), float(rules.decided[rule].sum())
        before = f", {amount(covered - decided)} of them are decided by earlier rules" if covered > decided else ""
        return f"{amount(covered)} training records meet its conditions{before}"

    # ---- Qt ----------------------------------------------------------------------------------------------------------

    def rowCount(self, parent: RuleIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: RuleIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(Part)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        votes = self._rules is not None and not self._rules.is_ordered
        words, tip = (VOTING if votes else {}).get(Part(section), HEADS[Part(section)])
        if role == Qt.ItemDataRole.DisplayRole:
            return words
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return f"{tip}. Click to sort by it." if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: RuleIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._rules is None or not index.isValid():
            return None
        rule = self.rule_of(index.row())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.text(rule, index.column())
        return self.tip(rule, index.column()) if role == Qt.ItemDataRole.ToolTipRole else None

    def set_fired(self, fired: Sequence[int], *, in_parts: bool = False) -> None:
        """Mark the rules that fire for a record, the one that decides first, or ``in_parts``, each of which decides a
        part; none where it is empty."""
        self.fired, self._in_parts = tuple(fired), in_parts
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0))
