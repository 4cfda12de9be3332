"""A new measure takes one declaration and one registration, and is in every table, choice, JSON and text."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest

from algorithms.cli import main
from algorithms.evaluation.measures.registry import MEASURES, of_permutation_test
from tests.algorithms.toy_measure import TOY
from tests.expected_texts import tabs_evaluate as wording


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.algorithms.toy_measure"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout
    shown: dict[str, Any] = json.loads(printed)
    return shown


def test_the_table_of_numbers_has_its_row_with_tooltip_and_workings(shown: dict[str, Any]) -> None:
    assert shown["tip"] == wording.tip_of_toy_measure(shown["label"])
    precision, recall = shown["precision and recall"]
    assert shown["value"] == pytest.approx(math.sqrt(precision * recall))
    assert all(shown["texts"])
    assert shown["workings"][-1].startswith(wording.TOY_MEASURE_WORKED_OUT)


def test_the_table_of_classes_has_its_column(shown: dict[str, Any]) -> None:
    assert shown["headers"][-1] == ["FM", wording.TOY_MEASURE_IN_CLASSES]
    assert {len(cells) for cells in shown["cells"]} == {len(shown["headers"])}
    assert shown["cells"][0][-1] == shown["texts"][1]


def test_it_can_be_drawn_against_the_threshold(shown: dict[str, Any]) -> None:
    assert shown["curves"][-1] == TOY.id
    name, best = shown["curve"]
    assert name == TOY.name and best >= shown["value"] - 1e-12


def test_the_permutation_test_can_be_judged_by_it(shown: dict[str, Any]) -> None:
    assert shown["permutation choices"][-1] == "Fowlkes-Mallows index"
    luck = shown["json"]["shuffle"]
    assert luck["measure"] == TOY.id and len(luck["measures"][TOY.id]["scores"]) == 2
    assert wording.AS_WELL_BY_TOY_MEASURE in shown["text"]
    assert wording.ON_SHUFFLED_TOY_MEASURE in shown["text"]


def test_json_and_text_have_it_for_all_classes_and_for_each(shown: dict[str, Any]) -> None:
    assert "fowlkes_mallows" in shown["json"]
    assert all("fowlkes_mallows" in values for values in shown["json"]["per_class"])
    assert all("fowlkes_mallows" in values for values in shown["json"]["averages"].values())
    heading = next(line for line in shown["text"].splitlines() if line.startswith("class "))
    assert heading.split()[-1] == "AUC" and "FM" in heading.split()


def test_the_help_of_the_command_line_names_it_among_the_measures(shown: dict[str, Any]) -> None:
    assert f"kappa,mcc,{TOY.id}" in "".join(shown["help"].split())


def test_the_help_names_every_measure_of_the_permutation_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--help"]) == 0
    printed = "".join(capsys.readouterr().out.split())
    assert ",".join(measure.id for measure in of_permutation_test()) in printed


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.id)
def test_every_measure_has_a_sentence_a_range_and_a_way_to_compute_it(measure: Any) -> None:
    assert measure.has_whole or measure.of_class is not None
    assert measure.sentence or measure.explain is not None or measure.glossary
    assert measure.worst != measure.best
    assert measure.chance is None or measure.lowest <= measure.chance <= max(measure.worst, measure.best)
    assert not measure.is_averaged or measure.of_class is not None
