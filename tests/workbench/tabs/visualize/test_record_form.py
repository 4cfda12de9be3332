"""The form of a record's values, where it starts from, and what follows an edit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
)

from algorithms.core.learner import Learner
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation import regions
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.evaluation.regions import MOST_CELLS, SEPARATIONS, by_separation, typical_value
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.visualize.explain_helpers import asked_number, opened, ran, text
from tests.workbench.window_helpers import Wait, part, press_link, small_data
from workbench.session.session import Session
from workbench.style.theme import current_theme
from workbench.tabs.visualize.explain.explain_page import ExplainPage
from workbench.tabs.visualize.explain.record_form import RecordForm
from workbench.tabs.visualize.explain.value_charts import ProbabilityBars, ValueHistogram
from workbench.viewers.tree.split_histograms import SplitHistogram
from workbench.viewers.tree.tree_words import HighlightedPath


def test_four_values_over_their_classes_are_seen_without_scrolling(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    charts = [chart for chart in pane.form.findChildren(ValueHistogram) if chart.isVisible()]
    wait_until(lambda: all(not chart.is_empty for chart in charts))
    fields = [field for field in pane.form.findChildren(QDoubleSpinBox) if field.isVisible()]
    assert len(fields) == len(charts) == 4
    for widget in (*fields, *charts):
        assert widget.visibleRegion().boundingRect().height() == widget.height()
    assert session.data is not None and charts[0].histogram is not None
    np.testing.assert_array_equal(charts[0].histogram.counts.sum(axis=0), [50, 50, 50])


def test_the_handle_of_a_histogram_covers_no_end_of_its_scale(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    opened(explain, session, wait_until)
    chart = part(explain, ValueHistogram, f"{asked_number(session, explain).objectName()}.histogram")
    wait_until(lambda: not chart.is_empty and chart.width() > 60)
    assert chart.histogram is not None
    for value in np.linspace(chart.histogram.low, chart.histogram.high, 30):
        chart.show_value(float(value))
        (low, _), (high, _) = chart.ends(QFontMetricsF(chart.font()))
        assert not any(box.intersects(chart.handle()) for box in (low, high)) and low.right() < high.left()


def test_a_click_on_a_histogram_tries_the_value_at_that_place(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane = opened(explain, session, wait_until)
    index, before = pane.asked[0], text(explain, "said")
    chart = part(explain, ValueHistogram, f"{asked_number(session, explain).objectName()}.histogram")
    wait_until(lambda: not chart.is_empty and chart.width() > 60)
    own = pane.form.values[index]
    QTest.mouseClick(chart, Qt.MouseButton.RightButton, pos=QPoint(chart.width() - 3, 10))
    assert pane.form.values[index] == own
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(chart.width() - 3, 10))
    assert chart.histogram is not None
    assert pane.form.values[index] == pytest.approx(chart.histogram.high, rel=0.05)
    assert asked_number(session, explain).value() == pane.form.values[index]
    wait_until(lambda: text(explain, "said") != before)


def test_a_field_shows_seven_digits_and_all_of_them_while_it_is_edited(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane = opened(explain, session, wait_until)
    field = asked_number(session, explain)
    pane.form.show_values({pane.asked[0]: 1.234567891})
    explain.setFocus()
    wait_until(lambda: not field.hasFocus())
    assert field.text() == "1.234568" and field.value() == 1.234567891 and field.toolTip() == "1.234567891"
    field.setFocus()
    assert field.text() == "1.234567891"
    field.clearFocus()
    assert field.text() == "1.234568" and field.value() == 1.234567891


def test_a_typed_number_counts_once_after_a_pause(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, NaiveBayes(), wait_until)
    pane, rows = opened(explain, session, wait_until), list[int]()
    number = part(explain, QSpinBox, "visualize.what-if.record")
    pane.record_changed.connect(rows.append)
    number.selectAll()
    QTest.keyClicks(number, "100")
    assert rows == []
    wait_until(lambda: rows == [99])


def test_records_keep_the_number_of_the_table_when_others_are_removed(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    assert session.data is not None
    session.set_document(session.data.take(np.arange(10, 150)))
    session.start_run(NaiveBayes(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    pane = opened(explain, session, wait_until)
    number = part(explain, QSpinBox, "visualize.what-if.record")
    assert number.text() == "record 11" and wording.WOULD_SAY in text(explain, "said")
    number.selectAll()
    QTest.keyClicks(number, "20")
    QTest.keyClick(number, Qt.Key.Key_Return)
    assert number.text() == "record 20" and pane.row == 9
    QTest.keyClick(number, Qt.Key.Key_Up)
    assert number.text() == "record 21"
    wait_until(lambda: wording.RECORD_21_IS in text(explain, "actual"))
    number.selectAll()
    QTest.keyClicks(number, "5")
    QTest.keyClick(number, Qt.Key.Key_Return)
    assert number.text() == "record 21", "record 5 was removed"
    button = part(explain, QPushButton, "visualize.what-if.to-similar")
    wait_until(button.isVisible)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() == f"Go to {number.text()}"


def test_a_typed_number_changes_what_the_model_says(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    lit: list[HighlightedPath] = []
    explain.path_changed.connect(lit.append)
    opened(explain, session, wait_until)
    before = text(explain, "said")
    assert "(100.0%)" in before and "<table" in text(explain, "ways")
    field = asked_number(session, explain)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "6.9")
    QTest.keyClick(field, Qt.Key.Key_Return)
    wait_until(lambda: text(explain, "said") != before)
    assert lit and lit[-1].nodes[0] == 0 and len(lit[-1].nodes) > 1
    assert any(label.startswith("6.9") for label in lit[-1].labels.values())


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


def test_another_record_and_reset_bring_back_its_own_values(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane = opened(explain, session, wait_until)
    first = dict(pane.form.values)
    number = explain.findChild(QSpinBox, "visualize.what-if.record")
    assert number is not None
    number.setValue(150)
    wait_until(lambda: "virginica" in text(explain, "said"))
    assert pane.form.values != first
    number.setValue(1)
    field = asked_number(session, explain)
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert pane.form.values != first
    reset = explain.findChild(QPushButton, "visualize.what-if.reset")
    assert reset is not None
    QTest.mouseClick(reset, Qt.MouseButton.LeftButton)
    assert pane.form.values == first


def test_values_of_a_list_are_chosen_by_keys(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, Cart(pruning="none"), wait_until, "customers")
    pane = opened(explain, session, wait_until)
    found = pane.form.findChildren(QComboBox)
    assert found
    before = dict(pane.form.values)
    found[0].setFocus()
    QTest.keyClick(found[0], Qt.Key.Key_Down if found[0].currentIndex() == 0 else Qt.Key.Key_Up)
    assert pane.form.values != before


def test_only_what_the_tree_asks_about_is_listed(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, C45(max_depth=1), wait_until)
    pane = opened(explain, session, wait_until)
    assert len(pane.form.values) == 1


def test_of_many_attributes_those_that_are_looked_for_can_be_changed(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    names = [f"measure {i}" for i in range(150)]
    columns = 150 * [np.random.default_rng(0).normal(size=80)]  # none separates the classes better than another
    schema = Schema((*(numeric(name) for name in names), nominal("class", "ab")), 150)
    session.set_document(Dataset(schema, [*columns, (columns[0] > 0).astype(int)]))
    wait_until(lambda: session.data is not None and len(session.data) == 80)
    session.start_run(ZeroR(), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    explain.show_run(session.current_run)
    wait_until(lambda: explain.what_if is not None and wording.WOULD_SAY in text(explain, "said"))
    assert explain.what_if is not None
    form, find = explain.what_if.form, explain.findChild(QLineEdit, "visualize.what-if.find")
    assert find is not None and find.isVisible()
    wait_until(lambda: explain.findChild(QDoubleSpinBox, "visualize.what-if.measure 7") is not None)
    found = part(explain, QLabel, "visualize.what-if.found")
    assert "8 of 150" in found.text() and wording.SHOW_FIRST_60 in found.text()
    assert explain.findChild(QDoubleSpinBox, "visualize.what-if.measure 8") is None
    press_link(found)
    wait_until(lambda: explain.findChild(QDoubleSpinBox, "visualize.what-if.measure 59") is not None)
    assert wording.SHOW_FEWER in found.text()
    assert wording.ATTRIBUTES_60_OF_150 in text(explain, "found") and len(form.values) == 150
    assert explain.findChild(QDoubleSpinBox, "visualize.what-if.measure 149") is None
    QTest.keyClicks(find, "149")
    wait_until(lambda: explain.findChild(QDoubleSpinBox, "visualize.what-if.measure 149") is not None)
    field = explain.findChild(QDoubleSpinBox, "visualize.what-if.measure 149")
    assert field is not None and "1 of 150" in text(explain, "found")
    wait_until(field.isVisible)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert form.values[149] == 7.0
    assert "<a " not in found.text()
    find.clear()
    press_link(found)
    last = explain.findChild(QDoubleSpinBox, "visualize.what-if.measure 59")
    wait_until(lambda: not last.isVisible() and wording.SHOW_FIRST_60 in found.text())
    first = explain.findChild(QDoubleSpinBox, "visualize.what-if.measure 0")
    assert first is not None
    wait_until(lambda: first.isVisible() and not field.isVisible())
    assert form.values[149] == 7.0, "what is out of view keeps its value"
    QTest.keyClicks(find, "no such")
    assert "No attribute" in text(explain, "found")


def test_of_many_attributes_only_those_that_the_tree_asks_about_are_there_and_that_is_said(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    random = np.random.default_rng(0)
    columns = [random.normal(size=200) for _ in range(60)]
    schema = Schema((*(numeric(f"measure {i}") for i in range(60)), nominal("class", "ab")), 60)
    session.set_document(Dataset(schema, [*columns, random.integers(0, 2, 200)]))
    wait_until(lambda: session.data is not None and len(session.data) == 200)
    session.start_run(C45(pruning="none"), TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    explain.show_run(session.current_run)
    wait_until(lambda: explain.what_if is not None and wording.WOULD_SAY in text(explain, "said"))
    assert explain.what_if is not None
    n = len(explain.what_if.form.values)
    assert 12 < n < 60
    found = part(explain, QLabel, "visualize.what-if.found")
    assert wording.show_all(n) in found.text()
    press_link(found)
    wait_until(lambda: found.text().startswith(wording.all_attributes_asked_about(n)))


def test_few_attributes_need_no_search(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    opened(explain, session, wait_until)
    find = explain.findChild(QLineEdit, "visualize.what-if.find")
    assert find is not None and not find.isVisible()


def test_what_the_tree_asks_first_comes_first(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    pane = opened(explain, session, wait_until)
    assert session.current_run is not None and session.current_run.trained is not None
    tree = session.current_run.trained.structure()
    assert isinstance(tree, Tree)
    assert pane.asked[0] == session.current_run.data.schema.index_of(tree.schema.names[int(tree.attribute[0])])


@pytest.mark.parametrize("learner", [NaiveBayes(), KNearestNeighbors()], ids=lambda learner: learner.id)
@pytest.mark.parametrize("most_cells", [MOST_CELLS, 0], ids=["at once", "in a job"])
def test_without_an_order_of_the_model_what_separates_the_classes_best_comes_first(
    session: Session,
    explain: ExplainPage,
    wait_until: Wait,
    monkeypatch: pytest.MonkeyPatch,
    learner: Learner,
    most_cells: int,
) -> None:
    monkeypatch.setattr(regions, "MOST_CELLS", most_cells)
    ran(session, learner, wait_until, "breast-cancer")
    pane = opened(explain, session, wait_until)
    assert session.data is not None
    *expected, class_index = by_separation(session.data)
    assert class_index == session.data.schema.class_index and expected != sorted(expected)
    wait_until(lambda: pane.asked == tuple(expected))
    first = session.data.schema.names[expected[0]]
    wait_until(lambda: part(explain, QDoubleSpinBox, f"visualize.what-if.{first}").isVisible())


@pytest.mark.parametrize("what", ["search", "number", "wait"])
def test_attributes_are_not_ordered_anew_under_a_hand_or_while_a_model_is_awaited(
    session: Session, explain: ExplainPage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(regions, "MOST_CELLS", 0)
    ran(session, NaiveBayes(), wait_until, "breast-cancer")
    pane, data, run = opened(explain, session, wait_until), session.data, session.current_run
    assert data is not None and run is not None
    wait_until(lambda: data.knows(SEPARATIONS))
    session.turns.finish()
    asked, find = pane.asked, part(explain, QLineEdit, "visualize.what-if.find")
    first = part(explain, QDoubleSpinBox, f"visualize.what-if.{data.schema.names[asked[0]]}")
    if what == "wait":
        explain.show_run(run, "awaited")
    else:
        typed = find if what == "search" else first
        typed.setFocus()
        typed.selectAll()
        QTest.keyClicks(typed, "12")
    pane._show_ordered(run, np.empty(0))  # the order arrives
    assert pane.asked == asked
    if what == "wait":
        assert pane._is_waiting and text(explain, "said") == "awaited"
    else:
        assert typed.hasFocus() and typed.text() == "12"


def test_the_separation_of_a_large_table_is_not_computed_in_the_turn_that_shows_a_tree(
    session: Session, explain: ExplainPage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regions, "MOST_CELLS", 0)
    ran(session, C45(), wait_until, "breast-cancer")
    opened(explain, session, wait_until)
    assert session.data is not None and not session.data.knows(SEPARATIONS)


def test_a_field_stays_near_its_name_in_a_large_pane_and_classes_have_bars(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, C45(), wait_until)
    pane = opened(explain, session, wait_until)
    explain.resize(2000, 700)
    wait_until(lambda: pane.width() > 1500)
    assert pane.form.width() < 0.25 * pane.width()
    bars = part(pane, ProbabilityBars, "visualize.what-if.shares")
    wait_until(lambda: bars.rows[0][:2] == (0, "setosa"))
    before = bars.grab().toImage()
    pane.show_record(100)
    wait_until(lambda: bars.rows[0][:2] == (2, "virginica"))
    assert bars.grab().toImage() != before


def test_the_one_selected_record_or_the_first_of_several_is_the_one_to_start_from(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    opened(explain, session, wait_until)
    assert session.data is not None
    session.selection.select(session.data, np.array([149]))
    wait_until(lambda: "virginica" in text(explain, "said"))
    number = explain.findChild(QSpinBox, "visualize.what-if.record")
    assert number is not None and number.value() == 150
    session.selection.select(session.data, np.array([1, 149]))
    assert number.value() == 150  # it is one of several now
    session.selection.select(session.data, np.array([1, 2]))
    assert number.value() == 2


def test_it_begins_with_the_first_of_several_selected_records_and_says_what_it_is(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    assert session.data is not None
    session.selection.select(session.data, np.array([120, 149]))
    opened(explain, session, wait_until)
    number = explain.findChild(QSpinBox, "visualize.what-if.record")
    assert number is not None and number.value() == 121
    assert text(explain, "actual") == wording.RECORD_121


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


def test_nominal_values_are_named_below_their_bins_where_all_have_room(stage: Stage) -> None:
    """The bins of a nominal attribute had no names at all."""
    values = ("north", "south", "east", "west")
    chart = stage.show(ValueHistogram("chart", nominal("region", values)), 180, 50)
    chart.show_histogram(SplitHistogram(0.0, 4.0, np.ones((4, 2))))
    boxes = [box for box, _name in chart.names()]
    assert [name for _box, name in chart.names()] == list(values)
    assert all(one.right() <= other.left() + 1e-6 for one, other in pairwise(boxes))
    assert chart._plot.bottom() < boxes[0].top() and boxes[0].bottom() <= chart.height()
    chart.setFixedWidth(90)
    assert not chart.names() and chart._plot.bottom() > boxes[0].top()
