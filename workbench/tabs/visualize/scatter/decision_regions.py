"""Decision regions behind a scatter plot, and the explanation of a point in them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.learner import Explanation
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import Column
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.regions import LEVELS, TYPICAL, RegionAxis, placed, refined
from algorithms.text.numbers import in_100
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.layout.camera import Window
from workbench.layout.points import AxisScale, ScatterPoints
from workbench.style.theme import current_theme
from workbench.tabs.visualize.scatter.records_pane import RunSubject
from workbench.viewers.scatter.rendering import regions_image
from workbench.viewers.scatter.scatter_paint import Backdrop

SETTLE_MS: Final = 160
"""A view that rests so long has its regions refined."""
WHAT_REGIONS_ARE: Final = "Tint the plane by what the model decides there"


def why_no_regions(subject: RunSubject | None, axes: tuple[int, int] | None) -> str:
    """Why the plane of these two attributes has no decision regions; empty if it can have some."""
    if subject is None or subject.trained is None or axes is None:
        return "Regions need a model: train one in Classify"
    if axes[0] == axes[1]:
        return "Regions need two different attributes"
    if subject.data.schema.class_index in axes:
        return "The model decides the class: choose two other attributes to see its regions"
    return ""


@dataclass(frozen=True, eq=False)
class BackdropModel:
    """A model over two attributes (indices in ``data``); ``row`` gives the other values.

    Without a row, numbers are medians and nominal values the most frequent ones.
    """

    trained: TrainedClassifier
    data: Dataset
    across: int
    up: int
    row: int | None
    decide: DecisionRule | None = None
    """What decides, where it is not the model itself."""


class Backdrops(QObject):
    """Computes regions of the whole plane and, when zoomed in, finer ones of the visible part."""

    changed = Signal()

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._task = LatestTask(jobs)
        self._source: BackdropModel | None = None
        self._points: ScatterPoints | None = None
        self._window: Window | None = None
        self._whole: Backdrop | None = None
        self._part: Backdrop | None = None
        self._settle = single_shot(self, SETTLE_MS, self._refine)

    @property
    def shown(self) -> list[Backdrop]:
        """The images behind the points, the top one last."""
        return [backdrop for backdrop in (self._whole, self._part) if backdrop is not None]

    @property
    def is_busy(self) -> bool:
        return self._task.is_running or self._settle.isActive()

    def set_source(self, source: BackdropModel | None, points: ScatterPoints | None) -> None:
        """Draws the regions of this model over the scales of ``points``; None draws nothing."""
        self._drop()
        self._source, self._points = source, points
        if source is None or points is None:
            self._whole = self._part = None
            self.changed.emit()
            return
        self._part = None
        (left, right), (low, high) = points.across.span, points.up.span
        self._begin(Window(left, right, low, high), LEVELS, whole=True)

    def look(self, window: Window) -> None:
        """Follows the visible part of the plane."""
        self._window = window
        if self._source is not None:
            self._settle.start()

    def again(self) -> None:
        """Draws again in the current theme."""
        self.set_source(self._source, self._points)
        if self._window is not None:
            self.look(self._window)

    def _drop(self) -> None:
        self._settle.stop()
        self._task.stop()

    def _refine(self) -> None:
        """Starts finer regions for the visible part, if they would be finer."""
        points, window = self._points, self._window
        if points is None or window is None:
            return
        if self._task.is_running:
            self._settle.start()
            return
        (left, right), (low, high) = points.across.span, points.up.span
        seen = Window(
            left if points.across.is_banded else max(left, window.left),
            right if points.across.is_banded else min(right, window.right),
            low if points.up.is_banded else max(low, window.low),
            high if points.up.is_banded else min(high, window.high),
        )
        shares = [1.0]
        if not points.across.is_banded:
            shares.append((seen.right - seen.left) / (right - left))
        if not points.up.is_banded:
            shares.append((seen.high - seen.low) / (high - low))
        share = min(shares)
        if share > 0.75 or min(shares) <= 0:
            if self._part is not None:
                self._part = None
                self.changed.emit()
            return
        levels = tuple(level for level in LEVELS if level > LEVELS[-1] * max(share, 0.2))
        self._begin(seen, levels or LEVELS[-1:], whole=False)

    def _begin(self, seen: Window, levels: tuple[int, ...], *, whole: bool) -> None:
        source, points = self._source, self._points
        if source is None or points is None:
            return
        theme = current_theme()
        across = RegionAxis(source.across, points.across.value(seen.left), points.across.value(seen.right))
        up = RegionAxis(source.up, points.up.value(seen.low), points.up.value(seen.high))

        def work(context: RunContext) -> None:
            context.say("Drawing decision regions")
            data, row = source.data, source.row
            record = data.derived(TYPICAL, context.checkpoint) if row is None else data.take([row])
            for step, regions in enumerate(refined(source.trained, record, across, up, context, levels, source.decide)):
                classes = source.trained.classes
                image = regions_image(regions, theme, len(classes))
                place = seen.left, seen.right, seen.low, seen.high
                context.publish(Backdrop(*place, image, regions.decision, tuple(classes)))
                context.advance(step + 1, len(levels))

        def land(backdrop: Backdrop) -> None:
            if whole:
                self._whole = backdrop
            else:
                self._part = backdrop
            self.changed.emit()

        self._task.run("Draw decision regions", work, on_event=land)


MOST_STEPS: Final = 4
MOST_LETTERS: Final = 220
"""So much of a step is shown."""


class PointExplanation(QObject):
    """Explains the model's prediction at one point; ``answered`` carries it as rich text."""

    answered = Signal(str)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._task = LatestTask(jobs)

    def ask(self, source: BackdropModel, points: ScatterPoints, x: float, y: float) -> None:
        """Explains a point, in units of the axes."""
        values = {source.across: _value(points.across, x), source.up: _value(points.up, y)}

        def work(context: RunContext) -> str:
            data, row = source.data, source.row
            record = data.derived(TYPICAL, context.checkpoint) if row is None else data.take([row])
            explanation = source.trained.explain(placed(record, values), 0)
            decide = source.decide
            decision = (
                explanation.decision
                if decide is None
                else decide.decide_one(explanation.probabilities, explanation.decision)
            )
            return explanation_html(explanation, source.trained.classes, decision)

        self._task.run("", work, on_done=self.answered.emit)

    def drop(self) -> None:
        self._task.stop()


def _value(scale: AxisScale, unit: float) -> Column:
    """The number or value code at a position of an axis (1,)."""
    value = scale.value(unit)
    if not scale.is_banded:
        return np.array([value])
    return np.array([min(max(int(value), 0), scale.n_bands - 1)])


def explanation_html(explanation: Explanation, classes: tuple[str, ...], decision: int) -> str:
    """The class ``decision``, its probability and the first steps of the explanation, as rich text."""
    share = in_100(explanation.probabilities[decision])
    itself = (
        ""
        if decision == explanation.decision
        else f", as decided now; the model itself says {classes[explanation.decision]}"
    )
    here = f"<b>Here: {escape(classes[decision])}</b> ({share} in 100{escape(itself)})"
    lines = [here, *map(_short, explanation.steps[:MOST_STEPS])]
    if len(explanation.steps) > MOST_STEPS:
        lines.append(f"and {len(explanation.steps) - MOST_STEPS} more steps")
    return f'<p style="margin:0 0 4px 0">{"<br>".join(lines)}</p>'


def _short(step: str) -> str:
    return escape(step if len(step) <= MOST_LETTERS else f"{step[: MOST_LETTERS - 1]}…")
