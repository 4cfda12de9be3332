"""Explain: the prediction of a record, what led to it, and what would change it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDoubleSpinBox,
    QLabel,
    QPushButton,
    QSpinBox,
)

from algorithms.core.resampling import Method
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, TrainingSet
from algorithms.evaluation.what_if import AttributeEffect, DecisionFlip, JointChange, changed, largest_effect, reach
from algorithms.filters.training_records import without_classes
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import MINUS
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.style.test_theme import contrast
from tests.workbench.tabs.visualize.explain_helpers import opened, ran, text
from tests.workbench.window_helpers import Wait, judged, part
from workbench.layout.points import AxisScale
from workbench.session.runs import OF_ALL_RECORDS
from workbench.session.session import Session
from workbench.style.theme import DARK, DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.tabs.visualize.explain import value_charts
from workbench.tabs.visualize.explain.counterfactuals import LOOKING_FOR_CHANGE, change_html, part_html
from workbench.tabs.visualize.explain.explain_page import ExplainPage
from workbench.tabs.visualize.explain.record_prediction import (
    RecordPrediction,
    VerdictLabel,
    truth_words,
    words_of_tests,
)
from workbench.tabs.visualize.explain.record_prediction import TestedPrediction as WhenTested
from workbench.tabs.visualize.explain.value_charts import (
    EffectChart,
    ProbabilityBars,
    ShownEffect,
    ValueHistogram,
    classes_with_lines,
    roles_of,
)
from workbench.viewers.charts.legend import LegendKey
from workbench.viewers.tree.split_histograms import SplitHistogram
from workbench.widgets.layouts import ClearWidget, column_layout


@pytest.mark.parametrize(("width", "place"), [(1000, "below the prediction"), (1400, "beside")])
def test_what_would_change_the_prediction_takes_the_room_there_is(
    session: Session, stage: Stage, wait_until: Wait, width: int, place: str
) -> None:
    page = stage.show(ExplainPage(session), width, 700)
    ran(session, Cart(), wait_until)
    pane = opened(page, session, wait_until)
    flips, said = part(page, QLabel, "visualize.what-if.flip"), part(pane, QLabel, "visualize.what-if.said")

    def found() -> str:
        where, above = (widget.mapTo(page, QPoint()) for widget in (flips, said))
        return "below the prediction" if where.x() == above.x() else "beside"

    wait_until(lambda: found() == place)


def test_the_effect_of_the_field_in_use_is_the_models_probability_along_it(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    fields = [field for field in pane.form.findChildren(QDoubleSpinBox) if field.isVisible()]
    wait_until(lambda: pane.effect.shown is not None)
    first = pane._attribute.currentText()
    fields[0].setFocus(Qt.FocusReason.ActiveWindowFocusReason)
    fields[2].setFocus(Qt.FocusReason.OtherFocusReason)
    assert pane._attribute.currentText() == first, "a window that appears does not choose"
    fields[0].setFocus()
    fields[2].setFocus(Qt.FocusReason.TabFocusReason)
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


def test_of_many_classes_the_predicted_the_runner_up_and_the_actual_have_a_line() -> None:
    """The most probable ones of the whole axis were drawn as the most probable of the record."""
    probabilities = [0.05, 0.0, 0.2, 0.6, 0.1, 0.05, 0.0, 0.0]
    assert [classes_with_lines(probabilities, 0, 3, actual) for actual in (3, 2, 1, -1)] == [
        (3, 2),
        (3, 2),
        (3, 2, 1),
        (3, 2),
    ]
    assert classes_with_lines(probabilities[2:6], 0, 1, 0) == (1, 0, 2, 3), "all of a few"
    assert [roles_of(codes, actual) for codes, actual in (((3, 2), 3), ((3, 2), 2), ((3, 2, 1), 1))] == [
        wording.PREDICTED_AND_RUNNER_UP,
        wording.PREDICTED_AND_ACTUAL,
        wording.ALL_THREE_ROLES,
    ]
    effect = AttributeEffect(0, np.array([0.0]), np.array([probabilities]))
    shown = ShownEffect(effect, AxisScale(numeric("x"), 0.0, 1.0), 0.0, tuple("abcdefgh"), (3, 2))
    assert (shown.title, shown.some) == (wording.PROBABILITY, wording.TWO_OF_EIGHT_CLASSES)


def test_of_many_classes_all_cards_colour_those_of_the_record(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    random = np.random.default_rng(2)
    codes = np.repeat(np.arange(9), 12)
    schema = Schema((numeric("x"), numeric("y"), nominal("class", list("abcdefghi"))), 2)
    data = Dataset(schema, [codes + random.normal(0, 0.6, 108), codes % 3 + random.normal(0, 0.6, 108), codes])
    session.set_document(data)
    wait_until(lambda: session.summary is not None)
    judged(session, wait_until, NaiveBayes(), CrossValidation())
    pane = opened(explain, session, wait_until)
    wait_until(lambda: pane.effect.shown is not None)
    shown, prediction = pane.effect.shown, pane._prediction
    assert shown is not None and prediction is not None
    order = np.argsort([-share for share in prediction.probabilities]).tolist()
    assert shown.codes[:2] == tuple(order[:2]) and shown.roles
    histograms = [histogram for histogram in pane.form.findChildren(ValueHistogram) if histogram.isVisible()]
    assert histograms and all(histogram._colored == frozenset(shown.codes) for histogram in histograms)
    names = ", ".join(data.schema.classes[code] for code in shown.codes)
    assert all(wording.in_color(names) in histogram.toolTip() for histogram in histograms)


@pytest.mark.parametrize(
    ("reaches", "places", "largest"),
    [
        ((0.3, 0.4, 0.2), {}, 1),
        ((0.3, 0.3 + 1e-8, 0.3), {}, 0),
        ((0.3, 0.3 + 1e-8, 0.3), {2: 0, 1: 1}, 2),
        ((0.3, 0.3 + 1e-5, 0.3), {2: 0, 0: 1}, 1),
        ((0.05000000049, 0.05000000051, 0.0), {0: 0, 1: 1}, 0),
        ((0.0, 0.0, 0.0), {1: 0}, 1),
    ],
    ids=["largest", "table", "importance", "not a tie", "beside a rounding", "none"],
)
def test_equal_effects_show_the_most_important_attribute_then_the_first_of_the_table(
    reaches: tuple[float, ...], places: dict[int, int], largest: int
) -> None:
    """Equal effects were compared by their last decimals, so that another attribute stood there at each opening."""
    effects = [AttributeEffect(i, np.arange(2.0), np.array([[1, 0], [1 - p, p]])) for i, p in enumerate(reaches)]
    for order in (effects, effects[::-1]):
        assert largest_effect(order, 0, None, places).attribute == largest


def test_the_effect_shown_first_is_the_same_when_a_record_is_opened_again(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane, names = opened(explain, session, wait_until), []
    wait_until(lambda: pane.effect.shown is not None)
    run = session.current_run
    for row in (0, 77, 0, 77):
        pane.show_run(None)
        before = pane.effect.shown
        pane.show_run(run, row)
        wait_until(lambda before=before: pane.effect.shown is not before)
        names.append(pane._attribute.currentText())
    assert names[:2] == names[2:]


@pytest.mark.parametrize(
    ("now", "to", "step"),
    [(1.4, 1.901, "+0.501"), (3.5, 2.0, "−1.5"), (-1.3265769, -1.279, "+0.048"), (1.7701, 1.77, "−0.0001")],
)
def test_the_step_of_a_change_has_the_decimals_of_its_values(now: float, to: float, step: str) -> None:
    flip = DecisionFlip(0, to, 1, 0.5)
    assert f">{step}, 0.50 SD<" in part_html(Schema((numeric("x"),)), flip, now)


@pytest.mark.parametrize("theme", [LIGHT_NAME, DARK_NAME])
def test_the_class_that_a_change_leads_to_can_be_read(qapp: QApplication, theme: str) -> None:
    """An L in pale orange had a contrast of 1.8 to 1."""
    themes.choose(theme)
    schema = Schema((numeric("x"), nominal("class", [f"c{code}" for code in range(26)])), 1)
    for code in range(26):
        change = JointChange((DecisionFlip(0, 1.0, code, 1.0),))
        html = change_html(change, Dataset(schema, [np.array([2.0]), np.array([0])]), schema.classes)
        assert contrast(html.rpartition("color:")[2][:7], current_theme().soft) >= 4.5, code


def test_the_distance_of_a_change_is_never_zero() -> None:
    words = part_html(Schema((numeric("x"),)), DecisionFlip(0, 1.77, 1, 0.0001), 1.7701)
    assert ">−0.0001, &lt; 0.01 SD<" in words


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_labels_of_both_axes_of_an_effect_stand_apart_at_the_corner(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    """The minus of "-10" lay under the "0%" of the upward axis."""
    boxes = dict[str, QRectF]()
    monkeypatch.setattr(
        value_charts, "draw_text", lambda _painter, place, text, *_look, **_more: boxes.setdefault(text, place)
    )
    themes.set_scale(scale)
    effect = AttributeEffect(0, np.array([-10.0, 8.0]), np.array([[1.0, 0.0], [0.6, 0.4]]))
    chart = stage.show(EffectChart("effect"), 600, 320)
    chart.show_effect(ShownEffect(effect, AxisScale(numeric("x"), -10.0, 8.0), 0.0, ("a", "b"), (1,)))
    chart.grab()
    themes.set_scale(1.0)
    air = 3  # above and below digits
    assert boxes["0%"].bottom() - air <= boxes[f"{MINUS}10"].top() < boxes["x"].top() and boxes["x"].bottom() <= 320


def test_the_upward_axis_is_named_whole_beside_a_legend_of_many_lines(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below three lines of long names it was named "P(...s)"."""
    boxes = dict[str, QRectF]()
    monkeypatch.setattr(
        value_charts, "draw_text", lambda _painter, place, text, *_look, **_more: boxes.setdefault(text, place)
    )
    themes.set_scale(1.5)
    names = tuple(f"diagnosis {way} by a second reader of the pictures" for way in ("confirmed", "denied", "doubted"))
    effect = AttributeEffect(0, np.array([0.0, 1.0]), np.array([[1.0, 0.0, 0.0], [0.6, 0.2, 0.2]]))
    chart = stage.show(EffectChart("effect"), 400, 180)
    chart.show_effect(ShownEffect(effect, AxisScale(numeric("x"), 0.0, 1.0), 0.0, names, (0, 1, 2)))
    chart.grab()
    themes.set_scale(1.0)
    title = boxes["P(class)"]
    assert len(chart.legend()) == 3 and title.width() <= chart._area.bottom(), "it stays within the chart"


def test_all_of_few_classes_have_a_line_and_its_end_mark_is_level_with_it(stage: Stage) -> None:
    """Marks of equal probabilities were pushed off their lines."""
    probabilities = np.array([[1.0, 0.0, 0.0], [0.6, 0.2, 0.2]])
    codes = classes_with_lines(probabilities[0].tolist(), 0, 0, 0)
    assert codes == (0, 1, 2)
    effect = AttributeEffect(0, np.array([0.0, 1.0]), probabilities)
    shown = ShownEffect(effect, AxisScale(numeric("x"), 0.0, 1.0), 0.0, tuple("abc"), codes)
    chart = stage.show(EffectChart("effect"), 400, 220)
    chart.show_effect(shown)
    chart.grab()
    assert list(chart.places) == [LegendKey(code) for code in (0, 1, 2)], "the legend names each class"
    assert max(place.bottom() for place in chart.places.values()) <= chart._area.top()
    pictures = [chart.grab().toImage()]
    for code in (1, 1):
        place = chart.places[LegendKey(code)].center().toPoint()
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)
        pictures.append(chart.grab().toImage())
    assert pictures[0] == pictures[2] != pictures[1] and chart.isolated is None
    area, marks = chart._area, chart.end_marks()
    levels = [area.bottom() - share * area.height() for share in (0.6, 0.2, 0.2)]
    assert [marks[code].y() for code in codes] == pytest.approx(levels)
    assert marks[2].x() - marks[1].x() >= themes.px(10)
    assert area.right() + marks[2].x() < chart.width()


def test_an_effect_is_painted_once_until_it_or_its_look_changes(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each dimming and each move of what stands above it painted all its curves anew."""
    themes.choose(LIGHT_NAME)
    painted = list[QPainter]()
    monkeypatch.setattr(value_charts, "paint_bins", lambda painter, *_more: painted.append(painter))
    monkeypatch.setattr(EffectChart, "paint_chart", lambda _self, painter, *_more: painted.append(painter))
    effect = AttributeEffect(0, np.array([0.0, 1.0]), np.array([[1.0, 0.0], [0.6, 0.4]]))
    chart = stage.show(EffectChart("effect"), 400, 220)
    classes = stage.show(ValueHistogram("classes", numeric("x")), 180, 50)

    def n_painted() -> int:
        painted.clear()
        for _ in range(2):
            chart.grab()
            classes.grab()
        return len(painted)

    chart.show_effect(ShownEffect(effect, AxisScale(numeric("x"), 0.0, 1.0), 0.0, ("a", "b"), (1,)))
    classes.show_histogram(SplitHistogram(0.0, 1.0, np.ones((4, 2))))
    assert n_painted() == 2
    classes.show_value(0.5)
    assert n_painted() == 0, "the line of the record alone is another one"
    with themes.worn(DARK, chart):
        assert n_painted() == 2
    assert n_painted() == 2
    classes.show_colored([(1, "b")])
    assert n_painted() == 1
    chart.resize(420, 220)
    assert n_painted() == 1


def test_the_page_names_unused_attributes_and_opens_on_the_one_that_matters(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, AdaBoost(members=6), wait_until)
    pane = opened(explain, session, wait_until)
    unused = part(explain, QLabel, "visualize.what-if.unused")
    wait_until(lambda: pane.effect.shown is not None)
    assert unused.isVisible() and unused.text() == wording.TWO_UNUSED
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


def test_what_is_of_another_run_record_or_rule_is_blank_or_dimmed_until_its_own_values_are_there(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """The curve, the reasons and the similar record of the run before stood plainly below the title of the new one."""
    ran(session, Cart(), wait_until)
    tree = session.current_run
    pane = opened(explain, session, wait_until)
    results = [pane._dimmed_prediction, pane._dimmed_effect, pane._changes._dimming]
    flips = part(explain, QLabel, "visualize.what-if.flip")

    def is_there() -> bool:
        return pane.effect.shown is not None and not any(result.is_dimmed for result in results)

    def assert_outdated() -> None:
        assert all(result.is_dimmed for result in results) and flips.text() == LOOKING_FOR_CHANGE
        assert all(
            not veil.isHidden() and veil.rect() == veil.parentWidget().rect()
            for result in results
            for veil in result._veils
        )

    wait_until(is_there)
    session.start_run(NaiveBayes(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    run = session.current_run
    assert run is not tree
    pane.show_run(run, 0)
    assert pane.effect.shown is None and pane.effect.accessibleDescription() == ""
    assert_outdated()
    wait_until(is_there)
    shown, others = pane.effect.shown, part(explain, QPushButton, "visualize.what-if.to-similar")
    assert shown is not None and run is not None and run.trained is not None
    place = len(shown.effect.values) // 2
    varied = changed(run.data.take([0]), {shown.effect.attribute: float(shown.effect.values[place])})
    np.testing.assert_allclose(shown.effect.probabilities[place], run.trained.predict_proba(varied)[0], atol=1e-6)
    pane.show_record(77)
    assert_outdated()
    others.click()
    assert pane.row == 77, "the similar record of the record before is not gone to"
    wait_until(is_there)
    session.decisions.reports.decided_anew.emit()
    assert_outdated()
    wait_until(is_there)
    pane.show_record(3)
    pane.wait(wording.BEING_TRAINED)
    assert not any(result.is_dimmed for result in results), "the sentence about the wait is plain"


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
    before, light, lit = similar.text(), current_theme().text, current_theme().soft
    assert light in before
    try:
        themes.choose(DARK_NAME)
        wait_until(lambda: current_theme().text in similar.text())
        assert similar.text().replace(current_theme().text, light).replace(current_theme().soft, lit) == before
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
        wording.similar_record(
            similar + 1, classes[truth[similar]], f"{classes[predicted[similar]]} by {OF_ALL_RECORDS}"
        )
    )


def test_a_record_with_other_values_is_called_changed(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    assert wording.CHANGED not in text(explain, "actual")
    pane.put_values({"Petal Length": 4.9})
    wait_until(lambda: wording.CHANGED in text(explain, "actual"))
    wait_until(lambda: wording.CHANGED in text(explain, "similar"))
    pane.put_values({"Petal Length": 1.4})
    wait_until(lambda: wording.CHANGED not in text(explain, "actual"))


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
    wait_until(lambda: text(explain, "actual").endswith(words))


def test_the_prediction_when_tested_stands_at_every_width_and_the_one_in_view_is_called_optimistic() -> None:
    classes = "setosa", "versicolor", "virginica"
    tested = WhenTested("versicolor", 0.991, shares={"setosa": 0.001, "versicolor": 0.991, "virginica": 0.008})
    said = RecordPrediction(1, (0.002, 0.998, 0.0), (), (), tested=tested)
    assert words_of_tests(said, classes, "setosa", learned=True) == wording.optimistic_beside_tests("setosa", ", wrong")
    assert words_of_tests(said, classes, "versicolor", learned=True) == wording.optimistic_beside_tests("versicolor")


@pytest.mark.parametrize(("is_certain", "shown"), [(True, "100.0%"), (False, ">99.9%")])
def test_a_tested_probability_of_one_is_only_rounded_if_other_classes_had_some(is_certain: bool, shown: str) -> None:
    """Whether it was rounded was asked of the model in view."""
    for shares in ((0.0, 1.0), (0.0001, 0.9999)):
        said = RecordPrediction(1, shares, (), (), tested=WhenTested("b", 1.0, is_certain))
        assert words_of_tests(said, ("a", "b"), "b", learned=False) == (wording.when_tested("b", shown),)


@pytest.mark.parametrize(
    ("share", "actual", "learned", "is_optimistic"),
    [
        (0.998, "versicolor", True, True),
        (0.9911, "versicolor", True, False),  # no higher as rounded
        (0.98, "versicolor", True, False),
        (0.998, "versicolor", False, False),
        (0.998, "setosa", True, False),  # both are wrong, and the model in view is further from the truth
        (0.98, "setosa", True, True),  # both are wrong, and the model in view is nearer to it
        (0.1, "setosa", True, True),  # only the tests were wrong
        (0.1, "versicolor", True, False),  # only the model in view is wrong
    ],
)
def test_only_a_higher_probability_of_the_actual_class_is_called_optimistic(
    share: float, actual: str, learned: bool, is_optimistic: bool
) -> None:
    """It was called so for a record where the full model is further from the truth than the one that tested it."""
    tested = WhenTested("versicolor", 0.991, shares={"setosa": 0.009, "versicolor": 0.991})
    said = RecordPrediction(int(share > 0.5), (1 - share, share), (), (), tested=tested)
    words = words_of_tests(said, ("setosa", "versicolor"), actual, learned=learned)
    assert (len(words) == 3) is is_optimistic
    if is_optimistic:
        assert words == wording.optimistic_beside_tests(actual, "" if actual == "versicolor" else ", wrong")
    assert len(words_of_tests(said, ("setosa", "versicolor"), None, learned=learned)) == 1


@pytest.mark.parametrize(("decision", "verdict"), [(1, "correctly"), (0, "wrongly")])
def test_the_actual_class_comes_with_the_verdict(
    session: Session, wait_until: Wait, decision: int, verdict: str
) -> None:
    ran(session, ZeroR(), wait_until)
    run = session.current_run
    assert run is not None and run.trained is not None
    said = RecordPrediction(decision, (0.5, 0.5, 0.0), (), ())
    words = truth_words(said, run.trained, "Record 7", "versicolor", is_changed=False)
    assert words[1] == wording.actual_class("versicolor", verdict) and words[0].startswith("Record 7")


def test_a_long_prediction_wraps_and_keeps_the_lines_of_the_longest(stage: Stage) -> None:
    around = ClearWidget()
    verdict = VerdictLabel()
    column_layout(verdict, 1, inside=around)
    stage.show(around, 460, 200)
    long = "Prediction: a class with a name of many words (98.0%)"
    verdict.setFixedWidth(round(0.7 * verdict.fontMetrics().horizontalAdvance(long)))
    heights = []
    for words in ("Prediction: b (98.0%)", long):
        verdict.keep_room_for(["Prediction: b (99.9%)", long])
        verdict.set_wordings(words, "short")
        heights.append(verdict.sizeHint().height())
        assert verdict.shown() == words
    assert heights[0] == heights[1] > 1.8 * verdict.fontMetrics().height()
    verdict.keep_room_for(["Prediction: b (99.9%)"])
    assert verdict.sizeHint().height() < heights[0] and verdict.shown() == "short"


def test_improbable_classes_have_no_row_and_the_number_of_rows_stays_for_a_record(qapp: QApplication) -> None:
    bars, classes, nothing = ProbabilityBars("bars"), tuple("ABCDEFGHIJ"), [0.0] * 7
    bars.show_probabilities(classes, [0.9, 0.1, 0.0, *nothing], None, None, 0, 8, of="record 1")
    assert [name for _code, name, _share in bars.rows] == ["A", "B", "I", wording.SEVEN_OTHER_CLASSES]
    height = bars.sizeHint().height()
    bars.show_probabilities(
        classes, [0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0], None, None, 0, 8, of="record 1"
    )
    assert len(bars.rows) == 4 and bars.sizeHint().height() == height and "I" in [row[1] for row in bars.rows]
    bars.show_probabilities(
        classes, [0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0], None, None, 0, 8, of="record 2"
    )
    assert len(bars.rows) == 8


@pytest.mark.parametrize("threshold", [None, (1, 0.3)])
def test_an_attribute_that_changes_the_prediction_reaches_farther_than_one_that_does_not(
    threshold: tuple[int, float] | None,
) -> None:
    values, beyond = np.array([0.0, 1.0]), 0.51 if threshold is None else 0.31
    flat = AttributeEffect(0, values, np.array([[0.99, 0.01], [0.75, 0.25]]))
    flips = AttributeEffect(1, values, np.array([[1.02 - beyond, beyond - 0.02], [1 - beyond, beyond]]))
    assert reach(flips, 0, threshold) > reach(flat, 0, threshold)


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
        wait_until(lambda row=row: wording.record_shown(row + 1) in text(explain, "actual"))
        assert (wording.NOT_TESTED in text(explain, "tested")) == is_said
    field = next(field for field in pane.form.findChildren(QDoubleSpinBox) if field.isVisible())
    field.setValue(field.value() + 1)
    wait_until(lambda: "changed" in text(explain, "actual"))
    assert wording.NOT_TESTED not in text(explain, "tested")


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
    wait_until(lambda: wording.record_shown(untested + 1) in text(explain, "actual"))
    assert text(explain, "tested").startswith(wording.NOT_TESTED_PERHAPS_LEFT_OUT)


def test_joint_changes_have_cards_and_attributes_that_cannot_change_are_kept_with_the_project(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    card, said = part(explain, QLabel, "visualize.what-if.flip-0"), part(explain, QLabel, "visualize.what-if.flip")
    wait_until(lambda: card.isVisible() and "Petal Width" in card.text())
    assert "Petal Length" in card.text() and said.text().endswith(wording.SEVERAL_DO)
    menu = part(explain, QPushButton, "visualize.what-if.fixed").menu()
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == "Petal Width").trigger()
    assert session.place["fixed"] == ["Petal Width"]
    wait_until(lambda: said.text().endswith((wording.SEVERAL_DO, wording.NONE_OF_SEVERAL)))
    cards = [part(explain, QLabel, f"visualize.what-if.flip-{i}") for i in range(2)]
    assert not any(one.isVisible() and "Petal Width" in one.text() for one in cards)
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == "Petal Width").trigger()
    assert session.place["fixed"] == []
    wait_until(lambda: card.isVisible() and "Petal Width" in card.text())
    QTest.mouseClick(part(explain, QPushButton, "visualize.what-if.flip-0.try"), Qt.MouseButton.LeftButton)
    wait_until(lambda: "setosa" not in text(explain, "said"))
    assert pane.form.values != {}
