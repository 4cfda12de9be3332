"""Learning by all records at once and the curvature of the last steps: limited-memory BFGS."""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.layers import Course
from algorithms.neural.curvature import minimised
from algorithms.neural.descent import Steps, decay_cost, penalised
from algorithms.neural.examples import Examples
from algorithms.neural.passing import Numbers, Passes, Shape, decided
from algorithms.neural.watching import Ended, Standing, Watch, standing


class _Whole:
    """The mean loss of all records and what weights cost, with its gradient; remembers what was said last."""

    def __init__(self, passes: Passes, examples: Examples, decay: float, context: RunContext) -> None:
        self.passes, self.examples, self.decay, self.context = passes, examples, decay, context
        self.mask, self.total = penalised(passes.shape), examples.total
        self.targets = passes.shape.targets(examples.codes)
        self.gradient = np.empty(passes.shape.n_parameters)
        self.last = Standing(np.nan, np.nan)
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
        self.last = Standing(loss / self.total, examples.share_of(wrong))
        self.last_cost = self.last.loss + decay_cost(parameters, self.mask, self.decay) / self.total
        return self.last_cost, whole


def limited_memory(
    shape: Shape,
    start: Numbers,
    examples: Examples,
    held_out: Examples | None,
    steps: Steps,
    context: RunContext,
) -> tuple[Numbers, Course, float]:
    """As :func:`algorithms.neural.descent.descend`, but each step is by all records and as long as it proves good."""
    passes = Passes(shape)
    decay, epochs = steps.decay, steps.epochs
    whole = _Whole(passes, examples, decay, context)
    watch = Watch(Passes(shape), start, held_out, steps.patience, context, steps.between)
    first = standing(passes, start, examples, context)
    ended = watch.note(start, first, first.loss + decay_cost(start, whole.mask, decay) / whole.total)
    if ended is None and epochs > 0:
        ended = Ended.SETTLED
        for place in minimised(whole, start):
            context.advance(watch.epochs, epochs)
            stop = watch.note(place, whole.last, whole.last_cost)
            if stop is not None or watch.epochs >= epochs:
                ended = stop or Ended.LIMIT
                break
    return watch.best.astype(np.float64), watch.course(ended or Ended.LIMIT), watch.best_cost
