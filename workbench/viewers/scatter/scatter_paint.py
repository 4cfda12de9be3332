"""Paints a scatter plot: points or density, decision regions, borders and axes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QPixmap
from shiboken6 import Shiboken

from algorithms.core.learner import Codes
from algorithms.data.columns import FloatArray, IntArray, Mask
from workbench.layout.camera import Window
from workbench.layout.grid_regions import Grid, chained
from workbench.layout.points import SIZES, AxisScale, PointLink, ScatterPoints
from workbench.layout.ticks import ticks
from workbench.style.structure_colors import StructureColors, class_letter, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.widgets.labels import elided
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text, pen_and_brush, saved

NOBODY: Final = -1


@dataclass(frozen=True, eq=False)
class Layer:
    """The points of a window, drawn one by one (``shown``) or as a picture of their density."""

    window: Window
    shown: IntArray | None = None
    picture: QImage | None = None
    fullest: int = 0
    """Points in the fullest cell of the picture; where some are selected, only those count."""

    def is_prepared(self, window: Window) -> bool:
        """Whether it covers a window at its scale."""
        return self.window.covers(window) and (self.picture is None or self.window.has_scale_of(window))


@dataclass(frozen=True, eq=False)
class Backdrop:
    """Decision regions over a rectangle in units of the axes: ``codes`` (h, w), row 0 the lowest."""

    left: float
    right: float
    low: float
    high: float
    picture: QImage
    codes: Codes
    names: tuple[str, ...]
    """The name of each code."""

    @property
    def grid(self) -> Grid:
        return Grid(self.left, self.right, self.low, self.high, self.codes)

    def codes_within(self, left: float, right: float, low: float, high: float) -> list[int]:
        """The codes of the cells that overlap a rectangle in units of the axes, ascending."""
        rows, columns = self.codes.shape
        wide, tall = (self.right - self.left) / columns, (self.high - self.low) / rows
        first, last = int((left - self.left) // wide), int((right - self.left) // wide) + 1
        below, above = int((low - self.low) // tall), int((high - self.low) // tall) + 1
        inside = self.codes[max(0, below) : max(0, above), max(0, first) : max(0, last)]
        return np.flatnonzero(np.bincount(inside.ravel())).tolist()


@dataclass(frozen=True, eq=False)
class Outline:
    """A border between regions: ``pieces`` (m, 4) are x and y of both ends, in units of the axes."""

    pieces: FloatArray
    is_dashed: bool = False

    @cached_property
    def strung(self) -> list[tuple[float, float, float, float]]:
        """The pieces in drawing order."""
        return chained(self.pieces)


@dataclass(eq=False)
class ScatterScene:
    """What is painted; ``chosen`` (m,) marks selected points, None for no selection."""

    points: ScatterPoints | None = None
    layer: Layer | None = None
    backdrops: list[Backdrop] = field(default_factory=list)
    tint: float = 1.0
    """Opacity of the backdrops."""
    chosen: Mask | None = None
    focus: int = NOBODY
    hover: int = NOBODY
    links: list[PointLink] = field(default_factory=list)
    outlines: list[Outline] = field(default_factory=list)
    symbol_size: float = 1.0
    """Size of the symbols as a share of the usual one."""
    is_map: bool = False
    """Whether both axes have one scale, and numbers count the records of each place."""
    sizes: NDArray[np.intp] | None = None
    """Index into ``SIZES`` of each point (m,); None for equal sizes."""

    @property
    def are_chosen_ringed(self) -> bool:
        """Whether each selected point gets a ring."""
        return self.chosen is not None and int(np.count_nonzero(self.chosen)) <= MOST_RINGED

    @property
    def faded(self) -> float:
        """Opacity of the points that are not selected."""
        return FADED_ON_REGIONS if self.backdrops and self.are_chosen_ringed else FADED


Pixels = NDArray[np.floating[Any]]
FADED: Final = 0.3
FADED_ON_REGIONS: Final = 0.7
"""On the region of their own class, points need it for a contrast of 2:1. Rings then tell which are selected."""
USUAL: Final = 0.85
PALE: Final = "pale: not selected"
MOST_RINGED: Final = 40
"""Up to this many selected points get a ring; beyond, only the others fade."""
DOT: Final = 0.3
"""Radius of the dot on a wrong prediction, as a share of its symbol."""
WRONG_BESIDE: Final = 0.65
"""Opacity of the circles of wrong records that are not selected, while others are."""
MOST_STRONG: Final = 600
"""Up to this many marks of wrong predictions are opaque; more are fainter."""
MOST_TICKS: Final = 8
FEW_MIXED, MIXES = 600, 96
"""More points than the first are drawn in batches of all classes, with about so many parts together."""
MOST_COUNTED, MOST_PILED = 100, 2_000
"""The most numbers beside places of several records, and the most points drawn with numbers."""
MOST_OFF: Final = 8
"""A label keeps at most this many of its heights off its symbol."""
MOST_CIRCLED: Final = 150
"""Up to this many wrong predictions get a circle. More get a dot, because circles would hide the points."""


def wrong_words(n_wrong: int) -> str:
    return f"{'circled' if n_wrong <= MOST_CIRCLED else 'dotted'}: wrong when tested"


def selected_words(n_selected: int) -> str:
    return "ringed in colour: selected" if 0 < n_selected <= MOST_RINGED else PALE


def upright(metrics: QFontMetricsF, names: tuple[str, str], area: QRectF, below: float) -> tuple[str, float]:
    """The elided vertical name of ``names`` and its middle y; it may reach ``below`` pixels past the plot."""
    shown = elided(metrics, names[1], area.height() + below, names)
    return shown, max(area.center().y(), area.top() + metrics.horizontalAdvance(shown) / 2)


def mixing_batches(n: int, k: int) -> NDArray[np.int8]:
    """The batch of each of n points of k classes in which it is drawn, at random but always the same.

    With all points of a class in one batch, the last class would hide the others where points overlap.
    """
    if n <= FEW_MIXED:
        return np.zeros(n, dtype=np.int8)
    return np.random.default_rng(1).integers(0, max(8, MIXES // max(1, k)), n).astype(np.int8)


def most_frequent(codes: IntArray) -> int:
    """The most frequent of some class codes, -1 among them for no class; of equally frequent ones the smallest."""
    return int(np.bincount(codes + 1).argmax()) - 1


def piles(x: Pixels, y: Pixels, near: float = 0.0) -> list[NDArray[np.intp]]:
    """The points of each place that has several, the largest number first.

    A place counts the smaller ones at most ``near`` away with its own points, which come first.
    """
    places, place, sizes = np.unique(np.column_stack([x, y]), axis=0, return_inverse=True, return_counts=True)
    members = np.split(np.argsort(place.ravel(), kind="stable"), np.cumsum(sizes)[:-1])
    if near <= 0:
        return [members[i] for i in np.argsort(-sizes, kind="stable").tolist() if sizes[i] > 1]
    free, merged = np.ones(len(places), dtype=np.bool_), []
    for i in np.argsort(-sizes, kind="stable").tolist():
        if free[i]:
            inside = free & (np.hypot(*(places - places[i]).T) <= near)
            free &= ~inside
            inside[i] = False
            merged.append(np.concatenate([members[i], *(members[other] for other in np.flatnonzero(inside).tolist())]))
    return sorted((pile for pile in merged if len(pile) > 1), key=len, reverse=True)


def pile_words(codes: NDArray[np.intp], wrong: NDArray[np.bool_]) -> str:
    """The number of records of a pile, by class if of several, and the wrong ones: "39", "▲37 ■2, 1 wrong"."""
    kinds, counts = np.unique(codes, return_counts=True)
    parts = [
        f"{'?' if code < 0 else class_letter(code)}{n:,}"
        for code, n in zip(kinds.tolist(), counts.tolist(), strict=True)
    ]
    words, n_wrong = " ".join(parts) if len(parts) > 1 else f"{len(codes):,}", int(np.count_nonzero(wrong))
    return f"{words}, {n_wrong:,} wrong" if n_wrong else words


def _is_free(box: QRectF, labels: list[tuple[str, QRectF, int]], x: Pixels, y: Pixels, near: float) -> bool:
    """Whether a box hides neither a label nor a symbol at ``x``, ``y`` that reaches ``near`` pixels."""
    hides_x = abs(x - box.center().x()) < near + box.width() / 2
    hides = hides_x & (abs(y - box.center().y()) < near + box.height() / 2)
    return not hides.any() and not any(box.intersects(other) for _, other, _ in labels)


def leader_line(box: QRectF, point: QPointF, near: float) -> QLineF | None:
    """The line from a point's symbol to its label; None where the label stands beside the symbol."""
    end = QPointF(
        min(max(point.x(), box.left()), box.right()),
        min(max(point.y(), box.top()), box.bottom()),
    )
    line = QLineF(point, end)
    if line.length() <= 2 * near:
        return None
    return QLineF(line.pointAt(near / line.length()), line.pointAt(1 - 1.5 / line.length()))


class ScatterPainter:
    """Paints a scene in the theme of the moment it is made."""

    def __init__(self, colored: frozenset[int] | None = None) -> None:
        """``colored`` are the classes in their colours; None for all."""
        self.look = StructureColors(current_theme().only(colored))
        self.font = themes.font(12)
        self.metrics = QFontMetricsF(self.font)
        self._stamps: dict[tuple[str, int, float], QPixmap] = {}

    def plot_area(self, scene: ScatterScene, width: float, height: float) -> QRectF:
        """The rectangle of the points inside a view of this size, without the axes."""
        line = self.metrics.height()
        left = 2 * line + 14.0
        points = scene.points
        if points is not None:
            scale = points.up
            if scale.is_banded:
                labels = scale.attribute.values[:200]
            else:
                most = self._most_up(height)
                finest = 2 * most  # a part of the range has finer numbers than the whole
                labels = tuple(text for n in (most, finest) for _, text in ticks(scale, *scale.span, n)) or ("",)
            widest = max((self.metrics.horizontalAdvance(label) for label in labels), default=0.0)
            left = line + 16.0 + min(max(widest, self.metrics.horizontalAdvance("0000")), 0.2 * width)
        bottom = 2 * line + 14.0
        right = 12.0
        if points is not None and not points.across.is_banded:
            labels = tuple(text for _, text in ticks(points.across, *points.across.span, 2 * MOST_TICKS))
            right = max(right, 6 + max((self.metrics.horizontalAdvance(label) / 2 for label in labels), default=0.0))
        return QRectF(left, 8.0, max(20.0, width - left - right), max(20.0, height - bottom - 8.0))

    def paint(
        self, painter: QPainter, scene: ScatterScene, window: Window, area: QRectF, *, vector: bool = False
    ) -> None:
        """Paints the scene in ``window`` onto ``area`` with axes; ``vector`` draws shapes instead of pixels."""
        self.paint_plane(painter, scene, window, area, vector=vector)
        if scene.points is not None:
            with saved(painter):
                painter.setFont(self.font)
                self._axes(painter, scene.points, window, area)

    def paint_plane(
        self, painter: QPainter, scene: ScatterScene, window: Window, area: QRectF, *, vector: bool = False
    ) -> None:
        """Paints the scene without axes."""
        with saved(painter):
            painter.setFont(self.font)
            painter.setClipRect(area)
            painter.setOpacity(scene.tint)
            for backdrop in scene.backdrops:
                left, top = window.to_pixel(backdrop.left, backdrop.high)
                right, bottom = window.to_pixel(backdrop.right, backdrop.low)
                painter.drawImage(QRectF(area.x() + left, area.y() + top, right - left, bottom - top), backdrop.picture)
            painter.setOpacity(1.0)
            if scene.points is not None:
                self._grid(painter, scene.points, window, area)
                is_density = scene.layer is not None and scene.layer.picture is not None
                if not is_density:
                    self._outlines(painter, scene.outlines, window, area)
                if scene.layer is not None:
                    self._layer(painter, scene, scene.layer, window, area, vector)
                if is_density:
                    self._outlines(painter, scene.outlines, window, area)
                self._links(painter, scene.links, window, area)
                for marked, color, wide in ((scene.hover, self.look.text, 1.6), (scene.focus, self.look.accent, 2.0)):
                    if 0 <= marked < len(scene.points):
                        px, py = window.to_pixel(float(scene.points.x[marked]), float(scene.points.y[marked]))
                        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                        pen_and_brush(painter, QPen(color, wide))
                        painter.drawEllipse(QPointF(area.x() + px, area.y() + py), 8.5, 8.5)

    def _outlines(self, painter: QPainter, outlines: list[Outline], window: Window, area: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for outline in outlines:
            path = QPainterPath()
            for x0, y0, x1, y1 in outline.strung:
                begin, end = window.to_pixel(x0, y0), window.to_pixel(x1, y1)
                start = QPointF(area.x() + begin[0], area.y() + begin[1])
                if path.elementCount() == 0 or path.currentPosition() != start:
                    path.moveTo(start)
                path.lineTo(QPointF(area.x() + end[0], area.y() + end[1]))
            pen_and_brush(painter, QPen(self.look.halo, themes.px(5)))
            painter.drawPath(path)
            pen = QPen(self.look.text, themes.px(2))
            if outline.is_dashed:
                pen.setDashPattern([3.0, 3.0])
            painter.setPen(pen)
            painter.drawPath(path)

    def _links(self, painter: QPainter, links: list[PointLink], window: Window, area: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for link in links:
            begin, end = window.to_pixel(*link.begin), window.to_pixel(*link.end)
            start = QPointF(area.x() + begin[0], area.y() + begin[1])
            painter.setPen(QPen(self.look.text, themes.px(1) + themes.px(3) * link.strength))
            painter.drawLine(start, QPointF(area.x() + end[0], area.y() + end[1]))
        if links:
            begin = window.to_pixel(*links[0].begin)
            painter.setPen(QPen(self.look.accent, 2.5))
            painter.drawEllipse(QPointF(area.x() + begin[0], area.y() + begin[1]), 9.0, 9.0)

    def _layer(
        self, painter: QPainter, scene: ScatterScene, layer: Layer, window: Window, area: QRectF, vector: bool
    ) -> None:
        if layer.picture is not None:
            seen = layer.window
            left, top = window.to_pixel(seen.left, seen.high)
            right, bottom = window.to_pixel(seen.right, seen.low)
            if seen.has_scale_of(window):
                left, top, right, bottom = round(left), round(top), round(right), round(bottom)
            painter.drawImage(QRectF(area.x() + left, area.y() + top, right - left, bottom - top), layer.picture)
        elif layer.shown is not None:
            self._symbols(painter, scene, layer.shown, window, area, vector)

    def _symbols(
        self, painter: QPainter, scene: ScatterScene, shown: IntArray, window: Window, area: QRectF, vector: bool
    ) -> None:
        points = scene.points
        assert points is not None
        x = area.x() + (points.x[shown] - window.left) * window.per_x
        y = area.y() + (window.high - points.y[shown]) * window.per_y
        seen = (x > area.left() - 12) & (x < area.right() + 12) & (y > area.top() - 12) & (y < area.bottom() + 12)
        shown, x, y = shown[seen], x[seen], y[seen]
        radius = (
            themes.px(10) / 10 * scene.symbol_size * (4.4 if len(shown) <= 600 else 3.6 if len(shown) <= 4000 else 2.6)
        )
        ends = np.searchsorted(shown, points.starts).tolist()
        chosen = None if scene.chosen is None else scene.chosen[shown]
        draw = self._shapes if vector else self._stamped
        batch = mixing_batches(len(points), points.n_classes)[shown]
        for faded in (True, False) if chosen is not None else (False,):
            for number, code in product(range(int(batch.max(initial=0)) + 1), self._grey_first(points.n_classes)):
                part = slice(ends[code + 1], ends[code + 2])
                visible = np.arange(part.start, part.stop)[batch[part] == number]
                if chosen is not None:
                    visible = visible[~chosen[visible]] if faded else visible[chosen[visible]]
                opacity = scene.faded if faded else (USUAL if chosen is None else 1.0)
                for part_of, size in self._by_size(scene, shown, visible, radius):
                    draw(painter, "class", code, size, x[part_of], y[part_of], opacity)
        wrong = points.wrong[shown]
        is_dotted = np.count_nonzero(points.wrong) > MOST_CIRCLED
        mark, size = ("dot", max(0.8, DOT * radius)) if is_dotted else ("wrong", radius + 2.0)
        if chosen is not None and scene.chosen is not None:
            if scene.are_chosen_ringed:
                draw(painter, "chosen", 0, radius + 5.0, x[chosen], y[chosen], 1.0)
            draw(painter, mark, 0, size, x[wrong & ~chosen], y[wrong & ~chosen], WRONG_BESIDE)
            wrong &= chosen
        n_wrong = int(np.count_nonzero(wrong))
        draw(painter, mark, 0, size, x[wrong], y[wrong], max(0.4, min(1.0, MOST_STRONG / max(1, n_wrong))))
        if scene.is_map and len(shown) <= MOST_PILED:
            metrics = QFontMetricsF(themes.font(11))
            codes, counted = np.searchsorted(points.starts, shown, side="right") - 2, []
            for pile in piles(x, y, near=radius)[:MOST_COUNTED]:
                code = most_frequent(codes[pile])
                if np.any(codes[pile] != code):
                    draw(painter, "class", code, radius, x[pile[:1]], y[pile[:1]], 1.0)
                counted.append((pile_words(codes[pile], points.wrong[shown[pile]]), int(pile[0])))
            for words, box, point in self.pile_labels(counted, x, y, radius, area):
                if leader := leader_line(box, QPointF(x[point], y[point]), radius + 2.5):
                    pen_and_brush(painter, QPen(self.look.dim, 1))
                    painter.drawLine(leader)
                at = QPointF(box.left(), box.bottom() - metrics.descent())
                draw_text(painter, at, words, self.look.text, themes.font(11))

    @staticmethod
    def pile_labels(
        counted: list[tuple[str, int]], x: Pixels, y: Pixels, radius: float, area: QRectF
    ) -> list[tuple[str, QRectF, int]]:
        """The words of piles with their boxes and points at ``x``, ``y``, beside the point or as near as has room."""
        metrics, near = QFontMetricsF(themes.font(11)), radius + 2.5
        labels: list[tuple[str, QRectF, int]] = []
        for words, point in counted:
            px, py = float(x[point]), float(y[point])
            wide, high = metrics.horizontalAdvance(words), metrics.height()
            for off in range(MOST_OFF):
                right, left = px + near + 0.5 + off * high, px - near - 0.5 - wide - off * high
                rows = [py - high, py] if off == 0 else [py + (row - 0.5) * high for row in range(-off, off + 1)]
                corners = [(side, top) for top in rows for side in (right, left)]
                corners += [
                    (px - wide / 2, top) for top in (py - near - (off + 1) * high, py + near + off * high) if off
                ]
                boxes = [box for corner in corners if area.contains(box := QRectF(*corner, wide, high))]
                free = next((box for box in boxes if _is_free(box, labels, x, y, near)), None)
                if free is not None:
                    labels.append((words, free, point))
                    break
        return labels

    def _grey_first(self, k: int) -> list[int]:
        """The class codes from -1 on, those in grey below the others."""
        colored = self.look.theme.colored
        return sorted(range(-1, k), key=lambda code: colored is not None and code in colored)

    @staticmethod
    def _by_size(
        scene: ScatterScene, shown: IntArray, visible: NDArray[np.intp], radius: float
    ) -> Iterator[tuple[NDArray[np.intp], float]]:
        if scene.sizes is None:
            if len(visible):
                yield visible, radius
            return
        sizes = scene.sizes[shown[visible]]
        for size in range(len(SIZES) - 1, -1, -1):
            mine = visible[sizes == size]
            if len(mine):
                yield mine, radius * SIZES[size]

    def _shapes(
        self, painter: QPainter, what: str, code: int, radius: float, x: Pixels, y: Pixels, opacity: float
    ) -> None:
        painter.setOpacity(opacity)
        for px, py in zip(x.tolist(), y.tolist(), strict=True):
            self._symbol(painter, what, code, radius, QPointF(px, py))
        painter.setOpacity(1.0)

    def _stamped(
        self, painter: QPainter, what: str, code: int, radius: float, x: Pixels, y: Pixels, opacity: float
    ) -> None:
        """Paints one pixmap at many places in one call, as fragments of ten doubles."""
        if not len(x):
            return
        ratio = painter.device().devicePixelRatioF()
        stamp = self._stamp(what, code, radius, ratio)
        fragments = np.empty((len(x), 10))
        fragments[:, 0], fragments[:, 1] = x, y
        fragments[:, 2:] = (0, 0, stamp.width(), stamp.height(), 1 / ratio, 1 / ratio, 0, opacity)
        first = Shiboken.wrapInstance(fragments.ctypes.data, QPainter.PixmapFragment)
        painter.drawPixmapFragments(cast(QPainter.PixmapFragment, first), len(x), stamp)

    def _stamp(self, what: str, code: int, radius: float, ratio: float) -> QPixmap:
        key = (what, code, radius * 1000 + ratio)
        if key not in self._stamps:
            size = int(np.ceil((2 * radius * 1.3 + 4) * ratio))
            stamp = QPixmap(size, size)
            stamp.fill(Qt.GlobalColor.transparent)
            with QPainter(stamp) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.scale(ratio, ratio)
                self._symbol(painter, what, code, radius, QPointF(size / ratio / 2, size / ratio / 2))
            self._stamps[key] = stamp
        return self._stamps[key]

    def _symbol(self, painter: QPainter, what: str, code: int, radius: float, middle: QPointF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if what == "class":
            draw_symbol(painter, self.look, code, middle, radius)
            return
        if what == "dot":
            pen_and_brush(painter, Qt.PenStyle.NoPen, self.look.text)
            painter.drawEllipse(middle, radius, radius)
            return
        color, wide = (self.look.text, 1.2) if what == "wrong" else (self.look.accent, 3.0)
        pen_and_brush(painter, QPen(color, wide))
        painter.drawEllipse(middle, radius, radius)

    def _grid(self, painter: QPainter, points: ScatterPoints, window: Window, area: QRectF) -> None:
        """Draws a line between the bands of nominal axes."""
        painter.setPen(QPen(self.look.line, 1, Qt.PenStyle.DotLine))
        if points.across.is_banded and points.across.n_bands <= area.width() / 12:
            for edge in range(1, points.across.n_bands):
                x = area.x() + window.to_pixel(edge / points.across.n_bands, 0)[0]
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        if points.up.is_banded and points.up.n_bands <= area.height() / 12:
            for edge in range(1, points.up.n_bands):
                y = area.y() + window.to_pixel(0, edge / points.up.n_bands)[1]
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))

    def _axes(self, painter: QPainter, points: ScatterPoints, window: Window, area: QRectF) -> None:
        painter.setPen(QPen(self.look.line, 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.topLeft(), area.bottomLeft())
        line, names = self.metrics.height(), (points.across.attribute.name, points.up.attribute.name)
        painter.setPen(self.look.dim)
        across, up = points.across, points.up
        for unit, text in ticks(across, window.left, window.right, self._most_across(across, window, area)):
            x = area.x() + window.to_pixel(unit, 0)[0]
            room = window.per_x / across.n_bands * 0.96 if across.is_banded else 200.0
            painter.drawText(
                QRectF(x - 200, area.bottom() + 4, 400, line),
                Qt.AlignmentFlag.AlignHCenter,
                elided(self.metrics, text, max(room, 44), across.attribute.values if across.is_banded else ()),
            )
        for unit, text in ticks(up, window.low, window.high, self._most_up(area.height())):
            y = area.y() + window.to_pixel(0, unit)[1]
            if y < area.top() - 1 or y > area.bottom() + 1:
                continue
            room = area.left() - line - 14
            if not up.is_banded:
                room = max(room, self.metrics.horizontalAdvance(text))  # a cut number would be another number
            painter.drawText(
                QRectF(area.left() - 6 - room, y - line / 2, room, line),
                MIDDLE_RIGHT,
                elided(self.metrics, text, room, up.attribute.values) if up.is_banded else text,
            )
        painter.setPen(self.look.text)
        below = QRectF(area.left(), area.bottom() + line + 6, area.width(), line + 2)
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, elided(self.metrics, names[0], area.width(), names))
        shown, middle = upright(self.metrics, names, area, 2 * line + 8)
        painter.translate(4.0, middle)
        painter.rotate(-90)
        length = area.height() + 4 * line
        beside = QRectF(-length / 2, 0, length, line + 2)
        painter.drawText(beside, Qt.AlignmentFlag.AlignHCenter, shown)

    def _most_across(self, scale: AxisScale, window: Window, area: QRectF) -> int:
        if scale.is_banded:
            return max(2, int(area.width() / 48))
        sample = ticks(scale, window.left, window.right, 6)
        widest = max((self.metrics.horizontalAdvance(text) for _, text in sample), default=30.0)
        return max(2, min(MOST_TICKS, int(area.width() / (widest + 48))))

    def _most_up(self, height: float) -> int:
        return max(2, min(MOST_TICKS, int(height / (2.4 * self.metrics.height()))))
