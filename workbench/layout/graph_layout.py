"""Layered layouts of graphs: Bayesian networks with few crossings, and neural networks by layers.

A node stands one layer behind the last of its parents. Sweeps forth and back move the nodes of a layer to the mean
place of their neighbours (Sugiyama, Tagawa and Toda 1981). A layer with too many nodes takes several columns. An arrow
passes the columns between its ends through waypoints, so that it runs behind no box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray

_SWEEPS: Final = 8
PORTS_APART: Final = 14.0
"""The most pixels between the heads of two arrows at one box."""


@dataclass(frozen=True)
class Box:
    """A rectangle by its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    def holds(self, x: float, y: float) -> bool:
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height


Arc = tuple[int, int]
Route = tuple[tuple[float, float], ...]
"""The corners of an arrow: straight lines cross columns, curves join them."""


@dataclass(frozen=True)
class GraphLayout:
    """The box of each node, the nodes of each column from the top down, and the size of the drawing.

    ``routes`` has the way of the arrow from each parent to each child.
    """

    boxes: tuple[Box, ...]
    columns: tuple[tuple[int, ...], ...]
    width: float
    height: float
    routes: Mapping[Arc, Route] = field(default_factory=dict)


def layers_of(parents: Sequence[Sequence[int]]) -> list[int]:
    """The layer of each node: one more than the last layer of its parents, 0 without parents."""
    layers = [-1] * len(parents)
    waiting = list(range(len(parents)))
    while waiting:
        left = []
        for node in waiting:
            above = [layers[parent] for parent in parents[node]]
            if all(layer >= 0 for layer in above):
                layers[node] = max(above, default=-1) + 1
            else:
                left.append(node)
        if len(left) == len(waiting):
            raise ValueError("The graph has a cycle.")
        waiting = left
    return layers


def layered(
    parents: Sequence[Sequence[int]], sizes: Sequence[tuple[float, float]], gap: float, drop: float
) -> GraphLayout:
    """The layout of boxes of these sizes, ``gap`` apart in a column, with columns ``drop`` apart."""
    n, columns = len(parents), _wrapped(_ordered(parents), len(parents))
    columns, ways, joined = _with_waypoints(columns, parents)
    wides = [max(sizes[node][0] for node in column if node < n) for column in columns]
    heights = [*(height for _, height in sizes), *[0.0] * (len(joined) - n)]
    tall = max((_height(column, heights, gap) for column in columns), default=0.0)
    boxes: dict[int, Box] = {}
    left = 0.0
    for column, wide in zip(columns, wides, strict=True):
        top = _top(column, _height(column, heights, gap), tall, joined, boxes)
        for node in column:
            boxes[node] = Box(left, top, sizes[node][0] if node < n else wide, heights[node])
            top += heights[node] + gap
        left += wide + drop
    placed = tuple(boxes[node] for node in range(n))
    own = tuple(tuple(node for node in column if node < n) for column in columns)
    ends = {box.x: box.x + wide for column, wide in zip(columns, wides, strict=True) for box in [boxes[column[0]]]}
    return GraphLayout(placed, own, max(0.0, left - drop), tall, _routes(parents, ways, boxes, ends))


def _with_waypoints(
    columns: list[list[int]], parents: Sequence[Sequence[int]]
) -> tuple[list[list[int]], dict[Arc, list[int]], list[list[int]]]:
    """Columns with waypoints (numbered after the nodes), those of each arc, and neighbours of all."""
    n = len(parents)
    column_of = {node: number for number, column in enumerate(columns) for node in column}
    waypoints: dict[Arc, int] = {}
    ways: dict[Arc, list[int]] = {}
    for node, own in enumerate(parents):
        for parent in own:
            between = range(column_of[parent] + 1, column_of[node])
            ways[parent, node] = [waypoints.setdefault((parent, column), n + len(waypoints)) for column in between]
    if not waypoints:
        return columns, ways, _joined(parents)
    joined: list[list[int]] = [[] for _ in range(n + len(waypoints))]
    for arc in {step for (parent, node), way in ways.items() for step in pairwise([parent, *way, node])}:
        joined[arc[0]].append(arc[1])
        joined[arc[1]].append(arc[0])
    wide = [list(column) for column in columns]
    for (_, column), waypoint in waypoints.items():
        wide[column].append(waypoint)
        column_of[waypoint] = column
    return _swept(wide, joined, [column_of[item] for item in range(n + len(waypoints))]), ways, joined


def _routes(
    parents: Sequence[Sequence[int]],
    ways: Mapping[Arc, list[int]],
    boxes: Mapping[int, Box],
    ends: Mapping[float, float],
) -> dict[Arc, Route]:
    """The way of each arc; ``ends`` has the right edge of the column that begins at each left edge."""
    routes: dict[Arc, Route] = {}
    for node, own in enumerate(parents):
        box = boxes[node]
        before = {parent: boxes[(ways[parent, node] or [parent])[-1]].middle for parent in own}
        apart = min(PORTS_APART, box.height / (len(own) + 1))
        for place, parent in enumerate(sorted(own, key=before.__getitem__)):
            start, port = boxes[parent], box.middle + (place - (len(own) - 1) / 2) * apart
            corners = [(start.x + start.width, start.middle), (ends[start.x], start.middle)]
            for waypoint in ways[parent, node]:
                over = boxes[waypoint]
                corners += [(over.x, over.middle), (over.x + over.width, over.middle)]
            routes[parent, node] = (*corners, (box.x, port))
    return routes


def _top(
    column: Sequence[int], height: float, tall: float, joined: Sequence[Sequence[int]], boxes: dict[int, Box]
) -> float:
    """The top of a column: level with its placed neighbours if there is room, else centred."""
    before = [boxes[other].middle for node in column for other in joined[node] if other in boxes]
    middle = sum(before) / len(before) if before else tall / 2
    return min(max(0.0, middle - height / 2), tall - height)


def _height(column: Sequence[int], heights: Sequence[float], gap: float) -> float:
    return sum(heights[node] for node in column) + gap * (len(column) - 1)


def _joined(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    neighbours: list[list[int]] = [list(own) for own in parents]
    for node, own in enumerate(parents):
        for parent in own:
            neighbours[parent].append(node)
    return neighbours


def _ordered(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """The nodes of each layer, in the order that lowers crossings."""
    layer_of = layers_of(parents)
    layers: list[list[int]] = [[] for _ in range(max(layer_of, default=-1) + 1)]
    for node, number in enumerate(layer_of):
        layers[number].append(node)
    return _swept(layers, _joined(parents), layer_of)


def _swept(layers: list[list[int]], joined: Sequence[Sequence[int]], layer_of: Sequence[int]) -> list[list[int]]:
    place = {node: (index + 0.5) / len(layer) for layer in layers for index, node in enumerate(layer)}
    for sweep in range(_SWEEPS):
        forth = sweep % 2 == 0
        for layer in layers if forth else layers[::-1]:
            pull = {node: _pull(node, forth, joined, layer_of, place) for node in layer}
            layer.sort(key=pull.__getitem__)
            place.update({node: (spot + 0.5) / len(layer) for spot, node in enumerate(layer)})
    return layers


def _pull(
    node: int, forth: bool, joined: Sequence[Sequence[int]], layer_of: Sequence[int], place: dict[int, float]
) -> float:
    """The mean place of a node's neighbours in the layers before it (``forth``) or after it."""
    own = layer_of[node]
    near = [place[other] for other in joined[node] if (layer_of[other] < own if forth else layer_of[other] > own)]
    return sum(near) / len(near) if near else place[node]


def _wrapped(layers: Sequence[Sequence[int]], n: int) -> list[list[int]]:
    most = max(4, ceil(sqrt(n * 0.7)))
    columns = []
    for layer in layers:
        parts = ceil(len(layer) / most)
        size = ceil(len(layer) / parts)
        columns += [list(layer[start : start + size]) for start in range(0, len(layer), size)]
    return columns


MOST: Final = 40
"""The largest number of nodes shown per layer: those with the largest weights."""

Numbers = FloatArray
Places = IntArray


@dataclass(frozen=True, eq=False)
class NodePlaces:
    """Nodes shown of each layer (s,), inputs first, their heights (s,) and the layers' places, 0 to 1."""

    shown: tuple[Places, ...]
    up: tuple[Numbers, ...]
    across: Numbers

    @property
    def rows(self) -> int:
        """The largest number of nodes shown in a layer."""
        return max((len(nodes) for nodes in self.shown), default=0)

    def nearest(self, across: float, up: float, wide: float, tall: float) -> tuple[int, int]:
        """Layer and node nearest to a point, in pixels of a picture of ``wide`` x ``tall``."""
        layer = int(np.argmin(np.abs(self.across * wide - across)))
        return layer, int(self.shown[layer][np.argmin(np.abs(self.up[layer] * tall - up))])


def node_places(weights: Sequence[NDArray[Any]], most: int = MOST) -> NodePlaces:
    """Places by the weights (from, to) of each layer; at most ``most`` nodes, those of the largest sums."""
    if not weights:
        return NodePlaces((), (), np.zeros(0))
    n = len(weights) + 1
    shown = []
    for layer in range(n):
        strength = np.zeros(weights[layer].shape[0] if layer < n - 1 else weights[-1].shape[1])
        strength += np.abs(weights[layer]).sum(axis=1) if layer < n - 1 else 0.0
        strength += np.abs(weights[layer - 1]).sum(axis=0) if layer else 0.0
        shown.append(np.sort(np.argsort(-strength, kind="stable")[:most]))
    heights = tuple((np.arange(len(nodes)) + 0.5) / len(nodes) for nodes in shown)
    return NodePlaces(tuple(shown), heights, np.linspace(0.0, 1.0, n))
