"""The viewer of support vector machines: boundary, margins and support vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.synthetic_ids import said_id
from algorithms.learners.svm.model import Slice, axes_of, in_units, kernel_words, slice_of, telling_axes
from algorithms.structures.support_vectors import REST, SupportVectors
from algorithms.structures.terms import Int32Array
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job, Jobs
from workbench.viewers.charts.export import Export, ExportedPicture
from workbench.viewers.charts.training_curves import DualityGapPlot
from workbench.viewers.svm.margin_canvas import WORDS, KernelCanvas, LiftedRecords, MarginCanvas, is_bounded
from workbench.widgets.buttons import quiet_button
from workbench.widgets.chips import FlowLayout
from workbench.widgets.fields import drop_down
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named, row_layout
from workbench.widgets.panes import clear_row
from workbench.widgets.tables import TextTable

PLANE, KERNEL, GAP, TABLE = 0, 1, 2, 3
HOW_TO_READ: Final = (
    "The line is the boundary, the dashed lines are its margins. Each ring is a support vector: the wider, the harder "
    "it holds (its multiplier), dotted where it may hold no harder."
)
OTHERS_REST: Final = (
    "All other attributes stand at their average or most frequent value: the picture is a cut through these."
)
SLACKS: Final = "Red lines lead from records inside their margin, or beyond the boundary, back to it: their slack."
NO_PLANE: Final = "There is nothing to draw: the machine needs two classes and an attribute that differs."
NONE_KEPT: Final = "There are so many support vectors that none were kept: only the boundary is drawn."


@dataclass(frozen=True, eq=False)
class MarginPoints:
    """Records in the machines' space (n, t), their decision values by machine (n, m), their classes (n,)."""

    x: FloatArray
    sums: FloatArray
    codes: Int32Array


class MarginsView(QWidget):
    """The viewer of one machine over two numbers: boundary, kernel picture, training curve and table."""

    title = "Boundary and margins"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.held: SupportVectors | None = None
        self._jobs = jobs
        self._job: Job | None = None
        self._axes: list[int] = []
        name = "visualize.margins."
        self.machine = drop_down(f"{name}machine", "Classes", "Which two classes are kept apart", 26)
        self.across = drop_down(f"{name}across", "Across", "The attribute from left to right")
        self.up = drop_down(f"{name}up", "Up", "The attribute from bottom to top")
        self.words = named(label("", "", wrap=True), "visualize.margins.words")
        self.canvas, self.kernel, self.gap = MarginCanvas(), KernelCanvas(), DualityGapPlot(f"{name}gap")
        self._records: MarginPoints | None = None
        self.table = TextTable("visualize.margins.table", "The support vectors as a table")
        self.pages = filled(QStackedWidget(), self.canvas, self.kernel, self.gap, self.table)
        column_layout(self._made_question(), self.words, (self.pages, 1), inside=self, spacing=8)
        exported = ExportedPicture(
            "margins",
            "Boundary, margins and support vectors",
            lambda: QSize() if self.canvas.slice is None else self.pages.size(),
            self._paint_page,
            self.rows,
        )
        self.export = Export(exported, jobs, self)
        self.controls, line = clear_row()
        self._switches = {
            KERNEL: quiet_button("Kernel", f"{name}by-kernel", "The records before and after the kernel raises them"),
            GAP: quiet_button("Learning", f"{name}learning", "How the gap between the two objectives closed"),
            TABLE: quiet_button("As table", f"{name}as-table", "The support vectors as a table"),
        }
        for number, button in self._switches.items():
            button.setCheckable(True)
            button.toggled.connect(partial(self._turn, number))
            line.addWidget(button)
        line.addWidget(self.export.button(f"{name}save"))
        self.canvas.chosen_changed.connect(self._say)
        for box in (self.machine, self.across, self.up):
            box.activated.connect(self._again)

    def _made_question(self) -> QWidget:
        question = ClearWidget()
        flow = FlowLayout(question, 8)
        for words, box in (("Apart", self.machine), ("Across", self.across), ("Up", self.up)):
            held = ClearWidget()
            row_layout(label(words, "dim"), box, inside=held)
            flow.addWidget(held)
        return question

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def set_structure(self, structure: SupportVectors) -> None:
        """Shows these machines: the first one, over the two numbers that separate its classes best."""
        self.held, self._axes, self._records = structure, axes_of(structure), None
        names = [structure.terms.name(term) for term in self._axes]
        self.machine.clear()
        self.machine.addItems([" and ".join(structure.side_names(index)) for index in range(structure.n_machines)])
        telling = telling_axes(structure, 0) if structure.n_machines else [0, 0]
        for box, index in zip((self.across, self.up), telling, strict=True):
            box.clear()
            box.addItems(names)
            box.setCurrentIndex(index)
        self._again()
        self.facts_changed.emit()

    def facts(self) -> str:
        """The number of support vectors and machines, in words."""
        if self.held is None:
            return ""
        vectors = counted(int(self.held.n_support.sum()), "support vector")
        return vectors if self.held.n_machines == 1 else f"{vectors} · {self.held.n_machines} machines"

    def _drop(self) -> None:
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _again(self) -> None:
        """Draws the chosen machine over the chosen numbers, in a job if possible."""
        self._drop()
        held, machine = self.held, self.machine.currentIndex()
        if held is None or machine < 0 or not self._axes:
            self.canvas.show_slice(None, ("", ""), (0, 1))
            self._say()
            return
        across, up = self._axes[self.across.currentIndex()], self._axes[self.up.currentIndex()]
        self.gap.show_course(held.course_of(machine))
        if self._jobs is None:
            self._show(slice_of(held, machine, across, up, int, self._records_of(machine)))
            return

        own_records = self._records_of(machine)

        def work(context: RunContext) -> Slice:
            context.say("Drawing the boundary")
            return slice_of(held, machine, across, up, context.checkpoint, own_records)

        def done(slice_found: Slice) -> None:
            self._job = None
            self._show(slice_found)

        self._job = self._jobs.start("", work, on_done=done)

    def _show(self, slice_found: Slice) -> None:
        held, machine = self.held, self.machine.currentIndex()
        if held is None or machine < 0:
            return
        first, second = int(held.first[machine]), int(held.second[machine])
        other = next(code for code in range(held.n_classes + 1) if code != first) if second == REST else second
        self.canvas.show_slice(slice_found, (self.across.currentText(), self.up.currentText()), (first, other))
        self._raise()
        self.table.show_rows(self.rows())

    def set_records(self, records: MarginPoints) -> None:
        """Shows these records of the machines' run in the kernel picture."""
        self._records = records
        if self.held is not None:
            self._again()

    def _raise(self) -> None:
        """Shows the records of the machine's classes in the kernel picture."""
        held, seen, machine = self.held, self.canvas.slice, self.machine.currentIndex()
        assert held is not None
        assert seen is not None
        raised: LiftedRecords | None = None
        records, ours = self._records, self._ours(machine)
        if records is not None and ours is not None:
            terms = [self._axes[box.currentIndex()] for box in (self.across, self.up)]
            x, y = (in_units(held, term, records.x[ours, term]) for term in terms)
            raised = LiftedRecords(x, y, records.codes[ours], records.sums[ours, machine])
        self.kernel.show_slice(seen, raised, self.canvas.sides)

    def _ours(self, machine: int) -> NDArray[np.bool_] | None:
        """Mask (n,) of the records of a machine's classes; None without records."""
        held, records = self.held, self._records
        if held is None or records is None or records.sums.shape[1] != held.n_machines:
            return None
        first, second = int(held.first[machine]), int(held.second[machine])
        if second == REST:
            return np.ones(len(records.codes), dtype=np.bool_)
        return np.asarray((records.codes == first) | (records.codes == second))

    def _records_of(self, machine: int) -> FloatArray | None:
        """The records (n, t) of a machine's classes in its space; None without records."""
        ours = self._ours(machine)
        return None if ours is None or self._records is None else self._records.x[ours]

    def _turn(self, page: int, on: bool) -> None:
        """Shows a page or the plane, and unchecks the other switches."""
        if on:
            for other, button in self._switches.items():
                if other != page:
                    button.setChecked(False)
        self.pages.setCurrentIndex(
            next((other_page for other_page, switch in self._switches.items() if switch.isChecked()), PLANE)
        )
        self._say()

    def _say(self) -> None:
        """Shows the chosen support vector in words, else how to read the page."""
        held, seen, canvas = self.held, self.canvas.slice, self.canvas
        if held is None or seen is None:
            words = NO_PLANE
        elif self.pages.currentIndex() == GAP:
            words = self.gap.words
        elif self.pages.currentIndex() == KERNEL:
            words = WORDS
        elif canvas.chosen >= 0:
            words = vector_words(held, seen, canvas.order[canvas.chosen])
        else:
            more = SLACKS if seen.is_whole and seen.slack.any() else "" if seen.is_whole else OTHERS_REST
            words = " ".join(filter(None, (f"{kernel_words(held)}.", HOW_TO_READ if len(seen.x) else NONE_KEPT, more)))
        self.words.setText(words)
        canvas.setAccessibleDescription(words)

    def _paint_page(self, painter: QPainter) -> None:
        painted: dict[int, MarginCanvas | KernelCanvas | DualityGapPlot] = {KERNEL: self.kernel, GAP: self.gap}
        painted.get(self.pages.currentIndex(), self.canvas).paint(painter)

    def rows(self) -> Sequence[Sequence[str]]:
        """The heading and a row for each support vector of the machine, large multipliers first."""
        seen, held = self.canvas.slice, self.held
        heading = ["Record", "class", self.across.currentText(), self.up.currentText(), "multiplier", "slack", "where"]
        if seen is None or held is None:
            return [heading]
        rows = [heading]
        for vector in self.canvas.order:
            figures = (
                f"{figure:.6g}"
                for figure in (seen.x[vector], seen.y[vector], seen.multiplier[vector], seen.slack[vector])
            )
            name = held.schema.classes[int(seen.labels[vector])]
            id = int(seen.row_ids[vector])
            rows.append([f"{id + 1:,}" if id >= 0 else said_id(id), name, *figures, _where(float(seen.slack[vector]))])
        return rows


def _where(slack: float) -> str:
    """The side of the margin for a slack, in words."""
    if slack <= 0:
        return "on its margin"
    return "inside its margin" if slack <= 1 else "on the wrong side"


def vector_words(held: SupportVectors, seen: Slice, vector: int) -> str:
    """A support vector in a sentence."""
    name, slack = held.schema.classes[int(seen.labels[vector])], float(seen.slack[vector])
    most = ", as large as it may become" if is_bounded(seen, vector) else ""
    far = f", by a slack of {slack:.4g}" if slack > 0 else ""
    return (
        f"{said_id(int(seen.row_ids[vector])).capitalize()} ({name}) lies {_where(slack)}{far}. "
        f"It holds with a multiplier of {seen.multiplier[vector]:.4g}{most}."
    )
