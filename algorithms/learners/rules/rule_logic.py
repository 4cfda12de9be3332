"""Logic of a rule set: mutually exclusive, exhaustive, gaps, and what a rule inherits from those before.

Every attribute that a rule looks at is divided into cells: one for each value of a list, for numbers the stretches
between the bounds of the conditions. A condition is then a set of cells, and whether a rule can fire in a box of cells
is a question of bits.

Asked of records, the answer is a count. Asked of the whole attribute space it is one of logic: two rules exclude each
other where they have no cell of some attribute in common; a record that no rule covers is searched by making it fail
one rule after the other (whether there is any is as hard as satisfiability, so the search has an end and may not
decide). Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (first edition 5.1.1).

Of each rule before, only that part is left to be denied which is not settled by the rule itself: one that cannot fire
for the same record says nothing, and of the others the conditions that hold anyway for its records are left out.
Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (ordered rules).
"""

from __future__ import annotations

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
from algorithms.learners.rules.matching import RuleMatcher
from algorithms.learners.rules.words import condition_words
from algorithms.learners.trees.words import listed, number
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet

Point = tuple[tuple[int, float], ...]
"""A record as far as rules look at it: attribute and value, a code for a listed one, NaN where it is missing."""

Mask = int
"""A set of cells of one attribute, a bit for each."""

Box = dict[int, Mask]
"""The cells left of each attribute."""

_MOST_DIGITS: Final = 17


@dataclass(frozen=True)
class CellSpace:
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
    def of(cls, rules: RuleSet, *, with_missing: bool = False, pause: Callable[[], None] = lambda: None) -> CellSpace:
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


Pause = Callable[[], None]

MOST_ASKED: Final = 400_000
"""So many times a rule is asked about a box of cells before the search for a record that none covers is given up."""
_BREATH: Final = 500


@dataclass(frozen=True)
class CounterExample:
    """A record that shows it: its values, and the rules that fire for it (none: the default rule decides)."""

    point: Point
    fired: tuple[int, ...]


@dataclass(frozen=True)
class WholeSpaceFindings:
    """What holds over the whole attribute space; None where the search ended before it was decided.

    ``overlap`` is a record that meets two rules, ``gap`` one that meets none. Both are asked of records without missing
    values first; where those tell nothing against the rules, of records with missing values too. Where rules divide
    records that lack a value (:attr:`RuleSet.divides`), only records without missing values are asked about.
    """

    exclusive: bool
    exhaustive: bool | None
    overlap: CounterExample | None = None
    gap: CounterExample | None = None

    @property
    def gap_needs_missing(self) -> bool:
        """Whether every record without missing values meets a rule, and only one with some does not."""
        return self.gap is not None and any(value != value for _, value in self.gap.point)

    @property
    def overlap_needs_missing(self) -> bool:
        return self.overlap is not None and any(value != value for _, value in self.overlap.point)


@dataclass(frozen=True, eq=False)
class DataOverlap:
    """How many of ``n`` records meet no rule and more than one, and the positions of those.

    ``divided`` more records lack a value, so that rules decide them in part (:attr:`RuleSet.divides`).
    """

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
    """How many rules each record meets. The data must be under the rules' own schema."""
    matcher = RuleMatcher(rules)
    met = matcher.n_fired(data, pause)
    for rows, parts in matcher.parts(data, pause):
        met[rows[np.count_nonzero(parts > 0, axis=1) > 1]] = -1
    divided = int(np.count_nonzero(met < 0))
    return DataOverlap(len(data) - divided, np.flatnonzero(met == 0), np.flatnonzero(met > 1), divided)


def anywhere(rules: RuleSet, pause: Pause = lambda: None, most: int = MOST_ASKED) -> WholeSpaceFindings:
    """What holds over all records that there could be. ``pause`` is called every few milliseconds and may raise."""
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
    """A record in a box, with the rules that fire for it."""
    point = space.point(box)
    return CounterExample(point, fired_at(space.rules, point))


def fired_at(rules: RuleSet, point: Point) -> tuple[int, ...]:
    """The rules that fire for a record of these values, in their order."""
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


# ---- two rules for one record ----------------------------------------------------------------------------------------


def _meeting(space: CellSpace, pause: Pause) -> Box | None:
    """The cells of the first two rules that have any in common; None where all exclude each other."""
    live = [nth for nth, body in enumerate(space.bodies) if body is not None]
    tables = _Tables(space, live)
    for nth in range(len(live)):
        if nth % 20 == 0:
            pause()
        others = tables.meeting(nth)
        if len(others):
            one, other = space.bodies[live[nth]], space.bodies[live[int(others[0])]]
            assert one is not None and other is not None
            return _both(space, one, other)
    return None


def _both(space: CellSpace, one: Box, other: Box) -> Box:
    box = space.whole()
    for body in (one, other):
        for attribute, mask in body.items():
            box[attribute] &= mask
    return box


class _Tables:
    """The cells of each attribute that the rules take, as bits in words, so that one rule meets all others at once."""

    def __init__(self, space: CellSpace, live: list[int]) -> None:
        self._bodies = [space.bodies[rule] or {} for rule in live]
        self._words: dict[int, NDArray[np.uint64]] = {}
        for attribute, size in space.sizes.items():
            n_words = (size + 1 + 63) // 64
            whole = (1 << (64 * n_words)) - 1
            raw = b"".join((body.get(attribute, -1) & whole).to_bytes(8 * n_words, "little") for body in self._bodies)
            self._words[attribute] = np.frombuffer(raw, dtype="<u8").reshape(len(live), n_words)

    def meeting(self, nth: int) -> IntArray:
        """Which later rules can fire for the same record."""
        left = np.arange(nth + 1, len(self._bodies))
        for attribute in self._bodies[nth]:
            words = self._words[attribute]
            left = left[((words[left] & words[nth]) != 0).any(axis=1)]
            if not len(left):
                break
        return left


# ---- no rule for a record --------------------------------------------------------------------------------------------


def _uncovered(space: CellSpace, most: int, pause: Pause) -> tuple[Box | None, bool]:
    """A box of cells that no rule covers, and whether it is decided that there is one or none.

    The rule with the fewest conditions left in a box must fail there by its first condition, or meet that and fail by
    its second, and so on: each way is a smaller box, of which those rules are left that can fire there.
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
        body, open_ones = min(left, key=lambda each: len(each[1]))
        ahead += _ways_to_fail(box, body, open_ones, [each for each, _ in left])
    return None, True


def _ways_to_fail(box: Box, body: Box, attributes: list[int], left: list[Box]) -> list[tuple[Box, list[Box]]]:
    """The boxes in which a rule fails; the last, which is searched first, is the one that fails by the condition that
    most rules share."""
    shared = {a: sum(a in other for other in left) for a in attributes} if len(attributes) > 1 else {}
    ways, inner = [], dict(box)
    for attribute in sorted(attributes, key=lambda a: -shared.get(a, 0)):
        ways.append(({**inner, attribute: inner[attribute] & ~body[attribute]}, left))
        inner[attribute] &= body[attribute]
    return ways[::-1]


def exclusive_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    """Whether two rules can fire for one record, among these records and at all."""
    return f"{_exclusive_words(rules, here, there)}{_divided_words(rules, here)}"


def _divided_words(rules: RuleSet, here: DataOverlap | None) -> str:
    """That rules divide records without a value, about which the other words say nothing."""
    if not rules.divides:
        return ""
    if here is None:
        return " Records without a value are left out: rules divide them."
    n = here.divided
    lack = "lacks a value and is" if n == 1 else "lack a value and are"
    return f" {_records(n)} {lack} left out: rules divide such records." if n else ""


def _exclusive_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    if there.exclusive:
        return "Mutually exclusive: no record, here or elsewhere, can meet two rules."
    then = "the first of them decides" if rules.is_ordered else "their votes are added"
    if here is not None and not here.exclusive:
        n = len(here.several)
        return f"Not mutually exclusive: {n:,} of {_records(here.n)} meet{_s(n)} more than one rule; {then}."
    if here is None:
        return f"Not mutually exclusive: a record can meet more than one rule; {then}."
    which = "one with a missing value" if there.overlap_needs_missing else "one"
    return f"Mutually exclusive here: no record meets two rules. But there could be {which} that does; then {then}."


def exhaustive_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    """Whether every record meets a rule, among these and at all."""
    return f"{_exhaustive_words(rules, here, there)}{_divided_words(rules, here)}"


def _exhaustive_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    if there.exhaustive:
        return "Exhaustive: every record, here or elsewhere, meets a rule."
    label = rules.schema.classes[rules.default_decision]
    then = f"the default rule decides, {label}"
    if here is not None and not here.exhaustive:
        n = len(here.none)
        return f"Not exhaustive: {n:,} of {_records(here.n)} meet{_s(n)} no rule; {then}."
    start = "" if here is None else "Exhaustive here: every record meets a rule. "
    if there.gap is None:
        return f"{start}Whether every other record meets one would take too long to find out."
    which = "one with a missing value" if there.gap_needs_missing else "one"
    if here is None:
        return f"Not exhaustive: there can be {which if which != 'one' else 'a record'} that meets no rule; {then}."
    return f"{start}But there could be {which} that meets none; then {then}."


def example_words(rules: RuleSet, example: CounterExample) -> str:
    """A record that shows it, and what happens to it: ``age = 3, colour = red: rules 2 and 5 fire``."""
    said = point_words(rules, example.point)
    if not example.fired:
        return f"{said}: no rule fires"
    return f"{said}: {rules_words(example.fired)} fire"


def rules_words(rules: Sequence[int], at_most: int = 6) -> str:
    """Several rules by their places: ``rules 1, 4 and 7``."""
    named = [f"{rule + 1:,}" for rule in rules[:at_most]]
    if len(rules) > at_most:
        return f"rules {', '.join(named)} and {len(rules) - at_most:,} more"
    return f"rule {named[0]}" if len(named) == 1 else f"rules {', '.join(named[:-1])} and {named[-1]}"


def _records(n: int) -> str:
    return f"{n:,} record{'' if n == 1 else 's'}"


def _s(n: int) -> str:
    return "s" if n == 1 else ""


MOST_SAID: Final = 12


@dataclass(frozen=True)
class NegatedRule:
    """An earlier rule that did not fire: of its conditions these, by their positions, do not all hold."""

    rule: int
    conditions: tuple[int, ...]
    may_be_missing: bool
    """Whether a record of the later rule can have a missing value in the one condition that is left."""


@dataclass(frozen=True)
class InheritedConditions:
    """What a rule of a list inherits: ``apart`` earlier rules could not fire with it anyway; ``blocked_by`` is an
    earlier rule that always fires where it does, so that it never decides."""

    rule: int
    denied: tuple[NegatedRule, ...]
    apart: int
    blocked_by: int | None = None


def inherited(space: CellSpace, rule: int) -> InheritedConditions:
    """What is left to be denied for a rule, or the default one, of a list; ``space`` is one with missing values."""
    own = space.whole()
    body = {} if rule == DEFAULT_RULE else space.bodies[rule]
    for attribute, mask in (body or {}).items():
        own[attribute] &= mask
    last = space.rules.n_rules if rule == DEFAULT_RULE else rule
    denied: list[NegatedRule] = []
    said: set[frozenset[int]] = set()
    apart = 0
    for before in range(last):
        other = space.bodies[before]
        if body is None or other is None or any(own[a] & mask == 0 for a, mask in other.items()):
            apart += 1
            continue
        left = {a for a, mask in other.items() if own[a] & ~mask}
        if not left:
            return InheritedConditions(rule, (), apart, before)
        found = _denied(space, before, left, own)
        if frozenset(found.conditions) not in said:
            said.add(frozenset(found.conditions))
            denied.append(found)
    return InheritedConditions(rule, tuple(denied), apart)


def _denied(space: CellSpace, rule: int, left: set[int], own: Box) -> NegatedRule:
    rules = space.rules
    conditions = tuple(c for c in rules.conditions(rule) if int(rules.attribute[c]) in left)
    attribute = int(rules.attribute[conditions[0]])
    missing = 1 << space.sizes[attribute]
    return NegatedRule(rule, conditions, bool(own[attribute] & missing) and not rules.takes_missing[conditions[0]])


def inherited_words(rules: RuleSet, found: InheritedConditions, *, at_most: int = MOST_SAID) -> tuple[str, ...]:
    """A line for each rule that is denied, the first ``at_most`` of them, and what there is to say of the others."""
    if found.blocked_by is not None:
        return (f"It never decides: rule {found.blocked_by + 1:,} fires wherever it would.",)
    lines = [f"not rule {denied.rule + 1:,}: {denied_words(rules, denied)}" for denied in found.denied[:at_most]]
    rest = len(found.denied) - at_most
    if rest > 0:
        lines.append(f"and none of {rest:,} more rule{'' if rest == 1 else 's'}")
    if found.apart:
        n = found.apart
        lines.append(f"{n:,} earlier rule{'' if n == 1 else 's'} cannot fire for its records anyway.")
    return tuple(lines) or ("It inherits nothing: it stands first.",)


def denied_words(rules: RuleSet, denied: NegatedRule) -> str:
    """What holds as an earlier rule did not fire: ``age > 3 or missing``, ``not (age <= 3 and colour = red)``."""
    if len(denied.conditions) > 1:
        return f"not ({' and '.join(condition_words(rules, c) for c in denied.conditions)})"
    (c,) = denied.conditions
    name = rules.schema.attributes[int(rules.attribute[c])].name
    known = None if rules.takes_missing[c] else _opposite(rules, c)
    if known is None:
        return f"not ({condition_words(rules, c)})"
    return f"{name} {known}{' or missing' if denied.may_be_missing else ''}"


def _opposite(rules: RuleSet, c: int) -> str | None:
    """The known values that fail a condition, in words; None where there is no shorter way than to deny it."""
    if rules.is_numeric(c):
        low, high = float(rules.low[c]), float(rules.high[c])
        if low == -inf and high < inf:
            return f"> {number(high)}"
        if high == inf and low > -inf:
            return f"{'<=' if rules.low_is_open[c] else '<'} {number(low)}"
        return None
    attribute = rules.schema.attributes[int(rules.attribute[c])]
    others = [value for code, value in enumerate(attribute.values) if code not in rules.values_of(c)]
    if attribute.kind is AttributeKind.ORDINAL or not others or len(others) > 4:
        return None
    return f"= {listed(others)}"
