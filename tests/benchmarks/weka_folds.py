"""The folds of a cross-validation as Weka deals them: Java's random numbers, its shuffle and its stratification.

On the very same folds two implementations of one algorithm can be compared without the noise of the folds. Sources: the
documentation of java.util.Random (a linear congruential generator of 48 bits) and of Weka's ``Instances``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.resampling import Method, Split
from algorithms.data.dataset import Dataset

_FACTOR, _STEP, _MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1


class JavaRandom:
    """java.util.Random with a seed."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _FACTOR) & _MASK

    def _next_31(self) -> int:
        self._state = (self._state * _FACTOR + _STEP) & _MASK
        return self._state >> 17

    def below(self, bound: int) -> int:
        """A whole number from 0 up to but without the bound."""
        if bound & (bound - 1) == 0:
            return (bound * self._next_31()) >> 31
        while True:
            bits = self._next_31()
            value = bits % bound
            if bits - value + bound - 1 < 1 << 31:
                return value

    def shuffle(self, rows: NDArray[np.int64]) -> None:
        """Put the rows in another order, in place, from the last to the second."""
        for j in range(len(rows) - 1, 0, -1):
            other = self.below(j + 1)
            rows[j], rows[other] = rows[other], rows[j]


def _by_class(rows: NDArray[np.int64], classes: NDArray[np.int64]) -> None:
    """Bring rows of the same class together, in place, by exchanging each with the next that is not yet there."""
    place = 1
    while place < len(rows):
        wanted = classes[rows[place - 1]]
        for j in range(place, len(rows)):
            if classes[rows[j]] == wanted:
                rows[place], rows[j] = rows[j], rows[place]
                place += 1
        place += 1


def weka_folds(
    classes: NDArray[np.int64], n_folds: int = 10, seed: int = 1
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The training rows, in the order in which Weka hands them over, and the tested rows of each fold."""
    random, n = JavaRandom(seed), len(classes)
    rows = np.arange(n)
    random.shuffle(rows)
    _by_class(rows, classes)
    rows = np.concatenate([rows[first::n_folds] for first in range(n_folds)])
    for fold in range(n_folds):
        size = n // n_folds + (fold < n % n_folds)
        first = fold * (n // n_folds) + min(fold, n % n_folds)
        training = np.concatenate([rows[:first], rows[first + size :]])
        random.shuffle(training)
        yield training, rows[first : first + size]


@dataclass(frozen=True, kw_only=True)
class WekaFolds(Method):
    """Stratified ten-fold cross-validation with the folds that Weka deals for its seed 1."""

    id: ClassVar[str] = "weka-folds"
    name: ClassVar[str] = "Weka's folds"
    sentence: ClassVar[str] = "Stratified ten-fold cross-validation as Weka deals it."

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        parts = weka_folds(data.class_codes.astype(np.int64))
        return [Split(np.sort(training), np.sort(tested), 0, fold) for fold, (training, tested) in enumerate(parts)]

    def described(self) -> str:
        return "Weka's 10 folds"

    def remarks(self, data: Dataset) -> list[str]:
        return []
