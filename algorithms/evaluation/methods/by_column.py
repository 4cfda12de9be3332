"""Evaluation methods that split by a column: order in time, groups, or marked parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.parameters import column, integer, real, text
from algorithms.core.resampling import Method, Split, Splits, enough_records
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.text.sentences import and_more

TRAINING_WORDS: Final = ("train", "training", "learn", "learning", "development", "dev")
"""Values recognised as marks of training records by default."""
IN_ORDER: Final = (AttributeKind.DATE, AttributeKind.NUMERIC, AttributeKind.ORDINAL)
"""Kinds of a column by which records are ordered in time."""
ONE_BY_ONE: Final = 10_000
"""Number of groups assigned singly to the smallest fold, largest first; the rest go round-robin."""


@dataclass(frozen=True, kw_only=True)
class ByColumn(Method):
    """A method that splits by the values of ``column``."""

    rare: ClassVar[bool] = True
    purpose: ClassVar[str]
    """The role of the column, as in "says in what order the records came about"."""

    column: str | None

    @abstractmethod
    def fits(self, attribute: Attribute) -> bool:
        """Whether a column of this kind can be used."""

    def offered_columns(self, schema: Schema) -> tuple[str, ...]:
        return tuple(attribute.name for i, attribute in enumerate(schema.attributes) if self._is_usable(i, schema))

    def problem(self, schema: Schema) -> str:
        if not self.column:
            return f"Choose the column that {self.purpose}."
        if self.column not in schema:
            return f"There is no column {self.column!r}. Choose the column that {self.purpose}."
        if not self._is_usable(schema.index_of(self.column), schema):
            return f"{self.column!r} is not a column that {self.purpose}. Choose another one."
        return ""

    def remarks(self, data: Dataset) -> list[str]:
        index = self._index(data)
        if index in data.schema.predictors:
            return [f"It also learned from {self.column!r}, by which the records were parted: better leave it out."]
        return []

    def _is_usable(self, index: int, schema: Schema) -> bool:
        return index != schema.class_index and self.fits(schema.attributes[index])

    def _index(self, data: Dataset) -> int:
        """Index of the column; raises :class:`DataError` if it cannot be used."""
        problem = self.problem(data.schema)
        if problem:
            sentence, _, remedy = problem.partition(". ")
            raise DataError(f"{sentence.rstrip('.')}.", remedy=remedy, place="column")
        return data.schema.index_of(self.column or "")


_SHARE_HELP: Final = "Share of the records that trains the model."


@dataclass(frozen=True, kw_only=True)
class TimeHoldout(ByColumn):
    """Trains on the earliest records and tests the later ones."""

    id: ClassVar[str] = "time-holdout"
    name: ClassVar[str] = "Time-ordered holdout"
    sentence: ClassVar[str] = "Trains on earlier records and tests on later ones, as in use."
    purpose: ClassVar[str] = "says in what order the records came about"

    keeps_apart: ClassVar[bool] = True
    column: str | None = column(None, label="Order column", help="A date or a number that grows with time.")
    percent: float = real(66.0, lo=0.01, hi=99.99, label="Training share", help=_SHARE_HELP, unit="%")

    def fits(self, attribute: Attribute) -> bool:
        return attribute.kind in IN_ORDER

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        enough_records(data, 2)
        index = self._index(data)
        rows = np.flatnonzero(~data.missing(index))
        moments = data.column(index)[rows]
        order = np.argsort(moments, kind="stable")
        times = moments[order]
        cuts = np.flatnonzero(times[1:] != times[:-1]) + 1  # records of one time stay together
        if not len(cuts):
            raise DataError(
                f"All records have the same value in {self.column!r}, so none is later than another.",
                remedy="Choose another column.",
                place="column",
            )
        cut = int(cuts[int(np.argmin(np.abs(cuts - (len(rows) * self.percent / 100))))])
        return [Split(np.sort(rows[order[:cut]]), np.sort(rows[order[cut:]]), 0, 0)]

    def described(self) -> str:
        return f"time-ordered holdout {100 - self.percent:g}% by {self.column}"

    def remarks(self, data: Dataset) -> list[str]:
        return [*super().remarks(data), *_left_out(data, self._index(data), self.column)]


@dataclass(frozen=True, kw_only=True)
class ByGroup(ByColumn):
    """Keeps records with the same value of a column in the same part."""

    purpose: ClassVar[str] = "names the group of each record"

    keeps_apart: ClassVar[bool] = True
    column: str | None = column(
        None, label="Group column", help="Records with the same value in this column stay together."
    )

    def fits(self, attribute: Attribute) -> bool:
        return True

    def groups(self, data: Dataset) -> IntArray:
        """Group number of each record (n,)."""
        return _groups(data, self._index(data), self.column)[0]

    def remarks(self, data: Dataset) -> list[str]:
        n = int(np.count_nonzero(data.missing(self._index(data))))
        together = f"{n:,} records have no value in {self.column!r}; they were kept together as one group."
        return [*super().remarks(data), *([together] if n > 1 else [])]


@dataclass(frozen=True, kw_only=True)
class GroupHoldout(ByGroup):
    """Trains on some groups and tests the others."""

    id: ClassVar[str] = "group-holdout"
    name: ClassVar[str] = "Group holdout"
    sentence: ClassVar[str] = (
        "Holds out whole groups, such as patients or machines, so that the test has only groups that were "
        "not in training."
    )

    percent: float = real(66.0, lo=0.01, hi=99.99, label="Training share", help=_SHARE_HELP, unit="%")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        n = enough_records(data, 2)
        numbers, n_groups = _groups(data, self._index(data), self.column)
        order = random.permutation(n_groups)
        sizes = np.bincount(numbers, minlength=n_groups)
        cut = 1 + int(np.argmin(np.abs(np.cumsum(sizes[order])[:-1] - n * self.percent / 100)))
        trains = np.zeros(n_groups, dtype=bool)
        trains[order[:cut]] = True
        return [Split(np.flatnonzero(trains[numbers]), np.flatnonzero(~trains[numbers]), 0, 0)]

    def described(self) -> str:
        return f"group holdout {100 - self.percent:g}% by {self.column}"


@dataclass(frozen=True, kw_only=True)
class GroupCrossValidation(ByGroup):
    """Cross-validation that keeps each group in one fold."""

    id: ClassVar[str] = "group-cross-validation"
    name: ClassVar[str] = "Group cross-validation"
    sentence: ClassVar[str] = (
        "Cross-validation that keeps all records of a group, such as a patient or a customer, in one fold."
    )

    folds: int = integer(10, lo=2, label="Folds", help="Number of folds of groups.", unit="folds")
    repeats: int = integer(
        1, lo=1, hi=10_000, label="Repeats", help="Number of repetitions with other folds.", unit="times", advanced=True
    )

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        enough_records(data, 2)
        numbers, n_groups = _groups(data, self._index(data), self.column)
        if n_groups < self.folds:
            raise DataError(
                f"{self.folds} folds need at least {self.folds} groups; {self.column!r} names {n_groups}.",
                remedy=f"Choose at most {n_groups} folds.",
                place="folds",
            )
        sizes = np.bincount(numbers, minlength=n_groups)
        folds = [group_folds(sizes, self.folds, random).astype(np.int32)[numbers] for _ in range(self.repeats)]

        def make(index: int) -> Split:
            repeat, fold = divmod(index, self.folds)
            tested = folds[repeat] == fold
            return Split(np.flatnonzero(~tested), np.flatnonzero(tested), repeat, fold)

        return Splits(self.folds * self.repeats, make)

    def described(self) -> str:
        repeats = f"{self.repeats} × " if self.repeats > 1 else ""
        return f"{repeats}{self.folds}-fold cross-validation, groups by {self.column}"


@dataclass(frozen=True, kw_only=True)
class MarkedParts(ByColumn):
    """Trains and tests on the records that a column marks."""

    id: ClassVar[str] = "marked-parts"
    name: ClassVar[str] = "Predefined split"
    sentence: ClassVar[str] = "Trains on the records that a column marks as training records and tests on the others."
    purpose: ClassVar[str] = "says which records train"

    column: str | None = column(None, label="Split column", help="The column that marks training records.")
    train: str = text(
        "", label="Training value", help="The value of training records. Empty: train, training, learn, dev, 1 or true."
    )
    test: str = text("", label="Test value", help="The value of tested records. Empty: every other value.")

    def fits(self, attribute: Attribute) -> bool:
        return attribute.kind is not AttributeKind.DATE

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        enough_records(data, 2)
        index = self._index(data)
        has_mark = ~data.missing(index)
        marks, values = _value_indices(data, index)
        chosen = self._training_value(values)
        trains = has_mark & (marks == values.index(chosen))
        tested = has_mark & ~trains
        if self.test.strip():
            tested = has_mark & (marks == self._value(self.test, values, "test"))
        if not np.any(tested & ~trains):
            raise DataError(
                f"Every record of {self.column!r} is marked {chosen!r}: none is left to test.",
                remedy="Choose another column.",
                place="column",
            )
        return [Split(np.flatnonzero(trains), np.flatnonzero(tested & ~trains), 0, 0)]

    def described(self) -> str:
        return f"predefined split by {self.column}"

    def remarks(self, data: Dataset) -> list[str]:
        return [*super().remarks(data), *_left_out(data, self._index(data), self.column)]

    def _training_value(self, values: list[str]) -> str:
        if self.train.strip():
            return values[self._value(self.train, values, "train")]
        for words in (TRAINING_WORDS, ("true", "yes", "1")):
            matching = [value for value in values if value.strip().casefold() in words]
            if len(matching) == 1:
                return matching[0]
        found = and_more([*map(repr, values)], 5)
        raise DataError(
            f"It is not clear which value of {self.column!r} marks the training records: {found}.",
            remedy="Write that value as the training mark.",
            place="train",
        )

    def _value(self, wanted: str, values: list[str], place: str) -> int:
        for same in (str.strip, _folded):
            matching = [i for i, value in enumerate(values) if same(value) == same(wanted)]
            if len(matching) == 1:
                return matching[0]
        raise DataError(
            f"No record has the value {wanted!r} in {self.column!r}; there is {and_more([*map(repr, values)], 5)}.",
            remedy="Write one of them.",
            place=place,
        )


def group_folds(sizes: IntArray, folds: int, random: np.random.Generator) -> IntArray:
    """Fold of each group by its size (g,): largest first, equal ones shuffled, each to the smallest fold so far."""
    order = random.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold_of = np.empty(len(sizes), dtype=np.int64)
    filled = np.zeros(folds, dtype=np.int64)
    for group in order[:ONE_BY_ONE].tolist():
        fold = int(np.argmin(filled))
        fold_of[group] = fold
        filled[fold] += sizes[group]
    rest = order[ONE_BY_ONE:]
    fold_of[rest] = np.argsort(filled, kind="stable")[np.arange(len(rest)) % folds]
    return fold_of


def _groups(data: Dataset, index: int, name: str | None) -> tuple[IntArray, int]:
    """Group number 0..g-1 of each record (n,), and g; records without a value form one group."""
    values = data.column(index)
    missing = data.missing(index)
    _, group_of = np.unique(values[~missing], return_inverse=True)
    n = int(group_of.max(initial=-1)) + 1
    numbers = np.full(len(values), n, dtype=np.int64)
    numbers[~missing] = group_of
    n_groups = n + int(missing.any())
    if n_groups < 2:
        raise DataError(
            f"{name!r} names only one group, so none can be held out.", remedy="Choose another column.", place="column"
        )
    return numbers, n_groups


def _value_indices(data: Dataset, index: int) -> tuple[NDArray[Any], list[str]]:
    """Index of each record's value (n,), -1 if missing, and the distinct values as text."""
    attribute, values, missing = data.schema.attributes[index], data.column(index), data.missing(index)
    distinct, numbers = np.unique(values[~missing], return_inverse=True)
    marks = np.full(len(values), -1, dtype=np.int64)
    marks[~missing] = numbers
    if attribute.kind.is_coded:
        return marks, [attribute.values[int(code)] for code in distinct]
    return marks, [f"{value:g}" if attribute.kind.is_float else str(value) for value in distinct]


def _folded(value: str) -> str:
    return value.strip().casefold()


def _left_out(data: Dataset, index: int, name: str | None) -> list[str]:
    n = int(np.count_nonzero(data.missing(index)))
    if not n:
        return []
    records, were = ("record", "was") if n == 1 else ("records", "were")
    return [f"{n:,} {records} without a value in {name!r} {were} left out."]
