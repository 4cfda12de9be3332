"""The model of a Bayesian network: validation, prediction, posteriors and explanation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from math import prod
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, finite, indices, offsets, weights
from algorithms.core.learner import Codes, Explanation, Predictions, State, StructuredModel, WatchedModel
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.filters.discretize import range_words
from algorithms.learners.bayes.directed_graph import is_acyclic
from algorithms.learners.bayes.evidence import ONLY_RANGE
from algorithms.learners.bayes.junction_tree import JunctionTree, Posteriors
from algorithms.learners.bayes.network_tables import by_known_nodes
from algorithms.structures.bayes_network import BayesNetwork
from algorithms.text.numbers import percent, with_minus
from algorithms.text.sentences import and_more

_MOST_STATES: Final = 1 << 24
_STATE: Final = ArrayState("The saved network is", {
    "attribute": replace(indices("attributes", "nodes"), ascending=True),
    "size": ArraySpec(dtype=np.int32, shape=("nodes",), lowest=1, highest=_MOST_STATES),
    "parent_start": offsets("arcs", "nodes+1"),
    "parent": indices("nodes", "arcs"),
    "table_start": offsets("cells", "nodes+1"),
    "table": weights("cells"),
    "count": weights("cells"),
    "cut_start": offsets("cuts", "nodes+1"),
    "cuts": finite("cuts"),
})  # fmt: skip
_require: Final = _STATE.require


def checked_network(schema: Schema, state: State) -> BayesNetwork:
    """The network in a saved state; raises :class:`ModelFileError` where it does not fit the schema."""
    _require(schema.class_index is not None, "it has no class")
    network = BayesNetwork(schema=schema, **_STATE.read(state.arrays, attributes=len(schema)))
    attributes = set(network.attribute.tolist())
    _require(schema.class_index in attributes, "the class is no node")
    _require(attributes <= {*schema.predictors, schema.class_index}, "it looks at a column that it does not learn from")
    _require(all(np.all(np.diff(own) > 0) for own in network.parents), "its arcs are in disorder")
    _require(is_acyclic(network.parents), "its arcs lead round in a circle")
    for node in network.nodes:
        _check_node(network, node)
    return network


def _check_node(network: BayesNetwork, node: int) -> None:
    attribute, size = network.schema.attributes[int(network.attribute[node])], int(network.size[node])
    cuts = network.cuts_of(node)
    states = len(cuts) + 1 if attribute.kind is AttributeKind.NUMERIC else max(1, len(attribute.values))
    _require(size == states, f"{attribute.name} has other values")
    _require(np.all(np.diff(cuts) > 0), f"the cuts of {attribute.name} are in disorder")
    _require(attribute.kind is AttributeKind.NUMERIC or len(cuts) == 0, f"{attribute.name} is no number")
    cells = int(network.table_start[node + 1] - network.table_start[node])
    _require(cells == prod(network.shape(node)), f"the table of {attribute.name} is of another size")
    _require(np.allclose(network.table_of(node).sum(axis=-1), 1.0, atol=1e-6), f"the table of {attribute.name} is none")


NO_VALUE = "(no value)"


def state_words(network: BayesNetwork, node: int) -> tuple[str, ...]:
    if network.is_number(node):
        return range_words(tuple(network.cuts_of(node).tolist())) or (ONLY_RANGE,)
    values = network.schema.attributes[int(network.attribute[node])].values
    return values or (NO_VALUE,)


TIED: Final = 1e-9
"""Largest difference of probabilities at which classes are tied."""
_BLOCK: Final = 16_384
_MOST_SAID: Final = 20
_MOST_WEIGHED: Final = 60
_KEPT: Final = 128
"""Number of junction trees kept for further records: more than an explanation asks."""


class BayesianNetworkModel(WatchedModel, StructuredModel):
    """Predicts the most probable class given the known values; unknown attributes are summed out.

    Missing values, infinite numbers and values unseen in training are unknown. Of tied classes the one of larger prior
    wins, then the first. A record that is impossible by the tables gets the priors.
    """

    id: ClassVar[str] = "bayesian-network"
    checked = staticmethod(checked_network)
    undecided_words: ClassVar[str] = (
        "{records} impossible by the tables of the network: the shares of the classes decided."
    )

    def __init__(self, network: BayesNetwork, *, partial: bool = False) -> None:
        super().__init__(network.schema, partial=partial)
        self.network = network

    @cached_property
    def prior(self) -> FloatArray:
        """The marginal probability of each class (k,)."""
        return np.asarray(self._tree(()).ask(np.zeros((1, 0), dtype=np.int64)).of(self.network.class_node)[0])

    @cached_property
    def _tree(self) -> Callable[[tuple[int, ...]], JunctionTree]:
        """The tree that answers for the class, by the ascending observed nodes; the latest ones are kept."""
        return lru_cache(_KEPT)(lambda observed: JunctionTree(self.network, observed, [self.network.class_node]))

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        probabilities = np.empty((len(data), int(self.network.size[self.network.class_node])))
        none = np.zeros(len(data), dtype=np.bool_)
        trees: dict[tuple[int, ...], JunctionTree] = {}  # of all patterns of missing values, for the next block
        for start in range(0, len(data), _BLOCK):
            rows = slice(start, start + _BLOCK)
            states = self.states(data, rows)
            for observed, part in by_known_nodes(states < 0):
                known = tuple(observed)
                tree = trees.get(known) or trees.setdefault(known, self._tree(known))
                for first in range(0, len(part), tree.at_once):
                    context.checkpoint()
                    some = part[first : first + tree.at_once]
                    beliefs = tree.ask(states[some][:, list(observed)])
                    probabilities[start + some] = self._class_shares(beliefs)
                    none[start + some] = ~np.isfinite(beliefs.logs)
        tied = probabilities >= probabilities.max(axis=1, keepdims=True, initial=0.0) - TIED
        decisions: Codes = np.argmax(np.where(tied, self.prior, -1.0), axis=1).astype(np.int32)
        return Predictions(decisions, probabilities, int(np.count_nonzero(none)))

    def _class_shares(self, beliefs: Posteriors) -> FloatArray:
        shares = beliefs.of(self.network.class_node)
        impossible = shares.sum(axis=1) <= 0
        return np.where(impossible[:, None], self.prior, shares)

    def states(self, data: Dataset, rows: slice) -> NDArray[np.int64]:
        """The states (n, v) of all nodes, -1 for unknown ones and the class."""
        network = self.network
        n = len(range(*rows.indices(len(data))))
        states = np.full((n, network.n_nodes), -1, dtype=np.int64)
        for node, index in enumerate(network.attribute.tolist()):
            if node != network.class_node:
                states[:, node] = network.codes_of(node, data.column(index)[rows])
        return states

    def structure(self) -> BayesNetwork:
        return self.network

    def facts(self) -> dict[str, int | float]:
        return {"attributes": self.network.n_nodes - 1, "arcs": self.network.n_arcs}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """What each known value adds to the log odds of the decided class, strongest first; ``parts`` are the nodes."""
        record = aligned(self.schema, data).take([row])
        prediction = self._judged(record, RunContext())
        shares, decision = prediction.probabilities, int(prediction.decisions[0])
        name = self.classes[decision]
        steps = [f"Prior: {name} {percent(float(self.prior[decision]))}"]
        parts = list[int]()
        states = self.states(record, slice(0, 1))[0]
        if prediction.undecided:
            steps.append("By the tables these values cannot be together: the shares of the classes decide")
        else:
            weighed = self._weighed(states, decision, shares[0])
            least = percent(min((without for _, _, without in weighed), default=0.0))
            if len(weighed) > 1 and least == percent(float(shares[0, decision])):
                steps.append(f"No single value decides: without any one of them {name} stays at {least}")
            for change, node, without in weighed[:_MOST_SAID]:
                equals = " " if self.network.is_number(node) else " = "
                value = f"{self.network.name(node)}{equals}{state_words(self.network, node)[int(states[node])]}"
                by = with_minus(f"{change:+.2f}") if np.isfinite(change) else f"{with_minus(f'{change:+.0f}')[0]}∞"
                steps.append(f"{value}: {by} log odds of {name}; without it {percent(without)}")
                parts.append(node)
        others = [node for node in self.network.nodes if node != self.network.class_node]
        unknown = [self.network.name(node) for node in others if states[node] < 0]
        if unknown:
            steps.append(f"Not known, so summed over: {and_more(unknown, 5)}")
        return Explanation(decision, tuple(shares[0].tolist()), tuple(steps), tuple(parts))

    def _weighed(self, states: NDArray[np.int64], decision: int, whole: FloatArray) -> list[tuple[float, int, float]]:
        """What each known value adds to the log odds, its node, and the probability without it; the strongest first.

        ``whole`` (k,) are the probabilities of the classes with all values.
        """
        observed = [node for node in self.network.nodes if states[node] >= 0]
        changes = []
        for node in self._nearest_first(observed)[:_MOST_WEIGHED]:
            others = [other for other in observed if other != node]
            without = self._class_shares(self._tree(tuple(others)).ask(states[None, others]))[0]
            change = _log_odds(whole, decision) - _log_odds(without, decision)
            if abs(change) > TIED:  # not where both are infinite, which is no number
                changes.append((change, node, float(without[decision])))
        return sorted(changes, key=lambda change: (-abs(change[0]), change[1]))

    def _nearest_first(self, observed: list[int]) -> list[int]:
        """The known nodes, first those that share a table with the class."""
        class_node, parents = self.network.class_node, self.network.parents
        families = [{node, *parents[node]} for node in self.network.nodes]
        near = set[int]().union(*(family for family in families if class_node in family))
        return [node for node in observed if node in near] + [node for node in observed if node not in near]


def _log_odds(shares: FloatArray, code: int) -> float:
    """The log odds of a class by the probabilities (k,) of all; infinite where another class or it is impossible."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.log(shares[code]) - np.log(np.delete(shares, code).sum()))


def posteriors(network: BayesNetwork, evidence: Mapping[int, int]) -> tuple[FloatArray, ...] | None:
    """Posterior probabilities of every node given the states of some; None for impossible evidence."""
    observed = sorted(evidence)
    beliefs = JunctionTree(network, observed).ask(np.array([[evidence[node] for node in observed]], dtype=np.int64))
    if not np.isfinite(beliefs.logs[0]):
        return None
    return tuple(
        np.eye(int(network.size[node]))[evidence[node]] if node in evidence else beliefs.of(node)[0]
        for node in network.nodes
    )
