"""The quadratic discriminant: classes as clouds that each have a shape of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.classed_records import Records, shares
from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.design import learned_terms
from algorithms.core.gaussians import Gaussians
from algorithms.core.hyperplanes import Axes
from algorithms.core.params import real
from algorithms.linear.covariance import discriminant_axes, inverse_root, made_whole
from algorithms.linear.discriminant import Discriminant, Moments, filled
from algorithms.linear.quadratic_model import QuadraticModel


@dataclass(frozen=True, kw_only=True)
class QuadraticDiscriminant(Discriminant):
    """The class with the largest normal density times its share. Regularised as Friedman (1989) proposed.

    ``pooling`` is the part of each class's covariance that is the one of all classes together. A class whose own
    covariance cannot be turned round (few records, or a term that never differs in it) takes at least the part
    t / (t + n) of it, for t terms and n records of the class.
    """

    id: ClassVar[str] = "quadratic-discriminant"
    name: ClassVar[str] = "Quadratic discriminant"
    sentence: ClassVar[str] = (
        "Takes each class as a cloud of records with a shape of its own and draws curved borders between them: for "
        "numbers, where there are many records of each class."
    )
    source: ClassVar[str] = "Friedman, Regularized Discriminant Analysis (1989)"

    pooling: float = real(
        0.0,
        lo=0.0,
        hi=1.0,
        label="Shapes alike",
        help="Which part of each class's shape is the one of all classes together: 0 gives each its own, 1 makes it "
        "the linear discriminant.",
    )

    def _covariances(self, k: int) -> int:
        return k

    def _fit(self, data: Dataset, context: RunContext) -> QuadraticModel:
        records = Records.of(data)
        terms = learned_terms(records.data, records.weights, context)
        t, k = len(terms), len(records.class_weight)
        prior = shares(records.class_weight, self.priors)
        mean, spread, root = np.zeros((k, t)), np.ones((k, t)), np.tile(np.eye(t), (k, 1, 1))
        log_det, blended, axes = np.zeros(k), np.zeros(k), Axes(np.zeros((t, 0)))
        if t and len(records.active) > 1:
            moments = self._moments(records, terms, context, apart=True)
            pooled, _ = made_whole(moments.pooled(), context.checkpoint)
            mean = filled(moments.of_classes.mean, records.active, k)
            for at, code in enumerate(records.active.tolist()):
                context.checkpoint()
                context.advance(at, len(records.active))
                covariance, blended[code] = self._of_class(moments, at, pooled)
                root[code], log_det[code] = inverse_root(covariance, context.checkpoint)
                spread[code] = np.sqrt(np.diag(covariance))
            axes = discriminant_axes(
                inverse_root(pooled, context.checkpoint)[0], moments.of_classes.mean, moments.prior
            )
        weight = records.class_weight
        held = Gaussians(terms.schema, terms, weight, prior, mean, spread, root, log_det, blended, axes)
        return QuadraticModel(held)

    def _of_class(self, moments: Moments, at: int, pooled: FloatArray) -> tuple[FloatArray, float]:
        """The covariance of an active class, and which part of it is that of all."""
        weight = float(moments.of_classes.weight[at])
        own = moments.own(at)
        part, t = self.pooling, len(own)
        if made_whole(own)[1].any():
            part = max(part, t / (t + weight))
        return (1.0 - part) * own + part * pooled, part
