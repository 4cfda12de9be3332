"""The table twin of a tree's picture: a row a node, readable by screen readers, copied and saved as CSV."""

from __future__ import annotations

import csv
import io
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from algorithms.core.structures import Tree
from workbench.geometry.tidy_tree import IndexArray, tree_rows
from workbench.views.tree_drawing import class_shares, subtree_sizes
from workbench.views.tree_words import amount, condition, path_conditions, percent, question

FIXED: Final = ("Where", "What", "Records", "Decision")
MOST_CLASS_COLUMNS: Final = 30
NodeIndex = QModelIndex | QPersistentModelIndex


def preorder(tree: Tree) -> IndexArray:
    """All nodes (m,) such that each stands before its children, and these in branch order."""
    size = subtree_sizes(tree) + 1
    place = np.zeros(tree.n_nodes, dtype=np.int64)
    for row in tree_rows(tree.first_child, tree.n_children)[1:]:
        before = np.cumsum(size[row]) - size[row]
        parents = tree.parent[row]
        starts = np.flatnonzero(np.r_[True, parents[1:] != parents[:-1]])
        lengths = np.diff(np.r_[starts, len(row)])
        place[row] = place[parents] + 1 + before - np.repeat(before[starts], lengths)
    order = np.empty(tree.n_nodes, dtype=np.int64)
    order[place] = np.arange(tree.n_nodes)
    return order


class TreeTable(QAbstractTableModel):
    """The nodes of a tree in reading order; text is made only for the rows that are seen."""

    def __init__(self) -> None:
        super().__init__()
        self._tree: Tree | None = None
        self._order: IndexArray = np.zeros(0, dtype=np.int64)
        self._row_of: IndexArray = np.zeros(0, dtype=np.int64)
        self._depths: IndexArray = np.zeros(0, dtype=np.int64)
        self._columns: tuple[str, ...] = FIXED

    def set_tree(self, tree: Tree | None) -> None:
        self.beginResetModel()
        self._tree = tree
        if tree is None:
            self._order = self._row_of = self._depths = np.zeros(0, dtype=np.int64)
            self._columns = FIXED
        else:
            self._order = preorder(tree)
            self._row_of = np.argsort(self._order)
            self._depths = np.zeros(tree.n_nodes, dtype=np.int64)
            for depth, row in enumerate(tree_rows(tree.first_child, tree.n_children)):
                self._depths[row] = depth
            self._shares = class_shares(tree)
            self._columns = (*FIXED, *tree.schema.classes[:MOST_CLASS_COLUMNS])
        self.endResetModel()

    def node_of(self, row: int) -> int:
        return int(self._order[row])

    def row_of(self, node: int) -> int:
        return int(self._row_of[node])

    def rowCount(self, parent: NodeIndex = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: NodeIndex = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: NodeIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._tree is None or not index.isValid():
            return None
        node, column = int(self._order[index.row()]), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            indent = "    " * int(self._depths[node]) if column == 0 else ""
            return indent + self.text(node, column)
        if role == Qt.ItemDataRole.ToolTipRole and column == 0:
            return "\n".join(path_conditions(self._tree, node)) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None

    def text(self, node: int, column: int) -> str:
        """What stands in a cell, without indentation."""
        tree = self._tree
        if tree is None:
            return ""
        if column == 0:
            return condition(tree, node) or "all records"
        if column == 1:
            return question(tree, node) or "leaf"
        if column == 2:
            return amount(float(tree.counts[node].sum()))
        if column == 3:
            return tree.schema.classes[int(tree.decision[node])]
        return percent(float(self._shares[node, column - len(FIXED)]))


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignRight if column == 2 or column >= len(FIXED) else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)


def table_csv(tree: Tree, delimiter: str = ",") -> str:
    """The whole table as CSV: node, parent, depth, condition, question, decision, records, gain, weight by class."""
    depths = np.zeros(tree.n_nodes, dtype=np.int64)
    for depth, row in enumerate(tree_rows(tree.first_child, tree.n_children)):
        depths[row] = depth
    classes = tree.schema.classes
    written = io.StringIO()
    table = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    table.writerow(
        [
            "node",
            "parent",
            "depth",
            "condition",
            "question",
            "decision",
            "records",
            "gain",
            *(f"n {c}" for c in classes),
        ]
    )
    for node in preorder(tree).tolist():
        counts = tree.counts[node]
        gain = float(tree.gain[node])
        table.writerow(
            [
                node,
                int(tree.parent[node]) if node else "",
                int(depths[node]),
                condition(tree, node, at_most=1000),
                question(tree, node),
                classes[int(tree.decision[node])],
                f"{float(counts.sum()):g}",
                f"{gain:.10g}" if np.isfinite(gain) else "",
                *(f"{float(count):g}" for count in counts),
            ]
        )
    return written.getvalue()
