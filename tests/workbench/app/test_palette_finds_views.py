"""The palette finds every view, mode and switch by the name written on it, from the page it is on and from others."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Final

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QPushButton, QTextBrowser, QWidget

from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.learners.ensembles.random_forest import RandomForest
from tests.expected_texts import app as wording
from tests.expected_texts.session import DRAW_REGIONS
from tests.recording.pictures import names_of_visible
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part
from workbench.app.command_palette import HELP, PaletteEntry, entries_of
from workbench.app.main_window import MainWindow
from workbench.forms.form import InfoMark
from workbench.session.session import Session
from workbench.tabs.visualize.tab import CHAPTERS
from workbench.viewers.viewer_registry import VIEWERS
from workbench.widgets.fields import CHOOSES_VIEW, ElidedComboBox
from workbench.widgets.labels import LinkLabel

LEARNERS: Final = {
    "tree": "c4.5",
    "rules": "ripper",
    "nomogram": "naive-bayes",
    "coefficients": "logistic-regression",
    "network": "bayesian-network",
    "layers": "neural-network",
    "gaussians": "quadratic-discriminant",
    "margins": "svm",
    "neighbours": "k-nearest-neighbors",
    "prior": "zero-r",
    "ensemble": "random-forest",
    "code": "error-correcting-output-codes",
    "wrapped": "calibrated",
}
"""A learner whose model each viewer shows."""
PAGES: Final = ("Preprocess", "Classify", "Evaluate", "Visualize")
KEYBOARD: Final = ("palette.open", "undo", "redo")
"""Buttons of the top line that stand for keys of the window."""


def opened(stage: Stage, wait_until: Wait) -> MainWindow:
    window = stage.window(1280, 720)
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    return window


def settled(window: MainWindow, wait_until: Wait) -> None:
    """Wait until nothing changes what is written: regions are drawn for seconds more, but say nothing."""
    session = window.session
    wait_until(lambda: all(job.title == DRAW_REGIONS for job in session.jobs.running) and not session.turns.is_busy, 60)


def entries(window: MainWindow) -> list[PaletteEntry]:
    window.actions_.refresh()
    listed = entries_of(window.session, window.actions_.named, window.tabs, window.show_tab, window.help_window)
    return [entry for entry in listed if entry.group != HELP]


def written(window: MainWindow) -> Iterator[tuple[str, str]]:
    """The object names of controls in view and their words, every view of a choice and every link of a sentence."""
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not widget.isEnabled() or isinstance(widget, InfoMark):
            continue
        name = widget.objectName()
        if isinstance(widget, QAbstractButton):
            if name not in KEYBOARD and getattr(widget, "menu", bool)() in (None, False):
                yield name, widget.text() or widget.accessibleName()
        elif isinstance(widget, ElidedComboBox) and widget.property(CHOOSES_VIEW):
            yield from ((name, widget.itemText(index)) for index in range(widget.count()))
        elif isinstance(widget, LinkLabel):
            yield from ((name, words) for _target, words in widget.links())


def not_found(window: MainWindow) -> list[tuple[str, str]]:
    """What is written on a control in view and finds nothing."""
    listed = [entry.text for entry in entries(window)]
    words = ((name, text.strip("+ ….▾▸").replace("&&", "&").lower()) for name, text in written(window))
    return [(name, text) for name, text in words if len(text) > 1 and not any(text in one for one in listed)]


def run_of(session: Session, wait_until: Wait, id: str) -> None:
    judged(session, wait_until, session.registry.learners.get(id)(), TrainingSet())


def test_it_opens_before_the_tabs_are_built_and_after_each_of_their_pieces(stage: Stage, wait_until: Wait) -> None:
    window = stage.window(1280, 720)
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    for index in range(len(PAGES)):
        for piece in window.tabs.pieces(index):
            piece()
            assert {"Pages", "Learners", "Attributes"} <= {entry.group for entry in entries(window)}
    assert all(window.tabs.made().values())


def chapter(window: MainWindow) -> str:
    """The heading that F1 opens, selected in the help; empty at the beginning of a page."""
    QTest.keyClick(window, Qt.Key.Key_F1)
    browser = part(window.help_window(), QTextBrowser, "help.page")
    if browser.textCursor().hasSelection():
        assert browser.textCursor().blockFormat().headingLevel() == 2
        assert browser.verticalScrollBar().value() > 0
    window.help_window().close()
    return browser.textCursor().selectedText()


def test_everything_written_in_every_viewer_is_found_and_f1_opens_its_chapter(stage: Stage, wait_until: Wait) -> None:
    assert set(LEARNERS) == set(VIEWERS) == set(CHAPTERS)
    window = opened(stage, wait_until)
    window.show_tab(3)
    missing: dict[str, list[tuple[str, str]]] = {}
    for key, id in reversed(LEARNERS.items()):
        run_of(window.session, wait_until, id)
        settled(window, wait_until)
        missing[key] = not_found(window)
        assert chapter(window) == CHAPTERS[key], key
    assert {key: names for key, names in missing.items() if names} == {}
    for name, heading in (("visualize.growth", "Growth steps"), ("visualize.pruning", "Pruning steps")):
        part(window, QAction, name).trigger()  # of the tree, which is in view at last
        settled(window, wait_until)
        assert chapter(window) == heading


def test_everything_written_on_every_page_is_found(stage: Stage, wait_until: Wait) -> None:
    window = opened(stage, wait_until)
    judged(window.session, wait_until, RandomForest(members=3), CrossValidation(folds=2))
    missing: dict[str, list[tuple[str, str]]] = {}
    menus = set()
    for index, title in enumerate(PAGES):
        window.show_tab(index)
        settled(window, wait_until)
        for page in names_of_visible(window, f"{title.lower()}.page.") or [""]:
            if page:
                part(window, QAbstractButton, page).click()
                settled(window, wait_until)
            missing[page or title] = not_found(window)
            openers = (button for button in window.findChildren(QPushButton) if button.isVisible())
            menus |= {button.text() for button in openers if button.accessibleName() == "View"}
    assert {key: names for key, names in missing.items() if names} == {}
    assert menus == {"View ▾"}


def test_f1_opens_the_chapter_of_the_pane_in_view(stage: Stage, wait_until: Wait) -> None:
    """In Explain the help began at its first chapter, which is about trees."""
    window = opened(stage, wait_until)
    judged(window.session, wait_until, RandomForest(members=3), CrossValidation(folds=2))
    seen: dict[str, str] = {}
    for index in (2, 3):
        window.show_tab(index)
        settled(window, wait_until)
        for page in names_of_visible(window, f"{PAGES[index].lower()}.page."):
            part(window, QAbstractButton, page).click()
            settled(window, wait_until)
            seen[page.rpartition(".")[2]] = chapter(window)
    assert seen == {
        "performance": "Performance",
        "compare": "Compare",
        "costs": wording.COSTS_CHAPTER,
        "diagnostics": "Diagnostics",
        "experiment": "Experiment",
        "model": "Ensembles",
        "data": "Scatter",
        "explain": "Explain",
    }
    part(window, QAbstractButton, "visualize.page.data").click()
    for kind in ("matrix", "parallel"):
        next(b for b in window.findChildren(QAbstractButton, f"visualize.show-{kind}") if b.isVisible()).click()
        settled(window, wait_until)
        assert chapter(window) == kind.capitalize()


FOCUSED: Final = (
    (0, "recipe._add", "Steps"),
    (0, "records.view", "Type into the records"),
    (1, "learners.search", "Choose a learner"),
    (1, "methods._seed", "Test with"),
)


@pytest.mark.parametrize(("index", "name", "heading"), FOCUSED)
def test_f1_opens_the_chapter_of_what_has_the_keyboard(
    stage: Stage, wait_until: Wait, index: int, name: str, heading: str
) -> None:
    window = opened(stage, wait_until)
    window.show_tab(index)
    settled(window, wait_until)
    attrgetter(name)(window.tabs.tab(index)).setFocus()
    assert chapter(window) == heading


def test_the_drawer_of_warnings_closes_with_its_tab(stage: Stage, wait_until: Wait) -> None:
    """It hid the right third of the page that somebody turned to."""
    window = opened(stage, wait_until)
    judged(window.session, wait_until, RandomForest(members=3), TrainingSet())
    window.badge.click()
    assert window.drawer.isVisible()
    window.show_tab(2)
    assert not window.drawer.isVisible() and not window.badge.isChecked()


def test_no_page_of_evaluate_is_offered_before_a_run_is_tested(stage: Stage, wait_until: Wait) -> None:
    """Its pages are empty then: a view of them would lead to the example of an empty page."""
    window = opened(stage, wait_until)
    for index in (2, 0):
        window.show_tab(index)
        settled(window, wait_until)

    def offered() -> set[str]:
        return {entry.hint for entry in entries(window) if entry.group == "Views" and entry.hint.startswith("Evaluate")}

    assert offered() == set()
    judged(window.session, wait_until, RandomForest(members=3), CrossValidation(folds=2))
    settled(window, wait_until)
    assert "Evaluate, Performance" in offered()


def test_regions_and_the_views_of_a_model_are_found_and_shown_from_another_page(stage: Stage, wait_until: Wait) -> None:
    window = opened(stage, wait_until)
    judged(window.session, wait_until, RandomForest(members=3), CrossValidation(folds=2))
    window.show_tab(3)
    settled(window, wait_until)
    regions = part(window, QCheckBox, "visualize.boundary")
    before = regions.isChecked()

    def entries_named(name: str) -> list[PaletteEntry]:
        return [entry for entry in entries(window) if entry.name.rpartition(": ")[2] == name]

    def act(name: str) -> None:
        window.show_tab(0)
        settled(window, wait_until)
        wait_until(lambda: bool(entries_named(name)))
        entries_named(name)[0].act()
        settled(window, wait_until)

    part(window, QAbstractButton, "visualize.show-matrix").click()
    act("Regions")
    assert window.top.tabs.currentIndex() == 3 and regions.isVisible() and regions.isChecked() is not before
    act("Attribute importance")
    views = part(window, ElidedComboBox, "visualize.committee.view")
    assert views.isVisible() and views.currentText() == "Attribute importance"
    act("Calibration")
    curve = part(window, ElidedComboBox, "evaluate.curve.kind")
    assert curve.isVisible() and curve.currentText() == "Calibration"
