"""The session: the only owner of mutable state, and what tabs and viewers talk to. Its parts have a module each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from algorithms.core.errors import PasswordNeededError
from algorithms.core.files import Stamp
from algorithms.core.filters import Recipe, Steps, reconciled
from algorithms.core.learner import Learner
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.io.servers import ServerAddress, is_server_address, source_name
from algorithms.project.run_record import Document
from algorithms.text.sentences import counted
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
from workbench.session.document import History, ImportSource
from workbench.session.learner_comparison import ComparisonSelection, Trials, WindowPlace
from workbench.session.model_editing import ModelEditing
from workbench.session.run_analyses import LearningCurves, PermutationTests
from workbench.session.runs import Run, RunList, RunState
from workbench.session.saving import ProjectSaving
from workbench.session.selection import Selection
from workbench.session.settings import CLUSTER, Settings
from workbench.warnings.data_quality_checks import DataQualityChecks

__all__ = ["Run", "RunState", "Session"]

if TYPE_CHECKING:
    from algorithms.core.run_control import RunContext
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.io.reading import ReadOptions
    from workbench.session.experiments import Experiments


class RunAnalyses:
    """What is computed about runs afterwards: comparisons, analyses, edited models, checks of the tests."""

    def __init__(
        self,
        registry: Registry,
        jobs: Jobs,
        history: History,
        ledger: RunList,
        decisions: Decisions,
        window: WindowPlace,
    ) -> None:
        self.comparison = Trials(registry, jobs, history, ledger, decisions)
        self.permutation_tests = PermutationTests(jobs, ledger)
        self.learning_curves = LearningCurves(jobs, ledger)
        self.edits = ModelEditing(registry, history, ledger, jobs.messages)
        self.compared = ComparisonSelection(ledger, self.comparison, window)
        self._make_checks = partial(DataQualityChecks, jobs, history, ledger, self.comparison)

    @cached_property
    def checks(self) -> DataQualityChecks:
        """Slow checks of the data and its runs, made once somebody shows them."""
        return self._make_checks()


class Session(QObject):
    """State shown by the window. Slow work runs in jobs; all signals are emitted in the window's thread."""

    data_changed = Signal()
    recipe_changed = Signal()
    document_replaced = Signal()
    """Another table was opened; emitted after ``data_changed``."""
    summary_changed = Signal()
    runs_changed = Signal()
    current_run_changed = Signal()
    class_of_interest_changed = Signal()
    tab_asked = Signal(str)
    """Show the tab of this name, such as "evaluate"."""
    comparison_asked = Signal()
    """Tick several learners to compare, in Classify."""
    page_asked = Signal(str)
    """Show a page of Evaluate by its name in projects, such as "costs"."""
    selected_asked = Signal()
    explanation_asked = Signal(object)
    """Explain the prediction of the current run for the record with this id; None for a selected record."""
    file_asked = Signal(str)
    """Path of a file to open, after asking if something would be lost."""
    database_asked = Signal(str)
    """Address of a database whose password is to be asked for."""
    experiment_asked = Signal()
    """Show the page of experiments."""
    replacing_asked = Signal(object)
    """Call this function, which opens another table, after asking if something would be lost."""
    saving_asked = Signal(str)
    """Save the "model" or the "predictions" of the current run."""
    costs_changed = Signal()
    place_changed = Signal()
    left = Signal()
    """The user leaves; only what was saved is still needed."""
    ending = Signal()
    """The session is about to end, for whatever reason."""
    run_brought_back = Signal(object)
    """A run became current again; set its learner, options and method."""

    def __init__(self, registry: Registry | None = None, settings: Settings | None = None) -> None:
        super().__init__()
        if registry is None:
            from algorithms.catalogue import builtin

            registry = builtin()
        self.registry = registry
        self.settings = settings or Settings()
        self.jobs = Jobs(parent=self)
        self.jobs.use_cluster(self.settings.get(CLUSTER, ""))
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
        """Returns the id of the selected record at the cursor of a visible list, else of its first; None without."""
        self.left.connect(partial(remember_place, self))

    @cached_property
    def experiments(self) -> Experiments:
        """The experiment in view, if any; made once somebody asks."""
        from workbench.session.experiments import Experiments  # not needed at the start

        experiments = Experiments(self.registry, self.jobs, self.settings, self)
        experiments.shown.connect(self.experiment_asked)
        experiments.replacing_asked.connect(self.replacing_asked)
        return experiments

    @property
    def messages(self) -> Messages:
        return self.jobs.messages

    @property
    def undo_stack(self) -> QUndoStack:
        return self.history.stack

    # ---- the document ----------------------------------------------------------------------------------------------

    @property
    def data(self) -> Dataset | None:
        return None if self.document is None else self.document.data

    @property
    def document(self) -> Document | None:
        return self.history.document

    @property
    def recipe(self) -> Recipe:
        return () if self.document is None else self.document.recipe

    def edit(self, text: str, new_data: Dataset) -> None:
        """Replace the data undoably; ``text`` names the edit: "Change kind of zip to nominal"."""
        self.history.push(text, replace(self.history.needed, data=new_data))

    def set_recipe(self, recipe: Recipe, text: str) -> None:
        """Replace the recipe undoably; disabled steps keep their places where they can."""
        document = self.history.needed
        self.history.push(text, replace(document, steps=reconciled(document.steps, recipe)))

    def set_class(self, name: str | None) -> None:
        self.edit(f"Use {name} as the class" if name else "Use no class", self.history.needed.data.with_class(name))

    def set_used(self, names: Sequence[str], used: bool) -> None:
        """Leave attributes out of learning, or use them again, undoably."""
        data = self.history.needed.data
        schema = data.schema
        for name in names:
            index = schema.index_of(name)
            schema = schema.with_attribute(index, replace(schema.attributes[index], used=used))
        what = names[0] if len(names) == 1 else f"{len(names)} attributes"
        self.edit(f"Use {what}" if used else f"Leave out {what}", data.with_schema(schema))

    def _let_go(self, before: Dataset) -> None:
        """Free the columns of a data set that an edit replaced, unless it is shown again."""
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
            interest = self.decisions.interest
            (interest.announce if before is None else interest.follow_edit)()
        if before is None or document.steps != before.steps:
            if before is not None and document.data is before.data and document.recipe != before.recipe:
                self.history.summaries.recount()
            self.recipe_changed.emit()
        if before is not None and document.costs != before.costs:
            self.decisions.costs_changed.emit()

    def set_document(
        self,
        data: Dataset,
        steps: Steps = (),
        reading: ImportSource | None = None,
        place: Mapping[str, object] | None = None,
    ) -> None:
        """Show another table without history and runs; ``reading`` is its source, ``place`` where to show it."""
        opened = Document(data, steps)
        self._put_away(opened, reading)
        self.place = place or {}
        self._bring(opened)

    def restore(self, restored: RestoredProject) -> None:
        """Show the table of a project with its history, runs and choices."""
        project = restored.project
        documents = [step.document for step in project.steps]
        self._put_away(documents[0], restored.reading, project.path, project.stamp)
        self.jobs.unread_files = restored.files
        self.history.fill([step.text for step in project.steps], documents, project.index)
        self.decisions.interest.begin(project.interest)
        self.place = project.place
        self.ledger.restore(restored.runs, project.last_number, project.view)
        self.analyses.edits.restore_notes(project.notes_not_shown)
        if project.is_saved:
            self.saving.take_for_saved(documents[project.index])
        elif project.is_edited:
            self.saving.take_for_edited()
        else:
            self.saving.take_for_saved(documents[project.index], only_edits=True)
        self._bring(documents[project.index])
        self.decisions.costs_changed.emit()
        self.analyses.comparison.restore(restored.trial)

    def _put_away(
        self, opened: Document, reading: ImportSource | None, path: str | None = None, stamp: Stamp | None = None
    ) -> None:
        """Drop the current table with its runs and choices; ``opened`` replaces it."""
        self.jobs.unread_files = set()
        self.analyses.comparison.forget()
        self.ledger.forget()
        self.decisions.interest.begin({})
        self.place = {}
        self.history.begin(opened)
        self.reading = reading
        self.selection.forget(len(opened.data))
        self.saving.begin(opened, path, stamp)

    def _bring(self, document: Document) -> None:
        self.history.show(document)
        self.runs_changed.emit()
        self.current_run_changed.emit()
        self.messages.begin_anew()
        self.document_replaced.emit()

    # ---- files -----------------------------------------------------------------------------------------------------

    def open_file(self, path: str | Path, options: ReadOptions | None = None, *, again: bool = False) -> Job:
        """Read a file in the background and show it; ``again`` with these options alone, not like files before."""
        if is_project(path):
            return open_project(self, str(path))
        remembered = () if again else self.settings.readings_of(str(path))
        source = ImportSource(str(path), options=options, remembered=remembered)

        def done(data: Dataset) -> None:
            if options is None or options.query is None:
                self.settings.remember_file(place)
            if options is not None and options.query is None and not is_server_address(place):
                kept = options.for_other_files
                if again or options.sample is None or kept != type(kept)():
                    self.settings.remember_reading(place, data.schema.names, kept)
            self.jobs.chosen_files.add(place)
            self.set_document(data, reading=source)

        def failed(error: object) -> None:
            is_query = options is not None and options.query is not None  # which is mended in its field
            self.jobs.show_error(error, title, try_again=None if is_query else lambda: self.file_asked.emit(place))
            if isinstance(error, PasswordNeededError):
                self.database_asked.emit(error.address)

        place = str(path)
        if is_server_address(place) and options is not None and options.sheet is not None:
            place = ServerAddress.of(place).with_table(options.sheet)
        title = f"Open {source_name(place)}"
        return self.jobs.start(title, source.read, done, failed, on_event=source.hear)

    def reading_of_unchanged(self) -> ImportSource | None:
        """The source of a table that has no changes, runs and unsaved work, to read it once more; else None."""
        is_new = not (self.undo_stack.count() or self.runs or self.saving.is_unsaved)
        return replace(self.reading) if is_new and self.reading is not None else None

    def open_files(self, paths: Sequence[str], file_column: str | None = None) -> Job:
        """Read files with the same columns as one table; it counts as edited, as it has no file of its own."""

        def work(context: RunContext) -> Dataset:
            from algorithms.io.stacking import read_stacked

            context.say(f"Reading {counted(len(paths), 'file')}")
            return read_stacked(paths, context, file_column=file_column)

        def done(data: Dataset) -> None:
            self.jobs.chosen_files.update(paths)
            self.set_document(data)
            self.saving.take_for_edited()
            if data.origin.description:
                self.messages.warn(data.origin.description, about=TABLE)

        return self.jobs.start(f"Open {counted(len(paths), 'file')}", work, done)

    def open_text(self, text: str, options: ReadOptions | None = None) -> Job:
        """Read a pasted table in the background and show it; it counts as edited, as it has no file."""
        source = ImportSource(text=text, options=options)

        def done(data: Dataset) -> None:
            self.set_document(data, reading=source)
            self.saving.take_for_edited()

        return self.jobs.start("Paste a table", source.read, done, on_event=source.hear)

    def open_sample(self, id: str, size: int | None = None, seed: int = 1) -> Job:
        """Generate a sample data set in the background and show it."""
        sample = self.registry.samples.get(id)
        return self.jobs.start(
            f"Open {sample.name}", lambda context: sample.make(size, seed, context), on_done=self.set_document
        )

    # ---- summary, classes, costs -----------------------------------------------------------------------------------

    @property
    def summary(self) -> Summary | None:
        """Summary of the edited data; None until it is counted."""
        return self.history.summaries.raw

    @property
    def classes(self) -> tuple[str, ...]:
        """Class labels; empty without a nominal class."""
        return self.decisions.interest.classes

    @property
    def class_of_interest(self) -> int:
        """Code of the positive class: the chosen one, else an affirmative label such as "yes", else the rarest."""
        return self.decisions.interest.code

    @property
    def positive_label(self) -> str:
        return self.classes[self.class_of_interest] if self.classes else ""

    def set_class_of_interest(self, code: int) -> None:
        self.decisions.interest.choose(code)

    @property
    def costs(self) -> CostMatrix | None:
        """Cost matrix; None while all errors cost the same."""
        return self.decisions.costs

    def set_costs(self, costs: CostMatrix | None) -> None:
        self.decisions.set_costs(costs)

    # ---- runs ------------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[Run, ...]:
        return self.ledger.runs

    @property
    def current_run(self) -> Run | None:
        return self.ledger.current

    def set_current_run(self, run: Run | None) -> None:
        """Make a run current, unless it was removed meanwhile."""
        if run is None or run in self.ledger.runs:
            self.ledger.set_current(run)

    def bring_back(self, run: Run) -> None:
        """Make a run current and restore its options, unless it was removed meanwhile."""
        if run in self.ledger.runs:
            self.ledger.bring_back(run)

    def remove_runs(self, *runs: Run) -> None:
        """Remove runs with an offer to put them back; with an edited model among them, as a step of the history."""
        others = self.analyses.edits.remove(*runs)
        if others:
            self.ledger.remove(*others)

    def start_run(self, learner: Learner, method: Method, seed: int = 1) -> Job:
        """Evaluate the learner by the method and train it on all records; the run becomes current at once."""
        return self.ledger.start(learner, method, seed)

    # ---- where the user is -----------------------------------------------------------------------------------------

    def ask_for_tab(self, name: str) -> None:
        """Show a tab: preprocess, classify, evaluate or visualize."""
        self.tab_asked.emit(name)

    def ask_for_comparison(self) -> None:
        self.ask_for_tab("classify")
        self.comparison_asked.emit()

    def ask_for_page(self, name: str) -> None:
        """Show a page of Evaluate: performance, compare, costs, experiment or one of Diagnostics."""
        self.ask_for_tab("evaluate")
        self.page_asked.emit(name)

    def set_place(self, **changed: object) -> None:
        """Remember JSON values by name that say where the user is in the window."""
        place = {**self.place, **changed}
        if place != self.place:
            self.place = place
            self.place_changed.emit()

    def show_selected(self) -> None:
        self.ask_for_tab("preprocess")
        self.selected_asked.emit()

    def explain(self, record: int | None = None) -> None:
        """Explain the current run's prediction for a record; None for a selected one, the cursor's first."""
        record = self.record_at_hand() if record is None else record
        self.ask_for_tab("visualize")
        self.explanation_asked.emit(record)

    # ---- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> bool:
        """Stop the jobs and end their threads; returns whether all ended in time."""
        self.ending.emit()
        self.ledger.close()
        self.history.summaries.close()
        self.turns.clear()
        self.undo_stack.blockSignals(True)  # it would emit once more while it is destroyed
        return self.jobs.shutdown()
