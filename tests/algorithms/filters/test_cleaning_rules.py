"""Cleaning rules: what each does to a table, what does not fit one, and how they travel."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.errors import CoppiceError, ModelFileError, ParameterError
from algorithms.core.run_control import RunContext
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.runner import train
from algorithms.export.recipe_script import write_recipe_script
from algorithms.filters.arrange_attributes import RemoveAttributes
from algorithms.filters.cleaning_rules import (
    RULES,
    AddFormula,
    CleaningRule,
    ConvertColumn,
    CutColumn,
    MissingMarks,
    RemoveColumns,
    RenameColumn,
    RenameValues,
    ReplaceText,
    cleaned,
    rules_from_json,
)
from algorithms.io.reading import read
from algorithms.learners.trees.c45 import C45
from algorithms.project.models import load_model, save_model
from algorithms.project.recipes import load_recipe, load_rules, save_recipe

HEAD = "name;town;price;age;day;bought\n"
JANUARY = HEAD + "".join(
    f"n{i};{town};1.{100 + i},50 EUR;{age};0{1 + i % 9}.01.2024;{'yes' if i % 3 else 'no'}\n"
    for i, (town, age) in enumerate([("BE", "20"), ("Bern", "k.A."), ("ZH", "45"), ("GE", "61")] * 6)
)
RULES_OF_JANUARY: tuple[CleaningRule, ...] = (
    RenameValues(column="town", names={"BE": "Bern", "ZH": "Zurich"}),
    MissingMarks(marks=("k.A.",), columns=("age",)),
    ConvertColumn(column="age", kind="numeric"),
    RenameColumn(column="price", to="amount"),
    RemoveColumns(columns=("name",)),
    CutColumn(column="age", cuts=("30", "50"), keep=True),
    AddFormula(to="double", formula="2 * age"),
)


def table(tmp_path: Path, text: str, name: str = "t.csv") -> Dataset:
    (tmp_path / name).write_text(text, "utf-8")
    return read(tmp_path / name, RunContext())


def texts(data: Dataset, name: str) -> list[str | None]:
    index = data.schema.index_of(name)
    return cell_texts(data.schema.attributes[index], data.column(index))


def test_each_rule_changes_its_columns(tmp_path: Path) -> None:
    data, misfits = cleaned(table(tmp_path, JANUARY), RULES_OF_JANUARY)
    assert misfits == []
    assert data.schema.names == ("town", "amount", "age", "age (ranges)", "day", "bought", "double")
    assert texts(data, "town")[:4] == ["Bern", "Bern", "Zurich", "GE"]
    assert texts(data, "age")[:4] == ["20", None, "45", "61"]
    assert texts(data, "double")[:4] == ["40", None, "90", "122"]
    assert data.origin.cleaning == RULES_OF_JANUARY


def test_applying_the_rules_to_a_clean_table_changes_nothing_but_adds_no_column_twice(tmp_path: Path) -> None:
    once, _ = cleaned(table(tmp_path, JANUARY), RULES_OF_JANUARY[:5])
    twice, misfits = cleaned(once, RULES_OF_JANUARY[:5])
    assert misfits == [] and twice.schema == once.schema
    assert all(texts(twice, name) == texts(once, name) for name in once.schema.names)


def test_a_stated_form_decides_how_numbers_and_dates_are_read(tmp_path: Path) -> None:
    body = "".join(f"{a};{d};{i % 2}\n" for i, (a, d) in enumerate([("'1.234'", "05.04.24"), ("x", "1.2.2024")] * 9))
    data = table(tmp_path, "a;d;c\n" + body.replace("'", ""))
    data, _ = cleaned(data, [ConvertColumn(column=name, kind="text") for name in ("a", "d")])
    rules = [
        ConvertColumn(column="a", decimal="comma", thousands="point"),
        ConvertColumn(column="d", kind="date", format="%d.%m.%Y"),
    ]
    changed, misfits = cleaned(data, rules)
    assert [misfit.column for misfit in misfits][:1] == ["a"]
    assert all(misfit.remedy and "9 records" in misfit.sentence for misfit in misfits)
    assert changed.schema.attributes[1].kind is AttributeKind.DATE
    with pytest.raises(ParameterError):
        ConvertColumn(column="d", kind="date", format="%q")


@pytest.mark.parametrize("kind", ["nominal", "text"])
def test_texts_are_replaced_the_same_way_in_nominal_and_text_columns(tmp_path: Path, kind: str) -> None:
    data, _ = cleaned(table(tmp_path, JANUARY), [ConvertColumn(column="town", kind=kind)])
    rules = [ReplaceText(old="e", new="3", columns=("town",)), ReplaceText(old="ZH", new="", whole=True)]
    changed, misfits = cleaned(data, rules)
    assert misfits == [] and texts(changed, "town")[:4] == ["B3", "B3rn", None, "G3"]
    marked, _ = cleaned(data, [MissingMarks(marks=("GE", "BE"))])
    assert texts(marked, "town")[:4] == [None, "Bern", "ZH", None]
    named, _ = cleaned(data, [RenameValues(column="town", names={"ZH": "Zurich"})])
    assert texts(named, "town")[:4] == ["BE", "Bern", "Zurich", "GE"]


def test_an_order_of_values_keeps_unknown_ones_at_its_end_and_says_so(tmp_path: Path) -> None:
    rule = ConvertColumn(column="town", kind="ordinal", order=("ZH", "BE", "Basel"))
    data, misfits = cleaned(table(tmp_path, JANUARY), [rule])
    assert data.schema.attributes[1].values == ("ZH", "BE", "Basel", "Bern", "GE")
    assert len(misfits) == 1 and "12 records" in misfits[0].sentence and misfits[0].remedy
    assert texts(data, "town")[:4] == ["BE", "Bern", "ZH", "GE"]


def test_every_rule_says_which_column_is_missing_and_what_to_do(tmp_path: Path) -> None:
    data = table(tmp_path, JANUARY)
    rules: list[CleaningRule] = [
        RenameColumn(column="gone", to="here"),
        ConvertColumn(column="gone 1"),
        RenameValues(column="gone 2", names={"a": "b"}),
        ReplaceText(old="a", new="b", columns=("gone 3",)),
        MissingMarks(marks=("x",), columns=("gone 4",)),
        CutColumn(column="gone 5", cuts=("1",)),
        AddFormula(to="sum", formula="2 * gone6"),
    ]
    changed, misfits = cleaned(data, [*rules, RemoveColumns(columns=("gone 7",))])
    assert changed.schema == data.schema
    assert len(misfits) == len(rules) and all(misfit.remedy and not misfit.fatal for misfit in misfits)


def test_rules_come_back_from_json_and_from_the_words_of_a_command(tmp_path: Path) -> None:
    stored = json.loads(json.dumps([rule.to_json() for rule in RULES_OF_JANUARY]))
    assert rules_from_json(stored) == RULES_OF_JANUARY
    assert all(kind().words and kind.sentence for kind in RULES)
    for damaged in ([{"id": "nothing"}], [{"id": "rename-values", "parameters": {"names": 3}}], [7]):
        with pytest.raises((CoppiceError, TypeError)):
            rules_from_json(damaged)


def test_a_recipe_file_has_the_rules_and_older_ones_have_none(tmp_path: Path) -> None:
    path = tmp_path / "r.coppice-recipe"
    save_recipe(path, (), cleaning=RULES_OF_JANUARY)
    assert json.loads(path.read_text("utf-8"))["version"] == 3
    assert load_rules(path) == RULES_OF_JANUARY and load_recipe(path, builtin()) == ()
    save_recipe(path, ())
    assert json.loads(path.read_text("utf-8"))["version"] == 1 and load_rules(path) == ()
    path.write_text(json.dumps({"format": "coppice-recipe", "version": 3, "cleaning": [{"id": "x"}], "steps": []}))
    with pytest.raises(ModelFileError):
        load_rules(path)


def test_a_model_file_has_the_rules_of_its_training_data(tmp_path: Path) -> None:
    registry, path = builtin(), tmp_path / "m.coppice-model"
    for rules, version in ((RULES_OF_JANUARY, 4), ((), 1)):
        data, _ = cleaned(table(tmp_path, JANUARY), rules)
        trained = train(C45(), data.with_class("bought"), (), RunContext(seed=1))
        save_model(path, trained)
        loaded = load_model(path, registry)
        assert loaded.cleaning == rules
        again, _ = cleaned(table(tmp_path, JANUARY), loaded.cleaning)
        assert np.array_equal(loaded.predict_proba(again), trained.predict_proba(data))
        from algorithms.project import archive

        assert archive.read(path).values["version"] == version


def test_the_command_line_cleans_the_file_of_another_month_as_a_person_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    january, february = tmp_path / "january.csv", tmp_path / "february.csv"
    january.write_text(JANUARY, "utf-8")
    february.write_text(JANUARY.replace(".01.2024", ".02.2024").replace("61", "k.A."), "utf-8")
    recipe, model = tmp_path / "r.coppice-recipe", tmp_path / "m.coppice-model"
    save_recipe(recipe, (), cleaning=RULES_OF_JANUARY)
    judge = ["evaluate", str(january), "--learner", "c4.5", "--class", "bought", "--recipe", str(recipe)]
    assert main([*judge, "--save", str(model)]) == 0
    by_hand = tmp_path / "by hand.csv"
    assert main(["convert", str(february), "--clean", str(recipe), "--out", str(by_hand)]) == 0
    assert main(["convert", str(february), "--clean", str(model), "--out", str(tmp_path / "same.csv")]) == 0
    assert (tmp_path / "same.csv").read_bytes() == by_hand.read_bytes()
    plain = tmp_path / "plain.coppice-model"
    cleaned_january = tmp_path / "january clean.csv"
    assert main(["convert", str(january), "--clean", str(recipe), "--out", str(cleaned_january)]) == 0
    judge = ["evaluate", str(cleaned_january), "--learner", "c4.5", "--class", "bought", "--save", str(plain)]
    assert main(judge) == 0
    capsys.readouterr()
    assert main(["predict", str(model), str(february), "--json"]) == 0
    automatic = json.loads(capsys.readouterr().out)
    assert main(["predict", str(plain), str(by_hand), "--json"]) == 0
    assert [r["probabilities"] for r in automatic["records"]] == [
        r["probabilities"] for r in json.loads(capsys.readouterr().out)["records"]
    ]


def test_the_command_line_takes_rules_as_words_and_lists_their_kinds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(JANUARY, "utf-8")
    words = ["--clean", "rename-values:column=town,names=BE=Bern;ZH=Zurich", "--clean", "remove-columns:columns=name"]
    assert main(["convert", str(path), *words, "--clean", "rename-column:column=gone,to=x"]) == 0
    out, err = capsys.readouterr()
    assert out.lstrip("\ufeff").splitlines()[3].startswith("Zurich") and "'gone'" in err
    assert main(["convert", str(path), "--clean", "rename-colunm:to=x"]) == 2
    assert "rename-column" in capsys.readouterr().err
    assert main(["list", "cleaning"]) == 0
    assert capsys.readouterr().out.count("rename-values") == 1


def test_the_script_of_a_recipe_names_the_rules_that_it_leaves_out(tmp_path: Path) -> None:
    data, _ = cleaned(table(tmp_path, JANUARY), RULES_OF_JANUARY)
    write_recipe_script(tmp_path / "s.py", (RemoveAttributes(columns=("day",)),), data, RunContext())
    script = (tmp_path / "s.py").read_text("utf-8")
    assert all(f"#   {rule.words}" in script for rule in RULES_OF_JANUARY)
