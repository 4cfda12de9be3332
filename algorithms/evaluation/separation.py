"""How well each attribute by itself tells the classes apart: the order in which attributes are worth looking at."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from algorithms.core.columns import Column, FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.derivation import Derivation
from algorithms.trees.impurity import information_gain

MOST_RECORDS: Final = 20_000
"""Of more records so many are looked at, evenly taken."""
MOST_BINS: Final = 16

Checkpoint = Callable[[], None]


def separation_of(bins: IntArray, codes: IntArray, n_classes: int) -> float:
    """Information gain (bits) of a division of records (n,) into bins about their class codes (n,), less what chance
    alone would seem to gain (Miller and Madow's correction, 1955); never negative."""
    n_bins = int(bins.max(initial=-1)) + 1
    if n_bins == 0 or n_classes < 2:
        return 0.0
    counts = np.bincount(bins * n_classes + codes, minlength=n_bins * n_classes).reshape(n_bins, n_classes)
    used = int(np.count_nonzero(counts.sum(axis=1)))
    chance = (used - 1) * (int(np.count_nonzero(counts.sum(axis=0))) - 1) / (2 * len(bins) * math.log(2))
    gained: float = float(information_gain(counts)) - chance
    return max(0.0, gained)


def _binned(column: Column, is_coded: bool) -> IntArray:
    """A bin for each value (n,): the code of a nominal one, an equal share of the records for numbers; -1: missing."""
    if is_coded:
        return column.astype(np.int64)
    known = np.isfinite(column)
    bins = np.full(len(column), -1, dtype=np.int64)
    if known.any():
        edges = np.unique(np.quantile(column[known], np.arange(1, MOST_BINS) / MOST_BINS, method="lower"))
        bins[known] = np.searchsorted(edges, column[known], side="left")
    return bins


def _separations(data: Dataset, checkpoint: Checkpoint) -> FloatArray:
    found = np.full(len(data.schema), np.nan)
    class_index = data.schema.class_index
    if class_index is None or not data.schema.attributes[class_index].kind.is_coded or not len(data):
        return found
    rows = np.unique(np.linspace(0, len(data) - 1, min(len(data), MOST_RECORDS)).astype(np.int64))
    codes = data.cells(class_index, rows).astype(np.int64)
    for index, attribute in enumerate(data.schema.attributes):
        checkpoint()
        if index == class_index or attribute.kind.is_string:
            continue
        bins = _binned(data.cells(index, rows), attribute.kind.is_coded)
        known = (bins >= 0) & (codes >= 0)
        share = np.count_nonzero(known) / len(rows)
        found[index] = share * separation_of(bins[known], codes[known], len(data.schema.classes)) if share else 0.0
    return found


SEPARATIONS: Final = Derivation[FloatArray]("separations", _separations)
"""For each attribute (by its position in the schema) the bits it tells about the class where it is known, times the
share of the records in which it is; NaN for the class itself, for text, and where there is no nominal class."""


def by_separation(data: Dataset, checkpoint: Checkpoint = lambda: None) -> tuple[int, ...]:
    """Positions of the attributes, the most telling first; those not learned from and the class come last."""
    found = data.derived(SEPARATIONS, checkpoint)
    predictors = set(data.schema.predictors)
    shown = [i for i, attribute in enumerate(data.schema.attributes) if not attribute.kind.is_string]
    gains = np.nan_to_num(found)
    return tuple(
        sorted(
            shown,
            key=lambda i: (i == data.schema.class_index, i not in predictors, -float(gains[i]), i),
        )
    )
