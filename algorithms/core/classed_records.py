"""Training records as learners of numbers take them: all with a class and some weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset


@dataclass(frozen=True, eq=False)
class Records:
    """Records (n) that all have a class and some weight.

    ``codes`` (n,) count only the ``active`` classes, those that have a record (positions in the schema's, ascending);
    ``class_weight`` (k,) is of all classes.
    """

    data: Dataset
    codes: NDArray[np.int32]
    weights: FloatArray | None
    active: NDArray[np.int32]
    class_weight: FloatArray

    @classmethod
    def of(cls, data: Dataset) -> Records:
        """Those of a table whose records all have a class, without the ones that weigh nothing."""
        weights = data.weights
        if weights is not None and not np.all(weights > 0):
            data = data.take(weights > 0)
            weights = data.weights
        if weights is not None and np.all(weights == 1):
            weights = None  # sums of so many ones and of nothing but ones may differ in their last digit
        codes = np.asarray(data.class_codes, dtype=np.int32)
        class_weight = np.bincount(codes, weights, minlength=len(data.schema.classes)).astype(np.float64)
        active = np.flatnonzero(class_weight > 0).astype(np.int32)
        place = np.zeros(len(class_weight), dtype=np.int32)
        place[active] = np.arange(len(active))
        return cls(data, place[codes], weights, active, class_weight)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def weight_array(self) -> FloatArray:
        """Their weights (n,), ones where none were given."""
        return np.ones(len(self.data)) if self.weights is None else self.weights

    def every(self, stride: int) -> Records:
        """Each so many-th of them, with the same active classes."""
        chosen = np.arange(0, len(self.data), stride)
        weights = None if self.weights is None else self.weights[chosen]
        return Records(self.data.take(chosen), self.codes[chosen], weights, self.active, self.class_weight)


def shares(class_weight: FloatArray, given: tuple[float, ...] = ()) -> FloatArray:
    """The shares of the classes (k,): those given, else those of the weights; of a class without records none.

    Without any weight all are alike.
    """
    if not class_weight.any():
        return np.full(len(class_weight), 1.0 / max(1, len(class_weight)))
    wanted = np.where(class_weight > 0, np.array(given) if given else class_weight, 0.0)
    wanted = wanted if wanted.sum() > 0 else class_weight
    return np.asarray(wanted / wanted.sum())
