"""Explain: the prediction of a record, what led to it, and what would change it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDoubleSpinBox,
    QLabel,
    QPushButton,
    QSpinBox,
)

from algorithms.core.learner import LogOddsTerm, NumberInContext
from algorithms.core.resampling import Method
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import ByCost
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, TrainingSet
from algorithms.evaluation.what_if import AttributeEffect, DecisionFlip, changed
from algorithms.filters.scale import Scale
from algorithms.filters.training_records import without_classes
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.linear.model import average_words, number_words
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import MINUS, percent
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.visualize.explain_helpers import asked_number, opened, ran, text
from tests.workbench.window_helpers import Wait, judged, part, press_link, small_data
from workbench.layout.points import AxisScale
from workbench.session.session import Session
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.tabs.visualize.explain.explain_page import ExplainPage
from workbench.tabs.visualize.explain.record_prediction import (
    MOST_STEPS,
    ProbabilityBars,
    RecordPrediction,
    flip_html,
    own_explained,
    reasons_html,
    similar_html,
)
from workbench.tabs.visualize.explain.record_prediction import TestedPrediction as WhenTested
from workbench.tabs.visualize.explain.value_charts import EffectChart, ShownEffect, classes_with_lines
from workbench.viewers.tree.tree_words import HighlightedPath


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


def test_the_effect_of_the_field_in_use_is_the_models_probability_along_it(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    fields = [field for field in pane.form.findChildren(QDoubleSpinBox) if field.isVisible()]
    fields[2].setFocus()
    wait_until(lambda: pane.effect.shown is not None and pane.effect.shown.effect.attribute == pane.asked[2])
    shown, run = pane.effect.shown, session.current_run
    assert shown is not None and run is not None and run.trained is not None
    place = len(shown.effect.values) // 2
    varied = changed(run.data.take([0]), {pane.asked[2]: float(shown.effect.values[place])})
    np.testing.assert_allclose(shown.effect.probabilities[place], run.trained.predict_proba(varied)[0], atol=1e-6)
    assert shown.effect.values[0] == run.data.column(pane.asked[2]).min()


def test_the_effect_shown_first_is_the_largest_on_the_record_whatever_was_seen_before(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """The attribute with the largest effect on the record seen first was kept for all others."""
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    for row, name in ((77, "Petal Length"), (63, "Petal Width"), (77, "Petal Length")):
        pane.show_record(row)  # as a click on it elsewhere
        wait_until(lambda name=name: pane._attribute.currentText() == name)
    pane._attribute.setCurrentIndex(pane._attribute.findText("Sepal Width"))
    pane.show_record(63)
    wait_until(lambda: pane.effect.shown is not None and pane.effect.shown.value == 2.9)
    assert pane._attribute.currentText() == "Sepal Width", "the chosen one stays"


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


def test_all_of_few_classes_have_a_line_and_its_end_mark_is_level_with_it(stage: Stage) -> None:
    """Marks of equal probabilities were pushed off their lines."""
    probabilities = np.array([[1.0, 0.0, 0.0], [0.6, 0.2, 0.2]])
    codes = classes_with_lines(probabilities, 0, 0)
    assert codes == (0, 1, 2)
    effect = AttributeEffect(0, np.array([0.0, 1.0]), probabilities)
    shown = ShownEffect(effect, AxisScale(numeric("x"), 0.0, 1.0), 0.0, tuple("abc"), codes)
    chart = stage.show(EffectChart("effect"), 400, 220)
    chart.show_effect(shown)
    area, marks = chart._area, chart.end_marks()
    levels = [area.bottom() - share * area.height() for share in (0.6, 0.2, 0.2)]
    assert [marks[code].y() for code in codes] == pytest.approx(levels)
    assert marks[2].x() - marks[1].x() >= themes.px(10)
    assert area.right() + marks[2].x() < chart.width()


def test_the_page_names_its_run_and_unused_attributes_and_opens_on_the_one_that_matters(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, AdaBoost(members=6), wait_until)
    pane = opened(explain, session, wait_until)
    run = session.current_run
    assert run is not None
    unused = part(explain, QLabel, "visualize.what-if.unused")
    wait_until(lambda: pane.effect.shown is not None)
    assert unused.isVisible() and unused.text() == wording.TWO_UNUSED
    assert pane._facts.text() == wording.adaboost_run(run.number)
    assert pane._attribute.currentText() == "Petal Length" and pane.effect.shown is not None
    assert pane.effect.shown.scale.attribute.name == "Petal Length"


def test_the_most_similar_record_of_another_class_is_shown_and_explained_next(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    button = part(explain, QPushButton, "visualize.what-if.to-similar")
    wait_until(button.isVisible)
    similar = int(button.text().rpartition(" ")[2])
    assert session.data is not None and session.data.class_codes[similar - 1] != 0
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert pane.row == similar - 1


def test_changes_and_the_similar_record_follow_the_theme(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    themes.install(application, LIGHT_NAME)
    ran(session, NaiveBayes(), wait_until)
    opened(explain, session, wait_until)
    wait_until(part(explain, QPushButton, "visualize.what-if.to-similar").isVisible)
    similar = part(explain, QLabel, "visualize.what-if.similar")
    before, light = similar.text(), current_theme().text
    assert light in before
    try:
        themes.choose(DARK_NAME)
        wait_until(lambda: current_theme().text in similar.text())
        assert similar.text().replace(current_theme().text, light) == before
        assert light not in "".join(label.text() for label in explain.findChildren(QLabel))
    finally:
        themes.choose(LIGHT_NAME)


def test_the_focus_goes_on_from_a_button_that_its_own_press_hides(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane = opened(explain, session, wait_until)
    try_it = part(explain, QPushButton, "visualize.what-if.flip-0.try")
    similar = part(explain, QPushButton, "visualize.what-if.to-similar")
    reset, number = (
        part(explain, QPushButton, "visualize.what-if.reset"),
        part(explain, QSpinBox, "visualize.what-if.record"),
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


def test_a_long_list_of_reasons_is_opened_and_closed_by_a_link(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until, "breast-cancer")
    pane = opened(explain, session, wait_until)
    more = part(explain, QLabel, "visualize.what-if.ways.more")
    wait_until(more.isVisible)
    steps = pane._prediction.steps if pane._prediction is not None else ()
    assert len(steps) > MOST_STEPS
    few = text(explain, "ways").split("<br>")
    assert len(few) == MOST_STEPS and wording.more_reasons(len(steps) - MOST_STEPS) in more.text()
    press_link(more)
    assert text(explain, "ways").split("<br>")[:MOST_STEPS] == few
    assert len(text(explain, "ways").split("<br>")) == len(steps) and wording.SHOW_FEWER in more.text()
    press_link(more)
    assert text(explain, "ways").split("<br>") == few


def test_of_two_classes_the_similar_record_is_of_the_other_one(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    assert session.data is not None
    session.edit("Two", without_classes(session.data, session.classes[2:]))
    judged(session, wait_until, NaiveBayes(), TrainingSet())
    opened(explain, session, wait_until).show_record(0)
    words = part(explain, QLabel, "visualize.what-if.similar-words")
    wait_until(lambda: words.text().endswith(wording.nearest_of(session.classes[1])))


def test_a_contribution_of_nothing_has_no_minus_and_an_average_a_decimal() -> None:
    nothing = LogOddsTerm("x", "", 0.0, 1)
    html = reasons_html((nothing,), 0, ("a", "b"), "b")  # which turns its sign
    assert html.count("+0.00") == 2 and MINUS not in html
    assert (average_words(61.3, 14), average_words(12_730.4, 5000)) == ("61.3", "12,730")


def test_a_number_stands_in_a_reason_as_in_its_field() -> None:
    """ "3141" stood beside "3140.54"."""
    assert number_words(NumberInContext("amount", 3140.54, 2094.3, 1500.0)) == wording.AMOUNT_IN_FULL


def test_the_similar_record_of_a_missed_one_has_another_actual_class(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane, run = opened(explain, session, wait_until), session.current_run
    assert run is not None and run.trained is not None
    truth, predicted = run.data.class_codes, run.trained.predict(run.data)
    row = int(np.flatnonzero(predicted != truth)[0])
    pane.show_record(row)  # as a click on it elsewhere
    words, classes = part(explain, QLabel, "visualize.what-if.similar-words"), run.data.schema.classes
    wait_until(lambda: words.text().endswith(wording.nearest_not_of(classes[truth[row]])))
    similar = int(part(explain, QPushButton, "visualize.what-if.to-similar").text().rpartition(" ")[2]) - 1
    assert truth[similar] != truth[row]
    assert words.text().startswith(
        wording.similar_record(similar + 1, classes[truth[similar]], classes[predicted[similar]])
    )


def test_a_record_with_other_values_is_called_changed(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    assert wording.CHANGED not in text(explain, "said")
    pane.put_values({"Petal Length": 4.9})
    wait_until(lambda: wording.CHANGED in text(explain, "said"))
    wait_until(lambda: wording.CHANGED in text(explain, "similar"))
    pane.put_values({"Petal Length": 1.4})
    wait_until(lambda: wording.CHANGED not in text(explain, "said"))


def test_a_changed_record_is_named_with_its_own_prediction_and_its_actual_class(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """The actual class alone was read as the prediction without the change."""
    ran(session, NaiveBayes(), wait_until)
    pane, run = opened(explain, session, wait_until), session.current_run
    assert run is not None and run.trained is not None
    truth, predicted = run.data.class_codes, run.trained.predict(run.data)
    row, classes = int(np.flatnonzero(predicted != truth)[0]), run.data.schema.classes
    pane.show_record(row)  # as a click on it elsewhere
    pane.put_values({"Petal Length": 1.4})
    words = wording.unchanged(classes[predicted[row]], classes[truth[row]])
    wait_until(lambda: text(explain, "said").endswith(words))


def test_what_was_said_when_tested_is_named_beside_how_sure_that_was(session: Session, wait_until: Wait) -> None:
    ran(session, ZeroR(), wait_until)
    assert session.current_run is not None and (trained := session.current_run.trained) is not None
    said = RecordPrediction(1, (0.02, 0.98, 0.0), (), (), tested=WhenTested("versicolor", 0.991))
    assert trained.classes[1] == "versicolor"
    assert said.when_tested(trained, "setosa") == wording.WHEN_TESTED_VERSICOLOR


@pytest.mark.parametrize("method", [TrainingSet(), Holdout()], ids=lambda method: method.id)
def test_a_record_that_no_model_tested_was_trained_on(
    session: Session, explain: ExplainPage, wait_until: Wait, method: Method
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.start_run(NaiveBayes(), method, 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running, 60)
    pane = opened(explain, session, wait_until)
    assert run.result is not None
    tested = [] if run.result.test_is_training else run.result.row_ids.tolist()
    trained_only = next(row for row in range(150) if row not in tested)
    for row, is_said in ((trained_only, True), *((row, False) for row in tested[:1])):
        pane.show_record(row)  # as a click on it elsewhere
        wait_until(lambda row=row: f"Record {row + 1} is" in text(explain, "said"))
        assert (wording.NOT_TESTED in text(explain, "said")) == is_said
    field = next(field for field in pane.form.findChildren(QDoubleSpinBox) if field.isVisible())
    field.setValue(field.value() + 1)
    wait_until(lambda: "changed" in text(explain, "said"))
    assert wording.NOT_TESTED not in text(explain, "said")


def test_a_record_that_a_step_may_have_left_out_is_only_said_not_to_be_tested(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.set_recipe((session.registry.filters.get("sample-records")(),), "Sample")
    run = judged(session, wait_until, NaiveBayes(), Holdout())
    assert run.result is not None
    untested = next(row for row in range(150) if row not in run.result.row_ids)
    opened(explain, session, wait_until).show_record(untested)
    wait_until(lambda: f"Record {untested + 1} is" in text(explain, "said"))
    assert wording.NOT_TESTED_PERHAPS_LEFT_OUT in text(explain, "said")


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


def test_contributions_say_that_a_missing_value_counts_as_average(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, LogisticRegression(), wait_until)
    pane = opened(explain, session, wait_until)
    name = pane.form.findChildren(QDoubleSpinBox)[0].accessibleName()
    part(explain, QCheckBox, f"visualize.what-if.{name}.missing").click()
    wait_until(lambda: wording.missing_so_average(name) in text(explain, "ways"))


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
        ("setosa", "100%"),
        ("versicolor", "<0.1%"),
        ("virginica", "<0.1%"),
    ]


def test_of_many_classes_the_most_probable_have_a_bar_and_the_rest_share_one(qapp: QApplication) -> None:
    bars = ProbabilityBars("bars")
    bars.show_probabilities(tuple("ABCDEFGHIJ"), [0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.03, 0.01, 0.01])
    assert [name for _code, name, _share in bars.rows] == [*"ABCDEFG", wording.THREE_OTHER_CLASSES]
    assert bars.rows[-1][2] == pytest.approx(0.05)
    assert "J 1.0%" in bars.toolTip()


def test_a_model_of_sums_lists_its_reasons_the_strongest_first_with_bars_that_add_up(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, LinearDiscriminant(), wait_until)
    opened(explain, session, wait_until)
    run = session.current_run
    assert run is not None and run.trained is not None
    reasons = run.trained.explain(run.data, 0).reasons
    strengths = [abs(each.added) for each in reasons[1:]]
    assert len(reasons) == 5 and strengths == sorted(strengths, reverse=True)
    scores = run.trained.model.scores(run.data.take([0]))[0]  # type: ignore[attr-defined]
    first, second = np.sort(scores)[::-1][:2]
    assert sum(each.added for each in reasons) == pytest.approx(first - second)
    html = text(explain, "ways")
    assert html.count("<tr><td valign") == 5 and html.count("bgcolor") == 5
    said = QTextDocumentFragment.fromHtml(html).toPlainText()
    assert wording.VOTES_FOR_SETOSA in said and "(average 5.84)" in said  # deviation 0.83
    assert wording.IN_LOG_ODDS in said, "what the numbers at the bars count"
    assert said.index(reasons[1].what) < said.index(reasons[2].what) < said.index("Together")
    tip = explain.findChild(QLabel, "visualize.what-if.ways")
    assert tip is not None and "log odds" in tip.toolTip()
    total = said.partition("Together")[2].strip()
    other = run.trained.classes[reasons[0].against]
    session.set_class_of_interest(session.classes.index(other))
    turned = QTextDocumentFragment.fromHtml(text(explain, "ways")).toPlainText()
    assert wording.votes_for_other_against_setosa(other) in turned
    assert total.startswith("+") and turned.partition("Together")[2].strip() == total.replace("+", "−")


@pytest.mark.parametrize(("by", "average"), [("range", " (average 5.84)"), ("rank", "")])
def test_after_scaling_reasons_have_the_numbers_that_stand_in_the_fields(
    session: Session, explain: ExplainPage, wait_until: Wait, by: str, average: str
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.set_recipe((Scale(by=by),), "Scale")
    session.start_run(LinearDiscriminant(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    opened(explain, session, wait_until)
    run = session.current_run
    assert run is not None and run.trained is not None
    name = run.data.schema.names[0]
    field = explain.findChild(QDoubleSpinBox, f"visualize.what-if.{name}")
    assert field is not None

    def told() -> str:
        return QTextDocumentFragment.fromHtml(text(explain, "ways")).toPlainText()

    assert f"{name} = {field.value():g}{average}" in told()
    field.setValue(50.0)  # beyond all that were learned from, where a scale may end
    wait_until(lambda: f"{name} = 50{average}" in told())
    explained = run.trained.explain(run.data, 0)
    model_sees = explained.reasons[1].number
    assert model_sees is not None and 0 <= model_sees.value <= 1
    assert own_explained(run.trained, explained, run.data.take([0])).steps[1] != explained.steps[1]


def test_a_typed_number_beyond_the_ends_of_a_scale_is_said_as_it_was_typed(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.set_recipe((Scale(by="rank"),), "Scale")
    session.start_run(C45(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
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
