"""Taking networks from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, anything, numbers, weights, words
from algorithms.core.checked_terms import TERM_ARRAYS, checked_terms
from algorithms.core.layers import Activation, Course, Layers, parameter_count
from algorithms.core.learner import State
from algorithms.core.schema import Schema
from algorithms.core.terms import FARTHEST
from algorithms.neural.passing import CROSS_ENTROPY, SQUARED
from algorithms.neural.watching import Ended

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


def _checked_course(state: State, arrays: Mapping[str, NDArray[Any]]) -> Course:
    best, ended, require = state.values.get("best"), state.values.get("ended"), _STATE.require
    e, held = len(arrays["training_loss"]), len(arrays["validation_error"])
    require(held in (0, e), "its course is in disorder")
    require(type(best) is int and 0 <= best <= max(0, e - 1), "its best epoch is none")
    require(ended == "" or ended in [each.value for each in Ended], "it ended for no known reason")
    assert isinstance(best, int)
    return Course(**{name: arrays[name] for name in Course.ARRAYS}, best=best, ended=str(ended))
