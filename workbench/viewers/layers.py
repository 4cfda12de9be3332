"""The viewer of perceptrons and networks: layers, weights, and outputs for one record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.data.columns import FloatArray
from algorithms.structures.design_terms import IS_NUMBER
from algorithms.structures.layers import Activation, Layers
from algorithms.text.numbers import percent, with_minus
from workbench.jobs.jobs import Jobs
from workbench.layout.graph_layout import NodePlaces, node_places
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import ExportedChart, ExportedPlot, PaintedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.training_curves import TrainingHistoryPlot, history_rows, history_words
from workbench.widgets.buttons import quiet_button
from workbench.widgets.keyboard_focus import DIRECTIONS
from workbench.widgets.labels import draw_elided, label
from workbench.widgets.layouts import column_layout, filled, named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush
from workbench.widgets.panes import ClearRow, over_canvas
from workbench.widgets.tables import TextTable, table_switch

_MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class LayerSignals:
    """Output of every node by layer, inputs (t,) first, ``raw`` in original units; ``probabilities`` (k,)."""

    name: str
    layers: Layers
    signals: Sequence[FloatArray]
    raw: FloatArray
    probabilities: FloatArray
    decision: int

    def shade(self, layer: int, node: int) -> float:
        """The output of a node from -1 to 1, relative to the largest of its layer."""
        if layer == len(self.signals) - 1:
            return float(self.probabilities[self.layers.output_class(node)])
        largest = float(np.abs(self.signals[layer]).max(initial=0.0))
        return float(self.signals[layer][node]) / largest if largest > 0 else 0.0

    def written(self, layer: int, node: int) -> str:
        """The output of a node as text: inputs in original units, outputs as probabilities."""
        if layer == 0:
            return with_minus(f"{self.raw[node]:.4g}")
        if layer == len(self.signals) - 1:
            return percent(float(self.probabilities[self.layers.output_class(node)]))
        return with_minus(f"{self.signals[layer][node]:.3g}")


def node_outputs(layers: Layers, name: str, signals: Sequence[FloatArray], probabilities: FloatArray) -> LayerSignals:
    """The outputs of all nodes for a record, with inputs in original units."""
    terms = layers.terms
    raw = signals[0] * terms.unit + (0.0 if layers.from_zero else terms.centre)
    return LayerSignals(name, layers, signals, raw, probabilities, int(np.argmax(probabilities)))


def node_name(layers: Layers, layer: int, node: int) -> str:
    if layer == 0:
        return layers.terms.name(node)
    if layer == layers.n_layers:
        return layers.schema.classes[layers.output_class(node)]
    return f"hidden node {node + 1}" + (f" of layer {layer}" if layers.n_layers > 2 else "")


def chosen_words(layers: Layers, layer: int, node: int, outputs: LayerSignals | None) -> str:
    """The largest incoming and outgoing weights of a node, and its output for the record, in words."""
    name = node_name(layers, layer, node)
    parts = [name[0].upper() + name[1:]]
    if layer:
        parts.append("hears most from " + _strongest(layers, layer - 1, layers.layer(layer - 1)[0][:, node]))
    if layer < layers.n_layers:
        parts.append("pushes most " + _strongest(layers, layer + 1, layers.layer(layer)[0][node]))
    if outputs is not None:
        parts.append(f"output {outputs.written(layer, node)} for {outputs.name}")
    return f"{parts[0]} {', '.join(parts[1:])}."


def _strongest(layers: Layers, layer: int, weights: FloatArray) -> str:
    order = np.argsort(-np.abs(weights), kind="stable")[:_MOST_NAMED].tolist()
    return " and ".join(f"{node_name(layers, layer, node)} ({with_minus(f'{weights[node]:+.3g}')})" for node in order)


def legend(layers: Layers) -> str:
    if not layers.n_layers:
        return "There was nothing to tell records apart by, or one class only: there are no nodes to show."
    scale = "" if layers.from_zero else " Inputs are counted from their averages in standard deviations."
    if any(layers.terms.value != IS_NUMBER) and not layers.from_zero:
        scale = " Numbers are counted from their averages in standard deviations."
    largest = [float(np.abs(layers.layer(layer)[0]).max(initial=0.0)) for layer in range(layers.n_layers)]
    widest = " and ".join(f"{value:.2f}" for value in largest)
    each = "the widest of each layer" if len(largest) > 1 else "the widest"
    signs = "green ones are positive, pink ones negative"
    return f"Lines are weights, the wider the larger ({each}: {widest}): {signs}.{scale}"


def record_words(layers: Layers, outputs: LayerSignals | None) -> str:
    """The prediction for the record; without a record, how to read the picture."""
    if outputs is None:
        more = " Choose a node for its own weights. Select one record to see every node's output."
        return legend(layers) + (more if layers.n_layers else "")
    label = outputs.layers.schema.classes[outputs.decision]
    predicted = f"{outputs.name} is predicted as {label}: {percent(float(outputs.probabilities[outputs.decision]))}."
    is_standardized = not layers.from_zero and any(layers.terms.value == IS_NUMBER)
    fill = " (of an input: its standardized value)" if is_standardized else ""
    lines = "Line width is the size of a weight, the fill of a node its output"
    return f"{predicted} {lines}{fill}; green is positive, pink negative."


def weight_rows(layers: Layers, outputs: LayerSignals | None, most: int | None = None) -> list[tuple[str, ...]]:
    """The nodes' outputs for the record, then every weight as a row, the heading first; at most ``most`` rows."""
    rows: list[tuple[str, ...]] = [("from", "to", "weight")]
    if outputs is not None:
        for layer, signal in enumerate(outputs.signals):
            rows += [
                (outputs.name, node_name(layers, layer, node), outputs.written(layer, node))
                for node in range(len(signal))
            ]
    for layer in range(layers.n_layers):
        weight, bias = layers.layer(layer)
        names = [node_name(layers, layer + 1, j) for j in range(len(bias))]
        for i in range(len(weight)):
            start = node_name(layers, layer, i)
            rows += [(start, name, f"{w:.6g}") for name, w in zip(names, weight[i].tolist(), strict=True)]
            if most is not None and len(rows) > most:
                return [*rows[: most + 1], ("...", "", "Save has all of them")]
        rows += [("bias", name, f"{b:.6g}") for name, b in zip(names, bias.tolist(), strict=True)]
    return rows


def activation_words(kind: int) -> str:
    return {
        Activation.LINEAR: "linear",
        Activation.LOGISTIC: "logistic",
        Activation.TANH: "tanh",
        Activation.RELU: "ReLU",
        Activation.SOFTMAX: "softmax",
        Activation.SIGN: "sign",
    }[Activation(kind)]


ROW, LOW_ROW = 17, 8
"""Heights of a node with a name, and least of one without."""
HEAD: Final = 22
MOST_LEFT, MOST_RIGHT = 190, 170
VALUE: Final = 52
GAP: Final = 56
WIDEST: Final = 5.0
LEAST: Final = 0.04
"""Smallest share of its layer's largest weight from which a weight is drawn."""

Node = tuple[int, int]
"""A layer, 0 for the inputs, and a node of it."""


class LayersCanvas(PaintedChart):
    """Paints the layers; a click or the arrow keys choose a node, whose weights are highlighted."""

    chosen_changed = Signal()

    def __init__(self) -> None:
        super().__init__("visualize.layers", "The network's nodes and weights")
        self.layers: Layers | None = None
        self.places: NodePlaces = node_places([])
        self.headings: list[tuple[str, str]] = []
        """Name and activation of each layer."""
        self.chosen: Node | None = None
        self.said: LayerSignals | None = None
        self._weights: list[FloatArray] = []
        self._names: list[list[str]] = []
        self._left = self._right = self._rows = 0
        self._gap = 0.0
        """Least pixels between two layers."""
        themes.follow(self._measure)

    @property
    def is_empty(self) -> bool:
        return self.layers is None

    def table_rows(self) -> list[tuple[str, ...]]:
        return [] if self.layers is None else weight_rows(self.layers, self.said)

    def show_layers(self, layers: Layers) -> None:
        """Shows this network without record and chosen node."""
        self.layers, self.chosen, self.said = layers, None, None
        self._weights = [layers.layer(layer)[0] for layer in range(layers.n_layers)]
        self.places = node_places(self._weights)
        ends = (0, layers.n_layers) if self._weights else ()
        self._names = [[node_name(layers, layer, node) for node in self.places.shown[layer].tolist()] for layer in ends]
        self.headings = [self._heading(layer) for layer in range(len(self.places.shown))] if self._weights else []
        self._changed()

    def _heading(self, layer: int) -> tuple[str, str]:
        assert self.layers is not None
        n, n_shown, last = int(self.layers.sizes[layer]), len(self.places.shown[layer]), self.layers.n_layers
        name = "Inputs" if layer == 0 else "Outputs" if layer == last else "Hidden nodes"
        activation = f"({activation_words(int(self.layers.activation[layer - 1]))})" if layer else ""
        return name, activation + (f": {n_shown} of {n:,}" if n_shown < n else "")

    def show_record(self, outputs: LayerSignals | None) -> None:
        """Shows the output of every node for a record; None for no record."""
        self.said = outputs
        self._changed()

    def choose(self, node: Node | None) -> None:
        """Highlights the weights of a node; None for none."""
        self.chosen = node
        self._changed()
        self.chosen_changed.emit()

    def words(self) -> str:
        return "" if self.layers is None or self.chosen is None else chosen_words(self.layers, *self.chosen, self.said)

    def _changed(self) -> None:
        self._measure()
        self.setAccessibleDescription(self.words())
        self.update()

    def _measure(self) -> None:
        """Sets the least size: widths of the names, and a row for each node."""
        if self._weights:
            metrics = QFontMetricsF(themes.font(12))
            left, right = (max(metrics.horizontalAdvance(name) for name in names) for names in self._names)
            more = themes.px(VALUE) if self.said is not None else 0
            self._left = round(min(themes.px(MOST_LEFT), left + 24) + more)
            self._right = round(min(themes.px(MOST_RIGHT), right + 46) + more)
            n_names = max(len(names) for names in self._names)
            halves = [self._widest(heading) / 2 for heading in self.headings]
            self._gap = max(float(themes.px(GAP)), *(one + other for one, other in pairwise(halves)))
            self._rows = max(4 * themes.px(ROW), n_names * themes.px(ROW), self.places.rows * themes.px(LOW_ROW))
        self.setMinimumSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        if not self._weights:
            return QSize()
        wide = self._left + self._right + ceil(self._gap) * len(self._weights)
        return QSize(wide, 2 * themes.px(HEAD) + self._rows)

    @staticmethod
    def _widest(texts: Iterable[str]) -> float:
        return max(map(QFontMetricsF(themes.font(12)).horizontalAdvance, texts)) + themes.px(6)

    @property
    def head_lines(self) -> int:
        """Lines of the headings: two where name and activation do not fit side by side."""
        apart = (self.width() - self._left - self._right) / max(1, len(self._weights))
        return 1 if self._widest(f"{name} {activation}" for name, activation in self.headings) <= apart else 2

    def place(self, node: Node) -> QPointF:
        layer, number = node
        box = self._box()
        up = self.places.up[layer][int(np.searchsorted(self.places.shown[layer], number))]
        return QPointF(box.x() + self.places.across[layer] * box.width(), box.y() + up * box.height())

    def _box(self) -> QRectF:
        top = themes.px(HEAD) * self.head_lines
        return QRectF(self._left, top, self.width() - self._left - self._right, self.height() - top)

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        if not self._weights:
            return
        look = StructureColors(current_theme())
        self._paint_heads(painter, look)
        for layer in range(len(self._weights)):
            self._paint_weights(painter, look, layer)
        for layer in range(len(self.places.shown)):
            self._paint_nodes(painter, look, layer)

    def _paint_heads(self, painter: QPainter, look: StructureColors) -> None:
        box, high, lines = self._box(), themes.px(HEAD) - 4, self.head_lines
        for layer, heading in enumerate(self.headings):
            wide = max(box.width() / max(1, len(self._weights)), self._widest(heading))
            left = box.x() + self.places.across[layer] * box.width() - wide / 2
            for line, text in enumerate(heading if lines == 2 else (" ".join(heading).strip(),)):
                draw_elided(painter, QRectF(left, line * high, wide, high), text, look.dim, themes.font(12))

    def _paint_weights(self, painter: QPainter, look: StructureColors, layer: int) -> None:
        """Paints the weights of a layer, the largest last; with a chosen node only its own in full colour."""
        ins, outs = self.places.shown[layer], self.places.shown[layer + 1]
        part = self._weights[layer][np.ix_(ins, outs)]
        largest = float(np.abs(self._weights[layer]).max(initial=0.0))
        if not np.isfinite(largest) or largest <= 0:
            return
        shares = np.abs(part) / largest
        starts, ends = (
            [self.place((own_layer, int(node))) for node in self.places.shown[own_layer]]
            for own_layer in (layer, layer + 1)
        )
        order = np.argsort(shares, axis=None)
        order = order[shares.ravel()[order] >= LEAST]
        theirs = self._is_chosen(layer, ins)[:, None] | self._is_chosen(layer + 1, outs)[None, :]
        is_any = self.chosen is not None
        for flat in [*order[~theirs.ravel()[order]].tolist(), *order[theirs.ravel()[order]].tolist()]:
            i, j = divmod(int(flat), len(outs))
            color = QColor(weight_color(look, float(part[i, j])))
            share = float(shares[i, j])
            color.setAlphaF((0.15 + 0.85 * share**1.5) * (1.0 if theirs[i, j] or not is_any else 0.12))
            painter.setPen(QPen(color, max(0.6, WIDEST * share)))
            painter.drawLine(starts[i], ends[j])

    def _is_chosen(self, layer: int, nodes: np.ndarray) -> np.ndarray:
        if self.chosen is None or self.chosen[0] != layer:
            return np.zeros(len(nodes), dtype=np.bool_)
        return np.asarray(nodes == self.chosen[1])

    def _paint_nodes(self, painter: QPainter, look: StructureColors, layer: int) -> None:
        assert self.layers is not None
        radius, row = self._radius(layer), themes.px(ROW)
        last = len(self._weights)
        for node in self.places.shown[layer].tolist():
            middle = self.place((layer, node))
            is_chosen = self.chosen == (layer, node)
            pen_and_brush(painter, QPen(look.accent if is_chosen else look.text, 2.5 if is_chosen else 1.0), look.pane)
            painter.drawEllipse(middle, radius, radius)
            if self.said is not None:
                color = QColor(weight_color(look, self.said.shade(layer, node)))
                color.setAlphaF(min(1.0, abs(self.said.shade(layer, node))))
                painter.setBrush(color)
                painter.drawEllipse(middle, radius, radius)
            value = "" if self.said is None else f"  {self.said.written(layer, node)}"
            room = QRectF(middle.x(), middle.y() - row / 2, self._right - radius - 22, row)
            if layer == 0:
                box = QRectF(2, room.y(), middle.x() - radius - 8, room.height())
                text = node_name(self.layers, layer, node) + value
                draw_elided(painter, box, text, look.text, themes.font(12), MIDDLE_RIGHT)
            elif layer < last:
                self._paint_number(painter, look, layer, node, middle)
            else:
                code = self.layers.output_class(node)
                draw_symbol(painter, look, code, QPointF(middle.x() + radius + 12, middle.y()), 5)
                bold = self.said is not None and self.said.decision == code
                text = self.layers.schema.classes[code] + value
                place = room.translated(radius + 22, 0)
                draw_elided(painter, place, text, look.text, themes.font(12, bold=bold), MIDDLE_LEFT)

    def _paint_number(self, painter: QPainter, look: StructureColors, layer: int, node: int, middle: QPointF) -> None:
        """The number of a hidden node, as sentences and lists name it, where the nodes leave room for it."""
        font, radius = themes.font(11), self._radius(layer)
        metrics, text = QFontMetricsF(font), f"{node + 1}"
        if self._box().height() < metrics.height() * len(self.places.shown[layer]):
            return
        wide, high = metrics.horizontalAdvance(text) + 4, metrics.capHeight() + 4
        box = QRectF(middle.x() + radius + 3, middle.y() - high / 2, wide, high)
        painter.fillRect(box, look.pane)
        draw_text(painter, box, text, look.dim, font, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip)

    def _radius(self, layer: int) -> float:
        """The largest radius at which nodes of a layer do not touch."""
        return min(themes.px(8), 0.42 * self._box().height() / len(self.places.shown[layer]))

    def node_at(self, point: QPointF) -> Node | None:
        """The node at a point; None beside the nodes."""
        if not self._weights:
            return None
        box = self._box()
        node = self.places.nearest(point.x() - box.x(), point.y() - box.y(), box.width(), box.height())
        away = self.place(node) - point
        near = max(6.0, self._radius(node[0]) + 2)
        return node if abs(away.y()) <= near and abs(away.x()) <= themes.px(16) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.choose(self.node_at(event.position()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in DIRECTIONS and self._weights:
            self._step(*DIRECTIONS[key])
        elif key == Qt.Key.Key_Escape and self.chosen is not None:
            self.choose(None)
        else:
            super().keyPressEvent(event)

    def _step(self, layers: int, nodes: int) -> None:
        if self.chosen is None:
            self.choose((0, int(self.places.shown[0][0])))
            return
        layer, node = self.chosen
        position = int(np.searchsorted(self.places.shown[layer], node)) + nodes
        to = min(max(0, layer + layers), len(self.places.shown) - 1)
        if layers:
            position = int(np.argmin(np.abs(self.places.up[to] - self.places.up[layer][position])))
        self.choose((to, int(self.places.shown[to][min(max(0, position), len(self.places.shown[to]) - 1)])))


def weight_color(look: StructureColors, weight: float) -> QColor:
    return look.theme.color("better" if weight >= 0 else "worse")


NODES, TABLE, COURSE = 0, 1, 2
FINAL: Final = "The network is the final model. The maps beside it show the step chosen there."
MOST_ROWS: Final = 5000


class LayersView(QWidget):
    """The viewer of layers: a chosen node shows its weights, a record the output of every node."""

    title = "Layers"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.node_words = named(label("", "strong", wrap=True), "visualize.layers.words")
        self.record_words = named(label("", "dim", wrap=True), "visualize.layers.record")
        self._is_beside_steps = False
        self.canvas = LayersCanvas()
        self.twin = TextTable("visualize.layers.table", "The weights as a table")
        self.course = TrainingHistoryPlot("visualize.course")
        self.pages = filled(QStackedWidget(), over_canvas(self.canvas), self.twin, self.course)
        column_layout(self.record_words, self.node_words, (self.pages, 1), inside=self, spacing=8)
        self.export = Export(ExportedChart(self.canvas, "layers", "Layers of the network"), jobs, self)
        self.canvas.chosen_changed.connect(self._say_node)
        self.as_table = self.export.offer(table_switch("visualize.layers.as-table"))
        self.as_table.toggled.connect(self._show)
        self.as_course = quiet_button(
            "Training curve", "visualize.layers.course", "The error after each epoch", checkable=True
        )
        self.as_course.toggled.connect(self._show)
        self.of_loss = quiet_button(
            "Loss", "visualize.layers.loss", "The loss in place of how many were wrong", checkable=True
        )
        self.of_loss.toggled.connect(self.course.show_loss)
        self._save = self.export.button("visualize.layers.save")
        export_course = Export(ExportedPlot(self.course, "course", "How the learning went"), jobs, self)
        export_course.offer(self.as_table)
        self._save_course = export_course.button("visualize.course.save")
        self.controls = ClearRow(self.of_loss, self.as_course, self._save, self._save_course)

    def set_structure(self, structure: Layers) -> None:
        self.canvas.show_layers(structure)
        self.course.show_course(structure.course)
        self.as_course.setEnabled(structure.course.epochs > 0)
        self.set_record(None)
        self.facts_changed.emit()

    def show_beside_steps(self, is_beside: bool) -> None:
        """Says that the weights are those of the final model, while earlier ones are shown beside it."""
        self._is_beside_steps = is_beside
        self._say_node()

    def facts(self) -> str:
        return "" if self.canvas.layers is None else self.canvas.layers.info.facts

    def set_record(self, outputs: LayerSignals | None) -> None:
        self.canvas.show_record(outputs)
        self._show()

    def _say_node(self) -> None:
        words, layers = self.canvas.words(), self.canvas.layers
        of_course = self.as_course.isChecked()
        self.node_words.setText(words)
        self.node_words.setVisible(bool(words) and not of_course)
        if layers is not None:
            sentence = history_words(layers.course) if of_course else record_words(layers, self.canvas.said)
            self.record_words.setText(f"{FINAL} {sentence}" if self._is_beside_steps else sentence)

    def _show(self) -> None:
        layers, wanted, of_course = self.canvas.layers, self.as_table.isChecked(), self.as_course.isChecked()
        if wanted and layers is not None:
            rows = history_rows(layers.course) if of_course else weight_rows(layers, self.canvas.said, MOST_ROWS)
            self.twin.show_rows(rows[: MOST_ROWS + 2])
        self.pages.setCurrentIndex(TABLE if wanted else COURSE if of_course else NODES)
        self.of_loss.setVisible(of_course and not wanted)
        self._save.setVisible(not of_course)
        self._save_course.setVisible(of_course)
        self._say_node()
