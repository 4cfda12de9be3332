"""Calibration: the reliability diagram, its error, and curves of the probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from algorithms.core.parameters import Option, choice, integer
from algorithms.core.scores import normal_quantile
from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.curves.curve_kind import ClassCurves, CurveKind
from algorithms.evaluation.curves.scored import ScoredClass
from algorithms.evaluation.curves.traces import Guide, Role, Trace, TraceAxis, TraceColumn, ValueFormat


class Binning(StrEnum):
    """How records are put together by their probability."""

    EQUAL_WIDTH = "equal-width"
    EQUAL_FREQUENCY = "equal-frequency"


@dataclass(frozen=True, eq=False)
class Reliability:
    """What was said and what came true in each bin that holds records (b,), from low probabilities to high ones.

    ``low`` and ``high`` are the ends of the bins (of equal frequency: the least and the greatest probability in it),
    ``said`` the mean probability, ``true`` the share of the class, ``weights`` the weight and ``counts`` the number of
    its records. ``least`` and ``most`` are the ends of the share's 95% interval (TSKK Eq. 3.16, Wilson 1927).
    """

    low: FloatArray
    high: FloatArray
    said: FloatArray
    true: FloatArray
    weights: FloatArray
    counts: FloatArray
    least: FloatArray
    most: FloatArray

    @property
    def error(self) -> float | None:
        """The expected calibration error: mean distance of what was said from what came true, by weight.

        Naeini, Cooper and Hauskrecht 2015, Obtaining well calibrated probabilities using Bayesian binning.
        """
        total = float(self.weights.sum())
        return float(np.abs(self.said - self.true) @ self.weights) / total if total else None

    @property
    def largest_error(self) -> float | None:
        """The distance in the worst bin (maximum calibration error)."""
        return float(np.abs(self.said - self.true).max()) if len(self.said) else None


def reliability(scored: ScoredClass, bins: int = 10, binning: Binning = Binning.EQUAL_WIDTH) -> Reliability:
    """Put the records of a class into ``bins`` by its probability and compare what was said with what came true.

    Equal widths are [0, 1/b), [1/b, 2/b), ... with 1 in the last. Equal frequencies hold about as many records each;
    records of one probability are never parted, so there may be fewer bins. Empty bins are left out.
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
    weights, of_class, said = _sums(scored, first)
    true = of_class / weights
    counts = (last - first).astype(np.float64)
    least, most = _intervals(true, _worth(scored, first, weights, counts))
    if binning is Binning.EQUAL_WIDTH:
        low, high = edges[filled], edges[filled + 1]
    else:
        low, high = scored.scores[first], scored.scores[last - 1]
    return Reliability(low, high, said / weights, true, weights, counts, least, most)


def _sums(scored: ScoredClass, first: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weight, weight of the class and sum of the probabilities from each of these positions to the next (b,)."""
    if not len(first):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    if scored.weights is None:
        ends = np.append(first, len(scored))
        bins = [slice(*ends[at : at + 2]) for at in range(len(first))]
        of_class = np.array([np.count_nonzero(scored.is_of_class[each]) for each in bins], dtype=np.float64)
        said = np.array([scored.scores[each].sum() for each in bins])
        return np.diff(ends).astype(np.float64), of_class, said
    marks, scores = scored.is_of_class * scored.weights, scored.scores * scored.weights
    return np.add.reduceat(scored.weights, first), np.add.reduceat(marks, first), np.add.reduceat(scores, first)


def _worth(scored: ScoredClass, first: IntArray, weights: FloatArray, counts: FloatArray) -> FloatArray:
    """Of how many equally weighted records those of each bin are worth (b,): (Σ w)² / Σ w² (Kish 1965)."""
    if scored.weights is None or not len(first):
        return counts
    return weights if scored.weights_are_counts else weights**2 / np.add.reduceat(scored.weights**2, first)


def _intervals(shares: FloatArray, n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both ends of the 95% intervals of shares (b,) seen in ``n`` equally weighted records (b,) (TSKK Eq. 3.16)."""
    z = normal_quantile(0.95)
    middle, spread = 2 * n * shares + z * z, z * np.sqrt(z * z + 4 * n * shares * (1 - shares))
    whole = 2 * (n + z * z)
    return np.clip((middle - spread) / whole, 0, 1), np.clip((middle + spread) / whole, 0, 1)


@dataclass(frozen=True)
class Calibration(CurveKind):
    id = "calibration"
    name = "Calibration"
    sentence = (
        "Where 70 in 100 was said (right), 70 in 100 should come true (up): on the diagonal the probabilities can be "
        "taken at their word. The whiskers are 95% intervals, the bars at the foot how many records."
    )
    brief = "Nearer the diagonal is better."
    source = "Niculescu-Mizil and Caruana 2005; expected calibration error: Naeini, Cooper and Hauskrecht 2015"
    bins: int = integer(10, lo=2, hi=100, label="Bins", help="Into how many groups the records are put.")
    binning: str = choice(
        Binning.EQUAL_WIDTH,
        Option(Binning.EQUAL_WIDTH, "equal width", "0 to 10 in 100, 10 to 20 in 100, and so on."),
        Option(Binning.EQUAL_FREQUENCY, "equal frequency", "As many records in each group."),
        label="of",
        help="Groups of equal width, or of about as many records each.",
    )

    def trace(self, made: ClassCurves, costs: FloatArray | None = None) -> Trace:
        found = reliability(made.scored, self.bins, Binning(self.binning))
        return Trace(
            found.said,
            found.true,
            (found.said, found.true),
            TraceAxis("Said (average probability)"),
            TraceAxis("Came true"),
            (
                TraceColumn("From", found.low),
                TraceColumn("To", found.high),
                TraceColumn("Said (average probability)", found.said),
                TraceColumn("Came true", found.true),
                TraceColumn("At least", found.least),
                TraceColumn("At most", found.most),
                TraceColumn("Records", found.counts, ValueFormat.COUNT),
            ),
            found.error,
            "calibration error (ECE)",
            None,
            (Guide.straight("taken at their word", (0, 0), (1, 1), Role.CHANCE),),
            found.least,
            found.most,
            found.counts,
            (found.low, found.high),
        )


@dataclass(frozen=True)
class MarginCurve(CurveKind):
    id = "margin"
    name = "Margin"
    sentence = (
        "How far the true class was ahead of the next one (right), and how many in 100 records were no further (up). "
        "Left of 0 another class was ahead. The lower on the left, the better. All classes count."
    )
    brief = "The lower on the left, the better."
    source = "Schapire, Freund, Bartlett and Lee 1998, Boosting the margin"
    is_of_all_classes = True

    def trace(self, made: ClassCurves, costs: FloatArray | None = None) -> Trace:
        found = made.margins
        x, y = found.margins, found.shares
        line = np.concatenate([np.repeat(x, 2), [1.0]]), np.concatenate([[0.0], np.repeat(y, 2)])
        return Trace(
            x,
            y,
            line if len(x) else (x, y),
            TraceAxis("Margin", 100, -1.0, 1.0),
            TraceAxis("Records so far"),
            (
                TraceColumn("Margin", x),
                TraceColumn("Records no further", y),
                TraceColumn(f"Of {made.label}", found.of_class[made.code]),
            ),
            found.mean,
            "average margin",
            None,
            (Guide.straight("equally probable", (0, 0), (0, 1), Role.CHANCE),),
        )
