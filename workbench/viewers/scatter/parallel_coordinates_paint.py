"""Paints parallel coordinates: axes, brushes, and lines or their density."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QPolygonF

from algorithms.data.columns import IntArray, Mask
from workbench.layout.density import Pixels
from workbench.layout.many_axes import (
    BEYOND,
    EVERY,
    MARGIN,
    MISSING,
    SAMPLED_FROM,
    AxisView,
    Brush,
    Gap,
    MultiAxisPoints,
    count_lines,
    drawn_lines,
    heights_of,
    lines_picture,
)
from workbench.layout.points import Checkpoint
from workbench.layout.ticks import ticks
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import Theme, current_theme, themes
from workbench.viewers.scatter.rendering import COARSE_DONE, class_colors
from workbench.viewers.scatter.scatter_paint import FADED, NOBODY
from workbench.widgets.labels import elided
from workbench.widgets.painting import draw_text, pen_and_brush, saved

BRUSH_WIDTH: Final = 14.0
MOST_MARKS: Final = 9
MOST_SHAPES: Final = 2000
"""Up to this many lines are drawn as shapes in a vector export."""


@dataclass(frozen=True)
class Frame:
    """The axes in a view: from ``left`` to ``right``, with height 0 at ``bottom`` and 1 at ``top``."""

    left: float
    right: float
    top: float
    bottom: float
    n_axes: int
    span: tuple[float, float]

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def step(self) -> float:
        return (self.right - self.left) / max(1, self.n_axes - 1)

    def x(self, place: float) -> float:
        """The x of a place among the axes, 0 for the first one."""
        return (self.left + self.right) / 2 if self.n_axes < 2 else self.left + place * self.step

    def y(self, height: float) -> float:
        return self.bottom - height * self.height

    def height_at(self, y: float) -> float:
        return (self.bottom - y) / self.height

    def place_at(self, x: float) -> float:
        """The place among the axes at an x, 0 for the first one."""
        return 0.0 if self.n_axes < 2 else (x - self.left) / self.step


@dataclass(eq=False)
class ParallelScene:
    """What is painted: ``views`` by axis, and ``pictures`` of the gap right of each axis."""

    places: MultiAxisPoints | None = None
    views: tuple[AxisView, ...] = ()
    brushes: dict[int, Brush] = field(default_factory=dict)
    pictures: dict[int, tuple[QImage, ...]] = field(default_factory=dict)
    lit: Mask | None = None
    marks_wrong: bool = True
    moved: tuple[int, float] | None = None
    """The dragged axis and its x."""


class ParallelPainter:
    """Paints in the theme of the moment it is made."""

    def __init__(self, colored: frozenset[int] | None = None) -> None:
        """``colored`` are the classes in their colours; None for all."""
        self.look = StructureColors(current_theme().only(colored))
        self.font = themes.font(11)
        self.metrics = QFontMetricsF(self.font)
        self.bold = themes.font(12, bold=True)
        self.bold_metrics = QFontMetricsF(self.bold)

    def frame(self, places: MultiAxisPoints | None, width: float, height: float) -> Frame:
        """The frame of the axes in a view of this size."""
        line, n = self.metrics.height(), 0 if places is None else places.n_axes
        has_missing = places is not None and any(places.n_missing)
        beside = min(96.0, width / (2 * max(2, n)))
        top = self.bold_metrics.height() + line + 12.0
        low = MISSING - MARGIN if has_missing else -BEYOND
        room = max(40.0, height - top - 10.0)
        size = room / (1.0 - low)
        return Frame(beside, max(beside + 20.0, width - beside), top, top + size, n, (low, 1.0 + BEYOND))

    def paint(self, painter: QPainter, scene: ParallelScene, frame: Frame, *, vector: bool = False) -> None:
        """Paints lines, then axes; ``vector`` draws few lines as shapes instead of pixels."""
        if scene.places is None:
            return
        with saved(painter):
            if vector and len(scene.places) <= MOST_SHAPES:
                self._shapes(painter, scene, scene.places, frame)
            else:
                self._pictures(painter, scene, frame)
            for axis in range(scene.places.n_axes):
                is_moved = scene.moved is not None and scene.moved[0] == axis
                place = frame.place_at(scene.moved[1]) if is_moved and scene.moved is not None else float(axis)
                self._axis(painter, scene, scene.places, frame, axis, place)

    def _pictures(self, painter: QPainter, scene: ParallelScene, frame: Frame) -> None:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        top, bottom = frame.y(frame.span[1]), frame.y(frame.span[0])
        for axis, pictures in scene.pictures.items():
            for picture in pictures:
                painter.drawImage(QRectF(frame.x(axis), top, frame.step, bottom - top), picture)

    def _shapes(self, painter: QPainter, scene: ParallelScene, places: MultiAxisPoints, frame: Frame) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if scene.lit is None:
            self._lines(painter, scene, places, frame, np.arange(len(places)), 1.0)
        else:
            self._lines(painter, scene, places, frame, np.flatnonzero(~scene.lit), FADED)
            self._lines(painter, scene, places, frame, np.flatnonzero(scene.lit), 1.0)

    def _lines(
        self,
        painter: QPainter,
        scene: ParallelScene,
        places: MultiAxisPoints,
        frame: Frame,
        records: IntArray,
        opacity: float,
    ) -> None:
        """Draws a line for each record in the colour of its class, dashed for wrong predictions."""
        if not len(records):
            return
        strength = opacity * strength_for(len(records), frame.height)
        x = [frame.x(axis) for axis in range(places.n_axes)]
        y = frame.bottom - heights_of(places, scene.views, records) * frame.height
        wrong = places.wrong[records] if scene.marks_wrong else np.zeros(len(records), dtype=np.bool_)
        ends = np.searchsorted(records, places.starts)
        for code in range(-1, places.n_classes):
            part = slice(int(ends[code + 1]), int(ends[code + 2]))
            color = QColor(self.look.class_color(code))
            color.setAlphaF(strength)
            for is_wrong in (False, True):
                lines = [
                    QLineF(x[axis], row[axis], x[axis + 1], row[axis + 1])
                    for row in y[part][wrong[part] == is_wrong].tolist()
                    for axis in range(len(x) - 1)
                ]
                pen = QPen(color, 2.0 if is_wrong else 1.3)
                if is_wrong:
                    color = QColor(color)
                    color.setAlphaF(min(1.0, strength * 1.3))
                    pen = QPen(color, 2.0, Qt.PenStyle.CustomDashLine)
                    pen.setDashPattern([4.0, 2.5])
                if lines:
                    painter.setPen(pen)
                    painter.drawLines(lines)

    def paint_record(self, painter: QPainter, scene: ParallelScene, frame: Frame, record: int) -> None:
        """Draws one record's line on top, with the symbol of its class on each axis."""
        places = scene.places
        if places is None or record == NOBODY:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        heights = heights_of(places, scene.views, np.array([record]))[0].tolist()
        points = [QPointF(frame.x(axis), frame.y(height)) for axis, height in enumerate(heights)]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        code = places.class_of(record)
        for color, wide in ((self.look.pane, 5.5), (self.look.text, 3.6), (self.look.class_color(code), 2.2)):
            painter.setPen(QPen(color, wide, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
            painter.drawPolyline(QPolygonF(points))
        for point in points:
            draw_symbol(painter, self.look, code, point, 4.5)

    def _axis(
        self, painter: QPainter, scene: ParallelScene, places: MultiAxisPoints, frame: Frame, axis: int, place: float
    ) -> None:
        x, view, scale = frame.x(place), scene.views[axis], places.scales[axis]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(self.look.dim, 1.4))
        painter.drawLine(QPointF(x, frame.y(0)), QPointF(x, frame.y(1)))
        painter.setFont(self.font)
        line, room = self.metrics.height(), max(24.0, frame.step * 0.55 if frame.n_axes > 1 else 200.0)
        values = scale.attribute.values if scale.is_banded else ()
        most = max(2, int(frame.height / (line * 1.25)))
        if not scale.is_banded:
            most = max(2, min(MOST_MARKS, most // 3))
        for unit, text in ticks(scale, view.low, view.high, most):
            height = view.height(unit)
            if -1e-9 <= height <= 1 + 1e-9:
                y = frame.y(height)
                painter.setPen(QPen(self.look.dim, 1))
                painter.drawLine(QPointF(x - 3, y), QPointF(x + 3, y))
                self._halo_text(painter, QPointF(x + 6, y + line * 0.32), elided(self.metrics, text, room, values))
        if places.n_missing[axis]:
            y = frame.y(MISSING)
            painter.setPen(QPen(self.look.dim, 1.4, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, frame.y(-BEYOND)), QPointF(x, frame.y(MISSING - MARGIN / 2)))
            text = f"missing {places.n_missing[axis]:,}"
            self._halo_text(painter, QPointF(x + 6, y + line * 0.32), elided(self.metrics, text, room, values))
        brush = scene.brushes.get(axis)
        if brush is not None:
            self._brush(painter, frame, x, view, brush)
        self._name(painter, places, frame, axis, x, view)

    def _name(
        self, painter: QPainter, places: MultiAxisPoints, frame: Frame, axis: int, x: float, view: AxisView
    ) -> None:
        painter.setFont(self.bold)
        painter.setPen(self.look.text)
        area = self.name_area(frame, frame.place_at(x) if frame.n_axes > 1 else 0.0)
        names = tuple(scale.attribute.name for scale in places.scales)
        shown = elided(self.bold_metrics, names[axis], area.width() - 4, names)
        painter.drawText(area, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop), shown)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        turn = self.turn_area(frame, frame.place_at(x) if frame.n_axes > 1 else 0.0)
        middle, size = turn.center(), turn.height() * 0.24
        sign = -1.0 if view.turned else 1.0
        arrow = QPainterPath(QPointF(middle.x(), middle.y() - sign * size * 1.4))
        arrow.lineTo(middle.x() + size, middle.y() + sign * size * 0.6)
        arrow.lineTo(middle.x() - size, middle.y() + sign * size * 0.6)
        arrow.closeSubpath()
        painter.fillPath(arrow, self.look.accent if view.turned else self.look.dim)

    def name_area(self, frame: Frame, place: float) -> QRectF:
        """The box of the name of the axis at a place."""
        wide = min(frame.step if frame.n_axes > 1 else 300.0, max(2 * frame.left, 60.0)) - 8
        if frame.n_axes > 1:
            wide = min(frame.step - 6, 260.0, 2 * frame.left - 4) if frame.n_axes > 2 else 2 * frame.left - 4
        return QRectF(frame.x(place) - wide / 2, 3, wide, self.bold_metrics.height() + 2)

    def turn_area(self, frame: Frame, place: float) -> QRectF:
        """The box that reverses the axis at a place when clicked."""
        size = self.metrics.height()
        return QRectF(frame.x(place) - size, self.bold_metrics.height() + 4, 2 * size, size)

    def _brush(self, painter: QPainter, frame: Frame, x: float, view: AxisView, brush: Brush) -> None:
        first, last = sorted((view.height(brush.low), view.height(brush.high)))
        boxes = []
        if last > -BEYOND and first < 1 + BEYOND and brush.high > -1.0:
            low, high = max(first, -BEYOND), min(last, 1 + BEYOND)
            boxes.append((low, high))
        if brush.with_missing:
            boxes.append((MISSING - MARGIN, MISSING + MARGIN))
        fill = QColor(self.look.accent)
        fill.setAlpha(64)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen_and_brush(painter, QPen(self.look.accent, 1.5), fill)
        for low, high in boxes:
            top, bottom = frame.y(high), frame.y(low)
            painter.drawRoundedRect(QRectF(x - BRUSH_WIDTH / 2, top, BRUSH_WIDTH, max(2.0, bottom - top)), 3, 3)

    def _halo_text(self, painter: QPainter, position: QPointF, text: str) -> None:
        """Draws text on a veil in the background colour, to be legible over lines."""
        box = self.metrics.tightBoundingRect(text).translated(position).adjusted(-2, -2, 2, 2)
        painter.fillRect(box, self.look.halo)
        draw_text(painter, position, text, self.look.text)

    def paint_focus(self, painter: QPainter, frame: Frame, place: int, caret: float | None) -> None:
        """Frames the name of the focused axis, and marks the caret."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen_and_brush(painter, QPen(self.look.accent, 1.5))
        painter.drawRoundedRect(self.name_area(frame, place).adjusted(-2, -2, 2, 1), 4, 4)
        if caret is not None:
            x, y = frame.x(place), frame.y(caret)
            painter.setPen(QPen(self.look.accent, 2.5))
            painter.drawLine(QPointF(x - 9, y), QPointF(x + 9, y))


MOST_LINES: Final = 4000
"""Up to this many lines are drawn one by one; more are drawn as density."""
MOST_STEPS: Final = 260
"""The most height steps and columns of a density picture."""
STRONGEST, FAINTEST = 0.85, 0.1
STRONG_ROOM: Final = 3.5
"""Pixels of height per line at full strength; with less, lines are fainter."""
COARSE_STEPS, COARSE_COLUMNS = 72, 40
CELL: Final = 2.0
LIT_FAINTEST: Final = 0.6


@dataclass(frozen=True, eq=False)
class LinesRequest:
    """What the pictures depend on. A gap is ``width`` x ``height`` pixels and covers the heights in ``span``."""

    places: MultiAxisPoints
    gaps: tuple[Gap, ...]
    span: tuple[float, float]
    width: float
    height: float
    lit: Mask | None
    marks_wrong: bool
    theme: Theme


@dataclass(frozen=True, eq=False)
class GapLayer:
    """The lines of one gap as pixels (h, w), and the highlighted lines over them."""

    gap: Gap
    pixels: Pixels
    above: Pixels | None = None


def strength_for(n: int, height: float) -> float:
    """Opacity of each of ``n`` lines on axes of this many pixels."""
    room = height / STRONG_ROOM / max(1, n)
    return float(max(FAINTEST, STRONGEST * min(1.0, room**0.5)))


def parallel_layers(wanted: LinesRequest, checkpoint: Checkpoint) -> Iterator[object]:
    """Yields the pictures of the gaps: coarse ones of a sample first, then fine ones of all records."""
    places, lit = wanted.places, wanted.lit
    is_sampled = len(places) >= SAMPLED_FROM
    some = places.sampled(EVERY) if is_sampled else places
    some_lit = lit[::EVERY] if is_sampled and lit is not None else lit
    if len(places) > MOST_LINES:
        for gap in wanted.gaps:
            dense = _dense(wanted, gap, some, None, (COARSE_STEPS, COARSE_COLUMNS), checkpoint)
            above = None
            if some_lit is not None:
                above = _dense(wanted, gap, some, some_lit, (COARSE_STEPS, COARSE_COLUMNS), checkpoint)
            yield GapLayer(gap, dense, above)
        yield COARSE_DONE
    for gap in wanted.gaps:
        yield _fine(wanted, gap, checkpoint)


def _fine(wanted: LinesRequest, gap: Gap, checkpoint: Checkpoint) -> GapLayer:
    places, lit = wanted.places, wanted.lit
    size = (
        max(COARSE_STEPS, min(MOST_STEPS, round(wanted.height / CELL))),
        max(COARSE_COLUMNS, min(MOST_STEPS, round(wanted.width / CELL))),
    )
    if len(places) <= MOST_LINES:
        others = np.arange(len(places)) if lit is None else np.flatnonzero(~lit)
        below = _lines(wanted, gap, others, 1.0 if lit is None else FADED, checkpoint)
    else:
        below = _dense(wanted, gap, places, None, size, checkpoint)
    if lit is None:
        return GapLayer(gap, below)
    if np.count_nonzero(lit) <= MOST_LINES:
        return GapLayer(gap, below, _lines(wanted, gap, np.flatnonzero(lit), 1.0, checkpoint))
    return GapLayer(gap, below, _dense(wanted, gap, places, lit, size, checkpoint))


def _dense(
    wanted: LinesRequest,
    gap: Gap,
    places: MultiAxisPoints,
    lit: Mask | None,
    size: tuple[int, int],
    checkpoint: Checkpoint,
) -> Pixels:
    colors = class_colors(wanted.theme, places.n_classes)
    ends = count_lines(places, gap, size[0], wanted.span, colors, lit, checkpoint)
    if lit is not None:
        return lines_picture(ends, size[1], faintest=LIT_FAINTEST, checkpoint=checkpoint)
    return lines_picture(ends, size[1], opacity=1.0 if wanted.lit is None else FADED, checkpoint=checkpoint)


def _lines(wanted: LinesRequest, gap: Gap, records: IntArray, opacity: float, checkpoint: Checkpoint) -> Pixels:
    """The picture of some lines (numbers of places, ascending), drawn one by one."""
    places = wanted.places
    rows, columns = max(1, round(wanted.height)), max(1, round(wanted.width))
    per = rows / (wanted.span[1] - wanted.span[0])
    begin, end = (
        (wanted.span[1] - view.heights(places.units[axis][records]).astype(np.float64)) * per
        for axis, view in ((gap.left, gap.left_view), (gap.left + 1, gap.right_view))
    )
    codes = np.searchsorted(places.starts, records, side="right") - 1
    colors = class_colors(wanted.theme, places.n_classes)[codes]
    dashed = places.wrong[records] if wanted.marks_wrong else None
    strength = opacity * strength_for(len(records), wanted.height)
    return drawn_lines(begin, end, colors, (rows, columns), strength, dashed, checkpoint)
