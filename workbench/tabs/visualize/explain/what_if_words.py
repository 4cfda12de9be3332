"""What a model says of a record whose values are tried out, and how that is worded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.learner import Explanation, LogOddsTerm
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.what_if import DecisionFlip, LeafPath, Value
from algorithms.learners.linear.model import LinearModel
from algorithms.learners.rules.model import RuleModel
from algorithms.learners.trees.words import number
from algorithms.structures.tree import Tree
from algorithms.text.sentences import BRIEF_NAMES, in_brief, typeset
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.tabs.visualize.explain.reason_list import reasons_html
from workbench.viewers.original_units import reason_in_own_units, rules_in_own_units, tree_in_own_units, unscaled_by
from workbench.viewers.tree.tree_words import ON_AN_EDGE, HighlightedPath, path_conditions, percent

MOST_ASKED: Final = 5000
"""Among so many records one is looked for that the model gets wrong."""


@dataclass(frozen=True)
class TestedPrediction:
    """The class that was said most often of a record (by its name), and how sure that was, between 0 and 1."""

    said: str
    sure: float

    def __str__(self) -> str:
        return f"when tested: {self.said} ({100 * self.sure:.0f} in 100)"


def when_tested(run: Run, row: int, asked: DecisionQuery | None = None) -> TestedPrediction | None:
    """What the models that tested the record at this place of the run's data said, none of which had learned from it;
    None where none did. Decided as ``asked``, as the models themselves where that is None."""
    result = run.result
    if result is None or result.test_is_training or run.method.needs_test_data:
        return None
    tests = np.flatnonzero(result.row_ids == run.data.row_ids[row])
    if not len(tests):
        return None
    decisions = result.decision[tests]
    decide = None if asked is None else asked.decide_for(result.classes)
    if decide is not None:
        decisions = decide(result.probabilities[tests], decisions)
    said = int(np.bincount(decisions).argmax())
    return TestedPrediction(result.classes[said], float(result.probabilities[tests, said].mean()))


def true_class(run: Run, row: int) -> str | None:
    """The record's own class, None where it has none."""
    schema = run.data.schema
    if schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    code = int(run.data.cells(schema.class_index, np.array([row]))[0])
    return schema.classes[code] if code >= 0 else None


def _wrong_when_tested(run: Run, asked: DecisionQuery | None) -> IntArray:
    """The ids of the records that a model that had not learned from them predicted wrong, decided as ``asked``."""
    result = run.result
    if result is None or result.test_is_training or run.method.needs_test_data:
        return np.empty(0, dtype=np.int64)
    decide = None if asked is None else asked.decide_for(result.classes)
    decisions = result.decision if decide is None else decide(result.probabilities, result.decision)
    return np.unique(result.row_ids[decisions != result.truth])


def first_mistake(run: Run, rows: IntArray, context: RunContext, asked: DecisionQuery | None = None) -> int | None:
    """Of these places of the run's data (n,), in their order, the first whose record was predicted wrong when it was
    tested, else the first that the model of all records gets wrong, decided as ``asked``; None where each of the first
    :data:`MOST_ASKED` was right, or their class is not known."""
    trained, schema = run.trained, run.data.schema
    if trained is None or schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    looked_at = rows[:MOST_ASKED]
    missed = looked_at[np.isin(run.data.row_ids[looked_at], _wrong_when_tested(run, asked))]
    if len(missed):
        return int(missed[0])
    found = trained.judged(run.data.take(looked_at), context)
    decide = None if asked is None else asked.decide_for(trained.classes)
    decisions = found.decisions if decide is None else decide(found.probabilities, found.decisions)
    said = np.asarray(trained.classes, dtype=object)[decisions]
    truth = run.data.cells(schema.class_index, looked_at).astype(np.int64)
    wrong = (truth >= 0) & (np.asarray(schema.classes, dtype=object)[truth] != said)
    return int(looked_at[int(wrong.argmax())]) if wrong.any() else None


MOST_WAYS: Final = 4


@dataclass(frozen=True, eq=False)
class RecordPrediction:
    """The class decided of a record, the probabilities (k,) it rests on, and the ways and steps that led there."""

    decision: int
    probabilities: tuple[float, ...]
    ways: tuple[LeafPath, ...]
    steps: tuple[str, ...]
    reasons: tuple[LogOddsTerm, ...] = ()
    """What the model's own decision rests on, where it adds up reasons."""
    path: HighlightedPath = field(default_factory=HighlightedPath)
    tested: TestedPrediction | None = None
    itself: int = -1
    """The class that the model itself says, where something else decides; -1 where it does."""
    by: str = ""
    """What decides then: "says ill from .09 on"."""

    def when_tested(self, trained: TrainedClassifier, truth: str) -> str:
        """What was said when the record was tested, and whether it was right, where the model says something else, or
        is as many in 100 less or more sure as can be read."""
        if self.tested is None:
            return ""
        if self.tested.said == trained.classes[self.decision]:
            now, then = (f"{100 * sure:.0f}" for sure in (self.probabilities[self.decision], self.tested.sure))
            return "" if now == then else f" (when tested, not yet learned from: {self.tested.said}, {then} in 100)"
        return f" ({self.tested} {'✓' if self.tested.said == truth else '✗'})"


def own_explained(trained: TrainedClassifier, explained: Explanation, record: Dataset) -> Explanation:
    """What led to the decision about the one raw ``record``, conditions of rules and reasons with numbers as the table
    has them."""
    model, unscaled = trained.model, unscaled_by(trained.recipe)
    if isinstance(model, RuleModel):
        worded = rules_in_own_units(model.rules, unscaled)
        parts = model.parts_of(aligned(model.schema, trained.prepared(record)))
        return replace(explained, steps=tuple(model.steps_of(explained.parts, worded, parts)))
    if unscaled is None or not isinstance(model, LinearModel) or not explained.reasons:
        return explained
    reasons = tuple(reason_in_own_units(each, record, unscaled) for each in explained.reasons)
    steps = model.steps_of(explained.decision, reasons, len(explained.parts))
    return replace(explained, reasons=reasons, steps=steps)


def ways_html(said: RecordPrediction, trained: TrainedClassifier, interest: str = "") -> str:
    """The way of the record through the model, as rich text; what speaks for the class of ``interest`` to the right."""
    tree = trained.structure()
    if said.reasons:
        return reasons_html(said.reasons, said.decision if said.itself < 0 else said.itself, trained.classes, interest)
    if not isinstance(tree, Tree) or not said.ways:
        return "<br>".join(escape(typeset(step)) for step in said.steps)
    asked = {node for way in said.ways[:MOST_WAYS] for node in tree.path(way.leaf)}
    tree = tree_in_own_units(tree, unscaled_by(trained.recipe), nodes=asked)
    if len(said.ways) == 1:
        return "because " + escape(
            " and ".join(path_conditions(tree, said.ways[0].leaf, digits=ON_AN_EDGE)) or "it always does"
        )
    lines = [f"Divided among {len(said.ways)} leaves, since a value is missing:"]
    for way in said.ways[:MOST_WAYS]:
        label_there = trained.classes[int(tree.decision[way.leaf])]
        where = " and ".join(path_conditions(tree, way.leaf, digits=ON_AN_EDGE))
        lines.append(f"<b>{escape(percent(way.share))}</b> {escape(label_there)}: {escape(where)}")
    if len(said.ways) > MOST_WAYS:
        rest = sum(way.share for way in said.ways[MOST_WAYS:])
        lines.append(f"{escape(percent(rest))} in {len(said.ways) - MOST_WAYS} more")
    return "<br>".join(lines)


def decided_words(said: RecordPrediction, trained: TrainedClassifier) -> str:
    """By what it is decided, and what the model itself would say, where something else decides."""
    if said.itself < 0:
        return ""
    same = "the same" if said.itself == said.decision else trained.classes[said.itself]
    return f" As you have it decide in Evaluate, it {said.by}; the model itself says {same}."


def flip_wordings(schema: Schema, flip: DecisionFlip, now: Value, classes: tuple[str, ...]) -> tuple[str, ...]:
    """That the change from the value of ``now`` makes the model say another of the ``classes``, in fewer and fewer
    words."""
    was, then = value_words(schema, flip.attribute, now), value_words(schema, flip.attribute, flip.value)
    name, said = schema.attributes[flip.attribute].name, classes[flip.decision]
    whole = f"The smallest change that flips it: {name} from {was} to {then}, then {said}."
    briefly = (f"With {name} {then} instead of {was} it says {said}", f"With {name} {then} it says {said}")
    names = (*schema.names, *classes)
    return (whole, *briefly, *(in_brief(words, names, most) for most in BRIEF_NAMES for words in (whole, *briefly)))


def value_words(schema: Schema, attribute: int, value: Value) -> str:
    """A value for reading; "missing" where it is."""
    described = schema.attributes[attribute]
    if value != value or (described.kind.is_coded and value < 0):
        return "missing"
    return described.values[int(value)] if described.kind.is_coded else number(float(value))
