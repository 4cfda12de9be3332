"""Summary of the current run: accuracy in sentences, remarks, the model, a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QMenu, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from algorithms.core.filters import Recipe
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.agreement import KAPPA
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.result import chosen_words
from algorithms.evaluation.verdict import verdict
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.tree import Prior, Tree
from algorithms.text.names import shortened
from algorithms.text.numbers import in_100, index, price, seconds
from algorithms.text.sentences import counted
from workbench.session.decision_rules import OF_THE_TESTS_ALONE, code_among
from workbench.session.runs import Run, RunState, after_steps, changed_since, steps_listed
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, current_theme, themes
from workbench.tabs.classify.runs_model import cost_sentence
from workbench.viewers.majority_class import PriorBars
from workbench.viewers.original_units import Unscaled, show_structure, unscaled_by
from workbench.viewers.viewer import ShowsOneClass, Viewer
from workbench.viewers.viewer_registry import viewer_for
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.chips import Chip, FlowLayout
from workbench.widgets.dialogs import ask_for_file
from workbench.widgets.help import meaning
from workbench.widgets.labels import TOGETHER, ElidedLabel, label, strong
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout
from workbench.widgets.panes import Pane, UprightScrollArea

MOST_FAILURES = 3


@dataclass(frozen=True)
class VerdictText:
    """Headline, dim text beside it, and sentences of HTML below."""

    headline: str
    beside: str = ""
    sentences: tuple[str, ...] = ()


def interest_in(report: Report, chosen: str) -> int:
    """Code of the class of interest among the classes of the run."""
    return code_among(report.classes, chosen, [c.n for c in report.per_class])


@dataclass(frozen=True, eq=False)
class RunStatus:
    """A run under a decision rule of the user: the rule in words, the report, the cost per record if known."""

    by: str
    report: Report
    cost: float | None = None

    def headline(self) -> str:
        """Headline, with the cost first: "As decided now: costs 0.716 a record, right ..."."""
        right = f"right {in_100(self.report.accuracy)} times in 100"
        costs = "" if self.cost is None else f"costs {price(self.cost)} a record, "
        return f"As decided now: {costs}{right}"


def words_of(
    run: Run, interest: str, now: RunStatus | None = None, costs: str = "", leaks: Sequence[str] = ()
) -> VerdictText:
    """Text of a run in any state, under the decision rule ``now`` unless it is the default.

    ``costs`` is a sentence on its cost; ``leaks`` are clauses on attributes that leak the class.
    """
    if run.report is not None:
        report = run.report if now is None else now.report
        summary = verdict(report, interest_in(report, interest), leaks)
        beside = () if now is None else (_beside_itself(run, run.report, now),)
        sentence = _with_bold_classes(summary.sentence, report, interest)
        headline = summary.headline if now is None else now.headline()
        return VerdictText(headline, summary.interval_words, (*beside, *((costs,) if costs else ()), sentence))
    if run.state is RunState.FAILED:
        return VerdictText(f"{run.learner.name} could not be judged", "", (escape(run.message),))
    if run.state is RunState.STOPPED:
        before = f"{escape(run.learner.name)} was stopped before it was judged; start it again."
        return VerdictText("Stopped", "", (*((escape(run.message),) if run.message else ()), before))
    waits = "What is known so far stands on the left." if run.folds else "The verdict comes here."
    return VerdictText(f"Judging {run.learner.name}", "", (waits,))


def words_to_beat(report: Report, done: int, n: int) -> VerdictText:
    """Text of the baseline of a comparison, while ``done`` of ``n`` learners are tested."""
    return VerdictText(
        f"Guessing is right {in_100(report.accuracy)} times in 100",
        "what the others must beat",
        (
            f"That is what always saying <b>{escape(report.baseline_class)}</b> comes to; no learner's verdict yet. "
            f"{done} of {n} are judged so far, the ranking above says how.",
        ),
    )


def _beside_itself(run: Run, own: Report, now: RunStatus) -> str:
    """Sentences on the current decision rule and on the accuracy of the default, which compares runs."""
    low, high = own.interval
    itself = f"right {in_100(own.accuracy)} times in 100 (between {in_100(low)} and {in_100(high)})"
    caution = f" {OF_THE_TESTS_ALONE}" if run.result is not None and run.result.estimate is not None else ""
    return (
        f"This is as you have it decide in Evaluate: it <b>{escape(now.by)}</b>. As the model itself decides it is "
        f"{itself}; by that runs are compared.{caution}"
    )


def about(run: Run) -> str:
    """Learner, steps, method and seed of a run: "CART, depth 7 · after 1 step: scale numbers · 10 folds · seed 1"."""
    parts = (run.learner.summary(), after_steps(run.recipe), run.method.described(), f"seed {run.seed}")
    return " · ".join(filter(None, parts))


def _with_bold_classes(sentence: str, report: Report, interest: str) -> str:
    text = escape(sentence)
    chosen = escape(report.classes[interest_in(report, interest)])
    guessed = escape(report.baseline_class)
    text = text.replace(f"guessing {guessed} would", f"guessing <b>{guessed}</b> would", 1)
    return text.replace(f"Of those that are {chosen} it", f"Of those that are <b>{chosen}</b> it", 1)


def warnings_of(run: Run, data: Dataset | None, recipe: Recipe) -> Iterator[str]:
    """Sentences on limitations of a run: changed data, early stop, failed folds, remarks."""
    if run.is_judged and (changed := changed_since(run, data, recipe)):
        yield changed
    if run.state is RunState.FAILED and run.is_judged:
        yield f"The model to look at could not be trained. {run.message}"
    if run.state is RunState.STOPPED and run.is_judged:
        yield "Stopped before the model to look at was trained."
    result = run.result
    if result is None:
        return
    if result.partial:
        yield f"{result.finished_early()}."
    for failure in result.failures[:MOST_FAILURES]:
        yield f"{result.named(failure)} could not be judged: {failure.sentence}"
    if len(result.failures) > MOST_FAILURES:
        yield f"{len(result.failures) - MOST_FAILURES} more {result.method.part_name}s could not be judged."
    if result.estimate_remark:
        yield result.estimate_remark
    if result.searches:
        yield chosen_words(result.searches, result.method.part_name)
    yield from result.own_warnings


def chips_of(run: Run, interest: str, now: RunStatus | None = None) -> Iterator[tuple[str, str, str]]:
    """Name, figure and explanation of the metrics below the summary, under the decision rule ``now``."""
    report = run.report if now is None else now.report
    if report is None:
        return
    chosen = report.per_class[interest_in(report, interest)]
    class_name = shortened(chosen.label, 20, tuple(one.label for one in report.per_class))
    yield "Kappa", index(KAPPA.value(report)), meaning("kappa")
    yield "AUC", index(report.auc), meaning("AUC")
    yield f"F ({class_name})", index(chosen.f), meaning("F")
    if run.result is not None:
        name = "fit, folds side by side added up" if run.result.n_folds > 1 else "fit"
        tip = "Time spent learning, the sum over the folds: with several at once, more than the run took."
        yield name, seconds(run.result.timings.fit), tip
    yield "seed", str(run.seed), meaning("seed")


def structure_facts(structure: ModelStructure, n_records: int) -> tuple[str, str]:
    """Title and facts of a model structure."""
    info = structure.info
    return info.title, f"on all {counted(n_records, 'record')} · {info.facts}"


LEAST_PICTURE = 150
"""Least height of the picture of the model; the pane scrolls below it."""


class _Pictures(QStackedWidget):
    """Pages that take the remaining space, at least :data:`LEAST_PICTURE`."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), themes.px(LEAST_PICTURE))

    def minimumSizeHint(self) -> QSize:
        least = themes.px(LEAST_PICTURE)
        return QSize(min(super().minimumSizeHint().width(), least), least)


class VerdictPane(Pane):
    """Summary of the current run; without a run, what to do next."""

    open_visualize = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._session = session
        self._shown_model: TrainedClassifier | None = None
        self._run_said: Run | None = None
        self._has_picture = False
        self.setAccessibleName("Verdict")
        self.headline = named(label("", "verdict", wrap=True, rich=True), "classify.verdict")
        self.about = named(label("", "small", wrap=True), "classify.about")
        self.sentence = named(label("", wrap=True, rich=True), "classify.sentence")
        for words in (self.headline, self.sentence):
            words.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self._warnings = column_layout(spacing=SPACE_1)
        self.open_button = accent_button("Open a table…", "classify.open", on_click=self._open)
        self.choose_button = accent_button(
            "Choose it in Preprocess", "classify.choose-class", on_click=lambda: session.ask_for_tab("preprocess")
        )
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
        session.analyses.comparison.changed.connect(
            self._follow_words
        )  # the baseline of a running comparison has its own text
        session.analyses.checks.changed.connect(self._follow_words)  # the text mentions leaks
        self.refresh()

    def _lay_out(self) -> None:
        content = ClearWidget()
        inside = column_layout(
            self.about,
            self.headline,
            self.sentence,
            self._warnings,
            (self.open_button, 0, Qt.AlignmentFlag.AlignLeft),
            (self.choose_button, 0, Qt.AlignmentFlag.AlignLeft),
            inside=content,
            spacing=SPACE_2,
        )
        self._classes = PriorBars()
        self._class_area = QScrollArea()
        self._class_area.setWidgetResizable(True)
        self._class_area.setAccessibleName("How frequent the classes are")
        self._class_area.setWidget(self._classes)
        for part in (self._class_area.viewport(), self._classes):
            part.setAutoFillBackground(False)
        inside.addWidget(self._class_area, 1)
        inside.addSpacing(SPACE_1)
        self._model = self._model_part()
        inside.addWidget(self._model, 1)
        self._chips = ClearWidget()
        self._chip_row = FlowLayout(self._chips, SPACE_2)
        add_items(inside, self._chips, 0)
        self._scroll = UprightScrollArea(content, kept=(self.about, self.headline))
        self.body.addWidget(self._scroll)

    def _model_part(self) -> QWidget:
        whole = ClearWidget()
        box = column_layout(inside=whole, spacing=SPACE_2)
        self._model_title = label("", "heading")
        self._model_facts = ElidedLabel("", "facts")
        self.visualize = quiet_button(
            "Open in Visualize", "classify.visualize", "See the whole model large", self.open_visualize.emit
        )
        self.save = quiet_button("Save…", "classify.save", "Keep the model or its predictions in a file")
        self.save.setMenu(self._save_menu())
        heading = ClearWidget(whole)
        flow = FlowLayout(heading, SPACE_2)
        title = ClearWidget(heading)
        row_layout(
            self._model_title, self._model_facts, inside=title, spacing=SPACE_2, margins=(0, SPACE_1, 0, SPACE_1)
        )
        buttons = ClearWidget(heading)
        row_layout(self.visualize, self.save, inside=buttons, spacing=SPACE_2)
        flow.addWidget(title)
        flow.addWidget(buttons)
        box.addWidget(heading)
        self._model_words: QLabel = label("", wrap=True, rich=True)
        self._viewers: dict[type[ModelStructure], Viewer] = {}
        self._pictures = named(_Pictures(), "classify.model")
        add_items(box, self._model_words, (self._pictures, 1), 0)
        return whole

    # ---- showing ---------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the current run, or what to do next."""
        self._session.turns.forget(*self._parts())
        for show in self._parts():
            show()

    def _follow(self) -> None:
        self._session.turns.later(*self._parts())

    def _follow_words(self) -> None:
        self._session.turns.later(self._show_words)

    def _parts(self) -> tuple[Callable[[], None], ...]:
        return (self._show_words, self._show_model, self._show_picture, self._show_chips)

    def _show_words(self) -> None:
        run = self._session.current_run
        words = self._invitation() if run is None else self._words(run)
        beside = f' <span style="font-weight:400; color:{current_theme().dim}">{escape(words.beside)}</span>'
        self.headline.setText(escape(words.headline) + (beside if words.beside else ""))
        self.headline.setAccessibleName(" ".join(filter(None, (words.headline, words.beside))))
        if self._run_said is not run:
            self._run_said = run
            self._scroll.verticalScrollBar().setValue(0)
        self.about.setText("" if run is None else about(run))
        self.about.setToolTip("" if run is None else steps_listed(run.recipe))
        self.about.setVisible(run is not None)
        self.sentence.setText("<br>".join(words.sentences))
        self.open_button.setVisible(self._session.data is None)
        self.choose_button.setVisible(run is None and self._session.data is not None and not self._session.classes)
        self._show_classes(run)
        self._show_warnings([] if run is None else list(warnings_of(run, self._session.data, self._session.recipe)))

    def _interest(self) -> str:
        classes = self._session.classes
        return classes[self._session.class_of_interest] if classes else ""

    def _words(self, run: Run) -> VerdictText:
        trial = self._session.analyses.comparison.current
        if trial is not None and trial.is_guess(run) and trial.is_running and run.report is not None:
            return words_to_beat(run.report, trial.n_judged, len(trial.entries))
        return words_of(
            run,
            self._interest(),
            self._now(run),
            cost_sentence(run, self._session),
            self._session.analyses.checks.leaks_of(run),
        )

    def _now(self, run: Run) -> RunStatus | None:
        """The run under the rule of the user; None for the default rule."""
        decided = self._session.decisions.reports.decided(run)
        if decided is None:
            return None
        return RunStatus(
            self._session.decisions.asked(run).words, decided, self._session.decisions.reports.cost_per_record(run)
        )

    def _invitation(self) -> VerdictText:
        data, summary = self._session.data, self._session.summary
        if data is None:
            return VerdictText("No table is open", "", ("Open one with a column that you want to predict.",))
        if not self._session.classes:
            return VerdictText(
                "What do you want to predict?",
                "",
                ("No column to predict is chosen yet. It must hold classes, such as yes and no.",),
            )
        sentences = [
            "Choose a learner on the left, then press <b>Start</b>. It is judged on records it never saw. "
            "Or press <b>Try several</b> to see which kind does best."
        ]
        counts = None if summary is None else summary.class_counts
        if counts is not None and counts.sum():
            best, share = int(counts.argmax()), float(counts.max() / counts.sum())
            guess = strong(self._session.classes[best])
            sentences.append(f"To beat: always guessing {guess} would be right {in_100(share)} times in 100.")
        beside = counted(len(data), "record").replace(" ", TOGETHER)
        return VerdictText("Nothing judged yet", beside, tuple(sentences))

    def _show_classes(self, run: Run | None) -> None:
        summary, classes = self._session.summary, self._session.classes
        counts = None if summary is None or run is not None else summary.class_counts
        has_counts = summary is not None and counts is not None and len(counts) == len(classes) > 0
        self._class_area.setVisible(has_counts)
        if summary is not None and counts is not None and has_counts:
            self._classes.set_prior(Prior(summary.schema, counts))

    def _show_warnings(self, sentences: list[str]) -> None:
        while (item := self._warnings.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for sentence in sentences:
            line = label(sentence, "small", wrap=True)
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
        self.save.setVisible(trained is not None)
        self.visualize.setVisible(trained is not None)
        words = "Training on all records, to look at and to use…" if learning and trained is None else ""
        self._model_words.setText(words)
        self._model_words.setVisible(bool(words))
        self._pictures.setVisible(trained is not None)
        if run is None or trained is None:
            self._model_title.setText("")
            self._model_facts.setText("")
            return
        structure = trained.structure()
        title, facts = structure_facts(structure, len(run.data))
        self._model_title.setText(title)
        self._model_facts.setText(facts)

    def _show_picture(self) -> None:
        if self._shown_model is None or self._has_picture:
            return
        self._has_picture = True
        structure, unscaled = self._shown_model.structure(), unscaled_by(self._shown_model.recipe)
        is_made = type(structure) in self._viewers
        viewer = self._viewer(type(structure))
        if is_made:
            self._show_in(viewer, structure, unscaled)
        else:
            self._session.turns.later(partial(self._show_in, viewer, structure, unscaled))

    def _show_in(self, viewer: Viewer, structure: ModelStructure, unscaled: Unscaled | None) -> None:
        show_structure(viewer, structure, unscaled)
        self._speak_for_interest()

    def _speak_for_interest(self) -> None:
        """Let a picture that shows one class show the class of interest."""
        structure = None if self._shown_model is None else self._shown_model.structure()
        viewer: object = None if structure is None else self._viewers.get(type(structure))
        if structure is not None and isinstance(viewer, ShowsOneClass):
            classes = structure.schema.classes
            if self._interest() in classes:
                viewer.set_interest(classes.index(self._interest()))

    def prepare_picture(self) -> None:
        """Create the tree viewer, the most frequent one, in advance."""
        if Tree not in self._viewers:
            in_view = self._pictures.currentWidget()
            self._viewer(Tree)
            if self._has_picture and in_view is not None:
                self._pictures.setCurrentWidget(in_view)

    def _viewer(self, kind: type[ModelStructure]) -> Viewer:
        """Viewer of this kind of structure."""
        if kind not in self._viewers:
            self._viewers[kind] = viewer_for(kind, self._session.jobs)
            self._pictures.addWidget(cast(QWidget, self._viewers[kind]))
        viewer = self._viewers[kind]
        self._pictures.setCurrentWidget(cast(QWidget, viewer))
        return viewer

    def _show_chips(self) -> None:
        run = self._session.current_run
        chips = [] if run is None else list(chips_of(run, self._interest(), self._now(run)))
        self._chip_row.clear()
        for name, figure, tip in chips:
            self._chip_row.addWidget(Chip(f"{escape(name)}&nbsp; {strong(figure)}", rich=True, tip=tip))
        self._chips.setVisible(bool(chips))
        self._chips.updateGeometry()

    def _open(self) -> None:
        ask_for_file(self, "Open a table", "All files (*)", self._session.open_file)

    def _save_menu(self) -> QMenu:
        menu = named(QMenu(self), "classify.save.menu")
        for what, words in (
            ("model", "Model, to use it later…"),
            ("predictions", "Predictions, record by record…"),
            ("file", "Use it on another file…"),
        ):
            action = menu.addAction(words)
            action.setObjectName(f"classify.save.{what}")
            action.triggered.connect(lambda _checked=False, what=what: self._session.saving_asked.emit(what))
        return menu
