"""Passes of perceptrons over the training records, and the pocket with the best weights so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.layers import Course
from algorithms.core.terms import Int32Array
from algorithms.neural.examples import Examples
from algorithms.neural.watching import Ended


@dataclass(frozen=True)
class Passing:
    """How records are passed: rate, whether it falls, how often at most, whether the best is kept, in which order."""

    rate: float
    falls: bool
    most: int
    pocket: bool
    shuffle: bool

    def rate_of(self, number: int) -> float:
        """The rate in a pass, 0 the first."""
        return self.rate / (number + 1) if self.falls else self.rate

    def orders(self, n: int, context: RunContext) -> Iterator[NDArray[np.int64]]:
        """The order of n records in each pass, without end."""
        random = context.random()
        while True:
            yield random.permutation(n) if self.shuffle else np.arange(n)


def wanted_signs(codes: Int32Array, outputs: int) -> FloatArray:
    """What each of m perceptrons should answer (n, m): 1 for its class, -1 for the rest."""
    right = (codes == 1)[:, None] if outputs == 1 else codes[:, None] == np.arange(outputs)
    return np.where(right, 1.0, -1.0)


def decisions(examples: Examples, parameters: FloatArray) -> Int32Array:
    """The active classes (n,), counted from 0, by weights (t + 1, m), the biases in the last row."""
    sums = examples.x @ parameters[:-1] + parameters[-1]
    if sums.shape[1] == 1:
        return np.asarray(sums[:, 0] > 0, dtype=np.int32)
    return np.asarray(np.argmax(sums, axis=1), dtype=np.int32)


def passed(examples: Examples, outputs: int, passing: Passing, context: RunContext) -> tuple[FloatArray, Course]:
    """The weights (t + 1, m) after all passes, or the best of them, and the course.

    A pass without an update ends it: then every perceptron answers all records rightly. The errors in the course are
    those of what the perceptrons decide together.
    """
    from algorithms.neural.kernels import perceptron_pass

    n = len(examples)
    parameters = np.zeros((examples.x.shape[1] + 1, outputs))
    signs = wanted_signs(examples.codes, outputs)
    weights = np.ones(n) if examples.weights is None else examples.weights / (examples.total / n)
    errors = [examples.share_of(decisions(examples, parameters) != examples.codes)]
    best, best_at, ended = parameters.copy(), 0, Ended.LIMIT
    nothing = np.zeros((0, 2), dtype=np.int64)
    orders = passing.orders(n, context)
    for number in range(passing.most):
        context.advance(number, passing.most)
        if context.finishing:
            context.checkpoint()
            ended = Ended.FINISHED
            break
        rate = passing.rate_of(number)
        made = perceptron_pass(examples.x, signs, weights, next(orders), rate, parameters, nothing, context.control)
        context.checkpoint()
        errors.append(examples.share_of(decisions(examples, parameters) != examples.codes))
        if errors[-1] < errors[best_at]:
            best, best_at = parameters.copy(), len(errors) - 1
        if made == 0 and not context.finishing:
            ended, best, best_at = Ended.NO_ERRORS, parameters, len(errors) - 1
            break
    if not passing.pocket and ended is not Ended.NO_ERRORS:
        best, best_at = parameters, len(errors) - 1
    found = np.array(errors)
    return best, Course(found, found, best=best_at, ended=ended.value)
