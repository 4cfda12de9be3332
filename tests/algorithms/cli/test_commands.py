"""The command line as a person or a script uses it: lists, wrong uses, processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import tomllib
from concurrent.futures import wait
from itertools import count

import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main, output
from algorithms.cli.output import Pace, progress_words
from algorithms.cli.sources import source_of
from algorithms.compiled.kernel_cache import kernel_modules
from algorithms.core.registry import Sample
from algorithms.core.run_control import RunContext
from algorithms.data.formula_functions import FUNCTIONS
from algorithms.text.numbers import duration_words
from tests.algorithms.cli.program import IRIS, ROOT, run
from tests.algorithms.evaluation.toys import NearestMean, hooked
from tests.expected_texts import cli as wording
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import project as project_wording


@pytest.mark.parametrize("what", ["learners", "filters", "methods", "samples"])
def test_list_shows_every_registered_id(capsys, what):
    registry = builtin()
    ids = {thing.id for thing in getattr(registry, what)}
    assert main(["list", what]) == 0
    printed = capsys.readouterr().out
    assert ids
    assert all(f"{id} " in printed for id in ids)
    assert main(["list", what, "--json"]) == 0
    assert {item["id"] for item in json.loads(capsys.readouterr().out)[what]} == ids


def test_functions_of_formulas_are_listed_and_used(capsys, tmp_path):
    assert main(["list", "functions"]) == 0
    printed = capsys.readouterr().out
    assert all(function.usage in printed and function.help in printed for function in FUNCTIONS.values())
    assert main(["list", "functions", "split", "--json"]) == 0
    assert [item["id"] for item in json.loads(capsys.readouterr().out)["functions"]] == ["split"]
    assert main(["list", "functions", "eval"]) == 2
    assert "eval" in capsys.readouterr().err
    source, result = tmp_path / "codes.csv", tmp_path / "result.csv"
    source.write_text("code,class\nab-1,p\ncd-2,q\n,p\n", encoding="utf-8")
    step = 'derive:to=part,formula=upper(split(code, "-", 1))'
    assert main(["convert", str(source), "--filter", step, "--out", str(result)]) == 0
    assert [line.split(",")[-1] for line in result.read_text(encoding="utf-8").splitlines()] == ["part", "AB", "CD", ""]


# ---- what goes wrong -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "VERB"),
        (["evalute"], wording.invalid_choice("evalute")),
        (["list", "models"], wording.invalid_choice("models")),
        (["evaluate", "sample:iris"], "--learner"),
        (["evaluate", "sample:iris", "--learner", "c45"], wording.did_you_mean("c4.5")),
        (["evaluate", "sample:irs", "--learner", "zero-r"], wording.did_you_mean("iris")),
        (["evaluate", "sample:iris:size=5", "--learner", "zero-r"], wording.NOTHING_TO_SET),
        (["evaluate", "sample:iris", "--learner", "c4.5", "-p", "confidence"], wording.is_no_setting("confidence")),
        (["evaluate", "sample:iris", "--learner", "c4.5", "-p", "confidence=9"], wording.CONFIDENCE_OUT_OF_RANGE),
        (["evaluate", "sample:iris", "--learner", "c4.5", "-p", "trust=1"], core_wording.no_parameter("trust")),
        ([*IRIS, "--method", "crossvalidation"], wording.did_you_mean("cross-validation")),
        ([*IRIS, "--method", "cross-validation:folds=many"], evaluation_wording.FOLDS_FROM_2),
        ([*IRIS, "--method", "cross-validation:10"], wording.is_no_setting(10)),
        ([*IRIS, "--filter", "remove"], wording.did_you_mean("remove-attributes")),
        ([*IRIS, "--class", "Specis"], wording.did_you_mean("Species")),
        ([*IRIS, "--class", "Defaulted"], wording.COLUMNS_ARE),
        ([*IRIS, "--seed", "-1"], "--seed"),
        ([*IRIS, "--seed", "x"], wording.X_IS_NOT_WHOLE),
        ([*IRIS, "--threads", "0"], core_wording.from_to(1, 1000)),
        ([*IRIS, "--threads", "1000000000"], core_wording.from_to(1, 1000)),
        ([*IRIS, "--seed", "9" * 5000], wording.IS_NOT_WHOLE),
        ([*IRIS, "--shuffle", "1000000000"], wording.SHUFFLE_OUT_OF_RANGE),
        ([*IRIS, "--shuffle", "9" * 5000], core_wording.from_to(1, 100_000)),
        ([*IRIS, "--shuffle", "0:measure=auc"], core_wording.from_to(1, 100_000)),
        (
            ["evaluate", "sample:gaussian-in-noise:size=1000000000000", "--learner", "zero-r"],
            core_wording.from_to(1, 10_000_000),
        ),
        (["rank", f"sample:gaussian-in-noise:size={'9' * 5000}"], core_wording.from_to(1, 10_000_000)),
        (["rank", "sample:gaussian-in-noise:seed=9223372036854775808"], wording.SEED_IS_NOT_WHOLE),
        (["rank", "sample:iris", "--folds", "1000000000"], core_wording.from_to(2, 10_000)),
        ([*IRIS, "--unheard"], "--unheard"),
        (["predict", "model"], "DATA"),
        (["evalute", "x"], wording.did_you_mean("evaluate?")),
        (["list", "learnres"], wording.did_you_mean("learners?")),
        (["list", "learners", "c45"], wording.did_you_mean("c4.5 or")),
        ([*IRIS, "--fitler", "x"], wording.did_you_mean("--filter?")),
        (["evaluate", "sample:iris", "--lerner", "c4.5"], wording.did_you_mean("--learner or --clean or --filter?")),
        (["curve", "sample:iris", "--lerner=c4.5"], wording.did_you_mean("--learner or --clean or --filter?")),
        ([*IRIS, "--seed", "1", "--seed", "2"], wording.is_given_twice("--seed")),
        ([*IRIS, "--method", "cross-validation:folds=3,folds=4"], wording.is_given_twice("folds")),
        (
            ["evaluate", "x", "--learner", "c4.5:confidence=0.1", "-p", "confidence=0.2"],
            wording.is_given_twice("confidence"),
        ),
        (["evaluate", "x", "--learner", "c4.5", "-p", "confidenc=0.2"], wording.did_you_mean("confidence?")),
        (["evaluate", "x", "--learner", "bagging", "-p", "base.confidenc=0.2"], wording.did_you_mean("confidence?")),
        (
            ["evaluate", "x", "--learner", "cost-sensitive", "-p", "costs=abc"],
            wording.SQUARE_TABLE_LIKE,
        ),
        (["compare", "x", "-p", "min_leaf=1", "--learner", "c4.5"], wording.WRITE_AFTER_LEARNER),
        (["near", "model", "x", "--count", "0"], "from 1"),
        ([*IRIS, "--method", "time-holdout:column=Petal length"], wording.did_you_mean("Petal Length")),
        ([*IRIS, "--filter", "remove-attributes:columns=Petal Lenght"], wording.did_you_mean("Petal Length")),
        ([*IRIS, "--cost-amounts", "Petal Lenght"], wording.did_you_mean("Petal Length")),
        ([*IRIS, "--measure", "beta=2"], "add --json"),
        ([*IRIS, "--curve", "roc", "--curve", "roc"], "given twice"),
        ([*IRIS, "--curve", "roc", "--curve-class", "setosa", "--curve-class", "setosa"], "given twice"),
        (
            ["evaluate", "sample:iris", "--learner", "cart:min_leaf=5", "--search", "min_leaf=1,2"],
            wording.SEARCH_TRIES_MIN_LEAF,
        ),
        (
            ["curve", "sample:iris", "--learner", "cart", "-p", "min_leaf=5", "--over", "min_leaf=1,2"],
            wording.OVER_TRIES_MIN_LEAF,
        ),
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
        ([*evaluate, "--costs", str(tmp_path / "none")], core_wording.CANNOT_BE_READ),
        ([*evaluate, "--method", "test-file:path=" + str(tmp_path / "none")], "none"),
        ([*evaluate, "--save", str(tmp_path / "nowhere" / "m")], core_wording.CANNOT_BE_WRITTEN),
        ([*evaluate, "--method", "cross-validation:folds=31"], evaluation_wording.at_most_folds(30)),
        (["predict", str(model_of_text), str(table)], project_wording.NOT_A_SAVED_FILE),
        (["predict", str(tmp_path / "none"), str(table)], core_wording.CANNOT_BE_READ),
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

    registry.add_sample(Sample("broken", "Broken", "?", ".", 1, 1, broken))
    with pytest.raises(ZeroDivisionError):
        main(["evaluate", "sample:broken", "--learner", "zero-r"], registry)


def test_help_ends_with_0(capsys):
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(wording.USAGE)
    assert "evaluate" in printed
    assert main(["evaluate", "--help"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(wording.USAGE_OF_EVALUATE)
    assert "sample:NAME" in printed
    found = run("--help")
    assert found.stdout.startswith(wording.USAGE_AS_SCRIPT)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--curve", "roc", "--curve-class", "setsoa"],
        ["--method", "group-holdout:column=Specis"],
        ["--filter", "scale", "--filter", "keep-attributes:columns=Petal"],
        ["--learner", "cost-sensitive:by=weights,amounts=Paid"],
    ],
)
def test_names_that_the_data_does_not_have_are_refused_before_any_fit(capsys, wrong):
    fitted: list[object] = []
    registry = builtin()
    registry.add_learner(type(hooked(lambda data, context: fitted.append(data))), NearestMean)
    learner = [] if "--learner" in wrong else ["--learner", "means"]
    assert main(["evaluate", "sample:iris", *learner, *wrong], registry) == 2
    assert wording.THERE_IS_NO in capsys.readouterr().err
    assert fitted == []


def test_a_column_that_an_earlier_step_makes_is_no_wrong_name(capsys):
    steps = ["--filter", "rename-attribute:column=Petal Length,to=long", "--filter", "remove-attributes:columns=long"]
    assert main([*IRIS, *steps, "--method", "holdout"]) == 0


def test_the_parameters_of_a_learner_are_typed_with_its_id_or_after_it(capsys):
    found = []
    for typed in (["c4.5:min_leaf=20"], ["c4.5", "-p", "min_leaf=20"]):
        assert main(["evaluate", "sample:iris", "--method", "holdout", "--json", "--learner", *typed]) == 0
        found.append(json.loads(capsys.readouterr().out)["learner"])
    assert found[0] == found[1] and found[0]["parameters"]["min_leaf"] == 20
    argv = ["compare", "sample:iris", "--learner", "c4.5", "-p", "min_leaf=60", "--learner", "c4.5", "--json"]
    assert main(argv) == 0
    assert "60" in json.loads(capsys.readouterr().out)["learners"][0]


def test_an_option_that_has_no_effect_is_named(capsys):
    argv = ["evaluate", "sample:iris", "--learner", "c4.5", "-p", "pruning=none", "-p", "confidence=0.1"]
    assert main([*argv, "--method", "holdout", "--json"]) == 0
    told = [each for each in json.loads(capsys.readouterr().out)["warnings"] if each["id"] == "no-effect"]
    assert [each["sentence"] for each in told] == [wording.CONFIDENCE_HAS_NO_EFFECT]
    assert told[0]["why"] == wording.ONLY_WITH_PRUNING
    inner = ["--learner", "bagging:members=3", "-p", "base.pruning=none", "-p", "base.confidence=0.1"]
    assert main(["evaluate", "sample:iris", *inner, "--method", "holdout"]) == 0
    assert wording.BASE_CONFIDENCE_HAS_NO_EFFECT in capsys.readouterr().err


def test_one_learner_is_listed_with_what_every_parameter_means(capsys):
    c45 = builtin().learners.get("c4.5")
    assert main(["list", "learners", "c4.5"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert all(f"{p.name}=" in printed and " ".join(p.help.split()) in printed for p in c45.parameters())
    assert wording.COUNTS_ONLY_WITH_PRUNING in printed
    assert main(["list", "learners", "cost-sensitive"]) == 0
    assert '"0 1; 5 0"' in capsys.readouterr().out
    assert main(["list", "learners", "bagging"]) == 0
    assert "base=c4.5,base.pruning=" in capsys.readouterr().out


def test_the_version_is_that_of_the_project(capsys):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"coppice {project['version']}\n"


@pytest.mark.parametrize(
    "argv",
    [
        ["evaluate", "x", "--learner", "zero-r", "--save", "{nowhere}"],
        ["evaluate", "x", "--learner", "zero-r", "--curve", "roc", "--curve-out", "{nowhere}"],
        ["compare", "x", "--learner", "zero-r", "--learner", "cart", "--out", "{nowhere}"],
        ["curve", "x", "--learner", "zero-r", "--out", "{nowhere}"],
        ["predict", "x", "y", "--out", "{nowhere}"],
        ["export", "x", "--as", "sql", "--out", "{nowhere}"],
    ],
)
def test_a_folder_that_is_not_there_is_noticed_before_any_work_with_1(capsys, tmp_path, argv):
    nowhere = str(tmp_path / "absent" / "file")
    assert main([word.format(nowhere=nowhere) for word in argv]) == 1
    assert wording.NO_SUCH_FOLDER in capsys.readouterr().err


# ---- the program as a process ----------------------------------------------------------------------------------------


LOADED = """
import sys
sys.path.insert(0, {root!r})
from main import run
codes = [run(argv) for argv in {commands!r}]
heavy = [name for name in ("PySide6", "pyqtgraph", "numba", "pandas", "sklearn", "scipy") if name in sys.modules]
print("LOADED", *heavy, file=sys.stderr)
sys.exit(max(codes))
"""


def loaded_by(*commands: list[str]) -> set[str]:
    """What is loaded after these commands, which run in one process."""
    script = LOADED.format(root=str(ROOT), commands=commands)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.partition("LOADED")[2].split())


def test_list_loads_nothing_heavy():
    assert loaded_by(*(["list", what] for what in ("learners", "filters", "methods", "samples"))) == set()


def test_the_version_is_shown_without_what_computes():
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from main import run; run(['--version'])\n"
    script += "print('numpy' in sys.modules, 'algorithms.core.registry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[1:] == ["False False"]


def test_evaluate_loads_no_qt():
    assert not loaded_by(["evaluate", "sample:iris", "--learner", "c4.5"]) & {"PySide6", "pyqtgraph", "sklearn"}


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

signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background of a shell inherits none
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


INTERRUPTED_LATER = """
import os, signal, sys
sys.path.insert(0, {root!r})
from algorithms.catalogue import builtin
from algorithms.cli import main
from tests.algorithms.evaluation.toys import NearestMean, hooked

signal.signal(signal.SIGINT, signal.default_int_handler)
fits = []

def hook(data, context):
    fits.append(data)
    if len(fits) > {whole}:  # with one thread the folds before are judged and published
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            context.checkpoint()

registry = builtin()
registry.add_learner(type(hooked(hook)), NearestMean)
sys.exit(main([*{argv!r}, "--class", "Defaulted", "--threads", "1", "--json"], registry))
"""


def interrupted(whole: int, *argv: str) -> subprocess.CompletedProcess[str]:
    """A command that gets Ctrl-C where the learner ``means`` is fitted for the next time after so many."""
    script = INTERRUPTED_LATER.format(root=str(ROOT), whole=whole, argv=list(argv))
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
@pytest.mark.parametrize(("fits", "folds_judged"), [(2, 2), (5, 5)])
def test_ctrl_c_keeps_the_folds_that_are_done(tmp_path, fits, folds_judged):
    saved = tmp_path / "model"
    argv = ["evaluate", "sample:loan", "--learner", "means", "--method", "cross-validation:folds=5"]
    done = interrupted(fits, *argv, "--save", str(saved))
    assert done.returncode == 130
    assert wording.CTRL_C_AGAIN in done.stderr
    found = json.loads(done.stdout)
    assert found["n"] == 2 * folds_judged and found["partial"] == (folds_judged < 5)
    assert found["model"] is None and not saved.exists()


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
def test_ctrl_c_keeps_the_learners_and_data_sets_that_are_compared(tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("Income,Defaulted\n" + "".join(f"{i},{'ny'[i % 2]}\n" for i in range(12)), encoding="utf-8")
    argv = ["compare", "sample:loan", str(other), "--learner", "zero-r", "--learner", "means"]
    done = interrupted(3, *argv, "--method", "cross-validation:folds=2", "--out", str(tmp_path / "contest.csv"))
    assert done.returncode == 130
    found = json.loads(done.stdout)
    assert found["partial"] and found["failures"] == []
    first, second = found["data_sets"]
    assert all(value is not None for value in first["accuracy"].values())
    assert second["accuracy"]["zero-r"] is not None and second["accuracy"]["means"] is None
    assert found["rows"] == [first["data"]]


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise on Windows")
def test_ctrl_c_keeps_the_points_of_a_curve_that_are_done(tmp_path):
    out = tmp_path / "curve.csv"
    argv = ["curve", "sample:loan", "--learner", "means", "--sizes", "60%,80%,100%", "--out", str(out)]
    done = interrupted(3, *argv, "--method", "cross-validation:folds=2")
    assert done.returncode == 130
    assert wording.CTRL_C_AGAIN in done.stderr
    found = json.loads(done.stdout)
    assert not found["whole"]
    assert sum(map(sum, (line["n"] for line in found["lines"].values()))) > 0
    assert any(value is not None for line in found["lines"].values() for value in line["error"])
    assert out.is_file()


def test_the_time_left_is_said_once_it_can_be_known():
    message = "4 of 10 folds tested"
    assert progress_words(0.4, message, 12.0) == wording.SECONDS_LEFT
    assert progress_words(0.25, "Evaluating", 360.0) == wording.MINUTES_LEFT
    assert progress_words(0.4, "Evaluating", None) == " 40% Evaluating"
    assert progress_words(0.25, "", 360.0) == wording.ONLY_MINUTES_LEFT
    assert progress_words(None, "Waiting", None) == "Waiting"
    assert duration_words(7500) == wording.two_hours(5)


def test_long_commands_write_progress_now_and_then_where_there_is_no_terminal(capsys, monkeypatch):
    """The clock is the test's: a second goes by at each look at the progress."""
    seconds, begun, over = count(), threading.Event(), threading.Event()

    def work(context: RunContext) -> None:
        context.advance(4, 10)
        context.say("4 of 10 folds tested")
        begun.set()
        assert over.wait(60)

    def look(futures, timeout):
        assert begun.wait(60)
        if next(looks) == 75:
            over.set()
            wait(futures)

    looks = count()
    monkeypatch.setattr(output, "FIRST_LINE", 10.0)
    monkeypatch.setattr(output, "perf_counter", lambda: float(next(seconds)))
    monkeypatch.setattr(output, "wait_for", look)
    output.watched(work, 1, 1)
    assert capsys.readouterr().err.splitlines() == [wording.FOLDS_TESTED] * 3


def test_a_fast_command_writes_no_progress_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setattr(output, "FIRST_LINE", 10.0)
    assert output.watched(lambda context: context.advance(1, 2), 1, 1) is None
    assert capsys.readouterr().err == ""


def test_the_time_left_goes_by_the_pace_since_something_was_done():
    pace = Pace()
    assert pace.left(0.0, 100.0) is None  # 100 seconds of reading say nothing about the folds
    assert pace.left(0.0, 120.0) is None
    assert pace.left(0.04, 123.0) is None and pace.left(0.5, 121.0) is None
    assert pace.left(0.25, 130.0) == pytest.approx(30.0)
    assert pace.left(0.5, 140.0) == pytest.approx(20.0) and pace.left(1.0, 160.0) is None
    later = Pace()
    assert later.left(0.5, 10.0) is None and later.left(0.75, 20.0) == pytest.approx(10.0)


def test_reading_is_said_while_it_lasts_and_has_no_share_in_the_progress(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,class\n" + "".join(f"{i}.5,{'ab'[i % 2]}\n" for i in range(50)))
    context = RunContext(seed=1)
    source_of(str(path), builtin())(context)
    assert context.message == "" and context.progress() is None
    part = context.child(1.0, 0)
    part.advance(1, 4)
    assert context.progress() == pytest.approx(0.25)


def test_long_labels_are_cut_in_what_is_printed(tmp_path, capsys):
    path = tmp_path / "long.csv"
    labels = ["a" * 100_000, "b" * 100_000]
    path.write_text("x,class\n" + "".join(f"{i % 2 + i / 100},{labels[i % 2]}\n" for i in range(60)))
    assert main(["evaluate", str(path), "--learner", "naive-bayes"]) == 0
    printed = capsys.readouterr().out
    assert "aaaa" in printed and len(printed) < 5_000


def test_the_corrections_of_the_command_line_are_those_there_are() -> None:
    from algorithms.cli import CORRECTION_IDS
    from algorithms.evaluation.compare.significance_tests import CORRECTIONS

    assert tuple(CORRECTIONS) == CORRECTION_IDS


def test_all_loops_are_compiled_and_written_for_a_package(tmp_path):
    done = run("prepare", "--into", str(tmp_path / "shipped"))
    assert done.returncode == 0, done.stderr
    (versions,) = (tmp_path / "shipped").iterdir()
    assert done.stdout == wording.loops_written(versions)
    assert len([*versions.rglob("ready")]) == len(kernel_modules()) + 1  # and of the decorators
    (tmp_path / "file").touch()
    assert run("prepare", "--into", str(tmp_path / "file" / "shipped")).returncode == 1
    if sys.platform == "linux":
        done = run("prepare", env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "file")})
        assert done.returncode == 1 and wording.CANNOT_BE_KEPT in done.stderr
