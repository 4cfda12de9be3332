"""Formulas of the measures with this result's values, and averages over classes.

A score whose denominator is 0 is undefined: its value is None. Every formula leads to its value when the terms are put
in: +, −, ·, /, ², √ and brackets mean what they say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, cast

import numpy as np

from algorithms.core.scores import FormulaWorking, Term, normal_quantile, ratio
from algorithms.data.columns import FloatArray

KISH: Final = "effective number of records, (Σ w)² / Σ w² (Kish 1965)"


@dataclass(frozen=True)
class BinaryCounts:
    """One class against the rest: weights of the records found, missed, wrongly taken for it and rightly not."""

    tp: float
    fn: float
    fp: float
    tn: float
    label: str = field(default="", compare=False)
    """What the class is called, where the workings are to name it."""

    @classmethod
    def of(cls, matrix: FloatArray, code: int, label: str = "") -> BinaryCounts:
        """The counts of class ``code`` in a confusion matrix (k, k), row true, column decided.

        Each is a sum of its own cells: a difference of sums of weights may round to a little below 0.
        """
        others = np.arange(len(matrix)) != code
        tp, fn, fp = matrix[code, code], matrix[code, others].sum(), matrix[others, code].sum()
        return cls(float(tp), float(fn), float(fp), float(matrix[others][:, others].sum()), label)

    @classmethod
    def of_all(cls, matrix: FloatArray, labels: Sequence[str]) -> list[BinaryCounts]:
        """:meth:`of` for every class of a confusion matrix (k, k), in k^2 steps altogether."""
        before, after = np.zeros_like(matrix, dtype=np.float64), np.zeros_like(matrix, dtype=np.float64)
        before[:, 1:] = np.cumsum(matrix[:, :-1], axis=1)
        after[:, :-1] = np.cumsum(matrix[:, :0:-1], axis=1)[:, ::-1]
        without = before + after  # of each row without the cell in each column
        missed = np.diag(without).copy()
        np.fill_diagonal(without, 0.0)
        wrong = np.array(matrix, dtype=np.float64)
        np.fill_diagonal(wrong, 0.0)
        rows = np.stack([np.diag(matrix), missed, wrong.sum(axis=0), without.sum(axis=0)], axis=1).tolist()
        return [cls(tp, fn, fp, tn, label) for (tp, fn, fp, tn), label in zip(rows, labels, strict=True)]

    def _terms(self, *symbols: str) -> tuple[Term, ...]:
        this, it = (f"class {self.label}", self.label) if self.label else ("the class", "it")
        known = {
            "TP": (self.tp, f"of {this} and found"),
            "FN": (self.fn, f"of {this} and missed"),
            "FP": (self.fp, f"of another class and taken for {it}"),
            "TN": (self.tn, f"of another class and not taken for {it}"),
        }
        return tuple(Term(symbol, *known[symbol]) for symbol in symbols)

    def recall(self) -> FormulaWorking:
        """The share of the class that is found (true positive rate)."""
        value = ratio(self.tp, self.tp + self.fn)
        return FormulaWorking("Recall", "{TP} / ({TP} + {FN})", self._terms("TP", "FN"), value)

    def precision(self) -> FormulaWorking:
        """The share of right ones among the records taken for the class."""
        value = ratio(self.tp, self.tp + self.fp)
        return FormulaWorking("Precision", "{TP} / ({TP} + {FP})", self._terms("TP", "FP"), value)

    def false_positive_rate(self) -> FormulaWorking:
        """The share of the other classes that is taken for this one."""
        value = ratio(self.fp, self.fp + self.tn)
        return FormulaWorking("False positive rate", "{FP} / ({FP} + {TN})", self._terms("FP", "TN"), value)

    def specificity(self) -> FormulaWorking:
        """The share of the other classes that is not taken for this one (true negative rate)."""
        value = ratio(self.tn, self.tn + self.fp)
        return FormulaWorking("Specificity", "{TN} / ({TN} + {FP})", self._terms("TN", "FP"), value)

    def g_mean(self) -> FormulaWorking:
        """Geometric mean of recall and specificity (Kubat and Matwin 1997)."""
        recall, specificity = self.recall().value, self.specificity().value
        value = None if recall is None or specificity is None else math.sqrt(recall * specificity)
        terms = (Term("r", recall, "recall"), Term("s", specificity, "specificity"))
        return FormulaWorking("G-mean", "√({r} · {s})", terms, value, source="Kubat and Matwin 1997")

    def balanced_accuracy(self) -> FormulaWorking:
        """Mean of recall and specificity."""
        recall, specificity = self.recall().value, self.specificity().value
        value = None if recall is None or specificity is None else (recall + specificity) / 2
        terms = (Term("r", recall, "recall"), Term("s", specificity, "specificity"))
        return FormulaWorking("Balanced accuracy", "({r} + {s}) / 2", terms, value)

    def f_measure(self, beta: float = 1.0) -> FormulaWorking:
        """The weighted harmonic mean of recall and precision, in counts: (b^2 + 1) TP / ((b^2 + 1) TP + b^2 FN + FP).

        So it is 0, not undefined, where records of the class are tested and none is taken for it.
        """
        b = beta * beta
        value = ratio((b + 1) * self.tp, (b + 1) * self.tp + b * self.fn + self.fp)
        terms = self._terms("TP", "FN", "FP")
        if beta == 1:
            return FormulaWorking("F", "2 · {TP} / (2 · {TP} + {FN} + {FP})", terms, value)
        formula = "({b}² + 1) · {TP} / (({b}² + 1) · {TP} + {b}² · {FN} + {FP})"
        return FormulaWorking(
            f"F{beta:g}", formula, (Term("b", beta, "how much recall outweighs precision"), *terms), value
        )

    def negative_predictive_value(self) -> FormulaWorking:
        """The share of right ones among the records not taken for the class."""
        value = ratio(self.tn, self.tn + self.fn)
        return FormulaWorking("Negative predictive value", "{TN} / ({TN} + {FN})", self._terms("TN", "FN"), value)

    def miss_rate(self) -> FormulaWorking:
        """The share of the class that is missed (false negative rate)."""
        value = ratio(self.fn, self.tp + self.fn)
        return FormulaWorking("Miss rate", "{FN} / ({TP} + {FN})", self._terms("FN", "TP"), value)

    def jaccard(self) -> FormulaWorking:
        """The records found as a share of those that are of the class or taken for it (Jaccard 1901)."""
        value = ratio(self.tp, self.tp + self.fp + self.fn)
        formula = "{TP} / ({TP} + {FP} + {FN})"
        return FormulaWorking("Jaccard", formula, self._terms("TP", "FP", "FN"), value, source="Jaccard 1901")

    def informedness(self) -> FormulaWorking:
        """Recall and specificity beyond chance, Youden's J."""
        recall, specificity = self.recall().value, self.specificity().value
        value = None if recall is None or specificity is None else recall + specificity - 1
        terms = (Term("r", recall, "recall"), Term("s", specificity, "specificity"))
        return FormulaWorking("Informedness", "{r} + {s} − 1", terms, value, source="Youden 1950")

    def likelihood_ratio(self) -> FormulaWorking:
        """How many times as often a record of the class is taken for it as another one; undefined without alarms."""
        recall, alarms = self.recall().value, self.false_positive_rate().value
        value = None if recall is None or alarms is None else ratio(recall, alarms)
        terms = (Term("TPR", recall, "recall"), Term("FPR", alarms, "false positive rate"))
        return FormulaWorking("Likelihood ratio, positive", "{TPR} / {FPR}", terms, value)

    def negative_likelihood_ratio(self) -> FormulaWorking:
        """How many times as often a record of the class is not taken for it as another one."""
        misses, specificity = self.miss_rate().value, self.specificity().value
        value = None if misses is None or specificity is None else ratio(misses, specificity)
        terms = (Term("FNR", misses, "miss rate"), Term("TNR", specificity, "specificity"))
        return FormulaWorking("Likelihood ratio, negative", "{FNR} / {TNR}", terms, value)

    def matthews(self) -> FormulaWorking:
        """Matthews' correlation of being of the class with being taken for it."""
        tp, fn, fp, tn = self.tp, self.fn, self.fp, self.tn
        value = ratio(tp * tn - fp * fn, math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
        formula = "({TP}·{TN} − {FP}·{FN}) / √(({TP} + {FP})·({TP} + {FN})·({TN} + {FP})·({TN} + {FN}))"
        return FormulaWorking("MCC", formula, self._terms("TP", "TN", "FP", "FN"), value, source="Matthews 1975")

    def kappa(self) -> FormulaWorking:
        """Cohen's kappa of the class against the rest."""
        return kappa(np.array([[self.tp, self.fn], [self.fp, self.tn]]))

    def weighted_accuracy(self, w1: float, w2: float, w3: float, w4: float) -> FormulaWorking:
        """(w1 TP + w4 TN) / (w1 TP + w2 FP + w3 FN + w4 TN): recall, precision, F and accuracy are cases of it."""
        value = ratio(w1 * self.tp + w4 * self.tn, w1 * self.tp + w2 * self.fp + w3 * self.fn + w4 * self.tn)
        formula = "({w1}·{TP} + {w4}·{TN}) / ({w1}·{TP} + {w2}·{FP} + {w3}·{FN} + {w4}·{TN})"
        weights = tuple(Term(f"w{i}", w) for i, w in enumerate((w1, w2, w3, w4), start=1))
        return FormulaWorking("Weighted accuracy", formula, (*weights, *self._terms("TP", "FN", "FP", "TN")), value)


def accuracy(matrix: FloatArray) -> FormulaWorking:
    """The share of the weight on the diagonal of a confusion matrix."""
    right, total = float(np.trace(matrix)), float(matrix.sum())
    terms = (Term("right", right, "records decided rightly"), Term("tested", total, "records tested"))
    return FormulaWorking("Accuracy", "{right} / {tested}", terms, ratio(right, total))


def error_rate(matrix: FloatArray) -> FormulaWorking:
    """The share of the weight off the diagonal of a confusion matrix."""
    wrong, total = float(matrix[~np.eye(len(matrix), dtype=np.bool_)].sum()), float(matrix.sum())
    terms = (Term("wrong", wrong, "records decided wrongly"), Term("tested", total, "records tested"))
    return FormulaWorking("Error rate", "{wrong} / {tested}", terms, ratio(wrong, total))


def in_two_guesses(right: float, matrix: FloatArray) -> FormulaWorking:
    """The share of records whose class was one of the two most probable (top-2 accuracy)."""
    total = float(matrix.sum())
    terms = (
        Term("in two", right, "records whose class was one of the two most probable"),
        Term("tested", total, "records tested"),
    )
    return FormulaWorking("Right in two guesses", "{in two} / {tested}", terms, ratio(right, total))


def what_is_missing(accuracy: float) -> FormulaWorking:
    """The error rate from an accuracy that is an estimate, no share of the tested records."""
    return FormulaWorking("Error rate", "1 − {accuracy}", (Term("accuracy", accuracy, "accuracy"),), 1 - accuracy)


def baseline(matrix: FloatArray, code: int, label: str) -> FormulaWorking:
    """The accuracy of always guessing class ``code``."""
    of_class, total = float(matrix[code].sum()), float(matrix.sum())
    terms = (Term("of the class", of_class, f"records that are {label}"), Term("tested", total, "records tested"))
    return FormulaWorking("Baseline", "{of the class} / {tested}", terms, ratio(of_class, total))


def bootstrap_632(left_out: float, resubstitution: float) -> FormulaWorking:
    """The .632 bootstrap estimate (TSKK Eq. 3.19) from the mean accuracy on left-out records and that on all."""
    terms = (
        Term("a", left_out, "mean accuracy on the records that the samples left out"),
        Term("s", resubstitution, "accuracy on all records of the model trained on them"),
    )
    value = 0.632 * left_out + 0.368 * resubstitution
    return FormulaWorking("Accuracy", "0.632 · {a} + 0.368 · {s}", terms, value, source="TSKK Eq. 3.19")


def matthews(matrix: FloatArray) -> FormulaWorking:
    """Matthews' correlation of truth and decision, for any number of classes; undefined where either is constant.

    Gorodkin 2004, Comparing two K-category assignments by a K-category correlation coefficient.
    """
    n, right = float(matrix.sum()), float(np.trace(matrix))
    true, said = matrix.sum(axis=1), matrix.sum(axis=0)
    both, truths, decisions = float(true @ said), float(true @ true), float(said @ said)
    value = ratio(right * n - both, math.sqrt(max(0.0, (n * n - truths) * (n * n - decisions))))
    terms = (
        Term("right", right, "records decided rightly"),
        Term("N", n, "records tested"),
        Term("t·s", both, "sum over the classes of how many are of it times how many were said to be"),
        Term("t²", truths, "sum over the classes of the squares of how many are of it"),
        Term("s²", decisions, "sum over the classes of the squares of how many were said to be"),
    )
    formula = "({right}·{N} − {t·s}) / √(({N}² − {t²}) · ({N}² − {s²}))"
    return FormulaWorking("MCC", formula, terms, value, source="Matthews 1975, Gorodkin 2004")


def kappa(matrix: FloatArray) -> FormulaWorking:
    """Cohen's kappa: agreement beyond chance; undefined where chance alone agrees fully."""
    agreed, total = accuracy(matrix).value, float(matrix.sum())
    chance = None if not total else float(matrix.sum(axis=0) @ matrix.sum(axis=1)) / total**2
    value = None if agreed is None or chance is None else ratio(agreed - chance, 1 - chance)
    terms = (Term("accuracy", agreed, "share decided rightly"), Term("chance", chance, "share that chance would agree"))
    return FormulaWorking("Kappa", "({accuracy} − {chance}) / (1 − {chance})", terms, value, source="Cohen 1960")


def interval_bounds(
    accuracy: float, n: float, confidence: float = 0.95, *, fewer: bool = False
) -> tuple[FormulaWorking, FormulaWorking]:
    """Lower and upper bound of an accuracy measured on ``n`` records (TSKK Eq. 3.16); 0 and 1 where n is 0.

    ``fewer`` says that n is Kish's effective number of weighted records.
    """
    value = Term("acc", accuracy, "accuracy")
    count = Term("N", n, KISH if fewer else "records tested")
    return _score_bounds(("Lower bound", "Upper bound"), value, count, confidence)


def share_bounds(name: str, value: float, n: float, counted: str) -> tuple[FormulaWorking, FormulaWorking]:
    """Bounds of a measure ``name`` that does not vary, as of a share of ``n`` records (TSKK Eq. 3.16).

    ``counted`` says which records these are.
    """
    names = f"Lower bound of {name}", f"Upper bound of {name}"
    share = Term(name, value, f"taken as a share of the {counted}")
    return _score_bounds(names, share, Term("N", n, counted), 0.95)


def _score_bounds(
    names: tuple[str, str], share: Term, count: Term, confidence: float
) -> tuple[FormulaWorking, FormulaWorking]:
    """Both ends of the score interval of a share of so many records."""
    assert share.value is not None and count.value is not None
    z, n, value = normal_quantile(confidence), count.value, share.value
    middle = 2 * n * value + z * z
    spread = z * math.sqrt(max(0.0, z * z + 4 * n * value - 4 * n * value * value))
    whole = 2 * (n + z * z)
    of = f"bound of the standard normal distribution at {100 * confidence:g}%"
    terms = (count, share, Term("Z", z, of))

    def bound(name: str, sign: str, end: float) -> FormulaWorking:
        x = f"{{{share.symbol}}}"
        root = f"√({{Z}}² + 4·{{N}}·{x} − 4·{{N}}·{x}²)"
        formula = f"(2·{{N}}·{x} + {{Z}}² {sign} {{Z}}·{root}) / (2·({{N}} + {{Z}}²))"
        return FormulaWorking(name, formula, terms, min(1.0, max(0.0, end)), source="TSKK Eq. 3.16")

    return bound(names[0], "−", (middle - spread) / whole), bound(names[1], "+", (middle + spread) / whole)


MOST_CLASSES: Final = 4
"""So many classes stand in the formula one by one; those beyond are summed up in one term."""

Each = tuple[str, float, float | None]
"""A class: its label, the weight of its records, its value."""


def weighted_average(name: str, of: str, classes: Sequence[Each]) -> FormulaWorking:
    """The classes' values weighted by their records; undefined where a class that has records has no value.

    ``of`` says what the values are: "recall".
    """
    present = [each for each in classes if each[1]]
    value = _mean([(n, v) for _, n, v in present])
    terms, parts = [], []
    for at, (label, n, v) in enumerate(present[:MOST_CLASSES], start=1):
        terms += [Term(f"n{_low(at)}", n, f"records that are {label}"), Term(f"v{_low(at)}", v, f"{of} of {label}")]
        parts.append(f"{{n{_low(at)}}}·{{v{_low(at)}}}")
    rest = present[MOST_CLASSES:]
    if rest:
        total = None if any(v is None for *_, v in rest) else sum(n * v for _, n, v in rest if v is not None)
        terms.append(Term("rest", total, f"the same of the other {len(rest)} classes, summed"))
        parts.append("{rest}")
    terms.append(Term("tested", sum(n for _, n, _ in present), "records of these classes"))
    return FormulaWorking(
        f"{name}, average by records", f"({' + '.join(parts) or '0'}) / {{tested}}", tuple(terms), value
    )


def plain_average(name: str, of: str, classes: Sequence[Each]) -> FormulaWorking:
    """The mean of the values of the classes that were tested, each counting the same (macro average)."""
    present = [each for each in classes if each[1]]
    return average_of(name, of, [label for label, *_ in present[:MOST_CLASSES]], [v for *_, v in present])


def average_of(name: str, of: str, labels: Sequence[str], values: Sequence[float | None]) -> FormulaWorking:
    """The mean of values, each counting the same; ``labels`` says of what the first of them are."""
    known = [v for v in values if v is not None] if None in values else cast(Sequence[float], values)
    value = ratio(sum(known), len(known)) if len(known) == len(values) else None
    first = zip(labels, values[:MOST_CLASSES], strict=True)
    terms = [Term(f"v{_low(at)}", v, f"{of} of {label}") for at, (label, v) in enumerate(first, 1)]
    rest = values[MOST_CLASSES:]
    if rest:
        if value is not None:
            total: float | None = sum(known[MOST_CLASSES:])
        else:
            total = None if None in rest else sum(v for v in rest if v is not None)
        terms.append(Term("rest", total, f"the same of the other {len(rest)} classes, summed"))
    sums = " + ".join(f"{{{term.symbol}}}" for term in terms) or "0"
    classes_term = Term("classes", float(len(values)), "classes that were tested")
    return FormulaWorking(f"{name}, average of the classes", f"({sums}) / {{classes}}", (*terms, classes_term), value)


def geometric_average(name: str, of: str, classes: Sequence[Each]) -> FormulaWorking:
    """The geometric mean of the values of the classes that were tested; 0 where one of them is 0."""
    present = [each for each in classes if each[1]]
    known = [v for *_, v in present if v is not None]
    terms = [Term(f"v{_low(at)}", v, f"{of} of {label}") for at, (label, _, v) in enumerate(present[:MOST_CLASSES], 1)]
    rest = known[MOST_CLASSES:]
    if rest:
        terms.append(Term("rest", math.prod(rest), f"the same of the other {len(rest)} classes, multiplied"))
    value = math.prod(known) ** (1 / len(known)) if known and len(known) == len(present) else None
    product = "·".join(f"{{{term.symbol}}}" for term in terms) or "0"
    classes_term = Term("classes", float(len(present)), "classes that were tested")
    return FormulaWorking(f"{name}, of the classes", f"({product})^(1 / {{classes}})", (*terms, classes_term), value)


def _mean(pairs: Sequence[tuple[float, float | None]]) -> float | None:
    defined = [(n, v) for n, v in pairs if v is not None]
    if len(defined) < len(pairs):
        return None
    return ratio(sum(n * v for n, v in defined), sum(n for n, _ in defined))


def _low(number: int) -> str:
    """A number as a subscript."""
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
