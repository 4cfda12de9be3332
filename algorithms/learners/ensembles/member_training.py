"""Training of ensemble members: shared parameters, bootstrap samples, parallel training, vote sums."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import Cancelled
from algorithms.core.resampling import originals
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset, Derivation
from algorithms.structures.members import Committee


def weighty(data: Dataset) -> Dataset:
    """Records of positive weight, or all if none has any; without weights if all are 1."""
    if data.weights is None or not data.weights.any():
        return data
    data = data.without_weightless()
    return data.with_weights(None) if np.all(data.weight_array == 1) else data


def drawn_rows(weights: FloatArray | None, n: int, size: int, random: np.random.Generator) -> IntArray:
    """``size`` of n positions drawn with replacement, by weights (n,) or uniformly, in ascending order."""
    if weights is None or not weights.any():
        drawn = random.integers(0, n, size)
    else:
        ends = np.cumsum(weights)
        drawn = np.minimum(np.searchsorted(ends, random.random(size) * ends[-1], side="right"), n - 1)
    return np.repeat(np.arange(n), np.bincount(drawn, minlength=n))


def sample_of(data: Dataset, rows: IntArray) -> Dataset:
    """Records at these positions, each with the mean weight of the data."""
    drawn = data.take(rows)
    if data.weights is None:
        return drawn
    return drawn.with_weights(np.full(len(rows), float(data.weights.mean())))


def counted(data: Dataset, rows: IntArray) -> Dataset:
    """As :func:`sample_of`, with multiplicities as weights: without copies, with orders and bins of the data."""
    times = np.bincount(rows, minlength=len(data)).astype(np.float64)
    weights = times if data.weights is None else times * float(data.weights.mean())
    return data.with_weights(weights, as_sample=True)


class OutOfBag:
    """Out-of-bag records: real records of which a sample contains neither the record nor a copy."""

    def __init__(self, data: Dataset) -> None:
        _, of = originals(data)
        self._real, self._of = of >= 0, of
        self._n = int(of.max(initial=-1)) + 1

    def of(self, rows: IntArray) -> NDArray[np.bool_]:
        """Mask (n,) of the records out of bag for a sample of these rows."""
        seen = np.zeros(self._n + 1, dtype=np.bool_)
        seen[self._of[rows]] = True
        return np.asarray(self._real & ~seen[self._of])


OUT_OF_BAG: Final = Derivation("out of bag", lambda data, _checkpoint: OutOfBag(data))
"""The :class:`OutOfBag` of data: the members that a worker trains share it."""

R = TypeVar("R")


def side_by_side(
    make: Callable[[int, RunContext], R], n: int, context: RunContext, left_out: Callable[[int], object] = int
) -> list[R]:
    """Results of ``make(i, context)`` for n members on threads or workers of the context, in order.

    ``make`` does the work of a member by :meth:`RunContext.call`, so that a worker may do it. An early finish keeps the
    completed members, or a partial first one. ``left_out`` is called in the thread of a member that is left out, with
    its number.
    """

    def one(i: int) -> R | None:
        part = context.child(1 / n, i, finish_cancels=True)
        try:
            return make(i, part)
        except Cancelled:
            context.checkpoint()
        finally:
            part.complete()
        left_out(i)
        return None

    results = [result for result in context.spread(one, range(n)) if result is not None]
    return results or [make(0, context.child(1.0, 0))]


NEAR: Final = 1e-12
"""Relative difference below which sums of votes are tied."""

Mask = NDArray[np.bool_]


def heaviest(sums: FloatArray, order: FloatArray) -> NDArray[np.int32]:
    """Class with the most votes in each row (n,); ties go to the highest rank in ``order`` (k,)."""
    most = sums[:, 0].copy()
    for code in range(1, sums.shape[1]):
        np.maximum(most, sums[:, code], out=most)
    bar = most * (1 - NEAR)
    decisions: NDArray[np.int32] = np.zeros(len(sums), dtype=np.int32)
    for code in np.argsort(order, kind="stable").tolist():
        np.copyto(decisions, code, where=sums[:, code] >= bar)
    return decisions


def places(class_weights: FloatArray) -> FloatArray:
    """Rank of each class (k,) by its weight in training: the heaviest class has the highest, of equals the first."""
    result = np.empty(len(class_weights))
    result[np.argsort(-class_weights, kind="stable")] = np.arange(len(class_weights), 0, -1)
    return result


class VoteSums:
    """Vote sums on n records, over all members and those out of bag, in member order for any number of threads."""

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
        self._share: list[float] = []
        self._waiting: dict[int, tuple[FloatArray, Mask] | None] = {}
        self._next = 0
        self._lock = threading.Lock()

    def count(self, member: int, votes: tuple[FloatArray, Mask] | None = None) -> None:
        """Count the votes (n, k) of a member, with its out-of-bag records (n,); None for a member that is left out."""
        with self._lock:
            self._waiting[member] = votes
            while self._next in self._waiting:
                ready = self._waiting.pop(self._next)
                self._next += 1
                if ready is not None:
                    self._add(*ready)

    def _add(self, votes: FloatArray, outside: Mask) -> None:
        self._all += votes
        wrong = heaviest(self._all, self._order) != self._truth
        whole = max(float(self._weight.sum()), 1e-300)
        self._training.append(float(self._weight[wrong].sum()) / whole)
        rows = np.flatnonzero(outside)
        self._outside[rows] += votes[rows]
        self._voted[rows] = True
        self._wrong[rows] = heaviest(self._outside[rows], self._order) != self._truth[rows]
        tested = float(self._weight[self._voted].sum())
        self._share.append(tested / whole)
        self._out_of_bag.append(float(self._weight[self._wrong].sum()) / tested if tested > 0 else float("nan"))

    def committee(self, **more: Any) -> Committee:
        return Committee(
            training_error=np.array(self._training),
            out_of_bag_error=np.array(self._out_of_bag),
            out_of_bag_share=np.array(self._share),
            tested=float(self._weight[self._voted].sum()),
            **more,
        )
