"""The viewer of records as points: picture, table twin, and what a record is in words."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from algorithms.data.columns import FloatArray, IntArray
from workbench.jobs.jobs import Jobs
from workbench.layout.density import shown_points
from workbench.layout.points import Mask, Points, joined, sizes_of
from workbench.session.selection import How
from workbench.style.theme import themes
from workbench.viewers.charts.class_picker import ClassLegend
from workbench.viewers.charts.export import Export
from workbench.viewers.scatter.records_picture import RecordsPicture, Taken
from workbench.viewers.scatter.scatter_canvas import ScatterCanvas
from workbench.viewers.scatter.scatter_layer import LayerMaker
from workbench.viewers.scatter.scatter_scene import NOBODY, Backdrop, Layer
from workbench.viewers.scatter.scatter_table import Sheet
from workbench.viewers.scatter.scatter_tools import ShapeFinder
from workbench.widgets.labels import ElidedLabel

MOST_IN_CARD: Final = 6
LEAST_LEGEND: Final = 160
"""Pixels that what is told of the marks leaves to the classes."""
REST_MS: Final = 250
"""The mouse rests where it stays so long."""
BY: Final = "the scatter plot"


class _Taken(Taken):
    """What can be taken away of a scatter plot."""

    name, title = "scatter", "Scatter plot"


class ScatterView(RecordsPicture):
    """Points to look at and to select in; what they are comes from outside.

    ``selected(rows, how, by)`` with rows of the data, and in words by what they were chosen; ``cleared`` where nothing
    is to be selected.
    """

    selected = Signal(object, object, str)
    place_meant = Signal(float, float)
    """The mouse rests on the tinted plane where no record is, at this place in units of the axes: see :meth:`tell`."""
    place_left = Signal()
    """It has gone on from there."""
    view_changed = Signal()
    """Another part of the plane is in view, or its points have been drawn."""

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        canvas = ScatterCanvas()
        super().__init__(canvas, "visualize.scatter", "The records of the scatter plot as a table", parent)
        self.canvas = canvas
        self._maker = LayerMaker(jobs, self)
        self._links: tuple[int, IntArray, tuple[float, ...]] | None = None
        self._weights: FloatArray | None = None
        self._legend = ClassLegend(least=LEAST_LEGEND)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._stack, 1)
        self.remark = ElidedLabel("", "facts")
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self._legend, 1)
        below.addWidget(self.remark)
        self.remark.setAlignment(Qt.AlignmentFlag.AlignRight)
        column.addLayout(below)
        self.taken = _Taken(self)
        self.export = Export(self.taken, jobs, self)
        self._maker.made.connect(self._layer_made)
        self.canvas.moved.connect(self._moved)
        self.canvas.selected.connect(self._points_meant)
        self._shapes = ShapeFinder(jobs, self)
        self._shapes.found.connect(self.selected)
        self.canvas.lassoed.connect(self._lassoed)
        self.canvas.region_meant.connect(self._region_meant)
        self.canvas.cleared.connect(self.cleared)
        self.canvas.hovered.connect(self._hovered)
        self.canvas.passed.connect(self._passed)
        self._place: QPointF | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._rested)
        self.canvas.focused.connect(self._focused)
        themes.follow(self._dress)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @property
    def picture(self) -> ScatterCanvas:
        return self.canvas

    @property
    def shown_rows(self) -> IntArray | None:
        return None if self.points is None else self.points.rows

    @property
    def points(self) -> Points | None:
        return self.canvas.scene.points

    def set_points(self, points: Points | None, sheet: Sheet | None, *, keep_view: bool = False) -> None:
        """Show these points; ``sheet`` says what their records are. Which of them are selected is told anew: what was
        selected of others says nothing of them."""
        self._maker.drop()
        self._mask = None
        self._leave_place()
        self.card.hide()
        self._sheet = sheet
        self._legend.set_classes(() if points is None or not points.n_classes or sheet is None else sheet.classes)
        self.canvas.set_points(points, keep_view=keep_view)
        self._choose()
        self._weigh()
        self._place_links()
        self._want()
        self._fill_table()

    def set_backdrops(self, backdrops: list[Backdrop]) -> None:
        """Tint the plane; of many classes the legend names first those whose ground is in view."""
        self.canvas.set_backdrops(backdrops)
        self._lead_with_grounds()

    def _lead_with_grounds(self) -> None:
        backdrops, seen = self.canvas.scene.backdrops, self.canvas.window_seen
        if not backdrops or self._sheet is None:
            self._legend.put_first(())
            return
        found = backdrops[0].codes_within(seen.left, seen.right, seen.low, seen.high)
        names, classes = backdrops[0].names, self._sheet.classes
        self._legend.put_first(tuple(sorted(classes.index(names[code]) for code in found if names[code] in classes)))

    def set_links(self, links: tuple[int, IntArray, tuple[float, ...]] | None) -> None:
        """Join a row of the data to others by lines, the stronger the larger their shares (at most 1)."""
        self._links = links
        self._place_links()

    def set_weights(self, weights: FloatArray | None) -> None:
        """Draw each row of the data (n,) as large as it weighs; all alike for None."""
        self._weights = weights
        self._weigh()
        self.canvas.update()

    def _weigh(self) -> None:
        points, weights = self.points, self._weights
        sizes = None
        if points is not None and weights is not None and (not len(points) or points.rows.max() < len(weights)):
            sizes = sizes_of(weights[points.rows])
        self.canvas.scene.sizes = sizes

    def _place_links(self) -> None:
        points, links = self.points, self._links
        self.canvas.set_links([] if points is None or links is None else joined(points, *links))

    def set_selection(self, mask: Mask | None) -> None:
        """Show which rows of the data (n,) are selected; None where none is."""
        if mask is None and self._mask is None:
            return
        self._mask = mask
        self._choose()
        self._want()
        if not self.table.hasFocus():
            self._fill_table()

    @property
    def is_drawn(self) -> bool:
        """Whether what is to be seen has been drawn."""
        return not self._maker.is_busy and self.canvas.scene.layer is not None

    def n_shown(self) -> int | None:
        """How many points are drawn one by one; None where density is shown."""
        layer = self.canvas.scene.layer
        return None if layer is None or layer.shown is None else len(layer.shown)

    @property
    def n_selected(self) -> int | None:
        """How many of the points are selected; None where no record is, of these or others."""
        chosen = self.canvas.scene.chosen
        return None if chosen is None else int(np.count_nonzero(chosen))

    @property
    def n_selected_in_view(self) -> int:
        """How many of the selected points lie in the part of the plane that is seen."""
        points, chosen, seen = self.points, self.canvas.scene.chosen, self.canvas.window_seen
        if points is None or chosen is None:
            return 0
        inside = (points.x >= seen.left) & (points.x <= seen.right) & (points.y >= seen.low) & (points.y <= seen.high)
        return int(np.count_nonzero(inside & chosen))

    def _choose(self) -> None:
        points, mask = self.points, self._mask
        self.canvas.scene.chosen = None if points is None or mask is None else mask[points.rows]

    def _want(self) -> None:
        if self.points is not None and self.canvas.area.width() > 1:
            self._maker.want(self.points, self.canvas.window_seen, self.canvas.scene.chosen)

    def _moved(self) -> None:
        layer, window = self.canvas.scene.layer, self.canvas.window_seen
        is_good = layer is not None and layer.window.covers(window)
        if layer is not None and layer.picture is not None:
            is_good = is_good and layer.window.has_scale_of(window)
        self._leave_place()
        self.card.hide()
        if not is_good:
            self._want()
        self._lead_with_grounds()
        self.view_changed.emit()

    def _layer_made(self, layer: Layer) -> None:
        self.canvas.set_layer(layer)
        self.view_changed.emit()

    def _dress(self) -> None:
        self.card.hide()
        self._want()

    # ---- records ---------------------------------------------------------------------------------------------------

    def _points_meant(self, found: IntArray, how: object) -> None:
        if self.points is not None:
            self.selected.emit(self.points.rows[found], how, BY)

    def _lassoed(self, line: FloatArray, how: How) -> None:
        if self.points is not None:
            self._shapes.lasso(self.points, line, how)

    def _region_meant(self, x: float, y: float, how: How) -> None:
        """The regions of the whole plane, whatever part of it is in view."""
        backdrops = self.canvas.scene.backdrops
        if self.points is not None and backdrops:
            self._shapes.region(self.points, backdrops[0], x, y, how)

    def _hovered(self, point: int, _at: QPointF) -> None:
        self._leave_place()
        self._point_at(point)

    # ---- places of the plane ---------------------------------------------------------------------------------------

    def _passed(self, at: QPointF) -> None:
        """The mouse is somewhere without a record: what is decided there is told once it rests."""
        self._leave_place()
        if self.canvas.scene.backdrops and self.canvas.area.contains(at):
            self._place = at
            self._rest.start()

    def _leave_place(self) -> None:
        if self._place is not None:
            self.card.hide()
            self.place_left.emit()
        self._place = None
        self._rest.stop()

    def _rested(self) -> None:
        if self._place is not None:
            area = self.canvas.area
            at = self._place.x() - area.x(), self._place.y() - area.y()
            self.place_meant.emit(*self.canvas.window_seen.to_unit(*at))

    def tell(self, html: str) -> None:
        """Say beside the place where the mouse rests what is decided there; nothing where it has moved on."""
        if self._place is not None:
            self.card.show_text(html, QRectF(self._place.x() - 4, self._place.y() - 4, 8, 8))

    def _focused(self, point: int) -> None:
        if point == NOBODY:
            return
        self.canvas.setAccessibleDescription(self.record_words(point))
        QAccessible.updateAccessibility(QAccessibleEvent(self.canvas, QAccessible.Event.DescriptionChanged))
        self._show_card()

    def _show_card(self) -> None:
        scene, seen, area = self.canvas.scene, self.canvas.window_seen, self.canvas.area
        point = scene.hover if scene.hover != NOBODY else scene.focus
        if scene.points is None or point == NOBODY:
            return
        px, py = seen.to_pixel(float(scene.points.x[point]), float(scene.points.y[point]))
        self._put_card(point, MOST_IN_CARD, QRectF(area.x() + px - 6, area.y() + py - 6, 12, 12))

    # ---- the table -------------------------------------------------------------------------------------------------

    def table_rows(self) -> IntArray:
        """The rows of the data that the table shows: the selected ones, else those in view, ascending."""
        points = self.points
        if points is None:
            return np.empty(0, dtype=np.int64)
        if self.canvas.scene.chosen is not None:
            return np.sort(points.rows[self.canvas.scene.chosen])
        return np.sort(points.rows[shown_points(points, self.canvas.window_seen, most=len(points))])

    def _rows_chosen(self, rows: IntArray) -> None:
        """What a person selects in the table is selected everywhere."""
        self.selected.emit(rows, How.REPLACE, "the table of the scatter plot")
