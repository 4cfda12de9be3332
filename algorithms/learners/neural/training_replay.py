"""Replay of a training run weight by weight, and the error surface over two weights (TSKK Figure 5.20)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.learner import Learner
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.design_matrix import DesignRecords
from algorithms.learners.neural.forward_pass import ForwardBackward, NetworkExamples, decided
from algorithms.learners.neural.model import NeuralModel, probabilities_by, shape_of
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.neural.perceptron import Passing, Perceptron, decisions, wanted_signs
from algorithms.structures.layers import Layers, NetworkTraining, layer_views
from algorithms.structures.terms import Int32Array

MOST_UPDATES: Final = 400
MOST_EPOCHS: Final = 300
_MOST_NUMBERS: Final = 8_000_000
"""Weights of all steps together that are kept."""


@dataclass(frozen=True, eq=False)
class LearningSteps:
    """s states of the weights, the start first.

    ==========  =======  ============================================================================================
    array       shape    meaning
    ==========  =======  ============================================================================================
    parameters  (s, p)   the weights, as in :class:`Layers`
    epoch       (s,)     int64, the pass over the records, 0 the start
    error       (s,)     share of the training records that were wrong
    row         (s,)     int64, position in ``data`` of the record that a perceptron was moved by; -1 for none
    node        (s,)     int64, which perceptron was moved; -1 for none
    ==========  =======  ============================================================================================

    ``layers`` is what was learned in the end, over the records of ``data``. ``is_whole`` says whether the last state is
    the end of the learning.
    """

    layers: Layers
    data: Dataset
    parameters: FloatArray
    epoch: np.ndarray
    error: FloatArray
    row: np.ndarray
    node: np.ndarray
    is_whole: bool

    def __len__(self) -> int:
        return len(self.epoch)

    def probabilities(self, at: int, x: FloatArray) -> FloatArray:
        """Class probabilities (n, k) of inputs (n, t) in a state."""
        return probabilities_by(self.layers, self.parameters[at], x)


def can_be_stepped(learner: Learner) -> bool:
    """Whether :func:`learning_steps` knows how this learner learns."""
    return isinstance(learner, Perceptron | NeuralNetwork)


def learning_steps(learner: Learner, data: Dataset, context: RunContext) -> LearningSteps | None:
    """The steps of learning from these records with the seed of ``context``; None where there is nothing to learn."""
    if isinstance(learner, Perceptron):
        return _updates(learner, data, context)
    return _epochs(learner, data, context) if isinstance(learner, NeuralNetwork) else None


def _updates(learner: Perceptron, data: Dataset, context: RunContext) -> LearningSteps | None:
    from algorithms.learners.neural.kernels import perceptron_pass

    model = learner.fit(data, context)
    assert isinstance(model, NeuralModel)
    layers = model.layers
    if not layers.n_layers:
        return None
    records = DesignRecords.of(data)
    examples = NetworkExamples.of(records, layers.terms, layers.from_zero, context.checkpoint)
    passing, n, outputs = learner.passing(), len(records), int(layers.sizes[-1])
    signs = wanted_signs(examples.codes, outputs)
    weights = np.ones(n) if examples.weights is None else examples.weights / (examples.total / n)
    parameters = np.zeros((examples.x.shape[1] + 1, outputs))
    most = max(1, min(MOST_UPDATES, _MOST_NUMBERS // parameters.size))
    states, rows, nodes, epochs = [parameters.ravel().copy()], [-1], [-1], [0]
    orders, is_whole = passing.orders(n, context), True
    for number in range(layers.course.epochs):
        made = np.zeros((most - len(states) + 2, 2), dtype=np.int64)
        count = perceptron_pass(examples.x, signs, weights, next(orders), passing.rate_of(number),
                                parameters.copy(), made, context.control)  # fmt: skip
        context.checkpoint()
        for row, node in made[: min(count, len(made))].tolist():
            _move(parameters, examples, passing, number, row, node, float(weights[row] * signs[row, node]))
            states.append(parameters.ravel().copy())
            rows.append(row)
            nodes.append(node)
            epochs.append(number + 1)
        if len(states) > most or count > len(made):
            is_whole = False
            break
    error = [_wrong(examples, state.reshape(parameters.shape)) for state in states]
    return LearningSteps(
        layers, records.data, np.array(states), np.array(epochs), np.array(error), np.array(rows), np.array(nodes),
        is_whole,
    )  # fmt: skip


def _move(
    parameters: FloatArray, examples: NetworkExamples, passing: Passing, number: int, row: int, node: int, wanted: float
) -> None:
    step = passing.rate_of(number) * 2 * wanted
    parameters[:-1, node] += step * examples.x[row]
    parameters[-1, node] += step


def _wrong(examples: NetworkExamples, parameters: FloatArray) -> float:
    found: Int32Array = decisions(examples, parameters)
    return examples.share_of(found != examples.codes)


def _epochs(learner: NeuralNetwork, data: Dataset, context: RunContext) -> LearningSteps | None:
    every: dict[float, list[NetworkTraining]] = {}

    def hear(event: object) -> None:
        if isinstance(event, NetworkTraining) and not event.is_last:
            kept = every.setdefault(float(event.course.training_loss[0]), [])
            if (len(kept) + 1) * len(event.parameters) > _MOST_NUMBERS or len(kept) >= 2 * MOST_EPOCHS:
                del kept[1::2]  # of a long course every other epoch, and so on; the last one always stays
            kept.append(event)

    part = context.child(1.0, 0, listener=hear)
    part.seeds = context.seeds
    model = replace(learner, prune=False).learn(data, part, between=0.0)
    layers = model.layers
    if not layers.n_layers or not len(layers.course.training_loss):
        return None
    found = every.get(float(layers.course.training_loss[0]), [])
    states = [each.parameters for each in found]
    epochs = np.array([each.course.epochs for each in found], dtype=np.int64)
    none = np.full(len(found), -1)
    error = layers.course.training_error[epochs]
    return LearningSteps(layers, data, np.array(states), epochs, error, none, none, True)


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
