"""Structure of perceptrons and neural networks: layers of nodes, and the training history."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.design_terms import Int32Array, Terms
from algorithms.structures.model_structure import ArrayFields, ModelStructure, StructureInfo
from algorithms.text.sentences import counted


class Activation(IntEnum):
    """Activation function of a node."""

    LINEAR = 0
    LOGISTIC = 1
    TANH = 2
    RELU = 3
    SOFTMAX = 4
    """Softmax: exponentials of all nodes of the layer, divided by their sum."""
    SIGN = 5
    """-1 for sums up to 0, else 1: the perceptron."""


def _none() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class TrainingHistory(ArrayFields):
    """Losses and errors of a network during training: a value for the start and each epoch (e in all).

    ================  ====  ========================================================================================
    array             size  meaning
    ================  ====  ========================================================================================
    training_loss     e     mean loss on the training records, without the penalty of large weights
    training_error    e     error rate on the training records
    validation_loss   e     mean loss on the held-out records; empty without them
    validation_error  e     error rate on the held-out records; empty without them
    pruned_error      q     error rate on the held-out records after removing 0, 1 .. hidden nodes; empty without
                            pruning
    ================  ====  ========================================================================================

    ``best`` is the epoch whose weights were kept; ``ended`` says why training ended
    (:class:`algorithms.learners.neural.training.StopReason`).
    """

    training_loss: FloatArray = field(default_factory=_none)
    training_error: FloatArray = field(default_factory=_none)
    validation_loss: FloatArray = field(default_factory=_none)
    validation_error: FloatArray = field(default_factory=_none)
    pruned_error: FloatArray = field(default_factory=_none)
    best: int = 0
    ended: str = ""

    @property
    def epochs(self) -> int:
        return max(0, len(self.training_loss) - 1)

    @property
    def is_validated(self) -> bool:
        """Whether records were held out for validation during training."""
        return len(self.validation_error) > 0


@dataclass(frozen=True, eq=False)
class NetworkTraining:
    """Event: the history so far, and weights (p,); with ``can_finish`` the user may finish with the best so far."""

    course: TrainingHistory
    parameters: FloatArray
    can_finish: bool
    is_last: bool = False

    def continues(self, before: object) -> bool:
        """Whether this is a later state of ``before``; other initial weights or records have another first loss."""
        return isinstance(before, NetworkTraining) and bool(
            self.course.training_loss[0] == before.course.training_loss[0]
        )


@dataclass(frozen=True, eq=False)
class Layers(ModelStructure, viewer_key="layers"):
    """Nodes in L layers after the inputs; each node has a bias and the weighted sum of all nodes of the previous layer.

    ============  ==========  ======================================================================================
    array         shape       meaning
    ============  ==========  ======================================================================================
    class_weight  (k,)        float64, weight of the training records of each class; a class of 0 is never predicted
    sizes         (L + 1,)    int32, number of nodes of each layer; first the inputs, one per term (see :class:`Terms`)
    activation    (L,)        int8, :class:`Activation` of each layer
    parameters    (p,)        float64, layer by layer: the weights (from, to) in row order, then the biases (to,)
    ============  ==========  ======================================================================================

    With two classes in training there is one output node, for the second class; with more classes there is one for
    each, in class order. With one class, or without terms, there are only the inputs.

    The inputs are the terms minus their means, or with ``from_zero`` the terms themselves. A perceptron's output is the
    sign of its sum; the largest sum decides.

    ``kind`` is "network" or "perceptron"; ``loss`` is the minimised function: "cross-entropy", "squared" or "mistakes".
    """

    schema: Schema
    terms: Terms
    class_weight: FloatArray
    sizes: Int32Array
    activation: NDArray[np.int8]
    parameters: FloatArray
    course: TrainingHistory
    kind: str
    loss: str
    from_zero: bool = False

    @property
    def n_layers(self) -> int:
        """Number of layers that compute something: the hidden ones and the output."""
        return len(self.activation)

    @property
    def n_hidden(self) -> int:
        return int(self.sizes[1:-1].sum()) if self.n_layers else 0

    @property
    def n_weights(self) -> int:
        return len(self.parameters)

    @property
    def info(self) -> StructureInfo:
        return StructureInfo("The network", self.in_words, "the attributes, weighed")

    @property
    def in_words(self) -> str:
        """The size in words: "4 inputs · 20 hidden nodes · 3 outputs"."""
        sizes = self.sizes.tolist()
        parts = [counted(sizes[0], "input")]
        if self.n_hidden:
            parts.append(" + ".join(f"{size:,}" for size in sizes[1:-1]) + f" hidden node{'s' * (self.n_hidden > 1)}")
        return " · ".join(parts + ([counted(sizes[-1], "output")] if self.n_layers else []))

    @property
    def active(self) -> Int32Array:
        """The codes of the classes that occurred in training, ascending."""
        return np.flatnonzero(self.class_weight > 0).astype(np.int32)

    def layer(self, at: int) -> tuple[FloatArray, FloatArray]:
        """The weights (from, to) and biases (to,) of a layer; 0 is the first one after the inputs."""
        return layer_views(self.parameters, self.sizes)[at]

    def output_class(self, node: int) -> int:
        """The code of the class of an output node."""
        active = self.active
        return int(active[1] if int(self.sizes[-1]) == 1 else active[node])

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {**super().arrays(), **self.terms.arrays(), **self.course.arrays()}


def parameter_count(sizes: Int32Array) -> int:
    """The number of weights and biases of layers with these sizes."""
    return int(sum((int(a) + 1) * int(b) for a, b in pairwise(sizes)))


def layer_views(parameters: NDArray[Any], sizes: Int32Array) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """The weights (from, to) and biases (to,) of each layer, as views of one array (p,)."""
    views, start = [], 0
    for before, after in pairwise(sizes.tolist()):
        weight = parameters[start : start + before * after].reshape(before, after)
        start += before * after
        views.append((weight, parameters[start : start + after]))
        start += after
    return views
