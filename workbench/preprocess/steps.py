"""The steps of a recipe as a person sees them: also those that are switched off for now. Pure, without widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from algorithms.core.filters import Filter, Recipe


@dataclass(frozen=True)
class Step:
    """One filter, in use or switched off."""

    filter: Filter
    on: bool = True


Steps = tuple[Step, ...]


def recipe_of(steps: Sequence[Step]) -> Recipe:
    """The filters that are in use, in their order."""
    return tuple(step.filter for step in steps if step.on)


def reconciled(steps: Sequence[Step], recipe: Recipe) -> Steps:
    """The steps after the recipe became ``recipe`` by other means (undo): each keeps its place where it can.

    A step switched off stays, unless the recipe now holds its filter where it stands; then it is on again.
    """
    found: list[Step] = []
    left = list(recipe)
    for step in steps:
        if left and step.filter == left[0]:
            found.append(Step(left.pop(0)))
        elif not step.on:
            found.append(step)
        elif step.filter in left:
            at = left.index(step.filter)
            found.extend(Step(before) for before in left[:at])
            found.append(step)
            del left[: at + 1]
    found.extend(Step(rest) for rest in left)
    return tuple(found)


def switched(steps: Sequence[Step], at: int) -> Steps:
    """The steps with one of them switched on or off."""
    return tuple(replace(step, on=not step.on) if i == at else step for i, step in enumerate(steps))


def moved(steps: Sequence[Step], at: int, by: int) -> Steps:
    """The steps with one of them moved up (-1) or down (1); the same where it cannot."""
    to = at + by
    if not 0 <= to < len(steps):
        return tuple(steps)
    changed = list(steps)
    changed.insert(to, changed.pop(at))
    return tuple(changed)


def replaced(steps: Sequence[Step], at: int, filter: Filter) -> Steps:
    """The steps with another filter (other parameters) at one place."""
    return tuple(replace(step, filter=filter) if i == at else step for i, step in enumerate(steps))


def removed(steps: Sequence[Step], at: int) -> Steps:
    return tuple(step for i, step in enumerate(steps) if i != at)
