"""Workbooks on the command line, and files larger than memory."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import wait
from pathlib import Path

import pandas as pd
import pytest
import xlsxwriter

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.cli.output import watched
from algorithms.core.run_control import STOP
from algorithms.project.recipes import save_recipe
from tests.algorithms.evaluation.toys import NearestMean, hooked
from tests.algorithms.io.web.generated_logs import write_log
from tests.expected_texts import cli as wording
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import io as io_wording
from tests.expected_texts import learners as learners_wording
from tests.waiting import wait_until

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


def test_sheet_that_is_not_there_or_cannot_be_is_said(capsys, book, table, tmp_path):
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n")
    assert main(["evaluate", str(book), "--sheet", "third", "--learner", "zero-r"]) == 1
    assert io_wording.no_sheet("third") in capsys.readouterr().err
    for data in (str(table), str(paper), "sample:iris"):
        assert main(["evaluate", data, "--sheet", "first", "--learner", "zero-r"]) == 2
        printed = capsys.readouterr().err
        assert printed.count("\n") == 1 and wording.SHEET_IS_FOR_WORKBOOKS in printed


def test_widths_cut_the_lines_of_a_text(capsys, book, tmp_path):
    path = tmp_path / "people.dat"
    path.write_text("".join(f"{i % 7}{'yesno '[3 * (i % 2) :][:3]}{i}\n" for i in range(30)), "utf-8")
    words = ["evaluate", str(path), "--widths", "1,3,2", "--learner", "zero-r", "--class", "Column 2", "--json"]
    assert main(words) == 0
    judged = json.loads(capsys.readouterr().out)
    assert (judged["class"], judged["n"], judged["classes"]) == ("Column 2", 30, ["no", "yes"])
    words[words.index("zero-r")] = "c4.5"
    assert main([*words, "--in-pieces"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == ["no", "yes"]
    for data in (str(book), "sample:iris"):
        assert main(["evaluate", data, "--widths", "2,3", "--learner", "zero-r"]) == 2
        assert wording.WIDTHS_ARE_FOR_TEXT in capsys.readouterr().err
    assert main(["evaluate", str(path), "--widths", "2,x", "--learner", "zero-r"]) == 2


def test_several_files_are_read_as_one_table(capsys, tmp_path):
    for name, n in (("may", 20), ("june", 12)):
        lines = "".join(f"{i / 4},{'yesno '[3 * (i % 2) :][:3]}\n" for i in range(n))
        (tmp_path / f"{name}.csv").write_text(f"x,class\n{lines}", "utf-8")
    may, june = str(tmp_path / "may.csv"), str(tmp_path / "june.csv")
    words = ["evaluate", may, "--append", june, "--learner", "zero-r", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 32
    assert main([*words, "--file-column", "month", "--class", "month"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == ["may.csv", "june.csv"]
    assert main([*words, "--save", june]) == 2 and Path(june).read_text("utf-8").startswith("x,class")
    for wrong in (["evaluate", may, "--file-column", "month"], ["evaluate", "sample:iris", "--append", june]):
        assert main([*wrong, "--learner", "zero-r"]) == 2


def test_what_several_files_have_not_in_common_is_noted(capsys, tmp_path):
    may, june = tmp_path / "may.csv", tmp_path / "a" / "may.csv"
    june.parent.mkdir()
    may.write_text("size,pay,class\n" + "".join(f"1.5,${i / 4:.2f},{'ab'[i % 2]}\n" for i in range(40)), "utf-8")
    june.write_text("size,pay,shop,class\n" + "".join(f"1,${i / 4:.2f},x,{'ab'[i % 2]}\n" for i in range(40)), "utf-8")
    words = ["evaluate", str(may), "--append", str(june), "--learner", "zero-r", "--file-column", "file"]
    assert main([*words, "--class", "file", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["classes"] == [f"{tmp_path.name}/may.csv", "a/may.csv"]
    assert "'shop'" in captured.err and captured.err.count("$") == 2
    assert main([*words[:3], str(may), *words[4:6]]) != 0


# ---- names of files --------------------------------------------------------------------------------------------------

TOO_LONG = "é" * 130  # 260 bytes, and no file system takes more than 255


@pytest.mark.parametrize(
    "argv",
    [
        ["evaluate", "TABLE", "--learner", "means", "--save", "OUT"],
        ["evaluate", "TABLE", "--learner", "means", "--curve", "roc", "--curve-out", "OUT"],
        ["compare", "TABLE", "--learner", "means", "--learner", "zero-r", "--out", "OUT"],
        ["curve", "TABLE", "--learner", "means", "--out", "OUT"],
        ["predict", "MODEL", "TABLE", "--out", "OUT"],
        ["export", "MODEL", "--as", "text", "--out", "OUT"],
        ["rules", "MODEL", "--out", "OUT"],
    ],
)
@pytest.mark.parametrize("name", [f"{TOO_LONG}.csv", f"{TOO_LONG}/a.csv", "folder", "table.csv/a.csv", ""])
def test_a_file_that_cannot_be_written_is_refused_before_any_work(capsys, model, table, tmp_path, argv, name):
    (tmp_path / "folder" / "roc.csv").mkdir(parents=True)
    out = str(tmp_path / name) if name else ""
    words = [{"TABLE": str(table), "MODEL": str(model), "OUT": out}.get(word, word) for word in argv]
    fitted: list[object] = []
    registry = builtin()
    registry.add_learner(type(hooked(lambda data, context: fitted.append(data))), NearestMean)
    assert main(words, registry) == (1 if name or "--curve-out" in argv else 2)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert core_wording.CANNOT_BE_WRITTEN in printed.err or wording.NEEDS_NAME_OF_FILE in printed.err
    assert fitted == []


@pytest.mark.parametrize("argv", [["predict", "LONG", "sample:iris"], ["evaluate", "LONG", "--learner", "zero-r"]])
def test_a_name_too_long_to_be_read_is_one_sentence(capsys, argv):
    assert main([f"{TOO_LONG}.csv" if word == "LONG" else word for word in argv]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_curves_and_models_are_not_written_over_the_files_they_are_made_from(capsys, tmp_path, table):
    data, recipe = tmp_path / "roc.csv", tmp_path / "steps"
    data.write_bytes(table.read_bytes())
    save_recipe(recipe, [])
    before = recipe.read_bytes()
    evaluate = ["evaluate", str(data), "--learner", "zero-r"]
    assert main([*evaluate, "--curve", "roc", "--curve-out", str(tmp_path)]) == 2
    assert main([*evaluate, "--recipe", str(recipe), "--save", str(recipe)]) == 2
    assert capsys.readouterr().err.count("would overwrite") == 2
    assert (data.read_bytes(), recipe.read_bytes()) == (table.read_bytes(), before)


# ---- how tables are read ---------------------------------------------------------------------------------------------


def test_every_command_that_reads_a_table_says_how_it_was_read(capsys, tmp_path):
    table, model, forest = tmp_path / "loans.csv", tmp_path / "m", tmp_path / "forest"
    rows = [f'"€ {i % 9},5","{i % 7},8 %",{"yes" if i % 9 > 4 else "no"}' for i in range(60)]
    table.write_text("\n".join(["amount,rate,paid", *rows, ""]), encoding="utf-8")
    data = [str(table), "--json"]
    evaluate = ["evaluate", *data, "--method", "holdout", "--learner"]
    told = {}
    for name, argv in {
        "evaluate": [*evaluate, "part", "--save", str(model)],
        "forest": [*evaluate, "random-forest:members=3", "--save", str(forest)],
        "predict": ["predict", str(model), *data],
        "compare": ["compare", *data, "--learner", "zero-r", "--learner", "one-r"],
        "curve": ["curve", *data, "--learner", "zero-r", "--sizes", "50%,100%"],
        "rank": ["rank", *data],
        "overview": ["overview", *data],
        "rules": ["rules", str(model), *data],
        "near": ["near", str(forest), *data],
    }.items():
        assert main(argv) == 0, name
        printed = capsys.readouterr()
        found = json.loads(printed.out)
        told[name] = found["data_sets"][0]["reading"] if name == "compare" else found["reading"]
        assert told[name] and told[name] in printed.err
    assert len(set(told.values())) == 1
    assert "rate" in told["predict"]


# ---- web logs --------------------------------------------------------------------------------------------------------


def test_sessions_of_a_web_log_are_written_with_the_timeout(capsys, tmp_path):
    log, out, model = tmp_path / "access.log", tmp_path / "sessions.csv", tmp_path / "robots.model"
    write_log(log, 4000, seed=1, sessions_an_hour=100)
    assert main(["sessions", str(log)]) == 0
    printed = capsys.readouterr()
    half_hour = printed.out.splitlines()
    assert half_hour[0].startswith("address,agent,start,total pages,") and half_hour[0].endswith(",visitor")
    assert len(half_hour) - 1 == int(printed.err.split()[1]) > 150
    assert main(["sessions", str(log), "--timeout", "0.5", "--out", str(out)]) == 0
    assert wording.HALF_A_MINUTE in capsys.readouterr().err
    assert len(out.read_text("utf-8").splitlines()) > len(half_hour)
    words = ["evaluate", str(out), "--learner", "c4.5", "--class", "visitor", "--json", "--save", str(model)]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.9
    assert main(["predict", str(model), str(log), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["records"]) == len(half_hour) - 1


def test_sessions_of_what_is_no_log_and_wrong_timeouts_are_refused(capsys, boxes, tmp_path):
    assert main(["sessions", str(boxes)]) == 1
    assert wording.NO_WEB_LOG in capsys.readouterr().err
    assert main(["sessions", str(tmp_path / "absent.log")]) == 1
    for minutes in ("0", "-1", "nan", "20000", "x"):
        assert main(["sessions", str(boxes), "--timeout", minutes]) == 2
    assert main(["sessions", str(boxes), "--out", str(boxes)]) == 2


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
    assert found["data"] == "boxes.csv"
    assert any(evaluation_wording.READ_IN_PIECES in warning["sentence"] for warning in found["warnings"])
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
        (["--learner", "zero-r"], 2, learners_wording.NEEDS_ALL_IN_MEMORY),
        (["--learner", "c4.5", "--method", "cross-validation"], 2, wording.HOLDOUT_OR_TRAINING_SET),
        (["--learner", "cart", "-p", "pruning=cost-complexity"], 2, "pessimistic, description-length"),
        (["--learner", "c4.5", "--class", "x"], 1, evaluation_wording.CANNOT_BE_PREDICTED),
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
    assert wording.IN_PIECES_IS_FOR_TEXT in capsys.readouterr().err


# ---- files in parts --------------------------------------------------------------------------------------------------


@pytest.fixture
def parts(boxes, tmp_path) -> str:
    """The boxes in four files, and the pattern that names them."""
    head, *rows = boxes.read_text(encoding="utf-8").splitlines()
    for number in range(4):
        lines = [head, *rows[number * 500 : number * 500 + 500], ""]
        (tmp_path / f"part-{number}.csv").write_text("\n".join(lines), encoding="utf-8")
    return str(tmp_path / "part-*.csv")


def test_a_tree_is_grown_from_files_in_parts_judged_and_saved(capsys, boxes, parts, tmp_path):
    model = tmp_path / "parts.coppice-model"
    assert main(["evaluate", parts, "--learner", "cart", "-p", "pruning=none", "--save", str(model), "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["method"]["id"] == "holdout"
    assert found["n"] == found["n_tests"] == 500
    assert found["accuracy"] > 0.99
    assert found["data"] == wording.NAME_OF_PARTS
    assert any(evaluation_wording.WHOLE_FILES_HELD_OUT in warning["sentence"] for warning in found["warnings"])
    assert main(["predict", str(model), str(boxes), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["records"]) == 2000


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--learner", "svm"], 2, learners_wording.NEEDS_ALL_IN_MEMORY),
        (["--learner", "c4.5", "--method", "leave-one-out"], 2, learners_wording.NEEDS_ALL_IN_MEMORY),
        (["--learner", "c4.5", "--method", "cross-validation"], 1, wording.FOLDS_OF_FILES),
        (["--learner", "c4.5", "--filter", "discretize"], 2, wording.NEEDS_ONE_TABLE),
        (["--learner", "c4.5", "--in-pieces"], 2, wording.NEEDS_ONE_TABLE),
        (["--learner", "c4.5", "--cost-amounts", "x"], 2, wording.NOT_WITH_A_PATTERN),
    ],
)
def test_what_cannot_be_done_in_parts_is_said_in_a_line(capsys, parts, words, code, said):
    assert main(["evaluate", parts, *words]) == code
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.err.count("\n") == 1


def test_a_part_that_is_no_table_and_a_pattern_without_files_are_named(capsys, parts, tmp_path):
    (tmp_path / "part-2.csv").write_text("x,colour,answer\n1.5,red,yes\n2.5,red,no\n", encoding="utf-8")
    assert main(["evaluate", parts, "--learner", "c4.5"]) == 1
    assert wording.PART_2_LACKS_GROUP in capsys.readouterr().err
    assert main(["evaluate", str(tmp_path / "none-*.csv"), "--learner", "c4.5"]) == 1
    assert "none-*.csv" in capsys.readouterr().err


def main_thread_waits() -> bool:
    """Whether the main thread watches over the work by now: an earlier Ctrl-C would end the test."""
    frame = sys._current_frames()[threading.main_thread().ident]
    while frame is not None and frame.f_code is not wait.__code__:
        frame = frame.f_back
    return frame is not None


@pytest.fixture
def heeds_ctrl_c():
    """A test run in the background of a shell inherits that Ctrl-C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
@pytest.mark.parametrize(("n_times", "ended"), [(1, "finished"), (2, "stopped")])
def test_the_first_ctrl_c_finishes_what_may_be_and_the_second_stops_it(capsys, n_times, ended):
    told = []

    def work(context):
        for _ in range(n_times):
            assert wait_until(main_thread_waits)
            before = int(context.control[STOP])
            signal.raise_signal(signal.SIGINT)
            assert wait_until(lambda before=before: context.control[STOP] != before)
        context.checkpoint()
        told.append("finished" if context.finishing else "not told")
        return "finished"

    if ended == "finished":
        assert watched(work, 0, 1, may_finish=True) == "finished"
        assert told == ["finished"]
    else:
        with pytest.raises(KeyboardInterrupt):
            watched(work, 0, 1, may_finish=True)
        assert told == []
    assert wording.CTRL_C_AGAIN in capsys.readouterr().err


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_two_ctrl_c_that_come_as_one_stop_it():
    told = []

    def work(context):
        assert wait_until(main_thread_waits)
        for _ in range(2):  # the main thread, which waits for this one to let it run, is interrupted once
            signal.raise_signal(signal.SIGINT)
        assert wait_until(lambda: int(context.control[STOP]) != 0)
        told.append(context.cancelled)
        context.checkpoint()
        return "finished"

    with pytest.raises(KeyboardInterrupt):
        watched(work, 0, 1, may_finish=True)
    assert told == [True]


# ---- tables in another format ----------------------------------------------------------------------------------------


def test_a_table_is_converted_to_the_format_that_the_name_says(capsys, table, tmp_path):
    out = tmp_path / "table.arff"
    assert main(["convert", str(table), "--out", str(out)]) == 0
    assert capsys.readouterr().out == wording.CONVERTED.format(out)
    declared = "@attribute colour {blue,red}"
    assert declared in out.read_text("utf-8")
    assert main(["convert", str(out)]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["x,colour,group,answer", "0,blue,0,no"]


def test_a_table_is_converted_after_the_steps_but_those_of_training_records(capsys, table, tmp_path):
    words = ["--filter", "scale:by=z-score", "--filter", "balance-classes", "--class", "answer"]
    assert main(["convert", str(table), *words]) == 0
    captured = capsys.readouterr()
    assert wording.WITHOUT_BALANCE in captured.err
    rows = [line.split(",") for line in captured.out.splitlines()[1:]]
    assert len(rows) == 30 and abs(sum(float(row[0]) for row in rows)) < 1e-9


def test_a_table_is_not_converted_to_what_is_only_read_nor_over_its_source(capsys, table, tmp_path):
    assert main(["convert", str(table), "--out", str(tmp_path / "a.json")]) == 1
    assert io_wording.NOT_WRITTEN_AS_JSON in capsys.readouterr().err
    assert main(["convert", str(table), "--out", str(table)]) == 2
    assert main(["convert", str(table), "--out", str(tmp_path / "a.arff"), "--neutralise-formulas"]) == 2
    assert not list(tmp_path.glob("a.*"))


def test_a_table_of_a_database_is_changed_only_when_asked(capsys, table, tmp_path):
    words = ["convert", str(table), "--out", str(tmp_path / "shop.sqlite"), "--table", "my loans"]
    assert main(words) == 0
    assert main(words) == 1
    assert wording.MY_LOANS_EXIST in capsys.readouterr().err
    for existing, n in (("append", 60), ("replace", 30)):
        assert main([*words, "--if-exists", existing]) == 0
        assert main(["convert", words[3], "--sheet", "my loans"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == n + 2
    for option in (["--table", "x"], ["--if-exists", "append"]):
        assert main(["convert", str(table), "--out", str(tmp_path / "a.csv"), *option]) == 2
        assert wording.TABLE_IS_FOR_DATABASES in capsys.readouterr().err


def test_the_steps_are_written_as_a_script_beside_their_table(capsys, table, tmp_path):
    out, script = tmp_path / "prepared.csv", tmp_path / "steps.py"
    words = ["convert", str(table), "--script", str(script)]
    assert main(words) == 2
    assert wording.SCRIPT_NEEDS_STEPS in capsys.readouterr().err
    assert main([*words, "--filter", "scale"]) == 0
    assert capsys.readouterr().out == wording.SCRIPT_SAVED.format(script)
    assert main([*words, "--filter", "replace-missing:numeric=nearest", "--out", str(out)]) == 1
    assert not out.exists() and "straight(table['x']" in script.read_text("utf-8")
    assert main(["convert", str(table), "--script", str(table), "--filter", "scale"]) == 2


def test_the_rules_of_cleaning_are_in_the_script(capsys, table, tmp_path):
    out, script, again = tmp_path / "clean.csv", tmp_path / "steps.py", tmp_path / "again.csv"
    rule = "add-formula:to=size,formula=length(concat(x))"
    assert main(["convert", str(table), "--clean", rule, "--script", str(script), "--out", str(out)]) == 0
    assert wording.SCRIPT_SAVED.format(script) in capsys.readouterr().out
    done = subprocess.run([sys.executable, "-I", str(script), str(table), str(again)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    read = [pd.read_csv(path) for path in (out, again)]
    pd.testing.assert_frame_equal(*read, check_dtype=False)
    assert list(read[0].columns)[-1] == "size"
