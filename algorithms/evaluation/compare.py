"""Comparing two error rates measured on independent test records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from algorithms.core.scores import normal_quantile


@dataclass(frozen=True)
class ErrorDifference:
    """The difference of two error rates, its variance, and the interval that holds it with the given confidence.

    ``largest_confidence`` is the two-sided level up to which the difference is significant.
    """

    difference: float
    variance: float
    interval: tuple[float, float]
    confidence: float
    largest_confidence: float

    @property
    def standard_error(self) -> float:
        return math.sqrt(self.variance)

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out 0."""
        low, high = self.interval
        return not low <= 0 <= high


def error_difference(error_1: float, n_1: int, error_2: float, n_2: int, confidence: float = 0.95) -> ErrorDifference:
    """|e1 - e2| with its variance (TSKK Eq. 3.17) and interval (Eq. 3.18), normal approximation.

    The errors are shares of ``n_1`` and ``n_2`` independent test records (both above 0).
    """
    difference = abs(error_1 - error_2)
    variance = error_1 * (1 - error_1) / n_1 + error_2 * (1 - error_2) / n_2
    margin = normal_quantile(confidence) * math.sqrt(variance)
    z = difference / math.sqrt(variance) if variance else math.inf if difference else 0.0
    largest = 2 * NormalDist().cdf(z) - 1
    return ErrorDifference(difference, variance, (difference - margin, difference + margin), confidence, largest)
