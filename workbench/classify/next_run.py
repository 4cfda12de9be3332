"""The learner, method and seed set for the next run, as a text that a project keeps with the place in the window."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from algorithms.core.configuring import from_json
from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method

PLACE: Final = "next_run"
"""Its name in the session's place."""


@dataclass(frozen=True)
class NextRun:
    """What the next run is set to."""

    learner: Learner
    method: Method
    seed: int

    def to_text(self) -> str:
        """As JSON in one line."""
        values = {"learner": self.learner.to_json(), "method": self.method.to_json(), "seed": self.seed}
        return json.dumps(values, sort_keys=True)


def next_run_from(text: object, registry: Registry) -> NextRun | None:
    """What :meth:`NextRun.to_text` wrote; None where the text is no such thing, or names what there is no more."""
    if not isinstance(text, str):
        return None
    try:
        values = json.loads(text)
        learner, method = (from_json(values[name], registry.resolve) for name in ("learner", "method"))
        seed = values["seed"]
    except (ValueError, KeyError, TypeError, RecursionError, CoppiceError):
        return None
    if not (isinstance(learner, Learner) and isinstance(method, Method) and type(seed) is int):
        return None
    return NextRun(learner, method, seed)
