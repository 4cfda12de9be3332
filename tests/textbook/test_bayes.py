"""The worked examples on Bayes' theorem and naive Bayes."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy.stats import norm

from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.bayes.naive_bayes import NaiveBayes, NaiveBayesModel
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording

NO, YES = 0, 1
INCOME = "Annual Income"


def loan(*, without: int | None = None) -> Dataset:
    """The ten borrowers of the first edition, or nine of them, with incomes in thousands."""
    data = sample("loan-1")
    index = data.schema.index_of(INCOME)
    data = data.with_column(index, data.schema.attributes[index], np.asarray(data.column(index)) / 1000)
    return data if without is None else data.take([i for i in range(10) if i != without - 1])


def learned(data: Dataset, learner: NaiveBayes | None = None) -> NaiveBayesModel:
    model = (learner or NaiveBayes(numbers="gaussian", smoothing="none")).fit(data, RunContext())
    assert isinstance(model, NaiveBayesModel)
    assert model.classes == ("No", "Yes")
    return model


def borrower(data: Dataset, owner: str | None = None, status: str | None = None, income: float = np.nan) -> Dataset:
    """One record; what is not given is missing."""
    record = data.take([0])
    for name, value in (("Home Owner", owner), ("Marital Status", status)):
        index = data.schema.index_of(name)
        attribute = data.schema.attributes[index]
        code = -1 if value is None else attribute.values.index(value)
        record = record.with_column(index, attribute, [code])
    index = data.schema.index_of(INCOME)
    return record.with_column(index, data.schema.attributes[index], [income])


def log_joint(model: NaiveBayesModel, record: Dataset) -> np.ndarray:
    """Log prior plus log likelihood of each class (k,)."""
    return model.likelihoods.joint(aligned(model.schema, record), slice(0, 1))[0]


def likelihoods(model: NaiveBayesModel, record: Dataset) -> list[float]:
    """P(X given No) and P(X given Yes)."""
    return np.exp(log_joint(model, record) - model.likelihoods.log_prior).tolist()


def place_of(model: NaiveBayesModel, name: str) -> int:
    return model.conditionals.attribute.tolist().index(model.schema.index_of(name))


def test_who_hosts_tells_who_wins() -> None:
    """Football: team 0 wins 65 of 100 games, 30 of 100 of these at team 1's; team 1 wins 35, 75 of 100 at home."""
    cells = [(0, 1, 19.5), (0, 0, 45.5), (1, 1, 26.25), (1, 0, 8.75)]
    schema = Schema((nominal("host", ("team 0", "team 1")), nominal("winner", ("team 0", "team 1"))), 1)
    winners, hosts, weights = zip(*cells, strict=True)
    games = Dataset(schema, [list(hosts), list(winners)], weights=list(weights))
    model = NaiveBayes(numbers="gaussian", smoothing="none").fit(games, RunContext())
    at_team_1 = Dataset(schema, [[1], [-1]])
    assert model.predict_proba(at_team_1)[0, 1] == pytest.approx(0.5738, abs=5e-5)


def test_shares_of_values_and_moments_of_the_loan() -> None:
    model = learned(loan())
    held = model.conditionals
    owner, status, income = (place_of(model, name) for name in ("Home Owner", "Marital Status", INCOME))
    attributes = held.schema.attributes
    yes = attributes[int(held.attribute[owner])].values.index("Yes")
    single = attributes[int(held.attribute[status])].values.index("Single")
    assert held.table[held.rows_of(owner)][yes, NO] == pytest.approx(3 / 7, abs=1e-12)
    assert held.table[held.rows_of(status)][single, YES] == pytest.approx(2 / 3, abs=1e-12)
    assert held.mean[income].tolist() == pytest.approx([110, 90])
    assert (held.deviation[income] ** 2).tolist() == pytest.approx([2975, 25])
    densities = np.exp(model.likelihoods.of(income, np.array([120.0]))[0])
    assert densities[NO] == pytest.approx(0.0072, abs=5e-5)
    assert densities[YES] == pytest.approx(1.2e-9, rel=0.05)


def test_one_zero_rules_a_class_out() -> None:
    data = loan()
    model = learned(data)
    record = borrower(data, "No", "Married", 120)
    given_no, given_yes = likelihoods(model, record)
    assert given_no == pytest.approx(0.0023, abs=1e-4)
    assert given_yes == 0
    assert model.predict_proba(record)[0].tolist() == [1, 0]


def test_the_m_estimate_leaves_nothing_at_zero() -> None:
    data = loan()
    model = learned(data, NaiveBayes(numbers="gaussian", smoothing="m-estimate", m=3, p=(1 / 3,)))
    held, status = model.conditionals, place_of(model, "Marital Status")
    married = held.schema.attributes[int(held.attribute[status])].values.index("Married")
    assert held.table[held.rows_of(status)][married, YES] == pytest.approx(1 / 6, abs=1e-12)
    by_class = learned(data, NaiveBayes(numbers="gaussian", smoothing="m-estimate", m=3, p=(2 / 3, 1 / 3)))
    given_no, given_yes = likelihoods(by_class, borrower(data, "No", "Married", 120))
    assert given_no == pytest.approx(0.0026, abs=5e-5)
    assert given_yes == pytest.approx(1.35e-10, rel=0.05)


def test_a_divorced_borrower() -> None:
    data = loan()
    given_no, given_yes = likelihoods(learned(data), borrower(data, "No", "Divorced", 120))
    assert given_no == pytest.approx(0.0006, abs=5e-5)
    assert given_yes == pytest.approx(4e-10, rel=0.05)


def test_missing_values_are_left_out_and_a_tie_goes_to_the_larger_prior() -> None:
    data = loan()
    model = learned(data)
    divorced = borrower(data, status="Divorced")
    assert np.exp(log_joint(model, divorced)).tolist() == pytest.approx([0.1, 0.1], abs=1e-12)
    assert model.predict(divorced).tolist() == [NO]
    assert any("equally likely" in step for step in model.explain(divorced, 0).steps)
    no_owner = borrower(data, "No", "Divorced")
    assert np.exp(log_joint(model, no_owner)).tolist() == pytest.approx([0.0571, 0.1], abs=5e-5)
    assert model.predict(no_owner).tolist() == [YES]
    assert model.predict_proba(borrower(data, status="Married"))[0, YES] == 0


def test_correlated_attributes_mislead() -> None:
    """Two attributes that are always equal: naive Bayes counts the same evidence twice."""
    schema = Schema((nominal("A", "01"), nominal("B", "01"), nominal("class", "01")), 2)
    both, codes = [0, 1, 0, 1], [0, 0, 1, 1]
    data = Dataset(schema, [both, both, codes], weights=[4, 6, 6, 4])
    model = NaiveBayes(numbers="gaussian", smoothing="none").fit(data, RunContext())
    assert isinstance(model, NaiveBayesModel)
    record = Dataset(schema, [[0], [0], [-1]])
    scores = np.exp(log_joint(model, record) - model.likelihoods.log_prior)
    assert scores.tolist() == pytest.approx([0.16, 0.36])
    assert model.predict(record).tolist() == [1]


def test_without_borrower_seven_both_likelihoods_are_zero() -> None:
    data = loan(without=7)
    model = learned(data)
    density = exp(model.likelihoods.of(place_of(model, INCOME), np.array([120.0]))[0, NO])
    assert density == pytest.approx(0.0085, abs=5e-5)
    record = borrower(data, "Yes", "Divorced", 120)
    assert likelihoods(model, record) == [0, 0]
    assert model.predict_proba(record)[0].tolist() == pytest.approx([6 / 9, 3 / 9])
    assert model.judged(record, RunContext()).undecided == 1
    assert model.remarks(model.judged(record, RunContext())) == [wording.RULED_OUT_BY_EVERY_CLASS]
    assert any(wording.NO_CLASS_ALLOWS in step for step in model.explain(record, 0).steps)


def test_the_boundary_between_crocodiles_and_alligators() -> None:
    """N(15, 2) against N(12, 2): records on both sides of each mean at a distance that gives just these variances."""
    schema = Schema((numeric("length"), nominal("class", ("alligator", "crocodile"))), 1)
    lengths = [10.0, 14.0, 13.0, 17.0]
    model = NaiveBayes(numbers="gaussian", variance="population").fit(
        Dataset(schema, [lengths, [0, 0, 1, 1]]), RunContext()
    )
    asked = Dataset(schema, [[13.499, 13.5, 13.501], [-1] * 3])
    assert model.predict_proba(asked)[:, 1].tolist() == pytest.approx([0.4998125, 0.5, 0.5001875], abs=1e-8)
    assert model.predict(asked).tolist() == [0, 0, 1]
    grid = np.linspace(-10, 40, 20_001)
    densities = np.array([norm.pdf(grid, 12, 2), norm.pdf(grid, 15, 2)])
    decided = model.predict(Dataset(schema, [grid, np.full(len(grid), -1)]))
    error = float(densities[1 - decided, np.arange(len(grid))].sum() * (grid[1] - grid[0]) / 2)
    assert error == pytest.approx(0.2266, abs=1e-4)
