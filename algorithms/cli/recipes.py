"""The recipe that a command asks for: the steps of a file, then those of its own."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from algorithms.cli.words import id_and_assignments, made

if TYPE_CHECKING:
    from algorithms.core.filters import Recipe
    from algorithms.core.registry import Registry


def add_recipe(parser: argparse.ArgumentParser) -> None:
    """The options that say what is done to the data before learning."""
    parser.add_argument("--recipe", metavar="FILE", help="the steps saved in a file; those of --filter come after them")
    parser.add_argument(
        "--filter", metavar="ID[:NAME=VALUE,...]", action="append", default=[], help="learned in each fold"
    )


def recipe_of(options: argparse.Namespace, registry: Registry) -> Recipe:
    """The steps that are in use, in their order; raises where the file or a step cannot be used."""
    from algorithms.core.steps import recipe_of as in_use
    from algorithms.persistence.recipes import load_recipe

    saved = () if options.recipe is None else in_use(load_recipe(options.recipe, registry))
    typed = (made(registry.filters.get(id), given, registry) for id, given in map(id_and_assignments, options.filter))
    return (*saved, *typed)
