"""Filters and recipes: what is done to data before learning, learned where it may be learned.

A *filter* is a way of changing data with its parameters; :meth:`Filter.fit` learns on training records what it needs
and yields a :class:`FittedFilter` that changes any data of the same schema. A *recipe* is a list of filters, fitted
one after the other inside each fold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Problem, State
from algorithms.core.params import Configurable
from algorithms.core.summary import Summary


class FittedFilter(ABC):
    """What a filter learned. ``transform`` is applied to training and test data alike."""

    id: ClassVar[str]

    @abstractmethod
    def transform(self, data: Dataset) -> Dataset:
        """The changed data; keeps the rows, their order and their ids."""

    @abstractmethod
    def to_state(self) -> State:
        """What was learned as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: State) -> Self:
        """The fitted filter again; raises :class:`ModelFileError` where the state is not one of this class."""


@dataclass(frozen=True, kw_only=True)
class Filter(Configurable, ABC):
    """A way of changing data with its parameters (a frozen dataclass; see :mod:`algorithms.core.params`)."""

    family: ClassVar[str]
    looks_at_records: ClassVar[bool] = True
    """False where :meth:`fit` learns nothing from the records, so that making it permanent leaks nothing."""
    fitted: ClassVar[type[FittedFilter]]
    """The class of what :meth:`fit` yields, for loading it again."""

    def check(self, summary: Summary) -> list[Problem]:
        """Why it cannot be applied to this data; empty where it can."""
        return []

    @abstractmethod
    def fit(self, data: Dataset, context: RunContext) -> FittedFilter:
        """Learn from training records; raises :class:`DataError` where the data does not have what it needs."""

    def learn(self, data: Dataset, context: RunContext) -> tuple[FittedFilter, Dataset]:
        """What :meth:`fit` learns, and the training records changed.

        They are changed like any other, but where a record would see its own class: then a filter gives each what the
        other training records say of it, and all other data what all of them say.
        """
        fitted = self.fit(data, context)
        return fitted, fitted.transform(data)


Recipe = tuple[Filter, ...]


@dataclass(frozen=True, eq=False)
class FittedRecipe:
    """The fitted filters of a recipe in their order."""

    filters: tuple[FittedFilter, ...] = ()

    def transform(self, data: Dataset) -> Dataset:
        for fitted in self.filters:
            data = fitted.transform(data)
        return data


def fit_recipe(recipe: Sequence[Filter], data: Dataset, context: RunContext) -> tuple[FittedRecipe, Dataset]:
    """The recipe learned on ``data``, each filter on what the ones before it made, and the changed data."""
    fitted: list[Any] = []
    for step in recipe:
        context.checkpoint()
        learned, data = step.learn(data, context)
        fitted.append(learned)
    return FittedRecipe(tuple(fitted)), data
