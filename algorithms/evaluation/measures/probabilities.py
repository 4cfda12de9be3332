"""Quality of predicted probabilities: log loss, Brier score, information, and errors as in Weka."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Codes
from algorithms.core.scores import FormulaWorking, Term, quotient, ratio
from algorithms.data.columns import FloatArray

ROWS_AT_ONCE: Final = 1 << 13


_OVER_ALL: Final = "over records and classes; y is 1 for the true class, else 0"
_OF_CLASS: Final = "over the records; p for this class, y is 1 for its records, else 0"


@dataclass(frozen=True)
class ProbabilityScores:
    """Weighted sums over the tested records.

    ``logs`` sums ln p, p the probability of the true class. ``squares`` sums (p - y)² over all classes,
    ``class_squares`` for each. ``class_distances`` sums |p - y| for each class. ``weight`` is that of the records.
    ``unlike`` is the probability that two tested records differ in class. ``bits`` is the information of Kononenko and
    Bratko, None for a single class. ``entropy`` is that of the tested classes in bits per record.
    """

    logs: float = 0.0
    squares: float = 0.0
    weight: float = 0.0
    class_squares: tuple[float, ...] = ()
    bits: float | None = None
    entropy: float = 0.0
    class_distances: tuple[float, ...] = ()
    unlike: float = 0.0

    def log_loss(self) -> FormulaWorking:
        """Mean of −ln p, p the probability of the true class; 0 is best."""
        what = "natural logarithms of the probabilities of the true classes, summed"
        terms = (Term("Σ ln p", self.logs, what), self._tested)
        value = ratio(-self.logs, self.weight)
        return FormulaWorking("Log loss", "−{Σ ln p} / {tested}", terms, None if value is None else value + 0.0)

    def brier(self) -> FormulaWorking:
        """Mean over records of (p - y)² summed over classes: 0 best, 2 worst."""
        return self._mean("Brier score", Term("Σ (p − y)²", self.squares, _OVER_ALL), "Brier 1950")

    def class_brier(self, code: int) -> FormulaWorking:
        """Mean of (p - y)² for one class: 0 best, 1 worst."""
        squares = self.class_squares[code] if self.class_squares else 0.0
        return self._mean("Brier score", Term("Σ (p − y)²", squares, _OF_CLASS), "Brier 1950")

    def _mean(self, name: str, total: Term, source: str = "") -> FormulaWorking:
        """A sum divided by the weight of the tested records; undefined if the sum is."""
        return quotient(name, total, self._tested, source)

    @property
    def _tested(self) -> Term:
        return Term("tested", self.weight, "records tested")

    @property
    def _distances(self) -> Term:
        return Term("Σ |p − y|", sum(self.class_distances), _OVER_ALL)

    @property
    def _classes(self) -> Term:
        return Term("k", float(len(self.class_distances)), "classes")

    def absolute_error(self) -> FormulaWorking:
        """Mean of |p - y| over records and classes, as in Weka."""
        terms = (self._distances, self._tested, self._classes)
        value = ratio(sum(self.class_distances), self.weight * len(self.class_distances))
        return FormulaWorking("Mean absolute error", "{Σ |p − y|} / ({tested} · {k})", terms, value)

    def class_absolute_error(self, code: int) -> FormulaWorking:
        """Mean of |p - y| for one class."""
        distances = self.class_distances[code] if self.class_distances else 0.0
        return self._mean("Mean absolute error", Term("Σ |p − y|", distances, _OF_CLASS))

    def root_squared_error(self) -> FormulaWorking:
        """Root of the mean of (p - y)² over records and classes, as in Weka."""
        terms = (Term("Σ (p − y)²", self.squares, _OVER_ALL), self._tested, self._classes)
        value = ratio(self.squares, self.weight * len(self.class_distances))
        root = None if value is None else math.sqrt(value)
        return FormulaWorking("Root mean squared error", "√({Σ (p − y)²} / ({tested} · {k}))", terms, root)

    def relative_absolute_error(self) -> FormulaWorking:
        """Absolute error relative to that of the class shares of the tested records (Weka: training records)."""
        by_shares = 2 * self.weight * self.unlike
        of_shares = Term("Σ |q − y|", by_shares, "the same for q, the class priors")
        return quotient("Relative absolute error", self._distances, of_shares)

    def root_relative_squared_error(self) -> FormulaWorking:
        """Root of the squared error relative to that of predicting the class shares of the tested records."""
        by_shares = self.weight * self.unlike
        terms = (
            Term("Σ (p − y)²", self.squares, _OVER_ALL),
            Term("Σ (q − y)²", by_shares, "the same for q, the class priors"),
        )
        value = ratio(self.squares, by_shares)
        root = None if value is None else math.sqrt(value)
        return FormulaWorking("Root relative squared error", "√({Σ (p − y)²} / {Σ (q − y)²})", terms, root)

    def explained_log_loss(self) -> FormulaWorking:
        """D²: share of the log loss of the class shares that the probabilities remove (McFadden 1974)."""
        loss, by_shares = self.log_loss().value, self.entropy * math.log(2)
        terms = (
            Term("log loss", loss, "of these probabilities"),
            Term("log loss of q", by_shares, "of q, the class priors"),
        )
        share = None if loss is None else ratio(loss, by_shares)
        value = None if share is None else 1 - share
        return FormulaWorking(
            "Log loss explained", "1 − {log loss} / {log loss of q}", terms, value, source="McFadden 1974"
        )

    def explained_brier(self) -> FormulaWorking:
        """Brier skill score: share of the Brier score of the class shares that the probabilities remove."""
        score, by_shares = self.brier().value, self.unlike
        terms = (
            Term("Brier", score, "of these probabilities"),
            Term("Brier of q", by_shares, "of q, the class priors"),
        )
        share = None if score is None else ratio(score, by_shares)
        value = None if share is None else 1 - share
        return FormulaWorking("Brier skill", "1 − {Brier} / {Brier of q}", terms, value, source="Murphy 1973")

    def bits_saved(self) -> FormulaWorking:
        """Bits per record saved in coding the classes, relative to their shares (Weka: complexity improvement)."""
        loss = self.log_loss().value
        coded = None if loss is None else loss / math.log(2)
        terms = (
            Term("entropy", self.entropy, "bits a record by the class priors alone"),
            Term("coded", coded, "bits a record by these probabilities: mean of −log2 p of the true class"),
        )
        return FormulaWorking(
            "Bits saved", "{entropy} − {coded}", terms, None if coded is None else self.entropy - coded
        )

    def information(self) -> FormulaWorking:
        """Mean information score in bits: information of the probabilities beyond the class shares q.

        With probability p of the true class it is log2 p − log2 q if p >= q, else log2(1 − q) − log2(1 − p), which is
        negative (Kononenko and Bratko 1991, Information-based evaluation criterion for classifier's performance). The
        shares q are those of the tested records.
        """
        total = Term("Σ bits", self.bits, "information of each probability beyond the class priors, summed")
        return self._mean("Information", total, "Kononenko and Bratko 1991")

    def relative_information(self) -> FormulaWorking:
        """Information score relative to the entropy of the classes: 1 is perfect."""
        information = Term("information", self.information().value, "mean information in bits")
        entropy = Term("entropy", self.entropy, "entropy of the class in bits")
        return quotient("Relative information", information, entropy, "Kononenko and Bratko 1991")


NO_PROBABILITIES: Final = ProbabilityScores()


def probability_scores(
    truth: Codes, probabilities: NDArray[np.floating], weights: FloatArray | None
) -> ProbabilityScores:
    """Sums over records with probabilities (m, k) and true classes (m,), computed in blocks."""
    k = probabilities.shape[1]
    of_class = np.bincount(truth, weights, minlength=k)[:k].astype(np.float64)
    total = float(of_class.sum())  # summed as the classes, so that the share of a single class is exactly 1
    shares = of_class / total if total else np.zeros(k)
    least = float(np.finfo(probabilities.dtype).eps)  # least p, as one certain error would have infinite log loss
    logs = bits = 0.0
    squares, distances = np.zeros(k), np.zeros(k)
    with np.errstate(divide="ignore"):
        log_shares, log_rest = np.log2(shares), np.log2(np.where(shares < 1, 1 - shares, 1.0))
    for start in range(0, len(truth), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        p, true = np.array(probabilities[rows], dtype=np.float64), truth[rows]
        of_truth = p[np.arange(len(p)), true]
        weight = np.ones(len(p)) if weights is None else weights[rows]
        logs += float(np.log(np.clip(of_truth, least, 1.0)) @ weight)
        to_truth = np.bincount(true, weight * (1 - 2 * of_truth), minlength=k)
        distances += weight @ p + to_truth
        np.multiply(p, p, out=p)
        squares += weight @ p + to_truth
        bits += float(_bits(of_truth, shares[true], log_shares[true], log_rest[true]) @ weight)
    squares, distances = np.maximum(squares, 0.0), np.maximum(distances, 0.0)
    positive = shares[shares > 0]
    return ProbabilityScores(
        logs=logs,
        squares=float(squares.sum()),
        weight=total,
        class_squares=tuple(squares.tolist()),
        bits=bits if len(positive) > 1 else None,
        entropy=float(-(positive * np.log2(positive)).sum()),
        class_distances=tuple(distances.tolist()),
        unlike=2 * float(np.triu(np.outer(shares, shares), 1).sum()),  # 1 - Σ q² would leave a rounding error above 0
    )


def _bits(given: FloatArray, share: FloatArray, log_share: FloatArray, log_rest: FloatArray) -> FloatArray:
    """Information (m,) of the true class beyond its share q; ``log_share`` is log2 q, ``log_rest`` log2(1 - q)."""
    tells = given >= share
    with np.errstate(divide="ignore", invalid="ignore"):
        own_bits = np.log2(np.where(tells, given, 1 - given))
        bits = np.where(tells, own_bits - log_share, log_rest - own_bits)
    return np.where(share > 0, bits, 0.0)
