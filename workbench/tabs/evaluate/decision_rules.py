"""Decision rule of the current run: threshold or least expected cost, its cost, and cheaper alternatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QSizePolicy, QWidget

from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs import cost_workings
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.cost_workings import summed
from algorithms.evaluation.costs.decision_rules import (
    AtThreshold,
    ByCost,
    ByExpectedCost,
    Choice,
    in_force,
    theoretical_threshold,
)
from algorithms.evaluation.costs.mean_cost import AmountSums, at_stake, by_amounts, by_price
from algorithms.evaluation.curves.curve_base import ClassCurves, class_curves
from algorithms.evaluation.curves.ranked_records import CheapestThreshold, ScoredClass
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.names import shortened
from algorithms.text.numbers import amount
from algorithms.text.sentences import threshold_words
from workbench.session.decision_rules import OF_THE_TESTS_ALONE, DecisionQuery
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_4, themes
from workbench.tabs.evaluate.numbers import MetricFigure
from workbench.tabs.evaluate.working_note import Part, WorkedLabel
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import WholeLabel, strong
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout


@dataclass(frozen=True, eq=False)
class CheaperDecisions:
    """Cost of alternatives under ``costs``: least expected cost, and the cheapest threshold of ``label``.

    ``stakes`` are the confusion matrices (k, k) of both, weighted by ``amounts`` (m,) of the tests if ``column`` gives
    them. ``weighed`` are then the ranked records weighted by the amounts and by their squares. ``at_expected`` are the
    weighted sums under least expected cost.
    """

    costs: CostMatrix
    classes: tuple[str, ...]
    label: str
    expected: ByExpectedCost
    cheapest: CheapestThreshold
    stakes: tuple[FloatArray, FloatArray]
    amounts: FloatArray | None = None
    column: str = ""
    weighed: tuple[ScoredClass, ScoredClass] | None = None
    at_expected: AmountSums | None = None

    def staked(self, choice: Choice) -> AmountSums | None:
        """Weighted confusion matrix under this rule, a threshold of ``label``; None without amounts."""
        if not isinstance(choice, AtThreshold) or self.weighed is None:
            return self.at_expected
        once, twice = self.weighed
        return AmountSums(self.column, once.confusion(choice.threshold), twice.confusion(choice.threshold))


def made_offer(
    result: EvaluationResult,
    curve: ClassCurves,
    costs: CostMatrix,
    expected: ByExpectedCost,
    amounts: FloatArray | None,
    checkpoint: Callable[[], object],
) -> CheaperDecisions:
    """Computes the alternatives; each test counts ``amounts`` (m,) times, once for None."""
    table, scored, classes = costs.ordered(result.classes), curve.scored, result.classes
    if amounts is None:
        cheapest = scored.cheapest(table)
        stakes = expected.confusion, scored.confusion(cheapest.threshold)
        return CheaperDecisions(costs, classes, curve.label, expected, cheapest, stakes)
    stake = at_stake(result, expected.decision, amounts, costs.amounts)
    once = ScoredClass.of(by_amounts(result, amounts), scored.code, checkpoint)
    twice = ScoredClass.of(by_amounts(result, amounts**2), scored.code, checkpoint)
    cheapest = once.cheapest(table)
    stakes = stake.sums, once.confusion(cheapest.threshold)
    return CheaperDecisions(
        costs, classes, curve.label, expected, cheapest, stakes, amounts, costs.amounts, (once, twice), stake
    )


@dataclass(frozen=True, eq=False)
class CostWeightedCurve:
    """Curve with tests weighted by ``amounts`` (m,) relative to the mean amount ``usual``."""

    amounts: FloatArray
    usual: float
    curve: ClassCurves


def priced_curve(
    result: EvaluationResult, code: int, amounts: FloatArray, checkpoint: Callable[[], object]
) -> CostWeightedCurve:
    """Computes the curve with each test weighted by its amount."""
    priced, usual = by_price(result, amounts)
    return CostWeightedCurve(amounts, usual, class_curves(priced, code, checkpoint))


class RunDecisions(QObject):
    """Decision rule of the current run; ``changed`` reports a new rule or a finished computation."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self.label = ""
        self._priced: WeakKeyDictionary[Run, CostWeightedCurve] = WeakKeyDictionary()
        self._offers: WeakKeyDictionary[Run, CheaperDecisions] = WeakKeyDictionary()
        self._report: tuple[object, Report] | None = None
        session.decisions.changed.connect(self.changed)
        session.decisions.reports.arrived.connect(self.changed)

    # ---- what is looked at -----------------------------------------------------------------------------------------

    def look_at(self, run: Run, label: str) -> None:
        """Sets the tested run and the class of interest."""
        self._run, self.label = run, label

    @property
    def choice(self) -> Choice | None:
        """The rule in use; None for the default rule."""
        if self._run is None:
            return None
        return in_force(self._session.decisions.chosen(self._run), self.label, self.costs() is not None)

    def decide_at(self, threshold: float) -> None:
        """Uses a threshold for the class of interest."""
        self._choose(AtThreshold(self.label, threshold))

    def decide_by_cost(self) -> None:
        """Uses least expected cost."""
        self._choose(ByCost())

    def decide_as_model(self) -> None:
        """Uses the default rule."""
        self._choose(None)

    def _choose(self, choice: Choice | None) -> None:
        if self._run is not None and choice != self.choice:
            self._session.decisions.choose(self._run, choice)

    # ---- what follows ----------------------------------------------------------------------------------------------

    def report(self) -> Report | None:
        """Report under the current rule; under the default rule until it is computed."""
        run, choice = self._run, self.choice
        own = None if run is None else self._session.decisions.report_of(run)
        decided = None if run is None or choice is None else self._session.decisions.reports.decided(run)
        if decided is None or choice is None:
            return own
        key = (own, decided)
        if self._report is None or self._report[0] != key:
            self._report = (key, self._staked(decided, choice))
        return self._report[1]

    def _staked(self, report: Report, choice: Choice) -> Report:
        """The report, with weighted sums if records count with amounts."""
        run, costs = self._run, self._session.costs
        amounts = None if run is None else self._session.decisions.amounts_of(run)
        if run is None or run.result is None or costs is None or amounts is None:
            return report
        offer = self.offer()
        if offer is not None:
            return replace(report, at_stake=offer.staked(choice))
        expected = self.expected() if isinstance(choice, ByCost) else None
        decided = self._session.decisions.asked(run).decisions() if expected is None else expected.decision
        return replace(report, at_stake=at_stake(run.result, decided, amounts, costs.amounts))

    def matrix_at(self, threshold: float) -> FloatArray | None:
        """Confusion matrix (k, k) at this threshold; None until the curve is computed."""
        curve = self.curve()
        return None if curve is None else curve.scored.confusion(threshold)

    def if_by_cost(self, run: Run) -> DecisionQuery:
        """Query for least expected cost, whether in use or not; without costs each error costs 1."""
        query, costs = self._session.decisions.asked(run), self.costs()
        if costs is None:
            costs = 1.0 - np.eye(len(query.result.classes))
        return replace(query, rule=replace(query.rule, choice=ByCost(), costs=costs))

    @property
    def threshold(self) -> float | None:
        """Threshold of the class of interest under the current rule; None if it has none."""
        choice = self.choice
        if isinstance(choice, AtThreshold):
            return choice.threshold
        return None if choice is None else self.theoretical

    @property
    def theoretical(self) -> float | None:
        """Theoretical threshold of the class of interest from the costs; None without one."""
        costs, report = self.costs(), None if self._run is None else self._run.report
        if costs is None or report is None or self.label not in report.classes:
            return None
        return theoretical_threshold(costs, report.classes.index(self.label))

    def words(self) -> str:
        """The rule in words: "decided at threshold .09"; empty for the default."""
        choice, threshold = self.choice, self.threshold
        if choice is None:
            return ""
        shown = "" if threshold is None else f"threshold {threshold_words(threshold)}"
        if isinstance(choice, AtThreshold) and choice.threshold > 1:
            return f"decided at {shown} (never {choice.label})"
        if isinstance(choice, AtThreshold):
            return f"decided at {shown}"
        return f"decided by expected cost ({shown})" if shown else "decided by expected cost"

    def caution(self) -> str:
        """Remark on metrics under another rule; may be empty."""
        result = None if self._run is None else self._run.result
        if self.choice is None or result is None or result.estimate is None:
            return ""
        return OF_THE_TESTS_ALONE

    def costs(self) -> FloatArray | None:
        """Costs (k, k) in the order of the run's classes; None if every error costs 1."""
        return None if self._run is None else self._session.decisions.costs_of(self._run)

    @property
    def is_priced(self) -> bool:
        """Whether the session's costs apply to the current run."""
        return self._run is not None and self._session.decisions.is_priced(self._run)

    def priced_curve_of(self, run: Run) -> tuple[ClassCurves, FloatArray | None] | None:
        """Curve of a tested run for costs per record, and its costs (k, k); None until it is computed.

        It differs from :meth:`curve_of` if a column gives the amounts of the records.
        """
        if not self._session.decisions.is_priced(run):
            return None
        curve, costs = self.curve_of(run), self._session.decisions.costs_of(run)
        amounts = self._session.decisions.amounts_of(run)
        if curve is None or run.result is None or costs is None or amounts is None:
            return None if curve is None else (curve, costs)
        priced = self._priced.get(run)
        if priced is None or priced.amounts is not amounts or priced.curve.label != curve.label:
            work = partial(priced_curve, run.result, curve.code, amounts)
            priced = self._session.decisions.reports.compute("prices", run, (amounts, curve.label), work, self._priced)
        return None if priced is None else (priced.curve, priced.usual * costs)

    def own_cost(self) -> float | None:
        """Total cost under the default rule; None without costs or before it is computed."""
        costs = self.costs()
        report = None if self._run is None else self._session.decisions.report_of(self._run)
        if costs is None or report is None:
            return None
        return float((summed(report)[0] * costs).sum())

    # ---- what is computed in the background ------------------------------------------------------------------------

    def curve(self) -> ClassCurves | None:
        """Curve of the current run; None until it is computed."""
        return None if self._run is None else self.curve_of(self._run)

    def curve_of(self, run: Run) -> ClassCurves | None:
        """Curve of a tested run for the class of interest; None without one or until it is computed."""
        return self._session.decisions.reports.curve_of(run, self.label)

    def expected(self) -> ByExpectedCost | None:
        """Decisions by least expected cost; None without costs or until they are computed."""
        return None if self._run is None else self._session.decisions.reports.expected_of(self._run)

    def offer(self) -> CheaperDecisions | None:
        """Cost of the alternatives; None without costs or until they are computed."""
        run, costs, curve, expected = self._run, self._session.costs, self.curve(), self.expected()
        if run is None or run.result is None or costs is None or curve is None or expected is None:
            return None
        if not self.is_priced:
            return None
        offer, amounts = self._offers.get(run), self._session.decisions.amounts_of(run)
        if (
            offer is not None
            and offer.costs == costs
            and offer.label == curve.label
            and offer.expected is expected
            and offer.amounts is amounts
        ):
            return offer
        work = partial(made_offer, run.result, curve, costs, expected, amounts)
        source = (costs, curve.label, expected, amounts)
        return self._session.decisions.reports.compute("costs", run, source, work, self._offers)


EXPECTED_COST: Final = "expected cost"
WIDEST_THRESHOLD: Final = "threshold .8888"
LONGEST_NAME: Final = 12


class DecisionActions(QObject):
    """Buttons ``use`` (least expected cost) and ``try_it`` (cheapest threshold); released, the default rule applies.

    Their object names are ``name`` with ".use" and ".try" appended.
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
        """Shows the current rule, and the cheapest threshold of the offer."""
        choice, self._cheapest = self._deciding.choice, None if offer is None else offer.cheapest.threshold
        show_used(self.use, EXPECTED_COST, choice == ByCost())
        tried = isinstance(choice, AtThreshold) and choice.threshold == self._cheapest
        show_used(self.try_it, self._threshold, tried)
        self.measure()

    @property
    def _threshold(self) -> str:
        """Text of the cheapest threshold on its button."""
        if self._cheapest is None:
            return ""
        if self._cheapest > 1:
            return f"“never {shortened(self._deciding.label, LONGEST_NAME)}”"
        return f"threshold {threshold_words(self._cheapest)}"

    def measure(self) -> None:
        """Sets least widths for the longest texts, so that buttons keep their size."""
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
    """Text of a button: "Use threshold .37", "Using expected cost"."""
    return f"{'Using' if is_used else 'Use'} {what}"


def show_used(button: QPushButton, what: str, is_used: bool) -> None:
    """Shows a rule on its button, checked if it is in use."""
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
"""Lines reserved for each sentence while costs are typed in a narrow pane."""


class CheaperRulesBar(ClearWidget):
    """Sentences on both alternatives, each with its button; hidden while errors cost the same."""

    def __init__(self, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._deciding = deciding
        self._offer: CheaperDecisions | None = None
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
        """Whether to reserve the space of hidden sentences, so that nothing moves."""
        for widget in (self, self.cheapest, self.use, self.try_it):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(wanted)
            widget.setSizePolicy(policy)
        for words in (self.expected, self.cheapest):
            words.reserve(LINES if wanted else 0)

    def _measure(self) -> None:
        self._ways.measure()

    def refresh(self) -> None:
        """Shows the alternatives of the current run."""
        offer, waits = self._deciding.offer(), self._deciding.costs() is not None and self._deciding.is_priced
        self.setVisible(waits)
        for widget in (self.use, self.try_it, self.cheapest):
            widget.setVisible(offer is not None)
        if offer is None:
            self._offer = None
            self.expected.show_parts(["Weighing the costs…"] if waits else [])
            return
        if offer is not self._offer:
            self._offer = offer
            self.expected.show_parts(self._expected_words(offer))
            self.cheapest.show_parts(self._cheapest_words(offer))
        self._ways.show_offer(offer)

    def _expected_words(self, offer: CheaperDecisions) -> list[Part]:
        classes, costs = offer.classes, offer.costs.ordered(offer.classes)
        threshold = cost_workings.threshold(costs, classes.index(offer.label), classes)
        stake = offer.stakes[0]
        total = cost_workings.total_cost(stake, costs, classes, "Cost by expected cost", offer.column)
        beside = self._beside(float((stake * costs).sum())) or "as the model's own"
        parts: list[Part] = ["Deciding by least expected cost"]
        if threshold is not None and threshold.value is not None:
            figure = MetricFigure(threshold_words(threshold.value), threshold.value, threshold)
            parts += [" (threshold ", figure, ")"]
        return [*parts, " would cost ", MetricFigure(amount(total.value), total.value, total), f", {beside}."]

    def _cheapest_words(self, offer: CheaperDecisions) -> list[Part]:
        costs, cut = offer.costs.ordered(offer.classes), offer.cheapest.threshold
        matrix = self._deciding.matrix_at(cut)
        total = cost_workings.total_cost(offer.stakes[1], costs, offer.classes, "Cost at threshold", offer.column)
        figure = MetricFigure(amount(offer.cheapest.total), offer.cheapest.total, total)
        cheapest = f"The cheapest threshold on these records, {threshold_words(cut)},"
        if cut > 1:
            cheapest = f"Cheapest on these records is never to say {offer.label} (threshold over 1), which"
        elif matrix is not None and not matrix.sum(axis=0)[_others(offer)].any():
            cheapest = (
                f"Cheapest on these records is always to say {offer.label} (threshold {threshold_words(cut)}), which"
            )
        beside = self._beside(offer.cheapest.total)
        return [f"{cheapest} would cost ", figure, f"{beside and f', {beside}'}; on new ones a bit more."]

    def _beside(self, total: float) -> str:
        """Difference to the cost under the default rule; empty if equal."""
        own = self._deciding.own_cost()
        saved = 0.0 if own is None else own - total
        return f"{amount(abs(saved))} {'less' if saved > 0 else 'more'} than the model's own" if saved else ""


def _others(offer: CheaperDecisions) -> list[int]:
    """Codes of all classes but the one of the threshold."""
    return [code for code, label in enumerate(offer.classes) if label != offer.label]


RULE_LINES: Final = 4
"""Lines always reserved for the text, so that nothing below moves while costs are typed."""


class ActiveRuleBar(QFrame):
    """Line above the cost page: the current rule, its cost, and buttons for the alternatives."""

    def __init__(self, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "pane")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._deciding = deciding
        self._words = named(WholeLabel(), "evaluate.board.force")
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._ways = DecisionActions(deciding, "evaluate.board", self)
        self.use, self.try_it = self._ways.use, self._ways.try_it
        row = row_layout((self._words, 1), inside=self, spacing=SPACE_2, margins=(SPACE_4, SPACE_1, SPACE_4, SPACE_1))
        buttons = column_layout(self.use, self.try_it, spacing=SPACE_1)
        policy = self.try_it.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.try_it.setSizePolicy(policy)
        row.addLayout(buttons)
        themes.follow_now(self._measure)

    def _measure(self) -> None:
        self._ways.measure()
        self._words.reserve(RULE_LINES)

    def show_force(self, n_run: int, words: str) -> None:
        """Shows the rule in use for this run; ``words`` come from ``cost_board.in_force``."""
        offer = self._deciding.offer()
        self._words.setText(f"{strong(f'In force for run {n_run}:')} {escape(words)}")
        self.use.setEnabled(self._deciding.costs() is not None)
        self.try_it.setVisible(offer is not None)
        self._ways.show_offer(offer)
