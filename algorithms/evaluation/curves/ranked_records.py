"""Tested records sorted by the probability of one class, with the matrix and cost of every threshold.

Records are sorted once, with cumulative sums at block boundaries. A threshold then costs one lookup and a count over
less than one block, and is exact for any number of records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.class_decisions import as_compared, halfway, next_best
from algorithms.core.learner import Codes
from algorithms.core.scores import Pairs, compared_pairs
from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.curves.roc import OperatingPoints, loops_for
from algorithms.evaluation.result import EvaluationResult

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
    rest, run = _others_probability(probabilities, order[tied], code), np.cumsum(begins[tied])
    if not np.any((rest[1:] != rest[:-1]) & (run[1:] == run[:-1])):
        return scores, order, begins
    among = np.lexsort((-rest, run))
    order[tied], rest = order[tied[among]], rest[among]
    begins[tied[1:]] |= rest[1:] != rest[:-1]
    return scores, order, begins


def pairs_of_class(
    truth: Codes, probabilities: NDArray[np.floating], code: int, weights: FloatArray | None = None
) -> Pairs:
    """Pairs of records of a class and of the others (see :class:`Pairs`), ranked as in the curves.

    ``truth`` (m,) are class codes, ``probabilities`` (m, k), ``weights`` (m,) or None.
    """
    _, order, begins = _in_order(probabilities, code)
    return compared_pairs(truth[order] == code, np.cumsum(begins), None if weights is None else weights[order])


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
    rows: IntArray
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
            rows=order,
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
        """Number of records below each threshold; ties as in :func:`~algorithms.core.class_decisions.at_threshold`."""
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
        """Pairs of a record of the class and one of each other class that are ranked correctly (k,), ties as half.

        ``points`` are all points of these records. Divided by the number of pairs it is Hand and Till's A(i|j) (2001).
        """
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

    def cheapest(self, costs: FloatArray) -> CheapestThreshold:
        """The threshold of least total cost on these records, optimistic for new ones.

        ``costs`` (k, k): row true, column predicted. Ties go to the threshold nearest to 0.5.
        """
        k = self.n_classes
        other, chosen = costs.reshape(-1), np.repeat(costs[:, self.code], k)
        weight = 1.0 if self.weights is None else self.weights
        gain = (other - chosen)[self.cells] * weight
        base = float((self.sums[-1] * chosen).sum())
        totals = base + np.concatenate([[0.0], np.cumsum(gain)])
        apart = np.append(True, self.scores[1:] != self.scores[:-1])  # no threshold separates equal probabilities
        ends = np.append(np.flatnonzero(apart), len(self)) if len(self) else np.zeros(1, dtype=np.int64)
        thresholds = self._cuts(ends)
        at_ends = totals[ends]
        least = float(at_ends.min())
        cheap = np.flatnonzero(at_ends <= least + 1e-9 * max(1.0, abs(least)))
        best = cheap[np.argmin(np.abs(thresholds[cheap] - 0.5))]
        return CheapestThreshold(float(thresholds[best]), float(at_ends[best]))

    def _cuts(self, ends: IntArray) -> FloatArray:
        """Threshold for each number of records below it: midway between the neighbouring scores."""
        padded = np.concatenate([[0.0], self.scores, [np.nextafter(1.0, 2.0)]])
        cuts = halfway(padded[ends], padded[np.minimum(ends + 1, len(padded) - 1)])
        cuts[0] = 0.0
        cuts[-1] = ABOVE_ALL
        return cuts

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
