"""The viewer of members that tell sides of classes apart: their code, how often each is right, and each by itself."""

from __future__ import annotations

from typing import ClassVar, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from algorithms.structures.members import CodedMembers
from workbench.jobs.jobs import Jobs
from workbench.style.wording import counted
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, rows_written
from workbench.viewers.ensemble.code_canvas import Bits, CodeCanvas
from workbench.viewers.ensemble.one_member import OneMember
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import label
from workbench.widgets.panes import clear_row, over_canvas
from workbench.widgets.text_table import TextTable

CODE, ONE, TABLE = 0, 1, 2
HOW_TO_SEE_BITS: Final = (
    "Select a record alone to see in Visualize which members decide otherwise than its class would have it."
)


class CodeView(QWidget):
    """A code to look at; a member opens by a double click or Enter."""

    title = "Code"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = label("", "", wrap=True)
        self._sentence.setObjectName("visualize.code.words")
        self.record_words = label("", "dim", wrap=True)
        self.record_words.setObjectName("visualize.code.record")
        self.canvas = CodeCanvas()
        self.one = OneMember(jobs)
        self.twin = TextTable("visualize.code.table", "The code words as a table")
        self.pages = QStackedWidget()
        for page in (over_canvas(self.canvas), self.one, self.twin):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._sentence)
        column.addWidget(self.record_words)
        column.addWidget(self.pages, 1)
        self.export = Export(ExportedCode(self.canvas), jobs, self)
        self.canvas.opened.connect(self.open_member)
        self.one.left.connect(self._back)
        self.controls, line = clear_row()
        self._as_table = quiet_button("As table", "visualize.code.as-table", "The same as a table")
        self._as_table.setCheckable(True)
        self._as_table.toggled.connect(self._show)
        line.addWidget(self._as_table)
        line.addWidget(self.export.button("visualize.code.save"))

    def set_structure(self, structure: CodedMembers) -> None:
        """Show this code."""
        n = counted(structure.n_members, "member")
        each = "tells" if structure.n_members == 1 else "each tell"
        self._sentence.setText(f"{n} {each} the classes marked 1 from those marked 0. {structure.decoding}")
        self.canvas.show_members(structure)
        self.record_words.setText(HOW_TO_SEE_BITS)
        self._show()
        self.facts_changed.emit()

    def facts(self) -> str:
        """How many members there are, in words."""
        members = self.canvas.members
        return "" if members is None else counted(members.n_members, "member")

    def set_bits(self, read: Bits | None, decision: int, name: str) -> None:
        """Show the bits (m,) that were read of a record, and the class decided for; None for no record."""
        self.canvas.show_record(read, decision, name)
        self.record_words.setText(f"{self.canvas.record_words()}." if read is not None else HOW_TO_SEE_BITS)
        self.twin.show_rows(self.canvas.rows())

    def open_member(self, at: int) -> None:
        """Look inside one member."""
        if self.canvas.members is not None:
            self.one.show_member(self.canvas.members, at)
            self.pages.setCurrentIndex(ONE)

    def _back(self) -> None:
        self.canvas.choose(self.one.at)
        self._show()
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self) -> None:
        self.twin.show_rows(self.canvas.rows())
        self.pages.setCurrentIndex(TABLE if self._as_table.isChecked() else CODE)


class ExportedCode(ExportedDrawing):
    """The code words, the accuracies and the record's bits."""

    name: ClassVar[str] = "code"
    title: ClassVar[str] = "Code words"

    def __init__(self, canvas: CodeCanvas) -> None:
        self._canvas = canvas

    def size(self) -> QSize:
        return QSize() if self._canvas.members is None else self._canvas.sizeHint()

    def paint(self, painter: QPainter) -> None:
        self._canvas.paint(painter, self._canvas.rect())

    def table(self) -> Table | None:
        rows = self._canvas.rows()
        return rows_written(rows) if rows else None
