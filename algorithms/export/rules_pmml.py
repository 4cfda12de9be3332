"""Rules as a PMML 4.4 RuleSetModel (Data Mining Group, pmml.org).

A list is ``firstHit``. Rules that vote are ``weightedSum``: a rule that votes for several classes is written once for
each, with what it adds for that class as its weight. A condition on a missing value is unknown, so that its rule does
not fire.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Final

from algorithms.core.rule_set import DEFAULT_RULE
from algorithms.core.schema import Attribute
from algorithms.export.pmml_parts import (
    Element,
    PmmlWriter,
    compound,
    element,
    free_name,
    number_text,
    one_of,
    simple,
    sub,
)

if TYPE_CHECKING:
    from algorithms.export.rules import RuleSubject

BREATH: Final = 100


class RulesWriter(PmmlWriter):
    """Writes a rule set; ``give_way`` is called every few milliseconds."""

    def __init__(self, subject: RuleSubject, give_way: Callable[[], None]) -> None:
        super().__init__(subject)
        self.rules, self.give_way = subject.rules, give_way
        self.trained, self.said = subject.trained, subject.rules.probabilities()
        taken = {attribute.name for attribute in self.fields()} | {subject.class_name}
        self.ranges = {name: free_name(f"{name}, as a range", taken) for name in self._cut()}

    def _cut(self) -> list[str]:
        return [attribute.name for attribute in self.subject.used if attribute.name in self.subject.cuts]

    def write_model(self, root: Element) -> None:
        rules, name = self.rules, self.trained.learner.name
        model = sub(root, "RuleSetModel", modelName=name, functionName="classification", algorithmName=name)
        self.write_schema(model)
        self.write_output(model)
        if self.ranges:
            made = sub(model, "LocalTransformations")
            for attribute in self.subject.used:
                if attribute.name in self.ranges:
                    derived = self.ranges[attribute.name]
                    field = sub(made, "DerivedField", name=derived, optype="categorical", dataType="string")
                    self.write_ranges(field, attribute.name, attribute.values)
        counts = rules.decided_by(DEFAULT_RULE)
        said = self.said
        default = rules.default_decision
        found = sub(
            model,
            "RuleSet",
            defaultScore=self.subject.classes[default],
            defaultConfidence=repr(float(said[DEFAULT_RULE, default])),
            recordCount=repr(float(rules.decided.sum() + counts.sum())) if rules.is_ordered else repr(0.0),
        )
        sub(found, "RuleSelectionMethod", criterion="firstHit" if rules.is_ordered else "weightedSum")
        self._distribution(found, DEFAULT_RULE)
        for rule in range(rules.n_rules):
            if rule % BREATH == 0:
                self.give_way()
            self._rule(found, rule)

    def _rule(self, parent: Element, rule: int) -> None:
        rules = self.rules
        if rules.is_ordered:
            self._simple_rule(parent, rule, f"{rule + 1}", int(rules.decision[rule]), 1.0)
            return
        for code, vote in enumerate(rules.votes[rule].tolist()):
            if vote > 0:
                self._simple_rule(parent, rule, f"{rule + 1} for {code + 1}", code, vote)

    def _simple_rule(self, parent: Element, rule: int, id: str, code: int, weight: float) -> None:
        counts = self.rules.decided_by(rule)
        made = sub(
            parent,
            "SimpleRule",
            id=id,
            score=self.subject.classes[code],
            recordCount=repr(float(counts.sum())),
            nbCorrect=repr(float(counts[code])),
            confidence=repr(float(self.said[rule, code])),
            weight=repr(weight),
        )
        made.append(self._predicate(rule))
        self._distribution(made, rule)

    def _distribution(self, parent: Element, rule: int) -> None:
        counts, said = self.rules.decided_by(rule), self.said[rule]
        for code, label in enumerate(self.subject.classes):
            confidence = repr(float(said[code]))
            sub(parent, "ScoreDistribution", value=label, recordCount=repr(float(counts[code])), confidence=confidence)

    def _predicate(self, rule: int) -> Element:
        parts = [part for c in self.rules.conditions(rule) for part in self._condition(c)]
        return compound("and", parts) if parts else Element("True")

    def _condition(self, c: int) -> list[Element]:
        rules = self.rules
        attribute = rules.schema.attributes[int(rules.attribute[c])]
        field = self.ranges.get(attribute.name, attribute.name)
        known = self._range(c, field) if rules.is_numeric(c) else self._labels(c, attribute, field)
        if not rules.takes_missing[c]:
            return known
        missing = simple(field, "isMissing")
        return [compound("or", [missing, compound("and", known)])]

    def _labels(self, c: int, attribute: Attribute, field: str) -> list[Element]:
        labels = [attribute.values[code] for code in self.rules.values_of(c)]
        if not labels:
            return [Element("False")]
        return [simple(field, "equal", labels[0]) if len(labels) == 1 else one_of(field, labels)]

    def _range(self, c: int, field: str) -> list[Element]:
        low, high = float(self.rules.low[c]), float(self.rules.high[c])
        if low > high:
            return [element("False", {})]
        is_open = bool(self.rules.low_is_open[c])
        operator = "greaterThan" if is_open else "greaterOrEqual"
        parts = [simple(field, operator, number_text(low))] if low > -inf or is_open else []
        parts += [simple(field, "lessOrEqual", number_text(high))] if high < inf else []
        return parts or [simple(field, "isNotMissing")]
