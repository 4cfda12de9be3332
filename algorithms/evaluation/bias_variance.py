"""What a learner's error on each record comes from: its leaning, and chance in its training set.

Source: Domingos, A unified bias-variance decomposition for zero-one and squared loss (2000); TSKK section 5.6.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Learner

Decisions = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The zero-one loss of m models, each of another training set, on n records of known class.

    ``main`` (n,) is the class that most models decide for, ``shares`` (n, k) how many of them decide for each. Where
    the main decision is wrong the record has ``bias`` 1. A model that differs from the main decision adds to the loss
    where that is right (``unbiased`` variance (n,)), and lessens it where that is wrong and the model right
    (``biased`` (n,)). The classes are taken as without noise, so that bias has in it what no model can tell.
    """

    shares: FloatArray
    main: Decisions
    truth: Decisions

    @property
    def bias(self) -> FloatArray:
        return np.asarray(self.main != self.truth, dtype=np.float64)

    @property
    def variance(self) -> FloatArray:
        """How many of the models decide otherwise than most do (n,)."""
        return np.asarray(1 - self.shares[np.arange(len(self.main)), self.main])

    @property
    def unbiased(self) -> FloatArray:
        return np.asarray(np.where(self.main == self.truth, self.variance, 0.0))

    @property
    def biased(self) -> FloatArray:
        right = self.shares[np.arange(len(self.truth)), self.truth]
        return np.asarray(np.where(self.main == self.truth, 0.0, right))

    @property
    def loss(self) -> FloatArray:
        """How many of the models are wrong (n,): bias + unbiased - biased variance, exactly."""
        return np.asarray(1 - self.shares[np.arange(len(self.truth)), self.truth])


def decomposed(
    learner: Learner, draw: Callable[[int], Dataset], models: int, tests: Dataset, context: RunContext
) -> Decomposition:
    """Learn from the training sets ``draw(0)`` to ``draw(models - 1)`` and decompose the loss on ``tests``.

    The models are made side by side; raises :class:`Cancelled` on a stop.
    """

    def one(at: int) -> Decisions:
        part = context.child(1 / models, at)
        found = learner.fit(draw(at), part).predict(tests)
        part.complete()
        return found

    k = len(tests.schema.classes)
    counts = np.zeros((len(tests), k))
    for decisions in context.map(one, range(models)):
        counts[np.arange(len(tests)), decisions] += 1
    return Decomposition(counts / models, counts.argmax(axis=1).astype(np.int32), tests.class_codes.astype(np.int32))
