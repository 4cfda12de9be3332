"""What a person can look for in a tree: attributes, tests, values, classes and leaves by their number."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from algorithms.core.structures import NO_NODE
from workbench.geometry.tidy_tree import IndexArray
from workbench.views.tree_drawing import TreePlan
from workbench.views.tree_words import condition, question

_LEAF: Final = re.compile(r"(?:leaf|#)\s*(\d[\d,]*)")
_OPERATOR: Final = re.compile(r"\s*(<=|>=|≤|≥|<|>|=)\s*")
_TYPED: Final = {"≤": "<=", "≥": ">="}
MOST_VALUES: Final = 1000
BREATH: Final = 400
"""So many nodes are read in some milliseconds."""


def plainly(words: str) -> str:
    """Words as they are compared: without capitals, and with operators as they are typed, however spaced."""
    return _OPERATOR.sub(lambda found: _TYPED.get(found[1], found[1]), words.casefold()).strip()


class TreeIndex:
    """The nodes of a tree by what they say. Large trees take some tenths of a second: beside the window.

    A node is found by what it asks (``age <= 30``) or decides (a class), a leaf by its number (``leaf 17``), and
    whatever a condition leads to by that condition (``age > 30``, ``colour = red``, or only ``red``). Words that stand
    nowhere together are looked for each on its own. ``give_way`` is
    called every few milliseconds while the tree is read.
    """

    def __init__(self, plan: TreePlan, give_way: Callable[[], None] = lambda: None) -> None:
        tree = plan.worded
        self._order = plan.order.tolist()
        self._leaf_at: dict[int, int] = {}
        self._says: list[str] = []
        self._above: list[tuple[int, str]] = []
        self._values: list[tuple[int, str, int]] = []
        names = [plainly(attribute.name) for attribute in tree.schema.attributes]
        classes = [plainly(label) for label in tree.schema.classes]
        attributes, decisions, parents = tree.attribute.tolist(), tree.decision.tolist(), tree.parent.tolist()
        first_children, numbers = tree.first_child.tolist(), plan.leaf_number.tolist()
        for place, node in enumerate(self._order):
            if place % BREATH == BREATH - 1:
                give_way()
            if tree.is_leaf(node):
                self._leaf_at[numbers[node]] = node
                self._says.append(f"{classes[decisions[node]]}\nleaf {numbers[node]}")
            else:
                self._says.append(plainly(question(tree, node)))
            parent = parents[node]
            if parent == NO_NODE:
                continue
            if not tree.has_threshold(parent) or node > first_children[parent] + 1:
                way = plainly(condition(tree, node, at_most=MOST_VALUES))
                self._values.append((place, way, len(names[attributes[parent]])))
            elif node != first_children[parent]:
                self._above.append((place, plainly(condition(tree, node))))

    def find(self, wanted: str) -> IndexArray:
        """The nodes in which something is found, in reading order; none for no words."""
        words = plainly(wanted)
        if not words:
            return np.zeros(0, dtype=np.int64)
        by_number = _LEAF.fullmatch(words)
        if by_number is not None:
            leaf = self._leaf_at.get(int(by_number[1].replace(",", "")))
            return np.array([] if leaf is None else [leaf], dtype=np.int64)
        found = self._meant(words)
        if not found and " " in words:
            parts = [self._meant(word) for word in words.split()]
            found = set.intersection(*parts)
        return np.array([self._order[place] for place in sorted(found)], dtype=np.int64)

    def _meant(self, words: str) -> set[int]:
        """The places in which these words stand, in this order."""
        found = {place for place, says in enumerate(self._says) if words in says}
        if ">" in words:  # the other branch is found by the question itself
            found.update(place for place, above in self._above if words in above)
        # More than the attribute's name must be meant, or each of its branches would be found with it.
        found.update(
            place
            for place, way, length in self._values
            if words in way and way.find(words, max(0, length + 1 - len(words))) >= 0
        )
        return found
