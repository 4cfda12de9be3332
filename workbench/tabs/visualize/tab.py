"""The Visualize tab: the model of the run in view, its records and explanations, and how they share the room."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QStackedWidget, QWidget

from algorithms.core.training import TrainedClassifier
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.tree import Tree
from workbench.session.runs import Run, structure_of
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.tabs.tab import Step, Tab
from workbench.tabs.visualize.explain.fold_model import FoldModelBar, RecordSearch, erring_part
from workbench.tabs.visualize.explain.record_path import RecordPath
from workbench.tabs.visualize.program_files import add_programs
from workbench.tabs.visualize.tree.tree_editor import TreeEditor
from workbench.tabs.visualize.tree.tree_records import NodeSelection, SteadinessNotes, TreeRecords, TreeSteadiness
from workbench.tabs.visualize.viewer_extensions import ExtendedViewer, ViewerContext, extended_viewer
from workbench.viewers.original_units import show_structure, unscaled_by
from workbench.widgets.buttons import IconButton, accent_button
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, split
from workbench.widgets.panes import Pane

if TYPE_CHECKING:
    from workbench.tabs.visualize.scatter.records_views import RecordsViews
    from workbench.tabs.visualize.side_panel import SidePanel
    from workbench.tabs.visualize.tree.tree_stage import TreeStage
    from workbench.viewers.tree.gain_and_pruning_curves import GainPlot
    from workbench.viewers.tree.tree_words import HighlightedPath
    from workbench.viewers.viewer import Viewer


BOTH: Final = "both"
MODEL: Final = "model"
RECORDS: Final = "records"
WHY: Final = "why"
_SAYS: Final = {
    MODEL: "Show only the model",
    RECORDS: "Show only the records",
    WHY: "Show only why the tree asks this",
}
SETTING: Final = "visualize.shown"
SIZES: Final = "visualize.sizes"


class Arrangement(ClearWidget):
    """Splits the room between the model and a row of panes below; the settings keep which pane is alone."""

    def __init__(self, settings: Settings, above: QWidget) -> None:
        super().__init__()
        self._settings = settings
        self._buttons: list[tuple[str, str, IconButton]] = []
        self._above = above
        self._below: dict[str, QWidget] = {}
        self._wanted: set[str] = set()
        self._side = split(handle=12)
        self._whole = split(above, self._side, is_upright=True, handle=12)
        self._whole.splitterMoved.connect(self._remember_sizes)
        self._side.splitterMoved.connect(self._remember_sizes)
        column_layout(self._whole, inside=self)
        shown = settings.get(SETTING, BOTH)
        self.shown = shown if shown in (BOTH, *_SAYS) else BOTH
        """The pane that has all the room, or BOTH."""
        self._lent: str | None = None
        self._arrange()

    def add_below(self, name: str, pane: QWidget, stretch: int) -> None:
        """Adds a pane at the right end of the lower row, hidden until it is wanted."""
        self._below[name] = pane
        pane.hide()
        self._side.addWidget(pane)
        self._side.setStretchFactor(self._side.count() - 1, stretch)
        self._restore_sizes()

    def want(self, name: str, wanted: bool) -> None:
        """Sets whether this pane of the lower row has anything to show."""
        if wanted != (name in self._wanted):
            self._wanted ^= {name}
            self._arrange()

    def button(self, alone: str, says: str = "") -> IconButton:
        """A button for a pane's heading that maximizes and restores the pane; ``says`` replaces its words."""
        says = says or _SAYS[alone]
        button = IconButton("expand", says, f"visualize.only-{alone}", plain=True, checkable=True)
        button.setChecked(self.shown == alone)
        button.clicked.connect(lambda checked: self._pressed(button, alone if checked else BOTH))
        self._buttons.append((alone, says, button))
        return button

    def _pressed(self, button: IconButton, which: str) -> None:
        """Shows these panes; if that hides the focused widget, the button takes the focus."""
        before = QApplication.focusWidget()
        self.show_only(which)
        if before is not None and self.isAncestorOf(before) and not before.isVisible():
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_only(self, which: str) -> None:
        self.shown, self._lent = which, None
        self._settings.set(SETTING, which)
        self._arrange()

    def reveal(self, which: str) -> None:
        """Makes this pane visible, beside another one that was maximized."""
        if self.shown not in (BOTH, which):
            self.show_only(BOTH)

    def lend(self, which: str | None) -> None:
        """Maximizes one pane without storing that in the settings; None ends it."""
        self._lent = which
        self._arrange()

    def _arrange(self) -> None:
        shown = self._lent or self.shown
        alone = shown if shown == MODEL or shown in self._wanted else BOTH
        self._above.setVisible(alone in (BOTH, MODEL))
        for name, pane in self._below.items():
            pane.setVisible(name in self._wanted and alone in (BOTH, name))
        self._side.setVisible(bool(self._wanted) and alone != MODEL)
        for which, says, button in self._buttons:
            tip = "Show both again" if shown == which else says
            button.setChecked(shown == which)
            button.setToolTip(tip)
            button.setAccessibleName(tip)

    def _remember_sizes(self) -> None:
        self._settings.set(SIZES, [self._whole.sizes(), self._side.sizes()])

    def _restore_sizes(self) -> None:
        sizes = self._settings.get(SIZES, [])
        if len(sizes) == 2 and all(isinstance(part, list) and all(type(n) is int for n in part) for part in sizes):
            self._whole.setSizes(sizes[0])
            if len(sizes[1]) == self._side.count():
                self._side.setSizes(sizes[1])
        else:
            self._whole.setSizes([560, 440])
            self._side.setSizes([620, 380][: self._side.count()])


def empty_pane() -> tuple[Pane, QLabel, QLabel]:
    """A pane with an empty title and sentence in its middle."""
    pane = Pane()
    title, text = label("", "verdict"), label("", "dim", wrap=True)
    for line in (title, text):
        line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    add_items(pane.body, 2, title, text, 3)
    return pane, title, text


def guidance(session: Session, run: Run | None) -> tuple[str, str]:
    """A title and a sentence that say what to do to see a model."""
    if session.data is None:
        return "Nothing to look at yet", "Open a table in Preprocess first."
    if run is None:
        return (
            "No model yet",
            "Choose a learner in Classify and press Start: what it has learned appears here.",
        )
    if run.is_running:
        return f"{run.learner.name} is learning", "The model appears here when it is done."
    if run.message:
        return f"{run.learner.name} left no model", run.message
    return (
        f"{run.learner.name} left no model",
        "This run was stopped before the model was trained. Start it again in Classify.",
    )


class VisualizeTab(Tab):
    """Shows the model of ``session.current_run``; imports viewers when they are first needed."""

    def _make(self) -> Iterator[bool]:
        session = self._session
        self.setObjectName("visualize")
        self._shown: TrainedClassifier | None = None
        self._viewers: dict[type[ModelStructure], Viewer] = {}
        self._panes: dict[type[ModelStructure], tuple[Pane, Viewer]] = {}
        self._empty, self._empty_title, self._empty_text = empty_pane()
        self._to_classify = accent_button(
            "Go to Classify", "visualize.to-classify", on_click=lambda: session.ask_for_tab("classify")
        )
        self._empty.body.insertWidget(3, self._to_classify, 0, Qt.AlignmentFlag.AlignHCenter)
        self._path = RecordPath(session)
        self._path.path_changed.connect(self._light)
        self._path.record_changed.connect(self._follow)
        yield True
        self._editor = TreeEditor(session)
        yield True
        self._fold = FoldModelBar(session)
        self._fold.changed.connect(self._change_model)
        self._fold.awaited.connect(self._explain)
        self._row_asked: int | None = None
        self._stack = filled(QStackedWidget(), self._empty)
        self._arrangement = Arrangement(session.settings, self._stack)
        self._records: RecordsViews | None = None
        self._gains: GainPlot | None = None
        self._side_panel: SidePanel | None = None
        self._nodes = NodeSelection(session, self)
        self._tree_records: TreeRecords | None = None
        self._steadiness: TreeSteadiness | None = None
        self._extended: dict[type[ModelStructure], ExtendedViewer] = {}
        self._context = ViewerContext(
            session, lambda: self._records, self._lend, self._look_at_record, self._go_on_with
        )
        self._stage: TreeStage | None = None
        column_layout(self._fold, self._arrangement, inside=self)
        session.selection.changed.connect(self._let_go)
        self._record_search = RecordSearch(session, self)
        self._record_search.record_found.connect(self._find_model_for)
        session.explanation_asked.connect(self._explain_record)
        session.current_run_changed.connect(self._changed)
        session.data_changed.connect(self._changed)
        self._changed()

    def _come_into_view(self) -> None:
        self._changed()

    def _changed(self) -> None:
        """Shows the run in view, a part a turn; a hidden tab waits until it is shown."""
        if self.isVisible():
            parts = (
                self._make_viewer,
                self._make_stage,
                self._show_run,
                self.make_records,
                self._show_records,
                self.make_gains,
                self.make_side_panel,
                self._explain,
            )
            self._session.turns.later(*parts)

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
        replaying = self._stage is not None and self._stage.is_replaying
        self._editor.set_run(None if replaying or self._fold.is_shown else run)
        is_tree = structure_of(run, Tree) is not None
        if self._stage is not None:
            self._stage.show_run(run if is_tree else None)
            self._stage.allow_replays(not self._fold.is_shown)
        if self._tree_records is not None:
            self._tree_records.show_run(self._subject if is_tree else None)
        if self._steadiness is not None:
            self._steadiness.show_run(run if is_tree and not self._fold.is_shown else None)
        for kind, extended in self._extended.items():
            seen = run if structure_of(run, kind) is not None else None
            for extension in extended.extensions:
                extension.show_run(seen)
        followed = None if is_tree or not is_new or self._side_panel is None else self._side_panel.followed
        if followed is not None:
            self._go_on_with(followed)

    @property
    def _subject(self) -> Run | None:
        """The run whose tree is in view: the current one, or the stand-in of a replay."""
        replayed = None if self._stage is None else self._stage.subject
        return self._fold.run_in_view() if replayed is None else replayed

    def _subject_changed(self) -> None:
        """Follows a replay that begins, ends or changes its tree."""
        replaying = self._stage is not None and self._stage.is_replaying
        run = None if replaying else self._fold.run_in_view()
        own = None if self._fold.is_shown else run
        self._path.set_run(run)
        self._path.switch.setEnabled(not replaying)
        if self._steadiness is not None:
            self._steadiness.show_run(own)
        self._editor.set_run(own)
        if self._tree_records is not None:
            self._tree_records.show_run(self._subject)
        self._explain()

    def _steps_besides(self) -> Iterator[Step]:
        yield partial(import_module, "workbench.viewers.viewer_registry")
        yield partial(import_module, "workbench.tabs.visualize.scatter.scatter_pane")
        yield partial(import_module, "workbench.tabs.visualize.scatter.records_views")
        yield partial(import_module, "workbench.tabs.visualize.scatter.many_axes_panes")
        yield self.make_records
        for name in (
            "algorithms.learners.trees.explain.why_words",
            "workbench.tabs.visualize.tree.why_pane",
            "workbench.tabs.visualize.side_panel",
        ):
            yield partial(import_module, name)
        yield self.make_gains
        yield self.make_side_panel
        yield partial(import_module, "workbench.viewers.tree.tree_view")
        yield partial(self._viewer_for, Tree)
        yield self._make_stage
        yield partial(self._pane_for, Tree)
        yield partial(import_module, "workbench.tabs.visualize.tree.pruning_replay")
        yield partial(import_module, "workbench.tabs.visualize.tree.growth_replay")
        yield from self._panels_beside_the_tree()

    def _panels_beside_the_tree(self) -> Iterator[Step]:
        if self._stage is not None:
            yield from self._stage.steps()

    def make_records(self) -> None:
        if self._records is None:
            from workbench.tabs.visualize.scatter.records_views import RecordsViews

            self._records = RecordsViews(self._session, lambda: self._arrangement.button(RECORDS))
            self._arrangement.add_below(RECORDS, self._records, 3)

    def _show_records(self) -> None:
        self._arrangement.want(RECORDS, self._session.data is not None)
        if self._records is not None:
            self._records.show_run(self._session.current_run)
            for extended in self._extended.values():
                if extended.refresh is not None:
                    extended.refresh()
            if (run := self._fold.run_in_view()) is not None and run.of_fold is not None:
                self._records.show_stand_in(run.trained, decides_as_run=True)

    def make_gains(self) -> None:
        """Makes the plot of the gain curve in a turn of its own, because it is slow."""
        if self._gains is None:
            from workbench.tabs.visualize.tree.why_pane import CURVE
            from workbench.viewers.tree.gain_and_pruning_curves import GainPlot

            self._gains = GainPlot(CURVE)

    def make_side_panel(self) -> None:
        if self._side_panel is None:
            from workbench.tabs.visualize.side_panel import SidePanel

            self._side_panel = SidePanel(self._session, lambda says: self._arrangement.button(WHY, says), self._gains)
            self._side_panel.path_changed.connect(self._light_for_side_panel)
            self._side_panel.record_changed.connect(self._go_on_with)
            self._side_panel.follow(self._path.row)
            self._side_panel.why.adopt_asked.connect(self._editor.adopt)
            self._arrangement.add_below(WHY, self._side_panel, 1)

    def _explain(self) -> None:
        if self._side_panel is not None:
            self._arrangement.want(WHY, self._shown is not None)
            self._side_panel.show_run(self._subject if self._shown is not None else None, self._fold.words)

    def _follow(self, row: int | None) -> None:
        if self._side_panel is not None:
            self._side_panel.follow(row)

    def _explain_record(self, record: int | None) -> None:
        """Explains a record once the model is in view."""
        self._session.turns.later(partial(self._look_for, record))

    def _look_for(self, record: int | None) -> None:
        is_explained = self._side_panel is not None and self._shown is not None
        self._record_search.look_for(self._session.current_run if is_explained else None, record)

    def _find_model_for(self, row: int | None) -> None:
        """Explains a record by the fold model that predicted it wrong, else by the model of all records."""
        run, self._row_asked = self._session.current_run, row
        asked = None if run is None or run.report is None else self._session.decisions.asked(run)
        part = None if run is None or row is None else erring_part(run, row, asked)
        if run is not None and row is not None and part is not None:
            self._fold.ask(run, part, row)
        elif self._fold.is_wanted:
            self._fold.end()
        else:
            self._show_way_of(row)

    def _change_model(self) -> None:
        """Shows another model of the run, with the record that was asked about."""
        if self._records is not None:
            self._records.show_stand_in(None)
        self._changed()
        self._session.turns.later(partial(self._show_way_of, self._row_asked))

    def _show_way_of(self, row: int | None) -> None:
        if self._side_panel is None or self._shown is None:
            return
        if isinstance(self._shown.structure(), Tree):
            self._path.follow(row)
        elif row is not None:
            self._go_on_with(row)
        else:
            self._side_panel.follow(None)
        self._side_panel.show_what_if()

    def _go_on_with(self, row: int) -> None:
        """Shows this record in the card, the side panel and the viewer's extension."""
        self._path.show_row(row)
        kind = None if self._shown is None else type(self._shown.structure())
        if self._side_panel is not None and kind is not None and kind is not Tree:
            self._side_panel.follow(row)
        extended = None if kind is None else self._extended.get(kind)
        if extended is not None and extended.follow is not None:
            extended.follow(row)

    def _let_go(self) -> None:
        """Forgets the record asked about when the selection changes, unless a tree path follows it."""
        if self._side_panel is not None and self._path.row is None:
            self._side_panel.follow(None)

    def _choose_node(self, node: int, how: SelectionMode) -> None:
        run = self._subject
        if self._side_panel is not None:
            self._side_panel.show_why()
        if run is not None:
            self._nodes.select(run, node if self._stage is None else self._stage.node_of(node), how)

    def _focus_node(self, node: int) -> None:
        if self._side_panel is not None:
            self._side_panel.show_node(node if self._stage is None else self._stage.node_of(node))

    def _look_at_node(self, node: int) -> None:
        """Explains a node of the replayed tree, even one outside the picture."""
        if self._side_panel is not None:
            self._side_panel.show_node(node)

    def _show_nothing(self, run: Run | None) -> None:
        title, text = guidance(self._session, run)
        self._to_classify.setVisible(run is None and self._session.data is not None)
        self._empty_title.setText(title)
        self._empty_text.setText(text)
        self._path.set_run(None)
        self._stack.setCurrentWidget(self._empty)

    def _show_model(self, run: Run, trained: TrainedClassifier) -> None:
        structure = trained.structure()
        pane, viewer = self._pane_for(type(structure))
        self._path.set_run(run)
        show_structure(viewer, structure, unscaled_by(trained.recipe))
        self._say_facts(pane, viewer)
        self._stack.setCurrentWidget(pane)

    def _viewer_for(self, kind: type[ModelStructure]) -> Viewer:
        """The viewer for this kind of structure, made when first needed."""
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
            self._stage = self._made_stage(viewer)

    def _pane_for(self, kind: type[ModelStructure]) -> tuple[Pane, Viewer]:
        """The pane of the viewer for this kind of structure, made when first needed."""
        if kind not in self._panes:
            from workbench.viewers.viewer import ShowsExport

            viewer = self._viewer_for(kind)
            self._make_stage()
            if kind is Tree and self._stage is not None:
                extended = ExtendedViewer((), self._stage, (self._path.switch, self._editor.switch))
            else:
                extended = extended_viewer(kind, viewer, self._context)
            self._extended[kind] = extended
            pane = Pane(viewer.title, "", [*extended.switches, viewer.controls, self._arrangement.button(MODEL)])
            if kind is Tree:
                add_items(pane.body, self._path, self._editor)
            pane.body.addWidget(extended.widget, 1)
            viewer.facts_changed.connect(lambda: self._say_facts(pane, viewer))
            if isinstance(viewer, ShowsExport):
                name = f"visualize.{'save' if kind is Tree else viewer.export.exported.name}.programs"
                add_programs(
                    viewer.export, name, kind, lambda: None if self._subject is None else self._subject.trained
                )
            if kind is Tree:
                from workbench.viewers.tree.tree_view import TreeView

                cast(TreeView, viewer).node_focused.connect(self._focus_node)
                cast(TreeView, viewer).node_chosen.connect(self._choose_node)
                cast(TreeView, viewer).offer_reasons()
                self._editor.follow_view(cast(TreeView, viewer))
                self._steadiness = TreeSteadiness(self._session, cast(TreeView, viewer))
                self._steadiness.changed.connect(self._show_stability)
                self._tree_records = TreeRecords(self._session, cast(TreeView, viewer))
            self._stack.addWidget(pane)
            self._panes[kind] = (pane, viewer)
        return self._panes[kind]

    def _look_at_record(self, values: dict[str, float | str | None]) -> None:
        if self._side_panel is not None:
            self._arrangement.reveal(WHY)
            self._side_panel.show_record_of(values)

    def _made_stage(self, viewer: Viewer) -> TreeStage:
        from workbench.tabs.visualize.tree.tree_stage import TreeStage
        from workbench.viewers.tree.tree_view import TreeView

        stage = TreeStage(self._session, cast(TreeView, viewer))
        stage.subject_changed.connect(self._subject_changed)
        stage.node_looked_at.connect(self._look_at_node)
        stage.room_wanted.connect(self._lend)
        return stage

    def _lend(self, wanted: bool) -> None:
        self._arrangement.lend(MODEL if wanted else None)

    def _say_facts(self, pane: Pane, viewer: Viewer) -> None:
        trained = self._shown
        if trained is None:
            return
        partial = " · finished early" if trained.model.partial else ""
        remark = f" · {trained.model.remark()}" if trained.model.remark() else ""
        pane.set_facts(f"{trained.learner.name} · {viewer.facts()}{partial}{remark}")

    def _show_stability(self, notes: SteadinessNotes) -> None:
        if self._side_panel is not None:
            self._side_panel.why.show_stability(notes.sentences)

    def _light_for_side_panel(self, path: HighlightedPath) -> None:
        """Lights the path of the edited record; an empty one leaves the followed record's path."""
        if path.nodes or self._path.row is None:
            self._light(path)

    def _light(self, path: HighlightedPath) -> None:
        pair = self._panes.get(Tree)
        if pair is not None and (self._stage is None or not self._stage.is_replaying):
            from workbench.viewers.tree.tree_view import TreeView

            viewer = pair[1]
            if isinstance(viewer, TreeView):
                viewer.light_path(path)
