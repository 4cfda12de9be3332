"""What was found out about the tested records of a run beside those that trained it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from algorithms.core.columns import IntArray

if TYPE_CHECKING:
    from algorithms.evaluation.drift import Drift
    from algorithms.evaluation.giveaway import Giveaway

LEAST_TWINS: Final = 0.01
LEAST_SHARED: Final = 0.01
"""A smaller share of copies is not worth a word."""


@dataclass(frozen=True, eq=False)
class Twins:
    """The share of a run's tested records with an exact copy in training, and the first record of each kind.

    ``by_chance`` is the share to be expected of how often each value occurs; ``natural`` where that explains it.
    """

    share: float
    by_chance: float
    natural: bool
    first_rows: IntArray


@dataclass(frozen=True, eq=False)
class Overlap:
    """The share of a test file's records that also train, and the training rows that the file does not have.

    ``by_chance`` and ``natural`` as with :class:`Twins`.
    """

    share: float
    by_chance: float
    natural: bool
    other_rows: IntArray


@dataclass(frozen=True, eq=False)
class RunChecks:
    """What was found out about a run; None and nothing where there is nothing to say."""

    twins: Twins | None = None
    overlap: Overlap | None = None
    drifts: tuple[Drift, ...] = ()
    giveaways: tuple[Giveaway, ...] = ()
    """Columns that the run learned from and that alone predict the class."""


NOTHING: Final = RunChecks()
