"""Cost measures with worked formulas, and the ranking of runs by cost, from probabilities of the tested records."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Codes
from algorithms.core.record_costs import Cell, FormulaCosts, RecordCosts
from algorithms.core.scores import ROWS_AT_ONCE, FormulaWorking, Term, cheapest_decisions, quotient, ratio, tolerance
from algorithms.data.columns import FloatArray, is_ascending
from algorithms.data.dataset import Dataset
from algorithms.evaluation.compare.significance_tests import (
    LEAST_PARTS,
    FoldScores,
    PairedComparison,
    compared,
    paired_by_records,
    paired_t,
)
from algorithms.evaluation.costs.decision_rules import NestedThreshold, by_expected_cost
from algorithms.evaluation.costs.mean_cost import Z_95, CostSums, MeanCost, mean_cost, sums_if_varying
from algorithms.evaluation.curves.roc import ScoredClass, loops_for
from algorithms.evaluation.measures.confusion_counts import Matrices, ratios
from algorithms.evaluation.measures.measure import Bounds, Measure, MeasureInput, MeasureInterval, Section, Unit
from algorithms.evaluation.measures.measure_workings import tested
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.sentences import confused

MOST_TERMS: Final = 4
"""Largest number of decision kinds listed in the sum, by descending cost; the others form one term."""
SUM: Final = "sum of all costs"
NO_FORMULAS: Final[Mapping[Cell, FormulaCosts]] = MappingProxyType({})
"""The formulas of costs that are the same for every record."""


def total_cost(
    matrix: FloatArray,
    costs: FloatArray,
    classes: Sequence[str],
    name: str = "Total cost",
    formulas: Mapping[Cell, FormulaCosts] = NO_FORMULAS,
) -> FormulaWorking:
    """Worked sum of a confusion matrix (k, k) times costs (k, k), the mean ones in cells with ``formulas``."""
    products = matrix * costs
    cells = np.flatnonzero(products)
    cells = cells[np.argsort(-np.abs(products.reshape(-1)[cells]), kind="stable")]
    terms, parts = [], []
    for number, cell in enumerate(cells[:MOST_TERMS].tolist(), start=1):
        true, decided = divmod(cell, len(classes))
        low = str(number).translate(str.maketrans("1234", "₁₂₃₄"))
        by_record = formulas.get((true, decided))
        of_one = "cost of one" if by_record is None else f"mean cost of one: {by_record.formula}"
        terms.append(Term(f"n{low}", float(matrix[true, decided]), confused(classes[true], classes[decided])))
        terms.append(Term(f"c{low}", float(costs[true, decided]), of_one))
        parts.append(f"{{n{low}}}·{{c{low}}}")
    if len(cells) > MOST_TERMS:
        rest = float(products.reshape(-1)[cells[MOST_TERMS:]].sum())
        terms.append(Term("rest", rest, f"the same of {len(cells) - MOST_TERMS} other cells, summed"))
        parts.append("{rest}")
    return FormulaWorking(name, " + ".join(parts) or "0", tuple(terms), float(products.sum()))


def decision_costs(report: Report, costs: FloatArray) -> FloatArray:
    """Costs (k, k) that give the report's total with its confusion matrix: means where costs differ by record."""
    return costs if report.cost_sums is None else report.cost_sums.per_cell(report.confusion)


def cost_per_record(matrix: FloatArray, costs: FloatArray) -> FormulaWorking:
    return quotient("Cost per record", Term("total cost", float((matrix * costs).sum()), SUM), tested(matrix))


def costs_worked(report: Report, costs: FloatArray) -> tuple[FormulaWorking, FormulaWorking]:
    """Mean and total cost of a report's decisions under costs (k, k)."""
    paid = decision_costs(report, costs)
    formulas = NO_FORMULAS if report.cost_sums is None else report.cost_sums.formulas
    total = total_cost(report.confusion, paid, report.classes, formulas=formulas)
    return cost_per_record(report.confusion, paid), total


def cheapest_guess(
    matrix: FloatArray, costs: FloatArray, classes: Sequence[str], sums: CostSums | None = None
) -> tuple[int, FormulaWorking]:
    """The cheapest constant prediction and its total cost; ``sums`` replace ``costs`` (k, k) that differ by record."""
    costs, formulas = (costs, NO_FORMULAS) if sums is None else (sums.table, sums.formulas)
    cheapest = int(np.argmin(matrix.sum(axis=1) @ costs))
    always = np.zeros_like(matrix)
    always[:, cheapest] = matrix.sum(axis=1)
    return cheapest, total_cost(always, costs, classes, f"Always {classes[cheapest]}", formulas)


def bounds_of(cost: MeanCost, n: float) -> tuple[FormulaWorking, ...]:
    """Bounds of the 95% interval of a mean cost of ``n`` effective records; empty for too few."""
    if cost.spread is None:
        return ()
    terms = (
        Term("mean", cost.mean, "cost per record"),
        Term("s", cost.spread * math.sqrt(n) / Z_95, "standard deviation of the cost of a record"),
        Term("z", Z_95, "for 95% of a normal distribution"),
        Term("N", float(n), "different records tested"),
    )
    below = cost.mean - cost.spread
    lower, upper = (
        FormulaWorking(f"{name} bound of the cost per record", formula, terms, value)
        for name, formula, value in (
            ("Lower", "{mean} - {z}·{s} / √({N})", below),
            ("Upper", "{mean} + {z}·{s} / √({N})", cost.mean + cost.spread),
        )
    )
    if cost.low is not None and cost.low > below:
        why = f"no record can cost less; mean - z·s / √(N) would be {below:.3g}"
        lower = FormulaWorking(lower.name, "{least}", (Term("least", cost.low, why),), cost.low)
    return lower, upper


def costs_of_many(matrices: Matrices, costs: FloatArray | None, _beta: float) -> FloatArray:
    """Mean cost of a decision for each matrix (p,); without ``costs`` (k, k) every error costs 1."""
    if costs is None:
        return ratios(matrices.total - matrices.right, matrices.total)
    return ratios((matrices.cells * costs).sum(axis=(1, 2)), matrices.total)


def _mean_working(given: MeasureInput) -> FormulaWorking | None:
    report = given.report
    if given.costs is not None:
        return costs_worked(report, given.costs)[0]
    if report.cost is None:
        return None
    terms = (Term("total cost", report.cost.total, SUM), tested(report.confusion))
    return FormulaWorking("Cost per record", "{total cost} / {tested}", terms, report.cost_per_record)


def _total_working(given: MeasureInput) -> FormulaWorking | None:
    report = given.report
    if given.costs is not None:
        return costs_worked(report, given.costs)[1]
    if report.cost is None:
        return None
    terms = (Term("total cost", report.cost.total, SUM),)
    return FormulaWorking("Total cost", "{total cost}", terms, report.cost.total)


def _mean_bounds(given: MeasureInput) -> Bounds | None:
    report = given.report
    cost = report.cost
    if given.costs is not None:
        cost = mean_cost(report.confusion, given.costs, report.n_effective, report.cost_sums)
    ends = () if cost is None else bounds_of(cost, report.n_effective)
    if not ends:
        return None
    lower, upper = ends
    assert lower.value is not None and upper.value is not None
    return Bounds(lower.value, upper.value, lambda: (lower, upper))


COST: Final = Measure(
    "cost",
    "Cost per record",
    "Average over all predictions, by the cost matrix.",
    _mean_working,
    section=Section.COSTS,
    unit=Unit.COST,
    worst=math.inf,
    best=0.0,
    interval=MeasureInterval(
        "95% CI of cost", _mean_bounds, key="cost_interval", sentence="95 of 100 such intervals contain the true mean."
    ),
    curve=costs_of_many,
    key="cost_per_record",
    applies=lambda given: given.costs is not None,
)
"""Hidden without costs, where it would equal the error rate."""
TOTAL_COST: Final = Measure(
    "total-cost",
    "Total cost",
    "Sum of the costs of all predictions by the cost matrix.",
    _total_working,
    section=Section.COSTS,
    unit=Unit.COST,
    worst=math.inf,
    best=0.0,
    applies=lambda given: given.costs is not None,
)


Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class CostStanding:
    """Costs of a run ``as_decided``, and ``cheapest`` by least expected cost, with its confusion matrix (k, k)."""

    as_decided: MeanCost
    cheapest: MeanCost
    confusion: FloatArray


def cheapest_confusion(
    result: EvaluationResult, costs: FloatArray, checkpoint: Callable[[], object] = int
) -> FloatArray:
    """Confusion matrix (k, k) of deciding by least expected cost; costs (k, k) in the order of the classes."""
    loops = loops_for(len(result))
    if loops is None:
        return by_expected_cost(result, costs, checkpoint).confusion
    k, m = len(result.classes), len(result)
    counts, table = np.zeros((k, k)), np.array(costs, dtype=np.float64)
    probabilities, own, truth = (
        as_loops_take(array) for array in (result.probabilities, result.decision, result.truth)
    )
    weights = np.zeros(0) if result.weights is None else as_loops_take(result.weights)
    for first in range(0, m, ROWS_AT_ONCE):
        checkpoint()
        last = min(m, first + ROWS_AT_ONCE)
        loops.count_cheapest(probabilities, own, truth, weights, table, tolerance(table), first, last, counts)
    return counts


def as_loops_take(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """The array if it is writable and contiguous, else such a copy; compiled loops require it."""
    return np.require(array, requirements=["C", "W"])


@dataclass(frozen=True, eq=False)
class CostEvaluation:
    """A result with the ``costs`` that apply to its tests; ``own`` (k, k) is its confusion matrix."""

    result: EvaluationResult
    own: FloatArray
    costs: RecordCosts


def standing(of: CostEvaluation, checkpoint: Callable[[], object] = int) -> CostStanding:
    """Costs of a result as decided and with least expected cost."""
    result, costs, n = of.result, of.costs, of.result.n_effective
    if not costs.varies:
        confusion = cheapest_confusion(result, costs.fixed, checkpoint)
        return CostStanding(mean_cost(of.own, costs.fixed, n), mean_cost(confusion, costs.fixed, n), confusion)
    cheapest = by_expected_cost(result, costs, checkpoint)
    own, least = (CostSums.of(result, decision, costs) for decision in (result.decision, cheapest.decision))
    confusion = cheapest.confusion
    return CostStanding(mean_cost(of.own, costs.table, n, own), mean_cost(confusion, costs.table, n, least), confusion)


def standings(wanted: Iterable[CostEvaluation], checkpoint: Callable[[], object] = int) -> list[CostStanding]:
    return [standing(evaluation, checkpoint) for evaluation in wanted]


def ranked(costs_of_runs: Sequence[CostStanding]) -> list[int]:
    """Indices of the runs by mean cost with least expected cost, the cheapest first; a stable sort."""
    return sorted(range(len(costs_of_runs)), key=lambda run: costs_of_runs[run].cheapest.mean)


@dataclass(frozen=True, eq=False)
class CostedResult:
    """Costs of a result, and the negative cost of each test as ``scores`` in units of ``scale``.

    ``guess`` is the cost per record of always predicting ``guessed``, the class for which that is cheapest.
    """

    standing: CostStanding
    scores: FoldScores
    scale: float
    guess: float
    guessed: str
    costs: RecordCosts

    @property
    def mean(self) -> float:
        """Mean cost per record with least expected cost, by which runs are ranked."""
        return self.standing.cheapest.mean

    @property
    def interval(self) -> tuple[float, float]:
        """95% confidence interval of :attr:`mean`; the mean itself for fewer than two records."""
        cost = self.standing.cheapest
        return (cost.mean if cost.low is None else cost.low), self.mean + (cost.spread or 0.0)

    @property
    def has_enough_folds(self) -> bool:
        """Whether there are folds enough for :attr:`interval_over_folds` to be over them."""
        return len(self.scores.accuracy) >= LEAST_PARTS

    @property
    def interval_over_folds(self) -> tuple[float, float]:
        """As :attr:`interval`, with five folds or more as wide as that of the corrected resampled t test over them.

        It is no narrower than over the records, since stratified folds hide how rare a class may be.
        """
        low, high = self.interval
        of_folds = self.scores.accuracy
        if not self.has_enough_folds:
            return low, high
        margin = self.scale * paired_t(of_folds - of_folds.mean(), test_share=self.scores.test_share).interval[1]
        least = self.standing.cheapest.least
        return min(low, max(least, self.mean - margin)), max(high, self.mean + margin)


def priced(of: CostEvaluation, checkpoint: Callable[[], object] = int) -> CostedResult:
    """Costs of a result's tests (total, mean, interval) and the scores for paired comparisons."""
    result = of.result
    decision = cheapest_decisions(result.probabilities, result.decision, of.costs, checkpoint)
    code, total = cheapest_constant(of)
    guess = ratio(total, float(of.own.sum())) or 0.0
    scores, guessed = _scores(of, decision), result.classes[code]
    return CostedResult(standing(of, checkpoint), scores, of.costs.span, guess, guessed, of.costs)


@dataclass(frozen=True)
class ComparedCost:
    """Decisions against always predicting ``guessed``, the cheapest: ``more`` in all, ``less`` per record (paired).

    ``saved`` is what they save per record against the result's own decisions (paired over the records, as both decide
    by the same models).
    """

    guessed: str
    more: float
    less: PairedComparison
    saved: PairedComparison

    @property
    def saves_clearly(self) -> bool:
        return self.saved.significant and self.saved.difference > 0


def compared_cost(of: CostEvaluation, decision: Codes) -> ComparedCost:
    """Cost of these decisions (m,) compared with always predicting the cheapest class, and with the result's own."""
    code, total = cheapest_constant(of)
    scores, always = (_scores(of, codes) for codes in (decision, np.full_like(decision, code)))
    less = compared(scores, always).times(of.costs.span)
    decided = float((of.result.weight_array * of.costs.of(of.result.truth, decision)).sum())
    return ComparedCost(of.result.classes[code], total - decided, less, _saved(of, decision))


def _saved(of: CostEvaluation, decision: Codes) -> PairedComparison:
    """What these decisions (m,) save per record against the result's own, paired over the records.

    A record counts as often as it was tested, so that n times the saving is the difference of the total costs.
    """
    result, scale = of.result, of.costs.span or 1.0
    saved = (of.costs.of(result.truth, result.decision) - of.costs.of(result.truth, decision)) / scale
    weights: FloatArray | None = result.weights
    if not is_ascending(result.row_ids):  # some records were tested several times
        _, first, record, n_tests = np.unique(
            result.row_ids, return_index=True, return_inverse=True, return_counts=True
        )
        saved = np.bincount(record, saved) / n_tests
        weights = (n_tests if weights is None else n_tests * weights[first]).astype(np.float64)
    return paired_by_records(saved, weights=weights, weights_are_counts=result.weights_are_counts).times(scale)


@dataclass(frozen=True)
class NestedCost:
    """Cost of the cheapest threshold of a class where other folds choose it, ``compared`` with other decisions.

    Both are None where no other folds can choose one: for training records, or a single record.
    """

    threshold: NestedThreshold | None
    compared: ComparedCost | None

    @classmethod
    def of(
        cls,
        of: CostEvaluation,
        scored: ScoredClass,
        data: Dataset | None = None,
        checkpoint: Callable[[], object] = int,
    ) -> NestedCost:
        """The cost for the tests on ``data``, which tells the groups of a method that has some."""
        nested = NestedThreshold.of(scored, of.result, of.costs, checkpoint, data)
        if nested is None:
            return cls(None, None)
        return cls(nested, compared_cost(of, nested.decision))

    @property
    def saved(self) -> PairedComparison | None:
        return None if self.compared is None else self.compared.saved

    @property
    def saves_clearly(self) -> bool:
        return self.compared is not None and self.compared.saves_clearly


def cheapest_constant(of: CostEvaluation) -> tuple[int, float]:
    """The class that is cheapest as a constant prediction, and the total cost of that."""
    sums = sums_if_varying(of.result, of.result.decision, of.costs)
    code, total = cheapest_guess(of.own, of.costs.table, of.result.classes, sums)
    return code, total.value or 0.0


def _scores(of: CostEvaluation, decision: Codes) -> FoldScores:
    """Negative cost of each test under these decisions (m,), in units of the span of the costs."""
    of_tests, scale = of.costs.of(of.result.truth, decision), of.costs.span
    return FoldScores.of(of.result, -of_tests / scale if scale > 0 else np.zeros(len(of_tests)))


def in_units_of(scale: float, of: CostedResult) -> FoldScores:
    """The scores of a result with costs in units of ``scale``."""
    factor = of.scale / scale if scale > 0 else 1.0
    return replace(of.scores, accuracy=factor * of.scores.accuracy, worth=factor * of.scores.worth)
