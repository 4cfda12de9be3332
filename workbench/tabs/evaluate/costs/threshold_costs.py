"""What a record would cost at each threshold of the run in view; a threshold that is clicked is decided by."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtWidgets import QWidget

from algorithms.data.columns import FloatArray
from algorithms.evaluation.curves.curve_kind import ClassCurves
from algorithms.evaluation.curves.scored import ABOVE_ALL
from algorithms.text.numbers import amount
from algorithms.text.sentences import threshold_words
from workbench.session.runs import Run
from workbench.tabs.evaluate.deciding import RunDecisions
from workbench.viewers.charts.band_plot import BandLine, BandPlot, Bands
from workbench.widgets.panes import Pane

ROUND_THRESHOLDS: Final = tuple((tenth / 10, threshold_words(tenth / 10)) for tenth in range(0, 11, 2))
THRESHOLDS: Final = 101
SAME: Final = 1e-9
BEYOND: Final = 1.04
"""Where the place of never saying it stands, right of all thresholds that a probability may reach."""


class CostByThreshold(Pane):
    """Shows the run that is decided on; the matrices of its thresholds are made once for a curve, costs weigh them."""

    def __init__(self, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__("Cost by threshold", parent=parent)
        self._deciding = deciding
        self._curve: tuple[ClassCurves, FloatArray, FloatArray] | None = None
        self.plot = BandPlot("evaluate.board.plot", "Cost by threshold")
        self.plot.read.connect(self._threshold_read)
        self.body.addWidget(self.plot, 1)

    def _threshold_read(self, at: int) -> None:
        """A threshold was clicked, or gone to by the arrow keys: the run in view decides by it."""
        if self._curve is not None:
            self._deciding.decide_at(float(self._curve[1][at]))

    def show_run(self, run: Run, costs: FloatArray, in_force: float | None) -> None:
        """The run that is decided on under ``costs`` (k, k), and the threshold it decides by, where it does."""
        priced = self._deciding.priced_curve_of(run) if self._deciding.is_priced else None
        if priced is None:
            self.plot.show_bands(None)
            return
        curve, prices = priced
        thresholds, matrices = self._matrices(curve, in_force)
        n = max(float(matrices[0].sum()), 1e-300)
        means = (matrices * (costs if prices is None else prices)).sum(axis=(1, 2)) / n
        self.set_facts(f"of run {run.number}, for {curve.label}", f"of run {run.number}")
        line = BandLine(f"run {run.number}", means, np.zeros(len(means)))
        never = f"never {curve.label}"
        values = tuple(never if each > 1 else threshold_words(float(each)) for each in thresholds)
        offer = self._deciding.offer()
        told = -1 if offer is None else int(np.searchsorted(thresholds, offer.cheapest.threshold))
        least = int(np.argmin(means))
        if 0 <= told < len(means) and means[told] <= means[least] + SAME:
            least = told  # of those that cost the same, the one that the button of the page uses
        across, upward = f"Threshold of {curve.label}", "cost per record"
        is_never = thresholds[least] > 1
        cheapest = f"{'cheapest' if is_never else 'cheapest threshold'}: {values[least]}"
        cheapest = f"{cheapest}, {amount(float(means[least]))} a record"
        places = np.where(thresholds > 1, BEYOND, thresholds)
        self.plot.show_bands(
            Bands(across, upward, values, places, True, (line,), least, cheapest, 1.0, marks=ROUND_THRESHOLDS)
        )
        at = least if in_force is None else int(np.argmin(np.abs(thresholds - in_force)))
        self.plot.stand_at(at)

    def _matrices(self, curve: ClassCurves, in_force: float | None) -> tuple[FloatArray, FloatArray]:
        """Thresholds (t,), the cheapest and the one in force among them, and what each makes of the tests (t, k, k).

        The last is over 1, which no probability reaches: it never says the class.
        """
        offer = self._deciding.offer()
        told = [in_force, None if offer is None else offer.cheapest.threshold]
        named = [each for each in told if each is not None and 0.0 <= each <= 1.0]
        thresholds = np.unique([*np.linspace(0.0, 1.0, THRESHOLDS).tolist(), *named, ABOVE_ALL])
        if self._curve is None or self._curve[0] is not curve or not np.array_equal(self._curve[1], thresholds):
            self._curve = (curve, thresholds, curve.scored.matrices(thresholds))
        return self._curve[1], self._curve[2]
