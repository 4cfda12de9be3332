"""What the next run is set to, as a text that a project keeps with the place in the window."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from algorithms.core.configuring import from_json
from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner
from algorithms.core.params import Parameter, ParameterKind
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method

PLACE: Final = "next_run"
"""Its name in the session's place."""
LIMIT: Final = Parameter(
    name="time_limit",
    kind=ParameterKind.INTEGER,
    default=None,
    label="Time limit a learner (Try several)",
    help="After so many seconds a learner of Try several is stopped and listed so, and the next one has its turn.",
    lo=1,
    hi=86_400,
    optional=True,
    unit="s",
)
"""How long a learner of a comparison may work, in seconds."""


@dataclass(frozen=True)
class NextRun:
    """What the next run is set to; ``time_limit`` in seconds, None for none, is that of a comparison's learners."""

    learner: Learner
    method: Method
    seed: int
    time_limit: int | None = None

    def to_text(self) -> str:
        """As JSON in one line."""
        values = {"learner": self.learner.to_json(), "method": self.method.to_json(), "seed": self.seed}
        return json.dumps({**values, LIMIT.name: self.time_limit}, sort_keys=True)


def next_run_from(text: object, registry: Registry) -> NextRun | None:
    """What :meth:`NextRun.to_text` wrote; None where the text is no such thing, or names what there is no more."""
    if not isinstance(text, str):
        return None
    try:
        values = json.loads(text)
        learner, method = (from_json(values[name], registry.resolve) for name in ("learner", "method"))
        seed, limit = values["seed"], LIMIT.validated(values.get(LIMIT.name))
    except (ValueError, KeyError, TypeError, RecursionError, CoppiceError):
        return None
    if not (isinstance(learner, Learner) and isinstance(method, Method) and type(seed) is int):
        return None
    return NextRun(learner, method, seed, limit)
