"""Methods of splitting records into training and test parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, overload

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.parameters import Configurable
from algorithms.core.scores import FormulaWorking
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.synthetic_ids import kin_of


@dataclass(frozen=True, eq=False)
class Split:
    """Row indices of the training and test records of a fold; ``test`` is None if a separate file is tested.

    With ``resubstitution`` the fold tests on its own training records to correct the other folds (.632 bootstrap). It
    is the first fold, and its records do not count as tested.
    """

    train: IntArray
    test: IntArray | None
    repeat: int
    fold: int
    resubstitution: bool = False


class Splits(Sequence[Split]):
    """A sequence of ``n`` splits, each computed on access, so that many folds of large data need no memory."""

    def __init__(self, n: int, make: Callable[[int], Split]) -> None:
        self._n = n
        self._make = make

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> Split: ...
    @overload
    def __getitem__(self, index: slice) -> list[Split]: ...
    def __getitem__(self, index: int | slice) -> Split | list[Split]:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(self._n))]
        return self._make(range(self._n)[index])

    def __iter__(self) -> Iterator[Split]:
        return (self._make(i) for i in range(self._n))


@dataclass(frozen=True, eq=False)
class FoldTests:
    """Test results of all folds of a run, for a method with its own accuracy estimate.

    For m tests, ``parts`` (m,) is the repeat, ``records`` (m,) the record id, ``right`` (m,) whether the decision was
    correct, ``weights`` (m,) the weight. ``resubstitution`` (k, k) is the weight of all records by true class (row) and
    by the decision of the model trained on them (column).
    """

    __test__: ClassVar[bool] = False

    parts: NDArray[np.int32]
    records: IntArray
    right: NDArray[np.bool_]
    weights: FloatArray
    resubstitution: FloatArray


@dataclass(frozen=True)
class AccuracyEstimate:
    """An estimate that is not the share of correct tests: ``remark`` says how, ``caution`` why it is doubtful."""

    accuracy: FormulaWorking
    remark: str
    caution: str = ""


@dataclass(frozen=True, kw_only=True)
class Method(Configurable, ABC):
    """An evaluation method (a frozen dataclass; see :mod:`algorithms.core.parameters`)."""

    honest: ClassVar[bool] = True
    """Whether no record is tested by a model trained on it."""
    needs_test_data: ClassVar[bool] = False
    """Whether the test records come from a separate file."""
    rare: ClassVar[bool] = False
    """Whether few users need the method, so that long lists show it last."""
    keeps_apart: ClassVar[bool] = False
    """Whether the method keeps groups together or respects time; random test records would be optimistic there."""
    part_name: ClassVar[str] = "fold"
    """The noun for one split: "fold", "sample", "repeat"."""

    @abstractmethod
    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        """The folds of data in which all records have a class; raises :class:`DataError` for too few records."""

    @property
    def planned(self) -> int:
        """The number of splits where the options alone fix it; else 0."""
        return 0

    @abstractmethod
    def described(self) -> str:
        """The method in a few words for the list of runs: "10 folds", "34% held out"."""

    def remarks(self, data: Dataset) -> list[str]:
        """Sentences on weaknesses of the method for this data; empty if there are none."""
        return []

    def estimate(self, tests: FoldTests) -> AccuracyEstimate | None:
        """The method's own accuracy estimate or None; called only if the splits include a ``resubstitution`` fold."""
        return None

    def offered_columns(self, schema: Schema) -> tuple[str, ...]:
        """The names that a column parameter may take."""
        return schema.names

    def problem(self, schema: Schema) -> str:
        """A sentence on why the method cannot use a table with this schema, and the remedy; empty if it can."""
        return ""


def enough_records(data: Dataset, least: int) -> int:
    """The number of records; raises :class:`DataError` if it is below ``least``."""
    n = len(data)
    if n < least:
        few = "There is no record with a class" if n == 0 else "There is only one record with a class"
        raise DataError(f"{few}: that is too few for a test.", remedy="Open data with more records.")
    return n


def fold_numbers(codes: NDArray[np.integer] | None, n: int, folds: int, random: np.random.Generator) -> IntArray:
    """A fold number 0..folds-1 for each of n records, sizes as equal as possible; stratified by ``codes`` (n,)."""
    order = random.permutation(n)
    if codes is not None:
        order = order[np.argsort(codes[order], kind="stable")]
    numbers = np.empty(n, dtype=np.int64)
    numbers[order] = np.arange(n) % folds
    return numbers


_MANY_CLASSES: Final = 32


def training_part(codes: NDArray[np.integer] | None, n: int, share: float, random: np.random.Generator) -> IntArray:
    """Ascending rows: a random ``share`` of n, at least one in and one out; of each class with ``codes`` (n,)."""
    size = min(max(1, round(n * share)), max(1, n - 1))
    order = random.permutation(n)
    if codes is None:
        return np.sort(order[:size])
    counts = np.bincount(codes)
    exact = counts * (size / n)
    quota = np.floor(exact).astype(np.int64)
    remainders = np.argsort(quota - exact, kind="stable")
    quota[remainders[: size - int(quota.sum())]] += 1
    if len(counts) > _MANY_CLASSES:
        order = order[np.argsort(codes[order], kind="stable")]
        within = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.sort(order[within < np.repeat(quota, counts)])
    is_chosen, of_order = np.zeros(n, dtype=np.bool_), codes[order]
    for code in np.flatnonzero(quota).tolist():  # class by class: sorting millions takes several times the memory
        is_chosen[order[np.flatnonzero(of_order == code)[: quota[code]]]] = True
    return np.flatnonzero(is_chosen)


def inner_fold_numbers(data: Dataset, folds: int, random: np.random.Generator, *, stratified: bool = False) -> IntArray:
    """Inner folds 0..folds-1 (n,), copies together; -1 for synthetic records, see :func:`learned_beside`."""
    rows, of = originals(data)
    numbers = np.full(len(data), -1, dtype=np.int64)
    codes = data.class_codes[rows].astype(np.int64) if stratified else None
    numbers[of >= 0] = fold_numbers(codes, len(rows), folds, random)[of[of >= 0]]
    return numbers


def learned_beside(data: Dataset, tested: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask (n,) of the records to train on: neither ``tested`` (n,) nor generated from a tested record."""
    return np.asarray(~tested & ~kin_of(data, tested))


def inner_parts(
    data: Dataset, share: float, random: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks (n,): train on a ``share`` of each class, test the rest; copies and synthetic records as in inner folds."""
    rows, of = originals(data)
    if not len(rows):
        return np.ones(len(data), dtype=np.bool_), np.zeros(len(data), dtype=np.bool_)
    learned = np.zeros(len(rows), dtype=np.bool_)
    learned[training_part(data.class_codes[rows].astype(np.int64), len(rows), share, random)] = True
    tested = np.asarray((of >= 0) & ~learned[of])
    return learned_beside(data, tested), tested


def originals(data: Dataset) -> tuple[IntArray, IntArray]:
    """The first row of each distinct record (m,), and the index of each row's record (n,), -1 for synthetic rows."""
    ids = data.row_ids
    real = np.flatnonzero(ids >= 0)
    of = np.full(len(data), -1, dtype=np.int64)
    _, first, place = np.unique(ids[real], return_index=True, return_inverse=True)
    if len(first) == len(real):  # no copies: in the order of the rows
        of[real] = np.arange(len(real))
        return real, of
    of[real] = place
    return real[first], of


def nested_order(codes: IntArray, random: np.random.Generator) -> IntArray:
    """A random order of n records with class ``codes`` (n,); every prefix, nested in the longer ones, is stratified."""
    order = random.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes, minlength=1)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    place = (np.arange(len(codes)) - starts + random.random(len(codes))) / np.repeat(counts, counts)
    return order[np.argsort(place, kind="stable")]
