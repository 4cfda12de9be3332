"""What a machine says over two of its numbers, all others at rest, and where its support vectors lie there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.learners.svm.kernel_functions import Similarity
from algorithms.structures.support_vectors import SupportVectors
from algorithms.structures.terms import IS_NUMBER, Int32Array

CELLS: Final = 72
_ROOM: Final = 0.12
_FEW: Final = 0.01
"""Share of the records at either end that may lie beyond an axis."""
_ROWS: Final = 512


@dataclass(frozen=True, eq=False)
class Slice:
    """The sums (h, w) of a machine over a grid of two numbers, row 0 the lowest, and its support vectors (s,).

    ``x`` and ``y`` are in the units of the table, as are the ends of the grid. ``multiplier`` is above 0, at most
    ``ceiling`` where that is above 0. ``is_whole`` says whether there are no other numbers.
    """

    sums: FloatArray
    left: float
    right: float
    low: float
    high: float
    x: FloatArray
    y: FloatArray
    labels: Int32Array
    row_ids: NDArray[np.int64]
    multiplier: FloatArray
    slack: FloatArray
    ceiling: FloatArray
    is_whole: bool


def axes_of(held: SupportVectors) -> list[int]:
    """The terms that make an axis: numbers first, then the values of lists."""
    numbers = held.terms.value == IS_NUMBER
    return [*np.flatnonzero(numbers).tolist(), *np.flatnonzero(~numbers).tolist()]


def telling_axes(held: SupportVectors, machine: int) -> list[int]:
    """The places in :func:`axes_of` of the two numbers that are weighed most, as far as a straight boundary would weigh
    them; the same one twice where there is but one."""
    axes = axes_of(held)
    if not axes:
        return [0, 0]
    part = held.part(machine)
    weighed = np.abs(held.coefficient[part] @ held.vectors[held.member[part]])[axes]
    weighed[held.terms.value[axes] != IS_NUMBER] -= np.inf
    most = np.sort(np.argsort(-weighed, kind="stable")[:2]).tolist()
    return [most[0], most[-1]]


def slice_of(
    held: SupportVectors, machine: int, across: int, up: int, checkpoint: Callable[[], object],
    records: FloatArray | None = None,
) -> Slice:  # fmt: skip
    """Machine over the terms ``across`` and ``up``; all others at their mean, or at the most frequent value.

    It reaches as far as the support vectors do, and as all but the farthest ``records`` (n, t) of the machine's space.
    """
    part = held.part(machine)
    members = held.member[part]
    points = held.vectors[members][:, [across, up]]
    (left, right), (low, high) = (
        _range(held, term, np.append(points[:, at], [] if records is None else _usual_ends(records[:, term])))
        for at, term in enumerate((across, up))
    )
    rest = np.where(held.terms.value == IS_NUMBER, held.offset, 0.0)
    grid = np.tile(rest, (CELLS * CELLS, 1))
    grid[:, across] = np.tile(np.linspace(left, right, CELLS), CELLS)
    grid[:, up] = np.repeat(np.linspace(low, high, CELLS), CELLS)
    sums = np.concatenate([_sums(held, machine, grid[at : at + _ROWS], checkpoint)
                           for at in range(0, len(grid), _ROWS)])  # fmt: skip
    ends = [in_units(held, term, np.array(pair)) for term, pair in ((across, (left, right)), (up, (low, high)))]
    return Slice(
        sums.reshape(CELLS, CELLS), float(ends[0][0]), float(ends[0][1]), float(ends[1][0]), float(ends[1][1]),
        in_units(held, across, points[:, 0]),
        in_units(held, up, points[:, 1]), held.labels[members], held.row_ids[members],
        np.abs(held.coefficient[part]), held.slack[part], held.ceiling[part], held.n_terms <= len({across, up}),
    )  # fmt: skip


def in_units(held: SupportVectors, term: int, values: FloatArray) -> FloatArray:
    """Values of a term in the machine's space as they stand in the table."""
    if held.terms.value[term] != IS_NUMBER:
        return values
    deviations = (values - held.offset[term]) / held.factor[term]
    return np.asarray(deviations * held.terms.unit[term] + held.terms.centre[term])


def _usual_ends(values: FloatArray) -> FloatArray:
    """The ends (2,) between which all values but the farthest few are; of fewer than 100 all are; of none nothing."""
    if not len(values):
        return values
    return np.array([np.quantile(values, _FEW, method="lower"), np.quantile(values, 1 - _FEW, method="higher")])


def _range(held: SupportVectors, term: int, values: FloatArray) -> tuple[float, float]:
    """The ends of an axis: those of the values, and some room."""
    if len(values):
        low, high = float(values.min()), float(values.max())
    else:
        low, high = (float(held.offset[term] + side * 2.5 * held.factor[term]) for side in (-1, 1))
    room = _ROOM * (high - low) or 1.0
    return low - room, high + room


def _sums(held: SupportVectors, machine: int, x: FloatArray, checkpoint: Callable[[], object]) -> FloatArray:
    checkpoint()
    if held.is_linear:
        return np.asarray(x @ held.weight[:, machine] + held.bias[machine])
    part = held.part(machine)
    similarity = Similarity(held.kernel, held.gamma, held.degree, held.constant)
    kernel = similarity.between(x, held.vectors[held.member[part]])
    return np.asarray(kernel @ held.coefficient[part] + held.bias[machine])
