"""The experiments' pictures and tables, drawn by the program's own views."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from PySide6.QtCore import Qt

from algorithms.core.filters import FittedRecipe
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.evaluation.regions import OneRecord, RegionAxis, regions
from algorithms.learners.trees.model import TreeModel
from tests.experiments.measuring import SizeCurve
from workbench.layout.points import points_of
from workbench.style.theme import current_theme
from workbench.viewers.charts.export import Drawing, ExportedScene, PictureStyle, fitted, image_of
from workbench.viewers.scatter.rendering import regions_image
from workbench.viewers.scatter.scatter_canvas import ScatterCanvas
from workbench.viewers.scatter.scatter_paint import Backdrop, Layer
from workbench.viewers.tree.gain_and_pruning_curves import OverfittingPlot, SubtreeErrors

CURVE: Final = (560, 320)
PLANE: Final = (420, 380)
SHARPNESS: Final = 1.5
"""Pixels of a picture to one of the screen."""
CELLS: Final = 256


def save_curve(curve: SizeCurve, path: Path) -> None:
    """The curve as the window draws it: error on training and on unseen records by number of leaves."""
    plot = OverfittingPlot("experiments.curve")
    plot.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    plot.resize(*CURVE)
    plot.show()
    best = int(np.argmin(curve.unseen[::-1]))
    price = np.full(len(curve.leaves), np.nan)
    plot.show_sizes(
        SubtreeErrors(curve.leaves[::-1], curve.training[::-1], curve.unseen[::-1], curve.spread[::-1], price, best)
    )
    plot.show_step(best)
    _save(ExportedScene(plot, "", "", plot.table).drawing(), path, CURVE[0])
    plot.close()
    plot.deleteLater()


def save_plane(model: TreeModel, learner: Learner, data: Dataset, path: Path) -> None:
    """The records over the first two attributes, and what the model says where."""
    canvas = ScatterCanvas()
    canvas.resize(*PLANE)
    points = points_of(data, 0, 1, model.predict(data) != data.class_codes)
    canvas.set_points(points)
    canvas.set_layer(Layer(canvas.window_seen, np.arange(len(points))))
    (left, right), (low, high) = points.across.span, points.up.span
    across = RegionAxis(0, points.across.value(left), points.across.value(right))
    up = RegionAxis(1, points.up.value(low), points.up.value(high))
    trained = TrainedClassifier(data.schema, FittedRecipe(()), model, learner)
    found = regions(trained, OneRecord(data.take([0])), across, up, CELLS, RunContext())
    image = regions_image(found, current_theme(), len(data.schema.classes))
    canvas.set_backdrops([Backdrop(left, right, low, high, image, found.decision, data.schema.classes)])
    _save((canvas.size(), partial(canvas.paint_picture, vector=True)), path, PLANE[0])
    canvas.deleteLater()


def save_rows(heading: Sequence[str], rows: Sequence[Sequence[Any]], path: Path) -> None:
    """A table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(heading)
        out.writerows([f"{value:.6g}" if isinstance(value, float) else value for value in row] for row in rows)


def _save(drawing: Drawing, path: Path, width: int) -> None:
    size = drawing[0].scaled(round(SHARPNESS * width), 10_000, Qt.AspectRatioMode.KeepAspectRatio)
    style = PictureStyle(size.width(), size.height(), 96, "")
    if not image_of(fitted(drawing, style)).save(str(path)):
        raise OSError(f"{path} could not be written")
