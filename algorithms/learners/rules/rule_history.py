"""History of rule learning: the steps of sequential covering, RIPPER and C4.5 rules, recorded and as text.

The learner's own search is observed on the records and with the seed of the run, so the last step has the run's rules.
The scores of conditions are computed again in the simplest way. Source: Tan, Steinbach, Karpatne and Kumar,
Introduction to Data Mining, Figures 5.2 to 5.4 (first edition).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.model_editing import EditedModel
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.rules.c45_rules import (
    C45Rules,
    RuleSelection,
    Simplified,
    Simplifier,
    TreeRewriting,
    joined,
    union,
)
from algorithms.learners.rules.edited_rules import asked_of
from algorithms.learners.rules.model import LAST_RANK, Bits, RankedData, RuleMatcher
from algorithms.learners.rules.ripper import NOTHING, Body, ClassRules, Ripper, RipperData
from algorithms.learners.rules.rule_measures import RulePrior
from algorithms.learners.rules.sequential_covering import Bounds, LearnedRule, RuleSearch, SequentialCovering
from algorithms.structures.rule_set import DEFAULT_RULE, Rule, RuleCondition, put_together, weight_words
from algorithms.text.numbers import percent
from algorithms.text.sentences import counted

MOST_WEIGHED: Final = 12
"""Number of the best conditions that a step lists."""


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
    """A possible condition: its worth by the learner's measure, and the weight the rule would then cover."""

    condition: RuleCondition
    worth: float
    right: float
    covered: float
    is_chosen: bool = False


@dataclass(frozen=True)
class ComparedRule:
    """A candidate rule: its expected error rate, the weight it classifies rightly and covers, and whether it stays."""

    rule: Rule
    error: float
    right: float
    covered: float
    is_kept: bool


@dataclass(frozen=True, eq=False)
class RuleStep:
    """One step in learning a rule for the class ``target``.

    ``left`` are the records not yet removed, ``covered`` those of them that meet ``rule``; ``rules`` are the rules so
    far. ``bits`` is the description length with the rule and ``fewest`` the shortest so far, where the learner uses it.
    ``before`` is the rule before the step, ``compared`` are the candidates.
    """

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

    @property
    def met(self) -> IntArray:
        """The ``covered`` records; none before the rule has a condition, the default rule's at the end."""
        is_rule = bool(self.rule.conditions) or self.phase is RulePhase.END
        return self.covered if is_rule else self.covered[:0]


@dataclass(frozen=True, eq=False)
class RuleHistory:
    """The steps in which a learner found ``rules`` on ``data``; ``measure`` scores conditions."""

    data: Dataset
    steps: tuple[RuleStep, ...]
    rules: tuple[Rule, ...]
    default: int
    measure: str
    cutting: str = "On the records held out"
    """What judges the pruning of a rule."""


def history_of(learner: Learner, data: Dataset, context: RunContext) -> RuleHistory:
    """The steps by which a learner (of edited rules, the original) found its rules; raises :class:`DataError`."""
    base = learner.base if isinstance(learner, EditedModel) else learner
    ensure_compiled(base.kernels, context)
    weighty = data.labelled().without_weightless()
    story = _STORIES.get(type(base))
    if story is None:
        raise DataError(
            f"{base.name} does not find one rule after the other.",
            remedy="RIPPER, sequential covering and C4.5 rules can be followed step by step.",
        )
    return story(base, weighty, context)


class StepNotes:
    """Collects the steps and the rules kept so far."""

    def __init__(self, ranked: RankedData) -> None:
        self.ranked = ranked
        self.steps: list[RuleStep] = []
        self.kept: list[Rule] = []

    def add(
        self, phase: RulePhase, target: int, bounds: Bounds, left: IntArray, before: Bounds | None = None, **more: Any
    ) -> None:
        """Add a step with a rule, and perhaps the rule before it; ``more`` are fields of :class:`RuleStep`."""
        old = None if before is None else self.ranked.rule(before, target)
        rule, covered = self.ranked.rule(bounds, target), self.ranked.met(left, bounds)
        self.steps.append(RuleStep(phase, target, rule, left, covered, tuple(self.kept), before=old, **more))


def ended(notes: StepNotes | None, data: Dataset, default: int, measure: str) -> RuleHistory:
    """The history completed by its last step."""
    notes = notes or StepNotes(RankedData.of(data, lambda: None))
    rules = tuple(notes.kept)
    first = RuleMatcher(put_together(data.schema, notes.kept, default)).first(data)
    left = np.flatnonzero(first == DEFAULT_RULE)
    end = RuleStep(RulePhase.END, default, Rule((), default), np.arange(len(data)), left, rules)
    return RuleHistory(data, (*notes.steps, end), rules, default, measure)


def covering_story(learner: SequentialCovering, data: Dataset, context: RunContext) -> RuleHistory:
    notes: list[StepNotes] = []

    def searching(ranked: RankedData, *settings: Any) -> RuleSearch:
        search = _WatchedSearch(ranked, *settings)
        search.notes = StepNotes(ranked)
        notes.append(search.notes)
        return search

    rules, _ = learner.induced(data, context, searching)
    history = ended(notes[0], data, rules.default_decision, learner.measure.replace("-", " "))
    is_cautious = learner.pruning == "pessimistic"
    return replace(history, cutting="By the cautious estimate") if is_cautious else history


class _WatchedSearch(RuleSearch):
    """Records its steps and finds the same rules as the base class."""

    notes: StepNotes

    def best(self, rows: IntArray, target: int | None) -> LearnedRule | None:
        self._grown: list[tuple[LearnedRule, list[LearnedRule]]] = []
        self._cut: list[tuple[LearnedRule, Bounds]] = []
        rule = super().best(rows, target)
        code = target if target is not None else int(np.argmax(self.counts(rows)))
        if not self.notes.steps or self.notes.steps[-1].target != code:
            self.notes.add(RulePhase.BEGIN, code, (), rows)
        grown = self._cut[0][0] if self._cut else rule
        if grown is not None:
            decision = target if target is not None else int(np.argmax(grown.counts))
            prior = RulePrior(self.counts(rows), target, self._learner.m)
            for bounds, weighed in self._growth(grown, prior):
                self.notes.add(RulePhase.GROW, decision, bounds, rows, weighed=weighed)
            for _, bounds in self._cut:
                self.notes.add(RulePhase.PRUNE, decision, bounds, rows, before=grown.bounds)
        if rule is None:
            self.notes.add(RulePhase.DROP, code, (), rows)
            return None
        decision = target if target is not None else int(np.argmax(rule.counts))
        self.notes.kept.append(self.notes.ranked.rule(rule.bounds, decision))
        self.notes.add(RulePhase.KEEP, decision, rule.bounds, rows)
        return rule

    def _cut_back(self, grown: LearnedRule, rows: IntArray, target: int) -> Bounds:
        bounds = super()._cut_back(grown, rows, target)
        self._cut.append((grown, bounds))
        return bounds

    def _next(self, beam: list[LearnedRule], ground: RulePrior) -> list[LearnedRule]:
        following = super()._next(beam, ground)
        if following:
            self._grown.append((beam[0], following))
        return following

    def _growth(self, rule: LearnedRule, ground: RulePrior) -> list[tuple[Bounds, tuple[WeighedCondition, ...]]]:
        """The best of the beam at each number of conditions, up to the rule, each with its rivals."""
        growth = []
        for _, following in self._grown:
            own = next((rival for rival in following if rival.bounds == rule.bounds), None)
            shown = own or following[0]
            rivals = [
                WeighedCondition(
                    self.notes.ranked.condition(*rival.bounds[-1]),
                    rival.worth,
                    float(ground.of_target(rival.counts)[0]),
                    float(rival.counts.sum()),
                    rival is shown,
                )
                for rival in following
            ]
            growth.append((shown.bounds, tuple(rivals)))
            if own is not None:
                return growth
        return [*growth, (rule.bounds, ())]


def ripper_story(learner: Ripper, data: Dataset, context: RunContext) -> RuleHistory:
    notes: list[StepNotes] = []

    def one_class(ground: RipperData, rows: Bits, target: int, share: float, done: int) -> ClassRules:
        rules = _WatchedClass(ground, rows, target, share, done)
        if not notes:
            notes.append(StepNotes(ground.ranked))
        rules.notes = notes[0]
        rules.earlier = tuple(notes[0].kept)
        return rules

    rules, _ = learner.induced(data, context, one_class)
    return ended(notes[0] if notes else None, data, rules.default_decision, "FOIL's gain")


class _WatchedClass(ClassRules):
    """Records its steps and finds the same rules as the base class."""

    notes: StepNotes
    earlier: tuple[Rule, ...]

    def learn(self) -> None:
        self._fresh: Body | None = None
        self._of_class = int(np.flatnonzero(np.bincount(self.ground.ranked.codes[self.is_positive]))[0])
        self.notes.add(RulePhase.BEGIN, self._of_class, (), self.ground.listed(self.rows))
        super().learn()
        self._note_kept(self.bodies)

    def _note_kept(self, bodies: Sequence[Body]) -> None:
        rules = [self.notes.ranked.rule(_bounds(body), self._of_class) for body in bodies]
        self.notes.kept[:] = [*self.earlier, *rules]

    def _new_rule(self, rows: Bits) -> Body:
        grown_on, pruned_on = self.ground.deal(rows)
        body = self.ground.grow(grown_on, NOTHING)
        on, left, bounds = self.ground.listed(grown_on), self.ground.listed(rows), _bounds(body)
        for n in range(1, len(body) + 1):
            weighed = self._weighed_conditions(on, bounds[: n - 1], bounds[n - 1])
            self.notes.add(RulePhase.GROW, self._of_class, bounds[:n], left, weighed=weighed)
        pruned = self._pruned(body, pruned_on, in_whole=False)
        if pruned_on.any():
            self.notes.add(RulePhase.PRUNE, self._of_class, _bounds(pruned), left, before=bounds)
        self._fresh, self._fresh_left = pruned, left
        return pruned

    def _stops(self, stat: FloatArray, bits: float, fewest: float) -> bool:
        stops = super()._stops(stat, bits, fewest)
        if self._fresh is not None:
            bounds = _bounds(self._fresh)
            if not stops:
                self.notes.kept.append(self.notes.ranked.rule(bounds, self._of_class))
            phase = RulePhase.DROP if stops else RulePhase.KEEP
            self.notes.add(phase, self._of_class, bounds, self._fresh_left, bits=bits, fewest=min(fewest, bits))
            self._fresh = None
        return stops

    def _best_variant(self, rows: Bits, position: int, covers: Bits, stats: list[FloatArray]) -> Body:
        old = self.bodies[position]
        best = super()._best_variant(rows, position, covers, stats)
        if not np.array_equal(best, old):
            bounds = _bounds(best)
            self.notes.kept[len(self.earlier) + position] = self.notes.ranked.rule(bounds, self._of_class)
            self.notes.add(RulePhase.REPLACE, self._of_class, bounds, self.ground.listed(rows), before=_bounds(old))
        return best

    def _without_longer(self, bodies: list[Body], stats: list[FloatArray]) -> list[Body]:
        kept = super()._without_longer(bodies, stats)
        self._note_kept(kept)
        same = {id(body) for body in kept}
        for body in bodies:
            if id(body) not in same:
                self.notes.add(RulePhase.DROP, self._of_class, _bounds(body), self.ground.listed(self.rows))
        return kept

    def _leave_out(self, place: int) -> None:
        body = self.bodies[place]
        super()._leave_out(place)
        self._note_kept(self.bodies)
        self.notes.add(RulePhase.DROP, self._of_class, _bounds(body), self.ground.listed(self.rows))

    def _weighed_conditions(
        self, members: IntArray, given: Bounds, chosen: tuple[int, int, int]
    ) -> tuple[WeighedCondition, ...]:
        """FOIL gain of the conditions that could be added to the given ones, the best first, the chosen one marked."""
        ranked, target = self.ground.ranked, self._of_class
        rows = ranked.met(members, given)
        weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
        positive = float(weights[rows[self.is_positive[rows]]].sum())
        total = float(weights[rows].sum())
        k = len(ranked.data.schema.classes)
        candidates = list[tuple[float, float, float, tuple[int, int, int]]]()
        for place in range(len(ranked.predictors)):
            if ranked.is_listed[place] and any(place == used for used, _, _ in given):
                continue
            for counts, low, high in _sides(ranked, place, rows, k, weights):
                p, t = counts[:, target], counts.sum(axis=1)
                gain = p * (np.log2((p + 1) / (t + 1)) - np.log2((positive + 1) / (total + 1)))
                best = int(np.argmax(gain))
                bounds = place, int(low[best]), int(high[best])
                candidates.append((float(gain[best]), float(p[best]), float(t[best]), bounds))
        candidates.sort(key=lambda candidate: (-round(candidate[0], 9), candidate[3] != chosen))
        return tuple(
            WeighedCondition(ranked.condition(*bounds), worth, p, t, bounds == chosen)
            for worth, p, t, bounds in candidates[:MOST_WEIGHED]
        )


def _sides(
    ranked: RankedData, place: int, rows: IntArray, k: int, weights: FloatArray
) -> list[tuple[FloatArray, IntArray, IntArray]]:
    """All conditions on a predictor: class weights covered (m, k), lowest and highest ranks (m,)."""
    ranks = ranked.ranks[place, rows].astype(np.int64)
    is_known = ranks <= LAST_RANK
    ranks, rows = ranks[is_known], rows[is_known]
    if len(rows) == 0:
        return []
    values, places = np.unique(ranks, return_inverse=True)
    sums = np.bincount(places * k + ranked.codes[rows], weights[rows], minlength=len(values) * k)
    table = sums.astype(np.float64).reshape(-1, k)
    if ranked.is_listed[place]:
        return [(table, values, values)]
    up = np.cumsum(table, axis=0)
    down = up[-1] - up + table
    return [(up, np.zeros_like(values), values), (down, values, np.full_like(values, LAST_RANK))]


def _bounds(body: Body) -> Bounds:
    return tuple((int(place), int(low), int(high)) for place, low, high in body.tolist())


REWRITING_MEASURE: Final = "expected error without"


def rewriting_story(learner: C45Rules, data: Dataset, context: RunContext) -> RuleHistory:
    """The steps in which the paths of the tree became rules."""
    noted: list[RuleStep] = []

    class Watched(_WatchedRewriting):
        steps = noted

    rules, _ = learner.induced(data, context, Watched)
    return RuleHistory(data, tuple(noted), noted[-1].rules, rules.default_decision, REWRITING_MEASURE)


def _without_repeats(candidate: Simplified) -> Rule:
    """The rule with one condition for each attribute."""
    return Rule(joined(candidate.rule.conditions), candidate.rule.decision)


class _WatchedRewriting(TreeRewriting):
    """Records its steps and finds the same rules as the base class."""

    steps: ClassVar[list[RuleStep]]

    def shortened(self, simplifier: Simplifier, rule: Rule) -> Simplified:
        self._candidates: list[Simplified] = getattr(self, "_candidates", [])
        self._note(RulePhase.WAY, rule, simplifier.matches.meets_all(rule.conditions))
        before = [rule]

        def watch(kept: list[int], covered: FloatArray, expected: FloatArray, place: int) -> None:
            now = Rule(tuple(rule.conditions[i] for i in kept), rule.decision)
            weighed = tuple(
                WeighedCondition(condition, float(e), float(n - wrong), float(n), i == place)
                for i, (condition, e, (n, wrong)) in enumerate(
                    zip(now.conditions, expected[1:], covered[1:], strict=True)
                )
            )
            shorter = Rule((*now.conditions[:place], *now.conditions[place + 1 :]), rule.decision)
            covers = simplifier.matches.meets_all(shorter.conditions)
            self._note(RulePhase.SPARE, shorter, covers, before=before[-1], weighed=weighed)
            before.append(shorter)

        return simplifier.simplified(rule, watch)

    def is_taken(self, rule: Simplified, *, is_sure: bool, is_new: bool) -> bool:
        phase = RulePhase.WORSE if not is_sure else RulePhase.CANDIDATE if is_new else RulePhase.TWIN
        if phase is RulePhase.CANDIDATE:
            self._candidates.append(rule)
        self._note(phase, rule.rule, rule.covered)
        return super().is_taken(rule, is_sure=is_sure, is_new=is_new)

    def subset(self, own: list[Simplified], code: int) -> RuleSelection:
        choice = super().subset(own, code)
        covers = np.zeros(len(self.data), dtype=np.bool_)
        compared = list[ComparedRule]()
        for candidate, keep in zip(own, choice.kept.tolist(), strict=True):
            covers |= candidate.covered & keep
            right = float(self.weights[candidate.covered & (self.codes == code)].sum())
            weight = float(self.weights[candidate.covered].sum())
            compared.append(ComparedRule(_without_repeats(candidate), candidate.error, right, weight, keep))
        compared.sort(key=lambda one: (not one.is_kept, one.error))
        self._note(RulePhase.CHOOSE, Rule((), code), covers, compared=tuple(compared), bits=choice.bits)
        return choice

    def settled(self, rules: list[Simplified]) -> tuple[list[Simplified], int]:
        kept, default = super().settled(rules)
        same = {id(own) for own in kept}
        for own in rules:
            if id(own) not in same:
                self._note(RulePhase.HARM, own.rule, own.covered)
        self._candidates = kept
        self._note(RulePhase.END, Rule((), default), ~union(kept, len(self.data)))
        return kept, default

    def _note(self, phase: RulePhase, rule: Rule, covered: NDArray[np.bool_], **more: Any) -> None:
        """Add a step; ``more`` are fields of :class:`RuleStep`."""
        left, rules = np.arange(len(self.data)), tuple(map(_without_repeats, self._candidates))
        self.steps.append(RuleStep(phase, rule.decision, rule, left, np.flatnonzero(covered), rules, **more))


_STORIES: Final[dict[type[Learner], Callable[[Any, Dataset, RunContext], RuleHistory]]] = {
    Ripper: ripper_story,
    SequentialCovering: covering_story,
    C45Rules: rewriting_story,
}


def can_be_followed(learner: Learner) -> bool:
    """Whether :func:`history_of` records how this learner finds its rules."""
    base = learner.base if isinstance(learner, EditedModel) else learner
    return type(base) in _STORIES


_TITLES: Final[Mapping[RulePhase, str]] = {
    RulePhase.REPLACE: "Replace it by a shorter description",
    RulePhase.WAY: "A path of the tree",
    RulePhase.CANDIDATE: "A candidate rule",
    RulePhase.TWIN: "Duplicate of an earlier rule",
    RulePhase.WORSE: "Drop it: no better than the default",
    RulePhase.HARM: "Remove a harmful rule",
    RulePhase.END: "All rules",
}
_SENTENCES: Final[Mapping[RulePhase, str]] = {
    RulePhase.GROW: "The rule is now: {rule}. It covers {of_left}. No other condition is better by {measure}.",
    RulePhase.REPLACE: "It was: {before}. With this one the description of all rules is shorter: {rule}.",
    RulePhase.WAY: "Path to a leaf: {rule}. It covers {of_them}.",
    RulePhase.SPARE: "Shorter: {rule}. It covers {of_them}.",
    RulePhase.CANDIDATE: "No other condition can be dropped: {rule}. It covers {of_them}.",
    RulePhase.TWIN: "Another path has become the same rule: {rule}. It is kept once.",
    RulePhase.WORSE: "Its expected error is no lower than that of the default rule: {rule}. It covers {of_them}.",
    RulePhase.HARM: "Without it the list has fewer training errors: {rule}. It covers {of_them}.",
}


def condition_text(schema: Schema, condition: RuleCondition) -> str:
    return asked_of(schema, condition).words()


def rule_text(schema: Schema, rule: Rule) -> str:
    where = " and ".join(condition_text(schema, condition) for condition in rule.conditions)
    label = schema.classes[rule.decision]
    return f"if {where} then {label}" if where else f"always {label}"


def covered_weights(history: RuleHistory, rows: IntArray) -> FloatArray:
    """Total weight of some records by class (k,)."""
    weights = None if history.data.weights is None else np.asarray(history.data.weights)[rows]
    codes = np.asarray(history.data.class_codes)[rows]
    return np.bincount(codes, weights, minlength=len(history.data.schema.classes)).astype(np.float64)


def title(history: RuleHistory, number: int) -> str:
    step, schema = history.steps[number], history.data.schema
    label = schema.classes[step.target]
    if step.phase is RulePhase.BEGIN:
        return f"Rules for {label}"
    if step.phase is RulePhase.GROW:
        return f"Add {condition_text(schema, step.rule.conditions[-1])}" if step.rule.conditions else "Begin"
    if step.phase is RulePhase.PRUNE:
        n = 0 if step.before is None else len(step.before.conditions) - len(step.rule.conditions)
        if n == 0:
            is_same = step.before is None or step.before.conditions == step.rule.conditions
            return "Nothing to prune" if is_same else "Prune: a range is wider"
        return f"Prune {counted(n, 'condition')}"
    if step.phase is RulePhase.KEEP:
        return f"Keep it: rule {len(step.rules)}"
    if step.phase is RulePhase.DROP:
        return f"Drop it: no more for {label}" if step.bits is not None or not step.rule.conditions else "Drop a rule"
    if step.phase is RulePhase.CHOOSE:
        n = sum(candidate.is_kept for candidate in step.compared)
        return f"Choose for {label}: {n} of {counted(len(step.compared), 'rule')}"
    if step.phase is RulePhase.SPARE and step.before is not None:
        gone = [c for c in step.before.conditions if c not in step.rule.conditions]
        return f"Drop {condition_text(schema, gone[0])}" if gone else "Drop a condition"
    return _TITLES[step.phase]


def sentence(history: RuleHistory, number: int) -> str:
    """What happens in a step, with its figures, as text."""
    step, schema = history.steps[number], history.data.schema
    label = schema.classes[step.target]
    counts = covered_weights(history, step.covered)
    covered, right = float(counts.sum()), float(counts[step.target])
    of_left = f"{_records(covered)} of those left, {weight_words(right)} of them {label}"
    rule, before = rule_text(schema, step.rule), "" if step.before is None else rule_text(schema, step.before)
    if step.phase is RulePhase.BEGIN:
        left = covered_weights(history, step.left)
        return (
            f"Of {_records(float(left.sum()))} that are left, {weight_words(float(left[step.target]))} are {label}. "
            "The search is for rules that separate them from the others."
        )
    if step.phase is RulePhase.PRUNE:
        if step.before is not None and step.before.conditions == step.rule.conditions:
            return f"{history.cutting} no shorter rule is better, so it stays: {rule}."
        return f"It was: {before}. {history.cutting} this shorter rule is best: {rule}."
    if step.phase is RulePhase.KEEP:
        return f"Kept: {rule}. It covers {of_left}; {'they are' if covered != 1 else 'it is'} removed.{_bits(step)}"
    if step.phase is RulePhase.DROP:
        if not step.rule.conditions:
            return f"No rule for {label} is better than the default rule, which decides the rest."
        why = "" if step.bits is not None else " Without it the description is shorter."
        return f"Not kept: {rule}. It covers {of_left}.{why}{_bits(step)}"
    if step.phase in _SENTENCES:
        words = {"rule": rule, "before": before, "of_left": of_left, "of_them": of_left.replace(" of those left", "")}
        return _SENTENCES[step.phase].format(**words, measure=history.measure) + _why(step)
    if step.phase is RulePhase.CHOOSE:
        kept = sum(candidate.is_kept for candidate in step.compared)
        one = len(step.compared) == 1
        return (
            f"There {'is 1 rule' if one else f'are {len(step.compared)} rules'} for {label} to choose from. Kept "
            f"{'is' if kept == 1 else 'are'} {kept}: the shortest description of the rules and their errors, "
            f"{step.bits or 0.0:.1f} bits. The class with the shorter description comes first."
        )
    n = len(step.rules)
    return f"These are the {n} rules of the run. The default rule predicts {label} for the other {_records(covered)}."


def step_rows(history: RuleHistory) -> list[list[str]]:
    """All steps as rows of text, the header first."""
    table = [["step", "what", "rule", "covers", "right", "left before", "bits", "fewest bits"]]
    for number, step in enumerate(history.steps):
        counts = covered_weights(history, step.covered)
        bits = ["" if value is None else f"{value:.6g}" for value in (step.bits, step.fewest)]
        numbers = [f"{float(counts.sum()):.12g}", f"{float(counts[step.target]):.12g}"]
        left = f"{float(covered_weights(history, step.left).sum()):.12g}"
        rule = rule_text(history.data.schema, step.rule)
        table.append([str(number + 1), title(history, number), rule, *numbers, left, *bits])
    return table


def comparison_rows(history: RuleHistory, number: int) -> list[list[str]]:
    """The conditions or rules compared in a step as rows of text, the header first."""
    schema, step = history.data.schema, history.steps[number]
    table = [["rule", "expected error"] if step.compared else ["condition", history.measure]]
    for rival in step.compared:
        table.append([f"{'▸ ' if rival.is_kept else ''}{rule_text(schema, rival.rule)}", f"{rival.error:.4g}"])
    for possible in () if step.compared else step.weighed:
        words = condition_text(schema, possible.condition)
        table.append([f"{'▸ ' if possible.is_chosen else ''}{words}", f"{possible.worth:.4g}"])
    covers = [[weight_words(own.right), weight_words(own.covered)] for own in step.compared or step.weighed]
    return [[*row, *more] for row, more in zip(table, [["right", "covers"], *covers], strict=True)]


def _why(step: RuleStep) -> str:
    """Why a condition is unnecessary: the expected error rate."""
    chosen = next((condition for condition in step.weighed if condition.is_chosen), None)
    if chosen is None or step.phase is not RulePhase.SPARE:
        return ""
    return f" Then the expected error rate on new records is {percent(chosen.worth)}, no more than before."


def _bits(step: RuleStep) -> str:
    if step.bits is None or step.fewest is None:
        return ""
    if step.phase is RulePhase.KEEP:
        return f" The description has {step.bits:.1f} bits with it; the shortest so far has {step.fewest:.1f}."
    return f" With it the description would have {step.bits:.1f} bits; the shortest so far has {step.fewest:.1f}."


def _records(weight: float) -> str:
    return f"{weight_words(weight)} record{'' if weight == 1 else 's'}"
