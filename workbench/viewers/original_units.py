"""Structures learned from rescaled columns, with their numbers in original units. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, isnan, nan
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from algorithms.core.filters import FittedFilter, FittedRecipe
from algorithms.core.learner import LogOddsTerm, NumberInContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray, IntArray, needs_fewer_digits, neighbours, short_cuts
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.linear.model import beside_words, number_words
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import SplitTest, Tree
from algorithms.text.numbers import EXACT, cut_number

Unscaled = Callable[[str, float], float | None]
"""Maps the name of a column and a number as the model sees it to the number in the table."""
STRAIGHT: Final = 1e-6
"""Relative deviation of the middle of two numbers up to which a scale is linear."""
DIGITS: Final = 6
"""Least significant digits of a number; more are used if needed, as for dates."""
NOISE: Final = 1e-12
"""Relative error of scaling and its inverse, which is hidden."""
BREATH: Final = 200
RECORDS_AT_ONCE: Final = 20_000
IN_SHORT: Final = "numbers as in the table"
AS_IN_THE_TABLE: Final = "Numbers stand as the table has them; the model sees them after the steps that scale them."


@dataclass(frozen=True, eq=False)
class TableNumbers:
    """How numbers of a model are written: as in the table, thresholds with as few digits as divide its records alike.

    ``unscaled`` is None if no step rescales. ``records`` returns the ``n_records`` records as the model sees them.
    """

    unscaled: Unscaled | None
    records: Callable[[], Dataset]
    n_records: int
    known: dict[tuple[str, float, bool], float] = field(default_factory=dict)
    """Numbers written so far, by column, cut as the model sees it, and whether it belongs to the numbers above it."""

    @property
    def take_long(self) -> bool:
        """Whether thresholds are written in a job, because of the number of records."""
        return self.n_records > RECORDS_AT_ONCE

    def write(self, cuts: Iterable[ColumnCuts], give_way: Callable[[], None]) -> None:
        """Writes these cuts of some columns into the arrays they are shown from."""
        data: Dataset | None = None
        for those in cuts:
            give_way()
            name, upwards, shown = those.name, those.upwards, those.shown
            places = those.places[needs_fewer_digits(shown[those.places])]
            keys = [(name, cut, upwards) for cut in those.seen[places].tolist()]
            new = {key: place for key, place in zip(keys, places.tolist(), strict=True) if key not in self.known}
            if new:
                data = self.records() if data is None else data
                short = self._short(data, those, those.seen[[*new.values()]], shown[[*new.values()]])
                self.known.update(zip(new, short.tolist(), strict=True))
            shown[places] = [self.known[key] for key in keys]

    def own_cut(self, name: str, cut: float) -> float:
        """A cut of a column in original units with few digits."""
        shown = np.array([in_own_units(name, cut, self.unscaled)])
        self.write([ColumnCuts(name, np.array([cut]), shown, np.zeros(1, dtype=np.int64))], lambda: None)
        return float(shown[0])

    def _short(self, data: Dataset, those: ColumnCuts, seen: FloatArray, own: FloatArray) -> FloatArray:
        name, sign = those.name, -1.0 if those.upwards else 1.0
        if name not in data.schema or not data.schema.attributes[data.schema.index_of(name)].kind.is_float:
            return own
        below, above = neighbours(sign * data.column(data.schema.index_of(name)), sign * seen)
        if self.unscaled is not None:
            below, above = (
                np.array([sign * in_own_units(name, sign * end, self.unscaled) for end in ends.tolist()])
                for ends in (below, above)
            )
        return sign * short_cuts(sign * own, below, above)


@dataclass(frozen=True, eq=False)
class ColumnCuts:
    """Cuts of a column: those at ``places`` (m,) of ``seen``, as the model sees them, and of ``shown``, to be written.

    With ``upwards`` a cut belongs to the numbers above it.
    """

    name: str
    seen: FloatArray
    shown: FloatArray
    places: IntArray
    upwards: bool = False


def table_numbers(trained: TrainedClassifier, data: Dataset) -> TableNumbers:
    """How numbers of a trained model are written beside the raw records ``data``."""
    return TableNumbers(unscaled_by(trained.recipe), lambda: trained.prepared(data), len(data))


@runtime_checkable
class ShowsTableNumbers(Protocol):
    """A viewer that words numbers as the table has them."""

    def set_numbers(self, numbers: TableNumbers | None) -> None:
        """Words them so from the next structure on."""


class ShowsStructure(Protocol):
    """A viewer of some kind of structure."""

    def set_structure(self, structure: Any) -> None: ...


def show_structure(viewer: ShowsStructure, structure: object, numbers: TableNumbers | None) -> None:
    """Shows a structure in its viewer, with numbers as the table has them if the viewer supports that."""
    if isinstance(viewer, ShowsTableNumbers):
        viewer.set_numbers(numbers)
    viewer.set_structure(structure)


def unscaled_by(recipe: FittedRecipe) -> Unscaled | None:
    """The map to the numbers before the steps of a recipe; None if no step rescales."""
    rescales = any(type(step).unscaled is not FittedFilter.unscaled for step in recipe.filters)
    return recipe.unscaled if rescales else None


def units_note(is_rescaled: bool) -> str:
    """The note in a heading that numbers are in original units."""
    return f" ({IN_SHORT})" if is_rescaled else ""


def own_number(name: str, value: float, unscaled: Unscaled | None) -> str:
    """The number in original units as text; empty if it is the same or unknown."""
    original = None if unscaled is None else unscaled(name, value)
    return "" if original is None or original == value else cut_number(_without_noise(original))


def in_own_units(name: str, value: float, unscaled: Unscaled | None) -> float:
    """The number converted to original units; unchanged if it is infinite, not scaled, or cannot be converted."""
    original = None if unscaled is None or not isfinite(value) else unscaled(name, value)
    return value if original is None or original == value else _without_noise(original)


def _without_noise(value: float) -> float:
    """The number with the fewest digits within rounding error."""
    for digits in range(DIGITS, EXACT):
        short = float(f"{value:.{digits}g}")
        if abs(short - value) <= NOISE * max(1.0, abs(value)):
            return short
    return float(f"{value:.{EXACT}g}")


def tree_in_own_units(
    tree: Tree,
    unscaled: Unscaled | None,
    give_way: Callable[[], None] = lambda: None,
    nodes: Iterable[int] | None = None,
) -> Tree:
    """The tree with thresholds and ranges in original units, only to be put into words.

    Returns the tree itself if nothing was rescaled; weighted sums stay as they are. ``nodes`` restricts the work to
    some nodes, because large trees take long. ``give_way`` is called every few milliseconds.
    """
    if unscaled is None:
        return tree
    names = tree.schema.names
    threshold, cuts, soft_from, soft_to = (
        np.array(numbers, dtype=np.float64) for numbers in (tree.threshold, tree.cuts, tree.soft_from, tree.soft_to)
    )
    has_numbers = (tree.test == SplitTest.NUMERIC) | (tree.test == SplitTest.RANGES)
    asked = (
        np.flatnonzero(has_numbers).tolist() if nodes is None else [node for node in set(nodes) if has_numbers[node]]
    )
    for nth, node in enumerate(asked):
        if nth % BREATH == 0:
            give_way()
        name = names[int(tree.attribute[node])]
        if int(tree.test[node]) == SplitTest.RANGES:
            first = int(tree.offset[node])
            for cut in range(first, first + len(tree.ends(node))):
                cuts[cut] = in_own_units(name, float(tree.cuts[cut]), unscaled)
            continue
        threshold[node] = in_own_units(name, float(tree.threshold[node]), unscaled)
        if tree.is_soft(node):
            soft_from[node] = in_own_units(name, float(tree.soft_from[node]), unscaled)
            soft_to[node] = in_own_units(name, float(tree.soft_to[node]), unscaled)
    if _same(threshold, tree.threshold) and _same(cuts, tree.cuts):
        return tree
    return replace(tree, threshold=threshold, cuts=cuts, soft_from=soft_from, soft_to=soft_to)


def written_tree(
    tree: Tree,
    own: Tree,
    numbers: TableNumbers | None,
    give_way: Callable[[], None] = lambda: None,
    nodes: Iterable[int] | None = None,
) -> Tree:
    """The tree ``own``, which is ``tree`` in original units, with thresholds and ranges of few digits; only for words.

    A reader who follows it by hand comes to the same leaf for every record. ``nodes`` restricts the work as above.
    """
    if numbers is None:
        return own
    chosen = np.ones(tree.n_nodes, dtype=np.bool_) if nodes is None else np.isin(np.arange(tree.n_nodes), [*nodes])
    threshold, cuts, names = own.threshold.copy(), own.cuts.copy(), tree.schema.names
    tests = [np.flatnonzero(chosen & (tree.test == test)) for test in (SplitTest.NUMERIC, SplitTest.RANGES)]
    written = [
        ColumnCuts(names[column], tree.threshold, threshold, tests[0][tree.attribute[tests[0]] == column])
        for column in np.unique(tree.attribute[tests[0]]).tolist()
    ]
    written += [
        ColumnCuts(names[int(tree.attribute[node])], tree.cuts, cuts, _places_of_ends(tree, node))
        for node in tests[1].tolist()
    ]
    numbers.write(written, give_way)
    if _same(threshold, own.threshold) and _same(cuts, own.cuts):
        return own
    return replace(own, threshold=threshold, cuts=cuts)


def _places_of_ends(tree: Tree, node: int) -> IntArray:
    """Places in ``cuts`` of the finite ends of a node's ranges."""
    return np.arange(int(tree.offset[node]), int(tree.offset[node]) + len(tree.ends(node)) - 1)


def reworded(tree: Tree, worded: Tree, nodes: Sequence[int]) -> list[int]:
    """The nodes whose threshold or ranges differ in original units."""
    if worded is tree:
        return []
    return [
        node
        for node in nodes
        if (int(tree.test[node]) == SplitTest.NUMERIC and tree.threshold[node] != worded.threshold[node])
        or (int(tree.test[node]) == SplitTest.RANGES and not _same(tree.ends(node), worded.ends(node)))
    ]


def rules_in_own_units(rules: RuleSet, unscaled: Unscaled | None) -> RuleSet:
    """The rules with bounds in original units; the rules themselves if nothing was rescaled."""
    if unscaled is None:
        return rules
    names, low, high = rules.schema.names, rules.low.copy(), rules.high.copy()
    for condition in range(rules.n_conditions):
        if rules.is_numeric(condition):
            name = names[int(rules.attribute[condition])]
            low[condition] = in_own_units(name, float(rules.low[condition]), unscaled)
            high[condition] = in_own_units(name, float(rules.high[condition]), unscaled)
    if _same(low, rules.low) and _same(high, rules.high):
        return rules
    return replace(rules, low=low, high=high)


def written_rules(
    rules: RuleSet,
    own: RuleSet,
    numbers: TableNumbers | None,
    give_way: Callable[[], None] = lambda: None,
    only: Iterable[int] | None = None,
) -> RuleSet:
    """The rules ``own``, which are ``rules`` in original units, with bounds of few digits; as :func:`written_tree`.

    ``only`` restricts the work to some rules.
    """
    if numbers is None:
        return own
    low, high, names = own.low.copy(), own.high.copy(), rules.schema.names
    has_numbers = (rules.low < rules.high) & np.array([*map(rules.is_numeric, range(rules.n_conditions))], dtype=bool)
    if only is not None:
        has_numbers &= np.isin(np.arange(rules.n_conditions), [c for rule in only for c in rules.conditions(rule)])
    written = []
    for column in np.unique(rules.attribute[has_numbers]).tolist():
        here, is_open = has_numbers & (rules.attribute == column), rules.low_is_open.astype(bool)
        written += [
            ColumnCuts(names[column], rules.high, high, np.flatnonzero(here)),
            ColumnCuts(names[column], rules.low, low, np.flatnonzero(here & is_open)),
            ColumnCuts(names[column], rules.low, low, np.flatnonzero(here & ~is_open), upwards=True),
        ]
    numbers.write(written, give_way)
    return own if _same(low, own.low) and _same(high, own.high) else replace(own, low=low, high=high)


def reason_in_own_units(reason: LogOddsTerm, record: Dataset, unscaled: Unscaled | None) -> LogOddsTerm:
    """A reason with its number and mean in original units; the reason itself if nothing was rescaled.

    ``record`` is the one raw record, whose own number is used if known. Ranks and logarithms keep no means, so such a
    number has none beside it.
    """
    number = reason.number
    if number is None or unscaled is None:
        return reason
    ends = [number.average - number.deviation, number.average, number.average + number.deviation]
    low, average, high = (unscaled(number.name, end) for end in ends)
    value = in_own_units(number.name, number.value, unscaled)
    if low is None or average is None or high is None or (average == number.average and value == number.value):
        return reason
    value = value_in_own_units(number.name, number.value, record, unscaled)
    reworded_number = NumberInContext(number.name, value, average, (high - low) / 2)
    is_straight = abs(high + low - 2 * average) <= STRAIGHT * abs(high - low)
    return replace(
        reason,
        what=number_words(reworded_number),
        beside=beside_words(reworded_number) if is_straight else "",
        number=reworded_number,
    )


def value_in_own_units(name: str, value: float, raw: Dataset | None, unscaled: Unscaled | None) -> float:
    """A number of a record as in the ``raw`` record if given, because a scale may clip it."""
    own = in_own_units(name, value, unscaled)
    if own == value or raw is None or not isfinite(value):
        return own
    raw_value = _own_of(raw, name)
    return own if isnan(raw_value) else raw_value


def _own_of(raw: Dataset, name: str) -> float:
    if name not in raw.schema:
        return nan
    index = raw.schema.index_of(name)
    return float(raw.column(index)[0]) if raw.schema.attributes[index].kind is AttributeKind.NUMERIC else nan


def _same(one: FloatArray, other: FloatArray) -> bool:
    return bool(np.array_equal(one, other, equal_nan=True))
