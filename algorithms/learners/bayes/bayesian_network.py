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
    ArcConstraints,
    arcs_among,
    is_acyclic,
    is_any_among,
    is_every_arc,
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
        "Draws which attribute hangs on which, keeps a small table for each, and reckons from whatever is known how "
        "probable everything else is."
    )
    family: ClassVar[str] = "Bayes"
    source: ClassVar[str] = "TSKK, section 5.3.5; Friedman, Geiger and Goldszmidt (1997)"

    structure: str = choice(
        "tan",
        Option("naive", "all on the class", "Each attribute hangs on the class alone (naive Bayes)."),
        Option(
            "tan", "on the class and one other", "The tree of what tells most about each other (TAN, Chow and Liu)."
        ),
        Option("k2", "found in an order", "Each attribute takes the parents before it that gain most (K2)."),
        Option("hill-climbing", "found step by step", "The arc that gains most is changed, until none gains."),
        Option("tabu", "found, also by detours", "Steps that lose are tried where none gains (tabu search)."),
        Option("order", "tested in an order", "Those before it on which each depends by a test (Algorithm 5.3)."),
        Option("given", "as I say", "Just the arcs that you require."),
        Option("file", "as in a file", "The arcs of a network that another program wrote (BIF, XMLBIF)."),
        label="What hangs on what",
        help="How the arcs of the network come about.",
    )
    score: str = choice(
        "bic",
        Option("bic", "BIC", "How likely the records are, less log(n) / 2 for each number in the tables."),
        Option("bdeu", "BDeu", "How likely they are over all tables that could be (Dirichlet prior)."),
        Option("aic", "AIC", "How likely the records are, less 1 for each number in the tables: more arcs."),
        Option("mdl", "MDL", "The fewest bits for network and records: the fewest arcs."),
        Option("k2", "K2", "As BDeu, with one record in each cell (Cooper and Herskovits)."),
        label="An arc pays by",
        help="What a network is judged by: how well it describes the records, less a price for its size.",
        enabled_if=_SCORED,
    )
    max_parents: int = integer(
        2, lo=1, hi=8, label="Parents at most", help="On so many others an attribute may hang, the class among them.",
        unit="parents", enabled_if=_LIMITED,
    )  # fmt: skip
    on_class: bool = boolean(
        True,
        label="All hang on the class",
        help="The search begins with an arc from the class to every attribute and keeps these.",
        enabled_if=_SCORED,
    )
    order: str = text(
        "",
        label="Order, causes first",
        help="Names with commas between them, causes before effects; empty: the class, then the columns as they stand. "
        "Those left out come last. Suggest finds one in the records, as far as they can tell cause from effect.",
        enabled_if=_ORDERED,
        suggested=True,
    )
    network_file: str = file(
        "",
        label="Network file",
        help="A network in BIF or XMLBIF: its arcs between columns of these names are taken, its tables learned anew.",
        enabled_if=when("structure", "file"),
    )
    significance: float = real(
        0.05,
        lo=1e-9,
        hi=0.5,
        label="Depends by chance at most",
        help="A dependence counts when one so strong would come about by chance less often than this.",
        enabled_if=when("structure", "order"),
    )
    required: str = text(
        "",
        label="Arcs that must be",
        help="For example Smoker -> Cancer; Age -> Cancer. Names that the data does not have are left out.",
        enabled_if=_WISHED,
        advanced=True,
    )
    forbidden: str = text(
        "",
        label="Arcs that may not be",
        help="For example Cancer -> Age; a star stands for any attribute: * -> Age.",
        enabled_if=_LIMITED,
        advanced=True,
    )
    numbers: str = choice(
        "entropy",
        Option("entropy", "by the class", "Cut where it tells most about the class; where it tells nothing, as full."),
        Option("equal-frequency", "as full", "So many ranges of equally many records."),
        Option("equal-width", "as wide", "So many ranges of equal width."),
        label="Numbers are cut",
        help="How numbers become ranges, found in the training records.",
    )
    ranges: int = integer(
        3,
        lo=2,
        hi=MOST_RANGES,
        label="Ranges",
        help="So many ranges at most are made of each number that is cut as full or as wide.",
        unit="ranges",
    )
    smoothing: float = real(
        0.5,
        lo=0.0,
        label="Records added to each cell",
        help="As if so many more records stood in each cell of a table, so that nothing is impossible (Dirichlet).",
    )
    per_row: float = real(
        5.0,
        lo=0.0,
        label="Records added to each row (N₀)",
        help="As if so many more records stood in each row of a table, spread as the attribute's values are in the "
        "records of the class: rows with few records count little. 0 adds records to each cell instead.",
        enabled_if=when("structure", "tan"),
        earlier=0.0,
    )
    missing: str = choice(
        "em",
        Option("em", "as they may have been", "Counted as the shares the network gives them, again and again (EM)."),
        Option("left-out", "left out", "A table is counted from the records that have all it asks for."),
        label="Missing values",
        help="How the tables are found where values are missing.",
    )
    em_rounds: int = integer(
        20, lo=1, hi=1000, label="Rounds at most", help="After so many rounds the expectations are taken as they are.",
        unit="rounds", enabled_if=when("missing", "em"), advanced=True,
    )  # fmt: skip
    prior_records: float = real(
        1.0,
        lo=1e-6,
        label="Prior of BDeu",
        help="As many records the prior of BDeu weighs (equivalent sample size).",
        unit="records",
        enabled_if=when("score", "bdeu"),
        advanced=True,
    )
    patience: int = integer(
        10, lo=1, hi=1000, label="Detours", help="Tabu search ends after so many steps without anything better.",
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
        if is_every_arc(required) and len(numbers) > 1:
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
        complete = records.filled() if records.has_missing() else records
        parents = self._arcs(complete, data.schema, structure_part)
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
            return parents_of(limits.wishes.required, n)
        order = self._order(schema, nodes, limits)
        if self.structure == "order":
            return by_order(records, order, limits, self.significance, context)
        scores = FamilyScores(records, self.score, self.prior_records)
        if self.structure == "k2":
            return k2(scores, order, limits, context)
        begun = parents_of(limits.wishes.required, n)
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
        return NetworkLimits(self.max_parents, ArcConstraints(required, forbidden))

    def _order(self, schema: Schema, nodes: NetworkNodes, limits: NetworkLimits) -> list[int]:
        """The order of all nodes: named ones, the class where unnamed, then the others; required arcs are kept."""
        numbers = _numbers(schema)
        named = list(dict.fromkeys(numbers[name] for name in read_names(self.order) if name in numbers))
        first = named if nodes.class_node in named else [*named, nodes.class_node] if named else [nodes.class_node]
        wanted = list(dict.fromkeys([*first, *range(len(nodes))]))
        above = parents_of(limits.wishes.required, len(nodes))
        order: dict[int, None] = {}
        while wanted:
            free = next(node for node in wanted if above[node] <= order.keys())
            wanted.remove(free)
            order[free] = None
        return list(order)


def _numbers(schema: Schema) -> Mapping[str, int]:
    """The node of each attribute by name."""
    assert schema.class_index is not None
    indices = sorted((*schema.predictors, schema.class_index))
    return {schema.attributes[index].name: node for node, index in enumerate(indices)}
