"""Bias and variance of a nearest neighbour and of a tree of two questions in a row, over many small training sets.

The records are of two classes, each a mixture of three round clouds that overlap those of the other class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.bias_variance import Decisions, Decomposition
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.cart import Cart

LEANING: Final[Mapping[str, Learner]] = {
    "1-nearest neighbour": KNearestNeighbors(k=1),
    "tree of depth 2": Cart(pruning="none", max_depth=2),
}
RECORDS: Final = 100
CENTRES: Final = np.array([[[4.0, 14.0], [9.0, 10.0], [4.0, 5.0]], [[11.0, 16.0], [14.0, 10.0], [11.0, 3.0]]])
SPREAD: Final = 2.5


def clouds(n: int, seed: int, *, likeliest: bool = False) -> Dataset:
    """n records; with ``likeliest`` each has the class that is likelier where it lies, which the best model says."""
    random = np.random.default_rng(seed)
    codes, cloud = random.integers(0, 2, n), random.integers(0, 3, n)
    points = CENTRES[codes, cloud] + random.normal(0.0, SPREAD, (n, 2))
    if likeliest:
        squared = ((points[:, None, None, :] - CENTRES) ** 2).sum(axis=3)
        codes = np.exp(-squared / (2 * SPREAD**2)).sum(axis=2).argmax(axis=1)
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ("a", "b"))), 2)
    return Dataset(schema, [*points.T, codes.astype(np.int8)])


def training_set(number: int) -> Dataset:
    """The records of one of the training sets."""
    return clouds(RECORDS, number + 1)


def decomposed(
    learner: Learner, draw: Callable[[int], Dataset], models: int, tests: Dataset, context: RunContext
) -> Decomposition:
    """Learn from the training sets ``draw(0)`` to ``draw(models - 1)`` and decompose the loss on ``tests``.

    The models are made side by side; raises :class:`Cancelled` on a stop.
    """

    def one(index: int) -> Decisions:
        part = context.child(1 / models, index)
        predicted = learner.fit(draw(index), part).predict(tests)
        part.complete()
        return predicted

    k = len(tests.schema.classes)
    counts = np.zeros((len(tests), k))
    for decisions in context.map(one, range(models)):
        counts[np.arange(len(tests)), decisions] += 1
    return Decomposition(counts / models, counts.argmax(axis=1).astype(np.int32), tests.class_codes.astype(np.int32))


def leaning(learner: Learner, models: int, tests: int) -> Decomposition:
    """What the learner's error beside the best model's comes from, over so many models, on so many other records."""
    return decomposed(learner, training_set, models, clouds(tests, 0, likeliest=True), RunContext(seed=1))
