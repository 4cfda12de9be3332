"""Attribute effects and surrogate trees in the window: started, stopped, of one attribute and two, kept, exported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from algorithms.core.run_control import RunContext
from algorithms.evaluation.attribute_effects import attribute_effects
from algorithms.evaluation.learner_effects import AttributeEffects, LearnerEffects, PairEffects
from algorithms.evaluation.methods.methods import CrossValidation, LeaveOneOut
from algorithms.evaluation.surrogate_tree import surrogate_tree
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.cart import Cart
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose, judged, part, press, small_data
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.evaluate.diagnostics.effects_pane import (
    LINES,
    LOCAL,
    MOST_DRAWN,
    EffectsPane,
    SurrogatePane,
    heat_matrix,
)
from workbench.tabs.evaluate.tab import EFFECTS, SURROGATE, EvaluateTab


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(90))


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    return stage.show(EvaluateTab(session), 1100, 760)


def shown(tab: EvaluateTab) -> EffectsPane:
    press(tab, "evaluate.page.diagnostics")
    tab.pages.show_view(EFFECTS)
    pane = tab.pages.further[EFFECTS]
    assert isinstance(pane, EffectsPane)
    return pane


def computed(tab: EvaluateTab, session: Session, wait_until: Wait) -> tuple[EffectsPane, Run]:
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))
    pane = shown(tab)
    press(tab, "evaluate.effects.start")
    wait_until(lambda: pane.effects.job_of(run) is None and run.findings is not None, 60)
    return pane, run


def test_effects_are_those_of_the_command_line(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    pane, run = computed(tab, session, wait_until)
    again = attribute_effects(run.learner, run.data, run.method, RunContext(seed=run.seed), ("first",)).effects[0]
    found = pane.chart.effects
    assert found is not None and found.names == ("first",) == pane.names
    assert found.rows(pane.chart.code) == again.rows(pane.chart.code)
    assert found.classes[pane.chart.code] == session.positive_label
    assert not part(tab, QPushButton, "evaluate.effects.start").isEnabled()
    headline = part(tab, QLabel, "evaluate.effects.headline").text()
    assert headline.startswith(wording.ALONG_FIRST)
    choose(pane.kind, pane.kind.findData(LOCAL))
    assert part(tab, QLabel, "evaluate.effects.headline").text() != headline
    assert pane.chart.table_rows()[0][0] == "first" and len(pane.chart.table_rows()) == 1 + len(found.grid)
    choose(pane.kind, pane.kind.findData(LINES))
    assert 0 < len(pane.chart._lines) <= MOST_DRAWN


def test_another_class_needs_no_computation(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    pane, run = computed(tab, session, wait_until)
    before = pane.chart.code
    choose(pane.of_class, 1 - before)
    pane.of_class.activated.emit(1 - before)
    assert pane.chart.code == 1 - before and pane.effects.job_of(run) is None


def test_a_second_attribute_is_shown_as_a_map_without_a_click_on_start(
    tab: EvaluateTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    pane, run = computed(tab, session, wait_until)
    assert pane.effects.has_models(run)
    pane.show_names("first", "second")
    wait_until(lambda: pane.effects.job_of(run) is None and not pane.heat.is_empty, 60)
    assert run.findings is not None and run.findings.effects is not None
    found = run.findings.effects.of(("first", "second"))
    assert isinstance(found, PairEffects) and found.is_whole
    assert pane.heat.matrix is not None and pane.heat.matrix.titles == ("second", "first")
    pane.show_names("second", "first")  # the same pair
    assert pane.effects.job_of(run) is None and not pane.heat.is_empty
    pane.show_names("first")
    assert pane.chart.effects is not None and pane.heat.is_empty
    pane.show_names("first", "second")
    pane.export.save_csv(str(tmp_path / "effects.csv"))
    pane.export.save_picture(str(tmp_path / "effects.png"))
    wait_until(lambda: not session.jobs.running)
    assert len((tmp_path / "effects.csv").read_text("utf-8").splitlines()) == 1 + len(found.grids[1])
    assert (tmp_path / "effects.png").stat().st_size > 1000


def test_interactions_are_listed_and_a_click_shows_the_pair(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    pane, run = computed(tab, session, wait_until)
    press(tab, "evaluate.interactions.start")
    wait_until(lambda: pane.effects.job_of(run) is None and pane.pairs.isVisible(), 60)
    again = attribute_effects(
        run.learner, run.data, run.method, RunContext(seed=run.seed), (), interacting=("first", "second")
    )
    assert run.findings is not None and run.findings.effects is not None
    np.testing.assert_array_equal(run.findings.effects.h, again.h)
    assert pane.pairs.model().rowCount() == 1
    pane.pairs.selectRow(0)
    pane.pairs.clicked.emit(pane.pairs.model().index(0, 0))
    assert pane.names == ("first", "second")
    wait_until(lambda: not pane.heat.is_empty, 60)
    assert pane.pairs.selectionModel().isRowSelected(0)
    assert not part(tab, QPushButton, "evaluate.interactions.start").isVisible()


def test_a_stopped_job_gives_way_to_the_next_question(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    run = judged(session, wait_until, Cart(), CrossValidation(folds=10))
    pane = shown(tab)
    press(tab, "evaluate.effects.start")
    pane.show_names("second")
    known = pane.effects.result_of
    wait_until(lambda: pane.effects.job_of(run) is None and known(run) is not None, 60)
    wait_until(lambda: pane.chart.effects is not None and pane.chart.effects.is_whole, 60)
    assert pane.chart.effects is not None and pane.chart.effects.names == ("second",)
    press_stop = pane.effects.end_early
    pane.show_names("first", "second")
    press_stop()
    wait_until(lambda: pane.effects.job_of(run) is None)
    assert part(tab, QPushButton, "evaluate.effects.start").isVisible()


def test_leave_one_out_has_no_effects(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, Cart(), LeaveOneOut())
    shown(tab)
    assert not part(tab, QPushButton, "evaluate.effects.start").isEnabled()
    assert part(tab, QLabel, "evaluate.effects.words").text().startswith(wording.LEAVE_ONE_OUT_TESTS)


def test_values_without_records_are_empty_in_the_map() -> None:
    random = np.random.default_rng(1)
    data = small_data(400)
    near = np.asarray(data.column(0)) + 0.01 * random.normal(size=400)
    data = data.with_column(1, data.schema.attributes[1], near)
    found = attribute_effects(
        NaiveBayes(), data, CrossValidation(folds=2), RunContext(), (), pairs=[("first", "second")]
    )
    pair = found.pairs[0]
    matrix = heat_matrix(pair, 0, LOCAL)
    assert np.array_equal(np.isnan(matrix.values), np.flipud(pair.counts.T) == 0)
    assert np.isnan(matrix.values[0, 0]) and not np.isnan(matrix.values[-1, 0])  # the lowest values meet, not opposite
    assert 0 == np.nanmin(matrix.values) < np.nanmax(matrix.values) == 1
    assert matrix.rows[0] == pair.texts[1][-1]


def test_stored_effects_are_the_same_again_and_the_latest_only() -> None:
    data, method = small_data(60), CrossValidation(folds=2)
    found = attribute_effects(
        Cart(), data, method, RunContext(), ("first",), pairs=[("first", "second")], interacting=("first", "second")
    )
    again = LearnerEffects.from_state(found.to_state())
    assert [one.rows(1) for one in again.every] == [one.rows(1) for one in found.every]
    assert again.interactions(0) == found.interactions(0)
    assert isinstance(again.effects[0], AttributeEffects)
    np.testing.assert_array_equal(again.effects[0].lines(0), found.effects[0].lines(0))
    newer = attribute_effects(Cart(), data, method, RunContext(), ("second",))
    both = found.with_new(newer)
    assert [one.names for one in both.every] == [("first",), ("second",), ("first", "second")]
    assert both.interactions(0) == found.interactions(0)
    assert len(both.with_new(found).every) == 3
    first, second = found.to_state().arrays, both.to_state().arrays
    assert first["0.lines"] is second["0.lines"]  # so that a project stores it once


def test_a_surrogate_tree_is_fitted_and_drawn(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))
    press(tab, "evaluate.page.diagnostics")
    tab.pages.show_view(SURROGATE)
    pane = tab.pages.further[SURROGATE]
    assert isinstance(pane, SurrogatePane)
    choose(pane.levels, pane.levels.findData(2))
    press(tab, "evaluate.surrogate.start")
    wait_until(lambda: pane.surrogates.job_of(run) is None and run.findings is not None, 60)
    assert run.findings is not None and run.findings.surrogate is not None and run.findings.surrogate.is_whole
    found = run.findings.surrogate
    again = surrogate_tree(run.learner, run.data, run.method, RunContext(seed=run.seed), 2)
    assert found.rows(run.data.schema.classes) == again.rows(run.data.schema.classes)
    assert part(tab, QLabel, "evaluate.surrogate.headline").text() == found.sentence(run.data.schema.classes)
    assert found.trained is not None and pane.view.tree is found.trained.structure()
    start = part(tab, QPushButton, "evaluate.surrogate.start")
    assert not start.isEnabled()
    choose(pane.levels, pane.levels.findData(4))
    assert start.isEnabled()
    press(tab, "evaluate.surrogate.start")
    pane.surrogates.end_early(run)
    wait_until(lambda: pane.surrogates.job_of(run) is None, 60)
    assert run.findings.surrogate is found and wording.DEPTH_AT_MOST_2 in found.sentence(run.data.schema.classes)
    end = pane.surrogates.end_of(run)
    assert end is not None and wording.DEPTH_AT_MOST_2 in end.sentence
    pane.surrogates._keep(run, replace(found, depth=4, n_folds=9))  # a part of another depth
    assert run.findings.surrogate is found
    pane.surrogates._keep(run, again)
    assert run.findings.surrogate is again


def test_a_first_answer_that_stays_is_said_to_be_one(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    pane, run = computed(tab, session, wait_until)
    found = pane.chart.effects
    assert found is not None
    words = part(tab, QLabel, "evaluate.effects.words")
    assert wording.FIRST_ANSWER not in words.text()
    coarse = LearnerEffects((replace(found, folds=found.folds[:1], is_coarse=True),))
    assert run.findings is not None
    session.ledger.update(run, findings=replace(run.findings, effects=coarse))
    pane.refresh()
    assert words.text().startswith(wording.FIRST_ANSWER)
    assert part(tab, QPushButton, "evaluate.effects.start").isEnabled()
