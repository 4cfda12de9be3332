"""The coefficients of a logistic regression with odds ratios, intervals and tests."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import erfc, isfinite, sqrt
from typing import Any, Final

import numpy as np

from algorithms.structures.hyperplanes import Hyperplanes
from algorithms.structures.terms import IS_NUMBER

WALD: Final = "Wald's test"
PROFILE: Final = "penalized likelihood"
SURE: Final = 1.959963984540054
"""Standard errors to either side that hold 95 of 100 intervals."""
INTERCEPT: Final = -1
_MOST: Final = 700.0


class EffectOrder(StrEnum):
    """In which order effects are shown."""

    STRONGEST = "the strongest first"
    SUREST = "the surest first"
    NAME = "by name"
    TABLE = "as in the table"


@dataclass(frozen=True)
class TermEffect:
    """One term's part in the log odds of a class against another.

    ``place`` is that of the term, :data:`INTERCEPT` of the constant. ``log_odds`` is for a step of ``step``: one more,
    or one standard deviation, of a number. ``low`` and ``high`` are the ends of the 95% interval, NaN where there is
    none. ``runs_away`` says that the coefficient grows without end. ``error`` is the standard error, ``p`` that the
    coefficient is zero, by the test ``p_by``; NaN and "" where it is not defined, as under ridge and lasso.
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
        """Wald's statistic, NaN where there is no p."""
        return self.log_odds / self.error if self.p_by and self.error > 0 else np.nan

    @property
    def ratio(self) -> float:
        """The odds ratio."""
        return float(np.exp(np.clip(self.log_odds, -_MOST, _MOST)))

    @property
    def has_interval(self) -> bool:
        return bool(np.isfinite(self.low))

    @property
    def is_sure(self) -> bool:
        """Whether the interval holds effects of one direction only."""
        return self.has_interval and (self.low > 0 or self.high < 0)

    @property
    def sureness(self) -> float:
        """How many standard errors the effect is from none; 0 where that is not known."""
        error = (self.high - self.low) / (2 * SURE)
        return abs(self.log_odds) / error if self.has_interval and error > 0 else 0.0


def effects(planes: Hyperplanes, code: int, other: int, *, by_deviation: bool = True) -> list[TermEffect]:
    """The effects of all terms on a class against another, and of the constant at the end.

    ``by_deviation`` takes a step of one standard deviation of each number, else of one more.
    """
    odds, errors, terms = planes.log_odds(code, other), planes.standard_errors(code, other), planes.terms
    found = []
    has_p = planes.has_p and code != other

    def effect(name: str, usual: str, at: int, step: float) -> TermEffect:
        middle, error = float(odds[at]) * step, float(errors[at]) * step
        low, high, p, by = middle - SURE * error, middle + SURE * error, np.nan, ""
        if has_p and error > 0:
            p, by = erfc(abs(middle / error) / sqrt(2)), WALD
        profile = _profile(planes, at, code, other)
        if profile is not None:
            p, low, high, by = profile[0], profile[1] * step, profile[2] * step, PROFILE
        away = at >= 0 and bool(planes.runs_away[at])
        return TermEffect(at, name, usual, step, middle, low, high, away, error, p, by)

    for at in range(planes.n_terms):
        step = float(terms.unit[at]) if by_deviation and int(terms.value[at]) == IS_NUMBER else 1.0
        found.append(effect(terms.name(at), terms.compared_with(at), at, step))
    found.append(effect("(constant)", "", INTERCEPT, 1.0))
    return found


def _profile(planes: Hyperplanes, at: int, code: int, other: int) -> tuple[float, float, float] | None:
    """p and the interval of a coefficient by the profile of Firth's likelihood, where it was found."""
    if not len(planes.profile) or at == INTERCEPT or not np.isfinite(planes.profile[at, 0]):
        return None
    active = np.flatnonzero(planes.class_weight > 0).tolist()
    p, low, high = planes.profile[at].tolist()
    if [other, code] == active:
        return p, low, high
    return (p, -high, -low) if [code, other] == active else None


@dataclass(frozen=True)
class AttributeTest:
    """A likelihood-ratio test of an attribute as a whole, with all its terms."""

    index: int
    name: str
    statistic: float
    freedom: int

    @property
    def p(self) -> float:
        from scipy.special import chdtrc  # late: a list of learners needs none of it

        return float(chdtrc(self.freedom, self.statistic))


def attribute_tests(planes: Hyperplanes) -> list[AttributeTest]:
    """The tests of attributes that were asked for, in the order of the columns."""
    attributes = planes.schema.attributes
    return [
        AttributeTest(int(index), attributes[int(index)].name, statistic, int(freedom))
        for index, statistic, freedom in planes.tested.tolist()
    ]


def no_p_words(planes: Hyperplanes) -> str:
    """Why coefficients have no p value, in a sentence; empty where they have, or where no test belongs to the model."""
    if planes.kind != "logistic" or planes.has_p or not planes.n_terms:
        return ""
    if planes.penalty in ("ridge", "lasso"):
        return f"Under a {planes.penalty} penalty p is not defined: choose no penalty, or Firth's."
    if planes.is_separated:
        remedy = "Choose Firth's penalty." if len(planes.schema.classes) == 2 else "Choose a ridge penalty."
        return f"The classes separate without error, so coefficients have no standard error and no p. {remedy}"
    return "The coefficients have no standard errors and no p: there are too many, or the run was finished early."


def ordered(found: list[TermEffect], order: EffectOrder) -> list[TermEffect]:
    """Effects in another order; the constant stays at the end."""
    terms = [each for each in found if each.place != INTERCEPT]
    rest = [each for each in found if each.place == INTERCEPT]
    if order is EffectOrder.STRONGEST:
        terms.sort(key=lambda each: -abs(each.log_odds))
    elif order is EffectOrder.SUREST:
        terms.sort(key=lambda each: (-each.sureness, -abs(each.log_odds)))
    elif order is EffectOrder.NAME:
        terms.sort(key=lambda each: each.name.casefold())
    return terms + rest


def effect_words(effect: TermEffect, classes: tuple[str, str]) -> str:
    """An effect in a sentence: what it does to the odds of the first class against the second."""
    ours, theirs = classes
    if effect.place == INTERCEPT:
        return f"Where all numbers are 0 and all values the usual ones, the odds of {ours} rather than {theirs} are " \
               f"{effect.ratio:.3g} to 1."  # fmt: skip
    if effect.usual:
        begins = f"{effect.name}, rather than {effect.usual},"
    elif effect.step == 1.0:
        begins = f"One more of {effect.name}"
    else:
        begins = f"One standard deviation ({effect.step:.3g}) more of {effect.name}"
    if effect.log_odds == 0:
        return f"{begins} makes no difference between {ours} and {theirs}."
    size, of = (effect.ratio, ours) if effect.log_odds > 0 else (1 / effect.ratio, theirs)
    against = theirs if effect.log_odds > 0 else ours
    sentence = f"{begins} makes the odds of {of} rather than {against} {size:.3g} times as large"
    if effect.runs_away:
        return f"{sentence}; this grows without end, as it tells the classes apart without error."
    if not effect.has_interval:
        return f"{sentence}."
    logs = np.sign(effect.log_odds) * np.array([effect.low, effect.high])
    ends = sorted(np.exp(np.clip(logs, -_MOST, _MOST)).tolist())
    sure = "" if effect.is_sure else ", so it may be the other way round"
    p = "" if not effect.p_by else ", p < 0.001" if effect.p < 0.001 else f", p = {effect.p:.3f}"
    return f"{sentence} (95 times in 100 between {ends[0]:.3g} and {ends[1]:.3g}{sure}{p})."


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
