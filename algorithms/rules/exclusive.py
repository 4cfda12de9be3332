"""Whether rules are mutually exclusive (no record meets two of them) and exhaustive (every record meets one).

Asked of records, the answer is a count. Asked of the whole attribute space it is one of logic: two rules exclude each
other where they have no cell of some attribute in common; a record that no rule covers is searched by making it fail
one rule after the other (whether there is any is as hard as satisfiability, so the search has an end and may not
decide). Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (first edition 5.1.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.rule_set import RuleSet
from algorithms.rules.matching import Matcher
from algorithms.rules.space import Box, Point, Space

Pause = Callable[[], None]

MOST_ASKED: Final = 400_000
"""So many times a rule is asked about a box of cells before the search for a record that none covers is given up."""
_BREATH: Final = 500


@dataclass(frozen=True)
class Example:
    """A record that shows it: its values, and the rules that fire for it (none: the default rule decides)."""

    point: Point
    fired: tuple[int, ...]


@dataclass(frozen=True)
class Anywhere:
    """What holds over the whole attribute space; None where the search ended before it was decided.

    ``overlap`` is a record that meets two rules, ``gap`` one that meets none. Both are asked of records without missing
    values first; where those tell nothing against the rules, of records with missing values too. Where rules divide
    records that lack a value (:attr:`RuleSet.divides`), only records without missing values are asked about.
    """

    exclusive: bool
    exhaustive: bool | None
    overlap: Example | None = None
    gap: Example | None = None

    @property
    def gap_needs_missing(self) -> bool:
        """Whether every record without missing values meets a rule, and only one with some does not."""
        return self.gap is not None and any(value != value for _, value in self.gap.point)

    @property
    def overlap_needs_missing(self) -> bool:
        return self.overlap is not None and any(value != value for _, value in self.overlap.point)


@dataclass(frozen=True, eq=False)
class OnData:
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


def on_data(rules: RuleSet, data: Dataset, pause: Pause = lambda: None) -> OnData:
    """How many rules each record meets. The data must be under the rules' own schema."""
    matcher = Matcher(rules)
    met = matcher.n_fired(data, pause)
    for rows, parts in matcher.parts(data, pause):
        met[rows[np.count_nonzero(parts > 0, axis=1) > 1]] = -1
    divided = int(np.count_nonzero(met < 0))
    return OnData(len(data) - divided, np.flatnonzero(met == 0), np.flatnonzero(met > 1), divided)


def anywhere(rules: RuleSet, pause: Pause = lambda: None, most: int = MOST_ASKED) -> Anywhere:
    """What holds over all records that there could be. ``pause`` is called every few milliseconds and may raise."""
    overlap, gap, decided = None, None, True
    for with_missing in (False,) if rules.divides else (False, True):
        space = Space.of(rules, with_missing=with_missing, pause=pause)
        if overlap is None:
            pair = _meeting(space, pause)
            overlap = None if pair is None else _example(space, pair)
        if gap is None and decided:
            box, decided = _uncovered(space, most, pause)
            gap = None if box is None else _example(space, box)
    return Anywhere(overlap is None, False if gap is not None else True if decided else None, overlap, gap)


def _example(space: Space, box: Box) -> Example:
    """A record in a box, with the rules that fire for it."""
    point = space.point(box)
    return Example(point, fired_at(space.rules, point))


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


def _meeting(space: Space, pause: Pause) -> Box | None:
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


def _both(space: Space, one: Box, other: Box) -> Box:
    box = space.whole()
    for body in (one, other):
        for attribute, mask in body.items():
            box[attribute] &= mask
    return box


class _Tables:
    """The cells of each attribute that the rules take, as bits in words, so that one rule meets all others at once."""

    def __init__(self, space: Space, live: list[int]) -> None:
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


def _uncovered(space: Space, most: int, pause: Pause) -> tuple[Box | None, bool]:
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
