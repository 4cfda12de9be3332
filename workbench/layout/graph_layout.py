"""Layered layouts of graphs: Bayesian networks without crossings, and neural networks by layers.

A node stands a layer behind the last of its parents; within a layer nodes are moved to the middle of what they are
joined to, forth and back a few times (Sugiyama, Tagawa and Toda 1981). A layer with more nodes than fit below each
other takes several columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_SWEEPS: Final = 8


@dataclass(frozen=True)
class Box:
    """A rectangle: its left upper corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    def holds(self, x: float, y: float) -> bool:
        """Whether the point lies in it."""
        return self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height


@dataclass(frozen=True)
class GraphLayout:
    """Where each node stands, which nodes each column has from the top down, and how large everything is."""

    boxes: tuple[Box, ...]
    columns: tuple[tuple[int, ...], ...]
    width: float
    height: float


def layers_of(parents: Sequence[Sequence[int]]) -> list[int]:
    """The layer of each node: one more than the lowest of its parents, 0 without any."""
    found = [-1] * len(parents)
    waiting = list(range(len(parents)))
    while waiting:
        left = []
        for node in waiting:
            above = [found[parent] for parent in parents[node]]
            if all(layer >= 0 for layer in above):
                found[node] = max(above, default=-1) + 1
            else:
                left.append(node)
        if len(left) == len(waiting):
            raise ValueError("The graph has a cycle.")
        waiting = left
    return found


def layered(
    parents: Sequence[Sequence[int]], sizes: Sequence[tuple[float, float]], gap: float, drop: float
) -> GraphLayout:
    """The drawing of boxes of these sizes, ``gap`` between those below each other and ``drop`` between columns."""
    columns = _wrapped(_ordered(parents), len(parents))
    joined = _joined(parents)
    tall = max((_height(column, sizes, gap) for column in columns), default=0.0)
    boxes: dict[int, Box] = {}
    left = 0.0
    for column in columns:
        top = _top(column, _height(column, sizes, gap), tall, joined, boxes)
        for node in column:
            width, height = sizes[node]
            boxes[node] = Box(left, top, width, height)
            top += height + gap
        left += max(sizes[node][0] for node in column) + drop
    placed = tuple(boxes[node] for node in range(len(parents)))
    return GraphLayout(placed, tuple(map(tuple, columns)), max(0.0, left - drop), tall)


def _top(
    column: Sequence[int], height: float, tall: float, joined: Sequence[Sequence[int]], boxes: dict[int, Box]
) -> float:
    """Where a column begins: beside what its nodes are joined to, as far as there is room; else in the middle."""
    before = [boxes[other].middle for node in column for other in joined[node] if other in boxes]
    middle = sum(before) / len(before) if before else tall / 2
    return min(max(0.0, middle - height / 2), tall - height)


def _height(column: Sequence[int], sizes: Sequence[tuple[float, float]], gap: float) -> float:
    return sum(sizes[node][1] for node in column) + gap * (len(column) - 1)


def _joined(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    found: list[list[int]] = [list(own) for own in parents]
    for node, own in enumerate(parents):
        for parent in own:
            found[parent].append(node)
    return found


def _ordered(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """The nodes of each layer in their order."""
    layer_of = layers_of(parents)
    layers: list[list[int]] = [[] for _ in range(max(layer_of, default=-1) + 1)]
    for node, number in enumerate(layer_of):
        layers[number].append(node)
    joined = _joined(parents)
    place = {node: (at + 0.5) / len(layer) for layer in layers for at, node in enumerate(layer)}
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
    """The mean place of what a node is joined to in the layers before it, or behind it."""
    own = layer_of[node]
    near = [place[each] for each in joined[node] if (layer_of[each] < own if forth else layer_of[each] > own)]
    return sum(near) / len(near) if near else place[node]


def _wrapped(layers: Sequence[Sequence[int]], n: int) -> list[list[int]]:
    most = max(4, ceil(sqrt(n * 0.7)))
    columns = []
    for layer in layers:
        parts = ceil(len(layer) / most)
        each = ceil(len(layer) / parts)
        columns += [list(layer[at : at + each]) for at in range(0, len(layer), each)]
    return columns


MOST: Final = 40
"""A layer shows no more nodes than this: those with the largest weights."""

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NodePlaces:
    """For each layer, first the inputs: the nodes shown (s,), ascending, their heights (s,), and its place across.

    All between 0 and 1.
    """

    shown: tuple[Places, ...]
    up: tuple[Numbers, ...]
    across: Numbers

    @property
    def rows(self) -> int:
        """How many nodes the layer with the most of them shows."""
        return max((len(nodes) for nodes in self.shown), default=0)

    def nearest(self, across: float, up: float, wide: float, tall: float) -> tuple[int, int]:
        """Layer and node nearest to a place of a picture of this size in pixels, both in pixels."""
        layer = int(np.argmin(np.abs(self.across * wide - across)))
        return layer, int(self.shown[layer][np.argmin(np.abs(self.up[layer] * tall - up))])


def node_places(weights: Sequence[NDArray[Any]], most: int = MOST) -> NodePlaces:
    """Where nodes stand by the weights (from, to) of each layer after the inputs.

    Of a layer with more than ``most`` nodes those are shown whose weights, in and out, are the largest in sum.
    """
    if not weights:
        return NodePlaces((), (), np.zeros(0))
    n = len(weights) + 1
    shown = []
    for at in range(n):
        strength = np.zeros(weights[at].shape[0] if at < n - 1 else weights[-1].shape[1])
        strength += np.abs(weights[at]).sum(axis=1) if at < n - 1 else 0.0
        strength += np.abs(weights[at - 1]).sum(axis=0) if at else 0.0
        shown.append(np.sort(np.argsort(-strength, kind="stable")[:most]))
    heights = tuple((np.arange(len(nodes)) + 0.5) / len(nodes) for nodes in shown)
    return NodePlaces(tuple(shown), heights, np.linspace(0.0, 1.0, n))
