"""A learner that only registers itself is in the list, has a form, and can be judged."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QPushButton

from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import widgets as wording
from tests.workbench.stage import Stage
from tests.workbench.toy import Everything, Picky, Plain
from tests.workbench.window_helpers import Wait, small_data
from workbench.session.runs import RunState
from workbench.session.session import Session
from workbench.tabs.classify.tab import ClassifyTab


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(), Plain, Picky, Everything)


@pytest.fixture
def tab(session: Session, stage: Stage) -> ClassifyTab:
    return stage.show(ClassifyTab(session), 1100, 700, active=True)


def lines(tab: ClassifyTab) -> list[str]:
    view = tab.findChild(QListView, "classify.learners")
    return [view.model().index(row, 0).data() for row in range(view.model().rowCount())]


def choose_by_typing(tab: ClassifyTab, words: str) -> None:
    search = tab.findChild(QLineEdit, "classify.search")
    search.setFocus()
    search.clear()
    QTest.keyClicks(search, words)
    QTest.keyClick(search, Qt.Key.Key_Return)


def test_registered_toy_is_listed_under_its_family(tab: ClassifyTab) -> None:
    assert "Plain toy" in lines(tab)
    assert lines(tab).index("Toys") < lines(tab).index("Plain toy")


def test_toy_is_found_set_and_judged_with_the_keyboard_alone(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    choose_by_typing(tab, "plain toy")
    depth = tab.findChild(QLineEdit, "classify.option.depth")
    depth.setFocus()
    depth.selectAll()
    QTest.keyClicks(depth, "7")
    QTest.keyClick(depth, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    run = session.current_run
    assert run is not None
    assert run.learner == Plain(depth=7)
    wait_until(lambda: not run.is_running)
    assert run.state is RunState.DONE
    assert tab.findChild(QLabel, "classify.verdict").accessibleName().startswith(evaluation_wording.judged_right(50))


def test_toy_that_cannot_take_the_data_says_why_and_does_not_start(tab: ClassifyTab, session: Session) -> None:
    choose_by_typing(tab, "picky")
    start = tab.findChild(QPushButton, "classify.start")
    why = tab.findChild(QLabel, "classify.why-not")
    assert not start.isEnabled()
    assert wording.NEEDS_NOMINAL_ONLY in why.text()
    assert why.isVisible()
    assert session.runs == ()


def test_toy_of_everything_has_an_editor_for_each_parameter(tab: ClassifyTab) -> None:
    choose_by_typing(tab, "toy of everything")
    tab.findChildren(QPushButton, "classify.more")[-1].click()
    named = {child.objectName() for child in tab.findChildren(object)}
    assert {f"classify.option.{p.name}" for p in Everything.parameters()} <= named
