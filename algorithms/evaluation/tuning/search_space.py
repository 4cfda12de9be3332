"""The settings of a parameter search, the candidate values of a parameter, and the best loss by parameter.

Settings are text: ``min_leaf=1,2,5; base.max_depth=1..10; recipe.1.ranges=3,5``. The prefix ``base.`` names the
parameter of a nested learner, ``recipe.1.`` that of the first preprocessing step.

``1, 2, 5, 10`` is a list, ``1..20`` a range, ``0.01..0.5/8`` a range of 8 values. A range is geometric if its end is at
least a hundred times its start, else arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from algorithms.core.errors import ParameterError
from algorithms.core.filters import Filter, Recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import SEED, Configurable, Parameter, ParameterKind, setting_words
from algorithms.core.plain_json import is_typed_number
from algorithms.core.training import SearchResult
from algorithms.data.columns import FloatArray, IntArray
from algorithms.text.sentences import within_sentence

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


MOST_SETTINGS: Final = 5_000
RECIPE: Final = "recipe"
_TRIES_A_DRAW: Final = 20


@dataclass(frozen=True, eq=False)
class TriedSetting:
    """A learner and a recipe with one value for each searched parameter; typed ``values`` are "" where switched off."""

    values: tuple[str, ...]
    learner: Learner
    recipe: Recipe
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchAxis:
    """One searched parameter: its dotted name, declaration and values."""

    name: str
    parameter: Parameter
    values: Values
    label: str


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """The searched parameters of a learner and its recipe."""

    learner: Learner
    recipe: Recipe
    axes: tuple[SearchAxis, ...]

    @property
    def n_grid(self) -> int:
        """Number of grid combinations, equivalent ones included."""
        return math.prod(len(axis.values.grid()) for axis in self.axes)

    def grid(self) -> list[TriedSetting]:
        """Every distinct combination; the last parameter varies fastest. Raises :class:`ParameterError`."""
        if self.n_grid > MOST_SETTINGS:
            raise ParameterError(
                f"These values make {self.n_grid:,} combinations; at most {MOST_SETTINGS:,} are tried.",
                remedy="Try fewer values, or draw some of them at random.",
                place="tried",
            )
        return self._different(product(*(axis.values.grid() for axis in self.axes)), MOST_SETTINGS)

    def drawn(self, n: int, random: np.random.Generator) -> list[TriedSetting]:
        """At most ``n`` distinct random combinations; the whole grid if it is no larger."""
        if not any(axis.values.is_range for axis in self.axes) and self.n_grid <= n:
            return self.grid()
        tries = (tuple(axis.values.draw(random) for axis in self.axes) for _ in range(_TRIES_A_DRAW * n))
        return self._different(tries, n)

    def _different(self, combinations: Any, most: int) -> list[TriedSetting]:
        different: dict[Any, TriedSetting] = {}
        refused: ParameterError | None = None
        for combination in combinations:
            try:
                setting = self.setting(combination)
            except ParameterError as error:  # valid alone, but not together
                refused = error
                continue
            different.setdefault((setting.learner, setting.recipe), setting)
            if len(different) >= most:
                break
        settings = list(different.values())
        if not settings:
            raise refused or ParameterError("There is nothing to try.", place="tried")
        for i, axis in enumerate(self.axes):
            if not any(setting.values[i] for setting in settings):
                raise ParameterError(
                    f"{axis.label} does not count with the other options as they are.",
                    remedy="Do not try values of it, or change what it depends on.",
                    place=axis.name,
                )
        return settings

    def setting(self, combination: tuple[Any, ...]) -> TriedSetting:
        """Learner and recipe with these values; raises :class:`ParameterError` if they are invalid together."""
        given = dict(zip((axis.name for axis in self.axes), combination, strict=True))
        learner, steps = _with(self.learner, _within(given, "")), list(self.recipe)
        for i, step in enumerate(steps):
            steps[i] = _with(step, _within(given, f"{RECIPE}.{i + 1}."))
        inactive = [not _counts(learner, steps, name) for name in given]
        for name, is_inactive in zip(given, inactive, strict=True):
            if is_inactive:  # so that equivalent combinations are equal
                learner, steps = _with_original(self.learner, self.recipe, learner, steps, name)
        typed = tuple("" if off else typed_value(value) for off, value in zip(inactive, combination, strict=True))
        shown_values = (said_value(axis.parameter, value) for axis, value in zip(self.axes, combination, strict=True))
        read = tuple("" if off else words for off, words in zip(inactive, shown_values, strict=True))
        return TriedSetting(typed, learner, tuple(steps), read)


def space_of(learner: Learner, recipe: Recipe, tried: str) -> SearchSpace:
    """The search space that ``tried`` describes; raises :class:`ParameterError` for unknown parameters."""
    axes = []
    for name, text in tried_values(tried).items():
        axes.append(axis_of(learner, recipe, name, text))
    return SearchSpace(learner, recipe, tuple(axes))


def axis_of(learner: Learner, recipe: Recipe, name: str, text: str) -> SearchAxis:
    """One searched parameter from its name and values; raises :class:`ParameterError`."""
    owner, within, is_step = _owner(learner, recipe, name)
    parameter = owner.parameter(within, named=name)
    values = several(parameter, text)
    return SearchAxis(
        name, parameter, values, f"{owner.name}, {within_sentence(parameter.label)}" if is_step else parameter.label
    )


def tried_values(tried: str) -> dict[str, str]:
    """Values as typed by parameter name; raises :class:`ParameterError`."""
    values: dict[str, str] = {}
    for part in tried.split(";"):
        if not part.strip():
            continue
        name, equals, text = (word.strip() for word in part.partition("="))
        if not equals or not name:
            raise ParameterError(f"{part.strip()!r} is not NAME=VALUES.", place="tried")
        if name in values:
            raise ParameterError(f"{name} is to be tried twice.", remedy="Give all its values at once.", place="tried")
        values[name] = text
    return values


def tried_text(values: Mapping[str, str]) -> str:
    """The text that :func:`tried_values` parses."""
    return "; ".join(f"{name}={text}" for name, text in values.items())


def _owner(learner: Learner, recipe: Recipe, name: str) -> tuple[Configurable, str, bool]:
    """Owner of a parameter, its name there, and whether the owner is a step of the recipe."""
    owner: Configurable = learner
    head, dot, rest = name.partition(".")
    is_step = bool(dot) and head == RECIPE
    if is_step:
        number, dot, rest = rest.partition(".")
        if not dot or not number.isascii() or not number.isdigit() or not 1 <= int(number) <= len(recipe):
            steps = f"there are {len(recipe)}" if recipe else "there are none"
            raise ParameterError(f"{name} names no step of the recipe; {steps}.", place=name)
        return recipe[int(number) - 1], rest, True
    while dot:
        parameter = owner.parameter(head, named=name)
        if parameter.kind is not ParameterKind.LEARNER:
            raise ParameterError(f"{parameter.label} has no parameters of its own.", place=name)
        owner = getattr(owner, head)
        head, dot, rest = rest.partition(".")
    return owner, head, False


def _within(given: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Values whose names begin with the prefix, which is removed; without prefix all but those of the recipe."""
    if prefix:
        return {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}
    return {name: value for name, value in given.items() if not name.startswith(f"{RECIPE}.")}


def _with(thing: Any, given: Mapping[str, Any]) -> Any:
    """A learner or step with these values; dotted names belong to its nested learner."""
    if not given:
        return thing
    own = {name: value for name, value in given.items() if "." not in name}
    for head in {name.partition(".")[0] for name in given if "." in name}:
        own[head] = _with(getattr(thing, head), _within(given, f"{head}."))
    return thing.with_values(**own)


def _counts(learner: Learner, steps: list[Filter], name: str) -> bool:
    owner, within, _ = _owner(learner, tuple(steps), name)
    return owner.enabled(within)


def _with_original(
    learner: Learner, recipe: Recipe, changed: Learner, steps: list[Filter], name: str
) -> tuple[Learner, list[Filter]]:
    """``changed`` and ``steps`` with parameter ``name`` set back to its value in ``learner`` or ``recipe``."""
    owner, within, is_step = _owner(learner, recipe, name)
    before = getattr(owner, within)
    if is_step:
        place = int(name.split(".")[1]) - 1
        return changed, [*steps[:place], _with(steps[place], {within: before}), *steps[place + 1 :]]
    return _with(changed, {name: before}), steps


def searchable(learner: Learner, recipe: Recipe) -> list[SearchAxis]:
    """Every enabled parameter that can be searched, with suggested values."""
    axes = [*_searchable(learner, "", "")]
    for number, step in enumerate(recipe, 1):
        axes += _searchable(step, f"{RECIPE}.{number}.", f"{step.name}, ")
    return axes


def _searchable(owner: Configurable, prefix: str, owner_words: str) -> list[SearchAxis]:
    axes = []
    for parameter in owner.parameters():
        value = getattr(owner, parameter.name)
        if not owner.enabled(parameter.name):
            continue
        if parameter.kind is ParameterKind.LEARNER and isinstance(value, Learner):
            axes += _searchable(value, f"{prefix}{parameter.name}.", f"{value.name}, ")
        elif can_be_several(parameter):
            label = f"{owner_words}{within_sentence(parameter.label)}" if owner_words else parameter.label
            values = several(parameter, suggested(parameter))
            axes.append(SearchAxis(f"{prefix}{parameter.name}", parameter, values, label))
    return axes


@dataclass(frozen=True, eq=False)
class LossAlongParameter:
    """Best setting (v,), its loss and standard error for each value of a parameter, shown as text and as numbers."""

    label: str
    values: tuple[str, ...]
    places: FloatArray
    is_number: bool
    best: IntArray
    mean: FloatArray
    spread: FloatArray


@dataclass(frozen=True, eq=False)
class Surface:
    """``best`` (r, c) setting of each pair of values, -1 if none was evaluated, and its loss ``mean`` (r, c) or NaN."""

    labels: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    best: IntArray
    mean: FloatArray


def along(search: SearchResult, axis: int) -> LossAlongParameter:
    """Best loss for each value of a parameter, among the settings evaluated on all records."""
    values, is_number = _values([setting[axis] for setting in search.settings])
    best = np.array([_best(search, [axis], (value,)) for value in values], dtype=np.int64)
    judged = best >= 0
    values = [value for value, kept in zip(values, judged, strict=True) if kept]
    best = best[judged]
    places = np.array([float(value) for value in values]) if is_number else np.arange(len(values), dtype=np.float64)
    return LossAlongParameter(
        search.labels[axis],
        _read(search, axis, values),
        places,
        is_number,
        best,
        search.mean[best],
        search.spread[best],
    )


def over(search: SearchResult, down: int, across: int) -> Surface:
    """Best loss for each pair of values of two parameters."""
    rows, _ = _values([setting[down] for setting in search.settings])
    columns, _ = _values([setting[across] for setting in search.settings])
    best = np.array([[_best(search, [down, across], (r, c)) for c in columns] for r in rows], dtype=np.int64)
    mean = np.where(best >= 0, search.mean[np.maximum(best, 0)], np.nan)
    labels = (search.labels[down], search.labels[across])
    return Surface(labels, _read(search, down, rows), _read(search, across, columns), best, mean)


def _read(search: SearchResult, axis: int, values: Sequence[str]) -> tuple[str, ...]:
    """Parses the values typed for one parameter and returns each as it is displayed."""
    words = {typed[axis]: read[axis] for typed, read in zip(search.settings, search.settings_shown, strict=True)}
    return tuple(words[value] or "–" for value in values)


def _best(search: SearchResult, axes: Sequence[int], values: tuple[str, ...]) -> int:
    """The best setting with these values among those evaluated on all records; the chosen one in a tie, -1 if none."""
    matching = [
        setting
        for setting in np.flatnonzero(search.is_final).tolist()
        if tuple(search.settings[setting][axis] for axis in axes) == values
    ]
    if not matching:
        return -1
    least = min(search.mean[setting] for setting in matching)
    if search.chosen in matching and search.mean[search.chosen] <= least + 1e-12:
        return search.chosen
    return int(next(setting for setting in matching if search.mean[setting] <= least))


def _values(typed: Sequence[str]) -> tuple[list[str], bool]:
    """Distinct values, words in given order before sorted numbers, and whether all are numbers."""
    different = list(dict.fromkeys(typed))
    numbers = [value for value in different if is_typed_number(value)]
    if len(numbers) < 2:
        return different, False
    words = [value for value in different if value not in numbers]
    return [*words, *sorted(numbers, key=float)], not words
