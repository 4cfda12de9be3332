"""Lines between two axes: counted for each cell of a picture, or drawn one by one.

Lines are first counted by where they begin and end; then each pair of ends is drawn once, as heavy as it has lines
(Novotny and Hauser, Outlier-preserving focus+context visualization in parallel coordinates, 2006). So the cost of the
picture hangs on its size and hardly on the number of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from workbench.layout.axes_in_row import AxisView
from workbench.layout.density import Checkpoint, Pixels, packed, painted
from workbench.layout.multi_axis_points import Places, _never
from workbench.layout.points import Mask

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


WIDTH: Final = 1.4
"""Pixels of a line."""
DASH, DASH_GAP = 7, 4
_LINES_AT_A_TIME: Final = 32_768


def drawn_lines(
    begin: FloatArray,
    end: FloatArray,
    colors: NDArray[np.floating],
    size: tuple[int, int],
    strength: float,
    dashed: Mask | None = None,
    checkpoint: Checkpoint = _never,
) -> Pixels:
    """Pixels (rows, columns) in premultiplied ARGB: lines from the left edge to the right one.

    ``begin`` and ``end`` (n,) are pixels from the top, ``colors`` (n, 3) 0 to 255, ``size`` rows and columns. Each line
    hides ``strength`` of what lies below it; where several cross, their colours are mixed. ``dashed`` lines have gaps.
    """
    rows, columns = size
    total = np.zeros((columns, rows + 2))
    mixed = np.zeros((3, columns, rows + 2))
    slope = (end - begin) / columns
    weight = WIDTH * np.hypot(1.0, slope) / (WIDTH + np.abs(slope))
    phase = np.arange(len(begin)) * DASH  # gaps of neighbouring lines side by side would look like stripes
    per_block = max(1, _LINES_AT_A_TIME // max(1, len(begin)))
    for start in range(0, columns if len(begin) else 0, per_block):
        checkpoint()
        at = np.arange(start, min(columns, start + per_block))
        enter, leave = begin + slope * at[:, None], begin + slope * (at[:, None] + 1)
        heavy = np.broadcast_to(weight, enter.shape)
        if dashed is not None:
            is_gap = (at[:, None] + phase) % (DASH + DASH_GAP) >= DASH
            heavy = np.where(is_gap & dashed, 0.0, heavy)
        top = np.clip(np.minimum(enter, leave) - WIDTH / 2, 0, rows)
        bottom = np.clip(np.maximum(enter, leave) + WIDTH / 2, 0, rows)
        places, steps = _steps(at - start, top, bottom, heavy, rows + 2)
        for sums, shade in ((total, None), *((mixed[channel], colors[:, channel]) for channel in range(3))):
            checkpoint()
            shaded = steps if shade is None else steps * np.tile(shade, 4 * len(at))
            found = np.bincount(places, shaded, len(at) * (rows + 2))
            sums[at] = np.cumsum(found.reshape(len(at), rows + 2), axis=1)
    return _painted(total[:, :rows].T, mixed[:, :, :rows].transpose(0, 2, 1), strength, checkpoint)


def _steps(
    columns: NDArray[np.integer], top: FloatArray, bottom: FloatArray, weight: FloatArray, rows: int
) -> tuple[NDArray[np.integer], FloatArray]:
    """Where and by how much the cover of the rows changes from one row to the next: its running sum is the share of
    each row between ``top`` and ``bottom``, times the weight."""
    first = columns[:, None] * rows
    places, steps = [], []
    for edge, sign in ((top, 1.0), (bottom, -1.0)):
        row = edge.astype(np.int64)
        inside = edge - row
        places += [first + row, first + row + 1]
        steps += [sign * weight * (1 - inside), sign * weight * inside]
    return np.concatenate([place.ravel() for place in places]), np.concatenate([step.ravel() for step in steps])


def _painted(total: FloatArray, mixed: FloatArray, strength: float, checkpoint: Checkpoint) -> Pixels:
    """Each line hides a share of what is below, so that two hide more than one and all never more than all."""
    cover = np.ascontiguousarray(total)
    full = np.flatnonzero(cover > 0.004)
    checkpoint()
    number = cover.ravel()[full]
    alpha = 1.0 - (1.0 - strength) ** number
    shades = np.stack([np.clip(channel.ravel()[full] / number, 0, 255) for channel in mixed])
    return packed(cover.shape, full, alpha, shades)
