"""The shuffle test in the window: started, watched, stopped, gone on with, kept; by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPushButton, QTableView
from shiboken6 import delete

from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import forecast_duration
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose, choose_entry, judged, part, press, small_data, warning_drawer
from workbench.session.session import Session
from workbench.tabs.classify.runs_model import doubts, luck_words, sentence
from workbench.tabs.evaluate.diagnostics.started_analyses import ShufflePane, forecast_label, show_forecast
from workbench.tabs.evaluate.tab import PERMUTATION_TEST, EvaluateTab
from workbench.warnings.warnings import facts


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(60))


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    return stage.show(EvaluateTab(session), 1100, 760)


def said(tab: EvaluateTab, name: str) -> str:
    return tab.findChild(QLabel, f"evaluate.shuffle.{name}").text()


def pane(tab: EvaluateTab) -> ShufflePane:
    """The pane of the permutation test."""
    found = tab.pages.further[PERMUTATION_TEST]
    assert isinstance(found, ShufflePane)
    return found


def show(tab: EvaluateTab) -> None:
    """Turn to the permutation test."""
    press(tab, "evaluate.page.diagnostics")
    tab.pages.show_view(PERMUTATION_TEST)


def choose_number(tab: EvaluateTab, number: int) -> None:
    box = part(tab, QComboBox, "evaluate.shuffle.number")
    choose(box, box.findData(number))


def test_a_run_is_tested_in_the_place_of_the_curve_and_the_verdict_stands_everywhere(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    run = judged(session, wait_until, DecisionStump(), Holdout())
    show(tab)
    assert not tab.curve.isVisible()
    assert said(tab, "headline") == wording.DOES_IT_AS_WELL_ON_SHUFFLED
    choose_number(tab, 19)
    forecast = part(tab, QLabel, "evaluate.shuffle.forecast")
    assert forecast.text() == f"about {forecast_duration(19 * run.seconds)}"
    start = tab.findChild(QPushButton, "evaluate.shuffle.start")
    start.setFocus()
    QTest.keyClick(start, Qt.Key.Key_Space)
    wait_until(lambda: session.analyses.permutation_tests.job_of(run) is None and run.shuffle is not None, 60)
    headline = said(tab, "headline")
    line = part(tab, QLabel, "evaluate.shuffle.headline")
    for width in (900, 520):
        tab.resize(width, tab.height())
        wait_until(lambda: line.height() >= line.heightForWidth(line.width()))
    assert headline.startswith(evaluation_wording.NONE_OF_19_BY_ACCURACY)
    assert "is significant" in said(tab, "words")
    assert luck_words(run) == wording.NOT_BY_LUCK
    assert wording.NONE_OF_19 in sentence(run)
    (fact,) = [fact for fact in facts(session) if fact.name == "luck"]
    assert fact.tone == "good" and fact.sentence.startswith(evaluation_wording.NONE_OF_19_BY_ACCURACY)
    assert wording.NONE_OF_19 in pane(tab).histogram.accessibleDescription()
    assert not start.isEnabled() and not forecast.text()
    choose_number(tab, 99)
    assert start.isEnabled() and start.text() == "Continue"
    press(tab, "evaluate.page.performance")
    assert tab.curve.isVisible() and not pane(tab).isVisible()


def test_in_a_low_window_no_line_of_its_words_is_covered(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    run = judged(session, wait_until, DecisionStump(), Holdout())
    tab.resize(900, 512)
    show(tab)
    words, number = part(tab, QLabel, "evaluate.shuffle.words"), part(tab, QComboBox, "evaluate.shuffle.number")
    for is_tested in (False, True):
        assert (pane(tab).histogram.isVisible(), run.shuffle is not None) == (is_tested, is_tested)
        wait_until(lambda: words.height() >= words.heightForWidth(words.width()))
        wait_until(lambda: words.geometry().bottom() < number.y())
        if not is_tested:
            choose_number(tab, 19)
            press(tab, "evaluate.shuffle.start")
            wait_until(lambda: run.shuffle is not None and session.analyses.permutation_tests.job_of(run) is None, 60)


def test_in_a_narrow_window_it_leaves_the_numbers_beside_it_their_room(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    for learner in (DecisionStump(), ZeroR()):
        judged(session, wait_until, learner, Holdout())
    tab.resize(1200, 640)
    show(tab)
    assert pane(tab).minimumSizeHint().width() <= 440


def test_what_it_found_can_be_read_copied_and_saved(
    tab: EvaluateTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    run = judged(session, wait_until, DecisionStump(), Holdout())
    show(tab)
    choose_number(tab, 19)
    press(tab, "evaluate.shuffle.start")
    wait_until(lambda: run.shuffle is not None and run.shuffle.is_whole, 60)
    choose_entry(tab, "evaluate.shuffle.as-table")
    table = tab.findChild(QTableView, "evaluate.shuffle.table")
    assert table.isVisible()
    wait_until(lambda: table.model().rowCount() == 20)
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(wording.HEAD_OF_COPIED_SHUFFLES) and "shuffled 19" in copied
    export = pane(tab).export
    export.save_csv(str(tmp_path / "luck.csv"))
    export.save_picture(str(tmp_path / "luck.png"))
    export.save_picture(str(tmp_path / "luck.svg"))
    wait_until(lambda: not session.jobs.running)
    assert (tmp_path / "luck.csv").read_text(encoding="utf-8").count("shuffled") == 19
    assert not QImage(str(tmp_path / "luck.png")).isNull()
    assert "this run" in (tmp_path / "luck.svg").read_text(encoding="utf-8")


def test_its_stop_is_the_only_one_and_has_the_keyboard_while_it_runs(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation())
    show(tab)
    choose_number(tab, 999)
    start, stop = (part(tab, QPushButton, f"evaluate.shuffle.{name}") for name in ("start", "stop"))
    start.setFocus()
    press(tab, "evaluate.shuffle.start")
    job = session.analyses.permutation_tests.job_of(run)
    assert job is not None and job.has_stop_in_view and stop.hasFocus()
    press(tab, "evaluate.page.compare")
    assert not job.has_stop_in_view
    session.analyses.permutation_tests.end_early()
    wait_until(lambda: session.analyses.permutation_tests.job_of(run) is None)


def test_stopped_it_keeps_what_there_is_and_is_gone_on_with(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation())
    show(tab)
    choose_number(tab, 999)
    press(tab, "evaluate.shuffle.start")
    wait_until(lambda: run.shuffle is not None and len(run.shuffle.scores) >= 3, 60)
    wait_until(lambda: "permutation" in said(tab, "headline"))
    press(tab, "evaluate.shuffle.stop")
    wait_until(lambda: session.analyses.permutation_tests.job_of(run) is None, 60)
    kept = run.shuffle
    assert kept is not None and 3 <= len(kept.scores) < 999
    assert tab.findChild(QPushButton, "evaluate.shuffle.start").text() == "Continue"
    press(tab, "evaluate.shuffle.start")
    wait_until(lambda: run.shuffle is not None and len(run.shuffle.scores) > len(kept.scores), 60)
    assert run.shuffle.scores[: len(kept.scores)].tolist() == kept.scores.tolist()
    press(tab, "evaluate.shuffle.stop")
    wait_until(lambda: session.analyses.permutation_tests.job_of(run) is None, 60)


def test_the_strip_offers_it_where_a_run_may_be_no_better_than_guessing(
    tab: EvaluateTab, session: Session, stage: Stage, wait_until: Wait
) -> None:
    run = judged(session, wait_until, ZeroR(), Holdout())
    asked: list[str] = []
    session.tab_asked.connect(asked.append)
    press(warning_drawer(stage, session), "warnings.luck.remedy")
    assert asked == ["evaluate"]
    wait_until(lambda: run.shuffle is not None and run.shuffle.is_whole, 60)
    wait_until(lambda: session.analyses.permutation_tests.job_of(run) is None)
    assert run.shuffle is not None and run.shuffle.p_value == 1
    assert pane(tab).isVisible()
    assert evaluation_wording.MAY_BE_LUCK in said(tab, "words")
    assert doubts(run) == [wording.AUC_MAY_BE_LUCK]
    assert [fact.tone for fact in facts(session) if fact.name == "luck"] == ["warning"]


def test_it_is_kept_with_the_project(tab: EvaluateTab, session: Session, wait_until: Wait, tmp_path: Path) -> None:
    run = judged(session, wait_until, DecisionStump(), Holdout())
    session.analyses.permutation_tests.start(run, 19)
    wait_until(lambda: session.analyses.permutation_tests.job_of(run) is None and run.shuffle is not None, 60)
    path = tmp_path / "luck.coppice"
    session.saving.save_project(str(path))
    wait_until(lambda: path.exists() and not session.jobs.running)
    session.open_file(path)
    wait_until(lambda: bool(session.runs) and session.runs[0] is not run)
    after = session.runs[0].shuffle
    assert run.shuffle is not None and after is not None
    assert after.scores.tolist() == run.shuffle.scores.tolist()
    assert (after.own, after.planned, after.measure) == (run.shuffle.own, 19, "accuracy")
    assert after.judged_by("auc").scores.tolist() == run.shuffle.judged_by("auc").scores.tolist()


def test_the_measure_is_chosen_and_every_place_says_which_it_is(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    run = judged(session, wait_until, ZeroR(), Holdout())
    show(tab)
    box = part(tab, QComboBox, "evaluate.shuffle.measure")
    assert box.currentData() == "auc", "guessing is right as often: AUC ranks"
    choose_number(tab, 19)
    press(tab, "evaluate.shuffle.start")
    wait_until(lambda: session.analyses.permutation_tests.job_of(run) is None and run.shuffle is not None, 60)
    assert wording.AS_WELL_BY_AUC in said(tab, "headline")
    choose(box, box.findData("kappa"))
    assert run.shuffle is not None and run.shuffle.measure == "kappa"
    assert wording.AS_WELL_BY_KAPPA in said(tab, "headline") and wording.KAPPA_IS_0 in said(tab, "words")
    assert doubts(run) == [wording.KAPPA_MAY_BE_LUCK]
    (fact,) = [fact for fact in facts(session) if fact.name == "luck"]
    assert wording.AS_WELL_BY_KAPPA in fact.sentence
    other = judged(session, wait_until, DecisionStump(), Holdout())
    assert session.current_run is other and box.currentData() == "accuracy"


def test_another_table_ends_it(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation())
    job = session.analyses.permutation_tests.start(run, 999)
    assert job is not None
    session.set_document(small_data(40, seed=9))
    wait_until(lambda: not job.is_running)
    assert session.analyses.permutation_tests.job_of(run) is None
    session.turns.finish()


@pytest.mark.parametrize(("duration", "words"), [(0.7, "about 0.7 s"), (0.97, "about 1 s"), (1.2, "about 1 s")])
def test_a_forecast_says_about_or_nothing_and_one_second_in_one_form(
    qapp: QApplication, duration: float, words: str
) -> None:
    """Beside Start stood "0.7 s", "about 1.0 s" and "about 1 s"."""
    note = forecast_label("forecast")
    show_forecast(note, duration)
    assert {note.shown_in(wide) for wide in range(0, 300, 5)} == {"", words}
    delete(note)
