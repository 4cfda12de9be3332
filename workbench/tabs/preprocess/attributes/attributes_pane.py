"""The attributes of the data: which are used, what they are, how they are distributed."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QObject, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.data.column_statistics import NominalStatistics, histogram, statistics
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from workbench.jobs.jobs import Job
from workbench.session.session import Session
from workbench.tabs.preprocess.attributes.attributes_model import AttributesColumn, AttributesModel, Sparkline
from workbench.tabs.preprocess.attributes.attributes_view import AttributesView
from workbench.tabs.preprocess.changes import Changes
from workbench.tabs.preprocess.notice import NoticeBar
from workbench.widgets.panes import Pane

BARS: Final = 14
BATCH: Final = 16
WAIT_MS: Final = 25

NOTHING: Final = Sparkline(np.empty(0, dtype=np.int64))


def sparkline(data: Dataset, index: int, context: RunContext) -> Sparkline:
    """The sparkline of one attribute: counts of its few values in order, else a histogram of at most 14 bars."""
    attribute = data.schema.attributes[index]
    if attribute.kind.is_string:
        return NOTHING
    if attribute.kind.is_coded and len(attribute.values) <= 40:
        counted = statistics(data, index, context.checkpoint)
        assert isinstance(counted, NominalStatistics)
        return Sparkline(counted.counts)
    found = histogram(data, index, context.checkpoint, by_class=False, max_bars=BARS)
    return NOTHING if found is None else Sparkline(found.counts[:, 0])


class Sparklines(QObject):
    """Fills the model's sparklines for the rows that :meth:`show` names, a batch a job, one job at a time."""

    def __init__(self, session: Session, model: AttributesModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._model = session, model
        self._first, self._last = 0, -1
        self._job: Job | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self._next)

    def show(self, first: int, last: int) -> None:
        """These rows are on the screen now."""
        self._first, self._last = first, last
        if not self._timer.isActive():
            self._timer.start()

    def _next(self) -> None:
        data = self._model.dataset
        rows = self._model.without_sparkline(self._first, self._last)[:BATCH]
        if data is None or not rows or (self._job is not None and self._job.is_running):
            return

        def work(context: RunContext) -> dict[int, Sparkline]:
            context.say("Counting for the small histograms")
            return {row: sparkline(data, row, context) for row in rows}

        self._job = self._session.jobs.start(
            "Small histograms", work, on_done=lambda found: self._model.add_sparklines(data, found)
        )
        self._job.failed.connect(lambda _: self._model.add_sparklines(data, dict.fromkeys(rows, NOTHING)))
        self._job.ended.connect(self._timer.start)


KIND_SENTENCES = {
    AttributeKind.NUMERIC: "numbers to compute with",
    AttributeKind.NOMINAL: "one of a few values, in no order",
    AttributeKind.ORDINAL: "one of a few values, from low to high",
    AttributeKind.DATE: "days or moments; not learned from",
    AttributeKind.TEXT: "free text; not learned from",
    AttributeKind.IDENTIFIER: "names the record; not learned from",
}


class AttributesPane(Pane):
    """The list with its actions. The one at the cursor is the chosen one."""

    chosen_changed = Signal()

    def __init__(self, session: Session, changes: Changes, parent: QWidget | None = None) -> None:
        super().__init__("Attributes", parent=parent)
        self._session, self._changes = session, changes
        self.model = AttributesModel(self)
        self.view = AttributesView(self.model)
        self.notice = NoticeBar("preprocess.refused")
        self._sparklines = Sparklines(session, self.model, self)
        self.body.addWidget(self.notice)
        self.body.addWidget(self.view, 1)
        self.view.rows_shown.connect(self._sparklines.show)
        self.view.use_toggled.connect(self._toggle_use)
        self.view.remove_asked.connect(self.remove_chosen)
        self.view.kind_asked.connect(self._ask_kind)
        self.model.use_asked.connect(lambda row, used: self._changes.use([self._name(row)], used))
        self.model.rename_asked.connect(lambda row, new: self._changes.rename(self._name(row), new))
        changes.refused.connect(self._refused)
        changes.done.connect(self.notice.hide)
        selection = self.view.selectionModel()
        selection.currentRowChanged.connect(lambda *_: self.chosen_changed.emit())
        selection.selectionChanged.connect(lambda *_: self.chosen_changed.emit())

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def show_data(self, data: Dataset | None) -> None:
        """Show another data set; the chosen attributes stay chosen where they are still there."""
        before = self.model.dataset
        chosen = [] if before is None else [self._name(row) for row in self.view.selected_rows()]
        at, scrolled = self.view.currentIndex(), self.view.verticalScrollBar().value()
        self.model.set_dataset(data)
        self.model.set_summary(self._session.summary)
        if data is not None and (before is None or len(before.schema) != len(data.schema)):
            start = at.row() if at.isValid() else next(iter(data.schema.predictors), 0)
            self._choose_again(data, chosen, start, scrolled)
        self.set_facts("" if data is None else _facts(data))
        self.chosen_changed.emit()

    def _choose_again(self, data: Dataset, chosen: list[str], row: int, scrolled: int) -> None:
        rows = [data.schema.index_of(name) for name in chosen if name in data.schema]
        rows = rows or [min(row, len(data.schema) - 1)]
        if rows[0] < 0:
            return
        picked = QItemSelection()
        for each in rows:
            picked.select(self.model.index(each, 0), self.model.index(each, AttributesColumn.SHAPE))
        flags = QItemSelectionModel.SelectionFlag
        model = self.view.selectionModel()
        model.setCurrentIndex(self.model.index(rows[0], AttributesColumn.NAME), flags.NoUpdate)
        model.select(picked, flags.ClearAndSelect)
        self.view.verticalScrollBar().setValue(scrolled)

    def choose(self, name: str) -> None:
        """Choose the attribute of this name, where there is one."""
        data = self.model.dataset
        if data is not None and name in data.schema:
            self.view.selectRow(data.schema.index_of(name))

    def show_summary(self) -> None:
        """Show the counts of the session's summary."""
        self.model.set_summary(self._session.summary)

    @property
    def current(self) -> int | None:
        """The row at the cursor."""
        at = self.view.currentIndex()
        return at.row() if at.isValid() else None

    @property
    def chosen(self) -> list[str]:
        """Names of the selected attributes, or of the one at the cursor."""
        return [self._name(row) for row in self.view.selected_rows()]

    def _name(self, row: int) -> str:
        data = self.model.dataset
        assert data is not None
        return data.schema.attributes[row].name

    # ---- doing -----------------------------------------------------------------------------------------------------

    def change_kind(self, kind: AttributeKind) -> None:
        """Change the kind of the chosen attributes."""
        self._changes.change_kind(self.chosen, kind)

    def remove_chosen(self) -> None:
        """Remove the chosen attributes."""
        self._changes.remove(self.chosen)

    def predict_chosen(self) -> None:
        """Make the attribute at the cursor the class."""
        if self.current is not None:
            self._changes.predict(self._name(self.current))

    def _toggle_use(self) -> None:
        data, rows = self.model.dataset, self.view.selected_rows()
        if data is None or not rows:
            return
        attributes = data.schema.attributes
        others = [row for row in rows if row != data.schema.class_index and attributes[row].kind.is_learnable]
        if not others:
            return
        all_used = all(attributes[row].used for row in others)
        self._changes.use([self._name(row) for row in others], not all_used)

    def _ask_kind(self, index: QModelIndex) -> None:
        """Open the kinds under the cell."""
        data = self.model.dataset
        if data is None:
            return
        menu = QMenu(self)
        menu.setObjectName("preprocess.kinds")
        current = data.schema.attributes[index.row()].kind
        for kind in AttributeKind:
            action = QAction(f"{kind.value}:  {KIND_SENTENCES[kind]}", menu)
            action.setCheckable(True)
            action.setChecked(kind is current)
            action.triggered.connect(lambda _=False, kind=kind: self.change_kind(kind))
            menu.addAction(action)
            if kind is current:
                menu.setActiveAction(action)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.view.viewport().mapToGlobal(self.view.visualRect(index).bottomLeft()))

    def _refused(self, error: CoppiceError) -> None:
        self.notice.show_error(error)
        self.chosen_changed.emit()


def _facts(data: Dataset) -> str:
    """How many attributes are learned from and left out: "9 used · 1 left out"."""
    used = len(data.schema.predictors)
    out = len(data.schema) - used - (data.schema.class_index is not None)
    return f"{used:,} used" + (f" · {out:,} left out" if out else "")
