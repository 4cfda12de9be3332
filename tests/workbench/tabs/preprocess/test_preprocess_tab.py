"""The Preprocess tab as a person uses it: with mouse and keys, widgets found by their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xlsxwriter
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPushButton,
    QTableView,
    QWidget,
)

from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import Histogram
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.filters.select_attributes import SelectAttributes
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import io as io_wording
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.shirts import shirts
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait, activate, choose, choose_entry, part, press
from workbench.session.session import Session
from workbench.style.theme import LIGHT_NAME, SPACE_2, class_color, current_theme, themes
from workbench.tabs.preprocess import attribute_edits
from workbench.tabs.preprocess.attributes.attribute_pane import FittingScroll
from workbench.tabs.preprocess.attributes.attributes_model import AttributesColumn
from workbench.tabs.preprocess.attributes.histogram import HistogramPlot
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.warnings.warning_drawer import plain


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    return stage.show(PreprocessTab(session), 1280, 800)


@pytest.fixture
def loaded(tab: PreprocessTab, session: Session, stage: Stage) -> PreprocessTab:
    stage.open(session, shirts())
    return tab


def attributes(tab: QWidget) -> QTableView:
    return part(tab, QTableView, "preprocess.attributes")


def cell(view: QAbstractItemView, row: int, column: int) -> QPoint:
    return view.visualRect(view.model().index(row, column)).center()


def choose_row(tab: QWidget, row: int, column: int = AttributesColumn.NAME) -> None:
    view = attributes(tab)
    QTest.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, cell(view, row, column))


def press_key(tab: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(attributes(tab), key, modifiers)


@pytest.fixture
def facts_of_age(loaded: PreprocessTab, wait_until: Wait) -> QLabel:
    """The facts of age, which is chosen, once they are known."""
    choose_row(loaded, 1)
    facts = part(loaded, QLabel, "preprocess.attribute.facts")
    wait_until(lambda: facts.text() == wording.numeric_from_to(20, 24))
    return facts


def pick_kind(tab: QWidget, kind: AttributeKind) -> None:
    combo = part(tab, QComboBox, "preprocess.kind")
    combo.setFocus()
    combo.showPopup()
    row = combo.findData(kind.value)
    view = combo.view()
    QTest.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, cell(view, row, 0))


def kinds(session: Session) -> list[str]:
    assert session.data is not None
    return [a.kind.value for a in session.data.schema.attributes]


def names(session: Session) -> list[str]:
    assert session.data is not None
    return list(session.data.schema.names)


def test_the_tab_stands_without_data(tab: PreprocessTab) -> None:
    assert attributes(tab).model().rowCount() == 0
    assert not part(tab, QPushButton, "preprocess.add_step").isEnabled()
    press_key(tab, Qt.Key.Key_Delete)
    press_key(tab, Qt.Key.Key_Space)


def test_a_kind_is_changed_undone_and_redone(loaded: PreprocessTab, session: Session) -> None:
    choose_row(loaded, 1)
    pick_kind(loaded, AttributeKind.NOMINAL)
    assert kinds(session)[1] == "nominal"
    assert session.undo_stack.undoText() == wording.UNDO_KIND
    session.undo_stack.undo()
    assert kinds(session)[1] == "numeric"
    assert part(loaded, QComboBox, "preprocess.kind").currentData() == "numeric"
    session.undo_stack.redo()
    assert part(loaded, QComboBox, "preprocess.kind").currentData() == "nominal"


def test_a_kind_is_changed_with_the_keyboard_in_the_list(loaded: PreprocessTab, session: Session) -> None:
    choose_row(loaded, 1)
    press_key(loaded, Qt.Key.Key_Right)
    press_key(loaded, Qt.Key.Key_Return)
    menu = part(loaded, QMenu, "preprocess.kinds")
    assert menu.isVisible() and menu.activeAction().isChecked()
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert kinds(session)[1] == "nominal"


def test_a_click_on_a_kind_opens_the_kinds(loaded: PreprocessTab) -> None:
    choose_row(loaded, 2, AttributesColumn.KIND)
    menu = part(loaded, QMenu, "preprocess.kinds")
    assert menu.isVisible()
    menu.close()


def test_an_impossible_kind_is_refused_in_place_and_nothing_changes(loaded: PreprocessTab, session: Session) -> None:
    choose_row(loaded, 2)
    pick_kind(loaded, AttributeKind.NUMERIC)
    notice = loaded.attributes.notice
    assert notice.isVisible() and "'small'" in notice.text
    assert kinds(session)[2] == "nominal" and not session.undo_stack.canUndo()
    assert part(loaded, QComboBox, "preprocess.kind").currentData() == "nominal"
    pick_kind(loaded, AttributeKind.TEXT)
    assert not notice.isVisible() and kinds(session)[2] == "text"


def test_a_large_column_is_changed_in_a_job(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attribute_edits, "SMALL", 10)
    session.set_document(shirts())
    choose_row(tab, 1)
    pick_kind(tab, AttributeKind.NOMINAL)
    assert kinds(session)[1] == "numeric"
    wait_until(lambda: kinds(session)[1] == "nominal")
    pick_kind(tab, AttributeKind.DATE)
    wait_until(lambda: tab.attributes.notice.isVisible())
    assert kinds(session)[1] == "nominal"


def test_a_change_in_a_job_lands_on_what_was_edited_meanwhile(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attribute_edits, "SMALL", 10)
    session.set_document(shirts())
    choose_row(tab, 1)
    pick_kind(tab, AttributeKind.NOMINAL)
    session.edit("Predict nothing", shirts().with_class(None))
    wait_until(lambda: kinds(session)[1] == "nominal")
    assert session.data is not None and session.data.schema.class_index is None


def test_an_attribute_is_renamed_in_place(loaded: PreprocessTab, session: Session, wait_until: Wait) -> None:
    choose_row(loaded, 1)
    press_key(loaded, Qt.Key.Key_F2)
    editor = part(loaded, QLineEdit, "preprocess.name")
    assert editor.text() == "age"
    editor.selectAll()
    name = "years of age"
    QTest.keyClicks(editor, name)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait_until(lambda: names(session)[1] == name)
    assert attributes(loaded).state() is QAbstractItemView.State.NoState
    assert session.undo_stack.undoText() == wording.UNDO_RENAME_COLUMN
    session.undo_stack.undo()
    assert names(session)[1] == "age"


def test_a_name_that_is_taken_is_refused(loaded: PreprocessTab, session: Session, wait_until: Wait) -> None:
    choose_row(loaded, 1)
    choose_entry(loaded, "preprocess.rename")
    editor = part(loaded, QLineEdit, "preprocess.name")
    editor.selectAll()
    QTest.keyClicks(editor, "risk")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait_until(lambda: loaded.attributes.notice.isVisible())
    assert names(session)[1] == "age"
    assert wording.NAME_IS_TAKEN in loaded.attributes.notice.text


def test_a_renamed_and_removed_column_is_so_in_the_recipe_too(loaded: PreprocessTab, session: Session) -> None:
    remove = session.registry.filters.get("remove-attributes")
    session.set_recipe((remove(columns=("age", "size")),), "Add step")
    loaded._changes.rename("age", "years")
    assert session.recipe[0].values()["columns"] == ("years", "size")
    loaded._changes.remove(["size"])
    assert session.recipe[0].values()["columns"] == ("years",)
    session.undo_stack.undo()
    assert session.recipe[0].values()["columns"] == ("years", "size") and "size" in names(session)


def test_attributes_are_removed_and_come_back(loaded: PreprocessTab, session: Session) -> None:
    choose_row(loaded, 1)
    press_key(loaded, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press_key(loaded, Qt.Key.Key_Delete)
    assert names(session) == ["id", "risk"]
    assert session.undo_stack.undoText() == wording.UNDO_REMOVE_2
    session.undo_stack.undo()
    assert names(session) == ["id", "age", "size", "risk"]
    choose_row(loaded, 0)
    choose_entry(loaded, "preprocess.remove")
    assert names(session) == ["age", "size", "risk"]


def test_the_last_columns_stay(loaded: PreprocessTab, session: Session) -> None:
    choose_row(loaded, 0)
    press_key(loaded, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press_key(loaded, Qt.Key.Key_Delete)
    assert len(names(session)) == 4 and loaded.attributes.notice.isVisible()


def test_use_is_switched_by_mouse_and_by_space(loaded: PreprocessTab, session: Session) -> None:
    choose_row(loaded, 1, AttributesColumn.USED)
    assert session.data is not None and session.data.schema.attributes[1].used is False
    assert session.undo_stack.undoText() == wording.UNDO_LEAVE_OUT
    choose_row(loaded, 1)
    press_key(loaded, Qt.Key.Key_Space)
    assert session.data.schema.attributes[1].used is True
    choose_row(loaded, 3)
    press_key(loaded, Qt.Key.Key_Space)
    assert session.data.schema.attributes[3].used is True


def test_the_class_is_chosen(loaded: PreprocessTab, session: Session) -> None:
    choose_row(loaded, 2)
    choose_entry(loaded, "preprocess.class")
    assert session.data is not None and session.data.schema.class_attribute.name == "size"
    assert part(loaded, QComboBox, "preprocess.predict").currentText() == "size"
    session.undo_stack.undo()
    assert session.data.schema.class_attribute.name == "risk"


def test_a_numeric_class_says_what_is_needed_and_does_it(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    choose_row(loaded, 1)
    choose_entry(loaded, "preprocess.class")
    bar = loaded.class_bar
    assert bar.isVisible() and wording.MUST_BE_CLASSES in bar.accessibleName()
    wait_until(lambda: wording.FIVE_DIFFERENT_NUMBERS in bar.accessibleName())
    press(loaded, "preprocess.predict.nominal")
    assert kinds(session)[1] == "nominal"
    assert bar.isVisible() and bar.findChild(QPushButton, "preprocess.predict.onward").isVisible()


def test_the_badge_counts_the_class_that_the_bar_warns_of(stage: Stage, wait_until: Wait) -> None:
    """The bar said that the class must have few values while the badge said that there is no warning."""
    window = stage.window(1280, 720)
    session = window.session
    session.set_document(shirts().with_class("age"))
    wait_until(lambda: bool(window.warnings.warnings))
    [warning] = window.warnings.warnings
    assert plain(warning.sentence) == window.findChild(PreprocessTab).class_bar.accessibleName()
    session.undo_stack.clear()
    session.set_document(shirts())
    wait_until(lambda: not window.warnings.warnings)


def test_a_numeric_attribute_is_only_proposed_as_the_class_with_what_it_takes(
    tab: PreprocessTab, session: Session
) -> None:
    numbers = Schema((numeric("age"), numeric("price")))
    session.set_document(Dataset(numbers, [np.arange(20.0), np.arange(20.0) % 7]))
    assert tab.class_bar.accessibleName() == wording.NONE_NOMINAL
    press(tab, "preprocess.predict.accept")
    assert session.data is not None and session.data.schema.class_attribute.name == "price"
    assert tab.class_bar.findChild(QPushButton, "preprocess.predict.ranges").isVisible()


def test_without_a_class_the_question_stands_with_the_best_guess(tab: PreprocessTab, session: Session) -> None:
    session.set_document(shirts().with_class(None))
    assert part(tab, QComboBox, "preprocess.predict").currentText() == "risk"
    press(tab, "preprocess.predict.accept")
    assert session.data is not None and session.data.schema.class_attribute.name == "risk"
    assert tab.class_bar.findChild(QPushButton, "preprocess.predict.onward").isVisible(), "the way on"


def test_the_gain_of_the_attributes_is_that_of_the_ranking_and_sorts_on_request(stage: Stage, wait_until: Wait) -> None:
    """The list had no figure of relevance, and mock-ups lead with one."""
    window = stage.window(1440, 900)
    window.open_sample("breast-cancer")
    tab = window.findChild(PreprocessTab)
    wait_until(lambda: window.findChild(PreprocessTab) is not None)
    tab = window.findChild(PreprocessTab)
    model, view, column = tab.attributes.model, tab.attributes.view, int(AttributesColumn.GAIN)
    wait_until(lambda: model.rowCount() == 31)
    header, rows = view.horizontalHeader(), view.verticalHeader()
    assert not view.isColumnHidden(column), "its place is there before it is computed"
    widths = [view.columnWidth(part) for part in AttributesColumn]
    wait_until(lambda: model.dataset is not None and model.highest_gain > 0 and not model.without_gain())
    assert [view.columnWidth(part) for part in AttributesColumn] == widths
    data = model.dataset
    scores = SelectAttributes().judged(data, RunContext())
    shown = {model.names[row]: model.gain(row) for row in range(31)}
    assert shown == pytest.approx({**dict(zip(scores.names, scores.scores.tolist(), strict=True)), "Diagnosis": None})
    place = QPoint(header.sectionViewportPosition(column) + 20, 8)
    for expected in (np.argsort(-scores.scores, kind="stable"), np.argsort(scores.scores, kind="stable"), range(30)):
        QTest.mouseClick(header.viewport(), LEFT, pos=place)
        order = [rows.logicalIndex(i) for i in range(31)]
        gains = [shown[model.names[row]] for row in order if row < 30]
        assert gains == pytest.approx([scores.scores[i] for i in expected])
    view.sort_by(column)
    first = rows.logicalIndex(0)
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(model.index(first, AttributesColumn.NAME)).center())
    assert tab.attributes.current == first
    window.session.edit("Predict nothing", data.with_class(None))
    wait_until(lambda: view.isColumnHidden(column))


@pytest.mark.usefixtures("facts_of_age")
def test_the_histogram_and_its_table_show_the_chosen_attribute(loaded: PreprocessTab, wait_until: Wait) -> None:
    plot = loaded.findChild(QWidget, "preprocess.histogram")
    assert plot is not None
    wait_until(plot.isVisible)
    assert plot.accessibleDescription().startswith(wording.HISTOGRAM_DESCRIBED)
    assert "low" in part(loaded, QLabel, "preprocess.legend").text()
    choose_entry(loaded, "preprocess.as-table")
    table = part(loaded, QTableView, "preprocess.counts")
    assert table.isVisible() and table.model().index(0, 3).data() == "8"
    save = part(loaded, QAbstractButton, "preprocess.save")
    offered = {action.text(): action for action in save.menu().actions()}
    assert {wording.SAVE_PICTURE, wording.SAVE_CSV} <= set(offered)
    offered["Copy table"].trigger()
    assert QApplication.clipboard().text().startswith(wording.COPIED_COUNTS)


def test_going_to_another_attribute_and_at_once_back_leaves_what_is_told_of_the_first(
    loaded: PreprocessTab, facts_of_age: QLabel
) -> None:
    choose_row(loaded, 0)
    assert facts_of_age.text() == "identifier"
    choose_row(loaded, 1)
    assert facts_of_age.text() == wording.numeric_from_to(20, 24)


def test_numbers_stay_in_their_place_while_a_cell_is_edited(
    loaded: PreprocessTab, facts_of_age: QLabel, session: Session, wait_until: Wait
) -> None:
    numbers = part(loaded, QWidget, "preprocess.statistics")
    before = numbers.findChildren(QLabel)
    assert session.data is not None
    session.edit("Edit age", session.data.with_cells(1, [0], [30.0]))
    assert facts_of_age.text() == wording.numeric_from_to(20, 24), "what was known stands until more is"
    wait_until(lambda: facts_of_age.text() == wording.numeric_from_to(20, 30))
    assert numbers.findChildren(QLabel) == before
    choose_row(loaded, 0)
    wait_until(lambda: facts_of_age.text() == wording.IDENTIFIER_OF_40)
    assert [label for label in numbers.findChildren(QLabel) if label.isVisible()] != before


def test_a_histogram_is_drawn_once_for_an_edit_and_anew_for_another_positive_class(
    loaded: PreprocessTab, facts_of_age: QLabel, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    plot, drawn = loaded.findChild(HistogramPlot), list[int]()
    assert plot is not None and session.data is not None
    draw = plot.show_histogram

    def counted(name: str, shown: Histogram, interest: int = -1) -> None:
        drawn.append(interest)
        draw(name, shown, interest)

    monkeypatch.setattr(plot, "show_histogram", counted)
    code = session.class_of_interest
    session.edit("Edit age", session.data.with_cells(1, [0], [30.0]))
    wait_until(lambda: facts_of_age.text() == wording.numeric_from_to(20, 30))
    assert drawn == [code]
    session.set_class_of_interest(1 - code)
    wait_until(lambda: drawn == [code, 1 - code])


@pytest.mark.usefixtures("facts_of_age")
def test_in_a_low_pane_the_numbers_stand_beside_the_plot_and_nothing_is_scrolled_to(
    loaded: PreprocessTab, wait_until: Wait
) -> None:
    numbers = part(loaded, QWidget, "preprocess.statistics")
    pane = loaded.attribute
    scroll = pane.findChildren(FittingScroll)[0]
    for height, is_beside in ((900, False), (520, True), (900, False)):
        loaded.resize(1280, height)
        wait_until(lambda is_beside=is_beside: (numbers.x() > pane.made_plot().x() + 100) is is_beside)
        wait_until(lambda: scroll.verticalScrollBar().maximum() == 0)
    loaded.resize(1280, 520)
    wait_until(lambda: numbers.x() > pane.made_plot().x() + 100)
    choose_entry(loaded, "preprocess.as-table")
    assert not numbers.isVisible(), "a table has the whole width"
    choose_entry(loaded, "preprocess.as-table")
    assert numbers.isVisible()


@pytest.mark.usefixtures("facts_of_age")
def test_a_pane_that_scrolls_ends_between_two_parts(
    loaded: PreprocessTab, wait_until: Wait, qapp: QApplication
) -> None:
    """The legend was cut inside a line, below a histogram of the least height."""
    pane, scroll = loaded.attribute, loaded.attribute.findChildren(FittingScroll)[0]
    themes.install(qapp, LIGHT_NAME, 1.5)
    try:

        def is_whole(shown: QWidget) -> bool:
            top, end = shown.mapTo(scroll.viewport(), QPoint(0, 0)).y(), scroll.viewport().height()
            return not shown.isVisible() or top + shown.height() <= end + SPACE_2 or top >= end - SPACE_2

        parts = pane._legend, part(loaded, QWidget, "preprocess.statistics")
        for height in range(420, 900, 16):
            loaded.resize(1280, height)
            wait_until(lambda: pane.made_plot().isVisible() and all(map(is_whole, parts)))
    finally:
        themes.install(qapp, LIGHT_NAME, 1.0)
        qapp.setStyleSheet("")


@pytest.mark.usefixtures("facts_of_age")
def test_the_axes_of_a_low_histogram_have_titles_beside_room_for_bars(
    loaded: PreprocessTab, wait_until: Wait, qapp: QApplication
) -> None:
    plot = loaded.attribute.made_plot()
    try:
        for scale in (1.0, 1.5):
            themes.install(qapp, LIGHT_NAME, scale)
            loaded.resize(1280, 480)
            wait_until(lambda scale=scale: plot.isVisible() and plot.height() >= 105 * scale)
            titles = [plot.getAxis(side).label for side in ("left", "bottom")]
            assert [title.toPlainText().strip() for title in titles] == ["Records", "age"]
            assert all(title.isVisible() for title in titles)
            upright = titles[0].sceneBoundingRect()
            assert upright.height() <= plot.getViewBox().sceneBoundingRect().height() + 2
    finally:
        themes.install(qapp, LIGHT_NAME)
        qapp.setStyleSheet("")


def test_also_long_numbers_stand_beside_the_plot_where_it_keeps_enough_room(
    tab: PreprocessTab, session: Session, stage: Stage, wait_until: Wait
) -> None:
    codes = np.arange(200) % 2
    schema = Schema((numeric("first"), nominal("class", ("no", "yes"))), 1)
    stage.open(session, Dataset(schema, [np.random.default_rng(3).normal(size=200).round(7), codes]))
    choose_row(tab, 0)
    numbers, pane = part(tab, QWidget, "preprocess.statistics"), tab.attribute
    tab.resize(1280, 530)
    wait_until(lambda: numbers.isVisible() and numbers.x() > pane.made_plot().x() + 100)
    wait_until(lambda: pane.findChildren(FittingScroll)[0].verticalScrollBar().maximum() == 0)


def test_text_has_no_histogram_but_examples(loaded: PreprocessTab, wait_until: Wait) -> None:
    choose_row(loaded, 0)
    facts = part(loaded, QLabel, "preprocess.attribute.facts")
    wait_until(lambda: facts.text() == wording.IDENTIFIER_OF_40)
    save = loaded.findChild(QAbstractButton, "preprocess.save")
    wait_until(lambda: not save.isVisible())
    words = [label.text() for label in part(loaded, QWidget, "preprocess.statistics").findChildren(QLabel)]
    assert "no 0, no 1, no 2, no 3" in words


def test_an_order_is_guessed_and_corrected(loaded: PreprocessTab, session: Session, wait_until: Wait) -> None:
    choose_row(loaded, 2)
    pick_kind(loaded, AttributeKind.ORDINAL)
    assert session.data is not None and session.data.schema.attributes[2].values == ("small", "medium", "large")
    choose(part(loaded, QComboBox, "preprocess.show"), 1)
    order = part(loaded, QListWidget, "preprocess.values")
    order.setCurrentRow(1)
    choose_entry(loaded, "preprocess.values.down")
    assert session.data.schema.attributes[2].values == ("small", "large", "medium")
    QTest.keyClick(order, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert session.data.schema.attributes[2].values == ("small", "medium", "large")
    assert order.currentItem().text() == "medium"


def test_sparklines_and_counts_arrive_for_what_is_on_the_screen(loaded: PreprocessTab, wait_until: Wait) -> None:
    model = loaded.attributes.model
    wait_until(lambda: not model.without_sparkline(range(4)))
    wait_until(lambda: model.index(1, AttributesColumn.DISTINCT).data() == "5")


@pytest.mark.parametrize("name", ["risk", "age"])
def test_the_small_histogram_of_a_numeric_class_has_bars_as_of_other_numbers(
    loaded: PreprocessTab, session: Session, wait_until: Wait, name: str
) -> None:
    """Its ranges were painted as shares, each in the colour of a class."""
    view, model, row = attributes(loaded), loaded.attributes.model, session.data.schema.index_of(name)
    if name == "age":
        loaded.class_bar.predict_asked.emit(name)
    wait_until(lambda: model.is_class(row) and not model.without_sparkline(range(4)))
    picture = view.viewport().grab(view.visualRect(model.index(row, AttributesColumn.SHAPE))).toImage()
    seen = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    assert ({class_color(code).name() for code in range(2)} <= seen) is (name == "risk")
    assert (current_theme().dim in seen) is (name == "age")


def test_ten_thousand_attributes_are_listed_and_only_the_visible_are_drawn(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    n = 10_000
    schema = Schema((*(numeric(f"attribute number {i} " + "x" * 60) for i in range(n - 1)), nominal("y", ["a"])), n - 1)
    session.set_document(Dataset(schema, [np.arange(3.0)] * (n - 1) + [[0, 0, 0]]))
    model, view = tab.attributes.model, attributes(tab)
    assert model.rowCount() == n
    wait_until(lambda: not model.without_sparkline(range(4)))
    assert model.without_sparkline(range(5000, 5101))
    view.setFocus()
    view.selectionModel().setCurrentIndex(
        model.index(0, AttributesColumn.NAME), QItemSelectionModel.SelectionFlag.ClearAndSelect
    )
    press_key(tab, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: not model.without_sparkline(range(n - 3, n - 1 + 1)))
    assert model.index(0, AttributesColumn.NAME).data(Qt.ItemDataRole.ToolTipRole).endswith("x" * 60)


def test_a_file_is_read_again_as_a_person_corrects_it(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("price;risk\n1,5;a\n2,25;b\nnone;a\n3,75;b\n", "utf-8")
    session.open_file(path)
    words = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: "semicolons" in words.text())
    press(tab, "preprocess.read_as.change")
    marks = part(tab, QLineEdit, "preprocess.missing")
    marks.setFocus()
    marks.selectAll()
    QTest.keyClicks(marks, "none")
    header = part(tab, QCheckBox, "preprocess.header")
    QTest.keyClick(header, Qt.Key.Key_Space)
    before = session.data
    press(tab, "preprocess.read_again")
    wait_until(lambda: session.data is not before)
    assert session.data is not None and len(session.data) == 5
    wait_until(lambda: wording.NO_ROW_OF_NAMES in words.text())


def test_the_decimal_mark_of_texts_in_a_workbook_is_chosen_and_its_numbers_and_dashes_stay(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "prices.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["amount", "size", "price", "grade"])
        for i in range(1, 61):
            price = "-" if i % 20 == 0 else i + 0.75
            size = "" if i == 7 else i + 0.25
            sheet.write_row(i, 0, [f"{i}.125", size, price, "-ab"[i % 3]])
    session.open_file(path)
    words = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: "Read as" in words.text())
    before = session.data
    assert before is not None and before.column("amount")[2] == 3.125
    assert io_wording.MISSING_IN_ONE_VALUE_IN_OTHER in before.origin.description
    assert "for missing" not in words.text(), "which a dash is in one column only"
    press(tab, "preprocess.read_as.change")
    choice = part(tab, QComboBox, "preprocess.decimal")
    assert choice.isVisible()
    choice.setFocus()
    QTest.keyClick(choice, Qt.Key.Key_Down)
    assert choice.currentData() == ","
    press(tab, "preprocess.read_again")
    wait_until(lambda: session.data is not before)
    data = session.data
    assert data is not None and data.column("amount")[2] == 3125.0
    assert data.column("size")[2] == 3.25
    assert np.isnan(data.column("price")).sum() == 3
    wait_until(lambda: "decimal comma" in words.text())


def test_records_show_the_class_in_its_place(loaded: PreprocessTab) -> None:
    view = part(loaded, QTableView, "preprocess.records")
    assert view.model().rowCount() == 40
    assert [view.model().index(1, c).data() for c in range(4)] == ["no 1", "21", "large", "high"]


def test_the_best_guess_is_confirmed_and_leads_on_to_classify(tab: PreprocessTab, session: Session) -> None:
    asked: list[str] = []
    session.tab_asked.connect(asked.append)
    session.set_document(shirts())
    assert wording.BEST_GUESS in tab.class_bar.accessibleName()
    choice = part(tab, QComboBox, "preprocess.predict")
    choice.setCurrentIndex(2)
    choice.activated.emit(2)
    assert session.data is not None and session.data.schema.class_attribute.name == "size"
    assert tab.class_bar.accessibleName() == wording.WANT_TO_PREDICT
    press(tab, "preprocess.predict.onward")
    assert asked == ["classify"]
    assert not tab.class_bar.isVisible()


def test_the_recipe_ends_with_the_way_on_once_the_class_is_settled(tab: PreprocessTab, session: Session) -> None:
    """No button led on to Classify after the question was answered."""
    asked: list[str] = []
    session.tab_asked.connect(asked.append)
    onward = part(tab, QPushButton, "preprocess.onward")
    place = onward.geometry()
    session.set_document(shirts())
    assert not onward.isVisible(), "the question offers it"
    press(tab, "preprocess.predict.fine")
    assert onward.isVisible() and onward.property("part") == "accent" and onward.geometry() == place
    tab.open_ranking()
    assert onward.isVisible() and onward.property("part") == "quiet"
    tab.ranking.close_pane()
    tab.ranges.open("age")
    assert onward.property("part") == "quiet"
    tab.ranges.close_pane()
    assert onward.property("part") == "accent" and onward.geometry() == place
    onward.setFocus()
    QTest.keyClick(onward, Qt.Key.Key_Return)
    assert asked == ["classify"]
    session.edit("Predict nothing", shirts().with_class(None))
    assert not onward.isVisible()


def test_once_something_is_learned_it_is_not_asked_any_more_what_to_predict(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    session.set_document(shirts())
    assert tab.class_bar.isVisible()
    session.start_run(ZeroR(), CrossValidation(folds=3))
    wait_until(lambda: not session.runs[0].is_running)
    assert not tab.class_bar.isVisible()


def test_records_that_get_the_whole_tab_get_the_keyboard_of_what_made_room(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    session.set_document(shirts())
    activate(tab, wait_until)
    tab.attributes.view.setFocus()
    tab.records.expand.trigger()
    assert not tab.attributes.view.isVisible() and tab.records.view.hasFocus()
    tab.records.expand.trigger()
    assert tab.attributes.view.isVisible() and tab.records.view.hasFocus()


def test_all_attributes_that_a_search_lists_are_used_alone_or_ignored(loaded: PreprocessTab) -> None:
    session = loaded._session
    schema = session.data.schema
    name = schema.attributes[schema.predictors[0]].name
    search = part(loaded, QLineEdit, "preprocess.attributes.search")
    search.setText(name)
    n = sum(name.casefold() in other.casefold() for other in schema.names)
    before = session.undo_stack.count()
    press(loaded, "preprocess.attributes.only")
    used = [session.data.schema.attributes[index].name for index in session.data.schema.predictors]
    assert 1 <= len(used) <= n and all(name.casefold() in other.casefold() for other in used)
    assert session.undo_stack.count() == before + 1, "one edit, which one step undoes"
    session.undo_stack.undo()
    press(loaded, "preprocess.attributes.ignore")
    left = [session.data.schema.attributes[index].name for index in session.data.schema.predictors]
    assert left and not any(name.casefold() in other.casefold() for other in left)


@pytest.mark.parametrize("words", ["e", "no attribute has these letters"])
def test_a_search_says_above_the_list_how_many_it_lists_and_a_click_lists_all(
    loaded: PreprocessTab, words: str
) -> None:
    """In large text nothing said that a search hid attributes."""
    view, search = attributes(loaded), part(loaded, QLineEdit, "preprocess.attributes.search")
    every = part(loaded, QPushButton, "preprocess.attributes.all")
    assert not every.isVisible()
    search.setText(words)
    shown = [row for row in range(view.model().rowCount()) if not view.isRowHidden(row)]
    assert every.isVisible() and every.text().startswith(f"{len(shown)} of {view.model().rowCount()}")
    assert part(loaded, QPushButton, "preprocess.attributes.only").isVisible() is bool(shown)
    press(loaded, "preprocess.attributes.all")
    assert not search.text() and not every.isVisible()
    assert not any(map(view.isRowHidden, range(view.model().rowCount())))


def test_the_search_lists_the_attributes_whose_names_have_every_word(loaded: PreprocessTab, session: Session) -> None:
    view, search = attributes(loaded), part(loaded, QLineEdit, "preprocess.attributes.search")

    def listed() -> list[str]:
        return [name for row, name in enumerate(names(session)) if not view.isRowHidden(row)]

    QTest.keyClicks(search, "I")
    assert listed() == ["id", "size", "risk"]
    loaded._changes.rename("age", "idle")
    assert listed() == ["id", "idle", "size", "risk"], "a changed table is searched too"
    search.clear()
    assert listed() == names(session)


def test_distinct_values_stay_beside_short_names_in_larger_text_and_no_column_leaves_the_list(
    qapp: QApplication, loaded: PreprocessTab, wait_until: Wait
) -> None:
    themes.install(qapp, LIGHT_NAME)
    themes.set_scale(1.5)
    view = attributes(loaded)
    try:
        loaded.resize(1280, 620)
        wait_until(lambda: view.viewport().width() < 520)
        wait_until(lambda: view.horizontalScrollBar().maximum() > 0)

        def ends(column: AttributesColumn) -> int:
            return view.columnViewportPosition(column) + view.columnWidth(column)

        for column in (AttributesColumn.KIND, AttributesColumn.DISTINCT):
            assert ends(column) <= view.viewport().width(), column
        beyond = [column for column in AttributesColumn if ends(column) > view.viewport().width()]
        assert AttributesColumn.SHAPE in beyond and not any(map(view.isColumnHidden, beyond))
        assert all(view.columnViewportPosition(column) >= view.viewport().width() for column in beyond), "none is cut"
        view.horizontalScrollBar().setValue(view.horizontalScrollBar().maximum())
        assert view.horizontalScrollBar().value() and max(map(ends, AttributesColumn)) <= view.viewport().width()
    finally:
        themes.set_scale(1.0)
        qapp.setStyleSheet("")
