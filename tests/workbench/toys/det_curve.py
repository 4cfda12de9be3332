"""A curve, made as ``resources/docs/how-to-add-a-curve.md`` says: errors of both kinds against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.core.parameters import boolean
from algorithms.data.columns import FloatArray
from algorithms.evaluation.curves.curve_base import ClassCurves, CurveKind, Trace, TraceAxis, TraceColumn, ValueFormat


@dataclass(frozen=True)
class DetectionErrorTradeoff(CurveKind):
    """Misses against false alarms (Martin and others 1997)."""

    id: ClassVar[str] = "toy-det"
    name: ClassVar[str] = "Detection error tradeoff"
    sentence: ClassVar[str] = "For each threshold the share of records missed (up) and of false alarms (right)."
    brief: ClassVar[str] = "Nearer to the lower left corner is better."
    source: ClassVar[str] = "Martin and others 1997, The DET curve in assessment of detection task performance"

    from_left: bool = boolean(True, label="FPR across", help="Whether FPR is drawn across.")

    def trace(self, curves: ClassCurves, costs: FloatArray | None = None) -> Trace:
        points = curves.points
        misses, alarms = 1.0 - points.tpr, points.fpr
        axes = (TraceAxis("FPR"), misses), (TraceAxis("FNR"), alarms)
        (across, y), (up, x) = axes if self.from_left else axes[::-1]
        equal = float(y[abs(x - y).argmin()])
        columns = (
            TraceColumn("Threshold", points.thresholds, ValueFormat.THRESHOLD),
            TraceColumn("FNR", misses),
            TraceColumn("FPR", alarms),
        )
        return Trace(x, y, (x, y), across, up, columns, equal, "equal error rate", points.thresholds)
