"""Whether rules are mutually exclusive and exhaustive, in words."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.core.rule_set import RuleSet
from algorithms.rules.exclusive import Anywhere, Example, OnData
from algorithms.rules.space import point_words


def exclusive_words(rules: RuleSet, here: OnData | None, there: Anywhere) -> str:
    """Whether two rules can fire for one record, among these records and at all."""
    return f"{_exclusive_words(rules, here, there)}{_divided_words(rules, here)}"


def _divided_words(rules: RuleSet, here: OnData | None) -> str:
    """That rules divide records without a value, about which the other words say nothing."""
    if not rules.divides:
        return ""
    if here is None:
        return " Records without a value are left out: rules divide them."
    n = here.divided
    lack = "lacks a value and is" if n == 1 else "lack a value and are"
    return f" {_records(n)} {lack} left out: rules divide such records." if n else ""


def _exclusive_words(rules: RuleSet, here: OnData | None, there: Anywhere) -> str:
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


def exhaustive_words(rules: RuleSet, here: OnData | None, there: Anywhere) -> str:
    """Whether every record meets a rule, among these and at all."""
    return f"{_exhaustive_words(rules, here, there)}{_divided_words(rules, here)}"


def _exhaustive_words(rules: RuleSet, here: OnData | None, there: Anywhere) -> str:
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


def example_words(rules: RuleSet, example: Example) -> str:
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
