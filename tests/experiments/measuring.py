"""What the experiments measure: errors by number of leaves, and a slanting line beside steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.io.samples import gaussian_in_noise, skewed_gaussians, xor
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.routing import arrivals
from algorithms.structures.tree import Tree

MOST_LEAVES: Final = 150
SEEDS: Final = 9


@dataclass(frozen=True, eq=False)
class SizeCurve:
    """The shares of records that trees of 1 to s leaves get wrong (s,): medians over the seeds on the training records
    and on the others, and half of the middle half of the latter."""

    training: FloatArray
    unseen: FloatArray
    spread: FloatArray

    @property
    def leaves(self) -> IntArray:
        return np.arange(1, len(self.training) + 1)


def parted(data: Dataset, share: float, seed: int) -> tuple[Dataset, Dataset]:
    """A random part of the data for training, as large as ``share`` says, and the rest."""
    order = np.random.default_rng([seed, 1]).permutation(len(data))
    n = round(share * len(data))
    return data.take(order[:n]), data.take(order[n:])


def errors_by_size(tree: Tree, data: Dataset, most: int) -> FloatArray:
    """The share of the records that the tree of 1 to ``most`` leaves decides wrongly (s,).

    ``tree`` was grown best first, so that a smaller one is how it was earlier: a node's children are numbered when it
    is divided. Where it has fewer leaves its last error stands for the others.
    """
    k = len(data.schema.classes)
    weights, codes = np.ones(len(data)), data.class_codes.astype(np.int64)
    by_class = arrivals(tree, data).tally(weights, codes, k)
    wrong = by_class.sum(axis=1) - by_class[np.arange(tree.n_nodes), tree.decision]
    inner = np.flatnonzero(tree.n_children > 0)
    divided = inner[np.argsort(tree.first_child[inner], kind="stable")]
    changes = [float(wrong[list(tree.children(node))].sum() - wrong[node]) for node in divided.tolist()]
    found = np.cumsum([float(wrong[0]), *changes])[:most]
    return np.append(found, np.full(most - len(found), found[-1])) / len(data)


def size_curve(
    generate: Callable[[int], Dataset], share: float, seeds: int = SEEDS, most: int = MOST_LEAVES
) -> SizeCurve:
    """Error by number of leaves of trees grown best first by Gini on a ``share`` of what ``generate(seed)`` makes."""
    training, unseen = [], []
    for seed in range(seeds):
        train, rest = parted(generate(seed), share, seed)
        model = Cart(pruning="none", max_leaves=most).fit(train, RunContext(seed=seed))
        assert isinstance(model, TreeModel)
        training.append(errors_by_size(model.tree, train, most))
        unseen.append(errors_by_size(model.tree, rest, most))
    quarter, three_quarters = np.quantile(unseen, (0.25, 0.75), axis=0)
    return SizeCurve(np.median(training, axis=0), np.median(unseen, axis=0), (three_quarters - quarter) / 2)


def gaussian_curve(share: float, seeds: int = SEEDS, size: int = 10_800, most: int = MOST_LEAVES) -> SizeCurve:
    """*Gaussian in noise* (TSKK Example 3.5) with this share for training."""
    return size_curve(lambda seed: gaussian_in_noise(size, seed, RunContext()), share, seeds, most)


def xor_curve(irrelevant: int, seeds: int = SEEDS, size: int = 1000, most: int = MOST_LEAVES) -> SizeCurve:
    """*XOR* (TSKK Example 3.7) with so many irrelevant attributes, 30% for training."""
    return size_curve(lambda seed: xor(size, seed, RunContext(), irrelevant), 0.3, seeds, most)


@dataclass(frozen=True)
class Contest:
    """A learner on *two skewed Gaussians*: its leaves and its error in 100 on unseen records (medians)."""

    learner: str
    leaves: float
    error: float


def learners() -> tuple[tuple[str, Learner], ...]:
    """The trees that are compared: one with slanting questions, and axis-parallel ones, cut back and not."""
    return (
        ("oblique", ObliqueTree()),
        ("axis-parallel", Cart(pruning="cost-complexity")),
        ("axis-parallel, not cut back", Cart(pruning="none")),
    )


def skewed_contest(seeds: int = SEEDS, size: int = 1000) -> tuple[list[Contest], list[TreeModel]]:
    """*Two skewed Gaussians* (TSKK Figure 3.21): every learner's medians, and the models of the first seed."""
    contests, models = [], []
    unseen = skewed_gaussians(20_000, 12_345, RunContext())
    for name, learner in learners():
        leaves, errors = [], []
        for seed in range(seeds):
            model = learner.fit(skewed_gaussians(size, seed, RunContext()), RunContext(seed=seed))
            assert isinstance(model, TreeModel)
            if seed == 0:
                models.append(model)
            leaves.append(model.tree.n_leaves)
            errors.append(100 * float(np.mean(model.predict(unseen) != unseen.class_codes)))
        contests.append(Contest(name, float(np.median(leaves)), float(np.median(errors))))
    return contests, models


def at(curve: SizeCurve, leaves: Sequence[int]) -> list[tuple[int, float, float]]:
    """Leaves, training error and unseen error in 100 at some sizes."""
    return [(n, 100 * float(curve.training[n - 1]), 100 * float(curve.unseen[n - 1])) for n in leaves]
