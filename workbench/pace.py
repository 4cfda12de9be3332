"""How long work will still take, judged by how fast it went; nothing where that would be a guess."""

from __future__ import annotations

from math import exp
from typing import Final

LEAST_SHARE: Final = 0.02
LEAST_SECONDS: Final = 0.3
"""Of less than these nothing can be foretold."""
SETTLES_IN: Final = 0.25
"""What is foretold follows a change of pace within about this share of the time that is left, ..."""
LEAST_TO_SETTLE: Final = 3.0
"""... and in no less than about so many seconds."""


class Pace:
    """Of work that began at ``now`` (seconds by any clock that only goes forward).

    Parts go at different paces: what is foretold goes from what it was towards what the latest part tells, and neither
    jumps nor goes up and down with each. What it spends waiting for something else is no part of its pace. Where the
    time that was foretold has run out and the work stands where it stood, nothing is foretold until it goes on.
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
            is_known = share > LEAST_SHARE and self._worked > LEAST_SECONDS
            self._left = self._settled(self._worked * (1 - share) / share) if is_known else None
            self._share, self._since_moved = share, 0.0
        if is_waiting or self._left is None or self._since_moved > self._left:
            return None
        return self._left - self._since_moved

    def _settled(self, told: float) -> float:
        """Seconds left, where the pace by now tells this many: part of the way there from what was foretold."""
        expected = 0.0 if self._left is None else self._left - self._since_moved
        if expected <= 0:
            return told
        trust = 1 - exp(-self._since_moved / max(LEAST_TO_SETTLE, SETTLES_IN * told))
        return expected + trust * (told - expected)
