"""Registry of learners, filters, methods, model classes and sample data by id.

A registry is an ordinary object passed as an argument. :func:`algorithms.catalogue.builtin` creates that of the
program. A registered component appears in every list, form and command.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from algorithms.core.errors import UnknownIdError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Learner, Model
from algorithms.core.parameters import Configurable
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.text.names import did_you_mean

T = TypeVar("T")


@dataclass(frozen=True)
class Sample:
    """A built-in data set; ``make(size, seed, context)`` ignores size and seed unless it is ``generated``."""

    id: str
    name: str
    question: str
    sentence: str
    n_records: int
    n_classes: int
    make: Callable[[int | None, int, RunContext], Dataset]
    generated: bool = False
    on_welcome: bool = False


class RegistryShelf(Generic[T]):
    """Components by id, in order of registration; each access first calls ``fill``, which may register more."""

    def __init__(self, what: str, fill: Callable[[], None] = lambda: None) -> None:
        self.what = what
        self._fill = fill
        self._added: dict[str, T] = {}

    @property
    def _things(self) -> dict[str, T]:
        self._fill()
        return self._added

    def add(self, id: str, thing: T) -> None:
        """Register a component; raises ``ValueError`` if the id is in use."""
        if id in self._things:
            raise ValueError(f"two {self.what}s have the id {id!r}")
        self._things[id] = thing

    def get(self, id: str) -> T:
        """The component with this id; otherwise raises :class:`UnknownIdError`, which suggests the nearest id."""
        try:
            return self._things[id]
        except KeyError:
            remedy = did_you_mean(id, self._things, 0.4) or f"There are: {', '.join(self._things)}."
            raise UnknownIdError(f"There is no {self.what} {id!r}.", remedy=remedy) from None

    def __iter__(self) -> Iterator[T]:
        return iter(self._things.values())

    def __contains__(self, id: object) -> bool:
        return id in self._things

    def __len__(self) -> int:
        return len(self._things)


class Registry:
    """All components; ``later`` registers all but the samples on first need, since importing learners is slow."""

    def __init__(self, later: Callable[[Registry], None] | None = None) -> None:
        self._later = later
        self._is_full = later is None
        self._lock = threading.RLock()
        self.learners: RegistryShelf[type[Learner]] = RegistryShelf("learner", self._fill)
        self.filters: RegistryShelf[type[Filter]] = RegistryShelf("filter", self._fill)
        self.methods: RegistryShelf[type[Method]] = RegistryShelf("method", self._fill)
        self.models: RegistryShelf[type[Model]] = RegistryShelf("kind of model", self._fill)
        self.fitted_filters: RegistryShelf[type[FittedFilter]] = RegistryShelf("kind of fitted filter", self._fill)
        self.samples: RegistryShelf[Sample] = RegistryShelf("sample")

    def _fill(self) -> None:
        """Call ``later`` once; other threads wait for its end."""
        if self._is_full:
            return
        with self._lock:
            later, self._later = self._later, None
            if later is not None:  # it uses the shelves itself, which then hold what is registered so far
                later(self)
                self._is_full = True

    def add_learner(self, learner: type[Learner], *models: type[Model]) -> None:
        """Register a learner and its model classes, unless these are registered already."""
        self.learners.add(learner.id, learner)
        for model in models:
            if model.id not in self.models:
                self.models.add(model.id, model)

    def add_filter(self, filter: type[Filter]) -> None:
        self.filters.add(filter.id, filter)
        if filter.fitted.id not in self.fitted_filters:
            self.fitted_filters.add(filter.fitted.id, filter.fitted)

    def add_method(self, method: type[Method]) -> None:
        self.methods.add(method.id, method)

    def add_sample(self, sample: Sample) -> None:
        self.samples.add(sample.id, sample)

    def resolve(self, id: str) -> type[Configurable]:
        """The learner, filter or method with this id; raises :class:`UnknownIdError`."""
        shelves: tuple[RegistryShelf[Any], ...] = (self.learners, self.filters, self.methods)
        for shelf in shelves:
            if id in shelf:
                component: type[Configurable] = shelf.get(id)
                return component
        return self.learners.get(id)

    def families(self) -> Mapping[str, list[type[Learner]]]:
        """The listed learners by family, both in order of registration."""
        learners: dict[str, list[type[Learner]]] = {}
        for learner in self.learners:
            if learner.listed:
                learners.setdefault(learner.family, []).append(learner)
        return learners
