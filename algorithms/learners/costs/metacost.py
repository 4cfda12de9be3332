"""MetaCost: every training record gets the class that is cheapest to say of it, then the learner learns anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.decisions import cheapest_decisions, cost_table, problems_of_costs
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.parameters import boolean, real
from algorithms.core.parameters import learner as learner_parameter
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.costs import decided
from algorithms.learners.ensembles import member_training as of_committees
from algorithms.learners.ensembles.member_training import OutOfBag, drawn_rows, sample_of, side_by_side, weighty
from algorithms.learners.ensembles.model import votes_of
from algorithms.learners.trees.c45 import C45


@dataclass(frozen=True, kw_only=True)
class MetaCost(Learner):
    """Probabilities by members that learn from samples drawn with replacement, one cheap class for each record by them.

    The model is one of the learner's own kind. Its probabilities are those of the cheap classes, not of the true ones.
    """

    id: ClassVar[str] = "metacost"
    name: ClassVar[str] = "MetaCost"
    sentence: ClassVar[str] = (
        "Asks many models how probable each class is, gives every training record the class that is cheapest to say of "
        "it, and learns one model from that: costs heeded, and still a single tree or list of rules."
    )
    source: ClassVar[str] = "Domingos, MetaCost: a general method for making classifiers cost-sensitive (1999)"
    family: ClassVar[str] = "Costs"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    base: Learner = learner_parameter(C45(), label="Learner", help="The learner that is made to heed costs.")
    costs: tuple[tuple[float, ...], ...] = decided.costs()
    members: int = of_committees.members(10)
    size: float = real(
        100.0,
        lo=1.0,
        hi=1000.0,
        label="Records drawn",
        help="How many records each member draws, of every 100 training records.",
        unit="%",
        advanced=True,
    )
    combine: str = of_committees.combine("probabilities")
    all_members: bool = boolean(
        True,
        label="Ask all members",
        help="All members say how probable the classes of a record are; otherwise only those that did not learn from "
        "it, as far as there are any.",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return True

    @property
    def tests_left_out(self) -> bool:
        return not self.all_members

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary) or problems_of_costs(self.costs, summary)

    def summary(self) -> str:
        return f"{self.name}, {self.members} × {self.base.summary()}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        data = weighty(data)
        probabilities = self._probabilities(data, context.child(0.8, 0))
        at = data.schema.class_index
        assert at is not None
        own = data.class_codes.astype(np.int32)
        codes = cheapest_decisions(probabilities, own, cost_table(self.costs, probabilities.shape[1]))
        cheap = data.with_column(at, data.schema.class_attribute, codes.astype(np.int64))
        return self.base.fit(cheap, context.child(0.2, 1))

    def _probabilities(self, data: Dataset, context: RunContext) -> FloatArray:
        """How probable each class of each training record is (n, k), by the members."""
        n, outside = len(data), OutOfBag(data)
        size = max(1, round(n * self.size / 100))

        def make(member: int, part: RunContext) -> tuple[FloatArray, FloatArray]:
            rows = drawn_rows(data.weights, n, size, part.child(0.0, 0).random())
            model = self.base.fit(sample_of(data, rows), part.child(1.0, 1))
            asked = np.ones(n) if self.all_members else outside.of(rows).astype(np.float64)
            averaged = self.combine == "probabilities"
            return votes_of(model, data, averaged=averaged, context=part.child(0.0, 2)), asked

        every = np.zeros((n, len(data.schema.classes)))
        asked, times = np.zeros_like(every), np.zeros(n)
        for votes, which in side_by_side(make, self.members, context, lambda *_: None):
            every += votes
            asked += votes * which[:, None]
            times += which
        found = np.where((times > 0)[:, None], asked, every)
        return np.asarray(found / found.sum(axis=1, keepdims=True))
