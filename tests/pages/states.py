"""States of pages with more controls than a page at rest: questions, selections, open bars, running work, views."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLineEdit

from algorithms.core.files import write_text
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.experiments import SUFFIX
from algorithms.experiments.experiment import Experiment, ExperimentData
from algorithms.filters.discretize import Discretize
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.members import Members
from tests.recording.pictures import CLASSIFY, EVALUATE, PREPROCESS, VISUALIZE, after, names_of_visible
from tests.scripted_session import turn
from workbench.app.main_window import MainWindow
from workbench.session.runs import structure_of
from workbench.tabs.evaluate.experiment_page import ExperimentPage
from workbench.tabs.preprocess.overview_pane import PAGES
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.viewers.ensemble.ensemble_view import EnsembleView
from workbench.viewers.rules_view import RuleSetView
from workbench.viewers.tree.tree_view import TreeView

SELECTED: Final = 20
"""Number of records that are selected."""
MODES: Final = (
    "visualize.edit",
    "visualize.growth",
    "visualize.pruning",
    "visualize.rule-steps",
    "visualize.rule-edit",
    "visualize.network-edit",
    "visualize.rules.whole",
    "visualize.network.independent",
    "visualize.layers-steps",
    "visualize.within.as-table",
    "visualize.projection.switch",
)
"""What edits a model, takes it apart in a pane at its side, or shows another picture of it."""
FORMS: Final = {
    "visualize.edit": ("visualize.edit.ask",),
    "visualize.rule-edit": ("visualize.rule-edit.change", "visualize.rule-edit.write"),
}
"""What opens a form while a model is edited, by the mode."""
RUNNING: Final = "classify-running"
"""The state in which a run is at work, so that the window does not come to rest."""


def states_without_runs(window: MainWindow) -> Iterator[str]:
    """Preprocess right after opening, when it asks for the class; with the nominal class chosen, and a selection."""
    tab = _preprocess(window)
    tab.class_bar.ask()
    yield "preprocess-class-asked"
    tab.attributes.choose(_data(window).schema.class_attribute.name)
    yield "preprocess-class-asked-nominal"
    _select(window)
    yield "preprocess-class-asked-nominal-selected"
    for open_bar, name in ((tab.records.open_filter, "filter"), (partial(tab.records.open_find, True), "find")):
        open_bar()
        yield f"preprocess-class-asked-nominal-selected-{name}"
        _close_bars(tab)
    window.session.selection.clear()
    tab.class_bar.ask()
    yield from _states_of_a_numeric_class(window, tab)


def _states_of_a_numeric_class(window: MainWindow, tab: PreprocessTab) -> Iterator[str]:
    """The question about the class with a numeric class; several attributes, records and a filter beside it."""
    session, names = window.session, _data(window).schema.names
    tab.class_bar.predict_asked.emit(names[0])
    turn(lambda: session.data is not None and session.data.schema.class_index == 0)
    tab.class_bar.ask()
    tab.attributes.choose(names[0])
    yield "preprocess-class-asked-numeric"
    _select(window)
    yield "preprocess-class-asked-numeric-selected"
    tab.records.open_filter()
    tab.records.filter.add_condition(1)
    tab.class_bar.ask()
    yield "preprocess-class-asked-numeric-selected-filter"
    tab.attributes.view.selectAll()
    yield "preprocess-class-asked-numeric-attributes-selected-filter"
    tab.attributes.choose(names[1])
    tab.attribute.ranges_asked.emit(names[1])
    yield "preprocess-class-asked-numeric-selected-filter-ranges"
    tab.ranges.close_pane()
    _close_bars(tab)
    session.selection.clear()
    session.undo_stack.undo()


def states_with_runs(window: MainWindow) -> Iterator[str]:
    """The states of the pages once there are runs; the first run is in view again after them."""
    yield from states_of_preprocess(window)
    yield from _states_of_classify(window)
    yield from states_of_evaluate(window)
    yield from states_of_visualize(window)
    window.session.selection.clear()
    window.show_tab(VISUALIZE)
    for run in window.session.runs:
        if structure_of(run, Members) is None:
            continue
        window.session.set_current_run(run)
        _button(window, "visualize.page.model").click()
        turn(after(20))
        box = next(view for view in window.findChildren(EnsembleView) if view.isVisible()).views
        for index in range(box.count()):
            box.setCurrentIndex(index)
            box.activated.emit(index)
            yield f"visualize-{run.number:02}-{run.learner.id}-{box.itemText(index).lower().replace(' ', '-')}"
    window.session.set_current_run(window.session.runs[0])


def states_of_preprocess(window: MainWindow) -> Iterator[str]:
    """Selections, steps, and the bars and panes that can be open at once."""
    tab, session, data = _preprocess(window), window.session, _data(window)
    tab.attributes.choose(data.schema.class_attribute.name)
    yield "preprocess-nominal"
    _select(window)
    yield "preprocess-nominal-selected"
    tab.records.open_filter()
    tab.records.filter.add_condition(1)
    yield "preprocess-selected-filter"
    _close_bars(tab)
    tab.records.open_find(to_replace=True)
    line = tab.records.find_bar.findChild(QLineEdit, "preprocess.find.text")
    line.setText("1")
    tab.records.find_bar.seek()
    yield "preprocess-selected-find"
    _close_bars(tab)
    tab.records.show_selected()
    yield "preprocess-selected-listed"
    tab.records.listed.all.click()
    for filter in (ReplaceMissing, Scale, Discretize):
        tab.recipe.add(filter)
    yield "preprocess-selected-steps"
    tab.attributes.choose(data.schema.names[0])
    tab.attribute.ranges_asked.emit(data.schema.names[0])
    yield "preprocess-selected-steps-ranges"
    tab.records.open_filter()
    tab.records.filter.add_condition(1)
    yield "preprocess-selected-steps-ranges-filter"
    _close_bars(tab)
    for _ in range(3):
        session.undo_stack.undo()
    yield "preprocess-selected-ranges"
    tab.ranges.close_pane()
    window.findChild(QAction, "preprocess.rank").trigger()
    yield "preprocess-selected-ranking"
    tab.ranking.close_pane()
    tab.open_overview()
    for page, (title, _name, _tip) in enumerate(PAGES):
        tab.overview.show_page(page)
        turn(lambda: not session.jobs.running)
        yield f"preprocess-overview-{title.lower().replace(' ', '-')}"
    tab.overview.close_pane()
    session.selection.clear()


def _states_of_classify(window: MainWindow) -> Iterator[str]:
    window.show_tab(CLASSIFY)
    _select(window)
    yield "classify-selected"
    _button(window, "classify.compare").click()
    yield "classify-compare-learners"
    _button(window, "classify.compare.back").click()
    before = window.session.runs
    job = window.session.start_run(RandomForest(members=10_000), CrossValidation(folds=10))
    yield RUNNING
    job.stop()
    turn(lambda: not window.session.jobs.running)
    window.session.ledger.take_out(*(run for run in window.session.runs if run not in before))


def states_of_evaluate(window: MainWindow) -> Iterator[str]:
    """Each page with records selected, with and without the drawer of warnings."""
    window.show_tab(EVALUATE)
    turn(after(20))
    _select(window)
    for page in names_of_visible(window, "evaluate.page."):
        _button(window, page).click()
        turn(after(20))
        yield f"{page.replace('.', '-')}-selected"
        yield from _with_drawer(window, f"{page.replace('.', '-')}-selected")


def states_of_visualize(window: MainWindow) -> Iterator[str]:
    """Each page of each run with records selected; a model that is edited, and the panels at its side."""
    window.show_tab(VISUALIZE)
    for run in window.session.runs:
        stem = f"visualize-{run.number:02}-{run.learner.id}"
        window.session.set_current_run(run)
        turn(after(20))
        for page in names_of_visible(window, "visualize.page."):
            _button(window, page).click()
            turn(after(20))
            _select(window)
            yield f"{stem}-{page.rpartition('.')[2]}-selected"
        _button(window, "visualize.page.model").click()
        turn(after(20))
        _focus_on_a_part(window)
        for name in MODES:
            mode = _control(window, name)
            if mode is None:
                continue
            _press(mode)
            yield (state := f"{stem}-{_last(name)}-selected")
            yield from _with_drawer(window, state)
            for form in filter(None, (_control(window, form) for form in FORMS.get(name, ()))):
                _press(form)
                yield f"{stem}-{_last(form.objectName())}-selected"
                _press(form)
            _press(mode)


def _focus_on_a_part(window: MainWindow) -> None:
    """Chooses the first rule or node of the model in view, so that it can be edited."""
    for view in window.findChildren(TreeView) + window.findChildren(RuleSetView):
        if view.isVisible():
            view.canvas.set_focus_node(0) if isinstance(view, TreeView) else view.focus_rule(0)


def _control(window: MainWindow, name: str) -> QAbstractButton | QAction | None:
    """The button or the entry of a menu of this name, if it can be used."""
    controls = [control for kind in (QAbstractButton, QAction) for control in window.findChildren(kind, name)]
    seen = (one for one in controls if one.isVisible() and one.parent().parentWidget().isVisible())
    return next((one for one in seen if one.isEnabled()), None)


def _press(control: QAbstractButton | QAction) -> None:
    control.trigger() if isinstance(control, QAction) else control.click()
    turn(after(20))


def _last(name: str) -> str:
    return name.partition(".")[2].replace(".", "-")


def states_of_experiments(window: MainWindow, folder: Path) -> Iterator[str]:
    """The form of an experiment, empty and filled; its cells, of which one failed; one cell chosen; its results."""
    experiments = window.session.experiments
    tables = [folder / f"{name}.csv" for name in ("first", "second", "third")]
    for number, path in enumerate(tables):
        rows = (f"{i},{(i * 7 + number) % 11},{'ab'[(i > 19) != (i % (7 + number) == 0)]}" for i in range(40))
        write_text(path, "\n".join(["x,y,kind", *rows]))
    window.new_experiment()
    turn(after(20))
    page = next(page for page in window.findChildren(ExperimentPage) if page.isVisible())
    yield "experiment-form"
    page.form.add([str(path) for path in tables])
    turn(lambda: all(data.is_read for data in page.form.data.offered))
    page.form.learners.setCurrentRow(1)
    yield "experiment-form-filled"
    data = tuple(ExperimentData(str(path), "kind" if path is not tables[2] else "none") for path in tables)
    method = CrossValidation(folds=3)
    place = folder / f"small{SUFFIX}"
    experiments.create(str(place), Experiment(data, (C45(), NaiveBayes(), ZeroR()), methods=(method,)))
    turn(lambda: experiments.path == place and not experiments.is_running and not experiments.is_reading)
    yield "experiment-cells"
    page.cells.grid.setCurrentIndex(page.cells.grid.cells.index(2, 1))
    yield "experiment-failed-cell"
    experiments.choose(baseline=ZeroR.name)
    turn(lambda: not experiments.is_reading)
    _button(window, "experiment.view.results").click()
    yield "experiment-results"
    place.unlink()


def _with_drawer(window: MainWindow, state: str) -> Iterator[str]:
    """The state beside the open drawer of warnings."""
    window.badge.click()
    yield f"{state}-drawer"
    window.badge.click()


def _preprocess(window: MainWindow) -> PreprocessTab:
    window.show_tab(PREPROCESS)
    turn(after(20))
    return window.findChildren(PreprocessTab)[0]


def _data(window: MainWindow) -> Dataset:
    data = window.session.data
    assert data is not None
    return data


def _select(window: MainWindow) -> None:
    window.session.selection.select(_data(window), np.arange(SELECTED), by="the test")


def _button(window: MainWindow, name: str) -> QAbstractButton:
    return next(button for button in window.findChildren(QAbstractButton, name) if button.isVisible())


def _close_bars(tab: PreprocessTab) -> None:
    tab.records.filter.close_bar()
    tab.records.find_bar.close_bar()
