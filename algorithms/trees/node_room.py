"""Room for the nodes of a tree that grows, and more of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.trees.growing import Nodes, StandIns


def new_nodes(capacity: int) -> Nodes:
    """Room for so many nodes."""
    int8, int16, int32, int64, real = np.int8, np.int16, np.int32, np.int64, np.float64
    types: tuple[Any, ...] = (int8, *[int32] * 7, int16, int32, *[int64] * 3, real, real, int32)
    arrays: list[Any] = [np.empty(capacity, dtype=dtype) for dtype in types]
    return Nodes(*arrays)


def new_stand_ins(capacity: int) -> StandIns:
    int8, int32 = np.int8, np.int32
    arrays: list[Any] = [np.empty(capacity, dtype=dtype) for dtype in (*[int32] * 5, int8, np.float64)]
    return StandIns(*arrays)


def resized(nodes: Nodes, length: int) -> Nodes:
    """The first nodes, or all of them with room for more."""
    arrays: list[Any] = [enlarged(array, length)[:length] for array in nodes]
    return Nodes(*arrays)


def enlarged(array: NDArray[Any], length: int) -> NDArray[Any]:
    """The array with room for so many in its first dimension, where it has less."""
    if length <= len(array):
        return array
    larger = np.empty((length, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
