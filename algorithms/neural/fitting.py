"""From examples to the best weights: starts, the way down, and nodes taken away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.layers import Course
from algorithms.neural.descent import Steps, descend
from algorithms.neural.examples import Examples
from algorithms.neural.limited_memory import limited_memory
from algorithms.neural.passing import Numbers, Shape, started

LBFGS: Final = "lbfgs"


@dataclass(frozen=True, eq=False)
class Found:
    """Weights (p,) of a shape, how they came about, and what they cost (see :class:`Watch`)."""

    shape: Shape
    parameters: Numbers
    course: Course
    cost: float


@dataclass(frozen=True)
class Way:
    """How to learn: by ``steps``, or with ``whole`` by L-BFGS under the same limits."""

    steps: Steps
    whole: bool

    def learned(
        self, shape: Shape, start: Numbers, examples: Examples, held_out: Examples | None, context: RunContext
    ) -> Found:
        """The best weights from a start (p,)."""
        steps = self.steps
        if self.whole:
            found = limited_memory(shape, start, examples, held_out, steps, context)
        else:
            found = descend(shape, start, examples, held_out, steps, context)
        return Found(shape, *found)

    def shorter(self, share: float) -> Way:
        """The same with fewer epochs."""
        return replace(self, steps=replace(self.steps, epochs=max(5, round(self.steps.epochs * share))))


def best_of_starts(
    shape: Shape, examples: Examples, held_out: Examples | None, way: Way, starts: int, context: RunContext
) -> Found:
    """The best of several starts, each with a seed of its own; the first of equals."""

    def begin(key: int) -> Found:
        part = context.child(1.0 / starts, key)
        start = started(shape, part.random()).astype(examples.x.dtype).astype(np.float64)
        found = way.learned(shape, start, examples, held_out, part.child(1.0, 0))
        part.complete()
        return found

    return min(context.map(begin, range(starts)), key=lambda found: found.cost)
