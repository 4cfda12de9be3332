"""Bagging: one learner trained on bootstrap samples (registry entry)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Learner, Model, WrappingLearner
from algorithms.core.parameters import Option, boolean, choice, integer, learner_parameter, real
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.member_training import (
    OUT_OF_BAG,
    VoteSums,
    counted,
    drawn_rows,
    sample_of,
    side_by_side,
    weighty,
)
from algorithms.learners.ensembles.model import CommitteeModel, can_be_seen, kept_small, rounds_of, votes_of
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.tree_learner import WholeTreeLearner

_DRAWING: Final = 0
_LEARNING: Final = 1
_ASKING: Final = 2


@dataclass(frozen=True, kw_only=True)
class Bagging(WrappingLearner):
    """Bagging of ``members`` models on bootstrap samples, optionally on random subspaces.

    Records are drawn by their weights and then have the mean weight. The out-of-bag estimate of a record uses the
    members whose sample contains neither it nor a copy of it.
    """

    id: ClassVar[str] = "bagging"
    name: ClassVar[str] = "Bagging"
    sentence: ClassVar[str] = (
        "Trains many models on bootstrap samples and combines their predictions, which lowers the variance."
    )
    source: ClassVar[str] = "Breiman, Bagging predictors, Machine Learning 24 (1996); TSKK Algorithm 5.6"
    family: ClassVar[str] = "Ensembles"
    gives_parts_away: ClassVar[bool] = True
    kernels: ClassVar[tuple[str, ...]] = C45.kernels
    always_resamples: ClassVar[bool] = True

    base: Learner = learner_parameter(C45(pruning="none"), label="Base learner", help="The learner of every member.")
    members: int = integer(
        50,
        lo=1,
        hi=10_000,
        label="Members",
        help="Number of models in the ensemble. More take longer; beyond some number the accuracy does not change.",
        unit="members",
    )
    size: float = real(
        100.0,
        lo=1.0,
        hi=1000.0,
        label="Sample size (%)",
        help="Number of records that each member draws, in percent of the training records.",
        unit="%",
        advanced=True,
    )
    attributes_given: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Features per member",
        help="Share of the attributes that each member uses, drawn at random (random subspaces).",
        unit="%",
        advanced=True,
    )
    combine: str = choice(
        "probabilities",
        Option("probabilities", "Mean probability", "Averages the predicted probabilities."),
        Option("votes", "Majority vote", "Each member votes for one class."),
        label="Combine by",
        help="How the predictions of the members are combined.",
        advanced=True,
    )
    out_of_bag: bool = boolean(
        True,
        label="Out-of-bag estimate",
        help="Predicts each record by the members that were not trained on it.",
        advanced=True,
    )

    @property
    def tests_left_out(self) -> bool:
        return True

    def summary(self) -> str:
        return f"{self.name}, {self.members:,} × {self.base.summary()}"

    def _fit(self, data: Dataset, context: RunContext) -> CommitteeModel:
        data = weighty(data)
        class_weights = data.class_weights
        tally, averaged = VoteSums(data, class_weights), self.combine == "probabilities"

        def make(member: int, part: RunContext) -> tuple[Model, IntArray]:
            model, rows, votes = part.call(_member, self, data)
            if votes is not None:
                tally.count(member, votes)
            return model, rows

        results = side_by_side(make, self.members, context, tally.count)
        members, rounds = [model for model, _ in results], None
        if can_be_seen(data, self.members):
            counted = [np.bincount(rows, minlength=len(data)).astype(np.float64) for _, rows in results]
            rounds = rounds_of(data, counted, [votes_of(model, data, averaged=averaged) for model in members])
        return CommitteeModel(
            data.schema,
            members,
            weights=np.ones(len(members)),
            averaged=averaged,
            class_weights=class_weights,
            known=tally.committee() if self.out_of_bag else None,
            names=[self.base.name] * len(members),
            rounds=rounds,
            partial=len(members) < self.members or context.finishing,
        )

    def fit_member(self, data: Dataset, rows: IntArray, part: RunContext) -> Model:
        """A member trained on these rows, which may repeat."""
        whole = isinstance(self.base, WholeTreeLearner) and self.base.pruning == "none" and not self.base.resamples
        sample = (counted if whole else sample_of)(data, rows)
        predictors = data.schema.predictors
        given = max(1, round(len(predictors) * self.attributes_given / 100))
        if given < len(predictors):
            gone = part.child(0.0, _DRAWING).child(0.0, 0).random().permutation(predictors)[given:]
            sample = sample.with_schema(sample.schema.without_use(gone.tolist()))
        return self.base.fit(sample, part.child(0.9, _LEARNING))


def _member(
    learner: Bagging, data: Dataset, part: RunContext
) -> tuple[Model, IntArray, tuple[FloatArray, NDArray[np.bool_]] | None]:
    """A member, the rows it was trained on, and its votes with the records out of bag, if these are wanted."""
    size = max(1, round(len(data) * learner.size / 100))
    rows = drawn_rows(data.weights, len(data), size, part.child(0.0, _DRAWING).random())
    model = learner.fit_member(data, rows, part)
    only_to_have_one = part.can_finish and part.finishing
    if not learner.out_of_bag or only_to_have_one:
        return kept_small(model), rows, None
    averaged = learner.combine == "probabilities"
    votes = votes_of(model, data, averaged=averaged, context=part.child(0.1, _ASKING))
    return kept_small(model), rows, (votes, data.derived(OUT_OF_BAG).of(rows))
