"""The line about the model of all records: what a model has to say of itself is a sentence there."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli.evaluating import _model_line
from algorithms.core.learner import Learner
from algorithms.core.parameters import configured
from algorithms.core.run_control import RunContext
from algorithms.evaluation.runner import train
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.multiclass.reductions import OneVsOne
from algorithms.learners.neural.perceptron import Perceptron
from algorithms.learners.rules.rule_extraction import ExtractedRules
from tests.algorithms.battery_data import mixed, with_codes
from tests.expected_texts import cli as wording

REGISTRY = builtin()
SUBJECTS = ("it ", "its ", "together ", "no ", "the ", "not ", "within ")
"""How the first clause of a remark may begin."""


def small(kind: type[Learner]) -> Learner:
    few = {"members": "3", "epochs": "5"}
    return configured(kind, {name: few[name] for name in few if name in kind().values()}, REGISTRY.resolve)


def test_counts_of_a_model_have_separated_thousands() -> None:
    learner = configured(RandomForest, {"members": "1001"}, REGISTRY.resolve)
    trained = train(learner, with_codes(mixed(20), np.arange(20) % 2), (), RunContext(seed=1))
    assert "1,001 members" in _model_line(trained, None)


@pytest.mark.parametrize("kind", list(REGISTRY.learners), ids=lambda kind: kind.id)
def test_a_remark_has_its_own_subject_and_is_said_once(kind: type[Learner]) -> None:
    data = mixed(60)
    if kind.id == "id3":
        data = data.with_schema(
            data.schema.without_use(
                [at for at in data.schema.predictors if not data.schema.attributes[at].kind.is_coded]
            )
        )
    trained = train(small(kind), with_codes(data, (data.column(0) > 0.5).astype(int)), (), RunContext(seed=1))
    remark, line = trained.model.remark(), _model_line(trained, None)
    assert not remark or remark.startswith(SUBJECTS)
    assert not remark or f"; {remark}." in line
    assert "it it " not in line and "it its " not in line and "it the " not in line


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (Perceptron(), wording.CONVERGED),
        (OneVsOne(test_members=True), wording.HARDEST_TO_SEPARATE),
        (ExtractedRules(), wording.SAYS_THE_SAME),
    ],
    ids=["perceptron", "one-vs-one", "extracted-rules"],
)
def test_what_a_model_says_of_itself_follows_the_sizes(learner: Learner, said: str) -> None:
    data = mixed(60)
    trained = train(learner, with_codes(data, (data.column(0) > 0.5).astype(int)), (), RunContext(seed=1))
    line = _model_line(trained, None)
    assert said in line
