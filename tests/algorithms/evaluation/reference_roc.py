"""A plain ROC curve, record by record, to compare the program's points with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from algorithms.data.columns import FloatArray


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Rates when everything that scores at least ``thresholds`` is called positive, from all records to none (p,).

    The last threshold is infinity. Rates are NaN where there is no record of the kind.
    """

    thresholds: FloatArray
    tpr: FloatArray
    fpr: FloatArray

    def area(self) -> float:
        """Area by the trapezoidal rule."""
        return float(np.sum((self.fpr[:-1] - self.fpr[1:]) * (self.tpr[:-1] + self.tpr[1:]) / 2))


def roc_curve(
    positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None, *, one_by_one: bool = False
) -> RocCurve:
    """The ROC curve of ``scores`` (n,) for the records marked ``positive`` (n,), equal scores taken together.

    With ``one_by_one`` each record makes a point of its own, equal scores in the order given (TSKK Figure 5.42).
    """
    marks, values = np.asarray(positive, dtype=bool), np.asarray(scores, dtype=np.float64)
    weight = np.ones(len(marks)) if weights is None else np.asarray(weights, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    above_positive = _above(np.where(marks, weight, 0.0)[order])
    above_negative = _above(np.where(marks, 0.0, weight)[order])
    thresholds = np.append(values[order], np.inf)
    first = np.ones(len(thresholds), dtype=bool)
    if not one_by_one:
        first[1:] = thresholds[1:] != thresholds[:-1]
    with np.errstate(invalid="ignore"):
        tpr, fpr = above_positive / above_positive[0], above_negative / above_negative[0]
    return RocCurve(thresholds[first], tpr[first], fpr[first])


def _above(weights: FloatArray) -> FloatArray:
    """Weight from each position on, and 0 at the end (n + 1,)."""
    return np.append(np.cumsum(weights[::-1])[::-1], 0.0)
