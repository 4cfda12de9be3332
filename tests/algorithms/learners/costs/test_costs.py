"""Learners that heed what mistakes cost: each lowers the cost, and says what it did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import AbsentColumnsError, ParameterError, UnsuitableDataError
from algorithms.core.filters import Filter, fit_recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import configured
from algorithms.core.record_costs import RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.core.scores import class_costs, costs_of_data, weighed_by_costs
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.data.synthetic_ids import parents_of
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate, train
from algorithms.evaluation.tuning.wrapper import WrapperSelection
from algorithms.filters.arrange_attributes import RemoveAttributes
from algorithms.filters.balance_classes import BalanceClasses
from algorithms.filters.components import PrincipalComponents
from algorithms.filters.computed_columns import FormulaColumn
from algorithms.filters.scale import Scale
from algorithms.filters.step_effects import apply_permanently
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.costs.calibrated import Calibrated, CalibratedModel, isotonic
from algorithms.learners.costs.cost_sensitive import ChosenThreshold, CostSensitive, MetaCost
from algorithms.learners.costs.wrapped_models import ThresholdModel
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.multiclass.reductions import OneVsOne
from algorithms.learners.probability_scaling import platt, platt_curve
from algorithms.learners.trees.c45 import C45
from algorithms.project.models import content_of, load_model, save_model, trained_of
from algorithms.structures.members import WrappedStructure
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed, same_bits
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import learners as wording

DEAR = ((0.0, 1.0), (100.0, 0.0))
"""Saying no where it is yes costs a hundred times what the other mistake costs."""


def rare(n: int = 4000, seed: int = 0, share: float = 0.02) -> Dataset:
    """Two clouds that overlap, one of them rare; the amount of a record says nothing of its class."""
    random = np.random.default_rng(seed)
    codes = (random.random(n) < share).astype(int)
    x = random.normal(size=n) + 1.6 * codes
    y = random.normal(size=n) + 1.2 * codes
    schema = Schema((numeric("x"), numeric("y"), numeric("amount"), nominal("bad", ("no", "yes"))), 3)
    data = Dataset(schema, [x, y, random.uniform(1, 9, n), codes])
    return data.with_schema(schema.without_use([2]))


def cost_of(learner: Learner, *, balanced: bool = False) -> float:
    """What its decisions on new records cost in all."""
    data, other = rare(), rare(seed=1)
    if balanced:
        data = BalanceClasses(by="smote").learn(data, RunContext(seed=2))[1]
    said = learner.fit(data, RunContext(seed=1)).predict(other)
    return float(np.array(DEAR)[other.class_codes.astype(int), said].sum())


@pytest.fixture(scope="module")
def plain() -> float:
    return cost_of(C45())


@pytest.mark.parametrize(
    "learner",
    [
        CostSensitive(costs=DEAR, base=C45(pruning="none", min_leaf=20)),
        CostSensitive(costs=DEAR, by="weights"),
        CostSensitive(costs=DEAR, by="samples"),
        MetaCost(costs=DEAR),
        ChosenThreshold(costs=DEAR, base=NaiveBayes()),
        CostSensitive(costs=DEAR, base=Calibrated(base=NaiveBayes())),
    ],
    ids=lambda each: each.summary(),
)
def test_each_way_of_heeding_costs_lowers_them(learner: Learner, plain: float) -> None:
    assert cost_of(learner) < 0.75 * plain


def test_records_made_up_of_the_rare_class_lower_the_cost_too(plain: float) -> None:
    assert cost_of(C45(), balanced=True) < 0.85 * plain


def test_what_a_class_costs_counts_over_being_right_about_it() -> None:
    """A reward for being right makes mistakes dearer; where nothing costs anything all stays as it was."""
    assert class_costs(np.array([[0.0, 1.0], [100.0, -1.0]]), np.arange(2)).tolist() == [1, 101]
    assert class_costs(np.array([[0.0, 2, 3], [1, 0, 1], [0, 0, 0]]), np.arange(3)).tolist() == [5, 2, 0]
    weights = weighed_by_costs(np.ones(4), np.array([0, 0, 0, 1]), np.array(DEAR))
    assert weights == pytest.approx(np.array([1, 1, 1, 100]) * 4 / 103)
    assert weighed_by_costs(np.ones(2), np.array([0, 1]), np.zeros((2, 2))).tolist() == [1, 1]


def test_the_cost_of_each_record_counts_in_its_weight() -> None:
    data = rare(300)
    by_hand = weighed_by_costs(
        np.asarray(data.column("amount"), dtype=float), data.class_codes.astype(int), np.array(DEAR)
    )
    expected = C45().fit(data.with_weights(by_hand), RunContext(seed=1).child(1.0, 1)).predict_proba(data)
    learner = CostSensitive(costs=DEAR, by="weights", amounts="amount")
    assert same_bits(learner.fit(data, RunContext(seed=1)).predict_proba(data), expected)
    with pytest.raises(UnsuitableDataError, match=evaluation_wording.HOLDS_NO_NUMBERS):
        CostSensitive(by="weights", amounts="bad").fit(data, RunContext())


TEN_TIMES = "[amount] * 10"
BY_AMOUNT = ((0.0, 5.0), (TEN_TIMES, 0.0))
"""Saying no where it is yes costs ten times the amount, the other mistake 5."""


def test_decisions_and_their_explanation_use_the_costs_of_the_record() -> None:
    """Yes is predicted where p * 10 * amount > (1 - p) * 5."""
    data = rare(800)
    model = CostSensitive(costs=BY_AMOUNT, base=NaiveBayes()).fit(data, RunContext(seed=1))
    probability, amount = model.predict_proba(data)[:, 1], np.asarray(data.column(2))
    wanted = probability * 10 * amount > (1 - probability) * 5
    assert model.predict(data).tolist() == wanted.astype(int).tolist()
    assert 0 < wanted.sum() < 800 and model.structure().rows[2] == ("yes", TEN_TIMES, "0")
    row = int(np.flatnonzero(wanted)[0])
    first, second = 10 * amount[row] * probability[row], 5 * (1 - probability[row])
    assert wording.no_and_yes(first, second) in model.explain(data, row).steps[-2]


def test_a_model_with_formulas_is_saved_and_the_mean_replaces_a_missing_value(tmp_path: Path) -> None:
    data = rare(800)
    trained = train(CostSensitive(costs=BY_AMOUNT, base=NaiveBayes()), data, (), RunContext(seed=1))
    save_model(tmp_path / "model", trained)
    again = load_model(tmp_path / "model", builtin())
    assert again.learner == trained.learner
    assert again.predict(data).tolist() == trained.predict(data).tolist()
    unknown = data.with_column(2, data.schema.attributes[2], np.full(len(data), np.nan))
    probability, mean = again.predict_proba(data)[:, 1], float(np.mean(data.column(2)))
    wanted = probability * 10 * mean > (1 - probability) * 5
    assert again.predict(unknown).tolist() == wanted.astype(int).tolist()


def with_amount_as_attribute(n: int, seed: int = 0) -> Dataset:
    data = rare(n, seed, share=0.2)
    return data.with_schema(data.schema.with_attribute(2, numeric("amount")))


@pytest.mark.parametrize("step", [Scale(), PrincipalComponents()], ids=lambda step: step.id)
def test_costs_are_those_of_the_records_before_the_recipe(step: Filter, tmp_path: Path) -> None:
    """A recipe that scales or replaces the amount changes no cost; saved models agree."""
    data, other = with_amount_as_attribute(800), with_amount_as_attribute(300, seed=1)
    learner = Bagging(base=CostSensitive(costs=BY_AMOUNT, base=NaiveBayes()), members=3)
    trained = train(learner.base, data, (step,), RunContext(seed=1))
    save_model(tmp_path / "model", trained)
    for model in (trained, load_model(tmp_path / "model", builtin())):
        probability, amount = model.predict_proba(other)[:, 1], np.asarray(other.column(2))
        wanted = probability * 10 * amount > (1 - probability) * 5
        assert 0 < wanted.sum() < 300 and model.predict(other).tolist() == wanted.astype(int).tolist()
        assert model.explain(other, 7).decision == wanted[7]
    assert train(learner, data, (step,), RunContext(seed=1)).predict(other).tolist() != [0] * 300
    result = evaluate(learner.base, data, CrossValidation(folds=3), RunContext(seed=1), recipe=(step,))
    rows = result.row_ids
    wanted = result.probabilities[:, 1] * 10 * np.asarray(data.column(2))[rows] > result.probabilities[:, 0] * 5
    assert result.decision.tolist() == wanted.astype(int).tolist()


def test_a_saved_model_that_read_costs_after_the_recipe_still_does() -> None:
    """Its file says nothing; it predicts as it was trained, also once it is saved again."""
    data, other = with_amount_as_attribute(800), with_amount_as_attribute(300, seed=1)
    learner = CostSensitive(costs=((0.0, 1.0), ("abs([amount])", 0.0)), base=NaiveBayes())
    trained = train(learner, data, (Scale(),), RunContext(seed=1))
    content = content_of(trained)
    content.values["model"]["values"]["own"].pop("before_recipe", None)
    scaled = np.abs(np.asarray(trained.prepared(other).column("amount")))
    older = trained_of(content, builtin())
    for model in (older, trained_of(content_of(older), builtin())):
        probability = model.predict_proba(other)[:, 1]
        wanted = probability * scaled > 1 - probability
        assert model.predict(other).tolist() == wanted.astype(int).tolist() != trained.predict(other).tolist()
        assert [model.explain(other, row).decision for row in range(20)] == wanted[:20].astype(int).tolist()


@pytest.mark.parametrize("by", ["decisions", "weights"])
def test_costs_can_read_a_column_that_only_the_recipe_makes(by: str) -> None:
    data, other = with_amount_as_attribute(300), with_amount_as_attribute(300, seed=1)
    recipe = (FormulaColumn(to="loss", formula="[amount] * 10"), BalanceClasses(by="oversample"))
    made, plain = (
        CostSensitive(costs=((0.0, 5.0), (cost, 0.0)), by=by, amounts="loss", base=NaiveBayes())
        for cost in ("[loss]", "[amount] * 10")
    )
    assert made.check(summarize(fit_recipe(recipe, data, RunContext(seed=1))[1])) == []
    trained, same = (train(learner, data, recipe, RunContext(seed=1)) for learner in (made, plain))
    for model in (trained, trained_of(content_of(trained), builtin())):
        assert same_bits(model.predict_proba(other), same.predict_proba(other))
        assert model.predict(other).tolist() == same.predict(other).tolist()


def test_a_column_that_only_costs_read_is_still_needed() -> None:
    data = with_amount_as_attribute(300)
    step = RemoveAttributes(columns=("amount",))
    for learner, left_out in (
        (CostSensitive(costs=BY_AMOUNT), ()),
        (CostSensitive(costs=BY_AMOUNT, by="weights"), ("amount",)),
        (CostSensitive(costs=DEAR), ("amount",)),
    ):
        trained = train(learner, data, (step,), RunContext(seed=1))
        assert trained.left_out == left_out
        without = data.select_columns([0, 1, 3])
        assert bool(trained.differences(without)) == (not left_out)
        if not left_out:
            with pytest.raises(AbsentColumnsError):
                trained.predict(without)
        else:
            assert len(trained.predict(without)) == 300


def test_weights_by_amounts_are_those_before_the_recipe() -> None:
    """Scaled amounts were negative, and refused."""
    data = with_amount_as_attribute(300)
    for costs in (DEAR, BY_AMOUNT):
        learner = CostSensitive(costs=costs, by="weights", amounts="amount", base=NaiveBayes())
        scaled, plain = (train(learner, data, recipe, RunContext(seed=1)) for recipe in ((Scale(),), ()))
        assert scaled.predict_proba(data) == pytest.approx(plain.predict_proba(data), abs=1e-6)


def test_a_step_that_trains_a_learner_gives_it_the_costs_before_the_recipe() -> None:
    """It read scaled amounts, and none in sets without the amount; so each recipe kept something else."""
    random = np.random.default_rng(0)
    x, amount = random.normal(size=400), random.lognormal(4, 1, 400)
    codes = (x + 0.8 * random.normal(size=400) > 0.5).astype(int)
    schema = Schema((numeric("x"), numeric("z"), numeric("amount"), nominal("bad", ("no", "yes"))), 3)
    data = Dataset(schema, [x, random.normal(size=400), amount, codes])
    costs = ((0.0, "[amount] * 0.3"), ("[amount] * 0.5", 0.0))
    step = WrapperSelection(base=CostSensitive(costs=costs, base=NaiveBayes()))
    assert np.isfinite(step.judged(data, RunContext(seed=1)).scores).all()
    for recipe in ((step,), (Scale(), step), (RemoveAttributes(columns=("amount",)), Scale(), step)):
        assert fit_recipe(recipe, data, RunContext(seed=1))[1].schema.names == ("x", "bad")
        after = apply_permanently(recipe, data, RunContext(seed=1))
        assert after.schema.names == ("x", "bad") and after.recipe_input is None


def test_a_synthetic_record_costs_what_its_parent_does() -> None:
    data = with_amount_as_attribute(300)
    _, changed = fit_recipe((Scale(), BalanceClasses(by="smote")), data, RunContext(seed=1))
    is_synthetic = changed.row_ids < 0
    parents = parents_of(changed.row_ids[is_synthetic])[0]
    values = costs_of_data(BY_AMOUNT, changed).formulas[1, 0].values
    amounts = 10 * np.asarray(data.column(2))
    assert is_synthetic.any() and np.array_equal(values[is_synthetic], amounts[parents])
    assert np.array_equal(values[~is_synthetic], amounts[changed.row_ids[~is_synthetic]])
    columns = [changed.column(index) for index in range(len(changed.schema))]
    ids = np.where(is_synthetic, np.iinfo(np.int64).min, changed.row_ids)  # without parents, as in older files
    orphans = Dataset(changed.schema, columns, row_ids=ids).with_recipe_input(data)
    means = costs_of_data(BY_AMOUNT, orphans).formulas[1, 0]
    assert means.n_missing == is_synthetic.sum() and np.all(means.values[is_synthetic] == means.usual)


def test_a_record_weighs_what_misclassifying_it_costs() -> None:
    """By hand: two no at 5 each, two yes at 10 times 2 and 10 times 4; scaled to a sum of 4."""
    schema = Schema((numeric("amount"), nominal("bad", ("no", "yes"))), 1)
    data = Dataset(schema, [np.array([1.0, 9.0, 2.0, 4.0]), np.array([0, 0, 1, 1])])
    costs = costs_of_data(BY_AMOUNT, data)
    assert class_costs(costs, data.class_codes.astype(int)).tolist() == [5, 5, 20, 40]
    weights = weighed_by_costs(np.ones(4), data.class_codes.astype(int), costs)
    assert weights == pytest.approx(np.array([5, 5, 20, 40]) * 4 / 70)
    rewarded = costs_of_data(((0.0, 5.0), ("[amount] * 10", "-amount")), data)
    assert class_costs(rewarded, data.class_codes.astype(int)).tolist() == [5, 5, 22, 44]


@pytest.mark.parametrize(
    "learner",
    [
        CostSensitive(costs=BY_AMOUNT, by="weights"),
        CostSensitive(costs=BY_AMOUNT, by="samples"),
        MetaCost(costs=BY_AMOUNT),
        ChosenThreshold(costs=BY_AMOUNT, base=NaiveBayes()),
    ],
    ids=lambda each: each.summary(),
)
def test_each_way_lowers_costs_that_differ_by_record(learner: Learner) -> None:
    data, other = rare(), rare(seed=1)
    costs, truth = costs_of_data(BY_AMOUNT, other), other.class_codes.astype(int)
    paid = [costs.of(truth, of.fit(data, RunContext(seed=1)).predict(other)).sum() for of in (learner, C45())]
    assert paid[0] < 0.9 * paid[1]


def test_formulas_are_checked_before_training_and_only_where_they_are_possible() -> None:
    for cost, words in (("nothing", core_wording.NO_COLUMN_NAMED), ("bad", evaluation_wording.ROW_STANDS_FOR_CLASS)):
        learner = CostSensitive(costs=((0.0, 1.0), (cost, 0.0)))
        with pytest.raises(UnsuitableDataError, match=words):
            learner.fit(rare(100), RunContext())
    with pytest.raises(ParameterError):
        CostSensitive(costs=((0.0, 1.0), ("amount +", 0.0)))
    with pytest.raises(ParameterError):
        C45(priors="by-cost", costs=((0.0, 1.0), ("amount", 0.0)))
    typed = configured(CostSensitive, {"costs": "0 5; amount 0"}, builtin().resolve)
    assert typed.costs == ((0.0, 5.0), ("amount", 0.0))


def test_costs_for_another_number_of_classes_are_refused_in_words() -> None:
    for learner in (CostSensitive(costs=DEAR), MetaCost(costs=DEAR), ChosenThreshold(costs=DEAR)):
        with pytest.raises(UnsuitableDataError, match=wording.COSTS_FOR_TWO_CLASSES):
            learner.fit(mixed(30), RunContext())


def test_decisions_are_the_cheapest_by_the_probabilities_and_are_explained() -> None:
    data = rare(800)
    model = CostSensitive(costs=DEAR, base=NaiveBayes()).fit(data, RunContext(seed=1))
    sure = model.predict_proba(data)
    assert model.predict(data).tolist() == (sure[:, 1] > 1 / 101).astype(int).tolist()  # TSKK Eq. 5.83
    assert same_bits(sure, NaiveBayes().fit(data, RunContext(seed=1).child(1.0, 1)).predict_proba(data))
    steps = model.explain(data, 0).steps
    assert steps[-2].startswith(wording.COST_OF_SAYING_NO)
    shown = model.structure()
    assert isinstance(shown, WrappedStructure)
    assert shown.rows[2] == ("yes", "100", "0")


def test_metacost_by_weights_and_by_drawing_yield_a_model_to_read() -> None:
    for learner in (MetaCost(costs=DEAR), CostSensitive(costs=DEAR, by="samples")):
        assert isinstance(learner.fit(rare(400), RunContext(seed=1)).structure(), Tree)


@pytest.mark.parametrize("aim", ["cost", "f", "balanced"])
def test_the_threshold_chosen_is_the_best_of_all_on_what_was_held_out(aim: str) -> None:
    """Compared with trying every threshold one by one."""
    random = np.random.default_rng(3)
    p = random.integers(0, 20, 200) / 20
    truth = (random.random(200) < p).astype(np.int64)
    weights = random.integers(1, 4, 200).astype(float)
    learner = ChosenThreshold(aim=aim, costs=((0.0, 1.0), (4.0, -0.5)))
    table = np.array(learner.costs)

    def worth(threshold: float) -> float:
        said = (p >= threshold).astype(int)
        found, alarms = weights[(said == 1) & (truth == 1)].sum(), weights[(said == 1) & (truth == 0)].sum()
        positive, negative = weights[truth == 1].sum(), weights[truth == 0].sum()
        if aim == "cost":
            return -float((weights * table[truth, said]).sum())
        if aim == "f":
            return float(2 * found / (found + alarms + positive))
        return float((found / positive + 1 - alarms / negative) / 2)

    chosen = learner._best(np.stack([1 - p, p], axis=1), truth, weights, 1, RecordCosts(table))
    assert worth(chosen) == pytest.approx(max(worth(t) for t in np.arange(0, 1.1, 0.025)))


def test_the_rarest_class_is_the_one_whose_threshold_is_chosen() -> None:
    model = ChosenThreshold(base=NaiveBayes(), costs=DEAR).fit(rare(), RunContext(seed=1))
    assert isinstance(model, ThresholdModel)
    assert model.code == 1
    assert model.threshold is not None
    assert model.threshold < 0.1
    assert wording.YES_FROM_A_PROBABILITY in model.words()


# ---- calibration -----------------------------------------------------------------------------------------------------


def test_platt_and_isotonic_curves_are_those_of_scikit_learn() -> None:
    """Its sigmoid is fitted to the same aims; its isotonic regression joins steps by the same lines."""
    from sklearn.calibration import _sigmoid_calibration
    from sklearn.isotonic import IsotonicRegression

    random = np.random.default_rng(1)
    scores = random.normal(size=300).round(1)
    truth = random.random(300) < 1 / (1 + np.exp(-2 * scores + 0.7))
    weights = random.integers(1, 4, 300).astype(float)
    a, b = _sigmoid_calibration(scores, truth.astype(float), None)
    assert platt(scores, truth, np.ones(300)) == pytest.approx((-a, -b), abs=1e-3)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, truth.astype(float), sample_weight=weights)
    ends, shares = isotonic(scores, truth, weights)
    asked = np.linspace(-4, 4, 101)
    assert np.interp(asked, ends, shares) == pytest.approx(theirs.predict(asked), abs=1e-9)


def test_a_curve_that_would_fall_is_level() -> None:
    slope, offset = platt(np.array([0.0, 1, 2, 3]), np.array([True, True, False, False]), np.ones(4))
    assert (slope, platt_curve(np.array([1.0]), slope, offset)[0]) == (0.0, 0.5)


@pytest.mark.parametrize("by", ["platt", "isotonic"])
def test_calibrated_probabilities_come_true_where_those_of_the_learner_do_not(by: str) -> None:
    """Naive Bayes counts a column that is there three times thrice, so it is far too sure."""
    data, other = (_tripled(rare(3000, seed=seed, share=0.3)) for seed in (0, 1))

    def log_loss(learner: Learner) -> float:
        p = learner.fit(data, RunContext(seed=1)).predict_proba(other)
        return float(-np.log(np.clip(p[np.arange(len(other)), other.class_codes], 1e-9, 1)).mean())

    assert log_loss(Calibrated(base=NaiveBayes(), by=by)) < log_loss(NaiveBayes()) - 0.02


def _tripled(data: Dataset) -> Dataset:
    for name in ("x again", "x once more"):
        data = data.with_new_column(numeric(name), data.column("x"))
    return data


def test_several_classes_are_calibrated_each_by_its_own_curve() -> None:
    model = Calibrated(base=NaiveBayes(), by="isotonic").fit(mixed(300), RunContext(seed=1))
    assert isinstance(model, CalibratedModel)
    assert model.codes == (0, 1, 2)
    assert model.rows()[0] == ("probability", "calibrated, a", "calibrated, b", "calibrated, c")
    assert model.predict_proba(mixed(50, seed=3))[:, 3].max() == 0


# ---- nested ----------------------------------------------------------------------------------------------------------


def test_learners_over_learners_over_learners_are_saved_and_say_the_same(tmp_path: Path) -> None:
    typed = {"base": "cost-sensitive", "base.base": "one-vs-one", "base.base.base": "c4.5", "members": "3"}
    learner = configured(Bagging, typed, builtin().resolve)
    assert learner == Bagging(base=CostSensitive(base=OneVsOne(base=C45())), members=3)
    data = mixed(80, missing=0.1)
    trained = train(learner, data, (), RunContext(seed=1))  # type: ignore[arg-type]
    save_model(tmp_path / "a.coppice-model", trained)
    again = load_model(tmp_path / "a.coppice-model", builtin())
    assert same_bits(again.model.predict_proba(data), trained.model.predict_proba(data))
    assert same_bits(again.model.predict(data), trained.model.predict(data))
    assert again.model.facts() == trained.model.facts()
