"""What deciding otherwise would cost: by expected cost, and at the threshold that was cheapest on these records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QWidget

from algorithms.evaluation import cost_workings
from algorithms.evaluation.choices import AtThreshold, ByCost
from workbench.evaluate.deciding import Deciding, Offer
from workbench.evaluate.numbers import Figure
from workbench.evaluate.worked_label import Part, WorkedLabel
from workbench.parts import quiet_button
from workbench.theme import SPACE_2, themes
from workbench.views.figures import amount
from workbench.wording import threshold_words

FLATTERS = (
    "This threshold was chosen on the very records it is judged on, so what it would save looks a little better than "
    "it will be on new ones. The threshold by expected cost is not chosen on them."
)
BY_PROBABILITY = (
    "For each record the class that costs least on average, by the model's probabilities (TSKK Eq. 5.79 to 5.83). "
    "It pays as far as the probabilities are right."
)

EXPECTED_COST: Final = "expected cost"
"""What a button that decides by it uses."""


class CheaperWays(QWidget):
    """Two sentences, each with a button to decide so. Only there while mistakes have different costs."""

    def __init__(self, deciding: Deciding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._deciding = deciding
        self._cheapest: float | None = None
        self._said: Offer | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.expected = WorkedLabel("evaluate.cost.expected")
        self.expected.setToolTip(BY_PROBABILITY)
        self.cheapest = WorkedLabel("evaluate.cost.cheapest", "dim")
        self.cheapest.setToolTip(FLATTERS)
        says = "For each record the class that costs least on average; pressed again, the model decides"
        self.use = self._switch("evaluate.cost.use", says, self._use)
        says = "Decide from this threshold on to see what changes; pressed again, the model decides"
        self.try_it = self._switch("evaluate.cost.try", says, self._try)
        themes.follow(self._measure)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACE_2)
        grid.setColumnStretch(0, 1)
        for row, (words, button) in enumerate(((self.expected, self.use), (self.cheapest, self.try_it))):
            grid.addWidget(words, row, 0)
            grid.addWidget(button, row, 1)

    def _switch(self, name: str, says: str, act: Callable[[bool], None]) -> QPushButton:
        made = quiet_button("", name, says)
        made.setCheckable(True)
        made.clicked.connect(act)
        return made

    def _measure(self) -> None:
        """Both as wide as the longest of their words needs: nothing moves when one is pressed."""
        metrics = self.use.fontMetrics()
        words = max(metrics.horizontalAdvance(use_words(what, True)) for what in (EXPECTED_COST, self._threshold))
        for button in (self.use, self.try_it):
            button.setMinimumWidth(words + themes.px(24))

    @property
    def _threshold(self) -> str:
        """The cheapest threshold, as its button calls it."""
        return "" if self._cheapest is None else f"threshold {threshold_words(self._cheapest)}"

    def refresh(self) -> None:
        """Say what holds for the run in view."""
        offer, waits = self._deciding.offer(), self._deciding.costs() is not None and self._deciding.is_priced
        self.setVisible(waits)
        for widget in (self.use, self.try_it, self.cheapest):
            widget.setVisible(offer is not None)
        if offer is None:
            self._said = None
            self.expected.show_parts(["Weighing the costs…"] if waits else [])
            return
        choice, self._cheapest = self._deciding.choice, offer.cheapest.threshold
        if offer is not self._said:
            self._said = offer
            self.expected.show_parts(self._expected_words(offer))
            self.cheapest.show_parts(self._cheapest_words(offer))
        show_used(self.use, EXPECTED_COST, choice == ByCost())
        tried = isinstance(choice, AtThreshold) and choice.threshold == offer.cheapest.threshold
        show_used(self.try_it, self._threshold, tried)
        self._measure()

    def _expected_words(self, offer: Offer) -> list[Part]:
        classes, costs = offer.classes, offer.costs.ordered(offer.classes)
        threshold = cost_workings.threshold(costs, classes.index(offer.label), classes)
        stake = offer.stakes[0]
        total = cost_workings.total_cost(stake, costs, classes, "Cost by expected cost", offer.column)
        own = self._deciding.own_cost()
        saved = 0.0 if own is None else own - float((stake * costs).sum())
        beside = (
            "as the model's own"
            if not saved
            else f"{amount(abs(saved))} {'less' if saved > 0 else 'more'} than the model's own"
        )
        found: list[Part] = ["Deciding by least expected cost"]
        if threshold is not None and threshold.value is not None:
            at = Figure(threshold_words(threshold.value), threshold.value, threshold)
            found += [" (threshold ", at, ")"]
        return [*found, " would cost ", Figure(amount(total.value), total.value, total), f", {beside}."]

    def _cheapest_words(self, offer: Offer) -> list[Part]:
        costs, at = offer.costs.ordered(offer.classes), offer.cheapest.threshold
        matrix = self._deciding.matrix_at(at)
        total = cost_workings.total_cost(offer.stakes[1], costs, offer.classes, "Cost at threshold", offer.column)
        figure = Figure(amount(offer.cheapest.total), offer.cheapest.total, total)
        cheapest = f"The cheapest threshold on these records, {threshold_words(at)},"
        if at > 1:
            cheapest = f"Cheapest on these records is never to say {offer.label} (threshold over 1), which"
        elif matrix is not None and not matrix.sum(axis=0)[_others(offer)].any():
            cheapest = (
                f"Cheapest on these records is always to say {offer.label} (threshold {threshold_words(at)}), which"
            )
        return [f"{cheapest} would cost ", figure, "; on new ones a bit more."]

    def _use(self, wanted: bool) -> None:
        """Decide so, or leave it to the model again; the keyboard stays on the button."""
        if wanted:
            self._deciding.decide_by_cost()
        else:
            self._deciding.decide_as_model()

    def _try(self, wanted: bool) -> None:
        if wanted and self._cheapest is not None:
            self._deciding.decide_at(self._cheapest)
        else:
            self._deciding.decide_as_model()


def _others(offer: Offer) -> list[int]:
    """The codes of all classes but the one whose threshold it is."""
    return [code for code, label in enumerate(offer.classes) if label != offer.label]


def use_words(what: str, is_used: bool) -> str:
    """What a button that decides otherwise says: "Use threshold .37", "Using expected cost"."""
    return f"{'Using' if is_used else 'Use'} {what}"


def show_used(button: QPushButton, what: str, is_used: bool) -> None:
    """Let a button say what it decides by, and whether that is in force."""
    button.setChecked(is_used)
    button.setText(use_words(what, is_used))
    button.setAccessibleName(button.text())
