"""Voting: three learners of different kinds decide together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.parameters import Option, choice, integer, when
from algorithms.core.parameters import learner as learner_parameter
from algorithms.core.resampling import inner_fold_numbers, learned_beside
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.member_training import side_by_side, weighty
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.c45 import C45


@dataclass(frozen=True, kw_only=True)
class ThreeLearners(Learner):
    """Three learners, each trained on all records; one of them may be a committee again."""

    first: Learner = learner_parameter(C45(), label="First member", help="Any learner, with its own options.")
    second: Learner = learner_parameter(NaiveBayes(), label="Second member", help="Any learner, with its own options.")
    third: Learner = learner_parameter(
        KNearestNeighbors(), label="Third member", help="Any learner; for more than three another committee."
    )

    @property
    def learners(self) -> tuple[Learner, ...]:
        """The learners of the members."""
        return self.first, self.second, self.third

    def check(self, summary: Summary) -> list[Problem]:
        return next((found for learner in self.learners if (found := learner.check(summary))), [])

    def summary(self) -> str:
        return f"{self.name}, {', '.join(learner.name for learner in self.learners)}"


ACCURACY: Final = "accuracy"
_FOLDS: Final = 100
_JUDGING: Final = 0
_LEARNING: Final = 1


@dataclass(frozen=True, kw_only=True)
class Voting(ThreeLearners):
    """Three learners, each trained on all records; one of them may be a committee again.

    By accuracy, a vote weighs as much as the member is right on folds of the training records it did not learn from.
    """

    id: ClassVar[str] = "voting"
    name: ClassVar[str] = "Voting"
    sentence: ClassVar[str] = (
        "Lets three learners of different kinds make a model each and decides by what they say together: they seldom "
        "have the same records wrong."
    )
    source: ClassVar[str] = "Kittler, Hatef, Duin and Matas, On combining classifiers (1998); TSKK section 5.6"
    family: ClassVar[str] = "Committees"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    combine: str = choice(
        "probabilities",
        Option("probabilities", "their probabilities, averaged", "How sure each member is counts as well."),
        Option("votes", "their votes", "Each member names one class; of three different ones the most frequent wins."),
        Option(
            ACCURACY,
            "their votes, by accuracy",
            "A vote weighs as much as the member is right on training records that it did not learn from.",
        ),
        label="What counts is",
        help="How the members come to one answer.",
    )
    folds: int = integer(
        5,
        lo=2,
        hi=_FOLDS,
        label="Folds for the accuracy",
        help="Into how many parts the training records are cut to find how often each member is right.",
        unit="folds",
        enabled_if=when("combine", ACCURACY),
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return self.combine == ACCURACY or any(learner.resamples for learner in self.learners)

    def _fit(self, data: Dataset, context: RunContext) -> CommitteeModel:
        data = weighty(data)

        def make(member: int, part: RunContext) -> tuple[int, Model, float]:
            learner = self.learners[member]
            share = self._accuracy(learner, data, part) if self.combine == ACCURACY else 1.0
            return member, learner.fit(data, part.child(0.5, _LEARNING)), share

        found = side_by_side(make, len(self.learners), context, lambda *_: None)
        weights: FloatArray = np.array([share for *_, share in found])
        class_weights = np.bincount(data.class_codes, data.weights, minlength=len(data.schema.classes))
        return CommitteeModel(
            data.schema,
            [model for _, model, _ in found],
            weights=weights if weights.any() else np.ones(len(found)),
            averaged=self.combine == "probabilities",
            class_weights=class_weights.astype(np.float64),
            names=[f"{member + 1} {self.learners[member].name}" for member, *_ in found],
            partial=len(found) < len(self.learners) or context.finishing,
        )

    def _accuracy(self, learner: Learner, data: Dataset, context: RunContext) -> float:
        """How often, by weight, a learner is right about folds of these records; 1 where there are too few."""
        judging = context.child(0.5, _JUDGING)
        k = min(self.folds, len(data))
        if k < 2:
            return 1.0
        fold = inner_fold_numbers(data, k, judging.random(), stratified=True)
        right = tested = 0.0
        for number in range(k):
            context.checkpoint()
            outside = data.take(fold == number)
            inside = data.take(learned_beside(data, fold == number))
            if not len(inside) or not len(outside):
                continue
            part = judging.child(1 / k, number)
            said = learner.fit(inside, part).decided(outside, part)
            right += float(outside.weight_array[said == outside.class_codes].sum())
            tested += float(outside.weight_array.sum())
        judging.complete()
        return right / tested if tested > 0 else 1.0
