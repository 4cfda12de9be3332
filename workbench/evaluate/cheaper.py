"""What deciding otherwise would cost: by expected cost, and at the threshold that was cheapest on these records."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from workbench.evaluate.deciding import AtThreshold, ByCost, Deciding, Offer
from workbench.parts import WholeLabel, quiet_button
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
        self.expected = WholeLabel()
        self.expected.setObjectName("evaluate.cost.expected")
        self.expected.setToolTip(BY_PROBABILITY)
        self.cheapest = WholeLabel("", "dim")
        self.cheapest.setObjectName("evaluate.cost.cheapest")
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
            self.expected.setText("Weighing the costs…" if waits else "")
            return
        choice, self._cheapest = self._deciding.choice, offer.cheapest.threshold
        used = choice == ByCost()
        self.expected.setText(self._expected_words(offer))
        self.use.setEnabled(not used)
        at = threshold_words(offer.cheapest.threshold)
        self.cheapest.setText(f"Cheapest on these records (flatters): {amount(offer.cheapest.total)} at {at}")
        tried = isinstance(choice, AtThreshold) and choice.threshold == offer.cheapest.threshold
        self.try_it.setEnabled(not tried)

    def _expected_words(self, offer: Offer) -> str:
        theory = "" if offer.theoretical is None else f" (threshold {threshold_words(offer.theoretical)})"
        own = self._deciding.own_cost()
        saved = 0.0 if own is None else own - offer.expected.total
        beside = "as the model's own" if not saved else f"{amount(abs(saved))} {'less' if saved > 0 else 'more'}"
        return f"By expected cost{theory}: {amount(offer.expected.total)}, {beside}."

    def _try(self) -> None:
        if self._cheapest is not None:
            self._deciding.decide_at(self._cheapest)
