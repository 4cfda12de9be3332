"""Which class gets its rules first: the rarest, the most frequent, or the one that is dearest to mistake."""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.costs import Costs


def rarest_first(total: FloatArray) -> list[int]:
    """The classes that there are, of these weights (k,), the rarest first."""
    return [int(code) for code in np.argsort(total, kind="stable") if total[code] > 0]


def dearest_first(total: FloatArray, costs: Costs) -> list[int]:
    """The same by what it costs in all to mistake a record of a class, the rarest of equals first.

    The rarest first where no costs are given, or costs for another number of classes.
    """
    order = rarest_first(total)
    if len(costs) != len(total):
        return order
    table = np.array(costs, dtype=np.float64)
    dear = table.sum(axis=1) - np.diag(table)
    return sorted(order, key=lambda code: -float(dear[code]))
