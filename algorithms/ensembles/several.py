"""What committees of three named learners share."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.bayes.naive_bayes import NaiveBayes
from algorithms.core.learner import Learner, Problem
from algorithms.core.params import learner as learner_parameter
from algorithms.core.summary import Summary
from algorithms.neighbors.k_nearest import KNearestNeighbors
from algorithms.trees.c45 import C45


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
