"""The error over two weights of a network, all others as they are (TSKK Figure 5.20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.design_matrix import DesignRecords
from algorithms.learners.neural.forward_pass import ForwardBackward, NetworkExamples, decided
from algorithms.learners.neural.model import shape_of
from algorithms.structures.layers import Layers, layer_views

CELLS: Final = 33
MOST_RECORDS: Final = 2000
"""Of more records every so many-th is taken."""
LEAST_REACH: Final = 3.0


@dataclass(frozen=True, eq=False)
class ErrorSurface:
    """The mean loss (c, c) where one weight has the values ``across`` (c,) and the other ``up`` (c,).

    ``first`` and ``second`` are their places in ``Layers.parameters``. A perceptron's loss is the share that is wrong.
    """

    first: int
    second: int
    across: FloatArray
    up: FloatArray
    loss: FloatArray


def error_surface(
    layers: Layers, data: Dataset, first: int, second: int, reach: tuple[FloatArray, FloatArray], context: RunContext
) -> ErrorSurface:
    """The surface over training records; it reaches as far as the values in ``reach`` of either weight, and further."""
    records = DesignRecords.of(data)
    records = records.every(max(1, -(-len(records) // MOST_RECORDS)))
    examples = NetworkExamples.of(records, layers.terms, layers.from_zero, context.checkpoint)
    shape = shape_of(layers)
    passes, last, parameters = ForwardBackward(shape), int(layers.activation[-1]), layers.parameters.copy()
    targets = shape.targets(examples.codes)
    weights = np.ones(len(examples)) if examples.weights is None else examples.weights
    across, up = (_values(layers.parameters[at], seen) for at, seen in zip((first, second), reach, strict=True))
    loss = np.empty((CELLS, CELLS))
    for i, j in np.ndindex(CELLS, CELLS):
        context.checkpoint()
        parameters[second] = up[j]
        parameters[first] = across[i]
        outputs = passes.signals(parameters, examples.x)[-1]
        if layers.kind == "perceptron":
            loss[i, j] = examples.share_of(decided(outputs, last) != examples.codes)
        else:
            loss[i, j] = passes.losses(outputs, targets) @ weights / examples.total
    return ErrorSurface(first, second, across, up, loss)


def _values(now: float, seen: FloatArray) -> FloatArray:
    low, high = min(now, float(seen.min(initial=now))), max(now, float(seen.max(initial=now)))
    room = max(LEAST_REACH, 0.5 * (high - low))
    return np.linspace(low - room, high + room, CELLS)


def place_of_weight(layers: Layers, at: int) -> tuple[int, int, int]:
    """Layer, 0 the first after the inputs, and the nodes that a weight joins; from -1 where it is a bias."""
    numbers = np.arange(layers.n_weights)
    for layer, (weight, bias) in enumerate(layer_views(numbers, layers.sizes)):
        if at <= int(bias[-1]):
            if at >= int(bias[0]):
                return layer, -1, at - int(bias[0])
            node, to = divmod(at - int(weight[0, 0]), weight.shape[1])
            return layer, node, to
    raise IndexError(at)
