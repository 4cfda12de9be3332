"""Checklist of runs, the legend of their curves, and the threshold slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QSlider,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionSlider,
    QStyleOptionViewItem,
)

from algorithms.text.sentences import threshold_words
from workbench.style.theme import SPACE_2, current_theme, set_property, themes
from workbench.viewers.charts.curve_plot import TOUCH
from workbench.viewers.charts.legend import NO_KEY, number_key, toggles
from workbench.widgets.buttons import quiet_button
from workbench.widgets.keyboard_focus import keep_place, show_or_hide
from workbench.widgets.labels import elided_at_end, label, lines_of
from workbench.widgets.layouts import ClearWidget, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, draw_text, pen_and_brush, saved
from workbench.widgets.tables import Index

STEPS: Final = 1000
FLATTERS: Final = "A threshold chosen on these records is slightly optimistic."
WHAT_IS_MARKED: Final = (
    "The triangle marks the threshold of least expected cost under the cost matrix, if the probabilities are "
    "calibrated. The cheapest threshold on these records may differ"
)


class MarkedSlider(QSlider):
    """A slider from 0 to 1 in thousandths, with a triangle above one position."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(0, STEPS)
        self.setSingleStep(STEPS // 100)
        self.setPageStep(STEPS // 10)
        self._marked: float | None = None

    @property
    def is_marked(self) -> bool:
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
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_mark(painter, QPointF(x, 0.5))


def paint_mark(painter: QPainter, tip: QPointF) -> None:
    """Paints the triangle at ``tip``, the middle of its upper side."""
    size = themes.px(5)
    pen_and_brush(painter, Qt.PenStyle.NoPen, current_theme().color("text"))
    corners = QPointF(-size, 0), QPointF(size, 0), QPointF(0, 1.4 * size)
    painter.drawPolygon(QPolygonF([tip + corner for corner in corners]))


UNSET: Final = "unset"
"""Part of the slider in the style sheet while no threshold is in use: empty, with a handle only below the mouse."""
NONE_IS_SET: Final = "No threshold is set: the most probable class is predicted"
NO_THRESHOLD: Final = "none"
"""In place of the threshold where the default rule has none, as with more than two classes."""
WIDEST_THRESHOLD: Final = f"{threshold_words(0.888888)}  "


class ThresholdBar(ClearWidget):
    """The threshold slider with its value, and a button that resets it once it is set."""

    moved = Signal(float)
    reset_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shown_words: tuple[str, bool, str] | None = None
        self.slider = named(MarkedSlider(), "evaluate.threshold")
        self.value = named(label("", "small"), "evaluate.threshold.value")
        self.value.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        tip = "Predict by the default rule of the model again"
        self.reset = quiet_button("Reset", "evaluate.threshold.reset", tip, self.reset_asked.emit)
        self.reset.setAccessibleName("Reset threshold")
        keep_place(self.reset, True)
        row_layout(label("Threshold", "dim"), (self.slider, 1), self.value, self.reset, inside=self, spacing=SPACE_2)
        self.slider.valueChanged.connect(lambda value: self.moved.emit(value / STEPS))
        themes.follow_now(self._measure)

    def show_threshold(self, threshold: float | None, own: bool, of_class: str) -> None:
        """Shows the threshold in use, None if the rule is none; ``own`` while the default rule holds."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(STEPS * min(1.0, 0.5 if threshold is None else threshold)))
        set_property(self.slider, "part", UNSET if threshold is None else None)  # its handle then tells no value
        without = NO_THRESHOLD if own else "by cost"
        words = without if threshold is None else threshold_words(threshold)
        self.value.setText(words)
        show_or_hide(self.reset, not own, self.slider)
        explains = f"Predicts {of_class} from this probability on, otherwise the most probable other class"
        unset = f"{NONE_IS_SET}. " if threshold is None and own else ""
        if (of_class, self.slider.is_marked, unset) != self._shown_words:
            self._shown_words = of_class, self.slider.is_marked, unset
            marked = f" {WHAT_IS_MARKED}." if self.slider.is_marked else ""
            self.slider.setToolTip(f"{unset}{explains}. {FLATTERS}{marked}")
            self.slider.setAccessibleName(f"Threshold for {of_class}")
        self.slider.setAccessibleDescription(f"{unset or ('Default. ' if own else f'{words}. ')}{explains}")

    def _measure(self) -> None:
        metrics = QFontMetrics(themes.font(12))  # the label may get its font later
        self.value.setFixedWidth(
            max(map(metrics.horizontalAdvance, (WIDEST_THRESHOLD, "by cost ", f"{NO_THRESHOLD} ")))
        )
        self.reset.ensurePolished()  # it takes its whole room before it was ever shown
        self.slider.setMinimumHeight(themes.px(24))


PEN, SECOND, MARK, NUMBER, FADES = (Qt.ItemDataRole.UserRole + n for n in range(5))
LEAST_LINES: Final = 2
"""Fewest lines that are visible of a list with so many."""
AFTER_ROW: Final = 14
"""Pixels between two rows in one line."""
SAMPLE = 22
"""Width of the sample of a line."""
BEFORE_NAME = 36
"""Width of the check box with its margins."""
MARGINS = 12
"""Width of the margins where there is no check box."""
LEAST_OPACITY: Final = 0.45
"""Opacity of the sample of a line that is not shown."""


@dataclass(frozen=True)
class ChecklistRow:
    """A row: name, second line, pen of its line, tooltip.

    ``shown`` is None without a check box. In a legend ``number`` is that of the run, 0 for what is always shown;
    ``fades`` means that its line is not shown. ``mark`` is "square" on a line, "diamond" for the decision rule,
    "triangle" for the one above the threshold slider, or empty.
    """

    name: str
    below: str
    pen: QPen | None
    tip: str
    shown: bool | None = None
    number: int = 0
    fades: bool = False
    mark: str = ""


class RunsChecklist(QListWidget):
    """A list of :class:`ChecklistRow`; ``itemChanged`` reports a changed check box."""

    def __init__(self, name: str, says: str) -> None:
        super().__init__()
        self._shown: list[ChecklistRow] = []
        named(self, name, says)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)  # a narrower list breaks more of the names
        self.setItemDelegate(_Lines(self))

    def set_in_lines(self, in_lines: bool) -> None:
        """Places the rows one after another in lines, each as a text of one line, or below each other."""
        if in_lines is not self.isWrapping():
            self.setFlow(QListWidget.Flow.LeftToRight if in_lines else QListWidget.Flow.TopToBottom)
            self.setWrapping(in_lines)
            self.scheduleDelayedItemsLayout()

    def height_of_lines(self, width: int, most: int) -> int:
        """Height in pixels of as many whole lines as ``most`` pixels hold, in a list of this width."""
        frame, lines, room = 2 * self.frameWidth(), 0, 0
        for row in range(self.count()):
            wide = min(width - frame, _width_in_line(self.model().index(row, 0)))
            if wide > room:
                lines, room = lines + 1, width - frame
            room -= wide
        return min(lines, max(LEAST_LINES, (most - frame) // _line_height())) * _line_height() + frame

    def forget(self) -> None:
        """Forces a refill after the user changed a row."""
        self._shown = []

    def show_entries(self, entries: Sequence[ChecklistRow]) -> None:
        """Shows these rows; existing rows stay, so that focus and scroll position stay too."""
        if list(entries) == self._shown:
            return
        self._shown = list(entries)
        with QSignalBlocker(self):
            while self.count() > len(entries):
                self.takeItem(self.count() - 1)
            for row, entry in enumerate(entries):
                if row == self.count():
                    self.addItem(QListWidgetItem())
                _fill(self.item(row), entry)
        self.scheduleDelayedItemsLayout()  # other words may need another height, which no list asks for by itself

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():  # a list of rows minds its height only
            self.scheduleDelayedItemsLayout()


class RunsLegend(RunsChecklist):
    """The legend of the curves of runs: a click, Enter or Space on a run is ``clicked_on(number, toggles)``.

    Ctrl toggles, keys 1 to 9 are clicks on runs, and Esc is ``all_asked``.
    """

    clicked_on = Signal(int, bool)
    all_asked = Signal()

    def __init__(self, name: str, says: str) -> None:
        super().__init__(name, says)
        self.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        item = self.itemAt(event.position().toPoint())
        if item is not None and event.button() == Qt.MouseButton.LeftButton:
            self._click(item, toggles(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, place, item = event.key(), number_key(event), self.currentItem()
        runs = [run for run in map(self.item, range(self.count())) if run.data(NUMBER)]
        if key == Qt.Key.Key_Escape:
            self.all_asked.emit()
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._click(item, toggles(event))
        elif NO_KEY != place < len(runs):
            self._click(runs[place], toggles(event))
        else:
            super().keyPressEvent(event)

    def _click(self, item: QListWidgetItem, toggles: bool) -> None:
        if item.data(NUMBER):
            self.clicked_on.emit(item.data(NUMBER), toggles)


def _fill(item: QListWidgetItem, entry: ChecklistRow) -> None:
    flags = Qt.ItemFlag.ItemIsEnabled
    if entry.shown is not None:
        flags |= Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
    item.setFlags(flags)
    ticked = Qt.CheckState.Checked if entry.shown else Qt.CheckState.Unchecked
    tip = f"{entry.name}, {entry.below}" if entry.below else entry.name
    for role, value in (
        (Qt.ItemDataRole.DisplayRole, entry.name),
        (SECOND, entry.below),
        (PEN, entry.pen),
        (MARK, entry.mark),
        (NUMBER, entry.number),
        (FADES, entry.fades),
        (Qt.ItemDataRole.ToolTipRole, entry.tip),
        (Qt.ItemDataRole.AccessibleTextRole, tip),
        (Qt.ItemDataRole.AccessibleDescriptionRole, ("not shown" if entry.fades else "shown") if entry.number else ""),
        (Qt.ItemDataRole.CheckStateRole, None if entry.shown is None else ticked),
    ):
        if item.data(role) != value:
            item.setData(role, value)


class _Lines(QStyledItemDelegate):
    """Paints the check box, the name, and below it a sample of the line with its summary."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics, lines, view = QFontMetrics(themes.font()), 1, self.parent()
        room = view.viewport().width() if isinstance(view, QListWidget) else option.rect.width()
        if self._is_in_lines:
            return QSize(min(room, _width_in_line(index)), _line_height())
        if index.data(SECOND):
            room -= _before(index)
            lines = len(lines_of(index.data(Qt.ItemDataRole.DisplayRole), room, metrics))
            lines += len(_below(index, room))
        return QSize(0, lines * metrics.height() + themes.px(6))

    @property
    def _is_in_lines(self) -> bool:
        view = self.parent()
        return isinstance(view, QListWidget) and view.isWrapping()

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
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._is_in_lines:
                self._paint_line(painter, area, index)
            else:
                self._paint_words(painter, area, option.rect.width() - _before(index), index)

    def _paint_line(self, painter: QPainter, area: QRect, index: Index) -> None:
        """Paints the sample of the line, the name and the summary beside each other."""
        self._paint_sample(painter, area, index)
        rest, theme, small = area.adjusted(_after_sample(index), 0, 0, 0), current_theme(), themes.font(12)
        name, below, in_middle = index.data(Qt.ItemDataRole.DisplayRole), index.data(SECOND), MIDDLE_LEFT
        if not below:
            draw_text(
                painter,
                rest,
                elided_at_end(QFontMetrics(small), name, rest.width()),
                theme.color("dim"),
                small,
                MIDDLE_LEFT,
            )
            return
        font, (_name, beside) = themes.font(), _widths_in_line(index)
        metrics, color = QFontMetrics(font), theme.color("dim" if index.data(FADES) else "text")
        name = elided_at_end(metrics, name, max(0, rest.width() - beside))
        draw_text(painter, rest, name, color, font, in_middle)
        rest.adjust(metrics.horizontalAdvance(name) + SPACE_2, 0, 0, 0)
        below = elided_at_end(QFontMetrics(small), below, rest.width())
        draw_text(painter, rest, below, theme.color("dim"), small, in_middle)

    def _paint_sample(self, painter: QPainter, area: QRect, index: Index) -> None:
        """Paints the sample of the line, or the mark, at the left of an area."""
        sample, pen = themes.px(SAMPLE), index.data(PEN)
        middle_of = QPointF(area.left() + sample / 2, area.center().y())
        if index.data(MARK) == "triangle":
            paint_mark(painter, middle_of - QPointF(0, themes.px(3)))
        elif index.data(MARK) == "diamond":
            size = themes.px(6)
            corners = [QPointF(-size, 0), QPointF(0, -size), QPointF(size, 0), QPointF(0, size)]
            pen_and_brush(painter, Qt.PenStyle.NoPen, current_theme().color("accent"))
            painter.drawPolygon(QPolygonF([middle_of + corner for corner in corners]))
        elif pen is not None:
            painter.setOpacity(LEAST_OPACITY if index.data(FADES) else 1.0)
            painter.setPen(pen)
            middle = area.center().y() + 0.5
            painter.drawLine(QPointF(area.left(), middle), QPointF(area.left() + sample, middle))
            if index.data(MARK) == "square":
                side = themes.px(TOUCH) - 2
                square = QRectF(area.left() + (sample - side) / 2, middle - side / 2, side, side)
                painter.fillRect(square, pen.color())
            painter.setOpacity(1.0)

    def _paint_words(self, painter: QPainter, area: QRect, room: int, index: Index) -> None:
        theme, font, small = current_theme(), themes.font(), themes.font(12)
        high, metrics = QFontMetrics(font).height(), QFontMetrics(font)
        name, below = index.data(Qt.ItemDataRole.DisplayRole), index.data(SECOND)
        names = lines_of(name, room, metrics) if below else []  # as many as its height was made for
        lines = _below(index, room) if below else [name]
        top = area.top() + (area.height() - high * (len(names) + len(lines))) // 2
        beside = QRect(area.left(), top + len(names) * high, area.width(), high)
        fades = bool(index.data(FADES))
        self._paint_sample(painter, beside, index)
        beside.adjust(_after_sample(index), 0, 0, 0)
        in_middle = Qt.AlignmentFlag.AlignVCenter
        for part in lines:
            words = elided_at_end(QFontMetrics(small), part, beside.width())
            draw_text(painter, beside, words, theme.color("dim"), small, in_middle)
            beside.translate(0, high)
        for nth, words in enumerate(names):
            line = QRect(area.left(), top + nth * high, area.width(), high)
            draw_text(painter, line, words, theme.color("dim" if fades else "text"), font, in_middle)


def _before(index: Index) -> int:
    """Pixels of a row that its name does not have."""
    return themes.px(MARGINS if index.data(Qt.ItemDataRole.CheckStateRole) is None else BEFORE_NAME)


def _after_sample(index: Index) -> int:
    """Pixels that the sample of a line, or a mark, takes before the words."""
    has_sample = index.data(PEN) is not None or bool(index.data(MARK))
    return themes.px(SAMPLE) + SPACE_2 if has_sample else 0


def _line_height() -> int:
    return QFontMetrics(themes.font()).height() + themes.px(6)


def _width_in_line(index: Index) -> int:
    """Pixels of a row that shares its line with others."""
    return _before(index) + _after_sample(index) + sum(_widths_in_line(index)) + themes.px(AFTER_ROW)


def _widths_in_line(index: Index) -> tuple[int, int]:
    """Pixels of the name and of the summary beside it."""
    name, below, small = index.data(Qt.ItemDataRole.DisplayRole), index.data(SECOND), QFontMetrics(themes.font(12))
    if not below:
        return small.horizontalAdvance(name), 0
    return QFontMetrics(themes.font()).horizontalAdvance(name), SPACE_2 + small.horizontalAdvance(below)


def _below(index: Index, room: int) -> list[str]:
    """The summary beside the sample, on several lines if one is too short."""
    below = index.data(SECOND)
    if index.data(PEN) is not None:
        room -= themes.px(SAMPLE) + SPACE_2
    is_short = QFontMetrics(themes.font(12)).horizontalAdvance(below) <= room
    return [below] if is_short else below.split(" · ")
