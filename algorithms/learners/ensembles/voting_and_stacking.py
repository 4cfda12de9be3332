"""Ensembles of three different learners: voting, and stacking with a meta-learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import Cancelled
from algorithms.core.learner import Explanation, Learner, Model, Predictions, Problem, State, WatchedModel
from algorithms.core.parameters import Option, choice, integer, learner_parameter, when
from algorithms.core.resampling import inner_fold_numbers, learned_beside
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, numeric
from algorithms.data.summary import Summary
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.member_training import side_by_side, weighty
from algorithms.learners.ensembles.model import (
    CommitteeModel,
    damaged,
    packed,
    prefixed,
    saved_members,
    under,
    votes_of,
)
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.c45 import C45
from algorithms.structures.members import Committee, Members


@dataclass(frozen=True, kw_only=True)
class ThreeLearners(Learner):
    """Base of ensembles of three learners, each trained on all records; a member may be an ensemble."""

    family: ClassVar[str] = "Ensembles"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    first: Learner = learner_parameter(C45(), label="First learner", help="Any learner with its own options.")
    second: Learner = learner_parameter(NaiveBayes(), label="Second learner", help="Any learner with its own options.")
    third: Learner = learner_parameter(
        KNearestNeighbors(), label="Third learner", help="Any learner; for more than three use another ensemble."
    )

    @property
    def learners(self) -> tuple[Learner, ...]:
        return self.first, self.second, self.third

    def check(self, summary: Summary) -> list[Problem]:
        return next((problems for learner in self.learners if (problems := learner.check(summary))), [])

    def summary(self) -> str:
        return f"{self.name}, {', '.join(learner.name for learner in self.learners)}"


ACCURACY: Final = "accuracy"
_FOLDS: Final = 100
_WEIGHING_VOTES: Final = 0
_TRAINING: Final = 1


@dataclass(frozen=True, kw_only=True)
class Voting(ThreeLearners):
    """Voting of three learners; by accuracy, votes are weighted by the cross-validated accuracy of each learner."""

    id: ClassVar[str] = "voting"
    name: ClassVar[str] = "Voting"
    sentence: ClassVar[str] = (
        "Trains three different learners and combines their predictions, because they seldom make the same errors."
    )
    source: ClassVar[str] = "Kittler, Hatef, Duin and Matas, On combining classifiers (1998); TSKK section 5.6"
    gives_parts_away: ClassVar[bool] = True

    combine: str = choice(
        "probabilities",
        Option("probabilities", "Mean probability", "Averages the predicted probabilities."),
        Option(
            "votes", "Majority vote", "Each member votes for one class; of three different ones the most frequent wins."
        ),
        Option(
            ACCURACY,
            "Weighted vote",
            "Weights votes by the accuracy of the member on records that it was not trained on.",
        ),
        label="Combine by",
        help="How the predictions of the members are combined.",
    )
    folds: int = integer(
        5,
        lo=2,
        hi=_FOLDS,
        label="Folds",
        help="Number of folds inside the training records that estimate the accuracy of each member.",
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
            return member, *part.call(_voter, self, member, data)

        voters = side_by_side(make, len(self.learners), context)
        weights: FloatArray = np.array([share for *_, share in voters])
        return CommitteeModel(
            data.schema,
            [model for _, model, _ in voters],
            weights=weights if weights.any() else np.ones(len(voters)),
            averaged=self.combine == "probabilities",
            class_weights=data.class_weights,
            names=[f"{member + 1} {self.learners[member].name}" for member, *_ in voters],
            partial=len(voters) < len(self.learners) or context.finishing,
        )

    def accuracy_of(self, learner: Learner, data: Dataset, context: RunContext) -> float:
        """Weighted cross-validated accuracy of a learner; 1 for fewer than two records."""
        judging = context.child(0.5, _WEIGHING_VOTES)
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
            decisions = learner.fit(inside, part).decided(outside, part)
            right += float(outside.weight_array[decisions == outside.class_codes].sum())
            tested += float(outside.weight_array.sum())
        judging.complete()
        return right / tested if tested > 0 else 1.0


def _voter(voting: Voting, member: int, data: Dataset, part: RunContext) -> tuple[Model, float]:
    """The model of a member, and its estimated accuracy if votes are weighted by it, else 1."""
    learner = voting.learners[member]
    share = voting.accuracy_of(learner, data, part) if voting.combine == ACCURACY else 1.0
    return learner.fit(data, part.child(0.5, _TRAINING)), share


def judged_schema(schema: Schema, names: Sequence[str]) -> Schema:
    """Schema of the meta-learner: the probability of each class by each member; of two classes the second."""
    classes = schema.classes[1:] if len(schema.classes) == 2 else schema.classes
    columns = [numeric(f"{number + 1} {name}: {label}") for number, name in enumerate(names) for label in classes]
    taken = {column.name for column in columns}
    target = schema.class_attribute
    while target.name in taken:
        target = replace(target, name=f"{target.name}'")
    return Schema((*columns, target), len(columns))


def judged_data(schema: Schema, member_shares: Sequence[FloatArray], records: Dataset | None = None) -> Dataset:
    """Probabilities (n, k) of the members as meta-level records, with classes and weights of ``records``."""
    used = slice(1, None) if len(schema.classes) == 2 else slice(None)
    columns: list[Any] = [column for shares in member_shares for column in shares[:, used].T]
    if records is None:
        return Dataset(schema, [*columns, np.full(len(member_shares[0]), -1, dtype=np.int8)])
    return Dataset(schema, [*columns, records.class_codes], weights=records.weights, row_ids=records.row_ids)


class StackedModel(WatchedModel):
    """Members and the meta-model that predicts from their probabilities."""

    id: ClassVar[str] = "stacked"

    def __init__(
        self, schema: Schema, members: Sequence[Model], judge: Model, names: Sequence[str], *, partial: bool = False
    ) -> None:
        super().__init__(schema, partial=partial)
        self.members, self.judge, self.names = tuple(members), judge, tuple(names)

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        member_shares = [votes_of(member, data, averaged=True, context=context) for member in self.members]
        return self.judge.judged(judged_data(self.judge.schema, member_shares), context)

    def structure(self) -> Members:
        return self._structure

    @cached_property
    def _structure(self) -> Members:
        parts = tuple(model.structure() for model in (*self.members, self.judge))
        names, votes = (*self.names, "Meta-learner"), np.ones(len(parts))
        return Members(self.schema, parts, names, votes, averaged=True, known=Committee(), how="judge")

    def facts(self) -> dict[str, int | float]:
        return {"members": len(self.members)}

    def explain(self, data: Dataset, row: int) -> Explanation:
        one = aligned(self.schema, data).take([row])
        member_shares = [member.predict_proba(one) for member in self.members]
        verdict = self.judge.explain(judged_data(self.judge.schema, member_shares), 0)
        steps = [
            f"{name} predicts {self.classes[int(np.argmax(shares[0]))]} ({float(shares.max()):.1%})"
            for name, shares in zip(self.names, member_shares, strict=True)
        ]
        return Explanation(verdict.decision, verdict.probabilities, (*steps, *verdict.steps))

    def to_state(self) -> State:
        inside, judge = packed(self.members), self.judge.to_state()
        values = {
            "members": dict(inside.values),
            "names": list(self.names),
            "judge": {"id": self.judge.id, "values": dict(judge.values)},
            "columns": list(self.judge.schema.names),
            "partial": self.partial,
        }
        return State(values, prefixed("members", inside) | prefixed("judge", judge))

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        members, judge = saved_members(schema, state), state.values.get("judge")
        names, columns = state.values.get("names"), state.values.get("columns")
        if not isinstance(judge, dict) or not isinstance(judge.get("values"), dict):
            raise damaged()
        per_member = 1 if len(schema.classes) == 2 else len(schema.classes)
        if not isinstance(names, list) or not isinstance(columns, list) or len(names) != len(members):
            raise damaged()
        if len(columns) != per_member * len(members) + 1 or len(set(columns)) != len(columns):
            raise damaged()
        target = replace(schema.class_attribute, name=str(columns[-1]))
        seen = Schema((*(numeric(str(name)) for name in columns[:-1]), target), len(columns) - 1)
        kind = state.kind(str(judge.get("id")))
        model = kind.from_state(seen, State(judge["values"], under("judge", state), state.kinds))
        return cls(schema, members, model, [str(name) for name in names], partial=state.values.get("partial") is True)


_WIDE: Final = 500
"""The meta-learner takes long with more probabilities a record than this."""
_LEARNING: Final = 0
_TESTING: Final = 1
_JUDGING: Final = 2
MOST_ASKED_AGAIN: Final = 1000
"""Without any tested fold, the meta-learner uses predictions on at most this many training records."""


@dataclass(frozen=True, kw_only=True)
class Stacking(ThreeLearners):
    """Stacking: a meta-learner learns from cross-validated probabilities of three learners, then they from all."""

    id: ClassVar[str] = "stacking"
    name: ClassVar[str] = "Stacking"
    sentence: ClassVar[str] = "Trains three learners and a meta-learner that combines their out-of-sample predictions."
    source: ClassVar[str] = "Wolpert, Stacked generalization (1992); Ting and Witten, Issues in stacked generalization"
    always_resamples: ClassVar[bool] = True

    judge: Learner = learner_parameter(
        LogisticRegression(),
        label="Meta-learner",
        help="The learner that combines the probabilities of the members. A simple one is best.",
    )
    folds: int = integer(
        5,
        lo=2,
        hi=100,
        label="Folds",
        help="Number of folds inside the training records: the meta-learner sees predictions for records "
        "that the members were not trained on.",
        unit="folds",
        advanced=True,
    )

    def _fit(self, data: Dataset, context: RunContext) -> StackedModel:
        data = weighty(data)
        schema = judged_schema(data.schema, [learner.name for learner in self.learners])
        if len(schema.predictors) > _WIDE:
            context.say_slow(f"Stacking {len(schema.predictors):,} probabilities a record")
        members = context.map(lambda number: self._member(number, data, context), range(len(self.learners)))
        testing = context.child(0.55, _TESTING)
        fold = inner_fold_numbers(data, min(self.folds, len(data)), testing.random(), stratified=True)
        member_shares, heard = self._said(data, fold, testing)
        testing.complete()
        if heard.any():
            seen = judged_data(schema, [shares[heard] for shares in member_shares], data.take(heard))
        else:
            few = data.take(np.sort(testing.random().permutation(len(data))[:MOST_ASKED_AGAIN]))
            seen = judged_data(schema, [member.predict_proba(few) for member in members], few)
        judge = self.judge.fit(seen, context.child(0.1, _JUDGING))
        partial = context.finishing or judge.partial or any(member.partial for member in members)
        names = [f"{number + 1} {learner.name}" for number, learner in enumerate(self.learners)]
        return StackedModel(data.schema, members, judge, names, partial=partial)

    def _member(self, number: int, data: Dataset, context: RunContext) -> Model:
        part = context.child(0.35 / len(self.learners), _LEARNING).child(1.0, number)
        model = self.learners[number].fit(data, part)
        part.complete()
        return model

    def _said(
        self, data: Dataset, fold: NDArray[np.int64], testing: RunContext
    ) -> tuple[list[FloatArray], NDArray[np.bool_]]:
        """Cross-validated probabilities (n, k) of each learner; mask (n,) of records in folds that all completed."""
        numbers = [number for number in np.unique(fold[fold >= 0]).tolist() if np.any(fold != number)]
        cells = [(learner, number) for number in numbers for learner in range(len(self.learners))]
        member_shares = [np.zeros((len(data), len(data.schema.classes))) for _ in self.learners]
        done = np.zeros((len(numbers), len(self.learners)), dtype=np.bool_)

        def one(cell: int) -> None:
            learner, number = cells[cell]
            part = testing.child(1 / len(cells), cell, finish_cancels=True)
            outside = fold == number
            inside = data.take(learned_beside(data, outside))
            try:
                part.checkpoint()
                model = self.learners[learner].fit(inside, part)
                member_shares[learner][outside] = model.judged(data.take(outside), part).probabilities
                done.flat[cell] = True
            except Cancelled:
                testing.checkpoint()
            part.complete()

        testing.map(one, range(len(cells)))
        return member_shares, np.isin(fold, np.array(numbers)[done.all(axis=1)])
