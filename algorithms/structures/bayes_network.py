"""Structures of naive Bayes models and of Bayesian networks: graphs and conditional distributions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import AttributeKind, Schema
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.text.sentences import counted


class DistributionForm(IntEnum):
    """Form in which the distribution of an attribute in a class is stored."""

    VALUES = 0
    """A probability for each value of a nominal or ordinal attribute."""
    RANGES = 1
    """A probability for each range of a number; a number equal to a cut belongs to the upper range."""
    NORMAL = 2
    """A normal density with ``mean`` and ``deviation``."""
    KERNELS = 3
    """A kernel density: a sum of normal densities at points, all with standard deviation ``deviation``."""


@dataclass(frozen=True, eq=False)
class Conditionals(ModelStructure, viewer_key="nomogram"):
    """The distributions of a attributes in k classes, and the prior, as flat arrays.

    ==============  ===========  =====================================================================================
    array           shape        meaning
    ==============  ===========  =====================================================================================
    class_weight    (k,)         float64, weight of the training records of each class
    prior           (k,)         float64, prior probability of each class, summing to 1
    attribute       (a,)         int32, index in ``schema.attributes``, ascending
    form            (a,)         int8, a :class:`DistributionForm`
    row_start       (a + 1,)     int32, start of its values or ranges in ``table`` and ``count``
    table           (t, k)       float64, probability of each value or range in each class
    count           (t, k)       float64, weight of the training records with it; all zeros if it was never seen
    mean            (a, k)       float64, mean in each class; NaN for a nominal attribute
    deviation       (a, k)       float64, standard deviation of a NORMAL density, or of the KERNELS; else NaN
    span            (a, 2)       float64, the smallest and largest training number; NaN for a nominal attribute
    cut_start       (a + 1,)     int32, start of its cuts in ``cuts``
    cuts            (c,)         float64, lower ends of all RANGES but the first, ascending within an attribute
    point_start     (a * k + 1)  int32, start of the points of an attribute in a class (attribute * k + class)
    point           (p,)         float64, kernel centres, ascending within an attribute and class
    point_weight    (p,)         float64, weight of each point, summing to 1 within an attribute and class
    ==============  ===========  =====================================================================================

    ``least_ratio``, from 0 to below 1, limits the evidence of one number. A class's density is at least this share of
    the largest density there among the classes with a prior above 0.
    """

    schema: Schema
    class_weight: FloatArray
    prior: FloatArray
    attribute: NDArray[np.int32]
    form: NDArray[np.int8]
    row_start: NDArray[np.int32]
    table: FloatArray
    count: FloatArray
    mean: FloatArray
    deviation: FloatArray
    span: FloatArray
    cut_start: NDArray[np.int32]
    cuts: FloatArray
    point_start: NDArray[np.int32] = field(default_factory=lambda: np.zeros(1, dtype=np.int32))
    point: FloatArray = field(default_factory=lambda: np.zeros(0))
    point_weight: FloatArray = field(default_factory=lambda: np.zeros(0))
    least_ratio: float = 0.0

    @property
    def info(self) -> StructureInfo:
        facts = f"{counted(self.n_attributes, 'attribute')} each weighed alone"
        return StructureInfo("The model", facts, "the attributes, weighed")

    @property
    def n_attributes(self) -> int:
        return len(self.attribute)

    def rows_of(self, place: int) -> slice:
        """The slice in ``table`` of the values or ranges of the attribute with this index."""
        return slice(int(self.row_start[place]), int(self.row_start[place + 1]))

    def cuts_of(self, place: int) -> FloatArray:
        return self.cuts[int(self.cut_start[place]) : int(self.cut_start[place + 1])]

    def points_of(self, place: int, code: int) -> slice:
        """The slice of ``point`` that holds the kernel density's support points of an attribute in a class."""
        part = place * self.n_classes + code
        return slice(int(self.point_start[part]), int(self.point_start[part + 1]))


Int32Array = NDArray[np.int32]
Parents = tuple[tuple[int, ...], ...]
"""The parents of each node, ascending."""


@dataclass(frozen=True, eq=False)
class BayesNetwork(ModelStructure, viewer_key="network"):
    """A directed acyclic graph over v nodes (attributes, including the class), with a probability table for each.

    ============  ========  =========================================================================================
    array         shape     meaning
    ============  ========  =========================================================================================
    attribute     (v,)      int32, index in ``schema.attributes``, ascending
    size          (v,)      int32, number of states: nominal values, or ranges of a number; at least 1
    parent_start  (v + 1,)  int32, start of its parents in ``parent``
    parent        (p,)      int32, nodes, ascending within a node
    table_start   (v + 1,)  int32, start of its table in ``table`` and ``count``
    table         (t,)      float64, probability of each state given the states of the parents: an axis for each parent,
                            in order, and last one for the node's own states, in C order
    count         (t,)      float64, weight of the training records of each cell (expected, if values are missing)
    cut_start     (v + 1,)  int32, start of its cuts in ``cuts``
    cuts          (c,)      float64, lower ends of all ranges but the first, ascending within a node
    ============  ========  =========================================================================================
    """

    schema: Schema
    attribute: Int32Array
    size: Int32Array
    parent_start: Int32Array
    parent: Int32Array
    table_start: Int32Array
    table: FloatArray
    count: FloatArray
    cut_start: Int32Array
    cuts: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def info(self) -> StructureInfo:
        facts = f"{counted(self.n_nodes, 'node')} · {counted(self.n_arcs, 'arrow')}"
        return StructureInfo("The network", facts, "network of the attributes")

    @property
    def n_nodes(self) -> int:
        return len(self.attribute)

    @property
    def n_arcs(self) -> int:
        return len(self.parent)

    @cached_property
    def class_node(self) -> int:
        return int(np.flatnonzero(self.attribute == self.schema.class_index)[0])

    @cached_property
    def parents(self) -> Parents:
        return tuple(
            tuple(self.parent[self.parent_start[node] : self.parent_start[node + 1]].tolist())
            for node in range(self.n_nodes)
        )

    def name(self, node: int) -> str:
        return self.schema.attributes[int(self.attribute[node])].name

    def cuts_of(self, node: int) -> FloatArray:
        return self.cuts[int(self.cut_start[node]) : int(self.cut_start[node + 1])]

    def shape(self, node: int) -> tuple[int, ...]:
        """The numbers of states of each parent, then of the node: the shape of its table."""
        return tuple(int(self.size[axis_node]) for axis_node in (*self.parents[node], node))

    def table_of(self, node: int) -> FloatArray:
        """The probability table: an axis for each parent, then one for the node's own states."""
        return self.table[int(self.table_start[node]) : int(self.table_start[node + 1])].reshape(self.shape(node))

    def count_of(self, node: int) -> FloatArray:
        """The weights of training records in each cell of :meth:`table_of`."""
        return self.count[int(self.table_start[node]) : int(self.table_start[node + 1])].reshape(self.shape(node))

    def is_number(self, node: int) -> bool:
        """Whether the states of the node are ranges of a number."""
        return self.schema.attributes[int(self.attribute[node])].kind is AttributeKind.NUMERIC

    @cached_property
    def seen(self) -> tuple[NDArray[np.bool_], ...]:
        """For each node, a mask of the states that occurred in training; other states count as missing."""
        return tuple(self.count_of(node).reshape(-1, int(self.size[node])).sum(axis=0) > 0 for node in self.nodes)

    @property
    def nodes(self) -> range:
        return range(self.n_nodes)

    def codes_of(self, node: int, column: NDArray[Any]) -> NDArray[np.int64]:
        """The states (n,) of a column of the node's attribute; -1 if missing, infinite or not in training."""
        if self.is_number(node):
            numbers = np.asarray(column, dtype=np.float64)
            codes = np.searchsorted(self.cuts_of(node), numbers, side="right").astype(np.int64)
            codes[~np.isfinite(numbers)] = -1
        else:
            codes = np.asarray(column, dtype=np.int64)
        return np.where(np.append(self.seen[node], False)[codes], codes, -1)
