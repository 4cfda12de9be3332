"""Structures learned from rescaled columns, with their numbers in original units. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import isfinite, isnan, nan
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from algorithms.core.filters import FittedFilter, FittedRecipe
from algorithms.core.learner import LogOddsTerm, NumberInContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.linear.model import beside_words, number_words
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import SplitTest, Tree
from algorithms.text.numbers import EXACT, data_number

Unscaled = Callable[[str, float], float | None]
"""Maps the name of a column and a number as the model sees it to the number in the table."""
STRAIGHT: Final = 1e-6
"""Relative deviation of the middle of two numbers up to which a scale is linear."""
DIGITS: Final = 6
"""Least significant digits of a number; more are used if needed, as for dates."""
NOISE: Final = 1e-12
"""Relative error of scaling and its inverse, which is hidden."""
BREATH: Final = 200
IN_SHORT: Final = "numbers as in the table"
AS_IN_THE_TABLE: Final = "Numbers stand as the table has them; the model sees them after the steps that scale them."


@runtime_checkable
class ShowsOriginalUnits(Protocol):
    """A viewer that words numbers in original units."""

    def set_unscaled(self, unscaled: Unscaled | None) -> None:
        """Words them so from the next structure on."""


class ShowsStructure(Protocol):
    """A viewer of some kind of structure."""

    def set_structure(self, structure: Any) -> None: ...


def show_structure(viewer: ShowsStructure, structure: object, unscaled: Unscaled | None) -> None:
    """Shows a structure in its viewer, in original units if the viewer supports them."""
    if isinstance(viewer, ShowsOriginalUnits):
        viewer.set_unscaled(unscaled)
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
    return "" if original is None or original == value else data_number(_without_noise(original))


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
