"""The settings of a parameter search and the best loss by one or two parameters.

Settings are text: ``min_leaf=1,2,5; base.max_depth=1..10; recipe.1.ranges=3,5``. The prefix ``base.`` names the
parameter of a nested learner, ``recipe.1.`` that of the first preprocessing step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from algorithms.core.candidate_values import Values, can_be_several, said_value, several, suggested, typed_value
from algorithms.core.errors import ParameterError
from algorithms.core.filters import Filter, Recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import Configurable, Parameter, ParameterKind
from algorithms.core.plain_json import is_typed_number
from algorithms.core.training import SearchResult
from algorithms.data.columns import FloatArray, IntArray
from algorithms.text.sentences import within_sentence

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
