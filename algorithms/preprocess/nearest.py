"""The training records most like another one, by the columns that both have a value in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.schema import Attribute

_CELLS: Final = 1 << 18
"""So many distances are found at a time: their table fits the cache."""


@dataclass(frozen=True, eq=False)
class Donors:
    """Training records that lend their values to others.

    ``table`` (m, d): numbers, codes into ``labels`` (one list a column, empty for numbers), NaN where missing.
    ``units`` (d,) is what counts as a distance of 1, ``weights`` (m,) how much a donor's say counts.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    table: FloatArray
    units: FloatArray
    weights: FloatArray

    def filled(
        self, data: Dataset, targets: Sequence[str], k: int, checkpoint: Callable[[], None] = lambda: None
    ) -> Mapping[str, FloatArray]:
        """For each target that is among the columns: the mean number or most frequent code of the ``k`` nearest (n,).

        NaN where nothing is missing, or where no donor shares a column. The distance is the Euclidean one over the
        columns that both records have, scaled up by those they do not (as of scikit-learn's KNNImputer); values of a
        list that differ count 1. Of equally distant donors the first count.
        """
        there = [name for name in targets if name in self.names and name in data.schema]
        found = {name: np.full(len(data), np.nan) for name in there}
        lacks = {name: data.missing(data.schema.index_of(name)) for name in there}
        rows = np.flatnonzero(np.any(list(lacks.values()), axis=0)) if there else np.zeros(0, dtype=np.int64)
        if len(rows) == 0 or len(self.table) == 0:
            return found
        receivers = np.column_stack([self._as_stored(data, at)[rows] for at in range(len(self.names))])
        step = max(1, _CELLS // len(self.table))
        for start in range(0, len(rows), step):
            checkpoint()
            block = rows[start : start + step]
            distances = self._distances(receivers[start : start + step])
            for name in there:
                mine = lacks[name][block]
                if np.any(mine):
                    found[name][block[mine]] = self._lent(self.names.index(name), distances[mine], k)
        return found

    def _as_stored(self, data: Dataset, at: int) -> FloatArray:
        """A column of other data in numbers and in codes of these labels; NaN where it is missing or unknown."""
        name, labels = self.names[at], self.labels[at]
        if name not in data.schema:
            return np.full(len(data), np.nan)
        index = data.schema.index_of(name)
        return stored_column(data.schema.attributes[index], data.column(index), labels)

    def _distances(self, receivers: FloatArray) -> FloatArray:
        """Squared distances (r, m), infinite where two records share no column."""
        has, donors_have = ~np.isnan(receivers), ~np.isnan(self.table)
        shared = has.astype(np.float64) @ donors_have.T.astype(np.float64)  # whole numbers: the same in any order
        total, gap = np.zeros(shared.shape), np.empty(shared.shape)
        for at, labels in enumerate(self.labels):
            mine, theirs = receivers[:, at] / self.units[at], self.table[:, at] / self.units[at]
            np.subtract(np.nan_to_num(mine)[:, None], np.nan_to_num(theirs), out=gap)
            if labels:
                gap[...] = gap != 0
            gap *= gap
            if not np.all(donors_have[:, at]):
                gap *= donors_have[:, at]
            gap[~has[:, at]] = 0.0
            total += gap
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(shared > 0, total / shared * len(self.names), np.inf)

    def _lent(self, at: int, distances: FloatArray, k: int) -> FloatArray:
        known = np.flatnonzero(~np.isnan(self.table[:, at]))
        if len(known) == 0:
            return np.full(len(distances), np.nan)
        says = _nearest(distances[:, known], k) * self.weights[known]
        values = self.table[known, at]
        weight = says.sum(axis=1)
        with np.errstate(invalid="ignore"):
            if not self.labels[at]:
                return np.asarray((says * values).sum(axis=1) / weight)
        votes = np.column_stack([(says * (values == code)).sum(axis=1) for code in range(len(self.labels[at]))])
        return np.where(weight > 0, np.argmax(votes, axis=1), np.nan)


def stored_column(attribute: Attribute, column: NDArray[Any], labels: Sequence[str]) -> FloatArray:
    """A column as float64: finite numbers, or codes into ``labels``; NaN for all else."""
    if not attribute.kind.is_coded:
        return (
            np.where(np.isfinite(column), column, np.nan) if attribute.kind.is_float else np.full(len(column), np.nan)
        )
    code_of = {label: float(code) for code, label in enumerate(labels)}
    table = np.array([*(code_of.get(value, np.nan) for value in attribute.values), np.nan])
    return np.asarray(table[column])


def _nearest(distances: FloatArray, k: int) -> FloatArray:
    """One (r, m) for the ``k`` nearest of each row, of equally distant ones the first; zero for all others."""
    k = min(k, distances.shape[1])
    farthest = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    nearer, tied = distances < farthest, distances == farthest
    wanted = k - np.count_nonzero(nearer, axis=1, keepdims=True)
    near = nearer | (tied & (np.cumsum(tied, axis=1) <= wanted))
    return np.asarray((near & np.isfinite(distances)).astype(np.float64))
