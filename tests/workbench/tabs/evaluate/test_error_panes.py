"""Where a run errs, in the window: groups found and selected, classes set as suggested and undone, rates by group."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from algorithms.core.record_costs import RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, DecisionRule
from algorithms.evaluation.error_groups import DEFAULT_RULE, error_groups, rates_by_group
from algorithms.evaluation.label_errors import label_errors
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.tested_records import RecordErrors
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.linear.logistic_regression import LogisticRegression
from tests.algorithms.evaluation.test_error_analysis import two_clouds
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose, judged, part, press
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.evaluate.diagnostics.error_panes import (
    BY_GROUP,
    SUGGESTED,
    ErrorGroupsPane,
    ErrorRatesPane,
    LabelErrorsPane,
)
from workbench.tabs.evaluate.tab import ERROR_GROUPS, ERROR_RATES, LABEL_ERRORS, EvaluateTab


def swapped_group() -> Dataset:
    """Two classes that x0 tells, but swapped where color is red and x1 above 0.5."""
    random = np.random.default_rng(1)
    n = 600
    truth, color = random.integers(0, 2, n), random.integers(0, 4, n).astype(np.int8)
    x0, x1 = truth * 4 + random.normal(size=n), random.normal(size=n)
    classes = np.where((color == 0) & (x1 > 0.5), 1 - truth, truth).astype(np.int8)
    attributes = numeric("x0"), numeric("x1"), nominal("color", ("red", "green", "blue", "grey"))
    return Dataset(Schema((*attributes, nominal("class", ("yes", "no"))), 3), [x0, x1, color, classes])


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(swapped_group())


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    return stage.show(EvaluateTab(session), 1100, 760)


def errors_of(run: Run) -> RecordErrors:
    assert run.result is not None
    return RecordErrors.of(run.result, run.data)


def test_groups_are_found_selected_and_kept(
    tab: EvaluateTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))
    press(tab, "evaluate.page.diagnostics")
    tab.pages.show_view(ERROR_GROUPS)
    pane = tab.pages.further[ERROR_GROUPS]
    assert isinstance(pane, ErrorGroupsPane)
    press(tab, "evaluate.errors.start")
    wait_until(lambda: run.findings is not None and run.findings.errors is not None, 60)
    wait_until(lambda: pane.runs.job_of(run) is None)
    assert run.findings is not None and run.findings.errors is not None
    found = run.findings.errors
    again = error_groups(errors_of(run), RunContext(seed=run.seed))
    assert found.rows() == again.rows() and len(found.groups) >= 1
    assert {one.attribute for one in found.groups[0].conditions} == {"x1", "color"}
    assert part(tab, QLabel, "evaluate.errors.headline").text() == found.sentence
    pane.table.clicked.emit(pane.table.model().index(0, 0))
    wait_until(lambda: len(session.selection) > 0)
    assert len(session.selection) == found.groups[0].records and session.selection.by_judgement
    assert found.groups[0].remedy in part(tab, QLabel, "evaluate.errors.remedy").text()
    pane.export.save_csv(str(tmp_path / "groups.csv"))
    wait_until(lambda: not session.jobs.running)
    assert str(found.groups[0].records) in (tmp_path / "groups.csv").read_text("utf-8")
    assert not part(tab, QPushButton, "evaluate.errors.start").isEnabled()
    session.decisions.choose(run, AtThreshold(session.positive_label, 0.2))
    pane.refresh()
    assert part(tab, QPushButton, "evaluate.errors.start").isEnabled()  # other decisions, other errors
    headline, words = (part(tab, QLabel, f"evaluate.errors.{name}") for name in ("headline", "words"))
    assert headline.text().startswith(wording.OUT_OF_DATE) and "threshold 20%" in headline.text()
    assert DEFAULT_RULE in words.text()
    assert DEFAULT_RULE in (tmp_path / "groups.csv").read_text("utf-8")


def test_rules_with_other_costs_have_other_phrases(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))
    phrases = []
    for cost in (5.0, 9.0):
        costs = RecordCosts(np.array([[0.0, cost], [1.0, 0.0]]))
        asked = session.decisions.asked(run)
        rule = DecisionRule(asked.result.classes, ByCost(), costs)
        phrases.append(replace(asked, rule=rule).whole_phrase)
    assert phrases == [wording.by_cost_phrase(cost) for cost in (5, 9)]


def with_label_errors(session: Session, tab: EvaluateTab, wait_until: Wait) -> tuple[LabelErrorsPane, Run]:
    data, _swapped = two_clouds(1000, 3, 0.04, 1)
    session.set_document(data)
    wait_until(lambda: session.summary is not None)
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=5))
    press(tab, "evaluate.page.diagnostics")
    tab.pages.show_view(LABEL_ERRORS)
    session.turns.finish()
    pane = tab.pages.further[LABEL_ERRORS]
    assert isinstance(pane, LabelErrorsPane)
    wait_until(lambda: pane.table.model().rowCount() > 0, 30)
    return pane, run


def test_classes_are_set_as_suggested_and_brought_back(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    pane, run = with_label_errors(session, tab, wait_until)
    found = label_errors(errors_of(run))
    n = pane.table.model().rowCount()
    assert n == len(found) > 10
    chosen = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    for row in (0, 2):
        pane.table.selectionModel().select(pane.table.model().index(row, 0), chosen)
    pane.table.clicked.emit(pane.table.model().index(2, 0))
    assert session.selection.rows_of(run.data).tolist() == sorted(found.places[[0, 2]].tolist())
    press(tab, "evaluate.label-errors.set")
    wait_until(lambda: session.data is not run.data)
    data = session.data
    assert data is not None and SUGGESTED in data.origin.marks
    changed = np.flatnonzero(data.class_codes != run.data.class_codes)
    assert changed.tolist() == sorted(found.places[[0, 2]].tolist())
    assert data.class_codes[found.places[[0, 2]]].tolist() == found.suggested[[0, 2]].tolist()
    wait_until(lambda: pane.table.model().rowCount() == n - 2)
    session.undo_stack.undo()
    wait_until(lambda: pane.table.model().rowCount() == n)
    assert session.data is run.data


def test_another_kind_of_learner_is_asked_about_the_listed_records(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    _pane, run = with_label_errors(session, tab, wait_until)
    words = part(tab, QLabel, "evaluate.label-errors.words")
    assert wording.ANOTHER_KIND in words.text()
    other = judged(session, wait_until, LogisticRegression(), CrossValidation(folds=5))
    session.set_current_run(run)
    session.turns.finish()
    wait_until(lambda: wording.logistic_regression_suggests(other.number) in words.text(), 30)


def test_rates_by_group_are_those_of_the_command_line(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))
    press(tab, "evaluate.page.diagnostics")
    tab.pages.show_view(ERROR_RATES)
    session.turns.finish()
    pane = tab.pages.further[ERROR_RATES]
    assert isinstance(pane, ErrorRatesPane)
    wait_until(lambda: pane.chart.found is not None)
    choose(part(tab, QComboBox, "evaluate.rates.attribute"), 2)
    wait_until(lambda: pane.chart.found is not None and pane.chart.found.attribute.name == "color")
    assert pane.chart.words(pane.chart.parts[0]) in pane.chart.accessibleDescription()
    pane.chart.row_clicked.emit(1)
    wait_until(lambda: len(session.selection) > 0)
    assert len(session.selection) == pane.chart.parts[1].records
    box = part(tab, QComboBox, "evaluate.rates.what")
    choose(box, box.findData(BY_GROUP))
    wait_until(lambda: pane.table.model().columnCount() == 8)
    assert run.result is not None
    code = run.result.classes.index(session.decisions.label_of_interest(run))
    again = rates_by_group(errors_of(run), "color", code)
    assert part(tab, QLabel, "evaluate.rates.headline").text() == again.headline
    assert [pane.table.model().index(row, 2).data() for row in range(4)] == [row[2] for row in again.written_rows()[1:]]
    choose(box, 0)
    wait_until(lambda: not pane.chart.is_empty and pane.chart.isVisible())
