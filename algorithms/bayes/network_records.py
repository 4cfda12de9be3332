"""Training records as a Bayesian network sees them: a state of each node in each record, and how often they meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.schema import Kind
from algorithms.preprocess.class_cuts import cuts_by_class
from algorithms.preprocess.ranges import Cuts, Distribution, equal_frequency, equal_width

MOST_CELLS: Final = 1 << 20
"""No table may have more cells: an attribute of very many values takes no further parents."""
_BLOCK: Final = 1 << 18
States = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Nodes:
    """What the nodes are: their attributes' positions (v,), their numbers of states (v,) and where numbers are cut."""

    attribute: tuple[int, ...]
    size: tuple[int, ...]
    cuts: tuple[Cuts, ...]
    class_node: int

    def __len__(self) -> int:
        return len(self.attribute)

    def cells(self, family: Sequence[int]) -> int:
        """How many cells a table of these nodes has."""
        return prod(self.size[node] for node in family)


@dataclass(frozen=True, eq=False)
class StateRecords:
    """The states (n,) of each node in the training records, -1 where missing, and the records' weights (n,)."""

    nodes: Nodes
    states: tuple[States, ...]
    weights: FloatArray
    checkpoint: Callable[[], None]

    @property
    def n(self) -> int:
        return len(self.weights)

    @property
    def weight(self) -> float:
        return float(self.weights.sum())

    def counts(self, family: Sequence[int]) -> FloatArray:
        """The weight of the records with each combination of states of these nodes, an axis for each; records that
        miss one of them are left out."""
        shape = tuple(self.nodes.size[node] for node in family)
        cells = prod(shape)
        total = np.zeros(cells + 1)
        for start in range(0, self.n, _BLOCK):
            self.checkpoint()
            rows = slice(start, start + _BLOCK)
            code = np.zeros(len(self.weights[rows]), dtype=np.int64)
            unknown = np.zeros(len(code), dtype=np.bool_)
            for node, size in zip(family, shape, strict=True):
                state = self.states[node][rows]
                code *= size
                code += state
                unknown |= state < 0
            code[unknown] = cells
            total += np.bincount(code, self.weights[rows], minlength=cells + 1)
        return np.asarray(total[:cells].reshape(shape))

    def has_missing(self) -> bool:
        """Whether a state of any record is not known."""
        return any(bool(np.any(state < 0)) for state in self.states)

    def filled(self) -> StateRecords:
        """The same with each missing state the most frequent one of the record's class."""
        found = []
        for node, state in enumerate(self.states):
            missing = state < 0
            if not missing.any():
                found.append(state)
                continue
            counts = self.counts((self.nodes.class_node, node))
            counts = np.where(counts.sum(axis=1, keepdims=True) > 0, counts, counts.sum(axis=0))
            usual = np.argmax(counts, axis=1).astype(np.int32)
            found.append(np.where(missing, usual[self.states[self.nodes.class_node]], state))
        return StateRecords(self.nodes, tuple(found), self.weights, self.checkpoint)


@dataclass(frozen=True)
class Cutting:
    """How numbers become ranges: ``by`` the class (entropy), width or frequency, at most ``ranges`` of them.

    Where the class has nothing to say about a number, it is cut into so many ranges of equally many records.
    """

    by: str
    ranges: int

    def of(self, data: Dataset, index: int, checkpoint: Callable[[], None]) -> Cuts:
        """Where to cut a numeric attribute; nowhere where it has not two different finite numbers."""
        if self.by == "entropy":
            found = cuts_by_class(data, index, checkpoint)
            if found:
                return found
        column = data.column(index)
        finite = np.isfinite(column)
        weights = None if data.weights is None else data.weights[finite]
        distribution = Distribution.of(column[finite], weights)
        if len(distribution.values) < 2:
            return ()
        return (equal_width if self.by == "equal-width" else equal_frequency)(distribution, self.ranges)


def nodes_of(data: Dataset, cutting: Cutting, checkpoint: Callable[[], None]) -> Nodes:
    """The class and what is learned from, as nodes, in the order of the columns."""
    schema = data.schema
    assert schema.class_index is not None
    indices = tuple(sorted((*schema.predictors, schema.class_index)))
    cuts, sizes = [], []
    for index in indices:
        checkpoint()
        attribute = schema.attributes[index]
        own = cutting.of(data, index, checkpoint) if attribute.kind is Kind.NUMERIC else ()
        cuts.append(own)
        sizes.append(len(own) + 1 if attribute.kind is Kind.NUMERIC else max(1, len(attribute.values)))
    return Nodes(indices, tuple(sizes), tuple(cuts), indices.index(schema.class_index))


def nodes_in(network: BayesNetwork) -> Nodes:
    """The nodes of a network that there is already."""
    cuts = tuple(tuple(network.cuts_of(node).tolist()) for node in network.nodes)
    return Nodes(tuple(network.attribute.tolist()), tuple(network.size.tolist()), cuts, network.class_node)


def records_of(data: Dataset, nodes: Nodes, checkpoint: Callable[[], None]) -> StateRecords:
    """The records as states."""
    found = []
    for node, index in enumerate(nodes.attribute):
        checkpoint()
        column = data.column(index)
        if data.schema.attributes[index].kind is Kind.NUMERIC:
            codes = np.searchsorted(np.asarray(nodes.cuts[node]), column, side="right").astype(np.int32)
            found.append(np.where(np.isfinite(column), codes, np.int32(-1)))
        else:
            found.append(np.asarray(column, dtype=np.int32))
    return StateRecords(nodes, tuple(found), np.array(data.weight_array, dtype=np.float64), checkpoint)
