"""Rows of the kernel that are kept in memory up to a bound, those used last the longest."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.svm.similarity import Points

EXACT_UP_TO: Final = 3000
"""Up to so many records the kernel is kept in double precision."""
_FIRST_CELLS: Final = 5_000_000
_AT_HAND: Final = 40_000


class Rows:
    """The rows (c, n) of the kernel of n points, of which at most ``megabytes`` are kept.

    ``slot`` (n,) says where a record's row is, -1 where it is not kept; ``stamp`` (c,) when a row was last used. Memory
    that was never written to costs more than a row that is worked out twice, and most rows are wanted once, for the
    two steps that take a multiplier to its bound. So there are few places at first, and more only when a row is wanted
    that was there before: at most as many rows are worked out again as there are places in the end.
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
        self._was_kept = np.zeros(n, dtype=np.bool_)
        self._used = 0
        self._open = min(capacity, max(2, _FIRST_CELLS // max(1, n)))

    def fetch(self, wanted: int, clock: int, likely: NDArray[np.int64]) -> None:
        """Work out the row of a record, and with it those of others that are likely to be wanted (positions, -1 for
        none) as far as there is room: several at once take little longer than one.

        Where there is no room the rows that were not used for longest make it.
        """
        others = dict.fromkeys(r for r in likely.tolist() if r >= 0 and r != wanted)
        new = np.array([wanted, *others])
        places = self._places(len(new), again=bool(self._was_kept[wanted]))
        new = new[: len(places)]
        self._work_out(new, places)
        self.owner[places], self.slot[new], self.stamp[places] = new, places, clock
        self._was_kept[new] = True

    def _places(self, m: int, *, again: bool) -> NDArray[np.int64]:
        """Up to m places for rows, one at least: unused ones, else those not used for longest."""
        if again and self._used == self._open:
            self._open = min(len(self.owner), self._open + m)
        if self._used < self._open:
            places = np.arange(self._used, min(self._used + m, self._open))
            self._used += len(places)
            return places
        m = max(1, min(m, self._open // 2))
        places = np.argpartition(self.stamp[: self._open], m - 1)[:m]
        self.slot[self.owner[places]] = -1
        return places

    def _work_out(self, new: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        """The rows of some records, into their places: so many columns at once as the processor holds at hand."""
        left = self.points.left[new]
        step = max(256, _AT_HAND // len(new))
        for at in range(0, len(self.points), step):
            self.table[places, at : at + step] = self.points.rows(left, slice(at, at + step))
        self.table[places, new] = self.diagonal[new]

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
        self._open = min(len(self.owner), max(self._open, self._used))
        self._was_kept[self.owner[: self._used]] = True
