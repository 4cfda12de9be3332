"""One cost under a slider: the chosen cell of the table, from a hundredth to ten thousand, by equal factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from algorithms.core.errors import DataError
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.costs.cost_matrix import zero_one
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, themes
from workbench.widgets.fields import ElidedComboBox, Slider
from workbench.widgets.labels import ElidedLabel, label

ONCE: Final = "each once"
TIP: Final = "How many times the costs count for each record: once, or as often as a column of numbers says"
WIDTH: Final = 112


class AmountsChoice(ElidedComboBox):
    """A choice among the columns of numbers of the run in view; the session's costs follow it."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self._classes: tuple[str, ...] = ()
        self.setObjectName(name)
        self.setAccessibleName("How many times the costs count for each record")
        self.setToolTip(TIP)
        themes.follow(self._measure)
        self._measure()
        self.activated.connect(self._chosen)

    def _measure(self) -> None:
        self.setFixedWidth(themes.px(WIDTH))

    def show_run(self, run: Run, classes: tuple[str, ...]) -> None:
        """Offer the columns of the table that a run was judged on, and stand at the one in force."""
        self._run, self._classes = run, classes
        now = self._session.data
        attributes = [each for table in (run.data, now) if table is not None for each in table.schema.attributes]
        names = dict.fromkeys(each.name for each in attributes if each.kind is AttributeKind.NUMERIC)
        costs = self._session.costs
        column = "" if costs is None else costs.amounts
        offered = [ONCE, *(f"× {name}" for name in names)] if not run.method.needs_test_data else [ONCE]
        if column and f"× {column}" not in offered:
            offered.append(f"× {column}")
        self.blockSignals(True)
        if [self.itemText(at) for at in range(self.count())] != offered:
            self.clear()
            self.addItems(offered)
        self.setCurrentIndex(offered.index(f"× {column}") if column else 0)
        self.blockSignals(False)
        self.setEnabled(len(offered) > 1)

    def _chosen(self, at: int) -> None:
        column = self.itemText(at).removeprefix("× ") if at > 0 else ""
        run, before = self._run, self._session.costs
        if run is None or run.result is None or column == ("" if before is None else before.amounts):
            return
        try:
            if column:
                self._session.decisions.amounts_in(run, column)
        except DataError as error:
            self._session.messages.error(error)
            self.show_run(run, self._classes)
            return
        made = replace(before or zero_one(self._classes), amounts=column)
        usual = made == zero_one(self._classes)
        self._session.set_costs(None if usual else made)


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
