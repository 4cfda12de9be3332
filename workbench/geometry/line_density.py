"""How many lines between two axes pass through each cell of a picture.

Lines are first counted by where they begin and end; then each pair of ends is drawn once, as heavy as it has lines
(Novotny and Hauser, Outlier-preserving focus+context visualization in parallel coordinates, 2006). So the cost of the
picture hangs on its size and hardly on the number of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from workbench.geometry.axes_in_row import AxisView
from workbench.geometry.density import Checkpoint, Pixels, painted
from workbench.geometry.places import Places, _never
from workbench.geometry.points import Mask

FAINTEST: Final = 0.16
_BLOCK: Final = 65_536


@dataclass(frozen=True)
class Gap:
    """The room right of an axis, up to the next one: what both show."""

    left: int
    left_view: AxisView
    right_view: AxisView


@dataclass(frozen=True, eq=False)
class Ends:
    """Lines by where they begin and end: ``total`` (n, n), and their colours summed up, ``mixed`` (3, n, n)."""

    total: FloatArray
    mixed: FloatArray


def ends_of(
    places: Places,
    gap: Gap,
    n: int,
    span: tuple[float, float],
    colors: NDArray[np.float32],
    among: Mask | None = None,
    checkpoint: Checkpoint = _never,
) -> Ends:
    """Count the lines of a gap by their ends in ``n`` steps of height over ``span``; step 0 is below.

    ``colors`` (k + 1, 3) has that of records without class first; ``among`` (m,) counts some records only.
    """
    total = np.zeros(n * n)
    mixed = np.zeros((3, n * n))
    per = np.float32(n / (span[1] - span[0]))
    for code in range(places.n_classes + 1):
        first, last = int(places.starts[code]), int(places.starts[code + 1])
        counts = np.zeros(n * n, dtype=np.int64)
        for start in range(first, last, _BLOCK):
            checkpoint()
            part = slice(start, min(last, start + _BLOCK))
            units = places.units[gap.left][part], places.units[gap.left + 1][part]
            if among is not None:
                units = units[0][among[part]], units[1][among[part]]
            a, b = gap.left_view.heights(units[0]), gap.right_view.heights(units[1])
            begin = ((a - np.float32(span[0])) * per).astype(np.int32).clip(0, n - 1)
            end = ((b - np.float32(span[0])) * per).astype(np.int32).clip(0, n - 1)
            found = np.bincount(begin * np.int32(n) + end)
            counts[: len(found)] += found
        checkpoint()
        if last > first:
            total += counts
            for channel in range(3):
                mixed[channel] += counts * colors[code, channel]
    return Ends(total.reshape(n, n), mixed.reshape(3, n, n))


def lines_picture(
    ends: Ends,
    columns: int,
    *,
    faintest: float = FAINTEST,
    opacity: float = 1.0,
    checkpoint: Checkpoint = _never,
) -> Pixels:
    """Pixels (n, columns) in premultiplied ARGB, row 0 above: the lines from the left edge to the right one.

    In each column a line covers every row from where it enters to where it leaves, so that a steep one has no holes.
    """
    n = len(ends.total)
    full = np.flatnonzero(ends.total)
    total = np.zeros((n, columns))
    mixed = np.zeros((3, n, columns))
    if len(full):
        begin, end = n - 1 - full // n + 0.5, n - 1 - full % n + 0.5
        weights = [ends.total.ravel()[full], *(ends.mixed[channel].ravel()[full] for channel in range(3))]
        enter = begin
        for column in range(columns):
            checkpoint()
            leave = begin + (end - begin) * ((column + 1) / columns)
            first = np.minimum(enter, leave).astype(np.int64)
            after = np.maximum(enter, leave).astype(np.int64) + 1
            for weight, sums in zip(weights, (total, *mixed), strict=True):
                steps = np.bincount(first, weight, n + 1) - np.bincount(after, weight, n + 1)
                sums[:, column] = np.cumsum(steps)[:n]
            enter = leave
        np.round(total, out=total)
        np.maximum(mixed, 0.0, out=mixed)
    return painted(total, mixed, faintest, opacity, checkpoint)
