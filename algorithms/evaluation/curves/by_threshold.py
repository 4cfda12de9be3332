"""Any measure of a confusion matrix, for many matrices at once: what each says at every threshold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray


@dataclass(frozen=True, eq=False)
class Matrices:
    """Confusion matrices (p, k, k), row true, column decided, seen from class ``code``."""

    cells: FloatArray
    code: int

    @cached_property
    def tp(self) -> FloatArray:
        found: FloatArray = self.cells[:, self.code, self.code]
        return found

    @cached_property
    def fn(self) -> FloatArray:
        missed: FloatArray = self.cells[:, self.code, self._others].sum(axis=1)
        return missed

    @cached_property
    def fp(self) -> FloatArray:
        alarms: FloatArray = self.cells[:, self._others, self.code].sum(axis=1)
        return alarms

    @cached_property
    def tn(self) -> FloatArray:
        cleared: FloatArray = self.cells[:, self._others][:, :, self._others].sum(axis=(1, 2))
        return cleared

    @property
    def _others(self) -> NDArray[np.bool_]:
        """All classes but this one (k,)."""
        others: NDArray[np.bool_] = np.arange(self.cells.shape[1]) != self.code
        return others

    @cached_property
    def total(self) -> FloatArray:
        weights: FloatArray = self.cells.sum(axis=(1, 2))
        return weights

    @cached_property
    def right(self) -> FloatArray:
        found: FloatArray = np.trace(self.cells, axis1=1, axis2=2)
        return found

    @cached_property
    def recall(self) -> FloatArray:
        return _ratio(self.tp, self.tp + self.fn)

    @cached_property
    def precision(self) -> FloatArray:
        return _ratio(self.tp, self.tp + self.fp)

    @cached_property
    def specificity(self) -> FloatArray:
        return _ratio(self.tn, self.tn + self.fp)

    def f_measure(self, beta: float) -> FloatArray:
        """(b^2 + 1) TP / ((b^2 + 1) TP + b^2 FN + FP)."""
        b = beta * beta
        return _ratio((b + 1) * self.tp, (b + 1) * self.tp + b * self.fn + self.fp)

    def kappa(self) -> FloatArray:
        agreed, chance = _ratio(self.right, self.total), _ratio(self._agreed_by_chance, self.total**2)
        return _ratio(agreed - chance, 1 - chance)

    def matthews(self) -> FloatArray:
        n, true, said = self.total, self.cells.sum(axis=2), self.cells.sum(axis=1)
        rest = (n * n - (true * true).sum(axis=1)) * (n * n - (said * said).sum(axis=1))
        return _ratio(self.right * n - self._agreed_by_chance, np.sqrt(np.maximum(0.0, rest)))

    @cached_property
    def _agreed_by_chance(self) -> FloatArray:
        products: FloatArray = (self.cells.sum(axis=2) * self.cells.sum(axis=1)).sum(axis=1)
        return products

    def cost(self, costs: FloatArray | None) -> FloatArray:
        """Mean cost of a decision; without ``costs`` (k, k) every mistake costs one."""
        if costs is None:
            return _ratio(self.total - self.right, self.total)
        return _ratio((self.cells * costs).sum(axis=(1, 2)), self.total)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """The quotients, NaN where the denominator is 0."""
    shares: FloatArray = np.divide(above, below, out=np.full(len(above), np.nan), where=below != 0)
    return shares


@dataclass(frozen=True)
class ThresholdMeasure:
    """One measure: its name here and in the field, and what it is of matrices, costs and beta.

    ``unit`` is 100 for shares that are said as so many in 100, else 1. ``least`` is the lowest value it can have, and
    ``is_good`` whether more of it is better.
    """

    id: str
    name: str
    of: Callable[[Matrices, FloatArray | None, float], FloatArray]
    unit: int = 100
    least: float = 0.0
    is_good: bool = True


MEASURES: Final = {
    each.id: each
    for each in (
        ThresholdMeasure("accuracy", "Right (accuracy)", lambda m, _c, _b: _ratio(m.right, m.total)),
        ThresholdMeasure("recall", "Found (recall)", lambda m, _c, _b: m.recall),
        ThresholdMeasure("precision", "Sure (precision)", lambda m, _c, _b: m.precision),
        ThresholdMeasure("f", "F-measure", lambda m, _c, b: m.f_measure(b), 1),
        ThresholdMeasure("specificity", "Cleared (specificity)", lambda m, _c, _b: m.specificity),
        ThresholdMeasure("false-alarms", "False alarms (FPR)", lambda m, _c, _b: 1 - m.specificity, is_good=False),
        ThresholdMeasure("balanced-accuracy", "Balanced accuracy", lambda m, _c, _b: (m.recall + m.specificity) / 2),
        ThresholdMeasure("g-mean", "G-mean", lambda m, _c, _b: np.sqrt(m.recall * m.specificity), 1),
        ThresholdMeasure("kappa", "Kappa", lambda m, _c, _b: m.kappa(), 1, -1.0),
        ThresholdMeasure("mcc", "MCC", lambda m, _c, _b: m.matthews(), 1, -1.0),
        ThresholdMeasure("cost", "Cost per record", lambda m, c, _b: m.cost(c), 1, is_good=False),
    )
}
"""By id. Accuracy, kappa, MCC and cost are of the whole matrix, the others of the class against the rest."""
