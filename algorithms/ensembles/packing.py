"""The states of several models as one: arrays of the same name stand end to end, so that thousands stay a few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArrayState, index, whole
from algorithms.core.errors import ModelFileError
from algorithms.core.learner import Model, State
from algorithms.core.schema import Schema

_MOST: Final = 100_000
"""Members that a saved committee may have."""
DAMAGED: Final = "The saved committee is"
_PARTS: Final = ArrayState(DAMAGED, {
    "member": index("members", "parts"),
    "rows": whole("parts", dtype=np.int64, lowest=0),
})  # fmt: skip


def packed(models: Sequence[Model]) -> State:
    """The states of these models, in their order; :func:`unpacked` makes the models again."""
    states = [model.to_state() for model in models]
    groups: dict[tuple[str, str, tuple[int, ...]], list[tuple[int, NDArray[Any]]]] = {}
    for at, state in enumerate(states):
        for name, given in state.arrays.items():
            array = np.asarray(given)
            groups.setdefault((name, array.dtype.str, array.shape[1:] if array.ndim else (-1,)), []).append((at, array))
    arrays: dict[str, NDArray[Any]] = {}
    for number, group in enumerate(groups.values()):
        parts = [array.reshape(1) if array.ndim == 0 else array for _, array in group]
        arrays[f"{number}/data"] = np.concatenate(parts)
        arrays[f"{number}/member"] = np.array([at for at, _ in group], dtype=np.int32)
        arrays[f"{number}/rows"] = np.array([len(part) for part in parts], dtype=np.int64)
    members = [
        {"id": model.id, "values": dict(state.values), "unused": _unused(model.schema)}
        for model, state in zip(models, states, strict=True)
    ]
    names = [{"name": name, "single": shape == (-1,)} for name, _, shape in groups]
    return State({"members": members, "arrays": names}, arrays)


def unpacked(schema: Schema, state: State, schemas: Sequence[Schema] = ()) -> tuple[Model, ...]:
    """The models again; raises :class:`ModelFileError` where they are none, or of an unknown kind.

    ``schemas`` are those of the members, where they differ from ``schema`` in the values of the class.
    """
    members, names = state.values.get("members"), state.values.get("arrays")
    if not isinstance(members, list) or not isinstance(names, list) or not 0 < len(members) <= _MOST:
        raise damaged()
    if len(schemas) not in (0, len(members)):
        raise damaged()
    arrays: list[dict[str, NDArray[Any]]] = [{} for _ in members]
    for number, known in enumerate(names):
        data = state.arrays.get(f"{number}/data")
        if not isinstance(known, dict) or data is None or data.ndim == 0:
            raise damaged()
        parts = {part: state.arrays.get(f"{number}/{part}") for part in _PARTS.specs}
        read = _PARTS.read(parts, members=len(members))
        is_single, start = known.get("single") is True, 0
        if np.any(read["rows"] > len(data)) or sum(read["rows"].tolist()) != len(data):
            raise damaged()
        if is_single and np.any(read["rows"] != 1):
            raise damaged()
        for owner, rows in zip(read["member"].tolist(), read["rows"].tolist(), strict=True):
            arrays[owner][str(known.get("name"))] = data[start] if is_single else data[start : start + rows]
            start += rows
    each = schemas or [schema] * len(members)
    return tuple(_model(its, state, member, own) for its, member, own in zip(each, members, arrays, strict=True))


def _model(schema: Schema, state: State, member: Any, arrays: dict[str, NDArray[Any]]) -> Model:
    if not isinstance(member, dict) or not isinstance(member.get("values"), dict):
        raise damaged()
    unused = member.get("unused")
    if not isinstance(unused, list) or not all(type(index) is int and 0 <= index < len(schema) for index in unused):
        raise damaged()
    own = State(member["values"], arrays, state.kinds)
    return state.kind(str(member.get("id"))).from_state(schema.without_use(unused), own)


def _unused(schema: Schema) -> list[int]:
    return [index for index, attribute in enumerate(schema.attributes) if not attribute.used]


def under(prefix: str, state: State) -> dict[str, NDArray[Any]]:
    """The arrays of a state whose names begin so, without that beginning."""
    return {name.removeprefix(prefix): array for name, array in state.arrays.items() if name.startswith(prefix)}


def damaged() -> ModelFileError:
    """What to raise where a saved committee makes no sense."""
    return ModelFileError("The saved committee is damaged: its members do not fit together.", remedy="Save it again.")
