"""Making the classes more equal in number among the training records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.enabling import when
from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.params import Option, boolean, choice, integer, real
from algorithms.core.summary import Summary
from algorithms.preprocess.smote import made_up, spread_evenly, with_made_up
from algorithms.preprocess.training_records import class_codes, counts_of, problems_without_class


@dataclass(frozen=True, kw_only=True)
class BalanceClasses(TrainingFilter):
    """Repeats or makes up records of rare classes, or leaves out those of frequent ones.

    Repeating and making up bring each rarer class to ``evenness`` times the records of the most frequent, leaving out
    each more frequent one to those of the rarest divided by it. Source of SMOTE: Chawla et al., JAIR 16 (2002).
    """

    id: ClassVar[str] = "balance-classes"
    name: ClassVar[str] = "Balance the classes"
    sentence: ClassVar[str] = (
        "Makes the classes more equal in number among the training records, so that rare ones are not passed over. "
        "Tested records stay as they are."
    )
    family: ClassVar[str] = "Training records"

    by: str = choice(
        "oversample",
        Option("oversample", "repeating rare ones", "Records of rare classes come several times."),
        Option("undersample", "leaving out frequent ones", "Records of frequent classes are left out by chance."),
        Option("smote", "making new rare ones (SMOTE)", "New records lie between two near ones of a rare class."),
        label="By",
        help="How the classes become more equal.",
    )
    evenness: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Evenness",
        help="100 makes all classes equal; 50 leaves a rare class half as many records as the most frequent.",
        unit="%",
    )
    k: int = integer(
        5,
        lo=1,
        hi=1000,
        label="Near records",
        help="A new record lies between one and one of its so many nearest of the class.",
        enabled_if=when("by", "smote"),
    )
    same_scale: bool = boolean(
        True,
        label="On one scale",
        help="What is near is measured with each number in its standard deviations. Without it large numbers decide.",
        enabled_if=when("by", "smote"),
        advanced=True,
    )

    @property
    def makes_up(self) -> bool:
        return self.by == "smote"

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary)

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        codes = class_codes(data)
        counts = counts_of(codes, data)
        present = counts[counts > 0]
        if len(present) < 2:
            return data
        if self.by == "undersample":
            return self._fewer(data, codes, counts, max(1, round(int(present.min()) * 100 / self.evenness)), context)
        target = round(int(present.max()) * self.evenness / 100)
        rare = [code for code in range(len(counts)) if 0 < counts[code] < target]
        if not rare:
            return data
        if self.by == "smote":
            return self._made_up(data, codes, {code: target - int(counts[code]) for code in rare}, context)
        random = context.random()
        more = []
        for code in rare:
            rows = np.flatnonzero(codes == code)
            more.append(rows[spread_evenly(len(rows), target - len(rows), random)])
        return data.take(np.concatenate([np.arange(len(data)), *more]))

    def _fewer(self, data: Dataset, codes: IntArray, counts: IntArray, most: int, context: RunContext) -> Dataset:
        random, stays = context.random(), np.ones(len(data), dtype=np.bool_)
        for code in np.flatnonzero(counts > most):
            rows = np.flatnonzero(codes == code)
            stays[rows] = False
            stays[random.choice(rows, most, replace=False)] = True
        return data.take(stays)

    def _made_up(self, data: Dataset, codes: IntArray, wanted: dict[int, int], context: RunContext) -> Dataset:
        bases: list[IntArray] = []
        mates: list[IntArray] = []
        parts: list[dict[int, Any]] = []
        for code, number in wanted.items():
            rows = np.flatnonzero(codes == code)
            within = context.child(1 / len(wanted), code)
            base, mate, columns = made_up(data, rows, number, self.k, self.same_scale, within)
            bases.append(base)
            mates.append(mate)
            parts.append(columns)
        joined = {index: np.concatenate([part[index] for part in parts]) for index in parts[0]}
        return with_made_up(data, np.concatenate(bases), np.concatenate(mates), joined)
