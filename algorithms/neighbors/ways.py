"""Fast ways to propose the nearest records, each with a bound below which no other record can be."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.prototypes import Int32Array, Prototypes

Points = tuple[FloatArray, Int32Array]
Checkpoint = Callable[[], None]
Proposed = tuple[NDArray[np.int64], FloatArray]
"""Candidates of each point (b, m), -1 for none, and what the reduced distance of no other record falls below (b,)."""

KINDS: Final = {"manhattan": 1, "gower": 1, "chebyshev": 2, "minkowski": 3}
"""The kind of reduced distance of each distance that is not the square of a Euclidean one (0)."""

_CELLS_OF_A_TREE: Final = 8_000_000
_RECORDS_OF_A_TREE: Final = 500_000
"""Building a tree cannot be stopped: of more records there are several trees, each made in about a second."""
_ASKED_OF_A_TREE: Final = 32
_STRIPES: Final = 8
_CHUNK: Final = 512
"""The products of a block of points with so many records stay in the processor's second cache."""
_MOST_KEPT: Final = 64_000_000
"""So many numbers in single precision are kept beside the records; of more, each block of points makes its own."""
_ENOUGH: Final = 10_000
"""The middle of so many records is near enough to the middle of all: a median, which no record far out can move."""
_FARTHEST: Final = 2.0**55
"""Points so many times farther out than any record are too far for single precision."""


class Way(ABC):
    """Proposes candidates; may be asked from several threads."""

    def order(self, points: Points) -> IntArray:
        """The order in which many points are asked about soonest."""
        return np.arange(len(points[0]))

    @abstractmethod
    def find(self, points: Points, m: int, checkpoint: Checkpoint) -> Proposed:
        """``m`` candidates of each point and their bound, infinite where the candidates are all there is."""


class ByTree(Way):
    """A k-d tree: cells that cannot hold anything near enough are not looked into."""

    def __init__(self, kept: Prototypes, checkpoint: Checkpoint) -> None:
        from scipy.spatial import cKDTree

        kind, n_axes = KINDS.get(kept.distance, 0), kept.numbers.shape[1]
        self._n_records, self._kind = kept.n_records, kind
        self._norm = {0: 2.0, 1: 1.0, 2: np.inf}.get(kind, float(kept.power))
        self._share = n_axes if kept.distance == "gower" else 1
        self._trees = []
        size = min(_RECORDS_OF_A_TREE, max(1, _CELLS_OF_A_TREE // n_axes))
        for first in range(0, kept.n_records, size):
            checkpoint()
            self._trees.append((first, cKDTree(kept.numbers[first : first + size])))

    def order(self, points: Points) -> IntArray:
        """Points that stand together one after the other: they look into the same cells, which are then at hand."""
        numbers = np.nan_to_num(points[0])
        axes = np.argsort(numbers.std(axis=0))[-2:]
        edges = np.arange(1, _STRIPES) / _STRIPES
        stripes = [np.searchsorted(np.quantile(numbers[:, axis], edges), numbers[:, axis]) for axis in axes]
        return np.lexsort(stripes)

    def find(self, points: Points, m: int, checkpoint: Checkpoint) -> Proposed:
        numbers, wanted = points[0], np.arange(1, m + 1)
        near, last = np.empty((len(numbers), m), dtype=np.int64), np.empty(len(numbers))
        for begin in range(0, len(numbers), _ASKED_OF_A_TREE):
            rows = slice(begin, begin + _ASKED_OF_A_TREE)
            parts = []
            for first, tree in self._trees:
                checkpoint()
                gaps, found = map(np.asarray, tree.query(numbers[rows], wanted, p=self._norm))
                parts.append((gaps, np.where(found < tree.n, found + first, -1)))
            gaps, near[rows] = parts[0] if len(parts) == 1 else _nearest_of(parts, m)
            last[rows] = gaps.max(axis=1)
        last *= 1 - 1e-9
        bound = last**2 if self._kind == 0 else last**self._norm if self._kind == 3 else last / self._share
        if m == self._n_records:
            bound = np.full(len(last), np.inf)
        return near, np.ascontiguousarray(bound)


def _nearest_of(parts: list[tuple[FloatArray, IntArray]], m: int) -> tuple[FloatArray, IntArray]:
    """Distances and places of the m nearest of what several trees found."""
    gaps, rows = np.hstack([part[0] for part in parts]), np.hstack([part[1] for part in parts])
    order = np.argpartition(gaps, m - 1, axis=1)[:, :m]
    return np.take_along_axis(gaps, order, axis=1), np.take_along_axis(rows, order, axis=1)


class ByProducts(Way):
    """Blocked products of matrices in single precision, whose rounding is bounded and made good.

    With q a point, x a record and w axes, half the squared distance is ``|q|^2 / 2 + s`` where ``s = |x|^2 / 2 - q.x``
    is a product of w + 1 terms. In single precision, u = 2^-24, its error is at most
    ``g (|q||x| + |x|^2 / 2) <= g (|q|^2 / 2 + |x|^2)`` with ``g = (w + 1 + 3) u`` to first order, the three being the
    roundings of q, x and the half square (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1); g is
    taken twice as large. So each record is written down as nearer than it is by ``g |x|^2``: its score then
    exceeds s by no more than ``g |q|^2 / 2``, however far out other records lie. Numbers are in units of the
    largest, so that what is too small for single precision is known too.
    """

    def __init__(self, kept: Prototypes, n_values: list[int], checkpoint: Checkpoint) -> None:
        self._kept, self._n_values = kept, n_values
        self._width = kept.numbers.shape[1] + sum(n_values)
        self._error = 2.0 * (self._width + 4) * 2.0**-24
        self._centre = np.median(kept.numbers[:: 1 + kept.n_records // _ENOUGH], axis=0)
        low, high = kept.numbers.min(axis=0, initial=np.inf), kept.numbers.max(axis=0, initial=-np.inf)
        largest = float(np.maximum(high - self._centre, self._centre - low).max(initial=1.0 if sum(n_values) else 0.0))
        exponent = float(np.ceil(np.log2(largest))) if largest > 0 else 0.0
        self._unit = 2.0 ** -min(max(exponent, -400.0), 400.0)
        self._records: NDArray[np.float32] | None = None
        if kept.n_records * (self._width + 1) <= _MOST_KEPT:
            self._records = np.empty((kept.n_records, self._width + 1), dtype=np.float32)
            for first in range(0, kept.n_records, 16 * _CHUNK):
                checkpoint()
                self._records[first : first + 16 * _CHUNK] = self._written(first, 16 * _CHUNK)

    def find(self, points: Points, m: int, checkpoint: Checkpoint) -> Proposed:
        from algorithms.neighbors.search_kernels import keep_smallest

        n, b = self._kept.n_records, len(points[0])
        asked = np.ones((b, self._width + 1), dtype=np.float32)
        far = np.abs(points[0] - self._centre).max(axis=1, initial=0.0) * self._unit > _FARTHEST
        self._embed((np.where(far[:, None], self._centre, points[0]), points[1]), asked)
        heap, rows = np.full((b, m), np.inf, dtype=np.float32), np.full((b, m), -1, dtype=np.int64)
        room = np.empty((b, _CHUNK), dtype=np.float32)
        for first in range(0, n, _CHUNK):
            checkpoint()
            records = self._written(first, _CHUNK) if self._records is None else self._records[first : first + _CHUNK]
            scores = room if len(records) == _CHUNK else np.empty((b, len(records)), dtype=np.float32)
            np.matmul(asked, records.T, out=scores)
            keep_smallest(scores, first, heap, rows)
        squares = np.einsum("ij,ij->i", asked[:, :-1], asked[:, :-1], dtype=np.float64)
        lost = 8 * (self._width + 1) * 2.0**-126 * (1 + np.sqrt(squares))
        bound = (2 * heap[:, 0].astype(np.float64) + squares * (1 - self._error) - lost) / self._unit**2
        bound[far] = -np.inf
        return rows, np.full(b, np.inf) if m == n else bound

    def _written(self, first: int, count: int) -> NDArray[np.float32]:
        """Some records as the products take them: their places turned round, and half their square, made smaller."""
        rows = slice(first, first + count)
        numbers, codes = self._kept.numbers[rows], self._kept.codes[rows]
        found = np.empty((len(numbers), self._width + 1), dtype=np.float32)
        self._embed((numbers, codes), found)
        squares = np.einsum("ij,ij->i", found[:, :-1], found[:, :-1], dtype=np.float64)
        np.negative(found, out=found)
        found[:, -1] = 0.5 * squares * (1 - 2 * self._error)
        return found

    def _embed(self, points: Points, found: NDArray[np.float32]) -> None:
        """Points whose squared Euclidean distance is the reduced one: half a unit's square each for two values."""
        at = points[0].shape[1]
        found[:, :at] = (points[0] - self._centre) * self._unit
        for column, n_values in enumerate(self._n_values):
            same = points[1][:, column, None] == np.arange(n_values)
            found[:, at : at + n_values] = same * (np.sqrt(0.5) * self._unit)
            at += n_values


class Ways:
    """The ways that were made for some records, each once."""

    def __init__(self, kept: Prototypes, n_values: list[int]) -> None:
        self._kept, self._n_values = kept, n_values
        self._lock = threading.Lock()
        self._made: dict[str, Way] = {}

    @property
    def made(self) -> list[str]:
        """The names of those that are there already."""
        return list(self._made)

    def of(self, name: str, checkpoint: Checkpoint) -> Way:
        """The way of this name, ``tree`` or ``products``, made where it is not there."""
        with self._lock:
            if name not in self._made:
                is_tree = name == "tree"
                self._made[name] = (
                    ByTree(self._kept, checkpoint) if is_tree else ByProducts(self._kept, self._n_values, checkpoint)
                )
            return self._made[name]
