"""The worked examples on Bayesian belief networks: heart disease."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.bayes.bayesian_network import BayesianNetwork, BayesianNetworkModel, posteriors
from tests.algorithms.learners.bayes.networks import all_records, arcs_of, network_of

NAMES = ("E", "D", "HD", "Hb", "CP", "BP")
YES, HEALTHY, HIGH = 0, 0, 0
ARCS = {("E", "HD"), ("D", "HD"), ("D", "Hb"), ("HD", "CP"), ("Hb", "CP"), ("HD", "BP")}


def two(*shares: float) -> np.ndarray:
    """Tables of two states from the probability of the first."""
    return np.array([[share, 1 - share] for share in shares])


def population() -> Dataset:
    """What the tables of the book say of 100,000 people, without any chance; HD is the class."""
    parents = [[], [], [0, 1], [1], [2, 3], [2]]
    tables = [two(0.7), two(0.25), two(0.25, 0.45, 0.55, 0.75), two(0.2, 0.85), two(0.8, 0.6, 0.4, 0.1),
              two(0.85, 0.2)]  # fmt: skip
    return all_records(network_of(NAMES, [2] * 6, parents, tables, 2), 1e5)


@pytest.fixture(scope="module")
def model() -> BayesianNetworkModel:
    learner = BayesianNetwork(structure="order", order=", ".join(NAMES), max_parents=3, smoothing=0.0)
    found = learner.fit(population(), RunContext())
    assert isinstance(found, BayesianNetworkModel)
    return found


def chance(model: BayesianNetworkModel, name: str, **known: int) -> float:
    """The probability of the first state of a node."""
    found = posteriors(model.network, {NAMES.index(each): state for each, state in known.items()})
    assert found is not None
    return float(found[NAMES.index(name)][0])


def test_the_order_of_causes_gives_the_arcs_of_the_book(model: BayesianNetworkModel) -> None:
    """Algorithm 5.3."""
    assert arcs_of(model.network) == ARCS


def test_heart_disease_before_and_after_what_is_known(model: BayesianNetworkModel) -> None:
    assert chance(model, "HD") == pytest.approx(0.49, abs=1e-9)
    assert chance(model, "BP") == pytest.approx(0.5185, abs=5e-5)
    assert chance(model, "CP") == pytest.approx(0.5151, abs=5e-5)
    assert chance(model, "HD", BP=HIGH) == pytest.approx(0.8033, abs=5e-5)
    assert chance(model, "HD", BP=HIGH, D=HEALTHY, E=YES) == pytest.approx(0.5862, abs=5e-5)


def test_a_patient_is_classified_with_what_is_not_known_summed_out(model: BayesianNetworkModel) -> None:
    """High blood pressure alone, then also a healthy diet and exercise."""
    missing = np.array([-1, -1])
    patients = Dataset(model.schema, [[-1, YES], [-1, HEALTHY], missing, missing, missing, [HIGH, HIGH]])
    assert model.predict_proba(patients)[:, 0].tolist() == pytest.approx([0.8033, 0.5862], abs=5e-5)
    assert model.predict(patients).tolist() == [0, 0]


def test_the_network_drawn_by_hand_has_the_same_tables(model: BayesianNetworkModel) -> None:
    required = "; ".join(f"{parent} -> {child}" for parent, child in sorted(ARCS))
    drawn = BayesianNetwork(structure="given", required=required, smoothing=0.0).fit(population(), RunContext())
    assert isinstance(drawn, BayesianNetworkModel)
    assert drawn.network.table == pytest.approx(model.network.table)
