"""Settings are compared by folds that keep to what the method of judging keeps to: groups, or the order in time."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.methods.by_column import GroupCrossValidation, GroupHoldout, TimeHoldout
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate, out_of_bag_warnings, train
from algorithms.evaluation.tuning.parameter_search import InnerFolds, Tuned, inner_folds_of
from algorithms.filters.balance_classes import BalanceClasses
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.stump import DecisionStump
from tests.algorithms.evaluation.toys import hooked

N = 90


def table(families: int = 9) -> Dataset:
    random = np.random.default_rng(2)
    x = random.normal(size=N)
    day = random.permutation(N // 2).repeat(2).astype(np.float64)
    codes = (x + random.normal(size=N) > 0).astype(np.int8)
    schema = Schema(
        (
            numeric("x"),
            nominal("class", ("no", "yes")),
            Attribute("family", AttributeKind.IDENTIFIER),
            Attribute("day", AttributeKind.NUMERIC, used=False),
        ),
        1,
    )
    family = np.array([f"f{i % families}" for i in range(N)], dtype=object)
    return Dataset(schema, [x, codes, family, day])


def fitted_parts(method, learner_of=lambda base: Tuned(base=base, tried="digits=1,2", folds=3)):
    """The training records of every model that was fitted, by what is in their rows."""
    seen: list[Dataset] = []
    learner = learner_of(hooked(lambda data, _: seen.append(data)))
    result = evaluate(learner, table(), method, RunContext(seed=1))
    return result, seen


def test_a_group_is_never_both_learned_from_and_looked_at_inside():
    folds = InnerFolds("family")
    data = table()
    numbers = folds.numbers(data, 4, np.random.default_rng(1))
    family = data.column(2)
    assert all(len(set(numbers[family == each].tolist())) == 1 for each in set(family.tolist()))
    assert sorted(set(numbers.tolist())) == [0, 1, 2, 3]
    assert folds.numbers(table(families=1), 4, np.random.default_rng(1)) is None
    assert set(folds.numbers(table(families=2), 4, np.random.default_rng(1)).tolist()) == {0, 1}
    assert InnerFolds("gone").numbers(data, 4, np.random.default_rng(1)) is None


def test_each_fold_in_time_comes_after_what_it_is_learned_from():
    data = table()
    numbers = InnerFolds("day", in_order=True).numbers(data, 4, np.random.default_rng(1))
    day = data.column(3)
    assert sorted(set(numbers.tolist())) == [-1, 0, 1, 2, 3]
    for fold in range(4):
        assert day[numbers < fold].max() < day[numbers == fold].min()
    assert np.bincount(numbers + 1).min() >= 16


def test_the_search_of_a_run_keeps_to_the_groups_of_the_method():
    result, seen = fitted_parts(GroupCrossValidation(column="family", folds=3))
    assert len(result.searches) == 3
    inner = [data for data in seen if len(data) < 60]
    assert inner
    for data in inner:
        counts = np.unique(data.column(2), return_counts=True)[1]
        assert set(counts.tolist()) == {10}, "every family is there whole"


def test_the_search_of_a_run_keeps_to_the_order_in_time():
    result, seen = fitted_parts(TimeHoldout(column="day", percent=60))
    assert result.searches[0].n_folds == 3
    days = sorted(table().column(3).tolist())
    for data in seen:
        assert sorted(data.column(3).tolist()) == days[: len(data)], "learned from the earliest, without a gap"


def test_the_model_of_all_records_is_chosen_as_the_run_was_judged():
    method = GroupCrossValidation(column="family", folds=3)
    learner = Tuned(base=DecisionStump(), tried="min_leaf=1,5", folds=3)
    assert learner.judged_by(method) == learner.with_values(together="family")
    assert learner.with_values(ordered="day").judged_by(method) == learner.with_values(ordered="day")
    assert learner.judged_by(CrossValidation()) is learner
    chosen = train(learner, table(), (), RunContext(seed=1), method)
    said = train(learner.with_values(together="family"), table(), (), RunContext(seed=1))
    assert chosen.search.losses.tolist() == said.search.losses.tolist()


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (GroupHoldout(column="family"), InnerFolds("family")),
        (TimeHoldout(column="day"), InnerFolds("day", in_order=True)),
        (TimeHoldout(), None),
        (CrossValidation(), None),
    ],
)
def test_what_folds_inside_keep_to(method, expected):
    assert inner_folds_of(method) == expected


@pytest.mark.parametrize(
    ("learner", "recipe", "is_said"),
    [
        (Bagging(base=C45(), members=2), (BalanceClasses(by="smote"),), True),
        (Tuned(base=Bagging(base=C45(), members=2), tried="base.min_leaf=1,2"), (BalanceClasses(by="smote"),), True),
        (Tuned(base=C45(), tried="min_leaf=1,2"), (BalanceClasses(by="smote"),), False),
        (C45(pruning="reduced-error"), (BalanceClasses(by="smote"),), False),
        (Bagging(base=C45(), members=2), (BalanceClasses(by="oversample"),), False),
    ],
)
def test_records_made_up_beside_those_out_of_bag_are_said(learner, recipe, is_said):
    said = out_of_bag_warnings(learner, recipe)
    assert bool(said) == is_said
    if is_said and not isinstance(learner, Tuned):
        result = evaluate(learner, table(), CrossValidation(folds=2), RunContext(seed=1), recipe=recipe)
        assert said[0] in result.warnings and BalanceClasses.name in said[0]
