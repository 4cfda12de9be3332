"""Gradient boosting: trees fitted to the gradient of a loss, their model, and the learner.

With sums G and H of gradients and curvatures, a split gains G_l^2 / (H_l + 1) + G_r^2 / (H_r + 1) - G^2 / (H + 1), and
a leaf answers -G / (H + 1). Sources: Friedman, Greedy function approximation: a gradient boosting machine (2001); Chen
and Guestrin, XGBoost (2016), section 2.2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.array_state import ArrayState, indices, numbers
from algorithms.core.learner import Explanation, Learner, Predictions, Probabilities, State, WatchedModel
from algorithms.core.parameters import integer, real
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.ensembles.member_training import weighty
from algorithms.learners.ensembles.model import (
    DAMAGED,
    committee_arrays,
    committee_of,
    damaged,
    in_blocks,
    packed,
    prefixed,
    saved_members,
)
from algorithms.learners.ensembles.random_forest import impurity_importance, shares
from algorithms.learners.probability_scaling import softmax
from algorithms.learners.trees import parameters as tree_parameters
from algorithms.learners.trees.growth.binned_growth import BinnedRecords, binned
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.tree_learner import KERNELS as GROWING
from algorithms.structures.members import Committee, Members
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

KERNELS: Final = ("algorithms.learners.ensembles.loss_kernels",)
"""Compiled loops that gradient boosting needs besides those of trees."""
BINS: Final = 255
_HOLD: Final = 1.0
"""L2 penalty added to the curvature, which shrinks the answers of small leaves."""
_BITS: Final = 58
"""Largest number of bits of a fixed-point sum over all records."""


@dataclass(eq=False)
class _Node:
    """Growing node with the ``sums`` of :func:`loss_kernels.sum_cells`; ``left`` marks cells of its first branch."""

    rows: IntArray
    sums: NDArray[np.int64]
    depth: int
    parent: int
    place: int = -1
    gain: float = 0.0
    last_left: int = -1
    left: NDArray[np.bool_] | None = None
    first_child: int = NO_NODE


class LossTrees:
    """Grows regression trees on records of positive weight."""

    def __init__(self, data: Dataset, min_leaf: float, max_depth: int, context: RunContext) -> None:
        records: BinnedRecords = data.derived(binned(BINS), context.checkpoint)
        self._data, self._bins, self._min_leaf, self._max_depth = data, records.bins, min_leaf, max_depth
        attributes, n_codes = data.schema.attributes, records.bins.n_codes
        codes: NDArray[Any] = records.codes[:, : len(n_codes)]
        lists = [attributes[i].kind is AttributeKind.NOMINAL for i in data.schema.predictors]
        if not lists:  # without predictors, use one constant predictor
            codes, n_codes, lists = np.zeros((len(data), 1)), np.ones(1, dtype=np.int64), [False]
        self._codes = np.ascontiguousarray(codes, dtype=np.uint16)
        self._first = np.concatenate([[0], np.cumsum(n_codes + 1)]).astype(np.int64)
        self._is_list = np.array(lists, dtype=np.bool_)
        self._weights, self._classes = data.weight_array, data.class_codes.astype(np.int64)
        total = max(float(self._weights.sum()), 1.0)
        self._unit = 2.0 ** (np.ceil(np.log2(total)) - _BITS)

    def grown(
        self, rows: IntArray, slope: FloatArray, curvature: FloatArray, context: RunContext
    ) -> tuple[Tree, FloatArray, IntArray]:
        """Tree grown on ``rows``, the answers of its m nodes (m,), and the leaf of every record (n,).

        ``slope`` and ``curvature`` (n,) are the weighted derivatives of the loss at each record.
        """
        measured = np.rint(np.stack([slope, curvature, self._weights]) / self._unit).astype(np.int64)
        nodes = [_Node(rows, self._summed(rows, measured, context), 0, -1)]
        arrived = np.zeros(len(self._data), dtype=np.int64)
        places = {0: np.arange(len(self._data))}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            node = nodes[number]
            if not self._split(node):
                continue
            node.first_child = len(nodes)
            for branch, child in enumerate(self._children(node, number, measured, context)):
                nodes.append(child)
                waiting.append(node.first_child + branch)
            here = places.pop(number)
            side = self._goes_left(node, here)
            for branch, part in enumerate((here[side], here[~side])):
                places[node.first_child + branch] = part
                arrived[part] = node.first_child + branch
        return self._tree(nodes), np.array([self._answer(node) for node in nodes]), arrived

    def _answer(self, node: _Node) -> float:
        slope, curvature = node.sums[: self._first[1], :2].sum(axis=0) * self._unit
        return float(-slope / (curvature + _HOLD))

    def _summed(self, rows: IntArray, measured: NDArray[np.int64], context: RunContext) -> NDArray[np.int64]:
        """Sums of these records by cell."""
        from algorithms.learners.ensembles.loss_kernels import sum_cells

        sums = np.zeros((int(self._first[-1]), 4), dtype=np.int64)
        sum_cells(self._codes, rows, measured, self._first, sums, context.control)
        context.checkpoint()
        return sums

    def _split(self, node: _Node) -> bool:
        """Find the best split of a node; returns whether there is one."""
        from algorithms.learners.ensembles.loss_kernels import best_split

        if node.depth >= self._max_depth:
            return False
        left = np.zeros(len(node.sums), dtype=np.bool_)
        place, gain, last = best_split(node.sums, self._first, self._is_list, self._unit, self._min_leaf, _HOLD, left)
        node.place, node.gain, node.last_left = int(place), float(gain), int(last)
        node.left = left[self._first[place] : self._first[place + 1]] if place >= 0 else None
        return node.left is not None

    def _goes_left(self, node: _Node, rows: IntArray) -> NDArray[np.bool_]:
        assert node.left is not None
        return np.asarray(node.left[self._codes[rows, node.place]])

    def _children(self, node: _Node, number: int, measured: NDArray[np.int64], context: RunContext) -> list[_Node]:
        """Both children: the smaller one is summed, the other is the difference."""
        side = self._goes_left(node, node.rows)
        parts = [node.rows[side], node.rows[~side]]
        smaller = int(len(parts[1]) < len(parts[0]))
        sums = self._summed(parts[smaller], measured, context)
        both = (node.sums - sums, sums) if smaller else (sums, node.sums - sums)
        return [_Node(rows, own, node.depth + 1, number) for rows, own in zip(parts, both, strict=True)]

    def _tree(self, nodes: list[_Node]) -> Tree:
        from algorithms.learners.trees.kernels.split_kernels import decide

        schema, k, m = self._data.schema, len(self._data.schema.classes), len(nodes)
        counts = np.array([np.bincount(self._classes[node.rows], self._weights[node.rows], k) for node in nodes])
        parent, decision = np.array([node.parent for node in nodes], dtype=np.int32), np.empty(m, dtype=np.int32)
        decide(counts, parent, decision)
        test, attribute = np.full(m, SplitTest.LEAF, dtype=np.int8), np.full(m, -1, dtype=np.int32)
        threshold, gain, offset = np.full(m, np.nan), np.full(m, np.nan), np.full(m, -1, dtype=np.int32)
        missing_to, branch_of = np.full(m, -1, dtype=np.int16), list[NDArray[np.int16]]()
        for number, node in enumerate(nodes):
            if node.left is None:
                continue
            attribute[number], gain[number] = schema.predictors[node.place], node.gain / float(counts[number].sum())
            missing_to[number] = 0 if node.left[-1] else 1
            if schema.attributes[attribute[number]].kind.is_coded:
                test[number] = SplitTest.SUBSET if self._is_list[node.place] else SplitTest.ORDINAL
                offset[number] = sum(len(part) for part in branch_of)
                branch_of.append(self._branches(node))
            else:
                test[number], threshold[number] = SplitTest.NUMERIC, self._threshold(node)
        return Tree(
            schema=schema,
            test=test,
            attribute=attribute,
            threshold=threshold,
            first_child=np.array([node.first_child for node in nodes], dtype=np.int32),
            n_children=np.array([0 if node.left is None else 2 for node in nodes], dtype=np.int32),
            parent=parent,
            offset=offset,
            branch_of=np.concatenate([*branch_of, np.zeros(0, dtype=np.int16)]),
            counts=counts,
            decision=decision,
            gain=gain,
            missing_to=missing_to,
        )

    def _threshold(self, node: _Node) -> float:
        low, place = node.last_left, node.place
        if low + 1 >= self._bins.n_codes[place]:  # all known values go to the first branch
            return float(self._bins.upper[place][-1])
        return float(self._bins.between(place, np.array([low]), np.array([low + 1]), "midpoint")[0])

    def _branches(self, node: _Node) -> NDArray[np.int16]:
        """Branch of each value; unseen nominal values have -1, the branch of missing values."""
        assert node.left is not None
        branch = np.where(node.left[:-1], 0, 1).astype(np.int16)
        if self._is_list[node.place]:
            start = int(self._first[node.place])
            branch[node.sums[start : start + len(branch), 3] <= 0] = -1
        return branch


_STATE: Final = ArrayState(DAMAGED, {
    "answers": numbers("answers"),
    "start": numbers("scores"),
    "present": replace(indices("classes", "present", dtype=np.int64), ascending=True),
})  # fmt: skip


class Scores:
    """Conversion of scores into class probabilities: one score for two classes, else one for each present class.

    ``present`` (c,) lists the classes with training records, ascending; others have probability 0.
    """

    def __init__(self, present: IntArray, n_classes: int) -> None:
        self.present, self.n_classes = present, n_classes

    @property
    def n_scores(self) -> int:
        """Number of trees in a round."""
        return 1 if len(self.present) <= 2 else len(self.present)

    @property
    def scored(self) -> IntArray:
        """Classes with a score; of two, the second."""
        return self.present[-self.n_scores :]

    def shares(self, scores: FloatArray) -> FloatArray:
        """Probabilities (n, c) of the present classes from scores (n, s)."""
        if len(self.present) == 1:
            return np.ones((len(scores), 1))
        if len(self.present) == 2:
            second = 1 / (1 + np.exp(-np.clip(scores[:, 0], -500, 500)))
            return np.column_stack([1 - second, second])
        return softmax(scores.copy())

    def probabilities(self, scores: FloatArray) -> Probabilities:
        """Probabilities (n, k) of all classes from scores (n, s)."""
        shares = np.zeros((len(scores), self.n_classes))
        shares[:, self.present] = self.shares(scores)
        return shares


class GradientModel(WatchedModel):
    """Boosted trees, one for each score in every round.

    ``answers`` concatenates the contributions of all nodes of all trees; ``start`` (s,) holds the initial scores.
    """

    id: ClassVar[str] = "gradient-boosted"

    def __init__(
        self,
        schema: Schema,
        trees: Sequence[TreeModel],
        *,
        answers: FloatArray,
        start: FloatArray,
        present: IntArray,
        known: Committee | None = None,
        partial: bool = False,
    ) -> None:
        super().__init__(schema, partial=partial)
        self.trees, self.answers, self.start = tuple(trees), answers, start
        self.scoring = Scores(present, len(schema.classes))
        self.known = known or Committee()
        self._ends = np.cumsum([model.tree.n_nodes for model in self.trees])

    def answer_of(self, number: int) -> FloatArray:
        """Contributions of the nodes (m,) of a tree to its score."""
        return self.answers[self._ends[number] - self.trees[number].tree.n_nodes : self._ends[number]]

    def _scores(self, data: Dataset, context: RunContext | None = None) -> FloatArray:
        scores = np.tile(self.start, (len(data), 1))
        for number in range(len(self.trees)):
            if context is not None:
                context.checkpoint()
            self._add(number, data, scores)
        return scores

    def _add(self, number: int, data: Dataset, scores: FloatArray) -> None:
        """Add the answers of one tree to scores (n, s)."""
        scores[:, number % len(self.start)] += self.answer_of(number)[self.trees[number].leaves_of(data)]

    def staged(self, data: Dataset) -> Iterator[FloatArray]:
        """Scores (n, s) after each round; the array is reused by the next round."""
        scores = np.tile(self.start, (len(data), 1))
        for number in range(len(self.trees)):
            self._add(number, data, scores)
            if (number + 1) % len(self.start) == 0 or number + 1 == len(self.trees):
                yield scores

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        def probabilities(part: Dataset) -> Probabilities:
            return self.scoring.probabilities(self._scores(part, context))

        shares = np.concatenate(in_blocks(data, context, probabilities))
        return Predictions(np.argmax(shares, axis=1).astype(np.int32), shares)

    def structure(self) -> Members:
        return self._structure

    @cached_property
    def _structure(self) -> Members:
        s = len(self.start)
        several = [f", {self.classes[code]}" if s > 1 else "" for code in self.scoring.scored.tolist()]
        names = tuple(f"Round {number // s + 1}{several[number % s]}" for number in range(len(self.trees)))
        parts = tuple(model.tree for model in self.trees)
        return Members(self.schema, parts, names, np.ones(len(parts)), True, self.known, how="sums")

    def facts(self) -> dict[str, int | float]:
        trees = [model.tree for model in self.trees]
        return {
            "members": len(trees),
            "leaves": sum(tree.n_leaves for tree in trees),
            "depth": max(tree.depth for tree in trees),
        }

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Number and sum of the trees for and against the predicted class."""
        one = aligned(self.schema, data).take([row])
        shares = self._predict_proba(one)[0]
        decision = int(np.argmax(shares))
        before = float(self.scoring.probabilities(self.start[None, :])[0, decision])
        name = self.classes[decision]
        steps = [f"before any tree: {name} {before:.1%}, as often as in training"]
        place = np.flatnonzero(self.scoring.scored == decision)
        score = int(place[0]) if len(place) else 0
        sign = 1.0 if len(place) else -1.0
        added = [
            sign * float(self.answer_of(i)[self.trees[i].leaves_of(one)[0]])
            for i in range(score, len(self.trees), len(self.start))
        ]
        for_it, against = [x for x in added if x > 0], [x for x in added if x < 0]
        steps.append(f"{len(for_it)} of {len(added)} trees speak for {name}: {sum(for_it):+.2f} in all")
        if against:
            steps.append(f"{len(against)} speak against it: {sum(against):+.2f}")
        steps.append(f"together: {name} {float(shares[decision]):.1%}")
        return Explanation(decision, tuple(float(share) for share in shares), tuple(steps))

    def to_state(self) -> State:
        inside = packed(self.trees)
        own = {"answers": self.answers, "start": self.start, "present": self.scoring.present}
        arrays = prefixed("members", inside) | own | committee_arrays(self.known)
        return State({"members": dict(inside.values), "partial": self.partial}, arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        members, k = saved_members(schema, state), len(schema.classes)
        read = _STATE.read(state.arrays, classes=k)
        answers, start, present = read["answers"], read["start"], read["present"]
        trees = [member for member in members if isinstance(member, TreeModel)]
        if len(trees) != len(members) or not len(present) or len(start) != Scores(present, k).n_scores:
            raise damaged()
        if len(answers) != sum(model.tree.n_nodes for model in trees) or len(trees) % len(start):
            raise damaged()
        return cls(
            schema,
            trees,
            answers=answers,
            start=start,
            present=present,
            known=committee_of(schema, state.arrays),
            partial=state.values.get("partial") is True,
        )


_BINNING: Final = ("algorithms.learners.trees.kernels.binning_kernels",)


@dataclass(frozen=True, kw_only=True)
class GradientBoosting(Learner):
    """Gradient boosting of the logistic loss, with one tree a class and round for several classes.

    The initial scores are the log shares of the classes. Trees split numbers in 255 bins, and their answers are
    scaled by the step. With ``size`` below 100 each round draws records without replacement.
    """

    id: ClassVar[str] = "gradient-boosting"
    name: ClassVar[str] = "Gradient boosting"
    sentence: ClassVar[str] = (
        "Grows one small tree after the other, each mending a little of what those before it leave wrong: among the "
        "most accurate there is for tables."
    )
    source: ClassVar[str] = "Friedman, Greedy function approximation (2001); Stochastic gradient boosting (2002)"
    family: ClassVar[str] = "Committees"
    kernels: ClassVar[tuple[str, ...]] = (*GROWING, *_BINNING, *KERNELS)

    members: int = integer(
        100,
        lo=1,
        hi=10_000,
        label="Rounds",
        help="How many trees are added one after the other; with several classes so many for each. Too many learn the "
        "noise as well.",
        unit="rounds",
    )
    step: float = real(
        0.1,
        lo=0.001,
        hi=1.0,
        label="Step",
        help="How much of what each tree would mend is taken over. Small steps need more rounds and err less.",
    )
    max_depth: int = integer(
        3, lo=1, hi=30, label="Most questions in a row", help="How deep each tree may grow.", unit="questions"
    )
    min_leaf: int = tree_parameters.min_leaf(5)
    size: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Records drawn",
        help="How many of every 100 training records each round learns from, drawn by chance: half of them often errs "
        "less and takes half the time.",
        unit="%",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return self.size < 100

    def _fit(self, data: Dataset, context: RunContext) -> GradientModel:
        ensure_compiled(self.kernels, context)
        data = weighty(data)
        if not data.weight_array.any():
            data = data.with_weights(None)
        truth = data.class_codes.astype(np.int64)
        weight = data.weight_array
        held = np.bincount(truth, weight, minlength=len(data.schema.classes)).astype(np.float64)
        scoring = Scores(np.flatnonzero(held).astype(np.int64), len(held))
        start = _start(held[scoring.present])
        scores = np.tile(start, (len(data), 1))
        trees, answers, errors = list[TreeModel](), list[FloatArray](), list[float]()
        growing = LossTrees(data, self.min_leaf, self.max_depth, context)
        target = truth[:, None] == scoring.scored
        scale = len(scoring.present) / max(1, len(scoring.present) - 1) if scoring.n_scores > 1 else 1.0
        for number in range(self.members if len(scoring.present) > 1 else 1):
            if trees and context.finishing:
                break
            part = context.child(1 / self.members, number)
            rows = np.arange(len(data))
            if self.size < 100:
                rows = np.sort(part.random().permutation(rows)[: max(1, round(len(data) * self.size / 100))])
            believed = scoring.shares(scores)[:, -scoring.n_scores :]
            for score in range(scoring.n_scores):
                slope = weight * (believed[:, score] - target[:, score])
                curvature = weight * believed[:, score] * (1 - believed[:, score]) * scale
                tree, answer, arrived = growing.grown(rows, slope, curvature, part)
                trees.append(TreeModel(tree))
                answers.append(self.step * answer)
                scores[:, score] += answers[-1][arrived]
            part.complete()
            wrong = scoring.present[np.argmax(scoring.shares(scores), axis=1)] != truth
            errors.append(float(weight[wrong].sum() / weight.sum()))
        importance = shares(np.sum([impurity_importance(model.tree) for model in trees], axis=0))
        return GradientModel(
            data.schema,
            trees,
            answers=np.concatenate(answers),
            start=start,
            present=scoring.present,
            known=Committee(training_error=np.array(errors), impurity_importance=importance),
            partial=len(errors) < self.members and context.finishing,
        )


def _start(held: FloatArray) -> FloatArray:
    """Initial scores, which give the classes their shares in training (c,)."""
    logarithm = np.log(held / held.sum())
    return np.asarray(logarithm if len(held) > 2 else (logarithm[-1:] - logarithm[:1]))
