"""A tree put together from nodes that grew one by one: the arrays of :class:`Tree`, filled where each node stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.schema import Schema
from algorithms.core.structures import Tree


class GrownNode(Protocol):
    """A node that has its place: that of its parent and of its first child (-1: none), and its class weights (k,)."""

    parent: int
    first_child: int

    @property
    def counts(self) -> FloatArray | None: ...


class Assembly:
    """Takes the question of each inner node; those that are not asked anything stay leaves."""

    def __init__(self, nodes: Sequence[GrownNode]) -> None:
        m = len(nodes)
        self._nodes = nodes
        self._test, self._n_children = np.zeros(m, dtype=np.int8), np.zeros(m, dtype=np.int32)
        self._attribute, self._offset = np.full(m, -1, dtype=np.int32), np.full(m, -1, dtype=np.int32)
        self._threshold, self._gain = np.full(m, np.nan), np.full(m, np.nan)
        self._missing_to = np.full(m, -1, dtype=np.int16)
        self._branch_of: list[NDArray[np.int16]] = [np.zeros(0, dtype=np.int16)]
        self._n_branch_of = 0

    def ask(
        self, at: int, *, test: int, attribute: int, n_children: int, threshold: float, missing_to: int, gain: float
    ) -> None:
        """The question of the node at this place, in the terms of :class:`Tree`."""
        self._test[at], self._attribute[at], self._n_children[at] = test, attribute, n_children
        self._threshold[at], self._missing_to[at], self._gain[at] = threshold, missing_to, gain

    def set_offset(self, at: int, offset: int) -> None:
        """Where what else belongs to the node's question begins."""
        self._offset[at] = offset

    def put(self, branch_of: IntArray | NDArray[np.int16]) -> int:
        """Keep the branch of each value, and say where it begins."""
        start = self._n_branch_of
        self._branch_of.append(np.asarray(branch_of, dtype=np.int16))
        self._n_branch_of += len(branch_of)
        return start

    def tree(self, schema: Schema, criterion: str, **further: Any) -> Tree:
        """The tree; each node decides for its most frequent class. ``further`` are other fields of :class:`Tree`."""
        from algorithms.trees.kernels import decide

        parent = np.array([node.parent for node in self._nodes], dtype=np.int32)
        counts = np.array([node.counts for node in self._nodes], dtype=np.float64)
        decision = np.empty(len(self._nodes), dtype=np.int32)
        decide(counts, parent, decision)
        return Tree(
            schema=schema,
            test=self._test,
            attribute=self._attribute,
            threshold=self._threshold,
            first_child=np.array([node.first_child for node in self._nodes], dtype=np.int32),
            n_children=self._n_children,
            parent=parent,
            offset=self._offset,
            branch_of=np.concatenate(self._branch_of),
            counts=counts,
            decision=decision,
            gain=self._gain,
            missing_to=self._missing_to,
            criterion=criterion,
            **further,
        )
