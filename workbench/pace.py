"""How long work will still take, judged by how fast it went; nothing where that would be a guess."""

from __future__ import annotations

from typing import Final

LEAST_SHARE: Final = 0.02
LEAST_SECONDS: Final = 0.3
"""Of less than these nothing can be foretold."""


class Pace:
    """Of work that began at ``now`` (seconds by any clock that only goes forward).

    What it spends waiting for something else is no part of its pace. Where the time that was foretold has run out and
    the work stands where it stood, nothing is foretold until it goes on.
    """

    def __init__(self, now: float) -> None:
        self.is_waiting = False
        self._seen = now
        self._worked = 0.0
        """Seconds until :attr:`_seen` in which it did not wait."""
        self._share = 0.0
        self._since_moved = 0.0
        self._left: float | None = None

    def seconds_left(self, share: float, now: float, is_waiting: bool) -> float | None:
        """Seconds from ``now`` to the end, with ``share`` (0 to 1, below 0 for unknown) of the work done."""
        passed, self._seen = now - self._seen, now
        if not self.is_waiting:
            self._worked += passed
            self._since_moved += passed
        self.is_waiting = is_waiting
        if share != self._share:
            self._share, self._since_moved = share, 0.0
            is_known = share > LEAST_SHARE and self._worked > LEAST_SECONDS
            self._left = self._worked * (1 - share) / share if is_known else None
        if is_waiting or self._left is None or self._since_moved > self._left:
            return None
        return self._left - self._since_moved
