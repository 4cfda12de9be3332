"""The Bayesian interchange format as XML (XMLBIF 0.3), which Weka and others read."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from algorithms.bayes.network_files import TableSizes, Variable, checked, shaped, variables_of
from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.errors import DataError


def write_xmlbif(network: BayesNetwork) -> str:
    """The network as XML; the own values of a variable change fastest in its table."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>", "<NAME>network</NAME>"]
    variables = variables_of(network)
    for each in variables:
        outcomes = "".join(f"<OUTCOME>{escape(value)}</OUTCOME>" for value in each.values)
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{escape(each.name)}</NAME>{outcomes}</VARIABLE>')
    for each in variables:
        given = "".join(f"<GIVEN>{escape(parent)}</GIVEN>" for parent in each.parents)
        numbers = " ".join(repr(float(share)) for share in each.table.ravel())
        lines.append(f"<DEFINITION><FOR>{escape(each.name)}</FOR>{given}<TABLE>{numbers}</TABLE></DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def read_xmlbif(text: str) -> list[Variable]:
    """The variables of a network; raises :class:`DataError` where the text is none."""
    if "<!ENTITY" in text.upper():
        raise DataError("This XML file defines words of its own, which may grow without end.", remedy="Remove them.")
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise DataError(f"This is no XML: {error}.", remedy="Choose a BIF or XMLBIF file.") from error
    values = {_text(each, "NAME"): tuple(_texts(each, "OUTCOME", "VALUE")) for each in root.iter("VARIABLE")}
    found, counted = [], TableSizes()
    for definition in root.iter("DEFINITION"):
        name, parents = _text(definition, "FOR"), tuple(_texts(definition, "GIVEN"))
        if any(each not in values for each in (name, *parents)):
            raise DataError(f"The table of {name or '(no name)'} is about a variable that is not there.")
        sizes = [len(values[parent]) for parent in parents]
        counted.add(name, sizes, len(values[name]))
        try:
            numbers = [float(word) for word in _text(definition, "TABLE").split()]
        except ValueError as error:
            raise DataError(f"The table of {name} holds what is no number.") from error
        table = shaped(name, numbers, sizes, len(values[name]), own_first=False)
        found.append(Variable(name, values[name], parents, table))
    if {each.name for each in found} != set(values):
        raise DataError("Not every variable of the network has a table.")
    return checked(sorted(found, key=lambda each: list(values).index(each.name)))


def _texts(element: ElementTree.Element, *tags: str) -> Iterator[str]:
    for each in element:
        if each.tag in tags:
            yield (each.text or "").strip()


def _text(element: ElementTree.Element, tag: str) -> str:
    """The text of a child, with what stands around comments in it."""
    child = element.find(tag)
    return "" if child is None else "".join(child.itertext()).strip()
