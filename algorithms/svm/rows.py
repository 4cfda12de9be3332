"""Rows of the kernel that are kept in memory up to a bound, those used last the longest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.svm.similarity import Points

EXACT_UP_TO = 3000
"""Up to so many records the kernel is kept in double precision."""


class Rows:
    """The rows (c, n) of the kernel of n points, of which at most ``megabytes`` are kept.

    ``slot`` (n,) says where a record's row is, -1 where it is not kept; ``stamp`` (c,) when a row was last used.
    """

    def __init__(self, points: Points, diagonal: FloatArray, megabytes: float) -> None:
        self.points, self.diagonal = points, diagonal
        n = len(points)
        kept = np.float64 if n <= EXACT_UP_TO else np.float32
        room = int(megabytes * 1e6) // np.dtype(kept).itemsize
        self._room: Any = np.empty(max(2 * n, min(n * n, room)), dtype=kept)
        self._lay_out(n)

    def _lay_out(self, n: int) -> None:
        capacity = max(2, min(n, len(self._room) // max(1, n)))
        self.table: Any = self._room[: capacity * n].reshape(capacity, n)
        self.slot = np.full(n, -1, dtype=np.int32)
        self.owner = np.full(capacity, -1, dtype=np.int32)
        self.stamp = np.zeros(capacity, dtype=np.int64)
        self._used = 0

    def fetch(self, wanted: int, clock: int, likely: NDArray[np.int64]) -> None:
        """Work out the row of a record, and with it those of others that are likely to be wanted (positions, -1 for
        none) as far as there is room: several at once take little longer than one.

        Where there is no room the row that was not used for longest makes it.
        """
        if self._used < len(self.owner):
            others = dict.fromkeys(r for r in likely.tolist() if r >= 0 and r != wanted)
            new = [wanted, *others][: len(self.owner) - self._used]
            place = self._used
            self._used += len(new)
        else:
            new, place = [wanted], int(np.argmin(self.stamp))
            self.slot[self.owner[place]] = -1
        places = range(place, place + len(new))
        self.points.rows(self.points.left[new], self.table[place : place + len(new)])
        self.table[places, new] = self.diagonal[new]
        self.owner[place : place + len(new)], self.slot[new] = new, places
        self.stamp[place : place + len(new)] = clock

    def keep(self, chosen: Any) -> None:
        """Only these records (positions, ascending) count from now on; their rows are kept as far as they are known."""
        old, owners, stamps, used = self.table, self.owner, self.stamp, self._used
        new_place = np.full(len(self.points), -1, dtype=np.int32)
        new_place[chosen] = np.arange(len(chosen))
        self.points, self.diagonal = self.points.take(chosen), self.diagonal[chosen]
        self._lay_out(len(chosen))
        for place in range(used):  # each row becomes shorter, so that none is written over before it was read
            owner = new_place[owners[place]]
            if owner >= 0 and self._used < len(self.owner):
                self.table[self._used] = old[place, chosen]
                self.owner[self._used], self.slot[owner], self.stamp[self._used] = owner, self._used, stamps[place]
                self._used += 1
