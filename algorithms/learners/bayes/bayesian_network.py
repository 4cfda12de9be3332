"""Bayesian networks: the learner, with structure learned, given or read from a file, and the model.

The model checks a saved network, predicts, has the posteriors of every node, and explains a prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import prod
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, finite, indices, offsets, weights
from algorithms.core.errors import ParameterError
from algorithms.core.learner import (
    Codes,
    Explanation,
    Learner,
    Predictions,
    Problem,
    State,
    StructuredModel,
    Suggestion,
    WatchedModel,
)
from algorithms.core.parameters import Option, boolean, choice, file, integer, real, text, when
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.data.summary import Summary
from algorithms.filters.discretize import MOST_RANGES
from algorithms.learners.bayes.directed_graph import (
    ANY,
    arcs_among,
    causes_first,
    is_acyclic,
    is_any_among,
    parents_of,
    read_arcs,
    read_names,
)
from algorithms.learners.bayes.evidence import state_words
from algorithms.learners.bayes.junction_tree import JunctionTree, Posteriors
from algorithms.learners.bayes.network_files import read_network
from algorithms.learners.bayes.network_tables import (
    Cutting,
    NetworkNodes,
    StateRecords,
    TableSmoothing,
    by_known_nodes,
    counted,
    expected,
    nodes_of,
    records_of,
)
from algorithms.learners.bayes.structure_learning import (
    FamilyScores,
    NetworkLimits,
    by_order,
    climbed,
    k2,
    naive,
    suggested_order,
    tabu_searched,
    tree_augmented,
)
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
                steps.append(f"No single value decides: if any one of them is missing, {name} stays at {least}")
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


_SCORED: Final = when("structure", "k2", "hill-climbing", "tabu")
_ORDERED: Final = when("structure", "k2", "order")
_LIMITED: Final = when("structure", "k2", "hill-climbing", "tabu", "order")
_WISHED: Final = when("structure", "k2", "hill-climbing", "tabu", "order", "given")
MOST_ASKED: Final = 50_000
"""Largest number of records, evenly spaced, from which an order is suggested."""


@dataclass(frozen=True, kw_only=True)
class BayesianNetwork(Learner):
    """Predicts the most probable class given the known values in a network of the attributes.

    Numbers are discretised on the training records. A class without training records is never predicted. The structure
    is learned with missing values replaced by the most frequent one of the class; the tables are learned without.
    """

    id: ClassVar[str] = "bayesian-network"
    name: ClassVar[str] = "Bayesian network"
    sentence: ClassVar[str] = (
        "A directed graph of dependencies with a conditional probability table for each attribute. It "
        "gives the probability of any attribute from any evidence."
    )
    family: ClassVar[str] = "Bayes"
    burden: ClassVar[int] = 3
    source: ClassVar[str] = "TSKK, section 5.3.5; Friedman, Geiger and Goldszmidt (1997)"

    structure: str = choice(
        "tan",
        Option("naive", "Naive Bayes", "The class is the only parent of each attribute."),
        Option("tan", "TAN", "The class and one other attribute: a tree of maximal mutual information (Chow and Liu)."),
        Option("k2", "K2", "Each attribute takes the earlier attributes that improve the score most as parents."),
        Option("hill-climbing", "Hill climbing", "Changes the arc that improves the score most, until none does."),
        Option("tabu", "Tabu search", "Also takes steps that lower the score if none improves it."),
        Option(
            "order",
            "Independence tests",
            "Parents are the earlier attributes on which it depends by a test (Algorithm 5.3).",
        ),
        Option("given", "Given arcs", "The required arcs only."),
        Option("file", "From a file", "The arcs of a network written by another program (BIF, XMLBIF)."),
        label="Structure search",
        help="How the arcs of the network are found.",
    )
    score: str = choice(
        "bic",
        Option("bic", "BIC", "Log likelihood less log(n) / 2 per parameter."),
        Option("bdeu", "BDeu", "Marginal likelihood under a Dirichlet prior."),
        Option("aic", "AIC", "Log likelihood less 1 per parameter: more arcs."),
        Option("mdl", "MDL", "Shortest description of network and records: the fewest arcs."),
        Option("k2", "K2", "As BDeu, with one virtual record in each cell (Cooper and Herskovits)."),
        label="Score",
        help="The measure of a network: its fit to the records less a penalty for its size.",
        enabled_if=_SCORED,
    )
    max_parents: int = integer(
        2, lo=1, hi=8, label="Max. parents", help="Largest number of parents of an attribute, the "
                                                     "class included.",
        unit="parents", enabled_if=_LIMITED,
    )  # fmt: skip
    on_class: bool = boolean(
        True,
        label="Class is parent of all",
        help="The search starts with an arc from the class to every attribute and keeps these arcs.",
        enabled_if=_SCORED,
    )
    order: str = text(
        "",
        label="Node order",
        help="Names separated by commas, causes before effects. Empty: the class, then the columns in "
        "their order. Names left out come last. Suggest estimates an order from the records.",
        enabled_if=_ORDERED,
        suggested=True,
    )
    network_file: str = file(
        "",
        label="Network file",
        help="A network in BIF or XMLBIF: its arcs between columns of these names are used, its tables "
        "are learned from the data.",
        enabled_if=when("structure", "file"),
    )
    significance: float = real(
        0.05,
        lo=1e-9,
        hi=0.5,
        label="Test level α",
        help="An independence test rejects independence if its p-value is at most this.",
        enabled_if=when("structure", "order"),
    )
    required: str = text(
        "",
        label="Required arcs",
        help="For example Smoker -> Cancer; Age -> Cancer. Names that the data does not have are ignored.",
        enabled_if=_WISHED,
        advanced=True,
    )
    forbidden: str = text(
        "",
        label="Forbidden arcs",
        help="For example Cancer -> Age; a star stands for any attribute: * -> Age.",
        enabled_if=_LIMITED,
        advanced=True,
    )
    numbers: str = choice(
        "entropy",
        Option("entropy", "Entropy (MDL)", "Cuts that separate the classes; equal frequency if none does."),
        Option("equal-frequency", "Equal frequency", "Bins with equally many records."),
        Option("equal-width", "Equal width", "Bins of equal width."),
        label="Discretization",
        help="How numeric attributes are discretized in the training records.",
    )
    ranges: int = integer(
        3,
        lo=2,
        hi=MOST_RANGES,
        label="Bins",
        help="Largest number of bins of each numeric attribute, for equal frequency and equal width.",
        unit="bins",
    )
    smoothing: float = real(
        0.5,
        lo=0.0,
        label="Pseudocounts",
        help="Number of virtual records in each cell of a probability table, so that no probability is "
        "zero (Dirichlet prior).",
    )
    per_row: float = real(
        5.0,
        lo=0.0,
        label="Pseudocounts per row (N₀)",
        help="Number of virtual records in each row of a table, distributed as the attribute is in the "
        "class. 0 uses pseudocounts per cell instead.",
        enabled_if=when("structure", "tan"),
        earlier=0.0,
    )
    missing: str = choice(
        "em",
        Option("em", "EM", "Expected counts under the network, iterated."),
        Option("left-out", "Omit", "A table is counted from the records with all its values."),
        label="Missing values (EM)",
        help="How probability tables are estimated if values are missing.",
    )
    em_rounds: int = integer(
        20, lo=1, hi=1000, label="Max. EM iterations", help="EM stops after this many iterations.",
        unit="rounds", enabled_if=when("missing", "em"), advanced=True,
    )  # fmt: skip
    prior_records: float = real(
        1.0,
        lo=1e-6,
        label="Equivalent sample size",
        help="Weight of the BDeu prior in records.",
        unit="records",
        enabled_if=when("score", "bdeu"),
        advanced=True,
    )
    patience: int = integer(
        10, lo=1, hi=1000, label="Tabu steps", help="Tabu search stops after this many steps without a "
                                                 "better network.",
        unit="steps", enabled_if=when("structure", "tabu"), advanced=True,
    )  # fmt: skip

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        if problems:
            return problems
        try:
            required, forbidden = read_arcs(self.required), read_arcs(self.forbidden)
            read_names(self.order)
        except ParameterError as error:
            return [Problem(error.sentence, error.remedy)]
        numbers = _numbers(summary.schema)
        circle = Problem("The arcs that must be there lead round in a circle.", "Take one of them away.")
        if (ANY, ANY) in required and len(numbers) > 1:
            return [circle]  # without building an arc for each pair of columns
        wanted = arcs_among(required, numbers)
        if not is_acyclic(parents_of(wanted, len(numbers))):
            return [circle]
        if self.enabled("forbidden") and is_any_among(wanted, forbidden, numbers):
            return [Problem("An arc must be there and may not.", "Take it out of one of the two lists.")]
        return []

    def suggested(self, parameter: str, data: Dataset, context: RunContext) -> Suggestion:
        """An order of causes and effects, from at most :data:`MOST_ASKED` records."""
        labelled = np.flatnonzero(data.class_codes >= 0)
        sample = data.take(labelled[:: max(1, -(-len(labelled) // MOST_ASKED))])
        return suggested_order(self._records(sample, context).filled(), data.schema, context)

    def _records(self, data: Dataset, context: RunContext) -> StateRecords:
        """The records of positive weight as states of the nodes."""
        weighty = data.without_weightless()
        nodes = nodes_of(weighty, Cutting(self.numbers, self.ranges), context.checkpoint)
        return records_of(weighty, nodes, context.checkpoint)

    def _fit(self, data: Dataset, context: RunContext) -> BayesianNetworkModel:
        context.say("Cutting numbers into ranges")
        records = self._records(data, context)
        context.say("")
        structure_part = context.child(0.7, 0)
        parents = self._arcs(records.filled(), data.schema, structure_part)
        partial = structure_part.finishing
        structure_part.complete()
        table_part = context.child(0.3, 1)
        network, stopped = self.tabled(data.schema, records, parents, table_part)
        table_part.complete()
        return BayesianNetworkModel(network, partial=partial or stopped)

    def tabled(
        self, schema: Schema, records: StateRecords, parents: Sequence[set[int]], context: RunContext
    ) -> tuple[BayesNetwork, bool]:
        """The network of these arcs with tables learned from the records, and whether that was stopped early."""
        smoothing = TableSmoothing(self.smoothing, self.per_row if self.enabled("per_row") else 0.0)
        network = counted(schema, records, parents, smoothing)
        if self.missing == "em" and records.has_missing():
            return expected(network, records, smoothing, self.em_rounds, context)
        return network, False

    def _arcs(self, records: StateRecords, schema: Schema, context: RunContext) -> list[set[int]]:
        nodes = records.nodes
        n, class_node = len(nodes), nodes.class_node
        if self.structure == "naive":
            return naive(n, class_node)
        if self.structure == "tan":
            return tree_augmented(records, context)
        limits = self._limits(schema, nodes)
        if self.structure == "file":
            return parents_of(arcs_among(self._arcs_of_file(context), _numbers(schema)), n)
        if self.structure == "given":
            return parents_of(limits.required, n)
        order = self._order(schema, nodes, limits)
        if self.structure == "order":
            return by_order(records, order, limits, self.significance, context)
        scores = FamilyScores(records, self.score, self.prior_records)
        if self.structure == "k2":
            return k2(scores, order, limits, context)
        begun = parents_of(limits.required, n)
        if self.structure == "hill-climbing":
            return climbed(scores, limits, begun, context)
        return tabu_searched(scores, limits, begun, self.patience, context)

    def _arcs_of_file(self, context: RunContext) -> list[tuple[str, str]]:
        """The arcs of the network file by name; none without a file."""
        context.check_may_open(self.network_file)
        variables = read_network(self.network_file) if self.network_file else []
        return [(parent, variable.name) for variable in variables for parent in variable.parents]

    def _limits(self, schema: Schema, nodes: NetworkNodes) -> NetworkLimits:
        numbers = _numbers(schema)
        required = arcs_among(read_arcs(self.required), numbers)
        forbidden = arcs_among(read_arcs(self.forbidden), numbers) if self.enabled("forbidden") else frozenset()
        if self.enabled("on_class") and self.on_class:
            augmented = required | {(nodes.class_node, node) for node in range(len(nodes)) if node != nodes.class_node}
            augmented -= forbidden | {(child, parent) for parent, child in required}
            if is_acyclic(parents_of(augmented, len(nodes))):
                required = augmented
        return NetworkLimits(self.max_parents, required, forbidden)

    def _order(self, schema: Schema, nodes: NetworkNodes, limits: NetworkLimits) -> list[int]:
        """The order of all nodes: named ones, the class where unnamed, then the others; required arcs are kept."""
        numbers = _numbers(schema)
        named = list(dict.fromkeys(numbers[name] for name in read_names(self.order) if name in numbers))
        first = named if nodes.class_node in named else [*named, nodes.class_node] if named else [nodes.class_node]
        wanted = dict.fromkeys([*first, *range(len(nodes))])
        return causes_first(wanted, parents_of(limits.required, len(nodes)))


def _numbers(schema: Schema) -> Mapping[str, int]:
    """The node of each attribute by name."""
    assert schema.class_index is not None
    indices = sorted((*schema.predictors, schema.class_index))
    return {schema.attributes[index].name: node for node, index in enumerate(indices)}
