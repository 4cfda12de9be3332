"""What fails or is stopped is said where its result would be, with the button that tries again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.trees.stump import DecisionStump
from tests.expected_texts import session as wording
from tests.workbench.stage import Stage
from tests.workbench.toy import Broken, ToyModel
from tests.workbench.window_helpers import Wait, click, judged, part
from workbench.app.main_window import MainWindow
from workbench.session.run_analyses import SIZES
from workbench.session.runs import Run, RunState
from workbench.tabs.evaluate.tab import BIAS_VARIANCE, LEARNING_CURVE, PERMUTATION_TEST, EvaluateTab
from workbench.widgets.examples import AXES, EmptyPage, FaintExample

CLASSIFY, EVALUATE, VISUALIZE = 1, 2, 3


@pytest.fixture
def iris(stage: Stage, wait_until: Wait) -> MainWindow:
    registry = builtin()
    registry.add_learner(Broken, ToyModel)
    window = stage.window(registry=registry)
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    return window


def evaluate(window: MainWindow) -> EvaluateTab:
    tab = window.tabs.tab(EVALUATE)
    assert isinstance(tab, EvaluateTab)
    return tab


def stopped(window: MainWindow, wait_until: Wait, learner: Learner) -> Run:
    window.session.start_run(learner, CrossValidation())
    run = window.session.current_run
    assert run is not None
    run.stop()
    wait_until(lambda: run.state is RunState.STOPPED)
    return run


def test_a_failed_run_is_told_on_its_pages_and_moves_none_of_them(iris: MainWindow, wait_until: Wait) -> None:
    iris.show_tab(EVALUATE)
    wait_until(part(iris, QPushButton, "evaluate.empty.make").isVisible)
    bar, page = part(iris, QWidget, "messages"), evaluate(iris)
    top = page.mapTo(iris, page.rect().topLeft())
    run = judged(iris.session, wait_until, Broken(), CrossValidation(folds=3))
    assert run.state is RunState.FAILED and bar.isHidden()
    assert page.mapTo(iris, page.rect().topLeft()) == top
    assert part(iris, QLabel, "jobs.said").text() == wording.RUN_1_FAILED
    assert page._empty.words.text() == run.message


@pytest.mark.parametrize(("tab", "name"), [(EVALUATE, "evaluate.empty.make"), (VISUALIZE, "visualize.empty.make")])
def test_a_stopped_run_has_its_button_on_every_page(iris: MainWindow, wait_until: Wait, tab: int, name: str) -> None:
    run = stopped(iris, wait_until, RandomForest(members=500))
    iris.show_tab(tab)
    button = part(iris, QPushButton, name)
    wait_until(lambda: button.isVisible() and button.text() == wording.TRY_AGAIN)
    click(button)
    again = iris.session.current_run
    assert again is not None and again is not run and again.learner == run.learner
    again.stop()


def test_a_stopped_analysis_says_so_in_its_pane(iris: MainWindow, wait_until: Wait) -> None:
    session = iris.session
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    iris.show_tab(EVALUATE)
    wait_until(part(iris, QWidget, "evaluate.roc").isVisible)
    pages, analyses = evaluate(iris).pages, session.analyses
    begin: dict[int, tuple[str, Callable[[], object]]] = {
        LEARNING_CURVE: ("sweep", lambda: analyses.learning_curves.start(run, SIZES)),
        BIAS_VARIANCE: ("leaning", lambda: pages.further[BIAS_VARIANCE].start()),
        PERMUTATION_TEST: ("shuffle", lambda: analyses.permutation_tests.start(run, 999)),
    }
    for view, (name, start) in begin.items():
        pages.show_view(view)
        note = part(iris, QLabel, f"evaluate.{name}.failure")
        wait_until(part(iris, QPushButton, f"evaluate.{name}.start").isVisible)
        assert not note.isVisible()
        start()
        for job in session.jobs.running:
            job.stop()
        wait_until(note.isVisible)
        assert note.text() == wording.STOPPED_EARLY
        assert part(iris, QPushButton, f"evaluate.{name}.start").text() == wording.TRY_AGAIN


def test_an_analysis_that_fails_says_why_in_its_pane(iris: MainWindow, wait_until: Wait) -> None:
    session = iris.session
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    session.ledger.update(run, learner=Broken())
    iris.show_tab(EVALUATE)
    pages = evaluate(iris).pages
    pages.show_view(BIAS_VARIANCE)
    wait_until(part(iris, QPushButton, "evaluate.leaning.start").isVisible)
    pages.further[BIAS_VARIANCE].start()
    note = part(iris, QLabel, "evaluate.leaning.failure")
    wait_until(note.isVisible)
    assert note.text() == wording.IT_IS_BROKEN and part(iris, QWidget, "messages").isHidden()


def test_the_example_of_a_learning_curve_has_the_axes_of_the_chart(iris: MainWindow, wait_until: Wait) -> None:
    session = iris.session
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    iris.show_tab(EVALUATE)
    pages = evaluate(iris).pages
    pages.show_view(LEARNING_CURVE)
    session.analyses.learning_curves.start(run, SIZES)
    plot = pages.further[LEARNING_CURVE].plot
    wait_until(lambda: plot.bands is not None and session.analyses.learning_curves.job_of(run) is None)
    assert AXES["curve"] == (plot.bands.across, plot.bands.upward)


def test_every_empty_page_has_an_example_that_goes_with_the_first_result(iris: MainWindow, wait_until: Wait) -> None:
    def shown() -> set[str]:
        return {example._kind for example in iris.findChildren(FaintExample) if example.isVisible()}

    iris.show_tab(CLASSIFY)
    wait_until(lambda: shown() == {"result", "runs"})
    run = judged(iris.session, wait_until, DecisionStump(), CrossValidation(folds=3))
    wait_until(lambda: not shown())
    iris.show_tab(EVALUATE)
    pages = evaluate(iris).pages
    pages.show_view(BIAS_VARIANCE)
    wait_until(lambda: shown() == {"bars", "boundary"})
    pages.further[BIAS_VARIANCE].start()
    wait_until(lambda: run.findings is not None and not iris.session.jobs.running and not shown(), 60)


@pytest.mark.parametrize(("tab", "name"), [(EVALUATE, "evaluate"), (VISUALIZE, "visualize")])
def test_what_an_empty_page_says_is_in_its_middle(iris: MainWindow, wait_until: Wait, tab: int, name: str) -> None:
    iris.show_tab(tab)
    button = part(iris, QPushButton, f"{name}.empty.make")
    wait_until(button.isVisible)
    page = button.parentWidget()
    assert isinstance(page, EmptyPage)
    middle = button.geometry().center().x()
    assert all(abs(line.geometry().center().x() - middle) <= 1 for line in (page.head, page.words))
    assert page.head.alignment() & Qt.AlignmentFlag.AlignHCenter
