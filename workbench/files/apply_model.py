"""Applying a model to a file of records without a class: read, predicted, shown, saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import AbsentColumnsError, DataError
from algorithms.data.schema import free_name, nominal
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.files.out_of_core import free_memory, too_large
from workbench.session.saving import KINDS_OF_TABLE
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, themes
from workbench.widgets.dialogs import ask, ask_for_file, ask_where_to_save_table
from workbench.widgets.labels import label
from workbench.widgets.tables import TextTable

if TYPE_CHECKING:
    from algorithms.core.files import Stamp
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.dataset import Dataset
    from algorithms.io.text.csv_writing import Style

WIDTH: Final = 640
COLUMN: Final = 180
"""Where there is no room for all, a column of words or under a long name has so many pixels at usual text size."""
MOST_ROWS: Final = 10
"""So many rows are in sight at once; the others are scrolled to."""


class _Rows(TextTable):
    """Each column is whole, as far as :data:`COLUMN`, with its name; what has no room is scrolled to."""

    def _weigh(self) -> None:
        super()._weigh()
        most = themes.px(COLUMN)
        self._least = [min(wanted, max(least, most)) for least, wanted in zip(self._least, self._wanted, strict=True)]
        self._share_room()


class AnswersTable(QWidget):
    """Rows under a row of names; of more than these records and columns it says how many there are."""

    def __init__(
        self, rows: Sequence[Sequence[str]], n_records: int, n_columns_more: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._table = _Rows("using.answers", "What the model says of the first records")
        self._table.show_rows(rows)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(0, SPACE_2, 0, SPACE_2)
        inside.setSpacing(SPACE_2)
        n = len(rows) - 1
        words = f"The first {n:,} of {counted(n_records, 'record')}" if n < n_records else "All of them"
        if n_columns_more:
            words += f"; saved with {counted(n_columns_more, 'more column')}"
        inside.addWidget(label(words))
        inside.addWidget(self._table)
        seen = min(n, MOST_ROWS) * self._table.verticalHeader().defaultSectionSize()
        bars = (
            self._table.horizontalHeader().sizeHint().height() + self._table.horizontalScrollBar().sizeHint().height()
        )
        self._table.setFixedSize(themes.px(WIDTH), seen + bars + 2 * self._table.frameWidth())


SUFFIX: Final = ".coppice-model"
MODELS: Final = f"Models (*{SUFFIX})"
MOST_CLASSES: Final = 6
"""So many classes are named with how often they are said; of more only the most frequent."""
MOST_NOTES: Final = 4
MOST_COSTS: Final = 12
"""So many costs are named in a saved file: all those of four classes."""
MISSING: Final = "·"
WHAT_MISSING_DOES: Final = (
    "The model can treat it as missing in every record, and decide by the other columns. The more the model relies on "
    "what is missing, the worse its predictions become."
)
COSTS_WAIT: Final = (
    "Costs are set, but this run does not decide by them yet: that is chosen in Evaluate, under What mistakes cost."
)
MODEL: Final = "said by"
DECIDED_BY: Final = "decided by"
MOST_SHOWN: Final = 200
"""So many records are shown with what is said of them before that is saved, and of a wide file so many columns:"""
MOST_COLUMNS: Final = 40
LONGEST_CELL: Final = 80
LONGEST_NAME: Final = 32
MOST_ABSENT: Final = 4
"""So many columns that a file lacks are named in what is saved."""


@dataclass(frozen=True, eq=False)
class AppliedModel:
    """What a model says of the records of a file: the file's table with the decisions and probabilities behind it.

    ``model`` is what the model is called, ``stamp`` tells whether the file is still the one that was read. ``counts``
    (k,) is how often each class is said, ``notes`` what a person should know of it. Of ``known`` records the file has
    the class, and on so many of these the model is ``right``. ``absent`` columns count as missing.
    """

    path: str
    trained: TrainedClassifier
    model: str
    predicted: Dataset
    counts: tuple[int, ...]
    notes: tuple[str, ...]
    known: int
    right: int
    stamp: Stamp | None
    absent: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Of how many records which model said something."""
        return f"{counted(len(self.predicted), 'record')} of {Path(self.path).name}: this is what {self.model}, says."

    def more(self) -> str:
        """How often it says each class, by what it decides, and what to know."""
        right = f"It is right on {self.right:,} of the {self.known:,} whose class the file knows"
        checked = [f"{right}; of records that it learned from, that says little."] if self.known else []
        left = len(self.notes) - MOST_NOTES
        others = [f"And {counted(left, 'more remark')} of this kind."] if left > 0 else []
        return " ".join([self._said(), deciding_words(self.trained), *checked, *self.notes[:MOST_NOTES], *others])

    @property
    def n_own(self) -> int:
        """How many columns the file itself has."""
        return len(self.predicted.schema) - len(self.trained.classes) - 1

    def answers(self) -> list[tuple[str, ...]]:
        """The first records as rows of text under a row of names: the number, what is said and how sure, and the
        record, as far as :data:`MOST_COLUMNS`."""
        from algorithms.data.convert_kind import cell_texts

        n, n_own, k = min(len(self.predicted), MOST_SHOWN), self.n_own, len(self.trained.classes)
        attributes = self.predicted.schema.attributes
        said, *own = (
            [
                shortened(text or "", LONGEST_CELL) or MISSING
                for text in cell_texts(attributes[at], self.predicted.cells(at, np.arange(n)))
            ]
            for at in (n_own, *range(min(n_own, MOST_COLUMNS)))
        )
        sure = [self.predicted.cells(n_own + 1 + code, np.arange(n)) for code in range(k)]
        codes = self.predicted.cells(n_own, np.arange(n))
        shares = [f"{100 * float(sure[code][row]):.1f}" for row, code in enumerate(codes.tolist())]
        target = self.trained.input_schema.class_attribute.name
        names = ("record", f"{target}: said", "sure in 100", *self.predicted.schema.names[: len(own)])
        return [names, *((str(row + 1), said[row], shares[row], *(each[row] for each in own)) for row in range(n))]

    def saved(self, context: RunContext) -> tuple[Dataset, Style]:
        """In a worker: what is saved, and in which style: the columns as the file has them, what is said, and in the
        last two columns by which model and by what it was decided, without which columns."""
        from algorithms.io.text.csv_writing import as_it_stood

        data, style = as_it_stood(self.path, self.stamp, self.predicted, context)
        decided = decided_by(self.trained) + self._without()
        for name, words in ((MODEL, self.model), (DECIDED_BY, decided)):
            column = nominal(free_name(name, data.schema), (words,))
            data = data.with_new_column(column, np.zeros(len(data), dtype=np.int32))
        return data, style

    def _without(self) -> str:
        """Which columns the file lacked, as the saved file keeps it; empty where it had all."""
        if not self.absent:
            return ""
        names = ", ".join(shortened(name, LONGEST_NAME) for name in self.absent[:MOST_ABSENT])
        left = len(self.absent) - MOST_ABSENT
        return f"; without {names}{f' and {left:,} more' if left > 0 else ''}, treated as missing"

    def _said(self) -> str:
        """How often it says each class, the most frequent first."""
        order = sorted(range(len(self.counts)), key=lambda code: -self.counts[code])
        said = [
            f"{shortened(self.trained.classes[code], LONGEST_NAME)} {counted(self.counts[code], 'time')}"
            for code in order[:MOST_CLASSES]
        ]
        others = order[MOST_CLASSES:]
        if others:
            said.append(f"{len(others)} others {counted(sum(self.counts[code] for code in others), 'time')}")
        return f"{', '.join(said)}."


def deciding_words(trained: TrainedClassifier) -> str:
    """By what a trained classifier decides, as a sentence."""
    from algorithms.evaluation.costs.decision_rules import DecisionRule
    from workbench.session.decision_rules import choice_words

    if isinstance(trained.deciding, DecisionRule) and trained.deciding.choice is not None:
        return f"As you had it decide, it {choice_words(trained.deciding.choice)}."
    return "It decides as the model itself does."


def decided_by(trained: TrainedClassifier) -> str:
    """By what a trained classifier decides, as the file that it is used on keeps it: the threshold, or the costs."""
    from algorithms.evaluation.costs.decision_rules import AtThreshold, DecisionRule
    from algorithms.text.numbers import amount

    deciding = trained.deciding
    if not isinstance(deciding, DecisionRule) or deciding.choice is None:
        return "the model itself"
    if isinstance(deciding.choice, AtThreshold):
        label, threshold = deciding.choice.label, deciding.choice.threshold
        if not 0 < threshold <= 1:
            return f"{'never' if threshold > 1 else 'always'} {label}"
        return f"{label} from probability {threshold:.6g} on"
    if deciding.costs is None:
        return "least expected cost"
    told = [
        f"{true} said {said} {amount(float(deciding.costs[row, column]))}"
        for row, true in enumerate(deciding.classes)
        for column, said in enumerate(deciding.classes)
        if row != column or deciding.costs[row, column]
    ]
    more = f", {len(told) - MOST_COSTS} more" if len(told) > MOST_COSTS else ""
    return f"least expected cost: {', '.join(told[:MOST_COSTS])}{more}"


def used_on(
    trained: TrainedClassifier,
    model: str,
    path: str,
    context: RunContext,
    more_notes: tuple[str, ...] = (),
    absent_as_missing: bool = False,
) -> AppliedModel:
    """In a worker: what is said of each record of a file by a trained classifier that is called ``model``, with more
    that is to be known of it.

    Raises :class:`CoppiceError` where the file cannot be read, or lacks a column that the model needs and that does not
    count as missing.
    """
    from algorithms.core.files import Stamp
    from algorithms.io.reading import read

    name, stamp = Path(path).name, Stamp.of(path)
    context.say(f"Reading {name}")
    data = read(path, context.child(0.0, key=1))
    given = trained.completed(data) if absent_as_missing else data
    notes = [difference.sentence for difference in trained.differences(given) if not difference.fatal]
    context.say(f"Deciding {counted(len(data), 'record')}")
    try:
        judgement = trained.judged(given, context)
    except DataError as error:
        said = f"The model cannot be used on {name}. {error.sentence}"
        raise type(error)(said, remedy=error.remedy, place=error.place) from error
    counts = np.bincount(judgement.decisions, minlength=len(trained.classes))
    predicted = trained.with_judgement(data, judgement)
    context.checkpoint()
    remarks = trained.model.remarks(judgement)
    known, right = trained.n_right(predicted)
    notes = [*more_notes, *remarks, *notes]
    absent = tuple(name for name in given.schema.names if name not in data.schema)
    counts_of = tuple(counts.tolist())
    return AppliedModel(path, trained, model, predicted, counts_of, tuple(notes), known, right, stamp, absent)


class ModelApplication(QObject):
    """Asks for a file, has a model decide its records, says what came out and saves it where a person wants it."""

    def __init__(self, session: Session, window: QWidget, tables: str) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._tables = tables
        self.free_memory: Callable[[], int | None] = free_memory

    @property
    def is_possible(self) -> bool:
        """Whether there is a model in view."""
        run = self._session.current_run
        return run is not None and run.trained is not None

    def choose_file_for_model_in_view(self) -> None:
        """Ask for a file and have the model in view decide its records, as it is decided by now."""
        run = self._session.current_run
        trained = None if run is None else self._session.decisions.classifier_of(run)
        if run is None or trained is None:
            self._session.messages.warn("There is no trained model in view.", "Start a run in Classify first.")
            return
        costs_wait = self._session.decisions.costs_of(run) is not None and self._session.decisions.in_force(run) is None
        notes = (COSTS_WAIT,) if costs_wait else ()
        self._choose_file(trained, f"run {run.number}, {run.learner.summary()}", notes)

    def choose_model(self) -> None:
        """Ask for a saved model, then for a file, and have it decide the file's records."""
        ask_for_file(self._window, "Use which saved model?", f"{MODELS};;All files (*)", self.open_model)

    def open_model(self, path: str) -> None:
        """Read a saved model, then ask for a file to use it on."""
        registry, name = self._session.registry, Path(path).name

        def work(context: RunContext) -> TrainedClassifier:
            from algorithms.project.models import load_model

            context.say(f"Reading {name}")
            return load_model(path, registry)

        self._session.jobs.start(f"Read {name}", work, on_done=self._say_what_it_is)

    def _say_what_it_is(self, trained: TrainedClassifier) -> None:
        learned = f"learned from {trained.data_name}" if trained.data_name else "learned elsewhere"
        model = f"{trained.learner.summary()}, {learned}"
        target = shortened(trained.input_schema.class_attribute.name, LONGEST_NAME)
        ask(
            self._window,
            f"This is a saved model: {trained.learner.name}, {learned}",
            f"It predicts {target}. {deciding_words(trained)} It can be used on any table that has the columns it "
            "learned from.",
            [("using.choose_file", "Use it on a file...", lambda: self._choose_file(trained, model))],
            stay="Close",
        )

    def _choose_file(self, trained: TrainedClassifier, model: str, notes: tuple[str, ...] = ()) -> None:
        use = partial(self.use, trained, model, notes=notes)
        ask_for_file(self._window, "Use the model on which file?", self._tables, use)

    def use(self, trained: TrainedClassifier, model: str, path: str, notes: tuple[str, ...] = ()) -> None:
        """Have the model, which is called so, decide the records of a file in the background, then say what came out,
        with these notes; ask first where the file is larger than memory."""
        large = too_large(path, self.free_memory())
        if large is None:
            self._use(trained, model, path, notes)
            return
        name = Path(path).name
        ask(
            self._window,
            f"{name} is too large to be read as a table.",
            f"{large.sentence(name)} Use the model on parts of the file, one after another.",
            [("using.whole", "Use it all the same", lambda: self._use(trained, model, path, notes))],
        )

    def _use(
        self,
        trained: TrainedClassifier,
        model: str,
        path: str,
        notes: tuple[str, ...],
        absent_as_missing: bool = False,
    ) -> None:
        def failed(error: object) -> None:
            if isinstance(error, AbsentColumnsError):
                again = partial(self._use, trained, model, path, notes, absent_as_missing=True)
                self._ask_about_absent(error, again)
            else:
                self._session.jobs.show_error(error)

        self._session.jobs.start(
            f"Use the model on {Path(path).name}",
            lambda context: used_on(trained, model, path, context, notes, absent_as_missing),
            on_done=partial(self._offer, path),
            on_failed=failed,
            worth_asking=True,
        )

    def _ask_about_absent(self, error: AbsentColumnsError, go_on: Callable[[], object]) -> None:
        """Offer to treat columns that a file lacks as missing, and say what that does."""
        answers = [("using.missing", "Treat as missing", go_on)]
        ask(self._window, error.sentence, WHAT_MISSING_DOES, answers, stay="Cancel")

    def _offer(self, path: str, used: AppliedModel) -> None:
        name = f"{Path(path).stem}-predicted.csv"
        ask(
            self._window,
            used.sentence(),
            used.more(),
            [
                (
                    "using.save",
                    "Save with the predictions...",
                    lambda: ask_where_to_save_table(
                        self._window, "Save with the predictions", KINDS_OF_TABLE, name, partial(self._save, used)
                    ),
                )
            ],
            AnswersTable(used.answers(), len(used.predicted), max(0, used.n_own - MOST_COLUMNS)),
            stay="Close",
        )

    def _save(self, used: AppliedModel, path: str, neutral: bool) -> None:
        name = Path(path).name
        saved = f"Saved {name}: {counted(len(used.predicted), 'record')}."

        def work(context: RunContext) -> None:
            from algorithms.io.excel_writing import write_table

            context.say(f"Writing {name}")
            is_sheet = Path(path).suffix.lower() == ".xlsx"  # its cells hold numbers, which can be counted with
            data, style = (replace(used, stamp=None) if is_sheet else used).saved(context.child(0.0, key=1))
            write_table(path, data, context, replace(style, neutral=neutral))

        self._session.jobs.start(
            f"Save {name}",
            work,
            on_done=lambda _: self._session.messages.good(saved),
            worth_asking=True,
        )
