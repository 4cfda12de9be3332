"""Classify tab: choose a learner, set its options and the test method, train, read the summary."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import monotonic
from typing import cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from algorithms.core.errors import CoppiceError, ParameterError
from algorithms.core.learner import Learner, Suggestion
from algorithms.core.parameters import ParameterKind
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.evaluation.tuning.tuned import Tuned, tuned_base
from algorithms.learners.trees.edited_tree import grower_of
from algorithms.learners.trees.pruning.pruning_sequence import grown_whole
from algorithms.project.run_record import Document
from algorithms.text.sentences import counted
from workbench.forms.candidate_values import CandidateValuesForm
from workbench.forms.editors import LineEditor
from workbench.forms.form import ParameterForm
from workbench.jobs.jobs import LatestTask
from workbench.jobs.messages import TABLE, Message
from workbench.session.learner_comparison import LEAST, candidate_id
from workbench.session.runs import Run, steps_listed
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, themes
from workbench.tabs.classify.comparison_pane import LearnerComparisonPane
from workbench.tabs.classify.learner_list import LearnerList, reason
from workbench.tabs.classify.methods import LIMIT, PLACE, ComparedLearners, MethodChooser, NextRun, next_run_from
from workbench.tabs.classify.progress import ProgressPane
from workbench.tabs.classify.run_summary import VerdictPane
from workbench.tabs.tab import Step, Tab
from workbench.widgets.buttons import accent_button, link_button, quiet_button
from workbench.widgets.keyboard_focus import tab_in_order
from workbench.widgets.labels import label
from workbench.widgets.layouts import add_items, column_layout, named, row_layout
from workbench.widgets.panes import Pane, UprightScrollArea


class SuggestedValues(QObject):
    """Computes values that forms ask for in a job; only the latest request of an existing form counts."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._form: ParameterForm | None = None
        self._task = LatestTask(session.jobs)

    def follow(self, form: ParameterForm) -> None:
        """Follows this form from now on."""
        self._form = form
        form.suggestion_asked.connect(self._ask)

    def _ask(self, name: str) -> None:
        form, data = self._form, self._session.data
        learner = None if form is None else form.value()
        if form is None or data is None or data.schema.class_index is None or not isinstance(learner, Learner):
            self._session.messages.warn("There is nothing to suggest it from: open a table and choose what to predict.")
            return

        def work(context: RunContext) -> Suggestion:
            context.say("Looking at the records")
            return learner.suggested(name, data, context)

        self._task.run(
            "Suggest an order",
            work,
            on_done=partial(self._on_suggested, form, name),
            on_failed=self._failed,
            can_finish=True,
        )

    def _on_suggested(self, form: ParameterForm, name: str, suggestion: Suggestion) -> None:
        if form is self._form:
            form.show_suggestion(name, suggestion.text, suggestion.words)

    def _failed(self, error: object) -> None:
        if isinstance(error, CoppiceError):
            self._session.messages.warn(str(error))


ROOMY = 680
"""Height from which the folds of a finished run stay visible above Start."""


class ClassifyTab(Tab):
    """``open_visualize`` asks for the model in the Visualize tab."""

    open_visualize = Signal()

    def _make(self) -> Iterator[bool]:
        session = self._session
        self._values: dict[type[Learner], Learner] = {}
        self._form: ParameterForm | None = None
        self._suggesting = SuggestedValues(session, self)
        self._begun_at = 0.0
        self._form_is_for: tuple[object, ...] = ()
        self._recalled_for: Document | None = None
        """The opened document whose settings were restored."""
        self._parts = QSplitter(Qt.Orientation.Horizontal, self)
        self._list_pane = Pane(parent=self._parts)
        self.learners = LearnerList(session, self._list_pane)
        yield True
        self._middle = QWidget(self._parts)
        self._inside = QWidget()
        self._scroll = UprightScrollArea(self._inside, self._middle)
        self._form_pane = Pane(parent=self._inside)
        self.tried = CandidateValuesForm(session.registry, parent=self._form_pane)
        self._judge_pane = Pane("Judge by", parent=self._inside)
        self.methods = MethodChooser(session.registry, self._judge_pane)
        yield True
        self.start = accent_button("Start", "classify.start", "Judge this learner (Ctrl+Enter)", self._start)
        self.start.setDefault(True)
        self.several = quiet_button("Try several", "classify.several.start", on_click=self._try_several)
        self.time_limit = LineEditor(LIMIT, self._judge_pane)
        self.time_limit.control.setObjectName("classify.several.limit")
        self.time_limit.control.setAccessibleName(LIMIT.label)
        self.time_limit.control.setAccessibleDescription(LIMIT.help)
        self.time_limit.setFixedWidth(themes.px(104))
        self.compared = ComparedLearners(self._judge_pane)
        self.show_ranking = link_button(
            "",
            "classify.several.show",
            "The ranking that was put away, as it was; nothing is judged anew",
            self._show_ranking,
        )
        self.use_settings = link_button(
            "",
            "classify.use-settings",
            "Put the learner, options and method of the run in view here, to change them and start; nothing runs yet",
            self._use_settings,
        )
        self._why_not = named(label("", "small", wrap=True), "classify.why-not")
        self._why_not.setProperty("tone", "warning")
        self.progress = ProgressPane(session, self._middle)
        yield True
        self._outcome = QWidget(self._parts)
        self.verdict = VerdictPane(session, self._outcome)
        yield True
        self.ranking = LearnerComparisonPane(session, self._outcome)
        yield True
        self.verdict.open_visualize.connect(self.open_visualize)
        self.verdict.open_visualize.connect(lambda: session.ask_for_tab("visualize"))
        self._lay_out()
        yield True
        self._connect()
        self.learners.choose_first()
        yield True
        self._recall()
        self._check()

    def _steps_besides(self) -> Iterator[Step]:
        yield self.verdict.prepare_picture

    def _connect(self) -> None:
        session = self._session
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            start = QShortcut(
                QKeySequence(keys), self, self.start.click, context=Qt.ShortcutContext.WidgetWithChildrenShortcut
            )
            start.setWhatsThis("Start" if keys == "Ctrl+Return" else "")
        self.learners.chosen.connect(self._show_learner)
        self.learners.activated.connect(self.start.click)
        self.methods.changed.connect(self._check)
        self.methods.opened.connect(self._order_tabs)
        self.time_limit.changed.connect(self._check)
        self.compared.changed.connect(self._check)
        self.compared.unfolded.connect(self._order_tabs)
        self.tried.changed.connect(self._tried_changed)
        session.recipe_changed.connect(self._check_in_turn)
        session.data_changed.connect(self._data_changed)
        session.summary_changed.connect(self._check_in_turn)
        session.run_brought_back.connect(self.show_run)
        session.document_replaced.connect(self._recall)
        session.analyses.comparison.changed.connect(self._check)
        session.runs_changed.connect(self._offer_ranking)
        session.current_run_changed.connect(lambda: session.turns.later(self._offer_settings))
        self.ranking.close_button.clicked.connect(self.show_ranking.setFocus)

    # ---- what the form says ----------------------------------------------------------------------------------------

    def learner(self) -> Learner | None:
        """The learner with its options and search; None while an option is wrong."""
        learner = None if self._form is None else cast("Learner | None", self._form.value())
        if learner is None:
            return None
        try:
            return self.tried.value(learner)
        except CoppiceError:
            return None

    def show_run(self, run: Run) -> None:
        """Sets learner, options, method and seed to those of a run."""
        self._set(run.learner, run.method, run.seed)

    def _set(self, asked: Learner, method: Method, seed: int) -> None:
        learner = grown_whole(grower_of(tuned_base(asked)))
        self._values[type(learner)] = learner
        self.learners.choose(type(learner))
        if self._form is not None and self.learners.learner is type(learner):
            self._form.set_value(learner)
        self.tried.set_value(asked if isinstance(asked, Tuned) else learner)
        self.methods.set_value(method, seed)
        self._check()

    def _recall(self) -> None:
        """Restores the settings stored in the project."""
        kept = next_run_from(self._session.place.get(PLACE), self._session.registry)
        self._recalled_for = self._session.history.opened
        if kept is not None:
            self.time_limit.show_value(kept.time_limit)
            self.compared.leave_out(kept.left_out)
            self._set(kept.learner, kept.method, kept.seed)

    def _remember(self) -> None:
        """Stores the settings of the next run in the session's view state, once the stored ones were restored."""
        learner, method, seed = self.learner(), self.methods.value(), self.methods.seed()
        if self._recalled_for is None or self._recalled_for is not self._session.history.opened:
            return
        if learner is not None and method is not None and seed is not None and not self._limit_sentence():
            kept = NextRun(learner, method, seed, self.time_limit.value(), self.compared.left_out)
            self._session.set_place(**{PLACE: kept.to_text()})

    def why_not(self) -> str:
        """Why Start is disabled; empty if it is enabled."""
        session, learner = self._session, self.learner()
        if session.data is None:
            return "Open a table first."
        if self.learners.learner is None:
            return "Choose a learner first."
        if learner is None:
            return (self._form.error() if self._form is not None else "") or self.tried.error()
        return reason(session.history.summaries.problems(learner)) or self.tried.error() or self.methods.error()

    def _start(self) -> None:
        learner, method, seed = self.learner(), self.methods.value(), self.methods.seed()
        if self.why_not() or learner is None or method is None or seed is None:
            self._check()
            return
        equal_run = self._session.ledger.same_as(self._session.ledger.new(learner, method, seed))
        if equal_run is not None:
            self._show_known(equal_run)
            return
        try:
            self._session.start_run(learner, method, seed)
            self._begun_at = monotonic()
        except CoppiceError as error:
            self._session.messages.error(error)

    def _show_known(self, run: Run) -> None:
        """Shows the earlier run with the same settings; the second half of a double click shows no message."""
        self._session.set_current_run(run)
        if monotonic() - self._begun_at < QApplication.doubleClickInterval() / 1000:
            return
        words = f"Run {run.number} is this very run, with the same options, table and seed: it is in view again."
        if run.is_running:
            self._session.messages.note(f"Run {run.number} is this very run, and is being judged.")
        else:
            again = partial(self._session.ledger.start_again, run)
            self._session.messages.add(Message(words, action_text="Judge it once more", action=again, about=TABLE))

    def why_not_several(self) -> str:
        """Why Try several is disabled; empty if it is enabled."""
        if self._session.data is None:
            return "Open a table first."
        candidates = {candidate_id(*each): each[1].summary() for each in self._session.analyses.comparison.candidates()}
        self.compared.offer(candidates)
        if len(candidates) < LEAST:
            return "There are too few learners that can take this table."
        if self.compared.n_chosen < LEAST:
            return "Tick two learners or more that Try several is to compare."
        trial = self._session.analyses.comparison.current
        if trial is not None and trial.is_running:
            return "They are being tried."
        return self.methods.error() or self._limit_sentence()

    def _limit_sentence(self) -> str:
        """The error of the time limit; empty without one."""
        try:
            self.time_limit.value()
        except ParameterError as error:
            return error.sentence
        return ""

    def _try_several(self) -> None:
        method, seed = self.methods.value(), self.methods.seed()
        if self.why_not_several() or method is None or seed is None:
            self._check()
            return
        try:
            self._session.analyses.comparison.start(method, seed, self.time_limit.value(), self.compared.left_out)
        except CoppiceError as error:
            self._session.messages.error(error)

    def _use_settings(self) -> None:
        """Takes over the settings of the current run."""
        if self._session.current_run is not None:
            self.show_run(self._session.current_run)

    def _offer_settings(self) -> None:
        """Offers the settings of the current run if they differ, and says whose are shown."""
        run = self._session.current_run
        is_other = run is not None and (self.learner(), self.methods.value(), self.methods.seed()) != (
            run.learner if isinstance(run.learner, Tuned) else grown_whole(grower_of(run.learner)),
            run.method,
            run.seed,
        )
        words = f"Use the settings of run {run.number}, in view" if run is not None and is_other else ""
        self._form_pane.set_facts(*("for the next run", "next run") if words else ("",))
        _offer(self.use_settings, words)

    def _show_ranking(self) -> None:
        """Shows the closed ranking again and focuses it."""
        self._session.analyses.comparison.bring_back()
        self.ranking.table.setFocus()

    def _offer_ranking(self) -> None:
        """Offers a closed ranking, if there is one."""
        trial = self._session.analyses.comparison.out_of_sight
        words = "" if trial is None else f"Show the ranking of {counted(trial.n_judged, 'learner')}"
        _offer(self.show_ranking, words)

    # ---- following the session -------------------------------------------------------------------------------------

    def _data_changed(self) -> None:
        if self.isVisible():
            self._renew_form()
        else:
            self._session.turns.later(self._renew_form)
        self._check_in_turn()

    def _check_in_turn(self) -> None:
        """Checks whether a run can start, later if the tab is hidden."""
        if self.isVisible():
            self._check()
        else:
            self._session.turns.later(self._check)

    def _come_into_view(self) -> None:
        self._renew_form()

    def _renew_form(self) -> None:
        """Makes the form again if it was made for other columns or classes."""
        data, learner = self._session.data, self.learners.learner
        self.methods.set_schema(None if data is None else data.schema)
        if learner is not None and self._form_is_for != self._subject(learner):
            self._show_learner(learner)

    def _subject(self, learner: type[Learner]) -> tuple[object, ...]:
        """What the learner's form depends on: columns if an option names one, classes if one lists them."""
        kinds, data = {parameter.kind for parameter in learner.parameters()}, self._session.data
        has_columns = kinds & {ParameterKind.COLUMN, ParameterKind.COLUMNS, ParameterKind.LEARNER}
        has_classes = kinds & {ParameterKind.COST_MATRIX, ParameterKind.LEARNER}
        columns = data.schema.names if data is not None and has_columns else ()
        classes = self._session.classes if has_classes else ()
        return (learner, columns, classes)

    def _show_learner(self, learner: type[Learner]) -> None:
        self._keep_values()
        self._form_is_for = self._subject(learner)
        data = self._session.data
        self._form = form = ParameterForm(
            self._values.get(learner, learner),
            registry=self._session.registry,
            columns=() if data is None else data.schema.names,
            classes=self._session.classes,
            prefix="classify",
            parent=self._form_pane,
        )
        form.changed.connect(self._check)
        self._suggesting.follow(form)
        self._form_pane.set_title(learner.name)
        self._sentence.setText(learner.sentence)
        self._sentence.setToolTip(learner.source)
        self._form_place.addWidget(form)
        form.setVisible(not form.is_empty)
        self._order_tabs()
        self._check()

    def _order_tabs(self) -> None:
        tab_in_order(self.learners, self._form_pane, self.methods, self.time_limit, self.compared, self.progress)
        tab_in_order(self.progress, self.show_ranking, self.start)
        tab_in_order(self.start, self.several, self.ranking, self.verdict)

    def _tried_changed(self) -> None:
        self._order_tabs()
        self._check()

    def _keep_values(self) -> None:
        """Remembers the options of this learner and removes the form."""
        form, self._form = self._form, None
        if form is None:
            return
        learner = form.value()
        if isinstance(learner, Learner):
            self._values[type(learner)] = learner
        self._form_place.removeWidget(form)
        form.hide()
        form.deleteLater()

    def _check(self) -> None:
        recipe = self._session.recipe
        _offer(self._to_steps, f"Learns after {counted(len(recipe), 'step')}" if recipe else "")
        self._to_steps.setToolTip(f"{steps_listed(recipe)}\nA click leads to them, in Preprocess.")
        if self._form is not None:
            self.tried.set_subject(cast("Learner | None", self._form.value()), self._session.recipe)
            self._form.set_tried(self.tried.names)
        why = self.why_not()
        self.start.setEnabled(not why)
        self._why_not.setText(why)
        self._why_not.setVisible(bool(why) and self._session.data is not None)
        self.start.setAccessibleDescription(why)
        self._offer_ranking()
        self._offer_settings()
        self._remember()
        why_not_several = self.why_not_several()
        self.time_limit.mark(bool(self._limit_sentence()))
        tip = (
            f"Judge {self.compared.n_chosen} learners on the same folds, from plain guessing to a forest, and rank them"
        )
        self.several.setEnabled(not why_not_several)
        self.several.setToolTip(why_not_several or tip)
        self.several.setAccessibleDescription(why_not_several or tip)

    def _take_size(self) -> None:
        self.progress.set_roomy(self.height() >= themes.px(ROOMY))

    # ---- layout ----------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        list_pane, middle, outcome, parts = self._list_pane, self._middle, self._outcome, self._parts
        list_pane.setAccessibleName("Learners")
        list_pane.body.addWidget(self.learners)
        self._sentence = label("", "dim", wrap=True)
        self._to_steps = link_button("", "classify.steps", on_click=lambda: self._session.ask_for_tab("preprocess"))
        self._form_place = QVBoxLayout()
        add_items(
            self._form_pane.body,
            self._sentence,
            (self._to_steps, 0, Qt.AlignmentFlag.AlignLeft),
            (self.use_settings, 0, Qt.AlignmentFlag.AlignLeft),
            self._form_place,
            self.tried,
        )
        self._judge_pane.body.addWidget(self.methods)
        limit = QHBoxLayout()
        words = label(LIMIT.label, wrap=True, of=self.time_limit.control)
        words.setToolTip(LIMIT.help)
        add_items(limit, (words, 1), self.time_limit)
        self._judge_pane.body.addLayout(limit)
        self._judge_pane.body.addWidget(self.compared)
        self._inside.setProperty("part", "clear")
        column_layout(self._form_pane, self._judge_pane, 1, inside=self._inside, spacing=SPACE_3)
        column_layout(
            (self._scroll, 1),
            self.progress,
            self._why_not,
            (self.show_ranking, 0, Qt.AlignmentFlag.AlignRight),
            row_layout((self.start, 3), (self.several, 2), spacing=SPACE_2),
            inside=middle,
            spacing=SPACE_2,
        )
        parts.setObjectName("classify.parts")
        parts.setChildrenCollapsible(False)
        column_layout(self.ranking, (self.verdict, 1), inside=outcome, spacing=SPACE_3)
        for widget, stretch in ((list_pane, 0), (middle, 0), (outcome, 1)):
            parts.addWidget(widget)
            parts.setStretchFactor(parts.count() - 1, stretch)
        list_pane.setMinimumWidth(130)
        self.verdict.setMinimumWidth(240)
        parts.setSizes([themes.px(196), themes.px(300), themes.px(560)])
        row_layout(parts, inside=self)


def _offer(link: QPushButton, words: str) -> None:
    """Shows a link with these words; hides it without words."""
    link.setText(words)
    link.setAccessibleName(words)
    link.setVisible(bool(words))
