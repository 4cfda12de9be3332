"""What the points of a window look like, computed beside the window where there are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPainter

from algorithms.core.context import RunContext
from algorithms.evaluation.regions import Regions
from workbench.jobs.jobs import Job, Jobs
from workbench.layout.camera import Window
from workbench.layout.density import MOST_POINTS, Checkpoint, Pixels, density_picture, shown_points
from workbench.layout.points import Mask, Points
from workbench.style.theme import Theme, current_theme
from workbench.viewers.scatter.scatter_paint import FADED
from workbench.viewers.scatter.scatter_scene import Layer

BESIDE: Final = 0.5
"""Part of the window that is prepared beyond each of its edges, for panning."""
CELL: Final = 2.0
"""Pixels of a density cell: a lone record can still be seen."""
ROOM: Final = 12.0
"""Pixels of the view for each point that is drawn by itself: of more points the density is shown."""
FEWEST: Final = 1500
"""So many points are always drawn one by one."""
FAINTEST_REGION, STRONGEST_REGION = 0.06, 0.24


@dataclass(frozen=True, eq=False)
class Wanted:
    """All that a layer depends on."""

    points: Points
    window: Window
    chosen: Mask | None
    theme: Theme


def class_colors(theme: Theme, k: int) -> NDArray[np.float32]:
    """Colours (k + 1, 3) of records without class and of each class, 0 to 255."""
    colors = [theme.class_color(code) for code in range(-1, k)]
    return np.array([(c.red(), c.green(), c.blue()) for c in colors], dtype=np.float32)


def layer_of(wanted: Wanted, checkpoint: Checkpoint) -> Layer:
    """The points of a window and what lies around it, one by one or as their density."""
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
    picture = as_image(density_picture(points, around, colors, CELL, opacity=opacity, checkpoint=checkpoint))
    if wanted.chosen is not None:
        above = density_picture(points, around, colors, CELL, among=wanted.chosen, faintest=0.75, checkpoint=checkpoint)
        painter = QPainter(picture)
        painter.drawImage(0, 0, as_image(above))
        painter.end()
    return Layer(around, picture=picture)


def as_image(pixels: Pixels) -> QImage:
    """Premultiplied ARGB pixels (h, w) as an image of its own."""
    height, width = pixels.shape
    whole = np.ascontiguousarray(pixels)
    return QImage(whole.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


def regions_image(regions: Regions, theme: Theme, k: int) -> QImage:
    """Cells in the pane's colour tinted by that of the class decided, the more the surer the model is."""
    colors = class_colors(theme, k)[1:]
    pane = theme.color("pane")
    ground = np.array((pane.red(), pane.green(), pane.blue()), dtype=np.float32)
    surer = np.clip((regions.probability - 1 / k) / max(1e-6, 1 - 1 / k), 0, 1)
    strength = (FAINTEST_REGION + (STRONGEST_REGION - FAINTEST_REGION) * surer)[..., None].astype(np.float32)
    shades = np.round(ground * (1 - strength) + colors[regions.decision] * strength).astype(np.uint32)
    pixels = np.uint32(0xFF000000) | shades[..., 0] << np.uint32(16) | shades[..., 1] << np.uint32(8) | shades[..., 2]
    return as_image(pixels[::-1])


class LayerMaker(QObject):
    """Makes layers: few points at once, many in jobs of which one runs at a time and the latest wish counts."""

    made = Signal(object)

    def __init__(self, jobs: Jobs | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None
        self._next: Wanted | None = None

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def want(self, points: Points, window: Window, chosen: Mask | None) -> None:
        """Ask for the layer of this window; ``made`` comes with it, at once or soon."""
        wanted = Wanted(points, window, chosen, current_theme())
        if self._jobs is None or len(points) <= MOST_POINTS:
            self.drop()
            self.made.emit(layer_of(wanted, _never))
        elif self._job is None:
            self._begin(self._jobs, wanted)
        else:
            self._next = wanted

    def drop(self) -> None:
        """Forget what was asked for."""
        self._next = None
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _begin(self, jobs: Jobs, wanted: Wanted) -> None:
        def work(context: RunContext) -> Layer:
            return layer_of(wanted, context.checkpoint)

        self._job = jobs.start("", work, on_done=self._done)

    def _done(self, layer: Layer) -> None:
        self._job = None
        wanted, self._next = self._next, None
        if wanted is not None and self._jobs is not None:
            self._begin(self._jobs, wanted)
        self.made.emit(layer)


def _never() -> None:
    return None
