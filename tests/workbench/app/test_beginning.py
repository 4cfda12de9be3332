"""What stands in the window while something is being opened, driven by mouse."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from algorithms.catalogue import builtin
from algorithms.core.registry import Sample
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import app as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, judged, part, small_data
from workbench.session.learner_comparison import ComparisonEntry, Trial


class Gate:
    """A sample that takes until it is let through, a third of the way."""

    def __init__(self) -> None:
        self.open = Event()
        self.sample = Sample("gate", "Gate", "", "", 60, 2, self._make)

    def _make(self, _size: int | None, _seed: int, context: RunContext) -> Dataset:
        context.advance(1, 3)
        while not self.open.wait(0.01):
            context.checkpoint()
        return small_data()


def test_what_is_being_opened_is_said_in_the_middle_and_can_be_stopped(stage: Stage, wait_until: Wait) -> None:
    gate, registry = Gate(), builtin()
    registry.add_sample(gate.sample)
    window = stage.window(registry=registry)
    welcome = part(window, QWidget, "welcome")
    window.open_sample("gate")
    wait_until(lambda: window.findChild(QPushButton, "opening.stop") is not None)
    assert part(window, QLabel, "opening.title").text() == wording.OPENING_GATE
    wait_until(lambda: part(window, QLabel, "opening.far").text().startswith(wording.THIRD_DONE))
    assert not welcome.isVisible() and part(window, QPushButton, "opening.stop").hasFocus()
    click(part(window, QPushButton, "opening.stop"))
    assert welcome.isVisible() and part(window, QPushButton, "welcome.open").hasFocus()
    assert window.session.data is None
    window.open_sample("gate")
    wait_until(lambda: window.findChild(QPushButton, "opening.stop") is not None and not welcome.isVisible())
    gate.open.set()
    wait_until(lambda: window.session.summary is not None)
    assert part(window, QWidget, "preprocess.records").isVisible()
    assert not welcome.isVisible()


def test_a_project_comes_into_view_whole_and_until_then_it_is_said_that_it_is_opened(
    stage: Stage, wait_until: Wait, tmp_path: Path
) -> None:
    path, method = tmp_path / "shop.coppice", CrossValidation(folds=2)
    before = stage.session(small_data())
    runs = [judged(before, wait_until, learner, method) for learner in (ZeroR(), DecisionStump())]
    before.analyses.comparison.restore(
        Trial(tuple(ComparisonEntry(at, run, has_begun=True) for at, run in enumerate(runs)), method, 1)
    )
    before.set_costs(CostMatrix(("yes", "no"), ((0.0, 10.0), (1.0, 0.0))))
    before.set_place(tab="Classify")
    before.saving.save_project(str(path))
    wait_until(path.exists)

    window = stage.window()
    session, page, ready = window.session, part(window, QWidget, "settling"), part(window, QWidget, "jobs.state")
    is_said: list[bool] = []
    is_whole: list[bool] = []

    def look(settles: bool) -> None:
        if not settles:
            trial, ranking = session.analyses.comparison.current, part(window, QWidget, "classify.several")
            is_ranked = trial is not None and trial.costs == session.costs == before.costs
            is_whole.append(is_ranked and ranking.isVisible() and session.summary is not None)

    session.document_replaced.connect(lambda: is_said.append(page.isVisible() and not ready.isVisible()))
    window.settling.changed.connect(look)
    for _time in range(2):  # over the welcome page, and over what is open
        is_said.clear()
        is_whole.clear()
        window.open_file(str(path))
        wait_until(lambda: bool(is_whole))
        assert (is_said, is_whole) == ([True], [True])
        assert not page.isVisible() and ready.isVisible()
