"""Attributes that alone predict the class almost perfectly, often because they are known only after the class.

Each attribute is tested on unseen records by a one-rule classifier (Holte, Very simple classification rules perform
well, 1993). The rule predicts the most frequent class of each value, or of each interval of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.resampling import fold_numbers
from algorithms.data.columns import Column, IntArray, missing_mask
from algorithms.data.dataset import Dataset

Checkpoint = Callable[[], None]

FOLDS: Final = 3
MOST_RECORDS: Final = 20_000
"""Sample size for larger tables; enough to estimate an accuracy near 97%."""
LEAST_RECORDS: Final = 30
MOST_RANGES: Final = 256
SMALLEST_RANGE: Final = 6
"""Minimum number of training records in an interval, as in Holte."""
MOST_CLASSES: Final = 30
SCREENED: Final = 2_000
SCREEN: Final = 0.6
"""In large tables :data:`SCREENED` records select the attributes that remove this share of baseline errors."""
NEARLY_ALWAYS: Final = 0.97
SHARE_OF_ERRORS_GONE: Final = 0.9
"""Minimum share of the baseline's errors removed: 97% accuracy means nothing if the baseline has it too."""


@dataclass(frozen=True)
class LeakingAttribute:
    """An attribute and the accuracy of its one-rule classifier on unseen records."""

    name: str
    accuracy: float


def giveaways(data: Dataset, checkpoint: Checkpoint, seed: int = 1) -> list[LeakingAttribute]:
    """The attributes that alone nearly determine the class, by accuracy; none with few records or predictors."""
    rows = np.flatnonzero(data.class_codes >= 0)
    if len(rows) > MOST_RECORDS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_RECORDS, replace=False))
    predictors = data.schema.predictors
    if len(rows) < LEAST_RECORDS or len(predictors) < 2:
        return []
    random = np.random.default_rng(seed)
    if len(rows) > 2 * SCREENED:
        few = np.sort(random.choice(rows, SCREENED, replace=False))
        predictors = tuple(
            i for i, _, gone in _one_rule_results(data, predictors, few, random, checkpoint) if gone >= SCREEN
        )
    leaking = [
        LeakingAttribute(data.schema.attributes[index].name, right)
        for index, right, gone in _one_rule_results(data, predictors, rows, random, checkpoint)
        if right >= NEARLY_ALWAYS and gone >= SHARE_OF_ERRORS_GONE
    ]
    return sorted(leaking, key=lambda attribute: -attribute.accuracy)


def _one_rule_results(
    data: Dataset, predictors: Sequence[int], rows: IntArray, random: np.random.Generator, checkpoint: Checkpoint
) -> Iterator[tuple[int, float, float]]:
    """Each predictor's index, one-rule accuracy and removed share of the baseline's errors."""
    codes = data.class_codes[rows].astype(np.int64)
    folds = fold_numbers(codes, len(codes), FOLDS, random)
    wrong = 1 - float(np.bincount(codes).max() / len(codes))
    for index in predictors if wrong > 0 else ():
        checkpoint()
        right = one_rule_accuracy(data, index, rows, codes, folds)
        yield index, right, 1 - (1 - right) / wrong


def one_rule_accuracy(data: Dataset, index: int, rows: IntArray, codes: IntArray, folds: IntArray) -> float:
    """Cross-validated accuracy of one rule on an attribute; ``codes`` and ``folds`` (m,) are those of ``rows`` (m,)."""
    attribute = data.schema.attributes[index]
    column = data.cells(index, rows)
    missing = missing_mask(attribute, column)
    n_classes, right = int(codes.max()) + 1, 0
    for fold in range(FOLDS):
        tested = folds == fold
        if attribute.kind.is_coded:
            cells, n_cells = column.astype(np.int64), len(attribute.values)
        else:
            trains = ~tested & ~missing
            edges = _interval_bounds(column[trains], codes[trains])
            cells, n_cells = np.searchsorted(edges, column, side="right"), len(edges) + 1
        cells = np.where(missing, n_cells, cells)
        rule = _rule(cells[~tested], codes[~tested], n_cells + 1, n_classes)
        right += int(np.count_nonzero(rule[cells[tested]] == codes[tested]))
    return right / len(rows)


def _rule(cells: IntArray, codes: IntArray, n_cells: int, n_classes: int) -> IntArray:
    """Most frequent class of each cell (n_cells,); empty cells get the most frequent class of all records."""
    counts = np.bincount(cells * n_classes + codes, minlength=n_cells * n_classes).reshape(n_cells, n_classes)
    rule: IntArray = np.argmax(counts, axis=1)
    rule[counts.sum(axis=1) == 0] = int(np.argmax(counts.sum(axis=0)))
    return rule


def _interval_bounds(values: Column, codes: IntArray) -> Column:
    """Ascending bounds (m,), midway between neighbours: quantiles, and each class's two best cut points."""
    order = np.argsort(values, kind="stable")
    ordered, classes, n = values[order], codes[order], len(values)
    counted = np.arange(1, n + 1)
    n_ranges = max(1, min(MOST_RANGES, n // SMALLEST_RANGE))
    starts = [(np.arange(1, n_ranges) * n) // n_ranges]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1])
    if len(changes):
        for code in np.unique(classes)[:MOST_CLASSES].tolist():
            is_class = classes == code
            lead = (np.cumsum(is_class) - counted * is_class.mean())[changes]
            starts.append(changes[[lead.argmin(), lead.argmax()]] + 1)
    start = np.concatenate(starts)
    with np.errstate(invalid="ignore"):  # the midpoint of two infinities is NaN, and no value lies above NaN
        return np.unique(ordered[start - 1] + (ordered[start] - ordered[start - 1]) / 2)
