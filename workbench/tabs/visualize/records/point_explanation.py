"""What a model says at a place of the plane, and why: which rule decides there, which questions lead there."""

from __future__ import annotations

from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from algorithms.core.learner import Explanation
from algorithms.data.columns import Column
from algorithms.evaluation.regions import TYPICAL, placed
from algorithms.text.numbers import in_100
from workbench.jobs.jobs import Job, Jobs
from workbench.layout.points import AxisScale, ScatterPoints
from workbench.tabs.visualize.records.backdrops import BackdropModel

MOST_STEPS: Final = 4
MOST_LETTERS: Final = 220
"""So much of a step is shown."""


class PointExplanation(QObject):
    """Asks the model of the regions about one place at a time, beside the window; ``said(html)`` with its answer."""

    said = Signal(str)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None

    def ask(self, source: BackdropModel, points: ScatterPoints, x: float, y: float) -> None:
        """Find out about a place, in units of the axes; what was asked before is dropped."""
        self.drop()
        values = {source.across: _value(points.across, x), source.up: _value(points.up, y)}

        def work(context: RunContext) -> str:
            data, row = source.data, source.row
            record = data.derived(TYPICAL, context.checkpoint) if row is None else data.take([row])
            found = source.trained.explain(placed(record, values), 0)
            decide = source.decide
            decision = found.decision if decide is None else decide.one(found.probabilities, found.decision)
            return words(found, source.trained.classes, decision)

        self._job = self._jobs.start("", work, on_done=self._told)

    def drop(self) -> None:
        """Nothing is asked any more."""
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _told(self, html: str) -> None:
        self._job = None
        self.said.emit(html)


def _value(scale: AxisScale, unit: float) -> Column:
    """The number, or the code of the value, at a place of an axis (1,)."""
    value = scale.value(unit)
    if not scale.is_banded:
        return np.array([value])
    return np.array([min(max(int(value), 0), scale.n_bands - 1)])


def words(found: Explanation, classes: tuple[str, ...], decision: int) -> str:
    """The class ``decision``, how sure the model is of it, and the first of its reasons, as rich text."""
    share = in_100(found.probabilities[decision])
    itself = "" if decision == found.decision else f", as decided now; the model itself says {classes[found.decision]}"
    here = f"<b>Here: {escape(classes[decision])}</b> ({share} in 100{escape(itself)})"
    lines = [here, *map(_short, found.steps[:MOST_STEPS])]
    if len(found.steps) > MOST_STEPS:
        lines.append(f"and {len(found.steps) - MOST_STEPS} more steps")
    return f'<p style="margin:0 0 4px 0">{"<br>".join(lines)}</p>'


def _short(step: str) -> str:
    return escape(step if len(step) <= MOST_LETTERS else f"{step[: MOST_LETTERS - 1]}…")
