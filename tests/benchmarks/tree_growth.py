"""How many times faster a tree grows than the yardstick's, in one thread, the encoding of the table included.

``python -m tests.benchmarks.tree_growth [--large]``: 20 numeric attributes, 3 classes, Gini, grown until pure, once
with every record weighing one and once with weights. Runs of both are interleaved; medians of the times are compared.
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
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.growth.engine import KERNELS, grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.structures.tree import Tree

ATTRIBUTES = 20
CLASSES = ("a", "b", "c")


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def ours(x: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> Tree:
    schema = Schema((*(numeric(f"x{i}") for i in range(ATTRIBUTES)), nominal("class", CLASSES)), ATTRIBUTES)
    data = Dataset(schema, [*x.T, y], weights=weights)
    return grow(data, GrowthOptions(criterion="gini"), RunContext()).tree


def training_accuracy(tree: Tree) -> float:
    leaves = tree.counts[tree.first_child < 0]
    return float(leaves.max(axis=1).sum() / leaves.sum())


def compare(n: int, weighted: bool, repeats: int) -> None:
    x, y = make_classification(
        n_samples=n, n_features=ATTRIBUTES, n_informative=10, n_classes=len(CLASSES), random_state=0
    )
    weights = np.random.default_rng(0).integers(1, 5, n).astype(float) if weighted else None
    yardstick = DecisionTreeClassifier(random_state=0)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        times[0].append(timed(lambda: ours(x, y, weights)))
        times[1].append(timed(lambda: yardstick.fit(x, y, sample_weight=weights)))
    mine, theirs = (statistics.median(t) for t in times)
    tree = ours(x, y, weights)
    print(
        f"{n:>9,} records, {'weights' if weighted else 'no weights':<10}: {mine:8.3f} s against {theirs:8.3f} s,"
        f" {theirs / mine:5.1f} times as fast; {tree.n_leaves} and {yardstick.get_n_leaves()} leaves;"
        f" right in training {training_accuracy(tree):.4f} and {yardstick.score(x, y):.4f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also a million records")
    large = parser.parse_args().large
    ensure_compiled(KERNELS, RunContext())
    for n in (10_000, 100_000, *([1_000_000] if large else [])):
        for weighted in (False, True):
            compare(n, weighted, 5 if n < 50_000 else 3 if n < 500_000 else 1)


if __name__ == "__main__":
    main()
