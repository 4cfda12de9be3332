"""How far the true class was ahead of the others: the margins of the tested records and their distribution."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.compiled_scoring import loops_for
from algorithms.evaluation.curves.scored import ROWS_AT_ONCE, TopTwoClasses, two_best
from algorithms.evaluation.result import EvaluationResult

MOST_POINTS: Final = 1000


@dataclass(frozen=True, eq=False)
class MarginDistribution:
    """Different margins (p,) in ascending order, and the share of the records whose margin is at most that.

    A margin is the probability of the true class less that of the most probable other one: below 0 where another class
    was thought more probable (Schapire, Freund, Bartlett and Lee 1998, Boosting the margin). ``shares`` are of all
    records, ``of_class`` (k, p) of those of each class, NaN for a class without records. ``mean`` is over all records.
    """

    margins: FloatArray
    shares: FloatArray
    of_class: FloatArray
    mean: float | None


def margin_of_each(result: EvaluationResult, best: TopTwoClasses | None = None) -> FloatArray:
    """The margin of every test (m,), between -1 and 1."""
    found = two_best(result.probabilities) if best is None else best
    loops = loops_for(len(result))
    if loops is not None:
        return _found_by(loops, result, found)
    rows = np.arange(len(result))
    other = np.where(found.first == result.truth, found.second, found.first)
    given = result.probabilities
    return given[rows, result.truth].astype(np.float64) - given[rows, other].astype(np.float64)


def _found_by(loops: ModuleType, result: EvaluationResult, best: TopTwoClasses) -> FloatArray:
    """As :func:`margin_of_each`; the loops get copies, as they are compiled for arrays in memory."""
    each = np.empty(len(result))
    for start in range(0, len(result), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        given = np.array(result.probabilities[rows], dtype=np.float64, order="C")
        truth = np.array(result.truth[rows], dtype=np.int32)
        loops.find_margins(given, truth, best.first[rows], best.second[rows], each[rows])
    return each


def margins(result: EvaluationResult, best: TopTwoClasses | None = None) -> MarginDistribution:
    """The cumulative distribution of the margins; of many, ``MOST_POINTS`` between the smallest and the largest."""
    each, k = margin_of_each(result, best), len(result.classes)
    if not len(each):
        return MarginDistribution(np.zeros(0), np.zeros(0), np.zeros((k, 0)), None)
    if len(each) <= MOST_POINTS:
        at, place = np.unique(each, return_inverse=True)
        counts = _counts(result, place, len(at))
    else:
        at = np.linspace(float(each.min()), float(each.max()), MOST_POINTS)
        loops = loops_for(len(each))
        if loops is None:
            counts = _counts(result, _first_reaching(at, each), len(at))
        else:
            counts, weights = np.zeros((k, len(at))), np.zeros(0) if result.weights is None else result.weights.copy()
            loops.count_margins(each, result.truth.astype(np.int32), weights, at, counts)
    under = np.cumsum(counts, axis=1)
    with np.errstate(invalid="ignore"):
        of_class = np.where(under[:, -1:] > 0, under / under[:, -1:], np.nan)
    whole = under.sum(axis=0)
    mean = float(each.sum() if result.weights is None else each @ result.weights) / float(whole[-1])
    return MarginDistribution(at, whole / whole[-1], of_class, mean)


def _counts(result: EvaluationResult, place: IntArray, p: int) -> FloatArray:
    """Weight of the records by class and by the place of their margin (k, p)."""
    k = len(result.classes)
    return np.bincount(result.truth * p + place, result.weights, minlength=k * p).reshape(k, p).astype(np.float64)


def _first_reaching(at: FloatArray, each: FloatArray) -> IntArray:
    """Which of the evenly spaced values ``at`` (p,) is the first that each number reaches or stays below (m,)."""
    low, high = float(at[0]), float(at[-1])
    if high <= low:
        return np.zeros(len(each), dtype=np.int64)
    guess = np.ceil((each - low) * ((len(at) - 1) / (high - low))).astype(np.int64).clip(0, len(at) - 1)
    guess += at[guess] < each  # what rounding has put one too low
    return guess.clip(0, len(at) - 1)
