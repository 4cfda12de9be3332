"""Designs that are mostly zeros, as long lists of values make them: a record costs its attributes, not its terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.design_matrix import DesignMatrix
from algorithms.structures.terms import FARTHEST, IS_NUMBER, Terms

FEWEST_TERMS: Final = 64
TERMS_A_NUMBER: Final = 8
"""A design is sparse where it has so many terms at least for each number that is not zero."""
_BLOCK: Final = 16_384
_KEPT: Final = 16_000_000
"""Numbers that are not zero and are kept in memory; of more each block is made anew in each pass."""


@dataclass(frozen=True, eq=False)
class DenseBlock:
    """Some records as rows of numbers ``x`` (t + 1, b)."""

    x: FloatArray

    def scores(self, theta: FloatArray) -> FloatArray:
        """The weighed sums (r, b) under coefficients (r, t + 1)."""
        return np.asarray(theta @ self.x)

    def gradient(self, residual: FloatArray) -> FloatArray:
        """The sums (r, t + 1) of all numbers, each record times a residual (r, b)."""
        return np.asarray(residual @ self.x.T)

    def products(self, root: FloatArray) -> FloatArray:
        """The sums (t + 1, t + 1) of products of each two numbers, each record times ``root`` (b,) squared."""
        scaled = self.x * root
        return np.asarray(scaled @ scaled.T)  # of a matrix with itself half is computed


@dataclass(frozen=True, eq=False)
class SparseBlock:
    """The same of records whose numbers are ``raw`` (b, t + 1; sparse) times ``scale``, less ``shift`` (t + 1,)."""

    raw: Any
    scale: FloatArray
    shift: FloatArray

    def scores(self, theta: FloatArray) -> FloatArray:
        return np.asarray((self.raw @ (theta * self.scale).T).T - (theta @ self.shift)[:, None])

    def gradient(self, residual: FloatArray) -> FloatArray:
        sums = (self.raw.T @ residual.T).T * self.scale
        return np.asarray(sums - residual.sum(axis=1)[:, None] * self.shift)

    def products(self, root: FloatArray) -> FloatArray:
        weight = root * root
        found = (self.raw.T @ self.raw.multiply(weight[:, None]).tocsr()).toarray()
        found *= self.scale
        found *= self.scale[:, None]
        across = np.outer((self.raw.T @ weight) * self.scale, self.shift)
        found -= across
        found -= across.T
        return np.asarray(found + float(weight.sum()) * np.outer(self.shift, self.shift))


class SparseDesign:
    """As :class:`algorithms.learners.design_matrix.DesignMatrix`, in sparse blocks."""

    def __init__(self, data: Dataset, terms: Terms, *, from_zero: bool = False) -> None:
        self._data, self.terms, self._from_zero = data, terms, from_zero
        self._numbers = terms.value == IS_NUMBER
        scaled = terms.centre / terms.unit
        shift = np.where(self._numbers, -scaled if from_zero else 0.0, 0.0 if from_zero else scaled)
        self._shift = np.append(shift, 0.0)
        self._scale = np.append(np.where(self._numbers, 1.0, 1.0 / terms.unit), 1.0)
        keeps = len(data) * numbers_of_a_record(terms) <= _KEPT
        self._kept: dict[int, SparseBlock] | None = {} if keeps else None

    def rows(self, start: int) -> slice:
        """The records of the block that starts here."""
        return slice(start, min(start + _BLOCK, len(self._data)))

    def chunks(self) -> list[range]:
        """The starts of all blocks, one at a time."""
        return [range(at, at + 1) for at in range(0, len(self._data), _BLOCK)]

    def block(self, start: int) -> SparseBlock:
        """The numbers of the records of a block."""
        found = None if self._kept is None else self._kept.get(start)
        if found is None:
            found = SparseBlock(self._raw(self.rows(start)), self._scale, self._shift)
            if self._kept is not None:
                self._kept[start] = found
        return found

    def _raw(self, rows: slice) -> Any:
        from scipy.sparse import coo_array  # late: a list of learners needs none of it

        b, terms = rows.stop - rows.start, self.terms
        each, places, records, values = np.arange(b), [], [], []
        numeric = np.flatnonzero(self._numbers)
        if len(numeric):
            dense = terms.chosen(self._numbers).of(self._data, rows)
            places.append(np.repeat(numeric, b))
            records.append(np.tile(each, len(numeric)))
            values.append(dense.ravel())
        for index in np.unique(terms.attribute[~self._numbers]).tolist():
            own = np.flatnonzero((terms.attribute == index) & ~self._numbers)
            place = np.full(len(terms.schema.attributes[index].values) + 1, -1)  # the last for what is missing
            place[terms.value[own]] = own
            hit = place[np.asarray(self._data.column(index)[rows], dtype=np.int64)]
            places.append(hit[hit >= 0])
            records.append(each[hit >= 0])
            values.append(np.ones(int(np.count_nonzero(hit >= 0))))
        if not self._from_zero:
            places.append(np.full(b, len(terms)))
            records.append(each)
            values.append(np.ones(b))
        found = np.concatenate(values), (np.concatenate(records), np.concatenate(places))
        return coo_array(found, shape=(b, len(terms) + 1)).tocsr()


def sparse_products(data: Dataset, terms: Terms, weights: FloatArray | None, context: RunContext) -> FloatArray:
    """The weighted means (t, t) of the products of standardised terms, as
    :func:`algorithms.learners.linear.discriminant_analysis.products` has them, of a sparse design."""
    design, found = SparseDesign(data, terms), np.zeros((len(terms) + 1, len(terms) + 1))
    root = np.ones(len(data)) if weights is None else np.sqrt(weights)
    for chunk in design.chunks():
        for start in chunk:
            context.checkpoint()
            found += design.block(start).products(root[design.rows(start)])
    return found[:-1, :-1] / float(np.dot(root, root))


AnyDesign = DesignMatrix | SparseDesign


def numbers_of_a_record(terms: Terms) -> int:
    """How many numbers of a record are not zero, at most."""
    return len(np.unique(terms.attribute)) + 1


def is_sparse(terms: Terms) -> bool:
    """Whether most numbers of a record are zero: a long list of values, each with a term but the usual one."""
    if len(terms) < max(FEWEST_TERMS, TERMS_A_NUMBER * numbers_of_a_record(terms)):
        return False
    lists = terms.value != IS_NUMBER
    single = np.all(terms.value[lists] >= 0) and np.all(terms.value[lists] != terms.usual[lists])
    return bool(single and np.all(terms.unit[lists] * FARTHEST > 1))


def block_of(design: AnyDesign, start: int) -> DenseBlock | SparseBlock:
    """The block of a design that starts here."""
    return design.block(start) if isinstance(design, SparseDesign) else DenseBlock(design.block(start))
