"""The canvas of a tree: zoom, pan, folding and choosing by mouse and keys, with an overview map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.structures.tree import NO_NODE
from workbench.jobs.ui_scheduling import single_shot
from workbench.layout.camera import FIT_LIMIT, MARGIN, OVERVIEW_MARGIN, Camera, Overview
from workbench.session.selection import how_by_keys
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import current_theme, themes
from workbench.viewers.tree.split_histograms import SplitHistogram
from workbench.viewers.tree.tree_drawing import (
    FULL_FROM,
    HANDLE,
    NAMES_FROM,
    READABLE_SCALE,
    Boxes,
    Marks,
    TreeDrawing,
    View,
)
from workbench.viewers.tree.tree_paint import DistantTreePainter, TreePainter
from workbench.viewers.tree.tree_words import HighlightedPath
from workbench.widgets.keyboard_focus import DIRECTIONS
from workbench.widgets.layouts import named
from workbench.widgets.painting import pen_and_brush, saved

SIZE: Final = (190, 96)
FEWEST_NODES: Final = 40
"""A tree with fewer shown nodes has no overview."""
MOST_BOXES: Final = 1500
LARGEST_PART: Final = 0.3
"""Largest share of the picture's width or height that the overview covers."""


class TreeOverview(QWidget):
    """The overview of a canvas; a click or a drag moves the canvas there."""

    def __init__(self, canvas: TreeCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._picture: QPixmap | None = None
        self._pictured: TreeDrawing | None = None
        named(self, "visualize.overview", "Overview of the whole tree")
        self.setAccessibleDescription("The frame is the part in view. With Shift the arrow keys move it.")
        self.setToolTip("The whole tree: click or drag to move what is in view (Shift with the arrow keys)")
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.hide()

    def follow(self) -> None:
        """Frames what the canvas shows; hides if all is visible."""
        drawing = self._canvas.drawing
        is_large = drawing is not None and len(drawing.shown) >= FEWEST_NODES
        if drawing is None or not is_large or not self._map(drawing).is_needed(self._canvas.camera):
            self.hide()
            return
        size = self._size()
        left, top = self._canvas.width() - size.width() - 8, self._canvas.height() - size.height() - 8
        self.setGeometry(left, top, size.width(), size.height())
        self.show()
        self.update()

    def _size(self) -> QSize:
        widest, highest = LARGEST_PART * self._canvas.width(), LARGEST_PART * self._canvas.height()
        return QSize(round(min(themes.px(SIZE[0]), widest)), round(min(themes.px(SIZE[1]), highest)))

    def _map(self, drawing: TreeDrawing) -> Overview:
        size = self._size()
        return Overview(drawing.width, drawing.height, size.width(), size.height())

    def dress(self) -> None:
        self._picture = None
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        drawing = self._canvas.drawing
        if drawing is None:
            return
        if self._picture is None or self._pictured is not drawing or self._picture_size() != self._picture.size():
            self._picture, self._pictured = self._made_picture(drawing), drawing
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._picture)
            left, top, right, bottom = self._map(drawing).seen(self._canvas.camera)
            fill = current_theme().color("accent")
            fill.setAlpha(40)
            pen_and_brush(painter, QPen(current_theme().color("accent"), 1.5), fill)
            painter.drawRect(QRectF(left, top, max(4.0, right - left), max(4.0, bottom - top)))

    def _picture_size(self) -> QSize:
        return self.size() * self.devicePixelRatioF()

    def _made_picture(self, drawing: TreeDrawing) -> QPixmap:
        theme, ratio = current_theme(), self.devicePixelRatioF()
        picture = QPixmap(self._picture_size())
        picture.setDevicePixelRatio(ratio)
        picture.fill(theme.color("pane"))
        with QPainter(picture) as painter:
            scales, edge = self._map(drawing), OVERVIEW_MARGIN
            view = View(scales.scale_x, scales.scale_y, edge, edge, self.width(), self.height())
            boxes = Boxes(drawing, view, most=MOST_BOXES)
            look = StructureColors(theme.only(self._canvas.colored))
            DistantTreePainter(drawing, look).paint(painter, view, boxes, Marks())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            pen_and_brush(painter, theme.color("line"))
            painter.drawRect(0, 0, self.width() - 1, self.height() - 1)
        return picture

    # ---- mouse -------------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        event.accept()

    def _go(self, event: QMouseEvent) -> None:
        drawing = self._canvas.drawing
        if drawing is not None:
            x, y = self._map(drawing).to_drawing(event.position().x(), event.position().y())
            self._canvas.look_at(x, y)
        event.accept()


class TreeItem(QGraphicsObject):
    """The one graphics item that paints the visible part of a tree."""

    def __init__(self) -> None:
        super().__init__()
        self.painter: TreePainter | None = None
        self.marks = Marks()

    def set_painter(self, painter: TreePainter | None) -> None:
        self.prepareGeometryChange()
        self.painter = painter
        self.update()

    def boundingRect(self) -> QRectF:
        if self.painter is None:
            return QRectF()
        drawing = self.painter.drawing
        return QRectF(-1e3, -1e3, drawing.width + 2e3, drawing.height + 2e3)

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if self.painter is None or widget is None:
            return
        transform = painter.transform()
        view = View(transform.m11(), transform.m22(), transform.dx(), transform.dy(), widget.width(), widget.height())
        with saved(painter):
            painter.resetTransform()
            self.painter.paint(painter, view, self.marks)


AGAIN_MS: Final = 150
NEARLY: Final = 0.97
"""A tree that misses this little room at its least readable scale loses only margins."""
REDONE: Final = 0.12
"""Relative change of the view's size from which another depth may fit."""


class ResizeWatcher(QObject):
    """Calls ``again`` after resizing rests, if the size in units of the text differs much from the last planned one."""

    def __init__(self, size: Callable[[], QSize], again: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._size, self._again = size, again
        self._planned, self._scale = QSize(), 1.0
        self._timer = single_shot(self, AGAIN_MS, self._rested)

    def plan(self) -> QSize:
        """The current size, remembered as the planned one."""
        self._planned, self._scale = self._size(), themes.scale
        return self._planned

    def begin(self) -> None:
        self._timer.start()

    def _rested(self) -> None:
        before, now = self._planned / self._scale, self._size() / themes.scale
        sides = ((now.width(), before.width()), (now.height(), before.height()))
        if any(abs(is_now - was) > REDONE * was for is_now, was in sides):
            self._again()


def close_scale(camera: Camera) -> float:
    """The scale (1 is that of other text) from which nodes are readable, or at which the whole fits."""
    whole = camera.fitting_scale / themes.scale
    return READABLE_SCALE if whole < NEARLY * FULL_FROM else min(READABLE_SCALE, max(FULL_FROM, whole))


def camera_after_resize(before: Camera, resized: Camera, drawing: TreeDrawing | None, focus: int) -> Camera:
    """The camera after a resize: the focused node, or the root, stays, unless the whole fits larger."""
    if resized.scale < min(resized.fitting_scale, themes.scale):
        return resized.fitted()
    camera = resized.covered()
    if drawing is None:
        return camera
    nodes = [node for node in (focus, 0) if node != NO_NODE and drawing.layout.depth[node] >= 0]
    kept = next((box for box in map(drawing.box, nodes) if before.sees(*box)), None)
    return camera if kept is None else camera.showing(*kept, margin=2 * HANDLE)


ZOOM_STEP = 1.25
PAN_STEP = 80.0
CLICK_SLACK = 4.0

_FOLDS = {"+": True, "=": True, "-": False}


class TreeCanvas(pg.GraphicsView):
    """The canvas of a tree: zoom, pan, focus and folding.

    ``toggled(node)`` asks to fold or unfold a node, ``chosen(node, how)`` to select its records. ``focused(node)`` and
    ``hovered(node, point)`` carry the node (-1: none) and the point in pixels. ``scale_changed(scale)`` carries the
    scale.
    """

    toggled = Signal(int)
    chosen = Signal(int, object)
    focused = Signal(int)
    hovered = Signal(int, QPointF)
    scale_changed = Signal(float)
    resized = Signal()
    table_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        named(self, "visualize.tree", "Decision tree")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setFrameShape(self.Shape.NoFrame)
        self._box: Any = pg.ViewBox(invertY=True, enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self._box.disableAutoRange()
        self.setCentralItem(self._box)
        self.item = TreeItem()
        self._box.addItem(self.item, ignoreBounds=True)
        self.camera = Camera(1.0, 1.0, 1.0, 1.0)
        self._way = (NO_NODE, self.camera)  # end of the path in view, and the camera that shows it
        self.is_fitted = True
        self._unfitted: Camera | None = None  # the camera before the tree was fitted for lack of room
        self.drawing: TreeDrawing | None = None
        self._press: QPointF | None = None
        self._panned_from: Camera | None = None
        self.overview = TreeOverview(self)
        self.colored: frozenset[int] | None = None
        themes.follow_now(self.dress)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def set_drawing(self, drawing: TreeDrawing | None, *, keep: int = NO_NODE) -> None:
        """Shows another drawing; the node ``keep`` stays at its place on the screen, else the drawing is fitted."""
        anchor, before = None, self.drawing
        if before is not None and drawing is not None and keep != NO_NODE and before.layout.depth[keep] >= 0:
            anchor = self.camera.to_view(float(before.layout.x[keep]), float(before.top[keep]))
        self.drawing = drawing
        self.item.marks = replace(self.item.marks, hover=NO_NODE)
        self.item.set_painter(None if drawing is None else TreePainter(drawing, self._look, self._font))
        if drawing is None:
            self.overview.follow()
            return
        self.camera = replace(self.camera.over(drawing.width, drawing.height), fit_limit=FIT_LIMIT * themes.scale)
        if anchor is None or self.is_fitted:
            self.fit()
        else:
            moved = self.camera.to_view(float(drawing.layout.x[keep]), float(drawing.top[keep]))
            self._look_through(self.camera.panned(moved[0] - anchor[0], moved[1] - anchor[1]))

    def color_only(self, colored: frozenset[int] | None) -> None:
        """Shows only these classes in their colours; None for all."""
        if colored != self.colored:
            self.colored = colored
            self.dress()
            self.item.update()

    def dress(self) -> None:
        self._look = StructureColors(current_theme().only(self.colored))
        self._font: QFont = themes.font()
        self.setBackground(current_theme().pane)
        self.overview.dress()
        if self.drawing is not None:
            self.item.set_painter(TreePainter(self.drawing, self._look, self._font))

    def set_lit(self, path: HighlightedPath) -> None:
        """Highlights the path of a record, with its answers at the branches."""
        self.item.marks.lit, self.item.marks.answers = frozenset(path.nodes), path.labels
        self.item.update()

    def set_matches(self, matches: Mask | None, below: IntArray | None) -> None:
        """Highlights matching nodes (m,); ``below`` (m,) counts the matches under each node."""
        self.item.marks.matches, self.item.marks.matches_below = matches, below
        self.item.update()

    def set_selected(self, weights: FloatArray | None) -> None:
        """Shows the weight (m,) of selected records in each node."""
        if weights is not None or self.item.marks.selected is not None:
            self.item.marks.selected = weights
            self.item.update()

    def set_by_hand(self, nodes: frozenset[int]) -> None:
        if nodes != self.item.marks.by_hand:
            self.item.marks.by_hand = nodes
            self.item.update()

    def set_histograms(self, histograms: Mapping[int, SplitHistogram]) -> None:
        """Shows the classes over the split attribute in these nodes."""
        self.item.marks.histograms = histograms
        self.item.update()

    def set_badges(self, badges: Mapping[int, str], notes: Mapping[int, str]) -> None:
        """Shows short texts at the corner of some nodes, with a sentence on their cards."""
        self.item.marks.badges, self.item.marks.notes = badges, notes
        self.item.update()

    def set_focus_node(self, node: int, *, visible: bool = True) -> None:
        """Focuses a node and brings it into view; a fitted tree stays fitted."""
        marks = self.item.marks
        marks.focus, marks.focus_is_visible = node, visible
        is_shown = self.drawing is not None and node != NO_NODE and self.drawing.layout.depth[node] >= 0
        if self.drawing is not None and is_shown and not self.is_fitted:
            moved = self.camera.showing(*self.drawing.box(node))
            if moved != self.camera:
                self._look_through(moved)
        self.item.update()
        self.focused.emit(node)

    @property
    def focus_node(self) -> int:
        return self.item.marks.focus

    # ---- the camera ------------------------------------------------------------------------------------------------

    def fit(self) -> None:
        self._look_through(self.camera.fitted())
        self.is_fitted, self._unfitted = True, None

    def zoom(self, factor: float, point: QPointF | None = None) -> None:
        anchor = (None, None) if point is None else (point.x(), point.y())
        self._look_through(self.camera.scaled(self.camera.scale * factor, *anchor))

    def zoom_to(self, scale: float) -> None:
        """Zooms to a scale (1 is 100%) around the focused node, or the middle of the view."""
        node, camera = self.focus_node, self.camera
        if self.drawing is not None and node != NO_NODE and self.drawing.layout.depth[node] >= 0:
            camera = replace(camera, x=float(self.drawing.layout.x[node]), y=float(self.drawing.top[node]))
        elif self.drawing is not None and self.is_fitted:
            self.look_down_from_root(scale)
            return
        self._look_through(camera.scaled(scale * themes.scale))

    def look_down_from_root(self, scale: float) -> None:
        """Shows the root near the upper edge, at this scale."""
        if self.drawing is not None:
            below_top = (self.camera.view_height / 2 - MARGIN) / (scale * themes.scale)
            centred = replace(self.camera, x=float(self.drawing.layout.x[0]), y=below_top)
            self._look_through(centred.scaled(scale * themes.scale))

    def look_up_from(self, node: int, scale: float) -> None:
        """Shows a node near the lower edge, at this scale."""
        if self.drawing is not None and self.drawing.layout.depth[node] >= 0:
            centred = replace(self.camera, x=float(self.drawing.layout.x[node]), y=float(self.drawing.top[node]))
            looking = centred.scaled(scale * themes.scale).panned(0.0, -0.3 * self.height())
            self._look_through(looking.covered().showing(*self.drawing.box(node), margin=2 * HANDLE))

    def look_down_from(self, node: int, scale: float) -> None:
        """Shows a node with its surroundings and what lies below, at this scale."""
        if self.drawing is not None and self.drawing.layout.depth[node] >= 0:
            below = self.drawing.box(node)[3]
            centred = replace(self.camera, x=float(self.drawing.layout.x[node]), y=below)
            looking = centred.scaled(scale * themes.scale).covered()
            self._look_through(looking.showing(*self.drawing.box(node), margin=2 * HANDLE))

    def look_closely_at(self, node: int) -> None:
        """Focuses a node at a readable scale, with the whole tree in view if it fits; -1 shows the root."""
        self.set_focus_node(node)
        scale = close_scale(self.camera)
        if self.camera.scale < scale * themes.scale:
            self.look_up_from(max(0, node), scale)

    def look_along(self, end: int) -> None:
        """Shows the path from the root to a node: whole if readable, else its end, until the view moves."""
        self.set_focus_node(end)
        self._show_way_to(end)

    def _show_way_to(self, end: int) -> None:
        if self.camera.scale < FULL_FROM * themes.scale:
            self.look_up_from(end, READABLE_SCALE)
        self._way = (end, self.camera)

    def look_at(self, x: float, y: float) -> None:
        """Centres a point of the drawing at the same scale."""
        self._look_through(replace(self.camera, x=x, y=y).kept_near())

    def _look_through(self, camera: Camera) -> None:
        was, self.camera, self.is_fitted = self.camera.scale, camera, False
        width, height = camera.view_width / camera.scale, camera.view_height / camera.scale_y
        rect = QRectF(camera.x - width / 2, camera.y - height / 2, width, height)
        self._box.setRange(rect, padding=0, disableAutoRange=True)
        self.overview.follow()
        if camera.scale != was:
            self.scale_changed.emit(camera.scale / themes.scale)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if not hasattr(self, "overview"):
            return  # pyqtgraph resizes in its constructor
        before, unfitted, (end, seen) = self.camera, self._unfitted, self._way
        is_on_way, size = end != NO_NODE and seen is before, (self.width(), self.height())
        self.camera = before.resized(*size)
        if self.is_fitted and unfitted is not None and self.camera.fitting_scale < READABLE_SCALE * themes.scale:
            self._look_through(camera_after_resize(unfitted, unfitted.resized(*size), self.drawing, self.focus_node))
        elif self.is_fitted or is_on_way:
            self.fit()
            self._unfitted = unfitted
            if is_on_way:
                self._show_way_to(end)
        else:
            self._look_through(camera_after_resize(before, self.camera, self.drawing, self.focus_node))
            self.is_fitted = self.camera == self.camera.fitted()
            self._unfitted = before
        self.resized.emit()

    # ---- mouse -----------------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms around the mouse; with Shift or a sideways wheel, pans."""
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(turned.x()) > abs(turned.y()):
            self._look_through(self.camera.panned(-(turned.x() or turned.y()), 0))
        elif turned.y():
            self.zoom(ZOOM_STEP ** (turned.y() / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press, self._panned_from = event.position(), self.camera
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._press is not None and self._panned_from is not None:
            gone = position - self._press
            if gone.manhattanLength() > CLICK_SLACK:
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self._hover(NO_NODE, position)
                self._look_through(self._panned_from.panned(-gone.x(), -gone.y()))
        else:
            node, on_handle = self._node_at(position)
            self.setCursor(Qt.CursorShape.PointingHandCursor if on_handle else Qt.CursorShape.ArrowCursor)
            self._hover(node, position)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._press, self._panned_from = self._press, None, None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        if pressed is not None and (event.position() - pressed).manhattanLength() <= CLICK_SLACK:
            node, on_handle = self._node_at(event.position())
            if node != NO_NODE:
                self.set_focus_node(node)
                if on_handle:
                    self.toggled.emit(node)
                elif event.button() is Qt.MouseButton.LeftButton:
                    self.chosen.emit(node, how_by_keys(event.modifiers()))
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Shows the node closely; beside the nodes, fits the tree."""
        node, on_handle = self._node_at(event.position())
        if on_handle:
            self.toggled.emit(node)
        elif node != NO_NODE:
            self.set_focus_node(node)
            self.zoom_to(max(1.0, self.camera.scale / themes.scale))
        else:
            self.fit()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(NO_NODE, QPointF())
        super().leaveEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        event.accept()

    def _hover(self, node: int, position: QPointF) -> None:
        if node != self.item.marks.hover:
            self.item.marks.hover = node
            self.item.update()
        self.hovered.emit(node, position)

    def _node_at(self, point: QPointF) -> tuple[int, bool]:
        drawing, camera = self.drawing, self.camera
        if drawing is None:
            return NO_NODE, False
        x, y = camera.to_drawing(point.x(), point.y())
        slack = max(0.0, 2 / camera.scale) if camera.scale < NAMES_FROM else 0.0
        node = drawing.node_at(x, y, slack_x=slack, slack_y=2 * (HANDLE + 1) * camera.scale / camera.scale_y)
        if node == NO_NODE or camera.scale < NAMES_FROM or not drawing.tree.n_children[node]:
            return node, False
        middle_x, top = camera.to_view(float(drawing.layout.x[node]), float(drawing.top[node]))
        reach = HANDLE * camera.scale + 2
        wide = reach * (2.4 if drawing.hidden[node] else 1.0)
        bottom = top + (float(drawing.plan.heights[node]) + HANDLE) * camera.scale
        return node, abs(point.x() - middle_x) <= wide and abs(point.y() - bottom) <= reach

    # ---- keyboard --------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the focus, with Shift or Ctrl they pan. + unfolds, - folds, Enter does either. Page Up and Down
        zoom.
        """
        event.setAccepted(self.drawing is not None and self._key(event))

    def _key(self, event: QKeyEvent) -> bool:
        key, text = Qt.Key(event.key()), event.text()
        if key in DIRECTIONS:
            right, down = DIRECTIONS[key]
            if event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier):
                self._look_through(self.camera.panned(right * PAN_STEP, down * PAN_STEP))
            else:
                self._walk(down, right)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggled.emit(max(0, self.focus_node))
        elif key == Qt.Key.Key_Home:
            self.set_focus_node(0)
        elif key == Qt.Key.Key_End and self.item.marks.lit and self.drawing is not None:
            self.set_focus_node(max(self.item.marks.lit, key=self.drawing.layout.depth.__getitem__))
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.zoom(ZOOM_STEP if key == Qt.Key.Key_PageUp else 1 / ZOOM_STEP)
        elif text in _FOLDS:
            self._fold(_FOLDS[text])
        elif text in ("f", "F", "0"):
            self.fit()
        elif text == "1":
            self.zoom_to(1.0)
        elif text in ("t", "T"):
            self.table_wanted.emit()
        elif key == Qt.Key.Key_S:
            self.chosen.emit(max(0, self.focus_node), how_by_keys(event.modifiers()))
        else:
            return False
        return True

    def _fold(self, is_open_wanted: bool) -> None:
        node = max(0, self.focus_node)
        drawing = self.drawing
        if drawing is not None and drawing.tree.n_children[node] and drawing.is_open(node) != is_open_wanted:
            self.toggled.emit(node)

    def _walk(self, down: int, right: int) -> None:
        node, drawing = self.focus_node, self.drawing
        if drawing is not None:
            is_shown = node != NO_NODE and drawing.layout.depth[node] >= 0
            self.set_focus_node(drawing.neighbour(node, down, right) if is_shown else 0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        reasons = Qt.FocusReason
        by_others = reasons.MouseFocusReason, reasons.ActiveWindowFocusReason, reasons.PopupFocusReason
        if event.reason() not in by_others and self.drawing is not None:
            is_by_keys = event.reason() is not reasons.OtherFocusReason  # else the program moved it: no card comes
            self.set_focus_node(max(0, self.focus_node), visible=is_by_keys)
            self.item.marks.focus_is_visible = True
            self.item.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.item.marks.focus_is_visible = False
        self.item.update()
        self._hover(NO_NODE, QPointF())
