"""Members that learn side by side: each with a seed of its own, the same on any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from algorithms.core.context import RunContext
from algorithms.core.errors import Cancelled

R = TypeVar("R")


def side_by_side(
    make: Callable[[int, RunContext], R], n: int, context: RunContext, ended: Callable[[int, R | None], None]
) -> list[R]:
    """``make(i, context)`` for each of n members on the threads of the context, in their order.

    Where the run is finished early those are kept that were done, at least one: where none was, the first is made as
    far as it comes. ``ended`` is told of each member in whatever thread it was made, with None where it is left out.
    """

    def one(i: int) -> R | None:
        part = context.child(1 / n, i, finish_cancels=True)
        made: R | None = None
        try:
            made = make(i, part)
        except Cancelled:
            context.checkpoint()
        finally:
            part.complete()
        ended(i, made)
        return made

    found = [made for made in context.map(one, range(n)) if made is not None]
    return found or [_as_far_as_it_comes(make, context)]


def _as_far_as_it_comes(make: Callable[[int, RunContext], R], context: RunContext) -> R:
    return make(0, context.child(1.0, 0))
