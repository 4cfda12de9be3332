"""C4.5 rules step by step: its own rewriting of the tree, watched."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.rule_set import Rule
from algorithms.rules.c45_rules import C45Rules
from algorithms.rules.rewriting import ConditionBits, Rewriting
from algorithms.rules.simplifying import Simplified, Simplifier
from algorithms.rules.steps import Compared, Phase, RuleStep, Story, Weighed
from algorithms.rules.subset_choice import Choice, Description
from algorithms.rules.tree_paths import joined

MEASURE = "expected error without"


def rewriting_story(learner: C45Rules, data: Dataset, context: RunContext) -> Story:
    """How the ways of the tree became rules."""
    steps: list[RuleStep] = []

    class Watched(_Watched):
        told = steps

    rules, _ = learner.induced(data, context, Watched)
    end = steps.pop()
    return Story(data, (*steps, end), end.rules, rules.default_decision, MEASURE)


class _Watched(Rewriting):
    """Tells what it does; the rules are those it would find unwatched."""

    told: ClassVar[list[RuleStep]]

    def shortened(self, simplifier: Simplifier, rule: Rule) -> Simplified:
        self._candidates: list[Simplified] = getattr(self, "_candidates", [])
        every = np.arange(len(self.data))
        met = np.logical_and.reduce([simplifier.meets(c) for c in rule.conditions]) if rule.conditions else every >= 0
        self._tell(Phase.WAY, rule, met)
        before = [rule]

        def watch(kept: list[int], found: FloatArray, expected: FloatArray, place: int) -> None:
            now = Rule(tuple(rule.conditions[i] for i in kept), rule.decision)
            weighed = tuple(
                Weighed(condition, float(e), float(n - wrong), float(n), i == place)
                for i, (condition, e, (n, wrong)) in enumerate(
                    zip(now.conditions, expected[1:], found[1:], strict=True)
                )
            )
            conditions = (*now.conditions[:place], *now.conditions[place + 1 :])
            shorter = Rule(conditions, rule.decision)
            covers = np.logical_and.reduce([simplifier.meets(c) for c in conditions]) if conditions else every >= 0
            self._tell(Phase.SPARE, shorter, covers, before=before[-1], weighed=weighed)
            before.append(shorter)

        return simplifier.simplified(rule, watch)

    def is_taken(self, each: Simplified, *, is_sure: bool, is_new: bool) -> bool:
        phase = Phase.WORSE if not is_sure else Phase.CANDIDATE if is_new else Phase.TWIN
        if phase is Phase.CANDIDATE:
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
    ) -> Choice:
        choice = super().subset(own, code, bits_of, told, random)
        covers = np.zeros(len(self.data), dtype=np.bool_)
        compared = list[Compared]()
        for each, keep in zip(own, choice.kept.tolist(), strict=True):
            covers |= each.covered & keep
            right = float(self.weights[each.covered & (self.codes == code)].sum())
            rule = Rule(joined(each.rule.conditions), code)
            compared.append(Compared(rule, each.error, right, float(self.weights[each.covered].sum()), keep))
        compared.sort(key=lambda one: (not one.is_kept, one.error))
        self._tell(Phase.CHOOSE, Rule((), code), covers, compared=tuple(compared), bits=choice.bits)
        return choice

    def settled(self, rules: list[Simplified]) -> tuple[list[Simplified], int]:
        kept, default = super().settled(rules)
        same = {id(each) for each in kept}
        for each in rules:
            if id(each) not in same:
                self._tell(Phase.HARM, each.rule, each.covered)
        left = np.ones(len(self.data), dtype=np.bool_)
        for each in kept:
            left &= ~each.covered
        self._candidates = kept
        self._tell(Phase.END, Rule((), default), left)
        return kept, default

    def _tell(
        self,
        phase: Phase,
        rule: Rule,
        covered: np.ndarray[tuple[int], np.dtype[np.bool_]],
        *,
        weighed: tuple[Weighed, ...] = (),
        before: Rule | None = None,
        compared: tuple[Compared, ...] = (),
        bits: float | None = None,
    ) -> None:
        left: IntArray = np.arange(len(self.data))
        there = tuple(Rule(joined(each.rule.conditions), each.rule.decision) for each in self._candidates)
        rows = np.flatnonzero(covered)
        step = RuleStep(phase, rule.decision, rule, left, rows, there, weighed, before, bits, None, compared)
        self.told.append(step)
