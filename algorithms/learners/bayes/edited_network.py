"""A Bayesian network edited by the user: arcs and tables changed, and the learner that replays the edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model
from algorithms.core.model_editing import EditedByHand, EditsApplied
from algorithms.core.parameters import learner as learner_parameter
from algorithms.core.parameters import text
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.edits import (
    ArcChange,
    NetworkEdit,
    NetworkEdits,
    network_edits_from_text,
    network_edits_to_text,
)
from algorithms.learners.bayes.network_model import BayesianNetworkModel, state_words
from algorithms.learners.bayes.network_tables import MOST_CELLS, nodes_in, records_of
from algorithms.structures.bayes_network import BayesNetwork

Row = tuple[int, ...]
"""A state of each parent, in their order."""


@dataclass
class EditedStructure:
    """The parents of each node after changes, and the rows of each node's table that were written by hand."""

    parents: list[set[int]]
    rows: dict[int, dict[Row, FloatArray]] = field(default_factory=dict)

    def set_parents(self, node: int, parents: set[int]) -> None:
        """A node hangs on others: its table is another one, and nothing of it is by hand."""
        self.parents[node] = parents
        self.rows.pop(node, None)


def redrawn(network: BayesNetwork, edits: Sequence[NetworkEdit]) -> tuple[EditedStructure, list[bool]]:
    """The network's arcs with these changes in turn, and which of them could be made.

    An arrow that is to be drawn and is there, or that is to go and is not, is as the person wants it. What is left out
    would close a circle, make too large a table, or is about an attribute, an arrow or values that are not there.
    """
    found = EditedStructure([set(own) for own in network.parents])
    return found, [_make(network, found, edit) for edit in edits]


def refusal(network: BayesNetwork, edit: NetworkEdit) -> str:
    """Why a change of an arrow cannot be made in this network, in a sentence; empty where it can."""
    parents = [set(own) for own in network.parents]
    parent, node = _node(network, edit.parent), _node(network, edit.node)
    if parent is None or node is None:
        return "Choose two attributes of the network."
    if parent == node:
        return "An arrow leads from one attribute to another: choose two different ones."
    there = parent in parents[node]
    if edit.do is ArcChange.ADD and there:
        return f"There is an arrow from {edit.parent} to {edit.node} already."
    if edit.do is not ArcChange.ADD and not there:
        return f"There is no arrow from {edit.parent} to {edit.node}."
    if edit.do is ArcChange.REMOVE:
        return ""
    if edit.do is ArcChange.TURN:
        parents[node].discard(parent)
        parent, node = node, parent
    way = _way(parents, node, parent)
    if way:
        circle = " → ".join(network.name(each) for each in (*way, node))
        first, last = network.name(parent), network.name(node)
        return f"An arrow from {first} to {last} would close a circle: {circle}."
    cells = prod(int(network.size[each]) for each in (*parents[node], parent, node))
    if cells > MOST_CELLS:
        name = network.name(node)
        return f"The table of {name} would have {cells:,} cells, and {MOST_CELLS:,} are the most there may be."
    return ""


def with_rows(network: BayesNetwork, rows: dict[int, dict[Row, FloatArray]]) -> BayesNetwork:
    """The network with these rows in its tables."""
    if not any(rows.values()):
        return network
    table = network.table.copy()
    for node, own in rows.items():
        part = table[int(network.table_start[node]) : int(network.table_start[node + 1])].reshape(network.shape(node))
        for row, shares in own.items():
            part[row] = shares
    return replace(network, table=table)


def row_edit(network: BayesNetwork, node: int, row: Row, state: int, share: float) -> NetworkEdit:
    """One probability of a row written by hand: the others of the row keep their proportions and share the rest.

    Where they have none (all zero), they share the rest equally. A node of one state has nothing to share with.
    """
    shares = np.array(network.table_of(node)[row], dtype=np.float64)
    others = np.arange(len(shares)) != state
    rest = shares[others].sum()
    shares[others] = (1.0 - share) * (shares[others] / rest if rest > 0 else 1.0 / max(1, int(others.sum())))
    shares[state] = share if others.any() else 1.0
    given = tuple(
        (network.name(parent), state_name(network, parent, code))
        for parent, code in zip(network.parents[node], row, strict=True)
    )
    named = tuple((state_name(network, node, code), float(each)) for code, each in enumerate(shares))
    return NetworkEdit(ArcChange.SET, network.name(node), given=given, shares=named)


def state_name(network: BayesNetwork, node: int, state: int) -> str:
    """How a change names a state: the label of a list, the place of a range."""
    if network.is_number(node):
        return f"{state + 1}/{int(network.size[node])}"
    return state_words(network, node)[state]


def _node(network: BayesNetwork, name: str) -> int | None:
    return next((node for node in network.nodes if network.name(node) == name), None)


def _make(network: BayesNetwork, found: EditedStructure, edit: NetworkEdit) -> bool:
    if edit.do is ArcChange.SET:
        return _write(network, found, edit)
    parent, node = _node(network, edit.parent), _node(network, edit.node)
    if parent is None or node is None:
        return False
    if edit.do is ArcChange.REMOVE:
        if parent in found.parents[node]:
            found.set_parents(node, found.parents[node] - {parent})
        return True
    there = parent in found.parents[node]
    if edit.do is ArcChange.ADD:
        if not there and not _can_hang(network, found.parents, node, parent):
            return False
        if not there:
            found.set_parents(node, found.parents[node] | {parent})
        return True
    if not there:
        return node in found.parents[parent]
    without = [own - {parent} if each == node else own for each, own in enumerate(found.parents)]
    if not _can_hang(network, without, parent, node):
        return False
    found.set_parents(node, without[node])
    found.set_parents(parent, without[parent] | {node})
    return True


def _can_hang(network: BayesNetwork, parents: Sequence[set[int]], node: int, parent: int) -> bool:
    """Whether an arc from the parent closes no circle and makes no table too large."""
    cells = prod(int(network.size[each]) for each in (*parents[node], parent, node))
    return parent != node and cells <= MOST_CELLS and not _way(parents, node, parent)


def _way(parents: Sequence[set[int]], start: int, end: int) -> list[int]:
    """A shortest way along arcs from one node to another, both included; empty where there is none."""
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


def _write(network: BayesNetwork, found: EditedStructure, edit: NetworkEdit) -> bool:
    """Keep a row; not where the node hangs on others, or the values are not these."""
    node = _node(network, edit.node)
    if node is None:
        return False
    parents, given = sorted(found.parents[node]), dict(edit.given)
    if {network.name(parent) for parent in parents} != set(given):
        return False
    row = [_state(network, parent, given[network.name(parent)]) for parent in parents]
    codes = [_state(network, node, name) for name, _ in edit.shares]
    if None in row or sorted(code for code in codes if code is not None) != list(range(int(network.size[node]))):
        return False
    shares = np.zeros(int(network.size[node]))
    for code, (_, share) in zip(codes, edit.shares, strict=True):
        shares[code] = share
    key = tuple(code for code in row if code is not None)
    found.rows.setdefault(node, {})[key] = shares / shares.sum()
    return True


def _state(network: BayesNetwork, node: int, name: str) -> int | None:
    """The state of a node that goes by this name."""
    return next((each for each in range(int(network.size[node])) if state_name(network, node, each) == name), None)


@dataclass(frozen=True, kw_only=True)
class EditedNetwork(EditedByHand):
    """The network of ``base``, its arcs and tables changed by hand.

    ``edits`` is JSON text (:mod:`algorithms.learners.bayes.edits`). On any records ``base`` finds its network first;
    then each change is made in turn between the attributes of the same names, and where arcs were changed the tables
    are found anew from these records. A row that was written by hand is taken as it was written, for as long as the
    attribute hangs on the same others. What would close a circle on these records is left out.
    """

    id: ClassVar[str] = "edited-network"
    name: ClassVar[str] = "Network edited by hand"
    sentence: ClassVar[str] = "A Bayesian network that another learner found and a person then changed, arc by arc."
    family: ClassVar[str] = "Bayes"
    kind: ClassVar[str] = "network"
    whole: ClassVar[str] = "network"
    came_about: ClassVar[str] = "was found"
    leads_there: ClassVar[str] = "where that closed no circle and the values were the same"

    base: Learner = learner_parameter(
        BayesianNetwork(), label="Found by", help="The learner whose network was changed."
    )
    edits: str = text("[]", label="Changes", help="What was changed by hand, as plain data.")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "edits", network_edits_to_text(network_edits_from_text(self.edits)))

    @property
    def grower(self) -> Learner:
        return self.base

    @cached_property
    def changes(self) -> NetworkEdits:
        """What was changed, in turn."""
        return network_edits_from_text(self.edits)

    def changed_model(self, model: Model, edits: Sequence[Any], data: Dataset, context: RunContext) -> Model:
        """A model of ``base`` on ``data`` with these changes made; tells which by :class:`EditsApplied`."""
        network = model.structure()
        if not isinstance(network, BayesNetwork) or not isinstance(self.base, BayesianNetwork):
            raise DataError(
                f"{self.base.name} finds no network that could be changed.", remedy="Choose a Bayesian network."
            )
        found, made = redrawn(network, edits)
        partial = model.partial
        if any(own != set(before) for own, before in zip(found.parents, network.parents, strict=True)):
            weights = data.weights
            weighty = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
            records = records_of(weighty, nodes_in(network), context.checkpoint)
            network, stopped = self.base.tabled(network.schema, records, found.parents, context)
            partial = partial or stopped
        context.publish(EditsApplied(tuple(made)))
        return BayesianNetworkModel(with_rows(network, found.rows), partial=partial)
