"""The declaration of an experiment, a grid of cells, and the key that identifies a cell by what it computes.

A cell is a learner with a recipe, evaluated on a data set by a method with a seed. Its key is a hash of these values
and of the content of the data set. So a file that moved keeps its cells, and one that changed gets no old results.

The seed is a factor of its own. A cell has the numbers of ``coppice evaluate --seed N``, whatever ran before it. Cells
that differ in learner or recipe only share their folds, as all paired tests require.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from algorithms.core.errors import ModelFileError, ParameterError
from algorithms.core.filters import Filter, Recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import Configurable, files_of
from algorithms.core.plain_json import a_flag, a_list, a_number, a_text, an_integer, an_object
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.data.dataset import Dataset
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.filters.cleaning_rules import Rules, rules_from_json
from algorithms.io.text.options import ReadOptions
from algorithms.project.models import configurable_from, options_from_json, options_to_json, schema_to_json
from algorithms.project.shared_storage import packed

SAMPLE: Final = "sample:"
MOST_CELLS: Final = 1_000_000
_KEY_DIGITS: Final = 32
NO_STEPS: Final = "no steps"


@dataclass(frozen=True)
class ExperimentData:
    """A data set: ``source`` is a file, an address, or "sample:NAME[:size=N,seed=N]"; ``class_name`` None is its own.

    ``content`` is the digest of the table (:func:`content_digest`), empty until it was read for the first time.
    """

    source: str
    class_name: str | None = None
    reading: ReadOptions = field(default_factory=ReadOptions)
    cleaning: Rules = ()
    content: str = ""

    @property
    def is_sample(self) -> bool:
        return self.source.startswith(SAMPLE)

    @property
    def is_file(self) -> bool:
        """Whether it is a local file, whose path may be relative to the folder of the experiment."""
        return not self.is_sample and "://" not in self.source

    def place(self, folder: Path) -> str:
        """Its path, which may be relative to the ``folder`` of the experiment, or its address."""
        return str(folder / self.source) if self.is_file else self.source

    def to_json(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "class": self.class_name,
            "reading": options_to_json(self.reading),
            "cleaning": [rule.to_json() for rule in self.cleaning],
            "content": self.content,
        }

    @classmethod
    def from_json(cls, stored: Any) -> Self:
        class_name = None if stored.get("class") is None else a_text(stored, "class")
        reading = options_from_json(an_object(stored, "reading"))
        rules = rules_from_json(a_list(stored, "cleaning"))
        return cls(a_text(stored, "source"), class_name, reading, rules, a_text(stored, "content"))


Place = tuple[int, int, int, int, int]
"""A cell by the indices of data set, learner, recipe and method, and by its seed; its key changes with its data."""


@dataclass(frozen=True)
class Cell:
    """A place in the grid: the index of each level, the seed, and the key of what it computes."""

    data: int
    learner: int
    recipe: int
    method: int
    seed: int
    key: str

    @property
    def tests(self) -> tuple[int, int, int]:
        """Cells with the same value are tested on the same folds."""
        return self.data, self.method, self.seed

    @property
    def place(self) -> Place:
        return self.data, self.learner, self.recipe, self.method, self.seed


@dataclass(frozen=True)
class Experiment:
    """The factors of a grid, each with at least one level, and what is computed in every cell.

    With ``models`` each cell keeps the model of all records. ``time_limit`` are the seconds that a cell may take.
    A learner may be there twice. Raises :class:`ParameterError` for a factor without levels, another level given
    twice, or too many cells.
    """

    data: tuple[ExperimentData, ...]
    learners: tuple[Learner, ...]
    recipes: tuple[Recipe, ...] = ((),)
    methods: tuple[Method, ...] = ()
    seeds: tuple[int, ...] = (1,)
    models: bool = True
    time_limit: float | None = None

    def __post_init__(self) -> None:
        for factor in FACTORS:
            levels = getattr(self, factor.field)
            if not levels:
                raise ParameterError(f"The experiment has no {factor.noun}.", remedy="Name at least one.")
            names = self.names(factor)
            twice = next((name for i, name in enumerate(names) if levels[i] in levels[:i]), None)
            if twice is not None and factor is not LEARNER:
                raise ParameterError(f"The {factor.noun} {twice} is given twice.", remedy="Each one counts once.")
        _check_places(self.data)
        for method in self.methods:
            if method.needs_test_data:
                raise ParameterError(
                    f"{method.id} is no method for several data sets, since it needs a test file.",
                    remedy="Choose cross-validation.",
                )
        if self.n_cells > MOST_CELLS:
            raise ParameterError(f"The experiment has {self.n_cells:,} cells.", remedy=f"{MOST_CELLS:,} are the most.")

    def files(self, folder: Path) -> Iterator[str]:
        """Files and addresses that it names: of its data sets, and in options; ``folder`` is that of the experiment."""
        yield from (data.place(folder) for data in self.data if not data.is_sample)
        components: list[Configurable] = [*self.learners, *self.methods, *itertools.chain(*self.recipes)]
        components += itertools.chain(*(data.cleaning for data in self.data))
        for component in components:
            yield from files_of(component)

    @property
    def n_cells(self) -> int:
        n = 1
        for factor in FACTORS:
            n *= len(getattr(self, factor.field))
        return n

    def names(self, factor: Factor) -> tuple[str, ...]:
        """The distinct names of the levels of a factor."""
        return factor.names(getattr(self, factor.field))

    def levels(self, cell: Cell) -> dict[str, str]:
        """The name of each level of a cell, by the word of its factor."""
        return {factor.word: self.names(factor)[factor.level_of(self, cell)] for factor in FACTORS}

    def cells(self) -> tuple[Cell, ...]:
        """All cells by data set, method, seed, recipe and learner, so that those with shared folds are neighbours."""
        data = [_data_part(each) for each in self.data]
        texts = [_text(each.to_json()) for each in self.learners]
        learners = [f"{text}{'#' * texts[:number].count(text)}" for number, text in enumerate(texts)]
        recipes = [_text([step.to_json() for step in recipe]) for recipe in self.recipes]
        methods = [_text(method.to_json()) for method in self.methods]
        return tuple(
            Cell(d, a, r, m, seed, _key(data[d], learners[a], recipes[r], methods[m], str(seed)))
            for d in range(len(data))
            for m in range(len(methods))
            for seed in self.seeds
            for r in range(len(recipes))
            for a in range(len(learners))
        )

    def with_content(self, index: int, content: str) -> Experiment:
        """The experiment in which the data set with this index has the digest ``content``."""
        return self._with_data(index, content=content)

    def with_source(self, index: int, source: str) -> Experiment:
        """The experiment in which the data set with this index lies elsewhere; raises :class:`ParameterError`."""
        return self._with_data(index, source=source)

    def _with_data(self, index: int, **changes: str) -> Experiment:
        data = list(self.data)
        data[index] = replace(data[index], **changes)  # type: ignore[arg-type]
        return replace(self, data=tuple(data))

    def extended(self, other: Experiment) -> Experiment:
        """The experiment with the levels of another one added; those that are there count once."""
        more: dict[str, Any] = {}
        for factor in FACTORS:
            own, added = getattr(self, factor.field), getattr(other, factor.field)
            more[factor.field] = (*own, *(level for level in added if not _is_among(level, own)))
        return replace(self, **more)

    def to_json(self) -> dict[str, Any]:
        return {
            "data": [data.to_json() for data in self.data],
            "learners": [learner.to_json() for learner in self.learners],
            "recipes": [[step.to_json() for step in recipe] for recipe in self.recipes],
            "methods": [method.to_json() for method in self.methods],
            "seeds": list(self.seeds),
            "models": self.models,
            "time_limit": self.time_limit,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], registry: Registry) -> Experiment:
        """The experiment from its JSON form; raises :class:`CoppiceError` or one of ``NONSENSE``."""
        seeds = [an_integer({"seed": seed}, "seed") for seed in a_list(stored, "seeds")]
        if any(seed < 0 for seed in seeds):
            raise ModelFileError("The file is damaged: a seed is negative.")
        return cls(
            data=tuple(map(ExperimentData.from_json, a_list(stored, "data"))),
            learners=tuple(configurable_from(Learner, each, registry) for each in a_list(stored, "learners")),
            recipes=tuple(
                tuple(configurable_from(Filter, step, registry) for step in recipe)
                for recipe in a_list(stored, "recipes")
            ),
            methods=tuple(configurable_from(Method, each, registry) for each in a_list(stored, "methods")),
            seeds=tuple(seeds),
            models=a_flag(stored, "models"),
            time_limit=None if stored.get("time_limit") is None else a_number(stored, "time_limit"),
        )


@dataclass(frozen=True)
class Factor:
    """A factor of the grid: its ``word`` in tables and options, and the ``field`` of the experiment with its levels."""

    word: str
    field: str
    noun: str
    names: Callable[[Sequence[Any]], tuple[str, ...]]

    def level_of(self, experiment: Experiment, cell: Cell) -> int:
        """The index of the level that a cell has."""
        if self.field == "seeds":
            return experiment.seeds.index(cell.seed)
        index: int = getattr(cell, self.word)
        return index


def data_titles(data: Sequence[ExperimentData]) -> tuple[str, ...]:
    """File names without folder and suffix; the numbered sources if two names are equal."""
    short = [each.source if not each.is_file else Path(each.source).stem for each in data]
    if len(set(short)) == len(short):
        return tuple(short)
    return tuple(f"{each.source} #{number + 1}" for number, each in enumerate(data))


def component_names(components: Sequence[Configurable]) -> tuple[str, ...]:
    """The id of each, or its options if ids repeat, numbered if these repeat too; a search has that of its learner."""
    ids = [f"tuned {c.base.id}" if isinstance(c, Tuned) else c.id for c in components]
    return _distinct([id if ids.count(id) == 1 else c.summary() for id, c in zip(ids, components, strict=True)])


def _recipe_names(recipes: Sequence[Recipe]) -> tuple[str, ...]:
    return _distinct([" + ".join(step.summary() for step in recipe) or NO_STEPS for recipe in recipes])


def _distinct(names: list[str]) -> tuple[str, ...]:
    return tuple(name if names.count(name) == 1 else f"{name} #{number + 1}" for number, name in enumerate(names))


def _seed_names(seeds: Sequence[int]) -> tuple[str, ...]:
    return tuple(map(str, seeds))


DATA: Final = Factor("data", "data", "data set", data_titles)
LEARNER: Final = Factor("learner", "learners", "learner", component_names)
RECIPE: Final = Factor("recipe", "recipes", "recipe", _recipe_names)
METHOD: Final = Factor("method", "methods", "method", component_names)
SEED: Final = Factor("seed", "seeds", "seed", _seed_names)
FACTORS: Final = (DATA, LEARNER, RECIPE, METHOD, SEED)


def _is_among(level: Any, levels: Sequence[Any]) -> bool:
    """Whether a level is there already; the content of a data set does not count."""
    if isinstance(level, ExperimentData):
        return any(replace(level, content="") == replace(other, content="") for other in levels)
    return level in levels


def _check_places(data: Sequence[ExperimentData]) -> None:
    """Raise :class:`ParameterError` for a repeated file: the tests assume independent data sets."""
    places = set[str]()
    for each in data:
        place = os.path.realpath(each.source) if each.is_file else each.source
        if place in places:
            raise ParameterError(f"{each.source} is given twice.", remedy="Each data set counts once.")
        places.add(place)


# ---- keys ------------------------------------------------------------------------------------------------------------


def _text(values: Any) -> str:
    return json.dumps(values, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def _data_part(data: ExperimentData) -> str:
    """The content of a data set, or its declaration as long as nobody has read it."""
    return data.content or _text(data.to_json())


def _key(*parts: str) -> str:
    return hashlib.sha256(_text(parts).encode()).hexdigest()[:_KEY_DIGITS]


def content_digest(data: Dataset, checkpoint: Callable[[], object] = int) -> str:
    """The SHA-256 of a table in hexadecimal digits: schema with class and kinds, values, weights.

    The name, the path and the format of its file play no part.
    """
    schema = schema_to_json(data.schema)
    digest = hashlib.sha256(_text(schema).encode())
    for index in range(len(data.schema)):
        checkpoint()
        column = data.column(index)
        if column.dtype.kind == "T":
            texts = packed(column, checkpoint)
            arrays = [texts.content, texts.ends, texts.missing]
        elif column.dtype.kind == "f":
            arrays = [np.where(np.isnan(column), np.nan, column) + 0.0]  # one kind of NaN, and of zero
        else:
            arrays = [column.astype(np.int64)]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
    if data.weights is not None:
        digest.update(np.ascontiguousarray(data.weights).tobytes())
    return digest.hexdigest()
