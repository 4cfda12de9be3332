"""What if: a record's values as widgets; decision, way and smallest change follow."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
)

from algorithms.core.learner import Learner, LogOddsTerm
from algorithms.core.resampling import Method
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import ByCost
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, TrainingSet
from algorithms.evaluation.regions import typical_value
from algorithms.evaluation.what_if import AttributeEffect, DecisionFlip, changed
from algorithms.filters.scale import Scale
from algorithms.filters.training_records import without_classes
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.linear.model import average_words
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from algorithms.text.numbers import MINUS, percent
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, small_data
from workbench.layout.points import AxisScale
from workbench.session.session import Session
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.tabs.visualize.explain.explain_page import ExplainPage, WhatIfPane
from workbench.tabs.visualize.explain.record_form import RecordForm
from workbench.tabs.visualize.explain.record_prediction import (
    ProbabilityBars,
    RecordPrediction,
    flip_html,
    own_explained,
    reasons_html,
    similar_html,
)
from workbench.tabs.visualize.explain.record_prediction import TestedPrediction as WhenTested
from workbench.tabs.visualize.explain.value_charts import EffectChart, ShownEffect, ValueHistogram, classes_with_lines
from workbench.viewers.tree.split_histograms import SplitHistogram
from workbench.viewers.tree.tree_words import HighlightedPath


@pytest.fixture
def beside(session: Session, stage: Stage) -> ExplainPage:
    return stage.show(ExplainPage(session), 1000, 700)


def ran(session: Session, learner: Learner, wait_until: Wait, sample: str = "iris") -> None:
    session.open_sample(sample)
    wait_until(lambda: session.data is not None)
    session.start_run(learner, TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)


def text(beside: ExplainPage, name: str) -> str:
    found = beside.findChild(QLabel, f"visualize.what-if.{name}")
    assert found is not None
    return found.text()


def opened(beside: ExplainPage, session: Session, wait_until: Wait) -> WhatIfPane:
    beside.show_run(session.current_run)
    session.turns.finish()
    pane = beside.what_if
    assert pane.isVisible()
    wait_until(lambda: wording.WOULD_SAY in text(beside, "said"))
    return pane


def asked_number(session: Session, beside: ExplainPage) -> QDoubleSpinBox:
    """The widget of the attribute that the root asks about."""
    assert session.current_run is not None and session.current_run.trained is not None
    tree = session.current_run.trained.structure()
    assert isinstance(tree, Tree)
    name = tree.schema.attributes[int(tree.attribute[0])].name
    found = beside.findChild(QDoubleSpinBox, f"visualize.what-if.{name}")
    assert found is not None
    return found


def test_four_values_over_their_classes_are_seen_without_scrolling(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(beside, session, wait_until)
    charts = [chart for chart in pane.form.findChildren(ValueHistogram) if chart.isVisible()]
    wait_until(lambda: all(not chart.is_empty for chart in charts))
    fields = [field for field in pane.form.findChildren(QDoubleSpinBox) if field.isVisible()]
    assert len(fields) == len(charts) == 4
    for widget in (*fields, *charts):
        assert widget.visibleRegion().boundingRect().height() == widget.height()
    assert session.data is not None and charts[0].histogram is not None
    np.testing.assert_array_equal(charts[0].histogram.counts.sum(axis=0), [50, 50, 50])


@pytest.mark.parametrize(("width", "place"), [(1000, "below the values"), (1400, "beside")])
def test_what_would_change_the_prediction_takes_the_room_there_is(
    session: Session, stage: Stage, wait_until: Wait, width: int, place: str
) -> None:
    page = stage.show(ExplainPage(session), width, 700)
    ran(session, Cart(), wait_until)
    pane = opened(page, session, wait_until)
    flips, chart = part(page, QLabel, "visualize.what-if.flip"), pane.effect

    def found() -> str:
        where, right = (widget.mapTo(page, QPoint()) for widget in (flips, chart))
        return "below the values" if where.x() < right.x() else "beside"

    wait_until(lambda: found() == place)


def test_the_handle_of_a_histogram_covers_no_end_of_its_scale(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    opened(beside, session, wait_until)
    chart = part(beside, ValueHistogram, f"{asked_number(session, beside).objectName()}.histogram")
    wait_until(lambda: not chart.is_empty and chart.width() > 60)
    assert chart.histogram is not None
    for value in np.linspace(chart.histogram.low, chart.histogram.high, 30):
        chart.show_value(float(value))
        (low, _), (high, _) = chart.ends(QFontMetricsF(chart.font()))
        assert not any(box.intersects(chart.handle()) for box in (low, high)) and low.right() < high.left()


def test_a_click_on_a_histogram_tries_the_value_at_that_place(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane = opened(beside, session, wait_until)
    index, before = pane.asked[0], text(beside, "said")
    chart = part(beside, ValueHistogram, f"{asked_number(session, beside).objectName()}.histogram")
    wait_until(lambda: not chart.is_empty and chart.width() > 60)
    own = pane.form.values[index]
    QTest.mouseClick(chart, Qt.MouseButton.RightButton, pos=QPoint(chart.width() - 3, 10))
    assert pane.form.values[index] == own
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(chart.width() - 3, 10))
    assert chart.histogram is not None
    assert pane.form.values[index] == pytest.approx(chart.histogram.high, rel=0.05)
    assert asked_number(session, beside).value() == pane.form.values[index]
    wait_until(lambda: text(beside, "said") != before)


def test_a_field_shows_eight_digits_and_all_of_them_while_it_is_edited(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane = opened(beside, session, wait_until)
    field = asked_number(session, beside)
    pane.form.show_values({pane.asked[0]: 1.234567891})
    beside.setFocus()
    wait_until(lambda: not field.hasFocus())
    assert field.text() == "1.2345679" and field.value() == 1.234567891 and field.toolTip() == "1.234567891"
    field.setFocus()
    assert field.text() == "1.234567891"
    field.clearFocus()
    assert field.text() == "1.2345679" and field.value() == 1.234567891


def test_the_effect_of_the_field_in_use_is_the_models_probability_along_it(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(beside, session, wait_until)
    fields = [field for field in pane.form.findChildren(QDoubleSpinBox) if field.isVisible()]
    fields[2].setFocus()
    wait_until(lambda: pane.effect.shown is not None and pane.effect.shown.effect.attribute == pane.asked[2])
    shown, run = pane.effect.shown, session.current_run
    assert shown is not None and run is not None and run.trained is not None
    place = len(shown.effect.values) // 2
    varied = changed(run.data.take([0]), {pane.asked[2]: float(shown.effect.values[place])})
    np.testing.assert_allclose(shown.effect.probabilities[place], run.trained.predict_proba(varied)[0], atol=1e-6)
    assert shown.effect.values[0] == run.data.column(pane.asked[2]).min()


def test_of_many_classes_the_predicted_one_has_a_line() -> None:
    probabilities = np.array([[0.2, 0.2, 0.15, 0.15, 0.1, 0.08, 0.07, 0.05]])
    assert classes_with_lines(probabilities, 0, 0) == (0, 1, 2, 3, 4, 5)
    codes = classes_with_lines(probabilities, 0, 7)
    assert codes == (0, 1, 2, 3, 4, 7)
    effect = AttributeEffect(0, np.array([0.0]), probabilities)
    shown = ShownEffect(effect, AxisScale(numeric("x"), 0.0, 1.0), 0.0, tuple("abcdefgh"), codes)
    assert (shown.title, shown.some) == (wording.PROBABILITY, wording.SIX_OF_EIGHT_CLASSES)


@pytest.mark.parametrize(
    ("now", "to", "step"), [(1.4, 1.901, "+0.501"), (3.5, 2.0, "−1.5"), (-1.3265769, -1.279, "+0.048")]
)
def test_the_step_of_a_change_has_the_decimals_of_its_values(now: float, to: float, step: str) -> None:
    flip = DecisionFlip(0, to, 1, 0.5)
    assert f">{step}, 0.50 SD<" in flip_html(Schema((numeric("x"),)), flip, now, ("a", "b"))


def test_all_of_few_classes_have_a_line_and_their_end_marks_stay_apart(stage: Stage) -> None:
    probabilities = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    codes = classes_with_lines(probabilities, 0, 0)
    assert codes == (0, 1, 2)
    effect = AttributeEffect(0, np.array([0.0, 1.0]), probabilities)
    shown = ShownEffect(effect, AxisScale(numeric("x"), 0.0, 1.0), 0.0, tuple("abc"), codes)
    chart = stage.show(EffectChart("effect"), 400, 220)
    chart.show_effect(shown)
    marks = sorted(chart.end_marks(shown).values())
    assert min(np.diff(marks)) >= themes.px(10) - 1e-6


def test_the_page_names_its_run_and_unused_attributes_and_opens_on_the_one_that_matters(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, AdaBoost(members=6), wait_until)
    pane = opened(beside, session, wait_until)
    run = session.current_run
    assert run is not None
    unused = part(beside, QLabel, "visualize.what-if.unused")
    wait_until(lambda: pane.effect.shown is not None)
    assert unused.isVisible() and unused.text() == wording.TWO_UNUSED
    assert pane._facts.text() == wording.adaboost_run(run.number)
    assert pane._attribute.currentText() == "Petal Length" and pane.effect.shown is not None
    assert pane.effect.shown.scale.attribute.name == "Petal Length"


def test_the_most_similar_record_of_another_class_is_shown_and_explained_next(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(beside, session, wait_until)
    button = part(beside, QPushButton, "visualize.what-if.to-similar")
    wait_until(button.isVisible)
    similar = int(button.text().rpartition(" ")[2])
    assert session.data is not None and session.data.class_codes[similar - 1] != 0
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert pane.row == similar - 1


def test_changes_and_the_similar_record_follow_the_theme(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    themes.install(application, LIGHT_NAME)
    ran(session, NaiveBayes(), wait_until)
    opened(beside, session, wait_until)
    wait_until(part(beside, QPushButton, "visualize.what-if.to-similar").isVisible)
    similar = part(beside, QLabel, "visualize.what-if.similar")
    before, light = similar.text(), current_theme().text
    assert light in before
    try:
        themes.choose(DARK_NAME)
        wait_until(lambda: current_theme().text in similar.text())
        assert similar.text().replace(current_theme().text, light) == before
        assert light not in "".join(label.text() for label in beside.findChildren(QLabel))
    finally:
        themes.choose(LIGHT_NAME)


def test_the_focus_goes_on_from_a_button_that_its_own_press_hides(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane = opened(beside, session, wait_until)
    try_it = part(beside, QPushButton, "visualize.what-if.flip-0.try")
    similar = part(beside, QPushButton, "visualize.what-if.to-similar")
    reset, number = (
        part(beside, QPushButton, "visualize.what-if.reset"),
        part(beside, QSpinBox, "visualize.what-if.record"),
    )
    wait_until(lambda: try_it.isVisible() and similar.isVisible())
    assert not reset.isVisible()
    try_it.setFocus()
    QTest.keyClick(try_it, Qt.Key.Key_Space)
    wait_until(lambda: not try_it.isVisible())
    assert reset.hasFocus()
    wait_until(lambda: not similar.isVisible())
    QTest.keyClick(reset, Qt.Key.Key_Space)
    assert number.hasFocus()
    assert not reset.isVisible()
    wait_until(similar.isVisible)
    similar.setFocus()
    pane.wait("")
    assert number.hasFocus()


def test_a_typed_number_counts_once_after_a_pause(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane, rows = opened(beside, session, wait_until), list[int]()
    number = part(beside, QSpinBox, "visualize.what-if.record")
    pane.record_changed.connect(rows.append)
    number.selectAll()
    QTest.keyClicks(number, "100")
    assert rows == []
    wait_until(lambda: rows == [99])


def test_records_keep_the_number_of_the_table_when_others_are_removed(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    assert session.data is not None
    session.set_document(session.data.take(np.arange(10, 150)))
    session.start_run(NaiveBayes(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    pane = opened(beside, session, wait_until)
    number = part(beside, QSpinBox, "visualize.what-if.record")
    assert number.text() == "record 11" and wording.WOULD_SAY in text(beside, "said")
    number.selectAll()
    QTest.keyClicks(number, "20")
    QTest.keyClick(number, Qt.Key.Key_Return)
    assert number.text() == "record 20" and pane.row == 9
    QTest.keyClick(number, Qt.Key.Key_Up)
    assert number.text() == "record 21"
    wait_until(lambda: wording.RECORD_21_IS in text(beside, "said"))
    number.selectAll()
    QTest.keyClicks(number, "5")
    QTest.keyClick(number, Qt.Key.Key_Return)
    assert number.text() == "record 21", "record 5 was removed"
    button = part(beside, QPushButton, "visualize.what-if.to-similar")
    wait_until(button.isVisible)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() == f"Go to {number.text()}"


def test_of_two_classes_the_similar_record_is_of_the_other_one(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    assert session.data is not None
    session.edit("Two", without_classes(session.data, session.classes[2:]))
    judged(session, wait_until, NaiveBayes(), TrainingSet())
    opened(beside, session, wait_until).show_record(0)
    words = part(beside, QLabel, "visualize.what-if.similar-words")
    wait_until(lambda: words.text().endswith(wording.nearest_of(session.classes[1])))


def test_a_contribution_of_nothing_has_no_minus_and_an_average_a_decimal() -> None:
    nothing = LogOddsTerm("x", "", 0.0, 1)
    html = reasons_html((nothing,), 0, ("a", "b"), "b")  # which turns its sign
    assert html.count("+0.00") == 2 and MINUS not in html
    assert (average_words(61.3, 14), average_words(12_730.4, 5000)) == ("61.3", "12,730")


def test_the_similar_record_of_a_missed_one_has_another_actual_class(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane, run = opened(beside, session, wait_until), session.current_run
    assert run is not None and run.trained is not None
    truth, predicted = run.data.class_codes, run.trained.predict(run.data)
    row = int(np.flatnonzero(predicted != truth)[0])
    pane.show_record(row)  # as a click on it elsewhere
    words, classes = part(beside, QLabel, "visualize.what-if.similar-words"), run.data.schema.classes
    wait_until(lambda: words.text().endswith(wording.nearest_not_of(classes[truth[row]])))
    similar = int(part(beside, QPushButton, "visualize.what-if.to-similar").text().rpartition(" ")[2]) - 1
    assert truth[similar] != truth[row]
    assert words.text().startswith(
        wording.similar_record(similar + 1, classes[truth[similar]], classes[predicted[similar]])
    )


def test_a_record_with_other_values_is_called_changed(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(beside, session, wait_until)
    assert wording.CHANGED not in text(beside, "said")
    pane.put_values({"Petal Length": 4.9})
    wait_until(lambda: wording.CHANGED in text(beside, "said"))
    wait_until(lambda: wording.CHANGED in text(beside, "similar"))
    pane.put_values({"Petal Length": 1.4})
    wait_until(lambda: wording.CHANGED not in text(beside, "said"))


def test_a_changed_record_is_named_with_its_own_prediction_and_its_actual_class(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    """The actual class alone was read as the prediction without the change."""
    ran(session, NaiveBayes(), wait_until)
    pane, run = opened(beside, session, wait_until), session.current_run
    assert run is not None and run.trained is not None
    truth, predicted = run.data.class_codes, run.trained.predict(run.data)
    row, classes = int(np.flatnonzero(predicted != truth)[0]), run.data.schema.classes
    pane.show_record(row)  # as a click on it elsewhere
    pane.put_values({"Petal Length": 1.4})
    words = wording.unchanged(classes[predicted[row]], classes[truth[row]])
    wait_until(lambda: text(beside, "said").endswith(words))


def test_a_typed_number_changes_what_the_model_says(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    lit: list[HighlightedPath] = []
    beside.path_changed.connect(lit.append)
    opened(beside, session, wait_until)
    before = text(beside, "said")
    assert "(100%)" in before and "<table" in text(beside, "ways")
    field = asked_number(session, beside)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "6.9")
    QTest.keyClick(field, Qt.Key.Key_Return)
    wait_until(lambda: text(beside, "said") != before)
    assert lit and lit[-1].nodes[0] == 0 and len(lit[-1].nodes) > 1
    assert any(label.startswith("6.9") for label in lit[-1].labels.values())


def test_what_was_said_when_tested_is_named_beside_how_sure_that_was(session: Session, wait_until: Wait) -> None:
    ran(session, ZeroR(), wait_until)
    assert session.current_run is not None and (trained := session.current_run.trained) is not None
    said = RecordPrediction(1, (0.02, 0.98, 0.0), (), (), tested=WhenTested("versicolor", 0.991))
    assert trained.classes[1] == "versicolor"
    assert said.when_tested(trained, "setosa") == wording.WHEN_TESTED_VERSICOLOR


@pytest.mark.parametrize("method", [TrainingSet(), Holdout()], ids=lambda method: method.id)
def test_a_record_that_no_model_tested_was_trained_on(
    session: Session, beside: ExplainPage, wait_until: Wait, method: Method
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.start_run(NaiveBayes(), method, 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running, 60)
    pane = opened(beside, session, wait_until)
    assert run.result is not None
    tested = [] if run.result.test_is_training else run.result.row_ids.tolist()
    trained_only = next(row for row in range(150) if row not in tested)
    for row, is_said in ((trained_only, True), *((row, False) for row in tested[:1])):
        pane.show_record(row)  # as a click on it elsewhere
        wait_until(lambda row=row: f"Record {row + 1} is" in text(beside, "said"))
        assert (wording.NOT_TESTED in text(beside, "said")) == is_said
    field = next(field for field in pane.form.findChildren(QDoubleSpinBox) if field.isVisible())
    field.setValue(field.value() + 1)
    wait_until(lambda: "changed" in text(beside, "said"))
    assert wording.NOT_TESTED not in text(beside, "said")


def test_a_record_that_a_step_may_have_left_out_is_only_said_not_to_be_tested(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.set_recipe((session.registry.filters.get("sample-records")(),), "Sample")
    run = judged(session, wait_until, NaiveBayes(), Holdout())
    assert run.result is not None
    untested = next(row for row in range(150) if row not in run.result.row_ids)
    opened(beside, session, wait_until).show_record(untested)
    wait_until(lambda: f"Record {untested + 1} is" in text(beside, "said"))
    assert wording.NOT_TESTED_PERHAPS_LEFT_OUT in text(beside, "said")


def test_a_missing_value_shows_the_fractional_ways(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    opened(beside, session, wait_until)
    missing = beside.findChild(QCheckBox, f"{asked_number(session, beside).objectName()}.missing")
    assert missing is not None
    missing.setFocus()
    QTest.keyClick(missing, Qt.Key.Key_Space)
    wait_until(lambda: wording.SINCE_A_VALUE_IS_MISSING in text(beside, "ways"))
    assert not asked_number(session, beside).isEnabled()
    QTest.keyClick(missing, Qt.Key.Key_Space)
    wait_until(lambda: wording.PATH_HEAD in text(beside, "ways"))


def test_a_missing_value_is_shown_as_missing(stage: Stage) -> None:
    form, data = stage.show(RecordForm(), 500, 200), small_data()
    form.set_attributes(data, (0, 2))
    form.show_values({0: 30.7, 2: 1})
    form.show_values({0: float("nan"), 2: -1})  # another record
    number, label = (
        part(form, QDoubleSpinBox, "visualize.what-if.first"),
        part(form, QComboBox, "visualize.what-if.class"),
    )
    assert number.text() == label.currentText() == ""
    assert number.lineEdit().placeholderText() == label.placeholderText() == wording.MISSING
    part(form, QCheckBox, "visualize.what-if.class.missing").click()
    assert label.currentText() == "yes" and form.values[2] == 0
    form.show_values({0: 30.7})
    assert number.text() == "30.7"


def test_a_value_missing_no_more_is_the_record_s_own_or_typical(stage: Stage) -> None:
    form, data = stage.show(RecordForm(), 500, 200), small_data()
    form.set_attributes(data, (0, 2))
    form.show_values({0: 30.7, 2: 1})
    form.show_values({0: float("nan"), 2: -1})  # another record
    number, label = (part(form, QCheckBox, f"visualize.what-if.{name}.missing") for name in ("first", "class"))
    number.click()
    label.click()
    assert form.values[0] == pytest.approx(typical_value(data, 0), abs=1e-9)
    assert form.values[2] == typical_value(data, 2) == 0
    form.show_values({0: 7.125})
    number.click()
    number.click()
    assert form.values[0] == 7.125


def test_contributions_say_that_a_missing_value_counts_as_average(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, LogisticRegression(), wait_until)
    pane = opened(beside, session, wait_until)
    name = pane.form.findChildren(QDoubleSpinBox)[0].accessibleName()
    part(beside, QCheckBox, f"visualize.what-if.{name}.missing").click()
    wait_until(lambda: wording.missing_so_average(name) in text(beside, "ways"))


def test_the_smallest_change_is_found_and_tried(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    opened(beside, session, wait_until)
    wait_until(lambda: wording.ONE_ATTRIBUTE in text(beside, "flip"))
    promised = QTextDocumentFragment.fromHtml(text(beside, "flip-0")).toPlainText().rpartition(" ")[2]
    before, link = text(beside, "said"), part(beside, QPushButton, "visualize.what-if.flip-0.try")
    what = QTextDocumentFragment.fromHtml(text(beside, "flip-0")).toPlainText().partition("\n")[0]
    assert link.accessibleName().startswith(f"{link.text()}: {what} "), "the palette lists several"
    assert link is not None
    QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    wait_until(lambda: text(beside, "said") != before)
    assert promised in text(beside, "said")


def test_another_record_and_reset_bring_back_its_own_values(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane = opened(beside, session, wait_until)
    first = dict(pane.form.values)
    number = beside.findChild(QSpinBox, "visualize.what-if.record")
    assert number is not None
    number.setValue(150)
    wait_until(lambda: "virginica" in text(beside, "said"))
    assert pane.form.values != first
    number.setValue(1)
    field = asked_number(session, beside)
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert pane.form.values != first
    reset = beside.findChild(QPushButton, "visualize.what-if.reset")
    assert reset is not None
    QTest.mouseClick(reset, Qt.MouseButton.LeftButton)
    assert pane.form.values == first


def test_values_of_a_list_are_chosen_by_keys(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, Cart(pruning="none"), wait_until, "customers")
    pane = opened(beside, session, wait_until)
    found = pane.form.findChildren(QComboBox)
    assert found
    before = dict(pane.form.values)
    found[0].setFocus()
    QTest.keyClick(found[0], Qt.Key.Key_Down if found[0].currentIndex() == 0 else Qt.Key.Key_Up)
    assert pane.form.values != before


def test_only_what_the_tree_asks_about_is_listed(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, C45(max_depth=1), wait_until)
    pane = opened(beside, session, wait_until)
    assert len(pane.form.values) == 1


def test_a_model_without_a_tree_can_be_asked_too(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, ZeroR(), wait_until)
    beside.show_run(session.current_run)
    wait_until(lambda: beside.what_if is not None and wording.WOULD_SAY in text(beside, "said"))
    assert len(beside.what_if.form.values if beside.what_if else {}) == 4
    wait_until(lambda: wording.NO_CHANGE_OF_ONE in text(beside, "flip"))


def test_a_share_below_a_thousandth_is_written_beside_its_class(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, LinearDiscriminant(), wait_until)
    pane = opened(beside, session, wait_until)
    rows = part(pane, ProbabilityBars, "visualize.what-if.shares").rows
    assert [(name, percent(share)) for _code, name, share in rows] == [
        ("setosa", "100%"),
        ("versicolor", "<0.1%"),
        ("virginica", "<0.1%"),
    ]


def test_the_one_selected_record_or_the_first_of_several_is_the_one_to_start_from(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    opened(beside, session, wait_until)
    assert session.data is not None
    session.selection.select(session.data, np.array([149]))
    wait_until(lambda: "virginica" in text(beside, "said"))
    number = beside.findChild(QSpinBox, "visualize.what-if.record")
    assert number is not None and number.value() == 150
    session.selection.select(session.data, np.array([1, 149]))
    assert number.value() == 150  # it is one of several now
    session.selection.select(session.data, np.array([1, 2]))
    assert number.value() == 2


def test_it_begins_with_the_first_of_several_selected_records_and_says_what_it_is(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    assert session.data is not None
    session.selection.select(session.data, np.array([120, 149]))
    opened(beside, session, wait_until)
    number = beside.findChild(QSpinBox, "visualize.what-if.record")
    assert number is not None and number.value() == 121
    assert text(beside, "said").endswith(wording.RECORD_121)


def test_of_many_attributes_those_that_are_looked_for_can_be_changed(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    random = np.random.default_rng(0)
    names = [f"measure {i}" for i in range(150)]
    columns = [random.normal(size=80) for _ in names]
    schema = Schema((*(numeric(name) for name in names), nominal("class", "ab")), 150)
    session.set_document(Dataset(schema, [*columns, (columns[0] > 0).astype(int)]))
    wait_until(lambda: session.data is not None and len(session.data) == 80)
    session.start_run(ZeroR(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    beside.show_run(session.current_run)
    wait_until(lambda: beside.what_if is not None and wording.WOULD_SAY in text(beside, "said"))
    assert beside.what_if is not None
    form, find = beside.what_if.form, beside.findChild(QLineEdit, "visualize.what-if.find")
    assert find is not None and find.isVisible()
    wait_until(lambda: beside.findChild(QDoubleSpinBox, "visualize.what-if.measure 7") is not None)
    shown = part(beside, QPushButton, "visualize.what-if.all")
    assert "8 of 150" in text(beside, "found") and shown.text() == wording.SHOW_FIRST_60
    assert beside.findChild(QDoubleSpinBox, "visualize.what-if.measure 8") is None
    shown.click()
    wait_until(lambda: beside.findChild(QDoubleSpinBox, "visualize.what-if.measure 59") is not None)
    assert shown.text() == wording.SHOW_FEWER
    assert wording.ATTRIBUTES_60_OF_150 in text(beside, "found") and len(form.values) == 150
    assert beside.findChild(QDoubleSpinBox, "visualize.what-if.measure 149") is None
    QTest.keyClicks(find, "149")
    wait_until(lambda: beside.findChild(QDoubleSpinBox, "visualize.what-if.measure 149") is not None)
    field = beside.findChild(QDoubleSpinBox, "visualize.what-if.measure 149")
    assert field is not None and "1 of 150" in text(beside, "found")
    wait_until(field.isVisible)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert form.values[149] == 7.0
    assert not shown.isVisible()
    find.clear()
    shown.click()
    last = beside.findChild(QDoubleSpinBox, "visualize.what-if.measure 59")
    wait_until(lambda: not last.isVisible() and shown.text() == wording.SHOW_FIRST_60)
    first = beside.findChild(QDoubleSpinBox, "visualize.what-if.measure 0")
    assert first is not None
    wait_until(lambda: first.isVisible() and not field.isVisible())
    assert form.values[149] == 7.0, "what is out of view keeps its value"
    QTest.keyClicks(find, "no such")
    assert "No attribute" in text(beside, "found")


def test_of_many_attributes_only_those_that_the_tree_asks_about_are_there_and_that_is_said(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    random = np.random.default_rng(0)
    columns = [random.normal(size=200) for _ in range(60)]
    schema = Schema((*(numeric(f"measure {i}") for i in range(60)), nominal("class", "ab")), 60)
    session.set_document(Dataset(schema, [*columns, random.integers(0, 2, 200)]))
    wait_until(lambda: session.data is not None and len(session.data) == 200)
    session.start_run(C45(pruning="none"), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    beside.show_run(session.current_run)
    wait_until(lambda: beside.what_if is not None and wording.WOULD_SAY in text(beside, "said"))
    assert beside.what_if is not None
    n = len(beside.what_if.form.values)
    assert 12 < n < 60
    shown = part(beside, QPushButton, "visualize.what-if.all")
    assert shown.text() == wording.show_all(n)
    shown.click()
    wait_until(lambda: text(beside, "found") == wording.all_attributes_asked_about(n))


def test_few_attributes_need_no_search(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    opened(beside, session, wait_until)
    find = beside.findChild(QLineEdit, "visualize.what-if.find")
    assert find is not None and not find.isVisible()


def test_what_the_tree_asks_first_comes_first(session: Session, beside: ExplainPage, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    pane = opened(beside, session, wait_until)
    assert session.current_run is not None and session.current_run.trained is not None
    tree = session.current_run.trained.structure()
    assert isinstance(tree, Tree)
    assert pane.asked[0] == session.current_run.data.schema.index_of(tree.schema.names[int(tree.attribute[0])])


def test_a_field_stays_near_its_name_in_a_large_pane_and_classes_have_bars(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, C45(), wait_until)
    pane = opened(beside, session, wait_until)
    beside.resize(2000, 700)
    wait_until(lambda: pane.width() > 1500)
    assert pane.form.width() < 0.25 * pane.width()
    bars = part(pane, ProbabilityBars, "visualize.what-if.shares")
    wait_until(lambda: bars.rows[0][:2] == (0, "setosa"))
    before = bars.grab().toImage()
    pane.show_record(100)
    wait_until(lambda: bars.rows[0][:2] == (2, "virginica"))
    assert bars.grab().toImage() != before


def test_of_many_classes_the_most_probable_have_a_bar_and_the_rest_share_one(qapp: QApplication) -> None:
    bars = ProbabilityBars("bars")
    bars.show_probabilities(tuple("ABCDEFGHIJ"), [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.03, 0.01, 0.01])
    assert [name for _code, name, _share in bars.rows] == [*"ABCDEFG", wording.THREE_OTHER_CLASSES]
    assert bars.rows[-1][2] == pytest.approx(0.05)
    assert "J 1.0%" in bars.toolTip()


def test_a_model_of_sums_lists_its_reasons_the_strongest_first_with_bars_that_add_up(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    ran(session, LinearDiscriminant(), wait_until)
    opened(beside, session, wait_until)
    run = session.current_run
    assert run is not None and run.trained is not None
    reasons = run.trained.explain(run.data, 0).reasons
    strengths = [abs(each.added) for each in reasons[1:]]
    assert len(reasons) == 5 and strengths == sorted(strengths, reverse=True)
    scores = run.trained.model.scores(run.data.take([0]))[0]  # type: ignore[attr-defined]
    first, second = np.sort(scores)[::-1][:2]
    assert sum(each.added for each in reasons) == pytest.approx(first - second)
    html = text(beside, "ways")
    assert html.count("<tr><td valign") == 5 and html.count("bgcolor") == 5
    said = QTextDocumentFragment.fromHtml(html).toPlainText()
    assert wording.VOTES_FOR_SETOSA in said and "(average 5.84)" in said  # deviation 0.83
    assert wording.IN_LOG_ODDS in said, "what the numbers at the bars count"
    assert said.index(reasons[1].what) < said.index(reasons[2].what) < said.index("Together")
    tip = beside.findChild(QLabel, "visualize.what-if.ways")
    assert tip is not None and "log odds" in tip.toolTip()
    total = said.partition("Together")[2].strip()
    other = run.trained.classes[reasons[0].against]
    session.set_class_of_interest(session.classes.index(other))
    turned = QTextDocumentFragment.fromHtml(text(beside, "ways")).toPlainText()
    assert wording.votes_for_other_against_setosa(other) in turned
    assert total.startswith("+") and turned.partition("Together")[2].strip() == total.replace("+", "−")


@pytest.mark.parametrize(("by", "average"), [("range", " (average 5.84)"), ("rank", "")])
def test_after_scaling_reasons_have_the_numbers_that_stand_in_the_fields(
    session: Session, beside: ExplainPage, wait_until: Wait, by: str, average: str
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.set_recipe((Scale(by=by),), "Scale")
    session.start_run(LinearDiscriminant(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    opened(beside, session, wait_until)
    run = session.current_run
    assert run is not None and run.trained is not None
    name = run.data.schema.names[0]
    field = beside.findChild(QDoubleSpinBox, f"visualize.what-if.{name}")
    assert field is not None

    def told() -> str:
        return QTextDocumentFragment.fromHtml(text(beside, "ways")).toPlainText()

    assert f"{name} = {field.value():g}{average}" in told()
    field.setValue(50.0)  # beyond all that were learned from, where a scale may end
    wait_until(lambda: f"{name} = 50{average}" in told())
    explained = run.trained.explain(run.data, 0)
    model_sees = explained.reasons[1].number
    assert model_sees is not None and 0 <= model_sees.value <= 1
    assert own_explained(run.trained, explained, run.data.take([0])).steps[1] != explained.steps[1]


def test_a_typed_number_beyond_the_ends_of_a_scale_is_said_as_it_was_typed(
    session: Session, beside: ExplainPage, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.set_recipe((Scale(by="rank"),), "Scale")
    session.start_run(C45(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    pane, told = opened(beside, session, wait_until), list[HighlightedPath]()
    pane.path_changed.connect(told.append)
    asked_number(session, beside).setValue(50.0)
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


@pytest.mark.parametrize(("n_equal", "n_unequal"), [(0, 4), (9, 3), (2, 10)])
def test_the_similar_record_lists_every_unequal_attribute_first_and_says_how_many_are_left_out(
    n_equal: int, n_unequal: int
) -> None:
    names = [f"a{i}" for i in range(n_equal)] + [f"b{i}" for i in range(n_unequal)]
    schema = Schema((*map(numeric, names), nominal("class", ("yes", "no"))), len(names))
    columns = [np.array([377.17, 377.17 if name[0] == "a" else 12730.5]) for name in names]
    data = Dataset(schema, [*columns, np.array([0, 1])])
    html = similar_html(data.take([0]), data.take([1]), range(len(names)), ("this", "that"))
    text = QTextDocumentFragment.fromHtml(html).toPlainText()
    listed = [name for name in names if name in text]
    assert len(listed) == min(8, len(names)) and "377.17" in text
    assert sum(name[0] == "b" for name in listed) == min(8, n_unequal)
    left = len(names) - len(listed)
    how = f"{max(0, n_unequal - 8)} of them unequal" if n_unequal > 8 else "equal"
    assert (wording.attributes_more(left, how) in text) if left else ("more" not in text)


@pytest.mark.parametrize(
    ("shares", "first"),
    [((1.0, 0.0, 0.0), "100%"), ((1.0, 1e-30, 0.0), ">99.9%"), ((0.83, 0.17, 0.0), "83.0%")],
)
def test_a_class_is_certain_only_where_no_other_has_a_probability(
    qapp: QApplication, shares: tuple[float, ...], first: str
) -> None:
    bars = ProbabilityBars("bars")
    bars.show_probabilities(("a", "b", "c"), shares)
    assert bars.toolTip().splitlines()[0] == f"a {first}"
    assert RecordPrediction(0, shares, (), ()).probability == first


def test_of_many_classes_the_largest_have_colours_over_a_value_and_the_others_are_grey(stage: Stage) -> None:
    chart = stage.show(ValueHistogram("chart", numeric("x")), 180, 400)
    counts = np.tile(np.arange(26.0) + 1, (2, 1))
    chart.show_histogram(SplitHistogram(0.0, 1.0, counts))
    shot = chart.grab().toImage()
    x = shot.width() // 4
    seen = {shot.pixelColor(x, y).name() for y in range(shot.height())}
    theme = current_theme()
    assert {theme.class_color(code).name() for code in range(16, 26)} <= seen
    assert not {theme.class_color(code).name() for code in range(10, 16)} & seen
