"""What the job that tries several learners tells the window of each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from algorithms.core.context import RunContext
    from algorithms.core.trained import TrainedClassifier


@dataclass(frozen=True, eq=False)
class Begun:
    """An entry's turn came ``at`` this moment of the monotonic clock: the window may hear of it much later.

    Who cancels ``part`` skips the entry.
    """

    key: int
    at: float
    part: RunContext


@dataclass(frozen=True, eq=False)
class Told:
    """What an entry's run published."""

    key: int
    event: object


@dataclass(frozen=True, eq=False)
class Trained:
    key: int
    trained: TrainedClassifier
    seconds: float


@dataclass(frozen=True, eq=False)
class Failed:
    """``error`` is None where the trial was finished before a single fold was judged."""

    key: int
    error: Exception | None
    seconds: float


@dataclass(frozen=True, eq=False)
class Skipped:
    """A person skipped the entry, or ``is_late``: it took longer than the time limit."""

    key: int
    is_late: bool
    seconds: float
