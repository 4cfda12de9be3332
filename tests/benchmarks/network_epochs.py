"""An epoch of 100 hidden nodes beside scikit-learn's: ``python -m tests.benchmarks.network_epochs [records]``.

Both learn by Adam from mini-batches of 200 records, one thread each, in turn; the medians of five times are compared.
It should be at least 1.2 times as fast.
"""

from __future__ import annotations

import sys
import warnings
from statistics import median
from time import perf_counter

import numpy as np
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.neural.neural_network import NeuralNetwork

FASTER = 1.2
EPOCHS = 10


def made(n: int, d: int, k: int) -> tuple[Dataset, np.ndarray, np.ndarray]:
    """Standardised numbers (n, d) of k classes with some overlap."""
    random = np.random.default_rng(0)
    codes = random.integers(0, k, n)
    x = random.normal(size=(n, d)) + random.normal(size=(k, d))[codes] * 0.5
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    schema = Schema((*(numeric(f"x{i}") for i in range(d)), nominal("y", [str(c) for c in range(k)])), d)
    return Dataset(schema, [*x.T.copy(), codes]), x, codes


def ours(data: Dataset) -> float:
    network = NeuralNetwork(
        hidden=(100,), activation="relu", optimizer="adam", learning_rate=0.001, epochs=EPOCHS, patience=10_000,
        weight_decay=0.0001,
    )  # fmt: skip
    start = perf_counter()
    network.fit(data, RunContext(seed=1))
    return perf_counter() - start


def theirs(x: np.ndarray, codes: np.ndarray) -> float:
    network = MLPClassifier(max_iter=EPOCHS, n_iter_no_change=10_000, random_state=1)
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network.fit(x, codes)
    return perf_counter() - start


def main(n: int) -> int:
    """Print seconds an epoch and the ratio; 1 where it is not fast enough."""
    worst = np.inf
    for d, k in ((20, 2), (20, 10), (60, 5)):
        data, x, codes = made(n, d, k)
        with threadpool_limits(1):
            times = [(ours(data), theirs(x, codes)) for _ in range(5)]
        us, them = (median(pair) / EPOCHS for pair in zip(*times, strict=True))
        found = f"{1000 * us:7.2f} ms an epoch, scikit-learn {1000 * them:7.2f}: {them / us:.2f} times as fast"
        print(f"{n:,} x {d}, {k} classes: {found}")
        worst = min(worst, them / us)
    return 0 if worst >= FASTER else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
