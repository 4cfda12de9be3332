"""Which branches of a tree are folded away. No widgets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from algorithms.core.structures import NO_NODE, Tree
from workbench.geometry.tidy_tree import tree_rows


class Folds:
    """``closed`` says of each node (m,) whether what is below it is hidden.

    ``unasked`` is what the view chose itself, and ``unlit`` what was shown before a single way was: None for neither.
    """

    def __init__(self) -> None:
        self.closed: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.unasked: NDArray[np.bool_] | None = None
        self.unlit: NDArray[np.bool_] | None = None

    def begin(self, closed: NDArray[np.bool_]) -> None:
        """Nobody has asked for anything else than this."""
        self.closed = self.unasked = closed

    @property
    def are_unasked(self) -> bool:
        """Whether they are as the view chose them."""
        return self.closed is self.unasked and self.unlit is None

    def toggle(self, tree: Tree, node: int) -> None:
        """Open or close a node; what is below its branches stays hidden."""
        self.closed = self.closed.copy()
        self.closed[node] = not self.closed[node]
        if not self.closed[node]:
            self.closed[list(tree.children(node))] = True

    def open_to(self, tree: Tree, node: int) -> int:
        """Open what hides a node; returns the first that was closed on the way, ``NO_NODE`` where none was."""
        closed = [passed for passed in tree.path(node)[:-1] if self.closed[passed]]
        if not closed:
            return NO_NODE
        self.closed = self.closed.copy()
        for passed in closed:
            self.closed[list(tree.children(passed))] = True
        self.closed[closed] = False
        return closed[0]

    def levels(self, tree: Tree) -> tuple[int, bool]:
        """How many levels below the root are shown, and whether no branch is folded away above the last of them."""
        rows = tree_rows(tree.first_child, tree.n_children, self.closed)
        is_even = not any((self.closed[row] & (tree.n_children[row] > 0)).any() for row in rows[:-1])
        return len(rows) - 1, is_even

    def light(self, tree: Tree, nodes: Sequence[int]) -> None:
        """Fold away all but the way along these nodes; for none, show again what was shown before."""
        if self.unlit is None:
            self.unlit = self.closed
        if nodes:
            self.closed = tree.n_children > 0
            self.closed[tree.parent[[node for node in nodes if node]]] = False
        else:
            self.closed, self.unlit = self.unlit, None
