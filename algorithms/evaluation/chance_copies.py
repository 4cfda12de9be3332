"""How many records would equal another one by chance, given how often each value occurs.

Columns that take few values make equal records of different things: such copies are natural and say nothing against
a test. The share that chance explains is the larger of two estimates. The first takes the columns for independent
within each class. The second lets each column depend on one other (Chow and Liu, Approximating discrete probability
distributions with dependence trees, 1968); it counts each distinct record once, so that copies do not explain
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from algorithms.core.columns import Column, FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.evaluation.twins import record_hashes

Checkpoint = Callable[[], None]

TIMES: Final = 2.0
"""Copies are no longer natural from so many times as many on, as chance would make."""
SURE: Final = 0.001
"""And only where chance would make so many no more often than this."""
MOST_COLUMNS: Final = 40
"""Of wider tables only the first estimate is made: the second takes the square of the columns."""
MOST_RECORDS: Final = 5_000
"""So many distinct records show which columns depend on each other."""


def share_by_chance(data: Dataset, tested: Dataset | None, n_others: IntArray, checkpoint: Checkpoint) -> float:
    """The share of tested records that equal at least one of ``n_others`` (m,) records of their own class by chance.

    Values are as frequent as in ``data``. The tested records are those of ``tested``, which has the same schema, or
    where it is None those of ``data``, each compared with the others.
    """
    codes = next(_coded(data, tested, (_class_index(data),), checkpoint))
    columns = list(_coded(data, tested, data.schema.predictors, checkpoint))
    n, is_own = len(data), tested is None
    distinct = np.unique(record_hashes(data, checkpoint), return_index=True)[1]
    estimates = [_independent(columns, codes, n, is_own, distinct, checkpoint)]
    if 1 < len(columns) <= MOST_COLUMNS:
        estimates.append(_dependent(columns, codes, n, is_own, distinct, checkpoint))
    return max(float(np.mean(_at_least_one(each, n_others))) for each in estimates)


def is_natural(share: float, by_chance: float, n: int) -> bool:
    """Whether chance explains the ``share`` of ``n`` records that have a copy.

    It does unless there are :data:`TIMES` as many, and more than a Poisson number of pairs would be.
    """
    from scipy.special import gammainc

    if share <= TIMES * by_chance:
        return True
    pairs = max(1.0, float(np.floor(share * n / 2)))
    return bool(gammainc(pairs, by_chance * n / 2) > SURE)


def _at_least_one(matches: FloatArray, n_others: IntArray) -> FloatArray:
    """The probability (m,) of at least one match among ``n_others``, each of probability ``matches`` (m,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share: FloatArray = -np.expm1(n_others * np.log1p(-np.minimum(matches, 1.0)))
    return np.where(n_others > 0, share, 0.0)


def _class_index(data: Dataset) -> int:
    index = data.schema.class_index
    assert index is not None  # who tests has a class
    return index


def _coded(
    data: Dataset, tested: Dataset | None, indices: tuple[int, ...], checkpoint: Checkpoint
) -> Iterator[IntArray]:
    """The values of each column as numbers from 0 on, missing ones too: those of ``data``, then those of ``tested``."""
    for index in indices:
        checkpoint()
        column: Column = data.column(index)
        if tested is not None:
            column = np.concatenate([column, tested.column(index)])
        if column.dtype != np.float64:
            yield column.astype(np.int64) - min(0, int(column.min(initial=0)))
        else:
            yield np.unique(column, return_inverse=True)[1].astype(np.int64)


def _independent(
    columns: list[IntArray], codes: IntArray, n: int, is_own: bool, distinct: IntArray, checkpoint: Checkpoint
) -> FloatArray:
    """The probability (m,) that a record of its class equals each tested one, its columns taken for independent.

    ``columns`` and ``codes`` hold the ``n`` records that tell how frequent values are, then, unless these are tested
    themselves (``is_own``), the tested ones. A tested record does not count for itself. In a column in which most
    records have a value of their own, a value recurs by copying: there only ``distinct`` records count, without it.
    """
    asked = slice(0, n) if is_own else slice(n, None)
    every = np.arange(n)
    matches = np.ones(len(codes[asked]))
    for column in columns:
        checkpoint()
        cells = codes * (int(column.max(initial=0)) + 1) + column
        is_fine = len(np.unique(column[:n])) > n / 2
        counted, own = (distinct, 1) if is_fine else (every, int(is_own))
        of_class = np.bincount(codes[counted], minlength=int(codes.max(initial=0)) + 1)[codes[asked]] - own
        of_value = np.bincount(cells[counted], minlength=int(cells.max(initial=0)) + 1)[cells[asked]] - own
        matches *= np.maximum(of_value, 0) / np.maximum(of_class, 1)
    return matches


def _dependent(
    columns: list[IntArray], codes: IntArray, n: int, is_own: bool, distinct: IntArray, checkpoint: Checkpoint
) -> FloatArray:
    """As :func:`_independent`, with each column depending on one other, and each distinct record counted once.

    A record that is tested is not counted where it is among the ``distinct`` ones, nor is its twin.
    """
    asked = slice(0, n) if is_own else slice(n, None)
    of_class = np.bincount(codes[distinct], minlength=int(codes.max(initial=0)) + 1)[codes[asked]]
    matches = np.ones(len(of_class))
    for child, parent in _dependence_tree(columns, codes, distinct[:MOST_RECORDS], checkpoint):
        checkpoint()
        given = codes if parent is None else np.unique(_joint(codes, columns[parent]), return_inverse=True)[1]
        both = np.unique(_joint(given, columns[child]), return_inverse=True)[1]
        n_given = np.bincount(given[distinct], minlength=int(given.max(initial=0)) + 1)[given[asked]] - 1
        n_both = np.bincount(both[distinct], minlength=int(both.max(initial=0)) + 1)[both[asked]] - 1
        matches *= np.maximum(n_both, 0) / np.maximum(n_given, 1)
    return matches


def _dependence_tree(
    columns: list[IntArray], codes: IntArray, rows: IntArray, checkpoint: Checkpoint
) -> list[tuple[int, int | None]]:
    """Each column with the one it depends on, that one first: the tree of most mutual information given the class."""
    classes = codes[rows]
    parts = [column[rows] for column in columns]
    alone = [_entropy(_joint(classes, part)) for part in parts]
    best = np.full(len(parts), -np.inf)
    nearest: list[int | None] = [None] * len(parts)
    best[0] = np.inf
    waiting, tree = set(range(len(parts))), list[tuple[int, int | None]]()
    while waiting:
        checkpoint()
        chosen = max(sorted(waiting), key=lambda each: best[each])
        waiting.remove(chosen)
        tree.append((chosen, nearest[chosen]))
        for other in waiting:
            both = _joint(_joint(classes, parts[chosen]), parts[other])
            shared = alone[chosen] + alone[other] - _entropy(both)
            if shared > best[other]:
                best[other], nearest[other] = shared, chosen
    return tree


def _joint(first: IntArray, second: IntArray) -> IntArray:
    """One number (n,) for each pair of values."""
    return np.unique(first, return_inverse=True)[1] * (int(second.max(initial=0)) + 1) + second


def _entropy(values: IntArray) -> float:
    """The entropy in nats of these values."""
    shares = np.unique(values, return_counts=True)[1] / len(values)
    return float(-(shares * np.log(shares)).sum())
