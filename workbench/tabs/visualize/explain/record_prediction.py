"""Prediction of one record as text: when tested, reasons in log odds, paths through a tree, flips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Final

import numpy as np

from algorithms.core.learner import Explanation, LogOddsTerm
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.what_if import DecisionFlip, LeafPath, Value
from algorithms.learners.linear.model import LinearModel
from algorithms.learners.rules.model import RuleModel
from algorithms.learners.trees.words import number
from algorithms.structures.tree import Tree
from algorithms.text.numbers import with_minus
from algorithms.text.sentences import BRIEF_NAMES, in_brief, typeset
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.style.theme import current_theme, themes
from workbench.viewers.original_units import reason_in_own_units, rules_in_own_units, tree_in_own_units, unscaled_by
from workbench.viewers.tree.tree_words import ON_AN_EDGE, HighlightedPath, path_conditions, percent

MOST: Final = 8
"""So many reasons are listed; the others are summed up in one line."""
HALF: Final = 34
"""The longest bar, in pixels."""
UNIT: Final = "in log odds (0.7 doubles the odds, 2.3 makes them tenfold)"
WHAT_NUMBERS_MEAN: Final = (
    "The numbers are log odds and add up: above 0 they speak for the class to the right, below 0 for the one to the "
    "left. 0.7 makes it about twice as likely beside the other one, 2.3 ten times."
)


def shortened_reasons(reasons: Sequence[LogOddsTerm], most: int = MOST) -> list[LogOddsTerm]:
    """Where it begins, then the ``most`` strongest reasons, then all others in one."""
    start, *said = reasons
    rest = said[most:]
    if len(rest) < 2:
        return [start, *said]
    others = LogOddsTerm("All else together", "", sum(each.added for each in rest), start.against)
    return [start, *said[:most], others]


def reasons_html(reasons: Sequence[LogOddsTerm], decided: int, classes: Sequence[str], interest: str = "") -> str:
    """A table of the reasons for the class ``decided`` (a code): to the right what speaks for it, to the left what
    speaks for the other one; the other way round where the other one is the class of ``interest``, which is to the
    right in all pictures."""
    theme = current_theme()
    right, left = decided, reasons[0].against
    if classes[left] == interest:
        right, left = left, right
        reasons = [replace(each, added=-each.added) for each in reasons]
    shown = shortened_reasons(reasons)
    total = sum(each.added for each in reasons)
    largest = max([abs(each.added) for each in shown] + [1e-300])
    rows = []
    for each in shown:
        code = right if each.added > 0 else left
        width = max(1, round(themes.px(HALF) * abs(each.added) / largest))
        bars = [_bar(width if each.added < 0 else 0, theme.class_color(code).name(), "right")]
        bars += [_bar(width if each.added > 0 else 0, theme.class_color(code).name(), "left")]
        beside = f' <span style="color:{theme.dim}">({escape(each.beside)})</span>' if each.beside else ""
        rows.append(
            f'<tr><td valign="middle">{escape(each.what)}{beside}&nbsp;</td>{"".join(bars)}'
            f'<td align="right" valign="middle">&nbsp;{_signed(each.added)}</td></tr>'
        )
    rows.append(f'<tr><td><b>Together</b></td><td></td><td></td><td align="right"><b>{_signed(total)}</b></td></tr>')
    ours, theirs = escape(classes[right]), escape(classes[left])
    return (
        f"To the right what speaks for <b>{ours}</b>, to the left for <b>{theirs}</b>, {UNIT}:"
        f'<table cellspacing="0" cellpadding="1" width="100%">{"".join(rows)}</table>'
    )


def _bar(width: int, color: str, side: str) -> str:
    """A cell with a bar at its ``side``; an empty one where the bar has no width."""
    room = f'<td width="{themes.px(HALF)}" valign="middle">'
    if not width:
        return f"{room}</td>"
    inner = f'<td width="{width}" bgcolor="{color}" style="font-size:6pt">&nbsp;</td>'
    return f'{room}<table align="{side}" cellspacing="0" cellpadding="0"><tr>{inner}</tr></table></td>'


def _signed(value: float) -> str:
    return with_minus(f"{value:+.2f}")


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
