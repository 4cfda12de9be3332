"""Reading the arrays of a saved model: each is checked against one declared specification before any loop sees it.

A file may have been made by anybody. A specification says for each array which type and shape it has, by named
dimensions, and which numbers it may hold. Whole numbers are compared as int64, where nothing wraps.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError

_DIMENSION: Final = re.compile(r"(?P<factors>[a-z]+(?:\*[a-z]+)*)(?:\+(?P<more>\d+))?")
_CLOSE: Final = 1e-6
LARGEST: Final = 1e100
"""No saved coefficient is larger: products of two of them stay finite."""


@dataclass(frozen=True, kw_only=True)
class ArraySpec:
    """What one array holds.

    ``shape`` names dimensions: "rules", "rules+1", "attributes*classes+1", or a number. A dimension that is not given
    takes its size from the first array that has it. ``index_of`` is the dimension that whole numbers count in, from
    ``lowest`` on. ``offsets_of`` says that they ascend from 0 to the size of a dimension. ``sums_to_one`` is the axis
    along which shares sum to 1. An array that is not ``finite`` may hold NaN and infinite numbers.
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
    """Coefficients: finite and at most ``largest`` on either side of 0."""
    return ArraySpec(dtype=np.float64, shape=shape, lowest=-largest, highest=largest)


def finite(*shape: str | int) -> ArraySpec:
    """Numbers in the units of the data, which may be of any size."""
    return ArraySpec(dtype=np.float64, shape=shape)


def weights(*shape: str | int) -> ArraySpec:
    """Weights of records or distances: finite and not below 0."""
    return ArraySpec(dtype=np.float64, shape=shape, lowest=0.0)


def spreads(*shape: str | int) -> ArraySpec:
    """Units and deviations: coefficients above 0."""
    return replace(numbers(*shape), lowest=None, above=0.0)


def anything(*shape: str | int) -> ArraySpec:
    """Numbers of which any may be missing or infinite."""
    return ArraySpec(dtype=np.float64, shape=shape, finite=False)


def shares(*shape: str | int, axis: int = -1) -> ArraySpec:
    """Probabilities that sum to 1 along an axis."""
    return ArraySpec(dtype=np.float64, shape=shape, lowest=0.0, sums_to_one=axis)


def indices(of: str, *shape: str | int, lowest: int = 0, dtype: type[np.generic] = np.int32) -> ArraySpec:
    """Positions in a dimension; ``lowest`` is -1 where there may be none."""
    return ArraySpec(dtype=dtype, shape=shape, index_of=of, lowest=lowest)


def offsets(of: str, *shape: str | int, dtype: type[np.generic] = np.int32) -> ArraySpec:
    """Where the parts of another array begin, and at the end its size."""
    return ArraySpec(dtype=dtype, shape=shape, offsets_of=of)


def offsets_of(sizes: Sequence[int]) -> NDArray[np.int32]:
    """Where each of several parts of these sizes starts, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int32)


def whole(*shape: str | int, dtype: type[np.generic] = np.int32, lowest: int | None = None) -> ArraySpec:
    """Whole numbers of this type, whose meaning is checked elsewhere."""
    return ArraySpec(dtype=dtype, shape=shape, lowest=lowest)


def words(*shape: str | int, known: tuple[int, ...], dtype: type[np.generic] = np.int8) -> ArraySpec:
    """Whole numbers that stand for one of a few things."""
    return ArraySpec(dtype=dtype, shape=shape, one_of=known)


def flags(*shape: str | int) -> ArraySpec:
    """0 for no and 1 for yes."""
    return words(*shape, known=(0, 1))


@dataclass(frozen=True)
class ArrayState:
    """The specification of all arrays of one kind of model; ``what`` begins its errors: "The saved rules are"."""

    what: str
    specs: Mapping[str, ArraySpec]

    def read(self, arrays: Mapping[str, Any], **sizes: int) -> dict[str, NDArray[Any]]:
        """The arrays by name, contiguous; raises :class:`ModelFileError` where one is not as declared.

        ``sizes`` are the dimensions that are known beforehand. Optional arrays that are absent are left out.
        """
        read: dict[str, NDArray[Any]] = {}
        dimensions = dict(sizes)
        for name, spec in self.specs.items():
            if name in arrays or not spec.optional:
                read[name] = self._typed(name, spec, arrays.get(name))
                self._bind(name, spec, read[name].shape, dimensions)
        for name, array in read.items():
            self._check(name, self.specs[name], array, dimensions)
        return read

    def require(self, truth: Any, problem: str) -> None:
        """Raises :class:`ModelFileError` where something does not hold."""
        if not bool(truth):
            raise ModelFileError(f"{self.what} damaged: {problem}.", remedy="Save the model again.")

    def _typed(self, name: str, spec: ArraySpec, array: Any) -> NDArray[Any]:
        self.require(isinstance(array, np.ndarray), f"{name} is missing")
        self.require(array.dtype == np.dtype(spec.dtype), f"{name} is of another type")
        self.require(array.ndim == len(spec.shape), f"{name} is of another shape")
        return np.ascontiguousarray(array)

    def _bind(self, name: str, spec: ArraySpec, shape: tuple[int, ...], dimensions: dict[str, int]) -> None:
        for size, dimension in zip(shape, spec.shape, strict=True):
            if isinstance(dimension, str) and dimension.isalpha():
                dimensions.setdefault(dimension, size)
            elif isinstance(dimension, str) and "*" not in dimension:
                factor, _, more = dimension.partition("+")
                dimensions.setdefault(factor, size - int(more))

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
    """The size of a dimension that is named as in :class:`ArraySpec`."""
    if isinstance(dimension, int):
        return dimension
    parts = _DIMENSION.fullmatch(dimension)
    if parts is None:
        raise ValueError(f"{dimension!r} names no dimension")
    size = 1
    for factor in parts["factors"].split("*"):
        size *= dimensions[factor]
    return size + int(parts["more"] or 0)
