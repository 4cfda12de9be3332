"""Decisions from class probabilities: at a threshold for one class, or by least expected cost.

A cost matrix (k, k) has a row for each true class and a column for each decided class; negative entries are rewards.
Sources: TSKK Eqs. 5.79 to 5.83; Ting, An instance-weighting method to induce cost-sensitive trees (2002).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Codes, Problem
from algorithms.data.columns import FloatArray
from algorithms.data.summary import Summary


def as_compared(threshold: ArrayLike, precision: np.dtype[np.floating]) -> FloatArray:
    """The thresholds as float64, rounded to the precision of the probabilities they are compared with.

    Runs in older files have float32 probabilities, so a threshold of 0.7 means the float32 nearest to 0.7.
    """
    return np.asarray(threshold).astype(precision).astype(np.float64)


def reaches(probability: NDArray[np.floating], threshold: float) -> NDArray[np.bool_]:
    """Mask of the class probabilities that are at least the threshold."""
    given = np.asarray(probability)
    reached: NDArray[np.bool_] = given >= as_compared(threshold, given.dtype)
    return reached


def at_threshold(probabilities: NDArray[np.floating], code: int, threshold: float) -> Codes:
    """Decisions (m,): class ``code`` if its probability reaches the threshold, else the most probable other class."""
    given = np.asarray(probabilities)
    return np.where(reaches(given[:, code], threshold), code, next_best(given, code)).astype(np.int32)


def next_best(probabilities: NDArray[np.floating], code: int) -> Codes:
    """The most probable class other than ``code`` of each record (m,), the first of ties; ``code`` if k is 1."""
    m, k = probabilities.shape
    if k < 2:
        return np.full(m, code, dtype=np.int32)
    if k == 2:
        return np.full(m, 1 - code, dtype=np.int32)
    others = np.array(probabilities)
    others[:, code] = -np.inf
    return np.asarray(np.argmax(others, axis=1).astype(np.int32))


def halfway(low: FloatArray | float, high: FloatArray | float) -> FloatArray:
    """A threshold that ``high`` reaches and ``low`` does not: midway, or ``high`` if the floats are adjacent."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    middle = (low + high) / 2
    return np.asarray(np.where(middle > low, middle, high))


Costs = tuple[tuple[float, ...], ...]

ROWS_AT_ONCE: Final = 1 << 15
CELLS_AT_ONCE: Final = 1 << 17
"""Number of expected costs (records times decisions) that fit into the processor cache."""
TIE: Final = 1e-7
"""Expected costs that differ by less than this share of the largest cost are equal, since older files hold float32."""


def tolerance(costs: FloatArray) -> float:
    """Smallest difference at which two expected costs count as different."""
    return TIE * float(np.abs(costs).max(initial=0.0))


def problems_of_costs(costs: Costs, summary: Summary) -> list[Problem]:
    """The problem of a cost matrix for another number of classes; an empty matrix suits any number."""
    k = len(summary.schema.classes)
    if len(costs) in (0, k):
        return []
    return [Problem(f"The costs of mistakes are for {len(costs)} classes, and here there are {k}.", "Type them anew.")]


def cost_table(costs: Costs, k: int) -> FloatArray:
    """The cost matrix as an array (k, k); zero-one costs if ``costs`` is empty."""
    return np.array(costs, dtype=np.float64) if costs else 1.0 - np.eye(k)


def expected_costs(probabilities: NDArray[np.floating], costs: FloatArray) -> FloatArray:
    """Expected cost of each decision (m, k): sum over the true classes i of p(i) C(i, j) (TSKK Eq. 5.79).

    ``costs`` (k, k) has a row for each true class and a column for each decision.
    """
    return np.asarray(probabilities, dtype=np.float64) @ costs


def cheapest_decisions(
    probabilities: NDArray[np.floating], own: Codes, costs: FloatArray, checkpoint: Callable[[], object] = int
) -> Codes:
    """The decision of least expected cost for each record (m,); the model's ``own`` one if none is cheaper.

    The first of equally cheap others wins. ``evaluation/decision_kernels.py`` computes the same, sum for sum.
    ``checkpoint`` is called often and may raise.
    """
    chosen = np.array(own, dtype=np.int32)
    k, near = len(costs), tolerance(costs)
    rows = max(1, CELLS_AT_ONCE // max(1, k))
    for start in range(0, len(chosen), rows):
        checkpoint()
        some = np.array(probabilities[start : start + rows].T, dtype=np.float64, order="C")
        expected = np.zeros((k, some.shape[1]))
        for shares, row in zip(some, costs, strict=True):  # all decisions at once, in the order of true classes
            expected += row[:, None] * shares
        ours = chosen[start : start + rows]
        least = expected[ours, np.arange(len(ours))]
        for j, cost in enumerate(expected):
            cheaper = cost < least - near
            ours[cheaper] = j
            least = np.where(cheaper, cost, least)
    return chosen


def dearness(costs: FloatArray) -> FloatArray:
    """Total excess cost of misclassifying each class (k,): its row sum less k correct decisions, at least 0."""
    return np.asarray(np.clip(costs.sum(axis=1) - len(costs) * np.diag(costs), 0.0, None))


def known_amounts(amounts: FloatArray, column: str) -> FloatArray:
    """Factors of the costs of each record (n,), unknown ones replaced by the mean.

    Raises :class:`DataError` for a negative amount.
    """
    if np.any(amounts < 0):
        raise DataError(f"The column {column} has amounts below 0.", place=column)
    is_known = np.isfinite(amounts)
    usual = float(amounts[is_known].mean()) if is_known.any() else 1.0
    return np.where(is_known, amounts, usual)


def weighed_by_costs(weights: FloatArray, codes: NDArray[np.integer], costs: FloatArray) -> FloatArray:
    """Record weights (n,) times the cost of each record's class, scaled to the same sum.

    Without any cost the weights are unchanged.
    """
    wanted = weights * dearness(costs)[codes]
    total = float(wanted.sum())
    return np.asarray(wanted * (float(weights.sum()) / total)) if total > 0 else weights
