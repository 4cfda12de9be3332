"""What there is to look at in a committee of models: its members and how well it did with the first of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.schema import Schema
from algorithms.core.structures import Structure


def _none() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class Committee:
    """What is known of how a committee of m members decides on its training records; empty where it is not known.

    ======================  ====  ==================================================================================
    array                   size  meaning
    ======================  ====  ==================================================================================
    training_error          m     error of the first 1, 2 .. m members together on the records they learned from
    out_of_bag_error        m     the same, each record judged only by those of them that did not learn from it; NaN
                                  while every record was learned from by all
    ======================  ====  ==================================================================================

    ``tested`` is the weight of the records that at least one member did not learn from.
    """

    training_error: FloatArray = field(default_factory=_none)
    out_of_bag_error: FloatArray = field(default_factory=_none)
    tested: float = 0.0

    @property
    def is_tested(self) -> bool:
        """Whether records were judged by members that had not learned from them."""
        return self.tested > 0 and len(self.out_of_bag_error) > 0

    @property
    def out_of_bag(self) -> float:
        """The out-of-bag error of all members; NaN where there is none."""
        return float(self.out_of_bag_error[-1]) if self.is_tested else float("nan")


@dataclass(frozen=True, eq=False)
class Members:
    """The m members of a committee: what each looks like inside, the learner it came from, and what its vote weighs.

    ``averaged`` says that class probabilities are averaged; otherwise each member votes for one class.
    """

    schema: Schema
    parts: tuple[ModelStructure, ...]
    names: tuple[str, ...]
    weights: FloatArray
    averaged: bool
    known: Committee

    @property
    def n_members(self) -> int:
        return len(self.parts)


ModelStructure = Structure | Members
"""What there is to look at in any model: in a single one, or in a committee of several."""
