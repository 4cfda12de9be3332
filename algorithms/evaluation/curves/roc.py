"""ROC analysis and cost curves: rates at each threshold of one class, areas, hull, and expected cost.

Source of cost curves: Drummond and Holte 2006, Cost curves: an improved method for visualizing classifier performance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Final

import numpy as np

from algorithms.core.scores import Pairs, ratio
from algorithms.data.columns import FloatArray, IntArray

ORDER: Final = "algorithms.evaluation.order_kernels"
DECISIONS: Final = "algorithms.evaluation.decision_kernels"
MANY: Final = 50_000
"""From so many records on the loops are loaded: they take a third of a second, once, and then a fifth of the time."""


def loops_for(n: int, module: str = ORDER) -> ModuleType | None:
    """The kernels for so many records; None where there are few, or where they are not compiled yet.

    Never compiles: what is shown of a run waits for nothing. Both ways give the same numbers.
    """
    from algorithms.compiled.ahead_of_time import kernels_ready

    if n < MANY or not kernels_ready((module,)):
        return None
    return import_module(module)


THINNED_TO: Final = 800
"""Steps of a rate that a drawn curve keeps apart."""


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """What each different place in the order of the records finds, from all to none (p,); the last is at infinity.

    ``found`` and ``alarms`` are the weights of the records of the class, and of the others, from that place on.
    Near 1 several places may have one threshold, at which the first of them is decided: see :meth:`deciding`.
    """

    thresholds: FloatArray
    found: FloatArray
    alarms: FloatArray

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def positives(self) -> float:
        """Weight of the records of the class."""
        return float(self.found[0])

    @property
    def negatives(self) -> float:
        """Weight of the other records."""
        return float(self.alarms[0])

    @property
    def total(self) -> float:
        """Weight of all records."""
        return self.positives + self.negatives

    @cached_property
    def tpr(self) -> FloatArray:
        """Share of the class that is found (recall); NaN where there is no record of it."""
        with np.errstate(invalid="ignore"):
            return self.found / self.positives if self.positives else np.full(len(self), np.nan)

    @cached_property
    def fpr(self) -> FloatArray:
        """Share of the others taken for it; NaN where there is no other record."""
        return self.alarms / self.negatives if self.negatives else np.full(len(self), np.nan)

    @cached_property
    def precision(self) -> FloatArray:
        """Share of right ones among those taken for the class; NaN where nothing is (the last point)."""
        taken = self.found + self.alarms
        shares: FloatArray = np.divide(self.found, taken, out=np.full(len(self), np.nan), where=taken > 0)
        return shares

    @cached_property
    def reached(self) -> FloatArray:
        """Weight of the records from each place on (p,): it separates places of one threshold."""
        return self.found + self.alarms

    def deciding(self) -> OperatingPoints:
        """The points that thresholds decide as: the first of each threshold."""
        apart = np.append(True, self.thresholds[1:] != self.thresholds[:-1])
        return self if apart.all() else self._at(np.flatnonzero(apart))

    @cached_property
    def taken(self) -> FloatArray:
        """Share of all records taken for the class; NaN where there is no record."""
        return (self.found + self.alarms) / self.total if self.total else np.full(len(self), np.nan)

    @cached_property
    def lift(self) -> FloatArray:
        """How many times as frequent the class is among those taken for it as among all (p,); NaN where undefined."""
        if not self.positives:
            return np.full(len(self), np.nan)
        return self.precision * (self.total / self.positives)

    @cached_property
    def _finding(self) -> IntArray:
        """Places that hold records of the class: areas grow only there."""
        return np.flatnonzero(self.found[:-1] != self.found[1:])

    @cached_property
    def pairs(self) -> Pairs:
        """Every record of the class against every other: see :class:`Pairs`. The points must be all there are."""
        loops = loops_for(len(self))
        if loops is not None:
            won, tied, lost, precisions = loops.count_pairs(self.found, self.alarms, self._finding)
            return Pairs(won, tied, lost, self.positives, precisions)
        places = self._finding
        hits, alarms, above = self.found[places], self.alarms[places], self.alarms[places + 1]
        of_class = hits - self.found[places + 1]
        return Pairs(
            won=float(of_class @ (self.negatives - alarms)),
            tied=float(of_class @ (alarms - above)),
            lost=float(of_class @ above),
            positives=self.positives,
            precisions=float(of_class @ (hits / (hits + alarms))),
        )

    def average_precision(self) -> float | None:
        """Area under the precision-recall curve in steps: sum of (R_i - R_{i+1}) P_i; None without positives."""
        return self.pairs.average_precision().value if self.positives else None

    @cached_property
    def interpolated_area(self) -> float | None:
        """Area under the precision-recall curve as it is between its points; None without positives.

        Between two thresholds the false alarms grow in proportion to what is found, so that precision follows a
        hyperbola (Davis and Goadrich 2006, The relationship between precision-recall and ROC curves), whose area is
        known in closed form (Keilwagen, Grosse and Grau 2014).
        """
        if not self.positives:
            return None
        loops = loops_for(len(self))
        if loops is not None:
            return float(loops.area_between(self.found, self.alarms, self._finding)) / self.positives
        places = self._finding
        low, high = self.found[places + 1], self.found[places]
        step = high - low
        grow = 1 + (self.alarms[places] - self.alarms[places + 1]) / step
        start = low + self.alarms[places + 1]
        offset = start - grow * low
        bent = np.flatnonzero(offset != 0)
        area = step / grow
        ends = (low + self.alarms[places + 1])[bent], (high + self.alarms[places])[bent]
        area[bent] -= offset[bent] / grow[bent] / grow[bent] * np.log(ends[1] / ends[0])
        return float(area.sum()) / self.positives

    def hull(self) -> OperatingPoints:
        """The points on the convex hull of the ROC curve: no others are the cheapest for any costs and class shares.

        Pooling neighbours whose shares of the class rise towards lower scores (isotonic regression) leaves just these
        (Fawcett and Niculescu-Mizil 2007, PAV and the ROC convex hull).
        """
        if not self.positives or not self.negatives:
            return self._at(np.unique([0, len(self) - 1]))
        if len(self) <= 4 * THINNED_TO:
            return self._pooled(np.concatenate([[0], self._finding[self._finding > 0], [len(self) - 1]]))
        rough = self.thinned().hull()
        high = np.interp(self.alarms[self._finding], rough.alarms[::-1], rough.found[::-1])
        reaching = self._finding[self.found[self._finding] >= high * (1 - 1e-12)]
        ends = [0, len(self) - 1]
        of_rough = np.searchsorted(-self.reached, -rough.reached).clip(max=len(self) - 1)
        return self._pooled(_ascending(np.concatenate([ends, reaching, of_rough])))

    def _pooled(self, corners: IntArray) -> OperatingPoints:
        """The hull of these points, both ends included."""
        from scipy.optimize import isotonic_regression

        hits, alarms = -np.diff(self.found[corners]), -np.diff(self.alarms[corners])
        weight = hits + alarms
        filled = np.flatnonzero(weight > 0)
        blocks = isotonic_regression(hits[filled] / weight[filled], weights=weight[filled]).blocks
        return self._at(corners[np.append(filled[blocks[:-1]], len(corners) - 1)])._without_straight()

    def _without_straight(self) -> OperatingPoints:
        """Without points on the line between their neighbours, and without duplicates."""
        rises, runs = np.diff(self.found), np.diff(self.alarms)
        turn = rises[:-1] * runs[1:] - rises[1:] * runs[:-1]
        size = np.abs(rises[:-1] * runs[1:]) + np.abs(rises[1:] * runs[:-1])
        kept = np.concatenate([[True], np.abs(turn) > 1e-12 * size, [True]])
        return self._at(np.flatnonzero(kept))

    def thinned(self, steps: int = THINNED_TO) -> OperatingPoints:
        """A selection of the points that looks the same: no gap in either rate, or in what is said, of a step more.

        Kept are the first point in each of ``steps`` equal steps of both rates, and points whose number of records
        grows by a constant factor, which the left end of a precision-recall curve needs.
        """
        if len(self) <= 4 * steps:
            return self
        kept = [np.array([0, len(self) - 1])]
        for values in (self.found, self.alarms):
            levels = np.arange(steps + 1) * (values[0] / steps)
            below = len(values) - np.searchsorted(values[::-1], levels, side="left")  # the first that is under a level
            kept.append(np.clip(below, 0, len(self) - 1))
        kept.append(len(self) - 1 - np.geomspace(1, len(self) - 1, steps).astype(np.int64))
        chosen = np.concatenate(kept)
        whole = np.searchsorted(self.thresholds, self.thresholds[chosen])  # what their thresholds decide
        return self._at(_ascending(np.concatenate([chosen, whole])))

    def with_points(self, others: OperatingPoints) -> OperatingPoints:
        """The union of these points and ``others``, points of the same curve."""
        thresholds = np.concatenate([self.thresholds, others.thresholds])
        hits, alarms = np.concatenate([self.found, others.found]), np.concatenate([self.alarms, others.alarms])
        joined = OperatingPoints(thresholds, hits, alarms)
        order = np.lexsort((-joined.reached, thresholds))
        t, reached = thresholds[order], joined.reached[order]
        return joined._at(order[np.append(True, (t[1:] != t[:-1]) | (reached[1:] != reached[:-1]))])

    def some(self, most: int) -> OperatingPoints:
        """At most so many points, both ends included."""
        if len(self) <= most:
            return self
        return self._at(np.unique(np.linspace(0, len(self) - 1, most).astype(np.int64)))

    def _at(self, chosen: IntArray) -> OperatingPoints:
        return OperatingPoints(self.thresholds[chosen], self.found[chosen], self.alarms[chosen])


def _ascending(places: IntArray) -> IntArray:
    """Distinct places in order; for a few thousand ten times as fast as ``numpy.unique``."""
    in_order = np.sort(places)
    different: IntArray = in_order[np.append(True, in_order[1:] != in_order[:-1])]
    return different


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
