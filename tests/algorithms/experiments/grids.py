"""Small experiments, and what is in their files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from algorithms.catalogue import builtin
from algorithms.core.parameters import configured
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.experiments.experiment import Experiment, ExperimentData
from algorithms.experiments.experiment_file import CellState, ExperimentFile
from algorithms.experiments.running import read_declared, run_experiment

THREE_SETS = ("sample:iris", "sample:wine", "sample:vertebrates")
THREE_LEARNERS = ("c4.5", "naive-bayes", "zero-r")


def learner(id: str, registry: Registry | None = None, **values: str) -> Any:
    registry = registry or builtin()
    return configured(registry.learners.get(id), values, registry.resolve)


def grid(
    data: Sequence[str] = THREE_SETS,
    learners: Sequence[str] = THREE_LEARNERS,
    registry: Registry | None = None,
    **more: Any,
) -> Experiment:
    registry = registry or builtin()
    method = configured(registry.methods.get("cross-validation"), {"folds": "3"}, registry.resolve)
    more = {"methods": (method,), **more}
    return Experiment(tuple(map(ExperimentData, data)), tuple(learner(id, registry) for id in learners), **more)


def run_all(
    file: ExperimentFile,
    registry: Registry | None = None,
    listener: Callable[[Any], object] | None = None,
    threads: int = 2,
    **more: Any,
) -> RunContext:
    """Run what waits; the context of the run."""
    with thread_pool(threads) as pool:
        context = RunContext(executor=pool, listener=listener)
        run_experiment(file, context, read_declared(registry or builtin(), file.folder), **more)
    return context


def numbers(file: ExperimentFile) -> dict[str, tuple[Any, ...]]:
    """All that must be the same, however often an experiment was interrupted: neither seconds nor the clock."""
    found = {}
    for key, record in file.records().items():
        result = None
        if record.state is CellState.DONE:
            tested = file.result(record.cell)
            result = tested.row_ids.tobytes(), tested.decision.tobytes(), tested.probabilities.tobytes()
        found[key] = (record.state, dict(record.measures), dict(record.facts), record.message, result)
    return found
