"""What the pictures of records show: a table, the predictions of a run for it, and its decision regions."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.learner import Explanation, Predictions
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import Column, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.regions import (
    LEVELS,
    N_NEAR,
    TYPICAL,
    OneRecord,
    OtherValues,
    RegionAxis,
    predictions_at,
    refined,
    values_nearby,
)
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.tested_records import RecordPredictions, judged
from algorithms.text.numbers import percent
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.layout.camera import Window
from workbench.layout.points import AxisScale, ScatterPoints
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import current_theme
from workbench.viewers.charts.legend import ClassPicker
from workbench.viewers.scatter.rendering import regions_image
from workbench.viewers.scatter.scatter_paint import Backdrop


@dataclass(frozen=True, eq=False)
class RunSubject:
    """A table, and the predictions of a run for it, if there is one."""

    data: Dataset
    result: EvaluationResult | None
    trained: TrainedClassifier | None
    asked: DecisionQuery | None = None
    """What the run said of each record that it tested, as it is decided by now."""

    def is_that_of(self, other: RunSubject | None) -> bool:
        return other is not None and self.has_things_of(other) and self.is_decided_as(other)

    def has_things_of(self, other: RunSubject | None) -> bool:
        """Whether table, result and model are the same, under any decision rule."""
        return other is not None and (
            self.data is other.data and self.result is other.result and self.trained is other.trained
        )

    def is_decided_as(self, other: RunSubject) -> bool:
        return other.asked is self.asked if self.asked is None else self.asked.asks_as(other.asked)

    @property
    def tested_apart(self) -> bool:
        """Whether records were tested by models that had not been trained on them."""
        return self.result is not None and not self.result.test_is_training

    @property
    def decide(self) -> DecisionRule | None:
        """The decision rule for records that were not tested; None for the default."""
        return None if self.asked is None or self.trained is None else self.asked.rule.for_classes(self.trained.classes)

    def judgement(self) -> SubjectPredictions | None:
        """The predictions for the records; None if none was tested. Slow for a million records."""
        if self.asked is None:
            return None
        predictions = judged(self.asked.result, self.data, self.asked.decisions())
        if predictions is None:
            return None
        return SubjectPredictions(
            predictions, None if self.asked.choice is None else judged(self.asked.result, self.data)
        )


@dataclass(frozen=True, eq=False)
class SubjectPredictions:
    """Predictions under the current decision rule, and the model's own if the rule differs."""

    said: RecordPredictions
    itself: RecordPredictions | None = None

    def wrong_words(self, rows: IntArray) -> tuple[str, str]:
        """The number wrong among rows (m,), in full and in brief; of how many, if not all were tested."""
        n, tested = int(self.said.wrong[rows].sum()), int((self.said.decision[rows] >= 0).sum())
        brief = f"{n:,}" if n else "none"
        brief += " wrong" if tested == len(rows) else f" of {tested:,} tested wrong"
        if self.itself is None:
            return brief, brief
        by_itself = int(self.itself.wrong[rows].sum())
        return (f"{brief} as decided now, {f'{by_itself:,}' if by_itself else 'none'} by default", f"{brief} now")


def subject_of(session: Session, run: Run | None) -> RunSubject | None:
    """The records of a run, or of the open table for None; None without a table."""
    data = session.data if run is None else run.data
    if data is None:
        return None
    if run is None:
        return RunSubject(data, None, None)
    asked = None if run.result is None or run.report is None else session.decisions.asked(run)
    return RunSubject(data, run.result, run.trained, asked)


@dataclass(frozen=True, eq=False)
class NeighborLinks:
    """A record and its neighbours, as rows (m,) of the run's table, with each one's share of the vote."""

    row: int
    rows: IntArray
    shares: tuple[float, ...]


LONGEST_S: Final = 4.0
"""Regions that took more processor time are not refined further, since each level takes four times as long.

Other work on the computer does not change that time, so the same page looks the same twice.
"""
SETTLE_MS: Final = 160
"""A view that rests so long has its regions refined."""
WHAT_REGIONS_ARE: Final = "Colour the background by the class that the model predicts there"


class BackgroundKind(Enum):
    """What sets the attributes outside the plane; the value is its label."""

    NEAR = f"Averaged over the {N_NEAR} nearest records"
    TYPICAL = "Typical values (median, most frequent)"
    SELECTED = "Values of the selected record"


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
    """A model over two attributes (indices in ``data``); ``row`` is the selected record, if it sets the others."""

    trained: TrainedClassifier
    data: Dataset
    across: int
    up: int
    kind: BackgroundKind
    row: int | None
    decide: DecisionRule | None = None
    """What decides, where it is not the model itself."""

    def others(self, context: RunContext) -> OtherValues:
        """What sets the attributes outside the plane."""
        if self.kind is BackgroundKind.NEAR:
            return values_nearby(self.data, (self.across, self.up), context.checkpoint)
        if self.kind is BackgroundKind.SELECTED and self.row is not None:
            return OneRecord(self.data.take([self.row]))
        return OneRecord(self.data.derived(TYPICAL, context.checkpoint))


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
        self.coarse: tuple[int, int] | None = None
        """Cells across and upwards of the whole plane, if finer ones would take too long."""
        self.colored: frozenset[int] | None = None
        """The classes whose regions have their colours; None for all."""
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
        self._settle.stop()
        self._task.stop()
        self._source, self._points = source, points
        self._part = self.coarse = None
        if source is None or points is None:
            self._whole = None
            self.changed.emit()
            return
        (left, right), (low, high) = points.across.span, points.up.span
        self._begin(Window(left, right, low, high), LEVELS, whole=True)

    def look(self, window: Window) -> None:
        """Draws the visible part of the plane, ``window``, once it has stopped moving."""
        self._window = window
        if self._source is not None:
            self._settle.start()

    def again(self) -> None:
        """Draws again in the current theme."""
        self.set_source(self._source, self._points)
        if self._window is not None:
            self.look(self._window)

    def _refine(self) -> None:
        """Starts finer regions for the visible part, if they would be finer."""
        points, window = self._points, self._window
        if points is None or window is None:
            return
        if self._task.is_running:
            self._settle.start()
            return
        seen: list[float] = []
        share = 1.0
        for scale, ends in ((points.across, (window.left, window.right)), (points.up, (window.low, window.high))):
            low, high = scale.span
            part = (low, high) if scale.is_banded else (max(low, ends[0]), min(high, ends[1]))
            seen += part
            share = share if scale.is_banded else min(share, (part[1] - part[0]) / (high - low))
        if share > 0.75 or share <= 0:
            if self._part is not None:
                self._part = None
                self.changed.emit()
            return
        whole = max(self._whole.codes.shape) if self._whole is not None else LEVELS[0]
        levels = tuple(level for level in LEVELS if LEVELS[-1] * max(share, 0.2) < level <= whole)
        self._begin(Window(*seen), levels or (max(whole, LEVELS[0]),), whole=False)

    def _begin(self, seen: Window, levels: tuple[int, ...], *, whole: bool) -> None:
        source, points = self._source, self._points
        if source is None or points is None:
            return
        theme = current_theme().only(self.colored)
        across = RegionAxis(source.across, points.across.value(seen.left), points.across.value(seen.right))
        up = RegionAxis(source.up, points.up.value(seen.low), points.up.value(seen.high))

        def work(context: RunContext) -> None:
            others, began = source.others(context), time.thread_time()
            for step, regions in enumerate(refined(source.trained, others, across, up, context, levels, source.decide)):
                classes = source.trained.classes
                image = regions_image(regions, theme, len(classes))
                place = seen.left, seen.right, seen.low, seen.high
                context.publish(Backdrop(*place, image, regions.decision, tuple(classes)))
                context.advance(step + 1, len(levels))
                if time.thread_time() - began > LONGEST_S:
                    return

        def land(backdrop: Backdrop) -> None:
            if whole:
                self._whole = backdrop
            else:
                self._part = backdrop
            self.changed.emit()

        def done(_nothing: object) -> None:
            if whole and self._whole is not None:
                height, width = self._whole.codes.shape
                cells = [n for n, scale in ((width, points.across), (height, points.up)) if not scale.is_banded]
                self.coarse = (width, height) if cells and max(cells) < LEVELS[-1] else None
                self.changed.emit()

        says = "Drawing decision regions"
        self._task.run("Draw decision regions", work, on_done=done, on_event=land, says=says)


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
            others, trained = source.others(context), source.trained
            here = predictions_at(trained, others, values, 1, context, source.decide)
            records, weights = others.at_places(values, 1)
            explanation = trained.explain(records, 0)
            return explanation_html(here, weights.shape[1], explanation, trained.classes)

        self._task.run("", work, on_done=self.answered.emit)

    def drop(self) -> None:
        self._task.stop()


def _value(scale: AxisScale, unit: float) -> Column:
    value = scale.value(unit)
    if not scale.is_banded:
        return np.array([value])
    return np.array([min(max(int(value), 0), scale.n_bands - 1)])


def explanation_html(here: Predictions, n_near: int, explanation: Explanation, classes: tuple[str, ...]) -> str:
    """The prediction at a place and the first steps of the explanation for its nearest record, as rich text."""
    decision, steps = int(here.decisions[0]), explanation.steps
    share = percent(here.probabilities[0][decision])
    mean = f", mean of {n_near} records" if n_near > 1 else ""
    lines = [f"<b>Prediction: {escape(classes[decision])}</b> ({share}{mean})"]
    if n_near > 1:
        lines.append("For the nearest record:")
    for step in steps[:MOST_STEPS]:
        lines.append(escape(step if len(step) <= MOST_LETTERS else f"{step[: MOST_LETTERS - 1]}…"))
    if len(steps) > MOST_STEPS:
        lines.append(f"and {len(steps) - MOST_STEPS} more steps")
    return f'<p style="margin:0 0 4px 0">{"<br>".join(lines)}</p>'


def keep_class_of_interest_colored(legend: ClassPicker, session: Session) -> None:
    """Gives the positive class a colour in pictures that have colours for a part of the classes."""
    session.class_of_interest_changed.connect(lambda: legend.color_always(session.class_of_interest))
    legend.color_always(session.class_of_interest)
