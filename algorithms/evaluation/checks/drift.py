"""Whether tested records are of another kind than those that trained: each attribute by itself, and the class.

Numbers by the two-sample test of Kolmogorov and Smirnov, values by the chi-square test of homogeneity, and how many are
missing by the same, or by Fisher's exact test where too few are expected for it; all corrected for their number (Holm).
With very many records a difference that does not matter is significant too, so it must be large as well as sure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.data.alignment import aligned
from algorithms.data.columns import Column, FloatArray, missing_mask
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute
from algorithms.evaluation.compare.significance_tests import holm
from algorithms.evaluation.methods.methods import Holdout
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import with_class

ALPHA: Final = 0.01
LEAST: Final = 0.1
"""The largest distance of the cumulative shares, or half the summed differences of shares, from which it matters."""
MOST_RECORDS: Final = 20_000
FEWEST: Final = 20
LEAST_EXPECTED: Final = 5.0
"""So many records of a value are expected at least on either side; rarer ones are taken together."""


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


def drifts(
    training: Dataset,
    tested: Dataset,
    checkpoint: Callable[[], None] = lambda: None,
    *,
    left_out: Collection[str] = (),
) -> list[Drift]:
    """What differs between two data sets of one schema, the largest difference first.

    Looks at the attributes that are learned from but those ``left_out`` by a recipe, and at the class. Nothing is said
    where either has few records.
    """
    if min(len(training), len(tested)) < FEWEST:
        return []
    one, other = _sampled(training), _sampled(tested)
    schema = training.schema
    found = []
    for index in (*schema.predictors, *(() if schema.class_index is None else (schema.class_index,))):
        checkpoint()
        attribute = schema.attributes[index]
        if attribute.name in left_out:
            continue
        for distance, p, is_missing in _compared(attribute, one.column(index), other.column(index)):
            found.append(Drift(attribute.name, distance, p, is_missing, index == schema.class_index))
    corrected = holm([each.p_value for each in found])
    sure = [
        Drift(each.name, each.distance, p, each.is_missing, each.is_class)
        for each, p in zip(found, corrected, strict=True)
        if p <= ALPHA and each.distance >= LEAST
    ]
    return sorted(sure, key=lambda each: -each.distance)


def drifts_of(
    result: EvaluationResult,
    data: Dataset,
    tested: Dataset | None,
    checkpoint: Callable[[], None] = lambda: None,
    *,
    left_out: Collection[str] = (),
) -> list[Drift]:
    """How the tested records of a run on ``data`` differ from those that trained it; ``tested`` are a test file's.

    Nothing where several parts were tested, or one that was drawn at random. The column by which the parts were told
    apart differs by intention. No model sees the columns ``left_out`` by the recipe.
    """
    if tested is not None:
        known = with_class(aligned(data.schema, tested))[0]
        return drifts(with_class(data)[0], known, checkpoint, left_out=left_out)
    if result.test_is_training or result.n_judged != 1 or isinstance(result.method, Holdout):
        return []
    known, _ = with_class(data)
    is_tested = np.isin(known.row_ids, result.row_ids)
    found = drifts(known.take(~is_tested), known.take(is_tested), checkpoint, left_out=left_out)
    return [each for each in found if each.name != result.method.values().get("column")]


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
    shares = counts / sizes
    distance = float(np.abs(shares[0] - shares[1]).sum() / 2)
    pooled = _pooled(counts)
    expected = sizes * pooled.sum(axis=0) / pooled.sum()
    if expected.min() < LEAST_EXPECTED:
        return distance, _exactly(pooled)
    statistic = float(((pooled - expected) ** 2 / expected).sum())
    return distance, float(chdtrc(pooled.shape[1] - 1, statistic))


def _exactly(counts: FloatArray) -> float:
    """The chance of Fisher's exact test (2, 2), which needs no number of expected records."""
    from scipy.stats import fisher_exact

    return float(fisher_exact(counts.astype(np.int64))[1])


def _pooled(counts: FloatArray) -> FloatArray:
    """The counts (2, k) with the rarest values taken together until five of each are expected or two kinds are left.

    Of fewer the statistic does not follow the chi-square distribution (Cochran 1954), and many rare values would
    look like a drift.
    """
    share = counts.sum(axis=1).min() / counts.sum()
    order = np.argsort(counts.sum(axis=0), kind="stable")
    expected = np.cumsum(counts.sum(axis=0)[order]) * share
    own = counts.sum(axis=0)[order] * share
    rare = int(np.count_nonzero(own < LEAST_EXPECTED))
    if not rare:
        return counts
    rare = min(rare, len(order) - 1)
    while rare < len(order) - 1 and expected[rare - 1] < LEAST_EXPECTED:
        rare += 1
    return np.column_stack([counts[:, order[:rare]].sum(axis=1), counts[:, order[rare:]]])


def _sampled(data: Dataset) -> Dataset:
    if len(data) <= MOST_RECORDS:
        return data
    return data.take(np.sort(np.random.default_rng(1).choice(len(data), MOST_RECORDS, replace=False)))
