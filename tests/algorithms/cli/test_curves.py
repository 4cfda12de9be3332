"""Curves on the command line: in the answer, as one JSON object, in files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from algorithms.cli import main
from algorithms.evaluation.curves.curve_kinds import CURVES
from tests.algorithms.cli.program import IRIS
from tests.expected_texts import cli as wording

C45 = [*IRIS[:3], "c4.5"]


def test_curves_are_listed_with_how_they_are_read(capsys):
    assert main(["list", "curves", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["curves"]
    assert [each["id"] for each in found] == [kind.id for kind in CURVES]
    assert {"bins", "binning"} == {
        p["name"] for each in found if each["id"] == "calibration" for p in each["parameters"]
    }


def test_every_curve_of_any_class_is_in_the_json(capsys):
    wanted = [word for kind in CURVES for word in ("--curve", kind.id)]
    assert main([*C45, "--json", *wanted, "--curve-class", "setosa", "--curve-class", "virginica"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["curves"]
    assert [(each["class"], each["id"]) for each in found] == [
        (label, kind.id) for label in ("setosa", "virginica") for kind in CURVES
    ]
    roc = found[0]
    assert roc["value_is"] == "AUC" and 0.9 < roc["value"] <= 1
    assert roc["points"]["Recall (TPR)"][0] == 1 and roc["points"]["Recall (TPR)"][-1] == 0


def test_curves_are_written_to_a_folder_and_summed_up_in_words(capsys, tmp_path: Path):
    command = [*C45, "--curve", "lift", "--curve", "calibration:bins=4", "--curve-out", str(tmp_path)]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "Lift, " in said and wording.CALIBRATION_ERROR in said and f"saved in {tmp_path}" in said
    rows = list(csv.reader((tmp_path / "calibration.csv").read_text("utf-8").splitlines()))
    said = wording.AVERAGE_PROBABILITY
    assert rows[0] == ["Class", "From", "To", said, "Observed frequency", "At least", "At most", "Records"]
    assert sum(float(row[-1]) for row in rows[1:]) == 150
    assert (tmp_path / "lift.csv").read_text("utf-8").startswith("Class,Threshold,Records taken,Lift\n")


def test_formulas_are_neutralised_in_curves_and_contests(capsys, tmp_path: Path):
    table, out = tmp_path / "t.csv", tmp_path / "contest.csv"
    lines = [f"{at},{'=yes' if at % 3 else '-no'}" for at in range(30)]
    table.write_text("\n".join(["x,class", *lines]), encoding="utf-8")
    words = ["evaluate", str(table), "--learner", "c4.5", "--curve", "roc", "--curve-class", "=yes", "--curve-out"]
    for more, label in ([], "=yes"), (["--neutralise-formulas"], "'=yes"):
        assert main([*words, str(tmp_path), *more]) == 0
        rows = list(csv.reader((tmp_path / "roc.csv").read_text("utf-8").splitlines()))
        assert {row[0] for row in rows[1:]} == {label}
    two = ["compare", "sample:iris", "--learner", "c4.5", "--learner", "zero-r"]
    assert main([*two, "--neutralise-formulas", "--out", str(out)]) == 0
    assert "fold,c4.5,zero-r\n" in out.read_text("utf-8")
    capsys.readouterr()
    for verb in (two, words[:-5]):
        assert main([*verb, "--neutralise-formulas"]) == 2
        assert wording.CHANGES_CSV_ONLY in capsys.readouterr().err


def test_threshold_curve_follows_the_costs(capsys, tmp_path: Path):
    costs = tmp_path / "costs.csv"
    costs.write_text("0,1,1\n1,0,9\n1,9,0\n", encoding="utf-8")
    values = []
    for more in ([], ["--costs", str(costs)]):
        assert main([*C45, "--json", "--curve", "threshold:measure=cost", *more]) == 0
        values.append(json.loads(capsys.readouterr().out)["curves"][0]["value"])
    assert values[1] > values[0] > 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--curve", "rock"], 2, wording.did_you_mean("roc")),
        (["--curve", "roc:bins=3"], 2, "bins"),
        (["--curve", "calibration:bins=1"], 2, "2 to 100"),
        (["--curve-class", "setosa"], 2, "need --curve"),
        (["--curve", "roc", "--curve-out", "no such folder"], 1, wording.NO_SUCH_FOLDER),
        (["--curve", "roc", "--curve-class", "rose"], 2, wording.NO_CLASS_ROSE),
    ],
)
def test_wrong_use_of_curves_is_said_in_one_line(capsys, words, code, said):
    assert main([*C45, *words]) == code
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1


def test_beta_and_weights_are_given_on_the_command_line(capsys):
    assert main([*C45, "--json", "--measure", "beta=0.5", "--measure", "alarm=0", "--measure", "cleared=0"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["measures"]["beta"] == 0.5
    for each in found["per_class"]:
        assert each["f_beta"] == pytest.approx(each["f05"])
        assert each["weighted_accuracy"] == pytest.approx(each["recall"])
    assert {"auc_one_vs_one", "relative_absolute_error", "top_2_accuracy", "bits_saved"} <= set(found)
    assert main([*C45, "--json", "--measure", "beta=0"]) == 2
