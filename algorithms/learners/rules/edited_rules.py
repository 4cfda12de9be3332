"""Rules that a learner found and a person changed: a learner of its own, so that they can be judged like any others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model
from algorithms.core.model_editing import EditedByHand, EditsApplied
from algorithms.core.parameters import learner as learner_parameter
from algorithms.core.parameters import text
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.edits import (
    RuleEdits,
    changed,
    default_after,
    rule_edits_from_text,
    rule_edits_to_text,
    rules_listed,
)
from algorithms.learners.rules.matching import RuleMatcher
from algorithms.learners.rules.model import KERNELS, RuleLearner, RuleModel
from algorithms.learners.rules.ripper import Ripper
from algorithms.structures.rule_set import RuleSet, put_together


@dataclass(frozen=True, kw_only=True)
class EditedRules(EditedByHand):
    """The rules of ``base``, changed by hand.

    ``edits`` is JSON text (:mod:`algorithms.learners.rules.edits`). On any records ``base`` finds its rules first; then
    each change is made in turn at the rule that says the same. Where there is none, that change is left out. The rules
    keep the classes they had; what each covers and decides is counted anew.
    """

    id: ClassVar[str] = "edited-rules"
    name: ClassVar[str] = "Rules edited by hand"
    sentence: ClassVar[str] = "Rules that were found by another learner and then changed by a person, one by one."
    family: ClassVar[str] = "Rules"
    kernels: ClassVar[tuple[str, ...]] = (*Ripper.kernels, *KERNELS)
    kind: ClassVar[str] = "rules"
    whole: ClassVar[str] = "rules"
    came_about: ClassVar[str] = "were found"
    leads_there: ClassVar[str] = "where there was a rule that says the same"

    base: Learner = learner_parameter(Ripper(), label="Found by", help="The learner whose rules were changed.")
    edits: str = text("[]", label="Changes", help="What was changed by hand, as plain data.")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "edits", rule_edits_to_text(rule_edits_from_text(self.edits)))

    @property
    def grower(self) -> Learner:
        return self.base

    @cached_property
    def changes(self) -> RuleEdits:
        """What was changed, in turn."""
        return rule_edits_from_text(self.edits)

    def changed_model(self, model: Model, edits: Sequence[Any], data: Dataset, context: RunContext) -> Model:
        """A model of ``base`` on ``data`` with these changes made; tells which by :class:`EditsApplied`."""
        ensure_compiled(KERNELS, context)
        rules = model.structure()
        if not isinstance(rules, RuleSet):
            raise DataError(f"{self.base.name} finds no rules that could be changed.", remedy="Choose a rule learner.")
        listed, made, default = rules_listed(rules), [], rules.default_decision
        for edit in edits:
            context.checkpoint()
            found = changed(rules.schema, listed, edit)
            made.append(found is not None)
            listed = listed if found is None else found
            default = default_after(rules.schema, default, edit)
        weights = data.weights
        weighty = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
        bare = put_together(rules.schema, listed, default, is_ordered=rules.is_ordered)
        counted = RuleMatcher(bare).counted(weighty, context.checkpoint)
        if not rules.is_ordered and isinstance(self.base, RuleLearner):
            counted = self.base.finished(counted)
        context.publish(EditsApplied(tuple(made)))
        kept = replace(
            counted,
            decision=bare.decision,
            default_decision=default,
            correction=rules.correction,
            criterion=rules.criterion,
        )
        return RuleModel(kept, partial=model.partial)
