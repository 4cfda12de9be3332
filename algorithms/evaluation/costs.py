"""Cost matrices: what each mistake costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.data import FloatArray
from algorithms.core.errors import DataError


@dataclass(frozen=True)
class CostMatrix:
    """Costs by class label: ``costs[i][j]`` is the cost of deciding ``classes[j]`` where ``classes[i]`` is true."""

    classes: tuple[str, ...]
    costs: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        k = len(self.classes)
        if len(self.costs) != k or any(len(row) != k for row in self.costs):
            raise DataError(f"The cost matrix must have {k} rows and {k} columns, one for each class.")
        if len(set(self.classes)) < k:
            raise DataError("The cost matrix names a class twice.")
        if not np.all(np.isfinite(np.array(self.costs, dtype=np.float64))):
            raise DataError("The costs must be finite numbers.")

    def ordered(self, classes: tuple[str, ...]) -> FloatArray:
        """The costs (k, k) in the order of these classes; raises :class:`DataError` where one has none."""
        absent = [label for label in classes if label not in self.classes]
        if absent:
            raise DataError(
                f"The cost matrix has no costs for the class {absent[0]!r}.",
                remedy=f"It knows: {', '.join(self.classes)}.",
            )
        at = [self.classes.index(label) for label in classes]
        return np.array(self.costs, dtype=np.float64).reshape(len(self.classes), -1)[np.ix_(at, at)]


def zero_one(classes: tuple[str, ...]) -> CostMatrix:
    """Every mistake costs one."""
    return CostMatrix(classes, tuple(tuple(float(i != j) for j in range(len(classes))) for i in range(len(classes))))


def cost_threshold(miss: float, false_alarm: float) -> float:
    """Probability of the positive class from which on deciding it is cheaper (TSKK Eq. 5.83).

    ``miss`` is C(+,-), ``false_alarm`` C(-,+); right decisions cost nothing. Raises :class:`DataError` where both are 0
    or one is negative.
    """
    if miss < 0 or false_alarm < 0 or miss + false_alarm == 0:
        raise DataError("A threshold needs costs of zero or more, at least one of them above zero.")
    return false_alarm / (false_alarm + miss)
