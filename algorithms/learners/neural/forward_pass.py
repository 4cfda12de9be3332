"""Forward and backward passes through layers, and the inputs of a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.design_matrix import DesignRecords, learned_terms
from algorithms.learners.probability_scaling import softmax
from algorithms.structures.design_terms import IS_NUMBER, Coding, Int32Array, Terms
from algorithms.structures.layers import Activation, layer_views, parameter_count

ONE_OF_K: Final = "one-of-k"
BINARY: Final = "binary"


def input_terms(records: DesignRecords, coding: str, standardise: bool, context: RunContext) -> Terms:
    """Terms of the inputs, learned from records; numbers are standardised or keep their unit.

    Nominal values are coded as 0 and 1. Unstandardised inputs count from zero (see :func:`rows_of`), but a missing
    value is still the mean.
    """
    way = Coding.BINARY if coding == BINARY else Coding.EACH_VALUE
    terms = learned_terms(records.data, records.weights, context, way)
    if not standardise:
        return replace(terms, unit=np.ones(len(terms)))
    return replace(terms, unit=np.where(terms.value == IS_NUMBER, terms.unit, VALUE_UNIT))


VALUE_UNIT: Final = 0.5
"""Divisor of nominal values: the standard deviation of a value that half of the records have."""


Numbers = NDArray[Any]
"""Arrays in double precision, or in single if that is exact enough."""
CROSS_ENTROPY: Final = "cross-entropy"
SQUARED: Final = "squared"


_TOGETHER: Final = 4096
_PRODUCTS: Final = 50_000_000
"""Multiplications between two checks of the stop word: some hundredths of a second."""
_PER_NODE: Final = 60
"""Multiplications that take as long as one activation."""


def activate(kind: int, sums: Numbers) -> None:
    """Apply an activation to weighted sums (n, nodes), in place."""
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
        softmax(sums)
    elif kind == Activation.SIGN:
        np.copyto(sums, np.where(sums > 0, 1, -1))


def times_slope(kind: int, outputs: Numbers, delta: Numbers) -> None:
    """Multiply ``delta`` (n, nodes) by the derivative of the activation at its outputs, in place."""
    if kind == Activation.TANH:
        delta *= 1 - outputs * outputs
    elif kind == Activation.RELU:
        delta *= outputs > 0
    elif kind == Activation.LOGISTIC:
        delta *= outputs * (1 - outputs)


@dataclass(frozen=True, eq=False)
class NetworkShape:
    """Layer sizes, inputs first, with activations and loss, but without weights.

    The loss of a record is ``-log p`` of its class (cross-entropy; the last layer is LOGISTIC or SOFTMAX), or half
    the squared distance of outputs and targets (TSKK Eq. 5.52).
    """

    sizes: Int32Array
    activation: NDArray[np.int8]
    loss: str

    @property
    def n_parameters(self) -> int:
        return parameter_count(self.sizes)

    @property
    def together(self) -> int:
        """Number of records passed at once; fewer for large networks, so that a stop takes effect soon."""
        work = self.n_parameters + _PER_NODE * int(self.sizes[1:].sum())
        return max(1, min(_TOGETHER, _PRODUCTS // max(1, work)))

    @property
    def n_outputs(self) -> int:
        return int(self.sizes[-1])

    def without(self, layer: int) -> NetworkShape:
        """Shape with one node less in a hidden layer; layer 1 follows the inputs."""
        sizes = self.sizes.copy()
        sizes[layer] -= 1
        return replace(self, sizes=sizes)

    def targets(self, codes: Int32Array, dtype: Any = np.float64) -> Numbers:
        """Target outputs (n, m) of records with these active classes (n,), counted from 0."""
        m = self.n_outputs
        target = (codes == 1)[:, None] if m == 1 else codes[:, None] == np.arange(m)
        if self.loss == SQUARED and self.activation[-1] == Activation.TANH:
            return np.where(target, 1, -1).astype(dtype)
        return np.asarray(target, dtype=dtype)


class ForwardBackward:
    """Forward and backward passes with all weights in one array (p,) and reused buffers."""

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
        """Outputs of every layer for records (n, inputs), x itself first; valid until the next pass."""
        self._reserve(len(x))
        signals = [x]
        layers = layer_views(parameters, self.shape.sizes)
        for room, (weight, bias), kind in zip(self._room, layers, self.shape.activation.tolist(), strict=True):
            out = room[: len(x)]
            np.matmul(signals[-1], weight, out=out)
            out += bias
            activate(kind, out)
            signals.append(out)
        return signals

    def losses(self, outputs: Numbers, targets: Numbers) -> Numbers:
        """Loss of each record (n,)."""
        if self.shape.loss == SQUARED:
            apart = outputs - targets
            return np.asarray(0.5 * np.einsum("ij,ij->i", apart, apart))
        if self.shape.n_outputs == 1:  # clip to the precision near 1, where the loss would jump
            right, least = np.where(targets[:, 0] > 0, outputs[:, 0], 1 - outputs[:, 0]), np.finfo(self.dtype).epsneg
        else:
            right, least = np.einsum("ij,ij->i", outputs, targets), np.finfo(self.dtype).tiny
        return np.asarray(-np.log(np.maximum(right, least)))

    def slope(
        self, parameters: Numbers, x: Numbers, targets: Numbers, weights: Numbers | None, into: Numbers
    ) -> tuple[float, Numbers]:
        """Summed loss of records and their outputs; ``into`` (p,) receives the gradient of the sum."""
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
        for layer in range(len(layers) - 1, -1, -1):
            weight_slope, bias_slope = slopes[layer]
            np.matmul(signals[layer].T, delta, out=weight_slope)
            delta.sum(axis=0, out=bias_slope)
            if layer:
                before = self._back[layer - 1][:n]
                np.matmul(delta, layers[layer][0].T, out=before)
                times_slope(kinds[layer - 1], signals[layer], before)
                delta = before
        total = float(losses.sum() if weights is None else losses @ weights)
        return total, signals[-1]


def decided(outputs: Numbers, activation: int) -> Int32Array:
    """The predicted class (n,) of each row of outputs (n, m), as an index into the active classes."""
    if outputs.shape[1] > 1:
        return np.asarray(np.argmax(outputs, axis=1), dtype=np.int32)
    middle = 0.0 if activation in (Activation.TANH, Activation.SIGN) else 0.5
    return np.asarray(outputs[:, 0] > middle, dtype=np.int32)


def probabilities_of(outputs: Numbers, shape_loss: str, activation: int) -> Numbers:
    """Probabilities (n, c) of active classes from outputs (n, m), clipped and normalised after squared error."""
    shares = np.asarray(outputs, dtype=np.float64)
    if shape_loss == SQUARED:
        if activation == Activation.TANH:
            shares = (shares + 1) / 2
        if shares.shape[1] > 1:
            shares = np.maximum(shares, 1e-9 * np.exp(np.minimum(shares - shares.max(axis=1, keepdims=True), 0)))
            return np.asarray(shares / shares.sum(axis=1, keepdims=True))
        shares = np.clip(shares, 0, 1)
    return shares if shares.shape[1] > 1 else np.concatenate([1 - shares, shares], axis=1)


def initial_weights(shape: NetworkShape, random: np.random.Generator) -> Numbers:
    """Random initial weights (p,) with biases 0.

    They are uniform within sqrt(6 / (fan-in + fan-out)) (Glorot and Bengio 2010), for RELU within sqrt(6 / fan-in)
    (He et al. 2015).
    """
    parameters = np.zeros(shape.n_parameters)
    for (weight, _), kind in zip(layer_views(parameters, shape.sizes), shape.activation.tolist(), strict=True):
        before, after = weight.shape
        reach = np.sqrt(6.0 / max(1, before if kind == Activation.RELU else before + after))
        weight[...] = random.uniform(-reach, reach, weight.shape)
    return parameters


BLOCK = 8192
"""Records whose inputs are computed at once."""
_CELLS: Final = 1 << 18
"""Inputs computed between two checks for a stop."""
Checkpoint = Callable[[], None]


@dataclass(frozen=True, eq=False)
class NetworkExamples:
    """Records as inputs ``x`` (n, t), active classes counted from 0 (n,), and optional weights (n,)."""

    x: Numbers
    codes: Int32Array
    weights: Numbers | None

    @classmethod
    def of(
        cls, records: DesignRecords, terms: Terms, from_zero: bool, checkpoint: Checkpoint, dtype: Any = np.float64
    ) -> NetworkExamples:
        """Inputs of records under these terms (see :func:`rows_of`); ``checkpoint`` runs between blocks."""
        weights = None if records.weights is None else records.weights.astype(dtype)
        return cls(rows_of(terms, records.data, from_zero, dtype, checkpoint), records.codes, weights)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(len(self.codes)) if self.weights is None else float(self.weights.sum(dtype=np.float64))

    def part(self, mask: NDArray[np.bool_]) -> NetworkExamples:
        weights = None if self.weights is None else self.weights[mask]
        return NetworkExamples(np.ascontiguousarray(self.x[mask]), self.codes[mask], weights)

    def share_of(self, wrong: NDArray[np.bool_]) -> float:
        """Weighted share of a mask (n,); NaN without weight."""
        if self.weights is None:
            return float(np.count_nonzero(wrong)) / len(wrong) if len(wrong) else float("nan")
        return float(self.weights @ wrong) / self.total if self.total > 0 else float("nan")


def rows_of(
    terms: Terms, data: Dataset, from_zero: bool, dtype: Any = np.float64, checkpoint: Checkpoint = lambda: None
) -> Numbers:
    """Inputs (n, t) of records under the same schema; ``from_zero`` measures from zero instead of the mean."""
    result = np.empty((len(data), len(terms)), dtype=dtype)
    step = max(1, min(BLOCK, _CELLS // max(1, len(terms))))
    for start in range(0, len(data), step):
        checkpoint()
        rows = slice(start, min(start + step, len(data)))
        numbers = terms.of(data, rows)
        if from_zero:
            numbers += (terms.centre / terms.unit)[:, None]
        result[rows] = numbers.T
    return result
