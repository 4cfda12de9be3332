"""The records sorted and filtered: a way to look at them that is no edit, and edits of what it shows."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QStyleOptionHeader

from algorithms.data.columns import STRING
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as core_wording
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, NONE, SHIFT, W, Wait, choose_entry, click, press
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.tabs.preprocess.table import records_order, records_view
from workbench.tabs.preprocess.table.records_order import carried
from workbench.tabs.preprocess.table.records_view import GAP, PADDING, _in_view, number_in_part
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import Strip

AGE, CITY, NOTE = range(3)


def people() -> Dataset:
    schema = Schema((numeric("age"), nominal("city", ("Bern", "Rome")), Attribute("note", AttributeKind.TEXT)), 1)
    notes = np.array(["d", "a", "c", "b", "e", "f"], dtype=STRING)
    return Dataset(schema, [[30, 10, np.nan, 20, 50, 40], [0, 1, 0, 1, 0, 1], notes], origin=DataOrigin("people"))


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1200, 900, active=True)
    stage.open(session, people())
    return tab


def see(tab: PreprocessTab, kind: type[W], name: str) -> W:
    found = [w for w in tab.findChildren(kind, name) if w.isVisible()]
    assert found, f"no {name} to be seen"
    return found[0]


def click_head(tab: PreprocessTab, column: int) -> None:
    header = tab.records.view.horizontalHeader()
    where = QPoint(header.sectionViewportPosition(column) + 20, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, NONE, where)


def shown(tab: PreprocessTab, column: int = NOTE) -> str:
    model = tab.records.model
    return "".join(model.text(row, column) or "-" for row in range(model.rowCount()))


def head(tab: PreprocessTab, column: int) -> str:
    return str(tab.records.model.headerData(column, Qt.Orientation.Horizontal))


def pick(tab: PreprocessTab, name: str, words: str) -> None:
    """Choose in a combo box with the keys."""
    box = see(tab, QComboBox, name)
    at = box.findText(words)
    assert at >= 0, [box.itemText(i) for i in range(box.count())]
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    for _ in range(at):
        QTest.keyClick(box, Qt.Key.Key_Down)
    box.activated.emit(box.currentIndex())
    assert box.currentText() == words


def count(tab: PreprocessTab) -> str:
    return see(tab, QLabel, "preprocess.filter.count").text()


def test_a_click_on_a_head_sorts_up_then_down_then_not(tab: PreprocessTab, session: Session) -> None:
    click_head(tab, AGE)
    assert shown(tab) == "abdfec" and head(tab, AGE) == "▲ age"
    assert tab.records.model.headerData(0, Qt.Orientation.Vertical) == "2", "records keep their numbers"
    click_head(tab, AGE)
    assert shown(tab) == "efdbac" and head(tab, AGE) == "▼ age"
    click_head(tab, AGE)
    assert shown(tab) == "dacbef" and head(tab, AGE) == "age"
    assert session.undo_stack.count() == 0 and session.data is not None
    assert session.data.column(AGE)[0] == 30


def test_the_keys_sort_by_the_column_at_the_cursor_and_stay_in_it(tab: PreprocessTab, session: Session) -> None:
    view = tab.records.view
    assert session.data is not None
    session.selection.select(session.data, np.array([4]))
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(2, NOTE)).center())
    for order in ("abcdef", "fedcba", "dacbef"):
        QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        assert shown(tab) == order
        assert (view.currentIndex().row(), view.currentIndex().column()) == (0, NOTE)
    assert session.selection.rows_of(session.data).tolist() == [4]


def test_a_cell_typed_into_a_sorted_table_is_the_one_that_is_seen(tab: PreprocessTab, session: Session) -> None:
    click_head(tab, AGE)
    view = tab.records.view
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(0, AGE)).center())
    QTest.keyClicks(view, "9")
    QTest.keyClicks(see(tab, QLineEdit, "preprocess.cell"), "9")
    QTest.keyClick(see(tab, QLineEdit, "preprocess.cell"), Qt.Key.Key_Return)
    assert session.data is not None
    assert session.data.column(AGE)[1] == 99, "the record that stood first"
    assert shown(tab) == "abdfec", "no record runs away under the cursor"
    press(tab, "preprocess.records.again")
    assert shown(tab) == "bdfeac"
    assert not tab.records.again.isVisible()


def test_undo_after_a_sort_shows_the_order_found_before(tab: PreprocessTab, session: Session) -> None:
    click_head(tab, AGE)
    data = session.data
    assert data is not None
    session.edit("x", data.with_cells(AGE, np.array([1]), np.array([99.0])))
    assert tab.records.order.is_stale
    session.undo_stack.undo()
    assert not tab.records.order.is_stale and shown(tab) == "abdfec"


def test_rows_chosen_in_a_sorted_table_are_the_records_that_stand_there(tab: PreprocessTab, session: Session) -> None:
    click_head(tab, AGE)
    header = tab.records.view.verticalHeader()
    for row, keys in ((0, NONE), (1, SHIFT)):
        QTest.mouseClick(header.viewport(), LEFT, keys, QPoint(10, header.sectionViewportPosition(row) + 8))
    assert session.data is not None
    assert session.selection.rows_of(session.data).tolist() == [1, 3]
    QTest.keyClick(tab.records.view, Qt.Key.Key_Delete)
    assert shown(tab) == "dfec" and session.data.row_ids.tolist() == [0, 2, 4, 5]
    session.undo_stack.undo()
    assert sorted(shown(tab)) == list("abcdef")


def test_records_are_filtered_by_a_condition_from_menus(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    press(tab, "preprocess.records.filter")
    assert count(tab) == wording.ENTER_VALUE
    pick(tab, "preprocess.filter.0.attribute", "city")
    pick(tab, "preprocess.filter.0.relation", "is")
    wait_until(lambda: count(tab) == wording.CHOOSE_VALUE)
    pick(tab, "preprocess.filter.0.choice", "Rome")
    wait_until(lambda: shown(tab) == "abf")
    assert count(tab) == wording.THREE_OF_6_MATCH and session.undo_stack.count() == 0
    more = see(tab, QComboBox, "preprocess.filter.more")
    more.activated.emit(more.findText("age"))
    pick(tab, "preprocess.filter.1.relation", wording.IS_MORE_THAN)
    QTest.keyClicks(see(tab, QLineEdit, "preprocess.filter.1.value"), "15")
    wait_until(lambda: shown(tab) == "bf")
    assert see(tab, QLabel, "preprocess.filter.1.joined").text() == "and"
    pick(tab, "preprocess.filter.join", wording.WHERE_ANY_HOLDS)
    wait_until(lambda: shown(tab) == "dabef")
    assert see(tab, QLabel, "preprocess.filter.1.joined").text() == "or"
    choose_entry(tab, "preprocess.filter.select")
    assert session.data is not None
    assert session.selection.rows_of(session.data).tolist() == [0, 1, 3, 4, 5]
    choose_entry(tab, "preprocess.filter.keep")
    assert len(session.data) == 5 and session.undo_stack.undoText() == wording.keep_records(5, 6)
    press(tab, "preprocess.records.filter")
    assert shown(tab) == "dabef" and not tab.records.filter.isVisible()
    session.undo_stack.undo()
    assert shown(tab) == "dacbef"


def test_missing_values_are_found_by_a_condition(tab: PreprocessTab, wait_until: Wait) -> None:
    tab.attributes.view.setFocus()
    QTest.keyClick(
        tab.attributes.view, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    pick(tab, "preprocess.filter.0.attribute", "age")
    pick(tab, "preprocess.filter.0.relation", "is missing")
    wait_until(lambda: shown(tab) == "c")
    assert not [w for w in tab.findChildren(QLineEdit, "preprocess.filter.0.value") if w.isVisible()]


def test_a_value_that_cannot_be_asked_is_said_and_hides_nothing(tab: PreprocessTab, wait_until: Wait) -> None:
    press(tab, "preprocess.records.filter")
    pick(tab, "preprocess.filter.0.attribute", "age")
    line = see(tab, QLineEdit, "preprocess.filter.0.value")
    QTest.keyClicks(line, "old")
    wait_until(lambda: core_wording.not_a_number("old") in count(tab))
    assert shown(tab) == "dacbef" and line.property("invalid") is True
    line.selectAll()
    QTest.keyClicks(line, "40")
    wait_until(lambda: shown(tab) == "f")
    assert line.property("invalid") is False
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert shown(tab) == "dacbef" and not tab.records.filter.isVisible()


def test_a_record_added_to_a_filtered_table_is_seen(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    press(tab, "preprocess.records.filter")
    pick(tab, "preprocess.filter.0.attribute", "age")
    QTest.keyClicks(see(tab, QLineEdit, "preprocess.filter.0.value"), "40")
    wait_until(lambda: shown(tab) == "f")
    choose_entry(tab, "preprocess.records.add")
    assert shown(tab) == "f-" and tab.records.view.currentIndex().row() == 1
    assert tab.records.again.isVisible()


def test_many_records_are_sorted_and_filtered_in_a_job(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records_order, "SMALL", 3)
    click_head(tab, AGE)
    assert shown(tab) == "dacbef", "not yet"
    wait_until(lambda: shown(tab) == "abdfec")
    assert head(tab, AGE) == "▲ age"


def test_a_removed_column_takes_its_sort_and_conditions_with_it(tab: PreprocessTab, session: Session) -> None:
    click_head(tab, AGE)
    assert session.data is not None
    session.edit("Remove age", session.data.select_columns([CITY, NOTE]))
    assert shown(tab, 1) == "dacbef" and tab.records.order.look.is_plain


def test_another_table_is_shown_whole(tab: PreprocessTab, session: Session) -> None:
    click_head(tab, AGE)
    session.set_document(people())
    assert shown(tab) == "dacbef" and head(tab, AGE) == "age"


def test_the_records_can_have_the_whole_tab(tab: PreprocessTab) -> None:
    before = tab.records.view.height()
    choose_entry(tab, "preprocess.records.expand")
    QTest.qWait(0)
    assert tab.records.view.height() > before + 100 and not tab.attributes.isVisible()
    choose_entry(tab, "preprocess.records.expand")
    assert tab.attributes.isVisible()


def test_an_order_is_carried_over_to_the_rows_that_are_left_and_come() -> None:
    old = people().take([0, 1, 2, 4])
    order, added = carried(np.array([3, 1, 0]), old, people().take([4, 0, 5]))
    assert order.tolist() == [0, 1, 2] and added == 1
    order, added = carried(np.array([2, 0]), old, old.with_new_rows(2))
    assert order.tolist() == [2, 0, 4, 5] and added == 2


def test_the_order_a_project_was_left_in_is_there_though_the_tab_is_made_after_it_was_read(
    session: Session, stage: Stage
) -> None:
    stage.open(session, people())
    session.set_place(sort=["age", True])
    tab = stage.show(PreprocessTab(session), 1200, 900)
    assert shown(tab) == "efdbac" and head(tab, AGE) == "▼ age"
    stage.open(session, people())
    assert shown(tab) == "dacbef"


def test_the_class_stands_first_and_stays_in_view_beside_the_numbers_once_scrolled(
    tab: PreprocessTab, wait_until: Wait
) -> None:
    view = tab.records.view
    wait_until(lambda: view.numbers.class_width == 0)
    data = view.records.dataset
    column, header = data.schema.class_index, view.horizontalHeader()
    assert header.visualIndex(column) == 0 < column, "also where all columns fit"
    view.setColumnWidth(0, 2 * view.width())
    wait_until(lambda: view.horizontalScrollBar().maximum() > 0)
    assert view.numbers.class_width == 0 and not view.isColumnHidden(column), "it is in view as a column"
    beside = view.viewport().mapTo(view, QPoint(view.columnViewportPosition(0), 0)).x()
    view.horizontalScrollBar().setValue(1)
    assert view.isColumnHidden(column) and view.numbers.class_width > 0, "it is in view once"
    assert view.numbers.width() == view.numbers.number_width + view.numbers.class_width
    wait_until(lambda: view.viewport().mapTo(view, QPoint(view.columnViewportPosition(0), 0)).x() == beside - 1)
    name = data.schema.attributes[column].name
    assert view.class_title.isVisible() and view.class_title.text() == name
    click(view.class_title)
    assert head(tab, column) == f"▲ {name}"
    view.numbers.sectionDoubleClicked.emit(1)
    wait_until(lambda: view.state() == view.State.EditingState)
    assert (view.currentIndex().row(), view.currentIndex().column()) == (1, column)
    assert not view.isColumnHidden(column) and view.horizontalScrollBar().value() == 0
    view.setColumnWidth(0, 60)
    wait_until(lambda: view.horizontalScrollBar().maximum() == 0)
    assert header.visualIndex(column) == 0


def test_numbers_in_a_column_cut_at_the_edge_are_whole_or_absent(tab: PreprocessTab) -> None:
    metrics = QFontMetrics(themes.font())
    for number in ("123.4567", "-0.4567", "1234", "1.25e-09"):
        room = metrics.horizontalAdvance(number)
        assert (number_in_part(metrics, number, room), number_in_part(metrics, number, room - 1)) == (number, "")


@pytest.mark.parametrize("text", ["123.4567", "1234567", "a remark of some length"])
def test_a_column_cut_at_the_edge_has_cells_where_it_has_a_heading_and_nowhere_else(
    tab: PreprocessTab, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    view = tab.records.view
    monkeypatch.setattr(view.records, "text", lambda _row, _column: text)
    if not text[0].isdecimal():
        monkeypatch.setattr(view.records, "alignment", lambda _column: MIDDLE_LEFT)
    header = view.horizontalHeader()
    view.setColumnWidth(AGE, 120)
    view.setColumnWidth(header.logicalIndex(0), 200)  # else the column is wider than the view
    start, n_headed = header.sectionViewportPosition(AGE), 0
    for n_shown in range(8, 120, 4):
        view.resize(view.width() + start + n_shown - view.viewport().width(), view.height())
        shot = view.viewport().grab().toImage()
        header.initStyleOptionForIndex(option := QStyleOptionHeader(), AGE)
        rows = range(view.rowViewportPosition(0) + 4, view.rowViewportPosition(1) - 4)
        is_inked = len({shot.pixel(x, y) for x in range(start + PADDING, start + n_shown - 2) for y in rows}) > 1
        n_headed += bool(option.text)
        assert is_inked is bool(option.text), n_shown
    assert 5 < n_headed < 26


def test_a_column_half_in_view_keeps_its_texts_in_view(tab: PreprocessTab) -> None:
    view = tab.records.view
    assert _in_view(Strip(0, 20, 100), 400) == (20 + PADDING, 100 - 2 * PADDING)
    assert _in_view(Strip(0, 340, 100), 400) == (340 + PADDING, 60 - 2 * PADDING)
    assert _in_view(Strip(0, -70, 100), 400) == (PADDING, 30 - 2 * PADDING)
    assert _in_view(Strip(0, -70, 500), 400) == (PADDING - 70, 500 - 2 * PADDING), "it scrolls with its texts"
    header, option = view.horizontalHeader(), QStyleOptionHeader()
    view.setColumnWidth(AGE, header.width() - 90)
    half = next(
        section
        for section in range(3)
        if header.sectionViewportPosition(section)
        < header.width()
        < header.sectionViewportPosition(section) + header.sectionSize(section)
    )
    header.initStyleOptionForIndex(option, half)
    assert option.rect.width() == max(0, header.width() - header.place(half).left())


def test_scrolled_to_the_end_the_last_column_is_whole(tab: PreprocessTab, wait_until: Wait) -> None:
    """The class, moved beside the numbers, took its width from the way that was left."""
    view = tab.records.view
    view.setColumnWidth(0, 2 * view.width())
    bar, header = view.horizontalScrollBar(), view.horizontalHeader()
    wait_until(lambda: bar.maximum() > 0 and header.visualIndex(view.records.dataset.schema.class_index) == 0)
    end = bar.maximum()
    bar.setValue(end)
    QTest.qWait(1)  # the table lays itself out in a turn of its own
    assert view.numbers.class_width > 0 and bar.value() == bar.maximum() == end


def test_selected_records_are_tinted_beside_their_numbers_too(tab: PreprocessTab, wait_until: Wait) -> None:
    view = tab.records.view
    view.setColumnWidth(0, 2 * view.width())
    wait_until(lambda: view.horizontalScrollBar().maximum() > 0)
    view.horizontalScrollBar().setValue(1)
    view.set_lit(np.arange(view.records.rowCount()) == 1)
    x = view.numbers.number_width + view.numbers.class_width - 4
    shot = view.numbers.viewport().grab().toImage()
    middle = view.numbers.sectionSize(0) // 2
    colors = [shot.pixelColor(QPoint(x, view.numbers.sectionViewportPosition(row) + middle)) for row in (0, 1)]
    assert colors[0] != colors[1]


def test_columns_get_the_width_of_their_texts_as_they_come_into_view_and_those_in_view_stay(
    session: Session, stage: Stage, tab: PreprocessTab
) -> None:
    n, numbers = 300, np.linspace(-123456.5, -1.5, 400)
    names = [f"a{i}" if i % 3 else f"a measured attribute {i}" for i in range(n)]
    schema = Schema((*(numeric(name) for name in names), nominal("class", ("a", "b"))), n)
    stage.open(session, Dataset(schema, [numbers] * n + [np.arange(400) % 2], origin=DataOrigin("wide")))
    view = tab.records.view
    bar, header, metrics = view.horizontalScrollBar(), view.horizontalHeader(), QFontMetrics(themes.font())
    bar.setValue(bar.maximum())
    while bar.value() > bar.maximum() // 2:
        before = {column: header.sectionViewportPosition(column) for column in view._columns_in_view()}
        for column in before:
            texts = names[column], *(view.records.text(row, column) for row in (0, 399))
            assert view.columnWidth(column) > max(map(metrics.horizontalAdvance, texts)), column
        bar.setValue(bar.value() - 40)
        shifts = {header.sectionViewportPosition(column) - place for column, place in before.items()}
        assert shifts == {40}
    assert len(view._fitted) < n


def test_headings_that_are_cut_take_the_width_that_is_free_and_give_it_back(
    session: Session, stage: Stage, tab: PreprocessTab
) -> None:
    names = [f"Measurement {i} of the concentration in the left ventricle" for i in range(3)]
    schema = Schema((*map(numeric, names), numeric("x"), nominal("class", ("a", "b"))), 4)
    tab.resize(2560, 900)
    stage.open(session, Dataset(schema, [np.arange(4.0)] * 4 + [np.arange(4) % 2], origin=DataOrigin("long")))
    view, metrics = tab.records.view, QFontMetrics(themes.font())
    view.resize(1800, 400)
    assert all(view.columnWidth(i) > metrics.horizontalAdvance(name) for i, name in enumerate(names))
    wide, x = view.columnWidth(1), view.columnWidth(3)
    view.setColumnWidth(0, 120)
    view.resize(600, 400)
    assert view.columnWidth(0) == 120 and view.columnWidth(1) < wide and view.columnWidth(3) == x
    view.resize(1800, 400)
    assert view.columnWidth(0) == 120 and view.columnWidth(1) == wide


def test_no_attribute_is_hidden_after_a_smaller_table_replaces_one_with_its_class_beside_the_numbers(
    session: Session, stage: Stage, tab: PreprocessTab
) -> None:
    view = tab.records.view
    bar, header = view.horizontalScrollBar(), view.horizontalHeader()
    for n in (30, 29, 20, 1):
        schema = Schema((*(numeric(f"attribute {i}") for i in range(n)), nominal("class", ("a", "b"))), n)
        stage.open(session, Dataset(schema, [np.arange(4.0)] * n + [np.arange(4) % 2], origin=DataOrigin(f"{n}")))
        is_wide, first = n > 1, view.columnWidth(0)
        assert first > 0 and (bar.maximum() > 0) == is_wide
        bar.setValue(600)
        QTest.qWait(0)
        assert [column for column in range(header.count()) if header.isSectionHidden(column)] == [n] * is_wide
        assert (view.numbers.class_width > 0) == is_wide
    assert [header.visualIndex(column) for column in range(2)] == [1, 0]


def test_a_column_of_which_no_text_is_readable_shows_none(tab: PreprocessTab) -> None:
    """Cells read "..." and the heading "Se..." while the column beside them had free room."""
    view, header = tab.records.view, tab.records.view.horizontalHeader()
    view.setColumnWidth(header.logicalIndex(0), 200)
    view.setColumnWidth(AGE, 120)
    start = header.sectionViewportPosition(AGE)
    title = str(view.records.headerData(AGE, Qt.Orientation.Horizontal))
    for n_shown, is_whole in ((20, False), (115, True)):
        view.resize(view.width() + start + n_shown - view.viewport().width(), view.height())
        header.initStyleOptionForIndex(option := QStyleOptionHeader(), AGE)
        assert option.text == (title if is_whole else "")


def test_a_scrolled_table_comes_to_rest_where_a_column_begins(tab: PreprocessTab, wait_until: Wait) -> None:
    view, bar = tab.records.view, tab.records.view.horizontalScrollBar()
    for column, width in ((AGE, 200), (CITY, 100), (NOTE, 900)):
        view.setColumnWidth(column, width)
    wait_until(lambda: bar.maximum() > 200)
    bar.setValue(95)
    wait_until(lambda: bar.value() == 200 and view.columnViewportPosition(NOTE) == 0)
    bar.setValue(120)
    wait_until(lambda: bar.value() == 0)


def test_words_beside_numbers_begin_after_a_gap(tab: PreprocessTab) -> None:
    view, header = tab.records.view, tab.records.view.horizontalHeader()
    sides = [view.records.alignment(header.logicalIndex(place)) for place in range(header.count())]
    pairs = [place for place in range(1, len(sides)) if (sides[place - 1], sides[place]) == (MIDDLE_RIGHT, MIDDLE_LEFT)]
    assert pairs
    for place in range(len(sides)):
        column = header.logicalIndex(place)
        assert view.gap_before(column) == (themes.px(GAP) if place in pairs else 0)
        assert header.place(column).left() == header.sectionViewportPosition(column) + view.gap_before(column)


def test_the_class_is_fitted_anew_wherever_its_column_stands(
    tab: PreprocessTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the first 60 columns it kept the width of a larger text."""
    monkeypatch.setattr(records_view, "MEASURED_COLUMNS", 0)
    tab.records.view.setColumnWidth(CITY, 400)
    tab.records.view.fit_columns({})
    assert tab.records.view.columnWidth(CITY) < 400
