"""Edits of rules as plain data, and the learner that replays them on the rules of another learner.

A rule is named by its class and the kind of test of each condition, not by its place or numbers: rules learned on other
records of the same kind have other thresholds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from typing import Any, ClassVar

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model
from algorithms.core.model_editing import EditedModel, EditsApplied, ModelEdit, edits_parameter, unreadable_edits
from algorithms.core.parameters import learner_parameter
from algorithms.core.plain_json import finite_number
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.rules.model import KERNELS, RuleLearner, RuleMatcher, RuleModel
from algorithms.learners.rules.ripper import Ripper
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together
from algorithms.text.numbers import cut_number
from algorithms.text.sentences import listed


class RuleChange(StrEnum):
    """Kinds of edits."""

    DROP = "drop"
    """Remove a condition from a rule."""
    SET = "set"
    """Replace a condition, or add one where ``part`` is None."""
    MOVE = "move"
    """Move a rule before another one, or to the end."""
    REMOVE = "remove"
    """Remove a rule."""
    WRITE = "write"
    """Insert a new rule before another one, or at the end."""
    OTHERWISE = "otherwise"
    """Set the class of the default rule to that of ``new``."""


@dataclass(frozen=True)
class EditedCondition:
    """A condition in names and labels: a number above ``low`` (or as great) up to ``high``, or one of ``values``."""

    attribute: str
    low: float | None = None
    high: float | None = None
    low_is_open: bool = False
    values: tuple[str, ...] = ()
    missing: bool = False

    @property
    def way(self) -> tuple[Any, ...]:
        """The kind of test, without its numbers."""
        return self.attribute, self.low is None, self.high is None, frozenset(self.values), self.missing

    def words(self) -> str:
        """The condition as text: ``age <= 40``, ``colour = red or blue``."""
        values = f"= {listed(self.values)}" if self.values else self._range_words()
        return f"{self.attribute} {values}{' or missing' if self.missing else ''}"

    def _range_words(self) -> str:
        above = ">" if self.low_is_open else ">="
        if self.low is None and self.high is None:
            return "is known"
        if self.low is None:
            return f"<= {cut_number(self.high or 0.0)}"
        if self.high is None:
            return f"{above} {cut_number(self.low)}"
        return f"{above} {cut_number(self.low)} and <= {cut_number(self.high)}"


@dataclass(frozen=True)
class RuleName:
    """A rule named by its class and conditions; ``nth`` counts rules of the same kinds of tests, from 0."""

    label: str
    conditions: tuple[EditedCondition, ...]
    nth: int = 0

    @property
    def way(self) -> tuple[Any, ...]:
        return self.label, frozenset(asked.way for asked in self.conditions)


@dataclass(frozen=True)
class RuleEdit(ModelEdit):
    """One edit.

    ``at`` is the edited rule, ``part`` one of its conditions, ``asked`` the new condition, ``new`` a written rule.
    ``before`` is the rule before which a rule goes, None for the end. ``said`` names the rule in texts.
    """

    do: RuleChange
    at: RuleName | None = None
    part: EditedCondition | None = None
    asked: EditedCondition | None = None
    new: RuleName | None = None
    before: RuleName | None = None
    said: str = ""

    kind: ClassVar[str] = "rules"

    def words(self) -> str:
        if self.do is RuleChange.DROP and self.part is not None:
            return f"Drop {self.part.words()} from {self.said}"
        if self.do is RuleChange.SET and self.asked is not None:
            return f"{'Add' if self.part is None else 'Change to'} {self.asked.words()} in {self.said}"
        if self.do is RuleChange.WRITE and self.new is not None:
            where = " and ".join(asked.words() for asked in self.new.conditions) or "always"
            return f"Write a rule: if {where} then {self.new.label}"
        if self.do is RuleChange.OTHERWISE and self.new is not None:
            return f"Predict {self.new.label} where no rule fires"
        return f"{'Move' if self.do is RuleChange.MOVE else 'Remove'} {self.said}"

    def to_json(self) -> dict[str, Any]:
        stored: dict[str, Any] = {"do": str(self.do), "said": self.said}
        for key, name in (("at", self.at), ("new", self.new), ("before", self.before)):
            if name is not None:
                conditions = [_asked_to_json(asked) for asked in name.conditions]
                stored[key] = {"class": name.label, "if": conditions, "nth": name.nth}
        for key, asked in (("part", self.part), ("asked", self.asked)):
            if asked is not None:
                stored[key] = _asked_to_json(asked)
        return stored

    @classmethod
    def from_json(cls, stored: Any) -> RuleEdit:
        if not isinstance(stored, Mapping) or stored.get("do") not in list(RuleChange):
            raise unreadable_edits("rules")
        if not isinstance(stored.get("said"), str):
            raise unreadable_edits("rules")
        fields: dict[str, Any] = {key: _name_from(stored[key]) for key in ("at", "new", "before") if key in stored}
        fields |= {key: _asked_from(stored[key]) for key in ("part", "asked") if key in stored}
        return cls(RuleChange(stored["do"]), said=stored["said"], **fields)


def rules_listed(rules: RuleSet) -> list[Rule]:
    """The rules of a rule set, without counts."""
    return [rule_at(rules, rule) for rule in range(rules.n_rules)]


def condition_at(rules: RuleSet, c: int) -> RuleCondition:
    attribute, missing = int(rules.attribute[c]), bool(rules.takes_missing[c])
    share = float(rules.missing_share[c]) if rules.divides else 0.0
    if not rules.is_numeric(c):
        return RuleCondition(attribute, values=rules.values_of(c), takes_missing=missing, missing_share=share)
    low, high = float(rules.low[c]), float(rules.high[c])
    return RuleCondition(attribute, low, high, bool(rules.low_is_open[c]), None, missing, share)


def asked_of(schema: Schema, condition: RuleCondition) -> EditedCondition:
    attribute = schema.attributes[condition.attribute]
    if condition.values is not None:
        labels = tuple(attribute.values[code] for code in condition.values)
        return EditedCondition(attribute.name, values=labels, missing=condition.takes_missing)
    low = None if condition.low == -inf else condition.low
    high = None if condition.high == inf else condition.high
    return EditedCondition(attribute.name, low, high, condition.low_is_open, (), condition.takes_missing)


def condition_of(schema: Schema, asked: EditedCondition) -> RuleCondition | None:
    """The condition under a schema; None where the attribute, or all of its values, do not exist."""
    if asked.attribute not in schema:
        return None
    index = schema.index_of(asked.attribute)
    attribute = schema.attributes[index]
    if index not in schema.predictors or attribute.kind.is_coded != bool(asked.values):
        return None
    if asked.values:
        codes = tuple(code for code, value in enumerate(attribute.values) if value in asked.values)
        return RuleCondition(index, values=codes, takes_missing=asked.missing) if codes else None
    low = -inf if asked.low is None else asked.low
    high = inf if asked.high is None else asked.high
    return RuleCondition(index, low, high, asked.low_is_open, None, asked.missing)


def rule_at(rules: RuleSet, place: int) -> Rule:
    conditions = tuple(condition_at(rules, c) for c in rules.conditions(place))
    return Rule(conditions, int(rules.decision[place]))


def name_in(rules: RuleSet, place: int) -> RuleName:
    """The name of a rule of a rule set; only rules that could have the same name are compared."""
    own, schema = _unnumbered(rules.schema, rule_at(rules, place)), rules.schema
    sizes = np.diff(rules.rule_start)
    alike = (rules.decision[:place] == rules.decision[place]) & (sizes[:place] == sizes[place])
    asked = sorted(rules.attribute[list(rules.conditions(place))].tolist())
    nth = 0
    for other in np.flatnonzero(alike).tolist():
        start = int(rules.rule_start[other])
        if sorted(rules.attribute[start : start + len(asked)].tolist()) == asked:
            nth += _unnumbered(schema, rule_at(rules, other)).way == own.way
    return replace(own, nth=nth)


def _unnumbered(schema: Schema, rule: Rule) -> RuleName:
    return RuleName(schema.classes[rule.decision], tuple(asked_of(schema, condition) for condition in rule.conditions))


def place_of(schema: Schema, rules: Sequence[Rule], name: RuleName) -> int | None:
    """The place of the rule of this name; None for none."""
    seen = 0
    for place, rule in enumerate(rules):
        if _unnumbered(schema, rule).way == name.way:
            if seen == name.nth:
                return place
            seen += 1
    return None


def changed(schema: Schema, rules: Sequence[Rule], edit: RuleEdit) -> list[Rule] | None:
    """The edited rules; None where the rule, condition or value does not exist."""
    edited = list(rules)
    if edit.do is RuleChange.OTHERWISE:
        return edited if edit.new is not None and edit.new.label in schema.classes else None
    if edit.do is RuleChange.WRITE:
        return _written(schema, edited, edit)
    place = None if edit.at is None else place_of(schema, edited, edit.at)
    if place is None:
        return None
    if edit.do is RuleChange.REMOVE:
        del edited[place]
        return edited
    if edit.do is RuleChange.MOVE:
        before = _place_before(schema, edited, edit)
        if before is None:
            return None
        edited.insert(before - (place < before), edited.pop(place))
        return edited
    rule = _with_condition(schema, edited[place], edit)
    if rule is None:
        return None
    edited[place] = rule
    return edited


def default_after(schema: Schema, default: int, edit: RuleEdit) -> int:
    if edit.do is not RuleChange.OTHERWISE or edit.new is None or edit.new.label not in schema.classes:
        return default
    return schema.classes.index(edit.new.label)


def _written(schema: Schema, rules: list[Rule], edit: RuleEdit) -> list[Rule] | None:
    if edit.new is None or edit.new.label not in schema.classes:
        return None
    conditions = [condition_of(schema, asked) for asked in edit.new.conditions]
    valid = tuple(condition for condition in conditions if condition is not None)
    before = _place_before(schema, rules, edit)
    if len(valid) < len(conditions) or before is None:
        return None
    rules.insert(before, Rule(valid, schema.classes.index(edit.new.label)))
    return rules


def _place_before(schema: Schema, rules: Sequence[Rule], edit: RuleEdit) -> int | None:
    """The place of the rule before which a rule goes, or the end; None where that rule does not exist."""
    return len(rules) if edit.before is None else place_of(schema, rules, edit.before)


def _with_condition(schema: Schema, rule: Rule, edit: RuleEdit) -> Rule | None:
    conditions = list(rule.conditions)
    place: int | None = None
    if edit.part is not None:
        asked = [asked_of(schema, condition) for condition in conditions]
        ways = [condition.way for condition in asked]
        if edit.part.way not in ways:
            return None
        place = asked.index(edit.part) if edit.part in asked else ways.index(edit.part.way)
    if edit.do is RuleChange.DROP:
        if place is None:
            return None
        del conditions[place]
        return replace(rule, conditions=tuple(conditions))
    new = None if edit.asked is None else condition_of(schema, edit.asked)
    if new is None:
        return None
    if place is None:
        conditions.append(new)
    else:
        old = conditions[place]
        keeps = old.attribute == new.attribute and not new.takes_missing
        conditions[place] = replace(new, missing_share=old.missing_share) if keeps else new
    return replace(rule, conditions=tuple(conditions))


def _asked_to_json(asked: EditedCondition) -> dict[str, Any]:
    stored: dict[str, Any] = {"attribute": asked.attribute, "missing": asked.missing}
    if asked.values:
        return {**stored, "values": list(asked.values)}
    return {**stored, "low": asked.low, "high": asked.high, "open": asked.low_is_open}


def _name_from(stored: Any) -> RuleName:
    if not isinstance(stored, Mapping):
        raise unreadable_edits("rules")
    label, conditions, nth = stored.get("class"), stored.get("if"), stored.get("nth")
    if not isinstance(label, str) or not isinstance(conditions, list) or type(nth) is not int or nth < 0:
        raise unreadable_edits("rules")
    return RuleName(label, tuple(map(_asked_from, conditions)), nth)


def _asked_from(stored: Any) -> EditedCondition:
    if not isinstance(stored, Mapping) or not isinstance(stored.get("attribute"), str):
        raise unreadable_edits("rules")
    values, missing, is_open = stored.get("values", []), stored.get("missing", False), stored.get("open", False)
    low, high = _number_from(stored.get("low")), _number_from(stored.get("high"))
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise unreadable_edits("rules")
    if not isinstance(missing, bool) or not isinstance(is_open, bool):
        raise unreadable_edits("rules")
    return EditedCondition(stored["attribute"], low, high, is_open, tuple(values), missing)


def _number_from(value: Any) -> float | None:
    if value is None:
        return None
    number = finite_number(value)
    if number is None:
        raise unreadable_edits("rules")
    return number


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
