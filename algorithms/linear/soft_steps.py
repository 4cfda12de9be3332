"""The least of a parabola plus a price for the size of each coordinate: coordinate descent, made exact at its end."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.linalg import LinAlgError

from algorithms.core.columns import FloatArray

_SWEEPS: Final = 2000
_BETWEEN: Final = 4
"""So many sweeps are made before the signs they found are tried."""


def least_with_prices(hessian: FloatArray, gradient: FloatArray, at: FloatArray, prices: FloatArray) -> FloatArray:
    """The x (p,) that minimises ``gradient (x - at) + (x - at) hessian (x - at) / 2 + sum of prices |x|``.

    Sweeps over the coordinates find which are zero and the signs of the others; given these, the rest is a linear
    system, whose solution is taken where it has these signs and no zero would rather be another number.
    """
    x, slope = at.copy(), gradient.copy()
    diagonal = np.maximum(np.diag(hessian), 1e-300)
    for sweep in range(_SWEEPS):
        moved = _sweep(hessian, slope, x, diagonal, prices)
        if moved < 1e-13:
            return x
        if sweep % _BETWEEN == _BETWEEN - 1:
            exact = _with_signs_of(x, hessian, gradient, at, prices)
            if exact is not None:
                return exact
    return x


def _sweep(hessian: FloatArray, slope: FloatArray, x: FloatArray, diagonal: FloatArray, prices: FloatArray) -> float:
    """Minimise over each coordinate in turn, in place; the furthest that any moved."""
    furthest = 0.0
    for j in range(len(x)):
        bend, old = float(diagonal[j]), float(x[j])
        free = old - float(slope[j]) / bend
        price = float(prices[j]) / bend
        new = free - price if free > price else free + price if free < -price else 0.0
        if new != old:
            slope += hessian[j] * (new - old)
            x[j] = new
            furthest = max(furthest, abs(new - old))
    return furthest


def _with_signs_of(
    x: FloatArray, hessian: FloatArray, gradient: FloatArray, at: FloatArray, prices: FloatArray
) -> FloatArray | None:
    """The least with these zeros and signs; None where it is not the least of all."""
    from scipy.linalg import cho_factor, cho_solve  # late: a list of learners needs none of it

    alive, signs = (x != 0) | (prices == 0), np.sign(x)
    right = (hessian @ at - gradient - prices * signs)[alive]
    try:
        factor = cho_factor(hessian[np.ix_(alive, alive)], lower=True, check_finite=False)
    except LinAlgError:
        return None
    found = np.zeros_like(x)
    found[alive] = cho_solve(factor, right, check_finite=False)
    if np.any((np.sign(found) != signs) & (prices > 0)):
        return None
    slope = gradient + hessian @ (found - at)
    return found if np.all(np.abs(slope[~alive]) <= prices[~alive] * (1 + 1e-9)) else None
