"""Kernel functions of support vector machines, and their defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray

LINEAR: Final = "linear"
POLYNOMIAL: Final = "polynomial"
GAUSSIAN: Final = "gaussian"
SIGMOID: Final = "sigmoid"
KINDS: Final = (LINEAR, POLYNOMIAL, GAUSSIAN, SIGMOID)

_SINGLE_UP_TO: Final = 64.0
"""Largest exponent that is exact enough in single precision: to about 1e-5 of the value."""
_LARGEST: Final = 1e60
_CHECKED: Final = 800
_CELLS: Final = 4_000_000
_AT_HAND: Final = 65_536
"""Numbers of a block that stays in the processor cache after a matrix product."""
_TOGETHER: Final = 128
"""Numbers summed in single precision; their sums are added in double precision."""

Cells = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Similarity:
    """A kernel (TSKK 5.5.4): u.v, (gamma u.v + constant)^degree, exp(-gamma |u - v|^2), tanh(gamma u.v + constant)."""

    kind: str
    gamma: float = 1.0
    degree: int = 1
    constant: float = 0.0

    def between(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Kernel matrix (n, m) of the rows of ``a`` (n, t) and ``b`` (m, t)."""
        kernel = np.empty((len(a), len(b)))
        here, there = KernelPoints(self, a, single=False), KernelPoints(self, b, single=False)
        step = max(1, _CELLS // max(1, len(b)))
        for start in range(0, len(a), step):
            kernel[start : start + step] = there.rows(here.left[start : start + step], slice(None))
        return kernel

    def diagonal(self, x: FloatArray) -> FloatArray:
        """Kernel of each row (n, t) with itself (n,)."""
        if self.kind == GAUSSIAN:
            return np.ones(len(x))
        products = np.einsum("nt,nt->n", x, x)[None]
        return np.asarray(self.of_products(products)[0])

    def of_products(self, products: Any) -> Any:
        """Kernel from products u.v, or from exponents for a Gaussian; computed in place."""
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            if self.kind == GAUSSIAN:
                np.exp(products, out=products)
            elif self.kind != LINEAR:
                products *= self.gamma
                products += self.constant
                if self.kind == SIGMOID:
                    np.tanh(products, out=products)
                else:
                    np.clip(products**self.degree, -_LARGEST, _LARGEST, out=products)
        return products


class KernelPoints:
    """Points (n, t) prepared so that one matrix product gives their kernels.

    The Gaussian exponent -gamma |u - v|^2 is the product of (u s, -gamma |u|^2, 1) and (v s, 1, -gamma |v|^2) with
    s^2 = 2 gamma. ``single`` allows single precision if it is exact enough.
    """

    def __init__(self, similarity: Similarity, x: FloatArray, *, single: bool) -> None:
        self.similarity = similarity
        self.left: Any = x
        self.right: Any = x.T
        if similarity.kind == GAUSSIAN:
            half = similarity.gamma * np.einsum("nt,nt->n", x, x)
            single = single and (not len(half) or float(half.max()) < _SINGLE_UP_TO)
            kept = np.float32 if single else np.float64
            n, t = x.shape
            self.left = np.empty((n, t + 2), kept)
            self.left[:, :t] = x * np.sqrt(2 * similarity.gamma)
            self.left[:, t], self.left[:, t + 1] = -half, 1.0
            self.right = self.left.T[[*range(t), t + 1, t]]

    def __len__(self) -> int:
        return int(self.right.shape[1])

    def take(self, rows: Any) -> KernelPoints:
        points = object.__new__(KernelPoints)
        points.similarity, points.left, points.right = (
            self.similarity,
            self.left[rows],
            np.ascontiguousarray(self.right[:, rows]),
        )
        return points

    def rows(self, left: Any, columns: slice) -> Any:
        """Kernels of rows of ``left`` (m, .) with the points in ``columns``: (m, columns)."""
        return self.similarity.of_products(left @ self.right[:, columns])

    def sums(self, left: Any, coefficients: FloatArray, checkpoint: Callable[[], None]) -> FloatArray:
        """For each point (n,) the sum of coefficients (m,) times its kernels with ``left`` (m, .)."""
        sums = np.zeros(len(self))
        step = _AT_HAND // _TOGETHER
        for begin in range(0, len(self), step):
            checkpoint()
            some = slice(begin, begin + step)
            for first in range(0, len(left), _TOGETHER):
                products = self.rows(left[first : first + _TOGETHER], some)
                sums[some] += coefficients[first : first + _TOGETHER].astype(products.dtype) @ products
        return sums


def usual_gamma(x: FloatArray, weights: FloatArray) -> float:
    """Default gamma: 1 over the summed variances of the columns (n, t); the mean squared distance times it is 2."""
    total = float(weights.sum())
    if not total or not x.shape[1]:
        return 1.0
    middle = weights @ x / total
    spread = float((weights @ np.square(x - middle)).sum() / total)
    return 1.0 / spread if spread > 1e-300 else 1.0


def usual_length(similarity: Similarity, x: FloatArray) -> float:
    """Mean squared distance of records from their centre in kernel space, from a sample of a few hundred."""
    some = x[:: max(1, len(x) // _CHECKED + 1)]
    if len(some) < 2:
        return 1.0
    length = float(similarity.diagonal(some).mean() - similarity.between(some, some).mean())
    return length if np.isfinite(length) and length > 1e-12 else 1.0


def lowest_share(similarity: Similarity, x: FloatArray) -> float:
    """Smallest eigenvalue of the kernel matrix of rows (n, t) over the largest in absolute value.

    Large tables are sampled. A negative share means that the kernel matrix is not positive semidefinite.
    """
    if similarity.kind in (LINEAR, GAUSSIAN) or (similarity.kind == POLYNOMIAL and similarity.constant >= 0):
        return 0.0
    some = x[:: max(1, len(x) // _CHECKED + 1)]
    if not len(some):
        return 0.0
    values = np.linalg.eigvalsh(similarity.between(some, some))
    share = float(values[0] / max(np.abs(values).max(), 1e-300))
    return share if share < -1e-10 else 0.0
