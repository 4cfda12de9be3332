"""What a kind of curve is: how it is drawn from the records of a class, and where decisions lie on it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.params import Configurable
from algorithms.evaluation.by_threshold import Matrices
from algorithms.evaluation.class_curves import ClassCurves
from algorithms.evaluation.operating import OperatingPoints
from algorithms.evaluation.traces import Column, Form, Guide, Trace

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


def threshold_columns(points: OperatingPoints) -> tuple[Column, ...]:
    return (
        Column("Threshold", points.thresholds, Form.THRESHOLD),
        Column("Found (TPR)", points.tpr),
        Column("False alarms (FPR)", points.fpr),
        Column("Sure (precision)", points.precision),
    )


def from_the_top(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The line from the highest threshold to the lowest, where it is defined."""
    defined = np.isfinite(x) & np.isfinite(y)
    return x[defined][::-1], y[defined][::-1]
