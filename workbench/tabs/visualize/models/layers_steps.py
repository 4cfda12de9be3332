"""How a network's boundary came about: a perceptron's updates one by one, or a network after every epoch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.learners.neural.forward_pass import rows_of
from algorithms.learners.neural.training_steps import LearningSteps, learning_steps
from algorithms.text.numbers import in_100
from workbench.session.runs import MODEL_SEED, Run, learned_from
from workbench.session.session import Session
from workbench.tabs.visualize.models.surface_box import SurfaceBox
from workbench.tabs.visualize.playback_controls import MOST_STOPS, PlaybackControls, PlaybackLabels
from workbench.tabs.visualize.step_panels import StagePanel
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.plane_plots import BoundaryPlot, ExportedBoundary
from workbench.widgets.labels import label

NAME: Final = "visualize.layers-steps"
MOST_RECORDS: Final = 20_000
FRAME_MS: Final = 120
SAYS: Final = PlaybackLabels(
    slider="Which step: the start at the left, the end of the learning at the right",
    first="The start",
    back="One step back",
    forward="The next step",
    last="The last step",
    play="Let the boundary come about, step by step",
)


class LayersStepsPanel(StagePanel):
    """Learns again as the run did, and goes through the weights on the way."""

    def __init__(self, session: Session) -> None:
        super().__init__(NAME, "sentence", session, PlaybackControls(NAME, SAYS, FRAME_MS))
        self.steps: LearningSteps | None = None
        self._title = label("How it learned", "heading", wrap=True)
        self._title.setObjectName(f"{NAME}.title")
        self.plot = BoundaryPlot(f"{NAME}.plot")
        self.export = Export(ExportedBoundary(self.plot), session.jobs, self)
        column = self._column(self._title, self.export.button(f"{NAME}.save"))
        column.addWidget(self.transport)
        column.addWidget(self._words)
        column.addWidget(self.plot, 1)
        self.surface = SurfaceBox(session)
        column.addWidget(self.surface, 1)
        self.transport.moved.connect(self._show)

    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], LearningSteps]]:
        return "Follow the learning", "Learning once more, as the run did", partial(_steps_of, run)

    def _empty(self) -> None:
        self.steps = None
        self.transport.setEnabled(False)
        self.plot.hide()
        self.surface.hide()
        self._title.setText("How it learned")

    def end(self) -> None:
        """Nothing is shown any more."""
        super().end()
        self.steps = None
        self.surface.show_steps(None)

    def _show_known(self, run: Run, found: LearningSteps) -> None:
        self.steps = found
        self.transport.setEnabled(True)
        layers = found.layers
        x = rows_of(layers.terms, found.data, layers.from_zero)
        self.plot.show_records(layers.terms, x, found.data.class_codes, main_inputs(found), layers.from_zero)
        self.plot.show()
        self.surface.show_steps(found)
        self.surface.show()
        self.transport.set_stops(np.unique(np.linspace(0, len(found) - 1, MOST_STOPS).astype(int)).tolist(), 0)
        self._show(0)

    def _show(self, at: int) -> None:
        steps = self.steps
        if steps is not None:
            self._title.setText(step_title(steps, at))
            self._words.setText(step_words(steps, at))
            self.plot.show_model(partial(steps.probabilities, at), int(steps.row[at]))
            self.surface.show_step(at)


def main_inputs(steps: LearningSteps) -> tuple[int, int]:
    """The two inputs with the largest weights, in the order of the columns; one stands for both where there is one."""
    strength = np.abs(steps.layers.layer(0)[0]).sum(axis=1)
    two = np.sort(np.argsort(-strength, kind="stable")[:2]).tolist()
    return int(two[0]), int(two[-1])


def step_title(steps: LearningSteps, at: int) -> str:
    """ "Update 12 of 40", "Epoch 3 of 200"."""
    if steps.row[-1] < 0:
        return f"Epoch {int(steps.epoch[at]):,} of {int(steps.epoch[-1]):,}"
    return f"Update {at:,} of {len(steps) - 1:,}" + ("" if steps.is_whole else " that are shown")


def step_words(steps: LearningSteps, at: int) -> str:
    """What was wrong and what moved."""
    classes, row = steps.layers.schema.classes, int(steps.row[at])
    wrong = f"Now {in_100(float(steps.error[at]))} in 100 training records are wrong."
    others = " All other inputs are average in the picture." if len(steps.layers.terms) > 2 else ""
    if row < 0:
        return f"{wrong}{others}" if at else f"The start, before anything is learned. {wrong}{others}"
    node, code = int(steps.node[at]), int(steps.data.class_codes[row])
    spoken, own = steps.layers.output_class(node), classes[code]
    said = "it is" if spoken != code else "it is not"
    moved = "towards" if spoken == code else "away from"
    record = f"In pass {int(steps.epoch[at]):,} the ringed record, {own}, is on the wrong side: the perceptron for "
    return f"{record}{classes[spoken]} says {said}, so its weights move {moved} the record. {wrong}{others}"


def _steps_of(run: Run, context: RunContext) -> LearningSteps:
    """In a worker; raises :class:`DataError` where there is nothing to follow, or too much."""
    trained = run.trained
    assert trained is not None
    known = run.data.take(np.flatnonzero(run.data.class_codes >= 0))
    if len(known) > MOST_RECORDS:
        raise DataError(f"Step by step is for tables of up to {MOST_RECORDS:,} records, and this has {len(known):,}.")
    data = learned_from(run, trained, known, context)
    part = context.child(0.9, key=1)
    part.seeds = np.random.SeedSequence(run.seed, spawn_key=MODEL_SEED)
    found = learning_steps(trained.learner, data, part)
    if found is None or len(found) < 2:
        raise DataError("There are no steps to show: nothing was learned on the way.")
    return found
