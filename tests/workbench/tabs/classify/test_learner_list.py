"""The list of learners asks which of them can take the data when somebody sees it, and not before."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from algorithms.core.learner import Problem
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.text.names import shortened
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, small_data
from workbench.app.main_window import MainWindow
from workbench.session.session import Session
from workbench.style.theme import DARK_NAME, LIGHT_NAME, SPACE_2, themes
from workbench.tabs.classify.learner_list import (
    REASON_ROLE,
    LearnerList,
    LearnersModel,
    LearnerView,
    reason_in_few_lines,
)


class Asked(QObject):
    """Counts how often the list was drawn anew."""

    def __init__(self, learners: LearnerList) -> None:
        super().__init__()
        self.n = 0
        learners.model.dataChanged.connect(self._count)

    def _count(self) -> None:
        self.n += 1


def test_a_list_that_nobody_sees_asks_nothing_until_it_is_seen(session: Session) -> None:
    learners = LearnerList(session)
    asked = Asked(learners)
    session.set_document(small_data())
    session.data_changed.emit()
    session.summary_changed.emit()
    assert asked.n == 0
    learners.show()
    assert asked.n == 1
    session.data_changed.emit()
    assert asked.n == 2
    learners.hide()
    learners.show()
    assert asked.n == 2
    learners.close()
    learners.deleteLater()


def test_a_reason_without_room_ends_with_its_first_sentence() -> None:
    metrics = QFontMetrics(themes.font(11))
    first = "Sepal Length is a number, and ID3 asks only about lists of values."
    reason = f"{first} Cut it into ranges, which a step does, or take C4.5."
    assert reason_in_few_lines(metrics, 140, reason) == first
    short = "Too few. Add some."
    assert reason_in_few_lines(metrics, 900, short) == short


def too_low(view: LearnerView) -> list[str]:
    """The learners whose name and reason, as they stand at the width that is seen, are higher than their line."""
    names, small = QFontMetrics(themes.font()), QFontMetrics(themes.font(11))
    width, found = view.viewport().width() - 2 * SPACE_2, []

    def height(metrics: QFontMetrics, words: str) -> int:
        return metrics.boundingRect(QRect(0, 0, width, 1000), Qt.TextFlag.TextWordWrap, words).height()

    for row in range(view.model().rowCount()):
        index = view.model().index(row, 0)
        why = index.data(REASON_ROLE)
        if why:
            needed = height(names, str(index.data())) + height(small, reason_in_few_lines(small, width, why))
            if min(view.visualRect(index).height(), view.sizeHintForIndex(index).height()) < needed:
                found.append(f"{index.data()} at {width} pixels")
    return found


def test_each_reason_has_its_room_in_the_window_whatever_its_size_and_looks(
    window: MainWindow, person: Person, wait_until: Wait
) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None)
    window.show_tab(1)
    view = person.see(LearnerView, "classify.learners")
    for name, scale in ((LIGHT_NAME, 1.0), (DARK_NAME, 1.0), (DARK_NAME, 1.25), (LIGHT_NAME, 0.8)):
        themes.choose(name)
        themes.set_scale(scale)
        for width, height in ((1280, 720), (2560, 1440)):
            window.resize(width, height)
            window.grab()
            assert not too_low(view), (width, height, name, scale)
    themes.set_scale(1.0)


def test_lines_laid_out_before_the_scroll_bar_came_are_laid_out_anew(session: Session, wait_until: Wait) -> None:
    learners = LearnerList(session)
    session.set_document(small_data())
    learners.resize(210, 2000)
    learners.show()
    wait_until(lambda: not learners.view.verticalScrollBar().isVisible())
    whole = learners.view.viewport().width()
    learners.resize(210, 400)
    wait_until(lambda: learners.view.viewport().width() < whole)
    learners.view.grab()
    assert not too_low(learners.view)
    learners.close()
    learners.deleteLater()


def test_letters_typed_at_once_belong_together_though_the_list_is_slow(stage: Stage, session: Session) -> None:
    """Of "logis" each letter chose a learner, whose options came late, so a later letter began another word."""
    shown = stage.show(LearnerList(session), 300, 600)
    for pressed, letter in enumerate("logis"):
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, letter)
        event.setTimestamp(5000 + 50 * pressed)
        QApplication.sendEvent(shown.view, event)
        if letter == "l":
            QTest.qWait(QApplication.keyboardInputInterval() + 50)
    assert shown.learner is LogisticRegression


def test_letters_typed_in_the_list_find_the_beginning_of_any_word(session: Session) -> None:
    learners = LearnerList(session)
    learners.choose_first()
    QTest.keyClicks(learners.view, "near")
    assert learners.learner is not None and learners.learner.name == "k-nearest neighbours"
    learners.close()
    learners.deleteLater()


def test_home_goes_to_the_first_learner_below_its_heading(session: Session) -> None:
    learners = LearnerList(session)
    learners.choose_first()
    first = learners.model.first()
    QTest.keyClick(learners.view, Qt.Key.Key_End)
    assert learners.view.currentIndex().row() == learners.model.rowCount() - 1
    QTest.keyClick(learners.view, Qt.Key.Key_Home)
    assert learners.view.currentIndex() == first and first.row() == 1
    learners.close()
    learners.deleteLater()


def test_the_keys_come_back_to_a_learner_that_is_seen(stage: Stage, session: Session) -> None:
    learners = stage.show(LearnerList(session), 210, 300, active=True)
    learners.choose_first()
    learners.search.setFocus()
    bar = learners.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert not learners.view.viewport().rect().intersects(learners.view.visualRect(learners.view.currentIndex()))
    learners.view.setFocus(Qt.FocusReason.TabFocusReason)
    assert learners.view.viewport().rect().contains(learners.view.visualRect(learners.view.currentIndex()))


def test_a_reason_names_a_long_column_in_brief(session: Session) -> None:
    name = "Measurement 000 of the concentration in the left ventricle after 0 hours"
    reason = "{} is numeric, and ID3 splits only on nominal attributes."
    model = LearnersModel(session.registry, lambda _learner: [Problem(reason.format(name), "", name)])
    model.common_reason = ""
    index = model.first()
    assert index.data(REASON_ROLE) == reason.format(shortened(name, 24))
    assert reason.format(name) in index.data(Qt.ItemDataRole.ToolTipRole)
