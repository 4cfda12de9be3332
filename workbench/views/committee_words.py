"""What a committee is, in sentences."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.members import Members
from workbench.wording import counted

_OTHERWISE: Final = {
    "judge": "The last member decides: it has learned what the probabilities that the others give are worth.",
    "sums": "What the leaves of {} say of a record is added up; each tree mends a little of what those before it leave "
    "wrong.",
}


def committee_words(members: Members) -> str:
    """How the members decide, and what is known of how they err."""
    known, how = members.known, "by the average of their probabilities" if members.averaged else "by their votes"
    found = [f"{counted(members.n_members, 'member')} decide{'s' if members.n_members == 1 else ''} {how}."]
    if members.how in _OTHERWISE:
        found = [_OTHERWISE[members.how].format(counted(members.n_members, "tree"))]
    if known.is_tested:
        found.append(
            f"On their own training records they are wrong {100 * known.out_of_bag:.1f} times in 100 where only those "
            "decide that did not learn from the record (out of bag)."
        )
    if np.isfinite(known.bound):
        found.append(
            f"Each tree is {known.strength:.2f} strong, and they err alike by {known.correlation:.2f}: 1 is the most "
            "of both."
        )
    return " ".join(found)
