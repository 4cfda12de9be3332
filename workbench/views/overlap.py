"""The least share of errors by one number alone: two densities, their shares on a slider, the error areas."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from algorithms.bayes.overlap import Densities, Overlap, densities, is_density
from algorithms.core.conditionals import Conditionals
from algorithms.core.context import RunContext
from workbench.jobs import Job, Jobs
from workbench.parts import WholeLabel, label, quiet_button
from workbench.parts.fields import ElidedComboBox, Slider
from workbench.parts.labels import as_high_as_needed
from workbench.parts.text_table import TextTable
from workbench.views.export import Export
from workbench.views.figures import in_100
from workbench.views.overlap_plot import ExportedOverlap, OverlapPlot, overlap_rows

STEPS: Final = 1000


class OverlapView(QWidget):
    """Shows how two classes overlap in one of the numbers of a naive Bayes model."""

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.setObjectName("visualize.overlap")
        self.setProperty("part", "clear")
        self._jobs = jobs
        self._job: Job | None = None
        self._held: Conditionals | None = None
        self._codes = (0, 0)
        self._densities: Densities | None = None
        self._places: list[int] = []
        self.plot, self.table = (
            OverlapPlot(),
            TextTable("visualize.overlap-table", "How two classes overlap, as a table"),
        )
        self.number = ElidedComboBox()
        self.number.setObjectName("visualize.overlap.number")
        self.number.setAccessibleName("Number")
        self.number.setToolTip("The number by which alone the two classes are to be told apart")
        self.number.setMinimumContentsLength(10)
        self.number.activated.connect(self._ask)
        self.share = Slider()
        self.share.setObjectName("visualize.overlap.share")
        self.share.setRange(1, STEPS - 1)
        self.share.setSingleStep(STEPS // 100)
        self.share.setPageStep(STEPS // 10)
        self.share.valueChanged.connect(self._show)
        self._share_words = label("", "small")
        self._share_words.setObjectName("visualize.overlap.share-words")
        self.words = WholeLabel("")
        as_high_as_needed(self.words)
        self.words.setObjectName("visualize.overlap.words")
        self.export = Export(ExportedOverlap(self.plot), jobs, self)
        self._lay_out()

    def _lay_out(self) -> None:
        own = quiet_button(
            "As in training", "visualize.overlap.own", "The shares that the two classes have in training", self._own
        )
        as_table = quiet_button("As table", "visualize.overlap.as-table", "The same as a table")
        as_table.setCheckable(True)
        as_table.toggled.connect(self._show_table)
        above, below = QHBoxLayout(), QHBoxLayout()
        above.addWidget(label("Told apart by", "dim"))
        above.addWidget(self.number, 1)
        above.addWidget(as_table)
        above.addWidget(self.export.button("visualize.overlap.save"))
        below.addWidget(label("How frequent they are", "dim"))
        below.addWidget(self.share, 1)
        below.addWidget(self._share_words)
        below.addWidget(own)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(above)
        column.addWidget(self.words)
        column.addWidget(self._stack, 1)
        column.addLayout(below)

    # ---- what is shown -----------------------------------------------------------------------------------------------

    @staticmethod
    def has_any(held: Conditionals) -> bool:
        """Whether there is a number to show, and two classes to be told apart by it."""
        return held.n_classes > 1 and any(is_density(held, place) for place in range(held.n_attributes))

    def show_classes(self, held: Conditionals, code: int, other: int) -> None:
        """Show two classes of this model, frequent as in training."""
        if held is not self._held:
            self._held = held
            self._places = [place for place in range(held.n_attributes) if is_density(held, place)]
            names = [held.schema.attributes[int(held.attribute[place])].name for place in self._places]
            self.number.clear()
            self.number.addItems(names)
        self._codes, self._densities = (code, other), None
        self._own()
        if self.isVisible():
            self._ask()

    def showEvent(self, event: QShowEvent) -> None:
        """What changed while nobody looked is caught up with."""
        super().showEvent(event)
        self._ask()

    def _ask(self) -> None:
        held, codes = self._held, self._codes
        if self._job is not None:
            self._job.stop()
            self._job = None
        if held is None or not self._places or codes[0] == codes[1]:
            self._found(None)
            return
        place = self._places[max(0, self.number.currentIndex())]

        def work(_context: RunContext) -> Densities | None:
            return densities(held, place, codes)

        if self._jobs is None:
            self._found(work(RunContext()))
        else:
            self._job = self._jobs.start("", work, on_done=self._found)

    def _found(self, found: Densities | None) -> None:
        self._job = None
        self._densities = found
        self._show()

    def _own(self) -> None:
        if self._held is not None:
            ours, theirs = (float(self._held.prior[code]) for code in self._codes)
            self.share.setValue(round(STEPS * ours / ((ours + theirs) or 1.0)))

    def _show(self) -> None:
        held, share = self._held, self.share.value() / STEPS
        if held is None:
            return
        classes = held.schema.classes
        names = (classes[self._codes[0]], classes[self._codes[1]])
        self._share_words.setText(f"{in_100(share)} : {in_100(1 - share)}")
        says = f"{names[0]}: {in_100(share)} in 100 records, {names[1]}: {in_100(1 - share)}"
        self.share.setAccessibleName("How frequent the two classes are")
        self.share.setAccessibleDescription(says)
        self.share.setToolTip(f"{says}. Drag to see how the boundary and the errors follow")
        found = None if self._densities is None else self._densities.overlap(share)
        across = self.number.currentText()
        words = "One of these classes has no density of this number." if found is None else said(found, names, across)
        self.words.setText(words)
        self.plot.show_overlap(found, names, self._codes, across, words)
        if self._stack.currentIndex() == 1:
            self.table.show_rows(overlap_rows(self.plot))

    def _show_table(self, wanted: bool) -> None:
        if wanted:
            self.table.show_rows(overlap_rows(self.plot))
        self._stack.setCurrentIndex(int(wanted))


def said(found: Overlap, names: tuple[str, str], across: str) -> str:
    """What the picture shows, in words."""
    error = (
        f"Whoever knows only {across} is wrong at least {in_100(found.bayes_error)} times in 100 (the Bayes error): "
        f"{in_100(found.wrong[0])} are {names[0]} and taken for {names[1]}, {in_100(found.wrong[1])} the other way "
        "round."
    )
    if not len(found.boundaries):
        return f"{names[found.likelier[0]]} is the likelier one everywhere. {error}"
    first = f"{names[found.likelier[0]]} is the likelier one below {found.boundaries[0]:.5g}"
    parts = [
        f"{names[code]} from {start:.5g}{f' to {end:.5g}' if end is not None else ' on'}"
        for code, start, end in zip(
            found.likelier[1:], found.boundaries.tolist(), [*found.boundaries.tolist()[1:], None], strict=True
        )
    ]
    if len(parts) > 3:
        return f"The likelier one changes at {len(parts)} places. {error}"
    return f"{first}, {', '.join(parts)}. {error}"
