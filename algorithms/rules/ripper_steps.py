"""RIPPER step by step: its own search, watched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.rule_set import Int32Array, Rule
from algorithms.rules.bodies import Body
from algorithms.rules.learn_one_rule import Bounds
from algorithms.rules.ranked import LAST_RANK, Ranked
from algorithms.rules.ripper import Ripper
from algorithms.rules.ripper_induction import Ground, OneClass
from algorithms.rules.steps import MOST_WEIGHED, Notes, Phase, Story, Weighed, ended


def ripper_story(learner: Ripper, data: Dataset, context: RunContext) -> Story:
    notes: list[Notes] = []

    def one_class(ground: Ground, rows: Int32Array, target: int, share: float, done: int) -> OneClass:
        made = _WatchedClass(ground, rows, target, share, done)
        if not notes:
            notes.append(Notes(made.ground.ranked))
        made.notes = notes[0]
        made.earlier = tuple(notes[0].kept)
        return made

    rules, _ = learner.induced(data, context, one_class)
    return ended(notes[0] if notes else None, data, rules.default_decision, "FOIL's gain")


class _WatchedClass(OneClass):
    """Tells what it does; the rules are those it would find unwatched."""

    notes: Notes
    earlier: tuple[Rule, ...]

    def learn(self) -> None:
        self._fresh: Body | None = None
        self._of_class = int(np.flatnonzero(np.bincount(self.ground.ranked.codes[self.is_positive]))[0])
        self.notes.add(Phase.BEGIN, self._of_class, (), self.rows.astype(np.int64))
        super().learn()
        self._say_kept(self.bodies)

    def _say_kept(self, bodies: Sequence[Body]) -> None:
        rules = [self.notes.rule(_bounds(body), self._of_class) for body in bodies]
        self.notes.kept[:] = [*self.earlier, *rules]

    def _new_rule(self, rows: Int32Array) -> Body:
        grown_on, pruned_on = self.ground.deal(rows)
        on, off = grown_on.astype(np.int64), pruned_on.copy()
        body = self.ground.grow(grown_on, self.is_positive, np.zeros((0, 3), dtype=np.int64))
        left = rows.astype(np.int64)
        for n in range(1, len(body) + 1):
            bounds = _bounds(body)
            weighed = self._weighed_conditions(on, bounds[: n - 1], bounds[n - 1])
            self.notes.add(Phase.GROW, self._of_class, bounds[:n], left, weighed=weighed)
        pruned = self._pruned(body, off, in_whole=False)
        if len(off):
            self.notes.add(Phase.PRUNE, self._of_class, _bounds(pruned), left, before=_bounds(body))
        self._fresh = pruned
        self._fresh_left = left
        return pruned

    def _stops(self, stat: FloatArray, bits: float, fewest: float) -> bool:
        stops = super()._stops(stat, bits, fewest)
        if self._fresh is not None:
            bounds = _bounds(self._fresh)
            if not stops:
                self.notes.kept.append(self.notes.rule(bounds, self._of_class))
            phase = Phase.DROP if stops else Phase.KEEP
            self.notes.add(phase, self._of_class, bounds, self._fresh_left, bits=bits, fewest=min(fewest, bits))
            self._fresh = None
        return stops

    def _best_variant(
        self, rows: Int32Array, position: int, marks: NDArray[np.uint64], stats: list[FloatArray]
    ) -> Body:
        old = self.bodies[position]
        found = super()._best_variant(rows, position, marks, stats)
        if not np.array_equal(found, old):
            self.notes.kept[len(self.earlier) + position] = self.notes.rule(_bounds(found), self._of_class)
            left = rows.astype(np.int64)
            self.notes.add(Phase.REPLACE, self._of_class, _bounds(found), left, before=_bounds(old))
        return found

    def _without_longer(self, bodies: list[Body], stats: list[FloatArray]) -> list[Body]:
        kept = super()._without_longer(bodies, stats)
        self._say_kept(kept)
        same = {id(body) for body in kept}
        for body in bodies:
            if id(body) not in same:
                self.notes.add(Phase.DROP, self._of_class, _bounds(body), self.rows.astype(np.int64))
        return kept

    def _leave_out(self, place: int) -> None:
        body = self.bodies[place]
        super()._leave_out(place)
        self._say_kept(self.bodies)
        self.notes.add(Phase.DROP, self._of_class, _bounds(body), self.rows.astype(np.int64))

    def _weighed_conditions(
        self, members: IntArray, given: Bounds, chosen: tuple[int, int, int]
    ) -> tuple[Weighed, ...]:
        """What the conditions gain that could be added to the given ones, the best first."""
        ranked, target = self.ground.ranked, self._of_class
        rows = self.notes.met(members, given)
        weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
        positive = float(weights[rows[self.is_positive[rows]]].sum())
        total = float(weights[rows].sum())
        k = len(ranked.data.schema.classes)
        found: list[tuple[float, float, float, tuple[int, int, int]]] = []
        for place in range(len(ranked.predictors)):
            if ranked.is_listed[place] and any(place == known for known, _, _ in given):
                continue
            for counts, low, high in _sides(ranked, place, rows, k, weights):
                p, t = counts[:, target], counts.sum(axis=1)
                gain = p * (np.log2((p + 1) / (t + 1)) - np.log2((positive + 1) / (total + 1)))
                best = int(np.argmax(gain))
                bounds = place, int(low[best]), int(high[best])
                found.append((float(gain[best]), float(p[best]), float(t[best]), bounds))
        return _listed(ranked, found, chosen)


def _sides(
    ranked: Ranked, place: int, rows: IntArray, k: int, weights: FloatArray
) -> list[tuple[FloatArray, IntArray, IntArray]]:
    """All conditions on a predictor: counts of what each covers (m, k), lowest and highest rank."""
    ranks = ranked.ranks[place, rows].astype(np.int64)
    known = ranks <= LAST_RANK
    ranks, rows = ranks[known], rows[known]
    if len(rows) == 0:
        return []
    values, at = np.unique(ranks, return_inverse=True)
    sums = np.bincount(at * k + ranked.codes[rows], weights[rows], minlength=len(values) * k)
    table = sums.astype(np.float64).reshape(-1, k)
    if ranked.is_listed[place]:
        return [(table, values, values)]
    up = np.cumsum(table, axis=0)
    down = up[-1] - up + table
    return [(up, np.zeros_like(values), values), (down, values, np.full_like(values, LAST_RANK))]


def _listed(
    ranked: Ranked, found: list[tuple[float, float, float, tuple[int, int, int]]], chosen: tuple[int, int, int]
) -> tuple[Weighed, ...]:
    """The best of what was weighed, the chosen one marked."""
    found.sort(key=lambda each: (-round(each[0], 9), each[3] != chosen))
    return tuple(
        Weighed(ranked.condition(*bounds), worth, p, t, bounds == chosen)
        for worth, p, t, bounds in found[:MOST_WEIGHED]
    )


def _bounds(body: Body) -> Bounds:
    return tuple((int(place), int(low), int(high)) for place, low, high in body.tolist())
