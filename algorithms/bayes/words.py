"""What naive Bayes found, in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.conditionals import Conditionals, Form
from algorithms.preprocess.ranges import range_labels

ONLY_RANGE = "any number"


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


def contribution_words(
    held: Conditionals, place: int, value: Any, logs: FloatArray, decision: int, other: int
) -> tuple[str, float]:
    """What a value says for one class against another, from its log likelihoods (k,), and how strongly."""
    name = held.schema.attributes[int(held.attribute[place])].name
    subject = f"{name} = {value_words(held, place, value)}"
    classes = held.schema.classes
    if decision == other:
        return f"{subject} is the only class's own", 0.0
    likely = np.exp(logs[[decision, other]])
    shown = " against ".join(_probability(float(p), _is_density(held, place)) for p in likely)
    ours, theirs = classes[decision], classes[other]
    difference = float(logs[decision] - logs[other]) if np.any(np.isfinite(logs[[decision, other]])) else 0.0
    if not math.isfinite(difference):
        winner, loser = (ours, theirs) if difference > 0 else (theirs, ours)
        return f"{subject} never comes with {loser}, only with {winner} ({shown})", math.inf
    if abs(difference) < 1e-9:
        return f"{subject} is as likely in {ours} as in {theirs} ({shown})", 0.0
    for_class, against = (ours, theirs) if difference > 0 else (theirs, ours)
    times = math.exp(min(abs(difference), 700.0))
    return f"{subject} is {times:.3g} times as likely in {for_class} as in {against} ({shown})", abs(difference)


def _is_density(held: Conditionals, place: int) -> bool:
    return int(held.form[place]) in (Form.NORMAL, Form.KERNELS)


def _probability(p: float, is_density: bool) -> str:
    return f"density {p:.3g}" if is_density else f"{p:.1%}"
