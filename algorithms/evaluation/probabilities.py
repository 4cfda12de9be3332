"""How good the probabilities are, whatever is decided by them: log loss and Brier score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.learner import Codes
from algorithms.core.scores import Term, Working, ratio

LEAST: Final = float(np.finfo(np.float32).eps)
"""A probability below this counts as this in the log loss: one certain mistake would make it infinite."""
ROWS_AT_ONCE: Final = 1 << 16


@dataclass(frozen=True)
class ProbabilityScores:
    """Sums over the tested records, by weight.

    ``logs`` is the sum of ln p, p the probability given to the true class; ``squares`` that of the squared distances
    between the probabilities of all classes and the truth, ``class_squares`` that of each class; ``weight`` that of the
    records. ``bits`` is the information of Kononenko and Bratko, None where only one class was tested; ``entropy``
    that of the tested classes, in bits a record.
    """

    logs: float = 0.0
    squares: float = 0.0
    weight: float = 0.0
    class_squares: tuple[float, ...] = ()
    bits: float | None = None
    entropy: float = 0.0

    def log_loss(self) -> Working:
        """Mean of −ln p: 0 where every true class was certain."""
        terms = (
            Term("Σ ln p", self.logs, "natural logarithms of the probabilities that the true classes got, summed"),
            Term("tested", self.weight, "records tested"),
        )
        value = ratio(-self.logs, self.weight)
        return Working("Log loss", "−{Σ ln p} / {tested}", terms, None if value is None else value + 0.0)

    def brier(self) -> Working:
        """Mean squared distance of the probabilities from the truth, over all classes: 0 best, 2 worst."""
        terms = (
            Term("Σ (p − y)²", self.squares, "over records and classes; y is 1 for the true class, else 0"),
            Term("tested", self.weight, "records tested"),
        )
        value = ratio(self.squares, self.weight)
        return Working("Brier score", "{Σ (p − y)²} / {tested}", terms, value, source="Brier 1950")

    def class_brier(self, code: int) -> Working:
        """Mean squared distance of a class's probability from whether the record is of it: 0 best, 1 worst."""
        squares = self.class_squares[code] if self.class_squares else 0.0
        terms = (
            Term("Σ (p − y)²", squares, "over the records; p for this class, y is 1 for its records, else 0"),
            Term("tested", self.weight, "records tested"),
        )
        value = ratio(squares, self.weight)
        return Working("Brier score", "{Σ (p − y)²} / {tested}", terms, value, source="Brier 1950")

    def information(self) -> Working:
        """Mean information in bits that the probabilities give beyond how frequent the classes are: 0 is none.

        Of a record whose true class got the probability p in place of its share q: log2 p − log2 q where p is at least
        q, else log2(1 − q) − log2(1 − p), below 0 (Kononenko and Bratko 1991, Information-based evaluation criterion
        for classifier's performance). The shares q are those of the tested records.
        """
        terms = (
            Term("Σ bits", self.bits, "what the probabilities tell of each record beyond the classes' shares, summed"),
            Term("tested", self.weight, "records tested"),
        )
        value = None if self.bits is None else ratio(self.bits, self.weight)
        return Working("Information", "{Σ bits} / {tested}", terms, value, source="Kononenko and Bratko 1991")

    def relative_information(self) -> Working:
        """The information as a share of the classes' entropy: 1 where everything is told."""
        information = self.information().value
        terms = (
            Term("information", information, "bits a record told"),
            Term("entropy", self.entropy, "bits a record there is to tell"),
        )
        value = None if information is None else ratio(information, self.entropy)
        source = "Kononenko and Bratko 1991"
        return Working("Relative information", "{information} / {entropy}", terms, value, source=source)


NO_PROBABILITIES: Final = ProbabilityScores()


def probability_scores(
    truth: Codes, probabilities: NDArray[np.floating], weights: FloatArray | None
) -> ProbabilityScores:
    """Sum up the probabilities (m, k) of records of these true classes (m,), a block at a time."""
    k = probabilities.shape[1]
    total = float(len(truth)) if weights is None else float(weights.sum())
    shares = np.bincount(truth, weights, minlength=k)[:k] / total if total else np.zeros(k)
    logs = bits = 0.0
    squares = np.zeros(k)
    for start in range(0, len(truth), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        p, true = np.asarray(probabilities[rows], dtype=np.float64), truth[rows]
        of_truth = p[np.arange(len(p)), true]
        weight = np.ones(len(p)) if weights is None else weights[rows]
        logs += float(np.log(np.clip(of_truth, LEAST, 1.0)) @ weight)
        distances = weight @ (p * p) + np.bincount(true, weight * (1 - 2 * of_truth), minlength=k)
        squares += distances
        bits += float(_bits(of_truth, shares[true]) @ weight)
    squares = np.maximum(squares, 0.0)
    known = shares[shares > 0]
    return ProbabilityScores(
        logs=logs,
        squares=float(squares.sum()),
        weight=total,
        class_squares=tuple(squares.tolist()),
        bits=bits if len(known) > 1 else None,
        entropy=float(-(known * np.log2(known)).sum()),
    )


def _bits(given: FloatArray, share: FloatArray) -> FloatArray:
    """What the probability of the true class tells beyond its share of the records, record by record (m,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.log2(given) - np.log2(share)
        down = np.log2(1 - share) - np.log2(1 - given)
    return np.where(share > 0, np.where(given >= share, up, down), 0.0)
