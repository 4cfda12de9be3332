"""Where the nodes of a network stand: a column for each layer, from the inputs at the left to the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

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
