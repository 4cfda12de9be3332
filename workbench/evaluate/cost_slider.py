"""One cost under a slider: the chosen cell of the table, from a hundredth to ten thousand, by equal factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.parts import label
from workbench.parts.fields import Slider
from workbench.parts.labels import ElidedLabel
from workbench.theme import SPACE_2, themes

STEPS: Final = 50
"""Steps of the slider for each factor of ten."""
LOWEST, HIGHEST = -2, 4
"""Powers of ten at the ends."""


def cost_at(step: int) -> float:
    """The cost at a step of the slider, with two digits that count."""
    cost = 10.0 ** (step / STEPS)
    return float(f"{cost:.2g}")


def step_of(cost: float) -> int:
    """The step nearest to a cost; the lowest for nothing and for rewards."""
    if cost <= 0:
        return LOWEST * STEPS
    return min(max(round(math.log10(cost) * STEPS), LOWEST * STEPS), HIGHEST * STEPS)


class CostSlider(QWidget):
    """Says which mistake it is about; ``moved`` comes with the cost at each step."""

    moved = Signal(float)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._words = ElidedLabel("", "")
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._value = label("", "heading")
        self._value.setMinimumWidth(themes.px(30))
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.slider = Slider()
        self.slider.setObjectName(name)
        self.slider.setRange(LOWEST * STEPS, HIGHEST * STEPS)
        self.slider.setSingleStep(STEPS // 10)
        self.slider.setPageStep(STEPS)
        self.slider.setMinimumWidth(themes.px(90))
        self.slider.valueChanged.connect(self._moved)
        said = QHBoxLayout()
        said.setSpacing(SPACE_2)
        said.addWidget(self._words, 1)
        said.addWidget(self._value)
        self._row = QHBoxLayout()
        self._row.setSpacing(SPACE_2)
        self._row.addWidget(self.slider, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(said)
        column.addLayout(self._row)

    def add(self, widget: QWidget) -> None:
        """A widget beside the slider."""
        self._row.addWidget(widget)

    def show_cost(self, wordings: Sequence[str], cost: float, shown: str) -> None:
        """Stand at this cost without saying that it was moved; of the words as many are said as there is room for."""
        words = wordings[0]
        self._words.set_wordings(*wordings)
        self._value.setText(shown)
        self.slider.setAccessibleName(f"Cost where it {words}")
        self.slider.setAccessibleDescription(shown)
        self.slider.setToolTip(f"Where it {words}: {shown}. Drag, or use the arrow keys")
        if cost != cost_at(self.slider.value()):  # where it was dragged to is not rounded again
            self.slider.blockSignals(True)
            self.slider.setValue(step_of(cost))
            self.slider.blockSignals(False)

    def _moved(self, step: int) -> None:
        self.moved.emit(cost_at(step))
