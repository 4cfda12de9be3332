"""Taking support vector machines from a file that anybody may have made."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.array_state import (
    ArrayState,
    finite,
    index,
    numbers,
    offsets,
    spreads,
    weights,
    whole,
    words,
)
from algorithms.core.checked_terms import TERM_ARRAYS, checked_terms
from algorithms.core.learner import State
from algorithms.core.plain_json import finite_number
from algorithms.core.schema import Schema
from algorithms.core.support_vectors import REST, UNMET, UNSETTLED, SupportVectors
from algorithms.svm.similarity import KINDS

_STATE: Final = ArrayState("The saved model is", {
    **TERM_ARRAYS,
    "class_weight": weights("classes"),
    "factor": spreads("terms"),
    "offset": numbers("terms"),
    "vectors": numbers("vectors", "terms"),
    "row_ids": whole("vectors", dtype=np.int64),
    "labels": index("classes", "vectors"),
    "first": index("classes", "machines"),
    "second": index("classes", "machines", lowest=REST),
    "start": offsets("members", "machines+1"),
    "member": index("vectors", "members"),
    "coefficient": finite("members"),
    "slack": weights("members"),
    "ceiling": weights("members"),
    "bias": finite("machines"),
    "weight": finite("weighed", "sides"),
    "sigmoid": numbers("machines", 2),
    "n_support": whole("machines", dtype=np.int64, lowest=0),
    "unmet": words("machines", known=(0, UNMET, UNSETTLED)),
    "course": finite("points", 4),
})  # fmt: skip
_MARGINS: Final = ("hard", "soft", "soft-squared")


def checked_machines(schema: Schema, state: State) -> SupportVectors:
    """The machines in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
    values, k = _checked_values(state), len(schema.classes)
    _STATE.require(k >= 1, "it has no classes")
    arrays = _STATE.read(state.arrays, attributes=len(schema), classes=k)
    terms = checked_terms(schema, arrays)
    shape = (len(terms), len(arrays["first"])) if values["kernel"] == "linear" else (0, 0)
    _STATE.require(arrays["weight"].shape == shape, "weight is of another size")
    _check_classes(arrays)
    own: dict[str, Any] = {name: arrays[name] for name in SupportVectors.ARRAYS}
    return SupportVectors(schema, terms, **own, **values)


def _check_classes(arrays: dict[str, Any]) -> None:
    """The machines must be those of the classes that have records: of each pair, or of each class."""
    active = np.flatnonzero(arrays["class_weight"] > 0).tolist()
    found = list(zip(arrays["first"].tolist(), arrays["second"].tolist(), strict=True))
    pairs = [(i, j) for at, i in enumerate(active) for j in active[at + 1 :]]
    _STATE.require(found in (pairs, [(i, REST) for i in active]), "its machines are not those of its classes")


def _checked_values(state: State) -> dict[str, Any]:
    values: dict[str, Any] = {name: state.values.get(name) for name in SupportVectors.VALUES}
    require = _STATE.require
    require(values["kernel"] in KINDS, "its kernel is unknown")
    require(values["margin"] in _MARGINS, "its margin is unknown")
    require(isinstance(values["calibrated"], bool), "it does not say whether it is calibrated")
    require(type(values["degree"]) is int and 1 <= values["degree"] <= 10, "its degree is out of bounds")
    for name in ("gamma", "constant", "c", "lowest"):
        values[name] = finite_number(values[name])
        require(values[name] is not None, f"{name} is no number")
    require(values["gamma"] > 0, "gamma is not above zero")
    return values
