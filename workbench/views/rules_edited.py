"""Whether rules are others changed by hand, and where a rule of those stands now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.rule_set import DEFAULT_RULE, RuleSet

_ALIKE: Final = 0.5
"""At least this share of the conditions of the shorter rules are those of the others: one change is made at a time."""


def is_edit_of(new: RuleSet, old: RuleSet) -> bool:
    """Whether rules are likely the old ones with one change, not those of another run."""
    if new.schema != old.schema or abs(new.n_rules - old.n_rules) > 1 or new.is_ordered != old.is_ordered:
        return False
    some, more = sorted((_conditions(new), _conditions(old)), key=len)
    return len(some) == 0 or float(np.isin(some, more).mean()) >= _ALIKE


def places_now(old: RuleSet, new: RuleSet, rules: Iterable[int]) -> set[int]:
    """Where in ``new`` the rules are that say just what some of ``old`` say; those that are no more are left out."""
    found = set[int]()
    own, other = _conditions(old), _conditions(new)
    for rule in rules:
        if rule == DEFAULT_RULE:
            found.add(rule)
            continue
        said = own[list(old.conditions(rule))]
        alike = (new.decision == old.decision[rule]) & (np.diff(new.rule_start) == len(said))
        for place in np.flatnonzero(alike).tolist():
            if place not in found and np.array_equal(other[list(new.conditions(place))], said):
                found.add(place)
                break
    return found


def _conditions(rules: RuleSet) -> NDArray[np.void]:
    """Each condition as one value that can be compared."""
    columns: list[NDArray[np.float64]] = [
        rules.attribute.astype(np.float64),
        np.nan_to_num(rules.low),
        np.nan_to_num(rules.high),
        rules.low_is_open.astype(np.float64),
        rules.takes_missing.astype(np.float64),
        _values(rules),
    ]
    table = np.ascontiguousarray(np.column_stack(columns))
    return table.view(np.dtype((np.void, table.dtype.itemsize * table.shape[1]))).ravel()


def _values(rules: RuleSet) -> NDArray[np.float64]:
    """A number for the values that each condition lists: different ones, but by a rare chance, have different ones."""
    found = np.zeros(rules.n_conditions)
    listed = np.flatnonzero(rules.offset >= 0)
    if len(listed):
        starts = rules.offset[listed].astype(np.int64)
        own = np.append(rules.value_in, 0)
        at = np.arange(len(own)) - np.repeat(starts, np.diff(np.append(starts, len(own))))
        found[listed] = np.add.reduceat(own * np.random.default_rng(1).random(len(own))[at], starts)
    return found
