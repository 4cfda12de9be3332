"""What members say of two sides each, brought together into shares of k classes."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.multiclass.codes import Code

_SURE: Final = 1e-6
"""A side that is certain counts as this short of it: one member alone must not rule a class out."""
_ROUNDS: Final = 200
_STILL: Final = 1e-10

LOSSES: Final = ("logistic", "exponential", "absolute")


def rest_shares(sides: FloatArray, code: Code, prior: FloatArray) -> FloatArray:
    """Shares (n, k) of members that each tell one class from the rest, ``sides`` (n, L) being how sure of it they are.

    Scores are divided by their sum. A class without a member (the run was finished early) has its share in training.
    """
    alone = np.argmax(code, axis=0)
    if code.shape[1] == 1 and np.count_nonzero(code) == 2:
        return np.where(code[:, 0] == 1, sides, np.where(code[:, 0] == -1, 1 - sides, 0.0))
    scores = np.tile(prior, (len(sides), 1))
    scores[:, alone] = sides
    total = scores.sum(axis=1, keepdims=True)
    return np.where(total > 0, scores / np.where(total > 0, total, 1.0), prior)


def votes(said: FloatArray, code: Code) -> FloatArray:
    """How many members are for each class (n, k): each is for the classes on the side that it decides (n, L) for."""
    one, other = (code == 1).astype(np.float64), (code == -1).astype(np.float64)
    return np.asarray(said @ one.T + (1 - said) @ other.T)


def pair_shares(sides: FloatArray, code: Code, present: FloatArray) -> FloatArray:
    """``r[:, i, j]`` (n, p, p): how sure the member of classes i and j is of i; one half where there is none."""
    at = np.cumsum(present > 0) - 1
    p = int(np.count_nonzero(present > 0))
    found = np.full((len(sides), p, p), 0.5)
    sure = np.clip(sides, _SURE, 1 - _SURE)
    for column in range(code.shape[1]):
        one, other = int(at[np.argmax(code[:, column])]), int(at[np.argmin(code[:, column])])
        found[:, one, other], found[:, other, one] = sure[:, column], 1 - sure[:, column]
    return found


def coupled_in_rounds(r: FloatArray, weights: FloatArray) -> FloatArray:
    """Probabilities (n, p) whose pairs are as near as can be to those given, by relative entropy.

    ``weights`` (p, p) says how much each pair counts: the records its member learned from. Each round multiplies every
    class by what its pairs ask for over what they get. Source: Hastie and Tibshirani, Classification by pairwise
    coupling, Annals of Statistics 26 (1998), section 2.
    """
    n, p = r.shape[:2]
    apart = 1.0 - np.eye(p)
    found = np.full((n, p), 1.0 / p)
    wanted = (weights * apart * r).sum(axis=2)
    moving = np.arange(n)
    for _ in range(_ROUNDS):
        now = found[moving]
        pairs = now[:, :, None] / (now[:, :, None] + now[:, None, :])
        then = now * wanted[moving] / (weights * apart * pairs).sum(axis=2)
        then /= then.sum(axis=1, keepdims=True)
        found[moving] = then
        moving = moving[np.abs(then - now).max(axis=1) > _STILL]
        if not len(moving):
            break
    return found


def hamming_distances(said: FloatArray, code: Code) -> FloatArray:
    """In how many bits what was decided (n, L) differs from each word (n, k); a bit left out of a word is half one."""
    return np.asarray((code.shape[1] - (2 * said - 1) @ code.T.astype(np.float64)) / 2)


def losses(sides: FloatArray, code: Code, kind: str) -> FloatArray:
    """What each word (n, k) loses on how sure the members are of their one side (n, L) (Allwein et al., section 4).

    With z the log odds of being on the word's side: logistic log(1 + e^-z), exponential e^(-z/2), absolute the
    probability of the other side. A bit that a word leaves out loses as much as an even chance does.
    """
    sure = np.clip(sides, _SURE, 1 - _SURE)
    one, other = (code == 1).astype(np.float64), (code == -1).astype(np.float64)
    even = float(_loss(np.array(0.5), kind)) * np.count_nonzero(code == 0, axis=1)
    return np.asarray(_loss(sure, kind) @ one.T + _loss(1 - sure, kind) @ other.T + even)


def _loss(p: FloatArray, kind: str) -> FloatArray:
    """What is lost on a side of probability p."""
    if kind == "absolute":
        return np.asarray(1 - p)
    return np.asarray(-np.log(p) if kind == "logistic" else np.sqrt((1 - p) / p))


def shares_of_distances(distances: FloatArray, present: FloatArray) -> FloatArray:
    """The shares (n, k) of e^-distance among the classes that there were in training; the nearest has the most."""
    known = np.where(present > 0, distances, np.inf)
    powers = np.exp(known.min(axis=1, keepdims=True) - known)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
