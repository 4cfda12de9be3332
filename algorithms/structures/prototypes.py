"""Structure of nearest-neighbour models: the stored training records as points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.text.sentences import counted

Int32Array = NDArray[np.int32]


EXACT: Final = "exact"
"""Distance of the rote learner: only equal records match."""


@dataclass(frozen=True, eq=False)
class Prototypes(ModelStructure, viewer_key="neighbours"):
    """n records as points of p numbers and q value codes, with the distance and the voting rule.

    The points are sorted by their contents, independently of the order of their table.

    =================  ======  =====================================================================================
    array              shape   meaning
    =================  ======  =====================================================================================
    numbers            (n, p)  float64, ``(value - centre) / unit``; NaN if the value is missing
    codes              (n, q)  int32, -1 if the value is missing
    labels             (n,)    int32, the class
    weights            (n,)    float64, above 0
    row_ids            (n,)    int64, ids of the records in their table
    number_attribute   (p,)    int32, index in ``schema.attributes``
    centre, unit       (p,)    float64; the unit of a constant attribute is infinite, so that it does not count
    low, high          (p,)    float64, the smallest and largest of ``numbers``, 0 if all are missing
    code_attribute     (q,)    int32, index in ``schema.attributes``
    table_start        (q,)    int32, start of the distances of two values in ``table``; -1: distance 0 if they are
                               equal, else 1
    table              (t,)    float64, distance of the values a and b at ``start + a * n_values + b``
    =================  ======  =====================================================================================

    ``distance``, ``power``, ``scaling``, ``missing``, ``votes`` and ``kernel_width`` are the learner's settings (see
    :class:`algorithms.learners.neighbors.k_nearest.KNearestNeighbors`), ``k`` is the weight of the records that vote.
    """

    schema: Schema
    numbers: FloatArray
    codes: Int32Array
    labels: Int32Array
    weights: FloatArray
    row_ids: NDArray[np.int64]
    number_attribute: Int32Array
    centre: FloatArray
    unit: FloatArray
    low: FloatArray
    high: FloatArray
    code_attribute: Int32Array
    table_start: Int32Array
    table: FloatArray
    distance: str
    scaling: str
    missing: str
    votes: str
    k: int
    power: float = 2.0
    kernel_width: float = 0.5

    SETTINGS: ClassVar[tuple[str, ...]] = ("distance", "scaling", "missing", "votes", "k", "power", "kernel_width")

    @property
    def info(self) -> StructureInfo:
        kept = f"{counted(self.n_records, 'record')} kept"
        asked = "" if self.distance == EXACT else f" · k = {self.k}"
        return StructureInfo("The records", f"{kept}{asked}", kept)

    @property
    def n_records(self) -> int:
        return len(self.labels)

    @property
    def counts(self) -> FloatArray:
        """The weight of the records of each class (k,)."""
        return np.bincount(self.labels, self.weights, minlength=self.n_classes).astype(np.float64)

    def settings(self) -> dict[str, Any]:
        """All settings by name, for saving."""
        return {name: getattr(self, name) for name in self.SETTINGS}
