"""What the nodes of a network are called, what they say of a record, and the same as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.data.columns import FloatArray
from algorithms.structures.layers import Activation, Layers
from algorithms.structures.terms import IS_NUMBER
from workbench.style.figures import with_minus

_SAID = 3


@dataclass(frozen=True, eq=False)
class Said:
    """What every node says of a record: ``signals`` layer after layer, the inputs (t,) first.

    ``raw`` (t,) are the inputs in their own units, ``probabilities`` (k,) those of all classes.
    """

    name: str
    layers: Layers
    signals: Sequence[FloatArray]
    raw: FloatArray
    probabilities: FloatArray
    decision: int

    def shade(self, layer: int, node: int) -> float:
        """How much a node says, from -1 to 1, beside the others of its layer."""
        if layer == len(self.signals) - 1:
            return float(self.probabilities[self.layers.output_class(node)])
        largest = float(np.abs(self.signals[layer]).max(initial=0.0))
        return float(self.signals[layer][node]) / largest if largest > 0 else 0.0

    def written(self, layer: int, node: int) -> str:
        """A node's number: inputs in their own units, outputs as probabilities."""
        if layer == 0:
            return with_minus(f"{self.raw[node]:.4g}")
        if layer == len(self.signals) - 1:
            return f"{self.probabilities[self.layers.output_class(node)]:.3f}"
        return with_minus(f"{self.signals[layer][node]:.3g}")


def said_of(layers: Layers, name: str, signals: Sequence[FloatArray], probabilities: FloatArray) -> Said:
    """What nodes say of a record, with its inputs in their own units."""
    terms = layers.terms
    raw = signals[0] * terms.unit + (0.0 if layers.from_zero else terms.centre)
    return Said(name, layers, signals, raw, probabilities, int(np.argmax(probabilities)))


def node_name(layers: Layers, layer: int, node: int) -> str:
    """ "Petal length", "hidden node 3", "hidden node 3 of layer 2", "virginica"."""
    if layer == 0:
        return layers.terms.name(node)
    if layer == layers.n_layers:
        return layers.schema.classes[layers.output_class(node)]
    return f"hidden node {node + 1}" + (f" of layer {layer}" if layers.n_layers > 2 else "")


def chosen_words(layers: Layers, layer: int, node: int, said: Said | None) -> str:
    """What a node hears most, what it does most to, and what it says of the record shown."""
    name = node_name(layers, layer, node)
    found = [name[0].upper() + name[1:]]
    if layer:
        found.append("hears most from " + _strongest(layers, layer - 1, layers.layer(layer - 1)[0][:, node]))
    if layer < layers.n_layers:
        found.append("pushes most " + _strongest(layers, layer + 1, layers.layer(layer)[0][node]))
    if said is not None:
        found.append(f"says {said.written(layer, node)} of {said.name}")
    return f"{found[0]} {', '.join(found[1:])}."


def _strongest(layers: Layers, layer: int, weights: FloatArray) -> str:
    order = np.argsort(-np.abs(weights), kind="stable")[:_SAID].tolist()
    return " and ".join(f"{node_name(layers, layer, at)} ({with_minus(f'{weights[at]:+.3g}')})" for at in order)


def legend(layers: Layers) -> str:
    """What the picture shows."""
    if not layers.n_layers:
        return "There was nothing to tell records apart by, or one class only: there are no nodes to show."
    scale = "" if layers.from_zero else " Inputs are counted from their averages in standard deviations."
    if any(layers.terms.value != IS_NUMBER) and not layers.from_zero:
        scale = " Numbers are counted from their averages in standard deviations."
    return f"Lines are weights, the wider the larger: blue ones push up, orange ones push down.{scale}"


def record_words(layers: Layers, said: Said | None) -> str:
    """What is said of the record shown; without one, what the picture shows and how to ask more of it."""
    if said is None:
        more = (
            " Click a node for its own weights; select a record alone to see in Visualize what every node says of it."
        )
        return legend(layers) + (more if layers.n_layers else "")
    label = said.layers.schema.classes[said.decision]
    return f"{said.name} is said to be {label}: {said.probabilities[said.decision]:.3f}."


def weight_rows(layers: Layers, said: Said | None, most: int | None = None) -> list[tuple[str, ...]]:
    """What nodes say of the record, then every weight as a row, the heading first; no more than ``most`` of them."""
    found: list[tuple[str, ...]] = [("from", "to", "weight")]
    if said is not None:
        for layer, signal in enumerate(said.signals):
            found += [(said.name, node_name(layers, layer, at), said.written(layer, at)) for at in range(len(signal))]
    for layer in range(layers.n_layers):
        weight, bias = layers.layer(layer)
        names = [node_name(layers, layer + 1, j) for j in range(len(bias))]
        for i in range(len(weight)):
            start = node_name(layers, layer, i)
            found += [(start, name, f"{w:.6g}") for name, w in zip(names, weight[i].tolist(), strict=True)]
            if most is not None and len(found) > most:
                return [*found[: most + 1], ("...", "", "Save has all of them")]
        found += [("bias", name, f"{b:.6g}") for name, b in zip(names, bias.tolist(), strict=True)]
    return found


def activation_words(kind: int) -> str:
    """What nodes of an activation do with their sum."""
    return {
        Activation.LINEAR: "linear",
        Activation.LOGISTIC: "logistic",
        Activation.TANH: "tanh",
        Activation.RELU: "ReLU",
        Activation.SOFTMAX: "softmax",
        Activation.SIGN: "sign",
    }[Activation(kind)]
