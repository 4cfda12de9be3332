"""Saved models: a trained classifier in one file, without code in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from algorithms.core.data import Attribute, Kind, Schema
from algorithms.core.errors import CoppiceError, ModelFileError, UnknownIdError
from algorithms.core.filters import Filter, FittedFilter, FittedRecipe
from algorithms.core.learner import Learner, State
from algorithms.core.params import Configurable, from_json
from algorithms.core.registry import Registry
from algorithms.core.trained import TrainedClassifier
from algorithms.persistence import archive
from algorithms.persistence.archive import Content

FORMAT: Final = "coppice-model"
VERSION: Final = 1
SUFFIX: Final = ".coppice-model"

_NONSENSE: Final = (
    AttributeError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a state that no program of ours wrote may raise where it is taken apart."""


def save_model(path: str | Path, trained: TrainedClassifier) -> None:
    """Write a trained classifier; raises :class:`ModelFileError` where the file cannot be written."""
    arrays: dict[str, Any] = {}
    values = {
        "format": FORMAT,
        "version": VERSION,
        "created": trained.created,
        "data_name": trained.data_name,
        "marks": list(trained.marks),
        "note": trained.note,
        "input_schema": schema_to_json(trained.input_schema),
        "filters": [step.to_json() for step in trained.filters],
        "fitted_filters": [
            {"id": fitted.id, **_state_to_json(fitted.to_state(), f"filter-{i}", arrays)}
            for i, fitted in enumerate(trained.recipe.filters)
        ],
        "learner": trained.learner.to_json(),
        "model": {
            "id": trained.model.id,
            "schema": schema_to_json(trained.model.schema),
            **_state_to_json(trained.model.to_state(), "model", arrays),
        },
    }
    archive.write(path, Content(values, arrays))


def load_model(path: str | Path, registry: Registry) -> TrainedClassifier:
    """The classifier again, its predictions bit for bit the same.

    Raises :class:`ModelFileError` where the file cannot be read, is damaged, was written by a newer version, or needs a
    learner or filter that is not registered. No file can run code, write to disk or claim more memory than its size.
    """
    content = archive.read(path)
    name = Path(path).name
    try:
        return _trained(content, registry)
    except UnknownIdError as error:
        remedy = "Add the extension that it was made with."
        raise ModelFileError(
            f"The model needs something unknown here. {error.sentence}", remedy=remedy, place=name
        ) from error
    except CoppiceError as error:
        raise ModelFileError(f"The model cannot be used. {error.sentence}", remedy=error.remedy, place=name) from error
    except _NONSENSE as error:
        raise ModelFileError("The file is damaged: its parts do not fit together.", place=name) from error


def _trained(content: Content, registry: Registry) -> TrainedClassifier:
    values = content.values
    if values.get("format") != FORMAT:
        raise ModelFileError("This is not a saved model.", remedy="Choose a file that was saved as a model.")
    version = values.get("version")
    if version != VERSION or isinstance(version, bool):
        raise ModelFileError(
            f"It is of format version {version!r}; this program reads version {VERSION}.",
            remedy="Update the program, or save the model again.",
        )
    stored = _object(values, "model")
    model = registry.models.get(_text(stored, "id"))
    schema = schema_from_json(_object(stored, "schema"))
    if not schema.class_attribute.kind.is_coded or not schema.classes:
        raise ModelFileError("Its class has no values.")
    return TrainedClassifier(
        input_schema=schema_from_json(_object(values, "input_schema")),
        recipe=FittedRecipe(_fitted_filters(content, registry)),
        model=model.from_state(schema, _state(stored, "model", content)),
        learner=_made(Learner, _object(values, "learner"), registry),
        filters=tuple(_made(Filter, step, registry) for step in _list(values, "filters")),
        data_name=_text(values, "data_name"),
        created=_text(values, "created"),
        marks=tuple(_strings(values, "marks")),
        note=_text(values, "note"),
    )


def _fitted_filters(content: Content, registry: Registry) -> tuple[FittedFilter, ...]:
    found = []
    for i, stored in enumerate(_list(content.values, "fitted_filters")):
        fitted = registry.fitted_filters.get(_text(stored, "id"))
        found.append(fitted.from_state(_state(stored, f"filter-{i}", content)))
    return tuple(found)


def _made(kind: type[Any], stored: Any, registry: Registry) -> Any:
    made: Configurable = from_json(stored, registry.resolve)
    if not isinstance(made, kind):
        raise ModelFileError(f"{made.id!r} is not a {kind.__name__.lower()}.")
    return made


# ---- states and schemas ----------------------------------------------------------------------------------------------


def _state_to_json(state: State, folder: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """The state's values and the names of its arrays, which are added to ``arrays`` under ``folder``."""
    arrays.update({f"{folder}/{name}": array for name, array in state.arrays.items()})
    return {"values": dict(state.values), "arrays": list(state.arrays)}


def _state(stored: Mapping[str, Any], folder: str, content: Content) -> State:
    names = _strings(stored, "arrays")
    absent = [name for name in names if f"{folder}/{name}" not in content.arrays]
    if absent:
        raise ModelFileError(f"The file is damaged: its part {absent[0][:80]!r} is missing.")
    return State(_object(stored, "values"), {name: content.arrays[f"{folder}/{name}"] for name in names})


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """A schema as JSON values."""
    attributes = [
        {"name": a.name, "kind": a.kind.value, "values": list(a.values), "used": a.used} for a in schema.attributes
    ]
    return {"attributes": attributes, "class": schema.class_index}


def schema_from_json(stored: Mapping[str, Any]) -> Schema:
    """The schema again; raises :class:`ModelFileError` or :class:`DataError` where it is not one."""
    class_index = stored.get("class")
    if isinstance(class_index, bool) or not isinstance(class_index, int | None):
        raise ModelFileError("The file is damaged: its class is not a column.")
    return Schema(tuple(_attribute(each) for each in _list(stored, "attributes")), class_index)


def _attribute(stored: Any) -> Attribute:
    name, values, used = _text(stored, "name"), tuple(_strings(stored, "values")), stored.get("used")
    kind = Kind(_text(stored, "kind"))
    if len(set(values)) < len(values) or not isinstance(used, bool) or (values and not kind.is_coded):
        raise ModelFileError(f"The file is damaged: its column {name[:80]!r} makes no sense.")
    return Attribute(name, kind, values, used)


# ---- JSON of unknown origin ------------------------------------------------------------------------------------------


def _of_type(stored: Any, name: str, kind: type[Any]) -> Any:
    value = stored.get(name) if isinstance(stored, dict) else None
    if not isinstance(value, kind):
        raise ModelFileError(f"The file is damaged: its {name} is missing or of another type.")
    return value


def _object(stored: Any, name: str) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], _of_type(stored, name, dict))


def _list(stored: Any, name: str) -> Sequence[Any]:
    return cast(Sequence[Any], _of_type(stored, name, list))


def _text(stored: Any, name: str) -> str:
    return cast(str, _of_type(stored, name, str))


def _strings(stored: Any, name: str) -> list[str]:
    found = _list(stored, name)
    if not all(isinstance(each, str) for each in found):
        raise ModelFileError(f"The file is damaged: its {name} are not all words.")
    return list(found)
