"""Attribute selection by relevance to the class: gain, chi-square, one-rule, ReliefF, CFS."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, choice, columns, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.filters.arrange_attributes import AttributesRemoved
from algorithms.filters.checks import chosen, problems_of_choice, problems_without_class, require_class
from algorithms.filters.discretize import bits, cuts_by_class, mdl_cut_positions_of_sums, weights_upto
from algorithms.text.sentences import within_sentence


class ExpectedDifferences(ABC):
    """Expected differences of an attribute with missing values (RELIEF-D; Kononenko 1994, section 3.2).

    ``values`` (m,) are numbers from 0 to 1 or codes, NaN if missing; ``classes`` (m,) are codes below ``k``. A missing
    value is distributed like the known values of its class, or of all records if the class has none. ``asked`` (s,) are
    the ascending indices of the sampled records.
    """

    def __init__(self, values: FloatArray, classes: IntArray, k: int, asked: IntArray) -> None:
        self._values, self._classes, self._asked = values, classes, asked
        self._unknown = np.isnan(values)
        is_known = ~self._unknown
        self._learn(
            [own if len(own) else values[is_known] for own in (values[is_known & (classes == c)] for c in range(k))]
        )
        self._from_asked = np.array([self._from(code, values[asked]) for code in range(k)])
        self._between = np.array([[self._apart(one, other) for other in range(k)] for one in range(k)])

    def put_into(self, gaps: FloatArray, number: int) -> None:
        """Write the expected differences of all records from a sampled one into ``gaps`` (m,) if a value is missing."""
        place = self._asked[number]
        if self._unknown[place]:
            own = int(self._classes[place])
            gaps[:] = np.where(self._unknown, self._between[own, self._classes], self._from(own, self._values))
        else:
            gaps[self._unknown] = self._from_asked[self._classes[self._unknown], number]

    @abstractmethod
    def _learn(self, of_class: list[FloatArray]) -> None:
        """Learn the distribution of the known values in each class, from which expected differences are computed."""

    @abstractmethod
    def _from(self, code: int, values: FloatArray) -> FloatArray:
        """The mean difference between each value (n,) and the values of a class; arbitrary for NaN."""

    @abstractmethod
    def _apart(self, one: int, other: int) -> float:
        """The mean difference between the values of two classes."""


class ExpectedNominalDifferences(ExpectedDifferences):
    """Expected differences of nominal values: 0 for equal, 1 for different ones."""

    def _learn(self, of_class: list[FloatArray]) -> None:
        size = int(max((own.max(initial=0) for own in of_class), default=0)) + 1
        counts = np.array([np.bincount(own.astype(np.int64), minlength=size) for own in of_class])
        self._shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)

    def _from(self, code: int, values: FloatArray) -> FloatArray:
        gaps: FloatArray = 1 - self._shares[code, np.nan_to_num(values).astype(np.int64)]
        return gaps

    def _apart(self, one: int, other: int) -> float:
        return 1 - float(self._shares[one] @ self._shares[other])


class ExpectedNumericDifferences(ExpectedDifferences):
    """Expected absolute differences of numbers."""

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
    """Information gain in bits of values (rows) about classes (columns). Source: Quinlan, Machine Learning 1 (1986)."""
    n = float(counts.sum())
    if n <= 0:
        return 0.0
    return max(0.0, float(bits(counts.sum(axis=0)) - bits(counts).sum()) / n)


def gain_ratio(counts: FloatArray) -> float:
    """Information gain over the entropy of the values. Source: Quinlan, C4.5 (1993)."""
    n = float(counts.sum())
    split = float(bits(counts.sum(axis=1))) / n if n > 0 else 0.0
    return information_gain(counts) / split if split > 1e-12 else 0.0


def symmetrical_uncertainty(counts: FloatArray) -> float:
    """Twice the gain over the entropies of values and classes, 0 to 1. Source: Press et al., Numerical Recipes."""
    n = float(counts.sum())
    both = float(bits(counts.sum(axis=0)) + bits(counts.sum(axis=1))) / n if n > 0 else 0.0
    return 2 * information_gain(counts) / both if both > 1e-12 else 0.0


def gini_gain(counts: FloatArray) -> float:
    """Decrease of the Gini index. Source: Breiman et al. (1984)."""
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
    """Accuracy of predicting the most frequent class of each value. Source: Holte, Machine Learning 11 (1993)."""
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
    """The value index of each record (n,), -1 if missing, and the number of values; numbers are discretized by MDL."""
    attribute, column = data.schema.attributes[index], data.column(index)
    if attribute.kind.is_coded:
        return column.astype(np.int64), len(attribute.values)
    cuts = cuts_by_class(data, index, checkpoint)
    codes = np.searchsorted(np.asarray(cuts, dtype=np.float64), column, side="right")
    return np.where(np.isnan(column), -1, codes), len(cuts) + 1


def class_counts(data: Dataset, index: int, checkpoint: Checkpoint, binary: str | None = None) -> FloatArray:
    """Contingency table of values and classes (v, k): weights of the records in which both are known.

    Numbers are discretized by MDL, or with ``binary`` at the cut that the ranking measure rates best.
    """
    classes, k = data.class_codes, len(data.schema.classes)
    attribute = data.schema.attributes[index]
    if attribute.kind.is_coded:
        return contingency_table(data.column(index), len(attribute.values), classes, k, data.weights)
    upto = weights_upto(data, index)[1]
    places = mdl_cut_positions_of_sums(upto, checkpoint) if binary is None else best_binary_cut(upto, binary)
    ends = [0, *places, upto.shape[1] - 1]
    counts = np.diff(upto[:, ends], axis=1).T.astype(np.float64)
    # infinite numbers belong to the first or last range
    column = data.column(index)
    for value, row in ((-np.inf, 0), (np.inf, -1)):
        rows = np.flatnonzero((column == value) & (classes >= 0))
        if len(rows):
            counts[row] += np.bincount(classes[rows], data.weight_array[rows], minlength=k)
    return counts


def best_binary_cut(upto: NDArray[Any], by: str) -> list[int]:
    """The position 1..v-1 of the best binary cut of v ascending numbers by a measure; empty for a single number.

    ``upto`` (k, v + 1) holds cumulative class weights. Gain ratio and symmetrical uncertainty use the cut of highest
    gain, as C4.5 does. The lowest of equally good cuts wins.
    """
    if upto.shape[1] < 3:
        return []
    total = upto[:, -1].astype(np.float64)
    occurs = total > 0
    worth = np.empty(upto.shape[1] - 2)
    for start in range(0, len(worth), _BLOCK):
        stop = min(start + _BLOCK, len(worth))
        worth[start:stop] = _worth_of_cuts(
            upto[occurs, 1 + start : 1 + stop].astype(np.float64), total[occurs, None], by
        )
    best = float(worth.max(initial=-np.inf))
    return [1 + int(np.argmax(worth >= best - ROUNDING * max(1.0, abs(best))))]


def _worth_of_cuts(left: FloatArray, total: FloatArray, by: str) -> FloatArray:
    """What each cut (c,) is worth by a measure, from class weights to its ``left`` (k, c) and in ``total`` (k, 1)."""
    sides = (left, total - left)
    if by == "one-rule":
        return sum((side.max(axis=0) for side in sides), np.zeros(left.shape[1]))
    if by in ("gini", "chi-square"):
        of_class = total if by == "chi-square" else 1.0
        return sum(((side**2 / of_class).sum(axis=0) / side.sum(axis=0) for side in sides), np.zeros(left.shape[1]))
    return -sum((bits(side.T) for side in sides), np.zeros(left.shape[1]))


def contingency_table(one: Column, n_one: int, other: Column, n_other: int, weights: FloatArray | None) -> FloatArray:
    """Contingency table (n_one, n_other) of weights among records that have both values."""
    counts = np.zeros(n_one * n_other)
    for start in range(0, len(one), _BLOCK):
        rows = slice(start, start + _BLOCK)
        both_known = (one[rows] >= 0) & (other[rows] >= 0)
        cells = one[rows][both_known].astype(np.int64) * n_other + other[rows][both_known]
        of_each = None if weights is None else weights[rows][both_known]
        counts += np.bincount(cells, of_each, minlength=len(counts))
    return counts.reshape(n_one, n_other)


_BLOCK: Final = 1 << 18
"""Number of records counted at a time."""
ROUNDING: Final = 1e-12
"""ReliefF scores below this size are rounding errors and count as 0."""
POOL: Final = 5000
"""Smallest number of records, if available, in which ReliefF searches neighbours."""
TIED: Final = 1e-9
"""Differences of distances below this are rounding errors."""


def relief(
    data: Dataset, indices: list[int], k: int, sampled: int, random: np.random.Generator, checkpoint: Checkpoint
) -> FloatArray:
    """ReliefF scores (d,): mean difference from near records of other classes minus that from the own class.

    Each of ``sampled`` random records is compared with its ``k`` nearest of each class in a random pool of :data:`POOL`
    or five times ``sampled`` records. Records tied with the kth share its weight. The difference of numbers is their
    distance divided by the range, of nominal values 0 or 1, of missing ones the expectation in the class. Source:
    Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML (1994).
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
        gaps = np.abs(table - table[:, place, None])
        gaps[listed] = gaps[listed] > 0
        for column, expected in unknown.items():
            expected.put_into(gaps[column], number)
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
    """The ``k`` nearest records and their weights, which sum to ``k``; ties with the kth share the remainder."""
    if len(among) <= k:
        return among, np.ones(len(among))
    own = distance[among]
    kth = float(np.partition(own, k - 1)[k - 1])
    nearer, tied = own < kth - TIED, np.abs(own - kth) <= TIED
    weights = np.where(nearer, 1.0, (k - np.count_nonzero(nearer)) / np.count_nonzero(tied))
    within = nearer | tied
    return among[within], weights[within]


def _comparable(data: Dataset, indices: list[int], rows: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The columns of these rows (d, m), numbers from 0 to 1, NaN if missing, and the mask of nominal ones (d,)."""
    columns = []
    for index in indices:
        column = data.column(index)[rows].astype(np.float64)
        if data.schema.attributes[index].kind.is_coded:
            column[column < 0] = np.nan
        else:
            column[~np.isfinite(column)] = np.nan
            halves = column[~np.isnan(column)] / 2
            spread = float(halves.max() - halves.min()) if len(halves) else 0.0
            low = float(halves.min()) if len(halves) else 0.0
            column = (column / 2 - low) / (spread or 1.0)
        columns.append(column)
    listed = np.array([data.schema.attributes[i].kind.is_coded for i in indices])
    return np.array(columns), listed


def _unknown(
    table: FloatArray, listed: NDArray[np.bool_], classes: NDArray[Any], k: int, asked: IntArray
) -> dict[int, ExpectedDifferences]:
    """The expected differences of each column with missing values, by index."""
    return {
        column: (ExpectedNominalDifferences if listed[column] else ExpectedNumericDifferences)(
            table[column], classes.astype(np.int64), k, asked
        )
        for column in np.flatnonzero(np.isnan(table).any(axis=1)).tolist()
    }


def _known(values: NDArray[np.int64], data: Dataset) -> float:
    """The weighted share of known values (n,) among records with a class."""
    weights = np.where(data.class_codes >= 0, data.weight_array, 0.0)
    every = float(weights.sum())
    return float(weights[values >= 0].sum()) / every if every > 0 else 0.0


class Correlated:
    """Correlation-based feature selection (Hall 1999): attributes that go with the class but not with each other."""

    def __init__(self, data: Dataset, indices: list[int], checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self._weights = data.weights
        self._values = [ranges_of(data, index, checkpoint) for index in indices]
        classes = data.class_codes.astype(np.int64), len(data.schema.classes)
        self.with_class = [self._between(values, classes) * _known(values[0], data) for values in self._values]
        self._pairs: dict[tuple[int, int], float] = {}

    def _between(self, one: tuple[NDArray[np.int64], int], other: tuple[NDArray[np.int64], int]) -> float:
        self._checkpoint()
        return symmetrical_uncertainty(contingency_table(*one, *other, self._weights))

    def _pair(self, one: int, other: int) -> float:
        key = (min(one, other), max(one, other))
        if key not in self._pairs:
            self._pairs[key] = self._between(self._values[one], self._values[other])
        return self._pairs[key]

    def merit(self, subset: tuple[int, ...]) -> float:
        """The merit of a subset: Hall's equation 4.1 with symmetrical uncertainty."""
        k = len(subset)
        if k == 0:
            return 0.0
        among = sum(self._pair(a, b) for number, a in enumerate(subset) for b in subset[:number])
        return sum(self.with_class[a] for a in subset) / float(np.sqrt(k + 2 * among))

    def best(self, patience: int = 5) -> tuple[int, ...]:
        """The best subset of a forward best-first search, which ends after ``patience`` fruitless expansions."""
        best: tuple[int, ...] = ()
        best_merit, stale = 0.0, 0
        waiting, seen = [(0.0, best)], {best}
        while waiting and stale < patience:
            chosen_place = max(range(len(waiting)), key=lambda i: (waiting[i][0], -i))
            _, subset = waiting.pop(chosen_place)
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


_JUDGE = "evaluate with"
SPLITS: Final = {"binary": "Binary", "mdl": "MDL"}
"""Names of the methods by which numbers are cut."""
SMALLEST_SCORE: Final = 0.000001
"""Smallest score that is written; smaller ones are written as "< 0.000001"."""


def score_words(score: float) -> str:
    """A score with three significant digits and at most six decimals: "12.5", "0.0217", "0.000007", "< 0.000001"."""
    size = abs(score)
    if score == 0:
        return "0"
    if size >= 0.001:
        return f"{score:#.3g}".rstrip(".") if size < 999.5 else f"{score:,.0f}"
    return f"{score:.6f}" if size >= SMALLEST_SCORE else f"< {SMALLEST_SCORE:.6f}"


@dataclass(frozen=True, eq=False)
class AttributeScores:
    """Scores (d,), larger is better, NaN if none; the mask ``kept`` (d,); ``splits`` is of :data:`SPLITS` or empty."""

    names: tuple[str, ...]
    scores: FloatArray
    kept: NDArray[np.bool_]
    splits: str = ""

    def rows(self, measure: str) -> list[list[str]]:
        """The scores as a table with its heading: kept attributes first, then removed ones, best first."""
        order = np.lexsort((np.where(np.isnan(self.scores), np.inf, -self.scores), ~self.kept))
        rows = [
            [
                self.names[place],
                "" if np.isnan(self.scores[place]) else score_words(float(self.scores[place])),
                "yes" if kept else "no",
            ]
            for place, kept in zip(order.tolist(), self.kept[order].tolist(), strict=True)
        ]
        return [["Column", measure, "Stays"], *rows]


@dataclass(frozen=True, kw_only=True)
class AttributeSelection(Filter, ABC):
    """Base of filters that keep the attributes with the best scores."""

    fitted: ClassVar[type[FittedFilter]] = AttributesRemoved

    @abstractmethod
    def judged(self, data: Dataset, context: RunContext) -> AttributeScores:
        """The scores of the attributes; raises :class:`DataError` without a class."""

    @property
    def measure_words(self) -> str:
        """The heading of the scores."""
        return "Worth"

    def fit(self, data: Dataset, context: RunContext) -> AttributesRemoved:
        """Find the columns to remove; raises :class:`DataError` without a class."""
        result = self.judged(data, context)
        gone = tuple(name for name, kept in zip(result.names, result.kept, strict=True) if not kept)
        return AttributesRemoved(gone, partial(result.rows, self.measure_words))


_KINDS: Final = (AttributeKind.NUMERIC, AttributeKind.NOMINAL, AttributeKind.ORDINAL)
_RANKED: Final = (*MEASURES, "relieff")
_GAINS: Final = ("information-gain", "gain-ratio", "gini", "symmetrical-uncertainty")


@dataclass(frozen=True, kw_only=True)
class SelectAttributes(AttributeSelection):
    """Selects the attributes with the highest relevance to the class.

    All measures but ReliefF cut numbers first: at the best binary split, or by MDL (Fayyad and Irani 1993), which CFS
    always uses. Measures use the records with known values; gains, ReliefF and class correlations of CFS are multiplied
    by their share (Quinlan 1993). For one rule *missing* is a value (Holte 1993). The first of equally good attributes
    stays. Unused columns stay unchanged.
    """

    id: ClassVar[str] = "select-attributes"
    name: ClassVar[str] = "Select attributes"
    sentence: ClassVar[str] = (
        "Keeps the attributes with the highest score. It is learned from the training records alone: "
        "chosen from all records, even noise would look predictive."
    )
    family: ClassVar[str] = "Columns"

    by: str = choice(
        "information-gain",
        Option("information-gain", "Information gain", "Reduction of the entropy of the class, in bits."),
        Option("gain-ratio", "Gain ratio", "Information gain divided by the entropy of the split."),
        Option("gini", "Gini index", "Reduction of the impurity of the class."),
        Option(
            "chi-square", "Chi-square", "p-value of the chi-square test, corrected for the number of possible splits."
        ),
        Option("symmetrical-uncertainty", "Symmetrical uncertainty", "Normalized information gain, from 0 to 1."),
        Option("one-rule", "1R accuracy", "Accuracy of predicting the most frequent class of each value."),
        Option("relieff", "ReliefF", "Difference between near records of other classes, less that of the same class."),
        Option(
            "cfs", "CFS subset", "Attributes correlated with the class but not with each other; chooses their number."
        ),
        label="Score",
        help="The measure of an attribute.",
    )
    keep: str = choice(
        "number",
        Option("number", "Best k", "This many attributes stay."),
        Option("threshold", "Score above", "Attributes with a score above a number stay."),
        label="Keep",
        help="How many attributes stay.",
        enabled_if=when("by", *_RANKED),
    )
    number: int = integer(
        10,
        lo=1,
        hi=100_000,
        label="Number of attributes",
        help="The best attributes that stay.",
        unit="attributes",
        enabled_if=when("by", *_RANKED) & when("keep", "number"),
    )
    threshold: float = real(
        0.0,
        label="Min. score",
        help="Attributes with at most this score are removed. 0 removes those without information.",
        enabled_if=when("by", *_RANKED) & when("keep", "threshold"),
    )
    k: int = integer(
        10,
        lo=1,
        hi=1000,
        label="k",
        help="Number of nearest neighbours of each class.",
        enabled_if=when("by", "relieff"),
    )
    sampled: int = integer(
        1000,
        lo=10,
        hi=10_000,
        label="Sample size",
        help="Largest number of training records that are compared with their neighbours, drawn at random.",
        unit="records",
        enabled_if=when("by", "relieff"),
        advanced=True,
    )
    numeric_splits: str = choice(
        "binary",
        Option("binary", SPLITS["binary"], "Two intervals with the best score, as in a decision tree."),
        Option(
            "mdl",
            SPLITS["mdl"],
            "As many intervals as MDL allows (Fayyad and Irani); often none with few records: the score is then 0.",
        ),
        label="Numeric splits",
        help="How numeric attributes are discretized before they are scored.",
        enabled_if=when("by", *MEASURES),
        advanced=True,
        earlier="mdl",
    )
    columns: tuple[str, ...] = columns(
        (), label="Attributes", help="Only these are scored; all others stay", without="all", kinds=_KINDS
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "it is not learned from and gets no score"
        problems = problems_of_choice(summary, self.columns, _KINDS, do="score", done="scored", only=only)
        return problems + problems_without_class(summary, _JUDGE)

    def judged(self, data: Dataset, context: RunContext) -> AttributeScores:
        """The scores and the selection of the columns; raises :class:`DataError` without a class."""
        require_class(data, _JUDGE)
        indices = chosen(data.schema, self.columns, _KINDS)
        names = tuple(data.schema.names[index] for index in indices)
        kept, splits = np.zeros(len(indices), dtype=np.bool_), self._splits(data, indices)
        if self.by == "cfs":
            correlated = Correlated(data, indices, context.checkpoint)
            kept[list(correlated.best())] = True
            return AttributeScores(names, np.array(correlated.with_class, dtype=np.float64), kept, splits)
        scores = self.scores(data, indices, context)
        if self.keep == "threshold":
            kept = scores > self.threshold
        else:
            kept[np.argsort(-scores, kind="stable")[: self.number]] = True
        return AttributeScores(names, scores, kept, splits)

    @property
    def measure_words(self) -> str:
        words = next(within_sentence(option.label) for option in self.parameter("by").options if option.word == self.by)
        return words[:1].upper() + words[1:]

    def _splits(self, data: Dataset, indices: list[int]) -> str:
        """The key in :data:`SPLITS` of how numbers among these columns are cut; empty if none is cut."""
        if self.by == "relieff" or all(data.schema.attributes[index].kind.is_coded for index in indices):
            return ""
        return "mdl" if self.by == "cfs" else self.numeric_splits

    def scores(self, data: Dataset, indices: list[int], context: RunContext) -> FloatArray:
        """The scores (d,) of these columns by the chosen measure; larger is better."""
        has_class = data.class_codes >= 0
        labelled = data if has_class.all() else data.take(has_class)
        of_class = labelled.class_weights
        every = float(of_class.sum())
        if self.by == "relieff":
            weights = labelled.weight_array
            known_weight = [float(weights[~data.missing(index)[has_class]].sum()) for index in indices]
            worth = relief(data, indices, self.k, self.sampled, context.random(), context.checkpoint)
            return np.asarray(worth * known_weight / max(every, 1e-300))

        def score(index: int) -> float:
            context.checkpoint()
            binary = self.by if self.numeric_splits == "binary" else None
            counts = class_counts(data, index, context.checkpoint, binary)
            known_weight = float(counts.sum()) / every if every > 0 else 0.0
            if self.by == "one-rule":
                counts = np.vstack([counts, np.maximum(of_class - counts.sum(axis=0), 0.0)])
            return MEASURES[self.by](counts) * (known_weight if self.by in _GAINS else 1.0)

        return np.array(context.map(score, indices), dtype=np.float64)
