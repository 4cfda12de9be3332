"""Taking support vector machines from a file that anybody may have made."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.checked_terms import WHOLE, checked_terms, require, shaped, typed
from algorithms.core.learner import State
from algorithms.core.schema import Schema
from algorithms.core.support_vectors import REST, SupportVectors
from algorithms.svm.similarity import KINDS

_TYPES: Final = {
    **WHOLE, "row_ids": np.int64, "labels": np.int32, "first": np.int32, "second": np.int32, "start": np.int32,
    "member": np.int32, "n_support": np.int64, "unmet": np.int8,
}  # fmt: skip
_MARGINS: Final = ("hard", "soft", "soft-squared")


def checked_machines(schema: Schema, state: State) -> SupportVectors:
    """The machines in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
    terms, values = checked_terms(schema, state), _checked_values(state)
    arrays: dict[str, Any] = {name: typed(name, state, _TYPES) for name in SupportVectors.ARRAYS}
    t, k, m = len(terms), len(schema.classes), len(arrays["first"])
    s, z, g = len(arrays["row_ids"]), len(arrays["member"]), len(arrays["course"])
    linear = values["kernel"] == "linear"
    shapes: dict[str, tuple[int, ...]] = {
        "class_weight": (k,), "factor": (t,), "offset": (t,), "vectors": (s, t), "row_ids": (s,), "labels": (s,),
        "first": (m,), "second": (m,), "start": (m + 1,), "member": (z,), "coefficient": (z,), "slack": (z,),
        "ceiling": (z,), "bias": (m,), "weight": (t, m) if linear else (0, 0), "sigmoid": (m, 2), "n_support": (m,),
        "unmet": (m,), "course": (g, 4),
    }  # fmt: skip
    for name, shape in shapes.items():
        shaped(arrays[name], shape, name)
    require(k >= 1, "it has no classes")
    require(np.all(arrays["factor"] > 0), "a number has no scale")
    for name in ("class_weight", "slack", "ceiling", "n_support"):
        require(np.all(arrays[name] >= 0), f"{name} holds what is below zero")
    start, member = arrays["start"], arrays["member"]
    require(start[0] == 0 and start[-1] == z and np.all(np.diff(start) >= 0), "its machines are in disorder")
    require(np.all((member >= 0) & (member < s)), "a machine has a support vector that is not there")
    for name in ("first", "labels"):
        require(np.all((arrays[name] >= 0) & (arrays[name] < k)), f"{name} names a class that is not there")
    second = arrays["second"]
    require(np.all((second >= REST) & (second < k)), "second names a class that is not there")
    _check_classes(arrays)
    return SupportVectors(schema, terms, **arrays, **values)


def _check_classes(arrays: dict[str, Any]) -> None:
    """The machines must be those of the classes that have records: of each pair, or of each class."""
    active = np.flatnonzero(arrays["class_weight"] > 0).tolist()
    found = list(zip(arrays["first"].tolist(), arrays["second"].tolist(), strict=True))
    pairs = [(i, j) for at, i in enumerate(active) for j in active[at + 1 :]]
    require(found in (pairs, [(i, REST) for i in active]), "its machines are not those of its classes")


def _checked_values(state: State) -> dict[str, Any]:
    values: dict[str, Any] = {name: state.values.get(name) for name in SupportVectors.VALUES}
    require(values["kernel"] in KINDS, "its kernel is unknown")
    require(values["margin"] in _MARGINS, "its margin is unknown")
    require(isinstance(values["calibrated"], bool), "it does not say whether it is calibrated")
    require(isinstance(values["degree"], int) and 1 <= values["degree"] <= 10, "its degree is out of bounds")
    for name in ("gamma", "constant", "c", "lowest"):
        require(isinstance(values[name], int | float) and np.isfinite(values[name]), f"{name} is no number")
        values[name] = float(values[name])
    require(values["gamma"] > 0, "gamma is not above zero")
    return values
