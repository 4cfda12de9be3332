"""Charts of pairs: a heat map of all, darker is more, and the chart of one, as points, boxes or a mosaic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPen

from algorithms.data.column_statistics import PairPicture
from algorithms.data.columns import FloatArray
from algorithms.text.numbers import data_number, percent
from algorithms.text.sentences import counted
from workbench.layout.points import AxisScale
from workbench.layout.ticks import ticks
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import class_color, current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.keyboard_focus import DIRECTIONS
from workbench.widgets.labels import elided, elided_at_end
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text, pen_and_brush, saved

WIDEST_NAME: Final = 150.0
NOWHERE: Final = (-1, -1)
SCALE_WIDTH, SCALE_HEIGHT = 90.0, 8.0
MOST_MEASURED: Final = 100
EMPTY: Final = Qt.BrushStyle.BDiagPattern
"""Pattern of a cell without a value."""
MOST_HATCHED: Final = 5_000
MOST_GAPS: Final = 6.0
"""Cells of fewer pixels touch."""


@dataclass(frozen=True, eq=False)
class HeatMatrix:
    """What a heat map shows: ``values`` (r, c) from 0 to 1, NaN for an empty cell.

    ``sentence`` says a cell in words, ``number`` is its figure. ``ends`` are the figures at 0 and 1.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    values: FloatArray
    sentence: Callable[[int, int], str]
    number: Callable[[int, int], str]
    titles: tuple[str, str]
    """Titles of the vertical and the horizontal axis."""
    scale: str
    ends: tuple[str, str] = ("0", "1")
    is_in_order: bool = False
    """Whether the columns follow each other as numbers do, so that a few of their names tell the others."""


class HeatMap(PaintedChart):
    """The map. Arrows or the mouse choose a cell; Ctrl+C asks for a copy. Cells without a value are hatched.

    The names of the columns stand upright where they do not fit side by side.
    """

    cell_chosen = Signal(int, int)
    hint, least = (420, 300), (200, 140)

    def __init__(self, name: str, says: str) -> None:
        super().__init__(name, says, expands=True)
        self._says = says
        self.matrix: HeatMatrix | None = None
        self.cell = NOWHERE
        self._measured: tuple[HeatMatrix | None, int, float, float] | None = None

    def show_matrix(self, matrix: HeatMatrix | None, cell: tuple[int, int] = NOWHERE) -> None:
        """Show a matrix with the cursor at ``cell``, without announcing it."""
        self.matrix, self.cell = matrix, cell
        self._describe()
        self.update()

    @property
    def is_empty(self) -> bool:
        return self.matrix is None or not self.matrix.values.size

    def _describe(self) -> None:
        matrix = self.matrix
        words = "" if matrix is None or self.cell == NOWHERE else matrix.sentence(*self.cell)
        self.setAccessibleDescription(words)

    def _grid(self) -> QRectF:
        """The cells, below the scale, right of the names and above those of the columns."""
        metrics, (wide, _) = QFontMetricsF(themes.font(11)), self._widest_names()
        left = min(float(themes.px(WIDEST_NAME)), self.width() / 3, wide) + metrics.height() + 14
        top, across = metrics.height() + 10, max(1.0, self.width() - left - 8)
        bottom = self._height_of_names(across) + metrics.height() + 10
        return QRectF(left, top, across, max(1.0, self.height() - top - bottom))

    def _height_of_names(self, across: float) -> float:
        """Height of the names below a grid as wide as ``across``: more than a line where they stand upright."""
        line, (_, wide) = QFontMetricsF(themes.font(11)).height(), self._widest_names()
        if self.matrix is None or self.matrix.is_in_order or wide + 6 <= across / max(1, len(self.matrix.columns)):
            return line
        return max(line, min(float(themes.px(WIDEST_NAME)), self.height() / 3, wide + 2))

    def _widest_names(self) -> tuple[float, float]:
        """Width of the widest name of a row and of a column in pixels, measured once for a matrix and size of text."""
        font = themes.font(11)
        if self._measured is None or self._measured[0] is not self.matrix or self._measured[1] != font.pixelSize():
            metrics, matrix = QFontMetricsF(font), self.matrix
            rows, columns = (
                max(map(metrics.horizontalAdvance, names[:MOST_MEASURED]), default=0.0)
                for names in (((), ()) if matrix is None else (matrix.rows, matrix.columns))
            )
            self._measured = matrix, font.pixelSize(), rows, columns
        return self._measured[2:]

    def _box(self, row: int, column: int) -> QRectF:
        area, (n_rows, n_columns) = self._grid(), self._shape()
        w, h = area.width() / n_columns, area.height() / n_rows
        return QRectF(area.left() + column * w, area.top() + row * h, w, h)

    def _shape(self) -> tuple[int, int]:
        assert self.matrix is not None
        return len(self.matrix.rows), len(self.matrix.columns)

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        matrix, area, theme = self.matrix, self._grid(), current_theme()
        assert matrix is not None
        colors = [between(theme.color("soft"), theme.color("accent"), share / 255) for share in range(256)]
        shades = np.array([color.rgb() for color in colors], dtype=np.uint32)
        levels = np.nan_to_num(matrix.values * 255).clip(0, 255).astype(np.int64)
        pixels = np.where(np.isnan(matrix.values), np.uint32(theme.color("pane").rgb()), shades[levels])
        pixels = np.ascontiguousarray(pixels, dtype=np.uint32)
        rows, columns = pixels.shape
        image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(area, image)
        box = self._box(0, 0)
        empty = np.argwhere(np.isnan(matrix.values))
        for row, column in empty.tolist() if len(empty) <= MOST_HATCHED else ():
            painter.fillRect(self._box(row, column), QBrush(theme.color("control"), EMPTY))
        if min(box.width(), box.height()) > MOST_GAPS:
            painter.setPen(QPen(theme.color("pane"), 1))
            for row in range(rows + 1):
                y = area.top() + row * box.height()
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            for column in range(columns + 1):
                x = area.left() + column * box.width()
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        metrics = QFontMetricsF(painter.font())
        if box.height() >= metrics.height() and box.width() >= metrics.horizontalAdvance("−0.000") + 4:
            for row, column in np.argwhere(~np.isnan(matrix.values)).tolist():
                fill = colors[int(levels[row, column])]
                ink = readable_ink(fill)
                words = matrix.number(row, column)
                draw_text(painter, self._box(row, column), words, ink, align=Qt.AlignmentFlag.AlignCenter)
        pen_and_brush(painter, QPen(theme.color("line"), 1))
        painter.drawRect(area)
        self._paint_names(painter, matrix)
        self._paint_scale(painter, matrix)
        if self.cell != NOWHERE:
            pen_and_brush(painter, QPen(theme.color("accent" if focus else "text"), 2))
            painter.drawRect(self._box(*self.cell).adjusted(-1, -1, 1, 1))

    def _paint_names(self, painter: QPainter, matrix: HeatMatrix) -> None:
        """Names where they have room, first those of the chosen cell, and the titles of the axes."""
        theme, metrics, area = current_theme(), QFontMetricsF(painter.font()), self._grid()
        start, taken = metrics.height() + 6, list[tuple[float, float]]()
        chosen_row = self.cell[0]
        for row in sorted(range(len(matrix.rows)), key=lambda row: row != chosen_row):
            middle = self._box(row, 0).center().y()
            top, bottom = middle - metrics.height() / 2, middle + metrics.height() / 2
            if all(bottom <= low or top >= high for low, high in taken):
                taken.append((top, bottom))
                room = QRectF(start, top, area.left() - start - 5, metrics.height())
                painter.setPen(theme.color("text" if row == chosen_row else "dim"))
                painter.drawText(
                    room, MIDDLE_RIGHT, elided(metrics, matrix.rows[row], room.width(), tuple(matrix.rows))
                )
        height = self._height_of_names(area.width())
        if height > metrics.height():
            self._paint_upright_names(painter, matrix, height)
        else:
            self._paint_names_side_by_side(painter, matrix)
        painter.setPen(theme.color("dim"))
        below = QRectF(area.left(), area.bottom() + height + 4, area.width(), metrics.height() + 4)
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, elided_at_end(metrics, matrix.titles[1], area.width()))
        with saved(painter):
            painter.translate(2, area.bottom())
            painter.rotate(-90)
            words = elided_at_end(metrics, matrix.titles[0], area.height())
            painter.drawText(QRectF(0, 0, area.height(), metrics.height()), Qt.AlignmentFlag.AlignCenter, words)

    def _paint_names_side_by_side(self, painter: QPainter, matrix: HeatMatrix) -> None:
        """Names of columns under them, first that of the chosen cell, as many as have room."""
        theme, metrics, area = current_theme(), QFontMetricsF(painter.font()), self._grid()
        taken, chosen = list[tuple[float, float]](), self.cell[1]
        for column in sorted(range(len(matrix.columns)), key=lambda column: column != chosen):
            box = self._box(0, column)
            text = elided(metrics, matrix.columns[column], max(box.width(), float(themes.px(70))))
            wide = metrics.horizontalAdvance(text)
            left = min(max(0.0, box.center().x() - wide / 2), self.width() - wide)
            if all(left + wide + 6 <= low or left >= high + 6 for low, high in taken):
                taken.append((left, left + wide))
                painter.setPen(theme.color("text" if column == chosen else "dim"))
                painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 3), text)

    def _paint_upright_names(self, painter: QPainter, matrix: HeatMatrix, height: float) -> None:
        """Names of columns that read upwards and end at them, first that of the chosen cell, as many as have room."""
        theme, metrics, area = current_theme(), QFontMetricsF(painter.font()), self._grid()
        taken, chosen = list[float](), self.cell[1]
        for column in sorted(range(len(matrix.columns)), key=lambda column: column != chosen):
            middle = self._box(0, column).center().x()
            if any(abs(middle - other) < metrics.height() - 1 for other in taken):
                continue
            taken.append(middle)
            painter.setPen(theme.color("text" if column == chosen else "dim"))
            with saved(painter):
                painter.translate(middle - metrics.height() / 2, area.bottom() + 3 + height)
                painter.rotate(-90)
                words = elided(metrics, matrix.columns[column], height, tuple(matrix.columns))
                painter.drawText(QRectF(0, 0, height, metrics.height()), MIDDLE_RIGHT, words)

    def _paint_scale(self, painter: QPainter, matrix: HeatMatrix) -> None:
        """The colours with the figures at their ends, right above the map."""
        theme, metrics, area = current_theme(), QFontMetricsF(painter.font()), self._grid()
        low, high = matrix.ends
        middle, right = metrics.height() / 2 + 2, area.right()
        painter.setPen(theme.color("dim"))
        high_wide, low_wide = metrics.horizontalAdvance(high), metrics.horizontalAdvance(low)
        base = middle + metrics.ascent() / 2 - 1
        painter.drawText(QPointF(right - high_wide, base), high)
        bar = QRectF(right - high_wide - 4 - SCALE_WIDTH, middle - SCALE_HEIGHT / 2, SCALE_WIDTH, SCALE_HEIGHT)
        for step in range(int(SCALE_WIDTH)):
            color = between(theme.color("soft"), theme.color("accent"), step / SCALE_WIDTH)
            painter.fillRect(QRectF(bar.left() + step, bar.top(), 1.5, bar.height()), color)
        painter.drawText(QPointF(bar.left() - low_wide - 4, base), low)
        room = bar.left() - low_wide - 14 - area.left()
        words = elided_at_end(metrics, matrix.scale, max(0.0, room))
        painter.drawText(QPointF(bar.left() - low_wide - 12 - metrics.horizontalAdvance(words), base), words)

    def cell_at(self, position: QPointF) -> tuple[int, int]:
        """The cell at a pixel; NOWHERE beside the cells."""
        area = self._grid()
        if self.is_empty or not area.contains(position):
            return NOWHERE
        n_rows, n_columns = self._shape()
        row = int((position.y() - area.top()) / area.height() * n_rows)
        column = int((position.x() - area.left()) / area.width() * n_columns)
        return min(row, n_rows - 1), min(column, n_columns - 1)

    def choose(self, row: int, column: int) -> None:
        """Move the cursor to a cell and announce it; a cell outside does nothing."""
        if self.is_empty or not (0 <= row < self._shape()[0] and 0 <= column < self._shape()[1]):
            return
        self.cell = (row, column)
        self._describe()
        self.update()
        self.cell_chosen.emit(row, column)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.choose(*self.cell_at(event.position()))

    def tip_at(self, point: QPointF) -> str:
        cell = self.cell_at(point)
        return "" if cell == NOWHERE or self.matrix is None else self.matrix.sentence(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = DIRECTIONS.get(Qt.Key(event.key()))
        if step is None or self.is_empty:
            super().keyPressEvent(event)
        elif self.cell == NOWHERE:
            self.choose(0, 0)
        else:
            self.choose(self.cell[0] + step[1], self.cell[1] + step[0])

    def table_rows(self) -> list[list[str]]:
        matrix = self.matrix
        if matrix is None:
            return []
        rows = [["", *matrix.columns]]
        for row, name in enumerate(matrix.rows):
            empty = np.isnan(matrix.values[row])
            rows.append([name, *("" if empty[c] else matrix.number(row, c) for c in range(len(matrix.columns)))])
        return rows


def _luminance(color: QColor) -> float:
    """Perceived lightness from 0 to 1: the square root of the weighted squares of the parts."""
    return float((0.299 * color.redF() ** 2 + 0.587 * color.greenF() ** 2 + 0.114 * color.blueF() ** 2) ** 0.5)


def readable_ink(fill: QColor) -> QColor:
    """The colour of text or of the pane, whichever reads better on a fill."""
    inks = current_theme().color("text"), current_theme().color("pane")
    return max(inks, key=lambda ink: abs(_luminance(ink) - _luminance(fill)))


def between(a: QColor, b: QColor, share: float) -> QColor:
    """The colour at ``share`` of the way from one to another."""
    pairs = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(x + (y - x) * share) for x, y in pairs))


WIDEST_LABEL: Final = 90.0
RADIUS: Final = 2.6
BOX: Final = 0.5
"""Width of a box as a share of its band; the points stand in the rest."""
MOST_TICKS: Final = 5


class PairChart(PaintedChart):
    """The chart of the chosen pair; the table has its numbers."""

    hint, least = (320, 260), (180, 160)

    def __init__(self, name: str) -> None:
        super().__init__(name, "Chart of the chosen pair of attributes", expands=True)
        self.picture: PairPicture | None = None

    def show_picture(self, picture: PairPicture | None) -> None:
        self.picture = picture
        self.setAccessibleDescription("" if picture is None else self.sentence())
        self.update()

    @property
    def is_empty(self) -> bool:
        return self.picture is None or self.picture.n == 0

    def sentence(self) -> str:
        """What the chart shows, in words."""
        picture = self.picture
        if picture is None:
            return ""
        what = "Points" if not picture.x_values else "Boxes" if not picture.y_values else "Mosaic"
        words = f"{what} of {picture.up.name} by {picture.across.name}, {counted(picture.n, 'record')}"
        sample = f"; {len(picture.x):,} drawn at random" if picture.is_sample else ""
        out = f"; {picture.n_left_out:,} with rarer values not shown" if picture.n_left_out else ""
        return f"{words}{sample}{out}."

    def _area(self) -> QRectF:
        line = QFontMetricsF(themes.font(11)).height()
        left = float(themes.px(WIDEST_LABEL)) * 0.6 + line + 10
        return QRectF(left, 6, max(1.0, self.width() - left - 8), max(1.0, self.height() - 2 * line - 20))

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        picture, area, theme = self.picture, self._area(), current_theme()
        assert picture is not None
        if picture.counts.size:
            self._paint_mosaic(painter, picture, area)
        else:
            self._paint_numbers(painter, picture, area)
        pen_and_brush(painter, QPen(theme.color("line"), 1))
        painter.drawRect(area)
        self._paint_titles(painter, picture, area)

    def _paint_titles(self, painter: QPainter, picture: PairPicture, area: QRectF) -> None:
        metrics = QFontMetricsF(painter.font())
        painter.setPen(current_theme().color("dim"))
        below = QRectF(area.left(), area.bottom() + metrics.height() + 6, area.width(), metrics.height() + 2)
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, elided(metrics, picture.across.name, area.width()))
        with saved(painter):
            painter.translate(2, area.bottom())
            painter.rotate(-90)
            room = QRectF(0, 0, area.height(), metrics.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, elided(metrics, picture.up.name, area.height()))

    def _paint_numbers(self, painter: QPainter, picture: PairPicture, area: QRectF) -> None:
        theme, look, band = current_theme(), StructureColors(current_theme()), 0.0
        y = self._scaled(painter, picture, area, is_up=True)
        if picture.x_values:
            band = area.width() / len(picture.x_values)
            spread = np.random.default_rng(1).uniform(0.0, (1 - BOX) / 2, len(picture.x))
            x = area.left() + band * (picture.x + 0.5 + BOX / 2 + spread - 0.04)
            self._paint_values(painter, picture.x_values, area, band)
        else:
            x = self._scaled(painter, picture, area, is_up=False)
        order = np.random.default_rng(2).permutation(len(x))
        painter.setOpacity(0.85)
        for place in order.tolist():
            middle = QPointF(float(x[place]), float(y[place]))
            draw_symbol(painter, look, int(picture.codes[place]), middle, RADIUS)
        painter.setOpacity(1.0)
        low, high = self._range(picture, is_up=True)
        for place, box in enumerate(picture.boxes.tolist()):
            if np.isnan(box[0]):
                continue
            ends = [area.bottom() - (value - low) / (high - low) * area.height() for value in box]
            center, half = area.left() + band * (place + 0.4), band * BOX / 2
            pen_and_brush(painter, QPen(theme.color("text"), 1.2), theme.color("soft"))
            painter.drawLine(QPointF(center, ends[0]), QPointF(center, ends[4]))
            painter.drawRect(QRectF(center - half, ends[3], 2 * half, ends[1] - ends[3]))
            painter.setPen(QPen(theme.color("text"), 2.4))
            painter.drawLine(QPointF(center - half, ends[2]), QPointF(center + half, ends[2]))

    def _range(self, picture: PairPicture, is_up: bool) -> tuple[float, float]:
        """The range of an axis with a margin."""
        values = picture.y if is_up else picture.x
        if is_up and picture.boxes.size:
            values = np.concatenate([values, picture.boxes[np.isfinite(picture.boxes)]])
        low, high = float(values.min()), float(values.max())
        margin = 0.04 * (high - low) or 1.0
        return low - margin, high + margin

    def _scaled(self, painter: QPainter, picture: PairPicture, area: QRectF, is_up: bool) -> FloatArray:
        """Pixels (m,) of the numbers along an axis, whose ticks are painted."""
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        attribute, values = (picture.up, picture.y) if is_up else (picture.across, picture.x)
        low, high = self._range(picture, is_up)
        for unit, text in ticks(AxisScale(attribute, low, high), 0.0, 1.0, MOST_TICKS):
            painter.setPen(theme.color("dim"))
            if is_up:
                y = area.bottom() - unit * area.height()
                room = QRectF(metrics.height() + 4, y - metrics.height() / 2, area.left() - metrics.height() - 9, 20)
                room.setHeight(metrics.height())
                painter.drawText(room, MIDDLE_RIGHT, elided(metrics, text, room.width()))
                painter.setPen(QPen(theme.color("line"), 1))
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            else:
                x, wide = area.left() + unit * area.width(), metrics.horizontalAdvance(text)
                left = min(x - wide / 2, self.width() - wide)
                painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 3), text)
        share = (values - low) / (high - low)
        return area.bottom() - share * area.height() if is_up else area.left() + share * area.width()

    def _paint_values(self, painter: QPainter, values: tuple[str, ...], area: QRectF, band: float) -> None:
        metrics = QFontMetricsF(painter.font())
        painter.setPen(current_theme().color("dim"))
        for place, value in enumerate(values):
            room = QRectF(area.left() + place * band, area.bottom() + 3, band, metrics.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, elided(metrics, value, band - 4, values))

    def _tiles(self, picture: PairPicture, area: QRectF) -> list[tuple[int, int, QRectF]]:
        """Each value pair with its tile: as wide as the share of its column, as high as its share within."""
        columns, tiles, x = picture.counts.sum(axis=1), [], area.left()
        for i, count in enumerate(columns.tolist()):
            width, y = area.width() * count / max(1, picture.n), area.bottom()
            for j in range(len(picture.y_values)):
                height = area.height() * float(picture.counts[i, j]) / max(1, count)
                y -= height
                tiles.append((i, j, QRectF(x, y, width, height)))
            x += width
        return tiles

    def _color(self, picture: PairPicture, j: int) -> QColor:
        if picture.is_up_class:
            return class_color(picture.up.values.index(picture.y_values[j]))
        theme = current_theme()
        return between(theme.color("soft"), theme.color("accent"), (j + 0.5) / len(picture.y_values))

    def _paint_mosaic(self, painter: QPainter, picture: PairPicture, area: QRectF) -> None:
        metrics, theme = QFontMetricsF(painter.font()), current_theme()
        tiles = self._tiles(picture, area)
        for _, j, tile in tiles:
            painter.fillRect(tile.adjusted(0.5, 0.5, -0.5, -0.5), self._color(picture, j))
        for i, j, tile in tiles:
            painter.setPen(theme.color("dim"))
            if j == 0 and tile.width() > metrics.horizontalAdvance("mm"):
                room = QRectF(tile.left(), area.bottom() + 3, tile.width(), metrics.height())
                words = elided(metrics, picture.x_values[i], room.width() - 4, picture.x_values)
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)
            if tile.height() >= metrics.height() and tile.width() > metrics.horizontalAdvance("mm"):
                words = elided(metrics, picture.y_values[j], tile.width() - 4, picture.y_values)
                ink = readable_ink(self._color(picture, j))
                draw_text(painter, tile, words, ink, align=Qt.AlignmentFlag.AlignCenter)

    def tip_at(self, point: QPointF) -> str:
        picture = self.picture
        if picture is None or self.is_empty:
            return ""
        if picture.counts.size:
            for i, j, tile in self._tiles(picture, self._area()):
                if tile.contains(point):
                    n, of = int(picture.counts[i, j]), int(picture.counts[i].sum())
                    return f"{picture.x_values[i]}, {picture.y_values[j]}: {n:,} of {of:,} ({percent(n / of)})"
        return self.sentence()

    def table_rows(self) -> list[list[str]]:
        picture = self.picture
        if picture is None:
            return []
        if picture.counts.size:
            rows = [[picture.across.name, *picture.y_values]]
            return [*rows, *([v, *map(str, c)] for v, c in zip(picture.x_values, picture.counts.tolist(), strict=True))]
        if picture.boxes.size:
            heads = "Lower whisker", "Lower quartile", "Median", "Upper quartile", "Upper whisker"
            rows = [[picture.across.name, *heads]]
            boxes = zip(picture.x_values, picture.boxes.tolist(), strict=True)
            return [*rows, *([value, *map(data_number, box)] for value, box in boxes)]
        points = zip(picture.x.tolist(), picture.y.tolist(), picture.codes.tolist(), strict=True)
        named = [[data_number(x), data_number(y), picture.classes[code] if code >= 0 else ""] for x, y, code in points]
        return [[picture.across.name, picture.up.name, "Class"], *named]
