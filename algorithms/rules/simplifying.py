"""Rules made more general: conditions dropped as long as the rule is not expected to err more often.

Source: Quinlan, C4.5: Programs for Machine Learning (1993), section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.data import Dataset
from algorithms.core.rule_set import Condition, Rule, put_together
from algorithms.rules.matching import Matcher
from algorithms.rules.shortening import Watch, pessimistic, shortened

Bools = NDArray[np.bool_]
Checkpoint = Callable[[], None]

_MOST_KEPT: Final = 1 << 28
"""So many answers (records times conditions) are remembered at most."""


class Answers:
    """Which records meet which conditions; what was found is remembered as far as there is room."""

    def __init__(self, data: Dataset, checkpoint: Checkpoint) -> None:
        self.data = data
        self._checkpoint = checkpoint
        self._known: dict[Condition, Bools] = {}

    def meets(self, condition: Condition) -> Bools:
        """Which records (n,) meet a condition."""
        found = self._known.get(condition)
        if found is None:
            rules = put_together(self.data.schema, [Rule((condition,), 0)], 0)
            found = Matcher(rules).covered(0, self.data, self._checkpoint)
            if (len(self._known) + 1) * len(self.data) <= _MOST_KEPT:
                self._known[condition] = found
        return found

    def meets_all(self, conditions: tuple[Condition, ...]) -> Bools:
        """Which records (n,) meet all of these conditions."""
        found = np.ones(len(self.data), dtype=np.bool_)
        for condition in conditions:
            found &= self.meets(condition)
        return found


@dataclass(frozen=True)
class Simplified:
    """A rule, the share of errors that is expected of it on new records, and which records (n,) it covers."""

    rule: Rule
    error: float
    covered: Bools = field(repr=False, compare=False)


class Simplifier:
    """Drops conditions of rules, one after the other, judged by the records of ``answers``.

    ``confidence`` is that of the upper bound of a rule's error rate.
    """

    def __init__(self, answers: Answers, confidence: float) -> None:
        self._answers, self._confidence = answers, confidence
        data = answers.data
        self._codes = data.class_codes
        self._weights = np.array(data.weight_array, dtype=np.float64)
        self._of_class = np.bincount(self._codes, self._weights, minlength=len(data.schema.classes))

    def guessing_error(self, target: int) -> float:
        """The share of errors expected of a rule for this class without conditions, and of one that covers nothing."""
        return 1.0 - (float(self._of_class[target]) + 1.0) / (float(self._of_class.sum()) + 2.0)

    def meets(self, condition: Condition) -> Bools:
        """Which records (n,) meet a condition."""
        return self._answers.meets(condition)

    def simplified(self, rule: Rule, watch: Watch | None = None) -> Simplified:
        """The rule without the conditions that can be spared (:func:`~algorithms.rules.shortening.shortened`)."""
        sums = np.stack([self._weights, np.where(self._codes == rule.decision, 0.0, self._weights)], axis=1)
        meets = [self._answers.meets(condition) for condition in rule.conditions]
        failed = ~np.array(meets) if meets else np.zeros((0, len(sums)), np.bool_)
        errors = pessimistic(self._confidence, self.guessing_error(rule.decision))
        kept, error = shortened(failed, sums, errors, watch)
        covered: Bools = np.logical_not(failed[kept].any(axis=0))
        return Simplified(Rule(tuple(rule.conditions[i] for i in kept), rule.decision), error, covered)
