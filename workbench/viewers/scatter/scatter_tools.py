"""What the left mouse button does among points: select by a rectangle, a lasso or a region, or move the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QActionGroup, QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QMenu, QWidget

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray, IntArray
from workbench.jobs.jobs import Jobs
from workbench.layout.density import MOST_POINTS
from workbench.layout.points import Mask, Points, inside_lasso
from workbench.session.selection import How
from workbench.style.theme import current_theme, themes
from workbench.viewers.scatter.scatter_scene import Backdrop
from workbench.widgets.buttons import IconButton, icon, set_icon

Checkpoint = Callable[[], object]
FILL_ALPHA: Final = 36
"""How strongly what is drawn round points is filled."""


class Tool(StrEnum):
    """What dragging or clicking means."""

    RECTANGLE = "rectangle"
    LASSO = "lasso"
    REGION = "region"
    MOVE = "move"


WORDS: Final = {
    Tool.RECTANGLE: "Drag a rectangle to select",
    Tool.LASSO: "Draw round records to select them (L)",
    Tool.REGION: "Click a region to select its records (R)",
    Tool.MOVE: "Drag to move the picture",
}
CURSORS: Final = {
    Tool.RECTANGLE: Qt.CursorShape.ArrowCursor,
    Tool.LASSO: Qt.CursorShape.CrossCursor,
    Tool.REGION: Qt.CursorShape.PointingHandCursor,
    Tool.MOVE: Qt.CursorShape.OpenHandCursor,
}


class ToolChooser(IconButton):
    """A button that shows the tool there is, with a menu of all."""

    chosen = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__("rectangle", WORDS[Tool.RECTANGLE], name)
        self.tool = Tool.RECTANGLE
        menu = QMenu(self)
        menu.setObjectName(f"{name}.menu")
        group = QActionGroup(menu)
        self._actions = {tool: menu.addAction(words) for tool, words in WORDS.items()}
        for tool, action in self._actions.items():
            action.setCheckable(True)
            action.triggered.connect(partial(self.choose, tool))
            group.addAction(action)
        self.setMenu(menu)
        self.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        themes.follow(self._show)
        self._show()

    def choose(self, tool: Tool, _checked: bool = True) -> None:
        """Take this tool."""
        self.tool = tool
        self._show()
        self.chosen.emit(tool)

    def allow_regions(self, allowed: bool) -> None:
        """Whether there are regions to click on; without them a rectangle is dragged."""
        self._actions[Tool.REGION].setEnabled(allowed)
        if not allowed and self.tool is Tool.REGION:
            self.choose(Tool.RECTANGLE)

    def _show(self) -> None:
        for tool, action in self._actions.items():
            action.setIcon(icon(tool.value))
            action.setChecked(tool is self.tool)
        set_icon(self, self.tool.value)
        self.setToolTip(WORDS[self.tool])
        self.setAccessibleName(f"Mouse: {WORDS[self.tool]}")


class ShapeFinder(QObject):
    """Finds the points inside what was drawn or clicked: few at once, many in a job.

    ``found(rows, how, by)`` comes with rows of the data, and in words by what they were found.
    """

    found = Signal(object, object, str)

    def __init__(self, jobs: Jobs | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs

    def lasso(self, points: Points, line: FloatArray, how: How) -> None:
        """The points that a line (v, 2) in units of the axes goes around."""
        self._find(points, partial(inside_lasso, line, points.x, points.y), how, "a lasso in the scatter plot")

    def region(self, points: Points, regions: Backdrop, x: float, y: float, how: How) -> None:
        """The points in the region at a place in units of the axes: what is decided alike and hangs together."""
        grid = regions.grid
        patch, code = grid.patch_at(x, y), grid.code_at(x, y)
        if patch is not None and code is not None:
            by = f"a region of {regions.names[code]} in the scatter plot"
            self._find(points, partial(grid.inside, patch, points.x, points.y), how, by)

    def _find(self, points: Points, ask: Callable[[Checkpoint], Mask], how: How, by: str) -> None:
        if self._jobs is None or len(points) <= MOST_POINTS:
            self._tell(how, by, points.rows[ask(int)])
            return

        def work(context: RunContext) -> IntArray:
            context.say("Finding the records inside")
            return points.rows[ask(context.checkpoint)]

        self._jobs.start("Find the records inside", work, on_done=partial(self._tell, how, by))

    def _tell(self, how: How, by: str, rows: IntArray) -> None:
        self.found.emit(rows, how, by)


def paint_drawn(painter: QPainter, band: QRectF | None, line: Sequence[QPointF]) -> None:
    """What is being drawn to select: a rectangle, a lasso, or nothing yet."""
    accent = current_theme().color("accent")
    fill = QColor(accent)
    fill.setAlpha(FILL_ALPHA)
    if band is not None:
        painter.setPen(QPen(accent, 1))
        painter.setBrush(fill)
        painter.drawRect(band)
    if line:
        drawn = QPainterPath(line[0])
        for corner in line[1:]:
            drawn.lineTo(corner)
        drawn.closeSubpath()
        drawn.setFillRule(Qt.FillRule.WindingFill)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(drawn, fill)
        painter.setPen(QPen(accent, 1.5))
        painter.drawPolyline(list(line))
