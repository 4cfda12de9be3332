"""Classes as clouds of records, each with a middle and a covariance of its own: what quadratic discriminants know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.hyperplanes import Axes
from algorithms.core.schema import Schema
from algorithms.core.terms import Terms


@dataclass(frozen=True, eq=False)
class Gaussians:
    """For each of k classes a normal density of the t standardised terms.

    ==============  ==========  ====================================================================================
    array           shape       meaning
    ==============  ==========  ====================================================================================
    class_weight    (k,)        float64, weight of the training records of each class; a class of 0 is never decided
    prior           (k,)        float64, the share of each class before anything is known, summing to 1
    mean            (k, t)      float64, of the standardised terms in each class
    deviation       (k, t)      float64, the standard deviations of the standardised terms in each class
    root            (k, t, t)   float64, the inverse of the lower root (Cholesky) of each class's covariance
    log_det         (k,)        float64, the logarithm of the determinant of each class's covariance
    blended         (k,)        float64, which part of a class's covariance is that of all classes together
    ==============  ==========  ====================================================================================
    """

    schema: Schema
    terms: Terms
    class_weight: FloatArray
    prior: FloatArray
    mean: FloatArray
    deviation: FloatArray
    root: FloatArray
    log_det: FloatArray
    blended: FloatArray
    axes: Axes

    ARRAYS = ("class_weight", "prior", "mean", "deviation", "root", "log_det", "blended")

    @property
    def n_classes(self) -> int:
        return len(self.class_weight)

    @property
    def n_terms(self) -> int:
        return len(self.terms)

    def mean_of(self, code: int) -> FloatArray:
        """The means of a class in the attributes' own units (t,)."""
        return np.asarray(self.terms.centre + self.mean[code] * self.terms.unit)

    def deviation_of(self, code: int) -> FloatArray:
        """The standard deviations of a class in the attributes' own units (t,)."""
        return np.asarray(self.deviation[code] * self.terms.unit)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, for saving."""
        own = {name: getattr(self, name) for name in self.ARRAYS}
        return {**own, **self.terms.arrays(), "loading": self.axes.loading, "share": self.axes.share}
