"""Base class of the curve kinds, their numeric traces, and the class data and margins they are computed from."""

from __future__ import annotations

import io
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import ModuleType
from typing import Any, ClassVar, Final

import numpy as np

from algorithms.core.files import CsvWriter
from algorithms.core.parameters import Configurable
from algorithms.core.record_costs import AnyCosts
from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.curves.roc import (
    ROWS_AT_ONCE,
    CostCurve,
    OperatingPoints,
    ScoredClass,
    TopTwoClasses,
    cost_curve,
    loops_for,
    two_best,
)
from algorithms.evaluation.measures.confusion_counts import Matrices
from algorithms.evaluation.result import EvaluationResult


class ValueFormat(StrEnum):
    """Text format of the values of a column."""

    SHARE = "share"
    THRESHOLD = "threshold"
    NUMBER = "number"
    COUNT = "count"
    MARK = "mark"
    """1 for yes, 0 for no."""


@dataclass(frozen=True)
class TraceAxis:
    """One axis: its label, the factor ``unit`` of its values (100: percent), and its range."""

    words: str
    unit: int = 100
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, eq=False)
class TraceColumn:
    """One table column: its name, a value per point (p,), NaN if undefined, and its format."""

    name: str
    values: FloatArray
    form: ValueFormat = ValueFormat.SHARE


class Role(StrEnum):
    """Purpose of a guide."""

    CHANCE = "chance"
    BEST = "best"
    COST = "cost"
    LEAST = "least"
    OWN = "own"


@dataclass(frozen=True, eq=False)
class Guide:
    """A reference line: its name, tooltip, points (q,) and role; ``touch`` is a marked point on it."""

    name: str
    tip: str
    x: FloatArray
    y: FloatArray
    role: Role
    touch: tuple[float, float] | None = None

    @classmethod
    def straight(cls, name: str, tip: str, start: tuple[float, float], end: tuple[float, float], role: Role) -> Guide:
        """A straight line between two points."""
        return cls(name, tip, np.array([start[0], end[0]]), np.array([start[1], end[1]]), role)


@dataclass(frozen=True, eq=False)
class Trace:
    """One curve of one run.

    ``x`` and ``y`` (p,) are its points, NaN if undefined; ``outline`` is the drawn line. ``thresholds`` (p,) are those
    of the points, None if points have none. ``columns`` form the table, one row per point. ``value`` is its summary,
    named by ``value_words``. ``low`` and ``high`` (p,) are intervals of ``y``. ``amounts`` (p,) count the records of a
    point and ``spans`` are the ends of its bin in ``x``.
    """

    x: FloatArray
    y: FloatArray
    outline: tuple[FloatArray, FloatArray]
    across: TraceAxis
    up: TraceAxis
    columns: tuple[TraceColumn, ...]
    value: float | None
    value_words: str
    thresholds: FloatArray | None = None
    guides: tuple[Guide, ...] = ()
    low: FloatArray | None = None
    high: FloatArray | None = None
    amounts: FloatArray | None = None
    spans: tuple[FloatArray, FloatArray] | None = None

    def __len__(self) -> int:
        return len(self.x)

    def nearest(self, threshold: float) -> int:
        """Index of the point with the lowest threshold that is at least ``threshold``: it makes the same decisions."""
        assert self.thresholds is not None
        return min(len(self) - 1, int(np.searchsorted(self.thresholds, threshold)))

    def rows(self) -> list[list[float]]:
        """The table, one row per point."""
        return [list(row) for row in zip(*(column.values.tolist() for column in self.columns), strict=True)]


def traces_to_csv(traces: Sequence[tuple[Sequence[str], Trace]], heads: Sequence[str], delimiter: str = ",") -> str:
    """All points as CSV rows, each after the words of its trace; all traces have the columns of the first."""
    stream = io.StringIO()
    writer = CsvWriter(stream, delimiter)
    names = [column.name for column in traces[0][1].columns] if traces else []
    writer.writerow([*heads, *names])
    for words, trace in traces:
        for row in trace.rows():
            writer.writerow([*words, *("" if math.isnan(value) else f"{value:.10g}" for value in row)])
    return stream.getvalue()


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """The value and the table as JSON values: a list per column, null if undefined or infinite."""
    columns = {
        column.name: [value if math.isfinite(value) else None for value in column.values.tolist()]
        for column in trace.columns
    }
    return {"value": trace.value, "value_is": trace.value_words, "points": columns}


MOST_POINTS: Final = 1000


@dataclass(frozen=True, eq=False)
class MarginDistribution:
    """Distinct margins (p,) in ascending order, and the cumulative share of records at each.

    A margin is the probability of the true class minus the largest other one, negative for an error (Schapire, Freund,
    Bartlett and Lee 1998, Boosting the margin). ``shares`` (p,) are over all records, ``of_class`` (k, p) over those of
    each class, NaN for a class without records. ``mean`` is over all records.
    """

    margins: FloatArray
    shares: FloatArray
    of_class: FloatArray
    mean: float | None


def margin_of_each(result: EvaluationResult, best: TopTwoClasses | None = None) -> FloatArray:
    """Margin of every test (m,), between -1 and 1."""
    classes = two_best(result.probabilities) if best is None else best
    loops = loops_for(len(result))
    if loops is not None:
        return _margins_by_loops(loops, result, classes)
    rows = np.arange(len(result))
    other = np.where(classes.first == result.truth, classes.second, classes.first)
    given = result.probabilities
    return given[rows, result.truth].astype(np.float64) - given[rows, other].astype(np.float64)


def _margins_by_loops(loops: ModuleType, result: EvaluationResult, best: TopTwoClasses) -> FloatArray:
    """As :func:`margin_of_each` with compiled loops, which need copies of memory-mapped arrays."""
    margins_of_tests = np.empty(len(result))
    for start in range(0, len(result), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        given = np.array(result.probabilities[rows], dtype=np.float64, order="C")
        truth = np.array(result.truth[rows], dtype=np.int32)
        loops.find_margins(given, truth, best.first[rows], best.second[rows], margins_of_tests[rows])
    return margins_of_tests


def margins(result: EvaluationResult, best: TopTwoClasses | None = None) -> MarginDistribution:
    """Cumulative distribution of the margins, at no more than ``MOST_POINTS`` evenly spaced points."""
    of_tests, k = margin_of_each(result, best), len(result.classes)
    if not len(of_tests):
        return MarginDistribution(np.zeros(0), np.zeros(0), np.zeros((k, 0)), None)
    if len(of_tests) <= MOST_POINTS:
        values, place = np.unique(of_tests, return_inverse=True)
        counts = _counts(result, place, len(values))
    else:
        values = np.linspace(float(of_tests.min()), float(of_tests.max()), MOST_POINTS)
        loops = loops_for(len(of_tests))
        if loops is None:
            counts = _counts(result, _index_at_or_above(values, of_tests), len(values))
        else:
            counts, weights = (
                np.zeros((k, len(values))),
                np.zeros(0) if result.weights is None else result.weights.copy(),
            )
            loops.count_margins(of_tests, result.truth.astype(np.int32), weights, values, counts)
    under = np.cumsum(counts, axis=1)
    with np.errstate(invalid="ignore"):
        of_class = np.where(under[:, -1:] > 0, under / under[:, -1:], np.nan)
    whole = under.sum(axis=0)
    mean = float(of_tests.sum() if result.weights is None else of_tests @ result.weights) / float(whole[-1])
    return MarginDistribution(values, whole / whole[-1], of_class, mean)


def _counts(result: EvaluationResult, place: IntArray, p: int) -> FloatArray:
    """Weight of the records by class and index of their margin (k, p)."""
    k = len(result.classes)
    return np.bincount(result.truth * p + place, result.weights, minlength=k * p).reshape(k, p).astype(np.float64)


def _index_at_or_above(values: FloatArray, numbers: FloatArray) -> IntArray:
    """Index (m,) of the first of the evenly spaced ``values`` (p,) that is at least each number (m,)."""
    low, high = float(values[0]), float(values[-1])
    if high <= low:
        return np.zeros(len(numbers), dtype=np.int64)
    guess = np.ceil((numbers - low) * ((len(values) - 1) / (high - low))).astype(np.int64).clip(0, len(values) - 1)
    guess += values[guess] < numbers  # rounding can give the index below
    return guess.clip(0, len(values) - 1)


MOST_CELLS: Final = 1 << 18
"""Largest number of confusion matrix cells to keep; more classes mean fewer thresholds."""
FEWEST_THRESHOLDS: Final = 32


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """The records sorted by the probability of a class, and the data of its curves.

    ``points`` are the thresholds thinned for drawing, including the ``hull``; ``auc`` and ``average_precision`` use all
    thresholds. ``matrices`` are the confusion matrices at the thresholds ``swept``.
    """

    label: str
    scored: ScoredClass
    points: OperatingPoints
    hull: OperatingPoints
    auc: float | None
    average_precision: float | None
    cheapest: CostCurve
    swept: OperatingPoints
    matrices: Matrices
    margins: MarginDistribution

    @property
    def code(self) -> int:
        return self.scored.code


def class_curves(result: EvaluationResult, code: int, checkpoint: Callable[[], object] = int) -> ClassCurves:
    """Sort the records by the probability of class ``code`` and compute the data of its curves."""
    scored = ScoredClass.of(result, code, checkpoint)
    checkpoint()
    points = scored.points()
    checkpoint()
    return curves_of(scored, points, margins(result), checkpoint)


def curves_of(
    scored: ScoredClass, points: OperatingPoints, of_all: MarginDistribution, checkpoint: Callable[[], object] = int
) -> ClassCurves:
    """As :func:`class_curves`, from sorted records, all their ``points`` and the margins ``of_all``."""
    pairs, hull, reachable = points.pairs, points.hull(), points.deciding()
    checkpoint()
    drawn = points.thinned().with_points(hull)
    most = max(FEWEST_THRESHOLDS, MOST_CELLS // scored.n_classes**2)
    swept = drawn.deciding().some(most)
    checkpoint()
    matrices = Matrices(scored.matrices(np.minimum(swept.thresholds, 2.0)), scored.code)
    checkpoint()
    return ClassCurves(
        scored.classes[scored.code],
        scored,
        drawn,
        hull,
        pairs.auc,
        pairs.average_precision().value,
        cost_curve(hull if reachable is points else reachable.hull()),
        swept,
        matrices,
        of_all,
    )


Place = tuple[float | None, float | None]
NOWHERE: Final[Place] = (None, None)


@dataclass(frozen=True)
class CurveKind(Configurable):
    """A kind of curve of a class; ``sentence`` explains it, ``brief`` only which direction is better."""

    brief: ClassVar[str]
    source: ClassVar[str]
    follows_costs: ClassVar[bool] = False
    """Whether it depends on the cost matrix."""
    is_of_all_classes: ClassVar[bool] = False
    """Whether it is the same for every class of interest and has no position for a threshold."""
    where_costs_vary: ClassVar[str] = ""
    """What it cannot show where costs differ by record, in a sentence; it gets no costs then."""

    @property
    def shows_costs(self) -> bool:
        """Whether it shows the costs of the records."""
        return False

    @abstractmethod
    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        """The curve; ``costs`` of the tests in the order of the classes, None for a cost of 1 per error."""

    def place(self, decided: Matrices, threshold: float | None, costs: FloatArray | None) -> Place:
        """Position of the decisions with confusion matrix ``decided``; ``threshold`` is None for other rules."""
        return NOWHERE

    def guides_at(
        self, decided: Matrices, costs: FloatArray | None, curves: ClassCurves, cheapest: float | None = None
    ) -> tuple[Guide, ...]:
        """Reference lines through the position of the decisions, or to the best ones.

        Where costs differ by record, there are no ``costs`` and ``cheapest`` is the threshold of least total cost.
        """
        return ()


def one(values: FloatArray) -> float | None:
    return None if np.isnan(values[0]) else float(values[0])


def threshold_columns(points: OperatingPoints) -> tuple[TraceColumn, ...]:
    return (
        TraceColumn("Threshold", points.thresholds, ValueFormat.THRESHOLD),
        TraceColumn("Recall (TPR)", points.tpr),
        TraceColumn("FPR", points.fpr),
        TraceColumn("Precision", points.precision),
    )


def from_the_top(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The defined points of a line, from the highest threshold to the lowest."""
    defined = np.isfinite(x) & np.isfinite(y)
    return x[defined][::-1], y[defined][::-1]
