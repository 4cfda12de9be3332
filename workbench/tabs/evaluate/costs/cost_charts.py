"""Charts of the cost page: cost by threshold, and decision regions under the current costs (TSKK Figure 5.44)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtWidgets import QWidget

from algorithms.core.class_decisions import cheapest_decisions
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.curves.curve_base import ClassCurves
from algorithms.evaluation.curves.ranked_records import ABOVE_ALL
from algorithms.evaluation.regions import TYPICAL, GridPredictions, RegionAxis, Regions, beliefs
from algorithms.text.numbers import amount
from algorithms.text.sentences import BRIEF_NAMES, in_brief, threshold_words
from workbench.jobs.jobs import LatestTask
from workbench.layout.points import ScatterPoints, points_of
from workbench.session.runs import Run
from workbench.session.scatter_axes import first_axes
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.viewers.charts.band_plot import BandLine, BandPlot, Bands
from workbench.viewers.scatter.rendering import regions_image
from workbench.viewers.scatter.scatter_paint import Backdrop
from workbench.viewers.scatter.scatter_view import ScatterTableData, ScatterView
from workbench.widgets.labels import label
from workbench.widgets.panes import Pane

ROUND_THRESHOLDS: Final = tuple((tenth / 10, threshold_words(tenth / 10)) for tenth in range(0, 11, 2))
THRESHOLDS: Final = 101
SAME: Final = 1e-9
BEYOND: Final = 1.04
"""Position of "never", right of all thresholds."""


class CostByThreshold(Pane):
    """Curve of cost by threshold; the matrices of the thresholds are computed once, and costs weigh them."""

    def __init__(self, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__("Cost by threshold", parent=parent)
        self._deciding = deciding
        self._curve: tuple[ClassCurves, FloatArray, FloatArray] | None = None
        self.plot = BandPlot("evaluate.board.plot", "Cost by threshold")
        self.plot.read.connect(self._threshold_read)
        self.body.addWidget(self.plot, 1)

    def _threshold_read(self, index: int) -> None:
        """Uses the threshold that was clicked or reached by keys."""
        if self._curve is not None:
            self._deciding.decide_at(float(self._curve[1][index]))

    def show_run(self, run: Run, costs: FloatArray, in_force: float | None) -> None:
        """Shows a run under ``costs`` (k, k) with the threshold in use, None for none."""
        priced = self._deciding.priced_curve_of(run) if self._deciding.is_priced else None
        if priced is None:
            self.plot.show_bands(None)
            return
        curve, prices = priced
        thresholds, matrices = self._matrices(curve, in_force)
        n = max(float(matrices[0].sum()), 1e-300)
        means = (matrices * (costs if prices is None else prices)).sum(axis=(1, 2)) / n
        self.set_facts(f"of run {run.number}, for {curve.label}", f"of run {run.number}")
        line = BandLine(f"run {run.number}", means, np.zeros(len(means)))
        never = f"never {curve.label}"
        values = tuple(never if threshold > 1 else threshold_words(float(threshold)) for threshold in thresholds)
        offer = self._deciding.offer()
        marked = -1 if offer is None else int(np.searchsorted(thresholds, offer.cheapest.threshold))
        least = int(np.argmin(means))
        if 0 <= marked < len(means) and means[marked] <= means[least] + SAME:
            least = marked  # of those that cost the same, the one that the button of the page uses
        across, upward = f"Threshold of {curve.label}", "cost per record"
        is_never = thresholds[least] > 1
        cheapest = f"{'cheapest' if is_never else 'cheapest threshold'}: {values[least]}"
        cheapest = f"{cheapest}, {amount(float(means[least]))} a record"
        places = np.where(thresholds > 1, BEYOND, thresholds)
        self.plot.show_bands(
            Bands(across, upward, values, places, True, (line,), least, cheapest, 1.0, marks=ROUND_THRESHOLDS)
        )
        current = least if in_force is None else int(np.argmin(np.abs(thresholds - in_force)))
        self.plot.stand_at(current)

    def _matrices(self, curve: ClassCurves, in_force: float | None) -> tuple[FloatArray, FloatArray]:
        """Thresholds (t,), the cheapest and the current one among them, with their confusion matrices (t, k, k).

        The last threshold exceeds 1 and predicts the class for no record.
        """
        offer = self._deciding.offer()
        marked = [in_force, None if offer is None else offer.cheapest.threshold]
        named = [threshold for threshold in marked if threshold is not None and 0.0 <= threshold <= 1.0]
        thresholds = np.unique([*np.linspace(0.0, 1.0, THRESHOLDS).tolist(), *named, ABOVE_ALL])
        if self._curve is None or self._curve[0] is not curve or not np.array_equal(self._curve[1], thresholds):
            self._curve = (curve, thresholds, curve.scored.matrices(thresholds))
        return self._curve[1], self._curve[2]


HOW_TO_READ: Final = (
    "The ground has the colour of the class that is said there: the fainter, the less likely that class is."
)
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


class CostBoundary(Pane):
    """Decision regions of a run under given costs."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Where it decides what", parent=parent)
        self._session = session
        self._of: object = None
        self._seen: _Seen | None = None
        self._costs: FloatArray | None = None
        self._decide: DecisionRule | None = None
        self._task = LatestTask(session.jobs)
        self.view = ScatterView(session.jobs)
        self.view.canvas.setObjectName("evaluate.board.boundary")
        self.view.canvas.setAccessibleName("Where the model decides what under these costs")
        self.body.addWidget(self.view, 1)
        self.note = label(HOW_TO_READ, "small", wrap=True)
        self.explain(HOW_TO_READ)
        self.body.addWidget(self.note)
        themes.changed.connect(self._tint)

    @property
    def is_busy(self) -> bool:
        return self._task.is_running

    def show_run(self, run: Run, costs: FloatArray, decide: DecisionRule | None = None) -> None:
        """Shows a run under costs (k, k) in the order of its classes; ``decide`` replaces the least expected cost."""
        is_shown = self._of is run.trained and self._costs is not None and np.array_equal(costs, self._costs)
        before, now = self._decide, decide
        is_shown = is_shown and (None if before is None else before.choice) == (None if now is None else now.choice)
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
        decision = (
            cheapest_decisions(probabilities, own, self._costs)
            if self._decide is None
            else self._decide(probabilities, own)
        )
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
            self.set_facts("")
            return
        names = [attribute.name for attribute in run.data.schema.attributes]
        across, up = names.index(axes[0]), names.index(axes[1])
        data = run.data

        def work(context: RunContext) -> _Seen:
            context.say("Looking at where the model decides what")
            points = points_of(data, across, up)
            place = (*points.across.span, *points.up.span)
            axis_x = RegionAxis(across, points.across.value(place[0]), points.across.value(place[1]))
            axis_y = RegionAxis(up, points.up.value(place[2]), points.up.value(place[3]))
            record = data.derived(TYPICAL, context.checkpoint)
            began = time.monotonic()
            believed = beliefs(trained, record, axis_x, axis_y, CELLS, context)
            if len(trained.classes) <= FEW_CLASSES and time.monotonic() - began < QUICK:
                believed = beliefs(trained, record, axis_x, axis_y, FINE, context)
            sheet = ScatterTableData(data, tuple(dict.fromkeys((across, up))), None, data.schema.classes)
            return _Seen(points, sheet, place, believed, tuple(trained.classes))

        def done(seen: _Seen) -> None:
            self._seen = seen
            self.view.set_points(seen.points, seen.sheet)
            self._tint()

        whole = f"{axes[0]} × {axes[1]}, the others typical"
        self.set_facts(whole, in_brief(whole, run.data.schema.names, BRIEF_NAMES[0]), "the others typical")
        self._task.run("Look at where the model decides what", work, on_done=done)

    def _tint(self) -> None:
        seen, decided = self._seen, self.decided()
        if seen is None or decided is None:
            self.view.canvas.set_backdrops([])
            return
        picture = regions_image(decided, current_theme(), len(seen.classes))
        self.view.canvas.set_backdrops([Backdrop(*seen.place, picture, decided.decision, seen.classes)])
