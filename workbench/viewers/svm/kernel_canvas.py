"""The kernel trick as a picture: records as they are, and raised so that a plane parts them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.data.columns import FloatArray
from algorithms.learners.svm.boundary_slices import Slice
from algorithms.structures.terms import Int32Array
from workbench.layout.grid_regions import contour
from workbench.layout.points import STRAIGHT_DOWN, Sight
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes

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
_WIDEST: Final = 1.4
_STEPS: Final = {
    Qt.Key.Key_Left: (-_TURN, 0.0), Qt.Key.Key_Right: (_TURN, 0.0), Qt.Key.Key_Up: (0.0, _TURN),
    Qt.Key.Key_Down: (0.0, -_TURN),
}  # fmt: skip

Pixels = Callable[[FloatArray], list[QPointF]]


@dataclass(frozen=True, eq=False)
class Raised:
    """Records over two axes in the table's units (n,), their classes by code, and what the machine says of them."""

    x: FloatArray
    y: FloatArray
    codes: Int32Array
    sums: FloatArray


class KernelCanvas(QWidget):
    """Paints both pictures side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("visualize.margins.kernel")
        self.setAccessibleName("Before and after the kernel's transformation")
        self.setAccessibleDescription(WORDS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.sight = Sight()
        self.slice: Slice | None = None
        self.records: Raised | None = None
        self.sides = (0, 1)
        self._held: QPointF | None = None
        themes.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(themes.px(620), themes.px(340))

    def minimumSizeHint(self) -> QSize:
        return QSize(themes.px(280), themes.px(160))

    def show_slice(self, found: Slice | None, records: Raised | None, sides: tuple[int, int]) -> None:
        """Draw this machine over two numbers; ``sides`` are the classes of sums above and below 0, by code."""
        self.slice, self.records, self.sides = found, records, sides
        self.update()

    @property
    def highest(self) -> float:
        """The sum that is drawn at the top of the box; what is beyond stands there too."""
        assert self.slice is not None
        return max(1.5, float(np.quantile(np.abs(self.slice.sums), 0.98)))

    def in_box(self, x: FloatArray, y: FloatArray, sums: FloatArray) -> FloatArray:
        """Places (n, 3) in a box from -1 to 1 of places in the table's units and what the machine says there."""
        assert self.slice is not None
        seen = self.slice
        return np.column_stack([
            np.clip(2 * (x - seen.left) / (seen.right - seen.left) - 1, -1, 1),
            np.clip(2 * (y - seen.low) / (seen.high - seen.low) - 1, -1, 1),
            np.clip(sums / self.highest, -1, 1),
        ])  # fmt: skip

    # ---- the pictures ------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint all of it."""
        if self.slice is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(11))
        look, metrics = Look(current_theme()), QFontMetricsF(painter.font())
        top = metrics.height() + 6
        height = max(1.0, self.height() - top)
        half = min(self.width() / 2, _WIDEST * height)
        left = self.width() / 2 - half
        for at, (title, sight) in enumerate((("Before", STRAIGHT_DOWN), ("After", self.sight))):
            area = QRectF(left + at * half, top, half, height)
            painter.setPen(look.dim)
            painter.drawText(QRectF(area.left(), 0, half, top), Qt.AlignmentFlag.AlignCenter, title)
            self._paint_box(painter, look, area, sight, lifted=at == 1)
        if self.hasFocus():
            painter.setPen(QPen(look.accent, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(left + half + 1, 1, half - 2, self.height() - 2))

    def _paint_box(self, painter: QPainter, look: Look, area: QRectF, sight: Sight, *, lifted: bool) -> None:
        assert self.slice is not None
        scale = min(area.width(), area.height()) * (_SCALE if lifted else 0.46)
        middle = area.center() - (QPointF(0, scale * 0.08) if lifted else QPointF())

        def pixels(points: FloatArray) -> list[QPointF]:
            found = sight.places(points) * scale
            return [QPointF(middle.x() + right, middle.y() - up) for right, up, _ in found.tolist()]

        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=np.float64)
        floor = _FLOOR if lifted else 0.0
        painter.setPen(QPen(look.line, 1))
        painter.setBrush(look.soft)
        painter.drawPolygon(QPolygonF(pixels(np.column_stack([corners, np.full(4, floor)]))))
        cells = len(self.slice.sums) - 1
        ends = contour(self.slice.sums, 0.0).reshape(-1, 2) * 2 / cells - 1
        places = pixels(np.column_stack([ends, np.full(len(ends), floor)]))
        painter.setPen(QPen(look.text, 2.2))
        painter.drawLines([QLineF(places[at], places[at + 1]) for at in range(0, len(places), 2)])
        if not lifted:
            self._paint_records(painter, look, pixels, above=None)
            return
        self._paint_surface(painter, look, sight, pixels, above=False)
        self._paint_records(painter, look, pixels, above=False)
        plane = look.theme.color("accent")
        plane.setAlpha(60)
        painter.setPen(QPen(look.accent, 1.4))
        painter.setBrush(plane)
        painter.drawPolygon(QPolygonF(pixels(np.column_stack([corners, np.zeros(4)]))))
        self._paint_surface(painter, look, sight, pixels, above=True)
        self._paint_records(painter, look, pixels, above=True)

    def _paint_surface(self, painter: QPainter, look: Look, sight: Sight, pixels: Pixels, *, above: bool) -> None:
        """The machine's sums as a net, the part above or below the plane, the farthest meshes first."""
        assert self.slice is not None
        steps = np.linspace(0, len(self.slice.sums) - 1, _QUADS + 1).round().astype(np.int64)
        heights = np.clip(self.slice.sums[np.ix_(steps, steps)] / self.highest, -1, 1)
        at = np.linspace(-1, 1, _QUADS + 1)
        grid = np.stack([*np.meshgrid(at, at), heights], axis=-1)
        quads = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2).reshape(-1, 4, 3)
        quads = quads[(quads[:, :, 2].mean(axis=1) > 0) == above]
        away = sight.places(quads.mean(axis=1))[:, 2]
        color = look.theme.class_color(self.sides[0] if above else self.sides[1])
        line = look.theme.class_color(self.sides[0] if above else self.sides[1])
        color.setAlpha(34)
        line.setAlpha(110)
        painter.setPen(QPen(line, 0.7))
        painter.setBrush(color)
        for quad in quads[np.argsort(-away, kind="stable")]:
            painter.drawPolygon(QPolygonF(pixels(quad)))

    def _paint_records(self, painter: QPainter, look: Look, pixels: Pixels, *, above: bool | None) -> None:
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
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._turn(*step)
