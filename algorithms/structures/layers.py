"""Networks of nodes in layers: what a perceptron and a neural network learned, and how the learning went."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.model_structure import ArrayFields, ModelStructure, StructureInfo
from algorithms.structures.terms import Int32Array, Terms
from algorithms.text.sentences import counted


class Activation(IntEnum):
    """What a node makes of the weighed sum that reaches it."""

    LINEAR = 0
    LOGISTIC = 1
    TANH = 2
    RELU = 3
    SOFTMAX = 4
    """The shares of all nodes of the layer: exponentials that sum to 1."""
    SIGN = 5
    """-1 up to 0, else 1: the perceptron."""


def _none() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class TrainingHistory(ArrayFields):
    """How a network came about: a value for each of e passes over the training records (epochs), the start first.

    ================  ====  ========================================================================================
    array             size  meaning
    ================  ====  ========================================================================================
    training_loss     e     mean loss of the training records, without what large weights cost
    training_error    e     share of the training records that were wrong
    validation_loss   e     the same of the records held out; empty where none were
    validation_error  e     the same of the records held out; empty where none were
    pruned_error      q     share of the records held out that were wrong with 0, 1 .. hidden nodes taken away; empty
                            where none were looked at
    ================  ====  ========================================================================================

    ``best`` is the epoch whose weights were kept; ``ended`` says why the learning ended
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
        """How many passes were made."""
        return max(0, len(self.training_loss) - 1)

    @property
    def is_validated(self) -> bool:
        """Whether records were held out to judge it while it learned."""
        return len(self.validation_error) > 0


@dataclass(frozen=True, eq=False)
class NetworkTraining:
    """Published now and then while a network learns: its course so far, and its weights (p,) now.

    With ``can_finish`` the best weights so far are kept when the run is asked to finish.
    """

    course: TrainingHistory
    parameters: FloatArray
    can_finish: bool
    is_last: bool = False

    def continues(self, before: object) -> bool:
        """Whether it is of the same learning: two that begin with other weights or records differ from the start."""
        return isinstance(before, NetworkTraining) and bool(
            self.course.training_loss[0] == before.course.training_loss[0]
        )


@dataclass(frozen=True, eq=False)
class Layers(ModelStructure, viewer_key="layers"):
    """Nodes in L layers after the inputs; each takes a weighed sum of all nodes of the layer before and a bias.

    ============  ==========  ======================================================================================
    array         shape       meaning
    ============  ==========  ======================================================================================
    class_weight  (k,)        float64, weight of the training records of each class; a class of 0 is never decided
    sizes         (L + 1,)    int32, nodes of each layer; first the inputs, one for each term (see :class:`Terms`)
    activation    (L,)        int8, :class:`Activation` of each layer
    parameters    (p,)        float64, layer after layer: the weights (from, to) row by row, then the biases (to,)
    ============  ==========  ======================================================================================

    With two classes in training there is one output node, for the second of them; with more one for each, in the order
    of the classes. With one class, or nothing to tell records apart by, there are no layers but the inputs.

    The inputs are the terms, counted from their means, or with ``from_zero`` from zero. A perceptron's output is the
    sign of its sum; the largest sum decides.

    ``kind`` is "network" or "perceptron", ``loss`` what the learning made small: "cross-entropy", "squared" or
    "mistakes".
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
        """Layers that compute something: the hidden ones and the outputs."""
        return len(self.activation)

    @property
    def n_hidden(self) -> int:
        """Nodes that are neither inputs nor outputs."""
        return int(self.sizes[1:-1].sum()) if self.n_layers else 0

    @property
    def n_weights(self) -> int:
        return len(self.parameters)

    @property
    def info(self) -> StructureInfo:
        return StructureInfo("The network", self.in_words, "the attributes, weighed")

    @property
    def in_words(self) -> str:
        """How large it is: "4 inputs · 20 hidden nodes · 3 outputs"."""
        sizes = self.sizes.tolist()
        parts = [counted(sizes[0], "input")]
        if self.n_hidden:
            parts.append(" + ".join(str(size) for size in sizes[1:-1]) + f" hidden node{'s' * (self.n_hidden > 1)}")
        return " · ".join(parts + ([counted(sizes[-1], "output")] if self.n_layers else []))

    @property
    def active(self) -> Int32Array:
        """The codes of the classes that training had, ascending."""
        return np.flatnonzero(self.class_weight > 0).astype(np.int32)

    def layer(self, at: int) -> tuple[FloatArray, FloatArray]:
        """The weights (from, to) and the biases (to,) of a layer, 0 the first after the inputs."""
        return layer_views(self.parameters, self.sizes)[at]

    def output_class(self, node: int) -> int:
        """The code of the class that an output node speaks for."""
        active = self.active
        return int(active[1] if int(self.sizes[-1]) == 1 else active[node])

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {**super().arrays(), **self.terms.arrays(), **self.course.arrays()}


def parameter_count(sizes: Int32Array) -> int:
    """How many weights and biases layers of these sizes have."""
    return int(sum((int(a) + 1) * int(b) for a, b in pairwise(sizes)))


def layer_views(parameters: NDArray[Any], sizes: Int32Array) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """The weights (from, to) and biases (to,) of each layer, as views into one array (p,)."""
    views, at = [], 0
    for before, after in pairwise(sizes.tolist()):
        weight = parameters[at : at + before * after].reshape(before, after)
        at += before * after
        views.append((weight, parameters[at : at + after]))
        at += after
    return views
