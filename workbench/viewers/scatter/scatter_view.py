"""The viewer of records as points, its table, and the base of all pictures of records."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Final, Protocol

import numpy as np
from PySide6.QtCore import QEvent, QItemSelection, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QPainter,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStackedWidget, QTableView, QWidget

from algorithms.core.errors import DataError
from algorithms.core.files import CsvWriter
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.evaluation.tested_records import RecordPredictions
from algorithms.text.numbers import fixed, with_minus
from workbench.jobs.jobs import Jobs
from workbench.jobs.ui_scheduling import single_shot
from workbench.layout.density import MOST_POINTS, shown_points
from workbench.layout.points import Checkpoint, ScatterPoints, inside_lasso, links_between, sizes_of
from workbench.session.selection import SelectionMode
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import FloatingCard
from workbench.viewers.charts.export import Drawing, Export, Exported, Table
from workbench.viewers.charts.legend import ClassPicker
from workbench.viewers.scatter.rendering import (
    DensityKey,
    LayerRequest,
    ProgressiveRenderer,
    TintKey,
    layer_of,
)
from workbench.viewers.scatter.scatter_canvas import ScatterCanvas
from workbench.viewers.scatter.scatter_paint import NOBODY, Backdrop, Layer
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import CellsModel, set_row_height


class RecordTable(QTableView):
    """The records of a sheet as a table; ``chosen(rows)`` carries the rows of the data selected in it."""

    chosen = Signal(object)
    fitted = Signal()

    def __init__(self, name: str, says: str) -> None:
        super().__init__()
        self._records = ScatterTable()
        self._refit = single_shot(self, 0, self.fit_columns)
        named(self, name, says)
        self.setModel(self._records)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        set_row_height(self, themes.px(28))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setResizeContentsPrecision(40)
        self.selectionModel().selectionChanged.connect(self._rows_chosen)

    def show_records(self, sheet: ScatterTableData | None, rows: IntArray) -> None:
        self._records.show_rows(sheet, rows)
        self.fit_columns()

    def fit_columns(self) -> None:
        """Gives each column the width of its content."""
        self.resizeColumnsToContents()
        for column in range(self._records.columnCount()):
            self.setColumnWidth(column, min(self.columnWidth(column) + 16, themes.px(260)))
        self.fitted.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._refit.start()

    def _rows_chosen(self, _on: QItemSelection, _off: QItemSelection) -> None:
        if self.hasFocus():
            parts = [np.arange(part.top(), part.bottom() + 1) for part in self.selectionModel().selection().toList()]
            if parts:
                self.chosen.emit(self._records.rows_at(np.unique(np.concatenate(parts))))


MISSING: Final = "·"
_BLOCK: Final = 4096
_SEEN: Final = 128
"""Rows whose texts are made at once, because the view asks cell by cell."""


@dataclass(frozen=True, eq=False)
class ScatterTableData:
    """The source of the cells: columns by position in the schema, and predictions if there are any."""

    data: Dataset
    columns: tuple[int, ...]
    judged: RecordPredictions | None
    classes: tuple[str, ...]
    decimals: Mapping[int, int] = field(default_factory=dict)
    """How many decimals the numbers of a column have, by position in the schema; of others as many as they need."""

    def names(self) -> tuple[str, ...]:
        attributes = tuple(self.data.schema.attributes[index].name for index in self.columns)
        return ("Record", *attributes, *(("Predicted", "Correct") if self.judged is not None else ()))

    def row(self, row: int) -> list[str]:
        return self.texts(np.array([row]))[0]

    def told(self, row: int) -> tuple[str, list[tuple[str, str]]]:
        """A record in words: a heading with number, class and prediction, and its other values by name."""
        cells, names, schema = self.row(row), self.names(), self.data.schema
        heading = f"Record {cells[0]}"
        shown = []
        for column, index in enumerate(self.columns, start=1):
            if index == schema.class_index and self.classes:
                heading += f" is {cells[column]}" if cells[column] != MISSING else ""
            else:
                shown.append((names[column], cells[column]))
        if self.judged is not None and cells[-1]:
            heading += f", predicted {cells[-2]}: {cells[-1]}"
        return heading, shown

    def csv(self, rows: IntArray, delimiter: str) -> str:
        written = io.StringIO()
        table = CsvWriter(written, delimiter)
        table.writerow(self.names())
        for start in range(0, len(rows), _BLOCK):
            table.writerows(self.texts(rows[start : start + _BLOCK], missing=""))
        return written.getvalue()

    def texts(self, rows: IntArray, missing: str = MISSING) -> list[list[str]]:
        """The cells of some records, row by row."""
        columns = [[str(id + 1) for id in self.data.row_ids[rows].tolist()]]
        for index in self.columns:
            cells = self.data.cells(index, rows)
            texts = cell_texts(self.data.schema.attributes[index], cells)
            if index in self.decimals:
                own = self.decimals[index]
                texts = [None if cell != cell else with_minus(fixed(cell, own)) for cell in cells.tolist()]
            columns.append([missing if text is None else text for text in texts])
        if self.judged is not None:
            decided, wrong = self.judged.decision[rows].tolist(), self.judged.wrong[rows].tolist()
            columns.append([self.classes[code] if code >= 0 else "" for code in decided])
            verdicts = zip(decided, wrong, strict=True)
            columns.append(["" if code < 0 else "no" if is_wrong else "yes" for code, is_wrong in verdicts])
        return [list(cells) for cells in zip(*columns, strict=True)]


class ScatterTable(CellsModel):
    """The model of a table of records; it makes texts for visible rows only."""

    def __init__(self) -> None:
        super().__init__()
        self._sheet: ScatterTableData | None = None
        self._names: tuple[str, ...] = ()
        self._rows: IntArray = np.empty(0, dtype=np.int64)
        self._seen: tuple[int, list[list[str]]] = (-1, [])

    def show_rows(self, sheet: ScatterTableData | None, rows: IntArray) -> None:
        self.beginResetModel()
        self._sheet, self._rows, self._seen = sheet, rows, (-1, [])
        self._names = () if sheet is None else sheet.names()
        self.endResetModel()

    def rows_at(self, places: IntArray) -> IntArray:
        """The rows of the data at these rows of the table."""
        return self._rows[places]

    def size(self) -> tuple[int, int]:
        return len(self._rows), len(self._names)

    def heading(self, column: int) -> str:
        return self._names[column]

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Aligns numbers right, all else left."""
        is_number = column == 0
        if self._sheet is not None and 1 <= column <= len(self._sheet.columns):
            is_number = self._sheet.data.schema.attributes[self._sheet.columns[column - 1]].kind.is_float
        return MIDDLE_RIGHT if is_number else MIDDLE_LEFT

    def text(self, row: int, column: int) -> str:
        assert self._sheet is not None
        block, offset = divmod(row, _SEEN)
        if self._seen[0] != block:
            self._seen = (block, self._sheet.texts(self._rows[block * _SEEN : (block + 1) * _SEEN]))
        return self._seen[1][offset][column]


CARD_DELAY_MS: Final = 90
MOST_EXPORTED: Final = 200_000


class Canvas(Protocol):
    """A widget that paints its picture on any device."""

    def size(self) -> QSize: ...

    def paint_picture(self, painter: QPainter, *, vector: bool = False) -> None: ...


class ExportedRecords(Exported):
    def __init__(self, view: RecordsPicture, name: str, title: str) -> None:
        self._view, self.name, self.title = view, name, title

    def view(self) -> Drawing | None:
        canvas = self._view.picture
        return canvas.size(), canvas.paint_picture

    def drawing(self) -> Drawing | None:
        if self._view.shown_rows is None:
            return None
        canvas = self._view.picture
        return canvas.size(), lambda painter: canvas.paint_picture(painter, vector=True)

    def table(self) -> Table | None:
        return self._view.table_writer()


class RecordsPicture(ClearWidget):
    """The base of pictures of records, by their number in the picture; a :class:`ScatterTableData` has their values."""

    cleared = Signal()
    """Asks for an empty selection."""

    def __init__(self, canvas: QWidget, name: str, words: str, parent: QWidget | None = None) -> None:
        """Builds the parts; ``name`` begins their object names, ``words`` describe the table."""
        super().__init__(parent)
        self._sheet: ScatterTableData | None = None
        self._mask: Mask | None = None
        self._canvas = canvas
        self._stack = filled(QStackedWidget(self), canvas)
        self.card = FloatingCard(canvas, f"{name}-card")
        self._card_timer = single_shot(self, CARD_DELAY_MS, self._show_card)
        self.table = RecordTable(f"{name}-table", words)
        self.table.chosen.connect(self._rows_chosen)
        self._stack.addWidget(self.table)

    @property
    @abstractmethod
    def picture(self) -> Canvas:
        """The canvas that paints the records."""

    @property
    def records(self) -> Dataset | None:
        """The data of the shown records; None while others are being prepared."""
        return None if self.shown_rows is None or self._sheet is None else self._sheet.data

    @property
    @abstractmethod
    def shown_rows(self) -> IntArray | None:
        """The rows of the data (m,) by the records' numbers in the picture; None without a picture."""

    @abstractmethod
    def table_rows(self) -> IntArray:
        """The rows of the data in the table, ascending."""

    @abstractmethod
    def _rows_chosen(self, rows: IntArray) -> None:
        """Selects the points of these rows, which the user selected in the table beside the picture."""

    @abstractmethod
    def _show_card(self) -> None:
        """Shows the card of the hovered record."""

    # ---- a record in words -----------------------------------------------------------------------------------------

    def record_words(self, record: int) -> str:
        """A record in one sentence: number, class, prediction and values."""
        heading, values = self._record_text(record)
        return ", ".join([heading, *(f"{name} {value}" for name, value in values)])

    def _record_text(self, record: int) -> tuple[str, list[tuple[str, str]]]:
        rows, sheet = self.shown_rows, self._sheet
        if rows is None or sheet is None or record == NOBODY:
            return "", []
        return sheet.told(int(rows[record]))

    def _put_card(self, record: int, most: int, box: QRectF) -> None:
        """Shows the card of a record, with at most ``most`` values, beside a box of the picture."""
        heading, values = self._record_text(record)
        lines = "<br>".join(f"{escape(name)}: {escape(value)}" for name, value in values[:most])
        self.card.show_text(f'<p style="margin:0 0 4px 0"><b>{escape(heading)}</b><br>{lines}</p>', box)

    def _point_at(self, record: int) -> None:
        """Handles the record under the mouse; -1 for none."""
        self.card.hide()
        if record == NOBODY:
            self._card_timer.stop()
        else:
            self._card_timer.start()

    # ---- the table -------------------------------------------------------------------------------------------------

    def show_table(self, wanted: bool) -> None:
        shown = self.table if wanted else self._canvas
        self._stack.setCurrentWidget(shown)
        self._fill_table()
        shown.setFocus()

    def table_writer(self) -> Table | None:
        """The writer of the table's rows; raises :class:`DataError` for too many rows."""
        sheet, rows = self._sheet, self.table_rows()
        if sheet is None:
            return None
        if len(rows) > MOST_EXPORTED:
            raise DataError(
                f"{len(rows):,} records are too many for this table.", remedy="Select some of them, or zoom in first."
            )
        return lambda delimiter: sheet.csv(rows, delimiter)

    def _fill_table(self) -> None:
        if self._stack.currentWidget() is self.table:
            self.table.show_records(self._sheet, self.table_rows())


MOST_IN_CARD: Final = 6


LEAST_LEGEND: Final = 220
"""Pixels that the notes on marks leave to the legend of classes."""
REST_MS: Final = 250
"""Milliseconds after which the mouse rests."""
BY: Final = "the scatter plot"


class ScatterView(RecordsPicture):
    """The viewer of records as points; ``selected(rows, how, by)`` carries rows of the data."""

    selected = Signal(object, object, str)
    place_meant = Signal(float, float)
    """The mouse rests on a decision region without a record, at this place in units of the axes: see :meth:`tell`."""
    place_left = Signal()
    recolored = Signal()
    """Other classes have their colours."""
    view_changed = Signal()
    """Emitted when the visible range changes, or when its points are drawn."""

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        canvas = ScatterCanvas()
        super().__init__(canvas, "visualize.scatter", "The records of the scatter plot as a table", parent)
        self.canvas = canvas
        self.renderer = ProgressiveRenderer(jobs, self)
        self._jobs = jobs
        self._links: tuple[int, IntArray, tuple[float, ...]] | None = None
        self._weights: FloatArray | None = None
        self.legend = ClassPicker("visualize.scatter-legend", least=LEAST_LEGEND, groups=True)
        self.legend.picked.connect(self._recolor)
        self.remark = ElidedLabel("", "facts")
        self.tint = TintKey()
        below = row_layout((self.legend, 1), self.tint, spacing=12)
        self.density = DensityKey()
        notes = row_layout((self.remark, 1), self.density, spacing=12)
        column_layout((self._stack, 1), below, notes, inside=self, spacing=2)
        self.taken = ExportedRecords(self, "scatter", "Scatter plot")
        self.export = Export(self.taken, jobs, self)
        self.renderer.rendered.connect(self._layer_made)
        self.canvas.moved.connect(self._moved)
        self.canvas.selected.connect(self._points_meant)
        self.canvas.lassoed.connect(self._lassoed)
        self.canvas.region_meant.connect(self._region_meant)
        self.canvas.cleared.connect(self.cleared)
        self.canvas.hovered.connect(self._hovered)
        self.canvas.passed.connect(self._passed)
        self._place: QPointF | None = None
        self._rest = single_shot(self, REST_MS, self._rested)
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
    def points(self) -> ScatterPoints | None:
        return self.canvas.scene.points

    def set_points(
        self, points: ScatterPoints | None, sheet: ScatterTableData | None, *, keep_view: bool = False
    ) -> None:
        """Shows these points, with no selection; ``sheet`` has their values."""
        self.renderer.drop()
        self._mask = None
        self._leave_place()
        self.card.hide()
        self._sheet = sheet
        has_classes = points is not None and points.n_classes > 0 and sheet is not None
        counts = np.diff(points.starts)[1:].tolist() if points is not None else ()
        self.legend.set_classes(sheet.classes if sheet is not None and has_classes else (), counts)
        self._recolor()
        if points is None:
            self.density.show_density(0)
        self.canvas.set_points(points, keep_view=keep_view)
        self._choose()
        self._weigh()
        self._place_links()
        self._want()
        self._fill_table()

    def set_backdrops(self, backdrops: list[Backdrop], tint: float = 1.0) -> None:
        """Paints decision regions with this opacity; the legend names the classes of visible regions first."""
        self.canvas.set_backdrops(backdrops, tint)
        self.tint.show_classes(backdrops[0].names if backdrops else (), self.legend.always, tint, self.legend.colored)
        self._lead_with_grounds()

    def _recolor(self) -> None:
        if self.legend.colored != self.canvas.colored:
            self.canvas.colored = self.legend.colored
            self.canvas.dress()
            self._want()
            self.recolored.emit()

    def _lead_with_grounds(self) -> None:
        backdrops, seen = self.canvas.scene.backdrops, self.canvas.window_seen
        if not backdrops or self._sheet is None:
            self.legend.put_first(())
            return
        codes_in_view = backdrops[0].codes_within(seen.left, seen.right, seen.low, seen.high)
        names, classes = backdrops[0].names, self._sheet.classes
        self.legend.put_first(
            tuple(sorted(classes.index(names[code]) for code in codes_in_view if names[code] in classes))
        )

    def set_links(self, links: tuple[int, IntArray, tuple[float, ...]] | None) -> None:
        """Draws lines from a row of the data to others, wider for larger shares (at most 1)."""
        self._links = links
        self._place_links()

    def set_weights(self, weights: FloatArray | None) -> None:
        """Sets the size of the points from weights of the rows (n,); None for equal sizes."""
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
        self.canvas.set_links([] if points is None or links is None else links_between(points, *links))

    def set_selection(self, mask: Mask | None) -> None:
        """Shows which rows of the data (n,) are selected; None for no selection."""
        if mask is None and self._mask is None:
            return
        self._mask = mask
        self._choose()
        self._want()
        if not self.table.hasFocus():
            self._fill_table()

    @property
    def is_drawn(self) -> bool:
        return not self.renderer.is_busy and self.canvas.scene.layer is not None

    def n_shown(self) -> int | None:
        """The number of points drawn one by one; None where density is shown."""
        layer = self.canvas.scene.layer
        return None if layer is None or layer.shown is None else len(layer.shown)

    @property
    def n_selected(self) -> int | None:
        """The number of selected points; None for no selection."""
        chosen = self.canvas.scene.chosen
        return None if chosen is None else int(np.count_nonzero(chosen))

    @property
    def n_selected_in_view(self) -> int:
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
            theme = current_theme().only(self.canvas.colored)
            request = LayerRequest(self.points, self.canvas.window_seen, self.canvas.scene.chosen, theme)
            is_short = len(self.points) <= MOST_POINTS
            self.renderer.want(lambda checkpoint: iter((layer_of(request, checkpoint),)), at_once=is_short)

    def _moved(self) -> None:
        layer, window = self.canvas.scene.layer, self.canvas.window_seen
        self._leave_place()
        self.card.hide()
        if layer is None or not layer.is_prepared(window):
            self._want()
        self._lead_with_grounds()
        self.view_changed.emit()

    def _layer_made(self, layer: Layer | None) -> None:
        """Shows a rendered layer; None says that the job has ended."""
        if layer is not None:
            self.canvas.set_layer(layer)
            self.density.show_density(layer.fullest, of_selected=self.canvas.scene.chosen is not None)
        self.view_changed.emit()

    def _dress(self) -> None:
        self.card.hide()
        self._want()

    # ---- records ---------------------------------------------------------------------------------------------------

    def _points_meant(self, indices: IntArray, how: object) -> None:
        if self.points is not None:
            self.selected.emit(self.points.rows[indices], how, BY)

    def _lassoed(self, line: FloatArray, how: SelectionMode) -> None:
        points = self.points
        if points is not None:
            inside = partial(inside_lasso, line, points.x, points.y)
            self._select_inside(points, inside, how, "a lasso in the scatter plot")

    def _region_meant(self, x: float, y: float, how: SelectionMode) -> None:
        """Selects the records of the connected region of equal predictions at a place, in view or not."""
        points, backdrops = self.points, self.canvas.scene.backdrops
        if points is None or not backdrops:
            return
        grid = backdrops[0].grid
        patch, code = grid.patch_at(x, y), grid.code_at(x, y)
        if patch is not None and code is not None:
            by = f"a region of {backdrops[0].names[code]} in the scatter plot"
            self._select_inside(points, partial(grid.inside, patch, points.x, points.y), how, by)

    def _select_inside(
        self, points: ScatterPoints, ask: Callable[[Checkpoint], Mask], how: SelectionMode, by: str
    ) -> None:
        """Selects the points inside a shape, found in a job if they are many; ``by`` is a phrase for the shape."""
        if self._jobs is None or len(points) <= MOST_POINTS:
            self.selected.emit(points.rows[ask(int)], how, by)
            return

        def work(context: RunContext) -> IntArray:
            context.say("Finding the records inside")
            return points.rows[ask(context.checkpoint)]

        self._jobs.start("Find the records inside", work, on_done=lambda rows: self.selected.emit(rows, how, by))

    def _hovered(self, point: int, _position: QPointF) -> None:
        self._leave_place()
        self._point_at(point)

    # ---- places of the plane ---------------------------------------------------------------------------------------

    def _passed(self, position: QPointF) -> None:
        """Handles a mouse position without a record; the prediction there is shown once the mouse rests."""
        self._leave_place()
        if self.canvas.scene.backdrops and self.canvas.area.contains(position):
            self._place = position
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
            pixel = self._place.x() - area.x(), self._place.y() - area.y()
            self.place_meant.emit(*self.canvas.window_seen.to_unit(*pixel))

    def tell(self, html: str) -> None:
        """Shows text beside the place where the mouse rests, unless it has moved on."""
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
        """The rows of the data in the table: selected ones, else those in view, ascending."""
        points = self.points
        if points is None:
            return np.empty(0, dtype=np.int64)
        if self.canvas.scene.chosen is not None:
            return np.sort(points.rows[self.canvas.scene.chosen])
        return np.sort(points.rows[shown_points(points, self.canvas.window_seen, most=len(points))])

    def _rows_chosen(self, rows: IntArray) -> None:
        self.selected.emit(rows, SelectionMode.REPLACE, "the table of the scatter plot")
