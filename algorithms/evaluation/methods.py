"""The methods of judging a learner: which records train and which test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.params import boolean, file, integer, real
from algorithms.core.resampling import Method, Split, Splits, fold_numbers, training_part

_STRATIFIED_HELP = "Every part holds the classes in the same proportions as the whole."


@dataclass(frozen=True, kw_only=True)
class CrossValidation(Method):
    """Each record is tested once a repeat, by a model that was trained on the other folds."""

    id: ClassVar[str] = "cross-validation"
    name: ClassVar[str] = "Cross-validation"
    sentence: ClassVar[str] = (
        "Cuts the records into folds and tests each fold with a model trained on all the others, so that every record "
        "is judged once by a model that never saw it."
    )

    folds: int = integer(10, lo=2, label="Folds", help="Into how many parts the records are cut.", unit="folds")
    repeats: int = integer(
        1,
        lo=1,
        hi=10_000,
        label="Repeats",
        help="How often the whole is done over with other folds.",
        unit="times",
        advanced=True,
    )
    stratified: bool = boolean(True, label="Keep class proportions", help=_STRATIFIED_HELP, advanced=True)

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = _enough(data, 2)
        if n < self.folds:
            raise DataError(
                f"{self.folds} folds need at least {self.folds} records with a class; there are {n}.",
                remedy=f"Choose at most {n} folds, or leave one out.",
                place="folds",
            )
        codes = _codes(data) if self.stratified else None
        numbers = [fold_numbers(codes, n, self.folds, random).astype(np.int32) for _ in range(self.repeats)]

        def make(index: int) -> Split:
            repeat, fold = divmod(index, self.folds)
            tested = numbers[repeat] == fold
            return Split(np.flatnonzero(~tested), np.flatnonzero(tested), repeat, fold)

        return Splits(self.folds * self.repeats, make)

    def described(self) -> str:
        return f"{self.folds} folds" + (f", {self.repeats} times" if self.repeats > 1 else "")

    def remarks(self, data: Dataset) -> list[str]:
        counts = np.bincount(_codes(data), minlength=len(data.schema.classes))
        few = [at for at, n in enumerate(counts.tolist()) if 0 < n < self.folds]
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
    """One part trains, the rest is tested."""

    id: ClassVar[str] = "holdout"
    name: ClassVar[str] = "Hold out part"
    sentence: ClassVar[str] = "Trains on part of the records and tests on the rest, which the model never saw."

    percent: float = real(
        66.0, lo=0.01, hi=99.99, label="Training share", help="How much of the records trains the model.", unit="%"
    )
    stratified: bool = boolean(True, label="Keep class proportions", help=_STRATIFIED_HELP, advanced=True)

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = _enough(data, 2)
        return [_held_out(_codes(data) if self.stratified else None, n, self.percent, random, 0)]

    def described(self) -> str:
        return f"{100 - self.percent:g}% held out"


@dataclass(frozen=True, kw_only=True)
class RepeatedHoldout(Method):
    """Holdout several times with other parts."""

    id: ClassVar[str] = "repeated-holdout"
    rare: ClassVar[bool] = True
    part_name: ClassVar[str] = "repeat"
    name: ClassVar[str] = "Hold out part, repeatedly"
    sentence: ClassVar[str] = (
        "Holds out part of the records several times, each time another part, and pools the tests."
    )

    percent: float = real(
        66.0, lo=0.01, hi=99.99, label="Training share", help="How much of the records trains each model.", unit="%"
    )
    repeats: int = integer(10, lo=1, hi=10_000, label="Repeats", help="How many parts are held out.", unit="times")
    stratified: bool = boolean(True, label="Keep class proportions", help=_STRATIFIED_HELP, advanced=True)

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = _enough(data, 2)
        codes = _codes(data) if self.stratified else None
        seeds = random.integers(2**63, size=self.repeats)

        def make(repeat: int) -> Split:
            return _held_out(codes, n, self.percent, np.random.default_rng(seeds[repeat]), repeat)

        return Splits(self.repeats, make)

    def described(self) -> str:
        return f"{100 - self.percent:g}% held out, {self.repeats} times"


@dataclass(frozen=True, kw_only=True)
class LeaveOneOut(Method):
    """As many folds as records."""

    id: ClassVar[str] = "leave-one-out"
    name: ClassVar[str] = "Leave one out"
    sentence: ClassVar[str] = (
        "Tests each record with a model trained on all the others. Uses the data best and takes the longest."
    )

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = _enough(data, 2)
        everyone = np.arange(n)
        return Splits(n, lambda i: Split(np.delete(everyone, i), everyone[i : i + 1], 0, i))

    def described(self) -> str:
        return "leave one out"


@dataclass(frozen=True, kw_only=True)
class Bootstrap632(Method):
    """The .632 bootstrap (TSKK Eq. 3.19)."""

    id: ClassVar[str] = "bootstrap-632"
    rare: ClassVar[bool] = True
    part_name: ClassVar[str] = "sample"
    name: ClassVar[str] = "Bootstrap (.632)"
    sentence: ClassVar[str] = (
        "Trains on samples drawn with replacement, tests on the records each sample left out, and corrects for the "
        "smaller training part with the fit to the training records."
    )

    samples: int = integer(100, lo=1, hi=100_000, label="Samples", help="How many samples are drawn.", unit="samples")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = _enough(data, 2)
        seeds = random.integers(2**63, size=self.samples)

        def make(index: int) -> Split:
            if index == 0:
                return Split(np.arange(n), np.arange(n), 0, 0, resubstitution=True)
            drawn, left_out = _bootstrap_sample(n, np.random.default_rng(seeds[index - 1]))
            return Split(drawn, left_out, index - 1, 0)

        return Splits(self.samples + 1, make)

    def described(self) -> str:
        return f"{self.samples} bootstrap samples"


@dataclass(frozen=True, kw_only=True)
class TrainingSet(Method):
    """The records that trained the model are tested."""

    id: ClassVar[str] = "training-set"
    name: ClassVar[str] = "Training records (flatters)"
    sentence: ClassVar[str] = (
        "Tests the model on the very records it was trained on. Shows how well it fits them, not how well it will do."
    )
    honest: ClassVar[bool] = False

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        everyone = np.arange(_enough(data, 1))
        return [Split(everyone, everyone, 0, 0)]

    def described(self) -> str:
        return "its own training records"


@dataclass(frozen=True, kw_only=True)
class TestFile(Method):
    """All records train, another file is tested."""

    id: ClassVar[str] = "test-file"
    name: ClassVar[str] = "A test file"
    sentence: ClassVar[str] = "Trains on all records and tests on those of another file with the same columns."
    needs_test_data: ClassVar[bool] = True
    __test__: ClassVar[bool] = False

    path: str = file("", label="File", help="The file whose records are tested.")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        return [Split(np.arange(_enough(data, 1)), None, 0, 0)]

    def described(self) -> str:
        name = self.path.replace("\\", "/").rpartition("/")[2]
        return f"test file {name}" if name else "a test file"


ALL: Final[tuple[type[Method], ...]] = (
    CrossValidation,
    Holdout,
    RepeatedHoldout,
    LeaveOneOut,
    Bootstrap632,
    TestFile,
    TrainingSet,
)


def _codes(data: Dataset) -> IntArray:
    return data.class_codes.astype(np.int64)


def _enough(data: Dataset, least: int) -> int:
    """Number of records; raises :class:`DataError` where there are fewer than ``least``."""
    n = len(data)
    if n < least:
        few = "There is no record with a class" if n == 0 else "There is only one record with a class"
        raise DataError(f"{few}: that is too few to judge by.", remedy="Open data with more records.")
    return n


def _held_out(codes: IntArray | None, n: int, percent: float, random: np.random.Generator, repeat: int) -> Split:
    train = training_part(codes, n, percent / 100, random)
    return Split(train, np.setdiff1d(np.arange(n), train, assume_unique=True), repeat, 0)


def _bootstrap_sample(n: int, random: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Ascending positions drawn with replacement, and those left out: drawn anew while nothing is left out."""
    while True:
        counts = np.bincount(random.integers(n, size=n), minlength=n)
        left_out = np.flatnonzero(counts == 0)
        if len(left_out):
            return np.repeat(np.arange(n), counts), left_out
