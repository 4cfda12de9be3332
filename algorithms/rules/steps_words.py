"""The steps by which rules came about, in words and as rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.rule_set import Condition, Rule
from algorithms.core.schema import Schema
from algorithms.rules.hand_edits import asked_of
from algorithms.rules.steps import Compared, Phase, RuleStep, Story
from algorithms.rules.words import weight_words

_TITLES: Final[Mapping[Phase, str]] = {
    Phase.REPLACE: "Put a shorter description in its place",
    Phase.WAY: "A way of the tree",
    Phase.CANDIDATE: "A rule to choose from",
    Phase.TWIN: "The same as a rule before",
    Phase.WORSE: "Drop it: no better than guessing",
    Phase.HARM: "Leave out what does harm",
    Phase.END: "All rules",
}
_TOLD: Final[Mapping[Phase, str]] = {
    Phase.WAY: "A leaf of the tree is reached so: {rule}. It covers {of_them}.",
    Phase.SPARE: "Shorter: {rule}. It covers {of_them}.",
    Phase.CANDIDATE: "No other condition can be spared: {rule}. It covers {of_them}.",
    Phase.TWIN: "Another way of the tree has become the same rule: {rule}. It is kept once.",
    Phase.WORSE: "On new records it is expected to err as often as a guess would: {rule}. It covers {of_them}.",
    Phase.HARM: "Without it the list is right about more of the records: {rule}. It covers {of_them}.",
}


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
    if step.phase is Phase.CHOOSE:
        n = sum(each.is_kept for each in step.compared)
        return f"Choose for {label}: {n} of {len(step.compared)} rule{'' if len(step.compared) == 1 else 's'}"
    if step.phase is Phase.SPARE and step.before is not None:
        gone = [c for c in step.before.conditions if c not in step.rule.conditions]
        return f"Leave out {condition_said(schema, gone[0])}" if gone else "Leave out a condition"
    return _TITLES[step.phase]


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
    if step.phase in _TOLD:
        return _TOLD[step.phase].format(rule=rule, of_them=of_them.replace(" of those left", "")) + _why(step)
    if step.phase is Phase.CHOOSE:
        kept = sum(each.is_kept for each in step.compared)
        one = len(step.compared) == 1
        return (
            f"There {'is 1 rule' if one else f'are {len(step.compared)} rules'} for {label} to choose from. Kept "
            f"{'is' if kept == 1 else 'are'} {kept}: so the rules and what they get wrong take the fewest bits to "
            f"tell, {step.bits or 0.0:.1f}. Of two classes whose rules fire, the one told in fewer bits comes first."
        )
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


def _compared(schema: Schema, each: Compared) -> list[str]:
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
    if step.phase is Phase.KEEP:
        return f" The description has {step.bits:.1f} bits with it; the shortest so far has {step.fewest:.1f}."
    return f" With it the description would have {step.bits:.1f} bits; the shortest so far has {step.fewest:.1f}."


def _records(weight: float) -> str:
    return f"{weight_words(weight)} record{'' if weight == 1 else 's'}"
