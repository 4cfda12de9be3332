"""Naive Bayes: the numbers of others, estimates by hand, and what it does with what is missing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.naive_bayes import GaussianNB

from algorithms.core.errors import ModelFileError, UnsuitableDataError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.filters.discretize import Discretize, Discretized
from algorithms.io.reading import read
from algorithms.learners.bayes.distributions import EXACT
from algorithms.learners.bayes.evidence import contribution, contribution_words, likelihood_words, times_words
from algorithms.learners.bayes.naive_bayes import NaiveBayes, NaiveBayesModel
from algorithms.structures.bayes_network import DistributionForm
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording


def fit(data: Dataset, learner: NaiveBayes | None = None) -> NaiveBayesModel:
    model = (learner or NaiveBayes(numbers="gaussian")).fit(data, RunContext(seed=1))
    assert isinstance(model, NaiveBayesModel)
    return model


def numbers(n: int, d: int, k: int, seed: int = 0) -> tuple[Dataset, np.ndarray, np.ndarray]:
    """Numbers of k classes with means and spreads of their own, as a data set and as arrays."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, k, n)
    table = random.normal(random.normal(size=(k, d))[codes], random.uniform(0.5, 3, (k, d))[codes]) + 50
    attributes = (*(numeric(f"x{i}") for i in range(d)), nominal("y", [f"c{i}" for i in range(k)]))
    return Dataset(Schema(attributes, d), [*table.T.copy(), codes]), table, codes


@pytest.mark.parametrize(("n", "d", "k"), [(60, 4, 2), (500, 20, 5)])
def test_posteriors_are_those_of_scikit_learn(n: int, d: int, k: int) -> None:
    data, table, codes = numbers(n, d, k)
    theirs = GaussianNB(var_smoothing=0.0).fit(table, codes)
    ours = fit(data, NaiveBayes(numbers="gaussian", variance="population", least_spread=0.0, least_ratio=0.0))
    other, asked, _ = numbers(200, d, k, seed=1)
    assert np.abs(ours.predict_proba(other) - theirs.predict_proba(asked)).max() < 1e-9
    assert ours.predict(other).tolist() == theirs.predict(asked).tolist()


def test_posteriors_are_those_of_scikit_learn_with_weights_and_given_priors() -> None:
    data, table, codes = numbers(300, 5, 3)
    weights = np.random.default_rng(3).uniform(0.1, 4, 300)
    theirs = GaussianNB(var_smoothing=0.0, priors=[0.2, 0.3, 0.5]).fit(table, codes, sample_weight=weights)
    learner = NaiveBayes(numbers="gaussian", variance="population", least_spread=0.0, least_ratio=0.0, priors=(2, 3, 5))
    ours = fit(data.with_weights(weights), learner)
    assert np.abs(ours.predict_proba(data) - theirs.predict_proba(table)).max() < 1e-9


def test_many_attributes_do_not_underflow() -> None:
    data, _, _ = numbers(200, 600, 2)
    found = fit(data).predict_proba(data)
    assert np.all(np.isfinite(found))
    assert found.sum(axis=1) == pytest.approx(np.ones(200))


def test_a_class_of_one_number_keeps_a_spread() -> None:
    """The class whose numbers are all 5 have at least a tenth of the spread of all."""
    schema = Schema((numeric("x"), nominal("y", ("same", "other"))), 1)
    data = Dataset(schema, [[5.0] * 5 + [1.0, 9.0, 4.9, 5.05, 5.1], [0] * 5 + [1] * 5])
    model = fit(data)
    whole = float(np.std(data.column(0), ddof=1))
    assert model.conditionals.deviation[0, 0] == pytest.approx(0.1 * whole)
    assert model.predict(Dataset(schema, [[5.0, 6.5], [-1, -1]])).tolist() == [0, 1]


def test_a_class_whose_numbers_are_written_in_steps_is_no_narrower_than_a_step() -> None:
    """Steps of 1 leave a standard deviation of 1 / sqrt(12) open (Sheppard), whatever the spread of all records."""
    schema = Schema((numeric("x"), nominal("y", ("same", "other"))), 1)
    data = Dataset(schema, [[2.0] * 5 + [1.0, 2.0, 3.0, 2.0], [0] * 5 + [1] * 4])
    model = fit(data)
    assert model.conditionals.deviation[0] == pytest.approx([12**-0.5, np.std([1, 2, 3, 2], ddof=1)])
    bare = fit(data, NaiveBayes(numbers="gaussian", least_spread=0.0))
    assert bare.conditionals.deviation[0, 0] < 1e-100


@pytest.mark.parametrize("form", ["gaussian", "kernel-density"])
def test_one_number_far_from_all_others_does_not_decide_alone(form: str) -> None:
    """Ten attributes say a by 2 to 1 or more each; one shows a number that lies 500 deviations from both classes."""
    random = np.random.default_rng(4)
    codes = np.repeat([0, 1], 60)
    table = random.normal(size=(120, 11)) + np.where(codes == 0, 0.0, 3.0)[:, None]
    table[:, 10] = random.normal(size=120) * np.where(codes == 0, 1.0, 1.5)
    schema = Schema((*(numeric(f"x{at}") for at in range(11)), nominal("y", ("a", "b"))), 11)
    model = fit(Dataset(schema, [*table.T, codes]), NaiveBayes(numbers=form))
    record = Dataset(schema, [*([0.0] for _ in range(10)), [500.0], [-1]])
    assert model.predict(record).tolist() == [0]
    logs = model.likelihoods.of(10, np.array([500.0]))[0]
    assert abs(logs[0] - logs[1]) == pytest.approx(math.log(1e9))
    unbound = fit(Dataset(schema, [*table.T, codes]), NaiveBayes(numbers=form, least_ratio=0.0))
    assert unbound.predict(record).tolist() == [1]


def test_normal_densities_hold_on_many_numbers_that_are_mostly_zero() -> None:
    """As measurements of heart beats are: 120 even and 159 mostly zero with a long tail, in 13 classes of 2 to 245."""
    random = np.random.default_rng(0)
    codes = np.repeat(np.arange(13), [245, 44, 15, 15, 13, 25, 3, 2, 9, 50, 4, 5, 22])
    n, columns = len(codes), []
    for at in range(279):
        differs = random.random(13) < 0.15
        if at < 120:
            columns.append(random.normal(size=n) * 3 + 10 + differs[codes] * random.normal() * 4)
        else:
            share = np.clip(random.random() + differs * random.normal(size=13) * 0.4, 0.0, 1.0)
            columns.append(np.where(random.random(n) < share[codes], np.exp(random.normal(size=n) * 0.8), 0.0))
    schema = Schema((*(numeric(f"x{at}") for at in range(279)), nominal("y", [str(at) for at in range(13)])), 279)
    data = Dataset(schema, [*(np.round(column, 1) for column in columns), codes])
    result = evaluate(NaiveBayes(numbers="gaussian"), data, CrossValidation(), RunContext(seed=1))
    assert np.mean(result.decision == result.truth) > 0.80  # 0.73 where one far number may decide


def test_a_model_saved_before_there_was_a_bound_has_none() -> None:
    model = fit(mixed(80))
    state = model.to_state()
    older = State({"partial": False}, state.arrays)
    assert NaiveBayesModel.from_state(model.schema, older).conditionals.least_ratio == 0.0
    assert NaiveBayesModel.from_state(model.schema, state).conditionals.least_ratio == 1e-9
    for wrong in (-0.1, 1.0, math.nan, "much"):
        with pytest.raises(ModelFileError):
            NaiveBayesModel.from_state(model.schema, State({"partial": False, "least_ratio": wrong}, state.arrays))


def test_a_class_with_one_record_has_the_spread_of_all() -> None:
    schema = Schema((numeric("x"), nominal("y", ("one", "more"))), 1)
    model = fit(Dataset(schema, [[1.0, 2.0, 3.0, 4.0], [0, 1, 1, 1]]))
    assert model.conditionals.deviation[0].tolist() == pytest.approx([np.std([1, 2, 3, 4], ddof=1), 1.0])


def test_a_number_that_is_always_the_same_tells_nothing_of_another() -> None:
    """Whatever rounding leaves of its spread: a new number is far away in each class alike, but drowns no other."""
    random = np.random.default_rng(0)
    schema = Schema((numeric("same"), numeric("x"), nominal("y", ("a", "b", "c"))), 2)
    for n in range(30, 60):
        codes, same = random.integers(0, 3, n), float(random.normal())
        model = fit(Dataset(schema, [[same] * n, codes * 10 + random.normal(size=n), codes]))
        assert model.conditionals.deviation[0].tolist() == [1.0, 1.0, 1.0]
        found = model.predict(Dataset(schema, [[same + 5] * 3, [0.0, 10.0, 20.0], [-1] * 3]))
        assert found.tolist() == [0, 1, 2]


@pytest.mark.parametrize("scale", [1e-3, 0.02, 0.034, 10.0])
def test_weights_in_another_unit_leave_the_spread_of_numbers(scale: float) -> None:
    data, table, _ = numbers(60, 2, 2)
    model = fit(data.with_weights(np.full(60, scale)))
    own = fit(data).conditionals.deviation
    assert np.all((model.conditionals.deviation > 0.5 * own) & (model.conditionals.deviation < 2 * own + table.std()))


def test_kernels_of_large_numbers_stand_in_order() -> None:
    """2,000 whole numbers far from zero: a sum of them would lose the digits by which they differ."""
    random = np.random.default_rng(2)
    values = 4e15 + np.concatenate([np.arange(2000.0), random.integers(900, 1100, 40_000)])
    schema = Schema((numeric("x"), nominal("y", ("a",))), 1)
    held = fit(Dataset(schema, [values, np.zeros(len(values))]), NaiveBayes(numbers="kernel-density")).conditionals
    own, width = held.point, float(held.deviation[0, 0])
    assert np.all(np.diff(own) > 0)
    assert np.abs(own[:, None] - values[:2000]).min(axis=0).max() <= width


def test_an_explanation_does_not_call_a_known_value_unknown() -> None:
    """Whose likelihood is 1 in every class: every record has the one value there is."""
    schema = Schema((nominal("only", ("this", "never")), nominal("y", ("a", "b"))), 1)
    data = Dataset(schema, [[0, 0, 0, 0], [0, 0, 1, 1]])
    model = fit(data, NaiveBayes(numbers="gaussian", smoothing="none"))
    assert not any("left out" in step for step in model.explain(data, 0).steps)
    for unknown in (-1, 1):
        asked = Dataset(schema, [[unknown], [-1]])
        assert any(wording.LEFT_OUT_ONLY in step for step in model.explain(asked, 0).steps)


def test_kernels_are_a_sum_of_bells() -> None:
    data, table, codes = numbers(150, 2, 2)
    model = fit(data, NaiveBayes(numbers="kernel-density", least_ratio=0.0, bandwidth=0.7))
    asked = np.array([40.0, 50.3, 61.0, 900.0])
    for code in range(2):
        for place in range(2):
            own = table[codes == code, place]
            by_hand = logsumexp(norm.logpdf(asked[:, None], own, 0.7), axis=1) - np.log(len(own))
            assert model.likelihoods.of(place, asked)[:, code] == pytest.approx(by_hand, rel=1e-12)


def test_the_width_of_the_kernels_is_silvermans() -> None:
    data, table, codes = numbers(400, 1, 2)
    model = fit(data, NaiveBayes(numbers="kernel-density"))
    for code in range(2):
        own = table[codes == code, 0]
        low, high = np.quantile(own, [0.25, 0.75])
        width = 0.9 * min(np.std(own, ddof=1), (high - low) / 1.34) * len(own) ** -0.2
        assert model.conditionals.deviation[0, code] == pytest.approx(width)


def test_kernels_of_very_many_numbers_are_nearly_the_sum_of_all() -> None:
    data, table, codes = numbers(4 * EXACT, 1, 2)
    model = fit(data, NaiveBayes(numbers="kernel-density"))
    own, width = table[codes == 0, 0], model.conditionals.deviation[0, 0]
    assert model.conditionals.points_of(0, 0).stop < len(own)
    asked = np.linspace(own.min(), own.max(), 50)
    by_hand = np.exp(logsumexp(norm.logpdf(asked[:, None], own, width), axis=1) - np.log(len(own)))
    assert np.exp(model.likelihoods.of(0, asked)[:, 0]) == pytest.approx(by_hand, rel=2e-3)


@pytest.mark.parametrize(
    ("by", "numbers_as"), [("class", "entropy")] + [(w, w) for w in ("equal-width", "equal-frequency")]
)
def test_ranges_are_those_of_the_step(by: str, numbers_as: str) -> None:
    data = sample("iris")
    model = fit(data, NaiveBayes(numbers=numbers_as, ranges=4))
    step = Discretize(by=by, ranges=4).fit(data, RunContext())
    assert isinstance(step, Discretized)
    held = model.conditionals
    for place, index in enumerate(held.attribute.tolist()):
        assert tuple(held.cuts_of(place).tolist()) == step.cuts[data.schema.attributes[index].name]
    ranged = step.transform(data)
    assert fit(ranged).predict_proba(ranged) == pytest.approx(model.predict_proba(data))


def test_missing_and_unseen_values_are_left_out() -> None:
    data = sample("vertebrates")
    model, nothing = fit(data), data.take([0, 1])
    for index in data.schema.predictors:
        nothing = nothing.with_column(index, data.schema.attributes[index], [-1, -1])
    assert model.predict_proba(nothing)[0] == pytest.approx(model.conditionals.prior)
    schema = Schema((nominal("x", ("a", "b", "never")), nominal("y", "01")), 1)
    unseen = fit(Dataset(schema, [[0, 0, 1, 1, 1], [0, 0, 1, 1, 0]]), NaiveBayes(numbers="gaussian", smoothing="none"))
    assert unseen.predict_proba(Dataset(schema, [[2], [-1]]))[0] == pytest.approx([0.6, 0.4])


def test_infinite_numbers_are_left_out() -> None:
    schema = Schema((numeric("x"), nominal("y", "01")), 1)
    known = fit(Dataset(schema, [[1.0, 2.0, 5.0, 6.0], [0, 0, 1, 1]]))
    also = fit(Dataset(schema, [[1.0, 2.0, 5.0, 6.0, np.inf, -np.inf], [0, 0, 1, 1, 0, 1]]))
    assert also.conditionals.mean.tolist() == known.conditionals.mean.tolist()
    assert also.predict_proba(Dataset(schema, [[np.inf], [-1]]))[0].tolist() == [0.5, 0.5]


def test_very_large_numbers_have_a_mean_and_a_spread() -> None:
    schema = Schema((numeric("x"), nominal("y", "01")), 1)
    model = fit(Dataset(schema, [[1e300, 2e300, 5e300, 6e300], [0, 0, 1, 1]]))
    assert model.conditionals.mean[0].tolist() == pytest.approx([1.5e300, 5.5e300])
    assert model.predict(Dataset(schema, [[1.2e300, 5.8e300], [-1, -1]])).tolist() == [0, 1]


def test_a_class_that_training_never_had_is_never_decided() -> None:
    data = mixed(80)
    model = fit(data, NaiveBayes(numbers="gaussian", priors=(1, 1, 1, 7)))
    assert model.conditionals.prior.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert model.predict_proba(data)[:, 3].tolist() == [0] * 80


@pytest.mark.parametrize(
    "learner",
    [
        NaiveBayes(numbers="gaussian", priors=(1, 2)),
        NaiveBayes(numbers="gaussian", priors=(0, 0, 0, 0)),
        NaiveBayes(numbers="gaussian", smoothing="m-estimate", p=(0.2, 0.3)),
        NaiveBayes(numbers="gaussian", smoothing="m-estimate", p=(3.0,)),
    ],
)
def test_shares_that_do_not_fit_the_classes_are_refused(learner: NaiveBayes) -> None:
    with pytest.raises(UnsuitableDataError):
        learner.fit(mixed(20), RunContext())


def test_finished_early_it_has_the_attributes_that_were_done() -> None:
    context = RunContext()
    context.finish()
    model = NaiveBayes(numbers="gaussian").fit(mixed(40), context)
    assert isinstance(model, NaiveBayesModel)
    assert model.partial
    assert model.conditionals.n_attributes == 0


def test_an_explanation_names_the_strongest_value_first() -> None:
    data = sample("iris")
    found = fit(data).explain(data, 0)
    assert found.steps[0].startswith(wording.PRIOR)
    assert "Petal" in found.steps[1] or "petal" in found.steps[1]
    assert any(f" for {label} against " in found.steps[1] for label in wording.SETOSA_NAMES)
    in_bins = NaiveBayes().fit(data, RunContext()).explain(data, 0)
    assert any("(under " in step or " to " in step for step in in_bins.steps[1:3]), "the interval is named"
    assert len(found.parts) == 4


@pytest.mark.parametrize(
    ("times", "said"),
    [(1.04, "about"), (3.24, "3.2 times"), (9.97, "10 times"), (47.4, "47 times"), (12_345, "12,000 times"),
     (2.77e8, wording.MORE_THAN_A_MILLION_TIMES), (1e300, wording.MORE_THAN_A_MILLION_TIMES)],
)  # fmt: skip
def test_how_many_times_as_likely_is_said_as_exactly_as_anyone_would(times: float, said: str) -> None:
    assert times_words(math.log(times)) == times_words(-math.log(times)) == said


def test_an_explanation_gives_the_likelihoods_in_the_order_of_the_classes_it_names() -> None:
    """A value may speak for the runner-up: its likelihood comes first then, and a ruled-out class last."""
    schema = Schema((nominal("colour", ("red", "blue")), nominal("size", ("s", "l")), nominal("class", ("a", "b"))), 2)
    colour = [0] * 40 + [1] * 60 + [0] * 8 + [1] * 2
    data = Dataset(schema, [np.array(colour), np.array([0] * 100 + [1] * 10), np.array([0] * 100 + [1] * 10)])
    model = fit(data)
    held, logs = model.conditionals, np.log([0.4, 0.8])
    for decision in (0, 1):
        other = 1 - decision
        assert contribution_words(held, 0, 0, logs, decision, other) == wording.TWICE_AS_LIKELY_IN_B
        assert abs(contribution(logs, decision, other)) == pytest.approx(math.log(2))
        with np.errstate(divide="ignore"):
            ruled_out = np.log([0.0, 0.25])
        assert contribution_words(held, 1, 1, ruled_out, decision, other) == wording.ONLY_WITH_B
        assert abs(contribution(ruled_out, decision, other)) == math.inf


def test_a_ratio_near_one_has_its_number() -> None:
    schema = Schema((nominal("colour", ("red", "blue")), nominal("class", ("a", "b"))), 1)
    held = fit(Dataset(schema, [np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])])).conditionals
    words = contribution_words(held, 0, 0, np.log([0.5, 0.51]), 0, 1)
    assert words == wording.HARDLY_LIKELIER


def test_the_reasons_are_the_prior_and_the_log_likelihood_ratios_the_strongest_first() -> None:
    schema = Schema((nominal("colour", ("red", "blue")), nominal("size", ("s", "l")), nominal("class", ("a", "b"))), 2)
    colour, size = np.array([0, 0, 0, 1, 1, 1, 0, 1, 1]), np.array([0, 1, 0, 1, 0, 0, 1, 0, 1])
    data = Dataset(schema, [colour, size, np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])])
    model = fit(data)
    for pair in ((0, 1), (1, 0)):
        reasons = model.explain_pair(data, 0, pair).reasons
        shares = model.predict_proba(data.take([0]))[0]
        assert reasons[0].what == "Prior"
        assert sum(reason.added for reason in reasons) == pytest.approx(math.log(shares[pair[0]] / shares[pair[1]]))
        added = [abs(reason.added) for reason in reasons[1:]]
        assert len(added) == 2 and added == sorted(added, reverse=True)
        assert {tuple(reason.what.split(" = ")) for reason in reasons[1:]} == {("colour", "red"), ("size", "s")}


@pytest.mark.parametrize(
    ("share", "said"), [(0.261, "26.1%"), (0.0027, "0.27%"), (0.0, "0.0%"), (2e-7, "<0.01%"), (0.00998, "1%")]
)
def test_a_small_likelihood_has_digits_enough_to_check_the_ratio(share: float, said: str) -> None:
    """A ratio of 96 with (26.1% against 0.3%) did not add up: 26.1 / 0.3 is 87."""
    assert likelihood_words(share) == said


def test_an_explanation_has_no_densities_and_no_powers_of_ten() -> None:
    data = sample("iris")
    said = " ".join(fit(data).explain(data, 0).steps[1:])
    assert wording.OVER_A_MILLION_TIMES in said
    assert "density" not in said
    assert "e+" not in said


def damaged(**changed: np.ndarray) -> State:
    state = fit(mixed(60), NaiveBayes(numbers="kernel-density")).to_state()
    return State(state.values, {**state.arrays, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"prior": np.array([0.5, 0.5])},
        {"prior": np.array([2.0, 0.0, 0.0, 0.0])},
        {"attribute": np.array([0, 1, 2, 6], dtype=np.int32)},
        {"attribute": np.array([0, 1, 3, 2], dtype=np.int32)},
        {"form": np.array([9, 3, 0, 0], dtype=np.int8)},
        {"form": np.array([0, 3, 0, 0], dtype=np.int8)},
        {"row_start": np.array([0, 0, 0, 3, 99], dtype=np.int32)},
        {"table": np.full((7, 4), np.nan)},
        {"deviation": np.zeros((4, 4))},
        {"point": np.zeros(3)},
    ],
)
def test_a_damaged_file_is_refused(changed: dict[str, np.ndarray]) -> None:
    schema = mixed(60).schema
    assert NaiveBayesModel.from_state(schema, damaged()).conditionals.form.tolist() == [
        DistributionForm.KERNELS, DistributionForm.KERNELS, DistributionForm.VALUES, DistributionForm.VALUES
    ]  # fmt: skip
    with pytest.raises(ModelFileError):
        NaiveBayesModel.from_state(schema, damaged(**changed))


@pytest.mark.parametrize(("name", "least"), [("anneal", 90.0), ("vehicle", 58.0), ("credit.a", 84.0)])
def test_numbers_are_taken_by_default_as_does_best_on_published_sets(
    name: str, least: float, shared_datasets: Path
) -> None:
    data = read(shared_datasets / f"{name}.arff", RunContext())
    result = evaluate(NaiveBayes(), data, CrossValidation(), RunContext(seed=1))
    assert 100 * np.mean(result.decision == result.truth) >= least


def test_an_explanation_says_of_how_many_values_it_names_those_that_matter_most() -> None:
    steps = fit(numbers(200, 30, 2)[0]).explain(numbers(200, 30, 2)[0], 0).steps
    assert wording.TWENTY_OF_THIRTY in steps and len(steps) == steps.index(wording.TWENTY_OF_THIRTY) + 1 + 20
    few = numbers(200, 20, 2)[0]
    assert not any("matter most" in step for step in fit(few).explain(few, 0).steps)
