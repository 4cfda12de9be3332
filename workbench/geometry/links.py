"""Lines that join a record of a plane to others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.core.columns import IntArray
from workbench.geometry.points import Points


@dataclass(frozen=True)
class Link:
    """A line between two places, in units of the axes; the strongest one is 1."""

    begin: tuple[float, float]
    end: tuple[float, float]
    strength: float


def joined(points: Points, row: int, rows: IntArray, shares: Sequence[float]) -> list[Link]:
    """Lines from a row of the data to others, as strong as their shares; rows that have no point are left out."""
    asked = np.concatenate([[row], rows]).astype(np.int64)
    most = max(shares, default=0.0) or 1.0
    wanted = np.flatnonzero(np.isin(points.rows, asked))
    place = dict(zip(points.rows[wanted].tolist(), wanted.tolist(), strict=True))
    if row not in place:
        return []

    def at(point: int) -> tuple[float, float]:
        return float(points.x[point]), float(points.y[point])

    begin = at(place[row])
    return [
        Link(begin, at(place[other]), share / most)
        for other, share in zip(rows.tolist(), shares, strict=True)
        if other in place
    ]
