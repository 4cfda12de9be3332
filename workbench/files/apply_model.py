"""Applying a model to a file of records without a class: read, predicted, shown, saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from algorithms.core.errors import AbsentColumnsError, DataError
from algorithms.core.run_control import RunContext, free_memory
from algorithms.io.text.large_files import too_large
from algorithms.text.names import shortened
from algorithms.text.numbers import coefficient, price
from algorithms.text.sentences import counted, quoted, threshold_words
from workbench.session.decision_rules import TIES_BY_DEFAULT, are_ties
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, themes
from workbench.widgets.dialogs import CSV_FIRST, ask, ask_for_file, ask_where_to_save_table
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout
from workbench.widgets.tables import TextTable

if TYPE_CHECKING:
    from algorithms.core.files import Stamp
    from algorithms.core.learner import Predictions
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.columns import FloatArray
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.costs.decision_rules import DecisionRule
    from algorithms.io.text.options import Style

WIDTH, WIDEST, BESIDE = 640, 960, 540
"""Width of the table, and what a question is narrower than the screen."""
COLUMN: Final = 180
"""Width of a text column at normal text size where not all columns fit."""
MOST_ROWS: Final = 10
"""Most rows shown without scrolling."""


class _Rows(TextTable):
    """Columns as wide as their texts, at most :data:`COLUMN`; the rest is scrolled to."""

    def _weigh(self) -> None:
        super()._weigh()
        most = themes.px(COLUMN)
        self._least = [min(wanted, max(least, most)) for least, wanted in zip(self._least, self._wanted, strict=True)]
        self._share_room()

    def whole_columns(self) -> int:
        """The width that cuts no column, at most :data:`WIDEST` and what a question of Qt has room for."""
        most = max(themes.px(WIDTH), min(themes.px(WIDEST), self.screen().availableGeometry().width() - BESIDE))
        around = 2 * self.frameWidth() + self.verticalScrollBar().sizeHint().width()
        ends = [end + around for end in accumulate(self._least)]
        whole = [end for end in ends if end <= most]
        return whole[-1] if 0 < len(whole) < len(ends) else max([themes.px(WIDTH), *whole])


class AnswersTable(QWidget):
    """The first predictions as a table, with the numbers of all records and further columns."""

    def __init__(self, rows: Sequence[Sequence[str]], n_records: int, n_columns_more: int = 0) -> None:
        super().__init__()
        self._table = _Rows("using.answers", "Predictions for the first records")
        self._table.show_rows(rows)
        n = len(rows) - 1
        words = f"The first {n:,} of {counted(n_records, 'record')}" if n < n_records else f"All {counted(n, 'record')}"
        if n_columns_more:
            words += f"; saved with {counted(n_columns_more, 'more column')}"
        column_layout(label(words), self._table, inside=self, spacing=SPACE_2, margins=(0, SPACE_2, 0, SPACE_2))
        seen = min(n, MOST_ROWS) * self._table.verticalHeader().defaultSectionSize()
        bars = (
            self._table.horizontalHeader().sizeHint().height() + self._table.horizontalScrollBar().sizeHint().height()
        )
        self._table.setFixedSize(self._table.whole_columns(), seen + bars + 2 * self._table.frameWidth())


SUFFIX: Final = ".coppice-model"
MODELS: Final = f"Models (*{SUFFIX})"
MOST_CLASSES: Final = 6
"""Most classes listed with their numbers of predictions, the most frequent first."""
MOST_NOTES: Final = 8
MISSING: Final = "·"
WHAT_MISSING_DOES: Final = (
    "The model can treat it as missing in every record. The more the model depends on it, the worse the predictions."
)
COSTS_WAIT: Final = "Costs are set, but this run uses the default rule: change it in Evaluate, under Costs & threshold."
WHICH_FILE: Final = "Predict which new data?"
WHICH_SECOND_TABLE: Final = "Which second table?"
OF_ALL_RECORDS: Final = "This is the model of all records, not that of a fold."
MODEL: Final = "predicted by"
MOST_SHOWN: Final = 200
"""Most records shown before saving."""
MOST_COLUMNS: Final = 40
LONGEST_CELL: Final = 80
LONGEST_NAME: Final = 32
MOST_ABSENT: Final = 4
"""Most absent columns named in a saved file."""


@dataclass(frozen=True, eq=False)
class AppliedModel:
    """Predictions of a model for the records of a file, behind the columns of the file.

    ``model`` is the name of the model. ``stamp`` tells whether the file has changed since. ``counts`` (k,) are the
    predictions of each class, ``notes`` remarks for the user. The file has the class of ``known`` records, of which
    ``right`` are predicted correctly. ``absent`` columns count as missing. ``deciding`` is the rule in words.
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
    costs: tuple[float, float] | None = None
    """Total cost of the predictions, and under the default rule, of the records with a known class."""
    currency: str = ""
    absent: tuple[str, ...] = ()
    deciding: str = ""
    thresholds: tuple[str, FloatArray] | None = None
    """Where costs differ by record: a class, and the probability from which each record (n,) is predicted as it."""

    def sentence(self) -> str:
        return f"{counted(len(self.predicted), 'record')} of {Path(self.path).name}, predicted by {self.model}."

    def more(self) -> str:
        right = f"{self.right:,} of {self.known:,} records with a known class are predicted correctly."
        checked = [right] if self.known else []
        if self.costs is not None:
            total, default = (f"{price(cost)} {self.currency}".rstrip() for cost in self.costs)
            checked.append(f"They cost {total} in total, {default} under the default rule.")
        if self.known and self.trained.data_name in (Path(self.path).name, Path(self.path).stem):
            checked.append("This is optimistic for training records.")
        left = len(self.notes) - MOST_NOTES
        others = [f"And {counted(left, 'more remark')} of this kind."] if left > 0 else []
        if self.thresholds is not None:
            label = shortened(self.thresholds[0], LONGEST_NAME)
            of_class = self.predicted.column(self.n_own + 1 + self.trained.classes.index(self.thresholds[0]))
            ties = f", with {TIES_BY_DEFAULT}" if are_ties(of_class, self.thresholds[1]).any() else ""
            checked.insert(0, f"Costs differ by record, so each has its own threshold for {label}{ties}.")
        return " ".join([self._said(), self.deciding, *checked, *self.notes[:MOST_NOTES], *others])

    @property
    def n_own(self) -> int:
        return len(self.predicted.schema) - len(self.trained.classes) - 1

    def answers(self, positive: str = "") -> list[tuple[str, ...]]:
        """Header and first records: number, prediction, probability of ``positive``, :data:`MOST_COLUMNS` columns."""
        from algorithms.data.convert_kind import cell_texts

        n, n_own, k = min(len(self.predicted), MOST_SHOWN), self.n_own, len(self.trained.classes)
        attributes = self.predicted.schema.attributes
        labels, *own = (
            [
                shortened(text or "", LONGEST_CELL) or MISSING
                for text in cell_texts(attributes[column], self.predicted.cells(column, np.arange(n)))
            ]
            for column in (n_own, *range(min(n_own, MOST_COLUMNS)))
        )
        probabilities = [self.predicted.cells(n_own + 1 + code, np.arange(n)) for code in range(k)]
        codes = self.predicted.cells(n_own, np.arange(n))
        title, classes, columns = "probability", self.trained.classes, self.predicted.schema.names
        if k == 2 and positive in classes:
            code = classes.index(positive)
            title, codes = shortened(columns[n_own + 1 + code], LONGEST_NAME), np.full(n, code)
        shares = [coefficient(float(probabilities[code][row])) for row, code in enumerate(codes.tolist())]
        names = ("record", columns[n_own], title, *columns[: len(own)])
        if self.thresholds is not None:
            needed = [MISSING if np.isnan(at) else coefficient(at) for at in self.thresholds[1][:n].tolist()]
            names = (*names[:3], f"threshold {shortened(self.thresholds[0], LONGEST_NAME)}", *names[3:])
            own = [needed, *own]
        return [names, *((str(row + 1), labels[row], shares[row], *(texts[row] for texts in own)) for row in range(n))]

    def saved(self, context: RunContext) -> tuple[Dataset, Style]:
        """In a worker: the columns of the file with predictions, model and decision rule, and their style."""
        from algorithms.evaluation.costs.decision_rules import DECISION_RULE, rule_words, with_notes
        from algorithms.io.text.text_writing import in_original_spelling

        data, style = in_original_spelling(self.path, self.stamp, self.predicted, context)
        decided = rule_words(self.trained.deciding) + self._without()
        return with_notes(data, self.thresholds, {MODEL: self.model, DECISION_RULE: decided}), style

    def _without(self) -> str:
        if not self.absent:
            return ""
        names = ", ".join(shortened(name, LONGEST_NAME) for name in self.absent[:MOST_ABSENT])
        left = len(self.absent) - MOST_ABSENT
        return f"; without {names}{f' and {left:,} more' if left > 0 else ''}, treated as missing"

    def _said(self) -> str:
        order = sorted(range(len(self.counts)), key=lambda code: -self.counts[code])
        classes = self.trained.classes
        counts = [
            f"{shortened(classes[code], LONGEST_NAME, classes)} {counted(self.counts[code], 'time')}"
            for code in order[:MOST_CLASSES]
        ]
        others = order[MOST_CLASSES:]
        if others:
            counts.append(f"{len(others)} others {counted(sum(self.counts[code] for code in others), 'time')}")
        return f"{', '.join(counts)}."


def deciding_words(
    trained: TrainedClassifier,
    positive: str = "",
    *,
    is_most_probable: bool = False,
    probabilities: FloatArray | None = None,
) -> str:
    """The decision rule of a classifier in sentences, with the threshold or the costs by which it decides.

    A threshold is that of the class ``positive``, else of the last one. ``is_most_probable`` tells that the default
    rule predicted the most probable class; of ``probabilities`` (n, k) those at the threshold are ties.
    """
    from algorithms.evaluation.costs.decision_rules import ByCost, DecisionRule, theoretical_threshold
    from workbench.session.decision_rules import are_ties, choice_words

    rule, classes = trained.deciding, trained.classes
    if not isinstance(rule, DecisionRule) or rule.choice is None:
        most_probable = f", the most probable class{' (threshold 50%)' if len(classes) == 2 else ''}"
        return f"Decision rule: default{most_probable if is_most_probable else ''}."
    words, costs = f"Decision rule of the run: it {choice_words(rule.choice, classes)}", rule.costs
    if costs is None or not isinstance(rule.choice, ByCost):
        return f"{words}."
    label = positive if positive in classes else classes[-1]
    threshold = None if costs.varies else theoretical_threshold(costs.fixed, classes.index(label))
    if threshold is not None:
        of_class = quoted(shortened(label, LONGEST_NAME, classes))
        has_ties = probabilities is not None and are_ties(probabilities[:, classes.index(label)], threshold).any()
        ties = f", {TIES_BY_DEFAULT}" if has_ties else ""
        words += f" (threshold {threshold_words(threshold)} for {of_class}{ties})"
    brief = replace(rule, classes=tuple(shortened(name, LONGEST_NAME, classes) for name in classes))
    listed = brief.words.partition(": ")[2]
    return f"{words}. {f'Costs in {costs.currency}' if costs.currency else 'Costs'}: {listed}."


def used_on(
    trained: TrainedClassifier,
    model: str,
    path: str,
    context: RunContext,
    more_notes: tuple[str, ...] = (),
    absent_as_missing: bool = False,
    positive: str = "",
    second_tables: Sequence[str] = (),
) -> AppliedModel:
    """In a worker: apply a classifier, named ``model``, to the records of a file; ``more_notes`` come first.

    Where costs that differ by record decide, each has a threshold for the ``positive`` class, else for the last one.

    Raises :class:`CoppiceError` where the file cannot be read, or lacks a needed column that does not count as missing.
    """
    from algorithms.core.files import Stamp
    from algorithms.evaluation.costs.decision_rules import DecisionRule
    from algorithms.filters.cleaning_rules import cleaned
    from algorithms.io.reading import read_like

    name, stamp = Path(path).name, Stamp.of(path)
    context.say(f"Reading {name}")
    data, said = read_like(path, context.child(0.0, key=1), trained.reading)
    clean, misfits = cleaned(data, trained.cleaning, context.checkpoint)
    given = trained.completed(clean) if absent_as_missing else clean
    if second_tables:
        from algorithms.filters.second_table import with_second_tables

        trained = with_second_tables(trained, second_tables, given, context)
    notes = [*said, *(f"{misfit.sentence} {misfit.remedy}".strip() for misfit in misfits)]
    notes += [difference.sentence for difference in trained.differences(given) if not difference.fatal]
    context.say(f"Deciding {counted(len(data), 'record')}")
    try:
        judgement = trained.judged(given, context)
    except AbsentColumnsError as error:  # the column can count as missing: the model can be used
        raise type(error)(f"{name}: {error.sentence}", remedy=error.remedy, place=error.place) from error
    except DataError as error:
        sentence = f"The model cannot be used on {name}. {error.sentence}"
        raise type(error)(sentence, remedy=error.remedy, place=error.place) from error
    counts = np.bincount(judgement.decisions, minlength=len(trained.classes))
    predicted = trained.with_judgement(data, judgement)
    context.checkpoint()
    remarks = trained.model.remarks(judgement)
    known, right = trained.n_right(trained.with_judgement(clean, judgement))
    rule = trained.deciding if isinstance(trained.deciding, DecisionRule) else None
    assumed = "" if rule is None else rule.costs_assumed(given)
    n_incomplete = trained.n_incomplete(clean)
    incomplete = f"{counted(n_incomplete, 'record')} with missing values." if n_incomplete else ""
    notes = list(filter(None, (*more_notes, assumed, incomplete, *remarks, *notes)))
    absent = tuple(name for name in given.schema.names if name not in clean.schema)
    is_most_probable = np.array_equal(judgement.decisions, judgement.probabilities.argmax(axis=1))
    counts_of = tuple(counts.tolist())
    return AppliedModel(
        path,
        trained,
        model,
        predicted,
        counts_of,
        tuple(notes),
        known,
        right,
        stamp,
        _costs_of(trained, rule, given, judgement, context),
        "" if rule is None or rule.costs is None else rule.costs.currency,
        absent,
        deciding_words(trained, positive, is_most_probable=is_most_probable, probabilities=judgement.probabilities),
        None if rule is None else rule.thresholds(given, positive),
    )


def _costs_of(
    trained: TrainedClassifier, rule: DecisionRule | None, data: Dataset, judgement: Predictions, context: RunContext
) -> tuple[float, float] | None:
    """Total cost of the decisions and of the model's own ones; None without costs, or records of known class."""
    truth = trained.truth(data)
    if rule is None or rule.costs is None or truth is None or not (known := np.flatnonzero(truth >= 0)).size:
        return None
    has_columns = all(name in data.schema for name in rule.costs.columns)
    costs = (rule.costs.on(data) if has_columns else rule.costs.typical()).take(known)
    own = replace(trained, deciding=None).judged(data, context).decisions
    totals = (float(costs.of(truth[known], codes[known]).sum()) for codes in (judgement.decisions, own))
    return next(totals), next(totals)


class ModelApplication(QObject):
    """Asks for a file, predicts its records by a model, shows the predictions and saves them."""

    def __init__(self, session: Session, window: QWidget, tables: Callable[[], str]) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._tables = tables
        self.free_memory: Callable[[], int | None] = free_memory

    @property
    def is_possible(self) -> bool:
        run = self._session.current_run
        return run is not None and run.trained is not None

    @property
    def _positive(self) -> str:
        session = self._session
        return session.classes[session.class_of_interest] if session.classes else ""

    def choose_file_for_model_in_view(self, *, as_ranked: bool = False) -> None:
        """Ask for a file and predict its records by the current model and decision rule.

        With ``as_ranked`` a compared run takes the rule that ranked it, once a file is chosen.
        """
        run = self._session.current_run
        if run is None or run.trained is None:
            self._session.messages.warn("There is no trained model in view.", "Train a learner in Classify first.")
            return

        def use(path: str) -> None:
            if as_ranked:
                self._session.analyses.comparison.use_ranking_rule(run)
            decisions = self._session.decisions
            trained, costs_wait = decisions.classifier_of(run), decisions.costs_of(run) is not None
            if trained is not None:
                is_default = costs_wait and decisions.active_choice(run) is None
                notes = (OF_ALL_RECORDS, *((COSTS_WAIT,) if is_default else ()))
                self.use(trained, f"run {run.number}, {run.learner.summary()}", path, notes)

        ask_for_file(self._window, WHICH_FILE, self._tables(), use)

    def choose_model(self) -> None:
        ask_for_file(self._window, "Predict by which saved model?", f"{MODELS};;All files (*)", self.open_model)

    def open_model(self, path: str) -> None:
        registry, name = self._session.registry, Path(path).name

        def work(context: RunContext) -> TrainedClassifier:
            from algorithms.project.models import load_model

            context.say(f"Reading {name}")
            return load_model(path, registry)

        self._session.jobs.start(f"Read {name}", work, on_done=self._say_what_it_is)

    def _say_what_it_is(self, trained: TrainedClassifier) -> None:
        learned = f"trained on {trained.data_name}" if trained.data_name else "trained elsewhere"
        model = f"{trained.learner.summary()}, {learned}"
        target = shortened(trained.input_schema.class_attribute.name, LONGEST_NAME)
        ask(
            self._window,
            f"This is a saved model: {trained.learner.name}, {learned}",
            f"It predicts {target}. {deciding_words(trained)} It can be used on any table with the attributes it "
            "was trained on.",
            [("using.choose_file", "Predict new data...", lambda: self._choose_file(trained, model))],
            stay="Close",
        )

    def _choose_file(self, trained: TrainedClassifier, model: str) -> None:
        ask_for_file(self._window, WHICH_FILE, self._tables(), partial(self.use, trained, model))

    def use(self, trained: TrainedClassifier, model: str, path: str, notes: tuple[str, ...] = ()) -> None:
        """Show the predictions of a file's records with these notes; asks if it exceeds the memory."""
        large = too_large(path, self.free_memory())
        if large is None:
            self._ask_for_second_tables(trained, model, path, notes)
            return
        name = Path(path).name
        ask(
            self._window,
            f"{name} is too large to be read as a table.",
            f"{large.sentence(name)} Use the model on parts of the file, one after another.",
            [("using.whole", "Use it all the same", lambda: self._ask_for_second_tables(trained, model, path, notes))],
        )

    def _ask_for_second_tables(
        self, trained: TrainedClassifier, model: str, path: str, notes: tuple[str, ...], chosen: tuple[str, ...] = ()
    ) -> None:
        """Predict at once, or first ask for each second table that a step of the model reads."""
        from algorithms.filters.second_table import second_tables_of

        remembered = second_tables_of(trained)
        use = partial(self._use, trained, model, path, notes)
        if len(chosen) == len(remembered):
            use(second_tables=chosen)
            return

        def choose() -> None:
            def on_file(other: str) -> None:
                self._ask_for_second_tables(trained, model, path, notes, (*chosen, other))

            ask_for_file(self._window, WHICH_SECOND_TABLE, self._tables(), on_file)

        name = shortened(remembered[len(chosen)], LONGEST_NAME)
        ask(
            self._window,
            f"A step of this model takes columns from {name}.",
            "The model remembers this table as it was in training. New records may need a newer one.",
            [
                ("using.second", "Choose a newer table...", choose),
                ("using.remembered", "Use the remembered table", lambda: use(second_tables=chosen)),
            ],
            stay="Cancel",
        )

    def _use(
        self,
        trained: TrainedClassifier,
        model: str,
        path: str,
        notes: tuple[str, ...],
        absent_as_missing: bool = False,
        second_tables: tuple[str, ...] = (),
    ) -> None:
        def failed(error: object) -> None:
            if isinstance(error, AbsentColumnsError):
                again = partial(self._use, trained, model, path, notes, True, second_tables)
                answers = [("using.missing", "Treat as missing", again)]
                ask(self._window, error.sentence, WHAT_MISSING_DOES, answers, stay="Cancel")
            else:
                self._session.jobs.show_error(error)

        positive = self._positive
        self._session.jobs.start(
            f"Use the model on {Path(path).name}",
            lambda context: used_on(trained, model, path, context, notes, absent_as_missing, positive, second_tables),
            on_done=partial(self._offer, path),
            on_failed=failed,
            worth_asking=True,
        )

    def _offer(self, path: str, used: AppliedModel) -> None:
        name, title = f"{Path(path).stem}-predicted.csv", "Save with the predictions"
        save = partial(self._save, used)
        ask_where = partial(ask_where_to_save_table, self._window, title, CSV_FIRST, name, save)
        positive = self._positive
        ask(
            self._window,
            used.sentence(),
            used.more(),
            [("using.save", f"{title}...", ask_where)],
            AnswersTable(used.answers(positive), len(used.predicted), max(0, used.n_own - MOST_COLUMNS)),
            stay="Close",
            title=f"Predictions for {Path(path).name}",
        )

    def _save(self, used: AppliedModel, path: str, neutral: bool) -> None:
        name = Path(path).name
        saved = f"Saved {name}: {counted(len(used.predicted), 'record')}."

        def work(context: RunContext) -> None:
            from algorithms.io.writing import TEXTS, write_table, written_format

            context.say(f"Writing {name}")
            is_text = written_format(path) in TEXTS  # cells of other formats hold numbers
            data, style = (used if is_text else replace(used, stamp=None)).saved(context.child(0.0, key=1))
            write_table(path, data, context, replace(style, neutral=neutral))

        done = self._session.messages.good
        self._session.jobs.start(f"Save {name}", work, on_done=lambda _: done(saved, name), worth_asking=True)
