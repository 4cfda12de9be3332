"""How the records in sight are painted: text elided, missing values dim, a swatch before the class, marks tinted."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen

from algorithms.core.columns import IntArray
from workbench.parts.elision import elided
from workbench.parts.painted_table import Sight, Strip
from workbench.preprocess.records_model import MISSING_MARK, RecordsModel
from workbench.selection import Mask
from workbench.theme import class_color, current_theme, themes

PADDING: Final = 8
LIT_ALPHA: Final = 26
"""How strongly the selected records are tinted, of 255."""
FOUND_ALPHA: Final = 70
SWATCH: Final = 9
AT_END: Final = Qt.TextElideMode.ElideRight


class RecordsPainter:
    """Knows which records are lit and which cells were found, and paints."""

    def __init__(self, model: RecordsModel) -> None:
        self._records = model
        self.lit: Mask | None = None
        """The selected records (n,), which are tinted."""
        self.found: IntArray = np.empty(0, dtype=np.int64)
        """The found cells, row times columns plus column, ascending; they are tinted."""

    def is_lit(self, row: int) -> bool:
        """Whether the record in this row is tinted."""
        record = self._records.record(row)
        return self.lit is not None and record < len(self.lit) and bool(self.lit[record])

    def is_found(self, row: int, column: int) -> bool:
        """Whether this cell is one of those found."""
        place = row * self._records.columnCount() + column
        at = int(np.searchsorted(self.found, place))
        return at < len(self.found) and int(self.found[at]) == place

    def paint(self, painter: QPainter, sight: Sight, font: QFont) -> None:
        """Paint all that is in sight."""
        self._paint_grounds(painter, sight)
        painter.setFont(font)
        for column in sight.columns:
            self._paint_column(painter, sight, column, font)
        focus = sight.focus_rect()
        if focus is not None:
            painter.setPen(QPen(current_theme().color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(focus.adjusted(0, 0, -1, -1))

    def _paint_grounds(self, painter: QPainter, sight: Sight) -> None:
        theme = current_theme()
        chosen, line, tint = theme.color("accent_soft"), theme.color("line"), theme.color("accent")
        tint.setAlpha(LIT_ALPHA)
        some_chosen = sight.has_chosen()
        painter.setPen(line)
        for at, row in enumerate(sight.rows):
            whole = sight.whole(row)
            if self.is_lit(row.at):
                painter.fillRect(whole, tint)
            if some_chosen[at]:
                self._fill_chosen(painter, sight, at, row, chosen)
            painter.drawLine(whole.bottomLeft(), whole.bottomRight())
        if len(self.found):
            self._paint_found(painter, sight)

    @staticmethod
    def _fill_chosen(painter: QPainter, sight: Sight, at: int, row: Strip, color: QColor) -> None:
        for column, is_chosen in zip(sight.columns, sight.chosen[at].tolist(), strict=True):
            if is_chosen:
                painter.fillRect(sight.rect(row, column), color)

    def _paint_found(self, painter: QPainter, sight: Sight) -> None:
        mark = current_theme().color("warning")
        mark.setAlpha(FOUND_ALPHA)
        for row in sight.rows:
            for column in sight.columns:
                if self.is_found(row.at, column.at):
                    painter.fillRect(sight.rect(row, column).adjusted(1, 2, -1, -3), mark)

    def _paint_column(self, painter: QPainter, sight: Sight, column: Strip, font: QFont) -> None:
        theme, records, metrics = current_theme(), self._records, QFontMetrics(font)
        known, missing, wrong = theme.color("text"), theme.color("dim"), theme.color("bad")
        start, room = column.start + PADDING, column.size - 2 * PADDING
        codes = records.class_codes(column.at, [row.at for row in sight.rows])
        if codes is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            radius = themes.px(SWATCH) / 2
            for row, code in zip(sight.rows, codes, strict=True):
                if code >= 0:
                    painter.setBrush(class_color(code))
                    painter.drawEllipse(QPointF(start + radius, row.start + row.size / 2), radius, radius)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            start, room = start + themes.px(SWATCH) + 6, room - themes.px(SWATCH) - 6
        side, labels = records.alignment(column.at), records.labels(column.at)
        for row in sight.rows:
            text = records.text(row.at, column.at)
            is_wrong = records.is_wrong(row.at, column.at)
            painter.setPen(wrong if is_wrong else missing if text is None else known)
            text = text or MISSING_MARK
            shown = elided(metrics, text, room, labels) if labels else metrics.elidedText(text, AT_END, room)
            if is_wrong:
                painter.setFont(themes.font(bold=True))
            painter.drawText(QRect(start, row.start, room, row.size), side, shown)
            if is_wrong:
                painter.setFont(font)
