"""Design matrices of training records, dense or sparse, computed block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.learner import Problem
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.structures.terms import FARTHEST, FIRST_DIGIT, IS_NUMBER, Coding, OmittedTerm, Terms


@dataclass(frozen=True, eq=False)
class DesignRecords:
    """Records (n) that all have a class and some weight.

    ``codes`` (n,) count only the ``active`` classes, those that have a record (positions in the schema's, ascending);
    ``class_weight`` (k,) is of all classes.
    """

    data: Dataset
    codes: NDArray[np.int32]
    weights: FloatArray | None
    active: NDArray[np.int32]
    class_weight: FloatArray

    @classmethod
    def of(cls, data: Dataset) -> DesignRecords:
        """Those of a table whose records all have a class, without the ones that weigh nothing."""
        weights = data.weights
        if weights is not None and not np.all(weights > 0):
            data = data.take(weights > 0)
            weights = data.weights
        if weights is not None and np.all(weights == 1):
            weights = None  # sums of so many ones and of nothing but ones may differ in their last digit
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
        """Their weights (n,), ones where none were given."""
        return np.ones(len(self.data)) if self.weights is None else self.weights

    def every(self, stride: int) -> DesignRecords:
        """Each so many-th of them, with the same active classes."""
        chosen = np.arange(0, len(self.data), stride)
        weights = None if self.weights is None else self.weights[chosen]
        return DesignRecords(self.data.take(chosen), self.codes[chosen], weights, self.active, self.class_weight)


def shares(class_weight: FloatArray, given: tuple[float, ...] = ()) -> FloatArray:
    """The shares of the classes (k,): those given, else those of the weights; of a class without records none.

    Without any weight all are alike.
    """
    if not class_weight.any():
        return np.full(len(class_weight), 1.0 / max(1, len(class_weight)))
    wanted = np.where(class_weight > 0, np.array(given) if given else class_weight, 0.0)
    wanted = wanted if wanted.sum() > 0 else class_weight
    return np.asarray(wanted / wanted.sum())


MOST_VALUES: Final = 2000
"""A list of more values than this does not become a term for each."""
LARGEST: Final = 1e100
"""Larger numbers count as this one while the mean and the spread are found."""
_CELLS: Final = 131_072
"""Numbers in a block: it stays near the processor."""
_KEPT: Final = 32_000_000
"""Numbers that are kept in memory (a quarter of a gigabyte); of larger tables each block is made anew in each pass."""


def too_long_lists(summary: Summary) -> list[Problem]:
    """Lists of values that are too long to have a term for each."""
    found = []
    for index in summary.schema.predictors:
        attribute = summary.schema.attributes[index]
        if attribute.kind.is_coded and len(attribute.values) > MOST_VALUES:
            sentence = f"{attribute.name} has {len(attribute.values):,} values: too many to weigh each."
            remedy = "Leave it out, or turn its values into numbers by the class in Preprocess."
            found.append(Problem(sentence, remedy, attribute.name))
    return found


class _Found:
    """The terms of one attribute, or that there is none."""

    def __init__(self, index: int, values: list[int], usual: int, centre: list[float], unit: list[float]) -> None:
        self.index, self.values, self.usual, self.centre, self.unit = index, values, usual, centre, unit


def learned_terms(
    data: Dataset, weights: FloatArray | None, context: RunContext, coding: Coding = Coding.BESIDE_USUAL
) -> Terms:
    """How records become rows of numbers, learned from records with these weights (n,), all above 0.

    Without weights each weighs one. ``coding`` says what becomes of lists of values.
    """
    predictors = data.schema.predictors

    def learn(index: int) -> _Found:
        context.checkpoint()
        if data.schema.attributes[index].kind.is_coded:
            return _of_values(data, index, weights, coding)
        return _of_number(data, index, weights)

    found = context.map(learn, predictors)
    constant = [(each.index, IS_NUMBER, OmittedTerm.CONSTANT) for each in found if not each.values]
    spread = [(each, at) for each in found for at in range(len(each.values))]
    return Terms(
        data.schema,
        np.array([each.index for each, _ in spread], dtype=np.int32),
        np.array([each.values[at] for each, at in spread], dtype=np.int32),
        np.array([each.usual for each, _ in spread], dtype=np.int32),
        np.array([each.centre[at] for each, at in spread], dtype=np.float64),
        np.array([each.unit[at] for each, at in spread], dtype=np.float64),
        np.array(constant, dtype=np.int32).reshape(-1, 3),
    )


def _of_number(data: Dataset, index: int, weights: FloatArray | None) -> _Found:
    column, nothing = np.asarray(data.column(index), dtype=np.float64), _Found(index, [], IS_NUMBER, [], [])
    whole = float(len(column)) if weights is None else float(weights.sum())
    with np.errstate(over="ignore", invalid="ignore"):
        centre, unit = _moments(column, weights, whole)
    if not np.isfinite(unit) or unit > LARGEST:
        known = np.isfinite(column)
        column = np.clip(column[known], -LARGEST, LARGEST)
        if not len(column):
            return nothing
        centre, unit = _moments(column, None if weights is None else weights[known], whole)
    if unit <= 1e-9 * abs(centre) and column.min() == column.max():
        return nothing  # what is left is rounding
    if not unit > 1e-15 * abs(centre) or unit < 1e-150:
        return nothing
    return _Found(index, [IS_NUMBER], IS_NUMBER, [centre], [unit])


def _moments(column: FloatArray, weights: FloatArray | None, whole: float) -> tuple[float, float]:
    """Mean and standard deviation of numbers; missing ones beside them, which make ``whole``, lie at the mean."""
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


def _of_values(data: Dataset, index: int, weights: FloatArray | None, coding: Coding) -> _Found:
    codes = np.asarray(data.column(index), dtype=np.int64)
    n_values = len(data.schema.attributes[index].values)
    counts = np.bincount(codes + 1, weights, minlength=n_values + 1)[1:].astype(np.float64)
    if np.count_nonzero(counts) < 2:
        return _Found(index, [], IS_NUMBER, [], [])
    usual, seen = int(np.argmax(counts)), np.flatnonzero(counts).tolist()
    total = float(len(codes)) if weights is None else float(weights.sum())
    if coding is Coding.BINARY:
        return _of_digits(index, counts, usual, total)
    every = coding is Coding.EACH_VALUE and len(seen) > 2
    if every:
        counts[usual] = total - (counts.sum() - counts[usual])  # what is missing counts as the usual value
    values = seen if every else [code for code in seen if code != usual]
    centre = counts[values] / total
    return _Found(index, values, usual, centre.tolist(), np.sqrt(centre * (1.0 - centre)).tolist())


def _of_digits(index: int, counts: FloatArray, usual: int, total: float) -> _Found:
    """The binary digits of the values' numbers that differ among the records."""
    counts[usual] = total - (counts.sum() - counts[usual])
    codes = np.arange(len(counts))
    shares = [float(counts[(codes >> digit) & 1 == 1].sum()) / total for digit in range(len(counts).bit_length())]
    digits = [digit for digit, share in enumerate(shares) if 0.0 < share < 1.0]
    centre = np.array([shares[digit] for digit in digits])
    values = [FIRST_DIGIT - digit for digit in digits]
    return _Found(index, values, usual, centre.tolist(), np.sqrt(centre * (1.0 - centre)).tolist())


class DesignMatrix:
    """The rows of numbers of training records, with a last one that is always 1, in blocks of some thousand records."""

    def __init__(self, data: Dataset, terms: Terms, *, from_zero: bool = False) -> None:
        """``from_zero`` counts each number from its own zero rather than from its mean, and leaves out the ones."""
        self._data, self.terms = data, terms
        self._from_zero = (terms.centre / terms.unit)[:, None] if from_zero else None
        self._size = max(256, _CELLS // (len(terms) + 1))
        keeps = len(data) * (len(terms) + 1) <= _KEPT
        self._kept: dict[int, FloatArray] | None = {} if keeps else None

    @property
    def starts(self) -> range:
        """Where the blocks start."""
        return range(0, len(self._data), self._size)

    def rows(self, start: int) -> slice:
        """The records of the block that starts here."""
        return slice(start, min(start + self._size, len(self._data)))

    def block(self, start: int) -> FloatArray:
        """The numbers (t + 1, b) of the records of a block."""
        found = None if self._kept is None else self._kept.get(start)
        if found is None:
            rows = self.rows(start)
            found = np.ones((len(self.terms) + 1, rows.stop - rows.start))
            self.terms.put(self._data, rows, found)
            if self._from_zero is not None:
                found[:-1] += self._from_zero
                found[-1] = 0.0
            if self._kept is not None:
                self._kept[start] = found
        return found

    def chunks(self, blocks: int = 16) -> list[range]:
        """The starts of all blocks, so many at a time: what one thread does in one go."""
        starts = self.starts
        return [starts[at : at + blocks] for at in range(0, len(starts), blocks)]

    def __iter__(self) -> Iterator[int]:
        return iter(self.starts)


_ROWS: Final = 64


def independent(gram: FloatArray, checkpoint: Callable[[], None] = lambda: None) -> np.ndarray:
    """Which terms (t,) do not follow from those before them, by their products (t, t) with a diagonal of about 1.

    By a Cholesky decomposition that leaves out each row without a rest, some rows at a time.
    """
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
"""A design is sparse where it has so many terms at least for each number that is not zero."""
_SPARSE_BLOCK: Final = 16_384
_SPARSE_KEPT: Final = 16_000_000
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
        keeps = len(data) * numbers_of_a_record(terms) <= _SPARSE_KEPT
        self._kept: dict[int, SparseBlock] | None = {} if keeps else None

    def rows(self, start: int) -> slice:
        """The records of the block that starts here."""
        return slice(start, min(start + _SPARSE_BLOCK, len(self._data)))

    def chunks(self) -> list[range]:
        """The starts of all blocks, one at a time."""
        return [range(at, at + 1) for at in range(0, len(self._data), _SPARSE_BLOCK)]

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
