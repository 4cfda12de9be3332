"""The palette finds learners, attributes, measures, pages, settings and actions by a few letters."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QMenu, QPushButton, QSpinBox, QTextBrowser, QWidget
from shiboken6 import delete

from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.methods.methods import CrossValidation, LeaveOneOut
from algorithms.filters.discretize import Discretize
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import app as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part
from workbench.app.command_palette import (
    HELP,
    LEAVE_OUT,
    MOST_IN_GROUP,
    CommandPalette,
    PaletteEntry,
    entries_of,
    letters_of,
    matching,
)
from workbench.app.main_window import MainWindow
from workbench.app.selection_bar import EXPLAIN_SELECTED
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.tabs.evaluate.confusion_pane import EXPLAIN_THESE, SELECT_ERRORS
from workbench.tabs.preprocess.recipe_pane import RecipePane
from workbench.tabs.preprocess.table.records_pane import RecordsPane
from workbench.tabs.preprocess.table.records_view import RecordsView
from workbench.tabs.visualize.explain.explain_page import WhatIfPane
from workbench.widgets.fields import RecordField


@pytest.fixture
def window(stage: Stage, wait_until: Wait) -> MainWindow:
    window = stage.window(1280, 720)
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    window.session.start_run(ZeroR(), CrossValidation(folds=3), 1)
    wait_until(lambda: not window.session.runs[0].is_running, 120)
    return window


def opened(window: MainWindow) -> CommandPalette:
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palettes = [palette for palette in window.findChildren(CommandPalette) if palette.isVisible()]
    assert len(palettes) == 1 and palettes[0].field.hasFocus()
    return palettes[0]


def run(window: MainWindow, words: str) -> None:
    palette = opened(window)
    QTest.keyClicks(palette.field, words)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()


def test_words_match_beginnings_then_parts_then_initials() -> None:
    names = ("Neural network", "Naive Bayes", "Bayesian network", "Branch and bound")
    entries = [PaletteEntry("Learners", name, lambda: None) for name in names]
    assert [entry.name for entry, _ in matching(entries, "bay")] == ["Bayesian network", "Naive Bayes"]
    assert [entry.name for entry, _ in matching(entries, "nb")] == [names[1]]
    assert not matching(entries, "nvb")
    assert matching(entries, "net neu") == [(entries[0], frozenset({0, 1, 2, 7, 8, 9}))]
    assert letters_of(["net", "neu"], entries[0]) == (7, [range(7, 10), range(3)])
    assert letters_of(["aiv"], entries[1]) == (101, [range(1, 4)])
    assert letters_of(["xyz"], entries[1]) is None and letters_of(["v"], entries[2]) is None


def test_a_key_with_thousands_of_attributes_fills_a_short_list(stage: Stage) -> None:
    words = ("age", "income", "width", "length", "mean", "radius", "score", "amount")
    entries = [
        PaletteEntry(group, f"{first} {second} {number}", lambda: None, "Preprocess, numeric")
        for group, n in (("Attributes", 80), ("Commands", 1), ("Runs", 1), ("Learners", 1), ("Measures", 1))
        for first in words
        for second in words
        for number in range(n)
    ]
    window = QWidget()
    stage.show(window, 900, 700)
    palette = CommandPalette(window, entries)
    for search in ("a", "am", "amo", "amou", "amount r", "wl", "t"):
        palette.field.setText(search)
        assert 6 < palette.list.count() <= 5 * (MOST_IN_GROUP + 1), "each row is painted at every key"


def first(window: MainWindow, words: str) -> PaletteEntry | None:
    """What Enter would run."""
    palette = opened(window)
    QTest.keyClicks(palette.field, words)
    item = palette.list.currentItem()
    palette.close()
    return None if item is None else item.data(Qt.ItemDataRole.UserRole)


def test_commands_and_pages_come_before_learners_and_measures() -> None:
    groups = ("Help", "Measures", "Learners", "Pages", "Commands")
    entries = [PaletteEntry(group, "Threshold", lambda: None) for group in groups]
    entries.append(PaletteEntry("Commands", "Rethreshold", lambda: None))
    assert [entry.group for entry, _ in matching(entries[:-1], "thre")] == [*reversed(groups[1:]), "Help"]
    assert matching([entries[2], entries[-1]], "thre")[0][0].group == "Learners"


def test_what_is_in_view_or_asked_for_often_is_matched_and_nothing_far_fetched(
    window: MainWindow, wait_until: Wait
) -> None:
    window.tabs.tab(2)
    assert first(window, "wyac") is None
    select = window.session.selection
    assert window.session.data is not None
    select.select(window.session.data, np.array([0]), by="test")
    names = {
        "invert": "Invert",
        "explain their": "Explain their predictions",
        "compare lea": "Compare learners",
        "threshold": "Use threshold",
    }
    names |= {"confusion": "Confusion matrix", "predict": wording.PREDICT_NEW_DATA}
    shown = {words: first(window, words) for words in names}
    assert {words: entry and entry.name for words, entry in shown.items()} == names


def test_errors_are_selected_and_what_if_is_shown_from_any_page(window: MainWindow, wait_until: Wait) -> None:
    session, selection = window.session, window.session.selection
    session.start_run(C45(), CrossValidation(folds=3), 1)
    wait_until(lambda: not session.runs[-1].is_running, 120)
    for tab in range(1, 4):
        window.tabs.tab(tab).complete()
    run(window, "error")
    result = session.runs[-1].result
    wait_until(lambda: selection.n_chosen > 0)
    assert result is not None and selection.n_chosen == int((result.decision != result.truth).sum())
    for words in ("what", "explain"):
        window.show_tab(0)
        window.tabs.tab(3)._pages.show_page("model")
        run(window, words)
        numbers = partial(window.findChildren, QSpinBox, "visualize.what-if.record")
        wait_until(lambda numbers=numbers: any(number.isVisible() for number in numbers()))
        banners = partial(window.findChildren, QLabel, "visualize.fold-model")  # of the model that erred on the first
        wait_until(lambda banners=banners: any(banner.isVisible() for banner in banners()))


def test_training_and_the_cheapest_threshold_are_found_on_every_page(stage: Stage, wait_until: Wait) -> None:
    """Both were offered on their own pages only, where their buttons are in view anyway."""
    window = stage.window(1280, 720)
    window.open_sample("breast-cancer")
    session = window.session
    wait_until(lambda: session.summary is not None, 60)
    judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))
    for index in range(4):
        window.show_tab(index)
        wait_until(lambda: not session.turns.is_busy)
        names = [entry.name for entry in entries(window, "train")]
        assert names.count("Train") == 1, index
        assert "Use threshold" in [entry.name for entry in entries(window, "use threshold")]
    run(window, "use threshold")
    wait_until(lambda: session.decisions.chosen(session.runs[0]) is not None)
    cheapest = session.decisions.chosen(session.runs[0])
    assert window.top.tabs.currentIndex() == 2 and isinstance(cheapest, AtThreshold)
    window.show_tab(0)
    run(window, "use threshold")
    wait_until(lambda: not session.jobs.running and not session.turns.is_busy)
    assert session.decisions.chosen(session.runs[0]) == cheapest, "it is in use already"
    run(window, "train")
    wait_until(lambda: len(session.runs) == 2)
    wait_until(lambda: not session.runs[1].is_running, 120)
    assert window.top.tabs.currentIndex() == 1


def test_nothing_is_listed_twice_alike(window: MainWindow, wait_until: Wait) -> None:
    """Two entries "Friedman · Evaluate, Compare" led to the same page, and two "Save picture" said not of what."""
    window.session.start_run(C45(), CrossValidation(folds=3), 1)
    wait_until(lambda: not window.session.runs[-1].is_running, 120)
    window.show_tab(2)
    window.tabs.tab(2).complete()
    for words in wording.LISTED_ONCE:
        listed = [(entry.group, entry.name, entry.hint) for entry in entries(window, words)]
        assert len(listed) == len(set(listed)), words
    window.show_tab(1)
    names = [entry.name for entry in entries(window, wording.SAVE_TEST_PREDICTIONS)]
    assert names.count(wording.SAVE_TEST_PREDICTIONS) == 1


def test_the_button_in_view_is_pressed(window: MainWindow, wait_until: Wait) -> None:
    window.show_tab(2)
    run(window, "all metrics")
    wait_until(window.tabs.tab(2).metrics.isVisible)


def test_the_confusion_matrix_is_shown_from_any_page(window: MainWindow, wait_until: Wait) -> None:
    run(window, "confusion matrix")
    wait_until(window.tabs.tab(2).confusion.view.isVisible)


def test_the_matrix_and_the_curve_are_shown_in_place_of_all_metrics(window: MainWindow, wait_until: Wait) -> None:
    """All metrics stayed in view, and Space selected records in the matrix behind them."""
    run(window, "evaluate")
    tab = window.tabs.tab(2)
    tab.complete()
    wait_until(lambda: tab.curve.isVisible() and not window.session.turns.is_busy)
    for words, shown in (("confusion matrix", tab.confusion.view), ("curve: roc", tab.curve)):
        tab.all_metrics.setChecked(True)
        assert not shown.isVisible()
        run(window, words)
        wait_until(shown.isVisible)
        assert not tab.all_metrics.isChecked() and not tab.metrics.isVisible()
    tab.all_metrics.setChecked(True)
    run(window, "confusion matrix")
    assert tab.confusion.view.hasFocus()
    tab.curve.larger.setChecked(True)
    run(window, "confusion matrix")
    assert tab.confusion.view.isVisible()


def test_learners_to_compare_are_ticked(window: MainWindow) -> None:
    run(window, "compare learners")
    learners = window.tabs.tab(1).learners
    assert window.tabs.tab(1).is_comparing
    learners.model.tick(())
    run(window, "random for")
    assert learners.model.ticked == {"random-forest"}
    QTest.keyClick(learners.view, Qt.Key.Key_Space)
    assert not learners.model.ticked


def test_every_kind_of_thing_is_listed_with_where_it_leads(window: MainWindow, wait_until: Wait) -> None:
    window.actions_.refresh()
    listed = entries_of(window.session, window.actions_.named, window.tabs, window.show_tab, window.help_window)
    entries = {(entry.group, entry.name): entry for entry in listed}
    assert entries["Pages", "Evaluate"].shortcut == "Ctrl+3"
    assert entries["Learners", C45.name].hint == wording.LEARNER_HINT
    assert entries["Runs", f"1 · {ZeroR.name}"].hint == wording.RUN_HINT
    assert entries["Attributes", "Petal Width"].hint == "Preprocess, numeric"
    assert entries["Measures", "Kappa"].hint == wording.ALL_METRICS
    assert entries["Settings", "Theme: dark"].shortcut == ""
    assert ("Runs", f"1 · {ZeroR.name}") in entries
    assert ("Help", "Cross-validation") in entries and ("Help", "Compare") in entries


FROM_CLASSIFY: Final = (
    ("discretize", "Steps", f"Add step: {Discretize.name}"),
    ("impute", "Steps", f"Add step: {ReplaceMissing.name}"),
    ("add step", "Steps", ""),
    ("leave-one", "Test methods", LeaveOneOut.name),
    ("confidence factor", "Options", "Confidence factor"),
    ("seed", "Options", "Random seed"),
    ("mcnemar", "Significance tests", ""),
    ("friedman", "Significance tests", "Friedman"),
    ("run 1", "Runs", ""),
    ("export", "Exports", ""),
)
"""Words, and the group and name of what they find; without a name, anything of the group."""


def test_what_sets_exports_and_tests_runs_is_found_from_classify(window: MainWindow) -> None:
    window.show_tab(1)
    window.tabs.tab(1).learners.take(C45)
    window.session.turns.finish()
    listed = list(entries_of(window.session, window.actions_.named, window.tabs, window.show_tab, window.help_window))
    missing = []
    for words, group, name in FROM_CLASSIFY:
        found = [entry.name for entry, _ in matching(listed, words) if entry.group == group]
        if not found or (name and name not in found):
            missing.append((words, group, name))
    assert missing == []


def test_a_step_a_method_and_an_option_are_reached_by_their_names(window: MainWindow) -> None:
    window.show_tab(1)
    window.tabs.tab(1).learners.take(C45)
    run(window, "leave-one")
    assert isinstance(window.tabs.tab(1).methods.value(), LeaveOneOut)
    run(window, "confidence factor")
    assert window.focusWidget().objectName() == "classify.option.confidence"
    run(window, "add step: discretize")
    assert [type(step) for step in window.session.recipe] == [Discretize]


def test_a_learner_and_an_attribute_are_chosen_by_keys_alone(window: MainWindow) -> None:
    run(window, "random for")
    assert window.top.tabs.currentIndex() == 1
    learner = window.tabs.tab(1).learner()
    assert learner is not None and learner.id == "random-forest"
    run(window, "petal wid")
    assert window.top.tabs.currentIndex() == 0
    assert window.tabs.tab(0).attributes.current == 3


def test_a_measure_leads_to_its_row(window: MainWindow, wait_until: Wait) -> None:
    run(window, "kappa")
    assert window.top.tabs.currentIndex() == 2
    metrics = window.tabs.tab(2).metrics
    wait_until(metrics.isVisible)
    assert metrics.item(metrics.currentRow(), 0).figure.text.startswith("Kappa")


def test_a_page_inside_a_tab_is_shown(window: MainWindow, wait_until: Wait) -> None:
    window.tabs.tab(2)
    run(window, "diagnostics")
    assert window.top.tabs.currentIndex() == 2
    assert window.tabs.tab(2).pages.view >= 3


def test_a_setting_is_changed_and_escape_returns_the_focus(window: MainWindow) -> None:
    themes.choose(LIGHT_NAME)
    run(window, "theme dark")
    assert themes.choice == DARK_NAME
    themes.choose(LIGHT_NAME)
    before = window.focusWidget()
    palette = opened(window)
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible() and window.focusWidget() is before


def test_the_palette_closes_though_what_had_the_focus_is_gone(window: MainWindow) -> None:
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    palette = opened(window)
    delete(field)
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    QTest.keyClick(opened(window).field, Qt.Key.Key_Escape)


def test_the_palette_and_the_search_keep_the_keyboard_while_a_page_fills(window: MainWindow, wait_until: Wait) -> None:
    for key in (Qt.Key.Key_3, Qt.Key.Key_2, Qt.Key.Key_1):
        QTest.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        palette = opened(window)
        wait_until(lambda: not window.session.turns.is_busy)
        assert palette.field.hasFocus()
        palette.close()
    palette = opened(window)
    window.show_tab(1)
    wait_until(lambda: not window.session.turns.is_busy)
    assert palette.field.hasFocus()
    palette.close()
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: not window.session.turns.is_busy)
    assert part(window, QLineEdit, "preprocess.find.text").hasFocus()


def commands(window: MainWindow) -> dict[str, PaletteEntry]:
    """The commands listed now, by name; the last of those of the same name."""
    listed = entries_of(window.session, window.actions_.named, window.tabs, window.show_tab, window.help_window)
    return {entry.name: entry for entry in listed if entry.group == "Commands"}


def test_the_commands_of_a_menu_inside_a_menu_are_offered_instead_of_its_name(window: MainWindow) -> None:
    window.show_tab(0)
    pane = window.tabs.tab(0).findChild(RecipePane)
    pane.add(window.session.registry.filters.get("discretize"))
    window.session.turns.finish()
    [inner] = [entry for entry in part(window, QMenu, "preprocess.recipe.menu").actions() if entry.menu() is not None]
    offered = commands(window)
    assert inner.text() not in offered
    entries = [
        entry.text().strip("….")
        for entry in inner.menu().actions()
        if entry.isEnabled() and entry.isVisible() and entry.text()
    ]
    assert entries and all(offered[name].hint == inner.text() for name in entries)


def test_the_conditions_to_remove_are_those_there_are(window: MainWindow) -> None:
    window.show_tab(0)
    records = window.tabs.tab(0).findChild(RecordsPane)
    records.open_filter()
    records.filter.add_condition(1)
    window.session.turns.finish()

    def removals() -> list[PaletteEntry]:
        return [entry for name, entry in commands(window).items() if name.startswith("Remove: ")]

    first, second = removals()
    first.act()
    [last] = removals()
    assert last.name == second.name
    first.act()
    last.act()
    assert removals() == [] and not records.filter.isVisible()


def test_a_help_topic_is_opened_at_its_heading(window: MainWindow, wait_until: Wait) -> None:
    run(window, "critical difference")
    help_window = window.help_window()
    wait_until(help_window.isVisible)
    assert help_window.findChild(QTextBrowser).textCursor().block().text().startswith("Critical difference")
    help_window.close()


def test_a_record_is_selected_and_shown_by_its_number(window: MainWindow, wait_until: Wait) -> None:
    selection, data = window.session.selection, window.session.data
    assert data is not None
    for words in ("record 120", "120", "#120"):
        window.show_tab(1)
        selection.clear()
        run(window, words)
        assert window.top.tabs.currentIndex() == 0, words
        assert np.flatnonzero(selection.mask_of(data)).tolist() == [119], words
        records = part(window, RecordsView, "preprocess.records")
        wait_until(lambda records=records: records.rowAt(0) <= 119 <= records.rowAt(records.viewport().height() - 1))
        records.scrollToTop()
    for nobody in ("record 151", "record"):
        assert not [entry for entry in entries(window, nobody) if entry.group == "Records"]


def entries(window: MainWindow, words: str) -> list[PaletteEntry]:
    """What the palette lists for these words."""
    palette = opened(window)
    palette.field.setText(words)
    items = [palette.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(palette.list.count())]
    palette.close()
    return [item for item in items if isinstance(item, PaletteEntry)]


OTHERWISE: Final = [
    *((words, {SELECT_ERRORS, "Confusion matrix"}) for words in ("wrong", "missed", "error", "mistakes")),
    *((f"false {kind}", {SELECT_ERRORS, "Confusion matrix"}) for kind in ("positive", "negative")),
    ("wrong", {EXPLAIN_SELECTED, EXPLAIN_THESE}),
    ("selected", {"Selected records", EXPLAIN_THESE, "Show in the table", "Clear selection"}),
    ("sensitivity", {"Recall (TPR)"}),
    *((words, {"Compare learners"}) for words in ("significant", "significance", "best learner")),
    *((words, {"Costs & threshold"}) for words in ("best threshold", "false alarm")),
    ("apply model", {wording.PREDICT_NEW_DATA}),
    *((words, {LEAVE_OUT}) for words in ("exclude", "ignore column")),
    ("why", {"Explain"}),
    ("confidence interval", {"Performance"}),
]
"""Words, and the actions that they find though these have other names."""


def test_actions_are_found_by_their_other_names(window: MainWindow, wait_until: Wait) -> None:
    for tab in range(1, 4):
        window.tabs.tab(tab).complete()
    run(window, "error")
    wait_until(lambda: window.session.selection.n_chosen > 0)
    window.session.turns.finish()
    number, missing = f"{window.session.selection.n_chosen} ", []
    for words, names in OTHERWISE:
        found = {entry.name.replace(number, "") for entry in entries(window, words) if entry.group != HELP}
        missing += [(words, name) for name in names - found]
    assert missing == []


PLAINLY: Final = {
    "predict": "Predict new data",
    "predictions": "Predict new data",
    "score": "Predict new data",
    "apply": "Predict new data",
    "save predictions": "Save test predictions",
    "warnings": "Warnings",
    "leak": "Warnings",
    "dark mode": "Theme: dark",
    "light mode": "Theme: light",
    "preferences": "Theme: as the system",
    "font size": "Larger text",
    "zoom out": "Smaller text",
    "export": "Export model: model file",
    "confusion": "Confusion matrix",
    "accuracy": "Accuracy",
    "roc": "AUC",
    "auc": "AUC",
    "importance": "Rank attributes",
    "what drives": "Attribute importance",
    "flip": "Explain",
    "mislabel": "Possible label errors",
    "wrong class": "Possible label errors",
    "disagree": "Compare",
    "overfit": "Learning curve",
    "train test split": "Holdout",
    "p-value": "Compare",
    "wrong predictions": SELECT_ERRORS,
    "filter records": "Filter records",
    "feature selection": "Add step: Select attributes",
    "what if": "Explain",
    "shap": "Explain",
    "missing values": "Add step: Impute missing values",
    "imbalanced": "Add step: Balance classes",
    "one hot": "Add step: Encode nominal attributes",
    "cost": "Costs & threshold",
    "delete column": "Leave out attributes",
    "load": "Open",
    "excel": "Open",
    "exit": "Close",
    "tutorial": "Guided run",
    "shortcuts": "Help",
    "version": "About Coppice",
    "t-test": "Corrected resampled t",
    "hyperparameters": "Tune",
    "j48": "C4.5 decision tree",
    "nearest neighbor": "k-nearest neighbours",
    "xgboost": "Gradient boosting",
}
"""What people type, and an entry that it finds."""


def test_words_that_people_type_find_what_they_mean(window: MainWindow) -> None:
    for tab in range(1, 4):
        window.tabs.tab(tab).complete()
    window.session.turns.finish()
    palette, missing = opened(window), {}
    for words, name in PLAINLY.items():
        palette.field.setText(words)
        items = [palette.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(palette.list.count())]
        names = [item.name for item in items if isinstance(item, PaletteEntry) and item.group != HELP]
        if not any(one.startswith(name) for one in names):
            missing[words] = names
    palette.close()
    assert missing == {}


def test_a_name_of_the_very_words_comes_before_other_words_for_something_else(window: MainWindow) -> None:
    palette = opened(window)
    names = {
        "light": "Theme: light",
        "cross validation": "Cross-validation",
        "bootstrap": "Bootstrap .632",
        "sample": "Add step: Sample records",
        "log": "Logistic regression",
        "font size": "Larger text",
        "zoom": "Larger text",
        "train": "Train",
        "tune": "Tune",
    }
    shown = {}
    for words in names:
        palette.field.setText(words)
        shown[words] = palette.list.currentItem().data(Qt.ItemDataRole.UserRole).name
    palette.close()
    assert {words: name.rstrip("+") for words, name in shown.items()} == names


def test_a_learner_comes_before_its_runs_however_much_of_its_name_is_typed(
    window: MainWindow, wait_until: Wait
) -> None:
    for learner in (C45(), NaiveBayes()):
        window.session.start_run(learner, CrossValidation(folds=3), 1)
    wait_until(lambda: not any(run.is_running for run in window.session.runs), 120)
    for words in ("Naive Bayes", "naive", "C4.5", "C4.5 dec", C45.name):
        groups = [entry.group for entry in entries(window, words) if entry.group in ("Learners", "Runs")]
        assert groups[0] == "Learners" and "Runs" in groups, words
    assert next(entry.group for entry in entries(window, "run 2")) == "Runs"


def test_a_recent_file_is_found_by_its_name_on_the_start_page(stage: Stage, tmp_path: Path) -> None:
    window = stage.window(1280, 720)
    path = tmp_path / "mushrooms.csv"
    path.write_text("a,b\n1,x\n2,y\n", encoding="utf-8")
    window.session.settings.remember_file(str(path))
    names = [entry.name for entry in entries(window, "mushr")]
    assert names == [wording.OPEN_RECENT_MUSHROOMS]


def test_the_palette_opens_the_warnings(window: MainWindow) -> None:
    run(window, "warnings")
    assert window.badge.isChecked() and window.drawer.isVisible()


def test_the_menu_of_the_selected_records_is_opened_by_its_name(window: MainWindow, wait_until: Wait) -> None:
    run(window, "error")
    wait_until(lambda: window.session.selection.n_chosen > 0)
    menu, seen = part(window, QPushButton, "selection.more").menu(), []
    menu.aboutToShow.connect(lambda: seen.append(True) or QTimer.singleShot(0, menu, menu.close))
    run(window, "selected")
    wait_until(lambda: bool(seen))


def test_the_palette_shows_the_words_of_a_button_and_explain_stays_at_the_record(
    window: MainWindow, wait_until: Wait
) -> None:
    session = window.session
    session.start_run(C45(), CrossValidation())
    wait_until(lambda: session.current_run is not None and session.current_run.trained is not None, 60)
    session.explain(70)
    wait_until(lambda: (page := window.findChild(WhatIfPane)) is not None and page.isVisible())
    to_similar, number = part(window, QPushButton, "visualize.what-if.to-similar"), partial(part, window, RecordField)
    wait_until(to_similar.isVisible)
    assert to_similar.text() in [entry.name for entry in entries(window, to_similar.text())]
    run(window, "explain")
    session.turns.finish()
    assert number("visualize.what-if.record").record == 71


def test_a_record_number_explains_the_record_in_explain(window: MainWindow, wait_until: Wait) -> None:
    session = window.session
    session.start_run(C45(), CrossValidation())
    wait_until(lambda: session.current_run is not None and session.current_run.trained is not None, 60)
    data = session.data
    assert data is not None and [entry.name for entry in entries(window, "120")][:2] == wording.RECORD_120
    for words in ("explain 120", wording.RECORD_120[1], "explain #120"):
        assert [entry.name for entry in entries(window, words)][:2] == wording.RECORD_120[::-1], words
    assert "Next error" in [entry.name for entry in entries(window, "why wrong")]
    session.selection.select(data, np.array([3, 4]))
    session.explain(3)
    wait_until(lambda: (page := window.findChild(WhatIfPane)) is not None and page.isVisible())
    assert [entry.name for entry in entries(window, "120")][:2] == wording.RECORD_120[::-1]
    boxes = [entry.name for entry in entries(window, "missing") if entry.name.endswith("missing")]
    assert len(set(boxes)) == len(boxes) and wording.PETAL_WIDTH_MISSING in boxes
    run(window, "120")
    wait_until(lambda: part(window, RecordField, "visualize.what-if.record").record == 120)
    assert window.top.tabs.currentIndex() == 3
    assert np.flatnonzero(session.selection.mask_of(data)).tolist() == [3, 4]


def test_the_next_error_is_found_once_from_every_page_and_explained(window: MainWindow, wait_until: Wait) -> None:
    """It was found on the page Explain only, and there its words stood twice."""
    session = window.session
    session.start_run(C45(), CrossValidation(folds=3), 1)
    wait_until(lambda: (now := session.current_run) is not None and now is session.runs[-1] and now.trained is not None)
    result = session.runs[-1].result
    assert result is not None
    wrong = np.sort(result.row_ids[result.decision != result.truth])
    for tab in range(4):
        window.show_tab(tab)
        assert [entry.name for entry in entries(window, "next error")].count("Next error") == 1
    window.show_tab(0)
    for words in ("explain", "why"):
        assert [entry.name for entry in entries(window, words)][:2] == ["Next error", "Explain"], words
    run(window, "next error")
    wait_until(lambda: (page := window.findChild(WhatIfPane)) is not None and page.isVisible(), 60)
    wait_until(lambda: part(window, RecordField, "visualize.what-if.record").record - 1 in wrong, 60)
    wait_until(part(window, QPushButton, "visualize.what-if.next-error").isEnabled)
    listed = [entry for entry in entries(window, "next error") if "Next error" in entry.name]
    assert [(entry.name, entry.hint) for entry in listed] == [("Next error", "in view")]


def test_the_focus_goes_back_to_where_it_was_before_the_warnings_opened(window: MainWindow) -> None:
    """It went to the button of the warnings, beside Undo: the next Tab and Enter undid a threshold."""
    window.show_tab(0)
    window.session.turns.finish()
    before = part(window, RecordsView, "preprocess.records")
    for close in ("Escape", "button"):
        before.setFocus()
        run(window, "warnings")
        assert window.drawer.isVisible() and window.drawer.isAncestorOf(window.focusWidget())
        if close == "Escape":
            QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
        else:
            QTest.keyClick(part(window, QAbstractButton, "warnings.close"), Qt.Key.Key_Space)
        assert not window.drawer.isVisible() and window.focusWidget() is before
    QTest.mouseClick(window.badge, Qt.MouseButton.LeftButton)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert window.focusWidget() is before
    window.badge.setFocus()
    QTest.keyClick(window.badge, Qt.Key.Key_Space)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert window.badge.hasFocus()


class Paints(QObject):
    """Counts how often a widget is painted."""

    n = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.n += event.type() == QEvent.Type.Paint
        return False


def test_a_theme_that_the_palette_chooses_is_painted(window: MainWindow, wait_until: Wait) -> None:
    """The palette covers the window, so that its end asks for an update of all just before the theme comes."""
    wait_until(lambda: not window.session.jobs.running)
    shown = window.tabs
    palette = opened(window)
    QTest.keyClicks(palette.field, "dark")
    QTest.qWait(50)
    painted = Paints()
    shown.installEventFilter(painted)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert themes.current.is_dark
    wait_until(lambda: painted.n > 0)
