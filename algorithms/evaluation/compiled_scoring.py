"""Choice of the kernels for many records: they are taken where they are compiled, else whole arrays are."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Final

ORDER: Final = "algorithms.evaluation.order_kernels"
DECISIONS: Final = "algorithms.evaluation.decision_kernels"
MANY: Final = 50_000
"""From so many records on the loops are loaded: they take a third of a second, once, and then a fifth of the time."""


def loops_for(n: int, module: str = ORDER) -> ModuleType | None:
    """The kernels for so many records; None where there are few, or where they are not compiled yet.

    Never compiles: what is shown of a run waits for nothing. Both ways give the same numbers.
    """
    from algorithms.compiled.ahead_of_time import kernels_ready

    if n < MANY or not kernels_ready((module,)):
        return None
    return import_module(module)
