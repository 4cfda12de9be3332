"""The command line as a person or a script uses it: lists, wrong uses, processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.registry import Sample
from tests.algorithms.cli.program import IRIS, ROOT, run


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
