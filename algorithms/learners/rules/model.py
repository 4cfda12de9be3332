"""The model of rule learners: induced, validated when read from a file, with options they share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.array_state import ArraySpec, ArrayState, anything, flags, indices, offsets, weights
from algorithms.core.context import RunContext
from algorithms.core.learner import Codes, Explanation, Learner, Model, Probabilities, State
from algorithms.core.parameters import EnabledIf, Option, choice, real
from algorithms.core.plain_json import finite_number
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.rules.matching import KERNELS as MATCHING_KERNELS
from algorithms.learners.rules.matching import RuleMatcher, decided_as_counted, probabilities_of_parts
from algorithms.learners.rules.words import if_words, largest_parts, name_of, parts_words, rule_words, weight_words
from algorithms.structures.rule_set import DEFAULT_RULE, Int32Array, RuleSet

_STATE: Final = ArrayState("The saved rules are", {
    "rule_start": offsets("conditions", "rules+1"),
    "decision": indices("classes", "rules"),
    "covered": weights("rules", "classes"),
    "decided": weights("rules", "classes"),
    "votes": weights("voters", "classes"),
    "attribute": indices("attributes", "conditions"),
    "low": anything("conditions"),
    "high": anything("conditions"),
    "low_is_open": flags("conditions"),
    "offset": indices("places", "conditions", lowest=-1),
    "value_in": flags("values"),
    "takes_missing": flags("conditions"),
    "missing_share": ArraySpec(dtype=np.float64, shape=("conditions",), lowest=0.0, highest=1.0, optional=True),
    "default_counts": weights("classes"),
})  # fmt: skip


def checked_rules(schema: Schema, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]) -> RuleSet:
    """Rules of these arrays and plain values; raises :class:`ModelFileError` where they are none over this schema."""
    default, ordered = values.get("default_decision"), values.get("is_ordered")
    correction, criterion = finite_number(values.get("correction")), values.get("criterion")
    require, k = _STATE.require, len(schema.classes)
    require(k >= 1, "it has no classes")
    require(type(default) is int and 0 <= default < k, "the default rule decides for no class")
    require(isinstance(ordered, bool), "it does not say whether its rules are a list")
    require(correction is not None and correction >= 0, "its correction is no number")
    require(isinstance(criterion, str), "it lacks its description")
    assert (
        isinstance(default, int) and correction is not None and isinstance(ordered, bool) and isinstance(criterion, str)
    )
    read = _STATE.read(arrays, attributes=len(schema), classes=k, places=_size(arrays.get("value_in")) + 1)
    require(len(read["votes"]) == (0 if ordered else len(read["decision"])), "votes is of another size")
    require(ordered or "missing_share" not in read, "rules that vote divide no record")
    rules = RuleSet(
        schema=schema,
        default_decision=default,
        is_ordered=ordered,
        correction=correction,
        criterion=criterion,
        by_coverage=values.get("by_coverage") is True,
        **read,
    )
    _check_conditions(rules)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = rules.probabilities().sum(axis=1)
        voted = rules.votes.sum()
    require(np.isfinite(voted) and np.all(np.abs(sums - 1.0) < 1e-6), "its weights have no finite sum")
    return rules


def _size(array: Any) -> int:
    return int(array.size) if isinstance(array, np.ndarray) else 0


def _check_conditions(rules: RuleSet) -> None:
    """Each condition is about a predictor, and has the bounds or the values that suit it."""
    predictors, require = set(rules.schema.predictors), _STATE.require
    conditions = zip(rules.attribute.tolist(), rules.offset.tolist(), rules.low.tolist(), rules.high.tolist(),
                     strict=True)  # fmt: skip
    for column, offset, low, high in conditions:
        attribute = rules.schema.attributes[column]
        require(column in predictors, f"it asks for {attribute.name}")
        if attribute.kind.is_coded:
            within = offset >= 0 and offset + len(attribute.values) <= len(rules.value_in)
            require(within, f"the values of {attribute.name} are missing")
        else:
            require(offset == -1 and low == low and high == high, f"{attribute.name} has no bounds")


class RuleModel(Model):
    """Rules that classify: the first one that fires decides, or all that fire vote; where none does, the default rule.

    A value that is missing fails every condition but one that says otherwise; where the rules divide records, it meets
    a condition in part, and each rule decides its part (see :mod:`algorithms.learners.rules.matching`). The
    probabilities of a list are those of :meth:`RuleSet.probabilities` for the rule that decides; of rules that vote,
    the shares of the summed votes.
    """

    id: ClassVar[str] = "rules"

    def __init__(self, rules: RuleSet, *, partial: bool = False) -> None:
        super().__init__(rules.schema, partial=partial)
        self.rules = rules

    def __repr__(self) -> str:
        return f"RuleModel({self.rules.n_rules} rules)"

    @cached_property
    def matcher(self) -> RuleMatcher:
        """What finds the rules that fire."""
        return RuleMatcher(self.rules)

    @cached_property
    def _probabilities(self) -> FloatArray:
        return self.rules.probabilities()

    @cached_property
    def _decisions(self) -> Int32Array:
        """What each rule, and at the end the default one, decides (r + 1,)."""
        return np.append(self.rules.decision, self.rules.default_decision).astype(np.int32)

    # ---- classifying -----------------------------------------------------------------------------------------------

    def _predict_proba(self, data: Dataset) -> Probabilities:
        if self.rules.is_ordered:
            found = np.asarray(self._probabilities[self.matcher.first(data)])
            for rows, parts in self.matcher.parts(data):
                found[rows] = probabilities_of_parts(self.rules, parts)
            return found
        votes = self.matcher.voted(data)
        sums = votes.sum(axis=1, keepdims=True)
        default = self._probabilities[DEFAULT_RULE]
        return np.where(sums > 0, votes / np.where(sums > 0, sums, 1.0), default)

    def _predict(self, data: Dataset) -> Codes:
        if self.rules.is_ordered:
            found = self._decisions[self.matcher.first(data)].astype(np.int32)
            for rows, parts in self.matcher.parts(data):
                shares = probabilities_of_parts(self.rules, parts)
                ties = shares >= shares.max(axis=1, keepdims=True) - 1e-12
                found[rows] = np.where(ties[np.arange(len(rows)), found[rows]], found[rows], np.argmax(ties, axis=1))
            return found
        return super()._predict(data)

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> RuleSet:
        return self.rules

    def facts(self) -> dict[str, int | float]:
        return {"rules": self.rules.n_rules, "conditions": self.rules.n_conditions}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """The rule that decides the record, with its conditions and how right it was in training, and which other
        rules fire too. ``parts`` are the rules that fire, the one that decides first."""
        record = aligned(self.schema, data).take([row])
        fired = self.matcher.fired(record, 0).tolist()
        steps = self.steps_of(fired, self.rules, self.parts_of(record))
        probabilities = self._predict_proba(record)[0]
        decision = int(self._predict(record)[0])
        return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps), tuple(fired))

    def parts_of(self, record: Dataset) -> FloatArray | None:
        """The part (r + 1,) that each rule, and the default one, decides of one record under the rules' schema; None
        where one rule decides all of it."""
        for _, parts in self.matcher.parts(record):
            if np.count_nonzero(parts[0] > 0) > 1:
                return np.asarray(parts[0])
        return None

    def steps_of(self, fired: Sequence[int], worded: RuleSet, parts: FloatArray | None = None) -> list[str]:
        """What :meth:`explain` says where these rules fire, or decide these ``parts`` (:meth:`parts_of`), with the
        numbers of their conditions as in ``worded``, the same rules in other units."""
        if parts is not None:
            largest = [rule for rule in largest_parts(parts)[:4] if rule != DEFAULT_RULE]
            words = [f"{name_of(rule)}: {rule_words(worded, rule)}, {self._record(rule)}" for rule in largest]
            return [parts_words(self.rules, parts), *(f"{line[0].upper()}{line[1:]}" for line in words)]
        return self._list_steps(fired, worded) if self.rules.is_ordered else self._vote_steps(fired, worded)

    def _list_steps(self, fired: Sequence[int], worded: RuleSet) -> list[str]:
        rules = self.rules
        rule = fired[0] if fired else DEFAULT_RULE
        said = name_of(rule)
        steps = [] if rule == DEFAULT_RULE else [f"Because {if_words(worded, rule)}"]
        steps.append(f"{said[0].upper()}{said[1:]} decides: {self._record(rule)}")
        if not fired and rules.n_rules:
            steps.append("No other rule fires")
        others = [i for i in fired[1:] if rules.decision[i] != rules.decision_of(rule)]
        if others:
            says = ", ".join(f"{name_of(i)} ({self.classes[int(rules.decision[i])]})" for i in others[:4])
            more = f" and {len(others) - 4} more" if len(others) > 4 else ""
            steps.append(f"Further down would say otherwise: {says}{more}")
        return steps

    def _vote_steps(self, fired: Sequence[int], worded: RuleSet) -> list[str]:
        if not fired:
            return [f"No rule fires: {self._record(DEFAULT_RULE)}"]
        return [f"{name_of(i)}: {rule_words(worded, i)}, {self._record(i)}" for i in fired]

    def _record(self, rule: int) -> str:
        """What a rule says, and how often that was right in training."""
        counts = self.rules.decided_by(rule)
        decision = self.rules.decision_of(rule)
        total, label = float(counts.sum()), self.classes[decision]
        if total <= 0:
            return f"{label}, no training record was left for it"
        return f"{label}, right for {weight_words(float(counts[decision]))} of {weight_words(total)} in training"

    # ---- on disk ---------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        rules = self.rules
        values: dict[str, Any] = {
            "partial": self.partial,
            "default_decision": rules.default_decision,
            "is_ordered": rules.is_ordered,
            "correction": rules.correction,
            "criterion": rules.criterion,
            "by_coverage": rules.by_coverage,
        }
        return State(values, rules.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_rules(schema, state.arrays, state.values), partial=state.values.get("partial") is True)


def confidence(enabled_if: EnabledIf | None = None, help: str = "The smaller, the more conditions are dropped.") -> Any:
    return real(
        0.25,
        lo=0.0001,
        hi=0.5,
        label="Pruning confidence",
        help=help,
        enabled_if=enabled_if,
    )


def rules_weight(enabled_if: EnabledIf | None = None) -> Any:
    return real(
        0.5,
        lo=0.0,
        hi=10.0,
        label="Weight of the rules",
        help="What a bit that spells rules out counts against a bit that says where they are wrong: the more, the "
        "fewer rules. Below 1 since rules repeat each other.",
        enabled_if=enabled_if,
    )


def class_order(enabled_if: EnabledIf | None = None) -> Any:
    return choice(
        "description-length",
        Option("description-length", "the shortest description first", "Rules and exceptions of a class, in bits."),
        Option("false-positives", "the fewest wrong first", "Whose rules cover the fewest records of other classes."),
        label="Classes come",
        help="Which class's rules are read first where rules for several classes fire.",
        enabled_if=enabled_if,
        advanced=True,
    )


def exceptions(enabled_if: EnabledIf | None = None) -> Any:
    return choice(
        "balanced",
        Option("counted", "as any choice", "As many bits as single them out of all records, as in the book of 1993."),
        Option("balanced", "evenly", "Dearer where records missed and records wrongly covered differ (1995)."),
        label="Wrong records are told",
        help="How the bits are reckoned that say which records the rules get wrong.",
        enabled_if=enabled_if,
        advanced=True,
    )


KERNELS: Final = ("algorithms.learners.trees.kernels.sorting_kernels", *MATCHING_KERNELS)
"""The modules of compiled loops that every learner of rules needs."""


class Interrupted(Exception):  # noqa: N818 - nothing is wrong: the rules there are make the model
    """The run is to be finished with the rules there are."""


class RuleLearner(Learner):
    """What learners of a list of rules share: records that weigh nothing are as if absent, and each rule is counted
    and decides as its training records say."""

    family: ClassVar[str] = "Rules"
    kernels: ClassVar[tuple[str, ...]] = KERNELS

    def _fit(self, data: Dataset, context: RunContext) -> RuleModel:
        ensure_compiled(self.kernels, context)
        weights = data.weights
        weighty = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
        rules, partial = self._induced(weighty, context)
        return RuleModel(self._finished(RuleMatcher(rules).counted(weighty, context.checkpoint)), partial=partial)

    def finished(self, counted: RuleSet) -> RuleSet:
        """Rules that somebody changed, counted on the training records, as this learner would give them."""
        return self._finished(counted)

    def _finished(self, counted: RuleSet) -> RuleSet:
        """What becomes of the rules when their training records are counted."""
        return decided_as_counted(counted)

    @abstractmethod
    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        """The rules, yet without counts, and whether they were finished early."""


def counted_by(rules: RuleSet, data: Dataset, context: RunContext) -> RuleSet:
    """The rules of a list with the weights of these records as their counts, each deciding as these say."""
    return decided_as_counted(RuleMatcher(rules).counted(data, context.checkpoint))


def class_weights(data: Dataset) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The weight of the records of each class (k,)."""
    counts = np.bincount(data.class_codes, data.weights, minlength=len(data.schema.classes))
    return counts.astype(np.float64)
