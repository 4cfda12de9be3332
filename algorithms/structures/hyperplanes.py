"""Structures of linear models: coefficients of each class, discriminant axes, Gaussian densities, support vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.design_terms import Int32Array, Terms
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.text.sentences import counted


@dataclass(frozen=True, eq=False)
class Axes:
    """Fisher's discriminants: m directions with the largest between-class relative to within-class variance.

    ==========  ======  ============================================================================================
    array       shape   meaning
    ==========  ======  ============================================================================================
    loading     (t, m)  float64, coefficients of the standardised terms; the within-class variance of an axis is 1
    share       (m,)    float64, share of the between-class variance along the axis, descending, sum 1
    ==========  ======  ============================================================================================
    """

    loading: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    share: FloatArray = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.share)


@dataclass(frozen=True, eq=False)
class Hyperplanes(ModelStructure, viewer_key="coefficients"):
    """A linear score for each of k classes, ``bias + sum of weight * term``; probabilities are the softmax.

    ==============  ============  ==================================================================================
    array           shape         meaning
    ==============  ============  ==================================================================================
    class_weight    (k,)          float64, weight of the training records of each class; a class of 0 is never predicted
    weight          (t, k)        float64, coefficients of the standardised terms (see :class:`Terms`)
    bias            (k,)          float64
    covariance      (t + 1, k, k) float64, covariance over the classes of the coefficients of a term, in its own unit,
                                  the intercept last; empty if there are no confidence intervals
    runs_away       (t,)          int8, 1 if a coefficient diverges, since the classes are separable
    follows         (t,)          int8, 1 if a term is, within the classes, a linear combination of earlier ones
    tested          (m, 3)        float64, a likelihood-ratio test of an attribute as a whole: its index in the
                                  schema, the statistic, its degrees of freedom; no rows if not requested
    profile         (t, 3)        float64, for the second against the first of two classes with records: p and the ends
                                  of the 95% interval of each coefficient, in its own unit, by the profile of Firth's
                                  penalised likelihood; NaN if not found, no rows if not requested
    ==============  ============  ==================================================================================

    ``kind`` is "logistic", "discriminant" or "multinomial"; ``penalty`` the penalty of coefficients: "none", "ridge",
    "lasso", "firth".
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
        """The attributes by the largest difference between two classes' coefficients of a term, in descending order."""
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
        """Whether coefficients have p-values: logistic ones without ridge or lasso, with finite intervals."""
        return self.kind == "logistic" and self.penalty in ("none", "firth") and self.has_intervals

    @property
    def is_separated(self) -> bool:
        """Whether the classes are separable, so that coefficients diverge."""
        return bool(np.any(self.runs_away))

    @cached_property
    def coefficient(self) -> FloatArray:
        """The coefficients of the terms (t, k), in the attributes' own units."""
        return np.asarray(self.weight / self.terms.unit[:, None])

    @cached_property
    def intercept(self) -> FloatArray:
        """The scores (k,) of a record whose numbers are 0 and whose nominal values are the usual ones."""
        return np.asarray(self.bias - self.terms.centre @ self.coefficient)

    def log_odds(self, code: int, other: int) -> FloatArray:
        """The change of the log odds of a class against ``other`` per unit of each term, and the intercept (t + 1,)."""
        both = np.concatenate([self.coefficient, self.intercept[None]])
        return np.asarray(both[:, code] - both[:, other])

    def standard_errors(self, code: int, other: int) -> FloatArray:
        """The standard errors of :meth:`log_odds` (t + 1,); NaN without confidence intervals."""
        if not self.has_intervals:
            return np.full(self.n_terms + 1, np.nan)
        c = self.covariance
        variance = c[:, code, code] + c[:, other, other] - 2 * c[:, code, other]
        return np.sqrt(np.maximum(variance, 0.0))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {**super().arrays(), **self.terms.arrays(), "loading": self.axes.loading, "share": self.axes.share}


@dataclass(frozen=True, eq=False)
class Gaussians(ModelStructure, viewer_key="gaussians"):
    """A normal density of the t standardised terms for each of k classes.

    ==============  ==========  ====================================================================================
    array           shape       meaning
    ==============  ==========  ====================================================================================
    class_weight    (k,)        float64, weight of the training records of each class; a class of 0 is never predicted
    prior           (k,)        float64, prior probability of each class, summing to 1
    mean            (k, t)      float64, means of the standardised terms in each class
    deviation       (k, t)      float64, standard deviations of the standardised terms in each class
    root            (k, t, t)   float64, inverse of the lower Cholesky factor of each class's covariance
    log_det         (k,)        float64, logarithm of the determinant of each class's covariance
    blended         (k,)        float64, share of the pooled covariance in each class's covariance
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


REST: Final = -1
"""Code for all other classes in a machine that separates one class from the rest."""
UNMET: Final = 1
UNSETTLED: Final = 2
"""Flaws of a machine: no hard margin exists (UNMET), or the tolerance was not reached (UNSETTLED)."""


@dataclass(frozen=True, eq=False)
class DualityGap:
    """Event published during training: number of steps, primal and dual objective so far (points, 3).

    All events of one machine have the same object ``machine``. With ``can_finish`` the machine so far is kept if the
    user finishes the run early.
    """

    course: FloatArray
    machine: object
    can_finish: bool

    def continues(self, before: object) -> bool:
        """Whether this is a later event of the same machine."""
        return isinstance(before, DualityGap) and before.machine is self.machine


@dataclass(frozen=True, eq=False)
class SupportVectors(ModelStructure, viewer_key="margins"):
    """m machines, each of which separates two classes (or one from the rest) by a sum over its support vectors.

    The t numbers of a record are those of :class:`Terms`, ``number * factor + offset``. The decision value of a machine
    is the sum of ``coefficient`` times the kernel of record and vector, plus ``bias``. It is positive for class
    ``first``, negative for ``second``, and 1 or -1 on the margins.

    ============  =======  =========================================================================================
    array         shape    meaning
    ============  =======  =========================================================================================
    class_weight  (k,)     float64, weight of the training records of each class; a class of 0 is never predicted
    factor        (t,)     float64, above 0
    offset        (t,)     float64
    vectors       (s, t)   float64, the numbers of the support vectors of all machines; none if a machine with
                           linear kernel has very many
    row_ids       (s,)     int64, ids of these records in their table
    labels        (s,)     int32, their classes
    first         (m,)     int32, the class of positive decision values
    second        (m,)     int32, the other class, or :data:`REST`
    start         (m + 1,) int32, start of a machine's part of the next arrays
    member        (z,)     int32, index in ``vectors``
    coefficient   (z,)     float64, the multiplier, negative if the record is on the side of ``second``
    slack         (z,)     float64, distance of the record beyond its margin; 0 if it lies on it
    ceiling       (z,)     float64, upper bound of the multiplier; 0 if there is none
    bias          (m,)     float64
    weight        (t, m)   float64, weights of the numbers for a linear kernel; else empty
    sigmoid       (m, 2)   float64, slope a and offset b of the probability of ``first``, 1 / (1 + exp(-(a sum + b)))
    n_support     (m,)     int64, number of support vectors of each machine
    unmet         (m,)     int8, ``UNMET`` if a hard margin was requested but none exists, ``UNSETTLED`` if the last
                           step missed the tolerance, else 0
    course        (g, 4)   float64, training history: machine, steps, primal and dual objective
    ============  =======  =========================================================================================

    ``kernel`` is "linear", "polynomial", "gaussian" or "sigmoid", with ``gamma``, ``degree`` and ``constant``.
    ``margin`` is "hard", "soft" or "soft-squared", ``c`` the cost of slack. ``calibrated`` says whether the sigmoids
    were fitted to records that the machines were not trained on. ``lowest`` is the smallest eigenvalue of the kernel
    matrix relative to the largest if it is negative, else 0.
    """

    schema: Schema
    terms: Terms
    class_weight: FloatArray
    factor: FloatArray
    offset: FloatArray
    vectors: FloatArray
    row_ids: NDArray[np.int64]
    labels: Int32Array
    first: Int32Array
    second: Int32Array
    start: Int32Array
    member: Int32Array
    coefficient: FloatArray
    slack: FloatArray
    ceiling: FloatArray
    bias: FloatArray
    weight: FloatArray
    sigmoid: FloatArray
    n_support: NDArray[np.int64]
    unmet: NDArray[np.int8]
    course: FloatArray
    kernel: str
    gamma: float
    degree: int
    constant: float
    margin: str
    c: float
    calibrated: bool
    lowest: float

    VALUES = ("kernel", "gamma", "degree", "constant", "margin", "c", "calibrated", "lowest")

    @property
    def info(self) -> StructureInfo:
        machines = "" if self.n_machines == 1 else f" of {self.n_machines} machines"
        facts = f"{counted(int(self.n_support.sum()), 'support vector')}{machines}"
        return StructureInfo("The margin", facts, "the attributes, weighed")

    @property
    def n_terms(self) -> int:
        return len(self.terms)

    @property
    def n_machines(self) -> int:
        return len(self.first)

    @property
    def is_linear(self) -> bool:
        """Whether the kernel is linear."""
        return self.kernel == "linear"

    @property
    def one_against_rest(self) -> bool:
        """Whether each machine separates one class from all others."""
        return bool(np.any(self.second == REST))

    def part(self, machine: int) -> slice:
        """The slice of a machine in ``member``, ``coefficient``, ``slack`` and ``ceiling``."""
        return slice(int(self.start[machine]), int(self.start[machine + 1]))

    @cached_property
    def coefficients(self) -> FloatArray:
        """The coefficient of each vector in each machine (s, m); 0 if it is not a support vector of the machine."""
        matrix = np.zeros((len(self.vectors), self.n_machines))
        machines = np.repeat(np.arange(self.n_machines), np.diff(self.start))
        matrix[self.member, machines] = self.coefficient
        return matrix

    def course_of(self, machine: int) -> FloatArray:
        """The training history of a machine: steps, primal and dual objective (points, 3)."""
        return self.course[self.course[:, 0] == machine, 1:]

    def side_names(self, machine: int) -> tuple[str, str]:
        """The names of the two sides of a machine."""
        classes, other = self.schema.classes, int(self.second[machine])
        return classes[int(self.first[machine])], "the rest" if other == REST else classes[other]

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {**super().arrays(), **self.terms.arrays()}

    def values(self) -> dict[str, Any]:
        """All scalar values by name, for saving."""
        return {name: getattr(self, name) for name in self.VALUES}
