"""The pages of Evaluate on what was tried and how the error changes: read, chosen, taken away by mouse and keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QTableView, QWidget

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.stump import DecisionStump
from algorithms.text.numbers import forecast_duration
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.window_helpers import choose_entry, small_data
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.evaluate.diagnostics.settings_pane import SettingsPane
from workbench.tabs.evaluate.diagnostics.started_analyses import SweepPane
from workbench.tabs.evaluate.tab import LEARNING_CURVE, SEARCH, EvaluateTab

Wait = Callable[..., None]
FOLDS = CrossValidation(folds=3)
ONE = Tuned(base=C45(pruning="none"), tried="min_leaf=1, 4, 20", folds=3)
TWO = Tuned(base=C45(pruning="none"), tried="min_leaf=1,20; criterion=gini,error,gain-ratio", folds=3)


@pytest.fixture
def session(qapp: QApplication, wait_until: Wait) -> Iterator[Session]:
    session = Session(builtin())
    session.set_document(small_data(60))
    wait_until(lambda: session.summary is not None)
    yield session
    assert session.close()


@pytest.fixture
def tab(session: Session) -> Iterator[EvaluateTab]:
    tab = EvaluateTab(session)
    tab.resize(1100, 760)
    tab.show()
    yield tab
    tab.close()
    tab.deleteLater()


def judged(session: Session, wait_until: Wait, learner: Learner) -> Run:
    session.start_run(learner, FOLDS, 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running, 60)
    session.turns.finish()
    assert run.trained is not None
    return run


def find(tab: QWidget, kind: type, name: str) -> QWidget:
    found = tab.findChild(kind, f"evaluate.{name}")
    assert isinstance(found, kind), name
    return found


def press(tab: QWidget, name: str) -> None:
    QTest.mouseClick(find(tab, QPushButton, name), Qt.MouseButton.LeftButton)


def choose(tab: QWidget, name: str, data: object) -> None:
    box = find(tab, QComboBox, name)
    at = box.findData(data)
    assert at >= 0
    box.setFocus()
    while box.currentIndex() != at:
        QTest.keyClick(box, Qt.Key.Key_Down if box.currentIndex() < at else Qt.Key.Key_Up)


def text(tab: QWidget, name: str) -> str:
    return find(tab, QLabel, name).text()


def settings(tab: EvaluateTab) -> SettingsPane:
    pane = tab.pages.further[SEARCH]
    assert isinstance(pane, SettingsPane)
    return pane


def test_the_page_is_offered_only_where_settings_were_tried(tab, session, wait_until):
    judged(session, wait_until, DecisionStump())
    press(tab, "page.diagnostics")
    assert tab.pages.view == LEARNING_CURVE and SEARCH not in dict(tab.pages.analyses)
    tried = judged(session, wait_until, ONE)
    wait_until(lambda: SEARCH in dict(tab.pages.analyses))
    choose(tab, "analysis", SEARCH)
    assert tab.pages.view == SEARCH
    assert not tab.confusion.isVisible()
    session.set_current_run(session.runs[0])
    session.turns.finish()
    assert tab.pages.view == LEARNING_CURVE
    assert tried in session.runs


def test_the_optimistic_the_corrected_and_the_honest_number_stand_beside_each_other_with_their_marks(
    tab, session, wait_until
):
    run = judged(session, wait_until, ONE)
    press(tab, "page.diagnostics")
    choose(tab, "analysis", SEARCH)
    search = run.trained.search
    assert [text(tab, f"settings.mark.{n}") for n in (1, 2, 3)] == ["optimistic", "estimate", "honest"]
    assert text(tab, "settings.value.1") == f"{100 * search.optimistic:.1f}%"
    assert text(tab, "settings.value.2") == f"{100 * search.corrected:.1f}%"
    assert text(tab, "settings.value.3") == f"{100 * run.report.error_rate:.1f}%"
    assert "Tibshirani" in text(tab, "settings.sentence.2")
    assert evaluation_wording.TOOK_NO_PART in text(tab, "settings.sentence.3")
    assert text(tab, "settings.headline").startswith(wording.CHOSEN_ON_ALL_60)
    assert wording.TRAINING_RECORDS_ONLY in text(tab, "settings.words")


def test_one_option_is_a_line_with_its_band_read_out_by_keys(tab, session, wait_until):
    run = judged(session, wait_until, ONE)
    press(tab, "page.diagnostics")
    choose(tab, "analysis", SEARCH)
    plot, search = settings(tab).plot, run.trained.search
    assert plot.isVisible()
    assert plot.bands.values == ("1", "4", "20")
    assert plot.bands.lines[0].mean.tolist() == pytest.approx(search.mean.tolist())
    assert plot.bands.lines[0].spread.tolist() == pytest.approx(search.spread.tolist())
    assert plot.at == plot.bands.chosen
    QTest.keyClick(plot, Qt.Key.Key_End)
    assert plot.at == 2
    assert text(tab, "settings.read").startswith(wording.BRANCH_20_LOST)
    QTest.keyClick(plot, Qt.Key.Key_Home)
    assert wording.BRANCH_1_CHOSEN in plot.accessibleDescription()
    QTest.mouseClick(plot, Qt.MouseButton.LeftButton, pos=QPoint(plot.width() - 20, 60))
    assert plot.at == 2


def test_two_options_are_a_map_whose_cells_are_chosen_by_keys(tab, session, wait_until):
    run = judged(session, wait_until, TWO)
    press(tab, "page.diagnostics")
    choose(tab, "analysis", SEARCH)
    pane = settings(tab)
    assert pane.map.isVisible()
    assert pane.map.surface.mean.shape == (3, 2)
    assert int(pane.map.surface.best[pane.map.cell]) == run.trained.search.chosen
    pane.map.choose(0, 0)
    QTest.keyClick(pane.map, Qt.Key.Key_Down)
    QTest.keyClick(pane.map, Qt.Key.Key_Right)
    assert pane.map.cell == (1, 1)
    assert text(tab, "settings.read").startswith(wording.BRANCH_20_READ)
    choose(tab, "settings.down", -1)
    assert pane.plot.isVisible()
    choose(tab, "settings.across", 1)
    assert pane.plot.bands.values == ("Gini index", "Classification error", "Gain ratio")


def test_every_setting_is_a_row_and_all_is_taken_away(tab, session, wait_until, tmp_path):
    judged(session, wait_until, TWO)
    press(tab, "page.diagnostics")
    choose(tab, "analysis", SEARCH)
    choose_entry(tab, "evaluate.settings.as-table")
    table = find(tab, QTableView, "settings.table")
    assert table.isVisible()
    assert table.model().rowCount() == 6
    last = table.model().columnCount() - 1
    assert table.model().index(0, last).data() == wording.CHOSEN_FLATTERS
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().count("\n") == 6
    pane = settings(tab)
    for export, name in ((pane.export_map, "map"), (pane.export, "plot")):
        for suffix, save in (("png", export.save_picture), ("svg", export.save_picture), ("csv", export.save_csv)):
            if name == "plot":
                choose(tab, "settings.down", -1)
            path = tmp_path / f"{name}.{suffix}"
            save(str(path))
            wait_until(path.exists)
    wait_until(lambda: not session.jobs.running)
    assert not QImage(str(tmp_path / "map.png")).isNull()
    assert "optimistic" in Path(tmp_path / "plot.csv").read_text()
    assert (tmp_path / "map.csv").read_text().count("\n") == 4


def sweeps(tab: EvaluateTab) -> SweepPane:
    press(tab, "page.diagnostics")
    pane = tab.pages.further[LEARNING_CURVE]
    assert isinstance(pane, SweepPane)
    return pane


def test_a_learning_curve_is_drawn_as_it_comes_and_says_whether_more_records_would_help(tab, session, wait_until):
    run = judged(session, wait_until, DecisionStump())
    pane = sweeps(tab)
    assert text(tab, "sweep.headline") == wording.WOULD_MORE_RECORDS_HELP
    assert pane._example.isVisible() and not pane._pages.isVisible(), "the empty plot takes the room of the example"
    press(tab, "sweep.start")
    wait_until(lambda: session.analyses.learning_curves.job_of(run) is None, 60)
    assert [line.name for line in pane.plot.bands.lines] == ["training records", "tested records"]
    assert "records" in text(tab, "sweep.headline")
    assert not find(tab, QPushButton, "sweep.start").isEnabled()
    QTest.keyClick(pane.plot, Qt.Key.Key_End)
    assert text(tab, "sweep.read").startswith(wording.LEARNING_CURVE_AT_40)
    choose_entry(tab, "evaluate.sweep.as-table")
    shown = find(tab, QTableView, "sweep.table").model()
    assert shown.rowCount() == len(pane.plot.bands.values)
    assert re.fullmatch(r"\d+\.\d \(\d+\.\d\)", shown.index(0, 1).data())
    heads = [shown.headerData(at, Qt.Orientation.Horizontal) for at in range(shown.columnCount())]
    assert heads == ["Training records", wording.WRONG_ON_TRAINING, wording.WRONG_ON_TESTED, "Folds"]


def test_the_values_of_an_option_are_looked_at_on_three_parts(tab, session, wait_until, tmp_path):
    run = judged(session, wait_until, DecisionStump())
    pane = sweeps(tab)
    choose(tab, "sweep.what", "min_leaf")
    line = find(tab, QLineEdit, "sweep.values")
    assert line.text() == "1, 2, 5, 10"
    assert text(tab, "sweep.forecast") == f"about {forecast_duration(4 * run.seconds)}"
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(line, "1,x")
    assert "whole number" in text(tab, "sweep.words")
    assert not find(tab, QPushButton, "sweep.start").isEnabled()
    QTest.keyClick(line, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(line, "1,9")
    QTest.keyClick(line, Qt.Key.Key_Return)
    wait_until(lambda: session.analyses.learning_curves.job_of(run) is None, 60)
    names = ["training records", wording.RECORDS_TO_CHOOSE_BY, "tested records"]
    assert [each.name for each in pane.plot.bands.lines] == names
    assert "optimistic" in text(tab, "sweep.headline") + text(tab, "sweep.words")
    pane.export.save_csv(str(tmp_path / "curve.csv"))
    wait_until((tmp_path / "curve.csv").exists)
    wait_until(lambda: not session.jobs.running)
    assert (tmp_path / "curve.csv").read_text().startswith(wording.HEAD_OF_SAVED_CURVE)


def test_a_curve_that_was_ended_early_is_gone_on_with(tab, session, wait_until):
    run = judged(session, wait_until, C45(pruning="none"))
    pane = sweeps(tab)
    press(tab, "sweep.start")
    wait_until(lambda: run.sweeps.get(("", "")) is not None, 60)
    press(tab, "sweep.stop")
    wait_until(lambda: session.analyses.learning_curves.job_of(run) is None, 60)
    part = run.sweeps.get(("", ""))
    if not part.is_whole:
        assert find(tab, QPushButton, "sweep.start").text() == "Continue"
        press(tab, "sweep.start")
        wait_until(lambda: session.analyses.learning_curves.job_of(run) is None, 60)
    whole = run.sweeps.get(("", ""))
    assert whole.is_whole
    assert pane.plot.bands is not None
