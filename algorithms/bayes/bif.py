"""The Bayesian interchange format (BIF 0.15) as text."""

from __future__ import annotations

import re
from itertools import product
from typing import Final

import numpy as np

from algorithms.bayes.network_files import TableSizes, Variable, checked, shaped, variables_of
from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.errors import DataError

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
"""One that is never closed reaches to the end: else every further one would be sought to the end again."""
_TOKEN: Final = re.compile(r'"[^"]*"|[{}()\[\];,|]|[^\s{}()\[\];,|"]+')
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")


def write_bif(network: BayesNetwork) -> str:
    """The network as text; names that are no words stand in quotes."""
    lines = ["network unknown {", "}"]
    variables = variables_of(network)
    values = {variable.name: variable.values for variable in variables}
    for each in variables:
        listed = ", ".join(_written(value) for value in each.values)
        lines += [f"variable {_written(each.name)} {{", f"  type discrete [ {len(each.values)} ] {{ {listed} }};", "}"]
    for each in variables:
        given = f" | {', '.join(_written(parent) for parent in each.parents)}" if each.parents else ""
        lines.append(f"probability ( {_written(each.name)}{given} ) {{")
        rows = each.table.reshape(-1, len(each.values))
        for states, row in zip(product(*(values[parent] for parent in each.parents)), rows, strict=True):
            head = f"({', '.join(_written(state) for state in states)})" if each.parents else "table"
            lines.append(f"  {head} {', '.join(repr(float(share)) for share in row)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _written(name: str) -> str:
    return name if _WORD.fullmatch(name) else '"' + name.replace('"', "'") + '"'


def _plain(token: str) -> str:
    """A word without its quotes."""
    return token.strip('"')


def read_bif(text: str) -> list[Variable]:
    """The variables of a network; raises :class:`DataError` where the text is none."""
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
    return reader.found()


class _Reader:
    """Goes through the words of a file."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at = tokens, 0
        self._values: dict[str, tuple[str, ...]] = {}
        self._sizes = TableSizes()
        self._tables: dict[str, tuple[tuple[str, ...], np.ndarray]] = {}

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    def take(self) -> str:
        if self.at_end:
            raise DataError("The BIF file ends too early.")
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, word: str) -> None:
        found = self.take()
        if found != word:
            raise DataError(f"{found!r} stands where {word!r} was expected in the BIF file.")

    def _until(self, *ends: str) -> list[str]:
        """The words up to one of the ends, without commas and bars."""
        found = []
        while (word := self.take()) not in ends:
            if word not in (",", "|"):
                found.append(_plain(word))
        return found

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
        for each in (name, *parents):
            if each not in self._values:
                raise DataError(f"The variable {each!r} of a table is not there.")
        sizes = [len(self._values[parent]) for parent in parents]
        own = len(self._values[name])
        self._sizes.add(name, sizes, own)
        table = np.full((*sizes, own), np.nan)
        self._expect("{")
        while (word := self.take()) != "}":
            if word == "table":
                table = shaped(name, self._numbers(), sizes, own, own_first=True)
            elif word == "default":
                table[np.isnan(table).all(axis=-1)] = self._row(name, own)
            elif word == "(":
                place = self._place(parents)
                table[place] = self._row(name, own)
            else:
                self._until(";")
        self._tables[name] = tuple(parents), table

    def _row(self, name: str, own: int) -> np.ndarray:
        return shaped(name, self._numbers(), [], own, own_first=False)

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

    def found(self) -> list[Variable]:
        without = next((name for name in self._values if name not in self._tables), None)
        if without is not None:
            raise DataError(f"{without} has no table in the BIF file.")
        return checked([Variable(name, values, *self._tables[name]) for name, values in self._values.items()])
