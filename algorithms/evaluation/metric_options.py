"""What can be chosen of the measures: beta of F, and the weights of a weighted accuracy."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.params import Configurable, real
from algorithms.core.scores import Working
from algorithms.evaluation.workings import Counts


@dataclass(frozen=True)
class MetricOptions(Configurable):
    """Chosen once for all runs."""

    id = "measures"
    name = "Measures"
    sentence = "Beta of F, and how much each kind of decision weighs in the weighted accuracy."
    beta: float = real(2.0, lo=0.01, hi=100.0, label="Beta", help="How many times as much found counts as sure in F.")
    found: float = real(1.0, lo=0.0, hi=1e6, label="Found", help="Weight of records of the class that are found.")
    alarm: float = real(1.0, lo=0.0, hi=1e6, label="Alarm", help="Weight of false alarms.")
    missed: float = real(1.0, lo=0.0, hi=1e6, label="Missed", help="Weight of records of the class that are missed.")
    cleared: float = real(1.0, lo=0.0, hi=1e6, label="Cleared", help="Weight of other records not taken for it.")

    def f_measure(self, counts: Counts) -> Working:
        """F with this beta."""
        return counts.f_measure(self.beta)

    def weighted_accuracy(self, counts: Counts) -> Working:
        """(w1 TP + w4 TN) / (w1 TP + w2 FP + w3 FN + w4 TN): recall, precision, F and accuracy are cases of it."""
        return counts.weighted_accuracy(self.found, self.alarm, self.missed, self.cleared)
