"""What all ways of selecting attributes have in common: each judges them and says which to keep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem
from algorithms.core.summary import Summary
from algorithms.preprocess.remove_attributes import AttributesRemoved

_NO_CLASS = "No class is chosen to judge by."
_CHOOSE = "Choose the column to predict."
SPLITS: Final = {"binary": "best binary split", "mdl": "minimum description length (MDL)"}
"""How numbers are cut before they are judged, in words."""
SMALLEST_SCORE: Final = 0.000001
"""A score nearer to 0 is written as such."""


def score_words(score: float) -> str:
    """A score with three digits that count, none of them behind the sixth decimal: "12.5", "0.0217", "0.000007".

    Closer to 0 than a half of that decimal it says so.
    """
    size = abs(score)
    if size >= 0.001 or score == 0:
        return f"{score:.3g}" if size < 1000 else f"{score:,.0f}"
    return f"{score:.6f}" if size >= SMALLEST_SCORE else f"< {SMALLEST_SCORE:.6f}"


@dataclass(frozen=True, eq=False)
class JudgedAttributes:
    """Attributes as training records speak of them: ``names``, ``scores`` (d,), the larger the better, NaN where there
    is none, and which to keep (d,). ``splits`` is how numbers were cut, one of :data:`SPLITS`, empty where none
    was."""

    names: tuple[str, ...]
    scores: FloatArray
    kept: NDArray[np.bool_]
    splits: str = ""

    def rows(self, measure: str) -> list[list[str]]:
        """As rows to look at, the heading first: what stays, then what goes, the best of each first."""
        order = np.lexsort((np.where(np.isnan(self.scores), np.inf, -self.scores), ~self.kept))
        told = [
            [
                self.names[at],
                "" if np.isnan(self.scores[at]) else score_words(float(self.scores[at])),
                "yes" if kept else "no",
            ]
            for at, kept in zip(order.tolist(), self.kept[order].tolist(), strict=True)
        ]
        return [["Column", measure, "Stays"], *told]


@dataclass(frozen=True, kw_only=True)
class AttributeSelection(Filter, ABC):
    """Keeps the attributes that training records speak for and takes the others away."""

    fitted: ClassVar[type[FittedFilter]] = AttributesRemoved

    @abstractmethod
    def judged(self, data: Dataset, context: RunContext) -> JudgedAttributes:
        """The attributes that are judged; raises :class:`DataError` without a class."""

    @property
    def measure_words(self) -> str:
        """What the scores are, as the heading of their column."""
        return "Worth"

    def fit(self, data: Dataset, context: RunContext) -> AttributesRemoved:
        """Find the columns that go; raises :class:`DataError` without a class."""
        found = self.judged(data, context)
        gone = tuple(name for name, kept in zip(found.names, found.kept, strict=True) if not kept)
        return AttributesRemoved(gone, partial(found.rows, self.measure_words))


def has_class(data: Dataset) -> bool:
    return data.schema.class_index is not None and data.schema.class_attribute.kind.is_coded


def require_class(data: Dataset) -> None:
    """Raise :class:`DataError` where there is no class of a list of values."""
    if not has_class(data):
        raise DataError(_NO_CLASS, remedy=_CHOOSE)


def problems_without_class(summary: Summary) -> list[Problem]:
    schema = summary.schema
    without = schema.class_index is None or not schema.class_attribute.kind.is_coded
    return [Problem(_NO_CLASS, _CHOOSE)] if without else []
