"""Worked formulas of the measures with the values of a result, and averages over classes.

A value with denominator 0 is undefined: None. Every formula evaluates to its value with +, −, ·, /, ², √ and brackets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, cast

import numpy as np

from algorithms.core.scores import FormulaWorking, Term, quotient, ratio
from algorithms.data.columns import FloatArray


def tested(matrix: FloatArray) -> Term:
    """The weight of the tested records of a confusion matrix."""
    return Term("tested", float(matrix.sum()), "records tested")


def accuracy(matrix: FloatArray) -> FormulaWorking:
    """Share of the weight on the diagonal of a confusion matrix."""
    return quotient("Accuracy", Term("right", float(np.trace(matrix)), "records predicted correctly"), tested(matrix))


def error_rate(matrix: FloatArray) -> FormulaWorking:
    """Share of the weight off the diagonal of a confusion matrix."""
    wrong = float(matrix[~np.eye(len(matrix), dtype=np.bool_)].sum())
    return quotient("Error rate", Term("wrong", wrong, "records predicted wrongly"), tested(matrix))


def in_two_guesses(right: float | None, matrix: FloatArray) -> FormulaWorking | None:
    """Top-2 accuracy: share of records whose class was among the two most probable; None without a count."""
    if right is None:
        return None
    in_two = Term("top 2", right, "records whose class was one of the two most probable")
    return quotient("Top-2 accuracy", in_two, tested(matrix))


def one_minus_accuracy(accuracy: float) -> FormulaWorking:
    """Error rate of an accuracy that is an estimate, not a proportion of the tested records."""
    return FormulaWorking("Error rate", "1 − {accuracy}", (Term("accuracy", accuracy, "accuracy"),), 1 - accuracy)


def baseline(matrix: FloatArray, code: int, label: str) -> FormulaWorking:
    """Accuracy of always predicting class ``code``."""
    of_class = Term("of the class", float(matrix[code].sum()), f"records that are {label}")
    return quotient("Baseline", of_class, tested(matrix))


def bootstrap_632(left_out: float, resubstitution: float) -> FormulaWorking:
    """The .632 estimate (TSKK Eq. 3.19) from the mean accuracy on left-out records and that on all."""
    terms = (
        Term("a", left_out, "mean accuracy on the left-out records"),
        Term("s", resubstitution, "training accuracy on all records"),
    )
    value = 0.632 * left_out + 0.368 * resubstitution
    return FormulaWorking("Accuracy", "0.632 · {a} + 0.368 · {s}", terms, value, source="TSKK Eq. 3.19")


_SUBSCRIPTS: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MOST_CLASSES: Final = 4
"""Largest number of classes listed in a formula; the others form one term."""

ClassValue = tuple[str, float, float | None]
"""A class: its label, the weight of its records, its value."""


def weighted_average(name: str, of: str, classes: Sequence[ClassValue]) -> FormulaWorking:
    """Mean of the class values (``of`` names them) by records; undefined if a tested class has none."""
    present = [(label, n, value) for label, n, value in classes if n]
    defined = [(n, v) for _, n, v in present if v is not None]
    whole = len(defined) == len(present)
    value = ratio(sum(n * v for n, v in defined), sum(n for n, _ in defined)) if whole else None
    terms, parts = [], []
    for number, (label, n, v) in enumerate(present[:MOST_CLASSES], start=1):
        terms += [
            Term(f"n{_subscript(number)}", n, f"records that are {label}"),
            Term(f"v{_subscript(number)}", v, f"{of} of {label}"),
        ]
        parts.append(f"{{n{_subscript(number)}}}·{{v{_subscript(number)}}}")
    rest = present[MOST_CLASSES:]
    if rest:
        total = None if any(v is None for *_, v in rest) else sum(n * v for _, n, v in rest if v is not None)
        terms.append(Term("rest", total, f"the same of the other {len(rest)} classes, summed"))
        parts.append("{rest}")
    terms.append(Term("tested", sum(n for _, n, _ in present), "records of these classes"))
    return FormulaWorking(
        f"{name}, average by records", f"({' + '.join(parts) or '0'}) / {{tested}}", tuple(terms), value
    )


def plain_average(name: str, of: str, classes: Sequence[ClassValue]) -> FormulaWorking:
    """Macro average: unweighted mean of the values of the tested classes."""
    present = [(label, n, value) for label, n, value in classes if n]
    return average_of(name, of, [label for label, *_ in present[:MOST_CLASSES]], [v for *_, v in present])


def average_of(name: str, of: str, labels: Sequence[str], values: Sequence[float | None]) -> FormulaWorking:
    """Unweighted mean of values; ``labels`` name the first of them."""
    defined = [v for v in values if v is not None] if None in values else cast(Sequence[float], values)
    value = ratio(sum(defined), len(defined)) if len(defined) == len(values) else None
    first = zip(labels, values[:MOST_CLASSES], strict=True)
    terms = [Term(f"v{_subscript(number)}", v, f"{of} of {label}") for number, (label, v) in enumerate(first, 1)]
    rest = values[MOST_CLASSES:]
    if rest:
        if value is not None:
            total: float | None = sum(defined[MOST_CLASSES:])
        else:
            total = None if None in rest else sum(v for v in rest if v is not None)
        terms.append(Term("rest", total, f"the same of the other {len(rest)} classes, summed"))
    sums = " + ".join(f"{{{term.symbol}}}" for term in terms) or "0"
    classes_term = Term("classes", float(len(values)), "classes that were tested")
    return FormulaWorking(f"{name}, average of the classes", f"({sums}) / {{classes}}", (*terms, classes_term), value)


def geometric_average(name: str, of: str, classes: Sequence[ClassValue]) -> FormulaWorking:
    """Geometric mean of the values of the tested classes; 0 if one of them is 0."""
    present = [(label, n, value) for label, n, value in classes if n]
    defined = [v for *_, v in present if v is not None]
    terms = [
        Term(f"v{_subscript(number)}", v, f"{of} of {label}")
        for number, (label, _, v) in enumerate(present[:MOST_CLASSES], 1)
    ]
    rest = defined[MOST_CLASSES:]
    if rest:
        terms.append(Term("rest", math.prod(rest), f"the same of the other {len(rest)} classes, multiplied"))
    value = math.prod(defined) ** (1 / len(defined)) if defined and len(defined) == len(present) else None
    product = "·".join(f"{{{term.symbol}}}" for term in terms) or "0"
    classes_term = Term("classes", float(len(present)), "classes that were tested")
    return FormulaWorking(f"{name}, of the classes", f"({product})^(1 / {{classes}})", (*terms, classes_term), value)


def _subscript(number: int) -> str:
    """A number in subscript digits."""
    return str(number).translate(_SUBSCRIPTS)
