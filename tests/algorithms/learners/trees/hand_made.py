"""Small trees written down by hand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema, nominal, numeric
from algorithms.learners.trees.pruning.error_estimates import CostRule, as_leaves
from algorithms.structures.tree import SplitTest, Tree


@dataclass
class Node:
    """A node with its class weights; a leaf has no ``children``. ``branches`` gives the branch of each value code."""

    counts: tuple[float, ...]
    attribute: int = -1
    threshold: float = float("nan")
    branches: tuple[int, ...] = ()
    children: list[Node] = field(default_factory=list)
    missing_to: int = -1
    test: SplitTest = SplitTest.LEAF
    decision: int | None = None


def leaf(*counts: float, decision: int | None = None) -> Node:
    return Node(counts, decision=decision)


def threshold(attribute: int, at: float, low: Node, high: Node, *, missing_to: int = -1) -> Node:
    counts = tuple(a + b for a, b in zip(low.counts, high.counts, strict=True))
    return Node(counts, attribute, at, children=[low, high], missing_to=missing_to, test=SplitTest.NUMERIC)


def by_value(attribute: int, branches: tuple[int, ...], *children: Node, missing_to: int = -1) -> Node:
    counts = tuple(float(sum(c)) for c in zip(*(child.counts for child in children), strict=True))
    return Node(
        counts, attribute, branches=branches, children=list(children), missing_to=missing_to, test=SplitTest.MULTIWAY
    )


def tree_of(schema: Schema, root: Node) -> Tree:
    """The flat arrays of a tree written as nested nodes, numbered level by level."""
    nodes, parents, firsts = [root], [-1], list[int]()
    for i, node in enumerate(nodes):
        firsts.append(len(nodes) if node.children else -1)
        nodes.extend(node.children)
        parents.extend([i] * len(node.children))
    branch_of: list[int] = []
    offsets = []
    for node in nodes:
        offsets.append(len(branch_of) if node.branches else -1)
        branch_of.extend(node.branches)
    return Tree(
        schema=schema,
        test=np.array([n.test for n in nodes], dtype=np.int8),
        attribute=np.array([n.attribute for n in nodes], dtype=np.int32),
        threshold=np.array([n.threshold for n in nodes]),
        first_child=np.array(firsts, dtype=np.int32),
        n_children=np.array([len(n.children) for n in nodes], dtype=np.int32),
        parent=np.array(parents, dtype=np.int32),
        offset=np.array(offsets, dtype=np.int32),
        branch_of=np.array(branch_of, dtype=np.int16),
        counts=np.array([n.counts for n in nodes], dtype=np.float64),
        decision=np.array(
            [int(np.argmax(n.counts)) if n.decision is None else n.decision for n in nodes], dtype=np.int32
        ),
        gain=np.array([np.nan if n.test == SplitTest.LEAF else 0.5 for n in nodes]),
        missing_to=np.array([n.missing_to for n in nodes], dtype=np.int16),
        criterion="gini",
    )


def flowers() -> Schema:
    """Width (numeric), colour (red, green, blue), class (a, b)."""
    attributes: tuple[Attribute, ...] = (
        numeric("Width"),
        nominal("Colour", ("red", "green", "blue")),
        nominal("y", ("a", "b")),
    )
    return Schema(attributes, 2)


def records(widths: list[float], colours: list[int], codes: list[int] | None = None) -> Dataset:
    return Dataset(flowers(), [widths, colours, codes or [0] * len(widths)])


def flower_tree() -> Tree:
    """Width <= 1: (6, 2); else by colour: red (1, 3), green (0, 4), blue never seen."""
    return tree_of(flowers(), threshold(0, 1.0, leaf(6, 2), by_value(1, (0, 1, -1), leaf(1, 3), leaf(0, 4))))


def slanting_tree() -> Tree:
    """length - 2 width <= 1: 6 records of a; else colour: red or green a, blue b."""
    schema = Schema(
        (numeric("length"), numeric("width"), nominal("colour", ("red", "green", "blue")), nominal("y", ("a", "b"))), 3
    )
    inner = by_value(2, (0, 0, 1), leaf(3, 1), leaf(0, 2), missing_to=0)
    tree = tree_of(schema, threshold(0, 1.0, leaf(6, 0), inner, missing_to=1))
    test, offset = tree.test.copy(), tree.offset.copy()
    test[0], offset[0] = SplitTest.LINEAR, 0
    return replace(
        tree,
        test=test,
        offset=offset,
        term_start=np.array([0, 2], dtype=np.int32),
        term_attribute=np.array([0, 1], dtype=np.int32),
        term_coefficient=np.array([1.0, -2.0]),
        term_stand_in=np.array([4.0, 1.5]),
    )


def slanting_records(length: list[float], width: list[float], colour: list[int]) -> Dataset:
    """Records for :func:`slanting_tree`, of class a."""
    return Dataset(slanting_tree().schema, [length, width, colour, [0] * len(length)])


def cost_of(rule: CostRule, tree: Tree, tested: np.ndarray | None = None) -> float:
    """Total cost of a tree by a rule: that of its leaves and its inner nodes."""
    own = as_leaves(rule, tree.counts, tree.decision, np.zeros_like(tree.counts) if tested is None else tested)
    return float(own[tree.n_children == 0].sum()) + rule.inner * float(np.count_nonzero(tree.n_children))
