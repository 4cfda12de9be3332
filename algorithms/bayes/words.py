"""What naive Bayes found, in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.conditionals import Conditionals, Form
from algorithms.preprocess.ranges import range_labels

ONLY_RANGE = "any number"
_BEYOND_TELLING = 999_500.0
_HARDLY = 1.05


def row_labels(held: Conditionals, place: int) -> tuple[str, ...]:
    """What the values or ranges of the attribute at this place are called."""
    attribute = held.schema.attributes[int(held.attribute[place])]
    if int(held.form[place]) == Form.VALUES:
        return attribute.values
    return range_labels(tuple(held.cuts_of(place).tolist())) or (ONLY_RANGE,)


def value_words(held: Conditionals, place: int, value: Any) -> str:
    """A known value of the attribute at this place, as it is written."""
    attribute = held.schema.attributes[int(held.attribute[place])]
    return attribute.values[int(value)] if attribute.kind.is_coded else f"{float(value):.6g}"


def times_words(log_odds: float) -> str:
    """How many times as likely something is, from the logarithm of that: as exactly as anyone would say it."""
    times = math.exp(min(abs(log_odds), 700.0))
    if times >= _BEYOND_TELLING:
        return "more than a million times"
    if times < _HARDLY:
        return "about"
    if times < 10:
        return f"{times:.2g} times"
    digits = max(0, int(math.log10(times)) - 1)
    return f"{round(times, -digits):,.0f} times"


def contribution_words(
    held: Conditionals, place: int, value: Any, logs: FloatArray, decision: int, other: int
) -> tuple[str, float]:
    """What a value says for one class against another, from its log likelihoods (k,), and how strongly."""
    name = held.schema.attributes[int(held.attribute[place])].name
    subject = f"{name} = {value_words(held, place, value)}"
    classes = held.schema.classes
    if decision == other:
        return f"{subject} is the only class's own", 0.0
    likely = [] if _is_density(held, place) else np.exp(logs[[decision, other]]).tolist()
    shown = f" ({' against '.join(f'{p:.1%}' for p in likely)})" if likely else ""
    ours, theirs = classes[decision], classes[other]
    difference = float(logs[decision] - logs[other]) if np.any(np.isfinite(logs[[decision, other]])) else 0.0
    if not math.isfinite(difference):
        winner, loser = (ours, theirs) if difference > 0 else (theirs, ours)
        return f"{subject} never comes with {loser}, only with {winner}{shown}", math.inf
    if abs(difference) < 1e-9:
        return f"{subject} is as likely in {ours} as in {theirs}{shown}", 0.0
    for_class, against = (ours, theirs) if difference > 0 else (theirs, ours)
    return f"{subject} is {times_words(difference)} as likely in {for_class} as in {against}{shown}", abs(difference)


def _is_density(held: Conditionals, place: int) -> bool:
    return int(held.form[place]) in (Form.NORMAL, Form.KERNELS)
