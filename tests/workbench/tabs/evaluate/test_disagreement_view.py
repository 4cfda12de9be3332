"""Where two runs differ, on the page Compare: counts that select records, measures, settings, choice of runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QTableView, QTableWidget

from algorithms.evaluation.compare.disagreement import BOTH_WRONG, Agreement
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, press, small_data
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.evaluate.compare_pane import ComparisonView
from workbench.tabs.evaluate.diagnostics.disagreement_view import CELLS, DisagreementView, RunsApart
from workbench.tabs.evaluate.tab import EvaluateTab
from workbench.widgets.dialogs import Popover

FIVE = CrossValidation(folds=5)


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(90, ("a", "b", "c")))


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    return stage.show(EvaluateTab(session), 1100, 700)


def turned_to(tab: EvaluateTab, wait_until: Wait) -> DisagreementView:
    """The view of the disagreement, once it is computed."""
    press(tab, "evaluate.page.compare")
    press(tab, "evaluate.compared.disagreement")
    view = part(tab, DisagreementView, "evaluate.disagreement")
    wait_until(lambda: view.shown is not None)
    return view


def shown_in(view: DisagreementView) -> RunsApart:
    assert view.shown is not None
    return view.shown


def wrong_records(run: Run) -> set[int]:
    assert run.result is not None
    return set(run.result.row_ids[~run.result.right].tolist())


def test_a_click_on_each_count_selects_its_records(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    one, other = (judged(session, wait_until, learner, FIVE) for learner in (ZeroR(), NaiveBayes()))
    view = turned_to(tab, wait_until)
    assert not part(tab, ComparisonView, "evaluate.comparison").isVisible()
    assert part(tab, QLabel, "evaluate.disagreement.headline").text() == shown_in(view).apart.headline
    wrong, also = wrong_records(one), wrong_records(other)
    every = set(range(90))
    expected = [[every - wrong - also, also - wrong], [wrong - also, wrong & also]]
    cells = part(tab, QTableWidget, "evaluate.disagreement.cells")
    for i, row in enumerate(expected):
        for j, records in enumerate(row):
            item = cells.item(i, j + 1)
            assert item.text().startswith(f"{len(records)} (")
            if not records:
                continue
            place = cells.visualItemRect(item).center()
            QTest.mouseClick(cells.viewport(), Qt.MouseButton.LeftButton, pos=place)
            wait_until(lambda records=records: len(session.selection) == len(records))
            mask = session.selection.mask_of(one.data)
            assert set(one.data.row_ids[mask].tolist()) == records and session.selection.by_judgement
    words = part(tab, QLabel, "evaluate.disagreement.remark").text()
    assert shown_in(view).apart.words(BOTH_WRONG) in words
    differently = part(tab, QPushButton, "evaluate.disagreement.differently")
    n = int(shown_in(view).apart.sums[Agreement.OTHER_ERROR])
    assert differently.isVisible() is (n > 0)
    if n:
        press(tab, "evaluate.disagreement.differently")
        wait_until(lambda: len(session.selection) == n)


def test_measures_open_their_formula_and_differing_settings_are_listed(
    tab: EvaluateTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    for learner in (C45(), C45(min_leaf=20)):
        judged(session, wait_until, learner, FIVE)
    view = turned_to(tab, wait_until)
    measures = part(tab, QTableWidget, "evaluate.disagreement.measures")
    assert [measures.item(row, 1).text() for row in range(2)] == [
        shown_in(view).measure_rows()[0][row][1].text for row in range(2)
    ]
    QTest.mouseClick(
        measures.viewport(), Qt.MouseButton.LeftButton, pos=measures.visualItemRect(measures.item(0, 1)).center()
    )
    opened = tab.findChild(Popover)
    assert shown_in(view).apart.oracle.sentence() in opened.accessibleName()
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    model = part(tab, QTableView, "evaluate.disagreement.settings").model()
    texts = [str(model.index(0, column).data()) for column in range(3)]
    assert texts == [C45.parameter("min_leaf").label, "2", "20"]
    view.export.save_csv(str(tmp_path / "apart.csv"))
    view.export.save_picture(str(tmp_path / "apart.png"))
    wait_until(lambda: not session.jobs.running)
    assert not QImage(str(tmp_path / "apart.png")).isNull()
    saved = (tmp_path / "apart.csv").read_text("utf-8")
    assert shown_in(view).apart.headline in saved and texts[0] in saved


def test_the_second_of_several_runs_can_be_chosen_and_the_page_turned_back(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    runs = [judged(session, wait_until, learner, FIVE) for learner in (ZeroR(), NaiveBayes(), C45())]
    view = turned_to(tab, wait_until)
    second = part(tab, QComboBox, "evaluate.disagreement.second")
    assert second.isVisible() and shown_in(view).runs == (runs[0], runs[1])
    second.setCurrentIndex(1)
    second.activated.emit(1)
    wait_until(lambda: view.shown is not None and view.shown.runs == (runs[0], runs[2]))
    assert not part(tab, QComboBox, "evaluate.compared.correction").isVisible()
    session.analyses.compared.choose([runs[1], runs[2]])
    wait_until(lambda: view.shown is not None and view.shown.runs == (runs[1], runs[2]))
    assert not second.isVisible()
    session.analyses.compared.choose([runs[1]])
    assert part(tab, QLabel, "evaluate.disagreement.headline").text() == wording.CHOOSE_TWO_RUNS
    assert not view.cells.isVisible()
    press(tab, "evaluate.compared.disagreement")
    assert part(tab, ComparisonView, "evaluate.comparison").isVisible() and not view.isVisible()


def test_a_table_changed_between_the_runs_is_a_setting(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    one = judged(session, wait_until, ZeroR(), FIVE)
    assert session.data is not None
    session.edit("Remove some", session.data.without(np.arange(90) < 9))
    session.turns.finish()
    other = judged(session, wait_until, NaiveBayes(), FIVE)
    session.analyses.compared.choose([one, other])
    view = turned_to(tab, wait_until)
    assert len(shown_in(view).apart.ids) == 81
    assert any(row.label == "Data" for row in shown_in(view).settings)
    assert shown_in(view).apart.n_apart == 9 and not shown_in(view).apart.is_same_tests
    assert sum(shown_in(view).apart.weight(kinds) for row in CELLS for kinds in row) == 81


def test_the_map_has_each_record_by_its_kind_and_shares_the_selection(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    for learner in (C45(), NaiveBayes()):
        judged(session, wait_until, learner, FIVE)
    view = turned_to(tab, wait_until)
    picture = view.map.view
    wait_until(lambda: picture.records is not None)
    points, data = picture.points, picture.records
    assert points is not None and data is not None and view.map.isVisible()
    weights = [shown_in(view).apart.weight(kinds) for row in CELLS for kinds in row]
    assert np.diff(points.starts).tolist() == [0, *weights]
    assert (points.across.attribute.name, points.up.attribute.name) == ("first", "second")
    view.select_records(CELLS[1][1])
    wait_until(lambda: len(session.selection) == weights[3] and picture.n_selected == weights[3])
    picture.selected.emit(points.rows[:5], SelectionMode.REPLACE, "")
    assert len(session.selection) == 5 and session.selection.by_judgement
    view.map.across.setCurrentIndex(1)
    view.map.across.activated.emit(1)
    wait_until(lambda: picture.points is not None and picture.points.across.attribute.name == "second")
