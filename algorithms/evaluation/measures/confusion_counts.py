"""True and false positives and negatives of one class, for one confusion matrix or for many."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Codes
from algorithms.core.scores import FormulaWorking, Term, quotient, ratio
from algorithms.data.columns import FloatArray, Mask
from algorithms.text.numbers import amount, percent
from algorithms.text.sentences import of_class, quoted


def confusion_matrix(truth: Codes, decision: Codes, weights: FloatArray | None, k: int) -> FloatArray:
    """Weight of the tests (m,) by class (k, k): row the true class, column the predicted one."""
    cells = truth.astype(np.int64) * k + decision
    return np.bincount(cells, weights, minlength=k * k).astype(np.float64).reshape(k, k)


EXACT: Final = 2.0**53
"""Below it every whole number is a float64."""
MOST_ORDERED = 200
"""With more classes the order of the clustering is not optimised further."""


def order_by_confusion(matrix: FloatArray) -> NDArray[np.int64]:
    """Classes (k,), often confused ones side by side: the optimal leaf order of a clustering (Bar-Joseph 2001)."""
    k = len(matrix)
    if k < 3:
        return np.arange(k)
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    totals = matrix.sum(axis=1, keepdims=True)
    shares = np.divide(matrix, totals, out=np.zeros_like(matrix, dtype=np.float64), where=totals > 0)
    apart = 1.0 - (shares + shares.T) / 2
    np.fill_diagonal(apart, 0.0)
    distances = squareform(apart, checks=False)
    tree = linkage(distances, "average")
    return np.asarray(leaves_list(optimal_leaf_ordering(tree, distances) if k <= MOST_ORDERED else tree), np.int64)


@dataclass(frozen=True)
class BinaryCounts:
    """Weights of true positives, false negatives, false positives and true negatives of one class."""

    tp: float
    fn: float
    fp: float
    tn: float
    label: str = field(default="", compare=False)
    """Name of the class for worked formulas."""

    @classmethod
    def of(cls, matrix: FloatArray, code: int, label: str = "") -> BinaryCounts:
        """Counts of a class in a matrix (k, k), row true: sums of cells, as differences of sums may round below 0."""
        others = np.arange(len(matrix)) != code
        tp, fn, fp = matrix[code, code], matrix[code, others].sum(), matrix[others, code].sum()
        return cls(float(tp), float(fn), float(fp), float(matrix[others][:, others].sum()), label)

    @classmethod
    def of_all(cls, matrix: FloatArray, labels: Sequence[str]) -> list[BinaryCounts]:
        """Counts of every class in a matrix (k, k), row true.

        Whole numbers below 2^53 have exact sums in any order, and so exact differences of these.
        """
        total = matrix.sum()
        if not (total < EXACT and np.array_equal(matrix, np.rint(matrix))):
            return [cls.of(matrix, code, label) for code, label in enumerate(labels)]
        tp = matrix.diagonal()
        fn, fp = matrix.sum(axis=1) - tp, matrix.sum(axis=0) - tp
        counts = zip(tp.tolist(), fn.tolist(), fp.tolist(), (total - fn - fp - tp).tolist(), labels, strict=True)
        return [cls(*each) for each in counts]

    def terms(self, *symbols: str) -> tuple[Term, ...]:
        """The counts with these symbols (TP, FN, FP, TN), as terms of a formula."""
        return tuple([self._terms[symbol] for symbol in symbols])

    @cached_property
    def _terms(self) -> dict[str, Term]:
        this, it = (f"class {self.label}", self.label) if self.label else ("the class", "it")
        terms = (
            Term("TP", self.tp, f"of {this}, predicted correctly"),
            Term("FN", self.fn, f"of {this}, predicted otherwise"),
            Term("FP", self.fp, f"of another class, predicted {it}"),
            Term("TN", self.tn, f"of another class, not predicted {it}"),
        )
        return {term.symbol: term for term in terms}

    def _share(self, name: str, of: str, rest: str) -> FormulaWorking:
        """One count as the share of it and another."""
        value = ratio(getattr(self, of.lower()), getattr(self, of.lower()) + getattr(self, rest.lower()))
        return FormulaWorking(name, f"{{{of}}} / ({{{of}}} + {{{rest}}})", self.terms(of, rest), value)

    def recall(self) -> FormulaWorking:
        """TP / (TP + FN), the true positive rate."""
        return self._share("Recall", "TP", "FN")

    def precision(self) -> FormulaWorking:
        """TP / (TP + FP)."""
        return self._share("Precision", "TP", "FP")

    def false_positive_rate(self) -> FormulaWorking:
        """FP / (FP + TN)."""
        return self._share("False positive rate", "FP", "TN")

    def specificity(self) -> FormulaWorking:
        """TN / (TN + FP), the true negative rate."""
        return self._share("Specificity", "TN", "FP")

    def g_mean(self) -> FormulaWorking:
        """Geometric mean of recall and specificity (Kubat and Matwin 1997)."""
        return self._of_recall_and_specificity(
            "G-mean", "√({r} · {s})", lambda r, s: math.sqrt(r * s), "Kubat and Matwin 1997"
        )

    def balanced_accuracy(self) -> FormulaWorking:
        """Mean of recall and specificity."""
        return self._of_recall_and_specificity("Balanced accuracy", "({r} + {s}) / 2", lambda r, s: (r + s) / 2)

    def f_measure(self, beta: float = 1.0) -> FormulaWorking:
        """Weighted harmonic mean of recall and precision: (b^2 + 1) TP / ((b^2 + 1) TP + b^2 FN + FP).

        It is 0, not undefined, if no record is predicted as the class but some are of it.
        """
        b = beta * beta
        value = ratio((b + 1) * self.tp, (b + 1) * self.tp + b * self.fn + self.fp)
        terms = self.terms("TP", "FN", "FP")
        if beta == 1:
            return FormulaWorking("F", "2 · {TP} / (2 · {TP} + {FN} + {FP})", terms, value)
        formula = "({b}² + 1) · {TP} / (({b}² + 1) · {TP} + {b}² · {FN} + {FP})"
        return FormulaWorking(
            f"F{beta:g}", formula, (Term("b", beta, "how much recall outweighs precision"), *terms), value
        )

    def negative_predictive_value(self) -> FormulaWorking:
        """TN / (TN + FN)."""
        return self._share("Negative predictive value", "TN", "FN")

    def miss_rate(self) -> FormulaWorking:
        """FN / (TP + FN), the false negative rate."""
        value = ratio(self.fn, self.tp + self.fn)
        return FormulaWorking("Miss rate", "{FN} / ({TP} + {FN})", self.terms("FN", "TP"), value)

    def jaccard(self) -> FormulaWorking:
        """TP / (TP + FP + FN) (Jaccard 1901)."""
        value = ratio(self.tp, self.tp + self.fp + self.fn)
        formula = "{TP} / ({TP} + {FP} + {FN})"
        return FormulaWorking("Jaccard", formula, self.terms("TP", "FP", "FN"), value, source="Jaccard 1901")

    def informedness(self) -> FormulaWorking:
        """Youden's J: recall + specificity - 1."""
        return self._of_recall_and_specificity("Informedness", "{r} + {s} − 1", lambda r, s: r + s - 1, "Youden 1950")

    def _of_recall_and_specificity(
        self, name: str, formula: str, compute: Callable[[float, float], float], source: str = ""
    ) -> FormulaWorking:
        """A function of recall and specificity; undefined if either is."""
        r, s = self.recall().value, self.specificity().value
        value = None if r is None or s is None else compute(r, s)
        return FormulaWorking(name, formula, (Term("r", r, "recall"), Term("s", s, "specificity")), value, source)

    def likelihood_ratio(self) -> FormulaWorking:
        """Positive likelihood ratio TPR / FPR; undefined without false positives."""
        recall, alarms = self.recall().value, self.false_positive_rate().value
        rates = Term("TPR", recall, "recall"), Term("FPR", alarms, "false positive rate")
        return quotient("Likelihood ratio, positive", *rates)

    def negative_likelihood_ratio(self) -> FormulaWorking:
        """Negative likelihood ratio FNR / TNR."""
        misses, specificity = self.miss_rate().value, self.specificity().value
        rates = Term("FNR", misses, "miss rate"), Term("TNR", specificity, "specificity")
        return quotient("Likelihood ratio, negative", *rates)

    def weighted_accuracy(self, w1: float, w2: float, w3: float, w4: float) -> FormulaWorking:
        """(w1 TP + w4 TN) / (w1 TP + w2 FP + w3 FN + w4 TN), of which recall, precision, F and accuracy are cases."""
        value = ratio(w1 * self.tp + w4 * self.tn, w1 * self.tp + w2 * self.fp + w3 * self.fn + w4 * self.tn)
        formula = "({w1}·{TP} + {w4}·{TN}) / ({w1}·{TP} + {w2}·{FP} + {w3}·{FN} + {w4}·{TN})"
        weights = tuple(Term(f"w{i}", w) for i, w in enumerate((w1, w2, w3, w4), start=1))
        return FormulaWorking("Weighted accuracy", formula, (*weights, *self.terms("TP", "FN", "FP", "TN")), value)


@dataclass(frozen=True, eq=False)
class Matrices:
    """Confusion matrices (p, k, k), row true, column predicted, for class ``code`` against the rest."""

    cells: FloatArray
    code: int

    @cached_property
    def tp(self) -> FloatArray:
        hits: FloatArray = self.cells[:, self.code, self.code]
        return hits

    @cached_property
    def fn(self) -> FloatArray:
        missed: FloatArray = self.cells[:, self.code, self._others].sum(axis=1)
        return missed

    @cached_property
    def fp(self) -> FloatArray:
        alarms: FloatArray = self.cells[:, self._others, self.code].sum(axis=1)
        return alarms

    @cached_property
    def tn(self) -> FloatArray:
        cleared: FloatArray = self.cells[:, self._others][:, :, self._others].sum(axis=(1, 2))
        return cleared

    @property
    def _others(self) -> NDArray[np.bool_]:
        """Mask of all classes but ``code`` (k,)."""
        others: NDArray[np.bool_] = np.arange(self.cells.shape[1]) != self.code
        return others

    @cached_property
    def total(self) -> FloatArray:
        weights: FloatArray = self.cells.sum(axis=(1, 2))
        return weights

    @cached_property
    def right(self) -> FloatArray:
        diagonal: FloatArray = np.trace(self.cells, axis1=1, axis2=2)
        return diagonal

    @cached_property
    def recall(self) -> FloatArray:
        return ratios(self.tp, self.tp + self.fn)

    @cached_property
    def precision(self) -> FloatArray:
        return ratios(self.tp, self.tp + self.fp)

    @cached_property
    def specificity(self) -> FloatArray:
        return ratios(self.tn, self.tn + self.fp)

    def f_measure(self, beta: float) -> FloatArray:
        """(b^2 + 1) TP / ((b^2 + 1) TP + b^2 FN + FP)."""
        b = beta * beta
        return ratios((b + 1) * self.tp, (b + 1) * self.tp + b * self.fn + self.fp)

    @cached_property
    def products(self) -> FloatArray:
        """Sum over classes of row total times column total (p,)."""
        sums: FloatArray = (self.cells.sum(axis=2) * self.cells.sum(axis=1)).sum(axis=1)
        return sums


def ratios(above: FloatArray, below: FloatArray) -> FloatArray:
    """The quotients, NaN if the denominator is 0."""
    shares: FloatArray = np.divide(above, below, out=np.full(len(above), np.nan), where=below != 0)
    return shares


HEAD = -1
"""The number of the row of column names, and of the column of row names."""


def cell_sentence(classes: Sequence[str], counts: FloatArray, row: int, column: int) -> str:
    """One cell in words: "18 of 241 records of class “malignant” were predicted “benign” (7.5%)."."""
    n, total = float(counts[row, column]), float(counts[row].sum())
    share = f" ({percent(n / total, float(counts.sum()))})" if total else ""
    were = "was" if n == 1 else "were"
    return f"{amount(n)} of {of_class(total, classes[row])} {were} predicted {quoted(classes[column])}{share}."


def covered(k: int, row: int, column: int) -> Mask:
    """The cells (k, k) of a cell, or of a whole row (column :data:`HEAD`) or column (row :data:`HEAD`)."""
    cells = np.zeros((k, k), dtype=np.bool_)
    cells[slice(None) if row == HEAD else row, slice(None) if column == HEAD else column] = True
    return cells


def place_sentence(
    classes: Sequence[str], counts: FloatArray, row: int, column: int, selected: FloatArray | None = None
) -> str:
    """A cell, a whole row (column :data:`HEAD`) or a whole column (row :data:`HEAD`) in words.

    ``selected`` (k, k) are the selected ones of ``counts``, which the last sentence tells.
    """
    if selected is not None:
        part = covered(len(classes), row, column)
        sentence = place_sentence(classes, counts, row, column)
        return sentence + selected_words(float(counts[part].sum()), float(selected[part].sum()))
    if row != HEAD and column != HEAD:
        return cell_sentence(classes, counts, row, column)
    if column == HEAD:
        n, right = float(counts[row].sum()), float(counts[row, row])
        recall = f" (recall {percent(right / n, float(counts.sum()))})" if n else ""
        return f"{of_class(n, classes[row])}, {amount(right)} predicted correctly{recall}."
    n, right = float(counts[:, column].sum()), float(counts[column, column])
    records = "record" if n == 1 else "records"
    precision = f" (precision {percent(right / n, float(counts.sum()))})" if n else ""
    return f"{amount(n)} {records} predicted {quoted(classes[column])}, {amount(right)} correctly{precision}."


def selected_words(n: float, n_selected: float) -> str:
    """The selected part of some records, as a sentence to append."""
    if not n:
        return ""
    if n == 1:
        return f" It is {'' if n_selected else 'not '}selected."
    some = "All" if n_selected == n else amount(n_selected) if n_selected else "None"
    return f" {some} of them {'is' if n_selected == 1 else 'are'} selected."


def as_rows(classes: Sequence[str], counts: FloatArray) -> list[list[str]]:
    """The matrix with labels and totals as rows of text; numbers have no separators."""
    head = ["", *(f"predicted {name}" for name in classes), TOTAL]
    names = [*(f"actual {name}" for name in classes), TOTAL]
    return [
        head,
        *([n, *(f"{c:.12g}" for c in row)] for n, row in zip(names, with_totals(counts).tolist(), strict=True)),
    ]


TOTAL: Final = "total"


def with_totals(counts: FloatArray) -> FloatArray:
    """The counts (k, k) with the totals of rows and columns at their ends (k + 1, k + 1)."""
    rows = np.column_stack([counts, counts.sum(axis=1)])
    return np.vstack([rows, rows.sum(axis=0)])


@dataclass(frozen=True)
class Confusion:
    """Records of one class that were predicted as another, with their shares of the class and of all errors."""

    actual: int
    predicted: int
    n: float
    of_class: float
    of_errors: float


def largest_confusions(counts: FloatArray, most: int) -> list[Confusion]:
    """The cells off the diagonal of the counts (k, k) with records, the largest first, of equal ones the first."""
    wrong = np.array(counts, dtype=np.float64)
    np.fill_diagonal(wrong, 0.0)
    totals, errors = counts.sum(axis=1), float(wrong.sum())
    order = np.argsort(-wrong, axis=None, kind="stable")[:most]
    cells = zip(*(places.tolist() for places in np.unravel_index(order, wrong.shape)), strict=True)
    return [Confusion(i, j, n, n / float(totals[i]), n / errors) for i, j in cells if (n := float(wrong[i, j])) > 0]


def as_text(classes: Sequence[str], counts: FloatArray) -> str:
    return "\n".join("\t".join(row) for row in as_rows(classes, counts))


def margin_words(counts: FloatArray) -> tuple[list[str], list[str], list[str]]:
    """Total and recall of each row of the counts (k, k), and the precision of each column."""
    n, right, rows, columns = float(counts.sum()), np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)

    def shares(totals: FloatArray) -> list[str]:
        return [percent(r / t if t else None, n) for r, t in zip(right.tolist(), totals.tolist(), strict=True)]

    return [amount(total) for total in rows.tolist()], shares(rows), shares(columns)
