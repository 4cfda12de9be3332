"""How long logistic regression learns beside scikit-learn's: ``python -m tests.benchmarks.logistic_fit [--records N]``.

Both learn from the same 20 standardised numbers, with the same ridge, in one thread, in turn; the processor's time
counts and medians are compared. Scikit-learn's solvers stop by a tolerance: each is given the widest of a few at which
its coefficients are within :data:`ALIKE` of the exact ones, so that both answer the same. Wanted: at least as fast as
the fastest of them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression as Theirs
from threadpoolctl import threadpool_limits

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.linear.model import LinearModel

FASTER = 1.0
REPEATS = 3
ALIKE = 1e-4
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
SOLVERS = ("lbfgs", "newton-cholesky")


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def table(n: int, k: int) -> tuple[Dataset, np.ndarray, np.ndarray]:
    """Records of 20 standardised numbers and k classes, as a data set and as arrays."""
    x, y = make_classification(n, 20, n_informative=10, n_classes=k, flip_y=0.1, random_state=0)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    schema = Schema((*(numeric(f"x{i}") for i in range(20)), nominal("y", [str(c) for c in range(k)])), 20)
    return Dataset(schema, [*(np.ascontiguousarray(column) for column in x.T), y]), x, y


def ours(data: Dataset) -> np.ndarray:
    """The coefficients (rows, 20) in the arrangement of scikit-learn."""
    model = LogisticRegression(strength=1.0).fit(data, RunContext())
    assert isinstance(model, LinearModel)
    weight = model.planes.weight.T
    return weight if len(weight) > 2 else weight[1:] - weight[:1]


def widest(x: np.ndarray, y: np.ndarray, solver: str, exact: np.ndarray) -> float:
    """The widest tolerance at which a solver's coefficients are right."""
    for tolerance in TOLERANCES:
        found = Theirs(C=1.0, tol=tolerance, solver=solver, max_iter=10_000).fit(x, y).coef_
        if np.abs(found - exact).max() < ALIKE:
            return tolerance
    return TOLERANCES[-1]


def compared(n: int, k: int) -> bool:
    """Print the times for k classes; whether the bound is kept."""
    data, x, y = table(n, k)
    exact = ours(data)
    settings = [(solver, widest(x, y, solver, exact)) for solver in SOLVERS]
    own, others = [], [list[float]() for _ in settings]
    for _ in range(REPEATS):
        own.append(seconds(lambda: ours(data)))
        for times, (solver, tolerance) in zip(others, settings, strict=True):
            learner = Theirs(C=1.0, tol=tolerance, solver=solver, max_iter=10_000)
            times.append(seconds(lambda learner=learner: learner.fit(x, y)))
    mine = statistics.median(own)
    print(f"{n:,} x 20, {k} classes: ours {mine:.2f} s")
    best = np.inf
    for times, (solver, tolerance) in zip(others, settings, strict=True):
        theirs = statistics.median(times)
        best = min(best, theirs)
        print(f"  {solver} at {tolerance:g}: {theirs:.2f} s; ours is {theirs / mine:.2f} times as fast")
    return best >= FASTER * mine


def main() -> int:
    """Print all; 1 where a bound is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 3])
    given = parser.parse_args()
    with threadpool_limits(limits=1):
        kept = [compared(given.records, k) for k in given.classes]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
