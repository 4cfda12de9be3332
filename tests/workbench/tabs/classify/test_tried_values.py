"""Several values of options: chosen in the form by mouse and keys, judged like any run, brought back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QToolButton, QWidget

from algorithms.catalogue import builtin
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.filters.discretize import Discretize
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import tabs_classify as wording
from tests.workbench.window_helpers import small_data
from workbench.session.runs import RunState
from workbench.session.session import Session
from workbench.tabs.classify.run_summary import warnings_of
from workbench.tabs.classify.tab import ClassifyTab

Wait = Callable[..., None]


@pytest.fixture
def session(qapp: QApplication, wait_until: Wait) -> Iterator[Session]:
    session = Session(builtin())
    session.set_document(small_data())
    wait_until(lambda: session.summary is not None)
    yield session
    assert session.close()


@pytest.fixture
def tab(session: Session) -> Iterator[ClassifyTab]:
    tab = ClassifyTab(session)
    tab.resize(1100, 900)
    tab.show()
    yield tab
    tab.close()


def find(tab: QWidget, kind: type, name: str) -> QWidget:
    found = tab.findChild(kind, f"classify.tried.{name}")
    assert isinstance(found, kind), name
    return found


def click(tab: QWidget, name: str, kind: type = QPushButton) -> None:
    QTest.mouseClick(find(tab, kind, name), Qt.MouseButton.LeftButton)


def write(tab: QWidget, number: int, text: str) -> None:
    line = find(tab, QLineEdit, f"{number}.values")
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(line, text)


def choose(tab: QWidget, number: int, name: str) -> None:
    combo = find(tab, QComboBox, f"{number}.option")
    at = combo.findData(name)
    assert at >= 0, name
    combo.setFocus()
    while combo.currentIndex() != at:
        QTest.keyClick(combo, Qt.Key.Key_Down if combo.currentIndex() < at else Qt.Key.Key_Up)


def use(tab: ClassifyTab, learner: type) -> None:
    tab.learners.choose(learner)


def test_a_link_offers_an_option_with_values_worth_trying(tab):
    use(tab, DecisionStump)
    assert not isinstance(tab.learner(), Tuned)
    click(tab, "add")
    assert find(tab, QComboBox, "1.option").currentData() == "min_leaf"
    assert find(tab, QLineEdit, "1.values").text() == "1, 2, 5, 10"
    tried = "min_leaf=1, 2, 5, 10"
    assert tab.learner() == Tuned(base=DecisionStump(), tried=tried)
    assert wording.FOUR_SETTINGS_BY_5_FOLDS in find(tab, QLabel, "said").text()


def test_options_of_the_recipes_steps_can_be_tried_too(tab, session, wait_until):
    session.set_recipe((Discretize(by="equal-width"),), "Cut numbers")
    session.turns.finish()
    use(tab, DecisionStump)
    click(tab, "add")
    choose(tab, 1, "recipe.1.ranges")
    write(tab, 1, "2,3")
    assert tab.learner() == Tuned(base=DecisionStump(), tried="recipe.1.ranges=2,3")
    assert tab.why_not() == ""


def test_what_makes_no_values_is_said_in_place_and_nothing_can_be_started(tab):
    use(tab, DecisionStump)
    click(tab, "add")
    write(tab, 1, "1, x")
    said = find(tab, QLabel, "said")
    assert "whole number" in said.text()
    assert said.property("tone") == "bad"
    assert "whole number" in tab.why_not()
    assert not tab.start.isEnabled()
    write(tab, 1, "1..3")
    assert tab.why_not() == ""
    assert tab.start.isEnabled()


def test_a_row_is_taken_away_again_and_another_option_is_offered(tab):
    use(tab, DecisionStump)
    click(tab, "add")
    click(tab, "add")
    first, second = (find(tab, QComboBox, f"{n}.option").currentData() for n in (1, 2))
    assert first != second
    click(tab, "1.remove", QToolButton)
    assert find(tab, QComboBox, "1.option").currentData() == second
    click(tab, "1.remove", QToolButton)
    assert tab.learner() == DecisionStump()


def test_how_settings_are_compared_can_be_chosen(tab):
    use(tab, DecisionStump)
    click(tab, "add")
    click(tab, "how")
    folds = find(tab, QLineEdit, "option.folds")
    QTest.keyClick(folds, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(folds, "3")
    assert tab.learner().folds == 3
    assert wording.BY_3_FOLDS in find(tab, QLabel, "said").text()


def test_a_learner_without_options_offers_nothing_to_try(tab):
    use(tab, ZeroR)
    assert not find(tab, QPushButton, "add").isVisible()


def test_values_are_kept_for_each_learner(tab):
    use(tab, DecisionStump)
    click(tab, "add")
    click(tab, "how")
    folds = find(tab, QLineEdit, "option.folds")
    QTest.keyClick(folds, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(folds, "7")
    use(tab, Cart)
    assert tab.learner() == Cart()
    click(tab, "add")
    assert tab.learner().folds == 5
    use(tab, DecisionStump)
    tried = "min_leaf=1, 2, 5, 10"
    assert tab.learner() == Tuned(base=DecisionStump(), tried=tried, folds=7)


def test_a_run_of_several_settings_goes_the_usual_way_and_comes_back(tab, session, wait_until):
    use(tab, DecisionStump)
    click(tab, "add")
    write(tab, 1, "1, 4")
    tab.methods.set_value(CrossValidation(folds=3), 1)
    QTest.mouseClick(tab.start, Qt.MouseButton.LeftButton)
    run = session.current_run
    wait_until(lambda: not run.is_running, 60)
    assert (run.state, run.message) == (RunState.DONE, "")
    assert run.trained.search.n_settings == 2
    assert isinstance(run.trained.learner, DecisionStump)
    said = " ".join(warnings_of(run, session.data, session.recipe))
    assert wording.BEST_OF_2_SETTINGS in said
    assert f"{run.trained.search.optimistic:.4f}" not in said
    click(tab, "1.remove", QToolButton)
    assert tab.learner() == DecisionStump()
    session.bring_back(run)
    assert tab.learner() == run.learner
    assert find(tab, QLineEdit, "1.values").text() == "1, 4"


def test_the_one_value_of_an_option_that_is_tried_takes_no_part(tab):
    use(tab, DecisionStump)
    (own,) = (line for line in tab.findChildren(QLineEdit, "classify.option.min_leaf") if line.isVisible())
    explained = own.toolTip()
    assert own.isEnabled() and explained
    click(tab, "add")
    assert not own.isEnabled()
    assert wording.TAKES_NO_PART in own.toolTip()
    assert any("(several tried)" in words.text() for words in tab.findChildren(QLabel) if words.isVisible())
    click(tab, "1.remove", QToolButton)
    assert not any("(several tried)" in words.text() for words in tab.findChildren(QLabel))
    assert own.isEnabled()
    assert own.toolTip() == explained
