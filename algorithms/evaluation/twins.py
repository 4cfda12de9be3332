"""Records that are exact copies of one another: a tested one whose copy trained the model is no test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import Column, IntArray
from algorithms.core.data import Dataset
from algorithms.core.derivation import Derivation
from algorithms.evaluation.result import EvaluationResult

Hashes = NDArray[np.uint64]

_BLOCK: Final = 65_536
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))


def record_hashes(data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Hashes:
    """A number (n,) for each record: equal where all predictors and the class are."""
    schema = data.schema
    hashes = np.full(len(data), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for index in (*schema.predictors, *(() if schema.class_index is None else (schema.class_index,))):
        column = data.column(index)
        for start in range(0, len(data), _BLOCK):
            checkpoint()
            block = slice(start, start + _BLOCK)
            hashes[block] = _mixed(hashes[block] ^ _bits(column[block]))
    return hashes


def _groups(data: Dataset, checkpoint: Callable[[], None]) -> IntArray:
    hashes = record_hashes(data, checkpoint)
    checkpoint()
    groups: IntArray = np.unique(hashes, return_inverse=True)[1].astype(np.int64)
    return groups


GROUPS = Derivation[IntArray]("groups of equal records", _groups)


def groups_of_equals(data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> IntArray:
    """A group number for each record (n,): equal where all predictors and the class are. Kept with the data.

    By 64-bit hashes: of a million different records two are taken for equal once in 37 million tables.
    """
    return data.derived(GROUPS, checkpoint)


def first_of_each(groups: IntArray) -> IntArray:
    """Ascending rows of the first record of each group."""
    return np.sort(np.unique(groups, return_index=True)[1])


def twin_share(result: EvaluationResult, data: Dataset, groups: IntArray) -> float | None:
    """The share of tested records with an exact copy among those that trained the model that judged them.

    ``data`` is what was judged on and ``groups`` its :func:`groups_of_equals`. A part (fold, sample) trains on all
    records with a class that it does not test. None where that is not so: on a file of its own, on training records.
    """
    if result.method.needs_test_data or result.test_is_training or not len(result):
        return None
    rows = _rows_of(result.row_ids, data)
    tested = groups[rows]
    trainable = np.bincount(groups[data.class_codes >= 0], minlength=int(groups.max()) + 1)
    part = result.repeats.astype(np.int64) * (int(result.folds.max()) + 1) + result.folds
    _, which, counts = np.unique(part * len(trainable) + tested, return_inverse=True, return_counts=True)
    return float(np.mean(trainable[tested] > counts[which]))


def shared_with(training: Dataset, tested: Dataset, checkpoint: Callable[[], None]) -> tuple[float, IntArray]:
    """The share of tested records that are in the training data too, and the rows of the latter that no test has.

    Both have one schema (see :func:`algorithms.core.align.aligned`).
    """
    mine, theirs = record_hashes(training, checkpoint), record_hashes(tested, checkpoint)
    checkpoint()
    share = float(np.isin(theirs, mine).mean()) if len(theirs) else 0.0
    return share, np.flatnonzero(~np.isin(mine, theirs))


def have_the_same_records(first: Dataset, second: Dataset, checkpoint: Callable[[], None]) -> bool:
    """Whether both tables hold the same records, each as often, in whatever order."""
    if len(first) != len(second):
        return False
    return np.array_equal(np.sort(record_hashes(first, checkpoint)), np.sort(record_hashes(second, checkpoint)))


def _rows_of(row_ids: IntArray, data: Dataset) -> IntArray:
    order = np.argsort(data.row_ids, kind="stable")
    found: IntArray = order[np.searchsorted(data.row_ids, row_ids, sorter=order)]
    return found


def _bits(column: Column) -> Hashes:
    """Each value as 64 bits: equal values have equal ones, 0 and -0 too, and all missing values the same."""
    if column.dtype == np.float64:
        plain = column + 0.0
        plain[np.isnan(plain)] = np.nan
        return plain.view(np.uint64)
    return column.astype(np.int64).view(np.uint64)


def _mixed(hashes: Hashes) -> Hashes:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the input moves half of the output's."""
    hashes = (hashes ^ (hashes >> _SHIFTS[0])) * _FIRST
    hashes = (hashes ^ (hashes >> _SHIFTS[1])) * _SECOND
    return hashes ^ (hashes >> _SHIFTS[2])
