"""What large coefficients cost: nothing, half their squares (ridge), or their sizes (lasso); intercepts are free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.columns import FloatArray

NONE, RIDGE, LASSO, FIRTH = "none", "ridge", "lasso", "firth"


@dataclass(frozen=True)
class Penalty:
    """``strength`` times the sum of the penalties of all coefficients (r, t + 1) but the last of each row."""

    kind: str
    strength: float

    def cost(self, theta: FloatArray) -> float:
        """What these coefficients cost."""
        if self.kind == RIDGE:
            return 0.5 * self.strength * float(np.sum(theta[:, :-1] ** 2))
        return self.strength * float(np.abs(theta[:, :-1]).sum()) if self.kind == LASSO else 0.0

    @property
    def curvature(self) -> float:
        """The second derivative for each coefficient that is no intercept."""
        return self.strength if self.kind == RIDGE else 0.0

    @property
    def price(self) -> float:
        """What a coefficient costs for its size alone."""
        return self.strength if self.kind == LASSO else 0.0

    def penalised(self, shape: tuple[int, int]) -> np.ndarray:
        """Which of all coefficients, row by row (p,), cost anything."""
        mask = np.ones(shape, dtype=np.bool_)
        mask[:, -1] = False
        return np.asarray(mask.ravel())
