"""The pages of a committee, in the order of their buttons."""

from __future__ import annotations

from typing import Final

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
