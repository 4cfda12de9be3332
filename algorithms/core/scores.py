"""Numbers with their formulas, scores, and decisions from class probabilities: at a threshold, or by least cost.

A :class:`FormulaWorking` is a number with its formula and the values in it, shown as "TP / (TP + FN) = 223 / (223 + 18)
= 0.925". Learners need these scores, and may not import evaluation. A cost matrix (k, k) has a row for each true class
and a column for each decided class; negative entries are rewards. Sources: TSKK Eqs. 5.79 to 5.83; Ting, An
instance-weighting method to induce cost-sensitive trees (2002).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Codes, Problem
from algorithms.core.record_costs import IS_CLASS, AnyCosts, CostCell, FormulaCosts, RecordCosts, record_costs
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.formulas import check_columns, parse_formula
from algorithms.data.summary import Summary
from algorithms.text.numbers import MINUS, significant

_SYMBOL: Final = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Term:
    """A symbol of a formula, its value, and its meaning in a few words."""

    symbol: str
    value: float | None
    meaning: str = ""


@dataclass(frozen=True)
class FormulaWorking:
    """A number with its formula.

    ``formula`` has its terms in braces: ``"{TP} / ({TP} + {FN})"``; ``terms`` are their values. ``value`` is None if
    undefined (a division by zero). ``source`` is an equation of the book or a paper.
    """

    name: str
    formula: str
    terms: tuple[Term, ...]
    value: float | None
    source: str = ""
    shown: str = ""
    """The value as the page writes it, if not with four digits: "91.6%", "<0.001"."""
    digits: int = 4
    """Significant digits of the terms."""

    @property
    def result(self) -> str:
        """The value as text."""
        return self.shown or significant(self.value)

    @property
    def outcome(self) -> str:
        """The result after its sign: "= 0.925", "< 0.001"."""
        return f"< {self.result[1:]}" if self.result.startswith("<") else f"= {self.result}"

    @property
    def symbolic(self) -> str:
        """The formula with its symbols: "TP / (TP + FN)"."""
        return _SYMBOL.sub(r"\1", self.formula)

    @property
    def filled(self) -> str:
        """The formula with its values: "223 / (223 + 18)"."""
        values = {term.symbol: _bracketed(significant(term.value, self.digits)) for term in self.terms}
        return _SYMBOL.sub(lambda symbol: values.get(symbol[1], symbol[1]), self.formula)

    def sentence(self) -> str:
        """The whole line: "Recall = TP / (TP + FN) = 223 / (223 + 18) = 0.925"."""
        parts = [self.name, self.symbolic]
        if self.filled != self.symbolic:
            parts.append(self.filled)
        return f"{' = '.join(parts)} {self.outcome}"


def _bracketed(number: str) -> str:
    return f"({number})" if number.startswith(MINUS) else number


def ratio(numerator: float, denominator: float) -> float | None:
    """The quotient; None if the denominator is 0."""
    return numerator / denominator if denominator else None


def quotient(name: str, above: Term, below: Term, source: str = "") -> FormulaWorking:
    """The quotient of two terms; undefined if one of them is, or if the denominator is 0."""
    value = None if above.value is None or below.value is None else ratio(above.value, below.value)
    return FormulaWorking(name, f"{{{above.symbol}}} / {{{below.symbol}}}", (above, below), value, source)


@dataclass(frozen=True)
class Pairs:
    """Total weights of the (positive, negative) pairs of records: positive scored higher (won), equal or lower (lost).

    The area under the ROC curve is the share of pairs won, ties counting half (Mann and Whitney 1947). ``positives`` is
    the total weight of the positive records, ``precisions`` the weighted sum of the precisions at their scores. The
    mean precision is the area under the precision-recall curve.
    """

    won: float
    tied: float
    lost: float
    positives: float = 0.0
    precisions: float = 0.0

    @property
    def auc(self) -> float | None:
        """The area under the ROC curve; None without pairs."""
        return ratio(self.won + self.tied / 2, self.won + self.tied + self.lost)

    def working(self) -> FormulaWorking:
        """The area under the ROC curve with its formula."""
        terms = (
            Term("won", self.won, "pairs in which the record of the class got the higher probability of it"),
            Term("tied", self.tied, "pairs in which both got the same"),
            Term("lost", self.lost, "pairs in which the other record got the higher one"),
        )
        formula = "({won} + {tied} / 2) / ({won} + {tied} + {lost})"
        return FormulaWorking("AUC", formula, terms, self.auc, source="Mann and Whitney 1947")

    def average_precision(self) -> FormulaWorking:
        """The area under the precision-recall curve in steps (average precision)."""
        meaning = "precision if all at least as likely were taken for the class, summed over its records"
        of_it = Term("of it", self.positives, "records of the class")
        return quotient("PR area", Term("Σ p", self.precisions, meaning), of_it)


def compared_pairs(positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> Pairs:
    """Pairs of ``positive`` (n,) and other records by ``scores`` (n,), counted exactly, with ``weights`` (n,)."""
    values = np.asarray(scores)
    if not len(values):
        return Pairs(0.0, 0.0, 0.0)
    order = np.argsort(values)
    ordered, is_positive = values[order], np.asarray(positive, dtype=bool)[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    weight = 1.0 if weights is None else np.asarray(weights, dtype=np.float64)[order]
    positives = np.add.reduceat(np.where(is_positive, weight, 0.0), starts)
    negatives = np.add.reduceat(np.where(is_positive, 0.0, weight), starts)
    below = np.cumsum(negatives)
    above = float(negatives.sum()) - below
    true_positives = float(positives.sum()) - np.cumsum(positives) + positives
    predicted = true_positives + above + negatives
    precision = np.divide(true_positives, predicted, out=np.zeros(len(starts)), where=predicted > 0)
    return Pairs(
        won=float(positives @ (below - negatives)),
        tied=float(positives @ negatives),
        lost=float(positives @ above),
        positives=float(positives.sum()),
        precisions=float(positives @ precision),
    )


def normal_quantile(confidence: float) -> float:
    """The z of a two-sided interval with this confidence: 1.96 for 0.95. Raises ``ValueError`` outside 0 to 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    from statistics import NormalDist  # late: the window opens without it

    return NormalDist().inv_cdf(0.5 + confidence / 2)


_Z: Final = np.linspace(-8.5, 8.5, 137)
"""Nodes of trapezoids, which converge exponentially here; the range of scipy has half a second of imports."""


def normal_range_tail(widths: ArrayLike, k: int) -> FloatArray:
    """P(range of k independent standard normal values > w) of each width w, to about 1e-13.

    It is 1 - k ∫ φ(z) (Φ(z) - Φ(z - w))^(k - 1) dz: the studentized range with infinite degrees of freedom.
    """
    from scipy.special import ndtr

    within = ndtr(_Z) - ndtr(_Z - np.asarray(widths, dtype=np.float64)[..., None])
    density = k * np.exp(-(_Z**2) / 2) * (_Z[1] - _Z[0]) / math.sqrt(2 * math.pi)
    tail: FloatArray = np.clip(1 - within ** (k - 1) @ density, 0.0, 1.0)
    return tail


@lru_cache(maxsize=256)
def normal_range_quantile(tail: float, k: int) -> float:
    """The width that the range of k values exceeds with probability ``tail``."""
    from scipy.optimize import brentq

    return float(brentq(lambda width: float(normal_range_tail(width, k)) - tail, 0.0, 17.0, xtol=1e-10))


def upper_quantile(share: float) -> float:
    """The z that a standard normal exceeds with this probability: 0.674 for 0.25. ``ValueError`` outside 0 to 1."""
    if not 0 < share < 1:
        raise ValueError(f"a chance lies between 0 and 1, not at {share}")
    from statistics import NormalDist  # late: the window opens without it

    return NormalDist().inv_cdf(1 - share)


def as_compared(threshold: ArrayLike, precision: np.dtype[np.floating]) -> FloatArray:
    """Thresholds rounded to the precision of the probabilities (float32 in older files), as float64."""
    return np.asarray(threshold).astype(precision).astype(np.float64)


def reaches(probability: NDArray[np.floating], threshold: float) -> NDArray[np.bool_]:
    """Mask of the class probabilities that are at least the threshold."""
    given = np.asarray(probability)
    reached: NDArray[np.bool_] = given >= as_compared(threshold, given.dtype)
    return reached


def at_threshold(probabilities: NDArray[np.floating], code: int, threshold: float) -> Codes:
    """Decisions (m,): class ``code`` if its probability reaches the threshold, else the most probable other class."""
    given = np.asarray(probabilities)
    return np.where(reaches(given[:, code], threshold), code, next_best(given, code)).astype(np.int32)


def next_best(probabilities: NDArray[np.floating], code: int) -> Codes:
    """The most probable class other than ``code`` of each record (m,), the first of ties; ``code`` if k is 1."""
    m, k = probabilities.shape
    if k < 2:
        return np.full(m, code, dtype=np.int32)
    if k == 2:
        return np.full(m, 1 - code, dtype=np.int32)
    others = np.array(probabilities)
    others[:, code] = -np.inf
    return np.asarray(np.argmax(others, axis=1).astype(np.int32))


def halfway(low: FloatArray | float, high: FloatArray | float) -> FloatArray:
    """A threshold that ``high`` reaches and ``low`` does not: midway, or ``high`` if the floats are adjacent."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    middle = (low + high) / 2
    return np.asarray(np.where(middle > low, middle, high))


Costs = tuple[tuple[float, ...], ...]
CostCells = tuple[tuple[CostCell, ...], ...]

ROWS_AT_ONCE: Final = 1 << 15
CELLS_AT_ONCE: Final = 1 << 17
"""Number of expected costs (records times decisions) that fit into the processor cache."""
TIE: Final = 1e-7
"""Expected costs that differ by less than this share of the largest cost are equal, since older files hold float32."""


def tolerance(costs: FloatArray) -> float:
    """Smallest difference at which two expected costs count as different."""
    return TIE * float(np.abs(costs).max(initial=0.0))


def problems_of_costs(costs: CostCells, summary: Summary) -> list[Problem]:
    """The problems of a cost matrix that is not empty: another number of classes, or columns that are absent."""
    k = len(summary.schema.classes)
    if len(costs) in (0, k):
        try:
            for cost in dict.fromkeys(cost for row in costs for cost in row if isinstance(cost, str)):
                check_columns(parse_formula(cost, summary.cost_schema), summary.cost_schema, IS_CLASS)
        except DataError as error:
            return [Problem(error.sentence, error.remedy, error.place or None)]
        return []
    return [Problem(f"The costs of mistakes are for {len(costs)} classes, and here there are {k}.", "Type them again.")]


def costs_of_data(costs: CostCells, data: Dataset) -> RecordCosts:
    """The costs of the records, zero-one if ``costs`` is empty; raises :class:`DataError` if a formula fails."""
    if not costs:
        return RecordCosts(1.0 - np.eye(len(data.schema.classes)))
    cells = {(i, j): cost for i, row in enumerate(costs) for j, cost in enumerate(row) if isinstance(cost, str)}
    fixed = np.array([[0.0 if isinstance(cost, str) else cost for cost in row] for row in costs], dtype=np.float64)
    return RecordCosts(fixed, {cell: FormulaCosts.of(cost, data) for cell, cost in cells.items()})


def expected_costs(probabilities: NDArray[np.floating], costs: AnyCosts) -> FloatArray:
    """Expected cost of each decision (m, k): sum over the true classes i of p(i) C(i, j) (TSKK Eq. 5.79)."""
    costs, believed = record_costs(costs), np.asarray(probabilities, dtype=np.float64)
    expected: FloatArray = believed @ costs.fixed
    for (i, j), cell in costs.formulas.items():
        expected[:, j] += believed[:, i] * cell.values
    return expected


def cheapest_decisions(
    probabilities: NDArray[np.floating], own: Codes, costs: AnyCosts, checkpoint: Callable[[], object] = int
) -> Codes:
    """The decision of least expected cost for each record (m,); the model's ``own`` one if none is cheaper.

    The first of equally cheap others wins. ``evaluation/order_kernels.py`` computes the same, sum for sum, for costs
    that do not vary. ``checkpoint`` is called often and may raise.
    """
    costs, chosen = record_costs(costs), np.array(own, dtype=np.int32)
    k = len(costs.fixed)
    rows = max(1, CELLS_AT_ONCE // max(1, k))
    for start in range(0, len(chosen), rows):
        checkpoint()
        some = np.array(probabilities[start : start + rows].T, dtype=np.float64, order="C")
        expected = np.zeros((k, some.shape[1]))
        for shares, row in zip(some, costs.fixed, strict=True):  # all decisions at once, in the order of true classes
            expected += row[:, None] * shares
        part = slice(start, start + rows)
        for (i, j), cell in costs.formulas.items():
            expected[j] += cell.values[part] * some[i]
        near = TIE * costs.largest(part)
        ours = chosen[start : start + rows]
        least = expected[ours, np.arange(len(ours))]
        for j, cost in enumerate(expected):
            cheaper = cost < least - near
            ours[cheaper] = j
            least = np.where(cheaper, cost, least)
    return chosen


def class_costs(costs: AnyCosts, codes: NDArray[np.integer]) -> FloatArray:
    """Excess cost (n,), at least 0, of misclassifying each record: the sum of all costs less k correct ones."""
    costs = record_costs(costs)
    k = len(costs.fixed)
    excess: FloatArray = (costs.fixed.sum(axis=1) - k * np.diag(costs.fixed))[codes]
    for (i, j), cell in costs.formulas.items():
        rows = np.flatnonzero(codes == i)
        excess[rows] += cell.values[rows] * (1 - k if i == j else 1)
    return np.asarray(np.clip(excess, 0.0, None))


def known_amounts(amounts: FloatArray, column: str) -> FloatArray:
    """Factors of the costs (n,), unknown ones as the mean; raises :class:`DataError` for a negative amount."""
    if np.any(amounts < 0):
        raise DataError(f"The column {column} has amounts below 0.", place=column)
    is_known = np.isfinite(amounts)
    usual = float(amounts[is_known].mean()) if is_known.any() else 1.0
    return np.where(is_known, amounts, usual)


def weighed_by_costs(weights: FloatArray, codes: NDArray[np.integer], costs: AnyCosts) -> FloatArray:
    """Record weights (n,) times the cost of misclassification, with the same sum; unchanged without any cost."""
    wanted = weights * class_costs(costs, codes)
    total = float(wanted.sum())
    return np.asarray(wanted * (float(weights.sum()) / total)) if total > 0 else weights
