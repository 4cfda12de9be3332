"""Gradient boosting beside LightGBM, XGBoost and scikit-learn: ``python -m tests.benchmarks.boosting [shape ...]``.

All learn 100 trees from the same records (``--records`` x 20, see :func:`generated`), two threads each. Each fit has a
process of its own; they take turns, ``--runs`` times. Shapes are ``depth3``, ``depth6`` and ``leaves31``. Printed are
the medians of the seconds by the clock and of the processor, the largest memory beyond that before the fit, and the
accuracy on 20,000 other records. Only the fit is timed; what is compiled is loaded before.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from tests.benchmarks.committees_against_scikit_learn import generated, matrix, timed

ROUNDS: Final = 100
THREADS: Final = 2
SHAPES: Final = {"depth3": (3, 0), "depth6": (6, 0), "leaves31": (0, 31)}
"""Largest depth and number of leaves of each tree; 0 for no limit."""
PEERS: Final = {"ours": "numba", "lightgbm": "lightgbm", "xgboost": "xgboost", "scikit-learn": "sklearn"}
"""Each learner with the package it needs."""
Fit = Callable[[], Callable[[np.ndarray], np.ndarray]]


def ours(x: np.ndarray, y: np.ndarray, depth: int, leaves: int) -> Fit:
    from algorithms.core.run_control import RunContext, thread_pool
    from algorithms.data.dataset import Dataset
    from algorithms.learners.ensembles.gradient_boosting import GradientBoosting

    schema = generated(2, 1).schema
    learner = GradientBoosting(members=ROUNDS, max_depth=depth or 30, max_leaves=leaves, early_stopping=False)
    learner.fit(generated(300, 3), RunContext())
    pool = thread_pool(THREADS)

    def data(x: np.ndarray, codes: np.ndarray) -> Dataset:
        return Dataset(schema, [*np.ascontiguousarray(x.T), codes.astype(np.int8)])

    def fit() -> Any:
        model = learner.fit(data(x, y), RunContext(seed=1, executor=pool))
        return lambda other: model.predict(data(other, np.zeros(len(other))))

    return fit


def theirs(make: Callable[[], Any], x: np.ndarray, y: np.ndarray) -> Fit:
    model = make()
    return lambda: model.fit(x, y).predict


def lightgbm(depth: int, leaves: int) -> Any:
    from lightgbm import LGBMClassifier

    limits = {"num_leaves": leaves or 2**depth, "max_depth": depth or -1}
    return LGBMClassifier(n_estimators=ROUNDS, min_child_samples=5, reg_lambda=1, n_jobs=THREADS, verbose=-1, **limits)


def xgboost(depth: int, leaves: int) -> Any:
    from xgboost import XGBClassifier

    limits = {"max_depth": depth, "max_leaves": leaves, "grow_policy": "lossguide" if leaves else "depthwise"}
    return XGBClassifier(n_estimators=ROUNDS, learning_rate=0.1, tree_method="hist", n_jobs=THREADS, **limits)


def scikit_learn(depth: int, leaves: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    limits = {"max_depth": depth or None, "max_leaf_nodes": leaves or 2**depth}
    return HistGradientBoostingClassifier(
        max_iter=ROUNDS, early_stopping=False, min_samples_leaf=5, l2_regularization=1, **limits
    )


def one_fit(name: str, shape: str, records: int) -> dict[str, float]:
    """Seconds, memory in MB and accuracy of a fit in this process."""
    data, tests = generated(records, 1), generated(20_000, 2)
    x, y, x_test = matrix(data), np.asarray(data.class_codes), matrix(tests)
    depth, leaves = SHAPES[shape]
    makers = {"lightgbm": lightgbm, "xgboost": xgboost, "scikit-learn": scikit_learn}
    fit = ours(x, y, depth, leaves) if name == "ours" else theirs(lambda: makers[name](depth, leaves), x, y)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    predict, processor, clock = timed(fit)
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    right = float(np.mean(predict(x_test) == tests.class_codes))
    return {"clock": clock, "processor": processor, "memory": memory, "right": right}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", choices=[[], *SHAPES])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(one_fit(chosen.one, chosen.shapes[0], chosen.records)))
        return
    present = [name for name, package in PEERS.items() if find_spec(package)]
    for shape in chosen.shapes or SHAPES:
        fits: dict[str, list[dict[str, float]]] = {name: [] for name in present}
        for _ in range(chosen.runs):
            for name in present:
                command = [sys.executable, "-m", __spec__.name, shape, "--one", name, "--records", str(chosen.records)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                fits[name].append(json.loads(done.stdout.splitlines()[-1]))
        for name, results in fits.items():
            middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
            print(
                f"{shape}, {chosen.records:,} records, {name}: {middle['clock']:.2f} s by the clock, "
                f"{middle['processor']:.2f} s of the processor, {middle['memory']:.0f} MB, right {middle['right']:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
