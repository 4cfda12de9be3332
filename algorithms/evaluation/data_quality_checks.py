"""What takes a while to find out about a run: duplicates of tested records, a shared test file, drift."""

from __future__ import annotations

import math

from algorithms.core.align import aligned
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.summary import summarize
from algorithms.evaluation.drift import drifts_of
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.run_checks import NOTHING, Overlap, RunChecks, Twins
from algorithms.evaluation.runner import with_class
from algorithms.evaluation.twins import first_of_each, groups_of_equals, shared_with, twin_share


def check_run(
    result: EvaluationResult,
    data: Dataset,
    test_data: Dataset | None,
    context: RunContext,
    left_out: tuple[str, ...] = (),
) -> RunChecks:
    """Compare the tested records of a run on ``data`` with those that trained it.

    ``test_data`` are the records of its test file, as they were read. ``left_out`` are the columns that the recipe
    takes away: no drift is looked for in them.
    """
    if not data.schema.predictors:
        return NOTHING
    context.say("Comparing tested records with those that trained")
    drifts = tuple(drifts_of(result, data, test_data, context.checkpoint, left_out=left_out))
    if test_data is None:
        return RunChecks(_twins(result, data, context), None, drifts)
    tested, _ = with_class(aligned(data.schema, test_data))
    share, others = shared_with(data, tested, context.checkpoint)
    return RunChecks(None, Overlap(share, _is_natural(data, context), others), drifts)


def _is_natural(data: Dataset, context: RunContext) -> bool:
    """Whether so few different records are possible that copies say nothing."""
    summary = summarize(data, context.checkpoint)
    return math.prod(max(1, summary.of(index).n_distinct) for index in data.schema.predictors) <= len(data)


def _twins(result: EvaluationResult, data: Dataset, context: RunContext) -> Twins | None:
    """The twins of a run's tested records; None where its method leaves none to speak of."""
    groups = groups_of_equals(data, context.checkpoint)
    share = twin_share(result, data, groups)
    if share is None:
        return None
    return Twins(share, _is_natural(data, context), first_of_each(groups))
