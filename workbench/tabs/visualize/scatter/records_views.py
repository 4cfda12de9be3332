"""Views of records: the pane with the scatter plot, and the switches to scatter matrix and parallel coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QComboBox, QMenu, QSizePolicy, QStackedWidget, QWidget

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.regions import (
    MOST_RECORDS,
    N_NEAR,
    SEPARATIONS,
    axis_names,
    background_agreement,
    first_axes,
    is_to_be_found,
)
from algorithms.text.numbers import percent
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.layout.density import MOST_POINTS
from workbench.layout.points import ScatterPoints, points_of
from workbench.session.runs import OF_ALL_RECORDS, Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.scatter.records_shown import (
    WHAT_REGIONS_ARE,
    BackdropModel,
    Backdrops,
    BackgroundKind,
    NeighborLinks,
    PointExplanation,
    RunSubject,
    SubjectPredictions,
    keep_class_of_interest_colored,
    subject_of,
    why_no_regions,
)
from workbench.viewers.original_units import in_own_units, unscaled_by
from workbench.viewers.scatter.scatter_canvas import Tool, ToolChooser
from workbench.viewers.scatter.scatter_paint import PALE, selected_words, wrong_words
from workbench.viewers.scatter.scatter_view import ScatterTableData, ScatterView
from workbench.widgets.buttons import SegmentTrack, add_check, menu_button, pill_button, segment_button, switch
from workbench.widgets.fields import SearchableComboBox
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, named, row_layout
from workbench.widgets.panes import Pane
from workbench.widgets.tables import table_switch

if TYPE_CHECKING:
    from workbench.tabs.visualize.scatter.many_axes_panes import ManyAxesPane


def edges_along(trained: TrainedClassifier | None, name: str) -> FloatArray:
    """Upper edges (e,) in table units of intervals of ``name`` that the model treats alike, ascending."""
    structure = None if trained is None else trained.structure()
    if trained is None or structure is None or name not in structure.schema:
        return np.empty(0)
    edges = structure.info.boundaries(structure.schema.index_of(name))
    unscaled = unscaled_by(trained.recipe)
    own = [in_own_units(name, edge, unscaled) for edge in np.unique(edges[np.isfinite(edges)]).tolist()]
    return np.unique(np.array(own, dtype=np.float64))


UNMARKED: Final = "misclassified records are not marked: zoom in"
"""Said of a density picture, whose cells hold many records each."""


def marks_told(view: ScatterView, n_wrong: int) -> list[str]:
    """How wrong and selected records are marked, most important first; of a density the selection comes first."""
    shows_density, n_selected = view.n_shown() is None, view.n_selected
    if n_selected is None:
        return [UNMARKED if shows_density else wrong_words(n_wrong)] if n_wrong else []
    seen = _seen_words(n_selected, view.n_selected_in_view, always=shows_density)
    if shows_density:
        return [PALE, *seen]
    return [*([wrong_words(n_wrong)] if n_wrong else []), selected_words(n_selected), *seen]


def _in_order(background: str, marks: list[str], hardly: str) -> list[str]:
    """Marks and words on the background, which come first if it ``hardly`` agrees with the model."""
    return [background, *marks] if hardly else [*marks, background]


def _seen_words(n: int, n_in_view: int, *, always: bool) -> list[str]:
    """How many of ``n`` selected records are in view; empty if all are, unless ``always``."""
    if not n:
        return ["no selected record has a place here"]
    if n_in_view == n:
        return [f"all {n:,} selected in view" if n > 1 else "the selected one in view"] if always else []
    return [f"{n_in_view:,} of {n:,} selected in view" if n_in_view else f"none of {n:,} selected in view"]


MOST_AGREEING: Final = 5_000
"""Of more records than these so many are drawn to compare the tint with their predictions."""


ENOUGH_AGREEING: Final = 0.9
"""A background that agrees with the model on fewer records is called wrong, and faint."""
HARDLY_AGREEING: Final = 0.5
"""Below it the note begins with the agreement."""
FAINT: Final = 0.6
"""Opacity of such a background."""
WIDEST_CHOOSER: Final = 240
CHOSEN_MODEL: Final = "the chosen model"


def others_words(kind: BackgroundKind, n: int) -> str:
    """What sets the attributes outside a plane with n records, in words."""
    if kind is BackgroundKind.TYPICAL:
        return "other attributes typical"
    if kind is BackgroundKind.SELECTED:
        return "other attributes of the selected record"
    sampled = f" of {MOST_RECORDS:,} sampled ones" if n > MOST_RECORDS else ""
    return f"averaged over the {min(N_NEAR, n)} nearest records{sampled}"


@dataclass(frozen=True, eq=False)
class _Placed:
    points: ScatterPoints
    judged: SubjectPredictions | None
    wrong_words: tuple[str, str] | None
    """How many of those that have a place are wrong, also where others are hidden; in whole and in brief."""


class ScatterPane(MadeInPieces, Pane):
    """Shows the records of a run, or of the open table; shares ``session.selection``."""

    density_turned = Signal()
    """The points are drawn as density now, or one by one again."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Scatter", parent=parent)
        self._session = session
        self._subject: RunSubject | None = None
        self._placed: _Placed | None = None
        self._task = LatestTask(session.jobs)
        self._chosen_axes: tuple[str, str] | None = None
        self._kind = BackgroundKind.NEAR
        self._row: int | None = None
        self._stand_in: TrainedClassifier | None = None
        self._stand_in_decides_as_run, self._stand_in_name = False, CHOSEN_MODEL
        self._agreement: float | None = None
        self._tint_strength = 1.0
        self._was_density = False
        self._agreeing, self._telling = LatestTask(session.jobs), LatestTask(session.jobs)
        self._lent_weights: FloatArray | None = None
        self._weight_words = ""
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        self.view = ScatterView(session.jobs, self)
        yield True
        self._backdrops = Backdrops(session.jobs, self)
        self._point_explanation = PointExplanation(session.jobs, self)
        self._make_controls()
        yield True
        self.body.addWidget(self.view, 1)
        self.view.selected.connect(self._select)
        self.view.cleared.connect(session.selection.clear)
        self.view.view_changed.connect(self._view_changed)
        self.view.canvas.table_wanted.connect(self._as_table.trigger)
        self._backdrops.changed.connect(self._tint)
        self.view.place_meant.connect(self._explain_point)
        self.view.place_left.connect(self._point_explanation.drop)
        self._point_explanation.answered.connect(self.view.tell)
        keep_class_of_interest_colored(self.view.legend, session)
        session.selection.changed.connect(self._selection_changed)
        session.document_replaced.connect(self._forget_axes)
        themes.changed.connect(self._backdrops.again)
        self.view.recolored.connect(self._recolor)

    def _make_controls(self) -> None:
        self.across = self._chooser("visualize.x", "Horizontal axis")
        self.up = self._chooser("visualize.y", "Vertical axis")
        self.boundary = named(switch("Regions"), "visualize.boundary", "Regions", WHAT_REGIONS_ARE)
        self.boundary.clicked.connect(self._turn_regions)
        self._wants_regions, self._awaits_regions = True, False
        self._options = menu_button("View", "visualize.scatter-view", "What is shown, and how")
        self._fill_menu(self._options.menu())
        self._save = self.view.export.button("visualize.scatter-save")
        self._as_table = self.view.export.offer(table_switch("visualize.scatter-as-table"))
        self._as_table.toggled.connect(self.view.show_table)
        self.tools = ToolChooser("visualize.scatter-tool")
        self.tools.chosen.connect(self.view.canvas.set_tool)
        self.view.canvas.lasso_wanted.connect(
            lambda: self.tools.choose(Tool.RECTANGLE if self.tools.tool is Tool.LASSO else Tool.LASSO)
        )
        axes = label("x", "dim"), self.across, label("y", "dim"), self.up
        self.add_action(*axes, self.boundary, self.tools, self._options, self._save)

    def _chooser(self, name: str, tip: str) -> QComboBox:
        box = named(SearchableComboBox(), name, tip, tip)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.set_length(QWidget.setMinimumWidth, box, 84)
        themes.set_length(QWidget.setMaximumWidth, box, WIDEST_CHOOSER)
        box.setMaxVisibleItems(24)
        box.activated.connect(self._axes_chosen)
        box.currentTextChanged.connect(lambda chosen: box.setToolTip(f"{tip}: {chosen}"))
        return box

    def _fill_menu(self, menu: QMenu) -> None:
        self._only_wrong = add_check(menu, "Misclassified records only", False, self._place)
        self._spread = add_check(menu, "Spread equal values apart", True, self._place)
        self._by_weight = add_check(menu, "Dots as large as records weigh", True, self._weigh)
        menu.addSeparator()
        menu.addAction("Background: other attributes").setEnabled(False)
        group = QActionGroup(menu)
        for kind in BackgroundKind:
            group.addAction(add_check(menu, kind.value, kind is self._kind, partial(self._others_chosen, kind)))
        menu.addSeparator()
        menu.addAction("Show all (F)", self.view.canvas.fit)
        menu.addAction("Select nothing (Esc)", self._session.selection.clear)

    def show_run(self, run: Run | None) -> None:
        """Shows the records of a run, or of the open table for None."""
        subject = subject_of(self._session, run)
        if subject is None:
            self._subject = None
            self._task.stop()
            self._telling.stop()
            self.view.set_points(None, None)
            return
        if subject.is_that_of(self._subject):
            return
        if subject.has_things_of(self._subject):
            self._subject = subject  # decided otherwise than before
            self._place()
            return
        self._subject, self._stand_in, self._lent_weights = subject, None, None
        self._offer_axes(subject)
        self._place()
        self._find_telling(subject)

    def _find_telling(self, subject: RunSubject) -> None:
        """Finds the attributes that separate the classes best in a job, if neither model nor user chose any."""
        structure = None if subject.trained is None else subject.trained.structure()
        if self._chosen_axes is not None or not is_to_be_found(subject.data, structure):
            self._telling.stop()
            return

        def done(_separations: object) -> None:
            if self._chosen_axes is None and self._subject is not None:
                self._offer_axes(self._subject)
                self._place()

        data = subject.data
        self._telling.run("", lambda context: data.derived(SEPARATIONS, context.checkpoint), on_done=done, key=(data,))

    def _offer_axes(self, subject: RunSubject) -> None:
        names = axis_names(subject.data.schema)
        for chooser in (self.across, self.up):
            if tuple(chooser.itemText(i) for i in range(chooser.count())) != names:
                chooser.clear()
                chooser.addItems(names)
        structure = None if subject.trained is None else subject.trained.structure()
        axes = self._chosen_axes
        if axes is None or not set(axes) <= set(names):
            axes = first_axes(subject.data, structure)
        if axes is not None:
            self.across.setCurrentText(axes[0])
            self.up.setCurrentText(axes[1])

    def _axes_chosen(self) -> None:
        self._chosen_axes = (self.across.currentText(), self.up.currentText())
        self._place()

    def show_axes(self, across: str, up: str) -> None:
        self.across.setCurrentText(across)
        self.up.setCurrentText(up)
        self._axes_chosen()

    def _forget_axes(self) -> None:
        self._chosen_axes, self._row = None, None

    @property
    def axes(self) -> tuple[int, int] | None:
        """Indices of the attributes across and upwards."""
        subject = self._subject
        if subject is None or not self.across.currentText():
            return None
        schema = subject.data.schema
        return schema.index_of(self.across.currentText()), schema.index_of(self.up.currentText())

    def _place(self) -> None:
        self._task.stop()
        subject, axes = self._subject, self.axes
        if subject is None or axes is None:
            self.view.set_points(None, None)
            self._backdrops.set_source(None, None)
            self.set_facts("" if subject is None else "no attribute has values that can be placed on an axis")
            return
        only_wrong, spread = self._only_wrong.isChecked(), self._spread.isChecked()

        def work(_context: RunContext) -> _Placed:
            predictions = subject.judgement()
            wrong = None if predictions is None else predictions.said.wrong
            across, up = (edges_along(subject.trained, subject.data.schema.names[axis]) for axis in axes)
            points = points_of(subject.data, *axes, wrong, spread=spread, edges=(across, up))
            words = None if predictions is None else predictions.wrong_words(points.rows)
            shown = points.only(points.wrong) if only_wrong and predictions is not None else points
            return _Placed(shown, predictions, words)

        is_small, done = len(subject.data) <= MOST_POINTS, partial(self._show, subject, axes)
        self._task.run("Place records", work, on_done=done, at_once=is_small, says="Placing records")

    def _show(self, subject: RunSubject, axes: tuple[int, int], placed: _Placed) -> None:
        before = self.view.points
        same = before is not None and (before.across, before.up) == (placed.points.across, placed.points.up)
        self._placed = placed
        schema = subject.data.schema
        has_classes = placed.points.n_classes > 0
        columns = list(dict.fromkeys([*axes, *([schema.class_index] if schema.class_index is not None else [])]))
        predictions = None if placed.judged is None else placed.judged.said
        sheet = ScatterTableData(subject.data, tuple(columns), predictions, schema.classes if has_classes else ())
        self.view.set_points(placed.points, sheet, keep_view=same)
        self._weigh()
        self._show_selection()
        self._place_regions()

    def _say_facts(self) -> None:
        placed, subject = self._placed, self._subject
        if placed is None or subject is None:
            return
        words = [counted(len(placed.points), "record")]
        whole = ""
        if placed.wrong_words is not None:
            whole, brief = placed.wrong_words
            words.append(brief)
        if placed.points.n_left_out:
            words.append(f"{placed.points.n_left_out:,} without a value here")
        told = [" · ".join([words[0], whole, *words[2:]])] if whole else []
        told += [" · ".join(words[:n]) for n in range(len(words), -1, -1)]
        self.set_facts(*told)
        n_wrong = int(placed.points.wrong.sum())
        remarks = marks_told(self.view, n_wrong)
        briefly = [remark.removesuffix(" when tested") for remark in remarks[:1]]
        if placed.points.jittered:
            briefly.append("jittered")
            remarks.append(f"{' and '.join(placed.points.jittered)} jittered")
        if self.view.canvas.scene.sizes is not None and self.view.n_shown() is not None:
            remarks.append(self._weight_words if self._lent_weights is not None else "large: weighs much")
        wordings = self._background_words(subject)
        hardly = self._hardly_agrees()
        captions = [" · ".join(filter(None, [hardly, *remarks, words])) for words in wordings]
        if hardly:
            wordings = (hardly, hardly.partition(":")[0])
        if wrong_words(n_wrong) in remarks[:1] and self._backdrops.shown and subject.tested_apart:
            marks = [f"{remarks[0]} (by a model that was not trained on them)", *remarks[1:]]
            captions.insert(0, " · ".join(filter(None, [hardly, *marks, "" if hardly else wordings[0]])))
        if briefly:  # they change what the picture means: with less room the background gives way
            wordings = (*(" · ".join(filter(None, _in_order(words, briefly, hardly))) for words in wordings),)
            wordings = *wordings, " · ".join(briefly)
        self.view.remark.set_wordings(*captions, *wordings)

    def _hardly_agrees(self) -> str:
        """That the regions agree with the model on less than half of the records; empty if they do on more."""
        if self._agreement is None or self._agreement >= HARDLY_AGREEING or not self._backdrops.shown:
            return ""
        return f"Regions agree with the model on {percent(self._agreement)} of the records: other attributes decide"

    def _background_words(self, subject: RunSubject) -> tuple[str, ...]:
        """What the background shows and how often it agrees with the model, from long to short."""
        trained = self._stand_in or subject.trained
        if trained is None or not self._backdrops.shown:
            return ("",)
        rule = " at the decision rule" if self._decides_otherwise else ""
        model = OF_ALL_RECORDS if self._stand_in is None else self._stand_in_name
        coarse = self._backdrops.coarse
        cells = "" if coarse is None else f", coarse ({coarse[0]} × {coarse[1]} cells)"
        what = f"Background: {model} ({trained.learner.name}){rule}{cells}"
        if not set(subject.data.schema.predictors) - set(self.axes or ()):
            return what, f"Background: {model}"
        n_left_out = 0 if self._placed is None else self._placed.points.n_left_out
        others = others_words(self._kind, len(subject.data) - n_left_out)
        if self._agreement is None or self._hardly_agrees():
            return f"{what}, {others}", f"Background: {model}{rule}{cells}, {others}", f"Background: {model}"
        few = "only " if self._agreement < ENOUGH_AGREEING else ""
        agrees = f"agrees with the model on {few}{percent(self._agreement)} of the records shown"
        what = f"{what}, faint" if few else what
        short = f"Background agrees with the model on {few}{percent(self._agreement)}"
        return (
            f"{what}, {others}; it {agrees}",
            f"Background: {model}{rule}{cells}, {others}; {agrees}",
            f"Background {agrees}",
            short,
            short.replace("Background agrees", "Agrees"),
        )

    def show_links(self, links: NeighborLinks | None) -> None:
        """Joins a record to its neighbours by lines; None joins nothing."""
        self.view.set_links(None if links is None else (links.row, links.rows, links.shares))

    def show_stand_in(
        self, trained: TrainedClassifier | None, decides_as_run: bool = False, name: str = CHOSEN_MODEL
    ) -> None:
        """Tints by another classifier of this name, None: the run's; ``decides_as_run`` keeps the run's rule."""
        self._stand_in_name = name
        if (trained, decides_as_run) != (self._stand_in, self._stand_in_decides_as_run):
            self._stand_in, self._stand_in_decides_as_run = trained, decides_as_run
            self._place_regions()

    def show_weights(self, weights: FloatArray | None, words: str = "") -> None:
        """Sizes the points by these weights (n,), described by ``words``; None for the table's weights."""
        self._lent_weights, self._weight_words = weights, words
        self._weigh()

    def _weigh(self) -> None:
        subject = self._subject
        own = None if subject is None or not self._by_weight.isChecked() else subject.data.weights
        self._by_weight.setEnabled(subject is not None and subject.data.weights is not None)
        self.view.set_weights(own if self._lent_weights is None else self._lent_weights)
        self._say_facts()

    def _find_agreement(self, source: BackdropModel | None) -> None:
        self._agreeing.stop()
        self._agreement, points = None, self.view.points
        if source is None or points is None or not len(points.rows):
            return
        rows, axes = points.rows, (source.across, source.up)
        if len(rows) > MOST_AGREEING:
            rows = np.sort(np.random.default_rng(1).choice(rows, MOST_AGREEING, replace=False))

        def work(context: RunContext) -> float:
            shown, others = source.data.take(rows), source.others(context)
            return background_agreement(source.trained, shown, others, axes, context, source.decide)

        def done(share: float) -> None:
            self._agreement, self._tint_strength = share, 1.0 if share >= ENOUGH_AGREEING else FAINT
            self._tint()

        self._agreeing.run("", work, on_done=done)

    def _turn_regions(self, wanted: bool) -> None:
        self._wants_regions = wanted
        self._place_regions()

    def _place_regions(self) -> None:
        """Draws the regions; a hidden pane waits until it is shown."""
        source = self._source()
        self._awaits_regions = source is not None and not self.isVisible()
        if self._awaits_regions:
            source = None
        self._find_agreement(source)
        self._backdrops.set_source(source, self.view.points)
        self._view_changed()

    def _recolor(self) -> None:
        self._backdrops.colored = self.view.canvas.colored
        self._backdrops.again()

    def _tint(self) -> None:
        self.view.set_backdrops(self._backdrops.shown, self._tint_strength)
        self.tools.allow_regions(bool(self._backdrops.shown))
        self._say_facts()

    def _source(self) -> BackdropModel | None:
        subject, axes, points = self._subject, self.axes, self.view.points
        reason = why_no_regions(subject, axes)
        self.boundary.setEnabled(not reason)
        self.boundary.setChecked(self._wants_regions and not reason)
        self.boundary.setToolTip(reason or WHAT_REGIONS_ARE)
        if not self.boundary.isChecked() or subject is None or points is None:
            return None
        assert axes is not None and subject.trained is not None
        decide = subject.decide if self._decides_otherwise else None
        return BackdropModel(self._stand_in or subject.trained, subject.data, *axes, self._kind, self._row, decide)

    @property
    def _decides_otherwise(self) -> bool:
        """Whether a decision rule tints the plane instead of the model itself."""
        follows_rule = self._stand_in is None or self._stand_in_decides_as_run
        return self._subject is not None and self._subject.decide is not None and follows_rule

    def _explain_point(self, x: float, y: float) -> None:
        source, points = self._source(), self.view.points
        if source is not None and points is not None:
            self._point_explanation.ask(source, points, x, y)

    def _others_chosen(self, kind: BackgroundKind, _checked: bool = True) -> None:
        self._kind = kind
        self._row = self._selected_row() if kind is BackgroundKind.SELECTED else None
        self._place_regions()

    def _selected_row(self) -> int | None:
        """The row of the only selected record; otherwise the one before."""
        subject = self._subject
        if subject is None or len(self._session.selection) != 1:
            return self._row
        rows = self._session.selection.rows_of(subject.data)
        return int(rows[0]) if len(rows) else self._row

    @property
    def shows_density(self) -> bool:
        """Whether the picture has cells of many records in place of points."""
        return self.view.canvas.scene.layer is not None and self.view.n_shown() is None

    def _view_changed(self) -> None:
        if self.shows_density is not self._was_density:
            self._was_density = self.shows_density
            self.density_turned.emit()
        self._backdrops.look(self.view.canvas.window_seen)
        self._say_facts()

    def _select(self, rows: IntArray, how: SelectionMode, by: str) -> None:
        shown = self.view.records
        if shown is not None:
            only_wrong = self._only_wrong.isChecked()
            self._session.selection.select(shown, rows, how, by, by_judgement=only_wrong)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._selection_changed()
        if self._awaits_regions:
            self._session.turns.later(self._place_regions)

    def _selection_changed(self) -> None:
        if not self.isVisible():
            return
        self._show_selection()
        if self._kind is BackgroundKind.SELECTED:
            row = self._selected_row()
            if row != self._row:
                self._row = row
                self._place_regions()

    def _show_selection(self) -> None:
        shown = self.view.records
        if shown is not None:
            any_selected = len(self._session.selection) > 0
            self.view.set_selection(self._session.selection.mask_of(shown) if any_selected else None)
            self._say_facts()


SCATTER: Final = "scatter"
MATRIX: Final = "matrix"
PARALLEL: Final = "parallel"
SETTING: Final = "visualize.records"
_KINDS: Final = {
    SCATTER: ("Scatter", "Each record by two attributes"),
    MATRIX: ("Matrix", "Each record by every pair of some attributes"),
    PARALLEL: ("Parallel", "Each record as a line over some attributes"),
}
ROOM_FOR_ALL: Final = 1190
ROOM_FOR_FEW: Final = 740
"""Widths below which the pictures share one pill in the heading."""


class RecordsViews(MadeInPieces, QStackedWidget):
    """Three panes in one place, each made when first wanted; pills in each heading lead to the others."""

    density_turned = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self._switches: dict[str, _Switch] = {}
        self._panes: dict[str, ScatterPane | ManyAxesPane] = {}
        kept = session.settings.get(SETTING, SCATTER)
        self.kind = kept if kept in _KINDS else SCATTER
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        pane = self._new_pane(self.kind)
        if isinstance(pane, MadeInPieces):
            yield from pane.rest()
        self._add(self.kind, pane)
        yield True
        self.setCurrentWidget(pane)
        self._session.decisions.reports.decided_anew.connect(self._decided_otherwise)

    def _decided_otherwise(self) -> None:
        """Marks wrong records again; a hidden pane waits until it is shown."""
        if self.isVisible():
            self._session.turns.later(self._show_again)

    def _show_again(self) -> None:
        self.show_run(self._run)

    def show_run(self, run: Run | None) -> None:
        """Shows the records of a run, or of the open table for None."""
        self._run = run
        self._pane(self.kind).show_run(run)

    def show_kind(self, kind: str) -> None:
        self._session.settings.set(SETTING, kind)
        self._bring(kind)
        self._pane(kind).show_run(self._run)
        self._switches[kind].take_focus()

    def others(self) -> Iterator[tuple[str, Pane]]:
        """The kinds and panes that are not shown, the scatter plot and those made so far."""
        self._pane(SCATTER)
        return ((kind, pane) for kind, pane in self._panes.items() if kind != self.kind)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_switches()

    def _fit_switches(self) -> None:
        for kind, button in self._switches.items():
            button.set_compact(self.width() < themes.px(ROOM_FOR_ALL if kind == SCATTER else ROOM_FOR_FEW))

    @property
    def _scatter(self) -> ScatterPane | None:
        scatter = self._panes.get(SCATTER)
        return scatter if isinstance(scatter, ScatterPane) else None

    def show_pair(self, across: str, up: str) -> None:
        self.show_kind(SCATTER)
        if (scatter := self._scatter) is not None:
            scatter.show_axes(across, up)
            scatter.view.canvas.setFocus()

    def show_links(self, links: NeighborLinks | None) -> None:
        """Joins a record to its neighbours by lines in the scatter plot, if that exists."""
        if (scatter := self._scatter) is not None:
            scatter.show_links(links)

    def show_stand_in(
        self, trained: TrainedClassifier | None, decides_as_run: bool = False, name: str = CHOSEN_MODEL
    ) -> None:
        """Shows another classifier's regions, None: the run's; ``decides_as_run`` keeps its rule."""
        if (scatter := self._scatter) is not None:
            scatter.show_stand_in(trained, decides_as_run, name)

    def show_weights(self, weights: FloatArray | None, words: str = "") -> None:
        """Sizes the points by these weights (n,), described by ``words``; None for the table's weights."""
        if (scatter := self._scatter) is not None:
            scatter.show_weights(weights, words)

    @property
    def shows_density(self) -> bool:
        """Whether the scatter plot is in view and has cells of many records in place of points."""
        return self.kind == SCATTER and self._scatter is not None and self._scatter.shows_density

    def _bring(self, kind: str) -> None:
        self.kind = kind
        self.setCurrentWidget(self._pane(kind))

    def _pane(self, kind: str) -> ScatterPane | ManyAxesPane:
        if kind not in self._panes:
            pane = self._new_pane(kind)
            if isinstance(pane, MadeInPieces):
                pane.complete()
            self._add(kind, pane)
        return self._panes[kind]

    def _add(self, kind: str, pane: ScatterPane | ManyAxesPane) -> None:
        self._switches[kind] = _Switch(kind, self)
        pane.lead_with(self._switches[kind])
        self.addWidget(pane)
        self._panes[kind] = pane
        self._fit_switches()

    def _new_pane(self, kind: str) -> ScatterPane | ManyAxesPane:
        if kind == MATRIX:
            from workbench.tabs.visualize.scatter.many_axes_panes import ScatterMatrixPane

            matrix = ScatterMatrixPane(self._session)
            matrix.pair_wanted.connect(self.show_pair)
            return matrix
        if kind == PARALLEL:
            from workbench.tabs.visualize.scatter.many_axes_panes import ParallelPane

            return ParallelPane(self._session)
        scatter = ScatterPane(self._session, self, in_pieces=True)
        scatter.density_turned.connect(self.density_turned)
        return scatter


class _Switch(ClearWidget):
    """A pill for each picture; with little room, one pill with a menu."""

    def __init__(self, own: str, records: RecordsViews) -> None:
        super().__init__()
        self._own, self._records = own, records
        self._group = QButtonGroup(self)
        menu = QMenu(self)
        for kind, (words, tip) in _KINDS.items():
            button = segment_button(words, f"visualize.show-{kind}", tip, partial(self._show, kind))
            button.setProperty("kind", kind)
            self._group.addButton(button)
            entry = add_check(menu, words, False, partial(self._show, kind))
            entry.setToolTip(tip)
            entry.setData(kind)
        self._one = pill_button(f"{_KINDS[own][0]} ▾", f"visualize.show-as-{own}", "Which picture of the records")
        self._one.setAccessibleName(f"Picture of the records: {_KINDS[own][0]}")
        self._one.setMenu(menu)
        self._one.hide()
        self._track = SegmentTrack(*self._group.buttons())
        row_layout(self._track, self._one, inside=self)
        self._check_own()

    def set_compact(self, compact: bool) -> None:
        self._track.setVisible(not compact)
        self._one.setVisible(compact)

    def take_focus(self) -> None:
        shown = self._one if self._one.isVisibleTo(self) else self._group.checkedButton()
        if shown is not None:
            shown.setFocus()

    def _check_own(self) -> None:
        for pill in self._group.buttons():
            pill.setChecked(pill.property("kind") == self._own)
        for entry in self._one.menu().actions():
            entry.setChecked(entry.data() == self._own)

    def _show(self, kind: str) -> None:
        self._check_own()
        if kind != self._own:
            self._records.show_kind(kind)
