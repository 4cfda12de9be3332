"""PMML 4.4 documents: header, fields and predicates of all models, and the document of a tree.

JPMML and PMML4S evaluate the document as this program does (Data Mining Group, pmml.org). If every record with missing
values goes to a single branch, it is a ``TreeModel`` with ``defaultChild`` or with predicates on missing values. Few
programs support ``weightedConfidence``. So a tree that divides records with missing values is a ``MiningModel`` of two
segments: a ``TreeModel`` for records whose tested values are known, and a ``RegressionModel`` over the share of the
record in each leaf for the others. Surrogate splits are ``surrogate`` predicates. A label without a branch in a test is
first mapped to a missing value.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from math import isfinite
from sys import float_info
from typing import Any, Final
from xml.etree import ElementTree

from algorithms.core.errors import DataError
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.export.model_view import ColumnQuestion, ExportedRule, ExportSubject, GiveWay, TreeSubject, with_breaks

VERSION: Final = "4.4"
NAMESPACE: Final = "http://www.dmg.org/PMML-4_4"

Element = ElementTree.Element
_FORBIDDEN: Final = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 cannot contain."""
_PLAIN: Final = re.compile(r"[^\s\"'\\]+( [^\s\"'\\]+)*")
"""Matches labels that all programs parse alike in an array."""

TIES: Final = "If classes are equally probable, the rounding in the evaluating program decides between them."
_DOUBLE: Final = {"optype": "continuous", "dataType": "double"}


class PmmlWriter(ABC):
    """Writer of a PMML document; a subclass writes the model element."""

    def __init__(self, subject: ExportSubject[Any]) -> None:
        self.subject = subject

    @abstractmethod
    def write_model(self, root: Element) -> None:
        """Add the model element to the document."""

    def written(self) -> str:
        ElementTree.register_namespace("", NAMESPACE)
        root = Element("PMML", {"version": VERSION, "xmlns": NAMESPACE})
        header = sub(root, "Header")
        sub(header, "Application", name="Coppice")
        fields = [*self.fields(), self.subject.target]
        dictionary = sub(root, "DataDictionary", numberOfFields=str(len(fields)))
        for attribute in fields:
            if attribute.kind.is_coded:
                optype = "ordinal" if attribute.kind is AttributeKind.ORDINAL else "categorical"
                field = sub(dictionary, "DataField", name=attribute.name, optype=optype, dataType="string")
                for value in attribute.values:
                    sub(field, "Value", value=value)
            else:
                field = sub(dictionary, "DataField", name=attribute.name, optype="continuous", dataType="double")
                if self.reach(attribute.name) is not None:  # infinite numbers are invalid, so missing
                    ends = {"leftMargin": repr(-float_info.max), "rightMargin": repr(float_info.max)}
                    sub(field, "Interval", closure="closedClosed", **ends)
        self.write_model(root)
        has_sums = root.find(".//RegressionTable") is not None
        header.set("description", printable(" ".join((*self.subject.heading(), *([TIES] if has_sums else [])))))
        ElementTree.indent(root, " ")
        text = ElementTree.tostring(root, encoding="unicode").replace("\r", "&#13;")  # else read as a line feed
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'

    def fields(self) -> list[Attribute]:
        return [*(self.subject.raw(attribute) for attribute in self.subject.used)]

    def reach(self, name: str) -> tuple[float, float] | None:
        """The ends of the range beyond which numbers of a field count as the nearer end; None without a range."""
        return None

    def write_schema(self, model: Element) -> None:
        schema = sub(model, "MiningSchema")
        for attribute in self.fields():
            treated = {"name": attribute.name, "usageType": "active", "invalidValueTreatment": "asMissing"}
            fill = self.subject.fills.get(attribute.name)
            if fill is not None:
                treated["missingValueReplacement"] = fill if isinstance(fill, str) else repr(fill)
                treated["missingValueTreatment"] = "asValue"
            if (reach := self.reach(attribute.name)) is not None:
                treated |= {"outliers": "asExtremeValues", "lowValue": repr(reach[0]), "highValue": repr(reach[1])}
            sub(schema, "MiningField", **treated)
        sub(schema, "MiningField", name=self.subject.class_name, usageType="target")

    def write_output(self, model: Element) -> None:
        """Add the predicted class, by the decision rule if there is one, and the probabilities.

        Segments have them too: PMML4S shows the output of the segment that applies.
        """
        rule = self.subject.rule
        taken = {attribute.name for attribute in (*self.fields(), self.subject.target)}
        output, categorical = sub(model, "Output"), {"optype": "categorical", "dataType": "string"}
        predicted = free_name(f"predicted {self.subject.class_name}", taken)
        own = predicted if rule is None else free_name(f"{predicted} by the model alone", taken)
        sub(output, "OutputField", name=own, **categorical, feature="predictedValue")
        probabilities = [free_name(f"probability {label}", taken) for label in self.subject.classes]
        for name, label in zip(probabilities, self.subject.classes, strict=True):
            sub(output, "OutputField", name=name, **_DOUBLE, feature="probability", value=label)
        if rule is not None:
            decided = _decided(output, rule, own, probabilities, taken)
            sub(output, "OutputField", name=predicted, **categorical, feature="transformedValue").append(decided)

    def write_head(self, parent: Element, kind: str, **attributes: str) -> Element:
        """Add a model element with its schema and its output."""
        name = self.subject.trained.learner.name
        model = sub(parent, kind, modelName=name, functionName="classification", algorithmName=name, **attributes)
        self.write_schema(model)
        self.write_output(model)
        return model

    @cached_property
    def ranges(self) -> dict[str, str]:
        """For each discretized column, the name of the derived field with its ranges."""
        taken = {attribute.name for attribute in self.fields()} | {self.subject.class_name}
        cut = [attribute.name for attribute in self.subject.used if attribute.name in self.subject.cuts]
        return {name: free_name(f"{name}, as a range", taken) for name in cut}

    def write_range_fields(self, model: Element) -> Element | None:
        """Add the derived fields of discretized columns; returns their parent element, None if there are none."""
        if not self.ranges:
            return None
        local = sub(model, "LocalTransformations")
        for attribute in self.subject.used:
            if attribute.name in self.ranges:
                name = self.ranges[attribute.name]
                field = sub(local, "DerivedField", name=name, optype="categorical", dataType="string")
                self.write_ranges(field, attribute.name, attribute.values)
        return local

    def write_ranges(self, field: Element, name: str, known: Sequence[str]) -> None:
        """Add the discretization of a column to a derived field; ranges that are not in ``known`` become missing."""
        attribute = next(candidate for candidate in self.subject.used if candidate.name == name)
        cuts, instead = self.subject.cuts[name], self.subject.fills_of_ranges.get(name)
        discretize = sub(field, "Discretize", field=name, dataType="string")
        if instead in known:
            discretize.set("mapMissingTo", allowed(str(instead)))
        for nth, label in enumerate(attribute.values):
            if label not in known:
                continue
            bin = sub(discretize, "DiscretizeBin", binValue=label)
            ends = {} if nth == 0 else {"leftMargin": repr(cuts[nth - 1])}
            ends |= {} if nth == len(cuts) else {"rightMargin": repr(cuts[nth])}
            if not ends:  # a single range of all numbers; an interval needs a margin
                ends = {"leftMargin": repr(-float_info.max)}
            closure = "closedOpen" if nth < len(cuts) else "closedClosed"  # the last range includes infinity
            sub(bin, "Interval", closure=closure, **ends)


def allowed(text: str) -> str:
    """``text`` unchanged; raises :class:`DataError` if XML cannot contain it."""
    if not _FORBIDDEN.search(text):
        return text
    raise DataError(f"The name {text[:40]!r} has a character that PMML cannot hold.", remedy="Rename it in Preprocess.")


def printable(text: str) -> str:
    """``text`` with U+FFFD for every character that XML cannot contain, for titles that nothing refers to."""
    return _FORBIDDEN.sub("\ufffd", text)


def element(name: str, attributes: dict[str, str]) -> Element:
    return Element(name, {key: allowed(value) for key, value in attributes.items()})


def sub(parent: Element, tag: str, /, **attributes: str) -> Element:
    child = element(tag, attributes)
    parent.append(child)
    return child


def simple(field: str, operator: str, value: str | None = None) -> Element:
    attributes = {"field": field, "operator": operator}
    return element("SimplePredicate", attributes if value is None else {**attributes, "value": value})


def compound(operator: str, parts: Sequence[Element]) -> Element:
    if len(parts) == 1 and operator in ("and", "or"):
        return parts[0]
    predicate = element("CompoundPredicate", {"booleanOperator": operator})
    predicate.extend(parts)
    return predicate


def all_of(parts: Sequence[Element]) -> Element:
    return compound("and", parts)


def number_text(value: float) -> str:
    """The number in the syntax of the standard's type double."""
    return repr(value) if isfinite(value) else "INF" if value > 0 else "-INF"


def one_of(field: str, labels: Sequence[str]) -> Element:
    """The PMML predicate that is true if the field is one of the labels.

    It uses an array if all programs parse the labels alike: they differ for quotes, backslashes and line breaks.
    """
    if len(labels) == 1:
        return simple(field, "equal", labels[0])
    if not all(_PLAIN.fullmatch(label) for label in labels):
        return compound("or", [simple(field, "equal", label) for label in labels])
    predicate = element("SimpleSetPredicate", {"field": field, "booleanOperator": "isIn"})
    array = sub(predicate, "Array", n=str(len(labels)), type="string")
    array.text = " ".join(f'"{label}"' for label in labels)
    return predicate


def constant(value: float | str) -> Element:
    expression = Element("Constant", {"dataType": "string" if isinstance(value, str) else "double"})
    expression.text = allowed(value) if isinstance(value, str) else number_text(value)
    return expression


def field_ref(name: str) -> Element:
    return element("FieldRef", {"field": name})


def apply(function: str, *arguments: Element) -> Element:
    expression = Element("Apply", {"function": function})
    expression.extend(arguments)
    return expression


def folded(function: str, parts: Sequence[Element]) -> Element:
    """The PMML expression that applies a binary function to all parts, from left to right."""
    result = parts[0]
    for part in parts[1:]:
        result = apply(function, result, part)
    return result


def is_one_of(field: str, labels: Sequence[str]) -> Element:
    """The PMML expression that is true if a non-missing field is one of the labels."""
    return folded("or", [apply("equal", field_ref(field), constant(label)) for label in labels])


def is_between(field: str, low: float | None, high: float | None, *, with_low: bool = False) -> Element | None:
    """The PMML expression low < field <= high (low <= field with ``with_low``); None if neither bound is given."""
    tests = []
    if low is not None:
        tests.append(apply("greaterOrEqual" if with_low else "greaterThan", field_ref(field), constant(low)))
    if high is not None:
        tests.append(apply("lessOrEqual", field_ref(field), constant(high)))
    return folded("and", tests) if tests else None


def _decided(output: Element, rule: ExportedRule, own: str, probabilities: Sequence[str], taken: set[str]) -> Element:
    """The PMML expression of the class by a decision rule; adds the output fields that it compares."""

    def added(name: str, expression: Element) -> str:
        field = free_name(name, taken)
        sub(output, "OutputField", name=field, **_DOUBLE, feature="transformedValue").append(expression)
        return field

    def first(codes: Sequence[int], fields: Sequence[str], best: str) -> Element:
        """The first class whose field equals the best of these."""
        *choices, last = codes
        chosen = constant(rule.classes[last])
        for i in reversed(choices):
            chosen = apply(
                "if", apply("equal", field_ref(fields[i]), field_ref(best)), constant(rule.classes[i]), chosen
            )
        return chosen

    codes = range(len(probabilities))
    if rule.costs is None:
        others = [code for code in codes if code != rule.code] or [rule.code]
        most = added(
            "largest probability of another class", apply("max", *(field_ref(probabilities[i]) for i in others))
        )
        reached = apply("greaterOrEqual", field_ref(probabilities[rule.code]), constant(rule.threshold))
        return apply("if", reached, constant(rule.classes[rule.code]), first(others, probabilities, most))
    costs = []
    for label, column in zip(rule.classes, rule.costs.T.tolist(), strict=True):
        terms = [apply("*", field_ref(p), constant(cost)) for p, cost in zip(probabilities, column, strict=True)]
        costs.append(added(f"expected cost of {label}", folded("+", terms)))
    least = added("least expected cost", apply("min", *map(field_ref, costs)))
    chosen = first(codes, costs, least)
    for i in reversed(codes):
        kept = apply("lessOrEqual", apply("-", field_ref(costs[i]), constant(rule.near)), field_ref(least))
        is_own = apply("equal", field_ref(own), constant(rule.classes[i]))
        chosen = apply("if", apply("and", is_own, kept), constant(rule.classes[i]), chosen)
    return chosen


def derived(parent: Element, name: str, expression: Element) -> None:
    """Add a continuous DerivedField called ``name`` with this expression."""
    sub(parent, "DerivedField", name=name, optype="continuous", dataType="double").append(expression)


def write_weighted_shares(
    model: Element, classes: Sequence[str], weights: Sequence[tuple[str, Sequence[float]]]
) -> None:
    """Add the RegressionTables of a model whose class scores are weighted sums of class shares.

    ``weights`` lists the weight fields, each with its class shares (k,); the model's ``simplemax`` divides by the
    total.
    """
    for code, label in enumerate(classes):
        table = sub(model, "RegressionTable", intercept="0.0", targetCategory=label)
        for name, shares in weights:
            if shares[code]:
                sub(table, "NumericPredictor", name=name, coefficient=repr(float(shares[code])))


def free_name(name: str, taken: set[str]) -> str:
    """``name``, followed by a number if it is in ``taken``; the result is added to ``taken``."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    taken.add(free)
    return free


def tree_as_pmml(subject: TreeSubject, give_way: GiveWay) -> str:
    """The document of a tree; raises :class:`DataError` for soft thresholds, or a name that XML cannot contain."""
    subject.check_is_sharp()
    return _TreeWriter(subject, give_way).written()


class _TreeWriter(PmmlWriter):
    subject: TreeSubject

    def __init__(self, subject: TreeSubject, give_way: GiveWay) -> None:
        super().__init__(subject)
        self.tree, self.give_way = subject.tree, give_way
        inner = [node for node in range(self.tree.n_nodes) if not self.tree.is_leaf(node)]
        whole = [node for node in inner if subject.without_answer(node) is not None]
        branches = ((node, branch) for node in whole for branch in range(int(self.tree.n_children[node])))
        for_missing = any(self.tree.is_for_missing(*branch) for branch in branches)
        self.by_default = len(whole) == len(inner) and not for_missing
        self.known: dict[tuple[str, tuple[str, ...]], str] = {}
        self.sums: dict[int, tuple[str, ColumnQuestion]] = {}

    def write_model(self, root: Element) -> None:
        inner = (node for node in range(self.tree.n_nodes) if not self.tree.is_leaf(node))
        divided = [node for node in inner if self.subject.without_answer(node) is None]
        if not divided:
            self._write_tree(root)
            return
        model = self.write_head(root, "MiningModel")
        segmentation = Element("Segmentation", {"multipleModelMethod": "selectFirst"})
        answered = sub(segmentation, "Segment", id="all answers")
        answered.append(all_of(self._all_answers(divided)))
        self._write_tree(answered)
        shared = sub(segmentation, "Segment", id="some answer is missing")
        shared.append(Element("True"))
        self._write_shares(shared)
        self._transformations(root, model)
        model.append(segmentation)

    def _all_answers(self, divided: Sequence[int]) -> list[Element]:
        """Predicates that all tests that divide records have a known value, their own or that of a surrogate."""
        fields = dict.fromkeys(tuple(self._field(node, ask) for ask in self.subject.asks(node)) for node in divided)
        return [compound("or", [simple(field, "isNotMissing") for field in alternatives]) for alternatives in fields]

    def _write_tree(self, parent: Element) -> None:
        tree = self.tree
        two = bool((tree.n_children[tree.n_children > 0] == 2).all())
        model = self.write_head(
            parent,
            "TreeModel",
            missingValueStrategy="defaultChild" if self.by_default else "none",
            noTrueChildStrategy="returnNullPrediction",
            splitCharacteristic="binarySplit" if two else "multiSplit",
        )
        nodes = [self._node(node) for node in with_breaks(range(tree.n_nodes), self.give_way)]
        for node in range(1, tree.n_nodes):
            nodes[int(tree.parent[node])].append(nodes[node])
        if parent.tag == "PMML":
            self._transformations(parent, model)
        model.append(nodes[0])

    def _write_shares(self, parent: Element) -> None:
        """Add the RegressionModel over the share of a record that each leaf receives."""
        tree = self.tree
        model = self.write_head(parent, "RegressionModel", normalizationMethod="simplemax")
        local = sub(model, "LocalTransformations")
        taken = self._taken()
        parts = {node: free_name(f"part at node {node}", taken) for node in range(1, tree.n_nodes)}
        for node, part in with_breaks(parts.items(), self.give_way):
            above = int(tree.parent[node])
            own = self._share(node)
            derived(local, part, apply("*", field_ref(parts[above]), own) if above else own)
        leaves = [(parts[node], self.subject.probabilities[node].tolist()) for node in parts if tree.is_leaf(node)]
        write_weighted_shares(model, self.subject.classes, leaves)

    def _share(self, child: int) -> Element:
        """The PMML expression of the share of the parent's records that a node receives."""
        node = int(self.tree.parent[child])
        branch, whole = child - int(self.tree.first_child[node]), self.subject.without_answer(node)
        result = constant(float(self.subject.shares[child]) if whole is None else float(whole == child))
        for ask in reversed(self.subject.asks(node)):
            field = self._field(node, ask)
            result = apply("if", apply("isMissing", field_ref(field)), result, self._answers(field, ask, branch))
        return result

    @staticmethod
    def _answers(field: str, ask: ColumnQuestion, branch: int) -> Element:
        """The PMML expression that is 1 if a known value leads to ``branch``, else 0."""
        for answer, b in zip(ask.answers, ask.branches, strict=True):
            if b != branch:
                continue
            test = is_between(field, *answer) if ask.is_number else is_one_of(field, [str(label) for label in answer])
            return constant(1.0) if test is None else apply("if", test, constant(1.0), constant(0.0))
        return constant(0.0)

    def _node(self, node: int) -> Element:
        subject, tree = self.subject, self.tree
        weight = float(tree.counts[node].sum())
        attributes = {"id": str(node), "score": subject.decision(node), "recordCount": repr(weight)}
        if self.by_default and not tree.is_leaf(node):
            attributes["defaultChild"] = str(subject.without_answer(node))
        written = element("Node", attributes)
        written.append(Element("True") if node == 0 else self._way(node))
        for code, label in enumerate(subject.classes):
            sub(
                written,
                "ScoreDistribution",
                value=label,
                recordCount=repr(float(tree.counts[node, code])),
                confidence=repr(float(subject.probabilities[node, code])),
                probability=repr(float(subject.probabilities[node, code])),
            )
        return written

    def _way(self, child: int) -> Element:
        """The predicate of a node: the test on the branch from its parent."""
        node = int(self.tree.parent[child])
        branch, whole = child - int(self.tree.first_child[node]), self.subject.without_answer(node)
        asks = self.subject.asks(node)
        predicates = [self._answered(node, ask, branch) for ask in asks]
        if predicates[0] is None:
            return all_of([simple(self._field(node, ask), "isMissing") for ask in asks])
        answered = [Element("False") if predicate is None else predicate for predicate in predicates]
        own = answered[0] if len(answered) == 1 else compound("surrogate", answered)
        if self.by_default or whole is None:
            return own
        if whole == child:
            return compound("or", [own, all_of([simple(self._field(node, ask), "isMissing") for ask in asks])])
        not_missing = [simple(self._field(node, ask), "isNotMissing") for ask in asks]
        return compound("and", [own, compound("or", not_missing)])

    def _answered(self, node: int, ask: ColumnQuestion, branch: int) -> Element | None:
        """The predicate of a known value that leads to ``branch``; None if no value does."""
        field = self._field(node, ask)
        for answer, b in zip(ask.answers, ask.branches, strict=True):
            if b != branch:
                continue
            if ask.is_number:
                return _between(field, *answer)
            return one_of(field, [str(label) for label in answer])
        return None

    def _field(self, node: int, ask: ColumnQuestion) -> str:
        """The field that a test uses: a derived one for ranges, a linear combination, or labels without a branch."""
        name = ask.attribute.name
        if ask.terms:
            if node not in self.sums:
                self.sums[node] = (free_name(f"sum at node {node}", self._taken()), ask)
            return self.sums[node][0]
        cut = name in self.subject.cuts
        if not cut and (ask.is_number or set(ask.labels) >= set(self.subject.raw(ask.attribute).values)):
            return name
        key = (name, tuple(sorted(ask.labels)))
        if key not in self.known:
            self.known[key] = free_name(f"{name}, as known at node {node}", self._taken())
        return self.known[key]

    def _taken(self) -> set[str]:
        """The names of fields in use."""
        named = {attribute.name for attribute in self.fields()} | {self.subject.class_name}
        return named | set(self.known.values()) | {name for name, _ in self.sums.values()}

    def _transformations(self, root: Element, model: Element) -> None:
        """Add the derived fields before the model, so that all its segments can use them."""
        if not self.known and not self.sums:
            return
        dictionary = Element("TransformationDictionary")
        root.insert(list(root).index(model), dictionary)
        for name, ask in self.sums.values():
            not_missing = [apply("isNotMissing", field_ref(attribute.name)) for attribute, _, _ in ask.terms]
            products = []
            for attribute, coefficient, stand_in in ask.terms:
                missing = apply("isMissing", field_ref(attribute.name))
                value = apply("if", missing, constant(stand_in), field_ref(attribute.name))
                products.append(apply("*", constant(coefficient), value))
            sub(dictionary, "DerivedField", name=name, optype="continuous", dataType="double").append(
                apply("if", folded("or", not_missing), folded("+", products))
            )
        for (name, labels), derived_name in self.known.items():
            field = sub(dictionary, "DerivedField", name=derived_name, optype="categorical", dataType="string")
            if name in self.subject.cuts:
                self.write_ranges(field, name, labels)
                continue
            mapped = sub(field, "MapValues", outputColumn="known", dataType="string")
            sub(mapped, "FieldColumnPair", field=name, column="value")
            table = sub(mapped, "InlineTable")
            for label in labels:
                row = sub(table, "row")
                sub(row, "value").text = allowed(label)
                sub(row, "known").text = label


def _between(field: str, low: float | None, high: float | None) -> Element:
    parts = [] if low is None else [simple(field, "greaterThan", number_text(low))]
    parts += [] if high is None else [simple(field, "lessOrEqual", number_text(high))]
    return compound("and", parts) if parts else simple(field, "isNotMissing")
