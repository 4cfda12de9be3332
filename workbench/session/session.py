"""The sole owner of what changes, and the one face that tabs and viewers know; its parts each have a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from algorithms.core.files import Stamp
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from workbench.autosave.session_serialization import (
    RestoredProject,
    is_project,
    kept_project,
    open_project,
    remember_place,
)
from workbench.jobs.jobs import Job, Jobs
from workbench.jobs.messages import TABLE, Messages
from workbench.jobs.ui_scheduling import UiTaskQueue
from workbench.session.decision_rules import Decisions
from workbench.session.document import Document, History
from workbench.session.import_source import ImportSource, open_pasted, open_sample, open_table
from workbench.session.learner_comparison import Trials
from workbench.session.model_editing import ModelEditing
from workbench.session.run_analyses import LearningCurves, PermutationTests
from workbench.session.run_list import ComparisonSelection, RunList, Window
from workbench.session.runs import Run, RunState
from workbench.session.saving import ProjectSaving
from workbench.session.selection import Selection
from workbench.session.settings import Settings
from workbench.warnings.data_quality_checks import DataQualityChecks

__all__ = ["Run", "RunState", "Session"]

if TYPE_CHECKING:
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.io.reading import ReadOptions


class RunAnalyses:
    """What is computed about runs afterwards: comparisons, analyses, edited models, checks of the tests."""

    def __init__(
        self, registry: Registry, jobs: Jobs, history: History, ledger: RunList, decisions: Decisions, window: Window
    ) -> None:
        self.comparison = Trials(registry, jobs, history, ledger, decisions)
        self.permutation_tests = PermutationTests(jobs, ledger)
        self.learning_curves = LearningCurves(jobs, ledger)
        self.edits = ModelEditing(history, ledger, jobs.messages)
        self.compared = ComparisonSelection(ledger, self.comparison, window)
        self._make_checks = partial(DataQualityChecks, jobs, history, ledger, self.comparison)

    @cached_property
    def checks(self) -> DataQualityChecks:
        """Slow checks of the data and its runs, made once somebody shows them."""
        return self._make_checks()


class Session(QObject):
    """What the window shows. Everything that takes long happens in jobs; every signal comes in the window's thread."""

    data_changed = Signal()
    recipe_changed = Signal()
    document_replaced = Signal()
    """Another table was opened; comes after ``data_changed``."""
    summary_changed = Signal()
    runs_changed = Signal()
    current_run_changed = Signal()
    class_of_interest_changed = Signal()
    tab_asked = Signal(str)
    """Somebody wants the tab of this name in view: "evaluate"."""
    selected_asked = Signal()
    """Somebody wants the selected records listed."""
    explanation_asked = Signal(object)
    """Somebody wants to know why the run in view says what it says of a record: its id, None for a selected one."""
    saving_asked = Signal(str)
    """Somebody wants to save something of the run in view: "model" or "predictions"."""
    costs_changed = Signal()
    place_changed = Signal()
    left = Signal()
    """The person leaves, and needs nothing of this any more but what was saved."""
    ending = Signal()
    """The session is about to end, however it comes to that."""
    run_brought_back = Signal(object)
    """A run is in view again and its learner, options and method are to be set as they were."""

    def __init__(
        self, registry: Registry | None = None, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        if registry is None:
            from algorithms.catalogue import builtin

            registry = builtin()
        self.registry = registry
        self.settings = settings or Settings()
        self.jobs = Jobs(parent=self)
        self.turns = UiTaskQueue(self)
        self.history = History(self.jobs, self)
        self.history.shown.connect(self._show)
        self.history.summaries.changed.connect(self.summary_changed)
        self.selection = Selection(self)
        self.ledger = RunList(self.history, self.jobs, self)
        self.ledger.changed.connect(self.runs_changed)
        self.ledger.current_changed.connect(self.current_run_changed)
        self.ledger.brought_back.connect(self.run_brought_back)
        self.decisions = Decisions(self.history, self.ledger, self.jobs, self)
        self.analyses = RunAnalyses(self.registry, self.jobs, self.history, self.ledger, self.decisions, self)
        self.decisions.interest.changed.connect(self.class_of_interest_changed)
        self.decisions.costs_changed.connect(self.costs_changed)
        self.saving = ProjectSaving(
            self.history, self.ledger, self.decisions, self.jobs, self.settings, partial(kept_project, self)
        )
        self.reading: ImportSource | None = None
        self.place: Mapping[str, object] = {}
        self.record_at_hand: Callable[[], int | None] = lambda: None
        """The id of the selected record that a list in view has at its cursor, or first; None where there is none."""
        self.left.connect(partial(remember_place, self))

    @property
    def messages(self) -> Messages:
        return self.jobs.messages

    @property
    def undo_stack(self) -> QUndoStack:
        return self.history.stack

    # ---- the document ----------------------------------------------------------------------------------------------

    @property
    def data(self) -> Dataset | None:
        """The edited data, before the recipe."""
        return None if self.document is None else self.document.data

    @property
    def document(self) -> Document | None:
        """The edited data and the recipe."""
        return self.history.document

    @property
    def opened(self) -> Document | None:
        """The document before its first edit."""
        return self.history.opened

    @property
    def recipe(self) -> Recipe:
        return () if self.document is None else self.document.recipe

    @property
    def is_edited(self) -> bool:
        """Whether there are edits that no file has."""
        return self.saving.is_edited

    @property
    def unsaved(self) -> str:
        """What would be lost with the table, in words; empty where nothing would."""
        return self.saving.unsaved

    def edit(self, text: str, new_data: Dataset) -> None:
        """Replace the data by an edited one; ``text`` names the edit for undo: "Change kind of zip to nominal"."""
        self.history.push(text, replace(self.history.needed, data=new_data))

    def set_recipe(self, recipe: Recipe, text: str) -> None:
        """Replace the recipe, undoably."""
        self.history.push(text, self.history.needed.with_recipe(recipe))

    def go_to(self, step: int) -> None:
        """Undo or redo to after this many steps of the history; what lies between is not shown."""
        self.history.go_to(step)

    def set_class(self, name: str | None) -> None:
        """Choose the column to predict, undoably."""
        self.edit(f"Predict {name}" if name else "Predict nothing", self.history.needed.data.with_class(name))

    def set_used(self, names: Sequence[str], used: bool) -> None:
        """Leave attributes out of learning, or take them in again, undoably."""
        data = self.history.needed.data
        schema = data.schema
        for name in names:
            index = schema.index_of(name)
            schema = schema.with_attribute(index, replace(schema.attributes[index], used=used))
        what = names[0] if len(names) == 1 else f"{len(names)} attributes"
        self.edit(f"Use {what}" if used else f"Leave out {what}", data.with_schema(schema))

    def _let_go(self, before: Dataset) -> None:
        """What columns took of a data set that an edit left behind is given back, unless it came back meanwhile."""
        if self.data is not None and self.data is not before:
            before.let_go_of_columns(but_for=self.data)

    def _show(self, before: Document | None, document: Document) -> None:
        if before is not None:
            self.messages.mended(TABLE)
            self.decisions.interest.bring_back(before, document)
            self.turns.later(partial(self._let_go, before.data))
        if before is None or document.data is not before.data:
            self.history.summaries.recount()
            self.selection.look_at(document.data)
            self.data_changed.emit()
            self.decisions.interest.changed.emit()
        if before is None or document.steps != before.steps:
            if before is not None and document.data is before.data and document.recipe != before.recipe:
                self.history.summaries.recount()
            self.recipe_changed.emit()

    def set_document(self, data: Dataset, recipe: Recipe = (), reading: ImportSource | None = None) -> None:
        """Show another table: nothing to undo, an empty ledger. ``reading`` says how it was read."""
        opened = Document(data, recipe)
        self._put_away(opened, reading)
        self._bring(opened)

    def restore(self, kept: RestoredProject) -> None:
        """Show a table with everything that was done with it: edits to undo and redo, the ledger, what was chosen."""
        project = kept.project
        documents = [Document(step.data, step.recipe, step.trees, step.aside) for step in project.steps]
        self._put_away(documents[0], kept.reading, project.path, project.stamp)
        self.jobs.unread_files = kept.files
        self.history.fill([step.text for step in project.steps], documents, project.index)
        self.decisions.begin(project.interest, project.costs)
        self.place = project.place
        self.ledger.restore(kept.runs, project.last_number, project.view)
        self.analyses.edits.restore_notes(project.notes_not_shown)
        if project.is_saved:
            self.saving.take_for_saved()
        elif project.is_edited:
            self.undo_stack.resetClean()
        else:
            self.undo_stack.setClean()
        self._bring(documents[project.index])
        self.decisions.costs_changed.emit()
        self.analyses.comparison.restore(kept.trial)

    def _put_away(
        self, opened: Document, reading: ImportSource | None, path: str | None = None, stamp: Stamp | None = None
    ) -> None:
        """Forget the table in view and all that was done with it; ``opened`` comes in its place."""
        self.jobs.unread_files = set()
        self.analyses.comparison.forget()
        self.ledger.forget()
        self.decisions.begin({}, None)
        self.place = {}
        self.history.begin(opened)
        self.reading = reading
        self.selection.forget(len(opened.data))
        self.saving.begin(opened, path, stamp)

    def _bring(self, document: Document) -> None:
        """Show the first document of a table."""
        self.history.show(document)
        self.runs_changed.emit()
        self.current_run_changed.emit()
        self.messages.begin_anew()
        self.document_replaced.emit()

    # ---- files -----------------------------------------------------------------------------------------------------

    def open_file(self, path: str | Path, options: ReadOptions | None = None) -> Job:
        """Read a file in the background and show it: a table, or a project with all that was done."""
        return open_project(self, str(path)) if is_project(path) else open_table(self, str(path), options)

    def open_text(self, text: str, options: ReadOptions | None = None) -> Job:
        """Read a pasted table in the background and show it; it counts as edited, as no file has it."""
        return open_pasted(self, text, options)

    def open_sample(self, id: str, size: int | None = None, seed: int = 1) -> Job:
        """Make a sample data set in the background and show it."""
        return open_sample(self, id, size, seed)

    # ---- summary, classes, costs -----------------------------------------------------------------------------------

    @property
    def summary(self) -> Summary | None:
        """The summary of the edited data, None until it is counted."""
        return self.history.summaries.raw

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels of the class that is chosen now; empty where it is not nominal."""
        return self.decisions.interest.classes

    @property
    def class_of_interest(self) -> int:
        """Code of the "positive" class: the one that was chosen, else "yes", else the rarest."""
        return self.decisions.interest.code

    def set_class_of_interest(self, code: int) -> None:
        self.decisions.interest.choose(code)

    @property
    def costs(self) -> CostMatrix | None:
        """What mistakes cost, None while every mistake counts the same."""
        return self.decisions.costs

    def set_costs(self, costs: CostMatrix | None) -> None:
        self.decisions.set_costs(costs)

    # ---- runs ------------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[Run, ...]:
        """The ledger, in the order of starting."""
        return self.ledger.runs

    @property
    def current_run(self) -> Run | None:
        """The run in view."""
        return self.ledger.current

    def set_current_run(self, run: Run | None) -> None:
        """Bring a run into view; one that was taken out meanwhile, whose row stands a moment longer, is not."""
        if run is None or run in self.ledger.runs:
            self.ledger.set_current(run)

    def bring_back(self, run: Run) -> None:
        """Bring a run into view together with its options, unless it was taken out meanwhile."""
        if run in self.ledger.runs:
            self.ledger.bring_back(run)

    def set_note(self, run: Run, text: str) -> None:
        self.ledger.set_note(run, text)

    def remove_runs(self, *runs: Run) -> None:
        """Take runs out, with an offer to put them back, or, where one was changed by hand, as a step of history."""
        others = self.analyses.edits.remove(*runs)
        if others:
            self.ledger.remove(*others)

    def start_run(self, learner: Learner, method: Method, seed: int = 1) -> Job:
        """Judge the learner by the method and train it on all records to look at; the run comes into view at once."""
        return self.ledger.start(learner, method, seed)

    # ---- where the person is ---------------------------------------------------------------------------------------

    def ask_for_tab(self, name: str) -> None:
        """Bring a tab into view: preprocess, classify, evaluate or visualize."""
        self.tab_asked.emit(name)

    def set_place(self, **changed: object) -> None:
        """Remember where the person is in the window: JSON values by name."""
        place = {**self.place, **changed}
        if place != self.place:
            self.place = place
            self.place_changed.emit()

    def show_selected(self) -> None:
        """List the selected records, and nothing else, in Preprocess."""
        self.ask_for_tab("preprocess")
        self.selected_asked.emit()

    def explain(self, record: int | None = None) -> None:
        """Show in Visualize why the run in view says what it says of the record with this id; for None of a selected
        one, that at the cursor of a list in view before others."""
        record = self.record_at_hand() if record is None else record
        self.ask_for_tab("visualize")
        self.explanation_asked.emit(record)

    # ---- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> bool:
        """Stop the jobs and end their threads; whether all had ended in time."""
        self.ending.emit()
        self.ledger.close()
        self.history.summaries.close()
        self.turns.clear()
        self.undo_stack.blockSignals(True)  # it would speak once more while it is taken down
        return self.jobs.shutdown()
