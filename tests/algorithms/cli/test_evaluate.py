"""Judging learners on the command line."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.record_costs import RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.evaluation.compare.comparison import ahead_of_baseline, beside_baseline
from algorithms.evaluation.costs.decision_rules import NestedThreshold
from algorithms.evaluation.curves.roc import ScoredClass
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.report import OWN_COSTS
from algorithms.evaluation.runner import evaluate
from tests.algorithms.cli.program import IRIS
from tests.expected_texts import cli as wording
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as evaluation_wording


def test_evaluate_prints_one_strict_json_object_with_everything(capsys, table, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text(",no,yes\nno,0,1\nyes,5,0\n", encoding="utf-8")
    code = main(["evaluate", str(table), "--learner", "zero-r", "--costs", str(costs), "--json", "--seed", "3"])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    found = json.loads(printed.out, parse_constant=pytest.fail)
    needed = "accuracy error_rate interval kappa auc confusion classes per_class total_cost seconds model n baseline"
    keys = f"{needed} learner method seed warnings"
    assert set(keys.split()) <= set(found)
    assert set(found["seconds"]) == {"load", "fit", "predict", "total"}
    assert found["classes"] == ["no", "yes"]
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["confusion"] == [[20, 0], [10, 0]]
    assert found["total_cost"] == 50
    assert found["per_class"][1]["precision"] is None
    assert found["seed"] == 3
    assert found["method"]["id"] == "cross-validation"


def test_evaluate_compares_with_the_baseline_by_the_paired_test_of_the_project(capsys):
    """It went by the interval of the accuracy, the window by the test."""
    result = evaluate(
        builtin().learners.get("c4.5")(),
        builtin().samples.get("breast-cancer").make(None, 1, RunContext(seed=1)),
        CrossValidation(),
        RunContext(seed=1),
    )
    ahead = ahead_of_baseline(result)
    assert main(["evaluate", "sample:breast-cancer", "--learner", "c4.5"]) == 0
    assert ahead is not None and beside_baseline(report(result), ahead, "fold") in capsys.readouterr().out


def test_evaluate_has_the_verdict_against_the_baseline_in_json_too(capsys):
    arguments = ("evaluate", "sample:breast-cancer", "--learner", "c4.5")
    assert main([*arguments, "--json"]) == 0
    of_json = json.loads(capsys.readouterr().out)["against_baseline"]
    assert main(arguments) == 0
    sentence = of_json["sentence"]
    assert f"{sentence[0].lower()}{sentence[1:]}" in capsys.readouterr().out
    assert of_json["verdict"] == "better" and of_json["p_value"] < 0.05
    data = builtin().samples.get("breast-cancer").make(None, 1, RunContext(seed=1))
    ahead = ahead_of_baseline(evaluate(builtin().learners.get("c4.5")(), data, CrossValidation(), RunContext(seed=1)))
    assert ahead is not None and ahead.paired is not None
    assert (of_json["p_value"], of_json["difference"]) == (ahead.p_value, ahead.paired.difference)
    assert of_json["interval"] == list(ahead.interval)
    low, high = of_json["interval"]
    assert 0 < low < of_json["difference"] < high < 1
    assert main([*arguments, "--json", "--method", "training-set"]) == 0
    assert json.loads(capsys.readouterr().out)["against_baseline"] is None


def test_evaluate_has_the_cost_with_the_threshold_chosen_on_the_other_folds(capsys, tmp_path):
    costs = tmp_path / "costs.json"
    costs.write_text("[[0, 1], [10, 0]]", encoding="utf-8")
    arguments = ("evaluate", "sample:breast-cancer", "--learner", "naive-bayes", "--json")
    data = builtin().samples.get("breast-cancer").make(None, 1, RunContext(seed=1))
    for method, parts, n in (("cross-validation:folds=5", "folds", 5), ("holdout", "halves", 2)):
        assert main([*arguments, "--method", method, "--costs", str(costs)]) == 0
        values = json.loads(capsys.readouterr().out)
        cheapest = values["cheapest_threshold"]
        nested = cheapest["chosen_on_other_folds"]
        assert (nested["parts"], len(nested["thresholds"])) == (parts, n)
        assert cheapest["total_cost"] <= min(values["total_cost"], nested["total_cost"])
        kind = CrossValidation(folds=5) if n == 5 else Holdout()
        result = evaluate(builtin().learners.get("naive-bayes")(), data, kind, RunContext(seed=1))
        scored = ScoredClass.of(result, result.classes.index(cheapest["class"]))
        table = RecordCosts(np.array([[0.0, 1.0], [10.0, 0.0]]))
        least, elsewhere = scored.cheapest(table), NestedThreshold.of(scored, result, table)
        assert (cheapest["threshold"], cheapest["total_cost"]) == (least.threshold, least.total)
        assert elsewhere is not None
        assert (nested["thresholds"], nested["total_cost"]) == (list(elsewhere.thresholds), elsewhere.total)
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["cheapest_threshold"] is None


COSTS = ((0, 1), (5, 0))


@pytest.mark.parametrize("given", ["cost-sensitive", "metacost", "chosen-threshold", "bagging"])
def test_evaluate_prints_the_cost_under_the_costs_of_the_learner(capsys, table, tmp_path, given):
    name = "base.costs" if given == "bagging" else "costs"
    base = ("-p", "base=cost-sensitive", "-p", "members=2") if given == "bagging" else ()
    learner = ("--learner", given, *base, "-p", f"{name}=0 1; 5 0")
    assert main(["evaluate", str(table), *learner, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    cost = float((np.array(found["confusion"]) * COSTS).sum())
    assert (found["total_cost"], found["costs"]) == (cost, "learner")
    assert found["cost_per_record"] == pytest.approx(cost / found["n"])
    assert main(["evaluate", str(table), *learner]) == 0
    text = capsys.readouterr().out
    assert OWN_COSTS in text and f"{cost:g} in total" in text
    costs = tmp_path / "costs.csv"
    costs.write_text(",no,yes\nno,0,2\nyes,10,0\n", encoding="utf-8")
    assert main(["evaluate", str(table), *learner, "--costs", str(costs), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["total_cost"] == 2 * cost and "costs" not in found, "the file goes before"


def test_evaluate_asks_no_costs_of_all_classes_of_a_learner_for_one_class_against_the_rest(capsys):
    learner = ("--learner", "one-vs-rest", "-p", "base=cost-sensitive", "-p", "base.costs=0 1; 5 0")
    assert main(["evaluate", "sample:iris", *learner, "--json"]) == 0
    assert "costs" not in json.loads(capsys.readouterr().out)


def test_evaluate_says_the_verdict_first_and_shows_the_labels(capsys):
    assert main(["evaluate", "sample:iris", "--learner", "c4.5"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("Accuracy 9")
    assert "predicted versicolor" in printed.out
    assert "actual virginica" in printed.out
    assert wording.TEN_FOLDS_AND_SEED in printed.out
    assert re.search(wording.SIZE_PATTERN, printed.out)
    assert printed.err == ""


def test_one_leaf_is_not_said_to_be_leaves(capsys):
    assert main(["evaluate", "sample:iris", "--learner", "c4.5", "-p", "min_leaf=150"]) == 0
    assert wording.ONE_LEAF in capsys.readouterr().out


def test_the_same_seed_prints_the_same_numbers_on_any_number_of_threads(capsys):
    found = []
    for threads in ("1", "2", "4"):
        assert main([*IRIS[:3], "c4.5", "--json", "--threads", threads, "--seed", "5"]) == 0
        values = json.loads(capsys.readouterr().out)
        del values["seconds"]
        found.append(values)
    assert found[0] == found[1] == found[2]


def test_parameters_and_filters_and_method_are_typed(capsys, table):
    argv = ["evaluate", str(table), "--learner", "c4.5", "-p", "confidence=0.1", "-p", "min_leaf=3", "--json"]
    argv += ["--method", "holdout:percent=50,stratified=false", "--filter", "remove-attributes:columns=group,x"]
    argv += ["--filter", "replace-missing"]
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["learner"]["parameters"]["confidence"] == 0.1
    assert found["learner"]["parameters"]["min_leaf"] == 3
    assert found["method"] == {"id": "holdout", "parameters": {"percent": 50.0, "stratified": False}}
    assert found["filters"][0] == {"id": "remove-attributes", "parameters": {"columns": ["group", "x"]}}
    assert found["n"] == 15


@pytest.mark.parametrize(
    "method",
    [
        "training-set",
        "holdout:percent=66",
        "repeated-holdout:percent=66,repeats=3",
        "cross-validation:folds=3,repeats=2",
        "leave-one-out",
        "bootstrap-632:samples=5",
        "bootstrap-632-plus:samples=5",
        "complete-cross-validation:size=1",
        "time-holdout:column=x,percent=50",
        "group-holdout:column=group",
        "group-cross-validation:column=x,folds=2",
        "marked-parts:column=group,train=0",
    ],
)
def test_every_method_is_there(capsys, table, method):
    assert main(["evaluate", str(table), "--learner", "zero-r", "--method", method, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["method"]["id"] == method.partition(":")[0]
    assert found["honest"] == (not method.startswith("training-set"))


def test_test_file_without_a_file_is_a_wrong_use(capsys):
    assert main([*IRIS, "--method", "test-file"]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", wording.TEST_FILE_NEEDS_A_FILE)


def test_a_folder_to_save_in_that_is_not_there_is_noticed_before_any_work(capsys, tmp_path):
    nowhere = tmp_path / "absent" / "model"
    assert main(["evaluate", str(tmp_path / "unread.csv"), "--learner", "zero-r", "--save", str(nowhere)]) == 1
    assert capsys.readouterr().err == wording.no_folder_to_write(nowhere)


def test_test_file_with_one_class_is_judged(capsys, tmp_path):
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("x,class\n" + "".join(f"{i},{i % 2}\n" for i in range(30)), encoding="utf-8")
    test.write_text("x,class\n0.5,1\n1.5,1\n", encoding="utf-8")
    code = main(["evaluate", str(train), "--learner", "zero-r", "--method", f"test-file:path={test}", "--json"])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    assert json.loads(printed.out)["confusion"] == [[0, 0], [2, 0]]


def test_test_file_is_read_and_its_differences_are_warnings(capsys, table, tmp_path):
    other = tmp_path / "other, 2.csv"
    other.write_text("answer,group,colour,x,more\nno,1,red,0.1,4\nyes,0,mauve,12,5\n", encoding="utf-8")
    assert main(["evaluate", str(table), "--learner", "c4.5", "--json", "--method", f"test-file:path={other}"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n"] == 2
    assert any("mauve" in warning["sentence"] for warning in found["warnings"])
    assert any(core_wording.is_new("more") in warning["sentence"] for warning in found["warnings"])


def test_the_class_is_chosen_by_name_and_whole_numbers_serve_as_labels(capsys, table):
    for column, classes in (("colour", {"red", "blue"}), ("group", {"0", "1"})):
        assert main(["evaluate", str(table), "--learner", "zero-r", "--class", column, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["class"] == column
        assert set(found["classes"]) == classes


def test_generated_samples_take_size_and_seed(capsys):
    registry = builtin()
    id = next(sample.id for sample in registry.samples if sample.generated)
    assert main(["evaluate", f"sample:{id}:size=200,seed=2", "--learner", "zero-r", "--json"], registry) == 0
    assert json.loads(capsys.readouterr().out)["n"] <= 200


def test_shuffle_says_whether_it_may_be_luck_with_a_histogram(capsys):
    argv = ["evaluate", "sample:iris", "--learner", "decision-stump", "--method", "holdout", "--shuffle", "19"]
    assert main(argv) == 0
    printed = capsys.readouterr().out
    assert evaluation_wording.NONE_OF_19_BY_ACCURACY in printed
    assert wording.THIS_RUN in printed
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["shuffle"]
    assert found["p_value"] == (found["as_good"] + 1) / (found["shuffled"] + 1) == 0.05
    assert len(found["accuracies"]) == found["planned"] == 19


def test_shuffle_goes_by_the_measure_that_is_asked_for_and_says_the_others(capsys):
    argv = ["evaluate", "sample:iris", "--learner", "decision-stump", "--method", "holdout"]
    assert main([*argv, "--shuffle", "19:measure=auc"]) == 0
    printed = capsys.readouterr().out
    assert evaluation_wording.NONE_OF_19_BY_AUC in printed and wording.AUC_ON_SHUFFLED in printed
    assert wording.BY_OTHER_MEASURES in printed
    assert main([*argv, "--shuffle", "19:measure=auc", "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["shuffle"]
    assert found["measure"] == "auc" and found["p_value"] == found["measures"]["auc"]["p_value"]
    assert set(found["measures"]) == {"accuracy", "auc", "balanced-accuracy", "kappa", "mcc"}
    assert found["accuracies"] == found["measures"]["accuracy"]["scores"]
    for wrong in ("19:measure=luck", "0", "many", "19:n=3"):
        assert main([*argv, "--shuffle", wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_shuffle_reads_each_file_once_and_says_once_how(capsys, tmp_path):
    rows = "".join(f"{i % 4},5 %;{'p' if i % 4 < 2 else 'q'}\n" for i in range(24))
    training, testing = tmp_path / "training.csv", tmp_path / "testing.csv"
    for path in (training, testing):
        path.write_text(f"a;b\n{rows}")
    argv = ["evaluate", str(training), "--learner", "one-r", "--shuffle", "5"]
    assert main([*argv, "--method", f"test-file:path={testing}"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("training.csv: ") for line in told) == 1
    assert sum(line.startswith("testing.csv: ") for line in told) == 1


def test_shuffle_needs_the_table_in_memory(capsys, table):
    assert main(["evaluate", str(table), "--learner", "c4.5", "--in-pieces", "--shuffle", "9"]) == 2
    assert "--shuffle" in capsys.readouterr().err


def test_tested_records_of_another_kind_are_noted(capsys, tmp_path):
    lines = [f"{at / 8},{at % 7 + 40 * (at >= 60)},{'ny'[at % 2]}" for at in range(100)]
    drifting = tmp_path / "drifting.csv"
    drifting.write_text("\n".join(["day,level,class", *lines]), encoding="utf-8")
    argv = ["evaluate", str(drifting), "--learner", "zero-r", "--json", "--method"]
    assert main([*argv, "time-holdout:column=day,percent=60"]) == 0
    [noted] = [each for each in json.loads(capsys.readouterr().out)["warnings"] if each["id"] == "drift"]
    assert noted["sentence"] == wording.LEVEL_OF_ANOTHER_KIND
    assert wording.LEVEL_DIFFERS in noted["why"] and "day (" not in noted["why"]
    assert noted["remedy"] == wording.LEAVE_LEVEL_OUT
    assert main([*argv, "holdout"]) == 0
    assert not any(each["id"] == "drift" for each in json.loads(capsys.readouterr().out)["warnings"])


# ---- files of costs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    [
        ["cost-sensitive:by=weights,costs=FILE"],
        ["cost-sensitive", "-p", "by=weights", "-p", "costs=FILE"],
        ["bagging:members=3", "-p", "base=cost-sensitive", "-p", "base.by=weights", "-p", "base.costs=FILE"],
    ],
)
def test_a_file_of_costs_is_read_where_an_option_is_a_cost_matrix(capsys, table, tmp_path, typed):
    costs = tmp_path / "costs.csv"
    costs.write_text(",yes,no\nyes,0,5\nno,1,0\n", encoding="utf-8")  # not in the order of the classes
    found = []
    for text in (str(costs), "0 1; 5 0"):
        words = [word.replace("FILE", text) for word in typed]
        assert main(["evaluate", str(table), "--json", "--method", "holdout", "--learner", *words]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["learner"] == found[1]["learner"]
    assert "5.0" in json.dumps(found[0]["learner"])
    words = [word.replace("FILE", str(costs)) for word in typed]
    assert main(["curve", str(table), "--sizes", "50%,100%", "--json", "--learner", *words]) == 0
    assert main(["compare", str(table), "--json", "--learner", "zero-r", "--learner", *words]) == 0


def test_a_file_of_costs_for_other_classes_is_refused_before_any_fit(capsys, table, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text(",a,b\na,0,5\nb,1,0\n", encoding="utf-8")
    assert main(["evaluate", str(table), "--learner", f"cost-sensitive:costs={costs}"]) == 1
    assert evaluation_wording.no_costs_for("no") in capsys.readouterr().err
    assert main(["evaluate", str(table), "--learner", f"cost-sensitive:costs={costs}", "--save", str(costs)]) == 2
    assert main(["evaluate", str(table), "--learner", "bagging:base=metacost,base.costs=no.csv"]) == 2
    assert wording.FILE_OF_COSTS_NOT in capsys.readouterr().err
    assert main(["list", "learners", "metacost"]) == 0
    assert wording.FILE_OF_COSTS in " ".join(capsys.readouterr().out.split())
