"""The model that a learner of rules induces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes, Explanation, Model, Probabilities, State
from algorithms.core.rule_set import DEFAULT_RULE, Int32Array, RuleSet
from algorithms.core.schema import Schema
from algorithms.rules.divided import probabilities_of_parts
from algorithms.rules.matching import Matcher
from algorithms.rules.validation import checked_rules
from algorithms.rules.words import if_words, largest_parts, name_of, parts_words, rule_words, weight_words


class RuleModel(Model):
    """Rules that classify: the first one that fires decides, or all that fire vote; where none does, the default rule.

    A value that is missing fails every condition but one that says otherwise; where the rules divide records, it meets
    a condition in part, and each rule decides its part (see :mod:`algorithms.rules.divided`). The probabilities of a
    list are those of :meth:`RuleSet.probabilities` for the rule that decides; of rules that vote, the shares of the
    summed votes.
    """

    id: ClassVar[str] = "rules"

    def __init__(self, rules: RuleSet, *, partial: bool = False) -> None:
        super().__init__(rules.schema, partial=partial)
        self.rules = rules

    def __repr__(self) -> str:
        return f"RuleModel({self.rules.n_rules} rules)"

    @cached_property
    def matcher(self) -> Matcher:
        """What finds the rules that fire."""
        return Matcher(self.rules)

    @cached_property
    def _probabilities(self) -> FloatArray:
        return self.rules.probabilities()

    @cached_property
    def _decisions(self) -> Int32Array:
        """What each rule, and at the end the default one, decides (r + 1,)."""
        return np.append(self.rules.decision, self.rules.default_decision).astype(np.int32)

    # ---- classifying -----------------------------------------------------------------------------------------------

    def _predict_proba(self, data: Dataset) -> Probabilities:
        if self.rules.is_ordered:
            found = np.asarray(self._probabilities[self.matcher.first(data)])
            for rows, parts in self.matcher.parts(data):
                found[rows] = probabilities_of_parts(self.rules, parts)
            return found
        votes = self.matcher.voted(data)
        sums = votes.sum(axis=1, keepdims=True)
        default = self._probabilities[DEFAULT_RULE]
        return np.where(sums > 0, votes / np.where(sums > 0, sums, 1.0), default)

    def _predict(self, data: Dataset) -> Codes:
        if self.rules.is_ordered:
            found = self._decisions[self.matcher.first(data)].astype(np.int32)
            for rows, parts in self.matcher.parts(data):
                shares = probabilities_of_parts(self.rules, parts)
                ties = shares >= shares.max(axis=1, keepdims=True) - 1e-12
                found[rows] = np.where(ties[np.arange(len(rows)), found[rows]], found[rows], np.argmax(ties, axis=1))
            return found
        return super()._predict(data)

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> RuleSet:
        return self.rules

    def facts(self) -> dict[str, int | float]:
        return {"rules": self.rules.n_rules, "conditions": self.rules.n_conditions}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """The rule that decides the record, with its conditions and how right it was in training, and which other
        rules fire too. ``parts`` are the rules that fire, the one that decides first."""
        record = aligned(self.schema, data).take([row])
        fired = self.matcher.fired(record, 0).tolist()
        steps = self.steps_of(fired, self.rules, self.parts_of(record))
        probabilities = self._predict_proba(record)[0]
        decision = int(self._predict(record)[0])
        return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps), tuple(fired))

    def parts_of(self, record: Dataset) -> FloatArray | None:
        """The part (r + 1,) that each rule, and the default one, decides of one record under the rules' schema; None
        where one rule decides all of it."""
        for _, parts in self.matcher.parts(record):
            if np.count_nonzero(parts[0] > 0) > 1:
                return np.asarray(parts[0])
        return None

    def steps_of(self, fired: Sequence[int], worded: RuleSet, parts: FloatArray | None = None) -> list[str]:
        """What :meth:`explain` says where these rules fire, or decide these ``parts`` (:meth:`parts_of`), with the
        numbers of their conditions as in ``worded``, the same rules in other units."""
        if parts is not None:
            largest = [rule for rule in largest_parts(parts)[:4] if rule != DEFAULT_RULE]
            words = [f"{name_of(rule)}: {rule_words(worded, rule)}, {self._record(rule)}" for rule in largest]
            return [parts_words(self.rules, parts), *(f"{line[0].upper()}{line[1:]}" for line in words)]
        return self._list_steps(fired, worded) if self.rules.is_ordered else self._vote_steps(fired, worded)

    def _list_steps(self, fired: Sequence[int], worded: RuleSet) -> list[str]:
        rules = self.rules
        rule = fired[0] if fired else DEFAULT_RULE
        said = name_of(rule)
        steps = [] if rule == DEFAULT_RULE else [f"Because {if_words(worded, rule)}"]
        steps.append(f"{said[0].upper()}{said[1:]} decides: {self._record(rule)}")
        if not fired and rules.n_rules:
            steps.append("No other rule fires")
        others = [i for i in fired[1:] if rules.decision[i] != rules.decision_of(rule)]
        if others:
            says = ", ".join(f"{name_of(i)} ({self.classes[int(rules.decision[i])]})" for i in others[:4])
            more = f" and {len(others) - 4} more" if len(others) > 4 else ""
            steps.append(f"Further down would say otherwise: {says}{more}")
        return steps

    def _vote_steps(self, fired: Sequence[int], worded: RuleSet) -> list[str]:
        if not fired:
            return [f"No rule fires: {self._record(DEFAULT_RULE)}"]
        return [f"{name_of(i)}: {rule_words(worded, i)}, {self._record(i)}" for i in fired]

    def _record(self, rule: int) -> str:
        """What a rule says, and how often that was right in training."""
        counts = self.rules.decided_by(rule)
        decision = self.rules.decision_of(rule)
        total, label = float(counts.sum()), self.classes[decision]
        if total <= 0:
            return f"{label}, no training record was left for it"
        return f"{label}, right for {weight_words(float(counts[decision]))} of {weight_words(total)} in training"

    # ---- on disk ---------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        rules = self.rules
        values: dict[str, Any] = {
            "partial": self.partial,
            "default_decision": rules.default_decision,
            "is_ordered": rules.is_ordered,
            "correction": rules.correction,
            "criterion": rules.criterion,
            "by_coverage": rules.by_coverage,
        }
        return State(values, rules.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_rules(schema, state.arrays, state.values), partial=state.values.get("partial") is True)
