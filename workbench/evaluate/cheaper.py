"""What deciding otherwise would cost: by expected cost, and at the threshold that was cheapest on these records."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from algorithms.evaluation import cost_workings
from workbench.evaluate.deciding import AtThreshold, ByCost, Deciding, Offer
from workbench.evaluate.numbers import Figure
from workbench.evaluate.worked_label import Part, WorkedLabel
from workbench.parts import quiet_button
from workbench.theme import SPACE_2
from workbench.views.curve_lines import threshold_words
from workbench.views.figures import amount

FLATTERS = (
    "This threshold was chosen on the very records it is judged on, so what it would save looks a little better than "
    "it will be on new ones. The threshold by expected cost is not chosen on them."
)
BY_PROBABILITY = (
    "For each record the class that costs least on average, by the model's probabilities (TSKK Eq. 5.79 to 5.83). "
    "It pays as far as the probabilities are right."
)


class CheaperWays(QWidget):
    """Two sentences, each with a button to decide so. Only there while mistakes have different costs."""

    def __init__(self, deciding: Deciding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._deciding = deciding
        self._cheapest: float | None = None
        self.expected = WorkedLabel("evaluate.cost.expected")
        self.expected.setToolTip(BY_PROBABILITY)
        self.cheapest = WorkedLabel("evaluate.cost.cheapest", "dim")
        self.cheapest.setToolTip(FLATTERS)
        self.use = quiet_button("Use it", "evaluate.cost.use", "Decide by expected cost", deciding.decide_by_cost)
        self.try_it = quiet_button(
            "Try it", "evaluate.cost.try", "Decide at this threshold to see what changes", self._try
        )
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACE_2)
        grid.setColumnStretch(0, 1)
        for row, (words, button) in enumerate(((self.expected, self.use), (self.cheapest, self.try_it))):
            grid.addWidget(words, row, 0)
            grid.addWidget(button, row, 1)

    def refresh(self) -> None:
        """Say what holds for the run in view."""
        offer, waits = self._deciding.offer(), self._deciding.costs() is not None
        self.setVisible(waits)
        for widget in (self.use, self.try_it, self.cheapest):
            widget.setVisible(offer is not None)
        if offer is None:
            self.expected.show_parts(["Weighing the costs…"] if waits else [])
            return
        choice, self._cheapest = self._deciding.choice, offer.cheapest.threshold
        used = choice == ByCost()
        self.expected.show_parts(self._expected_words(offer))
        self.use.setEnabled(not used)
        self.cheapest.show_parts(self._cheapest_words(offer))
        tried = isinstance(choice, AtThreshold) and choice.threshold == offer.cheapest.threshold
        self.try_it.setEnabled(not tried)

    def _expected_words(self, offer: Offer) -> list[Part]:
        classes, costs = offer.classes, offer.costs.ordered(offer.classes)
        threshold = cost_workings.threshold(costs, classes.index(offer.label), classes)
        total = cost_workings.total_cost(offer.expected.confusion, costs, classes, "Cost by expected cost")
        own = self._deciding.own_cost()
        saved = 0.0 if own is None else own - offer.expected.total
        beside = "as the model's own" if not saved else f"{amount(abs(saved))} {'less' if saved > 0 else 'more'}"
        found: list[Part] = ["By expected cost"]
        if threshold is not None and threshold.value is not None:
            at = Figure(threshold_words(threshold.value), threshold.value, threshold)
            found += [" (threshold ", at, ")"]
        return [*found, ": ", Figure(amount(total.value), total.value, total), f", {beside}."]

    def _cheapest_words(self, offer: Offer) -> list[Part]:
        costs, at = offer.costs.ordered(offer.classes), offer.cheapest.threshold
        matrix = self._deciding.matrix_at(at)
        total = None if matrix is None else cost_workings.total_cost(matrix, costs, offer.classes, "Cost at threshold")
        figure = Figure(amount(offer.cheapest.total), offer.cheapest.total, total)
        return ["Cheapest here (flatters): ", figure, f" at threshold {threshold_words(at)}."]

    def _try(self) -> None:
        if self._cheapest is not None:
            self._deciding.decide_at(self._cheapest)
