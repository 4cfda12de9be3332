"""Shapley values beside slow twins: enumeration in plain Python, and the recursion of path-dependent trees."""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.core.training import LearnedModel, learn
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation import shapley
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.shapley import (
    Coalitions,
    PredictionShapley,
    ShapleyMethod,
    background_records,
    enumerated,
    permuted,
    record_shapley,
    shapley_values,
    tree_shapley,
)
from algorithms.filters.discretize import Discretize
from algorithms.filters.select_attributes import SelectAttributes
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.routing import shares_of_parent
from algorithms.structures.tree import Tree
from tests.algorithms.battery import suiting

Table = NDArray[np.float64]


def made(n: int, seed: int = 0, *, k: int = 2, missing: bool = False) -> Dataset:
    """Three numbers and two nominal attributes that interact, with k classes."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(n, 3))
    color, size = random.integers(0, 3, n), random.integers(0, 4, n)
    score = numbers[:, 0] * (color - 1) + numbers[:, 1] + 0.5 * (size == 2) + 0.3 * random.normal(size=n)
    codes = np.searchsorted(np.quantile(score, np.linspace(0, 1, k + 1)[1:-1]), score).astype(np.int32)
    columns: list[Any] = [*numbers.T.copy(), color, size]
    if missing:
        for column in columns:
            column[random.uniform(size=n) < 0.15] = np.nan if column.dtype.kind == "f" else -1
    attributes = (
        *(numeric(name) for name in ("first", "second", "third")),
        nominal("color", ("red", "green", "blue")),
        nominal("size", ("s", "m", "l", "xl")),
        nominal("class", tuple("abcd"[:k])),
    )
    return Dataset(Schema(attributes, 5), [*columns, codes])


def by_coalitions(model: Model, record: Dataset, background: Dataset, *, log: bool = False) -> Table:
    """Shapley values (p, k) by the definition: all coalitions, in plain Python."""
    predictors = record.schema.predictors
    worth = {}
    for size in range(len(predictors) + 1):
        for coalition in combinations(range(len(predictors)), size):
            columns = [np.asarray(background.column(i)).copy() for i in range(len(record.schema))]
            for place in coalition:
                columns[predictors[place]][:] = record.column(predictors[place])[0]
            shares = model.predict_proba(Dataset(record.schema, columns))
            worth[coalition] = (np.log(shares) if log else shares).mean(axis=0)
    return shared_out(worth, len(predictors))


def shared_out(worth: dict[tuple[int, ...], Table], p: int) -> Table:
    """The Shapley values (p, k) of a game."""
    values = np.zeros((p, len(worth[()])))
    for coalition, before in worth.items():
        weight = (
            factorial(len(coalition)) * factorial(p - len(coalition) - 1) / factorial(p) if len(coalition) < p else 0
        )
        for player in set(range(p)) - set(coalition):
            values[player] += weight * (worth[tuple(sorted((*coalition, player)))] - before)
    return values


def explained(learner: Learner, data: Dataset, row: int = 0, n: int = 20) -> tuple[PredictionShapley, LearnedModel]:
    learned = learn(learner, (), data, RunContext())
    background = data.take(np.arange(n) + 1)
    return shapley_values(learned, data.take([row]), background, RunContext()), learned


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "learner",
    [
        C45(),
        C45(soft_thresholds=True),
        C45(nominal_splits="grouped"),
        C45(numeric_splits="equal-frequency"),
        Cart(),
        Chaid(),
        RandomForest(members=7),
        AdaBoost(members=5),
    ],
    ids=str,
)
def test_trees_have_the_values_of_all_coalitions(learner: Learner, missing: bool) -> None:
    data = made(150, k=3, missing=missing)
    methods = set()
    for row in range(30, 36):
        found, learned = explained(learner, data, row)
        assert found.probability is not None
        expected = by_coalitions(learned.model, data.take([row]), data.take(np.arange(20) + 1))
        np.testing.assert_allclose(found.probability.values, expected, rtol=0, atol=1e-12)
        methods.add(found.probability.method)
    if not missing or isinstance(learner, C45 | Chaid):
        assert methods == {ShapleyMethod.TREES}


@pytest.mark.parametrize(
    "learner",
    [GradientBoosting(members=8, min_leaf=2), LogisticRegression(), LinearDiscriminant(), NaiveBayes()],
    ids=str,
)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("missing", [False, True])
def test_log_odds_have_the_values_of_all_coalitions(learner: Learner, k: int, missing: bool) -> None:
    data = made(150, k=k, missing=missing)
    for row in range(30, 33):
        found, learned = explained(learner, data, row)
        assert found.log_scores is not None and found.probability is not None
        slow = by_coalitions(learned.model, data.take([row]), data.take(np.arange(20) + 1), log=True)
        ours, (code, against) = found.log_scores, (0, found.against(0))
        assert against is not None
        np.testing.assert_allclose(ours.of(code, against).values, slow[:, code] - slow[:, against], rtol=0, atol=1e-10)
        values, errors, base, prediction = ours.of(code, against)
        shares = learned.model.predict_proba(data.take([row]))[0]
        assert base + values.sum() == pytest.approx(prediction, abs=1e-9) and not errors.any()
        assert prediction == pytest.approx(np.log(shares[code] / shares[against]), abs=1e-9)


@pytest.mark.parametrize("learner", list(builtin().learners), ids=lambda learner: learner.id)
def test_values_add_up_for_every_learner(learner: type[Learner], monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"members": 3, "epochs": 30, "folds": 2, "restarts": 2, "jumps": 2}
    one = learner(**{name: value for name, value in few.items() if name in learner().values()})
    data = suiting(one, missing=0.1)
    learned = learn(one, (), data, RunContext(seed=1))
    background = background_records(data, 8, np.random.default_rng(1))
    for most in (12, 0):
        monkeypatch.setattr(shapley, "MOST_ENUMERATED", most)
        found = shapley_values(learned, data.take([5]), background, RunContext())
        shares = learned.model.predict_proba(data.take([5]))[0]
        for part in filter(None, (found.probability, found.log_scores)):
            is_known = np.isfinite(part.base)
            total = (part.base + part.values.sum(axis=0))[is_known]
            np.testing.assert_allclose(total, part.prediction[is_known], rtol=0, atol=1e-9)
            assert part.sentence.endswith(".")
        assert found.probability is not None
        np.testing.assert_allclose(found.probability.prediction, shares, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.probability.values.sum(axis=1), 0.0, rtol=0, atol=1e-9)


def path_worth(tree: Tree, model: Any, record: Dataset, coalition: set[int]) -> Table:
    """The output (k,) of a tree if the attributes of a coalition are those of the record, and the others not known."""
    from algorithms.learners.trees.routing import soft_shares, ways_down

    shares, outputs, row = shares_of_parent(tree), model.probabilities, np.zeros(1, dtype=np.int64)

    def below(node: int) -> Table:
        if tree.is_leaf(node):
            return np.asarray(outputs[node])
        children = list(tree.children(node))
        parts = shares[children]
        if int(tree.attribute[node]) in coalition and (down := int(ways_down(tree, node, record, row)[0])) >= 0:
            left = soft_shares(tree, node, record, row)
            parts = np.eye(len(children))[down] if left is None else np.array([left[0], 1 - left[0]])
        return np.asarray(sum(part * below(child) for part, child in zip(parts, children, strict=True)))

    return below(0)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("learner", [C45(), C45(soft_thresholds=True), Cart()], ids=str)
def test_path_dependent_values_are_those_of_the_recursion(learner: Learner, missing: bool) -> None:
    data = made(200, k=3, missing=missing)
    model: Any = learn(learner, (), data, RunContext()).model
    records = data.take(np.arange(10))
    found = tree_shapley(model.tree_sum(), records, None, RunContext())
    assert found is not None
    for row in range(10):
        sets = [s for n in range(6) for s in combinations(range(5), n)]
        worth = {s: path_worth(model.tree, model, records.take([row]), set(s)) for s in sets}
        np.testing.assert_allclose(found.values[row, :5], shared_out(worth, 5), rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.base, worth[()], rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.prediction[row], worth[(0, 1, 2, 3, 4)], rtol=0, atol=1e-12)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("learner", [C45(), GradientBoosting(members=6, max_depth=5), RandomForest(members=4)], ids=str)
def test_many_records_have_the_values_of_each_alone(learner: Learner, missing: bool) -> None:
    data = made(700, missing=missing)
    model: Any = learner.fit(data.take(np.arange(200)), RunContext())
    trees, records = model.tree_sum(), data.take(np.arange(200, 700))
    for background in (None, data.take(np.arange(30))):
        together = tree_shapley(trees, records, background, RunContext())
        assert together is not None
        for row in range(0, 500, 25):
            alone = tree_shapley(trees, records.take([row]), background, RunContext())
            assert alone is not None
            np.testing.assert_allclose(together.values[row], alone.values[0], rtol=0, atol=1e-12)
            np.testing.assert_allclose(together.prediction[row], alone.prediction[0], rtol=0, atol=1e-12)
    with thread_pool(2) as pool:
        again = tree_shapley(trees, records, background, RunContext(executor=pool))
    assert again is not None and np.array_equal(again.values, together.values)


def test_what_is_not_exact_by_trees_is_enumerated() -> None:
    data = made(200, missing=True)
    found, learned = explained(Cart(), data, 0)
    assert found.probability is not None and len(learned.model.structure().surrogate_node)  # type: ignore[attr-defined]
    assert found.probability.method is ShapleyMethod.ENUMERATION
    oblique, _ = explained(RandomForest(members=3, combined=2), made(100))
    assert oblique.probability is not None and oblique.probability.method is ShapleyMethod.ENUMERATION
    divided, _ = explained(AdaBoost(members=5, base=C45()), made(150, missing=True), 37)
    assert divided.probability is not None and divided.probability.method is ShapleyMethod.ENUMERATION


def test_permutations_agree_with_enumeration_within_their_errors() -> None:
    data = made(120, k=3)
    learned = learn(KNearestNeighbors(k=5), (), data, RunContext())
    coalitions = Coalitions(learned, data.take([3]), data.take(np.arange(30, 42)), None)
    exact, drawn = enumerated(coalitions, RunContext()), []
    for seed in range(40):
        found = permuted(coalitions, RunContext(seed=seed), rounds=3)
        np.testing.assert_allclose(found.base + found.values.sum(axis=0), found.prediction, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.base, exact.base, rtol=0, atol=1e-12)
        drawn.append(found)
    values = np.array([one.values for one in drawn])
    spread = values.std(axis=0, ddof=1)
    np.testing.assert_allclose(values.mean(axis=0), exact.values, rtol=0, atol=5 * spread.max() / np.sqrt(40) + 1e-12)
    errors = np.sqrt(np.mean([one.errors**2 for one in drawn], axis=0))
    assert np.all(np.abs(errors - spread) < 0.5 * spread + 1e-9)  # 40 draws know a deviation to about 11%


def test_permutations_are_the_same_in_parts_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    data = made(60)
    learned = learn(KNearestNeighbors(k=5), (), data, RunContext())
    found = []
    for most in (2_000, 3):
        monkeypatch.setattr(shapley, "MOST_ROWS", most)
        coalitions = Coalitions(learned, data.take([3]), data.take(np.arange(30, 36)), None)
        found.append(permuted(coalitions, RunContext(seed=1), rounds=4))
    np.testing.assert_allclose(found[0].values, found[1].values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[0].errors, found[1].errors, rtol=0, atol=1e-12)


def test_a_recipe_that_keeps_cells_is_exact_and_one_that_changes_them_is_not() -> None:
    data, context = made(120), RunContext()
    background = data.take(np.arange(1, 20))
    kept = learn(C45(), (SelectAttributes(number=3),), data, context)
    found = shapley_values(kept, data.take([0]), background, context)
    assert found.probability is not None and found.probability.method is ShapleyMethod.TREES
    left_out = [place for place, i in enumerate(found.indices) if data.schema.names[i] not in kept.model.schema.names]
    assert len(left_out) == 2 and not found.probability.values[left_out].any()
    changed = shapley_values(learn(C45(), (Discretize(),), data, context), data.take([0]), background, context)
    assert changed.probability is not None and changed.probability.method is ShapleyMethod.ENUMERATION
    prediction = changed.probability.base + changed.probability.values.sum(axis=0)
    np.testing.assert_allclose(prediction, changed.probability.prediction, rtol=0, atol=1e-12)


def test_the_background_are_training_records_of_the_fold() -> None:
    data, context = made(90, k=3), RunContext(seed=4)
    found = record_shapley(C45(), data, CrossValidation(folds=3), context, 7, n_background=25)
    assert found.n_folds == 3 and found.values.probability is not None
    assert found.values.probability.n_background == 25
    np.testing.assert_array_equal(found.values.record.column(0), data.column(0)[6:7])
    again = record_shapley(C45(), data, CrossValidation(folds=3), RunContext(seed=4), 7, n_background=25)
    np.testing.assert_array_equal(again.values.probability.values, found.values.probability.values)  # type: ignore[union-attr]
    with pytest.raises(DataError):
        record_shapley(C45(), data, CrossValidation(folds=3), context, 91)
    tested = [row for row in range(90) if _is_tested(data, row + 1)]
    assert 20 < len(tested) < 40
    drawn = background_records(data.with_weights(np.arange(90.0) < 10), 25, np.random.default_rng(0))
    assert len(drawn) == 10


def test_background_records_are_a_sample_in_any_order_and_by_weight() -> None:
    data = made(90)
    drawn = background_records(data, 100, np.random.default_rng(0))
    assert sorted(drawn.row_ids) == sorted(data.row_ids) and list(drawn.row_ids[:9]) != list(data.row_ids[:9])
    heavy = np.where(np.arange(90) < 45, 9.0, 1.0)
    often = [np.isin(background_records(data.with_weights(heavy), 90, np.random.default_rng(seed)).row_ids,
                     data.row_ids[:45]).mean() for seed in range(20)]  # fmt: skip
    assert 0.87 < np.mean(often) < 0.93


def _is_tested(data: Dataset, number: int) -> bool:
    try:
        record_shapley(C45(), data, Holdout(), RunContext(), number, n_background=0)
    except DataError:
        return False
    return True


def test_without_background_only_trees_have_values() -> None:
    data = made(80)
    boosted = shapley_values(
        learn(GradientBoosting(members=4), (), data, RunContext()), data.take([0]), None, RunContext()
    )
    assert boosted.probability is None and boosted.log_scores is not None
    assert boosted.log_scores.method is ShapleyMethod.PATHS and boosted.against(0) == 1
    with pytest.raises(DataError):
        shapley_values(learn(NaiveBayes(), (), data, RunContext()), data.take([0]), None, RunContext())
