"""Random forests: strength and correlation, importance, and proximities with outliers and a map by scaling.

Sources: Breiman, Random Forests (2001), section 2.2 and appendix II; TSKK Eq. 5.72; Breiman and Cutler (2003, manual)
for proximities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model, Problem, Variant
from algorithms.core.parameters import boolean, declared_as, integer, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.member_training import (
    OUT_OF_BAG,
    VoteSums,
    counted,
    drawn_rows,
    side_by_side,
    weighty,
)
from algorithms.learners.ensembles.model import CommitteeModel, seen_by
from algorithms.learners.trees import parameters as tree_parameters
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.oblique import OBLIQUE_KERNELS
from algorithms.learners.trees.routing import value_block
from algorithms.learners.trees.tree_learner import KERNELS, too_many_values
from algorithms.structures.members import Committee
from algorithms.structures.tree import SplitTest, Tree

ABSENT = -1
"""Vote of a member trained on the record."""


def strength_and_correlation(votes: NDArray[np.int16], truth: NDArray[np.int32], k: int) -> tuple[float, float]:
    """Strength and mean correlation from the out-of-bag votes (m, n) of m members for k classes on n records.

    The margin of a record is the vote share of its true class less that of the strongest other class. Strength is the
    mean margin. Correlation is the variance of the margin over the squared mean deviation of the members' margins. Both
    are NaN without out-of-bag votes; correlation also if no member ever errs.
    """
    present = votes != ABSENT
    heard = present.any(axis=0)
    if k < 2 or not heard.any():
        return float("nan"), float("nan")
    votes, present, truth = votes[:, heard], present[:, heard], truth[heard]
    counts = np.stack([np.count_nonzero(votes == code, axis=0) for code in range(k)], axis=1)
    shares = counts / present.sum(axis=0)[:, None]
    rows = np.arange(len(truth))
    others = shares.copy()
    others[rows, truth] = -1.0
    rival = np.argmax(others, axis=1)
    margin = shares[rows, truth] - shares[rows, rival]
    own = np.array(
        [_deviation(vote[there], truth[there], rival[there]) for vote, there in zip(votes, present, strict=True)]
    )
    own = own[np.isfinite(own)]
    spread = float(own.mean()) if len(own) else 0.0
    return float(margin.mean()), float(margin.var()) / spread**2 if spread > 0 else float("nan")


def _deviation(vote: NDArray[np.int16], truth: NDArray[np.int32], rival: NDArray[np.int64]) -> float:
    """Standard deviation of a member's out-of-bag margins: 1 for the true class, -1 for its rival."""
    if not len(vote):
        return float("nan")
    right, wrong = float(np.mean(vote == truth)), float(np.mean(vote == rival))
    return float(np.sqrt(max(0.0, right + wrong - (right - wrong) ** 2)))


MOST_RECORDS: Final = 1000
"""Records permuted for each attribute and tree."""
_CELLS: Final = 20_000
"""Permuted records of a tree over all attributes, unless each has fewer than 50."""


def impurity_importance(tree: Tree) -> FloatArray:
    """Weighted gain of the splits on each attribute of the schema; terms of an oblique split share its gain."""
    inner = np.flatnonzero(tree.attribute >= 0)
    whole = max(float(tree.counts[0].sum()), 1e-300)
    gained = np.nan_to_num(tree.gain[inner]) * tree.counts[inner].sum(axis=1) / whole
    importance = np.bincount(tree.attribute[inner], gained, minlength=len(tree.schema)).astype(np.float64)
    sums = np.flatnonzero(tree.test[inner] == SplitTest.LINEAR)
    for node, gain in zip(inner[sums].tolist(), gained[sums].tolist(), strict=True):
        terms = tree.asked(node)
        importance[tree.attribute[node]] -= gain
        importance[list(terms)] += gain / len(terms)
    return importance


def permutation_importance(
    model: TreeModel, data: Dataset, left_out: IntArray, random: np.random.Generator
) -> FloatArray:
    """Increase of the error on ``left_out`` (positions) if each attribute is permuted (Breiman 2001, section 10)."""
    importance, used = np.zeros(len(data.schema)), model.attributes
    most = min(MOST_RECORDS, max(50, _CELLS // max(1, len(used))))
    rows = left_out if len(left_out) <= most else np.sort(random.choice(left_out, most, replace=False))
    if not len(used) or not len(rows):
        return importance
    part = data.take(rows)
    truth, weights = part.class_codes, part.weight_array
    block = value_block(part, used, slice(0, len(rows)))
    changed = np.tile(block, (len(used), 1))
    for slot in range(len(used)):
        block_rows = slice(slot * len(rows), (slot + 1) * len(rows))
        changed[block_rows, slot] = random.permutation(block[:, slot])
    right = model.tree.decision[model.leaves_in(block)] == truth
    still = model.tree.decision[model.leaves_in(changed)].reshape(len(used), -1) == truth
    importance[used] = (weights * right).sum() - still @ weights
    return importance / max(float(weights.sum()), 1e-300)


def shares(importance: FloatArray) -> FloatArray:
    """Importance normalised to sum to 1, unless it is zero."""
    total = float(importance.sum())
    return importance / total if total > 0 else importance


MOST_WATCHED: Final = 10_000
"""Records whose votes are kept for strength and correlation."""
_DRAWING: Final = 0
_GROWING: Final = 1
_DEALING: Final = 2


@dataclass(frozen=True, eq=False)
class _Grown:
    """A tree with its importances (a,) and its votes on the watched records."""

    model: TreeModel
    impurity: FloatArray
    permutation: FloatArray
    votes: NDArray[np.int16]


@dataclass(frozen=True, kw_only=True)
class RandomForest(Learner):
    """Random forest of unpruned trees on bootstrap samples.

    Forest-RI splits each node on the best of ``attributes_weighed`` random attributes, by default floor(log2 d) + 1 of
    d. With ``combined`` above 1, Forest-RC tries as many random sums of ``combined`` attributes
    (:mod:`algorithms.learners.trees.growth.oblique_growth`).

    Nominal gains are corrected for the expected gain of chance, which grows with the number of values
    (:func:`algorithms.learners.trees.kernels.nominal_kernels.judge_nominal`; Strobl, Boulesteix, Zeileis and Hothorn,
    Bias in random forest variable importance measures, 2007).

    Numeric gains need no correction. The best of n - 1 nested cuts gains by chance like the maximum of a standardised
    Brownian bridge, which grows as log log n and is nearly equal for all numbers of a node (Miller and Siegmund,
    Maximally selected chi square statistics, 1982).

    A missing value follows the heavier branch. With ``best_of`` above 1 a split is drawn among the best ones.
    """

    id: ClassVar[str] = "random-forest"
    name: ClassVar[str] = "Random forest"
    sentence: ClassVar[str] = (
        "Grows many trees on bootstrap samples, each split chosen among randomly drawn attributes, and "
        "averages their predictions. Accurate without tuning."
    )
    source: ClassVar[str] = "Breiman, Random forests, Machine Learning 45 (2001); TSKK section 5.6.6"
    family: ClassVar[str] = "Ensembles"
    gives_parts_away: ClassVar[bool] = True
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5),)
    always_resamples: ClassVar[bool] = True

    members: int = declared_as(Bagging, "members", default=100)
    attributes_weighed: int | None = integer(
        None,
        lo=1,
        optional=True,
        none_label="automatic",
        label="Features per split",
        help="Number of randomly drawn attributes that each split considers. Automatic: log₂ of their "
        "number plus 1, so 3 of 4, 5 of 20, 9 of 300.",
        unit="attributes",
    )
    combined: int = integer(
        1,
        lo=1,
        hi=100,
        label="Features per combination (Forest-RC)",
        help="1: splits use one attribute. More: splits use random linear combinations of this many "
        "attributes (Forest-RC). Takes longer.",
        unit="attributes",
        advanced=True,
    )
    criterion: str = tree_parameters.criterion("gini")
    min_leaf: int = tree_parameters.min_leaf(1)
    max_depth: int | None = tree_parameters.max_depth()
    nominal_splits: str = tree_parameters.nominal_splits("binary")
    nominal_correction: bool = boolean(
        True,
        label="Chance correction for nominal gains",
        help="Subtracts the gain that a nominal attribute has by chance, because many values allow many groupings.",
        advanced=True,
        earlier=False,
    )
    best_of: int = tree_parameters.best_of()
    split_search: str = tree_parameters.split_search(when("combined", 1) & when("best_of", 1), earlier="exact")
    bins: int = tree_parameters.bins(when("combined", 1) & when("best_of", 1), earlier=255)
    combine: str = declared_as(Bagging, "combine")
    out_of_bag: bool = declared_as(
        Bagging,
        "out_of_bag",
        help="Predicts each record by the trees that were not trained on it. It also gives importances, strength and "
        "correlation.",
    )

    @property
    def tests_left_out(self) -> bool:
        return True

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        return problems or too_many_values(summary, self.growth(len(summary.schema.predictors)))

    def drawn(self, n_attributes: int) -> int:
        return max(1, n_attributes).bit_length() if self.attributes_weighed is None else self.attributes_weighed

    def growth(self, n_attributes: int) -> GrowthOptions:
        drawn = self.drawn(n_attributes)
        return GrowthOptions(
            criterion=cast(Any, self.criterion),
            nominal_splits=cast(Any, self.nominal_splits),
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            missing="majority",
            nominal_correction=self.nominal_correction,
            weighed=drawn if drawn < n_attributes else None,
            best_of=self.best_of,
            search=cast(Any, self.split_search),
            bins=self.bins,
        )

    def _fit(self, data: Dataset, context: RunContext) -> CommitteeModel:
        return _Growing(self, weighty(data), context).forest()


class _Growing:
    """Growth of one forest."""

    def __init__(self, learner: RandomForest, data: Dataset, context: RunContext) -> None:
        self._learner, self._data, self._context = learner, data, context
        self._averaged = learner.combine == "probabilities"
        self._class_weights = data.class_weights
        self._tally = VoteSums(data, self._class_weights)
        n = len(data)
        watched = np.arange(n) if n <= MOST_WATCHED else context.random().choice(n, MOST_WATCHED, replace=False)
        self._watched: IntArray = np.sort(watched)

    def forest(self) -> CommitteeModel:
        learner = self._learner
        trees = side_by_side(self._grown, learner.members, self._context, self._tally.count)
        return CommitteeModel(
            self._data.schema,
            [tree.model for tree in trees],
            weights=np.ones(len(trees)),
            averaged=self._averaged,
            class_weights=self._class_weights,
            known=self._known(trees),
            names=[f"Tree {i + 1}" for i in range(len(trees))],
            partial=len(trees) < learner.members or self._context.finishing,
        )

    def _grown(self, member: int, part: RunContext) -> _Grown:
        grown, votes = part.call(_grown_tree, self._learner, self._data, self._watched)
        if votes is not None:
            self._tally.count(member, votes)
        return grown

    def _known(self, trees: list[_Grown]) -> Committee:
        impurity = shares(np.sum([tree.impurity for tree in trees], axis=0))
        if not self._learner.out_of_bag:
            return Committee(impurity_importance=impurity)
        votes = np.stack([tree.votes for tree in trees])
        truth = self._data.class_codes[self._watched].astype(np.int32)
        strength, correlation = strength_and_correlation(votes, truth, len(self._class_weights))
        permutation = np.mean([tree.permutation for tree in trees], axis=0)
        importances = {"impurity_importance": impurity, "permutation_importance": permutation}
        return self._tally.committee(strength=strength, correlation=correlation, **importances)


def _grown_tree(
    learner: RandomForest, data: Dataset, watched: IntArray, part: RunContext
) -> tuple[_Grown, tuple[FloatArray, NDArray[np.bool_]] | None]:
    """A tree, and its votes with the records out of bag, if these are wanted."""
    rows = drawn_rows(data.weights, len(data), len(data), part.child(0.0, _DRAWING).random())
    growing = part.child(0.9, _GROWING)
    grown = _tree_of(learner, counted(data, rows), growing)
    growing.complete()
    model = TreeModel(grown.tree, partial=grown.partial)
    small = model.compact()
    impurity = impurity_importance(model.tree)
    if not learner.out_of_bag:
        return _Grown(small, impurity, np.empty(0), np.empty(0, dtype=np.int16)), None
    left_out = data.derived(OUT_OF_BAG).of(rows)
    leaves = model.leaves_of(data)
    decisions = model.tree.decision[leaves]
    shuffled = permutation_importance(model, data, np.flatnonzero(left_out), part.child(0.0, _DEALING).random())
    averaged = learner.combine == "probabilities"
    votes = model.shares_in(leaves) if averaged else np.eye(len(data.schema.classes))[decisions]
    own = np.where(left_out, decisions, ABSENT)[watched].astype(np.int16)
    return _Grown(small, impurity, shuffled, own), (votes, left_out)


def _tree_of(learner: RandomForest, sample: Dataset, growing: RunContext) -> GrowthResult:
    options = learner.growth(len(sample.schema.predictors))
    if learner.combined == 1:
        return grow(sample, options, growing)
    from algorithms.learners.trees.growth.oblique_growth import CombinedGrowth

    ensure_compiled(OBLIQUE_KERNELS, growing)
    options = replace(options, weighed=None, best_of=1)
    sums = learner.drawn(len(sample.schema.predictors))
    return CombinedGrowth(sample, options, growing, sums=sums, terms=learner.combined, best_of=learner.best_of).run()


def is_of_trees(model: object) -> TypeGuard[CommitteeModel]:
    """Whether the model is an ensemble of trees only."""
    return isinstance(model, CommitteeModel) and all(isinstance(member, TreeModel) for member in model.members)


def proximities(model: CommitteeModel, record: Dataset, data: Dataset, context: RunContext) -> FloatArray:
    """Share of trees (n,) in which records share the leaf of ``record``; a tree that divides a record has none."""
    together = np.zeros(len(data))
    trees = [member for member in model.members if isinstance(member, TreeModel)]
    for number, tree in enumerate(trees):
        context.checkpoint()
        leaf = int(tree.leaves_of(seen_by(tree, record))[0])
        if leaf >= 0:
            together += tree.leaves_of(seen_by(tree, data)) == leaf
        context.advance(number + 1, len(trees))
    return np.asarray(together / max(1, len(trees)))


MOST_COMPARED: Final = 2000
"""Records of a class compared with each other for outlyingness."""
MOST_PLACED: Final = 1000
"""Largest number of records of a map."""
_BLOCK: Final = 256
_BYTE: Final = 255
_NARROW: Final = 2**16 - 2
"""Leaf numbers below this fit two bytes and differ from -1 and -2 there."""


@dataclass(frozen=True, eq=False)
class ProximityMap:
    """Coordinates of records (n, 2), and the share of variance of both axes."""

    places: FloatArray
    share: float


class ForestProximity:
    """Leaf of each of n records in m trees, ``leaves`` (n, m); -1 if a missing value splits the record."""

    def __init__(self, leaves: NDArray[np.int32]) -> None:
        self.leaves = leaves

    @classmethod
    def among(cls, model: Model, data: Dataset, context: RunContext) -> ForestProximity:
        """Leaves of the records in every tree; raises :class:`DataError` if the model is no ensemble of trees."""
        if not is_of_trees(model):
            raise DataError(
                "Records are near each other only in an ensemble of trees.", remedy="Learn one with random-forest."
            )
        leaves = np.empty((len(data), len(model.members)), dtype=np.int32)

        def down(number: int) -> None:
            context.checkpoint()
            tree = model.members[number]
            assert isinstance(tree, TreeModel)
            leaves[:, number] = tree.leaves_of(seen_by(tree, data))

        context.map(down, range(leaves.shape[1]))
        return cls(leaves)

    def shares(self, rows: IntArray, others: IntArray) -> FloatArray:
        """Proximities (r, o): the share of trees in which records ``rows`` share a leaf with ``others``."""
        kind = np.uint16 if self.leaves.max(initial=0) < _NARROW else np.int32
        together = np.zeros((len(rows), len(others)), dtype=np.int32)
        some = np.zeros(together.shape, dtype=np.uint8)
        same = np.empty(together.shape, dtype=np.bool_)
        n_trees = self.leaves.shape[1]
        for tree in range(n_trees):
            own, leaf = self.leaves[rows, tree], self.leaves[others, tree].astype(kind)
            np.equal(np.where(own < 0, -2, own).astype(kind)[:, None], leaf, out=same)
            some += same.view(np.uint8)
            if (tree + 1) % _BYTE == 0 or tree + 1 == n_trees:
                together += some
                some[:] = 0
        return np.asarray(together / max(1, n_trees))

    def to(self, row: int) -> FloatArray:
        """Proximities (n,) of all records to one record; 1 to itself."""
        near: FloatArray = self.shares(np.array([row]), np.arange(len(self.leaves)))[0]
        near[row] = 1.0
        return near

    def nearest(self, row: int, most: int) -> IntArray:
        """Positions of up to ``most`` other records that share leaves with one record, nearest first."""
        near = self.to(row)
        near[row] = 0.0
        order = np.argsort(-near, kind="stable")[:most]
        return np.asarray(order[near[order] > 0], dtype=np.int64)

    def outlyingness(self, codes: NDArray[np.integer], context: RunContext) -> FloatArray:
        """Outlyingness of each record (n,) within its class; at least half of a class has 0.

        It is the class size over the summed squared proximities, less the class median, in mean absolute deviations.
        Values above 10 suggest a mistake. Records without a class have NaN. Large classes are sampled evenly.
        """
        result, done = np.full(len(codes), np.nan), 0
        for code in np.unique(codes[codes >= 0]).tolist():
            rows = np.flatnonzero(codes == code)
            step = -(-len(rows) // MOST_COMPARED)
            others = rows[::step]

            def crowd(block: IntArray, step: int = step, others: IntArray = others) -> FloatArray:
                context.checkpoint()
                near = self.shares(block, others)
                near[block[:, None] == others] = 0.0
                return np.asarray(1.0 + step * np.square(near).sum(axis=1))

            blocks = [rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK)]
            sums = np.concatenate(context.map(crowd, blocks))
            done += len(rows)
            context.advance(done, len(codes))
            raw = len(rows) / sums
            away = raw - np.median(raw)
            spread = float(np.abs(away).mean())
            result[rows] = np.maximum(away / spread, 0.0) if spread > 0 else 0.0
        return result

    def plane(self) -> ProximityMap:
        """Map by classical scaling, 1 less proximity as squared distance; raises :class:`DataError` for too many."""
        n = len(self.leaves)
        if n > MOST_PLACED:
            raise DataError(f"No more than {MOST_PLACED:,} records can be given places.", remedy="Take a sample.")
        if n < 2:
            return ProximityMap(np.zeros((n, 2)), 1.0)
        near = self.shares(np.arange(n), np.arange(n))
        np.fill_diagonal(near, 1.0)
        centred = near - near.mean(axis=0, keepdims=True)
        centred = (centred - centred.mean(axis=1, keepdims=True)) / 2
        # SciPy's eigh for two axes holds the interpreter lock (SciPy 1.17, measured at 1,500 records)
        values, vectors = np.linalg.eigh((centred + centred.T) / 2)
        lengths = np.maximum(values[:-3:-1], 0.0)
        vectors = vectors[:, :-3:-1]
        signs = np.where(vectors[np.abs(vectors).argmax(axis=0), [0, 1]] > 0, 1.0, -1.0)
        whole = float(np.trace(centred))
        share = float(lengths.sum()) / whole if whole > 0 else 1.0
        return ProximityMap(np.ascontiguousarray(vectors * signs * np.sqrt(lengths)), min(1.0, share))


MOST_MEASURED: Final = 10_000
"""Larger tables are sampled to this size."""
MOST_LISTED: Final = 100


@dataclass(frozen=True, eq=False)
class Landscape:
    """Map of ``rows`` (m,) out of ``n_measured``; ``farthest`` indexes the outliers in ``rows``, largest first."""

    rows: IntArray
    plane: ProximityMap
    outlyingness: FloatArray
    farthest: IntArray
    n_measured: int


def measured_rows(n: int, context: RunContext) -> IntArray:
    """Ascending positions of the measured records: all of n, or a random sample."""
    if n <= MOST_MEASURED:
        return np.arange(n)
    return np.sort(context.random().choice(n, MOST_MEASURED, replace=False))


def landscape(model: Model, data: Dataset, context: RunContext) -> Landscape:
    """Outlyingness and map of records; of many, the largest outliers and a sample. Raises :class:`DataError`."""
    proximity = ForestProximity.among(model, data, context)
    measure = proximity.outlyingness(data.class_codes, context)
    out = np.nan_to_num(measure, nan=0.0)
    order = np.argsort(-out, kind="stable")
    far = order[out[order] > 0][:MOST_LISTED]
    rows = np.arange(len(data))
    if len(data) > MOST_PLACED:
        others = np.setdiff1d(rows, far)
        drawn = context.random().choice(others, MOST_PLACED - len(far), replace=False)
        rows = np.sort(np.concatenate([far, drawn]))
    context.checkpoint()
    plane = ForestProximity(proximity.leaves[rows]).plane()
    return Landscape(rows, plane, measure[rows], np.searchsorted(rows, far), len(data))
