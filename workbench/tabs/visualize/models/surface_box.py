"""Which two weights the error is shown over, and the map of it."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.learners.neural.error_surface import ErrorSurface, error_surface, place_of_weight
from algorithms.learners.neural.training_steps import LearningSteps
from algorithms.structures.layers import Layers
from algorithms.text.numbers import in_100
from workbench.jobs.jobs import Job
from workbench.session.session import Session
from workbench.style.theme import SPACE_1
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.plane_plots import ExportedSurface, SurfacePlot
from workbench.viewers.layers import node_name
from workbench.widgets.fields import drop_down
from workbench.widgets.labels import label

MOST_OFFERED: Final = 300
NAME: Final = "visualize.error-surface"


class SurfaceBox(QWidget):
    """Reckons the error over two chosen weights in a job, the latest choice first."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._session = session
        self._steps: LearningSteps | None = None
        self._job: Job | None = None
        self._offered: list[int] = []
        self._at = 0
        self.first = drop_down(f"{NAME}.first", "The weight across", "The weight across", 8)
        self.second = drop_down(f"{NAME}.second", "The weight upwards", "The weight upwards", 8)
        self.plot = SurfacePlot(f"{NAME}.plot")
        self.plot.setToolTip("The error on the training records. The line is the way that both weights took while it "
                             "learned, the disc where they are now.")  # fmt: skip
        self.words = label("", "dim", wrap=True)
        self.words.setObjectName(f"{NAME}.words")
        self.export = Export(ExportedSurface(self.plot), session.jobs, self)
        row = QHBoxLayout()
        for name, choice in (("Across", self.first), ("Up", self.second)):
            row.addWidget(label(name, "dim"))
            row.addWidget(choice, 1)
        row.addWidget(self.export.button(f"{NAME}.save"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE_1, 0, 0)
        column.addLayout(row)
        column.addWidget(self.words)
        column.addWidget(self.plot, 1)
        for choice in (self.first, self.second):
            choice.activated.connect(self._ask)

    def show_steps(self, steps: LearningSteps | None) -> None:
        """Offer the weights that moved most; None shows nothing."""
        self._steps = steps
        self._drop()
        if steps is None:
            return
        moved = np.abs(steps.parameters - steps.parameters[0]).max(axis=0)
        self._offered = np.argsort(-moved, kind="stable")[:MOST_OFFERED].tolist()
        names = [weight_name(steps.layers, at) for at in self._offered]
        for choice, index in ((self.first, 0), (self.second, min(1, len(names) - 1))):
            choice.clear()
            choice.addItems(names)
            choice.setCurrentIndex(index)
        self._ask()

    def show_step(self, at: int) -> None:
        """Mark where the weights were after a step."""
        self._at = at
        if self.plot.surface is not None:
            self.plot.show_step(at)

    def _drop(self) -> None:
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _ask(self) -> None:
        self._drop()
        steps = self._steps
        if steps is None:
            return
        first, second = (self._offered[choice.currentIndex()] for choice in (self.first, self.second))
        reach = steps.parameters[:, first], steps.parameters[:, second]

        def work(context: RunContext) -> ErrorSurface:
            return error_surface(steps.layers, steps.data, first, second, reach, context)

        def done(found: ErrorSurface) -> None:
            self._job = None
            if self._steps is steps:
                names = weight_name(steps.layers, first), weight_name(steps.layers, second)
                self.plot.show_surface(found, names, steps.parameters[:, [first, second]])
                self.plot.show_step(self._at)
                self.words.setText(surface_words(steps.layers, found))

        self._job = self._session.jobs.start("", work, on_done=done)


def surface_words(layers: Layers, surface: ErrorSurface) -> str:
    """What the map shows, and from which error to which its colour goes."""
    low, high = float(surface.loss.min()), float(surface.loss.max())
    if layers.kind == "perceptron":
        error, ends = "more records are wrong", f"{in_100(low)} to {in_100(high)} in 100"
    else:
        error, ends = "larger the error", f"{low:.3g} to {high:.3g}"
    return f"The stronger the colour, the {error} ({ends}). All other weights are as in the end."


def weight_name(layers: Layers, at: int) -> str:
    """ "Petal Length to hidden node 3", "bias of virginica"."""
    layer, start, end = place_of_weight(layers, at)
    to = node_name(layers, layer + 1, end)
    return f"bias of {to}" if start < 0 else f"{node_name(layers, layer, start)} to {to}"
