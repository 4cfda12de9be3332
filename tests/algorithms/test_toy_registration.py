"""A new learner and a new filter take one file and one registration each, and are everywhere."""

from __future__ import annotations

import json

import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.registry import Registry
from tests.algorithms.battery import LEARNER_CHECKS
from tests.algorithms.filter_battery import FILTER_CHECKS, variants
from tests.algorithms.toy_filter import RemoveMeans
from tests.algorithms.toy_learner import Mean, MeanModel
from tests.expected_texts import core as wording


@pytest.fixture(scope="module")
def registry() -> Registry:
    registry = builtin()
    registry.add_learner(Mean, MeanModel)
    registry.add_filter(RemoveMeans)
    return registry


def test_they_are_listed_with_their_parameters(registry, capsys):
    for what, id, parameter in (("learners", "toy-mean", "smoothing"), ("filters", "toy-remove-means", "really")):
        assert main(["list", what], registry) == 0
        assert id in capsys.readouterr().out
        assert main(["list", what, "--json"], registry) == 0
        (found,) = [item for item in json.loads(capsys.readouterr().out)[what] if item["id"] == id]
        assert found["parameters"][0]["name"] == parameter


def test_they_stand_under_their_family(registry):
    assert registry.families()["Toys"] == [Mean]


def test_they_are_judged_saved_and_applied_by_the_command_line(registry, capsys, tmp_path):
    argv = ["evaluate", "sample:iris", "--learner", "toy-mean", "-p", "smoothing=2", "--filter", "toy-remove-means"]
    assert main([*argv, "--json", "--save", str(tmp_path / "m")], registry) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accuracy"] > 0.5
    assert found["learner"] == {"id": "toy-mean", "parameters": {"smoothing": 2}}
    assert found["filters"] == [{"id": "toy-remove-means", "parameters": {"really": True}}]
    assert found["model"]["sides"] == 2
    assert main(["predict", str(tmp_path / "m"), "sample:iris"], registry) == 0
    printed = capsys.readouterr()
    assert "probability virginica" in printed.out.splitlines()[0]
    assert main([*argv[:4], "-p", "smoothing=0"], registry) == 2
    assert wording.SMOOTHING_FROM_1_TO_99 in capsys.readouterr().err


@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
def test_the_learner_runs_the_battery(registry, check):
    check(Mean(), registry)


@pytest.mark.parametrize("check", FILTER_CHECKS, ids=lambda check: check.__name__)
def test_the_filter_runs_the_battery(registry, check):
    for variant in variants(RemoveMeans):
        check(variant, registry)
