"""Checks that filters share: of chosen columns, of the class, and of a stored state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import Problem, State
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.data.summary import Summary


def chosen(schema: Schema, names: Sequence[str], kinds: Collection[AttributeKind]) -> list[int]:
    """Positions of the named columns that are of these kinds; without names, of all in use. Never the class.

    Raises :class:`DataError` for a name that is no column's.
    """
    if names:
        indices = [schema.index_of(name) for name in names]
    else:
        indices = [i for i, attribute in enumerate(schema.attributes) if attribute.used]
    return [i for i in indices if i != schema.class_index and schema.attributes[i].kind in kinds]


def problems_of_choice(
    summary: Summary, names: Sequence[str], kinds: Collection[AttributeKind], *, do: str, done: str, only: str
) -> list[Problem]:
    """What keeps named columns from being changed: "There is no column 'x' to fill", "x is text: only numbers ...".

    ``do`` and ``done`` are forms of what is done to a column ("fill", "filled"), ``only`` says what it can be done to.
    """
    found = []
    schema = summary.schema
    for name in names:
        if name not in schema:
            found.append(Problem(f"There is no column {name!r} to {do}.", "Choose among those there are.", name))
            continue
        index = schema.index_of(name)
        attribute = schema.attributes[index]
        if index == schema.class_index:
            found.append(Problem(f"{name} is the column to predict: it is not {done}.", "Leave it out.", name))
        elif attribute.kind not in kinds:
            found.append(Problem(f"{name} is {attribute.kind.value}: {only}.", "Leave it out.", name))
    return found


_NO_CLASS = "No class is chosen to go by."
_CHOOSE = "Choose the column to predict."


def problems_without_class(summary: Summary) -> list[Problem]:
    """What keeps a step from going by the class; empty where there is one."""
    return [] if _has_class(summary.schema) else [Problem(_NO_CLASS, _CHOOSE)]


def class_codes(data: Dataset) -> IntArray:
    """The class of each record (n,), -1 where it is missing; raises :class:`DataError` without a class."""
    if not _has_class(data.schema):
        raise DataError(_NO_CLASS, remedy=_CHOOSE)
    return data.class_codes.astype(np.int64)


def counts_of(codes: IntArray, data: Dataset) -> IntArray:
    """Number of records of each class (k,)."""
    found: IntArray = np.bincount(codes[codes >= 0], minlength=len(data.schema.classes)).astype(np.int64)
    return found


def quotas(counts: IntArray, size: int) -> IntArray:
    """``size`` shared out in proportion to the counts, the rounding settled by the largest remainders."""
    total = int(counts.sum())
    if total == 0:
        return np.zeros(len(counts), dtype=np.int64)
    exact = counts * (size / total)
    found: IntArray = np.floor(exact).astype(np.int64)
    first = np.argsort(found - exact, kind="stable")
    found[first[: size - int(found.sum())]] += 1
    return found


def _has_class(schema: Schema) -> bool:
    return schema.class_index is not None and schema.class_attribute.kind.is_coded


class StoredState:
    """The state of a fitted filter; every reading raises :class:`ModelFileError` where it is not what it should be.

    ``what`` names it in that error: "The saved ranges are damaged."
    """

    def __init__(self, state: State, what: str) -> None:
        self._state = state
        self._what = what

    def damaged(self) -> ModelFileError:
        return ModelFileError(f"The saved {self._what} are damaged.", remedy="Save the model again.")

    def value(self, key: str) -> Any:
        return self._state.values.get(key)

    def names(self, key: str) -> list[str]:
        """A list of texts."""
        found = self.value(key)
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self.damaged()
        return found

    def lists(self, key: str, n: int) -> list[list[str]]:
        """``n`` lists of texts."""
        found = self.value(key)
        if not isinstance(found, list) or len(found) != n or not all(isinstance(each, list) for each in found):
            raise self.damaged()
        if not all(isinstance(text, str) for each in found for text in each):
            raise self.damaged()
        return found

    def text(self, key: str, allowed: Collection[str] | None = None) -> str:
        found = self.value(key)
        if not isinstance(found, str) or (allowed is not None and found not in allowed):
            raise self.damaged()
        return found

    def flag(self, key: str) -> bool:
        found = self.value(key)
        if not isinstance(found, bool):
            raise self.damaged()
        return found

    def sizes(self, key: str, n: int | None = None) -> list[int]:
        """Whole numbers of zero or more, ``n`` of them where it is given."""
        found = self.value(key)
        if not isinstance(found, list) or not all(type(each) is int and each >= 0 for each in found):
            raise self.damaged()
        if n is not None and len(found) != n:
            raise self.damaged()
        return found

    def numbers(self, key: str, *shape: int | None) -> FloatArray:
        """An array of float64 of this shape; None stands for any length."""
        found = self._state.arrays.get(key)
        if not isinstance(found, np.ndarray) or found.dtype != np.float64 or found.ndim != len(shape):
            raise self.damaged()
        if any(wanted is not None and wanted != length for wanted, length in zip(shape, found.shape, strict=True)):
            raise self.damaged()
        return found
