"""How fast all runs follow other costs: ``python -m tests.benchmarks.cost_board [records] [runs]``.

Prints the median and the longest time in which so many runs of so many tested records are decided anew by expected
cost, with two, three and seven classes, beside the same by whole arrays.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import replace

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.record_costs import RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.cost_workings import CostEvaluation, standings
from algorithms.evaluation.costs.decision_rules import by_expected_cost
from algorithms.evaluation.curves.roc import ORDER
from algorithms.evaluation.measures.metrics import confusion
from tests.algorithms.evaluation.results import random_result
from tests.benchmarks.threshold import milliseconds

CHANGES = 15
LIMIT_MS = 50


def show(m: int, n_runs: int, k: int) -> None:
    """Measure ``n_runs`` results of ``m`` records and ``k`` classes."""
    first = random_result(m, k, digits=None)
    results = [first, *(replace(first, probabilities=first.probabilities.copy()) for _ in range(n_runs - 1))]
    own = confusion(first)
    random = np.random.default_rng(0)

    def change() -> None:
        costs = random.integers(1, 100, (k, k)) * (1.0 - np.eye(k))
        standings([CostEvaluation(result, own, RecordCosts(costs)) for result in results])

    change()
    times = [milliseconds(change) for _ in range(CHANGES)]
    plain = milliseconds(lambda: [by_expected_cost(result, 1.0 - np.eye(k)) for result in results])
    print(
        f"{n_runs} runs of {m:,} records, {k} classes: median {statistics.median(times):.1f} ms, longest "
        f"{max(times):.1f} ms (limit {LIMIT_MS}); by whole arrays {plain:.0f} ms"
    )


def main() -> None:
    m, n_runs = (int(given) for given in (sys.argv[1:] + ["100000", "20"][len(sys.argv) - 1 :])[:2])
    ensure_compiled((ORDER,), RunContext())
    for k in (2, 3, 7):
        show(m, n_runs, k)


if __name__ == "__main__":
    main()
