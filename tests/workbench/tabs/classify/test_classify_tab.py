"""The Classify tab over a real session: choosing, starting, watching, ending early, reading the verdict."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from algorithms.compiled.ahead_of_time import PREPARING
from algorithms.core.parameters import columns
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.by_column import GroupCrossValidation, TimeHoldout
from algorithms.evaluation.methods.methods import Bootstrap632, CrossValidation, Holdout, LeaveOneOut
from algorithms.evaluation.tuning.parameter_search import NestedChoice, Tuned
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.learners.rules.edited_rules import EditedRules
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.sentences import within_sentence
from tests.expected_texts import tabs_classify as wording
from tests.expected_texts import warnings as warnings_wording
from tests.workbench.stage import Stage
from tests.workbench.toy import Broken, Plain, ToyModel
from tests.workbench.toys.reading import plain
from tests.workbench.window_helpers import Wait, click, judged, part, press, small_data
from workbench.session.runs import RunState
from workbench.session.session import Session
from workbench.tabs.classify.learner_list import REASON_ROLE
from workbench.tabs.classify.tab import ClassifyTab, differing, differs_words
from workbench.widgets.keyboard_focus import move_focus

GATE = threading.Semaphore(0)


@dataclass(frozen=True, kw_only=True)
class Gated(Plain):
    """Fits one model for each time the gate was opened, and stops when asked."""

    id = "gated"
    name = "Gated toy"

    def _fit(self, data: Dataset, context: RunContext) -> ToyModel:
        while not GATE.acquire(timeout=0.005):
            context.checkpoint()
        return super()._fit(data, context)


@dataclass(frozen=True, kw_only=True)
class Choosy(Plain):
    """Has an option that names columns."""

    id = "choosy"
    name = "Choosy toy"
    which: tuple[str, ...] = columns((), label="Columns", help="Which columns.")


@pytest.fixture
def session(stage: Stage) -> Session:
    while GATE.acquire(blocking=False):
        pass
    return stage.session(small_data(), Plain, Gated, Unprepared, Broken, Choosy)


@pytest.fixture
def tab(session: Session, stage: Stage) -> ClassifyTab:
    return stage.show(ClassifyTab(session), 1100, 700)


def button(tab: ClassifyTab, name: str) -> QPushButton:
    return tab.findChild(QPushButton, f"classify.{name}")


def words(tab: ClassifyTab, name: str) -> str:
    return tab.findChild(QLabel, f"classify.{name}").text()


def start(tab: ClassifyTab, session: Session) -> None:
    QTest.mouseClick(button(tab, "start"), Qt.MouseButton.LeftButton)
    assert session.current_run is not None


def test_without_a_table_the_tab_says_so_and_offers_to_open_one(stage: Stage) -> None:
    tab = stage.show(ClassifyTab(stage.session()), 1100, 700)
    assert wording.NO_TABLE_OPEN in words(tab, "verdict")
    assert button(tab, "open").isVisible()
    assert not button(tab, "start").isEnabled()


@pytest.mark.parametrize("height", [500, 2000])
def test_the_buttons_below_the_options_end_where_the_options_do(stage: Stage, wait_until: Wait, height: int) -> None:
    """A scroll bar beside the options takes none of the width of the buttons, and leaves no gap without one."""
    tab = stage.show(ClassifyTab(stage.session(small_data())), 900, height)
    bar = tab._scroll.verticalScrollBar()
    wait_until(lambda: bar.isVisible() is (height == 500))
    right = tab._form_pane.mapTo(tab, tab._form_pane.rect().topRight()).x() + tab._scroll.frameWidth()
    wait_until(lambda: tab.compare.mapTo(tab, tab.compare.rect().topRight()).x() == right)


@pytest.fixture
def unhurried_clicks() -> Iterator[None]:
    """Two clicks are a double click however slow the machine is."""
    usual = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(60_000)
    yield
    QApplication.setDoubleClickInterval(usual)


def test_a_double_click_on_start_starts_one_run_and_nothing_moves_under_it(
    tab: ClassifyTab, session: Session, unhurried_clicks: None
) -> None:
    tab.learners.choose(Gated)
    begin = button(tab, "start")
    place = begin.mapTo(tab, begin.rect().center())
    QTest.mouseClick(begin, Qt.MouseButton.LeftButton)
    QTest.qWait(30)
    assert tab.childAt(place) is tab.stop
    QTest.mouseDClick(tab.stop, Qt.MouseButton.LeftButton)
    assert len(session.runs) == 1
    assert session.runs[0].is_running


def test_the_settings_of_the_run_in_view_can_be_used_and_typed_ones_come_back(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    method = CrossValidation(folds=3)
    first = judged(session, wait_until, Plain(depth=7), method, 4)
    second = judged(session, wait_until, Plain(depth=9), method)
    link = button(tab, "take-settings")
    session.set_current_run(second)
    differs = part(tab, QLabel, "classify.differs")
    assert link.isVisible() and differs.isVisible() and differs.text().startswith(wording.differs(2))
    click(link)
    assert tab.learner() == second.learner and not link.isVisible()
    assert not session.messages.open, "nothing typed was lost"
    session.set_current_run(first)
    assert link.isVisible()
    tab._set(Plain(depth=5), method, 1)
    click(link)
    assert (tab.learner(), tab.methods.seed()) == (first.learner, 4)
    session.messages.open[-1].action()
    assert (tab.learner(), tab.methods.seed()) == (Plain(depth=5), 1) and link.isVisible()


def test_the_form_says_what_differs_from_the_run_in_view(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    """The form had 10 folds beside a result of 3, and only a link hinted at it."""
    judged(session, wait_until, Plain(depth=7), CrossValidation(folds=3), 1)
    differs, depth = part(tab, QLabel, "classify.differs"), within_sentence(Plain.parameter("depth").label)
    for settings, parts in (
        ((Plain(depth=7), CrossValidation(), 1), (wording.FOLDS,)),
        ((Plain(depth=5), CrossValidation(), 2), (depth, wording.FOLDS, wording.SEED)),
        ((ZeroR(), CrossValidation(folds=3), 1), (wording.LEARNER,)),
        ((Plain(depth=7), Holdout(), 1), (wording.TEST_METHOD,)),
    ):
        tab._set(*settings)
        assert differs.isVisible() and differs.text() == wording.differs(1, *parts)
    tab._set(Plain(depth=7), CrossValidation(folds=3), 1)
    assert not differs.isVisible()
    assert differs_words(3, [wording.LEARNER, wording.FOLDS, wording.SEED]) == wording.DIFFERS_IN_MANY
    assert differing((Plain(), None, None), (Tuned(base=Plain()), LeaveOneOut(), 1)) == [wording.TUNING]


def test_the_folds_of_a_run_stand_below_its_result(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, Plain(), CrossValidation(folds=3), 1)
    tab.progress.set_roomy(True)
    wait_until(tab.progress.isVisible)
    QTest.qWait(30)
    assert tab.progress.geometry().top() > tab.verdict.geometry().bottom()


def test_options_method_and_seed_come_back_after_the_settings_of_a_run_were_used(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    """What was typed for the learner of the run, and the method and seed beside another learner, were lost."""
    method = CrossValidation(folds=3)
    run = judged(session, wait_until, Plain(depth=7), method, 4)
    tab._set(Plain(depth=5), CrossValidation(folds=8), 1)
    tab._set(ZeroR(), Holdout(), 77)
    link = button(tab, "take-settings")
    click(link)
    assert tab._settings() == (run.learner, method, 4) and not link.isVisible()
    assert session.messages.open[-1].sentence == wording.settings_used(1)
    session.messages.open[-1].action()
    assert tab._settings() == (ZeroR(), Holdout(), 77)
    tab.learners.choose(Plain)
    assert tab.learner() == Plain(depth=5) and tab.methods.typed(CrossValidation) == CrossValidation(folds=8)
    for settings in ((Plain(), LeaveOneOut(), 1), (Plain(), method, 9), (Plain(), CrossValidation(folds=5), 4)):
        tab._set(*settings)
        click(link)
        session.messages.open[-1].action()
        assert tab._settings() == settings


def test_only_settings_that_the_form_can_have_are_offered(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    """The link stayed for ever for a choice of learners, edited rules, and a column that is gone."""
    method, link = CrossValidation(folds=3), button(tab, "take-settings")
    judged(session, wait_until, NestedChoice.of([Plain(), ZeroR()]), method, 4)
    tab._check()
    assert not link.isVisible()
    tab._set(Plain(depth=5), method, 1)
    tab.show_run(session.current_run)
    assert session.messages.open[-1].sentence == wording.settings_used_in_part(1)
    edited = judged(session, wait_until, EditedRules(base=Plain(depth=6)), method, 4)
    tab._check()
    assert link.isVisible()
    click(link)
    assert tab.learner() == Plain(depth=6) and not link.isVisible()
    session.ledger.update(edited, method=GroupCrossValidation(column="gone"))
    tab._check()
    assert not link.isVisible()


def test_what_was_judged_comes_into_view_again_and_is_judged_once_more_only_where_that_is_asked_for(
    tab: ClassifyTab, session: Session, wait_until: Wait, unhurried_clicks: None
) -> None:
    QApplication.setDoubleClickInterval(0)
    for learner in (ZeroR, Plain):
        tab.learners.choose(learner)
        start(tab, session)
        wait_until(lambda: not session.current_run.is_running)
    tab.learners.choose(ZeroR)
    start(tab, session)
    assert [run.number for run in session.runs] == [1, 2] and session.current_run is session.runs[0]
    told = session.messages.open[-1]
    assert told.sentence.startswith(wording.THIS_VERY_RUN)
    session.set_class(None)  # what is in view by then is another table
    told.action()
    wait_until(lambda: len(session.runs) == 3 and not session.runs[2].is_running)
    first, _, again = session.runs
    assert again.data is first.data and again.report.accuracy == first.report.accuracy
    session.ledger.remove(first)
    told.action()
    assert len(session.runs) == 2 and session.messages.history[-1].sentence == wording.RUN_1_REMOVED


def test_why_no_learner_can_take_the_data_is_said_once(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    said = tab.findChild(QLabel, "classify.learners.why-not")
    assert not said.isVisible()
    session.set_class(None)
    wait_until(said.isVisible)
    model = tab.learners.model
    assert not any(model.index(row).data(REASON_ROLE) for row in range(model.rowCount()))
    session.undo_stack.undo()
    wait_until(lambda: not said.isVisible())


def test_before_the_first_run_the_mark_to_beat_is_told(tab: ClassifyTab) -> None:
    assert wording.NOTHING_JUDGED_YET in words(tab, "verdict")
    assert wording.MARK_TO_BEAT in words(tab, "sentence")


def test_what_to_press_is_a_button_that_is_there(tab: ClassifyTab) -> None:
    assert wording.PRESS_COMPARE in words(tab, "sentence")
    press(tab, "classify.compare")
    assert wording.PRESS_COMPARE not in words(tab, "sentence") and wording.TICK_LEARNERS in words(tab, "sentence")


def choose_method(tab: ClassifyTab, method: type[Method]) -> None:
    box = part(tab, QComboBox, "classify.method")
    box.setCurrentIndex(box.findText(method.name))


def test_chosen_method_and_seed_are_used(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    tab.learners.choose(ZeroR)
    choose_method(tab, Holdout)
    percent = tab.findChild(QLineEdit, "classify.method.option.percent")
    percent.setFocus()
    percent.selectAll()
    QTest.keyClicks(percent, "50")
    seed = tab.findChild(QLineEdit, "classify.seed")
    seed.setFocus()
    seed.selectAll()
    QTest.keyClicks(seed, "9")
    start(tab, session)
    run = session.current_run
    assert run is not None
    assert (run.learner, run.method, run.seed) == (ZeroR(), Holdout(percent=50.0), 9)
    wait_until(lambda: not run.is_running)


def test_each_method_keeps_what_was_set_while_another_is_chosen(tab: ClassifyTab) -> None:
    folds = tab.findChild(QLineEdit, "classify.method.option.folds")
    folds.setFocus()
    folds.selectAll()
    QTest.keyClicks(folds, "5")
    choose_method(tab, LeaveOneOut)
    assert tab.methods.value() == LeaveOneOut()
    choose_method(tab, CrossValidation)
    assert tab.methods.value() == CrossValidation(folds=5)


def test_the_common_methods_come_before_the_rare_ones(tab: ClassifyTab, session: Session) -> None:
    box = part(tab, QComboBox, "classify.method")
    rare = {method.id: method.rare for method in session.registry.methods}
    listed = [rare[box.itemData(row)] for row in range(box.count())]
    assert len(listed) == len(rare) and listed == sorted(listed)


def test_a_method_that_goes_by_a_column_asks_for_it_before_it_can_start(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    tab.learners.choose(ZeroR)
    choose_method(tab, TimeHoldout)
    assert not button(tab, "start").isEnabled()
    assert words(tab, "why-not") == wording.CHOOSE_COLUMN_OF_ORDER
    chooser = tab.findChild(QComboBox, "classify.method.option.column")
    assert [chooser.itemText(at) for at in range(chooser.count())] == ["none", "first", "second"]
    chooser.setFocus()
    QTest.keyClick(chooser, Qt.Key.Key_Down)
    assert button(tab, "start").isEnabled()
    start(tab, session)
    run = session.current_run
    assert run is not None
    assert run.method == TimeHoldout(column="first")
    wait_until(lambda: not run.is_running)
    assert run.report is not None


@pytest.mark.parametrize(("name", "text", "told"), [("seed", "-1", "Seed"), ("method.option.folds", "1", "Folds")])
def test_wrong_option_keeps_start_shut_and_says_why(tab: ClassifyTab, name: str, text: str, told: str) -> None:
    line = tab.findChild(QLineEdit, f"classify.{name}")
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
    assert not button(tab, "start").isEnabled()
    assert words(tab, "why-not").startswith(told)


def test_verdict_is_words_first_with_figures_below(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    tab.learners.choose(ZeroR)
    start(tab, session)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running)
    assert plain(words(tab, "verdict")).startswith(wording.ACCURACY_50)
    assert "always" in words(tab, "sentence").lower()
    assert button(tab, "visualize").isVisible()


def test_folds_are_shown_as_they_come_and_finish_keeps_them(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    tab.learners.choose(Gated)
    start(tab, session)
    run = session.current_run
    assert run is not None
    wait_until(lambda: button(tab, "stop").isVisible())
    for _ in range(3):
        GATE.release()
    wait_until(lambda: len(run.folds) >= 3 and wording.RIGHT_SO_FAR in words(tab, "sofar"))
    wait_until(lambda: button(tab, "finish").isEnabled())
    QTest.mouseClick(button(tab, "finish"), Qt.MouseButton.LeftButton)
    for _ in range(3):
        GATE.release()
    wait_until(lambda: not run.is_running)
    assert run.state is RunState.PARTIAL
    told = [label.text() for label in tab.verdict.findChildren(QLabel)]
    assert any(text.startswith("Finished early") for text in told)


def test_all_lines_of_the_progress_show_the_folds_of_one_moment(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    """The mean was that of the latest fold, the count and the dots those of a fold before."""
    tab.learners.choose(Gated)
    start(tab, session)
    run, dots = session.current_run, tab.progress.bars
    assert run is not None and run.job is not None
    GATE.release(2)
    wait_until(lambda: len(dots.folds) == 2 and wording.RIGHT_SO_FAR in words(tab, "sofar"))
    before, at_announcement = words(tab, "sofar"), []

    def news_of_progress() -> None:
        run.job.progressed.emit(0.3, "")
        at_announcement.append((words(tab, "sofar"), len(dots.folds)))

    session.runs_changed.connect(news_of_progress)
    session.ledger.take_event(run, replace(run.folds[0], index=2, n_right=0))
    wait_until(lambda: bool(at_announcement))
    assert at_announcement == [(before, 2)]
    wait_until(lambda: len(dots.folds) == 3)
    assert words(tab, "sofar") != before


@dataclass(frozen=True, kw_only=True)
class Unprepared(Plain):
    """Needs loops that are still being compiled."""

    id = "unprepared"
    name = "Unprepared toy"

    def _fit(self, data: Dataset, context: RunContext) -> ToyModel:
        context.say(f"{PREPARING}: 3 of 9 parts ready", is_waiting=True)
        while not GATE.acquire(timeout=0.005):
            context.checkpoint()
        return super()._fit(data, context)


def test_a_run_says_that_it_waits_for_compiled_loops(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    tab.learners.choose(Unprepared)
    start(tab, session)
    run = session.current_run
    assert run is not None
    wait_until(lambda: wording.LOOPS_BEING_COMPILED in words(tab, "sofar"))
    assert words(tab, "verdict") == wording.JUDGING_UNPREPARED
    QTest.mouseClick(button(tab, "stop"), Qt.MouseButton.LeftButton)


def test_stop_says_stopped_at_once(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    tab.learners.choose(Gated)
    start(tab, session)
    run = session.current_run
    assert run is not None
    wait_until(lambda: button(tab, "stop").isVisible())
    QTest.mouseClick(button(tab, "stop"), Qt.MouseButton.LeftButton)
    assert run.state is RunState.STOPPED
    session.turns.finish()
    assert words(tab, "verdict") == "Stopped"
    assert not button(tab, "stop").isVisible()
    assert button(tab, "start").isEnabled()


def test_a_stopped_run_shows_what_there_is_and_goes_on_from_it(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    tab.learners.choose(Gated)
    start(tab, session)
    GATE.release(4)
    wait_until(lambda: len(session.runs[0].folds) == 4)
    click(tab.stop)
    wait_until(lambda: words(tab, "verdict").startswith(wording.STOPPED_AFTER_4_FOLDS))
    assert wording.RIGHT_SO_FAR in words(tab, "verdict")
    resume = button(tab, "again")
    assert resume.isVisible() and resume.text() == "Resume"
    GATE.release(7)  # the other folds and the model of all records
    click(resume)
    wait_until(lambda: len(session.runs) == 2 and session.runs[1].state is RunState.DONE)
    wait_until(lambda: not resume.isVisible())


def test_failure_is_a_plain_sentence(tab: ClassifyTab, session: Session, wait_until: Wait) -> None:
    tab.learners.choose(Broken)
    start(tab, session)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running)
    assert run.state is RunState.FAILED
    assert wording.FAILED in words(tab, "verdict")
    assert words(tab, "failure") == wording.BROKEN_CHOOSE_ANOTHER


def test_options_of_a_learner_are_remembered_while_another_is_looked_at(tab: ClassifyTab) -> None:
    tab.learners.choose(Plain)
    depth = tab.findChild(QLineEdit, "classify.option.depth")
    depth.setFocus()
    depth.selectAll()
    QTest.keyClicks(depth, "8")
    tab.learners.choose(ZeroR)
    tab.learners.choose(Plain)
    assert tab.learner() == Plain(depth=8)


def test_edited_table_is_told_under_a_verdict_on_the_old_one(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    tab.learners.choose(ZeroR)
    start(tab, session)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running)
    session.set_used(["second"], False)

    def said() -> list[str]:
        return [label.text() for label in tab.verdict.findChildren(QLabel) if label.isVisible()]

    told = warnings_wording.JUDGED_ON_OLDER_TABLE
    wait_until(lambda: told in said())
    session.history.go_to(0)
    wait_until(lambda: told not in said() and session.summary is not None)
    # only the recipe has another step: the table is the same, and Classify leads to the steps
    steps = part(tab, QPushButton, "classify.steps")
    assert not steps.isVisible()
    session.set_recipe((Scale(), ReplaceMissing()), "Two steps")
    told = wording.LEARNED_WITHOUT_STEPS
    wait_until(lambda: told in said())
    assert steps.text() == wording.LEARNS_AFTER_2_STEPS
    asked: list[str] = []
    session.tab_asked.connect(asked.append)
    click(steps)
    assert asked == ["preprocess"]
    start(tab, session)
    again = session.current_run
    assert again is not None and again is not run
    wait_until(lambda: not again.is_running)
    about = part(tab, QLabel, "classify.about")
    wait_until(lambda: wording.AFTER_2_STEPS_BELOW in about.text())
    assert about.toolTip().startswith(wording.STEP_1_SCALES)


def test_tab_leads_from_the_learners_through_their_options_to_the_method_and_start(
    tab: ClassifyTab, wait_until: Wait
) -> None:
    tab.activateWindow()
    wait_until(tab.isActiveWindow)
    tab.methods.set_value(Holdout(), 1)
    tab.methods.set_value(CrossValidation(), 1)
    wait_until(part(tab, QLineEdit, "classify.method.option.folds").isVisible)
    tab.learners.view.setFocus()
    met: list[str] = []
    while len(met) < 60 and "classify.start" not in met:
        move_focus(tab, forward=True)  # what Tab does in the window
        met.append(QApplication.focusWidget().objectName())
    wanted = ["classify.option.pruning", "classify.method", "classify.method.option.folds"]
    wanted += ["classify.seed", "classify.start"]
    assert [name for name in met if name in wanted] == wanted


def test_a_form_without_columns_or_classes_stays_when_the_table_changes(tab: ClassifyTab, session: Session) -> None:
    assert session.data is not None
    before = tab.findChild(QWidget, "classify.option.pruning")
    schema = session.data.schema
    other = schema.with_attribute(0, replace(schema.attributes[0], name="other"))
    session.edit("Rename", session.data.with_schema(other))
    assert tab.findChildren(QWidget, "classify.option.pruning") == [before]


def test_a_form_of_columns_is_made_anew_when_the_tab_is_seen_again(tab: ClassifyTab, session: Session) -> None:
    assert session.data is not None
    tab.learners.choose(Choosy)
    before = tab.findChild(QWidget, "classify.option.which")
    tab.hide()
    schema = session.data.schema
    other = schema.with_attribute(0, replace(schema.attributes[0], name="other"))
    session.edit("Rename", session.data.with_schema(other))
    assert tab.findChildren(QWidget, "classify.option.which") == [before]
    tab.show()
    assert tab.findChildren(QWidget, "classify.option.which")[-1] is not before


def test_what_a_bootstrap_headline_is_made_of_is_said_below_it(
    tab: ClassifyTab, session: Session, wait_until: Wait
) -> None:
    session.start_run(ZeroR(), Bootstrap632(samples=5))
    wait_until(lambda: not session.runs[0].is_running)
    wait_until(lambda: any(".632 estimate" in each.text() for each in tab.verdict.findChildren(QLabel)))
