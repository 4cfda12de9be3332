"""Evaluation methods: which records train and which are tested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.parameters import boolean, file, integer, real
from algorithms.core.resampling import Method, Split, Splits, enough_records, fold_numbers, training_part
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset

_STRATIFIED_HELP = "Every part holds the classes in the same proportions as the whole."


@dataclass(frozen=True, kw_only=True)
class CrossValidation(Method):
    """Tests each record once per repeat, with a model trained on the other folds."""

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
        n = enough_records(data, 2)
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
    name: ClassVar[str] = "Hold out part"
    sentence: ClassVar[str] = "Trains on part of the records and tests on the rest, which the model never saw."

    percent: float = real(
        66.0, lo=0.01, hi=99.99, label="Training share", help="How much of the records trains the model.", unit="%"
    )
    stratified: bool = boolean(True, label="Keep class proportions", help=_STRATIFIED_HELP, advanced=True)

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = enough_records(data, 2)
        return [_held_out(_codes(data) if self.stratified else None, n, self.percent, random, 0)]

    def described(self) -> str:
        return f"{100 - self.percent:g}% held out"


@dataclass(frozen=True, kw_only=True)
class RepeatedHoldout(Method):
    """Holdout repeated with different random parts."""

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
        n = enough_records(data, 2)
        codes = _codes(data) if self.stratified else None
        seeds = random.integers(2**63, size=self.repeats)

        def make(repeat: int) -> Split:
            return _held_out(codes, n, self.percent, np.random.default_rng(seeds[repeat]), repeat)

        return Splits(self.repeats, make)

    def described(self) -> str:
        return f"{100 - self.percent:g}% held out, {self.repeats} times"


@dataclass(frozen=True, kw_only=True)
class LeaveOneOut(Method):
    """Cross-validation with as many folds as records."""

    id: ClassVar[str] = "leave-one-out"
    name: ClassVar[str] = "Leave one out"
    sentence: ClassVar[str] = (
        "Tests each record with a model trained on all the others. Uses the data best and takes the longest."
    )

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = enough_records(data, 2)
        everyone = np.arange(n)
        return Splits(n, lambda i: Split(np.delete(everyone, i), everyone[i : i + 1], 0, i))

    def described(self) -> str:
        return "leave one out"


MOST_COMPLETE_PARTS: Final = 20_000
"""Largest number of test parts in complete cross-validation."""


@dataclass(frozen=True, kw_only=True)
class CompleteCrossValidation(Method):
    """Tests every subset of a size (Kohavi 1995, A study of cross-validation and bootstrap, section 3.2)."""

    id: ClassVar[str] = "complete-cross-validation"
    rare: ClassVar[bool] = True
    part_name: ClassVar[str] = "part"
    name: ClassVar[str] = "Every possible test part"
    sentence: ClassVar[str] = (
        "Leaves out every possible set of so many records once, so that the result hangs on no choice of folds. For "
        "very few records only: 30 records have 435 pairs."
    )

    size: int = integer(2, lo=1, label="Tested together", help="How many records each part tests.", unit="records")

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
                "are judged.",
                remedy="Test fewer together, or judge by cross-validation, repeated.",
                place="size",
            )
        everyone = np.arange(n)
        parts = np.array(list(combinations(range(n), self.size)), dtype=np.int64)
        return Splits(n_parts, lambda i: Split(np.delete(everyone, parts[i]), parts[i], i, 0))

    def described(self) -> str:
        return f"every part of {self.size} record{'s' if self.size > 1 else ''}"


@dataclass(frozen=True, kw_only=True)
class TrainingSet(Method):
    """Tests the training records."""

    id: ClassVar[str] = "training-set"
    name: ClassVar[str] = "Training records (flatters)"
    sentence: ClassVar[str] = (
        "Tests the model on the very records it was trained on. Shows how well it fits them, not how well it will do."
    )
    honest: ClassVar[bool] = False

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        everyone = np.arange(enough_records(data, 1))
        return [Split(everyone, everyone, 0, 0)]

    def described(self) -> str:
        return "its own training records"


@dataclass(frozen=True, kw_only=True)
class TestFile(Method):
    """Trains on all records and tests another file."""

    id: ClassVar[str] = "test-file"
    name: ClassVar[str] = "A test file"
    sentence: ClassVar[str] = "Trains on all records and tests on those of another file with the same columns."
    needs_test_data: ClassVar[bool] = True
    __test__: ClassVar[bool] = False

    path: str = file("", label="File", help="The file whose records are tested.")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        return [Split(np.arange(enough_records(data, 1)), None, 0, 0)]

    def described(self) -> str:
        name = self.path.replace("\\", "/").rpartition("/")[2]
        return f"test file {name}" if name else "a test file"


def _codes(data: Dataset) -> IntArray:
    return data.class_codes.astype(np.int64)


def _held_out(codes: IntArray | None, n: int, percent: float, random: np.random.Generator, repeat: int) -> Split:
    train = training_part(codes, n, percent / 100, random)
    return Split(train, np.setdiff1d(np.arange(n), train, assume_unique=True), repeat, 0)
