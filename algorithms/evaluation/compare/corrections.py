"""p-values of several comparisons, corrected for their number: each is the level at which it is significant."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final


def bonferroni(p_values: Sequence[float], of: int | None = None) -> list[float]:
    """Each p-value times their number, 1 at most (Dunn 1961); where they are picked ``of`` more, times that number."""
    return [min(1.0, p * (of or len(p_values))) for p in p_values]


def sidak(p_values: Sequence[float]) -> list[float]:
    """1 - (1 - p)^m: exact where the m comparisons are independent (Sidak 1967)."""
    m = len(p_values)
    return [1.0 if p >= 1 else -math.expm1(m * math.log1p(-p)) for p in p_values]


def holm(p_values: Sequence[float], of: int | None = None) -> list[float]:
    """Step-down: the smallest times their number m, the next times m - 1 and so on, never falling (Holm 1979).

    Where they are picked ``of`` more comparisons, m is the number of those: the others count as if they found nothing.
    """
    m, largest = of or len(p_values), 0.0
    found = [0.0] * len(p_values)
    for step, at in enumerate(_ascending(p_values)):
        largest = max(largest, min(1.0, p_values[at] * (m - step)))
        found[at] = largest
    return found


def hochberg(p_values: Sequence[float]) -> list[float]:
    """Step-up: the largest times 1, the next times 2 and so on, never rising (Hochberg 1988).

    Never stricter than Holm; right where the comparisons are independent or hang together positively.
    """
    smallest = 1.0
    found = [0.0] * len(p_values)
    for step, at in enumerate(reversed(_ascending(p_values))):
        smallest = min(smallest, p_values[at] * (step + 1))
        found[at] = smallest
    return found


def hommel(p_values: Sequence[float]) -> list[float]:
    """Every set of comparisons tested by Simes (Hommel 1988, in the order of steps of Wright 1992).

    Never stricter than Hochberg, under the same conditions.
    """
    n = len(p_values)
    order = _ascending(p_values)
    p = [p_values[at] for at in order]
    if n == 0:
        return []
    corrected = [min(n * each / (i + 1) for i, each in enumerate(p))] * n
    for m in range(n - 1, 1, -1):
        first = n - m + 1
        least = min(m * p[first + i] / (i + 2) for i in range(m - 1))
        steps = [min(m * each, least) for each in p[:first]]
        steps += [steps[-1]] * (m - 1)
        corrected = [max(pair) for pair in zip(corrected, steps, strict=True)]
    found = [0.0] * n
    for at, value, own in zip(order, corrected, p, strict=True):
        found[at] = min(1.0, max(value, own))
    return found


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The share of false ones among those called significant, at the level of each (Benjamini and Hochberg 1995)."""
    m, smallest = len(p_values), 1.0
    found = [0.0] * m
    for step, at in enumerate(reversed(_ascending(p_values))):
        smallest = min(smallest, p_values[at] * m / (m - step))
        found[at] = smallest
    return found


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=lambda at: p_values[at])


@dataclass(frozen=True)
class Correction:
    """A way to correct; ``sentence`` says what is kept below the level."""

    id: str
    name: str
    corrected: Callable[[Sequence[float]], list[float]]
    sentence: str
    source: str


_ANY: Final = "how often even one of all these differences is called real where it is chance"
CORRECTIONS: Final = {
    each.id: each
    for each in (
        Correction("holm", "Holm", holm, f"Keeps small {_ANY}; always right.", "Holm 1979"),
        Correction("hochberg", "Hochberg", hochberg, f"Keeps small {_ANY}; finds a little more.", "Hochberg 1988"),
        Correction("hommel", "Hommel", hommel, f"Keeps small {_ANY}; finds the most of the three.", "Hommel 1988"),
        Correction("bonferroni", "Bonferroni", bonferroni, f"Keeps small {_ANY}; the strictest.", "Dunn 1961"),
        Correction("sidak", "Šidák", sidak, f"Keeps small {_ANY}; for independent comparisons.", "Šidák 1967"),
        Correction(
            "benjamini-hochberg",
            "Benjamini-Hochberg",
            benjamini_hochberg,
            "Keeps small the share of chance among the differences that are called real.",
            "Benjamini and Hochberg 1995",
        ),
    )
}
