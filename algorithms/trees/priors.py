"""How frequent the classes are where a tree will be used: the records weighed so that it grows as if they were so.

Source: Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 4.4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.core.costs import Costs, cost_table, problems_of_costs, weighed_by_costs
from algorithms.core.data import Dataset
from algorithms.core.learner import Problem
from algorithms.core.summary import Summary

GIVEN = "given"
EQUAL = "equal"
BY_COST = "by-cost"


def weighed_to_priors(data: Dataset, priors: str, shares: Sequence[float], costs: Costs = ()) -> Dataset:
    """The data, every class known, weighed as ``priors`` says: as it is, all classes the same, by ``shares`` or costs.

    As it is, too, where shares are to be given and none are. By costs, a class weighs what it does times what it costs
    to mistake it (the altered priors of section 4.4.3).
    """
    if priors == BY_COST:
        table = cost_table(costs, len(data.schema.classes))
        return data.with_weights(weighed_by_costs(data.weight_array, data.class_codes, table))
    if priors == EQUAL:
        return with_priors(data, [1.0] * len(data.schema.classes))
    return with_priors(data, shares) if priors == GIVEN and shares else data


def with_priors(data: Dataset, shares: Sequence[float]) -> Dataset:
    """The data, every class known, weighed so that the classes that occur weigh as ``shares`` (k,), all as before.

    As it is where no class that occurs has a share.
    """
    weights, codes = data.weight_array, data.class_codes
    of_class = np.bincount(codes, weights=weights, minlength=len(data.schema.classes))
    wanted = np.where(of_class > 0, np.asarray(shares, dtype=np.float64), 0.0)
    if np.count_nonzero(of_class) < 2 or wanted.sum() <= 0:
        return data
    wanted *= weights.sum() / wanted.sum()
    factor = np.divide(wanted, of_class, out=np.zeros_like(of_class), where=of_class > 0)
    return data.with_weights(weights * factor[codes])


def problems_of_priors(summary: Summary, priors: str, shares: Sequence[float], costs: Costs = ()) -> list[Problem]:
    """What is wrong with given shares or costs for this class, if anything."""
    classes = summary.schema.classes
    if priors == BY_COST:
        return problems_of_costs(costs, summary)
    if priors != GIVEN or not shares:
        return []
    if len(shares) != len(classes):
        names = ", ".join(classes[:8]) + (", …" if len(classes) > 8 else "")
        numbers = "number is" if len(shares) == 1 else "numbers are"
        return [
            Problem(
                f"{len(shares)} {numbers} given as shares, and there are {len(classes)} classes.",
                f"Give one number for each, in this order: {names}.",
            )
        ]
    if sum(shares) <= 0:
        return [Problem("No class has a share.", "Give at least one class a number above 0.")]
    return []
