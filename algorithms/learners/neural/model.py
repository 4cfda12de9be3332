"""The model of perceptrons and networks, its validation when read from a file, and its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, anything, numbers, weights, words
from algorithms.core.learner import Explanation, Model, Probabilities, State
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.design_matrix import shares
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
from algorithms.structures.layers import Activation, Layers, TrainingHistory, parameter_count
from algorithms.structures.terms import FARTHEST, TERM_ARRAYS, checked_terms, remarks_on_terms

_STATE: Final = ArrayState("The saved model is", {
    **TERM_ARRAYS,
    "class_weight": weights("classes"),
    "sizes": ArraySpec(dtype=np.int32, shape=("layers+1",), lowest=0, highest=1_000_000),
    "activation": words("layers", known=tuple(int(each) for each in Activation)),
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
    """The network in a saved state; raises :class:`ModelFileError` where it is none over this schema."""
    kind, loss = state.values.get("kind"), state.values.get("loss")
    _STATE.require((kind, loss) in (("network", CROSS_ENTROPY), ("network", SQUARED), ("perceptron", MISTAKES)),
                   "it is of no known kind")  # fmt: skip
    k = len(schema.classes)
    _STATE.require(k >= 1, "it has no classes")
    arrays = _STATE.read(state.arrays, attributes=len(schema), classes=k)
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
    """The largest sum that can reach a node, whatever the record."""
    largest = FARTHEST
    with np.errstate(over="ignore"):
        for at, kind in enumerate(layers.activation.tolist()):
            weight, bias = layers.layer(at)
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
    require(ended == "" or ended in [each.value for each in StopReason], "it ended for no known reason")
    assert isinstance(best, int)
    return TrainingHistory(**{name: arrays[name] for name in TrainingHistory.ARRAYS}, best=best, ended=str(ended))


_NETWORK: Final = {
    StopReason.LIMIT: "it was still learning when the limit of {epochs} was reached",
    StopReason.FINISHED: "it was finished early: the best weights until then are kept",
    StopReason.DIVERGED: "its weights grew beyond all bounds after {epochs}, as its steps were too large: the best "
    "until then are kept, and a smaller learning rate should do better",
}


def epochs_words(n: int) -> str:
    """ "1 epoch", "200 epochs"."""
    return f"{n:,} epoch{'' if n == 1 else 's'}"


def remark_of(layers: Layers) -> str:
    """What a person should know of how it learned, in one sentence without its full stop."""
    found = []
    if layers.n_layers:
        said = _of_perceptron(layers) if layers.kind == "perceptron" else _of_network(layers)
        found += [said] if said else []
    return "; ".join(found + remarks_on_terms(layers.terms))


def _of_network(layers: Layers) -> str:
    course, found = layers.course, []
    if course.ended in _NETWORK:
        found.append(_NETWORK[StopReason(course.ended)].format(epochs=epochs_words(course.epochs)))
    if course.epochs and not course.best and not course.is_validated:
        found.append("no epoch made its loss smaller than that of the random weights it began with, which are kept")
    if course.is_validated and course.ended == StopReason.VALIDATION:
        found.append(
            f"it stopped after {epochs_words(course.epochs)}, as records held out did best at epoch {course.best}"
        )
    if len(course.pruned_error) > 1:
        found.append(f"{layers.n_hidden} hidden node{'' if layers.n_hidden == 1 else 's'} were left after pruning")
    return "; ".join(found)


def _of_perceptron(layers: Layers) -> str:
    course = layers.course
    if course.ended == StopReason.NO_ERRORS:
        return f"it converged: no training record is wrong after {passes_words(course.epochs)}"
    wrong = float(course.training_error[course.best]) if len(course.training_error) else float("nan")
    if wrong == 0:
        return f"together its nodes are right on all training records, though after " \
               f"{passes_words(course.epochs)} not every class is told from all others at once"  # fmt: skip
    why = "finished early" if course.ended == StopReason.FINISHED else f"after {passes_words(course.epochs)}"
    return (
        f"it did not converge: {why} {100 * wrong:.3g}% of the training records are still wrong, as no straight "
        "boundary tells the classes apart, or none was found yet"
    )


def passes_words(n: int) -> str:
    """ "1 pass", "12 passes"."""
    return f"{n:,} pass{'' if n == 1 else 'es'}"


def effect_words(schema: Schema, index: int, record: Dataset, change: float, classes: tuple[str, str]) -> str:
    """What an attribute of a record says for one of two classes: the change of the log odds without it."""
    attribute, value = schema.attributes[index], record.column(index)[0]
    if attribute.kind.is_coded:
        shown = attribute.values[int(value)] if value >= 0 else "not known"
    else:
        shown = f"{float(value):.6g}" if np.isfinite(value) else "not known"
    said = f"{attribute.name} = {shown}" if shown != "not known" else f"{attribute.name} is not known"
    return f"{said} speaks for {classes[0] if change > 0 else classes[1]}: {change:+.3g}"


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
        return [
            signal[0].copy() for signal in ForwardBackward(shape_of(self.layers)).signals(self.layers.parameters, x)
        ]

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


def shape_of(layers: Layers) -> NetworkShape:
    """The layers but for their weights."""
    return NetworkShape(layers.sizes, layers.activation, layers.loss)


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
    sums = ForwardBackward(NetworkShape(shape.sizes, kinds, shape.loss)).signals(layers.parameters, x)[-1]
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
        shape = NetworkShape(shape.sizes, np.array([last], dtype=np.int8), shape.loss)
    outputs = ForwardBackward(shape).signals(parameters, x)[-1]
    found = np.zeros((len(x), len(layers.class_weight)))
    found[:, layers.active] = probabilities_of(outputs, shape.loss, last)
    return found
