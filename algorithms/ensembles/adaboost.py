"""AdaBoost of any learner: each member learns most from the records that those before it had wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, cast

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.enabling import when
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.params import Option, boolean, choice, integer
from algorithms.core.params import learner as learner_parameter
from algorithms.core.summary import Summary
from algorithms.ensembles import parameters
from algorithms.ensembles.boosting import BoostingRules, Fit, boosted
from algorithms.ensembles.bootstrap import drawn_rows, sample_of, weighty
from algorithms.ensembles.few_records import can_be_seen, rounds_of
from algorithms.ensembles.model import CommitteeModel, votes_of
from algorithms.trees.reweighted_stumps import KERNELS, ReweightedStumps
from algorithms.trees.stump import DecisionStump

STRONG: Final = 0.25
"""A first member that errs on less than this share of the weight is strong."""


@dataclass(frozen=True, kw_only=True)
class AdaBoost(Learner):
    """AdaBoost by reweighting, or by resampling as Algorithm 5.7 of TSKK; several classes by SAMME or as AdaBoost.M1.

    By itself it takes AdaBoost.M1 where the first member errs on less than :data:`STRONG` of the weight: the rounds of
    SAMME raise what was wrong ``k - 1`` times more, which costs strong members accuracy and makes weak ones usable.

    By resampling, a member that is no better than guessing makes the weights begin anew, ``resets`` times at most; by
    weights, which would bring the same member again, the rounds end there.
    """

    id: ClassVar[str] = "adaboost"
    name: ClassVar[str] = "AdaBoost"
    sentence: ClassVar[str] = (
        "Makes one small model after the other, each learning most from the records that the earlier ones had wrong; "
        "those that err less have more to say."
    )
    source: ClassVar[str] = "Freund and Schapire (1996); TSKK Algorithm 5.7; Zhu et al., Multi-class AdaBoost (2009)"
    family: ClassVar[str] = "Committees"
    kernels: ClassVar[tuple[str, ...]] = (*DecisionStump.kernels, *KERNELS)

    base: Learner = learner_parameter(
        DecisionStump(), label="Members are", help="The learner that makes every member: a weak one is enough."
    )
    members: int = parameters.members(50)
    by: str = choice(
        "weights",
        Option("weights", "weights", "Each member learns from all records, the difficult ones weighing more."),
        Option("samples", "samples", "Each member learns from records drawn anew, the difficult ones more often."),
        label="Difficult records count by",
        help="How a member is made to learn most from the records that were wrong before.",
    )
    resets: int = integer(
        10,
        lo=0,
        hi=10_000,
        label="Fresh beginnings",
        help="Where a member is no better than guessing all records count the same again, so often at most.",
        unit="times",
        enabled_if=when("by", "samples"),
        advanced=True,
    )
    several_classes: str = choice(
        "automatic",
        Option(
            "automatic",
            "what suits the first",
            "Half of the time (AdaBoost.M1) where the first member is wrong less than 1 time in 4, else as SAMME.",
        ),
        Option("samme", "better than guessing", "With ten classes being right 11 times in 100 will do (SAMME)."),
        Option("half", "right half of the time", "However many classes there are (AdaBoost.M1)."),
        label="With several classes a member must be",
        help="What is asked of a member before its vote counts.",
        advanced=True,
    )
    printed_error: bool = boolean(
        False,
        label="Error as printed",
        help="Divides a member's weighted error by the number of records, as the textbook prints it (Eq. 5.68): votes "
        "then weigh far more alike. For following its examples.",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return self.by == "samples" or self.printed_error or self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        return f"{self.name}, {self.members} × {self.base.summary()}"

    def rules(self, data: Dataset) -> BoostingRules:
        """How rounds go on with these records."""
        k = 2 if self.several_classes == "half" else max(2, len(np.unique(data.class_codes)))
        strong = STRONG if self.several_classes == "automatic" else 0.0
        return BoostingRules(self.members, k, self.resets if self.by == "samples" else 0, self.printed_error, strong)

    def _fit(self, data: Dataset, context: RunContext) -> CommitteeModel:
        data = weighty(data)
        few = can_be_seen(data, self.members)
        found = boosted(data, self.rules(data), self._member_of(data, context), context, keep_weights=few)
        rounds = None
        if few:
            votes = [votes_of(member, data, averaged=False) for member in found.members]
            rounds = rounds_of(data, [len(data) * weights for weights in found.weights[: len(votes)]], votes)
        class_weights = np.bincount(data.class_codes, data.weights, minlength=len(data.schema.classes))
        return CommitteeModel(
            data.schema,
            found.members,
            weights=np.array(found.importances),
            averaged=False,
            class_weights=class_weights.astype(np.float64),
            known=found.committee(),
            names=[f"Round {i + 1}" for i in range(len(found.members))],
            rounds=rounds,
            partial=context.finishing,
        )

    def _member_of(self, data: Dataset, context: RunContext) -> Fit:
        """Makes the member of each round."""
        plain = self.by == "weights" and type(self.base) is DecisionStump
        stumps = ReweightedStumps.of(cast(DecisionStump, self.base), data, context) if plain else None
        total = float(data.weight_array.sum())

        def drawn(number: int, weights: FloatArray, part: RunContext) -> Model:
            rows = drawn_rows(weights, len(data), len(data), part.child(0.0, 0).random())
            return self.base.fit(sample_of(data, rows), part.child(1.0, 1))

        def weighed(number: int, weights: FloatArray, part: RunContext) -> Model:
            found = stumps.best(weights * total, part) if stumps is not None and weights.all() else None
            return found or self.base.fit(data.with_weights(weights * total if total > 0 else None), part.child(1.0, 1))

        return drawn if self.by == "samples" else weighed
