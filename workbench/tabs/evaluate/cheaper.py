"""What deciding otherwise would cost: by expected cost, and at the threshold that was cheapest on these records."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QGridLayout, QPushButton, QSizePolicy, QWidget

from algorithms.evaluation.costs import cost_workings
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.text.names import shortened
from algorithms.text.numbers import amount
from algorithms.text.sentences import threshold_words
from workbench.style.theme import SPACE_2, themes
from workbench.tabs.evaluate.deciding import CheaperDecisions, RunDecisions
from workbench.tabs.evaluate.numbers import MetricFigure
from workbench.tabs.evaluate.working_note import Part, WorkedLabel
from workbench.widgets.buttons import quiet_button

EXPECTED_COST: Final = "expected cost"
"""What a button that decides by it uses."""
WIDEST_THRESHOLD: Final = "threshold .8888"
LONGEST_NAME: Final = 12


class DecisionActions(QObject):
    """``use`` decides by expected cost and ``try_it`` by the cheapest threshold; pressed again, the model decides.

    Their object names are ``name`` with ".use" and ".try" after it. The keyboard stays on what is pressed.
    """

    def __init__(self, deciding: RunDecisions, name: str, parent: QObject) -> None:
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

    def show_offer(self, offer: CheaperDecisions | None) -> None:
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


FLATTERS = (
    "This threshold was chosen on the very records it is judged on, so what it would save looks a little better than "
    "it will be on new ones. The threshold by expected cost is not chosen on them."
)
BY_PROBABILITY = (
    "For each record the class that costs least on average, by the model's probabilities (TSKK Eq. 5.79 to 5.83). "
    "It pays as far as the probabilities are right."
)


LINES = 4
"""So many lines of each sentence have their room while costs are typed in a narrow pane."""


class CheaperRulesBar(QWidget):
    """Two sentences, each with a button to decide so. Only there while mistakes have different costs."""

    def __init__(self, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._deciding = deciding
        self._said: CheaperDecisions | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.expected = WorkedLabel("evaluate.cost.expected")
        self.expected.setToolTip(BY_PROBABILITY)
        self.cheapest = WorkedLabel("evaluate.cost.cheapest", "dim")
        self.cheapest.setToolTip(FLATTERS)
        self._ways = DecisionActions(deciding, "evaluate.cost", self)
        self.use, self.try_it = self._ways.use, self._ways.try_it
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACE_2)
        grid.setColumnStretch(0, 1)
        for row, (words, button) in enumerate(((self.expected, self.use), (self.cheapest, self.try_it))):
            grid.addWidget(words, row, 0)
            grid.addWidget(button, row, 1)
        themes.follow(self._measure)

    def keep_room(self, wanted: bool) -> None:
        """Whether the place of all it may say stays empty while it says nothing, so that nothing moves."""
        for widget in (self, self.cheapest, self.use, self.try_it):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(wanted)
            widget.setSizePolicy(policy)
        for words in (self.expected, self.cheapest):
            words.reserve(LINES if wanted else 0)

    def _measure(self) -> None:
        self._ways.measure()

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
        if offer is not self._said:
            self._said = offer
            self.expected.show_parts(self._expected_words(offer))
            self.cheapest.show_parts(self._cheapest_words(offer))
        self._ways.show_offer(offer)

    def _expected_words(self, offer: CheaperDecisions) -> list[Part]:
        classes, costs = offer.classes, offer.costs.ordered(offer.classes)
        threshold = cost_workings.threshold(costs, classes.index(offer.label), classes)
        stake = offer.stakes[0]
        total = cost_workings.total_cost(stake, costs, classes, "Cost by expected cost", offer.column)
        beside = self._beside(float((stake * costs).sum())) or "as the model's own"
        found: list[Part] = ["Deciding by least expected cost"]
        if threshold is not None and threshold.value is not None:
            at = MetricFigure(threshold_words(threshold.value), threshold.value, threshold)
            found += [" (threshold ", at, ")"]
        return [*found, " would cost ", MetricFigure(amount(total.value), total.value, total), f", {beside}."]

    def _cheapest_words(self, offer: CheaperDecisions) -> list[Part]:
        costs, at = offer.costs.ordered(offer.classes), offer.cheapest.threshold
        matrix = self._deciding.matrix_at(at)
        total = cost_workings.total_cost(offer.stakes[1], costs, offer.classes, "Cost at threshold", offer.column)
        figure = MetricFigure(amount(offer.cheapest.total), offer.cheapest.total, total)
        cheapest = f"The cheapest threshold on these records, {threshold_words(at)},"
        if at > 1:
            cheapest = f"Cheapest on these records is never to say {offer.label} (threshold over 1), which"
        elif matrix is not None and not matrix.sum(axis=0)[_others(offer)].any():
            cheapest = (
                f"Cheapest on these records is always to say {offer.label} (threshold {threshold_words(at)}), which"
            )
        beside = self._beside(offer.cheapest.total)
        return [f"{cheapest} would cost ", figure, f"{beside and f', {beside}'}; on new ones a bit more."]

    def _beside(self, total: float) -> str:
        """How much less or more that is than what the model's own decisions cost; empty where it is the same."""
        own = self._deciding.own_cost()
        saved = 0.0 if own is None else own - total
        return f"{amount(abs(saved))} {'less' if saved > 0 else 'more'} than the model's own" if saved else ""


def _others(offer: CheaperDecisions) -> list[int]:
    """The codes of all classes but the one whose threshold it is."""
    return [code for code, label in enumerate(offer.classes) if label != offer.label]
