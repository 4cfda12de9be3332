"""The attribute space as the conditions of rules cut it: cells, as bits of whole numbers.

Every attribute that a rule looks at is divided into cells: one for each value of a list, for numbers the stretches
between the bounds of the conditions. A condition is then a set of cells, and whether a rule can fire in a box of cells
is a question of bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nextafter
from sys import float_info
from typing import Final

from algorithms.core.rule_set import RuleSet
from algorithms.trees.words import number

Point = tuple[tuple[int, float], ...]
"""A record as far as rules look at it: attribute and value, a code for a listed one, NaN where it is missing."""

Mask = int
"""A set of cells of one attribute, a bit for each."""

Box = dict[int, Mask]
"""The cells left of each attribute."""

_MOST_DIGITS: Final = 17


@dataclass(frozen=True)
class Space:
    """The cells of the attributes that rules look at.

    ``starts`` are the least numbers of the cells of each numeric attribute, ascending; ``sizes`` how many cells of
    known values each attribute has, the one after them being that of a missing value where ``with_missing``.
    ``bodies`` are the rules: the cells of each attribute that meet all its conditions; None for one that never fires.
    """

    rules: RuleSet
    with_missing: bool
    starts: dict[int, tuple[float, ...]]
    sizes: dict[int, int]
    bodies: tuple[Box | None, ...]

    @classmethod
    def of(cls, rules: RuleSet, *, with_missing: bool = False, pause: Callable[[], None] = lambda: None) -> Space:
        """``pause`` is called every few conditions; it may raise."""
        bounds: dict[int, set[float]] = {}
        for c in range(rules.n_conditions):
            if rules.is_numeric(c):
                low, high = closed(rules, c)
                bounds.setdefault(int(rules.attribute[c]), {-float_info.max}).update((low, nextafter(high, inf)))
        starts = {
            attribute: tuple(sorted(at for at in found if -float_info.max <= at <= float_info.max))
            for attribute, found in bounds.items()
        }
        sizes = {
            attribute: len(starts[attribute]) if attribute in starts else len(rules.schema.attributes[attribute].values)
            for attribute in rules.asked
        }
        bodies: list[Box | None] = []
        for rule in range(rules.n_rules):
            if rule % 100 == 0:
                pause()
            bodies.append(_body(rules, rule, starts, sizes, with_missing))
        return cls(rules, with_missing, starts, sizes, tuple(bodies))

    def whole(self) -> Box:
        """All cells."""
        return {attribute: (1 << (size + self.with_missing)) - 1 for attribute, size in self.sizes.items()}

    def point(self, box: Box) -> Point:
        """A record in a box of which no attribute is empty: known values where there are any, plain numbers."""
        found = []
        for attribute, mask in box.items():
            cell = (mask & -mask).bit_length() - 1
            if cell >= self.sizes[attribute]:
                found.append((attribute, float("nan")))
            elif attribute in self.starts:
                found.append((attribute, self._plain(attribute, mask)))
            else:
                found.append((attribute, float(cell)))
        return tuple(found)

    def _plain(self, attribute: int, mask: Mask) -> float:
        """A number with few digits in one of these cells, of a stretch with two ends where there is one."""
        starts, size = self.starts[attribute], self.sizes[attribute]
        cells = [cell for cell in range(size) if mask >> cell & 1]
        inner = [cell for cell in cells if 0 < cell < size - 1]
        wide = max(inner, key=lambda cell: starts[cell + 1] - starts[cell]) if inner else cells[0]
        low = starts[wide]
        high = nextafter(starts[wide + 1], -inf) if wide + 1 < size else float_info.max
        return plain_number(low, high)


def closed(rules: RuleSet, condition: int) -> tuple[float, float]:
    """The least and the greatest number that meet a condition; the first is larger where none does."""
    low, high = float(rules.low[condition]), float(rules.high[condition])
    return (nextafter(low, inf) if rules.low_is_open[condition] else low), high


def plain_number(low: float, high: float) -> float:
    """A number from ``low`` to ``high`` with as few digits as there is one."""
    if low <= -float_info.max and high >= float_info.max:
        return 0.0
    if low <= -float_info.max:
        low = high - max(1.0, abs(high) / 10)
    if high >= float_info.max:
        high = low + max(1.0, abs(low) / 10)
    middle = low / 2 + high / 2
    for digits in range(1, _MOST_DIGITS + 1):
        for near in (middle, low, high):
            found = float(f"{near:.{digits}g}")
            if low <= found <= high:
                return found
    return low


def _body(
    rules: RuleSet, rule: int, starts: dict[int, tuple[float, ...]], sizes: dict[int, int], with_missing: bool
) -> Box | None:
    body: Box = {}
    for c in rules.conditions(rule):
        attribute = int(rules.attribute[c])
        known = body.get(attribute, -1)
        body[attribute] = known & _cells(rules, c, starts, sizes[attribute], with_missing)
    return None if any(mask == 0 for mask in body.values()) else body


def _cells(rules: RuleSet, c: int, starts: dict[int, tuple[float, ...]], size: int, with_missing: bool) -> Mask:
    from bisect import bisect_left, bisect_right

    attribute = int(rules.attribute[c])
    mask = 0
    if rules.is_numeric(c):
        low, high = closed(rules, c)
        first = bisect_left(starts[attribute], max(low, -float_info.max))
        last = bisect_right(starts[attribute], high)
        mask = ((1 << last) - (1 << first)) if low <= high and last > first else 0
    else:
        for code in rules.values_of(c):
            mask |= 1 << code
    return mask | (1 << size) if with_missing and rules.takes_missing[c] else mask


def point_words(rules: RuleSet, point: Point) -> str:
    """A record in words: ``petal length = 3 and colour = red``; ``any record`` where no rule asks for anything."""
    said = []
    for index, value in point:
        attribute = rules.schema.attributes[index]
        if value != value:
            said.append(f"{attribute.name} is missing")
        elif attribute.kind.is_coded:
            said.append(f"{attribute.name} = {attribute.values[int(value)]}")
        else:
            said.append(f"{attribute.name} = {number(value)}")
    return ", ".join(said) or "any record"
