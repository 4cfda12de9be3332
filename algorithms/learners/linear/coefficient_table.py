"""The coefficients of a logistic regression with odds ratios, intervals and tests."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import erfc, isfinite, sqrt
from typing import Any, Final

import numpy as np

from algorithms.structures.design_terms import IS_NUMBER
from algorithms.structures.hyperplanes import Hyperplanes
from algorithms.text.numbers import p_text, significant

WALD: Final = "Wald's test"
PROFILE: Final = "penalized likelihood"
SURE: Final = 1.959963984540054
"""Normal quantile of a 95% interval, in standard errors."""
INTERCEPT: Final = -1
_MOST: Final = 700.0


class EffectOrder(StrEnum):
    """Orders of a table of effects."""

    STRONGEST = "the strongest first"
    MOST_SIGNIFICANT = "the most significant first"
    NAME = "by name"
    TABLE = "as in the table"


@dataclass(frozen=True)
class TermEffect:
    """Effect of one term on the log odds of a class against another.

    ``place`` indexes the term; :data:`INTERCEPT` is the constant. ``log_odds`` is the change for ``step`` units: 1 or
    one standard deviation. ``low`` and ``high`` bound the 95% interval, NaN if there is none. ``runs_away`` marks a
    diverging coefficient. ``error`` is the standard error and ``p`` the p value by the test ``p_by``; NaN and "" if
    undefined, as under ridge and lasso.
    """

    place: int
    name: str
    usual: str
    step: float
    log_odds: float
    low: float
    high: float
    runs_away: bool
    error: float = np.nan
    p: float = np.nan
    p_by: str = ""

    @property
    def z(self) -> float:
        """Wald's statistic, NaN without a p value."""
        return self.log_odds / self.error if self.p_by and self.error > 0 else np.nan

    @property
    def ratio(self) -> float:
        """Odds ratio."""
        return float(np.exp(np.clip(self.log_odds, -_MOST, _MOST)))

    @property
    def has_interval(self) -> bool:
        return bool(np.isfinite(self.low))

    @property
    def is_sure(self) -> bool:
        """Whether the interval excludes zero."""
        return self.has_interval and (self.low > 0 or self.high < 0)

    @property
    def sureness(self) -> float:
        """Absolute effect in standard errors; 0 without an interval."""
        error = (self.high - self.low) / (2 * SURE)
        return abs(self.log_odds) / error if self.has_interval and error > 0 else 0.0


def effects(planes: Hyperplanes, code: int, other: int, *, by_deviation: bool = True) -> list[TermEffect]:
    """Effects of all terms, constant last, on a class against another; a number's step is one deviation, else 1."""
    odds, errors, terms = planes.log_odds(code, other), planes.standard_errors(code, other), planes.terms
    rows = []
    has_p, n = planes.has_p and code != other, float(planes.class_weight.sum())
    sample = sqrt(n / (n - 1)) if n > 1 else 1.0  # the unit divides by n, what a person reads by n - 1

    def effect(name: str, usual: str, place: int, step: float) -> TermEffect:
        middle, error = float(odds[place]) * step, float(errors[place]) * step
        low, high, p, by = middle - SURE * error, middle + SURE * error, np.nan, ""
        if has_p and error > 0:
            p, by = erfc(abs(middle / error) / sqrt(2)), WALD
        profile = _profile(planes, place, code, other)
        if profile is not None:
            p, low, high, by = profile[0], profile[1] * step, profile[2] * step, PROFILE
        away = place >= 0 and bool(planes.runs_away[place])
        return TermEffect(place, name, usual, step, middle, low, high, away, error, p, by)

    for place in range(planes.n_terms):
        is_deviation = by_deviation and int(terms.value[place]) == IS_NUMBER
        step = sample * float(terms.unit[place]) if is_deviation else 1.0
        rows.append(effect(terms.name(place), terms.compared_with(place), place, step))
    rows.append(effect("Intercept", "", INTERCEPT, 1.0))
    return rows


def _profile(planes: Hyperplanes, place: int, code: int, other: int) -> tuple[float, float, float] | None:
    """p value and interval of a coefficient from Firth's profile likelihood; None if not computed."""
    if not len(planes.profile) or place == INTERCEPT or not np.isfinite(planes.profile[place, 0]):
        return None
    active = np.flatnonzero(planes.class_weight > 0).tolist()
    p, low, high = planes.profile[place].tolist()
    if [other, code] == active:
        return p, low, high
    return (p, -high, -low) if [code, other] == active else None


@dataclass(frozen=True)
class AttributeTest:
    """Likelihood-ratio test of all terms of an attribute."""

    index: int
    name: str
    statistic: float
    freedom: int

    @property
    def p(self) -> float:
        from scipy.special import chdtrc  # late: a list of learners needs none of it

        return float(chdtrc(self.freedom, self.statistic))


def attribute_tests(planes: Hyperplanes) -> list[AttributeTest]:
    """Computed tests of attributes, in column order."""
    attributes = planes.schema.attributes
    return [
        AttributeTest(int(index), attributes[int(index)].name, statistic, int(freedom))
        for index, statistic, freedom in planes.tested.tolist()
    ]


def no_p_words(planes: Hyperplanes) -> str:
    """Sentence that says why coefficients have no p value; empty if they have, or if the model has no tests."""
    if planes.kind != "logistic" or planes.has_p or not planes.n_terms:
        return ""
    if planes.penalty in ("ridge", "lasso"):
        return f"Under a {planes.penalty} penalty p is not defined: choose no penalty, or Firth's."
    if planes.is_separated:
        remedy = "Choose Firth's penalty." if len(planes.schema.classes) == 2 else "Choose a ridge penalty."
        return f"The classes separate without error, so coefficients have no standard error and no p. {remedy}"
    return "The coefficients have no standard errors and no p: there are too many, or the run was finished early."


def ordered(effects: list[TermEffect], order: EffectOrder) -> list[TermEffect]:
    """Sorted effects; the constant stays last."""
    terms = [effect for effect in effects if effect.place != INTERCEPT]
    rest = [effect for effect in effects if effect.place == INTERCEPT]
    if order is EffectOrder.STRONGEST:
        terms.sort(key=lambda effect: -abs(effect.log_odds))
    elif order is EffectOrder.MOST_SIGNIFICANT:
        terms.sort(key=lambda effect: (-effect.sureness, -abs(effect.log_odds)))
    elif order is EffectOrder.NAME:
        terms.sort(key=lambda effect: effect.name.casefold())
    return terms + rest


def step_text(step: float) -> str:
    """A unit of change with three digits: "2.80", "12,500"."""
    return significant(step, 3)


def effect_words(effect: TermEffect, classes: tuple[str, str]) -> str:
    """Sentence about the effect on the odds of the first class against the second."""
    ours, theirs = classes
    if effect.place == INTERCEPT:
        return f"Where all numbers are 0 and all values the usual ones, the odds of {ours} rather than {theirs} are " \
               f"{effect.ratio:.3g} to 1."  # fmt: skip
    if effect.usual:
        begins = f"{effect.name}, rather than {effect.usual},"
    elif effect.step == 1.0:
        begins = f"One more of {effect.name}"
    else:
        begins = f"One standard deviation ({step_text(effect.step)}) more of {effect.name}"
    if effect.log_odds == 0:
        return f"{begins} makes no difference between {ours} and {theirs}."
    size, of = (effect.ratio, ours) if effect.log_odds > 0 else (1 / effect.ratio, theirs)
    against = theirs if effect.log_odds > 0 else ours
    sentence = f"{begins} makes the odds of {of} rather than {against} {size:.3g} times as large"
    if effect.runs_away:
        return f"{sentence}; it diverges, as it separates the classes."
    if not effect.has_interval:
        return f"{sentence}."
    logs = np.sign(effect.log_odds) * np.array([effect.low, effect.high])
    ends = sorted(np.exp(np.clip(logs, -_MOST, _MOST)).tolist())
    sure = "" if effect.is_sure else ", so it may be the other way round"
    p = "" if not effect.p_by else ", p < 0.001" if effect.p < 0.001 else f", p = {effect.p:.3f}"
    return f"{sentence} (95% CI {ends[0]:.3g} to {ends[1]:.3g}{sure}{p})."


def coefficients_to_json(planes: Hyperplanes) -> dict[str, Any]:
    """Coefficients in original units against the most frequent class, likelihood-ratio tests, and why p is missing.

    Undefined numbers are None.
    """
    classes, rows = planes.schema.classes, []
    for code, other in class_pairs(planes):
        for effect in effects(planes, code, other, by_deviation=False):
            rows.append({
                "class": classes[code],
                "against": classes[other],
                "term": effect.name,
                "compared_with": effect.usual or None,
                "coefficient": effect.log_odds,
                "standard_error": _or_none(effect.error),
                "z": _or_none(effect.z),
                "p": _or_none(effect.p),
                "p_by": effect.p_by or None,
                "low": _or_none(effect.low),
                "high": _or_none(effect.high),
                "odds_ratio": effect.ratio,
            })  # fmt: skip
    tests = [
        {"attribute": effect.name, "statistic": effect.statistic, "degrees_of_freedom": effect.freedom, "p": effect.p}
        for effect in attribute_tests(planes)
    ]
    return {"coefficients": rows, "likelihood_ratio": tests, "no_p": no_p_words(planes) or None}


def coefficients_to_text(planes: Hyperplanes) -> str:
    """Coefficients and tests as text tables, one for each class against the most frequent one."""
    classes, parts = planes.schema.classes, []
    for code, other in class_pairs(planes):
        rows: list[tuple[str, ...]] = [("Term", "coefficient", "std. error", "z", "p", "95% CI", "odds ratio")]
        shown = effects(planes, code, other, by_deviation=False)
        for effect in shown:
            name = f"{effect.name} (rather than {effect.usual})" if effect.usual else effect.name
            ends = f"{effect.low:.4g} to {effect.high:.4g}" if effect.has_interval else ""
            figures = f"{effect.log_odds:.4g}", _figure(effect.error), _figure(effect.z), p_text(effect.p)
            rows.append((name, *figures, ends, f"{effect.ratio:.4g}"))
        by = " and ".join(sorted({effect.p_by for effect in shown} - {""}))
        title = f"Log odds of {classes[code]} rather than {classes[other]}" + (f"; p by {by}" if by else "")
        parts.append(f"{title}\n{_aligned(rows)}")
    tests = attribute_tests(planes)
    if tests:
        rows_of_tests: list[tuple[str, ...]] = [("Attribute", "chi-square", "df", "p")]
        rows_of_tests += [
            (effect.name, f"{effect.statistic:.4g}", f"{effect.freedom}", p_text(effect.p)) for effect in tests
        ]
        parts.append(f"Likelihood-ratio tests\n{_aligned(rows_of_tests)}")
    reason = no_p_words(planes)
    return "\n\n".join([*parts, reason] if reason else parts)


def class_pairs(planes: Hyperplanes) -> list[tuple[int, int]]:
    """Each class with records against the most frequent one; with two classes, the second against the first."""
    active = np.flatnonzero(planes.class_weight > 0).tolist()
    if len(active) == 2:
        return [(active[1], active[0])]
    most = int(np.argmax(planes.class_weight))
    return [(code, most) for code in active if code != most]


def _figure(value: float) -> str:
    return f"{value:.4g}" if isfinite(value) else ""


def _or_none(value: float) -> float | None:
    return value if isfinite(value) else None


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows)
    return "\n".join("  ".join(cells).rstrip() for cells in lines)
