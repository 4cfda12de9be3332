"""Thresholds of a tree that learned from rescaled columns, as the table has these numbers. No widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from algorithms.core.structures import Test, Tree
from algorithms.trees.words import number

Unscaled = Callable[[str, float], float | None]
"""From the name of a column and a number in it, as the model has it, to that number as the table has it."""
DIGITS = 6
"""Significant digits: what scaling and its inverse round away is not shown."""


def own_number(name: str, value: float, unscaled: Unscaled | None) -> str:
    """The number as the table has it, written; empty where it is the same there, or not known."""
    found = None if unscaled is None else unscaled(name, value)
    return "" if found is None or found == value else number(float(f"{found:.{DIGITS}g}"))


def tree_in_own_units(tree: Tree, node: int, unscaled: Unscaled | None) -> Tree | None:
    """The tree with the thresholds from the root down to a node, its own too, as the table has them; None where none of
    these was rescaled. Sums of several numbers and ranges stay as they are."""
    changed: dict[int, float] = {}
    for at in tree.path(node) if unscaled is not None else ():
        if int(tree.test[at]) == Test.NUMERIC:
            name, value = tree.schema.attributes[int(tree.attribute[at])].name, float(tree.threshold[at])
            if written := own_number(name, value, unscaled):
                changed[at] = float(written)
    if not changed:
        return None
    threshold = tree.threshold.copy()
    threshold[list(changed)] = list(changed.values())
    return replace(tree, threshold=threshold)
