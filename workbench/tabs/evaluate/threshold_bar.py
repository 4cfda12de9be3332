"""The slider of the threshold, with a mark where the costs alone would put it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QStyle, QStyleOptionSlider, QWidget

from algorithms.text.sentences import threshold_words
from workbench.style.theme import SPACE_2, current_theme, themes
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
