"""Numbers that can show their working, and the plain scores that learners need below evaluation.

A :class:`FormulaWorking` is a number together with its formula and this data's values in it, so that a click on the
number can open to "TP / (TP + FN) = 223 / (223 + 18) = 0.925". Values stay values until they are shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

_SYMBOL: Final = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Term:
    """One symbol of a formula, its value here, and what it means in a few words."""

    symbol: str
    value: float | None
    meaning: str = ""


@dataclass(frozen=True)
class FormulaWorking:
    """How a number came about.

    ``formula`` names its terms in braces: ``"{TP} / ({TP} + {FN})"``; ``terms`` gives each symbol its value.
    ``value`` is None where the number is undefined (a division by zero). ``source`` is the book's equation or a paper.
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
        """The formula with the values in place of the symbols: "223 / (223 + 18)"."""
        values = {term.symbol: _bracketed(shown(term.value)) for term in self.terms}
        return _SYMBOL.sub(lambda symbol: values.get(symbol[1], symbol[1]), self.formula)

    def sentence(self) -> str:
        """The whole line: "Recall = TP / (TP + FN) = 223 / (223 + 18) = 0.925"."""
        parts = [self.name, self.symbolic]
        if self.filled != self.symbolic:
            parts.append(self.filled)
        return " = ".join([*parts, shown(self.value)])


def shown(value: float | None, digits: int = 4) -> str:
    """A number for reading: whole numbers whole, others to ``digits`` significant digits, "-" where undefined."""
    if value is None or value != value:
        return "-"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.{digits}g}"


def _bracketed(number: str) -> str:
    return f"({number})" if number.startswith("-") and len(number) > 1 else number


def ratio(numerator: float, denominator: float) -> float | None:
    """The quotient, or None where the denominator is 0: an undefined rate is never silently a number."""
    return numerator / denominator if denominator else None


@dataclass(frozen=True)
class Pairs:
    """Every record of a class against every other record, by weight: how often it got the higher score.

    The area under the ROC curve is the share of pairs won, ties counting half (Mann and Whitney 1947). ``positives`` is
    the weight of the records of the class, ``precisions`` the sum over them of the precision where all that score at
    least as high are taken for the class: their mean is the area under the precision-recall curve.
    """

    won: float
    tied: float
    lost: float
    positives: float = 0.0
    precisions: float = 0.0

    @property
    def auc(self) -> float | None:
        """The area; None where there are no pairs."""
        return ratio(self.won + self.tied / 2, self.won + self.tied + self.lost)

    def working(self) -> FormulaWorking:
        """The area with the pairs it comes from."""
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
    """Compare the scores of positive and negative records, pair by pair, without going through the pairs.

    ``positive`` (n,) is true for positive records, ``scores`` (n,) any numbers that rise with the belief in the
    positive class, ``weights`` (n,) default to one each. Exact: equal scores are taken together.
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
    """Area under the ROC curve (see :func:`compared_pairs`); None where either kind has no weight."""
    return compared_pairs(positive, scores, weights).auc


def normal_quantile(confidence: float) -> float:
    """Z for a two-sided confidence: 1.96 for 0.95. Raises ``ValueError`` outside 0 to 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    from statistics import NormalDist  # late: the window opens without it

    return NormalDist().inv_cdf(0.5 + confidence / 2)


def upper_quantile(share: float) -> float:
    """Z above which a standard normal lies with this chance: 0.674 for 0.25. Raises ``ValueError`` outside 0 to 1."""
    if not 0 < share < 1:
        raise ValueError(f"a chance lies between 0 and 1, not at {share}")
    from statistics import NormalDist  # late: the window opens without it

    return NormalDist().inv_cdf(1 - share)
