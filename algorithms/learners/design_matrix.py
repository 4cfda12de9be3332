"""Design matrices of training records, dense or sparse, computed block by block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Problem
from algorithms.core.parameters import reals
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.sparse_matrix import sparse_matrix, sparse_predictors
from algorithms.data.summary import Summary
from algorithms.structures.design_terms import FARTHEST, FIRST_DIGIT, IS_NUMBER, Coding, OmittedTerm, Terms


@dataclass(frozen=True, eq=False)
class DesignRecords:
    """Records (n) with a class and weight: ``codes`` (n,) index the ``active`` classes, ``class_weight`` (k,) all."""

    data: Dataset
    codes: NDArray[np.int32]
    weights: FloatArray | None
    active: NDArray[np.int32]
    class_weight: FloatArray

    @classmethod
    def of(cls, data: Dataset) -> DesignRecords:
        """Records of a table whose records all have a class, without those of weight zero."""
        data = data.without_weightless()
        weights = data.weights
        if weights is not None and np.all(weights == 1):
            weights = None  # a weighted sum of ones may differ from the count in its last digit
        codes = np.asarray(data.class_codes, dtype=np.int32)
        class_weight = np.bincount(codes, weights, minlength=len(data.schema.classes)).astype(np.float64)
        active = np.flatnonzero(class_weight > 0).astype(np.int32)
        place = np.zeros(len(class_weight), dtype=np.int32)
        place[active] = np.arange(len(active))
        return cls(data, place[codes], weights, active, class_weight)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def weight_array(self) -> FloatArray:
        """Record weights (n,), ones if none were given."""
        return np.ones(len(self.data)) if self.weights is None else self.weights

    def every(self, stride: int) -> DesignRecords:
        """Every ``stride``-th record, with the same active classes."""
        chosen = np.arange(0, len(self.data), stride)
        weights = None if self.weights is None else self.weights[chosen]
        return DesignRecords(self.data.take(chosen), self.codes[chosen], weights, self.active, self.class_weight)


def priors_parameter() -> Any:
    """The parameter of class priors: an empty tuple takes the shares of the training records."""
    return reals(
        (),
        lo=0.0,
        label="Class priors",
        help="One number per class in their order. Empty: as in the training records.",
        advanced=True,
    )


def problems_of_priors(priors: tuple[float, ...], summary: Summary) -> list[Problem]:
    """Problems of class priors typed for another number of classes; none for an empty tuple."""
    k = len(summary.schema.classes)
    if not priors or (len(priors) == k and sum(priors) > 0):
        return []
    given = f"{len(priors)} shares of classes are given, but there are {k} classes."
    return [Problem(given, "Give a number for each class, not all zero, or none at all.")]


MOST_VALUES: Final = 2000
"""Largest number of values of a nominal attribute that gets a term per value."""
LARGEST: Final = 1e100
"""Mean and deviation clip larger numbers to this one."""
_CELLS: Final = 131_072
"""Numbers in a block, chosen to fit the processor cache."""
_KEPT: Final = 32_000_000
"""Numbers kept in memory (256 MB). Larger tables recompute each block in each pass."""


def too_long_lists(summary: Summary) -> list[Problem]:
    """Problems for nominal attributes with too many values for a term each."""
    problems = []
    for index in summary.schema.predictors:
        attribute = summary.schema.attributes[index]
        if attribute.kind.is_coded and len(attribute.values) > MOST_VALUES:
            sentence = f"{attribute.name} has {len(attribute.values):,} values: too many to weigh each."
            remedy = "Leave it out, or turn its values into numbers by the class in Preprocess."
            problems.append(Problem(sentence, remedy, attribute.name))
    return problems


def most_terms(summary: Summary) -> int:
    """Largest number of terms, with a term for each value of a nominal attribute but the usual one."""
    attributes = (summary.schema.attributes[index] for index in summary.schema.predictors)
    return sum(max(1, len(attribute.values) - 1) for attribute in attributes)


_Term = tuple[int, int, int, float, float]
"""Attribute, value, usual value, centre and unit of a term, as in :class:`Terms`."""


def sparse_terms(terms: Terms, data: Dataset) -> NDArray[np.bool_]:
    """Mask (t,) of the numeric terms whose attributes are stored as sparse columns."""
    mask: NDArray[np.bool_] = np.isin(terms.attribute, sparse_predictors(data)) & (terms.value == IS_NUMBER)
    return mask


def _sparse_moments(data: Dataset, weights: FloatArray | None, context: RunContext) -> dict[int, list[_Term]]:
    """The terms of sparse columns, by attribute; the zeros between the entries count too."""
    if not sparse_predictors(data):
        return {}
    indices, matrix = sparse_matrix(data, context.checkpoint)
    own = np.ones(matrix.shape[0]) if weights is None else weights
    whole, columns = float(own.sum()), matrix.tocsc()
    of_entries = own[columns.indices]
    places = np.repeat(np.arange(len(indices)), np.diff(columns.indptr))

    def summed(values: FloatArray) -> FloatArray:
        return np.bincount(places, values, minlength=len(indices)).astype(np.float64)

    centre = summed(of_entries * columns.data) / whole
    apart = columns.data - centre[places]
    zeros = np.maximum(whole - summed(of_entries), 0.0)
    unit = np.sqrt((summed(of_entries * apart * apart) + zeros * centre * centre) / whole)
    is_term = (unit > 1e-15 * np.abs(centre)) & (unit > 1e-150) & (unit <= LARGEST)
    return {
        index: [(index, IS_NUMBER, IS_NUMBER, mean, deviation)] if there else []
        for index, mean, deviation, there in zip(
            indices.tolist(), centre.tolist(), unit.tolist(), is_term.tolist(), strict=True
        )
    }


def learned_terms(
    data: Dataset, weights: FloatArray | None, context: RunContext, coding: Coding = Coding.BESIDE_USUAL
) -> Terms:
    """Terms that turn records into numbers, from positive ``weights`` (n,); ``coding`` is for nominal attributes."""
    predictors = data.schema.predictors
    sparse = _sparse_moments(data, weights, context)

    def learn(index: int) -> list[_Term]:
        if index in sparse:
            return sparse[index]
        context.checkpoint()
        if data.schema.attributes[index].kind.is_coded:
            return _of_values(data, index, weights, coding)
        return _of_number(data, index, weights)

    per_attribute = context.map(learn, predictors)
    is_constant = [(index, not own) for index, own in zip(predictors, per_attribute, strict=True)]
    constant = [(index, IS_NUMBER, OmittedTerm.CONSTANT) for index, is_one in is_constant if is_one]
    columns = list(zip(*(term for own in per_attribute for term in own), strict=True)) or [()] * 5
    attribute, value, usual = (np.array(column, dtype=np.int32) for column in columns[:3])
    centre, unit = (np.array(column, dtype=np.float64) for column in columns[3:])
    left_out = np.array(constant, dtype=np.int32).reshape(-1, 3)
    return Terms(data.schema, attribute, value, usual, centre, unit, left_out)


def _of_number(data: Dataset, index: int, weights: FloatArray | None) -> list[_Term]:
    column = np.asarray(data.column(index), dtype=np.float64)
    whole = float(len(column)) if weights is None else float(weights.sum())
    with np.errstate(over="ignore", invalid="ignore"):
        centre, unit = _moments(column, weights, whole)
    if not np.isfinite(unit) or unit > LARGEST:
        is_finite = np.isfinite(column)
        column = np.clip(column[is_finite], -LARGEST, LARGEST)
        if not len(column):
            return []
        centre, unit = _moments(column, None if weights is None else weights[is_finite], whole)
    if unit <= 1e-9 * abs(centre) and column.min() == column.max():
        return []  # the deviation is rounding error
    if not unit > 1e-15 * abs(centre) or unit < 1e-150:
        return []
    return [(index, IS_NUMBER, IS_NUMBER, centre, unit)]


def _moments(column: FloatArray, weights: FloatArray | None, whole: float) -> tuple[float, float]:
    """Mean and deviation of known numbers; missing ones, which complete the weight ``whole``, lie at the mean."""
    if not len(column):
        return 0.0, np.nan
    if weights is None:
        centre = float(column.mean())
        apart = column - centre
        return centre, float(np.sqrt(np.dot(apart, apart) / whole))
    total = float(weights.sum())
    centre = float(np.dot(weights, column) / total)
    centre += float(np.dot(weights, column - centre) / total)
    apart = column - centre
    return centre, float(np.sqrt(np.dot(weights, apart * apart) / whole))


def _of_values(data: Dataset, index: int, weights: FloatArray | None, coding: Coding) -> list[_Term]:
    codes = np.asarray(data.column(index), dtype=np.int64)
    n_values = len(data.schema.attributes[index].values)
    counts = np.bincount(codes + 1, weights, minlength=n_values + 1)[1:].astype(np.float64)
    if np.count_nonzero(counts) < 2:
        return []
    usual, seen = int(np.argmax(counts)), np.flatnonzero(counts).tolist()
    total = float(len(codes)) if weights is None else float(weights.sum())
    if coding is Coding.BINARY:
        return _of_digits(index, counts, usual, total)
    every = coding is Coding.EACH_VALUE and len(seen) > 2
    if every:
        counts[usual] = total - (counts.sum() - counts[usual])  # a missing value counts as the usual one
    values = seen if every else [code for code in seen if code != usual]
    return _indicators(index, values, usual, counts[values] / total)


def _of_digits(index: int, counts: FloatArray, usual: int, total: float) -> list[_Term]:
    """Terms for the binary digits of the value codes that differ among the records."""
    counts[usual] = total - (counts.sum() - counts[usual])
    codes = np.arange(len(counts))
    shares = [float(counts[(codes >> digit) & 1 == 1].sum()) / total for digit in range(len(counts).bit_length())]
    digits = [digit for digit, share in enumerate(shares) if 0.0 < share < 1.0]
    centre = np.array([shares[digit] for digit in digits])
    return _indicators(index, [FIRST_DIGIT - digit for digit in digits], usual, centre)


def _indicators(index: int, values: list[int], usual: int, centre: FloatArray) -> list[_Term]:
    """Terms that are 1 for a share ``centre`` (v,) of the records, else 0."""
    units = np.sqrt(centre * (1.0 - centre)).tolist()
    return [
        (index, value, usual, share, unit) for value, share, unit in zip(values, centre.tolist(), units, strict=True)
    ]


B = TypeVar("B")


class BlockedDesign(ABC, Generic[B]):
    """Standardised terms of training records and a one for the intercept, in blocks that are kept if ``keeps``.

    ``from_zero`` measures each number from zero instead of its mean, and replaces the ones by zeros. A thread processes
    ``group`` blocks of ``size`` records at a time.
    """

    def __init__(self, data: Dataset, terms: Terms, from_zero: bool, size: int, group: int, keeps: bool) -> None:
        self._data, self.terms, self._from_zero = data, terms, from_zero
        self._size, self._group = size, group
        self._kept: dict[int, B] | None = {} if keeps else None

    @abstractmethod
    def _made(self, rows: slice) -> B:
        """The numbers of these records."""

    def rows(self, start: int) -> slice:
        """The records of the block that starts here."""
        return slice(start, min(start + self._size, len(self._data)))

    def block(self, start: int) -> B:
        """The numbers of the records of a block."""
        block = None if self._kept is None else self._kept.get(start)
        if block is None:
            block = self._made(self.rows(start))
            if self._kept is not None:
                self._kept[start] = block
        return block

    def chunks(self) -> list[range]:
        """Starts of all blocks in groups."""
        starts = range(0, len(self._data), self._size)
        return [starts[first : first + self._group] for first in range(0, len(starts), self._group)]

    def __iter__(self) -> Iterator[int]:
        return iter(range(0, len(self._data), self._size))


class DesignMatrix(BlockedDesign[FloatArray]):
    """A design in dense blocks (t + 1, b) of some thousand records."""

    def __init__(self, data: Dataset, terms: Terms, *, from_zero: bool = False) -> None:
        keeps = len(data) * (len(terms) + 1) <= _KEPT
        super().__init__(data, terms, from_zero, max(256, _CELLS // (len(terms) + 1)), 16, keeps)

    def _made(self, rows: slice) -> FloatArray:
        values = np.ones((len(self.terms) + 1, rows.stop - rows.start))
        self.terms.put(self._data, rows, values)
        if self._from_zero:
            values[:-1] += (self.terms.centre / self.terms.unit)[:, None]
            values[-1] = 0.0
        return values


_ROWS: Final = 64


def independent(gram: FloatArray, checkpoint: Callable[[], None] = lambda: None) -> np.ndarray:
    """Mask (t,) of terms not dependent on earlier ones, by blocked Cholesky of their correlations (t, t)."""
    t = len(gram)
    kept = np.zeros(t, dtype=np.bool_)
    root = np.zeros((t, t))
    rank = 0
    for begin in range(0, t, _ROWS):
        checkpoint()
        end, before = min(begin + _ROWS, t), rank
        rest = gram[begin:end, begin:] - root[:before, begin:end].T @ root[:before, begin:]
        for place in range(end - begin):
            term = begin + place
            row = rest[place] - root[before:rank, term] @ root[before:rank, begin:]
            if row[place] > 1e-10 * max(gram[term, term], 1e-300) and gram[term, term] > 1e-14:
                root[rank, begin:] = row / np.sqrt(row[place])
                kept[term] = True
                rank += 1
    return kept


FEWEST_TERMS: Final = 64
TERMS_A_NUMBER: Final = 8
"""A design is sparse if it has at least this many terms per nonzero number."""
_SPARSE_BLOCK: Final = 16_384
_SPARSE_KEPT: Final = 16_000_000
"""Nonzero numbers kept in memory. Larger designs recompute each block in each pass."""


@dataclass(frozen=True, eq=False)
class DenseBlock:
    """A block of records as columns of numbers ``x`` (t + 1, b)."""

    x: FloatArray

    def scores(self, theta: FloatArray) -> FloatArray:
        """Weighted sums (r, b) under coefficients (r, t + 1)."""
        return np.asarray(theta @ self.x)

    def gradient(self, residual: FloatArray) -> FloatArray:
        """Sums (r, t + 1) of the records times their residuals (r, b)."""
        return np.asarray(residual @ self.x.T)

    def products(self, root: FloatArray) -> FloatArray:
        """Sums of products (t + 1, t + 1), each record weighted by ``root`` (b,) squared."""
        scaled = self.x * root
        return np.asarray(scaled @ scaled.T)  # BLAS computes half of a symmetric product


@dataclass(frozen=True, eq=False)
class SparseBlock:
    """A block whose numbers are ``raw`` (b, t + 1; sparse) times ``scale`` less ``shift`` (t + 1,)."""

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
        sums = (self.raw.T @ self.raw.multiply(weight[:, None]).tocsr()).toarray()
        sums *= self.scale
        sums *= self.scale[:, None]
        across = np.outer((self.raw.T @ weight) * self.scale, self.shift)
        sums -= across
        sums -= across.T
        return np.asarray(sums + float(weight.sum()) * np.outer(self.shift, self.shift))


class SparseDesign(BlockedDesign[SparseBlock]):
    """A design in sparse blocks: a record costs its attributes and the entries of sparse columns, not its terms."""

    def __init__(self, data: Dataset, terms: Terms, *, from_zero: bool = False) -> None:
        keeps = len(data) * numbers_of_a_record(terms, data) <= _SPARSE_KEPT
        super().__init__(data, terms, from_zero, _SPARSE_BLOCK, 1, keeps)
        self._stored = sparse_terms(terms, data)
        self._entries: Any = None
        if self._stored.any():
            indices, matrix = sparse_matrix(data)
            self._entries = matrix[:, np.searchsorted(indices, terms.attribute[self._stored])]
        self._numbers = (terms.value == IS_NUMBER) & ~self._stored
        scaled = terms.centre / terms.unit
        shift = np.where(self._numbers, -scaled if from_zero else 0.0, 0.0 if from_zero else scaled)
        self._shift = np.append(shift, 0.0)
        self._scale = np.append(np.where(self._numbers, 1.0, 1.0 / terms.unit), 1.0)

    def _made(self, rows: slice) -> SparseBlock:
        from scipy.sparse import coo_array  # late: a list of learners needs none of it

        b, terms = rows.stop - rows.start, self.terms
        positions, places, records, values = np.arange(b), [], [], []
        numeric = np.flatnonzero(self._numbers)
        if len(numeric):
            dense = terms.chosen(self._numbers).of(self._data, rows)
            places.append(np.repeat(numeric, b))
            records.append(np.tile(positions, len(numeric)))
            values.append(dense.ravel())
        if self._entries is not None:
            part = self._entries[rows].tocoo()
            places.append(np.flatnonzero(self._stored)[part.col])
            records.append(part.row)
            values.append(part.data)
        listed = ~self._numbers & ~self._stored
        for index in np.unique(terms.attribute[listed]).tolist():
            own = np.flatnonzero((terms.attribute == index) & listed)
            place = np.full(len(terms.schema.attributes[index].values) + 1, -1)  # the last is for missing values
            place[terms.value[own]] = own
            hit = place[np.asarray(self._data.column(index)[rows], dtype=np.int64)]
            places.append(hit[hit >= 0])
            records.append(positions[hit >= 0])
            values.append(np.ones(int(np.count_nonzero(hit >= 0))))
        if not self._from_zero:
            places.append(np.full(b, len(terms)))
            records.append(positions)
            values.append(np.ones(b))
        entries = np.concatenate(values), (np.concatenate(records), np.concatenate(places))
        raw = coo_array(entries, shape=(b, len(terms) + 1)).tocsr()
        return SparseBlock(raw, self._scale, self._shift)


def sparse_products(data: Dataset, terms: Terms, weights: FloatArray | None, context: RunContext) -> FloatArray:
    """Correlations (t, t) of standardised terms, computed from a sparse design."""
    design, sums = SparseDesign(data, terms), np.zeros((len(terms) + 1, len(terms) + 1))
    root = np.ones(len(data)) if weights is None else np.sqrt(weights)
    for start in design:
        context.checkpoint()
        sums += design.block(start).products(root[design.rows(start)])
    return sums[:-1, :-1] / float(np.dot(root, root))


AnyDesign = DesignMatrix | SparseDesign


def numbers_of_a_record(terms: Terms, data: Dataset) -> int:
    """Largest number of nonzero numbers in a record; on average for sparse columns."""
    stored = sparse_terms(terms, data)
    n_entries = sparse_matrix(data).numbers.nnz // max(1, len(data)) if stored.any() else 0
    return len(np.unique(terms.attribute[~stored])) + n_entries + 1


def is_sparse(terms: Terms, data: Dataset) -> bool:
    """Whether most numbers of a record are zero: sparse columns, or long nominal attributes in reference coding."""
    if len(terms) < max(FEWEST_TERMS, TERMS_A_NUMBER * numbers_of_a_record(terms, data)):
        return False
    lists = terms.value != IS_NUMBER
    single = np.all(terms.value[lists] >= 0) and np.all(terms.value[lists] != terms.usual[lists])
    return bool(single and np.all(terms.unit[lists] * FARTHEST > 1))


def block_of(design: AnyDesign, start: int) -> DenseBlock | SparseBlock:
    return design.block(start) if isinstance(design, SparseDesign) else DenseBlock(design.block(start))
