"""Kinds of curves, and the data of one class that every curve is drawn from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.parameters import Configurable
from algorithms.data.columns import FloatArray
from algorithms.evaluation.curves.cost_curves import CostCurve, cost_curve
from algorithms.evaluation.curves.margins import MarginDistribution, margins
from algorithms.evaluation.curves.roc import OperatingPoints
from algorithms.evaluation.curves.scored import ScoredClass, TopTwoClasses
from algorithms.evaluation.curves.traces import Guide, Trace, TraceColumn, ValueFormat
from algorithms.evaluation.measures.confusion_counts import Matrices
from algorithms.evaluation.result import EvaluationResult

MOST_CELLS: Final = 1 << 18
"""So many cells of confusion matrices are kept at most: of many classes, at fewer thresholds."""
FEWEST_THRESHOLDS: Final = 32


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """The records in the order of a class's probability, and what its curves are drawn from.

    ``points`` are the thresholds thinned for drawing, with the ``hull`` among them; ``auc`` and
    ``average_precision`` are of all of them. ``matrices`` are the confusion matrices at the thresholds ``swept``.
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


def class_curves(
    result: EvaluationResult,
    code: int,
    checkpoint: Callable[[], object] = int,
    *,
    best: TopTwoClasses | None = None,
    known_margins: MarginDistribution | None = None,
) -> ClassCurves:
    """Put the records in order and find what there is to draw. ``checkpoint`` may raise to stop.

    ``best`` and ``known_margins`` are the result's, where several classes are drawn.
    """
    scored = ScoredClass.of(result, code, checkpoint, best)
    checkpoint()
    points = scored.points()
    checkpoint()
    return curves_of(scored, points, known_margins or margins(result, best), checkpoint)


def curves_of(
    scored: ScoredClass, points: OperatingPoints, of_all: MarginDistribution, checkpoint: Callable[[], object] = int
) -> ClassCurves:
    """As :func:`class_curves`, of records in order and all their ``points``."""
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
    """One way of drawing what the thresholds of a class do. ``sentence`` says how it is read, ``brief`` the same
    where there is little room: which way is better.
    """

    brief: ClassVar[str]
    source: ClassVar[str]
    follows_costs: ClassVar[bool] = False
    """Whether it looks different under other costs."""
    is_of_all_classes: ClassVar[bool] = False
    """Whether it is the same for each class of interest, and no threshold has a place on it."""

    @property
    def weighs_amounts(self) -> bool:
        """Whether it is of what decisions cost, and so hangs on how many times the costs count for each record."""
        return False

    @abstractmethod
    def trace(self, made: ClassCurves, costs: FloatArray | None = None) -> Trace:
        """The curve; ``costs`` (k, k) stand in the order of the classes, None: every mistake costs one."""

    def place(self, decided: Matrices, threshold: float | None, costs: FloatArray | None) -> Place:
        """Where decisions lie of which ``decided`` holds the one matrix; ``threshold`` is None for other ways."""
        return NOWHERE

    def guides_at(self, decided: Matrices, costs: FloatArray | None, made: ClassCurves) -> tuple[Guide, ...]:
        """Lines that go through where the decisions lie, or say how much better others are."""
        return ()


def one(values: FloatArray) -> float | None:
    return None if np.isnan(values[0]) else float(values[0])


def threshold_columns(points: OperatingPoints) -> tuple[TraceColumn, ...]:
    return (
        TraceColumn("Threshold", points.thresholds, ValueFormat.THRESHOLD),
        TraceColumn("Found (TPR)", points.tpr),
        TraceColumn("False alarms (FPR)", points.fpr),
        TraceColumn("Sure (precision)", points.precision),
    )


def from_the_top(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The line from the highest threshold to the lowest, where it is defined."""
    defined = np.isfinite(x) & np.isfinite(y)
    return x[defined][::-1], y[defined][::-1]
