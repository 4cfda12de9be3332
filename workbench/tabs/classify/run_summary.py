"""Summary of the current run: accuracy in sentences, remarks, the model, a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Final, cast

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextDocumentFragment
from PySide6.QtWidgets import QLabel, QMenu, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from algorithms.core.filters import Recipe
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import distinct
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.report import baseline_sentence, leak_words, verdict
from algorithms.evaluation.result import EvaluationResult, chosen_words
from algorithms.evaluation.tested_records import CellsOfTests
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.tree import Prior, Tree
from algorithms.text.names import shortened
from algorithms.text.numbers import amount, coefficient, p_words, percent, price
from algorithms.text.sentences import accuracy_words, counted, of_class, quoted, without_breaks
from workbench.jobs.jobs import LatestTask
from workbench.session.decision_rules import OF_THE_TESTS_ALONE, WHY_MARKED, code_among
from workbench.session.learner_comparison import Trial
from workbench.session.runs import Run, RunState, after_steps, changed_since, failure_of, steps_listed
from workbench.session.saving import NEW_DATA, PREDICT_NEW_DATA, SAVE_TEST_PREDICTIONS, TEST_PREDICTIONS
from workbench.session.selection import NOT_IN_THE_TABLE, select_cells
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_4, current_theme, themes
from workbench.tabs.classify.progress import so_far, stopped_after
from workbench.tabs.classify.runs_model import COSTS, cost_sentence
from workbench.viewers.charts.export import ChartMenuButton, Export, exported_widget
from workbench.viewers.charts.legend import LINE, ClassLegend
from workbench.viewers.majority_class import PriorBars
from workbench.viewers.original_units import show_structure, table_numbers
from workbench.viewers.viewer import (
    ComparesTwoClasses,
    ShowsExport,
    ShowsLegend,
    ShowsOneClass,
    ShowsTrainingRecords,
    Viewer,
)
from workbench.viewers.viewer_registry import viewer_for
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.dialogs import ask_for_file
from workbench.widgets.examples import FaintExample
from workbench.widgets.help_pages import meaning
from workbench.widgets.interval_axis import IntervalAxis
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import (
    TOGETHER,
    ElidedLabel,
    LinkLabel,
    TermLabel,
    label,
    link,
    show_text,
    strong,
    term_link,
)
from workbench.widgets.layouts import ClearWidget, column_layout, flowing, named, row_widget
from workbench.widgets.panes import FailureNote, Pane, UprightScrollArea

MISSED: Final = "missed"
MOST_FAILURES = 3
N_MEASURES = 4
BESIDE_SIZE = 13
FIGURE_SIZE: Final = 30
"""Size of the one result of the page."""
PRECISION = "Precision = TP / (TP + FP): the share of records predicted as the class that belong to it"
RECALL = "Recall = TP / (TP + FN): the share of records of the class that are predicted as it"
F1 = "F1 = 2 · precision · recall / (precision + recall), the harmonic mean of both"
LONGEST_CLASS = 20
LONGEST_BESIDE: Final = 10
"""A longer name of a class stands above its measures, not beside the name of each."""


@dataclass(frozen=True)
class VerdictText:
    """Headline, dim text beside it, and sentences of HTML below."""

    headline: str
    beside: str = ""
    sentences: tuple[str, ...] = ()


def headline_html(words: str) -> str:
    """A headline whose first word is a link to the glossary if it is a term; a figure alone after it is large."""
    term, space, rest = words.partition(" ")
    if not rest[:1].isdigit():
        return f"{term_link(term)}{space}{escape(rest)}"
    figure = f'<span style="font-size:{themes.px(FIGURE_SIZE)}px">{escape(rest)}</span>'
    return f"{_small(term_link(term))} {figure}"


def _small(html: str) -> str:
    style = f"font-size:{themes.px(BESIDE_SIZE)}px; font-weight:400; color:{current_theme().dim}"
    return f'<span style="{style}">{html}</span>'


def interest_in(report: Report, chosen: str) -> int:
    """Code of the positive class among the classes of the run."""
    return code_among(report.classes, chosen, [c.n for c in report.per_class])


@dataclass(frozen=True, eq=False)
class RunStatus:
    """A run under a decision rule of the user: the rule in words, the report, the cost per record if known."""

    by: str
    report: Report
    cost: float | None = None
    ranks_by_cost: bool = False
    """Whether runs are compared by least expected cost, as costs are set for them."""
    mark: str = ""
    """Mark of figures that the choice of the rule makes optimistic."""

    @classmethod
    def of(cls, run: Run, session: Session) -> RunStatus | None:
        """The run under the rule of the user; None for the default rule."""
        reports = session.decisions.reports
        decided = reports.decided(run)
        if decided is None:
            return None
        has_costs = session.decisions.costs_of(run) is not None
        cost, mark = reports.cost_per_record(run), session.decisions.mark_of(run)
        return cls(session.decisions.asked(run).words, decided, cost, has_costs, mark)

    def headline(self) -> str:
        """Headline, with the cost first: "At threshold 0.15: cost 0.716 a record, accuracy 94.2%"."""
        accuracy = f"accuracy {percent(self.report.accuracy, self.report.n)}{self.mark}"
        costs = "" if self.cost is None else f"cost {price(self.cost)}{self.mark} a record, "
        return f"With your decision rule: {costs}{accuracy}"


def words_of(
    run: Run,
    interest: str,
    now: RunStatus | None = None,
    costs: str = "",
    leaks: Sequence[str] = (),
    against_baseline: str = "",
) -> VerdictText:
    """Text of a run under the rule ``now``, with a sentence ``costs``, clauses ``leaks`` and a verdict of a test."""
    if run.report is not None:
        report = run.report if now is None else now.report
        summary = verdict(report, interest_in(report, interest))
        beside = "" if now is None else _beside_itself(run, run.report, now)
        headline = summary.headline if now is None else now.headline()
        result = run.result if now is None else None
        records = _sentences(report, interest, not run.method.needs_test_data, result, against_baseline)
        lines = (beside, costs, escape(leak_words(leaks)), *records)
        beside_headline = f"{summary.interval_words[:-1]}{NARROW_MARK if report.narrow else ''})"
        return VerdictText(headline, beside_headline, tuple(filter(None, lines)))
    if run.state is RunState.FAILED:
        return VerdictText(f"{run.learner.name} failed")
    if run.state is RunState.STOPPED:
        return VerdictText(stopped_after(run).capitalize(), so_far(run.folds))
    return VerdictText(f"Testing {run.learner.name}", "", ("The result appears here.",))


def _beside_itself(run: Run, own: Report, now: RunStatus) -> str:
    """Sentences on the current decision rule and on the accuracy of the default, which compares runs."""
    itself = accuracy_words(own.accuracy, own.interval, own.n)
    caution = f" {OF_THE_TESTS_ALONE}" if run.result is not None and run.result.estimate is not None else ""
    compared = ". Runs are compared by least expected cost" if now.ranks_by_cost else "; runs are compared by it"
    why = f" {WHY_MARKED}" if now.mark else ""
    return f"Decision rule set in Evaluate: <b>{escape(now.by)}</b>.{why} By default: {itself}{compared}.{caution}"


def adjusted_words(run: Run, trial: Trial | None) -> str:
    """Says that the p beside the baseline is of the run alone, and the adjusted verdict of its comparison, if any."""
    entries = () if trial is None or trial.ranking is None else trial.entries
    if trial is None or trial.ranking is None or len(entries) < 2 or all(entry.run is not run for entry in entries):
        return ""
    from algorithms.evaluation.compare.comparison import BaselineVerdict  # late: only after a comparison
    from algorithms.evaluation.compare.ranking import By

    ranking = trial.ranking.by_accuracy or trial.ranking
    places = ranking.learners if ranking.by is By.RIGHT else ()
    leads = (place.above_baseline for place in places if trial.entry_of(place.contender).run is run)
    lead = next((lead for lead in leads if lead is not None), None)
    if lead is None:
        return f"{ALONE}."
    if lead.n_pairs < 2:
        return ""
    is_clear = BaselineVerdict.of(lead) is not BaselineVerdict.UNCLEAR
    verdict = f"{'significant' if is_clear else 'not significant'} ({p_words(lead.corrected)})"
    return f"{ALONE}; adjusted for {counted(lead.n_pairs, 'learner')}: {verdict}."


ALONE: Final = "This p is for this run alone"


def about(run: Run) -> str:
    """Learner, steps, method and seed of a run: "CART, depth 7 · after 1 step: scale numbers · 10 folds · seed 1"."""
    parts = (run.learner.summary(), after_steps(run.recipe), run.method.described(), f"seed {run.seed}")
    return " · ".join(filter(None, parts))


def tested_units(report: Report) -> str:
    """What the confusion matrix counts: "records", or "tests" if records were tested several times."""
    return "records" if report.n_tests == report.n else "tests"


def missed_sentence(report: Report, interest: str, n_records: int = 0) -> str:
    """ "22 of 212 records of class “malignant” were missed."; ``n_records`` for records tested several times."""
    chosen = report.per_class[interest_in(report, interest)]
    actual = chosen.counts.tp + chosen.counts.fn
    if not actual:
        return f"no tested record is of class {quoted(chosen.label)}."
    units = of_class(actual, chosen.label, tested_units(report))
    if report.n_tests != report.n and n_records:
        units += f" ({counted(n_records, 'record')})"
    return f"{amount(chosen.counts.fn)} of {units} {'was' if chosen.counts.fn == 1 else 'were'} missed."


def _sentences(
    report: Report, interest: str, in_table: bool, result: EvaluationResult | None, against_baseline: str
) -> Iterator[str]:
    """Baseline, correct and missed records, reservations, as HTML; a link if missed ones are ``in_table``."""
    guessed = escape(report.baseline_class)
    baseline = escape(baseline_sentence(report, against_baseline))
    yield baseline.replace(f"(always {guessed})", f"(always <b>{guessed}</b>)", 1)
    code, confusion, n_records = interest_in(report, interest), report.confusion, 0
    counts, n_all = report.per_class[code].counts, f"{amount(float(confusion.sum()))} {tested_units(report)}"
    right = f"{amount(float(confusion.trace()))} of {n_all} were predicted correctly"
    if result is not None and not result.weights_are_counts:
        if report.counts_records:  # each record was tested once: no search among millions in the window's thread
            n_records = round(counts.fn)
        else:
            n_records = len(distinct(result.row_ids[(result.truth == code) & (result.decision != code)]))
    share = f"{amount(counts.fn)} of {amount(counts.tp + counts.fn)}"
    missed = escape(missed_sentence(report, interest, n_records)).replace(share, f"<b>{share}</b>", 1)
    n_missed = n_records or (round(counts.fn) if report.counts_records else 0)
    number = counted(n_missed, "missed record") if n_missed else "missed records"
    select = f" {link(MISSED, f'Select the {number}')}" if in_table and counts.fn else ""
    yield f"{right}; {missed}{select}"
    if report.estimate is not None and report.estimate.caution:
        yield escape(report.estimate.caution)
    yield escape(report.weights_words())


def warnings_of(run: Run, data: Dataset | None, recipe: Recipe) -> Iterator[str]:
    """Sentences on limitations of a run: changed data, early stop, failed folds, remarks."""
    if run.is_judged and (changed := changed_since(run, data, recipe)):
        yield changed
    result = run.result
    if result is None:
        return
    if result.partial:
        yield f"{result.finished_early()}."
    for failure in result.failures[:MOST_FAILURES]:
        yield f"{result.named(failure)} failed: {failure.sentence}"
    if len(result.failures) > MOST_FAILURES:
        yield f"{len(result.failures) - MOST_FAILURES} more {result.method.part_name}s failed."
    if result.estimate_remark:
        yield result.estimate_remark
    if result.searches:
        yield chosen_words(result.searches, result.method.part_name)
    yield from result.own_warnings


@dataclass(frozen=True)
class MeasureText:
    """A measure below the headline: name, figure, what it is a share of, and its explanation."""

    name: str
    figure: str
    below: str
    meaning: str


def measures_of(run: Run, interest: str, now: RunStatus | None = None) -> list[MeasureText]:
    """Precision, recall, F1 and AUC of the class of interest, under the decision rule ``now``."""
    report = run.report if now is None else now.report
    if report is None:
        return []
    chosen = report.per_class[interest_in(report, interest)]
    label, n = shortened(chosen.label, LONGEST_CLASS, report.classes), report.n
    hits, predicted, actual = (
        amount(count)
        for count in (chosen.counts.tp, chosen.counts.tp + chosen.counts.fp, chosen.counts.tp + chosen.counts.fn)
    )
    of = f", {label}" if len(label) <= LONGEST_BESIDE and len(report.classes) > 2 else ""
    return [
        MeasureText(f"Precision{of}", percent(chosen.precision, n), f"{hits} of {predicted}", PRECISION),
        MeasureText(f"Recall{of}", percent(chosen.recall, n), f"{hits} of {actual}", RECALL),
        MeasureText(f"F1{of}", coefficient(chosen.f), "", F1),
        MeasureText(f"AUC{of}", coefficient(chosen.auc), "chance 0.5", meaning("AUC")),
    ]


class MeasureCell(ClearWidget):
    def __init__(self, place: int) -> None:
        super().__init__()
        self.name, self.below = named(TermLabel("", "small"), f"classify.measure.{place}.name"), label("", "small")
        self.figure = named(label("", "heading"), f"classify.measure.{place}")
        column_layout(self.name, self.figure, self.below, inside=self, spacing=0)

    def show_measure(self, measure: MeasureText) -> None:
        self.name.setText(measure.name)
        self.figure.setText(measure.figure)
        self.figure.setAccessibleName(f"{measure.name} {measure.figure}, {measure.below}")
        self.below.setText(measure.below)
        self.setToolTip(measure.meaning)


def structure_facts(structure: ModelStructure, n_records: int) -> tuple[str, str]:
    info = structure.info
    return info.title, f"{info.facts} · all {counted(n_records, 'record')}"


LEAST_PICTURE = 150, 260
"""Least width and height of the picture of the model, two levels of a tree at full size; the pane scrolls below it."""


MOST_PICTURE: Final = 520
"""A picture of lines up to this height is whole; a higher one scrolls inside."""


class _Pictures(QStackedWidget):
    """Pages that take the remaining space, at least :data:`LEAST_PICTURE`."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), themes.px(LEAST_PICTURE[1]))

    def minimumSizeHint(self) -> QSize:
        least, page = QSize(*map(themes.px, LEAST_PICTURE)), self.currentWidget()
        legend = None if page is None else page.findChild(ClassLegend)
        below = 0 if legend is None or legend.isHidden() else legend.sizeHint().height() - themes.px(LINE)
        height = least.height() + below
        shown: object = page
        if isinstance(shown, ComparesTwoClasses) and shown.whole_height() <= themes.px(MOST_PICTURE):
            height = max(height, shown.whole_height())
        return QSize(min(super().minimumSizeHint().width(), least.width()), height)


CHOOSE_A_LEARNER: Final = (
    "Choose a learner on the left, then press <b>Train</b>. It is tested on records it was not trained on. "
    "Or press <b>Compare learners</b> to see which performs best."
)
TICK_LEARNERS: Final = (
    "Tick learners on the left, then press <b>Train</b> below them. They are tested on the same records and ranked."
)


LOW: Final = 480
"""Height of the pane, at normal text size, below which the note on the interval stands below the model."""
PLACE_OF_NOTE: Final = 2
"""Where that note stands else: below the headline."""
NARROW_MARK: Final = "*"
"""Stands beside an interval and before the note below it, which says how often it contains the true value."""


class VerdictPane(Pane):
    """Summary of the current run; without a run, what to do next."""

    open_visualize = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.is_comparing = False
        """Whether the button trains the ticked learners."""
        self._session = session
        self._shown_model: TrainedClassifier | None = None
        self._run_said: Run | None = None
        self._has_picture = False
        self.setAccessibleName("Result")
        self.headline = named(LinkLabel("", "verdict"), "classify.verdict")
        self.about, self.narrow = (
            named(label("", "small", wrap=True), f"classify.{name}") for name in ("about", "narrow")
        )
        self.sentence = named(LinkLabel(""), "classify.sentence")
        follow: dict[str, Callable[[], object]]
        follow = {COSTS: partial(session.ask_for_page, "costs"), MISSED: self._select_missed}
        self.sentence.linkActivated.connect(lambda what: follow[what]())
        self._missed = LatestTask(session.jobs)
        for words in (self.headline, self.sentence):
            words.setTextInteractionFlags(
                words.textInteractionFlags()
                | Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self._warnings = column_layout(spacing=SPACE_1)
        self.failure = FailureNote("classify", self._try_again)
        ask = partial(ask_for_file, self, "Open a table", "All files (*)", session.open_file)
        self.open_button = accent_button("Open a table…", "classify.open", on_click=ask)
        choose = partial(session.ask_for_tab, "preprocess")
        self.choose_button = accent_button("Choose the class in Preprocess", "classify.choose-class", on_click=choose)
        self._lay_out()
        for signal in (
            session.current_run_changed,
            session.data_changed,
            session.recipe_changed,
            session.summary_changed,
            session.class_of_interest_changed,
            session.decisions.reports.changed,
            themes.changed,
        ):
            signal.connect(self._follow)
        session.class_of_interest_changed.connect(self._speak_for_interest)
        for mentioned in (session.analyses.checks, session.analyses.comparison):  # the text has leaks, adjusted p
            mentioned.changed.connect(partial(session.turns.later, self._show_words))
        self.refresh()

    def _lay_out(self) -> None:
        content, left = ClearWidget(), Qt.AlignmentFlag.AlignLeft
        self._scroll = UprightScrollArea(content, self, kept=(self.about, self.headline))
        self.body.addWidget(self._scroll)
        buttons = ((self.open_button, 0, left), (self.choose_button, 0, left))
        self.axis = named(IntervalAxis(), "classify.axis", "Accuracy, its interval and the baseline")
        exported = exported_widget("accuracy", "Accuracy", self.axis, self.axis.rows)
        menu = Export(exported, self._session.jobs, self).button("classify.axis.menu")
        self._axis_row = row_widget((self.axis, 1), menu, spacing=SPACE_1)
        self.cells = [MeasureCell(place) for place in range(N_MEASURES)]
        self.measured_class = named(ElidedLabel("", "small"), "classify.measured-class")
        self._measures = flowing(*self.cells, spacing=SPACE_4, is_even=True)
        words = (self.about, self.headline, self._axis_row, self.sentence, self.failure)
        measures = (self.measured_class, self._measures, self._warnings)
        inside = column_layout(*words, *measures, *buttons, inside=content, spacing=SPACE_2)
        self._example = FaintExample("result")
        inside.addWidget(self._example)
        self._classes = PriorBars()
        self._class_area = QScrollArea(content)
        self._class_area.setWidgetResizable(True)
        self._class_area.setAccessibleName("Class distribution")
        self._class_area.setWidget(self._classes)
        for part in (self._class_area.viewport(), self._classes):
            part.setAutoFillBackground(False)
        inside.addWidget(self._class_area, 1)
        inside.addSpacing(SPACE_1)
        self._model = self._model_part(content)
        inside.addWidget(self._model, 1)
        self._inside, self._is_low = inside, False
        inside.insertWidget(PLACE_OF_NOTE, self.narrow)
        inside.addStretch()  # takes the room while neither classes nor a model are shown

    def _model_part(self, parent: QWidget) -> QWidget:
        whole = ClearWidget(parent)
        self._model_title = label("", "heading")
        self._facts_of_model = ""
        self._model_facts = named(ElidedLabel("", "facts"), "classify.model.facts")
        tip = "Show the model in Visualize"
        self.visualize = quiet_button("Open in Visualize", "classify.visualize", tip, self.open_visualize.emit)
        tip = "Predict new data, or save the model or what it predicted in the tests"
        self.save = quiet_button("Use model", "classify.save", tip)
        self.save.setMenu(self._save_menu())
        margins = (0, SPACE_1, 0, SPACE_1)
        title = row_widget(self._model_title, (self._model_facts, 1), spacing=SPACE_2, margins=margins)
        self._picture_menu = ChartMenuButton("classify.model.menu", QMenu(self))
        heading = flowing(title, self.visualize, self.save, self._picture_menu, spacing=SPACE_2, gives_way=True)
        self._model_words: QLabel = label("", wrap=True, rich=True)
        self._viewers: dict[type[ModelStructure], Viewer] = {}
        self._pictures = named(_Pictures(), "classify.model")
        column_layout(heading, self._model_words, (self._pictures, 1), 0, inside=whole, spacing=SPACE_2)
        return whole

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a low pane the note on the interval is a footnote below the model, so that its picture is in view."""
        super().resizeEvent(event)
        is_low = self.height() < themes.px(LOW)
        if is_low is not self._is_low:
            self._is_low = is_low
            self._inside.removeWidget(self.narrow)
            self._inside.insertWidget(self._inside.indexOf(self._model) + 1 if is_low else PLACE_OF_NOTE, self.narrow)
            self._session.turns.later(self._show_words)

    def show_family(self, family: str) -> None:
        """The example, shown without a run, sketches a model of this family of learners."""
        self._example.show_family(family)

    def refresh(self) -> None:
        """Show the current run, or what to do next."""
        self._session.turns.forget(*self._parts())
        for show in self._parts():
            show()

    def _follow(self) -> None:
        self._session.turns.later(*self._parts())

    def _parts(self) -> tuple[Callable[[], None], ...]:
        return (self._show_words, self._show_model, self._show_picture, self._show_measures)

    def _show_words(self) -> None:
        run, session, words = self._session.current_run, self._session, self._invitation()
        if run is not None:
            costs, leaks = cost_sentence(run, session), session.analyses.checks.leaks_of(run)
            against = session.decisions.reports.baseline_verdict(run)
            if against and session.decisions.active_choice(run) is None:
                against = " ".join(filter(None, (against, adjusted_words(run, session.analyses.comparison.current))))
            words = words_of(run, session.positive_label, RunStatus.of(run, session), costs, leaks, against)
        is_marked = run is not None and run.report is not None and bool(run.report.narrow) and not self._is_low
        shown = words.beside if is_marked else words.beside.replace(f"{NARROW_MARK})", ")")  # no mark without its note
        beside = f" {_small(escape(shown))}" if shown else ""
        self.headline.setText(without_breaks(headline_html(words.headline) + beside))
        narrow = "" if run is None or run.report is None else run.report.narrow
        show_text(self.narrow, f"{NARROW_MARK} {narrow}" if is_marked else narrow)  # a tooltip alone was not found
        self.headline.setAccessibleName(" ".join(filter(None, (words.headline, words.beside, narrow))))
        if self._run_said is not run:
            self._run_said = run
            self._scroll.verticalScrollBar().setValue(0)
        self.about.setText("" if run is None else without_breaks(about(run)))
        self.about.setToolTip("" if run is None else steps_listed(run.recipe))
        self.about.setVisible(run is not None)
        sentences = "<br>".join(words.sentences)
        self.sentence.setText(without_breaks(sentences))
        self.sentence.setAccessibleName(QTextDocumentFragment.fromHtml(sentences).toPlainText())
        self.open_button.setVisible(self._session.data is None)
        self.choose_button.setVisible(run is None and self._session.data is not None and not self._session.classes)
        sentence, again = ("", "") if run is None else failure_of(run)
        is_stop = run is not None and run.state is RunState.STOPPED
        self.failure.show_failure(sentence, again, is_stop=is_stop)
        self._show_classes(run)
        self._show_warnings([] if run is None else list(warnings_of(run, self._session.data, self._session.recipe)))

    def _select_missed(self) -> None:
        """Selects the records of the positive class that were missed, as their cells of the confusion matrix do."""
        asked = self._session.decisions.question()
        if asked is None or asked.run.report is None:
            return
        code, k = interest_in(asked.run.report, self._session.positive_label), len(asked.result.classes)
        cells = np.zeros((k, k), dtype=np.bool_)
        cells[code, np.arange(k) != code] = True

        def work(context: RunContext) -> CellsOfTests | None:
            return CellsOfTests.of(asked.result, asked.decisions(context.checkpoint), asked.run.data)

        def done(tested: CellsOfTests | None) -> None:
            if tested is None:
                self._session.messages.warn(NOT_IN_THE_TABLE)
            else:
                select_cells(self._session, asked, tested, cells)

        self._missed.run("Find the missed records", work, on_done=done)

    def _try_again(self) -> None:
        run = self._session.current_run
        if run is not None:
            self._session.ledger.start_again(run)

    def _invitation(self) -> VerdictText:
        data, summary = self._session.data, self._session.summary
        if data is None:
            return VerdictText("No table is open", "", ("Open one with an attribute to predict.",))
        if not self._session.classes:
            words = "No class is chosen yet. It must be a nominal attribute, such as yes and no."
            return VerdictText("What do you want to predict?", "", (words,))
        sentences = [TICK_LEARNERS if self.is_comparing else CHOOSE_A_LEARNER]
        counts = None if summary is None else summary.class_counts
        if counts is not None and counts.sum():
            best, share = int(counts.argmax()), float(counts.max() / counts.sum())
            guess = strong(self._session.classes[best])
            sentences.append(f"Baseline (always {guess}): {percent(share)}.")
        beside = counted(len(data), "record").replace(" ", TOGETHER)
        return VerdictText("No run yet", beside, tuple(sentences))

    def _show_classes(self, run: Run | None) -> None:
        summary, classes = self._session.summary, self._session.classes
        counts = None if summary is None or run is not None else summary.class_counts
        has_counts = summary is not None and counts is not None and len(counts) == len(classes) > 0
        self._class_area.setVisible(has_counts)
        self._example.setVisible(run is None and bool(classes))
        if summary is not None and counts is not None and has_counts:
            self._classes.set_prior(Prior(summary.schema, counts))

    def _show_warnings(self, sentences: list[str]) -> None:
        while (item := self._warnings.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for sentence in sentences:
            line = label(without_breaks(sentence), "small", wrap=True)
            line.setProperty("tone", "warning")
            self._warnings.addWidget(line)

    def _show_model(self) -> None:
        """Show title and facts of the model; the picture follows in a later event."""
        run = self._session.current_run
        trained = None if run is None else run.trained
        learning = run is not None and run.is_running and run.is_judged
        self._model.setVisible(trained is not None or learning)
        if trained is self._shown_model and not learning:
            return
        self._shown_model, self._has_picture = trained, False
        set_visible(trained is not None, self.save, self.visualize)
        self._picture_menu.hide()
        words = "Training the final model on all records…" if learning and trained is None else ""
        show_text(self._model_words, words)
        self._pictures.setVisible(trained is not None)
        if run is None or trained is None:
            self._model_title.setText("")
            self._facts_of_model = ""
            self._model_facts.setText("")
            return
        title, self._facts_of_model = structure_facts(trained.structure(), len(run.data))
        self._model_title.setText(title)
        self._model_facts.setText(self._facts_of_model)

    def _show_picture(self) -> None:
        if self._shown_model is None or self._has_picture:
            return
        self._has_picture = True
        model, run = self._shown_model, self._session.current_run
        structure = model.structure()
        numbers = None if run is None or run.trained is not model else table_numbers(model, run.data)
        is_made = type(structure) in self._viewers
        viewer = self._viewer(type(structure))
        if isinstance(viewer, ShowsExport):
            self._picture_menu.setMenu(viewer.export.menu)
            self._picture_menu.show()

        def show() -> None:
            show_structure(viewer, structure, numbers)
            if isinstance(viewer, ShowsTrainingRecords) and run is not None and run.trained is model:
                viewer.sketch(model, run.data)
            self._speak_for_interest()

        if is_made:
            show()
        else:
            self._session.turns.later(show)

    def _speak_for_interest(self) -> None:
        """Let a picture that shows one class show the class of interest."""
        structure = None if self._shown_model is None else self._shown_model.structure()
        viewer: object = None if structure is None else self._viewers.get(type(structure))
        if structure is not None and isinstance(viewer, ShowsOneClass):
            classes = structure.schema.classes
            if self._session.positive_label in classes:
                viewer.set_interest(classes.index(self._session.positive_label))
        between = viewer.compared_words() if isinstance(viewer, ComparesTwoClasses) else ""
        pair, _, left_out = between.rpartition("” against ")
        pair, left_out = pair[pair.find("“") :], left_out[left_out.find("”") + 3 :]
        whole = " · ".join(filter(None, (between, self._facts_of_model)))
        self._model_facts.set_wordings(*dict.fromkeys((whole, between, left_out)))
        self._pictures.updateGeometry()

    def prepare_picture(self) -> None:
        """Create the tree viewer, the most frequent one, in advance."""
        if Tree not in self._viewers:
            in_view = self._pictures.currentWidget()
            self._viewer(Tree)
            if self._has_picture and in_view is not None:
                self._pictures.setCurrentWidget(in_view)

    def _viewer(self, kind: type[ModelStructure]) -> Viewer:
        if kind not in self._viewers:
            self._viewers[kind] = viewer_for(kind, self._session.jobs)
            self._pictures.addWidget(cast(QWidget, self._viewers[kind]))
            if isinstance(made := self._viewers[kind], ShowsLegend):
                made.put_legend_above()
        viewer = self._viewers[kind]
        self._pictures.setCurrentWidget(cast(QWidget, viewer))
        return viewer

    def _show_measures(self) -> None:
        run = self._session.current_run
        now = None if run is None else RunStatus.of(run, self._session)
        report = None if run is None else run.report if now is None else now.report
        measures = [] if run is None else measures_of(run, self._session.positive_label, now)
        for cell, measure in zip(self.cells, measures, strict=False):
            cell.show_measure(measure)
        set_visible(report is not None, self._axis_row, self._measures)
        self.measured_class.hide()
        if report is not None:
            name = report.classes[interest_in(report, self._session.positive_label)]
            self.measured_class.setText(f"Of {name}:")
            self.measured_class.setVisible(len(name) > LONGEST_BESIDE and len(report.classes) > 2)
            baseline = report.baseline_accuracy
            words = f"baseline {percent(baseline, report.n, report.decimals_beside_baseline)}"
            self.axis.show_value(report.accuracy, report.interval, baseline, mark_words=words)

    def _save_menu(self) -> QMenu:
        menu = named(QMenu(self), "classify.save.menu")
        menu.setToolTipsVisible(True)
        for what, words, tip in (
            ("file", PREDICT_NEW_DATA, NEW_DATA),
            ("predictions", SAVE_TEST_PREDICTIONS, TEST_PREDICTIONS),
            ("model", "Save model…", "The model of all records, as a file"),
        ):
            action = menu.addAction(words)
            action.setToolTip(tip)
            action.setObjectName(f"classify.save.{what}")
            action.triggered.connect(lambda _checked=False, what=what: self._session.saving_asked.emit(what))
        return menu
