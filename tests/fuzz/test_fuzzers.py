"""The fuzzers run for some cases with the rest of the tests, and notice each way in which a case may end badly."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.expected_texts import core as wording
from tests.fuzz import measures
from tests.fuzz.case import READ, REFUSED, random_of
from tests.fuzz.harness import Limits, Report, fuzz
from tests.fuzz.targets import TARGETS
from tests.fuzz.typed import in_time
from tests.fuzz.worker import outcome, target_at

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of this kind are those of POSIX systems")

SMALL = Limits(seconds=0.3, waiting=20.0, floor=40 << 20)
FAULTY = "tests.fuzz.faulty:"
N_CASES = {"xlsx": 4, "xls": 4, "ods": 4, "window": 2, "sessions": 4, "projects": 10, "journals": 10, "models": 8}
N_CASES |= {"sav": 4, "dta": 4, "xpt": 4, "rdata": 3}
"""Of what takes longer; of all else there are more."""
WINDOWS = ("window", "sessions")
"""They have an application of their own, in a process of their own."""
SLOWLY_MADE = (*WINDOWS, "models", "projects", "journals", "recipes")


def faulty(name: str, keep: Path | None = None, cases: int = 2) -> Report:
    return fuzz(f"{FAULTY}{name}", cases=cases, limits=SMALL, keep=keep)


def test_a_crash_is_noticed_and_the_next_case_runs(tmp_path: Path) -> None:
    report = faulty("Crash", tmp_path)
    assert dict(report.kinds) == {"crash: SIGSEGV": 2} and report.cases == 2 and report.workers == 2
    target = target_at(f"{FAULTY}Crash")
    assert (tmp_path / "crash-1-1-faulty.bin").read_bytes() == target.make(random_of("crash", 1, 1)).content
    assert (tmp_path / "crash-1-1-faulty.bin.txt").read_text("utf-8").startswith("crash: SIGSEGV\n")


def test_a_process_that_ends_by_itself_is_noticed() -> None:
    assert dict(faulty("Exit", cases=1).kinds) == {wording.CRASH_WITH_EXIT_CODE: 1}


def test_a_hang_is_noticed() -> None:
    assert dict(faulty("Hang", cases=1).kinds) == {"hang": 1}


@pytest.mark.skipif(not measures.IS_MEASURED, reason="the system does not tell how much memory a process takes")
def test_a_case_that_takes_much_memory_is_noticed() -> None:
    patient = replace(SMALL, seconds=20.0)  # the first touch of 100 MB may take 0.3 s of the processor
    assert dict(fuzz(f"{FAULTY}Hog", cases=1, limits=patient).kinds) == {"memory": 1}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Bad", "rule: probabilities that do not sum to one"),
        ("NotANumber", "rule: probabilities that are no numbers"),
        ("Uncaught", "error: ValueError at nowhere in the program"),
        ("NoSentence", "rule: the refusal is no sentence"),
    ],
)
def test_a_broken_rule_is_noticed(name: str, kind: str) -> None:
    report = faulty(name)
    assert dict(report.kinds) == {kind: 2} and report.workers == 1


def test_a_sound_target_has_no_failures() -> None:
    report = faulty("Sound", cases=40)
    assert not report.kinds and report.ends["read"] + report.ends["refused"] == 40 and len(report.ends) == 2


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in SLOWLY_MADE])
def test_a_case_follows_from_its_seed_and_number(name: str) -> None:
    ours, theirs = target_at(TARGETS[name]), target_at(TARGETS[name])
    theirs.make(random_of(name, 1, 4))
    assert ours.make(random_of(name, 1, 5)) == theirs.make(random_of(name, 1, 5))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in TARGETS if name not in WINDOWS])
def test_a_target_survives_some_cases(name: str, tmp_path: Path) -> None:
    target = target_at(TARGETS[name])
    for number in range(N_CASES.get(name, 20)):
        folder = tmp_path / str(number)
        folder.mkdir()
        told = outcome(target, target.make(random_of(name, 7, number)), folder)
        assert told["end"] in (READ, REFUSED), (number, told["detail"])


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        (b"--shuffle 99999", b"--shuffle 99"),
        (b"-p repeats=10000,x=1", b"-p repeats=10,x=1"),
        (b"folds=2,repeats=1_000", b"folds=2,repeats=1_0"),
        (b"--shuf=100001234", None),
    ],
)
def test_commands_repeat_nothing_very_often(typed: bytes, asked: bytes | None) -> None:
    assert in_time(typed) == (asked or typed)


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_survive_some_cases(name: str) -> None:
    report = fuzz(TARGETS[name], seed=7, cases=N_CASES[name], limits=Limits(waiting=120.0))
    assert not report.failures and report.cases == N_CASES[name]
