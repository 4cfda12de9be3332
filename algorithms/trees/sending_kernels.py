# mypy: disable-error-code="arg-type, misc, index"
"""Compiled loops that send records, and lists of parts of records, down a tree that is being cut back."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled
from algorithms.trees.prediction_kernels import LEAF, LINEAR, NUMERIC, RANGES, stand_in, way

STEP: Final = np.dtype(
    [
        ("threshold", np.float64),
        ("first_child", np.int32),
        ("slot", np.int32),
        ("offset", np.int32),
        ("n_values", np.int32),
        ("kind", np.int32),
        ("divides", np.int32),
    ]
)
"""What most nodes need to send a record on, in one place of memory a node. A node whose own value answers, and nothing
else does, ``divides`` the records without."""


@compiled
def reach(
    at: int,
    last: int,
    node: int,
    rows: Any,
    after: Any,
    block: Any,
    steps: Any,
    branch_of: Any,
    some: Any,
    reached: Any,
) -> Any:
    """Send the next parts of a list, from ``at`` to ``last``, down from a node; how many, at most :data:`PATIENCE`.

    ``some`` are these parts, and ``reached`` the leaves that their records reach, or the nodes on the way that
    :func:`answer` has none at. Many at a time, and the answers once more: handing arrays over takes longer than a step.
    """
    n = 0
    while True:
        row, to = np.uint64(rows[at]), np.uint64(node)
        while True:
            kind = steps[to].kind
            if kind == NUMERIC:
                value = block[row, np.uint64(steps[to].slot)]
                if value <= steps[to].threshold:
                    to = np.uint64(steps[to].first_child)
                elif value > steps[to].threshold:
                    to = np.uint64(steps[to].first_child + 1)
                else:
                    break
            elif kind in (LEAF, RANGES, LINEAR):
                break
            else:
                value = block[row, np.uint64(steps[to].slot)]
                if not 0.0 <= value < steps[to].n_values:
                    break
                down = branch_of[np.uint64(steps[to].offset + np.int64(value))]
                if down < 0:
                    break
                to = np.uint64(steps[to].first_child + down)
        some[n], reached[n] = at, to
        n += 1
        if at == last or n == len(some):
            return n
        at = after[at]


@compiled
def reach_on(block: Any, row: int, node: int, routing: Any, tree: Any) -> Any:
    """The leaf that a row reaches from a node, or the node on the way where it has no answer."""
    at = np.int64(node)
    while tree.steps[at].kind != LEAF:
        down = way(block, row, at, routing)
        if down < 0:
            down = stand_in(block, row, tree.source[at], routing)
        if down < 0:
            break
        at = np.int64(routing.first_child[at] + down)
    return at


@compiled
def walk(block: Any, row: int, node: int, steps: Any, branch_of: Any) -> Any:
    """As :func:`reach` for one record."""
    at = np.int64(node)
    while steps[at].kind != LEAF:
        down = answer(block, row, at, steps, branch_of)
        if down < 0:
            break
        at = np.int64(steps[at].first_child + down)
    return at


@compiled
def answer(block: Any, row: int, node: int, steps: Any, branch_of: Any) -> int:
    """The branch of a row at a test of one number or of listed values; -1 where it has none, or the test is another."""
    step = steps[node]
    if step.kind == NUMERIC:
        value = block[row, step.slot]
        return 0 if value <= step.threshold else 1 if value > step.threshold else -1
    if step.kind in (RANGES, LINEAR):
        return -1
    value = block[row, step.slot]
    if value != value:
        return -1
    code = int(value)
    return int(branch_of[step.offset + code]) if 0 <= code < step.n_values else -1


def warm_up() -> None:
    """Nothing: these are called by other compiled loops only, which compile them."""
