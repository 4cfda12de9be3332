"""Training by limited-memory BFGS, with the line search of Moré and Thuente (1994)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import copysign, sqrt
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray
from algorithms.learners.neural.forward_pass import ForwardBackward, NetworkExamples, NetworkShape, Numbers, decided
from algorithms.learners.neural.gradient_descent import Steps, decay_cost, penalised
from algorithms.learners.neural.training_history import EpochMonitor, LossAndError, StopReason, standing
from algorithms.structures.layers import TrainingHistory

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


class _Whole:
    """The mean loss of all records and what weights cost, with its gradient; remembers what was said last."""

    def __init__(self, passes: ForwardBackward, examples: NetworkExamples, decay: float, context: RunContext) -> None:
        self.passes, self.examples, self.decay, self.context = passes, examples, decay, context
        self.mask, self.total = penalised(passes.shape), examples.total
        self.targets = passes.shape.targets(examples.codes)
        self.gradient = np.empty(passes.shape.n_parameters)
        self.last = LossAndError(np.nan, np.nan)
        self.last_cost = np.inf

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        examples, last = self.examples, int(self.passes.shape.activation[-1])
        whole, loss = np.zeros_like(parameters), 0.0
        wrong = np.empty(len(examples), dtype=np.bool_)
        together = self.passes.shape.together
        for at in range(0, len(examples), together):
            self.context.checkpoint()
            rows = slice(at, at + together)
            weights = None if examples.weights is None else examples.weights[rows]
            found, outputs = self.passes.slope(parameters, examples.x[rows], self.targets[rows], weights, self.gradient)
            wrong[rows] = decided(outputs, last) != examples.codes[rows]
            whole += self.gradient
            loss += found
        whole += self.decay * (self.mask * parameters)
        whole /= self.total
        self.last = LossAndError(loss / self.total, examples.share_of(wrong))
        self.last_cost = self.last.loss + decay_cost(parameters, self.mask, self.decay) / self.total
        return self.last_cost, whole


def limited_memory(
    shape: NetworkShape,
    start: Numbers,
    examples: NetworkExamples,
    held_out: NetworkExamples | None,
    steps: Steps,
    context: RunContext,
) -> tuple[Numbers, TrainingHistory, float]:
    """As :func:`algorithms.learners.neural.gradient_descent.descend`, but each step is by all records and as long as it
    proves good."""
    passes = ForwardBackward(shape)
    decay, epochs = steps.decay, steps.epochs
    whole = _Whole(passes, examples, decay, context)
    watch = EpochMonitor(ForwardBackward(shape), start, held_out, steps.patience, context, steps.between)
    first = standing(passes, start, examples, context)
    ended = watch.note(start, first, first.loss + decay_cost(start, whole.mask, decay) / whole.total)
    if ended is None and epochs > 0:
        ended = StopReason.SETTLED
        for place in minimised(whole, start):
            context.advance(watch.epochs, epochs)
            stop = watch.note(place, whole.last, whole.last_cost)
            if stop is not None or watch.epochs >= epochs:
                ended = stop or StopReason.LIMIT
                break
    return watch.best.astype(np.float64), watch.course(ended or StopReason.LIMIT), watch.best_cost
