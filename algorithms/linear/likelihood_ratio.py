"""Likelihood-ratio tests of the attributes of a logistic regression, and profile intervals under Firth's penalty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.terms import Terms
from algorithms.linear.firth import firth
from algorithms.linear.log_loss import LogLoss

CRITICAL: Final = 3.841458820694124
"""The 95% quantile of chi-square with one degree of freedom."""
DOUBLINGS: Final = 12
"""An interval that is wider than so many doublings of two standard errors has no end there."""


@dataclass(frozen=True, eq=False)
class Tested:
    """``attributes`` (m, 3): position in the schema, statistic, degrees of freedom. ``profile`` (t, 3): p, low and
    high of each coefficient of a standardised term; NaN where it was not found, no rows where it was not asked for."""

    attributes: FloatArray
    profile: FloatArray


Refit = Callable[[Terms, RunContext], float]
"""The least loss of a model of these terms alone."""


class _FinishedError(Exception):
    """The run is to finish early, in the middle of a test."""


def maximum_likelihood_tests(terms: Terms, loss: float, n_rows: int, refit: Refit, context: RunContext) -> Tested:
    """Twice the log likelihood that each attribute adds to a model of all others, from the ``loss`` of all.

    A nominal attribute is tested as a whole: as many degrees of freedom as it has terms, times ``n_rows`` (one less
    than there are classes). Record weights count as repetitions. Attributes after an early finish have no test.
    """
    found, indices = [], np.unique(terms.attribute).tolist()
    for index in indices:
        own = terms.attribute == index
        part = context.child(1 / len(indices), index)
        statistic = max(0.0, 2 * (refit(terms.chosen(~own), part) - loss))
        if context.finishing:
            break
        part.complete()
        found.append((index, statistic, int(own.sum()) * n_rows))
    return Tested(np.array(found, dtype=np.float64).reshape(-1, 3), np.zeros((0, 3)))


def firth_tests(loss: LogLoss, theta: FloatArray, best: float, errors: FloatArray, context: RunContext) -> Tested:
    """Penalised likelihood-ratio tests and profile intervals from the coefficients (1, t + 1) of the likelihood
    ``best``, with their standard errors (t,).

    Where coefficients are held, the penalty is still that of all terms (Heinze and Schemper 2002).
    """
    from scipy.stats import chi2  # late: a list of learners needs none of it

    terms, t = loss.design.terms, theta.size - 1
    profile, found = np.full((t, 3), np.nan), []
    indices = np.unique(terms.attribute).tolist()

    def lost(places: np.ndarray, values: float) -> float:
        free, held = np.ones(t + 1, dtype=np.bool_), theta.copy()
        free[places], held[0, places] = False, values
        likelihood = firth(loss, held, free)[1]
        if context.finishing:
            raise _FinishedError  # what was found last is not whole
        return max(0.0, 2 * (best - likelihood))

    def profiled(place: int, statistic: float | None) -> tuple[float, float, float]:
        alone = lost(np.array([place]), 0.0) if statistic is None else statistic
        low, high = (
            _end(lambda value: lost(np.array([place]), value), float(theta[0, place]), reach)
            for reach in (-2 * errors[place], 2 * errors[place])
        )
        return float(chi2.sf(alone, 1)), low, high

    for done, index in enumerate(indices):
        context.advance(done, len(indices))
        own = np.flatnonzero(terms.attribute == index)
        try:
            statistic = lost(own, 0.0)
            rows = [profiled(place, statistic if len(own) == 1 else None) for place in own.tolist()]
        except _FinishedError:
            break
        found.append((index, statistic, len(own)))
        profile[own] = rows
    return Tested(np.array(found, dtype=np.float64).reshape(-1, 3), profile)


def _end(lost: Callable[[float], float], middle: float, reach: float) -> float:
    """Where the statistic of a coefficient reaches its critical value, on the side of ``reach``."""
    from scipy.optimize import brentq  # late: a list of learners needs none of it

    near, far = middle, middle + reach
    for _ in range(DOUBLINGS):
        if lost(far) > CRITICAL:
            return float(brentq(lambda value: lost(value) - CRITICAL, near, far, xtol=1e-7 * abs(reach), rtol=1e-10))
        near, far = far, middle + 2 * (far - middle)
    return float(np.copysign(np.inf, reach))
