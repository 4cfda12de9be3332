"""How probable it is that one learner is better, that both are practically the same, that the other is better.

Differences within the region of practical equivalence (+- ``rope``) do not matter to whoever has to choose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

_NO_DIFFERENCE: Final = 1e-12
PRIOR_STRENGTH: Final = 0.5
"""The weight of the one difference of 0 that is believed in before any is seen (Benavoli et al. 2017, section 4.2)."""
SAMPLES: Final = 50_000
_AT_ONCE: Final = 5_000


@dataclass(frozen=True)
class Belief:
    """How probable it is that the first is better, that both are practically the same, that the second is better."""

    first: float
    same: float
    second: float
    rope: float


def bayesian_correlated_t(differences: ArrayLike, test_share: float, rope: float = 0.01) -> Belief:
    """The posterior of the mean difference of accuracy, and what lies on either side of +-``rope`` and within.

    A Student distribution of k - 1 degrees of freedom about the mean with variance (1/k + r / (1 - r)) s^2, r the
    correlation of overlapping training parts: r / (1 - r) is tested / training records, ``test_share`` (Corani and
    Benavoli 2015, A Bayesian approach for comparing cross-validated algorithms, Eq. 8). Needs two differences.
    """
    from scipy.special import stdtr

    values = np.asarray(differences, dtype=np.float64)
    k, mean = len(values), float(values.mean())
    scale = math.sqrt((1 / k + test_share) * float(values.var(ddof=1)))
    if scale < _NO_DIFFERENCE:
        return Belief(float(mean > rope), float(abs(mean) <= rope), float(mean < -rope), rope)
    below, under = (float(stdtr(k - 1, (edge - mean) / scale)) for edge in (-rope, rope))
    return Belief(1 - under, under - below, below, rope)


def bayesian_signed_rank(
    differences: ArrayLike,
    rope: float = 0.01,
    *,
    strength: float = PRIOR_STRENGTH,
    samples: int = SAMPLES,
    seed: int = 1,
) -> Belief:
    """The signed-rank test over several data sets, from the mean difference (n,) on each.

    A Dirichlet process stands for the distribution of the differences: its weights are drawn from Dirichlet(strength,
    1, ..., 1) over a difference of 0 and those seen, and the mean of two differences drawn by them lies above, within
    or below +-``rope`` with three probabilities. The belief in each is the share of draws in which it is the largest
    (Benavoli, Corani, Demsar and Zaffalon 2017, Time for a change, Eq. 8 and section 4.2). Draws with equal ones count
    in parts. Exact to about 0.002 with 50,000 draws.
    """
    seen = np.concatenate([[0.0], np.asarray(differences, dtype=np.float64).round(12)])
    sums = seen[:, None] + seen[None, :]
    above = (sums > 2 * rope + _NO_DIFFERENCE).astype(np.float64)
    below = (sums < -2 * rope - _NO_DIFFERENCE).astype(np.float64)
    random = np.random.default_rng(seed)
    weights_of = np.concatenate([[strength], np.ones(len(seen) - 1)])
    won = np.zeros(3)
    for start in range(0, samples, _AT_ONCE):
        weights = random.dirichlet(weights_of, min(_AT_ONCE, samples - start))
        first, second = ((weights @ region * weights).sum(axis=1) for region in (above, below))
        shares = np.column_stack([first, 1 - first - second, second]).round(12)
        largest = shares == shares.max(axis=1, keepdims=True)
        won += (largest / largest.sum(axis=1, keepdims=True)).sum(axis=0)
    first_wins, same, second_wins = (won / samples).tolist()
    return Belief(first_wins, same, second_wins, rope)
