"""Validation of the arrays in a saved model against a declared specification, before any kernel reads them.

Files are untrusted. A specification gives the type, the shape (by named dimensions) and the allowed values of each
array. Integers are compared as int64, which does not overflow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError
from algorithms.data.schema import Schema

_DIMENSION: Final = re.compile(r"(?P<factors>[a-z]+(?:\*[a-z]+)*)(?:\+(?P<more>\d+))?")
_CLOSE: Final = 1e-6
LARGEST: Final = 1e100
"""Largest absolute value of a saved coefficient: products of two of them stay finite."""


@dataclass(frozen=True, kw_only=True)
class ArraySpec:
    """Specification of one array.

    ``shape`` names dimensions: "rules", "rules+1", "attributes*classes+1", or a number. The first array with a
    dimension fixes its size, unless it is given. ``index_of`` is the dimension that integer values index, from
    ``lowest``. ``offsets_of`` requires ascending offsets from 0 to the size of a dimension. ``sums_to_one`` is the axis
    along which the values sum to 1. An array that is not ``finite`` may hold NaN and infinite numbers.
    """

    dtype: type[np.generic]
    shape: tuple[str | int, ...]
    lowest: float | None = None
    highest: float | None = None
    above: float | None = None
    index_of: str = ""
    offsets_of: str = ""
    one_of: tuple[int, ...] = ()
    ascending: bool = False
    sums_to_one: int | None = None
    finite: bool = True
    optional: bool = False


def numbers(*shape: str | int, largest: float = LARGEST) -> ArraySpec:
    """Specification of coefficients: finite, with absolute values of at most ``largest``."""
    return ArraySpec(dtype=np.float64, shape=shape, lowest=-largest, highest=largest)


def finite(*shape: str | int) -> ArraySpec:
    """Specification of finite numbers of any size, such as attribute values."""
    return ArraySpec(dtype=np.float64, shape=shape)


def weights(*shape: str | int) -> ArraySpec:
    """Specification of weights or distances: finite and not negative."""
    return ArraySpec(dtype=np.float64, shape=shape, lowest=0.0)


def spreads(*shape: str | int) -> ArraySpec:
    """Specification of scales and standard deviations: positive coefficients."""
    return replace(numbers(*shape), lowest=None, above=0.0)


def anything(*shape: str | int) -> ArraySpec:
    """Specification of any numbers, including NaN and infinite ones."""
    return ArraySpec(dtype=np.float64, shape=shape, finite=False)


def shares(*shape: str | int, axis: int = -1) -> ArraySpec:
    """Specification of probabilities that sum to 1 along an axis."""
    return ArraySpec(dtype=np.float64, shape=shape, lowest=0.0, sums_to_one=axis)


def indices(of: str, *shape: str | int, lowest: int = 0, dtype: type[np.generic] = np.int32) -> ArraySpec:
    """Specification of indices into the dimension ``of``; a ``lowest`` of -1 allows -1 for none."""
    return ArraySpec(dtype=dtype, shape=shape, index_of=of, lowest=lowest)


def offsets(of: str, *shape: str | int, dtype: type[np.generic] = np.int32) -> ArraySpec:
    """Specification of integer offsets: the start of each part of the dimension ``of``, and last its size."""
    return ArraySpec(dtype=dtype, shape=shape, offsets_of=of)


def offsets_of(sizes: Sequence[int]) -> NDArray[np.int32]:
    """The start offset of each of several consecutive parts with these sizes, and last the total size."""
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int32)


def whole(*shape: str | int, dtype: type[np.generic] = np.int32, lowest: int | None = None) -> ArraySpec:
    """Specification of an integer array without an upper bound; the caller checks that."""
    return ArraySpec(dtype=dtype, shape=shape, lowest=lowest)


def words(*shape: str | int, known: tuple[int, ...], dtype: type[np.generic] = np.int8) -> ArraySpec:
    """Specification of integer codes from the set ``known``."""
    return ArraySpec(dtype=dtype, shape=shape, one_of=known)


def flags(*shape: str | int) -> ArraySpec:
    """Specification of an array of 0 (no) and 1 (yes)."""
    return words(*shape, known=(0, 1))


@dataclass(frozen=True)
class ArrayState:
    """The specification of all arrays of a kind of model; ``what`` begins its errors: "The saved rules are"."""

    what: str
    specs: Mapping[str, ArraySpec]

    def read(self, arrays: Mapping[str, Any], **sizes: int) -> dict[str, NDArray[Any]]:
        """The arrays by name without absent optional ones; raises :class:`ModelFileError` if one does not match."""
        read: dict[str, NDArray[Any]] = {}
        dimensions = dict(sizes)
        for name, spec in self.specs.items():
            if name in arrays or not spec.optional:
                read[name] = self._typed(name, spec, arrays.get(name))
                for size, dimension in zip(read[name].shape, spec.shape, strict=True):
                    if isinstance(dimension, str) and dimension.isalpha():
                        dimensions.setdefault(dimension, size)
                    elif isinstance(dimension, str) and "*" not in dimension:
                        factor, _, more = dimension.partition("+")
                        dimensions.setdefault(factor, size - int(more))
        for name, array in read.items():
            self._check(name, self.specs[name], array, dimensions)
        return read

    def read_for(self, schema: Schema, arrays: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """:meth:`read` for a model of this schema, which must have classes."""
        self.require(schema.classes, "it has no classes")
        return self.read(arrays, attributes=len(schema), classes=len(schema.classes))

    def require(self, truth: Any, problem: str) -> None:
        """Raise :class:`ModelFileError` unless ``truth`` holds."""
        if not bool(truth):
            raise ModelFileError(f"{self.what} damaged: {problem}.", remedy="Save the model again.")

    def _typed(self, name: str, spec: ArraySpec, array: Any) -> NDArray[Any]:
        self.require(isinstance(array, np.ndarray), f"{name} is missing")
        self.require(array.dtype == np.dtype(spec.dtype), f"{name} is of another type")
        self.require(array.ndim == len(spec.shape), f"{name} is of another shape")
        return np.ascontiguousarray(array)

    def _check(self, name: str, spec: ArraySpec, array: NDArray[Any], dimensions: Mapping[str, int]) -> None:
        shape = tuple(_size(dimension, dimensions) for dimension in spec.shape)
        self.require(array.shape == shape, f"{name} is of another size")
        if array.dtype.kind == "f":
            self._check_numbers(name, spec, array)
            return
        wide = array.astype(np.int64)
        if spec.offsets_of:
            self.require(len(wide) and wide[0] == 0 and wide[-1] == dimensions[spec.offsets_of],
                         f"{name} does not cover its parts")  # fmt: skip
            self.require(np.all(wide[1:] >= wide[:-1]), f"{name} is not in order")
        if spec.index_of:
            self.require(np.all(wide < dimensions[spec.index_of]), f"{name} points at nothing")
        if spec.lowest is not None:
            self.require(np.all(wide >= spec.lowest), f"{name} holds a number that is too small")
        if spec.highest is not None:
            self.require(np.all(wide <= spec.highest), f"{name} holds a number that is too large")
        if spec.one_of:
            self.require(np.all(np.isin(wide, spec.one_of)), f"{name} holds a number without a meaning")
        if spec.ascending:
            self.require(np.all(wide[1:] > wide[:-1]), f"{name} is not in order")

    def _check_numbers(self, name: str, spec: ArraySpec, array: NDArray[Any]) -> None:
        if not spec.finite:
            return
        with np.errstate(over="ignore"):
            self.require(np.all(np.isfinite(array)), f"{name} holds what is no number")
            self.require(np.all(np.isfinite(np.abs(array).sum(axis=-1))), f"{name} has no finite sum")
        if spec.lowest is not None:
            self.require(np.all(array >= spec.lowest), f"{name} holds a number that is too small")
        if spec.highest is not None:
            self.require(np.all(array <= spec.highest), f"{name} holds a number that is too large")
        if spec.above is not None:
            self.require(np.all(array > spec.above), f"{name} holds a number that is too small")
        if spec.ascending:
            self.require(np.all(array[1:] > array[:-1]), f"{name} is not in order")
        if spec.sums_to_one is not None:
            sums = array.sum(axis=spec.sums_to_one)
            self.require(np.all(np.abs(sums - 1.0) <= _CLOSE), f"the shares in {name} do not sum to 1")


def _size(dimension: str | int, dimensions: Mapping[str, int]) -> int:
    """The size of a dimension, which is written as in :class:`ArraySpec`."""
    if isinstance(dimension, int):
        return dimension
    parts = _DIMENSION.fullmatch(dimension)
    if parts is None:
        raise ValueError(f"{dimension!r} names no dimension")
    size = 1
    for factor in parts["factors"].split("*"):
        size *= dimensions[factor]
    return size + int(parts["more"] or 0)
