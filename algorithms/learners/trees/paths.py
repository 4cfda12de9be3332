"""The way to a node of a tree as plain data, and the same way in another tree of the same learner.

A way is a list of steps: the attribute that is asked for and which of its answers is meant. Trees grown on other
records of the same kind put their thresholds elsewhere: a step is the same one where the same attribute is asked for
and the branch is the same one in order (numbers, ordered values) or for the same values (lists of values).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from algorithms.core.errors import ParameterError
from algorithms.learners.trees.words import branch_words
from algorithms.structures.tree import SplitTest, Tree

Way = tuple["PathStep", ...]


@dataclass(frozen=True)
class PathStep:
    """One step of a path: branch ``branch`` of ``n_branches``, in ``words``: ``<= 0.6``.

    Of a weighed sum ``attribute`` names all that are in it: its coefficients are elsewhere in other trees.

    ``values`` are the labels that lead down it where that is a list of values without an order; else it is empty.
    """

    attribute: str
    branch: int
    n_branches: int
    values: tuple[str, ...] = ()
    words: str = ""

    def to_json(self) -> dict[str, Any]:
        stored: dict[str, Any] = {"attribute": self.attribute, "branch": self.branch, "of": self.n_branches}
        if self.values:
            stored["values"] = list(self.values)
        return {**stored, "words": self.words}

    @classmethod
    def from_json(cls, stored: Any) -> PathStep:
        """The step from JSON; raises :class:`ParameterError` if it is invalid."""
        if not isinstance(stored, Mapping):
            raise nonsense()
        branch, n_branches = stored.get("branch"), stored.get("of")
        attribute, words, values = stored.get("attribute"), stored.get("words", ""), stored.get("values", [])
        if not isinstance(attribute, str):
            raise nonsense()
        if not isinstance(words, str) or not isinstance(values, list) or not all(isinstance(v, str) for v in values):
            raise nonsense()
        return cls(attribute, _count(branch), _count(n_branches), tuple(values), words)


def nonsense() -> ParameterError:
    """The error of invalid edits."""
    return ParameterError("The changes of the tree cannot be read.", remedy="Save them again.", place="edits")


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise nonsense()
    return value


def step_to(tree: Tree, child: int) -> PathStep:
    """The step from a node's parent to the node, which must have one."""
    parent = int(tree.parent[child])
    branch = child - int(tree.first_child[parent])
    attribute = tree.schema.attributes[int(tree.attribute[parent])]
    values: tuple[str, ...] = ()
    if _is_of_values(tree, parent):
        values = tuple(attribute.values[code] for code in tree.values_of_branch(parent, branch))
    words = branch_words(tree, parent, branch, at_most=6)
    return PathStep(asked_words(tree, parent), branch, int(tree.n_children[parent]), values, words)


def way_to(tree: Tree, node: int) -> Way:
    """The steps from the root to a node."""
    return tuple(step_to(tree, passed) for passed in tree.path(node)[1:])


def follow(tree: Tree, way: Sequence[PathStep]) -> int | None:
    """The node at the end of a path; None if the tree has other splits on it."""
    node = 0
    for step in way:
        branch = branch_of_step(tree, node, step)
        if branch is None:
            return None
        node = int(tree.first_child[node]) + branch
    return node


def branch_of_step(tree: Tree, node: int, step: PathStep) -> int | None:
    """Branch of a node that matches a step; None if the split differs or does not know its values."""
    if tree.is_leaf(node) or asked_words(tree, node) != step.attribute:
        return None
    if not step.values:
        same = not _is_of_values(tree, node) or tree.is_for_missing(node, min(step.branch, _last(tree, node)))
        return step.branch if same and int(tree.n_children[node]) == step.n_branches else None
    if not _is_of_values(tree, node):
        return None
    attribute, wanted = tree.schema.attributes[int(tree.attribute[node])], set(step.values)
    for branch in range(int(tree.n_children[node])):
        here = {attribute.values[code] for code in tree.values_of_branch(node, branch)}
        if here & wanted:
            answered = {attribute.values[code] for code in _answered(tree, node)}
            return branch if here == wanted & answered else None
    return None


Bounds = tuple[float | None, float | None]
"""Numbers above the first, up to the second; None for no bound. A bound may be infinite."""


def bounds(tree: Tree, node: int, branch: int) -> Bounds:
    """The interval of a branch of a numeric split."""
    if int(tree.test[node]) == SplitTest.RANGES:
        ends = [float(end) for end in tree.ends(node)]
    else:
        ends = [float(tree.threshold[node]), inf]
    return ends[branch - 1] if branch else None, ends[branch] if branch < len(ends) - 1 else None


def asked_words(tree: Tree, node: int) -> str:
    """The tested attribute, empty for a leaf; all attributes of a linear test in the order of the table."""
    return " + ".join(tree.schema.attributes[index].name for index in sorted(tree.asked(node)))


def _is_of_values(tree: Tree, node: int) -> bool:
    return int(tree.test[node]) in (SplitTest.MULTIWAY, SplitTest.SUBSET)


def _last(tree: Tree, node: int) -> int:
    return int(tree.n_children[node]) - 1


def _answered(tree: Tree, node: int) -> list[int]:
    """Codes of the values that have a branch."""
    return [code for branch in range(int(tree.n_children[node])) for code in tree.values_of_branch(node, branch)]
