"""What the pairs of classes say, brought together into shares of all classes."""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import FloatArray


def coupled(r: FloatArray) -> FloatArray:
    """Probabilities (n, p) that agree best with those of all pairs (n, p, p).

    The p minimise the sum over pairs of (r_ji p_i - r_ij p_j)^2, which a system of equations settles. Source: Wu, Lin
    and Weng, Probability estimates for multi-class classification by pairwise coupling, JMLR 5 (2004), second way.
    """
    n, p = r.shape[:2]
    system = np.zeros((n, p + 1, p + 1))
    turned = np.swapaxes(r, 1, 2)
    system[:, :p, :p] = -turned * r
    diagonal = np.arange(p)
    squares = turned**2
    squares[:, diagonal, diagonal] = 0.0
    system[:, diagonal, diagonal] = squares.sum(axis=2)
    system[:, :p, p] = system[:, p, :p] = 1.0
    wanted = np.zeros((n, p + 1, 1))
    wanted[:, p] = 1.0
    found = np.clip(np.linalg.solve(system, wanted)[:, :p, 0], 0.0, None)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
