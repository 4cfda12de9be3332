"""How good the probabilities are, whatever is decided by them: log loss, Brier score, errors as Weka reports them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Codes
from algorithms.core.scores import FormulaWorking, Term, ratio
from algorithms.data.columns import FloatArray

ROWS_AT_ONCE: Final = 1 << 13


_OVER_ALL: Final = "over records and classes; y is 1 for the true class, else 0"
_OF_CLASS: Final = "over the records; p for this class, y is 1 for its records, else 0"


@dataclass(frozen=True)
class ProbabilityScores:
    """Sums over the tested records, by weight.

    ``logs`` is the sum of ln p, p the probability given to the true class; ``squares`` that of the squared distances
    between the probabilities of all classes and the truth, ``class_squares`` that of each class; ``weight`` that of the
    records; ``class_distances`` of how far each class's probability is from the truth. ``unlike`` is the chance that
    two tested records are of different classes, 0 where only one was tested; ``bits`` the information of Kononenko and
    Bratko, None where only one class was tested; ``entropy`` that of the tested classes, in bits a record.
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
        """Mean of −ln p: 0 where every true class was certain."""
        what = "natural logarithms of the probabilities that the true classes got, summed"
        terms = (Term("Σ ln p", self.logs, what), self._tested)
        value = ratio(-self.logs, self.weight)
        return FormulaWorking("Log loss", "−{Σ ln p} / {tested}", terms, None if value is None else value + 0.0)

    def brier(self) -> FormulaWorking:
        """Mean squared distance of the probabilities from the truth, over all classes: 0 best, 2 worst."""
        return self._mean("Brier score", Term("Σ (p − y)²", self.squares, _OVER_ALL), "Brier 1950")

    def class_brier(self, code: int) -> FormulaWorking:
        """Mean squared distance of a class's probability from whether the record is of it: 0 best, 1 worst."""
        squares = self.class_squares[code] if self.class_squares else 0.0
        return self._mean("Brier score", Term("Σ (p − y)²", squares, _OF_CLASS), "Brier 1950")

    def _mean(self, name: str, total: Term, source: str = "") -> FormulaWorking:
        """A sum divided by the weight of the tested records; undefined where the sum is."""
        value = None if total.value is None else ratio(total.value, self.weight)
        return FormulaWorking(name, f"{{{total.symbol}}} / {{tested}}", (total, self._tested), value, source)

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
        """Mean distance of a probability from 1 for the true class and 0 for the others, as Weka reports it."""
        terms = (self._distances, self._tested, self._classes)
        value = ratio(sum(self.class_distances), self.weight * len(self.class_distances))
        return FormulaWorking("Mean absolute error", "{Σ |p − y|} / ({tested} · {k})", terms, value)

    def class_absolute_error(self, code: int) -> FormulaWorking:
        """Mean distance of a class's probability from whether the record is of it."""
        distances = self.class_distances[code] if self.class_distances else 0.0
        return self._mean("Mean absolute error", Term("Σ |p − y|", distances, _OF_CLASS))

    def root_squared_error(self) -> FormulaWorking:
        """Root of the mean squared distance of a probability from the truth, as Weka reports it."""
        terms = (Term("Σ (p − y)²", self.squares, _OVER_ALL), self._tested, self._classes)
        value = ratio(self.squares, self.weight * len(self.class_distances))
        root = None if value is None else math.sqrt(value)
        return FormulaWorking("Root mean squared error", "√({Σ (p − y)²} / ({tested} · {k}))", terms, root)

    def relative_absolute_error(self) -> FormulaWorking:
        """The absolute error as a share of that of always giving the classes' shares of the tested records.

        Weka takes the shares of the training records in place of the tested ones.
        """
        by_shares = 2 * self.weight * self.unlike
        terms = (
            self._distances,
            Term("Σ |q − y|", by_shares, "the same of always giving q, the shares of the classes"),
        )
        value = ratio(sum(self.class_distances), by_shares)
        return FormulaWorking("Relative absolute error", "{Σ |p − y|} / {Σ |q − y|}", terms, value)

    def root_relative_squared_error(self) -> FormulaWorking:
        """The root of the squared error as a share of that of always giving the classes' shares (see above)."""
        by_shares = self.weight * self.unlike
        terms = (
            Term("Σ (p − y)²", self.squares, _OVER_ALL),
            Term("Σ (q − y)²", by_shares, "the same of always giving q, the shares of the classes"),
        )
        value = ratio(self.squares, by_shares)
        root = None if value is None else math.sqrt(value)
        return FormulaWorking("Root relative squared error", "√({Σ (p − y)²} / {Σ (q − y)²})", terms, root)

    def explained_log_loss(self) -> FormulaWorking:
        """How much of the log loss of always giving the classes' shares is done away with (D2, McFadden 1974)."""
        loss, by_shares = self.log_loss().value, self.entropy * math.log(2)
        terms = (
            Term("log loss", loss, "of these probabilities"),
            Term("log loss of q", by_shares, "of always giving q, the shares of the classes"),
        )
        share = None if loss is None else ratio(loss, by_shares)
        value = None if share is None else 1 - share
        return FormulaWorking(
            "Log loss explained", "1 − {log loss} / {log loss of q}", terms, value, source="McFadden 1974"
        )

    def explained_brier(self) -> FormulaWorking:
        """How much of the Brier score of always giving the classes' shares is done away with (skill score)."""
        score, by_shares = self.brier().value, self.unlike
        terms = (
            Term("Brier", score, "of these probabilities"),
            Term("Brier of q", by_shares, "of always giving q, the shares of the classes"),
        )
        share = None if score is None else ratio(score, by_shares)
        value = None if share is None else 1 - share
        return FormulaWorking("Brier skill", "1 − {Brier} / {Brier of q}", terms, value, source="Murphy 1973")

    def bits_saved(self) -> FormulaWorking:
        """Bits a record saved over the classes' shares in coding the classes (Weka: complexity improvement)."""
        loss = self.log_loss().value
        coded = None if loss is None else loss / math.log(2)
        terms = (
            Term("entropy", self.entropy, "bits a record by the classes' shares alone"),
            Term("coded", coded, "bits a record by these probabilities: mean of −log2 p of the true class"),
        )
        return FormulaWorking(
            "Bits saved", "{entropy} − {coded}", terms, None if coded is None else self.entropy - coded
        )

    def information(self) -> FormulaWorking:
        """Mean information in bits that the probabilities give beyond how frequent the classes are: 0 is none.

        Of a record whose true class got the probability p in place of its share q: log2 p − log2 q where p is at least
        q, else log2(1 − q) − log2(1 − p), below 0 (Kononenko and Bratko 1991, Information-based evaluation criterion
        for classifier's performance). The shares q are those of the tested records.
        """
        total = Term(
            "Σ bits", self.bits, "what the probabilities tell of each record beyond the classes' shares, summed"
        )
        return self._mean("Information", total, "Kononenko and Bratko 1991")

    def relative_information(self) -> FormulaWorking:
        """The information as a share of the classes' entropy: 1 where everything is told."""
        information = self.information().value
        terms = (
            Term("information", information, "bits a record told"),
            Term("entropy", self.entropy, "bits a record there is to tell"),
        )
        value = None if information is None else ratio(information, self.entropy)
        source = "Kononenko and Bratko 1991"
        return FormulaWorking("Relative information", "{information} / {entropy}", terms, value, source=source)


NO_PROBABILITIES: Final = ProbabilityScores()


def probability_scores(
    truth: Codes, probabilities: NDArray[np.floating], weights: FloatArray | None
) -> ProbabilityScores:
    """Sum up the probabilities (m, k) of records of these true classes (m,), a block at a time."""
    k = probabilities.shape[1]
    of_class = np.bincount(truth, weights, minlength=k)[:k].astype(np.float64)
    total = float(of_class.sum())  # the very sum of the classes: where there is one class, its share is just 1
    shares = of_class / total if total else np.zeros(k)
    least = float(np.finfo(probabilities.dtype).eps)  # in the log loss, where one certain mistake would be infinite
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
        unlike=2 * float(np.triu(np.outer(shares, shares), 1).sum()),  # 1 - Σ q² would leave a rounding error of 0
    )


def _bits(given: FloatArray, share: FloatArray, log_share: FloatArray, log_rest: FloatArray) -> FloatArray:
    """What the probability of the true class tells beyond its share of the records, record by record (m,).

    ``log_share`` and ``log_rest`` are the logarithms of the share and of what is missing from it to 1.
    """
    tells = given >= share
    with np.errstate(divide="ignore", invalid="ignore"):
        own_bits = np.log2(np.where(tells, given, 1 - given))
        bits = np.where(tells, own_bits - log_share, log_rest - own_bits)
    return np.where(share > 0, bits, 0.0)
