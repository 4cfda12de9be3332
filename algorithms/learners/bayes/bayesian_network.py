"""Bayesian networks: the learner, with structure learned, given or read from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.errors import ParameterError
from algorithms.core.learner import Learner, Problem, Suggestion
from algorithms.core.parameters import Option, boolean, choice, file, integer, real, text, when
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
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
from algorithms.learners.bayes.network_files import read_network
from algorithms.learners.bayes.network_model import BayesianNetworkModel
from algorithms.learners.bayes.network_tables import (
    Cutting,
    NetworkNodes,
    StateRecords,
    TableSmoothing,
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
