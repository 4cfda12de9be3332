"""How rules came about, step by step: sequential covering, RIPPER, and the same as text.

Nothing is learned in another way: the learner's own search is watched on the records and with the seed it had, so that
the last step has its own rules. What it weighed at each condition is reckoned again in the plainest way.
Source: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, Figures 5.2 to 5.4 (first edition).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.learner import Learner
from algorithms.core.model_editing import EditedByHand
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.rules.edits import asked_of
from algorithms.learners.rules.learn_one_rule import Bounds, LearnedRule, RuleSearch, SearchOptions
from algorithms.learners.rules.matching import LAST_RANK, RankedData
from algorithms.learners.rules.measures import RulePrior as Judged
from algorithms.learners.rules.ripper import Body, ClassRules, Ripper, RipperData
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.rules.words import weight_words
from algorithms.structures.rule_set import Int32Array, Rule, RuleCondition

MOST_WEIGHED: Final = 12
"""So many of the best conditions are shown that were weighed."""


class RulePhase(StrEnum):
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
    WAY = "way"
    """A way of the tree is a rule."""
    SPARE = "spare"
    """The rule loses a condition that it can spare."""
    CANDIDATE = "candidate"
    """The rule is one to choose from."""
    TWIN = "twin"
    """The rule is there already."""
    WORSE = "worse"
    """The rule is no better than guessing."""
    CHOOSE = "choose"
    """Of the rules for a class those are kept that describe it in the fewest bits."""
    HARM = "harm"
    """A rule goes but for which more records would be right."""
    END = "end"
    """The rules are all there."""


@dataclass(frozen=True)
class WeighedCondition:
    """A condition that could be added: what it is worth by the learner's measure, and the weight that the rule would
    cover then, of its class and in all."""

    condition: RuleCondition
    worth: float
    right: float
    covered: float
    is_chosen: bool = False


@dataclass(frozen=True)
class ComparedRule:
    """A rule among others to choose from: the share of errors expected of it, the weight that it is right about and the
    one that it covers, and whether it is kept."""

    rule: Rule
    error: float
    right: float
    covered: float
    is_kept: bool


@dataclass(frozen=True, eq=False)
class RuleStep:
    """One step about a rule for ``target``. ``left`` are the records that were not removed before, ``covered`` those of
    them that meet the rule as it is now; ``rules`` are those there are by now. ``bits`` is the length of the
    description with the rule, ``fewest`` the shortest one so far, where the learner asks for it. ``before`` is the
    rule as it was, ``compared`` are the rules to choose from."""

    phase: RulePhase
    target: int
    rule: Rule
    left: IntArray = field(repr=False)
    covered: IntArray = field(repr=False)
    rules: tuple[Rule, ...] = field(repr=False, default=())
    weighed: tuple[WeighedCondition, ...] = field(repr=False, default=())
    before: Rule | None = None
    bits: float | None = None
    fewest: float | None = None
    compared: tuple[ComparedRule, ...] = field(repr=False, default=())


@dataclass(frozen=True, eq=False)
class RuleHistory:
    """How the ``rules`` of a learner came about on ``data``; ``measure`` is what conditions are weighed by."""

    data: Dataset
    steps: tuple[RuleStep, ...]
    rules: tuple[Rule, ...]
    default: int
    measure: str
    cutting: str = "On the records held out"
    """By what it is judged how a rule is cut back."""


class StepNotes:
    """What was heard so far."""

    def __init__(self, ranked: RankedData) -> None:
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
        phase: RulePhase,
        target: int,
        bounds: Sequence[tuple[int, int, int]],
        left: IntArray,
        *,
        weighed: tuple[WeighedCondition, ...] = (),
        before: Sequence[tuple[int, int, int]] | None = None,
        bits: float | None = None,
        fewest: float | None = None,
    ) -> None:
        old = None if before is None else self.rule(before, target)
        rule, covered = self.rule(bounds, target), self.met(left, bounds)
        kept = tuple(self.kept)
        self.steps.append(RuleStep(phase, target, rule, left, covered, kept, weighed, old, bits, fewest))


def ended(notes: StepNotes | None, data: Dataset, default: int, measure: str) -> RuleHistory:
    """The story with its last step."""
    every = np.arange(len(data))
    found = notes or StepNotes(RankedData.of(data, lambda: None))
    rules = tuple(found.kept)
    left = every
    for rule in rules:
        left = left[~meets(data, rule, left)]
    end = RuleStep(RulePhase.END, default, Rule((), default), every, left, rules)
    return RuleHistory(data, (*found.steps, end), rules, default, measure)


def meets(data: Dataset, rule: Rule, rows: IntArray) -> NDArray[np.bool_]:
    """Which of some records meet a rule."""
    found = np.ones(len(rows), dtype=np.bool_)
    for condition in rule.conditions:
        cells = np.asarray(data.column(condition.attribute))[rows]
        if condition.values is not None:
            found &= np.isin(cells, condition.values)
        else:
            found &= (cells >= condition.low) & (cells <= condition.high)
    return found


def covering_story(learner: SequentialCovering, data: Dataset, context: RunContext) -> RuleHistory:
    notes: list[StepNotes] = []

    def searching(ranked: RankedData, options: SearchOptions, checkpoint: Callable[[], None]) -> RuleSearch:
        made = _WatchedSearch(ranked, options, checkpoint)
        made.notes = StepNotes(ranked)
        notes.append(made.notes)
        return made

    rules, _ = learner.induced(data, context, searching)
    told = ended(notes[0], data, rules.default_decision, learner.measure.replace("-", " "))
    is_cautious = learner.pruning == "pessimistic"
    return replace(told, cutting="By the cautious estimate") if is_cautious else told


class _WatchedSearch(RuleSearch):
    """Tells what it does; the rules are those it would find unwatched."""

    notes: StepNotes

    def best(self, rows: IntArray, target: int | None) -> LearnedRule | None:
        self._grown: list[tuple[LearnedRule, list[LearnedRule]]] = []
        self._cut: list[tuple[LearnedRule, Bounds]] = []
        found = super().best(rows, target)
        code = target if target is not None else int(np.argmax(self.counts(rows)))
        before = self.notes.steps[-1] if self.notes.steps else None
        if before is None or before.target != code:
            self.notes.add(RulePhase.BEGIN, code, (), rows)
        if found is None and not self._cut:
            self.notes.add(RulePhase.DROP, code, (), rows)
            return None
        grown = self._cut[0][0] if self._cut else found
        assert grown is not None
        said = target if target is not None else int(np.argmax(grown.counts))
        judged = Judged(self.counts(rows), target, self._options.m)
        for bounds, weighed in self._way(grown, judged):
            self.notes.add(RulePhase.GROW, said, bounds, rows, weighed=weighed)
        for _, bounds in self._cut:
            self.notes.add(RulePhase.PRUNE, said, bounds, rows, before=grown.bounds)
        if found is None:
            self.notes.add(RulePhase.DROP, code, (), rows)
            return None
        said = target if target is not None else int(np.argmax(found.counts))
        self.notes.kept.append(self.notes.rule(found.bounds, said))
        self.notes.add(RulePhase.KEEP, said, found.bounds, rows)
        return found

    def _cut_back(self, grown: LearnedRule, rows: IntArray, target: int) -> Bounds:
        bounds = super()._cut_back(grown, rows, target)
        self._cut.append((grown, bounds))
        return bounds

    def _next(self, beam: list[LearnedRule], ground: Judged) -> list[LearnedRule]:
        following = super()._next(beam, ground)
        if following:
            self._grown.append((beam[0], following))
        return following

    def _way(self, found: LearnedRule, ground: Judged) -> list[tuple[Bounds, tuple[WeighedCondition, ...]]]:
        """The best of the beam at each number of conditions, up to the rule that was found, with its rivals."""
        way = []
        for _, following in self._grown:
            own = next((each for each in following if each.bounds == found.bounds), None)
            shown = own or following[0]
            rivals = [
                WeighedCondition(
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


def ripper_story(learner: Ripper, data: Dataset, context: RunContext) -> RuleHistory:
    notes: list[StepNotes] = []

    def one_class(ground: RipperData, rows: Int32Array, target: int, share: float, done: int) -> ClassRules:
        made = _WatchedClass(ground, rows, target, share, done)
        if not notes:
            notes.append(StepNotes(made.ground.ranked))
        made.notes = notes[0]
        made.earlier = tuple(notes[0].kept)
        return made

    rules, _ = learner.induced(data, context, one_class)
    return ended(notes[0] if notes else None, data, rules.default_decision, "FOIL's gain")


class _WatchedClass(ClassRules):
    """Tells what it does; the rules are those it would find unwatched."""

    notes: StepNotes
    earlier: tuple[Rule, ...]

    def learn(self) -> None:
        self._fresh: Body | None = None
        self._of_class = int(np.flatnonzero(np.bincount(self.ground.ranked.codes[self.is_positive]))[0])
        self.notes.add(RulePhase.BEGIN, self._of_class, (), self.rows.astype(np.int64))
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
            self.notes.add(RulePhase.GROW, self._of_class, bounds[:n], left, weighed=weighed)
        pruned = self._pruned(body, off, in_whole=False)
        if len(off):
            self.notes.add(RulePhase.PRUNE, self._of_class, _bounds(pruned), left, before=_bounds(body))
        self._fresh = pruned
        self._fresh_left = left
        return pruned

    def _stops(self, stat: FloatArray, bits: float, fewest: float) -> bool:
        stops = super()._stops(stat, bits, fewest)
        if self._fresh is not None:
            bounds = _bounds(self._fresh)
            if not stops:
                self.notes.kept.append(self.notes.rule(bounds, self._of_class))
            phase = RulePhase.DROP if stops else RulePhase.KEEP
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
            self.notes.add(RulePhase.REPLACE, self._of_class, _bounds(found), left, before=_bounds(old))
        return found

    def _without_longer(self, bodies: list[Body], stats: list[FloatArray]) -> list[Body]:
        kept = super()._without_longer(bodies, stats)
        self._say_kept(kept)
        same = {id(body) for body in kept}
        for body in bodies:
            if id(body) not in same:
                self.notes.add(RulePhase.DROP, self._of_class, _bounds(body), self.rows.astype(np.int64))
        return kept

    def _leave_out(self, place: int) -> None:
        body = self.bodies[place]
        super()._leave_out(place)
        self._say_kept(self.bodies)
        self.notes.add(RulePhase.DROP, self._of_class, _bounds(body), self.rows.astype(np.int64))

    def _weighed_conditions(
        self, members: IntArray, given: Bounds, chosen: tuple[int, int, int]
    ) -> tuple[WeighedCondition, ...]:
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
    ranked: RankedData, place: int, rows: IntArray, k: int, weights: FloatArray
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
    ranked: RankedData, found: list[tuple[float, float, float, tuple[int, int, int]]], chosen: tuple[int, int, int]
) -> tuple[WeighedCondition, ...]:
    """The best of what was weighed, the chosen one marked."""
    found.sort(key=lambda each: (-round(each[0], 9), each[3] != chosen))
    return tuple(
        WeighedCondition(ranked.condition(*bounds), worth, p, t, bounds == chosen)
        for worth, p, t, bounds in found[:MOST_WEIGHED]
    )


def _bounds(body: Body) -> Bounds:
    return tuple((int(place), int(low), int(high)) for place, low, high in body.tolist())


FOLLOWED: Final = ("ripper", "sequential-covering", "c4.5-rules")


def can_be_followed(learner: Learner) -> bool:
    """Whether :func:`algorithms.learners.rules.rule_history.story` tells how this learner finds its rules."""
    base = learner.grower if isinstance(learner, EditedByHand) else learner
    return base.id in FOLLOWED


_TITLES: Final[Mapping[RulePhase, str]] = {
    RulePhase.REPLACE: "Put a shorter description in its place",
    RulePhase.WAY: "A way of the tree",
    RulePhase.CANDIDATE: "A rule to choose from",
    RulePhase.TWIN: "The same as a rule before",
    RulePhase.WORSE: "Drop it: no better than guessing",
    RulePhase.HARM: "Leave out what does harm",
    RulePhase.END: "All rules",
}
_TOLD: Final[Mapping[RulePhase, str]] = {
    RulePhase.WAY: "A leaf of the tree is reached so: {rule}. It covers {of_them}.",
    RulePhase.SPARE: "Shorter: {rule}. It covers {of_them}.",
    RulePhase.CANDIDATE: "No other condition can be spared: {rule}. It covers {of_them}.",
    RulePhase.TWIN: "Another way of the tree has become the same rule: {rule}. It is kept once.",
    RulePhase.WORSE: "On new records it is expected to err as often as a guess would: {rule}. It covers {of_them}.",
    RulePhase.HARM: "Without it the list is right about more of the records: {rule}. It covers {of_them}.",
}


def condition_said(schema: Schema, condition: RuleCondition) -> str:
    """A condition in words."""
    return asked_of(schema, condition).words()


def rule_said(schema: Schema, rule: Rule) -> str:
    """A whole rule in words."""
    where = " and ".join(condition_said(schema, condition) for condition in rule.conditions)
    label = schema.classes[rule.decision]
    return f"if {where} then {label}" if where else f"always {label}"


def weights_of(story: RuleHistory, rows: IntArray) -> FloatArray:
    """The weight of some records by class (k,)."""
    weights = None if story.data.weights is None else np.asarray(story.data.weights)[rows]
    codes = np.asarray(story.data.class_codes)[rows]
    return np.bincount(codes, weights, minlength=len(story.data.schema.classes)).astype(np.float64)


def title(story: RuleHistory, at: int) -> str:
    """A step in a few words."""
    step, schema = story.steps[at], story.data.schema
    label = schema.classes[step.target]
    if step.phase is RulePhase.BEGIN:
        return f"Rules for {label}"
    if step.phase is RulePhase.GROW:
        return f"Add {condition_said(schema, step.rule.conditions[-1])}" if step.rule.conditions else "Begin"
    if step.phase is RulePhase.PRUNE:
        n = 0 if step.before is None else len(step.before.conditions) - len(step.rule.conditions)
        if n == 0:
            is_same = step.before is None or step.before.conditions == step.rule.conditions
            return "Nothing to cut back" if is_same else "Cut back: a range is wider"
        return f"Cut back: {n} condition{'' if n == 1 else 's'} less"
    if step.phase is RulePhase.KEEP:
        return f"Keep it: rule {len(step.rules)}"
    if step.phase is RulePhase.DROP:
        return f"Drop it: no more for {label}" if step.bits is not None or not step.rule.conditions else "Drop a rule"
    if step.phase is RulePhase.CHOOSE:
        n = sum(each.is_kept for each in step.compared)
        return f"Choose for {label}: {n} of {len(step.compared)} rule{'' if len(step.compared) == 1 else 's'}"
    if step.phase is RulePhase.SPARE and step.before is not None:
        gone = [c for c in step.before.conditions if c not in step.rule.conditions]
        return f"Leave out {condition_said(schema, gone[0])}" if gone else "Leave out a condition"
    return _TITLES[step.phase]


def sentence(story: RuleHistory, at: int) -> str:
    """What happens in a step, with its numbers."""
    step, schema = story.steps[at], story.data.schema
    label = schema.classes[step.target]
    counts = weights_of(story, step.covered)
    covered, right = float(counts.sum()), float(counts[step.target])
    of_them = f"{_records(covered)} of those left, {weight_words(right)} of them {label}"
    rule = rule_said(schema, step.rule)
    if step.phase is RulePhase.BEGIN:
        left = weights_of(story, step.left)
        return (
            f"Of {_records(float(left.sum()))} that are left, {weight_words(float(left[step.target]))} are {label}. "
            f"Rules are looked for that tell them from the others."
        )
    if step.phase is RulePhase.GROW:
        return f"The rule is now: {rule}. It covers {of_them}. By {story.measure} no other condition is worth more."
    if step.phase is RulePhase.PRUNE:
        before = "" if step.before is None else rule_said(schema, step.before)
        if step.before is not None and step.before.conditions == step.rule.conditions:
            return f"{story.cutting} nothing shorter does better, so it stays: {rule}."
        return f"It was: {before}. {story.cutting} this shorter one does best: {rule}."
    if step.phase is RulePhase.KEEP:
        return f"Kept: {rule}. It covers {of_them}; {'they are' if covered != 1 else 'it is'} removed.{_bits(step)}"
    if step.phase is RulePhase.DROP:
        if not step.rule.conditions:
            return f"No rule for {label} is better than guessing. The default rule decides what is left."
        why = "" if step.bits is not None else " Without it the description is shorter."
        return f"Not kept: {rule}. It covers {of_them}.{why}{_bits(step)}"
    if step.phase is RulePhase.REPLACE:
        before = "" if step.before is None else rule_said(schema, step.before)
        return f"It was: {before}. With this one the description of all rules is shorter: {rule}."
    if step.phase in _TOLD:
        return _TOLD[step.phase].format(rule=rule, of_them=of_them.replace(" of those left", "")) + _why(step)
    if step.phase is RulePhase.CHOOSE:
        kept = sum(each.is_kept for each in step.compared)
        one = len(step.compared) == 1
        return (
            f"There {'is 1 rule' if one else f'are {len(step.compared)} rules'} for {label} to choose from. Kept "
            f"{'is' if kept == 1 else 'are'} {kept}: so the rules and what they get wrong take the fewest bits to "
            f"tell, {step.bits or 0.0:.1f}. Of two classes whose rules fire, the one told in fewer bits comes first."
        )
    n = len(step.rules)
    return f"These are the {n} rules of the run. What none of them covers, {_records(covered)}, is {label}."


def rows(story: RuleHistory) -> list[list[str]]:
    """All steps as rows of text, the head first."""
    found = [["step", "what", "rule", "covers", "right", "left before", "bits", "fewest bits"]]
    for at, step in enumerate(story.steps):
        counts = weights_of(story, step.covered)
        bits = ["" if value is None else f"{value:.6g}" for value in (step.bits, step.fewest)]
        numbers = [f"{float(counts.sum()):.12g}", f"{float(counts[step.target]):.12g}"]
        left = f"{float(weights_of(story, step.left).sum()):.12g}"
        found.append([str(at + 1), title(story, at), rule_said(story.data.schema, step.rule), *numbers, left, *bits])
    return found


def weighed_rows(story: RuleHistory, at: int) -> list[list[str]]:
    """The conditions that were weighed in a step as rows of text, the head first."""
    schema = story.data.schema
    if story.steps[at].compared:
        return [
            ["rule", "expected error", "right", "covers"],
            *(_compared(schema, e) for e in story.steps[at].compared),
        ]
    found = [["condition", story.measure, "right", "covers"]]
    for each in story.steps[at].weighed:
        said = condition_said(schema, each.condition)
        numbers = [f"{each.worth:.4g}", weight_words(each.right), weight_words(each.covered)]
        found.append([f"{'▸ ' if each.is_chosen else ''}{said}", *numbers])
    return found


def _compared(schema: Schema, each: ComparedRule) -> list[str]:
    said = f"{'▸ ' if each.is_kept else ''}{rule_said(schema, each.rule)}"
    return [said, f"{each.error:.4g}", weight_words(each.right), weight_words(each.covered)]


def _why(step: RuleStep) -> str:
    """Why a condition can be spared: the errors that are expected."""
    chosen = next((each for each in step.weighed if each.is_chosen), None)
    if chosen is None:
        return ""
    return f" Then it is expected to err {100 * chosen.worth:.1f} times in 100 on new records, no more than before."


def _bits(step: RuleStep) -> str:
    if step.bits is None or step.fewest is None:
        return ""
    if step.phase is RulePhase.KEEP:
        return f" The description has {step.bits:.1f} bits with it; the shortest so far has {step.fewest:.1f}."
    return f" With it the description would have {step.bits:.1f} bits; the shortest so far has {step.fewest:.1f}."


def _records(weight: float) -> str:
    return f"{weight_words(weight)} record{'' if weight == 1 else 's'}"
