"""Opening and saving: file dialogs, and questions before anything is lost.

Of a file larger than memory, a sample is opened, or a tree is grown from pieces of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFormLayout, QWidget

from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext, free_memory
from algorithms.experiments import SUFFIX as EXPERIMENT_SUFFIX
from algorithms.io.reading import FORMATS, TEXT, column_names, format_of_file, sheets
from algorithms.io.servers import ServerAddress, is_address
from algorithms.io.text.large_files import FEWEST, OversizedFile, measured, too_large
from algorithms.io.text.options import ReadOptions
from algorithms.io.writing import SQLITE
from algorithms.text.names import shortened
from algorithms.text.sentences import and_more, counted
from workbench.autosave.session_serialization import SUFFIX, is_project
from workbench.files.apply_model import MODELS, ModelApplication
from workbench.files.apply_model import SUFFIX as MODEL_SUFFIX
from workbench.forms.database_form import DatabaseForm, WebAddressForm
from workbench.forms.editors import CalmComboBox
from workbench.jobs.jobs import Job, give_way
from workbench.session.runs import Run, RunState
from workbench.session.selection import open_part, save_part, selected_part
from workbench.session.session import Session
from workbench.widgets.dialogs import (
    CSV_FIRST,
    Answer,
    ask,
    ask_for_files,
    ask_where_to_save,
    ask_where_to_save_table,
)
from workbench.widgets.fields import NumberField, with_room

if TYPE_CHECKING:
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.out_of_core import OutOfCoreTree
    from algorithms.evaluation.result import EvaluationResult
    from workbench.session.session import Session


EXPERIMENTS: Final = f"Experiments (*{EXPERIMENT_SUFFIX})"
FILE_COLUMN: Final = "file"
"""Name of the column with the file of each record."""


def table_filters() -> str:
    return ";;".join([*(f"{format.name} ({format.patterns})" for format in FORMATS), "All files (*)"])


def table_patterns() -> str:
    """The patterns of all tables, text first."""
    return " ".join([TEXT.patterns, *(format.patterns for format in reversed(FORMATS) if format is not TEXT)])


def in_file_name(learner: Learner) -> str:
    """The name of a learner as part of a file name: "k-nearest-neighbours", "c45-decision-tree"."""
    return re.sub(r"\W+", "-", learner.name.replace(".", "").lower()).strip("-")


class Files(QObject):
    """Opens and saves files for the window, with file dialogs and questions before anything is lost."""

    opening = Signal()
    """The user waits for a table from now on."""
    begun = Signal(object)
    settled = Signal()
    """The user no longer waits for a table."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self.using = ModelApplication(session, window, lambda: f"Tables ({table_patterns()});;{table_filters()}")
        self._opening: Job | None = None
        self.free_memory: Callable[[], int | None] = free_memory

    @property
    def is_opening(self) -> bool:
        return self._opening is not None

    # ---- opening ---------------------------------------------------------------------------------------------------

    def choose_file(self) -> None:
        patterns = f"*{SUFFIX} *{MODEL_SUFFIX} *{EXPERIMENT_SUFFIX} {table_patterns()}"
        every = f"Tables, projects, models and experiments ({patterns})"
        kinds = f"{every};;Projects (*{SUFFIX});;{MODELS};;{EXPERIMENTS};;{table_filters()}"
        ask_for_files(self._window, "Open tables or a project", kinds, self.open_file, self.open_files)

    def choose_database(self, address: str | None = None) -> None:
        """Ask for a database on a server, and for a table or a query of it, which is then opened."""

        def open_(server: ServerAddress, options: ReadOptions) -> None:
            self.unless_lost(lambda: self._open(lambda: self._session.open_file(str(server), options)))

        DatabaseForm(self._window, self._session.jobs, self._session.settings, open_, address).open()

    def choose_web_address(self) -> None:
        """Ask for the address of a table on the web, which is then fetched and opened."""
        form = WebAddressForm()

        def open_() -> None:
            address, options = form.address(), ReadOptions(allows_http=form.allows_http.isChecked())
            if address:
                self.unless_lost(lambda: self._open(lambda: self._session.open_file(address, options)))

        ask(
            self._window,
            "Open a table on the web",
            "The file is fetched and read as any other file; nothing of this computer is sent.",
            [("question_box.open", "Open", open_)],
            form,
            stay="Cancel",
        )
        form.line.setFocus()

    def open_files(self, paths: Sequence[str]) -> None:
        """Open a file, or after a question several tables as one."""
        if len(paths) < 2:
            for path in paths:
                self.open_file(path)
            return
        own = (SUFFIX, MODEL_SUFFIX, EXPERIMENT_SUFFIX)
        other = next((path for path in paths if is_project(path) or path.lower().endswith(own)), None)
        if other is not None:
            self._session.messages.warn(
                f"{Path(other).name} is no table: it cannot be opened together with other files.", "Open it by itself."
            )
            return
        names = and_more([Path(path).name for path in paths], 4)
        ask(
            self._window,
            f"Open {counted(len(paths), 'file')} as one table?",
            f"The records of {names} come below each other; columns agree by name. The file of each record can be "
            f"kept in a nominal column, {FILE_COLUMN}, which is not used in training.",
            [
                ("question_box.stack", "One table", lambda: self._open_stacked(paths, None)),
                ("question_box.stack_named", "With the column", lambda: self._open_stacked(paths, FILE_COLUMN)),
            ],
            stay="Cancel",
        )

    def _open_stacked(self, paths: Sequence[str], file_column: str | None) -> None:
        self.unless_lost(lambda: self._open(lambda: self._session.open_files(paths, file_column)))

    def open_file(self, path: str) -> None:
        """Open a table, project or saved model; asks if something would be lost or memory is short."""
        if path.lower().endswith(MODEL_SUFFIX):
            self.using.open_model(path)
            return
        if path.lower().endswith(EXPERIMENT_SUFFIX):
            self._session.experiments.open(path)
            return
        large = None if is_project(path) else too_large(path, self.free_memory())
        if large is None:
            self._open_whole(path)
        else:
            self._look_for_pieces(path, large)

    def _open_whole(self, path: str) -> None:
        self.unless_lost(lambda: self._open(lambda: self._session.open_file(path)))

    def _look_for_pieces(self, path: str, large: OversizedFile) -> None:
        def done(looked: tuple[OversizedFile | None, tuple[str, ...]]) -> None:
            exact, names = looked
            if exact is None or not exact.n_fitting:  # also a log of a web server: the table holds its sessions only
                self._open_whole(path)
            else:
                self._offer_part(path, exact, names)

        def work(_context: RunContext) -> tuple[OversizedFile | None, tuple[str, ...]]:
            return measured(path, large), column_names(path) if format_of_file(path) is TEXT else ()

        self._session.jobs.start("", work, on_done=done)

    def _offer_part(self, path: str, large: OversizedFile, columns: tuple[str, ...]) -> None:
        """Ask whether a sample is opened or, if the ``columns`` of a text are known, a tree is grown in pieces."""
        learners, name = self._session.registry.learners, Path(path).name
        form = PartForm(
            large.usual_sample, large.n_fitting, columns, [(id, learners.get(id).name) for id in LEARNERS_IN_PIECES]
        )
        trees = "A tree can also be grown from the file in pieces and is tested on records held out." if columns else ""
        sample = ("question_box.sample", "Open a sample", lambda: self._open_sample_of(path, form.n_records))
        pieces = ("question_box.pieces", "Grow a tree in pieces", lambda: self._open_pieces(path, form.wish()))
        whole = ("question_box.whole", "Open it all the same", lambda: self._open_whole(path))
        ask(
            self._window,
            f"{name} is too large to be opened as a table.",
            f"{large.sentence(name)} A random sample of its records fits, with the exact statistics of all of them. "
            f"{trees}".strip(),
            [sample, pieces, whole] if columns else [sample, whole],
            form,
        )

    def _open_sample_of(self, path: str, n_records: int) -> None:
        options = ReadOptions(sample=n_records)
        self.unless_lost(lambda: self._open(lambda: self._session.open_file(path, options)))

    def _open_pieces(self, path: str, wish: TrainingRequest) -> None:
        self.unless_lost(lambda: self._open(lambda: open_in_pieces(self._session, path, wish)))

    def open_sample(self, id: str) -> None:
        self.unless_lost(lambda: self._open(lambda: self._session.open_sample(id)))

    def open_selected(self) -> None:
        """Open the selected records as a table, after asking if edits or runs would be lost."""
        part = selected_part(self._session)
        if part is not None:
            self.unless_lost(lambda: self._open(lambda: open_part(self._session, part)))

    def paste(self) -> None:
        """Open the table or file in the clipboard, after asking if something would be lost."""
        copied = cast("QMimeData | None", QGuiApplication.clipboard().mimeData()) or QMimeData()  # None if empty
        files = [url.toLocalFile() for url in copied.urls() if url.isLocalFile()]
        if files:
            self.open_files(files)
        elif copied.hasText() and copied.text().strip():
            text = copied.text()
            self.unless_lost(lambda: self._open(lambda: self._session.open_text(text)))
        else:
            self._session.messages.warn(
                "There is no table in the clipboard.", "Copy cells in a spreadsheet first, with their row of names."
            )

    def _open(self, start: Callable[[], Job]) -> None:
        if self._opening is not None:
            self._opening.stop()
        self.opening.emit()
        try:
            self._opening = start()
        except CoppiceError as error:
            self._opening = None
            self._session.messages.error(error)
            self.settled.emit()
        else:
            self._opening.ended.connect(self._opened)
            self.begun.emit(self._opening)

    def _opened(self, job: Job) -> None:
        if job is self._opening:
            self._opening = None
            self.settled.emit()

    # ---- saving a project ------------------------------------------------------------------------------------------

    def save_project(self) -> None:
        """Save everything in the project file; ask for a name if it has none."""
        self._save_project_and(None)

    def choose_where_to_save_project(self) -> None:
        self._choose_project_and(None)

    def _save_project_and(self, then: Callable[[], object] | None) -> None:
        path = self._session.saving.path
        if path is None:
            self._choose_project_and(then)
        else:
            self._write_project(path, then)

    def _choose_project_and(self, then: Callable[[], object] | None, name: str = "") -> None:
        data = self._session.data
        if data is not None:
            path = self._session.saving.path
            name = name or (f"{Path(data.origin.name).stem}{SUFFIX}" if path is None else Path(path).name)
            write = partial(self._write_project, then=then)
            folder = _folder_of(path or data.origin.path)
            ask_where_to_save(self._window, "Save project", f"Projects (*{SUFFIX})", name, write, folder)

    def _write_project(self, path: str, then: Callable[[], object] | None) -> None:
        if not is_project(path):  # else it would be opened as a table
            path += SUFFIX
        self._start_writing(path, then, partial(self._ask_about_change, path, then))

    def _start_writing(
        self, path: str, then: Callable[[], object] | None, on_changed: Callable[[], object] | None = None
    ) -> None:
        job = self._session.saving.save_project(path, on_changed)
        if then is not None:
            job.done.connect(lambda _value: then())

    def _ask_about_change(self, path: str, then: Callable[[], object] | None) -> None:
        copy = f"{Path(path).stem} (copy){SUFFIX}"
        ask(
            self._window,
            f"{Path(path).name} has changed since it was opened here.",
            "Another window or program saved it meanwhile. Save a copy to keep both, or overwrite it.",
            [
                ("question_box.copy", "Save a copy...", lambda: self._choose_project_and(then, copy)),
                ("question_box.overwrite", "Overwrite", lambda: self._start_writing(path, then)),
            ],
            stay="Cancel",
        )

    # ---- saving ----------------------------------------------------------------------------------------------------

    def choose_where_to_save_data(self) -> None:
        data = self._session.data
        if data is not None:
            title = f"Save all {counted(len(data), 'record')}"
            name = f"{Path(data.origin.name).stem}.csv"
            if data.origin.path is not None and Path(data.origin.path).name.casefold() == name.casefold():
                name = f"{Path(name).stem}-edited.csv"  # else the source would be overwritten
            ask_where_to_save_table(self._window, title, CSV_FIRST, name, self._save_data)

    def choose_database_to_save_data(self) -> None:
        """Ask for a database on a server, and for the table in it that the data are written to."""
        data = self._session.data
        if data is None:
            return

        def save(server: ServerAddress, options: ReadOptions) -> None:
            existing = str(form.existing.currentData())
            self._session.saving.save_data(str(server), existing=existing, table=options.sheet or "")

        jobs, settings = self._session.jobs, self._session.settings
        form = DatabaseForm(self._window, jobs, settings, save, saves=data.origin.name)
        form.open()

    def _save_data(self, path: str, neutral: bool) -> None:
        """Save the data; if a database has a table of its name, ask first what becomes of that."""
        data, save = self._session.data, partial(self._session.saving.save_data, path, neutral)
        if data is None or Path(path).suffix.lower() not in SQLITE.suffixes or not Path(path).is_file():
            save()
            return
        name, database = data.origin.name, Path(path).name

        def ask_about(tables: tuple[str, ...]) -> None:
            if name.casefold() not in map(str.casefold, tables):
                save()
                return
            ask(
                self._window,
                f"{database} has a table named {shortened(name, 40)!r} already.",
                "Its other tables stay. If the saving fails or is stopped, the database stays as it is.",
                [
                    ("question_box.keep_both", "Keep both", partial(save, existing="rename")),
                    ("question_box.append", "Append the records", partial(save, existing="append")),
                    ("question_box.replace", "Replace the table", partial(save, existing="replace")),
                ],
                stay="Cancel",
            )

        self._session.jobs.start("", lambda context: sheets(path, context), on_done=ask_about)

    def choose_where_to_save(self, what: str) -> None:
        """Ask for a name and save the "model" or the "predictions" of the current run, or predictions for a "file".

        Those for a "ranked-file" are made under the rule that ranked the run.
        """
        choose: dict[str, Callable[[], object]] = {
            "model": self.choose_where_to_save_model,
            "predictions": self.choose_where_to_save_predictions,
            "file": self.using.choose_file_for_model_in_view,
            "ranked-file": partial(self.using.choose_file_for_model_in_view, as_ranked=True),
        }
        choose[what]()

    def choose_where_to_save_model(self) -> None:
        run = self._session.current_run
        if run is None or run.trained is None:
            self._session.messages.warn("There is no trained model in view.", "Train a learner in Classify first.")
            return
        name = f"{in_file_name(run.learner)}-{Path(run.data_name).stem}.coppice-model"
        save = partial(self._session.saving.save_model, run)
        ask_where_to_save(self._window, "Save model", MODELS, name, save)

    @property
    def can_copy_model(self) -> bool:
        from algorithms.export.formats import exporter_of

        run = self._session.current_run
        trained = None if run is None else run.trained
        return trained is not None and exporter_of(type(trained.structure()), "text") is not None

    def copy_model(self) -> None:
        from algorithms.export.formats import exported

        run = self._session.current_run
        trained = None if run is None else run.trained
        if trained is None or not self.can_copy_model:
            return

        def done(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._session.messages.good("The model is in the clipboard, as text.")

        self._session.jobs.start("Copy the model", lambda _context: exported(trained, "text", give_way), on_done=done)

    def choose_where_to_save_predictions(self) -> None:
        run = self._session.current_run
        if run is None or run.result is None:
            self._session.messages.warn("There are no predictions in view.", "Train a learner in Classify first.")
            return
        name = f"{Path(run.data_name).stem}-{in_file_name(run.learner)}-predictions.csv"
        save = partial(self._session.saving.save_predictions, run)
        ask_where_to_save_table(self._window, "Save test predictions", CSV_FIRST, name, save)

    def choose_where_to_save_selected(self) -> None:
        part = selected_part(self._session)
        if part is not None:
            save = partial(save_part, self._session, part)
            name = f"{part.origin.name}.csv"
            ask_where_to_save_table(self._window, "Save the selected records", CSV_FIRST, name, save)

    # ---- questions -------------------------------------------------------------------------------------------------

    def unless_lost(self, act: Callable[[], object]) -> None:
        """Call ``act``, after one question if opening another table would lose or stop something."""
        running = [run.job for run in self._session.runs if run.is_running and run.job is not None]
        if not running and not self._session.saving.is_unsaved:
            act()
            return
        words = "Open without saving" if self._session.saving.unsaved else "Stop and open"
        self._ask("Opening another table", running, act, ("question_box.go_on", words, act))

    def ask_before_closing(self, running: list[Job], close: Callable[[], object]) -> None:
        """Call ``close`` after a question that lists running jobs and unsaved work."""
        words = "Stop and close" if running else "Close without saving"
        self._ask("Closing", running, close, ("question_box.close", words, close))

    def _ask(self, doing: str, running: list[Job], act: Callable[[], object], answer: Answer) -> None:
        unsaved = self._session.saving.unsaved
        sentences, answers = [], [answer]
        if running:
            names = ", ".join(job.title for job in running[:3])
            sentences.append("Something is still running." if len(running) == 1 else "Some things are still running.")
            sentences.append(f"{doing} stops: {names}.")
            sentences += dict.fromkeys(job.kept for job in running if job.kept)
        if unsaved:
            sentences.append(unsaved)
            words = "Save project" if self._session.saving.path else "Save project..."
            answers.insert(0, ("question_box.save", words, lambda: self._save_project_and(act)))
        if not running:
            sentences.append(f"{doing} drops what is not saved.")
        ask(self._window, sentences[0], " ".join(sentences[1:]), answers)


def _folder_of(path: str | None) -> str:
    """The folder of a file; empty without one, and for what lies on a server."""
    return "" if path is None or is_address(path) else str(Path(path).absolute().parent)


LEAST_BRANCH: Final = 50
LEARNERS_IN_PIECES: Final[Mapping[str, Mapping[str, object]]] = {"c4.5": {}, "cart": {"pruning": "pessimistic"}}
"""Learners that can grow from a file in pieces, the first by default, with options other than their defaults.

Pruning that tests inside the training records would need them in memory.
"""


@dataclass(frozen=True)
class TrainingRequest:
    """The column to predict, None for the best guess, and the id of the learner."""

    class_name: str | None = None
    learner: str = next(iter(LEARNERS_IN_PIECES))


@dataclass(frozen=True, eq=False)
class _TreeInPieces:
    """A tree grown in pieces, evaluated on the held-out records of its sample."""

    found: OutOfCoreTree
    data: Dataset
    learner: Learner
    method: Method
    result: EvaluationResult
    report: Report


def open_in_pieces(session: Session, path: str, wish: TrainingRequest, seed: int = 1) -> Job:
    """Grow a tree from a file in the background and show it as a run on a sample of the records."""
    name = Path(path).name
    values: dict[str, object] = {"min_leaf": LEAST_BRANCH, "split_search": "binned", **LEARNERS_IN_PIECES[wish.learner]}
    learner = session.registry.learners.get(wish.learner)().with_values(**values)
    method: Method = session.registry.methods.get("holdout")()

    def done(opened: _TreeInPieces) -> None:
        session.settings.remember_file(path)
        session.set_document(opened.data)
        state = RunState.PARTIAL if opened.result.partial else RunState.DONE
        run = Run(
            number=0,
            learner=opened.learner,
            method=opened.method,
            recipe=(),
            seed=seed,
            data_name=opened.data.origin.file_name,
            data=opened.data,
            result=opened.result,
            report=opened.report,
            trained=opened.found.trained,
            state=state,
            seconds=job.seconds,
        )
        session.ledger.enter(run)
        session.ledger.set_current(run)
        session.ask_for_tab("classify")

    job = session.jobs.start(
        f"Grow a tree from {name}",
        lambda context: _grow_in_pieces(path, learner, method, wish.class_name, context),
        done,
        can_finish=True,
        worth_asking=True,
        seed=seed,
    )
    return job


def _grow_in_pieces(
    path: str, learner: Learner, method: Method, class_name: str | None, context: RunContext
) -> _TreeInPieces:
    from algorithms.evaluation.measures.metrics import report
    from algorithms.evaluation.out_of_core import grow_in_pieces

    tree = grow_in_pieces(learner, path, method, context, class_name=class_name)
    result = tree.on_sample()
    data = tree.with_totals()
    data = data.with_origin(replace(data.origin, path=None))
    return _TreeInPieces(tree, data, tree.result.learner, method, result, report(result, checkpoint=context.checkpoint))


GUESS: Final = "the one named class, else the last nominal attribute"
LONGEST_NAME: Final = 48


class PartForm(QWidget):
    """Choices below a question: records of a sample and, with ``columns``, class and learner of a tree."""

    def __init__(self, n_usual: int, n_most: int, columns: Sequence[str], learners: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._records = NumberField()
        self._records.setRange(min(FEWEST, n_most), n_most)
        self._records.setGroupSeparatorShown(True)
        self._records.setValue(n_usual)
        with_room(self._records)
        self._class = CalmComboBox()
        self._class.addItem(GUESS)
        for index, name in enumerate(self._columns):
            self._class.addItem(shortened(name, LONGEST_NAME))
            self._class.setItemData(index + 1, name, Qt.ItemDataRole.ToolTipRole)
        self._learner = CalmComboBox()
        for id, name in learners:
            self._learner.addItem(name, id)
        self._learner.setCurrentIndex(max(0, self._learner.findData(next(iter(LEARNERS_IN_PIECES)))))
        form = QFormLayout(self)
        form.setContentsMargins(0, 8, 0, 8)
        rows: tuple[tuple[QWidget, str, str, str], ...] = (
            (self._records, "records", "&Records in the sample", "Records in the sample; so many fit into memory"),
            (self._class, "class", "&Predict", "The class (target) of the tree"),
            (self._learner, "learner", "&Grown by", "The learner that grows the tree"),
        )
        for widget, purpose, label, tip in rows if self._columns else rows[:1]:
            widget.setObjectName(f"question_box.{purpose}")
            widget.setAccessibleName(tip)
            widget.setToolTip(tip)
            form.addRow(label, widget)

    @property
    def n_records(self) -> int:
        """Number of records in the sample."""
        return self._records.value()

    def wish(self) -> TrainingRequest:
        index = self._class.currentIndex()
        return TrainingRequest(self._columns[index - 1] if index > 0 else None, str(self._learner.currentData()))
