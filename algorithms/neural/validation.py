"""Taking networks from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from algorithms.core.checked_terms import checked_terms, require, shaped, typed
from algorithms.core.layers import Activation, Course, Layers, parameter_count
from algorithms.core.learner import State
from algorithms.core.schema import Schema
from algorithms.neural.passing import CROSS_ENTROPY, SQUARED
from algorithms.neural.watching import Ended

_WHOLE: Final[Mapping[str, type[np.integer[Any]]]] = {"sizes": np.int32, "activation": np.int8}
MISTAKES: Final = "mistakes"
_HIDDEN: Final = (Activation.LINEAR, Activation.LOGISTIC, Activation.TANH, Activation.RELU)


def checked_layers(schema: Schema, state: State) -> Layers:
    """The network in a saved state; raises :class:`ModelFileError` where it is none over this schema."""
    kind, loss = state.values.get("kind"), state.values.get("loss")
    require((kind, loss) in (("network", CROSS_ENTROPY), ("network", SQUARED), ("perceptron", MISTAKES)),
            "it is of no known kind")  # fmt: skip
    terms = checked_terms(schema, state)
    arrays = {name: typed(name, state, _WHOLE) for name in Layers.ARRAYS}
    k = len(schema.classes)
    require(k >= 1, "it has no classes")
    shaped(arrays["class_weight"], (k,), "class_weight")
    require(np.all(arrays["class_weight"] >= 0), "a class has a weight below zero")
    layers = Layers(schema, terms, **arrays, course=_checked_course(state), kind=str(kind), loss=str(loss),
                    from_zero=state.values.get("from_zero") is True)  # fmt: skip
    _check_layers(layers)
    return layers


def _check_layers(layers: Layers) -> None:
    sizes, kinds = layers.sizes, layers.activation
    require(sizes.ndim == 1 and len(sizes) >= 1 and kinds.shape == (len(sizes) - 1,), "its layers are in disorder")
    require(int(sizes[0]) == len(layers.terms), "it has other inputs")
    require(np.all(sizes[1:] >= 1) and np.all(sizes <= 1_000_000), "a layer has no nodes, or too many")
    shaped(layers.parameters, (parameter_count(sizes),), "parameters")
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


def _checked_course(state: State) -> Course:
    arrays = {name: typed(name, state) for name in Course.ARRAYS}
    for name, array in arrays.items():
        require(array.ndim == 1, f"{name} is no list")
    best, ended = state.values.get("best"), state.values.get("ended")
    e = len(arrays["training_loss"])
    require(len(arrays["training_error"]) == e, "its course is in disorder")
    held = len(arrays["validation_error"])
    require(len(arrays["validation_loss"]) == held and held in (0, e), "its course is in disorder")
    require(isinstance(best, int) and 0 <= best <= max(0, e - 1), "its best epoch is none")
    require(ended == "" or ended in [each.value for each in Ended], "it ended for no known reason")
    assert isinstance(best, int)
    return Course(**arrays, best=best, ended=str(ended))
