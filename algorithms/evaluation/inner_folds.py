"""Folds inside the training records that respect what the method of judging respects: groups, or the order in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.resampling import Method
from algorithms.evaluation.methods_by_column import ByGroup, TimeHoldout, group_folds


@dataclass(frozen=True)
class InnerFolds:
    """By which column the records are kept together, or, ``in_order``, which says what came first."""

    column: str
    in_order: bool = False

    def numbers(self, data: Dataset, folds: int, random: np.random.Generator) -> IntArray | None:
        """The fold 0..k-1 that tests each record (n,), -1 for one that is learned from only; at most ``folds``.

        Records of a group are in one fold. In order of time fold 0 comes after a first part that is only learned from,
        and each fold is to be learned from what came before it. None where the column names a single group, or is not
        there: then any folds will do.
        """
        if self.column not in data.schema:
            return None
        values, missing = (
            data.column(data.schema.index_of(self.column)),
            data.missing(data.schema.index_of(self.column)),
        )
        _, places = np.unique(values[~missing], return_inverse=True)
        found = np.full(len(data), -1, dtype=np.int64)
        found[~missing] = places
        if self.in_order:
            return _in_order(found, folds)
        found[missing] = n = (
            int(places.max(initial=-1)) + 1
        )  # records without a value are one group, as they are judged
        sizes = np.bincount(found, minlength=n)
        if len(sizes) < 2:
            return None
        return group_folds(sizes, min(folds, len(sizes)), random)[found]


def _in_order(moments: IntArray, folds: int) -> IntArray | None:
    """Folds of about as many records each, after a first part of as many; one moment is never parted."""
    known = moments >= 0
    counts = np.bincount(moments[known])
    if len(counts) < 2:
        return None
    before = np.cumsum(counts) - counts
    part_of = np.minimum(before * (folds + 1) // int(counts.sum()), folds)
    _, part_of = np.unique(part_of, return_inverse=True)  # parts that a moment of many records has swallowed
    found = np.full(len(moments), -1, dtype=np.int64)
    found[known] = part_of[moments[known]] - 1
    return found


def inner_folds_of(method: Method) -> InnerFolds | None:
    """What a method keeps to and folds inside its training parts should keep to as well; None where any will do."""
    if isinstance(method, ByGroup | TimeHoldout) and method.column:
        return InnerFolds(method.column, isinstance(method, TimeHoldout))
    return None
