"""Whether one learner leads another by more than chance explains: one test, one correction, one verdict for all pages.

The test is that of :func:`~algorithms.evaluation.compare.compared`. All pairs of the learners that were tried together
are one family: the same tests said which is best, so the chances are corrected for the number of all pairs (Holm).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.evaluation.compare import (
    LEAST_PARTS,
    PairedComparison,
    PartScores,
    check_comparable,
    compared,
    paired_t,
)
from algorithms.evaluation.corrections import CORRECTIONS

ALPHA: Final = 0.05
NEGLIGIBLE: Final = 0.005
"""A lead that is surely smaller matters to nobody, however many records prove it."""


class Verdict(Enum):
    """What a lead amounts to, in words."""

    REAL = "that is hardly chance"
    CHANCE = "that may be chance"
    NEGLIGIBLE = "too little to matter"


@dataclass(frozen=True, eq=False)
class Lead:
    """How far one of a pair is ahead of the other; ``paired`` is None where they were not judged on the same tests.

    ``p_value`` is that of the pair alone, ``corrected`` that for all ``n_pairs`` of its family.
    """

    paired: PairedComparison | None
    p_value: float
    corrected: float
    n_pairs: int = 1
    negligible: float = NEGLIGIBLE
    correction: str = "Holm"

    @property
    def verdict(self) -> Verdict:
        if self.paired is not None and self.paired.interval[1] < self.negligible:
            return Verdict.NEGLIGIBLE
        is_ahead = self.paired is None or self.paired.difference > 0
        return Verdict.REAL if self.corrected < ALPHA and is_ahead else Verdict.CHANCE

    def chance_words(self) -> str:
        """The verdict and what it goes by: "that may be chance (p = 0.130 corrected for 105 pairs by Holm, p = 0.009
        alone)"."""
        if self.n_pairs == 1:
            return f"{self.verdict.value} ({_p_words(self.p_value)})"
        corrected = f"{_p_words(self.corrected)} corrected for {self.n_pairs:,} pairs by {self.correction}"
        return f"{self.verdict.value} ({corrected}, {_p_words(self.p_value)} alone)"


def _p_words(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def n_pairs_of(n: int) -> int:
    """How many pairs there are of n learners."""
    return n * (n - 1) // 2


def corrected_p(
    p_values: Sequence[float], rest: Sequence[float], n_pairs: int, correction: str = "holm"
) -> list[float]:
    """These p-values corrected for all ``n_pairs`` of a family; what is not among ``rest`` counts as nothing found."""
    family = [*p_values, *rest]
    return CORRECTIONS[correction].corrected([*family, *[1.0] * (n_pairs - len(family))])[: len(p_values)]


def other_p_values(family: Sequence[PartScores], known: Collection[tuple[int, int]]) -> list[float]:
    """p-values of the pairs (i, j), i < j, of a family that are not ``known``.

    Fold by fold where there are enough folds that all were tested on; else, record by record, those of the best of all
    with each other one. None where they were not judged on the same tests.
    """
    try:
        for one in family[1:]:
            check_comparable(family[0].result, one.result)
    except DataError:
        return []
    keys = family[0].keys
    for one in family[1:]:
        keys = np.intersect1d(keys, one.keys)
    if len(keys) < LEAST_PARTS:
        best = int(np.argmax([np.average(one.worth, weights=one.result.weight_array) for one in family]))
        pairs = {(min(best, at), max(best, at)) for at in range(len(family)) if at != best} - set(known)
        return [compared(family[i], family[j]).p_value for i, j in sorted(pairs)]
    accuracy = [one.accuracy[np.searchsorted(one.keys, keys)] for one in family]
    share = float(np.mean([one.test_share for one in family]))
    return [
        paired_t((accuracy[i] - accuracy[j]).round(12), test_share=share).p_value
        for i, j in combinations(range(len(family)), 2)
        if (i, j) not in known
    ]
