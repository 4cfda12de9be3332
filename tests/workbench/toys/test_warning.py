"""A new warning takes one function in one list, and is in the strip, the verdict, the text and the JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from algorithms.cli import main
from algorithms.evaluation.checks.warnings import DATA_WARNINGS, RECORD_WARNINGS, TEST_WARNINGS
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import toys as wording
from tests.expected_texts import warnings as warnings_wording
from tests.workbench.stage import Stage
from tests.workbench.toys.odd_warnings import even_tests, judged_on_friday, spaced_names
from tests.workbench.toys.reading import check_texts, plain
from tests.workbench.window_helpers import Wait, judged
from workbench.session.session import Session
from workbench.warnings.warnings import facts


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    DATA_WARNINGS.append(spaced_names)
    TEST_WARNINGS.append(even_tests)
    RECORD_WARNINGS.append(judged_on_friday)
    yield
    DATA_WARNINGS.remove(spaced_names)
    TEST_WARNINGS.remove(even_tests)
    RECORD_WARNINGS.remove(judged_on_friday)


@pytest.fixture
def session(stage: Stage, wait_until: Wait) -> Session:
    session = stage.session()
    session.open_sample("iris")
    wait_until(lambda: session.summary is not None)
    return session


def test_the_window_shows_it_with_its_remedy(session: Session, wait_until: Wait) -> None:
    run = judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    shown = {fact.name: fact for fact in facts(session, session.analyses.checks) if fact.name.startswith("toy-")}
    assert set(shown) == {"toy-blank", "toy-even", "toy-friday"}
    assert plain(shown["toy-even"].sentence) == wording.TESTS_ARE_EVEN
    assert shown["toy-even"].remedy == "" and "half wrong" in shown["toy-even"].why
    assert plain(shown["toy-blank"].sentence) == wording.BLANK_IN_NAME
    assert shown["toy-blank"].remedy == warnings_wording.LEAVE_IT_OUT and "first word" in shown["toy-blank"].why
    check_texts([text for fact in shown.values() for text in (fact.sentence, fact.why, fact.remedy)])
    assert wording.TESTED_ON_A_FRIDAY in session.analyses.checks.leaks_of(run)
    assert shown["toy-blank"].act is not None
    shown["toy-blank"].act(session)
    assert session.data is not None and not session.data.schema.attributes[3].used


def test_the_command_line_prints_it_with_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", "sample:iris", "--learner", "zero-r", "--method", "cross-validation:folds=3"]
    assert main([*command, "--json"]) == 0
    found = {each["id"]: each for each in json.loads(capsys.readouterr().out)["warnings"]}
    assert found["toy-blank"]["remedy"] == wording.RENAME_IN_FILE
    assert found["toy-even"] == {
        "id": "toy-even",
        "sentence": wording.TESTS_ARE_EVEN,
        "why": wording.HALF_RIGHT_HALF_WRONG,
        "remedy": "",
    }
    assert main(command) == 0
    printed = capsys.readouterr().err
    assert wording.WARNING_OF_BLANK in printed
    assert wording.RENAME_IN_FILE in printed and wording.WARNING_OF_FRIDAY in printed
