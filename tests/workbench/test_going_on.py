"""A run that was stopped goes on where it was when it is started once more."""

from __future__ import annotations

import pytest

from algorithms.evaluation.methods import CrossValidation, LeaveOneOut
from algorithms.evaluation.tuned import Tuned
from algorithms.trees.stump import DecisionStump
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, small_data
from workbench.runs import Run, RunState
from workbench.session import Session

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
    n_kept = len(first.kept)
    assert n_kept > 5
    second = started(session)
    assert second.kept is first.kept
    assert "Run 2 goes on from what run 1 had judged" in session.messages.history[-1].text
    wait_until(lambda: second.state is RunState.DONE, 120)
    assert second.kept == {}
    assert len(second.folds) == 60
    assert second.result is not None and second.result.n_records == 60


def test_another_seed_or_way_of_judging_begins_anew(session: Session, wait_until: Wait) -> None:
    first = started(session)
    wait_until(lambda: len(first.folds) > 2, 60)
    assert first.job is not None
    first.job.stop()
    wait_until(lambda: first.state is RunState.STOPPED)
    for other in (started(session, seed=2), started(session, method=CrossValidation(folds=3))):
        assert other.kept is not first.kept
        assert other.job is not None
        other.job.stop()
    wait_until(lambda: not session.jobs.running)
