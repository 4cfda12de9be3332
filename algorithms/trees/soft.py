"""Soft thresholds: a number near one goes down both branches, by how near it is (Quinlan, C4.5, 1993, chapter 8)."""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.structures import Tree


def left_share(low: float, at: float, high: float, values: FloatArray) -> FloatArray:
    """The part of each number (n,) that goes down the left branch of a threshold ``at`` that is soft between two ends.

    All of it up to ``low``, half of it at the threshold, none from ``high`` on, and in a straight line between. NaN for
    a missing value.
    """
    below, above = at - low, high - at
    with np.errstate(invalid="ignore", over="ignore"):
        left = 1.0 - 0.5 * (values - low) / below if below > 0 else np.where(values <= at, 1.0, 0.5)
        right = 0.5 - 0.5 * (values - at) / above if above > 0 else np.zeros(len(values))
        shares = np.clip(np.where(values <= at, left, right), 0.0, 1.0)
    return np.where(np.isnan(values), np.nan, shares)


def soft_shares(tree: Tree, node: int, data: Dataset, rows: IntArray) -> FloatArray | None:
    """The part of each of these records of ``data`` that goes down the left branch of a node (n,), NaN where the value
    is missing; None where the node's threshold is sharp."""
    if not tree.is_soft(node):
        return None
    values = np.asarray(data.column(int(tree.attribute[node]))[rows], dtype=np.float64)
    return left_share(float(tree.soft_from[node]), float(tree.threshold[node]), float(tree.soft_to[node]), values)


def part_down(branch: IntArray, left: FloatArray | None, nth: int, share: float) -> FloatArray:
    """The part of each record (n,) that goes down a node's branch number ``nth``.

    ``branch`` (n,) is the one by the sharp threshold, -1 for all of them, of which this one gets ``share``; ``left`` as
    by :func:`soft_shares`.
    """
    sharp = np.where(branch < 0, share, (branch == nth).astype(np.float64))
    if left is None:
        return sharp
    return np.where(np.isnan(left), sharp, left if nth == 0 else 1.0 - left)
