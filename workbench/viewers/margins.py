"""Viewer of support vector machines: boundary, margins, support vectors and the kernel in three dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, Mask
from algorithms.data.synthetic_ids import said_id
from algorithms.learners.svm.model import Slice, axes_of, in_units, kernel_words, slice_of, telling_axes
from algorithms.structures.design_terms import Int32Array
from algorithms.structures.hyperplanes import REST, SupportVectors
from algorithms.text.numbers import tick_text
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.layout.grid_regions import contour
from workbench.layout.points import STRAIGHT_DOWN, ViewAngle
from workbench.layout.ticks import nice_step
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.viewers.charts.export import Export, ExportedPicture
from workbench.viewers.charts.training_curves import DualityGapPlot
from workbench.widgets.buttons import menu_button
from workbench.widgets.fields import drop_down
from workbench.widgets.labels import elided, label
from workbench.widgets.layouts import column_layout, filled, named
from workbench.widgets.painting import draw_text, pen_and_brush, saved
from workbench.widgets.panes import ClearRow
from workbench.widgets.tables import TextTable, table_switch

LEFT, BOTTOM, EDGE = 64.0, 46.0, 10.0
MOST_DRAWN: Final = 4000
"""The most support vectors drawn: those with the largest multipliers."""
_RINGS: Final = (4.0, 10.0)
_PLOT_ASPECT: Final = 6.0
_REACH: Final = 14.0
_VEIL: Final = 46
_STEPS: Final = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}


class MarginCanvas(PaintedChart):
    """Paints a :class:`Slice`; a click or the arrow keys choose a support vector, large multipliers first."""

    chosen_changed = Signal()

    hint, least = (520, 400), (240, 180)

    def __init__(self) -> None:
        super().__init__("visualize.margins.canvas", "Boundary, margins and support vectors", expands=True)
        self.slice: Slice | None = None
        self.names = ("", "")
        self.sides = (0, 1)
        self.chosen = -1
        """The index in :attr:`order` of the chosen support vector; -1 for none."""
        self.order: list[int] = []
        self._lines: list[FloatArray] = []
        self._ground: QImage | None = None
        themes.follow(self._tint)

    def show_slice(self, slice_shown: Slice | None, names: tuple[str, str], sides: tuple[int, int]) -> None:
        """Draws a slice over two named axes; ``sides`` are the class codes of sums above and below 0."""
        self.slice, self.names, self.sides, self.chosen = slice_shown, names, sides, -1
        self.order = (
            [] if slice_shown is None else np.argsort(-slice_shown.multiplier, kind="stable")[:MOST_DRAWN].tolist()
        )
        self._lines = [] if slice_shown is None else [contour(slice_shown.sums, level) for level in (-1.0, 0.0, 1.0)]
        self._tint()
        self.chosen_changed.emit()

    def _tint(self) -> None:
        """Tints the background in the colours of the classes, lighter inside the margins."""
        self._ground = None
        if self.slice is not None:
            sums, theme = self.slice.sums[::-1], current_theme()
            ground = np.zeros((*sums.shape, 4), dtype=np.uint8)
            for code, on in zip(self.sides, (sums > 0, sums <= 0), strict=True):
                color = theme.class_color(code)
                ground[on] = color.blue(), color.green(), color.red(), _VEIL
            ground[np.abs(sums) < 1, 3] = _VEIL // 3
            height, width = sums.shape
            self._ground = QImage(ground.tobytes(), width, height, QImage.Format.Format_ARGB32).copy()
        self.update()

    # ---- where things are --------------------------------------------------------------------------------------------

    def area(self) -> QRectF:
        left, bottom, edge = (float(themes.px(pixels)) for pixels in (LEFT, BOTTOM, EDGE))
        height = max(1.0, self.height() - bottom - edge)
        return QRectF(left, edge, min(max(1.0, self.width() - left - edge), _PLOT_ASPECT * height), height)

    def place(self, x: float, y: float) -> QPointF:
        assert self.slice is not None
        seen, area = self.slice, self.area()
        across = (x - seen.left) / (seen.right - seen.left)
        return QPointF(
            area.left() + across * area.width(), area.bottom() - (y - seen.low) / (seen.high - seen.low) * area.height()
        )

    def vector_place(self, vector: int) -> QPointF:
        assert self.slice is not None
        return self.place(float(self.slice.x[vector]), float(self.slice.y[vector]))

    # ---- the picture -------------------------------------------------------------------------------------------------

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        if self.slice is None or self._ground is None:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        look, area = StructureColors(current_theme()), self.area()
        self._paint_axes(painter, look, area)
        with saved(painter):
            painter.setClipRect(area)
            painter.drawImage(area, self._ground)
            cells = self.slice.sums.shape[0] - 1
            for pieces, dashed in zip(self._lines, (True, False, True), strict=True):
                style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
                painter.setPen(QPen(look.text, 1.3 if dashed else 2.4, style))
                pixels = pieces / cells * np.array([area.width(), -area.height()] * 2)
                pixels += np.array([area.left(), area.bottom()] * 2)
                painter.drawLines([QLineF(*piece) for piece in pixels.tolist()])
            self._paint_slacks(painter, look)
            for vector in reversed(self.order):
                self._paint_vector(painter, look, vector)
        pen_and_brush(painter, QPen(look.accent if self.hasFocus() else look.line, 1))
        painter.drawRect(area)

    def _paint_vector(self, painter: QPainter, look: StructureColors, vector: int) -> None:
        assert self.slice is not None
        seen, middle = self.slice, self.vector_place(vector)
        share = float(np.sqrt(seen.multiplier[vector] / (seen.multiplier.max() or 1.0)))
        radius = float(themes.px(_RINGS[0] + share * (_RINGS[1] - _RINGS[0])))
        draw_symbol(painter, look, int(seen.labels[vector]), middle, float(themes.px(3)))
        is_chosen = 0 <= self.chosen < len(self.order) and self.order[self.chosen] == vector
        bounded = is_bounded(seen, vector)
        style = Qt.PenStyle.DotLine if bounded else Qt.PenStyle.SolidLine
        pen_and_brush(painter, QPen(look.accent if is_chosen else look.text, 3.0 if is_chosen else 1.2, style))
        painter.drawEllipse(middle, radius, radius)

    def _paint_slacks(self, painter: QPainter, look: StructureColors) -> None:
        """Paints a line from each vector with a slack to its margin, if there are only two attributes."""
        assert self.slice is not None
        seen = self.slice
        if not seen.is_whole:
            return
        painter.setPen(QPen(look.bad, 1.2))
        for vector in self.order:
            end = self._margin_end(seen, vector)
            if end is not None:
                painter.drawLine(self.vector_place(vector), end)

    def _margin_end(self, seen: Slice, vector: int) -> QPointF | None:
        """The pixel where the line from a support vector along the gradient of the decision value meets the margin.

        First-order estimate: slack divided by the gradient's length. None without slack, or if the gradient is zero.
        """
        if seen.slack[vector] <= 0:
            return None
        h, w = seen.sums.shape
        step = np.array([(seen.right - seen.left) / (w - 1), (seen.high - seen.low) / (h - 1)])
        column = int(np.clip(round((seen.x[vector] - seen.left) / step[0]), 1, w - 2))
        row = int(np.clip(round((seen.y[vector] - seen.low) / step[1]), 1, h - 2))
        area = self.area()
        pixel = np.array([area.width() / (w - 1), area.height() / (h - 1)])
        slope = np.array([seen.sums[row, column + 1] - seen.sums[row, column - 1],
                          seen.sums[row + 1, column] - seen.sums[row - 1, column]]) / (2 * pixel)  # fmt: skip
        steep = float(slope @ slope)
        if steep <= 0:
            return None
        side = 1.0 if seen.labels[vector] == self.sides[0] else -1.0
        move = side * float(seen.slack[vector]) * slope / steep
        if not np.hypot(*move) < area.width() / 2:
            return None
        start = self.vector_place(vector)
        return QPointF(start.x() + move[0], start.y() - move[1])

    def _paint_axes(self, painter: QPainter, look: StructureColors, area: QRectF) -> None:
        assert self.slice is not None
        seen = self.slice
        metrics = QFontMetricsF(painter.font())
        painter.setPen(look.dim)
        for value, text in axis_ticks(seen.left, seen.right, int(area.width() / themes.px(80))):
            x = self.place(value, seen.low).x()
            painter.drawText(
                QPointF(x - metrics.horizontalAdvance(text) / 2, area.bottom() + metrics.ascent() + 4), text
            )
        for value, text in axis_ticks(seen.low, seen.high, int(area.height() / themes.px(50))):
            y = self.place(seen.left, value).y()
            place = QPointF(area.left() - metrics.horizontalAdvance(text) - 5, y + metrics.ascent() / 2 - 1)
            painter.drawText(place, text)
        painter.setPen(look.text)
        below = QRectF(area.left(), area.bottom() + metrics.height() + 5, area.width(), metrics.height() + 3)
        across = elided(metrics, self.names[0], area.width(), tuple(self.names))
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, across)
        with saved(painter):
            painter.translate(metrics.height(), area.center().y())
            painter.rotate(-90)
            up = elided(metrics, self.names[1], area.height(), tuple(self.names))
            painter.drawText(QPointF(-metrics.horizontalAdvance(up) / 2, 0), up)

    # ---- mouse and keys ----------------------------------------------------------------------------------------------

    def vector_at(self, point: QPoint) -> int:
        """The index in :attr:`order` of the support vector nearest to a pixel; -1 if none is near."""
        apart = [QLineF(self.vector_place(vector), QPointF(point)).length() for vector in self.order]
        nearest = int(np.argmin(apart)) if apart else -1
        return nearest if apart and apart[nearest] <= themes.px(_REACH) else -1

    def choose(self, place: int) -> None:
        """Chooses a support vector by its index in :attr:`order`; -1 for none."""
        self.chosen = min(max(-1, place), len(self.order) - 1)
        self.update()
        self.chosen_changed.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.choose(self.vector_at(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None:
            self.choose(max(0, self.chosen + step))
        elif event.key() == Qt.Key.Key_Escape and self.chosen >= 0:
            self.choose(-1)
        else:
            super().keyPressEvent(event)


def is_bounded(seen: Slice, vector: int) -> bool:
    """Whether a multiplier is at its bound."""
    return bool(seen.ceiling[vector] > 0 and seen.multiplier[vector] >= seen.ceiling[vector] * (1 - 1e-9))


def axis_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """About ``most`` round numbers between two numbers, with labels."""
    step = nice_step((high - low) / max(3, most))
    if not step:
        return []
    numbers = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    return [(value, tick_text(value, step)) for value in numbers.tolist()]


WORDS: Final = (
    "Before: the records over two attributes, and the boundary between them. After: each record raised by what the "
    "machine adds up for it. There a flat plane parts the classes, and its shadow on the floor is the boundary. Drag, "
    "or use the arrow keys, to turn it."
)
_QUADS: Final = 24
_FLOOR: Final = -1.25
_TURN: Final = 0.12
_PER_PIXEL: Final = 0.01
_SCALE: Final = 0.275
_PICTURE_ASPECT: Final = 1.4
_TURNS: Final = {
    Qt.Key.Key_Left: (-_TURN, 0.0), Qt.Key.Key_Right: (_TURN, 0.0), Qt.Key.Key_Up: (0.0, _TURN),
    Qt.Key.Key_Down: (0.0, -_TURN),
}  # fmt: skip

Pixels = Callable[[FloatArray], list[QPointF]]


@dataclass(frozen=True, eq=False)
class LiftedRecords:
    """Records over two axes in original units (n,), their class codes, and their decision values."""

    x: FloatArray
    y: FloatArray
    codes: Int32Array
    sums: FloatArray


class KernelCanvas(PaintedChart):
    """Paints the records in the plane, and lifted by the decision value, side by side."""

    hint, least = (620, 340), (280, 160)

    def __init__(self) -> None:
        super().__init__("visualize.margins.kernel", "Before and after the kernel's transformation", expands=True)
        self.setAccessibleDescription(WORDS)
        self.sight = ViewAngle()
        self.slice: Slice | None = None
        self.records: LiftedRecords | None = None
        self.sides = (0, 1)
        self._held: QPointF | None = None

    def show_slice(self, slice_shown: Slice | None, records: LiftedRecords | None, sides: tuple[int, int]) -> None:
        """Draws a machine over two numbers; ``sides`` are the class codes of sums above and below 0."""
        self.slice, self.records, self.sides = slice_shown, records, sides
        self.update()

    @property
    def highest(self) -> float:
        """The decision value at the top of the box; larger ones are clipped."""
        assert self.slice is not None
        return max(1.5, float(np.quantile(np.abs(self.slice.sums), 0.98)))

    def in_box(self, x: FloatArray, y: FloatArray, sums: FloatArray) -> FloatArray:
        """Points (n, 3) in a box from -1 to 1, from original units and decision values."""
        assert self.slice is not None
        seen = self.slice
        return np.column_stack([
            np.clip(2 * (x - seen.left) / (seen.right - seen.left) - 1, -1, 1),
            np.clip(2 * (y - seen.low) / (seen.high - seen.low) - 1, -1, 1),
            np.clip(sums / self.highest, -1, 1),
        ])  # fmt: skip

    # ---- the pictures ------------------------------------------------------------------------------------------------

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        if self.slice is None:
            return
        look, metrics = StructureColors(current_theme()), QFontMetricsF(painter.font())
        top = metrics.height() + 6
        height = max(1.0, self.height() - top)
        half = min(self.width() / 2, _PICTURE_ASPECT * height)
        left = self.width() / 2 - half
        for side, (title, sight) in enumerate((("Before", STRAIGHT_DOWN), ("After", self.sight))):
            area = QRectF(left + side * half, top, half, height)
            draw_text(painter, QRectF(area.left(), 0, half, top), title, look.dim, align=Qt.AlignmentFlag.AlignCenter)
            self._paint_box(painter, look, area, sight, lifted=side == 1)
        if self.hasFocus():
            pen_and_brush(painter, QPen(look.accent, 1))
            painter.drawRect(QRectF(left + half + 1, 1, half - 2, self.height() - 2))

    def _paint_box(
        self, painter: QPainter, look: StructureColors, area: QRectF, sight: ViewAngle, *, lifted: bool
    ) -> None:
        assert self.slice is not None
        scale = min(area.width(), area.height()) * (_SCALE if lifted else 0.46)
        middle = area.center() - (QPointF(0, scale * 0.08) if lifted else QPointF())

        def pixels(points: FloatArray) -> list[QPointF]:
            turned = sight.places(points) * scale
            return [QPointF(middle.x() + right, middle.y() - up) for right, up, _ in turned.tolist()]

        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=np.float64)
        floor = _FLOOR if lifted else 0.0
        pen_and_brush(painter, QPen(look.line, 1), look.soft)
        painter.drawPolygon(QPolygonF(pixels(np.column_stack([corners, np.full(4, floor)]))))
        cells = len(self.slice.sums) - 1
        ends = contour(self.slice.sums, 0.0).reshape(-1, 2) * 2 / cells - 1
        places = pixels(np.column_stack([ends, np.full(len(ends), floor)]))
        painter.setPen(QPen(look.text, 2.2))
        painter.drawLines([QLineF(places[start], places[start + 1]) for start in range(0, len(places), 2)])
        if not lifted:
            self._paint_records(painter, look, pixels, above=None)
            return
        self._paint_surface(painter, look, sight, pixels, above=False)
        self._paint_records(painter, look, pixels, above=False)
        plane = look.theme.color("accent")
        plane.setAlpha(60)
        pen_and_brush(painter, QPen(look.accent, 1.4), plane)
        painter.drawPolygon(QPolygonF(pixels(np.column_stack([corners, np.zeros(4)]))))
        self._paint_surface(painter, look, sight, pixels, above=True)
        self._paint_records(painter, look, pixels, above=True)

    def _paint_surface(
        self, painter: QPainter, look: StructureColors, sight: ViewAngle, pixels: Pixels, *, above: bool
    ) -> None:
        """Paints the decision surface as a mesh, the part above or below the plane, the farthest cells first."""
        assert self.slice is not None
        steps = np.linspace(0, len(self.slice.sums) - 1, _QUADS + 1).round().astype(np.int64)
        heights = np.clip(self.slice.sums[np.ix_(steps, steps)] / self.highest, -1, 1)
        ticks = np.linspace(-1, 1, _QUADS + 1)
        grid = np.stack([*np.meshgrid(ticks, ticks), heights], axis=-1)
        quads = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2).reshape(-1, 4, 3)
        quads = quads[(quads[:, :, 2].mean(axis=1) > 0) == above]
        away = sight.places(quads.mean(axis=1))[:, 2]
        color = look.theme.class_color(self.sides[0] if above else self.sides[1])
        line = look.theme.class_color(self.sides[0] if above else self.sides[1])
        color.setAlpha(34)
        line.setAlpha(110)
        pen_and_brush(painter, QPen(line, 0.7), color)
        for quad in quads[np.argsort(-away, kind="stable")]:
            painter.drawPolygon(QPolygonF(pixels(quad)))

    def _paint_records(self, painter: QPainter, look: StructureColors, pixels: Pixels, *, above: bool | None) -> None:
        records = self.records
        if records is None or not len(records.x):
            return
        seen = self.slice
        assert seen is not None
        chosen = (
            (records.x >= seen.left) & (records.x <= seen.right) & (records.y >= seen.low) & (records.y <= seen.high)
        )
        if above is not None:
            chosen &= (records.sums > 0) == above
        points = self.in_box(records.x[chosen], records.y[chosen], records.sums[chosen])
        for place, code in zip(pixels(points), records.codes[chosen].tolist(), strict=True):
            draw_symbol(painter, look, code, place, float(themes.px(3)))

    # ---- mouse and keys ----------------------------------------------------------------------------------------------

    def _turn(self, right: float, down: float) -> None:
        self.sight = self.sight.turned(right, down)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            move = event.position() - self._held
            self._held = event.position()
            self._turn(move.x() * _PER_PIXEL, move.y() * _PER_PIXEL)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._held = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _TURNS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._turn(*step)


PLANE, KERNEL, GAP, TABLE = 0, 1, 2, 3
HOW_TO_READ: Final = (
    "The line is the decision boundary, the dashed lines are its margins. Each ring is a support vector, as wide as "
    "its multiplier (α), dotted if that is at its bound C."
)
OTHERS_REST: Final = "All other attributes are at their average or most frequent value."
SLACKS: Final = "Red lines lead from records inside their margin, or beyond the boundary, back to it: their slack."
NO_PLANE: Final = "There is nothing to draw: the machine needs two classes and an attribute that differs."
NONE_KEPT: Final = "There are so many support vectors that none were kept: only the boundary is drawn."


@dataclass(frozen=True, eq=False)
class MarginPoints:
    """Records in the machines' space (n, t), their decision values by machine (n, m), their classes (n,)."""

    x: FloatArray
    sums: FloatArray
    codes: Int32Array


class MarginsView(QWidget):
    """The viewer of one machine over two numbers: boundary, kernel picture, training curve and table."""

    title = "Boundary and margins"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.held: SupportVectors | None = None
        self._task = LatestTask(jobs)
        self._axes: list[int] = []
        name = "visualize.margins."
        self.machine = drop_down(f"{name}machine", "Classes", "Which two classes are kept apart", 14)
        self.across = drop_down(f"{name}across", "Across", "The attribute from left to right")
        self.up = drop_down(f"{name}up", "Up", "The attribute from bottom to top")
        self.words = named(label("", "", wrap=True), "visualize.margins.words")
        self.canvas, self.kernel, self.gap = MarginCanvas(), KernelCanvas(), DualityGapPlot(f"{name}gap")
        self._records: MarginPoints | None = None
        self.table = TextTable("visualize.margins.table", "The support vectors as a table")
        self.pages = filled(QStackedWidget(), self.canvas, self.kernel, self.gap, self.table)
        column_layout((self.pages, 1), self.words, inside=self, spacing=8)
        exported = ExportedPicture(
            "margins",
            "Boundary, margins and support vectors",
            lambda: QSize() if self.canvas.slice is None else self.pages.size(),
            self._paint_page,
            self.rows,
        )
        self.export = Export(exported, jobs, self)
        view = menu_button("View", f"{name}view", "The kernel in three dimensions, the course of learning")
        tips = "The records before and after the kernel raises them", "How the gap between the two objectives closed"
        self._switches: dict[int, QAction] = {
            KERNEL: view.menu().addAction("Kernel"),
            GAP: view.menu().addAction("Learning"),
            TABLE: self.export.offer(table_switch(f"{name}as-table")),
        }
        for number, end, tip in zip((KERNEL, GAP), ("by-kernel", "learning"), tips, strict=True):
            self._switches[number].setObjectName(f"{name}{end}")
            self._switches[number].setToolTip(tip)
        for number, switch in self._switches.items():
            switch.setCheckable(True)
            switch.toggled.connect(partial(self._turn, number))
        axes = label("Horizontal", "dim"), self.across, label("Vertical", "dim"), self.up
        self.controls = ClearRow(self.machine, *axes, view, self.export.button(f"{name}save"))
        self.canvas.chosen_changed.connect(self._say)
        for box in (self.machine, self.across, self.up):
            box.activated.connect(self._again)

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def set_structure(self, structure: SupportVectors) -> None:
        """Shows these machines: the first one, over the two numbers that separate its classes best."""
        self.held, self._axes, self._records = structure, axes_of(structure), None
        names = [structure.terms.name(term) for term in self._axes]
        self.machine.setVisible(structure.n_machines > 1)
        self.machine.offer(" and ".join(structure.side_names(index)) for index in range(structure.n_machines))
        telling = telling_axes(structure, 0) if structure.n_machines else [0, 0]
        for box, index in zip((self.across, self.up), telling, strict=True):
            box.offer(names, index)
        self._again()
        self.facts_changed.emit()

    def facts(self) -> str:
        if self.held is None:
            return ""
        vectors = counted(int(self.held.n_support.sum()), "support vector")
        return vectors if self.held.n_machines == 1 else f"{vectors} · {self.held.n_machines} machines"

    def _again(self) -> None:
        """Draws the chosen machine over the chosen numbers, in a job if possible."""
        self._task.stop()
        held, machine = self.held, self.machine.currentIndex()
        if held is None or machine < 0 or not self._axes:
            self.canvas.show_slice(None, ("", ""), (0, 1))
            self._say()
            return
        across, up = self._axes[self.across.currentIndex()], self._axes[self.up.currentIndex()]
        self.gap.show_course(held.course_of(machine))
        ours = self._ours(machine)
        own_records = None if ours is None or self._records is None else self._records.x[ours]

        def work(context: RunContext) -> Slice:
            context.say("Drawing the boundary")
            return slice_of(held, machine, across, up, context.checkpoint, own_records)

        self._task.run("", work, on_done=self._show)

    def _show(self, slice_found: Slice) -> None:
        held, machine = self.held, self.machine.currentIndex()
        if held is None or machine < 0:
            return
        first, second = int(held.first[machine]), int(held.second[machine])
        other = next(code for code in range(held.n_classes + 1) if code != first) if second == REST else second
        self.canvas.show_slice(slice_found, (self.across.currentText(), self.up.currentText()), (first, other))
        self._raise()
        self.table.show_rows(self.rows())

    def set_records(self, records: MarginPoints) -> None:
        """Shows the tested records of these machines' run on the plot of the kernel's decision function."""
        self._records = records
        if self.held is not None:
            self._again()

    def _raise(self) -> None:
        held, seen, machine = self.held, self.canvas.slice, self.machine.currentIndex()
        assert held is not None
        assert seen is not None
        raised: LiftedRecords | None = None
        records, ours = self._records, self._ours(machine)
        if records is not None and ours is not None:
            terms = [self._axes[box.currentIndex()] for box in (self.across, self.up)]
            x, y = (in_units(held, term, records.x[ours, term]) for term in terms)
            raised = LiftedRecords(x, y, records.codes[ours], records.sums[ours, machine])
        self.kernel.show_slice(seen, raised, self.canvas.sides)

    def _ours(self, machine: int) -> Mask | None:
        """Mask (n,) of the records of a machine's classes; None without records."""
        held, records = self.held, self._records
        if held is None or records is None or records.sums.shape[1] != held.n_machines:
            return None
        first, second = int(held.first[machine]), int(held.second[machine])
        if second == REST:
            return np.ones(len(records.codes), dtype=np.bool_)
        return np.asarray((records.codes == first) | (records.codes == second))

    def _turn(self, page: int, on: bool) -> None:
        if on:
            for other, switch in self._switches.items():
                if other != page:
                    switch.setChecked(False)
        self.pages.setCurrentIndex(
            next((other_page for other_page, switch in self._switches.items() if switch.isChecked()), PLANE)
        )
        self._say()

    def _say(self) -> None:
        """Shows the chosen support vector in words, else how to read the page."""
        held, seen, canvas = self.held, self.canvas.slice, self.canvas
        if held is None or seen is None:
            words = NO_PLANE
        elif self.pages.currentIndex() == GAP:
            words = self.gap.words
        elif self.pages.currentIndex() == KERNEL:
            words = WORDS
        elif canvas.chosen >= 0:
            words = vector_words(held, seen, canvas.order[canvas.chosen])
        else:
            more = SLACKS if seen.is_whole and seen.slack.any() else "" if seen.is_whole else OTHERS_REST
            words = " ".join(filter(None, (f"{kernel_words(held)}.", HOW_TO_READ if len(seen.x) else NONE_KEPT, more)))
        self.words.setText(words)
        canvas.setAccessibleDescription(words)

    def _paint_page(self, painter: QPainter) -> None:
        painted: dict[int, MarginCanvas | KernelCanvas | DualityGapPlot] = {KERNEL: self.kernel, GAP: self.gap}
        painted.get(self.pages.currentIndex(), self.canvas).paint(painter)

    def rows(self) -> Sequence[Sequence[str]]:
        """The heading and a row for each support vector of the machine, large multipliers first."""
        seen, held = self.canvas.slice, self.held
        heading = ["Record", "class", self.across.currentText(), self.up.currentText(), "multiplier", "slack", "where"]
        if seen is None or held is None:
            return [heading]
        rows = [heading]
        for vector in self.canvas.order:
            figures = (
                f"{figure:.6g}"
                for figure in (seen.x[vector], seen.y[vector], seen.multiplier[vector], seen.slack[vector])
            )
            name = held.schema.classes[int(seen.labels[vector])]
            id = int(seen.row_ids[vector])
            rows.append([f"{id + 1:,}" if id >= 0 else said_id(id), name, *figures, _where(float(seen.slack[vector]))])
        return rows


def _where(slack: float) -> str:
    if slack <= 0:
        return "on its margin"
    return "inside its margin" if slack <= 1 else "on the wrong side"


def vector_words(held: SupportVectors, seen: Slice, vector: int) -> str:
    """Sentence on a support vector: its class, coefficient and slack."""
    name, slack = held.schema.classes[int(seen.labels[vector])], float(seen.slack[vector])
    most = ", as large as it may become" if is_bounded(seen, vector) else ""
    far = f", by a slack of {slack:.4g}" if slack > 0 else ""
    return (
        f"{said_id(int(seen.row_ids[vector])).capitalize()} ({name}) lies {_where(slack)}{far}. "
        f"It holds with a multiplier of {seen.multiplier[vector]:.4g}{most}."
    )
