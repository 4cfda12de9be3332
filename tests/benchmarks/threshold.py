"""How fast everything follows a threshold: ``python -m tests.benchmarks.threshold [records] [classes]``.

Prints, for scored records made by chance, how long the records take to be put in order (once, in the background), and
the median and the longest time of what is done at each step of the slider: matrix, measures, cost; then the same in the
Evaluate tab with all it shows. Run it under a display, or with QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import by_expected_cost, decided_otherwise
from algorithms.evaluation.curves.roc import ScoredClass
from algorithms.evaluation.measures.metrics import report
from tests.algorithms.evaluation.results import random_result

STEPS = 200
LIMIT_MS = 30


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def show(m: int, k: int, weighted: bool) -> None:
    """Measure one result of ``m`` records and ``k`` classes."""
    result = random_result(m, k, digits=None, weighted=weighted)
    own = report(result)
    costs = np.ones((k, k)) - np.eye(k)
    costs[-1] *= 10
    scored = ScoredClass.of(result, 0)
    in_order = statistics.median(milliseconds(lambda: ScoredClass.of(result, 0)) for _ in range(3))
    points, thinned = milliseconds(scored.points), milliseconds(scored.points().thinned)
    expected, cheapest = (
        milliseconds(lambda: by_expected_cost(result, costs)),
        milliseconds(lambda: scored.cheapest(costs)),
    )

    def step(threshold: float) -> float:
        matrix = scored.confusion(threshold)
        decided_otherwise(own, matrix)
        return float((matrix * costs).sum())

    steps = [milliseconds(lambda t=t: step(t)) for t in np.random.default_rng(0).random(STEPS).tolist()]
    print(f"{m:,} records, {k} classes, {'weighted' if weighted else 'each counts one'}")
    print(f"  once:      put in order {in_order:.0f} ms, points {points:.0f} ms, thinned {thinned:.0f} ms")
    print(f"  new costs: decided by expected cost {expected:.0f} ms, cheapest threshold {cheapest:.0f} ms")
    print(f"  each step: median {statistics.median(steps):.2f} ms, longest {max(steps):.2f} ms")


def own_milliseconds(work: Callable[[], object]) -> float:
    """What this thread itself works, however many others want the cores."""
    start = time.thread_time()
    work()
    return 1000 * (time.thread_time() - start)


def show_window(m: int, k: int) -> None:
    """Move the slider of the Evaluate tab by keys over ``m`` records, painting each time."""
    from PySide6.QtWidgets import QApplication

    from algorithms.catalogue import builtin
    from tests.workbench.window_helpers import small_data
    from workbench.session.runs import Run, RunState
    from workbench.session.session import Session
    from workbench.tabs.evaluate.tab import EvaluateTab

    app = QApplication.instance() or QApplication(sys.argv[:1])
    session = Session(builtin())
    result = random_result(m, k, digits=None)
    data = small_data(40, result.classes)
    session.set_document(data)
    session.set_costs(CostMatrix(result.classes, tuple(tuple(2.0 * (i > j) for j in range(k)) for i in range(k))))
    run = Run(1, result.learner, result.method, (), 1, "benchmark", data, RunState.DONE, result)
    run.report = report(result)
    tab = EvaluateTab(session)
    tab.resize(930, 580)
    tab.show()
    session.set_current_run(run)
    while session.jobs.running or tab.deciding.offer() is None:
        app.processEvents()

    def step(value: int) -> None:
        tab.curve.slider.setValue(value)
        tab.following.finish()
        app.processEvents()

    values = np.random.default_rng(0).integers(0, 1001, STEPS).tolist()
    for table in ("matrix and curve", "all metrics"):
        for what, clock in (("by the clock", milliseconds), ("the window's own work", own_milliseconds)):
            steps = [clock(lambda v=v: step(v)) for v in values]
            share = 100 * sum(each < LIMIT_MS for each in steps) / len(steps)
            print(
                f"{m:,} records, {k} classes, in the window with painting, {table}, {what}: "
                f"median {statistics.median(steps):.1f} ms, longest {max(steps):.1f} ms, "
                f"{share:.0f} in 100 below {LIMIT_MS} ms"
            )
        tab.all_metrics.setChecked(True)
    session.close()


def main() -> None:
    given = [int(word) for word in sys.argv[1:]]
    m, k = [*given, *[1_000_000, 2][len(given) :]][:2]
    for weighted in (False, True):
        show(m, k, weighted)
    show_window(m, k)


if __name__ == "__main__":
    main()
