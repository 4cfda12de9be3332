"""The approximate mode beside the exact one: how many times as fast, and how accurate on held-out records.

``python -m tests.benchmarks.binned_growth [--records N]``: 20 numeric attributes, 3 classes, by Gini until pure and by
C4.5's gain ratio, one thread, the encoding of the table included. Runs of both are interleaved; medians are compared,
of the time on the clock and of the processor's time in the growing thread.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from sklearn.datasets import make_classification

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.binned_growth import KERNELS as BINNED_KERNELS
from algorithms.learners.trees.growth.engine import KERNELS, grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.model import TreeModel

ATTRIBUTES = 20
CLASSES = ("a", "b", "c")


def table(x: np.ndarray, y: np.ndarray) -> Dataset:
    """The records as a table whose columns stand one by one in memory, as readers of files leave them."""
    schema = Schema((*(numeric(f"x{i}") for i in range(ATTRIBUTES)), nominal("class", CLASSES)), ATTRIBUTES)
    return Dataset(schema, [*np.ascontiguousarray(x.T), y])


def timed(x: np.ndarray, y: np.ndarray, options: GrowthOptions) -> tuple[float, float, TreeModel]:
    data = table(x, y)
    wall, own = time.perf_counter(), time.thread_time()
    tree = grow(data, options, RunContext()).tree
    return time.perf_counter() - wall, time.thread_time() - own, TreeModel(tree)


def compare(n: int, name: str, options: GrowthOptions, bins: int, runs: int) -> None:
    x, y = make_classification(
        n_samples=n + 200_000, n_features=ATTRIBUTES, n_informative=10, n_classes=len(CLASSES), random_state=0
    )
    held_out = table(x[n:], y[n:])
    found: dict[str, list[tuple[float, float, TreeModel]]] = {"exact": [], "binned": []}
    for _ in range(runs):
        for search in ("exact", "binned"):
            chosen = GrowthOptions(**{**vars(options), "search": search, "bins": bins})
            found[search].append(timed(x[:n], y[:n], chosen))
    wall, own = (
        {search: statistics.median(run[which] for run in runs) for search, runs in found.items()} for which in (0, 1)
    )
    models = {search: runs[-1][2] for search, runs in found.items()}
    right = {search: np.mean(model.predict(held_out) == held_out.class_codes) for search, model in models.items()}
    print(
        f"{n:>9,} records, {name:<5} {bins} ranges: {wall['exact']:.2f} s exact, {wall['binned']:.2f} s binned,"
        f" {wall['exact'] / wall['binned']:.1f} times as fast ({own['exact'] / own['binned']:.1f} by processor time);"
        f" right on held-out records {100 * right['exact']:.2f} % and {100 * right['binned']:.2f} %;"
        f" {models['exact'].tree.n_leaves:,} and {models['binned'].tree.n_leaves:,} leaves",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--bins", type=int, default=255)
    parser.add_argument("--runs", type=int, default=1)
    chosen = parser.parse_args()
    ensure_compiled((*KERNELS, *BINNED_KERNELS, "algorithms.learners.trees.kernels.prediction_kernels"), RunContext())
    compare(chosen.records, "CART", Cart().growth(), chosen.bins, chosen.runs)
    compare(chosen.records, "C4.5", C45().growth(), chosen.bins, chosen.runs)


if __name__ == "__main__":
    main()
