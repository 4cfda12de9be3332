"""No step ever sees a tested record while it learns, and no record that it repeated or made up is ever tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Codes, Learner, Model
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import nominal
from algorithms.evaluation.runner import evaluate, fold_models, train
from algorithms.learners.trees.zero_r import PriorModel, ZeroR
from tests.algorithms.battery_data import CLASS_AT, mixed
from tests.algorithms.filter_battery import title, variants

REGISTRY = builtin()
FILTERS = [variant for filter in REGISTRY.filters for variant in variants(filter)]
ONE_OF_EACH = list({filter.id: filter for filter in reversed(FILTERS)}.values())
WITH_EVERY_CHOICE = ("cross-validation", "bootstrap-632")
"""Methods that are tried with every choice of each filter's options: one that trains on records once, and one that
repeats them. The others are tried with every filter once."""
SEED = 4
N = 24
BY_COLUMN = {"time-holdout": "Day", "marked-parts": "part"}
FEW = {"repeats": 2, "samples": 3, "folds": 3}


def table() -> Dataset:
    """Few records of every kind, rare classes among them, with a group and a mark of training records."""
    data = mixed(N, missing=0.1)
    data = data.with_column(CLASS_AT, data.schema.class_attribute, np.where(np.arange(N) % 4, 0, 1 + np.arange(N) % 2))
    data = data.with_new_column(nominal("group", ("g", "h", "i", "j")), np.arange(N) % 4, at=0)
    return data.with_new_column(nominal("part", ("train", "test")), np.arange(N) % 3 == 0, at=0)


def method_of(method: type[Method]) -> Method:
    """The method with few folds, going by a column that suits it."""
    values = {name: number for name, number in FEW.items() if name in {p.name for p in method.parameters()}}
    if "column" in {p.name for p in method.parameters()}:
        return method(column=BY_COLUMN.get(method.id, "group"), **values)
    if method.id == "complete-cross-validation":
        return method(size=1)
    return method(path="elsewhere", **values) if method.needs_test_data else method(**values)


class Watched(PriorModel):
    """Keeps the ids of what it is asked to decide, for each fit anew."""

    id: ClassVar[str] = "watched"
    asked: list[list[int]]

    def predict(self, data: Dataset) -> Codes:
        self.asked.append(data.row_ids.tolist())
        return super().predict(data)


@dataclass(frozen=True, kw_only=True)
class Watch(ZeroR):
    """Keeps the ids that each fit was given, and what its model was then asked."""

    id: ClassVar[str] = "watch"
    seen: ClassVar[list[tuple[list[int], list[list[int]]]]]

    def fit(self, data: Dataset, context: RunContext) -> Model:
        plain = super().fit(data, context)
        model = Watched(plain.schema, np.ones(len(plain.schema.classes)))
        model.asked = []
        self.seen.append((data.row_ids.tolist(), model.asked))
        return model


def watching() -> tuple[Learner, list[tuple[list[int], list[list[int]]]]]:
    made = type("Watching", (Watch,), {"seen": []})
    return made(), made.seen


def watched(filter: Filter, seen: list[frozenset[int]], asked: list[list[int]]) -> Filter:
    """The filter, keeping the ids of the records that each fit and each transform of the fitted was given."""

    def learn(self: Filter, data: Dataset, context: RunContext) -> Any:
        seen.append(frozenset(data.row_ids.tolist()))
        fitted, changed = type(filter).learn(self, data, context)
        return Transforming(fitted, asked), changed

    return type("Watched", (type(filter),), {"learn": learn})(**filter.values())


class Transforming(FittedFilter):
    id: ClassVar[str] = "transforming"

    def __init__(self, fitted: FittedFilter, asked: list[list[int]]) -> None:
        self.fitted, self.asked = fitted, asked

    def transform(self, data: Dataset) -> Dataset:
        self.asked.append(data.row_ids.tolist())
        changed = self.fitted.transform(data)
        assert changed.row_ids.tolist() == data.row_ids.tolist()
        assert changed.weight_array.tolist() == data.weight_array.tolist()
        return changed

    def to_state(self) -> Any:
        return self.fitted.to_state()

    @classmethod
    def from_state(cls, state: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("method", REGISTRY.methods, ids=lambda method: method.id)
def test_no_step_sees_a_tested_record_and_none_it_made_is_tested(method: type[Method]) -> None:
    data, judge = table(), method_of(method)
    other = mixed(10, seed=9)
    other = table().take(np.arange(10)) if judge.needs_test_data else other
    splits = judge.splits(data, np.random.default_rng(RunContext(seed=SEED).seeds))
    for filter in FILTERS if method.id in WITH_EVERY_CHOICE else ONE_OF_EACH:
        learner, fits = watching()
        learned_from: list[frozenset[int]] = []
        transformed: list[list[int]] = []
        result = evaluate(
            learner,
            data,
            judge,
            RunContext(seed=SEED),
            recipe=(watched(filter, learned_from, transformed),),
            test_data=other if judge.needs_test_data else None,
        )
        assert not result.failures, (filter, result.failures)
        assert len(fits) == len(learned_from) == len(transformed) == len(splits)
        for split, seen, (trained, asked), tested in zip(splits, learned_from, fits, transformed, strict=True):
            train_ids = set(data.row_ids[split.train].tolist())
            test_ids = (other.row_ids if split.test is None else data.row_ids[split.test]).tolist()
            assert seen == train_ids
            assert {id for id in trained if id >= 0} <= train_ids
            assert asked and all(each == test_ids for each in asked) and tested == test_ids
            assert min(test_ids) >= 0
            if judge.honest and not split.resubstitution and split.test is not None:
                assert not train_ids & set(test_ids)
        expected = [
            id
            for s in splits
            if not s.resubstitution
            for id in (other.row_ids if s.test is None else data.row_ids[s.test])
        ]
        assert result.row_ids.tolist() == expected


ONLY_TRAINING = [filter for filter in FILTERS if filter.only_training]


def test_there_are_steps_for_training_records_only() -> None:
    known = {f.id for f in ONLY_TRAINING}
    assert {"sample-records", "balance-classes", "class-weights", "tomek-links"} <= known
    assert {"edited-neighbors", "condensed-neighbors", "filter-records"} <= known


@pytest.mark.parametrize("filter", ONLY_TRAINING, ids=title)
def test_a_step_for_training_records_never_runs_where_a_model_is_used(filter: Filter) -> None:
    data = table()
    learner, fits = watching()
    trained = train(learner, data, (filter,), RunContext(seed=SEED))
    once = data.take([3, 1, 1])
    assert trained.prepared(once).row_ids.tolist() == once.row_ids.tolist()
    assert trained.prepared(once).weights is None
    trained.predict(once)
    assert fits[0][1] == [once.row_ids.tolist()]
    models = fold_models(
        learner, data, method_of(REGISTRY.methods.get("cross-validation")), RunContext(seed=SEED), (filter,)
    )
    assert all(model.recipe.transform(once) is once for model in models)
