"""The space in which machines separate: which numbers are made of a record, and on which scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.design import learned_terms
from algorithms.core.terms import IS_NUMBER, Terms

STANDARD: Final = "standard"
RANGE: Final = "range"
AS_THEY_ARE: Final = "none"
FARTHEST: Final = 1e6
"""A number further from the mean than so many deviations counts as that far: beyond it sums of squares lose what
matters."""
_BITS: Final = 36


@dataclass(frozen=True, eq=False)
class Space:
    """Rows of t numbers of each record: those of the terms times ``factor`` plus ``offset``, each (t,)."""

    terms: Terms
    factor: FloatArray
    offset: FloatArray

    def of(self, data: Dataset, rows: Any = slice(None)) -> FloatArray:
        """The numbers of some records, under the same schema (rows, t)."""
        found = self.terms.of(data, rows)
        np.clip(found, -FARTHEST, FARTHEST, out=found)
        found *= self.factor[:, None]
        found += self.offset[:, None]
        listed = self.terms.value != IS_NUMBER
        found[listed] = np.rint(found[listed])
        return np.ascontiguousarray(found.T)


def _rounded(terms: Terms) -> Terms:
    """The same with means and deviations to 36 bits, so that weights and repeated records make the same numbers."""
    unit = np.ldexp(np.rint(np.ldexp(np.frexp(terms.unit)[0], _BITS)), np.frexp(terms.unit)[1] - _BITS)
    step = np.ldexp(1.0, np.maximum(np.frexp(unit)[1] - _BITS, -1000))
    with np.errstate(over="ignore"):
        turns = terms.centre / step
    centre = np.where(np.isfinite(turns), np.rint(turns) * step, terms.centre)
    return replace(terms, centre=centre, unit=unit)


def learned_space(data: Dataset, weights: FloatArray | None, scaling: str, context: RunContext) -> Space:
    """The space of training records with these weights (n,), by a way of scaling numbers.

    Values of lists stay zeros and ones: a rare value counts as much as a frequent one.
    """
    terms = _rounded(learned_terms(data, weights, context))
    factor, offset = np.ones(len(terms)), np.zeros(len(terms))
    listed = terms.value != IS_NUMBER
    factor[listed], offset[listed] = terms.unit[listed], terms.centre[listed]
    numbers = np.flatnonzero(~listed)
    if scaling == AS_THEY_ARE:
        factor[numbers] = np.minimum(terms.unit[numbers], 1e100)
        offset[numbers] = np.clip(terms.centre[numbers], -1e100, 1e100)
    elif scaling == RANGE and len(numbers):
        found = np.clip(terms.of(data)[numbers], -FARTHEST, FARTHEST)
        low, high = found.min(axis=1), found.max(axis=1)
        factor[numbers] = 1.0 / np.maximum(high - low, 1e-12)
        offset[numbers] = -low * factor[numbers]
    return Space(terms, factor, offset)
