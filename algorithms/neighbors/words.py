"""What nearness and votes mean, for reading."""

from __future__ import annotations

from typing import Final

from algorithms.core.prototypes import Prototypes

_DISTANCES: Final = {
    "euclidean": "as the crow flies (Euclidean)",
    "manhattan": "by the sum of the differences (Manhattan)",
    "chebyshev": "by the largest difference (Chebyshev)",
    "cosine": "by the angle between them (cosine)",
    "heom": "by straight lines where values of lists are the same or not (HEOM)",
    "gower": "by the average difference of what both records know (Gower)",
    "value-difference": "with values of lists near where they go with the same classes (HVDM)",
}
_SCALES: Final = {
    "range": ", numbers over their range",
    "z-score": ", numbers in standard deviations",
    "none": ", numbers as they are",
    "four-deviations": ", numbers in four standard deviations",
}
_VOTES: Final = {
    "majority": "all alike",
    "inverse": "the nearer the more (1 / distance)",
    "inverse-square": "the nearer the more (1 / distance squared)",
    "kernel": "fading with the distance (Gaussian kernel)",
}


def distance_words(kept: Prototypes) -> str:
    """How far apart two records are, in a sentence."""
    how = f"by differences to the power of {kept.power:g} (Minkowski)"
    return f"Near is measured {_DISTANCES.get(kept.distance, how)}{_SCALES[kept.scaling]}."


def votes_words(kept: Prototypes) -> str:
    """Who votes, and how, in a sentence."""
    who = "record that is most like a new one votes" if kept.k == 1 else "records that are most like a new one vote"
    number = "training" if kept.k == 1 else f"{kept.k:,} training"
    return f"The {number} {who}" + ("." if kept.k == 1 else f", {_VOTES[kept.votes]}.")
