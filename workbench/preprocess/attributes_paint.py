"""How a row of the attribute list is painted: check mark, name, kind, counts, and a small histogram."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.preprocess.attributes_model import IN_USE_ROLE, IS_CLASS_ROLE, SPARKLINE_ROLE, Part, Sparkline
from workbench.theme import class_color, current_theme, themes

Index = QModelIndex | QPersistentModelIndex

ROW_HEIGHT: Final = 32
PADDING: Final = 8
_MOST_SEGMENTS: Final = 40


class AttributeDelegate(QStyledItemDelegate):
    """Paints one cell of the list; ``kind_clicked`` says that a person wants to change the kind of a row."""

    kind_clicked = Signal(QModelIndex)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, themes.px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        _paint_ground(painter, option)
        part = Part(index.column())
        if part is Part.USED:
            _paint_mark(painter, option.rect, index)
        elif part is Part.KIND:
            _paint_kind(painter, option.rect, index)
        elif part is Part.SHAPE:
            _paint_shape(painter, option.rect, index)
        else:
            _paint_text(painter, option.rect, index)
        if option.state & QStyle.StateFlag.State_HasFocus:
            _paint_focus(painter, option.rect)
        painter.restore()

    def editorEvent(self, event: QEvent, model: Any, option: QStyleOptionViewItem, index: Index) -> bool:
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            if event.button() == Qt.MouseButton.LeftButton and not event.modifiers():
                if index.column() == Part.USED and index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
                    checked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
                    other = Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked
                    return bool(model.setData(index, other, Qt.ItemDataRole.CheckStateRole))
                if index.column() == Part.KIND:
                    self.kind_clicked.emit(index)
            return False
        return False

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("preprocess.name")
        editor.setAccessibleName("New name")
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect.adjusted(0, 1, 0, -1))


def _paint_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    theme, rect = current_theme(), option.rect
    if option.state & QStyle.StateFlag.State_Selected:
        painter.fillRect(rect, theme.color("accent_soft"))
    painter.setPen(theme.color("line"))
    painter.drawLine(rect.bottomLeft(), rect.bottomRight())


def _paint_focus(painter: QPainter, rect: QRect) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(current_theme().color("accent"), 1))
    painter.drawRoundedRect(QRectF(rect).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)


def _paint_mark(painter: QPainter, rect: QRect, index: Index) -> None:
    """A check box; for the class a dot in a ring."""
    theme = current_theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    size = themes.px(14)
    box = QRectF(rect.x() + (rect.width() - size) / 2, rect.y() + (rect.height() - size) / 2, size, size)
    if index.data(IS_CLASS_ROLE):
        painter.setPen(QPen(theme.color("text"), 1.2))
        painter.drawEllipse(box.adjusted(1, 1, -1, -1))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("text"))
        painter.drawEllipse(box.center(), size * 0.24, size * 0.24)
        return
    checked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    is_choice = bool(index.flags() & Qt.ItemFlag.ItemIsUserCheckable)
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


def _paint_text(painter: QPainter, rect: QRect, index: Index) -> None:
    theme = current_theme()
    text = index.data() or ""
    is_name = index.column() == Part.NAME
    painter.setFont(themes.font(bold=bool(is_name and index.data(IS_CLASS_ROLE))))
    quiet = not index.data(IN_USE_ROLE) or text in ("0", "…")
    painter.setPen(theme.color("dim" if quiet else "text"))
    area = rect.adjusted(PADDING, 0, -PADDING, 0)
    shown = QFontMetrics(painter.font()).elidedText(text, Qt.TextElideMode.ElideMiddle, area.width())
    painter.drawText(area, int(index.data(Qt.ItemDataRole.TextAlignmentRole)), shown)


def _paint_kind(painter: QPainter, rect: QRect, index: Index) -> None:
    """The kind in a small frame, with a mark that it can be changed."""
    theme = current_theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(themes.font(11))
    metrics = QFontMetrics(painter.font())
    text, mark = index.data() or "", themes.px(6)
    height = metrics.height() + 3
    width = metrics.horizontalAdvance(text) + mark + 18
    frame = QRectF(rect.x() + PADDING - 2, rect.center().y() - height / 2 + 0.5, width, height)
    painter.setPen(theme.color("line"))
    painter.setBrush(theme.color("pane"))
    painter.drawRoundedRect(frame, 4, 4)
    painter.setPen(theme.color("dim"))
    painter.drawText(frame.adjusted(6, 0, 0, 0), int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)
    x, y = frame.right() - 6 - mark, frame.center().y() - mark / 5
    painter.setPen(QPen(theme.color("dim"), 1.1))
    painter.drawPolyline([QPointF(x, y), QPointF(x + mark / 2, y + mark / 2), QPointF(x + mark, y)])


def _paint_shape(painter: QPainter, rect: QRect, index: Index) -> None:
    sparkline = index.data(SPARKLINE_ROLE)
    if not isinstance(sparkline, Sparkline) or not sparkline.counts.sum():
        return
    area = QRectF(rect).adjusted(PADDING, 7, -PADDING, -7)
    if index.data(IS_CLASS_ROLE) and len(sparkline.counts) <= _MOST_SEGMENTS:
        _paint_shares(painter, area.adjusted(0, 4, 0, -4), sparkline.counts)
    else:
        faint = not index.data(IN_USE_ROLE)
        color = current_theme().color("line") if faint else QColor(class_color(0))
        _paint_bars(painter, area, sparkline.counts, color)


def _paint_bars(painter: QPainter, area: QRectF, counts: np.ndarray, color: QColor) -> None:
    width = min(area.width() / len(counts), 12.0)
    gap = 1.0 if width > 3 else 0.0
    highest = float(counts.max())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    for i, count in enumerate(counts.tolist()):
        if count:
            height = max(1.0, area.height() * count / highest)
            painter.drawRect(QRectF(area.x() + i * width, area.bottom() - height, width - gap, height))


def _paint_shares(painter: QPainter, area: QRectF, counts: np.ndarray) -> None:
    """One bar cut by the classes' shares."""
    painter.setPen(Qt.PenStyle.NoPen)
    x, scale = area.x(), area.width() / float(counts.sum())
    for code, count in enumerate(counts.tolist()):
        painter.setBrush(class_color(code))
        painter.drawRect(QRectF(x, area.y(), count * scale, area.height()))
        x += count * scale
