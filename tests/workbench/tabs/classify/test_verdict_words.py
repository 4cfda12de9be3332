"""What the verdict says of a model, whatever there is to look at in it."""

from __future__ import annotations

import pytest

from algorithms.catalogue import builtin
from algorithms.core.run_control import RunContext
from tests.expected_texts import tabs_classify as wording
from tests.workbench.window_helpers import small_data
from workbench.tabs.classify.verdict import structure_facts


@pytest.mark.parametrize(
    ("learner", "title", "said"),
    [
        ("zero-r", "The model", "knows only how frequent each class is"),
        ("decision-stump", "The tree", "2 leaves · depth 1"),
        ("one-r", "The rules", "rules"),
        ("naive-bayes", "The model", "weighed each by itself"),
        ("logistic-regression", "The model", "terms weighed together"),
        ("quadratic-discriminant", "The model", "classes with a shape of their own"),
        ("neural-network", "The network", "20 hidden nodes · 1 output"),
        ("perceptron", "The network", "inputs · 1 output"),
        ("k-nearest-neighbors", "The records", "60 records kept · 5 neighbours asked"),
        ("rote", "The records", "60 records kept"),
    ],
)
def test_a_model_is_described_by_what_it_is(learner: str, title: str, said: str) -> None:
    model = builtin().learners.get(learner)().fit(small_data(60), RunContext(seed=1))
    found, facts = structure_facts(model.structure(), 60)
    assert (found, facts.startswith(wording.ON_ALL_60)) == (title, True)
    assert said in facts


def test_only_nearest_neighbours_are_asked() -> None:
    model = builtin().learners.get("rote")().fit(small_data(60), RunContext(seed=1))
    assert "asked" not in structure_facts(model.structure(), 60)[1]
