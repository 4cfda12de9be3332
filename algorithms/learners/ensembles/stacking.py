"""Stacking: a judge learns from records that the members have not seen how far to trust what each of them says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.errors import Cancelled
from algorithms.core.learner import Learner, Model
from algorithms.core.parameters import integer
from algorithms.core.parameters import learner as learner_parameter
from algorithms.core.resampling import inner_fold_numbers, learned_beside
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.member_training import weighty
from algorithms.learners.ensembles.stacked_model import StackedModel, judged_data, judged_schema
from algorithms.learners.ensembles.voting import ThreeLearners
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.trees.c45 import C45

_LEARNING: Final = 0
_TESTING: Final = 1
_JUDGING: Final = 2
MOST_ASKED_AGAIN: Final = 1000
"""Where no fold was tested the judge learns from what members say of so many of their own records at most."""


@dataclass(frozen=True, kw_only=True)
class Stacking(ThreeLearners):
    """Three learners under a judge.

    Each learner says the class probabilities of every training record once, having learned from the other folds; on
    these the judge learns. Then each learner learns from all records. Records that were made up are judged by nobody.
    """

    id: ClassVar[str] = "stacking"
    name: ClassVar[str] = "Stacking"
    sentence: ClassVar[str] = (
        "Lets three learners make a model each and a fourth one learn, from records that they had not seen, how far "
        "each of them can be trusted."
    )
    source: ClassVar[str] = "Wolpert, Stacked generalization (1992); Ting and Witten, Issues in stacked generalization"
    family: ClassVar[str] = "Committees"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    judge: Learner = learner_parameter(
        LogisticRegression(),
        label="Judge",
        help="The learner that decides by the probabilities which the members give. A simple one is best.",
    )
    folds: int = integer(
        5,
        lo=2,
        hi=100,
        label="Folds for the judge",
        help="Into how many parts the training records are cut, so that the judge sees what members say of records "
        "they did not learn from.",
        unit="folds",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return True

    def _fit(self, data: Dataset, context: RunContext) -> StackedModel:
        data = weighty(data)
        schema = judged_schema(data.schema, [learner.name for learner in self.learners])
        members = context.map(lambda at: self._member(at, data, context), range(len(self.learners)))
        testing = context.child(0.55, _TESTING)
        fold = inner_fold_numbers(data, min(self.folds, len(data)), testing.random(), stratified=True)
        said, heard = self._said(data, fold, testing)
        testing.complete()
        if heard.any():
            seen = judged_data(schema, [shares[heard] for shares in said], data.take(heard))
        else:
            few = data.take(np.sort(testing.random().permutation(len(data))[:MOST_ASKED_AGAIN]))
            seen = judged_data(schema, [member.predict_proba(few) for member in members], few)
        judge = self.judge.fit(seen, context.child(0.1, _JUDGING))
        partial = context.finishing or judge.partial or any(member.partial for member in members)
        return StackedModel(data.schema, members, judge, [self._name(at) for at in range(3)], partial=partial)

    def _name(self, at: int) -> str:
        return f"{at + 1} {self.learners[at].name}"

    def _member(self, at: int, data: Dataset, context: RunContext) -> Model:
        part = context.child(0.35 / len(self.learners), _LEARNING).child(1.0, at)
        model = self.learners[at].fit(data, part)
        part.complete()
        return model

    def _said(
        self, data: Dataset, fold: NDArray[np.int64], testing: RunContext
    ) -> tuple[list[FloatArray], NDArray[np.bool_]]:
        """What each learner says (n, k) of the records of each fold after learning from all others; and of which.

        Finished early, of the folds that all of them have been asked about.
        """
        numbers = [number for number in np.unique(fold[fold >= 0]).tolist() if np.any(fold != number)]
        cells = [(at, number) for number in numbers for at in range(len(self.learners))]
        said = [np.zeros((len(data), len(data.schema.classes))) for _ in self.learners]
        done = np.zeros((len(numbers), len(self.learners)), dtype=np.bool_)

        def one(cell: int) -> None:
            at, number = cells[cell]
            part = testing.child(1 / len(cells), cell, finish_cancels=True)
            outside = fold == number
            inside = data.take(learned_beside(data, outside))
            try:
                part.checkpoint()
                model = self.learners[at].fit(inside, part)
                said[at][outside] = model.judged(data.take(outside), part).probabilities
                done.flat[cell] = True
            except Cancelled:
                testing.checkpoint()
            part.complete()

        testing.map(one, range(len(cells)))
        return said, np.isin(fold, np.array(numbers)[done.all(axis=1)])
