"""Rules while they are grown: conditions on ranks, and the rule in values that they stand for."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.rule_set import Condition, Rule
from algorithms.rules.ranked import LAST_RANK, Ranked

Body = NDArray[np.int64]
"""The conditions of a rule (m, 3): predictor, lowest and highest rank."""

NOTHING: Final[Body] = np.zeros((0, 3), dtype=np.int64)


def n_conditions(ranked: Ranked, place: int) -> int:
    """How many conditions there are to choose from about one predictor."""
    if ranked.is_listed[place]:
        return len(ranked.data.schema.attributes[ranked.predictors[place]].values)
    return 2 * ranked.n_distinct(place)


def rule_of(ranked: Ranked, body: Body, target: int) -> Rule:
    """A rule in values, its bounds of one predictor made one condition."""
    bounds: dict[int, tuple[int, int]] = {}
    for place, low, high in body.tolist():
        known = bounds.get(place, (0, LAST_RANK))
        bounds[place] = max(known[0], low), min(known[1], high)
    conditions: list[Condition] = [ranked.condition(place, low, high) for place, (low, high) in bounds.items()]
    return Rule(tuple(conditions), target)
