"""The command line as a person or a script uses it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import xlsxwriter

from algorithms.catalogue import builtin
from algorithms.cli import _watched, main
from algorithms.core.registry import Sample

ROOT = Path(__file__).resolve().parents[2]
IRIS = ["evaluate", "sample:iris", "--learner", "zero-r"]


@pytest.fixture
def table(tmp_path) -> Path:
    """A small file: two predictors, a numeric code, a class."""
    path = tmp_path / "table.csv"
    rows = [f"{i * 0.5},{'red' if i % 3 else 'blue'},{i % 2},{'yes' if i > 19 else 'no'}" for i in range(30)]
    path.write_text("\n".join(["x,colour,group,answer", *rows, ""]), encoding="utf-8")
    return path


def run(*argv: str, **options) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *argv], capture_output=True, text=True, timeout=300, **options
    )


# ---- evaluate --------------------------------------------------------------------------------------------------------


def test_evaluate_prints_one_strict_json_object_with_everything(capsys, table, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text(",no,yes\nno,0,1\nyes,5,0\n", encoding="utf-8")
    code = main(["evaluate", str(table), "--learner", "zero-r", "--costs", str(costs), "--json", "--seed", "3"])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    found = json.loads(printed.out, parse_constant=pytest.fail)
    needed = "accuracy error_rate interval kappa auc confusion classes per_class total_cost seconds model n baseline"
    assert set(f"{needed} learner method seed warnings".split()) <= set(found)
    assert set(found["seconds"]) == {"load", "fit", "predict", "total"}
    assert found["classes"] == ["no", "yes"]
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["confusion"] == [[20, 0], [10, 0]]
    assert found["total_cost"] == 50
    assert found["per_class"][1]["precision"] is None
    assert found["seed"] == 3
    assert found["method"]["id"] == "cross-validation"


def test_evaluate_says_the_verdict_first_and_shows_the_labels(capsys):
    assert main(["evaluate", "sample:iris", "--learner", "c4.5"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("Right 9")
    assert "said versicolor" in printed.out
    assert "is virginica" in printed.out
    assert "10 folds, seed 1" in printed.out
    assert re.search(r"\d leaves, \d+ nodes, depth \d+", printed.out)
    assert printed.err == ""


def test_one_leaf_is_not_said_to_be_leaves(capsys):
    assert main(["evaluate", "sample:iris", "--learner", "c4.5", "-p", "min_leaf=150"]) == 0
    assert "The model of all records: 1 leaf, 1 node, depth 0." in capsys.readouterr().out


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
    assert (printed.out, printed.err) == ("", "test-file needs a file: --method test-file:path=FILE\n")


def test_a_folder_to_save_in_that_is_not_there_is_noticed_before_any_work(capsys, tmp_path):
    nowhere = tmp_path / "absent" / "model"
    assert main(["evaluate", str(tmp_path / "unread.csv"), "--learner", "zero-r", "--save", str(nowhere)]) == 1
    assert capsys.readouterr().err == f"{nowhere}: The file cannot be written: there is no such folder.\n"


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
    assert any("mauve" in warning for warning in found["warnings"])
    assert any("'more' is new" in warning for warning in found["warnings"])


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


# ---- predict ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path, table, capsys) -> Path:
    path = tmp_path / "model"
    assert main(["evaluate", str(table), "--learner", "c4.5", "--save", str(path)]) == 0
    assert f"saved as {path}" in capsys.readouterr().out
    return path


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
    assert "Right on 30 of 30 records whose class is known." in printed.err


def test_predict_names_differences_and_takes_unseen_values(capsys, model, tmp_path):
    fresh, out = tmp_path / "fresh.csv", tmp_path / "out.csv"
    fresh.write_text("predicted,group,colour,x\n1,0,mauve,0.5\n1,1,red,13\n2,0,blue,14\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh), "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "mauve" in printed.err
    assert "'predicted' is new" in printed.err
    rows = rows_of(out.read_text(encoding="utf-8"))
    assert [row["predicted 2"] for row in rows] == ["no", "yes", "yes"]
    assert [row["predicted"] for row in rows] == ["1", "1", "2"]


def test_predict_without_a_needed_column_says_which(capsys, model, tmp_path):
    fresh = tmp_path / "fresh.csv"
    fresh.write_text("colour,group\nred,1\nblue,0\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh)]) == 1
    assert capsys.readouterr().err == "Column 'x' is missing. The model needs the columns it was trained on.\n"


def test_predict_names_the_value_that_is_no_number(capsys, model, tmp_path):
    fresh = tmp_path / "fresh.csv"
    fresh.write_text("x,colour,group\n1,red,1\nviel,blue,0\n", encoding="utf-8")
    assert main(["predict", str(model), str(fresh)]) == 1
    assert "Column 'x' must hold numbers, but 'viel' in record 2 is not a number." in capsys.readouterr().err


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
    assert lines[0] == "\ufeffx;colour;group;predicted;probability no;probability yes"
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
    assert found["warnings"] == ["Right on 20 of 30 records whose class is known."]


# ---- list ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["learners", "filters", "methods", "samples"])
def test_list_shows_every_registered_id(capsys, what):
    registry = builtin()
    ids = {thing.id for thing in getattr(registry, what)}
    assert main(["list", what]) == 0
    printed = capsys.readouterr().out
    assert ids
    assert all(f"{id} " in printed for id in ids)
    assert main(["list", what, "--json"]) == 0
    assert {item["id"] for item in json.loads(capsys.readouterr().out)} == ids


# ---- what goes wrong -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "VERB"),
        (["evalute"], "invalid choice: 'evalute'"),
        (["list", "models"], "invalid choice: 'models'"),
        (["evaluate", "sample:iris"], "--learner"),
        (["evaluate", "sample:iris", "--learner", "c45"], "Did you mean c4.5"),
        (["evaluate", "sample:irs", "--learner", "zero-r"], "Did you mean iris"),
        (["evaluate", "sample:iris:size=5", "--learner", "zero-r"], "nothing to set"),
        (["evaluate", "sample:iris", "--learner", "c4.5", "-p", "confidence"], "'confidence' is not NAME=VALUE"),
        (["evaluate", "sample:iris", "--learner", "c4.5", "-p", "confidence=9"], "from 0.0001 to 0.5, not 9"),
        (["evaluate", "sample:iris", "--learner", "c4.5", "-p", "trust=1"], "no parameter 'trust'"),
        ([*IRIS, "--method", "crossvalidation"], "Did you mean cross-validation"),
        ([*IRIS, "--method", "cross-validation:folds=many"], "Folds must be a whole number from 2"),
        ([*IRIS, "--method", "cross-validation:10"], "'10' is not NAME=VALUE"),
        ([*IRIS, "--filter", "remove"], "Did you mean remove-attributes"),
        ([*IRIS, "--class", "Specis"], "Did you mean Species"),
        ([*IRIS, "--class", "Defaulted"], "'Defaulted'. The columns are Sepal Length,"),
        ([*IRIS, "--seed", "-1"], "--seed"),
        ([*IRIS, "--seed", "x"], "'x' is not a whole number"),
        ([*IRIS, "--threads", "0"], "at least 1"),
        ([*IRIS, "--unheard"], "--unheard"),
        (["predict", "model"], "DATA"),
    ],
)
def test_wrong_use_ends_with_2_and_one_line(capsys, argv, words):
    assert main(argv) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert words in printed.err
    assert printed.err.count("\n") == 1


def test_what_cannot_be_read_or_used_ends_with_1_and_one_line(capsys, tmp_path, table):
    empty, one_class = tmp_path / "empty.csv", tmp_path / "one.csv"
    empty.write_bytes(b"")
    one_class.write_text("x,class\n1,a\n2,a\n3,a\n", encoding="utf-8")
    model_of_text = tmp_path / "text"
    model_of_text.write_text("hello", encoding="utf-8")
    evaluate = ["evaluate", str(table), "--learner", "zero-r"]
    for argv, words in (
        (["evaluate", str(tmp_path / "none.csv"), "--learner", "zero-r"], "none.csv"),
        (["evaluate", str(empty), "--learner", "zero-r"], "empty"),
        (["evaluate", str(one_class), "--learner", "zero-r", "--class", "class"], "same class"),
        ([*evaluate, "--costs", str(tmp_path / "none")], "cannot be read"),
        ([*evaluate, "--method", "test-file:path=" + str(tmp_path / "none")], "none"),
        ([*evaluate, "--save", str(tmp_path / "nowhere" / "m")], "cannot be written"),
        ([*evaluate, "--method", "cross-validation:folds=31"], "at most 30 folds"),
        (["predict", str(model_of_text), str(table)], "not a saved file"),
        (["predict", str(tmp_path / "none"), str(table)], "cannot be read"),
    ):
        assert main(argv) == 1, argv
        printed = capsys.readouterr()
        assert printed.out == ""
        assert words in printed.err
        assert printed.err.count("\n") == 1


def test_a_bug_is_not_dressed_up_as_a_wrong_use():
    registry = builtin()

    def broken(size, seed, context):
        raise ZeroDivisionError("a bug")

    registry.add_sample(Sample("broken", "Broken", "?", ".", 1, broken))
    with pytest.raises(ZeroDivisionError):
        main(["evaluate", "sample:broken", "--learner", "zero-r"], registry)


def test_help_ends_with_0(capsys):
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("usage: coppice [FILE]\n       coppice VERB ...")
    assert "evaluate" in printed
    assert main(["evaluate", "--help"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("usage: coppice evaluate ")
    assert "sample:NAME" in printed
    found = run("--help")
    assert found.stdout.startswith("usage: main.py [FILE]")


# ---- the program as a process ----------------------------------------------------------------------------------------

LOADED = """
import sys
sys.path.insert(0, {root!r})
from main import run
code = run({argv!r})
heavy = [name for name in ("PySide6", "pyqtgraph", "numba", "pandas", "sklearn", "scipy") if name in sys.modules]
print("LOADED", *heavy, file=sys.stderr)
sys.exit(code)
"""


def loaded_by(*argv: str) -> set[str]:
    script = LOADED.format(root=str(ROOT), argv=list(argv))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.partition("LOADED")[2].split())


@pytest.mark.parametrize("what", ["learners", "filters", "methods", "samples"])
def test_list_loads_nothing_heavy(what):
    assert loaded_by("list", what) == set()


def test_evaluate_loads_no_qt():
    assert not loaded_by("evaluate", "sample:iris", "--learner", "c4.5") & {"PySide6", "pyqtgraph", "sklearn"}


def test_main_passes_the_exit_code_on():
    done = run("evaluate", "none.csv", "--learner", "zero-r")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert run("list", "nothing").returncode == 2
    assert run("evalute", "x.csv").returncode == 2


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f'"{sys.executable}" "{ROOT / "main.py"}" list learners --json | head -1'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""


INTERRUPTED = """
import os, signal, sys, threading
sys.path.insert(0, {root!r})
from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.registry import Registry
from tests.algorithms.evaluation.toys import Means, NearestMean, hooked

first = threading.Lock()

def hook(data, context):
    if first.acquire(blocking=False):
        os.kill(os.getpid(), signal.SIGINT)
    while True:
        context.checkpoint()

registry = builtin()
registry.add_learner(type(hooked(hook)), NearestMean)
code = main(["evaluate", "sample:loan", "--learner", "means", "--class", "Defaulted",
             "--method", "cross-validation:folds=2"], registry)
assert threading.active_count() == 1
sys.exit(code)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
def test_ctrl_c_stops_with_130_and_one_line():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(root=str(ROOT))], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


# ---- workbooks -------------------------------------------------------------------------------------------------------


@pytest.fixture
def book(tmp_path) -> Path:
    """A workbook of two tables; only the second has a column named answer."""
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as written:
        for name, column, n in (("first", "colour", 12), ("second", "answer", 30)):
            sheet = written.add_worksheet(name)
            sheet.write_row(0, 0, ["x", column])
            for row in range(1, n + 1):
                sheet.write_row(row, 0, [row, "yes" if row % 3 else "no"])
    return path


def test_sheet_of_a_workbook_is_chosen_by_its_name(capsys, book, tmp_path):
    model, out = tmp_path / "m.model", tmp_path / "out.csv"
    words = ["evaluate", str(book), "--sheet", "second", "--learner", "zero-r", "--json", "--save", str(model)]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["class"], found["n"]) == ("answer", 30)
    assert {"mcc", "log_loss", "brier"} <= set(found)
    assert main(["predict", str(model), str(book), "--sheet", "second", "--out", str(out)]) == 0
    assert len(out.read_text("utf-8").splitlines()) == 31
    assert main(["evaluate", str(book), "--learner", "zero-r", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["class"] == "colour"


def test_sheet_that_is_not_there_or_cannot_be_is_said(capsys, book, table):
    assert main(["evaluate", str(book), "--sheet", "third", "--learner", "zero-r"]) == 1
    assert "no sheet named 'third'" in capsys.readouterr().err
    for data in (str(table), "sample:iris"):
        assert main(["evaluate", data, "--sheet", "first", "--learner", "zero-r"]) == 2
        printed = capsys.readouterr().err
        assert printed.count("\n") == 1 and "--sheet is for workbooks" in printed


# ---- export ----------------------------------------------------------------------------------------------------------


def test_a_saved_tree_is_written_for_other_programs(capsys, model, tmp_path):
    begins = {"text": "A decision tree", "sql": "-- A decision tree", "python": "# A decision tree", "pmml": "<?xml"}
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
    assert "cannot be written" in capsys.readouterr().err
    plain = tmp_path / "zero.model"
    assert main(["evaluate", str(table), "--learner", "zero-r", "--method", "training-set", "--save", str(plain)]) == 0
    capsys.readouterr()
    assert main(["export", str(plain), "--as", "sql"]) == 1
    assert "is no tree" in capsys.readouterr().err


def test_the_formats_named_on_the_command_line_are_all_there_are():
    from algorithms.cli import EXPORTS
    from algorithms.export.formats import FORMATS

    assert tuple(each.id for each in FORMATS) == EXPORTS


# ---- in pieces -------------------------------------------------------------------------------------------------------


@pytest.fixture
def boxes(tmp_path) -> Path:
    """A file of 2,000 records: two numbers, a colour, a class that hangs on them, and a numeric code."""
    path = tmp_path / "boxes.csv"
    rows = [
        f"{i * 37 % 1000 / 7:.3f},{'red' if i % 3 else 'blue'},{i % 5},{'yes' if i * 37 % 1000 > 400 else 'no'}"
        for i in range(2000)
    ]
    path.write_text("\n".join(["x,colour,group,answer", *rows, ""]), encoding="utf-8")
    return path


def test_a_tree_is_grown_from_a_file_in_pieces_judged_and_saved(capsys, boxes, tmp_path):
    model = tmp_path / "boxes.coppice-model"
    words = ["evaluate", str(boxes), "--learner", "cart", "-p", "pruning=none", "--in-pieces"]
    assert main([*words, "--save", str(model), "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["method"]["id"] == "holdout"
    assert found["accuracy"] > 0.99
    assert found["n"] == found["n_tests"] == sum(map(sum, found["confusion"]))
    assert 600 < found["n"] < 760
    assert found["model"]["leaves"] >= 2
    assert found["data"] == "boxes"
    assert any("read in pieces" in warning for warning in found["warnings"])
    assert main(["predict", str(model), str(boxes), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["records"]) == 2000


def test_in_pieces_a_numeric_column_may_be_named_as_the_class(capsys, boxes):
    words = ["evaluate", str(boxes), "--learner", "c4.5", "--in-pieces", "--class", "group", "--json"]
    assert main([*words, "--method", "training-set"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["classes"] == ["0", "1", "2", "3", "4"]
    assert not found["honest"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--learner", "zero-r"], 2, "needs all records in memory"),
        (["--learner", "c4.5", "--method", "cross-validation"], 2, "holdout or training-set"),
        (["--learner", "cart", "-p", "pruning=cost-complexity"], 2, "pessimistic, description-length"),
        (["--learner", "c4.5", "--class", "x"], 1, "cannot be predicted"),
        (["--learner", "c4.5", "--class", "nothing"], 1, "nothing"),
    ],
)
def test_what_cannot_be_done_in_pieces_is_said_in_a_line(capsys, boxes, words, code, said):
    assert main(["evaluate", str(boxes), "--in-pieces", *words]) == code
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.err.count("\n") == 1


def test_in_pieces_is_for_files_as_they_are(capsys):
    assert main(["evaluate", "sample:iris", "--learner", "cart", "--in-pieces"]) == 2
    assert "--in-pieces is for text files" in capsys.readouterr().err


@pytest.mark.parametrize(("n_times", "ended"), [(1, "finished"), (2, "stopped")])
def test_the_first_ctrl_c_finishes_what_may_be_and_the_second_stops_it(capsys, n_times, ended):
    told = []

    def work(context):
        for _ in range(n_times):
            time.sleep(0.5)
            before = int(context.control[0])
            signal.raise_signal(signal.SIGINT)
            deadline = time.monotonic() + 20
            while context.control[0] == before and time.monotonic() < deadline:
                time.sleep(0.01)
        context.checkpoint()
        told.append("finished" if context.finishing else "not told")
        return "finished"

    if ended == "finished":
        assert _watched(work, 0, 1, may_finish=True) == "finished"
        assert told == ["finished"]
    else:
        with pytest.raises(KeyboardInterrupt):
            _watched(work, 0, 1, may_finish=True)
        assert told == []
    assert "Ctrl-C again stops" in capsys.readouterr().err
