"""What the best of many looks like by chance (TSKK section 3.7.2 and chapter 10: multiple comparisons).

Of fifty analysts who toss coins, one is right on eight of ten days with a chance of 94%. Of many models judged on the
same records, the best looks better than it is in the same way.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.core.columns import FloatArray, IntArray

_REACH = 9.0
"""Standard deviations around the mean that hold all of a binomial distribution that matters."""


def chance_of_so_many(right: int, n: int, p: float) -> float:
    """The chance of ``right`` or more right ones among ``n`` where each is right with chance ``p``."""
    counts, shares = _binomial(n, p)
    return min(1.0, float(shares[counts >= right].sum()))


def chance_of_one_among(models: int, single: float) -> float:
    """The chance that one at least of so many independent ones does what each does with chance ``single``."""
    return 1.0 if single >= 1 else -math.expm1(models * math.log1p(-single))


def best_by_chance(accuracy: float, n: int, models: int) -> float:
    """The accuracy that the best of so many seems to have on average on ``n`` records where all truly have this one.

    For models that err independently; those that err alike differ less. The mean of the largest of ``models``
    binomial numbers, over ``n``.
    """
    if n <= 0 or models <= 1:
        return accuracy
    counts, shares = _binomial(n, accuracy)
    below = np.minimum(1.0, np.cumsum(shares))
    return float(counts[-1] - (below[:-1] ** models).sum()) / n


def _binomial(n: int, p: float) -> tuple[IntArray, FloatArray]:
    """Counts around the mean and their shares of the binomial distribution; they sum to 1."""
    middle, reach = n * p, _REACH * math.sqrt(n * p * (1 - p)) + 20
    counts = np.arange(max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach)) + 1)
    if p <= 0 or p >= 1:
        return counts, (counts == round(middle)).astype(np.float64)
    steps = np.log((n - counts[:-1]) / (counts[:-1] + 1)) + math.log(p / (1 - p))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    shares = np.exp(logs - logs.max())
    return counts, shares / shares.sum()
