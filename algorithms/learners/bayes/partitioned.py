"""Naive Bayes learned from the parts of a table: the workers count, and the driver estimates the probabilities.

Counts are whole numbers, and the cuts of numbers come from exact order statistics. So the model is that of memory, bit
for bit, for any number of parts.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import ParameterError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.filters.discretize import Cuts, Distribution, equal_frequency, equal_width, width_targets
from algorithms.learners.bayes.distributions import (
    ClassDistributions,
    Smoothing,
    WeightedClassRecords,
    of_ranges,
    of_values,
    put_together,
)
from algorithms.learners.bayes.naive_bayes import NaiveBayes, NaiveBayesModel
from algorithms.learners.partitions import (
    Arrays,
    Partition,
    PartitionedTable,
    class_counts,
    keys_of,
    number_ranges,
    numbers_around,
    numbers_of,
    records_up_to,
)
from algorithms.learners.probability_scaling import class_shares
from algorithms.structures.bayes_network import DistributionForm

_COUNTED: Final = ("equal-frequency", "equal-width")


class CountsAsked(NamedTuple):
    """A question for the records by class and value of all predictors: ``cuts`` of each number, None for others."""

    cuts: tuple[Cuts | None, ...]


def suited_naive_bayes(learner: NaiveBayes) -> NaiveBayes:
    """The learner itself; raises :class:`ParameterError` if its estimates of numbers need all records in memory."""
    if learner.numbers not in _COUNTED:
        raise ParameterError(
            f"The choice {learner.numbers} for numeric attributes needs all records in memory.",
            remedy=f"Choose {' or '.join(_COUNTED)}.",
            place="numbers",
        )
    return learner


def naive_bayes_from_parts(learner: NaiveBayes, table: PartitionedTable, context: RunContext) -> NaiveBayesModel:
    """The model of the records of all parts; raises :class:`Cancelled` on a stop."""
    ensure_compiled(learner.kernels, context)
    schema, predictors = table.schema, table.schema.predictors
    numeric = tuple(index for index in predictors if not schema.attributes[index].kind.is_coded)
    context.say("Looking at the numbers of all parts")
    cuts = dict(zip(numeric, _cuts(learner, table, numeric, context), strict=True))
    context.say("Counting the records of all parts")
    asked = CountsAsked(tuple(cuts.get(index) for index in predictors))
    counts = table.combined(_counts, asked, context)
    (class_weight,) = table.combined(class_counts, None, context)
    _, ranges = number_ranges(table, numeric, 1, context) if numeric else ([], np.zeros((0, 2)))
    spans = dict(zip(numeric, ranges.tolist(), strict=True))
    smoothing, estimates = learner._smoothing(len(class_weight)), list[ClassDistributions]()
    for index, own in zip(predictors, counts, strict=True):
        is_number = index in cuts
        form = DistributionForm.RANGES if is_number else DistributionForm.VALUES
        span = tuple(spans[index]) if is_number else (np.nan, np.nan)
        table_of = smoothing.of(own)
        estimates.append(
            ClassDistributions(index, form, span=span, table=table_of, count=own, cuts=cuts.get(index, ()))
        )
    prior = class_shares(class_weight, learner.priors)
    context.say("")
    return NaiveBayesModel(put_together(schema, class_weight, prior, estimates, learner.least_ratio))


def _counts(asked: CountsAsked, part: Partition) -> Arrays:
    """The number of records of each class by value or range (v, k), for each predictor."""
    data = part.dataset()
    codes = np.array(data.class_codes, dtype=np.int32)
    records, none = WeightedClassRecords(data, codes, np.ones(len(codes)), np.zeros(3, dtype=np.int64)), Smoothing(None)
    counts = list[FloatArray]()
    for index, cuts in zip(data.schema.predictors, asked.cuts, strict=True):
        own = of_values(records, index, none) if cuts is None else of_ranges(records, index, cuts, none)
        assert own.count is not None
        counts.append(own.count)
    return tuple(counts)


def _cuts(learner: NaiveBayes, table: PartitionedTable, columns: tuple[int, ...], context: RunContext) -> list[Cuts]:
    """The cuts of each numeric column, which are those of its distribution in memory."""
    if not columns:
        return []
    distinct, ranges = number_ranges(table, columns, 2, context)
    several = [place for place, values in enumerate(distinct) if len(values) > 1]
    cuts = [Cuts()] * len(columns)
    if not several:
        return cuts
    chosen, ranges = tuple(columns[place] for place in several), ranges[several]
    n_known = records_up_to(table, chosen, np.full((len(chosen), 1), ~np.uint64(0)), context)
    if learner.numbers == "equal-width":
        targets = np.array([width_targets(low, high, learner.ranges) for low, high in ranges.tolist()])
        limits = records_up_to(table, chosen, keys_of(targets) - np.uint64(1), context)
    else:
        wanted = n_known * np.arange(1, learner.ranges) / learner.ranges
        limits = np.ceil(wanted).astype(np.int64) - 1
    distributions = _thinned(table, chosen, limits, n_known, ranges, context)
    make = equal_width if learner.numbers == "equal-width" else equal_frequency
    for place, distribution in zip(several, distributions, strict=True):
        cuts[place] = make(distribution, learner.ranges)
    return cuts


def _thinned(
    table: PartitionedTable,
    columns: tuple[int, ...],
    limits: IntArray,
    n_known: IntArray,
    ranges: FloatArray,
    context: RunContext,
) -> list[Distribution]:
    """The distribution of each column with only the numbers around some limits of cumulated counts (q, t).

    These are the last number within a limit and the two after it, and the least and the largest. Each has the records
    since the number before, so that cumulated counts are those of the whole distribution.
    """
    before, after = numbers_around(table, columns, limits, ranges, context)
    up_to = records_up_to(table, columns, after, context)
    _, following = numbers_around(table, columns, np.minimum(up_to, n_known - 1), ranges, context)
    ends = keys_of(ranges)
    keys = np.concatenate([before, after, following, ends], axis=1)
    keys = np.where(keys == 0, ends[:, :1], keys)  # no number is within the limit
    counts = records_up_to(table, columns, keys, context)
    distributions = []
    for own, cumulated in zip(keys, counts, strict=True):
        kept, first = np.unique(own, return_index=True)
        distributions.append(Distribution(numbers_of(kept), np.diff(cumulated[first], prepend=0), 0))
    return distributions
