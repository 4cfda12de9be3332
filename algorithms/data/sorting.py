"""Sort order of the records by one attribute.

Numbers and dates sort by size, ordinal values by rank, labels and text alphabetically ignoring case. Missing values
come last in both directions; ties keep their order.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import merge
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import Column, IntArray, missing_mask
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind

Checkpoint = Callable[[], None]

_BLOCK: Final = 8192
_PREFIX: Final = 32
"""Characters of a text that the compiled sort compares; ties are then sorted by the whole text."""


def sorted_rows(data: Dataset, index: int, descending: bool = False, checkpoint: Checkpoint = lambda: None) -> IntArray:
    """All row indices of ``data`` (n,), sorted by attribute ``index``."""
    attribute, column = data.schema.attributes[index], data.column(index)
    missing = missing_mask(attribute, column)
    keys = _keys(attribute, column, missing, checkpoint)
    checkpoint()
    if descending:
        np.negative(keys, out=keys)
    if keys.dtype == np.float64:
        keys[missing] = np.inf  # true infinities are moved before these below
        order = np.argsort(keys, kind="stable")
        del keys
        return order if not missing.any() else np.concatenate([order[~missing[order]], order[missing[order]]])
    keys[missing] = np.iinfo(keys.dtype).max
    return np.argsort(keys, kind="stable")


def _keys(attribute: Attribute, column: Column, missing: NDArray[np.bool_], checkpoint: Checkpoint) -> NDArray[Any]:
    """Numeric sort keys of the values (n,); keys of missing values are arbitrary."""
    if attribute.kind.is_float:
        return np.array(column)
    if attribute.kind is AttributeKind.ORDINAL:
        return column.astype(_key_type(attribute))
    if attribute.kind.is_coded:
        by_name = sorted(range(len(attribute.values)), key=lambda code: (attribute.values[code].casefold(), code))
        rank = np.zeros(len(attribute.values) + 1, dtype=_key_type(attribute))
        rank[by_name] = np.arange(len(by_name))
        return rank[column]
    keys = np.zeros(len(column), dtype=np.int64)
    present = np.flatnonzero(~missing)
    keys[present] = _text_ranks(column, present, checkpoint)
    return keys


def _key_type(attribute: Attribute) -> type[np.signedinteger]:
    """The type of the ranks of nominal values: numpy sorts short ones many times as fast."""
    return np.int16 if len(attribute.values) < np.iinfo(np.int16).max else np.int64


def _text_ranks(column: Column, rows: IntArray, checkpoint: Checkpoint) -> IntArray:
    """The rank of each given row's text among the given rows; equal texts have equal ranks."""
    prefixes = np.empty(len(rows), dtype=f"U{_PREFIX}")
    is_long = np.zeros(len(rows), dtype=np.bool_)
    for start in range(0, len(rows), _BLOCK):
        checkpoint()
        texts = [text.casefold() for text in column[rows[start : start + _BLOCK]].tolist()]
        prefixes[start : start + _BLOCK] = texts
        is_long[start : start + _BLOCK] = [len(text) > _PREFIX for text in texts]
    order = np.argsort(prefixes, kind="stable")
    checkpoint()
    if is_long.any():
        order = _by_the_whole(column, rows, prefixes, is_long, order, checkpoint)
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[order] = np.arange(len(rows))
    if len(rows):
        same = prefixes[order[1:]] == prefixes[order[:-1]]
        same &= ~is_long[order[1:]] & ~is_long[order[:-1]]
        first = np.concatenate([[0], np.where(same, 0, np.arange(1, len(rows)))])
        ranks[order] = np.maximum.accumulate(first)
    return ranks


def _by_the_whole(
    column: Column,
    rows: IntArray,
    prefixes: NDArray[Any],
    is_long: NDArray[np.bool_],
    order: IntArray,
    checkpoint: Checkpoint,
) -> IntArray:
    """The order with each run of equal prefixes sorted by the whole texts."""
    ordered = prefixes[order]
    starts = np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, [len(order)]])
    order = order.copy()
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if end - start > 1 and is_long[order[start:end]].any():
            run = order[start:end]
            order[start:end] = run[_sorted_in_blocks(column, rows[run], checkpoint)]
    return order


def _sorted_in_blocks(column: Column, rows: IntArray, checkpoint: Checkpoint) -> list[int]:
    """The sort order of the texts in these rows, by merging blocks: one large sort would block the interpreter."""
    texts: list[str] = []
    blocks: list[list[int]] = []
    for start in range(0, len(rows), _BLOCK):
        checkpoint()
        texts += [text.casefold() for text in column[rows[start : start + _BLOCK]].tolist()]
        blocks.append(sorted(range(start, len(texts)), key=texts.__getitem__))
    if len(blocks) == 1:
        return blocks[0]
    order: list[int] = []
    for row in merge(*blocks, key=texts.__getitem__):
        order.append(row)
        if len(order) % _BLOCK == 0:
            checkpoint()
    return order
