"""Follows a learner's search for rules step by step, by the learner's kind; C4.5 rules in full.

RIPPER and sequential covering are followed by :mod:`algorithms.learners.rules.steps`, which also has the steps' texts.
"""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.model_editing import EditedByHand
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.rewriting import (
    ConditionBits,
    Description,
    RuleSelection,
    Simplified,
    Simplifier,
    TreeRewriting,
)
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.rules.steps import (
    ComparedRule,
    RuleHistory,
    RulePhase,
    RuleStep,
    WeighedCondition,
    covering_story,
    ripper_story,
)
from algorithms.learners.rules.tree_paths import joined
from algorithms.structures.rule_set import Rule

MEASURE: Final = "expected error without"


def story(learner: Learner, data: Dataset, context: RunContext) -> RuleHistory:
    """The steps by which a learner finds its rules on ``data``, given the context that its fit would have.

    Of rules that were changed by hand it is how they were found. Raises :class:`DataError` for other learners.
    """
    base = learner.grower if isinstance(learner, EditedByHand) else learner
    ensure_compiled(base.kernels, context)
    known = data if bool(np.all(data.class_codes >= 0)) else data.take(data.class_codes >= 0)
    weights = known.weights
    weighty = known if weights is None or bool(np.all(weights > 0)) else known.take(weights > 0)
    if isinstance(base, Ripper):
        return ripper_story(base, weighty, context)
    if isinstance(base, SequentialCovering):
        return covering_story(base, weighty, context)
    if isinstance(base, C45Rules):
        return rewriting_story(base, weighty, context)
    raise DataError(
        f"{base.name} does not find one rule after the other.",
        remedy="RIPPER, sequential covering and C4.5 rules can be followed step by step.",
    )


def rewriting_story(learner: C45Rules, data: Dataset, context: RunContext) -> RuleHistory:
    """How the ways of the tree became rules."""
    steps: list[RuleStep] = []

    class Watched(_Watched):
        told = steps

    rules, _ = learner.induced(data, context, Watched)
    end = steps.pop()
    return RuleHistory(data, (*steps, end), end.rules, rules.default_decision, MEASURE)


class _Watched(TreeRewriting):
    """Tells what it does; the rules are those it would find unwatched."""

    told: ClassVar[list[RuleStep]]

    def shortened(self, simplifier: Simplifier, rule: Rule) -> Simplified:
        self._candidates: list[Simplified] = getattr(self, "_candidates", [])
        every = np.arange(len(self.data))
        met = np.logical_and.reduce([simplifier.meets(c) for c in rule.conditions]) if rule.conditions else every >= 0
        self._tell(RulePhase.WAY, rule, met)
        before = [rule]

        def watch(kept: list[int], found: FloatArray, expected: FloatArray, place: int) -> None:
            now = Rule(tuple(rule.conditions[i] for i in kept), rule.decision)
            weighed = tuple(
                WeighedCondition(condition, float(e), float(n - wrong), float(n), i == place)
                for i, (condition, e, (n, wrong)) in enumerate(
                    zip(now.conditions, expected[1:], found[1:], strict=True)
                )
            )
            conditions = (*now.conditions[:place], *now.conditions[place + 1 :])
            shorter = Rule(conditions, rule.decision)
            covers = np.logical_and.reduce([simplifier.meets(c) for c in conditions]) if conditions else every >= 0
            self._tell(RulePhase.SPARE, shorter, covers, before=before[-1], weighed=weighed)
            before.append(shorter)

        return simplifier.simplified(rule, watch)

    def is_taken(self, each: Simplified, *, is_sure: bool, is_new: bool) -> bool:
        phase = RulePhase.WORSE if not is_sure else RulePhase.CANDIDATE if is_new else RulePhase.TWIN
        if phase is RulePhase.CANDIDATE:
            self._candidates.append(each)
        self._tell(phase, each.rule, each.covered)
        return super().is_taken(each, is_sure=is_sure, is_new=is_new)

    def subset(
        self,
        own: list[Simplified],
        code: int,
        bits_of: ConditionBits,
        told: Description,
        random: np.random.Generator,
    ) -> RuleSelection:
        choice = super().subset(own, code, bits_of, told, random)
        covers = np.zeros(len(self.data), dtype=np.bool_)
        compared = list[ComparedRule]()
        for each, keep in zip(own, choice.kept.tolist(), strict=True):
            covers |= each.covered & keep
            right = float(self.weights[each.covered & (self.codes == code)].sum())
            rule = Rule(joined(each.rule.conditions), code)
            compared.append(ComparedRule(rule, each.error, right, float(self.weights[each.covered].sum()), keep))
        compared.sort(key=lambda one: (not one.is_kept, one.error))
        self._tell(RulePhase.CHOOSE, Rule((), code), covers, compared=tuple(compared), bits=choice.bits)
        return choice

    def settled(self, rules: list[Simplified]) -> tuple[list[Simplified], int]:
        kept, default = super().settled(rules)
        same = {id(each) for each in kept}
        for each in rules:
            if id(each) not in same:
                self._tell(RulePhase.HARM, each.rule, each.covered)
        left = np.ones(len(self.data), dtype=np.bool_)
        for each in kept:
            left &= ~each.covered
        self._candidates = kept
        self._tell(RulePhase.END, Rule((), default), left)
        return kept, default

    def _tell(
        self,
        phase: RulePhase,
        rule: Rule,
        covered: np.ndarray[tuple[int], np.dtype[np.bool_]],
        *,
        weighed: tuple[WeighedCondition, ...] = (),
        before: Rule | None = None,
        compared: tuple[ComparedRule, ...] = (),
        bits: float | None = None,
    ) -> None:
        left: IntArray = np.arange(len(self.data))
        there = tuple(Rule(joined(each.rule.conditions), each.rule.decision) for each in self._candidates)
        rows = np.flatnonzero(covered)
        step = RuleStep(phase, rule.decision, rule, left, rows, there, weighed, before, bits, None, compared)
        self.told.append(step)
