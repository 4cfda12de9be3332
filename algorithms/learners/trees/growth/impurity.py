"""Impurity of a node, gain of a split, and the terms behind each number.

The plain reference for the compiled kernels, and what a person sees who clicks on a number. Counts are weights of
classes along the last axis (..., k); children are (..., b, k), one row a branch. Source: TSKK section 3.3.2-3.3.3
(2nd ed.); Quinlan, C4.5 (1993), chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset

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
    """What the split takes away from the parent's impurity (Eq. 3.8); the parent is the sum of its children."""
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
"""What each criterion makes as large as it can."""


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
    each = zip(branches, shares(counts.sum(axis=-1)), impurity(counts), strict=True)
    for i, (branch, share, value) in enumerate(each, 1):
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
    known = ~np.isnan(numbers) & (classes >= 0)
    distinct, position = np.unique(numbers[known], return_inverse=True)
    table = np.zeros((len(distinct), n_classes))
    np.add.at(table, (position, classes[known]), weight[known])
    at = (distinct[:-1] + distinct[1:]) / 2 if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    total = table.sum(axis=0)
    cumulated = np.vstack([np.zeros(n_classes), np.cumsum(table, axis=0)])
    cut = np.searchsorted(distinct, at, side="right")
    below = cumulated[cut]
    children = np.stack([below, total - below], axis=-2)
    return ThresholdImpurities(
        thresholds=at,
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
