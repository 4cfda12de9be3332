"""Edits of a tree by the user as plain data, and the paths that name their nodes in any tree of the same learner.

A path is a list of steps: the tested attribute and the branch. Trees grown on other records have other thresholds. Two
steps are therefore equal if the attribute is the same and the branch has the same position (numbers, ordered values) or
the same values (nominal attributes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

from algorithms.core.errors import ModelFileError
from algorithms.core.model_editing import ModelEdit, unreadable_edits
from algorithms.core.plain_json import a_list, a_number, a_text, an_integer, an_object, strings_in
from algorithms.structures.tree import SplitTest, Tree, branch_words
from algorithms.text.numbers import cut_number
from algorithms.text.sentences import listed

Way = tuple["PathStep", ...]


@dataclass(frozen=True)
class PathStep:
    """One step of a path: branch ``branch`` of ``n_branches``, in ``words``: ``<= 0.6``.

    ``attribute`` names all attributes of a linear test, whose coefficients differ between trees. ``values`` are the
    labels of the branch of a nominal test, else empty.
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
        """The step from JSON; raises :class:`ModelFileError` if it is invalid."""
        given: dict[str, Any] = {"values": [], "words": "", **stored} if isinstance(stored, Mapping) else {}
        branch, n_branches, values = an_integer(given, "branch"), an_integer(given, "of"), strings_in(given, "values")
        if branch < 0 or n_branches < 0:
            raise unreadable_edits("tree")
        return cls(a_text(given, "attribute"), branch, n_branches, tuple(values), a_text(given, "words"))


def step_to(tree: Tree, child: int) -> PathStep:
    """The step from a node's parent to the node, which must have one."""
    parent, branch = int(tree.parent[child]), tree.branch_to(child)
    attribute = tree.schema.attributes[int(tree.attribute[parent])]
    values: tuple[str, ...] = ()
    if _is_of_values(tree, parent):
        values = tuple(attribute.values[code] for code in tree.values_of_branch(parent, branch))
    words = branch_words(tree, parent, branch, at_most=6)
    return PathStep(asked_words(tree, parent), branch, int(tree.n_children[parent]), values, words)


def way_to(tree: Tree, node: int) -> Way:
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
    """Branch of a node that matches a step; None if the split or its values differ."""
    if tree.is_leaf(node) or asked_words(tree, node) != step.attribute:
        return None
    if not step.values:
        n_branches = int(tree.n_children[node])
        same = not _is_of_values(tree, node) or tree.is_for_missing(node, min(step.branch, n_branches - 1))
        return step.branch if same and n_branches == step.n_branches else None
    if not _is_of_values(tree, node):
        return None
    labels, wanted = tree.schema.attributes[int(tree.attribute[node])].values, set(step.values)
    branches = [{labels[c] for c in tree.values_of_branch(node, b)} for b in range(int(tree.n_children[node]))]
    for branch, here in enumerate(branches):
        if here & wanted:
            return branch if here == wanted & set().union(*branches) else None
    return None


Bounds = tuple[float | None, float | None]
"""Numbers above the first and up to the second bound; None without a bound. A bound may be infinite."""


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


@dataclass(frozen=True)
class EditedSplit:
    """The user's split of a node; without ``threshold`` and ``groups`` the learner finds the best of the attribute."""

    attribute: str
    threshold: float | None = None
    groups: tuple[tuple[str, ...], ...] = ()

    def words(self) -> str:
        """The split in words: ``age <= 40``, ``colour: red or blue, else green``."""
        if self.threshold is not None:
            return f"{self.attribute} <= {cut_number(self.threshold)}"
        if self.groups:
            return f"{self.attribute}: {' / '.join(listed(group) for group in self.groups)}"
        return self.attribute


@dataclass(frozen=True)
class TreeEdit(ModelEdit):
    """One edit: the node at the end of the path ``at`` becomes a leaf, or gets the split ``question``.

    If ``grown``, the learner grows the subtrees of the split with its own settings; otherwise the children are leaves.
    """

    at: Way
    question: EditedSplit | None = None
    grown: bool = True

    kind: ClassVar[str] = "tree"

    def words(self) -> str:
        if self.question is None:
            return "Make it a leaf"
        return f"Split on {self.question.words()}"

    def where(self) -> str:
        return " and ".join(f"{step.attribute} {step.words}" for step in self.at) or "at the root"

    def to_json(self) -> dict[str, Any]:
        stored: dict[str, Any] = {"at": [step.to_json() for step in self.at]}
        if self.question is None:
            return {**stored, "do": "leaf"}
        ask: dict[str, Any] = {"attribute": self.question.attribute}
        if self.question.threshold is not None:
            ask["threshold"] = self.question.threshold
        if self.question.groups:
            ask["groups"] = [list(group) for group in self.question.groups]
        return {**stored, "do": "ask", "ask": ask, "below": "grown" if self.grown else "leaves"}

    @classmethod
    def from_json(cls, stored: Any) -> TreeEdit:
        try:
            way = tuple(PathStep.from_json(step) for step in a_list(stored, "at"))
            if stored.get("do") == "leaf":
                return cls(way)
            ask: dict[str, Any] = {"groups": [], **an_object(stored, "ask")}
            below = stored.get("below", "grown")
            threshold = a_number(ask, "threshold") if ask.get("threshold") is not None else None
            groups = tuple(tuple(strings_in({"groups": group}, "groups")) for group in a_list(ask, "groups"))
            question = EditedSplit(a_text(ask, "attribute"), threshold, groups)
        except ModelFileError:
            raise unreadable_edits("tree") from None
        values = [value for group in groups for value in group]
        if stored.get("do") != "ask" or below not in ("grown", "leaves"):
            raise unreadable_edits("tree")
        if len(groups) == 1 or len(set(values)) < len(values):
            raise unreadable_edits("tree")
        return cls(way, question, below == "grown")


Edits = tuple[TreeEdit, ...]


def with_edit(edits: Sequence[TreeEdit], new: TreeEdit) -> Edits:
    """The edits with a new one, which replaces earlier edits at its node or below."""
    return (*without_edits_at(edits, new.at), new)


def without_edits_at(edits: Sequence[TreeEdit], place: Way) -> Edits:
    """The edits without those at the end of a path or below: there the learner's tree is restored."""
    return tuple(edit for edit in edits if not is_below(edit.at, place))


def is_below(way: Way, place: Way) -> bool:
    """Whether a path leads to the end of another one or below."""
    same = (replace(mine, words="") == replace(theirs, words="") for mine, theirs in zip(way, place, strict=False))
    return len(way) >= len(place) and all(same)
