"""The kinds of curves: ROC, precision-recall, gains, lift, cost, calibration, margin and threshold curve."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np

from algorithms.core.parameters import Option, choice, integer, real, when
from algorithms.core.record_costs import AnyCosts, RecordCosts
from algorithms.core.registry import RegistryShelf
from algorithms.core.scores import normal_quantile
from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.curves.curve_base import (
    NOWHERE,
    ClassCurves,
    CurveKind,
    Guide,
    Place,
    Role,
    Trace,
    TraceAxis,
    TraceColumn,
    ValueFormat,
    from_the_top,
    one,
    threshold_columns,
)
from algorithms.evaluation.curves.roc import OperatingPoints, ScoredClass, equal_cost_slope, line_cost, probability_cost
from algorithms.evaluation.measures.confusion_counts import Matrices
from algorithms.evaluation.measures.measure import Unit
from algorithms.evaluation.measures.registry import MEASURES, with_curve


class Binning(StrEnum):
    """Grouping of the records by their probability."""

    EQUAL_WIDTH = "equal-width"
    EQUAL_FREQUENCY = "equal-frequency"


@dataclass(frozen=True, eq=False)
class Reliability:
    """Mean predicted probability and observed class share of each non-empty bin (b,), by ascending probability.

    ``low`` and ``high`` are the ends of the bins, for equal frequency their smallest and largest probability.
    ``predicted`` is the mean probability, ``true`` the share of the class. ``weights`` and ``counts`` are the weight
    and number of records. ``least`` and ``most`` are the 95% interval of ``true`` (TSKK Eq. 3.16, Wilson 1927).
    """

    low: FloatArray
    high: FloatArray
    predicted: FloatArray
    true: FloatArray
    weights: FloatArray
    counts: FloatArray
    least: FloatArray
    most: FloatArray

    @property
    def error(self) -> float | None:
        """Expected calibration error: weighted mean of |predicted - observed| (Naeini, Cooper and Hauskrecht 2015)."""
        total = float(self.weights.sum())
        return float(np.abs(self.predicted - self.true) @ self.weights) / total if total else None


def reliability(scored: ScoredClass, bins: int = 10, binning: Binning = Binning.EQUAL_WIDTH) -> Reliability:
    """Bin the records by the probability of a class and compare predicted with observed shares.

    Equal widths are [0, 1/b), [1/b, 2/b), ... with 1 in the last. Equal-frequency bins keep equal probabilities
    together, so there may be fewer. Empty bins are omitted.
    """
    m = len(scored)
    if binning is Binning.EQUAL_WIDTH:
        edges = np.arange(bins + 1) / bins
        starts = np.searchsorted(scored.scores, edges[1:-1].astype(scored.precision), side="left")
    else:
        wanted = np.round(np.arange(1, bins) * (m / bins)).astype(np.int64)
        values = scored.scores[np.minimum(wanted, max(0, m - 1))] if m else np.zeros(0)
        starts = np.searchsorted(scored.scores, values, side="left")
    bounds = np.concatenate([[0], starts, [m]])
    filled = np.flatnonzero(np.diff(bounds))
    first, last = bounds[filled], bounds[filled + 1]
    weights, of_class, sums = _sums(scored, first)
    true = of_class / weights
    counts = (last - first).astype(np.float64)
    least, most = _intervals(true, _effective_counts(scored, first, weights, counts))
    if binning is Binning.EQUAL_WIDTH:
        low, high = edges[filled], edges[filled + 1]
    else:
        low, high = scored.scores[first], scored.scores[last - 1]
    return Reliability(low, high, sums / weights, true, weights, counts, least, most)


def _sums(scored: ScoredClass, first: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weight, weight of the class and sum of probabilities from each of these positions to the next (b,)."""
    if not len(first):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    if scored.weights is None:
        ends = np.append(first, len(scored))
        bins = [slice(*ends[place : place + 2]) for place in range(len(first))]
        of_class = np.array([np.count_nonzero(scored.is_of_class[rows]) for rows in bins], dtype=np.float64)
        sums = np.array([scored.scores[rows].sum() for rows in bins])
        return np.diff(ends).astype(np.float64), of_class, sums
    marks, scores = scored.is_of_class * scored.weights, scored.scores * scored.weights
    return np.add.reduceat(scored.weights, first), np.add.reduceat(marks, first), np.add.reduceat(scores, first)


def _effective_counts(scored: ScoredClass, first: IntArray, weights: FloatArray, counts: FloatArray) -> FloatArray:
    """Effective number of records in each bin (b,): (Σ w)² / Σ w² (Kish 1965)."""
    if scored.weights is None or not len(first):
        return counts
    return weights if scored.weights_are_counts else weights**2 / np.add.reduceat(scored.weights**2, first)


def _intervals(shares: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both ends of the 95% intervals of proportions (b,) in ``n`` effective records (b,) (TSKK Eq. 3.16)."""
    z = normal_quantile(0.95)
    middle, spread = 2 * n * shares + z * z, z * np.sqrt(z * z + 4 * n * shares * (1 - shares))
    whole = 2 * (n + z * z)
    return np.clip((middle - spread) / whole, 0, 1), np.clip((middle + spread) / whole, 0, 1)


AT_THEIR_WORD: Final = "Perfectly calibrated: predicted probability equals observed frequency"
EQUALLY_PROBABLE: Final = "Left of it another class is more probable than the true one"
ON_THE_HULL: Final = "Only thresholds on this line can be the cheapest, whatever the costs are (convex hull)"
PERFECT: Final = "Perfect ranking: all records of the class first"
ALWAYS_THE_SAME: Final = "Always predicting the class or never, whichever is cheaper"
AS_NOW: Final = "Cost of the current decisions for any costs"
CHANCE: Final = "Chance: what random guessing reaches"
BY_LOT: Final = "Random order of the records"
"""Tooltips of the reference lines."""


@dataclass(frozen=True)
class Calibration(CurveKind):
    id = "calibration"
    name = "Calibration"
    sentence = (
        "Observed frequency by predicted probability: of the records predicted with 70%, 70% should be of the class. "
        "Whiskers are 95% CI, bars at the foot count records."
    )
    brief = "Nearer the diagonal is better."
    source = "Niculescu-Mizil and Caruana 2005; expected calibration error: Naeini, Cooper and Hauskrecht 2015"
    bins: int = integer(10, lo=2, hi=100, label="Bins", help="Number of bins.")
    binning: str = choice(
        Binning.EQUAL_WIDTH,
        Option(Binning.EQUAL_WIDTH, "Equal width", "0–10%, 10–20%, and so on."),
        Option(Binning.EQUAL_FREQUENCY, "Equal frequency", "Equally many records in each bin."),
        label="Binning",
        help="Bins of equal width or with equally many records.",
    )

    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        bins = reliability(curves.scored, self.bins, Binning(self.binning))
        return Trace(
            bins.predicted,
            bins.true,
            (bins.predicted, bins.true),
            TraceAxis("Predicted probability (mean)"),
            TraceAxis("Observed frequency"),
            (
                TraceColumn("From", bins.low),
                TraceColumn("To", bins.high),
                TraceColumn("Predicted probability (mean)", bins.predicted),
                TraceColumn("Observed frequency", bins.true),
                TraceColumn("At least", bins.least),
                TraceColumn("At most", bins.most),
                TraceColumn("Records", bins.counts, ValueFormat.COUNT),
            ),
            bins.error,
            "calibration error (ECE)",
            None,
            (Guide.straight("perfectly calibrated", AT_THEIR_WORD, (0, 0), (1, 1), Role.CHANCE),),
            bins.least,
            bins.most,
            bins.counts,
            (bins.low, bins.high),
        )


@dataclass(frozen=True)
class MarginCurve(CurveKind):
    id = "margin"
    name = "Margin"
    sentence = (
        "Cumulative distribution of the margin: probability of the true class less that of the best other class. Below "
        "0 the prediction is wrong. All classes count."
    )
    brief = "The lower on the left, the better."
    source = "Schapire, Freund, Bartlett and Lee 1998, Boosting the margin"
    is_of_all_classes = True

    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        distribution = curves.margins
        x, y = distribution.margins, distribution.shares
        line = np.concatenate([np.repeat(x, 2), [1.0]]), np.concatenate([[0.0], np.repeat(y, 2)])
        return Trace(
            x,
            y,
            line if len(x) else (x, y),
            TraceAxis("Margin", 100, -1.0, 1.0),
            TraceAxis("Cumulative share of records"),
            (
                TraceColumn("Margin", x),
                TraceColumn("Cumulative share of records", y),
                TraceColumn(f"Of {curves.label}", distribution.of_class[curves.code]),
            ),
            distribution.mean,
            "mean margin",
            None,
            (Guide.straight("equally probable", EQUALLY_PROBABLE, (0, 0), (0, 1), Role.CHANCE),),
        )


FIRST: Final = 0.1
"""Share of the most probable records at which gains and lift are summarised."""
EQUAL_COST: Final = "equal cost"
LEAST_COST: Final = "least cost"
CHEAPEST_SINGLE: Final = "cheapest single threshold"


@dataclass(frozen=True)
class Roc(CurveKind):
    id = "roc"
    name = "ROC"
    sentence = "Recall (TPR) against FPR at each threshold. Nearer the upper left is better; the diagonal is chance."
    brief = "Nearer the upper left is better."
    source = "Fawcett 2006, An introduction to ROC analysis; convex hull: Provost and Fawcett 2001"
    where_costs_vary = "Costs differ by record, so no line of equal cost exists."

    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        points = curves.points
        chance = Guide.straight("chance", CHANCE, (0, 0), (1, 1), Role.CHANCE)
        hull = Guide("ROC convex hull", ON_THE_HULL, *from_the_top(curves.hull.fpr, curves.hull.tpr), Role.BEST)
        on_hull = np.isin(points.reached, curves.hull.reached).astype(np.float64)
        return Trace(
            points.fpr,
            points.tpr,
            from_the_top(points.fpr, points.tpr),
            TraceAxis("False positive rate"),
            TraceAxis("Recall (TPR)"),
            (*threshold_columns(points), TraceColumn("Cheapest (on the hull)", on_hull, ValueFormat.MARK)),
            curves.auc,
            "AUC",
            points.thresholds,
            (chance, hull),
        )

    def place(self, decided: Matrices, threshold: float | None, costs: FloatArray | None) -> Place:
        specificity = one(decided.specificity)
        return None if specificity is None else 1 - specificity, one(decided.recall)

    def guides_at(
        self, decided: Matrices, costs: FloatArray | None, curves: ClassCurves, cheapest: float | None = None
    ) -> tuple[Guide, ...]:
        """For two classes with costs, the equal-cost line through the decisions and the cheapest one.

        The cheapest line touches the hull at the least cost (Provost and Fawcett 2001); it is omitted if both coincide.
        Of costs that differ by record, the point of the ``cheapest`` threshold.
        """
        if cheapest is not None:
            least = Matrices(curves.scored.confusion(cheapest)[None], decided.code)
            x, y = self.place(least, cheapest, None)
            tip = f"At the square the total cost by one threshold for all is least. {self.where_costs_vary}"
            if x is None or y is None:
                return ()
            return (replace(Guide.straight(CHEAPEST_SINGLE, tip, (x, y), (x, y), Role.LEAST), touch=(x, y)),)
        slope = None if costs is None else equal_cost_slope(costs, decided.code, *_class_weights(decided))
        x, y = self.place(decided, None, costs)
        if slope is None or x is None or y is None:
            return ()
        heights = curves.hull.tpr - slope * curves.hull.fpr
        highest = float(np.max(heights)) if np.all(np.isfinite(heights)) else -np.inf

        def line(name: str, tip: str, start: float, role: Role) -> Guide:
            """The line within the unit square."""
            ends = sorted((end - start) / slope for end in (0.0, 1.0)) if slope else [0.0, 1.0]
            left, right = max(0.0, ends[0]), min(1.0, ends[1])
            return Guide.straight(name, tip, (left, start + slope * left), (right, start + slope * right), role)

        same_tip = "Everywhere on this line the total cost is the same; up and left of it, less"
        same = line(EQUAL_COST, same_tip, y - slope * x, Role.COST)
        if highest <= y - slope * x + 1e-9:
            return (same,)
        best = int(np.argmax(heights))
        touch = float(curves.hull.fpr[best]), float(curves.hull.tpr[best])
        least_tip = "Where this line touches the curve, at the square, the total cost is least (tangent to the hull)"
        return replace(line(LEAST_COST, least_tip, highest, Role.LEAST), touch=touch), same


def _class_weights(decided: Matrices) -> tuple[float, float]:
    """Weight of the records of the class, and of the others."""
    positives = float(decided.tp[0] + decided.fn[0])
    return positives, float(decided.total[0]) - positives


@dataclass(frozen=True)
class PrecisionRecall(CurveKind):
    id = "precision-recall"
    name = "Precision-recall"
    sentence = (
        "Precision against recall at each threshold. Higher is better; the dashed line is chance: the share "
        "of the class."
    )
    brief = "Higher is better; the dashed line is chance."
    source = "Davis and Goadrich 2006, The relationship between precision-recall and ROC curves"

    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        points = curves.points
        share = points.positives / points.total if points.total else np.nan
        return Trace(
            points.tpr,
            points.precision,
            interpolated(points),
            TraceAxis("Recall"),
            TraceAxis("Precision"),
            threshold_columns(points),
            curves.average_precision,
            "PR area",
            points.thresholds,
            (Guide.straight("chance", CHANCE, (0, share), (1, share), Role.CHANCE),),
        )

    def place(self, decided: Matrices, threshold: float | None, costs: FloatArray | None) -> Place:
        return one(decided.recall), one(decided.precision)


def interpolated(points: OperatingPoints, steps: int = 200) -> tuple[FloatArray, FloatArray]:
    """Recall and precision from the highest threshold on, with hyperbolas between (Davis and Goadrich 2006)."""
    if not points.positives:
        return np.zeros(0), np.zeros(0)
    hits, alarms = points.found[::-1], points.alarms[::-1]
    parts = np.maximum(1, np.ceil(np.diff(hits) / points.positives * steps)).astype(np.int64)
    start = np.repeat(np.arange(len(parts)), parts)
    within = (np.arange(len(start)) - np.repeat(np.cumsum(parts) - parts, parts) + 1) / np.repeat(parts, parts)
    tp = hits[start] + within * np.diff(hits)[start]
    fp = alarms[start] + within * np.diff(alarms)[start]
    taken = tp + fp
    tp, taken = tp[taken > 0], taken[taken > 0]
    recall, precision = tp / points.positives, tp / taken
    return np.concatenate([[0.0], recall]), np.concatenate([precision[:1], precision])


@dataclass(frozen=True)
class Gains(CurveKind):
    id = "gains"
    name = "Gains"
    sentence = (
        "Recall among the most probable records: the share of the class in the first x% of the ranking. Dashed: random "
        "order; dotted: perfect ranking."
    )
    brief = "Higher is better; dashed: random order."
    source = "Witten, Frank and Hall 2011, Data Mining, section 5.7"

    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        points = curves.points
        share = points.positives / points.total if points.total else 0.0
        best = Guide("perfect", PERFECT, np.array([0.0, share, 1.0]), np.array([0.0, 1.0, 1.0]), Role.BEST)
        return Trace(
            points.taken,
            points.tpr,
            from_the_top(points.taken, points.tpr),
            TraceAxis("Share of records, most probable first"),
            TraceAxis("Recall"),
            (
                TraceColumn("Threshold", points.thresholds, ValueFormat.THRESHOLD),
                TraceColumn("Records taken", points.taken),
                TraceColumn("Recall", points.tpr),
            ),
            recall_within(points, FIRST),
            "recall in the first 10%",
            points.thresholds,
            (Guide.straight("random order", BY_LOT, (0, 0), (1, 1), Role.CHANCE), best),
        )

    def place(self, decided: Matrices, threshold: float | None, costs: FloatArray | None) -> Place:
        return one((decided.tp + decided.fp) / decided.total), one(decided.recall)


def recall_within(points: OperatingPoints, share: float) -> float | None:
    """Recall within this share of the records, the most probable first, interpolated in ties; None without any."""
    if not points.positives:
        return None
    return float(np.interp(share, points.taken[::-1], points.tpr[::-1]))


@dataclass(frozen=True)
class Lift(CurveKind):
    id = "lift"
    name = "Lift"
    sentence = (
        "Share of the class among the most probable records, divided by its share among all. 1 is a random order."
    )
    brief = "Higher is better; 1 is a random order."
    source = "Piatetsky-Shapiro and Masand 1999, Estimating campaign benefits and modeling lift"

    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        points = curves.points
        tops = points.lift[np.isfinite(points.lift)]
        first = recall_within(points, FIRST)
        return Trace(
            points.taken,
            points.lift,
            _lift_line(points),
            TraceAxis("Share of records, most probable first"),
            TraceAxis("Lift", 1, 0.0, max(1.2, float(tops.max(initial=1.0)))),
            (
                TraceColumn("Threshold", points.thresholds, ValueFormat.THRESHOLD),
                TraceColumn("Records taken", points.taken),
                TraceColumn("Lift", points.lift, ValueFormat.NUMBER),
            ),
            None if first is None else first / FIRST,
            "lift in the first 10%",
            points.thresholds,
            (Guide.straight("random order", BY_LOT, (0, 1), (1, 1), Role.CHANCE),),
        )

    def place(self, decided: Matrices, threshold: float | None, costs: FloatArray | None) -> Place:
        precision = one(decided.precision)
        share = one((decided.tp + decided.fn) / decided.total)
        lift = None if precision is None or not share else precision / share
        return one((decided.tp + decided.fp) / decided.total), lift


def _lift_line(points: OperatingPoints) -> tuple[FloatArray, FloatArray]:
    """Share of records and lift at each point, interpolated between thresholds."""
    recall, precision = interpolated(points)
    if not len(recall):
        return recall, precision
    share = points.positives / points.total
    taken = np.divide(recall * share, precision, out=np.zeros_like(recall), where=precision > 0)
    empty = (precision == 0) & (recall == 0)
    taken[empty] = np.nan
    kept = np.isfinite(taken)
    return taken[kept], precision[kept] / share


@dataclass(frozen=True)
class CostCurveKind(CurveKind):
    id = "cost"
    name = "Cost curve"
    sentence = (
        "Normalized expected cost at the best threshold against the probability cost: the weight of a false negative "
        "against a false positive. Below the dashed lines it beats predicting one class always."
    )
    brief = "Lower is better; dashed: one class always."
    source = "Drummond and Holte 2006, Cost curves; to the right is their PC(+), up the normalised expected cost"
    follows_costs = False
    where_costs_vary = "Costs differ by record, so the decisions have no one probability cost."

    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        curve = curves.cheapest
        always = Guide(
            "one class always", ALWAYS_THE_SAME, np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.0]), Role.CHANCE
        )
        return Trace(
            curve.places,
            curve.costs,
            (curve.places, curve.costs),
            TraceAxis("Probability cost (weight of a false negative)"),
            TraceAxis("Normalized expected cost", 100, 0.0, 0.5),
            (
                TraceColumn("Probability cost from", curve.places),
                TraceColumn("Normalized expected cost", curve.costs),
                TraceColumn("Best threshold from here", curve.thresholds, ValueFormat.THRESHOLD),
            ),
            curve.area,
            "mean cost",
            None,
            (always,),
        )

    def place(self, decided: Matrices, threshold: float | None, costs: FloatArray | None) -> Place:
        weight = probability_cost(costs, decided.code, *_class_weights(decided))
        recall, specificity = one(decided.recall), one(decided.specificity)
        if weight is None or recall is None or specificity is None:
            return NOWHERE
        return weight, float(line_cost(np.array([weight]), 1 - specificity, recall)[0])

    def guides_at(
        self, decided: Matrices, costs: FloatArray | None, curves: ClassCurves, cheapest: float | None = None
    ) -> tuple[Guide, ...]:
        """Cost of these decisions under any costs, a straight line."""
        recall, specificity = one(decided.recall), one(decided.specificity)
        if recall is None or specificity is None:
            return ()
        return (Guide.straight("current decisions", AS_NOW, (0.0, 1 - specificity), (1.0, 1 - recall), Role.OWN),)


@dataclass(frozen=True)
class ThresholdCurve(CurveKind):
    id = "threshold"
    name = "Threshold"
    sentence = (
        "A measure against the probability threshold of the class. The highest point is the best threshold on these "
        "records, for cost and FPR the lowest."
    )
    brief = "The highest point is best; for cost and FPR the lowest."
    source = "Witten, Frank and Hall 2011, Data Mining, section 5.7"
    follows_costs = True
    measure: str = choice(
        "accuracy",
        *(
            Option(measure.id, measure.curve_name or measure.name, measure.curve_name or measure.name)
            for measure in with_curve()
        ),
        label="Measure",
        help="The measure on the vertical axis.",
    )
    beta: float = real(
        1.0,
        lo=0.01,
        hi=100.0,
        label="Beta",
        help="Weight of recall against precision.",
        enabled_if=when("measure", "f"),
    )

    @property
    def shows_costs(self) -> bool:
        return self.measure == "cost"

    def trace(self, curves: ClassCurves, costs: AnyCosts | None = None) -> Trace:
        measure, swept = MEASURES.get(self.measure), curves.swept
        name, is_share = measure.curve_label, measure.unit is Unit.PERCENT
        if isinstance(costs, RecordCosts) and costs.varies and self.shows_costs:
            y = curves.scored.costs_at(np.minimum(swept.thresholds, 2.0), costs) / curves.matrices.total
        else:
            y = self._values(curves.matrices, costs.fixed if isinstance(costs, RecordCosts) else costs)
        x = np.minimum(swept.thresholds, 1.0)
        defined = y[np.isfinite(y)]
        best = None if not len(defined) else float(defined.max() if measure.higher_is_better else defined.min())
        high = 1.0 if self.measure != "cost" or costs is None else float(defined.max(initial=0.0)) or 1.0
        low = min(0.0, float(defined.min(initial=0.0)))
        return Trace(
            x,
            y,
            _step_line(swept.thresholds, y),
            TraceAxis("Threshold", 1),
            TraceAxis(name, 100 if is_share else 1, low, high),
            (
                TraceColumn("Threshold", swept.thresholds, ValueFormat.THRESHOLD),
                TraceColumn(name, y, ValueFormat.SHARE if is_share else ValueFormat.NUMBER),
            ),
            best,
            "at best",
            swept.thresholds,
        )

    def place(self, decided: Matrices, threshold: float | None, costs: FloatArray | None) -> Place:
        if threshold is None:
            return NOWHERE
        return min(1.0, threshold), one(self._values(decided, costs))

    def _values(self, matrices: Matrices, costs: FloatArray | None) -> FloatArray:
        """The measure for each confusion matrix (p,)."""
        compute = MEASURES.get(self.measure).curve
        assert compute is not None
        return compute(matrices, costs, self.beta)


def _step_line(thresholds: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The line in steps: a threshold decides as the next score above it."""
    x = np.minimum(thresholds, 1.0)
    across, up = np.concatenate([[0.0], np.repeat(x, 2)[:-1]]), np.repeat(y, 2)
    defined = np.isfinite(up)
    return across[defined], up[defined]


CURVES: Final[RegistryShelf[type[CurveKind]]] = RegistryShelf("curve")
"""Registry of the curve kinds in display order."""
for _kind in (Roc, PrecisionRecall, Gains, Lift, CostCurveKind, Calibration, MarginCurve, ThresholdCurve):
    CURVES.add(_kind.id, _kind)
