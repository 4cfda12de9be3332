"""The perceptron learner with the pocket algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Learner, Problem
from algorithms.core.parameters import Option, boolean, choice, declared_as, integer, real
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.design_matrix import DesignRecords, too_long_lists
from algorithms.learners.neural.forward_pass import ONE_OF_K, NetworkExamples, decided, input_terms
from algorithms.learners.neural.model import NeuralModel
from algorithms.learners.neural.neural_network import NeuralNetwork, only_shares
from algorithms.learners.neural.training import StopReason
from algorithms.structures.design_terms import Int32Array
from algorithms.structures.layers import Activation, Layers, TrainingHistory


def wanted_signs(codes: Int32Array, outputs: int) -> FloatArray:
    """Target signs (n, m) of each perceptron: 1 for its class, -1 for the rest."""
    right = (codes == 1)[:, None] if outputs == 1 else codes[:, None] == np.arange(outputs)
    return np.where(right, 1.0, -1.0)


def error_of(examples: NetworkExamples, parameters: FloatArray) -> float:
    """Error rate of weights (t + 1, m) with the biases in the last row."""
    sums = examples.x @ parameters[:-1] + parameters[-1]
    return examples.share_of(decided(sums, Activation.SIGN) != examples.codes)


def train_perceptron(
    examples: NetworkExamples, outputs: int, learner: Perceptron, context: RunContext
) -> tuple[FloatArray, TrainingHistory]:
    """Weights (t + 1, m) after all passes, or the best of them, and the training history.

    A pass without an update ends the training. The errors in the history are those of the combined decision.
    """
    from algorithms.learners.neural.kernels import perceptron_pass

    n = len(examples)
    parameters = np.zeros((examples.x.shape[1] + 1, outputs))
    signs = wanted_signs(examples.codes, outputs)
    weights = np.ones(n) if examples.weights is None else examples.weights / (examples.total / n)
    errors = [error_of(examples, parameters)]
    best, best_at, ended = parameters.copy(), 0, StopReason.LIMIT
    nothing = np.zeros((0, 2), dtype=np.int64)
    orders = learner.orders(n, context)
    for number in range(learner.epochs):
        context.advance(number, learner.epochs)
        if context.finishing:
            context.checkpoint()
            ended = StopReason.FINISHED
            break
        rate = learner.rate_of(number)
        updates = perceptron_pass(examples.x, signs, weights, next(orders), rate, parameters, nothing, context.control)
        context.checkpoint()
        errors.append(error_of(examples, parameters))
        if errors[-1] < errors[best_at]:
            best, best_at = parameters.copy(), len(errors) - 1
        if updates == 0 and not context.finishing:
            ended, best, best_at = StopReason.NO_ERRORS, parameters, len(errors) - 1
            break
    if not learner.pocket and ended is not StopReason.NO_ERRORS:
        best, best_at = parameters, len(errors) - 1
    history = np.array(errors)
    return best, TrainingHistory(history, history, best=best_at, ended=ended.value)


CONSTANT: Final = "constant"
DECREASING: Final = "decreasing"


@dataclass(frozen=True, kw_only=True)
class Perceptron(Learner):
    """Perceptron: adds ``rate (wanted - answered) x`` for each misclassified record (TSKK Algorithm 5.4).

    Answers are -1 and 1. More than two classes use one perceptron each against the rest; the largest sum decides.
    The weight of a record multiplies its step.
    """

    id: ClassVar[str] = "perceptron"
    name: ClassVar[str] = "Perceptron"
    sentence: ClassVar[str] = (
        "Moves a linear boundary for each misclassified record until there is none. It converges "
        "if the classes are separable."
    )
    family: ClassVar[str] = "Networks"
    source: ClassVar[str] = "Rosenblatt (1958); Gallant (1990); Tan, Steinbach, Karpatne and Kumar, Algorithm 5.4"
    kernels: ClassVar[tuple[str, ...]] = NeuralNetwork.kernels
    always_resamples: ClassVar[bool] = True
    """Weights differ from repetitions: a repeated record may be right the second time."""

    learning_rate: float = real(
        0.1,
        lo=1e-9,
        hi=1e6,
        label="Learning rate",
        help="Step size of each update. Weights start at zero, so another rate only rescales them and the "
        "boundary is the same.",
    )
    schedule: str = choice(
        CONSTANT,
        Option(CONSTANT, "Constant", "The same step size in every epoch."),
        Option(DECREASING, "Decreasing", "Divided by the number of the epoch."),
        label="Learning-rate schedule",
        help="Whether the learning rate stays or falls.",
    )
    epochs: int = integer(
        200, lo=1, hi=10_000_000, label="Max. epochs", help="Largest number of passes through the training records."
    )
    pocket: bool = boolean(
        True,
        label="Pocket algorithm",
        help="Keeps the weights of the epoch with the fewest errors, which matters if the classes are not separable.",
    )
    shuffle: bool = boolean(
        True,
        label="Shuffle each epoch",
        help="Presents the records in another random order in each epoch.",
        advanced=True,
    )
    standardise: bool = declared_as(NeuralNetwork, "standardise")

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or too_long_lists(summary)

    def _fit(self, data: Dataset, context: RunContext) -> NeuralModel:
        records = DesignRecords.of(data)
        terms = input_terms(records, ONE_OF_K, self.standardise, context)
        if len(records.active) < 2 or not len(terms):
            return NeuralModel(only_shares(terms, records, "perceptron", "mistakes"))
        outputs = 1 if len(records.active) == 2 else len(records.active)
        examples = NetworkExamples.of(records, terms, not self.standardise, context.checkpoint)
        weights, course = train_perceptron(examples, outputs, self, context)
        sizes, kinds = np.array([len(terms), outputs], dtype=np.int32), np.array([Activation.SIGN], dtype=np.int8)
        layers = Layers(
            terms.schema, terms, records.class_weight, sizes, kinds, weights.ravel(), course, "perceptron", "mistakes",
            not self.standardise,
        )  # fmt: skip
        return NeuralModel(layers, partial=context.finishing)

    def rate_of(self, number: int) -> float:
        """Learning rate of a pass, counted from 0."""
        return self.learning_rate / (number + 1) if self.schedule == DECREASING else self.learning_rate

    def orders(self, n: int, context: RunContext) -> Iterator[NDArray[np.int64]]:
        """Order of n records in each pass, without end."""
        random = context.random()
        while True:
            yield random.permutation(n) if self.shuffle else np.arange(n)
