"""What the panes with pictures over many axes share: whose records and mistakes, which attributes, the selection."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QMenu

from algorithms.core.context import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.regions import by_separation
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job
from workbench.layout.multi_axis_points import MultiAxisPoints, places_of
from workbench.session.runs import Run
from workbench.session.scatter_axes import axis_names
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.visualize.records.attribute_chooser import AttributeChooser
from workbench.tabs.visualize.records.subject import RunSubject, SubjectPredictions, subject_of
from workbench.viewers.scatter.many_axes import ManyAxesView
from workbench.viewers.scatter.scatter_view import ScatterTableData
from workbench.widgets.buttons import quiet_button
from workbench.widgets.panes import Pane


@dataclass(frozen=True, eq=False)
class _Placed:
    names: tuple[str, ...]
    ranked: tuple[str, ...]
    usual: tuple[str, ...]
    places: MultiAxisPoints
    judged: SubjectPredictions | None
    n_wrong: int
    wrong_words: str
    """How many are wrong, also where the others are hidden; empty where none was tested."""


class ManyAxesPane(Pane):
    """Shows ``session.current_run``'s records, or those of the open table; shares ``session.selection``."""

    def __init__(self, session: Session, title: str, view: ManyAxesView, name: str, usual: int, most: int) -> None:
        super().__init__(title)
        self._session = session
        self._subject: RunSubject | None = None
        self._placed: _Placed | None = None
        self._job: Job | None = None
        self._chosen: tuple[str, ...] = ()
        self._usual = usual
        self._is_selecting = False
        self.view = view
        self.chooser = AttributeChooser(f"{name}-attributes-list", most, self)
        self.attributes = quiet_button(
            "Attributes", f"{name}-attributes", "Which attributes are shown, and in which order", self._choose
        )
        self._options = quiet_button("View", f"{name}-view", "What is shown, and how")
        self._options.setMenu(self._made_menu())
        self._save = quiet_button("Save", f"{name}-save", "Copy or save the picture or its numbers")
        self._save.setMenu(view.export.menu)
        for widget in (self.attributes, self._options, self._save):
            self.add_action(widget)
        self.body.addWidget(view, 1)
        self.chooser.changed.connect(self._attributes_chosen)
        view.selected.connect(self._select)
        view.cleared.connect(self.select_nothing)
        view.drawn.connect(self._say_facts)
        view.canvas.table_wanted.connect(self._as_table.trigger)
        session.selection.changed.connect(self._selection_changed)
        session.document_replaced.connect(self._forget)

    # ---- the controls ----------------------------------------------------------------------------------------------

    def _made_menu(self) -> QMenu:
        menu = QMenu(self)
        self._mark_wrong = self._check(menu, "Mark wrong records", True, self._mark)
        self._only_wrong = self._check(menu, "Wrong records only", False, self._place)
        self._spread = self._check(menu, "Spread equal values apart", True, self._place)
        self.add_options(menu)
        menu.addSeparator()
        self._as_table = self._check(menu, "As a table (T)", False, self._show_table)
        menu.addAction("Show all (F)", self.view.canvas.fit)
        menu.addAction("Select nothing (Esc)", self.select_nothing)
        return menu

    def add_options(self, menu: QMenu) -> None:
        """Further entries of the menu."""

    def _check(self, menu: QMenu, text: str, on: bool, do: object) -> QAction:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(on)
        action.triggered.connect(do)
        return action

    def _mark(self) -> None:
        self.view.canvas.set_marks_wrong(self._mark_wrong.isChecked())

    def _show_table(self) -> None:
        self.view.show_table(self._as_table.isChecked())

    def _choose(self) -> None:
        self.chooser.open_under(self.attributes)

    def _attributes_chosen(self, names: tuple[str, ...]) -> None:
        self._chosen = names
        self._place()

    def set_attributes(self, names: tuple[str, ...]) -> None:
        """Show these attributes, in this order."""
        if names and names != self._chosen:
            self._chosen = names
            self._place()

    def reorder(self, order: tuple[int, ...]) -> None:
        """The picture shows its attributes in another order: the numbers that they had before."""
        placed, places = self._placed, self.view.places
        if placed is not None and places is not None:
            names = tuple(placed.names[old] for old in order)
            self._placed = replace(placed, names=names, places=places)
            self._chosen = names
            self.chooser.offer(placed.ranked, placed.usual, names)

    @property
    def shown_attributes(self) -> tuple[str, ...]:
        """The attributes that are shown, in their order."""
        return () if self._placed is None else self._placed.names

    # ---- what is looked at -----------------------------------------------------------------------------------------

    def show_run(self, run: Run | None) -> None:
        """Look at the records of a run, or of the open table where there is none."""
        subject = subject_of(self._session, run)
        if subject is not None and subject.is_that_of(self._subject):
            return
        self._subject = subject
        self._place()

    def _forget(self) -> None:
        self._chosen = ()

    def _drop(self) -> None:
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _place(self) -> None:
        """Rank the attributes and put the records on their places, in a job."""
        self._drop()
        subject = self._subject
        if subject is None or not len(subject.data) or not axis_names(subject.data.schema):
            self._placed = None
            self.view.show_words(_nothing(subject))
            self.set_facts("")
            self.attributes.setEnabled(False)
            return
        self.attributes.setEnabled(True)
        chosen, usual = self._chosen, self._usual
        only_wrong, spread = self._only_wrong.isChecked(), self._spread.isChecked()

        def work(context: RunContext) -> _Placed:
            context.say("Placing records")
            return _place(subject, chosen, usual, only_wrong, spread, context)

        self._job = self._session.jobs.start("Place records", work, on_done=self._show)

    def _show(self, placed: _Placed) -> None:
        self._job = None
        subject, before = self._subject, self._placed
        if subject is None:
            return
        same = before is not None and before.names == placed.names
        self._placed = placed
        schema = subject.data.schema
        columns = [schema.index_of(name) for name in placed.names]
        if schema.class_index is not None and schema.class_index not in columns:
            columns.append(schema.class_index)
        has_classes = placed.places.n_classes > 0
        said = None if placed.judged is None else placed.judged.said
        sheet = ScatterTableData(subject.data, tuple(columns), said, schema.classes if has_classes else ())
        self.view.forget_selection()
        self.view.set_places(placed.places, sheet, keep_view=same)
        if not self.chooser.isVisible() or before is None:
            self.chooser.offer(placed.ranked, placed.usual, placed.names)
        self._show_selection()
        self._say_facts()

    def _say_facts(self) -> None:
        placed = self._placed
        if placed is None:
            return
        words = [counted(len(placed.places), "record")]
        if placed.wrong_words:
            words.append(placed.wrong_words)
        if placed.places.n_incomplete:
            words.append(f"{placed.places.n_incomplete:,} with a value missing")
        self.set_facts(" · ".join(words))
        self.view.remark.setText(self.remark(placed.places, placed.n_wrong if placed.judged is not None else 0))

    @property
    def is_choosing(self) -> bool:
        """Whether the picture chooses records, though it may be none."""
        return False

    @abstractmethod
    def remark(self, places: MultiAxisPoints, n_wrong: int) -> str:
        """What is to be known about the picture, in a few words."""

    # ---- the selection ---------------------------------------------------------------------------------------------

    def _select(self, rows: IntArray, how: SelectionMode) -> None:
        shown = self.view.records
        if shown is not None:
            self._is_selecting = True
            by = f"the {self.accessibleName().lower()}"
            self._session.selection.select(shown, rows, how, by)
            self._is_selecting = False
            self._show_selection()

    def select_nothing(self) -> None:
        """No record is selected any more, here and everywhere."""
        self._session.selection.clear()
        self._show_selection()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._selection_changed()

    def _selection_changed(self) -> None:
        """A hidden pane waits until it is seen."""
        if self.isVisible():
            self._show_selection()

    def _show_selection(self) -> None:
        shown = self.view.records
        if shown is not None and self._placed is not None:
            shows_any = len(self._session.selection) > 0 or self.is_choosing
            self.view.set_selection(self._session.selection.mask_of(shown) if shows_any else None)
            self._say_facts()


def _place(
    subject: RunSubject, chosen: tuple[str, ...], usual: int, only_wrong: bool, spread: bool, context: RunContext
) -> _Placed:
    """In a worker: the attributes in the order of what they tell, and the records along those to be shown."""
    data, schema = subject.data, subject.data.schema
    ranked = ranked_names(data, context)
    usual_names = first_names(schema, ranked, usual)
    names = tuple(name for name in chosen if name in set(ranked)) or usual_names
    said = subject.judgement()
    axes = [schema.index_of(name) for name in names]
    wrong = None if said is None else said.said.wrong
    places = places_of(data, axes, wrong, spread=spread, checkpoint=context.checkpoint)
    n_wrong = int(places.wrong.sum())
    shown = places.only(places.wrong) if only_wrong and said is not None else places
    words = "" if said is None else said.wrong_words(places.rows)[0]
    return _Placed(names, ranked, usual_names, shown, said, n_wrong, words)


def ranked_names(data: Dataset, context: RunContext) -> tuple[str, ...]:
    """The attributes whose values have a place on an axis, the most telling first, the class last."""
    placed = set(axis_names(data.schema))
    ranked = [data.schema.attributes[index].name for index in by_separation(data, context.checkpoint)]
    return tuple(name for name in ranked if name in placed)


def first_names(schema: Schema, ranked: tuple[str, ...], most: int) -> tuple[str, ...]:
    """The attributes to begin with: the most telling of those to learn from; with fewer than two, any others too."""
    predictors = {schema.attributes[index].name for index in schema.predictors}
    wanted = [name for name in ranked if name in predictors][:most]
    return tuple(wanted if len(wanted) >= 2 else ranked[:2])


def _nothing(subject: RunSubject | None) -> str:
    if subject is None:
        return "Open a table in Preprocess first."
    if not len(subject.data):
        return "The table has no records."
    return "No attribute has values that can be placed on an axis. Change a kind in Preprocess."
