"""Records and class of interest in the viewers of linear models, nomograms and support vector machines."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.data.schema import free_name, numeric
from algorithms.evaluation.tested_records import judged
from algorithms.learners.linear.discriminant_analysis import axis_name, axis_words, projected
from algorithms.learners.svm.model import SupportVectorModel
from algorithms.structures.bayes_network import Conditionals
from algorithms.structures.hyperplanes import Gaussians, Hyperplanes
from workbench.jobs.jobs import LatestTask
from workbench.layout.points import ScatterPoints, points_of
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run, structure_of
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.visualize.explain.selected_record import RecordValues
from workbench.viewers.linear import ProjectionView
from workbench.viewers.margins import MarginPoints, MarginsView
from workbench.viewers.scatter.scatter_view import ScatterTableData
from workbench.widgets.buttons import quiet_button
from workbench.widgets.layouts import ClearWidget, column_layout, filled

MOST_RECORDS: Final = 1500


class MarginRecords(QObject):
    """Gives the view up to :data:`MOST_RECORDS` records of the run, evenly spaced over the table."""

    def __init__(self, session: Session, view: MarginsView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._task = LatestTask(session.jobs)

    def show_run(self, run: Run | None) -> None:
        if run is self._run:
            return
        self._run = run
        self._task.stop()
        trained = None if run is None else run.trained
        if run is None or trained is None or not isinstance(trained.model, SupportVectorModel):
            return
        model, data = trained.model, run.data

        def work(context: RunContext) -> MarginPoints:
            rows = np.unique(np.linspace(0, len(data) - 1, min(MOST_RECORDS, len(data))).astype(np.int64))
            seen = aligned(model.schema, trained.prepared(data.take(rows), context.checkpoint)).labelled()
            sums = model.sums(seen, context.checkpoint)
            return MarginPoints(model.space.of(seen), sums, seen.class_codes.astype(np.int32))

        self._task.run("", work, on_done=self._view.set_records)


class NomogramRecord(RecordValues):
    kind = Conditionals


BY: Final = "the discriminant axes"
MOST_AXES: Final = 10
Projected = Hyperplanes | Gaussians


class ProjectionPane(ClearWidget):
    """Switches between a viewer and the records on the discriminant axes."""

    def __init__(self, session: Session, viewer: QWidget, controls: QWidget) -> None:
        """``controls`` are those of the viewer, hidden with it."""
        super().__init__()
        self._session, self._controls = session, controls
        self._run: Run | None = None
        self._shown: Run | None = None
        """The run whose records the points are: while others are on their way here, that of before."""
        self._task = LatestTask(session.jobs)
        self._is_due = False
        self.view = ProjectionView(session.jobs)
        tip = "The records in the directions in which the classes differ most"
        self.switch: QPushButton = quiet_button("Records", "visualize.projection.switch", tip, checkable=True)
        self._stack = filled(QStackedWidget(), viewer, self.view)
        column_layout(self._stack, inside=self)
        self.switch.toggled.connect(self._turn)
        self.view.axes_chosen.connect(self._axes_chosen)
        self.view.scatter.selected.connect(self._select)
        self.view.scatter.cleared.connect(session.selection.clear)
        session.selection.changed.connect(self._show_selection)
        session.decisions.reports.decided_anew.connect(self._decided_otherwise)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()

    def show_run(self, run: Run | None) -> None:
        model = _model_of(run)
        run = None if model is None else run
        if run is self._run:
            return
        self._run = run
        self._task.stop()
        self.switch.setVisible(model is not None and len(model.axes) > 0)
        if model is None or not len(model.axes):
            self.switch.setChecked(False)
            self._drop()
            self.view.scatter.set_points(None, None)
            return
        names = [axis_name(axis) for axis in range(min(MOST_AXES, len(model.axes)))]
        self.view.offer(names, names if len(names) > 1 else [model.schema.class_attribute.name])
        self._axes_chosen()

    def _decided_otherwise(self) -> None:
        self._is_due = self._run is not None
        self._catch_up()

    def _turn(self, on: bool) -> None:
        self._stack.setCurrentIndex(int(on))
        self._controls.setVisible(not on)
        self._catch_up()

    def _catch_up(self) -> None:
        if self._is_due and self.switch.isChecked() and self.isVisible():
            self._place()

    def _axes_chosen(self) -> None:
        model = _model_of(self._run)
        if model is None:
            return
        chosen = [self.view.across.currentIndex()]
        if len(model.axes) > 1:
            chosen.append(self.view.up.currentIndex())
        self.view.say(" ".join(axis_words(model.terms, model.axes, axis) for axis in dict.fromkeys(chosen)))
        self._is_due = True
        self._catch_up()

    def _drop(self) -> None:
        self._is_due = False
        self._task.stop()

    def _place(self) -> None:
        run, model = self._run, _model_of(self._run)
        if run is None or run.trained is None or model is None:
            return
        self._drop()
        asked = None if run.report is None else self._session.decisions.asked(run)
        trained, axes = run.trained, (self.view.across.currentIndex(), self.view.up.currentIndex())

        def done(placed: tuple[ScatterPoints, ScatterTableData]) -> None:
            self._shown = run
            self.view.scatter.set_points(*placed)
            self._show_selection()

        work = partial(_placed, run, trained, model, axes, asked)
        self._task.run("Place records on the discriminants", work, on_done=done, says="Placing records")

    def _select(self, rows: IntArray, how: SelectionMode, _by: str) -> None:
        if self._shown is not None:
            self._session.selection.select(self._shown.data, rows, how, BY)

    def _show_selection(self) -> None:
        if self._shown is not None and self.view.scatter.points is not None:
            selection = self._session.selection
            self.view.scatter.set_selection(selection.mask_of(self._shown.data) if len(selection) else None)


def _placed(
    run: Run,
    trained: TrainedClassifier,
    model: Projected,
    axes: tuple[int, int],
    asked: DecisionQuery | None,
    context: RunContext,
) -> tuple[ScatterPoints, ScatterTableData]:
    """The records of a run on two axes, or by class on the only one, and the table with the axes as columns."""
    data = run.data
    projection = projected(model.terms, model.axes, trained.prepared(data, context.checkpoint), context.checkpoint)
    columns = []
    for axis in dict.fromkeys(axes if len(model.axes) > 1 else axes[:1]):
        name = free_name(axis_name(axis), data.schema)
        data = data.with_new_column(numeric(name), np.ascontiguousarray(projection[:, axis]))
        columns.append(len(data.schema) - 1)
    class_index = data.schema.class_index
    assert class_index is not None
    up = columns[-1] if len(model.axes) > 1 else class_index
    predictions = None if asked is None else judged(asked.result, run.data, asked.decisions(context.checkpoint))
    points = points_of(data, columns[0], up, None if predictions is None else predictions.wrong)
    return points, ScatterTableData(data, (*columns, class_index), predictions, data.schema.classes)


def _model_of(run: Run | None) -> Projected | None:
    return structure_of(run, Hyperplanes) or structure_of(run, Gaussians)
