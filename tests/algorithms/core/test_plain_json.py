"""JSON of unknown origin gives only values that the program can hold and write again."""

from __future__ import annotations

from pathlib import Path

import pytest

from algorithms.catalogue import builtin
from algorithms.core import plain_json
from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.files import write_text
from algorithms.core.parameters import read as read_parameter
from algorithms.evaluation.costs.cost_matrix import read_costs
from algorithms.filters.discretize import typed_cuts
from algorithms.project.recipes import load_recipe
from tests.expected_texts import core as wording


@pytest.mark.parametrize("text", ['"\\ud800"', '{"\\udc00": 1}', '["a\\uDBFF b"]'])
def test_half_of_a_surrogate_pair_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        plain_json.loads(text)
    assert plain_json.loads(text, half_pairs=True)


def test_both_halves_are_one_character() -> None:
    assert plain_json.loads('"\\ud83c\\udf33"') == "\N{DECIDUOUS TREE}"


def test_costs_and_recipes_with_half_a_character_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text('{"classes": ["\\ud800", "b"], "costs": [[0, 1], [1, 0]]}', encoding="utf-8")
    with pytest.raises(DataError):
        read_costs(path, ("a", "b"))
    path.write_text('{"steps": [{"id": "derive", "to": "\\ud800"}]}', encoding="utf-8")
    with pytest.raises(CoppiceError):
        load_recipe(path, builtin())


def test_what_no_file_can_hold_is_refused_and_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    write_text(path, "before")
    with pytest.raises(DataError) as error:
        write_text(path, "a name \ud800 with a half")
    assert error.value.sentence == wording.HALF_OF_A_CHARACTER
    assert path.read_text("utf-8") == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("text", ["1_000", "1_0.5", "1e1_0"])
def test_a_number_with_pythons_underscores_is_none_wherever_it_is_typed(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=wording.NOT_A_NUMBER):
        plain_json.typed_number(text)
    assert read_parameter("real", text) == text and read_parameter("integer", text) == text
    write_text(tmp_path / "costs.csv", f",a,b\na,0,{text}\nb,1,0\n")
    with pytest.raises(DataError, match=wording.IS_NOT_A_COST):
        read_costs(tmp_path / "costs.csv", ("a", "b"))
    with pytest.raises(DataError, match=wording.IS_NO_NUMBER):
        typed_cuts(text)
