"""How many records of each class lie along one axis: the bars of a small histogram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.data.columns import IntArray
from workbench.layout.multi_axis_points import Checkpoint, Places, _never
from workbench.layout.points import Mask

MOST_BARS: Final = 36
MOST_BANDS: Final = 120
_BLOCK: Final = 65_536


@dataclass(frozen=True, eq=False)
class Bars:
    """``counts`` (k + 1, b) of records without class and of each class between ``low`` and ``high`` on the axis."""

    low: float
    high: float
    counts: IntArray

    @property
    def n_bars(self) -> int:
        return len(self.counts[0])

    @property
    def highest(self) -> int:
        """Records of the largest bar, all classes together."""
        return int(self.counts.sum(axis=0).max(initial=0))


def bars_of(
    places: Places, axis: int, low: float, high: float, among: Mask | None = None, checkpoint: Checkpoint = _never
) -> Bars:
    """The bars of what is in view of an axis; an axis with bands has a bar for each, wherever it is looked at."""
    scale = places.scales[axis]
    n_bars = MOST_BARS
    if scale.is_banded:
        low, high, n_bars = 0.0, 1.0, min(MOST_BANDS, scale.n_bands)
    counts = np.zeros((places.n_classes + 1, n_bars), dtype=np.int64)
    unit, per = places.units[axis], np.float32(n_bars / (high - low))
    for code in range(places.n_classes + 1):
        first, last = int(places.starts[code]), int(places.starts[code + 1])
        for start in range(first, last, _BLOCK):
            checkpoint()
            part = slice(start, min(last, start + _BLOCK))
            at = np.floor((unit[part] - np.float32(low)) * per).astype(np.int32)
            at[unit[part] == np.float32(high)] = n_bars - 1
            seen = (at >= 0) & (at < n_bars)
            if among is not None:
                seen &= among[part]
            counts[code] += np.bincount(at[seen], minlength=n_bars)
    return Bars(low, high, counts)
