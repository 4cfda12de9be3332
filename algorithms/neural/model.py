"""The model of perceptrons and neural networks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.classed_records import shares
from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.layers import Activation, Layers
from algorithms.core.learner import Explanation, Model, Probabilities, State
from algorithms.core.schema import Schema
from algorithms.neural.examples import BLOCK, rows_of
from algorithms.neural.passing import SQUARED, Passes, Shape, probabilities_of
from algorithms.neural.validation import checked_layers
from algorithms.neural.words import effect_words, remark_of

_MOST_SAID: Final = 8


class NeuralModel(Model):
    """Passes a record through the layers; the class whose output says most is decided, of equals the first.

    A missing value counts as the attribute's mean or most frequent value in training, and so does a value that training
    never saw. A class that no training record has is never decided.
    """

    id: ClassVar[str] = "neural-model"

    def __init__(self, layers: Layers, *, partial: bool = False) -> None:
        super().__init__(layers.schema, partial=partial)
        self.layers = layers

    def __repr__(self) -> str:
        return f"NeuralModel({self.layers.sizes.tolist()})"

    # ---- classifying -----------------------------------------------------------------------------------------------

    def signals(self, data: Dataset, row: int) -> list[FloatArray]:
        """What every node says of a record: the inputs (t,), then the nodes of each layer."""
        x = self._inputs(aligned(self.schema, data).take([row]))
        return [signal[0].copy() for signal in Passes(shape_of(self.layers)).signals(self.layers.parameters, x)]

    def _predict_proba(self, data: Dataset) -> Probabilities:
        found = np.zeros((len(data), len(self.classes)))
        if not self.layers.n_layers:
            found[:] = shares(self.layers.class_weight)
            return found
        for at in range(0, len(data), BLOCK):
            rows = np.arange(at, min(at + BLOCK, len(data)))
            found[rows] = self._of_rows(self._inputs(data.take(rows)))
        return found

    def _inputs(self, data: Dataset) -> FloatArray:
        return rows_of(self.layers.terms, data, self.layers.from_zero)

    def _of_rows(self, x: FloatArray) -> FloatArray:
        return probabilities_by(self.layers, self.layers.parameters, x)

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> Layers:
        return self.layers

    def facts(self) -> dict[str, int | float]:
        layers = self.layers
        return {"hidden_nodes": layers.n_hidden, "weights": layers.n_weights, "epochs": layers.course.epochs}

    def remark(self) -> str:
        return remark_of(self.layers)

    def effects(self, data: Dataset, row: int, code: int, other: int) -> dict[int, float]:
        """By how much the log odds of a class against another fall where each attribute of a record were not known.

        An attribute that makes no difference is left out; of those in use by their place in the schema.
        """
        terms = self.layers.terms
        x = self._inputs(aligned(self.schema, data).take([row]))[0]
        nothing = terms.of_nothing() + (terms.centre / terms.unit if self.layers.from_zero else 0.0)
        used = np.unique(terms.attribute)
        tried = np.tile(x, (len(used) + 1, 1))
        for at, index in enumerate(used.tolist()):
            unknown = terms.attribute == index
            tried[at + 1, unknown] = nothing[unknown]
        odds = log_odds_by(self.layers, tried, code, other)
        return {int(i): float(odds[0] - odds[at + 1]) for at, i in enumerate(used) if odds[0] != odds[at + 1]}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """What each attribute does for the decided class against the next one: how it would be without it.

        ``parts`` are the attributes, by their places.
        """
        record = aligned(self.schema, data).take([row])
        probabilities = self._predict_proba(record)[0]
        decision = int(np.argmax(probabilities))
        order = np.argsort(-probabilities, kind="stable")
        others = order[np.isin(order, self.layers.active) & (order != decision)].tolist()
        other = others[0] if others else decision
        changes = self.effects(record, 0, decision, other) if decision != other and self.layers.n_layers else {}
        most = sorted(changes, key=lambda index: -abs(changes[index]))[:_MOST_SAID]
        steps = list(self._steps(record, decision, other, {index: changes[index] for index in most}))
        return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps), tuple(most))

    def _steps(self, record: Dataset, decision: int, other: int, changes: dict[int, float]) -> Iterator[str]:
        if decision == other:
            yield f"{self.classes[decision]} is the only class there is"
            return
        ours, theirs = self.classes[decision], self.classes[other]
        for index, change in changes.items():
            yield effect_words(self.schema, index, record, change, (ours, theirs))
        yield f"Were a value not known, the log odds of {ours} against {theirs} would fall by its number"

    # ---- on disk ---------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        layers = self.layers
        values: dict[str, Any] = {
            "partial": self.partial,
            "kind": layers.kind,
            "loss": layers.loss,
            "best": layers.course.best,
            "ended": layers.course.ended,
            "from_zero": layers.from_zero,
        }
        return State(values, layers.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_layers(schema, state), partial=state.values.get("partial") is True)


def shape_of(layers: Layers) -> Shape:
    """The layers but for their weights."""
    return Shape(layers.sizes, layers.activation, layers.loss)


def log_odds_by(layers: Layers, x: FloatArray, code: int, other: int) -> FloatArray:
    """The logarithm of the odds (n,) of one class against another by inputs (n, t).

    Where the last layer makes probabilities of its sums they are taken from the sums, and so are right however near to
    0 or 1 a probability is.
    """
    shape, places = shape_of(layers), np.searchsorted(layers.active, [code, other])
    if shape.loss == SQUARED or not np.isin([code, other], layers.active).all():
        p = np.maximum(probabilities_by(layers, layers.parameters, x), np.finfo(np.float64).epsneg)
        return np.asarray(np.log(p[:, code]) - np.log(p[:, other]))
    kinds = np.append(shape.activation[:-1], np.int8(Activation.LINEAR))
    sums = Passes(Shape(shape.sizes, kinds, shape.loss)).signals(layers.parameters, x)[-1]
    if shape.n_outputs == 1:
        return np.asarray(sums[:, 0] * (places[0] - places[1]))
    return np.asarray(sums[:, places[0]] - sums[:, places[1]])


def probabilities_by(layers: Layers, parameters: FloatArray, x: FloatArray) -> FloatArray:
    """Class probabilities (n, k) of inputs (n, t) with these weights (p,) in place of the layers' own.

    Those of a perceptron are the shares of its sums, logistic or softmax: they order records, and promise no more.
    """
    shape = shape_of(layers)
    last = int(shape.activation[-1])
    if last == Activation.SIGN:
        last = Activation.LOGISTIC if shape.n_outputs == 1 else Activation.SOFTMAX
        shape = Shape(shape.sizes, np.array([last], dtype=np.int8), shape.loss)
    outputs = Passes(shape).signals(parameters, x)[-1]
    found = np.zeros((len(x), len(layers.class_weight)))
    found[:, layers.active] = probabilities_of(outputs, shape.loss, last)
    return found
