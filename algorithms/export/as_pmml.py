"""A tree as a PMML 4.4 TreeModel (Data Mining Group, pmml.org).

What becomes of missing values is said in PMML's own ways. Where every record without an answer goes down one branch,
``missingValueStrategy="defaultChild"``; where it is shared out, ``weightedConfidence`` by the branches' record counts;
where a tree does both, the branches that take such records ask for them (``isMissing``). Questions that stand in for
another one are ``surrogate`` predicates. A label that a question has no branch for is mapped to a missing value first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Final
from xml.etree import ElementTree

from algorithms.core.errors import DataError
from algorithms.core.schema import Attribute, Kind
from algorithms.export.subject import Ask, Subject

VERSION: Final = "4.4"
NAMESPACE: Final = "http://www.dmg.org/PMML-4_4"
BREATH: Final = 100

Element = ElementTree.Element


def as_pmml(subject: Subject, give_way: Callable[[], None] = lambda: None) -> str:
    """The document; raises :class:`DataError` for a name that XML cannot hold, and a tree with soft thresholds.

    ``give_way`` is called every few milliseconds.
    """
    subject.check_is_sharp()
    return _Writer(subject, give_way).written()


class _Writer:
    def __init__(self, subject: Subject, give_way: Callable[[], None]) -> None:
        self.subject, self.tree, self.give_way = subject, subject.tree, give_way
        inner = [node for node in range(self.tree.n_nodes) if not self.tree.is_leaf(node)]
        whole = [node for node in inner if subject.without_answer(node) is not None]
        for_missing = any(self._has_branch_for_missing(node) for node in whole)
        self.by_default = len(whole) == len(inner) and not for_missing
        self.known: dict[tuple[str, tuple[str, ...]], str] = {}
        self.sums: dict[int, tuple[str, Ask]] = {}

    def _has_branch_for_missing(self, node: int) -> bool:
        return any(self.tree.is_for_missing(node, b) for b in range(int(self.tree.n_children[node])))

    def written(self) -> str:
        ElementTree.register_namespace("", NAMESPACE)
        root = Element("PMML", {"version": VERSION, "xmlns": NAMESPACE})
        header = _sub(root, "Header", description=" ".join(self.subject.heading()))
        _sub(header, "Application", name="Coppice")
        self._dictionary(root)
        self._model(root)
        ElementTree.indent(root, " ")
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"

    # ---- fields ------------------------------------------------------------------------------------------------------

    def _fields(self) -> list[Attribute]:
        return [*(self.subject.raw(attribute) for attribute in self.subject.used)]

    def _dictionary(self, root: Element) -> None:
        fields = [*self._fields(), self.tree.schema.class_attribute]
        dictionary = _sub(root, "DataDictionary", numberOfFields=str(len(fields)))
        for attribute in fields:
            if attribute.kind.is_coded:
                optype = "ordinal" if attribute.kind is Kind.ORDINAL else "categorical"
                field = _sub(dictionary, "DataField", name=attribute.name, optype=optype, dataType="string")
                for value in attribute.values:
                    _sub(field, "Value", value=value)
            else:
                _sub(dictionary, "DataField", name=attribute.name, optype="continuous", dataType="double")

    def _schema(self, model: Element) -> None:
        schema = _sub(model, "MiningSchema")
        for attribute in self._fields():
            treated = {"name": attribute.name, "usageType": "active", "invalidValueTreatment": "asMissing"}
            fill = self.subject.fills.get(attribute.name)
            if fill is not None:
                treated["missingValueReplacement"] = fill if isinstance(fill, str) else repr(fill)
                treated["missingValueTreatment"] = "asValue"
            _sub(schema, "MiningField", **treated)
        _sub(schema, "MiningField", name=self.subject.class_name, usageType="target")

    def _output(self, model: Element) -> None:
        taken = {attribute.name for attribute in (*self._fields(), self.tree.schema.class_attribute)}
        output = _sub(model, "Output")
        name = _free(f"predicted {self.subject.class_name}", taken)
        _sub(output, "OutputField", name=name, optype="categorical", dataType="string", feature="predictedValue")
        for label in self.subject.classes:
            name = _free(f"probability {label}", taken)
            attributes = {"name": name, "optype": "continuous", "dataType": "double"}
            _sub(output, "OutputField", **attributes, feature="probability", value=label)

    # ---- the tree ----------------------------------------------------------------------------------------------------

    def _model(self, root: Element) -> None:
        tree = self.tree
        two = bool((tree.n_children[tree.n_children > 0] == 2).all())
        model = _sub(
            root,
            "TreeModel",
            modelName=self.subject.trained.learner.name,
            functionName="classification",
            algorithmName=self.subject.trained.learner.name,
            missingValueStrategy="defaultChild" if self.by_default else "weightedConfidence",
            noTrueChildStrategy="returnNullPrediction",
            splitCharacteristic="binarySplit" if two else "multiSplit",
        )
        self._schema(model)
        self._output(model)
        made = [self._node(node) for node in range(tree.n_nodes)]
        for node in range(1, tree.n_nodes):
            made[int(tree.parent[node])].append(made[node])
        self._transformations(model)
        model.append(made[0])

    def _node(self, node: int) -> Element:
        if node % BREATH == 0:
            self.give_way()
        subject, tree = self.subject, self.tree
        weight = float(tree.counts[node].sum())
        attributes = {"id": str(node), "score": subject.decision(node), "recordCount": repr(weight)}
        if self.by_default and not tree.is_leaf(node):
            attributes["defaultChild"] = str(subject.without_answer(node))
        made = _element("Node", attributes)
        made.append(Element("True") if node == 0 else self._way(node))
        for code, label in enumerate(subject.classes):
            _sub(
                made,
                "ScoreDistribution",
                value=label,
                recordCount=repr(float(tree.counts[node, code])),
                confidence=repr(float(subject.probabilities[node, code])),
                probability=repr(float(subject.probabilities[node, code])),
            )
        return made

    def _way(self, child: int) -> Element:
        """The predicate that leads from its parent to a node."""
        node = int(self.tree.parent[child])
        branch, whole = child - int(self.tree.first_child[node]), self.subject.without_answer(node)
        asks = self.subject.asks(node)
        found = [self._answered(node, ask, branch) for ask in asks]
        if found[0] is None:
            return _all_of([_simple(self._field(node, ask), "isMissing") for ask in asks])
        answered = [Element("False") if each is None else each for each in found]
        own = answered[0] if len(answered) == 1 else _compound("surrogate", answered)
        if self.by_default or whole is None:
            return own
        if whole == child:
            return _compound("or", [own, _all_of([_simple(self._field(node, ask), "isMissing") for ask in asks])])
        known = [_simple(self._field(node, ask), "isNotMissing") for ask in asks]
        return _compound("and", [own, known[0] if len(known) == 1 else _compound("or", known)])

    def _answered(self, node: int, ask: Ask, branch: int) -> Element | None:
        """Whether the answer to a question leads down a branch; None where none does."""
        field = self._field(node, ask)
        for answer, b in zip(ask.answers, ask.branches, strict=True):
            if b != branch:
                continue
            if ask.is_number:
                return _between(field, *answer)
            labels = [str(label) for label in answer]
            return _simple(field, "equal", labels[0]) if len(labels) == 1 else _one_of(field, labels)
        return None

    def _field(self, node: int, ask: Ask) -> str:
        """The field that a question looks at: one of its own where some labels have no branch."""
        name = ask.attribute.name
        if ask.terms:
            if node not in self.sums:
                self.sums[node] = (_free(f"sum at node {node}", self._taken()), ask)
            return self.sums[node][0]
        cut = name in self.subject.cuts
        if not cut and (ask.is_number or set(ask.labels) >= set(self.subject.raw(ask.attribute).values)):
            return name
        key = (name, tuple(sorted(ask.labels)))
        if key not in self.known:
            self.known[key] = _free(f"{name}, as known at node {node}", self._taken())
        return self.known[key]

    def _taken(self) -> set[str]:
        """The names that a field cannot have any more."""
        named = {attribute.name for attribute in self._fields()} | {self.subject.class_name}
        return named | set(self.known.values()) | {name for name, _ in self.sums.values()}

    def _transformations(self, model: Element) -> None:
        if not self.known and not self.sums:
            return
        made = _sub(model, "LocalTransformations")
        for name, ask in self.sums.values():
            _sum(_sub(made, "DerivedField", name=name, optype="continuous", dataType="double"), ask)
        for (name, labels), derived in self.known.items():
            field = _sub(made, "DerivedField", name=derived, optype="categorical", dataType="string")
            if name in self.subject.cuts:
                self._ranges(field, name, labels)
                continue
            mapped = _sub(field, "MapValues", outputColumn="known", dataType="string")
            _sub(mapped, "FieldColumnPair", field=name, column="value")
            table = _sub(mapped, "InlineTable")
            for label in labels:
                row = _sub(table, "row")
                _sub(row, "value").text = _allowed(label)
                _sub(row, "known").text = label

    def _ranges(self, field: Element, name: str, known: Sequence[str]) -> None:
        """The range that a number lies in, missing for one that the question has no branch for."""
        attribute = next(each for each in self.subject.used if each.name == name)
        cuts, instead = self.subject.cuts[name], self.subject.fills_of_ranges.get(name)
        found = _sub(field, "Discretize", field=name, dataType="string")
        if instead in known:
            found.set("mapMissingTo", _allowed(str(instead)))
        for nth, label in enumerate(attribute.values):
            if label not in known:
                continue
            bin = _sub(found, "DiscretizeBin", binValue=label)
            ends = {} if nth == 0 else {"leftMargin": repr(cuts[nth - 1])}
            ends |= {} if nth == len(cuts) else {"rightMargin": repr(cuts[nth])}
            closure = "closedOpen" if nth < len(cuts) else "closedClosed"  # the last range holds infinity too
            _sub(bin, "Interval", closure=closure, **ends)


# ---- elements --------------------------------------------------------------------------------------------------------


def _allowed(text: str) -> str:
    """The text; raises :class:`DataError` where XML cannot hold it."""
    for c in text:
        code = ord(c)
        if (code < 0x20 and c not in "\t\n\r") or 0xD800 <= code <= 0xDFFF or code in (0xFFFE, 0xFFFF):
            raise DataError(
                f"The name {text[:40]!r} has a character that PMML cannot hold.", remedy="Rename it in Preprocess."
            )
    return text


def _element(name: str, attributes: dict[str, str]) -> Element:
    return Element(name, {key: _allowed(value) for key, value in attributes.items()})


def _sub(parent: Element, element: str, /, **attributes: str) -> Element:
    made = _element(element, attributes)
    parent.append(made)
    return made


def _simple(field: str, operator: str, value: str | None = None) -> Element:
    attributes = {"field": field, "operator": operator}
    return _element("SimplePredicate", attributes if value is None else {**attributes, "value": value})


def _sum(field: Element, ask: Ask) -> None:
    """The sum of a question's terms, missing where all of them are; a missing one alone has its stand-in."""
    any_known = _sub(field, "Apply", function="if")
    tests = []
    for attribute, _, _ in ask.terms:
        test = _element("Apply", {"function": "isNotMissing"})
        _sub(test, "FieldRef", field=attribute.name)
        tests.append(test)
    any_known.append(_folded("or", tests))
    products = []
    for attribute, coefficient, stand_in in ask.terms:
        product = _element("Apply", {"function": "*"})
        _sub(product, "Constant", dataType="double").text = repr(coefficient)
        _sub(product, "FieldRef", field=attribute.name, mapMissingTo=repr(stand_in))
        products.append(product)
    any_known.append(_folded("+", products))


def _folded(function: str, parts: Sequence[Element]) -> Element:
    """A function of two applied to all parts, from the left."""
    found = parts[0]
    for part in parts[1:]:
        outer = _element("Apply", {"function": function})
        outer.extend([found, part])
        found = outer
    return found


def _compound(operator: str, parts: Sequence[Element]) -> Element:
    if len(parts) == 1 and operator in ("and", "or"):
        return parts[0]
    made = _element("CompoundPredicate", {"booleanOperator": operator})
    made.extend(parts)
    return made


def _all_of(parts: Sequence[Element]) -> Element:
    return _compound("and", parts)


def _between(field: str, low: float | None, high: float | None) -> Element:
    parts = [] if low is None else [_simple(field, "greaterThan", _number(low))]
    parts += [] if high is None else [_simple(field, "lessOrEqual", _number(high))]
    return _compound("and", parts) if parts else _simple(field, "isNotMissing")


def _number(value: float) -> str:
    """The number as the standard's type double writes it."""
    return repr(value) if isfinite(value) else "INF" if value > 0 else "-INF"


def _one_of(field: str, labels: Sequence[str]) -> Element:
    made = _element("SimpleSetPredicate", {"field": field, "booleanOperator": "isIn"})
    array = _sub(made, "Array", n=str(len(labels)), type="string")
    array.text = " ".join(_in_array(_allowed(label)) for label in labels)
    return made


def _in_array(label: str) -> str:
    """A string of an array: between quotes, a quote inside with a backslash before it."""
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; it is taken from then on."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    taken.add(free)
    return free
