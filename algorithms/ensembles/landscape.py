"""The records of a table as a committee of trees sees them: places in a plane, and which lie far out in their class.

Source: Breiman and Cutler, Random forests, manual (2003): scaling, outliers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Model
from algorithms.ensembles.proximity import MOST_PLACED, Plane, Proximity

MOST_MEASURED: Final = 10_000
"""Of larger tables so many records drawn by chance are looked at."""
MOST_LISTED: Final = 100
A_MISTAKE: Final = 10.0
"""Records that lie out farther may well be mistakes, says the manual."""


@dataclass(frozen=True, eq=False)
class Landscape:
    """Some of the records (m,) with their places, and those that lie farthest out."""

    rows: IntArray
    """Which records, ascending."""
    plane: Plane
    outlyingness: FloatArray
    """How far out each lies among those of its class (m,); see :meth:`Proximity.outlyingness`."""
    farthest: IntArray
    """The places in ``rows`` of those that lie farther out than most of their class, the farthest first."""
    n_measured: int
    """Records that were measured; those with a place are some of these, or all."""


def measured_rows(n: int, context: RunContext) -> IntArray:
    """Which of n records are measured, ascending: all, or those that the context draws."""
    if n <= MOST_MEASURED:
        return np.arange(n)
    return np.sort(context.random().choice(n, MOST_MEASURED, replace=False))


def landscape(model: Model, data: Dataset, context: RunContext) -> Landscape:
    """Measure the records of ``data`` (under the schema of the model), and place them; where they are many, those
    that lie farthest out and some drawn by chance.

    Raises :class:`DataError` where the model is no committee of trees, and :class:`Cancelled`.
    """
    found = Proximity.among(model, data, context)
    measure = found.outlyingness(data.class_codes, context)
    out = np.nan_to_num(measure, nan=0.0)
    order = np.argsort(-out, kind="stable")
    far = order[out[order] > 0][:MOST_LISTED]
    rows = np.arange(len(data))
    if len(data) > MOST_PLACED:
        others = np.setdiff1d(rows, far)
        drawn = context.random().choice(others, MOST_PLACED - len(far), replace=False)
        rows = np.sort(np.concatenate([far, drawn]))
    context.checkpoint()
    plane = Proximity(found.leaves[rows]).plane()
    return Landscape(rows, plane, measure[rows], np.searchsorted(rows, far), len(data))
