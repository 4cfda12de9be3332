"""Looking for the network that scores best, one arc after the other: K2, hill climbing and tabu search."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.bayes.arcs import Arc, Wishes, descendants, parents_of
from algorithms.bayes.family_scores import FamilyScores
from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext

_GAIN: Final = 1e-9
"""What gains no more than this share of the score is rounding."""


@dataclass(frozen=True)
class Limits:
    """What a network may be: so many parents a node, and arcs that must or may not be there."""

    max_parents: int
    wishes: Wishes

    def allows(self, parent: int, child: int) -> bool:
        """Whether the arc may be there."""
        required = self.wishes.required
        return (parent, child) not in self.wishes.forbidden and (child, parent) not in required


def k2(scores: FamilyScores, order: Sequence[int], limits: Limits, context: RunContext) -> list[set[int]]:
    """The parents of each node among those before it in the order: the one that gains most, while one gains.

    Source: Cooper and Herskovits, A Bayesian method for the induction of probabilistic networks from data (1992).
    """
    parents = parents_of(limits.wishes.required, len(order))
    context.advance(0, len(order))
    for at, node in enumerate(order):
        own = parents[node]
        best = scores.of(node, tuple(own))
        while len(own) < limits.max_parents and not context.finishing:
            context.checkpoint()
            free = [each for each in order[:at] if each not in own and limits.allows(each, node)]
            gains = [scores.of(node, (*own, each)) for each in free]
            if not gains or max(gains) <= best + _GAIN * abs(best):
                break
            best = max(gains)
            own.add(free[gains.index(best)])
        context.advance(at + 1)
    return parents


class Move(NamedTuple):
    """A change of one arc: ``add``, ``remove`` or ``reverse``, and what it gains."""

    gain: float
    kind: str
    arc: Arc


class Climb:
    """A network that is changed one arc at a time, and what each change would gain."""

    def __init__(self, scores: FamilyScores, limits: Limits, parents: list[set[int]], context: RunContext) -> None:
        self.parents = [set(own) for own in parents]
        self._scores, self._limits, self._context = scores, limits, context
        n = len(parents)
        self._adding: FloatArray = np.full((n, n), -np.inf)
        self._own = np.zeros(n)
        self._reached = descendants(self.parents)
        context.advance(0, n)
        for node in range(n):
            if context.finishing:
                break
            self._weigh(node)
            context.advance(node + 1)

    @property
    def score(self) -> float:
        """The score of the network as it is."""
        return float(self._own.sum())

    def _weigh(self, node: int) -> None:
        """What each further parent of a node would gain."""
        own = self.parents[node]
        self._own[node] = self._scores.of(node, tuple(own))
        self._adding[:, node] = -np.inf
        for parent in range(len(self.parents)):
            self._context.checkpoint()
            if parent != node and parent not in own and self._limits.allows(parent, node):
                self._adding[parent, node] = self._scores.of(node, (*own, parent)) - self._own[node]

    def moves(self, most: int) -> list[Move]:
        """The best changes that leave no cycle and keep to the limits, the best first: ``most`` of those that add an
        arc, and all others."""
        full = np.array([len(own) >= self._limits.max_parents for own in self.parents])
        open_to = np.where(self._reached.T | full[None, :], -np.inf, self._adding)
        found = []
        for at in _best_places(open_to.ravel(), most):
            parent, child = divmod(int(at), len(self.parents))
            found.append(Move(float(open_to[parent, child]), "add", (parent, child)))
        for child, own in enumerate(self.parents):
            for parent in sorted(own):
                if (parent, child) in self._limits.wishes.required:
                    continue
                gain = self._scores.of(child, tuple(own - {parent})) - float(self._own[child])
                found.append(Move(gain, "remove", (parent, child)))
                if self._may_turn(parent, child, bool(full[parent])):
                    turned = self._scores.of(parent, (*self.parents[parent], child)) - float(self._own[parent])
                    found.append(Move(gain + turned, "reverse", (parent, child)))
        found.sort(key=lambda move: (-move.gain, move.kind, move.arc))
        return found

    def _may_turn(self, parent: int, child: int, full: bool) -> bool:
        if full or not self._limits.allows(child, parent):
            return False
        others = [each for each, own in enumerate(self.parents) if parent in own and each != child]
        return not any(self._reached[other, child] for other in others)

    def make(self, move: Move) -> None:
        """Change the network."""
        parent, child = move.arc
        if move.kind == "add":
            self.parents[child].add(parent)
        else:
            self.parents[child].remove(parent)
        if move.kind == "reverse":
            self.parents[parent].add(child)
            self._weigh(parent)
        self._weigh(child)
        self._reached = descendants(self.parents)


def _best_places(gains: FloatArray, most: int) -> NDArray[np.intp]:
    """Where the largest ``most`` gains above minus infinity stand (most,), the first of equals."""
    places = np.flatnonzero(gains > -np.inf)
    if len(places) <= most:
        return places
    own = gains[places]
    least = np.partition(own, len(own) - most)[len(own) - most]
    above, equal = np.flatnonzero(own > least), np.flatnonzero(own == least)
    return np.asarray(places[np.concatenate([above, equal[: most - len(above)]])])


def climbed(scores: FamilyScores, limits: Limits, parents: list[set[int]], context: RunContext) -> list[set[int]]:
    """Hill climbing: the change that gains most, until none gains anything."""
    climb = Climb(scores, limits, parents, context)
    while not context.finishing:
        context.checkpoint()
        moves = climb.moves(1)
        if not moves or moves[0].gain <= _GAIN * abs(climb.score):
            break
        climb.make(moves[0])
    return climb.parents


@dataclass(frozen=True)
class Tabu:
    """How tabu search goes on past a peak: arcs changed in the last ``memory`` moves stay as they are, and it ends
    after ``patience`` moves without a better network than the best."""

    memory: int
    patience: int


def tabu_searched(
    scores: FamilyScores, limits: Limits, parents: list[set[int]], tabu: Tabu, context: RunContext
) -> list[set[int]]:
    """The best network on a way that also goes down, where there is no way up.

    Source: Glover, Tabu search (1989); Bouckaert, Bayesian belief networks: from construction to inference (1995).
    """
    climb = Climb(scores, limits, parents, context)
    best, found = climb.score, [set(own) for own in climb.parents]
    lately: deque[frozenset[int]] = deque(maxlen=max(1, tabu.memory))
    without = 0
    while without < tabu.patience and not context.finishing:
        context.checkpoint()
        move = next((move for move in climb.moves(len(lately) + 1) if frozenset(move.arc) not in lately), None)
        if move is None or move.gain == -np.inf:
            break
        climb.make(move)
        lately.append(frozenset(move.arc))
        without += 1
        if climb.score > best + _GAIN * abs(best):
            best, found, without = climb.score, [set(own) for own in climb.parents], 0
    return found
