"""The confusion matrix: layout, painting, selection by mouse and keys, and export."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleValueChangeEvent,
    QColor,
    QFocusEvent,
    QFontMetrics,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QSizePolicy, QToolTip, QWidget

from algorithms.data.columns import FloatArray
from algorithms.text.numbers import amount, in_100
from workbench.layout.matrix_layout import SMALL_CELL, MatrixLayout, matrix_layout
from workbench.session.selection import SelectionMode, how_by_keys
from workbench.style.theme import Theme, current_theme, themes
from workbench.widgets.labels import elided
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush, saved

RIGHT, WRONG = 0, 1
"""Class colours of the tints of right and wrong cells."""
STRONGEST = 0.68
SIZES = (18.0, 12.0, 10.0, 9.0, 8.0)
SMALL, SQUARE = 12.0, 30
"""Narrower cells, or matrices of more classes, have square corners."""
LINE, LEAST_LONG, RAIL_ALPHA, ROOMY = 4.0, 3.0, 50, 40.0
"""Thickness and least length of the line of selected records, opacity of its rest, least cell height for full
thickness.
"""
BETWEEN = 6
"""Pixels between the names of two columns."""
MANY = 12
"""With more classes than this, empty cells stay blank."""


class ConfusionPainter:
    """Paints counts (k, k) on a layout; rows are actual classes, columns predicted ones."""

    def __init__(self, classes: Sequence[str], counts: FloatArray, layout: MatrixLayout) -> None:
        self.classes, self.counts, self.layout = tuple(classes), counts, layout
        totals = counts.sum(axis=1, keepdims=True)
        self.shares: FloatArray = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        self._advances: dict[str, float] = {}
        self.size = self._fitting_size()

    def picture(self, area: QSize, dx: int, dy: int, ratio: float) -> QPixmap:
        """The picture of a viewport scrolled by ``dx`` and ``dy``; the labels stay at its edges."""
        picture = QPixmap(round(area.width() * ratio), round(area.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            self.paint(painter, area, dx, dy)
        return picture

    def paint(self, painter: QPainter, area: QSize, dx: int = 0, dy: int = 0) -> None:
        """Paints an area of this size, scrolled by ``dx`` and ``dy``."""
        theme, layout = current_theme(), self.layout
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        rows = layout.visible(layout.top + dy, dy + area.height(), rows=True)
        columns = layout.visible(layout.left + dx, dx + area.width(), rows=False)
        with saved(painter):
            painter.setClipRect(QRectF(layout.left - 3, layout.top - 3, area.width(), area.height()))
            painter.translate(-dx, -dy)
            if len(self.classes) > SQUARE or layout.cell_width < SMALL:
                self._paint_squares(painter, theme)
            else:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._paint_rounded(painter, theme, rows, columns)
            self._write_counts(painter, theme, rows, columns)
        painter.setPen(theme.color("dim"))
        if not layout.in_words:
            self._paint_corner(painter)
        self._paint_row_labels(painter, rows, dy)
        self._paint_column_labels(painter, columns, dx, area.width())

    def _paint_rounded(self, painter: QPainter, theme: Theme, rows: range, columns: range) -> None:
        colors = self._colors(theme)
        painter.setPen(Qt.PenStyle.NoPen)
        soft = theme.color("soft")
        _, _, width, height = self.layout.cell(0, 0)
        round_ = (min(6.0, width / 8), min(6.0, height / 8))
        lefts = [self.layout.cell(0, column)[0] for column in columns]
        for row in rows:
            of_row, has, top = colors[row].tolist(), self.shares[row].tolist(), self.layout.cell(row, 0)[1]
            for column, left in zip(columns, lefts, strict=True):
                painter.setBrush(QColor(*of_row[column]) if has[column] else soft)
                painter.drawRoundedRect(QRectF(left, top, width, height), *round_)

    def _paint_squares(self, painter: QPainter, theme: Theme) -> None:
        """Paints many cells at once: an image with a pixel per cell, enlarged, and gaps ruled over it."""
        colors, layout, k = np.ascontiguousarray(self._colors(theme)), self.layout, len(self.classes)
        image = QImage(colors.tobytes(), k, k, 3 * k, QImage.Format.Format_RGB888)
        painter.drawImage(QRectF(layout.left, layout.top, k * layout.cell_width, k * layout.cell_height), image)
        if layout.gap:
            painter.setPen(QPen(theme.color("pane"), layout.gap))
            for i in range(k + 1):
                x, y = layout.left + i * layout.cell_width, layout.top + i * layout.cell_height
                painter.drawLine(QLineF(x, layout.top, x, layout.height))
                painter.drawLine(QLineF(layout.left, y, layout.width, y))

    def _write_counts(self, painter: QPainter, theme: Theme, rows: range, columns: range) -> None:
        _, _, width, height = self.layout.cell(0, 0)
        size, many = self.size, len(self.classes) > MANY
        if height < _line(size):
            return
        line = QFontMetricsF(themes.font(size)).height()
        shares = height > 2.6 * line and width > 48
        painter.setFont(themes.font(size, bold=size > 12))
        text, dim = theme.color("text"), theme.color("dim")
        metrics = QFontMetricsF(painter.font())
        down = (height - (line * 0.85 if shares else 0.0) + metrics.ascent() - metrics.descent()) / 2
        lefts = [self.layout.cell(0, column)[0] for column in columns]
        for row in rows:
            of_row, top = self.counts[row].tolist(), self.layout.cell(row, 0)[1]
            for column, left in zip(columns, lefts, strict=True):
                count = of_row[column]
                if many and not count:
                    continue
                written = amount(count)
                across = self._advance(written)
                if across + 2 > width:
                    continue
                draw_text(painter, QPointF(left + (width - across) / 2, top + down), written, text if count else dim)
        if shares:
            painter.setFont(themes.font(12 if size > 12 else 11))
            for row in rows:
                for column in columns:
                    painter.setPen(text if self.counts[row, column] else dim)
                    below = QRectF(*self.layout.cell(row, column)).adjusted(0, line * 0.95, 0, 0)
                    share = f"{in_100(float(self.shares[row, column]))}%"
                    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, share)

    def _advance(self, written: str) -> float:
        """Width of a count at the current size."""
        if written not in self._advances:
            font = themes.font(self.size, bold=self.size > 12)
            self._advances[written] = QFontMetricsF(font).horizontalAdvance(written)
        return self._advances[written]

    def _fitting_size(self) -> float:
        """The largest size at which every count fits its cell, else the smallest legible one."""
        _, _, width, height = self.layout.cell(0, 0)
        widest = amount(float(self.counts.max())) if self.counts.size else ""
        for size in SIZES:
            across = QFontMetricsF(themes.font(size, bold=size > 12)).horizontalAdvance(widest)
            if height >= _line(size) and width >= across + 2:
                return size
        return SIZES[-1]

    def _colors(self, theme: Theme) -> NDArray[np.uint8]:
        """The colour of every cell (k, k, 3), stronger for a larger share of its row."""
        ground = np.array(_channels(theme.color("pane")), dtype=np.float64)
        tints = np.empty((*self.shares.shape, 3))
        tints[:] = _channels(theme.class_color(WRONG))
        np.einsum("iic->ic", tints)[:] = _channels(theme.class_color(RIGHT))
        strength = (STRONGEST * (0.18 + 0.82 * np.sqrt(self.shares)))[..., None]
        mixed = ground * (1 - strength) + tints * strength
        mixed[self.shares == 0] = _channels(theme.color("soft"))
        return mixed.round().astype(np.uint8)

    def _paint_corner(self, painter: QPainter) -> None:
        layout, line = self.layout, painter.fontMetrics().height()
        painter.setFont(themes.font(11))
        place = QRectF(0, layout.top - line - 5, layout.left - 10, line)
        painter.drawText(place, MIDDLE_RIGHT, "is ↓   said →")

    def _title(self, verb: str, code: int, room: float, metrics: QFontMetrics) -> str:
        """The label of a row or a column, elided to the room."""
        verb, names = f"{verb} " if self.layout.in_words else "", self.classes
        return verb + elided(metrics, names[code], room - metrics.horizontalAdvance(verb), names)

    def _paint_row_labels(self, painter: QPainter, rows: range, dy: int) -> None:
        layout = self.layout
        painter.setFont(themes.font(12 if layout.cell_height >= SMALL_CELL else 10))
        metrics, step = painter.fontMetrics(), layout.row_label_step
        with saved(painter):
            painter.setClipRect(QRectF(0, layout.top - 4, layout.left, layout.height))
            for row in rows:
                if row % step:
                    continue
                _, y, _, height = layout.cell(row, 0)
                middle = y - dy + height / 2
                if row == len(self.classes) - 1 and height < metrics.ascent():  # nothing follows the last row
                    middle = min(middle, layout.height - dy - metrics.ascent() / 2 + 1)
                place = QRectF(0, middle - 12, layout.left - 10, 24)
                text = self._title("is", row, place.width(), metrics)
                across = Qt.AlignmentFlag.AlignLeft if layout.cell_height > 40 else Qt.AlignmentFlag.AlignRight
                painter.drawText(place, across | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_column_labels(self, painter: QPainter, columns: range, dx: int, width: int) -> None:
        layout = self.layout
        painter.setFont(themes.font(12 if layout.cell_width >= SMALL_CELL else 10))
        metrics, step = painter.fontMetrics(), layout.column_label_step
        with saved(painter):
            painter.setClipRect(QRectF(layout.left - 6, 0, width, layout.top))
            for column in columns:
                if column % step:
                    continue
                x, _, across, _ = layout.cell(0, column)
                if not layout.labels_upright:
                    room = math.ceil(across) - (BETWEEN if layout.in_words else 0)
                    if layout.label_lines > 1:
                        shown = "said\n" + elided(metrics, self.classes[column], room, self.classes)
                    else:
                        shown = self._title("said", column, room, metrics)
                    painter.drawText(QRectF(x - dx, 0, across, layout.top - 4), Qt.AlignmentFlag.AlignCenter, shown)
                    continue
                shown = self._title("said", column, layout.top - 10, metrics)
                with saved(painter):
                    painter.translate(x - dx + across / 2, layout.top - 6)
                    painter.rotate(-90)
                    middle = MIDDLE_LEFT
                    painter.drawText(QRectF(0, -12, layout.top - 8, 24), middle, shown)


def shares_of(selected: FloatArray, counts: FloatArray) -> FloatArray:
    """The selected share of each cell (k, k)."""
    return np.divide(selected, counts, out=np.zeros(counts.shape), where=counts > 0).clip(0.0, 1.0)


def paint_selected(painter: QPainter, layout: MatrixLayout, shares: FloatArray) -> None:
    """Paints a dark line at the foot of each cell with selected records, as long as their share."""
    dark = current_theme().color("text")
    pale = QColor(dark)
    pale.setAlpha(RAIL_ALPHA)
    painter.setPen(Qt.PenStyle.NoPen)
    for row, column in np.argwhere(shares > 0).tolist():
        x, y, width, height = layout.cell(row, column)
        thick, above = (LINE, LINE / 2) if height >= ROOMY else (min(LINE / 2, height / 5), 0.0)
        inset = min(6.0, width / 8)
        whole = QRectF(x + inset, y + height - thick - above, width - 2 * inset, thick)
        painter.fillRect(whole, pale)
        long = max(min(whole.width(), LEAST_LONG), whole.width() * float(shares[row, column]))
        painter.fillRect(QRectF(whole.x(), whole.y(), long, whole.height()), dark)


def _line(size: float) -> float:
    """The height of a cell with a count of this size."""
    return themes.scale * (3.2 if size > 12 else 0.9) * size


def _channels(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()


Cells = NDArray[np.bool_]

HEAD = -1
"""The number of the row of column names, and of the column of row names."""


def cell_sentence(classes: Sequence[str], counts: FloatArray, row: int, column: int) -> str:
    """One cell in words: "18 records that are malignant were said to be benign: 7.5 in 100 of them."."""
    n, total = float(counts[row, column]), float(counts[row].sum())
    records = "record that is" if n == 1 else "records that are"
    verdict = "rightly called so" if row == column else f"said to be {classes[column]}"
    were = "was" if n == 1 else "were"
    share = f": {in_100(n / total)} in 100 of them" if total else ""
    return f"{amount(n)} {records} {classes[row]} {were} {verdict}{share}."


def place_sentence(classes: Sequence[str], counts: FloatArray, row: int, column: int) -> str:
    """A cell, a whole row (column :data:`HEAD`) or a whole column (row :data:`HEAD`) in words."""
    if row != HEAD and column != HEAD:
        return cell_sentence(classes, counts, row, column)
    if column == HEAD:
        n, right = float(counts[row].sum()), float(counts[row, row])
        return (
            f"{amount(n)} {'record is' if n == 1 else 'records are'} {classes[row]}, {amount(right)} rightly called so."
        )
    n, right = float(counts[:, column].sum()), float(counts[column, column])
    was = "record was" if n == 1 else "records were"
    return f"{amount(n)} {was} said to be {classes[column]}, {amount(right)} rightly."


def selected_words(n: float, n_selected: float) -> str:
    """The selected part of some records, as a sentence to append."""
    if not n:
        return ""
    if n == 1:
        return f" It is {'' if n_selected else 'not '}selected."
    some = "All" if n_selected == n else amount(n_selected) if n_selected else "None"
    return f" {some} of them {'is' if n_selected == 1 else 'are'} selected."


def as_rows(classes: Sequence[str], counts: FloatArray) -> list[list[str]]:
    """The matrix with labels as rows of text; numbers have no separators."""
    head = ["", *(f"said {name}" for name in classes)]
    return [head, *([f"is {n}", *(f"{c:.12g}" for c in row)] for n, row in zip(classes, counts.tolist(), strict=True))]


def as_text(classes: Sequence[str], counts: FloatArray) -> str:
    """The matrix with labels as tab-separated lines."""
    return "\n".join("\t".join(row) for row in as_rows(classes, counts))


def covered(k: int, row: int, column: int) -> Cells:
    """The cells (k, k) of a cell, or of the name of a row or column."""
    cells = np.zeros((k, k), dtype=np.bool_)
    cells[slice(None) if row == HEAD else row, slice(None) if column == HEAD else column] = True
    return cells


ZOOM_STEP = 1.25
LARGEST_ZOOM = 12.0
LEAST_FRAME = 15.0
"""Least pixels of the frame around a name."""
EDGE = 3
"""Pixels around the cells for the focus frame."""
LEAST_HEIGHT, LEAST_OF_TWO = 130, 108
"""Least heights of a matrix: in general, and with two classes."""
SLACK = 3
"""A matrix this many pixels too large is not scrolled."""


class ConfusionView(QAbstractScrollArea):
    """A matrix that fills its place. Arrows move over cells and names, Ctrl with the wheel zooms, Ctrl+C copies.

    A click on a cell or name, or Space on the focused one, selects its records.
    """

    cell_chosen = Signal(int, int)
    """Row (actual class) and column (predicted class); :data:`HEAD` for a name."""
    cells_meant = Signal(object, object)
    """Cells (k, k) whose records to select, and :class:`SelectionMode`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "evaluate.confusion", "Confusion matrix")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.classes: tuple[str, ...] = ()
        self.counts: FloatArray = np.zeros((0, 0))
        """The counts (k, k)."""
        self._zoom = 1.0
        self.selected: FloatArray | None = None
        """The selected weight of each cell (k, k); None for no selection."""
        self.cell: tuple[int, int] | None = None
        """The chosen cell; :data:`HEAD` in its row or column stands for a name."""
        self._hovered: tuple[int, int] | None = None
        self.layout_ = matrix_layout(0, 1, 1, 0)
        """The layout at the current size."""
        self._picture: QPixmap | None = None
        themes.follow(self._relayout)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @property
    def whole(self) -> QSize:
        """The size of the whole matrix; empty without one."""
        return QSize(math.ceil(self.layout_.width), math.ceil(self.layout_.height)) if self.classes else QSize()

    def paint_whole(self, painter: QPainter) -> None:
        """Paints the matrix without the marks of focus and selection."""
        ConfusionPainter(self.classes, self.counts, self.layout_).paint(painter, self.whole)

    def set_matrix(self, classes: Sequence[str], counts: FloatArray) -> None:
        """Shows counts (k, k): rows are actual classes, columns predicted ones."""
        same = tuple(classes) == self.classes
        self.classes, self.counts = tuple(classes), np.asarray(counts, dtype=np.float64)
        if not same:
            self.cell, self.selected, self._zoom = None, None, 1.0
            self._relayout()
            self.updateGeometry()
        self._picture = None
        self.viewport().update()
        self._describe()

    def set_selected(self, counts: FloatArray | None) -> None:
        """Shows the selected weight of each cell (k, k); None for no selection."""
        self.selected = counts
        self._describe()
        self.viewport().update()

    def choose(self, row: int, column: int) -> None:
        """Chooses a cell or a name and brings it into view."""
        self.cell = (row, column)
        self._reveal(QRectF(*self.layout_.cell(max(0, row), max(0, column))), row != HEAD, column != HEAD)
        self._describe()
        self.viewport().update()
        self.cell_chosen.emit(row, column)

    def copy(self) -> None:
        """Copies the whole matrix as tab-separated text."""
        QGuiApplication.clipboard().setText(as_text(self.classes, self.counts))

    def _describe(self) -> None:
        k = len(self.classes)
        words = f"{k} by {k}; rows are what records are, columns what was said."
        if self.cell is not None:
            words = self.words(*self.cell)
        self.setAccessibleDescription(words)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleValueChangeEvent(self, words))

    def words(self, row: int, column: int) -> str:
        """A cell or a name in words, with its selected part."""
        sentence = place_sentence(self.classes, self.counts, row, column)
        if self.selected is None:
            return sentence
        part = covered(len(self.classes), row, column)
        return sentence + selected_words(float(self.counts[part].sum()), float(self.selected[part].sum()))

    # ---- geometry --------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(520, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, LEAST_HEIGHT if len(self.classes) > 2 else LEAST_OF_TWO)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._relayout()

    def _relayout(self) -> None:
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(name) for name in self.classes), default=0)
        area = self.viewport().size()
        across, down = max(0, area.width() - EDGE), max(0, area.height() - EDGE)
        self.layout_ = matrix_layout(
            len(self.classes), across, down, widest, line_height=metrics.height(), zoom=self._zoom
        )
        self._picture = None
        for bar, whole, page in (
            (self.horizontalScrollBar(), self.layout_.width, area.width()),
            (self.verticalScrollBar(), self.layout_.height, area.height()),
        ):
            beyond = math.ceil(whole) - page
            bar.setRange(0, beyond if beyond > SLACK else 0)
            bar.setPageStep(page)
            bar.setSingleStep(24)
        self.viewport().update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._picture = None
        self.viewport().update()

    def _scroll(self) -> tuple[int, int]:
        return self.horizontalScrollBar().value(), self.verticalScrollBar().value()

    def _cell_at_point(self, point: QPoint | QPointF) -> tuple[int, int] | None:
        """The cell or name at a pixel."""
        (dx, dy), layout = self._scroll(), self.layout_
        row = layout.row_at(point.y() + dy) if point.y() >= layout.top else HEAD
        column = layout.column_at(point.x() + dx) if point.x() >= layout.left else HEAD
        if row is None or column is None or (row, column) == (HEAD, HEAD):
            return None
        return row, column

    def place(self, row: int, column: int) -> QRectF:
        """The box of a cell or a name in pixels of the viewport."""
        (dx, dy), layout = self._scroll(), self.layout_
        x, y, width, height = layout.cell(max(0, row), max(0, column))
        if column == HEAD:
            return QRectF(2, y - dy, layout.left - 8, height)
        if row == HEAD:
            return QRectF(x - dx, 2, width, layout.top - 5)
        return QRectF(x - dx, y - dy, width, height)

    def _reveal(self, cell: QRectF, down: bool = True, across: bool = True) -> None:
        for wanted, bar, low, high, frozen, page in (
            (across, self.horizontalScrollBar(), cell.left(), cell.right(), self.layout_.left, self.viewport().width()),
            (down, self.verticalScrollBar(), cell.top(), cell.bottom(), self.layout_.top, self.viewport().height()),
        ):
            if not wanted:
                continue
            if low - bar.value() < frozen:
                bar.setValue(math.floor(low - frozen))
            elif high - bar.value() > page:
                bar.setValue(math.ceil(high - page))

    # ---- painting --------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.classes:
            return
        if self._picture is None:
            painted = ConfusionPainter(self.classes, self.counts, self.layout_)
            self._picture = painted.picture(self.viewport().size(), *self._scroll(), self.devicePixelRatioF())
        painter = QPainter(self.viewport())
        painter.drawPixmap(0, 0, self._picture)
        theme, layout = current_theme(), self.layout_
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cells = self.viewport().rect().adjusted(int(layout.left) - EDGE, int(layout.top) - EDGE, 0, 0)
        painter.setClipRect(cells)
        if self.selected is not None:
            painter.translate(*(-scrolled for scrolled in self._scroll()))
            paint_selected(painter, self.layout_, shares_of(self.selected, self.counts))
            painter.resetTransform()
        for marked, token in ((self._hovered, "dim"), (self.cell, "accent")):
            if marked is not None:
                painter.setClipRect(self.viewport().rect() if HEAD in marked else cells)
                self._paint_frame(painter, theme.color(token), self._framed(*marked))
        if self.hasFocus() and self.cell is None:
            painter.setClipRect(self.viewport().rect())
            (dx, dy), page = self._scroll(), self.viewport().rect()
            end = QPointF(min(page.right(), layout.width - dx + EDGE), min(page.bottom(), layout.height - dy + EDGE))
            self._paint_frame(painter, theme.color("accent"), QRectF(cells.topLeft(), end).adjusted(1, 1, -1, -1))

    def _framed(self, row: int, column: int) -> QRectF:
        """The focus frame of a cell or a name; around a name it is never thin."""
        place = self.place(row, column).adjusted(-1, -1, 1, 1)
        if HEAD not in (row, column):
            return place
        framed = QRectF(0, 0, max(place.width(), LEAST_FRAME), max(place.height(), LEAST_FRAME))
        framed.moveCenter(place.center())
        return framed

    def _paint_frame(self, painter: QPainter, color: QColor, place: QRectF) -> None:
        """Paints a frame, thinner without keyboard focus."""
        pen_and_brush(painter, QPen(color, 2.4 if self.hasFocus() else 1.2))
        corner = min(6.0, place.width() / 3, place.height() / 3)
        painter.drawRoundedRect(place, corner, corner)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    # ---- mouse and keys --------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at_point(event.position())
        if event.button() is Qt.MouseButton.LeftButton and cell is not None:
            self.choose(*cell)
            self._mean(how_by_keys(event.modifiers()))

    def _mean(self, how: SelectionMode) -> None:
        """Selects the records of the chosen cell or name."""
        if self.cell is not None:
            self.cells_meant.emit(covered(len(self.classes), *self.cell), how)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._cell_at_point(event.position()))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Leave:
            self._hover(None)
        if isinstance(event, QHelpEvent):
            self._explain(event)
            return True
        return super().viewportEvent(event)

    def _hover(self, cell: tuple[int, int] | None) -> None:
        if cell != self._hovered:
            self._hovered = cell
            shape = Qt.CursorShape.ArrowCursor if cell is None else Qt.CursorShape.PointingHandCursor
            self.viewport().setCursor(shape)
            self.viewport().update()

    def _explain(self, event: QHelpEvent) -> None:
        """Shows the tooltip: a cell in words, or a full label."""
        cell, text = self._cell_at_point(event.pos()), ""
        if cell is not None:
            text = self.words(*cell)
            if HEAD in cell:
                name = f"said {self.classes[cell[1]]}" if cell[0] == HEAD else f"is {self.classes[cell[0]]}"
                text = f"{name}\n{text}"
        QToolTip.showText(event.globalPos(), text, self.viewport(), QRect())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }.get(Qt.Key(event.key()))
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif step is not None and self.classes:
            self._walk(*step)
        elif event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.cell is not None:
            self._mean(how_by_keys(event.modifiers()))
        elif event.text() in ("+", "-", "0"):
            self._set_zoom({"+": self._zoom * ZOOM_STEP, "-": self._zoom / ZOOM_STEP, "0": 1.0}[event.text()])
        else:
            super().keyPressEvent(event)

    def _walk(self, down: int, across: int) -> None:
        """Moves to the neighbouring cell or name, first to the first cell."""
        last = len(self.classes) - 1
        to = 0, 0
        if self.cell is not None:
            to = min(last, max(HEAD, self.cell[0] + down)), min(last, max(HEAD, self.cell[1] + across))
        if to != (HEAD, HEAD):
            self.choose(*to)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y() / 120
            self._set_zoom(self._zoom * ZOOM_STEP**turned, event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def _set_zoom(self, zoom: float, position: QPointF | None = None) -> None:
        """Zooms around a point of the viewport, or around the chosen cell."""
        before, (dx, dy) = self.layout_, self._scroll()
        zoom = min(LARGEST_ZOOM, max(1.0, zoom))
        if zoom == self._zoom or not self.classes:
            return
        point = position or QPointF(self.viewport().rect().center())
        across = (point.x() + dx - before.left) / before.cell_width
        down = (point.y() + dy - before.top) / before.cell_height
        self._zoom = zoom
        self._relayout()
        after: MatrixLayout = self.layout_
        self.horizontalScrollBar().setValue(round(after.left + across * after.cell_width - point.x()))
        self.verticalScrollBar().setValue(round(after.top + down * after.cell_height - point.y()))
        if position is None and self.cell is not None and HEAD not in self.cell:
            self._reveal(QRectF(*after.cell(*self.cell)))
