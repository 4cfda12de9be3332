"""Taking rows of numbers from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, finite, index, spreads, whole
from algorithms.core.schema import Kind, Schema
from algorithms.core.terms import FIRST_DIGIT, IS_NUMBER, Int32Array, LeftOut, Terms

TERM_ARRAYS: Final[Mapping[str, ArraySpec]] = {
    "attribute": index("attributes", "terms"),
    "value": whole("terms"),
    "usual": whole("terms"),
    "centre": finite("terms"),
    "unit": spreads("terms"),
    "left_out": whole("absent", 3),
}
"""The arrays of :class:`Terms`, for the specifications of models that have terms."""

_require: Final = ArrayState("The saved model is", TERM_ARRAYS).require


def checked_terms(schema: Schema, arrays: Mapping[str, NDArray[Any]]) -> Terms:
    """The terms among arrays that were read by a specification with :data:`TERM_ARRAYS`."""
    terms = Terms(schema, **{name: arrays[name] for name in Terms.ARRAYS})
    _require(np.all(terms.attribute[1:] >= terms.attribute[:-1]), "its columns are in disorder")
    predictors = set(schema.predictors)
    for at, value, usual in zip(terms.attribute.tolist(), terms.value.tolist(), terms.usual.tolist(), strict=True):
        _check_term(schema, predictors, at, value)
        _check_term(schema, predictors, at, usual)
    _check_left_out(schema, predictors, terms.left_out)
    return terms


def _check_term(schema: Schema, predictors: set[int], column: int, value: int) -> None:
    _require(column in predictors, "it looks at a column that it does not learn from")
    attribute = schema.attributes[column]
    _require((attribute.kind is Kind.NUMERIC) == (value == IS_NUMBER), f"{attribute.name} is of another kind")
    digits = len(attribute.values).bit_length()
    _require(FIRST_DIGIT - digits < value < max(1, len(attribute.values)), f"{attribute.name} has other values")


def _check_left_out(schema: Schema, predictors: set[int], left_out: Int32Array) -> None:
    for column, value, reason in left_out.tolist():
        _require(column in predictors, "it leaves out a column that is none")
        known = value == IS_NUMBER or 0 <= value < len(schema.attributes[column].values)
        _require(known and reason in (LeftOut.CONSTANT, LeftOut.FOLLOWS), "it leaves out what is not there")
