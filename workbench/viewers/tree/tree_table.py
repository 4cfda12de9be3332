"""The tree as a table, as rules, and its exports."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from algorithms.core.errors import DataError
from algorithms.core.files import CsvWriter
from algorithms.structures.tree import NO_NODE
from algorithms.text.numbers import percent, records_words, weight_text
from workbench.jobs.jobs import give_way
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import Drawing, Exported, Table
from workbench.viewers.original_units import AS_IN_THE_TABLE, units_note
from workbench.viewers.tree.tree_canvas import TreeCanvas
from workbench.viewers.tree.tree_drawing import TreeDrawing, TreePlan, View
from workbench.viewers.tree.tree_paint import TreePainter
from workbench.viewers.tree.tree_words import condition, name_of_leaf, path_conditions, question
from workbench.widgets.labels import NameDelegate, NameHeader
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import CellsModel, set_row_height

MOST_VALUES: Final = 1000
RULES_BREATH: Final = 100


def rules_text(plan: TreePlan, give_way: Callable[[], None] = lambda: None) -> str:
    """A line for each leaf: ``1. If age ≤ 40.5, then class 0 (12 records, 91.7% of them class 0)``."""
    tree = plan.worded
    lines = [] if tree is plan.tree else [f"{AS_IN_THE_TABLE}\n\n"]
    for nth, node in enumerate(plan.order.tolist(), 1):
        if nth % RULES_BREATH == 0:
            give_way()
        if not tree.is_leaf(node):
            continue
        where = " and ".join(path_conditions(tree, node, at_most=MOST_VALUES))
        decision = tree.schema.classes[int(tree.decision[node])]
        then = f"If {where}, then {decision}" if where else f"Always {decision}"
        lines.append(f"{plan.leaf_number[node]}. {then} ({_record_words(plan, node, decision)})\n")
    return "".join(lines)


def _record_words(plan: TreePlan, node: int, decision: str) -> str:
    records = float(plan.records[node])
    if records <= 0:
        return "no record"
    right = float(plan.counted.counts[node, int(plan.tree.decision[node])]) / records
    fit = f"{records_words(records)}, {percent(right, records)} of them {decision}"
    if plan.counted.wrong is None:
        return fit
    return f"tested: {fit}; {weight_text(float(plan.counted.wrong[node]))} misclassified"


FIXED: Final = ("Condition", "Split or leaf", "Records", "Predicted")
STEADY: Final = "Stability"
MOST_CLASS_COLUMNS: Final = 30
BREATH: Final = 200


class TreeTable(CellsModel):
    """The nodes of a tree in reading order; text is made for visible rows only."""

    def __init__(self) -> None:
        super().__init__()
        self._plan: TreePlan | None = None
        self._columns: tuple[str, ...] = FIXED
        self._badges: Mapping[int, str] = {}

    def set_badges(self, badges: Mapping[int, str]) -> None:
        """Shows these texts in a last column; an empty mapping removes it."""
        if badges is not self._badges:
            self.beginResetModel()
            self._badges = badges
            self.endResetModel()

    def set_plan(self, plan: TreePlan | None) -> None:
        """Shows the nodes of this tree; None shows nothing."""
        self.beginResetModel()
        self._plan = plan
        self._columns = FIXED
        if plan is not None:
            tested = ("Tested", "Errors") if plan.counted.are_tested else ("Records",)
            self._columns = (*FIXED[:2], *tested, FIXED[3], *plan.tree.schema.classes[:MOST_CLASS_COLUMNS])
        self.endResetModel()

    def node_of(self, row: int) -> int:
        return NO_NODE if self._plan is None else int(self._plan.order[row])

    def row_of(self, node: int) -> int:
        return 0 if self._plan is None else int(np.flatnonzero(self._plan.order == node)[0])

    def size(self) -> tuple[int, int]:
        return 0 if self._plan is None else len(self._plan.order), len(self._columns) + bool(self._badges)

    def heading(self, column: int) -> str:
        return STEADY if column == len(self._columns) else self._columns[column]

    def heading_tip(self, column: int) -> str | None:
        if column == len(self._columns):
            return "In how many folds the tree splits on the same attribute here"
        n_classes = 0 if self._plan is None else min(MOST_CLASS_COLUMNS, len(self._plan.tree.schema.classes))
        is_class = column >= len(self._columns) - n_classes
        return f"Share of {self._columns[column]} among the records" if is_class else None

    def text(self, row: int, column: int) -> str:
        assert self._plan is not None
        node = self.node_of(row)
        return ("    " * int(self._plan.depths[node]) if column == 0 else "") + self.node_text(node, column)

    def tip(self, row: int, column: int) -> str | None:
        if self._plan is None or column:
            return self.node_text(self.node_of(row), column)
        return "\n".join(path_conditions(self._plan.worded, self.node_of(row))) or None

    def node_text(self, node: int, column: int) -> str:
        """The text of a cell without indentation."""
        if self._plan is None:
            return ""
        tree = self._plan.worded
        if column == len(self._columns):
            return self._badges.get(node, "")
        if column == 0:
            return condition(tree, node) or "all records"
        if column == 1:
            return question(tree, node) or name_of_leaf(self._plan, node)
        if column == 2:
            return weight_text(float(self._plan.records[node]))
        wrong, decision = self._plan.counted.wrong, len(FIXED) - 1 + self._plan.counted.are_tested
        of_all = float(self._plan.records[0])  # a column has decimals everywhere or nowhere
        if wrong is not None and column == 3:
            records = float(self._plan.records[node])
            return percent(float(wrong[node]) / records, of_all) if records > 0 else ""
        if column == decision:
            return tree.schema.classes[int(tree.decision[node])]
        share = float(self._plan.shares(np.array([node]))[0, column - decision - 1])
        return percent(share, of_all)

    def side(self, column: int) -> Qt.AlignmentFlag:
        is_text = column < 2 or self._columns[min(column, len(self._columns) - 1)] == FIXED[3]
        return MIDDLE_LEFT if is_text else MIDDLE_RIGHT


DECISIONS: Final = (3, 4)
"""Columns with the names of classes: without and with a column of wrong predictions."""
WHERE: Final = 0.55
"""Share of the text width for the indented conditions; the questions get the rest."""


MARGIN: Final = 28
"""Pixels beside a number; no number of a column is longer than the root's."""


class NodeTable(QTableView):
    """The view of the table; ``copy_asked`` comes with Ctrl+C."""

    copy_asked = Signal()

    def __init__(self, model: TreeTable) -> None:
        super().__init__()
        named(self, "visualize.table", "The tree as a table")
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        for column in DECISIONS:
            self.setItemDelegateForColumn(column, NameDelegate(self))
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        set_row_height(self, themes.px(28))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        else:
            super().keyPressEvent(event)

    def size_columns(self) -> None:
        header, model = self.horizontalHeader(), self.model()
        for column in range(2, model.columnCount()):
            is_decision = model.headerData(column, Qt.Orientation.Horizontal) == FIXED[3]
            root = str(model.data(model.index(0, column)) or "")
            needed = self.fontMetrics().horizontalAdvance(root) + themes.px(MARGIN)
            header.resizeSection(column, themes.px(120) if is_decision else max(themes.px(88), needed))
        others = sum(header.sectionSize(column) for column in range(2, self.model().columnCount()))
        room = self.viewport().width() - others
        header.resizeSection(0, max(260, self.viewport().width() // 3, round(WHERE * room)))
        header.resizeSection(1, max(themes.px(210), round((1 - WHERE) * room)))


def table_csv(
    plan: TreePlan,
    delimiter: str = ",",
    give_way: Callable[[], None] = lambda: None,
    badges: Mapping[int, str] | None = None,
) -> str:
    """CSV of the tree: node, parent, depth, condition, question, decision, records, gain, weight by class.

    For tested records, ``records`` and the weights are theirs, and ``wrong`` counts wrong predictions. ``badges`` make
    a last column. ``give_way`` is called every few milliseconds.
    """
    tree, wrong = plan.worded, plan.counted.wrong
    classes = tree.schema.classes
    written = io.StringIO()
    table = CsvWriter(written, delimiter)
    condition_head = f"condition{units_note(plan.own is not plan.tree)}"
    head = ["node", "parent", "depth", "leaf", condition_head, "question", "decision"]
    head += ["records"] if wrong is None else ["tested records", "wrong"]
    table.writerow([*head, "gain", *(f"n {c}" for c in classes), *(("steady",) if badges else ())])
    for nth, node in enumerate(plan.order.tolist(), 1):
        if nth % BREATH == 0:
            give_way()
        counts = plan.counted.counts[node]
        gain = float(tree.gain[node])
        table.writerow(
            [
                node,
                int(tree.parent[node]) if node else "",
                int(plan.depths[node]),
                int(plan.leaf_number[node]) or "",
                condition(tree, node, at_most=1000),
                question(tree, node),
                classes[int(tree.decision[node])],
                f"{float(plan.records[node]):.10g}",
                *(() if wrong is None else (f"{float(wrong[node]):.10g}",)),
                f"{gain:.10g}" if np.isfinite(gain) else "",
                *(f"{float(count):g}" for count in counts),
                *((badges.get(node, ""),) if badges else ()),
            ]
        )
    return written.getvalue()


SVG_MARGIN: Final = 24.0
FEW_NODES: Final = 500
MOST_SVG_NODES: Final = 3000
"""The most nodes of an SVG that editors can open."""


class ExportedTree(Exported):
    name, title = "tree", "Decision tree"

    def __init__(self, canvas: TreeCanvas) -> None:
        self._canvas = canvas

    @property
    def is_large(self) -> bool:
        return self._canvas.drawing is not None and self._canvas.drawing.tree.n_nodes > FEW_NODES

    def view(self) -> Drawing | None:
        """The visible part."""
        canvas, drawing = self._canvas, self._canvas.drawing
        if drawing is None:
            return None
        return canvas.viewport().size(), lambda painter: self._paint(painter, drawing, View.through(canvas.camera))

    def drawing(self) -> Drawing | None:
        """All unfolded nodes at 100%; raises :class:`DataError` for too many nodes."""
        drawing = self._canvas.drawing
        if drawing is None:
            return None
        if drawing.layout.n_shown > MOST_SVG_NODES:
            raise DataError(
                f"A drawing of {drawing.layout.n_shown:,} nodes is too large for an SVG file.",
                remedy="Fold some levels away first.",
            )
        size = QSize(round(drawing.width + 2 * SVG_MARGIN), round(drawing.height + 2 * SVG_MARGIN))
        view = View(1.0, 1.0, SVG_MARGIN, SVG_MARGIN, size.width(), size.height())
        return size, lambda painter: self._paint(painter, drawing, view)

    def table(self) -> Table | None:
        drawing = self._canvas.drawing
        if drawing is None:
            return None
        plan, badges = drawing.plan, self._canvas.item.marks.badges
        return lambda delimiter: table_csv(plan, delimiter, give_way, badges)

    def rules(self) -> Table | None:
        drawing = self._canvas.drawing
        if drawing is None:
            return None
        plan = drawing.plan
        return lambda _delimiter: rules_text(plan, give_way)

    def _paint(self, painter: QPainter, drawing: TreeDrawing, view: View) -> None:
        marks = replace(self._canvas.item.marks, focus=NO_NODE, hover=NO_NODE)
        look = StructureColors(current_theme().only(self._canvas.colored))
        TreePainter(drawing, look, themes.font()).paint(painter, view, marks)
