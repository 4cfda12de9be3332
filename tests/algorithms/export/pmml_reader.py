"""A small evaluator of PMML tree models, written from the specification: what a program that reads them would do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import exp
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

NS = "{http://www.dmg.org/PMML-4_4}"
Truth = bool | None
"""None is UNKNOWN."""
PREDICATES = ("True", "False", "SimplePredicate", "CompoundPredicate", "SimpleSetPredicate")
MODEL_ORDER = ["Extension", "MiningSchema", "Output", "LocalTransformations", "Node", "RuleSet", "RegressionTable"]
NODE_ORDER = ["predicate", "ScoreDistribution", "Node"]
OPERATORS = ("equal", "lessOrEqual", "greaterThan", "greaterOrEqual", "isMissing", "isNotMissing")


def tag(element: Element) -> str:
    return element.tag.removeprefix(NS)


class PmmlTree:
    """A document taken apart; what the schema of PMML 4.4 asks of its structure is asserted on the way."""

    kind = "TreeModel"

    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text)
        assert root.tag == f"{NS}PMML" and root.get("version") == "4.4"
        assert [tag(child) for child in root] == ["Header", "DataDictionary", self.kind]
        self.fields = {field.attrib["name"]: field for field in root[1]}
        assert root[1].get("numberOfFields") == str(len(root[1])) == str(len(self.fields))
        self.model = root[2]
        places = [MODEL_ORDER.index(tag(child)) for child in self.model]
        assert places == sorted(places)
        assert self.model.get("functionName") == "classification"
        self.mining = {field.attrib["name"]: field for field in self.model.findall(f"{NS}MiningSchema/{NS}MiningField")}
        assert set(self.mining) == set(self.fields)
        self.derived = {f.attrib["name"]: f for f in self.model.findall(f"{NS}LocalTransformations/{NS}DerivedField")}
        self.classes = [v.attrib["value"] for v in self.fields[self.target()]]
        self._begin()

    def _begin(self) -> None:
        """Check what is the model's own."""
        self.strategy = self.model.attrib["missingValueStrategy"]
        assert self.strategy in ("weightedConfidence", "defaultChild")
        self.root = self.model.find(f"{NS}Node")
        assert self.root is not None
        ids = [node.attrib["id"] for node in self.model.iter(f"{NS}Node")]
        assert len(set(ids)) == len(ids)
        for node in self.model.iter(f"{NS}Node"):
            self._check(node)

    def target(self) -> str:
        return next(name for name, field in self.mining.items() if field.get("usageType") == "target")

    def _check(self, node: Element) -> None:
        kinds = ["predicate" if tag(child) in PREDICATES else tag(child) for child in node]
        assert [NODE_ORDER.index(kind) for kind in kinds] == sorted(NODE_ORDER.index(kind) for kind in kinds)
        assert kinds.count("predicate") == 1
        assert node.attrib["score"] in self.classes
        weights = [float(each.attrib["recordCount"]) for each in node.findall(f"{NS}ScoreDistribution")]
        assert abs(sum(weights) - float(node.attrib["recordCount"])) < 1e-6
        if "defaultChild" in node.attrib:
            assert node.attrib["defaultChild"] in [child.attrib["id"] for child in node.findall(f"{NS}Node")]

    # ---- a record --------------------------------------------------------------------------------------------------

    def score(self, record: Mapping[str, Any]) -> tuple[str, list[float]]:
        assert self.root is not None
        return self._at(self.root, self._values(record))

    def _values(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """What the model's fields are for a record."""
        values: dict[str, Any] = {}
        for name, field in self.mining.items():
            if field.get("usageType") == "target":
                continue
            value = record.get(name)
            known = [v.attrib["value"] for v in self.fields[name]]
            if value is not None and known and value not in known:
                assert field.get("invalidValueTreatment") == "asMissing"
                value = None
            if value is None and "missingValueReplacement" in field.attrib:
                text = field.attrib["missingValueReplacement"]
                value = text if known else float(text)
            values[name] = value
        for name, derived in self.derived.items():
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
        for row in mapping.iter(f"{NS}row"):
            cells = {tag(cell): cell.text or "" for cell in row}
            if cells[pair.attrib["column"]] == values[pair.attrib["field"]]:
                return cells[mapping.attrib["outputColumn"]]
        return mapping.get("defaultValue")

    def _applied(self, element: Element, values: Mapping[str, Any]) -> Any:
        """An expression of arithmetic; a missing argument makes the whole missing."""
        if tag(element) == "Constant":
            return float(element.text or "")
        if tag(element) == "FieldRef":
            value = values[element.attrib["field"]]
            instead = element.get("mapMissingTo")
            return value if value is not None or instead is None else float(instead)
        function = element.attrib["function"]
        if function == "if":
            return self._applied(element[1], values) if self._applied(element[0], values) else None
        arguments = [self._applied(part, values) for part in element]
        if function == "isNotMissing":
            return arguments[0] is not None
        first, second = arguments
        if None in arguments:
            return None
        return {"or": first or second, "+": first + second, "*": first * second}[function]

    def _confidences(self, node: Element) -> list[float]:
        found = {s.attrib["value"]: float(s.attrib["confidence"]) for s in node.findall(f"{NS}ScoreDistribution")}
        return [found[label] for label in self.classes]

    def _at(self, node: Element, values: Mapping[str, Any]) -> tuple[str, list[float]]:
        children = node.findall(f"{NS}Node")
        if not children:
            return node.attrib["score"], self._confidences(node)
        truths: list[Truth] = []
        for child in children:
            truths.append(self._holds(child[0], values))
            if truths[-1] is True:
                return self._at(child, values)
            if truths[-1] is None:
                break
        else:
            raise AssertionError("no child is true")
        if self.strategy == "defaultChild":
            return self._at(next(c for c in children if c.attrib["id"] == node.attrib["defaultChild"]), values)
        open_ones = [child for child in children if self._holds(child[0], values) is not False]
        weights = [float(child.attrib["recordCount"]) for child in open_ones]
        sums = [0.0] * len(self.classes)
        for child, weight in zip(open_ones, weights, strict=True):
            if weight:
                for code, confidence in enumerate(self._at(child, values)[1]):
                    sums[code] += weight / sum(weights) * confidence
        return self.classes[sums.index(max(sums))], sums

    def _holds(self, predicate: Element, values: Mapping[str, Any]) -> Truth:
        kind = tag(predicate)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            return self._compound(predicate, values)
        value = values[predicate.attrib["field"]]
        if kind == "SimpleSetPredicate":
            array = predicate[0]
            labels = [re.sub(r"\\(.)", r"\1", found, flags=re.S) for found in _strings(array.text or "")]
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


class PmmlRules(PmmlTree):
    """A rule set: the first rule that is true, or the largest sum of the weights of those that are."""

    kind = "RuleSetModel"

    def _begin(self) -> None:
        found = self.model.find(f"{NS}RuleSet")
        assert found is not None and found.attrib["defaultScore"] in self.classes
        self.rule_set, self.rules = found, found.findall(f"{NS}SimpleRule")
        self.criterion = found[0].attrib["criterion"]
        ids = [rule.attrib["id"] for rule in self.rules]
        assert len(set(ids)) == len(ids)

    def decision(self, record: Mapping[str, Any]) -> tuple[str, list[float]]:
        """The class decided, and for a list the confidences of all classes."""
        values = self._values(record)
        fired = [rule for rule in self.rules if self._holds(rule[0], values) is True]
        if not fired:
            return self.rule_set.attrib["defaultScore"], self._confidences(self.rule_set)
        if self.criterion == "firstHit":
            return fired[0].attrib["score"], self._confidences(fired[0])
        sums = dict.fromkeys(self.classes, 0.0)
        for rule in fired:
            sums[rule.attrib["score"]] += float(rule.attrib["weight"])
        return max(self.classes, key=lambda label: sums[label]), []


class PmmlRegression(PmmlTree):
    """A table of coefficients for each class; the probabilities are the softmax of the sums."""

    kind = "RegressionModel"

    def _begin(self) -> None:
        assert self.model.get("normalizationMethod") == "softmax"
        self.tables = {t.attrib["targetCategory"]: t for t in self.model.findall(f"{NS}RegressionTable")}
        assert set(self.tables) <= set(self.classes)

    def score(self, record: Mapping[str, Any]) -> tuple[str, list[float]]:
        values = self._values(record)
        sums = {label: self._sum(table, values) for label, table in self.tables.items()}
        largest = max(sums.values())
        shares = {label: exp(each - largest) for label, each in sums.items()}
        found = [shares.get(label, 0.0) / sum(shares.values()) for label in self.classes]
        return self.classes[found.index(max(found))], found

    def _sum(self, table: Element, values: Mapping[str, Any]) -> float:
        found = float(table.attrib["intercept"])
        for each in table:
            value, coefficient = values[each.attrib["name"]], float(each.attrib["coefficient"])
            if tag(each) == "NumericPredictor":
                found += coefficient * value
            else:
                found += coefficient * (value == each.attrib["value"])
        return found


def _strings(text: str) -> list[str]:
    return [found.group(1) for found in re.finditer(r'"((?:[^"\\]|\\.)*)"', text, flags=re.S)]
