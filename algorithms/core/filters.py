"""Filters and recipes: what is done to data before learning, and the steps a user switches on and off.

A *filter* is a way of changing data with its parameters; :meth:`Filter.fit` learns on training records what it needs
and yields a :class:`FittedFilter` that changes any data of the same schema. A *recipe* is a list of filters, fitted
one after the other inside each fold. Most filters change columns; a :class:`TrainingFilter` changes training records
only: it draws, balances or weighs them, and no tested record ever passes through it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from algorithms.core.context import RunContext
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Configurable, ParameterKind
from algorithms.data.alignment import RareLabels, RareValues
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.data.summary import Summary


class FittedFilter(ABC):
    """What a filter learned. ``transform`` is applied to training and test data alike."""

    id: ClassVar[str]

    @abstractmethod
    def transform(self, data: Dataset) -> Dataset:
        """The changed data; keeps the rows, their order and their ids."""

    def transform_watched(self, data: Dataset, checkpoint: Callable[[], None]) -> Dataset:
        """As :meth:`transform`; one that takes long calls ``checkpoint``, which may raise, every few milliseconds."""
        return self.transform(data)

    def removed(self) -> tuple[str, ...]:
        """The columns that are taken away with nothing in their place."""
        return ()

    def read(self) -> tuple[str, ...]:
        """The columns from which others are made that do not bear their names."""
        return ()

    def renamed(self, name: str) -> str:
        """What the column of this name is called after the step."""
        return name

    def unscaled(self, name: str, value: float) -> float | None:
        """What a number was in the column of this name before it became ``value``; None where that is not known.

        A step that puts no other numbers in the place of a column's leaves it as it is.
        """
        return value

    def rare_values(self) -> RareValues:
        """The rare values that it merges, by column: there a value that training never saw counts as one of them."""
        return {}

    def lists_of_numbers(self) -> Mapping[str, Attribute]:
        """The lists of values that it makes of numeric columns, by column: a number that is not on it is missing."""
        return {}

    def found(self) -> list[list[str]]:
        """What was learned as rows of text to look at, their heading first; empty where there is nothing to see."""
        return []

    @abstractmethod
    def to_state(self) -> State:
        """What was learned as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: State) -> Self:
        """The fitted filter again; raises :class:`ModelFileError` where the state is not one of this class."""


@dataclass(frozen=True, kw_only=True)
class Filter(Configurable, ABC):
    """A way of changing data with its parameters (a frozen dataclass; see :mod:`algorithms.core.parameters`)."""

    family: ClassVar[str]
    looks_at_records: ClassVar[bool] = True
    """False where :meth:`fit` learns nothing from the records, so that making it permanent leaks nothing."""
    only_training: ClassVar[bool] = False
    """True where it changes which training records there are, or what they weigh, and never any other data."""
    adds_columns: ClassVar[bool] = False
    """True where there may be columns afterwards whose names were not there before."""
    fitted: ClassVar[type[FittedFilter]]
    """The class of what :meth:`fit` yields, for loading it again."""

    def check(self, summary: Summary) -> list[Problem]:
        """Why it cannot be applied to this data; empty where it can."""
        return []

    def with_columns_renamed(self, rename: Callable[[str], str | None]) -> Self:
        """The filter with its columns under their new names; one that gets none is left out of it."""
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
        """Learn from training records; raises :class:`DataError` where the data does not have what it needs."""

    def learn(self, data: Dataset, context: RunContext) -> tuple[FittedFilter, Dataset]:
        """What :meth:`fit` learns, and the training records changed.

        They are changed like any other, but where a record would see its own class: then a filter gives each what the
        other training records say of it, and all other data what all of them say.
        """
        fitted = self.fit(data, context)
        return fitted, fitted.transform_watched(data, context.checkpoint)


class FittedIdentity(FittedFilter):
    """What a step for training records leaves behind: all other data stays as it is."""

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
    """A step that changes which training records there are, or what they weigh, and never the columns.

    Where a model is judged or used it does nothing: no tested record is left out, repeated, made up or weighed.
    """

    only_training: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = FittedIdentity

    @property
    def makes_up(self) -> bool:
        """Whether records come about that lie between others: what is tested inside learning has relatives then."""
        return False

    def fit(self, data: Dataset, context: RunContext) -> FittedIdentity:
        """Nothing is kept for other data."""
        return FittedIdentity()

    def learn(self, data: Dataset, context: RunContext) -> tuple[FittedFilter, Dataset]:
        """The training records changed as :meth:`trained_on` says."""
        return self.fit(data, context), self.trained_on(data, context)

    @abstractmethod
    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        """The training records in place of these, under the same schema; chance comes from the context's seed.

        A record that stands for itself or is repeated keeps its id. One that is made up has an id below zero, so that
        it can never be taken for one of the table.
        """


Recipe = tuple[Filter, ...]


@dataclass(frozen=True, eq=False)
class FittedRecipe:
    """The fitted filters of a recipe in their order."""

    filters: tuple[FittedFilter, ...] = ()

    def transform(self, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Dataset:
        """Other data as the filters leave it; ``checkpoint``, which may raise, is called between them and within."""
        for fitted in self.filters:
            checkpoint()
            data = fitted.transform_watched(data, checkpoint)
        return data

    def left_out(self, schema: Schema) -> tuple[str, ...]:
        """The columns of raw data under ``schema`` of which nothing reaches the model.

        A column that another one is made from reaches it, even where it is taken away afterwards.
        """
        gone: list[str] = []
        for fitted, names in self._raw_names(schema):
            removed = set(fitted.removed()).difference(fitted.read())
            gone += [first for first, name in names.items() if name in removed]
        return tuple(gone)

    def _raw_names(self, schema: Schema) -> Iterator[tuple[FittedFilter, dict[str, str]]]:
        """Each filter with the columns of raw data that reach it unread, by their raw names: what they are called."""
        names = {name: name for name in schema.names}
        for fitted in self.filters:
            yield fitted, names
            gone = {*fitted.read(), *fitted.removed()}
            names = {first: fitted.renamed(name) for first, name in names.items() if name not in gone}

    def rare_values(self, schema: Schema) -> dict[str, RareLabels]:
        """The merged rare values of columns of raw data under ``schema``, as :meth:`FittedFilter.rare_values`."""
        labels: dict[str, RareLabels] = {}
        for fitted, names in self._raw_names(schema):
            own = fitted.rare_values()
            for first, name in names.items():
                if name in own:
                    labels.setdefault(first, own[name])
        return labels

    def lists_of_numbers(self, schema: Schema) -> dict[str, Attribute]:
        """The lists of values that numeric columns of raw data become, as :meth:`FittedFilter.lists_of_numbers`."""
        lists: dict[str, Attribute] = {}
        for fitted, names in self._raw_names(schema):
            own = fitted.lists_of_numbers()
            for first, name in names.items():
                if name in own and schema.attributes[schema.index_of(first)].kind is AttributeKind.NUMERIC:
                    lists.setdefault(first, own[name])
        return lists

    def unscaled(self, name: str, value: float) -> float | None:
        """What a number in a column was before all filters; None where that is not known."""
        number: float | None = value
        for fitted in reversed(self.filters):
            number = None if number is None else fitted.unscaled(name, number)
        return number


def fit_recipe(recipe: Sequence[Filter], data: Dataset, context: RunContext) -> tuple[FittedRecipe, Dataset]:
    """The recipe learned on ``data``, each filter on what the ones before it made, and the changed data.

    There is one fitted filter for each step. Each step has a seed of its own, by its place.
    """
    fitted: list[FittedFilter] = []
    for number, step in enumerate(recipe):
        context.checkpoint()
        learned, data = step.learn(data, context.child(1 / len(recipe), number))
        fitted.append(learned)
    return FittedRecipe(tuple(fitted)), data


@dataclass(frozen=True)
class RecipeStep:
    """One filter, in use or switched off."""

    filter: Filter
    on: bool = True


Steps = tuple[RecipeStep, ...]


@dataclass(frozen=True)
class DisabledStep:
    """A filter that is switched off, and its place among all steps, those in use among them."""

    place: int
    filter: Filter


def recipe_of(steps: Sequence[RecipeStep]) -> Recipe:
    """The filters that are in use, in their order."""
    return tuple(step.filter for step in steps if step.on)


def aside_of(steps: Sequence[RecipeStep]) -> tuple[DisabledStep, ...]:
    """The filters that are switched off, with their places."""
    return tuple(DisabledStep(place, step.filter) for place, step in enumerate(steps) if not step.on)


def steps_of(recipe: Recipe, aside: Sequence[DisabledStep]) -> Steps:
    """All steps again, from :func:`recipe_of` and :func:`aside_of` them."""
    steps = [RecipeStep(filter) for filter in recipe]
    for disabled in sorted(aside, key=lambda step: step.place):
        steps.insert(disabled.place, RecipeStep(disabled.filter, on=False))
    return tuple(steps)


def reconciled(steps: Sequence[RecipeStep], recipe: Recipe) -> Steps:
    """The steps after the recipe became ``recipe`` by other means: each keeps its place where it can.

    A step switched off stays, unless the recipe now holds its filter where it stands; then it is on again.
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
    """The steps with one of them switched on or off."""
    return tuple(replace(step, on=not step.on) if i == place else step for i, step in enumerate(steps))


def moved(steps: Sequence[RecipeStep], place: int, by: int) -> Steps:
    """The steps with one of them moved up (-1) or down (1); the same where it cannot."""
    to = place + by
    if not 0 <= to < len(steps):
        return tuple(steps)
    changed = list(steps)
    changed.insert(to, changed.pop(place))
    return tuple(changed)


def replaced(steps: Sequence[RecipeStep], place: int, filter: Filter) -> Steps:
    """The steps with another filter (other parameters) at one place."""
    return tuple(replace(step, filter=filter) if i == place else step for i, step in enumerate(steps))


def removed(steps: Sequence[RecipeStep], place: int) -> Steps:
    return tuple(step for i, step in enumerate(steps) if i != place)


def with_columns_renamed(steps: Sequence[RecipeStep], now: Callable[[str], str | None]) -> Steps:
    """The steps over columns called otherwise, or gone (None); see :meth:`Filter.with_columns_renamed`."""
    return tuple(replace(step, filter=step.filter.with_columns_renamed(now)) for step in steps)
