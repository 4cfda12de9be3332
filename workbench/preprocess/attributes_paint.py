"""How the attributes in sight are painted: check mark, name, kind, counts, and a small histogram."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from algorithms.core.columns import IntArray
from workbench.parts.elision import elided
from workbench.parts.painted_table import Sight, Strip
from workbench.preprocess.attributes_model import AttributesModel, Part
from workbench.theme import class_color, current_theme, themes

ROW_HEIGHT: Final = 32
PADDING: Final = 8
_MOST_SEGMENTS: Final = 40
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class AttributesPainter:
    """Paints column by column, so that pens and fonts change seldom."""

    def __init__(self, model: AttributesModel) -> None:
        self._model = model

    def paint(self, painter: QPainter, sight: Sight) -> None:
        """Paint all that is in sight."""
        _paint_grounds(painter, sight)
        paint_column = {Part.USED: self._paint_marks, Part.KIND: self._paint_kinds, Part.SHAPE: self._paint_shapes}
        for column in sight.columns:
            part = Part(column.at)
            if part in paint_column:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, part is not Part.SHAPE)  # bars have sharp edges
                paint_column[part](painter, sight, column)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            else:
                self._paint_texts(painter, sight, column, part)
        focus = sight.focus_rect()
        if focus is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(current_theme().color("accent"), 1))
            painter.drawRoundedRect(QRectF(focus).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)

    def _paint_marks(self, painter: QPainter, sight: Sight, column: Strip) -> None:
        """Check boxes; for the class a dot in a ring."""
        model, theme, size = self._model, current_theme(), themes.px(14)
        for row in sight.rows:
            rect = sight.rect(row, column)
            box = QRectF(rect.x() + (rect.width() - size) / 2, rect.y() + (rect.height() - size) / 2, size, size)
            if model.is_class(row.at):
                painter.setPen(QPen(theme.color("text"), 1.2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(box.adjusted(1, 1, -1, -1))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("text"))
                painter.drawEllipse(box.center(), size * 0.24, size * 0.24)
            else:
                _paint_check(painter, box, checked=model.is_in_use(row.at), is_choice=model.is_choice(row.at))

    def _paint_texts(self, painter: QPainter, sight: Sight, column: Strip, part: Part) -> None:
        model, theme = self._model, current_theme()
        quiet_color, color = theme.color("dim"), theme.color("text")
        fonts = {bold: themes.font(bold=bold) for bold in (False, True)}
        metrics = {bold: QFontMetrics(font) for bold, font in fonts.items()}
        side, was_bold = model.alignment(part), None
        names = model.names if part is Part.NAME else ()
        for row in sight.rows:
            text = model.text(row.at, part)
            bold = part is Part.NAME and model.is_class(row.at)
            if bold is not was_bold:
                was_bold = bold
                painter.setFont(fonts[bold])
            quiet = not model.is_in_use(row.at) or text in ("0", "…")
            painter.setPen(quiet_color if quiet else color)
            area = sight.rect(row, column).adjusted(PADDING, 0, -PADDING, 0)
            shown = elided(metrics[bold], text, area.width(), names)
            painter.drawText(area, side, shown)

    def _paint_kinds(self, painter: QPainter, sight: Sight, column: Strip) -> None:
        """The kind in a small frame, with a mark that it can be changed."""
        theme = current_theme()
        line, pane, dim, mark = theme.color("line"), theme.color("pane"), theme.color("dim"), themes.px(6)
        font = themes.font(11)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setBrush(pane)
        arrow, height = QPen(dim, 1.1), metrics.height() + 3
        widths: dict[str, int] = {}
        for row in sight.rows:
            text = self._model.text(row.at, Part.KIND)
            if text not in widths:
                widths[text] = metrics.horizontalAdvance(text) + mark + 18
            middle = row.start + row.size / 2
            frame = QRectF(column.start + PADDING - 2, middle - height / 2, widths[text], height)
            painter.setPen(line)
            painter.drawRoundedRect(frame, 4, 4)
            painter.setPen(dim)
            painter.drawText(frame.adjusted(6, 0, 0, 0), _LEFT, text)
            x, y = frame.right() - 6 - mark, frame.center().y() - mark / 5
            painter.setPen(arrow)
            painter.drawPolyline([QPointF(x, y), QPointF(x + mark / 2, y + mark / 2), QPointF(x + mark, y)])

    def _paint_shapes(self, painter: QPainter, sight: Sight, column: Strip) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        faint, usual = current_theme().color("line"), class_color(0)
        for row in sight.rows:
            sparkline = self._model.sparkline(row.at)
            if sparkline is None or not sparkline.counts.any():
                continue
            area = QRectF(sight.rect(row, column)).adjusted(PADDING, 7, -PADDING, -7)
            if self._model.is_class(row.at) and len(sparkline.counts) <= _MOST_SEGMENTS:
                _paint_shares(painter, area.adjusted(0, 4, 0, -4), sparkline.counts)
            else:
                _paint_bars(painter, area, sparkline.counts, usual if self._model.is_in_use(row.at) else faint)


def _paint_grounds(painter: QPainter, sight: Sight) -> None:
    theme = current_theme()
    chosen_color = theme.color("accent_soft")
    painter.setPen(theme.color("line"))
    for row, is_chosen in zip(sight.rows, sight.has_chosen(), strict=True):
        whole: QRect = sight.whole(row)
        if is_chosen:
            painter.fillRect(whole, chosen_color)
        painter.drawLine(whole.bottomLeft(), whole.bottomRight())


def _paint_check(painter: QPainter, box: QRectF, *, checked: bool, is_choice: bool) -> None:
    theme, size = current_theme(), box.width()
    painter.setBrush(theme.color("accent" if checked else "pane" if is_choice else "soft"))
    painter.setPen(QPen(theme.color("accent" if checked else "dim" if is_choice else "line"), 1))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3.5, 3.5)
    if checked:
        painter.setPen(QPen(theme.color("on_accent"), max(1.6, size / 8)))
        x, y = box.x(), box.y()
        painter.drawPolyline(
            [
                QPointF(x + size * 0.25, y + size * 0.53),
                QPointF(x + size * 0.43, y + size * 0.71),
                QPointF(x + size * 0.76, y + size * 0.32),
            ]
        )


def _paint_bars(painter: QPainter, area: QRectF, counts: IntArray, color: QColor) -> None:
    width = min(area.width() / len(counts), 12.0)
    gap = 1.0 if width > 3 else 0.0
    unit, left, bottom = area.height() / float(counts.max()), area.x(), area.bottom()
    bars = []
    for i, count in enumerate(counts.tolist()):
        if count:
            height = max(1.0, unit * count)
            bars.append(QRectF(left + i * width, bottom - height, width - gap, height))
    painter.setBrush(color)
    painter.drawRects(bars)


def _paint_shares(painter: QPainter, area: QRectF, counts: IntArray) -> None:
    """One bar cut by the classes' shares."""
    x, scale = area.x(), area.width() / float(counts.sum())
    for code, count in enumerate(counts.tolist()):
        painter.setBrush(class_color(code))
        painter.drawRect(QRectF(x, area.y(), count * scale, area.height()))
        x += count * scale
