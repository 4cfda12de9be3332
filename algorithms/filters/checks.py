"""Checks shared by filters: of chosen columns, of the class, and of a saved state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import Problem, State
from algorithms.data.columns import STRING, FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.data.summary import Summary


def chosen(schema: Schema, names: Sequence[str], kinds: Collection[AttributeKind]) -> list[int]:
    """Indices of the named (or all used) columns of these kinds, never the class; raises :class:`DataError`."""
    if names:
        indices = [schema.index_of(name) for name in names]
    else:
        indices = [i for i, attribute in enumerate(schema.attributes) if attribute.used]
    return [i for i in indices if i != schema.class_index and schema.attributes[i].kind in kinds]


def problems_of_choice(
    summary: Summary, names: Sequence[str], kinds: Collection[AttributeKind], *, do: str, done: str, only: str
) -> list[Problem]:
    """Problems of named columns; ``do`` and ``done`` are verb forms, ``only`` ends the sentence on a wrong kind."""
    problems = []
    schema = summary.schema
    for name in names:
        if name not in schema:
            problems.append(Problem(f"There is no column {name!r} to {do}.", "Choose among those there are.", name))
            continue
        index = schema.index_of(name)
        attribute = schema.attributes[index]
        if index == schema.class_index:
            problems.append(Problem(f"{name} is the column to predict: it is not {done}.", "Leave it out.", name))
        elif attribute.kind not in kinds:
            problems.append(Problem(f"{name} is {attribute.kind.value}: {only}.", "Leave it out.", name))
    return problems


_CHOOSE = "Choose the column to predict."


def problems_without_class(summary: Summary, do: str = "go by") -> list[Problem]:
    """The problem of a missing or non-nominal class; empty if there is a class."""
    return [] if has_class(summary.schema) else [Problem(f"No class is chosen to {do}.", _CHOOSE)]


def require_class(data: Dataset, do: str = "go by") -> None:
    """Raise :class:`DataError` without a nominal class."""
    if not has_class(data.schema):
        raise DataError(f"No class is chosen to {do}.", remedy=_CHOOSE)


def class_codes(data: Dataset) -> IntArray:
    """The class code of each record (n,), -1 if missing; raises :class:`DataError` without a class."""
    require_class(data)
    return data.class_codes.astype(np.int64)


def counts_of(codes: IntArray, data: Dataset) -> IntArray:
    """The number of records of each class (k,)."""
    counts: IntArray = np.bincount(codes[codes >= 0], minlength=len(data.schema.classes)).astype(np.int64)
    return counts


def quotas(counts: IntArray, size: int) -> IntArray:
    """``size`` divided in proportion to the counts by largest remainders."""
    total = int(counts.sum())
    if total == 0:
        return np.zeros(len(counts), dtype=np.int64)
    exact = counts * (size / total)
    shares: IntArray = np.floor(exact).astype(np.int64)
    first = np.argsort(shares - exact, kind="stable")
    shares[first[: size - int(shares.sum())]] += 1
    return shares


def has_class(schema: Schema) -> bool:
    return schema.class_index is not None and schema.class_attribute.kind.is_coded


class StoredState:
    """Checked access to a fitted filter's state; raises :class:`ModelFileError` that names it by ``what``."""

    def __init__(self, state: State, what: str) -> None:
        self._state = state
        self._what = what

    def damaged(self) -> ModelFileError:
        return ModelFileError(f"The saved {self._what} are damaged.", remedy="Save the model again.")

    def value(self, key: str) -> Any:
        return self._state.values.get(key)

    def names(self, key: str) -> list[str]:
        names = self.value(key)
        if not isinstance(names, list) or not all(isinstance(text, str) for text in names):
            raise self.damaged()
        return names

    def lists(self, key: str, n: int) -> list[list[str]]:
        lists = self.value(key)
        if not isinstance(lists, list) or len(lists) != n or not all(isinstance(entry, list) for entry in lists):
            raise self.damaged()
        if not all(isinstance(text, str) for entry in lists for text in entry):
            raise self.damaged()
        return lists

    def text(self, key: str, allowed: Collection[str] | None = None) -> str:
        value = self.value(key)
        if not isinstance(value, str) or (allowed is not None and value not in allowed):
            raise self.damaged()
        return value

    def flag(self, key: str) -> bool:
        value = self.value(key)
        if not isinstance(value, bool):
            raise self.damaged()
        return value

    def sizes(self, key: str, n: int | None = None) -> list[int]:
        """The nonnegative integers with this key, ``n`` of them if given."""
        sizes = self.value(key)
        if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
            raise self.damaged()
        if n is not None and len(sizes) != n:
            raise self.damaged()
        return sizes

    def numbers(self, key: str, *shape: int | None) -> FloatArray:
        """The float64 array of this shape with this key; None matches any length."""
        array = self._state.arrays.get(key)
        if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.ndim != len(shape):
            raise self.damaged()
        if any(wanted is not None and wanted != length for wanted, length in zip(shape, array.shape, strict=True)):
            raise self.damaged()
        return array


def packed_texts(name: str, texts: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Texts (m,) as UTF-8 bytes and their lengths (m,), -1 for a missing one."""
    encoded = [text.encode() if isinstance(text, str) else None for text in texts.astype(object)]
    sizes = np.array([-1 if raw is None else len(raw) for raw in encoded], dtype=np.int64)
    return {
        f"{name}-bytes": np.frombuffer(b"".join(raw or b"" for raw in encoded), dtype=np.uint8),
        f"{name}-sizes": sizes,
    }


def unpacked_texts(stored: StoredState, state: State, name: str) -> NDArray[Any]:
    """The texts that :func:`packed_texts` stored; raises :class:`ModelFileError` if they are damaged."""
    raw, sizes = state.arrays.get(f"{name}-bytes"), state.arrays.get(f"{name}-sizes")
    if raw is None or sizes is None or raw.dtype != np.uint8 or sizes.dtype != np.int64 or sizes.ndim != 1:
        raise stored.damaged()
    ends = np.cumsum(np.maximum(sizes, 0))
    if np.any(sizes < -1) or raw.shape != (int(ends[-1]) if len(ends) else 0,):
        raise stored.damaged()
    whole = raw.tobytes()
    pairs = zip(ends.tolist(), sizes.tolist(), strict=True)
    try:
        texts = [np.nan if size < 0 else whole[end - size : end].decode() for end, size in pairs]
    except UnicodeDecodeError:
        raise stored.damaged() from None
    return np.array(texts, dtype=STRING)
