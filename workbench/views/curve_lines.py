"""Curves as they are drawn: which rates lie on which axis, where a point lies, how lines are told apart. No widgets."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.evaluation.operating import OperatingPoints
from workbench.views.figures import in_100, index

PATTERNS: Final[tuple[tuple[float, ...], ...]] = ((5.0, 2.5), (1.5, 2.0), (7.0, 2.5, 1.5, 2.5), (2.5, 1.5), (9.0, 3.0))
"""Dashes and gaps in line widths, of runs laid under the one in view: with the colours, lines are told apart twice."""


class CurveKind(StrEnum):
    """What is drawn over what."""

    ROC = "roc"
    PRECISION_RECALL = "precision-recall"


TITLES: Final = {CurveKind.ROC: "ROC", CurveKind.PRECISION_RECALL: "Precision-recall"}
AXES: Final = {
    CurveKind.ROC: ("False alarms (FPR)", "Found (TPR)"),
    CurveKind.PRECISION_RECALL: ("Found (recall)", "Sure (precision)"),
}


@dataclass(frozen=True, eq=False)
class CurveLine:
    """One run's curve: its name, its points, the number of its look, and its areas."""

    label: str
    points: OperatingPoints
    look: int = 0
    auc: float | None = None
    average_precision: float | None = None

    def area(self, kind: CurveKind) -> float | None:
        """The area under the curve of this kind."""
        return self.auc if kind is CurveKind.ROC else self.average_precision

    def titled(self, kind: CurveKind) -> str:
        """Name and area: "C4.5 .955"."""
        return f"{self.label} {index(self.area(kind))}"


def coordinates(points: OperatingPoints, kind: CurveKind) -> tuple[FloatArray, FloatArray]:
    """Where each threshold lies (p,), NaN where a rate is undefined."""
    return (points.fpr, points.tpr) if kind is CurveKind.ROC else (points.tpr, points.precision)


def outline(points: OperatingPoints, kind: CurveKind) -> tuple[FloatArray, FloatArray]:
    """The line to draw, from the highest threshold to the lowest; precision changes in steps."""
    x, y = (values[::-1] for values in coordinates(points, kind))
    defined = np.isfinite(x) & np.isfinite(y)
    x, y = x[defined], y[defined]
    if kind is CurveKind.ROC or not len(x):
        return x, y
    return np.concatenate([[0.0], np.repeat(x, 2)[:-1]]), np.repeat(y, 2)


def nearest_point(
    points: OperatingPoints, kind: CurveKind, x: float, y: float, width: float, height: float
) -> tuple[int, float]:
    """The threshold drawn nearest to a place, and how many pixels away; ``width`` x ``height`` pixels are one unit."""
    xs, ys = coordinates(points, kind)
    away = np.hypot((xs - x) * width, (ys - y) * height)
    if not np.isfinite(away).any():
        return 0, float("inf")
    at = int(np.nanargmin(away))
    return at, float(away[at])


def threshold_words(threshold: float) -> str:
    """A threshold in short: ".50", ".091", ".0083", "0", "1"; "over 1" where nothing reaches it."""
    if threshold > 1:
        return "over 1"
    if threshold in (0.0, 1.0):
        return f"{threshold:.0f}"
    text = f"{threshold:.3f}" if threshold >= 0.0995 else f"{threshold:.2g}"
    if len(text) > 4 and text.endswith("0"):
        text = text[:-1]
    return text.removeprefix("0")


def point_sentence(line: CurveLine, at: int) -> str:
    """One threshold of one run in words."""
    points = line.points

    def share(value: float) -> str:
        return in_100(None if np.isnan(value) else float(value))

    found, alarms, sure = (share(values[at]) for values in (points.tpr, points.fpr, points.precision))
    return (
        f"{line.label}\nfrom probability {threshold_words(float(points.thresholds[at]))} on:\n"
        f"found {found} in 100, false alarms {alarms}, sure {sure}"
    )


COLUMNS: Final = ("Threshold", "Found (TPR)", "False alarms (FPR)", "Sure (precision)")


def row(points: OperatingPoints, at: int) -> tuple[float, ...]:
    """The numbers of one threshold, in the order of ``COLUMNS``."""
    return tuple(float(values[at]) for values in (points.thresholds, points.tpr, points.fpr, points.precision))


def as_csv(lines: Sequence[CurveLine], delimiter: str = ",") -> str:
    """All points of all lines, one a row."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["Run", *COLUMNS])
    for line in lines:
        for at in range(len(line.points)):
            writer.writerow([line.label, *("" if np.isnan(v) else f"{v:.6g}" for v in row(line.points, at))])
    return stream.getvalue()
