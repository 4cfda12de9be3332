"""Numbers with their formulas, and the scores that learners need (evaluation may not be imported here).

A :class:`FormulaWorking` is a number with its formula and the values in it, shown as "TP / (TP + FN) = 223 / (223 + 18)
= 0.925".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from algorithms.text.numbers import significant

_SYMBOL: Final = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Term:
    """A symbol of a formula, its value, and its meaning in a few words."""

    symbol: str
    value: float | None
    meaning: str = ""


@dataclass(frozen=True)
class FormulaWorking:
    """A number with its formula.

    ``formula`` has its terms in braces: ``"{TP} / ({TP} + {FN})"``; ``terms`` are their values. ``value`` is None if
    undefined (a division by zero). ``source`` is an equation of the book or a paper.
    """

    name: str
    formula: str
    terms: tuple[Term, ...]
    value: float | None
    source: str = ""

    @property
    def symbolic(self) -> str:
        """The formula with its symbols: "TP / (TP + FN)"."""
        return _SYMBOL.sub(r"\1", self.formula)

    @property
    def filled(self) -> str:
        """The formula with its values: "223 / (223 + 18)"."""
        values = {term.symbol: _bracketed(significant(term.value)) for term in self.terms}
        return _SYMBOL.sub(lambda symbol: values.get(symbol[1], symbol[1]), self.formula)

    def sentence(self) -> str:
        """The whole line: "Recall = TP / (TP + FN) = 223 / (223 + 18) = 0.925"."""
        parts = [self.name, self.symbolic]
        if self.filled != self.symbolic:
            parts.append(self.filled)
        return " = ".join([*parts, significant(self.value)])


def _bracketed(number: str) -> str:
    return f"({number})" if number.startswith("-") and len(number) > 1 else number


def ratio(numerator: float, denominator: float) -> float | None:
    """The quotient; None if the denominator is 0."""
    return numerator / denominator if denominator else None


@dataclass(frozen=True)
class Pairs:
    """Total weights of the (positive, negative) pairs of records: positive scored higher (won), equal or lower (lost).

    The area under the ROC curve is the share of pairs won, ties counting half (Mann and Whitney 1947). ``positives`` is
    the total weight of the positive records, ``precisions`` the weighted sum of the precisions at their scores. The
    mean precision is the area under the precision-recall curve.
    """

    won: float
    tied: float
    lost: float
    positives: float = 0.0
    precisions: float = 0.0

    @property
    def auc(self) -> float | None:
        """The area under the ROC curve; None without pairs."""
        return ratio(self.won + self.tied / 2, self.won + self.tied + self.lost)

    def working(self) -> FormulaWorking:
        """The area under the ROC curve with its formula."""
        terms = (
            Term("won", self.won, "pairs in which the record of the class got the higher probability of it"),
            Term("tied", self.tied, "pairs in which both got the same"),
            Term("lost", self.lost, "pairs in which the other record got the higher one"),
        )
        formula = "({won} + {tied} / 2) / ({won} + {tied} + {lost})"
        return FormulaWorking("AUC", formula, terms, self.auc, source="Mann and Whitney 1947")

    def average_precision(self) -> FormulaWorking:
        """The area under the precision-recall curve in steps (average precision)."""
        meaning = "precision if all at least as likely were taken for the class, summed over its records"
        terms = (Term("Σ p", self.precisions, meaning), Term("of it", self.positives, "records of the class"))
        return FormulaWorking("PR area", "{Σ p} / {of it}", terms, ratio(self.precisions, self.positives))


def compared_pairs(positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> Pairs:
    """The pairs of positive and negative records compared by score, counted exactly in O(n log n).

    ``positive`` (n,) is the mask of positive records. ``scores`` (n,) rise with the evidence for the positive class.
    ``weights`` (n,) default to 1.
    """
    values = np.asarray(scores)
    if not len(values):
        return Pairs(0.0, 0.0, 0.0)
    order = np.argsort(values)
    ordered, is_positive = values[order], np.asarray(positive, dtype=bool)[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    weight = 1.0 if weights is None else np.asarray(weights, dtype=np.float64)[order]
    positives = np.add.reduceat(np.where(is_positive, weight, 0.0), starts)
    negatives = np.add.reduceat(np.where(is_positive, 0.0, weight), starts)
    below = np.cumsum(negatives)
    above = float(negatives.sum()) - below
    true_positives = float(positives.sum()) - np.cumsum(positives) + positives
    predicted = true_positives + above + negatives
    precision = np.divide(true_positives, predicted, out=np.zeros(len(starts)), where=predicted > 0)
    return Pairs(
        won=float(positives @ (below - negatives)),
        tied=float(positives @ negatives),
        lost=float(positives @ above),
        positives=float(positives.sum()),
        precisions=float(positives @ precision),
    )


def binary_auc(positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float | None:
    """Area under the ROC curve (see :func:`compared_pairs`); None if positives or negatives have no weight."""
    return compared_pairs(positive, scores, weights).auc


def normal_quantile(confidence: float) -> float:
    """The z of a two-sided interval with this confidence: 1.96 for 0.95. Raises ``ValueError`` outside 0 to 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    from statistics import NormalDist  # late: the window opens without it

    return NormalDist().inv_cdf(0.5 + confidence / 2)


def upper_quantile(share: float) -> float:
    """The z that a standard normal exceeds with this probability: 0.674 for 0.25. ``ValueError`` outside 0 to 1."""
    if not 0 < share < 1:
        raise ValueError(f"a chance lies between 0 and 1, not at {share}")
    from statistics import NormalDist  # late: the window opens without it

    return NormalDist().inv_cdf(1 - share)
