"""The Preprocess tab as a person uses it: with mouse and keys, widgets found by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
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

from algorithms.core.data import Dataset, Origin
from algorithms.core.schema import Attribute, Kind, Schema, nominal, numeric
from algorithms.evaluation.methods import CrossValidation
from algorithms.trees.zero_r import ZeroR
from tests.workbench.window_helpers import activate
from workbench.preprocess import changes
from workbench.preprocess.attributes_model import Part
from workbench.preprocess.tab import PreprocessTab
from workbench.session import Session

W = TypeVar("W", bound=QWidget)
Wait = Callable[..., None]

LEFT = Qt.MouseButton.LeftButton


def shirts() -> Dataset:
    schema = Schema(
        (
            Attribute("id", Kind.IDENTIFIER),
            numeric("age"),
            nominal("size", ["small", "large", "medium"]),
            nominal("risk", ["low", "high"]),
        ),
        3,
    )
    ids = np.array([f"no {i}" for i in range(40)], dtype=np.dtypes.StringDType(na_object=np.nan))
    ages = [float(20 + i % 5) for i in range(40)]
    return Dataset(schema, [ids, ages, [i % 3 for i in range(40)], [i % 2 for i in range(40)]], origin=Origin("shirts"))


@pytest.fixture
def session(qapp: QApplication) -> Iterator[Session]:
    made = Session()
    yield made
    assert made.jobs.shutdown()


@pytest.fixture
def tab(session: Session, wait_until: Wait) -> Iterator[PreprocessTab]:
    made = PreprocessTab(session)
    made.resize(1280, 800)
    made.show()
    QTest.qWait(0)
    yield made
    session.jobs.stop_all()
    made.close()
    made.deleteLater()


@pytest.fixture
def loaded(tab: PreprocessTab, session: Session, wait_until: Wait) -> PreprocessTab:
    session.set_document(shirts())
    wait_until(lambda: session.summary is not None)
    return tab


def find(tab: QWidget, kind: type[W], name: str) -> W:
    found = tab.findChild(kind, name)
    assert found is not None, name
    return found


def click(tab: QWidget, name: str) -> None:
    QTest.mouseClick(find(tab, QPushButton, name), LEFT)


def attributes(tab: QWidget) -> QTableView:
    return find(tab, QTableView, "preprocess.attributes")


def cell(view: QAbstractItemView, row: int, column: int) -> QPoint:
    return view.visualRect(view.model().index(row, column)).center()


def choose(tab: QWidget, row: int, column: int = Part.NAME) -> None:
    view = attributes(tab)
    QTest.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, cell(view, row, column))


def press(tab: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(attributes(tab), key, modifiers)


def pick_kind(tab: QWidget, kind: Kind) -> None:
    combo = find(tab, QComboBox, "preprocess.kind")
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
    assert not find(tab, QPushButton, "preprocess.add_step").isEnabled()
    press(tab, Qt.Key.Key_Delete)
    press(tab, Qt.Key.Key_Space)


def test_a_kind_is_changed_undone_and_redone(loaded: PreprocessTab, session: Session) -> None:
    choose(loaded, 1)
    pick_kind(loaded, Kind.NOMINAL)
    assert kinds(session)[1] == "nominal"
    assert session.undo_stack.undoText() == "Change kind of age to nominal"
    session.undo_stack.undo()
    assert kinds(session)[1] == "numeric"
    assert find(loaded, QComboBox, "preprocess.kind").currentData() == "numeric"
    session.undo_stack.redo()
    assert find(loaded, QComboBox, "preprocess.kind").currentData() == "nominal"


def test_a_kind_is_changed_with_the_keyboard_in_the_list(loaded: PreprocessTab, session: Session) -> None:
    choose(loaded, 1)
    press(loaded, Qt.Key.Key_Right)
    press(loaded, Qt.Key.Key_Return)
    menu = find(loaded, QMenu, "preprocess.kinds")
    assert menu.isVisible() and menu.activeAction().isChecked()
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert kinds(session)[1] == "nominal"


def test_a_click_on_a_kind_opens_the_kinds(loaded: PreprocessTab) -> None:
    choose(loaded, 2, Part.KIND)
    menu = find(loaded, QMenu, "preprocess.kinds")
    assert menu.isVisible()
    menu.close()


def test_an_impossible_kind_is_refused_in_place_and_nothing_changes(loaded: PreprocessTab, session: Session) -> None:
    choose(loaded, 2)
    pick_kind(loaded, Kind.NUMERIC)
    notice = loaded.attributes.notice
    assert notice.isVisible() and "'small'" in notice.text
    assert kinds(session)[2] == "nominal" and not session.undo_stack.canUndo()
    assert find(loaded, QComboBox, "preprocess.kind").currentData() == "nominal"
    pick_kind(loaded, Kind.TEXT)
    assert not notice.isVisible() and kinds(session)[2] == "text"


def test_a_large_column_is_changed_in_a_job(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "SMALL", 10)
    session.set_document(shirts())
    choose(tab, 1)
    pick_kind(tab, Kind.NOMINAL)
    assert kinds(session)[1] == "numeric"
    wait_until(lambda: kinds(session)[1] == "nominal")
    pick_kind(tab, Kind.DATE)
    wait_until(lambda: tab.attributes.notice.isVisible())
    assert kinds(session)[1] == "nominal"


def test_a_change_in_a_job_lands_on_what_was_edited_meanwhile(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "SMALL", 10)
    session.set_document(shirts())
    choose(tab, 1)
    pick_kind(tab, Kind.NOMINAL)
    session.edit("Predict nothing", shirts().with_class(None))
    wait_until(lambda: kinds(session)[1] == "nominal")
    assert session.data is not None and session.data.schema.class_index is None


def test_an_attribute_is_renamed_in_place(loaded: PreprocessTab, session: Session, wait_until: Wait) -> None:
    choose(loaded, 1)
    press(loaded, Qt.Key.Key_F2)
    editor = find(loaded, QLineEdit, "preprocess.name")
    assert editor.text() == "age"
    editor.selectAll()
    QTest.keyClicks(editor, "years of age")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait_until(lambda: names(session)[1] == "years of age")
    assert attributes(loaded).state() is QAbstractItemView.State.NoState
    assert session.undo_stack.undoText() == "Rename age to years of age"
    session.undo_stack.undo()
    assert names(session)[1] == "age"


def test_a_name_that_is_taken_is_refused(loaded: PreprocessTab, session: Session, wait_until: Wait) -> None:
    choose(loaded, 1)
    click(loaded, "preprocess.rename")
    editor = find(loaded, QLineEdit, "preprocess.name")
    editor.selectAll()
    QTest.keyClicks(editor, "risk")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait_until(lambda: loaded.attributes.notice.isVisible())
    assert names(session)[1] == "age"
    assert "Another column is named 'risk'" in loaded.attributes.notice.text


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
    choose(loaded, 1)
    press(loaded, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(loaded, Qt.Key.Key_Delete)
    assert names(session) == ["id", "risk"]
    assert session.undo_stack.undoText() == "Remove 2 attributes"
    session.undo_stack.undo()
    assert names(session) == ["id", "age", "size", "risk"]
    choose(loaded, 0)
    click(loaded, "preprocess.remove")
    assert names(session) == ["age", "size", "risk"]


def test_the_last_columns_stay(loaded: PreprocessTab, session: Session) -> None:
    choose(loaded, 0)
    press(loaded, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    press(loaded, Qt.Key.Key_Delete)
    assert len(names(session)) == 4 and loaded.attributes.notice.isVisible()


def test_use_is_switched_by_mouse_and_by_space(loaded: PreprocessTab, session: Session) -> None:
    choose(loaded, 1, Part.USED)
    assert session.data is not None and session.data.schema.attributes[1].used is False
    assert session.undo_stack.undoText() == "Leave out age"
    choose(loaded, 1)
    press(loaded, Qt.Key.Key_Space)
    assert session.data.schema.attributes[1].used is True
    choose(loaded, 3)
    press(loaded, Qt.Key.Key_Space)
    assert session.data.schema.attributes[3].used is True


def test_the_class_is_chosen(loaded: PreprocessTab, session: Session) -> None:
    choose(loaded, 2)
    click(loaded, "preprocess.class")
    assert session.data is not None and session.data.schema.class_attribute.name == "size"
    assert find(loaded, QComboBox, "preprocess.predict").currentText() == "size"
    session.undo_stack.undo()
    assert session.data.schema.class_attribute.name == "risk"


def test_a_numeric_class_says_what_is_needed_and_does_it(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    choose(loaded, 1)
    click(loaded, "preprocess.class")
    bar = loaded.class_bar
    assert bar.isVisible() and "must be one of a few classes" in bar.accessibleName()
    wait_until(lambda: "5 different numbers" in bar.accessibleName())
    click(loaded, "preprocess.predict.nominal")
    assert kinds(session)[1] == "nominal"
    assert not bar.isVisible()


def test_without_a_class_the_question_stands_with_the_best_guess(tab: PreprocessTab, session: Session) -> None:
    session.set_document(shirts().with_class(None))
    assert find(tab, QComboBox, "preprocess.predict").currentText() == "risk"
    click(tab, "preprocess.predict.accept")
    assert session.data is not None and session.data.schema.class_attribute.name == "risk"
    assert not tab.class_bar.isVisible()


def test_the_histogram_and_its_table_show_the_chosen_attribute(loaded: PreprocessTab, wait_until: Wait) -> None:
    choose(loaded, 1)
    facts = find(loaded, QLabel, "preprocess.attribute.facts")
    wait_until(lambda: facts.text() == "numeric · 20 to 24")
    plot = loaded.findChild(QWidget, "preprocess.histogram")
    assert plot is not None
    wait_until(plot.isVisible)
    assert plot.accessibleDescription().startswith("Histogram of age: 5 values, coloured by 2 classes.")
    assert "low" in find(loaded, QLabel, "preprocess.legend").text()
    click(loaded, "preprocess.show.table")
    table = find(loaded, QTableView, "preprocess.counts")
    assert table.isVisible() and table.model().index(0, 3).data() == "8"
    click(loaded, "preprocess.copy")
    assert QApplication.clipboard().text().startswith("Value\tlow\thigh\tAll\n20\t4\t4\t8")
    save = find(loaded, QPushButton, "preprocess.save")
    offered = {action.text(): action for action in save.menu().actions()}
    assert {"Save picture (PNG)...", "Save drawing (SVG)...", "Save table (CSV)..."} <= set(offered)
    offered["Copy table"].trigger()
    assert QApplication.clipboard().text().startswith("Value\tlow\thigh\tAll\n20\t4\t4\t8\n")


def test_numbers_stay_in_their_place_while_a_cell_is_edited(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    choose(loaded, 1)
    facts = find(loaded, QLabel, "preprocess.attribute.facts")
    wait_until(lambda: facts.text() == "numeric · 20 to 24")
    numbers = find(loaded, QWidget, "preprocess.statistics")
    before = numbers.findChildren(QLabel)
    assert session.data is not None
    session.edit("Edit age", session.data.with_cells(1, [0], [30.0]))
    assert facts.text() == "numeric · 20 to 24", "what was known stands until more is"
    wait_until(lambda: facts.text() == "numeric · 20 to 30")
    assert numbers.findChildren(QLabel) == before
    choose(loaded, 0)
    wait_until(lambda: facts.text() == "identifier · 40 different")
    assert [label for label in numbers.findChildren(QLabel) if label.isVisible()] != before


def test_text_has_no_histogram_but_examples(loaded: PreprocessTab, wait_until: Wait) -> None:
    choose(loaded, 0)
    facts = find(loaded, QLabel, "preprocess.attribute.facts")
    wait_until(lambda: facts.text() == "identifier · 40 different")
    assert not find(loaded, QPushButton, "preprocess.show.plot").isEnabled()
    words = [label.text() for label in find(loaded, QWidget, "preprocess.statistics").findChildren(QLabel)]
    assert "no 0, no 1, no 2, no 3" in words


def test_an_order_is_guessed_and_corrected(loaded: PreprocessTab, session: Session, wait_until: Wait) -> None:
    choose(loaded, 2)
    pick_kind(loaded, Kind.ORDINAL)
    assert session.data is not None and session.data.schema.attributes[2].values == ("small", "medium", "large")
    click(loaded, "preprocess.show.values")
    order = find(loaded, QListWidget, "preprocess.values")
    order.setCurrentRow(1)
    click(loaded, "preprocess.values.down")
    assert session.data.schema.attributes[2].values == ("small", "large", "medium")
    QTest.keyClick(order, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert session.data.schema.attributes[2].values == ("small", "medium", "large")
    assert order.currentItem().text() == "medium"


def test_sparklines_and_counts_arrive_for_what_is_on_the_screen(loaded: PreprocessTab, wait_until: Wait) -> None:
    model = loaded.attributes.model
    wait_until(lambda: not model.without_sparkline(0, 3))
    wait_until(lambda: model.index(1, Part.DISTINCT).data() == "5")


def test_ten_thousand_attributes_are_listed_and_only_the_visible_are_drawn(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    n = 10_000
    schema = Schema((*(numeric(f"attribute number {i} " + "x" * 60) for i in range(n - 1)), nominal("y", ["a"])), n - 1)
    session.set_document(Dataset(schema, [np.arange(3.0)] * (n - 1) + [[0, 0, 0]]))
    model, view = tab.attributes.model, attributes(tab)
    assert model.rowCount() == n
    wait_until(lambda: not model.without_sparkline(0, 3))
    assert model.without_sparkline(5000, 5100)
    view.setFocus()
    view.selectionModel().setCurrentIndex(model.index(0, Part.NAME), QItemSelectionModel.SelectionFlag.ClearAndSelect)
    press(tab, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: not model.without_sparkline(n - 3, n - 1))
    assert model.index(0, Part.NAME).data(Qt.ItemDataRole.ToolTipRole).endswith("x" * 60)


def find_chooser(tab: PreprocessTab) -> tuple[QLineEdit, QListWidget]:
    return find(tab, QLineEdit, "preprocess.filters.search"), find(tab, QListWidget, "preprocess.filters.list")


def listed(steps: QListWidget) -> list[str]:
    """The steps that are offered, without the headings."""
    items = [steps.item(at) for at in range(steps.count())]
    return [item.text() for item in items if item.flags() & Qt.ItemFlag.ItemIsEnabled]


def test_step_that_is_called_so_comes_before_those_that_only_mention_it(loaded: PreprocessTab) -> None:
    QTest.mouseClick(find(loaded, QPushButton, "preprocess.add_step"), Qt.MouseButton.LeftButton)
    search, steps = find_chooser(loaded)
    everything = listed(steps)
    QTest.keyClicks(search, "balance")
    assert steps.currentItem().text() == "Balance the classes" == listed(steps)[0]
    assert len(listed(steps)) > 1
    search.clear()
    assert listed(steps) == everything


def test_steps_are_walked_through_by_keys_and_taken_by_a_click(loaded: PreprocessTab, session: Session) -> None:
    QTest.mouseClick(find(loaded, QPushButton, "preprocess.add_step"), Qt.MouseButton.LeftButton)
    search, steps = find_chooser(loaded)
    first = steps.currentItem().text()
    QTest.keyClick(search, Qt.Key.Key_Down)
    assert steps.currentItem().text() != first and steps.currentItem().text() in listed(steps)
    QTest.keyClicks(search, "nothing of this kind")
    assert listed(steps) == []
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert session.recipe == ()
    search.selectAll()
    QTest.keyClicks(search, "robust median quartiles")
    assert listed(steps) == ["Scale numbers"]
    QTest.mouseClick(steps.viewport(), Qt.MouseButton.LeftButton, pos=steps.visualItemRect(steps.item(1)).center())
    assert [step.id for step in session.recipe] == ["scale"]


def test_a_step_is_judged_by_what_the_steps_before_it_make(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    rename, scale = (session.registry.filters.get(id) for id in ("rename-attribute", "scale"))
    session.set_recipe((rename(column="age", to="years"), scale(columns=("years",))), "Add steps")
    wait_until(lambda: session.summary is not None and session.summary_before(1) is not None)
    assert "years" in session.summary_before(1).schema and "age" in session.summary_before(0).schema
    assert not any("There is no column" in words.text() for words in loaded.recipe.findChildren(QLabel))
    keep = session.registry.filters.get("keep-attributes")
    session.set_recipe((keep(columns=("age",)),), "Keep one")
    wait_until(lambda: any(words.text() == "4 columns become 2." for words in loaded.recipe.findChildren(QLabel)))
    session.set_recipe((scale(columns=("years",)), rename(column="age", to="years")), "Turn them round")
    wait_until(lambda: any("no column 'years'" in words.text() for words in loaded.recipe.findChildren(QLabel)))


def test_a_step_that_refuses_the_data_says_so_on_its_card(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    scale = session.registry.filters.get("scale")
    numbers = session.data.with_column(1, session.data.schema.attributes[1], -np.arange(float(len(session.data))))
    session.set_document(numbers)
    session.set_recipe((scale(by="log", below_zero="refuse"),), "Add step")
    wait_until(lambda: any("no logarithm" in words.text() for words in loaded.recipe.findChildren(QLabel)))
    assert session.summary is not None


def test_a_step_is_added_switched_off_and_removed(loaded: PreprocessTab, session: Session) -> None:
    QTest.mouseClick(find(loaded, QPushButton, "preprocess.add_step"), Qt.MouseButton.LeftButton)
    search, steps = find_chooser(loaded)
    assert len(listed(steps)) == len(session.registry.filters)
    QTest.keyClicks(search, "fill missing")
    assert listed(steps) == ["Fill missing values"]
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert not steps.isVisible()
    assert [step.id for step in session.recipe] == ["replace-missing"]
    switch = find(loaded, QCheckBox, "preprocess.step.0.on")
    QTest.keyClick(switch, Qt.Key.Key_Space)
    assert session.recipe == () and loaded.recipe.n_steps == 1
    session.undo_stack.undo()
    assert [step.id for step in session.recipe] == ["replace-missing"] and loaded.recipe.n_steps == 1
    session.undo_stack.undo()
    assert session.recipe == () and loaded.recipe.n_steps == 0


def test_options_of_a_step_change_the_recipe(loaded: PreprocessTab, session: Session, wait_until: Wait) -> None:
    loaded.recipe.add(session.registry.filters.get("replace-missing"))
    combos = [c for c in loaded.recipe.findChildren(QComboBox) if c.objectName().startswith("preprocess.option.")]
    assert combos
    before = session.recipe
    QTest.keyClick(combos[0], Qt.Key.Key_Down)
    wait_until(lambda: session.recipe != before)
    assert session.undo_stack.undoText().startswith("Change options of step")
    session.undo_stack.undo()
    assert session.recipe == before


def test_a_file_is_read_again_as_a_person_corrects_it(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("price;risk\n1,5;a\n2,25;b\nnone;a\n3,75;b\n", "utf-8")
    session.open_file(path)
    words = find(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: "semicolons" in words.text())
    click(tab, "preprocess.read_as.change")
    marks = find(tab, QLineEdit, "preprocess.missing")
    marks.setFocus()
    marks.selectAll()
    QTest.keyClicks(marks, "none")
    header = find(tab, QCheckBox, "preprocess.header")
    QTest.keyClick(header, Qt.Key.Key_Space)
    before = session.data
    click(tab, "preprocess.read_again")
    wait_until(lambda: session.data is not before)
    assert session.data is not None and len(session.data) == 5
    wait_until(lambda: "no row of names" in words.text())


def test_records_show_the_class_in_its_place(loaded: PreprocessTab) -> None:
    view = find(loaded, QTableView, "preprocess.records")
    assert view.model().rowCount() == 40
    assert [view.model().index(1, c).data() for c in range(4)] == ["no 1", "21", "large", "high"]


def test_the_best_guess_is_confirmed_and_leads_on_to_classify(tab: PreprocessTab, session: Session) -> None:
    asked: list[str] = []
    session.tab_asked.connect(asked.append)
    session.set_document(shirts())
    assert "Best guess: risk (low, high)" in tab.class_bar.accessibleName()
    choice = find(tab, QComboBox, "preprocess.predict")
    choice.setCurrentIndex(2)
    choice.activated.emit(2)
    assert session.data is not None and session.data.schema.class_attribute.name == "size"
    assert tab.class_bar.accessibleName() == "You want to predict size (small, large, medium)."
    click(tab, "preprocess.predict.onward")
    assert asked == ["classify"]
    assert not tab.class_bar.isVisible()


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
    QTest.mouseClick(tab.records.expand, Qt.MouseButton.LeftButton)
    assert not tab.attributes.view.isVisible() and tab.records.view.hasFocus()
    QTest.mouseClick(tab.records.expand, Qt.MouseButton.LeftButton)
    assert tab.attributes.view.isVisible() and tab.records.view.hasFocus()
