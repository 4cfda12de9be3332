"""Whose search for rules can be followed step by step."""

from __future__ import annotations

from typing import Final

from algorithms.core.by_hand import EditedByHand
from algorithms.core.learner import Learner

FOLLOWED: Final = ("ripper", "sequential-covering", "c4.5-rules")


def can_be_followed(learner: Learner) -> bool:
    """Whether :func:`algorithms.rules.steps.story` tells how this learner finds its rules."""
    base = learner.grower if isinstance(learner, EditedByHand) else learner
    return base.id in FOLLOWED
