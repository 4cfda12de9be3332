"""Steps for training records only, as a person adds and sees them, and what the rest of the window makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QLineEdit, QListWidget, QMenu, QPushButton, QTableView

from algorithms.core.filters import RecipeStep
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.filters.arrange_attributes import KeepAttributes
from algorithms.filters.balance_classes import BalanceClasses
from algorithms.filters.components import PrincipalComponents
from algorithms.filters.computed_columns import FormulaColumn
from algorithms.filters.scale import Scale
from algorithms.filters.step_effects import LONGEST_NAME, effect_on_columns, effect_on_records
from algorithms.filters.training_records import ClassWeights, SampleRecords
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from algorithms.text.names import shortened
from tests.expected_texts import filters as filters_wording
from tests.expected_texts import tabs_evaluate as tabs_evaluate_wording
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.window_helpers import type_path
from workbench.session.runs import learned_from
from workbench.session.session import Session
from workbench.tabs.classify.runs_model import sentence
from workbench.tabs.preprocess.attribute_edits import Changes
from workbench.tabs.preprocess.tab import PreprocessTab

Wait = Callable[..., None]


def loans(n: int = 90, n_bad: int = 15) -> Dataset:
    random = np.random.default_rng(1)
    codes = (np.arange(n) < n_bad).astype(int)
    schema = Schema((numeric("income"), numeric("age"), nominal("loan", ("good", "bad"))), 2)
    return Dataset(schema, [random.normal(codes, 1.0), random.normal(40, 9, n), codes], origin=DataOrigin("loans"))


@pytest.fixture
def tab(session: Session, wait_until: Wait) -> Iterator[PreprocessTab]:
    made = PreprocessTab(session)
    made.resize(1280, 800)
    made.show()
    session.set_document(loans())
    wait_until(lambda: session.summary is not None)
    yield made
    session.jobs.stop_all()
    made.close()
    made.deleteLater()


def effect_words(tab: PreprocessTab, step: int) -> str:
    found = tab.recipe.findChild(QLabel, f"preprocess.step.{step}.effect")
    return "" if found is None else found.text()


def test_a_balancing_step_is_found_by_typing_and_says_what_it_does(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    QTest.mouseClick(tab.findChild(QPushButton, "preprocess.add_step"), Qt.MouseButton.LeftButton)
    search = tab.findChild(QLineEdit, "preprocess.filters.search")
    QTest.keyClicks(search, "smote")
    names = tab.findChild(QListWidget, "preprocess.filters.list")
    assert [names.item(i).text() for i in range(names.count())] == [
        "Training records",
        BalanceClasses.name,
    ]
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert session.recipe == (BalanceClasses(),)
    wait_until(lambda: effect_words(tab, 0) == wording.GOOD_STAYS_BAD_GROWS_IN_LINE)
    card = tab.recipe.findChild(QLabel, "preprocess.step.0.effect")
    assert card.toolTip() == wording.GOOD_STAYS_BAD_GROWS
    assert any(words.text() == tabs_evaluate_wording.TRAINING_RECORDS_ONLY for words in tab.recipe.findChildren(QLabel))
    session.undo_stack.undo()
    assert session.recipe == ()


def test_each_step_shows_before_and_after(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    session.set_recipe((ClassWeights(), SampleRecords(share=40), Scale(by="range")), "steps")
    wait_until(lambda: effect_words(tab, 2) == wording.TWO_COLUMNS_CHANGE)
    assert effect_words(tab, 0) == wording.WEIGHTS_OF_TWO_CLASSES
    assert effect_words(tab, 1) == wording.BOTH_CLASSES_SHRINK
    assert "→ 0 to 1" in tab.recipe.findChild(QLabel, "preprocess.step.2.effect").toolTip()


def test_many_classes_are_told_by_the_rarest_and_the_most_frequent() -> None:
    codes = np.repeat(np.arange(6), [9, 8, 7, 6, 5, 4])
    data = Dataset(Schema((numeric("x"), nominal("c", tuple("uvwxyz"))), 1), [np.arange(39.0), codes])
    _, after = BalanceClasses().learn(data, RunContext(seed=1))
    effect = effect_on_records(data, after)
    assert effect.sentence == wording.CLASSES_GROW_TO_9
    assert effect.lines[5] == wording.CLASS_Z_GROWS
    _, weighed = ClassWeights().learn(data, RunContext(seed=1))
    assert effect_on_records(data, weighed).sentence == wording.WEIGHTS_BY_CLASS


def test_what_changes_in_a_column_is_told_column_by_column() -> None:
    data = loans().with_cells(0, [3, 4], [np.nan, np.nan])
    filled = data.with_column(0, data.schema.attributes[0], np.nan_to_num(data.column(0)))
    effect = effect_on_columns(data, filled, lambda: None)
    assert effect.sentence == filters_wording.missing_now(2, 0)
    assert len(effect.lines) == 1 and effect.lines[0].endswith(wording.MISSING_2_TO_0)
    assert effect_on_columns(data, data, lambda: None).sentence == "Nothing changes."
    gone = effect_on_columns(data, data.select_columns([1, 2]), lambda: None)
    assert gone.sentence == wording.columns_become(3, 2) and gone.lines == ("Gone: income",)


def test_columns_that_come_and_go_are_told_from_those_that_begin_alike() -> None:
    names = [f"temperature measured in the {when}" for when in ("morning", "evening", "night")]
    data = Dataset(Schema((*map(numeric, names), nominal("c", ("a", "b"))), 3), [np.zeros(2)] * 3 + [np.arange(2)])
    effect = effect_on_columns(data, data.select_columns([2, 3]), lambda: None)
    gone = effect.lines[0].removeprefix("Gone: ").split(", ")
    assert gone == [shortened(name, LONGEST_NAME, tuple(names)) for name in names[:2]]
    assert "morning" in gone[0] and "evening" in gone[1]


def test_the_ledger_says_that_a_step_was_for_training_records(session: Session, wait_until: Wait) -> None:
    session.set_document(loans(), (RecipeStep(BalanceClasses()),))
    session.start_run(C45(), CrossValidation(folds=3), 7)
    wait_until(lambda: session.current_run is not None and session.current_run.trained is not None)
    run = session.current_run
    assert run is not None and run.trained is not None and run.result is not None
    assert wording.AFTER_BALANCING in sentence(run)
    assert sorted(run.result.row_ids.tolist()) == list(range(90))


def test_the_records_of_a_tree_that_learned_from_balanced_ones_are_found_again(
    session: Session, wait_until: Wait
) -> None:
    session.set_document(loans(), (RecipeStep(BalanceClasses(by="smote")), RecipeStep(SampleRecords(share=80))))
    session.start_run(C45(), CrossValidation(folds=3), 7)
    wait_until(lambda: session.current_run is not None and session.current_run.trained is not None)
    run = session.current_run
    assert run is not None and run.trained is not None
    tree = run.trained.structure()
    assert isinstance(tree, Tree)
    found = learned_from(run, run.trained, run.data, RunContext(seed=99))
    assert np.bincount(found.class_codes).tolist() == tree.counts[0].tolist() == [60, 60]
    again = C45().fit(found, RunContext(seed=1)).structure()
    assert isinstance(again, Tree) and np.array_equal(again.counts, tree.counts)


def test_a_recipe_is_saved_as_a_script_where_that_kind_is_chosen(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    session.set_recipe((Scale(by="range"), BalanceClasses(by="smote", k=3)), "steps")
    path = tmp_path / "steps.py"
    tab.recipe.findChild(QMenu, "preprocess.recipe.menu").actions()[0].trigger()
    dialog = tab.recipe.findChild(QFileDialog, "file_dialog")
    assert any("*.py" in kind for kind in dialog.nameFilters())
    type_path(dialog, path, wait_until)
    wait_until(lambda: path.exists() and not session.jobs.running)
    compile(path.read_text("utf-8"), "steps", "exec")
    assert "straight(table['income']" in path.read_text("utf-8")


def test_a_recipe_is_saved_and_used_on_another_table(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    recipe = (Scale(by="range"), BalanceClasses(by="smote", k=3))
    session.set_recipe(recipe, "steps")
    path = tmp_path / "mine.coppice-recipe"
    menu = tab.recipe.findChild(QMenu, "preprocess.recipe.menu")
    menu.actions()[0].trigger()
    dialog = tab.recipe.findChild(QFileDialog, "file_dialog")
    type_path(dialog, path, wait_until)
    wait_until(lambda: path.exists() and not session.jobs.running)
    session.set_document(loans(40, 9))
    assert session.recipe == () and not menu.actions()[0].isEnabled()
    wait_until(lambda: tab.recipe.findChild(QFileDialog, "file_dialog") is None)
    menu.actions()[1].trigger()
    type_path(tab.recipe.findChild(QFileDialog, "file_dialog"), path, wait_until)
    wait_until(lambda: session.recipe == recipe)
    assert session.undo_stack.undoText() == wording.UNDO_USE_RECIPE
    session.undo_stack.undo()
    assert session.recipe == ()


def test_a_step_made_permanent_marks_the_table_and_is_undone_as_one(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    recipe = (Scale(by="range"), BalanceClasses(), KeepAttributes(columns=("age",)))
    session.set_recipe(recipe, "steps")
    before = session.data
    menu = tab.recipe.findChild(QMenu, "preprocess.step.0.menu")
    assert "Make permanent" not in [a.text() for a in tab.recipe.findChild(QMenu, "preprocess.step.1.menu").actions()]
    next(action for action in menu.actions() if action.text() == "Make permanent").trigger()
    wait_until(lambda: session.recipe == recipe[1:])
    assert session.data is not None and session.data.column(0).max() == 1.0 and len(session.data) == 90
    assert filters_wording.LEARNED_FROM_ALL in session.data.origin.marks[0]
    session.start_run(ZeroR(), CrossValidation(folds=3), 1)
    wait_until(lambda: session.current_run is not None and session.current_run.result is not None)
    run = session.current_run
    assert run is not None and run.result is not None and run.result.marks == session.data.origin.marks
    session.undo_stack.undo()
    assert session.data is before and session.recipe == recipe
    tab.recipe.make_permanent(2)
    wait_until(lambda: session.recipe == (BalanceClasses(),))
    assert session.data.schema.names == ("age", "loan")


def test_more_options_are_offered_only_where_one_of_them_counts(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    tab.recipe.add(BalanceClasses)
    more = tab.recipe.findChild(QPushButton, "preprocess.more")
    assert more.isHidden()  # its only further option is for SMOTE
    by = tab.recipe.findChild(QComboBox, "preprocess.option.by")
    QTest.keyClick(by, Qt.Key.Key_End)
    wait_until(lambda: not more.isHidden())
    QTest.keyClick(by, Qt.Key.Key_Home)
    wait_until(more.isHidden)
    wait_until(lambda: session.recipe == (BalanceClasses(),))


def test_a_renamed_column_is_so_in_formulas_of_the_recipe(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    session.set_recipe((FormulaColumn(formula="age / 2 + [income]"),), "steps")
    Changes(session, tab).rename("age", "years of age")
    formula = "[years of age] / 2 + [income]"
    assert session.recipe == (FormulaColumn(formula=formula),)
    session.undo_stack.undo()
    formula = "age / 2 + [income]"
    assert session.recipe == (FormulaColumn(formula=formula),)


def test_loadings_of_principal_components_are_seen_and_copied(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    session.set_recipe((PrincipalComponents(keep="number", components=2), ClassWeights()), "steps")
    wait_until(lambda: session.history.summaries.effect(1) is not None)
    entries = [tab.recipe.findChild(QAction, f"preprocess.step.{step}.found") for step in range(2)]
    assert [entry.isVisible() for entry in entries] == [True, False]
    entries[0].trigger()
    table = tab.recipe.findChild(QTableView, "preprocess.found.table")
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[0][0] == "Column" and lines[0][1].startswith(wording.FIRST_COMPONENT)
    assert [line[0] for line in lines[1:]] == ["income", "age"]
    assert abs(sum(float(line[1]) ** 2 for line in lines[1:]) - 1) < 0.01
    QTest.keyClick(table, Qt.Key.Key_Escape)
    wait_until(lambda: tab.recipe.findChild(QTableView, "preprocess.found.table") is None)
