"""The ways to the leaves of a tree as conditions of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.errors import DataError
from algorithms.structures.rule_set import RuleCondition
from algorithms.structures.tree import SplitTest, Tree

Checkpoint = Callable[[], None]


@dataclass(frozen=True)
class TreePath:
    """The conditions on the way from the root to a leaf, one a question, and the class that the leaf decides."""

    conditions: tuple[RuleCondition, ...]
    decision: int
    leaf: int


def tree_paths(tree: Tree, checkpoint: Checkpoint, missing: frozenset[int] | None = None) -> list[TreePath]:
    """The way to each leaf, from the first branch to the last.

    A value that no training record had at the question meets the condition of the branch that takes it (the heaviest
    where the tree divides the record), and so does a missing value of the attributes in ``missing``; where that is
    None both meet no condition.
    Raises :class:`DataError` where the tree asks about a weighed sum of several numbers.
    """
    found = list[TreePath]()
    waiting: list[tuple[int, tuple[RuleCondition, ...]]] = [(0, ())]
    while waiting:
        checkpoint()
        node, conditions = waiting.pop()
        if tree.is_leaf(node):
            found.append(TreePath(conditions, int(tree.decision[node]), node))
            continue
        ways = _ways(tree, node, missing)
        children = list(tree.children(node))
        waiting += [(children[b], (*conditions, ways[b])) for b in reversed(range(len(children)))]
    return found


def _ways(tree: Tree, node: int, missing: frozenset[int] | None) -> list[RuleCondition]:
    """The condition of each branch of a node."""
    if tree.is_linear(node):
        raise DataError(
            "This tree weighs several numbers against each other, which the conditions of rules cannot say.",
            remedy="Choose a tree that asks about one attribute at a time.",
        )
    index = int(tree.attribute[node])
    ways = _of_ranges(tree, node) if tree.is_numeric(node) or _is_ranges(tree, node) else _of_values(tree, node)
    if missing is None:
        return ways
    taker = _taker(tree, node)
    ways[taker] = replace(ways[taker], takes_missing=index in missing)
    if ways[taker].values is not None:
        offset, size = int(tree.offset[node]), len(tree.schema.attributes[index].values)
        unseen = np.flatnonzero(tree.branch_of[offset : offset + size] < 0).tolist()
        ways[taker] = replace(ways[taker], values=tuple(sorted({*(ways[taker].values or ()), *unseen})))
    return ways


def _is_ranges(tree: Tree, node: int) -> bool:
    return int(tree.test[node]) == SplitTest.RANGES


def _of_ranges(tree: Tree, node: int) -> list[RuleCondition]:
    index = int(tree.attribute[node])
    ends = tree.ends(node).tolist() if _is_ranges(tree, node) else [float(tree.threshold[node]), np.inf]
    starts = [-np.inf, *ends[:-1]]
    ways = [RuleCondition(index, low, high, low_is_open=low > -np.inf) for low, high in zip(starts, ends, strict=True)]
    nothing = RuleCondition(index, np.inf, -np.inf)
    return ways + [nothing] * (int(tree.n_children[node]) - len(ways))


def _of_values(tree: Tree, node: int) -> list[RuleCondition]:
    index = int(tree.attribute[node])
    return [RuleCondition(index, values=tree.values_of_branch(node, b)) for b in range(int(tree.n_children[node]))]


def _taker(tree: Tree, node: int) -> int:
    """The branch that a missing value follows, the heaviest where it follows all."""
    if tree.missing_to[node] >= 0:
        return int(tree.missing_to[node])
    return int(np.argmax(tree.counts[list(tree.children(node))].sum(axis=1)))


def joined(conditions: Iterable[RuleCondition]) -> tuple[RuleCondition, ...]:
    """The same conditions with all about one attribute made one, in the order in which they first came."""
    found: dict[int, RuleCondition] = {}
    for condition in conditions:
        known = found.get(condition.attribute)
        found[condition.attribute] = condition if known is None else _both(known, condition)
    return tuple(found.values())


def _both(one: RuleCondition, other: RuleCondition) -> RuleCondition:
    missing, share = one.takes_missing and other.takes_missing, one.missing_share * other.missing_share
    if one.values is not None and other.values is not None:
        common = tuple(v for v in one.values if v in other.values)
        return replace(one, values=common, takes_missing=missing, missing_share=share)
    low = max(one.low, other.low)
    is_open = any(each.low_is_open and each.low == low for each in (one, other))
    return RuleCondition(one.attribute, low, min(one.high, other.high), is_open, None, missing, share)
