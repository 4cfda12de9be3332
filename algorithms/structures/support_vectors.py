"""Support vector machines as they are looked at: the records that hold the margins, and what each pulls with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.structures.terms import Int32Array, Terms
from algorithms.text.sentences import counted

REST: Final = -1
"""Stands for all classes but one, where a machine separates one from the rest."""
UNMET: Final = 1
UNSETTLED: Final = 2
"""What a machine lacks: a margin without slack that it was asked for, or the tolerance at its last step."""


@dataclass(frozen=True, eq=False)
class DualityGap:
    """Published now and then while a machine learns: its steps, primal and dual objective so far (points, 3).

    ``machine`` is the same object in all that is said of one machine. With ``can_finish`` it is kept as far as it came
    when the run is asked to finish.
    """

    course: FloatArray
    machine: object
    can_finish: bool

    def continues(self, before: object) -> bool:
        """Whether it is of the same machine."""
        return isinstance(before, DualityGap) and before.machine is self.machine


@dataclass(frozen=True, eq=False)
class SupportVectors(ModelStructure, viewer_key="margins"):
    """m machines, each of which separates two classes (or one from the rest) by a sum over its support vectors.

    A record's t numbers are those of :class:`Terms`, ``number * factor + offset``. The sum of a machine is the sum of
    ``coefficient`` times the kernel of the record with the vector, plus ``bias``: above 0 for the class ``first``,
    below for ``second``, and 1 or -1 on the margins.

    ============  =======  =========================================================================================
    array         shape    meaning
    ============  =======  =========================================================================================
    class_weight  (k,)     float64, weight of the training records of each class; a class of 0 is never decided
    factor        (t,)     float64, above 0
    offset        (t,)     float64
    vectors       (s, t)   float64, the numbers of the support vectors of all machines; of none where a machine that
                           weighs the numbers themselves has very many
    row_ids       (s,)     int64, the ids of these records in the table they come from
    labels        (s,)     int32, their classes
    first         (m,)     int32, the class of sums above 0
    second        (m,)     int32, the other class, or :data:`REST`
    start         (m + 1,) int32, where a machine's part of the next arrays starts
    member        (z,)     int32, position in ``vectors``
    coefficient   (z,)     float64, the multiplier, below 0 where the record is on the side of ``second``
    slack         (z,)     float64, how far the record is beyond its margin; 0 where it lies on it
    ceiling       (z,)     float64, the largest the multiplier could have become; 0 stands for no bound
    bias          (m,)     float64
    weight        (t, m)   float64, what the numbers are weighed with where the kernel is linear; else of no size
    sigmoid       (m, 2)   float64, slope a and offset b of the probability of ``first``, 1 / (1 + exp(-(a sum + b)))
    n_support     (m,)     int64, the support vectors of each machine
    unmet         (m,)     int8, ``UNMET`` where a margin without any slack was asked for that there is not,
                           ``UNSETTLED`` where the last step left more than the tolerance
    course        (g, 4)   float64, how learning went: machine, steps, primal and dual objective
    ============  =======  =========================================================================================

    ``kernel`` is "linear", "polynomial", "gaussian" or "sigmoid", with ``gamma``, ``degree`` and ``constant``;
    ``margin`` "hard", "soft" or "soft-squared", ``c`` what a slack costs; ``calibrated`` says whether the sigmoids were
    fitted to records that the machines had not learned from. ``lowest`` is the smallest eigenvalue of the kernel
    matrix as a share of the largest, where it is below 0, else 0.
    """

    schema: Schema
    terms: Terms
    class_weight: FloatArray
    factor: FloatArray
    offset: FloatArray
    vectors: FloatArray
    row_ids: NDArray[np.int64]
    labels: Int32Array
    first: Int32Array
    second: Int32Array
    start: Int32Array
    member: Int32Array
    coefficient: FloatArray
    slack: FloatArray
    ceiling: FloatArray
    bias: FloatArray
    weight: FloatArray
    sigmoid: FloatArray
    n_support: NDArray[np.int64]
    unmet: NDArray[np.int8]
    course: FloatArray
    kernel: str
    gamma: float
    degree: int
    constant: float
    margin: str
    c: float
    calibrated: bool
    lowest: float

    VALUES = ("kernel", "gamma", "degree", "constant", "margin", "c", "calibrated", "lowest")

    @property
    def info(self) -> StructureInfo:
        machines = "" if self.n_machines == 1 else f" of {self.n_machines} machines"
        facts = f"{counted(int(self.n_support.sum()), 'support vector')}{machines}"
        return StructureInfo("The margin", facts, "the attributes, weighed")

    @property
    def n_terms(self) -> int:
        return len(self.terms)

    @property
    def n_vectors(self) -> int:
        """Records that are a support vector of any machine and are kept."""
        return len(self.vectors)

    @property
    def n_machines(self) -> int:
        return len(self.first)

    @property
    def is_linear(self) -> bool:
        """Whether the machines weigh the numbers themselves."""
        return self.kernel == "linear"

    @property
    def one_against_rest(self) -> bool:
        """Whether each machine separates one class from all others."""
        return bool(np.any(self.second == REST))

    def part(self, machine: int) -> slice:
        """Where the support vectors of a machine stand in ``member``, ``coefficient``, ``slack`` and ``ceiling``."""
        return slice(int(self.start[machine]), int(self.start[machine + 1]))

    @cached_property
    def coefficients(self) -> FloatArray:
        """The coefficient of each vector in each machine (s, m), 0 where it is none of its support vectors."""
        found = np.zeros((self.n_vectors, self.n_machines))
        machines = np.repeat(np.arange(self.n_machines), np.diff(self.start))
        found[self.member, machines] = self.coefficient
        return found

    def course_of(self, machine: int) -> FloatArray:
        """How the learning of a machine went: steps, primal and dual objective (points, 3)."""
        return self.course[self.course[:, 0] == machine, 1:]

    def side_names(self, machine: int) -> tuple[str, str]:
        """What the two sides of a machine are called."""
        classes, other = self.schema.classes, int(self.second[machine])
        return classes[int(self.first[machine])], "the rest" if other == REST else classes[other]

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {**super().arrays(), **self.terms.arrays()}

    def values(self) -> dict[str, Any]:
        """All single values by name, for saving."""
        return {name: getattr(self, name) for name in self.VALUES}
