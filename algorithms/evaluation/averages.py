"""Averages over the classes with their terms: every class by its records (weighted), or every class alike (macro)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from algorithms.core.scores import Term, Working, ratio

MOST_CLASSES: Final = 4
"""So many classes stand in the formula one by one; those beyond are summed up in one term."""

Each = tuple[str, float, float | None]
"""A class: its label, the weight of its records, its value."""


def weighted_average(name: str, of: str, classes: Sequence[Each]) -> Working:
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
    return Working(f"{name}, average by records", f"({' + '.join(parts) or '0'}) / {{tested}}", tuple(terms), value)


def plain_average(name: str, of: str, classes: Sequence[Each]) -> Working:
    """The mean of the values of the classes that were tested, each counting the same (macro average)."""
    present = [each for each in classes if each[1]]
    return average_of(name, of, [label for label, *_ in present[:MOST_CLASSES]], [v for *_, v in present])


def average_of(name: str, of: str, labels: Sequence[str], values: Sequence[float | None]) -> Working:
    """The mean of values, each counting the same; ``labels`` says of what the first of them are."""
    known = [v for v in values if v is not None]
    value = ratio(sum(known), len(known)) if len(known) == len(values) else None
    first = zip(labels, values[:MOST_CLASSES], strict=True)
    terms = [Term(f"v{_low(at)}", v, f"{of} of {label}") for at, (label, v) in enumerate(first, 1)]
    rest = values[MOST_CLASSES:]
    if rest:
        total = None if value is None and None in rest else sum(v for v in rest if v is not None)
        terms.append(Term("rest", total, f"the same of the other {len(rest)} classes, summed"))
    sums = " + ".join(f"{{{term.symbol}}}" for term in terms) or "0"
    classes_term = Term("classes", float(len(values)), "classes that were tested")
    return Working(f"{name}, average of the classes", f"({sums}) / {{classes}}", (*terms, classes_term), value)


def geometric_average(name: str, of: str, classes: Sequence[Each]) -> Working:
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
    return Working(f"{name}, of the classes", f"({product})^(1 / {{classes}})", (*terms, classes_term), value)


def _mean(pairs: Sequence[tuple[float, float | None]]) -> float | None:
    defined = [(n, v) for n, v in pairs if v is not None]
    if len(defined) < len(pairs):
        return None
    return ratio(sum(n * v for n, v in defined), sum(n for n, _ in defined))


def _low(number: int) -> str:
    """A number as a subscript."""
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
