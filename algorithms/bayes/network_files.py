"""Networks in the formats that other programs exchange: BIF and XMLBIF."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Final

import numpy as np

from algorithms.bayes.arcs import is_acyclic
from algorithms.bayes.network_records import MOST_CELLS
from algorithms.bayes.network_words import state_words
from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.columns import FloatArray
from algorithms.core.errors import DataError
from algorithms.core.regular_file import open_regular

MOST_BYTES: Final = 50_000_000
MOST_PARENTS: Final = 30
_MOST_CELLS_OF_ALL: Final = 8 * MOST_CELLS


@dataclass(frozen=True, eq=False)
class Variable:
    """One variable of a network: its values, its parents by name, and its table, an axis for each parent and its own
    values last."""

    name: str
    values: tuple[str, ...]
    parents: tuple[str, ...]
    table: FloatArray


def variables_of(network: BayesNetwork) -> list[Variable]:
    """The nodes of a network; ranges of numbers are values of the name they are shown with."""
    return [
        Variable(
            network.name(node),
            state_words(network, node),
            tuple(network.name(parent) for parent in network.parents[node]),
            network.table_of(node),
        )
        for node in network.nodes
    ]


def read_network(path: str) -> list[Variable]:
    """The variables of a BIF or XMLBIF file; raises :class:`DataError` where it is none."""
    from algorithms.bayes.bif import read_bif
    from algorithms.bayes.xmlbif import read_xmlbif

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
    """The same, once all parents are there, no arrows lead round in a circle and every table is one."""
    number = {variable.name: at for at, variable in enumerate(variables)}
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


class TableSizes:
    """Counts the cells of all tables of a file, before memory is taken for any."""

    def __init__(self) -> None:
        self._cells = 0

    def add(self, name: str, sizes: list[int], own: int) -> None:
        """Count the table of a variable; raises :class:`DataError` where it, or all together, are too large."""
        if len(sizes) > MOST_PARENTS:
            raise DataError(f"{name} has {len(sizes)} parents, and {MOST_PARENTS} are the most there may be.")
        cells = prod(sizes) * own
        self._cells += cells
        if cells > MOST_CELLS:
            raise DataError(f"The table of {name} would have more than {MOST_CELLS:,} cells.")
        if self._cells > _MOST_CELLS_OF_ALL:
            raise DataError(f"The tables of the network would have more than {_MOST_CELLS_OF_ALL:,} cells together.")


def shaped(name: str, numbers: list[float], sizes: list[int], own: int, *, own_first: bool) -> FloatArray:
    """A table from a plain list of numbers; ``own_first`` where the variable's own value changes slowest."""
    if len(numbers) != prod(sizes) * own:
        raise DataError(f"The table of {name} has {len(numbers)} numbers in place of {prod(sizes) * own}.")
    if own_first:
        return np.moveaxis(np.array(numbers).reshape(own, *sizes), 0, -1)
    return np.array(numbers).reshape(*sizes, own)
