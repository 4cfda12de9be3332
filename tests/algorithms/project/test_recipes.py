"""Recipes in files of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.errors import ModelFileError
from algorithms.core.filters import RecipeStep, recipe_of
from algorithms.evaluation.tuning.wrapper import WrapperSelection
from algorithms.learners.trees.cart import Cart
from algorithms.project.recipes import LARGEST, load_recipe, save_recipe
from tests.algorithms.filter_battery import variants
from tests.expected_texts import project as wording

REGISTRY = builtin()


def test_every_step_with_every_option_comes_back(tmp_path: Path) -> None:
    recipe = tuple(variant for filter in REGISTRY.filters for variant in variants(filter))
    recipe = (*recipe, WrapperSelection(base=Cart(max_depth=3)))
    steps = tuple(RecipeStep(filter) for filter in recipe)
    save_recipe(tmp_path / "r.coppice-recipe", steps)
    assert load_recipe(tmp_path / "r.coppice-recipe", REGISTRY) == steps
    assert json.loads((tmp_path / "r.coppice-recipe").read_text("utf-8"))["version"] == 1


def test_a_step_that_is_switched_off_comes_back_so_and_the_command_line_passes_it_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scale, select = (REGISTRY.filters.get(id)() for id in ("scale", "select-attributes"))
    steps = (RecipeStep(select, on=False), RecipeStep(scale))
    path = tmp_path / "r.coppice-recipe"
    save_recipe(path, steps)
    assert load_recipe(path, REGISTRY) == steps and recipe_of(steps) == (scale,)
    assert main(["evaluate", "sample:iris", "--learner", "zero-r", "--json", "--recipe", str(path)]) == 0
    assert [step["id"] for step in json.loads(capsys.readouterr().out)["filters"]] == ["scale"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"format": "coppice-model", "version": 1, "steps": []}',
        b'{"format": "coppice-recipe", "version": 9, "steps": []}',
        b'{"format": "coppice-recipe", "version": 1, "steps": [{"id": "unheard-of"}]}',
        b'{"format": "coppice-recipe", "version": 1, "steps": [{"id": "zero-r"}]}',
        b'{"format": "coppice-recipe", "version": 1, "steps": [{"id": "scale", "parameters": {"by": 3}}]}',
        b'{"format": "coppice-recipe", "version": 1, "steps": [{"id": "discretize", "parameters": {"bins": 1'
        + b"0" * 400
        + b"}}]}",
        b'{"format": "coppice-recipe", "version": 1, "steps": [{"id": "discretize", "parameters": {"bins": 1e999}}]}',
        b'{"format": "coppice-recipe", "version": 1, "steps": {"a": 1}}',
        b'{"format": "coppice-recipe", "version": 1}',
        b"[" * 200_000,
        b" " * (LARGEST + 1),
    ],
)
def test_what_is_no_recipe_is_refused_in_words(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.coppice-recipe"
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as refused:
        load_recipe(path, REGISTRY)
    assert refused.value.sentence.endswith(".")


def test_files_that_cannot_be_reached_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError):
        load_recipe(tmp_path / "none", REGISTRY)
    with pytest.raises(ModelFileError):
        save_recipe(tmp_path / "no folder" / "r", ())


def test_a_recipe_is_applied_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.coppice-recipe"
    save_recipe(path, (RecipeStep(REGISTRY.filters.get("select-attributes")(number=1)),))
    argv = ["evaluate", "sample:iris", "--learner", "c4.5", "--json"]
    assert main([*argv, "--recipe", str(path), "--filter", "scale"]) == 0
    saved = json.loads(capsys.readouterr().out)
    assert main([*argv, "--filter", "select-attributes:number=1", "--filter", "scale"]) == 0
    typed = json.loads(capsys.readouterr().out)
    assert saved["confusion"] == typed["confusion"]
    assert main([*argv, "--recipe", str(tmp_path / "none")]) == 1


def test_a_step_whose_learner_is_a_filter_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "within.coppice-recipe"
    save_recipe(path, (RecipeStep(WrapperSelection()),))
    stored = json.loads(path.read_text(encoding="utf-8"))
    step = stored["steps"][0]
    step["parameters"]["base"] = {"id": step["id"], "parameters": {}}
    path.write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(ModelFileError, match=wording.must_be_a_learner("wrapper")):
        load_recipe(path, builtin())


def test_a_learner_within_one_is_no_filter_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "sample:iris", "--learner", "bagging:base=discretize"]) == 2
    assert wording.must_be_a_learner("discretize") in capsys.readouterr().err
