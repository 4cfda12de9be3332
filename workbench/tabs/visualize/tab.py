"""The Visualize tab: the model of the run in view, its records and explanations, and how they share the room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QPushButton, QStackedWidget, QWidget

from algorithms.core.training import TrainedClassifier
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import NO_NODE, Tree
from algorithms.text.sentences import BRIEF_NAMES, in_brief
from workbench.jobs.ui_scheduling import MadeAhead, single_shot
from workbench.session.runs import Run, failure_of, structure_of
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, themes
from workbench.tabs.tab import PagePart, RunSelector, Step, Tab
from workbench.tabs.visualize.explain.fold_model import FoldModelBar, Part, RecordSearch, testing_part
from workbench.tabs.visualize.tree.tree_editor import TreeEditor
from workbench.tabs.visualize.tree.tree_records import NodeSelection, SteadinessNotes, TreeRecords, TreeSteadiness
from workbench.tabs.visualize.viewer_extensions import (
    ExtendedViewer,
    InterestInView,
    ViewerContext,
    extended_viewer,
)
from workbench.viewers.charts.export import add_programs
from workbench.viewers.original_units import show_structure, table_numbers
from workbench.viewers.tree.tree_words import HighlightedPath
from workbench.widgets.buttons import IconButton, SegmentTrack, link_button, segment_button
from workbench.widgets.examples import EmptyPage
from workbench.widgets.keyboard_focus import set_enabled
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named, row_layout, split
from workbench.widgets.panes import ClearRow, CurrentPageStack, Pane

if TYPE_CHECKING:
    from workbench.tabs.visualize.explain.explain_page import ExplainPage
    from workbench.tabs.visualize.scatter.records_views import RecordsViews
    from workbench.tabs.visualize.tree.replays import TreeStage
    from workbench.tabs.visualize.tree.why_pane import WhyPane
    from workbench.viewers.tree.gain_and_pruning_curves import GainPlot
    from workbench.viewers.tree.tree_view import TreeView
    from workbench.viewers.viewer import Viewer


MODEL: Final = "model"
DATA: Final = "data"
EXPLAIN: Final = "explain"
PAGES: Final = {
    MODEL: ("Model", "What the learner has learned: tree, rules, network, coefficients"),
    DATA: ("Data", "The records, with the predictions of the model"),
    EXPLAIN: ("Explain", "The prediction for one record, and what would change it"),
}
TOOLBAR: Final = 34
SETTING: Final = "visualize.page"
SIZES: Final = "visualize.sizes"
LATER_MS: Final = 300
"""So long after a page is shown, a hidden one begins to be filled."""
SELECT_NODE: Final = (
    "Click a node of the tree, or press S, to select its records.",
    "Click a node, or press S, to select.",
)
SELECT_RULE: Final = (
    "Click a rule, or press Space, to select the records that it decides.",
    "Click a rule, or press Space, to select.",
)
CHAPTERS: Final = {
    "tree": "Tree",
    "rules": "Rules",
    "nomogram": "Naive Bayes",
    "coefficients": "Coefficients",
    "gaussians": "Coefficients",
    "network": "Bayesian network",
    "layers": "Networks",
    "margins": "The boundary of a support vector machine",
    "neighbours": "Neighbours",
    "ensemble": "Ensembles",
    "code": "Ensembles",
    "wrapped": "Ensembles",
    "prior": "",
}
"""The heading in the help of what each viewer shows."""
WHY: Final = "Why this split?"
PARALLEL: Final = "parallel"
"""The kind of picture of records that has lines."""
SELECT_LINE: Final = (
    "Click the line of a record, or brush an axis with Shift+arrows, to select.",
    "Click a line, or press Shift+arrows, to select.",
)
SELECT_CELLS: Final = (
    "Drag a rectangle, or press Space at a record, to select.",
    "Drag, or press Space, to select.",
)
"""For a density picture, whose cells hold many records each."""
SELECT_POINT: Final = (
    "Click a point, or press Space at it, to select its record.",
    "Click a point, or press Space, to select.",
)


class Pages(ClearWidget):
    """The pages of the tab under one toolbar, which shows the heading of the pane in view.

    The page Model has the widgets ``above``, and room for an inspector at its right. A ``banner`` stands below the
    toolbar, so that the toolbar never moves. The settings keep the page.
    """

    page_turns = Signal()
    page_shown = Signal(str)
    page_changed = Signal()
    """Comes after another page is in view."""

    def __init__(
        self,
        session: Session,
        model: QWidget,
        *above: QWidget,
        banner: QWidget | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("is_page", True)  # its "…" follows the pointer on all of it, and keeps the pages calm
        self._settings, self._turns = session.settings, session.turns
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        for page, (title, tip) in PAGES.items():
            button = segment_button(title, f"visualize.page.{page}", tip, partial(self.show_page, page))
            self._group.addButton(button)
            self._buttons[page] = button
        self._toolbar = CurrentPageStack(self)
        themes.follow_now(self._dress)
        self._headings: dict[Pane, QWidget] = {}
        self._panes: dict[str, Pane] = {}
        self.holder = QStackedWidget(self)
        """The parent of each page, from the begin."""
        self._pages: dict[str, QWidget] = {MODEL: ClearWidget(self.holder)}
        self.model_parts = split(model, handle=12, parent=self._pages[MODEL])
        self.model_parts.splitterMoved.connect(lambda: self._settings.set(SIZES, self.model_parts.sizes()))
        self._inspector: QWidget | None = None
        self._inspects = self._lends = False
        column_layout(*above, (self.model_parts, 1), inside=self._pages[MODEL], spacing=0)
        self._unavailable = {DATA, EXPLAIN}
        self._stack = filled(self.holder, self._pages[MODEL])
        self._stack.currentChanged.connect(self.page_changed)
        track = SegmentTrack(*self._buttons.values()), 0, Qt.AlignmentFlag.AlignLeft
        self.run_in_view = RunSelector(session, "visualize.run", 0.2, 62)
        self._row = row = row_layout(track, self.run_in_view, (self._toolbar, 1), spacing=SPACE_3)
        below = () if banner is None else (banner,)
        column_layout(row, *below, (self._stack, 1), inside=self, spacing=SPACE_2)
        kept = self._settings.get(SETTING, MODEL)
        self.wanted = kept if kept in PAGES else MODEL
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_run()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:  # another run, or other words in the toolbar
            self._fit_run()
        return super().event(event)

    def _fit_run(self) -> None:
        """Gives the name of the run the room that the toolbar leaves with all its words."""
        taken = self._row.sizeHint().width() - self.run_in_view.width()
        self.run_in_view.take_width(self.width(), max(0, self.width() - taken))

    def _dress(self) -> None:
        """Gives the toolbar of every page the height of the highest, so that panes begin level."""
        self._toolbar.setMinimumHeight(themes.px(TOOLBAR))

    @property
    def shown(self) -> str:
        """The page in view: the wanted one, or Model if that has nothing to show."""
        return MODEL if self.wanted in self._unavailable else self.wanted

    def add_page(self, page: str, content: QWidget) -> None:
        """Adds the content of a page, which has nothing to show yet."""
        self._pages[page] = content
        self._stack.addWidget(content)

    def add_inspector(self, pane: QWidget) -> None:
        """Adds a pane at the right of the model, hidden until it is wanted."""
        self._inspector = pane
        pane.hide()
        self.model_parts.addWidget(pane)
        self.model_parts.setStretchFactor(0, 1)
        sizes = self._settings.get(SIZES, [])
        are_sizes = isinstance(sizes, list) and len(sizes) == 2 and all(type(size) is int for size in sizes)
        self.model_parts.setSizes(sizes if are_sizes else [640, 360])
        self._arrange()

    def set_available(self, page: str, available: bool) -> None:
        """Sets whether a page has anything to show."""
        (self._unavailable.discard if available and page in self._pages else self._unavailable.add)(page)
        self._arrange()

    def inspect(self, wanted: bool) -> None:
        """Sets whether the inspector has anything to show."""
        self._inspects = wanted
        self._arrange()

    def lend(self, wanted: bool) -> None:
        """Gives the model the room of the inspector, until ``wanted`` is False."""
        self._lends = wanted
        self._arrange()

    def set_pane(self, page: str, pane: QWidget | None) -> None:
        """Makes the heading of this pane the toolbar of a page."""
        if not isinstance(pane, Pane):
            return
        self._panes[page] = pane
        if pane not in self._headings:
            self._headings[pane] = ClearRow((pane.take_heading(), 1), spacing=0, parent=self._toolbar)
            self._toolbar.addWidget(self._headings[pane])
        self._arrange()

    def toolbar_of(self, page: str, pane: Pane) -> PagePart:
        """The heading of a pane on a page, where that is, and what shows the page."""
        return self._headings.get(pane, pane), f"Visualize, {PAGES[page][0]}", partial(self.show_page, page)

    def toolbars(self) -> Iterator[PagePart]:
        """The toolbar of each page that has something to show."""
        return (self.toolbar_of(page, pane) for page, pane in self._panes.items() if page not in self._unavailable)

    def show_page(self, page: str) -> None:
        self.page_turns.emit()
        self.wanted = page
        self._settings.set(SETTING, page)
        self._turns.paint_once(self, self._arrange)
        self.page_shown.emit(self.shown)

    def _arrange(self) -> None:
        shown = self.shown
        for page, button in self._buttons.items():
            set_enabled(page not in self._unavailable, button)
            button.setChecked(page == shown)
        if self._inspector is not None:
            self._inspector.setVisible(self._inspects and not self._lends)
        pane = self._panes.get(shown)
        self._toolbar.setVisible(pane is not None)
        if pane is not None:  # first, as it decides the room of the page
            self._toolbar.setCurrentWidget(self._headings[pane])
        self._stack.setCurrentWidget(self._pages[shown])


class RecordPath(ClearRow):
    """Whose path is lit in the tree, with a way to its explanation; hidden while none is."""

    def __init__(self, explain: Callable[[], object], close: Callable[[], object]) -> None:
        self._words = named(ElidedLabel("", "dim"), "visualize.path.words")
        link = link_button("Explain", "visualize.path.explain", "Explain this prediction", explain)
        shut = IconButton("close", "Let go of this record", "visualize.path.close", close, plain=True)
        super().__init__((self._words, 1), link, shut, spacing=SPACE_2)
        self.hide()

    def show_words(self, words: str, names: tuple[str, ...]) -> None:
        """Shows these words with long ``names`` cut where the room is short; hides for none."""
        self.setVisible(bool(words))
        self._words.set_wordings(words, *(in_brief(words, names, most) for most in BRIEF_NAMES))


def show_no_model(page: EmptyPage, session: Session, run: Run | None) -> None:
    """Says why there is no model, and offers to train one."""
    page.example.show_family(run.learner.family if run is not None and run.learner.listed else "")
    if session.data is None:
        page.show_words("No table is open", "Open a table and train a learner; its model is shown here.")
    elif run is None:
        words, go = "Train a learner in Classify; its model is shown here.", partial(session.ask_for_tab, "classify")
        page.show_words("No model yet", words, "Go to Classify", go)
    elif run.is_running:
        page.show_words(f"Training {run.learner.name}", "Its model is shown here when it is done.")
    else:
        again = partial(session.ledger.start_again, run)
        page.show_words(f"{run.learner.name} left no model", *failure_of(run), again)


class VisualizeTab(Tab):
    """Shows the model of ``session.current_run``; imports viewers when they are first needed."""

    def _make(self) -> Iterator[bool]:
        session = self._session
        self.setObjectName("visualize")
        self._shown: TrainedClassifier | None = None
        self._viewers: dict[type[ModelStructure], Viewer] = {}
        self._panes: dict[type[ModelStructure], tuple[Pane, Viewer]] = {}
        self._empty = EmptyPage("model", "visualize.empty")
        self._path = RecordPath(lambda: self._pages.show_page(EXPLAIN), self._let_go_of_path)
        yield True
        self._editor = TreeEditor(session)
        yield True
        self._fold = FoldModelBar(session)
        self._fold.changed.connect(self._change_model)
        self._fold.awaited.connect(self._explain)
        self._row_asked: int | None = None
        self._records_later = single_shot(self, LATER_MS, self._fill_records)
        self._stack, self._tree_bars = QStackedWidget(), ClearWidget()
        self._pages = Pages(session, self._stack, self._tree_bars, banner=self._fold, parent=self)
        self._stack.addWidget(self._empty)
        column_layout(self._path, self._editor, inside=self._tree_bars, spacing=SPACE_1)
        self._stack.currentChanged.connect(lambda: self._pages.set_pane(MODEL, self._stack.currentWidget()))
        self._pages.page_turns.connect(self.page_turns)
        self._fold.left.connect(self.page_turns)
        self._pages.page_shown.connect(self._changed)
        for shown in (self._pages.page_changed, self._stack.currentChanged):
            shown.connect(self.selecting_changed)
        self._records: RecordsViews | None = None
        self._why: WhyPane | None = None
        self._explanation: ExplainPage | None = None
        self._records_ahead = MadeAhead(self._begin_records, self._use_records)
        self._gains_ahead = MadeAhead(self._begin_gains)
        self._why_ahead = MadeAhead(self._begin_why, self._use_why)
        self._explanation_ahead = MadeAhead(self._begin_explanation, self._use_explanation)
        self._nodes = NodeSelection(session, self)
        self._tree_records: TreeRecords | None = None
        self._steadiness: TreeSteadiness | None = None
        self._extended: dict[type[ModelStructure], ExtendedViewer] = {}
        self._context = ViewerContext(session, self._filled_records, self._look_at_record, self._go_on_with)
        self._stage: TreeStage | None = None
        column_layout(self._pages, inside=self)
        session.selection.changed.connect(self._let_go)
        self._record_search = RecordSearch(session, self)
        self._record_search.record_found.connect(self._find_model_for)
        session.explanation_asked.connect(self._look_for)
        session.decisions.reports.decided_anew.connect(self._decided_otherwise)
        session.current_run_changed.connect(self._changed)
        session.data_changed.connect(self._changed)
        self._changed()

    def _come_into_view(self) -> None:
        self._changed()

    def _changed(self) -> None:
        """Shows the run in view, a part a turn; a hidden tab waits until it is shown."""
        if not self.isVisible():
            return
        missing = [
            *([] if self._gains_ahead.is_made else [self.make_gains]),
            *([] if self._why_ahead.is_made else [self.make_why]),
            *([] if self._explanation_ahead.is_made else [self.make_explanation]),
        ]
        show = (self._make_viewer, self._make_stage, self._show_run, self.make_records, self._show_records)
        self._session.turns.later(*show, *missing, self._explain)

    def _show_run(self) -> None:
        run = self._fold.run_in_view()
        trained = None if run is None else run.trained
        is_new = trained is not None and trained is not self._shown
        if run is None or trained is None:
            self._shown = None
            self._show_nothing(run)
        elif is_new:
            self._shown = trained
            self._show_model(run, trained)
        self._editor.set_run(None if self._is_replaying or self._fold.is_shown else run)
        is_tree = structure_of(run, Tree) is not None
        self._tree_bars.setVisible(is_tree)
        if self._stage is not None:
            self._stage.show_run(run if is_tree else None)
            set_enabled(not self._fold.is_shown, self._stage.growth_switch, self._stage.pruning_switch)
        if self._tree_records is not None:
            self._tree_records.show_run(self._subject if is_tree else None)
        if self._steadiness is not None:
            self._steadiness.show_run(run if is_tree and not self._fold.is_shown else None)
        for kind, extended in self._extended.items():
            seen = run if structure_of(run, kind) is not None else None
            for extension in extended.extensions:
                extension.show_run(seen)
        followed = None if is_tree or not is_new or self._explanation is None else self._explanation.followed
        if followed is not None:
            self._go_on_with(followed)

    @property
    def _subject(self) -> Run | None:
        """The run whose tree is in view: the current one, or the stand-in of a replay."""
        replayed = None if self._stage is None else self._stage.subject
        return self._fold.run_in_view() if replayed is None else replayed

    def _subject_changed(self) -> None:
        """Follows a replay that begins, ends or changes its tree."""
        run = None if self._is_replaying else self._fold.run_in_view()
        own = None if self._fold.is_shown else run
        self._let_go_of_path()
        if self._steadiness is not None:
            self._steadiness.show_run(own)
        self._editor.set_run(own)
        if self._tree_records is not None:
            self._tree_records.show_run(self._subject)
        self._explain()

    @property
    def _is_replaying(self) -> bool:
        return self._stage is not None and self._stage.is_replaying

    def _steps_besides(self) -> Iterator[Step]:
        def imported(*modules: str) -> Iterator[Step]:
            return (partial(import_module, f"workbench.{module}") for module in modules)

        scatter = "tabs.visualize.scatter"
        yield from imported("viewers.viewer_registry", f"{scatter}.records_views", f"{scatter}.many_axes_panes")
        yield from self._records_ahead.steps()
        yield partial(import_module, "algorithms.learners.trees.explain.why_words")
        yield from imported("tabs.visualize.tree.why_pane", "tabs.visualize.explain.explain_page")
        for ahead in (self._gains_ahead, self._why_ahead, self._explanation_ahead):
            yield from ahead.steps()
        yield from imported("viewers.tree.tree_view")
        yield partial(self._viewer_for, Tree)
        yield self._make_stage
        yield partial(self._pane_for, Tree)
        yield from imported("tabs.visualize.tree.replays")
        if self._stage is not None:
            yield from self._stage.steps()

    def how_to_select(self) -> Sequence[str]:
        if self._pages.shown == DATA:
            if self._records is not None and self._records.shows_density:
                return SELECT_CELLS
            return SELECT_LINE if self._records is not None and self._records.kind == PARALLEL else SELECT_POINT
        structure = None if self._shown is None else self._shown.structure()
        if self._pages.shown == EXPLAIN or self._stack.currentWidget() is self._empty:
            return ()
        return SELECT_NODE if isinstance(structure, Tree) else SELECT_RULE if isinstance(structure, RuleSet) else ()

    def chapter(self) -> str:
        if self._pages.shown == EXPLAIN:
            return "Explain"
        if self._pages.shown == DATA:
            return "" if self._records is None else self._records.kind.capitalize()
        if self._shown is None or self._stack.currentWidget() is self._empty:
            return ""
        if self._stage is not None and self._stage.chapter:
            return self._stage.chapter
        if self._why is not None and self._chapter_of_focus({WHY: self._why}):
            return WHY
        return CHAPTERS[self._shown.structure().viewer_key]

    def parts(self) -> Iterator[PagePart]:
        """The toolbars of the pages that have something to show."""
        yield from self._pages.toolbars()
        for kind, pane in () if self._records is None else self._records.others():
            part, where, show = self._pages.toolbar_of(DATA, pane)
            yield part, where, partial(self._show_records_of, kind, show)

    def _show_records_of(self, kind: str, show_page: Callable[[], object]) -> None:
        show_page()
        if self._records is not None:
            self._records.show_kind(kind)

    def hidden_pages(self) -> Sequence[QWidget]:
        pages = (self._records, self._explanation, *(pane for pane, _viewer in self._panes.values()))
        return [page for page in pages if page is not None]

    def make_records(self) -> None:
        self._records_ahead.make()

    def _begin_records(self) -> RecordsViews:
        from workbench.tabs.visualize.scatter.records_views import RecordsViews

        return RecordsViews(self._session, self._pages.holder, in_pieces=True)

    def _use_records(self, records: RecordsViews) -> None:
        self._records = records
        self._pages.add_page(DATA, records)
        self._pages.set_pane(DATA, records.currentWidget())
        records.currentChanged.connect(lambda: self._pages.set_pane(DATA, records.currentWidget()))
        records.currentChanged.connect(self.selecting_changed)
        records.density_turned.connect(self.selecting_changed)

    def _show_records(self) -> None:
        if self._records is None:
            return
        self._pages.set_available(DATA, self._session.data is not None)
        if self._pages.shown == DATA:
            self._fill_records()
        else:
            self._records_later.start()

    def _fill_records(self) -> None:
        """Shows the records of the run; a hidden page gets them once the one in view is whole."""
        self._records_later.stop()
        if self._records is not None and self.isVisible():
            self._records.show_run(self._session.current_run)
            for extended in self._extended.values():
                if extended.refresh is not None:
                    extended.refresh()
            if (run := self._fold.run_in_view()) is not None and run.of_fold is not None:
                self._records.show_stand_in(run.trained, decides_as_run=True, name=run.of_fold.name)
            if self._explanation is not None:
                self._session.turns.later(self._explanation.prepare)

    def _filled_records(self) -> RecordsViews | None:
        if self._records_later.isActive():
            self._fill_records()
        return self._records

    def make_gains(self) -> None:
        """Makes the plot of the gain curve in a turn of its own, because it is slow."""
        self._gains_ahead.make()

    def _begin_gains(self) -> GainPlot:
        from workbench.tabs.visualize.tree.why_pane import CURVE
        from workbench.viewers.tree.gain_and_pruning_curves import GainPlot

        return GainPlot(CURVE, in_pieces=True)

    def make_why(self) -> None:
        self._why_ahead.make()

    def _begin_why(self) -> WhyPane:
        from workbench.tabs.visualize.tree.why_pane import WhyPane

        pane = WhyPane(self._session, self._gains_ahead.make(), self._pages.model_parts, in_pieces=True)
        pane.hide()
        return pane

    def _use_why(self, why: WhyPane) -> None:
        self._why = why
        why.adopt_asked.connect(self._editor.adopt)
        self._pages.add_inspector(why)

    def make_explanation(self) -> None:
        self._explanation_ahead.make()

    def _begin_explanation(self) -> ExplainPage:
        from workbench.tabs.visualize.explain.explain_page import ExplainPage

        return ExplainPage(self._session, self._pages.holder, in_pieces=True)

    def _use_explanation(self, explanation: ExplainPage) -> None:
        self._explanation = explanation
        explanation.path_changed.connect(self._light)
        explanation.record_changed.connect(self._follow_record)
        explanation.what_if.model_asked.connect(self._show_in_model)
        explanation.what_if.wrong.asked.connect(self._explain_erring)
        self._pages.add_page(EXPLAIN, explanation)
        self._pages.set_pane(EXPLAIN, explanation.what_if)

    def explain_next_error(self) -> None:
        """Turns to the explanation of the next record that was predicted wrong, as soon as these are known."""

        def go_on() -> None:
            self.make_explanation()
            self._pages.show_page(EXPLAIN)
            if self._explanation is not None:  # which now fills itself first
                self._session.turns.later(self._explanation.what_if.explain_next_error)

        self._session.turns.later(go_on)

    def _explain(self) -> None:
        subject = self._subject if self._shown is not None else None
        if self._why is not None:
            self._why.show_run(subject)
            self._pages.inspect(structure_of(subject, Tree) is not None)
        if self._explanation is not None:
            self._explanation.show_run(subject, self._fold.words)
            self._pages.set_available(EXPLAIN, subject is not None)

    def _look_for(self, record: int | None) -> None:
        """Looks for a record to explain once the model is in view."""

        def look() -> None:
            is_explained = self._explanation is not None and self._shown is not None
            self._record_search.look_for(self._session.current_run if is_explained else None, record)

        self._session.turns.later(look)

    def _find_model_for(self, row: int | None) -> None:
        """Turns to the explanation of a record by the model that predicted it wrong, else by the one of all records."""
        self._explain_erring(row)
        self._pages.show_page(EXPLAIN)

    def _explain_erring(self, row: int | None) -> None:
        self._row_asked = row
        if row is not None:
            self._go_on_with(row)
        tested = self._tested(row)
        self._show_model_of(tested if tested is not None and tested[1] else None)
        if not self._fold.is_wanted:
            self._show_way_of(row)

    def _follow_record(self, row: int) -> None:
        """Goes on with another record; instead of a fold's model comes the one of the fold that tested this record."""
        is_other, self._row_asked = row != self._row_asked, row
        self._go_on_with(row)
        if is_other and self._fold.is_shown:
            self._show_model_of(self._tested(row))

    def _decided_otherwise(self) -> None:
        """Follows the decision rule: the model of a fold in view may now be right, or that of another have erred."""
        if self._fold.run_in_view() is not None and self._fold.is_wanted:
            self._show_model_of(self._tested(self._row_asked))

    def _tested(self, row: int | None) -> tuple[Part, bool] | None:
        """The fold that tested this record of the current run, and whether its model erred; None without one."""
        run = self._session.current_run
        asked = None if run is None or run.report is None else self._session.decisions.asked(run)
        return None if run is None or row is None else testing_part(run, row, asked)

    def _show_model_of(self, tested: tuple[Part, bool] | None) -> None:
        run, row = self._session.current_run, self._row_asked
        if tested is not None and run is not None and row is not None:
            self._fold.ask(run, tested[0], row, tested[1])
        elif self._fold.is_wanted:
            self._fold.end()

    def _change_model(self) -> None:
        if self._records is not None:
            self._records.show_stand_in(None)
        self._changed()
        self._session.turns.later(self._show_way_of_asked)

    def _show_way_of(self, row: int | None) -> None:
        if row is not None:
            self._go_on_with(row)
        elif self._explanation is not None:
            self._explanation.follow(None)

    def _show_way_of_asked(self) -> None:
        self._show_way_of(self._row_asked)

    def _show_in_model(self) -> None:
        """Shows the model; in a tree, with the path of the record that is explained."""
        self._pages.show_page(MODEL)
        if self._explanation is not None and self._shown is not None and isinstance(self._shown.structure(), Tree):
            self._explanation.what_if.is_lit = True
            self._light(self._explanation.what_if.path)

    def _let_go_of_path(self) -> None:
        if self._explanation is not None and self._explanation.what_if.is_lit:
            self._light(HighlightedPath())
            self._explanation.what_if.is_lit = False
            self._path.hide()

    def _go_on_with(self, row: int) -> None:
        """Shows this record in Explain and in the viewer's extension."""
        if self._explanation is not None:
            self._explanation.follow(row)
        extended = None if self._shown is None else self._extended.get(type(self._shown.structure()))
        if extended is not None and extended.follow is not None:
            extended.follow(row)

    def _let_go(self) -> None:
        """Forgets the record asked about when the selection changes."""
        if self._explanation is not None:
            self._explanation.follow(None)

    def _choose_node(self, node: int, how: SelectionMode) -> None:
        run = self._subject
        if run is not None:
            self._nodes.select(run, self._node_of(node), how)

    def _node_of(self, node: int) -> int:
        return node if self._stage is None else self._stage.node_of(node)

    def _is_open(self, node: int) -> bool:
        return self._stage is not None and self._stage.is_open(node)

    def _explain_node(self, node: int, is_open: bool) -> None:
        """Explains a node of the subject's tree, even one outside the picture, but no split that is not chosen yet."""
        if self._why is not None and node != NO_NODE:
            self._why.show_node(node, is_open=is_open)

    def _show_nothing(self, run: Run | None) -> None:
        show_no_model(self._empty, self._session, run)
        self._let_go_of_path()
        self._stack.setCurrentWidget(self._empty)

    def _show_model(self, run: Run, trained: TrainedClassifier) -> None:
        from workbench.viewers.viewer import ShowsTrainingRecords

        structure = trained.structure()
        pane, viewer = self._pane_for(type(structure))
        self._let_go_of_path()
        show_structure(viewer, structure, table_numbers(trained, run.data))
        if isinstance(viewer, ShowsTrainingRecords):
            viewer.sketch(trained, run.data)
        self._say_facts(pane, viewer)
        self._stack.setCurrentWidget(pane)

    def _viewer_for(self, kind: type[ModelStructure]) -> Viewer:
        if kind not in self._viewers:
            from workbench.viewers.viewer_registry import viewer_for

            self._viewers[kind] = viewer_for(kind, self._session.jobs)
        return self._viewers[kind]

    def _make_viewer(self) -> None:
        run = self._fold.run_in_view()
        if run is not None and run.trained is not None:
            self._viewer_for(type(run.trained.structure()))

    def _make_stage(self) -> None:
        viewer = self._viewers.get(Tree)
        if viewer is not None and self._stage is None:
            from workbench.tabs.visualize.tree.replays import TreeStage
            from workbench.viewers.tree.tree_view import TreeView

            self._stage = TreeStage(self._session, cast(TreeView, viewer), self._stack)
            self._stage.subject_changed.connect(self._subject_changed)
            self._stage.node_looked_at.connect(self._explain_node)
            self._stage.room_wanted.connect(self._pages.lend)

    def _pane_for(self, kind: type[ModelStructure]) -> tuple[Pane, Viewer]:
        if kind not in self._panes:
            from workbench.viewers.viewer import ShowsExport, ShowsOneClass

            viewer = self._viewer_for(kind)
            self._make_stage()
            if kind is Tree and self._stage is not None:
                extended = ExtendedViewer((), self._stage, (self._editor.switch,))
            else:
                extended = extended_viewer(kind, viewer, self._context)
            if isinstance(viewer, ShowsOneClass):
                interest = InterestInView(self._session, viewer, kind)
                extended = replace(extended, extensions=(interest, *extended.extensions))
            self._extended[kind] = extended
            pane = Pane(viewer.title, [*extended.switches, viewer.controls], self._stack)
            pane.body.addWidget(extended.widget, 1)
            viewer.facts_changed.connect(lambda: self._say_facts(pane, viewer))
            if isinstance(viewer, ShowsExport):
                name = f"visualize.{'save' if kind is Tree else viewer.export.exported.name}.programs"
                add_programs(
                    viewer.export, name, kind, lambda: None if self._subject is None else self._subject.trained
                )
            if kind is Tree:
                self._follow_tree_view(viewer)
            self._stack.addWidget(pane)
            self._panes[kind] = (pane, viewer)
        return self._panes[kind]

    def _follow_tree_view(self, viewer: Viewer) -> None:
        from workbench.viewers.tree.tree_view import TreeView

        view = cast(TreeView, viewer)
        view.node_focused.connect(lambda node: self._explain_node(self._node_of(node), self._is_open(node)))
        view.node_chosen.connect(self._choose_node)
        view.card.offers_reasons = True
        self._editor.follow_view(view)
        self._steadiness = TreeSteadiness(self._session, view)
        self._steadiness.changed.connect(self._show_stability)
        self._tree_records = TreeRecords(self._session, view)

    def save_model_as(self, run: Run, format: str) -> None:
        """Shows the model of a run, and asks where to save it in a format of other programs."""
        if run.trained is None:
            return
        self._pages.show_page(MODEL)
        viewer = cast(QWidget, self._pane_for(type(run.trained.structure()))[1])
        actions = [action for menu in viewer.findChildren(QMenu) for action in menu.actions()]
        save = next((a for a in actions if a.text().startswith("Save") and format.lower() in a.text().lower()), None)
        if save is not None:
            self._session.turns.later(save.trigger)

    def _look_at_record(self, values: dict[str, float | str | None]) -> None:
        if self._explanation is not None:
            self._pages.show_page(EXPLAIN)
            self._explanation.show_record_of(values)

    def _say_facts(self, pane: Pane, viewer: Viewer) -> None:
        trained = self._shown
        if trained is None:
            return
        partial = " · finished early" if trained.model.partial else ""
        remark = f" · {trained.model.remark()}" if trained.model.remark() else ""
        pane.set_facts(f"{viewer.facts()}{partial}{remark}")

    def _show_stability(self, notes: SteadinessNotes) -> None:
        if self._why is not None:
            self._why.show_stability(notes.sentences)

    def _light(self, path: HighlightedPath) -> None:
        pair, explanation = self._panes.get(Tree), self._explanation
        if pair is None or explanation is None or not explanation.what_if.is_lit or self._is_replaying:
            return
        cast("TreeView", pair[1]).light_path(path)
        self._path.show_words(explanation.what_if.words if path.nodes else "", tuple(self._session.classes))
