"""Decision regions of a run under the current costs (TSKK Figure 5.44)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtWidgets import QWidget

from algorithms.core.record_costs import RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.core.scores import cheapest_decisions
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.regions import GridPredictions, RegionAxis, Regions, beliefs, first_axes, values_nearby
from algorithms.text.sentences import BRIEF_NAMES, in_brief
from workbench.jobs.jobs import LatestTask
from workbench.layout.points import ScatterPoints, points_of
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.viewers.scatter.rendering import regions_image
from workbench.viewers.scatter.scatter_paint import Backdrop
from workbench.viewers.scatter.scatter_view import ScatterTableData, ScatterView
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, column_layout

HOW_TO_READ: Final = "The background has the color of the predicted class: the fainter, the less probable."
CELLS, FINE = 96, 256
"""Cells along a numeric axis: for all classes at once between two frames, and for few classes."""
FEW_CLASSES: Final = 8
QUICK: Final = 0.15
"""Seconds for the coarse grid up to which the finer one is computed too."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """The records as points, and the model's probabilities in each cell; ``place`` is left, right, low and high."""

    points: ScatterPoints
    sheet: ScatterTableData
    place: tuple[float, float, float, float]
    believed: GridPredictions
    classes: tuple[str, ...]


class CostBoundary(ClearWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._of: object = None
        self._seen: _Seen | None = None
        self._costs: RecordCosts | None = None
        self._decide: DecisionRule | None = None
        self._task = LatestTask(session.jobs)
        self.view = ScatterView(session.jobs, self)
        self.view.canvas.setObjectName("evaluate.board.boundary")
        self.view.canvas.setAccessibleName("Decision regions under these costs")
        self._facts = ElidedLabel("", "facts")
        self._facts.set_note(HOW_TO_READ)
        self.note = label(HOW_TO_READ, "small", wrap=True)
        column_layout(self._facts, (self.view, 1), self.note, inside=self, spacing=SPACE_2)
        themes.changed.connect(self._tint)

    @property
    def is_busy(self) -> bool:
        return self._task.is_running

    def show_run(self, run: Run, costs: RecordCosts, decide: DecisionRule | None = None) -> None:
        """Shows a run under its (mean) costs; ``decide`` replaces the least expected cost."""
        before, now = (None if rule is None else rule.choice for rule in (self._decide, decide))
        is_shown = self._of is run.trained and self._costs is not None and costs.equals(self._costs)
        is_shown = is_shown and before == now
        self._costs, self._decide = costs, decide
        if self._of is not run.trained:
            self._of = run.trained
            self._look_at(run)
        if not is_shown:
            self._tint()

    def decided(self) -> Regions | None:
        """Predicted classes of the grid under the current costs; None until it is computed."""
        if self._seen is None or self._costs is None:
            return None
        shape, k = self._seen.believed.decision.shape, len(self._seen.classes)
        probabilities = self._seen.believed.probabilities.reshape(-1, k)
        own = self._seen.believed.decision.reshape(-1)
        rule = self._decide
        if rule is None:
            decision = cheapest_decisions(probabilities, own, self._costs.table)
        else:
            decision = rule(probabilities, own)
        probability = probabilities[np.arange(len(probabilities)), decision].astype(np.float32)
        return Regions(decision.reshape(shape), probability.reshape(shape))

    def _look_at(self, run: Run) -> None:
        """Computes the model's class probabilities on a grid over two attributes in a job, once a run."""
        self._task.stop()
        self._seen = None
        trained = run.trained
        axes = None if trained is None else first_axes(run.data, trained.model.structure())
        if trained is None or axes is None:
            self.view.set_points(None, None)
            self._facts.setText("")
            return
        names = [attribute.name for attribute in run.data.schema.attributes]
        across, up = names.index(axes[0]), names.index(axes[1])
        data = run.data

        def work(context: RunContext) -> _Seen:
            points = points_of(data, across, up)
            place = (*points.across.span, *points.up.span)
            axis_x = RegionAxis(across, points.across.value(place[0]), points.across.value(place[1]))
            axis_y = RegionAxis(up, points.up.value(place[2]), points.up.value(place[3]))
            others = values_nearby(data, (across, up), context.checkpoint)
            began = time.monotonic()
            believed = beliefs(trained, others, axis_x, axis_y, CELLS, context)
            if len(trained.classes) <= FEW_CLASSES and time.monotonic() - began < QUICK:
                believed = beliefs(trained, others, axis_x, axis_y, FINE, context)
            sheet = ScatterTableData(data, tuple(dict.fromkeys((across, up))), None, data.schema.classes)
            return _Seen(points, sheet, place, believed, tuple(trained.classes))

        def done(seen: _Seen) -> None:
            self._seen = seen
            self.view.set_points(seen.points, seen.sheet)
            self._tint()

        whole = f"{axes[0]} × {axes[1]}, averaged over the nearest records"
        brief = in_brief(whole, run.data.schema.names, BRIEF_NAMES[0])
        self._facts.set_wordings(whole, brief, "averaged over the nearest records")
        says = "Computing decision regions"
        self._task.run("Compute decision regions", work, on_done=done, says=says)

    def _tint(self) -> None:
        seen, decided = self._seen, self.decided()
        if seen is None or decided is None:
            self.view.canvas.set_backdrops([])
            return
        picture = regions_image(decided, current_theme(), len(seen.classes))
        self.view.canvas.set_backdrops([Backdrop(*seen.place, picture, decided.decision, seen.classes)])
