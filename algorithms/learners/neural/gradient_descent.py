"""Gradient descent by record, mini-batch or epoch, with momentum or Adam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from algorithms.core.context import RunContext
from algorithms.learners.neural.forward_pass import ForwardBackward, NetworkExamples, NetworkShape, Numbers, decided
from algorithms.learners.neural.training_history import BETWEEN, EpochMonitor, LossAndError, StopReason, standing
from algorithms.structures.layers import TrainingHistory, layer_views

FIRST_DECAY: Final = 0.9
SECOND_DECAY: Final = 0.999
TINY: Final = 1e-8


class UpdateRule(Protocol):
    """Moves weights (p,) by gradients (p,), one after the other."""

    def step(self, parameters: Numbers, gradient: Numbers) -> None:
        """Move the weights in place; the gradient may be overwritten."""


class Momentum:
    """``velocity = momentum * velocity - rate * gradient``, by which the weights move (Rumelhart and others 1986)."""

    def __init__(self, like: Numbers, rate: float, momentum: float) -> None:
        self.rate, self.momentum = rate, momentum
        self.velocity = np.zeros_like(like)

    def step(self, parameters: Numbers, gradient: Numbers) -> None:
        self.velocity *= self.momentum
        gradient *= self.rate
        self.velocity -= gradient
        parameters += self.velocity


class Adam:
    """Steps by the running mean of the gradients over the root of that of their squares (Kingma and Ba 2015)."""

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


SETTLED: Final = 1e-4
"""A training loss that fell by less than this within the patience has settled."""
_SINGLE: Final = 256
"""Records that a compiled loop passes between two looks at the stop word."""


@dataclass(frozen=True)
class Steps:
    """How to go down: ``batch`` records at a time (0: all), at a rate, by Adam or with momentum; what weights cost.

    ``between`` two looks that are published there are at least so many seconds.
    """

    batch: int
    rate: float
    adam: bool
    momentum: float
    decay: float
    epochs: int
    patience: int
    shuffled: bool = True
    between: float = BETWEEN


def penalised(shape: NetworkShape) -> Numbers:
    """1 for each weight (p,), 0 for each bias: large biases cost nothing."""
    mask = np.zeros(shape.n_parameters)
    for weight, _ in layer_views(mask, shape.sizes):
        weight[...] = 1
    return mask


def decay_cost(parameters: Numbers, mask: Numbers, decay: float) -> float:
    """Half the sum of the squares of the weights, times the decay."""
    return 0.5 * decay * float((mask * parameters) @ parameters) if decay else 0.0


def descend(
    shape: NetworkShape,
    start: Numbers,
    examples: NetworkExamples,
    held_out: NetworkExamples | None,
    steps: Steps,
    context: RunContext,
) -> tuple[Numbers, TrainingHistory, float]:
    """The best weights (p,) found from a start, the course, and the cost of the best (see :class:`EpochMonitor`).

    The cost of weights is the mean loss of the records plus ``decay / 2`` times their squares over the records' weight.
    The loss of an epoch of several steps is that which each record had before it was learned from.
    """
    return _Descent(shape, start, examples, held_out, steps, context).run()


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
        self.update = (
            Adam(self.parameters, steps.rate) if steps.adam else Momentum(self.parameters, steps.rate, steps.momentum)
        )
        self.watch = EpochMonitor(self.passes, self.parameters, held_out, steps.patience, context, steps.between)
        self.random = context.random()

    def run(self) -> tuple[Numbers, TrainingHistory, float]:
        with np.errstate(over="ignore", invalid="ignore"):  # of a rate that is too high
            ended = self._ended()
        course = self.watch.course(ended)
        return self.watch.best.astype(np.float64), course, self.watch.best_cost

    def _ended(self) -> StopReason:
        """Why there is nothing more to learn, once there is not."""
        n, steps = len(self.examples), self.steps
        whole = steps.batch == 0 or steps.batch >= max(n, 2)
        begun = self._by_all(step=False) if whole else standing(
            self.passes, self.parameters, self.examples, self.context)  # fmt: skip
        ended = self._note(begun)
        for epoch in range(steps.epochs):
            if ended is not None:
                return ended
            self.context.advance(epoch, steps.epochs)
            order = self.random.permutation(n) if steps.shuffled and not whole else None
            if whole:
                found = self._by_all()
            else:
                found = self._by_single(order) if steps.batch == 1 else self._by_batches(order, steps.batch)
            if not (np.isfinite(found.loss) and np.all(np.isfinite(self.parameters))):
                return StopReason.DIVERGED
            ended = self._note(found)
            if ended is None and self.watch.waited(SETTLED):
                ended = StopReason.SETTLED
        return ended or StopReason.LIMIT

    def _note(self, found: LossAndError) -> StopReason | None:
        cost = found.loss + decay_cost(self.parameters, self.mask, self.decay)
        return self.watch.note(self.parameters, found, cost)

    def _by_all(self, step: bool = True) -> LossAndError:
        """A step by the gradient at hand; what is said of all records after it, and the gradient there."""
        if step:
            self.update.step(self.parameters, self.gradient)
        loss, wrong, weight = self._pull(slice(0, len(self.examples)))
        return LossAndError(loss / weight, wrong / weight)

    def _by_batches(self, order: Numbers | None, batch: int) -> LossAndError:
        """An epoch; what is said of each record before it was learned from."""
        loss, wrong, seen = 0.0, 0.0, 0.0
        for at in range(0, len(self.examples), batch):
            if self.context.finishing:
                self.context.checkpoint()
                if at:
                    break
            found, missed, weight = self._pull(slice(at, at + batch) if order is None else order[at : at + batch])
            loss += found
            wrong += missed
            seen += weight
            self.update.step(self.parameters, self.gradient)
        return LossAndError(loss / seen, wrong / seen)

    def _pull(self, rows: Numbers | slice) -> tuple[float, float, float]:
        """The summed loss of records, the weight of those that are wrong, and their weight; sets the gradient.

        The gradient is that of the loss over what so many records weigh on average: if it were over what these weigh,
        a heavy record would count no more than a light one where steps are of few.
        """
        truth = self.examples.codes[rows]
        part = None if self.examples.weights is None else self.examples.weights[rows]
        found, outputs = self._slope(rows, part)
        missed = decided(outputs, int(self.passes.shape.activation[-1])) != truth
        self.gradient *= 1 / (len(truth) * self.mean)
        if self.decay:
            self.gradient += self.decay * (self.mask * self.parameters)
        if part is None:
            return found, float(np.count_nonzero(missed)), float(len(truth))
        return found, float(part @ missed), float(part.sum())

    def _slope(self, rows: Numbers | slice, weights: Numbers | None) -> tuple[float, Numbers]:
        x, targets = self.examples.x[rows], self.targets[rows]
        together = self.passes.shape.together
        if len(x) <= together:
            return self.passes.slope(self.parameters, x, targets, weights, self.gradient)
        total, outputs, part = 0.0, np.empty_like(targets), np.empty_like(self.gradient)
        self.gradient[:] = 0
        for at in range(0, len(x), together):
            self.context.checkpoint()
            some = slice(at, at + together)
            found, said = self.passes.slope(
                self.parameters, x[some], targets[some], None if weights is None else weights[some], part
            )
            total += found
            outputs[some] = said
            self.gradient += part
        return total, outputs

    def _by_single(self, order: Numbers | None) -> LossAndError:
        """An epoch of steps of single records, in compiled loops."""
        from algorithms.learners.neural.kernels import single_records

        shape, steps, n = self.passes.shape, self.steps, len(self.examples)
        rows = np.arange(n) if order is None else order
        weights = np.ones(n) if self.examples.weights is None else self.examples.weights
        decay = self.decay * self.mask
        room = np.empty((2, int(shape.sizes.sum())))
        if isinstance(self.update, Adam):
            moments, done, rates = (
                (self.update.first, self.update.second),
                self.update.steps,
                (FIRST_DECAY, SECOND_DECAY),
            )
            self.update.steps += n
        else:
            moments, done, rates = (self.update.velocity, self.update.velocity), 0, (steps.momentum, -1.0)
        loss, wrong, seen = single_records(
            self.examples.x, self.targets, self.examples.codes, weights / self.mean, rows, shape.sizes,
            shape.activation,
            shape.loss == "squared", self.parameters, self.gradient, room, decay, steps.rate, *moments, *rates, TINY,
            done, self.context.control,
        )  # fmt: skip
        self.context.checkpoint()
        return LossAndError(loss / seen, wrong / seen) if seen else self.watch.last
