"""The tests and branches of a tree in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from algorithms.structures.tree import SplitTest, Tree
from algorithms.text.numbers import data_number, significant

KNOWN: Final = "is known"
"""Condition of any known value."""

SHORT: Final = 5
"""Significant digits of a coefficient, which is a computed number."""


def listed(values: Sequence[str], at_most: int = 4) -> str:
    """Values in a row: ``red``, ``red or blue``, ``red, blue or green``, with the rest counted."""
    shown = list(values[:at_most])
    if len(values) > at_most:
        return f"{', '.join(shown)} or {len(values) - at_most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}" if shown else "no value"


def sum_words(
    names: Sequence[str], coefficients: Sequence[float], at_most: int | None = None, digits: int = SHORT
) -> str:
    """A linear combination: ``x + 0.98 y``, ``3 x - y``; the first ``at_most`` terms, the rest counted."""
    words = ""
    for name, coefficient in list(zip(names, coefficients, strict=True))[:at_most]:
        size, sign = abs(coefficient), "-" if coefficient < 0 else "+"
        times = "" if size == 1 else f"{significant(size, digits)} {'× ' if name[:1].isdigit() else ''}"
        if words:
            words += f" {sign} {times}{name}"
        else:
            words = f"{'-' if coefficient < 0 else ''}{times}{name}"
    left = 0 if at_most is None else max(0, len(names) - at_most)
    return f"{words} + {left} more" if left else words


def subject_words(tree: Tree, node: int, *, at_most: int | None = None) -> str:
    """The tested attribute's name, or a linear combination, of which ``at_most`` terms are named."""
    if not tree.is_linear(node):
        return tree.schema.attributes[int(tree.attribute[node])].name
    names = [tree.schema.attributes[index].name for index in tree.asked(node)]
    return sum_words(names, [float(tree.term_coefficient[t]) for t in tree.terms(node)], at_most)


def question_words(tree: Tree, node: int) -> str:
    """The test of a node: attribute or linear combination, with its threshold; empty for a leaf."""
    if tree.is_leaf(node):
        return ""
    name = subject_words(tree, node)
    return f"{name} <= {data_number(float(tree.threshold[node]))}" if tree.has_threshold(node) else name


def softness_words(tree: Tree, node: int) -> str:
    """The ends of a soft threshold: ``soft from 4.5 to 5.2``; empty if it is sharp."""
    if not tree.is_soft(node):
        return ""
    return f"soft from {data_number(float(tree.soft_from[node]))} to {data_number(float(tree.soft_to[node]))}"


def branch_words(tree: Tree, node: int, branch: int, *, at_most: int = 4) -> str:
    """Condition of a branch without the attribute: ``<= 0.6``, ``= red``, ``is missing``."""
    if tree.is_for_missing(node, branch):
        return "is missing"
    grouped = tree.missing_is_value and tree.missing_to[node] == branch
    return f"{_answer_words(tree, node, branch, at_most)}{' or missing' if grouped else ''}"


def range_words(low: float, high: float) -> str:
    """The numbers above ``low`` up to ``high``, either of them infinite: ``<= 2.5``, ``from 2.5 to 7``, ``> 7``."""
    if low == -inf and high == inf:
        return KNOWN
    if low == -inf:
        return f"<= {data_number(high)}"
    return f"> {data_number(low)}" if high == inf else f"from {data_number(low)} to {data_number(high)}"


def _answer_words(tree: Tree, node: int, branch: int, at_most: int) -> str:
    """Condition of a branch for known values."""
    if tree.has_threshold(node):
        return f"{'<=' if branch == 0 else '>'} {data_number(float(tree.threshold[node]))}"
    if int(tree.test[node]) == SplitTest.RANGES:
        ends = tree.ends(node)
        return range_words(float(ends[branch - 1]) if branch else -inf, float(ends[branch]))
    values = tree.schema.attributes[int(tree.attribute[node])].values
    codes = tree.values_of_branch(node, branch)
    if len(codes) == len(values) and int(tree.test[node]) == SplitTest.ORDINAL:
        return KNOWN
    is_run = len(codes) > 1 and codes[-1] - codes[0] == len(codes) - 1
    if is_run and int(tree.test[node]) == SplitTest.ORDINAL:
        if codes[0] == 0:
            return f"<= {values[codes[-1]]}"
        if codes[-1] == len(values) - 1:
            return f">= {values[codes[0]]}"
        return f"from {values[codes[0]]} to {values[codes[-1]]}"
    return f"= {listed([values[code] for code in codes], at_most)}"


def step_words(tree: Tree, child: int, *, at_most: int = 4) -> str:
    """The condition that leads from a node's parent to it: ``Petal Width <= 0.6``; empty for the root."""
    parent = int(tree.parent[child])
    if parent < 0:
        return ""
    return f"{subject_words(tree, parent)} {branch_words(tree, parent, tree.branch_to(child), at_most=at_most)}"


def path_words(tree: Tree, node: int) -> tuple[str, ...]:
    """The conditions from the root to a node, in order."""
    return tuple(step_words(tree, passed) for passed in tree.path(node)[1:])
