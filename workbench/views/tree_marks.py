"""What stands out in a tree's picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from algorithms.core.structures import NO_NODE


@dataclass
class Marks:
    """Nodes that stand out: the one in focus, most where the keyboard is there as well, the one under the mouse,
    those on a lit path, with what the record that goes there answers (``answers``, by the node that the branch
    leads to).

    ``found`` (m,) are those in which something was searched and found, ``found_below`` (m,) how many are under each.
    ``selected`` (m,) is the weight of the selected records in each. ``waiting`` (m,) are those of which it is not
    decided yet, while the tree grows, whether they are divided. ``by_hand`` were changed by a person; ``badges`` are
    few words at a node's corner.
    """

    focus: int = NO_NODE
    focus_is_visible: bool = False
    hover: int = NO_NODE
    lit: frozenset[int] = field(default_factory=frozenset)
    answers: Mapping[int, str] = field(default_factory=dict)
    found: NDArray[np.bool_] | None = None
    found_below: NDArray[np.int64] | None = None
    selected: NDArray[np.float64] | None = None
    waiting: NDArray[np.bool_] | None = None
    by_hand: frozenset[int] = field(default_factory=frozenset)
    badges: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    """A sentence more for a node's card."""
