"""The gain at every threshold of a numeric attribute over the records of a node (TSKK section 3.3.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth.binned_growth import binned
from algorithms.learners.trees.growth.growth_options import TOLERANCE, GrowthOptions, middles
from algorithms.learners.trees.growth.nodewise_growth import data_thresholds
from algorithms.learners.trees.growth.split_criteria import cuts_of, gains_of
from algorithms.learners.trees.routing import NodeRecords


@dataclass(frozen=True, eq=False)
class GainCurve:
    """What each threshold of a numeric attribute would gain.

    ``gain`` (t,) is the gain by the criterion's impurity less ``correction``, as thresholds are compared; ``allowed``
    (t,) tells the thresholds with enough records on both sides; ``below`` (t,) is the weight at or below a threshold,
    ``known_weight`` the weight of all records whose value is known. ``chosen`` is the best allowed one, -1 where none
    is.
    """

    attribute: int
    name: str
    thresholds: FloatArray
    gain: FloatArray
    allowed: NDArray[np.bool_]
    below: FloatArray
    known_weight: float
    correction: float
    chosen: int
    unit: str = ""
    """Unit of the gain, where it has one: bits of an entropy."""

    def nearest(self, threshold: float) -> int:
        """Position of the threshold nearest to a number; there must be one."""
        position = int(np.searchsorted(self.thresholds, threshold))
        near = [i for i in (position - 1, position) if 0 <= i < len(self.thresholds)]
        return min(near, key=lambda i: abs(float(self.thresholds[i]) - threshold))

    def thinned(self, most: int) -> IntArray:
        """Positions of at most about ``most`` thresholds that keep the curve's shape: each stretch's ends, low and
        high, and both thresholds where those allowed begin or end."""
        n = len(self.thresholds)
        if n <= most:
            return np.arange(n)
        ends = np.flatnonzero(np.diff(self.allowed))
        positions = {*ends.tolist(), *(ends + 1).tolist(), *([self.chosen] if self.chosen >= 0 else [])}
        for low, high in pairwise(np.linspace(0, n, max(1, most // 4) + 1).astype(np.int64).tolist()):
            gains = self.gain[low:high]
            positions |= {low, high - 1, low + int(np.argmin(gains)), low + int(np.argmax(gains))}
        return np.array(sorted(positions), dtype=np.int64)


def gain_curve(records: NodeRecords, options: GrowthOptions, criterion: str, attribute: int) -> GainCurve | None:
    """The gain at each threshold of a numeric attribute over the records of a node; None for another kind, and where
    numbers have a branch for each range."""
    schema = records.whole.schema
    described = schema.attributes[attribute]
    if described.kind is not AttributeKind.NUMERIC or options.numeric_splits != "binary":
        return None
    numbers, whole = np.asarray(records.here.column(attribute), dtype=np.float64), records.whole
    if options.uses_bins:
        place, bins = schema.predictors.index(attribute), whole.derived(binned(options.bins)).bins
        numbers = bins.numbers_in_codes(place, numbers)

        def between(low: FloatArray, high: FloatArray) -> FloatArray:
            return bins.between(place, low.astype(np.int64), high.astype(np.int64), options.thresholds)
    else:

        def between(low: FloatArray, high: FloatArray) -> FloatArray:
            return data_thresholds(whole, options, attribute, middles(low, high))

    return curve_of(numbers, records, options, criterion, attribute, described.name, between)


def curve_of(
    numbers: FloatArray,
    records: NodeRecords,
    options: GrowthOptions,
    criterion: str,
    attribute: int,
    name: str,
    between: Callable[[FloatArray, FloatArray], FloatArray] = middles,
) -> GainCurve:
    """The gain at each threshold, put ``between`` neighbours, of these numbers (n,), NaN where missing."""
    here, k = records.here, len(records.whole.schema.classes)
    weights = here.weight_array
    total = float(weights.sum())
    cuts = cuts_of(numbers, here.class_codes.astype(np.int64), weights, k)
    thresholds = between(cuts.low, cuts.high)
    below, known_weight = cuts.left.sum(axis=0), float(cuts.class_weights.sum())
    least = options.min_leaf
    if options.numeric_min_split:
        least = max(least, min(25.0, 0.1 * known_weight / max(k, 1)))
    allowed = (below >= least - TOLERANCE) & (known_weight - below >= least - TOLERANCE)
    gain = gains_of(cuts, criterion, total) if total > 0 else np.zeros(0)
    n_allowed = int(np.count_nonzero(allowed))
    is_taken_off = options.numeric_correction and criterion != "chi-square" and n_allowed
    correction = float(np.log2(n_allowed)) / total if is_taken_off else 0.0
    judged = np.where(allowed, gain, -np.inf)
    chosen = int(np.argmax(judged >= judged.max() - 1e-10)) if n_allowed else -1
    return GainCurve(
        attribute=attribute,
        name=name,
        thresholds=thresholds,
        gain=gain - correction,
        allowed=allowed,
        below=below,
        known_weight=known_weight,
        correction=correction,
        chosen=chosen,
        unit="bits" if criterion in ("gain-ratio", "information-gain") else "",
    )
