"""Rules about a single attribute (Holte's 1R)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.learner import Variant
from algorithms.core.parameters import integer
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.matching import RankedData
from algorithms.learners.rules.model import KERNELS, RuleLearner, class_weights
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together

_EQUAL: Final = 1e-9


@dataclass(frozen=True)
class _Candidate:
    """The rules about one attribute and the weight of the training records that they are right about."""

    rules: tuple[Rule, ...]
    right: float


@dataclass(frozen=True, kw_only=True)
class OneR(RuleLearner):
    """A rule for each value, or range, of the one attribute whose rules are right most often in training.

    A number is cut into ranges: one grows until a class in it has ``min_bucket`` records, then takes all further values
    that have only records of that class; neighbouring ranges of one class are made one; cuts are half way between two
    values. Missing is a value of its own where training has records without one.
    """

    id: ClassVar[str] = "one-r"
    name: ClassVar[str] = "One attribute (1R)"
    sentence: ClassVar[str] = (
        "Looks for the one attribute that tells most, and says for each of its values or ranges which class to expect: "
        "often astonishingly good, and read at a glance."
    )
    source: ClassVar[str] = "Holte, Very Simple Classification Rules Perform Well on Most Commonly Used Datasets (1993)"
    kernels: ClassVar[tuple[str, ...]] = (*KERNELS, "algorithms.learners.rules.kernels.bucket_kernels")
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(1),)

    min_bucket: int = integer(
        6,
        lo=1,
        label="Smallest range",
        help="A range of a number must hold so many records of its most frequent class, the last one aside.",
        unit="records",
    )

    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        total = class_weights(data)
        ranked = RankedData.of(data, context.checkpoint)
        best: _Candidate | None = None
        partial = False
        for place in range(len(ranked.predictors)):
            context.checkpoint()
            if context.finishing:
                partial = True
                break
            context.advance(place, len(ranked.predictors))
            found = self._weighed(ranked, place, context)
            if found is not None and (best is None or found.right > best.right + _EQUAL):
                best = found
        rules = [] if best is None else list(best.rules)
        return put_together(data.schema, rules, int(np.argmax(total))), partial

    def _weighed(self, ranked: RankedData, place: int, context: RunContext) -> _Candidate | None:
        """The rules about one predictor; None where it was interrupted."""
        index = ranked.predictors[place]
        attribute = ranked.data.schema.attributes[index]
        weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
        order = (ranked.words[place] & np.uint64(0xFFFFFFFF)).astype(np.int64)
        known = int(ranked.known[place])
        if attribute.kind.is_coded:
            values = ranked.ranks[place, order[:known]].astype(np.int64)
            size = len(attribute.values)
            conditions = [RuleCondition(index, values=(code,)) for code in range(size)]
        else:
            ends = self._ends(ranked, place, known, context)
            if ends is None:
                return None
            values, size = np.repeat(np.arange(len(ends)), np.diff([0, *ends])), len(ends)
            conditions = _ranges(ranked, place, order, ends)
        counts = _table(values, ranked.codes[order[:known]], weights[order[:known]], size, ranked)
        gone = order[known:]
        missing = np.bincount(ranked.codes[gone], weights[gone], minlength=counts.shape[1])
        rules = [
            Rule((condition,), int(np.argmax(row)))
            for condition, row in zip(conditions, counts, strict=True)
            if row.any()
        ]
        if missing.any():
            unknown = RuleCondition(index, np.inf, -np.inf, takes_missing=True)
            if attribute.kind.is_coded:
                unknown = RuleCondition(index, values=(), takes_missing=True)
            rules.append(Rule((unknown,), int(np.argmax(missing))))
        return _Candidate(tuple(rules), float(counts.max(axis=1, initial=0.0).sum() + missing.max(initial=0.0)))

    def _ends(self, ranked: RankedData, place: int, known: int, context: RunContext) -> list[int] | None:
        from algorithms.learners.rules.kernels.bucket_kernels import find_buckets

        ends, classes = np.zeros(known, dtype=np.int64), np.zeros(known, dtype=np.int64)
        k = len(ranked.data.schema.classes)
        words, least = ranked.words[place], float(self.min_bucket)
        n = int(find_buckets(words, known, ranked.codes, ranked.weights, least, k, ends, classes, context.control))
        context.checkpoint()
        return None if n < 0 else [int(end) for end in ends[:n]]


def _ranges(ranked: RankedData, place: int, order: np.ndarray, ends: list[int]) -> list[RuleCondition]:
    """The ranges of a number that end before these places in its order; the outer ones have no bound."""
    index = ranked.predictors[place]
    column = ranked.data.column(index)
    cuts = [between(float(column[order[end - 1]]), float(column[order[end]])) for end in ends[:-1]]
    bounds = [-np.inf, *cuts, np.inf]
    return [RuleCondition(index, bounds[i], bounds[i + 1], low_is_open=i > 0) for i in range(len(ends))]


def between(low: float, high: float) -> float:
    """Half way between two numbers, so that the lower one does not exceed it and the higher one does."""
    middle = low + (high - low) / 2
    return middle if low <= middle < high else low


def _table(values: np.ndarray, codes: np.ndarray, weights: np.ndarray, size: int, ranked: RankedData) -> FloatArray:
    """The weights of the classes for each value (size, k)."""
    k = len(ranked.data.schema.classes)
    return np.bincount(values * k + codes, weights, minlength=size * k).astype(np.float64).reshape(size, k)
