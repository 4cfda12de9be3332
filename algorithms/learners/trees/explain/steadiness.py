"""Stability of the splits of a tree: how often trees of other samples have the same split at the same place.

A place is the path to a node (:mod:`algorithms.learners.trees.edits`): the same attributes with the same branches,
whatever the thresholds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.trees.edits import PathStep, asked_words, branch_of_step, step_to
from algorithms.structures.tree import Tree
from algorithms.text.numbers import data_number

BREATH = 50


@dataclass(frozen=True, eq=False)
class Steadiness:
    """The splits of n other trees at the places of a tree's m nodes.

    ``there`` (m,) is the number of trees with the place, ``same`` (m,) that of trees with the same attribute, or a
    leaf, there. ``low`` and ``high`` (m,) are the smallest and largest threshold of those, NaN without one. ``instead``
    counts the other attributes by node, with an empty name for a leaf.
    """

    tree: Tree
    n: int
    there: IntArray
    same: IntArray
    low: FloatArray
    high: FloatArray
    instead: dict[int, Counter[str]]

    def badge(self, node: int) -> str:
        """ "7/10"."""
        return f"{int(self.same[node])}/{self.n}"

    def sentence(self, node: int, part: str = "fold") -> str:
        """ "In 7 of 10 folds this is the first split, its threshold from 1.55 to 1.75. ..."."""
        same, n = int(self.same[node]), self.n
        is_leaf = self.tree.is_leaf(node)
        what = "the tree ends here too" if is_leaf else "this is the first split" if node == 0 else "this split is here"
        summary = f"In {same} of {n} {part}s {what}{self._range_words(node)}."
        others = self.instead.get(node, Counter())
        clauses = [
            f"in {count} {f'it is on {name} instead' if name else 'it is a leaf'}"
            for name, count in others.most_common(3)
        ]
        lost = n - int(self.there[node])
        if lost:
            clauses.append(f"in {lost} the path here differs")
        more = sum(others.values()) - sum(count for _, count in others.most_common(3))
        if more:
            clauses.append(f"in {more} something else")
        if not clauses:
            return summary
        rest = "; ".join(clauses)
        return f"{summary} {rest[0].upper()}{rest[1:]}."

    def _range_words(self, node: int) -> str:
        low, high = float(self.low[node]), float(self.high[node])
        if np.isnan(low):
            return ""
        if low == high:
            return f", always at {data_number(low)}"
        return f", its threshold from {data_number(low)} to {data_number(high)}"


def steadiness(tree: Tree, others: Sequence[Tree], breathe: Callable[[], None] = lambda: None) -> Steadiness:
    """The stability of a tree's nodes among the ``others``; ``breathe`` is called every few milliseconds."""
    none, nan = np.zeros(tree.n_nodes, dtype=np.int64), np.full(tree.n_nodes, np.nan)
    result = Steadiness(tree, len(others), none, none.copy(), nan, nan.copy(), {})
    steps: dict[int, PathStep] = {}
    seen = 0
    for other in others:
        waiting = [(0, 0)]
        while waiting:
            node, there = waiting.pop()
            seen += 1
            if seen % BREATH == 0:
                breathe()
            _count(result, node, other, there)
            if tree.is_leaf(node) or other.is_leaf(there):
                continue
            for child in tree.children(node):
                if child not in steps:
                    steps[child] = step_to(tree, child)
                branch = branch_of_step(other, there, steps[child])
                if branch is not None:
                    waiting.append((child, int(other.first_child[there]) + branch))
    return result


def _count(result: Steadiness, node: int, other: Tree, there: int) -> None:
    tree = result.tree
    result.there[node] += 1
    mine, theirs = asked_words(tree, node), asked_words(other, there)
    if mine != theirs:
        result.instead.setdefault(node, Counter())[theirs] += 1
        return
    result.same[node] += 1
    if tree.is_numeric(node) and other.is_numeric(there):
        threshold = float(other.threshold[there])
        result.low[node] = np.fmin(result.low[node], threshold)
        result.high[node] = np.fmax(result.high[node], threshold)
