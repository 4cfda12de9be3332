"""How long C4.5 takes with pruning beside its unpruned growth: ``python -m tests.benchmarks.tree_pruning``.

Runs with and without are interleaved, in one thread; medians of the processor's times are compared. The first fit of a
table, which sorts its columns, is not timed.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np
from sklearn.datasets import make_classification

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.c45 import C45

REPEATS = 5
AT_MOST = 1.5
"""With pruning and raising it may take so many times as long as without."""

METHODS = {
    "raising": C45(),
    "no raising": C45(raising=False),
    "normal bound": C45(bound="normal"),
    "minimum error": C45(pruning="minimum-error", with_raising=True),
    "description": C45(pruning="description-length", with_raising=True),
}


def numbers(n: int, *, missing: float = 0.0, noise: float = 0.1) -> Dataset:
    """20 numeric attributes of which 10 tell something, and wrong classes."""
    x, y = make_classification(n_samples=n, n_features=20, n_informative=10, n_classes=3, flip_y=noise, random_state=0)
    x[np.random.default_rng(0).random(x.shape) < missing] = np.nan
    schema = Schema((*(numeric(f"x{i}") for i in range(20)), nominal("class", "abc")), 20)
    return Dataset(schema, [*x.T, y])


def lists(n: int) -> Dataset:
    """12 attributes of 6 values each and a class that hangs on four of them, one time in five by chance."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 6, (12, n))
    y = np.where(random.random(n) < 0.2, random.integers(0, 3, n), (codes[0] + codes[1] * codes[2] + codes[3]) % 3)
    schema = Schema((*(nominal(f"v{i}", "pqrstu") for i in range(12)), nominal("class", "abc")), 12)
    return Dataset(schema, [*codes, y])


def weighted(data: Dataset) -> Dataset:
    return data.with_weights(np.random.default_rng(1).random(len(data)) + 0.5)


def people(n: int) -> Dataset:
    """8 lists of 2 to 41 values and 5 numbers of few different values, as in a census, and two classes."""
    random = np.random.default_rng(0)
    sizes = (8, 16, 7, 14, 6, 5, 2, 41)
    codes = [np.minimum(random.exponential(size / 4, n).astype(int), size - 1) for size in sizes]
    age, hours = np.round(random.normal(40, 13, n)), random.integers(1, 99, n).astype(float)
    schooling, weight = random.integers(1, 16, n).astype(float), random.integers(12_000, 1_000_000, n).astype(float)
    gain = np.where(random.random(n) < 0.9, 0, random.integers(100, 90_000, n)).astype(float)
    told = 0.05 * (age - 40) + 0.4 * (schooling - 8) + (codes[1] % 3 == 0) + (codes[5] == 1)
    y = (told + 1.2 * random.logistic(size=n) > 2.5).astype(int)
    lists_of = [nominal(f"v{i}", [f"q{j}" for j in range(size)]) for i, size in enumerate(sizes)]
    names = ("age", "weight", "schooling", "gain", "hours")
    schema = Schema((*lists_of, *(numeric(name) for name in names), nominal("class", "ab")), 13)
    return Dataset(schema, [*codes, age, weight, schooling, gain, hours, y])


def seconds(learner: C45, data: Dataset) -> float:
    started = time.process_time()
    learner.fit(data, RunContext(seed=1))
    return time.process_time() - started


def main() -> int:
    """Print the ratios; 1 where C4.5 as it comes takes more than :data:`AT_MOST` times its unpruned growth."""
    tables = {
        "20,000 numbers": numbers(20_000),
        "20,000 of much noise": numbers(20_000, noise=0.4),
        "100,000 numbers": numbers(100_000),
        "100,000 of much noise": numbers(100_000, noise=0.5),
        "20,000 with missing": numbers(20_000, missing=0.02),
        "20,000 with weights": weighted(numbers(20_000, noise=0.2)),
        "30,000 people": people(30_000),
        "100,000 of lists": lists(100_000),
    }
    slowest = 0.0
    bare = C45(pruning="none")
    for name, data in tables.items():
        for learner in (bare, *METHODS.values()):
            seconds(learner, data)
        times = [(seconds(bare, data), *(seconds(m, data) for m in METHODS.values())) for _ in range(REPEATS)]
        medians = [statistics.median(column) for column in zip(*times, strict=True)]
        ratios = [m / medians[0] for m in medians[1:]]
        slowest = max(slowest, ratios[0])
        said = ", ".join(f"{method} {ratio:.2f}" for method, ratio in zip(METHODS, ratios, strict=True))
        print(f"{name:22s} {medians[0]:7.3f} s unpruned; times as long with: {said}", flush=True)
    return 0 if slowest <= AT_MOST else 1


if __name__ == "__main__":
    sys.exit(main())
