"""Logic of a rule set: overlap, gaps, and the negated conditions that a rule of a list inherits.

The bounds of the conditions divide each numeric attribute into cells; a nominal attribute has one for each value. A
condition is a set of cells, and tests of rules on boxes of cells are bit operations. Two rules exclude each other where
they share no cell of some attribute. A record without a rule is searched by making it fail one rule after another; this
is as hard as satisfiability, so the search may give up. Of each earlier rule, the conditions not implied by the rule
itself remain to be negated. Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (first
edition 5.1.1).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, nextafter
from sys import float_info
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.rules.model import RuleMatcher
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet, condition_words
from algorithms.text.numbers import cut_number, data_number
from algorithms.text.sentences import counted, listed

Point = tuple[tuple[int, float], ...]
"""The values of a record that rules test: attribute and number or code, NaN where missing."""

Mask = int
"""A set of cells of one attribute, one bit each."""

Box = dict[int, Mask]
"""A set of cells for each attribute."""

_MOST_DIGITS: Final = 17


@dataclass(frozen=True)
class CellSpace:
    """The cells of the attributes that rules test.

    ``starts`` are the least numbers of the cells of each numeric attribute, ascending. ``sizes`` are the numbers of
    cells of known values; with ``with_missing`` one more cell stands for a missing value. ``bodies`` are the rules as
    boxes of the cells that meet all their conditions; None for a rule that never fires.
    """

    rules: RuleSet
    with_missing: bool
    starts: dict[int, tuple[float, ...]]
    sizes: dict[int, int]
    bodies: tuple[Box | None, ...]

    @classmethod
    def of(cls, rules: RuleSet, *, with_missing: bool = False, pause: Callable[[], None] = lambda: None) -> CellSpace:
        """The cells of these rules; ``pause`` is called often and may raise."""
        bounds: dict[int, set[float]] = {}
        for c in range(rules.n_conditions):
            if rules.is_numeric(c):
                low, high = closed(rules, c)
                bounds.setdefault(int(rules.attribute[c]), {-float_info.max}).update((low, nextafter(high, inf)))
        starts = {
            attribute: tuple(sorted(bound for bound in own if -float_info.max <= bound <= float_info.max))
            for attribute, own in bounds.items()
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
        return {attribute: (1 << (size + self.with_missing)) - 1 for attribute, size in self.sizes.items()}

    def point(self, box: Box) -> Point:
        """A record in a nonempty box, with known values where possible and numbers of few digits."""
        values = []
        for attribute, mask in box.items():
            cell = (mask & -mask).bit_length() - 1
            if cell >= self.sizes[attribute]:
                values.append((attribute, float("nan")))
            elif attribute in self.starts:
                values.append((attribute, self._plain(attribute, mask)))
            else:
                values.append((attribute, float(cell)))
        return tuple(values)

    def _plain(self, attribute: int, mask: Mask) -> float:
        """A number with few digits in one of these cells, a bounded one where possible."""
        starts, size = self.starts[attribute], self.sizes[attribute]
        cells = [cell for cell in range(size) if mask >> cell & 1]
        inner = [cell for cell in cells if 0 < cell < size - 1]
        wide = max(inner, key=lambda cell: starts[cell + 1] - starts[cell]) if inner else cells[0]
        low = starts[wide]
        high = nextafter(starts[wide + 1], -inf) if wide + 1 < size else float_info.max
        return plain_number(low, high)


def closed(rules: RuleSet, condition: int) -> tuple[float, float]:
    """The least and the greatest number that meet a condition; the first is larger where none meets it."""
    low, high = float(rules.low[condition]), float(rules.high[condition])
    return (nextafter(low, inf) if rules.low_is_open[condition] else low), high


def plain_number(low: float, high: float) -> float:
    """A number from ``low`` to ``high`` with as few digits as possible."""
    if low <= -float_info.max and high >= float_info.max:
        return 0.0
    if low <= -float_info.max:
        low = high - max(1.0, abs(high) / 10)
    if high >= float_info.max:
        high = low + max(1.0, abs(low) / 10)
    middle = low / 2 + high / 2
    for digits in range(1, _MOST_DIGITS + 1):
        for near in (middle, low, high):
            rounded = float(f"{near:.{digits}g}")
            if low <= rounded <= high:
                return rounded
    return low


def _body(
    rules: RuleSet, rule: int, starts: dict[int, tuple[float, ...]], sizes: dict[int, int], with_missing: bool
) -> Box | None:
    body: Box = {}
    for c in rules.conditions(rule):
        attribute = int(rules.attribute[c])
        body[attribute] = body.get(attribute, -1) & _cells(rules, c, starts, sizes[attribute], with_missing)
    return None if any(mask == 0 for mask in body.values()) else body


def _cells(rules: RuleSet, c: int, starts: dict[int, tuple[float, ...]], size: int, with_missing: bool) -> Mask:
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
    """A record as text, as in ``petal length = 3, colour = red``; ``any record`` without a value."""
    words = []
    for index, value in point:
        attribute = rules.schema.attributes[index]
        if value != value:
            words.append(f"{attribute.name} is missing")
        elif attribute.kind.is_coded:
            words.append(f"{attribute.name} = {attribute.values[int(value)]}")
        else:
            words.append(f"{attribute.name} = {data_number(value)}")
    return ", ".join(words) or "any record"


Pause = Callable[[], None]

MOST_ASKED: Final = 400_000
"""Tests of a rule against a box before the search for an uncovered record gives up."""
_BREATH: Final = 500


@dataclass(frozen=True)
class CounterExample:
    """A record as a counterexample, and the rules that fire for it; the default rule decides if none does."""

    point: Point
    fired: tuple[int, ...]

    @property
    def needs_missing(self) -> bool:
        """Whether a value of the record is missing."""
        return any(value != value for _, value in self.point)


@dataclass(frozen=True)
class WholeSpaceFindings:
    """Properties over the whole attribute space; ``exhaustive`` is None where the search gave up.

    ``overlap`` is a record that meets two rules, ``gap`` one that meets none. Records without missing values are tried
    first, then those with missing values, unless rules divide such records (:attr:`RuleSet.divides`).
    """

    exclusive: bool
    exhaustive: bool | None
    overlap: CounterExample | None = None
    gap: CounterExample | None = None


@dataclass(frozen=True, eq=False)
class DataOverlap:
    """Positions of records that meet no rule, and several; ``divided`` ones lack a value and are decided in part."""

    n: int
    none: IntArray
    several: IntArray
    divided: int = 0

    @property
    def exclusive(self) -> bool:
        return len(self.several) == 0

    @property
    def exhaustive(self) -> bool:
        return len(self.none) == 0


def on_data(rules: RuleSet, data: Dataset, pause: Pause = lambda: None) -> DataOverlap:
    """Overlap of the rules on data of their schema."""
    matcher = RuleMatcher(rules)
    met = matcher.n_fired(data, pause)
    for rows, parts in matcher.parts(data, pause):
        met[rows[np.count_nonzero(parts > 0, axis=1) > 1]] = -1
    divided = int(np.count_nonzero(met < 0))
    return DataOverlap(len(data) - divided, np.flatnonzero(met == 0), np.flatnonzero(met > 1), divided)


def anywhere(rules: RuleSet, pause: Pause = lambda: None, most: int = MOST_ASKED) -> WholeSpaceFindings:
    """Overlap and gaps over the whole attribute space; ``pause`` is called often and may raise."""
    overlap, gap, decided = None, None, True
    for with_missing in (False,) if rules.divides else (False, True):
        space = CellSpace.of(rules, with_missing=with_missing, pause=pause)
        if overlap is None:
            pair = _meeting(space, pause)
            overlap = None if pair is None else _example(space, pair)
        if gap is None and decided:
            box, decided = _uncovered(space, most, pause)
            gap = None if box is None else _example(space, box)
    return WholeSpaceFindings(overlap is None, False if gap is not None else True if decided else None, overlap, gap)


def _example(space: CellSpace, box: Box) -> CounterExample:
    """A record in a box as a counterexample."""
    point = space.point(box)
    return CounterExample(point, fired_at(space.rules, point))


def fired_at(rules: RuleSet, point: Point) -> tuple[int, ...]:
    """The rules that fire for these values, in their order."""
    values = dict(point)
    return tuple(rule for rule in range(rules.n_rules) if all(_meets(rules, c, values) for c in rules.conditions(rule)))


def _meets(rules: RuleSet, c: int, values: dict[int, float]) -> bool:
    value = values.get(int(rules.attribute[c]), float("nan"))
    if value != value:
        return bool(rules.takes_missing[c])
    if not rules.is_numeric(c):
        return int(value) in rules.values_of(c)
    low, high = float(rules.low[c]), float(rules.high[c])
    return (value > low if rules.low_is_open[c] else value >= low) and value <= high


def _meeting(space: CellSpace, pause: Pause) -> Box | None:
    """The common box of the first two rules that overlap; None where all exclude each other."""
    bodies = [body for body in space.bodies if body is not None]
    words: dict[int, NDArray[np.uint64]] = {}  # the cells of all rules by attribute, to compare one with many at once
    for attribute, size in space.sizes.items():
        n_words = (size + 1 + 63) // 64
        whole = (1 << (64 * n_words)) - 1
        raw = b"".join((body.get(attribute, -1) & whole).to_bytes(8 * n_words, "little") for body in bodies)
        words[attribute] = np.frombuffer(raw, dtype="<u8").reshape(len(bodies), n_words)
    for nth, body in enumerate(bodies):
        if nth % 20 == 0:
            pause()
        others = np.arange(nth + 1, len(bodies))
        for attribute in body:
            others = others[((words[attribute][others] & words[attribute][nth]) != 0).any(axis=1)]
        if len(others):
            return _narrowed(_narrowed(space.whole(), body), bodies[int(others[0])])
    return None


def _narrowed(box: Box, body: Box) -> Box:
    """The part of a box where a rule fires."""
    return {attribute: mask & body.get(attribute, -1) for attribute, mask in box.items()}


def _uncovered(space: CellSpace, most: int, pause: Pause) -> tuple[Box | None, bool]:
    """A box that no rule covers (None for none), and whether the search came to an end.

    The rule with the fewest open conditions in a box must fail by its first condition, or meet it and fail by its
    second, and so on. Each way is a smaller box with the rules that can fire in it.
    """
    every = [body for body in space.bodies if body is not None]
    ahead: list[tuple[Box, list[Box]]] = [(space.whole(), every)]
    asked = 0
    while ahead:
        box, bodies = ahead.pop()
        left: list[tuple[Box, list[int]]] = []
        covered = False
        for body in bodies:
            asked += 1
            if asked % _BREATH == 0:
                pause()
            if any(box[attribute] & mask == 0 for attribute, mask in body.items()):
                continue
            open_ones = [attribute for attribute, mask in body.items() if box[attribute] & ~mask]
            if not open_ones:
                covered = True
                break
            left.append((body, open_ones))
        if covered:
            continue
        if not left:
            return box, True
        if asked > most:
            return None, False
        body, open_ones = min(left, key=lambda pair: len(pair[1]))
        ahead += _ways_to_fail(box, body, open_ones, [pair for pair, _ in left])
    return None, True


def _ways_to_fail(box: Box, body: Box, attributes: list[int], left: list[Box]) -> list[tuple[Box, list[Box]]]:
    """The boxes in which a rule fails; the last one, searched first, fails by the condition most rules share."""
    shared = {a: sum(a in other for other in left) for a in attributes} if len(attributes) > 1 else {}
    ways, inner = [], dict(box)
    for attribute in sorted(attributes, key=lambda a: -shared.get(a, 0)):
        ways.append(({**inner, attribute: inner[attribute] & ~body[attribute]}, left))
        inner[attribute] &= body[attribute]
    return ways[::-1]


def exclusive_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    """Whether rules are mutually exclusive, on these records and in general, as text."""
    return f"{_exclusive_words(rules, here, there)}{_divided_words(rules, here)}"


def _divided_words(rules: RuleSet, here: DataOverlap | None) -> str:
    """A note that records with missing values are left out where rules divide them."""
    if not rules.divides:
        return ""
    if here is None:
        return " Records without a value are left out: rules divide them."
    n = here.divided
    lack = "lacks a value and is" if n == 1 else "lack a value and are"
    return f" {counted(n, 'record')} {lack} left out: rules divide such records." if n else ""


def _exclusive_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    if there.exclusive:
        return "Mutually exclusive: no record, here or elsewhere, can meet two rules."
    then = "the first of them decides" if rules.is_ordered else "their votes are added"
    if here is not None and not here.exclusive:
        n = len(here.several)
        meet = "meets" if n == 1 else "meet"
        return f"Not mutually exclusive: {n:,} of {counted(here.n, 'record')} {meet} more than one rule; {then}."
    if here is None:
        return f"Not mutually exclusive: a record can meet more than one rule; {then}."
    which = "one with a missing value" if there.overlap and there.overlap.needs_missing else "one"
    return f"Mutually exclusive here: no record meets two rules. But there could be {which} that does; then {then}."


def exhaustive_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    """Whether rules are exhaustive, on these records and in general, as text."""
    return f"{_exhaustive_words(rules, here, there)}{_divided_words(rules, here)}"


def _exhaustive_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    if there.exhaustive:
        return "Exhaustive: every record, here or elsewhere, meets a rule."
    label = rules.schema.classes[rules.default_decision]
    then = f"the default rule decides, {label}"
    if here is not None and not here.exhaustive:
        n = len(here.none)
        meet = "meets" if n == 1 else "meet"
        return f"Not exhaustive: {n:,} of {counted(here.n, 'record')} {meet} no rule; {then}."
    start = "" if here is None else "Exhaustive here: every record meets a rule. "
    if there.gap is None:
        return f"{start}Whether every other record meets one would take too long to find out."
    which = "one with a missing value" if there.gap.needs_missing else "one" if here is not None else "a record"
    if here is None:
        return f"Not exhaustive: there can be {which} that meets no rule; {then}."
    return f"{start}But there could be {which} that meets none; then {then}."


def example_words(rules: RuleSet, example: CounterExample) -> str:
    """A counterexample as text: ``age = 3, colour = red: rules 2 and 5 fire``."""
    fired = rules_words(example.fired) if example.fired else "no rule"
    return f"{point_words(rules, example.point)}: {fired} {'fire' if example.fired else 'fires'}"


def rules_words(rules: Sequence[int]) -> str:
    """Several rules as text: ``rules 1, 4 and 7``."""
    named = [f"{rule + 1:,}" for rule in rules[:6]]
    if len(rules) > 6:
        return f"rules {', '.join(named)} and {len(rules) - 6:,} more"
    return f"rule {named[0]}" if len(named) == 1 else f"rules {', '.join(named[:-1])} and {named[-1]}"


MOST_SAID: Final = 12


@dataclass(frozen=True)
class NegatedRule:
    """An earlier rule that did not fire: not all of these conditions hold."""

    rule: int
    conditions: tuple[int, ...]
    may_be_missing: bool
    """Whether a record of the later rule can lack the value of the single condition."""


@dataclass(frozen=True)
class InheritedConditions:
    """Negated earlier rules that a rule of a list implies.

    ``apart`` earlier rules cannot fire with it anyway. ``blocked_by`` is an earlier rule that always fires where the
    rule does, so that the rule never decides.
    """

    rule: int
    denied: tuple[NegatedRule, ...]
    apart: int
    blocked_by: int | None = None


def inherited(space: CellSpace, rule: int) -> InheritedConditions:
    """The negated earlier rules of a rule, or of the default rule; ``space`` includes missing values."""
    body = {} if rule == DEFAULT_RULE else space.bodies[rule]
    own = _narrowed(space.whole(), body or {})
    last = space.rules.n_rules if rule == DEFAULT_RULE else rule
    denied: dict[frozenset[int], NegatedRule] = {}
    apart = 0
    for before in range(last):
        other = space.bodies[before]
        if body is None or other is None or any(own[a] & mask == 0 for a, mask in other.items()):
            apart += 1
            continue
        left = {a for a, mask in other.items() if own[a] & ~mask}
        if not left:
            return InheritedConditions(rule, (), apart, before)
        negated = _denied(space, before, left, own)
        denied.setdefault(frozenset(negated.conditions), negated)
    return InheritedConditions(rule, tuple(denied.values()), apart)


def _denied(space: CellSpace, rule: int, left: set[int], own: Box) -> NegatedRule:
    rules = space.rules
    conditions = tuple(c for c in rules.conditions(rule) if int(rules.attribute[c]) in left)
    attribute = int(rules.attribute[conditions[0]])
    missing = 1 << space.sizes[attribute]
    return NegatedRule(rule, conditions, bool(own[attribute] & missing) and not rules.takes_missing[conditions[0]])


def inherited_words(rules: RuleSet, inherits: InheritedConditions) -> tuple[str, ...]:
    """Lines of text: the first negated rules, then the number of the others."""
    if inherits.blocked_by is not None:
        return (f"It never decides: rule {inherits.blocked_by + 1:,} fires wherever it would.",)
    lines = [f"not rule {denied.rule + 1:,}: {denied_words(rules, denied)}" for denied in inherits.denied[:MOST_SAID]]
    rest = len(inherits.denied) - MOST_SAID
    if rest > 0:
        lines.append(f"and none of {counted(rest, 'more rule')}")
    if inherits.apart:
        lines.append(f"{counted(inherits.apart, 'earlier rule')} cannot fire for its records anyway.")
    return tuple(lines) or ("It stands first, so no earlier rule limits it.",)


def denied_words(rules: RuleSet, denied: NegatedRule) -> str:
    """A negated rule as text: ``age > 3 or missing``, ``not (age <= 3 and colour = red)``."""
    if len(denied.conditions) > 1:
        return f"not ({' and '.join(condition_words(rules, c) for c in denied.conditions)})"
    (c,) = denied.conditions
    name = rules.schema.attributes[int(rules.attribute[c])].name
    opposite = None if rules.takes_missing[c] else _opposite(rules, c)
    if opposite is None:
        return f"not ({condition_words(rules, c)})"
    return f"{name} {opposite}{' or missing' if denied.may_be_missing else ''}"


def _opposite(rules: RuleSet, c: int) -> str | None:
    """The known values that fail a condition, as text; None where negating the condition is shorter."""
    if rules.is_numeric(c):
        low, high = float(rules.low[c]), float(rules.high[c])
        if low == -inf and high < inf:
            return f"> {cut_number(high)}"
        if high == inf and low > -inf:
            return f"{'<=' if rules.low_is_open[c] else '<'} {cut_number(low)}"
        return None
    attribute = rules.schema.attributes[int(rules.attribute[c])]
    others = [value for code, value in enumerate(attribute.values) if code not in rules.values_of(c)]
    if attribute.kind is AttributeKind.ORDINAL or not others or len(others) > 4:
        return None
    return f"= {listed(others)}"
