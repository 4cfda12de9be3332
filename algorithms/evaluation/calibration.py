"""Whether probabilities can be taken at their word: the reliability diagram and its error."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.scores import normal_quantile
from algorithms.evaluation.scored import ScoredClass


class Binning(StrEnum):
    """How records are put together by their probability."""

    EQUAL_WIDTH = "equal-width"
    EQUAL_FREQUENCY = "equal-frequency"


@dataclass(frozen=True, eq=False)
class Reliability:
    """What was said and what came true in each bin that holds records (b,), from low probabilities to high ones.

    ``low`` and ``high`` are the ends of the bins (of equal frequency: the least and the greatest probability in it),
    ``said`` the mean probability, ``true`` the share of the class, ``weights`` the weight and ``counts`` the number of
    its records. ``least`` and ``most`` are the ends of the share's 95% interval (TSKK Eq. 3.16, Wilson 1927).
    """

    low: FloatArray
    high: FloatArray
    said: FloatArray
    true: FloatArray
    weights: FloatArray
    counts: FloatArray
    least: FloatArray
    most: FloatArray

    @property
    def error(self) -> float | None:
        """The expected calibration error: mean distance of what was said from what came true, by weight.

        Naeini, Cooper and Hauskrecht 2015, Obtaining well calibrated probabilities using Bayesian binning.
        """
        total = float(self.weights.sum())
        return float(np.abs(self.said - self.true) @ self.weights) / total if total else None

    @property
    def largest_error(self) -> float | None:
        """The distance in the worst bin (maximum calibration error)."""
        return float(np.abs(self.said - self.true).max()) if len(self.said) else None


def reliability(scored: ScoredClass, bins: int = 10, binning: Binning = Binning.EQUAL_WIDTH) -> Reliability:
    """Put the records of a class into ``bins`` by its probability and compare what was said with what came true.

    Equal widths are [0, 1/b), [1/b, 2/b), ... with 1 in the last. Equal frequencies hold about as many records each;
    records of one probability are never parted, so there may be fewer bins. Empty bins are left out.
    """
    m = len(scored)
    if binning is Binning.EQUAL_WIDTH:
        edges = np.arange(bins + 1) / bins
        starts = np.searchsorted(scored.scores, edges[1:-1].astype(scored.precision), side="left")
    else:
        wanted = np.round(np.arange(1, bins) * (m / bins)).astype(np.int64)
        values = scored.scores[np.minimum(wanted, max(0, m - 1))] if m else np.zeros(0)
        starts = np.searchsorted(scored.scores, values, side="left")
    bounds = np.concatenate([[0], starts, [m]])
    filled = np.flatnonzero(np.diff(bounds))
    first, last = bounds[filled], bounds[filled + 1]
    weights, of_class, said = _sums(scored, first)
    true = of_class / weights
    counts = (last - first).astype(np.float64)
    least, most = _intervals(true, _worth(scored, first, weights, counts))
    if binning is Binning.EQUAL_WIDTH:
        low, high = edges[filled], edges[filled + 1]
    else:
        low, high = scored.scores[first], scored.scores[last - 1]
    return Reliability(low, high, said / weights, true, weights, counts, least, most)


def _sums(scored: ScoredClass, first: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weight, weight of the class and sum of the probabilities from each of these positions to the next (b,)."""
    if not len(first):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    if scored.weights is None:
        ends = np.append(first, len(scored))
        bins = [slice(*ends[at : at + 2]) for at in range(len(first))]
        of_class = np.array([np.count_nonzero(scored.is_of_class[each]) for each in bins], dtype=np.float64)
        said = np.array([scored.scores[each].sum() for each in bins])
        return np.diff(ends).astype(np.float64), of_class, said
    marks, scores = scored.is_of_class * scored.weights, scored.scores * scored.weights
    return np.add.reduceat(scored.weights, first), np.add.reduceat(marks, first), np.add.reduceat(scores, first)


def _worth(scored: ScoredClass, first: IntArray, weights: FloatArray, counts: FloatArray) -> FloatArray:
    """Of how many equally weighted records those of each bin are worth (b,): (Σ w)² / Σ w² (Kish 1965)."""
    if scored.weights is None or not len(first):
        return counts
    return weights if scored.weights_are_counts else weights**2 / np.add.reduceat(scored.weights**2, first)


def _intervals(shares: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both ends of the 95% intervals of shares (b,) seen in ``n`` equally weighted records (b,) (TSKK Eq. 3.16)."""
    z = normal_quantile(0.95)
    middle, spread = 2 * n * shares + z * z, z * np.sqrt(z * z + 4 * n * shares * (1 - shares))
    whole = 2 * (n + z * z)
    return np.clip((middle - spread) / whole, 0, 1), np.clip((middle + spread) / whole, 0, 1)
