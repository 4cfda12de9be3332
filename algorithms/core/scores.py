"""Numbers that can show their working, and the plain scores that learners need below evaluation.

A :class:`Working` is a number together with its formula and this data's values in it, so that a click on the number
can open to "TP / (TP + FN) = 223 / (223 + 18) = 0.925". Values stay values until they are shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import NormalDist
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
class Working:
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
        values = {term.symbol: shown(term.value) for term in self.terms}
        return _SYMBOL.sub(lambda found: values.get(found[1], found[1]), self.formula)

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
        return str(int(value))
    return f"{value:.{digits}g}"


def ratio(numerator: float, denominator: float) -> float | None:
    """The quotient, or None where the denominator is 0: an undefined rate is never silently a number."""
    return numerator / denominator if denominator else None


def binary_auc(positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float | None:
    """Area under the ROC curve: the chance that a positive record scores above a negative one, ties counting half.

    ``positive`` (n,) is true for positive records, ``scores`` (n,) any numbers that rise with the belief in the
    positive class, ``weights`` (n,) default to one each. None where either kind has no weight. Exact: the rank
    statistic of Mann and Whitney, equal scores taken together.
    """
    is_positive = np.asarray(positive, dtype=bool)
    weight = np.ones(len(is_positive)) if weights is None else np.asarray(weights, dtype=np.float64)
    _, group = np.unique(np.asarray(scores), return_inverse=True)
    n_groups = int(group.max()) + 1 if len(group) else 0
    positives = np.bincount(group[is_positive], weight[is_positive], minlength=n_groups)
    negatives = np.bincount(group[~is_positive], weight[~is_positive], minlength=n_groups)
    pairs = float(positives.sum() * negatives.sum())
    below = np.cumsum(negatives) - negatives
    return ratio(float(positives @ (below + negatives / 2)), pairs)


def normal_quantile(confidence: float) -> float:
    """Z for a two-sided confidence: 1.96 for 0.95. Raises ``ValueError`` outside 0 to 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    return NormalDist().inv_cdf(0.5 + confidence / 2)
