"""Groups of records with more errors than elsewhere, found by a search or given by an attribute.

**Search.** Rules of one to three conditions are found by a beam search, as in subgroup discovery (Klösgen, Explora,
1996; Lavrač, Kavšek, Flach and Todorovski, 2004). Their quality is the log likelihood ratio of a Bernoulli scan
statistic (Kulldorff, A spatial scan statistic, 1997; Zhang and Neill, Identifying significant predictive bias in
classifiers, 2016), less log(number of conditions) for each condition, so that longer rules have to gain more.

**Many rules are tried.** The p-value of a rule is the share of permutations of the errors among the records in which
the best rule of the *whole* search is at least as good (the maximum statistic of Westfall and Young, 1993). It is exact
if errors fall on records at random, and sequential (Besag and Clifford, 1991): a hopeless search stops early. The
alternative is a search in one half, and Fisher's test with Holm's correction in the other (Webb, Discovering
significant patterns, 2007). It found 44 of 100 groups with six times the errors (5% of 500 records), the permutations
88; at random there were 1 and 3 alarms in 100 (``python -m tests.benchmarks.error_analysis``).

**Cover.** A second rule must be found among the records that the first does not cover, and so on. Its rates are those
among these records, as are those of the records elsewhere. They are too high for new records, as the search chose them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.data.conditions import RecordCondition, Relation, matching
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute
from algorithms.evaluation.curves.roc import ORDER
from algorithms.evaluation.result import kish
from algorithms.evaluation.tested_records import Levels, RecordErrors, Share, levels_of
from algorithms.text.names import shortened
from algorithms.text.numbers import p_words, percent, points
from algorithms.text.sentences import counted, quoted

Checkpoint = Callable[[], None]

BINS: Final = 16
"""Ranges of a numeric attribute in the search, of about equally many records."""
SHOWN_BINS: Final = 10
"""Ranges of a numeric attribute in a table of errors."""
LONGEST: Final = 3
"""The most conditions of a rule."""
BEAM: Final = 16
"""Rules that are extended, the best ones of each length."""
KEPT: Final = 100
"""Extensions of a rule that are compared with those of others."""
OF_ATTRIBUTE: Final = 3
"""Rules of one condition on the same attribute that are extended."""
MOST_GROUPS: Final = 10
LEAST_SHARE: Final = 0.01
LEAST_RECORDS: Final = 10
"""A group has at least this share and this number of the records."""
PERMUTATIONS: Final = 199
AT_ONCE: Final = 10
"""Permutations that are searched before the test looks whether it can end."""
HOPELESS: Final = 4
"""So many permutations with a rule as good end the test (Besag and Clifford): p is above ``LEVEL`` then."""
LEVEL: Final = 0.02
"""Level of significance of a group: in 100 searches among errors at random, two alarms are expected."""
ALPHA: Final = 0.05
MOST_SEARCHED: Final = 50_000
"""Groups are searched among so many records, drawn at random from more."""
MOST_CELLS: Final = 100_000_000
LEAST_SEARCHED: Final = 1_000
"""Records times attributes are at most so many, but a search takes at least so many records."""
SURE: Final = 0.8
"""Mean probability of wrong predictions from which the model counts as sure."""
DEFAULT_RULE: Final = "by the default rule"
OPTIMISTIC: Final = "The search chose groups by these rates: expect lower ones on new records."
OLD_RATES: Final = "An older version computed the rates of all groups but the first among all records: search again."


@dataclass(frozen=True, eq=False)
class ErrorGroup:
    """A rule with the errors inside and elsewhere, both among the records that no earlier rule covers.

    ``records`` is the number of all that satisfy it, ``new`` that of those that no earlier rule covers.
    """

    conditions: tuple[RecordCondition, ...]
    records: int
    new: int
    inside: Share
    elsewhere: Share
    p_adjusted: float
    remedy: str

    @property
    def words(self) -> str:
        """ "Petal Width is more than 1.6 and colour is red"."""
        return " and ".join(map(str, self.conditions))

    @property
    def brief(self) -> str:
        return " and ".join(
            f"{shortened(one.attribute)} {one.relation}" + (f" {shortened(one.value)}" if one.value else "")
            for one in self.conditions
        )

    def rows_in(self, data: Dataset, checkpoint: Checkpoint = lambda: None) -> Mask:
        """Mask (n,) of the records of a table that satisfy the rule."""
        return matching(data, self.conditions, checkpoint=checkpoint)

    def to_json(self) -> dict[str, Any]:
        conditions = [
            {"attribute": one.attribute, "relation": one.relation.value, "value": one.value} for one in self.conditions
        ]
        return {
            "conditions": conditions,
            "records": self.records,
            "records_left_by_earlier_groups": self.new,
            "error": self.inside.to_json(),
            "error_elsewhere": self.elsewhere.to_json(),
            "p_adjusted": self.p_adjusted,
            "remedy": self.remedy,
        }


@dataclass(frozen=True, eq=False)
class ErrorGroups:
    """The groups found in ``n_records`` tested records. ``n_permutations`` were made to test the best rule."""

    groups: tuple[ErrorGroup, ...]
    n_records: int
    n_conditions: int
    error: Share
    n_permutations: int
    p_best: float
    """Adjusted p of the best rule, significant or not."""
    notes: tuple[str, ...] = ()
    rule: str = ""
    """The decision rule of the errors in words, "at threshold 9%"; empty for the model's default."""

    @property
    def rule_words(self) -> str:
        return self.rule or DEFAULT_RULE

    @property
    def sentence(self) -> str:
        if not self.error.weight:
            return "No tested record is predicted wrong."
        if not self.groups:
            p = p_words(self.p_best)
            return f"No group has significantly more errors ({p} for the best rule, at a level of {percent(LEVEL)})."
        best = self.groups[0]
        some = f"{counted(len(self.groups), 'group has', 'groups have')} significantly more errors. "
        inside, elsewhere = best.inside.words(), best.elsewhere.words()
        among = " Each is compared among the records that the groups above it leave." if len(self.groups) > 1 else ""
        return f"{some}Error rate {inside} where {best.brief}, {elsewhere} elsewhere.{among} {OPTIMISTIC}"

    def rows(self) -> list[list[object]]:
        """Header and a row for each group, with plain numbers."""
        head = ["rule", "records", "records_left_by_earlier_groups", "error_among_left", "low_95", "high_95"]
        rows: list[list[object]] = [[*head, "error_elsewhere_among_left", "p_adjusted", "remedy", "decision_rule"]]
        for one in self.groups:
            numbers = [one.inside.value, *(one.inside.interval or ("", "")), one.elsewhere.value, one.p_adjusted]
            rows.append([one.words, one.records, one.new, *numbers, one.remedy, self.rule_words])
        return rows

    def written_rows(self) -> list[list[str]]:
        """Header and rows as a person reads them."""
        head = ["Records where", "Records", "Left by\nearlier groups", "Error\nrate of left", "95% CI"]
        rows = [[*head, "Error rate\nelsewhere", "p\n(adjusted)"]]
        for one in self.groups:
            rates = one.inside.words(), one.inside.interval_words(), one.elsewhere.words()
            counts = f"{one.records:,}", f"{one.new:,}"
            rows.append([one.words, *counts, *rates, p_words(one.p_adjusted).removeprefix("p = ")])
        return rows

    def to_state(self) -> dict[str, Any]:
        """All of it as JSON values."""
        groups = [
            {
                "conditions": [[one.attribute, one.relation.value, one.value] for one in group.conditions],
                "counts": [group.records, group.new],
                "shares": [list(group.inside), list(group.elsewhere)],
                "p": group.p_adjusted,
                "remedy": group.remedy,
            }
            for group in self.groups
        ]
        counts = [self.n_records, self.n_conditions, self.n_permutations]
        said = {"notes": list(self.notes), "rule": self.rule, "among_left": True}
        return {"groups": groups, "counts": counts, "error": list(self.error), "p_best": self.p_best, **said}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ErrorGroups:
        """The groups of :meth:`to_state`; raises :class:`ModelFileError` for numbers that do not fit together."""
        n, n_conditions, n_permutations = map(int, state["counts"])
        groups = []
        for one in state["groups"]:
            conditions = tuple(
                RecordCondition(str(name), Relation(way), str(value)) for name, way, value in one["conditions"]
            )
            records, new = map(int, one["counts"])
            inside, elsewhere = (Share.checked(*share) for share in one["shares"])
            groups.append(ErrorGroup(conditions, records, new, inside, elsewhere, float(one["p"]), str(one["remedy"])))
        probabilities = [float(state["p_best"]), *(group.p_adjusted for group in groups)]
        counts_fit = all(group.conditions and 0 <= group.new <= group.records <= n for group in groups)
        if not counts_fit or not all(0 <= p <= 1 for p in probabilities):
            raise ModelFileError("The file is damaged: the error groups of a run do not fit together.")
        notes = tuple(map(str, state["notes"]))
        if len(groups) > 1 and not state.get("among_left"):
            notes = (*notes, OLD_RATES)
        said = notes, str(state["rule"])
        error = Share.checked(*state["error"])
        return cls(tuple(groups), n, n_conditions, error, n_permutations, probabilities[0], *said)

    def to_json(self) -> dict[str, Any]:
        return {
            "records": self.n_records,
            "conditions": self.n_conditions,
            "error": self.error.to_json(),
            "permutations": self.n_permutations,
            "p_best": self.p_best,
            "decision_rule": self.rule_words,
            "sentence": self.sentence,
            "rates_among": "the records that earlier groups leave",
            "groups": [one.to_json() for one in self.groups],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False)
class _Rule:
    quality: float
    parts: tuple[int, ...]
    """Ascending numbers of its conditions."""


@dataclass(eq=False)
class _Space:
    """All conditions on r records: which codes of which attribute each accepts.

    ``cells`` (r, a) are codes of all attributes, counted on from one attribute to the next; ``accepts`` (c, cells) says
    which cells satisfy a condition. ``known`` keeps how many records of each cell satisfy a condition.
    """

    levels: Sequence[Levels]
    least: int
    cells: NDArray[np.uint32] = field(init=False)
    accepts: Any = field(init=False)
    conditions: list[tuple[int, RecordCondition]] = field(init=False)
    known: dict[int, FloatArray] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        from scipy.sparse import csr_matrix  # only searches need it

        self.begins = np.cumsum([0, *(one.n_codes for one in self.levels)])
        self.cells = np.empty((len(self.levels[0].codes), len(self.levels)), dtype=np.uint32)
        self.conditions, accepted = [], []
        for j, one in enumerate(self.levels):
            self.cells[:, j] = one.codes + self.begins[j]
            for codes, condition in self._accepted(one):
                self.conditions.append((j, condition))
                accepted.append(self.begins[j] + np.asarray(codes))
        ends = np.cumsum([0, *map(len, accepted)])
        flat = np.concatenate(accepted) if accepted else np.zeros(0, dtype=np.int64)
        shape = len(accepted), int(self.begins[-1])
        self.accepts = csr_matrix((np.ones(len(flat)), flat, ends), shape=shape)

    def _accepted(self, levels: Levels) -> list[tuple[Sequence[int], RecordCondition]]:
        n = len(levels.labels) - levels.has_missing
        missing = [([n], levels.conditions[n][0])] if levels.has_missing else []
        if levels.cuts is None:
            return [*(([code], levels.conditions[code][0]) for code in range(n)), *missing]
        ways = [((range(cut + 1), low), (range(cut + 1, n), high)) for cut, (low, high) in enumerate(levels.cuts)]
        return [*(way for both in ways for way in both), *missing]

    def holds(self, part: int, rows: IntArray) -> IntArray:
        """Those of the rows that satisfy a condition."""
        j = self.conditions[part][0]
        accepts = np.zeros(self.levels[j].n_codes, dtype=np.bool_)
        cells = self.accepts.indices[self.accepts.indptr[part] : self.accepts.indptr[part + 1]]
        accepts[cells - self.begins[j]] = True
        return rows[accepts[self.levels[j].codes[rows]]]

    def sums(self, rows: IntArray, wrong: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The records (cells,) of each cell among these rows, and the sum of their errors ``wrong`` (r,)."""
        counts, sums = np.zeros(int(self.begins[-1])), np.zeros(int(self.begins[-1]))
        import_module(ORDER).sum_levels(self.cells, rows, wrong, counts, sums)
        return counts, sums


def _quality(n: FloatArray, wrong: FloatArray, whole: float, errors: float, least: int) -> FloatArray:
    """Log likelihood ratio of a higher error inside; -inf where the error is not higher or the group too small."""
    with np.errstate(divide="ignore", invalid="ignore"):
        out, wrong_out = whole - n, errors - wrong
        ratio = _plogp(wrong, n) + _plogp(n - wrong, n) + _plogp(wrong_out, out) + _plogp(out - wrong_out, out)
        base = errors * math.log(errors / whole) + (whole - errors) * math.log1p(-errors / whole)
        is_fit = (n >= least) & (out >= least) & (wrong * whole > errors * n)
    return np.where(is_fit, ratio - base, -np.inf)


def _plogp(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Part times log(part / whole); 0 for an empty part, as rounding may leave less than nothing."""
    return np.where(part > 1e-9, part * np.log(np.maximum(part, 1e-300) / np.maximum(whole, 1e-300)), 0.0)


def _best_rule(space: _Space, alive: IntArray, wrong: FloatArray, checkpoint: Checkpoint) -> _Rule | None:
    """The best rule among the rows ``alive`` for the shares of errors ``wrong`` (r,) of all rows."""
    erring = alive[wrong[alive] > 0]
    errors, whole = float(wrong[erring].sum()), float(len(alive))
    if not 0 < errors < whole or not space.conditions:
        return None
    is_whole, cost = len(alive) == len(space.cells), math.log(len(space.conditions))
    best: _Rule | None = None
    beam = [_Rule(0.0, ())]
    for length in range(1, LONGEST + 1):
        found: dict[tuple[int, ...], float] = {}
        for rule in beam:
            checkpoint()
            n, bad = _sums_within(space, rule.parts, (alive, erring), wrong, is_whole)
            quality = _quality(n, bad, whole, errors, space.least) - length * cost
            for part in _largest(quality):
                if part not in rule.parts:
                    found[tuple(sorted((*rule.parts, part)))] = float(quality[part])
        rules = (_Rule(quality, parts) for parts, quality in found.items())
        ranked = sorted(rules, key=lambda rule: (-rule.quality, rule.parts))
        if ranked and (best is None or ranked[0].quality > best.quality):
            best = ranked[0]
        beam = _spread(space, ranked) if length == 1 else ranked[:BEAM]
    return best


def _largest(quality: FloatArray) -> list[int]:
    """The numbers of the conditions of highest quality, enough to fill the beam, without those that do not fit."""
    few = np.argpartition(-quality, KEPT)[:KEPT] if len(quality) > KEPT else np.arange(len(quality))
    return [int(part) for part in few[quality[few] > -np.inf]]


def _spread(space: _Space, ranked: Sequence[_Rule]) -> list[_Rule]:
    """The best rules of one condition, a few on each attribute."""
    taken: dict[int, int] = {}
    chosen: list[_Rule] = []
    for rule in ranked:
        j = space.conditions[rule.parts[0]][0]
        if taken.get(j, 0) < OF_ATTRIBUTE and len(chosen) < BEAM:
            taken[j] = taken.get(j, 0) + 1
            chosen.append(rule)
    return chosen


def _sums_within(
    space: _Space, parts: tuple[int, ...], rows: tuple[IntArray, IntArray], wrong: FloatArray, is_whole: bool
) -> tuple[FloatArray, FloatArray]:
    """Records and errors (c,) of each condition among those that satisfy ``parts``.

    ``rows`` are all records and those with errors. Records of at most one condition in the whole table are kept.
    """
    is_kept, key = is_whole and len(parts) < 2, parts[0] if parts else -1
    inside = rows[int(is_kept and key in space.known)]
    for part in parts:
        inside = space.holds(part, inside)
    counts, sums = space.sums(inside, wrong)
    if is_kept:
        counts = space.known.setdefault(key, counts)
    return space.accepts @ counts, space.accepts @ sums


def error_groups(
    errors: RecordErrors, context: RunContext, permutations: int = PERMUTATIONS, alpha: float = LEVEL
) -> ErrorGroups:
    """Groups of records with more errors than elsewhere, the best first; rates are of the records that others leave.

    Attributes that learners use are searched, whether the model uses them or not. Records count alike, whatever their
    weights. Raises :class:`DataError` for a table without attributes.
    """
    data, schema = errors.data, errors.data.schema
    if not schema.predictors:
        raise DataError("The table has no attributes besides the class.", remedy="Open a table with attributes.")
    picked, notes = np.arange(len(errors)), []
    most = min(MOST_SEARCHED, max(LEAST_SEARCHED, MOST_CELLS // len(schema.predictors)))
    if len(picked) > most:
        picked = np.sort(context.child(0.0, 0).random().choice(len(errors), most, replace=False))
        notes.append(f"Groups were searched among {len(picked):,} of {len(errors):,} records, drawn at random.")
    if errors.weights is not None:
        notes.append("The search and its rates count each record once, whatever its weight.")
    ensure_compiled((ORDER,), context)
    context.say("Searching groups with more errors")
    levels = []
    for index in schema.predictors:
        context.checkpoint()
        levels.append(levels_of(schema.attributes[index], data.column(index)[errors.rows[picked]], BINS))
    space = _Space(levels, max(LEAST_RECORDS, math.ceil(LEAST_SHARE * len(picked))))
    wrong, alive = errors.wrong[picked], np.arange(len(picked))
    rule = _best_rule(space, alive, wrong, context.checkpoint)
    chance = _Chance(space, wrong, permutations, context)
    error = _share(errors.wrong)
    if rule is None:
        return ErrorGroups((), len(errors), len(space.conditions), error, 0, 1.0, tuple(notes))
    context.say("Testing whether the best group could be chance")
    p_best = chance.p_value(rule.quality)
    groups: list[ErrorGroup] = []
    covered = np.zeros(len(errors), dtype=np.bool_)
    p = p_best
    while rule is not None and p <= alpha:
        conditions = tuple(space.conditions[part][1] for part in rule.parts)
        inside = matching(data, conditions, checkpoint=context.checkpoint)[errors.rows]
        new = inside & ~covered
        shares = _share(errors.wrong[new]), _share(errors.wrong[~inside & ~covered])
        covered |= inside
        remedy = _remedy(errors, new, conditions)
        groups.append(ErrorGroup(conditions, int(inside.sum()), int(new.sum()), *shares, p, remedy))
        alive = alive[~covered[picked[alive]]]
        if len(groups) == MOST_GROUPS or len(alive) < 2 * space.least:
            break
        rule = _best_rule(space, alive, wrong, context.checkpoint)
        p = 1.0 if rule is None else max(p, chance.p_value(rule.quality))
    return ErrorGroups(tuple(groups), len(errors), len(space.conditions), error, len(chance.best), p_best, tuple(notes))


def _share(wrong: FloatArray) -> Share:
    """The mean of shares of errors, which counts each record once as the search does."""
    return Share(float(wrong.sum()), float(len(wrong)), float(len(wrong)))


class _Chance:
    """The best quality of the whole search for permuted errors, computed a few at a time."""

    def __init__(self, space: _Space, wrong: FloatArray, planned: int, context: RunContext) -> None:
        self._space, self._wrong, self._planned, self._context = space, wrong, planned, context
        self.best: list[float] = []

    def p_value(self, quality: float) -> float:
        """Returns the p-value of a quality; stops permuting once the p-value certainly exceeds ``LEVEL``."""
        while len(self.best) < self._planned:
            at_least = sum(best >= quality for best in self.best)
            if at_least >= HOPELESS:
                return at_least / len(self.best)
            self._more()
        return (1 + sum(best >= quality for best in self.best)) / (1 + len(self.best))

    def _more(self) -> None:
        begin = len(self.best)
        numbers = range(begin, min(begin + AT_ONCE, self._planned))
        self.best += self._context.map(self._permuted, numbers)
        self._context.advance(len(self.best), self._planned)

    def _permuted(self, number: int) -> float:
        random = np.random.default_rng([self._seed, number])
        permuted = random.permutation(self._wrong)
        rule = _best_rule(self._space, np.arange(len(permuted)), permuted, self._context.checkpoint)
        return -math.inf if rule is None else rule.quality

    @cached_property
    def _seed(self) -> int:
        return int(self._context.child(0.0, 1).random().integers(2**31))


def _remedy(errors: RecordErrors, inside: Mask, conditions: Sequence[RecordCondition]) -> str:
    """Returns a sentence that advises what to do about the errors of a group."""
    classes, weights = errors.result.classes, errors.wrong * inside
    truth = np.bincount(errors.truth[inside], minlength=len(classes))
    most = int(truth.argmax())
    share, accuracy = truth[most] / max(1, truth.sum()), 1 - float(errors.wrong[inside].mean())
    chosen = errors.result.probabilities[np.arange(len(errors.result)), errors.decision]
    sure = float(errors.of_records(chosen) @ weights / max(float(weights.sum()), 1e-12))
    if share > accuracy + ALPHA:
        n = int(truth.sum())
        return (
            f"Always predicting {quoted(classes[most])} here would be right more often ({percent(share, n)}) than the "
            f"model ({percent(accuracy, n)}). Check the classes of these records, or let the model combine attributes."
        )
    if any(one.relation is Relation.MISSING for one in conditions):
        return "Values are missing here. Fill them in, or find out why they are missing."
    if sure >= SURE:
        return f"The model is sure where it errs ({percent(sure)} on average). Check the classes of these records."
    return "The attributes hardly tell the classes apart here. Collect more such records, or another attribute."


@dataclass(frozen=True, eq=False)
class PartErrors:
    """The errors among the records with one level of an attribute."""

    label: str
    conditions: tuple[RecordCondition, ...]
    """Empty for values without a row of their own."""
    records: int
    error: Share


@dataclass(frozen=True, eq=False)
class ErrorsByAttribute:
    """Holds the error rate of all records, and those by the values or ranges of an attribute."""

    attribute: Attribute
    parts: tuple[PartErrors, ...]
    error: Share
    p_value: float | None
    """p-value of the test that all rates are equal; None for fewer than two parts."""

    @property
    def sentence(self) -> str:
        """Where the error rate is highest and lowest among rows of enough records, if rates differ significantly."""
        name = shortened(self.attribute.name)
        if self.p_value is None:
            return f"All records have the same value of {name}."
        p = p_words(self.p_value)
        if self.p_value > ALPHA:
            return f"The error rate does not differ significantly by {name} ({p} for all rows together)."
        named = _extremes([(one.label, one.error) for one in self.parts if one.records >= LEAST_RECORDS])
        return f"The error rate differs by {name} ({p} for all rows together): {named}."

    def rows(self) -> list[list[object]]:
        """Header and a row for each part, with plain numbers."""
        rows: list[list[object]] = [[self.attribute.name, "records", "error", "low_95", "high_95"]]
        for one in self.parts:
            rows.append([one.label, one.records, one.error.value, *(one.error.interval or ("", ""))])
        return rows

    def written_rows(self) -> list[list[str]]:
        """Header and rows as a person reads them."""
        rows = [[self.attribute.name, "Records", "Error rate", "95% CI"]]
        rows += [[p.label, f"{p.records:,}", p.error.words(), p.error.interval_words()] for p in self.parts]
        return rows

    def to_json(self) -> dict[str, Any]:
        parts = [{"value": one.label, "records": one.records, "error": one.error.to_json()} for one in self.parts]
        error = self.error.to_json()
        sentence = {"p_value": self.p_value, "sentence": self.sentence}
        return {"attribute": self.attribute.name, "error": error, **sentence, "parts": parts}


def _extremes(rows: Sequence[tuple[str, Share]]) -> str:
    """The highest and the lowest share with their intervals, among rows of at least ``LEAST_RECORDS`` records."""
    if len(rows) < 2:
        return f"{counted(len(rows), 'row has', 'rows have')} {LEAST_RECORDS} records or more, too few to name any"
    ranked = sorted(rows, key=lambda row: row[1].value)
    high, low = (
        f"{share.words()} (95% CI {share.interval_words()}) where it is {shortened(label)}"
        for label, share in (ranked[-1], ranked[0])
    )
    return f"{high}, {low}, of the {len(rows)} rows with at least {LEAST_RECORDS} records"


def shown_levels(errors: RecordErrors, name: str, bins: int = SHOWN_BINS) -> Levels:
    """The levels of the attribute ``name`` in the tested records; raises :class:`DataError` for text and the class."""
    schema = errors.data.schema
    if schema.index_of(name) == schema.class_index:
        raise DataError(
            f"{name!r} is the class, whose errors the confusion matrix shows.",
            remedy="Choose another attribute.",
            place=name,
        )
    attribute = schema.attributes[schema.index_of(name)]
    if attribute.kind.is_string:
        raise DataError(
            f"{name!r} is {attribute.kind.value}, which has no groups.", remedy="Choose another attribute.", place=name
        )
    return levels_of(attribute, errors.data.column(schema.index_of(name))[errors.rows], bins)


def _masks(levels: Levels) -> list[tuple[str, tuple[RecordCondition, ...], Mask]]:
    """Each level that has records, with its mask (r,), then all other values."""
    others = levels.codes == len(levels.labels)
    every = [(levels.labels[c], levels.conditions[c], levels.codes == c) for c in range(len(levels.labels))]
    return [one for one in (*every, ("other values", (), others)) if one[2].any()]


def errors_by_attribute(errors: RecordErrors, name: str) -> ErrorsByAttribute:
    """Error rates by ten ranges of a numeric attribute, or by the values of another."""
    levels = shown_levels(errors, name)
    parts = [
        PartErrors(label, conditions, int(np.count_nonzero(mask)), errors.share(errors.wrong, mask))
        for label, conditions, mask in _masks(levels)
    ]
    p_value = equal_rates(errors.wrong, levels.codes, errors.weights)
    return ErrorsByAttribute(levels.attribute, tuple(parts), errors.share(errors.wrong), p_value)


RATES: Final = ("Base rate", "Accuracy", "TPR", "FPR", "Precision")


@dataclass(frozen=True, eq=False)
class GroupRates:
    """Rates of a group for the positive class: ``rates`` in the order of ``RATES``.

    ``predicted`` is the mean predicted probability of the class, which calibration compares with the base rate.
    """

    label: str
    conditions: tuple[RecordCondition, ...]
    records: int
    rates: tuple[Share, ...]
    predicted: float

    @property
    def base_rate(self) -> Share:
        return self.rates[0]

    @property
    def miscalibration(self) -> float:
        """Mean predicted probability less the observed share of the class."""
        return self.predicted - self.base_rate.value

    @property
    def miscalibration_interval(self) -> tuple[float, float] | None:
        """95% interval of the miscalibration, by that of the observed share."""
        ends = self.base_rate.interval
        return None if ends is None else (self.predicted - ends[1], self.predicted - ends[0])


@dataclass(frozen=True, eq=False)
class RatesByGroup:
    """How well a run does in each group of records that an attribute marks, for one class."""

    attribute: Attribute
    positive: str
    groups: tuple[GroupRates, ...]
    p_base: float | None
    """p-value of the test that the base rates are equal; None for fewer than two groups with records."""

    @property
    def headline(self) -> str:
        """Whether the base rates differ."""
        if self.p_base is None:
            return f"{shortened(self.attribute.name)} has one group only, so there is nothing to compare."
        name, p = quoted(self.positive), p_words(self.p_base)
        if self.p_base > ALPHA:
            return f"The base rates of {name} do not differ significantly ({p})."
        rows = [(one.label, one.base_rate) for one in self.groups if one.records >= LEAST_RECORDS]
        by = f"{name} differ by {shortened(self.attribute.name)}"
        return f"The base rates of {by} ({p} for all groups together): {_extremes(rows)}."

    @property
    def why(self) -> str:
        """What cannot be equal where base rates differ; empty where no difference is significant."""
        if self.p_base is None or self.p_base > ALPHA:
            return ""
        return (
            "Where base rates differ, precision, TPR and FPR cannot all be equal unless no prediction of the class is "
            "wrong, or none is right (Chouldechova 2017). The theorem of Kleinberg et al. (2016) needs calibration at "
            "every predicted probability; the table shows it on average only."
        )

    @property
    def sentence(self) -> str:
        return f"{self.headline} {self.why}".rstrip()

    def rows(self) -> list[list[object]]:
        """Header and a row for each group, with plain numbers."""
        names = ["base_rate", "accuracy", "tpr", "fpr", "precision"]
        head = [column for name in names for column in (name, f"{name}_low_95", f"{name}_high_95")]
        rows: list[list[object]] = [
            [self.attribute.name, "records", *head, "mean_predicted", "predicted_less_observed"]
        ]
        for one in self.groups:
            numbers = [value for rate in one.rates for value in (rate.value, *(rate.interval or ("", "")))]
            row = [one.label, one.records, *numbers, one.predicted, one.miscalibration]
            rows.append(["" if value != value else value for value in row])
        return rows

    def written_rows(self) -> list[list[str]]:
        """Header and rows as a person reads them; each rate with its interval."""
        rows = [["Group", "Tested\nrecords", *RATES, "Predicted −\nobserved, points"]]
        for one in self.groups:
            cells = [f"{rate.words()} ({rate.interval_words()})" if rate.total > 0 else "–" for rate in one.rates]
            ends = one.miscalibration_interval
            apart = "–" if ends is None else f"{_bare(one.miscalibration)} ({_bare(ends[0])} to {_bare(ends[1])})"
            rows.append([one.label, f"{one.records:,}", *cells, apart])
        return rows

    def to_json(self) -> dict[str, Any]:
        names = ["base_rate", "accuracy", "tpr", "fpr", "precision"]
        groups = []
        for one in self.groups:
            rates = {name: rate.to_json() for name, rate in zip(names, one.rates, strict=True)}
            ends = one.miscalibration_interval
            calibration = {
                "mean_predicted": None if one.predicted != one.predicted else one.predicted,
                "observed": rates["base_rate"]["value"],
                "difference_interval": None if ends is None else list(ends),
            }
            groups.append({"value": one.label, "records": one.records, **rates, "calibration": calibration})
        return {
            "attribute": self.attribute.name,
            "class": self.positive,
            "p_base_rates": self.p_base,
            "sentence": self.sentence,
            "groups": groups,
        }


def _bare(difference: float) -> str:
    """A difference of shares in points, without the unit."""
    return points(difference).removesuffix(" points")


DRAWS: Final = 9_999
LEAST_DRAWS: Final = 199
MOST_DRAWN: Final = 50_000_000
"""Records times permutations of a test of equal rates, which has at least ``LEAST_DRAWS`` permutations."""
FEW_BINS: Final = 4
"""Ranges of a numeric attribute that marks groups."""


def rates_by_group(errors: RecordErrors, name: str, code: int) -> RatesByGroup:
    """The rates of the class ``code`` in each group that the attribute ``name`` marks; numbers are cut into four."""
    levels = shown_levels(errors, name, FEW_BINS)
    result, is_positive = errors.result, errors.truth == code
    chosen = errors.of_records(errors.decision == code)
    predicted = errors.of_records(result.probabilities[:, code])
    groups = []
    for label, conditions, mask in _masks(levels):
        rates = (
            errors.share(is_positive, mask),
            errors.share(1 - errors.wrong, mask),
            errors.share(chosen, mask & is_positive),
            errors.share(chosen, mask & ~is_positive),
            _precision(errors, chosen, mask, is_positive),
        )
        groups.append(GroupRates(label, conditions, int(mask.sum()), rates, errors.share(predicted, mask).value))
    p_base = equal_rates(is_positive, levels.codes, errors.weights)
    return RatesByGroup(levels.attribute, result.classes[code], tuple(groups), p_base)


def _precision(errors: RecordErrors, chosen: FloatArray, mask: Mask, is_positive: Mask) -> Share:
    """Of what is predicted to be of the class, the share that is; a record counts by the share of its tests."""
    weights = chosen * mask if errors.weights is None else chosen * mask * errors.weights
    total = float(weights.sum())
    n = total if errors.weights is None else kish(weights)
    return Share(float(weights[is_positive].sum()), total, n)


def equal_rates(
    values: FloatArray | Mask, groups: IntArray | NDArray[np.uint8], weights: FloatArray | None = None
) -> float | None:
    """p-value that the means of ``values`` (r,) are equal in all groups (r,); None for fewer than two groups.

    A permutation test: values are distributed over the records, which keep their groups and weights. Its statistic is
    the sum of squared differences from the mean, times Kish's effective number of records of each group. Counts of
    unweighted records are drawn ``DRAWS`` times; other values are permuted, less often if they are many.
    """
    x = np.asarray(values, dtype=np.float64)
    group = np.unique(groups, return_inverse=True)[1]
    n = np.bincount(group)
    if len(n) < 2:
        return None
    if not np.ptp(x):
        return 1.0
    weight = np.ones(len(x)) if weights is None else weights
    totals, squares = np.bincount(group, weight), np.bincount(group, weight**2)
    is_counted = totals > 0
    effective = totals[is_counted] ** 2 / squares[is_counted]

    def statistic(sums: NDArray[Any]) -> Any:
        means = sums[..., is_counted] / totals[is_counted]
        return (means - sums.sum(axis=-1, keepdims=True) / totals.sum()) ** 2 @ effective

    random = np.random.default_rng(0)
    own = statistic(np.bincount(group, weight * x))
    if weights is None and bool(((x == 0) | (x == 1)).all()):
        drawn = statistic(random.multivariate_hypergeometric(n, int(x.sum()), DRAWS, method="marginals"))
    else:
        n_draws = min(DRAWS, max(LEAST_DRAWS, MOST_DRAWN // len(x)))
        sums = [np.bincount(group, weight * random.permutation(x)) for _ in range(n_draws)]
        drawn = statistic(np.array(sums))
    return float((1 + np.count_nonzero(drawn >= own * (1 - 1e-9) - 1e-12)) / (1 + len(drawn)))
