"""What the discriminants have in common: their options, and the moments they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.classed_records import Records, shares
from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.design import Design, too_long_lists
from algorithms.core.enabling import when
from algorithms.core.learner import Learner, Problem
from algorithms.core.params import Option, choice, real, reals
from algorithms.core.summary import Summary
from algorithms.core.terms import Terms
from algorithms.linear.covariance import chosen_shrinkage, shrunk
from algorithms.linear.moments import ClassMoments, class_moments, divisor

MOST_NUMBERS = 30_000_000
"""So many numbers at most in all covariances together (a quarter of a gigabyte)."""


@dataclass(frozen=True, eq=False)
class Moments:
    """The moments of the active classes, their shares (k,), and by how much correlations are drawn towards zero."""

    of_classes: ClassMoments
    prior: FloatArray
    shrinkage: float
    is_sample: bool

    def pooled(self) -> FloatArray:
        """The covariance within all classes together (t, t), divided by n - k, or by n."""
        weight = self.of_classes.weight
        less = float(len(weight)) if self.is_sample else 0.0
        return shrunk(self.of_classes.pooled / divisor(float(weight.sum()), less), self.shrinkage)

    def own(self, at: int) -> FloatArray:
        """The covariance within one class (t, t), divided by n - 1, or by n."""
        less = 1.0 if self.is_sample else 0.0
        scatter = self.of_classes.scatter[at] / divisor(float(self.of_classes.weight[at]), less)
        return shrunk(scatter, self.shrinkage)


@dataclass(frozen=True, kw_only=True)
class Discriminant(Learner):
    """A learner that takes each class as a cloud of records around its mean."""

    family: ClassVar[str] = "Linear"

    shrinkage: str = choice(
        "none",
        Option("none", "as counted", "The covariances of the training records as they are."),
        Option("automatic", "as much as it takes", "As far as errs least on average (Schäfer and Strimmer 2005)."),
        Option("given", "by a part you give", "0 leaves them as counted; 1 takes attributes as unrelated."),
        label="Correlations are",
        help="Whether correlations between attributes are drawn towards zero (shrinkage): few records tell them badly.",
    )
    amount: float = real(
        0.5,
        lo=0.0,
        hi=1.0,
        label="Drawn towards zero",
        help="Which part of each correlation is taken away.",
        enabled_if=when("shrinkage", "given"),
    )
    priors: tuple[float, ...] = reals(
        (),
        lo=0.0,
        label="Shares of the classes",
        help="How frequent the classes will be, a number for each in their order; empty: as in the training records.",
        advanced=True,
    )

    variance: str = choice(
        "sample",
        Option("sample", "divided by n - k", "Right on average: less one for each average that was found."),
        Option("population", "divided by n", "The most likely variance, a little smaller."),
        label="Variance",
        help="How far the records of a class spread around its average.",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary) or too_long_lists(summary)
        if problems:
            return problems
        k = len(summary.schema.classes)
        if self.priors and (len(self.priors) != k or sum(self.priors) <= 0):
            given = f"{len(self.priors)} shares of classes are given, but there are {k} classes."
            return [Problem(given, "Give a number for each class, not all zero, or none at all.")]
        attributes = (summary.schema.attributes[index] for index in summary.schema.predictors)
        t = sum(max(1, len(each.values) - 1) for each in attributes)
        if self._covariances(k) * t * t > MOST_NUMBERS:
            return [Problem(f"{t:,} terms are too many for a covariance of each two.", "Select attributes first.")]
        return []

    def _covariances(self, k: int) -> int:
        """How many covariances are kept for k classes."""
        return 1

    def _moments(self, records: Records, terms: Terms, context: RunContext, *, apart: bool) -> Moments:
        found = class_moments(
            Design(records.data, terms), records.codes, records.weight_array, len(records.active), context,
            apart=apart, squares=self.shrinkage == "automatic",
        )  # fmt: skip
        shrinkage = {"none": 0.0, "given": self.amount}.get(self.shrinkage)
        prior = shares(records.class_weight, self.priors)[records.active]
        return Moments(
            found, prior, chosen_shrinkage(found) if shrinkage is None else shrinkage, self.variance == "sample"
        )


def filled(values: FloatArray, active: np.ndarray, k: int) -> FloatArray:
    """Values of the active classes (a, ...) among those of all (k, ...), the others zero."""
    found = np.zeros((k, *values.shape[1:]))
    found[active] = values
    return found
