"""Panes of the scatter matrix and of parallel coordinates, with the choice of their attributes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QDropEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QWidget,
)

from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.regions import axis_names, by_separation
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask
from workbench.layout.many_axes import MultiAxisPoints, places_of
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, themes
from workbench.tabs.visualize.scatter.records_shown import (
    RunSubject,
    SubjectPredictions,
    keep_class_of_interest_colored,
    subject_of,
)
from workbench.viewers.charts.legend import NO_CLASS
from workbench.viewers.scatter.many_axes import ManyAxesView
from workbench.viewers.scatter.parallel_coordinates import ParallelView
from workbench.viewers.scatter.scatter_matrix import ScatterMatrixView
from workbench.viewers.scatter.scatter_paint import wrong_words
from workbench.viewers.scatter.scatter_view import ScatterTableData
from workbench.widgets.buttons import add_check, menu_button, quiet_button, spacer
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import NameDelegate, label
from workbench.widgets.layouts import add_items, column_layout, named
from workbench.widgets.panes import Pane
from workbench.widgets.tables import table_switch

NAME_ROLE: Final = Qt.ItemDataRole.UserRole


class _Names(QListWidget):
    move_asked = Signal(int)
    dropped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_asked.emit(step)
        else:
            super().keyPressEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        super().dropEvent(event)
        self.dropped.emit()


class AttributeChooser(QFrame):
    """Chooses and orders 1 to ``most`` attributes; ``changed(names)`` comes with each change."""

    changed = Signal(tuple)

    def __init__(self, name: str, most: int, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("part", "popover")
        named(self, name, "Attributes to show")
        self._most = most
        self._ranked: tuple[str, ...] = ()
        self._chosen: tuple[str, ...] = ()
        self._best: tuple[str, ...] = ()
        self.search = SearchField("Find an attribute...", f"{name}.search")
        self.search.textChanged.connect(self._filter)
        self.list = named(
            _Names(),
            f"{name}.list",
            "Attributes; Space shows one or takes it away, Alt with an arrow moves it",
            "Check what is to be shown; drag it, or Alt with an arrow, to move it",
        )
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(NameDelegate(self.list))
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.itemChanged.connect(self._checked)
        self.list.move_asked.connect(self._move)
        self.list.dropped.connect(self._dropped)
        self.list.currentRowChanged.connect(self._enable)
        self._words = label("", "small", wrap=True)
        self._up = quiet_button("Up", f"{name}.up", "Show it earlier (Alt+Up)", lambda: self._move(-1))
        self._down = quiet_button("Down", f"{name}.down", "Show it later (Alt+Down)", lambda: self._move(1))
        self._reset = quiet_button(
            "Most telling", f"{name}.best", "Those that tell the classes apart best", lambda: self._set(self._best)
        )
        buttons = QHBoxLayout()
        add_items(buttons, self._up, self._down, spacer(), self._reset)
        parts = (self._words, self.search, (self.list, 1), buttons)
        column_layout(*parts, inside=self, spacing=SPACE_2, margins=SPACE_3)

    def offer(self, ranked: Sequence[str], best: Sequence[str], chosen: Sequence[str]) -> None:
        """Offers attributes, best first; ``chosen`` are shown, ``best`` by default."""
        self._ranked, self._best, self._chosen = tuple(ranked), tuple(best), tuple(chosen)
        self._fill()

    def _fill(self) -> None:
        item = self.list.currentItem()
        current = "" if item is None else str(item.data(NAME_ROLE))
        with QSignalBlocker(self.list):
            self.list.clear()
            for name in (*self._chosen, *(n for n in self._ranked if n not in set(self._chosen))):
                item = QListWidgetItem(" ".join(name.split()))
                item.setData(NAME_ROLE, name)
                item.setToolTip(name)
                flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
                item.setFlags(flags | Qt.ItemFlag.ItemIsDragEnabled)
                item.setCheckState(Qt.CheckState.Checked if name in self._chosen else Qt.CheckState.Unchecked)
                self.list.addItem(item)
                if name == current:
                    self.list.setCurrentItem(item)
            if self.list.currentRow() < 0 and self.list.count():
                self.list.setCurrentRow(0)
        self._filter(self.search.text())
        self._enable()
        self._words.setText(f"Shown, in this order ({len(self._chosen)} of at most {self._most}):")

    def _filter(self, text: str) -> None:
        wanted = text.casefold().strip()
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(bool(wanted) and wanted not in str(item.data(NAME_ROLE)).casefold())

    def _enable(self) -> None:
        row = self.list.currentRow()
        self._up.setEnabled(0 < row < len(self._chosen))
        self._down.setEnabled(0 <= row < len(self._chosen) - 1)
        self._reset.setEnabled(self._chosen != self._best)

    def _set(self, chosen: tuple[str, ...]) -> None:
        if chosen != self._chosen:
            self._chosen = chosen
            self.changed.emit(chosen)
        self._fill()

    def _checked(self, item: QListWidgetItem) -> None:
        name, wanted = str(item.data(NAME_ROLE)), item.checkState() is Qt.CheckState.Checked
        if wanted and name not in self._chosen:
            self._set((*self._chosen, name)[: self._most])
            if name not in self._chosen:
                self._words.setText(f"At most {self._most} can be shown. Take one away first.")
        elif not wanted:
            left = tuple(n for n in self._chosen if n != name)
            self._set(left or self._chosen)

    def _move(self, by: int) -> None:
        row, order = self.list.currentRow(), list(self._chosen)
        if 0 <= row < len(order) and 0 <= row + by < len(order):
            order.insert(row + by, order.pop(row))
            self._set(tuple(order))

    def _dropped(self) -> None:
        names = [str(self.list.item(row).data(NAME_ROLE)) for row in range(self.list.count())]
        self._set(tuple(name for name in names if name in set(self._chosen)))

    def open_under(self, button: QPushButton) -> None:
        self.search.clear()
        self.resize(themes.px(320), themes.px(380))
        screen = button.screen().availableGeometry()
        corner = button.mapToGlobal(QPoint(0, button.height() + 4))
        if corner.y() + self.height() > screen.bottom():
            corner.setY(button.mapToGlobal(QPoint(0, -4)).y() - self.height())
        corner.setX(max(screen.left(), min(corner.x(), screen.right() - self.width())))
        corner.setY(max(screen.top(), corner.y()))
        self.move(corner)
        self.show()
        self.list.setFocus()


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
    """Shows the records of a run, or of the open table; shares ``session.selection``."""

    def __init__(self, session: Session, title: str, view: ManyAxesView, name: str, usual: int, most: int) -> None:
        super().__init__(title)
        self._session = session
        self._subject: RunSubject | None = None
        self._placed: _Placed | None = None
        self._task = LatestTask(session.jobs)
        self._chosen: tuple[str, ...] = ()
        self._usual = usual
        self._is_selecting = False
        self.view = view
        self.chooser = AttributeChooser(f"{name}-attributes-list", most, self)
        self.attributes: QPushButton = quiet_button(
            "Attributes",
            f"{name}-attributes",
            "Which attributes are shown, and in which order",
            lambda: self.chooser.open_under(self.attributes),
        )
        options = menu_button("View", f"{name}-view", "What is shown, and how")
        self._fill_menu(options.menu())
        self.add_action(self.attributes, options, view.export.button(f"{name}-save"))
        as_table = view.export.offer(table_switch(f"{name}-as-table"))
        as_table.toggled.connect(view.show_table)
        self.body.addWidget(view, 1)
        self.chooser.changed.connect(self.set_attributes)
        view.selected.connect(self._select)
        view.cleared.connect(self.select_nothing)
        view.drawn.connect(self._say_facts)
        view.canvas.table_wanted.connect(as_table.trigger)
        session.selection.changed.connect(self._selection_changed)
        session.document_replaced.connect(self._forget)
        keep_class_of_interest_colored(view.legend, session)

    def _fill_menu(self, menu: QMenu) -> None:
        self._mark_wrong: QAction = add_check(
            menu,
            "Mark misclassified records",
            True,
            lambda: self.view.canvas.set_marks_wrong(self._mark_wrong.isChecked()),
        )
        self._only_wrong = add_check(menu, "Misclassified records only", False, self._place)
        self._spread = add_check(menu, "Spread equal values apart", True, self._place)
        self.add_options(menu)
        menu.addSeparator()
        menu.addAction("Show all (F)", self.view.canvas.fit)
        menu.addAction("Select nothing (Esc)", self.select_nothing)

    def add_options(self, menu: QMenu) -> None:
        """Adds further entries to the menu."""

    def set_attributes(self, names: tuple[str, ...]) -> None:
        if names and names != self._chosen:
            self._chosen = names
            self._place()

    def reorder(self, order: tuple[int, ...]) -> None:
        """Follows a picture that shows its attributes in another order, given by their old positions."""
        placed, places = self._placed, self.view.places
        if placed is not None and places is not None:
            names = tuple(placed.names[old] for old in order)
            self._placed = replace(placed, names=names, places=places)
            self._chosen = names
            self.chooser.offer(placed.ranked, placed.usual, names)

    @property
    def shown_attributes(self) -> tuple[str, ...]:
        return () if self._placed is None else self._placed.names

    def show_run(self, run: Run | None) -> None:
        """Shows the records of a run, or of the open table for None."""
        subject = subject_of(self._session, run)
        if subject is not None and subject.is_that_of(self._subject):
            return
        self._subject = subject
        self._place()

    def _forget(self) -> None:
        self._chosen = ()

    def _place(self) -> None:
        """Rank the attributes and put the records on their places, in a job."""
        self._task.stop()
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
        work = partial(_place, subject, chosen, usual, only_wrong, spread)
        self._task.run("Place records", work, on_done=self._show, says="Placing records")

    def _show(self, placed: _Placed) -> None:
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
        predictions = None if placed.judged is None else placed.judged.said
        sheet = ScatterTableData(subject.data, tuple(columns), predictions, schema.classes if has_classes else ())
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
        """Whether the picture selects records, even if none match."""
        return False

    @abstractmethod
    def remark(self, places: MultiAxisPoints, n_wrong: int) -> str:
        """A short remark about the picture."""

    def _select(self, rows: IntArray, how: SelectionMode) -> None:
        shown = self.view.records
        if shown is not None:
            self._is_selecting = True
            by = f"the {self.accessibleName().lower()}"
            self._session.selection.select(shown, rows, how, by)
            self._is_selecting = False
            self._show_selection()

    def select_nothing(self) -> None:
        self._session.selection.clear()
        self._show_selection()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._selection_changed()

    def _selection_changed(self) -> None:
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
    predictions = subject.judgement()
    axes = [schema.index_of(name) for name in names]
    wrong = None if predictions is None else predictions.said.wrong
    places = places_of(data, axes, wrong, spread=spread, checkpoint=context.checkpoint)
    n_wrong = int(places.wrong.sum())
    shown = places.only(places.wrong) if only_wrong and predictions is not None else places
    words = "" if predictions is None else predictions.wrong_words(places.rows)[0]
    return _Placed(names, ranked, usual_names, shown, predictions, n_wrong, words)


def ranked_names(data: Dataset, context: RunContext) -> tuple[str, ...]:
    """The attributes that fit an axis, by separation of classes, the class last."""
    placed = set(axis_names(data.schema))
    ranked = [data.schema.attributes[index].name for index in by_separation(data, context.checkpoint)]
    return tuple(name for name in ranked if name in placed)


def first_names(schema: Schema, ranked: tuple[str, ...], most: int) -> tuple[str, ...]:
    """The attributes shown by default: the best predictors; with fewer than two, any others too."""
    predictors = {schema.attributes[index].name for index in schema.predictors}
    wanted = [name for name in ranked if name in predictors][:most]
    return tuple(wanted if len(wanted) >= 2 else ranked[:2])


def _nothing(subject: RunSubject | None) -> str:
    if subject is None:
        return "Open a table in Preprocess first."
    if not len(subject.data):
        return "The table has no records."
    return "No attribute has values that can be placed on an axis. Change a kind in Preprocess."


MATRIX_USUAL: Final = 5
MATRIX_MOST: Final = 8
SMALL: Final = 44


class ScatterMatrixPane(ManyAxesPane):
    """Every pair of some attributes; ``pair_wanted(across, up)`` carries the names of a pair to enlarge."""

    pair_wanted = Signal(str, str)

    def __init__(self, session: Session) -> None:
        self.matrix = ScatterMatrixView(session.jobs)
        super().__init__(session, "Scatter matrix", self.matrix, "visualize.matrix", MATRIX_USUAL, MATRIX_MOST)
        self.matrix.matrix.pair_wanted.connect(
            lambda across, up: self.pair_wanted.emit(self.shown_attributes[across], self.shown_attributes[up])
        )

    def add_options(self, menu: QMenu) -> None:
        self._moving: QAction = add_check(menu, "Dragging moves the picture", False, self._set_moving)

    def _set_moving(self) -> None:
        self.matrix.matrix.drag_moves = self._moving.isChecked()

    def remark(self, places: MultiAxisPoints, n_wrong: int) -> str:
        if places.n_axes < 2:
            return "choose more attributes to see their pairs"
        if self.matrix.matrix.grid.cell_height < themes.px(SMALL):
            return "the two arrows above give it all the room"
        remarks = ["drag to select"]
        if self.matrix.n_shown is None:
            remarks.insert(0, "the stronger the more records")
        elif n_wrong:
            remarks.insert(0, wrong_words(n_wrong))
        return " · ".join(remarks)


PARALLEL_USUAL: Final = 7
PARALLEL_MOST: Final = 14


class ParallelPane(ManyAxesPane):
    """Some attributes side by side, a line for each record."""

    def __init__(self, session: Session) -> None:
        self.parallel = ParallelView(session.jobs)
        super().__init__(
            session, "Parallel coordinates", self.parallel, "visualize.parallel", PARALLEL_USUAL, PARALLEL_MOST
        )
        self.parallel.lines.reordered.connect(self.reorder)

    def add_options(self, menu: QMenu) -> None:
        menu.addAction("Light the class of interest", self._light_interest)

    def _light_interest(self) -> None:
        legend = self.parallel.legend
        code = self._session.class_of_interest
        legend.pick(NO_CLASS if legend.code == code else code)

    def select_nothing(self) -> None:
        self.parallel.lines.forget_brushes()
        super().select_nothing()

    def _selection_changed(self) -> None:
        if not self._is_selecting:
            self.parallel.lines.forget_brushes()
        super()._selection_changed()

    @property
    def is_choosing(self) -> bool:
        return bool(self.parallel.lines.scene.brushes)

    def remark(self, places: MultiAxisPoints, n_wrong: int) -> str:
        if places.n_axes < 2:
            return "choose more attributes to see lines between them"
        if self.is_choosing and not len(self._session.selection):
            return "no record lies in all of these ranges"
        remarks = ["drag along an axis to select"]
        if self.parallel.n_shown is None:
            remarks.insert(0, "the stronger the more records")
        elif n_wrong:
            remarks.insert(0, "dashed: wrong")
        return " · ".join(remarks)
