"""Recipe files: how a table was read, its cleaning rules and the steps of a recipe, as readable JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from algorithms.core import plain_json
from algorithms.core.errors import CoppiceError, ModelFileError
from algorithms.core.files import Commit, open_regular, write_text
from algorithms.core.filters import Filter, RecipeStep, Steps
from algorithms.core.plain_json import a_list
from algorithms.core.registry import Registry
from algorithms.data.dataset import ReplayedEdit
from algorithms.filters.cleaning_rules import Rules, rules_from_json
from algorithms.io.text.options import FileReading
from algorithms.project.models import configurable_from, reading_from_json, reading_to_json

T = TypeVar("T")
FORMAT: Final = "coppice-recipe"
VERSION: Final = 4
"""Format version of a file that keeps how the table was read."""
WITH_RULES: Final = 3
"""Format version of a file with cleaning rules."""
WITH_DISABLED: Final = 2
"""Format version of a file with disabled steps."""
ALL_IN_USE: Final = 1
"""Format version of a file without disabled steps."""
SUFFIX: Final = ".coppice-recipe"
LARGEST: Final = 1 << 20
"""Bytes; a larger file is not read as a recipe."""


def save_recipe(
    path: str | Path,
    steps: Steps,
    commit: Commit | None = None,
    cleaning: Sequence[ReplayedEdit] = (),
    reading: FileReading | None = None,
) -> None:
    """Write the reading, the cleaning rules and all steps, disabled ones too.

    Raises :class:`ModelFileError` on failure.
    """
    version = WITH_RULES if cleaning else ALL_IN_USE if all(step.on for step in steps) else WITH_DISABLED
    content = {
        "format": FORMAT,
        "version": version if reading is None else VERSION,
        **({} if reading is None else {"reading": reading_to_json(reading)}),
        **({"cleaning": [rule.to_json() for rule in cleaning]} if cleaning else {}),
        "steps": [(step.filter.pinned().to_json() | ({} if step.on else {"on": False})) for step in steps],
    }
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    write_text(path, text, error=ModelFileError, commit=commit)


def load_recipe(path: str | Path, registry: Registry) -> Steps:
    """The steps in a recipe file; raises :class:`ModelFileError` for another file, or if a filter is unknown."""

    def steps_of(content: Any) -> Steps:
        return tuple(
            RecipeStep(configurable_from(Filter, step, registry), step.get("on", True) is not False)
            for step in a_list(content, "steps")
        )

    return _part(path, steps_of)


def load_rules(path: str | Path) -> Rules:
    """The cleaning rules in a recipe file; empty without any, raises :class:`ModelFileError` for another file."""
    return _part(path, lambda content: rules_from_json(content["cleaning"]) if "cleaning" in content else ())


def load_reading(path: str | Path) -> FileReading | None:
    """How the table of a recipe file was read; None if unknown, raises :class:`ModelFileError` for another file."""
    return _part(path, lambda content: reading_from_json(content["reading"]) if "reading" in content else None)


def _part(path: str | Path, part_of: Callable[[Any], T]) -> T:
    """What ``part_of`` reads from the content of a recipe file; raises :class:`ModelFileError`."""
    name = Path(path).name
    content = _read(Path(path))
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError("This is not a saved recipe.", remedy="Choose a file that was saved as one.", place=name)
    if content.get("version") not in (ALL_IN_USE, WITH_DISABLED, WITH_RULES, VERSION):
        sentence = f"The recipe is of format version {content.get('version')!r}; this program reads version {VERSION}."
        raise ModelFileError(sentence, remedy="Update the program.", place=name)
    try:
        return part_of(content)
    except CoppiceError as error:
        raise ModelFileError(f"The recipe cannot be used. {error.sentence}", remedy=error.remedy, place=name) from error
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise ModelFileError("The recipe is damaged: its steps make no sense.", place=name) from error


def _read(path: Path) -> Any:
    try:
        with open_regular(path, ModelFileError) as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise ModelFileError(f"The recipe cannot be read: {error.strerror or error}.", place=str(path)) from error
    if len(raw) > LARGEST:
        raise ModelFileError("The file is too large to be a recipe.", place=path.name)
    try:
        return plain_json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
