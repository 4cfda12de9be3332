"""The model of perceptrons and neural networks, its validation and wording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, anything, numbers, weights, words
from algorithms.core.learner import Explanation, Probabilities, State, StructuredModel
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.neural.forward_pass import (
    BLOCK,
    CROSS_ENTROPY,
    SQUARED,
    ForwardBackward,
    NetworkShape,
    probabilities_of,
    rows_of,
)
from algorithms.learners.neural.training import StopReason
from algorithms.learners.probability_scaling import class_shares
from algorithms.structures.design_terms import FARTHEST, TERM_ARRAYS, checked_terms, remarks_on_terms
from algorithms.structures.layers import Activation, Layers, TrainingHistory, parameter_count
from algorithms.text.numbers import signed, significant
from algorithms.text.sentences import counted

_STATE: Final = ArrayState("The saved model is", {
    **TERM_ARRAYS,
    "class_weight": weights("classes"),
    "sizes": ArraySpec(dtype=np.int32, shape=("layers+1",), lowest=0, highest=1_000_000),
    "activation": words("layers", known=tuple(map(int, Activation))),
    "parameters": numbers("parameters"),
    "training_loss": anything("epochs"),
    "training_error": anything("epochs"),
    "validation_loss": anything("validated"),
    "validation_error": anything("validated"),
    "pruned_error": anything("pruned"),
})  # fmt: skip
MISTAKES: Final = "mistakes"
_HIDDEN: Final = (Activation.LINEAR, Activation.LOGISTIC, Activation.TANH, Activation.RELU)


def checked_layers(schema: Schema, state: State) -> Layers:
    """Network from a saved state; raises :class:`ModelFileError` if it does not fit the schema."""
    kind, loss = state.values.get("kind"), state.values.get("loss")
    _STATE.require((kind, loss) in (("network", CROSS_ENTROPY), ("network", SQUARED), ("perceptron", MISTAKES)),
                   "it is of no known kind")  # fmt: skip
    arrays = _STATE.read_for(schema, state.arrays)
    terms = checked_terms(schema, arrays)
    own: dict[str, Any] = {name: arrays[name] for name in Layers.ARRAYS}
    layers = Layers(schema, terms, **own, course=_checked_course(state, arrays), kind=str(kind), loss=str(loss),
                    from_zero=state.values.get("from_zero") is True)  # fmt: skip
    _check_layers(layers)
    return layers


def _check_layers(layers: Layers) -> None:
    sizes, kinds, require = layers.sizes, layers.activation, _STATE.require
    require(int(sizes[0]) == len(layers.terms), "it has other inputs")
    require(np.all(sizes[1:] >= 1), "a layer has no nodes")
    require(len(layers.parameters) == parameter_count(sizes), "parameters is of another size")
    require(np.isfinite(_largest_sum(layers)), "its sums grow beyond all numbers")
    if not len(kinds):
        return
    active = len(layers.active)
    outputs = int(sizes[-1])
    require(active >= 2 and outputs == (1 if active == 2 else active), "it has other outputs than classes")
    last = int(kinds[-1])
    require(np.all(np.isin(kinds[:-1], _HIDDEN)), "a layer is of no known kind")
    if layers.loss == CROSS_ENTROPY:
        require(
            last == (Activation.LOGISTIC if outputs == 1 else Activation.SOFTMAX), "its outputs are of another kind"
        )
    elif layers.loss == SQUARED:
        require(last in (Activation.LOGISTIC, Activation.LINEAR, Activation.TANH), "its outputs are of another kind")
    else:
        require(last == Activation.SIGN and len(kinds) == 1, "it is no perceptron")


def _largest_sum(layers: Layers) -> float:
    """Upper bound of the sums at any node for any record."""
    largest = FARTHEST
    with np.errstate(over="ignore"):
        for layer, kind in enumerate(layers.activation.tolist()):
            weight, bias = layers.layer(layer)
            sums = np.abs(weight).sum(axis=0) * largest + np.abs(bias)
            if not np.all(np.isfinite(sums)):
                return float("inf")
            largest = float(sums.max()) if kind in (Activation.LINEAR, Activation.RELU) else 1.0
    return largest


def _checked_course(state: State, arrays: Mapping[str, NDArray[Any]]) -> TrainingHistory:
    best, ended, require = state.values.get("best"), state.values.get("ended"), _STATE.require
    e, held = len(arrays["training_loss"]), len(arrays["validation_error"])
    require(held in (0, e), "its course is in disorder")
    require(type(best) is int and 0 <= best <= max(0, e - 1), "its best epoch is none")
    require(ended == "" or ended in [reason.value for reason in StopReason], "it ended for no known reason")
    assert isinstance(best, int)
    return TrainingHistory(**{name: arrays[name] for name in TrainingHistory.ARRAYS}, best=best, ended=str(ended))


_NETWORK: Final = {
    StopReason.LIMIT: "it was still learning when the limit of {epochs} was reached",
    StopReason.FINISHED: "it was finished early: the best weights until then are kept",
    StopReason.DIVERGED: "its weights grew beyond all bounds after {epochs}, as its steps were too large: the best "
    "until then are kept, and a smaller learning rate should do better",
}


def remark_of(layers: Layers) -> str:
    """Remarks on training and terms, as one sentence without its full stop."""
    training = []
    if layers.n_layers:
        training = [_of_perceptron(layers)] if layers.kind == "perceptron" else _of_network(layers)
    return "; ".join(training + remarks_on_terms(layers.terms))


def _of_network(layers: Layers) -> list[str]:
    course, remarks = layers.course, list[str]()
    if course.ended in _NETWORK:
        remarks.append(_NETWORK[StopReason(course.ended)].format(epochs=counted(course.epochs, "epoch")))
    if course.epochs and not course.best and not course.is_validated:
        remarks.append("no epoch made its loss smaller than that of the random weights it began with, which are kept")
    if course.is_validated and course.ended == StopReason.VALIDATION:
        remarks.append(
            f"it stopped after {counted(course.epochs, 'epoch')}, as records held out did best at epoch {course.best}"
        )
    if len(course.pruned_error) > 1:
        remarks.append(f"{counted(layers.n_hidden, 'hidden node')} were left after pruning")
    return remarks


def _of_perceptron(layers: Layers) -> str:
    course = layers.course
    passes = counted(course.epochs, "pass", "passes")
    if course.ended == StopReason.NO_ERRORS:
        return f"it converged: no training record is wrong after {passes}"
    wrong = float(course.training_error[course.best]) if len(course.training_error) else float("nan")
    if wrong == 0:
        return (
            f"together its nodes are right on all training records, though after {passes} not every class is told "
            "from all others at once"
        )
    why = "finished early" if course.ended == StopReason.FINISHED else f"after {passes}"
    return (
        f"it did not converge: {why} {100 * wrong:.3g}% of the training records are still wrong, as no straight "
        "boundary tells the classes apart, or none was found yet"
    )


def effect_words(schema: Schema, index: int, record: Dataset, change: float, classes: tuple[str, str]) -> str:
    """Sentence about the change of the log odds of two classes if the attribute were unknown."""
    attribute, value = schema.attributes[index], record.column(index)[0]
    if value < 0 if attribute.kind.is_coded else not np.isfinite(value):
        fact = "is not known"
    else:
        fact = f"= {attribute.values[int(value)] if attribute.kind.is_coded else significant(float(value))}"
    return f"{attribute.name} {fact} votes for {classes[0] if change > 0 else classes[1]}: {signed(change)} log odds"


_MOST_SAID: Final = 8


class NeuralModel(StructuredModel):
    """Predicts the (first) largest output of a class with records; missing and unseen values as mean or mode."""

    id: ClassVar[str] = "neural-model"
    checked = staticmethod(checked_layers)

    def __init__(self, layers: Layers, *, partial: bool = False) -> None:
        super().__init__(layers.schema, partial=partial)
        self.layers = layers

    def signals(self, data: Dataset, row: int) -> list[FloatArray]:
        """Outputs of all nodes for a record: the inputs (t,), then each layer."""
        passes = ForwardBackward(shape_of(self.layers))
        x = self._inputs(aligned(self.schema, data).take([row]))
        return [signal[0].copy() for signal in passes.signals(self.layers.parameters, x)]

    def _predict_proba(self, data: Dataset) -> Probabilities:
        result = np.zeros((len(data), len(self.classes)))
        for start in range(0, len(data), BLOCK):
            rows = np.arange(start, min(start + BLOCK, len(data)))
            result[rows] = self._by_inputs(self._inputs(data.take(rows)))
        return result

    def _by_inputs(self, x: FloatArray) -> FloatArray:
        """Class probabilities (n, k) of inputs (n, t)."""
        if not self.layers.n_layers:
            return np.tile(class_shares(self.layers.class_weight), (len(x), 1))
        return probabilities_by(self.layers, self.layers.parameters, x)

    def _inputs(self, data: Dataset) -> FloatArray:
        return rows_of(self.layers.terms, data, self.layers.from_zero)

    def structure(self) -> Layers:
        return self.layers

    def facts(self) -> dict[str, int | float]:
        layers = self.layers
        return {"hidden_nodes": layers.n_hidden, "weights": layers.n_weights, "epochs": layers.course.epochs}

    def remark(self) -> str:
        return remark_of(self.layers)

    def effects(self, data: Dataset, row: int, code: int, other: int) -> dict[int, float]:
        """Decrease of the log odds of ``code`` against ``other`` without an attribute, by index; no zero effects."""
        return self._effects(self._inputs(aligned(self.schema, data).take([row]))[0], code, other)

    def _effects(self, x: FloatArray, code: int, other: int) -> dict[int, float]:
        """:meth:`effects` for the inputs (t,) of a record."""
        terms = self.layers.terms
        nothing = terms.of_missing_values() + (terms.centre / terms.unit if self.layers.from_zero else 0.0)
        used = np.unique(terms.attribute)
        tried = np.tile(x, (len(used) + 1, 1))
        for place, index in enumerate(used.tolist()):
            unknown = terms.attribute == index
            tried[place + 1, unknown] = nothing[unknown]
        odds = log_odds_by(self.layers, tried, code, other)
        return {int(i): float(odds[0] - odds[place + 1]) for place, i in enumerate(used) if odds[0] != odds[place + 1]}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Largest effects of attributes on the predicted class against the runner-up; ``parts`` index attributes."""
        record = aligned(self.schema, data).take([row])
        x = self._inputs(record)
        probabilities = self._by_inputs(x)[0]
        decision = int(np.argmax(probabilities))
        order = np.argsort(-probabilities, kind="stable")
        others = order[np.isin(order, self.layers.active) & (order != decision)].tolist()
        other = others[0] if others else decision
        changes = self._effects(x[0], decision, other) if decision != other and self.layers.n_layers else {}
        most = sorted(changes, key=lambda index: -abs(changes[index]))[:_MOST_SAID]
        ours, theirs = self.classes[decision], self.classes[other]
        steps = [f"{ours} is the only class there is"]
        if decision != other:
            steps = [effect_words(self.schema, index, record, changes[index], (ours, theirs)) for index in most]
            steps.append(f"Were a value not known, the log odds of {ours} against {theirs} would fall by its number")
        return Explanation(decision, tuple(probabilities.tolist()), tuple(steps), tuple(most))

    def values(self) -> dict[str, Any]:
        layers, course = self.layers, {"best": self.layers.course.best, "ended": self.layers.course.ended}
        return {"kind": layers.kind, "loss": layers.loss, **course, "from_zero": layers.from_zero}


def shape_of(layers: Layers) -> NetworkShape:
    return NetworkShape(layers.sizes, layers.activation, layers.loss)


def log_odds_by(layers: Layers, x: FloatArray, code: int, other: int) -> FloatArray:
    """Log odds (n,) of a class for inputs (n, t); with cross-entropy from the last sums, exact near 0 and 1."""
    shape, places = shape_of(layers), np.searchsorted(layers.active, [code, other])
    if shape.loss == SQUARED or not np.isin([code, other], layers.active).all():
        p = np.maximum(probabilities_by(layers, layers.parameters, x), np.finfo(np.float64).epsneg)
        return np.asarray(np.log(p[:, code]) - np.log(p[:, other]))
    kinds = np.append(shape.activation[:-1], np.int8(Activation.LINEAR))
    sums = ForwardBackward(NetworkShape(shape.sizes, kinds, shape.loss)).signals(layers.parameters, x)[-1]
    if shape.n_outputs == 1:
        return np.asarray(sums[:, 0] * (places[0] - places[1]))
    return np.asarray(sums[:, places[0]] - sums[:, places[1]])


def probabilities_by(layers: Layers, parameters: FloatArray, x: FloatArray) -> FloatArray:
    """Class probabilities (n, k) of inputs (n, t) with given weights (p,).

    A perceptron applies the logistic function or softmax to its sums, which only ranks records.
    """
    shape = shape_of(layers)
    last = int(shape.activation[-1])
    if last == Activation.SIGN:
        last = Activation.LOGISTIC if shape.n_outputs == 1 else Activation.SOFTMAX
        shape = NetworkShape(shape.sizes, np.array([last], dtype=np.int8), shape.loss)
    outputs = ForwardBackward(shape).signals(parameters, x)[-1]
    shares = np.zeros((len(x), len(layers.class_weight)))
    shares[:, layers.active] = probabilities_of(outputs, shape.loss, last)
    return shares
