"""The importance of attributes in the window: started, stopped, judged by another measure, searched, kept, exported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton

from algorithms.core.run_control import RunContext
from algorithms.evaluation.attribute_importance import GroupImportance, attribute_importance
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.cart import Cart
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose, judged, part, press, small_data
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.evaluate.diagnostics.importance_pane import BY_DEFAULT_RULE, DROPPED, ImportancePane, is_only_alone
from workbench.tabs.evaluate.tab import IMPORTANCE, EvaluateTab


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(90))


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    return stage.show(EvaluateTab(session), 1100, 760)


def shown(tab: EvaluateTab) -> ImportancePane:
    press(tab, "evaluate.page.diagnostics")
    tab.pages.show_view(IMPORTANCE)
    pane = tab.pages.further[IMPORTANCE]
    assert isinstance(pane, ImportancePane)
    return pane


def measured(tab: EvaluateTab, session: Session, wait_until: Wait) -> tuple[ImportancePane, Run]:
    run = judged(session, wait_until, Cart(), CrossValidation(folds=3))
    pane = shown(tab)
    press(tab, "evaluate.importance.start")
    wait_until(lambda: pane.importances.job_of(run) is None and run.findings is not None, 60)
    return pane, run


def test_importances_are_those_of_the_command_line(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    pane, run = measured(tab, session, wait_until)
    assert run.findings is not None and run.findings.permuted is not None
    again = attribute_importance(run.learner, run.data, run.method, RunContext(seed=run.seed))
    found = run.findings.permuted.judged_by(again.measure.id)
    assert found.rows() == again.rows()
    assert part(tab, QLabel, "evaluate.importance.headline").text() == found.sentence
    assert not part(tab, QPushButton, "evaluate.importance.start").isEnabled()
    names = [row.name for row in pane.chart.rows]
    assert names[0] == found.attributes[0].name
    assert found.attributes[0].name in pane.chart.accessibleDescription()


def test_another_measure_needs_no_new_training(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    pane, run = measured(tab, session, wait_until)
    box = part(tab, QComboBox, "evaluate.importance.measure")
    choose(box, box.findData("kappa"))
    assert pane.importances.job_of(run) is None
    assert pane.chart.importance is not None and pane.chart.importance.measure.id == "kappa"
    assert pane.chart.table_rows()[0][1] == wording.FALL_OF_KAPPA


def test_a_run_with_a_rule_of_its_own_says_that_the_default_one_was_used(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    pane, run = measured(tab, session, wait_until)
    words = part(tab, QLabel, "evaluate.importance.words")
    assert not words.text().endswith(BY_DEFAULT_RULE)
    session.decisions.choose(run, AtThreshold(session.positive_label, 0.2))
    pane.refresh()
    assert words.text().endswith(BY_DEFAULT_RULE)


def test_dropping_the_column_is_kept_beside_the_permutations(
    tab: EvaluateTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    pane, run = measured(tab, session, wait_until)
    way = part(tab, QComboBox, "evaluate.importance.way")
    choose(way, way.findData(DROPPED))
    assert pane.chart.importance is None
    press(tab, "evaluate.importance.start")
    wait_until(lambda: run.findings is not None and run.findings.dropped is not None, 60)
    wait_until(lambda: pane.importances.job_of(run) is None)
    assert run.findings is not None and run.findings.permuted is not None
    assert pane.chart.importance is not None and pane.chart.importance.is_dropped
    pane.export.save_csv(str(tmp_path / "importance.csv"))
    pane.export.save_picture(str(tmp_path / "importance.png"))
    wait_until(lambda: not session.jobs.running)
    assert (tmp_path / "importance.csv").read_text("utf-8").startswith("attribute")
    assert (tmp_path / "importance.png").stat().st_size > 1000


def test_a_row_that_is_significant_alone_only_is_explained() -> None:
    falls = np.array([[0.1], [0.12], [0.09], [0.11]])
    assert is_only_alone(GroupImportance(("a",), falls, 0.3, p_adjusted=0.2))
    assert not is_only_alone(GroupImportance(("a",), falls, 0.3, p_adjusted=0.01))
    assert not is_only_alone(GroupImportance(("a",), falls - 0.1, 0.3, p_adjusted=1.0))


def test_attributes_can_be_searched(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    pane, _run = measured(tab, session, wait_until)
    every = [row.name for row in pane.chart.rows]
    part(tab, QLineEdit, "evaluate.importance.search").setText(every[-1])
    assert [row.name for row in pane.chart.rows] == [name for name in every if every[-1] in name]
