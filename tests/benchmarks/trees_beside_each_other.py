"""The tree learners beside each other: ``python -m tests.benchmarks.trees_beside_each_other [seeds] [data set ...]``.

Prints the accuracy of stratified ten-fold cross-validation (mean over the seeds) and the leaves of the tree on all
records for every set of ``shared/datasets``, as each learner is by default; then the time that each takes for 10,000
records of 20 numbers, in the same run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.io.reading import read
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.oblique import ObliqueTree

DATASETS: Final = Path(__file__).resolve().parents[2].parent / "shared" / "datasets"
LEARNERS: Final[tuple[Learner, ...]] = (C45(), Cart(), ObliqueTree())


def accuracy(learner: Learner, data: Dataset, seeds: int) -> float:
    """Mean accuracy in percent."""
    found = []
    with thread_pool() as pool:
        for seed in range(1, seeds + 1):
            result = evaluate(learner, data, CrossValidation(folds=10), RunContext(seed=seed, executor=pool))
            found.append(100 * float((result.truth == result.decision).mean()))
    return mean(found)


def slanting(n: int, d: int, seed: int) -> Dataset:
    """Two classes on the sides of a plane through d normal attributes, with noise."""
    random = np.random.default_rng(seed)
    columns, weights = random.normal(size=(d, n)), random.normal(size=d)
    codes = (weights @ columns + random.normal(size=n) > 0).astype(np.int64)
    schema = Schema((*(numeric(f"x{i + 1}") for i in range(d)), nominal("class", "ab")), d)
    return Dataset(schema, [*columns, codes])


def speed(repeats: int = 3) -> None:
    """The seconds that each learner takes, without a pruning that grows more trees."""
    data = slanting(10_000, 20, 1)
    learners = [learner.with_values(pruning="pessimistic") for learner in LEARNERS]
    times: list[list[float]] = [[] for _ in learners]
    for _ in range(repeats):
        for learner, found in zip(learners, times, strict=True):
            started = time.perf_counter()
            learner.fit(data, RunContext(seed=1))
            found.append(time.perf_counter() - started)
    print(
        "10,000 records of 20 numbers: "
        + ", ".join(f"{learner.id} {median(found):.2f} s" for learner, found in zip(learners, times, strict=True))
    )


def main(seeds: int, names: Sequence[str]) -> None:
    ensure_compiled(ObliqueTree.kernels, RunContext())
    print("data set      " + "".join(f"{learner.id:>14s}" for learner in LEARNERS) + "   leaves")
    table = []
    for path in sorted(DATASETS.glob("*.arff")):
        if names and path.stem not in names:
            continue
        data = read(path, RunContext())
        row = [accuracy(learner, data, seeds) for learner in LEARNERS]
        leaves = [int(learner.fit(data, RunContext(seed=1)).facts()["leaves"]) for learner in LEARNERS]
        table.append(row)
        print(f"{path.stem:14s}" + "".join(f"{each:14.2f}" for each in row) + f"   {leaves}", flush=True)
    print("mean          " + "".join(f"{mean(column):14.2f}" for column in zip(*table, strict=True)))
    speed()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3, sys.argv[2:])
