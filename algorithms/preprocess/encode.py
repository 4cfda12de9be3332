"""Putting numbers in the place of values of a list, for learners that take numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.filters import FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.schema import Attribute, Kind
from algorithms.preprocess.stored import Stored

_LISTS: Final = (Kind.NOMINAL, Kind.ORDINAL)
MOST_COLUMNS: Final = 2000
"""A list of more values than this does not become a column for each."""


@dataclass(frozen=True, eq=False)
class Code:
    """What stands in the place of one column: ``table`` (v + 1, c) has the numbers of each of ``values``, and at its
    end those where it is missing or unknown; ``columns`` names the c columns."""

    name: str
    values: tuple[str, ...]
    columns: tuple[str, ...]
    table: FloatArray


class Encoded(FittedFilter):
    """Puts columns of numbers in the place of each column of values."""

    id: ClassVar[str] = "encoded"

    def __init__(self, codes: Sequence[Code]) -> None:
        self.codes = tuple(codes)

    def transform(self, data: Dataset) -> Dataset:
        return self.with_tables(data, {})

    def with_tables(self, data: Dataset, own: dict[str, FloatArray]) -> Dataset:
        """The data encoded; columns in ``own`` get these numbers (n, c) rather than those of the table."""
        found: dict[int, tuple[Code, FloatArray]] = {}
        for code in self.codes:
            if code.name not in data.schema:
                continue
            index = data.schema.index_of(code.name)
            if data.schema.attributes[index].kind.is_coded:
                numbers = own[code.name] if code.name in own else code.table[places(data, index, code.values)]
                found[index] = (code, numbers)
        return _in_place(data, found)

    def to_state(self) -> State:
        codes = self.codes
        values = {
            "names": [code.name for code in codes],
            "values": [list(code.values) for code in codes],
            "columns": [list(code.columns) for code in codes],
        }
        tables = [code.table.ravel() for code in codes]
        return State(values, {"numbers": np.concatenate([np.zeros(0), *tables])})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = Stored(state, "codes of values")
        names = stored.names("names")
        values, named = stored.lists("values", len(names)), stored.lists("columns", len(names))
        sizes = [(len(v) + 1) * len(c) for v, c in zip(values, named, strict=True)]
        parts = np.split(stored.numbers("numbers", sum(sizes)), np.cumsum(sizes)[:-1]) if sizes else []
        total = float(whole.sum())
        every = whole / total if total > 0 else np.full(len(whole), 1 / max(1, len(whole)))
        if self.smoothing == "sigmoid":
            weight = 1 / (1 + np.exp(np.clip((self.midpoint - n) / self.steepness, -700, 700)))
            weight = np.where(n > 0, weight, 0.0)
            share = np.divide(counts, n, out=np.tile(every, (len(counts), 1)), where=n > 0)
            found = weight * share + (1 - weight) * every
        else:
            added = n + self.records
            blank = np.tile(every, (len(counts), 1))
            found = np.divide(counts + self.records * every, added, out=blank, where=added > 0)
        return np.asarray(found[:, 1:2] if len(whole) == 2 else found)

    def _by_other_folds(self, data: Dataset, index: int, fold: NDArray[np.int64]) -> FloatArray:
        """For each record (n, c) the shares that the records of all other folds say."""
        k, n_classes = len(data.schema.attributes[index].values), len(data.schema.classes)
        n_folds = int(fold.max()) + 1 if len(fold) else 1
        cells, known = self._cells(data, index), data.class_codes >= 0
        place = (fold * ((k + 1) * n_classes) + cells)[known]
        weights = None if data.weights is None else data.weights[known]
        counts = np.bincount(place, weights, minlength=n_folds * (k + 1) * n_classes).astype(np.float64)
        parts = counts.reshape(n_folds, k + 1, n_classes)
        others = [np.delete(parts, at, axis=0).sum(axis=0) for at in range(n_folds)]
        tables = np.stack([self._shares(counts, counts.sum(axis=0)) for counts in others])
        return np.asarray(tables[fold, places(data, index, data.schema.attributes[index].values)])


def _missing_last(table: FloatArray) -> FloatArray:
    return np.vstack([table, np.full((1, table.shape[1]), np.nan)])


def _too_long(attribute: Attribute) -> Problem:
    sentence = f"{attribute.name} has {len(attribute.values):,} values: too many for a column each."
    return Problem(sentence, "Encode it in bits or by the class.", attribute.name)
