"""Edits of a Bayesian network as plain data, replayed on any network of the same learner (public contract).

An arc is named by its two attributes, a table row by the states of the parents. A nominal state goes by its label, a
range of a number by its position, as in "2/3": networks of other records have other cuts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from algorithms.core.model_editing import ModelEdit, unreadable_edits
from algorithms.core.plain_json import finite_number


class ArcChange(StrEnum):
    """Kinds of edits."""

    ADD = "add"
    """Add an arc from ``parent`` to ``node``."""
    REMOVE = "remove"
    """Remove that arc."""
    TURN = "turn"
    """Reverse that arc."""
    SET = "set"
    """Write a row of the table of ``node``."""


Named = tuple[str, str]
"""An attribute and one of its states."""


@dataclass(frozen=True)
class NetworkEdit(ModelEdit):
    """One edit. For a table row, ``given`` has a state of each parent and ``shares`` the probability of each state."""

    do: ArcChange
    node: str
    parent: str = ""
    given: tuple[Named, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()

    kind: ClassVar[str] = "network"

    def words(self) -> str:
        if self.do is ArcChange.SET:
            given = " and ".join(f"{name} = {state}" for name, state in self.given)
            return f"Write the table of {self.node}{f' where {given}' if given else ''}"
        did = {ArcChange.ADD: "Draw", ArcChange.REMOVE: "Remove", ArcChange.TURN: "Turn round"}[self.do]
        return f"{did} the arrow from {self.parent} to {self.node}"

    def to_json(self) -> dict[str, Any]:
        if self.do is not ArcChange.SET:
            return {"do": str(self.do), "node": self.node, "parent": self.parent}
        return {"do": str(self.do), "node": self.node, "given": self.given, "shares": self.shares}

    @classmethod
    def from_json(cls, stored: Any) -> NetworkEdit:
        if not isinstance(stored, Mapping) or stored.get("do") not in tuple(ArcChange):
            raise unreadable_edits("network")
        do, node, parent = ArcChange(stored["do"]), stored.get("node"), stored.get("parent", "")
        if not isinstance(node, str) or not isinstance(parent, str):
            raise unreadable_edits("network")
        if do is not ArcChange.SET:
            return cls(do, node, parent)
        given = tuple((name, state) for name, state in _pairs(stored.get("given")) if isinstance(state, str))
        shares = tuple((name, float(share)) for name, share in _pairs(stored.get("shares")) if _is_share(share))
        whole = len(given) == len(stored["given"]) and len(shares) == len(stored["shares"])
        if not whole or not shares or abs(sum(share for _, share in shares) - 1.0) > 1e-6:
            raise unreadable_edits("network")
        return cls(do, node, given=given, shares=shares)


def _pairs(stored: Any) -> list[tuple[str, Any]]:
    if not isinstance(stored, list):
        raise unreadable_edits("network")
    if not all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in stored):
        raise unreadable_edits("network")
    return [(name, value) for name, value in stored]


def _is_share(value: Any) -> bool:
    number = finite_number(value)
    return number is not None and 0 <= number <= 1
