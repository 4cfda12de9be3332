"""Growing trees whose questions may look at several numbers at once."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import Schema
from algorithms.core.structures import NO_NODE, Test, Tree
from algorithms.trees.assembly import Assembly
from algorithms.trees.engine import Grown, GrowthOptions, grow
from algorithms.trees.impurity import IMPURITIES
from algorithms.trees.node_records import tree_branches, ways_down
from algorithms.trees.oblique_search import LinearTest, ObliqueSearch, linear_test

TOLERANCE: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of some records: the best question about one attribute, as the tree of that question, or a linear
    test that is better. ``value`` is its worth by the criterion, ``gain`` by the criterion's impurity."""

    stump: Tree | None
    linear: LinearTest | None

    @property
    def is_any(self) -> bool:
        return self.linear is not None or (self.stump is not None and not self.stump.is_leaf(0))

    @property
    def value(self) -> float:
        if self.linear is not None:
            return self.linear.value
        return 0.0 if self.stump is None else float(self.stump.gain[0])

    @property
    def n_branches(self) -> int:
        return 2 if self.stump is None or self.linear is not None else int(self.stump.n_children[0])

    def tree(self, schema: Schema) -> Tree:
        """The tree of this question alone."""
        if self.linear is not None:
            return stump_of(schema, self.linear)
        assert self.stump is not None
        return self.stump


def best_question(
    here: Dataset, options: GrowthOptions, how: ObliqueSearch, way: tuple[int, ...], context: RunContext
) -> tuple[Question, LinearTest | None, bool]:
    """The question that the records are best asked, the linear test that was weighed, and whether it was stopped.

    ``way`` are the branches that lead to the node: with the seed they fix its random directions.

    The best question about one attribute stays where no linear test is worth more. Where neither lessens the
    misclassification error, both are judged by Gini, as trees of single attributes are.
    """
    stump = grow(here, replace(options, max_depth=1, max_leaves=None), context).tree
    if context.finishing:
        return Question(stump, None), None, True
    found, alone = linear_test(here, options, how, random_of(how.seed, way), context), _value(stump, options.criterion)
    if options.criterion == "error" and max(alone, 0.0 if found is None else found.value) <= TOLERANCE:
        found = linear_test(here, replace(options, criterion="gini"), how, random_of(how.seed, way), context)
        alone = _value(stump, "gini")
    least = max(alone, 0.0)
    is_better = found is not None and found.value > least + TOLERANCE and found.value >= options.min_gain - TOLERANCE
    return Question(stump, found if is_better else None), found, context.finishing


def _value(stump: Tree, criterion: str) -> float:
    """What a tree of one question is worth by a criterion; minus infinity where it asks none."""
    if stump.is_leaf(0):
        return -np.inf
    return _gain(stump, criterion) if criterion in ("error", "gini") else float(stump.gain[0])


def _gain(stump: Tree, criterion: str) -> float:
    """How much impurity a tree of one question takes away."""
    whole, children = stump.counts[0], stump.counts[list(stump.children(0))]
    impurity, shares = IMPURITIES[criterion], children.sum(axis=1) / max(float(whole.sum()), 1e-300)
    return float(impurity(whole) - (shares * impurity(children)).sum())


@dataclass(eq=False)
class _Node:
    """A node while the tree grows. ``way`` are the branches that lead to it: they fix its random numbers."""

    parent: int
    way: tuple[int, ...]
    rows: IntArray
    counts: FloatArray
    question: Question | None = None
    first_child: int = NO_NODE


class ObliqueGrowth:
    """Grows a tree on records of known class."""

    def __init__(self, data: Dataset, options: GrowthOptions, how: ObliqueSearch, context: RunContext) -> None:
        weights = data.weights
        self.data = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
        self.options, self.how = options, how
        self.context, self.work = context.child(1.0, 0), context.child(0.0, 1)
        self.k = len(data.schema.classes)
        self.nodes: list[_Node] = []
        self.open: list[tuple[float, int]] = []
        self.partial = False
        self._settled = 0

    def run(self) -> Grown:
        """The tree, and whether it was finished early. With a limit of leaves those come first that gain most."""
        self.context.advance(0, max(1, len(self.data)))
        self._add(NO_NODE, (), np.arange(len(self.data)))
        leaves, most = 1, self.options.max_leaves
        while self.open and not self.partial:
            self.context.checkpoint()
            at = heapq.heappop(self.open)[1]
            question = self.nodes[at].question
            children = 0 if question is None else question.n_branches
            if most is not None and leaves + children - 1 > most:
                self._settle(self.nodes[at])
                continue
            self._divide(at)
            leaves += children - 1
        return Grown(self._tree(), self.partial)

    # ---- nodes -------------------------------------------------------------------------------------------------------

    def _add(self, parent: int, way: tuple[int, ...], rows: IntArray) -> None:
        """A new leaf, and its best question, which waits to be asked."""
        here = self.data.take(rows)
        counts = np.bincount(here.class_codes, weights=here.weight_array, minlength=self.k).astype(np.float64)
        node = _Node(parent, way, rows, counts)
        at = len(self.nodes)
        self.nodes.append(node)
        if self.partial or self._is_terminal(node):
            self._settle(node)
            return
        question, stopped = self.asked(here, way)
        if stopped:
            self.partial = True
        elif question.is_any:
            node.question = question
            heapq.heappush(self.open, (-self._urgency(question, counts), at))
            return
        self._settle(node)

    def asked(self, here: Dataset, way: tuple[int, ...]) -> tuple[Question, bool]:
        """What is asked of these records, to which these branches lead, and whether the run is to be finished."""
        question, _, stopped = best_question(here, self.options, self.how, way, self.work)
        return question, stopped

    def _urgency(self, question: Question, counts: FloatArray) -> float:
        """What the question lessens impurity times weight by, rounded: equal but for the order of summing is equal."""
        if self.options.max_leaves is None:
            return 0.0
        criterion = self.options.criterion
        if question.linear is not None:
            gain = question.linear.gain
        elif criterion == "gain-ratio" and question.stump is not None:
            gain = _gain(question.stump, "information-gain")
        else:
            gain = question.value
        return float(np.float32(gain * float(counts.sum())))

    def _is_terminal(self, node: _Node) -> bool:
        total, options = float(node.counts.sum()), self.options
        if total - float(node.counts.max(initial=0.0)) <= TOLERANCE * total:
            return True
        deep = options.max_depth is not None and len(node.way) >= options.max_depth
        return deep or total < 2.0 * options.min_leaf - TOLERANCE

    def _settle(self, node: _Node) -> None:
        self._settled += len(node.rows)
        self.context.advance(self._settled)
        node.rows = node.rows[:0]

    def _divide(self, at: int) -> None:
        node, question = self.nodes[at], self.nodes[at].question
        assert question is not None
        branch = ways_down(question.tree(self.data.schema), 0, self.data, node.rows)
        node.first_child = len(self.nodes)
        rows, node.rows = node.rows, node.rows[:0]
        for nth in range(question.n_branches):
            self._add(at, (*node.way, nth), rows[branch == nth])

    # ---- the tree ----------------------------------------------------------------------------------------------------

    def _tree(self) -> Tree:
        return _tree_of(self.nodes, self.data.schema, self.options)


def random_of(seed: int, way: tuple[int, ...]) -> np.random.Generator:
    """The random numbers of the node to which these branches lead, whenever it is worked on."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=way))


def stump_of(schema: Schema, linear: LinearTest) -> Tree:
    """The tree of one linear question."""
    counts = np.vstack([linear.children.sum(axis=0), linear.children])
    root = _Node(NO_NODE, (), np.zeros(0, dtype=np.int64), counts[0], first_child=1)
    leaves = [_Node(0, (nth,), root.rows, counts[nth + 1]) for nth in (0, 1)]
    root.question = Question(None, linear)
    return _tree_of([root, *leaves], schema, GrowthOptions())


def _tree_of(nodes: list[_Node], schema: Schema, options: GrowthOptions) -> Tree:
    assembly, tests = Assembly(nodes), list[LinearTest]()
    for i, node in enumerate(nodes):
        question = node.question
        if question is None or node.first_child == NO_NODE:
            continue
        if question.linear is not None:
            linear = question.linear
            assembly.ask(
                i,
                test=Test.LINEAR,
                attribute=linear.attributes[0],
                n_children=2,
                threshold=linear.threshold,
                missing_to=linear.missing_to,
                gain=question.value,
            )
            assembly.set_offset(i, len(tests))
            tests.append(linear)
        elif question.stump is not None:
            stump = question.stump
            assembly.ask(
                i,
                test=int(stump.test[0]),
                attribute=int(stump.attribute[0]),
                n_children=int(stump.n_children[0]),
                threshold=float(stump.threshold[0]),
                missing_to=int(stump.missing_to[0]),
                gain=question.value,
            )
            if stump.test[0] != Test.NUMERIC:
                assembly.set_offset(i, assembly.put(tree_branches(stump, 0)))
    return assembly.tree(
        schema,
        options.criterion,
        term_start=np.cumsum([0, *(len(t.attributes) for t in tests)], dtype=np.int32),
        term_attribute=np.array([a for t in tests for a in t.attributes], dtype=np.int32),
        term_coefficient=np.array([c for t in tests for c in t.coefficients], dtype=np.float64),
        term_stand_in=np.array([c for t in tests for c in t.stand_ins], dtype=np.float64),
    )
