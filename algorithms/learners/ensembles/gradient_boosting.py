"""Gradient boosting: trees fitted to the gradient of a loss on records in bins, their model, and the learner.

Source: Friedman, Greedy function approximation: a gradient boosting machine (2001). The loops that grow a tree stand in
:mod:`boosting_kernels`.

With sums G and H of slopes (gradients) and curvatures (hessians), a split gains G_l^2 / (H_l + penalty) + G_r^2 /
(H_r + penalty) - G^2 / (H + penalty), and a leaf answers -G / (H + penalty). Source: Chen and Guestrin, XGBoost (2016),
sections 2.2 and 3.4; the nominal values of a split are sorted by G / H (Fisher, On grouping for maximum
homogeneity, 1958). Monotone attributes are the basic method of LightGBM: a split that breaks the order is refused, and
the answers below are bounded by the mean of the two answers at the split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.array_state import ArrayState, indices, numbers
from algorithms.core.learner import (
    Explanation,
    Learner,
    Predictions,
    Probabilities,
    Problem,
    State,
    Variant,
    WatchedModel,
)
from algorithms.core.parameters import BALANCED, boolean, class_weights, columns, integer, real
from algorithms.core.run_control import RunContext, usable_cores
from algorithms.data.alignment import aligned
from algorithms.data.columns import Column, FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.data.summary import Summary
from algorithms.learners.ensembles.member_training import weighty
from algorithms.learners.ensembles.model import (
    DAMAGED,
    committee_arrays,
    committee_of,
    damaged,
    in_blocks,
    joined_trees,
    packed,
    prefixed,
    saved_members,
)
from algorithms.learners.ensembles.random_forest import impurity_importance, shares
from algorithms.learners.probability_scaling import softmax
from algorithms.learners.trees import parameters as tree_parameters
from algorithms.learners.trees.growth.binned_growth import Bins, bins_of, encode
from algorithms.learners.trees.growth.growth_options import middles
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.routing import JoinedTrees, ValueBlocks
from algorithms.structures.members import Committee, Members
from algorithms.structures.tree import SplitTest, Tree, TreeSum

KERNELS: Final = (
    "algorithms.learners.ensembles.boosting_kernels",
    "algorithms.learners.trees.kernels.binning_kernels",
    "algorithms.learners.trees.kernels.split_kernels",
    "algorithms.learners.trees.kernels.prediction_kernels",
)
"""Modules of the compiled loops that gradient boosting needs."""
BINS: Final = 255
_GROUP: Final = 10
"""Largest number of predictors whose codes lie side by side: their sums stay in the processor's nearest cache."""
_BITS: Final = 61
"""Number of bits of a whole number for the sum over all records."""
_CONSTANT: Final = Bins(np.ones(1, dtype=np.int64), (np.zeros(0),), (np.zeros(0),))
"""The only bin of a predictor that tells nothing."""
_WORTH_A_THREAD: Final = 200_000
"""Least number of codes of records for which a second thread saves more time than it takes to wake it."""


@dataclass(frozen=True)
class BoostingLimits:
    """What bounds a tree: its leaves and depth, and the records and the curvature of a leaf.

    ``max_leaves`` is 0 for no limit; ``penalty`` is the L2 penalty of the answers, ``step`` the learning rate. The
    score never falls where a ``rising`` attribute rises, and never rises where a ``falling`` one does.
    """

    max_depth: int
    max_leaves: int
    min_leaf: float
    min_curvature: float
    penalty: float
    step: float
    rising: tuple[str, ...] = ()
    falling: tuple[str, ...] = ()


class LossTrees:
    """Grows regression trees on records of positive weight, for scores that it holds.

    ``scored`` (s,) are the classes with a score, ``start`` (s,) the scores of a record before the first tree.
    ``class_factors`` (k,) multiply the loss of the records of each class; their weighted mean is 1.
    """

    def __init__(
        self,
        data: Dataset,
        limits: BoostingLimits,
        scored: IntArray,
        start: FloatArray,
        class_factors: FloatArray,
        context: RunContext,
    ) -> None:
        from algorithms.learners.ensembles import boosting_kernels as kernels

        self._data, self._kernels = data, kernels
        attributes, predictors, n = data.schema.attributes, data.schema.predictors, len(data)
        bins = bins_of(data, BINS, context.checkpoint)
        columns = [data.column(index) for index in predictors]
        sets = [attributes[i].kind is AttributeKind.NOMINAL for i in predictors]
        self._maps = [np.arange(n_codes + 1) for n_codes in bins.n_codes]
        for place in np.flatnonzero(bins.n_codes > BINS).tolist():
            held = np.bincount(columns[place].astype(np.int64) + 1, data.weight_array, int(bins.n_codes[place]) + 1)[1:]
            self._maps[place] = _merged(held.astype(np.float64), is_ordered=not sets[place])
            columns[place] = self._maps[place][columns[place]].astype(np.int16)
        bins = replace(bins, n_codes=np.array([codes_of[-1] for codes_of in self._maps], dtype=np.int64))
        self._thresholds = np.concatenate([np.zeros(0), *(_thresholds(bins, place) for place in range(len(sets)))])
        if not sets:  # without predictors, use one constant predictor
            columns, sets, bins = [np.zeros(n, dtype=np.int8)], [False], _CONSTANT
        d = len(sets)
        names = [attributes[i].name for i in predictors] or [""]
        signs = [(name in limits.rising) - (name in limits.falling) for name in names]
        self._first = np.concatenate([[0], np.cumsum(bins.n_codes + 1)]).astype(np.int64)
        self._is_set = np.array(sets, dtype=np.bool_)
        self._attributes = np.array(predictors, dtype=np.int32)
        self._tests = np.array([_test_of(attributes[i].kind) for i in predictors], dtype=np.int8)
        self._threads = usable_cores() if context.executor is not None and n * d >= _WORTH_A_THREAD else 1
        group_start = _group_starts(d)
        grouped = np.zeros((len(group_start) - 1, n, int(np.diff(group_start).max())), dtype=np.uint8)
        parts = [grouped[g, :, j] for g, width in enumerate(np.diff(group_start).tolist()) for j in range(width)]
        encode(columns, bins, parts, context.checkpoint)
        heavy_enough = int(data.weight_array.sum() / limits.min_leaf) + 1
        leaves = max(1, min(n, heavy_enough, 1 << min(limits.max_depth, 30), limits.max_leaves or n))
        sizes, units = self._scales(data, limits, len(scored))
        self._b = kernels.boosting(
            codes=grouped,
            group_start=group_start,
            first=self._first,
            is_set=self._is_set,
            signs=np.array(signs, dtype=np.int64),
            classes=data.class_codes,
            weights=data.weight_array,
            class_factors=class_factors,
            scored=scored,
            scores=np.tile(start, (n, 1)),
            sizes=sizes,
            units=units,
            n_leaves=leaves,
            n_slots=leaves + 1 if limits.max_leaves else min(limits.max_depth, n) + 2,
            control=context.control,
        )

    def _scales(self, data: Dataset, limits: BoostingLimits, n_scores: int) -> tuple[IntArray, FloatArray]:
        """The sizes and units of the loops: slopes, curvatures and weights become whole numbers of these units."""
        weights = data.weight_array
        total = max(float(weights.sum()), 1.0)
        level, is_whole = int(np.ceil(np.log2(total))), bool((weights == np.floor(weights)).all())
        weight_scale = 1.0 if is_whole and level <= _BITS else 2.0 ** (_BITS - level)
        scale = 2.0 ** (_BITS - level)
        factor = (n_scores / (n_scores - 1)) if n_scores > 1 else 1.0
        least = int(np.clip(np.ceil(limits.min_leaf * weight_scale * (1 - 1e-9)), 1, 2.0**62))
        sizes = np.array([limits.max_depth, limits.max_leaves, least, 0, len(data)], dtype=np.int64)
        numbers = (limits.penalty, limits.min_curvature, limits.step, weight_scale, scale, scale * factor)
        return sizes, np.array([1 / scale, *numbers])

    def begin_round(self, rows: NDArray[np.int32], percent: float, random: np.random.Generator) -> None:
        """Grow the trees of the next round on these records, and on ``percent`` of the predictors, drawn at random."""
        b = self._b
        self._rows, self._begins = rows, True
        if len(rows) < len(b.is_left_out):
            b.is_left_out[:] = True
            b.is_left_out[rows] = False
        if percent < 100:
            b.is_used[:] = False
            b.is_used[random.permutation(len(b.is_used))[: max(1, round(len(b.is_used) * percent / 100))]] = True

    def grown(self, score: int, context: RunContext) -> tuple[Tree, FloatArray]:
        """The next tree for this score and the answers of its m nodes (m,), which are added to the scores."""
        b = self._b._replace(control=context.control)
        b.rows[: len(self._rows)] = self._rows
        b.sizes[self._kernels.SCORE] = score
        b.sync[:] = 0
        begins, self._begins = self._begins, False
        context.map(lambda _: self._kernels.grow(b, len(self._rows), begins), range(self._threads))
        context.checkpoint()
        return self._tree(int(b.sync[self._kernels.N_NODES]))

    @property
    def scores(self) -> FloatArray:
        """The scores (n, s) of all records so far."""
        return self._b.scores

    def shares(self) -> FloatArray:
        """The current probabilities (n, s) of the classes that have scores."""
        self._b.sync[:] = 0
        self._kernels.grow(self._b, 0, True)
        return self._b.shares

    @property
    def wrong(self) -> float:
        """Weight of the records that the scores had wrong when the round began, or :meth:`shares` was asked for."""
        return float(self._b.block_wrong.sum())

    def _tree(self, n_nodes: int) -> tuple[Tree, FloatArray]:
        from algorithms.learners.trees.kernels.split_kernels import decide

        k, schema = self._kernels, self._data.schema
        order = _by_level(self._b.nodes[:n_nodes, k.FIRST_CHILD])
        number = np.empty(n_nodes, dtype=np.int64)
        number[order] = np.arange(n_nodes)
        nodes, counts = self._b.nodes[order], self._b.counts[order]
        unit, hold = self._b.units[k.UNIT], self._b.units[k.HOLD]
        curvature = nodes[:, k.CURVATURE] * unit + hold
        ways = np.divide(-nodes[:, k.SLOPE] * unit, curvature, out=np.zeros(n_nodes), where=curvature > 0)
        bounds = self._b.bounds[order] if len(self._b.bounds) > 1 else self._b.bounds
        answers = np.clip(ways, bounds[:, 0], bounds[:, 1]) * self._b.units[k.STEP]
        inner = np.flatnonzero(nodes[:, k.FIRST_CHILD] >= 0)
        parent = np.where(nodes[:, k.PARENT] >= 0, number[nodes[:, k.PARENT]], -1).astype(np.int32)
        first_child, attribute = np.full(n_nodes, -1, dtype=np.int32), np.full(n_nodes, -1, dtype=np.int32)
        first_child[inner] = number[nodes[inner, k.FIRST_CHILD]]
        test, threshold = np.full(n_nodes, SplitTest.LEAF, dtype=np.int8), np.full(n_nodes, np.nan)
        gain, offset = np.full(n_nodes, np.nan), np.full(n_nodes, -1, dtype=np.int32)
        missing_to, branch_of, length = np.full(n_nodes, -1, dtype=np.int16), [np.zeros(0, dtype=np.int16)], 0
        decision = np.empty(n_nodes, dtype=np.int32)
        decide(counts, parent, decision)
        missing_to[inner] = 1 - nodes[inner, k.MISSING_LEFT]
        gain[inner] = self._b.gains[order[inner]] / counts[inner].sum(axis=1)
        places, cuts = nodes[inner, k.PLACE], nodes[inner, k.CUT]
        attribute[inner] = self._attributes[places]
        test[inner], threshold[inner] = self._tests[places], self._thresholds[self._first[places] + cuts]
        for node in inner[self._tests[places] != SplitTest.NUMERIC].tolist():
            offset[node] = length
            branch_of.append(self._branches(int(order[node]), int(nodes[node, k.PLACE]), int(nodes[node, k.CUT])))
            length += len(branch_of[-1])
        tree = Tree(
            schema=schema,
            test=test,
            attribute=attribute,
            threshold=threshold,
            first_child=first_child,
            n_children=np.where(first_child >= 0, 2, 0).astype(np.int32),
            parent=parent,
            offset=offset,
            branch_of=np.concatenate(branch_of),
            counts=counts,
            decision=decision,
            gain=gain,
            missing_to=missing_to,
        )
        return tree, answers

    def _branches(self, node: int, place: int, cut: int) -> NDArray[np.int16]:
        """Branch of each value; unseen nominal values have -1, the branch of missing values."""
        codes = self._maps[place][:-1]
        if not self._is_set[place]:
            return np.where(codes <= cut, 0, 1).astype(np.int16)
        branch = np.where(_bits(self._b.left[node], codes), 0, 1).astype(np.int16)
        branch[~_bits(self._b.seen[node], codes)] = -1
        return branch


def _merged(held: FloatArray, *, is_ordered: bool) -> IntArray:
    """A code below ``BINS`` for each of more values, whose weights these are, and the code ``BINS`` for missing ones.

    Neighbours in an order share a code so that all codes weigh about the same. Without an order the rarest share one.
    """
    if is_ordered:
        codes = np.minimum((np.cumsum(held) - held) * (BINS / max(held.sum(), 1e-300)), BINS - 1).astype(np.int64)
    else:
        codes = np.empty(len(held), dtype=np.int64)
        codes[np.argsort(-held, kind="stable")] = np.minimum(np.arange(len(held)), BINS - 1)
    return np.append(codes, BINS)


def _test_of(kind: AttributeKind) -> SplitTest:
    if not kind.is_coded:
        return SplitTest.NUMERIC
    return SplitTest.SUBSET if kind is AttributeKind.NOMINAL else SplitTest.ORDINAL


def _thresholds(bins: Bins, place: int) -> FloatArray:
    """The threshold after each bin of a predictor and after missing values; NaN where it is not numeric."""
    upper, lower = bins.upper[place], bins.lower[place]
    thresholds = np.full(int(bins.n_codes[place]) + 1, np.nan)
    if len(upper):
        thresholds[: len(upper)] = np.append(middles(upper[:-1], lower[1:]), upper[-1:])
    return thresholds


def _group_starts(d: int) -> IntArray:
    """First predictor of each group (g + 1,): groups of about equal size, an even number of them if there are two."""
    n_groups = max(1, 2 * -(-d // (2 * _GROUP))) if d > 1 else 1
    return np.linspace(0, d, n_groups + 1).round().astype(np.int64)


def _by_level(first_child: IntArray) -> IntArray:
    """The nodes by level, and within a level by their parents."""
    levels = [np.zeros(1, dtype=np.int64)]
    while len(levels[-1]):
        children = first_child[levels[-1]]
        children = children[children >= 0]
        levels.append(np.stack([children, children + 1], axis=1).ravel())
    return np.concatenate(levels)


def _bits(words: NDArray[np.uint64], codes: IntArray) -> NDArray[np.bool_]:
    shifted = words[codes >> 6] >> (codes & 63).astype(np.uint64)
    return np.asarray(shifted & np.uint64(1), dtype=np.bool_)


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

    def _scores(self, data: Dataset, context: RunContext) -> FloatArray:
        scores = np.tile(self.start, (len(data), 1))
        if len(data) == 1:
            np.add.at(scores[0], np.arange(len(self.trees)) % len(self.start), self._added(data))
            return scores
        kept = ValueBlocks(data)
        for number in range(len(self.trees)):
            context.checkpoint()
            self._add(number, data, scores, kept)
        return scores

    @cached_property
    def _joined(self) -> JoinedTrees | None:
        return joined_trees(self.trees)

    def _added(self, one: Dataset) -> FloatArray:
        """What each tree (t,) adds to its score of one record."""
        leaves = np.full(len(self.trees), -1) if self._joined is None else self._joined.leaves(one)
        added = self.answers[leaves]
        for number in np.flatnonzero(leaves < 0).tolist():
            added[number] = self.answer_of(number)[self.trees[number].leaves_of(one)[0]]
        return added

    def _add(self, number: int, data: Dataset, scores: FloatArray, kept: ValueBlocks | None = None) -> None:
        scores[:, number % len(self.start)] += self.answer_of(number)[self.trees[number].leaves_of(data, kept)]

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

    def tree_sum(self) -> TreeSum | None:
        """One score a class; of two classes the first has the score 0."""
        if len(self.scoring.present) < 2:
            return None
        start = np.full(len(self.classes), -np.inf)
        start[self.scoring.present] = 0.0
        start[self.scoring.scored] = self.start
        outputs = [self.answer_of(number)[:, None] for number in range(len(self.trees))]
        classes = [int(self.scoring.scored[number % len(self.start)]) for number in range(len(self.trees))]
        return TreeSum([model.tree for model in self.trees], outputs, classes, start, is_log=True)

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
        added = (sign * self._added(one)[score :: len(self.start)]).tolist()
        for_it, against = [x for x in added if x > 0], [x for x in added if x < 0]
        steps.append(f"{len(for_it)} of {len(added)} trees speak for {name}: {sum(for_it):+.2f} in all")
        if against:
            steps.append(f"{len(against)} speak against it: {sum(against):+.2f}")
        steps.append(f"together: {name} {float(shares[decision]):.1%}")
        return Explanation(decision, tuple(shares.tolist()), tuple(steps))

    def to_state(self) -> State:
        inside = packed(self.trees)
        own = {"answers": self.answers, "start": self.start, "present": self.scoring.present}
        arrays = prefixed("members", inside) | own | committee_arrays(self.known)
        return State({"members": dict(inside.values), "partial": self.partial}, arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        members, k = saved_members(schema, state), len(schema.classes)
        read = _STATE.read(state.arrays, classes=k)
        start, present = read["start"], read["present"]
        trees = [member for member in members if isinstance(member, TreeModel)]
        if len(trees) != len(members) or not len(present) or len(start) != Scores(present, k).n_scores:
            raise damaged()
        if len(read["answers"]) != sum(model.tree.n_nodes for model in trees) or len(trees) % len(start):
            raise damaged()
        known, partial = committee_of(schema, state.arrays), state.values.get("partial") is True
        return cls(schema, trees, **read, known=known, partial=partial)


LEAST_HELD_OUT: Final = 10_000
"""Least number of records of which early stopping holds some out."""
_HELD_OUT_SHARE: Final = 0.1
_PATIENCE: Final = 10
"""Number of rounds without a lower loss after which early stopping ends."""


def _monotone(direction: str, never: str) -> Any:
    sentence = f"Attributes with which the probability of the second class never {never}"
    kinds = (AttributeKind.NUMERIC, AttributeKind.ORDINAL)
    label = f"Monotone {direction}"
    return columns((), label=label, help=sentence, without="none", advanced=True, earlier=(), kinds=kinds)


@dataclass(frozen=True, kw_only=True)
class GradientBoosting(Learner):
    """Gradient boosting of the logistic loss, with one tree a class and round for several classes.

    The initial scores are the log shares of the classes. Trees split numbers in 255 bins; of more than 255 nominal
    values the rarest count as one. Missing values go where the loss falls most. With ``size`` below 100 each round
    draws records without replacement.
    """

    id: ClassVar[str] = "gradient-boosting"
    name: ClassVar[str] = "Gradient boosting"
    sentence: ClassVar[str] = (
        "Adds small trees one after another, each fitted to the remaining errors: among the most accurate "
        "learners for tables."
    )
    source: ClassVar[str] = "Friedman, Greedy function approximation (2001); Stochastic gradient boosting (2002)"
    family: ClassVar[str] = "Ensembles"
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5),)

    members: int = integer(
        100,
        lo=1,
        hi=10_000,
        label="Boosting rounds",
        help="Number of trees; with several classes this many for each. Too many overfit.",
        unit="rounds",
    )
    step: float = real(
        0.1,
        lo=0.001,
        hi=1.0,
        label="Learning rate",
        help="Shrinkage of each tree. Smaller values need more rounds and have a lower error.",
    )
    max_depth: int = integer(
        3,
        lo=1,
        hi=30,
        label="Maximum depth",
        help="Largest number of splits between the root and a leaf of each tree.",
        unit="levels",
    )
    min_leaf: int = tree_parameters.min_leaf(5)
    early_stopping: bool = boolean(
        True,
        label="Early stopping",
        help=f"Holds out a tenth of {LEAST_HELD_OUT:,} or more records, and ends when the log loss on them has not "
        f"fallen for {_PATIENCE} rounds.",
        earlier=False,
    )
    max_leaves: int = integer(
        0,
        lo=0,
        hi=100_000,
        label="Maximum leaves",
        help="Largest number of leaves of each tree; the leaf with the largest gain is split next. 0 sets no limit.",
        unit="leaves",
        advanced=True,
        earlier=0,
    )
    penalty: float = real(
        1.0,
        lo=0.0,
        hi=1e6,
        label="Penalty strength",
        help="L2 penalty of the leaf values. A larger one shrinks the values of leaves with few records.",
        advanced=True,
        earlier=1.0,
    )
    min_curvature: float = real(
        0.0,
        lo=0.0,
        hi=1e6,
        label="Min. hessian per leaf",
        help="Smallest sum of the second derivatives of the loss in a leaf (min_child_weight in XGBoost).",
        advanced=True,
        earlier=0.0,
    )
    size: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Sample size (%)",
        help="Share of the training records that each round uses, drawn at random. Half often has a lower "
        "error and takes half the time.",
        unit="%",
        advanced=True,
    )
    attributes_given: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Features per member",
        help="Share of the attributes that the trees of each round use, drawn at random.",
        unit="%",
        advanced=True,
        earlier=100.0,
    )
    class_cost: str = class_weights(earlier="equal")
    rising: tuple[str, ...] = _monotone("increasing", "falls")
    falling: tuple[str, ...] = _monotone("decreasing", "rises")

    def check(self, summary: Summary) -> list[Problem]:
        problems, chosen = super().check(summary), self.monotone_attributes
        if problems or not chosen:
            return problems
        if (k := len(summary.schema.classes)) != 2:
            return [Problem(f"Monotone attributes need two classes, but there are {k}.", "Choose none.")]
        if twice := sorted(set(self.rising) & set(self.falling)):
            return [Problem(f"{twice[0]} is to be increasing and decreasing.", "Choose one of them.", twice[0])]
        attributes = [summary.schema.attributes[index] for index in summary.schema.predictors]
        remedy = "Choose an attribute that the model can use."
        return [
            Problem(f"{name} is no predictor, so nothing is monotone in it.", remedy, name)
            for name in sorted(chosen - {attribute.name for attribute in attributes})
        ] + [
            Problem(f"{attribute.name} has no order, so nothing is monotone in it.", "Make it ordinal.", attribute.name)
            for attribute in attributes
            if attribute.name in chosen and attribute.kind is AttributeKind.NOMINAL
        ]

    @property
    def monotone_attributes(self) -> frozenset[str]:
        return frozenset((*self.rising, *self.falling))

    @property
    def resamples(self) -> bool:
        return self.size < 100

    def _fit(self, data: Dataset, context: RunContext) -> GradientModel:
        ensure_compiled(self.kernels, context)
        data = weighty(data)
        if not data.weight_array.any():
            data = data.with_weights(None)
        truth, k = data.class_codes, len(data.schema.classes)
        held = np.bincount(truth, data.weight_array, minlength=k).astype(np.float64)
        scoring = Scores(np.flatnonzero(held).astype(np.int64), k)
        factors = np.ones(k)
        if self.class_cost == BALANCED:
            factors[scoring.present] = held.sum() / (len(scoring.present) * held[scoring.present])
        start, is_single = _start((factors * held)[scoring.present]), len(scoring.present) == 1
        limits = BoostingLimits(
            max_depth=0 if is_single else self.max_depth,
            max_leaves=self.max_leaves,
            min_leaf=self.min_leaf,
            min_curvature=self.min_curvature,
            penalty=self.penalty,
            step=self.step,
            rising=self.rising,
            falling=self.falling,
        )
        growing = LossTrees(data, limits, scoring.scored, start, factors, context)
        learned, validation = self._held_out(data, context)
        judged = truth[validation]
        judged_weights = data.weight_array[validation] * factors[judged]
        trees, answers, errors, losses = list[TreeModel](), list[FloatArray](), list[float](), list[float]()
        for number in range(1 if is_single else self.members):
            if trees and (context.finishing or (losses and number - _best(losses) >= _PATIENCE)):
                break
            part = context.child(1 / self.members, number)
            random = part.random()
            growing.begin_round(_drawn(learned, self.size, random), self.attributes_given, random)
            for score in range(scoring.n_scores):
                tree, answer = growing.grown(score, part)
                trees.append(TreeModel(tree))
                answers.append(0.0 * answer if is_single else answer)
            if number:
                errors.append(growing.wrong)
            if len(validation):
                losses.append(_log_loss(scoring.probabilities(growing.scores[validation]), judged, judged_weights))
            part.complete()
        is_partial = context.finishing and len(trees) < self.members * scoring.n_scores
        growing.shares()
        errors.append(0.0 if is_single else growing.wrong)
        kept = _best(losses) if losses else len(errors)
        trees, answers = trees[: kept * scoring.n_scores], answers[: kept * scoring.n_scores]
        importance = shares(np.sum([impurity_importance(model.tree) for model in trees], axis=0))
        return GradientModel(
            data.schema,
            trees,
            answers=np.concatenate(answers),
            start=start,
            present=scoring.present,
            known=Committee(
                training_error=np.array(errors[:kept]) / data.weight_array.sum(), impurity_importance=importance
            ),
            partial=is_partial,
        )

    def _held_out(self, data: Dataset, context: RunContext) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The records to grow trees on, and those that are held out for early stopping, both ascending."""
        n = len(data)
        if not self.early_stopping or n < LEAST_HELD_OUT:
            return np.arange(n, dtype=np.int32), np.zeros(0, dtype=np.int32)
        drawn = context.child(0.0, self.members).random().permutation(n).astype(np.int32)
        n_held = round(n * _HELD_OUT_SHARE)
        return np.sort(drawn[n_held:]), np.sort(drawn[:n_held])


def _drawn(rows: NDArray[np.int32], percent: float, random: np.random.Generator) -> NDArray[np.int32]:
    """This share of the rows, drawn without replacement, ascending."""
    if percent >= 100:
        return rows
    return np.sort(rows[random.permutation(len(rows))[: max(1, round(len(rows) * percent / 100))]])


def _best(losses: list[float]) -> int:
    """The number of rounds with the lowest loss, the first of equal ones; 0 without losses."""
    return int(np.argmin(losses)) + 1 if losses else 0


def _log_loss(shares: Probabilities, truth: Column, weights: FloatArray) -> float:
    """Mean log loss of probabilities (m, k) for records of these classes and weights (m,)."""
    own = shares[np.arange(len(truth)), truth]
    return float(-(weights @ np.log(np.maximum(own, 1e-300))) / weights.sum())


def _start(held: FloatArray) -> FloatArray:
    """Initial scores, which give the classes their shares in training (c,)."""
    logarithm = np.log(held / held.sum())
    return np.asarray(logarithm if len(held) > 2 else (logarithm[-1:] - logarithm[:1]))
