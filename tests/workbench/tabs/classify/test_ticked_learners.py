"""The learners to compare are ticked in the list: by keys, links and search."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import tabs_classify as wording
from tests.workbench.tabs.classify.compared_learners import (
    Knowing,
    Last,
    OpenTab,
    compare,
    is_over,
    words,
)
from tests.workbench.toy import Broken
from tests.workbench.window_helpers import Wait, activate, part, press
from workbench.tabs.classify.learner_list import CHOSEN
from workbench.tabs.classify.methods import PLACE, next_run_from
from workbench.widgets.keyboard_focus import in_reading_order


def test_only_the_learners_that_are_ticked_are_compared(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing, Broken, Last)
    press(tab, "classify.compare")
    assert tab.several.text() == wording.TRAIN_4_LEARNERS
    for learner in (Broken, ZeroR):
        at = tab.learners.view.visualRect(tab.learners.model.index_of(learner)).center()
        QTest.mouseClick(tab.learners.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert tab.several.text() == wording.TRAIN_2_LEARNERS
    compare(tab)
    wait_until(lambda: is_over(session))
    assert [run.learner.id for run in session.runs] == ["knowing", "last"]
    tab.learners.choose(Last)
    QTest.keyClick(tab.learners.view, Qt.Key.Key_Space)
    assert not tab.several.isEnabled()
    assert tab.several.toolTip() == wording.SELECT_TWO
    press(tab, "classify.several.all")
    assert tab.several.text() == wording.TRAIN_4_LEARNERS and tab.several.isEnabled()


def test_space_ticks_a_learner_and_enter_trains_those_that_are_ticked(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing, Last)
    press(tab, "classify.compare")
    tab.learners.choose(Last)
    QTest.keyClick(tab.learners.view, Qt.Key.Key_Space)
    assert Last.id not in tab.learners.model.ticked
    QTest.keyClick(tab.learners.view, Qt.Key.Key_Return)
    assert Last.id not in tab.learners.model.ticked
    wait_until(lambda: is_over(session))
    assert [run.learner.id for run in session.runs] == [ZeroR.id, Knowing.id]


def test_the_links_tick_what_the_search_shows_and_the_others_are_counted(opened_tab: OpenTab) -> None:
    _, tab = opened_tab(Knowing, Broken, Last)
    press(tab, "classify.compare")
    tab.learners.model.tick({Last.id})
    tab.learners.search.setText("know")
    press(tab, "classify.several.all")
    assert tab.learners.model.ticked == {Knowing.id, Last.id}
    assert words(tab, "method").endswith(wording.SEARCH_HIDES_1)
    press(tab, "classify.several.none")
    assert tab.learners.model.ticked == {Last.id}


def test_the_link_of_the_usual_learners_comes_after_those_that_stand_there(opened_tab: OpenTab) -> None:
    _, tab = opened_tab(Knowing, Broken, Last)
    press(tab, "classify.compare")

    def links() -> list[str]:
        order = in_reading_order(tab.compared.above, QWidget.isVisible)
        return [link.objectName().rpartition(".")[2] for link in order if link in tab.compared._links.values()]

    tab.learners.model.tick({Last.id})
    assert links() == ["all", "none", "usual"]
    tab.learners.model.tick(())
    assert links() == ["all", "usual"]


def test_ticked_learners_are_counted_and_stand_first_with_the_links_above(
    opened_tab: OpenTab, wait_until: Wait
) -> None:
    """None, then some: they come first at the next look, and do not move while others are ticked."""
    session, tab = opened_tab(Knowing, Broken, Last)
    press(tab, "classify.compare")
    model = tab.learners.model
    assert tab.compared.above.geometry().bottom() < tab.learners.geometry().top()
    press(tab, "classify.several.none")
    assert words(tab, "count") == wording.chosen(0, len(model.applicable))
    model.tick({Last.id, ZeroR.id})
    before = [item.learner for item in model._entries]
    assert words(tab, "count") == wording.chosen(2, len(model.applicable)) and CHOSEN not in [model._entries[0].text]
    tab.set_comparing(False)
    assert [item.learner for item in model._entries] == before
    tab.set_comparing(True)
    assert model._entries[0].text == CHOSEN
    assert {item.learner for item in model._entries[1:3]} == {Last, ZeroR}
    assert len(model._entries) >= len(before) and tab.learners.view.currentIndex().isValid()
    compare(tab)
    wait_until(lambda: is_over(session))
    tab._check()
    known = words(tab, "count")
    assert known.startswith(wording.chosen(2, len(model.applicable)) + wording.ABOUT)
    assert wording.some_of_them_took(2) not in known
    model.tick({Last.id, ZeroR.id, Knowing.id})
    partly = words(tab, "count")
    took = wording.chosen(3, len(model.applicable)) + wording.some_of_them_took(2)
    assert partly.startswith(took), "the time of what has run is worth knowing"
    model.tick({Knowing.id, Broken.id})
    assert words(tab, "count") == wording.chosen(2, len(model.applicable))


def test_a_search_does_not_outlast_the_list_it_was_made_in(opened_tab: OpenTab) -> None:
    _, tab = opened_tab(Knowing, Last)
    tab.learners.search.setText("know")
    press(tab, "classify.compare")
    assert tab.learners.search.text() == ""
    assert tab.learners.model.shown >= {Knowing.id, Last.id}


def test_the_link_that_clears_the_ticks_keeps_the_keyboard(opened_tab: OpenTab, wait_until: Wait) -> None:
    """It is of no use then, but Enter again would press another link."""
    _, tab = opened_tab(Knowing, Broken, Last)
    press(tab, "classify.compare")
    activate(tab, wait_until)
    clear = part(tab, QPushButton, "classify.several.none")
    clear.setFocus()
    wait_until(clear.hasFocus)
    for _ in range(2):
        QTest.keyClick(clear, Qt.Key.Key_Return)
        assert tab.learners.model.ticked == set() and clear.hasFocus()
    tab.compared.limit.control.setFocus()
    tab.learners.model.tick({Last.id})
    tab.learners.model.tick(())
    assert not clear.isVisible()


def test_ticks_are_remembered_while_an_option_is_wrong(opened_tab: OpenTab) -> None:
    session, tab = opened_tab(Knowing, Last)
    before = tab.learner()
    depth = part(tab, QLineEdit, "classify.option.depth")
    QTest.keyClicks(depth, "?")
    assert tab.learner() is None
    tab.learners.model.tick({ZeroR.id})
    kept = next_run_from(session.place[PLACE], session.registry)
    assert kept is not None and kept.ticked == {ZeroR.id} and kept.learner == before


def test_a_compared_learner_keeps_the_options_that_were_set_for_it(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing, Last)
    tab.show_run(session.ledger.new(Knowing(depth=3), CrossValidation(folds=2), 1))
    compare(tab)
    wait_until(lambda: is_over(session))
    assert [run.learner for run in session.runs] == [ZeroR(), Knowing(depth=3), Last()]
    assert {run.method for run in session.runs} == {CrossValidation(folds=2)}
