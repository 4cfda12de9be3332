"""The negative log likelihood of class probabilities that are the softmax of weighed sums, with its derivatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.linear.sparse_design import AnyDesign, DenseBlock, SparseBlock, block_of

Int32Array = NDArray[np.int32]
_PRODUCTS = 512
"""So many factors between 1 and 2 have a product that is no infinite number."""


@dataclass(frozen=True, eq=False)
class Slope:
    """The loss at one place, its gradient (r, t + 1), and its second derivatives (p, p) with p = r (t + 1), or none."""

    loss: float
    gradient: FloatArray
    hessian: FloatArray | None

    def __add__(self, other: Slope) -> Slope:
        both = None if self.hessian is None or other.hessian is None else self.hessian + other.hessian
        return Slope(self.loss + other.loss, self.gradient + other.gradient, both)


class LogLoss:
    """Of the records of a design with classes (n,), 0..k-1, and weights (n,).

    Two classes have one row of coefficients (r = 1): for the second class rather than the first. More classes have one
    each (r = k), of which only the differences count. The last coefficient of a row is its intercept.
    """

    def __init__(
        self, design: AnyDesign, codes: Int32Array, weights: FloatArray | None, n_classes: int, context: RunContext
    ) -> None:
        self.design, self.codes, self.weights, self.context = design, codes, weights, context
        self.n_classes = n_classes
        self.total = float(len(codes)) if weights is None else float(weights.sum())
        self.shape = (1 if n_classes == 2 else n_classes, len(design.terms) + 1)

    def at(self, theta: FloatArray, *, hessian: bool) -> Slope:
        """The loss and its derivatives for these coefficients (r, t + 1)."""
        part = self._of_two if self.n_classes == 2 else self._of_many

        def add_up(starts: range) -> Slope:
            found: Slope | None = None
            for start in starts:
                self.context.checkpoint()
                slope = part(theta, start, hessian)
                found = slope if found is None else found + slope
            assert found is not None
            return found

        parts = self.context.map(add_up, self.design.chunks())
        whole = parts[0]
        for each in parts[1:]:
            whole = whole + each
        return whole

    def _of_two(self, theta: FloatArray, start: int, hessian: bool) -> Slope:
        block, rows = block_of(self.design, start), self.design.rows(start)
        truth = self.codes[rows]
        score = block.scores(theta)[0]
        decay = np.exp(-np.abs(score))
        below = 1.0 / (1.0 + decay)
        probability = np.where(score >= 0, below, decay * below)
        pull = np.maximum(score, 0.0) - np.where(truth == 1, score, 0.0)
        residual = probability - truth
        bend = decay * below * below
        if self.weights is None:
            loss = float(pull.sum()) + _sum_of_logs(1.0 + decay)
        else:
            weights = self.weights[rows]
            loss = float(np.dot(weights, pull + np.log1p(decay)))
            residual *= weights
            bend *= weights
        second = None
        if hessian:
            second = block.products(np.sqrt(bend))
        return Slope(loss, block.gradient(residual[None]), second)

    def _of_many(self, theta: FloatArray, start: int, hessian: bool) -> Slope:
        block, rows = block_of(self.design, start), self.design.rows(start)
        truth, each = self.codes[rows], np.arange(rows.stop - rows.start)
        score = block.scores(theta)
        score -= score.max(axis=0)
        own = score[truth, each]
        np.exp(score, out=score)
        total = score.sum(axis=0)
        score /= total
        losses = np.log(total) - own
        residual = score.copy()
        residual[truth, each] -= 1.0
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None:
            residual *= weights
        loss = float(losses.sum() if weights is None else np.dot(weights, losses))
        second = self._bends(block, score, weights) if hessian else None
        return Slope(loss, block.gradient(residual), second)

    def _bends(
        self, block: DenseBlock | SparseBlock, probability: FloatArray, weights: FloatArray | None
    ) -> FloatArray:
        """The second derivatives: for classes a and b the products of terms weighed by p_a (1[a = b] - p_b).

        As the probabilities sum to 1, those of a class with itself are the others' sum turned round.
        """
        r, d = self.shape
        found = np.zeros((r, d, r, d))
        root = np.sqrt(probability)
        if weights is not None:
            root *= weights**0.25
        for a in range(r):
            for b in range(a + 1, r):
                product = block.products(root[a] * root[b])
                found[a, :, b] = found[b, :, a] = -product
                found[a, :, a] += product
                found[b, :, b] += product
        return found.reshape(r * d, r * d)


def _sum_of_logs(factors: FloatArray) -> float:
    """The sum of the logarithms of numbers between 1 and 2, of many products at once."""
    whole = len(factors) // _PRODUCTS * _PRODUCTS
    products = factors[:whole].reshape(-1, _PRODUCTS).prod(axis=1)
    return float(np.log(products).sum() + np.log(factors[whole:].prod()))
