"""Methods of splitting records into training and test parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.data import Dataset, IntArray
from algorithms.core.params import Configurable


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the training and the test records of one fold. ``test`` is None where a file of its own is tested."""

    train: IntArray
    test: IntArray | None
    repeat: int
    fold: int


@dataclass(frozen=True, kw_only=True)
class Method(Configurable, ABC):
    """A way of judging a learner (a frozen dataclass; see :mod:`algorithms.core.params`)."""

    honest: ClassVar[bool] = True
    """False where records are tested that were trained on."""

    @abstractmethod
    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        """The folds for this data; raises :class:`DataError` where there are too few records."""

    @abstractmethod
    def described(self) -> str:
        """In a few words for the ledger: "10 folds", "34% held out"."""
