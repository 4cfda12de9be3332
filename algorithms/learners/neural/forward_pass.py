"""Forward and backward passes through the layers, and records as inputs of a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.parameters import boolean
from algorithms.data.dataset import Dataset
from algorithms.learners.design_matrix import DesignRecords, learned_terms
from algorithms.structures.layers import Activation, layer_views, parameter_count
from algorithms.structures.terms import IS_NUMBER, Coding, Int32Array, Terms

ONE_OF_K: Final = "one-of-k"
BINARY: Final = "binary"


def standardising() -> Any:
    """Whether numbers are brought onto one scale."""
    return boolean(
        True,
        label="Bring numbers onto one scale",
        help="Measures each number from its average in standard deviations. Without it large numbers drown small ones.",
        advanced=True,
    )


def input_terms(records: DesignRecords, coding: str, standardise: bool, context: RunContext) -> Terms:
    """How records become inputs, learned from them; numbers are standardised or left in their own unit.

    A value of a list is 1 where the record has it and 0 where not. Where inputs are not standardised they count from
    zero (:func:`algorithms.learners.neural.forward_pass.rows_of`), and what is missing is still the mean.
    """
    way = Coding.BINARY if coding == BINARY else Coding.EACH_VALUE
    terms = learned_terms(records.data, records.weights, context, way)
    if not standardise:
        return replace(terms, unit=np.ones(len(terms)))
    return replace(terms, unit=np.where(terms.value == IS_NUMBER, terms.unit, VALUE_UNIT))


VALUE_UNIT: Final = 0.5
"""What a value of a list is divided by: as large as a number's standard deviation where half of the records have it."""


Numbers = NDArray[Any]
"""Arrays of one kind of floats: double precision, or single where that is precise enough."""
CROSS_ENTROPY: Final = "cross-entropy"
SQUARED: Final = "squared"


_TOGETHER: Final = 4096
_PRODUCTS: Final = 50_000_000
"""Multiplications between two looks at the stop word: some hundredths of a second."""
_PER_NODE: Final = 60
"""What a node makes of its sum takes as long as so many of them."""


def activate(kind: int, sums: Numbers) -> None:
    """What nodes make of their weighed sums (n, nodes), in place."""
    if kind == Activation.TANH:
        np.tanh(sums, out=sums)
    elif kind == Activation.RELU:
        np.maximum(sums, 0, out=sums)
    elif kind == Activation.LOGISTIC:
        sums *= 0.5
        np.tanh(sums, out=sums)
        sums += 1
        sums *= 0.5
    elif kind == Activation.SOFTMAX:
        sums -= sums.max(axis=1, keepdims=True)
        np.exp(sums, out=sums)
        sums /= sums.sum(axis=1, keepdims=True)
    elif kind == Activation.SIGN:
        np.copyto(sums, np.where(sums > 0, 1, -1))


def times_slope(kind: int, outputs: Numbers, delta: Numbers) -> None:
    """Multiply (n, nodes) by the derivative of the activation, which gave these outputs, in place."""
    if kind == Activation.TANH:
        delta *= 1 - outputs * outputs
    elif kind == Activation.RELU:
        delta *= outputs > 0
    elif kind == Activation.LOGISTIC:
        delta *= outputs * (1 - outputs)


@dataclass(frozen=True, eq=False)
class NetworkShape:
    """What a network is but for its weights: nodes of each layer, the inputs first, their activations, and the loss.

    The loss of a record is ``-log p`` of its class (cross-entropy; the last layer is LOGISTIC or SOFTMAX), or half
    the sum of squared differences between outputs and targets, as in TSKK Eq. 5.52.
    """

    sizes: Int32Array
    activation: NDArray[np.int8]
    loss: str

    @property
    def n_parameters(self) -> int:
        return parameter_count(self.sizes)

    @property
    def together(self) -> int:
        """How many records are passed at once: fewer through a large network, so that a stop is heeded soon."""
        work = self.n_parameters + _PER_NODE * int(self.sizes[1:].sum())
        return max(1, min(_TOGETHER, _PRODUCTS // max(1, work)))

    @property
    def n_outputs(self) -> int:
        return int(self.sizes[-1])

    def without(self, layer: int) -> NetworkShape:
        """The same with a node less in a hidden layer, 1 the first after the inputs."""
        sizes = self.sizes.copy()
        sizes[layer] -= 1
        return NetworkShape(sizes, self.activation, self.loss)

    def targets(self, codes: Int32Array, dtype: Any = np.float64) -> Numbers:
        """What the outputs (n, m) should be for records of these active classes (n,), counted from 0."""
        m = self.n_outputs
        target = (codes == 1)[:, None] if m == 1 else codes[:, None] == np.arange(m)
        if self.loss == SQUARED and self.activation[-1] == Activation.TANH:
            return np.where(target, 1, -1).astype(dtype)
        return np.asarray(target, dtype=dtype)


class ForwardBackward:
    """Forward and back with the weights in one array (p,); the room for what nodes say is used again and again."""

    def __init__(self, shape: NetworkShape, dtype: Any = np.float64) -> None:
        self.shape, self.dtype = shape, dtype
        self._room: list[Numbers] = []
        self._back: list[Numbers] = []

    def _reserve(self, n: int) -> None:
        if not self._room or len(self._room[0]) < n:
            sizes = self.shape.sizes[1:].tolist()
            self._room = [np.empty((n, size), dtype=self.dtype) for size in sizes]
            self._back = [np.empty((n, size), dtype=self.dtype) for size in sizes]

    def signals(self, parameters: Numbers, x: Numbers) -> list[Numbers]:
        """What every layer says of records (n, inputs): x itself, then (n, nodes) of each; good until the next pass."""
        self._reserve(len(x))
        found = [x]
        layers = layer_views(parameters, self.shape.sizes)
        for room, (weight, bias), kind in zip(self._room, layers, self.shape.activation.tolist(), strict=True):
            out = room[: len(x)]
            np.matmul(found[-1], weight, out=out)
            out += bias
            activate(kind, out)
            found.append(out)
        return found

    def losses(self, outputs: Numbers, targets: Numbers) -> Numbers:
        """The loss of each record (n,)."""
        if self.shape.loss == SQUARED:
            apart = outputs - targets
            return np.asarray(0.5 * np.einsum("ij,ij->i", apart, apart))
        if self.shape.n_outputs == 1:  # no nearer to 0 and 1 than is told: the loss would leap there
            right, least = np.where(targets[:, 0] > 0, outputs[:, 0], 1 - outputs[:, 0]), np.finfo(self.dtype).epsneg
        else:
            right, least = np.einsum("ij,ij->i", outputs, targets), np.finfo(self.dtype).tiny
        return np.asarray(-np.log(np.maximum(right, least)))

    def slope(
        self, parameters: Numbers, x: Numbers, targets: Numbers, weights: Numbers | None, into: Numbers
    ) -> tuple[float, Numbers]:
        """The summed loss of records and what the outputs said of them; ``into`` (p,) gets the gradient of that sum."""
        signals = self.signals(parameters, x)
        losses = self.losses(signals[-1], targets)
        n, kinds = len(x), self.shape.activation.tolist()
        delta = self._back[-1][:n]
        np.subtract(signals[-1], targets, out=delta)
        if self.shape.loss == SQUARED:
            times_slope(kinds[-1], signals[-1], delta)
        if weights is not None:
            delta *= weights[:, None]
        layers = layer_views(parameters, self.shape.sizes)
        slopes = layer_views(into, self.shape.sizes)
        for at in range(len(layers) - 1, -1, -1):
            weight_slope, bias_slope = slopes[at]
            np.matmul(signals[at].T, delta, out=weight_slope)
            delta.sum(axis=0, out=bias_slope)
            if at:
                before = self._back[at - 1][:n]
                np.matmul(delta, layers[at][0].T, out=before)
                times_slope(kinds[at - 1], signals[at], before)
                delta = before
        total = float(losses.sum() if weights is None else losses @ weights)
        return total, signals[-1]


def decided(outputs: Numbers, activation: int) -> Int32Array:
    """The active class (n,), counted from 0, that outputs (n, m) decide for."""
    if outputs.shape[1] > 1:
        return np.asarray(np.argmax(outputs, axis=1), dtype=np.int32)
    middle = 0.0 if activation in (Activation.TANH, Activation.SIGN) else 0.5
    return np.asarray(outputs[:, 0] > middle, dtype=np.int32)


def probabilities_of(outputs: Numbers, shape_loss: str, activation: int) -> Numbers:
    """Class probabilities (n, c) of the c active classes from outputs (n, m).

    Those of a network that learned by squared error are its outputs cut off at 0 and 1, made to sum to 1.
    """
    found = np.asarray(outputs, dtype=np.float64)
    if shape_loss == SQUARED:
        if activation == Activation.TANH:
            found = (found + 1) / 2
        if found.shape[1] > 1:
            found = np.maximum(found, 1e-9 * np.exp(np.minimum(found - found.max(axis=1, keepdims=True), 0)))
            return np.asarray(found / found.sum(axis=1, keepdims=True))
        found = np.clip(found, 0, 1)
    return found if found.shape[1] > 1 else np.concatenate([1 - found, found], axis=1)


def started(shape: NetworkShape, random: np.random.Generator) -> Numbers:
    """Weights (p,) to begin with, small enough that no node is driven to its limits.

    Uniform within the square root of 6 / (nodes before + nodes after) (Glorot and Bengio 2010), biases 0; for RELU the
    square root of 6 / nodes before (He and others 2015).
    """
    parameters = np.zeros(shape.n_parameters)
    for (weight, _), kind in zip(layer_views(parameters, shape.sizes), shape.activation.tolist(), strict=True):
        before, after = weight.shape
        reach = np.sqrt(6.0 / max(1, before if kind == Activation.RELU else before + after))
        weight[...] = random.uniform(-reach, reach, weight.shape)
    return parameters


BLOCK = 8192
"""Records whose numbers are made at once."""
_CELLS: Final = 1 << 18
"""So many numbers of records are made between two looks for a stop."""
Checkpoint = Callable[[], None]


@dataclass(frozen=True, eq=False)
class NetworkExamples:
    """n records: their numbers ``x`` (n, t), active classes counted from 0 (n,), and weights (n,), or none."""

    x: Numbers
    codes: Int32Array
    weights: Numbers | None

    @classmethod
    def of(
        cls, records: DesignRecords, terms: Terms, from_zero: bool, checkpoint: Checkpoint, dtype: Any = np.float64
    ) -> NetworkExamples:
        """The records as rows of these terms (see :func:`rows_of`), with a ``checkpoint`` now and then."""
        weights = None if records.weights is None else records.weights.astype(dtype)
        return cls(rows_of(terms, records.data, from_zero, dtype, checkpoint), records.codes, weights)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(len(self.codes)) if self.weights is None else float(self.weights.sum(dtype=np.float64))

    def part(self, mask: NDArray[np.bool_]) -> NetworkExamples:
        """Those of a mask (n,)."""
        weights = None if self.weights is None else self.weights[mask]
        return NetworkExamples(np.ascontiguousarray(self.x[mask]), self.codes[mask], weights)

    def share_of(self, wrong: NDArray[np.bool_]) -> float:
        """The share that a mask (n,) has of the weight; NaN of no weight."""
        if self.weights is None:
            return float(np.count_nonzero(wrong)) / len(wrong) if len(wrong) else float("nan")
        return float(self.weights @ wrong) / self.total if self.total > 0 else float("nan")


def rows_of(
    terms: Terms, data: Dataset, from_zero: bool, dtype: Any = np.float64, checkpoint: Checkpoint = lambda: None
) -> Numbers:
    """The numbers (n, t) of records under the same schema; ``from_zero`` counts each from zero, not its mean."""
    found = np.empty((len(data), len(terms)), dtype=dtype)
    step = max(1, min(BLOCK, _CELLS // max(1, len(terms))))
    for at in range(0, len(data), step):
        checkpoint()
        rows = slice(at, min(at + step, len(data)))
        numbers = terms.of(data, rows)
        if from_zero:
            numbers += (terms.centre / terms.unit)[:, None]
        found[rows] = numbers.T
    return found
