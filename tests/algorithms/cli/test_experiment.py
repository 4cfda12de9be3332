"""Experiments on the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.experiments.experiment import Experiment, ExperimentData
from algorithms.experiments.experiment_file import CellState, ExperimentFile
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.cli.program import ROOT
from tests.algorithms.experiments.grids import numbers
from tests.expected_texts import experiments as wording

TWO = ["--learner", "c4.5", "-p", "min_leaf=5", "--learner", "zero-r"]
FOLDS = ["--method", "cross-validation:folds=3"]


@pytest.fixture
def place(tmp_path) -> str:
    return str(tmp_path / "grid.coppice-experiment")


@pytest.fixture
def small(tmp_path) -> str:
    path = tmp_path / "small.csv"
    path.write_text("\n".join(["x,class", *(f"{i},{'yes' if i > 17 else 'no'}" for i in range(36)), ""]))
    return str(path)


def shown(capsys, place: str, *more: str) -> dict:
    capsys.readouterr()
    assert main(["experiment", "show", place, "--json", *more]) == 0
    values: dict = json.loads(capsys.readouterr().out)
    return values


def test_an_experiment_runs_and_tells_its_comparison(capsys, place):
    argv = ["experiment", "run", place, "sample:iris", "sample:wine", *TWO, *FOLDS, "--seed", "1", "--seed", "2"]
    assert main(argv) == 0
    printed = capsys.readouterr().out
    assert "mean rank" in printed and wording.EIGHT_OF_8 in printed and wording.WON_DRAWN_LOST in printed
    values = shown(capsys, place, "--baseline", "zero-r")
    assert values["learners"] == ["c4.5", "zero-r"] and len(values["cells"]) == 8
    assert values["against_baseline"][0]["won"] == 2
    assert {cell["state"] for cell in values["cells"]} == {"done"}
    assert all(cell["model"] for cell in values["cells"] if cell["learner"] == "c4.5")


def test_a_cell_has_the_numbers_of_evaluate(capsys, place, small):
    assert main(["experiment", "run", place, small, *TWO, *FOLDS, "--seed", "5", "--steps", "discretize"]) == 0
    cell = shown(capsys, place)["cells"][0]
    argv = ["evaluate", small, "--learner", "c4.5", "-p", "min_leaf=5", *FOLDS, "--seed", "5", "--filter", "discretize"]
    assert main([*argv, "--json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert cell["measures"]["accuracy"] == alone["accuracy"] and cell["measures"]["auc"] == alone["auc"]
    assert cell["model"]["leaves"] == alone["model"]["leaves"]


def test_costs_are_those_of_evaluate_and_a_data_set_takes_the_file_with_its_classes(capsys, place, small, tmp_path):
    costs, others = tmp_path / "costs.csv", tmp_path / "others.csv"
    costs.write_text(",no,yes\nno,0,1\nyes,7,0\n")
    others.write_text(",a,b\na,0,1\nb,2,0\n")
    assert main(["experiment", "run", place, small, "sample:iris", *TWO, *FOLDS, "--seed", "5"]) == 0
    argv = ["evaluate", small, "--learner", "zero-r", *FOLDS, "--seed", "5", "--costs", str(costs), "--json"]
    capsys.readouterr()
    assert main(argv) == 0
    alone = json.loads(capsys.readouterr().out)
    assert alone["total_cost"] > 0
    values = shown(capsys, place, "--costs", str(others), "--costs", str(costs))
    cell = next(cell for cell in values["cells"] if (cell["data"], cell["learner"]) == ("small", "zero-r"))
    assert (cell["measures"]["cost"], cell["measures"]["total-cost"]) == (alone["cost_per_record"], alone["total_cost"])
    of_small, of_iris = values["scores"]["values"]
    assert of_small[1] == alone["cost_per_record"] and of_iris == [None, None]
    rows = shown(capsys, place, "--costs", str(costs), "--table", "cells", "--measure", "total-cost")
    assert [row["total-cost"] for row in rows if row["learner"] == "zero-r"] == [alone["total_cost"], None]
    assert main(["experiment", "show", place, "--costs", str(others)]) == 1
    assert wording.NO_COSTS_FOR_CLASS in capsys.readouterr().err


def test_costs_without_labels_are_for_one_list_of_classes(capsys, place, small, tmp_path):
    bare, others = tmp_path / "bare.csv", tmp_path / "others.csv"
    bare.write_text("0,1\n7,0\n")
    others.write_text(",a,b\na,0,1\nb,2,0\n")
    argv = ["experiment", "run", place, small, *TWO, *FOLDS]
    absent = ["experiment", "show", place, "--costs", str(tmp_path / "absent.csv")]
    ExperimentFile.create(
        place, Experiment((ExperimentData(small),), (ZeroR(),), methods=(CrossValidation(),)), builtin()
    ).close()
    assert main(["experiment", "show", place, "--costs", str(bare)]) == 0
    assert main(absent) == 1 and wording.NO_SUCH_FILE in capsys.readouterr().err
    Path(place).unlink()
    assert main(argv) == 0
    assert shown(capsys, place, "--costs", str(bare))["scores"]["values"][0][0] is not None
    assert main([*absent, "--costs", str(bare)]) == 1
    assert main(["experiment", "show", place, "--costs", str(bare), "--costs", str(others)]) == 1
    assert wording.NO_CLASS_LABELS in capsys.readouterr().err
    assert main(["experiment", "add", place, "sample:iris"]) == 0
    assert main(["experiment", "resume", place]) == 0
    assert main(["experiment", "show", place, "--costs", str(bare)]) == 1
    assert wording.NO_CLASS_LABELS in capsys.readouterr().err
    assert shown(capsys, place, "--costs", str(bare), "--where", "data=small")["rows"]


def test_each_file_tells_why_it_has_no_costs_and_results_are_read_once(capsys, place, small, tmp_path, monkeypatch):
    costs = [tmp_path / name for name in ("one.csv", "two.csv")]
    for number, path in enumerate(costs):
        path.write_text(f",a{number},b\na{number},0,1\nb,2,0\n")
    assert main(["experiment", "run", place, small, *TWO, *FOLDS]) == 0
    of_files = [word for path in costs for word in ("--costs", str(path))]
    assert main(["experiment", "show", place, *of_files]) == 1
    error = capsys.readouterr().err
    assert error.count(wording.NO_COSTS_FOR_CLASS) == 2 and "one.csv" in error and "two.csv" in error
    costs[0].write_text(",no,yes\nno,0,1\nyes,7,0\n")
    read, result = list[object](), ExperimentFile.result
    monkeypatch.setattr(ExperimentFile, "result", lambda file, cell: read.append(cell) or result(file, cell))
    assert all("cost" in cell["measures"] for cell in shown(capsys, place, *of_files)["cells"]) and len(read) == 2
    published = tmp_path / "published.csv"
    published.write_text("name,svm,tree\nsmall,96,97\n")
    assert main(["experiment", "show", place, *of_files, "--beside", str(published)]) == 1
    assert wording.PUBLISHED_ACCURACIES in capsys.readouterr().err


def test_a_missing_file_fails_its_cells_only_and_is_tried_again(capsys, place, small, tmp_path):
    absent = tmp_path / "absent.csv"
    assert main(["experiment", "run", place, str(absent), small, *TWO, *FOLDS]) == 1
    printed = capsys.readouterr()
    assert wording.ABSENT_LEFT_OUT in printed.err and wording.TWO_OF_4 in printed.out
    absent.write_text("\n".join(["x,class", *(f"{i % 5},{'ab'[i % 2]}" for i in range(30)), ""]))
    assert main(["experiment", "resume", place]) == 0
    assert wording.FOUR_OF_4 in capsys.readouterr().out


def test_resume_reads_files_that_only_the_experiment_names_once_they_are_allowed(capsys, tmp_path, small):
    (tmp_path / "mail").mkdir()
    place = tmp_path / "mail" / "letter.coppice-experiment"
    experiment = Experiment((ExperimentData(small),), (ZeroR(),), methods=(CrossValidation(folds=3),))
    ExperimentFile.create(place, experiment, builtin()).close()
    assert main(["experiment", "resume", str(place)]) == 1
    said = capsys.readouterr().err
    assert small in said and wording.ONLY_THE_EXPERIMENT_NAMES in said and wording.ADD_ALLOW in said
    assert [cell["state"] for cell in shown(capsys, str(place))["cells"]] == ["waiting"]
    assert main(["experiment", "resume", str(place), "--allow"]) == 0
    assert [cell["state"] for cell in shown(capsys, str(place))["cells"]] == ["done"]


def test_cells_are_added_repeated_and_left_out(capsys, place, small):
    assert main(["experiment", "run", place, small, *TWO, *FOLDS]) == 0
    assert main(["experiment", "add", place, "sample:iris", "--learner", "cart", "--search", "max_depth=1,3"]) == 0
    assert wording.FOUR_ADDED in capsys.readouterr().out
    assert main(["experiment", "leave-out", place, "--where", "data=sample:iris", "--where", "learner=zero-r"]) == 0
    assert main(["experiment", "resume", place]) == 0
    states = [cell["state"] for cell in shown(capsys, place)["cells"]]
    assert states.count("done") == 5 and states.count("left out") == 1
    assert main(["experiment", "put-back", place]) == 0
    Path(small).write_text(Path(small).read_text().replace("35,yes", "35,no"))
    assert main(["experiment", "repeat", place, "--where", "data=small"]) == 0
    assert wording.THREE_WAIT in capsys.readouterr().out
    assert main(["experiment", "resume", place]) == 0
    assert {cell["state"] for cell in shown(capsys, place)["cells"]} == {"done"}


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["run", "{}", *TWO], 2, wording.NO_DATA_SET),
        (["run", "{}", "sample:iris"], 2, wording.NO_LEARNER),
        (["run", "{}", "sample:iris", "--learner", "c4.5", "--method", "test-file"], 2, wording.NEEDS_A_TEST_FILE),
        (["run", "{}", "sample:iris", "--search", "k=1,2"], 2, wording.COMES_BEFORE_A_LEARNER),
        (["resume", "{}"], 1, wording.NO_SUCH_FILE),
        (["add", "{}"], 2, wording.NAME_WHAT_TO_ADD),
        (["leave-out", "{}"], 2, wording.NAME_THE_CELLS),
        (["show", "{}", "--table", "baseline"], 2, "--baseline"),
        (["show", "{}", "--sort", "x"], 2, "--table cells"),
        (["show", "{}", "--measure", "cost"], 2, "--costs"),
        (["show", "{}", "--measure", "auc", "--costs", "costs.csv"], 2, "--measure"),
        (["show", "{}"], 1, wording.NO_SUCH_FILE),
    ],
)
def test_wrong_use_ends_in_one_line(capsys, place, argv, code, words):
    assert main(["experiment", *(word.format(place) for word in argv)]) == code
    printed = capsys.readouterr()
    assert words in printed.err and printed.err.count("\n") == 1 and printed.out == ""


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "tex", "html"])
@pytest.mark.parametrize("table", ["scores", "pairs", "wins", "baseline", "cells"])
def test_every_table_is_exported_in_every_format(capsys, tmp_path, table, suffix, request):
    place = request.getfixturevalue("compared")
    out = tmp_path / f"out.{suffix}"
    argv = ["experiment", "show", place, "--table", table, "--baseline", "zero-r", "--export", str(out)]
    assert main(argv) == 0
    assert out.stat().st_size > 50 and (suffix == "xlsx" or "zero-r" in out.read_text())


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> str:
    """An experiment that compare kept."""
    place = str(tmp_path_factory.mktemp("kept") / "kept.coppice-experiment")
    assert main(["compare", "sample:iris", "sample:wine", *TWO, *FOLDS, "--keep", place]) == 0
    return place


def test_compare_keeps_an_experiment_with_the_same_numbers(capsys, compared):
    assert main(["compare", "sample:iris", "sample:wine", *TWO, *FOLDS, "--json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    values = shown(capsys, compared)
    for key in ("headline", "accuracy", "places", "pairs", "tests"):
        assert values[key] == alone[key]
    assert main(["compare", "sample:iris", *TWO, "--keep", compared]) == 1
    assert wording.EXISTS_ALREADY in capsys.readouterr().err


def test_a_table_from_elsewhere_is_compared(capsys, tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("data set,size,a,b\n" + "".join(f"s{i},500,{60 + i},{70 - i}\n" for i in range(8)))
    assert main(["experiment", "show", str(path)]) == 0
    assert wording.SIGNIFICANTLY_WON in capsys.readouterr().out
    assert main(["experiment", "show", str(path), "--table", "wins", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[1]["a"] == "3-5-0", "by hand: |Z| is 3.32, 2.65, 1.99, 1.32 for b, then at most 1.31 for either"
    assert main(["experiment", "show", str(path), "--where", "seed=1"]) == 2
    assert wording.ARE_FOR_EXPERIMENTS in capsys.readouterr().err


def test_another_process_that_runs_it_is_named(capsys, place, small):
    assert main(["experiment", "run", place, small, *TWO, *FOLDS]) == 0
    with ExperimentFile.open(place, builtin(), write=True):
        assert main(["experiment", "resume", place]) == 1
        assert wording.BEING_RUN in capsys.readouterr().err
        assert main(["experiment", "show", place]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a signal to another process is different there")
def test_ctrl_c_keeps_what_is_done_and_resume_goes_on(place):
    argv = [sys.executable, str(ROOT / "main.py"), "experiment", "run", place, "sample:iris", "sample:wine"]
    argv += [*TWO, *FOLDS]
    argv += [word for seed in range(15) for word in ("--seed", str(seed))]
    process = subprocess.Popen([*argv, "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if Path(place).exists() and Path(place).stat().st_size > 60_000:
            process.send_signal(signal.SIGINT)
            break
        time.sleep(0.01)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130 and wording.FINISHING in said
    with ExperimentFile.open(place, builtin()) as file:
        before = numbers(file)
    n_done = sum(state is CellState.DONE for state, *_ in before.values())
    assert 0 < n_done < len(before) == 60
    kept = {key: row for key, row in before.items() if row[0] is CellState.DONE}
    assert main(["experiment", "resume", place]) == 0
    with ExperimentFile.open(place, builtin()) as file:
        after = numbers(file)
    assert {key: after[key] for key in kept} == kept and len(after) == 60
