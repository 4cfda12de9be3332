"""The sole owner of what changes: the document with its undo stack, the runs, the class of interest, the jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.filters import Recipe, fit_recipe
from algorithms.core.learner import Learner, Problem
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.core.summary import Summary, summarize
from workbench.commands import Document, Edit
from workbench.jobs import Job, Jobs
from workbench.keeping import Restored, is_project, open_project
from workbench.messages import Message, Messages
from workbench.readings import Reading
from workbench.runs import Judged, Run, RunState, judge_and_train
from workbench.saving import Saving
from workbench.selection import Selection
from workbench.settings import Settings
from workbench.trials import Trials
from workbench.turns import Turns

__all__ = ["Run", "RunState", "Session"]

if TYPE_CHECKING:
    from algorithms.core.trained import TrainedClassifier
    from algorithms.evaluation.costs import CostMatrix
    from algorithms.io.reading import ReadOptions

RUNS_CHANGED_MS: Final = 80


@dataclass(frozen=True, eq=False)
class _Summaries:
    raw: Summary
    prepared: Summary


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
        self.messages = Messages(self)
        self.jobs = Jobs(self.messages, self)
        self.turns = Turns(self)
        self.undo_stack = QUndoStack(self)
        self.selection = Selection(self)
        self.trials = Trials(self)
        self._document: Document | None = None
        self._is_on_the_way = False
        self._opened: Document | None = None
        self._is_filling = False
        self.reading: Reading | None = None
        self._summaries: _Summaries | None = None
        self._problems: dict[Learner, list[Problem]] = {}
        self._summary_job: Job | None = None
        self._summary_timer = QTimer(self)
        self._summary_timer.setSingleShot(True)
        self._summary_timer.timeout.connect(self._count)
        self._interest: dict[str, str] = {}
        self._interest_in: WeakKeyDictionary[Document, str] = WeakKeyDictionary()
        self._costs: CostMatrix | None = None
        self._runs: list[Run] = []
        self._n_started = 0
        self._current: Run | None = None
        self._removal: Message | None = None
        self._runs_timer = QTimer(self)
        self._runs_timer.setSingleShot(True)
        self._runs_timer.setInterval(RUNS_CHANGED_MS)
        self._runs_timer.timeout.connect(self.runs_changed)
        self.place: Mapping[str, object] = {}
        self.saving = Saving(self)

    # ---- the document ----------------------------------------------------------------------------------------------

    @property
    def data(self) -> Dataset | None:
        """The edited data, before the recipe."""
        return None if self._document is None else self._document.data

    @property
    def document(self) -> Document | None:
        """The edited data and the recipe."""
        return self._document

    @property
    def opened(self) -> Document | None:
        """The document before its first edit."""
        return self._opened

    @property
    def recipe(self) -> Recipe:
        return () if self._document is None else self._document.recipe

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
        before = self._needed()
        self._push(text, before, Document(new_data, before.recipe))

    def set_recipe(self, recipe: Recipe, text: str) -> None:
        """Replace the recipe, undoably."""
        before = self._needed()
        self._push(text, before, Document(before.data, recipe))

    def go_to(self, step: int) -> None:
        """Undo or redo to after this many steps of the history; what lies between is not shown."""
        before = self._document
        if before is None or step == self.undo_stack.index() or not 0 <= step <= self.undo_stack.count():
            return
        self._is_on_the_way = True
        self.undo_stack.setIndex(step)
        self._is_on_the_way = False
        after, self._document = self._needed(), before
        self._show(after)

    def set_class(self, name: str | None) -> None:
        """Choose the column to predict, undoably."""
        self.edit(f"Predict {name}" if name else "Predict nothing", self._needed().data.with_class(name))

    def set_used(self, names: Sequence[str], used: bool) -> None:
        """Leave attributes out of learning, or take them in again, undoably."""
        data = self._needed().data
        schema = data.schema
        for name in names:
            index = schema.index_of(name)
            schema = schema.with_attribute(index, replace(schema.attributes[index], used=used))
        what = names[0] if len(names) == 1 else f"{len(names)} attributes"
        self.edit(f"Use {what}" if used else f"Leave out {what}", data.with_schema(schema))

    def _needed(self) -> Document:
        if self._document is None:
            raise DataError("No table is open.", remedy="Open one first.")
        return self._document

    def _push(self, text: str, before: Document, after: Document) -> None:
        self.undo_stack.push(Edit(text, before, after, self._show))

    def _show(self, document: Document) -> None:
        if self._is_filling:
            return
        before = self._document
        if before is not None:
            self._remember_interest(before)
        self._document = document
        if self._is_on_the_way:
            return
        if before is not None:
            self._bring_back_interest(before, document)
        if before is not None:
            before.data.let_go_of_columns(but_for=document.data)
        if before is None or document.data is not before.data:
            self._summarize()
            self.selection.look_at(document.data)
            self.data_changed.emit()
            self.class_of_interest_changed.emit()
        if before is None or document.recipe != before.recipe:
            if before is not None and document.data is before.data:
                self._summarize()
            self.recipe_changed.emit()

    def set_document(self, data: Dataset, recipe: Recipe = (), reading: Reading | None = None) -> None:
        """Show another table: nothing to undo, an empty ledger. ``reading`` says how it was read."""
        opened = Document(data, recipe)
        self._put_away(opened, reading)
        self._bring(opened)

    def restore(self, kept: Restored) -> None:
        """Show a table with everything that was done with it: edits to undo and redo, the ledger, what was chosen."""
        project = kept.project
        documents = [Document(step.data, step.recipe) for step in project.steps]
        self._put_away(documents[0], kept.reading, project.path)
        self._fill_history([step.text for step in project.steps], documents, project.index)
        self._interest, self._costs, self.place = dict(project.interest), project.costs, project.place
        self._runs.extend(kept.runs)
        self._n_started = max(project.runs, default=0)
        self._current = next((run for run in self._runs if run.number == project.view), None)
        if project.is_saved:
            self.saving.take_for_saved()
        elif project.is_edited:
            self.undo_stack.resetClean()
        else:
            self.undo_stack.setClean()
        self._bring(documents[project.index])
        self.costs_changed.emit()

    def _fill_history(self, names: Sequence[str], documents: Sequence[Document], index: int) -> None:
        """Make the undo stack as it was, without showing every step."""
        stack = self.undo_stack
        self._is_filling = True
        stack.blockSignals(True)
        for name, before, after in zip(names[1:], documents, documents[1:], strict=False):
            stack.push(Edit(name, before, after, self._show))
        stack.setIndex(index)
        stack.blockSignals(False)
        self._is_filling = False
        stack.canUndoChanged.emit(stack.canUndo())
        stack.canRedoChanged.emit(stack.canRedo())
        stack.undoTextChanged.emit(stack.undoText())
        stack.redoTextChanged.emit(stack.redoText())
        stack.indexChanged.emit(stack.index())

    def _put_away(self, opened: Document, reading: Reading | None, path: str | None = None) -> None:
        """Forget the table in view and all that was done with it; ``opened`` comes in its place."""
        for run in self._runs:
            if run.is_running and run.job is not None:
                run.job.stop()
        self.trials.forget()
        self._runs.clear()
        self._forget_removal()
        self._n_started = 0
        self._current = None
        self._interest.clear()
        self._costs = None
        self.place = {}
        self._opened = None
        self.undo_stack.clear()
        self._document = None
        self.reading = reading
        self.selection.forget(len(opened.data))
        self._opened = opened
        self.saving.begin(opened, path)

    def _bring(self, document: Document) -> None:
        """Show the first document of a table."""
        self._show(document)
        self.runs_changed.emit()
        self.current_run_changed.emit()
        self.document_replaced.emit()

    # ---- files -----------------------------------------------------------------------------------------------------

    def open_file(self, path: str | Path, options: ReadOptions | None = None) -> Job:
        """Read a file in the background and show it: a table, or a project with all that was done."""
        if is_project(path):
            return open_project(self, str(path))
        reading = Reading(path=str(path), options=options)

        def done(data: Dataset) -> None:
            self.settings.remember_file(str(path))
            self.set_document(data, reading=reading)

        return self.jobs.start(f"Open {Path(path).name}", reading.read, done, on_event=reading.hear)

    def open_text(self, text: str, options: ReadOptions | None = None) -> Job:
        """Read a pasted table in the background and show it; it counts as edited, as no file has it."""
        reading = Reading(text=text, options=options)

        def done(data: Dataset) -> None:
            self.set_document(data, reading=reading)
            self.undo_stack.resetClean()

        return self.jobs.start("Paste a table", reading.read, done, on_event=reading.hear)

    def open_sample(self, id: str, size: int | None = None, seed: int = 1) -> Job:
        """Make a sample data set in the background and show it."""
        sample = self.registry.samples.get(id)
        return self.jobs.start(
            f"Open {sample.name}", lambda context: sample.make(size, seed, context), on_done=self.set_document
        )

    # ---- summary and problems --------------------------------------------------------------------------------------

    @property
    def summary(self) -> Summary | None:
        """The summary of the edited data, None until it is counted."""
        return None if self._summaries is None else self._summaries.raw

    @property
    def prepared_summary(self) -> Summary | None:
        """The summary of the data under the recipe, None until it is counted."""
        return None if self._summaries is None else self._summaries.prepared

    def problems(self, learner: Learner | type[Learner]) -> list[Problem]:
        """Why this learner cannot take the data under the recipe; empty where it can, or while that is not known."""
        summary = self.prepared_summary
        if summary is None:
            return []
        asked = learner() if isinstance(learner, type) else learner
        if asked not in self._problems:
            self._problems[asked] = asked.check(summary)
        return self._problems[asked]

    def _summarize(self) -> None:
        """Forget the summary, and count anew once the window has shown the change."""
        if self._summary_job is not None:
            self._summary_job.stop()
        self._summaries = None
        self._problems.clear()
        self._summary_timer.start()

    def _count(self) -> None:
        document = self._needed()

        def work(context: RunContext) -> _Summaries:
            context.say("Counting values")
            raw = summarize(document.data, context.checkpoint)
            if not document.recipe:
                return _Summaries(raw, raw)
            _, prepared = fit_recipe(document.recipe, document.data, context)
            return _Summaries(raw, summarize(prepared, context.checkpoint))

        self._summary_job = self.jobs.start("Counting values", work, on_done=self._summarized)

    def _summarized(self, summaries: _Summaries) -> None:
        interest = self.class_of_interest
        self._summaries = summaries
        self.summary_changed.emit()
        if self.class_of_interest != interest:
            self.class_of_interest_changed.emit()

    # ---- the class of interest -------------------------------------------------------------------------------------

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels of the class that is chosen now; empty where it is not nominal."""
        data = self.data
        if data is None or data.schema.class_index is None:
            return ()
        return data.schema.class_attribute.values

    @property
    def class_of_interest(self) -> int:
        """Code of the "positive" class: the one that was chosen, else the rarest."""
        classes, data = self.classes, self.data
        if data is None or not classes:
            return 0
        chosen = self._interest.get(data.schema.class_attribute.name)
        if chosen in classes:
            return classes.index(chosen)
        counts = None if self.summary is None else self.summary.class_counts
        if counts is None or len(counts) != len(classes):
            return len(classes) - 1
        present = [code for code in range(len(classes)) if counts[code] > 0] or [len(classes) - 1]
        return min(reversed(present), key=lambda code: float(counts[code]))

    def set_class_of_interest(self, code: int) -> None:
        data = self.data
        if data is not None and 0 <= code < len(self.classes):
            self._interest[data.schema.class_attribute.name] = self.classes[code]
            self.class_of_interest_changed.emit()

    def _remember_interest(self, document: Document) -> None:
        """Which class was chosen while this document was in view: an edit may call it otherwise."""
        chosen = self._interest.get(self._class_name(document))
        if chosen is not None and chosen in self.classes:
            self._interest_in[document] = chosen

    def _bring_back_interest(self, before: Document, document: Document) -> None:
        """Where the classes were renamed or merged and that is undone, the one chosen then is of interest again."""
        name, chosen = self._class_name(document), self._interest_in.get(document)
        if chosen is None or self._class_name(before) != name:
            return
        if before.data.schema.classes != self.classes:
            self._interest[name] = chosen

    @staticmethod
    def _class_name(document: Document) -> str:
        schema = document.data.schema
        return "" if schema.class_index is None else schema.class_attribute.name

    @property
    def interest(self) -> Mapping[str, str]:
        """The class of interest that was chosen, for each class attribute that has one."""
        return self._interest

    # ---- costs -----------------------------------------------------------------------------------------------------

    @property
    def costs(self) -> CostMatrix | None:
        """What mistakes cost, None while every mistake counts the same."""
        return self._costs

    def set_costs(self, costs: CostMatrix | None) -> None:
        if costs != self._costs:
            self._costs = costs
            self.costs_changed.emit()

    # ---- runs ------------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[Run, ...]:
        """The ledger, in the order of starting."""
        return tuple(self._runs)

    @property
    def current_run(self) -> Run | None:
        """The run in view."""
        return self._current

    def set_current_run(self, run: Run | None) -> None:
        if run is not self._current:
            self._current = run
            self.current_run_changed.emit()

    def bring_back(self, run: Run) -> None:
        """Bring a run into view together with its options."""
        self.set_current_run(run)
        self.run_brought_back.emit(run)

    def set_note(self, run: Run, text: str) -> None:
        if run.note != text:
            run.note = text
            self.runs_changed.emit()

    def remove_run(self, run: Run) -> None:
        """Take a run out of the ledger, with an offer to put it back; a running one is stopped first."""
        if run.is_running and run.job is not None:
            run.job.stop()
        at = self._runs.index(run)
        self._runs.remove(run)
        if run is self._current:
            self.set_current_run(self._runs[-1] if self._runs else None)
        self.runs_changed.emit()
        self._forget_removal()
        self._removal = self.messages.add(
            Message(
                f"Run {run.number} was removed.",
                action_text="Undo",
                action=lambda: self._put_back(run, at),
            )
        )

    def _put_back(self, run: Run, at: int) -> None:
        self._removal = None
        self._runs.insert(at, run)
        self.set_current_run(run)
        self.runs_changed.emit()

    def _forget_removal(self) -> None:
        """Take the offer to put back a removed run out of the window."""
        if self._removal is not None:
            self.messages.dismiss(self._removal)
            self._removal = None

    def start_run(self, learner: Learner, method: Method, seed: int = 1) -> Job:
        """Judge the learner by the method and train it on all records to look at; the run comes into view at once."""
        run = self.new_run(learner, method, seed)
        run.job = self.jobs.start(
            f"{learner.name}, {method.described()}",
            lambda context: judge_and_train(run, context),
            on_done=lambda trained: self.complete_run(run, trained),
            on_failed=lambda error: self.fail_run(run, error),
            on_stopped=lambda: self.end_run(run, RunState.STOPPED),
            on_event=lambda event: self.take_run_event(run, event),
            can_finish=True,
            worth_asking=True,
            seed=seed,
        )
        self.enter_run(run)
        self.set_current_run(run)
        return run.job

    def new_run(self, learner: Learner, method: Method, seed: int) -> Run:
        """A run on the document as it is now, not yet in the ledger."""
        document = self._needed()
        return Run(0, learner, method, document.recipe, seed, document.data.origin.name, document.data)

    def enter_run(self, run: Run) -> None:
        """Give a run its number and its row of the ledger."""
        self._n_started += 1
        run.number = self._n_started
        self._forget_removal()
        self._runs.append(run)
        self.runs_changed.emit()

    def take_run_event(self, run: Run, event: object) -> None:
        """A fold or the whole is judged; how a test file was read is none of the run's news."""
        from algorithms.evaluation.runner import FoldDone

        if isinstance(event, Judged):
            run.result, run.report = event.result, event.report
            self._set_has_something(run, False)
            self._announce(run)
            return
        if not isinstance(event, FoldDone):
            return
        run.folds.append(event)
        self._set_has_something(run, event.n_folds > 1)
        if not self._runs_timer.isActive():
            self._runs_timer.start()

    @staticmethod
    def _set_has_something(run: Run, has_something: bool) -> None:
        if run.job is not None:
            run.job.set_has_something(has_something)

    def complete_run(self, run: Run, trained: TrainedClassifier) -> None:
        run.trained = trained
        partial = run.result is not None and run.result.partial
        self.end_run(run, RunState.PARTIAL if partial else RunState.DONE)

    def fail_run(self, run: Run, error: Exception, *, said_elsewhere: bool = False) -> None:
        if isinstance(error, CoppiceError):
            run.message = str(error)
            if not said_elsewhere:
                self.messages.error(error)
        else:
            run.message = "The program made a mistake."
            self.jobs.report_bug(error)
        self.end_run(run, RunState.FAILED)

    def end_run(self, run: Run, state: RunState) -> None:
        run.state = state
        run.seconds = run.job.seconds - run.began_at if run.job is not None else 0.0
        self._announce(run)

    def _announce(self, run: Run) -> None:
        self._runs_timer.stop()
        self.runs_changed.emit()
        if run is self._current:
            self.current_run_changed.emit()

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

    # ---- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> bool:
        """Stop the jobs and end their threads; whether all had ended in time."""
        self.ending.emit()
        self._runs_timer.stop()
        self._summary_timer.stop()
        self.turns.clear()
        self.undo_stack.blockSignals(True)  # it would speak once more while it is taken down
        return self.jobs.shutdown()
