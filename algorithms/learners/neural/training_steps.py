"""How weights came about, one after the other: a perceptron's updates, or a network after every epoch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.learner import Learner
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.design_matrix import DesignRecords
from algorithms.learners.neural.forward_pass import NetworkExamples
from algorithms.learners.neural.model import NeuralModel, probabilities_by
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.neural.perceptron import Passing, Perceptron, decisions, wanted_signs
from algorithms.structures.layers import Layers, NetworkTraining
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
