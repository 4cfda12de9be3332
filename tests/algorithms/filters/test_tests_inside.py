"""Whoever tests inside the training part never asks about a record it learned from, nor about one whose made-up kin it
learned from, and none of them ever meets a record that the outer fold tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from algorithms.core.learner import Codes, Learner, Probabilities
from algorithms.core.resampling import learned_beside
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.synthetic_ids import ids_between, kin_of, parents_of, said_id
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.evaluation.tuning.wrapper import WrapperSelection
from algorithms.filters.balance_classes import BalanceClasses
from algorithms.filters.scale import Scale
from algorithms.learners.costs.calibrated import Calibrated
from algorithms.learners.costs.cost_sensitive import ChosenThreshold, CostSensitive, MetaCost
from algorithms.learners.ensembles.voting_and_stacking import ACCURACY, Stacking, Voting
from algorithms.learners.multiclass.reductions import OneVsRest
from algorithms.learners.trees.zero_r import PriorModel, ZeroR
from tests.expected_texts import filters as wording

FOLDS = 3
SMOTE = BalanceClasses(by="smote")
COSTS = ((0.0, 1.0), (5.0, 0.0))


class SpiedModel(PriorModel):
    """Keeps the ids of all that it is asked."""

    id: ClassVar[str] = "spied"
    asked: list[list[int]]

    def _predict(self, data: Dataset) -> Codes:
        self.asked.append(data.row_ids.tolist())
        return super()._predict(data)

    def _predict_proba(self, data: Dataset) -> Probabilities:
        self.asked.append(data.row_ids.tolist())
        return super()._predict_proba(data)


def spy() -> tuple[Learner, list[tuple[list[int], list[list[int]]]]]:
    """A learner, and for each fit the ids it learned from and those its model was asked, as they come."""
    seen: list[tuple[list[int], list[list[int]]]] = []

    @dataclass(frozen=True, kw_only=True)
    class Spy(ZeroR):
        def _fit(self, data: Dataset, context: RunContext) -> Any:
            model = SpiedModel(data.schema, super()._fit(data, context).counts)
            model.asked = []
            seen.append((data.row_ids.tolist(), model.asked))
            return model

    return Spy(), seen


def table() -> Dataset:
    random = np.random.default_rng(3)
    codes = (np.arange(60) % 5 == 0).astype(np.int64)
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ("often", "rare"))), 2)
    return Dataset(schema, [random.normal(codes), random.normal(size=60), codes])


WAYS: dict[str, Any] = {
    "calibrated": lambda base: (Calibrated(base=base), (SMOTE,)),
    "threshold": lambda base: (ChosenThreshold(base=base), (SMOTE,)),
    "stacking": lambda base: (Stacking(first=base, second=base, third=base, judge=ZeroR()), (SMOTE,)),
    "voting": lambda base: (Voting(first=base, second=base, third=base, combine=ACCURACY), (SMOTE,)),
    "wrapper": lambda base: (ZeroR(), (SMOTE, WrapperSelection(base=base))),
    "search": lambda base: (Tuned(base=Calibrated(base=base), tried="folds=2,3", folds=2), (SMOTE,)),
    "search of made-up": lambda base: (Calibrated(base=Tuned(base=Calibrated(base=base), tried="folds=2,3")), (SMOTE,)),
    "members": lambda base: (OneVsRest(base=base, test_members=True), (SMOTE,)),
}


@pytest.mark.parametrize("way", list(WAYS))
def test_what_is_tested_inside_has_no_twin_and_no_kin_among_what_is_learned_from(way: str) -> None:
    base, seen = spy()
    learner, recipe = WAYS[way](base)
    data = table()
    result = evaluate(learner, data, CrossValidation(folds=FOLDS), RunContext(seed=5), recipe=(Scale(), *recipe))
    assert not result.failures
    tested = [set(result.row_ids[result.folds == fold].tolist()) for fold in range(FOLDS)]
    made_up = inner = 0
    for trained, asked in seen:
        real = {id for id in trained if id >= 0}
        assert any(not real & test for test in tested), "it met a record that its fold tests"
        parents = {int(id) for ids in parents_of(np.array([i for i in trained if i < 0], dtype=np.int64)) for id in ids}
        made_up += len(parents)
        assert parents <= set(range(60)), "every made-up record says what it was made from"
        for ids in map(set, asked):
            assert ids and min(ids) >= 0, "a made-up record was tested"
            assert not ids & real, "a record was tested by its twin"
            assert not ids & parents, "a record was tested by what was made from it"
            inner += not any(ids <= test for test in tested)
    assert made_up and inner


@pytest.mark.parametrize(
    "learner",
    [
        lambda base: MetaCost(base=base, costs=COSTS, members=3),
        lambda base: MetaCost(base=base, costs=COSTS, members=3, all_members=False),
        lambda base: CostSensitive(base=base, costs=COSTS, by="samples"),
    ],
)
def test_learners_that_heed_costs_never_meet_a_tested_record(learner: Any) -> None:
    base, seen = spy()
    result = evaluate(learner(base), table(), CrossValidation(folds=FOLDS), RunContext(seed=5), recipe=(Scale(), SMOTE))
    assert not result.failures and len(seen) >= FOLDS
    tested = [set(result.row_ids[result.folds == fold].tolist()) for fold in range(FOLDS)]
    for trained, _ in seen:
        assert any(not set(trained) & test for test in tested)


def test_ids_say_between_which_records_one_was_made_up() -> None:
    one, other = np.array([3, 3, 7, 2**40, 5]), np.array([9, 9, 7, 1, 0])
    ids = ids_between(one, other)
    assert ids.max() < 0 and len(set(ids.tolist())) == 5
    first, second = parents_of(ids)
    assert first.tolist() == [3, 3, 7, -1, 5] and second.tolist() == [9, 9, 7, -1, 0]
    again = parents_of(ids_between(ids[:1], np.array([4])))
    assert [part.tolist() for part in again] == [[3], [4]]
    assert said_id(11) == "record 12" and said_id(int(ids[0])) == wording.MADE_UP_BETWEEN
    assert said_id(int(ids[2])) == wording.MADE_UP_FROM and said_id(int(ids[3])) == wording.MADE_UP
    assert said_id(-1) == said_id(-5000) == wording.MADE_UP, "as files of earlier versions number them"
    data = Dataset(Schema((numeric("x"),), None), [np.zeros(4)], row_ids=np.array([3, 9, *ids[[0, 4]].tolist()]))
    tested = np.array([True, False, False, False])
    assert kin_of(data, tested).tolist() == [False, False, True, False]
    assert learned_beside(data, tested).tolist() == [False, True, False, True]
