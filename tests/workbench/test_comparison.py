"""Runs compared in words in the Evaluate tab, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QPushButton, QTableWidget, QWidget

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.evaluation.methods import CrossValidation, TrainingSet
from algorithms.trees.zero_r import ZeroR
from tests.workbench.toy import Plain, ToyModel
from tests.workbench.window_helpers import small_data
from workbench.evaluate.tab import EvaluateTab
from workbench.runs import Run
from workbench.session import Session

Wait = Callable[..., None]
TEN = CrossValidation()


@pytest.fixture
def session(qapp: QApplication, wait_until: Wait) -> Iterator[Session]:
    registry = builtin()
    registry.add_learner(Plain, ToyModel)
    session = Session(registry)
    session.set_document(small_data(60))
    wait_until(lambda: session.summary is not None)
    yield session
    assert session.close()


@pytest.fixture
def tab(session: Session) -> Iterator[EvaluateTab]:
    tab = EvaluateTab(session)
    tab.resize(1100, 700)
    tab.show()
    yield tab
    tab.close()
    tab.deleteLater()


def judged(session: Session, wait_until: Wait, learner: Learner, method: Method = TEN, seed: int = 1) -> Run:
    session.start_run(learner, method, seed)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running)
    session.turns.finish()
    return run


def said(tab: EvaluateTab, name: str) -> str:
    return tab.findChild(QLabel, f"evaluate.comparison.{name}").text()


def compare(tab: EvaluateTab) -> None:
    QTest.mouseClick(tab.findChild(QPushButton, "evaluate.compare"), Qt.MouseButton.LeftButton)


def tick(tab: EvaluateTab, row: int) -> None:
    runs = tab.findChild(QListWidget, "evaluate.curve.runs")
    runs.setFocus()
    runs.setCurrentRow(row)
    QTest.keyClick(runs, Qt.Key.Key_Space)


def rows(tab: EvaluateTab) -> list[str]:
    table = tab.findChild(QTableWidget, "evaluate.comparison.tests")
    return [table.item(row, 0).text() for row in range(table.rowCount())]


def test_two_ticked_runs_are_compared_in_words_with_the_tests_under_them(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR())
    judged(session, wait_until, Plain())
    compare(tab)
    assert said(tab, "headline") == "Which runs?"
    tick(tab, 1)
    wait_until(lambda: "Comparing" not in said(tab, "headline"))
    words = said(tab, "headline") + said(tab, "words")
    assert "tell these two apart with 60 records" in words or "right more often" in words or "the same" in words
    assert "times in 100" in said(tab, "words")
    assert rows(tab)[:2] == ["Corrected resampled t", "Paired t"]
    table = tab.findChild(QTableWidget, "evaluate.comparison.tests")
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("Test\tValue\tChance")
    assert "Nadeau and Bengio" in table.item(0, 0).toolTip()


def test_the_picture_comes_back_with_all_that_belongs_to_it(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR())
    about_curve = [tab.findChild(QWidget, f"evaluate.{name}") for name in ("roc", "curve.kind", "curve.save")]
    compare(tab)
    assert not any(widget.isVisible() for widget in about_curve)
    assert tab.findChild(QListWidget, "evaluate.curve.runs").isVisible()
    compare(tab)
    assert all(widget.isVisible() for widget in about_curve)


def test_several_runs_are_compared_with_the_best_and_ranked(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    for learner, seed in ((ZeroR(), 1), (Plain(), 1), (Plain(), 1)):
        judged(session, wait_until, learner, seed=seed)
    compare(tab)
    tick(tab, 1)
    tick(tab, 2)
    wait_until(lambda: any(name.startswith("Lead over") for name in rows(tab)))
    assert "Friedman" in rows(tab)
    assert "Ranks that differ lie apart by" in rows(tab)
    assert "Holm" in said(tab, "words")


def test_what_flatters_itself_is_not_compared_and_why_is_said(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR(), TrainingSet())
    judged(session, wait_until, Plain())
    compare(tab)
    tick(tab, 1)
    wait_until(lambda: said(tab, "headline") == "These cannot be compared")
    assert "own training records" in said(tab, "words")
    assert not tab.findChild(QTableWidget, "evaluate.comparison.tests").isVisible()
