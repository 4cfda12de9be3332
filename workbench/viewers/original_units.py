"""What was learned from rescaled columns, worded with their numbers as the table has them. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import isfinite, isnan, nan
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from algorithms.core.filters import FittedFilter, FittedRecipe
from algorithms.core.learner import NumberBeside, Reason
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Kind
from algorithms.learners.linear.model import beside_words, number_words
from algorithms.learners.trees.words import EXACT, number
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Test, Tree

Unscaled = Callable[[str, float], float | None]
"""From the name of a column and a number in it, as the model has it, to that number as the table has it."""
STRAIGHT: Final = 1e-6
"""A scale is a straight line where the middle of two numbers stays the middle, but for so much of their distance."""
DIGITS: Final = 6
"""So many significant digits a number may have anyway; more where it takes more to name it, as of days and seconds."""
NOISE: Final = 1e-12
"""What scaling and its inverse round away, as a part of the number: that is not shown."""
BREATH: Final = 200
IN_SHORT: Final = "numbers as in the table"
AS_IN_THE_TABLE: Final = "Numbers stand as the table has them; the model sees them after the steps that scale them."


@runtime_checkable
class SpeaksOwnUnits(Protocol):
    """A viewer that words numbers of rescaled columns as the table has them."""

    def set_unscaled(self, unscaled: Unscaled | None) -> None:
        """Word them so from the next structure on."""


class Shows(Protocol):
    """A viewer of structures of some kind."""

    def set_structure(self, structure: Any) -> None: ...


def show_structure(viewer: Shows, structure: object, unscaled: Unscaled | None) -> None:
    """Show a structure in its viewer, worded with numbers as the table has them where the viewer can do so."""
    if isinstance(viewer, SpeaksOwnUnits):
        viewer.set_unscaled(unscaled)
    viewer.set_structure(structure)


def unscaled_by(recipe: FittedRecipe) -> Unscaled | None:
    """What finds numbers as they were before the steps of a recipe; None where none of these rescales any."""
    rescales = any(type(each).unscaled is not FittedFilter.unscaled for each in recipe.filters)
    return recipe.unscaled if rescales else None


def told_in(is_rescaled: bool) -> str:
    """What follows a heading over conditions, where their numbers are not those that the model sees."""
    return f" ({IN_SHORT})" if is_rescaled else ""


def own_number(name: str, value: float, unscaled: Unscaled | None) -> str:
    """The number as the table has it, written; empty where it is the same there, or not known."""
    found = None if unscaled is None else unscaled(name, value)
    return "" if found is None or found == value else number(_without_noise(found))


def in_own_units(name: str, value: float, unscaled: Unscaled | None) -> float:
    """The number as the table has it; as it is where it is the same there, infinite, or not known."""
    found = None if unscaled is None or not isfinite(value) else unscaled(name, value)
    return value if found is None or found == value else _without_noise(found)


def _without_noise(value: float) -> float:
    """The number of the fewest digits that is no further off than what rounding has done to it."""
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
    """The tree with its thresholds and the ends of its ranges as the table has them, to be worded, never to be asked;
    the tree itself where none was rescaled. Sums of several numbers stay as they are.

    Of a few ``nodes`` that are to be worded only theirs are found: those of a large tree take a while. ``give_way`` is
    called every few milliseconds.
    """
    if unscaled is None:
        return tree
    names = tree.schema.names
    threshold, cuts, soft_from, soft_to = (
        np.array(each, dtype=np.float64) for each in (tree.threshold, tree.cuts, tree.soft_from, tree.soft_to)
    )
    has_numbers = (tree.test == Test.NUMERIC) | (tree.test == Test.RANGES)
    asked = (
        np.flatnonzero(has_numbers).tolist() if nodes is None else [node for node in set(nodes) if has_numbers[node]]
    )
    for nth, node in enumerate(asked):
        if nth % BREATH == 0:
            give_way()
        name = names[int(tree.attribute[node])]
        if int(tree.test[node]) == Test.RANGES:
            first = int(tree.offset[node])
            for at in range(first, first + len(tree.ends(node))):
                cuts[at] = in_own_units(name, float(tree.cuts[at]), unscaled)
            continue
        threshold[node] = in_own_units(name, float(tree.threshold[node]), unscaled)
        if tree.is_soft(node):
            soft_from[node] = in_own_units(name, float(tree.soft_from[node]), unscaled)
            soft_to[node] = in_own_units(name, float(tree.soft_to[node]), unscaled)
    if _same(threshold, tree.threshold) and _same(cuts, tree.cuts):
        return tree
    return replace(tree, threshold=threshold, cuts=cuts, soft_from=soft_from, soft_to=soft_to)


def reworded(tree: Tree, worded: Tree, nodes: Sequence[int]) -> list[int]:
    """Those of the nodes whose threshold or ranges are worded otherwise than the tree has them."""
    if worded is tree:
        return []
    return [
        node
        for node in nodes
        if (int(tree.test[node]) == Test.NUMERIC and tree.threshold[node] != worded.threshold[node])
        or (int(tree.test[node]) == Test.RANGES and not _same(tree.ends(node), worded.ends(node)))
    ]


def rules_in_own_units(rules: RuleSet, unscaled: Unscaled | None) -> RuleSet:
    """The rules with the bounds of their conditions as the table has them; themselves where none was rescaled."""
    if unscaled is None:
        return rules
    names, low, high = rules.schema.names, rules.low.copy(), rules.high.copy()
    for at in range(rules.n_conditions):
        if rules.is_numeric(at):
            name = names[int(rules.attribute[at])]
            low[at] = in_own_units(name, float(rules.low[at]), unscaled)
            high[at] = in_own_units(name, float(rules.high[at]), unscaled)
    if _same(low, rules.low) and _same(high, rules.high):
        return rules
    return replace(rules, low=low, high=high)


def reason_in_own_units(reason: Reason, record: Dataset, unscaled: Unscaled | None) -> Reason:
    """A reason whose number and average are as the table has them; itself where these were not rescaled.

    ``record`` is the one raw record: what it has itself is said where its number was known. Ranks and logarithms keep
    no averages, so beside such a number none is said.
    """
    number = reason.number
    if number is None or unscaled is None:
        return reason
    ends = [number.average - number.deviation, number.average, number.average + number.deviation]
    low, average, high = (unscaled(number.name, each) for each in ends)
    value = in_own_units(number.name, number.value, unscaled)
    if low is None or average is None or high is None or (average == number.average and value == number.value):
        return reason
    value = value_in_own_units(number.name, number.value, record, unscaled)
    told = NumberBeside(number.name, value, average, (high - low) / 2)
    is_straight = abs(high + low - 2 * average) <= STRAIGHT * abs(high - low)
    return replace(reason, what=number_words(told), beside=beside_words(told) if is_straight else "", number=told)


def value_in_own_units(name: str, value: float, raw: Dataset | None, unscaled: Unscaled | None) -> float:
    """A number of a record as the one ``raw`` record has it, where there is one: a scale may end before it."""
    own = in_own_units(name, value, unscaled)
    if own == value or raw is None or not isfinite(value):
        return own
    known = _own_of(raw, name)
    return own if isnan(known) else known


def _own_of(raw: Dataset, name: str) -> float:
    """The number that the one raw record has in a column; NaN where it has none."""
    if name not in raw.schema:
        return nan
    at = raw.schema.index_of(name)
    return float(raw.column(at)[0]) if raw.schema.attributes[at].kind is Kind.NUMERIC else nan


def _same(one: FloatArray, other: FloatArray) -> bool:
    return bool(np.array_equal(one, other, equal_nan=True))
