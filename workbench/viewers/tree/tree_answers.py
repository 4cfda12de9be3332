"""What one record answers to the questions on its way through a tree, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from algorithms.data.dataset import Dataset
from algorithms.learners.trees.node_records import branches, linear_sums, own_branches
from algorithms.learners.trees.routing import soft_shares
from algorithms.learners.trees.words import number
from algorithms.structures.tree import NO_NODE, Tree
from workbench.viewers.original_units import Unscaled, tree_in_own_units, value_in_own_units
from workbench.viewers.tree.tree_words import ON_AN_EDGE, branch_label, percent, question

MOST_TERMS: Final = 4


@dataclass(frozen=True)
class LitPath:
    """The nodes that a record passes, and what it answers on the way to them; no nodes for no record.

    ``labels`` stand at the branches, ``sentences`` tell the same at length, in the order of the questions.
    """

    nodes: tuple[int, ...] = ()
    labels: Mapping[int, str] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()


def lit_path(
    tree: Tree,
    record: Dataset,
    nodes: Sequence[int],
    shares: Mapping[int, float] | None = None,
    unscaled: Unscaled | None = None,
    raw: Dataset | None = None,
) -> LitPath:
    """The way of the one record (under the tree's schema) over these nodes, each after its parent.

    ``shares`` are the parts of a divided record that come by the nodes. ``unscaled`` finds the numbers of rescaled
    columns as the table has them, in which it is told; ``raw`` is the record as the table has it.
    """
    worded = tree_in_own_units(tree, unscaled, nodes={int(tree.parent[node]) for node in nodes} - {NO_NODE})
    labels: dict[int, str] = {}
    sentences: list[str] = []
    for child in nodes:
        parent = int(tree.parent[child])
        if parent == NO_NODE:
            continue
        share = 1.0 if shares is None else shares.get(child, 1.0)
        label, sentence = _answer(tree, worded, parent, child, record, unscaled, raw)
        labels[child] = label if share >= 1 else f"{label}: {percent(share)}"
        if sentence not in sentences:
            sentences.append(sentence)
    return LitPath(tuple(nodes), labels, tuple(sentences))


def _answer(
    tree: Tree,
    worded: Tree,
    parent: int,
    child: int,
    record: Dataset,
    unscaled: Unscaled | None,
    raw: Dataset | None,
) -> tuple[str, str]:
    """What stands at the branch, and the question with its answer."""
    if tree.is_linear(parent):
        return _sum_answer(tree, parent, child, record)
    attribute = int(tree.attribute[parent])
    asked, described = question(worded, parent, ON_AN_EDGE), tree.schema.attributes[attribute]
    value = record.column(attribute)[0]
    if value != value or (described.kind.is_coded and value < 0):
        return "missing", f"{asked} Not known."
    if tree.is_numeric(parent):
        is_low = child == int(tree.first_child[parent])
        words = number(value_in_own_units(described.name, float(value), raw, unscaled), ON_AN_EDGE)
        if 0 < goes_left(tree, parent, record) < 1:
            return f"{words}, near", f"{asked} {words} is near the threshold: it goes both ways."
        return f"{words}, so {branch_label(worded, child)}", f"{asked} {'Yes' if is_low else 'No'}, {words}."
    words = described.values[int(value)]
    if int(branches(tree, parent, record.column(attribute))[0]) < 0:
        return f"{words}, never seen here", f"{asked} {words}, which training never saw here."
    return words, f"{asked} {words}."


def goes_left(tree: Tree, node: int, record: Dataset) -> float:
    """The part of the one record that goes down the left branch of a soft threshold; 0 where the node has none."""
    left = soft_shares(tree, node, record, np.zeros(1, dtype=np.int64))
    return 0.0 if left is None else float(left[0])


def _sum_answer(tree: Tree, parent: int, child: int, record: Dataset) -> tuple[str, str]:
    """The same for a weighed sum of numbers, of which the missing ones are named."""
    asked, row = question(tree, parent, ON_AN_EDGE, MOST_TERMS), np.zeros(1, dtype=np.int64)
    if int(own_branches(tree, parent, record, row)[0]) < 0:
        return "missing", f"{asked} Not known."
    total = number(float(linear_sums(tree, parent, record, row)[0][0]), ON_AN_EDGE)
    missing = [index for index in tree.asked(parent) if np.isnan(record.column(index)[0])]
    names = ", ".join(tree.schema.attributes[index].name for index in missing)
    instead = f" The average stands for {names}, which is not known." if missing else ""
    answer = "Yes" if child == int(tree.first_child[parent]) else "No"
    return f"{total}, so {branch_label(tree, child)}", f"{asked} {answer}, {total}.{instead}"
