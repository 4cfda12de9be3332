"""How the nearest records vote, and how ties are settled."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.learner import Codes
from algorithms.core.prototypes import Prototypes
from algorithms.neighbors.search import Nearest, distances

EQUAL: Final = 1e-9
"""Shares of votes that differ by no more are equal."""


def strengths(kept: Prototypes, near: Nearest, n: int, k: int | None = None) -> FloatArray:
    """The vote of each of the nearest (s,), of ``n`` points: weight, times what its distance is worth.

    Together the votes weigh k before distances count: records that are equally far, but too many, share what is left
    of k in proportion to their weights.
    """
    k = kept.k if k is None else k
    if not len(near.row):
        return np.zeros(0)
    weights = near.weight
    starts = np.ones(len(weights), dtype=np.bool_)
    starts[1:] = (near.point[1:] != near.point[:-1]) | (near.reduced[1:] != near.reduced[:-1])
    group = np.cumsum(starts) - 1
    in_group = np.bincount(group, weights)
    firsts = np.flatnonzero(starts)
    before = np.cumsum(in_group) - in_group
    of_point = near.point[firsts]
    new_point = np.ones(len(firsts), dtype=np.bool_)
    new_point[1:] = of_point[1:] != of_point[:-1]
    begin = np.maximum.accumulate(np.where(new_point, np.arange(len(firsts)), 0))
    nearer = before - before[begin]
    share = np.clip((k - nearer) / in_group, 0.0, 1.0)
    share[share * in_group < EQUAL * k] = 0.0
    return np.asarray(weights * share[group] * _worth(kept, near, n, share[group] > 0))


def _worth(kept: Prototypes, near: Nearest, n: int, votes: np.ndarray) -> FloatArray:
    """What a vote is worth at its distance, beside the nearest of the same point, which is worth 1."""
    if kept.votes == "majority":
        return np.ones(len(near.row))
    distance = distances(kept, near.reduced)
    first = np.searchsorted(near.point, np.arange(n))
    nearest = distance[np.minimum(first, len(distance) - 1)][near.point]
    with np.errstate(all="ignore"):
        if kept.votes == "kernel":
            farthest = np.zeros(n)
            np.maximum.at(farthest, near.point, np.where(votes, distance, 0.0))
            width = kept.kernel_width * farthest[near.point]
            worth = np.exp(-0.5 * (distance - nearest) * (distance + nearest) / (width * width))
            worth = np.where(distance == nearest, 1.0, worth)
        else:
            worth = np.where(distance == nearest, 1.0, nearest / distance)
            worth = worth * worth if kept.votes == "inverse-square" else worth
    return np.where(np.isfinite(worth), worth, 0.0)


def counted(kept: Prototypes, near: Nearest, votes: FloatArray, n: int) -> tuple[Codes, FloatArray]:
    """The decisions (n,) and the shares of the votes (n, k) of ``n`` points.

    Of classes with equally many votes the one with the nearest record that votes is decided for, then the one that is
    more frequent in training, then the one that comes first in the list of classes. Without votes: the shares of the
    classes in training.
    """
    k = kept.n_classes
    labels = kept.labels[near.row].astype(np.int64)
    table = np.bincount(near.point * k + labels, votes, minlength=n * k).reshape(n, k)
    prior = kept.counts
    prior = prior / prior.sum() if prior.sum() > 0 else np.full(k, 1.0 / k)
    totals = table.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, table / np.where(totals > 0, totals, 1.0), prior)
    among = shares >= shares.max(axis=1, keepdims=True) - EQUAL
    tied = np.flatnonzero(among.sum(axis=1) > 1)
    if len(tied):
        least = _least(near, votes, labels, n, k)[tied]
        least = np.where(among[tied], least, np.inf)
        among[tied] &= least <= least.min(axis=1, keepdims=True)
        most = np.where(among[tied], prior, -1.0)
        among[tied] = most >= most.max(axis=1, keepdims=True) * (1 - EQUAL)
    decisions: Codes = np.argmax(among, axis=1).astype(np.int32)
    return decisions, shares


def _least(near: Nearest, votes: FloatArray, labels: np.ndarray, n: int, k: int) -> FloatArray:
    """The reduced distance of the nearest record of each class that votes (n, k), infinite where none does."""
    least = np.full(n * k, np.inf)
    np.minimum.at(least, (near.point * k + labels)[votes > 0], near.reduced[votes > 0])
    return least.reshape(n, k)
