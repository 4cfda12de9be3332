"""Learning from some of the training records, drawn by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.enabling import when
from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.params import Option, boolean, choice, integer, real
from algorithms.core.summary import Summary
from algorithms.preprocess.training_records import class_codes, problems_without_class, quotas


@dataclass(frozen=True, kw_only=True)
class SampleRecords(TrainingFilter):
    """Draws training records, with or without putting each back, over all or from each class in proportion.

    Records keep their order. Without putting back there are never more than there were.
    """

    id: ClassVar[str] = "sample-records"
    name: ClassVar[str] = "Draw some records"
    sentence: ClassVar[str] = (
        "Learns from records drawn by chance from the training records. All others are still tested."
    )
    family: ClassVar[str] = "Training records"

    size: str = choice(
        "share",
        Option("share", "a share", "So much of the training records."),
        Option("number", "a number", "So many records."),
        label="How many",
        help="How many records are drawn.",
    )
    share: float = real(
        50.0,
        lo=0.01,
        hi=1000.0,
        label="Share",
        help="100 draws as many as there are; more needs drawing with replacement.",
        unit="%",
        enabled_if=when("size", "share"),
    )
    number: int = integer(
        1000,
        lo=1,
        hi=100_000_000,
        label="Number",
        help="So many are drawn.",
        unit="records",
        enabled_if=when("size", "number"),
    )
    replacement: bool = boolean(
        False, label="With replacement", help="A record may be drawn several times, as in a bootstrap sample."
    )
    stratified: bool = boolean(
        True, label="Keep class proportions", help="Each class gives its share, so that none is missed by chance."
    )

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary) if self.stratified else []

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        n = len(data)
        wanted = self.number if self.size == "number" else max(1, round(n * self.share / 100))
        wanted = wanted if self.replacement else min(wanted, n)
        if n == 0:
            return data
        random = context.random()
        groups = class_codes(data) + 1 if self.stratified else np.zeros(n, dtype=np.int64)
        order = np.argsort(groups, kind="stable")
        counts = np.bincount(groups)
        ends = np.cumsum(counts)
        drawn = [
            self._drawn(order[end - count : end], quota, random)
            for end, count, quota in zip(ends, counts, quotas(counts, wanted), strict=True)
            if quota
        ]
        context.checkpoint()
        return data.take(np.sort(np.concatenate(drawn)))

    def _drawn(self, rows: IntArray, wanted: int, random: np.random.Generator) -> IntArray:
        return random.choice(rows, wanted, replace=self.replacement)
