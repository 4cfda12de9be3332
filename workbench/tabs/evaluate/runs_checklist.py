"""Checklist of runs, and the threshold slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QSlider,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionSlider,
    QStyleOptionViewItem,
    QWidget,
)

from algorithms.text.sentences import threshold_words
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.viewers.charts.curve_plot import TOUCH
from workbench.widgets.buttons import quiet_button
from workbench.widgets.focus import enable
from workbench.widgets.labels import label

STEPS: Final = 1000
FLATTERS: Final = "One chosen for what it does to these records looks a little better than it will be on new ones."
WHAT_IS_MARKED: Final = (
    "The triangle over the slider stands where the costs alone would put the threshold: there the least expected cost "
    "by the probabilities as they are said. What was cheapest on these records may be another"
)


class MarkedSlider(QSlider):
    """A slider from 0 to 1 in thousandths with a small triangle above one place."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(0, STEPS)
        self.setSingleStep(STEPS // 100)
        self.setPageStep(STEPS // 10)
        self._marked: float | None = None

    @property
    def is_marked(self) -> bool:
        """Whether there is a triangle above it."""
        return self._marked is not None

    def set_mark(self, place: float | None) -> None:
        if place != self._marked:
            self._marked = place
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._marked is None:
            return
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        style, part = self.style(), QStyle.SubControl
        groove: QRect = style.subControlRect(QStyle.ComplexControl.CC_Slider, option, part.SC_SliderGroove, self)
        handle: QRect = style.subControlRect(QStyle.ComplexControl.CC_Slider, option, part.SC_SliderHandle, self)
        x = groove.left() + handle.width() / 2 + self._marked * (groove.width() - handle.width())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(painter, QPointF(x, 0.5))
        painter.end()


def paint_mark(painter: QPainter, at: QPointF) -> None:
    """The triangle over the threshold by the costs alone, its upper side in the middle at this place."""
    size = themes.px(5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(current_theme().color("text"))
    corners = QPointF(-size, 0), QPointF(size, 0), QPointF(0, 1.4 * size)
    painter.drawPolygon(QPolygonF([at + corner for corner in corners]))


class ThresholdBar(QWidget):
    """The words "Threshold", the slider, its value, and the way back to the model's own decision."""

    moved = Signal(float)
    reset_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._told: tuple[str, bool] | None = None
        self.slider = MarkedSlider()
        self.slider.setObjectName("evaluate.threshold")
        self.value = label("", "small")
        self.value.setObjectName("evaluate.threshold.value")
        self.value.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.reset = quiet_button(
            "Model's own", "evaluate.threshold.reset", "Leave the decisions to the model", self._ask_reset
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_2)
        row.addWidget(label("Threshold", "dim"))
        row.addWidget(self.slider, 1)
        row.addWidget(self.value)
        row.addWidget(self.reset)
        self.slider.valueChanged.connect(lambda value: self.moved.emit(value / STEPS))
        themes.follow(self._measure)
        self._measure()

    def show_threshold(self, threshold: float | None, own: bool, of_class: str) -> None:
        """Show the threshold in force; None where none is, ``own`` while the model decides."""
        self.slider.blockSignals(True)
        self.slider.setValue(round(STEPS * min(1.0, 0.5 if threshold is None else threshold)))
        self.slider.blockSignals(False)
        words = "" if own else "–" if threshold is None else threshold_words(threshold)
        self.value.setText(words)
        enable(self.reset, not own, self.slider)
        explains = f"Said to be {of_class} from this probability on; otherwise the most probable other class"
        if (of_class, self.slider.is_marked) != self._told:
            self._told = of_class, self.slider.is_marked
            marked = f" {WHAT_IS_MARKED}." if self.slider.is_marked else ""
            self.slider.setToolTip(f"{explains}. {FLATTERS}{marked}")
            self.slider.setAccessibleName(f"Threshold for {of_class}")
        self.slider.setAccessibleDescription(f"{'the model decides' if own else words}. {explains}")

    def _ask_reset(self) -> None:
        self.reset_asked.emit()

    def _measure(self) -> None:
        self.value.setFixedWidth(self.value.fontMetrics().horizontalAdvance(".00833"))
        self.slider.setMinimumHeight(themes.px(24))


Index = QModelIndex | QPersistentModelIndex
PEN, SECOND, MARKED, OF_SLIDER = (Qt.ItemDataRole.UserRole + n for n in range(4))
SAMPLE = 22
"""How wide the piece of a line is that says which is which."""
BEFORE_NAME = 36
"""What the box to tick and the room around it take of a row."""


@dataclass(frozen=True)
class ChecklistRow:
    """One row: its name, what stands below it, the pen of its line where it has one, its tooltip.

    ``shown`` is None for what cannot be ticked; ``fixed`` rows are ticked for good, ``marked`` lines have a
    square on them. ``of_slider`` is the triangle over the slider of the threshold.
    """

    name: str
    below: str
    pen: QPen | None
    tip: str
    shown: bool | None = None
    fixed: bool = False
    marked: bool = False
    of_slider: bool = False


class RunsChecklist(QListWidget):
    """Rows of :class:`ChecklistRow`; ``itemChanged`` comes when one is ticked or no longer."""

    def __init__(self, name: str, says: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: list[ChecklistRow] = []
        self.setObjectName(name)
        self.setAccessibleName(says)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)  # a narrower list breaks more of the names
        self.setItemDelegate(_Lines(self))

    def content_height(self) -> int:
        """The height at which no row is hidden."""
        return sum(self.sizeHintForRow(row) for row in range(self.count())) + 2 * self.frameWidth()

    def forget(self) -> None:
        """Fill the rows anew the next time: a person has changed one."""
        self._shown = []

    def show_entries(self, entries: Sequence[ChecklistRow]) -> None:
        """Show these rows; a row that was there stays, so that keyboard and scrolling stay where they are."""
        if list(entries) == self._shown:
            return
        self._shown = list(entries)
        self.blockSignals(True)
        while self.count() > len(entries):
            self.takeItem(self.count() - 1)
        for at, entry in enumerate(entries):
            if at == self.count():
                self.addItem(QListWidgetItem())
            _fill(self.item(at), entry)
        self.blockSignals(False)
        self.scheduleDelayedItemsLayout()  # other words may need another height, which no list asks for by itself

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():  # a list of rows minds its height only
            self.scheduleDelayedItemsLayout()


def _fill(item: QListWidgetItem, entry: ChecklistRow) -> None:
    flags = Qt.ItemFlag.ItemIsEnabled
    if entry.shown is not None:
        flags |= Qt.ItemFlag.ItemIsSelectable
        flags |= Qt.ItemFlag.NoItemFlags if entry.fixed else Qt.ItemFlag.ItemIsUserCheckable
    item.setFlags(flags)
    ticked = Qt.CheckState.Checked if entry.shown else Qt.CheckState.Unchecked
    told = f"{entry.name}, {entry.below}" if entry.below else entry.name
    for role, value in (
        (Qt.ItemDataRole.DisplayRole, entry.name),
        (SECOND, entry.below),
        (PEN, entry.pen),
        (MARKED, entry.marked),
        (OF_SLIDER, entry.of_slider),
        (Qt.ItemDataRole.ToolTipRole, entry.tip),
        (Qt.ItemDataRole.AccessibleTextRole, told),
        (Qt.ItemDataRole.CheckStateRole, None if entry.shown is None else ticked),
    ):
        if item.data(role) != value:
            item.setData(role, value)


class _Lines(QStyledItemDelegate):
    """The box to tick, the name, and below it a piece of the line with what sums it up."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics, lines = QFontMetrics(themes.font()), 1
        if index.data(SECOND):
            view = self.parent()
            room = view.viewport().width() if isinstance(view, QListWidget) else option.rect.width()
            room -= themes.px(BEFORE_NAME)
            lines = len(lines_of(index.data(Qt.ItemDataRole.DisplayRole), room, metrics))
            lines += len(_below(index, room))
        return QSize(0, lines * metrics.height() + themes.px(6))

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.text = ""  # both lines are painted below

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        whole = QStyleOptionViewItem(option)
        self.initStyleOption(whole, index)
        style = whole.widget.style()
        area = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, whole, whole.widget)
        left = area.left() + style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1
        if index.data(Qt.ItemDataRole.CheckStateRole) is None:
            left = option.rect.left() + themes.px(6)
        area = QRect(left, option.rect.top(), option.rect.right() - left - 2, option.rect.height())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_words(painter, area, option.rect.width() - themes.px(BEFORE_NAME), index)
        painter.restore()

    def _paint_words(self, painter: QPainter, area: QRect, room: int, index: Index) -> None:
        theme, font = current_theme(), themes.font()
        metrics = QFontMetrics(font)
        name, below = index.data(Qt.ItemDataRole.DisplayRole), index.data(SECOND)
        names = lines_of(name, room, metrics) if below else []  # as many as its height was made for
        said = _below(index, room) if below else [name]
        top = area.top() + (area.height() - metrics.height() * (len(names) + len(said))) // 2
        sample = themes.px(SAMPLE)
        second = QRect(area.left(), top + len(names) * metrics.height(), area.width(), metrics.height())
        pen, beside = index.data(PEN), second
        if index.data(OF_SLIDER):
            paint_mark(painter, QPointF(second.left() + sample / 2, second.center().y() - themes.px(3)))
            beside = second.adjusted(sample + SPACE_2, 0, 0, 0)
        elif pen is not None:
            painter.setPen(pen)
            middle = second.center().y() + 0.5
            painter.drawLine(QPointF(second.left(), middle), QPointF(second.left() + sample, middle))
            if index.data(MARKED):
                side = themes.px(TOUCH) - 2
                square = QRectF(second.left() + (sample - side) / 2, middle - side / 2, side, side)
                painter.fillRect(square, pen.color())
            beside = second.adjusted(sample + SPACE_2, 0, 0, 0)
        painter.setPen(theme.color("dim"))
        small = themes.font(12)
        painter.setFont(small)
        for at, part in enumerate(said):
            words = QFontMetrics(small).elidedText(part, Qt.TextElideMode.ElideRight, beside.width())
            line = beside.translated(0, at * metrics.height())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        for at, words in enumerate(names):
            line = QRect(area.left(), top + at * metrics.height(), area.width(), metrics.height())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)


def _below(index: Index, room: int) -> list[str]:
    """What stands below the name beside the piece of the line: a line for each part where one line is too short."""
    below = index.data(SECOND)
    if index.data(PEN) is not None:
        room -= themes.px(SAMPLE) + SPACE_2
    is_short = QFontMetrics(themes.font(12)).horizontalAdvance(below) <= room
    return [below] if is_short else below.split(" · ")


def lines_of(name: str, room: int, metrics: QFontMetrics) -> list[str]:
    """A name on one line where it fits, else on two, broken between words; the second is cut where it must be."""
    if metrics.horizontalAdvance(name) <= room:
        return [name]
    words = name.split(" ")
    fit = sum(metrics.horizontalAdvance(" ".join(words[:n])) <= room for n in range(1, len(words)))
    if not fit:
        return [metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)]
    rest = metrics.elidedText(" ".join(words[fit:]), Qt.TextElideMode.ElideRight, room)
    return [" ".join(words[:fit]), rest]
