"""Taking rows of numbers from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.core.schema import Kind, Schema
from algorithms.core.terms import FIRST_DIGIT, IS_NUMBER, Int32Array, LeftOut, Terms

WHOLE: Final[Mapping[str, type[np.integer[Any]]]] = {
    "attribute": np.int32,
    "value": np.int32,
    "usual": np.int32,
    "left_out": np.int32,
}
"""The arrays of :class:`Terms` that hold whole numbers."""


def require(truth: Any, what: str) -> None:
    """Raises :class:`ModelFileError` where something does not hold."""
    if not bool(truth):
        raise ModelFileError(f"The saved model is damaged: {what}.", remedy="Save the model again.")


def typed(name: str, state: State, whole: Mapping[str, type[np.integer[Any]]] = WHOLE) -> NDArray[Any]:
    """An array of a state, float64 but for those in ``whole``; raises :class:`ModelFileError` where it is missing or
    of another type."""
    array = state.arrays.get(name)
    wanted = np.dtype(whole.get(name, np.float64))
    require(isinstance(array, np.ndarray) and array.dtype == wanted, f"{name} is missing or of another type")
    assert array is not None
    return np.ascontiguousarray(array)


def shaped(array: NDArray[Any], shape: tuple[int, ...], name: str) -> None:
    """Raises :class:`ModelFileError` where an array is of another shape or holds what is no number."""
    require(array.shape == shape, f"{name} is of another size")
    require(np.all(np.isfinite(array)), f"{name} holds what is no number")


def checked_terms(schema: Schema, state: State) -> Terms:
    """The terms in a saved state."""
    arrays = {name: typed(name, state) for name in Terms.ARRAYS}
    t = len(arrays["attribute"])
    for name in ("attribute", "value", "usual", "centre", "unit"):
        shaped(arrays[name], (t,), name)
    left_out = arrays["left_out"]
    require(left_out.ndim == 2 and left_out.shape[1] == 3, "what it leaves out is no list")
    terms = Terms(schema, **arrays)
    require(np.all(np.diff(terms.attribute) >= 0), "its columns are in disorder")
    require(np.all(terms.unit > 0), "a column has no spread")
    predictors = set(schema.predictors)
    for index, value, usual in zip(terms.attribute.tolist(), terms.value.tolist(), terms.usual.tolist(), strict=True):
        _check_term(schema, predictors, index, value)
        _check_term(schema, predictors, index, usual)
    _check_left_out(schema, predictors, left_out)
    return terms


def _check_term(schema: Schema, predictors: set[int], index: int, value: int) -> None:
    require(index in predictors, "it looks at a column that it does not learn from")
    attribute = schema.attributes[index]
    require((attribute.kind is Kind.NUMERIC) == (value == IS_NUMBER), f"{attribute.name} is of another kind")
    digits = len(attribute.values).bit_length()
    require(FIRST_DIGIT - digits < value < max(1, len(attribute.values)), f"{attribute.name} has other values")


def _check_left_out(schema: Schema, predictors: set[int], left_out: Int32Array) -> None:
    for index, value, reason in left_out.tolist():
        require(index in predictors, "it leaves out a column that is none")
        known = value == IS_NUMBER or 0 <= value < len(schema.attributes[index].values)
        require(known and reason in (LeftOut.CONSTANT, LeftOut.FOLLOWS), "it leaves out what is not there")
