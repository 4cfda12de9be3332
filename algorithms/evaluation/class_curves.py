"""What every curve of one class is drawn from, made once of the tested records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.evaluation.by_threshold import Matrices
from algorithms.evaluation.cost_curves import CostCurve, cost_curve
from algorithms.evaluation.margins import Margins, margins
from algorithms.evaluation.operating import OperatingPoints
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.scored import ScoredClass, TwoBest

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
    margins: Margins

    @property
    def code(self) -> int:
        return self.scored.code


def class_curves(
    result: EvaluationResult,
    code: int,
    checkpoint: Callable[[], object] = int,
    *,
    best: TwoBest | None = None,
    known_margins: Margins | None = None,
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
    scored: ScoredClass, points: OperatingPoints, of_all: Margins, checkpoint: Callable[[], object] = int
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
