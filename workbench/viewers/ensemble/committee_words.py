"""What a committee is, in sentences."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.structures.members import Members
from workbench.style.wording import counted

ERROR, TOGETHER, WEIGHTS, ATTRIBUTES, VOTE, GALLERY, ALIKE, MAP, MEMBERS, ONE = range(10)
PICTURES: Final = (ERROR, TOGETHER, WEIGHTS, ATTRIBUTES, VOTE, GALLERY)
"""Pages that are pictures with a table of the same."""
TEST_TIP: Final = "Learn in each fold of the run's test and judge every member on the records that were left out"
PAGES: Final = (
    ("Error", "visualize.committee.show-error", "How often the first members together are wrong, by their number"),
    ("Together", "visualize.committee.show-together", "What the vote mends, beside independent members"),
    ("Weights", "visualize.committee.show-weights", "What a member's vote weighs by its error in its round"),
    ("Attributes", "visualize.committee.show-attributes", "How much each attribute matters to the committee"),
    ("Vote", "visualize.committee.show-vote", "What each member learned from and says of each record, and the sums"),
    ("Trees", "visualize.committee.show-gallery", "Every tree as a small picture; each can be opened"),
    ("Alike", "visualize.committee.show-alike", "Which records the trees send to the same leaves as the selected one"),
    ("Map", "visualize.committee.show-map", "The records in a plane as the trees see them, and which lie far out"),
    ("Members", "visualize.committee.show-members", "Every member by itself; each can be opened"),
)


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
