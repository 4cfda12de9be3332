"""Network files: BIF 0.15 as text and XMLBIF 0.3, read and written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Final
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.files import open_regular
from algorithms.data.columns import FloatArray
from algorithms.filters.discretize import range_labels
from algorithms.learners.bayes.directed_graph import is_acyclic
from algorithms.learners.bayes.evidence import state_words
from algorithms.learners.bayes.network_tables import MOST_CELLS
from algorithms.structures.bayes_network import BayesNetwork

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
"""An unclosed comment reaches to the end, which keeps the search linear."""
_TOKEN: Final = re.compile(r'"[^"]*"|[{}()\[\];,|]|[^\s{}()\[\];,|"]+')
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")


def write_bif(network: BayesNetwork) -> str:
    """The network in BIF; names that are no words stand in quotes."""
    lines = ["network unknown {", "}"]
    variables = variables_of(network)
    values = {own.name: own.values for own in variables}
    for variable in variables:
        listed = ", ".join(_written(value) for value in variable.values)
        lines += [
            f"variable {_written(variable.name)} {{",
            f"  type discrete [ {len(variable.values)} ] {{ {listed} }};",
            "}",
        ]
    for variable in variables:
        given = f" | {', '.join(_written(parent) for parent in variable.parents)}" if variable.parents else ""
        lines.append(f"probability ( {_written(variable.name)}{given} ) {{")
        rows = variable.table.reshape(-1, len(variable.values))
        for states, row in zip(product(*(values[parent] for parent in variable.parents)), rows, strict=True):
            head = f"({', '.join(_written(state) for state in states)})" if variable.parents else "table"
            lines.append(f"  {head} {', '.join(repr(float(share)) for share in row)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _written(name: str) -> str:
    return name if _WORD.fullmatch(name) else '"' + name.replace('"', "'") + '"'


def _plain(token: str) -> str:
    """A word without its quotes."""
    return token.strip('"')


def read_bif(text: str) -> list[Variable]:
    """The variables of a network; raises :class:`DataError` where the text is malformed."""
    reader = _Reader(_TOKEN.findall(_COMMENT.sub(" ", text)))
    while not reader.at_end:
        word = reader.take()
        if word == "network":
            reader.skip_block()
        elif word == "variable":
            reader.read_variable()
        elif word == "probability":
            reader.read_probability()
        else:
            raise DataError(f"{word!r} was not expected in a BIF file.", remedy="Choose a BIF or XMLBIF file.")
    return reader.variables()


class _Reader:
    """Parser of the tokens of a BIF file."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._position = tokens, 0
        self._values: dict[str, tuple[str, ...]] = {}
        self._cells = 0
        self._tables: dict[str, tuple[tuple[str, ...], np.ndarray]] = {}

    @property
    def at_end(self) -> bool:
        return self._position >= len(self._tokens)

    def take(self) -> str:
        if self.at_end:
            raise DataError("The BIF file ends too early.")
        self._position += 1
        return self._tokens[self._position - 1]

    def _expect(self, word: str) -> None:
        token = self.take()
        if token != word:
            raise DataError(f"{token!r} stands where {word!r} was expected in the BIF file.")

    def _until(self, *ends: str) -> list[str]:
        """The tokens up to one of the ends, without commas and bars."""
        words = []
        while (word := self.take()) not in ends:
            if word not in (",", "|"):
                words.append(_plain(word))
        return words

    def skip_block(self) -> None:
        while self.take() != "{":
            pass
        while self.take() != "}":
            pass

    def read_variable(self) -> None:
        name = _plain(self.take())
        self._expect("{")
        while (word := self.take()) != "}":
            if word == "type":
                self._until("{")
                self._values[name] = tuple(self._until("}"))
            self._until(";")

    def read_probability(self) -> None:
        self._expect("(")
        name, *parents = self._until(")") or [""]
        for variable in (name, *parents):
            if variable not in self._values:
                raise DataError(f"The variable {variable!r} of a table is not there.")
        sizes = [len(self._values[parent]) for parent in parents]
        own = len(self._values[name])
        self._cells = checked_cells(self._cells, name, sizes, own)
        table = np.full((*sizes, own), np.nan)
        self._expect("{")
        while (word := self.take()) != "}":
            if word == "table":
                table = shaped(name, self._numbers(), sizes, own, own_first=True)
            elif word == "default":
                table[np.isnan(table).all(axis=-1)] = shaped(name, self._numbers(), [], own)
            elif word == "(":
                place = self._place(parents)
                table[place] = shaped(name, self._numbers(), [], own)
            else:
                self._until(";")
        self._tables[name] = tuple(parents), table

    def _place(self, parents: list[str]) -> tuple[int, ...]:
        states = self._until(")")
        try:
            return tuple(self._values[parent].index(state) for parent, state in zip(parents, states, strict=True))
        except ValueError as error:
            raise DataError(f"({', '.join(states)}) are no values of {', '.join(parents)}.") from error

    def _numbers(self) -> list[float]:
        words = self._until(";")
        try:
            return [float(word) for word in words]
        except ValueError as error:
            raise DataError(f"{' '.join(words)!r} are no numbers.") from error

    def variables(self) -> list[Variable]:
        without = next((name for name in self._values if name not in self._tables), None)
        if without is not None:
            raise DataError(f"{without} has no table in the BIF file.")
        return checked([Variable(name, values, *self._tables[name]) for name, values in self._values.items()])


def write_xmlbif(network: BayesNetwork) -> str:
    """The network in XMLBIF; the values of a variable change fastest in its table."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>", "<NAME>network</NAME>"]
    variables = variables_of(network)
    for variable in variables:
        outcomes = "".join(f"<OUTCOME>{escape(value)}</OUTCOME>" for value in variable.values)
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{escape(variable.name)}</NAME>{outcomes}</VARIABLE>')
    for variable in variables:
        given = "".join(f"<GIVEN>{escape(parent)}</GIVEN>" for parent in variable.parents)
        numbers = " ".join(repr(float(share)) for share in variable.table.ravel())
        lines.append(f"<DEFINITION><FOR>{escape(variable.name)}</FOR>{given}<TABLE>{numbers}</TABLE></DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def read_xmlbif(text: str) -> list[Variable]:
    """The variables of a network; raises :class:`DataError` where the text is malformed."""
    if "<!ENTITY" in text.upper():
        raise DataError("This XML file defines words of its own, which may grow without end.", remedy="Remove them.")
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise DataError(f"This is no XML: {error}.", remedy="Choose a BIF or XMLBIF file.") from error
    values = {_text(element, "NAME"): tuple(_texts(element, "OUTCOME", "VALUE")) for element in root.iter("VARIABLE")}
    variables, cells = [], 0
    for definition in root.iter("DEFINITION"):
        name, parents = _text(definition, "FOR"), tuple(_texts(definition, "GIVEN"))
        if any(element not in values for element in (name, *parents)):
            raise DataError(f"The table of {name or '(no name)'} is about a variable that is not there.")
        sizes = [len(values[parent]) for parent in parents]
        cells = checked_cells(cells, name, sizes, len(values[name]))
        try:
            numbers = [float(word) for word in _text(definition, "TABLE").split()]
        except ValueError as error:
            raise DataError(f"The table of {name} holds what is no number.") from error
        variables.append(Variable(name, values[name], parents, shaped(name, numbers, sizes, len(values[name]))))
    if {element.name for element in variables} != set(values):
        raise DataError("Not every variable of the network has a table.")
    return checked(sorted(variables, key=lambda element: list(values).index(element.name)))


def _texts(element: ElementTree.Element, *tags: str) -> Iterator[str]:
    for child in element:
        if child.tag in tags:
            yield (child.text or "").strip()


def _text(element: ElementTree.Element, tag: str) -> str:
    """The text of a child element, with the parts around comments."""
    child = element.find(tag)
    return "" if child is None else "".join(child.itertext()).strip()


MOST_BYTES: Final = 50_000_000
MOST_PARENTS: Final = 30
_MOST_CELLS_OF_ALL: Final = 8 * MOST_CELLS


@dataclass(frozen=True, eq=False)
class Variable:
    """A variable of a network; ``table`` has an axis for each parent, and one for its own values last."""

    name: str
    values: tuple[str, ...]
    parents: tuple[str, ...]
    table: FloatArray


def variables_of(network: BayesNetwork) -> list[Variable]:
    """The nodes of a network as variables; ranges of numbers go by their exact labels."""
    return [
        Variable(
            network.name(node),
            range_labels(network.cuts_of(node).tolist()) or state_words(network, node),
            tuple(network.name(parent) for parent in network.parents[node]),
            network.table_of(node),
        )
        for node in network.nodes
    ]


def read_network(path: str) -> list[Variable]:
    """The variables of a BIF or XMLBIF file; raises :class:`DataError` where it is malformed."""
    file = Path(path)
    try:
        with open_regular(file) as stream:
            raw = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise DataError(f"{file.name} cannot be read.", remedy="Choose a BIF or XMLBIF file.", place=path) from error
    if len(raw) > MOST_BYTES:
        raise DataError(f"{file.name} is too large for a network.", place=path)
    text = raw.decode("utf-8-sig", errors="replace")
    return read_xmlbif(text) if text.lstrip().startswith("<") else read_bif(text)


def checked(variables: list[Variable]) -> list[Variable]:
    """The variables, checked: all parents exist, no cycle, and every table holds probabilities."""
    number = {variable.name: i for i, variable in enumerate(variables)}
    if len(number) != len(variables):
        raise DataError("Two variables of the network have the same name.")
    if not variables:
        raise DataError("There is no variable in this network.", remedy="Choose a BIF or XMLBIF file.")
    for variable in variables:
        missing = next((parent for parent in variable.parents if parent not in number), None)
        if missing is not None:
            raise DataError(f"{variable.name} hangs on {missing}, which is not there.")
        if len(set(variable.parents)) < len(variable.parents):
            raise DataError(f"{variable.name} has the same parent twice.")
        _check_table(variable)
    if not is_acyclic([{number[parent] for parent in variable.parents} for variable in variables]):
        raise DataError("The arrows of the network lead round in a circle.")
    return variables


def _check_table(variable: Variable) -> None:
    table = variable.table
    if table.shape[-1:] != (len(variable.values),) or not np.all(np.isfinite(table)) or np.any(table < 0):
        raise DataError(f"The table of {variable.name} holds what is no probability.")
    if not np.allclose(table.sum(axis=-1), 1.0, atol=0.01):
        raise DataError(f"The probabilities of {variable.name} do not sum to 1.")


def checked_cells(before: int, name: str, sizes: list[int], own: int) -> int:
    """The cells of the tables ``before`` and of one more; raises :class:`DataError` where these are too many."""
    if len(sizes) > MOST_PARENTS:
        raise DataError(f"{name} has {len(sizes)} parents, and {MOST_PARENTS} are the most there may be.")
    cells = prod(sizes) * own
    if cells > MOST_CELLS:
        raise DataError(f"The table of {name} would have more than {MOST_CELLS:,} cells.")
    if before + cells > _MOST_CELLS_OF_ALL:
        raise DataError(f"The tables of the network would have more than {_MOST_CELLS_OF_ALL:,} cells together.")
    return before + cells


def shaped(name: str, numbers: list[float], sizes: list[int], own: int, *, own_first: bool = False) -> FloatArray:
    """A table from a list of numbers; with ``own_first`` the variable's own value changes slowest."""
    if len(numbers) != prod(sizes) * own:
        raise DataError(f"The table of {name} has {len(numbers)} numbers in place of {prod(sizes) * own}.")
    if own_first:
        return np.moveaxis(np.array(numbers).reshape(own, *sizes), 0, -1)
    return np.array(numbers).reshape(*sizes, own)
