"""Methods of splitting records into training and test parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, overload

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
    """Positions of the training and the test records of one fold. ``test`` is None where a file of its own is tested.

    ``resubstitution`` marks the fold that judges a model on its own training records only to correct the others
    (the .632 bootstrap); its records are not among the tested ones. Where there is one, it is the first.
    """

    train: IntArray
    test: IntArray | None
    repeat: int
    fold: int
    resubstitution: bool = False


class Splits(Sequence[Split]):
    """``n`` splits, each made when it is asked for, so that many folds of much data do not weigh anything."""

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
    """What the folds of a run said, for a method that makes its own estimate of it.

    ``parts`` (m,) is the repeat each record was tested in, ``records`` (m,) its id, ``right`` (m,) whether the decision
    was right, ``weights`` (m,). ``resubstitution`` (k, k) is the weight of all records by true class (row) and what the
    model trained on them says (column).
    """

    __test__: ClassVar[bool] = False

    parts: NDArray[np.int32]
    records: IntArray
    right: NDArray[np.bool_]
    weights: FloatArray
    resubstitution: FloatArray


@dataclass(frozen=True)
class AccuracyEstimate:
    """An accuracy that is not just the share of tests that were right, and what to know of it.

    ``remark`` says what it is made of; ``caution`` what makes it doubtful here, empty where nothing does.
    """

    accuracy: FormulaWorking
    remark: str
    caution: str = ""


@dataclass(frozen=True, kw_only=True)
class Method(Configurable, ABC):
    """A way of judging a learner (a frozen dataclass; see :mod:`algorithms.core.parameters`)."""

    honest: ClassVar[bool] = True
    """False where records are tested that were trained on."""
    needs_test_data: ClassVar[bool] = False
    """True where the tested records come from a file of their own."""
    rare: ClassVar[bool] = False
    """True for one that few people look for: where there are many, it stands behind the others."""
    keeps_apart: ClassVar[bool] = False
    """True where a random choice of tested records would flatter: groups that belong together, later times."""
    part_name: ClassVar[str] = "fold"
    """What one split is called: "fold", "sample", "repeat"."""

    @abstractmethod
    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        """The folds for this data, all of whose records have a class.

        Raises :class:`DataError` where there are too few records.
        """

    @abstractmethod
    def described(self) -> str:
        """In a few words for the ledger: "10 folds", "34% held out"."""

    def remarks(self, data: Dataset) -> list[str]:
        """Sentences on what makes this method doubtful for this data; empty where nothing does."""
        return []

    def estimate(self, tests: FoldTests) -> AccuracyEstimate | None:
        """The accuracy, where the method does not simply count the tests that were right.

        Asked only where a split was marked as ``resubstitution``. None where the share of right tests is the estimate.
        """
        return None

    def offered_columns(self, schema: Schema) -> tuple[str, ...]:
        """The names that an option naming a column may take."""
        return schema.names

    def problem(self, schema: Schema) -> str:
        """Why it cannot judge by a table of these columns, in a sentence with what to do; empty where it can."""
        return ""


def enough_records(data: Dataset, least: int) -> int:
    """Number of records; raises :class:`DataError` where there are fewer than ``least``."""
    n = len(data)
    if n < least:
        few = "There is no record with a class" if n == 0 else "There is only one record with a class"
        raise DataError(f"{few}: that is too few to judge by.", remedy="Open data with more records.")
    return n


def fold_numbers(codes: IntArray | None, n: int, folds: int, random: np.random.Generator) -> IntArray:
    """A fold 0..folds-1 for each of n records, the sizes differing by one at most.

    With class ``codes`` (n,) the records are dealt class after class, so that each class is spread as evenly over the
    folds as the sizes are.
    """
    order = random.permutation(n)
    if codes is not None:
        order = order[np.argsort(codes[order], kind="stable")]
    numbers = np.empty(n, dtype=np.int64)
    numbers[order] = np.arange(n) % folds
    return numbers


def training_part(codes: IntArray | None, n: int, share: float, random: np.random.Generator) -> IntArray:
    """Ascending positions of a random ``share`` (0 to 1) of n records, at least one in and one out where n > 1.

    With class ``codes`` (n,) each class gives its share, the rounding settled by the largest remainders.
    """
    size = min(max(1, round(n * share)), max(1, n - 1))
    order = random.permutation(n)
    if codes is None:
        return np.sort(order[:size])
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes)
    exact = counts * (size / n)
    quota = np.floor(exact).astype(np.int64)
    remainders = np.argsort(quota - exact, kind="stable")
    quota[remainders[: size - int(quota.sum())]] += 1
    starts = np.cumsum(counts) - counts
    within = np.arange(n) - np.repeat(starts, counts)
    return np.sort(order[within < np.repeat(quota, counts)])


def inner_fold_numbers(data: Dataset, folds: int, random: np.random.Generator, *, stratified: bool = False) -> IntArray:
    """A fold 0..folds-1 for each training record, for testing inside the training part; all have a class.

    All copies of a record come into one fold, so that none is tested by its own twin. A record that was made up (its id
    is below zero) is in none, -1: it is never tested on, and :func:`learned_beside` says where it is learned from.
    """
    rows, of = originals(data)
    numbers = np.full(len(data), -1, dtype=np.int64)
    codes = data.class_codes[rows].astype(np.int64) if stratified else None
    numbers[of >= 0] = fold_numbers(codes, len(rows), folds, random)[of[of >= 0]]
    return numbers


def learned_beside(data: Dataset, tested: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which training records (n,) are learned from where those in the mask ``tested`` (n,) test inside.

    All others but those that were made up from one that is tested: they would tell what it looks like.
    """
    return np.asarray(~tested & ~kin_of(data, tested))


def inner_parts(
    data: Dataset, share: float, random: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which training records (n,) are learned from and which of the others (n,) test inside: a ``share`` of each class.

    Copies of a record stay together; one that was made up (its id is below zero) is never tested on, and learned from
    where nothing that it was made from is tested.
    """
    rows, of = originals(data)
    if not len(rows):
        return np.ones(len(data), dtype=np.bool_), np.zeros(len(data), dtype=np.bool_)
    learned = np.zeros(len(rows), dtype=np.bool_)
    learned[training_part(data.class_codes[rows].astype(np.int64), len(rows), share, random)] = True
    tested = np.asarray((of >= 0) & ~learned[of])
    return learned_beside(data, tested), tested


def originals(data: Dataset) -> tuple[IntArray, IntArray]:
    """The row of each different record of the table (m,), and of each row which of them it is (n,), -1 for made up."""
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
    """An order of n records with class ``codes`` (n,) of which every beginning holds the classes in proportion.

    So the training parts of growing sizes that are taken from its beginning hold one another.
    """
    order = random.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes, minlength=1)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    place = (np.arange(len(codes)) - starts + random.random(len(codes))) / np.repeat(counts, counts)
    return order[np.argsort(place, kind="stable")]
