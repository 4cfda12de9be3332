"""From data to a model of rules."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Final

import numpy as np

from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Learner
from algorithms.core.rule_set import RuleSet
from algorithms.rules.matching import KERNELS as MATCHING_KERNELS
from algorithms.rules.matching import Matcher, decided_as_counted
from algorithms.rules.model import RuleModel

KERNELS: Final = ("algorithms.trees.sorting_kernels", *MATCHING_KERNELS)
"""The modules of compiled loops that every learner of rules needs."""


class Interrupted(Exception):  # noqa: N818 - nothing is wrong: the rules there are make the model
    """The run is to be finished with the rules there are."""


class RuleLearner(Learner):
    """What learners of a list of rules share: records that weigh nothing are as if absent, and each rule is counted
    and decides as its training records say."""

    family: ClassVar[str] = "Rules"
    kernels: ClassVar[tuple[str, ...]] = KERNELS

    def _fit(self, data: Dataset, context: RunContext) -> RuleModel:
        ensure_compiled(self.kernels, context)
        weights = data.weights
        weighty = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
        rules, partial = self._induced(weighty, context)
        return RuleModel(self._finished(Matcher(rules).counted(weighty, context.checkpoint)), partial=partial)

    def finished(self, counted: RuleSet) -> RuleSet:
        """Rules that somebody changed, counted on the training records, as this learner would give them."""
        return self._finished(counted)

    def _finished(self, counted: RuleSet) -> RuleSet:
        """What becomes of the rules when their training records are counted."""
        return decided_as_counted(counted)

    @abstractmethod
    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        """The rules, yet without counts, and whether they were finished early."""


def counted_by(rules: RuleSet, data: Dataset, context: RunContext) -> RuleSet:
    """The rules of a list with the weights of these records as their counts, each deciding as these say."""
    return decided_as_counted(Matcher(rules).counted(data, context.checkpoint))


def class_weights(data: Dataset) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The weight of the records of each class (k,)."""
    counts = np.bincount(data.class_codes, data.weights, minlength=len(data.schema.classes))
    return counts.astype(np.float64)
