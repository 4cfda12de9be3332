"""Prediction of one record as text: when tested, reasons in log odds, paths through a tree, flips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from html import escape
from typing import Final

import numpy as np

from algorithms.core.learner import Explanation, LogOddsTerm, Model
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.what_if import DecisionFlip, LeafPath, Value
from algorithms.learners.linear.model import LinearModel
from algorithms.learners.rules.model import RuleModel
from algorithms.structures.tree import Tree
from algorithms.text.numbers import number, with_minus
from algorithms.text.sentences import BRIEF_NAMES, in_brief, typeset
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.style.theme import current_theme, themes
from workbench.viewers.original_units import (
    Unscaled,
    reason_in_own_units,
    rules_in_own_units,
    tree_in_own_units,
    unscaled_by,
)
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
    """The intercept, the ``most`` strongest reasons, and the sum of all others."""
    start, *others_first = reasons
    rest = others_first[most:]
    if len(rest) < 2:
        return [start, *others_first]
    others = LogOddsTerm("All else together", "", sum(reason.added for reason in rest), start.against)
    return [start, *others_first[:most], others]


def reasons_html(reasons: Sequence[LogOddsTerm], decided: int, classes: Sequence[str], interest: str = "") -> str:
    """A table of the reasons for the class code ``decided``: bars to the right speak for it.

    The class of ``interest`` is to the right in all pictures, so signs turn if it is the other class.
    """
    theme = current_theme()
    right, left = decided, reasons[0].against
    if classes[left] == interest:
        right, left = left, right
        reasons = [replace(reason, added=-reason.added) for reason in reasons]
    shown = shortened_reasons(reasons)
    total = sum(reason.added for reason in reasons)
    largest = max([abs(reason.added) for reason in shown] + [1e-300])
    rows = []
    for reason in shown:
        code = right if reason.added > 0 else left
        width = max(1, round(themes.px(HALF) * abs(reason.added) / largest))
        bars = [_bar(width if reason.added < 0 else 0, theme.class_color(code).name(), "right")]
        bars += [_bar(width if reason.added > 0 else 0, theme.class_color(code).name(), "left")]
        beside = f' <span style="color:{theme.dim}">({escape(reason.beside)})</span>' if reason.beside else ""
        rows.append(
            f'<tr><td valign="middle">{escape(reason.what)}{beside}&nbsp;</td>{"".join(bars)}'
            f'<td align="right" valign="middle">&nbsp;{_signed(reason.added)}</td></tr>'
        )
    rows.append(f'<tr><td><b>Together</b></td><td></td><td></td><td align="right"><b>{_signed(total)}</b></td></tr>')
    ours, theirs = escape(classes[right]), escape(classes[left])
    return (
        f"To the right what speaks for <b>{ours}</b>, to the left for <b>{theirs}</b>, {UNIT}:"
        f'<table cellspacing="0" cellpadding="1" width="100%">{"".join(rows)}</table>'
    )


def _bar(width: int, color: str, side: str) -> str:
    """A cell with a bar at its ``side``; an empty cell for width 0."""
    room = f'<td width="{themes.px(HALF)}" valign="middle">'
    if not width:
        return f"{room}</td>"
    inner = f'<td width="{width}" bgcolor="{color}" style="font-size:6pt">&nbsp;</td>'
    return f'{room}<table align="{side}" cellspacing="0" cellpadding="0"><tr>{inner}</tr></table></td>'


def _signed(value: float) -> str:
    return with_minus(f"{value:+.2f}")


@dataclass(frozen=True)
class TestedPrediction:
    """The class label predicted most often when a record was tested, and its mean probability."""

    said: str
    sure: float

    def __str__(self) -> str:
        return f"when tested: {self.said} ({100 * self.sure:.0f} in 100)"


def when_tested(run: Run, row: int, asked: DecisionQuery | None = None) -> TestedPrediction | None:
    """The prediction of the models that tested the record in this row; None if none did.

    Decides by ``asked``, or by the models themselves if that is None.
    """
    result = run.result
    if result is None or result.test_is_training or run.method.needs_test_data:
        return None
    tests = np.flatnonzero(result.row_ids == run.data.row_ids[row])
    if not len(tests):
        return None
    decisions = result.decision[tests]
    decide = None if asked is None else asked.rule.for_classes(result.classes)
    if decide is not None:
        decisions = decide(result.probabilities[tests], decisions)
    code = int(np.bincount(decisions).argmax())
    return TestedPrediction(result.classes[code], float(result.probabilities[tests, code].mean()))


def true_class(run: Run, row: int) -> str | None:
    """The label of the record's true class; None if it is missing."""
    schema = run.data.schema
    if schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    code = int(run.data.cells(schema.class_index, np.array([row]))[0])
    return schema.classes[code] if code >= 0 else None


MOST_WAYS: Final = 4


@dataclass(frozen=True, eq=False)
class RecordPrediction:
    """The predicted class code, its probabilities (k,), and the leaf paths and steps that led there."""

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
        """The prediction of the models that tested the record in this row; None if none did.

        Decides by ``asked``, or by the models themselves if that is None.
        """
        if self.tested is None:
            return ""
        if self.tested.said == trained.classes[self.decision]:
            now, then = (f"{100 * sure:.0f}" for sure in (self.probabilities[self.decision], self.tested.sure))
            return "" if now == then else f" (when tested, not yet learned from: {self.tested.said}, {then} in 100)"
        return f" ({self.tested} {'✓' if self.tested.said == truth else '✗'})"


def own_explained(trained: TrainedClassifier, explained: Explanation, record: Dataset) -> Explanation:
    """The explanation of the one raw ``record``, with numbers in the table's units."""
    unscaled = unscaled_by(trained.recipe)
    return explained if unscaled is None else _in_own_units(trained.model, trained, explained, record, unscaled)


@singledispatch
def _in_own_units(
    _model: Model, _trained: TrainedClassifier, explained: Explanation, _record: Dataset, _unscaled: Unscaled
) -> Explanation:
    """The explanation in the table's units; a model registers here how it words it."""
    return explained


@_in_own_units.register
def _(
    model: RuleModel, trained: TrainedClassifier, explained: Explanation, record: Dataset, unscaled: Unscaled
) -> Explanation:
    worded = rules_in_own_units(model.rules, unscaled)
    parts = model.parts_of(aligned(model.schema, trained.prepared(record)))
    return replace(explained, steps=tuple(model.steps_of(explained.parts, worded, parts)))


@_in_own_units.register
def _(
    model: LinearModel, _trained: TrainedClassifier, explained: Explanation, record: Dataset, unscaled: Unscaled
) -> Explanation:
    if not explained.reasons:
        return explained
    reasons = tuple(reason_in_own_units(reason, record, unscaled) for reason in explained.reasons)
    steps = model.steps_of(explained.decision, reasons, len(explained.parts))
    return replace(explained, reasons=reasons, steps=steps)


def ways_html(prediction: RecordPrediction, trained: TrainedClassifier, interest: str = "") -> str:
    """The record's path through the model as rich text; bars to the right speak for ``interest``."""
    tree = trained.structure()
    if prediction.reasons:
        return reasons_html(
            prediction.reasons,
            prediction.decision if prediction.itself < 0 else prediction.itself,
            trained.classes,
            interest,
        )
    if not isinstance(tree, Tree) or not prediction.ways:
        return "<br>".join(escape(typeset(step)) for step in prediction.steps)
    asked = {node for way in prediction.ways[:MOST_WAYS] for node in tree.path(way.leaf)}
    tree = tree_in_own_units(tree, unscaled_by(trained.recipe), nodes=asked)
    if len(prediction.ways) == 1:
        return "because " + escape(
            " and ".join(path_conditions(tree, prediction.ways[0].leaf, digits=ON_AN_EDGE)) or "it always does"
        )
    lines = [f"Divided among {len(prediction.ways)} leaves, since a value is missing:"]
    for way in prediction.ways[:MOST_WAYS]:
        label_there = trained.classes[int(tree.decision[way.leaf])]
        where = " and ".join(path_conditions(tree, way.leaf, digits=ON_AN_EDGE))
        lines.append(f"<b>{escape(percent(way.share))}</b> {escape(label_there)}: {escape(where)}")
    if len(prediction.ways) > MOST_WAYS:
        rest = sum(way.share for way in prediction.ways[MOST_WAYS:])
        lines.append(f"{escape(percent(rest))} in {len(prediction.ways) - MOST_WAYS} more")
    return "<br>".join(lines)


def decided_words(prediction: RecordPrediction, trained: TrainedClassifier) -> str:
    """The decision rule and the model's own prediction, if a rule decides."""
    if prediction.itself < 0:
        return ""
    same = "the same" if prediction.itself == prediction.decision else trained.classes[prediction.itself]
    return f" As you have it decide in Evaluate, it {prediction.by}; the model itself says {same}."


def flip_wordings(schema: Schema, flip: DecisionFlip, now: Value, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Texts, each shorter, of the change from ``now`` that makes the model predict another class."""
    was, then = value_words(schema, flip.attribute, now), value_words(schema, flip.attribute, flip.value)
    name, label = schema.attributes[flip.attribute].name, classes[flip.decision]
    whole = f"The smallest change that flips it: {name} from {was} to {then}, then {label}."
    briefly = (f"With {name} {then} instead of {was} it says {label}", f"With {name} {then} it says {label}")
    names = (*schema.names, *classes)
    return (whole, *briefly, *(in_brief(words, names, most) for most in BRIEF_NAMES for words in (whole, *briefly)))


def value_words(schema: Schema, attribute: int, value: Value) -> str:
    """A value as text; "missing" if it is."""
    described = schema.attributes[attribute]
    if value != value or (described.kind.is_coded and value < 0):
        return "missing"
    return described.values[int(value)] if described.kind.is_coded else number(float(value))
