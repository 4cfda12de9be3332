"""What the steps for training records have in common: the class they go by, and how many records each class has."""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.learner import Problem
from algorithms.core.schema import Schema
from algorithms.core.summary import Summary

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
