"""How far to go along a direction: the line search of Moré and Thuente (ACM TOMS 20, 1994)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, sqrt
from typing import Final

FALL: Final = 1e-3
"""The least fall that counts, as a share of what the slope at the start promises."""
FLATTER: Final = 0.9
"""The slope must become flatter than this share of that at the start."""
CLOSE: Final = 0.1
"""An interval as small as this share of its end is not looked into further."""
_LONGEST: Final = 1e10
_TRIES: Final = 20


@dataclass
class _End:
    """A step, the cost there, and the slope of the cost along the direction."""

    step: float
    cost: float
    slope: float

    def less(self, slope: float) -> _End:
        """The same of the cost less a straight line of this slope."""
        return _End(self.step, self.cost - self.step * slope, self.slope - slope)


def far_enough(
    cost_at: Callable[[float], tuple[float, float]], cost: float, slope: float, first: float
) -> float | None:
    """A step that lowers the cost and leaves a flatter slope (the strong Wolfe conditions); None where none is found.

    ``cost_at`` gives cost and slope at a step; ``cost`` and ``slope`` (below 0) are those at 0; ``first`` is tried
    first.
    The step returned is the last one asked for.
    """
    best, other, step = _End(0.0, cost, slope), _End(0.0, cost, slope), first
    bracketed, early, line = False, True, FALL * slope
    width, width_before = _LONGEST, 2 * _LONGEST
    low, high = 0.0, 5 * first
    for _ in range(_TRIES):
        found, there = cost_at(step)
        here, wanted = _End(step, found, there), cost + step * line
        if found <= wanted and abs(there) <= FLATTER * -slope:
            return step
        if bracketed and (step <= low or step >= high or high - low <= CLOSE * high):
            return step if found <= wanted else None
        early = early and not (found <= wanted and there >= 0)
        if early and wanted < found <= best.cost:
            tried, best_, other_ = here.less(line), best.less(line), other.less(line)
            step, bracketed, ends = _next(best_, other_, tried, bracketed, low, high)
        else:
            step, bracketed, ends = _next(best, other, here, bracketed, low, high)
        known = {end.step: end for end in (other, best, here)}
        best, other = known[ends[0]], known[ends[1]]
        if bracketed:
            if abs(other.step - best.step) >= 0.66 * width_before:
                step = best.step + 0.5 * (other.step - best.step)
            width_before, width = width, abs(other.step - best.step)
            low, high = min(best.step, other.step), max(best.step, other.step)
        else:
            low, high = step + 1.1 * (step - best.step), step + 4 * (step - best.step)
        step = min(max(step, 0.0), _LONGEST)
        if bracketed and (step <= low or step >= high or high - low <= CLOSE * high):
            step = best.step
    return None


def _cubic(one: _End, two: _End, towards: float) -> tuple[float, float]:
    """Of the cubic through two ends: its theta, and the root that points as ``towards`` does."""
    theta = 3 * (one.cost - two.cost) / (two.step - one.step) + one.slope + two.slope
    size = max(abs(theta), abs(one.slope), abs(two.slope))
    inner = (theta / size) ** 2 - (one.slope / size) * (two.slope / size)
    return theta, copysign(size * sqrt(max(0.0, inner)), towards)


def _next(
    best: _End, other: _End, here: _End, bracketed: bool, low: float, high: float
) -> tuple[float, bool, tuple[float, float]]:
    """The step to try next, whether the least is bracketed, and the steps of the ends between which it is."""
    turned = here.slope * copysign(1.0, best.slope) < 0
    apart = here.step - best.step
    if here.cost > best.cost:
        theta, root = _cubic(best, here, apart)
        share = (root - best.slope + theta) / (root - best.slope + root + here.slope)
        cubic = best.step + share * apart
        line = (best.cost - here.cost) / apart + best.slope
        square = best.step + best.slope / line / 2 * apart
        near = abs(cubic - best.step) <= abs(square - best.step)
        return cubic if near else cubic + (square - cubic) / 2, True, (best.step, here.step)
    ends = (here.step, best.step if turned else other.step)
    secant = here.step - here.slope / (here.slope - best.slope) * apart if here.slope != best.slope else high
    if turned:
        theta, root = _cubic(best, here, -apart)
        share = (root - here.slope + theta) / (root - here.slope + root + best.slope)
        cubic = here.step - share * apart
        return cubic if abs(cubic - here.step) > abs(secant - here.step) else secant, True, ends
    if abs(here.slope) < abs(best.slope):
        theta, root = _cubic(best, here, -apart)
        share = (root - here.slope + theta) / (root + (best.slope - here.slope) + root)
        cubic = here.step - share * apart if share < 0 and root != 0 else (high if apart > 0 else low)
        nearer = abs(cubic - here.step) < abs(secant - here.step)
        if not bracketed:
            return min(max(secant if nearer else cubic, low), high), False, ends
        step, limit = cubic if nearer else secant, here.step + 0.66 * (other.step - here.step)
        return min(limit, step) if apart > 0 else max(limit, step), True, ends
    if not bracketed:
        return high if apart > 0 else low, False, ends
    theta, root = _cubic(here, other, other.step - here.step)
    share = (root - here.slope + theta) / (root - here.slope + root + other.slope)
    return here.step + share * (other.step - here.step), True, ends
