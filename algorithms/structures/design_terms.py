"""Terms of a design matrix: encoding of records as numbers, validation, and descriptions in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, finite, indices, spreads, whole
from algorithms.data.columns import Column, FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.structures.model_structure import ArrayFields
from algorithms.text.sentences import and_more

Int32Array = NDArray[np.int32]
IS_NUMBER: Final = -1
FIRST_DIGIT: Final = -2
FARTHEST: Final = 1e12
"""Largest distance of a number from the mean, in standard deviations; larger ones are clipped to keep sums finite."""


class Coding(IntEnum):
    """Encoding of a nominal attribute as numbers."""

    BESIDE_USUAL = 0
    """A term for each value except the most frequent."""
    EACH_VALUE = 1
    """A term for each value if there are more than two, else a single term."""
    BINARY = 2
    """A term for each binary digit of the value's code: the fewest possible."""


class OmittedTerm(IntEnum):
    """Why an attribute, or one of its values, has no term."""

    CONSTANT = 0
    """It is constant in the training records."""
    FOLLOWS = 1
    """It is a linear combination of other terms."""


@dataclass(frozen=True, eq=False)
class Terms(ArrayFields):
    """t standardised numbers of each record, ``(number - centre) / unit``; a missing number counts as the mean (0).

    A nominal attribute has an indicator term for each value in training except the most frequent, the ``usual`` value,
    with which the others are compared. A missing value, or one not in training, counts as the usual one. An infinite
    number counts as missing. Other kinds of :class:`Coding` have a term for the usual value too, or one for each binary
    digit of the value's code.

    ==========  ======  ============================================================================================
    array       shape   meaning
    ==========  ======  ============================================================================================
    attribute   (t,)    int32, index in ``schema.attributes``, ascending
    value       (t,)    int32, the value code of the term; :data:`IS_NUMBER` for a numeric attribute; binary digit d
                        (0 is the lowest) is ``FIRST_DIGIT - d``
    usual       (t,)    int32, the code it is compared with; :data:`IS_NUMBER` for a numeric attribute
    centre      (t,)    float64, the mean in training
    unit        (t,)    float64, the standard deviation in training (divided by n), above 0
    left_out    (m, 3)  int32, omitted: attribute, value (or :data:`IS_NUMBER`: all of it), :class:`OmittedTerm`
    ==========  ======  ============================================================================================
    """

    schema: Schema
    attribute: Int32Array
    value: Int32Array
    usual: Int32Array
    centre: FloatArray
    unit: FloatArray
    left_out: Int32Array

    def __len__(self) -> int:
        return len(self.attribute)

    def put(self, data: Dataset, rows: Any, into: FloatArray) -> None:
        """Write the terms of some records (a slice or indices) of data with the same schema into (t or more, rows)."""
        last, column = -1, np.zeros(0)
        with np.errstate(over="ignore", invalid="ignore"):
            for term, (index, value) in enumerate(zip(self.attribute.tolist(), self.value.tolist(), strict=True)):
                if index != last:
                    last, column = index, data.column(index)[rows]
                if value == IS_NUMBER:
                    self._put_number(term, column, into[term])
                else:
                    self._put_value(term, column, into[term])
                    self._standardise(term, into[term])

    def _standardise(self, at: int, into: FloatArray) -> None:
        """Standardise indicator values 0 and 1 in place, clipped to :data:`FARTHEST` deviations."""
        centre, unit = float(self.centre[at]), float(self.unit[at])
        into -= centre
        into /= unit
        if max(abs(centre), abs(1.0 - centre)) >= FARTHEST * unit:
            np.clip(into, -FARTHEST, FARTHEST, out=into)

    def _put_value(self, at: int, column: Column, into: FloatArray) -> None:
        value, usual = int(self.value[at]), int(self.usual[at])
        if value <= FIRST_DIGIT:
            codes = np.where(column < 0, usual, column).astype(np.int64)
            np.copyto(into, (codes >> (FIRST_DIGIT - value)) & 1)
        elif value == usual:
            others = self.value[(self.attribute == self.attribute[at]) & (self.value != usual)]
            np.copyto(into, np.isin(column, others, invert=True))
        else:
            np.equal(column, value, out=into)

    def _put_number(self, at: int, column: Column, into: FloatArray) -> None:
        np.subtract(column, self.centre[at], out=into)
        into /= self.unit[at]
        if len(into) and not max(into.max(), -into.min()) < FARTHEST:  # also true if a number is missing
            np.clip(into, -FARTHEST, FARTHEST, out=into)
            into[~np.isfinite(column)] = 0.0

    def of(self, data: Dataset, rows: Any = slice(None)) -> FloatArray:
        """The terms of some records of data with the same schema (t, rows)."""
        n = len(np.arange(len(data))[rows])
        numbers = np.empty((len(self), n))
        self.put(data, rows, numbers)
        return numbers

    def of_missing_values(self) -> FloatArray:
        """The terms (t,) of a record in which all values are missing."""
        usual = (self.value == self.usual) & (self.value != IS_NUMBER)
        digit = self.value <= FIRST_DIGIT
        places = np.where(digit, FIRST_DIGIT - self.value, 0)
        set_digit = digit & ((np.maximum(self.usual, 0) >> places) & 1 == 1)
        raw = (usual | set_digit).astype(np.float64)
        return np.where(self.value == IS_NUMBER, 0.0, (raw - self.centre) / self.unit)

    def chosen(self, kept: NDArray[np.bool_]) -> Terms:
        """The terms in the mask ``kept`` (t,); the others are marked as linear combinations of these."""
        gone = [(int(self.attribute[t]), int(self.value[t]), OmittedTerm.FOLLOWS) for t in np.flatnonzero(~kept)]
        left_out = np.array(gone, dtype=np.int32).reshape(-1, 3)
        arrays = {name: getattr(self, name)[kept] for name in self.ARRAYS if name != "left_out"}
        return Terms(self.schema, **arrays, left_out=np.concatenate([self.left_out, left_out]))

    def name(self, at: int) -> str:
        """The name of a term: "Width", "Colour = red"."""
        attribute = self.schema.attributes[int(self.attribute[at])]
        value = int(self.value[at])
        if value <= FIRST_DIGIT:
            return f"{attribute.name}, digit {FIRST_DIGIT - value + 1}"
        return attribute.name if value == IS_NUMBER else f"{attribute.name} = {attribute.values[value]}"

    def compared_with(self, at: int) -> str:
        """The usual value that a term is compared with; empty for a numeric term."""
        usual = int(self.usual[at])
        attribute = self.schema.attributes[int(self.attribute[at])]
        return "" if usual == IS_NUMBER else attribute.values[usual]

    def names_left_out(self, why: OmittedTerm) -> list[str]:
        """The names of the attributes and values omitted for this reason."""
        names = []
        for index, value, reason in self.left_out.tolist():
            if reason == why:
                attribute = self.schema.attributes[index]
                names.append(attribute.name if value == IS_NUMBER else f"{attribute.name} = {attribute.values[value]}")
        return names


TERM_ARRAYS: Final[Mapping[str, ArraySpec]] = {
    "attribute": indices("attributes", "terms"),
    "value": whole("terms"),
    "usual": whole("terms"),
    "centre": finite("terms"),
    "unit": spreads("terms"),
    "left_out": whole("absent", 3),
}
"""The arrays of :class:`Terms`, for the specifications of models that have terms."""

_require: Final = ArrayState("The saved model is", TERM_ARRAYS).require


def checked_terms(schema: Schema, arrays: Mapping[str, NDArray[Any]]) -> Terms:
    """The terms in arrays that were read by a specification with :data:`TERM_ARRAYS`."""
    terms = Terms(schema, **{name: arrays[name] for name in Terms.ARRAYS})
    _require(np.all(terms.attribute[1:] >= terms.attribute[:-1]), "its columns are in disorder")
    predictors = set(schema.predictors)
    for column, value, usual in zip(terms.attribute.tolist(), terms.value.tolist(), terms.usual.tolist(), strict=True):
        _check_term(schema, predictors, column, value)
        _check_term(schema, predictors, column, usual)
    _check_left_out(schema, predictors, terms.left_out)
    return terms


def _check_term(schema: Schema, predictors: set[int], column: int, value: int) -> None:
    _require(column in predictors, "it looks at a column that it does not learn from")
    attribute = schema.attributes[column]
    _require((attribute.kind is AttributeKind.NUMERIC) == (value == IS_NUMBER), f"{attribute.name} is of another kind")
    digits = len(attribute.values).bit_length()
    _require(FIRST_DIGIT - digits < value < max(1, len(attribute.values)), f"{attribute.name} has other values")


def _check_left_out(schema: Schema, predictors: set[int], left_out: Int32Array) -> None:
    for column, value, reason in left_out.tolist():
        _require(column in predictors, "it leaves out a column that is none")
        is_known = value == IS_NUMBER or 0 <= value < len(schema.attributes[column].values)
        _require(is_known and reason in (OmittedTerm.CONSTANT, OmittedTerm.FOLLOWS), "it leaves out what is not there")


_FEW = 3


def strongest(added: FloatArray, most: int) -> list[int]:
    """The indices of the largest absolute contributions that are not zero, in descending order, at most ``most``."""
    order = np.argsort(-np.abs(added), kind="stable")[:most]
    return [int(index) for index in order if added[index] != 0]


def listed(names: Sequence[str]) -> str:
    """The first few names, and the number of further ones."""
    return and_more(names, _FEW)


def remarks_on_terms(terms: Terms) -> list[str]:
    """Remarks on attributes and values that have no coefficient, and the reason."""
    remarks = []
    constant, follows = terms.names_left_out(OmittedTerm.CONSTANT), terms.names_left_out(OmittedTerm.FOLLOWS)
    if constant:
        remarks.append(f"not weighed, as it never differs: {listed(constant)}")
    if follows:
        remarks.append(f"not weighed, as it follows from others: {listed(follows)}")
    return remarks
