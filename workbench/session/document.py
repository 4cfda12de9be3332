"""The document, its undo history, column summaries counted after each change, and the source of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.filters import Filter
from algorithms.core.learner import Learner, Problem
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema
from algorithms.data.summary import Summary, summarize
from algorithms.filters.step_effects import StepEffect, effect_on_columns, effect_on_records
from algorithms.io.servers import is_web_address, source_name
from algorithms.project.run_record import Document, DocumentStep, TableSource
from algorithms.text.sentences import and_more
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.jobs.ui_scheduling import single_shot

if TYPE_CHECKING:
    from algorithms.io.reading import RawRows, SheetList
    from algorithms.io.text.options import ReadOptions
    from workbench.session.settings import RememberedReading


CSV_KEEPS: Final = "A CSV keeps the values, not the kinds, the class and what is left out."
TABLE_KEEPS: Final = "The file keeps the values, not the class, the steps and what is left out."
"""What a file of another format loses; most keep the kinds."""


def loses_in_file(opened: Document, now: Document) -> bool:
    """Whether a table file of ``now`` loses edits of kinds, class or use of attributes, or a recipe."""
    if now.steps != opened.steps and now.steps:
        return True
    before, after = opened.data.schema, now.data.schema
    aligned = len(before) == len(after)
    was: dict[int | str, Attribute] = (
        dict(enumerate(before.attributes)) if aligned else {a.name: a for a in before.attributes}
    )
    for index, attribute in enumerate(after.attributes):
        old = was.get(index if aligned else attribute.name)
        if old is not None and (old.kind, old.used) != (attribute.kind, attribute.used):
            return True
    return before.class_index != after.class_index if aligned else _class_name(before) != _class_name(after)


def _class_name(schema: Schema) -> str | None:
    return None if schema.class_index is None else schema.class_attribute.name


MOVE: Final = 1
"""The id by which Qt merges commands that move the same thing."""


class DocumentEdit(QUndoCommand):
    """An undoable change of the document, with its name: "Change kind of zip to nominal".

    Successive changes that are ``moves`` of the same thing become one, or none if it is moved back.
    """

    def __init__(
        self, text: str, before: Document, after: Document, show: Callable[[Document], None], moves: str = ""
    ) -> None:
        super().__init__(text)
        self.before = before
        self.after = after
        self.moves = moves
        self._show = show

    def id(self) -> int:
        return MOVE if self.moves else -1

    def mergeWith(self, command: QUndoCommand) -> bool:
        if not isinstance(command, DocumentEdit) or command.moves != self.moves:
            return False
        self.after = command.after
        self.setText(command.text())
        if self.after.is_same_as(self.before):
            self._show(self.before)
            self.setObsolete(True)
        return True

    def redo(self) -> None:
        self._show(self.after)

    def undo(self) -> None:
        self._show(self.before)


def document_after(command: QUndoCommand) -> Document | None:
    """The document after a command or after the last of a group; None if unknown."""
    while not isinstance(command, DocumentEdit) and command.childCount():
        command = command.child(command.childCount() - 1)
    return command.after if isinstance(command, DocumentEdit) else None


def document_name(data: Dataset, project: str | None = None) -> str:
    """The one name of a document: that of its ``project`` file, of the table's file, or of a table without one."""
    return data.origin.file_name if project is None else Path(project).name


def names_around(command: QUndoCommand) -> tuple[str, ...]:
    """Column names before and after a command, which its text may contain."""
    first, last = command, command
    while not isinstance(first, DocumentEdit) and first.childCount():
        first = first.child(0)
    while not isinstance(last, DocumentEdit) and last.childCount():
        last = last.child(last.childCount() - 1)
    before = first.before.data.schema.names if isinstance(first, DocumentEdit) else ()
    after = last.after.data.schema.names if isinstance(last, DocumentEdit) else ()
    return before if before == after else tuple(dict.fromkeys((*before, *after)))


def steps_of(stack: QUndoStack, start: int = 0) -> list[DocumentStep]:
    """Names and resulting documents of the commands from ``start`` on, undone ones too."""
    commands = [stack.command(index) for index in range(start, stack.count())]
    return [DocumentStep(c.actionText(), after) for c in commands if (after := document_after(c)) is not None]


MOST_STEPS: Final = 400
"""Largest number of steps that can be undone one by one."""
FOLDED: Final = 100
"""Beyond :data:`MOST_STEPS`, this many of the oldest steps become one."""


class History(QObject):
    """The document with its undo stack and summaries. Documents passed on the way to another are not announced."""

    leaving = Signal(object)
    """This document is about to be replaced, shown or not."""
    shown = Signal(object, object)
    """The document before, or None, and the current one."""

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stack = QUndoStack(self)
        self.summaries = Summaries(self, jobs)
        self._document: Document | None = None
        self._opened: Document | None = None
        self._is_on_the_way = False
        self._is_filling = False

    @property
    def document(self) -> Document | None:
        return self._document

    @property
    def opened(self) -> Document | None:
        return self._opened

    @property
    def needed(self) -> Document:
        """The current document; raises :class:`DataError` without one."""
        if self._document is None:
            raise DataError("No table is open.", remedy="Open one first.")
        return self._document

    def document_at(self, step: int) -> Document | None:
        """The document after this many steps; None if the history does not have so many."""
        if not 0 < step <= self.stack.count():
            return self._opened if step == 0 else None
        return document_after(self.stack.command(step - 1))

    def before_cleaning(self) -> Dataset | None:
        """The latest table that no cleaning rule had changed; None if the history does not reach back to it."""
        for step in range(self.stack.index(), -1, -1):
            document = self.document_at(step)
            if document is not None and not document.data.origin.cleaning:
                return document.data
        return None

    def push(self, text: str, after: Document, moves: str = "") -> None:
        """Replace the document by ``after``; ``text`` names the step, ``moves`` what it moves, if it does."""
        self.stack.push(DocumentEdit(text, self.needed, after, self.show, moves))
        if self.stack.count() > MOST_STEPS:
            self._fold_oldest()

    def go_to(self, step: int) -> None:
        """Undo or redo to this step, without showing those between."""
        before = self._document
        if before is None or step == self.stack.index() or not 0 <= step <= self.stack.count():
            return
        self._is_on_the_way = True
        self.stack.setIndex(step)
        self._is_on_the_way = False
        after, self._document = self.needed, before
        self.show(after)

    def show(self, document: Document) -> None:
        """Make a document current; the stack calls this itself."""
        if self._is_filling:
            return
        before = self._document
        if before is not None:
            self.leaving.emit(before)
        self._document = document
        if not self._is_on_the_way:
            self.shown.emit(before, document)

    def begin(self, opened: Document) -> None:
        """Clear the history; the next steps start from ``opened``, which is not shown yet."""
        self._opened = None
        self.stack.clear()
        self._document = None
        self._opened = opened

    def _fold_oldest(self) -> None:
        opened, clean = self._opened, self.stack.cleanIndex()
        if opened is None:
            return
        steps = steps_of(self.stack)
        left = FOLDED - 1
        names = ["", "Earlier changes", *(name for name, _ in steps[FOLDED:])]
        documents = [opened, *(document for _, document in steps[left:])]
        self._is_filling = True
        self.stack.blockSignals(True)
        self.stack.clear()
        self.stack.blockSignals(False)
        self._is_filling = False
        self.fill(names, documents, len(documents) - 1, clean - left if clean > left else 0 if clean == 0 else None)

    def fill(self, names: Sequence[str], documents: Sequence[Document], index: int, clean: int | None = 0) -> None:
        """Rebuild the undo stack without showing a step; it is clean after ``clean`` steps, None for nowhere."""
        stack = self.stack
        self._is_filling = True
        stack.blockSignals(True)
        for name, before, after in zip(names[1:], documents, documents[1:], strict=False):
            stack.push(DocumentEdit(name, before, after, self.show))
        if clean is None:
            stack.resetClean()
        elif clean:
            stack.setIndex(clean)
            stack.setClean()
        stack.setIndex(index)
        stack.blockSignals(False)
        self._is_filling = False
        stack.canUndoChanged.emit(stack.canUndo())
        stack.canRedoChanged.emit(stack.canRedo())
        stack.undoTextChanged.emit(stack.undoText())
        stack.redoTextChanged.emit(stack.redoText())
        stack.indexChanged.emit(stack.index())


@dataclass(frozen=True, eq=False)
class SummaryResult:
    """Summaries before each step and after the recipe; ``refusal`` says why a step refuses ``prepared``."""

    raw: Summary
    prepared: Summary
    before: tuple[Summary, ...] = ()
    refusal: str = ""
    effects: tuple[StepEffect, ...] = ()


@dataclass(frozen=True, eq=False)
class FittedStep:
    """The result of a step on given data, so that it is not learned again from the same data."""

    number: int
    filter: Filter
    before: Dataset
    after: Dataset
    effect: StepEffect


MOST_PROBLEMS: Final = 1000
"""Largest number of learner settings whose problems are cached."""


class Summaries(QObject):
    """Summaries of the data before and after the recipe, counted in a job."""

    changing = Signal()
    """New summaries are about to be taken."""
    changed = Signal()

    def __init__(self, history: History, jobs: Jobs) -> None:
        super().__init__(history)
        self._history = history
        self._counted: SummaryResult | None = None
        self._problems: dict[Learner, list[Problem]] = {}
        self._learned: tuple[FittedStep, ...] = ()
        self._task = LatestTask(jobs)
        self._timer = single_shot(self, 0, self._count)

    @property
    def raw(self) -> Summary | None:
        """Summary of the edited data; None until it is counted."""
        return None if self._counted is None else self._counted.raw

    @property
    def prepared(self) -> Summary | None:
        """Summary of the data after the recipe; None until it is counted."""
        return None if self._counted is None else self._counted.prepared

    def before(self, step: int) -> Summary | None:
        """Summary of the data that reach a step, or the first earlier step that raises an error; None until counted."""
        if self._counted is None:
            return None
        summaries = (*self._counted.before, self._counted.prepared)
        return summaries[min(step, len(summaries) - 1)]

    def refusal(self, step: int) -> str:
        """Why the step refuses its data; empty where it does not, or before it was tried."""
        refused = self._counted is not None and len(self._counted.before) == step + 1
        return self._counted.refusal if refused and self._counted is not None else ""

    def effect(self, step: int) -> StepEffect | None:
        """What a step of the recipe does to its data; None while unknown."""
        effects = () if self._counted is None else self._counted.effects
        return effects[step] if step < len(effects) else None

    def problems(self, learner: Learner | type[Learner]) -> list[Problem]:
        """Why this learner cannot take the data after the recipe; empty where it can, or while unknown."""
        if self.prepared is None:
            return []
        asked = learner() if isinstance(learner, type) else learner
        if asked not in self._problems:
            if len(self._problems) >= MOST_PROBLEMS:
                self._problems.clear()
            self._problems[asked] = asked.check(self.prepared)
        return self._problems[asked]

    def recount(self) -> None:
        """Drop the summaries, and count again once the window has shown the change."""
        self._task.stop()
        self._counted = None
        self._problems.clear()
        self._timer.start()

    def _take(self, counted: SummaryResult) -> None:
        self.changing.emit()
        self._counted = counted
        self.changed.emit()

    def close(self) -> None:
        self._timer.stop()

    def _count(self) -> None:
        document, learned = self._history.needed, self._learned
        work = partial(count, document, learned)
        self._task.run("Counting values", work, on_done=self._take, on_event=self._keep)

    def _keep(self, learned: FittedStep) -> None:
        self._learned = (*self._learned[: learned.number], learned)


def count(document: Document, learned: tuple[FittedStep, ...], context: RunContext) -> SummaryResult:
    """In a worker: summarize the data before and after the recipe; publishes each step it learns.

    A step already ``learned`` from the same data is not learned again, as selecting columns by a learner's error takes
    minutes.
    """
    context.say("Counting values")
    raw = summarize(document.data, context.checkpoint)
    before, effects = list[Summary](), list[StepEffect]()
    data = learned[0].before if learned else document.data
    if data.recipe_input is not document.data:
        data = document.data.with_recipe_input(document.data)
    for number, step in enumerate(document.recipe):
        before.append(summarize(data, context.checkpoint, counted=False))
        part = context.child(1 / len(document.recipe), number)
        fitted = learned[number] if number < len(learned) else None
        if fitted is None or fitted.filter != step or fitted.before is not data:
            try:
                fitted = _learned(number, step, data, part)
            except CoppiceError as refused:
                prepared = summarize(data, context.checkpoint)
                return SummaryResult(raw, prepared, tuple(before), str(refused), tuple(effects))
            context.publish(fitted)
        part.complete()
        effects.append(fitted.effect)
        data = fitted.after
    prepared = summarize(data, context.checkpoint)
    return SummaryResult(raw, prepared, tuple(before), effects=tuple(effects))


def _learned(number: int, step: Filter, data: Dataset, context: RunContext) -> FittedStep:
    fitted, after = step.learn(data, context)
    after = after.with_recipe_input(data.recipe_input)
    only_training = step.only_training
    effect = effect_on_records(data, after) if only_training else effect_on_columns(data, after, context.checkpoint)
    return FittedStep(number, step, data, after, replace(effect, found=tuple(map(tuple, fitted.learned_rows()))))


@dataclass(eq=False)
class ImportSource(TableSource):
    """A file or a pasted text, read in a worker; ``read_as`` is set while it is read.

    Without ``options`` the first of the ``remembered`` readings whose columns the file has is used.
    """

    remembered: Sequence[RememberedReading] = ()
    read_like: str = ""
    """The file whose remembered reading was used; empty if none was."""

    def as_source(self) -> TableSource:
        """What a project keeps of it."""
        return TableSource(**{each.name: getattr(self, each.name) for each in fields(TableSource)})

    def read(self, context: RunContext) -> Dataset:
        """In a worker: the table."""
        if self.path is None:
            from algorithms.io.text.delimited import read_text

            context.say("Reading what was pasted")
            return read_text(self.text or "", context, self.options)
        from algorithms.io.reading import read

        context.say(f"Reading {source_name(self.path)}")
        with suppress(OSError):  # reading reports it
            status = Path(self.path).stat()
            self.size, self.modified = status.st_size, status.st_mtime_ns
        given = self.options
        is_open = given is None or given.for_other_files == type(given)()
        for reading in self.remembered if is_open else ():
            options = reading.options.sampled_as(given)
            with suppress(DataError):  # another file under a name of this pattern
                data = read(self.path, context, options)
                if set(reading.names) <= set(data.schema.names):
                    self.options, self.read_like = options, reading.file
                    return data
        return read(self.path, context, self.options)

    def read_like_recipe(self, data: Dataset, recipe: str, context: RunContext) -> tuple[Dataset, list[str]]:
        """In a worker: the table read as that of a recipe file, and sentences on what does not fit.

        It is ``data`` itself, which was read from here, where the recipe keeps no reading or an equal one.
        """
        from algorithms.io.reading import read_like
        from algorithms.io.text.options import FileReading, ReadOptions
        from algorithms.project.recipes import load_reading

        like, own = load_reading(recipe), data.origin.reading
        given = ReadOptions() if self.options is None or self.read_like else self.options
        wanted = given if like is None else like.under(given)
        if (
            like is None
            or own is None
            or self.path is None
            or FileReading.of(wanted, wanted, {}).options == own.options
        ):
            return data, []
        context.check_may_open(self.path)
        context.say(f"Reading {source_name(self.path)}")
        again, said = read_like(self.path, context, like, given)
        if said:
            return data, said
        self.options, self.read_like = wanted, Path(recipe).name
        return again, []

    def first_rows(self, context: RunContext) -> RawRows:
        """In a worker: the first rows as they stand; raises :class:`UnreadFileError` for a forbidden file."""
        from algorithms.io.reading import MOST_RAW, raw_rows
        from algorithms.io.text.options import ReadOptions

        context.say("Looking at the rows of the file")
        if self.path is None:
            lines = (self.text or "").splitlines()[:MOST_RAW]
            return [(number, tuple(line.split("\t"))) for number, line in enumerate(lines, start=1)]
        if is_web_address(self.path):  # it would be fetched once more
            return ()
        context.check_may_open(self.path)
        return raw_rows(self.path, self.read_as or self.options or ReadOptions(), context)

    def look_at_sheet(self, sheet: str, context: RunContext) -> tuple[ReadOptions, RawRows]:
        """In a worker: detected options and first rows of a sheet; raises :class:`UnreadFileError` if forbidden."""
        from algorithms.io.reading import raw_rows, sniff
        from algorithms.io.text.options import ReadOptions

        if self.path is None or is_web_address(self.path):
            return ReadOptions(sheet=sheet), ()
        context.check_may_open(self.path)
        options = ReadOptions(sheet=sheet)
        rows = raw_rows(self.path, options, context)
        return (sniff(self.path, options, context=context) if rows else options), rows

    def look(self, context: RunContext) -> tuple[ReadOptions, SheetList]:
        """In a worker: detected options and the sheets; raises :class:`UnreadFileError` for a forbidden file."""
        from algorithms.io.reading import SheetList, sheet_list, sniff

        context.say("Looking how the table is written")
        if self.path is None:
            from algorithms.io.text.delimited import sniff_text

            return sniff_text(self.text or ""), SheetList()
        context.check_may_open(self.path)
        if is_web_address(self.path) and self.read_as is not None:  # it would be fetched once more
            return self.read_as, SheetList()
        sheets = sheet_list(self.path, context)
        read_as = self.read_as if sheets.names else None
        return read_as or sniff(self.path, context=context), sheets

    def hear(self, event: object) -> None:
        """In the window's thread: note the options that the reader detected."""
        from algorithms.io.text.options import ReadOptions

        if isinstance(event, ReadOptions):
            self.read_as = event


def unfit_reading(opened: Dataset, recipe: str) -> list[str]:
    """In a worker: why a changed table may lack what a recipe file needs, with the remedy; empty where it fits."""
    from algorithms.project.recipes import load_reading

    like = load_reading(recipe)
    misfits = () if like is None or opened.origin.path is None else like.misfits(opened.schema)
    if not misfits:
        return []
    what = f"As it was read, the table lacks columns, numbers or dates: {and_more(misfits, 3)}."
    remedy = "Open the file again and use the recipe before any change: then it is read as the recipe's table was."
    return [f"{what} {remedy}"]
