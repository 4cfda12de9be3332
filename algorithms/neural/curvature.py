"""Limited-memory BFGS: where to go from a gradient, by what the last steps told of the curvature."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.neural.line_search import far_enough

MEMORY: Final = 10
"""Steps that are remembered."""
FLAT: Final = 1e-5
"""Where no part of the gradient is larger, the least is found."""
SETTLED: Final = 1e-7
"""A cost that fell by a smaller share than this in a step has settled."""
Cost = Callable[[FloatArray], tuple[float, FloatArray]]
"""The cost at a place (p,), and its gradient (p,)."""


def minimised(cost: Cost, start: FloatArray, *, flat: float = FLAT, settled: float = SETTLED) -> Iterator[FloatArray]:
    """The places (p,) after each step of L-BFGS from a start, until the cost has settled (Liu and Nocedal 1989).

    What was asked of ``cost`` last when a place is given out was asked there.
    """
    place = start.copy()
    value, gradient = cost(place)
    pairs: deque[tuple[FloatArray, FloatArray]] = deque(maxlen=MEMORY)
    while np.abs(gradient).max(initial=0.0) > flat:
        direction = downhill(gradient, pairs)
        slope = float(gradient @ direction)
        if not slope < 0:
            if not pairs:
                return
            pairs.clear()
            continue
        first = 1.0 if pairs else 1.0 / float(np.linalg.norm(direction))
        reached = _Reached(cost, place, direction)
        step = far_enough(reached, value, slope, first)
        if step is None or step == 0.0:
            if not pairs:
                return
            pairs.clear()
            continue
        moved, turned = step * direction, reached.gradient - gradient
        fell, before = value - reached.value, value
        place, value, gradient = reached.place, reached.value, reached.gradient
        if float(moved @ turned) > np.finfo(np.float64).eps * -slope * step:
            pairs.append((moved, turned))
        yield place
        if fell <= settled * max(abs(before), abs(value), 1.0):
            return


def downhill(gradient: FloatArray, pairs: deque[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """The direction (p,) by a gradient and the last steps with what they did to it (the two-loop recursion)."""
    direction, parts = -gradient, []
    for moved, turned in reversed(pairs):
        part = float(moved @ direction) / float(moved @ turned)
        direction -= part * turned
        parts.append(part)
    if pairs:
        moved, turned = pairs[-1]
        direction *= float(moved @ turned) / float(turned @ turned)
    for (moved, turned), part in zip(pairs, reversed(parts), strict=True):
        direction += (part - float(turned @ direction) / float(moved @ turned)) * moved
    return direction


class _Reached:
    """Cost and slope along a direction; remembers the place asked for last."""

    def __init__(self, cost: Cost, start: FloatArray, direction: FloatArray) -> None:
        self._cost, self._start, self._direction = cost, start, direction
        self.place, self.value, self.gradient = start, np.nan, np.zeros_like(start)

    def __call__(self, step: float) -> tuple[float, float]:
        self.place = self._start + step * self._direction
        self.value, self.gradient = self._cost(self.place)
        return self.value, float(self.gradient @ self._direction)
