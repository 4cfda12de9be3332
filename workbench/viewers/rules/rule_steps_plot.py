"""The records of a step of the rules: those that are left, in a ring those that it covers; removed ones are gone."""

from __future__ import annotations

from html import escape
from typing import ClassVar, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QSizePolicy

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.steps import Story
from algorithms.text.names import shortened
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import ExportedScene, Table, rows_written

SYMBOLS: Final = ("o", "t1", "s", "d", "p", "h", "star", "+", "x", "t")
LOWEST: Final = 130
SPREAD: Final = 0.3
LONGEST_NAME: Final = 30
"""So many letters of an attribute stand at an axis."""


class RuleStepsPlot(pg.PlotWidget):
    """Over the two attributes that the rules ask for first; a listed one is spread a little, so that all are seen."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName("The records that are left, over two attributes")
        self.setToolTip("The records that no rule has removed yet; those in a ring meet the rule of this step")
        self.setMinimumHeight(themes.px(LOWEST))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.setMenuEnabled(False)
        self.hideButtons()
        for side in ("bottom", "left"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self._points, self._rings = pg.ScatterPlotItem(pxMode=True), pg.ScatterPlotItem(pxMode=True)
        self.addItem(self._points)
        self.addItem(self._rings)
        self._story: Story | None = None
        self._axes: tuple[int, ...] = ()
        self._places = np.zeros((0, 2))
        self._shown: tuple[IntArray, IntArray] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        themes.follow(self._dress)
        self._dress()

    def set_story(self, story: Story | None) -> None:
        """The records of these steps."""
        self._story = story
        self._shown = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        if story is not None:
            asked = [c.attribute for step in story.steps for c in step.rule.conditions]
            axes = list(dict.fromkeys([*asked, *story.data.schema.predictors]))[:2]
            self._axes = tuple(axes)
            self._places = np.column_stack([_spread(story.data, axis) for axis in (axes * 2)[:2]])
            names = tuple(story.data.schema.attributes[axis].name for axis in axes)
            for side, axis in zip(("bottom", "left"), (axes * 2)[:2], strict=True):
                attribute = story.data.schema.attributes[axis]
                self.setLabel(side, escape(shortened(attribute.name, LONGEST_NAME, names)))  # the library reads HTML
                ticks = [list(enumerate(attribute.values))] if attribute.kind.is_coded else None
                self.getAxis(side).setTicks(ticks)
        self._draw()

    def show_step(self, at: int) -> None:
        """The records that are left before a step, those in a ring that its rule covers."""
        if self._story is not None:
            step = self._story.steps[at]
            self._shown = step.left, step.covered
        self._draw()

    @property
    def n_left(self) -> int:
        """How many records there are in the picture."""
        return len(self._shown[0])

    def _draw(self) -> None:
        story, (left, covered) = self._story, self._shown
        if story is None:
            self._points.setData([], [])
            self._rings.setData([], [])
            return
        theme, codes = current_theme(), np.asarray(story.data.class_codes)
        colors = [pg.mkBrush(theme.class_color(code)) for code in range(len(story.data.schema.classes))]
        self._points.setData(
            x=self._places[left, 0],
            y=self._places[left, 1],
            symbol=[SYMBOLS[int(code) % len(SYMBOLS)] for code in codes[left]],
            brush=[colors[int(code)] for code in codes[left]],
            pen=None,
            size=themes.px(7),
        )
        ring = pg.mkPen(theme.color("text"), width=1)
        self._rings.setData(
            x=self._places[covered, 0], y=self._places[covered, 1], symbol="o", brush=None, pen=ring, size=themes.px(12)
        )

    def _dress(self) -> None:
        theme = current_theme()
        self.setBackground(theme.color("pane"))
        for side in ("bottom", "left"):
            self.getAxis(side).setPen(theme.color("dim"))
            self.getAxis(side).setTextPen(theme.color("dim"))
        self._draw()

    def rows(self) -> list[list[str]]:
        """The records in the picture as rows of text, the head first."""
        story, (left, covered) = self._story, self._shown
        if story is None:
            return [["record"]]
        schema, within = story.data.schema, set(covered.tolist())
        heads = [schema.attributes[axis].name for axis in self._axes]
        found = [["record", *heads, schema.class_attribute.name, "covered"]]
        ids, codes = story.data.row_ids, np.asarray(story.data.class_codes)
        for row in left.tolist():
            cells = [_cell(story.data, axis, row) for axis in self._axes]
            label = schema.classes[int(codes[row])]
            found.append([str(int(ids[row]) + 1), *cells, label, "yes" if row in within else "no"])
        return found


class ExportedStep(ExportedScene):
    """The picture of a step, and its records as a table."""

    name: ClassVar[str] = "step"
    title: ClassVar[str] = "Step"

    def __init__(self, plot: RuleStepsPlot) -> None:
        super().__init__(plot)
        self._plot = plot

    def table(self) -> Table | None:
        return rows_written(self._plot.rows())


def _spread(data: Dataset, attribute: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Where the records stand on an axis; a missing value below all others."""
    cells = np.asarray(data.column(attribute), dtype=np.float64)
    if data.schema.attributes[attribute].kind.is_coded:
        phase = np.modf(np.arange(len(cells)) * 0.618034)[0] - 0.5
        return np.asarray(cells + SPREAD * phase)
    known = cells[np.isfinite(cells)]
    low = float(known.min()) - 0.05 * float(np.ptp(known) or 1.0) if len(known) else 0.0
    return np.asarray(np.where(np.isfinite(cells), cells, low))


def _cell(data: Dataset, attribute: int, row: int) -> str:
    value, described = data.column(attribute)[row], data.schema.attributes[attribute]
    if data.missing(attribute)[row]:
        return ""
    return described.values[int(value)] if described.kind.is_coded else f"{float(value):.12g}"
