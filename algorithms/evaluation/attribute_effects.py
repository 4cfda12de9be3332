"""How the predicted probability of a class changes along an attribute, on records that the models did not learn from.

Three views of a model and its whole recipe:

- **Partial dependence** (Friedman, Greedy function approximation, 2001): the mean probability if all records had this
  value. Its lines, one for each record, are the individual conditional expectation (ICE; Goldstein et al. 2015).
- **Accumulated local effects** (ALE; Apley and Zhu, Visualizing the effects of predictor variables in black box
  supervised learning models, 2020): changes of the probability between neighbouring values, of records that lie there,
  added up and centred. Unlike partial dependence it asks for no record that cannot be, where attributes are correlated.
- **Friedman's H** (Friedman and Popescu, Predictive learning via rule ensembles, 2008): the share of the joint effect
  of two attributes that is no sum of their single effects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute
from algorithms.evaluation.compare.significance_tests import paired_t
from algorithms.evaluation.fold_models import FoldTask, apart, each_fold, tested_rows

PLACES: Final = 20
"""Usual number of intervals of a numeric attribute, with about as many records in each."""
MOST_LINES: Final = 50
"""Most individual lines of each fold."""
MOST_RECORDS: Final = 1_000
"""Largest number of test records of a fold for the means. The fold's seed draws them."""
MOST_PAIRED: Final = 60
"""Largest number of test records of a fold for Friedman's H. The work grows with its square."""


@dataclass(frozen=True, eq=False)
class FoldEffects:
    """The effects of one attribute on all k classes in a fold.

    ``dependence`` (v, k) is the partial dependence at the values of the grid, ``lines`` (n, v, k) that of some records,
    ``local`` (v, k) the accumulated local effects, centred; NaN without records between two values. ``n`` is the number
    of records.
    """

    dependence: FloatArray
    lines: FloatArray
    local: FloatArray
    n: int


@dataclass(frozen=True, eq=False)
class AttributeEffects:
    """Effects of an attribute over folds: ``grid`` (v,) has numbers, or codes in the order of ``values``."""

    attribute: Attribute
    classes: tuple[str, ...]
    grid: FloatArray
    folds: tuple[FoldEffects, ...]
    n_folds: int
    test_share: float
    failures: tuple[str, ...] = ()

    @property
    def values(self) -> list[str]:
        """The values of the grid as text."""
        if self.attribute.kind.is_coded:
            return [self.attribute.values[int(code)] for code in self.grid]
        return [f"{value:.6g}" for value in self.grid.tolist()]

    def dependence(self, code: int) -> FloatArray:
        """Partial dependence (v,) of a class: the mean over the folds."""
        return np.asarray(np.mean([fold.dependence[:, code] for fold in self.folds], axis=0))

    def local(self, code: int) -> FloatArray:
        """Accumulated local effects (v,) of a class: the mean over the folds."""
        return np.asarray(np.mean([fold.local[:, code] for fold in self.folds], axis=0))

    def lines(self, code: int) -> FloatArray:
        """Individual lines (n, v) of a class, of some test records of each fold."""
        return np.concatenate([fold.lines[:, :, code] for fold in self.folds])

    def intervals(self, code: int, *, is_local: bool = False) -> FloatArray | None:
        """95% confidence interval (2, v) over the folds, as of the corrected resampled t test; None for one fold."""
        if len(self.folds) < 2:
            return None
        curves = [fold.local[:, code] if is_local else fold.dependence[:, code] for fold in self.folds]
        ends = [paired_t(column, test_share=self.test_share).interval for column in np.transpose(curves)]
        return np.array(ends).T

    def rows(self, code: int) -> list[list[object]]:
        """Header and a row for each value with plain numbers."""
        head: list[object] = [
            self.attribute.name,
            "partial_dependence",
            "low_95",
            "high_95",
            "ale",
            "low_95",
            "high_95",
        ]
        rows = [head]
        ends = [self.intervals(code), self.intervals(code, is_local=True)]
        for place, value in enumerate(self.values):
            row: list[object] = [value]
            for curve, between in zip((self.dependence(code), self.local(code)), ends, strict=True):
                row += [float(curve[place]), *(["", ""] if between is None else between[:, place].tolist())]
            rows.append(row)
        return rows

    def to_json(self) -> dict[str, Any]:
        """The curves of all classes."""
        by_class = {}
        for code, label in enumerate(self.classes):
            ends = [self.intervals(code), self.intervals(code, is_local=True)]
            by_class[label] = {
                "partial_dependence": self.dependence(code).tolist(),
                "partial_dependence_interval": None if ends[0] is None else ends[0].tolist(),
                "ale": self.local(code).tolist(),
                "ale_interval": None if ends[1] is None else ends[1].tolist(),
            }
        return {
            "attribute": self.attribute.name,
            "values": self.values if self.attribute.kind.is_coded else self.grid.tolist(),
            "classes": by_class,
            "records": sum(fold.n for fold in self.folds),
            "failures": list(self.failures),
        }


@dataclass(frozen=True)
class Interaction:
    """Friedman's H of two attributes on the probability of a class: mean over the folds, and their values."""

    names: tuple[str, str]
    h: float
    by_fold: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class LearnerEffects:
    """Effects of some attributes, and the interactions of their pairs on one class, the strongest first."""

    effects: tuple[AttributeEffects, ...]
    interactions: tuple[Interaction, ...] = ()


class _FoldAnswer(NamedTuple):
    """The effects of a fold, and Friedman's H (p,) of its pairs."""

    effects: tuple[FoldEffects, ...]
    h: FloatArray


def attribute_effects(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    names: Sequence[str],
    *,
    recipe: Recipe = (),
    places: int = PLACES,
    paired: int | None = None,
) -> LearnerEffects:
    """The effects of these attributes in the models of all folds, each on its test records.

    With a class code ``paired`` the interactions of all pairs on that class too. Publishes :class:`LearnerEffects`
    after each fold. Raises :class:`DataError` for unusable data, or an attribute that is no number and has no list of
    values.
    """
    labelled = data.labelled()
    schema = labelled.schema
    task = FoldTask.of(learner, recipe, method, labelled, context)
    indices = tuple(schema.index_of(name) for name in names)
    grids = tuple(effect_grid(labelled, index, places) for index in indices)
    n, share = task.n_folds(labelled), task.test_share(labelled)

    def made(done: Mapping[int, _FoldAnswer], failures: Sequence[str]) -> LearnerEffects:
        folds = list(done.values())
        effects = tuple(
            AttributeEffects(
                schema.attributes[index],
                schema.classes,
                grids[place],
                tuple(fold.effects[place] for fold in folds),
                n,
                share,
                tuple(failures),
            )
            for place, index in enumerate(indices)
        )
        if paired is None:
            return LearnerEffects(effects)
        by_pair = np.transpose([fold.h for fold in folds])
        pairs = zip(combinations(names, 2), by_pair, strict=True)
        found = [Interaction(pair, float(np.mean(values)), tuple(values.tolist())) for pair, values in pairs]
        return LearnerEffects(effects, tuple(sorted(found, key=lambda one: -one.h)))

    def keep(done: Mapping[int, _FoldAnswer], failures: Sequence[str]) -> None:
        context.publish(made(done, failures))

    return made(*each_fold(_fold_answer, task, labelled, context, indices, grids, paired, keep=keep))


def _fold_answer(
    task: FoldTask,
    data: Dataset,
    fold: int,
    indices: tuple[int, ...],
    grids: tuple[FloatArray, ...],
    paired: int | None,
    context: RunContext,
) -> _FoldAnswer:
    """Trains a fold's model and computes the effects on its test records."""
    split = task.fold(data, fold)
    learned = task.trained(data, fold, context.child(0.4, 0))
    context.checkpoint()
    rows = tested_rows(split)
    records = apart(data, _drawn(rows, MOST_RECORDS, context))
    effects = []
    for place, (index, grid) in enumerate(zip(indices, grids, strict=True)):
        part = context.child((0.6 if paired is None else 0.2) / len(indices), 1 + place)
        effects.append(effects_on(learned, records, index, grid, part))
        part.complete()
    if paired is None:
        return _FoldAnswer(tuple(effects), np.empty(0))
    few = apart(data, _drawn(rows, MOST_PAIRED, context))
    h = friedman_h(learned, few, indices, paired, context.child(0.4, 1 + len(indices)))
    return _FoldAnswer(tuple(effects), h)


def effect_grid(data: Dataset, index: int, places: int = PLACES) -> FloatArray:
    """The values at which an attribute's effect is computed: quantiles of a number, or the codes that occur.

    Codes of a nominal attribute are ordered so that neighbours have similar records (:func:`similarity_order`).
    """
    attribute = data.schema.attributes[index]
    column = np.asarray(data.column(index))
    if attribute.kind.is_coded:
        codes = np.unique(column[column >= 0])
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
    own = np.asarray(data.column(index))
    distances = np.zeros((c, c))
    for other in data.schema.predictors:
        attribute = data.schema.attributes[other]
        if other == index or not (attribute.kind.is_coded or attribute.kind.is_float):
            continue
        column = np.asarray(data.column(other))
        if attribute.kind.is_coded:
            shares = np.array([_shares(column[own == code], len(attribute.values)) for code in codes])
            distances += np.abs(shares[:, None] - shares[None]).sum(axis=2) / 2
        else:
            known = column[np.isfinite(column)]
            at = np.unique(np.quantile(known, np.linspace(0, 1, 101))) if len(known) else known
            steps = np.array([_distribution(column[own == code], at) for code in codes])
            distances += np.abs(steps[:, None] - steps[None]).max(axis=2, initial=0.0)
    centre = np.eye(c) - 1 / c
    _values, vectors = np.linalg.eigh(-centre @ distances**2 @ centre / 2)
    first = vectors[:, -1]
    first = first * (1 if first[int(np.argmax(np.abs(first)))] > 0 else -1)
    return codes[np.argsort(first.round(12), kind="stable")]


def _shares(codes: IntArray, k: int) -> FloatArray:
    counts = np.bincount(codes[codes >= 0], minlength=k)
    shares: FloatArray = counts / max(1, counts.sum())
    return shares


def _distribution(column: FloatArray, at: FloatArray) -> FloatArray:
    """The empirical distribution function of the known numbers at these places."""
    known = np.sort(column[np.isfinite(column)])
    below: FloatArray = np.searchsorted(known, at, side="right") / max(1, len(known))
    return below


def _drawn(rows: IntArray, most: int, context: RunContext) -> IntArray:
    """All rows or ``most`` of them drawn by the seed, in ascending order."""
    return rows if len(rows) <= most else np.sort(context.random().choice(rows, most, replace=False))


def effects_on(
    learned: LearnedModel, records: Dataset, index: int, grid: FloatArray, context: RunContext
) -> FoldEffects:
    """The effects of an attribute of a model on these records, at the ascending values or codes of ``grid`` (v,)."""
    attribute = records.schema.attributes[index]
    n, own = len(records), np.asarray(records.column(index), dtype=np.float64)
    k = len(records.schema.classes)
    every = np.empty((n, len(grid), k))
    for place, value in enumerate(grid.tolist()):
        every[:, place] = predicted(learned, records.with_column(index, attribute, np.full(n, value)), context)
        context.advance(place + 1, len(grid))
    lines = every[:: max(1, -(-n // MOST_LINES))]
    local = _nominal_local(every, own, grid) if attribute.kind.is_coded else _numeric_local(every, own, grid)
    return FoldEffects(every.mean(axis=0), lines, local, n)


def predicted(learned: LearnedModel, records: Dataset, context: RunContext) -> FloatArray:
    """Class probabilities (n, k) of raw records."""
    context.checkpoint()
    prepared = learned.recipe.transform(records, context.checkpoint)
    return np.asarray(learned.model.judged(prepared, context).probabilities, dtype=np.float64)


def _numeric_local(every: FloatArray, own: FloatArray, grid: FloatArray) -> FloatArray:
    """ALE (v, k): mean change across each interval of the records in it, accumulated; its mean over records is 0."""
    v, k = every.shape[1:]
    known = np.isfinite(own)
    intervals = np.clip(np.searchsorted(grid, own[known], side="left") - 1, 0, max(0, v - 2))
    counts = np.bincount(intervals, minlength=max(1, v - 1)).astype(np.float64)
    changes = np.zeros((max(1, v - 1), k))
    if v > 1:
        rows = np.flatnonzero(known)
        np.add.at(changes, intervals, every[rows, intervals + 1] - every[rows, intervals])
    means = changes / np.maximum(counts, 1)[:, None]
    summed = np.concatenate([np.zeros((1, k)), np.cumsum(means, axis=0)])[:v]
    if v < 2 or not counts.sum():
        return summed
    middle = (summed[1:] + summed[:-1]) / 2
    return np.asarray(summed - (counts[:, None] * middle).sum(axis=0) / counts.sum())


def _nominal_local(every: FloatArray, own: FloatArray, grid: FloatArray) -> FloatArray:
    """ALE (v, k) over ordered values: the change to the next value, mean of the records with either, accumulated."""
    v, k = every.shape[1:]
    counts = np.array([np.count_nonzero(own == code) for code in grid], dtype=np.float64)
    steps = np.zeros((max(0, v - 1), k))
    for place in range(v - 1):
        rows = np.flatnonzero((own == grid[place]) | (own == grid[place + 1]))
        if len(rows):
            steps[place] = (every[rows, place + 1] - every[rows, place]).mean(axis=0)
    summed = np.concatenate([np.zeros((1, k)), np.cumsum(steps, axis=0)])
    return np.asarray(summed - (counts[:, None] * summed).sum(axis=0) / max(1.0, counts.sum()))


def friedman_h(
    learned: LearnedModel, records: Dataset, indices: Sequence[int], code: int, context: RunContext
) -> FloatArray:
    """Friedman's H of each pair of attributes, in the order of ``itertools.combinations``; from 0 to about 1.

    H^2 = sum (PD_jk - PD_j - PD_k)^2 / sum PD_jk^2 over the records, all centred (equation 44); 0 without any effect.
    """

    def dependence(columns: Sequence[int]) -> FloatArray:
        """Centred partial dependence (n,) on these attributes at the values of each record."""
        n = len(records)
        means = np.empty(n)
        for row in range(n):
            replaced = {
                i: (records.schema.attributes[i], np.repeat(records.column(i)[row : row + 1], n)) for i in columns
            }
            means[row] = predicted(learned, records.with_columns(replaced), context)[:, code].mean()
        centred: FloatArray = means - means.mean()
        return centred

    single = {index: dependence((index,)) for index in indices}
    found = []
    pairs = list(combinations(indices, 2))
    for number, (first, second) in enumerate(pairs):
        both = dependence((first, second))
        total = float(both @ both)
        rest = both - single[first] - single[second]
        found.append(float(np.sqrt(rest @ rest / total)) if total > 1e-20 else 0.0)
        context.advance(number + 1, len(pairs))
    return np.array(found)
