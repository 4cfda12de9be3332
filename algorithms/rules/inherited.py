"""What a rule far down a list really says: that none of the rules before it fired.

Of each rule before, only that part is left to be denied which is not settled by the rule itself: one that cannot fire
for the same record says nothing, and of the others the conditions that hold anyway for its records are left out.
Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (ordered rules).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

from algorithms.core.rule_set import DEFAULT_RULE, RuleSet
from algorithms.core.schema import Kind
from algorithms.rules.space import Box, Space
from algorithms.rules.words import condition_words
from algorithms.trees.words import listed, number

MOST_SAID: Final = 12


@dataclass(frozen=True)
class Denied:
    """An earlier rule that did not fire: of its conditions these, by their positions, do not all hold."""

    rule: int
    conditions: tuple[int, ...]
    may_be_missing: bool
    """Whether a record of the later rule can have a missing value in the one condition that is left."""


@dataclass(frozen=True)
class Inherited:
    """What a rule of a list inherits: ``apart`` earlier rules could not fire with it anyway; ``blocked_by`` is an
    earlier rule that always fires where it does, so that it never decides."""

    rule: int
    denied: tuple[Denied, ...]
    apart: int
    blocked_by: int | None = None


def inherited(space: Space, rule: int) -> Inherited:
    """What is left to be denied for a rule, or the default one, of a list; ``space`` is one with missing values."""
    own = space.whole()
    body = {} if rule == DEFAULT_RULE else space.bodies[rule]
    for attribute, mask in (body or {}).items():
        own[attribute] &= mask
    last = space.rules.n_rules if rule == DEFAULT_RULE else rule
    denied: list[Denied] = []
    said: set[frozenset[int]] = set()
    apart = 0
    for before in range(last):
        other = space.bodies[before]
        if body is None or other is None or any(own[a] & mask == 0 for a, mask in other.items()):
            apart += 1
            continue
        left = {a for a, mask in other.items() if own[a] & ~mask}
        if not left:
            return Inherited(rule, (), apart, before)
        found = _denied(space, before, left, own)
        if frozenset(found.conditions) not in said:
            said.add(frozenset(found.conditions))
            denied.append(found)
    return Inherited(rule, tuple(denied), apart)


def _denied(space: Space, rule: int, left: set[int], own: Box) -> Denied:
    rules = space.rules
    conditions = tuple(c for c in rules.conditions(rule) if int(rules.attribute[c]) in left)
    attribute = int(rules.attribute[conditions[0]])
    missing = 1 << space.sizes[attribute]
    return Denied(rule, conditions, bool(own[attribute] & missing) and not rules.takes_missing[conditions[0]])


def inherited_words(rules: RuleSet, found: Inherited, *, at_most: int = MOST_SAID) -> tuple[str, ...]:
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


def denied_words(rules: RuleSet, denied: Denied) -> str:
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
    if attribute.kind is Kind.ORDINAL or not others or len(others) > 4:
        return None
    return f"= {listed(others)}"
