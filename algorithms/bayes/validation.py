"""Taking distributions from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.conditionals import Conditionals, Form
from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.core.schema import Kind, Schema

_WHOLE: Final = {"attribute": np.int32, "form": np.int8, "row_start": np.int32, "cut_start": np.int32,
                 "point_start": np.int32}  # fmt: skip


def checked_conditionals(schema: Schema, state: State) -> Conditionals:
    """The distributions in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
    arrays = {name: _typed(name, state.arrays.get(name)) for name in Conditionals.ARRAYS}
    held = Conditionals(schema=schema, **arrays)
    _check_shapes(held)
    _check_classes(held)
    for place in range(held.n_attributes):
        _check_attribute(held, place)
    return held


def _require(truth: Any, what: str) -> None:
    if not bool(truth):
        raise ModelFileError(f"The saved probabilities are damaged: {what}.", remedy="Save the model again.")


def _typed(name: str, array: Any) -> NDArray[Any]:
    wanted = np.dtype(_WHOLE.get(name, np.float64))
    _require(isinstance(array, np.ndarray) and array.dtype == wanted, f"{name} is missing or of another type")
    return np.ascontiguousarray(array)


def _check_shapes(held: Conditionals) -> None:
    a, k = len(held.attribute), len(held.schema.classes)
    _require(k >= 1, "it has no classes")
    shapes: dict[str, tuple[int, ...]] = {
        "class_weight": (k,), "prior": (k,), "attribute": (a,), "form": (a,), "row_start": (a + 1,), "mean": (a, k),
        "deviation": (a, k), "span": (a, 2), "cut_start": (a + 1,), "point_start": (a * k + 1,),
    }  # fmt: skip
    for name, shape in shapes.items():
        _require(getattr(held, name).shape == shape, f"{name} is of another size")
    for starts, part in ((held.row_start, held.table), (held.cut_start, held.cuts), (held.point_start, held.point)):
        _require(starts[0] == 0 and np.all(np.diff(starts) >= 0), "its parts overlap")
        _require(starts[-1] == len(part), "its parts do not end")
    _require(held.table.shape == held.count.shape == (len(held.table), k), "its tables are of another size")
    _require(held.cuts.ndim == 1 and held.point.shape == held.point_weight.shape == (len(held.point),), "it is no list")


def _check_classes(held: Conditionals) -> None:
    for name in ("class_weight", "prior", "table", "count", "point_weight"):
        array = getattr(held, name)
        _require(np.all(np.isfinite(array)) and np.all(array >= 0), f"{name} holds what is no share")
    _require(abs(float(held.prior.sum()) - 1.0) < 1e-6, "the shares of its classes do not sum to 1")
    predictors = list(held.schema.predictors)
    _require(np.all(np.isin(held.attribute, predictors)), "it looks at a column that it does not learn from")
    _require(np.all(np.diff(held.attribute) > 0), "its columns are in disorder")
    _require(np.all(np.isin(held.form, [int(form) for form in Form])), "a distribution is of no known form")
    _require(np.all(np.isfinite(held.cuts)) and np.all(np.isfinite(held.point)), "a number in it is none")


def _check_attribute(held: Conditionals, place: int) -> None:
    attribute = held.schema.attributes[int(held.attribute[place])]
    form, rows, cuts = Form(int(held.form[place])), held.rows_of(place), held.cuts_of(place)
    n_rows = rows.stop - rows.start
    _require((attribute.kind is Kind.NUMERIC) == (form is not Form.VALUES), f"{attribute.name} is of another kind")
    if form is Form.VALUES:
        _require(n_rows == len(attribute.values), f"{attribute.name} has other values")
    elif form is Form.RANGES:
        _require(n_rows == len(cuts) + 1 and np.all(np.diff(cuts) > 0), f"{attribute.name} has no ranges")
    else:
        mean, deviation = held.mean[place], held.deviation[place]
        _require(np.all(np.isfinite(mean)) and np.all(np.isfinite(deviation)), f"{attribute.name} has no mean")
        _require(np.all(deviation > 0), f"{attribute.name} has no spread")
    if form is Form.KERNELS:
        for code in range(held.n_classes):
            own = held.point[held.points_of(place, code)]
            _require(len(own) and np.all(np.diff(own) > 0), f"{attribute.name} has no points")
