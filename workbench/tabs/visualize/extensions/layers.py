"""Neural network viewer: node outputs of the record in view, replay of training, error surface."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.neural.forward_pass import SQUARED, rows_of
from algorithms.learners.neural.model import NeuralModel
from algorithms.learners.neural.training_replay import (
    ErrorSurface,
    LearningSteps,
    can_be_stepped,
    error_surface,
    learning_steps,
    place_of_weight,
)
from algorithms.structures.layers import Layers
from algorithms.text.numbers import percent
from workbench.jobs.jobs import LatestTask
from workbench.session.runs import MODEL_SEED, Run, learned_from
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, themes
from workbench.tabs.visualize.explain.selected_record import SelectedRecord
from workbench.tabs.visualize.model_editor import editor_combo
from workbench.tabs.visualize.playback import (
    MOST_STOPS,
    PlaybackControls,
    PlaybackLabels,
    ReplayPanel,
    labelled_records,
)
from workbench.viewers.charts.chart_base import ExportedPlot
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.plane_plots import BoundaryPlot, LossScale, SurfacePlot
from workbench.viewers.layers import LayerSignals, LayersView, node_name, node_outputs
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import drop_down
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout, split

MOST_OFFERED: Final = 300
SURFACE: Final = "visualize.error-surface"


class SurfaceBox(ClearWidget):
    """Computes the error over two chosen weights in a job."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._steps: LearningSteps | None = None
        self._task = LatestTask(session.jobs)
        self._offered: list[int] = []
        self._step = 0
        self.first, self.second = (
            drop_down(f"{SURFACE}.{name}", says, says, 8)
            for name, says in (("first", "The weight across"), ("second", "The weight upwards"))
        )
        self.plot = SurfacePlot(f"{SURFACE}.plot")
        self.plot.setToolTip("The loss on the training records over two weights, which have no unit. The line is the "
                             "way that both took during training, the disc where they are now.")  # fmt: skip
        self.words = named(label("", "dim", wrap=True), f"{SURFACE}.words")
        self.export = Export(ExportedPlot(self.plot, "error-surface", "The error over two weights"), session.jobs, self)
        across, up = (label("Across", "dim"), (self.first, 1)), (label("Up", "dim"), (self.second, 1))
        row = row_layout(*across, *up, self.export.button(f"{SURFACE}.save"))
        self.ends = named(label("", "dim"), f"{SURFACE}.least"), named(label("", "dim"), f"{SURFACE}.largest")
        scale = row_layout(self.ends[0], LossScale(), self.ends[1], 1, spacing=SPACE_1)
        column_layout(row, self.words, scale, (self.plot, 1), inside=self, margins=(0, SPACE_1, 0, 0))
        for choice in (self.first, self.second):
            choice.activated.connect(self._ask)

    def show_steps(self, steps: LearningSteps | None) -> None:
        """Offers the weights that moved most; None shows nothing."""
        self._steps = steps
        self._task.stop()
        if steps is None:
            return
        moved = np.abs(steps.parameters - steps.parameters[0]).max(axis=0)
        self._offered = np.argsort(-moved, kind="stable")[:MOST_OFFERED].tolist()
        names = [weight_name(steps.layers, weight) for weight in self._offered]
        for choice, index in ((self.first, 0), (self.second, min(1, len(names) - 1))):
            choice.offer(names, index)
        self._ask()

    def show_step(self, step: int) -> None:
        self._step = step
        if self.plot.surface is not None:
            self.plot.show_step(step)

    def _ask(self) -> None:
        self._task.stop()
        steps = self._steps
        if steps is None:
            return
        first, second = (self._offered[choice.currentIndex()] for choice in (self.first, self.second))
        reach = steps.parameters[:, first], steps.parameters[:, second]

        def done(error: ErrorSurface) -> None:
            names = tuple(_capitalized(weight_name(steps.layers, weight)) for weight in (first, second))
            self.plot.show_surface(
                error, (names[0], names[1]), steps.parameters[:, [first, second]], name_of_loss(steps.layers)
            )
            self.plot.show_step(self._step)
            self.words.setText(surface_words(steps.layers))
            for end, loss in zip(self.ends, (error.loss.min(), error.loss.max()), strict=True):
                end.setText(loss_text(steps.layers, float(loss)))

        self._task.run("", partial(error_surface, steps.layers, steps.data, first, second, reach), on_done=done)


def surface_words(layers: Layers) -> str:
    return f"{_capitalized(name_of_loss(layers))}. All other weights have their final values."


def loss_text(layers: Layers, loss: float) -> str:
    """A value of the function that was minimized, at an end of its scale."""
    return percent(loss) if layers.kind == "perceptron" else f"{loss:.3g}"


def _capitalized(words: str) -> str:
    return words[:1].upper() + words[1:]


def name_of_loss(layers: Layers) -> str:
    """The function that was minimized, with its unit."""
    if layers.kind == "perceptron":
        return "training error rate"
    return "half squared error per record" if layers.loss == SQUARED else "cross-entropy per record, in nats"


def weight_name(layers: Layers, weight: int) -> str:
    """ "Petal Length to hidden node 3", "bias of virginica"."""
    layer, start, end = place_of_weight(layers, weight)
    to = node_name(layers, layer + 1, end)
    return f"bias of {to}" if start < 0 else f"{node_name(layers, layer, start)} to {to}"


NAME: Final = "visualize.layers-steps"
MOST_RECORDS: Final = 20_000
FRAME_MS: Final = 120
SAYS: Final = PlaybackLabels(
    slider="Which step: the start at the left, the end of the learning at the right",
    play="Let the boundary come about, step by step",
)


HIGH: Final = 520
"""Height from which the boundary and the loss have room below each other."""
BOUNDARY, LOSS = range(2)
VIEWS: Final = (("Boundary", BOUNDARY), ("Loss over two weights", LOSS))


class LayersStepsPanel(ReplayPanel):
    """Trains the network again and replays its decision boundary step by step."""

    result: LearningSteps | None

    def __init__(self, session: Session) -> None:
        super().__init__(NAME, "sentence", session, PlaybackControls(NAME, SAYS, FRAME_MS))
        self._title = named(label("Training steps", "heading", wrap=True), f"{NAME}.title")
        self.plot = BoundaryPlot(f"{NAME}.plot")
        self.export = Export(ExportedPlot(self.plot, "boundary", "Predictions over two inputs"), session.jobs, self)
        column = self._column(self._title, self.export.button(f"{NAME}.save"))
        self.surface = SurfaceBox(session)
        self._view = editor_combo(f"{NAME}.view", "Which picture of the step is shown", choices=VIEWS)
        self._view.currentIndexChanged.connect(self._show_parts)
        view = (self._view, 0, Qt.AlignmentFlag.AlignLeft)
        add_items(column, self.playback, self._words, view, self.plot.legend, (self.plot, 1), (self.surface, 1))
        self.playback.moved.connect(self._show)
        themes.follow_now(self._show_parts)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_parts()

    def _show_parts(self, *_changed: object) -> None:
        """Shows the boundary and the loss below each other where they have room, else the chosen one of them."""
        is_low, chosen, is_ready = self.height() < themes.px(HIGH), self._view.currentData(), self.result is not None
        set_visible(is_low and is_ready, self._view)
        set_visible(is_ready and (not is_low or chosen == BOUNDARY), self.plot, self.plot.legend)
        set_visible(is_ready and (not is_low or chosen == LOSS), self.surface)

    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], LearningSteps]]:
        return "Follow the learning", "Learning once more, as the run did", partial(_steps_of, run)

    def _clear(self) -> None:
        self.playback.setEnabled(False)
        self._show_parts()
        self._title.setText("Training steps")

    def end(self) -> None:
        super().end()
        self.surface.show_steps(None)

    def _show_result(self, run: Run, result: LearningSteps) -> None:
        self.playback.setEnabled(True)
        layers = result.layers
        x = rows_of(layers.terms, result.data, layers.from_zero)
        self.plot.show_records(layers.terms, x, result.data.class_codes, main_inputs(result), layers.from_zero)
        self.surface.show_steps(result)
        self._show_parts()
        self.playback.set_stops(np.unique(np.linspace(0, len(result) - 1, MOST_STOPS).astype(int)).tolist(), 0)
        self._show(0)

    def _show(self, step: int) -> None:
        steps = self.result
        if steps is not None:
            self._title.setText(step_title(steps, step))
            self._words.setText(step_words(steps, step))
            self.plot.show_model(partial(steps.probabilities, step), int(steps.row[step]))
            self.surface.show_step(step)


def main_inputs(steps: LearningSteps) -> tuple[int, int]:
    """The two inputs with the largest weights, in column order; twice the same if there is only one."""
    strength = np.abs(steps.layers.layer(0)[0]).sum(axis=1)
    two = np.sort(np.argsort(-strength, kind="stable")[:2]).tolist()
    return int(two[0]), int(two[-1])


def step_title(steps: LearningSteps, step: int) -> str:
    """ "Update 12 of 40", "Epoch 3 of 200"."""
    if steps.row[-1] < 0:
        return f"Epoch {int(steps.epoch[step]):,} of {int(steps.epoch[-1]):,}"
    return f"Update {step:,} of {len(steps) - 1:,}" + ("" if steps.is_whole else " that are shown")


def step_words(steps: LearningSteps, step: int) -> str:
    classes, row = steps.layers.schema.classes, int(steps.row[step])
    wrong = f"Training error {percent(float(steps.error[step]))}."
    others = " The map sets all other inputs to their averages." if len(steps.layers.terms) > 2 else ""
    if row < 0:
        return f"{wrong}{others}" if step else f"The start, before anything is learned. {wrong}{others}"
    node, code = int(steps.node[step]), int(steps.data.class_codes[row])
    spoken, own = steps.layers.output_class(node), classes[code]
    claim = "it is" if spoken != code else "it is not"
    moved = "towards" if spoken == code else "away from"
    record = f"In pass {int(steps.epoch[step]):,} the ringed record, {own}, is on the wrong side: the perceptron for "
    return f"{record}{classes[spoken]} predicts {claim}, so its weights move {moved} the record. {wrong}{others}"


def _steps_of(run: Run, context: RunContext) -> LearningSteps:
    """In a worker; raises :class:`DataError` if there are no steps or too many records."""
    trained = run.trained
    assert trained is not None
    data = learned_from(run, trained, labelled_records(run, MOST_RECORDS), context)
    part = context.child(0.9, key=1)
    part.seeds = np.random.SeedSequence(run.seed, spawn_key=MODEL_SEED)
    steps = learning_steps(trained.learner, data, part)
    if steps is None or len(steps) < 2:
        raise DataError("There are no steps to show: nothing was learned on the way.")
    return steps


class LayersRecord(SelectedRecord):
    kind = NeuralModel

    def _nothing(self) -> None:
        self._view.set_record(None)

    def _read(self, asked: NeuralModel, record: Dataset, name: str, _context: RunContext) -> LayerSignals | None:
        if not asked.layers.n_layers:
            return None
        probabilities = np.asarray(asked.predict_proba(record)[0], dtype=np.float64)
        return node_outputs(asked.layers, name, asked.signals(record, 0), probabilities)

    def _show_answer(self, answer: LayerSignals | None, _name: str) -> None:
        self._view.set_record(answer)


SIDE_WIDTH: Final = 420
AROUND_NETWORK: Final = 24
"""Room for the margins of the network and the handle beside the panel."""


class LayersExtension(ClearWidget):
    """Adds node outputs of a record and the replay of training."""

    def __init__(self, session: Session, view: LayersView) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self._view = view
        self._record = LayersRecord(session, view)
        self._split = split(view)
        column_layout(self._split, inside=self)
        self.panel: LayersStepsPanel | None = None
        tip = "The boundary step by step, as the weights moved"
        self.switch = quiet_button("Steps", NAME, tip, checkable=True)
        self.switch.clicked.connect(self._switched)

    def show_run(self, run: Run | None) -> None:
        self._record.show_run(run)
        trained = None if run is None else run.trained
        structure = None if trained is None else trained.structure()
        has_layers = (
            isinstance(structure, Layers) and structure.n_layers > 0 and run is not None and run.of_fold is None
        )
        self.switch.setVisible(has_layers and trained is not None and can_be_stepped(trained.learner))
        if run is not self._run:
            self._run = run
            self.close_steps()

    def follow(self, row: int) -> None:
        self._record.follow(row)

    def _switched(self, wanted: bool) -> None:
        if not wanted or self._run is None:
            self.close_steps()
            return
        if self.panel is None:
            self.panel = LayersStepsPanel(self._session)
            self.panel.closed.connect(self.close_steps)
        least, side = self.width() * 40 // 100, max(themes.px(SIDE_WIDTH), self.width() * 45 // 100)
        left = self._split.width() - self._view.canvas.sizeHint().width() - themes.px(AROUND_NETWORK)
        self.panel.open_in(self._split, max(least, min(side, left)))
        self.panel.begin(self._run)
        self._view.show_beside_steps(True)

    def close_steps(self) -> None:
        self._view.show_beside_steps(False)
        self.switch.setChecked(False)
        if self.panel is not None and not self.panel.isHidden():
            self.panel.end()
            self.panel.hide()
