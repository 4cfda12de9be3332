"""Parallel coordinates as they are shown: what each axis shows, its order, and the ranges that are chosen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter

from algorithms.data.columns import IntArray
from workbench.jobs.jobs import Jobs
from workbench.layout.parallel_axes import MARGIN, AxisView, Brush, Gap, brushed, whole_range, whole_view
from workbench.session.selection import How
from workbench.style.theme import current_theme
from workbench.viewers.scatter.axes_canvas import AxesCanvas
from workbench.viewers.scatter.parallel_paint import (
    Frame,
    GapLayer,
    LinesWanted,
    ParallelPainter,
    ParallelScene,
    parallel_layers,
)
from workbench.viewers.scatter.scatter_layer import as_image
from workbench.viewers.scatter.scatter_scene import NOBODY


class ParallelPicture(AxesCanvas):
    """An axis for each attribute, a line for each record.

    ``reordered(order)`` comes with the numbers that the axes had before, in their new order.
    """

    reordered = Signal(tuple)

    def __init__(self, jobs: Jobs | None) -> None:
        self.painter = ParallelPainter()
        self.scene = ParallelScene()
        self.frame = Frame(0, 1, 0, 1, 0, (0.0, 1.0))
        self.focus_axis = 0
        self.caret: float | None = None
        super().__init__(jobs, "visualize.parallel", "Parallel coordinates")

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def arrange(self, keep_view: bool) -> None:
        self.painter = ParallelPainter()
        places = self.places
        self.frame = self.painter.frame(places, self.width(), self.height())
        old = self.scene
        n = 0 if places is None else places.n_axes
        self.scene = ParallelScene(places, () if places is None else self._whole())
        if keep_view and len(old.views) == n:
            self.scene.views, self.scene.brushes = old.views, old.brushes
        if old.places is places:
            self.scene.pictures = old.pictures
        self.focus_axis = min(self.focus_axis, max(0, n - 1))
        self.scene.lit, self.scene.marks_wrong = self.lit, self.marks_wrong

    def _whole(self) -> tuple[AxisView, ...]:
        return () if self.places is None else tuple(whole_view(scale) for scale in self.places.scales)

    def want(self) -> None:
        places, scene = self.places, self.scene
        scene.lit, scene.marks_wrong = self.lit, self.marks_wrong
        if places is None or places.n_axes < 2:
            self.refiner.drop()
            self.looked.emit()
            return
        views, frame = scene.views, self.frame
        gaps = tuple(Gap(axis, views[axis], views[axis + 1]) for axis in range(places.n_axes - 1))
        height = frame.height * (frame.span[1] - frame.span[0])
        wanted = LinesWanted(places, gaps, frame.span, frame.step, height, self.lit, self.marks_wrong, current_theme())
        self.refiner.want(lambda checkpoint: parallel_layers(wanted, checkpoint))

    def receive(self, part: object) -> None:
        if isinstance(part, GapLayer):
            shown = (part.pixels,) if part.above is None else (part.pixels, part.above)
            self.scene.pictures[part.gap.left] = tuple(as_image(pixels) for pixels in shown)

    def set_marks_wrong(self, marked: bool) -> None:
        super().set_marks_wrong(marked)
        self.want()

    def paint_picture(self, painter: QPainter, *, vector: bool = False) -> None:
        self.painter.paint(painter, self.scene, self.frame, vector=vector)

    def paint_marks(self, painter: QPainter) -> None:
        self.painter.paint_record(painter, self.scene, self.frame, self.hover)
        if self.hasFocus() and self.scene.views:
            self.painter.paint_focus(painter, self.frame, self.focus_axis, self.caret)

    def in_view(self) -> IntArray:
        places = self.places
        if places is None:
            return self.all_records()
        found = np.ones(len(places), dtype=np.bool_)
        for axis, view in enumerate(self.scene.views):
            if (view.low, view.high) != whole_range(places.scales[axis]):
                found &= (places.units[axis] >= view.low) & (places.units[axis] <= view.high)
        return np.flatnonzero(found)

    # ---- axes ------------------------------------------------------------------------------------------------------

    def fit(self) -> None:
        places = self.places
        if places is not None:
            whole = [whole_range(scale) for scale in places.scales]
            self.scene.views = tuple(
                AxisView(low, high, view.turned) for view, (low, high) in zip(self.scene.views, whole, strict=True)
            )
        self._changed()

    def set_view(self, axis: int, view: AxisView) -> None:
        """Show another part of an axis, or the other way up."""
        self.scene.views = tuple(view if at == axis else old for at, old in enumerate(self.scene.views))
        self._changed()

    def turn(self, axis: int) -> None:
        """Turn an axis around."""
        self.set_view(axis, self.scene.views[axis].flipped())
        self.say_focus()

    def move_axis(self, axis: int, to: int) -> None:
        """Move an axis to another place."""
        places, scene = self.places, self.scene
        if places is None or not (0 <= axis < places.n_axes and 0 <= to < places.n_axes and axis != to):
            return
        order = list(range(places.n_axes))
        order.insert(to, order.pop(axis))
        self.places = scene.places = places.reordered(order)
        scene.views = tuple(scene.views[old] for old in order)
        scene.brushes = {order.index(old): brush for old, brush in scene.brushes.items()}
        still_beside = {new: old for new, old in enumerate(order[:-1]) if order[new + 1] == old + 1}
        scene.pictures = {new: scene.pictures[old] for new, old in still_beside.items() if old in scene.pictures}
        self.focus_axis = to
        self._changed()
        self.reordered.emit(tuple(order))
        self.say_focus()

    def zoom(self, axis: int, factor: float, height: float = 0.5) -> None:
        """Show less of an axis, or more."""
        if self.places is not None:
            whole = whole_range(self.places.scales[axis])
            self.set_view(axis, self.scene.views[axis].zoomed(factor, height, whole))

    def pan(self, axis: int, share: float) -> None:
        """Show what lies above on an axis, by a share of its size; below where that is negative."""
        if self.places is not None:
            self.set_view(axis, self.scene.views[axis].panned(share, whole_range(self.places.scales[axis])))

    def _changed(self) -> None:
        self.set_hover(NOBODY)
        self.want()
        self.update()

    # ---- brushes ---------------------------------------------------------------------------------------------------

    def set_brush(self, axis: int, brush: Brush | None, how: How = How.REPLACE) -> None:
        """Choose a range of an axis, or all of it; the records that all brushes choose are selected."""
        if self.places is None or (brush is None and axis not in self.scene.brushes):
            return
        if brush is None:
            del self.scene.brushes[axis]
        else:
            self.scene.brushes[axis] = brush
        self.update()
        if self.scene.brushes:
            self.selected.emit(np.flatnonzero(brushed(self.places, self.scene.brushes)), how)
        else:
            self.cleared.emit()

    def forget_brushes(self) -> None:
        """Something else has been selected."""
        if self.scene.brushes:
            self.scene.brushes = {}
            self.update()

    def say_focus(self) -> None:
        """Let a screen reader say which axis has the focus, and how it stands."""
        places, axis = self.places, self.focus_axis
        if places is None or not self.scene.views:
            return
        words = [places.scales[axis].attribute.name, f"axis {axis + 1} of {places.n_axes}"]
        if self.scene.views[axis].turned:
            words.append("turned around")
        if axis in self.scene.brushes:
            words.append("a range is chosen")
        if self.caret is not None and self.caret < -MARGIN:
            words.append("mark at the missing values")
        self.say(", ".join(words))
