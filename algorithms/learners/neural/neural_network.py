"""The neural network learner: restarts, early stopping, and pruning of hidden units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Final

import numpy as np

from algorithms.core.learner import Learner, Problem, Variant
from algorithms.core.parameters import Option, boolean, choice, integer, integers, real, when
from algorithms.core.resampling import inner_parts
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.design_matrix import DesignRecords, too_long_lists
from algorithms.learners.neural.forward_pass import (
    BINARY,
    CROSS_ENTROPY,
    ONE_OF_K,
    SQUARED,
    ForwardBackward,
    NetworkExamples,
    NetworkShape,
    Numbers,
    initial_weights,
    input_terms,
)
from algorithms.learners.neural.model import NeuralModel
from algorithms.learners.neural.training import BETWEEN, Steps, evaluate_weights, train
from algorithms.structures.design_terms import Terms
from algorithms.structures.layers import Activation, Layers, NetworkTraining, TrainingHistory, layer_views

AGAIN: Final = 0.2
"""Share of the epochs for which a network is retrained after losing a node."""


def prune_hidden_nodes(
    learned: LearnedWeights, examples: NetworkExamples, held_out: NetworkExamples, steps: Steps, context: RunContext
) -> LearnedWeights:
    """Smallest network reached by pruning hidden nodes without a larger error on the held-out records.

    Each round removes the node whose loss raises the held-out loss least, adds its mean output to the next biases,
    and retrains. The first network with a larger error ends the pruning. ``course.pruned_error`` lists the errors.
    """
    best, least = learned, evaluate_weights(ForwardBackward(learned.shape), learned.parameters, held_out, context).error
    errors, shorter = [least], replace(steps, epochs=max(5, round(steps.epochs * AGAIN)))
    most = int(np.maximum(learned.shape.sizes[1:-1] - 1, 0).sum())
    for number in range(most):
        context.advance(number, most)
        if context.finishing:
            context.checkpoint()
            break
        shape, start = _without_the_least(best, examples, held_out, context)
        part = context.child(0.0, number)
        tried = LearnedWeights(shape, *train(shape, start, examples, held_out, shorter, part))
        error = evaluate_weights(ForwardBackward(shape), tried.parameters, held_out, context).error
        errors.append(error)
        if error > least:
            break
        best, least = tried, error
    return replace(best, course=replace(learned.course, pruned_error=np.array(errors)))


def _without_the_least(
    learned: LearnedWeights, examples: NetworkExamples, held_out: NetworkExamples, context: RunContext
) -> tuple[NetworkShape, Numbers]:
    """Network without the hidden node whose removal gives the smallest held-out loss."""
    means = [signal.mean(axis=0) for signal in ForwardBackward(learned.shape).signals(learned.parameters, examples.x)]
    best: tuple[float, NetworkShape, Numbers] | None = None
    for layer in range(1, len(learned.shape.sizes) - 1):
        if learned.shape.sizes[layer] < 2:
            continue
        shape = learned.shape.without(layer)
        passes = ForwardBackward(shape)
        for node in range(int(learned.shape.sizes[layer])):
            left = without_node(learned.shape, learned.parameters, layer, node, float(means[layer][node]))
            loss = evaluate_weights(passes, left, held_out, context).loss
            if best is None or loss < best[0]:
                best = loss, shape, left
    assert best is not None
    return best[1], best[2]


def without_node(shape: NetworkShape, parameters: Numbers, layer: int, node: int, mean: float) -> Numbers:
    """Weights without a node of a hidden layer (1 is the first); ``mean`` is the node's mean output."""
    kept = []
    for number, (weight, bias) in enumerate(layer_views(parameters, shape.sizes)):
        if number == layer:
            bias = bias + mean * weight[node]
            weight = np.delete(weight, node, axis=0)
        if number == layer - 1:
            weight, bias = np.delete(weight, node, axis=1), np.delete(bias, node)
        kept += [weight.ravel(), bias]
    return np.concatenate(kept)


LBFGS: Final = "lbfgs"


@dataclass(frozen=True, eq=False)
class LearnedWeights:
    """Weights (p,) of a shape, their training history, and their cost (see :class:`EpochMonitor`)."""

    shape: NetworkShape
    parameters: Numbers
    course: TrainingHistory
    cost: float


def best_of_starts(
    shape: NetworkShape,
    examples: NetworkExamples,
    held_out: NetworkExamples | None,
    steps: Steps,
    starts: int,
    context: RunContext,
) -> LearnedWeights:
    """Best result of several random starts, the first of equals."""

    def begin(key: int) -> LearnedWeights:
        part = context.child(1.0 / starts, key)
        start = initial_weights(shape, part.random()).astype(examples.x.dtype).astype(np.float64)
        learned = LearnedWeights(shape, *train(shape, start, examples, held_out, steps, part.child(1.0, 0)))
        part.complete()
        return learned

    return min(context.map(begin, range(starts)), key=lambda learned: learned.cost)


AUTOMATIC: Final = "automatic"
ADAM, MOMENTUM = "adam", "momentum"
SINGLE, MINI, WHOLE = "single", "mini-batches", "whole"
MANY: Final = 4000
"""Largest table for which L-BFGS is faster than mini-batches."""
MOST_WEIGHTS: Final = 5_000_000
"""L-BFGS keeps twenty arrays of this size."""
MOST_LAYERS: Final = 100
FULL_DECAY: Final = 40.0
"""The automatic decay shrinks below this weight of records; above 0.01 the four records of XOR are not learned."""
_ACTIVATIONS: Final = {
    "tanh": Activation.TANH,
    "logistic": Activation.LOGISTIC,
    "relu": Activation.RELU,
    "linear": Activation.LINEAR,
}
_BY_STEPS = when("optimizer", ADAM, MOMENTUM)


@dataclass(frozen=True, kw_only=True)
class NeuralNetwork(Learner):
    """Feed-forward network trained by back-propagation.

    The cost is the mean loss plus ``weight_decay / 2`` times the squared weights (without biases) over the weight of
    the records. The automatic decay is 1, or (weight / 40)^2 for lighter data. The epoch with the lowest held-out loss
    is kept, or the one with the lowest cost if nothing is held out.
    """

    id: ClassVar[str] = "neural-network"
    name: ClassVar[str] = "Neural network"
    sentence: ClassVar[str] = (
        "Layers of units that transform weighted sums of the layer before. It fits boundaries of any "
        "shape but explains little."
    )
    family: ClassVar[str] = "Networks"
    source: ClassVar[str] = "Rumelhart, Hinton and Williams (1986); Tan, Steinbach, Karpatne and Kumar, 5.4.2"
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.learners.neural.kernels",)
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5),)
    always_resamples: ClassVar[bool] = True
    """Weights differ from repetitions: batches are drawn, and sums in another order round differently."""

    hidden: tuple[int, ...] = integers(
        (20,),
        lo=1,
        hi=1_000_000,
        label="Hidden layers",
        help="Units of each hidden layer, such as 20, or 30, 10 for two layers. Empty: no hidden layer, a "
        "linear boundary.",
    )
    activation: str = choice(
        "logistic",
        Option("logistic", "Logistic", "From 0 to 1, S-shaped: smooth boundaries."),
        Option("tanh", "Tanh", "From −1 to 1, S-shaped: trains slightly faster."),
        Option("relu", "ReLU", "Zero below zero, the identity above: fast, piecewise linear."),
        Option("linear", "Linear", "The identity: boundaries are straight with any number of layers."),
        label="Activation",
        help="Activation function of the hidden units.",
    )
    weight_decay: float | None = real(
        None,
        lo=0.0,
        hi=1e9,
        optional=True,
        none_label="automatic",
        label="Weight decay (L2)",
        help="Penalty on large weights: larger values give smoother boundaries. The more records, the "
        "weaker the same number. Automatic: 1, and less for fewer than 40 records.",
    )
    epochs: int = integer(
        200, lo=0, hi=1_000_000, label="Max. epochs", help="Largest number of passes through the training records."
    )
    early_stopping: bool = boolean(
        False,
        label="Early stopping",
        help="Holds out a validation set and keeps the weights with the lowest error on it.",
    )
    prune: bool = boolean(
        False,
        label="Prune hidden units",
        help="Removes hidden units one by one as long as the validation error does not rise.",
    )
    validation: float = real(
        20.0,
        lo=1.0,
        hi=90.0,
        unit="%",
        label="Validation share",
        help="Share of the training records in the validation set.",
        enabled_if=when("early_stopping", True) | when("prune", True),
    )
    restarts: int = integer(
        1, lo=1, hi=1000, label="Restarts", help="Number of trainings from other random weights; the best is kept."
    )
    loss: str = choice(
        CROSS_ENTROPY,
        Option(
            CROSS_ENTROPY,
            "Cross-entropy",
            "Negative log likelihood of the true classes: gives calibrated probabilities.",
        ),
        Option(SQUARED, "Squared error", "Squared distance of the outputs from 0 and 1."),
        label="Loss",
        help="The function that training minimizes.",
        advanced=True,
    )
    output: str = choice(
        "logistic",
        Option("logistic", "Logistic", "From 0 to 1."),
        Option("linear", "Linear", "The identity."),
        Option("tanh", "Tanh", "From −1 to 1."),
        label="Output activation",
        help="Activation function of the output units. With cross-entropy outputs are probabilities.",
        enabled_if=when("loss", SQUARED),
        advanced=True,
    )
    optimizer: str = choice(
        AUTOMATIC,
        Option(AUTOMATIC, "Automatic", "L-BFGS up to 4,000 records, Adam for more."),
        Option(LBFGS, "L-BFGS", "Quasi-Newton steps on all records: few epochs, for small tables."),
        Option(ADAM, "Adam", "Many small steps with a learning rate for each weight: for large tables."),
        Option(MOMENTUM, "Momentum", "Gradient descent with momentum, as in classic back-propagation."),
        label="Optimizer",
        help="The algorithm that minimizes the loss.",
        advanced=True,
    )
    batch: str = choice(
        MINI,
        Option(SINGLE, "Record", "An update after each record."),
        Option(MINI, "Mini-batch", "An update after each mini-batch."),
        Option(WHOLE, "Epoch", "An update after each epoch."),
        label="Update after",
        help="Number of records between two updates of the weights.",
        enabled_if=_BY_STEPS,
        advanced=True,
    )
    batch_size: int = integer(
        200,
        lo=1,
        label="Batch size",
        help="Number of records in a mini-batch.",
        enabled_if=_BY_STEPS & when("batch", MINI),
        advanced=True,
    )
    learning_rate: float | None = real(
        None,
        lo=1e-9,
        hi=1e3,
        optional=True,
        none_label="automatic",
        label="Learning rate",
        help="Step size. Automatic: 0.005 for Adam (0.001 per record), 0.1 for momentum (0.01 per record).",
        enabled_if=_BY_STEPS,
        advanced=True,
    )
    momentum: float = real(
        0.9,
        lo=0.0,
        hi=0.999,
        label="Momentum",
        help="Share of the previous step that is added to the next one.",
        enabled_if=when("optimizer", MOMENTUM),
        advanced=True,
    )
    patience: int = integer(
        15,
        lo=1,
        hi=1_000_000,
        label="Patience",
        help="Training stops after this many epochs without progress. L-BFGS needs it only for early stopping.",
        advanced=True,
    )
    inputs: str = choice(
        ONE_OF_K,
        Option(ONE_OF_K, "One-hot", "1 for the value of the record, 0 for the others."),
        Option(BINARY, "Binary digits", "The index of the value in binary digits: fewer inputs for many values."),
        label="Nominal encoding",
        help="How nominal attributes become inputs.",
        advanced=True,
    )
    standardise: bool = boolean(
        True,
        label="Standardize",
        help="Measures each numeric attribute from its mean in standard deviations. Without it attributes "
        "with large values dominate.",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or too_long_lists(summary) or self._too_large(summary)

    def _too_large(self, summary: Summary) -> list[Problem]:
        """Problems of a network with too many layers or weights."""
        if len(self.hidden) > MOST_LAYERS:
            sentence = f"The network would have {len(self.hidden):,} hidden layers; {MOST_LAYERS} are the most."
            return [Problem(sentence, "Give fewer hidden layers.")]
        attributes = [summary.schema.attributes[index] for index in summary.schema.predictors]
        inputs = sum(len(a.values) if a.kind.is_coded else 1 for a in attributes)
        occurring = 0 if summary.class_counts is None else int((summary.class_counts > 0).sum())
        sizes = [inputs, *self.hidden, occurring]
        weights = sum(before * after for before, after in pairwise(sizes))
        if not self.hidden or weights <= MOST_WEIGHTS:
            return []
        sentence = f"The network would have {weights:,} weights; {MOST_WEIGHTS:,} are the most."
        return [Problem(sentence, f"Give fewer hidden nodes; there are {inputs:,} inputs and {occurring:,} classes.")]

    def _fit(self, data: Dataset, context: RunContext) -> NeuralModel:
        return self.learn(data, context)

    def learn(self, data: Dataset, context: RunContext, between: float = BETWEEN) -> NeuralModel:
        """Train on records; publish progress every ``between`` seconds, or after every epoch with 0."""
        records = DesignRecords.of(data)
        terms = input_terms(records, self.inputs, self.standardise, context)
        if len(records.active) < 2 or not len(terms):
            return NeuralModel(only_shares(terms, records, "network", self.loss))
        steps = self.steps(len(records), between, float(records.weight_array.sum()))
        precision = self.precision(len(records))
        examples = NetworkExamples.of(records, terms, not self.standardise, context.checkpoint, precision)
        held_out, shape = None, self.shape(len(terms), len(records.active))
        if self.early_stopping or self.prune:
            kept, tested = inner_parts(records.data, 1 - self.validation / 100, context.child(0.0, 1).random())
            if kept.any() and tested.any():
                examples, held_out = examples.part(kept), examples.part(tested)
        learning = context.child(0.5 if self.prune else 1.0, 0)
        watched = held_out if self.early_stopping else None
        learned = best_of_starts(shape, examples, watched, steps, self.restarts, learning)
        learning.complete()
        if self.prune and held_out is not None:
            learned = prune_hidden_nodes(learned, examples, held_out, steps, context.child(0.5, 2))
        context.publish(NetworkTraining(learned.course, learned.parameters, context.can_finish, is_last=True))
        return NeuralModel(self.layers(terms, records, learned), partial=context.finishing)

    def shape(self, n_terms: int, n_classes: int) -> NetworkShape:
        """Shape of the network for a number of inputs and active classes."""
        outputs = 1 if n_classes == 2 else n_classes
        if self.loss == CROSS_ENTROPY:
            last = Activation.LOGISTIC if outputs == 1 else Activation.SOFTMAX
        else:
            last = _ACTIVATIONS[self.output]
        kinds = [_ACTIVATIONS[self.activation]] * len(self.hidden) + [last]
        return NetworkShape(
            np.array([n_terms, *self.hidden, outputs], dtype=np.int32), np.array(kinds, dtype=np.int8), self.loss
        )

    def chosen_optimizer(self, n: int) -> str:
        """Optimizer for n records."""
        if self.optimizer != AUTOMATIC:
            return self.optimizer
        return LBFGS if n <= MANY else ADAM

    def precision(self, n: int) -> type[np.floating]:
        """Precision for n records: single for mini-batches of large tables, else double."""
        by_some = self.chosen_optimizer(n) != LBFGS and (self.batch == MINI or self.optimizer == AUTOMATIC)
        return np.float32 if by_some and n > MANY else np.float64

    def steps(self, n: int, between: float, weight: float) -> Steps:
        """Settings of training for n records with a total ``weight``."""
        optimizer = self.chosen_optimizer(n)
        adam, batch = optimizer == ADAM, MINI if self.optimizer == AUTOMATIC else self.batch
        size = {SINGLE: 1, WHOLE: 0, MINI: self.batch_size if self.optimizer != AUTOMATIC else 200}[batch]
        rate = self.learning_rate
        if rate is None or self.optimizer == AUTOMATIC:
            rate = (0.001 if size == 1 else 0.005) if adam else (0.01 if size == 1 else 0.1)
        decay = self.weight_decay
        if decay is None:
            decay = min(1.0, weight / FULL_DECAY) ** 2
        by_lbfgs = optimizer == LBFGS
        return Steps(size, rate, adam, self.momentum, decay, self.epochs, self.patience, between, by_lbfgs)

    def layers(self, terms: Terms, records: DesignRecords, learned: LearnedWeights) -> Layers:
        shape = learned.shape
        return Layers(
            terms.schema, terms, records.class_weight, shape.sizes, shape.activation,
            np.asarray(learned.parameters, dtype=np.float64), learned.course, "network", self.loss,
            not self.standardise,
        )  # fmt: skip


def only_shares(terms: Terms, records: DesignRecords, kind: str, loss: str) -> Layers:
    """Network without layers that predicts class shares, for data with one class or without inputs."""
    sizes = np.array([len(terms)], dtype=np.int32)
    nothing = np.zeros(0, dtype=np.int8)
    return Layers(terms.schema, terms, records.class_weight, sizes, nothing, np.zeros(0), TrainingHistory(), kind, loss)
