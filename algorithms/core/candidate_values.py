"""Candidate values of a parameter in a search: their typed form, and suggestions.

``1, 2, 5, 10`` is a list, ``1..20`` a range, ``0.01..0.5/8`` a range of 8 values. A range is geometric if its end is at
least a hundred times its start, else arithmetic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from algorithms.core.parameters import SEED, Configurable, Parameter, ParameterKind, setting_words

SEVERAL: Final = (ParameterKind.REAL, ParameterKind.INTEGER, ParameterKind.CHOICE, ParameterKind.BOOLEAN)
"""The kinds of parameters that a search can vary."""
NUMBERS: Final = (ParameterKind.REAL, ParameterKind.INTEGER)
OF_A_RANGE: Final = 7
"""Default number of values in a range; a short range of integers has all its values."""
MOST_WHOLE: Final = 10
MOST_VALUES: Final = 1000
BY_FACTORS: Final = 100.0
_SERIES: Final = (1.0, 2.0, 5.0)
_HOW: Final = "Write values as 1, 2, 5 or a range as 1..20."


def can_be_several(parameter: Parameter) -> bool:
    """Whether a search can vary the parameter; a random seed is excluded, since the best of several is chance."""
    return parameter.kind in SEVERAL and len(all_values(parameter)) != 1 and parameter.name != "seed"


def all_values(parameter: Parameter) -> tuple[Any, ...]:
    """All values of the parameter if they are few, else empty."""
    if parameter.kind is ParameterKind.BOOLEAN:
        return (False, True)
    return tuple(option.word for option in parameter.options)


@dataclass(frozen=True)
class Values:
    """Candidate values of one parameter: a list, or a range of ``n`` numbers."""

    listed: tuple[Any, ...] = ()
    lo: float = 0.0
    hi: float = 0.0
    n: int = 0
    whole: bool = False

    @property
    def is_range(self) -> bool:
        return not self.listed

    @property
    def by_factors(self) -> bool:
        """Whether the range is geometric."""
        return self.lo > 0 and self.hi >= BY_FACTORS * self.lo

    def grid(self) -> tuple[Any, ...]:
        """The distinct values, in order."""
        if not self.is_range:
            return tuple(dict.fromkeys(self.listed))
        spaced = np.geomspace if self.by_factors else np.linspace
        settled = [self._settled(float(value)) for value in spaced(self.lo, self.hi, self.n)]
        return tuple(dict.fromkeys(settled))

    def draw(self, random: np.random.Generator) -> Any:
        """A random value, uniform over the list or range; log-uniform over a geometric range."""
        if not self.is_range:
            return self.listed[int(random.integers(len(self.listed)))]
        if self.by_factors:
            return self._settled(math.exp(random.uniform(math.log(self.lo), math.log(self.hi))))
        return self._settled(random.uniform(self.lo, self.hi + (1 if self.whole else 0)), down=True)

    def _settled(self, value: float, *, down: bool = False) -> Any:
        if not self.whole:
            return min(max(float(f"{value:.4g}"), self.lo), self.hi)
        whole = math.floor(value) if down else round(value)
        return int(min(max(whole, self.lo), self.hi))


def several(parameter: Parameter, text: str) -> Values:
    """The candidate values given by typed text; raises :class:`ParameterError` if it is invalid."""
    if not can_be_several(parameter):
        raise parameter.error("can have one value only")
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise parameter.error(f"needs the values to try. {_HOW}".removesuffix("."))
    if len(words) == 1 and ".." in words[0]:
        return _range(parameter, words[0])
    if len(words) > MOST_VALUES:
        raise parameter.error(f"can be tried with at most {MOST_VALUES:,} values")
    listed: list[Any] = []
    for word in words:
        values = _range(parameter, word).grid() if ".." in word else (parameter.parsed(word),)
        listed.extend(values)
    return Values(listed=tuple(dict.fromkeys(listed)))


def _range(parameter: Parameter, text: str) -> Values:
    if parameter.kind not in NUMBERS:
        raise parameter.error(f"has no ranges: name the values, {', '.join(map(typed_value, all_values(parameter)))}")
    span, slash, count = text.partition("/")
    low, _, high = span.partition("..")
    lo, hi = parameter.parsed(low), parameter.parsed(high)
    if lo is None or hi is None or lo > hi:
        raise parameter.error(f"must be tried from a smaller to a larger value, not {text}")
    is_whole = parameter.kind is ParameterKind.INTEGER
    n = int(hi - lo) + 1 if is_whole and hi - lo < MOST_WHOLE else OF_A_RANGE
    if slash:
        if not count.strip().isascii() or not count.strip().isdigit() or not 1 <= int(count) <= MOST_VALUES:
            raise parameter.error(f"must be tried with a number of values from 1 to {MOST_VALUES:,}, not {count!r}")
        n = int(count)
    return Values(lo=lo, hi=hi, n=n, whole=is_whole)


def typed_value(value: Any) -> str:
    """The value in the form in which it is typed."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Configurable):
        return value.id
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def said_value(parameter: Parameter, value: Any) -> str:
    """The value as text to read: the label of a choice, ``none_label`` for None."""
    if value is None:
        return parameter.none_label
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Configurable):
        return value.name
    label = next((option.label for option in parameter.options if option.word == value), "")
    return label or (typed_value(value) if parameter.name == SEED else setting_words(value))


def suggested(parameter: Parameter) -> str:
    """Suggested candidates in typed form: all values if they are few, else some numbers near the default."""
    few = all_values(parameter)
    if few:
        return ", ".join(map(typed_value, few))
    first = ["none"] if parameter.optional and parameter.default is None else []
    return ", ".join([*first, *(typed_value(value) for value in _about(parameter))])


def _about(parameter: Parameter) -> list[Any]:
    """Numbers of the series 1, 2, 5, 10, 20 ... near the default, and the default itself, within the bounds."""
    centre = parameter.default
    is_whole = parameter.kind is ParameterKind.INTEGER
    if centre is None or centre == 0:
        centre = 5 if is_whole else min(0.1, parameter.hi or 0.1)
    exponent = math.floor(math.log10(abs(centre)))
    series = [sign * 10.0**e for e in range(exponent - 1, exponent + 3) for sign in _SERIES]
    most = max(6 * centre, 10) if is_whole else 4.1 * centre
    near = [number for number in series if centre / 6 <= number <= most]
    if parameter.default is not None:
        near.append(parameter.default)
    inside = []
    for number in near:
        if (parameter.lo is not None and number < parameter.lo) or (parameter.hi is not None and number > parameter.hi):
            continue
        if not is_whole or float(number).is_integer():
            inside.append(int(number) if is_whole else float(f"{number:.6g}"))
    return sorted(set(inside))[:7]
