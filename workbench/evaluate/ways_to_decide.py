"""The two buttons that put other decisions into force: least expected cost, and the cheapest threshold."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton

from algorithms.evaluation.choices import AtThreshold, ByCost
from workbench.evaluate.deciding import Deciding, Offer
from workbench.parts import quiet_button
from workbench.theme import themes
from workbench.wording import shortened, threshold_words

EXPECTED_COST: Final = "expected cost"
"""What a button that decides by it uses."""
WIDEST_THRESHOLD: Final = "threshold .8888"
LONGEST_NAME: Final = 12


class WaysToDecide(QObject):
    """``use`` decides by expected cost and ``try_it`` by the cheapest threshold; pressed again, the model decides.

    Their object names are ``name`` with ".use" and ".try" after it. The keyboard stays on what is pressed.
    """

    def __init__(self, deciding: Deciding, name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._deciding = deciding
        self._cheapest: float | None = None
        says = "For each record the class that costs least on average; pressed again, the model decides"
        self.use = quiet_button("", f"{name}.use", says)
        says = "Decide from this threshold on to see what changes; pressed again, the model decides"
        self.try_it = quiet_button("", f"{name}.try", says)
        self.use.clicked.connect(self._use)
        self.try_it.clicked.connect(self._try)
        for button in (self.use, self.try_it):
            button.setCheckable(True)

    def show_offer(self, offer: Offer | None) -> None:
        """Say what is in force for the run that is decided on, and what the offer's threshold is."""
        choice, self._cheapest = self._deciding.choice, None if offer is None else offer.cheapest.threshold
        show_used(self.use, EXPECTED_COST, choice == ByCost())
        tried = isinstance(choice, AtThreshold) and choice.threshold == self._cheapest
        show_used(self.try_it, self._threshold, tried)
        self.measure()

    @property
    def _threshold(self) -> str:
        """The cheapest threshold, as its button calls it."""
        if self._cheapest is None:
            return ""
        if self._cheapest > 1:
            return f"“never {shortened(self._deciding.label, LONGEST_NAME)}”"
        return f"threshold {threshold_words(self._cheapest)}"

    def measure(self) -> None:
        """As wide as the longest of its words needs: nothing moves when one is pressed or another threshold comes."""
        metrics = self.use.fontMetrics()
        for button, whats in ((self.use, (EXPECTED_COST,)), (self.try_it, (self._threshold, WIDEST_THRESHOLD))):
            widest = max(metrics.horizontalAdvance(use_words(what, True)) for what in whats)
            button.setMinimumWidth(widest + themes.px(24))

    def _use(self, wanted: bool) -> None:
        if wanted:
            self._deciding.decide_by_cost()
        else:
            self._deciding.decide_as_model()

    def _try(self, wanted: bool) -> None:
        if wanted and self._cheapest is not None:
            self._deciding.decide_at(self._cheapest)
        else:
            self._deciding.decide_as_model()


def use_words(what: str, is_used: bool) -> str:
    """What a button that decides otherwise says: "Use threshold .37", "Using expected cost"."""
    return f"{'Using' if is_used else 'Use'} {what}"


def show_used(button: QPushButton, what: str, is_used: bool) -> None:
    """Let a button say what it decides by, and whether that is in force."""
    button.setChecked(is_used)
    button.setText(use_words(what, is_used))
    button.setAccessibleName(button.text())
