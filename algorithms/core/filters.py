"""Filters and recipes: changes of data before learning, and steps that the user switches on and off.

A *filter* changes data by its parameters. :meth:`Filter.fit` learns from training records and returns a
:class:`FittedFilter`, which changes any data of the same schema. A *recipe* is a list of filters, fitted one after
another inside each fold. Most filters change columns. A :class:`TrainingFilter` draws, balances or weighs training
records only; no tested record passes through it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Configurable, ParameterKind
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import RareLabels, RareValues
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.data.summary import Summary


class FittedFilter(ABC):
    """A fitted filter; ``transform`` applies to training and test data alike."""

    id: ClassVar[str]

    @abstractmethod
    def transform(self, data: Dataset) -> Dataset:
        """The changed data; keeps the rows, their order and their ids."""

    def transform_watched(self, data: Dataset, checkpoint: Callable[[], None]) -> Dataset:
        """As :meth:`transform`; a slow filter calls ``checkpoint`` every few milliseconds, which may raise."""
        return self.transform(data)

    def removed(self) -> tuple[str, ...]:
        """The columns that the filter removes without replacement."""
        return ()

    def read(self) -> tuple[str, ...]:
        """The columns from which the filter computes columns with other names."""
        return ()

    def renamed(self, name: str) -> str:
        """The name of a column after the filter."""
        return name

    def unscaled(self, name: str, value: float) -> float | None:
        """The number that the filter changed to ``value``, unchanged by default; None if it cannot be computed."""
        return value

    def rare_values(self) -> RareValues:
        """The rare values that the filter merges, by column; there, values unseen in training count as rare."""
        return {}

    def lists_of_numbers(self) -> Mapping[str, Attribute]:
        """The nominal attributes that replace numeric columns, by column; other numbers become missing."""
        return {}

    def remarks(self, data: Dataset) -> tuple[tuple[str, str], ...]:
        """Remarks on new records before this step: pairs of a column and a sentence; empty if there are none."""
        return ()

    def leak(self) -> str:
        """What the step may tell a training record that nobody knows when it is predicted; "" if there is nothing."""
        return ""

    def learned_rows(self) -> list[list[str]]:
        """What the filter learned, as a table of text with the heading first; empty if there is nothing to show."""
        return []

    @abstractmethod
    def to_state(self) -> State:
        """The learned state as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: State) -> Self:
        """The fitted filter; raises :class:`ModelFileError` for a state of another class."""


@dataclass(frozen=True, kw_only=True)
class Filter(Configurable, ABC):
    """A filter with its parameters (a frozen dataclass; see :mod:`algorithms.core.parameters`)."""

    family: ClassVar[str]
    looks_at_records: ClassVar[bool] = True
    """Whether :meth:`fit` learns from the records; if not, filtering the whole table leaks nothing into tests."""
    only_training: ClassVar[bool] = False
    """Whether the filter changes only training records or their weights."""
    adds_columns: ClassVar[bool] = False
    """Whether the filter may add columns with new names."""
    fitted: ClassVar[type[FittedFilter]]
    """The class that :meth:`fit` returns, for loading."""

    def pinned(self) -> Self:
        """A copy for a recipe file, which pins each file that the filter reads by its SHA-256 digest."""
        return self

    def check(self, summary: Summary) -> list[Problem]:
        """The problems of applying the filter to this data; empty if there are none."""
        return []

    def with_columns_renamed(self, rename: Callable[[str], str | None]) -> Self:
        """The filter with renamed columns; ``rename`` returns the new name, or None to drop a column."""
        changed: dict[str, Any] = {}
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            if parameter.kind is ParameterKind.COLUMNS:
                changed[parameter.name] = tuple(new for new in map(rename, value) if new is not None)
            elif parameter.kind is ParameterKind.COLUMN and value is not None:
                new = rename(value)
                if new is not None or parameter.optional:
                    changed[parameter.name] = new
        return self if all(getattr(self, k) == v for k, v in changed.items()) else self.with_values(**changed)

    @abstractmethod
    def fit(self, data: Dataset, context: RunContext) -> FittedFilter:
        """Learn from training records; raises :class:`DataError` for unsuitable data."""

    def learn(self, data: Dataset, context: RunContext) -> tuple[FittedFilter, Dataset]:
        """The fitted filter and the transformed training records.

        By default training records are transformed like any other data. A filter that uses the class overrides this: it
        computes each training record's value from the other training records.
        """
        fitted = self.fit(data, context)
        return fitted, fitted.transform_watched(data, context.checkpoint)


class FittedIdentity(FittedFilter):
    """The fitted form of a :class:`TrainingFilter`, which leaves all other data unchanged."""

    id: ClassVar[str] = "untouched"

    def transform(self, data: Dataset) -> Dataset:
        return data

    def to_state(self) -> State:
        return State({}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        return cls()


@dataclass(frozen=True, kw_only=True)
class TrainingFilter(Filter, ABC):
    """A filter that changes training records or their weights, never the columns nor the tested records."""

    only_training: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = FittedIdentity

    @property
    def makes_up(self) -> bool:
        """Whether the filter creates synthetic records, so that inner test records have relatives in training."""
        return False

    def fit(self, data: Dataset, context: RunContext) -> FittedIdentity:
        """The identity, since only training records change."""
        return FittedIdentity()

    def learn(self, data: Dataset, context: RunContext) -> tuple[FittedFilter, Dataset]:
        """The identity and the training records that :meth:`trained_on` returns."""
        return self.fit(data, context), self.trained_on(data, context)

    @abstractmethod
    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        """The training records to use instead of ``data``, with the same schema; random choices use the context's seed.

        Kept and repeated records keep their ids. Synthetic records get negative ids, which no record of the table has.
        """


Recipe = tuple[Filter, ...]


@dataclass(frozen=True, eq=False)
class FittedRecipe:
    """The fitted filters of a recipe in their order."""

    filters: tuple[FittedFilter, ...] = ()

    def transform(self, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Dataset:
        """The data after all filters; ``checkpoint`` is called often and may raise."""
        changed = data
        for fitted in self.filters:
            checkpoint()
            changed = fitted.transform_watched(changed, checkpoint)
        return changed if changed is data else changed.with_recipe_input(data.raw_records)

    def left_out(self, schema: Schema) -> tuple[str, ...]:
        """The raw columns of ``schema`` that do not reach the model, not even through derived columns."""
        gone: list[str] = []
        for fitted, names in self._raw_names(schema):
            removed = set(fitted.removed()).difference(fitted.read())
            gone += [first for first, name in names.items() if name in removed]
        return tuple(gone)

    def _raw_names(self, schema: Schema) -> Iterator[tuple[FittedFilter, dict[str, str]]]:
        """Yields each filter with the current name of each raw column that no earlier filter has read or removed."""
        names = {name: name for name in schema.names}
        for fitted in self.filters:
            yield fitted, names
            gone = {*fitted.read(), *fitted.removed()}
            names = {first: fitted.renamed(name) for first, name in names.items() if name not in gone}

    def rare_values(self, schema: Schema) -> dict[str, RareLabels]:
        """The rare values that the filters merge, by raw column of ``schema``; see :meth:`FittedFilter.rare_values`."""
        labels: dict[str, RareLabels] = {}
        for fitted, names in self._raw_names(schema):
            own = fitted.rare_values()
            for first, name in names.items():
                if name in own:
                    labels.setdefault(first, own[name])
        return labels

    def lists_of_numbers(self, schema: Schema) -> dict[str, Attribute]:
        """The nominal attributes that replace raw numeric columns; see :meth:`FittedFilter.lists_of_numbers`."""
        lists: dict[str, Attribute] = {}
        for fitted, names in self._raw_names(schema):
            own = fitted.lists_of_numbers()
            for first, name in names.items():
                if name in own and schema.attributes[schema.index_of(first)].kind is AttributeKind.NUMERIC:
                    lists.setdefault(first, own[name])
        return lists

    def unscaled(self, name: str, value: float) -> float | None:
        """The number in column ``name`` before all filters that made it ``value``; None if it cannot be computed."""
        number: float | None = value
        for fitted in reversed(self.filters):
            number = None if number is None else fitted.unscaled(name, number)
        return number


def fit_recipe(recipe: Sequence[Filter], data: Dataset, context: RunContext) -> tuple[FittedRecipe, Dataset]:
    """Each filter fitted on the output of the previous ones, with a seed by its position, and the transformed data."""
    start = changed = data.with_recipe_input(data.raw_records)
    fitted = list[FittedFilter]()
    for number, step in enumerate(recipe):
        context.checkpoint()
        learned, changed = step.learn(changed, context.child(1 / len(recipe), number))
        changed = changed.with_recipe_input(start.recipe_input)
        fitted.append(learned)
    return FittedRecipe(tuple(fitted)), data if changed is start else changed


@dataclass(frozen=True)
class RecipeStep:
    """A filter that is switched on or off."""

    filter: Filter
    on: bool = True


Steps = tuple[RecipeStep, ...]


def recipe_of(steps: Sequence[RecipeStep]) -> Recipe:
    """The filters that are switched on, in order."""
    return tuple(step.filter for step in steps if step.on)


def reconciled(steps: Sequence[RecipeStep], recipe: Recipe) -> Steps:
    """The steps after the recipe was changed to ``recipe`` elsewhere; steps keep their positions if possible.

    A disabled step stays disabled, unless ``recipe`` has its filter at the same position; then it is switched on.
    """
    kept: list[RecipeStep] = []
    left = list(recipe)
    for step in steps:
        if left and step.filter == left[0]:
            kept.append(RecipeStep(left.pop(0)))
        elif not step.on:
            kept.append(step)
        elif step.filter in left:
            place = left.index(step.filter)
            kept.extend(RecipeStep(before) for before in left[:place])
            kept.append(step)
            del left[: place + 1]
    kept.extend(RecipeStep(rest) for rest in left)
    return tuple(kept)


def switched(steps: Sequence[RecipeStep], place: int) -> Steps:
    """The steps with the one at ``place`` switched on if it was off, or off if it was on."""
    return tuple(replace(step, on=not step.on) if i == place else step for i, step in enumerate(steps))


def moved(steps: Sequence[RecipeStep], place: int, by: int) -> Steps:
    """The steps with the one at ``place`` moved up (-1) or down (1); unchanged if it is first or last already."""
    to = place + by
    if not 0 <= to < len(steps):
        return tuple(steps)
    changed = list(steps)
    changed.insert(to, changed.pop(place))
    return tuple(changed)


def replaced(steps: Sequence[RecipeStep], place: int, filter: Filter) -> Steps:
    """The steps with ``filter`` in the one at ``place``."""
    return tuple(replace(step, filter=filter) if i == place else step for i, step in enumerate(steps))


def removed(steps: Sequence[RecipeStep], place: int) -> Steps:
    return tuple(step for i, step in enumerate(steps) if i != place)


def with_columns_renamed(steps: Sequence[RecipeStep], now: Callable[[str], str | None]) -> Steps:
    """The steps with renamed or removed (None) columns; see :meth:`Filter.with_columns_renamed`."""
    return tuple(replace(step, filter=step.filter.with_columns_renamed(now)) for step in steps)
