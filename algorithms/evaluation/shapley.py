"""Shapley values: what each attribute adds to one prediction, from a base value to the prediction.

The base value is the mean prediction of some background records. A coalition of attributes predicts these records with
its own values replaced by those of the explained record. The Shapley value of an attribute is its marginal contribution
to that mean, averaged over the orders in which attributes join (Shapley 1953; Strumbelj and Kononenko 2010). These are
the interventional values of Lundberg et al. (2020). They add up to the prediction minus the base value. Methods, the
first that fits:

- **Trees** and their sums: exact (TreeSHAP). It is not exact if surrogates answer for missing values or tests combine
  several attributes, since the share of a leaf is then no product over attributes, nor if a divided record votes.
- **Path-dependent** trees (Lundberg 2018), only if there is no background: outside the coalition a record is divided by
  the training weights of the branches. The answer of a surrogate counts for the attribute that is missing.
- **Additive** scores of linear models and naive Bayes: exact for log odds, the part of the record minus the mean of the
  background. A missing value has the part that the model gives it: that of the mean, or none.
- **Enumeration** of all coalitions: exact, for at most 12 attributes in which the record differs from the background.
- **Permutations**: antithetic pairs of random orders (Mitchell et al. 2022), equally many with each background record,
  so that the values still add up. Their standard errors are those of the means within the background records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial
from math import comb
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel, TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.fold_models import apart, unseen_record
from algorithms.learners.probability_scaling import softmax
from algorithms.learners.trees.routing import routing, used_attributes, value_block
from algorithms.structures.tree import SplitTest, Tree, TreeSum
from algorithms.text.sentences import counted

if TYPE_CHECKING:
    from algorithms.learners.trees.kernels.prediction_kernels import Routing
    from algorithms.learners.trees.kernels.shapley_kernels import TreePaths

_TREES: Final = "algorithms.learners.trees.kernels"
KERNELS: Final = (f"{_TREES}.prediction_kernels", f"{_TREES}.shapley_kernels")
BACKGROUND: Final = 100
"""Usual number of background records."""
MOST_ENUMERATED: Final = 12
"""Largest number of attributes whose coalitions are enumerated."""
MOST_COALITIONS: Final = 500_000
"""Largest number of predictions for an enumeration."""
MOST_SAMPLED: Final = 100_000
"""Usual number of predictions for permutations."""
LEAST_SAMPLED: Final = 8_000
"""So many predictions are made for permutations where few are wanted, so that the speed decides no base value."""
MOST_ROUNDS: Final = 50
"""Largest number of antithetic pairs for each background record."""
MOST_ROWS: Final = 2_000
"""Largest number of records that are predicted at once, so that a slow model soon hears a stop."""
ROWS_A_RECORD: Final = 32
"""So many rows of tables of patterns cost less than one record without tables."""
MOST_CELLS: Final = 500_000
"""Largest number of cells that are predicted at once, and of nodes whose shares are held."""
ROWS: Final = 1024
"""Largest number of records explained at once in a tree."""
_WRITEABLE: Final = ("C_CONTIGUOUS", "ALIGNED", "WRITEABLE")
"""Other arrays, as those of files, would be compiled for again."""
CLOSE: Final = 1e-9
"""Largest difference between a prediction and the sum of its parts."""

Trained: TypeAlias = LearnedModel | TrainedClassifier
Tables: TypeAlias = tuple[IntArray, FloatArray]
"""The first row (m,) of each leaf, and the rows of all patterns of all leaves (r, longest path)."""


class ShapleyMethod(StrEnum):
    """How Shapley values were computed."""

    TREES = "trees"
    PATHS = "path-dependent"
    ADDITIVE = "additive"
    ENUMERATION = "enumeration"
    PERMUTATIONS = "permutations"


class ShapleyValues(NamedTuple):
    """Shapley values (p,) of one quantity with their standard errors (p,): ``base + sum(values) = prediction``."""

    values: FloatArray
    errors: FloatArray
    base: float
    prediction: float


@dataclass(frozen=True, eq=False)
class ClassShapley:
    """Shapley values (p, k) of p attributes for k classes, their standard errors, 0 if exact, and base values (k,).

    For log scores, the values of two classes subtracted are those of the log odds. ``n_attributes`` were enumerated,
    ``n_permutations`` drawn.
    """

    values: FloatArray
    errors: FloatArray
    base: FloatArray
    prediction: FloatArray
    method: ShapleyMethod
    n_background: int
    n_attributes: int = 0
    n_permutations: int = 0

    def of(self, code: int, against: int | None = None) -> ShapleyValues:
        """Those of a class, or of its log odds ``against`` another."""
        if against is None:
            return ShapleyValues(
                self.values[:, code], self.errors[:, code], float(self.base[code]), float(self.prediction[code])
            )
        return ShapleyValues(
            self.values[:, code] - self.values[:, against],
            np.zeros(len(self.values)),
            float(self.base[code] - self.base[against]),
            float(self.prediction[code] - self.prediction[against]),
        )

    @property
    def sentence(self) -> str:
        """How the values were computed."""
        beside = f"against {counted(self.n_background, 'background record')} drawn at random"
        if self.method is ShapleyMethod.TREES:
            return f"Exact for trees (interventional TreeSHAP), {beside}."
        if self.method is ShapleyMethod.PATHS:
            return "Path-dependent TreeSHAP: without a value, a record follows the training weights of the branches."
        if self.method is ShapleyMethod.ADDITIVE:
            return f"Exact: the log odds are a sum over the attributes, {beside}."
        if self.method is ShapleyMethod.ENUMERATION:
            return f"Exact, by all coalitions of {counted(self.n_attributes, 'attribute')}, {beside}."
        drawn = f"{self.n_permutations:,} permutations in antithetic pairs"
        return f"Estimated from {drawn}, {beside}; ± is the standard error given these records."


@dataclass(frozen=True, eq=False)
class PredictionShapley:
    """Shapley values of one prediction over the predictors ``indices`` (p,) of ``record``.

    ``probability`` is None if only log odds have path-dependent values; ``log_scores`` is None if the model is no sum.
    """

    record: Dataset
    indices: tuple[int, ...]
    probability: ClassShapley | None
    log_scores: ClassShapley | None

    @property
    def predicted(self) -> int:
        """The most probable class."""
        part = self.probability or self.log_scores
        assert part is not None
        return int(np.argmax(part.prediction))

    def against(self, code: int) -> int | None:
        """The most probable other class with log odds; None if there are no log odds of this class."""
        if self.log_scores is None or not np.isfinite(self.log_scores.prediction[code]):
            return None
        scores = np.where(np.isfinite(self.log_scores.base), self.log_scores.prediction, -np.inf)
        scores[code] = -np.inf
        best = int(np.argmax(scores))
        return best if np.isfinite(scores[best]) else None


def background_records(train: Dataset, n: int, random: np.random.Generator) -> Dataset:
    """At most n training records in random order, so that the first of them are a sample, too.

    They are drawn without replacement; with probabilities as their weights and with replacement where these differ.
    """
    rows = np.flatnonzero(train.weight_array > 0)
    weights = train.weight_array[rows]
    differ = bool(np.any(weights != weights[:1]))
    drawn = random.choice(rows, min(n, len(rows)), replace=differ, p=weights / weights.sum() if differ else None)
    return apart(train, drawn).with_weights(None)


def shapley_values(
    trained: Trained,
    record: Dataset,
    background: Dataset | None,
    context: RunContext,
    *,
    most: int | None = None,
    pause: Callable[[], None] = lambda: None,
) -> PredictionShapley:
    """Shapley values of the prediction of one raw record, in the attributes of the table.

    Without a ``background`` the path-dependent values of trees. Raises :class:`DataError` if there are none. With
    ``most`` at most about so many predictions are made, with a ``pause`` between them.
    """
    ensure_compiled(KERNELS, context)
    indices = record.schema.predictors
    plain = _PlainModel.of(trained, record, background, context)
    exact = plain.exact(context) if plain is not None else None
    if exact is None and background is None:
        sentence = "Path-dependent Shapley values need a tree, or a sum of trees, on unchanged data."
        raise DataError(sentence, remedy="Take some background records.")
    probability = log_scores = None
    if exact is not None:
        is_log, found = exact
        log_scores, probability = (found, None) if is_log else (None, found)
    if probability is None and background is not None:
        used = None if plain is None else plain.used
        coalitions = Coalitions(trained, record, background, used, pause)
        probability = _generic(coalitions, len(indices), context, most)
    return PredictionShapley(record, indices, probability, log_scores)


@dataclass(frozen=True, eq=False)
class RecordShapley:
    """The Shapley values of a record by the model of the fold that tested it, and how many folds there are."""

    values: PredictionShapley
    fold: int
    n_folds: int


def record_shapley(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    number: int,
    *,
    recipe: Recipe = (),
    n_background: int = BACKGROUND,
) -> RecordShapley:
    """Explains record ``number`` (1 is the first) by the model of the fold that tests it, so did not learn from it.

    The background is drawn from the training records of the fold. Raises :class:`DataError` if no fold tests it.
    """
    tested = unseen_record(learner, data, method, context, number, recipe)
    part = context.child(0.5, 1, finish_cancels=True)
    background = background_records(tested.train, n_background, part.random()) if n_background else None
    values = shapley_values(tested.learned, tested.record, background, part)
    part.complete()
    return RecordShapley(values, tested.fold, tested.n_folds)


@dataclass(frozen=True, eq=False)
class _PlainModel:
    """A model whose recipe leaves the cells as they are; ``raw`` (a,) are the table's columns of its attributes."""

    trained: Trained
    own: Dataset
    others: Dataset | None
    raw_schema: Schema
    raw: IntArray
    trees: TreeSum | None

    @classmethod
    def of(
        cls, trained: Trained, record: Dataset, background: Dataset | None, context: RunContext
    ) -> _PlainModel | None:
        """None if the recipe changes a cell of these records or of a mixture of them."""
        model, names = trained.model, set(record.schema.names)
        if any(model.schema.names[index] not in names for index in model.schema.predictors):
            return None
        given = [record] if background is None else [record, background, _mixture(record, background)]
        prepared = [trained.recipe.transform(records, context.checkpoint) for records in given]
        for before, after in zip(given, prepared, strict=True):
            if trained.recipe.filters and not _as_it_was(model.schema, before, after):
                return None
        raw = np.array([record.schema.index_of(name) if name in names else -1 for name in model.schema.names])
        own, *others = [aligned(model.schema, records) for records in prepared[:2]]
        return cls(trained, own, others[0] if others else None, record.schema, raw, model.tree_sum())

    @property
    def used(self) -> IntArray | None:
        """The raw columns that the trees test; None for other models."""
        if self.trees is None:
            return None
        tested = np.unique(np.concatenate([used_attributes(tree) for tree in self.trees.trees]))
        return np.asarray(self.raw[tested])

    def exact(self, context: RunContext) -> tuple[bool, ClassShapley] | None:
        """Exact values over the predictors of the table, and whether they are of log scores; None if there are none."""
        sums = self._tree_sums(context) if self.trees is not None else self._additive_sums()
        if sums is None:
            return None
        shares = self.trained.model.judged(self.own, context).probabilities[0]
        is_sound = np.isfinite(sums.base) & np.isfinite(sums.prediction) & np.isfinite(sums.parts).all(axis=0)
        if sums.is_log:  # a class without a finite score has no log odds
            if np.count_nonzero(is_sound) < 2 or shares[~is_sound].any():
                return None
            base, prediction = (np.where(is_sound, scores, -np.inf) for scores in (sums.base, sums.prediction))
            parts, computed = np.where(is_sound, sums.parts, 0.0), softmax(prediction[None].copy())[0]
        else:
            base, prediction, parts, computed = sums.base, sums.prediction, sums.parts, sums.prediction
        total = base[is_sound] + parts[:, is_sound].sum(axis=0)
        is_whole = np.allclose(total, prediction[is_sound], rtol=CLOSE, atol=CLOSE)
        if not (is_whole and np.allclose(computed, shares, rtol=0, atol=CLOSE)):
            return None
        by_column = np.zeros((len(self.raw_schema), len(base)))
        by_column[self.raw[self.raw >= 0]] = parts[self.raw >= 0]
        values = by_column[list(self.raw_schema.predictors)]
        n = 0 if self.others is None else len(self.others)
        return sums.is_log, ClassShapley(values, np.zeros_like(values), base, prediction, sums.method, n)

    def _tree_sums(self, context: RunContext) -> _Sums | None:
        assert self.trees is not None
        found = tree_shapley(self.trees, self.own, self.others, context)
        if found is None:
            return None
        method = ShapleyMethod.PATHS if self.others is None else ShapleyMethod.TREES
        return _Sums(self.trees.is_log, found.values[0], found.base, found.prediction[0], method)

    def _additive_sums(self) -> _Sums | None:
        own = self.trained.model.additive_scores(self.own)
        others = None if self.others is None else self.trained.model.additive_scores(self.others)
        if own is None or others is None:
            return None
        with np.errstate(invalid="ignore"):
            base, prediction = others.start + others.parts.sum(axis=0), own.start + own.parts.sum(axis=0)
            return _Sums(True, own.parts - others.parts, base, prediction, ShapleyMethod.ADDITIVE)


class _Sums(NamedTuple):
    """Values ``parts`` (a, k) in the columns of a model, of log scores or probabilities."""

    is_log: bool
    parts: FloatArray
    base: FloatArray
    prediction: FloatArray
    method: ShapleyMethod


def _as_it_was(schema: Schema, before: Dataset, after: Dataset) -> bool:
    """Whether a recipe left all cells of the predictors of ``schema`` as they are."""
    for index in schema.predictors:
        name = schema.names[index]
        first, second = (records.schema.index_of(name) for records in (before, after))
        old, new = before.schema.attributes[first], after.schema.attributes[second]
        if (old.kind, old.values) != (new.kind, new.values):
            return False
        if not _equal(np.asarray(before.column(first)), np.asarray(after.column(second))).all():
            return False
    return True


def _equal(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether cells are equal; missing numbers are."""
    return np.asarray((first == second) | ((first != first) & (second != second)))


def _mixture(record: Dataset, background: Dataset) -> Dataset:
    """The background with every second predictor of the record, in turn."""
    n, own = len(background), {index: np.asarray(record.column(index)) for index in record.schema.predictors}
    rows = np.arange(n)
    return _replaced(
        background, {i: np.where((rows + i) % 2, np.asarray(background.column(i)), own[i][0]) for i in own}
    )


def _replaced(records: Dataset, columns: Mapping[int, NDArray[Any]]) -> Dataset:
    attributes = records.schema.attributes
    return records.with_columns({index: (attributes[index], column) for index, column in columns.items()})


@dataclass(frozen=True, eq=False)
class TreeShapley:
    """Shapley values (n, a, k) of n records in a sum of trees, their predictions (n, k), and the base values (k,)."""

    values: FloatArray
    prediction: FloatArray
    base: FloatArray


def tree_shapley(
    trees: TreeSum, records: Dataset, background: Dataset | None, context: RunContext
) -> TreeShapley | None:
    """Exact Shapley values of records under the schema of the trees; path-dependent without a ``background``.

    None if they cannot be exact: see the module.
    """
    ensure_compiled(KERNELS, context)
    prepared = context.map(partial(_PreparedTree.of, background=background), trees.trees)
    if not all(tree.is_separable for tree in prepared):
        return None
    whole_only, n, k = trees.whole_only, len(records), len(trees.start)
    if whole_only and background is not None and any(tree.divides(tree.others) for tree in prepared):
        return None

    values, prediction = np.zeros((n, len(records.schema), k)), np.tile(trees.start, (n, 1))
    base = trees.start.copy()
    for tree, outputs, first in zip(prepared, trees.outputs, trees.first_class, strict=True):
        context.checkpoint()
        codes, step = slice(first, first + outputs.shape[1]), max(1, min(ROWS, MOST_CELLS // tree.tree.n_nodes))
        tables = tree.tables(context.control) if ROWS_A_RECORD * n >= tree.n_table_rows else None
        explain = partial(tree.explain, records, outputs, tables, values[..., codes], prediction[:, codes], context)
        flaws = context.map(explain, [slice(start, min(start + step, n)) for start in range(0, n, step)])
        by_surrogate, is_divided = np.any(flaws, axis=0) if flaws else (False, False)
        if (by_surrogate and background is not None) or (is_divided and whole_only):
            return None
        base[codes] += tree.weights @ tree.output(tree.others, outputs)
    context.checkpoint()
    return TreeShapley(values, prediction, base)


@dataclass(frozen=True, eq=False)
class _PreparedTree:
    """A tree with its paths and the shares (b, m) of the background records, of weights (b,), at its nodes.

    ``used`` (a,) are the attributes that it tests. Without background records the shares are those of the training.
    """

    tree: Tree
    used: IntArray
    routing: Routing
    inner: IntArray
    paths: TreePaths
    levels: Sequence[IntArray]
    points: FloatArray
    point_weights: FloatArray
    others: FloatArray
    weights: FloatArray
    is_separable: bool

    @classmethod
    def of(cls, tree: Tree, background: Dataset | None) -> _PreparedTree:
        used, ways = used_attributes(tree), routing(tree, shared=True)
        inner = np.flatnonzero(tree.test != SplitTest.LEAF)
        paths, levels = _paths(tree, used)
        points, weights = np.polynomial.legendre.leggauss(max(1, -(-int(paths.distinct.max()) // 2)))
        own = cls(
            tree, used, ways, inner, paths, levels, (points + 1) / 2, weights / 2, ways.share[None], np.ones(1),
            not any(len(tree.terms(node)) > 1 for node in np.flatnonzero(tree.test == SplitTest.LINEAR).tolist()),
        )  # fmt: skip
        if background is None or not own.is_separable:
            return own
        others, by_surrogate = own.shares(value_block(background, used, slice(0, len(background))))
        weights = np.full(len(others), 1 / len(others))
        return replace(own, others=others, weights=weights, is_separable=not by_surrogate)

    def shares(self, block: FloatArray) -> tuple[FloatArray, bool]:
        """Shares (n, m) of records at the nodes, each of its parent's, and whether a surrogate answered."""
        from algorithms.learners.trees.kernels.shapley_kernels import find_shares

        shares = np.empty((len(block), self.tree.n_nodes))
        soft_from, soft_to = (np.require(e, np.float64, _WRITEABLE) for e in (self.tree.soft_from, self.tree.soft_to))
        return shares, bool(find_shares(block, self.inner, self.routing, soft_from, soft_to, shares))

    def divides(self, shares: FloatArray) -> bool:
        """Whether a node divides one of these records."""
        return bool(np.any((shares > 0) & (shares < 1)))

    def output(self, shares: FloatArray, outputs: FloatArray) -> FloatArray:
        """The sums (n, c) of the outputs (m, c) of the leaves by the shares of records that reach them."""
        reached = shares.copy()
        for level in self.levels[1:]:
            reached[:, level] *= reached[:, self.paths.parent[level]]
        leaves = self.tree.test == SplitTest.LEAF
        return np.asarray(reached[:, leaves] @ outputs[leaves])

    @property
    def n_table_rows(self) -> float:
        """Number of rows of :meth:`tables`; infinite if there are too many."""
        leaves = self.tree.test == SplitTest.LEAF
        longest = int(self.paths.distinct.max())
        n = 2.0 ** self.paths.distinct[leaves]
        return float(n.sum()) if longest * n.sum() <= MOST_CELLS else float("inf")

    def tables(self, control: NDArray[np.int64]) -> Tables:
        """What an undivided record adds at each leaf by its pattern, and the first row of each leaf (m,)."""
        from algorithms.learners.trees.kernels.shapley_kernels import fill_tables

        n = np.where(self.tree.test == SplitTest.LEAF, 2**self.paths.distinct, 0)
        tables, first = np.zeros((int(n.sum()), max(1, int(self.paths.distinct.max())))), np.cumsum(n) - n
        fill_tables(self.others, self.weights, self.paths, first, self.points, self.point_weights, tables, control)
        return first, tables

    def explain(
        self,
        records: Dataset,
        outputs: FloatArray,
        tables: Tables | None,
        values: FloatArray,
        prediction: FloatArray,
        context: RunContext,
        rows: slice,
    ) -> tuple[bool, bool]:
        """Add the ``values`` (n, a, c) and ``prediction`` (n, c) of some records by the outputs (m, c) of the nodes.

        Returns whether a surrogate answered, and whether a record was divided.
        """
        own, by_surrogate = self.shares(value_block(records, self.used, rows))
        prediction[rows] += self.output(own, outputs)
        values[rows, self.used] += self.values(own, outputs, tables, context.control)
        return by_surrogate, self.divides(own)

    def values(
        self,
        own: FloatArray,
        outputs: FloatArray,
        tables: Tables | None,
        control: NDArray[np.int64],
    ) -> FloatArray:
        """Shapley values (n, a, c) in the used attributes of records with these shares (n, m)."""
        from algorithms.learners.trees.kernels.shapley_kernels import add_by_tables, add_tree

        values = np.zeros((len(own), max(1, len(self.used)), outputs.shape[1]))
        outputs = np.require(outputs, np.float64, _WRITEABLE)
        rest = np.ones(len(own), dtype=np.bool_)
        if tables is not None:
            add_by_tables(own, self.paths, tables[0], self.slots, tables[1], outputs, values, rest, control)
        if rest.any():
            added = np.zeros((int(rest.sum()), *values.shape[1:]))
            points = self.points, self.point_weights
            add_tree(own[rest], self.others, self.weights, self.paths, outputs, *points, added, control)
            values[rest] += added
        return values[:, : len(self.used)]

    @cached_property
    def slots(self) -> IntArray:
        """The slots (m, longest path) of the attributes on the path to each node, by their places."""
        slots = np.zeros((self.tree.n_nodes, max(1, int(self.paths.distinct.max()))), dtype=np.int64)
        for level in self.levels[1:]:
            slots[level] = slots[self.paths.parent[level]]
            slots[level, self.paths.place[level]] = self.paths.slot[level]
        return slots


def _paths(tree: Tree, used: IntArray) -> tuple[TreePaths, list[IntArray]]:
    """The paths of a tree, and its nodes by depth."""
    from algorithms.learners.trees.kernels.shapley_kernels import TreePaths

    parent, attribute = tree.parent.astype(np.int64), tree.attribute.astype(np.int64)
    by = np.where(parent >= 0, attribute[parent], -1)
    above, climbing = parent.copy(), np.flatnonzero(parent >= 0)
    while len(climbing):  # to the root, which no attribute reaches, or a node reached by the same attribute
        climbing = climbing[(above[climbing] > 0) & (by[above[climbing]] != by[climbing])]
        above[climbing] = parent[above[climbing]]
    above[above <= 0] = -1
    depths = tree.depths
    levels = [np.flatnonzero(depths == depth) for depth in range(int(depths.max()) + 1)]
    distinct, place = np.zeros(tree.n_nodes, dtype=np.int64), np.zeros(tree.n_nodes, dtype=np.int64)
    for level in levels[1:]:
        is_new = above[level] < 0
        distinct[level] = distinct[parent[level]] + is_new
        place[level] = np.where(is_new, distinct[level] - 1, place[above[level]])
    slot = np.searchsorted(used, by).astype(np.int64)
    children = tree.first_child.astype(np.int64), tree.n_children.astype(np.int64)
    return TreePaths(*children, parent, slot, above, place, distinct), levels


class Coalitions:
    """Predictions of background records with some values replaced by those of the explained record.

    ``players`` (p,) are the places among the predictors where the record differs from some background record, of the
    columns ``used`` only, if given; the others have the value 0.
    """

    def __init__(
        self,
        trained: Trained,
        record: Dataset,
        background: Dataset,
        used: IntArray | None,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self._trained, self._record, self._background, self._pause = trained, record, background, pause
        predictors = record.schema.predictors
        self._own = {i: np.asarray(record.column(i)) for i in predictors}
        self._others = {i: np.asarray(background.column(i)) for i in predictors}
        differs = [not bool(_equal(self._own[i], self._others[i]).all()) for i in predictors]
        plays = [differs[place] and (used is None or i in used) for place, i in enumerate(predictors)]
        self.players = np.flatnonzero(plays)
        self._columns = [predictors[place] for place in self.players.tolist()]
        self.n_background = len(background)
        self.n_rows = max(1, min(MOST_ROWS, MOST_CELLS // max(1, len(record.schema))))
        """Number of records to predict at once."""

    def own(self, context: RunContext) -> FloatArray:
        """Probabilities (k,) of the record."""
        return np.asarray(self._predicted(self._record, context)[0])

    def others(self, context: RunContext) -> FloatArray:
        """Probabilities (b, k) of the background records."""
        return self._predicted(self._background, context)

    def probabilities(self, replaced: NDArray[np.bool_], rows: IntArray, context: RunContext) -> FloatArray:
        """Probabilities (n, k) of background records ``rows`` (n,) with the values of players in a mask (n, p)."""
        parts = [np.zeros((0, len(self._record.schema.classes)))]
        for start in range(0, len(rows), self.n_rows):
            mask, chosen = replaced[start : start + self.n_rows], rows[start : start + self.n_rows]
            columns = {
                index: np.where(mask[:, player], self._own[index], self._others[index][chosen])
                for player, index in enumerate(self._columns)
            }
            parts.append(self._predicted(_replaced(apart(self._record, np.zeros(len(chosen), int)), columns), context))
        return np.concatenate(parts)

    def _predicted(self, records: Dataset, context: RunContext) -> FloatArray:
        context.checkpoint()
        self._pause()
        prepared = self._trained.recipe.transform(records, context.checkpoint)
        return np.asarray(self._trained.model.judged(prepared, context).probabilities, dtype=np.float64)


def _generic(coalitions: Coalitions, n: int, context: RunContext, most: int | None) -> ClassShapley:
    """Values of n predictors for any model: by enumeration, or by permutations if that takes too long."""
    p = len(coalitions.players)
    if p < 2 or (p <= MOST_ENUMERATED and coalitions.n_background << p <= (most or MOST_COALITIONS)):
        return _spread_out(enumerated(coalitions, context), coalitions.players, n)
    return _spread_out(permuted(coalitions, context, most=most), coalitions.players, n)


def _spread_out(found: ClassShapley, players: IntArray, n: int) -> ClassShapley:
    """The values of n predictors, 0 for those that do not play."""
    values, errors = np.zeros((n, len(found.base))), np.zeros((n, len(found.base)))
    values[players], errors[players] = found.values, found.errors
    return replace(found, values=values, errors=errors)


def enumerated(coalitions: Coalitions, context: RunContext) -> ClassShapley:
    """Exact values of the players from all their coalitions."""
    p, b = len(coalitions.players), coalitions.n_background
    members = (np.arange(1 << p)[:, None] >> np.arange(p)) & 1 == 1
    worth = np.empty((1 << p, len(coalitions.own(context))))
    step = max(1, coalitions.n_rows // b)
    for start in range(0, 1 << p, step):
        part = members[start : start + step]
        rows = np.tile(np.arange(b), len(part))
        shares = coalitions.probabilities(np.repeat(part, b, axis=0), rows, context)
        worth[start : start + step] = shares.reshape(len(part), b, -1).mean(axis=1)
        context.advance(start, 1 << p)
    sizes = members.sum(axis=1)
    weights = np.array([1 / (p * comb(p - 1, size)) if size < p else 0.0 for size in range(p + 1)])
    values = np.empty((p, worth.shape[1]))
    for player in range(p):
        without = np.flatnonzero(~members[:, player])
        values[player] = weights[sizes[without]] @ (worth[without | (1 << player)] - worth[without])
    return ClassShapley(values, np.zeros_like(values), worth[0], worth[-1], ShapleyMethod.ENUMERATION, b, p)


def permuted(
    coalitions: Coalitions, context: RunContext, rounds: int | None = None, most: int | None = None
) -> ClassShapley:
    """Values of p > 1 players from antithetic pairs of permutations, ``rounds`` with each background record.

    Each permutation adds the record's values to a background record, one after the other. By default there are as many
    rounds as ``most`` predictions allow, at least two, for which fewer background records are used if need be; how many
    follows from the number of attributes alone.
    """
    p, b = len(coalitions.players), coalitions.n_background
    if not rounds:
        b = min(b, max(2, (MOST_SAMPLED if most is None else LEAST_SAMPLED) // (4 * p)))
        rounds = int(np.clip((most or MOST_SAMPLED) // (2 * b * p), 2, MOST_ROUNDS))
    own, others, random = coalitions.own(context), coalitions.others(context)[:b], context.random()
    k = len(own)
    sums, squares = np.zeros((b, p, k)), np.zeros((b, p, k))
    tasks = np.repeat(np.arange(b), rounds)
    step = max(1, coalitions.n_rows // (2 * p))
    for start in range(0, len(tasks), step):
        rows = tasks[start : start + step]
        places = random.permuted(np.tile(np.arange(p), (len(rows), 1)), axis=1)
        places = np.stack([places, p - 1 - places], axis=1)  # (rows, 2, p): when a player joins
        between = np.empty((len(rows) * 2 * (p - 1), k))
        for first in range(0, len(between), coalitions.n_rows):
            flat = np.arange(first, min(first + coalitions.n_rows, len(between)))
            task, half, joined = np.unravel_index(flat, (len(rows), 2, p - 1))
            mask = places[task, half] <= joined[:, None]
            between[flat] = coalitions.probabilities(mask, rows[task], context)
        worth = np.empty((len(rows), 2, p + 1, k))
        worth[:, :, 0], worth[:, :, p] = others[rows][:, None], own
        worth[:, :, 1:p] = between.reshape(len(rows), 2, p - 1, k)
        added = np.take_along_axis(np.diff(worth, axis=2), places[..., None], axis=2).mean(axis=1)
        np.add.at(sums, rows, added)
        np.add.at(squares, rows, added**2)
        context.advance(start, len(tasks))
    means = sums / rounds
    variances = np.maximum(squares / rounds - means**2, 0.0) * (rounds / max(1, rounds - 1))
    errors = np.sqrt((variances / rounds).sum(axis=0)) / b
    n = 2 * len(tasks)
    return ClassShapley(means.mean(axis=0), errors, others.mean(axis=0), own, ShapleyMethod.PERMUTATIONS, b, p, n)
