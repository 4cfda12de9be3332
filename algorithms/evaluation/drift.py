"""Whether tested records are of another kind than those that trained: each attribute by itself, and the class.

Numbers by the two-sample test of Kolmogorov and Smirnov, values by the chi-square test of homogeneity, and how many are
missing by the same; corrected for their number (Holm). With very many records a difference that does not matter is
significant too, so it must be large as well as sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.columns import Column, FloatArray, missing_mask
from algorithms.core.data import Dataset
from algorithms.core.schema import Attribute
from algorithms.evaluation.corrections import holm

ALPHA: Final = 0.01
LEAST: Final = 0.1
"""The largest distance of the cumulative shares, or half the summed differences of shares, from which it matters."""
MOST_RECORDS: Final = 20_000
FEWEST: Final = 20


@dataclass(frozen=True)
class Drift:
    """An attribute whose tested records are of another kind: by how much (0 to 1), and the corrected chance."""

    name: str
    distance: float
    p_value: float
    is_missing: bool = False
    """Whether it is the missing values that differ."""
    is_class: bool = False

    def words(self) -> str:
        """ "width (31 in 100 lie elsewhere)"."""
        what = f"missing values of {self.name}" if self.is_missing else self.name
        return f"{what} ({100 * self.distance:.0f} in 100 lie elsewhere)"


def drifts(training: Dataset, tested: Dataset, checkpoint: Callable[[], None] = lambda: None) -> list[Drift]:
    """What differs between two data sets of one schema, the largest difference first.

    Looks at the attributes that are learned from, and at the class. Nothing is said where either has few records.
    """
    if min(len(training), len(tested)) < FEWEST:
        return []
    one, other = _sampled(training), _sampled(tested)
    schema = training.schema
    found = []
    for index in (*schema.predictors, *(() if schema.class_index is None else (schema.class_index,))):
        checkpoint()
        attribute = schema.attributes[index]
        for distance, p, is_missing in _compared(attribute, one.column(index), other.column(index)):
            found.append(Drift(attribute.name, distance, p, is_missing, index == schema.class_index))
    corrected = holm([each.p_value for each in found])
    sure = [
        Drift(each.name, each.distance, p, each.is_missing, each.is_class)
        for each, p in zip(found, corrected, strict=True)
        if p <= ALPHA and each.distance >= LEAST
    ]
    return sorted(sure, key=lambda each: -each.distance)


def _compared(attribute: Attribute, one: Column, other: Column) -> Iterator[tuple[float, float, bool]]:
    """Distance, chance, and whether it is about missing values."""
    gone = [missing_mask(attribute, column) for column in (one, other)]
    known = [column[~missing] for column, missing in zip((one, other), gone, strict=True)]
    if min(map(len, known)) >= FEWEST:
        if attribute.kind.is_coded:
            k = len(attribute.values)
            counts = np.array([np.bincount(values.astype(np.int64), minlength=k) for values in known])
            yield (*_of_counts(counts.astype(np.float64)), False)
        else:
            yield (*_of_numbers(*known), False)
    if any(missing.any() for missing in gone):
        counts = np.array([[missing.sum(), len(missing) - missing.sum()] for missing in gone])
        yield (*_of_counts(counts.astype(np.float64)), True)


def _of_numbers(one: Column, other: Column) -> tuple[float, float]:
    from scipy.stats import ks_2samp

    found = ks_2samp(one, other, method="asymp")
    return float(found.statistic), float(found.pvalue)


def _of_counts(counts: FloatArray) -> tuple[float, float]:
    """Counts (2, k) of values: half the summed differences of their shares, and the chi-square chance."""
    from scipy.special import chdtrc

    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return 0.0, 1.0
    sizes = counts.sum(axis=1, keepdims=True)
    expected = sizes * counts.sum(axis=0) / counts.sum()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    shares = counts / sizes
    return float(np.abs(shares[0] - shares[1]).sum() / 2), float(chdtrc(counts.shape[1] - 1, statistic))


def _sampled(data: Dataset) -> Dataset:
    if len(data) <= MOST_RECORDS:
        return data
    return data.take(np.sort(np.random.default_rng(1).choice(len(data), MOST_RECORDS, replace=False)))
