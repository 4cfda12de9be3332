"""How rules came about, step by step: grown condition by condition, cut back, kept or dropped, records removed.

Nothing is learned in another way: the learner's own search is watched on the records and with the seed it had, so that
the last step has its own rules. What it weighed at each condition is reckoned again in the plainest way.
Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, Figures 5.2 to 5.4 (first edition).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.by_hand import EditedByHand
from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.rule_set import Condition, Int32Array, Rule
from algorithms.rules.learn_one_rule import Bounds, Found, RuleSearch
from algorithms.rules.measures import Ground as Judged
from algorithms.rules.ranked import LAST_RANK, Ranked
from algorithms.rules.ripper import Ripper
from algorithms.rules.ripper_induction import Body, OneClass
from algorithms.rules.sequential_covering import SequentialCovering

MOST_WEIGHED: Final = 12
"""So many of the best conditions are shown that were weighed."""


class Phase(StrEnum):
    """What happens in a step."""

    BEGIN = "begin"
    """Rules for a class are looked for among the records that are left."""
    GROW = "grow"
    """The rule gets one condition more."""
    PRUNE = "prune"
    """The rule is cut back to what does best on the records held out."""
    KEEP = "keep"
    """The rule is kept and its records are removed."""
    DROP = "drop"
    """The rule is not kept, and no more are looked for."""
    REPLACE = "replace"
    """Another rule, or the same one revised, takes the place of a rule."""
    END = "end"
    """The rules are all there."""


@dataclass(frozen=True)
class Weighed:
    """A condition that could be added: what it is worth by the learner's measure, and the weight that the rule would
    cover then, of its class and in all."""

    condition: Condition
    worth: float
    right: float
    covered: float
    is_chosen: bool = False


@dataclass(frozen=True, eq=False)
class RuleStep:
    """One step about a rule for ``target``. ``left`` are the records that were not removed before, ``covered`` those of
    them that meet the rule as it is now; ``rules`` are those there are by now. ``bits`` is the length of the
    description with the rule, ``fewest`` the shortest one so far, where the learner asks for it. ``before`` is the
    rule as it was."""

    phase: Phase
    target: int
    rule: Rule
    left: IntArray = field(repr=False)
    covered: IntArray = field(repr=False)
    rules: tuple[Rule, ...] = field(repr=False, default=())
    weighed: tuple[Weighed, ...] = field(repr=False, default=())
    before: Rule | None = None
    bits: float | None = None
    fewest: float | None = None


@dataclass(frozen=True, eq=False)
class Story:
    """How the ``rules`` of a learner came about on ``data``; ``measure`` is what conditions are weighed by."""

    data: Dataset
    steps: tuple[RuleStep, ...]
    rules: tuple[Rule, ...]
    default: int
    measure: str
    cutting: str = "On the records held out"
    """By what it is judged how a rule is cut back."""


def story(learner: Learner, data: Dataset, context: RunContext) -> Story:
    """The steps by which a learner finds its rules on ``data``, given the context that its fit would have.

    Of rules that were changed by hand it is how they were found. Raises :class:`DataError` for other learners.
    """
    base = learner.grower if isinstance(learner, EditedByHand) else learner
    ensure_compiled(base.kernels, context)
    known = data if bool(np.all(data.class_codes >= 0)) else data.take(data.class_codes >= 0)
    weights = known.weights
    weighty = known if weights is None or bool(np.all(weights > 0)) else known.take(weights > 0)
    if isinstance(base, Ripper):
        return _ripper(base, weighty, context)
    if isinstance(base, SequentialCovering):
        return _covering(base, weighty, context)
    raise DataError(
        f"{base.name} does not find one rule after the other.",
        remedy="RIPPER and sequential covering can be followed step by step.",
    )


class _Notes:
    """What was heard so far."""

    def __init__(self, ranked: Ranked) -> None:
        self.ranked = ranked
        self.steps: list[RuleStep] = []
        self.kept: list[Rule] = []

    def rule(self, bounds: Sequence[tuple[int, int, int]], target: int) -> Rule:
        """A rule in values, its bounds of one predictor made one condition."""
        one: dict[int, tuple[int, int]] = {}
        for place, low, high in bounds:
            known = one.get(place, (0, LAST_RANK))
            one[place] = max(known[0], low), min(known[1], high)
        return Rule(tuple(self.ranked.condition(place, *ends) for place, ends in one.items()), target)

    def met(self, rows: IntArray, bounds: Sequence[tuple[int, int, int]]) -> IntArray:
        """The records among some that meet all conditions."""
        for place, low, high in bounds:
            ranks = self.ranked.ranks[place, rows].astype(np.int64)
            rows = rows[(ranks >= low) & (ranks <= high)]
        return rows

    def add(
        self,
        phase: Phase,
        target: int,
        bounds: Sequence[tuple[int, int, int]],
        left: IntArray,
        *,
        weighed: tuple[Weighed, ...] = (),
        before: Sequence[tuple[int, int, int]] | None = None,
        bits: float | None = None,
        fewest: float | None = None,
    ) -> None:
        old = None if before is None else self.rule(before, target)
        rule, covered = self.rule(bounds, target), self.met(left, bounds)
        kept = tuple(self.kept)
        self.steps.append(RuleStep(phase, target, rule, left, covered, kept, weighed, old, bits, fewest))


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


# ---- RIPPER ----------------------------------------------------------------------------------------------------------


def _ripper(learner: Ripper, data: Dataset, context: RunContext) -> Story:
    notes: list[_Notes] = []

    def one_class(*arguments: object) -> OneClass:
        made = _WatchedClass(*arguments)  # type: ignore[arg-type]
        if not notes:
            notes.append(_Notes(made.ground.ranked))
        made.notes = notes[0]
        made.earlier = tuple(notes[0].kept)
        return made

    rules, _ = learner.induced(data, context, one_class)
    return _ended(notes[0] if notes else None, data, rules.default_decision, "FOIL's gain")


def _ended(notes: _Notes | None, data: Dataset, default: int, measure: str) -> Story:
    """The story with its last step."""
    every = np.arange(len(data))
    found = notes or _Notes(Ranked.of(data, lambda: None))
    rules = tuple(found.kept)
    left = every
    for rule in rules:
        left = left[~_meets(data, rule, left)]
    end = RuleStep(Phase.END, default, Rule((), default), every, left, rules)
    return Story(data, (*found.steps, end), rules, default, measure)


def _meets(data: Dataset, rule: Rule, rows: IntArray) -> NDArray[np.bool_]:
    """Which of some records meet a rule."""
    found = np.ones(len(rows), dtype=np.bool_)
    for condition in rule.conditions:
        cells = np.asarray(data.column(condition.attribute))[rows]
        if condition.values is not None:
            found &= np.isin(cells, condition.values)
        else:
            found &= (cells >= condition.low) & (cells <= condition.high)
    return found


class _WatchedClass(OneClass):
    """Tells what it does; the rules are those it would find unwatched."""

    notes: _Notes
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


# ---- sequential covering ---------------------------------------------------------------------------------------------


def _covering(learner: SequentialCovering, data: Dataset, context: RunContext) -> Story:
    notes: list[_Notes] = []

    def searching(ranked: Ranked, options: object, checkpoint: Callable[[], None]) -> RuleSearch:
        made = _WatchedSearch(ranked, options, checkpoint)  # type: ignore[arg-type]
        made.notes = _Notes(ranked)
        notes.append(made.notes)
        return made

    rules, _ = learner.induced(data, context, searching)
    ended = _ended(notes[0], data, rules.default_decision, learner.measure.replace("-", " "))
    is_cautious = learner.pruning == "pessimistic"
    return replace(ended, cutting="By the cautious estimate" if is_cautious else ended.cutting)


class _WatchedSearch(RuleSearch):
    """Tells what it does; the rules are those it would find unwatched."""

    notes: _Notes

    def best(self, rows: IntArray, target: int | None) -> Found | None:
        self._grown: list[tuple[Found, list[Found]]] = []
        self._cut: list[tuple[Found, Bounds]] = []
        found = super().best(rows, target)
        code = target if target is not None else int(np.argmax(self.counts(rows)))
        before = self.notes.steps[-1] if self.notes.steps else None
        if before is None or before.target != code:
            self.notes.add(Phase.BEGIN, code, (), rows)
        if found is None and not self._cut:
            self.notes.add(Phase.DROP, code, (), rows)
            return None
        grown = self._cut[0][0] if self._cut else found
        assert grown is not None
        said = target if target is not None else int(np.argmax(grown.counts))
        judged = Judged(self.counts(rows), target, self._options.m)
        for bounds, weighed in self._way(grown, judged):
            self.notes.add(Phase.GROW, said, bounds, rows, weighed=weighed)
        for _, bounds in self._cut:
            self.notes.add(Phase.PRUNE, said, bounds, rows, before=grown.bounds)
        if found is None:
            self.notes.add(Phase.DROP, code, (), rows)
            return None
        said = target if target is not None else int(np.argmax(found.counts))
        self.notes.kept.append(self.notes.rule(found.bounds, said))
        self.notes.add(Phase.KEEP, said, found.bounds, rows)
        return found

    def _cut_back(self, grown: Found, rows: IntArray, target: int) -> Bounds:
        bounds = super()._cut_back(grown, rows, target)
        self._cut.append((grown, bounds))
        return bounds

    def _next(self, beam: list[Found], ground: Judged) -> list[Found]:
        following = super()._next(beam, ground)
        if following:
            self._grown.append((beam[0], following))
        return following

    def _way(self, found: Found, ground: Judged) -> list[tuple[Bounds, tuple[Weighed, ...]]]:
        """The best of the beam at each number of conditions, up to the rule that was found, with its rivals."""
        way = []
        for _, following in self._grown:
            own = next((each for each in following if each.bounds == found.bounds), None)
            shown = own or following[0]
            rivals = [
                Weighed(
                    self.notes.ranked.condition(*each.bounds[-1]),
                    each.worth,
                    float(ground.of_target(each.counts)[0]),
                    float(each.counts.sum()),
                    each is shown,
                )
                for each in following
            ]
            way.append((shown.bounds, tuple(rivals)))
            if own is not None:
                return way
        return [*way, (found.bounds, ())]
