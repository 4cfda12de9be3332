"""A run that was stopped goes on where it was when it is started once more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from algorithms.core.errors import ModelFileError
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import CrossValidation, LeaveOneOut
from algorithms.evaluation.runner import FoldOutcome, evaluate
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.learners.trees.stump import DecisionStump
from algorithms.project.kept_runs import parts_from_json, parts_to_json
from tests.expected_texts import session as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, small_data
from workbench.autosave.session_serialization import open_project
from workbench.session.runs import Run, RunState
from workbench.session.session import Session

LEARNER = Tuned(base=DecisionStump(), tried="min_leaf=1,2,5", folds=3)


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(60))


def started(session: Session, seed: int = 1, method: object = None) -> Run:
    session.start_run(LEARNER, method or LeaveOneOut(), seed)
    run = session.current_run
    assert run is not None
    return run


def test_a_stopped_run_goes_on_and_says_so(session: Session, wait_until: Wait) -> None:
    first = started(session)
    wait_until(lambda: len(first.folds) > 5, 60)
    assert first.job is not None
    first.job.stop()
    wait_until(lambda: first.state is RunState.STOPPED and not session.jobs.running)
    n_kept = len(first.parts)
    assert n_kept > 5
    second = started(session)
    assert second.parts is first.parts
    assert wording.RUN_2_GOES_ON in session.messages.history[-1].text
    wait_until(lambda: second.state is RunState.DONE, 120)
    assert second.parts == {}
    assert len(second.folds) == 60
    assert second.result is not None and second.result.n_records == 60


def test_another_seed_or_way_of_judging_begins_anew(session: Session, wait_until: Wait) -> None:
    first = started(session)
    wait_until(lambda: len(first.folds) > 2, 60)
    assert first.job is not None
    first.job.stop()
    wait_until(lambda: first.state is RunState.STOPPED)
    for other in (started(session, seed=2), started(session, method=CrossValidation(folds=3))):
        assert other.parts is not first.parts
        assert other.job is not None
        other.job.stop()
    wait_until(lambda: not session.jobs.running)


def test_a_stopped_run_goes_on_after_the_program_was_closed(
    stage: Stage, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    """With the folds that are judged, and the settings that were tried inside the others."""
    method = CrossValidation(folds=12)
    first = started(session, method=method)
    wait_until(lambda: len(first.folds) > 2, 60)
    assert first.job is not None
    first.job.stop()
    wait_until(lambda: first.state is RunState.STOPPED and not session.jobs.running)
    assert {name.split()[0] for _, _, name in first.parts} == {"fold", "setting"}
    path, before = str(tmp_path / "stopped.coppice"), set(first.parts)
    session.saving.save_project(path)
    wait_until(lambda: not session.jobs.running and not session.saving.is_unsaved, 60)

    later = stage.session()
    open_project(later, path)
    wait_until(lambda: len(later.runs) == 1 and not later.jobs.running, 60)
    assert before <= later.runs[0].parts.keys() <= first.parts.keys()  # a part may be done while the work winds down
    second = started(later, method=method)
    assert second.parts is later.runs[0].parts
    assert wording.RUN_2_GOES_ON in later.messages.history[-1].text
    wait_until(lambda: second.state is RunState.DONE, 120)
    in_one_go = evaluate(LEARNER, first.data, method, RunContext(seed=1).child(1, key=0, same_seed=True))
    assert second.result is not None
    assert second.result.probabilities.tobytes() == in_one_go.probabilities.tobytes()
    for mine, theirs in zip(second.result.searches, in_one_go.searches, strict=True):
        assert mine.losses.tobytes() == theirs.losses.tobytes()


def test_a_damaged_part_is_refused(session: Session, wait_until: Wait) -> None:
    first = started(session, method=CrossValidation(folds=12))
    wait_until(lambda: len(first.folds) > 2, 60)
    assert first.job is not None
    first.job.stop()
    wait_until(lambda: first.state is RunState.STOPPED and not session.jobs.running)
    arrays: list[Any] = []

    class Things:
        """Writes and reads arrays by their place in a list."""

        def array(self, array: Any) -> int:
            arrays.append(array)
            return len(arrays) - 1

        def get(self, number: Any, _kind: type) -> Any:
            return arrays[number]

    things: Any = Things()
    parts = parts_to_json(first.parts, 1, things)
    assert parts_from_json(parts, 1, 2, things).keys() == first.parts.keys()
    assert parts_to_json(first.parts, 2, things) == []
    folds = {key: made for key, made in first.parts.items() if isinstance(made, FoldOutcome)}
    differing = {key: replace(made, differences=("A column is new.",)) for key, made in folds.items()}
    again = parts_from_json(parts_to_json(differing, 1, things), 1, 2, things)
    assert {made.differences for made in again.values()} == {(wording.A_COLUMN_IS_NEW,)}
    wrong_types: list[dict[str, Any]] = [
        {"class_weights": parts[0]["places"]},
        {"numbers": parts[0]["places"]},
        {"searches": []},
        {"differences": [1] * len(folds)},
    ]
    fold_part = next(part for part in parts if part["part"] == "fold")
    for harm in wrong_types:
        with pytest.raises(ModelFileError):
            parts_from_json([{**fold_part, **harm}], 1, 2, things)
    with pytest.raises(ModelFileError):
        parts_from_json(parts, 1, 3, things)
