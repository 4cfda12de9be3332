"""Replay of a training run weight by weight, and the error surface over two weights (TSKK Figure 5.20)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.design_matrix import DesignRecords
from algorithms.learners.neural.forward_pass import ForwardBackward, NetworkExamples, decided
from algorithms.learners.neural.model import NeuralModel, probabilities_by, shape_of
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.neural.perceptron import Perceptron, error_of, wanted_signs
from algorithms.structures.layers import Layers, NetworkTraining, layer_views

MOST_UPDATES: Final = 400
MOST_EPOCHS: Final = 300
_MOST_NUMBERS: Final = 8_000_000
"""Weights kept over all steps."""


@dataclass(frozen=True, eq=False)
class LearningSteps:
    """The weights at s steps of training, the start first.

    ==========  =======  ============================================================================================
    array       shape    meaning
    ==========  =======  ============================================================================================
    parameters  (s, p)   the weights, as in :class:`Layers`
    epoch       (s,)     int64, the pass over the records, 0 the start
    error       (s,)     error rate on the training records
    row         (s,)     int64, position in ``data`` of the record that updated a perceptron; -1 for none
    node        (s,)     int64, the updated perceptron; -1 for none
    ==========  =======  ============================================================================================

    ``layers`` is the final model, ``data`` the training records. ``is_whole`` says that the last state is final.
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

    def probabilities(self, step: int, x: FloatArray) -> FloatArray:
        """Class probabilities (n, k) of inputs (n, t) at a step."""
        return probabilities_by(self.layers, self.parameters[step], x)


def can_be_stepped(learner: Learner) -> bool:
    """Whether :func:`learning_steps` supports this learner."""
    return isinstance(learner, Perceptron | NeuralNetwork)


def learning_steps(learner: Learner, data: Dataset, context: RunContext) -> LearningSteps | None:
    """Steps of training on these records with the seed of ``context``; None without layers."""
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
    n, outputs = len(records), int(layers.sizes[-1])
    signs = wanted_signs(examples.codes, outputs)
    weights = np.ones(n) if examples.weights is None else examples.weights / (examples.total / n)
    parameters = np.zeros((examples.x.shape[1] + 1, outputs))
    most = max(1, min(MOST_UPDATES, _MOST_NUMBERS // parameters.size))
    states, rows, nodes, epochs = [parameters.ravel().copy()], [-1], [-1], [0]
    orders, is_whole = learner.orders(n, context), True
    for number in range(layers.course.epochs):
        moves = np.zeros((most - len(states) + 2, 2), dtype=np.int64)
        count = perceptron_pass(examples.x, signs, weights, next(orders), learner.rate_of(number),
                                parameters.copy(), moves, context.control)  # fmt: skip
        context.checkpoint()
        for row, node in moves[: min(count, len(moves))].tolist():
            step = learner.rate_of(number) * 2 * float(weights[row] * signs[row, node])
            parameters[:-1, node] += step * examples.x[row]
            parameters[-1, node] += step
            states.append(parameters.ravel().copy())
            rows.append(row)
            nodes.append(node)
            epochs.append(number + 1)
        if len(states) > most or count > len(moves):
            is_whole = False
            break
    error = [error_of(examples, state.reshape(parameters.shape)) for state in states]
    return LearningSteps(
        layers, records.data, np.array(states), np.array(epochs), np.array(error), np.array(rows), np.array(nodes),
        is_whole,
    )  # fmt: skip


def _epochs(learner: NeuralNetwork, data: Dataset, context: RunContext) -> LearningSteps | None:
    every: dict[float, list[NetworkTraining]] = {}

    def hear(event: object) -> None:
        if isinstance(event, NetworkTraining) and not event.is_last:
            kept = every.setdefault(float(event.course.training_loss[0]), [])
            if (len(kept) + 1) * len(event.parameters) > _MOST_NUMBERS or len(kept) >= 2 * MOST_EPOCHS:
                del kept[1::2]  # thin out a long history; the last epoch always stays
            kept.append(event)

    part = context.child(1.0, 0, listener=hear)
    part.seeds = context.seeds
    model = replace(learner, prune=False).learn(data, part, between=0.0)
    layers = model.layers
    if not layers.n_layers or not len(layers.course.training_loss):
        return None
    events = every.get(float(layers.course.training_loss[0]), [])
    states = [event_kept.parameters for event_kept in events]
    epochs = np.array([event_kept.course.epochs for event_kept in events], dtype=np.int64)
    none = np.full(len(events), -1)
    error = layers.course.training_error[epochs]
    return LearningSteps(layers, data, np.array(states), epochs, error, none, none, True)


CELLS: Final = 33
MOST_RECORDS: Final = 2000
"""Larger tables are sampled evenly."""
LEAST_REACH: Final = 3.0


@dataclass(frozen=True, eq=False)
class ErrorSurface:
    """Mean loss (c, c) over the values ``across`` (c,) of one weight and ``up`` (c,) of another.

    ``first`` and ``second`` index ``Layers.parameters``. The loss of a perceptron is its error rate.
    """

    first: int
    second: int
    across: FloatArray
    up: FloatArray
    loss: FloatArray


def error_surface(
    layers: Layers, data: Dataset, first: int, second: int, reach: tuple[FloatArray, FloatArray], context: RunContext
) -> ErrorSurface:
    """Error surface over training records; it covers the values in ``reach`` of both weights with a margin."""
    records = DesignRecords.of(data)
    records = records.every(max(1, -(-len(records) // MOST_RECORDS)))
    examples = NetworkExamples.of(records, layers.terms, layers.from_zero, context.checkpoint)
    shape = shape_of(layers)
    passes, last, parameters = ForwardBackward(shape), int(layers.activation[-1]), layers.parameters.copy()
    targets = shape.targets(examples.codes)
    weights = np.ones(len(examples)) if examples.weights is None else examples.weights
    across, up = (_values(layers.parameters[place], seen) for place, seen in zip((first, second), reach, strict=True))
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


def place_of_weight(layers: Layers, start: int) -> tuple[int, int, int]:
    """Layer (0 follows the inputs), source node (-1 for a bias) and target node of a weight."""
    numbers = np.arange(layers.n_weights)
    for layer, (weight, bias) in enumerate(layer_views(numbers, layers.sizes)):
        if start <= int(bias[-1]):
            if start >= int(bias[0]):
                return layer, -1, start - int(bias[0])
            node, to = divmod(start - int(weight[0, 0]), weight.shape[1])
            return layer, node, to
    raise IndexError(start)
