"""The viewer of support vector machines: the boundary over two attributes, its margins, what holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.support_vectors import REST, SupportVectors
from algorithms.svm.slices import Slice, axes_of, slice_of
from algorithms.svm.words import kernel_words
from workbench.jobs import Job, Jobs
from workbench.parts import label, quiet_button
from workbench.parts.chips import FlowLayout
from workbench.parts.fields import drop_down
from workbench.parts.scrolling import clear_row
from workbench.parts.text_table import TextTable
from workbench.views.export import Export, ExportedDrawing, Table, rows_written
from workbench.views.gap_plot import GapPlot
from workbench.views.margin_canvas import MarginCanvas, is_bounded
from workbench.wording import counted

PLANE, GAP, TABLE = 0, 1, 2
HOW_TO_READ: Final = (
    "The line is the boundary, the dashed lines are its margins. Each ring is a support vector: the wider, the harder "
    "it holds (its multiplier), dotted where it may hold no harder."
)
OTHERS_REST: Final = (
    "All other attributes stand at their mean or most frequent value: the picture is a cut through these."
)
SLACKS: Final = "Red lines lead from records inside their margin, or beyond the boundary, back to it: their slack."
NO_PLANE: Final = "There is nothing to draw: the machine needs two classes and an attribute that differs."
NONE_KEPT: Final = "There are so many support vectors that none were kept: only the boundary is drawn."


class MarginsView(QWidget):
    """One machine at a time over two of its numbers, as a picture, as a table, and how its learning went."""

    title = "Boundary and margins"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.held: SupportVectors | None = None
        self._jobs = jobs
        self._job: Job | None = None
        self._axes: list[int] = []
        name = "visualize.margins."
        self.machine = drop_down(f"{name}machine", "Classes", "Which two classes are kept apart")
        self.across = drop_down(f"{name}across", "Across", "The attribute from left to right")
        self.up = drop_down(f"{name}up", "Up", "The attribute from bottom to top")
        self.words = label("", "", wrap=True)
        self.words.setObjectName("visualize.margins.words")
        self.canvas, self.gap = MarginCanvas(), GapPlot()
        self.table = TextTable("visualize.margins.table", "The support vectors as a table")
        self.pages = QStackedWidget()
        for page in (self.canvas, self.gap, self.table):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._made_question())
        column.addWidget(self.words)
        column.addWidget(self.pages, 1)
        self.export = Export(ExportedMargins(self), jobs, self)
        self.controls, line = clear_row()
        self._learning = quiet_button("Learning", f"{name}learning", "How the gap between the two objectives closed")
        self._as_table = quiet_button("As table", f"{name}as-table", "The support vectors as a table")
        for button in (self._learning, self._as_table):
            button.setCheckable(True)
            line.addWidget(button)
        line.addWidget(self.export.button(f"{name}save"))
        self._learning.toggled.connect(self._learning_toggled)
        self._as_table.toggled.connect(self._table_toggled)
        self.canvas.chosen_changed.connect(self._say)
        for box in (self.machine, self.across, self.up):
            box.activated.connect(self._again)

    def _made_question(self) -> QWidget:
        question = QWidget()
        question.setProperty("part", "clear")
        flow = FlowLayout(question, 8)
        for words, box in (("Apart", self.machine), ("Across", self.across), ("Up", self.up)):
            held = QWidget()
            held.setProperty("part", "clear")
            line = QHBoxLayout(held)
            line.setContentsMargins(0, 0, 0, 0)
            line.addWidget(label(words, "dim"))
            line.addWidget(box)
            flow.addWidget(held)
        return question

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def set_structure(self, structure: SupportVectors) -> None:
        """Show these machines: the first one, over its first two numbers."""
        self.held, self._axes = structure, axes_of(structure)
        names = [structure.terms.name(term) for term in self._axes]
        self.machine.clear()
        self.machine.addItems([" and ".join(structure.side_names(at)) for at in range(structure.n_machines)])
        for box, at in ((self.across, 0), (self.up, min(1, len(names) - 1))):
            box.clear()
            box.addItems(names)
            box.setCurrentIndex(at)
        self._again()
        self.facts_changed.emit()

    def facts(self) -> str:
        """How many support vectors and machines there are, in words."""
        if self.held is None:
            return ""
        vectors = counted(int(self.held.n_support.sum()), "support vector")
        return vectors if self.held.n_machines == 1 else f"{vectors} · {self.held.n_machines} machines"

    def _drop(self) -> None:
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _again(self) -> None:
        """Draw what was chosen: in a job, where there are some."""
        self._drop()
        held, machine = self.held, self.machine.currentIndex()
        if held is None or machine < 0 or not self._axes:
            self.canvas.show_slice(None, ("", ""), (0, 1))
            self._say()
            return
        across, up = self._axes[self.across.currentIndex()], self._axes[self.up.currentIndex()]
        self.gap.show_course(held.course_of(machine))
        if self._jobs is None:
            self._show(slice_of(held, machine, across, up, int))
            return

        def work(context: RunContext) -> Slice:
            context.say("Drawing the boundary")
            return slice_of(held, machine, across, up, context.checkpoint)

        def done(found: Slice) -> None:
            self._job = None
            self._show(found)

        self._job = self._jobs.start("", work, on_done=done)

    def _show(self, found: Slice) -> None:
        held, machine = self.held, self.machine.currentIndex()
        if held is None or machine < 0:
            return
        first, second = int(held.first[machine]), int(held.second[machine])
        other = next(code for code in range(held.n_classes + 1) if code != first) if second == REST else second
        self.canvas.show_slice(found, (self.across.currentText(), self.up.currentText()), (first, other))
        self.table.show_rows(self.rows())

    def _learning_toggled(self, on: bool) -> None:
        if on:
            self._as_table.setChecked(False)
        self._turn()

    def _table_toggled(self, on: bool) -> None:
        if on:
            self._learning.setChecked(False)
        self._turn()

    def _turn(self) -> None:
        page = GAP if self._learning.isChecked() else TABLE if self._as_table.isChecked() else PLANE
        self.pages.setCurrentIndex(page)
        self._say()

    def _say(self) -> None:
        """The support vector in focus, else how to read the page."""
        held, seen, canvas = self.held, self.canvas.slice, self.canvas
        if held is None or seen is None:
            words = NO_PLANE
        elif self.pages.currentIndex() == GAP:
            words = self.gap.words
        elif canvas.chosen >= 0:
            words = vector_words(held, seen, canvas.order[canvas.chosen])
        else:
            more = SLACKS if seen.is_whole and seen.slack.any() else "" if seen.is_whole else OTHERS_REST
            words = " ".join(filter(None, (f"{kernel_words(held)}.", HOW_TO_READ if len(seen.x) else NONE_KEPT, more)))
        self.words.setText(words)
        canvas.setAccessibleDescription(words)

    def rows(self) -> Sequence[Sequence[str]]:
        """The heading and a row for each support vector of the machine, those with large multipliers first."""
        seen, held = self.canvas.slice, self.held
        heading = ["Record", "class", self.across.currentText(), self.up.currentText(), "multiplier", "slack", "where"]
        if seen is None or held is None:
            return [heading]
        rows = [heading]
        for at in self.canvas.order:
            figures = (f"{each:.6g}" for each in (seen.x[at], seen.y[at], seen.multiplier[at], seen.slack[at]))
            name = held.schema.classes[int(seen.labels[at])]
            rows.append([f"{seen.row_ids[at] + 1:,}", name, *figures, _where(float(seen.slack[at]))])
        return rows


class ExportedMargins(ExportedDrawing):
    """The page in view, and the support vectors."""

    name: ClassVar[str] = "margins"
    title: ClassVar[str] = "Boundary, margins and support vectors"

    def __init__(self, view: MarginsView) -> None:
        self._view = view

    def size(self) -> QSize:
        return QSize() if self._view.canvas.slice is None else self._view.pages.size()

    def paint(self, painter: QPainter) -> None:
        on_gap = self._view.pages.currentIndex() == GAP
        (self._view.gap if on_gap else self._view.canvas).paint(painter)

    def table(self) -> Table | None:
        return None if self._view.canvas.slice is None else rows_written(self._view.rows())


def _where(slack: float) -> str:
    """Where a record lies that has this slack."""
    if slack <= 0:
        return "on its margin"
    return "inside its margin" if slack <= 1 else "on the wrong side"


def vector_words(held: SupportVectors, seen: Slice, at: int) -> str:
    """A support vector in a sentence."""
    name, slack = held.schema.classes[int(seen.labels[at])], float(seen.slack[at])
    most = ", as large as it may become" if is_bounded(seen, at) else ""
    far = f", by a slack of {slack:.4g}" if slack > 0 else ""
    return (
        f"Record {seen.row_ids[at] + 1:,} ({name}) lies {_where(slack)}{far}. "
        f"It holds with a multiplier of {seen.multiplier[at]:.4g}{most}."
    )
