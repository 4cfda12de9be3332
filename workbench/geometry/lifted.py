"""A box seen from any side, without perspective: what is parallel stays parallel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, pi, sin

import numpy as np

from algorithms.core.columns import FloatArray


@dataclass(frozen=True)
class Sight:
    """From where a box is seen: turned about its upright axis, and tilted; pi / 2 looks straight down."""

    turn: float = 0.5
    tilt: float = 0.45

    def turned(self, right: float, down: float) -> Sight:
        """Turned and tilted further, never below the floor."""
        return replace(self, turn=(self.turn + right) % (2 * pi), tilt=min(pi / 2, max(0.1, self.tilt + down)))

    def places(self, points: FloatArray) -> FloatArray:
        """Right, up and away of points (n, 3) across, deep and high: (n, 3)."""
        x, y, z = points.T
        right = x * cos(self.turn) - y * sin(self.turn)
        away = x * sin(self.turn) + y * cos(self.turn)
        return np.column_stack([
            right, away * sin(self.tilt) + z * cos(self.tilt), away * cos(self.tilt) - z * sin(self.tilt),
        ])  # fmt: skip


STRAIGHT_DOWN = Sight(0.0, pi / 2)
