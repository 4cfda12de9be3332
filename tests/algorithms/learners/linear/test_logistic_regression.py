"""Logistic regression: the coefficients of others, the slope by differences, and what it says where it cannot hold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Theirs

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import LogOddsTerm, State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.learners.design_matrix import (
    DesignMatrix,
    SparseDesign,
    independent,
    is_sparse,
    learned_terms,
    sparse_products,
)
from algorithms.learners.linear import logistic_regression
from algorithms.learners.linear.discriminant_analysis import products
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.linear.model import LinearModel
from algorithms.learners.linear.optimization import LogLoss
from algorithms.text.numbers import signed
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.linear.made import numbers
from tests.expected_texts import learners as wording


def fit(data: Dataset, **options: object) -> LinearModel:
    model = LogisticRegression(**options).fit(data, RunContext(seed=1))  # type: ignore[arg-type]
    assert isinstance(model, LinearModel)
    return model


def standardised(table: np.ndarray) -> np.ndarray:
    return np.asarray((table - table.mean(axis=0)) / table.std(axis=0))


def centred(weight: np.ndarray) -> np.ndarray:
    """Rows of coefficients whose sum over the classes is zero: only differences count."""
    return np.asarray(weight - weight.mean(axis=-1, keepdims=True))


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("penalty", ["ridge", "none"])
def test_coefficients_are_those_of_scikit_learn(k: int, penalty: str) -> None:
    data, table, codes = numbers(400, 5, k)
    c = {"ridge": 0.5, "none": np.inf}[penalty]
    theirs = Theirs(C=c, tol=1e-11, max_iter=100_000, solver="newton-cholesky").fit(standardised(table), codes)
    ours = fit(data, penalty=penalty, strength=2.0).planes
    if k == 2:
        assert ours.weight[:, 1] - ours.weight[:, 0] == pytest.approx(theirs.coef_[0], abs=1e-6)
        assert ours.bias[1] - ours.bias[0] == pytest.approx(theirs.intercept_[0], abs=1e-6)
    else:
        assert np.abs(ours.weight - centred(theirs.coef_.T)).max() < 1e-6
        assert np.abs(centred(ours.bias) - centred(theirs.intercept_)).max() < 1e-6
    assert np.abs(fit(data, penalty=penalty, strength=2.0).predict_proba(data)
                  - theirs.predict_proba(standardised(table))).max() < 1e-6  # fmt: skip


@pytest.mark.parametrize(("k", "strength"), [(2, 20.0), (3, 12.0)])
def test_the_lasso_is_that_of_scikit_learn(k: int, strength: float) -> None:
    data, table, codes = numbers(300, 6, k, apart=0.5)
    theirs = Theirs(l1_ratio=1.0, C=1 / strength, solver="saga", tol=1e-10, max_iter=200_000)
    theirs.fit(standardised(table), codes)
    ours = fit(data, penalty="lasso", strength=strength).planes
    found = (ours.weight[:, 1] - ours.weight[:, 0])[None].T if k == 2 else ours.weight
    assert np.abs(found - theirs.coef_.T).max() < 1e-6
    assert np.count_nonzero(found == 0) > 0
    assert not ours.has_intervals


def test_weights_and_no_constant_are_those_of_scikit_learn() -> None:
    data, table, codes = numbers(200, 4, 3)
    weights = np.random.default_rng(3).uniform(0.2, 3, 200)
    scale = np.sqrt(np.average((table - np.average(table, axis=0, weights=weights)) ** 2, axis=0, weights=weights))
    theirs = Theirs(C=1.0, fit_intercept=False, tol=1e-11, max_iter=100_000)
    theirs.fit(table / scale, codes, sample_weight=weights)
    ours = fit(data.with_weights(weights), intercept=False).planes
    assert np.abs(ours.weight - theirs.coef_.T).max() < 1e-5
    assert np.abs(ours.intercept).max() < 1e-9


@pytest.mark.parametrize("k", [2, 3])
def test_the_slope_is_what_differences_say(k: int) -> None:
    data, _, codes = numbers(50, 3, k)
    terms = learned_terms(data, np.ones(50), RunContext())
    weights = np.random.default_rng(1).uniform(0.5, 2, 50)
    loss = LogLoss(DesignMatrix(data, terms), codes.astype(np.int32), weights, k, RunContext())
    theta = np.random.default_rng(2).normal(size=loss.shape)
    slope = loss.at(theta, hessian=True)
    assert slope.hessian is not None
    for at in np.ndindex(*loss.shape):
        step = np.zeros(loss.shape)
        step[at] = 1e-5
        up, down = loss.at(theta + step, hessian=False), loss.at(theta - step, hessian=False)
        assert (up.loss - down.loss) / 2e-5 == pytest.approx(slope.gradient[at], rel=1e-6, abs=1e-6)
        row = slope.hessian.reshape(*loss.shape, *loss.shape)[at]
        assert (up.gradient - down.gradient) / 2e-5 == pytest.approx(row, rel=1e-5, abs=1e-5)
    whole = LogLoss(DesignMatrix(data, terms), codes.astype(np.int32), None, k, RunContext()).at(theta, hessian=False)
    ones = LogLoss(DesignMatrix(data, terms), codes.astype(np.int32), np.ones(50), k, RunContext()).at(
        theta, hessian=False
    )
    assert whole.loss == pytest.approx(ones.loss, rel=1e-12)


def test_intervals_are_walds_in_the_units_of_the_table() -> None:
    """Against the inverse of the information matrix of the raw table, for each pair of three classes."""
    data, table, codes = numbers(300, 3, 3, apart=0.6)
    planes = fit(data, penalty="none").planes
    x = np.column_stack([table, np.ones(300)])
    p = fit(data, penalty="none").predict_proba(data)
    for base in range(3):
        free = [c for c in range(3) if c != base]
        blocks = [[x.T @ (x * (p[:, a] * ((a == b) - p[:, b]))[:, None]) for b in free] for a in free]
        errors = np.sqrt(np.diag(np.linalg.inv(np.block(blocks)))).reshape(2, 4)
        for row, code in enumerate(free):
            assert planes.standard_errors(code, base) == pytest.approx(errors[row], rel=1e-6)
    assert np.array_equal(codes, data.class_codes)


def test_very_many_records_begin_with_some_and_end_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data, _, _ = numbers(4000, 4, 3)
    once = fit(data).planes
    monkeypatch.setattr(logistic_regression, "FEW", 300)
    assert np.abs(fit(data).planes.weight - once.weight).max() < 1e-9


@pytest.mark.parametrize("penalty", ["ridge", "lasso"])
def test_very_many_coefficients_are_found_by_gradients_alone(penalty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data, _, _ = numbers(200, 4, 3)
    exact = fit(data, penalty=penalty, strength=3.0).planes
    monkeypatch.setattr(logistic_regression, "MOST_BY_NEWTON", 0)
    found = fit(data, penalty=penalty, strength=3.0).planes
    assert np.abs(found.weight - exact.weight).max() < 1e-4
    assert found.standard_errors(0, 1) == pytest.approx(exact.standard_errors(0, 1), rel=1e-3, nan_ok=True)


def test_classes_that_can_be_told_apart_are_said_to_and_by_what() -> None:
    random = np.random.default_rng(0)
    x, noise = np.concatenate([random.uniform(0, 4, 30), random.uniform(6, 9, 30)]), random.normal(size=60)
    schema = Schema((numeric("tells"), numeric("noise"), nominal("y", ("a", "b"))), 2)
    data = Dataset(schema, [x, noise, np.repeat([0, 1], 30)])
    free = fit(data, penalty="none")
    assert free.planes.is_separated
    assert "tells" in free.remark()
    assert wording.SOME_DIVERGE in free.remark()
    assert not free.planes.has_intervals
    assert np.all(free.predict(data) == data.class_codes)
    held = fit(data)
    assert held.remark() == ""
    assert held.planes.has_intervals


def test_a_value_that_only_one_class_has_runs_away_alone() -> None:
    """Quasi-complete separation: every record with the rare value is of class b, the others overlap."""
    random = np.random.default_rng(1)
    x, codes = random.normal(size=80), random.integers(0, 2, 80)
    rare = np.zeros(80, dtype=int)
    rare[np.flatnonzero(codes == 1)[:6]] = 1
    schema = Schema((numeric("x"), nominal("sign", ("usual", "rare")), nominal("y", ("a", "b"))), 2)
    planes = fit(Dataset(schema, [x, rare, codes]), penalty="none").planes
    assert [planes.terms.name(at) for at in np.flatnonzero(planes.runs_away)] == [wording.equals("sign", "rare")]


def test_what_never_differs_and_what_follows_from_others_is_left_out_and_said() -> None:
    data, table, codes = numbers(100, 3, 2, apart=0.4)
    schema = Schema((*(numeric(n) for n in "abc"), numeric("sum"), numeric("same"), nominal("y", ("p", "q"))), 5)
    made = Dataset(schema, [*table.T, table[:, 0] - 2 * table[:, 1], np.full(100, 3.0), codes])
    model = fit(made, penalty="none")
    assert wording.NEVER_DIFFERS in model.remark()
    assert wording.FOLLOWS_FROM_OTHERS in model.remark()
    plain = fit(data, penalty="none")
    assert model.predict_proba(made) == pytest.approx(plain.predict_proba(data), abs=1e-9)
    ridge = fit(made)
    assert ridge.planes.n_terms == 4


def test_a_missing_value_counts_as_the_mean_or_the_most_frequent_value_of_training() -> None:
    schema = Schema((numeric("x"), nominal("c", ("r", "g", "b", "never")), nominal("y", ("p", "q"))), 2)
    x = [1.0, 2.0, 3.0, 6.0, np.nan, 4.0, 5.0, 3.0]
    c = [0, 1, 1, 2, 1, -1, 0, 2]
    model = fit(Dataset(schema, [x, c, [0, 0, 1, 1, 0, 1, 1, 0]]))
    asked = Dataset(schema, [[np.nan, np.nanmean(x), np.inf, 2.0, 2.0, 2.0], [0, 0, 0, -1, 1, 3], [-1] * 6])
    found = model.predict_proba(asked)
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[2] == pytest.approx(found[1], abs=1e-12)
    assert found[3].tolist() == found[4].tolist() == found[5].tolist()
    assert {model.planes.terms.name(at) for at in range(3)} == {"x", wording.equals("c", "r"), wording.equals("c", "b")}
    assert model.planes.terms.compared_with(1) == "g"


def test_more_classes_than_records_of_most_of_them() -> None:
    random = np.random.default_rng(0)
    schema = Schema((numeric("x"), nominal("y", [f"c{i}" for i in range(40)])), 1)
    data = Dataset(schema, [random.normal(size=12), np.arange(12) * 3])
    found = fit(data).predict_proba(data)
    assert np.all(found[:, np.arange(12) * 3] > 0)
    assert np.all(np.delete(found, np.arange(12) * 3, axis=1) == 0)


def test_a_list_of_thousands_of_values_is_refused_in_words() -> None:
    schema = Schema((nominal("street", [f"s{i}" for i in range(2001)]), nominal("y", ("a", "b"))), 1)
    problems = LogisticRegression().check(summarize(Dataset(schema, [[0, 1], [0, 1]])))
    assert problems[0].column == "street"
    assert "too many" in problems[0].sentence


def test_an_explanation_adds_up_to_the_log_odds() -> None:
    data, _, _ = numbers(80, 3, 3)
    model = fit(data)
    said = model.explain(data, 4)
    ours, theirs = np.argsort(said.probabilities)[::-1][:2]
    total = float(np.log(said.probabilities[ours] / said.probabilities[theirs]))
    assert said.steps[-1].startswith(f"Together: {signed(total)}")


def test_steps_that_do_not_add_up_as_rounded_say_so() -> None:
    """They had two decimals, and the first and the last three significant digits: +12.3 of +8.27 and +4.06."""
    model = fit(numbers(80, 3, 3)[0])

    def steps(*added: float) -> tuple[str, ...]:
        return model.steps_of(0, [LogOddsTerm(f"x{i}", "", value, 1) for i, value in enumerate(added)])

    rounded, exact = steps(12.344, 8.274, 4.064), steps(12.25, 8.5)
    assert rounded[-1].startswith(wording.TOGETHER_ROUNDED) and "+12.34" in rounded[0]
    assert exact[-1].startswith(wording.TOGETHER_EXACT)


def test_a_nominal_attribute_has_one_reason_that_sums_its_indicators() -> None:
    """It had a row for each indicator: "Colour = red", "Colour is not blue", "Colour is not green"."""
    data = mixed(200)
    model = fit(data)
    row = int(np.flatnonzero(np.asarray(data.column(2)) == 1)[0])
    explained = model.explain(data, row)
    (colour,) = [reason for reason in explained.reasons if reason.what.startswith("Colour")]
    assert colour.what == wording.COLOUR_IS_GREEN and len(colour.parts) == 2
    assert sum(added for _what, added in colour.parts) == pytest.approx(colour.added)
    assert all(what == "green" or what.startswith("not ") for what, _added in colour.parts)
    assert any(colour.parts[0][0] in step and colour.parts[1][0] in step for step in explained.steps)
    scores = model.scores(data.take([row]))[0]
    other = explained.reasons[0].against
    assert sum(reason.added for reason in explained.reasons) == pytest.approx(
        scores[explained.decision] - scores[other]
    )
    gap = data.with_columns({2: (data.schema.attributes[2], np.full(len(data), -1))})
    missing = [reason.what for reason in model.explain(gap, row).reasons if reason.what.startswith("Colour")]
    usual = model.planes.terms.compared_with(int(np.flatnonzero(model.planes.terms.attribute == 2)[0]))
    assert missing == [wording.colour_is_missing(usual)]


@pytest.mark.parametrize("name", ["weight", "unit", "attribute", "covariance", "left_out", "loading"])
def test_a_damaged_file_is_refused(name: str) -> None:
    model = fit(numbers(60, 3, 2)[0])
    state = model.to_state()
    for harm in (np.zeros((1, 1, 1, 1)), state.arrays[name].astype(np.float32), state.arrays[name] * np.nan):
        if harm.size:
            with pytest.raises(ModelFileError):
                LinearModel.from_state(model.schema, State(state.values, {**state.arrays, name: harm}))


def long_list(n: int = 600, values: int = 150, k: int = 2) -> Dataset:
    """A list of many values beside two numbers and a short list; some of each are missing."""
    r = np.random.default_rng(7)
    city, colour, x = r.integers(0, values, n), r.integers(0, 3, n), r.normal(5.0, 2.0, size=(2, n))
    scores = r.normal(size=(values, k))[city] + x.T @ r.normal(size=(2, k)) / 2 + r.gumbel(size=(n, k))
    city[::17], colour[::13], x[0, ::11] = -1, -1, np.nan
    cities, classes = [f"c{at}" for at in range(values)], [f"k{at}" for at in range(k)]
    schema = Schema(
        (numeric("x0"), nominal("city", cities), numeric("x1"), nominal("colour", "rgb"), nominal("y", classes)), 4
    )
    return Dataset(schema, [x[0], city, x[1], colour, np.argmax(scores, axis=1)])


@pytest.mark.parametrize("from_zero", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_a_sparse_design_has_the_slope_of_the_dense_one(k: int, weighted: bool, from_zero: bool) -> None:
    data, r = long_list(k=k), np.random.default_rng(1)
    weights = r.uniform(0.1, 3.0, len(data)) if weighted else None
    terms = learned_terms(data, weights, RunContext())
    assert is_sparse(terms, data)
    codes = np.asarray(data.class_codes, dtype=np.int32)
    dense = LogLoss(DesignMatrix(data, terms, from_zero=from_zero), codes, weights, k, RunContext())
    sparse = LogLoss(SparseDesign(data, terms, from_zero=from_zero), codes, weights, k, RunContext())
    theta = r.normal(size=dense.shape) / 10
    ours, theirs = sparse.at(theta, hessian=True), dense.at(theta, hessian=True)
    assert ours.loss == pytest.approx(theirs.loss, rel=1e-12)
    assert ours.gradient == pytest.approx(theirs.gradient, rel=1e-9, abs=1e-9)
    assert ours.hessian is not None and theirs.hessian is not None
    assert np.abs(ours.hessian - theirs.hessian).max() < 1e-9


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_terms_correlate_as_dense_ones(weighted: bool) -> None:
    data = long_list()
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(data)) if weighted else None
    terms = learned_terms(data, weights, RunContext())
    theirs = products(DesignMatrix(data, terms), weights, RunContext())
    assert np.abs(sparse_products(data, terms, weights, RunContext()) - theirs).max() < 1e-9


def test_a_long_list_costs_its_records_and_not_its_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass over 3,000 records with a list of 1,500 values never holds records times terms."""
    data = long_list(3000, 1500)
    monkeypatch.setattr(DesignMatrix, "block", lambda *_: pytest.fail("a dense block was made"))
    model = fit(data)
    assert model.planes.n_terms > 1000
    assert not model.partial


def test_terms_that_follow_from_earlier_ones_are_told_beyond_a_block_of_rows() -> None:
    random = np.random.default_rng(3)
    table = random.normal(size=(600, 200))
    table[:, 70] = table[:, 3] - table[:, 69]
    table[:, 71] = 2 * table[:, 70]
    table[:, 199] = table[:, :150].sum(axis=1)
    table /= np.sqrt((table**2).mean(axis=0))
    calls: list[int] = []
    kept = independent(table.T @ table / 600, lambda: calls.append(1))
    assert np.flatnonzero(~kept).tolist() == [70, 71, 199]
    assert len(calls) > 1


def test_a_long_list_is_said_before_it_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(RunContext, "say", lambda _self, message, is_waiting=False: said.append(message))
    fit(long_list(3000, 1500))
    assert any(wording.COEFFICIENTS_TAKE_MINUTES in message for message in said)
