"""``explain``: the importance of attributes in words, as JSON and as CSV."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from algorithms.cli import WRONG_USE, main
from algorithms.cli.explaining import effect_columns, effects_text, effects_to_json, surrogate_text
from algorithms.core.errors import ParameterError
from algorithms.core.run_control import RunContext
from algorithms.data.schema import Schema, numeric
from algorithms.evaluation.attribute_effects import attribute_effects
from algorithms.evaluation.learner_effects import LearnerEffects
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.surrogate_tree import surrogate_tree
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.evaluation.test_attribute_effects import made
from tests.expected_texts import cli as wording
from tests.expected_texts import evaluation

EXPLAIN = ["explain", "sample:iris", "--learner", "c4.5", "--method", "cross-validation:folds=4", "--repeats", "2"]


def test_words_json_and_file_have_the_same_importance(capsys, tmp_path: Path):
    out = tmp_path / "importance.csv"
    assert main([*EXPLAIN, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert main([*EXPLAIN, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert [row["attributes"] for row in rows] == [
        " + ".join(one["attributes"]) for one in (*found["attributes"], *found["groups"])
    ]
    assert [float(row["accuracy"]) for row in rows[:4]] == [one["fall"] for one in found["attributes"]]
    assert found["attributes"][0]["fall"] > 0.2
    assert found["words"] in text and f"{100 * found['attributes'][0]['fall']:+.1f} points" in text
    assert len(found["attributes"][0]["by_part"]) == 4 and found["repeats"] == 2
    assert found["groups"] and all(one["association"] >= 0.7 for one in found["groups"])


def test_a_column_is_dropped_instead(capsys):
    assert main([*EXPLAIN[:-2], "--drop-column", "--measure", "kappa", "--grouped", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["importance"] == "drop-column" and found["measure"] == "kappa" and not found["groups"]
    assert all(abs(one["fall"]) < 0.2 for one in found["attributes"])  # the others tell what each does


def test_wrong_use_is_named(capsys):
    assert main([*EXPLAIN, "--measure", "luck"]) == WRONG_USE
    assert wording.THERE_ARE_MEASURES in capsys.readouterr().err
    assert main([*EXPLAIN, "--drop-column"]) == WRONG_USE
    assert "--repeats" in capsys.readouterr().err


def test_effects_and_interactions(capsys):
    length, width = "Petal Length", "Petal Width"
    learner = ["explain", "sample:iris", "--learner", "naive-bayes"]
    effect = [*learner, "--effect", length, "--of-class", "virginica"]
    assert main([*effect, "--effect", width, "--interactions", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["class"] == "virginica" and [one["attribute"] for one in found["effects"]] == [length, width]
    curve = found["effects"][0]["classes"]["virginica"]["partial_dependence"]
    assert curve[-1] > curve[0] + 0.2
    (pair,) = found["interactions"]
    assert 0 <= pair["h"] <= 1.5 and len(pair["by_part"]) == 10
    assert main([*effect[:-1], "nobody"]) == WRONG_USE
    assert main([*effect, "--interactions"]) == WRONG_USE
    assert main([*EXPLAIN, "--of-class", "virginica"]) == WRONG_USE


def test_what_a_stopped_explanation_tested_is_told():
    data, method = made(100), CrossValidation(folds=4)
    classes = data.schema.classes
    whole = attribute_effects(ZeroR(), data, method, RunContext(), ("first",))
    (one,) = whole.effects
    part = LearnerEffects((replace(one, folds=one.folds[:1]),))
    assert wording.ONE_OF_4_PARTS in effects_text(part, 0, "") and wording.ONE_OF_4_PARTS not in effects_text(
        whole, 0, ""
    )
    told = effects_to_json(part, 0)["effects"][0]
    assert (told["parts"], told["planned_parts"], told["whole"]) == (1, 4, False)
    assert effects_to_json(whole, 0)["effects"][0]["whole"]
    tree = surrogate_tree(ZeroR(), data, method, RunContext(), 1)
    names = "agreement", "constant", "usual", "determination", "sizes"
    fewer = replace(tree, **{name: getattr(tree, name)[:1] for name in names})
    assert wording.ONE_OF_4_PARTS in surrogate_text(fewer, classes, "")
    assert wording.ONE_OF_4_PARTS not in surrogate_text(tree, classes, "")
    assert fewer.to_json(classes)["parts"] == 1 and not fewer.to_json(classes)["whole"]


def test_effects_are_of_attributes_and_groups_of_importance(capsys):
    learner = ["explain", "sample:iris", "--learner", "naive-bayes"]
    assert main([*learner, "--effect", "Species"]) == WRONG_USE
    assert wording.IS_THE_CLASS in capsys.readouterr().err
    for other in (["--effect", "Petal Width"], ["--record", "7"], ["--errors"], ["--surrogate", "2"]):
        assert main([*learner, "--grouped", "0.5", *other]) == WRONG_USE
        assert "--grouped" in capsys.readouterr().err
    assert main([*learner, "--effect", "Petal Width", "--method", "leave-one-out"]) == 1
    assert wording.ONE_RECORD_AT_A_TIME in capsys.readouterr().err


def test_two_columns_at_once(capsys, tmp_path: Path):
    out = tmp_path / "pair.csv"
    pair = ["explain", "sample:iris", "--learner", "naive-bayes", "--effect", "Petal Length, Petal Width"]
    assert main([*pair, "--of-class", "virginica", "--json", "--out", str(out)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["pairs"]
    assert found["attributes"] == ["Petal Length", "Petal Width"]
    surface = found["classes"]["virginica"]["partial_dependence"]
    assert surface[-1][-1] > surface[0][0] + 0.5
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert [float(row["partial_dependence"]) for row in rows] == [value for row in surface for value in row]
    misspelt = "Petal Length,Petal Widht"
    assert main([*pair[:-1], misspelt]) == WRONG_USE
    assert "Petal Width" in capsys.readouterr().err


def test_columns_whose_names_have_commas():
    schema = Schema((numeric("a,b"), numeric("a"), numeric("b"), numeric("b,c")))
    assert effect_columns("a,b", schema) == ("a,b",)
    assert effect_columns("a, b,c", schema) == ("a", "b,c")
    assert effect_columns("a,b,b", schema) == ("a,b", "b")
    with pytest.raises(ParameterError):
        effect_columns("a,a", schema)


def test_a_surrogate_tree_with_its_fidelity(capsys, tmp_path: Path):
    out = tmp_path / "fidelity.csv"
    surrogate = ["explain", "sample:iris", "--learner", "random-forest", "-p", "members=5", "--surrogate", "2"]
    assert main([*surrogate, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert main([*surrogate, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["agreement"] > 0.85 > found["baseline"] + 0.4 and len(found["by_part"]) == 10
    low, high = found["interval"]
    assert low < found["agreement"] < high <= 1
    assert f"{100 * found['agreement']:.1f}%" in text and "Petal" in text
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert float(rows[0]["value"]) == found["agreement"]
    assert [float(row["value"]) for row in rows[2:]] == [one["r_squared"] for one in found["classes"].values()]
    assert main([*surrogate, "--effect", "Petal Width"]) == WRONG_USE
    assert main([*surrogate, "--drop-column"]) == WRONG_USE


def test_shapley_values_of_a_record_add_up_in_words_json_and_file(capsys, tmp_path: Path):
    out = tmp_path / "why.csv"
    question = ["explain", "sample:iris", "--learner", "gradient-boosting:members=10", "--record", "77"]
    assert main([*question, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert main([*question, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["record"] == 77 and found["class"] == "versicolor" and found["folds"] == 10
    for quantity in (found["probability"], found["log_odds"]):
        total = quantity["base"] + sum(one["shapley"] for one in quantity["attributes"])
        assert abs(total - quantity["prediction"]) < 1e-9 and quantity["words"] in text
    assert found["log_odds"]["computed_by"] == "trees" and found["log_odds"]["against"] == "virginica"
    assert found["probability"]["computed_by"] == "enumeration" and found["probability"]["background"] == 100
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert [row["value"] for row in rows[:4]] == [one["value"] for one in found["probability"]["attributes"]]
    assert [float(row["log_odds"]) for row in rows[:4]] == [one["shapley"] for one in found["log_odds"]["attributes"]]
    assert float(rows[-1]["probability"]) == found["probability"]["prediction"]
    assert main([*question, "--of-class", "setosa", "--background", "7", "--json"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert other["class"] == "setosa" and other["probability"]["background"] == 7


def test_paths_of_trees_need_no_background_and_wrong_questions_are_named(capsys):
    question = ["explain", "sample:iris", "--learner", "c4.5", "--record"]
    assert main([*question, "77", "--background", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["log_odds"] is None and found["probability"]["computed_by"] == "path-dependent"
    assert main([*question, "151"]) == 1
    assert "151" in capsys.readouterr().err
    assert main([*question, "7", "--effect", "Petal Length"]) == WRONG_USE
    assert main([*question[:-1], "--background", "9"]) == WRONG_USE
    assert main(["explain", "sample:iris", "--learner", "naive-bayes", "--record", "7", "--background", "0"]) != 0


def test_errors_are_grouped_rated_and_suspected(capsys, tmp_path: Path):
    out = tmp_path / "errors.csv"
    learner = ["explain", "sample:breast-cancer", "--learner", "naive-bayes", "--out", str(out)]
    assert main([*learner, "--errors", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    (group, *_others) = said["groups"]
    assert said["sentence"] and said["decision_rule"]
    (row, *_rest) = csv.DictReader(out.read_text("utf-8").splitlines())
    assert group["p_adjusted"] <= 0.05 and int(row["records"]) == group["records"]
    assert group["error"]["value"] > 5 * group["error_elsewhere"]["value"]
    assert main([*learner, "--errors"]) == 0
    assert group["remedy"] in capsys.readouterr().out
    assert main([*learner, "--errors-by", "Radius (worst)", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    parts = said["parts"]
    assert said["sentence"] and main([*learner, "--groups", "Diagnosis"]) != 0
    assert evaluation.IS_THE_CLASS in capsys.readouterr().err
    assert sum(part["records"] for part in parts) == 569
    assert main([*learner, "--groups", "Radius (worst)", "--of-class", "benign", "--json"]) == 0
    rates = json.loads(capsys.readouterr().out)
    assert rates["class"] == "benign" and rates["p_base_rates"] < 0.001
    assert main([*learner, "--label-errors", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sum(map(sum, found["confident_joint"])) <= 569 and found["label_errors"] == []


def test_one_question_about_errors_at_a_time(capsys):
    learner = ["explain", "sample:iris", "--learner", "naive-bayes"]
    assert main([*learner, "--errors", "--label-errors"]) == WRONG_USE
    assert main([*learner, "--errors", "--repeats", "2"]) == WRONG_USE
    assert main([*learner, "--errors-by", "Petal"]) == WRONG_USE
    assert "Petal Width" in capsys.readouterr().err


def test_the_smallest_changes_of_a_record_flip_its_prediction_in_words_json_and_file(capsys, tmp_path: Path):
    out = tmp_path / "changes.csv"
    question = ["explain", "sample:iris", "--learner", "naive-bayes", "--record", "1", "--change"]
    assert main([*question, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert main([*question, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["record"] == 1 and found["class"] == "setosa" and found["folds"] == 10 and found["fixed"] == []
    assert [len(change["attributes"]) for change in found["changes"]] == [2, 3]
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    parts = [part for change in found["changes"] for part in change["attributes"]]
    assert [(row["attribute"], row["to"]) for row in rows] == [(part["attribute"], part["to"]) for part in parts]
    for change in found["changes"]:
        assert change["prediction"] != "setosa"
        assert sum(part["distance"] for part in change["attributes"]) == pytest.approx(change["distance"])
        assert ", ".join(f"{part['attribute']}: {part['from']} → {part['to']}" for part in change["attributes"]) in text
    fixed = "Petal Width, Petal Length"
    assert main([*question, "--fixed", fixed, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fixed"] == ["Petal Width", "Petal Length"]
    changed = {part["attribute"] for change in found["changes"] for part in change["attributes"]}
    assert changed <= {"Sepal Length", "Sepal Width"}
    assert main([*question, "--fixed", "Age"]) != 0
    assert main([*question, "--background", "9"]) == WRONG_USE
    assert main([*question[:-3], "--change"]) == WRONG_USE
    assert main([*question[:-1], "--fixed", "Petal Width"]) == WRONG_USE
