"""What is done with saved models on the command line: predictions, and trees for other programs."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, DecisionRule, rule_words
from algorithms.evaluation.runner import train
from algorithms.io.reading import read
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.project.models import load_model, save_model
from tests.expected_texts import cli as wording
from tests.expected_texts import core as core_wording
from tests.expected_texts import export as export_wording

# ---- predict ---------------------------------------------------------------------------------------------------------


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_predict_adds_decision_and_probabilities_to_the_columns(capsys, model, table):
    assert main(["predict", str(model), str(table)]) == 0
    printed = capsys.readouterr()
    rows = rows_of(printed.out)
    assert list(rows[0]) == ["x", "colour", "group", "answer", "predicted", "probability no", "probability yes"]
    assert len(rows) == 30
    assert [row["predicted"] for row in rows] == [row["answer"] for row in rows]
    assert all(float(r["probability no"]) + float(r["probability yes"]) == pytest.approx(1) for r in rows)
    assert wording.right_on(30, 30) in printed.err


@pytest.mark.parametrize("costs", [None, 2.0, "1 + [x]"])
def test_predict_writes_the_decision_rule_as_the_window_does(capsys, model, table, tmp_path, costs):
    """The window saved a column of it, and the threshold of each record where costs differ by record."""
    trained, path = load_model(model, builtin()), tmp_path / "deciding"
    choice, rows = AtThreshold("yes", 0.25), ((0.0, costs or 1.0), (3.0, 0.0))
    matrix = CostMatrix(("no", "yes"), rows).of_records(trained.classes, read(str(table), RunContext()))
    rule = DecisionRule(trained.classes, choice if costs is None else ByCost(), None if costs is None else matrix)
    save_model(path, replace(trained, deciding=rule))
    assert main(["predict", str(path), str(table)]) == 0
    written = rows_of(capsys.readouterr().out)
    assert {row["decision rule"] for row in written} == {rule_words(rule)}
    thresholds = [x / (x + 3) for x in (1 + i * 0.5 for i in range(30))]
    expected = pytest.approx(thresholds, abs=1e-6)
    assert ("threshold yes" in written[0]) is isinstance(costs, str)
    if isinstance(costs, str):
        assert [float(row["threshold yes"]) for row in written] == expected
    assert main(["predict", str(path), str(table), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["decision_rule"] == rule_words(rule)
    if isinstance(costs, str):
        assert [record["thresholds"]["yes"] for record in told["records"]] == expected
    out = tmp_path / "out.csv"
    assert main(["predict", str(path), str(table), "--out", str(out)]) == 0
    assert rows_of(out.read_text(encoding="utf-8")) == written


def test_predict_decides_among_three_classes_by_costs_of_each_record(capsys, tmp_path):
    data, path = next(s for s in samples() if s.id == "iris").make(None, 1, RunContext(seed=1)), tmp_path / "deciding"
    trained = train(C45(), data, (), RunContext(seed=1))
    rows = ((0.0, "[Sepal Length]", 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    matrix = CostMatrix(trained.classes, rows).of_records(trained.classes, data)
    save_model(path, replace(trained, deciding=DecisionRule(trained.classes, ByCost(), matrix)))
    assert main(["predict", str(path), "sample:iris", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["records"]) == 150 and "thresholds" not in told["records"][0]
    assert main(["predict", str(path), "sample:iris"]) == 0
    assert len(rows_of(capsys.readouterr().out)) == 150


def test_predict_names_differences_and_takes_unseen_values(capsys, model, tmp_path):
    fresh, out = tmp_path / "fresh.csv", tmp_path / "out.csv"
    fresh.write_text("predicted,group,colour,x\n1,0,mauve,0.5\n1,1,red,13\n2,0,blue,14\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh), "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "mauve" in printed.err
    assert core_wording.is_new("predicted") in printed.err
    rows = rows_of(out.read_text(encoding="utf-8"))
    assert [row["predicted 2"] for row in rows] == ["no", "yes", "yes"]
    assert [row["predicted"] for row in rows] == ["1", "1", "2"]


def test_predict_neutralises_formulas_where_that_is_asked_for(capsys, model, tmp_path):
    fresh, out = tmp_path / "fresh.csv", tmp_path / "out.csv"
    fresh.write_text("=note,group,colour,x\n=cmd|x,0,red,-0.5\n@b,1,red,-13\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh)]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("=cmd|x,0,red,-0.5,")
    assert main(["predict", str(model), str(fresh), "--neutralise-formulas"]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.startswith("'=note,") and first.startswith("'=cmd|x,0,red,-0.5,") and second.startswith("'@b,1,red,-13")
    assert main(["predict", str(model), str(fresh), "--neutralise-formulas", "--out", str(out)]) == 0
    assert out.read_text(encoding="utf-8").splitlines() == [head, first, second]
    capsys.readouterr()
    for more in (["--json"], ["--out", str(tmp_path / "out.xlsx")]):
        assert main(["predict", str(model), str(fresh), "--neutralise-formulas", *more]) == 2
        assert wording.CHANGES_CSV_ONLY in capsys.readouterr().err


def test_predict_without_a_needed_column_says_which(capsys, model, tmp_path):
    fresh = tmp_path / "fresh.csv"
    fresh.write_text("colour,group\nred,1\nblue,0\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(wording.X_IS_MISSING)
    assert "--absent-as-missing" in said


def test_predict_takes_a_column_that_is_not_there_for_missing_when_asked(capsys, model, tmp_path):
    fresh, empty = tmp_path / "fresh.csv", tmp_path / "empty.csv"
    fresh.write_text("colour,group\nred,1\nblue,0\n", encoding="utf-8")
    empty.write_text("colour,group,x\nred,1,\nblue,0,\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh), "--absent-as-missing"]) == 0
    printed = capsys.readouterr()
    rows = rows_of(printed.out)
    assert list(rows[0])[:3] == ["colour", "group", "predicted"] and len(rows) == 2
    assert wording.X_IS_MISSING_IN_BOTH in printed.err
    assert main(["predict", str(model), str(empty)]) == 0
    printed = capsys.readouterr()
    assert wording.X_IS_MISSING_IN_BOTH in printed.err
    assert [row["predicted"] for row in rows_of(printed.out)] == [row["predicted"] for row in rows]
    assert main(["predict", str(model), str(fresh), "--absent-as-missing", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["warnings"]
    assert ("remark", wording.X_IS_MISSING_IN_BOTH) in [(warning["id"], warning["sentence"]) for warning in said]


def test_a_file_of_other_columns_altogether_is_refused_all_the_same(capsys, model, tmp_path):
    fresh = tmp_path / "fresh.csv"
    fresh.write_text("height,weight\n1,2\n3,4\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh)]) == 1
    assert "--absent-as-missing" not in capsys.readouterr().err


def test_predict_names_the_value_that_is_no_number(capsys, model, tmp_path):
    fresh = tmp_path / "fresh.csv"
    fresh.write_text("x,colour,group\n1,red,1\nviel,blue,0\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh)]) == 1
    assert core_wording.must_hold_numbers("x", "viel", 2) in capsys.readouterr().err


def test_no_file_that_is_read_is_written_over(capsys, model, table, tmp_path, monkeypatch):
    before = table.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    monkeypatch.chdir(tmp_path)
    evaluate = ["evaluate", str(table), "--learner", "zero-r", "--save"]
    predict = ["predict", str(model), str(table), "--out"]
    relative = f"../{tmp_path.name}/table.csv"
    written = [[*command, to] for command in (evaluate, predict) for to in (str(table), str(link), relative)]
    for argv in [*written, [*predict, str(model)]]:
        assert main(argv) == 2, argv
        printed = capsys.readouterr()
        assert "would overwrite" in printed.err
        assert printed.err.count("\n") == 1
    assert table.read_bytes() == before


def test_predictions_of_a_file_with_semicolons_are_written_as_such_a_file(capsys, model, tmp_path):
    fresh, out = tmp_path / "neu.csv", tmp_path / "aus.csv"
    fresh.write_text("x;colour;group\n1,5;gelb, grün;1\n13,5;red;0\n2,5;blue;1\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh), "--out", str(out)]) == 0
    capsys.readouterr()
    lines = out.read_bytes().decode("utf-8").split("\n")
    assert lines[0] == wording.HEAD_OF_PREDICTIONS
    assert lines[1:3] == ["1,5;gelb, grün;1;no;1;0", "13,5;red;0;yes;0;1"]


def test_predict_prints_json_and_few_digits(capsys, table, tmp_path):
    path = tmp_path / "model"
    assert main(["evaluate", str(table), "--learner", "zero-r", "--save", str(path)]) == 0
    capsys.readouterr()
    assert main(["predict", str(path), str(table), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["classes"] == ["no", "yes"]
    assert len(found["records"]) == 30
    assert found["records"][0] == {"decision": "no", "probabilities": {"no": 0.666667, "yes": 0.333333}}
    assert [each["sentence"] for each in found["warnings"]] == [wording.right_on(20, 30)]


# ---- export ----------------------------------------------------------------------------------------------------------


def test_a_saved_tree_is_written_for_other_programs(capsys, model, tmp_path):
    title = export_wording.A_DECISION_TREE
    begins = {"text": title, "sql": f"-- {title}", "mysql": f"-- {title}", "python": f"# {title}", "pmml": "<?xml"}
    for format, first in begins.items():
        assert main(["export", str(model), "--as", format]) == 0
        assert capsys.readouterr().out.startswith(first)
    out = tmp_path / "tree.py"
    assert main(["export", str(model), "--as", "python", "--out", str(out)]) == 0
    assert capsys.readouterr().out == "" and "def predict(record)" in out.read_text("utf-8")


def test_export_says_what_cannot_be_written_and_writes_over_no_model(capsys, model, table, tmp_path):
    assert main(["export", str(model), "--as", "sql", "--out", str(model)]) == 2
    assert "would overwrite" in capsys.readouterr().err
    assert main(["export", str(model), "--as", "prose"]) == 2
    assert main(["export", str(model), "--as", "sql", "--out", str(tmp_path / "no" / "tree.sql")]) == 1
    assert core_wording.CANNOT_BE_WRITTEN in capsys.readouterr().err
    plain = tmp_path / "zero.model"
    assert main(["evaluate", str(table), "--learner", "zero-r", "--method", "training-set", "--save", str(plain)]) == 0
    capsys.readouterr()
    assert main(["export", str(plain), "--as", "sql"]) == 1
    assert wording.CANNOT_BE_EXPORTED in capsys.readouterr().err


def test_the_help_names_every_format(capsys):
    assert main(["export", "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert wording.FORMATS in printed


# ---- rules -----------------------------------------------------------------------------------------------------------


def test_rules_are_told_with_their_counts_and_whether_they_overlap_or_leave_gaps(capsys, tmp_path):
    saved = str(tmp_path / "rules.coppice")
    assert main(["evaluate", "sample:iris", "--learner", "ripper", "--save", saved, "--method", "training-set"]) == 0
    capsys.readouterr()
    assert main(["rules", saved, "sample:iris", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sum(rule["decided"] for rule in found["rules"]) == 150
    assert found["rules"][-1]["rule"] is None
    assert found["exhaustive"] is False
    assert found["gap"]["fired"] == []
    assert found["data"]["meeting_none"] == found["rules"][-1]["decided"]
    table = tmp_path / "rules.csv"
    assert main(["rules", saved, "--out", str(table)]) == 0
    capsys.readouterr()
    rows = rows_of(table.read_text(encoding="utf-8"))
    assert [row["then"] for row in rows] == [rule["class"] for rule in found["rules"]]
    assert [float(row["decides"]) for row in rows] == [rule["decided"] for rule in found["rules"]]
    assert main(["rules", saved, "--out", saved]) == 2
    assert main(["rules", saved]) == 0
    words = capsys.readouterr().out
    assert wording.NOT_EXHAUSTIVE in words
    n, correct = (int(float(rows[0][name])) for name in ("decides", "correct"))
    assert wording.decided_and_correct(n, correct) in words
    assert [float(row["share correct"]) for row in rows] == [
        pytest.approx(float(row["correct"]) / float(row["decides"])) for row in rows
    ]
    assert wording.NO_RULE_FIRES in words


def test_a_model_without_rules_has_none_to_tell(capsys, model):
    assert main(["rules", str(model)]) == 1
    assert wording.MODEL_HAS_NO_RULES in capsys.readouterr().err


def test_predict_joins_the_second_table_that_is_named(capsys, tmp_path):
    records, towns, newer = (tmp_path / name for name in ("records.csv", "towns.csv", "newer.csv"))
    records.write_text("town,answer\n" + "".join(f"t{i % 4},{'yes' if i % 4 < 2 else 'no'}\n" for i in range(40)))
    towns.write_text("town,size\nt0,1\nt1,2\nt2,8\nt3,9\n")
    newer.write_text("town,size\nt0,9\nt1,8\nt2,2\nt3,1\n")
    kept = tmp_path / "towns.coppice-model"
    steps = ["--filter", f"join-table:path={towns},key=town", "--filter", "remove-attributes:columns=town"]
    assert main(["evaluate", str(records), "--learner", "c4.5", *steps, "--save", str(kept)]) == 0
    capsys.readouterr()
    for more, expected in (
        ([], ["yes", "yes", "no", "no"]),
        (["--second-table", str(newer)], ["no", "no", "yes", "yes"]),
    ):
        assert main(["predict", str(kept), str(records), *more]) == 0
        assert [row["predicted"] for row in rows_of(capsys.readouterr().out)][:4] == expected
    assert main(["predict", str(kept), str(records), *["--second-table", str(newer)] * 2]) == 1
    assert wording.TOO_MANY_SECOND_TABLES in capsys.readouterr().err
