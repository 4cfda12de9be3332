"""Counting the votes of members over their own training records while they come, in the order of the members."""

from __future__ import annotations

import threading
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.members import Committee

NEAR: Final = 1e-12
"""Sums of votes that differ by less, relative to the larger, are a tie."""

Mask = NDArray[np.bool_]


def heaviest(sums: FloatArray, order: FloatArray) -> NDArray[np.int32]:
    """The class with most votes in each row (n,); of equal ones that with the highest place in ``order`` (k,)."""
    most = sums[:, 0].copy()
    for code in range(1, sums.shape[1]):
        np.maximum(most, sums[:, code], out=most)
    bar = most * (1 - NEAR)
    found: NDArray[np.int32] = np.zeros(len(sums), dtype=np.int32)
    for code in np.argsort(order, kind="stable").tolist():
        np.copyto(found, code, where=sums[:, code] >= bar)
    return found


def places(class_weights: FloatArray) -> FloatArray:
    """The place of each class (k,) by its weight in training: the heaviest has the highest, of equal ones the first."""
    found = np.empty(len(class_weights))
    found[np.argsort(-class_weights, kind="stable")] = np.arange(len(class_weights), 0, -1)
    return found


class Tally:
    """The sums of votes on n training records, over all members and over those that did not learn from the record.

    Members may come in any order and from any thread; each waits until those before it have been counted, so that
    sums and errors are the same on any number of threads.
    """

    def __init__(self, data: Dataset, class_weights: FloatArray) -> None:
        n, k = len(data), len(data.schema.classes)
        self._truth = data.class_codes.astype(np.int32)
        self._weight = data.weight_array
        self._order = places(class_weights)
        self._all, self._outside = np.zeros((n, k)), np.zeros((n, k))
        self._voted = np.zeros(n, dtype=np.bool_)
        self._wrong = np.zeros(n, dtype=np.bool_)
        self._training: list[float] = []
        self._out_of_bag: list[float] = []
        self._waiting: dict[int, tuple[FloatArray, Mask] | None] = {}
        self._next = 0
        self._lock = threading.Lock()

    def count(self, member: int, votes: FloatArray, outside: Mask) -> None:
        """Count the votes (n, k) of a member, ``outside`` (n,) being the records it did not learn from."""
        self._put(member, (votes, outside))

    def leave_out(self, member: int) -> None:
        """There is no such member."""
        self._put(member, None)

    def _put(self, member: int, given: tuple[FloatArray, Mask] | None) -> None:
        with self._lock:
            self._waiting[member] = given
            while self._next in self._waiting:
                ready = self._waiting.pop(self._next)
                self._next += 1
                if ready is not None:
                    self._add(*ready)

    def _add(self, votes: FloatArray, outside: Mask) -> None:
        self._all += votes
        wrong = heaviest(self._all, self._order) != self._truth
        total = max(float(self._weight.sum()), 1e-300)
        self._training.append(float(self._weight[wrong].sum()) / total)
        rows = np.flatnonzero(outside)
        self._outside[rows] += votes[rows]
        self._voted[rows] = True
        self._wrong[rows] = heaviest(self._outside[rows], self._order) != self._truth[rows]
        tested = float(self._weight[self._voted].sum())
        self._out_of_bag.append(float(self._weight[self._wrong].sum()) / tested if tested > 0 else float("nan"))

    def committee(self, **more: Any) -> Committee:
        """What was found, with more that is known of the members."""
        return Committee(
            training_error=np.array(self._training),
            out_of_bag_error=np.array(self._out_of_bag),
            tested=float(self._weight[self._voted].sum()),
            **more,
        )
