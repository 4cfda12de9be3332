"""The best conditions that can be added to a rule; :mod:`algorithms.rules.condition_kernels` weighs them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.rules.measures import MEASURES, Ground
from algorithms.rules.ranked import Ranked, Words

KERNELS: Final = (
    "algorithms.rules.tally_kernels",
    "algorithms.rules.growing_kernels",
    "algorithms.rules.condition_kernels",
)

_WORDS_AT_ONCE: Final = 1 << 22
"""So many values are weighed between two looks at whether to stop."""

_MOST_KEPT: Final = 1 << 22
"""Of a rule that covers so many values at most, their orders are kept for the rules that come of it."""

NOTHING_NEEDED: Final = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Ordered:
    """Some records in the order of each predictor: ``words`` (d, n), of which the first ``sizes`` (d,) are known."""

    words: Words = field(repr=False)
    sizes: IntArray


class Weigher:
    """Weighs conditions among the records that :meth:`begin` names."""

    def __init__(self, ranked: Ranked, measure: str, m: float, least: float, checkpoint: Callable[[], None]) -> None:
        from algorithms.rules.condition_kernels import fill_logs

        self._ranked, self._checkpoint = ranked, checkpoint
        self._measure, self._m, self._least = list(MEASURES).index(measure), m, least
        self._logs = np.zeros(ranked.n_records + 2 if len(ranked.weights) == 0 else 0)
        fill_logs(self._logs)
        self._role = np.zeros((ranked.n_records + 3) // 4, dtype=np.uint8)
        self._never_stops = np.zeros(3, dtype=np.int64)
        self._all = Ordered(ranked.words, ranked.known.astype(np.int64))

    def begin(self, rows: IntArray) -> Ordered:
        """These records in order."""
        return self.narrowed(self._all, rows)

    def narrowed(self, source: Ordered, rows: IntArray) -> Ordered:
        """Some of the records of ``source`` in order."""
        from algorithms.rules.growing_kernels import compact

        if len(rows) == self._ranked.n_records:
            return self._all
        self._checkpoint()
        sizes = source.sizes.copy()
        room = np.empty((len(sizes), len(rows)), dtype=np.uint64)
        compact(source.words, sizes, rows.astype(np.int32), self._role, room, self._never_stops)
        return Ordered(room, sizes)

    @staticmethod
    def is_worth_keeping(ordered: Ordered) -> bool:
        """Whether there is room to keep it."""
        return ordered.words.size <= _MOST_KEPT

    def best(
        self, ordered: Ordered, whole: float, ground: Ground, beam: int, needed: FloatArray = NOTHING_NEEDED
    ) -> FloatArray:
        """The best conditions (d, 2, beam, 4) among records of weight ``whole``, on each side of each predictor, that
        leave as much of a class as is ``needed`` (k,) of it.

        Each is (worth, weight covered, lowest, highest rank); of no worth, far below any, where there are fewer.
        """
        from algorithms.rules.condition_kernels import Judge, weigh

        ranked, words = self._ranked, ordered.words
        target = -1 if ground.target is None else ground.target
        judge = Judge(ground.counts, target, self._measure, self._m, self._least, self._logs, needed)
        d = len(ordered.sizes)
        found = np.empty((d, 2, beam, 4))
        step = max(1, _WORDS_AT_ONCE // max(1, words.shape[1]))
        for first in range(0, d, step):
            self._checkpoint()
            last = min(first + step, d)
            listed, codes, weights = ranked.is_listed, ranked.codes, ranked.weights
            weigh(words, ordered.sizes, first, last, listed, codes, weights, whole, judge, found)
        return found


def is_condition(found: FloatArray) -> NDArray[np.bool_]:
    """Which of the conditions (..., 4) that were found are any."""
    from algorithms.rules.condition_kernels import NOTHING

    return np.asarray(found[..., 0] > NOTHING)
