"""Bootstrap methods: samples drawn with replacement train, the records left out are tested.

The left-out accuracy alone is pessimistic, because a sample holds only 63.2% of the records. The estimates combine it
with the training accuracy: .632 in fixed proportion, .632+ with less training accuracy the more the learner overfits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.parameters import integer
from algorithms.core.resampling import AccuracyEstimate, FoldTests, Method, Split, Splits, enough_records
from algorithms.core.scores import FormulaWorking, Term, ratio
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.measure_workings import bootstrap_632

FLATTERS_FROM: Final = 0.01
"""Excess of the .632 over the .632+ estimate from which a warning is given."""


@dataclass(frozen=True, kw_only=True)
class _Bootstrap(Method):
    """Trains on samples drawn with replacement and tests the left-out records, plus all records once on themselves."""

    rare: ClassVar[bool] = True
    part_name: ClassVar[str] = "sample"

    samples: int = integer(100, lo=1, hi=100_000, label="Samples", help="How many samples are drawn.", unit="samples")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        return _bootstrap_splits(data, self.samples, random)


@dataclass(frozen=True, kw_only=True)
class Bootstrap632(_Bootstrap):
    """The .632 bootstrap (TSKK Eq. 3.19)."""

    id: ClassVar[str] = "bootstrap-632"
    name: ClassVar[str] = "Bootstrap (.632)"
    sentence: ClassVar[str] = (
        "Trains on samples drawn with replacement, tests on the records each sample left out, and corrects for the "
        "smaller training part with the fit to the training records. Flatters a learner that memorises them."
    )

    def described(self) -> str:
        return f"{self.samples} bootstrap samples"

    def estimate(self, tests: FoldTests) -> AccuracyEstimate | None:
        rates = OverfittingRate.of(tests)
        accuracy = bootstrap_632(left_out_accuracy(tests), 1 - rates.training_error)
        excess = (accuracy.value or 0.0) - (1 - rates.error_632_plus())
        caution = ""
        if excess >= FLATTERS_FROM:
            caution = (
                f"The .632 estimate flatters a learner that memorises its training records, and this one is right on "
                f"{100 * (1 - rates.training_error):.0f} in 100 of them: the .632+ estimate is "
                f"{100 * (1 - rates.error_632_plus()):.1f}."
            )
        remark = (
            "The accuracy is the .632 estimate, which also counts how well it fits the training records; the rest is "
            "about the records that each sample left out."
        )
        return AccuracyEstimate(accuracy, remark, caution)


@dataclass(frozen=True, kw_only=True)
class Bootstrap632Plus(_Bootstrap):
    """The .632+ bootstrap (Efron and Tibshirani 1997, Improvements on cross-validation: the .632+ bootstrap method)."""

    id: ClassVar[str] = "bootstrap-632-plus"
    name: ClassVar[str] = "Bootstrap (.632+)"
    sentence: ClassVar[str] = (
        "Trains on samples drawn with replacement and tests on the records each left out. How much the fit to the "
        "training records counts depends on how far the learner memorises them. Good with few records."
    )

    def described(self) -> str:
        return f"{self.samples} bootstrap samples (.632+)"

    def estimate(self, tests: FoldTests) -> AccuracyEstimate | None:
        rates = OverfittingRate.of(tests)
        rate = rates.overfitting_rate
        remark = (
            "The accuracy is the .632+ estimate: part of it is the fit to the training records, counted the less the "
            f"more the learner memorises them (here by {rate:.2f}: 0 is not at all, 1 wholly); the rest is about the "
            "records that each sample left out."
        )
        return AccuracyEstimate(rates.accuracy_632_plus(), remark)


@dataclass(frozen=True)
class OverfittingRate:
    """Error rates from which the .632+ rule is computed (Efron and Tibshirani 1997, section 4), weighted.

    ``training_error`` is the resubstitution error. ``left_out_error`` is the leave-one-out bootstrap (Eq. 17): the mean
    over records of their error in samples that left them out. ``no_information`` (Eq. 27) is the error if attributes
    and class were independent: the sum over classes of p (1 - q), p the share of records of the class, q that of its
    predictions.
    """

    training_error: float
    left_out_error: float
    no_information: float

    @classmethod
    def of(cls, tests: FoldTests) -> OverfittingRate:
        matrix = tests.resubstitution
        total = float(matrix.sum())
        true, predicted = matrix.sum(axis=1) / total, matrix.sum(axis=0) / total
        return cls(1 - float(np.trace(matrix)) / total, _left_out_error_by_record(tests), float(true @ (1 - predicted)))

    @property
    def capped_error(self) -> float:
        """Err(1)': the left-out error, capped at the no-information error."""
        return min(self.left_out_error, self.no_information)

    @property
    def overfitting_rate(self) -> float:
        """R' (Eq. 28 and 31): 0 without overfitting, 1 for pure memorisation."""
        if min(self.left_out_error, self.no_information) <= self.training_error:
            return 0.0
        return (self.capped_error - self.training_error) / (self.no_information - self.training_error)

    def error_632_plus(self) -> float:
        """The .632+ error (Eq. 32): the .632 error plus a term that grows with the overfitting rate."""
        plain = 0.368 * self.training_error + 0.632 * self.left_out_error
        rate = self.overfitting_rate
        more = (self.capped_error - self.training_error) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
        return plain + more

    def accuracy_632_plus(self) -> FormulaWorking:
        """Worked formula of the accuracy by Eq. 32."""
        terms = (
            Term("s", self.training_error, "error on all records of the model trained on them"),
            Term("e", self.left_out_error, "error on records left out, averaged over the records"),
            Term("c", self.capped_error, "the same, but at most the error without information, p·(1 − q) summed up"),
            Term("R", self.overfitting_rate, "overfitting rate: how much of the way from s to no information c is"),
        )
        formula = "1 − (0.368·{s} + 0.632·{e} + ({c} − {s})·0.368·0.632·{R} / (1 − 0.368·{R}))"
        source = "Efron and Tibshirani 1997, Eq. 32"
        return FormulaWorking("Accuracy", formula, terms, 1 - self.error_632_plus(), source=source)


def left_out_accuracy(tests: FoldTests) -> float:
    """Mean over samples of the accuracy on their left-out records (TSKK Eq. 3.19)."""
    sample = np.unique(tests.parts, return_inverse=True)[1]
    tested = np.bincount(sample, tests.weights)
    right = np.bincount(sample, tests.weights * tests.right)
    judged = tested > 0
    return float(np.mean(right[judged] / tested[judged])) if judged.any() else 0.0


def _left_out_error_by_record(tests: FoldTests) -> float:
    """Weighted mean over records of their error in the samples that left them out (Eq. 17)."""
    _, first, record = np.unique(tests.records, return_index=True, return_inverse=True)
    wrong: FloatArray = np.bincount(record, ~tests.right) / np.bincount(record)
    weights = tests.weights[first]
    return ratio(float(wrong @ weights), float(weights.sum())) or 0.0


def _bootstrap_splits(data: Dataset, samples: int, random: np.random.Generator) -> Sequence[Split]:
    """A split of all records on themselves, then one for each sample and its left-out records."""
    n = enough_records(data, 2)
    seeds = random.integers(2**63, size=samples)

    def make(index: int) -> Split:
        if index == 0:
            return Split(np.arange(n), np.arange(n), 0, 0, resubstitution=True)
        drawn, left_out = _bootstrap_sample(n, np.random.default_rng(seeds[index - 1]))
        return Split(drawn, left_out, index - 1, 0)

    return Splits(samples + 1, make)


def _bootstrap_sample(n: int, random: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Ascending positions of a bootstrap sample and of the records left out, which are never none."""
    while True:
        counts = np.bincount(random.integers(n, size=n), minlength=n)
        left_out = np.flatnonzero(counts == 0)
        if len(left_out):
            return np.repeat(np.arange(n), counts), left_out
