"""Gradient boosting: small trees one after the other, each lessening what the ones before it leave of the loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Learner
from algorithms.core.members import Committee
from algorithms.core.params import integer, real
from algorithms.ensembles.bootstrap import weighty
from algorithms.ensembles.gradient_model import GradientModel, Scores
from algorithms.ensembles.importance import impurity_importance, shares
from algorithms.ensembles.loss_tree import KERNELS, LossTrees
from algorithms.trees import parameters as tree_parameters
from algorithms.trees.induction import KERNELS as GROWING
from algorithms.trees.model import TreeModel

_BINNING: Final = ("algorithms.trees.binning_kernels",)


@dataclass(frozen=True, kw_only=True)
class GradientBoosting(Learner):
    """Trees of the slopes of the logistic loss, of several classes one a round for each class.

    The scores begin at the shares of the classes; each tree is grown on numbers in 255 bins and added to them scaled
    down by the step. With less than all records drawn each round learns from a part of them, drawn without replacement.
    """

    id: ClassVar[str] = "gradient-boosting"
    name: ClassVar[str] = "Gradient boosting"
    sentence: ClassVar[str] = (
        "Grows one small tree after the other, each mending a little of what those before it leave wrong: among the "
        "most accurate there is for tables."
    )
    source: ClassVar[str] = "Friedman, Greedy function approximation (2001); Stochastic gradient boosting (2002)"
    family: ClassVar[str] = "Committees"
    kernels: ClassVar[tuple[str, ...]] = (*GROWING, *_BINNING, *KERNELS)

    members: int = integer(
        100,
        lo=1,
        hi=10_000,
        label="Rounds",
        help="How many trees are added one after the other; with several classes so many for each. Too many learn the "
        "noise as well.",
        unit="rounds",
    )
    step: float = real(
        0.1,
        lo=0.001,
        hi=1.0,
        label="Step",
        help="How much of what each tree would mend is taken over. Small steps need more rounds and err less.",
    )
    max_depth: int = integer(
        3, lo=1, hi=30, label="Most questions in a row", help="How deep each tree may grow.", unit="questions"
    )
    min_leaf: int = tree_parameters.min_leaf(5)
    size: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Records drawn",
        help="How many of every 100 training records each round learns from, drawn by chance: half of them often errs "
        "less and takes half the time.",
        unit="%",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return self.size < 100

    def _fit(self, data: Dataset, context: RunContext) -> GradientModel:
        ensure_compiled(self.kernels, context)
        data = weighty(data)
        if not data.weight_array.any():
            data = data.with_weights(None)
        truth = data.class_codes.astype(np.int64)
        weight = data.weight_array
        held = np.bincount(truth, weight, minlength=len(data.schema.classes)).astype(np.float64)
        scoring = Scores(np.flatnonzero(held).astype(np.int64), len(held))
        start = _start(held[scoring.present])
        scores = np.tile(start, (len(data), 1))
        trees, answers, errors = list[TreeModel](), list[FloatArray](), list[float]()
        growing = LossTrees(data, self.min_leaf, self.max_depth, context)
        target = truth[:, None] == scoring.scored
        scale = len(scoring.present) / max(1, len(scoring.present) - 1) if scoring.n_scores > 1 else 1.0
        for number in range(self.members if len(scoring.present) > 1 else 1):
            if trees and context.finishing:
                break
            part = context.child(1 / self.members, number)
            rows = np.arange(len(data))
            if self.size < 100:
                rows = np.sort(part.random().permutation(rows)[: max(1, round(len(data) * self.size / 100))])
            believed = scoring.shares(scores)[:, -scoring.n_scores :]
            for at in range(scoring.n_scores):
                slope = weight * (believed[:, at] - target[:, at])
                curvature = weight * believed[:, at] * (1 - believed[:, at]) * scale
                tree, found, arrived = growing.grown(rows, slope, curvature, part)
                trees.append(TreeModel(tree))
                answers.append(self.step * found)
                scores[:, at] += answers[-1][arrived]
            part.complete()
            wrong = scoring.present[np.argmax(scoring.shares(scores), axis=1)] != truth
            errors.append(float(weight[wrong].sum() / weight.sum()))
        importance = shares(np.sum([impurity_importance(model.tree) for model in trees], axis=0))
        return GradientModel(
            data.schema,
            trees,
            answers=np.concatenate(answers),
            start=start,
            present=scoring.present,
            known=Committee(training_error=np.array(errors), impurity_importance=importance),
            partial=len(errors) < self.members and context.finishing,
        )


def _start(held: FloatArray) -> FloatArray:
    """The scores that give the classes the shares that they hold (c,)."""
    logarithm = np.log(held / held.sum())
    return np.asarray(logarithm if len(held) > 2 else (logarithm[-1:] - logarithm[:1]))
