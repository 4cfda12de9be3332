"""The steps of the recipe as a person finds, adds, sets and removes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTableView,
    QWidget,
)

from algorithms.core.filters import RecipeStep
from algorithms.filters.balance_classes import BalanceClasses
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.filters.select_attributes import SelectAttributes
from tests.expected_texts import core as core_wording
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.shirts import shirts
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, activate, choose_entry, click, part, small_data
from workbench.session.session import Session
from workbench.style.theme import LIGHT_NAME, SPACE_2, themes
from workbench.tabs.preprocess.recipe_pane import SAVED
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.widgets.buttons import switch
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.layouts import column_layout


@pytest.fixture
def loaded(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1280, 800)
    stage.open(session, shirts())
    return tab


def find_chooser(tab: PreprocessTab) -> tuple[QLineEdit, QListWidget]:
    return part(tab, QLineEdit, "preprocess.filters.search"), part(tab, QListWidget, "preprocess.filters.list")


def listed(steps: QListWidget) -> list[str]:
    """The steps that are offered, without the headings and the saved recipe."""
    items = [steps.item(at) for at in range(steps.count())]
    return [item.text() for item in items if item.flags() & Qt.ItemFlag.ItemIsEnabled and item.text() != SAVED]


def test_step_that_is_called_so_comes_before_those_that_only_mention_it(loaded: PreprocessTab) -> None:
    QTest.mouseClick(part(loaded, QPushButton, "preprocess.add_step"), Qt.MouseButton.LeftButton)
    search, steps = find_chooser(loaded)
    everything = listed(steps)
    QTest.keyClicks(search, "balance")
    assert steps.currentItem().text() == BalanceClasses.name == listed(steps)[0]
    assert len(listed(steps)) > 1
    search.clear()
    assert listed(steps) == everything


def test_steps_are_walked_through_by_keys_and_taken_by_a_click(loaded: PreprocessTab, session: Session) -> None:
    QTest.mouseClick(part(loaded, QPushButton, "preprocess.add_step"), Qt.MouseButton.LeftButton)
    search, steps = find_chooser(loaded)
    first = steps.currentItem().text()
    QTest.keyClick(search, Qt.Key.Key_Down)
    assert steps.currentItem().text() != first and steps.currentItem().text() in listed(steps)
    QTest.keyClicks(search, "nothing of this kind")
    assert listed(steps) == []
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert session.recipe == ()
    search.selectAll()
    QTest.keyClicks(search, "robust z-score")
    assert listed(steps) == [wording.NORMALIZE]
    QTest.mouseClick(steps.viewport(), Qt.MouseButton.LeftButton, pos=steps.visualItemRect(steps.item(1)).center())
    assert [step.id for step in session.recipe] == ["scale"]


def test_home_goes_to_the_first_step_below_its_heading(loaded: PreprocessTab) -> None:
    QTest.mouseClick(part(loaded, QPushButton, "preprocess.add_step"), Qt.MouseButton.LeftButton)
    _, steps = find_chooser(loaded)
    QTest.keyClick(steps, Qt.Key.Key_End)
    assert steps.currentItem().text() == SAVED
    QTest.keyClick(steps, Qt.Key.Key_Home)
    assert steps.currentItem().text() == listed(steps)[0]


def test_without_steps_it_says_what_that_means(loaded: PreprocessTab, session: Session) -> None:
    said = part(loaded, QLabel, "preprocess.recipe.without")
    assert said.isVisible() and "as it is" in said.text()
    session.set_recipe((Scale(),), "Add Scale numbers")
    assert not said.isVisible()
    session.undo_stack.undo()
    assert said.isVisible()


def test_the_class_is_offered_only_by_steps_that_take_it(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    filters, name = session.registry.filters, session.data.schema.class_attribute.name
    wait_until(lambda: session.summary is not None)
    for id, takes_it in (
        ("discretize", False),
        ("scale", False),
        ("keep-attributes", True),
        ("rename-attribute", True),
    ):
        session.set_recipe((filters.get(id)(),), "Add a step")
        wait_until(lambda: session.history.summaries.before(0) is not None)
        offered = loaded.recipe.columns_before(session.document.steps[0])
        assert (name in offered) is takes_it and {*offered, name} == set(session.data.schema.names)


def test_a_step_is_judged_by_what_the_steps_before_it_make(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    rename, scale = (session.registry.filters.get(id) for id in ("rename-attribute", "scale"))
    session.set_recipe((rename(column="age", to="years"), scale(columns=("years",))), "Add steps")
    wait_until(lambda: session.summary is not None and session.history.summaries.before(1) is not None)
    assert "years" in session.history.summaries.before(1).schema and "age" in session.history.summaries.before(0).schema
    assert not any(core_wording.no_column("years") in words.text() for words in loaded.recipe.findChildren(QLabel))
    keep = session.registry.filters.get("keep-attributes")
    session.set_recipe((keep(columns=("age",)),), "Keep one")
    wait_until(
        lambda: any(words.text() == wording.columns_become(4, 2) for words in loaded.recipe.findChildren(QLabel))
    )
    session.set_recipe((scale(columns=("years",)), rename(column="age", to="years")), "Turn them round")
    wait_until(
        lambda: any(core_wording.no_column("years") in words.text() for words in loaded.recipe.findChildren(QLabel))
    )


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
    QTest.mouseClick(part(loaded, QPushButton, "preprocess.add_step"), Qt.MouseButton.LeftButton)
    search, steps = find_chooser(loaded)
    assert len(listed(steps)) == len(session.registry.filters)
    QTest.keyClicks(search, "impute missing")
    assert listed(steps) == [ReplaceMissing.name]
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert not steps.isVisible()
    assert [step.id for step in session.recipe] == ["replace-missing"]
    switch = part(loaded, QCheckBox, "preprocess.step.0.on")
    QTest.keyClick(switch, Qt.Key.Key_Space)
    assert session.recipe == () and loaded.recipe.n_steps == 1
    session.undo_stack.undo()
    assert [step.id for step in session.recipe] == ["replace-missing"] and loaded.recipe.n_steps == 1
    session.undo_stack.undo()
    assert session.recipe == () and loaded.recipe.n_steps == 0


def test_what_is_done_to_a_step_that_is_switched_off_can_be_undone(loaded: PreprocessTab, session: Session) -> None:
    first, second = (session.registry.filters.get(id)() for id in ("replace-missing", "scale"))
    session.set_recipe((first, second), "Add steps")
    pane, both = loaded.recipe, (RecipeStep(first, on=False), RecipeStep(second))
    QTest.keyClick(part(loaded, QCheckBox, "preprocess.step.0.on"), Qt.Key.Key_Space)
    pane.move_step(0, 1)
    assert session.document.steps == tuple(reversed(both)) and session.recipe == (second,)
    pane.remove(1)
    assert session.document.steps == both[1:] and pane.n_steps == 1
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert session.document.steps == both and pane.n_steps == 2
    assert not part(loaded, QCheckBox, "preprocess.step.0.on").isChecked()


def test_a_step_that_is_switched_off_follows_its_column(loaded: PreprocessTab, session: Session) -> None:
    scale = session.registry.filters.get("scale")
    session.history.push("Steps", replace(session.document, steps=(RecipeStep(scale(columns=("age",)), on=False),)))
    loaded._changes.rename("age", "years")
    assert session.document.steps == (RecipeStep(scale(columns=("years",)), on=False),)
    session.undo_stack.undo()
    assert session.document.steps == (RecipeStep(scale(columns=("age",)), on=False),) and "age" in session.data.schema


def test_options_of_a_step_change_the_recipe(loaded: PreprocessTab, session: Session, wait_until: Wait) -> None:
    loaded.recipe.add(session.registry.filters.get("replace-missing"))
    combos = [c for c in loaded.recipe.findChildren(QComboBox) if c.objectName().startswith("preprocess.option.")]
    assert combos
    before = session.recipe
    QTest.keyClick(combos[0], Qt.Key.Key_Down)
    wait_until(lambda: session.recipe != before)
    assert session.undo_stack.undoText().startswith(wording.UNDO_CHANGE_STEP)
    session.undo_stack.undo()
    assert session.recipe == before


def test_adding_stays_in_sight_however_many_steps_there_are_and_none_chosen_says_what_is_meant(
    stage: Stage, wait_until: Wait
) -> None:
    window = stage.window(1280, 720)
    session = window.session
    stage.open(session, small_data(60))
    window.show_tab(0)
    steps = tuple(RecipeStep(session.registry.filters.get(id)()) for id in 2 * ("replace-missing", "scale"))
    best = SelectAttributes(number=1)
    session.history.push("Five steps", replace(session.history.needed, steps=(*steps, RecipeStep(best))))
    wait_until(lambda: session.history.summaries.effect(4) is not None)
    add = part(window, QPushButton, "preprocess.add_step")
    assert not add.visibleRegion().isEmpty() and add.visibleRegion().boundingRect().height() == add.height()
    click(add)
    chooser = part(window, QLineEdit, "preprocess.filters.search")
    QTest.keyClick(chooser, Qt.Key.Key_Escape)
    # what the last step found: which column stays, with its score
    choose_entry(window, "preprocess.step.4.found")
    table = part(window, QTableView, "preprocess.found.table")
    shown = [[table.model().index(row, column).data() for column in (0, 2)] for row in range(2)]
    assert shown == [["first", "yes"], ["second", "no"]]
    QTest.keyClick(table, Qt.Key.Key_Escape)
    window.findChild(PreprocessTab).recipe.toggle(4)
    wait_until(lambda: any(each.text() == wording.NONE_CHOSEN_IS_ALL for each in window.findChildren(QLabel)))


def test_a_step_is_added_right_below_the_steps_and_says_what_it_does_whole(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    tab = stage.show(PreprocessTab(session), 1400, 900, active=True)
    stage.open(session, small_data())
    session.set_recipe((Scale(),), "Scale")
    add, card = part(tab, QPushButton, "preprocess.add_step"), part(tab, QWidget, "preprocess.step.0")

    def between() -> int:
        return add.mapTo(tab, QPoint()).y() - card.mapTo(tab, card.rect().bottomLeft()).y()

    wait_until(lambda: 0 < between() < 40)
    assert Scale().sentence in [words.text() for words in card.findChildren(QLabel)]


def test_a_closed_step_is_one_line_and_opens_by_click_and_key(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    session.set_recipe((ReplaceMissing(), BalanceClasses()), "Add steps")
    cards = [part(loaded, QWidget, f"preprocess.step.{at}") for at in range(2)]
    line = cards[0].fontMetrics().height()
    assert all(card.sizeHint().height() < 2.5 * line for card in cards)
    assert not seen_sentence(loaded, ReplaceMissing.sentence)
    assert part(loaded, QLabel, "preprocess.step.0.name").text() == ReplaceMissing.name
    loaded.recipe.toggle(0)
    wait_until(lambda: seen_sentence(loaded, ReplaceMissing.sentence))
    assert not seen_sentence(loaded, BalanceClasses.sentence)
    QTest.keyClick(loaded.recipe._cards[0], Qt.Key.Key_Return)
    wait_until(lambda: loaded.recipe.opened is None)
    assert not seen_sentence(loaded, ReplaceMissing.sentence)
    QTest.mouseClick(loaded.recipe._cards[1], Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    wait_until(lambda: loaded.recipe.opened == 1 and seen_sentence(loaded, BalanceClasses.sentence))


def seen_sentence(tab: PreprocessTab, sentence: str) -> bool:
    return any(words.text() == sentence and words.isVisible() for words in tab.recipe.findChildren(QLabel))


def test_the_line_of_a_closed_step_shows_what_was_chosen_and_what_keeps_it_from_working(
    loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    scale = session.registry.filters.get("scale")
    session.set_recipe((scale(by="z-score"), scale(by="robust"), scale(columns=("no such",))), "Add steps")
    wait_until(lambda: session.history.summaries.before(2) is not None)
    details = [part(loaded, QLabel, f"preprocess.step.{at}.detail") for at in range(3)]
    options = {option.word: option.label for option in scale.parameter("by").options}
    for detail, changed in zip(details, (scale(by="z-score"), scale(by="robust")), strict=False):
        assert (options[changed.by] in detail.text()) or changed == scale()
    wait_until(lambda: details[2].property("tone") == "bad")
    assert details[2].text() == loaded.recipe._problem(session.document.steps[2])


def test_steps_are_turned_off_by_a_switch(loaded: PreprocessTab, session: Session) -> None:
    session.set_recipe((Scale(),), "Add a step")
    assert part(loaded, QCheckBox, "preprocess.step.0.on").property("part") == "switch"


def test_a_switch_shows_that_it_has_the_keyboard(qapp: QApplication, stage: Stage, wait_until: Wait) -> None:
    themes.install(qapp, LIGHT_NAME)
    try:
        control, other = switch(), QLineEdit()
        holder = QWidget()
        column_layout(other, control, inside=holder)
        activate(stage.show(holder, 100, 80), wait_until)
        other.setFocus()
        before = control.grab().toImage()
        control.setFocus(Qt.FocusReason.TabFocusReason)
        wait_until(lambda: control.hasFocus() and control.grab().toImage() != before)
    finally:
        qapp.setStyleSheet("")


def test_the_name_of_a_step_is_whole_beside_its_switch_in_larger_text(
    qapp: QApplication, loaded: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    themes.install(qapp, LIGHT_NAME)
    themes.set_scale(1.5)
    try:
        session.set_recipe((Scale(),), "Add a step")
        name = part(loaded, ElidedLabel, "preprocess.step.0.name")
        wait_until(lambda: name.shown() == wording.NORMALIZE)
    finally:
        themes.set_scale(1.0)
        qapp.setStyleSheet("")


def test_the_name_of_a_step_keeps_a_distance_from_its_switch(loaded: PreprocessTab, session: Session) -> None:
    """In large text "Normalize / standardize" touched its switch."""
    session.set_recipe((Scale(),), "Add a step")
    name, on = part(loaded, QLabel, "preprocess.step.0.name"), part(loaded, QCheckBox, "preprocess.step.0.on")
    card = part(loaded, QWidget, "preprocess.step.0")
    card.resize(card.minimumSizeHint().width(), card.height())
    card.layout().activate()
    assert on.geometry().left() - name.geometry().right() > SPACE_2
