"""Explain: changes that flip a prediction, its probabilities, and what of them is in view in which window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QPushButton,
)

from algorithms.core.learner import Learner
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import percent
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.visualize.explain_helpers import asked_number, opened, ran, text
from tests.workbench.window_helpers import Wait, judged, part, small_data
from workbench.session.decision_rules import TIES_BY_DEFAULT
from workbench.session.runs import FoldView
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.explain.counterfactuals import similar_html
from workbench.tabs.visualize.explain.explain_page import LEAST_BESIDE, ExplainPage
from workbench.tabs.visualize.explain.record_prediction import (
    ExpectedCosts,
    RecordPrediction,
    model_wordings,
)
from workbench.tabs.visualize.explain.value_charts import (
    ProbabilityBars,
    free_box,
)
from workbench.viewers.tree.tree_words import HighlightedPath
from workbench.widgets.labels import ElidedLabel


def test_a_missing_value_shows_the_fractional_ways(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    opened(explain, session, wait_until)
    missing = explain.findChild(QCheckBox, f"{asked_number(session, explain).objectName()}.missing")
    assert missing is not None
    missing.setFocus()
    QTest.keyClick(missing, Qt.Key.Key_Space)
    wait_until(lambda: wording.SINCE_A_VALUE_IS_MISSING in text(explain, "ways"))
    assert not asked_number(session, explain).isEnabled()
    QTest.keyClick(missing, Qt.Key.Key_Space)
    wait_until(lambda: wording.PATH_HEAD in text(explain, "ways"))


def test_the_smallest_change_is_found_and_tried(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    opened(explain, session, wait_until)
    wait_until(lambda: wording.ONE_ATTRIBUTE in text(explain, "flip"))
    promised = QTextDocumentFragment.fromHtml(text(explain, "flip-0")).toPlainText().rpartition(" ")[2]
    before, link = text(explain, "said"), part(explain, QPushButton, "visualize.what-if.flip-0.try")
    what = QTextDocumentFragment.fromHtml(text(explain, "flip-0")).toPlainText().partition("\n")[0]
    assert link.accessibleName().startswith(f"{link.text()}: {what} "), "the palette lists several"
    assert link is not None
    QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    wait_until(lambda: text(explain, "said") != before)
    assert promised in text(explain, "said")


def test_further_changes_that_flip_it_are_named_below_the_two_smallest(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """Two changes were offered, and nothing said that the effect chart shows further ones."""
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    pane.show_record(50)
    wait_until(lambda: wording.ONE_ATTRIBUTE in text(explain, "flip") and not session.jobs.running)
    assert text(explain, "flip") == wording.ONE_ATTRIBUTE_AND_OTHERS


def test_a_model_without_a_tree_can_be_asked_too(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, ZeroR(), wait_until)
    explain.show_run(session.current_run)
    wait_until(lambda: explain.what_if is not None and wording.WOULD_SAY in text(explain, "said"))
    assert len(explain.what_if.form.values if explain.what_if else {}) == 4
    wait_until(lambda: wording.NO_CHANGE_OF_ONE in text(explain, "flip"))


def test_a_share_below_a_thousandth_is_written_beside_its_class(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, LinearDiscriminant(), wait_until)
    pane = opened(explain, session, wait_until)
    rows = part(pane, ProbabilityBars, "visualize.what-if.shares").rows
    assert [(name, percent(share)) for _code, name, share in rows] == [
        ("setosa", "100.0%"),
        ("versicolor", "<0.1%"),
        ("virginica", "<0.1%"),
    ]


def test_of_many_classes_the_most_probable_have_a_bar_and_the_rest_share_one(qapp: QApplication) -> None:
    bars = ProbabilityBars("bars")
    bars.show_probabilities(tuple("ABCDEFGHIJ"), [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.03, 0.01, 0.01])
    assert [name for _code, name, _share in bars.rows] == [*"ABCDEFG", wording.THREE_OTHER_CLASSES]
    assert bars.rows[-1][2] == pytest.approx(0.05)
    assert "J 1.0%" in bars.toolTip()


def test_among_many_classes_the_predicted_one_has_a_bar_however_improbable(qapp: QApplication) -> None:
    bars = ProbabilityBars("bars")
    shares = [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.03, 0.01, 0.01]
    expected = ExpectedCosts(tuple(float(code) for code in range(10)), "EUR")
    bars.show_probabilities(tuple("ABCDEFGHIJ"), shares, ("I", 0.005), expected, 9)
    assert [name for _code, name, _share in bars.rows] == [*"ABCDEIJ", wording.THREE_OTHER_CLASSES]
    assert bars.cost_head.endswith("(EUR)") and bars.costs[9] == "9"
    assert bars.sizeHint().height() == 8 * themes.px(24) + themes.px(18)
    bars.show_probabilities(("a", "b"), [0.5, 0.5])
    assert bars.costs == {} and bars.sizeHint().height() == 2 * themes.px(24)


def test_the_model_of_the_prediction_is_named(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, NaiveBayes(), wait_until)
    opened(explain, session, wait_until)
    run = session.current_run
    assert run is not None and text(explain, "model") == wording.OF_ALL_RECORDS
    assert run.trained is not None
    of_fold, prediction = (
        FoldView(run, "the model of fold 3", np.array([0, 1]), (0, 0)),
        RecordPrediction(0, (1.0,), (), ()),
    )
    assert model_wordings(of_fold, 5, prediction, run.trained)[0] == wording.OF_FOLD_3_WITHOUT
    assert model_wordings(of_fold, 1, prediction, run.trained)[0] == wording.OF_FOLD_3
    by_rule = replace(prediction, itself=1, by=f" {wording.AT_THRESHOLD}")
    assert model_wordings(None, 1, by_rule, run.trained)[0] == wording.BY_RULE_AND_BY_DEFAULT


def test_a_typed_number_beyond_the_ends_of_a_scale_is_said_as_it_was_typed(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, C45(), wait_until, by="rank")
    pane, told = opened(explain, session, wait_until), list[HighlightedPath]()
    pane.path_changed.connect(told.append)
    asked_number(session, explain).setValue(50.0)
    wait_until(lambda: bool(told) and any(label.startswith("50, so >") for label in told[-1].labels.values()))
    assert any(sentence.endswith("No, 50.") for sentence in told[-1].sentences)


def test_the_threshold_of_the_record_is_told_where_costs_differ_by_record(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    data = small_data(60).with_new_column(numeric("amount"), np.arange(60.0))
    stage.open(session, data)
    run = judged(session, wait_until, LogisticRegression(), CrossValidation(folds=3))
    session.set_costs(CostMatrix(session.classes, ((0.0, "amount"), (10.0, 0.0))))
    session.decisions.choose(run, ByCost())
    page = stage.show(ExplainPage(session), 1000, 700)
    page.show_run(run)
    for row in (30, 10):
        page.follow(row)
        least = percent(10.0 / (10.0 + row))
        wait_until(lambda least=least: wording.needs_at_least("yes", least) in page.what_if.words)
    session.set_costs(CostMatrix(session.classes, ((0.0, 5.0), (10.0, 0.0))))
    wait_until(lambda: "needs" not in page.what_if.words)


@pytest.mark.parametrize("width", [700, 1000, 1400])
def test_predicted_and_actual_class_are_in_view_and_a_threshold_is_marked_in_both_charts(
    session: Session, stage: Stage, wait_until: Wait, width: int
) -> None:
    """The sentence was cut before the actual class, and "yes (20%)" stood above a bar of 80% for no."""
    rows = np.array([f"C{i}" for i in range(60)], dtype=object)
    data = small_data(60).with_new_column(Attribute("Customer", AttributeKind.IDENTIFIER), rows)
    stage.open(session, data)
    run = judged(session, wait_until, LogisticRegression(), CrossValidation(folds=3))
    session.set_class_of_interest(session.classes.index("yes"))
    session.decisions.choose(run, AtThreshold("yes", 0.18657))
    page = stage.show(ExplainPage(session), width, 700)
    page.show_run(run)
    page.follow(30)
    names = "said", "model", "actual"
    said, model, actual = (part(page, ElidedLabel, f"visualize.what-if.{name}") for name in names)
    wait_until(lambda: wording.AT_THRESHOLD in model.text() and wording.RECORD_31_IS in actual.text())
    assert wording.AT_THRESHOLD in model.shown()
    assert run.trained is not None
    assert any(said.shown().startswith(wording.would_say(label)) for label in run.trained.classes)
    assert wording.ACTUAL_CLASS in actual.shown() and "…" not in actual.shown()
    assert part(page, ElidedLabel, "visualize.what-if.tested").shown().startswith(wording.WHEN_TESTED)
    assert "Customer: C30" in actual.toolTip()
    bars, effect = part(page, ProbabilityBars, "visualize.what-if.shares"), page.what_if.effect
    wait_until(lambda: effect.shown is not None)
    assert bars.threshold == ("yes", 0.18657) and effect.shown is not None
    assert effect.shown.line_of_threshold() == (pytest.approx(0.18657), wording.THRESHOLD_LINE)
    with_mark = bars.grab().toImage()
    bars.show_probabilities(run.trained.classes, [share for _, _, share in sorted(bars.rows)])
    assert bars.grab().toImage() != with_mark


def test_changing_the_record_moves_no_button_and_the_chart_stays_on_its_first_attribute(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """The button Reset appeared where Next error had stood, and a second click took the change back.

    The chart changed to the attribute that flips the prediction as soon as that was known.
    """
    ran(session, LogisticRegression(), wait_until)
    pane = opened(explain, session, wait_until)
    wait_until(lambda: wording.ONE_ATTRIBUTE in text(explain, "flip") and not session.jobs.running)
    before = pane.effect.shown
    pane.show_record(77)
    wait_until(lambda: pane.effect.shown is not before)
    first = pane.effect.shown
    assert first is not None and first.scale.attribute.name == pane._attribute.currentText()
    wait_until(lambda: wording.ONE_ATTRIBUTE not in text(explain, "flip"))
    wait_until(lambda: wording.ONE_ATTRIBUTE in text(explain, "flip") and not session.jobs.running)
    assert pane.effect.shown is first
    after = part(explain, QPushButton, "visualize.what-if.next-error")
    reset, place = part(explain, QPushButton, "visualize.what-if.reset"), after.mapTo(explain, QPoint())
    QTest.mouseClick(part(explain, QPushButton, "visualize.what-if.flip-0.try"), Qt.MouseButton.LeftButton)
    wait_until(reset.isVisible)
    session.turns.finish()
    assert after.mapTo(explain, QPoint()) == place


@pytest.mark.parametrize(("n_equal", "n_unequal"), [(0, 4), (9, 3), (2, 10), (0, 12)])
def test_the_similar_record_lists_every_unequal_attribute_first_and_says_how_many_are_left_out(
    n_equal: int, n_unequal: int
) -> None:
    names = [f"a{i}" for i in range(n_equal)] + [f"b{i}" for i in range(n_unequal)]
    schema = Schema((*map(numeric, names), nominal("class", ("yes", "no"))), len(names))
    columns = [np.array([377.17, 377.17 if name[0] == "a" else 12730.5]) for name in names]
    data = Dataset(schema, [*columns, np.array([0, 1])])
    html = similar_html((data.take([0]), data.take([1])), range(len(names)), ("this", "that"))
    text = QTextDocumentFragment.fromHtml(html).toPlainText()
    listed = [name for name in names if name in text]
    assert len(listed) == min(8, len(names)) and "377.17" in text
    assert sum(name[0] == "b" for name in listed) == min(8, n_unequal)
    left = len(names) - len(listed)
    n_left = max(0, n_unequal - 8)
    how = "all different" if n_left == left else f"{n_left} of them different" if n_left else "equal"
    assert (wording.attributes_more(left, how) in text) if left else ("more" not in text)


@pytest.mark.parametrize(
    ("shares", "first"),
    [((1.0, 0.0, 0.0), "100.0%"), ((1.0, 1e-30, 0.0), ">99.9%"), ((0.83, 0.17, 0.0), "83.0%")],
)
def test_a_class_is_certain_only_where_no_other_has_a_probability(
    qapp: QApplication, shares: tuple[float, ...], first: str
) -> None:
    bars = ProbabilityBars("bars")
    bars.show_probabilities(("a", "b", "c"), shares)
    assert bars.toolTip().splitlines()[0] == f"a {first}"
    assert RecordPrediction(0, shares, (), ()).probability == first


def test_the_prediction_stands_in_one_line_in_large_text_so_that_its_effect_is_in_view(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    """Its sentence took three lines, and the chart began below the edge."""
    themes.set_scale(1.5)
    page = stage.show(ExplainPage(session), 760, 620)
    ran(session, Cart(), wait_until)
    pane = opened(page, session, wait_until)
    said = part(page, QLabel, "visualize.what-if.said")
    wait_until(lambda: bool(said.text()) and not pane.effect.is_empty)
    QTest.qWait(50)
    assert said.height() < 2 * said.fontMetrics().height()
    assert isinstance(said, ElidedLabel) and said.shown() in said._wordings
    assert pane.effect.visibleRegion().boundingRect().height() > 40
    themes.set_scale(1.0)


@pytest.mark.parametrize(
    "learner", [LogisticRegression(), NeuralNetwork(hidden=(4,), epochs=20), Ripper()], ids=lambda learner: learner.id
)
@pytest.mark.parametrize("sample", ["iris", "breast-cancer"])
def test_the_effect_of_an_attribute_is_in_view_with_its_axis_in_a_low_window(
    session: Session, stage: Stage, wait_until: Wait, sample: str, learner: Learner
) -> None:
    """At 1280 x 720 the lower edge of the page cut through the chart, with free room at both sides."""
    explain = stage.show(ExplainPage(session), 1248, 577)
    explain.what_if.take_heading().hide()  # the tab shows it in its bar
    ran(session, learner, wait_until, sample)
    pane = opened(explain, session, wait_until)
    wait_until(lambda: pane.effect.shown is not None and not session.jobs.running)
    QTest.qWait(50)
    in_view = pane.effect.visibleRegion().boundingRect().height()
    assert in_view == pane.effect.height() >= LEAST_BESIDE


def test_the_place_among_the_selected_follows_a_selection_that_ended_on_another_page(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """ "1 of 20 selected" stood above the page while the status bar said that no record was selected."""
    ran(session, C45(), wait_until)
    assert session.data is not None
    session.selection.select(session.data, np.arange(20), by="the test")
    pane = opened(explain, session, wait_until)
    assert wording.selected_of(1, 20) == pane.wrong.place.text()
    explain.hide()
    session.selection.clear()
    explain.show()
    assert not pane.wrong.place.text()


def test_the_words_of_a_threshold_stand_where_no_curve_crosses_them() -> None:
    """At 1440 x 900 the curve went through "threshold 10.9%"."""
    left, right = QRectF(0, 40, 50, 20), QRectF(150, 40, 50, 20)
    rising, level = np.array([50.0, 0.0]), np.array([90.0, 90.0])
    assert free_box([left, right], [0.0, 200.0], [rising, level]) == right
    assert free_box([left, right], [0.0, 200.0], [level]) == left
    assert free_box([left, right], [0.0, 200.0], [np.array([50.0, 50.0])]) == left, "all are crossed"


def test_ties_are_told_only_of_a_probability_at_the_threshold(stage: Stage) -> None:
    """Each record of a run decided by costs had "ties by default", also the record far from the threshold."""
    bars = stage.show(ProbabilityBars("shares"), 400, 120)
    for share, is_tie in ((0.3, False), (0.2, True)):
        bars.show_probabilities(("no", "yes"), (1 - share, share), ("yes", 0.2), ExpectedCosts((share, 0.25)))
        assert (TIES_BY_DEFAULT in bars.toolTip()) is is_tie
