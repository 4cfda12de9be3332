"""Relevance of attributes to the class: gain, chi-square, one-rule, ReliefF and others.

Source: Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML (1994), section 3.2 (RELIEF-D) for
values of a list: 1 less the chance that both have one value. For numbers it is the mean distance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.filters.supervised_cuts import bits, cut_places, cuts_by_class, weights_upto


class ExpectedGaps(ABC):
    """Of one column with unknown values: ``values`` (m,) from 0 to 1 or codes, NaN unknown, ``classes`` (m,) codes
    below ``k``. A value that a record lacks is taken for one of those that its class has, of all where it has none.
    ``asked`` (s,) are the places of the records that all others are compared with, ascending.
    """

    def __init__(self, values: FloatArray, classes: IntArray, k: int, asked: IntArray) -> None:
        self._values, self._classes, self._asked = values, classes, asked
        self._unknown = np.isnan(values)
        known = ~self._unknown
        self._learn([own if len(own) else values[known] for own in (values[known & (classes == c)] for c in range(k))])
        self._from_asked = np.array([self._from(code, values[asked]) for code in range(k)])
        self._between = np.array([[self._apart(one, other) for other in range(k)] for one in range(k)])

    def put_into(self, gaps: FloatArray, at: int) -> None:
        """Put what is expected into the ``gaps`` (m,) between asked record ``at`` and all where either is unknown."""
        place = self._asked[at]
        if self._unknown[place]:
            own = int(self._classes[place])
            gaps[:] = np.where(self._unknown, self._between[own, self._classes], self._from(own, self._values))
        else:
            gaps[self._unknown] = self._from_asked[self._classes[self._unknown], at]

    @abstractmethod
    def _learn(self, of_class: list[FloatArray]) -> None:
        """Look at the known values of each class."""

    @abstractmethod
    def _from(self, code: int, values: FloatArray) -> FloatArray:
        """How far each of these values (n,) is from one of a class on average; any number where it is NaN."""

    @abstractmethod
    def _apart(self, one: int, other: int) -> float:
        """How far a value of one class is from one of another on average."""


class ExpectedOfValues(ExpectedGaps):
    """Values of a list differ by 0 or 1."""

    def _learn(self, of_class: list[FloatArray]) -> None:
        size = int(max((own.max(initial=0) for own in of_class), default=0)) + 1
        counts = np.array([np.bincount(own.astype(np.int64), minlength=size) for own in of_class])
        self._shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)

    def _from(self, code: int, values: FloatArray) -> FloatArray:
        found: FloatArray = 1 - self._shares[code, np.nan_to_num(values).astype(np.int64)]
        return found

    def _apart(self, one: int, other: int) -> float:
        return 1 - float(self._shares[one] @ self._shares[other])


class ExpectedOfNumbers(ExpectedGaps):
    """Numbers differ by their distance."""

    def _learn(self, of_class: list[FloatArray]) -> None:
        self._sorted: list[NDArray[np.float64]] = [np.sort(own) for own in of_class]
        self._sums = [np.concatenate([[0.0], np.cumsum(own)]) for own in self._sorted]

    def _from(self, code: int, values: FloatArray) -> FloatArray:
        ordered, sums = self._sorted[code], self._sums[code]
        below = np.searchsorted(ordered, values)
        above = len(ordered) - below
        total = values * below - sums[below] + (sums[-1] - sums[below]) - values * above
        return np.asarray(total / max(1, len(ordered)))

    def _apart(self, one: int, other: int) -> float:
        return float(self._from(one, self._sorted[other]).mean()) if len(self._sorted[other]) else 0.0


Checkpoint = Callable[[], None]


def information_gain(counts: FloatArray) -> float:
    """Bits that the values (rows) tell about the classes (columns). Source: Quinlan, Machine Learning 1 (1986)."""
    n = float(counts.sum())
    if n <= 0:
        return 0.0
    return max(0.0, float(bits(counts.sum(axis=0)) - bits(counts).sum()) / n)


def gain_ratio(counts: FloatArray) -> float:
    """The gain divided by the entropy of the values themselves. Source: Quinlan, C4.5 (1993)."""
    n = float(counts.sum())
    split = float(bits(counts.sum(axis=1))) / n if n > 0 else 0.0
    return information_gain(counts) / split if split > 1e-12 else 0.0


def symmetrical_uncertainty(counts: FloatArray) -> float:
    """Twice the gain over the entropies of values and classes, 0 to 1. Source: Press et al., Numerical Recipes."""
    n = float(counts.sum())
    both = float(bits(counts.sum(axis=0)) + bits(counts.sum(axis=1))) / n if n > 0 else 0.0
    return 2 * information_gain(counts) / both if both > 1e-12 else 0.0


def gini_gain(counts: FloatArray) -> float:
    """How much the Gini index of the classes falls. Source: Breiman et al. (1984)."""
    n = float(counts.sum())
    if n <= 0:
        return 0.0
    sizes = counts.sum(axis=1)
    inside = np.divide((counts**2).sum(axis=1), sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    return max(0.0, float(inside.sum() / n - ((counts.sum(axis=0) / n) ** 2).sum()))


def chi_square(counts: FloatArray) -> float:
    """Pearson's statistic of values against classes."""
    n = float(counts.sum())
    if n <= 0:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    return float(np.divide((counts - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0).sum())


def one_rule(counts: FloatArray) -> float:
    """How often the most frequent class of its value is right, 0 to 1. Source: Holte, Machine Learning 11 (1993)."""
    n = float(counts.sum())
    return float(counts.max(axis=1).sum()) / n if n > 0 and counts.size else 0.0


MEASURES: Final[Mapping[str, Callable[[FloatArray], float]]] = {
    "information-gain": information_gain,
    "gain-ratio": gain_ratio,
    "gini": gini_gain,
    "chi-square": chi_square,
    "symmetrical-uncertainty": symmetrical_uncertainty,
    "one-rule": one_rule,
}


def ranges_of(data: Dataset, index: int, checkpoint: Checkpoint) -> tuple[NDArray[np.int64], int]:
    """The value of each record (n,), -1 where it is missing, and how many there are; numbers cut by the class."""
    attribute, column = data.schema.attributes[index], data.column(index)
    if attribute.kind.is_coded:
        return column.astype(np.int64), len(attribute.values)
    cuts = cuts_by_class(data, index, checkpoint)
    codes = np.searchsorted(np.asarray(cuts, dtype=np.float64), column, side="right")
    return np.where(np.isnan(column), -1, codes), len(cuts) + 1


def class_counts(data: Dataset, index: int, checkpoint: Checkpoint, binary: str | None = None) -> FloatArray:
    """Weight of each value and class (v, k) among records that have both; numbers are cut by the class.

    Numbers are cut by minimum description length; with ``binary`` at the one place that is best by this measure.
    """
    classes, k = data.class_codes.astype(np.int64), len(data.schema.classes)
    attribute = data.schema.attributes[index]
    if attribute.kind.is_coded:
        return crossed(data.column(index).astype(np.int64), len(attribute.values), classes, k, data.weights)
    _, upto = weights_upto(data, index)
    places = cut_places(upto, checkpoint) if binary is None else best_place(upto, binary)
    ends = [0, *places, upto.shape[1] - 1]
    counts = np.diff(upto[:, ends], axis=1).T.astype(np.float64)
    # an infinite number has a side, though no cut lies beside it: the first range or the last
    column = data.column(index)
    for value, row in ((-np.inf, 0), (np.inf, -1)):
        at = np.flatnonzero((column == value) & (classes >= 0))
        if len(at):
            counts[row] += np.bincount(classes[at], data.weight_array[at], minlength=k)
    return counts


def best_place(upto: NDArray[Any], by: str) -> list[int]:
    """The place 1..v-1 to cut v ascending numbers at, best by this measure; none where there is one number only.

    ``upto`` (k, v + 1) are the weights of each class up to each number. Gain ratio and symmetrical uncertainty take the
    cut of the highest gain, as C4.5 does. Of equally good cuts the lowest is taken.
    """
    if upto.shape[1] < 3:
        return []
    total = upto[:, -1].astype(np.float64)
    left = upto[total > 0, 1:-1].astype(np.float64)
    right = total[total > 0, None] - left
    sides = (left, right)
    if by == "one-rule":
        worth = sum((side.max(axis=0) for side in sides), np.zeros(left.shape[1]))
    elif by in ("gini", "chi-square"):
        of_class = total[total > 0, None] if by == "chi-square" else 1.0
        worth = sum(((side**2 / of_class).sum(axis=0) / side.sum(axis=0) for side in sides), np.zeros(left.shape[1]))
    else:
        worth = -sum((bits(side.T) for side in sides), np.zeros(left.shape[1]))
    best = float(worth.max(initial=-np.inf))
    return [1 + int(np.argmax(worth >= best - ROUNDING * max(1.0, abs(best))))]


def crossed(
    one: NDArray[np.int64], n_one: int, other: NDArray[np.int64], n_other: int, weights: FloatArray | None
) -> FloatArray:
    """Weights of each pair of values (n_one, n_other) among records that have both."""
    known = (one >= 0) & (other >= 0)
    cells = one[known] * n_other + other[known]
    counts = np.bincount(cells, None if weights is None else weights[known], minlength=n_one * n_other)
    return counts.astype(np.float64).reshape(n_one, n_other)


ROUNDING: Final = 1e-12
"""A worth by ReliefF that is nearer to nothing than this is what sums of halves and shares leave: nothing."""


POOL: Final = 5000
"""So many records ReliefF looks for near ones among, at least, where there are more."""
TIED: Final = 1e-9
"""Distances this close are equal: only the order of their sums makes them differ."""


def relief(
    data: Dataset, indices: list[int], k: int, sampled: int, random: np.random.Generator, checkpoint: Checkpoint
) -> FloatArray:
    """ReliefF (d,): how much more an attribute differs from near records of other classes than from those of its own.

    ``sampled`` records, drawn by chance where there are more, are each compared with their ``k`` nearest of each class
    among at most :data:`POOL` others, or five times ``sampled``; records as far as the kth share its weight.
    Numbers differ by their distance over the range, values by 0 or 1; where one is missing, by what is expected of a
    value of its class. Source: Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML (1994).
    """
    codes = data.class_codes
    able = np.flatnonzero((codes >= 0) & (data.weight_array > 0))
    if len(able) < 2 or not indices:
        return np.zeros(len(indices))
    room = max(POOL, 5 * sampled)
    pool = able if len(able) <= room else np.sort(random.choice(able, room, replace=False))
    asked = pool if len(pool) <= sampled else np.sort(random.choice(pool, sampled, replace=False))
    table, listed = _comparable(data, indices, pool)
    of_pool = codes[pool]
    shares = np.bincount(codes[able], data.weight_array[able], minlength=len(data.schema.classes))
    shares = shares / shares.sum()
    worth = np.zeros(len(indices))
    at_places = np.searchsorted(pool, asked)
    unknown = _unknown(table, listed, of_pool, len(shares), at_places)
    for number, place in enumerate(at_places):
        checkpoint()
        gaps = _gaps(table, listed, place)
        for at, expected in unknown.items():
            expected.put_into(gaps[at], number)
        distance = gaps.sum(axis=0)
        distance[place] = np.inf
        own = int(of_pool[place])
        for code in np.unique(of_pool):
            near, weights = _nearest(distance, np.flatnonzero((of_pool == code) & np.isfinite(distance)), k)
            if len(near):
                part = -1.0 if code == own else float(shares[code] / max(1e-300, 1 - shares[own]))
                worth += part * (gaps[:, near] @ weights) / weights.sum()
    worth /= len(asked)
    return np.asarray(np.where(np.abs(worth) < ROUNDING, 0.0, worth))


def _nearest(distance: FloatArray, among: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], FloatArray]:
    """The ``k`` nearest records and their weights, which sum to ``k``.

    Records as far as the kth one share what the nearer ones leave, so the order of the records does not matter.
    """
    if len(among) <= k:
        return among, np.ones(len(among))
    own = distance[among]
    kth = float(np.partition(own, k - 1)[k - 1])
    nearer, tied = own < kth - TIED, np.abs(own - kth) <= TIED
    weights = np.where(nearer, 1.0, (k - np.count_nonzero(nearer)) / np.count_nonzero(tied))
    within = nearer | tied
    return among[within], weights[within]


def _comparable(data: Dataset, indices: list[int], rows: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Columns over these rows (d, m), numbers from 0 to 1, NaN where missing; and which are values of a list (d,)."""
    found = []
    for index in indices:
        column = data.column(index)[rows].astype(np.float64)
        if data.schema.attributes[index].kind.is_coded:
            column[column < 0] = np.nan
        else:
            column[~np.isfinite(column)] = np.nan
            known = column[~np.isnan(column)] / 2
            spread = float(known.max() - known.min()) if len(known) else 0.0
            low = float(known.min()) if len(known) else 0.0
            column = (column / 2 - low) / (spread or 1.0)
        found.append(column)
    listed = np.array([data.schema.attributes[i].kind.is_coded for i in indices])
    return np.array(found), listed


def _gaps(table: FloatArray, listed: NDArray[np.bool_], place: int) -> FloatArray:
    """How much each record differs from the one at ``place`` in each column (d, m), 0 to 1 where both are known."""
    gaps = np.abs(table - table[:, place, None])
    gaps[listed] = gaps[listed] > 0
    return np.asarray(gaps)


def _unknown(
    table: FloatArray, listed: NDArray[np.bool_], classes: NDArray[Any], k: int, asked: IntArray
) -> dict[int, ExpectedGaps]:
    """What is expected in each column in which a record lacks its value."""
    return {
        at: (ExpectedOfValues if listed[at] else ExpectedOfNumbers)(table[at], classes.astype(np.int64), k, asked)
        for at in np.flatnonzero(np.isnan(table).any(axis=1)).tolist()
    }


def _known(values: NDArray[np.int64], data: Dataset) -> float:
    """The share of the weight of records with a class whose value (n,) is known: no more can go with the class."""
    weights = np.where(data.class_codes >= 0, data.weight_array, 0.0)
    every = float(weights.sum())
    return float(weights[values >= 0].sum()) / every if every > 0 else 0.0


class Correlated:
    """Correlation-based subsets: attributes that go with the class and not with one another.

    Source: Hall, Correlation-based feature selection for machine learning, thesis, Waikato (1999).
    """

    def __init__(self, data: Dataset, indices: list[int], checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self._weights = data.weights
        self._values = [ranges_of(data, index, checkpoint) for index in indices]
        classes = data.class_codes.astype(np.int64), len(data.schema.classes)
        self.with_class = [self._between(each, classes) * _known(each[0], data) for each in self._values]
        self._pairs: dict[tuple[int, int], float] = {}

    def _between(self, one: tuple[NDArray[np.int64], int], other: tuple[NDArray[np.int64], int]) -> float:
        self._checkpoint()
        return symmetrical_uncertainty(crossed(*one, *other, self._weights))

    def _pair(self, one: int, other: int) -> float:
        key = (min(one, other), max(one, other))
        if key not in self._pairs:
            self._pairs[key] = self._between(self._values[one], self._values[other])
        return self._pairs[key]

    def merit(self, subset: tuple[int, ...]) -> float:
        """How well a subset goes with the class: Hall's equation 4.1 with symmetrical uncertainty."""
        k = len(subset)
        if k == 0:
            return 0.0
        among = sum(self._pair(a, b) for at, a in enumerate(subset) for b in subset[:at])
        return sum(self.with_class[a] for a in subset) / float(np.sqrt(k + 2 * among))

    def best(self, patience: int = 5) -> tuple[int, ...]:
        """The best subset of a best-first search forward, ended when ``patience`` expansions in turn bring nothing."""
        best: tuple[int, ...] = ()
        best_merit, stale = 0.0, 0
        waiting, seen = [(0.0, best)], {best}
        while waiting and stale < patience:
            at = max(range(len(waiting)), key=lambda i: (waiting[i][0], -i))
            _, subset = waiting.pop(at)
            stale += 1
            for more in range(len(self._values)):
                grown = tuple(sorted({*subset, more}))
                if more in subset or grown in seen:
                    continue
                self._checkpoint()
                seen.add(grown)
                merit = self.merit(grown)
                waiting.append((merit, grown))
                if merit > best_merit + 1e-12:
                    best, best_merit, stale = grown, merit, 0
        return best
