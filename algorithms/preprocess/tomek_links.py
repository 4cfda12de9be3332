"""Leaving out training records that stand on the wrong side of the border, or just at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.params import Option, boolean, choice
from algorithms.core.summary import Summary
from algorithms.preprocess.points import nearest_others, points_of, spreads
from algorithms.preprocess.training_records import class_codes, counts_of, problems_without_class


@dataclass(frozen=True, kw_only=True)
class TomekLinks(TrainingFilter):
    """Leaves out records of Tomek links: two records of different classes, each the nearest of the other.

    Source: Tomek, Two modifications of CNN, IEEE Transactions on Systems, Man and Cybernetics 6 (1976).
    """

    id: ClassVar[str] = "tomek-links"
    name: ClassVar[str] = "Clear the border (Tomek links)"
    sentence: ClassVar[str] = (
        "Where two training records of different classes are each the nearest of the other, the one of the more "
        "frequent class is left out, or both: what is left is easier to tell apart."
    )
    family: ClassVar[str] = "Training records"

    remove: str = choice(
        "frequent",
        Option("frequent", "all but the rarest class", "Records of the rarest class stay, whatever is beside them."),
        Option("both", "both records", "Both records of each pair go."),
        label="Leave out",
        help="Which of the two records goes.",
    )
    same_scale: bool = boolean(
        True,
        label="On one scale",
        help="What is near is measured with each number in its standard deviations. Without it large numbers decide.",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary)

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        codes = class_codes(data)
        counts = counts_of(codes, data)
        known = np.flatnonzero(codes >= 0)
        if np.count_nonzero(counts) < 2:
            return data
        linked = np.zeros(len(data), dtype=np.bool_)
        linked[known[links(data.take(known), self.same_scale, context)]] = True
        if self.remove == "frequent":
            linked &= codes != int(np.argmin(np.where(counts > 0, counts, counts.max() + 1)))
        left = codes[~linked]
        return data if len(np.unique(left[left >= 0])) < 2 else data.take(~linked)


def links(data: Dataset, same_scale: bool, context: RunContext) -> IntArray:
    """The rows that are one of the two of a Tomek link; each record has a class."""

    def advance(done: int, total: int) -> None:
        context.checkpoint()
        context.advance(done, total)

    scale = spreads(data)
    if not same_scale:
        scale = dict.fromkeys(scale, (0.0, 1.0))
    near = nearest_others(points_of(data, scale, 1.0), 1, advance)
    if near.shape[1] == 0:
        return np.zeros(0, dtype=np.int64)
    mate, codes, rows = near[:, 0], data.class_codes, np.arange(len(data))
    return np.flatnonzero((mate[mate] == rows) & (codes[mate] != codes))
