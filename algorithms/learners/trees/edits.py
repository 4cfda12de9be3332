"""What a person changed in a tree, as plain data that is replayed on any tree of the same learner."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from algorithms.core import plain_json
from algorithms.learners.trees.paths import PathStep, Way, nonsense
from algorithms.learners.trees.words import listed, number


@dataclass(frozen=True)
class EditedSplit:
    """The split that the user gave a node.

    Without ``threshold`` and ``groups`` the learner finds the best threshold, or groups, of the attribute itself.
    """

    attribute: str
    threshold: float | None = None
    groups: tuple[tuple[str, ...], ...] = ()

    def words(self) -> str:
        """The split in words: ``age <= 40``, ``colour: red or blue, else green``."""
        if self.threshold is not None:
            return f"{self.attribute} <= {number(self.threshold)}"
        if self.groups:
            return f"{self.attribute}: {' / '.join(listed(group) for group in self.groups)}"
        return self.attribute


@dataclass(frozen=True)
class TreeEdit:
    """One edit: the node at the end of the path ``at`` becomes a leaf, or gets the split ``question``.

    Below a question the same learner grows on with its own settings where ``grown``; else the children are leaves.
    """

    at: Way
    question: EditedSplit | None = None
    grown: bool = True

    def words(self) -> str:
        """The edit in words, without its place."""
        if self.question is None:
            return "Make it a leaf"
        return f"Ask {self.question.words()}"

    def where(self) -> str:
        """The place of the edit, in words."""
        return " and ".join(f"{step.attribute} {step.words}" for step in self.at) or "at the root"


Edits = tuple[TreeEdit, ...]


def edits_to_text(edits: Sequence[TreeEdit]) -> str:
    """The edits as JSON text, identical for equal edits."""
    return json.dumps([_to_json(edit) for edit in edits], ensure_ascii=False, sort_keys=True)


def edits_from_text(text: str) -> Edits:
    """The edits from JSON text; raises :class:`ParameterError` for invalid text."""
    try:
        stored = plain_json.loads(text) if text.strip() else []
    except (ValueError, RecursionError) as error:
        raise nonsense() from error
    if not isinstance(stored, list):
        raise nonsense()
    return tuple(_from_json(edit) for edit in stored)


def with_edit(edits: Sequence[TreeEdit], new: TreeEdit) -> Edits:
    """The edits with a new one, which replaces earlier edits at its node or below."""
    return (*without_edits_at(edits, new.at), new)


def without_edits_at(edits: Sequence[TreeEdit], place: Way) -> Edits:
    """The edits without those at the end of a path or below: there the learner's tree is restored."""
    return tuple(edit for edit in edits if not is_below(edit.at, place))


def is_below(way: Way, place: Way) -> bool:
    """Whether a path leads to the end of another one or below."""
    return len(way) >= len(place) and all(_same(mine, theirs) for mine, theirs in zip(way, place, strict=False))


def _same(mine: PathStep, theirs: PathStep) -> bool:
    return (mine.attribute, mine.branch, mine.n_branches, mine.values) == (
        theirs.attribute,
        theirs.branch,
        theirs.n_branches,
        theirs.values,
    )


def _to_json(edit: TreeEdit) -> dict[str, Any]:
    stored: dict[str, Any] = {"at": [step.to_json() for step in edit.at]}
    if edit.question is None:
        return {**stored, "do": "leaf"}
    ask: dict[str, Any] = {"attribute": edit.question.attribute}
    if edit.question.threshold is not None:
        ask["threshold"] = edit.question.threshold
    if edit.question.groups:
        ask["groups"] = [list(group) for group in edit.question.groups]
    return {**stored, "do": "ask", "ask": ask, "below": "grown" if edit.grown else "leaves"}


def _from_json(stored: Any) -> TreeEdit:
    if not isinstance(stored, Mapping) or not isinstance(stored.get("at"), list):
        raise nonsense()
    way = tuple(PathStep.from_json(step) for step in stored["at"])
    if stored.get("do") == "leaf":
        return TreeEdit(way)
    ask, below = stored.get("ask"), stored.get("below", "grown")
    if stored.get("do") != "ask" or not isinstance(ask, Mapping) or below not in ("grown", "leaves"):
        raise nonsense()
    attribute, threshold, groups = ask.get("attribute"), ask.get("threshold"), ask.get("groups", [])
    is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool) and isfinite(threshold)
    if not isinstance(attribute, str) or not (threshold is None or is_number) or not isinstance(groups, list):
        raise nonsense()
    if not all(isinstance(group, list) and all(isinstance(v, str) for v in group) for group in groups):
        raise nonsense()
    named = tuple(tuple(group) for group in groups)
    if len(named) == 1 or len({value for group in named for value in group}) < sum(map(len, named)):
        raise nonsense()
    return TreeEdit(
        way, EditedSplit(attribute, None if threshold is None else float(threshold), named), below == "grown"
    )
