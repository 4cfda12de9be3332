"""How often the 95% interval of an accuracy holds what it is taken for, as measured over generated problems.

``python -m tests.benchmarks.interval_coverage`` measured it; ``resources/docs/coverage.md`` has the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from algorithms.core.resampling import Method
from algorithms.evaluation.methods_by_column import ByGroup
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True)
class Coverage:
    """Of 100 intervals, how many hold the accuracy of the model made of all records, and that of the way of learning
    (the mean over the models of the folds)."""

    model: int
    learning: int


MUCH_TOO_FEW: Final = 80
ONE_PART: Final = Coverage(96, 96)
"""Records held out once: the model is the one that was tested."""
MEASURED: Final[Mapping[str, Coverage]] = {
    "cross-validation": Coverage(89, 92),
    "repeated-cross-validation": Coverage(93, 95),
    "repeated-holdout": Coverage(93, 96),
    "leave-one-out": Coverage(83, 84),
    "group-cross-validation": Coverage(83, 85),
    "complete-cross-validation": Coverage(89, 91),
    "bootstrap-632": Coverage(60, 52),
    "bootstrap-632-plus": Coverage(87, 82),
}


def coverage_of(method: Method) -> Coverage | None:
    """What was measured for a method that tests several models; None where nothing was."""
    is_repeated = method.id == "cross-validation" and method.values()["repeats"] > 1
    return MEASURED.get("repeated-cross-validation" if is_repeated else method.id)


def narrowness(result: EvaluationResult) -> str:
    """Why the interval of this result is narrower than it looks, in a sentence; empty where it is not.

    One part of its own is tested by one model: that interval holds what it says. Where several models were tested on
    records that trained the others, the interval takes their tests for independent, and the model that is used was
    tested by none.
    """
    if result.test_is_training or result.n_judged < 2:
        return ""
    measured = coverage_of(result.method)
    much = "much too" if measured is not None and measured.model < MUCH_TOO_FEW else "a little"
    alike = " and records of a group are alike" if isinstance(result.method, ByGroup) else ""
    why = f"The range is {much} narrow, since its tests share training records{alike}"
    if measured is None:
        return f"{why}."
    return f"{why}: in trials such ranges held the true value {measured.model} times in 100, not 95."
