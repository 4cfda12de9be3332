"""Classify tab: choose a learner, set its options and the test method, train, read the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner, Suggestion, Variant
from algorithms.core.model_editing import EditedModel
from algorithms.core.parameters import Configurable, ParameterKind
from algorithms.core.resampling import Method
from algorithms.evaluation.tuning.parameter_search import NestedChoice, Tuned, tuned_base
from algorithms.learners.trees.pruning.pruning_sequence import grown_whole
from algorithms.project.run_record import Document
from algorithms.text.numbers import forecast_duration, seconds
from algorithms.text.sentences import counted, within_sentence
from workbench.forms.candidate_values import CandidateValuesForm
from workbench.forms.form import ParameterForm
from workbench.jobs.jobs import LatestTask
from workbench.jobs.messages import TABLE, Message
from workbench.session.learner_comparison import LEAST
from workbench.session.runs import Run, steps_listed
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, themes
from workbench.tabs.classify.comparison_pane import LearnerComparisonPane, TakenFor
from workbench.tabs.classify.learner_list import LearnerList, reason
from workbench.tabs.classify.methods import (
    PLACE,
    SEED,
    TEST_WITH,
    ComparisonForm,
    MethodChooser,
    NextRun,
    error_in,
    next_run_from,
)
from workbench.tabs.classify.progress import ProgressPane
from workbench.tabs.classify.run_summary import VerdictPane
from workbench.tabs.tab import Step, Tab
from workbench.widgets.buttons import accent_button, link_button, quiet_button, set_caption
from workbench.widgets.keyboard_focus import set_visible, swap
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import add_items, column_layout, named, row_layout
from workbench.widgets.panes import ColumnSplitter, Pane, UprightScrollArea
from workbench.widgets.status_line import StopButton


class SuggestedValues(QObject):
    """Computes values that forms ask for in a job; only the latest request of an existing form counts."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._form: ParameterForm | None = None
        self._task = LatestTask(session.jobs)

    def follow(self, form: ParameterForm) -> None:
        self._form = form
        form.suggestion_asked.connect(self._ask)

    def _ask(self, name: str) -> None:
        form, data = self._form, self._session.data
        learner = None if form is None else form.value()
        if form is None or data is None or data.schema.class_index is None or not isinstance(learner, Learner):
            self._session.messages.warn("Open a table and choose the class first.")
            return

        def done(suggestion: Suggestion) -> None:
            if form is self._form:
                form.show_suggestion(name, suggestion.text, suggestion.words)

        self._task.run(
            "Suggest an order",
            partial(learner.suggested, name, data),
            on_done=done,
            on_failed=self._failed,
            can_finish=True,
            says="Reading the records",
        )

    def _failed(self, error: object) -> None:
        if isinstance(error, CoppiceError):
            self._session.messages.warn(str(error))


STOP_TIP = "Stop this run; training it again goes on from its finished folds"
TICKS = ("usual", "all", "none")
"""What the links of a comparison tick."""
ROOMY = 820
"""Height from which the folds of a finished run stay above its result."""


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
        self._parts = ColumnSplitter(self)
        self._list_pane = Pane(parent=self._parts)
        self.learners = LearnerList(session, self._list_pane)
        yield True
        self._middle = QWidget(self._parts)
        self._inside = QWidget()
        self._scroll = UprightScrollArea(self._inside, self._middle)
        self._form_pane = Pane(parent=self._inside)
        self.tried = CandidateValuesForm(session.registry, parent=self._form_pane)
        self._judge_pane = Pane(TEST_WITH, parent=self._inside)
        self.methods = MethodChooser(session.registry, self._judge_pane)
        yield True
        tip = "Train and test this learner (Ctrl+Enter, or Enter in the list of learners)"
        self.start = accent_button("Train", "classify.start", tip, self._start)
        self.start.setDefault(True)
        self.stop = StopButton("classify.stop", STOP_TIP, self._stop_run)
        self.stop.hide()
        tip = "Tick several learners in the list, and train and rank them on the same folds"
        self.compare = quiet_button("Compare learners", "classify.compare", tip, self._begin_comparing)
        self.compared = ComparisonForm(self._list_pane)
        self.several, self.back = self.compared.start, self.compared.back
        self.several.clicked.connect(self._compare_learners)
        self.back.clicked.connect(self._stop_comparing)
        tip = "Show the closed comparison again; nothing is trained"
        self.show_ranking = link_button("", "classify.several.show", tip, self._show_ranking)
        tip = "Set the learner, options and test method of the run in view"
        self.take_settings = link_button("Use its settings", "classify.take-settings", tip, self._take_settings)
        self._differs = named(ElidedLabel("", "small"), "classify.differs")
        self._differs.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._why_not = named(label("", "small", wrap=True), "classify.why-not")
        self._why_not.setProperty("tone", "warning")
        self._outcome = QWidget(self._parts)
        self.progress = ProgressPane(session, self._outcome)
        yield True
        self.verdict = VerdictPane(session, self._outcome)
        yield True
        self.ranking = yield from LearnerComparisonPane(session, self._outcome, in_pieces=True).rest()
        self.ranking.shown.connect(self.verdict.setHidden)
        self.verdict.setVisible(self.ranking.isHidden())
        yield True
        self.verdict.open_visualize.connect(self.open_visualize)
        self.verdict.open_visualize.connect(lambda: session.ask_for_tab("visualize"))
        self.learners.model.ticked = session.analyses.comparison.usual()
        self._lay_out()
        self._show_mode()
        yield True
        self._connect()
        self.learners.choose_first()
        yield True
        self._recall()
        self._follow_comparison()

    def _steps_besides(self) -> Iterator[Step]:
        yield self.verdict.prepare_picture

    def _connect(self) -> None:
        session = self._session
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            start = QShortcut(
                QKeySequence(keys), self, self._press_primary, context=Qt.ShortcutContext.WidgetWithChildrenShortcut
            )
            start.setWhatsThis("Train" if keys == "Ctrl+Return" else "")
        self.learners.chosen.connect(self._show_learner)
        self.learners.activated.connect(self._press_primary)
        self.learners.model.ticks_changed.connect(self._check)
        self.learners.search.textChanged.connect(self._check)
        self.methods.changed.connect(self._check)
        self.compared.limit.changed.connect(self._check)
        self.compared.ticked.connect(self._tick)
        self.tried.changed.connect(self._check)
        session.recipe_changed.connect(self._check_in_turn)
        session.data_changed.connect(self._data_changed)
        session.summary_changed.connect(self._check_in_turn)
        session.comparison_asked.connect(self._begin_comparing)
        session.run_brought_back.connect(self.show_run)
        session.document_replaced.connect(self._recall)
        session.analyses.comparison.changed.connect(self._follow_comparison)
        session.runs_changed.connect(self._offer_ranking)
        session.runs_changed.connect(self._show_stop)
        session.current_run_changed.connect(self._show_stop)
        session.current_run_changed.connect(self._offer_settings)
        self.ranking.asked.connect(self._take_compared)

    @property
    def form(self) -> ParameterForm | None:
        """The options of the chosen learner."""
        return self._form

    def learner(self) -> Learner | None:
        """The learner with its options and search; None while an option is wrong."""
        learner = None if self._form is None else cast("Learner | None", self._form.value())
        try:
            return None if learner is None else self.tried.value(learner)
        except CoppiceError:
            return None

    def show_run(self, run: Run) -> None:
        """Sets the options, test method and seed of a run; what the user set before can be had back."""
        self.set_comparing(False)
        kind, judge = type(_in_form(run.learner)), type(run.method)
        chosen, seed, before = self.learners.learner or kind, self.methods.seed(), self._settings()
        typed = [(self._typed(kind), self.methods.typed(judge)), (self._typed(chosen), self.methods.typed())]
        self._set(run.learner, run.method, run.seed)
        known: list[object] = [SEED.default, None, self.methods.first(), judge(), kind(), chosen()]
        known += [part for other in self._session.runs for part in settings_of(other)]
        if self._settings() == before or all(part in known for part in (seed, *typed[0], *typed[1])):
            return

        def back() -> None:
            for learner, method in typed:
                self._set(learner, method, run.seed if seed is None else seed)

        part = "" if self._settings() == settings_of(run) else ", as far as they fit"
        words = f"The form has the settings of run {run.number} now{part}."
        self._session.messages.add(Message(words, action_text="Undo", action=back, about=TABLE))

    def _typed(self, kind: type[Learner]) -> Learner:
        """The last valid options and search of a learner."""
        learner = self.learner() if kind is self.learners.learner else None
        return learner or self.tried.kept(self._values.get(kind) or kind())

    def _settings(self) -> Settings:
        return self.learner(), self.methods.value(), self.methods.seed()

    def _take_settings(self) -> None:
        if (run := self._session.current_run) is not None:
            self.show_run(run)
            self.start.setFocus()

    def _offer_settings(self) -> None:
        """Says how the form differs from the run in view, and offers its settings where the form can have them."""
        run, data, wordings = self._session.current_run, self._session.data, [""]
        if run is not None and data is not None and self._settings() != settings_of(run):
            fits = _in_form(run.learner).listed and not isinstance(run.learner, NestedChoice)
            if fits and not run.method.problem(data.schema):
                wordings = differs_words(run.number, differing(self._settings(), settings_of(run)))
        self._differs.set_wordings(*wordings)
        set_visible(bool(wordings[0]), self._differs, self.take_settings)

    @property
    def is_comparing(self) -> bool:
        """Whether the list has tick boxes, and the main button trains the ticked learners."""
        return self.learners.model.has_ticks

    def set_comparing(self, is_comparing: bool) -> None:
        """Chooses between training one learner and comparing several."""
        if is_comparing != self.is_comparing:
            self.learners.search.clear()
            self.learners.model.show_ticks(is_comparing)
            self.verdict.is_comparing = is_comparing
            learner = self.learners.learner
            self.verdict.show_family("" if is_comparing or learner is None else learner.family)
            self.verdict.refresh()
            self._show_mode()
            if is_comparing:
                self._session.analyses.comparison.bring_back()
            else:
                self._session.analyses.comparison.put_away()
            self._check()

    def _begin_comparing(self) -> None:
        self.set_comparing(True)
        self.learners.view.setFocus()

    def _stop_comparing(self) -> None:
        """Goes back to one learner, with the options of a compared run that is in view."""
        trial, run = self._session.analyses.comparison.current, self._session.current_run
        if trial is not None and run is not None and trial.has(run):
            self.show_run(run)
        self.set_comparing(False)
        (self.compare if self.show_ranking.isHidden() else self.show_ranking).setFocus()

    def _show_mode(self) -> None:
        self.compared.setVisible(self.is_comparing)
        self.compared.above.setVisible(self.is_comparing)
        self._middle.setVisible(not self.is_comparing)

    def _press_primary(self) -> None:
        (self.several if self.is_comparing else self.start).click()

    def _show_stop(self) -> None:
        """The main button stops the run or comparison in view while it runs."""
        run, trial = self._session.current_run, self._session.analyses.comparison.current
        if self.stop.isVisible() or self.compared.stop.isVisible():
            self._check()  # a button that comes back takes the keys only where it is enabled
        job = run.job if run is not None and run.is_running else None
        self.stop.follow(None if run is None or run.part is not None else job)  # a comparison keeps a Stop of its own
        swap(self.start, self.stop, job is not None)
        self.compared.show_job(trial.job if trial is not None and trial.is_running else None)

    def _stop_run(self) -> None:
        if (run := self._session.current_run) is not None:
            run.stop()

    def _tick(self, which: str) -> None:
        """Of the learners that the search shows, ticks all, none, or the usual ones."""
        self.learners.model.tick(self._ticks(which))
        self.learners.model.put_ticked_first()

    def _ticks(self, which: str) -> frozenset[str]:
        model = self.learners.model
        able = model.applicable & model.shown
        chosen = {"all": able, "none": frozenset(), "usual": self._session.analyses.comparison.usual() & able}[which]
        return model.ticked - model.shown | chosen

    def _candidates(self) -> list[tuple[Variant, Learner]]:
        """Settings of the ticked learners, with the options that the user set."""
        values = dict(self._values)
        learner = None if self._form is None else self._form.value()
        if isinstance(learner, Learner):
            values[type(learner)] = learner
        return self._session.analyses.comparison.candidates(self.learners.model.ticked, values)

    def _set(self, asked: Learner, method: Method, seed: int) -> None:
        learner = _in_form(asked)
        self._values[type(learner)] = learner
        self.learners.choose(type(learner))
        if self._form is not None and self.learners.learner is type(learner):
            self._form.set_value(learner)
        self.tried.set_value(asked if isinstance(asked, Tuned) else learner)
        self.methods.set_value(method, seed)
        self._check()

    def _recall(self) -> None:
        kept = next_run_from(self._session.place.get(PLACE), self._session.registry)
        self._recalled_for = self._session.history.opened
        if kept is not None:
            self.compared.limit.show_value(kept.time_limit)
            self.learners.model.tick(self._session.analyses.comparison.usual() if kept.ticked is None else kept.ticked)
            self._set(kept.learner, kept.method, kept.seed)

    def _remember(self) -> None:
        learner, method, seed = self.learner(), self.methods.value(), self.methods.seed()
        if self._recalled_for is None or self._recalled_for is not self._session.history.opened:
            return
        ticked, usual = self.learners.model.ticked, self._session.analyses.comparison.usual()
        kept = next_run_from(self._session.place.get(PLACE), self._session.registry)
        if learner is not None and method is not None and seed is not None and not error_in(self.compared.limit):
            kept = NextRun(learner, method, seed, self.compared.limit.value())
        if kept is not None:  # while an option is wrong, the last right ones
            kept = replace(kept, ticked=None if ticked == usual else ticked)
            self._session.set_place(**{PLACE: kept.to_text()})

    def why_not(self) -> str:
        """Why Train is disabled; empty if it is enabled."""
        session, learner = self._session, self.learner()
        if session.data is None:
            return "Open a table first."
        if self.learners.learner is None:
            return "Choose a learner first."
        if learner is None:
            return (self._form.error() if self._form is not None else "") or self.tried.error()
        return reason(session.history.summaries.problems(learner)) or self.tried.error() or self.methods.error()

    def chapter(self) -> str:
        parts: dict[str, QWidget] = {
            "Choose a learner": self._list_pane,
            "Set its options": self._form_pane,
            "Test with": self._judge_pane,
        }
        return self._chapter_of_focus(parts)

    def start_training(self) -> None:
        """Trains the chosen learner, as *Train* does, if that is possible."""
        self._session.turns.later(self.start.click)

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
        words = f"Run {run.number} has the same options, table and seed. It is in view."
        if run.is_running:
            self._session.messages.note(f"Run {run.number} has the same settings and is still running.")
        else:
            again = partial(self._session.ledger.start_again, run)
            self._session.messages.add(Message(words, action_text="Run again", action=again, about=TABLE))

    def why_not_several(self) -> str:
        """Why Compare learners is disabled; empty if it is enabled."""
        if self._session.data is None:
            return "Open a table first."
        if len(self.learners.model.applicable) < LEAST:
            return "Too few learners suit this table."
        if len(self._candidates()) < LEAST:
            return "Select two learners or more to compare."
        trial = self._session.analyses.comparison.current
        if trial is not None and trial.is_running:
            return "The comparison is running."
        return self.methods.error() or error_in(self.compared.limit)

    def _compare_learners(self) -> None:
        method, seed = self.methods.value(), self.methods.seed()
        if self.why_not_several() or method is None or seed is None:
            self._check()
            return
        try:
            limit, candidates = self.compared.limit.value(), self._candidates()
            self._session.analyses.comparison.start(method, seed, limit, candidates)
        except CoppiceError as error:
            self._session.messages.error(error)

    def _take_compared(self, run: Run, purpose: TakenFor) -> None:
        """Goes on with a compared run: alone, tuned, or with new data, under the rule that ranked it."""
        self._session.set_current_run(run)
        if purpose is TakenFor.NEW_DATA:  # the rule changes once a file is chosen
            self._session.saving_asked.emit("ranked-file")
            return
        self._session.analyses.comparison.use_ranking_rule(run)
        focus = self.window().focusWidget()
        had_focus = focus is not None and self.ranking.isAncestorOf(focus)
        self.show_run(run)
        if purpose is TakenFor.TUNING:
            self.tried.add.click()
        elif had_focus:  # the way back, not what happens to come next
            self._offer_ranking()
            self.show_ranking.setFocus()

    def _follow_comparison(self) -> None:
        """Ticks are shown beside a ranking that is shown."""
        trial = self._session.analyses.comparison.current
        if trial is not None and not trial.is_away:
            self.set_comparing(True)
        self._show_stop()
        self._check()

    def _show_ranking(self) -> None:
        self.set_comparing(True)
        self.ranking.table.setFocus()

    def _offer_ranking(self) -> None:
        trial = self._session.analyses.comparison.out_of_sight
        words = "" if trial is None else f"Show the comparison of {counted(trial.n_judged, 'learner')}"
        _offer(self.show_ranking, words)

    def _data_changed(self) -> None:
        self._in_turn(self._renew_form)
        self._check_in_turn()

    def _in_turn(self, act: Callable[[], None]) -> None:
        """Does this now, or later if the tab is hidden."""
        if self.isVisible():
            act()
        else:
            self._session.turns.later(act)

    def _check_in_turn(self) -> None:
        self._in_turn(self._check)

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
        columns = tuple(data.schema.kinds.items()) if data is not None and has_columns else ()
        classes = self._session.classes if has_classes else ()
        return (learner, columns, classes)

    def _show_learner(self, learner: type[Learner]) -> None:
        self._keep_values()
        self._form_is_for = self._subject(learner)
        self.verdict.show_family(learner.family)
        data = self._session.data
        self._form = form = ParameterForm(
            self._values.get(learner, learner),
            registry=self._session.registry,
            columns=() if data is None else data.schema.kinds,
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
        _offer(self._to_steps, f"After {counted(len(recipe), 'recipe step')}" if recipe else "")
        self._to_steps.setToolTip(f"{steps_listed(recipe)}\nClick to see them in Preprocess.")
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
        self.compared.limit.mark(bool(error_in(self.compared.limit)))
        chosen, method, seed = self.learners.model.chosen, self.methods.value(), self.methods.seed()
        useful = [which for which in TICKS if self._ticks(which) != {kind.id for kind in chosen}]
        words = "" if method is None else f"{method.described().capitalize()} · seed {seed}"
        hidden = sum(kind.id not in self.learners.model.shown for kind in chosen)
        words += f" · the search hides {counted(hidden, 'ticked learner')}" if hidden else ""
        count = f"{len(chosen)} of {len(self.learners.model.applicable)} chosen"
        taken = self._session.ledger.seconds_before(self._session.data, method)
        if known := [taken[kind] for kind in chosen if kind in taken]:
            some = f"; {len(known)} of them took {seconds(sum(known))} before"
            count += some if len(known) < len(chosen) else f", about {forecast_duration(sum(known))}"
        self.compared.show_state(len(chosen), count, useful, words, self.why_not_several())

    def _take_size(self) -> None:
        self.progress.set_roomy(self.height() >= themes.px(ROOMY))

    def _lay_out(self) -> None:
        list_pane, middle, outcome, parts = self._list_pane, self._middle, self._outcome, self._parts
        list_pane.setAccessibleName("Learners")
        add_items(list_pane.body, self.compared.above, (self.learners, 1), self.compared)
        self._sentence = label("", "dim", wrap=True)
        self._to_steps = link_button("", "classify.steps", on_click=lambda: self._session.ask_for_tab("preprocess"))
        self._form_place = QVBoxLayout()
        add_items(
            self._form_pane.body,
            self._sentence,
            (self._to_steps, 0, Qt.AlignmentFlag.AlignLeft),
            self._form_place,
            self.tried,
        )
        self._judge_pane.body.addWidget(self.methods)
        self._inside.setProperty("part", "clear")
        column_layout(self._form_pane, self._judge_pane, 1, inside=self._inside, spacing=SPACE_3)
        foot = column_layout(
            self._why_not,
            row_layout((self._differs, 1), self.take_settings, 0, self.show_ranking, spacing=SPACE_2),
            row_layout((self.start, 3), (self.stop, 3), (self.compare, 2), spacing=SPACE_2),
            spacing=SPACE_2,
        )
        column_layout((self._scroll, 1), foot, inside=middle, spacing=SPACE_2)
        bar = self._scroll.verticalScrollBar()  # the foot ends where the panes above it do
        bar.rangeChanged.connect(
            lambda _least, most: foot.setContentsMargins(0, 0, bar.sizeHint().width() * (most > 0), 0)
        )
        parts.setObjectName("classify.parts")
        column_layout((self.ranking, 1), (self.verdict, 1), self.progress, inside=outcome, spacing=SPACE_3)
        for widget, stretch in ((list_pane, 0), (middle, 0), (outcome, 1)):
            parts.addWidget(widget)
            parts.setStretchFactor(parts.count() - 1, stretch)
        self.verdict.setMinimumWidth(240)
        parts.set_widths(196, 300)
        row_layout(parts, inside=self)


Settings = tuple[Learner | None, Method | None, int | None]
"""Learner, test method and seed of the form; None where an option is invalid."""


def settings_of(run: Run) -> tuple[Learner, Method, int]:
    """What the form sets to train the learner of a run, before edits by hand."""
    learner = run.learner if isinstance(run.learner, Tuned | NestedChoice) else _in_form(run.learner)
    return learner, run.method, run.seed


def differing(ours: Settings, others: Settings) -> list[str]:
    """What differs between two settings in short: the learner, the test method, or labels of their options; the seed.

    An invalid part, which is None, is left out.
    """
    parts, (learner, method, seed), (other, other_method, other_seed) = [], ours, others
    if learner is not None and other is not None:
        options = _differing_options(_in_form(learner), _in_form(other), "learner")
        parts += options if options or learner == other else ["tuning"]
    if method is not None and other_method is not None:
        parts += _differing_options(method, other_method, "test method")
    return [*parts, "seed"] if None not in (seed, other_seed) and seed != other_seed else parts


def _differing_options(one: Configurable, other: Configurable, whole: str) -> list[str]:
    """Labels of the options that differ; ``whole`` if the two are of different kinds."""
    if type(one) is not type(other):
        return [whole]
    theirs = other.values()
    return [within_sentence(one.parameter(name).label) for name, value in one.values().items() if value != theirs[name]]


def differs_words(number: int, parts: Sequence[str]) -> list[str]:
    """ "Differs from run 3: folds, seed", then ever shorter wordings of it."""
    which = f"Differs from run {number}"
    lists = [f"{which}: {', '.join(parts[:n])} and {len(parts) - n} more" for n in range(len(parts) - 1, 0, -1)]
    whole = [f"{which}: {', '.join(parts)}"] if parts else []
    return [*whole, *lists, which]


def _in_form(asked: Learner) -> Learner:
    """The learner whose options are set to train another: without a search, edits by hand or pruning."""
    learner = tuned_base(asked)
    return grown_whole(learner.base if isinstance(learner, EditedModel) else learner)


def _offer(link: QPushButton, words: str) -> None:
    set_caption(link, words)
    link.setVisible(bool(words))
