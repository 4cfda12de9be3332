"""The data, the class and the recipe that a command names."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from algorithms.cli.arguments import WrongUseError, bounded, check_column, configure, id_and_assignments
from algorithms.cli.output import print_note
from algorithms.core.plain_json import MOST

if TYPE_CHECKING:
    from algorithms.core.filters import Recipe
    from algorithms.core.registry import Registry
    from algorithms.core.run_control import RunContext
    from algorithms.data.dataset import Dataset

MOST_RECORDS: Final = 10_000_000
"""Largest size of a generated sample."""
_READING: Final = 1 << 20
"""Key of the child context in which data are read."""
MOST_CLASSES: Final = 100
"""Largest number of distinct values of a numeric or text column that --class turns into labels."""


def source_of(text: str, registry: Registry, sheet: str | None = None) -> Callable[[RunContext], Dataset]:
    """A function that reads the named data: a file (and sheet), or "sample:NAME[:size=N,seed=N]"."""
    if not text.startswith("sample:"):
        return partial(_without_progress, partial(_read, text, sheet))
    if sheet is not None:
        raise WrongUseError("--sheet is for workbooks; a sample has no sheets.")
    id, assignments = id_and_assignments(text.removeprefix("sample:"))
    sample = registry.samples.get(id)
    unknown = [name for name in assignments if name not in ("size", "seed")]
    if unknown or (assignments and not sample.generated):
        has = "size and seed" if sample.generated else "nothing to set"
        raise WrongUseError(f"The sample {id} has {has}.")
    size = bounded(assignments["size"], "size", 1, MOST_RECORDS) if "size" in assignments else None
    seed = bounded(assignments.get("seed", "1"), "seed", 0, MOST)
    return partial(_without_progress, lambda context: sample.make(size, seed, context))


def _without_progress(make: Callable[[RunContext], Dataset], context: RunContext) -> Dataset:
    """Read the data in a child context that takes no share of the progress."""
    reading = context.child(0.0, _READING)
    try:
        return make(reading)
    finally:
        reading.complete()


def _read(path: str, sheet: str | None, context: RunContext) -> Dataset:
    from algorithms.io.reading import read, sheets
    from algorithms.io.text.options import ReadOptions

    context.say("Reading")
    if sheet is not None and not sheets(path, context):
        raise WrongUseError(f"--sheet is for workbooks; {Path(path).name} has no sheets.")
    data = read(path, context, ReadOptions(sheet=sheet))
    if data.origin.description:
        print_note(f"{Path(path).name}: {data.origin.description}")
    return data


def with_class(data: Dataset, name: str | None) -> Dataset:
    """The data with this class column; integers and texts with few distinct values become labels."""
    from algorithms.core.errors import DataError
    from algorithms.data.convert_kind import recast
    from algorithms.data.schema import AttributeKind
    from algorithms.data.summary import count_distinct

    if name is None:
        if data.schema.class_index is None:
            raise DataError("No column can be the class.", remedy="Name it with --class COLUMN.")
        return data
    check_column(data.schema, name, "--class")
    index = data.schema.index_of(name)
    attribute, column = data.schema.attributes[index], data.column(index)
    if not attribute.kind.is_coded and count_distinct(attribute, column) <= MOST_CLASSES:
        data = recast(data, index, AttributeKind.NOMINAL)
    return data.with_class(name)


def add_recipe(parser: argparse.ArgumentParser) -> None:
    """Declare the options for preprocessing steps."""
    parser.add_argument("--recipe", metavar="FILE", help="the steps saved in a file; those of --filter come after them")
    parser.add_argument(
        "--filter", metavar="ID[:NAME=VALUE,...]", action="append", default=[], help="learned in each fold"
    )


def recipe_of(options: argparse.Namespace, registry: Registry) -> Recipe:
    """The enabled preprocessing steps in order; raises if the file or a step cannot be used."""
    from algorithms.core.filters import recipe_of as in_use
    from algorithms.project.recipes import load_recipe

    saved = () if options.recipe is None else in_use(load_recipe(options.recipe, registry))
    typed = (
        configure(registry.filters.get(id), given, registry) for id, given in map(id_and_assignments, options.filter)
    )
    return (*saved, *typed)
