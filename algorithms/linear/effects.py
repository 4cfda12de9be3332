"""What each term does to the odds of one class against another, with its interval, in figures and in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from algorithms.core.hyperplanes import Hyperplanes
from algorithms.core.terms import IS_NUMBER

SURE: Final = 1.959963984540054
"""Standard errors to either side that hold 95 of 100 intervals."""
INTERCEPT: Final = -1
_MOST: Final = 700.0


class Order(StrEnum):
    """In which order effects are shown."""

    STRONGEST = "the strongest first"
    SUREST = "the surest first"
    NAME = "by name"
    TABLE = "as in the table"


@dataclass(frozen=True)
class Effect:
    """One term's part in the log odds of a class against another.

    ``place`` is that of the term, :data:`INTERCEPT` of the constant. ``log_odds`` is for a step of ``step``: one more,
    or one standard deviation, of a number. ``low`` and ``high`` are the ends of the 95% interval, NaN where there is
    none. ``runs_away`` says that the coefficient grows without end.
    """

    place: int
    name: str
    usual: str
    step: float
    log_odds: float
    low: float
    high: float
    runs_away: bool

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


def effects(planes: Hyperplanes, code: int, other: int, *, by_deviation: bool = True) -> list[Effect]:
    """The effects of all terms on a class against another, and of the constant at the end.

    ``by_deviation`` takes a step of one standard deviation of each number, else of one more.
    """
    odds, errors, terms = planes.log_odds(code, other), planes.standard_errors(code, other), planes.terms
    found = []
    for at in range(planes.n_terms):
        step = float(terms.unit[at]) if by_deviation and int(terms.value[at]) == IS_NUMBER else 1.0
        middle, reach = float(odds[at]) * step, SURE * float(errors[at]) * step
        away = bool(planes.runs_away[at])
        usual = terms.compared_with(at)
        found.append(Effect(at, terms.name(at), usual, step, middle, middle - reach, middle + reach, away))
    middle, reach = float(odds[-1]), SURE * float(errors[-1])
    found.append(Effect(INTERCEPT, "(constant)", "", 1.0, middle, middle - reach, middle + reach, False))
    return found


def ordered(found: list[Effect], order: Order) -> list[Effect]:
    """Effects in another order; the constant stays at the end."""
    terms = [each for each in found if each.place != INTERCEPT]
    rest = [each for each in found if each.place == INTERCEPT]
    if order is Order.STRONGEST:
        terms.sort(key=lambda each: -abs(each.log_odds))
    elif order is Order.SUREST:
        terms.sort(key=lambda each: (-each.sureness, -abs(each.log_odds)))
    elif order is Order.NAME:
        terms.sort(key=lambda each: each.name.casefold())
    return terms + rest


def effect_words(effect: Effect, classes: tuple[str, str]) -> str:
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
    return f"{sentence} (95 times in 100 between {ends[0]:.3g} and {ends[1]:.3g}{sure})."
