"""Fisher's linear discriminant: classes as clouds of one shape around means of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.classed_records import Records, shares
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.design import learned_terms
from algorithms.core.hyperplanes import Axes, Hyperplanes
from algorithms.linear.covariance import discriminant_axes, inverse_root, made_whole
from algorithms.linear.discriminant import Discriminant, filled
from algorithms.linear.model import LinearModel


@dataclass(frozen=True, kw_only=True)
class LinearDiscriminant(Discriminant):
    """The class whose mean is nearest, measured by the covariance that all classes share, and by the classes' shares.

    Where terms follow from others within the classes, a millionth of a term's variance is added to each, so that the
    covariance can be turned round.
    """

    id: ClassVar[str] = "linear-discriminant"
    name: ClassVar[str] = "Linear discriminant"
    sentence: ClassVar[str] = (
        "Takes each class as a cloud of records, all of one shape, and draws straight borders between their middles: "
        "good with few records, and it shows the direction in which the classes differ most."
    )
    source: ClassVar[str] = "Fisher (1936); Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.3"

    def _fit(self, data: Dataset, context: RunContext) -> LinearModel:
        records = Records.of(data)
        terms = learned_terms(records.data, records.weights, context)
        t, k = len(terms), len(records.class_weight)
        prior = shares(records.class_weight, self.priors)
        weight, bias, axes = np.zeros((t, k)), np.log(np.where(prior > 0, prior, 1e-300)), Axes(np.zeros((t, 0)))
        follows = np.zeros(t, dtype=np.int8)
        if t and len(records.active) > 1:
            moments = self._moments(records, terms, context, apart=False)
            covariance, entangled = made_whole(moments.pooled(), context.checkpoint)
            follows[entangled] = 1
            context.checkpoint()
            root, _ = inverse_root(covariance, context.checkpoint)
            mean = moments.of_classes.mean
            own = root.T @ (root @ mean.T)
            weight = filled(own.T, records.active, k).T
            bias = bias + filled(-0.5 * np.einsum("tk,kt->k", own, mean), records.active, k)
            axes = discriminant_axes(root, mean, moments.prior)
        decided = np.where(prior > 0, records.class_weight, 0.0)
        planes = Hyperplanes(
            terms.schema, terms, decided, np.ascontiguousarray(weight), bias, np.zeros((0, k, k)),
            np.zeros(t, dtype=np.int8), follows, axes, "discriminant", "none",
        )  # fmt: skip
        return LinearModel(planes)
