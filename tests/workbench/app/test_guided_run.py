"""The guided run waits for what the user does, in any order, and ends with Escape."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QSlider, QWidget

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from tests.workbench.window_helpers import Wait, click, full, judged, part, small_data
from workbench.app.guided_run import LEAD_MS, STEPS, GuidedRun
from workbench.app.main_window import MainWindow

CLASSIFY, EVALUATE, VISUALIZE = 1, 2, 3


@pytest.fixture
def guide(window: MainWindow) -> GuidedRun:
    """The guided run begun on the welcome page."""
    click(part(window, QPushButton, "welcome.guide"))
    return part(window, GuidedRun, "guide")


def rings(window: MainWindow, name: str) -> bool:
    """Whether the ring is around this control."""
    ring, control = part(window, QWidget, "guide.ring"), part(window, QWidget, name)
    place = control.rect().translated(control.mapTo(window, control.rect().topLeft()))
    return ring.isVisible() and ring.geometry().contains(place) and ring.height() < place.height() + 20


def test_each_step_waits_for_the_user(guide: GuidedRun, window: MainWindow, wait_until: Wait) -> None:
    wait_until(lambda: rings(window, "welcome.sample.iris"))
    assert guide.step == 0 and guide.isVisible()
    sample = part(window, QPushButton, "welcome.sample.iris")
    wait_until(sample.hasFocus)
    QTest.keyClick(sample, Qt.Key.Key_Return)
    wait_until(lambda: guide.step == 1)
    window.show_tab(CLASSIFY)
    wait_until(lambda: rings(window, "classify.start"))
    click(part(window, QPushButton, "classify.start"))
    wait_until(lambda: guide.step == 2 and rings(window, "classify.verdict"), 60)
    click(part(guide, QPushButton, "guide.next"))
    assert guide.step == 3 and not part(guide, QPushButton, "guide.next").isVisible()
    window.show_tab(VISUALIZE)
    wait_until(lambda: part(guide, QPushButton, "guide.next").isVisible())
    click(part(guide, QPushButton, "guide.next"))
    window.show_tab(EVALUATE)
    wait_until(lambda: rings(window, "evaluate.threshold"))
    part(window, QSlider, "evaluate.threshold").setValue(300)
    wait_until(lambda: guide.step == len(STEPS))
    click(part(guide, QPushButton, "guide.next"))
    wait_until(lambda: not window.findChildren(GuidedRun) and window.findChild(QWidget, "guide.ring") is None)


def test_what_is_done_otherwise_is_followed(window: MainWindow, guide: GuidedRun, wait_until: Wait) -> None:
    session = window.session
    session.set_document(small_data())
    wait_until(lambda: guide.step == 1 and part(window, QWidget, "tabs").isEnabled())
    window.show_tab(EVALUATE)
    judged(session, wait_until, C45(), CrossValidation(folds=2))
    assert guide.step == 2
    session.remove_runs(*session.runs)
    assert guide.step == 1, "a model has to be trained again"


def test_the_keyboard_stays_where_the_user_works(window: MainWindow, wait_until: Wait) -> None:
    full(window, wait_until)
    window.start_guide()
    window.show_tab(CLASSIFY)
    guide = part(window, GuidedRun, "guide")
    wait_until(part(guide, QPushButton, "guide.next").hasFocus)
    QTest.qWait(2 * LEAD_MS)
    elsewhere = part(window, QWidget, "classify.start")
    elsewhere.setFocus()
    assert elsewhere.hasFocus()
    guide._go_on()
    QTest.qWait(2 * LEAD_MS)
    assert elsewhere.hasFocus()


def test_the_hint_never_covers_its_control(window: MainWindow, wait_until: Wait) -> None:
    full(window, wait_until)
    window.start_guide()
    guide, ring = part(window, GuidedRun, "guide"), part(window, QWidget, "guide.ring")
    for tab in (CLASSIFY, EVALUATE, VISUALIZE):
        window.show_tab(tab)
        wait_until(lambda: ring.isVisible() and window.rect().contains(guide.geometry()))
        assert not guide.geometry().intersects(ring.geometry())


def test_escape_ends_it(window: MainWindow, guide: GuidedRun, wait_until: Wait) -> None:
    assert guide.accessibleDescription().startswith("1 of 5")
    wait_until(lambda: part(window, QWidget, "welcome.sample.iris").hasFocus())
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    wait_until(lambda: not window.findChildren(GuidedRun) and window.findChild(QWidget, "guide.ring") is None)


def test_it_begins_where_the_user_is_and_only_once(window: MainWindow, wait_until: Wait) -> None:
    full(window, wait_until)
    window.actions_.named["guide"].trigger()
    window.actions_.named["guide"].trigger()
    wait_until(lambda: len(window.findChildren(GuidedRun)) == 1)
    assert part(window, GuidedRun, "guide").step == 2
