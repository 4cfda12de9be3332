"""Training of networks: epoch monitor, momentum, Adam, L-BFGS (line search of Moré and Thuente 1994)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import copysign, sqrt
from typing import Final

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.learners.neural.forward_pass import (
    SQUARED,
    ForwardBackward,
    NetworkExamples,
    NetworkShape,
    Numbers,
    decided,
)
from algorithms.structures.layers import NetworkTraining, TrainingHistory, layer_views

BETWEEN: Final = 0.08
"""Seconds between two progress events."""


class StopReason(StrEnum):
    """Reason why training ended."""

    LIMIT = "limit"
    SETTLED = "settled"
    VALIDATION = "validation"
    FINISHED = "finished"
    DIVERGED = "diverged"
    NO_ERRORS = "no errors"


@dataclass(frozen=True)
class LossAndError:
    """Mean loss and error rate of records."""

    loss: float
    error: float


def evaluate_weights(
    passes: ForwardBackward, parameters: Numbers, examples: NetworkExamples, context: RunContext
) -> LossAndError:
    losses, wrong = np.empty(len(examples)), np.empty(len(examples), dtype=np.bool_)
    together = passes.shape.together
    for start in range(0, len(examples), together):
        context.checkpoint()
        rows = slice(start, start + together)
        outputs = passes.signals(parameters, examples.x[rows])[-1]
        targets = passes.shape.targets(examples.codes[rows], passes.dtype)
        losses[rows] = passes.losses(outputs, targets)
        wrong[rows] = decided(outputs, int(passes.shape.activation[-1])) != examples.codes[rows]
    weights, total = examples.weights, examples.total
    loss = float(losses.sum() if weights is None else losses @ weights) / max(total, 1e-300)
    return LossAndError(loss, examples.share_of(wrong))


class EpochMonitor:
    """Records epochs, ends training; ``best`` (p,) has the lowest held-out loss, or cost if nothing is held out."""

    def __init__(
        self, passes: ForwardBackward, start: Numbers, held_out: NetworkExamples | None, patience: int,
        context: RunContext, between: float = BETWEEN,
    ) -> None:  # fmt: skip
        self._passes, self._held_out, self._patience, self.context = passes, held_out, patience, context
        self.best = start.copy()
        self.best_cost, self._best_epoch = np.inf, 0
        self._training: list[LossAndError] = []
        self._validation: list[LossAndError] = []
        self._told, self._between = time.monotonic(), between

    def note(self, parameters: Numbers, training: LossAndError, cost: float) -> StopReason | None:
        """Record an epoch; returns a reason to end, or None."""
        self._training.append(training)
        if self._held_out is not None:
            held_out = evaluate_weights(self._passes, parameters, self._held_out, self.context)
            self._validation.append(held_out)
            cost = held_out.loss
        epoch = len(self._training) - 1
        if cost < self.best_cost:
            self.best_cost, self._best_epoch = cost, epoch
            np.copyto(self.best, parameters)
        self._tell(parameters)
        if self.context.finishing:
            self.context.checkpoint()
            return StopReason.FINISHED
        if self._held_out is not None and epoch - self._best_epoch >= self._patience:
            return StopReason.VALIDATION
        return None

    @property
    def last(self) -> LossAndError:
        return self._training[-1]

    @property
    def epochs(self) -> int:
        """Epochs recorded since the start."""
        return max(0, len(self._training) - 1)

    def waited(self, than: float) -> bool:
        """Whether the last ``patience`` epochs lowered the training loss by at most this much."""
        losses = [epoch.loss for epoch in self._training]
        if len(losses) <= self._patience + 1:
            return False
        return min(losses[-self._patience :]) > min(losses[: -self._patience]) - than

    def result(self, ended: StopReason) -> tuple[Numbers, TrainingHistory, float]:
        """The best weights, the history and their cost."""
        return self.best.astype(np.float64), self.course(ended), self.best_cost

    def course(self, ended: StopReason | None) -> TrainingHistory:
        results = {"training": self._training, "validation": self._validation}
        arrays = {f"{part}_loss": np.array([epoch.loss for epoch in own]) for part, own in results.items()}
        arrays |= {f"{part}_error": np.array([epoch.error for epoch in own]) for part, own in results.items()}
        return TrainingHistory(**arrays, best=self._best_epoch, ended="" if ended is None else ended.value)

    def _tell(self, parameters: Numbers) -> None:
        if time.monotonic() - self._told < self._between:
            return
        self.context.publish(NetworkTraining(self.course(None), parameters.astype(np.float64), self.context.can_finish))
        self._told = time.monotonic()


FIRST_DECAY: Final = 0.9
SECOND_DECAY: Final = 0.999
TINY: Final = 1e-8


class Momentum:
    """Adds ``velocity = momentum * velocity - rate * gradient`` to the weights (Rumelhart et al. 1986).

    A step overwrites the gradient (p,), here as for :class:`Adam`.
    """

    def __init__(self, like: Numbers, rate: float, momentum: float) -> None:
        self.rate, self.momentum = rate, momentum
        self.velocity = np.zeros_like(like)

    def step(self, parameters: Numbers, gradient: Numbers) -> None:
        self.velocity *= self.momentum
        gradient *= self.rate
        self.velocity -= gradient
        parameters += self.velocity


class Adam:
    """Adam: the running mean of gradients over the root of that of their squares (Kingma and Ba 2015)."""

    def __init__(self, like: Numbers, rate: float) -> None:
        self.rate, self.steps = rate, 0
        self.first, self.second = np.zeros_like(like), np.zeros_like(like)
        self._room = np.empty_like(like)

    def step(self, parameters: Numbers, gradient: Numbers) -> None:
        self.steps += 1
        rate = self.rate * np.sqrt(1 - SECOND_DECAY**self.steps) / (1 - FIRST_DECAY**self.steps)
        room = self._room
        np.multiply(gradient, gradient, out=room)
        room *= 1 - SECOND_DECAY
        self.second *= SECOND_DECAY
        self.second += room
        gradient *= 1 - FIRST_DECAY
        self.first *= FIRST_DECAY
        self.first += gradient
        np.sqrt(self.second, out=room)
        room += TINY
        np.divide(self.first, room, out=room)
        room *= float(rate)
        parameters -= room


LOSS_SETTLED: Final = 1e-4
"""The training loss has converged if it falls by less than this within the patience."""


@dataclass(frozen=True)
class Steps:
    """Settings of training; ``batch`` 0 stands for all records, ``between`` for seconds between events."""

    batch: int
    rate: float
    adam: bool
    momentum: float
    decay: float
    epochs: int
    patience: int
    between: float = BETWEEN
    by_lbfgs: bool = False
    shuffled: bool = True


def penalised(shape: NetworkShape) -> Numbers:
    """Mask (p,) of penalised parameters: 1 for weights, 0 for biases."""
    mask = np.zeros(shape.n_parameters)
    for weight, _ in layer_views(mask, shape.sizes):
        weight[...] = 1
    return mask


def decay_cost(parameters: Numbers, mask: Numbers, decay: float) -> float:
    """Half the squared weights times the decay."""
    return 0.5 * decay * float((mask * parameters) @ parameters) if decay else 0.0


def slope_of(
    passes: ForwardBackward, parameters: Numbers, examples: NetworkExamples, rows: Numbers | slice, targets: Numbers,
    gradient: Numbers, context: RunContext,
) -> tuple[float, Numbers]:  # fmt: skip
    """Summed loss and outputs (m, k) of some records with ``targets`` (m, k); fills the gradient (p,)."""
    x, weights = examples.x[rows], None if examples.weights is None else examples.weights[rows]
    together = passes.shape.together
    if len(x) <= together:
        return passes.slope(parameters, x, targets, weights, gradient)
    total, outputs, part = 0.0, np.empty_like(targets), np.empty_like(gradient)
    gradient[:] = 0
    for start in range(0, len(x), together):
        context.checkpoint()
        some = slice(start, start + together)
        part_weights = None if weights is None else weights[some]
        loss, outputs[some] = passes.slope(parameters, x[some], targets[some], part_weights, part)
        total += loss
        gradient += part
    return total, outputs


class _Descent:
    def __init__(
        self, shape: NetworkShape, start: Numbers, examples: NetworkExamples, held_out: NetworkExamples | None,
        steps: Steps, context: RunContext,
    ) -> None:  # fmt: skip
        self.examples, self.steps, self.context = examples, steps, context
        self.passes = ForwardBackward(shape, examples.x.dtype)
        self.parameters = start.astype(examples.x.dtype)
        self.gradient = np.empty_like(self.parameters)
        self.mask = penalised(shape).astype(examples.x.dtype)
        self.targets = shape.targets(examples.codes, examples.x.dtype)
        self.total = examples.total
        self.mean, self.decay = self.total / len(examples), steps.decay / max(self.total, 1e-300)
        self.update: Adam | Momentum = (
            Adam(self.parameters, steps.rate) if steps.adam else Momentum(self.parameters, steps.rate, steps.momentum)
        )
        self.watch = EpochMonitor(self.passes, self.parameters, held_out, steps.patience, context, steps.between)
        self.random = context.random()

    def run(self) -> tuple[Numbers, TrainingHistory, float]:
        with np.errstate(over="ignore", invalid="ignore"):  # a rate that is too high diverges
            return self.watch.result(self._ended())

    def _ended(self) -> StopReason:
        """Run all epochs; returns why training ended."""
        n, steps = len(self.examples), self.steps
        whole = steps.batch == 0 or steps.batch >= max(n, 2)
        if whole:
            begun = self._by_all(step=False)
        else:
            begun = evaluate_weights(self.passes, self.parameters, self.examples, self.context)
        ended = self._note(begun)
        for epoch in range(steps.epochs):
            if ended is not None:
                return ended
            self.context.advance(epoch, steps.epochs)
            order = self.random.permutation(n) if steps.shuffled and not whole else None
            if whole:
                result = self._by_all()
            else:
                result = self._by_single(order) if steps.batch == 1 else self._by_batches(order, steps.batch)
            if not (np.isfinite(result.loss) and np.all(np.isfinite(self.parameters))):
                return StopReason.DIVERGED
            ended = self._note(result)
            if ended is None and self.watch.waited(LOSS_SETTLED):
                ended = StopReason.SETTLED
        return ended or StopReason.LIMIT

    def _note(self, result: LossAndError) -> StopReason | None:
        cost = result.loss + decay_cost(self.parameters, self.mask, self.decay)
        return self.watch.note(self.parameters, result, cost)

    def _by_all(self, step: bool = True) -> LossAndError:
        """Step by the current gradient, then compute loss, error and gradient of all records."""
        if step:
            self.update.step(self.parameters, self.gradient)
        loss, wrong, weight = self._pull(slice(0, len(self.examples)))
        return LossAndError(loss / weight, wrong / weight)

    def _by_batches(self, order: Numbers | None, batch: int) -> LossAndError:
        """Epoch of mini-batches; loss and error of each record before its step."""
        loss, wrong, seen = 0.0, 0.0, 0.0
        for start in range(0, len(self.examples), batch):
            if self.context.finishing:
                self.context.checkpoint()
                if start:
                    break
            rows = slice(start, start + batch)
            part_loss, missed, weight = self._pull(rows if order is None else order[rows])
            loss += part_loss
            wrong += missed
            seen += weight
            self.update.step(self.parameters, self.gradient)
        return LossAndError(loss / seen, wrong / seen)

    def _pull(self, rows: Numbers | slice) -> tuple[float, float, float]:
        """Summed loss, misclassified weight and total weight of records; sets the gradient.

        The gradient is divided by the mean weight of as many records, so that heavy records count more in a batch.
        """
        truth = self.examples.codes[rows]
        part = None if self.examples.weights is None else self.examples.weights[rows]
        loss, outputs = slope_of(
            self.passes, self.parameters, self.examples, rows, self.targets[rows], self.gradient, self.context
        )
        missed = decided(outputs, int(self.passes.shape.activation[-1])) != truth
        self.gradient *= 1 / (len(truth) * self.mean)
        if self.decay:
            self.gradient += self.decay * (self.mask * self.parameters)
        if part is None:
            return loss, float(np.count_nonzero(missed)), float(len(truth))
        return loss, float(part @ missed), float(part.sum())

    def _by_single(self, order: Numbers | None) -> LossAndError:
        """An epoch of steps of single records, in compiled loops."""
        from algorithms.learners.neural.kernels import single_records

        shape, steps, n = self.passes.shape, self.steps, len(self.examples)
        rows = np.arange(n) if order is None else order
        weights = np.ones(n) if self.examples.weights is None else self.examples.weights
        decay = self.decay * self.mask
        room = np.empty((2, int(shape.sizes.sum())))
        if isinstance(self.update, Adam):
            done, moments = self.update.steps, (self.update.first, self.update.second, FIRST_DECAY, SECOND_DECAY)
            self.update.steps += n
        else:
            done, moments = 0, (self.update.velocity, self.update.velocity, steps.momentum, -1.0)
        loss, wrong, seen = single_records(
            self.examples.x, self.targets, self.examples.codes, weights / self.mean, rows, shape.sizes,
            shape.activation, shape.loss == SQUARED, self.parameters, self.gradient, room, decay, steps.rate, *moments,
            TINY, done, self.context.control,
        )  # fmt: skip
        self.context.checkpoint()
        return LossAndError(loss / seen, wrong / seen) if seen else self.watch.last


FALL: Final = 1e-3
"""Sufficient decrease, as a share of the decrease predicted by the initial slope."""
FLATTER: Final = 0.9
"""Curvature condition: largest final slope as a share of the initial one."""
CLOSE: Final = 0.1
"""Relative width of an interval at which the search ends."""
_LONGEST: Final = 1e10
_TRIES: Final = 20


@dataclass
class _End:
    """Step length, and the cost and directional slope there."""

    step: float
    cost: float
    slope: float

    def less(self, slope: float) -> _End:
        """End for the cost less a line of this slope."""
        return _End(self.step, self.cost - self.step * slope, self.slope - slope)


def wolfe_step(
    cost_at: Callable[[float], tuple[float, float]], cost: float, slope: float, first: float
) -> float | None:
    """The last step evaluated, by the strong Wolfe conditions, or None; ``cost`` and ``slope`` are those at 0."""
    best, other, step = _End(0.0, cost, slope), _End(0.0, cost, slope), first
    bracketed, early, line = False, True, FALL * slope
    width, width_before = _LONGEST, 2 * _LONGEST
    low, high = 0.0, 5 * first
    for _ in range(_TRIES):
        value, there = cost_at(step)
        here, wanted = _End(step, value, there), cost + step * line
        if value <= wanted and abs(there) <= FLATTER * -slope:
            return step
        if bracketed and (step <= low or step >= high or high - low <= CLOSE * high):
            return step if value <= wanted else None
        early = early and not (value <= wanted and there >= 0)
        if early and wanted < value <= best.cost:
            tried, best_, other_ = here.less(line), best.less(line), other.less(line)
            step, bracketed, ends = _next_trial(best_, other_, tried, bracketed, low, high)
        else:
            step, bracketed, ends = _next_trial(best, other, here, bracketed, low, high)
        ends_by_step = {end.step: end for end in (other, best, here)}
        best, other = ends_by_step[ends[0]], ends_by_step[ends[1]]
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
    """Theta of the cubic through two ends, and its root with the sign of ``towards``."""
    theta = 3 * (one.cost - two.cost) / (two.step - one.step) + one.slope + two.slope
    size = max(abs(theta), abs(one.slope), abs(two.slope))
    inner = (theta / size) ** 2 - (one.slope / size) * (two.slope / size)
    return theta, copysign(size * sqrt(max(0.0, inner)), towards)


def _next_trial(
    best: _End, other: _End, here: _End, bracketed: bool, low: float, high: float
) -> tuple[float, bool, tuple[float, float]]:
    """Next trial step, whether the minimum is bracketed, and the steps of the interval ends."""
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
"""Number of correction pairs."""
FLAT: Final = 1e-5
"""Largest gradient component at convergence."""
SETTLED: Final = 1e-7
"""Relative decrease of the cost at convergence."""
Cost = Callable[[FloatArray], tuple[float, FloatArray]]
"""Cost and gradient (p,) at a point (p,)."""


def lbfgs_points(
    cost: Cost, start: FloatArray, *, flat: float = FLAT, settled: float = SETTLED
) -> Iterator[FloatArray]:
    """Points (p,) of L-BFGS until convergence (Liu and Nocedal 1989); the last call of ``cost`` was at the point."""
    place = start.copy()
    value, gradient = cost(place)
    pairs: deque[tuple[FloatArray, FloatArray]] = deque(maxlen=MEMORY)
    while np.abs(gradient).max(initial=0.0) > flat:
        direction = lbfgs_direction(gradient, pairs)
        slope = float(gradient @ direction)
        reached, step = _LineCost(cost, place, direction), None
        if slope < 0:
            step = wolfe_step(reached, value, slope, 1.0 if pairs else 1.0 / float(np.linalg.norm(direction)))
        if not step:
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


def lbfgs_direction(gradient: FloatArray, pairs: deque[tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Search direction (p,) from a gradient and the correction pairs (two-loop recursion)."""
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


class _LineCost:
    """Cost and slope along a direction; remembers the last evaluated point."""

    def __init__(self, cost: Cost, start: FloatArray, direction: FloatArray) -> None:
        self._cost, self._start, self._direction = cost, start, direction
        self.place, self.value, self.gradient = start, np.nan, np.zeros_like(start)

    def __call__(self, step: float) -> tuple[float, float]:
        self.place = self._start + step * self._direction
        self.value, self.gradient = self._cost(self.place)
        return self.value, float(self.gradient @ self._direction)


class _FullCost:
    """Mean loss plus weight decay of all records, with gradient; remembers the last evaluation."""

    def __init__(self, passes: ForwardBackward, examples: NetworkExamples, decay: float, context: RunContext) -> None:
        self.passes, self.examples, self.decay, self.context = passes, examples, decay, context
        self.mask, self.total = penalised(passes.shape), examples.total
        self.targets = passes.shape.targets(examples.codes)
        self.last = LossAndError(np.nan, np.nan)
        self.last_cost = np.inf

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        self.context.checkpoint()
        examples, whole = self.examples, np.empty_like(parameters)
        loss, outputs = slope_of(self.passes, parameters, examples, slice(None), self.targets, whole, self.context)
        wrong = decided(outputs, int(self.passes.shape.activation[-1])) != examples.codes
        whole += self.decay * (self.mask * parameters)
        whole /= self.total
        self.last = LossAndError(loss / self.total, examples.share_of(wrong))
        self.last_cost = self.last.loss + decay_cost(parameters, self.mask, self.decay) / self.total
        return self.last_cost, whole


def train(
    shape: NetworkShape,
    start: Numbers,
    examples: NetworkExamples,
    held_out: NetworkExamples | None,
    steps: Steps,
    context: RunContext,
) -> tuple[Numbers, TrainingHistory, float]:
    """Best weights (p,) from a start, the history, and their cost (see :class:`EpochMonitor`).

    By gradient descent or L-BFGS, as the settings say. The cost is the mean loss plus ``decay / 2`` times the squared
    weights over the weight of the records. The loss of an epoch of several steps takes each record before the step that
    uses it. A step of L-BFGS uses all records and a line search.
    """
    if not steps.by_lbfgs:
        return _Descent(shape, start, examples, held_out, steps, context).run()
    passes = ForwardBackward(shape)
    decay, epochs = steps.decay, steps.epochs
    whole = _FullCost(passes, examples, decay, context)
    watch = EpochMonitor(ForwardBackward(shape), start, held_out, steps.patience, context, steps.between)
    first = evaluate_weights(passes, start, examples, context)
    ended = watch.note(start, first, first.loss + decay_cost(start, whole.mask, decay) / whole.total)
    if ended is None and epochs > 0:
        ended = StopReason.SETTLED
        for place in lbfgs_points(whole, start):
            context.advance(watch.epochs, epochs)
            stop = watch.note(place, whole.last, whole.last_cost)
            if stop is not None or watch.epochs >= epochs:
                ended = stop or StopReason.LIMIT
                break
    return watch.result(ended or StopReason.LIMIT)
