"""The program does what was recorded of it: the command line in part, and every stored model and project."""

from __future__ import annotations

import json
import math

import pytest
from PySide6.QtWidgets import QApplication

from algorithms.catalogue import builtin
from tests.recording.command_line import folder_with_tables, run_case
from tests.recording.commands import PATIENTS, Case, cases, model_name
from tests.recording.differences import TOLERANCE, differences_of
from tests.recording.models import read_models
from tests.recording.projects import read_projects
from tests.recording.storage import DATA, ENVIRONMENT, SUFFIX, Entries, read_entries, text_of

HOW_TO = "If this is intended: python -m tests.recording record, and say so in the commit."


HINGES_ON_LAST_BITS = {"learner/adaboost/patients", "learner/neural-network/loans", "filter/principal-components/iris"}
"""Cases with ties that a last bit breaks, or with hundreds of steps: on other processors their numbers say nothing."""


def recorded(part: str) -> Entries:
    return read_entries(DATA / f"{part}{SUFFIX}")


def assert_same(before: Entries, now: Entries, tolerance: float = TOLERANCE) -> None:
    """Fails with path, before and now of each value that differs; numbers as they are in a file.

    The tolerance counts where the numbers were made with other libraries or on another kind of processor.
    """
    written = json.loads(text_of(now))
    changed = [str(each) for each in differences_of(before, written, tolerance=tolerance) if not each.is_words]
    assert not changed, "\n".join([f"{len(changed)} changed values", *changed[:40], HOW_TO])


def test_every_stored_model_opens_and_predicts_the_same() -> None:
    before = recorded("models")
    assert {model_name(learner.id, PATIENTS) for learner in builtin().learners} <= set(before)
    assert_same(before, read_models(DATA / "models"))


def test_every_stored_project_opens_with_all_that_is_in_it(qapp: QApplication) -> None:
    assert_same(recorded("projects"), read_projects(DATA / "projects"))


COMMANDS = [case for case in cases(builtin()) if case.n_fast]


@pytest.fixture(scope="module")
def commands() -> Entries:
    return recorded("commands")


@pytest.mark.parametrize("case", COMMANDS, ids=lambda case: case.name)
def test_a_command_prints_what_it_printed(case: Case, commands: Entries) -> None:
    assert case.name in commands, f"{case.name} is not recorded. {HOW_TO}"
    with folder_with_tables():
        now = run_case(case, case.n_fast)
    before = {case.name: commands[case.name][: case.n_fast], ENVIRONMENT: commands[ENVIRONMENT]}
    assert_same(before, {case.name: now}, math.inf if case.name in HINGES_ON_LAST_BITS else TOLERANCE)


def test_each_learner_filter_method_and_curve_is_run_once() -> None:
    registry = builtin()
    for kind, shelf in (("learner", registry.learners), ("filter", registry.filters), ("method", registry.methods)):
        assert {component.id for component in shelf} <= {
            case.name.split("/")[1] for case in COMMANDS if case.name.startswith(f"{kind}/")
        }
