"""Curves of the probabilities themselves, on which no point is a threshold: calibration and margins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.params import Option, choice, integer
from algorithms.evaluation.calibration import Binning, reliability
from algorithms.evaluation.class_curves import ClassCurves
from algorithms.evaluation.curve_kind import CurveKind
from algorithms.evaluation.traces import Axis, Column, Form, Guide, Role, Trace


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
            Axis("Said (average probability)"),
            Axis("Came true"),
            (
                Column("From", found.low),
                Column("To", found.high),
                Column("Said (average probability)", found.said),
                Column("Came true", found.true),
                Column("At least", found.least),
                Column("At most", found.most),
                Column("Records", found.counts, Form.COUNT),
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
            Axis("Margin", 100, -1.0, 1.0),
            Axis("Records so far"),
            (
                Column("Margin", x),
                Column("Records no further", y),
                Column(f"Of {made.label}", found.of_class[made.code]),
            ),
            found.mean,
            "average margin",
            None,
            (Guide.straight("equally probable", (0, 0), (0, 1), Role.CHANCE),),
        )
