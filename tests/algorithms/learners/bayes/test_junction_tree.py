"""Exact inference is the same as enumerating every combination of states."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import UnsuitableDataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.bayes import junction_tree
from algorithms.learners.bayes.bayesian_network import BayesianNetwork, BayesianNetworkModel, posteriors
from algorithms.learners.bayes.junction_tree import JunctionTree
from tests.algorithms.learners.bayes.networks import enumerated, joint, network_of, random_network
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording


@pytest.mark.parametrize("seed", range(25))
def test_posteriors_of_random_networks_are_those_of_enumeration(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = random_network(int(random.integers(2, 8)), seed, zeros=0.3 if seed % 3 == 0 else 0.0)
    whole = joint(network)
    for _ in range(6):
        known = random.choice(network.n_nodes, int(random.integers(0, network.n_nodes + 1)), replace=False)
        evidence = {int(node): int(random.integers(network.size[node])) for node in known}
        expected, total = enumerated(whole, evidence)
        found = posteriors(network, evidence)
        if total < 1e-200:
            continue
        assert found is not None
        for node in network.nodes:
            assert found[node] == pytest.approx(expected[node], abs=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_families_and_the_evidence_of_many_records_at_once(seed: int) -> None:
    network = random_network(6, 100 + seed)
    whole, known = joint(network), (1, 4)
    states = np.array([[a, b] for a in range(network.size[1]) for b in range(network.size[4])])
    beliefs = JunctionTree(network, known).ask(states)
    for row, (a, b) in enumerate(states.tolist()):
        part = whole[:, a, :, :, b, :]
        assert beliefs.logs[row] == pytest.approx(np.log(part.sum()))
        for node in network.nodes:
            if not {node, *network.parents[node]} - set(known):
                continue
            free, shares = beliefs.of_family(node)
            left = [0, 2, 3, 5]
            away = tuple(axis for axis, each in enumerate(left) if each not in free)
            summed = part.sum(axis=away) / part.sum()
            order = [sorted(free).index(each) for each in free]
            assert shares[row] == pytest.approx(summed.transpose(order), abs=1e-10)


def test_a_record_with_missing_values_is_classified_by_summing_them_out() -> None:
    network = random_network(6, 7)
    model, whole, random = BayesianNetworkModel(network), joint(network), np.random.default_rng(0)
    columns = [np.where(random.random(60) < 0.4, -1, random.integers(0, size, 60)) for size in network.size]
    data = Dataset(network.schema, columns)
    found = model.predict_proba(data)
    for row in range(60):
        evidence = {node: int(columns[node][row]) for node in network.nodes
                    if node != network.class_node and columns[node][row] >= 0}  # fmt: skip
        assert found[row] == pytest.approx(enumerated(whole, evidence)[0][network.class_node], abs=1e-10)


def test_thousands_of_attributes_do_not_underflow() -> None:
    sizes, parents = [2] * 1501, [[]] + [[0]] * 1500
    tables = [np.array([0.5, 0.5]), *(np.array([[0.3, 0.7], [0.2, 0.8]]) for _ in range(1500))]
    network = network_of([f"x{i}" for i in range(1501)], sizes, parents, tables)
    found = BayesianNetworkModel(network).predict_proba(Dataset(network.schema, [[0]] * 1501))
    assert found[0, 0] == pytest.approx(1.0)


def test_what_cannot_be_is_said_and_left_to_the_shares_of_the_classes() -> None:
    tables = [np.array([0.4, 0.6]), np.array([[1.0, 0.0], [1.0, 0.0]])]
    network = network_of(["y", "x"], [2, 2], [[], [0]], tables)
    model, record = BayesianNetworkModel(network), Dataset(network.schema, [[-1], [1]])
    assert posteriors(network, {1: 1}) is None
    assert model.predict_proba(record)[0].tolist() == pytest.approx([0.4, 0.6])
    assert model.remarks(model.judged(record, RunContext()))[0].startswith(wording.ONE_RECORD_IMPOSSIBLE)
    assert any(wording.CANNOT_BE_TOGETHER in step for step in model.explain(record, 0).steps)


def test_an_explanation_says_what_each_value_adds_to_the_log_odds() -> None:
    data = sample("iris")
    model = BayesianNetwork().fit(data, RunContext(seed=1))
    first, sure, *values = model.explain(data, 0).steps
    assert first == wording.SETOSA_BEFORE and sure == wording.NO_SINGLE_VALUE
    assert values[0].startswith(wording.PETAL_WIDTH_ADDS) and values[0].endswith(wording.STILL_SURE_WITHOUT)


def test_what_would_take_all_memory_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junction_tree, "MOST_CELLS", 4)
    with pytest.raises(UnsuitableDataError, match=wording.NEEDS_TOO_MUCH_MEMORY):
        JunctionTree(network_of("abc", [2, 2, 2], [[], [], [0, 1]], [np.ones(2) / 2, np.ones(2) / 2,
                                                                      np.ones((2, 2, 2)) / 2]), ())  # fmt: skip
