"""The table of a network's node, whose probabilities a person can write while the network is edited."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from algorithms.structures.bayes_network import BayesNetwork
from workbench.viewers.network.network_words import cell_of, node_table
from workbench.widgets.text_table import Index, TextModel, TextTable

EDIT_TIP = "Double-click to write it in percent: the others of the row share the rest as they do now"


class ProbabilityModel(TextModel):
    """``written(row, state, share)`` comes when a person writes a probability: the states of the parents, the node's
    own state and a share of one; ``refused`` says why something typed is none."""

    written = Signal(object, int, float)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.is_editable = False
        self._network: BayesNetwork | None = None
        self._node = 0

    def show_node(self, network: BayesNetwork, node: int) -> None:
        """Show the table of this node."""
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
    """Shows the table of a node; while it is editable, a double click or *F2* opens a probability."""

    shares_room: ClassVar[bool] = False

    def __init__(self, name: str, says: str, parent: QWidget | None = None) -> None:
        self.probabilities = ProbabilityModel()
        super().__init__(name, says, parent, self.probabilities)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Columns share the room where all headings are whole then; else each has what it needs, and they scroll."""
        header = self.horizontalHeader()
        needed = [
            max(header.sectionSizeHint(at), self.sizeHintForColumn(at))
            for at in range(self.probabilities.columnCount())
        ]
        share = self.viewport().width() // max(1, len(needed))
        if all(each <= share for each in needed):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            return
        spare = max(0, self.viewport().width() - sum(needed)) // max(1, len(needed))
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for at, width in enumerate(needed):
            header.resizeSection(at, width + spare)

    def show_node(self, network: BayesNetwork, node: int) -> None:
        """Show the table of this node, the same cell in focus where there is one."""
        here = self.currentIndex()
        row, column = here.row(), here.column()
        self.probabilities.show_node(network, node)
        self._make_room()
        if 0 <= row < self.probabilities.rowCount() and 0 <= column < self.probabilities.columnCount():
            self.setCurrentIndex(self.probabilities.index(row, column))

    def set_editable(self, wanted: bool) -> None:
        """Whether probabilities can be written."""
        self.probabilities.is_editable = wanted
