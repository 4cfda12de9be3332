"""How the probability of a class changes along one or two attributes, on records that the models did not learn from.

Three views of a model and its whole recipe:

- **Partial dependence** (Friedman, Greedy function approximation, 2001): the mean probability if all records had this
  value. Its lines, one for each record, are the individual conditional expectation (ICE; Goldstein et al. 2015).
- **Accumulated local effects** (ALE; Apley and Zhu, Visualizing the effects of predictor variables in black box
  supervised learning models, 2020): changes of the probability between neighbouring values, of records that lie there,
  added up and centred. Unlike partial dependence it asks for no record that cannot be, where attributes are correlated.
  Of two attributes it is what their joint effect adds to the effects of each alone (second order). A fold of few
  records has none in some intervals, so the changes are pooled over the folds (:func:`local_effects`).
- **Friedman's H** (Friedman and Popescu, Predictive learning via rule ensembles, 2008): H^2 is the share of the
  variance of the joint effect of two attributes that is no sum of their single effects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.fold_models import FoldTask, answers, apart, drawn_rows, each_fold, tested_rows
from algorithms.evaluation.learner_effects import (
    BINS,
    AttributeEffects,
    FoldEffects,
    LearnerEffects,
    LocalChanges,
    PairEffects,
)

PLACES: Final = 20
"""Usual number of intervals of a numeric attribute, with about as many records in each."""
MOST_LINES: Final = 200
"""About the most individual lines of all folds."""
MOST_RECORDS: Final = 1_000
"""Largest number of test records of a fold for the means. The fold's seed draws them."""
MOST_PAIRED: Final = 60
"""Largest number of test records of a fold for Friedman's H. The work grows with its square."""
PAIR_PLACES: Final = 10
"""Usual number of intervals of each numeric attribute of a pair."""
MOST_OF_PAIR: Final = 300
"""Largest number of test records of a fold for the partial dependence on two attributes."""
COARSER: Final = 4
"""The first answer has every so many-th value of the grid."""
MOST_VALUES: Final = 1_000
"""Largest number of values of a nominal attribute."""
MOST_CELLS: Final = 4_000
"""Largest number of pairs of values of two attributes."""
ONE_AT_A_TIME: Final = "The method tests one record at a time. Attribute effects need folds of several records."
MERGE: Final = "Merge its rare values first."
COARSE_RECORDS: Final = 100
"""Largest number of records of the first answer."""


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked of the model of each fold: attributes and pairs by index with their grids, and interactions."""

    indices: tuple[int, ...]
    grids: tuple[FloatArray, ...]
    pairs: tuple[tuple[int, int], ...]
    pair_grids: tuple[tuple[FloatArray, FloatArray], ...]
    interacting: tuple[int, ...]
    most_lines: int

    @property
    def coarser(self) -> _Question:
        """The same at fewer values, without interactions."""
        pairs = tuple((_thinned(first), _thinned(second)) for first, second in self.pair_grids)
        return replace(self, grids=tuple(map(_thinned, self.grids)), pair_grids=pairs, interacting=())


class _FoldAnswer(NamedTuple):
    """The effects of a fold, and of its pairs Friedman's H (p, k) and the size of the joint effect."""

    question: _Question
    effects: tuple[FoldEffects, ...]
    pairs: tuple[FoldEffects, ...]
    h: FloatArray
    joint: FloatArray


def attribute_effects(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    names: Sequence[str],
    *,
    recipe: Recipe = (),
    places: int = PLACES,
    pairs: Sequence[tuple[str, str]] = (),
    interacting: Sequence[str] = (),
) -> LearnerEffects:
    """The effects of these attributes and pairs in the models of all folds, each on its test records.

    With ``interacting`` names, the interactions of all their pairs too. Publishes :class:`LearnerEffects`: at a few
    values in the first fold, then after each fold. Raises :class:`DataError` for unusable data, or an attribute that is
    no number and has no list of values.
    """
    labelled = data.labelled()
    schema = labelled.schema
    task = FoldTask.of(learner, recipe, method, labelled, context)
    n, share = task.n_folds(labelled), task.test_share(labelled)
    if len(tested_rows(task.fold(labelled, 0))) < 2:
        raise DataError(ONE_AT_A_TIME, remedy="Test with cross-validation of fewer folds.")
    indices = tuple(schema.index_of(name) for name in names)
    index_pairs = tuple((schema.index_of(first), schema.index_of(second)) for first, second in pairs)
    grids = tuple(effect_grid(labelled, index, places) for index in indices)
    small = {index: effect_grid(labelled, index, PAIR_PLACES) for pair in index_pairs for index in pair}
    for first, second in index_pairs:
        if (n_cells := len(small[first]) * len(small[second])) > MOST_CELLS:
            both = " and ".join(schema.attributes[index].name for index in (first, second))
            text = f"{both} have {n_cells:,} pairs of values. Effects are computed of at most {MOST_CELLS:,}."
            raise DataError(text, remedy=MERGE)
    question = _Question(
        indices,
        grids,
        index_pairs,
        tuple((small[first], small[second]) for first, second in index_pairs),
        tuple(schema.index_of(name) for name in interacting),
        -(-MOST_LINES // n),
    )
    counts = {
        is_coarse: [_pair_counts(labelled, *one) for one in zip(index_pairs, asked.pair_grids, strict=True)]
        for is_coarse, asked in ((True, question.coarser), (False, question))
    }
    is_begun = False

    def made(answers: Sequence[_FoldAnswer], failures: Sequence[str], *, is_coarse: bool = False) -> LearnerEffects:
        asked = answers[0].question
        known: dict[str, Any] = {"n_folds": n, "test_share": share, "failures": tuple(failures)}
        known |= {"is_coarse": is_coarse}
        effects = tuple(
            AttributeEffects(
                attributes=(schema.attributes[index],),
                classes=schema.classes,
                grids=(asked.grids[place],),
                counts=_density(labelled, index, asked.grids[place]),
                folds=_pooled([answer.effects[place] for answer in answers]),
                **known,
            )
            for place, index in enumerate(indices)
        )
        both = tuple(
            PairEffects(
                attributes=(schema.attributes[first], schema.attributes[second]),
                classes=schema.classes,
                grids=asked.pair_grids[place],
                counts=counts[is_coarse][place],
                folds=_pooled([answer.pairs[place] for answer in answers]),
                **known,
            )
            for place, (first, second) in enumerate(index_pairs)
        )
        if not asked.interacting:
            return LearnerEffects(effects, both)
        h, joint = (np.array([getattr(answer, name) for answer in answers]) for name in ("h", "joint"))
        return LearnerEffects(effects, both, tuple(interacting), h, joint)

    def hear(event: object) -> None:
        """Publishes the coarse answer of whichever fold has one first."""
        nonlocal is_begun
        if isinstance(event, _FoldAnswer) and not is_begun:
            is_begun = True
            context.publish(made([event], (), is_coarse=True))

    def keep(done: Mapping[int, _FoldAnswer], failures: Sequence[str]) -> None:
        nonlocal is_begun
        is_begun = True
        context.publish(made(list(done.values()), failures))

    with context.overheard(hear):
        done, failures = each_fold(_fold_answer, task, labelled, context, question, keep=keep)
    return made(list(done.values()), failures)


def _fold_answer(task: FoldTask, data: Dataset, fold: int, question: _Question, context: RunContext) -> _FoldAnswer:
    """Trains a fold's model and computes the effects on its test records; publishes a coarse answer before."""
    split = task.fold(data, fold)
    learned = task.trained(data, fold, context.child(0.4, 0))
    context.checkpoint()
    rows = tested_rows(split)
    if question.indices or question.pairs:
        few = drawn_rows(rows, COARSE_RECORDS, context)
        context.publish(_answer(learned, data, few, question.coarser, context.child(0.05, 1)))
    answering = context.child(0.55, 2)
    return _answer(learned, data, rows, question, answering)


def _answer(
    learned: LearnedModel, data: Dataset, rows: IntArray, question: _Question, context: RunContext
) -> _FoldAnswer:
    """The effects and interactions on test records of a fold."""
    n_parts = len(question.indices) + len(question.pairs) + bool(question.interacting)
    keys = iter(range(n_parts))

    def part() -> RunContext:
        return context.child(1 / n_parts, next(keys))

    records = apart(data, drawn_rows(rows, MOST_RECORDS, context))
    effects, pairs, h, joint = [], [], np.empty((0, 0)), np.empty((0, 0))
    for index, grid in zip(question.indices, question.grids, strict=True):
        own = part()
        effects.append(effects_on(learned, records, index, grid, own, question.most_lines))
        own.complete()
    for pair, grids in zip(question.pairs, question.pair_grids, strict=True):
        own = part()
        pairs.append(pair_effects_on(learned, records, pair, grids, own))
        own.complete()
    if question.interacting:
        own = part()
        few = apart(data, drawn_rows(rows, MOST_PAIRED, context))
        h, joint = friedman_h(learned, few, question.interacting, own)
        own.complete()
    return _FoldAnswer(question, tuple(effects), tuple(pairs), h, joint)


def _thinned(grid: FloatArray) -> FloatArray:
    """The first and the last value, and every :data:`COARSER` th between."""
    places = {*range(0, len(grid), COARSER), len(grid) - 1}
    return grid[sorted(places)]


def _density(data: Dataset, index: int, grid: FloatArray) -> FloatArray:
    """The numbers of records as of :class:`AttributeEffects`."""
    column = np.asarray(data.column(index))
    if data.schema.attributes[index].kind.is_coded:
        return np.array([float(np.count_nonzero(column == code)) for code in grid])
    counts = np.histogram(column[np.isfinite(column)], BINS, (float(grid[0]), float(grid[-1])))[0]
    return np.asarray(counts, dtype=np.float64)


def _pair_counts(data: Dataset, pair: tuple[int, int], grids: tuple[FloatArray, FloatArray]) -> FloatArray:
    """The numbers of records as of :class:`PairEffects`."""
    first, second = (
        on_axis(np.asarray(data.column(index)), grid, data.schema.attributes[index].kind.is_coded)
        for index, grid in zip(pair, grids, strict=True)
    )
    v, w = map(len, grids)
    counts = np.zeros(v * w, dtype=np.int64)
    for one in first.ends:
        for other in second.ends:
            known = (one >= 0) & (other >= 0)
            counts += np.bincount(one[known] * w + other[known], minlength=v * w)
    return counts.reshape(v, w) / (len(first.ends) * len(second.ends))


def effect_grid(data: Dataset, index: int, places: int = PLACES) -> FloatArray:
    """The values at which an attribute's effect is computed: quantiles of a number, or the codes that occur.

    Codes of a nominal attribute are ordered so that neighbours have similar records (:func:`similarity_order`). Raises
    :class:`DataError` for more than :data:`MOST_VALUES` of them.
    """
    attribute = data.schema.attributes[index]
    column = np.asarray(data.column(index))
    if attribute.kind.is_coded:
        codes = np.unique(column[column >= 0])
        if len(codes) > MOST_VALUES:
            raise DataError(
                f"{attribute.name} has {len(codes):,} values. Effects are computed of at most {MOST_VALUES:,}.",
                remedy=MERGE,
                place=attribute.name,
            )
        if attribute.kind.value != "ordinal":
            codes = similarity_order(data, index, codes)
        return codes.astype(np.float64)
    if not attribute.kind.is_float:
        raise DataError(f"{attribute.name} is no number and has no list of values.", place=attribute.name)
    known = column[np.isfinite(column)]
    if not len(known):
        raise DataError(f"{attribute.name} has no known value.", place=attribute.name)
    return np.unique(np.quantile(known, np.linspace(0, 1, places + 1), method="inverted_cdf"))


def similarity_order(data: Dataset, index: int, codes: IntArray) -> IntArray:
    """The codes of a nominal attribute by the first dimension of classical scaling of their distances.

    The distance of two values is summed over the other attributes: the Kolmogorov-Smirnov distance of numbers, half the
    summed difference of the shares of nominal values (Apley and Zhu 2020, appendix E).
    """
    c = len(codes)
    if c < 3:
        return codes
    from scipy.spatial.distance import cdist  # scipy.spatial would lengthen the start

    own = np.asarray(data.column(index))
    places = np.where(own >= 0, np.searchsorted(codes, own).clip(0, c - 1), c)
    distances = np.zeros((c, c))
    for other in data.schema.predictors:
        attribute = data.schema.attributes[other]
        if other == index or not (attribute.kind.is_coded or attribute.kind.is_float):
            continue
        column = np.asarray(data.column(other))
        if attribute.kind.is_coded:
            shares = _shares(places, column, c, len(attribute.values))
            distances += cdist(shares, shares, "cityblock") / 2
        else:
            known = column[np.isfinite(column)]
            at = np.unique(np.quantile(known, np.linspace(0, 1, 101))) if len(known) else known
            between = np.where(np.isfinite(column), np.searchsorted(at, column), -1)
            steps = _shares(places, between, c, len(at) + 1).cumsum(axis=1)
            distances += cdist(steps, steps, "chebyshev")
    centre = np.eye(c) - 1 / c
    _values, vectors = np.linalg.eigh(-centre @ distances**2 @ centre / 2)
    first = vectors[:, -1]
    first = first * (1 if first[int(np.argmax(np.abs(first)))] > 0 else -1)
    return codes[np.argsort(first.round(12), kind="stable")]


def _shares(rows: IntArray, columns: IntArray, c: int, k: int) -> FloatArray:
    """Share (c, k) of each code below k among the records of a row with a known code."""
    known = (rows < c) & (columns >= 0)
    counts = np.bincount(rows[known] * k + columns[known], minlength=c * k).reshape(c, k)
    shares: FloatArray = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    return shares


def effects_on(
    learned: LearnedModel,
    records: Dataset,
    index: int,
    grid: FloatArray,
    context: RunContext,
    most_lines: int = MOST_LINES,
) -> FoldEffects:
    """The effects of an attribute of a model on these records, at the ascending values or codes of ``grid`` (v,)."""
    attribute = records.schema.attributes[index]
    n, own = len(records), np.asarray(records.column(index))
    k = len(records.schema.classes)
    every = np.empty((n, len(grid), k))
    for place, value in enumerate(grid.tolist()):
        every[:, place] = predicted(learned, records.with_column(index, attribute, np.full(n, value)), context)
        context.advance(place + 1, len(grid))
    lines = every[:: max(1, -(-n // most_lines))]
    changes = local_changes(every, own, grid, attribute.kind.is_coded)
    return FoldEffects(every.mean(axis=0), local_effects([changes])[0], lines, n, changes)


def pair_effects_on(
    learned: LearnedModel,
    records: Dataset,
    pair: tuple[int, int],
    grids: tuple[FloatArray, FloatArray],
    context: RunContext,
) -> FoldEffects:
    """The effects of two attributes on these records, at all pairs of the values of both grids.

    The first records up to :data:`MOST_OF_PAIR` give the partial dependence, all give the local effects.
    """
    schema = records.schema
    v, w, k = len(grids[0]), len(grids[1]), len(schema.classes)
    some = apart(records, np.linspace(0, len(records) - 1, min(len(records), MOST_OF_PAIR)).astype(np.int64))
    dependence = np.empty((v, w, k))
    for place in range(v * w):
        i, j = divmod(place, w)
        values = zip(pair, (grids[0][i], grids[1][j]), strict=True)
        replaced = {index: (schema.attributes[index], np.full(len(some), value)) for index, value in values}
        dependence[i, j] = predicted(learned, some.with_columns(replaced), context).mean(axis=0)
        context.advance(place + 1, v * w + 1)
    changes = pair_changes(learned, records, pair, grids, context)
    return FoldEffects(dependence, local_effects([changes])[0], np.empty((0, v, k)), len(records), changes)


def friedman_h(
    learned: LearnedModel, records: Dataset, indices: Sequence[int], context: RunContext
) -> tuple[FloatArray, FloatArray]:
    """Friedman's H (p, k) of each pair of attributes on each class, in the order of ``itertools.combinations``.

    Beside it the standard deviation (p, k) of PD_jk, since H is a share even of a joint effect that is next to nothing.
    H^2 = sum (PD_jk - PD_j - PD_k)^2 / sum PD_jk^2 over the records, all centred (equation 44); 0 without any effect.
    """
    n = len(records)
    repeated = apart(records, np.tile(np.arange(n), n))
    pairs = list(combinations(indices, 2))
    columns = [(index,) for index in indices] + pairs

    def dependence(place: int) -> FloatArray:
        """Centred partial dependence (n, k) on these attributes at the values of each record."""
        replaced = {i: (records.schema.attributes[i], np.repeat(records.column(i), n)) for i in columns[place]}
        means = predicted(learned, repeated.with_columns(replaced), context).reshape(n, n, -1).mean(axis=1)
        context.advance(place + 1, len(columns))
        return np.asarray(means - means.mean(axis=0))

    single = {index: dependence(place) for place, index in enumerate(indices)}
    found, sizes = [], []
    for number, (first, second) in enumerate(pairs, len(indices)):
        both = dependence(number)
        total, rest = (both**2).sum(axis=0), ((both - single[first] - single[second]) ** 2).sum(axis=0)
        sizes.append(np.sqrt(total / n))
        found.append(np.where(total > 1e-20, np.sqrt(rest / np.maximum(total, 1e-20)), 0.0))
    return np.array(found), np.array(sizes)


def _pooled(folds: Sequence[FoldEffects]) -> tuple[FoldEffects, ...]:
    """The effects of folds, the local ones by the changes of all of them (:func:`local_effects`)."""
    locals_ = local_effects([fold.changes for fold in folds if fold.changes is not None])
    return tuple(replace(fold, local=local) for fold, local in zip(folds, locals_, strict=True))


def local_effects(folds: Sequence[LocalChanges]) -> list[FloatArray]:
    """Centred effects (v, k) or (v, w, k) of each fold; their mean over the folds is the curve of all records.

    With S and c the sums and counts of a fold, and m the mean change over all folds, an interval changes by
    m + (S - c m) / (mean count of a fold). This is the linearized ratio estimator (Cochran, Sampling Techniques, 1977,
    section 6.3): its mean over the folds is m, its spread gives the standard error of m, and it is S / c where all
    folds have as many records. Intervals without any record take the change of those nearest to them.
    """
    counts = np.array([fold.counts for fold in folds])[..., None]
    sums, mean_counts = np.array([fold.sums for fold in folds]), counts.mean(axis=0)
    pooled = sums.mean(axis=0) / np.where(mean_counts > 0, mean_counts, 1)
    own = (sums - counts * pooled) / np.where(mean_counts > 0, mean_counts, 1)
    steps = own + _without_gaps(pooled, mean_counts[..., 0] > 0)
    records = np.sum([fold.records for fold in folds], axis=0)
    total = max(float(records.sum()), 1e-300)
    if records.ndim == 1:
        curves = _accumulated(np.moveaxis(steps, 0, 1))
        return [curve - records @ curve / total for curve in np.moveaxis(curves, 1, 0)]
    along = np.sum([fold.along for fold in folds], axis=0)
    across = np.sum([fold.across for fold in folds], axis=0)
    rests = [_without_main_effects(cells, along, across) for cells in steps]
    return [np.asarray(rest - np.tensordot(records, rest, 2) / total) for rest in rests]


def _without_gaps(changes: FloatArray, is_known: NDArray[np.bool_]) -> FloatArray:
    """The changes (v - 1, k) or (v - 1, w - 1, k); unknown ones are those of the nearest interval or cell."""
    taken, empty = np.argwhere(is_known), np.argwhere(~is_known)
    if not len(empty) or not len(taken):
        return changes
    scale = np.array([1]) if is_known.ndim == 1 else np.array(is_known.shape)[::-1] + 1
    distances = (((empty[:, None] - taken[None]) * scale) ** 2).sum(axis=2)
    nearest = taken[distances.argmin(axis=1)]
    whole = changes.copy()
    whole[tuple(empty.T)] = changes[tuple(nearest.T)]
    return whole


def _without_main_effects(cells: FloatArray, along: FloatArray, across: FloatArray) -> FloatArray:
    """The accumulated changes (v, w, k) of cells less the effects of each attribute alone."""
    surface = np.moveaxis(_accumulated(np.moveaxis(_accumulated(cells), 1, 0)), 1, 0)
    mean_along = (along[:, :, None] * np.diff(surface, axis=0)).sum(axis=1) / np.maximum(along.sum(1), 1)[:, None]
    turned = np.diff(np.moveaxis(surface, 1, 0), axis=0)
    mean_across = (across[:, :, None] * turned).sum(axis=1) / np.maximum(across.sum(1), 1)[:, None]
    return np.asarray(surface - _accumulated(mean_along)[:, None] - _accumulated(mean_across)[None])


def local_changes(every: FloatArray, own: FloatArray | IntArray, grid: FloatArray, is_coded: bool) -> LocalChanges:
    """Changes along an attribute, from probabilities ``every`` (n, v, k) of records at all values of the grid."""
    axis = on_axis(own, grid, is_coded)
    steps = axis.steps(len(grid))
    sums = np.einsum("ri,rik->ik", steps, np.diff(every, axis=1))
    return LocalChanges(sums, steps.sum(axis=0), axis.points(len(grid)).sum(axis=0))


def pair_changes(
    learned: LearnedModel,
    records: Dataset,
    pair: tuple[int, int],
    grids: tuple[FloatArray, FloatArray],
    context: RunContext,
) -> LocalChanges:
    """Second-order changes of the cells of two attributes (Apley and Zhu 2020, section 3.2 and the package ALEPlot).

    The change of a record in its cell is that along one attribute at the upper end of the other, less that at the lower
    end.
    """
    schema = records.schema
    v, w, k = len(grids[0]), len(grids[1]), len(schema.classes)
    first, second = (
        on_axis(np.asarray(records.column(index)), grid, schema.attributes[index].kind.is_coded)
        for index, grid in zip(pair, grids, strict=True)
    )
    (p1, s1), (p2, s2) = ((axis.points(size), axis.steps(size)) for axis, size in ((first, v), (second, w)))
    changes, counts = np.zeros((v - 1, w - 1, k)), np.zeros((v - 1, w - 1))
    cells = [(i, j, (i >= 0) & (i < v - 1) & (j >= 0) & (j < w - 1)) for i in first.intervals for j in second.intervals]
    rows = np.concatenate([np.flatnonzero(inside) for _i, _j, inside in cells])
    i, j = (np.concatenate([cell[axis][cell[2]] for cell in cells]) for axis in (0, 1))
    if len(rows):
        repeated = apart(records, rows)

        def at(up: int, right: int) -> FloatArray:
            """Predictions with both values at these corners of the records' cells."""
            values = zip(pair, (grids[0][i + up], grids[1][j + right]), strict=True)
            replaced = {index: (schema.attributes[index], value) for index, value in values}
            return predicted(learned, repeated.with_columns(replaced), context)

        np.add.at(changes, (i, j), at(1, 1) - at(0, 1) - (at(1, 0) - at(0, 0)))
        np.add.at(counts, (i, j), 1)
    return LocalChanges(changes, counts, p1.T @ p2, s1.T @ p2, s2.T @ p1)


class _Axis(NamedTuple):
    """Where records lie on a grid: ``ends`` are places of the grid around a number, or that of a code; -1 if unknown.

    ``intervals`` are the intervals between neighbouring values for which a record counts, one for a number and two for
    a code; outside of the grid there is none.
    """

    ends: tuple[IntArray, ...]
    intervals: tuple[IntArray, ...]

    def points(self, v: int) -> FloatArray:
        """Share (n, v) of each record at each value of the grid."""
        shares = np.zeros((len(self.ends[0]), v + 1))
        for places in self.ends:
            shares[np.arange(len(shares)), places] += 1 / len(self.ends)
        return shares[:, :v]

    def steps(self, v: int) -> FloatArray:
        """1 (n, v - 1) for each interval for which a record counts."""
        counted = np.zeros((len(self.ends[0]), v + 1))
        for places in self.intervals:
            counted[np.arange(len(counted)), np.where((places >= 0) & (places < v - 1), places, v)] = 1.0
        return counted[:, : v - 1]


def on_axis(own: FloatArray | IntArray, grid: FloatArray, is_coded: bool) -> _Axis:
    """Where the numbers or codes ``own`` (n,) lie on a grid."""
    v = len(grid)
    if is_coded:
        places = np.full(len(own), -1)
        for place, code in enumerate(grid):
            places[own == code] = place
        known = places >= 0
        return _Axis((places,), (np.where(known, places - 1, -1), np.where(known, places, -1)))
    known = np.isfinite(own)
    below = np.where(known, np.clip(np.searchsorted(grid, own, side="left") - 1, 0, max(0, v - 2)), -1)
    return _Axis((below, np.where(known, np.minimum(below + 1, v - 1), -1)), (below,))


def _accumulated(steps: FloatArray) -> FloatArray:
    """Sums (s + 1, ...) of the steps (s, ...) so far, beginning with 0."""
    return np.concatenate([np.zeros((1, *steps.shape[1:])), np.cumsum(steps, axis=0)])


def predicted(learned: LearnedModel, records: Dataset, context: RunContext) -> FloatArray:
    """Class probabilities (n, k) of raw records."""
    return np.asarray(answers(learned, records, context).probabilities, dtype=np.float64)
