"""Records on the discriminant axes: where they lie in the directions in which the classes differ most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.hyperplanes import Axes
from algorithms.core.terms import Terms

_BLOCK: Final = 8192
_MOST_NAMED: Final = 3


def projected(terms: Terms, axes: Axes, data: Dataset, checkpoint: Callable[[], None]) -> FloatArray:
    """The places (n, m) of records on the axes; 0 is a record of means, 1 a standard deviation within the classes."""
    data = aligned(terms.schema, data)
    found = np.empty((len(data), len(axes)))
    for at in range(0, len(data), _BLOCK):
        checkpoint()
        rows = slice(at, min(at + _BLOCK, len(data)))
        made = np.empty((len(terms), rows.stop - rows.start))
        terms.put(data, rows, made)
        found[rows] = made.T @ axes.loading
    return found


def axis_name(at: int) -> str:
    """What an axis is called, by its place."""
    return f"Discriminant {at + 1}"


def axis_words(terms: Terms, axes: Axes, at: int) -> str:
    """How much of the differences between the classes lies along an axis, and what it is mostly made of."""
    loading = axes.loading[:, at]
    largest = np.argsort(-np.abs(loading), kind="stable")[:_MOST_NAMED].tolist()
    made_of = ", ".join(f"{'less' if loading[term] < 0 else 'more'} {terms.name(term)}" for term in largest)
    return f"{axis_name(at)} has {axes.share[at]:.1%} of the differences between the classes: {made_of}."
