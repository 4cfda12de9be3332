"""Compiled loops: the decorator that makes them, and the load that sees a stop.

Only this module and the modules named ``*kernels.py`` import numba, and nothing imports those before a fit needs them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

from algorithms.compiled.kernel_cache import LOCATORS, cache_folder

os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())
os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = LOCATORS

import numba
from llvmlite import ir
from numba.core import config, types
from numba.core.extending import intrinsic

from algorithms.compiled.kernel_locator import TolerantIndex

config.reload_config()  # where another package imported numba before, it has read its environment already

F = TypeVar("F", bound=Callable[..., Any])

_decorate = numba.njit(nogil=True, cache=True, error_model="numpy")
_decorate_part = numba.njit(nogil=True, cache=True, error_model="numpy", inline="always")


def compiled(function: F) -> F:
    """The function as a compiled loop that releases the interpreter lock and is kept on disk."""
    return cast(F, _with_tolerant_index(_decorate(function)))


def part_of_loop(function: F) -> F:
    """The function inlined into each compiled loop that calls it, and compiled with that loop only.

    Use it for a large function with many arguments and one caller. The compiler optimises a :func:`compiled` function
    and everything it calls again in each caller.
    """
    return cast(F, _with_tolerant_index(_decorate_part(function)))


def _with_tolerant_index(dispatcher: Any) -> Any:
    """The compiled function; its index on disk counts as empty if it is unreadable."""
    dispatcher._cache._cache_file.__class__ = TolerantIndex
    return dispatcher


def _atomic_load(typing_context: Any, array: Any) -> Any:
    """The first item of an int64 array, read from memory each time: a plain read would be hoisted out of a loop."""
    if not (isinstance(array, types.Array) and array.dtype == types.int64):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load_atomic(data, "monotonic", 8, typ=ir.IntType(64))

    return types.int64(array), generate


def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """The number of zero bits below the lowest one of a uint64, by the processor's own instruction."""
    if word != types.uint64:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


_first_item: Any = intrinsic(_atomic_load)
lowest_bit: Any = intrinsic(_trailing_zeros)
"""The place of the lowest one of a uint64 that is not zero."""


@compiled
def stop_word(control: Any) -> Any:
    """The stop word of a control array (see :mod:`algorithms.core.run_control`), by an atomic monotonic load."""
    return _first_item(control)
