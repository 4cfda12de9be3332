"""Taking distributions from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from algorithms.core.array_state import (
    ArrayState,
    anything,
    finite,
    index,
    offsets,
    shares,
    weights,
    words,
)
from algorithms.core.conditionals import Conditionals, Form
from algorithms.core.learner import State
from algorithms.core.schema import Kind, Schema

_STATE: Final = ArrayState("The saved probabilities are", {
    "class_weight": weights("classes"),
    "prior": shares("classes"),
    "attribute": replace(index("attributes", "looked"), ascending=True),
    "form": words("looked", known=tuple(int(form) for form in Form)),
    "row_start": offsets("rows", "looked+1"),
    "table": weights("rows", "classes"),
    "count": weights("rows", "classes"),
    "mean": anything("looked", "classes"),
    "deviation": anything("looked", "classes"),
    "span": anything("looked", 2),
    "cut_start": offsets("cuts", "looked+1"),
    "cuts": finite("cuts"),
    "point_start": offsets("points", "looked*classes+1"),
    "point": finite("points"),
    "point_weight": weights("points"),
})  # fmt: skip


def checked_conditionals(schema: Schema, state: State) -> Conditionals:
    """The distributions in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
    k = len(schema.classes)
    _STATE.require(k >= 1, "it has no classes")
    ratio = state.values.get("least_ratio", 0.0)  # models saved before there was one have none
    _STATE.require(isinstance(ratio, float | int) and 0.0 <= ratio < 1.0, "its least ratio is none")
    arrays = _STATE.read(state.arrays, attributes=len(schema), classes=k)
    held = Conditionals(schema=schema, **arrays, least_ratio=float(ratio))
    _STATE.require(np.all(np.isin(held.attribute, list(schema.predictors))),
                   "it looks at a column that it does not learn from")  # fmt: skip
    for place in range(held.n_attributes):
        _check_attribute(held, place)
    return held


def _check_attribute(held: Conditionals, place: int) -> None:
    attribute, require = held.schema.attributes[int(held.attribute[place])], _STATE.require
    form, rows, cuts = Form(int(held.form[place])), held.rows_of(place), held.cuts_of(place)
    n_rows = rows.stop - rows.start
    require((attribute.kind is Kind.NUMERIC) == (form is not Form.VALUES), f"{attribute.name} is of another kind")
    if form is Form.VALUES:
        require(n_rows == len(attribute.values), f"{attribute.name} has other values")
    elif form is Form.RANGES:
        require(n_rows == len(cuts) + 1 and np.all(np.diff(cuts) > 0), f"{attribute.name} has no ranges")
    else:
        mean, deviation = held.mean[place], held.deviation[place]
        require(np.all(np.isfinite(mean)) and np.all(np.isfinite(deviation)), f"{attribute.name} has no mean")
        require(np.all(deviation > 0), f"{attribute.name} has no spread")
    if form is Form.KERNELS:
        for code in range(held.n_classes):
            own = held.point[held.points_of(place, code)]
            require(len(own) and np.all(np.diff(own) > 0), f"{attribute.name} has no points")
