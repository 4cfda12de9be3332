"""Worked formulas of costs, and the cost measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from algorithms.core.scores import FormulaWorking, Term, ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.decision_rules import theoretical_threshold
from algorithms.evaluation.costs.mean_cost import Z_95, MeanCost, mean_cost
from algorithms.evaluation.measures.confusion_counts import Matrices, ratios
from algorithms.evaluation.measures.measure import Bounds, Measure, MeasureInput, MeasureInterval, Section, Unit
from algorithms.evaluation.measures.metrics import Report

MOST_TERMS: Final = 4
"""Largest number of decision kinds listed in the sum, by descending cost; the others form one term."""


def total_cost(
    matrix: FloatArray, costs: FloatArray, classes: Sequence[str], name: str = "Total cost", column: str = ""
) -> FormulaWorking:
    """Worked sum of a confusion matrix (k, k) times costs (k, k).

    With a ``column`` of amounts, the matrix holds the sums of its values instead of counts.
    """
    of = f", {column} in all" if column else ""
    products = matrix * costs
    cells = np.flatnonzero(products)
    cells = cells[np.argsort(-np.abs(products.reshape(-1)[cells]), kind="stable")]
    terms, parts = [], []
    for number, cell in enumerate(cells[:MOST_TERMS].tolist(), start=1):
        true, decided = divmod(cell, len(classes))
        low = str(number).translate(str.maketrans("1234", "₁₂₃₄"))
        terms.append(
            Term(f"n{low}", float(matrix[true, decided]), f"{classes[true]} said to be {classes[decided]}{of}")
        )
        terms.append(Term(f"c{low}", float(costs[true, decided]), "what one of these costs"))
        parts.append(f"{{n{low}}}·{{c{low}}}")
    if len(cells) > MOST_TERMS:
        rest = float(products.reshape(-1)[cells[MOST_TERMS:]].sum())
        terms.append(Term("rest", rest, f"the same of {len(cells) - MOST_TERMS} other kinds of decisions, summed"))
        parts.append("{rest}")
    return FormulaWorking(name, " + ".join(parts) or "0", tuple(terms), float(products.sum()))


def cost_per_record(matrix: FloatArray, costs: FloatArray, stake: FloatArray | None = None) -> FormulaWorking:
    """Mean cost of a decision; ``stake`` (k, k) are summed amounts that replace the counts in the total."""
    total, n = float(((matrix if stake is None else stake) * costs).sum()), float(matrix.sum())
    terms = (Term("total cost", total, "sum of all costs"), Term("tested", n, "records tested"))
    return FormulaWorking("Cost per record", "{total cost} / {tested}", terms, ratio(total, n))


def summed(report: Report) -> tuple[FloatArray, str]:
    """The matrix (k, k) to multiply with costs: counts, or amounts with the name of their column."""
    return (report.confusion, "") if report.at_stake is None else (report.at_stake.sums, report.at_stake.column)


def costs_worked(report: Report, costs: FloatArray) -> tuple[FormulaWorking, FormulaWorking]:
    """Mean and total cost of a report's decisions under costs (k, k)."""
    matrix, column = summed(report)
    mean = cost_per_record(report.confusion, costs, matrix)
    return mean, total_cost(matrix, costs, report.classes, column=column)


def cheapest_guess(
    matrix: FloatArray, costs: FloatArray, classes: Sequence[str], column: str = ""
) -> tuple[int, FormulaWorking]:
    """The class that is cheapest as a constant prediction, and the total cost of that."""
    cheapest = np.argmin(matrix.sum(axis=1) @ costs)
    always = np.zeros_like(matrix)
    always[:, cheapest] = matrix.sum(axis=1)
    return int(cheapest), total_cost(always, costs, classes, f"Always {classes[int(cheapest)]}", column)


def bounds_of(cost: MeanCost, n: float) -> tuple[FormulaWorking, ...]:
    """Bounds of the 95% interval of a mean cost of ``n`` effective records; empty for too few."""
    if cost.spread is None:
        return ()
    terms = (
        Term("mean", cost.mean, "cost per record"),
        Term("s", cost.spread * math.sqrt(n) / Z_95, "standard deviation of what records cost"),
        Term("z", Z_95, "for 95% of a bell curve"),
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


def threshold(costs: FloatArray, code: int, classes: Sequence[str]) -> FormulaWorking | None:
    """Probability of class ``code`` from which predicting it has the lower expected cost (TSKK Eq. 5.83).

    None if :func:`theoretical_threshold` is.
    """
    value = theoretical_threshold(costs, code)
    if value is None:
        return None
    mine, other = classes[code], classes[1 - code]
    beyond = " more than the right decision" if costs[code, code] or costs[1 - code, 1 - code] else ""
    terms = (
        Term(
            "alarm", float(costs[1 - code, code] - costs[1 - code, 1 - code]), f"cost of {mine} where {other}{beyond}"
        ),
        Term("miss", float(costs[code, 1 - code] - costs[code, code]), f"cost of {other} where {mine}{beyond}"),
    )
    return FormulaWorking("Threshold", "{alarm} / ({alarm} + {miss})", terms, value, source="TSKK Eq. 5.83")


def costs_of_many(matrices: Matrices, costs: FloatArray | None, _beta: float) -> FloatArray:
    """Mean cost of a decision for each matrix (p,); without ``costs`` (k, k) every error costs 1."""
    if costs is None:
        return ratios(matrices.total - matrices.right, matrices.total)
    return ratios((matrices.cells * costs).sum(axis=(1, 2)), matrices.total)


def _mean_working(given: MeasureInput) -> FormulaWorking | None:
    report = given.report
    if given.costs is not None:
        return costs_worked(report, given.costs)[0] if given.is_priced else None
    if report.cost is None:
        return None
    terms = (
        Term("total cost", report.cost.total, "sum of all costs"),
        Term("tested", float(report.confusion.sum()), "records tested"),
    )
    return FormulaWorking("Cost per record", "{total cost} / {tested}", terms, report.cost_per_record)


def _total_working(given: MeasureInput) -> FormulaWorking | None:
    report = given.report
    if given.costs is not None:
        return costs_worked(report, given.costs)[1] if given.is_priced else None
    if report.cost is None:
        return None
    terms = (Term("total cost", report.cost.total, "sum of all costs"),)
    return FormulaWorking("Total cost", "{total cost}", terms, report.cost.total)


def _mean_bounds(given: MeasureInput) -> Bounds | None:
    report = given.report
    cost = report.cost
    if given.costs is not None:
        cost = (
            mean_cost(report.confusion, given.costs, report.n_effective, report.at_stake) if given.is_priced else None
        )
    ends = () if cost is None else bounds_of(cost, report.n_effective)
    if not ends:
        return None
    lower, upper = ends
    assert lower.value is not None and upper.value is not None
    return Bounds(lower.value, upper.value, lambda: (lower, upper))


COST: Final = Measure(
    "cost",
    "Cost per record",
    "The amounts of the cost matrix, averaged over the decisions.",
    _mean_working,
    section=Section.COSTS,
    unit=Unit.COST,
    worst=math.inf,
    best=0.0,
    interval=MeasureInterval(
        "95% interval of it",
        _mean_bounds,
        key="cost_interval",
        sentence="Of 100 such intervals, 95 hold the true average.",
    ),
    curve=costs_of_many,
    key="cost_per_record",
    applies=lambda given: given.costs is not None,
)
"""Hidden without costs, where it would equal the error rate."""
TOTAL_COST: Final = Measure(
    "total-cost",
    "Total cost",
    "The amounts of the cost matrix, summed over all decisions.",
    _total_working,
    section=Section.COSTS,
    unit=Unit.COST,
    worst=math.inf,
    best=0.0,
    applies=lambda given: given.costs is not None,
)
