"""The steps of a recipe as a person sees them: also those that are switched off for now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from algorithms.core.filters import Filter, Recipe


@dataclass(frozen=True)
class Step:
    """One filter, in use or switched off."""

    filter: Filter
    on: bool = True


Steps = tuple[Step, ...]


@dataclass(frozen=True)
class Aside:
    """A filter that is switched off, and its place among all steps, those in use among them."""

    place: int
    filter: Filter


def recipe_of(steps: Sequence[Step]) -> Recipe:
    """The filters that are in use, in their order."""
    return tuple(step.filter for step in steps if step.on)


def aside_of(steps: Sequence[Step]) -> tuple[Aside, ...]:
    """The filters that are switched off, with their places."""
    return tuple(Aside(place, step.filter) for place, step in enumerate(steps) if not step.on)


def steps_of(recipe: Recipe, aside: Sequence[Aside]) -> Steps:
    """All steps again, from :func:`recipe_of` and :func:`aside_of` them."""
    found = [Step(filter) for filter in recipe]
    for each in sorted(aside, key=lambda each: each.place):
        found.insert(each.place, Step(each.filter, on=False))
    return tuple(found)


def reconciled(steps: Sequence[Step], recipe: Recipe) -> Steps:
    """The steps after the recipe became ``recipe`` by other means: each keeps its place where it can.

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


def with_columns_renamed(steps: Sequence[Step], now: Callable[[str], str | None]) -> Steps:
    """The steps over columns called otherwise, or gone (None); see :meth:`Filter.with_columns_renamed`."""
    return tuple(replace(step, filter=step.filter.with_columns_renamed(now)) for step in steps)
