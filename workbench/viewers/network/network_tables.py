"""A Bayesian network in tables and sentences: probabilities of a node, independence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import Any, ClassVar, Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from algorithms.data.columns import FloatArray
from algorithms.learners.bayes.directed_graph import Path, paths, separated
from algorithms.learners.bayes.network_model import state_words
from algorithms.structures.bayes_network import BayesNetwork
from algorithms.text.sentences import likeliest
from workbench.widgets.tables import Index, TextModel, TextTable

MOST_ROWS: Final = 1000
MOST_COLUMNS: Final = 12
MOST_PATHS: Final = 5
MOST_NAMED: Final = 6


def node_table(network: BayesNetwork, node: int) -> list[list[str]]:
    """The heading and each state's probability given the parents' states; a large table is cut."""
    parents, own = network.parents[node], state_words(network, node)
    names = [network.name(parent) for parent in parents]
    states = [state_words(network, parent) for parent in parents]
    table, count = (array.reshape(-1, len(own)) for array in (network.table_of(node), network.count_of(node)))
    if len(own) <= MOST_COLUMNS:
        rows = [[*names, *own, "Records"]]
        for row, combination in enumerate(islice(product(*states), MOST_ROWS)):
            rows.append([*combination, *(f"{share:.1%}" for share in table[row]), f"{count[row].sum():.6g}"])
        left = len(table) - MOST_ROWS
    else:
        rows = [[*names, "Value", "Probability", "Records"]]
        for row, combination in enumerate(islice(product(*states, own), MOST_ROWS)):
            rows.append([*combination, f"{table.flat[row]:.1%}", f"{count.flat[row]:.6g}"])
        left = table.size - MOST_ROWS
    if left > 0:
        rows.append([f"{left:,} more rows", *[""] * (len(rows[0]) - 1)])
    return rows


def cell_of(network: BayesNetwork, node: int, row: int, column: int) -> tuple[tuple[int, ...], int] | None:
    """The parents' states and the own state of a cell of :func:`node_table`; None for other cells."""
    shape, before = network.shape(node), len(network.parents[node])
    own = shape[-1]
    if own <= MOST_COLUMNS:
        if not before <= column < before + own or row >= min(MOST_ROWS, prod(shape[:-1])):
            return None
        return tuple(int(state) for state in np.unravel_index(row, shape[:-1])) if before else (), column - before
    if column != before + 1 or row >= min(MOST_ROWS, prod(shape)):
        return None
    states = tuple(int(state) for state in np.unravel_index(row, shape))
    return states[:-1], states[-1]


def has_same_states(one: BayesNetwork, other: BayesNetwork) -> bool:
    """Whether two networks have the same attributes with the same values and ranges."""
    return (
        one.schema == other.schema
        and np.array_equal(one.attribute, other.attribute)
        and np.array_equal(one.size, other.size)
        and np.array_equal(one.cuts, other.cuts)
    )


def share_rows(
    network: BayesNetwork, shares: Sequence[FloatArray], before: Sequence[FloatArray], evidence: Mapping[int, int]
) -> list[list[str]]:
    """The heading, and a row for each state of each node with posterior and prior."""
    rows = [["Attribute", "Value", "Now", "Before", "Known", "Hangs on"]]
    for node in network.nodes:
        on = ", ".join(network.name(parent) for parent in network.parents[node])
        for state, words in enumerate(state_words(network, node)):
            figures = [
                f"{probabilities[node][state]:.4f}" if len(probabilities) else "" for probabilities in (shares, before)
            ]
            rows.append([network.name(node), words, *figures, "yes" if evidence.get(node) == state else "", on])
    return rows


def class_words(network: BayesNetwork, shares: Sequence[FloatArray], evidence: Mapping[int, int], record: str) -> str:
    """The posteriors of the classes in words; without evidence, also what to do next."""
    own = shares[network.class_node]
    classes = state_words(network, network.class_node)
    answer = likeliest(classes, own.tolist(), MOST_NAMED)
    if not evidence:
        return f"Nothing is known yet: {answer}. Choose a value to set it, a name to see its table."
    return f"{record + ': ' if record else 'With what is known: '}{answer}."


def independence_words(
    network: BayesNetwork, one: int, other: int, evidence: Collection[int]
) -> tuple[str, list[str], list[Path]]:
    """Whether two nodes are independent given the evidence: the answer, a line for each path, and the paths."""
    a, b = network.name(one), network.name(other)
    if one == other:
        return "Choose two different attributes.", [], []
    if one in evidence or other in evidence:
        which = a if one in evidence else b
        return f"{which} is known already: nothing can tell more about it.", [], []
    given = ""
    if evidence:
        names = [network.name(node) for node in sorted(evidence)]
        given = f" once {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''} is known"
    ways = paths(network.parents, one, other, evidence)
    if separated(network.parents, one, other, evidence):
        answer = f"Yes, independent: {a} tells nothing about {b}{given}."
    else:
        answer = f"No, not independent: {a} tells something about {b}{given}."
    shown = list(ways.found[:MOST_PATHS])
    lines = [_path_words(network, path) for path in shown]
    if not ways.found:
        lines.append("No path of arrows joins them.")
    elif len(ways.found) > len(shown) or not ways.whole:
        lines.append("There are more paths than are named here.")
    return answer, lines, shown


def _path_words(network: BayesNetwork, path: Path) -> str:
    words = network.name(path.nodes[0])
    for before, after in zip(path.nodes, path.nodes[1:], strict=False):
        words += f" {'→' if (before, after) in path.arcs else '←'} {network.name(after)}"
    if path.is_open:
        return f"Open: {words}"
    node = path.blocked_by[0]
    why = (
        f"arrows meet at {network.name(node)}, of which nothing is known"
        if path.meets_at(node)
        else f"{network.name(node)} is known"
    )
    return f"Blocked: {words} ({why})"


EDIT_TIP = "Double-click to write it in percent: the others of the row share the rest as they do now"


class ProbabilityModel(TextModel):
    """The model of a node's table. ``written(row, state, share)`` follows an edited probability.

    It carries the parents' states, the own state and a share of one. ``refused`` says why a text is no probability.
    """

    written = Signal(object, int, float)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.is_editable = False
        self._network: BayesNetwork | None = None
        self._node = 0

    def show_node(self, network: BayesNetwork, node: int) -> None:
        self._network, self._node = network, node
        self.show_rows(node_table(network, node))

    def flags(self, index: Index) -> Qt.ItemFlag:
        own = super().flags(index)
        return own | Qt.ItemFlag.ItemIsEditable if self.is_editable and self._cell(index) is not None else own

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.EditRole and self._network is not None:
            cell = self._cell(index)
            return "" if cell is None else f"{100 * self._network.table_of(self._node)[(*cell[0], cell[1])]:.6g}"
        if role == Qt.ItemDataRole.ToolTipRole and self.is_editable and self._cell(index) is not None:
            return EDIT_TIP
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        cell = self._cell(index)
        if role != Qt.ItemDataRole.EditRole or cell is None or str(value) == self.data(index, role):
            return False
        try:
            share = float(str(value).strip().removesuffix("%")) / 100
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.refused.emit(f"“{value}” is no probability: write a number from 0 to 100, in percent.")
            return False
        self.written.emit(cell[0], cell[1], share)
        return True

    def _cell(self, index: Index) -> tuple[tuple[int, ...], int] | None:
        if self._network is None or not index.isValid():
            return None
        return cell_of(self._network, self._node, index.row(), index.column())


class ProbabilityTable(TextTable):
    """The view of a node's table; if editable, a double click or *F2* opens a probability."""

    shares_room: ClassVar[bool] = False

    def __init__(self, name: str, says: str) -> None:
        self.probabilities = ProbabilityModel()
        super().__init__(name, says, self.probabilities)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Shares out the width if all headings fit, else each column takes what it needs."""
        header = self.horizontalHeader()
        needed = [
            max(header.sectionSizeHint(column), self.sizeHintForColumn(column))
            for column in range(self.probabilities.columnCount())
        ]
        share = self.viewport().width() // max(1, len(needed))
        if all(width <= share for width in needed):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            return
        spare = max(0, self.viewport().width() - sum(needed)) // max(1, len(needed))
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(needed):
            header.resizeSection(column, width + spare)

    def show_node(self, network: BayesNetwork, node: int) -> None:
        """Shows the table of this node with the same cell in focus."""
        here = self.currentIndex()
        row, column = here.row(), here.column()
        self.probabilities.show_node(network, node)
        self._make_room()
        if 0 <= row < self.probabilities.rowCount() and 0 <= column < self.probabilities.columnCount():
            self.setCurrentIndex(self.probabilities.index(row, column))
