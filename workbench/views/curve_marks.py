"""What is drawn beside curves: lines to compare them with, intervals, and how many records a point stands for."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from algorithms.evaluation.traces import Axis, Guide, Role, Trace
from workbench.theme import class_color, current_theme, themes

FOOT: Final = 0.2
"""How much of the height the longest bar takes."""
WHISKER: Final = 0.012
TOUCH: Final = 11
"""Side of the square where a guide touches a curve."""


def guide_pen(role: Role) -> QPen:
    """The pen of a line to compare with: each role has a pattern of its own."""
    theme = current_theme()
    color, width, style = {
        Role.CHANCE: (theme.color("dim"), 1.0, Qt.PenStyle.DashLine),
        Role.BEST: (theme.color("dim"), 1.2, Qt.PenStyle.DotLine),
        Role.COST: (class_color(1), 1.4, Qt.PenStyle.DashDotLine),
        Role.LEAST: (class_color(2), 1.6, Qt.PenStyle.SolidLine),
        Role.OWN: (theme.color("accent"), 1.4, Qt.PenStyle.DashDotDotLine),
    }[role]
    pen = QPen(color)
    pen.setCosmetic(True)
    pen.setWidthF(width)
    pen.setStyle(style)
    return pen


def touch_item(guide: Guide) -> Any:
    """A square where a guide touches the curve; None where there is nothing to mark."""
    if guide.touch is None:
        return None
    color = guide_pen(guide.role).color()
    ring = pyqtgraph.mkPen(current_theme().pane, width=1.5)
    x, y = guide.touch
    return pyqtgraph.ScatterPlotItem(
        [x], [y], size=themes.px(TOUCH), symbol="s", pen=ring, brush=pyqtgraph.mkBrush(color), pxMode=True
    )


def interval_items(trace: Trace, pen: QPen, *, with_amounts: bool, axes: tuple[Axis, Axis]) -> list[Any]:
    """The points with their intervals, and at the foot bars of how many records each stands for."""
    assert trace.low is not None
    assert trace.high is not None
    across, up = axes
    line = pyqtgraph.mkPen(pen.color(), width=1.4)
    points = pyqtgraph.ScatterPlotItem(
        trace.x, trace.y, size=themes.px(8), pen=line, brush=pyqtgraph.mkBrush(current_theme().pane), pxMode=True
    )
    if not with_amounts or trace.amounts is None or trace.spans is None or not len(trace):
        return [points]
    whiskers = pyqtgraph.ErrorBarItem(
        x=trace.x,
        y=trace.y,
        top=trace.high - trace.y,
        bottom=trace.y - trace.low,
        beam=WHISKER * (across.high - across.low),
        pen=line,
    )
    low, high = trace.spans
    ground = current_theme().color("line")
    least = 0.004 * (across.high - across.low)
    heights = FOOT * (up.high - up.low) * trace.amounts / trace.amounts.max()
    bars = pyqtgraph.BarGraphItem(
        x0=low, width=np.maximum(high - low, least), y0=up.low, height=heights, brush=ground, pen=current_theme().pane
    )
    return [bars, whiskers, points]
