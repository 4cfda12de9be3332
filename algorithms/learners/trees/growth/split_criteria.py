"""Split criteria: impurities and their gains with formulas for the reader, and chi-square tests of splits.

Counts are class weights along the last axis (..., k); children are (..., b, k), a row a branch or category. Sources of
impurities: TSKK sections 3.3.2 and 3.3.3 (2nd ed.); Quinlan, C4.5 (1993), chapter 2. Sources of the tests: Kass, An
exploratory technique for investigating large quantities of categorical data, Applied Statistics 29 (1980), section 3;
Biggs, de Ville and Suen (1991) for the exhaustive way; IBM SPSS Statistics Algorithms, "CHAID".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, exp, factorial, lgamma, log
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS, Words
from algorithms.learners.trees.growth.split_evaluation import LOG_10

Impurity = Callable[[ArrayLike], FloatArray]


# ---- impurity of one node --------------------------------------------------------------------------------------------


def shares(counts: ArrayLike) -> FloatArray:
    """Relative frequencies along the last axis; zeros where there is no weight at all."""
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
    """Share of the records that are not of the most frequent class (Eq. 3.6); 0 for an empty node."""
    p = shares(counts)
    return np.asarray(p.sum(axis=-1) - p.max(axis=-1))


IMPURITIES: Final[Mapping[str, Impurity]] = {
    "information-gain": entropy,
    "gain-ratio": entropy,
    "gini": gini,
    "error": classification_error,
}
"""The impurity that each splitting criterion measures."""


# ---- worth of a split ------------------------------------------------------------------------------------------------


def split_impurity(children: ArrayLike, impurity: Impurity = gini) -> FloatArray:
    """Impurity of the children (..., b, k), each weighed by its share of the records (Eq. 3.7)."""
    counts = np.asarray(children, dtype=np.float64)
    return np.asarray((shares(counts.sum(axis=-1)) * impurity(counts)).sum(axis=-1))


def gain(children: ArrayLike, impurity: Impurity = gini) -> FloatArray:
    """Decrease of impurity by a split (Eq. 3.8); the parent's counts are the sum of its children."""
    counts = np.asarray(children, dtype=np.float64)
    return np.asarray(impurity(counts.sum(axis=-2)) - split_impurity(counts, impurity))


def information_gain(children: ArrayLike) -> FloatArray:
    """Gain in entropy, in bits (Eq. 3.9)."""
    return gain(children, entropy)


def split_information(children: ArrayLike) -> FloatArray:
    """Entropy of the branches' own sizes, in bits: what sending records to so many branches costs (Eq. 3.10)."""
    return entropy(np.asarray(children, dtype=np.float64).sum(axis=-1))


def gain_ratio(children: ArrayLike) -> FloatArray:
    """Information gain per bit of split information (Eq. 3.10); 0 where all records go to one branch."""
    information = split_information(children)
    gained = information_gain(children)
    return np.asarray(np.divide(gained, information, out=np.zeros_like(gained), where=information > 0))


def twoing(children: ArrayLike) -> FloatArray:
    """The twoing value of two branches (..., 2, k): pL pR / 4 times the square of the summed differences of their class
    shares (Breiman et al. 1984, section 4.3.2). 0 where one of them is empty."""
    counts = np.asarray(children, dtype=np.float64)
    share = shares(counts.sum(axis=-1))
    apart = np.abs(np.diff(shares(counts), axis=-2)).sum(axis=(-2, -1))
    return np.asarray(share.prod(axis=-1) * np.square(apart) / 4)


SPLIT_VALUES: Final[Mapping[str, Callable[[ArrayLike], FloatArray]]] = {
    "information-gain": information_gain,
    "gain-ratio": gain_ratio,
    "gini": gain,
    "error": lambda children: gain(children, classification_error),
    "twoing": twoing,
}
"""What each criterion maximizes, as a function of the branches' class counts."""


# ---- the working -----------------------------------------------------------------------------------------------------


_NAMES: Final[Mapping[str, str]] = {
    "information-gain": "entropy",
    "gini": "Gini index",
    "error": "classification error",
}
_SOURCES: Final[Mapping[str, str]] = {"information-gain": "Eq. 3.4", "gini": "Eq. 3.5", "error": "Eq. 3.6"}


def _measure(criterion: str) -> str:
    return "information-gain" if criterion == "gain-ratio" else criterion


def impurity_working(criterion: str, counts: ArrayLike, classes: Sequence[str]) -> FormulaWorking:
    """The impurity of one node's counts (k,) by a criterion, with the share of each class that occurs."""
    word = _measure(criterion)
    present = [(f"p{i}", float(p), label) for i, (p, label) in enumerate(zip(shares(counts), classes, strict=True), 1)]
    present = [term for term in present if term[1] > 0]
    terms = tuple(Term(symbol, p, f"share of {label}") for symbol, p, label in present)
    if word == "information-gain":
        formula = " ".join(f"- {{{t.symbol}}} x log2({{{t.symbol}}})" for t in terms)
    elif word == "gini":
        formula = " ".join(["1", *(f"- {{{t.symbol}}}^2" for t in terms)])
    else:
        formula = f"1 - max({', '.join(f'{{{t.symbol}}}' for t in terms)})"
    return FormulaWorking(_NAMES[word].capitalize(), formula, terms, float(IMPURITIES[word](counts)), _SOURCES[word])


def gain_working(criterion: str, children: ArrayLike, branches: Sequence[str]) -> FormulaWorking:
    """What a split into ``children`` (b, k), named ``branches``, is worth by a criterion, with its terms."""
    counts = np.asarray(children, dtype=np.float64)
    if criterion == "gain-ratio":
        return _gain_ratio_working(counts, branches)
    impurity, name = IMPURITIES[criterion], _NAMES[criterion]
    terms, formula = [Term("I", float(impurity(counts.sum(axis=0))), f"{name} before the split")], "{I}"
    rows = zip(branches, shares(counts.sum(axis=-1)), impurity(counts), strict=True)
    for i, (branch, share, value) in enumerate(rows, 1):
        terms += [
            Term(f"w{i}", float(share), f"share of the records with {branch}"),
            Term(f"I{i}", float(value), f"{name} of the records with {branch}"),
        ]
        formula += f" - {{w{i}}} x {{I{i}}}"
    title = "Information gain" if criterion == "information-gain" else f"Gain in {name}"
    return FormulaWorking(title, formula, tuple(terms), float(gain(counts, impurity)), "Eq. 3.8")


def _gain_ratio_working(counts: FloatArray, branches: Sequence[str]) -> FormulaWorking:
    terms = [Term("gain", float(information_gain(counts)), "information gain")]
    parts = []
    for i, (branch, share) in enumerate(zip(branches, shares(counts.sum(axis=-1)), strict=True), 1):
        if share > 0:
            terms.append(Term(f"w{i}", float(share), f"share of the records with {branch}"))
            parts.append(f"- {{w{i}}} x log2({{w{i}}})")
    formula = f"{{gain}} / ({' '.join(parts)})"
    value = float(gain_ratio(counts)) if float(split_information(counts)) > 0 else None
    return FormulaWorking("Gain ratio", formula, tuple(terms), value, "Eq. 3.10")


# ---- thresholds of a numeric attribute -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ThresholdImpurities:
    """How good each threshold of a numeric attribute would be.

    ``impurity`` (t,) is the split's weighted impurity, ``value`` (t,) the criterion itself (its largest is chosen);
    ``boundary`` (t,) tells the thresholds at which the class changes, the only ones that can be best.
    """

    thresholds: FloatArray
    impurity: FloatArray
    value: FloatArray
    boundary: NDArray[np.bool_]
    below: FloatArray
    """Class weights (t, k) of the records at or below each threshold."""
    total: FloatArray
    """Class weights (k,) of all records whose value is known."""

    @property
    def best(self) -> int:
        """Position of the best threshold, the lowest where several are equal."""
        return int(np.argmax(self.value))


def threshold_curve(
    data: Dataset, attribute: int | str, criterion: str, *, thresholds: ArrayLike | None = None
) -> ThresholdImpurities:
    """The curve over all midpoints between neighbouring values (or over ``thresholds``), ``value <= threshold`` below.

    Records that miss the value or the class are left out. Raises :class:`DataError` without a nominal class.
    """
    numbers, classes = data.column(attribute), data.class_codes.astype(np.int64)
    weight, n_classes = data.weight_array, len(data.schema.classes)
    is_known = ~np.isnan(numbers) & (classes >= 0)
    distinct, position = np.unique(numbers[is_known], return_inverse=True)
    table = np.zeros((len(distinct), n_classes))
    np.add.at(table, (position, classes[is_known]), weight[is_known])
    places = (distinct[:-1] + distinct[1:]) / 2 if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    total = table.sum(axis=0)
    cumulated = np.vstack([np.zeros(n_classes), np.cumsum(table, axis=0)])
    cut = np.searchsorted(distinct, places, side="right")
    below = cumulated[cut]
    children = np.stack([below, total - below], axis=-2)
    return ThresholdImpurities(
        thresholds=places,
        impurity=split_impurity(children, IMPURITIES[criterion]),
        value=SPLIT_VALUES[criterion](children),
        boundary=_class_changes(table)[cut],
        below=below,
        total=total,
    )


def _class_changes(table: FloatArray) -> NDArray[np.bool_]:
    """For each cut 0..d before value d: whether the values on its two sides hold more than one class together."""
    changes = np.zeros(len(table) + 1, dtype=np.bool_)
    if len(table) > 1:
        changes[1:-1] = np.count_nonzero(table[:-1] + table[1:], axis=-1) > 1
    return changes


# ---- gains of all cuts between values ----


@dataclass(frozen=True, eq=False)
class Cuts:
    """The t cuts between neighbouring values of a numeric attribute.

    A cut lies between ``low`` and ``high`` (t,). ``left`` (k, t) are the class weights up to each cut, ``known`` (k,)
    those of all records with a value.
    """

    low: FloatArray
    high: FloatArray
    left: FloatArray
    known: FloatArray


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
        return pair_statistics(cuts.left, cuts.known)
    right = np.maximum(cuts.known[:, None] - cuts.left, 0.0)
    if criterion == "twoing":
        return twoing(np.stack([cuts.left.T, right.T], axis=-2)) * (float(cuts.known.sum()) / total)
    after = disorder(criterion, cuts.left) + disorder(criterion, right)
    return np.asarray((disorder(criterion, cuts.known) - after) / total)


def pair_statistics(left: FloatArray, class_weights: FloatArray) -> FloatArray:
    """Pearson's chi-square statistic (t,) of each split of records of ``class_weights`` (k,) in two.

    ``left`` (k, t) are the class weights of the left side; the statistic is 0 where one side is empty.
    """
    n, below = float(class_weights.sum()), left.sum(axis=0)
    product = below * np.maximum(n - below, 0.0)
    share = np.divide(below, n, out=np.zeros_like(below), where=n > 0)
    apart = np.zeros(left.shape[1])
    for of_class, total in zip(left, class_weights.tolist(), strict=True):
        if total > 0:
            apart += np.square(of_class - share * total) / total
    return np.asarray(np.divide(apart * n * n, product, out=np.zeros_like(apart), where=product > 0))


# ---- chi-square tests ----


_EXACT: Final = 200
"""The number of groupings is an exact integer up to this many categories."""


def chi_square(table: ArrayLike) -> tuple[FloatArray, NDArray[np.int64]]:
    """Pearson's statistic and its degrees of freedom (...); empty rows and columns do not count."""
    counts = np.asarray(table, dtype=np.float64)
    rows, columns = counts.sum(axis=-1, keepdims=True), counts.sum(axis=-2, keepdims=True)
    total = rows.sum(axis=-2, keepdims=True)
    expected = np.divide(rows * columns, total, out=np.zeros_like(counts), where=total > 0)
    terms = np.divide(np.square(counts - expected), expected, out=np.zeros_like(counts), where=expected > 0)
    n_rows, n_columns = np.count_nonzero(rows, axis=(-2, -1)), np.count_nonzero(columns, axis=(-2, -1))
    freedom = np.maximum(n_rows - 1, 0) * np.maximum(n_columns - 1, 0)
    return np.asarray(terms.sum(axis=(-2, -1))), np.asarray(freedom)


def log_p_value(statistic: ArrayLike, freedom: ArrayLike) -> FloatArray:
    """Natural logarithm of the p-value of a chi-square statistic under independence.

    0 without a degree of freedom. Where the p-value is too small for a float, the leading terms of its expansion.
    """
    from scipy import special  # late: listing learners does without

    x, df = np.broadcast_arrays(np.asarray(statistic, dtype=np.float64), np.asarray(freedom, dtype=np.float64))
    half, a = x / 2, np.maximum(df, 1.0) / 2
    chance = special.gammaincc(a, half)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = -half + (a - 1) * np.log(half) - special.gammaln(a) + np.log1p((a - 1) / half)
        log_p = np.where(chance > 1e-290, np.log(chance), tail)
    return np.asarray(np.where(df > 0, np.minimum(log_p, 0.0), 0.0))


def log_groupings(n: int, groups: int, *, ordered: bool, floating: bool = False) -> float:
    """Natural logarithm of the number of ways in which n categories can form so many groups.

    Without an order (Kass, eq. 3.2): the Stirling number of the second kind. In their order, only neighbours together
    (eq. 3.1): (n-1 over r-1). With one of the n, the missing values, ``floating`` free of the order (eq. 3.3):
    (n-2 over r-2) + r (n-2 over r-1).
    """
    if not ordered:
        return log(_stirling(n, groups)) if n <= _EXACT else _log_stirling(n, groups)
    if not floating:
        return log(comb(n - 1, groups - 1))
    below = comb(n - 2, groups - 2) if groups >= 2 else 0
    return log(below + groups * comb(n - 2, groups - 1)) if n > 1 else 0.0


def log_comparisons(n: int, *, ordered: bool) -> float:
    """Natural logarithm of the number of pairs that are compared while n categories are merged to two groups.

    In order: the sum of i - 1 over i = 2..n, n (n - 1) / 2; without one: the sum of i (i - 1) / 2, n (n^2 - 1) / 6
    (Biggs, de Ville and Suen 1991; for the second SPSS takes three times as many).
    """
    return log(n * (n - 1) // 2 if ordered else n * (n * n - 1) // 6) if n > 1 else 0.0


def _stirling(n: int, groups: int) -> int:
    """Stirling number of the second kind, exact."""
    terms = [comb(groups, v) * pow(groups - v, n) * (1 if v % 2 == 0 else -1) for v in range(groups)]
    return int(sum(terms) // factorial(groups))


def _log_stirling(n: int, groups: int) -> float:
    """Approximate logarithm of the Stirling number for many categories: its leading term r^n / r!, an upper bound."""
    return min(n * log(groups) - lgamma(groups + 1), n * log(n))


def adjusted(log_p: float, log_multiplier: float) -> float:
    """The Bonferroni-adjusted p-value, at most 1; 0 where it is too small for a float."""
    return exp(min(log_p + log_multiplier, 0.0))


KERNELS: Final = (
    "algorithms.learners.trees.kernels.sorting_kernels",
    "algorithms.learners.trees.kernels.chi_square_kernels",
)

_AT_A_TIME: Final = 1 << 21
"""Number of values evaluated between two checks for a stop."""


@dataclass(frozen=True, eq=False)
class SortedRecords:
    """Some of the N records of ``data`` in the order of the predictors at ``places`` (a,) of its schema.

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
        """The n of them that are chosen (N,), with other ``weights`` (N,)."""
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
