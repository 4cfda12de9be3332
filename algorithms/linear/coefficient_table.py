"""The coefficients of a logistic regression with their tests: as values for --json and as lines of text."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from algorithms.core.hyperplanes import Hyperplanes
from algorithms.linear.effects import attribute_tests, effects, no_p_words


def coefficients_to_json(planes: Hyperplanes) -> dict[str, Any]:
    """``coefficients``: a row for each term of each class against the most frequent one, in the attributes' own units;
    ``likelihood_ratio``: a row for each attribute that was tested; ``no_p``: why coefficients have no p, or None.

    What is not defined is None.
    """
    classes, rows = planes.schema.classes, []
    for code, other in class_pairs(planes):
        for each in effects(planes, code, other, by_deviation=False):
            rows.append({
                "class": classes[code],
                "against": classes[other],
                "term": each.name,
                "compared_with": each.usual or None,
                "coefficient": each.log_odds,
                "standard_error": _or_none(each.error),
                "z": _or_none(each.z),
                "p": _or_none(each.p),
                "p_by": each.p_by or None,
                "low": _or_none(each.low),
                "high": _or_none(each.high),
                "odds_ratio": each.ratio,
            })  # fmt: skip
    tests = [
        {"attribute": each.name, "statistic": each.statistic, "degrees_of_freedom": each.freedom, "p": each.p}
        for each in attribute_tests(planes)
    ]
    return {"coefficients": rows, "likelihood_ratio": tests, "no_p": no_p_words(planes) or None}


def coefficients_to_text(planes: Hyperplanes) -> str:
    """The same as a table of text for each class against the most frequent one."""
    classes, parts = planes.schema.classes, []
    for code, other in class_pairs(planes):
        rows: list[tuple[str, ...]] = [("Term", "coefficient", "std. error", "z", "p", "95% CI", "odds ratio")]
        found = effects(planes, code, other, by_deviation=False)
        for each in found:
            name = f"{each.name} (rather than {each.usual})" if each.usual else each.name
            ends = f"{each.low:.4g} to {each.high:.4g}" if each.has_interval else ""
            figures = f"{each.log_odds:.4g}", _figure(each.error), _figure(each.z), p_text(each.p)
            rows.append((name, *figures, ends, f"{each.ratio:.4g}"))
        by = " and ".join(sorted({each.p_by for each in found} - {""}))
        title = f"Log odds of {classes[code]} rather than {classes[other]}" + (f"; p by {by}" if by else "")
        parts.append(f"{title}\n{_aligned(rows)}")
    tests = attribute_tests(planes)
    if tests:
        rows_of_tests: list[tuple[str, ...]] = [("Attribute", "chi-square", "df", "p")]
        rows_of_tests += [(each.name, f"{each.statistic:.4g}", f"{each.freedom}", p_text(each.p)) for each in tests]
        parts.append(f"Likelihood-ratio tests\n{_aligned(rows_of_tests)}")
    said = no_p_words(planes)
    return "\n\n".join([*parts, said] if said else parts)


def class_pairs(planes: Hyperplanes) -> list[tuple[int, int]]:
    """Each class that training records have against the most frequent one, of two the second against the first."""
    active = np.flatnonzero(planes.class_weight > 0).tolist()
    if len(active) == 2:
        return [(active[1], active[0])]
    most = int(np.argmax(planes.class_weight))
    return [(code, most) for code in active if code != most]


def p_text(p: float) -> str:
    """ "0.013", "<0.001", and nothing where it is not defined."""
    return "" if not isfinite(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def _figure(value: float) -> str:
    return f"{value:.4g}" if isfinite(value) else ""


def _or_none(value: float) -> float | None:
    return value if isfinite(value) else None


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(row[at].rjust(widths[at]) for at in range(1, len(row)))]).rstrip()
        for row in rows
    ]
    return "\n".join(lines)
