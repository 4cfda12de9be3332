"""What is looked for beside the window: once for each table and run, however often the runs change meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QTimer

from algorithms.evaluation.checks import data_quality_checks as checks
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, small_data
from workbench.session.session import Session
from workbench.warnings.data_quality_checks import WAIT_MS


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that were looked at."""
    made: list[str] = []

    def looked(data: object, _checkpoint: object) -> Iterator[object]:
        made.append("looked")
        return iter(())

    monkeypatch.setattr(checks, "giveaways", looked)
    return made


@pytest.fixture
def flurry(session: Session) -> Iterator[QTimer]:
    """The runs change several times in each wait, as while folds come."""
    timer = QTimer()
    timer.setInterval(WAIT_MS // 10)
    timer.timeout.connect(session.runs_changed)
    yield timer
    timer.stop()


def test_it_is_looked_while_the_runs_change_all_the_time(
    stage: Stage, session: Session, wait_until: Wait, looks: list[str], flurry: QTimer
) -> None:
    findings = session.analyses.checks
    flurry.start()
    stage.open(session, small_data())
    wait_until(lambda: looks, 10)
    assert findings.giveaways == ()


def test_work_that_is_under_way_is_not_begun_again(
    stage: Stage, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch, flurry: QTimer
) -> None:
    go, begun, turns = threading.Event(), list[int](), list[int]()

    def looked(_data: object, checkpoint: object) -> tuple[()]:
        begun.append(1)
        assert go.wait(30)
        return ()

    monkeypatch.setattr(checks, "giveaways", looked)
    findings = session.analyses.checks
    stage.open(session, small_data())
    wait_until(lambda: begun)
    ticks = findings._timer.timeout
    ticks.connect(lambda: turns.append(1))
    flurry.timeout.connect(lambda: turns.append(0))
    flurry.start()
    wait_until(lambda: len(turns) > 30)
    go.set()
    wait_until(lambda: not session.jobs.running)
    assert len(begun) == 1


def test_what_failed_is_not_tried_again_until_the_table_is_another(
    stage: Stage, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch, flurry: QTimer
) -> None:
    tried, crashes, turns = list[int](), list[object](), list[int]()

    def failing(_data: object, _checkpoint: object) -> tuple[()]:
        tried.append(1)
        raise ValueError("a fault of the program")

    monkeypatch.setattr(checks, "giveaways", failing)
    findings = session.analyses.checks
    session.jobs.crashed.connect(crashes.append)
    stage.open(session, small_data())
    wait_until(lambda: crashes)
    flurry.timeout.connect(lambda: turns.append(0))
    flurry.start()
    wait_until(lambda: len(turns) > 30)
    assert len(tried) == len(crashes) == 1
    data = session.data
    assert data is not None
    session.edit("Set a cell", data.with_cells(0, np.array([0]), np.array([3.0])))
    wait_until(lambda: len(crashes) == 2)
    assert findings.giveaways == ()
