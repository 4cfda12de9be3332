"""How large dots are that say what records weigh."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray

SIZES: Final = (0.35, 0.6, 0.8, 1.0, 1.4, 2.0, 2.6)
"""Radii of dots that say what records weigh, as shares of the usual one."""


def sizes_of(weights: FloatArray) -> NDArray[np.intp]:
    """Which of ``SIZES`` records of these weights (m,) have: areas as the weights, the mean in the usual size."""
    mean = float(weights.mean()) if len(weights) else 0.0
    radii = np.sqrt(weights / mean) if mean > 0 else np.ones(len(weights))
    between = np.array([(one + other) / 2 for one, other in pairwise(SIZES)])
    return np.asarray(np.searchsorted(between, radii), dtype=np.intp)
