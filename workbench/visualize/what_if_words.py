"""What a model says of a record whose values are tried out, and how that is worded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import Final

from algorithms.core.align import aligned
from algorithms.core.data import Dataset
from algorithms.core.learner import Explanation, Reason
from algorithms.core.schema import Schema
from algorithms.core.structures import Tree
from algorithms.core.trained import TrainedClassifier
from algorithms.evaluation.what_if import Flip, Value, Way
from algorithms.linear.model import LinearModel
from algorithms.rules.model import RuleModel
from algorithms.trees.words import number
from workbench.views.own_units import reason_in_own_units, rules_in_own_units, tree_in_own_units, unscaled_by
from workbench.views.tree_answers import LitPath
from workbench.views.tree_words import ON_AN_EDGE, path_conditions, percent
from workbench.visualize.reason_list import reasons_html
from workbench.visualize.when_tested import Tested
from workbench.wording import BRIEF_NAMES, in_brief, typeset

MOST_WAYS: Final = 4


@dataclass(frozen=True, eq=False)
class Said:
    """The class decided of a record, the probabilities (k,) it rests on, and the ways and steps that led there."""

    decision: int
    probabilities: tuple[float, ...]
    ways: tuple[Way, ...]
    steps: tuple[str, ...]
    reasons: tuple[Reason, ...] = ()
    """What the model's own decision rests on, where it adds up reasons."""
    path: LitPath = field(default_factory=LitPath)
    tested: Tested | None = None
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


def ways_html(said: Said, trained: TrainedClassifier, interest: str = "") -> str:
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


def decided_words(said: Said, trained: TrainedClassifier) -> str:
    """By what it is decided, and what the model itself would say, where something else decides."""
    if said.itself < 0:
        return ""
    same = "the same" if said.itself == said.decision else trained.classes[said.itself]
    return f" As you have it decide in Evaluate, it {said.by}; the model itself says {same}."


def flip_wordings(schema: Schema, flip: Flip, now: Value, classes: tuple[str, ...]) -> tuple[str, ...]:
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
