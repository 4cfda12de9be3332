"""Checks of a run that take time: leaks, duplicates, drift of tested records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.checks.drift import drifts_of
from algorithms.evaluation.checks.duplicate_records import (
    first_of_each,
    groups_of_equals,
    have_the_same_records,
    is_natural,
    share_by_chance,
    shared_with,
    twin_share,
)
from algorithms.evaluation.checks.leakage import giveaways
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import with_class

if TYPE_CHECKING:
    from algorithms.evaluation.checks.drift import Drift
    from algorithms.evaluation.checks.leakage import LeakingAttribute


def check_run(
    result: EvaluationResult,
    data: Dataset,
    test_data: Dataset | None,
    context: RunContext,
    left_out: tuple[str, ...] = (),
) -> RunChecks:
    """Compare the tested records of a run on ``data`` with those that trained it.

    ``test_data`` are the records of its test file, as they were read. ``left_out`` are the columns that the recipe
    takes away: neither drift nor leaks are looked for in them.
    """
    if not data.schema.predictors:
        return NOTHING
    context.say("Comparing tested records with those that trained")
    found = tuple(each for each in giveaways(data, context.checkpoint) if each.name not in left_out)
    drifts = tuple(drifts_of(result, data, test_data, context.checkpoint, left_out=left_out))
    if test_data is None:
        return RunChecks(_twins(result, data, context), None, drifts, found)
    tested, _ = with_class(aligned(data.schema, test_data))
    return RunChecks(None, _shared(data, tested, context), drifts, found)


def _shared(data: Dataset, tested: Dataset, context: RunContext) -> TestFileOverlap:
    """What a test file shares with the training records. A file of just these records is never taken for chance."""
    share, others = shared_with(data, tested, context.checkpoint)
    if share < LEAST_SHARED or have_the_same_records(data, tested, context.checkpoint):
        return TestFileOverlap(share, 0.0, False, others)
    known = _with_known_class(data)
    by_chance = share_by_chance(known, tested, _of_class(known)[tested.class_codes], context.checkpoint)
    return TestFileOverlap(share, by_chance, is_natural(share, by_chance, len(tested)), others)


def _twins(result: EvaluationResult, data: Dataset, context: RunContext) -> DuplicateRecords | None:
    """The twins of a run's tested records; None where its method leaves none to speak of."""
    groups = groups_of_equals(data, context.checkpoint)
    share = twin_share(result, data, groups)
    if share is None:
        return None
    if share < LEAST_TWINS:
        return DuplicateRecords(share, 0.0, False, first_of_each(groups))
    known = _with_known_class(data)
    tests_at_once = float(np.mean(np.bincount(_parts_of(result))[_parts_of(result)]))
    training = 1.0 - tests_at_once / len(known)
    others = np.rint(_of_class(known)[known.class_codes] * training).astype(np.int64)
    by_chance = share_by_chance(known, None, others, context.checkpoint)
    return DuplicateRecords(
        share, by_chance, is_natural(share, by_chance, len(np.unique(result.row_ids))), first_of_each(groups)
    )


def _parts_of(result: EvaluationResult) -> IntArray:
    """A number for each test (n,): equal where one model made them."""
    return result.repeats.astype(np.int64) * (int(result.folds.max()) + 1) + result.folds


def _with_known_class(data: Dataset) -> Dataset:
    known = np.flatnonzero(data.class_codes >= 0)
    return data if len(known) == len(data) else data.take(known)


def _of_class(data: Dataset) -> IntArray:
    """How many records each class has (c,)."""
    return np.bincount(data.class_codes, minlength=len(data.schema.classes)).astype(np.int64)


LEAST_TWINS: Final = 0.01
LEAST_SHARED: Final = 0.01
"""A smaller share of copies is not worth a word."""


@dataclass(frozen=True, eq=False)
class DuplicateRecords:
    """The share of a run's tested records with an exact copy in training, and the first record of each kind.

    ``by_chance`` is the share to be expected of how often each value occurs; ``natural`` where that explains it.
    """

    share: float
    by_chance: float
    natural: bool
    first_rows: IntArray


@dataclass(frozen=True, eq=False)
class TestFileOverlap:
    """The share of a test file's records that also train, and the training rows that the file does not have.

    ``by_chance`` and ``natural`` as with :class:`DuplicateRecords`.
    """

    share: float
    by_chance: float
    natural: bool
    other_rows: IntArray


@dataclass(frozen=True, eq=False)
class RunChecks:
    """What was found out about a run; None and nothing where there is nothing to say."""

    twins: DuplicateRecords | None = None
    overlap: TestFileOverlap | None = None
    drifts: tuple[Drift, ...] = ()
    giveaways: tuple[LeakingAttribute, ...] = ()
    """Columns that the run learned from and that alone predict the class."""


NOTHING: Final = RunChecks()
