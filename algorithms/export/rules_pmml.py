"""Rules as a PMML 4.4 document (Data Mining Group, pmml.org) that JPMML and PMML4S evaluate as the model does.

Neither gives class probabilities for a ``RuleSetModel``. So a list is a ``TreeModel`` of one level: the first child
that holds decides. Rules that vote are a ``RegressionModel`` over which of them fire. A condition on a missing value
does not hold. Rules that decide a record without a value in part are a ``MiningModel``: the list for records with all
values, and for the others a ``RegressionModel`` over the part that each rule decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Final

from algorithms.data.schema import Attribute
from algorithms.export.pmml_parts import (
    Element,
    PmmlWriter,
    apply,
    compound,
    constant,
    derived,
    element,
    field_ref,
    folded,
    free_name,
    is_between,
    is_one_of,
    number_text,
    one_of,
    simple,
    sub,
    write_weighted_shares,
)
from algorithms.structures.rule_set import DEFAULT_RULE

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
        if not self.rules.is_ordered:
            self._write_votes(root)
        elif self.rules.divides:
            self._write_segments(root)
        else:
            self._write_list(root)

    def _write_segments(self, root: Element) -> None:
        name = self.trained.learner.name
        model = sub(root, "MiningModel", modelName=name, functionName="classification", algorithmName=name)
        self.write_schema(model)
        self.write_output(model)
        segmentation = sub(model, "Segmentation", multipleModelMethod="selectFirst")
        known = sub(segmentation, "Segment", id="all values")
        tests = [simple(attribute.name, "isNotMissing") for attribute in self.fields()]
        known.append(compound("and", tests) if tests else Element("True"))
        self._write_list(known)
        divided = sub(segmentation, "Segment", id="some value is missing")
        divided.append(Element("True"))
        self._write_parts(divided)

    def _write_ranges(self, model: Element) -> Element | None:
        """Add the ranges that a recipe cuts numbers into; the element that holds them, None where there are none."""
        if not self.ranges:
            return None
        local = sub(model, "LocalTransformations")
        for attribute in self.subject.used:
            if attribute.name in self.ranges:
                name = self.ranges[attribute.name]
                field = sub(local, "DerivedField", name=name, optype="categorical", dataType="string")
                self.write_ranges(field, attribute.name, attribute.values)
        return local

    # ---- a list ------------------------------------------------------------------------------------------------------

    def _write_list(self, root: Element) -> None:
        rules, name = self.rules, self.trained.learner.name
        model = sub(
            root,
            "TreeModel",
            modelName=name,
            functionName="classification",
            algorithmName=name,
            missingValueStrategy="none",
            noTrueChildStrategy="returnNullPrediction",
            splitCharacteristic="multiSplit",
        )
        self.write_schema(model)
        self.write_output(model)
        self._write_ranges(model)
        weight = float(rules.decided.sum() + rules.default_counts.sum())
        top = sub(model, "Node", id="rules", score=self._label(DEFAULT_RULE), recordCount=repr(weight))
        sub(top, "True")
        for rule in range(rules.n_rules):
            if rule % BREATH == 0:
                self.give_way()
            self._leaf(top, rule, f"{rule + 1}", self._predicate(rule))
        self._leaf(top, DEFAULT_RULE, "otherwise", Element("True"))

    def _label(self, rule: int) -> str:
        return self.subject.classes[self.rules.decision_of(rule)]

    def _leaf(self, parent: Element, rule: int, id: str, predicate: Element) -> None:
        counts, shares = self.rules.decided_by(rule), self.said[rule]
        leaf = sub(parent, "Node", id=id, score=self._label(rule), recordCount=repr(float(counts.sum())))
        leaf.append(predicate)
        for code, label in enumerate(self.subject.classes):
            share, count = repr(float(shares[code])), repr(float(counts[code]))
            sub(leaf, "ScoreDistribution", value=label, recordCount=count, confidence=share, probability=share)

    # ---- a list that divides records ---------------------------------------------------------------------------------

    def _write_parts(self, parent: Element) -> None:
        """The regression over the parts of a record that rules decide; see
        :mod:`algorithms.learners.rules.model`."""
        rules, (model, local) = self.rules, self._regression(parent)
        taken = self._taken()
        parts, left = [], ""
        for rule in range(rules.n_rules):
            if rule % BREATH == 0:
                self.give_way()
            met = free_name(f"part that meets rule {rule + 1}", taken)
            part = free_name(f"part that rule {rule + 1} decides", taken)
            rest = free_name(f"part that rule {rule + 1} leaves", taken)
            factors = [self._fires(c) for c in rules.conditions(rule)]
            derived(local, met, folded("*", factors) if factors else constant(1.0))
            unmet = apply("-", constant(1.0), field_ref(met))
            derived(local, part, apply("*", field_ref(met), field_ref(left)) if left else field_ref(met))
            derived(local, rest, apply("*", unmet, field_ref(left)) if left else unmet)
            parts.append(part)
            left = rest
        if not left:
            left = free_name("part that no rule decides", taken)
            derived(local, left, constant(1.0))
        parts.append(left)
        evidence = rules.evidence()
        sizes = evidence.sum(axis=1)
        if not rules.correction:
            rows = (evidence / sizes[:, None]).tolist()
            write_weighted_shares(model, self.subject.classes, list(zip(parts, rows, strict=True)))
            return
        records = free_name("training records of these parts", taken)
        derived(local, records, _weighted(parts, sizes.tolist()))
        counts = []
        for code in range(rules.n_classes):
            count = free_name(f"training records of class {code + 1}", taken)
            shares = _weighted(parts, (evidence[:, code] / sizes).tolist())
            total = apply("+", apply("*", shares, field_ref(records)), constant(float(rules.correction)))
            derived(local, count, total)
            counts.append((count, [float(code == other) for other in range(rules.n_classes)]))
        write_weighted_shares(model, self.subject.classes, counts)

    # ---- votes -------------------------------------------------------------------------------------------------------

    def _write_votes(self, root: Element) -> None:
        rules, (model, local) = self.rules, self._regression(root)
        taken = self._taken()
        weights = []
        for rule in range(rules.n_rules):
            if rule % BREATH == 0:
                self.give_way()
            fires = free_name(f"rule {rule + 1} fires", taken)
            factors = [self._fires(c) for c in rules.conditions(rule)]
            derived(local, fires, folded("*", factors) if factors else constant(1.0))
            if rules.votes[rule].any():
                weights.append((fires, rules.votes[rule].tolist()))
        none = free_name("no rule fires", taken)
        silent = [apply("-", constant(1.0), field_ref(fires)) for fires, _ in weights]
        derived(local, none, folded("*", silent) if silent else constant(1.0))
        write_weighted_shares(model, self.subject.classes, [*weights, (none, self.said[DEFAULT_RULE].tolist())])

    def _regression(self, parent: Element) -> tuple[Element, Element]:
        """A regression without tables, and the element for its derived fields."""
        name = self.trained.learner.name
        model = self.write_shares_model(parent, name)
        local = self._write_ranges(model)
        return model, sub(model, "LocalTransformations") if local is None else local

    def _taken(self) -> set[str]:
        """The names that a field cannot have any more."""
        return {attribute.name for attribute in self.fields()} | {self.subject.class_name, *self.ranges.values()}

    def _fires(self, c: int) -> Element:
        """The part of a record that meets a condition, 1 or 0 where its value is known, as an expression."""
        rules = self.rules
        attribute = rules.schema.attributes[int(rules.attribute[c])]
        field = self.ranges.get(attribute.name, attribute.name)
        test: Element | None
        if rules.is_numeric(c):
            low, high = float(rules.low[c]), float(rules.high[c])
            is_open = bool(rules.low_is_open[c])
            known = constant(0.0)
            if low <= high:
                low_end = low if low > -inf or is_open else None
                test = is_between(field, low_end, high if high < inf else None, with_low=not is_open)
                known = constant(1.0) if test is None else apply("if", test, constant(1.0), constant(0.0))
        else:
            labels = [attribute.values[code] for code in rules.values_of(c)]
            known = apply("if", is_one_of(field, labels), constant(1.0), constant(0.0)) if labels else constant(0.0)
        share = 1.0 if rules.takes_missing[c] else float(rules.missing_share[c]) if rules.divides else 0.0
        return apply("if", apply("isMissing", field_ref(field)), constant(share), known)

    # ---- conditions --------------------------------------------------------------------------------------------------

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
        return [one_of(field, labels)]

    def _range(self, c: int, field: str) -> list[Element]:
        low, high = float(self.rules.low[c]), float(self.rules.high[c])
        if low > high:
            return [element("False", {})]
        is_open = bool(self.rules.low_is_open[c])
        operator = "greaterThan" if is_open else "greaterOrEqual"
        parts = [simple(field, operator, number_text(low))] if low > -inf or is_open else []
        parts += [simple(field, "lessOrEqual", number_text(high))] if high < inf else []
        return parts or [simple(field, "isNotMissing")]


def _weighted(fields: Sequence[str], weights: Sequence[float]) -> Element:
    """The sum of fields, each times its weight, as an expression; 0 where no weight is."""
    products = [apply("*", constant(w), field_ref(name)) for name, w in zip(fields, weights, strict=True) if w]
    return folded("+", products) if products else constant(0.0)
