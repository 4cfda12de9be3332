"""Structures that are learned: recovered from generated records, within what a person requires and forbids."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from algorithms.core.errors import ParameterError, UnsuitableDataError
from algorithms.core.parameters import from_json
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.bayes.bayesian_network import BayesianNetwork, BayesianNetworkModel
from algorithms.learners.bayes.directed_graph import (
    causes_first,
    compelled,
    is_acyclic,
    parents_of,
    read_arcs,
    read_names,
    written_names,
)
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.bayes.network_tables import Cutting, nodes_of, records_of
from algorithms.learners.bayes.structure_learning import (
    FEW_STATES,
    FamilyScores,
    HillClimbing,
    NetworkLimits,
    conditional_information,
    information_of_pairs,
)
from algorithms.structures.bayes_network import BayesNetwork
from tests.algorithms.learners.bayes.networks import all_records, arcs_of, drawn, edges, network_of, random_network
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording

SEARCHED = ("hill-climbing", "tabu", "k2")


def fit(data: Dataset, **values: object) -> BayesNetwork:
    model = BayesianNetwork(**values).fit(data, RunContext(seed=1))  # type: ignore[arg-type]
    assert isinstance(model, BayesianNetworkModel)
    return model.network


def strong(parents: list[list[int]], seed: int = 3) -> BayesNetwork:
    """Two states a node, each clearly hanging on its parents."""
    random = np.random.default_rng(seed)
    tables = []
    for own in parents:
        q = 2 ** len(own)
        high = random.permutation(np.linspace(0.1, 0.9, q)) if q > 1 else np.array([0.45])
        tables.append(np.stack([high, 1 - high], axis=1))
    return network_of([f"x{i}" for i in range(len(parents))], [2] * len(parents), parents, tables)


COLLIDER = [[], [], [0, 1], [2], [2], [3, 4]]


WAYS = [(structure, score) for structure in SEARCHED for score in ("bic", "bdeu", "mdl", "k2")]


@pytest.mark.parametrize(("structure", "score"), [*WAYS, ("order", "bic")])
def test_the_arcs_of_a_network_are_found_again(structure: str, score: str) -> None:
    true = strong(COLLIDER)
    found = fit(drawn(true, 4000, 1), structure=structure, score=score, on_class=False, max_parents=3,
                order="x0, x1, x2, x3, x4, x5", significance=0.001)  # fmt: skip
    assert edges(found) == edges(true)
    if structure in ("k2", "order"):
        assert arcs_of(found) == arcs_of(true)
    else:
        assert {("x0", "x2"), ("x1", "x2")} <= arcs_of(found)  # what meets is told apart from what goes on


def test_most_edges_of_random_networks_are_recovered() -> None:
    """Published: about nine edges of ten from thousands of records; here over twelve networks of eight nodes."""
    hit = wrong = there = 0
    for seed in range(12):
        true = random_network(8, seed, most_parents=2, sharp=0.4)
        found = edges(fit(drawn(true, 5000, seed), structure="tabu", score="bdeu", on_class=False, max_parents=3))
        hit, wrong, there = hit + len(found & edges(true)), wrong + len(found - edges(true)), there + len(edges(true))
    assert hit / there > 0.85
    assert wrong / there < 0.15


def test_tan_finds_the_tree_below_the_class() -> None:
    """The tree of most mutual information given the class, against trying every tree."""
    parents = [[], [0], [0, 1], [0, 1], [0, 3]]
    data = drawn(strong(parents, 5), 5000, 2)
    found = fit(data, structure="tan")
    assert edges(found) == edges(strong(parents))
    assert all(0 in own for own in found.parents[1:])
    assert all(len(own) <= 2 for own in found.parents)


def test_tan_smooths_each_row_toward_the_shares_in_the_class() -> None:
    """(count + N0 P(x | class)) / (row + N0) where an attribute has another parent; all other tables as before."""
    network = fit(sample("vertebrates"), per_row=5.0, smoothing=0.5)
    before = fit(sample("vertebrates"), per_row=0.0, smoothing=0.5)
    for node in network.nodes:
        part = slice(int(network.table_start[node]), int(network.table_start[node + 1]))
        count = network.count[part].reshape(network.shape(node))
        others = tuple(axis for axis, parent in enumerate(network.parents[node]) if parent != network.class_node)
        if node == network.class_node or not others:
            assert network.table[part] == pytest.approx(before.table[part])
            continue
        in_class = count.sum(axis=others, keepdims=True) + 0.5
        in_class = in_class / in_class.sum(axis=-1, keepdims=True)
        expected = (count + 5 * in_class) / (count.sum(axis=-1, keepdims=True) + 5)
        assert network.table_of(node) == pytest.approx(expected)
        of_cells = (count + 0.5) / (count.sum(axis=-1, keepdims=True) + 0.5 * count.shape[-1])
        assert before.table_of(node) == pytest.approx(of_cells)


def test_only_tan_smooths_rows() -> None:
    data = sample("vertebrates")
    assert fit(data, structure="naive").table == pytest.approx(fit(data, structure="naive", per_row=0.0).table)


def test_a_stored_learner_without_rows_smoothed_keeps_its_cells() -> None:
    stored = BayesianNetwork().to_json()
    del stored["parameters"]["per_row"]
    assert getattr(from_json(stored, lambda _: BayesianNetwork), "per_row") == 0.0  # noqa: B009


def test_the_information_of_tan_is_that_of_the_definition() -> None:
    counts = np.random.default_rng(0).integers(0, 9, (3, 2, 4)).astype(float)
    p = counts / counts.sum()
    total = 0.0
    for c, a, b in np.ndindex(counts.shape):
        if p[c, a, b] > 0:
            total += p[c, a, b] * np.log(p[c, a, b] * p[c].sum() / (p[c, a].sum() * p[c, :, b].sum()))
    assert conditional_information(counts) == pytest.approx(total)


@pytest.mark.parametrize("seed", range(4))
def test_the_information_of_many_pairs_at_once_is_that_of_each_pair(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, sizes = 300, random.integers(1, 70, 40)
    schema = Schema((*[nominal(f"x{i}", map(str, range(k))) for i, k in enumerate(sizes)], nominal("y", "abcd")), 40)
    codes = [random.integers(0, k, n) for k in sizes]
    codes[7] = codes[3] % sizes[7]
    data = Dataset(schema, [*codes, random.integers(0, 3, n)]).with_weights(random.choice([0.0, 1.0, 2.5], n))
    records = records_of(data, nodes_of(data, Cutting("entropy", 3), lambda: None), lambda: None)
    nodes = [node for node in range(40) if sizes[node] <= FEW_STATES]
    found = information_of_pairs(records, nodes, RunContext(seed=1))
    assert np.array_equal(found, found.T)
    for one, other in product(range(len(nodes)), repeat=2):
        wanted = conditional_information(records.counts((40, nodes[one], nodes[other]))) if one != other else 0.0
        assert found[one, other] == pytest.approx(wanted, abs=1e-12)


def test_only_as_many_arcs_are_weighed_as_can_be_taken() -> None:
    data = drawn(strong([[], [0], [0, 1], [0, 1], [0, 3]], 5), 2000, 2)
    nodes = nodes_of(data, Cutting("entropy", 3), lambda: None)
    scores = FamilyScores(records_of(data, nodes, lambda: None), "bic")
    limits = NetworkLimits(2)
    climb = HillClimbing(scores, limits, [set() for _ in range(5)], RunContext(seed=1))
    every = climb.moves(20)
    assert len(every) == 20
    for most in (1, 3, 19):
        assert climb.moves(most) == every[:most]


def test_scores_are_those_of_their_formulas() -> None:
    data = Dataset(Schema((nominal("a", "xy"), nominal("b", "uvw")), 0), [[0, 0, 0, 1, 1], [0, 0, 1, 2, 2]])
    nodes = nodes_of(data, Cutting("entropy", 3), lambda: None)
    records = records_of(data, nodes, lambda: None)
    likelihood = 2 * np.log(2 / 3) + np.log(1 / 3)
    assert FamilyScores(records, "aic").of(1, (0,)) == pytest.approx(likelihood - 4)
    assert FamilyScores(records, "bic").of(1, (0,)) == pytest.approx(likelihood - np.log(5) / 2 * 4)
    assert FamilyScores(records, "mdl").of(1, (0,)) == pytest.approx(likelihood - np.log(5) / 2 * 4 - np.log(2))
    # Cooper and Herskovits: (r - 1)! / (N + r - 1)! times the product of the factorials of the counts
    assert FamilyScores(records, "k2").of(1, (0,)) == pytest.approx(np.log(2 / 120 * 2) + np.log(2 / 24 * 2))
    other = FamilyScores(records, "bdeu")
    assert other.of(0, ()) + other.of(1, (0,)) == pytest.approx(other.of(1, ()) + other.of(0, (1,)))


@pytest.mark.parametrize("structure", SEARCHED)
def test_required_and_forbidden_arcs_are_kept_to(structure: str) -> None:
    data = drawn(strong(COLLIDER), 1500, 1)
    found = fit(data, structure=structure, on_class=False, required="x5 -> x0", forbidden="x2 -> x3; x3 -> x2; * -> x1")
    assert ("x5", "x0") in arcs_of(found)
    assert not {("x2", "x3"), ("x3", "x2")} & arcs_of(found)
    assert not found.parents[1]
    assert is_acyclic(found.parents)
    assert max(len(own) for own in found.parents) <= 2


def test_all_hang_on_the_class_while_that_is_wanted() -> None:
    found = fit(sample("vertebrates"), structure="hill-climbing")
    assert all(found.class_node in own for node, own in enumerate(found.parents) if node != found.class_node)


@pytest.mark.parametrize("values", [{"required": "a -> b; b -> a"}, {"required": "a ->"}, {"forbidden": "a b"}])
def test_wishes_that_cannot_be_are_refused(values: dict[str, str]) -> None:
    schema = Schema((nominal("a", "01"), nominal("b", "01"), nominal("y", "01")), 2)
    with pytest.raises(UnsuitableDataError):
        fit(Dataset(schema, [[0, 1], [0, 1], [0, 1]]), structure="hill-climbing", **values)


def test_arcs_and_orders_are_read_as_they_are_written() -> None:
    assert read_arcs("A -> B; B->C -> D e") == [("A", "B"), ("B", "C"), ("C", "D e")]
    strange = 'a, "b" -> c'
    assert read_names(written_names([strange, "x-y"])) == [strange, "x-y"]
    assert read_arcs(f"{written_names([strange])} -> x-y") == [(strange, "x-y")]
    assert read_names('Age, "a; b"') == ["Age", "a; b"]
    assert read_arcs("  ") == []
    with pytest.raises(ParameterError, match="no arrow"):
        read_arcs('"a" "b"')


def test_naive_structure_is_naive_bayes_on_the_same_ranges() -> None:
    data = sample("iris")
    ours = BayesianNetwork(structure="naive", smoothing=1.0).fit(data, RunContext()).predict_proba(data)
    theirs = NaiveBayes(numbers="entropy").fit(data, RunContext()).predict_proba(data)
    assert ours == pytest.approx(theirs, abs=0.01)  # only the classes' own shares are smoothed differently


def test_numbers_about_which_the_class_says_nothing_are_cut_into_equally_full_ranges() -> None:
    random = np.random.default_rng(0)
    schema = Schema((numeric("x"), nominal("y", "01")), 1)
    found = fit(Dataset(schema, [random.normal(size=300), random.integers(0, 2, 300)]), structure="naive", ranges=4)
    assert found.count_of(0).sum(axis=0).tolist() == [75] * 4


def test_em_gives_the_missing_back_what_the_rest_says() -> None:
    """Values missing at random where the class is 0: counting what is there is off, expecting the rest is not."""
    true = strong([[], [0], [1]])
    data = all_records(true, 4000.0)
    codes = np.asarray(data.column(1)).copy()
    hidden = data.take([*range(len(data)), *range(len(data))])
    gone = np.concatenate([np.zeros(len(data), dtype=bool), np.asarray(data.column(2)) == 0])
    hidden = hidden.with_column(1, data.schema.attributes[1], np.where(gone, -1, np.concatenate([codes, codes])))
    arcs = "x0 -> x1; x1 -> x2"
    by_em = fit(hidden, structure="given", required=arcs, smoothing=0.0, em_rounds=500)
    left_out = fit(hidden, structure="given", required=arcs, smoothing=0.0, missing="left-out")
    assert by_em.table_of(2) == pytest.approx(true.table_of(2), abs=0.01)
    assert abs(left_out.table_of(2) - true.table_of(2)).max() > 0.05


def equivalent(parents: list[set[int]]) -> list[list[set[int]]]:
    """Every network with the same joined nodes and the same arrows that meet from nodes that are not joined."""
    joined = [(a, b) for b, own in enumerate(parents) for a in own]

    def meetings(own: list[set[int]]) -> set[tuple[int, int, int]]:
        pairs = {frozenset(pair) for pair in joined}
        return {
            (a, b, node)
            for node, above in enumerate(own)
            for a in above
            for b in above
            if a < b and frozenset((a, b)) not in pairs
        }

    found = []
    for turned in product((False, True), repeat=len(joined)):
        own = parents_of([arc[::-1] if turn else arc for arc, turn in zip(joined, turned, strict=True)], len(parents))
        if meetings(own) == meetings(parents) and is_acyclic(own):
            found.append(own)
    return found


def test_the_arcs_whose_direction_records_can_tell_are_those_of_every_equivalent_network() -> None:
    several = 0
    for seed in range(40):
        parents = [set(own) for own in random_network(5, seed, most_parents=2).parents]
        members = equivalent(parents)
        arcs = [{(a, b) for b, own in enumerate(member) for a in own} for member in members]
        assert compelled(parents) == set.intersection(*arcs)
        several += len(members) > 1 and len(compelled(parents)) > 0
        order = causes_first(range(5), parents_of(compelled(parents), 5))
        assert sorted(order) == list(range(5))
        assert all(order.index(a) < order.index(b) for a, b in compelled(parents))
    assert several > 4


def test_an_order_of_causes_and_effects_is_suggested_and_says_how_it_was_found() -> None:
    names = ["effect", "a, one", "other", "last"]
    tables = [np.array([[[0.9, 0.1], [0.4, 0.6]], [[0.3, 0.7], [0.05, 0.95]]]), np.array([0.5, 0.5]),
              np.array([0.4, 0.6]), np.array([[0.9, 0.1], [0.2, 0.8]])]  # fmt: skip
    true = network_of(names, [2] * 4, [[1, 2], [], [], [0]], tables)
    data = drawn(true, 3000, 1)
    found = BayesianNetwork().suggested("order", data, RunContext())
    assert read_names(found.text) == ["a, one", "other", "effect", "last"]
    assert wording.THREE_ARROWS_DIRECTED in found.words
    assert wording.ONE_BEFORE_EFFECT in found.words
    learned = fit(data, structure="k2", on_class=False, order=found.text)
    assert edges(learned) == edges(true)
    chain = drawn(network_of(["x", "y"], [2, 2], [[], [0]], [np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])]),
                  500, 2)  # fmt: skip
    told = BayesianNetwork().suggested("order", chain, RunContext())
    assert read_names(told.text) == ["x", "y"] and wording.NONE_HAS_A_DIRECTION in told.words
