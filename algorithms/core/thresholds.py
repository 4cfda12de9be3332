"""Deciding at a threshold of one class's probability: the one comparison of all who decide so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.learner import Codes


def compared_with(threshold: float, probabilities: NDArray[np.floating]) -> np.floating:
    """The threshold in the precision of the probabilities; files written before hold single precision."""
    return probabilities.dtype.type(threshold)


def reaches(probability: NDArray[np.floating], threshold: float) -> NDArray[np.bool_]:
    """Which of these probabilities of a class decide for it at the threshold: those that are at least as large."""
    reached: NDArray[np.bool_] = probability >= compared_with(threshold, probability)
    return reached


def at_threshold(probabilities: NDArray[np.floating], code: int, threshold: float) -> Codes:
    """Class ``code`` where its probability (m, k) reaches the threshold, the likeliest of the others elsewhere (m,)."""
    given = np.asarray(probabilities)
    return np.where(reaches(given[:, code], threshold), code, next_best(given, code)).astype(np.int32)


def next_best(probabilities: NDArray[np.floating], code: int) -> Codes:
    """The likeliest class but ``code`` of each record (m,), of equals the first; ``code`` where there is no other."""
    m, k = probabilities.shape
    if k < 2:
        return np.full(m, code, dtype=np.int32)
    if k == 2:
        return np.full(m, 1 - code, dtype=np.int32)
    others = np.array(probabilities)
    others[:, code] = -np.inf
    return np.asarray(np.argmax(others, axis=1).astype(np.int32))


def halfway(low: FloatArray | float, high: FloatArray | float) -> FloatArray:
    """A threshold that ``high`` reaches and ``low``, which is less, does not: midway, or ``high`` where they adjoin."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    middle = (low + high) / 2
    return np.asarray(np.where(middle > low, middle, high))
