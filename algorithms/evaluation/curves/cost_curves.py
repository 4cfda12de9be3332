"""Cost curves: what deciding costs whatever the costs and class shares are (Drummond and Holte 2006).

Drummond and Holte, Cost curves: an improved method for visualizing classifier performance, Machine Learning 65.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.scores import ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.curves.roc import OperatingPoints


@dataclass(frozen=True, eq=False)
class CostCurve:
    """The least cost that any threshold reaches: corners (p,) from a probability cost of 0 to one of 1.

    ``places`` are probability costs PC(+) = p(+) C(-|+) / (p(+) C(-|+) + p(-) C(+|-)), ``costs`` the normalised
    expected costs there, ``thresholds`` what is the cheapest from that place on.
    """

    places: FloatArray
    costs: FloatArray
    thresholds: FloatArray

    @property
    def area(self) -> float | None:
        """The mean of the costs where every probability cost is as likely; None for a class without a curve."""
        return float(np.trapezoid(self.costs, self.places)) if len(self.places) else None


def cost_curve(hull: OperatingPoints) -> CostCurve:
    """The lower envelope of the thresholds' lines, of the points on the convex hull of the ROC curve.

    A point of rates (FPR, TPR) costs (1 - TPR) x + FPR (1 - x) at the probability cost x; neighbours on the hull cost
    the same at x = dFPR / (dFPR + dTPR).
    """
    if not hull.positives or not hull.negatives:
        return CostCurve(np.zeros(0), np.zeros(0), np.zeros(0))
    tpr, fpr, thresholds = hull.tpr[::-1], hull.fpr[::-1], hull.thresholds[::-1]
    rises, runs = np.diff(tpr), np.diff(fpr)
    corners = runs / (runs + rises)
    places = np.concatenate([[0.0], corners, [1.0]])
    best = np.append(np.arange(len(tpr)), len(tpr) - 1)
    return CostCurve(places, line_cost(places, fpr[best], tpr[best]), thresholds[best])


def line_cost(place: FloatArray, fpr: FloatArray | float, tpr: FloatArray | float) -> FloatArray:
    """Normalised expected cost of these rates at a probability cost."""
    return (1 - tpr) * place + fpr * (1 - place)


def two_costs(costs: FloatArray | None, code: int) -> tuple[float, float] | None:
    """What a missed record of class ``code`` costs more than a found one, and a false alarm more than none.

    Without costs every mistake costs one, for any number of classes. None where the costs (k, k) of several classes
    are no two numbers, or where they prefer being wrong.
    """
    if costs is None:
        return 1.0, 1.0
    if len(costs) != 2:
        return None
    other = 1 - code
    miss, alarm = float(costs[code, other] - costs[code, code]), float(costs[other, code] - costs[other, other])
    return None if miss < 0 or alarm < 0 else (miss, alarm)


def probability_cost(costs: FloatArray | None, code: int, positives: float, negatives: float) -> float | None:
    """The probability cost of class ``code`` for these weights of both kinds under costs (see :func:`two_costs`)."""
    two = two_costs(costs, code)
    return None if two is None else ratio(positives * two[0], positives * two[0] + negatives * two[1])


def equal_cost_slope(costs: FloatArray | None, code: int, positives: float, negatives: float) -> float | None:
    """Rise of recall that makes up for a rise of the false positive rate of one; see :func:`two_costs`.

    Lines of this slope join points of equal total cost in the ROC diagram; the nearer the upper left, the cheaper
    (Provost and Fawcett 2001). None where it would be upright.
    """
    two = two_costs(costs, code)
    return None if two is None else ratio(two[1] * negatives, two[0] * positives)
