"""Structure of naive Bayes models: the distribution of each attribute in each class."""

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
        facts = f"{counted(self.n_attributes, 'attribute')} weighed each by itself"
        return StructureInfo("The model", facts, "the attributes, weighed")

    @property
    def n_attributes(self) -> int:
        return len(self.attribute)

    def rows_of(self, place: int) -> slice:
        """The slice in ``table`` of the values or ranges of the attribute with this index."""
        return slice(int(self.row_start[place]), int(self.row_start[place + 1]))

    def cuts_of(self, place: int) -> FloatArray:
        """The cuts of the attribute with this index."""
        return self.cuts[int(self.cut_start[place]) : int(self.cut_start[place + 1])]

    def points_of(self, place: int, code: int) -> slice:
        """The slice of ``point`` that holds the kernel density's support points of an attribute in a class."""
        part = place * self.n_classes + code
        return slice(int(self.point_start[part]), int(self.point_start[part + 1]))
