"""The steps by which rules came about, in words and as rows."""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.rule_set import Condition, Rule
from algorithms.core.schema import Schema
from algorithms.rules.hand_edits import asked_of
from algorithms.rules.steps import Phase, RuleStep, Story
from algorithms.rules.words import weight_words


def condition_said(schema: Schema, condition: Condition) -> str:
    """A condition in words."""
    return asked_of(schema, condition).words()


def rule_said(schema: Schema, rule: Rule) -> str:
    """A whole rule in words."""
    where = " and ".join(condition_said(schema, condition) for condition in rule.conditions)
    label = schema.classes[rule.decision]
    return f"if {where} then {label}" if where else f"always {label}"


def weights_of(story: Story, rows: IntArray) -> FloatArray:
    """The weight of some records by class (k,)."""
    weights = None if story.data.weights is None else np.asarray(story.data.weights)[rows]
    codes = np.asarray(story.data.class_codes)[rows]
    return np.bincount(codes, weights, minlength=len(story.data.schema.classes)).astype(np.float64)


def title(story: Story, at: int) -> str:
    """A step in a few words."""
    step, schema = story.steps[at], story.data.schema
    label = schema.classes[step.target]
    if step.phase is Phase.BEGIN:
        return f"Rules for {label}"
    if step.phase is Phase.GROW:
        return f"Add {condition_said(schema, step.rule.conditions[-1])}" if step.rule.conditions else "Begin"
    if step.phase is Phase.PRUNE:
        n = 0 if step.before is None else len(step.before.conditions) - len(step.rule.conditions)
        if n == 0:
            is_same = step.before is None or step.before.conditions == step.rule.conditions
            return "Nothing to cut back" if is_same else "Cut back: a range is wider"
        return f"Cut back: {n} condition{'' if n == 1 else 's'} less"
    if step.phase is Phase.KEEP:
        return f"Keep it: rule {len(step.rules)}"
    if step.phase is Phase.DROP:
        return f"Drop it: no more for {label}" if step.bits is not None or not step.rule.conditions else "Drop a rule"
    return "Put a shorter description in its place" if step.phase is Phase.REPLACE else "All rules"


def sentence(story: Story, at: int) -> str:
    """What happens in a step, with its numbers."""
    step, schema = story.steps[at], story.data.schema
    label = schema.classes[step.target]
    counts = weights_of(story, step.covered)
    covered, right = float(counts.sum()), float(counts[step.target])
    of_them = f"{_records(covered)} of those left, {weight_words(right)} of them {label}"
    rule = rule_said(schema, step.rule)
    if step.phase is Phase.BEGIN:
        left = weights_of(story, step.left)
        return (
            f"Of {_records(float(left.sum()))} that are left, {weight_words(float(left[step.target]))} are {label}. "
            f"Rules are looked for that tell them from the others."
        )
    if step.phase is Phase.GROW:
        return f"The rule is now: {rule}. It covers {of_them}. By {story.measure} no other condition is worth more."
    if step.phase is Phase.PRUNE:
        before = "" if step.before is None else rule_said(schema, step.before)
        if step.before is not None and step.before.conditions == step.rule.conditions:
            return f"{story.cutting} nothing shorter does better, so it stays: {rule}."
        return f"It was: {before}. {story.cutting} this shorter one does best: {rule}."
    if step.phase is Phase.KEEP:
        return f"Kept: {rule}. It covers {of_them}; {'they are' if covered != 1 else 'it is'} removed.{_bits(step)}"
    if step.phase is Phase.DROP:
        if not step.rule.conditions:
            return f"No rule for {label} is better than guessing. The default rule decides what is left."
        why = "" if step.bits is not None else " Without it the description is shorter."
        return f"Not kept: {rule}. It covers {of_them}.{why}{_bits(step)}"
    if step.phase is Phase.REPLACE:
        before = "" if step.before is None else rule_said(schema, step.before)
        return f"It was: {before}. With this one the description of all rules is shorter: {rule}."
    n = len(step.rules)
    return f"These are the {n} rules of the run. What none of them covers, {_records(covered)}, is {label}."


def rows(story: Story) -> list[list[str]]:
    """All steps as rows of text, the head first."""
    found = [["step", "what", "rule", "covers", "right", "left before", "bits", "fewest bits"]]
    for at, step in enumerate(story.steps):
        counts = weights_of(story, step.covered)
        bits = ["" if value is None else f"{value:.6g}" for value in (step.bits, step.fewest)]
        numbers = [f"{float(counts.sum()):.12g}", f"{float(counts[step.target]):.12g}"]
        left = f"{float(weights_of(story, step.left).sum()):.12g}"
        found.append([str(at + 1), title(story, at), rule_said(story.data.schema, step.rule), *numbers, left, *bits])
    return found


def weighed_rows(story: Story, at: int) -> list[list[str]]:
    """The conditions that were weighed in a step as rows of text, the head first."""
    schema = story.data.schema
    found = [["condition", story.measure, "right", "covers"]]
    for each in story.steps[at].weighed:
        said = condition_said(schema, each.condition)
        numbers = [f"{each.worth:.4g}", weight_words(each.right), weight_words(each.covered)]
        found.append([f"{'▸ ' if each.is_chosen else ''}{said}", *numbers])
    return found


def _bits(step: RuleStep) -> str:
    if step.bits is None or step.fewest is None:
        return ""
    if step.phase is Phase.KEEP:
        return f" The description has {step.bits:.1f} bits with it; the shortest so far has {step.fewest:.1f}."
    return f" With it the description would have {step.bits:.1f} bits; the shortest so far has {step.fewest:.1f}."


def _records(weight: float) -> str:
    return f"{weight_words(weight)} record{'' if weight == 1 else 's'}"
