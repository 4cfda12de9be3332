"""The confusion matrix: layout, painting, selection by mouse and keys, and export."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleValueChangeEvent,
    QColor,
    QFocusEvent,
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
from PySide6.QtWidgets import QAbstractScrollArea, QSizePolicy, QToolTip

from algorithms.data.columns import FloatArray, Mask
from algorithms.evaluation.measures.confusion_counts import HEAD, as_text, covered, margin_words, place_sentence
from algorithms.text.numbers import amount, percent
from workbench.layout.matrix_layout import AIR, JOINT, MatrixLayout, lines_of_head, matrix_layout
from workbench.session.selection import SelectionMode, how_by_keys
from workbench.style.motion import Pieces
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import Theme, current_theme, themes
from workbench.widgets.keyboard_focus import DIRECTIONS
from workbench.widgets.labels import BREAK, elided
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush, saved

STRONGEST = 0.5
AT_FOOT = Qt.AlignmentFlag.AlignBottom
SIZES = (32.0, 24.0, 18.0, 13.0, 11.0)
LINES = {32.0: 5.5, 24.0: 4.2, 18.0: 3.2, 13.0: 3.2, 11.0: 0.9}
"""Sizes of counts, and the least height of a cell for each, in multiples of the size."""
TWO_LINES = 2.0
"""Least height of a cell with a count and a percentage, in lines."""
AROUND = 8
"""Pixels around a count in the smallest cell."""
SMALL, SQUARE = 12.0, 30
"""Narrower cells, or matrices of more classes, have square corners."""
LINE, LEAST_LONG, RAIL_ALPHA, ROOMY = 4.0, 3.0, 50, 40.0
"""Thickness, least length of the line of selected records, opacity of its rest, cell height for full thickness."""
ENTERING = tuple(getattr(Qt.FocusReason, f"{name}FocusReason") for name in ("Tab", "Backtab", "Shortcut", "Other"))
"""How the keyboard comes, which then enters at a cell."""
MANY = 12
"""With more classes than this, empty cells stay blank."""
SYMBOL, AFTER_SYMBOL = 4.5, 5.0
"""Radius of the symbol of a class, and pixels after it, at normal text size."""
MARGIN_HEADS = ("Total", "Recall")
"""Heads of the margin right of the cells."""
MARGIN_FOOT = "Precision"
"""Name of the margin below the cells."""
MOST_WITH_MARGINS = 60
"""Matrices of more classes have neither margins nor symbols nor numbers of classes."""
LEAST_KEPT = 0.75
"""Least share of the cells in sight of a scrolled matrix that the margins leave."""
AROUND_MARGIN = 12
"""Pixels around a figure in a margin."""


class ConfusionPainter:
    """Paints counts (k, k) on a layout; rows are actual classes, columns predicted ones."""

    def __init__(
        self, classes: Sequence[str], counts: FloatArray, layout: MatrixLayout, codes: Sequence[int] | None = None
    ) -> None:
        """``codes`` are those of the classes in their data, in order by default."""
        self.classes, self.counts, self.layout = tuple(classes), counts, layout
        self.codes = tuple(range(len(self.classes)) if codes is None else codes)
        self.heads = layout.numbers or self.classes
        totals = counts.sum(axis=1, keepdims=True)
        self.shares: FloatArray = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        self._advances: dict[str, float] = {}
        self._look = StructureColors(current_theme())
        self.size = self._fitting_size()
        written = ((self.size, 0.95), (_share_size(self.size), 1.0)) if self.holds_shares else ()
        self.roomy = max(ROOMY, 3 * LINE + sum(QFontMetricsF(themes.font(s)).height() * part for s, part in written))
        """The height of a cell from which its words leave room for a line of selected records of full thickness."""

    def picture(self, area: QSize, dx: float, dy: float, ratio: float) -> QPixmap:
        """The picture of a viewport scrolled by ``dx`` and ``dy``; the labels stay at its edges."""
        picture = QPixmap(round(area.width() * ratio), round(area.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            self.paint(painter, area, dx, dy)
        return picture

    def paint(self, painter: QPainter, area: QSize, dx: float = 0.0, dy: float = 0.0) -> None:
        """Paints an area of this size, scrolled by ``dx`` and ``dy``."""
        theme, layout = current_theme(), self.layout
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        right, below = area.width() - layout.beyond[0], area.height() - layout.beyond[1]
        rows = layout.visible(layout.top + dy + 0.5, dy + below - 1, rows=True)
        columns = layout.visible(layout.left + dx + 0.5, dx + right - 1, rows=False)
        with saved(painter):
            painter.setClipRect(QRectF(layout.left, layout.top, right - layout.left, below - layout.top))
            painter.translate(-dx, -dy)
            if len(self.classes) > SQUARE or layout.cell_width < SMALL:
                self._paint_squares(painter, theme)
            else:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._paint_rounded(painter, theme, rows, columns)
            self._write_counts(painter, theme, rows, columns)
        painter.setPen(theme.color("text"))
        self._paint_row_names(painter, rows, dy)
        self._paint_column_names(painter, columns, dx, area.width())
        self._paint_titles(painter, theme, area)
        if layout.beyond[0]:
            self._write_row_margin(painter, theme, area, rows, dy)
        if layout.beyond[1]:
            self._write_column_margin(painter, theme, area, columns, dx)

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
                painter.drawLine(QLineF(x, layout.top, x, layout.bottom))
                painter.drawLine(QLineF(layout.left, y, layout.right, y))

    def _write_counts(self, painter: QPainter, theme: Theme, rows: range, columns: range) -> None:
        _, _, width, height = self.layout.cell(0, 0)
        size, many = self.size, len(self.classes) > MANY
        if height < _line(SIZES[-1]):
            return
        line, shares = QFontMetricsF(themes.font(size)).height(), self.holds_shares
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
            painter.setFont(themes.font(_share_size(size)))
            n = float(self.counts.sum())
            for row in rows:
                for column in columns:
                    if many and not self.counts[row, column]:
                        continue
                    painter.setPen(text if self.counts[row, column] else dim)
                    below = QRectF(*self.layout.cell(row, column)).adjusted(0, line * 0.95, 0, 0)
                    share = percent(float(self.shares[row, column]), n)
                    painter.drawText(below, Qt.AlignmentFlag.AlignCenter, share)

    @property
    def holds_shares(self) -> bool:
        """Whether each cell has room for its percentage below its count."""
        _, _, width, height = self.layout.cell(0, 0)
        line = QFontMetricsF(themes.font(self.size)).height()
        widest = QFontMetricsF(themes.font(_share_size(self.size))).horizontalAdvance(percent(1.0))
        return height > TWO_LINES * line and width > widest + 4

    def _write_row_margin(self, painter: QPainter, theme: Theme, area: QSize, rows: range, dy: float) -> None:
        """Writes the total and the recall of each row at the right edge."""
        layout, (totals, recalls, _precisions) = self.layout, margin_words(self.counts)
        x, font, center = area.width() - layout.beyond[0], themes.font(12), Qt.AlignmentFlag.AlignCenter
        for head, words, wide in zip(MARGIN_HEADS, (totals, recalls), _margin_widths(self.counts), strict=True):
            place = QRectF(x, layout.title, wide, layout.top - layout.title - 2 - AIR)
            draw_text(painter, place, head, theme.color("dim"), font, Qt.AlignmentFlag.AlignHCenter | AT_FOOT)
            for row in rows:
                _, top, _, height = layout.cell(row, 0)
                draw_text(painter, QRectF(x, top - dy, wide, height), words[row], theme.color("text"), font, center)
            x += wide

    def _write_column_margin(self, painter: QPainter, theme: Theme, area: QSize, columns: range, dx: float) -> None:
        """Writes the precision of each column at the foot, upright where the columns are narrow."""
        layout, precisions, font = self.layout, margin_words(self.counts)[2], themes.font(12)
        foot = area.height() - layout.beyond[1]
        below = QRectF(layout.title, foot, layout.left - layout.title - 8, layout.beyond[1])
        draw_text(painter, below, MARGIN_FOOT, theme.color("dim"), font, MIDDLE_RIGHT)
        for column in columns:
            (x, _, across, _), written = layout.cell(0, column), precisions[column]
            with saved(painter):
                painter.translate(x - dx + across / 2, foot + layout.beyond[1] / 2)
                place = QRectF(-across / 2, -layout.beyond[1] / 2, across, layout.beyond[1])
                if across < _precision_width(self.counts):
                    painter.rotate(-90)
                    place = QRectF(place.y(), place.x(), place.height(), place.width())
                draw_text(painter, place, written, theme.color("text"), font, Qt.AlignmentFlag.AlignCenter)

    def _advance(self, written: str) -> float:
        if written not in self._advances:
            font = themes.font(self.size, bold=self.size > 12)
            self._advances[written] = QFontMetricsF(font).horizontalAdvance(written)
        return self._advances[written]

    def _fitting_size(self) -> float:
        """The largest size at which every count fits its cell, else the smallest legible one."""
        _, _, width, height = self.layout.cell(0, 0)
        widest = amount(float(self.counts.max())) if self.counts.size else ""
        share = QFontMetricsF(themes.font(11)).horizontalAdvance(percent(1.0)) + 4
        for size in SIZES:
            across = QFontMetricsF(themes.font(size, bold=size > 12)).horizontalAdvance(widest)
            least = _line(size) if width > share or size > 13 else min(_line(size), 1.8 * size * themes.scale)
            if height >= least and width >= across + 2:
                return size
        return SIZES[-1]

    def _colors(self, theme: Theme) -> NDArray[np.uint8]:
        """The colour of every cell (k, k, 3), stronger for a larger share of its row."""
        ground = np.array(_channels(theme.color("pane")), dtype=np.float64)
        tints = np.empty((*self.shares.shape, 3))
        tints[:] = _channels(theme.color("worse"))
        np.einsum("iic->ic", tints)[:] = _channels(theme.color("better"))
        strength = (STRONGEST * (0.18 + 0.82 * np.sqrt(self.shares)))[..., None]
        mixed = ground * (1 - strength) + tints * strength
        mixed[self.shares == 0] = _channels(theme.color("soft"))
        return mixed.round().astype(np.uint8)

    def _paint_titles(self, painter: QPainter, theme: Theme, area: QSize) -> None:
        layout = self.layout
        font, color, middle = themes.font(12), theme.color("dim"), Qt.AlignmentFlag.AlignCenter
        across = min(layout.width, float(area.width())) - layout.left
        draw_text(painter, QRectF(layout.left, 0, across, layout.title), "Predicted", color, font, middle)
        down = min(layout.height, float(area.height())) - layout.top
        with saved(painter):
            painter.translate(0, layout.top + down)
            painter.rotate(-90)
            draw_text(painter, QRectF(0, 0, down, layout.title), "Actual", color, font, middle)

    def _paint_row_names(self, painter: QPainter, rows: range, dy: float) -> None:
        layout = self.layout
        painter.setFont(themes.font(12))
        step, left = layout.row_label_step, layout.title
        with saved(painter):
            painter.setClipRect(QRectF(0, layout.top - 4, layout.left, layout.height))
            for row in rows:
                if row % step:
                    continue
                _, y, _, height = layout.cell(row, 0)
                high = max(24.0, step * height)
                place = QRectF(left, y - dy + (height - high) / 2, layout.left - left - 8, high)
                if layout.number:
                    place.setRight(place.right() - layout.number)
                    painter.drawText(place.translated(layout.number, 0), int(MIDDLE_RIGHT), self.heads[row])
                self._paint_name(painter, place, MIDDLE_RIGHT, row)

    def _paint_column_names(self, painter: QPainter, columns: range, dx: float, width: int) -> None:
        layout = self.layout
        painter.setFont(themes.font(12))
        step, top = layout.column_label_step, layout.title
        with saved(painter):
            painter.setClipRect(QRectF(layout.left - 6, 0, width, layout.top))
            for column in columns:
                if column % step:
                    continue
                x, _, across, _ = layout.cell(0, column)
                if not layout.names_turned:
                    beside = (layout.between - layout.gap) / 2
                    place = QRectF(x - dx, top, across, layout.top - top - 2 - AIR).adjusted(beside, 0, -beside, 0)
                    self._paint_head(painter, place, column)
                    continue
                with saved(painter):
                    painter.translate(x - dx + across / 2, layout.top - 5 - AIR)
                    painter.rotate(-90)
                    wide = max(24.0, step * across)
                    place = QRectF(0, -wide / 2, layout.top - top - 8 - AIR, wide)
                    self._paint_name(painter, place, MIDDLE_LEFT, column)

    def _paint_head(self, painter: QPainter, place: QRectF, position: int) -> None:
        """Paints the level name of a column in lines, the symbol of the class in the first one; else cut in one."""
        metrics, name, mark = QFontMetricsF(painter.font()), self.heads[position], self.layout.marks[1]
        lines = lines_of_head(name, place.width(), mark, metrics.horizontalAdvance)
        if not lines or len(lines) * metrics.height() > place.height() + 1:
            lines = (elided(metrics, name, place.width() - mark, self.heads),)
        top = place.center().y() - len(lines) * metrics.height() / 2
        for row, line in enumerate(lines):
            beside, across = 0.0 if row else mark, metrics.horizontalAdvance(line)
            left = place.center().x() - (across + beside) / 2
            box = QRectF(left + beside, top + row * metrics.height(), across + 1, metrics.height())
            painter.drawText(box, int(MIDDLE_LEFT | Qt.TextFlag.TextDontClip), line)
            if beside:
                with saved(painter):
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    radius = SYMBOL * themes.scale
                    center = QPointF(left + radius, box.center().y())
                    draw_symbol(painter, self._look, self.codes[position], center, radius)

    def _paint_name(self, painter: QPainter, place: QRectF, align: Qt.AlignmentFlag, position: int) -> None:
        """Paints the symbol and the name of a class, in lines where it is whole so, else cut in one."""
        metrics, flags = QFontMetricsF(painter.font()), align | Qt.TextFlag.TextWordWrap
        names, mark = (self.heads, self.classes)[align == MIDDLE_RIGHT], self.layout.marks[align != MIDDLE_RIGHT]
        name = JOINT.sub(BREAK, names[position])
        place = place.adjusted(mark, 0, 0, 0)
        if not place.contains(metrics.boundingRect(place, flags, name)):
            name, flags = elided(metrics, names[position], place.width(), names), align
        painter.drawText(place, int(flags), name)
        if mark:
            box, radius = metrics.boundingRect(place, flags, name), SYMBOL * themes.scale
            with saved(painter):
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.translate(box.left() - mark + radius, box.center().y())
                if align == MIDDLE_LEFT:
                    painter.rotate(90)  # the symbol stands upright
                draw_symbol(painter, self._look, self.codes[position], QPointF(), radius)


def least_cell(counts: FloatArray) -> tuple[float, float]:
    """The smallest cell in which every count is written whole."""
    metrics = QFontMetricsF(themes.font(SIZES[-1]))
    widest = amount(float(counts.max())) if counts.size else ""
    return metrics.horizontalAdvance(widest) + AROUND, metrics.height() + 2


def paint_selected(painter: QPainter, layout: MatrixLayout, shares: FloatArray, roomy: float = ROOMY) -> None:
    """Paints a line at the foot of each cell with selected records, as long as their share; thin in cells < roomy."""
    dark = current_theme().color("text")
    pale = QColor(dark)
    pale.setAlpha(RAIL_ALPHA)
    for row, column in np.argwhere(shares > 0).tolist():
        x, y, width, height = layout.cell(row, column)
        thick, above = (LINE, LINE / 2) if height >= roomy else (min(LINE / 2, height / 5), 0.0)
        whole = QRectF(x + (inset := min(6.0, width / 8)), y + height - thick - above, width - 2 * inset, thick)
        painter.fillRect(whole, pale)
        long = max(min(whole.width(), LEAST_LONG), whole.width() * float(shares[row, column]))
        painter.fillRect(QRectF(whole.x(), whole.y(), long, whole.height()), dark)


def _line(size: float) -> float:
    return themes.scale * LINES[size] * size


def _share_size(size: float) -> float:
    """The size of the percentages below counts of this size."""
    return 14 if size > 18 else 12 if size > 12 else 11


def _margin_widths(counts: FloatArray) -> tuple[float, ...]:
    """Widths of the columns of totals and of recalls."""
    metrics, words = QFontMetricsF(themes.font(12)), margin_words(counts)
    pairs = zip(MARGIN_HEADS, words, strict=False)
    return tuple(max(map(metrics.horizontalAdvance, (head, *written))) + AROUND_MARGIN for head, written in pairs)


def _precision_width(counts: FloatArray) -> float:
    """The width of the widest precision."""
    metrics = QFontMetricsF(themes.font(12))
    return max((metrics.horizontalAdvance(written) for written in margin_words(counts)[2]), default=0.0)


def _channels(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()


Cells = Mask
Pair = tuple[float, float]


ZOOM_STEP = 1.25
LARGEST_ZOOM = 12.0
LEAST_FRAME = 15.0
"""Least pixels of the frame around a name."""
EDGE = 3
"""Pixels around the cells for the focus frame."""
LEAST_HEIGHT, LEAST_OF_TWO = 130, 108
"""Least heights of a matrix: in general, and with two classes."""


class ConfusionView(QAbstractScrollArea):
    """A matrix that fills its place. Arrows move over cells and names, Ctrl with the wheel zooms, Ctrl+C copies.

    A click on a cell or name, or Space on the focused one, selects its records.
    """

    cell_chosen = Signal(int, int)
    """Row (actual class) and column (predicted class); :data:`HEAD` for a name."""
    cells_meant = Signal(object, object)
    """Cells (k, k) whose records to select, and :class:`SelectionMode`."""
    laid_out = Signal()
    """The cells may have another size."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "evaluate.confusion", "Confusion matrix")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.classes: tuple[str, ...] = ()
        self.counts: FloatArray = np.zeros((0, 0))
        self.codes: tuple[int, ...] = ()
        self._zoom, self._roomy = 1.0, ROOMY
        self.selected: FloatArray | None = None
        """The selected weight of each cell (k, k); None for no selection."""
        self.cell: tuple[int, int] | None = None
        """The chosen cell; :data:`HEAD` in its row or column stands for a name."""
        self._is_entered = False
        """Whether the keyboard entered at the chosen cell, which other counts may move."""
        self._hovered: tuple[int, int] | None = None
        self.layout_ = matrix_layout(0, 1, 1, 0)
        self._picture: QPixmap | None = None
        themes.follow(self._relayout)

    @property
    def whole(self) -> QSize:
        return QSize(math.ceil(self.layout_.width), math.ceil(self.layout_.height)) if self.classes else QSize()

    @property
    def most_height(self) -> int:
        """The height that cells of the largest size take."""
        layout = self.layout_
        return math.ceil(layout.top + len(self.classes) * layout.largest + layout.beyond[1]) + EDGE

    def paint_whole(self, painter: QPainter) -> None:
        ConfusionPainter(self.classes, self.counts, self.layout_, self.codes).paint(painter, self.whole)

    def set_matrix(self, classes: Sequence[str], counts: FloatArray, codes: Sequence[int] | None = None) -> None:
        """Shows counts (k, k): rows are actual classes, columns predicted ones; ``codes`` choose their symbols."""
        self.codes = tuple(range(len(classes)) if codes is None else codes)
        same, before = tuple(classes) == self.classes, self.counts
        self.classes, self.counts = tuple(classes), np.asarray(counts, dtype=np.float64)
        if same and self._is_entered and not np.array_equal(self.counts, before):
            self.cell = None
        if not same:
            self.cell, self.selected, self._zoom = None, None, 1.0
            self.updateGeometry()
        self._relayout()
        self._picture = None
        self.viewport().update()
        self._describe()
        if self.hasFocus():
            self._enter_in_sight()

    def set_selected(self, counts: FloatArray | None) -> None:
        """Shows the selected weight of each cell (k, k); None for no selection."""
        self.selected = counts
        self._describe()
        self.viewport().update()

    def choose(self, row: int, column: int) -> None:
        """Chooses a cell or a name and brings it into view."""
        self.cell, self._is_entered = (row, column), False
        self._reveal(row, column)
        self._describe()
        self.viewport().update()
        self.cell_chosen.emit(row, column)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(as_text(self.classes, self.counts))

    def _describe(self) -> None:
        k = len(self.classes)
        words = f"{k} by {k}; rows are actual classes, columns predicted ones."
        if self.cell is not None:
            words = self.words(*self.cell)
        self.setAccessibleDescription(words)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleValueChangeEvent(self, words))

    def words(self, row: int, column: int) -> str:
        """A cell or a name in words, with its selected part."""
        return place_sentence(self.classes, self.counts, row, column, self.selected)

    @property
    def holds_shares(self) -> bool:
        """Whether the cells show percentages of their rows."""
        is_small = len(self.classes) <= MOST_WITH_MARGINS
        return is_small and ConfusionPainter(self.classes, self.counts, self.layout_).holds_shares

    # ---- geometry --------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(520, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(220, LEAST_HEIGHT if len(self.classes) > 2 else LEAST_OF_TWO)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._relayout()

    def _height_wrapped(self, mark: float, across: float) -> float:
        """The height of the class names in lines of this width; infinite if a word is wider, or there are many."""
        if len(self.classes) > MANY:
            return math.inf
        metrics = QFontMetricsF(themes.font(12))
        heads = [lines_of_head(name, across, mark, metrics.horizontalAdvance) for name in self.classes]
        return max((len(lines) * metrics.height() if lines else math.inf for lines in heads), default=0.0)

    def _laid_out(self, marks: Pair = (0.0, 0.0), beyond: Pair = (0.0, 0.0)) -> MatrixLayout:
        """The layout of the viewport with this room for symbols and margins."""
        metrics, area, k = QFontMetricsF(themes.font(12)), self.viewport().size(), len(self.classes)
        return matrix_layout(
            k,
            max(0, area.width() - EDGE),
            max(0, area.height() - EDGE),
            max((metrics.horizontalAdvance(name) for name in self.classes), default=0.0),
            least=least_cell(self.counts),
            line_height=metrics.height(),
            zoom=self._zoom,
            wrapped=partial(self._height_wrapped, marks[1]),
            marks=marks,
            beyond=beyond,
            foot=metrics.horizontalAdvance(MARGIN_FOOT) if beyond[1] else 0.0,
            number=metrics.horizontalAdvance("0" * len(str(k))) if k <= MOST_WITH_MARGINS else 0.0,
        )

    def _with_margins(self) -> MatrixLayout:
        """The layout with symbols and margins, as far as they hide nothing that is shown without them."""
        plain = self._laid_out()
        if not 0 < len(self.classes) <= MOST_WITH_MARGINS:
            return plain
        holds_shares = ConfusionPainter(self.classes, self.counts, plain).holds_shares
        mark = (2 * SYMBOL + AFTER_SYMBOL) * themes.scale
        right, precision = sum(_margin_widths(self.counts)), _precision_width(self.counts)
        level = QFontMetricsF(themes.font(12)).height() + AROUND_MARGIN
        margins = (right, level), (right, precision + AROUND_MARGIN), (right, 0.0), (0.0, level), (0.0, 0.0)
        for beyond, marks in product(margins, ((mark, mark), (mark, 0.0), (0.0, 0.0))):
            layout = self._laid_out(marks, beyond)
            bare = self._laid_out(beyond=beyond)
            in_sight = (layout.columns, bare.columns, plain.columns), (layout.rows, bare.rows, plain.rows)
            shows_all = all(
                now >= n_bare and now >= n * (1.0 if n == layout.k else LEAST_KEPT) for now, n_bare, n in in_sight
            )
            is_level = beyond[1] != level or layout.cell(0, 0)[2] >= precision
            is_worse = layout.names_turned > plain.names_turned or bool(layout.number) > bool(plain.number)
            if not shows_all or is_worse or not is_level:
                continue
            if not holds_shares or ConfusionPainter(self.classes, self.counts, layout).holds_shares:
                return layout
        return plain

    def _relayout(self) -> None:
        self.layout_ = self._with_margins()
        self._picture = None
        k, layout = len(self.classes), self.layout_
        for bar, n in ((self.horizontalScrollBar(), layout.columns), (self.verticalScrollBar(), layout.rows)):
            bar.setRange(0, k - n)  # it counts cells, so that none is cut
            bar.setPageStep(n)
        self.viewport().update()
        self.laid_out.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._picture = None
        self.viewport().update()

    def _scroll(self) -> tuple[float, float]:
        columns, rows = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return columns * self.layout_.cell_width, rows * self.layout_.cell_height

    def _in_sight(self, edge: int = 0) -> QRectF:
        """The area of the cells in sight, with an edge around them."""
        layout = self.layout_
        size = QSizeF(layout.columns * layout.cell_width, layout.rows * layout.cell_height)
        return QRectF(QPointF(layout.left, layout.top), size).adjusted(-edge, -edge, edge, edge)

    def _cell_at_point(self, point: QPoint | QPointF) -> tuple[int, int] | None:
        (dx, dy), layout, end = self._scroll(), self.layout_, self._in_sight().bottomRight()
        row = layout.row_at(point.y() + dy) if layout.top <= point.y() < end.y() else HEAD
        column = layout.column_at(point.x() + dx) if layout.left <= point.x() < end.x() else HEAD
        margins = QPointF(*layout.beyond)  # they stand for the names of their rows and columns
        is_beyond = point.x() >= (end + margins).x() or point.y() >= (end + margins).y()
        return None if is_beyond or row is None or column is None or (row, column) == (HEAD, HEAD) else (row, column)

    def place(self, row: int, column: int) -> QRectF:
        """The box of a cell or a name in pixels of the viewport."""
        (dx, dy), layout = self._scroll(), self.layout_
        x, y, width, height = layout.cell(max(0, row), max(0, column))
        if column == HEAD:
            return QRectF(2, y - dy, layout.left - 8, height)
        if row == HEAD:
            return QRectF(x - dx, 2, width, layout.top - 5)
        return QRectF(x - dx, y - dy, width, height)

    def pieces(self) -> Pieces:
        """The boxes of cells and names in sight by the names of their classes; :data:`HEAD` for a name."""
        sight, title = self._in_sight(), self.layout_.title
        (first_row, first_column), names = (
            (bar.value() for bar in (self.verticalScrollBar(), self.horizontalScrollBar())),
            self.classes,
        )
        rows = range(first_row, min(len(names), first_row + self.layout_.rows))
        columns = range(first_column, min(len(names), first_column + self.layout_.columns))
        boxes: Pieces = {}
        for row in rows:
            boxes[names[row], HEAD] = self.place(row, HEAD).adjusted(title, 0, 0, 0).toAlignedRect()
            for column in columns:
                boxes[names[row], names[column]] = self.place(row, column).intersected(sight).toAlignedRect()
        for column in columns:
            boxes[HEAD, names[column]] = self.place(HEAD, column).adjusted(0, title, 0, 0).toAlignedRect()
        return boxes

    def _reveal(self, row: int, column: int) -> None:
        for place, bar in ((row, self.verticalScrollBar()), (column, self.horizontalScrollBar())):
            if place != HEAD:
                bar.setValue(max(min(bar.value(), place), place + 1 - bar.pageStep()))

    # ---- painting --------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.classes:
            return
        if self._picture is None:
            painted = ConfusionPainter(self.classes, self.counts, self.layout_, self.codes)
            whole = self._in_sight().bottomRight() + QPointF(*self.layout_.beyond)
            area = QSize(math.ceil(whole.x()), math.ceil(whole.y()))
            self._roomy = painted.roomy
            self._picture = painted.picture(area, *self._scroll(), self.devicePixelRatioF())
        painter = QPainter(self.viewport())
        painter.drawPixmap(0, 0, self._picture)
        theme = current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.selected is not None:
            painter.setClipRect(self._in_sight())
            painter.translate(*(-scrolled for scrolled in self._scroll()))
            shares = np.divide(self.selected, self.counts, out=np.zeros(self.counts.shape), where=self.counts > 0)
            paint_selected(painter, self.layout_, shares.clip(0.0, 1.0), self._roomy)
            painter.resetTransform()
        for marked, token in ((self._hovered, "dim"), (self.cell, "accent")):
            if marked is not None:
                painter.setClipRect(QRectF(self.viewport().rect()) if HEAD in marked else self._in_sight(EDGE))
                self._paint_frame(painter, theme.color(token), self._framed(*marked))
        if self.hasFocus() and self.cell is None:
            painter.setClipRect(self.viewport().rect())
            self._paint_frame(painter, theme.color("accent"), self._in_sight(EDGE).adjusted(1, 1, -1, -1))

    def _framed(self, row: int, column: int) -> QRectF:
        """The focus frame of a cell or a name; around a name it is never thin."""
        place = self.place(row, column).adjusted(-1, -1, 1, 1)
        if HEAD not in (row, column):
            return place
        framed = QRectF(0, 0, max(place.width(), LEAST_FRAME), max(place.height(), LEAST_FRAME))
        framed.moveCenter(place.center())
        return framed

    def _paint_frame(self, painter: QPainter, color: QColor, place: QRectF) -> None:
        pen_and_brush(painter, QPen(color, 2.4 if self.hasFocus() else 1.2))
        corner = min(6.0, place.width() / 3, place.height() / 3)
        painter.drawRoundedRect(place, corner, corner)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard enters at the most frequent confusion if that needs no scrolling, or where it was last."""
        super().focusInEvent(event)
        if event.reason() in ENTERING:
            self._enter_in_sight()
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
                name = f"Predicted {self.classes[cell[1]]}" if cell[0] == HEAD else f"Actual {self.classes[cell[0]]}"
                text = f"{name}\n{text}"
        QToolTip.showText(event.globalPos(), text, self.viewport(), QRect())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = DIRECTIONS.get(Qt.Key(event.key()))
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

    def _walk(self, across: int, down: int) -> None:
        last = len(self.classes) - 1
        if self.cell is None:
            self._enter()
            return
        to = min(last, max(HEAD, self.cell[0] + down)), min(last, max(HEAD, self.cell[1] + across))
        if to != (HEAD, HEAD):
            self.choose(*to)

    def _enter_in_sight(self) -> None:
        """Chooses a cell on entering; a matrix that would have to be scrolled waits for the first key."""
        if self.cell is None and not any(
            bar.maximum() for bar in (self.horizontalScrollBar(), self.verticalScrollBar())
        ):
            self._enter()

    def _enter(self) -> None:
        """Chooses the most frequent confusion, without any the first cell."""
        if self.classes:
            errors = np.where(np.eye(len(self.classes), dtype=np.bool_), 0.0, self.counts)
            row, column = divmod(int(errors.argmax()), len(self.classes))
            self.choose(row, column)
            self._is_entered = True

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y() / 120
            self._set_zoom(self._zoom * ZOOM_STEP**turned, event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def _least_zoom(self) -> float:
        """The zoom at which the whole matrix is in sight, at most 1."""
        layout, area = self.layout_, self.viewport().size()
        across = (area.width() - EDGE - layout.left) * self._zoom / max(1.0, layout.right - layout.left)
        down = (area.height() - EDGE - layout.top) * self._zoom / max(1.0, layout.bottom - layout.top)
        return min(1.0, across, down)

    def _set_zoom(self, zoom: float, position: QPointF | None = None) -> None:
        """Zooms around a point of the viewport, or around the chosen cell."""
        before, (dx, dy) = self.layout_, self._scroll()
        zoom = min(LARGEST_ZOOM, max(self._least_zoom(), zoom))
        if zoom == self._zoom or not self.classes:
            return
        point = position or QPointF(self.viewport().rect().center())
        across = (point.x() + dx - before.left) / before.cell_width
        down = (point.y() + dy - before.top) / before.cell_height
        self._zoom = zoom
        self._relayout()
        after: MatrixLayout = self.layout_
        self.horizontalScrollBar().setValue(round(across - (point.x() - after.left) / after.cell_width))
        self.verticalScrollBar().setValue(round(down - (point.y() - after.top) / after.cell_height))
        if position is None and self.cell is not None and HEAD not in self.cell:
            self._reveal(*self.cell)
