"""Paints a tree drawing: boxes with words from near, coloured shares from afar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, cast

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QTransform
from shiboken6 import Shiboken

from algorithms.data.columns import FloatArray
from algorithms.structures.tree import NO_NODE
from algorithms.text.numbers import weight_text
from workbench.layout.camera import MARGIN
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import LEAST_PX, themes
from workbench.viewers.charts.legend import MOST_COLORED
from workbench.viewers.tree.split_histograms import SplitHistogram, axis_around, axis_numbers, pixel_rows
from workbench.viewers.tree.tree_drawing import (
    BESIDE_CLASS,
    BESIDE_EDGE,
    BESIDE_NAME,
    BEYOND,
    FULL_FROM,
    HANDLE,
    NAME_LINE,
    WIDEST_EDGE,
    Boxes,
    DetailLevel,
    Marks,
    TreeDrawing,
    TreePlan,
    View,
    edge_widths,
    node_texts,
    piece_ends,
)
from workbench.viewers.tree.tree_words import (
    answer_forms,
    branch_label,
    count_texts,
    range_label,
    selected_texts,
    threshold_label,
)
from workbench.widgets.labels import elided
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush

Bars = list[tuple[QColor, FloatArray]]
"""Boxes (n, 4) in pixels by their colour."""


class DistantTreePainter:
    """Paints a drawing from afar, without names."""

    def __init__(self, drawing: TreeDrawing, look: StructureColors) -> None:
        self.drawing, self.look = drawing, look

    def paint(self, painter: QPainter, view: View, boxes: Boxes, marks: Marks) -> None:
        """Paints the visible part; the painter's coordinates are pixels."""
        self._paint_lines(painter, view, boxes, marks)
        self._paint_boxes(painter, boxes, view.detail)
        self._paint_selected(painter, view, marks)
        self._paint_found(painter, view, marks)
        self._paint_marks(painter, boxes, marks)

    def _paint_lines(self, painter: QPainter, view: View, boxes: Boxes, marks: Marks) -> None:
        drawing, look = self.drawing, self.look
        children = boxes.edges
        x0, y0, x1, y1 = boxes.edge_ends(children)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(children) < 600)
        width = np.clip(drawing.plan.share[children] * WIDEST_EDGE * min(1.0, view.scale_y), 0.7, None)
        lit = np.isin(children, list(marks.lit)) if marks.lit else np.zeros(len(children), dtype=np.bool_)
        for low, high in ((0.0, 1.01), (1.01, 2.5), (2.5, 6.0), (6.0, 99.0)):
            chosen = np.flatnonzero((width >= low) & (width < high) & ~lit)
            if len(chosen):
                pen = QPen(look.edge, max(1.0, float(width[chosen].mean())))
                pen.setCosmetic(True)
                painter.setPen(pen)
                _draw_lines(painter, x0[chosen], y0[chosen], x1[chosen], y1[chosen])
        if lit.any():
            painter.setPen(QPen(look.accent, 2.5))
            _draw_lines(painter, x0[lit], y0[lit], x1[lit], y1[lit])

    def _paint_boxes(self, painter: QPainter, boxes: Boxes, detail: DetailLevel) -> None:
        drawing, look = self.drawing, self.look
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        nodes, left, top, width, height = boxes.nodes, boxes.left, boxes.top, boxes.width, boxes.height
        shown_width = np.maximum(width, 1.0)
        if detail is DetailLevel.FAR:
            decision = drawing.tree.decision[nodes]
            for code in np.unique(decision).tolist():
                mine = decision == code
                _fill(painter, look.class_color(code), left[mine], top[mine], shown_width[mine], height[mine])
            return
        _fill(painter, look.line, left, top, shown_width, height)  # visible for nodes without records
        order = look.theme.colored_first(len(drawing.tree.schema.classes))
        ends = piece_ends(drawing.plan.shares(nodes)[:, order], left, shown_width)
        for place, code in enumerate(order):
            from_left, across = ends[:, place], ends[:, place + 1] - ends[:, place]
            mine = across > 0
            if mine.any():
                brushes = (look.class_color(code), look.pattern(code) if width[0] > 14 else None)
                for brush in brushes:
                    if brush is not None:
                        _fill(painter, brush, from_left[mine], top[mine], across[mine], height[mine])
        self._paint_wrong(painter, boxes, shown_width)
        closed = np.flatnonzero(drawing.collapsed[nodes])
        middle, foot = (left + width / 2 - 2)[closed], (top + height + 1)[closed]
        _fill(painter, look.text, middle, foot, np.full(len(closed), 4.0), np.full(len(closed), 3.0))

    def _paint_wrong(self, painter: QPainter, boxes: Boxes, width: FloatArray) -> None:
        """Paints a line over the classes, as long as the share of wrong predictions."""
        plan, nodes = self.drawing.plan, boxes.nodes
        if plan.counted.wrong is None or not len(nodes):
            return
        records = plan.records[nodes]
        share = np.divide(plan.counted.wrong[nodes], records, out=np.zeros(len(nodes)), where=records > 0)
        some = np.flatnonzero(share > 0)
        left, top, long = boxes.left[some], boxes.top[some] - 5, share[some] * width[some]
        _fill(painter, self.look.bad, left, top, long, np.full(len(some), 4.0))

    def _paint_selected(self, painter: QPainter, view: View, marks: Marks) -> None:
        """Paints a line under each node with selected records, as long as their share."""
        if marks.selected is None:
            return
        chosen = Boxes(self.drawing, view, marks.selected > 0)
        some, records = marks.selected[chosen.nodes], self.drawing.plan.records[chosen.nodes]
        share = np.divide(some, records, out=np.ones(len(records)), where=records > 0)
        across = np.maximum(np.minimum(share, 1.0) * chosen.width, 2.0)
        top = chosen.top + chosen.height
        _fill(painter, self.look.accent, chosen.left, top + 1, across, np.full(len(top), 4.0))

    def _paint_found(self, painter: QPainter, view: View, marks: Marks) -> None:
        if marks.matches is None:
            return
        matches = Boxes(self.drawing, view, marks.matches)
        across = np.maximum(matches.width, 3.0)
        left = matches.left + (matches.width - across) / 2
        _fill(painter, self.look.text, left, matches.top - 3, across, matches.height + 6)

    def _paint_marks(self, painter: QPainter, boxes: Boxes, marks: Marks) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        marked = self.drawing.standing_for(marks.focus)
        for node, pen in ((marks.hover, QPen(self.look.text, 2)), (marked, focus_pen(self.look, marks, marked))):
            rect = boxes.rect_of(node)
            if rect is not None:
                painter.setPen(pen)
                painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), 3, 3)


def focus_pen(look: StructureColors, marks: Marks, node: int) -> QPen:
    """The pen of the focused node: bold with keyboard focus, dashed on the node that hides it."""
    pen = QPen(look.accent, 2 if marks.focus_is_visible else 1.2)
    if node != marks.focus:
        pen.setStyle(Qt.PenStyle.DashLine)
    return pen


def _draw_lines(painter: QPainter, x0: FloatArray, y0: FloatArray, x1: FloatArray, y1: FloatArray) -> None:
    """Draws lines straight from memory, because an object per line would keep the garbage collector busy."""
    ends = np.column_stack((x0, y0, x1, y1))
    if len(ends):
        painter.drawLines(cast(QLineF, Shiboken.wrapInstance(ends.ctypes.data, QLineF)), len(ends))


def _fill(
    painter: QPainter, brush: QColor | QBrush, left: FloatArray, top: FloatArray, width: FloatArray, height: FloatArray
) -> None:
    _fill_boxes(painter, brush, np.column_stack((left, top, width, height)))


def _fill_boxes(painter: QPainter, brush: QColor | QBrush, boxes: FloatArray) -> None:
    """Fills boxes (n, 4): left, top, width and height."""
    if len(boxes):
        pen_and_brush(painter, Qt.PenStyle.NoPen, brush)
        painter.drawRects(cast(QRectF, Shiboken.wrapInstance(boxes.ctypes.data, QRectF)), len(boxes))


BY_HAND: Final = "by hand"
PILL_HEIGHT: Final = 16.0
PILL_AIR: Final = 10.0
BESIDE: Final = 6.0
"""Gap between the count of records and the badge beside it, in units of the drawing."""
CLEAR: Final = 0.75
"""Gap between the badge and the ends of its line, which the fold handle nearly touches."""


def badge_room(badge: str, metrics: QFontMetricsF, scale: float) -> float:
    """Pixels that the badge takes in the line of the count; 0 without badge."""
    return metrics.horizontalAdvance(badge) + (PILL_AIR + BESIDE) * scale if badge else 0.0


def beside_badge(line: QRectF, width: float, badge: str, metrics: QFontMetricsF, scale: float) -> tuple[QRectF, QRectF]:
    """Centred boxes for words of this width and a badge, clear of branch label and fold handle."""
    room = badge_room(badge, metrics, scale)
    left = line.center().x() - (width + room) / 2
    words = QRectF(left, line.top(), width, line.height())
    pill = QRectF(left + width + BESIDE * scale, line.top(), max(0.0, room - BESIDE * scale), line.height())
    return words, pill.adjusted(0, CLEAR * scale, 0, -CLEAR * scale)


def paint_by_hand(painter: QPainter, look: StructureColors, box: QRectF, marks: Marks, node: int, scale: float) -> None:
    """Paints a pill inside the lower right corner of a node edited by hand, in the painter's font."""
    if node in marks.by_hand:
        width = QFontMetricsF(painter.font()).horizontalAdvance(BY_HAND) + PILL_AIR * scale
        height = PILL_HEIGHT * scale
        paint_pill(painter, look, QRectF(box.right() - width, box.bottom() - height / 2, width, height), BY_HAND)


def paint_pill(painter: QPainter, look: StructureColors, pill: QRectF, words: str) -> None:
    pen_and_brush(painter, QPen(look.accent, 1), look.pane)
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    draw_text(painter, pill, words, look.accent, align=Qt.AlignmentFlag.AlignCenter)


AIR: Final = 8.0
AIR_OF_SELECTED: Final = 14.0
"""Free width beside the words in a box, both sides together, in units of the drawing."""


class NodeCountLabels:
    """Counts of the nodes in one painting, all in the longest form of words that fits each."""

    def __init__(self, plan: TreePlan, marks: Marks, metrics: QFontMetricsF, scale: float) -> None:
        self._plan, self._marks, self._metrics, self._scale = plan, marks, metrics, scale
        self._form = {"plain": 0, "selected": 0, "share": 0}
        self._has_room_for_selected = True

    def is_of_selected(self, node: int) -> bool:
        """Whether the text of a node says how many of its records are selected."""
        selected = self._marks.selected
        has_selected = self._plan.counted.wrong is None and selected is not None and bool(selected[node] > 0)
        return has_selected and self._has_room_for_selected

    def agree(self, nodes: Sequence[int], widths: Sequence[float]) -> None:
        """Chooses the form that fits in all these nodes, whose boxes have these widths in pixels.

        A count without the word "selected" would read as the count of a class, so all nodes then show their records.
        """
        self._has_room_for_selected = all(
            self._metrics.horizontalAdvance(self._whole(node)[-1]) <= self.room(node, width)
            for node, width in zip(nodes, widths, strict=True)
            if self.is_of_selected(node)
        )
        for node, width in zip(nodes, widths, strict=True):
            kind = self._kind(node)
            if kind == "plain" and not self._marks.badges:
                continue
            whole, room, form = self._whole(node), self.room(node, width), self._form[kind]
            while form < len(whole) - 1 and self._metrics.horizontalAdvance(whole[form]) > room:
                form += 1
            self._form[kind] = form

    def _kind(self, node: int) -> str:
        """Whether a text is about selected records, has a share of the records, or only counts them."""
        if self.is_of_selected(node):
            return "selected"
        return "share" if "%" in self._whole(node)[0] else "plain"

    def texts(self, node: int) -> Sequence[str]:
        """Texts for a node, the longest first."""
        whole = self._whole(node)
        return whole[min(self._form[self._kind(node)], len(whole) - 1) :]

    def room(self, node: int, width: float) -> float:
        """Pixels for the words in a box of this width, beside its badge."""
        air = AIR_OF_SELECTED if self.is_of_selected(node) else AIR
        badge = self._marks.badges.get(node, "")
        return width - air * self._scale - badge_room(badge, self._metrics, self._scale)

    def _whole(self, node: int) -> tuple[str, ...]:
        selected = self._marks.selected
        if selected is not None and self.is_of_selected(node):
            return selected_texts(float(selected[node]), float(self._plan.records[node]))
        return count_texts(self._plan, node)


NAME_PX: Final = 13
SMALL_PX: Final = 11.5
WANTED_PX: Final = 12
"""Least size of text, before scaling, where a node is large enough for it, else :data:`LEAST_PX`."""
BEYOND_AXIS: Final = 6.0
"""Room for a number beyond an end of the axis in a box, in units of the drawing."""
ALONE: Final = 7.0
"""Offset of the content of a box whose last line is left out."""
LEAST_PLATE, MOSTLY = 3.0, 0.62
"""Least width of a plate for a name in heights of a line, and the least share of its letters that a plate shows."""
UNCLIPPED: Final = Qt.TextFlag.TextDontClip
AT_LEFT: Final = MIDDLE_LEFT | UNCLIPPED


class TreePainter:
    """Paints a drawing. The text of a node is prepared when it first comes into view, and cached."""

    def __init__(self, drawing: TreeDrawing, look: StructureColors, font: QFont) -> None:
        self.drawing = drawing
        self.look = look
        self._font = font
        self._far = DistantTreePainter(drawing, look)
        self._marked = NO_NODE
        self._across = 0.0
        self._answer_form = 0
        self._names, self._classes = drawing.tree.schema.names, drawing.tree.schema.classes
        self._order = np.array(look.theme.colored_first(len(self._classes)), dtype=np.int64)
        self._labels: dict[int, str] = {}
        self._elided: dict[tuple[int, str, int], str] = {}
        self._broken: dict[tuple[int, str, int, int], list[str]] = {}
        self._fonts: dict[tuple[int, bool], tuple[QFont, QFontMetricsF]] = {}
        self._charts: dict[int, tuple[tuple[object, ...], Bars, list[tuple[float, str]]]] = {}
        """Bars and numbers of the splits, and what they were made for."""

    def paint(self, painter: QPainter, view: View, marks: Marks) -> None:
        """Paints the visible part; the painter's coordinates are pixels."""
        drawing = self.drawing
        if not len(drawing.shown):
            return
        boxes = Boxes(drawing, view)
        detail, self._across = view.detail, view.width
        self._marked = drawing.standing_for(marks.focus)
        if detail >= DetailLevel.NAMES:
            self._paint_curves(painter, view, boxes, marks)
            self._paint_nodes(painter, view, boxes, marks, detail)
        else:
            self._far.paint(painter, view, boxes, marks)
            self._paint_plates(painter, boxes)

    def _paint_plates(self, painter: QPainter, boxes: Boxes) -> None:
        """Paints attributes and classes on a plate over the shares of a box that has room for most of the name."""
        font, metrics = self._sized(LEAST_PX, 1.0, bold=False)
        high, tree = metrics.height(), self.drawing.tree
        painter.setFont(font)
        for place in np.flatnonzero((boxes.height > 2 * high) & (boxes.width > LEAST_PLATE * high)).tolist():
            node, room = int(boxes.nodes[place]), float(boxes.width[place])
            names = self._classes if tree.is_leaf(node) else self._names
            texts = node_texts(tree, node)
            name = self._fitting(texts, room - 4, metrics, names)
            if name not in texts and len(name) < MOSTLY * len(texts[-1]):
                continue
            plate = QRectF(boxes.left[place], boxes.top[place], room, high).adjusted(1, 1, -1, 0)
            pen_and_brush(painter, Qt.PenStyle.NoPen, self.look.pane)
            painter.drawRect(plate)
            draw_text(painter, plate, name, self.look.text, align=Qt.AlignmentFlag.AlignCenter)

    def _paint_curves(self, painter: QPainter, view: View, boxes: Boxes, marks: Marks) -> None:
        drawing = self.drawing
        children = boxes.edges
        x0, y0, x1, y1 = boxes.edge_ends(children)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        widths = edge_widths(drawing.plan.share[children]) * view.scale_x
        order = np.argsort(widths, kind="stable")
        for i in order.tolist():
            lit = int(children[i]) in marks.lit
            pen = QPen(self.look.accent if lit else self.look.edge, max(float(widths[i]), 2.0 if lit else 1.0))
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.drawPath(_curve(float(x0[i]), float(y0[i]), float(x1[i]), float(y1[i])))

    def _paint_nodes(self, painter: QPainter, view: View, boxes: Boxes, marks: Marks, detail: DetailLevel) -> None:
        font, metrics = self._sized(NAME_PX, view.scale_x, bold=False)
        bold, bold_metrics = self._sized(NAME_PX, view.scale_x, bold=True)
        small, small_metrics = self._sized(SMALL_PX, view.scale_x, bold=False)
        shares = self.drawing.plan.shares(boxes.nodes)
        counts = NodeCountLabels(self.drawing.plan, marks, small_metrics, view.scale_x)
        self._answer_form = self._form_of_answers(boxes, marks, view.scale_x)
        if detail is DetailLevel.FULL:
            counts.agree(boxes.nodes.tolist(), boxes.width.tolist())
        for i, node in enumerate(boxes.nodes.tolist()):
            rect = QRectF(boxes.left[i], boxes.top[i], boxes.width[i], boxes.height[i])
            leaf = self.drawing.tree.is_leaf(node)
            self._paint_box(painter, rect, node, leaf, marks, view.scale_x)
            histogram = None if self.drawing.plan.counted.are_tested else marks.histograms.get(node)
            if histogram is not None:
                fonts = (bold, bold_metrics), (small, small_metrics)
                self._paint_split(painter, rect, node, histogram, *fonts, view.scale_x)
                self._paint_selected(painter, rect, node, marks, view.scale_x, below=74.5)
                painter.setFont(small)
                if detail is DetailLevel.FULL:
                    self._paint_badge(painter, rect, node, marks, small_metrics, view.scale_x)
                self._paint_branch(painter, rect, node, marks, small_metrics, view.scale_x)
                self._paint_handle(painter, rect, node, marks, view.scale_x, small)
                if detail is DetailLevel.FULL:
                    painter.setFont(small)
                    paint_by_hand(painter, self.look, rect, marks, node, view.scale_x)
                continue
            inner = rect if detail is DetailLevel.FULL else rect.translated(0.0, ALONE * view.scale_x)
            painter.setFont(bold if leaf else font)
            self._paint_name(painter, inner, node, leaf, bold_metrics if leaf else metrics, view.scale_x)
            below = NAME_LINE * view.scale_x if self.drawing.plan.two_lined[node] else 0.0
            self._paint_bar(painter, inner.translated(0.0, below), shares[i], view.scale_x)
            self._paint_selected(painter, inner.translated(0.0, below), node, marks, view.scale_x)
            if detail is DetailLevel.FULL:
                painter.setFont(small)
                at_foot = rect.translated(0.0, below)
                self._paint_count(painter, at_foot, node, counts, marks, small_metrics, view.scale_x)
            painter.setFont(small)
            self._paint_branch(painter, rect, node, marks, small_metrics, view.scale_x)
            if not leaf:
                self._paint_handle(painter, rect, node, marks, view.scale_x, small)
            if detail is DetailLevel.FULL:
                painter.setFont(small)
                paint_by_hand(painter, self.look, rect, marks, node, view.scale_x)

    def _paint_split(
        self,
        painter: QPainter,
        rect: QRectF,
        node: int,
        histogram: SplitHistogram,
        name: tuple[QFont, QFontMetricsF],
        small: tuple[QFont, QFontMetricsF],
        scale: float,
    ) -> None:
        """Paints the name in one or two lines, the classes over the attribute, and the threshold between them."""
        look, (font, metrics), (small_font, small_metrics) = self.look, name, small
        left, width = rect.left() + 9 * scale, rect.width() - 18 * scale
        painter.setFont(small_font)
        count = weight_text(float(self.drawing.plan.records[node]))
        line = QRectF(left, rect.top() + 5 * scale, width, 16 * scale)
        draw_text(painter, line, count, look.dim, align=MIDDLE_RIGHT | UNCLIPPED)
        painter.setFont(font)
        room = width - small_metrics.horizontalAdvance(count) - 6 * scale
        lines = self._lines(node_texts(self.drawing.tree, node)[0], room, width, metrics, self._names)
        for text in lines:
            draw_text(painter, line, text, look.text, align=MIDDLE_LEFT | UNCLIPPED)
            line = line.translated(0.0, NAME_LINE * scale)
        foot = rect.top() + 74 * scale
        threshold = float(self.drawing.tree.threshold[node])
        share = histogram.share(threshold if histogram.border is None else histogram.border)
        words = threshold_label(self.drawing.plan.worded, node)
        half = small_metrics.horizontalAdvance(words) / 2
        left, width = axis_around(left, width, histogram.share(threshold), half - BEYOND_AXIS * scale)
        plot = QRectF(left, line.top() + 4 * scale, width, foot - line.top() - 4 * scale)
        bars, (own, *ends) = self._chart(painter, node, histogram, (threshold, words), plot, small_metrics)
        paint_bars(painter, self.look, plot, bars)
        x = plot.left() + share * plot.width()
        pen_and_brush(painter, QPen(look.text, 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, plot.top() - 2 * scale), QPointF(x, foot + 3 * scale))
        painter.setFont(small_font)
        line = QRectF(left, foot + 3 * scale, width, 14 * scale)
        for start, text in (own, *ends):
            wide, color = small_metrics.horizontalAdvance(text), look.text if text == own[1] else look.dim
            draw_text(painter, QRectF(start, line.top(), wide, line.height()), text, color, align=AT_LEFT)

    def _chart(
        self,
        painter: QPainter,
        node: int,
        histogram: SplitHistogram,
        threshold: tuple[float, str],
        plot: QRectF,
        metrics: QFontMetricsF,
    ) -> tuple[Bars, list[tuple[float, str]]]:
        """The bars of a split and the numbers below them, which only another view or histogram changes."""
        device, measure, plan = painter.deviceTransform(), metrics.horizontalAdvance, self.drawing.plan
        place = plot.left(), plot.top(), plot.width(), plot.height()
        made_for = histogram, threshold, place, metrics, device.m11(), device.m22(), device.dx(), device.dy()
        if node not in self._charts or self._charts[node][0] != made_for:
            axis, has_ends = (plot.left(), plot.width()), plan.own is plan.tree
            numbers = axis_numbers(histogram, threshold, axis, measure, has_ends=has_ends)
            self._charts[node] = made_for, bin_bars(device, self.look, plot, histogram.counts), numbers
        return self._charts[node][1:]

    def _lines(
        self, text: str, first: float, second: float, metrics: QFontMetricsF, among: tuple[str, ...] = ()
    ) -> list[str]:
        """A name in one line if it fits, else in two, broken between words.

        The second line is cut in the middle, or so that it differs from those of names ``among`` with the same first.
        """
        if metrics.horizontalAdvance(text) <= first:
            return [text]
        key = (id(metrics), text, int(first), int(second))
        if key not in self._broken:
            self._broken[key] = self._two_lines(text, first, second, metrics, among)
        return self._broken[key]

    def _two_lines(
        self, text: str, first: float, second: float, metrics: QFontMetricsF, among: tuple[str, ...]
    ) -> list[str]:
        words = text.split(" ")
        fitting = [n for n in range(1, len(words)) if metrics.horizontalAdvance(" ".join(words[:n])) <= first]
        if not fitting:
            return [self._fitting((text,), first, metrics, among)]
        begin, rest = " ".join(words[: fitting[-1]]), " ".join(words[fitting[-1] :])
        if metrics.horizontalAdvance(rest) <= second:
            return [begin, rest]
        alike = tuple(other.removeprefix(begin).strip() for other in among if other.startswith(begin))
        return [begin, self._fitting((rest,), second, metrics, alike)]

    def _paint_badge(
        self, painter: QPainter, rect: QRectF, node: int, marks: Marks, metrics: QFontMetricsF, scale: float
    ) -> None:
        badge = marks.badges.get(node, "")
        if badge:
            width = badge_room(badge, metrics, scale) - BESIDE * scale
            pill = QRectF(rect.right() - width, rect.top() - 8 * scale, width, 15 * scale)
            paint_pill(painter, self.look, pill, badge)

    def _paint_box(self, painter: QPainter, rect: QRectF, node: int, leaf: bool, marks: Marks, scale: float) -> None:
        look = self.look
        if node == self._marked:
            pen_and_brush(painter, focus_pen(look, marks, node))
            painter.drawRoundedRect(rect.adjusted(-4, -4, 4, 4), 9 * scale, 9 * scale)
        is_found = marks.matches is not None and bool(marks.matches[node])
        if is_found:
            pen_and_brush(painter, QPen(look.found, max(2.0, 3 * scale)))
            painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), 9 * scale, 9 * scale)
        if leaf:
            pen = QPen(look.class_color(int(self.drawing.tree.decision[node])), 2)
        elif node in marks.lit or node == marks.hover:
            pen = QPen(look.accent if node in marks.lit else look.dim, 1.5)
        else:
            pen = QPen(look.line, 1.2)
        if marks.waiting is not None and bool(marks.waiting[node]):
            pen.setStyle(Qt.PenStyle.DashLine)
        if node in marks.by_hand:
            pen = QPen(look.accent, max(2.0, 1.6 * scale))
        fill = look.found_soft if is_found else look.accent_soft if node in marks.lit else look.pane
        pen_and_brush(painter, pen, fill)
        painter.drawRoundedRect(rect, 7 * scale, 7 * scale)
        plan = self.drawing.plan
        records = float(plan.records[node])
        share = 0.0 if plan.counted.wrong is None or records <= 0 else float(plan.counted.wrong[node]) / records
        if share > 0:
            color = QColor(self.look.bad)
            color.setAlphaF(min(0.35, 0.7 * share))
            pen_and_brush(painter, Qt.PenStyle.NoPen, color)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6 * scale, 6 * scale)

    def _paint_name(
        self, painter: QPainter, rect: QRectF, node: int, leaf: bool, metrics: QFontMetricsF, scale: float
    ) -> None:
        tree, among = self.drawing.tree, self._classes if leaf else self._names
        room = rect.width() - (BESIDE_CLASS if leaf else BESIDE_NAME) * scale
        if self.drawing.plan.two_lined[node]:
            lines = self._lines(node_texts(tree, node)[0], room, room, metrics, among)
        else:
            lines = [self._fitting(node_texts(tree, node), room, metrics, among)]
        line = QRectF(rect.left() + 6 * scale, rect.top() + 5 * scale, rect.width() - 12 * scale, 18 * scale)
        align = Qt.AlignmentFlag.AlignCenter
        if self.drawing.plan.two_lined[node] and len(lines) == 1:
            line.translate(0.0, NAME_LINE / 2 * scale)
        if leaf:
            code = int(tree.decision[node])
            whole = max(map(metrics.horizontalAdvance, lines)) + 15 * scale
            start = line.center().x() - whole / 2
            draw_symbol(painter, self.look, code, QPointF(start + 5 * scale, line.center().y()), 4.6 * scale)
            line.setLeft(start + 15 * scale)
            align = MIDDLE_LEFT
        for text in lines:
            draw_text(painter, line, text, self.look.text, align=align | UNCLIPPED)
            line.translate(0.0, NAME_LINE * scale)

    def _paint_bar(self, painter: QPainter, rect: QRectF, shares: FloatArray, scale: float) -> None:
        left, width = rect.left() + 11 * scale, rect.width() - 22 * scale
        top, height = rect.top() + 26 * scale, max(3.0, 6.5 * scale)
        for code in self._order[shares[self._order] > 0].tolist():
            across = float(shares[code]) * width
            segment = QRectF(left, top, across, height)
            painter.fillRect(segment, self.look.class_color(code))
            pattern = self.look.pattern(code)
            if pattern is not None and across > 5:
                painter.fillRect(segment, pattern)
            left += across

    def _paint_selected(
        self, painter: QPainter, rect: QRectF, node: int, marks: Marks, scale: float, below: float = 33.5
    ) -> None:
        """Paints the selected share of a node under its classes, ``below`` the top of its box."""
        if marks.selected is None or marks.selected[node] <= 0:
            return
        records = float(self.drawing.plan.records[node])
        share = min(1.0, float(marks.selected[node]) / records) if records > 0 else 1.0
        width = rect.width() - 22 * scale
        line = QRectF(rect.left() + 11 * scale, rect.top() + below * scale, width, max(2.0, 3 * scale))
        painter.fillRect(line, self.look.accent_soft)
        line.setWidth(max(3.0, share * width))
        painter.fillRect(line, self.look.accent)

    def _paint_count(
        self,
        painter: QPainter,
        rect: QRectF,
        node: int,
        counts: NodeCountLabels,
        marks: Marks,
        metrics: QFontMetricsF,
        scale: float,
    ) -> None:
        badge = marks.badges.get(node, "")
        above = 35.5 if badge else 36.5
        line = QRectF(rect.left(), rect.top() + above * scale, rect.width(), 15 * scale)
        color = self.look.dim if self.drawing.plan.counted.wrong is None else self.look.text
        if counts.is_of_selected(node):
            color = self.look.accent
        words = self._fitting(counts.texts(node), counts.room(node, rect.width()), metrics, ())
        place, pill = beside_badge(line, metrics.horizontalAdvance(words), badge, metrics, scale)
        draw_text(painter, place, words, color, align=Qt.AlignmentFlag.AlignCenter | UNCLIPPED)
        if badge:
            paint_pill(painter, self.look, pill, badge)

    def _paint_branch(
        self, painter: QPainter, rect: QRectF, node: int, marks: Marks, metrics: QFontMetricsF, scale: float
    ) -> None:
        has_room = self._has_room(int(self.drawing.plan.tree.parent[node]), scale)
        is_answer = node in marks.answers and has_room
        label = marks.answers[node] if is_answer else self._label(node) if has_room else ""
        if not label:
            return
        shorter = answer_forms(label)
        branch, room = self._beside_branch(node, scale)
        if is_answer:
            room = max(room, self._free_room(node, rect, branch, scale))
            shorter = shorter[self._answer_form if ", so " in label else 0 :]
            label = shorter[0]
        if metrics.horizontalAdvance(label) > room:
            font, metrics = self._sized(SMALL_PX, scale, bold=False, wanted=LEAST_PX)
            painter.setFont(font)
        if between := range_label(self.drawing.plan.worded, node):
            shorter = [between]
            label = label if is_answer or self._has_room_for_words(node, scale) else between
        text = self._fitting((label, *shorter), room, metrics, ())
        if between and text not in (label, between):
            return
        width, height = metrics.horizontalAdvance(text) + (6 * scale if is_answer else 0.0), 15 * scale
        is_left = self.drawing.layout.x[node] < self.drawing.parent_x[node]
        away = branch / 2 + BESIDE_EDGE * scale
        x = rect.center().x() + (-away - width if is_left else away)
        if is_answer and rect.left() >= 0 and rect.right() <= self._across:  # its frame is wider than its text
            x = max(1.0, min(x, self._across - width - 1.0))
        back = QRectF(x, rect.top() - height - 3 * scale, width, height)
        if is_answer:
            pen_and_brush(painter, QPen(self.look.accent, 1), self.look.accent_soft)
            painter.drawRoundedRect(back, 4 * scale, 4 * scale)
        draw_text(painter, back, text, self.look.text, align=Qt.AlignmentFlag.AlignCenter | UNCLIPPED)

    def _label(self, node: int) -> str:
        if node not in self._labels:
            self._labels[node] = branch_label(self.drawing.plan.worded, node)
        return self._labels[node]

    def _beside_branch(self, node: int, scale: float) -> tuple[float, float]:
        """The thickness of a node's branch, and the room beside it, on the side that it does not come from."""
        branch = float(edge_widths(self.drawing.plan.share[[node]])[0]) * scale
        beyond = min(BEYOND * scale, MARGIN - 1.0)  # the outermost boxes are so far from the edge of the picture
        return branch, (float(self.drawing.widths[node]) / 2 - BESIDE_EDGE) * scale + beyond - branch / 2

    def _free_room(self, node: int, rect: QRectF, branch: float, scale: float) -> float:
        """Pixels beside a branch up to the edge of the picture; 0 if another node of the row stands there."""
        is_left = self.drawing.layout.x[node] < self.drawing.parent_x[node]
        if self.drawing.neighbour(node, 0, -1 if is_left else 1) != node:
            return 0.0
        to_edge = rect.center().x() if is_left else self._across - rect.center().x()
        return to_edge - branch / 2 - 12 * scale

    def _form_of_answers(self, boxes: Boxes, marks: Marks, scale: float) -> int:
        """The longest of the :func:`answer_forms` that all answers in view have room for: a path has one form."""
        _font, metrics = self._sized(SMALL_PX, scale, bold=False, wanted=LEAST_PX)
        form = 0
        for i, node in enumerate(boxes.nodes.tolist()):
            label = marks.answers.get(node, "")
            if ", so " not in label:
                continue
            rect = QRectF(boxes.left[i], boxes.top[i], boxes.width[i], boxes.height[i])
            branch, room = self._beside_branch(node, scale)
            room, forms = max(room, self._free_room(node, rect, branch, scale)), answer_forms(label)
            while form < len(forms) - 1 and metrics.horizontalAdvance(forms[form]) > room:
                form += 1
        return form

    def _has_room_for_words(self, node: int, scale: float) -> bool:
        """Whether all ranges of the split above a node have room for their words: a split has one form of them."""
        tree = self.drawing.plan.worded
        _font, metrics = self._sized(SMALL_PX, scale, bold=False, wanted=LEAST_PX)
        return all(
            metrics.horizontalAdvance(self._label(child)) <= self._beside_branch(child, scale)[1]
            for child in tree.children(int(tree.parent[node]))
            if range_label(tree, child)
        )

    def _has_room(self, parent: int, scale: float) -> bool:
        """Whether both branches of a threshold have room for it: a cut number would be another number."""
        tree = self.drawing.plan.worded
        if parent == NO_NODE or not tree.has_threshold(parent):
            return True
        _font, metrics = self._sized(SMALL_PX, scale, bold=False, wanted=LEAST_PX)
        return all(
            metrics.horizontalAdvance(self._label(child)) <= self._beside_branch(child, scale)[1]
            for child in tree.children(parent)
        )

    def _paint_handle(
        self, painter: QPainter, rect: QRectF, node: int, marks: Marks, scale: float, font: QFont
    ) -> None:
        hidden = int(self.drawing.hidden[node])
        radius = HANDLE * scale
        middle = QPointF(rect.center().x(), rect.bottom() + radius)  # below the threshold's label
        look = self.look
        pen = QPen(look.dim if node != marks.hover else look.accent, 1)
        pen_and_brush(painter, pen, look.accent_soft if hidden else look.pane)
        painter.setFont(font)
        if hidden:
            n_found = 0 if marks.matches_below is None else int(marks.matches_below[node])
            text = f"+{hidden:,}, {n_found:,} found" if n_found else f"+{hidden:,}"
            if n_found:
                pen_and_brush(painter, QPen(look.found, 1.5), look.found_soft)
            width = max(2 * radius, painter.fontMetrics().horizontalAdvance(text) + 10 * scale)
            pill = QRectF(middle.x() - width / 2, middle.y() - radius, width, 2 * radius)
            painter.drawRoundedRect(pill, radius, radius)
            draw_text(painter, pill, text, look.text if n_found else look.accent, align=Qt.AlignmentFlag.AlignCenter)
        else:
            painter.drawEllipse(middle, radius * 0.8, radius * 0.8)
            painter.setPen(QPen(look.dim, 1.2))
            painter.drawLine(
                QPointF(middle.x() - radius * 0.4, middle.y()), QPointF(middle.x() + radius * 0.4, middle.y())
            )

    def _sized(
        self, pixels: float, scale: float, *, bold: bool, wanted: int = WANTED_PX
    ) -> tuple[QFont, QFontMetricsF]:
        size = max(LEAST_PX, min(themes.px(wanted), int(LEAST_PX * scale / FULL_FROM)), round(pixels * scale))
        sized = self._fonts.get((size, bold))
        if sized is None:
            font = QFont(self._font)
            font.setPixelSize(size)
            font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
            sized = self._fonts[size, bold] = (font, QFontMetricsF(font))
        return sized

    def _fitting(self, texts: Sequence[str], room: float, metrics: QFontMetricsF, among: tuple[str, ...]) -> str:
        for text in texts[:-1]:
            if metrics.horizontalAdvance(text) <= room:
                return text
        key = (id(metrics), texts[-1], int(room))
        if key not in self._elided:
            self._elided[key] = elided(metrics, texts[-1], room, among)
        return self._elided[key]


def name_measure() -> Callable[[str], float]:
    """A function that measures the width of a name at 100%."""
    font = themes.font(NAME_PX, bold=True)
    font.setPixelSize(NAME_PX)
    return QFontMetricsF(font).horizontalAdvance


def _curve(x0: float, y0: float, x1: float, y1: float) -> QPainterPath:
    path = QPainterPath(QPointF(x0, y0))
    bend = (y1 - y0) * 0.55
    path.cubicTo(QPointF(x0, y0 + bend), QPointF(x1, y1 - bend), QPointF(x1, y1))
    return path


def paint_bins(painter: QPainter, look: StructureColors, plot: QRectF, counts: FloatArray) -> None:
    """Paints stacked bars of weights ``counts`` (b, k), the grey classes on top of :data:`MOST_COLORED` at most."""
    paint_bars(painter, look, plot, bin_bars(painter.deviceTransform(), look, plot, counts))


def paint_bars(painter: QPainter, look: StructureColors, plot: QRectF, bars: Bars) -> None:
    if not bars:
        return
    painter.setPen(QPen(look.line, 1))
    painter.drawLine(plot.bottomLeft(), plot.bottomRight())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for brush, boxes in bars:
        _fill_boxes(painter, brush, boxes)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def bin_bars(device: QTransform, look: StructureColors, plot: QRectF, counts: FloatArray) -> Bars:
    """Stacked bars of weights ``counts`` (b, k) on whole pixels of the ``device``; none without weight."""
    highest = float(counts.sum(axis=1).max(initial=0.0))
    if highest <= 0:
        return []
    totals, colored = counts.sum(axis=0), look.theme.colored
    codes = np.array([code for code in np.flatnonzero(totals) if colored is None or code in colored], dtype=np.int64)
    if len(codes) > MOST_COLORED:
        codes = np.sort(codes[np.argsort(-totals[codes], kind="stable")[:MOST_COLORED]])
    bins = len(counts)
    unit, origin = device.m11(), device.dx()
    edges = np.round((plot.left() + np.arange(bins + 1) * (plot.width() / bins)) * unit + origin)
    gap = 1.0 if plot.width() / bins * unit > 4 else 0.0
    lefts, across = (edges - origin) / unit, np.maximum(1.0, np.diff(edges) - gap) / unit
    down = abs(device.m22())
    rows = np.maximum(np.rint(counts.sum(axis=1) * (plot.height() * down / highest)), counts.any(axis=1))
    others = counts.sum(axis=1) - counts[:, codes].sum(axis=1)
    heights = pixel_rows(np.column_stack((counts[:, codes], np.maximum(0.0, others))), rows)[:, :-1] / down
    bottom = (np.rint(plot.bottom() * device.m22() + device.dy()) - device.dy()) / device.m22()
    whole, tops = rows / down, bottom - np.cumsum(heights, axis=1)
    bars = [(look.theme.color("others"), np.column_stack((lefts[:-1], bottom - whole, across, whole)))]
    for i, code in enumerate(codes.tolist()):
        some = heights[:, i] > 0
        boxes = np.column_stack((lefts[:-1][some], tops[some, i], across[some], heights[some, i]))
        bars.append((look.class_color(code), boxes))
    return bars
