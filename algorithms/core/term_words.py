"""What is said of the terms that a model weighs, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.terms import LeftOut, Terms

_FEW = 3


def strongest(added: FloatArray, most: int) -> list[int]:
    """The places of what adds something, the most first, at most so many."""
    order = np.argsort(-np.abs(added), kind="stable")[:most]
    return [int(at) for at in order if added[at] != 0]


def listed(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more


def remarks_on_terms(terms: Terms) -> list[str]:
    """What was not weighed, and why."""
    found = []
    constant, follows = terms.names_left_out(LeftOut.CONSTANT), terms.names_left_out(LeftOut.FOLLOWS)
    if constant:
        found.append(f"not weighed, as it never differs: {listed(constant)}")
    if follows:
        found.append(f"not weighed, as it follows from others: {listed(follows)}")
    return found
