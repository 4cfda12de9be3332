"""Counts of points by class in the cells of a window, and their picture; made in blocks to let the window run."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray, Mask
from workbench.layout.camera import Window
from workbench.layout.points import Checkpoint, ScatterPoints

MOST_POINTS: Final = 20_000
"""Up to this many visible points are drawn one by one; more are drawn as density."""
FAINTEST: Final = 0.30
CROWD: Final = 30.0
"""Count in the fullest cell from which the whole range of opacities is used."""
_BLOCK: Final = 65_536

Pixels = NDArray[np.uint32]


def shown_points(
    points: ScatterPoints, window: Window, most: int = MOST_POINTS, checkpoint: Checkpoint = int
) -> IntArray:
    """Indices of the points in the window, ascending; stops soon after ``most`` are reached."""
    blocks: list[IntArray] = []
    n_inside = 0
    for start in range(0, len(points), _BLOCK):
        checkpoint()
        x, y = points.x[start : start + _BLOCK], points.y[start : start + _BLOCK]
        inside = (x >= window.left) & (x <= window.right) & (y >= window.low) & (y <= window.high)
        here = np.flatnonzero(inside) + start
        n_inside += len(here)
        blocks.append(here)
        if n_inside > most:
            break
    return np.concatenate(blocks) if blocks else np.empty(0, dtype=np.int64)


def over(above: Pixels, below: Pixels) -> Pixels:
    """Composes one picture over another of the same size, both premultiplied ARGB."""
    veil = (255 - (above >> np.uint32(24))) / np.float32(255)
    result = above.copy()
    for shift in (24, 16, 8, 0):
        channel = (below >> np.uint32(shift)) & np.uint32(255)
        result += (channel * veil + np.float32(0.5)).astype(np.uint32) << np.uint32(shift)
    return result


def counts_of_class(
    points: ScatterPoints,
    code: int,
    window: Window,
    cell: float,
    among: Mask | None = None,
    checkpoint: Checkpoint = int,
) -> IntArray:
    """Counts (h, w) of a class (-1: none) in cells of ``cell`` pixels, row 0 on top; only ``among`` (m,)."""
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
    """Number of columns and rows of cells that cover a window."""
    return max(1, int(np.ceil(window.width / cell))), max(1, int(np.ceil(window.height / cell)))


def density_picture(
    points: ScatterPoints,
    window: Window,
    colors: NDArray[np.float32],
    cell: float = 2.0,
    *,
    among: Mask | None = None,
    faintest: float = FAINTEST,
    opacity: float = 1.0,
    checkpoint: Checkpoint = int,
) -> Pixels:
    """Density of the points as premultiplied ARGB pixels (h, w), in the mixed colours of each cell's points.

    ``colors`` (k + 1, 3), 0 to 255, starts with the colour of points without class. Opacity grows with the logarithm of
    the count, up to ``opacity`` in the fullest cell. A lone point gets ``faintest`` if the fullest cell has ``CROWD``
    or more, and full opacity if no cell has two.
    """
    total, mixed = density_counts(points, window, colors, cell, among, checkpoint)
    return painted(total, mixed, faintest, opacity, checkpoint)


def density_counts(
    points: ScatterPoints,
    window: Window,
    colors: NDArray[np.float32],
    cell: float,
    among: Mask | None = None,
    checkpoint: Checkpoint = int,
) -> tuple[FloatArray, NDArray[np.float32]]:
    """Points in each cell (h, w), and the sums of their colours (3, h, w); only ``among`` (m,)."""
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
    return total, mixed


def painted(
    total: FloatArray, mixed: NDArray[np.floating[Any]], faintest: float, opacity: float, checkpoint: Checkpoint
) -> Pixels:
    """Pixels (h, w) for ``total`` (h, w) points per cell, whose colours sum to ``mixed`` (3, h, w)."""
    full = np.flatnonzero(total)
    if not len(full):
        return np.zeros(total.shape, dtype=np.uint32)
    number = total.ravel()[full]
    checkpoint()
    alpha = opacity * opacities(number, float(number.max()), faintest)
    checkpoint()
    return packed(total.shape, full, alpha, np.stack([mixed[channel].ravel()[full] / number for channel in range(3)]))


def opacities(number: FloatArray, fullest: float, faintest: float = FAINTEST) -> FloatArray:
    """Opacity (n,) of cells with these numbers of points, 1 for the ``fullest`` one."""
    strength = 1.0 - np.log(fullest / number) / np.log(max(CROWD, fullest))
    return np.asarray(faintest + (1.0 - faintest) * strength)


def packed(shape: tuple[int, ...], full: IntArray, alpha: FloatArray, shades: NDArray[np.floating[Any]]) -> Pixels:
    """Premultiplied ARGB pixels (h, w), clear except at the flat indices ``full`` (m,).

    Those have opacity ``alpha`` (m,), 0 to 1, and colours ``shades`` (3, m), 0 to 255.
    """
    pixels = np.zeros(shape, dtype=np.uint32)
    colors = np.round(255 * alpha).astype(np.uint32) << np.uint32(24)
    for channel, shift in enumerate((16, 8, 0)):
        colors |= np.round(shades[channel] * alpha).astype(np.uint32) << np.uint32(shift)
    pixels.ravel()[full] = colors
    return pixels
