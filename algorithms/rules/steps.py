"""How rules came about, step by step: grown condition by condition, cut back, kept or dropped, records removed.

Nothing is learned in another way: the learner's own search is watched on the records and with the seed it had, so that
the last step has its own rules. What it weighed at each condition is reckoned again in the plainest way.
Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, Figures 5.2 to 5.4 (first edition).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.by_hand import EditedByHand
from algorithms.core.columns import IntArray
from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.rule_set import Condition, Rule
from algorithms.rules.ranked import LAST_RANK, Ranked
from algorithms.rules.ripper import Ripper
from algorithms.rules.sequential_covering import SequentialCovering

MOST_WEIGHED: Final = 12
"""So many of the best conditions are shown that were weighed."""


class Phase(StrEnum):
    """What happens in a step."""

    BEGIN = "begin"
    """Rules for a class are looked for among the records that are left."""
    GROW = "grow"
    """The rule gets one condition more."""
    PRUNE = "prune"
    """The rule is cut back to what does best on the records held out."""
    KEEP = "keep"
    """The rule is kept and its records are removed."""
    DROP = "drop"
    """The rule is not kept, and no more are looked for."""
    REPLACE = "replace"
    """Another rule, or the same one revised, takes the place of a rule."""
    WAY = "way"
    """A way of the tree is a rule."""
    SPARE = "spare"
    """The rule loses a condition that it can spare."""
    CANDIDATE = "candidate"
    """The rule is one to choose from."""
    TWIN = "twin"
    """The rule is there already."""
    WORSE = "worse"
    """The rule is no better than guessing."""
    CHOOSE = "choose"
    """Of the rules for a class those are kept that describe it in the fewest bits."""
    HARM = "harm"
    """A rule goes but for which more records would be right."""
    END = "end"
    """The rules are all there."""


@dataclass(frozen=True)
class Weighed:
    """A condition that could be added: what it is worth by the learner's measure, and the weight that the rule would
    cover then, of its class and in all."""

    condition: Condition
    worth: float
    right: float
    covered: float
    is_chosen: bool = False


@dataclass(frozen=True)
class Compared:
    """A rule among others to choose from: the share of errors expected of it, the weight that it is right about and the
    one that it covers, and whether it is kept."""

    rule: Rule
    error: float
    right: float
    covered: float
    is_kept: bool


@dataclass(frozen=True, eq=False)
class RuleStep:
    """One step about a rule for ``target``. ``left`` are the records that were not removed before, ``covered`` those of
    them that meet the rule as it is now; ``rules`` are those there are by now. ``bits`` is the length of the
    description with the rule, ``fewest`` the shortest one so far, where the learner asks for it. ``before`` is the
    rule as it was, ``compared`` are the rules to choose from."""

    phase: Phase
    target: int
    rule: Rule
    left: IntArray = field(repr=False)
    covered: IntArray = field(repr=False)
    rules: tuple[Rule, ...] = field(repr=False, default=())
    weighed: tuple[Weighed, ...] = field(repr=False, default=())
    before: Rule | None = None
    bits: float | None = None
    fewest: float | None = None
    compared: tuple[Compared, ...] = field(repr=False, default=())


@dataclass(frozen=True, eq=False)
class Story:
    """How the ``rules`` of a learner came about on ``data``; ``measure`` is what conditions are weighed by."""

    data: Dataset
    steps: tuple[RuleStep, ...]
    rules: tuple[Rule, ...]
    default: int
    measure: str
    cutting: str = "On the records held out"
    """By what it is judged how a rule is cut back."""


def story(learner: Learner, data: Dataset, context: RunContext) -> Story:
    """The steps by which a learner finds its rules on ``data``, given the context that its fit would have.

    Of rules that were changed by hand it is how they were found. Raises :class:`DataError` for other learners.
    """
    base = learner.grower if isinstance(learner, EditedByHand) else learner
    ensure_compiled(base.kernels, context)
    known = data if bool(np.all(data.class_codes >= 0)) else data.take(data.class_codes >= 0)
    weights = known.weights
    weighty = known if weights is None or bool(np.all(weights > 0)) else known.take(weights > 0)
    from algorithms.rules.c45_rules import (
        C45Rules,
    )  # late, as what follows: each of them is told in terms of this module

    if isinstance(base, Ripper):
        from algorithms.rules.ripper_steps import ripper_story

        return ripper_story(base, weighty, context)
    if isinstance(base, SequentialCovering):
        from algorithms.rules.covering_steps import covering_story

        return covering_story(base, weighty, context)
    if isinstance(base, C45Rules):
        from algorithms.rules.rewriting_steps import rewriting_story

        return rewriting_story(base, weighty, context)
    raise DataError(
        f"{base.name} does not find one rule after the other.",
        remedy="RIPPER, sequential covering and C4.5 rules can be followed step by step.",
    )


class Notes:
    """What was heard so far."""

    def __init__(self, ranked: Ranked) -> None:
        self.ranked = ranked
        self.steps: list[RuleStep] = []
        self.kept: list[Rule] = []

    def rule(self, bounds: Sequence[tuple[int, int, int]], target: int) -> Rule:
        """A rule in values, its bounds of one predictor made one condition."""
        one: dict[int, tuple[int, int]] = {}
        for place, low, high in bounds:
            known = one.get(place, (0, LAST_RANK))
            one[place] = max(known[0], low), min(known[1], high)
        return Rule(tuple(self.ranked.condition(place, *ends) for place, ends in one.items()), target)

    def met(self, rows: IntArray, bounds: Sequence[tuple[int, int, int]]) -> IntArray:
        """The records among some that meet all conditions."""
        for place, low, high in bounds:
            ranks = self.ranked.ranks[place, rows].astype(np.int64)
            rows = rows[(ranks >= low) & (ranks <= high)]
        return rows

    def add(
        self,
        phase: Phase,
        target: int,
        bounds: Sequence[tuple[int, int, int]],
        left: IntArray,
        *,
        weighed: tuple[Weighed, ...] = (),
        before: Sequence[tuple[int, int, int]] | None = None,
        bits: float | None = None,
        fewest: float | None = None,
    ) -> None:
        old = None if before is None else self.rule(before, target)
        rule, covered = self.rule(bounds, target), self.met(left, bounds)
        kept = tuple(self.kept)
        self.steps.append(RuleStep(phase, target, rule, left, covered, kept, weighed, old, bits, fewest))


def ended(notes: Notes | None, data: Dataset, default: int, measure: str) -> Story:
    """The story with its last step."""
    every = np.arange(len(data))
    found = notes or Notes(Ranked.of(data, lambda: None))
    rules = tuple(found.kept)
    left = every
    for rule in rules:
        left = left[~meets(data, rule, left)]
    end = RuleStep(Phase.END, default, Rule((), default), every, left, rules)
    return Story(data, (*found.steps, end), rules, default, measure)


def meets(data: Dataset, rule: Rule, rows: IntArray) -> NDArray[np.bool_]:
    """Which of some records meet a rule."""
    found = np.ones(len(rows), dtype=np.bool_)
    for condition in rule.conditions:
        cells = np.asarray(data.column(condition.attribute))[rows]
        if condition.values is not None:
            found &= np.isin(cells, condition.values)
        else:
            found &= (cells >= condition.low) & (cells <= condition.high)
    return found
