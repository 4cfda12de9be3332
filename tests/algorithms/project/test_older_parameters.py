"""Parameters that came later: files of programs without them mean what these programs did."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.core.parameters import ALWAYS_THERE, Configurable, from_json
from algorithms.filters.select_attributes import SelectAttributes
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project import archive
from algorithms.project.archive import ArchiveContent
from algorithms.project.changes import Project
from algorithms.project.projects import load_project, save_project
from algorithms.project.recipes import load_recipe
from tests.algorithms.project import made_projects
from tests.algorithms.project.first_parameters import FIRST_PARAMETERS
from tests.algorithms.project.made_projects import step, table

_REGISTRY = builtin()
_CLASSES = [*_REGISTRY.learners, *_REGISTRY.filters, *_REGISTRY.methods]

OLD_STUMP = (
    '{"id": "decision-stump", "parameters": {"criterion": "information-gain", "nominal_splits": "multiway", '
    '"min_leaf": 1, "numeric_splits": "binary", "numeric_branches": 4, "thresholds": "midpoint", "min_gain": 0.0, '
    '"split_search": "exact", "bins": 255}}'
)
OLD_FOREST = (
    '{"id": "random-forest", "parameters": {"members": 30, "attributes_weighed": null, "combined": 1, "criterion": '
    '"gini", "min_leaf": 1, "max_depth": null, "nominal_splits": "binary", "best_of": 1, "combine": "probabilities", '
    '"out_of_bag": true}}'
)
OLD_BAYES = (
    '{"id": "naive-bayes", "parameters": {"numbers": "gaussian", "ranges": 10, "smoothing": "laplace", "m": 1.0, '
    '"p": [], "priors": [], "variance": "sample", "least_spread": 0.1, "bandwidth": null}}'
)
OLD_BOOSTING = (
    '{"id": "adaboost", "parameters": {"base": ' + OLD_STUMP + ', "members": 50, "by": "weights", "resets": 10, '
    '"several_classes": "samme", "printed_error": false}}'
)
OLD_SELECTION = (
    '{"id": "select-attributes", "parameters": {"by": "information-gain", "keep": "number", "number": 10, '
    '"threshold": 0.0, "k": 10, "sampled": 250, "columns": []}}'
)


@pytest.mark.parametrize(
    ("stored", "meant"),
    [
        (OLD_STUMP, DecisionStump(ordinal_splits="ordered")),
        (OLD_FOREST, RandomForest(members=30, nominal_correction=False)),
        (OLD_BAYES, NaiveBayes(numbers="gaussian", least_ratio=0.0)),
        (OLD_BOOSTING, AdaBoost(base=DecisionStump(ordinal_splits="ordered"), several_classes="samme")),
        (OLD_SELECTION, SelectAttributes(sampled=250, numeric_splits="mdl")),
    ],
    ids=["decision-stump", "random-forest", "naive-bayes", "adaboost", "select-attributes"],
)
def test_a_form_written_before_a_parameter_was_there_means_what_was_done_without_it(
    stored: str, meant: Configurable
) -> None:
    assert from_json(json.loads(stored), _REGISTRY.resolve) == meant


@pytest.mark.parametrize(
    ("stored", "meant"),
    [
        (OLD_FOREST, RandomForest(members=30, nominal_correction=False)),
        (OLD_BAYES, NaiveBayes(numbers="gaussian", least_ratio=0.0)),
    ],
    ids=["random-forest", "naive-bayes"],
)
def test_a_run_of_an_older_project_says_the_parameters_it_was_made_with(
    stored: str, meant: Learner, tmp_path: Path
) -> None:
    path, run = tmp_path / "old.coppice", replace(made_projects.run(1, ZeroR(), table()), trained=None)
    save_project(path, Project(steps=[step("", run.data)], runs={1: run}))
    content = archive.read(path)
    entries = [_by(json.loads(stored), each) for each in content.values["entries"]]
    archive.write(path, ArchiveContent({**content.values, "entries": entries}, content.arrays))
    assert load_project(path, _REGISTRY).runs[1].learner == meant


def _by(learner: Any, entry: Any) -> Any:
    return {**entry, "learner": learner} if entry.get("do") == "run" else entry


def test_a_step_of_an_older_recipe_does_what_it_did(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text('{"format": "coppice-recipe", "version": 1, "steps": [' + OLD_SELECTION + "]}")
    (step,) = load_recipe(path, _REGISTRY)
    assert step.filter == SelectAttributes(sampled=250, numeric_splits="mdl")


@pytest.mark.parametrize("cls", _CLASSES, ids=lambda cls: cls.id)
def test_every_parameter_that_came_later_says_what_files_without_it_mean(cls: type[Configurable]) -> None:
    first = FIRST_PARAMETERS.get(cls.id)
    if first is None:  # the whole class came later, or it has no parameters
        return
    later = {each.name for each in cls.parameters() if each.earlier is not ALWAYS_THERE}
    assert {each.name for each in cls.parameters()} == later | set(first.split())
    for parameter in cls.parameters():
        if parameter.name in later:
            assert parameter.validated(parameter.earlier) == parameter.earlier


def test_a_form_that_was_typed_means_the_defaults_of_today() -> None:
    """A program writes every parameter; who types names only some."""
    for typed in ({}, {"members": 30}, {"members": 30, "criterion": "gini"}):
        found = from_json({"id": "random-forest", "parameters": typed}, _REGISTRY.resolve)
        assert found == RandomForest(**typed)
