"""What a person can look for in a tree: attributes, tests, values, classes and leaves by their number."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from algorithms.core.structures import NO_NODE, Test
from workbench.geometry.tidy_tree import IndexArray
from workbench.views.tree_drawing import TreePlan, name
from workbench.views.tree_words import condition, question

_LEAF: Final = re.compile(r"(?:leaf|#)\s*(\d+)")
_OPERATOR: Final = re.compile(r"\s*(<=|>=|≤|≥|<|>|=)\s*")
_TYPED: Final = {"≤": "<=", "≥": ">="}
MOST_VALUES: Final = 1000


def plainly(words: str) -> str:
    """Words as they are compared: without capitals, and with operators as they are typed, however spaced."""
    return _OPERATOR.sub(lambda found: _TYPED.get(found[1], found[1]), words.casefold()).strip()


class TreeIndex:
    """The nodes of a tree by what they say. Large trees take some tenths of a second: beside the window.

    A node is found by what it asks (``age <= 30``) or decides (a class), a leaf by its number (``leaf 17``), and
    whatever a condition leads to by that condition (``age > 30``, ``colour = red``, or only ``red``).
    """

    def __init__(self, plan: TreePlan) -> None:
        tree = plan.tree
        self._order = plan.order.tolist()
        self._leaf_at = {int(plan.leaf_number[node]): node for node in self._order if tree.is_leaf(node)}
        self._says: list[str] = []
        self._above: list[str] = []
        self._values: list[tuple[str, int]] = []
        for node in self._order:
            leaf = f"{name(tree, node)}\nleaf {plan.leaf_number[node]}"
            self._says.append(plainly(leaf if tree.is_leaf(node) else question(tree, node)))
            parent = int(tree.parent[node])
            by_number = parent != NO_NODE and tree.test[parent] == Test.NUMERIC and node < tree.first_child[parent] + 2
            way = "" if parent == NO_NODE else plainly(condition(tree, node, at_most=MOST_VALUES))
            self._above.append(way if by_number and node != tree.first_child[parent] else "")
            self._values.append(("", 0) if by_number or not way else (way, len(plainly(name(tree, parent)))))

    def find(self, wanted: str) -> IndexArray:
        """The nodes in which something is found, in reading order; none for no words."""
        words = plainly(wanted)
        if not words:
            return np.zeros(0, dtype=np.int64)
        by_number = _LEAF.fullmatch(words)
        if by_number is not None:
            leaf = self._leaf_at.get(int(by_number[1]))
            return np.array([] if leaf is None else [leaf], dtype=np.int64)
        found = [words in says for says in self._says]
        if ">" in words:  # the other branch is found by the question itself
            found = [is_found or words in above for is_found, above in zip(found, self._above, strict=True)]
        # More than the attribute's name must be meant, or each of its branches would be found with it.
        found = [
            is_found or (len(way) > 0 and way.find(words, max(0, length + 1 - len(words))) >= 0)
            for is_found, (way, length) in zip(found, self._values, strict=True)
        ]
        return np.array([node for node, is_found in zip(self._order, found, strict=True) if is_found], dtype=np.int64)
