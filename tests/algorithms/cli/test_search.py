"""Several settings on the command line."""

from __future__ import annotations

import json

import pytest

from algorithms.cli import main
from tests.expected_texts import cli as wording
from tests.expected_texts import evaluation as evaluation_wording

BASE = ["evaluate", "sample:iris", "--learner", "cart", "-p", "pruning=none", "--method", "cross-validation:folds=3"]
TRIED = ["--search", "min_leaf=1,40", "--search", "recipe.1.ranges=2,6", "--filter", "discretize:by=equal-width"]


def test_what_was_tried_and_chosen_is_told_with_what_each_number_is_worth(capsys):
    assert main([*BASE, *TRIED, "--strategy", "grid:folds=3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    search = found["search"]
    assert search["parameters"] == ["min_leaf", "recipe.1.ranges"]
    assert len(search["settings"]) == 4
    assert search["chosen"] == {"min_leaf": "1", "recipe.1.ranges": "6"}
    assert len(search["chosen_in_folds"]) == 3
    assert [each["mark"] for each in search["estimates"]] == ["optimistic", "estimate", "honest"]
    assert search["estimates"][2]["value"] == pytest.approx(found["error_rate"])
    assert search["filters"][0]["parameters"]["ranges"] == 6
    assert found["filters"][0]["parameters"]["ranges"] == 5  # as it was given


def test_the_text_has_the_settings_and_marks_the_optimistic_number(capsys):
    assert main([*BASE, "--search", "min_leaf=1,40", "--strategy", "random:draws=5,folds=3,measure=log-loss"]) == 0
    said = capsys.readouterr().out
    assert wording.SETTINGS_TRIED_ON_ALL in said
    assert wording.LOG_LOSS_FLATTERS in said
    assert said.index("Accuracy ") < said.index("Settings tried")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--search", "min_leaf=x"], wording.MUST_BE_WHOLE),
        (["--search", "confidence=0.1,0.2"], evaluation_wording.DOES_NOT_COUNT),
        (["--search", "recipe.1.ranges=2,3"], wording.NO_STEP_OF_RECIPE),
        (["--search", "min_leaf=1", "--search", "min_leaf=2"], "given twice"),
        (["--strategy", "grid"], wording.SAY_WHAT_WITH_SEARCH),
        (["--search", "min_leaf=1,2", "--strategy", "grid:speed=9"], "no 'speed'"),
        (["--search", "min_leaf=1,2", "--strategy", "luck"], wording.MUST_BE_ONE_OF),
    ],
)
def test_wrong_use_is_told_in_one_line(words, says, capsys):
    assert main([*BASE, *words]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
