"""The learner of edited rules: replays edits on the rules of another learner (registry entry)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model
from algorithms.core.model_editing import EditedModel, EditsApplied, ModelEdit, edits_parameter
from algorithms.core.parameters import learner_parameter
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.edits import RuleEdit, changed, default_after, rules_listed
from algorithms.learners.rules.model import KERNELS, RuleLearner, RuleMatcher, RuleModel
from algorithms.learners.rules.ripper import Ripper
from algorithms.structures.rule_set import RuleSet, put_together


@dataclass(frozen=True, kw_only=True)
class EditedRules(EditedModel):
    """The rules of ``base`` with edits, each applied to the rule of its name if there is one, then counted again."""

    id: ClassVar[str] = "edited-rules"
    name: ClassVar[str] = "Edited rules"
    sentence: ClassVar[str] = "Rules learned by another learner and edited by a person, one by one."
    family: ClassVar[str] = "Rules"
    kernels: ClassVar[tuple[str, ...]] = (*Ripper.kernels, *KERNELS)
    edit: ClassVar[type[ModelEdit]] = RuleEdit
    came_about: ClassVar[str] = "were found"
    leads_there: ClassVar[str] = "where there was the same rule"

    base: Learner = learner_parameter(Ripper(), label="Base learner", help="The learner whose rules were edited.")
    edits: tuple[RuleEdit, ...] = edits_parameter(RuleEdit)

    def changed_model(self, model: Model, data: Dataset, context: RunContext) -> Model:
        ensure_compiled(KERNELS, context)
        rules = model.structure()
        if not isinstance(rules, RuleSet):
            raise DataError(f"{self.base.name} finds no rules that could be changed.", remedy="Choose a rule learner.")
        listed, applied, default = rules_listed(rules), [], rules.default_decision
        for edit in self.edits:
            context.checkpoint()
            edited = changed(rules.schema, listed, edit)
            applied.append(edited is not None)
            listed = listed if edited is None else edited
            default = default_after(rules.schema, default, edit)
        weighty = data.without_weightless()
        bare = put_together(rules.schema, listed, default, is_ordered=rules.is_ordered)
        counted = RuleMatcher(bare).counted(weighty, context.checkpoint)
        if not rules.is_ordered and isinstance(self.base, RuleLearner):
            counted = self.base.finished(counted)
        context.publish(EditsApplied(tuple(applied)))
        kept = replace(
            counted,
            decision=bare.decision,
            default_decision=default,
            correction=rules.correction,
            criterion=rules.criterion,
        )
        return RuleModel(kept, partial=model.partial)
