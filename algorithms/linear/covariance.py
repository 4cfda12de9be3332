"""Covariances that can be turned round: shrunk where records are few, made whole where columns follow from others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.design import independent
from algorithms.core.hyperplanes import Axes
from algorithms.linear.moments import ClassMoments

_BLOCK: Final = 256
FLOOR: Final = 1e-6
"""What is added to the variance of each standardised term where the covariance cannot be turned round."""


def chosen_shrinkage(moments: ClassMoments) -> float:
    """How far to draw correlations towards zero so that they err least: Schäfer and Strimmer (2005), from 0 to 1.

    The sum of the variances of all correlations over the sum of their squares.
    """
    n, scatter = float(moments.weight.sum()), moments.pooled
    spread = np.sqrt(np.maximum(np.diag(scatter) / n, 0.0))
    size = np.outer(spread, spread)
    known = size > 0
    np.fill_diagonal(known, False)
    if n <= 1 or not known.any():
        return 1.0 if n <= 1 else 0.0
    mean = np.divide(scatter / n, size, out=np.zeros_like(size), where=known)
    squares = np.divide(moments.squares, size**2, out=np.zeros_like(size), where=known)
    variance = np.maximum(squares - n * mean**2, 0.0) * n / (n - 1) ** 3
    correlation = mean * n / (n - 1)
    below = float((correlation[known] ** 2).sum())
    return float(min(1.0, variance[known].sum() / below)) if below > 0 else 1.0


def shrunk(covariance: FloatArray, shrinkage: float) -> FloatArray:
    """A covariance whose correlations are drawn towards zero by a part from 0 to 1; the variances stay."""
    found = (1.0 - shrinkage) * covariance
    np.fill_diagonal(found, np.diag(covariance))
    return found


def made_whole(covariance: FloatArray, checkpoint: Callable[[], None] = lambda: None) -> tuple[FloatArray, np.ndarray]:
    """A covariance (t, t) that can be turned round, and which terms (t,) followed from those before them.

    Where any did, a millionth of a standardised term's variance is added to each.
    """
    size = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    follows = ~independent(covariance / np.outer(size, size), checkpoint) | (np.diag(covariance) < 1e-10)
    if follows.any():
        covariance = covariance + FLOOR * np.eye(len(covariance))
    return covariance, follows


def inverse_root(covariance: FloatArray, checkpoint: Callable[[], None] = lambda: None) -> tuple[FloatArray, float]:
    """The inverse of the lower root of a covariance (t, t), and the logarithm of its determinant.

    ``checkpoint`` is called between blocks of a large one; it may raise.
    """
    from scipy.linalg import LinAlgError, solve_triangular  # late: a list of learners needs none of it

    try:
        root = _lower_root(covariance, checkpoint)
    except LinAlgError:  # terms that follow from others but for rounding
        whole = float(np.abs(np.diag(covariance)).max())
        root = _lower_root(covariance + FLOOR * max(whole, 1.0) * np.eye(len(covariance)), checkpoint)
    inverse = np.zeros_like(root)
    for start in range(0, len(root), _BLOCK):
        checkpoint()
        own = slice(start, start + _BLOCK)  # above a block of the inverse there is nothing
        inverse[start:, own] = solve_triangular(root[start:, start:], np.eye(len(root))[start:, own], lower=True)
    return inverse, 2.0 * float(np.log(np.diag(root)).sum())


def _lower_root(covariance: FloatArray, checkpoint: Callable[[], None]) -> FloatArray:
    """The lower root of a covariance (t, t), block by block (Golub and Van Loan, Matrix Computations, 4.2.9)."""
    from scipy.linalg import cholesky, solve_triangular  # late: a list of learners needs none of it

    rest, root = covariance.copy(), np.zeros_like(covariance)
    for start in range(0, len(rest), _BLOCK):
        checkpoint()
        own, below = slice(start, start + _BLOCK), slice(start + _BLOCK, None)
        root[own, own] = cholesky(rest[own, own], lower=True)
        root[below, own] = solve_triangular(root[own, own], rest[below, own].T, lower=True).T
        rest[below, below] -= root[below, own] @ root[below, own].T
    return root


def discriminant_axes(inverse: FloatArray, mean: FloatArray, prior: FloatArray) -> Axes:
    """The directions in which the means (k, t) of classes with these shares (k,) lie furthest apart, measured by the
    covariance within them: Fisher (1936), Rao (1948). The largest loading of each is above 0.

    ``inverse`` (t, t) is the inverse of that covariance's lower root.
    """
    t, m = len(inverse), min(len(prior) - 1, len(inverse))
    if m < 1:
        return Axes(np.zeros((t, 0)))
    apart = (mean - prior @ mean) * np.sqrt(prior)[:, None]
    within = inverse @ apart.T
    vectors, sizes, _ = np.linalg.svd(within, full_matrices=False)
    values, vectors = sizes[:m] ** 2, vectors[:, :m]
    kept = values > 1e-12 * max(float(values[0]), 1e-300)
    loading = inverse.T @ vectors[:, kept]
    if not loading.shape[1] or values[0] <= 0:
        return Axes(np.zeros((t, 0)))
    size = np.abs(loading)
    largest = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    loading = loading * np.sign(loading[largest, np.arange(loading.shape[1])])
    return Axes(np.ascontiguousarray(loading), np.asarray(values[kept] / values[kept].sum()))
