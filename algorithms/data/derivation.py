"""What many learners need from the same data, computed once and kept with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from algorithms.data.columns import IntArray

if TYPE_CHECKING:
    from algorithms.data.dataset import Dataset

T = TypeVar("T")


@dataclass(frozen=True)
class Derivation(Generic[T]):
    """Something many learners need from the same data, computed once and kept with it.

    ``compute(data, checkpoint)`` makes it; ``checkpoint()`` is to be called every few milliseconds and raises when
    the run is stopped. ``take(value, parent, rows)``, where given, derives the value for ``parent.take(rows)`` (rows
    may repeat) from the parent's value at less cost. ``uses_weights`` keeps it from being shared by ``with_weights``.
    """

    name: str
    compute: Callable[[Dataset, Callable[[], None]], T]
    take: Callable[[T, Dataset, IntArray], T] | None = None
    uses_weights: bool = False


def no_checkpoint() -> None:
    """Nobody can stop this."""


class DerivationCache:
    """The derivations of one data set that were asked for so far."""

    def __init__(self) -> None:
        self._values: dict[Derivation[Any], Any] = {}
        self._lock = threading.Lock()
        self._locks: dict[Derivation[Any], threading.Lock] = {}

    def __contains__(self, derivation: Derivation[Any]) -> bool:
        return derivation in self._values

    def __getitem__(self, derivation: Derivation[T]) -> T:
        return cast(T, self._values[derivation])

    def get(self, derivation: Derivation[T], derive: Callable[[], T], checkpoint: Callable[[], None]) -> T:
        """The derivation's value, made by ``derive`` where there is none yet.

        Several threads may ask at once: one computes, the others wait, and each of them can be stopped.
        """
        found = self._values.get(derivation)
        if found is not None:
            return cast(T, found)
        with self._lock:
            lock = self._locks.setdefault(derivation, threading.Lock())
        while not lock.acquire(timeout=0.02):
            checkpoint()
        try:
            if derivation not in self._values:
                self._values[derivation] = derive()
            return cast(T, self._values[derivation])
        finally:
            lock.release()
