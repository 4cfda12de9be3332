"""Lines between two axes drawn one by one into a picture, with smooth edges, beside the window."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from workbench.geometry.density import Checkpoint, Pixels, packed
from workbench.geometry.places import _never
from workbench.geometry.points import Mask

WIDTH: Final = 1.4
"""Pixels of a line."""
DASH, DASH_GAP = 7, 4
_BLOCK: Final = 32_768


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
    per_block = max(1, _BLOCK // max(1, len(begin)))
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
