"""What a person has a run decide is followed on every tab, and the model's own decision stands beside it."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSlider, QSpinBox, QTableView, QTableWidget

from algorithms.core.scores import at_threshold
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.measures.intervals import matrix_intervals
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import coefficient, price
from algorithms.text.sentences import threshold_words
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import session as wording
from tests.expected_texts import tabs_visualize as tabs_visualize_wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, press, show_page, small_data
from workbench.app.main_window import MainWindow
from workbench.session import decision_rules
from workbench.session.runs import Run
from workbench.tabs.classify.runs_model import LINES_ROLE, NOW_ROLE, SORT_ROLE, RunsColumn
from workbench.tabs.visualize.scatter.records_views import ScatterPane

FIVE = CrossValidation(folds=5)


@pytest.fixture
def window(stage: Stage, wait_until: Wait) -> MainWindow:
    """A window with a judged tree over records of which every eighth or so is taken for the other class."""
    window = stage.window()
    stage.open(window.session, small_data(240, seed=5))
    window.session.set_class_of_interest(1)
    judged(window.session, wait_until, ZeroR(), FIVE)
    judged(window.session, wait_until, NaiveBayes(), FIVE)
    return window


def moved_to_a_tenth(window: MainWindow) -> Run:
    """The slider of Evaluate is moved to .10 by its keys."""
    window.show_tab(2)
    window.session.turns.finish()
    slider = part(window, QSlider, "evaluate.threshold")
    slider.setFocus()
    for _ in range(4):
        QTest.keyClick(slider, Qt.Key.Key_PageDown)
    window.session.turns.finish()
    run = window.session.current_run
    assert run is not None and run.result is not None
    return run


def shares(run: Run, threshold: float) -> tuple[str, str]:
    """How often it is right at this threshold of class 1, and as the model itself decides, in 100."""
    assert run.result is not None
    now = at_threshold(run.result.probabilities, 1, threshold) == run.result.truth
    return f"{100 * now.mean():.1f}", f"{100 * run.result.right.mean():.1f}"


def test_ledger_verdict_and_strip_follow_the_slider_and_keep_the_models_own(window: MainWindow) -> None:
    run = moved_to_a_tenth(window)
    now, own = shares(run, 0.1)
    assert now != own
    window.show_tab(1)
    window.session.turns.finish()
    table = part(window, QTableView, "ledger")
    model = table.model()
    row = next(at for at in range(2) if model.index(at, 0).data().endswith("Naive Bayes"))
    right = model.index(row, RunsColumn.RIGHT)
    assert right.data() == f"{own}%" and right.data(NOW_ROLE) == f"now {now}%"
    assert model.index(row, RunsColumn.LEARNER).data(NOW_ROLE) == wording.NOW_SAYS_NO_FROM_10
    assert right.data(SORT_ROLE) == run.report.accuracy  # runs are compared by what their models decide
    assert not model.index(1 - row, RunsColumn.RIGHT).data(NOW_ROLE)
    assert wording.right_so_often(now) in right.data(Qt.ItemDataRole.ToolTipRole)
    headline = part(window, QLabel, "classify.verdict").accessibleName()
    said = part(window, QLabel, "classify.sentence").text()
    assert headline.startswith(wording.right_as_decided_now(now))
    assert wording.SAYS_NO_FROM_10 in said and wording.right_so_often(own) in said
    window.show_tab(2)
    press(window, "evaluate.threshold.reset")
    window.session.turns.finish()
    assert not right.data(NOW_ROLE)
    assert part(window, QLabel, "classify.verdict").accessibleName().startswith(evaluation_wording.judged_right(own))


def test_costs_are_followed_too_and_the_ledger_says_what_a_record_costs_now(
    window: MainWindow, wait_until: Wait
) -> None:
    window.show_tab(2)
    session = window.session
    session.turns.finish()
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    session.turns.finish()
    press(window, "evaluate.page.costs")
    use, rule = part(window, QPushButton, "evaluate.board.use"), part(window, QComboBox, "evaluate.board.rule")
    rule.setCurrentIndex(1)
    rule.activated.emit(1)
    wait_until(lambda: use.isVisible() and use.isEnabled())
    press(window, "evaluate.board.use")
    session.turns.finish()
    run = session.current_run
    assert run is not None and run.report is not None
    decided = session.decisions.reports.decided(run)
    assert decided is not None and decided.confusion.tolist() != run.report.confusion.tolist()
    model = part(window, QTableView, "ledger").model()
    row = next(at for at in range(2) if model.index(at, 0).data().endswith("Naive Bayes"))
    assert model.index(row, RunsColumn.LEARNER).data(NOW_ROLE) == wording.NOW_DECIDES_BY_COST
    cost = session.decisions.reports.cost_per_record(run)
    assert cost == pytest.approx((decided.confusion[0, 1] + 10 * decided.confusion[1, 0]) / 240)
    shown = [model.index(at, RunsColumn.COST).data() for at in range(2)]
    assert len({len(text.partition(".")[2]) for text in shown}) == 1  # one number of decimals below one another
    assert float(shown[row]) == pytest.approx(cost, abs=0.51 * 10.0 ** -len(shown[row].partition(".")[2]))
    assert model.index(row, RunsColumn.COST).data(LINES_ROLE) == [wording.least_costs(shown[row])]
    session.decisions.choose(run, None)
    session.turns.finish()
    itself = (run.report.confusion[0, 1] + 10 * run.report.confusion[1, 0]) / 240
    assert float(model.index(row, RunsColumn.COST).data()) == pytest.approx(itself, abs=0.0051)
    (least,) = model.index(row, RunsColumn.COST).data(LINES_ROLE)
    assert least == wording.least_costs(shown[row])
    session.decisions.choose(run, ByCost())
    window.show_tab(1)
    session.turns.finish()
    headline = part(window, QLabel, "classify.verdict").accessibleName()
    assert headline.startswith(wording.costs_as_decided_now(price(cost), 100 * decided.accuracy))
    said, label, own = part(window, QLabel, "classify.sentence").text(), session.classes[1], run.report.confusion
    itself, guess = (own[0, 1] + 10 * own[1, 0]) / 240, own[0].sum() / 240
    assert wording.costs_now_and_by_itself(price(cost), price(itself)) in said
    assert wording.always_saying_costs(label, price(guess)) in said and cost < guess


def test_the_verdict_says_what_a_record_costs_only_where_costs_are_set(window: MainWindow) -> None:
    session = window.session
    window.show_tab(1)
    session.turns.finish()
    sentence = part(window, QLabel, "classify.sentence")
    assert "costs" not in sentence.text()
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    session.turns.finish()
    assert wording.WITH_COSTS_A_RECORD_COSTS in sentence.text()
    session.set_current_run(session.runs[0])
    session.set_costs(CostMatrix(session.classes, ((0.0, 0.1), (0.1, 0.0))))
    session.turns.finish()
    assert sentence.text().count(wording.THE_SAME) == 1, "who guesses costs what guessing costs"
    session.set_costs(None)
    session.turns.finish()
    assert "costs" not in sentence.text()


def test_the_result_says_by_what_runs_are_compared_and_leads_to_the_rule_and_to_the_missed_records(
    window: MainWindow, wait_until: Wait
) -> None:
    """With costs it still said that accuracy compares runs, and what to do about a high cost was not said."""
    session = window.session
    run = moved_to_a_tenth(window)
    window.show_tab(1)
    session.turns.finish()
    sentence = part(window, QLabel, "classify.sentence")
    assert wording.COMPARED_BY_ACCURACY in sentence.text()
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    session.turns.finish()
    assert wording.COMPARED_BY_COST in sentence.text() and wording.COMPARED_BY_ACCURACY not in sentence.text()
    session.decisions.choose(run, None)
    session.turns.finish()
    expected = session.decisions.reports.expected_of(run)
    assert expected is not None and run.report is not None
    threshold = threshold_words(session.decisions.theoretical_threshold(run))
    decisions, ties = session.decisions, f", {decision_rules.TIES_BY_DEFAULT}"
    of_class = run.result.probabilities[:, run.result.classes.index(decisions.label_of_interest(run))]
    assert (abs(of_class - 1 / 11) < 1e-9).any(), "so what happens there matters"
    shown = f"{threshold}{ties}"
    assert wording.costs_by_least_expected_cost(price(expected.total / 240), shown) in sentence.text()
    assert not decisions.has_ties(run, 0.123456)
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.37, 0.0))))
    assert ties not in decisions.by_cost_words(run) and ties in decisions.by_cost_words(run, is_whole=True)
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    session.turns.finish()

    sentence.linkActivated.emit("missed")
    missed = int(run.report.per_class[1].counts.fn)
    wait_until(lambda: len(session.selection) == missed)
    assert missed and (run.data.class_codes[session.selection.rows_of(run.data)] == 1).all()
    sentence.linkActivated.emit("costs")
    wait_until(part(window, QComboBox, "evaluate.board.rule").isVisible)


def test_circles_counts_regions_and_what_if_follow_what_decides(window: MainWindow, wait_until: Wait) -> None:
    run = moved_to_a_tenth(window)
    assert run.result is not None and run.trained is not None
    window.show_tab(3)
    window.session.turns.finish()
    pane = window.findChild(ScatterPane)
    assert pane is not None
    n_now = int((at_threshold(run.result.probabilities, 1, 0.1) != run.result.truth).sum())
    n_own = int((~run.result.right).sum())
    wait_until(lambda: pane.view.points is not None and int(pane.view.points.wrong.sum()) == n_now)
    assert wording.wrong_now_and_by_itself(n_now, n_own) in pane._facts._wordings[0]
    show_page(window, "data")
    wait_until(lambda: tabs_visualize_wording.BACKGROUND_AT_RULE in pane.view.remark.text())
    unsure = (run.trained.predict_proba(run.data)[:, 1] > 0.1) & (run.trained.predict(run.data) == 0)
    show_page(window, "explain")
    number = part(window, QSpinBox, "visualize.what-if.record")
    wait_until(lambda: number.maximum() == 240)
    number.setFocus()
    number.selectAll()
    QTest.keyClicks(number, f"{int(unsure.argmax()) + 1}")
    QTest.keyClick(number, Qt.Key.Key_Return)
    said = part(window, QLabel, "visualize.what-if.said")
    wait_until(lambda: wording.WOULD_SAY_NO in said.text())
    model = part(window, QLabel, "visualize.what-if.model")
    assert model.text().endswith(wording.AT_10_NOT_BY_DEFAULT)
    window.session.decisions.choose(run, None)
    wait_until(lambda: wording.WOULD_SAY_YES in said.text() and wording.AT_THE_DEFAULT not in model.text())
    show_page(window, "data")
    wait_until(lambda: int(pane.view.points.wrong.sum()) == n_own)
    assert wording.wrong_of_240(n_own) in pane._facts._wordings[0]


def test_what_arrives_of_a_run_is_told_to_whoever_shows_figures_and_has_no_picture_made_again(
    window: MainWindow, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, told = window.session, []
    other, run = session.runs
    session.decisions.reports.changed.connect(lambda: told.append("figures"))
    session.decisions.reports.decided_anew.connect(lambda: told.append("pictures"))
    session.decisions.choose(run, AtThreshold("no", 0.1))
    assert sorted(told) == ["figures", "pictures"]
    told.clear()
    monkeypatch.setattr(decision_rules, "AT_ONCE", 0)
    assert session.decisions.reports.curve_of(other, "no") is None
    wait_until(lambda: session.decisions.reports.curve_of(other, "no") is not None)
    assert set(told) == {"figures"}


def test_wrong_ones_are_counted_of_the_same_records_now_and_by_the_model_itself(
    window: MainWindow, wait_until: Wait
) -> None:
    """Records without a value on an axis have no place, and are in neither of the counts."""
    session = window.session
    data = session.data
    assert data is not None
    run = session.current_run
    assert run is not None and run.result is not None
    missed = np.flatnonzero(~run.result.right)
    rows = np.searchsorted(data.row_ids, run.result.row_ids[missed])
    values = np.array(data.column(1), dtype=float)
    values[rows[: len(rows) // 2]] = np.nan
    session.edit("Forget some values", data.with_column(1, data.schema.attributes[1], values))
    run = judged(session, wait_until, NaiveBayes(), FIVE)
    assert run.result is not None
    session.decisions.choose(run, AtThreshold("no", 0.1))
    window.show_tab(3)
    session.turns.finish()
    pane = window.findChild(ScatterPane)
    assert pane is not None
    place_of = dict(zip(run.result.row_ids.tolist(), range(len(run.result)), strict=True))
    wait_until(lambda: pane.view.points is not None and len(pane.view.points) < 240)
    at = [place_of[id] for id in run.data.row_ids[pane.view.points.rows].tolist()]
    n_now = int((at_threshold(run.result.probabilities, 1, 0.1) != run.result.truth)[at].sum())
    n_own = int((~run.result.right)[at].sum())
    assert n_own < int((~run.result.right).sum())
    assert wording.wrong_now_and_by_itself(n_now, n_own) in pane._facts._wordings[0]


def test_predictions_are_saved_as_they_are_decided_now(window: MainWindow, wait_until: Wait, tmp_path: Path) -> None:
    session, run = window.session, window.session.current_run
    assert run is not None and run.result is not None
    session.decisions.choose(run, AtThreshold("no", 0.1))
    session.saving.save_predictions(run, tmp_path / "found.csv")
    saved = wording.SAVED_240_PREDICTIONS
    wait_until(lambda: any(saved in message.text for message in session.messages.history))
    rows = list(csv.DictReader((tmp_path / "found.csv").read_text(encoding="utf-8").splitlines()))
    says_no = at_threshold(run.result.probabilities, 1, 0.1) == 1
    assert sum(row["predicted"] == "no" for row in rows) == int(says_no.sum())
    assert sum(row["correct"] == "no" for row in rows) == int((says_no != (run.result.truth == 1)).sum())
    itself = [row[evaluation_wording.PREDICTED_BY_MODEL] for row in rows]
    assert itself.count("no") == int((run.result.decision == 1).sum()) != int(says_no.sum())


def test_what_is_asked_at_every_painting_puts_no_costs_in_order_again(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 26 classes that takes some milliseconds, and every cell of the ledger asks."""
    session, run = window.session, window.session.current_run
    assert run is not None
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    session.decisions.choose(run, ByCost())
    decided, put_in_order = session.decisions.reports.decided(run), []
    assert decided is not None
    own = CostMatrix.ordered
    monkeypatch.setattr(CostMatrix, "ordered", lambda *given: put_in_order.append(given) or own(*given))
    monkeypatch.setattr(CostMatrix, "__post_init__", lambda costs: put_in_order.append(costs))
    assert (
        session.decisions.reports.decided(run) is decided and session.decisions.reports.cost_per_record(run) is not None
    )
    assert not put_in_order
    monkeypatch.undo()
    session.set_costs(CostMatrix(session.classes, ((0.0, 10.0), (1.0, 0.0))))
    other = session.decisions.costs_of(run)
    assert other is not None and other.fixed.tolist() == [[0.0, 10.0], [1.0, 0.0]]
    assert session.decisions.reports.decided(run) is not decided


def test_intervals_under_a_threshold_of_many_classes_are_drawn_in_a_job(stage: Stage, wait_until: Wait) -> None:
    window = stage.window()
    session = window.session
    stage.open(session, small_data(360, tuple("abcdefghijkl"), seed=5))
    session.set_class_of_interest(0)
    run = judged(session, wait_until, NaiveBayes(), FIVE)
    window.show_tab(2)
    session.turns.finish()
    press(window, "evaluate.all-metrics")
    metrics = part(window, QTableWidget, "evaluate.metrics")

    def kappa_interval() -> str:
        at = [i for i in range(metrics.rowCount()) if metrics.item(i, 0).text() == "95% CI of kappa"]
        return metrics.item(at[0], 1).text()

    own = kappa_interval()
    assert "–" in own
    session.decisions.choose(run, AtThreshold("a", 0.001))
    session.turns.finish()
    wait_until(lambda: kappa_interval() not in ("…", own), 20)
    now = session.decisions.reports.decided(run)
    assert now is not None and now.drawn is None
    expected = matrix_intervals(now.confusion, now.n_effective).kappa
    assert expected is not None
    assert kappa_interval() == f"{coefficient(expected.low)} to {coefficient(expected.high)}"
