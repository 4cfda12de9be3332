"""Gradient boosting beside LightGBM, XGBoost and scikit-learn: ``python -m tests.benchmarks.boosting [shape ...]``.

All learn ``--rounds`` trees from the same records (``--records`` x 20, see :func:`generated`), ``--threads`` threads
each. Each fit has a process of its own; they take turns, ``--runs`` times, each time on other records. On a machine
that does other things only the processor's seconds of one thread compare: a thread that waits for others takes them
too. Shapes are ``depth3``, ``depth6`` and ``leaves31``. Printed are the medians of the seconds by the clock and of the
processor and of the largest memory beyond that before the fit, and the mean accuracy on 200,000 other records. Only
the fit is timed, on records in the layout of the learner's program; what is compiled is loaded before.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from tests.benchmarks.committees_against_scikit_learn import generated, matrix, timed
from tests.fuzz.measures import begin_peak, peak

SHAPES: Final = {"depth3": (3, 0), "depth6": (6, 0), "leaves31": (0, 31)}
"""Largest depth and number of leaves of each tree; 0 for no limit."""
PEERS: Final = {"ours": "numba", "lightgbm": "lightgbm", "xgboost": "xgboost", "scikit-learn": "sklearn"}
"""Each learner with the package it needs."""


@dataclass(frozen=True)
class Setting:
    depth: int
    leaves: int
    rounds: int
    threads: int


Fit = Callable[[], Callable[[np.ndarray], np.ndarray]]


def ours(x: np.ndarray, y: np.ndarray, at: Setting) -> Fit:
    from algorithms.core.run_control import RunContext, thread_pool
    from algorithms.data.dataset import Dataset
    from algorithms.learners.ensembles.gradient_boosting import GradientBoosting

    schema = generated(2, 1).schema
    limits = {"max_depth": at.depth or 30, "max_leaves": at.leaves}
    learner = GradientBoosting(members=at.rounds, early_stopping=False, **limits)
    learner.fit(generated(300, 3), RunContext())
    pool = thread_pool(at.threads) if at.threads > 1 else None

    def data(x: np.ndarray, codes: np.ndarray) -> Dataset:
        return Dataset(schema, [*np.ascontiguousarray(x.T), codes.astype(np.int8)])

    records = data(x, y)

    def fit() -> Any:
        model = learner.fit(records, RunContext(seed=1, executor=pool))
        return lambda other: model.predict(data(other, np.zeros(len(other))))

    return fit


def theirs(make: Callable[[], Any], x: np.ndarray, y: np.ndarray) -> Fit:
    model = make()
    return lambda: model.fit(x, y).predict


def lightgbm(at: Setting) -> Any:
    from lightgbm import LGBMClassifier

    limits = {"num_leaves": at.leaves or 2**at.depth, "max_depth": at.depth or -1}
    return LGBMClassifier(
        n_estimators=at.rounds, min_child_samples=5, reg_lambda=1, n_jobs=at.threads, verbose=-1, **limits
    )


def xgboost(at: Setting) -> Any:
    from xgboost import XGBClassifier

    limits = {"max_depth": at.depth, "max_leaves": at.leaves, "grow_policy": "lossguide" if at.leaves else "depthwise"}
    return XGBClassifier(n_estimators=at.rounds, learning_rate=0.1, tree_method="hist", n_jobs=at.threads, **limits)


def scikit_learn(at: Setting) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    limits = {"max_depth": at.depth or None, "max_leaf_nodes": at.leaves or 2**at.depth}
    return HistGradientBoostingClassifier(
        max_iter=at.rounds, early_stopping=False, min_samples_leaf=5, l2_regularization=1, **limits
    )


def one_fit(name: str, at: Setting, records: int, seed: int) -> dict[str, float]:
    """Seconds, memory in MB and accuracy of a fit in this process."""
    data, tests = generated(records, seed), generated(200_000, seed + 1000)
    x, y, x_test = matrix(data), np.asarray(data.class_codes), matrix(tests)
    del data
    makers = {"lightgbm": lightgbm, "xgboost": xgboost, "scikit-learn": scikit_learn}
    fit = ours(x, y, at) if name == "ours" else theirs(lambda: makers[name](at), x, y)
    before = begin_peak()
    predict, processor, clock = timed(fit)
    memory = (peak() - before) / 1024**2
    right = float(np.mean(predict(x_test) == tests.class_codes))
    return {"clock": clock, "processor": processor, "memory": memory, "right": right}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", choices=[[], *SHAPES])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        at = Setting(*SHAPES[chosen.shapes[0]], chosen.rounds, chosen.threads)
        print(json.dumps(one_fit(chosen.one, at, chosen.records, chosen.seed)))
        return
    present = [name for name, package in PEERS.items() if find_spec(package)]
    for shape in chosen.shapes or SHAPES:
        fits: dict[str, list[dict[str, float]]] = {name: [] for name in present}
        for run in range(chosen.runs):
            for name in present:
                command = [sys.executable, "-m", __spec__.name, shape, "--one", name, "--seed", str(chosen.seed + run)]
                for option in ("records", "rounds", "threads"):
                    command += [f"--{option}", str(getattr(chosen, option))]
                limited = os.environ | {"OMP_NUM_THREADS": str(chosen.threads)}
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=limited)
                fits[name].append(json.loads(done.stdout.splitlines()[-1]))
        for name, results in fits.items():
            middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
            right = statistics.mean(result["right"] for result in results)
            print(
                f"{shape}, {chosen.records:,} records, {name}: {middle['clock']:.2f} s by the clock, "
                f"{middle['processor']:.2f} s of the processor, {middle['memory']:.0f} MB, right {right:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
