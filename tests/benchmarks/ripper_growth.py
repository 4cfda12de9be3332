"""RIPPER's time as a multiple of the yardstick's for one tree, in one thread, the encoding of the table included.

``python -m tests.benchmarks.ripper_growth [--large]``: 20 numeric attributes, 3 classes. Runs of both are interleaved;
medians are compared. Then one concept of a few rules at growing numbers of records, each time against the one before.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.learner import Model
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.rules.ripper import Ripper

ATTRIBUTES = 20
CLASSES = ("a", "b", "c")


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor, which other programs do not lengthen."""
    started = time.process_time()
    work()
    return time.process_time() - started


def table(x: np.ndarray, y: np.ndarray) -> Dataset:
    schema = Schema((*(numeric(f"x{i}") for i in range(ATTRIBUTES)), nominal("class", CLASSES)), ATTRIBUTES)
    return Dataset(schema, [*x.T, y])


def fitted(x: np.ndarray, y: np.ndarray) -> Model:
    return Ripper().fit(table(x, y), RunContext(seed=1))


def against_a_tree(n: int, repeats: int) -> None:
    x, y = make_classification(
        n_samples=n, n_features=ATTRIBUTES, n_informative=10, n_classes=len(CLASSES), random_state=0
    )
    yardstick = DecisionTreeClassifier(random_state=0)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        times[0].append(timed(lambda: fitted(x, y)))
        times[1].append(timed(lambda: yardstick.fit(x, y)))
    mine, theirs = (statistics.median(t) for t in times)
    facts = fitted(x, y).facts()
    print(f"{n:>9,} records: {mine:8.3f} s against {theirs:8.3f} s, {mine / theirs:5.2f} times; {facts}", flush=True)


def of_one_concept(n: int, before: float | None) -> float:
    """The time on a fixed concept with a little noise, printed with what it is of the time before."""
    random = np.random.default_rng(n)
    x = random.normal(size=(n, ATTRIBUTES)).round(3)
    y = np.where((x[:, 0] > 0.5) & (x[:, 1] < 0.3), 0, np.where((x[:, 2] > 0.8) | (x[:, 3] < -1.2), 1, 2))
    y = np.where(random.random(n) < 0.02, random.integers(0, 3, n), y)
    models: list[Model] = []
    taken = timed(lambda: models.append(fitted(x, y)))
    more = "" if before is None else f", {taken / before:5.1f} times that before"
    print(f"{n:>9,} records of one concept: {taken:8.3f} s{more}; {models[0].facts()}", flush=True)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also 100,000 and a million records")
    large = parser.parse_args().large
    ensure_compiled(Ripper.kernels, RunContext())
    for n in (10_000, *([100_000] if large else [])):
        against_a_tree(n, 5 if n < 50_000 else 2)
    before: float | None = None
    for n in (10_000, 100_000, *([1_000_000] if large else [])):
        before = of_one_concept(n, before)


if __name__ == "__main__":
    main()
