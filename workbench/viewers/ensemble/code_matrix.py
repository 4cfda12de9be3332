"""The code matrix of members that separate groups of classes, with the bits of one record."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.data.columns import Mask
from algorithms.structures.members import CodedMembers
from algorithms.text.numbers import percent
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import Export, ExportedPicture
from workbench.viewers.ensemble.ensemble_view import MemberPage
from workbench.viewers.ensemble.members import MemberCanvas
from workbench.viewers.viewer import ViewerFactory
from workbench.widgets.labels import draw_elided, label
from workbench.widgets.layouts import column_layout, filled, named
from workbench.widgets.painting import MIDDLE_LEFT, pen_and_brush
from workbench.widgets.panes import ClearRow, over_canvas
from workbench.widgets.tables import TextTable, table_switch

ROW: Final = 30
CELL: Final = 46
NAMES: Final = 190
MARKS: Final = {1: "1", 0: "·", -1: "0"}

Bits = Mask


class CodeCanvas(MemberCanvas):
    """Paints code words, accuracies and a record's bits; click or arrows choose a member, Enter opens it."""

    def __init__(self) -> None:
        super().__init__("visualize.code", "Code words of the classes")
        self.members: CodedMembers | None = None
        self.read: Bits | None = None
        """The side (m,) that each member predicted; None without a record."""
        self.decision = 0
        self.record = ""

    @property
    def n_shown(self) -> int:
        return 0 if self.members is None else self.members.n_members

    def show_members(self, members: CodedMembers) -> None:
        """Shows the code matrix of these members, without a record's decoding."""
        self.members, self.chosen, self.read = members, 0, None
        self.measured()
        self.changed()

    def show_record(self, read: Bits | None, decision: int, name: str) -> None:
        """Shows the bits predicted for a record and its predicted class; None for no record."""
        self.read, self.decision, self.record = read, decision, name
        self.measured()
        self.changed()

    def words(self) -> str:
        """The chosen member, and the bits of the record, in words."""
        members = self.members
        if members is None or not members.n_members:
            return ""
        of = f"{members.names[self.chosen]}, accuracy {percent(members.accuracy[self.chosen])}"
        return ". ".join(filter(None, (f"Member {self.chosen + 1}: {of}", self.record_words())))

    def record_words(self) -> str:
        """The members whose bit differs from the word of the predicted class, in words; empty without a record."""
        if self.members is None or self.read is None:
            return ""
        failed = np.flatnonzero(self.members.failed_bits(self.read, self.decision)) + 1
        label = self.members.schema.classes[self.decision]
        start = f"{self.record} is predicted {label}"
        if not len(failed):
            return f"{start}: every member agrees"
        which = ", ".join(str(bit) for bit in failed[:12].tolist()) + (", ..." if len(failed) > 12 else "")
        return f"{start}, though member {which} decided otherwise"

    def rows(self) -> list[tuple[str, ...]]:
        """The code as a table, the heading first."""
        members = self.members
        if members is None:
            return []
        table = [("class", *(f"{index + 1} {name}" for index, name in enumerate(members.names)))]
        for code, class_name in enumerate(members.schema.classes):
            table.append((class_name, *(MARKS[side] for side in members.code[code].tolist())))
        on = "accuracy (%), tested" if members.tested else "accuracy (%), training"
        table.append((on, *(f"{100 * value:.1f}" for value in members.accuracy.tolist())))
        if self.read is not None:
            table.append((f"read of {self.record}", *("1" if bit else "0" for bit in self.read.tolist())))
        return table

    def sizeHint(self) -> QSize:
        if self.members is None:
            return QSize()
        k, m = self.members.code.shape
        height = k + 2 + (2 if self.read is not None else 0)
        return QSize(themes.px(NAMES) + m * themes.px(CELL) + 2, height * themes.px(ROW) + 4)

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        members = self.members
        if members is None:
            return
        look, row = StructureColors(current_theme()), themes.px(ROW)
        k = len(members.code)
        self._paint_names(painter, look, row)
        cell, left = themes.px(CELL), themes.px(NAMES)
        first = max(0, (part.left() - left) // cell)
        for member in range(first, min(members.n_members, (part.right() - left) // cell + 1)):
            x = left + member * cell
            font = themes.font(12, bold=member == self.chosen)
            draw_elided(painter, QRectF(x, 0, cell, row), str(member + 1), look.dim, font)
            for code in range(k):
                box = QRectF(x, (code + 1) * row, cell, row)
                self._paint_side(painter, look, int(members.code[code, member]), box, failed=False)
            worst = (
                members.accuracy[member] <= members.accuracy.min() and members.accuracy.min() < members.accuracy.max()
            )
            color = look.bad if worst else look.text
            box = QRectF(x, (k + 1) * row, cell, row)
            draw_elided(painter, box, f"{100 * members.accuracy[member]:.0f}", color, themes.font(12))
            if self.read is not None:
                failed = bool(members.failed_bits(self.read, self.decision)[member])
                box = QRectF(x, (k + 2.5) * row, cell, row)
                self._paint_side(painter, look, 1 if self.read[member] else -1, box, failed=failed)
        if members.n_members:
            pen_and_brush(painter, QPen(look.accent, 2 if self.hasFocus() else 1))
            painter.drawRoundedRect(QRectF(left + self.chosen * cell + 1, 1, cell - 2, (k + 2) * row), 4, 4)

    def _paint_names(self, painter: QPainter, look: StructureColors, row: int) -> None:
        assert self.members is not None
        width, k, font = themes.px(NAMES) - 8, len(self.members.code), themes.font(12)
        draw_elided(painter, QRectF(0, 0, width, row), "Member", look.dim, font, MIDDLE_LEFT)
        for code, name in enumerate(self.members.schema.classes):
            middle = QPointF(7, (code + 1.5) * row)
            draw_symbol(painter, look, code, middle, 5)
            own_font = themes.font(12, bold=self.read is not None and code == self.decision)
            box = QRectF(20, (code + 1) * row, width - 20, row)
            draw_elided(painter, box, name, look.text, own_font, MIDDLE_LEFT)
        how = "Accuracy (%), tested" if self.members.tested else "Accuracy (%), training"
        draw_elided(painter, QRectF(0, (k + 1) * row, width, row), how, look.dim, font, MIDDLE_LEFT)
        if self.read is not None:
            box = QRectF(0, (k + 2.5) * row, width, row)
            draw_elided(painter, box, self.record, look.text, themes.font(12, bold=True), MIDDLE_LEFT)

    @staticmethod
    def _paint_side(painter: QPainter, look: StructureColors, side: int, box: QRectF, *, failed: bool) -> None:
        inner = box.adjusted(2, 2, -2, -2)
        painter.setPen(QPen(look.bad, 2) if failed else Qt.PenStyle.NoPen)
        painter.setBrush({1: look.accent, -1: look.soft, 0: look.pane}[side])
        painter.drawRoundedRect(inner, 3, 3)
        color = {1: look.pane, -1: look.text, 0: look.dim}[side]
        draw_elided(painter, box, MARKS[side], color, themes.font(12, bold=failed))

    def at(self, point: QPoint) -> int:
        member = (point.x() - themes.px(NAMES)) // themes.px(CELL)
        return member if 0 <= member < self.n_shown else -1

    def tip(self, point: QPoint) -> str:
        member = self.at(point)
        if self.members is None or member < 0:
            return ""
        return f"{member + 1}: {self.members.names[member]}\naccuracy {percent(self.members.accuracy[member])}"

    def steps(self) -> dict[Qt.Key, int]:
        return {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


CODE, ONE, TABLE = 0, 1, 2
HOW_TO_SEE_BITS: Final = (
    "Select a record alone to see in Visualize which members decide otherwise than its class would have it."
)


class CodeView(QWidget):
    """The viewer of a code; a double click or Enter opens a member."""

    title = "Code"
    facts_changed = Signal()

    def __init__(self, viewer_for: ViewerFactory, jobs: Jobs | None = None) -> None:
        super().__init__()
        self._sentence = named(label("", "", wrap=True), "visualize.code.words")
        self.record_words = named(label("", "dim", wrap=True), "visualize.code.record")
        self.canvas = CodeCanvas()
        self.one = MemberPage(viewer_for, jobs)
        self.twin = TextTable("visualize.code.table", "The code words as a table")
        self.pages = filled(QStackedWidget(), over_canvas(self.canvas), self.one, self.twin)
        column_layout(self._sentence, self.record_words, (self.pages, 1), inside=self, spacing=10)
        self.export = Export(
            ExportedPicture("code", "Code words", self.canvas.sizeHint, self.canvas.paint, self.canvas.rows), jobs, self
        )
        self.canvas.opened.connect(self.open_member)
        self.one.left.connect(self._back)
        self._as_table = self.export.offer(table_switch("visualize.code.as-table"))
        self._as_table.toggled.connect(self._show)
        self.controls = ClearRow(self.export.button("visualize.code.save"))

    def set_structure(self, structure: CodedMembers) -> None:
        n = counted(structure.n_members, "member")
        verb = "tells" if structure.n_members == 1 else "each tell"
        self._sentence.setText(f"{n} {verb} the classes marked 1 from those marked 0. {structure.decoding}")
        self.canvas.show_members(structure)
        self.record_words.setText(HOW_TO_SEE_BITS)
        self._show()
        self.facts_changed.emit()

    def facts(self) -> str:
        members = self.canvas.members
        return "" if members is None else counted(members.n_members, "member")

    def set_bits(self, read: Bits | None, decision: int, name: str) -> None:
        """Shows the bits (m,) predicted for a record, and its predicted class; None for no record."""
        self.canvas.show_record(read, decision, name)
        self.record_words.setText(f"{self.canvas.record_words()}." if read is not None else HOW_TO_SEE_BITS)
        self.twin.show_rows(self.canvas.rows())

    def open_member(self, member: int) -> None:
        if self.canvas.members is not None:
            self.one.show_member(self.canvas.members, member)
            self.pages.setCurrentIndex(ONE)

    def _back(self) -> None:
        self.canvas.choose(self.one.at)
        self._show()
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self) -> None:
        self.twin.show_rows(self.canvas.rows())
        self.pages.setCurrentIndex(TABLE if self._as_table.isChecked() else CODE)
