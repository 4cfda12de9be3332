"""Surrogate splits: questions that stand in for another one where its answer is missing.

Source: Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 5.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth.growth_options import middles
from algorithms.learners.trees.node_records import coded_branches

_LEAST: Final = 1e-9
"""A surrogate has to beat sending every record down the heavier branch by more than this."""


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A test of two branches on another attribute, and its predictive measure of association with the node's own.

    ``threshold`` is NaN and ``branch_of`` the branch of each code where the attribute is a list of values.
    """

    attribute: int
    threshold: float
    branch_of: NDArray[np.int16]
    swapped: bool
    agreement: float


def surrogates_of(branch: IntArray, own: int, data: Dataset, most: int) -> list[Surrogate]:
    """The surrogates of a test on attribute ``own`` that sends the records of ``data`` down ``branch`` (n,), the best
    first.

    The slow twin of what grows with the tree. The records without an answer (-1) do not count, but a threshold lies
    half way to the next value of any record. A surrogate's measure is (min(pL, pR) - (1 - p)) / min(pL, pR),
    p the share of the records for which it says the same as the test, pL and pR those that the test sends left and
    right, all among the records whose value is known in both.
    """
    answered = branch >= 0
    found = []
    for index in data.schema.predictors:
        if index == own:
            continue
        known = np.flatnonzero(answered & ~data.missing(index))
        sides = np.zeros((len(known), 2))
        sides[np.arange(len(known)), branch[known]] = data.weight_array[known]
        surrogate = _best(data, index, known, sides)
        if surrogate is not None:
            found.append(surrogate)
    found.sort(key=lambda surrogate: -round(surrogate.agreement, 9))
    return found[:most]


def _best(data: Dataset, index: int, known: IntArray, sides: FloatArray) -> Surrogate | None:
    """The best surrogate by one attribute, from its known values and each record's weight on either side (n, 2)."""
    total = sides.sum(axis=0)
    lighter = float(total.min())
    if len(known) == 0 or lighter <= 0:
        return None
    attribute, column = data.schema.attributes[index], data.column(index)[known]
    values, place = np.unique(column, return_inverse=True)
    table = np.zeros((len(values), 2))
    np.add.at(table, place, sides)
    if len(values) < 2:
        return None
    none = np.zeros(0, dtype=np.int16)
    if attribute.kind is AttributeKind.NOMINAL:
        heavier = int(np.argmax(total))
        side = np.where(table[:, 0] == table[:, 1], heavier, np.argmax(table, axis=1))
        agreed, swapped, threshold = float(table[np.arange(len(values)), side].sum()), False, np.nan
        branch_of = np.full(len(attribute.values), -1, dtype=np.int16)
        branch_of[values.astype(np.int64)] = side
        one_sided = bool(np.all(side == side[0]))
    else:
        below = np.cumsum(table, axis=0)[:-1]
        same, other = below[:, 0] + total[1] - below[:, 1], below[:, 1] + total[0] - below[:, 0]
        cut = int(np.argmax(np.maximum(same, other)))
        all_known = data.column(index)[~data.missing(index)]
        above = all_known[all_known > values[cut]].min()
        swapped, agreed, one_sided = bool(other[cut] > same[cut]), float(max(same[cut], other[cut])), False
        if attribute.kind is AttributeKind.ORDINAL:
            middle = (int(values[cut]) + int(above)) // 2
            up = np.arange(len(attribute.values)) > middle
            branch_of, threshold, swapped = (up ^ swapped).astype(np.int16), np.nan, False
        else:
            branch_of, threshold = none, float(middles(values[[cut]], np.array([above]))[0])
    agreement = (lighter - (float(total.sum()) - agreed)) / lighter
    if one_sided or agreement <= _LEAST:
        return None
    return Surrogate(index, threshold, branch_of, swapped, agreement)


def surrogate_sides(surrogate: Surrogate, column: NDArray[np.generic]) -> IntArray:
    if len(surrogate.branch_of):
        return coded_branches(surrogate.branch_of, column)
    numbers = np.asarray(column, dtype=np.float64)
    return np.where(np.isnan(numbers), -1, (numbers > surrogate.threshold) ^ surrogate.swapped).astype(np.int64)
