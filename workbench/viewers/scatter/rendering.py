"""Rendering of pictures of records in jobs: parts from coarse to fine, and the layer of points of a scatter plot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPainter

from algorithms.core.run_control import RunContext
from algorithms.data.columns import Mask
from algorithms.evaluation.regions import Regions
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.layout.camera import Window
from workbench.layout.density import FAINTEST, MOST_POINTS, Pixels, density_counts, painted, shown_points
from workbench.layout.points import Checkpoint, ScatterPoints
from workbench.style.theme import Theme
from workbench.viewers.scatter.scatter_paint import FADED, Layer

RenderingSteps = Callable[[Checkpoint], Iterator[object]]
"""Yields the parts of a picture in order, and :data:`COARSE_DONE` after the coarse ones."""
COARSE_DONE: Final = "coarse done"


class ProgressiveRenderer(QObject):
    """Renders requests in parts; a newer one follows the coarse picture of the running one."""

    rendered = Signal(object)

    def __init__(self, jobs: Jobs | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._task, self._has_jobs = LatestTask(jobs), jobs is not None
        self._next: RenderingSteps | None = None
        self._seen_once = False

    @property
    def is_busy(self) -> bool:
        return self._task.is_running

    def want(self, steps: RenderingSteps, *, at_once: bool = False) -> None:
        """Requests the parts of a picture; ``at_once`` computes short work without a job."""
        if self.is_busy and not self._seen_once and not at_once:
            self._next = steps
        else:
            self._begin(steps, at_once or not self._has_jobs)

    def drop(self) -> None:
        self._next = None
        self._task.stop()

    def _begin(self, steps: RenderingSteps, at_once: bool = False) -> None:
        def work(context: RunContext) -> None:
            for part in steps(context.checkpoint):
                context.publish(part)

        self._next, self._seen_once = None, False
        self._task.run("", work, on_done=None if at_once else self._done, on_event=self._land, at_once=at_once)

    def _land(self, part: object) -> None:
        if part is COARSE_DONE:
            self._seen_once = True
            if self._next is not None:
                self._begin(self._next)
        else:
            self.rendered.emit(part)

    def _done(self, _nothing: object) -> None:
        if self._next is not None:
            self._begin(self._next)
        else:
            self.rendered.emit(None)


BESIDE: Final = 0.5
"""Share of the window rendered beyond each of its edges, for panning."""
CELL: Final = 2.0
"""Pixels of a density cell: large enough to see a lone record."""
ROOM: Final = 12.0
"""Pixels of the view per point drawn one by one; more points are drawn as density."""
FEWEST: Final = 1500
"""At least this many points are drawn one by one."""
FAINTEST_SELECTED: Final = 0.75
"""Opacity of a lone selected point over the others."""
FAINTEST_REGION, STRONGEST_REGION = 0.1, 0.28


@dataclass(frozen=True, eq=False)
class LayerRequest:
    """What a layer depends on."""

    points: ScatterPoints
    window: Window
    chosen: Mask | None
    theme: Theme


def class_colors(theme: Theme, k: int) -> NDArray[np.float32]:
    """Colours (k + 1, 3), 0 to 255, first for records without class."""
    colors = [theme.class_color(code) for code in range(-1, k)]
    return np.array([(c.red(), c.green(), c.blue()) for c in colors], dtype=np.float32)


def layer_of(wanted: LayerRequest, checkpoint: Checkpoint) -> Layer:
    """The points of a window and its surroundings, one by one or as density."""
    points, window, around = wanted.points, wanted.window, wanted.window.around(BESIDE)
    most = round(min(MOST_POINTS, max(FEWEST, window.width * window.height / ROOM)))
    if len(points) <= most:
        return Layer(Window(-9.0, 9.0, -9.0, 9.0), np.arange(len(points)))
    if len(shown_points(points, window, most, checkpoint)) <= most:
        shown = shown_points(points, around, 4 * most, checkpoint)
        if len(shown) <= 4 * most:
            return Layer(around, shown)
        return Layer(window, shown_points(points, window, most, checkpoint))
    colors = class_colors(wanted.theme, points.n_classes)
    opacity = 1.0 if wanted.chosen is None else FADED
    total, mixed = density_counts(points, around, colors, CELL, checkpoint=checkpoint)
    picture = as_image(painted(total, mixed, FAINTEST, opacity, checkpoint))
    if wanted.chosen is not None:
        total, mixed = density_counts(points, around, colors, CELL, wanted.chosen, checkpoint)
        with QPainter(picture) as painter:
            painter.drawImage(0, 0, as_image(painted(total, mixed, FAINTEST_SELECTED, 1.0, checkpoint)))
    return Layer(around, picture=picture, fullest=int(total.max(initial=0)))


def as_image(pixels: Pixels) -> QImage:
    """An image with its own copy of premultiplied ARGB pixels (h, w)."""
    height, width = pixels.shape
    whole = np.ascontiguousarray(pixels)
    return QImage(whole.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


def regions_image(regions: Regions, theme: Theme, k: int) -> QImage:
    """The image of decision regions: the class colour over the background, stronger for higher probability."""
    colors = class_colors(theme, k)[1:]
    pane = theme.color("pane")
    ground = np.array((pane.red(), pane.green(), pane.blue()), dtype=np.float32)
    surer = np.clip((regions.probability - 1 / k) / max(1e-6, 1 - 1 / k), 0, 1)
    strength = (FAINTEST_REGION + (STRONGEST_REGION - FAINTEST_REGION) * surer)[..., None].astype(np.float32)
    shades = np.round(ground * (1 - strength) + colors[regions.decision] * strength).astype(np.uint32)
    pixels = np.uint32(0xFF000000) | shades[..., 0] << np.uint32(16) | shades[..., 1] << np.uint32(8) | shades[..., 2]
    return as_image(pixels[::-1])
