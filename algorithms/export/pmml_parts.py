"""What every model in PMML 4.4 has in common: its header, its fields, and how predicates are written.

Source: Data Mining Group, PMML 4.4 (pmml.org).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import isfinite
from sys import float_info
from typing import Final, Protocol
from xml.etree import ElementTree

from algorithms.core.errors import DataError
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.export.model_view import Columns

VERSION: Final = "4.4"
NAMESPACE: Final = "http://www.dmg.org/PMML-4_4"

Element = ElementTree.Element
_PLAIN: Final = re.compile(r"[^\s\"'\\]+( [^\s\"'\\]+)*")
"""A label that every program reads alike from an array."""


class PmmlSubject(Columns, Protocol):
    """What a document says besides its model: see :class:`algorithms.export.model_view.ExportSubject`."""

    @property
    def classes(self) -> tuple[str, ...]: ...

    @property
    def class_name(self) -> str: ...

    @property
    def target(self) -> Attribute: ...

    @property
    def used(self) -> tuple[Attribute, ...]: ...

    def heading(self) -> list[str]: ...


class PmmlWriter(ABC):
    """Writes a document; a subclass writes the model."""

    def __init__(self, subject: PmmlSubject) -> None:
        self.subject = subject

    @abstractmethod
    def write_model(self, root: Element) -> None:
        """Add the model to the document."""

    def written(self) -> str:
        ElementTree.register_namespace("", NAMESPACE)
        root = Element("PMML", {"version": VERSION, "xmlns": NAMESPACE})
        header = sub(root, "Header", description=printable(" ".join(self.subject.heading())))
        sub(header, "Application", name="Coppice")
        self._dictionary(root)
        self.write_model(root)
        ElementTree.indent(root, " ")
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"

    # ---- fields ------------------------------------------------------------------------------------------------------

    def fields(self) -> list[Attribute]:
        return [*(self.subject.raw(attribute) for attribute in self.subject.used)]

    def _dictionary(self, root: Element) -> None:
        fields = [*self.fields(), self.subject.target]
        dictionary = sub(root, "DataDictionary", numberOfFields=str(len(fields)))
        for attribute in fields:
            if attribute.kind.is_coded:
                optype = "ordinal" if attribute.kind is AttributeKind.ORDINAL else "categorical"
                field = sub(dictionary, "DataField", name=attribute.name, optype=optype, dataType="string")
                for value in attribute.values:
                    sub(field, "Value", value=value)
            else:
                sub(dictionary, "DataField", name=attribute.name, optype="continuous", dataType="double")

    def write_schema(self, model: Element) -> None:
        schema = sub(model, "MiningSchema")
        for attribute in self.fields():
            treated = {"name": attribute.name, "usageType": "active", "invalidValueTreatment": "asMissing"}
            fill = self.subject.fills.get(attribute.name)
            if fill is not None:
                treated["missingValueReplacement"] = fill if isinstance(fill, str) else repr(fill)
                treated["missingValueTreatment"] = "asValue"
            sub(schema, "MiningField", **treated)
        sub(schema, "MiningField", name=self.subject.class_name, usageType="target")

    def write_output(self, model: Element) -> None:
        taken = {attribute.name for attribute in (*self.fields(), self.subject.target)}
        output = sub(model, "Output")
        name = free_name(f"predicted {self.subject.class_name}", taken)
        sub(output, "OutputField", name=name, optype="categorical", dataType="string", feature="predictedValue")
        for label in self.subject.classes:
            name = free_name(f"probability {label}", taken)
            attributes = {"name": name, "optype": "continuous", "dataType": "double"}
            sub(output, "OutputField", **attributes, feature="probability", value=label)

    def write_shares_model(self, parent: Element, name: str) -> Element:
        """Add a regression without tables yet, for :func:`write_weighted_shares`."""
        model = sub(
            parent,
            "RegressionModel",
            modelName=name,
            functionName="classification",
            algorithmName=name,
            normalizationMethod="simplemax",
        )
        self.write_schema(model)
        self.write_output(model)
        return model

    def write_ranges(self, field: Element, name: str, known: Sequence[str]) -> None:
        """The range that a number lies in, missing for one that is not known there."""
        attribute = next(each for each in self.subject.used if each.name == name)
        cuts, instead = self.subject.cuts[name], self.subject.fills_of_ranges.get(name)
        found = sub(field, "Discretize", field=name, dataType="string")
        if instead in known:
            found.set("mapMissingTo", allowed(str(instead)))
        for nth, label in enumerate(attribute.values):
            if label not in known:
                continue
            bin = sub(found, "DiscretizeBin", binValue=label)
            ends = {} if nth == 0 else {"leftMargin": repr(cuts[nth - 1])}
            ends |= {} if nth == len(cuts) else {"rightMargin": repr(cuts[nth])}
            if not ends:  # one range of all numbers; an interval needs an end
                ends = {"leftMargin": repr(-float_info.max)}
            closure = "closedOpen" if nth < len(cuts) else "closedClosed"  # the last range holds infinity too
            sub(bin, "Interval", closure=closure, **ends)


# ---- elements --------------------------------------------------------------------------------------------------------


def allowed(text: str) -> str:
    """The text; raises :class:`DataError` where XML cannot hold it."""
    if all(_is_allowed(ord(c)) for c in text):
        return text
    raise DataError(f"The name {text[:40]!r} has a character that PMML cannot hold.", remedy="Rename it in Preprocess.")


def printable(text: str) -> str:
    """The text with U+FFFD in place of every character that XML cannot hold: for titles, which nothing refers to."""
    return "".join(c if _is_allowed(ord(c)) else "\ufffd" for c in text)


def _is_allowed(code: int) -> bool:
    """Whether XML 1.0 can hold the character."""
    return (code >= 0x20 or code in (0x9, 0xA, 0xD)) and not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF)


def element(name: str, attributes: dict[str, str]) -> Element:
    return Element(name, {key: allowed(value) for key, value in attributes.items()})


def sub(parent: Element, tag: str, /, **attributes: str) -> Element:
    made = element(tag, attributes)
    parent.append(made)
    return made


def simple(field: str, operator: str, value: str | None = None) -> Element:
    attributes = {"field": field, "operator": operator}
    return element("SimplePredicate", attributes if value is None else {**attributes, "value": value})


def compound(operator: str, parts: Sequence[Element]) -> Element:
    if len(parts) == 1 and operator in ("and", "or"):
        return parts[0]
    made = element("CompoundPredicate", {"booleanOperator": operator})
    made.extend(parts)
    return made


def all_of(parts: Sequence[Element]) -> Element:
    return compound("and", parts)


def number_text(value: float) -> str:
    """The number as the standard's type double writes it."""
    return repr(value) if isfinite(value) else "INF" if value > 0 else "-INF"


def one_of(field: str, labels: Sequence[str]) -> Element:
    """Whether the field is one of the labels.

    It is an array where its text is read alike everywhere; programs differ about quotes, backslashes and line breaks.
    """
    if len(labels) == 1:
        return simple(field, "equal", labels[0])
    if not all(_PLAIN.fullmatch(label) for label in labels):
        return compound("or", [simple(field, "equal", label) for label in labels])
    made = element("SimpleSetPredicate", {"field": field, "booleanOperator": "isIn"})
    array = sub(made, "Array", n=str(len(labels)), type="string")
    array.text = " ".join(f'"{label}"' for label in labels)
    return made


# ---- expressions -----------------------------------------------------------------------------------------------------


def constant(value: float | str) -> Element:
    made = Element("Constant", {"dataType": "string" if isinstance(value, str) else "double"})
    made.text = allowed(value) if isinstance(value, str) else number_text(value)
    return made


def field_ref(name: str) -> Element:
    return element("FieldRef", {"field": name})


def apply(function: str, *arguments: Element) -> Element:
    made = Element("Apply", {"function": function})
    made.extend(arguments)
    return made


def folded(function: str, parts: Sequence[Element]) -> Element:
    """A function of two applied to all parts, from the left."""
    result = parts[0]
    for part in parts[1:]:
        result = apply(function, result, part)
    return result


def is_one_of(field: str, labels: Sequence[str]) -> Element:
    """Whether a field that is not missing is one of the labels, as an expression."""
    return folded("or", [apply("equal", field_ref(field), constant(label)) for label in labels])


def is_between(field: str, low: float | None, high: float | None, *, with_low: bool = False) -> Element | None:
    """Whether a field that is not missing lies between the ends, as an expression; None where it has none."""
    tests = []
    if low is not None:
        tests.append(apply("greaterOrEqual" if with_low else "greaterThan", field_ref(field), constant(low)))
    if high is not None:
        tests.append(apply("lessOrEqual", field_ref(field), constant(high)))
    return folded("and", tests) if tests else None


def derived(parent: Element, name: str, expression: Element) -> None:
    """Add a number that an expression makes of other fields."""
    sub(parent, "DerivedField", name=name, optype="continuous", dataType="double").append(expression)


def write_weighted_shares(
    model: Element, classes: Sequence[str], weights: Sequence[tuple[str, Sequence[float]]]
) -> None:
    """Tables of a regression: each class has the sum of the weights, each times its share of that class.

    ``weights`` names fields, each with its shares (k,) of the classes; the model's ``simplemax`` divides by the total.
    """
    for code, label in enumerate(classes):
        table = sub(model, "RegressionTable", intercept="0.0", targetCategory=label)
        for name, shares in weights:
            if shares[code]:
                sub(table, "NumericPredictor", name=name, coefficient=repr(float(shares[code])))


def free_name(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; it is taken from then on."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    taken.add(free)
    return free
