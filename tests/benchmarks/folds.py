"""What judging by folds costs beside the fits alone: ``python -m tests.benchmarks.folds [--records N]``.

C4.5 on 100,000 records of 20 numeric attributes, 3 classes, stratified ten-fold cross-validation. Printed are the sum
of the ten fits by themselves (each on its own training records, sorting included), the whole evaluation in one thread
as a multiple of that, and how many times faster two threads are. The three are interleaved; medians are compared.
Wanted: at most :data:`AT_MOST` times the fits, and at least :data:`FASTER` times faster on two threads.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np

from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.c45 import C45
from tests.benchmarks.tree_pruning import numbers

AT_MOST = 1.15
FASTER = 1.7
REPEATS = 5
METHOD = CrossValidation(folds=10)


def fits(data: Dataset) -> float:
    """Seconds of the ten fits alone, one after the other."""
    context = RunContext(seed=1)
    total = 0.0
    for split in METHOD.splits(data, np.random.default_rng(context.seeds)):
        train = data.take(split.train)
        started = time.perf_counter()
        C45().fit(train, context)
        total += time.perf_counter() - started
    return total


def judged(data: Dataset, threads: int) -> float:
    """Seconds of the whole evaluation."""
    with thread_pool(threads) as pool:
        started = time.perf_counter()
        evaluate(C45(), data, METHOD, RunContext(seed=1, executor=pool if threads > 1 else None))
        return time.perf_counter() - started


def main() -> int:
    """Print the times and ratios; 1 where one of the two is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=100_000)
    data = numbers(parser.parse_args().records)
    judged(data, 2)
    times = [(fits(data), judged(data, 1), judged(data, 2)) for _ in range(REPEATS)]
    alone, one, two = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"{len(data):,} x 20, ten folds: the fits alone {alone:.2f} s, in one thread {one:.2f}, on two {two:.2f}")
    print(f"{one / alone:.2f} times the fits (wanted {AT_MOST}), {one / two:.2f} times as fast (wanted {FASTER})")
    return 0 if one <= AT_MOST * alone and one >= FASTER * two else 1


if __name__ == "__main__":
    sys.exit(main())
