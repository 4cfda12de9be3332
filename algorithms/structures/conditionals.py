"""What naive Bayes has learned: how each class distributes the values of each attribute."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.text.sentences import counted


class DistributionForm(IntEnum):
    """How an attribute's distribution in a class is written down."""

    VALUES = 0
    """A probability for each value of a nominal or ordinal attribute."""
    RANGES = 1
    """A probability for each range of a number; a number on a cut counts upward."""
    NORMAL = 2
    """A normal density: ``mean`` and ``deviation``."""
    KERNELS = 3
    """A sum of normal densities around points, all with the width ``deviation``."""


@dataclass(frozen=True, eq=False)
class Conditionals(ModelStructure, viewer_key="nomogram"):
    """The distributions of a attributes in k classes, and the classes' own shares, as flat arrays.

    ==============  ===========  =====================================================================================
    array           shape        meaning
    ==============  ===========  =====================================================================================
    class_weight    (k,)         float64, weight of the training records of each class
    prior           (k,)         float64, the share of each class before anything is known, summing to 1
    attribute       (a,)         int32, position in ``schema.attributes``, ascending
    form            (a,)         int8, a :class:`DistributionForm`
    row_start       (a + 1,)     int32, where its values or ranges start in ``table`` and ``count``
    table           (t, k)       float64, probability of each value or range in each class
    count           (t, k)       float64, weight of the training records with it; a row of zeros was never seen
    mean            (a, k)       float64, of the numbers in each class; NaN where the attribute is no number
    deviation       (a, k)       float64, of a NORMAL density, or the width of KERNELS; else NaN
    span            (a, 2)       float64, the smallest and the largest training number; NaN where it is no number
    cut_start       (a + 1,)     int32, where its cuts start in ``cuts``
    cuts            (c,)         float64, the lower ends of all RANGES but the first, ascending within an attribute
    point_start     (a * k + 1)  int32, where the points of an attribute in a class start (attribute * k + class)
    point           (p,)         float64, ascending within an attribute and class
    point_weight    (p,)         float64, the share of each point, summing to 1 within an attribute and class
    ==============  ===========  =====================================================================================

    ``least_ratio``, from 0 to below 1, bounds what one number can say: no class's density of it counts as less than
    this part of the largest density that a class of some prior has there.
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
        facts = f"{counted(self.n_attributes, 'attribute')} weighed each by itself"
        return StructureInfo("The model", facts, "the attributes, weighed")

    @property
    def n_attributes(self) -> int:
        return len(self.attribute)

    def rows_of(self, place: int) -> slice:
        """Where the values or ranges of the attribute at this place stand in ``table``."""
        return slice(int(self.row_start[place]), int(self.row_start[place + 1]))

    def cuts_of(self, place: int) -> FloatArray:
        """The cuts of the attribute at this place."""
        return self.cuts[int(self.cut_start[place]) : int(self.cut_start[place + 1])]

    def points_of(self, place: int, code: int) -> slice:
        """Where the points of an attribute in a class stand in ``point``."""
        at = place * self.n_classes + code
        return slice(int(self.point_start[at]), int(self.point_start[at + 1]))
