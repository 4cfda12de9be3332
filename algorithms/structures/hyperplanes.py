"""Structures of linear models: coefficients of each class, discriminant axes, and Gaussian classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.structures.terms import Terms
from algorithms.text.sentences import counted


@dataclass(frozen=True, eq=False)
class Axes:
    """Fisher's discriminants: m directions along which the classes lie furthest apart for their spread.

    ==========  ======  ============================================================================================
    array       shape   meaning
    ==========  ======  ============================================================================================
    loading     (t, m)  float64, what each standardised term is multiplied by; within a class an axis has variance 1
    share       (m,)    float64, the part of the differences between the classes that lies along it, falling, sum 1
    ==========  ======  ============================================================================================
    """

    loading: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    share: FloatArray = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.share)


@dataclass(frozen=True, eq=False)
class Hyperplanes(ModelStructure, viewer_key="coefficients"):
    """For each of k classes a score: ``bias + sum of weight * term``; the probabilities are their softmax.

    ==============  ============  ==================================================================================
    array           shape         meaning
    ==============  ============  ==================================================================================
    class_weight    (k,)          float64, weight of the training records of each class; a class of 0 is never decided
    weight          (t, k)        float64, of the standardised terms (see :class:`Terms`)
    bias            (k,)          float64
    covariance      (t + 1, k, k) float64, of the coefficients of a term in all classes, in its own unit, the intercept
                                  last; of no size where no intervals can be given
    runs_away       (t,)          int8, 1 where a coefficient grows without end as the classes can be told apart
    follows         (t,)          int8, 1 where a term says, within the classes, what those before it say together
    tested          (m, 3)        float64, a likelihood-ratio test of an attribute as a whole: its position in the
                                  schema, the statistic, its degrees of freedom; no rows where none was asked for
    profile         (t, 3)        float64, of each coefficient, in its own unit, of the second against the first of two
                                  classes with records: p and the ends of the 95% interval by the profile of Firth's
                                  penalised likelihood; NaN where not found, no rows where not asked for
    ==============  ============  ==================================================================================

    ``kind`` is "logistic" or "discriminant"; ``penalty`` how coefficients were held small: "none", "ridge", "lasso",
    "firth".
    """

    schema: Schema
    terms: Terms
    class_weight: FloatArray
    weight: FloatArray
    bias: FloatArray
    covariance: FloatArray
    runs_away: NDArray[np.int8]
    follows: NDArray[np.int8]
    axes: Axes
    kind: str
    penalty: str
    tested: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    profile: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def info(self) -> StructureInfo:
        facts = f"{counted(self.n_terms, 'term')} weighed together"
        return StructureInfo("The model", facts, "the attributes, weighed", self._heaviest)

    def _heaviest(self) -> list[int]:
        """The attributes by how far a standardised term of theirs parts two classes, the farthest first."""
        reach = np.zeros(len(self.schema))
        np.maximum.at(reach, self.terms.attribute, np.ptp(self.weight, axis=1))
        return [index for index in np.argsort(-reach, kind="stable").tolist() if reach[index] > 0]

    @property
    def n_terms(self) -> int:
        return len(self.terms)

    @property
    def has_intervals(self) -> bool:
        return len(self.covariance) > 0

    @property
    def has_p(self) -> bool:
        """Whether coefficients have a p value: those of a likelihood that no ridge or lasso changes, and that end."""
        return self.kind == "logistic" and self.penalty in ("none", "firth") and self.has_intervals

    @property
    def is_separated(self) -> bool:
        """Whether the classes can be told apart without error, so that coefficients grow without end."""
        return bool(np.any(self.runs_away))

    @cached_property
    def coefficient(self) -> FloatArray:
        """What one more of each term adds to the scores (t, k), in the attribute's own unit."""
        return np.asarray(self.weight / self.terms.unit[:, None])

    @cached_property
    def intercept(self) -> FloatArray:
        """The scores (k,) of a record whose numbers are 0 and whose values are the usual ones."""
        return np.asarray(self.bias - self.terms.centre @ self.coefficient)

    def log_odds(self, code: int, other: int) -> FloatArray:
        """What one more of each term adds to the log odds of a class against another (t + 1,), the intercept last."""
        both = np.concatenate([self.coefficient, self.intercept[None]])
        return np.asarray(both[:, code] - both[:, other])

    def standard_errors(self, code: int, other: int) -> FloatArray:
        """Of :meth:`log_odds` (t + 1,); NaN where no intervals can be given."""
        if not self.has_intervals:
            return np.full(self.n_terms + 1, np.nan)
        c = self.covariance
        variance = c[:, code, code] + c[:, other, other] - 2 * c[:, code, other]
        return np.sqrt(np.maximum(variance, 0.0))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {**super().arrays(), **self.terms.arrays(), "loading": self.axes.loading, "share": self.axes.share}


@dataclass(frozen=True, eq=False)
class Gaussians(ModelStructure, viewer_key="gaussians"):
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

    @property
    def info(self) -> StructureInfo:
        facts = f"{self.n_classes} classes with a shape of their own"
        return StructureInfo("The model", facts, "the attributes, weighed")

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
        return {**super().arrays(), **self.terms.arrays(), "loading": self.axes.loading, "share": self.axes.share}
