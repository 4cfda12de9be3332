"""Class probabilities from the sums of machines: sigmoids fitted to them, and what many pairs say together."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.coupling import coupled
from algorithms.core.platt import platt_curve

Places = NDArray[np.int64]
PLAIN: Final = (2.0, 0.0)
"""Slope and offset of Platt's curve that is taken where none was fitted: 0.5 on the boundary, 0.88 on the margin."""
_CELLS: Final = 2_000_000
_SURE: Final = 1e-7


def of_sigmoid(scores: FloatArray, sigmoid: FloatArray) -> FloatArray:
    """The probability of the first class of each machine (n, m) by its sums (n, m) and its curve (m, 2)."""
    return platt_curve(scores, sigmoid[:, 0], sigmoid[:, 1])


def of_pairs(pairs: FloatArray, first: Places, second: Places, k: int) -> FloatArray:
    """The probabilities of k classes (n, k) that agree best with those of the first class of each pair (n, m)."""
    found = np.empty((len(pairs), k))
    step = max(1, _CELLS // ((k + 1) * (k + 1)))
    for at in range(0, len(pairs), step):
        part = np.clip(pairs[at : at + step], _SURE, 1.0 - _SURE)
        sides = np.full((len(part), k, k), 0.5)
        sides[:, first, second], sides[:, second, first] = part, 1.0 - part
        found[at : at + step] = coupled(sides)
    return found


def by_votes(scores: FloatArray, first: Places, second: Places, k: int) -> FloatArray:
    """Scores of k classes (n, k) from the sums of machines for their pairs (n, m): the votes of each class, and less
    than half a vote by how clear the sums were, so that ties are settled."""
    votes, clear = np.zeros((len(scores), k)), np.zeros((len(scores), k))
    for machine, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        f = scores[:, machine]
        votes[:, i] += f > 0
        votes[:, j] += f <= 0
        clear[:, i] += f
        clear[:, j] -= f
    return np.asarray(votes + clear / (3.0 * (np.abs(clear) + 1.0)))
