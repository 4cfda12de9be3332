"""How strong the trees of a forest are, and how much alike.

Source: Breiman, Random forests, Machine Learning 45 (2001), section 2.2 and appendix II; TSKK Eq. 5.72.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ABSENT = -1
"""Stands for the vote of a member that learned from the record."""


def strength_and_correlation(votes: NDArray[np.int16], truth: NDArray[np.int32], k: int) -> tuple[float, float]:
    """Strength s and mean correlation r, from the votes (m, n) of m members for one of k classes on n records.

    s is the mean over the records of the share of votes for the true class less that of the strongest other class,
    counting the members that did not learn from the record; r is the variance of that margin by the squared mean
    standard deviation of the members' own margins. NaN where nothing was left out, r where no member ever differs.
    """
    present = votes != ABSENT
    heard = present.any(axis=0)
    if k < 2 or not heard.any():
        return float("nan"), float("nan")
    votes, present, truth = votes[:, heard], present[:, heard], truth[heard]
    shares = (
        np.stack([np.count_nonzero(votes == code, axis=0) for code in range(k)], axis=1) / present.sum(axis=0)[:, None]
    )
    rows = np.arange(len(truth))
    others = shares.copy()
    others[rows, truth] = -1.0
    rival = np.argmax(others, axis=1)
    margin = shares[rows, truth] - shares[rows, rival]
    own = np.array(
        [_deviation(vote[there], truth[there], rival[there]) for vote, there in zip(votes, present, strict=True)]
    )
    own = own[np.isfinite(own)]
    spread = float(own.mean()) if len(own) else 0.0
    return float(margin.mean()), float(margin.var()) / spread**2 if spread > 0 else float("nan")


def _deviation(vote: NDArray[np.int16], truth: NDArray[np.int32], rival: NDArray[np.int64]) -> float:
    """Standard deviation of a member's margin, 1 for the true class, -1 for its rival, over the records it left out."""
    if not len(vote):
        return float("nan")
    right, wrong = float(np.mean(vote == truth)), float(np.mean(vote == rival))
    return float(np.sqrt(max(0.0, right + wrong - (right - wrong) ** 2)))
