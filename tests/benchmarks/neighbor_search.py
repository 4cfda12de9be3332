"""The search for the nearest beside scikit-learn's, in one run on the same number of threads.

``python -m tests.benchmarks.neighbor_search [records] [queries] [axes] [threads]`` (100,000, 10,000, 20 and 1)
Prints processor seconds of each of scikit-learn's algorithms and of each way of ours to judge the queries by five
neighbours, building included, the ratio of the best of theirs to what is chosen here, and checks that the neighbours
are the same. Independent Gaussian axes (nothing for a tree to hold on to), and points near a plane of three axes.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors, NeighborModel
from algorithms.learners.neighbors.search import points_of

K = 5


def drawn(n: int, d: int, inner: int, seed: int) -> np.ndarray:
    """Points (n, d) that vary mostly in ``inner`` directions."""
    random, axes = np.random.default_rng(seed), np.random.default_rng(99)
    return np.asarray(random.normal(size=(n, inner)) @ axes.normal(size=(inner, d)) + 0.05 * random.normal(size=(n, d)))


def table(points: np.ndarray) -> Dataset:
    d = points.shape[1]
    schema = Schema((*(numeric(f"x{i}") for i in range(d)), nominal("class", ("a", "b"))), d)
    return Dataset(schema, [*np.ascontiguousarray(points.T), (points[:, 0] > points[:, 1]).astype(int)])


def compared(n: int, m: int, d: int, inner: int, threads: int) -> float:
    """Print both; the ratio of their best time to ours."""
    training, asked = table(drawn(n, d, inner, 1)), table(drawn(m, d, inner, 2))
    model = KNearestNeighbors(scaling="none").fit(training, RunContext())
    assert isinstance(model, NeighborModel)
    x, y = model.kept.numbers, model.kept.labels
    q, _ = points_of(model.kept, asked, lambda: None)
    model.searcher.nearest((q[:5], np.zeros((5, 0), dtype=np.int32)), K, RunContext())  # loads the loops
    theirs, found = {}, np.zeros((0, K))
    for algorithm in ("brute", "kd_tree", "ball_tree"):
        begin = process_time()
        peer = KNeighborsClassifier(K, algorithm=algorithm, n_jobs=threads).fit(x, y)
        peer.predict_proba(q)
        theirs[algorithm] = process_time() - begin
        print(f"  scikit-learn {algorithm:10s} {theirs[algorithm]:7.2f} s", flush=True)
        found = peer.kneighbors(q[:500], return_distance=False)
    with thread_pool(threads) as pool:
        begin = process_time()
        fresh = KNearestNeighbors(scaling="none").fit(training, RunContext())
        fresh.judged(asked, RunContext(executor=pool if threads > 1 else None))
        ours = process_time() - begin
    print(f"  ours                    {ours:7.2f} s: {min(theirs.values()) / ours:.2f} times as fast as their best")
    near = model.searcher.nearest((q[:500], np.zeros((500, 0), dtype=np.int32)), K, RunContext())
    assert np.array_equal(near.row.reshape(500, K), found)
    return min(theirs.values()) / ours


def main(n: int, m: int, d: int, threads: int) -> int:
    """Print both kinds of data; 1 where scikit-learn is faster on one."""
    ratios = []
    with threadpool_limits(threads):
        for inner in (d, min(3, d)):
            print(f"{m:,} queries, {n:,} records, {d} axes of which {inner} tell, threads: {threads}")
            ratios.append(compared(n, m, d, inner, threads))
    return 0 if min(ratios) >= 1 else 1


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(given + [100_000, 10_000, 20, 1][len(given) :])))
