"""Which of many rules a classifier is made of: the surest first, each that is right about something left (CBA-CB, M1).

Source: Liu, Hsu and Ma, Integrating Classification and Association Rule Mining (1998), section 4.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.rules.class_associations import ClassRule, Items

Checkpoint = Callable[[], None]


def in_order(rules: list[ClassRule]) -> list[ClassRule]:
    """The surest first, then the most frequent, then the one that was found first."""
    return sorted(rules, key=lambda rule: (-round(rule.share, 9), -round(rule.support, 6)))


def covering(
    rules: list[ClassRule], items: Items, codes: IntArray, weights: FloatArray, k: int, checkpoint: Checkpoint
) -> tuple[list[ClassRule], int]:
    """The rules (in order) of the classifier and its default class.

    A rule is kept if it is right about a record that those before leave; all records that it covers are then taken
    away. After each rule kept the errors are those of the rules so far and of the heaviest class in what is left; the
    list ends where they are fewest.
    """
    rows = np.arange(len(codes))
    kept, wrong = list[ClassRule](), 0.0
    default, errors = _default(codes, weights, k)
    best, best_default, fewest = 0, default, errors
    for rule in in_order(rules):
        checkpoint()
        if len(rows) == 0:
            break
        covered = items.has[np.array(rule.items)][:, rows].all(axis=0)
        right = codes[rows] == rule.decision
        if not (covered & right).any():
            continue
        wrong += float(weights[rows[covered & ~right]].sum())
        rows = rows[~covered]
        kept.append(rule)
        default, errors = _default(codes[rows], weights[rows], k) if len(rows) else (default, 0.0)
        if wrong + errors < fewest - 1e-9:
            best, best_default, fewest = len(kept), default, wrong + errors
    return kept[:best], best_default


def _default(codes: IntArray, weights: FloatArray, k: int) -> tuple[int, float]:
    """The heaviest class of these records and the weight of the others."""
    counts = np.bincount(codes, weights, minlength=k)
    return int(np.argmax(counts)), float(counts.sum() - counts.max())
