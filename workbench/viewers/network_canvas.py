"""A Bayesian network as boxes and arrows, with evidence set by mouse and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication

from algorithms.data.columns import FloatArray
from algorithms.learners.bayes.evidence import state_words
from algorithms.structures.bayes_network import BayesNetwork
from algorithms.text.numbers import percent
from algorithms.text.sentences import typeset
from workbench.layout.graph_layout import Arc, Box, GraphLayout, Route, layered
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.labels import elided
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush, saved

HEAD: Final = 30
ROW: Final = 21
MARGIN: Final = 16
_ROUND: Final = 6.0
BARS_FROM: Final = 0.52
"""Share of a box's width where bars begin, after the values."""


def _paint_arrows(canvas: NetworkCanvas, painter: QPainter, look: StructureColors) -> None:
    assert canvas.network is not None
    routes = canvas.layout_of.routes
    lit: list[tuple[int, int]] = []
    near: list[tuple[int, int]] = []
    for node in canvas.network.nodes:
        for parent in canvas.network.parents[node]:
            if (parent, node) in canvas.lit:
                lit.append((parent, node))
            elif canvas.node in (parent, node):
                near.append((parent, node))
            else:
                _paint_arrow(painter, routes[parent, node], QPen(look.dim, 1.4))
    for arc in near:
        _paint_arrow(painter, routes[arc], QPen(look.text, 2.4))
    for parent, node in lit:
        is_open = canvas.lit[(parent, node)]
        style = Qt.PenStyle.SolidLine if is_open else Qt.PenStyle.DashLine
        color = look.accent if is_open else look.bad
        _paint_arrow(painter, routes[parent, node], QPen(color, 3.2 if is_open else 2.2, style))
    chosen = canvas.hand.chosen
    if chosen is not None and chosen[0] in canvas.network.parents[chosen[1]]:
        _paint_arrow(painter, routes[chosen], QPen(look.accent, 3.0))


def _paint_new_arrow(canvas: NetworkCanvas, painter: QPainter, look: StructureColors) -> None:
    begun, end = canvas.hand.begun, canvas.hand.end
    if begun is None:
        return
    box = canvas.layout_of.boxes[begun]
    pen_and_brush(painter, QPen(look.accent, 2.2, Qt.PenStyle.DashLine))
    painter.drawRoundedRect(QRectF(box.x - 3, box.y - 3, box.width + 6, box.height + 6), _ROUND, _ROUND)
    if end is not None:
        painter.drawLine(QPointF(box.x + box.width / 2, box.middle), end)


def arrow_path(route: Route, shorter: float = 0.0) -> QPainterPath:
    """The path of an arrow: lines across columns, curves between them; its end may be some pixels ``shorter``."""
    corners = [QPointF(x, y) for x, y in route]
    corners[-1] -= QPointF(shorter, 0.0)
    path = QPainterPath(corners[0])
    for line, curve in zip(corners[1::2], corners[2::2], strict=True):
        path.lineTo(line)
        middle = (line.x() + curve.x()) / 2
        path.cubicTo(QPointF(middle, line.y()), QPointF(middle, curve.y()), curve)
    return path


def _paint_arrow(painter: QPainter, route: Route, pen: QPen) -> None:
    end, size = QPointF(*route[-1]), 8.0 + pen.widthF()
    pen_and_brush(painter, pen)
    painter.drawPath(arrow_path(route, size / 2))
    wings = [QPointF(end.x() - size, end.y() + side * 0.42 * size) for side in (1, -1)]
    pen_and_brush(painter, Qt.PenStyle.NoPen, pen.color())
    painter.drawPolygon(QPolygonF([end, *wings]))


def _paint_box(
    canvas: NetworkCanvas, painter: QPainter, look: StructureColors, node: int, box: Box, focus: bool
) -> None:
    network = canvas.network
    assert network is not None
    frame = QRectF(box.x, box.y, box.width, box.height)
    chosen, is_evidence = node == canvas.node, node in canvas.known
    painter.setBrush(look.accent_soft if is_evidence else look.pane)
    painter.setPen(QPen(look.accent if is_evidence or (chosen and focus) else look.edge, 2.0 if chosen else 1.2))
    painter.drawRoundedRect(frame, _ROUND, _ROUND)
    is_class = node == network.class_node
    font = themes.font(13, bold=True)
    note = "known" if is_evidence else "class" if is_class else ""
    small = themes.font(11)
    taken = QFontMetricsF(small).horizontalAdvance(note) + themes.px(8) if note else 0.0
    head = QRectF(box.x + themes.px(10), box.y, box.width - themes.px(20), themes.px(HEAD))
    text = elided(QFontMetricsF(font), network.name(node), head.width() - taken, network.schema.names)
    draw_text(painter, head, text, look.text, font, MIDDLE_LEFT)
    if note:
        draw_text(painter, head, note, look.accent if is_evidence else look.dim, small, MIDDLE_RIGHT)
    rows = canvas.rows_of(node)
    for row, state in enumerate(rows):
        top = box.y + themes.px(HEAD) + row * themes.px(ROW)
        _paint_state(canvas, painter, look, node, state, QRectF(box.x, top, box.width, themes.px(ROW)), focus)
    if canvas.hidden(node):
        top = box.y + themes.px(HEAD) + len(rows) * themes.px(ROW)
        line = QRectF(box.x + themes.px(10), top, box.width - themes.px(20), themes.px(ROW))
        draw_text(painter, line, f"{canvas.hidden(node)} more values in its table", look.dim, small, MIDDLE_LEFT)


def _paint_state(
    canvas: NetworkCanvas, painter: QPainter, look: StructureColors, node: int, state: int, line: QRectF, focus: bool
) -> None:
    assert canvas.network is not None
    is_known = canvas.known.get(node) == state
    if focus and node == canvas.node and state == canvas.state:
        pen_and_brush(painter, QPen(look.accent, 1.2))
        painter.drawRoundedRect(line.adjusted(3, 1, -3, -1), 4, 4)
    is_class = node == canvas.network.class_node
    left = line.left() + themes.px(10)
    if is_class:
        middle = QPointF(left + themes.px(4), line.center().y())
        draw_symbol(painter, look, state, middle, themes.px(4))
        left += themes.px(14)
    font = themes.font(12, bold=is_known)
    bar = QRectF(
        line.left() + line.width() * BARS_FROM, line.center().y() - themes.px(5), line.width() * 0.20, themes.px(10)
    )
    labels = canvas.labels[node]
    words = elided(QFontMetricsF(font), labels[state], bar.left() - left - themes.px(6), tuple(labels))
    room = QRectF(left, line.top(), bar.left() - left, line.height())
    draw_text(painter, room, words, look.text, font, MIDDLE_LEFT)
    pen_and_brush(painter, Qt.PenStyle.NoPen, look.soft)
    painter.drawRect(bar)
    if not len(canvas.shares):
        return
    share, before = float(canvas.shares[node][state]), float(canvas.before[node][state])
    painter.setBrush(look.class_color(state) if is_class else look.accent)
    painter.drawRect(QRectF(bar.left(), bar.top(), bar.width() * share, bar.height()))
    if abs(share - before) > 0.002:
        x = bar.left() + bar.width() * before
        painter.setPen(QPen(look.text, 1.4))
        painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2))
    figure = QRectF(bar.right(), line.top(), line.right() - bar.right() - themes.px(8), line.height())
    draw_text(painter, figure, percent(share), look.text, themes.font(11, bold=is_known), MIDDLE_RIGHT)


NEAR: Final = 12.0
"""Width of the strip along an arrow in which a click hits it."""


class ArrowEditor:
    """The editing of arrows by mouse and keys, while ``is_on``.

    ``begun`` is the box of the arrow being drawn, ``end`` the mouse in units of the drawing; ``chosen`` is the clicked
    arrow. A press on a box without a drag is a click. *A* begins an arrow at the focused box and ends it at another,
    *Escape* cancels it, *Delete* removes the chosen arrow.
    """

    def __init__(self, canvas: NetworkCanvas) -> None:
        self._canvas = canvas
        self._pressed: tuple[int, QPointF] | None = None
        self.is_on = False
        self.begun: int | None = None
        self.end: QPointF | None = None
        self.chosen: Arc | None = None

    def turn(self, wanted: bool) -> None:
        self.is_on = wanted
        self.forget()

    def forget(self) -> None:
        """Cancels the arrow being drawn, and chooses none."""
        self.begun = self.end = self.chosen = self._pressed = None
        self._canvas.update()

    def choose(self, arc: Arc | None) -> None:
        if arc != self.chosen:
            self.chosen = arc
            self._canvas.update()

    # ---- the mouse ---------------------------------------------------------------------------------------------------

    def pressed(self, position: QPointF) -> bool:
        """Handles a press of the mouse; False while editing is off."""
        if not self.is_on:
            return False
        node, _ = self._canvas.at(position)
        self.begun = self.end = None
        if node >= 0:
            self._pressed = node, position
        else:
            self.choose(self.arrow_at(position))
            if self.chosen is not None:
                self._canvas.arrow_chosen.emit(*self.chosen)
        return True

    def moved(self, position: QPointF) -> None:
        """Draws the arrow, once the mouse has moved far enough."""
        if self._pressed is None:
            return
        node, start = self._pressed
        if self.begun is None and (position - start).manhattanLength() < QApplication.startDragDistance():
            return
        self.begun, self.end = node, self._canvas.to_drawing(position)
        self._canvas.update()

    def released(self, position: QPointF) -> None:
        """Ends the arrow in the box at the mouse; without a drag it was a click."""
        if self._pressed is None:
            return
        begun, (_, start) = self.begun, self._pressed
        self._pressed = self.begun = self.end = None
        self._canvas.update()
        node, _ = self._canvas.at(position)
        if begun is None:
            self._canvas.click(start)
        elif node >= 0 and node != begun:
            self._canvas.arrow_drawn.emit(begun, node)

    def arrow_at(self, position: QPointF) -> Arc | None:
        canvas = self._canvas
        if canvas.network is None:
            return None
        place, stroker = canvas.to_drawing(position), QPainterPathStroker()
        stroker.setWidth(NEAR)
        for node in canvas.network.nodes:
            for parent in canvas.network.parents[node]:
                path = arrow_path(canvas.layout_of.routes[parent, node])
                near = path.controlPointRect().adjusted(-NEAR, -NEAR, NEAR, NEAR).contains(place)
                if near and stroker.createStroke(path).contains(place):
                    return parent, node
        return None

    # ---- the keys ----------------------------------------------------------------------------------------------------

    def key_pressed(self, key: int) -> bool:
        """Handles a key; False if it has no meaning here."""
        if not self.is_on:
            return False
        node = self._canvas.node
        if key == Qt.Key.Key_A:
            begun, self.begun, self.end = self.begun, None, None
            if begun is None:
                self.begun = node
            elif begun != node:
                self._canvas.arrow_drawn.emit(begun, node)
        elif key == Qt.Key.Key_Escape and (self.begun is not None or self.chosen is not None):
            self.forget()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.chosen is not None:
            self._canvas.arrow_dropped.emit(*self.chosen)
        else:
            return False
        self._canvas.update()
        return True


MOST_ROWS: Final = 6
"""The most states shown in a box; of more the likeliest are shown."""
WIDTH: Final = 190
WIDEST: Final = 240
"""Largest width of a box."""
FOOT: Final = 6
SMALLEST, FITTED, LARGEST, STEP = 0.15, 1.6, 2.5, 1.2


class NetworkCanvas(PaintedChart):
    """The canvas of a network.

    ``known_changed`` follows a change of evidence, ``opened(node)`` the choice of a node, ``zoomed`` a zoom. Left and
    Right choose a node, Up and Down a state. *Space* sets the state as evidence or clears it, *Delete* clears the node;
    plus and minus zoom.

    While arrows are edited, ``hand`` handles the mouse. ``arrow_drawn(parent, child)`` follows a new arrow,
    ``arrow_chosen(parent, child)`` a click on one, ``arrow_dropped(parent, child)`` its removal.
    """

    known_changed = Signal()
    arrow_drawn = Signal(int, int)
    arrow_chosen = Signal(int, int)
    arrow_dropped = Signal(int, int)
    opened = Signal(int)
    chosen = Signal()
    """Another node may have been chosen."""
    zoomed = Signal()

    def __init__(self) -> None:
        super().__init__("visualize.network", "Bayesian network")
        self.setMouseTracking(True)
        self.network: BayesNetwork | None = None
        self.known: dict[int, int] = {}
        self.shares: Sequence[FloatArray] = ()
        self.before: Sequence[FloatArray] = ()
        self.lit: Mapping[Arc, bool] = {}
        self.labels: list[tuple[str, ...]] = []
        self.layout_of = GraphLayout((), (), 0.0, 0.0)
        self.node, self.state, self.scale = 0, -1, 1.0
        self.hand = ArrowEditor(self)
        themes.follow(self._measure)

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def show_network(self, network: BayesNetwork) -> None:
        """Shows this network; evidence stays if attributes and values are the same."""
        goes_on = self.network is not None and has_same_states(self.network, network)
        self.network, self.lit = network, {}
        self.shares, self.before = (), ()
        self.hand.forget()
        if not goes_on:
            self.known = {}
            self.labels = [tuple(map(typeset, state_words(network, node))) for node in network.nodes]
            self.node, self.state = network.class_node, -1
        self._measure()
        self._say()

    def show_shares(self, shares: Sequence[FloatArray], before: Sequence[FloatArray]) -> None:
        """Shows the posterior and the prior probabilities of all states."""
        self.shares, self.before = shares, before
        self._say()

    def light(self, arcs: Mapping[Arc, bool]) -> None:
        """Highlights arcs: on open paths (True) or blocked paths."""
        self.lit = arcs
        self.update()

    def set_known(self, evidence: Mapping[int, int]) -> None:
        """Sets the evidence: the states of some nodes."""
        self.known = dict(evidence)
        self.known_changed.emit()
        self._say()

    def rows_of(self, node: int) -> list[int]:
        """The states shown in a box: all, or the likeliest a priori and the known one."""
        n = len(self.labels[node])
        if n <= MOST_ROWS:
            return list(range(n))
        shares = self.before[node] if len(self.before) else np.zeros(n)
        first = [self.known[node]] if node in self.known else []
        first += [int(state) for state in np.argsort(-shares, kind="stable")[:MOST_ROWS] if state not in first]
        return sorted(first[: MOST_ROWS - 1])

    def hidden(self, node: int) -> int:
        return len(self.labels[node]) - len(self.rows_of(node))

    def to_drawing(self, position: QPointF) -> QPointF:
        """A point of the widget in units of the drawing."""
        margin = themes.px(MARGIN)
        return QPointF(position.x() / self.scale - margin, position.y() / self.scale - margin)

    def point(self, node: int, state: int = -1) -> QPointF:
        """The point of the widget at the heading of a box, or at one of its states."""
        box = self.layout_of.boxes[node]
        y = box.y + themes.px(HEAD) / 2
        if state >= 0:
            y = box.y + themes.px(HEAD) + (self.rows_of(node).index(state) + 0.5) * themes.px(ROW)
        margin = themes.px(MARGIN)
        return QPointF((box.x + box.width / 3 + margin) * self.scale, (y + margin) * self.scale)

    def at(self, position: QPointF) -> tuple[int, int]:
        """The node and the state at a point of the widget; -1 for none."""
        place = self.to_drawing(position)
        for node, box in enumerate(self.layout_of.boxes):
            if box.holds(place.x(), place.y()):
                row = int((place.y() - box.y - themes.px(HEAD)) // themes.px(ROW))
                shown = self.rows_of(node)
                return node, shown[row] if 0 <= row < len(shown) else -1
        return -1, -1

    # ---- by hand -----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.network is None:
            return
        if not self.hand.pressed(event.position()):
            self.click(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hand.moved(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.hand.released(event.position())

    def click(self, position: QPointF) -> None:
        """Chooses what is at a point: a box opens its table, a state becomes evidence or is cleared."""
        node, state = self.at(position)
        if node < 0:
            return
        self.node, self.state = node, state
        if state >= 0:
            self._turn(node, state)
        else:
            self.opened.emit(node)
        self._say()

    def _turn(self, node: int, state: int) -> None:
        evidence = {other: value for other, value in self.known.items() if other != node}
        if self.known.get(node) != state:
            evidence[node] = state
        self.set_known(evidence)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self.network is None:
            super().keyPressEvent(event)
        elif self.hand.key_pressed(key):
            self._say()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            order = [node for column in self.layout_of.columns for node in column]
            step = 1 if key == Qt.Key.Key_Right else -1
            self.node, self.state = order[(order.index(self.node) + step) % len(order)], -1
            self._say()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            rows = self.rows_of(self.node)
            place = rows.index(self.state) if self.state in rows else -1
            place = min(len(rows) - 1, max(-1, place + (1 if key == Qt.Key.Key_Down else -1)))
            self.state = rows[place] if place >= 0 else -1
            self._say()
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.state >= 0:
                self._turn(self.node, self.state)
            else:
                self.opened.emit(self.node)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.set_known({node: state for node, state in self.known.items() if node != self.node})
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.zoom(1 / STEP if key == Qt.Key.Key_Minus else STEP)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(STEP if event.angleDelta().y() > 0 else 1 / STEP)
        else:
            event.ignore()

    def zoom(self, times: float) -> None:
        self.set_scale(self.scale * times)
        self.zoomed.emit()

    def set_scale(self, scale: float) -> None:
        self.scale = min(LARGEST, max(SMALLEST, scale))
        self._measure()

    def fit(self, room: QSize, least: float = SMALLEST, legible: float = SMALLEST) -> None:
        """Fits the drawing into the room, at a scale of at most a little more than the usual one.

        If that would be less than ``legible``, the scale is at least ``least`` and a part of the drawing has no room.
        """
        whole = self.whole
        if not whole.isEmpty():
            fitted = min(FITTED, room.width() / whole.width(), room.height() / whole.height())
            self.set_scale(fitted if fitted >= legible else max(least, fitted))

    # ---- painting ----------------------------------------------------------------------------------------------------

    @property
    def whole(self) -> QSize:
        """The size of the drawing at scale 1."""
        if self.network is None:
            return QSize()
        margin = 2 * themes.px(MARGIN)
        return QSize(round(self.layout_of.width) + margin, round(self.layout_of.height) + margin)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.scale(self.scale, self.scale)
            part = event.rect()
            shown = QRect(
                int(part.x() / self.scale) - 1, int(part.y() / self.scale) - 1,
                int(part.width() / self.scale) + 3, int(part.height() / self.scale) + 3,
            )  # fmt: skip
            self.paint(painter, shown, focus=self.hasFocus())

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        if self.network is None:
            return
        look, margin = StructureColors(current_theme()), themes.px(MARGIN)
        with saved(painter):
            painter.translate(margin, margin)
            shown = QRectF(part).translated(-margin, -margin)
            _paint_arrows(self, painter, look)
            for node, box in enumerate(self.layout_of.boxes):
                if shown.intersects(QRectF(box.x, box.y, box.width, box.height)):
                    _paint_box(self, painter, look, node, box, focus)
            _paint_new_arrow(self, painter, look)

    def tip_at(self, position: QPointF) -> str:
        node, state = self.at(position)
        if node < 0 or self.network is None:
            return ""
        name = self.network.name(node)
        if state < 0:
            drag = ", drag to another box to draw an arrow" if self.hand.is_on else ""
            return f"{name}: click to see its table{drag}"
        words = f"{name} = {self.labels[node][state]}"
        if not len(self.shares):
            return words
        now, before = (percent(float(shares[node][state])) for shares in (self.shares, self.before))
        return f"{words}: {now} now, {before} before anything is known"

    def _measure(self) -> None:
        if self.network is None:
            return
        sizes, metrics = [], QFontMetricsF(themes.font(12))
        for node in self.network.nodes:
            labels = self.labels[node][:MOST_ROWS]
            longest = max((metrics.horizontalAdvance(label) for label in labels), default=0.0)
            needed = (longest + themes.px(18 + 14 * (node == self.network.class_node))) / BARS_FROM
            width = float(min(themes.px(WIDEST), max(themes.px(WIDTH), needed)))
            sizes.append((width, float(themes.px(HEAD) + len(labels) * themes.px(ROW) + themes.px(FOOT))))
        self.layout_of = layered(self.network.parents, sizes, themes.px(18), themes.px(64))
        whole = self.whole
        self.setFixedSize(round(whole.width() * self.scale), round(whole.height() * self.scale))
        self.update()

    def _say(self) -> None:
        """Says the chosen node and state to a screen reader."""
        if self.network is not None:
            name, state = self.network.name(self.node), self.known.get(self.node)
            words = f"{name}, {'not known' if state is None else 'known: ' + self.labels[self.node][state]}"
            if self.state >= 0 and len(self.shares):
                words += f", {self.labels[self.node][self.state]} {percent(float(self.shares[self.node][self.state]))}"
            if self.hand.begun is not None:
                words += f". An arrow from {self.network.name(self.hand.begun)}: press A where it leads"
            self.setAccessibleDescription(words)
        self.chosen.emit()
        self.update()


def has_same_states(one: BayesNetwork, other: BayesNetwork) -> bool:
    """Whether two networks have the same attributes with the same values and ranges."""
    return (
        one.schema == other.schema
        and np.array_equal(one.attribute, other.attribute)
        and np.array_equal(one.size, other.size)
        and np.array_equal(one.cuts, other.cuts)
    )
