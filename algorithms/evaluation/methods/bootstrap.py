"""The bootstraps: samples drawn with replacement train, the records they leave out are tested.

The plain share of right tests is too low, for a sample holds but 63.2% of the records. The estimates add the fit to the
training records: .632 in fixed proportion, .632+ the less of it the more the learner memorises.
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
"""From this lead over .632+ on the .632 estimate is said to flatter."""


@dataclass(frozen=True, kw_only=True)
class _Bootstrap(Method):
    """Samples drawn with replacement train; what each left out is tested, and all records once on themselves."""

    rare: ClassVar[bool] = True
    part_name: ClassVar[str] = "sample"

    samples: int = integer(100, lo=1, hi=100_000, label="Samples", help="How many samples are drawn.", unit="samples")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        return _sampled(data, self.samples, random)


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
        memorising = OverfittingRate.of(tests)
        accuracy = bootstrap_632(left_out_accuracy(tests), 1 - memorising.training_error)
        lead = (accuracy.value or 0.0) - (1 - memorising.error_632_plus())
        caution = ""
        if lead >= FLATTERS_FROM:
            caution = (
                f"The .632 estimate flatters a learner that memorises its training records, and this one is right on "
                f"{100 * (1 - memorising.training_error):.0f} in 100 of them: the .632+ estimate is "
                f"{100 * (1 - memorising.error_632_plus()):.1f}."
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
        memorising = OverfittingRate.of(tests)
        rate = memorising.overfitting_rate
        remark = (
            "The accuracy is the .632+ estimate: part of it is the fit to the training records, counted the less the "
            f"more the learner memorises them (here by {rate:.2f}: 0 is not at all, 1 wholly); the rest is about the "
            "records that each sample left out."
        )
        return AccuracyEstimate(memorising.accuracy_632_plus(), remark)


@dataclass(frozen=True)
class OverfittingRate:
    """What the .632+ rule goes by (Efron and Tibshirani 1997, section 4); errors are shares of the weight.

    ``training_error`` is that on the training records, ``left_out_error`` the leave-one-out bootstrap (Eq. 17): the
    mean over the records of their error in the samples that left them out. ``no_information`` (Eq. 27) is the error if
    attributes and class had nothing to do with each other: sum over the classes of p (1 - q), p the share of the
    records of the class, q that of the records said to be of it.
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
        """Err(1)': no learner is called worse than one without information."""
        return min(self.left_out_error, self.no_information)

    @property
    def overfitting_rate(self) -> float:
        """R' (Eq. 28 and 31): 0 where it does as well on unseen records as on its own, 1 where it only memorises."""
        if min(self.left_out_error, self.no_information) <= self.training_error:
            return 0.0
        return (self.capped_error - self.training_error) / (self.no_information - self.training_error)

    def error_632_plus(self) -> float:
        """Eq. 32: the .632 estimate, and on top of it the more the higher the overfitting rate."""
        plain = 0.368 * self.training_error + 0.632 * self.left_out_error
        rate = self.overfitting_rate
        more = (self.capped_error - self.training_error) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
        return plain + more

    def accuracy_632_plus(self) -> FormulaWorking:
        """The accuracy by Eq. 32, with its terms."""
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
    """Mean over the samples of the accuracy on what each left out (TSKK Eq. 3.19)."""
    sample = np.unique(tests.parts, return_inverse=True)[1]
    tested = np.bincount(sample, tests.weights)
    right = np.bincount(sample, tests.weights * tests.right)
    judged = tested > 0
    return float(np.mean(right[judged] / tested[judged])) if judged.any() else 0.0


def _left_out_error_by_record(tests: FoldTests) -> float:
    """Mean over the records, by weight, of how often each was wrong in the samples that left it out (Eq. 17)."""
    _, first, record = np.unique(tests.records, return_index=True, return_inverse=True)
    wrong: FloatArray = np.bincount(record, ~tests.right) / np.bincount(record)
    weights = tests.weights[first]
    return ratio(float(wrong @ weights), float(weights.sum())) or 0.0


def _sampled(data: Dataset, samples: int, random: np.random.Generator) -> Sequence[Split]:
    """First all records on themselves, then each sample and what it left out."""
    n = enough_records(data, 2)
    seeds = random.integers(2**63, size=samples)

    def make(index: int) -> Split:
        if index == 0:
            return Split(np.arange(n), np.arange(n), 0, 0, resubstitution=True)
        drawn, left_out = _bootstrap_sample(n, np.random.default_rng(seeds[index - 1]))
        return Split(drawn, left_out, index - 1, 0)

    return Splits(samples + 1, make)


def _bootstrap_sample(n: int, random: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Ascending positions drawn with replacement, and those left out: drawn anew while nothing is left out."""
    while True:
        counts = np.bincount(random.integers(n, size=n), minlength=n)
        left_out = np.flatnonzero(counts == 0)
        if len(left_out):
            return np.repeat(np.arange(n), counts), left_out
