"""Edits of a Bayesian network as plain data, and the learner that replays them on any network of the same learner.

An arc is named by its two attributes, a table row by the states of the parents. A nominal state goes by its label, a
range of a number by its position, as in "2/3": networks of other records have other cuts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import prod
from typing import Any, ClassVar

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model
from algorithms.core.model_editing import EditedModel, EditsApplied, ModelEdit, edits_parameter, unreadable_edits
from algorithms.core.parameters import learner_parameter
from algorithms.core.plain_json import finite_number
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.bayes.bayesian_network import BayesianNetwork, BayesianNetworkModel
from algorithms.learners.bayes.evidence import state_words
from algorithms.learners.bayes.network_tables import MOST_CELLS, nodes_in, records_of
from algorithms.structures.bayes_network import BayesNetwork


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


Row = tuple[int, ...]
"""A state of each parent, in their order."""


@dataclass
class EditedStructure:
    """The parents of each node after edits, and the table rows written by hand."""

    parents: list[set[int]]
    rows: dict[int, dict[Row, FloatArray]] = field(default_factory=dict)

    def set_parents(self, node: int, parents: set[int]) -> None:
        """Set the parents of a node; its edited table rows no longer apply."""
        self.parents[node] = parents
        self.rows.pop(node, None)


def redrawn(network: BayesNetwork, edits: Sequence[NetworkEdit]) -> tuple[EditedStructure, list[bool]]:
    """The network's arcs after these edits in turn, and which edits apply.

    Adding an existing arc or removing an absent one applies without effect. An edit does not apply where it would close
    a cycle or make too large a table, or where its attribute, arc or states do not exist.
    """
    edited = EditedStructure([set(own) for own in network.parents])
    return edited, [_make(network, edited, edit) for edit in edits]


def refusal(network: BayesNetwork, edit: NetworkEdit) -> str:
    """Why an edit of an arc does not apply to this network, as a sentence; empty where it applies."""
    parents = [set(own) for own in network.parents]
    parent, node = _node(network, edit.parent), _node(network, edit.node)
    if parent is None or node is None:
        return "Choose two attributes of the network."
    if parent != node:
        if edit.do is ArcChange.ADD and parent in parents[node]:
            return f"There is an arrow from {edit.parent} to {edit.node} already."
        if edit.do is not ArcChange.ADD and parent not in parents[node]:
            return f"There is no arrow from {edit.parent} to {edit.node}."
        if edit.do is ArcChange.REMOVE:
            return ""
        if edit.do is ArcChange.TURN:
            parents[node].discard(parent)
            parent, node = node, parent
    return _arc_problem(network, parents, node, parent)


def _arc_problem(network: BayesNetwork, parents: Sequence[set[int]], node: int, parent: int) -> str:
    """Why an arc from the parent to the node cannot be added, as a sentence; empty where it can."""
    if parent == node:
        return "An arrow leads from one attribute to another: choose two different ones."
    way = _way(parents, node, parent)
    if way:
        circle = " → ".join(map(network.name, (*way, node)))
        first, last = network.name(parent), network.name(node)
        return f"An arrow from {first} to {last} would close a circle: {circle}."
    cells = prod(int(network.size[member]) for member in (*parents[node], parent, node))
    if cells > MOST_CELLS:
        name = network.name(node)
        return f"The table of {name} would have {cells:,} cells, and {MOST_CELLS:,} are the most there may be."
    return ""


def with_rows(network: BayesNetwork, rows: dict[int, dict[Row, FloatArray]]) -> BayesNetwork:
    if not any(rows.values()):
        return network
    table = network.table.copy()
    for node, own in rows.items():
        part = table[int(network.table_start[node]) : int(network.table_start[node + 1])].reshape(network.shape(node))
        for row, shares in own.items():
            part[row] = shares
    return replace(network, table=table)


def row_edit(network: BayesNetwork, node: int, row: Row, state: int, share: float) -> NetworkEdit:
    """The edit of one probability; the others share the rest in proportion, or equally; a lone state keeps 1."""
    shares = np.array(network.table_of(node)[row], dtype=np.float64)
    others = np.arange(len(shares)) != state
    rest = shares[others].sum()
    shares[others] = (1.0 - share) * (shares[others] / rest if rest > 0 else 1.0 / max(1, int(others.sum())))
    shares[state] = share if others.any() else 1.0
    given = tuple(
        (network.name(parent), state_name(network, parent, code))
        for parent, code in zip(network.parents[node], row, strict=True)
    )
    named = tuple((state_name(network, node, code), float(part)) for code, part in enumerate(shares))
    return NetworkEdit(ArcChange.SET, network.name(node), given=given, shares=named)


def state_name(network: BayesNetwork, node: int, state: int) -> str:
    """The name of a state in an edit: a nominal label, or the position of a range."""
    if network.is_number(node):
        return f"{state + 1}/{int(network.size[node])}"
    return state_words(network, node)[state]


def _node(network: BayesNetwork, name: str) -> int | None:
    return next((node for node in network.nodes if network.name(node) == name), None)


def _make(network: BayesNetwork, edited: EditedStructure, edit: NetworkEdit) -> bool:
    if edit.do is ArcChange.SET:
        return _write(network, edited, edit)
    parent, node = _node(network, edit.parent), _node(network, edit.node)
    if parent is None or node is None:
        return False
    there = parent in edited.parents[node]
    if edit.do is not ArcChange.TURN and there == (edit.do is ArcChange.ADD):
        return True
    if edit.do is ArcChange.REMOVE:
        edited.set_parents(node, edited.parents[node] - {parent})
        return True
    if edit.do is ArcChange.ADD:
        if _arc_problem(network, edited.parents, node, parent):
            return False
        edited.set_parents(node, edited.parents[node] | {parent})
        return True
    if not there:
        return node in edited.parents[parent]
    without = [own - {parent} if other == node else own for other, own in enumerate(edited.parents)]
    if _arc_problem(network, without, parent, node):
        return False
    edited.set_parents(node, without[node])
    edited.set_parents(parent, without[parent] | {node})
    return True


def _way(parents: Sequence[set[int]], start: int, end: int) -> list[int]:
    """A shortest directed path between two nodes, both included; empty where there is none."""
    came = {end: end}
    front = [end]
    while front and start not in came:
        nearer = []
        for node in front:
            for parent in sorted(parents[node]):
                if parent not in came:
                    came[parent] = node
                    nearer.append(parent)
        front = nearer
    if start not in came:
        return []
    way = [start]
    while way[-1] != end:
        way.append(came[way[-1]])
    return way


def _write(network: BayesNetwork, edited: EditedStructure, edit: NetworkEdit) -> bool:
    """Keep a row where the parents and states are those of the edit."""
    node = _node(network, edit.node)
    if node is None:
        return False
    parents, given = sorted(edited.parents[node]), dict(edit.given)
    if {network.name(parent) for parent in parents} != set(given):
        return False
    row = [_states(network, parent).get(given[network.name(parent)]) for parent in parents]
    states, named = _states(network, node), dict(edit.shares)
    if None in row or len(edit.shares) != len(states) or named.keys() != states.keys():
        return False
    shares = np.array([named[name] for name in states])
    key = tuple(code for code in row if code is not None)
    edited.rows.setdefault(node, {})[key] = shares / shares.sum()
    return True


def _states(network: BayesNetwork, node: int) -> dict[str, int]:
    return {state_name(network, node, code): code for code in range(int(network.size[node]))}


@dataclass(frozen=True, kw_only=True)
class EditedNetwork(EditedModel):
    """The network of ``base`` with edited arcs and tables.

    ``base`` learns its network first. Each edit then applies in turn to the attributes of its
    names, and changed arcs get tables from the records. A row written by hand stays while its
    attribute has the same parents. Edits that would close a cycle are left out.
    """

    id: ClassVar[str] = "edited-network"
    name: ClassVar[str] = "Edited network"
    sentence: ClassVar[str] = "A Bayesian network learned by another learner and edited by a person, arc by arc."
    family: ClassVar[str] = "Bayes"
    edit: ClassVar[type[ModelEdit]] = NetworkEdit
    came_about: ClassVar[str] = "was found"
    leads_there: ClassVar[str] = "where that closed no circle and the values were the same"

    base: Learner = learner_parameter(
        BayesianNetwork(), label="Base learner", help="The learner whose network was edited."
    )
    edits: tuple[NetworkEdit, ...] = edits_parameter(NetworkEdit)

    def changed_model(self, model: Model, data: Dataset, context: RunContext) -> Model:
        network = model.structure()
        if not isinstance(network, BayesNetwork) or not isinstance(self.base, BayesianNetwork):
            raise DataError(
                f"{self.base.name} finds no network that could be changed.", remedy="Choose a Bayesian network."
            )
        edited, applied = redrawn(network, self.edits)
        partial = model.partial
        if any(own != set(before) for own, before in zip(edited.parents, network.parents, strict=True)):
            weighty = data.without_weightless()
            records = records_of(weighty, nodes_in(network), context.checkpoint)
            network, stopped = self.base.tabled(network.schema, records, edited.parents, context)
            partial = partial or stopped
        context.publish(EditsApplied(tuple(applied)))
        return BayesianNetworkModel(with_rows(network, edited.rows), partial=partial)
