"""Recipes in files of their own: the steps with their options as readable JSON, for use on other tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from algorithms.core.errors import CoppiceError, ModelFileError
from algorithms.core.filters import Recipe
from algorithms.core.registry import Registry
from algorithms.persistence.kept_runs import recipe_from_json, recipe_to_json

FORMAT: Final = "coppice-recipe"
VERSION: Final = 1
SUFFIX: Final = ".coppice-recipe"
LARGEST: Final = 1 << 20
"""Bytes: a larger file is no recipe."""


def save_recipe(path: str | Path, recipe: Recipe) -> None:
    """Write the steps; raises :class:`ModelFileError` where the file cannot be written."""
    content = {"format": FORMAT, "version": VERSION, "steps": recipe_to_json(recipe)}
    try:
        Path(path).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        sentence = f"The recipe cannot be written: {error.strerror or error}."
        raise ModelFileError(sentence, remedy="Choose another folder or name.", place=str(path)) from error


def load_recipe(path: str | Path, registry: Registry) -> Recipe:
    """The steps again; raises :class:`ModelFileError` where the file is no recipe, or needs what is not here."""
    name = Path(path).name
    content = _read(Path(path))
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError("This is not a saved recipe.", remedy="Choose a file that was saved as one.", place=name)
    if content.get("version") != VERSION:
        sentence = f"The recipe is of format version {content.get('version')!r}; this program reads version {VERSION}."
        raise ModelFileError(sentence, remedy="Update the program.", place=name)
    try:
        return recipe_from_json(content, "steps", registry)
    except CoppiceError as error:
        raise ModelFileError(f"The recipe cannot be used. {error.sentence}", remedy=error.remedy, place=name) from error
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise ModelFileError("The recipe is damaged: its steps make no sense.", place=name) from error


def _read(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise ModelFileError(f"The recipe cannot be read: {error.strerror or error}.", place=str(path)) from error
    if len(raw) > LARGEST:
        raise ModelFileError("The file is too large to be a recipe.", place=path.name)
    try:
        return json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
