"""Permutation and drop-column importance beside scikit-learn, a slow twin and data whose driver is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Model
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.core.training import learn
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.attribute_importance import AttributeImportance, GroupImportance, attribute_importance
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.runner import evaluate
from algorithms.filters.computed_columns import FormulaColumn
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as wording


def made(n: int, seed: int = 0, *, noise: bool = False) -> Dataset:
    """Records with a driver, its noisy copy, a weaker nominal driver and noise, or a class that ignores all."""
    random = np.random.default_rng(seed)
    driver, other, nothing = random.normal(size=(3, n))
    copy = driver + 0.05 * random.normal(size=n)
    weak = random.integers(0, 3, n)
    chance = random.random(n)
    score = np.zeros(n) if noise else 2 * driver + 0.8 * (weak == 1)
    codes = (chance < 1 / (1 + np.exp(-score))).astype(np.int32)
    attributes = (
        numeric("driver"),
        numeric("copy"),
        nominal("weak", ("a", "b", "c")),
        numeric("other"),
        numeric("nothing"),
        nominal("class", ("no", "yes")),
    )
    return Dataset(Schema(attributes, 5), [driver, copy, weak, other, nothing, codes])


def by_name(found: AttributeImportance) -> dict[str, float]:
    return {one.name: one.mean for one in found.attributes}


def test_driver_and_group_are_found_and_noise_is_not() -> None:
    found = attribute_importance(Cart(max_depth=4), made(800), CrossValidation(), RunContext(seed=1))
    sure = {one.name for one in found.attributes if one.is_sure}
    assert sure and sure <= {"driver", "copy", "weak"}
    (group,) = found.groups
    assert set(group.names) == {"driver", "copy"}
    assert found.associations[group.names] > 0.9
    assert group.mean > max(by_name(found).values())
    assert group.is_sure
    assert any(wording.CORRELATED in remark for remark in found.remarks)
    assert found.attributes == tuple(sorted(found.attributes, key=lambda one: -one.mean))


def test_false_alarms_on_pure_noise_are_rare() -> None:
    alarms = 0
    for seed in range(40):
        found = attribute_importance(
            NaiveBayes(), made(150, seed, noise=True), CrossValidation(), RunContext(seed=seed), n_repeats=1, least=None
        )
        alarms += any(one.is_sure for one in found.attributes)
    assert alarms <= 4


class _Ours:
    """A trained model as scikit-learn's function takes it: attributes are numbers, the class is a code."""

    def __init__(self, model: Model, data: Dataset) -> None:
        self.model, self.data = model, data

    def fit(self, _table: object, _codes: object) -> _Ours:
        return self

    def score(self, table: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
        schema = self.data.schema
        columns = [
            table[:, i].astype(np.int32) if attribute.kind.is_coded else table[:, i]
            for i, attribute in enumerate(schema.attributes[:-1])
        ]
        changed = Dataset(schema, [*columns, codes.astype(np.int32)])
        return float(np.mean(self.model.predict(changed) == codes))


class _TheirOrder:
    """The permutations that scikit-learn draws: from the same seed for each attribute, each of the last column."""

    def __init__(self, repeats: int) -> None:
        self.repeats, self.drawn = repeats, 0
        self.seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max + 1)

    def permutation(self, n: int) -> NDArray[np.int64]:
        if self.drawn % self.repeats == 0:
            self.random, self.shuffled, self.order = np.random.RandomState(self.seed), np.arange(n), np.arange(n)
        self.random.shuffle(self.shuffled)
        self.order = self.order[self.shuffled]
        self.drawn += 1
        return self.order


def test_as_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.inspection import permutation_importance

    data, method, context = made(300, 3), Holdout(), RunContext(seed=5)
    (split,) = method.splits(data, np.random.default_rng(context.seeds))
    assert split.test is not None
    test = data.take(split.test)
    model = learn(Cart(pruning="none"), (), data.take(split.train), RunContext(seed=5)).model
    table = np.column_stack([np.asarray(test.column(i), dtype=np.float64) for i in range(5)])
    theirs = permutation_importance(_Ours(model, data), table, test.class_codes, n_repeats=4, random_state=0)
    monkeypatch.setattr(RunContext, "random", lambda _context: _TheirOrder(4))
    found = attribute_importance(
        Cart(pruning="none"), data, method, context, measure="accuracy", n_repeats=4, least=None
    )
    for i, attribute in enumerate(data.schema.attributes[:-1]):
        own = next(one for one in found.attributes if one.name == attribute.name)
        np.testing.assert_allclose(own.by_fold[0], theirs.importances[i], atol=1e-12)
    assert found.attributes[0].mean > 0.05
    assert found.attributes[0].interval is None


def test_falls_are_those_of_a_slow_twin() -> None:
    data, method, context = made(200, 2), CrossValidation(folds=3), RunContext(seed=9)
    found = attribute_importance(
        Cart(pruning="none"), data, method, context, measure="accuracy", n_repeats=2, least=None
    )
    for fold, split in enumerate(method.splits(data, np.random.default_rng(context.seeds))):
        assert split.test is not None
        random = RunContext(seed=np.random.SeedSequence(9, spawn_key=(2 + fold, 1))).random()
        model = learn(Cart(pruning="none"), (), data.take(split.train), RunContext(seed=0)).model
        test = data.take(split.test)
        base = np.mean(model.predict(test) == test.class_codes)
        for index, attribute in enumerate(data.schema.attributes[:-1]):
            own = next(one for one in found.attributes if one.name == attribute.name)
            for repeat in range(2):
                values = test.column(index)[random.permutation(len(test))]
                changed = test.with_columns({index: (attribute, values)})
                fall = base - np.mean(model.predict(changed) == test.class_codes)
                assert own.by_fold[fold, repeat] == pytest.approx(fall, abs=1e-12)


def test_same_numbers_on_threads_and_by_any_measure() -> None:
    data = made(240, 4)
    alone = attribute_importance(Cart(pruning="none"), data, CrossValidation(), RunContext(seed=2), measure="auc")
    with thread_pool(2) as pool:
        threaded = attribute_importance(
            Cart(pruning="none"), data, CrossValidation(), RunContext(seed=2, executor=pool)
        )
    by_auc = threaded.judged_by("auc")
    assert by_auc.rows() == alone.rows()
    by_loss = threaded.judged_by("log-loss")
    assert max(by_name(by_loss), key=by_name(by_loss).__getitem__) in {"driver", "copy"}


def test_models_are_those_of_the_evaluation_with_the_same_seed() -> None:
    data, method, learner = made(200, 5), CrossValidation(folds=4), RandomForest(members=5)
    found = attribute_importance(learner, data, method, RunContext(seed=8), measure="accuracy", n_repeats=1)
    result = evaluate(learner, data, method, RunContext(seed=8))
    accuracy = [result.right[result.folds == fold].mean() for fold in range(4)]
    assert found.base.tolist() == pytest.approx(accuracy)


def test_finished_folds_are_taken_over() -> None:
    data, method = made(120, 5), CrossValidation(folds=4)
    whole = attribute_importance(Cart(), data, method, RunContext(seed=8))
    begun = replace(
        whole,
        parts=whole.parts[[0, 2]],
        bases=whole.bases[[0, 2]],
        falls=whole.falls[[0, 2]],
        tallies=whole.tallies[[0, 2]],
    )
    events: list[AttributeImportance] = []
    context = RunContext(seed=8, listener=lambda event: isinstance(event, AttributeImportance) and events.append(event))
    again = attribute_importance(Cart(), data, method, context, begun=begun)
    assert [len(event.base) for event in events] == [3, 4]
    assert again.rows() == whole.rows()


def test_an_undefined_measure_of_a_changed_model_counts_as_by_chance() -> None:
    """Without the only driver the tree predicts one class, whose MCC is undefined."""
    data = made(300, 6).select_columns([0, 4, 5])
    found = attribute_importance(C45(), data, CrossValidation(folds=3), RunContext(), measure="mcc", drops=True)
    driver = next(one for one in found.attributes if one.name == "driver")
    assert driver.mean > 0.3


def test_equal_falls_of_folds_have_no_interval() -> None:
    found = GroupImportance(("a",), np.full((3, 1), 0.2), 0.5)
    assert found.mean == pytest.approx(0.2) and found.interval is None and found.p_value is None
    assert GroupImportance(("a",), np.zeros((3, 1)), 0.5).p_value == 1
    wide = GroupImportance(("a",), np.array([[0.2], [0.3]]), 1.0, limit=1.0)
    assert wide.interval is not None and wide.interval[0] >= -1


def test_columns_that_no_learner_reads_are_not_counted() -> None:
    data = made(100, 2)
    unused = data.with_schema(data.schema.without_use([3, 4]))
    found = attribute_importance(Cart(), unused, CrossValidation(folds=3), RunContext(), n_repeats=1, least=None)
    assert {one.name for one in found.attributes} == {"driver", "copy", "weak"}


def test_a_failed_fold_is_named_and_the_others_stay() -> None:
    class Failing(ZeroR):
        def _fit(self, data: Dataset, context: RunContext) -> Model:
            if data.row_ids[0] != 0:
                raise DataError(wording.CORRELATED)
            return super()._fit(data, context)

    data = made(60, 2)
    found = attribute_importance(Failing(), data, CrossValidation(folds=3, stratified=False), RunContext(seed=1))
    assert found.failures and len(found.base) + len(found.failures) == 3
    assert any(wording.CORRELATED in remark for remark in found.brief_remarks)


def test_drop_column_trains_without_the_attribute() -> None:
    data, method, context = made(300, 6), CrossValidation(folds=3), RunContext(seed=4)
    found = attribute_importance(
        Cart(pruning="none"), data, method, context, measure="accuracy", drops=True, least=None
    )
    weak = next(one for one in found.attributes if one.name == "weak")
    rest = data.select_columns([0, 1, 3, 4, 5])
    for fold, split in enumerate(method.splits(data, np.random.default_rng(context.seeds))):
        assert split.test is not None
        right = [
            np.mean(
                learn(Cart(pruning="none"), (), table.take(split.train), RunContext()).model.predict(
                    table.take(split.test)
                )
                == data.class_codes[split.test]
            )
            for table in (data, rest)
        ]
        assert weak.by_fold[fold, 0] == pytest.approx(right[0] - right[1], abs=1e-12)


def test_an_attribute_that_the_recipe_needs_cannot_be_dropped() -> None:
    recipe = (FormulaColumn(formula="driver * 2", to="twice"),)
    found = attribute_importance(
        Cart(pruning="none"),
        made(120, 7),
        CrossValidation(folds=3),
        RunContext(),
        recipe=recipe,
        drops=True,
        least=None,
    )
    error = next(one.error for one in found.attributes if one.name == "driver")
    assert "driver" in error
    assert found.attributes[-1].name == "driver"
    assert any(remark.startswith(wording.NOT_LEFT_OUT) for remark in found.remarks)


def test_single_records_cannot_be_permuted() -> None:
    from algorithms.evaluation.methods.methods import LeaveOneOut

    with pytest.raises(DataError, match=wording.SINGLE_RECORD):
        attribute_importance(Cart(pruning="none"), made(30), LeaveOneOut(), RunContext())


def test_folds_are_published_as_they_end() -> None:
    events: list[AttributeImportance] = []
    context = RunContext(
        listener=lambda event: events.append(event) if isinstance(event, AttributeImportance) else None
    )
    found = attribute_importance(Cart(pruning="none"), made(100), CrossValidation(folds=5), context, n_repeats=1)
    assert [len(event.base) for event in events] == [1, 2, 3, 4, 5]
    assert not events[0].is_whole
    assert found.is_whole
