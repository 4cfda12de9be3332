"""What every model in PMML 4.4 has in common: its header, its fields, and how predicates are written.

Source: Data Mining Group, PMML 4.4 (pmml.org).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import isfinite
from typing import Final, Protocol
from xml.etree import ElementTree

from algorithms.core.errors import DataError
from algorithms.core.schema import Attribute, Kind
from algorithms.export.subject import Columns

VERSION: Final = "4.4"
NAMESPACE: Final = "http://www.dmg.org/PMML-4_4"

Element = ElementTree.Element


class Described(Columns, Protocol):
    """What a document says besides its model: see :class:`algorithms.export.subject.Subject`."""

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

    def __init__(self, subject: Described) -> None:
        self.subject = subject

    @abstractmethod
    def write_model(self, root: Element) -> None:
        """Add the model to the document."""

    def written(self) -> str:
        ElementTree.register_namespace("", NAMESPACE)
        root = Element("PMML", {"version": VERSION, "xmlns": NAMESPACE})
        header = sub(root, "Header", description=" ".join(self.subject.heading()))
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
                optype = "ordinal" if attribute.kind is Kind.ORDINAL else "categorical"
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
            closure = "closedOpen" if nth < len(cuts) else "closedClosed"  # the last range holds infinity too
            sub(bin, "Interval", closure=closure, **ends)


# ---- elements --------------------------------------------------------------------------------------------------------


def allowed(text: str) -> str:
    """The text; raises :class:`DataError` where XML cannot hold it."""
    for c in text:
        code = ord(c)
        if (code < 0x20 and c not in "\t\n\r") or 0xD800 <= code <= 0xDFFF or code in (0xFFFE, 0xFFFF):
            raise DataError(
                f"The name {text[:40]!r} has a character that PMML cannot hold.", remedy="Rename it in Preprocess."
            )
    return text


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
    made = element("SimpleSetPredicate", {"field": field, "booleanOperator": "isIn"})
    array = sub(made, "Array", n=str(len(labels)), type="string")
    array.text = " ".join(in_array(allowed(label)) for label in labels)
    return made


def in_array(label: str) -> str:
    """A string of an array: between quotes, a quote inside with a backslash before it."""
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'


def free_name(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; it is taken from then on."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    taken.add(free)
    return free
