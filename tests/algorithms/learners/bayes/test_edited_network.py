"""Networks whose arcs and tables a person changed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError, ParameterError
from algorithms.core.model_editing import EditsApplied, ModelEdits, edits_from, edits_to_text
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import judge_edited
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.directed_graph import is_acyclic
from algorithms.learners.bayes.edited_network import ArcChange, EditedNetwork, NetworkEdit, redrawn, refusal, row_edit
from algorithms.learners.bayes.network_tables import MOST_CELLS
from algorithms.learners.trees.c45 import C45
from algorithms.project.changes import hand_edited_from_json, hand_edited_to_json
from algorithms.structures.bayes_network import BayesNetwork
from tests.algorithms.learners.bayes.networks import arcs_of, network_of, random_network
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording

IRIS = sample("iris")
BASE = BayesianNetwork(structure="naive")


def arrow(do: ArcChange, parent: str, node: str) -> NetworkEdit:
    return NetworkEdit(do, node, parent)


def fit(*edits: NetworkEdit, base: BayesianNetwork = BASE) -> BayesNetwork:
    network = EditedNetwork(base=base, edits=edits).fit(IRIS, RunContext(seed=1)).structure()
    assert isinstance(network, BayesNetwork)
    return network


def test_drawn_removed_and_turned_arrows_give_the_network_of_those_arcs() -> None:
    """The tables are those of a learner that is told the same arcs, missing values among the records or not."""
    edits = (
        arrow(ArcChange.ADD, "Petal Length", "Petal Width"),
        arrow(ArcChange.REMOVE, "Species", "Sepal Width"),
        arrow(ArcChange.TURN, "Species", "Sepal Length"),
    )
    said = "Species -> Petal Length; Species -> Petal Width; Petal Length -> Petal Width; Sepal Length -> Species"
    for data in (IRIS, IRIS.with_cells(3, np.arange(0, 150, 7), np.full(22, np.nan))):
        learner = EditedNetwork(base=BASE, edits=edits)
        found = learner.fit(data, RunContext(seed=1)).structure()
        given = BayesianNetwork(structure="given", required=said).fit(data, RunContext(seed=1)).structure()
        assert isinstance(found, BayesNetwork) and isinstance(given, BayesNetwork)
        assert arcs_of(found) == arcs_of(given)
        assert np.array_equal(found.table, given.table) and np.array_equal(found.count, given.count)


def test_no_sequence_of_changes_makes_a_circle_and_what_is_refused_is_left_out() -> None:
    random = np.random.default_rng(1)
    for seed in range(30):
        network = random_network(6, seed)
        names = [network.name(node) for node in network.nodes]
        edits = [
            arrow(list(ArcChange)[int(random.integers(3))], str(random.choice(names)), str(random.choice(names)))
            for _ in range(25)
        ]
        for nth, edit in enumerate(edits):
            before, _ = redrawn(network, edits[:nth])
            after, made = redrawn(network, edits[: nth + 1])
            assert is_acyclic(after.parents)
            there = network_of(names, network.size.tolist(), [sorted(own) for own in before.parents], [np.ones(1)])
            if not refusal(there, edit):
                assert made[-1] and after.parents != before.parents
            else:
                assert after.parents == before.parents


def test_a_refusal_says_why_in_a_sentence() -> None:
    parents = [[], [0], [1], [2]]
    network = network_of("abcd", [2, 2, 2, MOST_CELLS], parents, [np.ones(1)])
    assert refusal(network, arrow(ArcChange.ADD, "c", "a")) == wording.ARROW_CLOSES_CIRCLE
    assert refusal(network, arrow(ArcChange.ADD, "a", "b")) == wording.ARROW_IS_THERE
    assert refusal(network, arrow(ArcChange.REMOVE, "b", "a")) == wording.NO_SUCH_ARROW
    assert wording.CHOOSE_TWO_DIFFERENT in refusal(network, arrow(ArcChange.ADD, "a", "a"))
    assert refusal(network, arrow(ArcChange.ADD, "b", "d")).startswith(wording.TABLE_TOO_LARGE)
    assert refusal(network, arrow(ArcChange.ADD, "a", "c")) == ""
    chain = network_of("abc", [2, 2, 2], [[], [0], [0, 1]], [np.ones(1)])
    assert wording.WOULD_CLOSE_CIRCLE in refusal(chain, arrow(ArcChange.TURN, "a", "c"))


def test_a_row_written_by_hand_stays_until_its_attribute_hangs_on_others() -> None:
    plain = fit()
    node = next(node for node in plain.nodes if plain.name(node) == "Petal Width")
    edit = row_edit(plain, node, (1,), 0, 0.4)
    found = fit(edit)
    before, after = plain.table_of(node), found.table_of(node)
    assert after[1, 0] == pytest.approx(0.4)
    assert after[1, 1:] / after[1, 1:].sum() == pytest.approx(before[1, 1:] / before[1, 1:].sum())
    assert np.array_equal(after[[0, 2]], before[[0, 2]])
    kept = fit(edit, arrow(ArcChange.REMOVE, "Species", "Sepal Width"))
    assert kept.table_of(node)[1] == pytest.approx(after[1])
    gone = fit(edit, arrow(ArcChange.ADD, "Petal Length", "Petal Width"))
    assert not np.any(np.isclose(gone.table_of(node)[..., 0], 0.4))
    heard: list[object] = []
    late = (arrow(ArcChange.REMOVE, "Species", "Petal Width"), edit)
    EditedNetwork(base=BASE, edits=late).fit(IRIS, RunContext(seed=1, listener=heard.append))
    assert EditsApplied((True, False)) in heard


def test_it_is_judged_in_each_fold_and_says_how_often_the_change_could_be_made() -> None:
    method: Method = CrossValidation(folds=5)
    network = fit()
    cut = next(node for node in network.nodes if network.name(node) == "Sepal Width")
    edits = (arrow(ArcChange.ADD, "Petal Length", "Petal Width"), row_edit(network, cut, (0,), 0, 0.1))
    learner = EditedNetwork(base=BASE, edits=edits)
    result = judge_edited(learner, IRIS, method, RunContext(seed=1))
    assert len(result.decision) == 150
    said = next(warning for warning in result.warnings if wording.EDITED_BY_HAND in warning)
    assert wording.EACH_NETWORK_CHANGED in said
    own = EditedNetwork(base=BASE).fit(IRIS, RunContext(seed=1)).structure()
    assert np.array_equal(own.table, network.table)  # type: ignore[union-attr]


def test_changes_are_plain_text_with_words_and_nonsense_is_refused() -> None:
    network = random_network(5, 3)
    node = next(node for node in network.nodes if network.parents[node] and network.size[node] > 1)
    row = tuple(0 for _ in network.parents[node])
    edits = (
        *(arrow(do, "a b", "c; d") for do in (ArcChange.ADD, ArcChange.REMOVE, ArcChange.TURN)),
        row_edit(network, node, row, 0, 0.25),
    )
    assert edits_from(NetworkEdit, edits_to_text(edits)) == edits
    made = (ModelEdits(3, 1, edits),)
    assert hand_edited_from_json(json.loads(json.dumps(hand_edited_to_json(made))), builtin()) == made
    assert edits[0].words() == wording.DRAW_ARROW
    assert edits[3].words().startswith(wording.write_table_where(network.name(node)))
    for nonsense in ("{", "{}", '[{"do": "fly", "node": "a"}]', '[{"do": "add"}]',
                     '[{"do": "set", "node": "a", "given": [], "shares": [["x", 0.5]]}]',
                     '[{"do": "set", "node": "a", "given": [["x"]], "shares": [["x", 1.0]]}]',
                     '[{"do": "set", "node": "a", "given": [], "shares": [["x", true]]}]'):  # fmt: skip
        with pytest.raises(ParameterError):
            edits_from(NetworkEdit, nonsense)


def test_only_networks_can_be_changed() -> None:
    learner = EditedNetwork(base=C45(), edits=(arrow(ArcChange.ADD, "Species", "Petal Width"),))
    with pytest.raises(DataError, match=wording.NO_NETWORK_TO_CHANGE):
        learner.fit(IRIS, RunContext(seed=1))
