"""1R: rules of a single attribute (Holte 1993)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.learner import Variant
from algorithms.core.parameters import integer
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.c45_rules import range_conditions
from algorithms.learners.rules.model import KERNELS, RankedData, RuleLearner
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together

_EQUAL: Final = 1e-9


@dataclass(frozen=True, kw_only=True)
class OneR(RuleLearner):
    """1R: a rule for each value or range of the single attribute with the highest training accuracy.

    A range of a number grows until a class has ``min_bucket`` records in it, then takes further values with records of
    that class alone. Neighbouring ranges of one class are joined; cuts are midway between two values. Missing is a
    value of its own where training has missing values.
    """

    id: ClassVar[str] = "one-r"
    name: ClassVar[str] = "1R"
    sentence: ClassVar[str] = (
        "Chooses the one attribute with the lowest error and predicts a class for each of its values or "
        "intervals: often surprisingly accurate, and read at a glance."
    )
    source: ClassVar[str] = "Holte, Very Simple Classification Rules Perform Well on Most Commonly Used Datasets (1993)"
    kernels: ClassVar[tuple[str, ...]] = (*KERNELS, "algorithms.learners.rules.condition_kernels")
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(1),)

    min_bucket: int = integer(
        6,
        lo=1,
        label="Min. bucket size",
        help="Number of records of the majority class that an interval must hold, except the last one.",
        unit="records",
    )

    def induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        ranked = RankedData.of(data, context.checkpoint)
        best: tuple[list[Rule], float] | None = None
        partial = False
        for place in range(len(ranked.predictors)):
            context.checkpoint()
            if context.finishing:
                partial = True
                break
            context.advance(place, len(ranked.predictors))
            candidate = self._candidate(ranked, place, context)
            if candidate is not None and (best is None or candidate[1] > best[1] + _EQUAL):
                best = candidate
        return put_together(data.schema, best[0] if best else [], int(np.argmax(data.class_weights))), partial

    def _candidate(self, ranked: RankedData, place: int, context: RunContext) -> tuple[list[Rule], float] | None:
        """The rules of one predictor, and the training weight they classify rightly; None on a stop."""
        index = ranked.predictors[place]
        attribute = ranked.data.schema.attributes[index]
        weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
        order = (ranked.words[place] & np.uint64(0xFFFFFFFF)).astype(np.int64)
        n_known = int(ranked.known[place])
        with_value, gone = order[:n_known], order[n_known:]
        if attribute.kind.is_coded:
            values = ranked.ranks[place, with_value].astype(np.int64)
            size = len(attribute.values)
            conditions = [RuleCondition(index, values=(code,)) for code in range(size)]
        else:
            ends = self._ends(ranked, place, n_known, context)
            if ends is None:
                return None
            values, size = np.repeat(np.arange(len(ends)), np.diff([0, *ends])), len(ends)
            column = ranked.data.column(index)
            cuts = [between(float(column[order[end - 1]]), float(column[order[end]])) for end in ends[:-1]]
            conditions = range_conditions(index, [*cuts, np.inf] if ends else [])
        k = len(ranked.data.schema.classes)
        sums = np.bincount(values * k + ranked.codes[with_value], weights[with_value], minlength=size * k)
        counts = sums.astype(np.float64).reshape(size, k)
        missing = np.bincount(ranked.codes[gone], weights[gone], minlength=k)
        rules = [
            Rule((condition,), int(np.argmax(row)))
            for condition, row in zip(conditions, counts, strict=True)
            if row.any()
        ]
        if missing.any():
            values_met = () if attribute.kind.is_coded else None
            unknown = RuleCondition(index, np.inf, -np.inf, values=values_met, takes_missing=True)
            rules.append(Rule((unknown,), int(np.argmax(missing))))
        return rules, float(counts.max(axis=1, initial=0.0).sum() + missing.max(initial=0.0))

    def _ends(self, ranked: RankedData, place: int, n_known: int, context: RunContext) -> list[int] | None:
        """The ends of the ranges of a number in its order; None on a stop."""
        from algorithms.learners.rules.condition_kernels import find_buckets

        ends, classes = np.zeros(n_known, dtype=np.int64), np.zeros(n_known, dtype=np.int64)
        k = len(ranked.data.schema.classes)
        words, least = ranked.words[place], float(self.min_bucket)
        n = int(find_buckets(words, n_known, ranked.codes, ranked.weights, least, k, ends, classes, context.control))
        context.checkpoint()
        return None if n < 0 else [int(end) for end in ends[:n]]


def between(low: float, high: float) -> float:
    """The midpoint of two numbers, at least the lower and below the higher one after rounding."""
    middle = low + (high - low) / 2
    return middle if low <= middle < high else low
