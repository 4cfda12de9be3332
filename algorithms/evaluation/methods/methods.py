"""Evaluation methods: which records train and which are tested.

Bootstrap samples are drawn with replacement; the records left out are tested. The left-out accuracy alone is
pessimistic, because a sample holds only 63.2% of the records. The estimates combine it with the training accuracy: .632
in fixed proportion, .632+ with less training accuracy the more the learner overfits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.parameters import boolean, file, integer, real
from algorithms.core.resampling import (
    AccuracyEstimate,
    FoldTests,
    Method,
    Split,
    Splits,
    enough_records,
    fold_numbers,
    training_part,
)
from algorithms.core.scores import FormulaWorking, Term, ratio
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.measure_workings import bootstrap_632
from algorithms.text.numbers import percent

_FOLDS_HELP = "Parts of the records; each is tested by a model trained on the others. More take longer, 10 is usual."
_STRATIFIED_HELP = "Every part has the same class distribution."


@dataclass(frozen=True, kw_only=True)
class CrossValidation(Method):
    """Tests each record once per repeat, with a model trained on the other folds."""

    id: ClassVar[str] = "cross-validation"
    name: ClassVar[str] = "Cross-validation"
    sentence: ClassVar[str] = (
        "Splits the records into folds and tests each fold with a model trained on all others, so that "
        "every record is tested once by a model that was not trained on it."
    )

    folds: int = integer(
        10,
        lo=2,
        label="Folds",
        help=_FOLDS_HELP,
        unit="folds",
    )
    repeats: int = integer(
        1, lo=1, hi=10_000, label="Repeats", help="Number of repetitions with other folds.", unit="times", advanced=True
    )
    stratified: bool = boolean(True, label="Stratified", help=_STRATIFIED_HELP, advanced=True)

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = enough_records(data, 2)
        if n < self.folds:
            raise DataError(
                f"{self.folds} folds need at least {self.folds} records with a class; there are {n}.",
                remedy=f"Choose at most {n} folds, or use leave-one-out.",
                place="folds",
            )
        codes = data.class_codes if self.stratified else None
        numbers = [fold_numbers(codes, n, self.folds, random).astype(np.int32) for _ in range(self.repeats)]

        def make(index: int) -> Split:
            repeat, fold = divmod(index, self.folds)
            tested = numbers[repeat] == fold
            return Split(np.flatnonzero(~tested), np.flatnonzero(tested), repeat, fold)

        return Splits(self.planned, make)

    @property
    def planned(self) -> int:
        return self.folds * self.repeats

    def described(self) -> str:
        return (f"{self.repeats} × " if self.repeats > 1 else "") + f"{self.folds}-fold cross-validation"

    def remarks(self, data: Dataset) -> list[str]:
        counts = np.bincount(data.class_codes, minlength=len(data.schema.classes))
        few = [code for code, n in enumerate(counts.tolist()) if 0 < n < self.folds]
        if not few:
            return []
        first = data.schema.classes[few[0]]
        if len(few) == 1:
            n = int(counts[few[0]])
            records = f"{n} record{'s' if n > 1 else ''}"
            return [f"Class {first!r} has only {records}, fewer than the {self.folds} folds: not every fold tests it."]
        others = f"{len(few) - 1} other class{'es' if len(few) > 2 else ''}"
        return [
            f"{first} and {others} have fewer records than the {self.folds} folds: not every fold tests all of them."
        ]


@dataclass(frozen=True, kw_only=True)
class Holdout(Method):
    """Trains on one part and tests the rest."""

    id: ClassVar[str] = "holdout"
    name: ClassVar[str] = "Holdout"
    sentence: ClassVar[str] = "Trains on part of the records and tests on the rest."

    percent: float = real(
        66.0, lo=0.01, hi=99.99, label="Training share", help="Share of the records that trains the model.", unit="%"
    )
    stratified: bool = boolean(True, label="Stratified", help=_STRATIFIED_HELP, advanced=True)

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = enough_records(data, 2)
        return [_held_out(data.class_codes if self.stratified else None, n, self.percent, random, 0)]

    def described(self) -> str:
        return f"holdout {100 - self.percent:g}%"


@dataclass(frozen=True, kw_only=True)
class RepeatedHoldout(Method):
    """Holdout repeated with different random parts."""

    id: ClassVar[str] = "repeated-holdout"
    rare: ClassVar[bool] = True
    part_name: ClassVar[str] = "repeat"
    name: ClassVar[str] = "Repeated holdout"
    sentence: ClassVar[str] = "Repeats the holdout with other random parts and pools the tests."

    percent: float = real(
        66.0, lo=0.01, hi=99.99, label="Training share", help="Share of the records that trains each model.", unit="%"
    )
    repeats: int = integer(10, lo=1, hi=10_000, label="Repeats", help="Number of holdouts.", unit="times")
    stratified: bool = boolean(True, label="Stratified", help=_STRATIFIED_HELP, advanced=True)

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = enough_records(data, 2)
        codes = data.class_codes if self.stratified else None
        seeds = random.integers(2**63, size=self.repeats)

        def make(repeat: int) -> Split:
            return _held_out(codes, n, self.percent, np.random.default_rng(seeds[repeat]), repeat)

        return Splits(self.planned, make)

    @property
    def planned(self) -> int:
        return self.repeats

    def described(self) -> str:
        return f"{self.repeats} × holdout {100 - self.percent:g}%"


@dataclass(frozen=True, kw_only=True)
class LeaveOneOut(Method):
    """Cross-validation with as many folds as records."""

    id: ClassVar[str] = "leave-one-out"
    name: ClassVar[str] = "Leave-one-out"
    sentence: ClassVar[str] = (
        "Tests each record with a model trained on all others. It uses the data best and takes the longest."
    )

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = enough_records(data, 2)
        everyone = np.arange(n)
        return Splits(n, lambda i: Split(np.delete(everyone, i), everyone[i : i + 1], 0, i))

    def described(self) -> str:
        return "leave-one-out"


MOST_COMPLETE_PARTS: Final = 20_000
"""Largest number of test parts in complete cross-validation."""


@dataclass(frozen=True, kw_only=True)
class CompleteCrossValidation(Method):
    """Tests every subset of a size (Kohavi 1995, A study of cross-validation and bootstrap, section 3.2)."""

    id: ClassVar[str] = "complete-cross-validation"
    rare: ClassVar[bool] = True
    part_name: ClassVar[str] = "part"
    name: ClassVar[str] = "Complete cross-validation"
    sentence: ClassVar[str] = (
        "Tests every subset of a size once, so that the result does not depend on a random choice of "
        "folds. For very few records: 30 records have 435 pairs."
    )

    size: int = integer(2, lo=1, label="Test set size", help="Number of records in each test set.", unit="records")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = enough_records(data, 2)
        if n <= self.size:
            raise DataError(
                f"{self.size} records cannot be left out of {n}: none would be left to learn from.",
                remedy=f"Test at most {n - 1} together.",
                place="size",
            )
        n_parts = math.comb(n, self.size)
        if n_parts > MOST_COMPLETE_PARTS:
            raise DataError(
                f"{n:,} records have {n_parts:,} different parts of {self.size}; at most {MOST_COMPLETE_PARTS:,} "
                "are tested.",
                remedy="Test fewer together, or use repeated cross-validation.",
                place="size",
            )
        everyone = np.arange(n)
        parts = np.array(list(combinations(range(n), self.size)), dtype=np.int64)
        return Splits(n_parts, lambda i: Split(np.delete(everyone, parts[i]), parts[i], i, 0))

    def described(self) -> str:
        return f"complete cross-validation, {self.size} record{'s' if self.size > 1 else ''} a test"


@dataclass(frozen=True, kw_only=True)
class TrainingSet(Method):
    """Tests the training records."""

    id: ClassVar[str] = "training-set"
    name: ClassVar[str] = "Training data (optimistic)"
    sentence: ClassVar[str] = (
        "Tests the model on its own training records. This shows the fit, not the performance on new records."
    )
    honest: ClassVar[bool] = False

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        everyone = np.arange(enough_records(data, 1))
        return [Split(everyone, everyone, 0, 0)]

    def described(self) -> str:
        return "training data (optimistic)"


@dataclass(frozen=True, kw_only=True)
class TestFile(Method):
    """Trains on all records and tests another file."""

    id: ClassVar[str] = "test-file"
    name: ClassVar[str] = "Test file"
    sentence: ClassVar[str] = "Trains on all records and tests on those of another file with the same columns."
    needs_test_data: ClassVar[bool] = True
    __test__: ClassVar[bool] = False

    path: str = file("", label="Test file", help="The file whose records are tested.")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        return [Split(np.arange(enough_records(data, 1)), None, 0, 0)]

    def described(self) -> str:
        name = self.path.replace("\\", "/").rpartition("/")[2]
        return f"test file {name}" if name else "a test file"


def _held_out(
    codes: NDArray[np.integer] | None, n: int, percent: float, random: np.random.Generator, repeat: int
) -> Split:
    train = training_part(codes, n, percent / 100, random)
    is_tested = np.ones(n, dtype=np.bool_)
    is_tested[train] = False
    return Split(train, np.flatnonzero(is_tested), repeat, 0)


FLATTERS_FROM: Final = 0.01
"""Excess of the .632 over the .632+ estimate from which a warning is given."""


@dataclass(frozen=True, kw_only=True)
class _Bootstrap(Method):
    """Trains on samples drawn with replacement and tests the left-out records, plus all records once on themselves."""

    rare: ClassVar[bool] = True
    part_name: ClassVar[str] = "sample"

    samples: int = integer(
        100, lo=1, hi=100_000, label="Bootstrap samples", help="Number of bootstrap samples.", unit="samples"
    )

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        return _bootstrap_splits(data, self.samples, random)


@dataclass(frozen=True, kw_only=True)
class Bootstrap632(_Bootstrap):
    """The .632 bootstrap (TSKK Eq. 3.19)."""

    id: ClassVar[str] = "bootstrap-632"
    name: ClassVar[str] = "Bootstrap .632"
    sentence: ClassVar[str] = (
        "Trains on bootstrap samples, tests on the records that each left out, and corrects with the "
        "training accuracy. Optimistic for a learner that memorizes."
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
                f"The .632 estimate is optimistic for a learner that memorizes its training records, and the training "
                f"accuracy is {percent(1 - rates.training_error)}. The .632+ estimate is "
                f"{percent(1 - rates.error_632_plus())}."
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
    name: ClassVar[str] = "Bootstrap .632+"
    sentence: ClassVar[str] = (
        "Trains on bootstrap samples and tests on the records that each left out. The weight of the "
        "training accuracy depends on how much the learner overfits. Good with few records."
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
