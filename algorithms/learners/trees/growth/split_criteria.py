"""Split criteria: impurities and their gains, gains of all thresholds, and chi-square tests of splits.

Counts are class weights along the last axis (..., k); children are (..., b, k), a row for each branch or category.
Sources of impurities: TSKK sections 3.3.2 and 3.3.3 (2nd ed.); Quinlan, C4.5 (1993), chapter 2. Sources of the tests:
Kass, An exploratory technique for investigating large quantities of categorical data, Applied Statistics 29 (1980),
section 3; Biggs, de Ville and Suen (1991) for exhaustive CHAID; IBM SPSS Statistics Algorithms, "CHAID".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import comb, exp, factorial, lgamma, log
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS, Words
from algorithms.learners.trees.growth.split_evaluation import LOG_10

Impurity = Callable[[ArrayLike], FloatArray]


def shares(counts: ArrayLike) -> FloatArray:
    """Relative frequencies along the last axis; zeros without any weight."""
    weights: FloatArray = np.asarray(counts, dtype=np.float64)
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))


def entropy(counts: ArrayLike) -> FloatArray:
    """Entropy in bits: the sum of -p log2 p (Eq. 3.4)."""
    p = shares(counts)
    logarithms = np.log2(p, out=np.zeros_like(p), where=p > 0)
    return np.asarray(np.abs((p * logarithms).sum(axis=-1)))


def gini(counts: ArrayLike) -> FloatArray:
    """Gini index: 1 minus the sum of p squared (Eq. 3.5); 0 for an empty node."""
    p = shares(counts)
    return np.asarray(p.sum(axis=-1) - np.square(p).sum(axis=-1))


def classification_error(counts: ArrayLike) -> FloatArray:
    """Share of the records outside the most frequent class (Eq. 3.6); 0 for an empty node."""
    p = shares(counts)
    return np.asarray(p.sum(axis=-1) - p.max(axis=-1))


IMPURITIES: Final[Mapping[str, Impurity]] = {
    "information-gain": entropy,
    "gain-ratio": entropy,
    "gini": gini,
    "error": classification_error,
}
"""The impurity that each splitting criterion measures."""


def split_impurity(children: ArrayLike, impurity: Impurity = gini) -> FloatArray:
    """Impurity of the children (..., b, k), weighted by their shares of the records (Eq. 3.7)."""
    counts = np.asarray(children, dtype=np.float64)
    return np.asarray((shares(counts.sum(axis=-1)) * impurity(counts)).sum(axis=-1))


def gain(children: ArrayLike, impurity: Impurity = gini) -> FloatArray:
    """Decrease of impurity by a split (Eq. 3.8); the parent's counts are the sum of its children."""
    counts = np.asarray(children, dtype=np.float64)
    return np.asarray(impurity(counts.sum(axis=-2)) - split_impurity(counts, impurity))


def information_gain(children: ArrayLike) -> FloatArray:
    """Gain in entropy, in bits."""
    return gain(children, entropy)


def split_information(children: ArrayLike) -> FloatArray:
    """Entropy of the branch sizes in bits."""
    return entropy(np.asarray(children, dtype=np.float64).sum(axis=-1))


def twoing(children: ArrayLike) -> FloatArray:
    """The twoing value of two branches (..., 2, k); 0 if one of them is empty.

    It is pL pR / 4 times the square of the summed differences of their class shares (Breiman et al. 1984, section
    4.3.2).
    """
    counts = np.asarray(children, dtype=np.float64)
    share = shares(counts.sum(axis=-1))
    apart = np.abs(np.diff(shares(counts), axis=-2)).sum(axis=(-2, -1))
    return np.asarray(share.prod(axis=-1) * np.square(apart) / 4)


@dataclass(frozen=True, eq=False)
class Cuts:
    """The t cuts between neighbouring values of a numeric attribute.

    A cut lies between ``low`` and ``high`` (t,). ``left`` (k, t) are the class weights up to each cut,
    ``class_weights`` (k,) those of all records with a value.
    """

    low: FloatArray
    high: FloatArray
    left: FloatArray
    class_weights: FloatArray


def cuts_of(numbers: FloatArray, classes: IntArray, weights: FloatArray, n_classes: int) -> Cuts:
    """The cuts of records with these numbers (n,), NaN where missing, class codes and weights."""
    present = np.flatnonzero(~np.isnan(numbers))
    order = present[np.argsort(numbers[present], kind="stable")]
    values, codes, weight = numbers[order], classes[order], weights[order]
    ends = np.flatnonzero(values[1:] != values[:-1])
    left = np.empty((n_classes, len(ends)))
    class_weights = np.zeros(n_classes)
    for code in range(n_classes):
        summed = np.cumsum(np.where(codes == code, weight, 0.0))
        left[code] = summed[ends]
        class_weights[code] = summed[-1] if len(summed) else 0.0
    return Cuts(values[ends], values[ends + 1] if len(ends) else values[:0], left, class_weights)


def disorder(criterion: str, counts: FloatArray) -> FloatArray:
    """Impurity times weight of class weights (k, ...); a split decreases it."""
    total, inner = counts.sum(axis=0), np.zeros(counts.shape[1:])
    if criterion == "error":
        return np.asarray(total - counts.max(axis=0, initial=0.0))
    for of_class in counts:
        inner += np.square(of_class) if criterion == "gini" else _x_log_x(of_class)
    if criterion == "gini":
        return np.asarray(total - np.divide(inner, total, out=np.zeros_like(inner), where=total > 0))
    return np.asarray(np.maximum(_x_log_x(total) - inner, 0.0))


def _x_log_x(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log2(x, out=np.zeros_like(x), where=x > 0))


def gains_of(cuts: Cuts, criterion: str, total: float) -> FloatArray:
    """The gain of each cut (t,), where the node weighs ``total``, missing values included."""
    if criterion == "chi-square":
        return pair_statistics(cuts.left, cuts.class_weights)
    right = np.maximum(cuts.class_weights[:, None] - cuts.left, 0.0)
    if criterion == "twoing":
        return twoing(np.stack([cuts.left.T, right.T], axis=-2)) * (float(cuts.class_weights.sum()) / total)
    after = disorder(criterion, cuts.left) + disorder(criterion, right)
    return np.asarray((disorder(criterion, cuts.class_weights) - after) / total)


def pair_statistics(left: FloatArray, class_weights: FloatArray) -> FloatArray:
    """Pearson's chi-square (t,) of ``class_weights`` (k,) in two, ``left`` (k, t) and the rest; 0 if one is empty."""
    n, below = float(class_weights.sum()), left.sum(axis=0)
    product = below * np.maximum(n - below, 0.0)
    share = np.divide(below, n, out=np.zeros_like(below), where=n > 0)
    apart = np.zeros(left.shape[1])
    for of_class, total in zip(left, class_weights.tolist(), strict=True):
        if total > 0:
            apart += np.square(of_class - share * total) / total
    return np.asarray(np.divide(apart * n * n, product, out=np.zeros_like(apart), where=product > 0))


_EXACT: Final = 200
"""Largest number of categories for which the number of groupings is computed exactly."""


def chi_square(table: ArrayLike) -> tuple[FloatArray, NDArray[np.int64]]:
    """Pearson's statistic and its degrees of freedom (...); empty rows and columns do not count."""
    counts = np.asarray(table, dtype=np.float64)
    rows, columns = counts.sum(axis=-1, keepdims=True), counts.sum(axis=-2, keepdims=True)
    total = rows.sum(axis=-2, keepdims=True)
    expected = np.divide(rows * columns, total, out=np.zeros_like(counts), where=total > 0)
    terms = np.divide(np.square(counts - expected), expected, out=np.zeros_like(counts), where=expected > 0)
    n_rows, n_columns = (rows != 0).sum(axis=(-2, -1)), (columns != 0).sum(axis=(-2, -1))
    freedom = np.maximum(n_rows - 1, 0) * np.maximum(n_columns - 1, 0)
    return np.asarray(terms.sum(axis=(-2, -1))), np.asarray(freedom)


def log_p_value(statistic: ArrayLike, freedom: ArrayLike) -> FloatArray:
    """Natural logarithm of the p-value of a chi-square statistic under independence.

    0 without a degree of freedom. The leading terms of its expansion replace a p-value that is too small for a float.
    """
    from scipy import special  # late: listing learners does without

    half, df = np.asarray(statistic, dtype=np.float64) / 2, np.asarray(freedom, dtype=np.float64)
    a = np.maximum(df, 1.0) / 2
    chance = special.gammaincc(a, half)
    if np.all(chance > 1e-290):
        log_p = np.log(chance)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            tail = -half + (a - 1) * np.log(half) - special.gammaln(a) + np.log1p((a - 1) / half)
            log_p = np.where(chance > 1e-290, np.log(chance), tail)
    return np.asarray(np.where(df > 0, np.minimum(log_p, 0.0), 0.0))


def log_groupings(n: int, groups: int, *, ordered: bool, floating: bool = False) -> float:
    """Natural logarithm of the number of ways to form this many groups of n categories.

    Without an order it is the Stirling number of the second kind (Kass, eq. 3.2). With an order only neighbours form
    groups: (n-1 over r-1) (eq. 3.1). If one category, the missing values, is ``floating`` outside the order, it is
    (n-2 over r-2) + r (n-2 over r-1) (eq. 3.3).
    """
    if not ordered:
        if n > _EXACT:  # the leading term r^n / r!, an upper bound
            return min(n * log(groups) - lgamma(groups + 1), n * log(n))
        terms = (comb(groups, v) * pow(groups - v, n) * (1 if v % 2 == 0 else -1) for v in range(groups))
        return log(sum(terms) // factorial(groups))
    if not floating:
        return log(comb(n - 1, groups - 1))
    below = comb(n - 2, groups - 2) if groups >= 2 else 0
    return log(below + groups * comb(n - 2, groups - 1)) if n > 1 else 0.0


def log_comparisons(n: int, *, ordered: bool) -> float:
    """Natural logarithm of the number of pairs compared while n categories are merged to two groups.

    With an order it is the sum of i - 1 over i = 2..n, n (n - 1) / 2. Without one it is the sum of i (i - 1) / 2,
    n (n^2 - 1) / 6 (Biggs, de Ville and Suen 1991; SPSS takes three times as many).
    """
    return log(n * (n - 1) // 2 if ordered else n * (n * n - 1) // 6) if n > 1 else 0.0


def adjusted(log_p: float, log_multiplier: float) -> float:
    """The Bonferroni-adjusted p-value, at most 1; 0 where it is too small for a float."""
    return exp(min(log_p + log_multiplier, 0.0))


KERNELS: Final = ("algorithms.learners.trees.kernels.chi_square_kernels",)
"""Kernel modules of chi-square splits, besides those of every tree."""

_AT_A_TIME: Final = 1 << 21
"""Number of values evaluated between two checks for a stop."""


@dataclass(frozen=True, eq=False)
class SortedRecords:
    """Some of the N records of ``data``, sorted by each of the predictors at ``places`` (a,).

    ``words`` (a, n) are ``rank << 32 | record``, see
    :class:`~algorithms.learners.trees.growth.growing_tree.SortedOrders`; ``classes`` (N,) and ``weights`` (N,) are of
    the records of these numbers.
    """

    data: Dataset
    places: tuple[int, ...]
    words: Words
    classes: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, data: Dataset, places: tuple[int, ...], checkpoint: Callable[[], None]) -> SortedRecords:
        """All records of the data."""
        words = np.zeros((0, len(data)), dtype=np.uint64)
        if places:
            words = data.derived(SORTED_ORDERS, checkpoint).words[list(places)]
        return cls(data, places, words, data.class_codes.astype(np.int64), data.weight_array)

    def part(self, is_chosen: NDArray[np.bool_], n: int, weights: FloatArray) -> SortedRecords:
        """The n chosen ones (N,) of these records, with other ``weights`` (N,)."""
        from algorithms.learners.trees.kernels.chi_square_kernels import words_of

        part = np.empty((len(self.words), n), dtype=np.uint64)
        words_of(self.words, is_chosen, part)
        return replace(self, words=part, weights=weights)


@dataclass(frozen=True, eq=False)
class BestCuts:
    """The best cut by each of a predictors.

    ``statistic`` (a,) is chi-square, NaN without an allowed cut, with its degrees of ``freedom``. ``log_p`` and
    ``log_ways`` are the logarithms of its p-value and of the number of cuts. It lies ``between`` (a, 2) two records.
    """

    statistic: FloatArray
    freedom: FloatArray
    log_p: FloatArray
    log_ways: FloatArray
    between: IntArray

    @property
    def worths(self) -> FloatArray:
        """Value (a,) that compares splits: -log10 of the adjusted p-value; NaN without a cut."""
        return np.asarray(-(self.log_p + self.log_ways) / LOG_10)


def best_cuts(records: SortedRecords, min_leaf: float, tenth: bool, checkpoint: Callable[[], None]) -> BestCuts:
    """The best cuts whose sides weigh ``min_leaf`` and, if ``tenth``, also C4.5's minimum for numeric splits."""
    from algorithms.learners.trees.kernels import chi_square_kernels as kernels

    a = len(records.places)
    figures, between = np.empty((a, 3)), np.zeros((a, 2), dtype=np.int64)
    step = max(1, _AT_A_TIME // max(1, records.words.shape[1]))
    for first in range(0, a, step):
        checkpoint()
        some = slice(first, first + step)
        kernels.best_cuts(
            records.words[some],
            records.classes,
            records.weights,
            len(records.data.schema.classes),
            min_leaf,
            tenth,
            figures[some],
            between[some],
        )
    statistic, freedom, n_cuts = figures.T
    none = np.isnan(statistic)
    log_p = np.where(none, np.nan, log_p_value(np.where(none, 0.0, statistic), freedom))
    return BestCuts(statistic, freedom, log_p, np.log(np.maximum(n_cuts, 1.0)), between)
