"""A small evaluator of the PMML that is exported, written from the specification: what a program that reads it does.

It refuses what JPMML and PMML4S do not both evaluate: ``weightedConfidence``, rule sets, a class without a table.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from math import exp
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

NS = "{http://www.dmg.org/PMML-4_4}"
Truth = bool | None
"""None is UNKNOWN."""
PREDICATES = ("True", "False", "SimplePredicate", "CompoundPredicate", "SimpleSetPredicate")
MODELS = ("TreeModel", "RegressionModel", "MiningModel")
NODE_ORDER = ["predicate", "ScoreDistribution", "Node"]
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "or": lambda first, second: first or second,
    "and": lambda first, second: first and second,
    "equal": operator.eq,
    "greaterThan": operator.gt,
    "greaterOrEqual": operator.ge,
    "lessOrEqual": operator.le,
}
OPERATORS = ("equal", "lessOrEqual", "greaterThan", "greaterOrEqual", "isMissing", "isNotMissing")


def tag(element: Element) -> str:
    return element.tag.removeprefix(NS)


Expression = Callable[[Mapping[str, Any]], Any]


def expression(element: Element) -> Expression:
    """A function of the values of a record for an expression, whose text is read once; a missing argument makes the
    whole missing."""
    if tag(element) == "Constant":
        constant = (element.text or "") if element.get("dataType") == "string" else float(element.text or "")
        return lambda values: constant
    if tag(element) == "FieldRef":
        return operator.itemgetter(element.attrib["field"])
    function, parts = element.attrib["function"], [expression(part) for part in element]
    if function == "if":
        condition, yes, no = parts if len(parts) == 3 else (*parts, lambda values: None)
        return lambda values: yes(values) if condition(values) else no(values)
    if function in ("isMissing", "isNotMissing"):
        asked, missing = parts[0], function == "isMissing"
        return lambda values: (asked(values) is None) == missing
    if function in ("min", "max"):
        extreme = {"min": min, "max": max}[function]

        def extreme_of(values: Mapping[str, Any]) -> Any:
            arguments = [part(values) for part in parts]
            return None if None in arguments else extreme(arguments)

        return extreme_of
    (first, second), combine = parts, FUNCTIONS[function]

    def combined(values: Mapping[str, Any]) -> Any:
        one, other = first(values), second(values)
        return None if one is None or other is None else combine(one, other)

    return combined


class Pmml:
    """A document taken apart; what the schema of PMML 4.4 asks of its structure is asserted on the way."""

    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text)
        assert root.tag == f"{NS}PMML" and root.get("version") == "4.4"
        self.model = root[-1]
        self._rows: dict[Element, list[dict[str, str]]] = {}
        self._expressions: dict[Element, Expression] = {}
        middle = [] if root.find(f"{NS}TransformationDictionary") is None else ["TransformationDictionary"]
        assert [tag(child) for child in root] == ["Header", "DataDictionary", *middle, tag(self.model)]
        self.fields = {field.attrib["name"]: field for field in root[1]}
        assert root[1].get("numberOfFields") == str(len(root[1])) == str(len(self.fields))
        self.shared = {f.attrib["name"]: f for f in root.findall(f"{NS}TransformationDictionary/{NS}DerivedField")}
        self.mining = {field.attrib["name"]: field for field in self.model.findall(f"{NS}MiningSchema/{NS}MiningField")}
        assert set(self.mining) == set(self.fields)
        self.classes = [v.attrib["value"] for v in self.fields[self.target()]]
        for model in root.iter():
            if tag(model) in MODELS:
                self._check_model(model)
        ids = [node.attrib["id"] for node in self.model.iter(f"{NS}Node")]
        assert len(set(ids)) == len(ids)

    def target(self) -> str:
        return next(name for name, field in self.mining.items() if field.get("usageType") == "target")

    def tables(self) -> dict[str, Element]:
        """The tables of a regression by class."""
        return {t.attrib["targetCategory"]: t for t in self.model.iter(f"{NS}RegressionTable")}

    def _check_model(self, model: Element) -> None:
        assert model.get("functionName") == "classification"
        schema = [field.attrib["name"] for field in model.findall(f"{NS}MiningSchema/{NS}MiningField")]
        assert schema == list(self.fields)
        if tag(model) == "TreeModel":
            assert model.attrib["missingValueStrategy"] in ("none", "defaultChild")
            for node in model.iter(f"{NS}Node"):
                self._check_node(node)
        elif tag(model) == "RegressionModel":
            assert model.get("normalizationMethod") in ("softmax", "simplemax")
            assert [t.attrib["targetCategory"] for t in model.findall(f"{NS}RegressionTable")] == self.classes

    def _check_node(self, node: Element) -> None:
        kinds = ["predicate" if tag(child) in PREDICATES else tag(child) for child in node]
        assert [NODE_ORDER.index(kind) for kind in kinds] == sorted(NODE_ORDER.index(kind) for kind in kinds)
        assert kinds.count("predicate") == 1
        assert node.attrib["score"] in self.classes
        weights = [float(each.attrib["recordCount"]) for each in node.findall(f"{NS}ScoreDistribution")]
        assert not weights or abs(sum(weights) - float(node.attrib["recordCount"])) < 1e-6
        if "defaultChild" in node.attrib:
            assert node.attrib["defaultChild"] in [child.attrib["id"] for child in node.findall(f"{NS}Node")]

    # ---- a record --------------------------------------------------------------------------------------------------

    def score(self, record: Mapping[str, Any]) -> tuple[str, list[float]]:
        """The class decided and the probabilities of all classes."""
        return self._scored(self.model, self._values(record))

    def decided(self, record: Mapping[str, Any]) -> str:
        """The class that the first output field, or the one that a decision rule replaces it by, gives."""
        values = self._values(record)
        own, shares = self._scored(self.model, values)
        for field in self.model.findall(f"{NS}Output/{NS}OutputField"):
            kind, name = field.attrib["feature"], field.attrib["name"]
            if kind == "transformedValue":
                values[name] = self._applied(field[0], values)
            else:
                values[name] = own if kind == "predictedValue" else shares[self.classes.index(field.attrib["value"])]
        return str(values[f"predicted {self.target()}"])

    def _scored(self, model: Element, values: dict[str, Any]) -> tuple[str, list[float]]:
        for field in model.findall(f"{NS}LocalTransformations/{NS}DerivedField"):
            values[field.attrib["name"]] = self._mapped(field, values)
        if tag(model) == "MiningModel":
            segmentation = model.find(f"{NS}Segmentation")
            assert segmentation is not None and segmentation.get("multipleModelMethod") == "selectFirst"
            segment = next(each for each in segmentation if self._holds(each[0], values))
            return self._scored(segment[1], values)
        if tag(model) == "RegressionModel":
            return self._regression(model, values)
        root = model.find(f"{NS}Node")
        assert root is not None
        return self._at(root, values, model.attrib["missingValueStrategy"])

    def _values(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """What the fields before the model are for a record."""
        values: dict[str, Any] = {}
        for name, field in self.mining.items():
            if field.get("usageType") == "target":
                continue
            value = record.get(name)
            known = [v.attrib["value"] for v in self.fields[name].findall(f"{NS}Value")]
            if value is not None and known and value not in known:
                assert field.get("invalidValueTreatment") == "asMissing"
                value = None
            for interval in self.fields[name].findall(f"{NS}Interval"):
                assert (
                    interval.attrib["closure"] == "closedClosed" and field.get("invalidValueTreatment") == "asMissing"
                )
                if value is not None:
                    low, high = (float(interval.attrib[f"{side}Margin"]) for side in ("left", "right"))
                    if not low <= value <= high:
                        value = None
            if value is None and "missingValueReplacement" in field.attrib:
                text = field.attrib["missingValueReplacement"]
                value = text if known else float(text)
            if field.get("outliers") == "asExtremeValues":
                value = min(max(value, float(field.attrib["lowValue"])), float(field.attrib["highValue"]))
            values[name] = value
        for name, derived in self.shared.items():
            values[name] = self._mapped(derived, values)
        return values

    def _mapped(self, derived: Element, values: Mapping[str, Any]) -> Any:
        mapping = derived[0]
        if tag(mapping) == "Discretize":
            value = values[mapping.attrib["field"]]
            if value is None:
                return mapping.get("mapMissingTo")
            for bin in mapping:
                interval = bin[0]
                closure = interval.get("closure")
                assert closure in ("closedOpen", "closedClosed")
                low, high = float(interval.get("leftMargin", "-inf")), float(interval.get("rightMargin", "inf"))
                if low <= value < high or (closure == "closedClosed" and value == high):
                    return bin.attrib["binValue"]
            return mapping.get("defaultValue")
        if tag(mapping) != "MapValues":
            return self._applied(mapping, values)
        pair = mapping.find(f"{NS}FieldColumnPair")
        assert pair is not None
        if mapping not in self._rows:
            rows = mapping.iter(f"{NS}row")
            self._rows[mapping] = [{tag(cell): cell.text or "" for cell in row} for row in rows]
        for cells in self._rows[mapping]:
            if cells[pair.attrib["column"]] == values[pair.attrib["field"]]:
                return cells[mapping.attrib["outputColumn"]]
        return mapping.get("defaultValue")

    def _applied(self, element: Element, values: Mapping[str, Any]) -> Any:
        """What an expression is for a record; a missing argument makes the whole missing."""
        if element not in self._expressions:
            self._expressions[element] = expression(element)
        return self._expressions[element](values)

    def _regression(self, model: Element, values: Mapping[str, Any]) -> tuple[str, list[float]]:
        sums = [self._sum(table, values) for table in model.findall(f"{NS}RegressionTable")]
        if model.get("normalizationMethod") == "softmax":
            sums = [exp(each - max(sums)) for each in sums]
        shares = [each / sum(sums) for each in sums]
        return self.classes[shares.index(max(shares))], shares

    def _sum(self, table: Element, values: Mapping[str, Any]) -> float:
        total = float(table.attrib["intercept"])
        for predictor in table:
            value, coefficient = values[predictor.attrib["name"]], float(predictor.attrib["coefficient"])
            if tag(predictor) == "NumericPredictor":
                total += coefficient * value
            else:
                total += coefficient * (value == predictor.attrib["value"])
        return total

    def _probabilities(self, node: Element) -> list[float]:
        shares = {s.attrib["value"]: float(s.attrib["probability"]) for s in node.findall(f"{NS}ScoreDistribution")}
        return [shares[label] for label in self.classes]

    def _at(self, node: Element, values: Mapping[str, Any], strategy: str) -> tuple[str, list[float]]:
        children = node.findall(f"{NS}Node")
        if not children:
            return node.attrib["score"], self._probabilities(node)
        for child in children:
            truth = self._holds(child[0], values)
            if truth is True:
                return self._at(child, values, strategy)
            if truth is None and strategy == "defaultChild":
                default = next(c for c in children if c.attrib["id"] == node.attrib["defaultChild"])
                return self._at(default, values, strategy)
        raise AssertionError("no child is true")

    def _holds(self, predicate: Element, values: Mapping[str, Any]) -> Truth:
        kind = tag(predicate)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            return self._compound(predicate, values)
        value = values[predicate.attrib["field"]]
        if kind == "SimpleSetPredicate":
            array = predicate[0]
            labels = re.findall(r'"([^"\\]*)"', array.text or "")
            assert array.get("n") == str(len(labels)) and predicate.get("booleanOperator") == "isIn"
            return None if value is None else value in labels
        operator = predicate.attrib["operator"]
        assert operator in OPERATORS
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:
            return None
        if operator == "equal":
            return bool(value == predicate.attrib["value"])
        threshold = float(predicate.attrib["value"])
        if operator == "greaterOrEqual":
            return bool(value >= threshold)
        return bool(value <= threshold if operator == "lessOrEqual" else value > threshold)

    def _compound(self, predicate: Element, values: Mapping[str, Any]) -> Truth:
        operator = predicate.attrib["booleanOperator"]
        assert len(predicate) >= 2
        parts = [self._holds(part, values) for part in predicate]
        if operator == "surrogate":
            return next((part for part in parts if part is not None), None)
        stops = operator == "or"
        assert operator in ("and", "or")
        return stops if stops in parts else None if None in parts else not stops
