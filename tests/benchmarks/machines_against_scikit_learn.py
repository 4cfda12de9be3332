"""Support vector machines beside those of scikit-learn, on one thread.

``python -m tests.benchmarks.machines_against_scikit_learn [records ...]``
Two overlapping clouds of 20 numbers: with a Gaussian kernel 10,000 and 20,000 records beside SVC (LIBSVM), at the same
cost, gamma, tolerance and memory for the kernel; straight boundaries of 100,000 beside LinearSVC (LIBLINEAR). Prints
the median seconds of learning and their ratio.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.svm.support_vector_machine import LinearSupportVectorMachine, SupportVectorMachine

NUMBERS = 20
LEAST = {10_000: 2.5, 20_000: 2.5, 100_000: 1.0}
MEMORY = 500.0


def clouds(n: int, seed: int = 0) -> tuple[Dataset, FloatArray, FloatArray]:
    """Two clouds as a table, as rows (n, 20) of unit deviations, and their sides (n,)."""
    random = np.random.default_rng(seed)
    y = np.where(random.random(n) < 0.5, 1.0, -1.0)
    table = random.normal(size=(n, NUMBERS)) + 0.35 * y[:, None]
    table[:, 0] += np.sin(3 * table[:, 1])
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    attributes = (*(numeric(f"x{i}") for i in range(NUMBERS)), nominal("y", ["a", "b"]))
    codes = (y < 0).astype(np.int64)
    return Dataset(Schema(attributes, NUMBERS), [*table.T.copy(), codes]), table, y


def seconds(act: Callable[[], object]) -> float:
    begun = perf_counter()
    act()
    return perf_counter() - begun


def beside(n: int, rounds: int) -> tuple[float, float]:
    """Median seconds of ours and theirs for so many records, in turn."""
    data, x, y = clouds(n)
    if n < 100_000:
        ours: Learner = SupportVectorMachine(c=1.0, gamma=1 / NUMBERS, cache=MEMORY)
        theirs = SVC(C=1.0, gamma=1 / NUMBERS, cache_size=MEMORY)
    else:
        ours = LinearSupportVectorMachine(c=1.0)
        theirs = LinearSVC(C=1.0, dual="auto")
    found: list[tuple[float, float]] = []
    for _ in range(rounds):
        mine = seconds(lambda: ours.fit(data, RunContext(seed=1)))
        found.append((mine, seconds(lambda: theirs.fit(x, y))))
    return median(each[0] for each in found), median(each[1] for each in found)


def main(sizes: list[int], rounds: int) -> int:
    """Print the table; 1 where a bound is not kept."""
    kept = True
    SupportVectorMachine(c=1.0).fit(clouds(4000)[0], RunContext(seed=1))
    print("records    ours  theirs   ratio")
    with threadpool_limits(limits=1):
        for n in sizes:
            ours, theirs = beside(n, rounds)
            kept = kept and theirs / ours >= LEAST[n]
            print(f"{n:8,d} {ours:6.2f} {theirs:6.2f}  {theirs / ours:6.2f}  (at least {LEAST[n]})", flush=True)
    return 0 if kept else 1


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    sys.exit(main(given or list(LEAST), 3))
