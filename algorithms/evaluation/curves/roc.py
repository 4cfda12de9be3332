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
"""Number of records from which compiled loops are used: loading takes 0.3 s, computing then a fifth of the time."""


def loops_for(n: int, module: str = ORDER) -> ModuleType | None:
    """The compiled loops for ``n`` records; None if ``n`` is small or they are not compiled yet.

    It never compiles, so that nothing displayed waits for it. Loops and NumPy give the same numbers.
    """
    from algorithms.compiled.ahead_of_time import kernels_ready

    if n < MANY or not kernels_ready((module,)):
        return None
    return import_module(module)


THINNED_TO: Final = 800
"""Steps of a rate that a drawn curve distinguishes."""


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """True and false positives at each distinct rank of the records (p,), from all to none.

    ``found`` and ``alarms`` are the weights of true and false positives if records from this rank on are predicted. The
    last threshold is infinity. Near 1, several ranks can share a threshold, which decides as the first of them: see
    :meth:`deciding`.
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
        """True positive rate, or recall (p,); NaN without records of the class."""
        with np.errstate(invalid="ignore"):
            return self.found / self.positives if self.positives else np.full(len(self), np.nan)

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate (p,); NaN without records of other classes."""
        return self.alarms / self.negatives if self.negatives else np.full(len(self), np.nan)

    @cached_property
    def precision(self) -> FloatArray:
        """Precision (p,); NaN where nothing is predicted (the last point)."""
        taken = self.found + self.alarms
        shares: FloatArray = np.divide(self.found, taken, out=np.full(len(self), np.nan), where=taken > 0)
        return shares

    @cached_property
    def reached(self) -> FloatArray:
        """Weight of the predicted records (p,), which separates ranks with equal thresholds."""
        return self.found + self.alarms

    def deciding(self) -> OperatingPoints:
        """The first point of each threshold, by which the threshold decides."""
        apart = np.append(True, self.thresholds[1:] != self.thresholds[:-1])
        return self if apart.all() else self._at(np.flatnonzero(apart))

    @cached_property
    def taken(self) -> FloatArray:
        """Share of all records predicted as the class (p,); NaN without records."""
        return (self.found + self.alarms) / self.total if self.total else np.full(len(self), np.nan)

    @cached_property
    def lift(self) -> FloatArray:
        """Precision divided by the share of the class (p,); NaN if undefined."""
        if not self.positives:
            return np.full(len(self), np.nan)
        return self.precision * (self.total / self.positives)

    @cached_property
    def _ranks_of_class(self) -> IntArray:
        """Ranks that hold records of the class; only these add to areas."""
        return np.flatnonzero(self.found[:-1] != self.found[1:])

    @cached_property
    def pairs(self) -> Pairs:
        """Concordant, tied and discordant pairs (:class:`Pairs`) of records of two classes; needs all points."""
        loops = loops_for(len(self))
        if loops is not None:
            won, tied, lost, precisions = loops.count_pairs(self.found, self.alarms, self._ranks_of_class)
            return Pairs(won, tied, lost, self.positives, precisions)
        places = self._ranks_of_class
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
        """Area under the precision-recall steps, sum of (R_i - R_{i+1}) P_i; None without positives."""
        return self.pairs.average_precision().value if self.positives else None

    @cached_property
    def interpolated_area(self) -> float | None:
        """Area under the interpolated precision-recall curve; None without positives.

        Between two thresholds false positives grow in proportion to true ones, so precision follows a hyperbola (Davis
        and Goadrich 2006, The relationship between precision-recall and ROC curves). Its area has a closed form
        (Keilwagen, Grosse and Grau 2014).
        """
        if not self.positives:
            return None
        loops = loops_for(len(self))
        if loops is not None:
            return float(loops.area_between(self.found, self.alarms, self._ranks_of_class)) / self.positives
        places = self._ranks_of_class
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
        """Points on the convex hull of the ROC curve, the only candidates for least cost.

        Pooling adjacent violators (isotonic regression) leaves exactly these (Fawcett and Niculescu-Mizil 2007, PAV and
        the ROC convex hull).
        """
        if not self.positives or not self.negatives:
            return self._at(np.unique([0, len(self) - 1]))
        if len(self) <= 4 * THINNED_TO:
            return self._pooled(np.concatenate([[0], self._ranks_of_class[self._ranks_of_class > 0], [len(self) - 1]]))
        rough = self.thinned().hull()
        high = np.interp(self.alarms[self._ranks_of_class], rough.alarms[::-1], rough.found[::-1])
        reaching = self._ranks_of_class[self.found[self._ranks_of_class] >= high * (1 - 1e-12)]
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
        """The points without duplicates and without those on a line between their neighbours."""
        rises, runs = np.diff(self.found), np.diff(self.alarms)
        turn = rises[:-1] * runs[1:] - rises[1:] * runs[:-1]
        size = np.abs(rises[:-1] * runs[1:]) + np.abs(rises[1:] * runs[:-1])
        kept = np.concatenate([[True], np.abs(turn) > 1e-12 * size, [True]])
        return self._at(np.flatnonzero(kept))

    def thinned(self, steps: int = THINNED_TO) -> OperatingPoints:
        """A subset of the points for drawing, without gaps above one step in either rate.

        It keeps the first point in each of ``steps`` equal steps of both rates. It also keeps points whose record
        number grows by a constant factor, for the left end of a precision-recall curve.
        """
        if len(self) <= 4 * steps:
            return self
        kept = [np.array([0, len(self) - 1])]
        for values in (self.found, self.alarms):
            levels = np.arange(steps + 1) * (values[0] / steps)
            below = len(values) - np.searchsorted(values[::-1], levels, side="left")  # the first below a level
            kept.append(np.clip(below, 0, len(self) - 1))
        kept.append(len(self) - 1 - np.geomspace(1, len(self) - 1, steps).astype(np.int64))
        chosen = np.concatenate(kept)
        whole = np.searchsorted(self.thresholds, self.thresholds[chosen])  # the points that decide for these thresholds
        return self._at(_ascending(np.concatenate([chosen, whole])))

    def with_points(self, others: OperatingPoints) -> OperatingPoints:
        """Union of these points and ``others`` of the same curve."""
        thresholds = np.concatenate([self.thresholds, others.thresholds])
        hits, alarms = np.concatenate([self.found, others.found]), np.concatenate([self.alarms, others.alarms])
        joined = OperatingPoints(thresholds, hits, alarms)
        order = np.lexsort((-joined.reached, thresholds))
        t, reached = thresholds[order], joined.reached[order]
        return joined._at(order[np.append(True, (t[1:] != t[:-1]) | (reached[1:] != reached[:-1]))])

    def some(self, most: int) -> OperatingPoints:
        """At most ``most`` points, evenly spaced, both ends included."""
        if len(self) <= most:
            return self
        return self._at(np.unique(np.linspace(0, len(self) - 1, most).astype(np.int64)))

    def _at(self, chosen: IntArray) -> OperatingPoints:
        return OperatingPoints(self.thresholds[chosen], self.found[chosen], self.alarms[chosen])


def _ascending(places: IntArray) -> IntArray:
    """Distinct sorted indices, ten times as fast as ``numpy.unique`` for a few thousand."""
    in_order = np.sort(places)
    different: IntArray = in_order[np.append(True, in_order[1:] != in_order[:-1])]
    return different


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Least normalised expected cost of any threshold: corners (p,) at probability costs from 0 to 1.

    ``places`` are probability costs PC(+) = p(+) C(-|+) / (p(+) C(-|+) + p(-) C(+|-)), ``costs`` the normalised
    expected costs there, ``thresholds`` the cheapest ones from there on.
    """

    places: FloatArray
    costs: FloatArray
    thresholds: FloatArray

    @property
    def area(self) -> float | None:
        """Mean cost over a uniform probability cost; None for an empty curve."""
        return float(np.trapezoid(self.costs, self.places)) if len(self.places) else None


def cost_curve(hull: OperatingPoints) -> CostCurve:
    """Lower envelope of the cost lines of the points on the convex hull of the ROC curve.

    A point (FPR, TPR) costs (1 - TPR) x + FPR (1 - x) at the probability cost x. Neighbours on the hull cost the same
    at x = dFPR / (dFPR + dTPR).
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
    """Additional cost of a miss of class ``code``, and of a false positive, over correct decisions.

    Both are 1 without costs, for any number of classes. None for costs (k, k) of more than two classes, or if an error
    is cheaper than a correct decision.
    """
    if costs is None:
        return 1.0, 1.0
    if len(costs) != 2:
        return None
    other = 1 - code
    miss, alarm = float(costs[code, other] - costs[code, code]), float(costs[other, code] - costs[other, other])
    return None if miss < 0 or alarm < 0 else (miss, alarm)


def probability_cost(costs: FloatArray | None, code: int, positives: float, negatives: float) -> float | None:
    """Probability cost of class ``code`` (see :func:`two_costs`), given class weights; None if undefined."""
    two = two_costs(costs, code)
    return None if two is None else ratio(positives * two[0], positives * two[0] + negatives * two[1])


def equal_cost_slope(costs: FloatArray | None, code: int, positives: float, negatives: float) -> float | None:
    """Slope of equal-cost lines in the ROC diagram; see :func:`two_costs`.

    The nearer such a line is to the upper left, the cheaper (Provost and Fawcett 2001). None if it is vertical.
    """
    two = two_costs(costs, code)
    return None if two is None else ratio(two[1] * negatives, two[0] * positives)
