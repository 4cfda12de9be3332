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


ONE_PART: Final = Coverage(96, 96)
"""Records held out once: the model is the one that was tested."""
BY_FOLDS: Final[Mapping[int, Coverage]] = {
    2: Coverage(88, 95),
    3: Coverage(88, 96),
    5: Coverage(89, 93),
    10: Coverage(89, 92),
}
"""Of cross-validation once over, by its number of folds."""
MEASURED: Final[Mapping[str, tuple[Mapping[str, object], Coverage]]] = {
    "cross-validation": ({"folds": 10, "repeats": 3}, Coverage(93, 95)),
    "repeated-holdout": ({"percent": 66.0, "repeats": 10}, Coverage(93, 96)),
    "leave-one-out": ({}, Coverage(83, 84)),
    "group-cross-validation": ({"folds": 10, "repeats": 1}, Coverage(83, 85)),
    "complete-cross-validation": ({"size": 2}, Coverage(89, 91)),
    "bootstrap-632": ({"samples": 30}, Coverage(60, 52)),
    "bootstrap-632-plus": ({"samples": 30}, Coverage(87, 82)),
}
"""By the method's id: with which settings it was measured, and what was found. The samples are the fewest: of more the
mean is all but the same."""
MUCH_TOO_NARROW: Final = frozenset({"bootstrap-632"})
"""Methods whose interval is so with any settings: the estimate is beside the truth."""


def coverage_of(method: Method) -> Coverage | None:
    """What was measured for a method that tests several models; None where it was not, with these very settings."""
    values = method.values()
    if method.id == "cross-validation" and values["repeats"] == 1:
        return BY_FOLDS.get(values["folds"])
    settings, measured = MEASURED.get(method.id, ({}, None))
    fits = all(
        values[name] >= least if name == "samples" else values[name] == least for name, least in settings.items()
    )
    return measured if fits else None


def narrowness(result: EvaluationResult) -> str:
    """Why the interval of this result is narrower than it looks, in a sentence; empty where it is not.

    One part of its own is tested by one model: that interval holds what it says. Where several models were tested on
    records that trained the others, the interval takes their tests for independent, and the model that is used was
    tested by none.
    """
    if result.test_is_training or result.n_judged < 2:
        return ""
    measured = coverage_of(result.method)
    much = "much too" if result.method.id in MUCH_TOO_NARROW else "a little"
    alike = " and records of a group are alike" if isinstance(result.method, ByGroup) else ""
    why = f"The range is {much} narrow, since its tests share training records{alike}"
    if measured is None:
        return f"{why}."
    return f"{why}: in trials such ranges held the true value {measured.model} times in 100, not 95."
