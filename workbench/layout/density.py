"""How many points of each class lie in each cell of a window, and the picture of that.

One call of numpy on a million points would keep the interpreter from the window's thread for many milliseconds:
everything goes in blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from workbench.layout.camera import Window
from workbench.layout.points import Mask, Points

MOST_POINTS: Final = 20_000
"""So many in view are drawn one by one; of more, how dense they are is shown."""
FAINTEST: Final = 0.30
CROWD: Final = 30.0
"""So many points in the fullest cell need the whole range of opacities: where fewer are, a lone one is not so faint."""
_BLOCK: Final = 65_536

Checkpoint = Callable[[], None]
Pixels = NDArray[np.uint32]


def _never() -> None:
    return None


def shown_points(points: Points, window: Window, most: int = MOST_POINTS, checkpoint: Checkpoint = _never) -> IntArray:
    """The points in the window, ascending; counting ends soon after there are more than ``most``."""
    found: list[IntArray] = []
    n_found = 0
    for start in range(0, len(points), _BLOCK):
        checkpoint()
        x, y = points.x[start : start + _BLOCK], points.y[start : start + _BLOCK]
        inside = (x >= window.left) & (x <= window.right) & (y >= window.low) & (y <= window.high)
        here = np.flatnonzero(inside) + start
        n_found += len(here)
        found.append(here)
        if n_found > most:
            break
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def over(above: Pixels, below: Pixels) -> Pixels:
    """One picture laid over another of the same size, both in premultiplied ARGB."""
    veil = (255 - (above >> np.uint32(24))) / np.float32(255)
    result = above.copy()
    for shift in (24, 16, 8, 0):
        channel = (below >> np.uint32(shift)) & np.uint32(255)
        result += (channel * veil + np.float32(0.5)).astype(np.uint32) << np.uint32(shift)
    return result


def counts_of_class(
    points: Points, code: int, window: Window, cell: float, among: Mask | None = None, checkpoint: Checkpoint = _never
) -> IntArray:
    """Points of one class (-1: without class) in cells of ``cell`` pixels (h, w), row 0 at the top.

    ``among`` (m,) counts some points only.
    """
    width, height = grid(window, cell)
    counts = np.zeros(width * height + 1, dtype=np.int64)
    per_x, per_y = np.float32(window.per_x / cell), np.float32(window.per_y / cell)
    outside = np.int32(width * height)
    first, last = int(points.starts[code + 1]), int(points.starts[code + 2])
    for start in range(first, last, _BLOCK):
        checkpoint()
        part = slice(start, min(last, start + _BLOCK))
        column = np.floor((points.x[part] - np.float32(window.left)) * per_x).astype(np.int32)
        row = np.floor((np.float32(window.high) - points.y[part]) * per_y).astype(np.int32)
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        if among is not None:
            inside &= among[part]
        cells = np.where(inside, row * np.int32(width) + column, outside)
        ordered = np.bincount(cells)
        counts[: len(ordered)] += ordered
    return counts[:-1].reshape(height, width)


def grid(window: Window, cell: float) -> tuple[int, int]:
    """Columns and rows of cells that cover a window."""
    return max(1, int(np.ceil(window.width / cell))), max(1, int(np.ceil(window.height / cell)))


def density_picture(
    points: Points,
    window: Window,
    colors: NDArray[np.float32],
    cell: float = 2.0,
    *,
    among: Mask | None = None,
    faintest: float = FAINTEST,
    opacity: float = 1.0,
    checkpoint: Checkpoint = _never,
) -> Pixels:
    """Pixels (h, w) in premultiplied ARGB: each cell in the mixed colours of its points, the stronger the more.

    ``colors`` (k + 1, 3), 0 to 255, has that of points without class first. Opacity grows with the logarithm of the
    number of points up to 1 in the fullest cell, and that of a lone one is ``faintest`` where ``CROWD`` or more are
    in the fullest, 1 where no cell has two, all times ``opacity``.
    """
    width, height = grid(window, cell)
    total: FloatArray = np.zeros((height, width), dtype=np.float64)
    mixed = np.zeros((3, height, width), dtype=np.float32)
    for code in range(-1, points.n_classes):
        if points.starts[code + 1] == points.starts[code + 2]:
            continue
        counts = counts_of_class(points, code, window, cell, among, checkpoint)
        total += counts
        for channel in range(3):
            checkpoint()
            mixed[channel] += counts.astype(np.float32) * colors[code + 1, channel]
    return painted(total, mixed, faintest, opacity, checkpoint)


def painted(
    total: FloatArray, mixed: NDArray[np.floating[Any]], faintest: float, opacity: float, checkpoint: Checkpoint
) -> Pixels:
    """The pixels (h, w) of ``total`` (h, w) points a cell, whose colours sum up to ``mixed`` (3, h, w).

    Only the cells that have points are worked on.
    """
    full = np.flatnonzero(total)
    if not len(full):
        return np.zeros(total.shape, dtype=np.uint32)
    number = total.ravel()[full]
    checkpoint()
    most = float(number.max())
    strength = 1.0 - np.log(most / number) / np.log(max(CROWD, most))
    alpha = opacity * (faintest + (1.0 - faintest) * strength)
    checkpoint()
    return packed(total.shape, full, alpha, np.stack([mixed[channel].ravel()[full] / number for channel in range(3)]))


def packed(shape: tuple[int, ...], full: IntArray, alpha: FloatArray, shades: NDArray[np.floating[Any]]) -> Pixels:
    """Pixels (h, w) in premultiplied ARGB: those numbered ``full`` (m,) have opacity ``alpha`` (m,), 0 to 1, and
    colours ``shades`` (3, m), 0 to 255; the others are clear."""
    pixels = np.zeros(shape, dtype=np.uint32)
    found = np.round(255 * alpha).astype(np.uint32) << np.uint32(24)
    for channel, shift in enumerate((16, 8, 0)):
        found |= np.round(shades[channel] * alpha).astype(np.uint32) << np.uint32(shift)
    pixels.ravel()[full] = found
    return pixels
