"""A number to predict is cut into ranges: asked calmly, shown before it is done, done as one step of undo."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox, QTableWidget

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import filters as filters_wording
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, W, Wait, choose_entry, part
from workbench.session.session import Session
from workbench.tabs.preprocess.tab import PreprocessTab


def prices(n: int = 200) -> Dataset:
    """Prices 1..n to predict, and a colour; the first price is missing."""
    schema = Schema((numeric("price"), nominal("colour", ["red", "blue"]), numeric("rooms")), 0)
    price = np.arange(1, n + 1, dtype=np.float64)
    price[0] = np.nan
    return Dataset(schema, [price, np.arange(n) % 2, np.arange(n) % 4], origin=DataOrigin("prices"))


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1100, 700)
    stage.open(session, prices())
    return tab


def part_of(tab: PreprocessTab, kind: type[W], name: str) -> W:
    return part(tab, kind, f"preprocess.{name}")


def ask(tab: PreprocessTab, wait_until: Wait) -> QTableWidget:
    """Press the question's answer and wait for the preview."""
    QTest.mouseClick(part_of(tab, QPushButton, "predict.ranges"), LEFT)
    preview = part_of(tab, QTableWidget, "ranges.preview")
    wait_until(lambda: preview.rowCount() > 0)
    return preview


def shown(preview: QTableWidget) -> list[tuple[str, str]]:
    return [(preview.item(row, 0).text(), preview.item(row, 1).text()) for row in range(preview.rowCount())]


def test_a_number_to_predict_is_offered_to_be_cut_with_how_many_there_are(tab: PreprocessTab) -> None:
    assert wording.MANY_DIFFERENT_NUMBERS in tab.class_bar.accessibleName()
    assert part_of(tab, QPushButton, "predict.ranges").isVisible()
    assert not part_of(tab, QPushButton, "predict.nominal").isVisible()


def test_the_ranges_follow_what_is_asked_before_anything_is_changed(tab: PreprocessTab, session, wait_until) -> None:
    preview = ask(tab, wait_until)
    assert [label for label, _ in shown(preview)] == ["under 67.5", "67.5 to 134.5", filters_wording.or_more(134.5)]
    part_of(tab, QSpinBox, "ranges.count").setValue(5)
    assert preview.rowCount() == 5
    how = part_of(tab, QComboBox, "ranges.how")
    how.setCurrentIndex(how.findData("typed"))
    assert preview.rowCount() == 0
    assert not part_of(tab, QPushButton, "ranges.cut").isEnabled()
    assert wording.FROM_2_TO_200 in part_of(tab, QLabel, "ranges.words").text()
    QTest.keyClicks(part_of(tab, QLineEdit, "ranges.points"), "50, 100.5")
    assert shown(preview) == [
        ("under 50", wording.records_in_range(48, 24.1)),
        ("50 to 100.5", wording.records_in_range(51, 25.6)),
        (filters_wording.or_more(100.5), wording.records_in_range(100, 50.3)),
    ]
    assert wording.ONE_WITHOUT_A_NUMBER in part_of(tab, QLabel, "ranges.words").text()
    assert session.undo_stack.count() == 0


def test_cutting_is_one_named_step_that_keeps_the_numbers_out_of_learning(tab, session, wait_until) -> None:
    ask(tab, wait_until)
    QTest.mouseClick(part_of(tab, QPushButton, "ranges.cut"), LEFT)
    schema = session.data.schema
    assert schema.class_attribute.name == "price (ranges)"
    assert schema.class_attribute.kind is AttributeKind.ORDINAL
    assert [schema.attributes[i].name for i in schema.predictors] == ["colour", "rooms"]
    assert session.undo_stack.undoText() == wording.UNDO_CUT
    assert not tab.ranges.isVisible()
    assert tab.class_bar.findChild(QPushButton, "preprocess.predict.onward").isVisible(), "the way on"
    assert "all records" in session.data.origin.marks[0]
    session.undo_stack.undo()
    assert session.data.schema.names == ("price", "colour", "rooms")
    assert session.data.origin.marks == ()
    assert tab.class_bar.isVisible()


def test_typed_borders_in_the_place_of_the_numbers_leave_no_mark_and_can_be_judged(tab, session, wait_until) -> None:
    ask(tab, wait_until)
    how = part_of(tab, QComboBox, "ranges.how")
    how.setCurrentIndex(how.findData("typed"))
    points = part_of(tab, QLineEdit, "ranges.points")
    QTest.keyClicks(points, "100")
    part_of(tab, QCheckBox, "ranges.keep").click()
    QTest.keyClick(points, Qt.Key.Key_Return)
    assert session.data.schema.classes == ("under 100", filters_wording.or_more(100))
    assert session.data.origin.marks == ()
    session.start_run(ZeroR(), CrossValidation(folds=4))
    wait_until(lambda: not session.runs[0].is_running)
    assert session.runs[0].report.accuracy == pytest.approx(101 / 199)


def test_what_is_no_number_is_named_and_cannot_be_cut(tab, wait_until) -> None:
    ask(tab, wait_until)
    how = part_of(tab, QComboBox, "ranges.how")
    how.setCurrentIndex(how.findData("typed"))
    QTest.keyClicks(part_of(tab, QLineEdit, "ranges.points"), "12, dear")
    assert wording.NO_NUMBER in part_of(tab, QLabel, "ranges.words").text()
    assert not part_of(tab, QPushButton, "ranges.cut").isEnabled()


def test_ranges_with_too_few_records_are_warned_of(tab, wait_until) -> None:
    ask(tab, wait_until)
    how = part_of(tab, QComboBox, "ranges.how")
    how.setCurrentIndex(how.findData("typed"))
    QTest.keyClicks(part_of(tab, QLineEdit, "ranges.points"), "4, 100")
    assert part_of(tab, QLabel, "ranges.words").text() == wording.RANGE_OF_TOO_FEW


def test_escape_leaves_the_numbers_as_they_are(tab, session, wait_until) -> None:
    ask(tab, wait_until)
    QTest.keyClick(part_of(tab, QComboBox, "ranges.how"), Qt.Key.Key_Escape)
    assert not tab.ranges.isVisible()
    assert session.undo_stack.count() == 0


def test_any_number_can_be_cut_from_its_own_pane(tab, session, wait_until) -> None:
    session.set_class("colour")
    tab.attributes.view.selectRow(2)
    choose_entry(tab, "preprocess.ranges.open")
    preview = part_of(tab, QTableWidget, "ranges.preview")
    wait_until(lambda: preview.rowCount() > 0)
    QTest.mouseClick(part_of(tab, QPushButton, "ranges.cut"), LEFT)
    schema = session.data.schema
    assert schema.class_attribute.name == "colour"
    assert schema.names == ("price", "colour", "rooms", "rooms (ranges)")
    assert not schema.attributes[2].used


def test_one_question_at_a_time_is_asked(tab, session, wait_until) -> None:
    assert tab.class_bar.isVisible()
    tab.attributes.view.selectRow(2)
    choose_entry(tab, "preprocess.ranges.open")
    assert tab.ranges.isVisible() and not tab.class_bar.isVisible()
    session.set_used(["rooms"], False)
    wait_until(lambda: session.summary is not None)
    assert not tab.class_bar.isVisible()
    tab.ranges.close_pane()
    assert tab.class_bar.isVisible()


def test_the_preview_can_be_copied(tab, wait_until) -> None:
    preview = ask(tab, wait_until)
    QTest.keyClick(preview, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith(wording.HEAD_OF_COPIED_RANGES)


def test_undoing_to_where_the_attribute_was_no_number_closes_the_question(tab, session, wait_until) -> None:
    ask(tab, wait_until)
    session.set_document(prices(50).select_columns([1]).with_class("colour"))
    assert not tab.ranges.isVisible()


def test_two_numbers_that_no_width_can_part_leave_nothing_to_cut(stage: Stage, wait_until: Wait) -> None:
    """One rounding step apart: there is no cut point between them."""
    session = stage.session()
    tab = stage.show(PreprocessTab(session), 1100, 700)
    sizes = np.where(np.arange(40) % 2, 0.3, 0.1 + 0.2)
    stage.open(session, Dataset(Schema((numeric("size"), nominal("class", ["a", "b"])), 1), [sizes, np.arange(40) % 2]))
    tab.ranges.open("size")
    how = part_of(tab, QComboBox, "ranges.how")
    wait_until(lambda: part_of(tab, QTableWidget, "ranges.preview").rowCount() > 0)
    how.setCurrentIndex(how.findData("equal-width"))
    assert part_of(tab, QTableWidget, "ranges.preview").rowCount() == 0
    assert not part_of(tab, QPushButton, "ranges.cut").isEnabled()


def test_the_records_make_way_for_the_form_in_a_low_window(tab: PreprocessTab) -> None:
    tab.attribute.ranges_asked.emit("price")
    assert tab.records.isVisible()
    tab.ranges.close_pane()
    tab.resize(1100, 500)
    tab.attribute.ranges_asked.emit("price")
    assert not tab.records.isVisible() and tab.attributes.isVisible()
    tab.ranges.close_pane()
    assert tab.records.isVisible()


def test_the_records_stay_below_the_form_where_they_have_the_room_of_the_attributes(tab: PreprocessTab) -> None:
    tab.resize(1100, 500)
    tab.records.expand.setChecked(True)
    tab.ranges.open("price")
    assert tab.records.isVisible() and not tab.attributes.isVisible()
    tab.records.expand.setChecked(False)
    assert not tab.records.isVisible() and tab.attributes.isVisible()
    tab.ranges.close_pane()
    assert tab.records.isVisible() and tab.attributes.isVisible()


def test_in_a_low_window_the_form_and_the_filter_take_turns(tab: PreprocessTab) -> None:
    """The last row of the filter was cut off below the form, and no scroll bar led to it."""
    tab.resize(1100, 500)
    tab.records.expand.setChecked(True)
    tab.ranges.open("price")
    tab.records.open_filter()
    assert tab.records.isVisible() and not tab.ranges.isVisible()
    tab.records.filter.close_bar()
    assert tab.records.isVisible() and tab.ranges.isVisible()
    tab.ranges.close_pane()
    tab.records.open_filter()
    tab.ranges.open("price")
    assert tab.ranges.isVisible() and tab.attributes.isVisible() and not tab.records.isVisible()
    tab.ranges.close_pane()
    assert tab.records.isVisible() and tab.records.has_bar and tab.records.expand.isChecked()


def test_the_shares_of_the_ranges_have_a_decimal_from_100_records_on(
    tab: PreprocessTab, stage: Stage, session: Session, wait_until: Wait
) -> None:
    preview = ask(tab, wait_until)
    assert [held.rpartition(" · ")[2] for _, held in shown(preview)] == ["33.2%", "33.7%", "33.2%"]
    stage.open(session, prices(43))
    preview = ask(tab, wait_until)
    assert [held.rpartition(" · ")[2] for _, held in shown(preview)] == ["33%", "33%", "33%"]
