"""Deciding for a class from a threshold of its probability on: the matrix, the numbers and the cost of every threshold.

The records are put in the order of the class's probability once, with running sums at the boundaries of blocks. Then
every threshold is exact, whatever the number of records: one sum is looked up and less than one block is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.learner import Codes
from algorithms.core.scores import ratio
from algorithms.evaluation import workings
from algorithms.evaluation.curves import RocCurve
from algorithms.evaluation.metrics import Report, accuracy, accuracy_interval, class_metrics, kappa
from algorithms.evaluation.result import EvaluationResult

SMALLEST_BLOCK: Final = 1024
MOST_SUMS: Final = 1 << 20
"""How many running sums are kept at most: blocks grow with the square of the number of classes."""
ROWS_AT_ONCE: Final = 1 << 16
Checkpoint = Callable[[], object]


def _nothing() -> None:
    pass


def next_best(probabilities: NDArray[np.float32], code: int, checkpoint: Checkpoint = _nothing) -> Codes:
    """The most probable class besides ``code`` for each row of ``probabilities`` (m, k), as codes (m,)."""
    m, k = probabilities.shape
    if k == 2:
        return np.full(m, 1 - code, dtype=np.int32)
    found = np.empty(m, dtype=np.int32)
    for start in range(0, m, ROWS_AT_ONCE):
        checkpoint()
        others = probabilities[start : start + ROWS_AT_ONCE].copy()
        others[:, code] = -1
        found[start : start + ROWS_AT_ONCE] = others.argmax(axis=1)
    return found


def decisions_at(result: EvaluationResult, code: int, threshold: float) -> Codes:
    """Class ``code`` where its probability reaches the threshold, the most probable of the others elsewhere (m,)."""
    said = result.probabilities[:, code] >= np.float32(threshold)
    return np.where(said, code, next_best(result.probabilities, code)).astype(np.int32)


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """What each different threshold finds, from all records to none (p,); the last threshold is infinity.

    ``found`` and ``alarms`` are the weights of the records of the class, and of the others, that reach the threshold.
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

    @cached_property
    def tpr(self) -> FloatArray:
        """Share of the class that is found (recall); NaN where there is no record of it."""
        with np.errstate(invalid="ignore"):
            return self.found / self.positives if self.positives else np.full(len(self), np.nan)

    @cached_property
    def fpr(self) -> FloatArray:
        """Share of the others taken for it; NaN where there is no other record."""
        return self.alarms / self.negatives if self.negatives else np.full(len(self), np.nan)

    @cached_property
    def precision(self) -> FloatArray:
        """Share of right ones among those taken for the class; NaN where nothing is (the last point)."""
        said = self.found + self.alarms
        shares: FloatArray = np.divide(self.found, said, out=np.full(len(self), np.nan), where=said > 0)
        return shares

    def roc(self) -> RocCurve:
        """The points as a ROC curve."""
        return RocCurve(self.thresholds, self.tpr, self.fpr)

    def average_precision(self) -> float | None:
        """Area under the precision-recall curve in steps: sum of (R_i - R_{i+1}) P_i; None without positives."""
        if not self.positives:
            return None
        return float(np.sum((self.tpr[:-1] - self.tpr[1:]) * self.precision[:-1]))

    def thinned(self, steps: int = 800) -> OperatingPoints:
        """A selection of the points that looks the same: no gap in either rate, or in what is said, of a step more.

        Kept are the first point in each of ``steps`` equal steps of both rates, and points whose number of records
        grows by a constant factor, which the left end of a precision-recall curve needs.
        """
        if len(self) <= 4 * steps:
            return self
        kept = [np.array([0, len(self) - 1])]
        for values in (self.found, self.alarms):
            share = values / values[0] if values[0] else values
            kept.append(np.flatnonzero(np.diff(np.floor(share * steps))) + 1)
        kept.append(len(self) - 1 - np.geomspace(1, len(self) - 1, steps).astype(np.int64))
        chosen = np.unique(np.concatenate(kept))
        return OperatingPoints(self.thresholds[chosen], self.found[chosen], self.alarms[chosen])

    def nearest(self, threshold: float) -> int:
        """The point that this threshold decides as: that of the lowest score reaching it."""
        return min(len(self) - 1, int(np.searchsorted(self.thresholds, np.float64(np.float32(threshold)))))


@dataclass(frozen=True)
class Cheapest:
    """A threshold and what deciding by it costs in all."""

    threshold: float
    total: float


@dataclass(frozen=True, eq=False)
class ScoredClass:
    """The tested records in the ascending order of their probability of class ``code``.

    ``scores`` (m,) are the probabilities, ``cells`` (m,) hold ``truth * k + the most probable other class``,
    ``weights`` (m,) or None; ``sums`` (b + 1, k * k) is the weight by cell before each block of ``block`` records.
    """

    classes: tuple[str, ...]
    code: int
    scores: NDArray[np.float32]
    cells: NDArray[np.int32]
    weights: FloatArray | None
    sums: FloatArray
    block: int

    @classmethod
    def of(cls, result: EvaluationResult, code: int, checkpoint: Checkpoint = _nothing) -> ScoredClass:
        """Sort the records of a result; ``checkpoint`` is called between the steps and may raise to stop."""
        k = len(result.classes)
        probability = np.ascontiguousarray(result.probabilities[:, code], dtype=np.float32)
        cells = (result.truth * np.int32(k) + next_best(result.probabilities, code, checkpoint)).astype(np.int32)
        checkpoint()
        order = np.argsort(probability)
        checkpoint()
        scores, cells = probability[order], cells[order]
        weights = None if result.weights is None else result.weights[order]
        block = max(SMALLEST_BLOCK, -(-len(scores) * k * k // MOST_SUMS))
        return cls(result.classes, code, scores, cells, weights, _sums(cells, weights, k * k, block), block)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def below(self, threshold: float) -> int:
        """Number of records whose probability does not reach the threshold."""
        return int(np.searchsorted(self.scores, np.float32(threshold), side="left"))

    def confusion(self, threshold: float) -> FloatArray:
        """The confusion matrix (k, k) of deciding for the class from this threshold on (see :func:`decisions_at`)."""
        k, at = self.n_classes, self.below(threshold)
        block = at // self.block
        rest = slice(block * self.block, at)
        under = self.sums[block] + _weight_by_cell(self.cells[rest], self._weights(rest), k * k)
        matrix: FloatArray = under.reshape(k, k).copy()
        matrix[:, self.code] += (self.sums[-1] - under).reshape(k, k).sum(axis=1)
        return matrix

    def points(self) -> OperatingPoints:
        """What each different threshold finds."""
        starts = self._starts()
        mine = self.cells // self.n_classes == self.code
        weight = np.ones(len(self)) if self.weights is None else self.weights
        found, alarms = _from_each_on(np.where(mine, weight, 0.0)), _from_each_on(np.where(mine, 0.0, weight))
        thresholds = np.append(self.scores[starts].astype(np.float64), np.inf)
        ends = np.append(starts, len(self))
        return OperatingPoints(thresholds, found[ends], alarms[ends])

    def cheapest(self, costs: FloatArray) -> Cheapest:
        """The threshold of least total cost on these very records.

        ``costs`` (k, k) has the cost of deciding column where row is true. Of equally cheap thresholds the one
        nearest to 0.5 is taken. A threshold chosen by the records it is judged on flatters a little.
        """
        k = self.n_classes
        other, chosen = costs.reshape(-1), np.repeat(costs[:, self.code], k)
        weight = 1.0 if self.weights is None else self.weights
        gain = (other - chosen)[self.cells] * weight
        base = float((self.sums[-1] * chosen).sum())
        totals = base + np.concatenate([[0.0], np.cumsum(gain)])
        ends = np.append(self._starts(), len(self))
        thresholds = self._cuts(ends)
        at_ends = totals[ends]
        least = float(at_ends.min())
        cheap = np.flatnonzero(at_ends <= least + 1e-9 * max(1.0, abs(least)))
        best = cheap[np.argmin(np.abs(thresholds[cheap] - 0.5))]
        return Cheapest(float(thresholds[best]), float(at_ends[best]))

    def _cuts(self, ends: IntArray) -> FloatArray:
        """A threshold for each number of records left below: midway between the scores on both its sides."""
        padded = np.concatenate([[0.0], self.scores.astype(np.float64), [np.nextafter(1.0, 2.0)]])
        cuts: FloatArray = (padded[ends] + padded[np.minimum(ends + 1, len(padded) - 1)]) / 2
        cuts[0] = 0.0
        cuts[-1] = ABOVE_ALL
        return cuts

    def _starts(self) -> IntArray:
        """Where each different score begins."""
        first = np.ones(len(self), dtype=np.bool_)
        first[1:] = self.scores[1:] != self.scores[:-1]
        return np.flatnonzero(first)

    def _weights(self, part: slice) -> FloatArray | None:
        return None if self.weights is None else self.weights[part]


ABOVE_ALL: Final = 1.001
"""A threshold that no probability reaches: nothing is decided for the class."""


def _weight_by_cell(cells: NDArray[np.int32], weights: FloatArray | None, n_cells: int) -> FloatArray:
    return np.bincount(cells, weights, minlength=n_cells).astype(np.float64)


def _sums(cells: NDArray[np.int32], weights: FloatArray | None, n_cells: int, block: int) -> FloatArray:
    """Weight by cell before each block, and in all (b + 1, n_cells)."""
    parts = [slice(start, start + block) for start in range(0, len(cells), block)]
    sums = np.zeros((len(parts) + 1, n_cells))
    for i, part in enumerate(parts):
        sums[i + 1] = sums[i] + _weight_by_cell(cells[part], None if weights is None else weights[part], n_cells)
    return sums


def _from_each_on(weights: FloatArray) -> FloatArray:
    """Weight from each position on, and 0 at the end (m + 1,)."""
    return np.append(np.cumsum(weights[::-1])[::-1], 0.0)


def decided_otherwise(report: Report, matrix: FloatArray) -> Report:
    """The report with the decisions counted in ``matrix`` in place of the model's own.

    What hangs on the probabilities alone (AUC) and the baseline stay. The accuracy is the share on the diagonal, also
    where the method makes an estimate of its own (the bootstraps).
    """
    right = accuracy(matrix)
    classes = [class_metrics(each.label, matrix, code, each.pairs) for code, each in enumerate(report.per_class)]
    return replace(
        report,
        accuracy=right,
        error_rate=1 - right,
        interval=accuracy_interval(right, report.n),
        kappa=kappa(matrix),
        confusion=matrix,
        per_class=tuple(classes),
        total_cost=None,
        cost_per_record=None,
        mcc=workings.matthews(matrix).value,
        estimate=None,
    )


def equal_cost_slope(costs: FloatArray, code: int, points: OperatingPoints) -> float | None:
    """Rise of recall that makes up for a rise of the false positive rate of one, for two classes.

    Lines of this slope join points of equal total cost in the ROC diagram; the nearer the upper left, the cheaper.
    None where there are not two classes, or where the costs prefer being wrong.
    """
    if len(costs) != 2:
        return None
    other = 1 - code
    miss, alarm = costs[code, other] - costs[code, code], costs[other, code] - costs[other, other]
    if miss <= 0 or alarm < 0:
        return None
    return ratio(float(alarm) * points.negatives, float(miss) * points.positives)
