"""Parallel coordinates: brushing, order and direction of axes, zoom, hover."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QWheelEvent

from algorithms.data.columns import IntArray
from workbench.jobs.jobs import Jobs
from workbench.layout.many_axes import (
    MARGIN,
    MISSING,
    AxisView,
    Brush,
    Gap,
    brush_between,
    brushed,
    nearest_line,
    whole_range,
    whole_view,
)
from workbench.session.selection import SelectionMode, how_by_keys
from workbench.style.theme import current_theme
from workbench.viewers.scatter.many_axes import CLICK_SLACK, AxesCanvas, ManyAxesView
from workbench.viewers.scatter.parallel_coordinates_paint import (
    BRUSH_WIDTH,
    MOST_LINES,
    Frame,
    GapLayer,
    LinesRequest,
    ParallelPainter,
    ParallelScene,
    parallel_layers,
)
from workbench.viewers.scatter.rendering import as_image
from workbench.viewers.scatter.scatter_canvas import ZOOM_STEP
from workbench.viewers.scatter.scatter_paint import NOBODY


class ParallelPicture(AxesCanvas):
    """An axis for each attribute, a line for each record; ``reordered(order)`` has the former numbers."""

    reordered = Signal(tuple)

    def __init__(self, jobs: Jobs | None) -> None:
        self.painter = ParallelPainter(self.colored)
        self.scene = ParallelScene()
        self.frame = Frame(0, 1, 0, 1, 0, (0.0, 1.0))
        self.focus_axis = 0
        self.caret: float | None = None
        super().__init__(jobs, "visualize.parallel", "Parallel coordinates")

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def arrange(self, keep_view: bool) -> None:
        self.painter = ParallelPainter(self.colored)
        places = self.places
        self.frame = self.painter.frame(places, self.width(), self.height())
        old = self.scene
        n = 0 if places is None else places.n_axes
        self.scene = ParallelScene(places, () if places is None else tuple(map(whole_view, places.scales)))
        if keep_view and len(old.views) == n:
            self.scene.views, self.scene.brushes = old.views, old.brushes
        if old.places is places:
            self.scene.pictures = old.pictures
        self.focus_axis = min(self.focus_axis, max(0, n - 1))
        self.scene.lit, self.scene.marks_wrong = self.lit, self.marks_wrong

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
        theme = current_theme().only(self.colored)
        wanted = LinesRequest(places, gaps, frame.span, frame.step, height, self.lit, self.marks_wrong, theme)
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
        is_in_view = np.ones(len(places), dtype=np.bool_)
        for axis, view in enumerate(self.scene.views):
            if (view.low, view.high) != whole_range(places.scales[axis]):
                is_in_view &= (places.units[axis] >= view.low) & (places.units[axis] <= view.high)
        return np.flatnonzero(is_in_view)

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
        """Sets the visible range and direction of an axis."""
        self.scene.views = tuple(view if number == axis else old for number, old in enumerate(self.scene.views))
        self._changed()

    def turn(self, axis: int) -> None:
        self.set_view(axis, self.scene.views[axis].flipped())
        self.say_focus()

    def move_axis(self, axis: int, to: int) -> None:
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
        if self.places is not None:
            whole = whole_range(self.places.scales[axis])
            self.set_view(axis, self.scene.views[axis].zoomed(factor, height, whole))

    def pan(self, axis: int, share: float) -> None:
        """Pans an axis upwards by a share of its visible range; negative shares pan down."""
        if self.places is not None:
            self.set_view(axis, self.scene.views[axis].panned(share, whole_range(self.places.scales[axis])))

    def _changed(self) -> None:
        self.set_hover(NOBODY)
        self.want()
        self.update()

    # ---- brushes ---------------------------------------------------------------------------------------------------

    def set_brush(self, axis: int, brush: Brush | None, how: SelectionMode = SelectionMode.REPLACE) -> None:
        """Sets the range of an axis, None for all of it, and selects the records in every range."""
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
        """Drops all ranges after another selection."""
        if self.scene.brushes:
            self.scene.brushes = {}
            self.update()

    def say_focus(self) -> None:
        """Says the focused axis and its direction to a screen reader."""
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


class ParallelView(ManyAxesView):
    def __init__(self, jobs: Jobs | None = None) -> None:
        self.lines = ParallelCanvas(jobs)
        super().__init__(self.lines, jobs, "visualize.parallel", ("parallel-coordinates", "Parallel coordinates"))

    @property
    def n_shown(self) -> int | None:
        """The number of lines drawn one by one; None where density is shown."""
        places = self.places
        return len(places) if places is not None and len(places) <= MOST_LINES else None


REACH: Final = 7.0
"""Pixels within which the mouse hits a line."""
CARET_STEP: Final = 0.05


class ParallelCanvas(ParallelPicture):
    def __init__(self, jobs: Jobs | None) -> None:
        self._anchor: float | None = None
        self._press: tuple[QPointF, Qt.MouseButton] | None = None
        self._brushing: tuple[int, float] | None = None
        self._moving_axis: int | None = None
        self._panning: tuple[int, AxisView] | None = None
        super().__init__(jobs)

    # ---- mouse -----------------------------------------------------------------------------------------------------

    def _axis_near(self, position: QPointF, reach: float) -> int | None:
        """The axis within ``reach`` pixels."""
        if not self.scene.views:
            return None
        axis = min(max(round(self.frame.place_at(position.x())), 0), len(self.scene.views) - 1)
        return axis if abs(self.frame.x(axis) - position.x()) <= reach else None

    def _name_at(self, position: QPointF) -> int | None:
        axis = self._axis_near(position, self.frame.step)
        return axis if axis is not None and self.painter.name_area(self.frame, axis).contains(position) else None

    def _turner_at(self, position: QPointF) -> int | None:
        axis = self._axis_near(position, self.frame.step)
        return axis if axis is not None and self.painter.turn_area(self.frame, axis).contains(position) else None

    def _axis_at(self, position: QPointF) -> int | None:
        if not self.frame.top - 6 <= position.y() <= self.frame.y(self.frame.span[0]) + 8:
            return None
        return self._axis_near(position, min(BRUSH_WIDTH, self.frame.step / 3))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms the nearest axis around the mouse; with Shift, pans it."""
        axis = self._axis_near(event.position(), self.frame.step)
        turned = event.angleDelta().y() or event.angleDelta().x()
        if axis is not None and turned:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.pan(axis, turned / 120 * 0.1)
            else:
                height = min(max(self.frame.height_at(event.position().y()), 0.0), 1.0)
                self.zoom(axis, ZOOM_STEP ** (turned / 120), height)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        position, button = event.position(), event.button()
        self._press = (position, button)
        self._brushing = self._moving_axis = self._panning = None
        axis = self._axis_at(position)
        if button is Qt.MouseButton.LeftButton:
            self._moving_axis = self._name_at(position)
            if self._moving_axis is None and axis is not None and self._turner_at(position) is None:
                self._brushing = (axis, self.frame.height_at(position.y()))
        else:
            near = self._axis_near(position, self.frame.step)
            self._panning = None if near is None else (near, self.scene.views[near])
        focus = self._moving_axis if self._moving_axis is not None else axis
        if focus is not None:
            self.focus_axis, self.caret = focus, None
        self.update()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._press is None:
            self._point(position)
        elif (position - self._press[0]).manhattanLength() > CLICK_SLACK or self.scene.moved is not None:
            self.set_hover(NOBODY)
            if self._moving_axis is not None:
                self.scene.moved = (self._moving_axis, position.x())
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
            elif self._brushing is not None and self.places is not None:  # the selection follows on release
                axis, first = self._brushing
                self.scene.brushes[axis] = self._brush_to(axis, first, self.frame.height_at(position.y()))
            elif self._panning is not None and self.places is not None:
                axis, view = self._panning
                share = (position.y() - self._press[0].y()) / self.frame.height
                self.set_view(axis, view.panned(share, whole_range(self.places.scales[axis])))
            self.update()
        event.accept()

    def _brush_to(self, axis: int, first: float, last: float) -> Brush:
        assert self.places is not None
        low, high = self.frame.span
        bounded = min(max(last, low), high)
        return brush_between(self.places.scales[axis], self.scene.views[axis], first, bounded)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        press, self._press = self._press, None
        moved, self.scene.moved = self.scene.moved, None
        brushing, self._brushing = self._brushing, None
        self._panning = None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.update()
        event.accept()
        if press is None or press[1] is not Qt.MouseButton.LeftButton:
            return
        position, how = event.position(), how_by_keys(event.modifiers())
        is_click = (position - press[0]).manhattanLength() <= CLICK_SLACK
        if moved is not None:
            to = min(max(round(self.frame.place_at(position.x())), 0), len(self.scene.views) - 1)
            self.move_axis(moved[0], to)
        elif brushing is not None:
            axis = brushing[0]
            brush = None if is_click else self._brush_to(axis, brushing[1], self.frame.height_at(position.y()))
            self.set_brush(axis, brush, how)
        elif is_click:
            self._clicked(position, how)

    def _clicked(self, position: QPointF, how: SelectionMode) -> None:
        turner = self._turner_at(position)
        if turner is not None:
            self.turn(turner)
        elif self._name_at(position) is None:
            record = self.record_at(position)
            self.forget_brushes()
            if record != NOBODY:
                self.selected.emit(np.array([record]), how)
            elif how is SelectionMode.REPLACE:
                self.cleared.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """On a name, reverses its axis; beside the lines, shows all of every axis."""
        axis = self._name_at(event.position())
        if axis is not None:
            self.turn(axis)
        elif self._axis_at(event.position()) is None and self.record_at(event.position()) == NOBODY:
            self.fit()
        event.accept()

    def _point(self, position: QPointF) -> None:
        if self._name_at(position) is not None:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        elif self._turner_at(position) is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        elif self._axis_at(position) is not None:
            self.setCursor(Qt.CursorShape.SplitVCursor)
        else:
            self.setCursor(Qt.CursorShape.ArrowCursor)
            self.point_at(position)
            return
        self.set_hover(NOBODY)

    def tip_at(self, position: QPointF) -> str:
        places, name, turner = self.places, self._name_at(position), self._turner_at(position)
        if places is None:
            return ""
        if name is not None:
            return f"{places.scales[name].attribute.name}\nDrag to move it"
        if turner is not None:
            return "Turn this axis around"
        return "Drag along the axis to choose a range, click to drop it" if self._axis_at(position) is not None else ""

    def record_at(self, position: QPointF) -> int:
        """The record whose line passes there; highlighted records only, if there are any."""
        places, frame = self.places, self.frame
        if places is None or places.n_axes < 2 or not frame.top - 6 <= position.y() <= frame.y(frame.span[0]) + 6:
            return NOBODY
        place = frame.place_at(position.x())
        if not 0 <= place <= places.n_axes - 1:
            return NOBODY
        left = min(int(place), places.n_axes - 2)
        height, reach = frame.height_at(position.y()), REACH / frame.height
        return nearest_line(places, left, self.scene.views, place - left, height, reach, self.lit)

    def place_of(self, record: int) -> QRectF:
        return QRectF(self._at.x() - 8, self._at.y() - 8, 16, 16)

    # ---- keyboard --------------------------------------------------------------------------------------------------

    def press_key(self, event: QKeyEvent) -> bool:
        """Left and Right choose an axis, with Ctrl they move it. Up and Down move a caret along it, with Shift they
        brush. Delete drops the brush, R reverses the axis, + and - zoom it, F shows all, T shows the table. Escape
        clears the selection.
        """
        key, text = Qt.Key(event.key()), event.text()
        axis = self.focus_axis
        if not self.scene.views:
            return False
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(1 if key is Qt.Key.Key_Right else -1, event.modifiers())
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._move_caret(1 if key is Qt.Key.Key_Up else -1, event.modifiers())
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.set_brush(axis, None)
        elif key == Qt.Key.Key_Escape:
            self.forget_brushes()
            self.cleared.emit()
        elif text in ("r", "R"):
            self.turn(self.focus_axis)
        elif text in ("+", "="):
            self.zoom(self.focus_axis, ZOOM_STEP, 0.5 if self.caret is None else max(0.0, self.caret))
        elif text == "-":
            self.zoom(self.focus_axis, 1 / ZOOM_STEP)
        else:
            return super().press_key(event)
        return True

    def _step(self, by: int, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.move_axis(self.focus_axis, self.focus_axis + by)
        else:
            self.focus_axis = min(max(self.focus_axis + by, 0), len(self.scene.views) - 1)
            self.caret = self._anchor = None
            self.update()
            self.say_focus()

    def _stepped(self, axis: int, before: float | None, by: int) -> float:
        """The height of the caret after a step; it starts in the middle of an axis."""
        assert self.places is not None
        scale, view = self.places.scales[axis], self.scene.views[axis]
        step, first = CARET_STEP, 0.0
        if scale.is_banded:
            step = 1 / scale.n_bands / (view.high - view.low)
            first = step / 2
        n_steps = max(1, round((1.0 - 2 * first) / step))
        if before is None:
            position = n_steps // 2
        elif before < 0 and by > 0:
            position = 0
        else:
            position = round((before - first) / step) + by
            if position < 0 and self.places.n_missing[axis]:
                return MISSING
        return first + min(max(position, 0), n_steps) * step

    def _move_caret(self, by: int, modifiers: Qt.KeyboardModifier) -> None:
        """Moves the caret by a step, or by a value on an axis of few values; with Shift, brushes from its old place."""
        assert self.places is not None
        axis, before = self.focus_axis, self.caret
        self.caret = self._stepped(axis, before, by)
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            if self._anchor is None:
                self._anchor = self.caret if before is None else before
            self.set_brush(axis, self._brush_to(axis, self._anchor, self.caret))
        else:
            self._anchor = None
        self.update()
        self.say_focus()
