"""Awkward data for the batteries, and comparing."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import State
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric

CLASS_AT = 6
RANGES: Final = {"Length": (-0.4, 0.4), "Width": (2.5, 5.5)}
"""Where :func:`ranged` cuts."""


def mixed(n: int = 120, seed: int = 0, *, missing: float = 0.0, weighted: bool = False) -> Dataset:
    """Attributes of every kind, of which three tell something about one of three classes (a fourth never occurs)."""
    random = np.random.default_rng(seed)
    length, width = random.normal(size=n).round(2), random.integers(0, 9, n).astype(float)
    colour, size = random.integers(0, 3, n), random.integers(0, 4, n)
    codes = np.where(length > 0.4, 0, np.where(colour == 1, 1, 2))
    codes = np.where(random.random(n) < 0.15, random.integers(0, 3, n), codes)
    columns: list[Any] = [length, width, colour, size]
    for column in columns:
        column[random.random(n) < missing] = np.nan if column.dtype.kind == "f" else -1
    names = np.array([f"record {i}" for i in range(n)], dtype=object)
    attributes = (
        numeric("Length"),
        numeric("Width"),
        nominal("Colour", ("red", "green", "blue")),
        nominal("Size", ("S", "M", "L", "XL"), ordinal=True),
        Attribute("Name", AttributeKind.IDENTIFIER),
        Attribute("Day", AttributeKind.DATE),
        nominal("Class", ("a", "b", "c", "never")),
    )
    weights = random.integers(1, 4, n).astype(float) if weighted else None
    return Dataset(
        Schema(attributes, CLASS_AT),
        [*columns, names, np.arange(n) * 86400.0, codes],
        weights=weights,
        row_ids=np.arange(n) * 3 + 7,
    )


def ranged(data: Dataset, names: Sequence[str]) -> Dataset:
    """The data with these numbers as one of three ranges."""
    cut = {}
    for name in names:
        index = data.schema.index_of(name)
        numbers = np.asarray(data.column(index), dtype=np.float64)
        codes = np.digitize(numbers, RANGES[name]) if name in RANGES else np.zeros(len(numbers))
        cut[index] = (nominal(name, ("low", "middle", "high")), np.where(np.isnan(numbers), -1, codes))
    return data.with_columns(cut)


def with_codes(data: Dataset, codes: Any) -> Dataset:
    """The data with other class codes."""
    return data.with_column(CLASS_AT, data.schema.class_attribute, np.asarray(codes))


def all_missing(data: Dataset) -> Dataset:
    """The data with nothing known but the class."""
    blank = {
        i: (a, np.full(len(data), np.nan) if a.kind.is_float else np.full(len(data), -1))
        for i, a in enumerate(data.schema.attributes)
        if i != CLASS_AT and not a.kind.is_string
    }
    return data.with_columns(blank)


def constant(data: Dataset) -> Dataset:
    """The data with the same values in every record."""
    one = {
        i: (a, np.ones(len(data)) if a.kind.is_float else np.zeros(len(data), dtype=int))
        for i, a in enumerate(data.schema.attributes)
        if i != CLASS_AT and not a.kind.is_string
    }
    return data.with_columns(one)


def doubled(data: Dataset) -> Dataset:
    """The data with its first and third columns twice."""
    for at, twin in ((0, "Length again"), (2, "Colour again")):
        first = data.schema.attributes[at]
        data = data.with_new_column(Attribute(twin, first.kind, first.values), data.column(at))
    return data


def through_disk(state: State) -> State:
    """A state written as JSON and .npy members, and read again."""
    values = json.loads(json.dumps(dict(state.values), allow_nan=False))
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{name: np.asarray(array) for name, array in state.arrays.items()})
    buffer.seek(0)
    with np.load(buffer, allow_pickle=False) as members:
        return State(values, {name: members[name] for name in members.files})


def same_state(one: State, other: State) -> bool:
    """Whether two states are equal bit for bit."""
    if dict(one.values) != dict(other.values) or one.arrays.keys() != other.arrays.keys():
        return False
    return all(same_bits(one.arrays[name], other.arrays[name]) for name in one.arrays)


def same_bits(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def contents(data: Dataset) -> tuple[Any, ...]:
    """Everything a data set says, in a form that can be compared."""
    columns = tuple(
        tuple(repr(v) for v in data.column(i).tolist()) if a.kind.is_string else data.column(i).tobytes()
        for i, a in enumerate(data.schema.attributes)
    )
    weights = None if data.weights is None else data.weights.tobytes()
    return data.schema, columns, weights, data.row_ids.tobytes()
