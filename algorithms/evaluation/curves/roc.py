"""Tested records sorted by the probability of one class: costs of thresholds, ROC analysis, areas, hull, cost curves.

Records are sorted once, with cumulative sums at block boundaries. A threshold then costs one lookup and a count over
less than one block, and is exact for any number of records.

Source of cost curves: Drummond and Holte 2006, Cost curves: an improved method for visualizing classifier performance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Codes
from algorithms.core.record_costs import AnyCosts, RecordCosts, record_costs
from algorithms.core.scores import Pairs, as_compared, compared_pairs, halfway, next_best, ratio
from algorithms.data.columns import FloatArray, IntArray, running_sums
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.sentences import MOST_DECIMALS

SMALLEST_BLOCK: Final = 1024
MOST_SUMS: Final = 1 << 20
"""Largest number of cumulative sums; blocks grow with the square of the number of classes."""
ROWS_AT_ONCE: Final = 1 << 16
ROWS_IN_CACHE: Final = 1 << 13
SURE: Final = 1 - 2**-20
"""From this probability on, ties are broken by the other classes' probabilities (more than two classes).

Below it, the probability itself has more digits than are reliable.
"""
Checkpoint = Callable[[], object]


@dataclass(frozen=True, eq=False)
class TopTwoClasses:
    """The most and the second most probable class of each record (m,); ties by class order."""

    first: Codes
    second: Codes

    def besides(self, code: int) -> Codes:
        """The most probable class other than ``code`` (m,)."""
        return np.where(self.first == code, self.second, self.first)


def two_best(probabilities: NDArray[np.floating], checkpoint: Checkpoint = lambda: None) -> TopTwoClasses:
    """The two most probable classes of each row of ``probabilities`` (m, k); for one class, it twice."""
    m, k = probabilities.shape
    if k < 2:
        return TopTwoClasses(np.zeros(m, dtype=np.int32), np.zeros(m, dtype=np.int32))
    first, second = np.empty(m, dtype=np.int32), np.empty(m, dtype=np.int32)
    loops = loops_for(m)
    for start in range(0, m, ROWS_IN_CACHE):
        if not start % ROWS_AT_ONCE:
            checkpoint()
        rows = slice(start, start + ROWS_IN_CACHE)
        if loops is None:
            first[rows], second[rows] = _two_best_of(probabilities[rows])
        else:  # compiled loops need arrays in memory
            given = np.array(probabilities[rows], dtype=np.float64, order="C")
            loops.find_two_best(given, first[rows], second[rows])
    return TopTwoClasses(first, second)


def _two_best_of(probabilities: NDArray[np.floating]) -> tuple[Codes, Codes]:
    """As :func:`two_best`, with whole columns in NumPy."""
    columns = np.ascontiguousarray(probabilities.T, dtype=np.float64)
    swapped = columns[1] > columns[0]
    top, below = np.where(swapped, columns[1], columns[0]), np.where(swapped, columns[0], columns[1])
    first = swapped.astype(np.int32)
    second = 1 - first
    for code, column in enumerate(columns[2:], 2):
        is_top = column > top
        is_second = ~is_top & (column > below)
        second = np.where(is_top, first, np.where(is_second, code, second))
        below = np.where(is_top, top, np.where(is_second, column, below))
        first, top = np.where(is_top, code, first), np.where(is_top, column, top)
    return first, second


def _in_order(probabilities: NDArray[np.floating], code: int) -> tuple[FloatArray, IntArray, NDArray[np.bool_]]:
    """Ascending probabilities of a class, their rows, and a mask of where each distinct rank begins (m,).

    Near 1 a probability has few digits, and all within 1e-16 of 1 are equal. The other classes' probabilities keep
    them, so ties are sorted by their sum, the largest first. Both classes of a two-class problem then rank alike.
    """
    probability = np.array(probabilities[:, code], dtype=np.float64)
    order = np.argsort(probability)
    scores = probability[order]
    begins = np.ones(len(scores), dtype=np.bool_)
    begins[1:] = scores[1:] != scores[:-1]
    low = int(np.searchsorted(scores, 0.5 if probabilities.shape[1] == 2 else SURE))
    starts = low + np.flatnonzero(begins[low:])
    sizes = np.diff(starts, append=len(scores))
    tied = low + np.flatnonzero(np.repeat(sizes > 1, sizes))
    if not len(tied):
        return scores, order, begins
    rest, run = _others_probability(probabilities, order[tied], code), running_sums(begins[tied])
    if not np.any((rest[1:] != rest[:-1]) & (run[1:] == run[:-1])):
        return scores, order, begins
    among = np.lexsort((-rest, run))
    order[tied], rest = order[tied[among]], rest[among]
    begins[tied[1:]] |= rest[1:] != rest[:-1]
    return scores, order, begins


def pairs_of_class(
    truth: Codes, probabilities: NDArray[np.floating], code: int, weights: FloatArray | None = None
) -> Pairs:
    """Ranked :class:`Pairs` of a class; ``truth`` (m,), ``probabilities`` (m, k), ``weights`` (m,) or None."""
    _, order, begins = _in_order(probabilities, code)
    return compared_pairs(truth[order] == code, running_sums(begins), None if weights is None else weights[order])


def _others_probability(probabilities: NDArray[np.floating], rows: IntArray, code: int) -> FloatArray:
    """Summed probability of the other classes for these rows (t,); 1 - p if a row does not sum to 1."""
    given = probabilities[rows]
    sure = given[:, code].astype(np.float64)
    others = np.delete(given, code, axis=1).astype(np.float64)
    if others.shape[1] > 1:
        others.sort(axis=1)  # makes the sum independent of class order
    rest: FloatArray = others.sum(axis=1)
    adds_up = np.abs(sure + rest - 1) <= 8 * given.shape[1] * np.finfo(probabilities.dtype).eps
    return np.where(adds_up, rest, 1 - sure)


@dataclass(frozen=True)
class CheapestThreshold:
    """A threshold and its total cost."""

    threshold: float
    total: float


@dataclass(frozen=True, eq=False)
class ScoredClass:
    """The tested records by ascending probability of class ``code``.

    ``scores`` (m,) are the probabilities; ``begins`` (m,) marks the first record of each distinct rank. ``cells`` (m,)
    are ``truth * k + most probable other class``; ``weights`` (m,) or None. ``sums`` (b + 1, k * k) is the weight by
    cell before each block of ``block`` records. ``precision`` is the dtype in which thresholds are compared. ``rows``
    (m,) are the records' positions in the result.
    """

    classes: tuple[str, ...]
    code: int
    scores: FloatArray
    begins: NDArray[np.bool_]
    cells: NDArray[np.int32]
    weights: FloatArray | None
    block: int
    precision: np.dtype[np.floating]
    rows: NDArray[np.integer]
    weights_are_counts: bool = False

    @classmethod
    def of(
        cls,
        result: EvaluationResult,
        code: int,
        checkpoint: Checkpoint = lambda: None,
        best: TopTwoClasses | None = None,
    ) -> ScoredClass:
        """Sort the records of a result; ``best`` are its :func:`two_best` if known, ``checkpoint`` may stop."""
        k, m = len(result.classes), len(result.truth)
        block = max(SMALLEST_BLOCK, -(-m * k * k // MOST_SUMS))
        others = next_best(result.probabilities, code) if best is None else best.besides(code)
        cells = result.truth.astype(np.int32) * np.int32(k) + others
        checkpoint()
        scores, order, begins = _in_order(result.probabilities, code)
        checkpoint()
        weights = None if result.weights is None else result.weights[order]
        return cls(
            classes=result.classes,
            code=code,
            scores=scores,
            begins=begins,
            cells=cells[order],
            weights=weights,
            block=block,
            precision=result.probabilities.dtype,
            rows=order.astype(np.int32) if m < 1 << 31 else order,
            weights_are_counts=result.weights_are_counts,
        )

    @cached_property
    def sums(self) -> FloatArray:
        """Cumulative weight of each cell before each block, then in total (b + 1, k * k)."""
        return _sums(self.cells, self.weights, self.n_classes**2, self.block)

    @cached_property
    def is_of_class(self) -> NDArray[np.bool_]:
        """Mask of the records of the class (m,)."""
        low = self.code * self.n_classes
        return (self.cells >= low) & (self.cells < low + self.n_classes)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def below(self, threshold: float) -> int:
        """Number of records with a probability below the threshold."""
        return int(self._below(np.array([threshold]))[0])

    def _below(self, thresholds: FloatArray) -> IntArray:
        """Number of records below each threshold; ties as in :func:`~algorithms.core.scores.at_threshold`."""
        return np.searchsorted(self.scores, as_compared(thresholds, self.precision), side="left")

    def confusion(self, threshold: float) -> FloatArray:
        """Confusion matrix (k, k) of predicting the class from this threshold on."""
        k, n_below = self.n_classes, self.below(threshold)
        block = n_below // self.block
        rest = slice(block * self.block, n_below)
        under = self.sums[block] + _weight_by_cell(
            self.cells[rest], None if self.weights is None else self.weights[rest], k * k
        )
        matrix: FloatArray = under.reshape(k, k).copy()
        matrix[:, self.code] += np.maximum(self.sums[-1] - under, 0.0).reshape(k, k).sum(axis=1)
        return matrix

    def matrices(self, thresholds: FloatArray) -> FloatArray:
        """Confusion matrices (p, k, k) at these ascending thresholds (p,)."""
        k, p = self.n_classes, len(thresholds)
        ends = self._below(thresholds)
        loops = loops_for(len(self))
        if loops is None:
            segments = np.repeat(np.arange(p + 1), np.diff(ends, prepend=0, append=len(self)))
            flat = np.bincount(segments * (k * k) + self.cells, self.weights, minlength=(p + 1) * k * k)
            counts: FloatArray = flat.reshape(p + 1, k * k).astype(np.float64)
        else:
            counts = np.zeros((p + 1, k * k))
            loops.count_cells(self.cells, self._given_weights, ends, counts)
        under = np.cumsum(counts, axis=0, dtype=np.float64)
        matrices: FloatArray = under[:-1].reshape(p, k, k).copy()
        matrices[:, :, self.code] += np.maximum(under[-1] - under[:-1], 0.0).reshape(p, k, k).sum(axis=2)
        return matrices

    def points(self) -> OperatingPoints:
        """The operating point of each threshold."""
        loops = loops_for(len(self))
        if loops is not None:
            return self._points_by_loops(loops)
        m, starts = len(self), self._starts
        ends, thresholds = np.empty(len(starts) + 1, dtype=np.int64), np.empty(len(starts) + 1)
        ends[:-1], ends[-1] = starts, m
        thresholds[:-1], thresholds[-1] = self.scores[starts], np.inf
        if self.weights is None:
            under = np.zeros(m + 1, dtype=np.int32)
            np.cumsum(self.is_of_class, out=under[1:])
            hits = (under[-1] - under[ends]).astype(np.float64)
            return OperatingPoints(thresholds, hits, (m - ends) - hits)
        hits, alarms = (
            np.append(np.cumsum((self.weights * mark)[::-1])[::-1], 0.0)
            for mark in (self.is_of_class, ~self.is_of_class)
        )
        return OperatingPoints(thresholds, hits[ends], alarms[ends])

    def _points_by_loops(self, loops: ModuleType) -> OperatingPoints:
        m, k = len(self), self.n_classes
        thresholds, hits, alarms = np.empty(m + 1), np.empty(m + 1), np.empty(m + 1)
        low = self.code * k
        start = loops.find_points(
            self.scores, self.begins, self.cells, self._given_weights, low, low + k, thresholds, hits, alarms
        )
        if start > m // 2:  # copies a small part, so that the large arrays are freed
            return OperatingPoints(thresholds[start:].copy(), hits[start:].copy(), alarms[start:].copy())
        return OperatingPoints(thresholds[start:], hits[start:], alarms[start:])

    def won_against(self, points: OperatingPoints) -> FloatArray:
        """Pairs ranked correctly against each class (k,), ties as half; as a share, Hand and Till's A(i|j) (2001)."""
        loops = loops_for(len(self))
        if loops is not None:
            won = np.zeros(self.n_classes)
            loops.sum_won(self.begins, self.cells, self._given_weights, points.found, self.n_classes, won)
            return won
        truth = self.cells // self.n_classes
        weight = 1.0 if self.weights is None else self.weights
        above = (points.found[:-1] + points.found[1:]) / 2
        if len(above) < len(self):
            above = np.repeat(above, np.diff(self._starts, append=len(self)))
        return np.bincount(truth, above * weight, minlength=self.n_classes).astype(np.float64)

    def costs_at(self, thresholds: FloatArray, costs: RecordCosts) -> FloatArray:
        """Total cost (p,) of predicting the class from each threshold (p,) on."""
        return self._totals(costs)[self._below(thresholds)]

    def _totals(self, costs: RecordCosts) -> FloatArray:
        """Total cost (m + 1,) if the class is predicted for all records but the first 0..m, which have ``costs``."""
        k, weight = self.n_classes, 1.0 if self.weights is None else self.weights
        chosen = np.repeat(costs.fixed[:, self.code], k)
        gain = (costs.fixed.reshape(-1) - chosen)[self.cells]
        base = float((self.sums[-1] * chosen).sum())
        for (i, j), cell in costs.formulas.items():
            paid = cell.values[self.rows]
            if j == self.code:
                of_class = self.cells // k == i
                base += float((weight * paid)[of_class].sum())
                gain[of_class] -= paid[of_class]
            else:
                is_cell = self.cells == i * k + j
                gain[is_cell] += paid[is_cell]
        totals: FloatArray = base + np.concatenate([[0.0], np.cumsum(gain * weight)])
        return totals

    def cheapest(self, costs: AnyCosts) -> CheapestThreshold:
        """The threshold of least total cost here, the nearest to 0.5 of equals; optimistic for new records."""
        totals = self._totals(record_costs(costs))
        apart = np.append(True, self.scores[1:] != self.scores[:-1])  # no threshold separates equal probabilities
        ends = np.append(np.flatnonzero(apart), len(self)) if len(self) else np.zeros(1, dtype=np.int64)
        padded = np.concatenate([[0.0], self.scores, [np.nextafter(1.0, 2.0)]])
        thresholds = halfway(padded[ends], padded[np.minimum(ends + 1, len(padded) - 1)])
        thresholds[0] = 0.0
        thresholds[-1] = ABOVE_ALL
        at_ends = totals[ends]
        least = float(at_ends.min())
        cheap = np.flatnonzero(at_ends <= least + 1e-9 * max(1.0, abs(least)))
        best = cheap[np.argmin(np.abs(thresholds[cheap] - 0.5))]
        return CheapestThreshold(self.shortest(float(thresholds[best])), float(at_ends[best]))

    def among(self, chosen: NDArray[np.bool_]) -> ScoredClass:
        """The same of some records; ``chosen`` (m,) is a mask of them in this order."""
        ranks = np.cumsum(self.begins)[chosen]
        begins = np.ones(len(ranks), dtype=np.bool_)
        begins[1:] = ranks[1:] != ranks[:-1]
        return replace(
            self,
            scores=self.scores[chosen],
            begins=begins,
            cells=self.cells[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            rows=self.rows[chosen],
        )

    def shortest(self, threshold: float) -> float:
        """The threshold of fewest decimals that decides every record as this one does."""
        for decimals in range(2, MOST_DECIMALS + 3) if 0 < threshold <= 1 else ():
            near = np.round(threshold + 10.0**-decimals * np.array([0.0, -1.0, 1.0]), decimals)
            alike = near[(self._below(near) == self.below(threshold)) & (near > 0) & (near <= 1)]
            if len(alike):
                return float(alike[0])
        return threshold

    @cached_property
    def _starts(self) -> IntArray:
        """First position of each distinct rank."""
        return np.flatnonzero(self.begins)

    @property
    def _given_weights(self) -> FloatArray:
        """Weights for compiled loops, empty if unweighted."""
        return np.zeros(0) if self.weights is None else self.weights


ABOVE_ALL: Final = 1.001
"""A threshold above every probability: the class is never predicted."""


def _weight_by_cell(cells: NDArray[np.int32], weights: FloatArray | None, n_cells: int) -> FloatArray:
    return np.bincount(cells, weights, minlength=n_cells).astype(np.float64)


def _sums(cells: NDArray[np.int32], weights: FloatArray | None, n_cells: int, block: int) -> FloatArray:
    """Cumulative weight of each cell before each block of ``block`` records, then in total (b + 1, n_cells)."""
    parts = [slice(start, start + block) for start in range(0, len(cells), block)]
    sums = np.zeros((len(parts) + 1, n_cells))
    for i, part in enumerate(parts):
        sums[i + 1] = sums[i] + _weight_by_cell(cells[part], None if weights is None else weights[part], n_cells)
    return sums


ORDER: Final = "algorithms.evaluation.order_kernels"
MANY: Final = 50_000
"""Number of records from which compiled loops are used: loading takes 0.3 s, computing then a fifth of the time."""


def loops_for(n: int) -> ModuleType | None:
    """The compiled loops; None if ``n`` is small or they are not compiled, since nothing displayed may wait."""
    from algorithms.compiled.ahead_of_time import kernels_ready

    if n < MANY or not kernels_ready((ORDER,)):
        return None
    return import_module(ORDER)


THINNED_TO: Final = 800
"""Steps of a rate that a drawn curve distinguishes."""


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """True and false positives at each distinct rank of the records (p,), from all to none.

    ``found`` and ``alarms`` are the weights of true and false positives if records from this rank on are predicted. The
    last threshold is infinity. Near 1, several ranks can share a threshold, which decides as the first of them: see
    :meth:`deciding`.
    """

    thresholds: FloatArray
    found: FloatArray
    alarms: FloatArray

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def positives(self) -> float:
        """Weight of the records of the class."""
        return float(self.found[0])

    @property
    def negatives(self) -> float:
        """Weight of the other records."""
        return float(self.alarms[0])

    @property
    def total(self) -> float:
        """Weight of all records."""
        return self.positives + self.negatives

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rate, or recall (p,); NaN without records of the class."""
        with np.errstate(invalid="ignore"):
            return self.found / self.positives if self.positives else np.full(len(self), np.nan)

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate (p,); NaN without records of other classes."""
        return self.alarms / self.negatives if self.negatives else np.full(len(self), np.nan)

    @cached_property
    def precision(self) -> FloatArray:
        """Precision (p,); NaN where nothing is predicted (the last point)."""
        taken = self.found + self.alarms
        shares: FloatArray = np.divide(self.found, taken, out=np.full(len(self), np.nan), where=taken > 0)
        return shares

    @cached_property
    def reached(self) -> FloatArray:
        """Weight of the predicted records (p,), which separates ranks with equal thresholds."""
        return self.found + self.alarms

    def deciding(self) -> OperatingPoints:
        """The first point of each threshold, by which the threshold decides."""
        apart = np.append(True, self.thresholds[1:] != self.thresholds[:-1])
        return self if apart.all() else self._at(np.flatnonzero(apart))

    @cached_property
    def taken(self) -> FloatArray:
        """Share of all records predicted as the class (p,); NaN without records."""
        return (self.found + self.alarms) / self.total if self.total else np.full(len(self), np.nan)

    @cached_property
    def lift(self) -> FloatArray:
        """Precision divided by the share of the class (p,); NaN if undefined."""
        if not self.positives:
            return np.full(len(self), np.nan)
        return self.precision * (self.total / self.positives)

    @cached_property
    def _ranks_of_class(self) -> IntArray:
        """Ranks that hold records of the class; only these add to areas."""
        return np.flatnonzero(self.found[:-1] != self.found[1:])

    @cached_property
    def pairs(self) -> Pairs:
        """Concordant, tied and discordant pairs (:class:`Pairs`) of records of two classes; needs all points."""
        loops = loops_for(len(self))
        if loops is not None:
            won, tied, lost, precisions = loops.count_pairs(self.found, self.alarms, self._ranks_of_class)
            return Pairs(won, tied, lost, self.positives, precisions)
        places = self._ranks_of_class
        hits, alarms, above = self.found[places], self.alarms[places], self.alarms[places + 1]
        of_class = hits - self.found[places + 1]
        return Pairs(
            won=float(of_class @ (self.negatives - alarms)),
            tied=float(of_class @ (alarms - above)),
            lost=float(of_class @ above),
            positives=self.positives,
            precisions=float(of_class @ (hits / (hits + alarms))),
        )

    def average_precision(self) -> float | None:
        """Area under the precision-recall steps, sum of (R_i - R_{i+1}) P_i; None without positives."""
        return self.pairs.average_precision().value if self.positives else None

    @cached_property
    def interpolated_area(self) -> float | None:
        """Area under the interpolated precision-recall curve in closed form (Keilwagen, Grosse and Grau 2014)."""
        if not self.positives:
            return None
        loops = loops_for(len(self))
        if loops is not None:
            return float(loops.area_between(self.found, self.alarms, self._ranks_of_class)) / self.positives
        places = self._ranks_of_class
        low, high = self.found[places + 1], self.found[places]
        step = high - low
        grow = 1 + (self.alarms[places] - self.alarms[places + 1]) / step
        start = low + self.alarms[places + 1]
        offset = start - grow * low
        bent = np.flatnonzero(offset != 0)
        area = step / grow
        ends = (low + self.alarms[places + 1])[bent], (high + self.alarms[places])[bent]
        area[bent] -= offset[bent] / grow[bent] / grow[bent] * np.log(ends[1] / ends[0])
        return float(area.sum()) / self.positives

    def hull(self) -> OperatingPoints:
        """Points on the convex hull of the ROC curve, by pooling violators (Fawcett and Niculescu-Mizil 2007)."""
        if not self.positives or not self.negatives:
            return self._at(np.unique([0, len(self) - 1]))
        if len(self) <= 4 * THINNED_TO:
            return self._pooled(np.concatenate([[0], self._ranks_of_class[self._ranks_of_class > 0], [len(self) - 1]]))
        rough = self.thinned().hull()
        high = np.interp(self.alarms[self._ranks_of_class], rough.alarms[::-1], rough.found[::-1])
        reaching = self._ranks_of_class[self.found[self._ranks_of_class] >= high * (1 - 1e-12)]
        ends = [0, len(self) - 1]
        of_rough = np.searchsorted(-self.reached, -rough.reached).clip(max=len(self) - 1)
        return self._pooled(_ascending(np.concatenate([ends, reaching, of_rough])))

    def _pooled(self, corners: IntArray) -> OperatingPoints:
        """The hull of these points, both ends included."""
        from scipy.optimize import isotonic_regression

        hits, alarms = -np.diff(self.found[corners]), -np.diff(self.alarms[corners])
        weight = hits + alarms
        filled = np.flatnonzero(weight > 0)
        blocks = isotonic_regression(hits[filled] / weight[filled], weights=weight[filled]).blocks
        return self._at(corners[np.append(filled[blocks[:-1]], len(corners) - 1)])._without_straight()

    def _without_straight(self) -> OperatingPoints:
        """The points without duplicates and without those on a line between their neighbours."""
        rises, runs = np.diff(self.found), np.diff(self.alarms)
        turn = rises[:-1] * runs[1:] - rises[1:] * runs[:-1]
        size = np.abs(rises[:-1] * runs[1:]) + np.abs(rises[1:] * runs[:-1])
        kept = np.concatenate([[True], np.abs(turn) > 1e-12 * size, [True]])
        return self._at(np.flatnonzero(kept))

    def thinned(self, steps: int = THINNED_TO) -> OperatingPoints:
        """A subset of points for drawing: one in each of ``steps`` steps of both rates, and some at growing counts."""
        if len(self) <= 4 * steps:
            return self
        kept = [np.array([0, len(self) - 1])]
        for values in (self.found, self.alarms):
            levels = np.arange(steps + 1) * (values[0] / steps)
            below = len(values) - np.searchsorted(values[::-1], levels, side="left")  # the first below a level
            kept.append(np.clip(below, 0, len(self) - 1))
        kept.append(len(self) - 1 - np.geomspace(1, len(self) - 1, steps).astype(np.int64))
        chosen = np.concatenate(kept)
        whole = np.searchsorted(self.thresholds, self.thresholds[chosen])  # the points that decide for these thresholds
        return self._at(_ascending(np.concatenate([chosen, whole])))

    def with_points(self, others: OperatingPoints) -> OperatingPoints:
        """Union of these points and ``others`` of the same curve."""
        thresholds = np.concatenate([self.thresholds, others.thresholds])
        hits, alarms = np.concatenate([self.found, others.found]), np.concatenate([self.alarms, others.alarms])
        joined = OperatingPoints(thresholds, hits, alarms)
        order = np.lexsort((-joined.reached, thresholds))
        t, reached = thresholds[order], joined.reached[order]
        return joined._at(order[np.append(True, (t[1:] != t[:-1]) | (reached[1:] != reached[:-1]))])

    def some(self, most: int) -> OperatingPoints:
        """At most ``most`` points, evenly spaced, both ends included."""
        if len(self) <= most:
            return self
        return self._at(np.unique(np.linspace(0, len(self) - 1, most).astype(np.int64)))

    def _at(self, chosen: IntArray) -> OperatingPoints:
        return OperatingPoints(self.thresholds[chosen], self.found[chosen], self.alarms[chosen])


def _ascending(places: IntArray) -> IntArray:
    """Distinct sorted indices, ten times as fast as ``numpy.unique`` for a few thousand."""
    in_order = np.sort(places)
    different: IntArray = in_order[np.append(True, in_order[1:] != in_order[:-1])]
    return different


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Least normalised expected cost of any threshold: corners (p,) at probability costs from 0 to 1.

    ``places`` are probability costs PC(+) = p(+) C(-|+) / (p(+) C(-|+) + p(-) C(+|-)), ``costs`` the normalised
    expected costs there, ``thresholds`` the cheapest ones from there on.
    """

    places: FloatArray
    costs: FloatArray
    thresholds: FloatArray

    @property
    def area(self) -> float | None:
        """Mean cost over a uniform probability cost; None for an empty curve."""
        return float(np.trapezoid(self.costs, self.places)) if len(self.places) else None


def cost_curve(hull: OperatingPoints) -> CostCurve:
    """Lower envelope of (1 - TPR) x + FPR (1 - x) over the hull; neighbours meet at x = dFPR / (dFPR + dTPR)."""
    if not hull.positives or not hull.negatives:
        return CostCurve(np.zeros(0), np.zeros(0), np.zeros(0))
    tpr, fpr, thresholds = hull.tpr[::-1], hull.fpr[::-1], hull.thresholds[::-1]
    rises, runs = np.diff(tpr), np.diff(fpr)
    corners = runs / (runs + rises)
    places = np.concatenate([[0.0], corners, [1.0]])
    best = np.append(np.arange(len(tpr)), len(tpr) - 1)
    return CostCurve(places, line_cost(places, fpr[best], tpr[best]), thresholds[best])


def line_cost(place: FloatArray, fpr: FloatArray | float, tpr: FloatArray | float) -> FloatArray:
    """Normalised expected cost of these rates at a probability cost."""
    return (1 - tpr) * place + fpr * (1 - place)


def two_costs(costs: FloatArray | None, code: int) -> tuple[float, float] | None:
    """Additional cost of a miss of class ``code``, and of a false positive, over correct decisions.

    Both are 1 without costs, for any number of classes. None for costs (k, k) of more than two classes, or if an error
    is cheaper than a correct decision.
    """
    if costs is None:
        return 1.0, 1.0
    if len(costs) != 2:
        return None
    other = 1 - code
    miss, alarm = float(costs[code, other] - costs[code, code]), float(costs[other, code] - costs[other, other])
    return None if miss < 0 or alarm < 0 else (miss, alarm)


def probability_cost(costs: FloatArray | None, code: int, positives: float, negatives: float) -> float | None:
    """Probability cost of class ``code`` (see :func:`two_costs`), given class weights; None if undefined."""
    two = two_costs(costs, code)
    return None if two is None else ratio(positives * two[0], positives * two[0] + negatives * two[1])


def equal_cost_slope(costs: FloatArray | None, code: int, positives: float, negatives: float) -> float | None:
    """Slope of equal-cost lines in the ROC diagram; see :func:`two_costs`.

    The nearer such a line is to the upper left, the cheaper (Provost and Fawcett 2001). None if it is vertical.
    """
    two = two_costs(costs, code)
    return None if two is None else ratio(two[1] * negatives, two[0] * positives)
