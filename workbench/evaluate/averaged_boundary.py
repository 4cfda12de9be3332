"""Where most models of many training sets decide what, over two attributes (TSKK Figures 5.33 and 5.34).

The tint is the stronger the more of the models say so; the line is where most of them change their decision, and beside
it, dashed, is the border of the best of all models, where the data was made here and that is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtWidgets import QWidget

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes
from algorithms.evaluation.leaning import Leaning, Plane
from algorithms.evaluation.regions import Axis, Regions
from workbench.geometry.contours import contour
from workbench.geometry.points import Points, points_of, scale_of
from workbench.jobs import Job
from workbench.parts import Pane, label
from workbench.runs import Run
from workbench.session import Session
from workbench.theme import current_theme, themes
from workbench.views.scatter import ScatterView
from workbench.views.scatter_layer import regions_image
from workbench.views.scatter_scene import Backdrop, Outline
from workbench.views.scatter_table import Sheet
from workbench.wording import BRIEF_NAMES, in_brief

NOTHING: Final = "Start to see where most of the models decide what."


@dataclass(frozen=True, eq=False)
class _Seen:
    points: Points
    sheet: Sheet


class AveragedBoundary(Pane):
    """Follows what was measured of a run."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Averaged boundary", parent=parent)
        self._session = session
        self._leaning: Leaning | None = None
        self._of: tuple[Dataset, Plane] | None = None
        self._job: Job | None = None
        self.view = ScatterView(session.jobs)
        self.view.canvas.setObjectName("evaluate.leaning.boundary")
        self.view.canvas.setAccessibleName("Where most models decide what")
        self._words = label(NOTHING, "dim", wrap=True)
        self._words.setObjectName("evaluate.leaning.boundary-words")
        self._save = self.view.export.button("evaluate.leaning.boundary-save")
        self._save.setEnabled(False)
        self.add_action(self._save)
        self.body.addWidget(self._words)
        self.body.addWidget(self.view, 1)
        themes.changed.connect(self._tint)

    def plane_of(self, data: Dataset, across: int, up: int) -> Plane:
        """The plane over two attributes, as wide as their scales are drawn."""
        axes = []
        for index in (across, up):
            scale = scale_of(data, index)
            low, high = scale.span
            axes.append(Axis(index, scale.value(low), scale.value(high)))
        return Plane(*axes)

    def show_leaning(self, run: Run, found: Leaning | None) -> None:
        """Show what was measured of this run; None for nothing."""
        self._leaning = found
        plane = None if found is None else found.plane
        of = None if plane is None else (run.data, plane)
        if of != self._of:
            self._of = of
            self._place()
        self._tint()

    def _place(self) -> None:
        """Put the records on their places, in a job."""
        if self._job is not None:
            self._job.stop()
            self._job = None
        self.view.set_points(None, None)
        self._save.setEnabled(False)
        self.set_facts("")
        if self._of is None:
            return
        data, plane = self._of
        across, up = plane.across.index, plane.up.index
        names = [data.schema.attributes[index].name for index in (across, up)]
        others = len(set(data.schema.predictors) - {across, up})
        whole = f"{names[0]} × {names[1]}" + (", the others typical" if others else "")
        self.set_facts(whole, in_brief(whole, tuple(names), BRIEF_NAMES[0]), "the others typical" if others else "")

        def work(context: RunContext) -> _Seen:
            context.say("Placing records")
            points = points_of(data, across, up)
            return _Seen(points, Sheet(data, (across, up), None, data.schema.classes))

        def done(seen: _Seen) -> None:
            self._job = None
            self.view.set_points(seen.points, seen.sheet)
            self._save.setEnabled(True)
            self._tint()

        self._job = self._session.jobs.start("Place records", work, on_done=done)

    def _tint(self) -> None:
        points, found = self.view.points, self._leaning
        if points is None or found is None or found.ground is None or found.plane is None:
            self.view.canvas.set_backdrops([])
            self.view.canvas.set_outlines([])
            self._words.setText(NOTHING if found is None else "")
            return
        place = (*points.across.span, *points.up.span)
        classes = points.n_classes
        names = self._of[0].schema.classes if self._of is not None else ()
        picture = regions_image(found.ground, current_theme(), classes)
        self.view.canvas.set_backdrops([Backdrop(*place, picture, found.ground.decision, names)])
        self.view.canvas.set_outlines(self._outlines(found, place, points))
        surely = float(np.mean(found.ground.probability >= 0.9))
        best = "" if found.best is None else _best_words(found.ground.decision, found.best)
        self._words.setText(
            f"Solid: where most of the {found.sets} models change their decision. In {100 * surely:.0f} of 100 places "
            f"at least nine in ten of them agree.{best}"
        )

    @staticmethod
    def _outlines(found: Leaning, place: tuple[float, float, float, float], points: Points) -> list[Outline]:
        if points.across.is_banded or points.up.is_banded or found.ground is None:
            return []
        made = [Outline(border(found.ground, place))]
        if found.best_drawn is not None:
            sure = Regions(found.best_drawn, np.ones(found.best_drawn.shape, dtype=np.float32))
            made.append(Outline(border(sure, place), is_dashed=True))
        return made


def _best_words(decision: Codes, best: Codes) -> str:
    return (
        f" Dashed: the true boundary; most models decide otherwise in {100 * float(np.mean(decision != best)):.0f} of "
        "100 places."
    )


def border(ground: Regions, place: tuple[float, float, float, float]) -> FloatArray:
    """The pieces (m, 4) of the lines around every class, of two around one, in units of the axes."""
    left, right, low, high = place
    h, w = ground.decision.shape
    codes = np.unique(ground.decision)
    if len(codes) < 2 or min(h, w) < 2:
        return np.zeros((0, 4))
    if len(codes) == 2:
        second = np.where(ground.decision == codes[1], ground.probability, 1 - ground.probability)
        cells = contour(second.astype(np.float64), 0.5)
    else:
        cells = np.concatenate([contour((ground.decision == code).astype(np.float64), 0.5) for code in codes.tolist()])
    scale = np.array([(right - left) / w, (high - low) / h] * 2)
    return np.asarray((cells + 0.5) * scale + np.array([left, low, left, low]))
