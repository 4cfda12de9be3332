"""Committees beside scikit-learn's: ``python -m tests.benchmarks.committees_against_scikit_learn [what ...]``.

Both learn from the same records (100,000 x 20, or ``--records`` of them: ten attributes that tell something about the
class, ten of noise), two threads each, in turn in one process. Printed are the seconds of the processor and of the
clock that each took, and how many times as fast ours was by both; the processor's are what counts on
a machine that does other things.
Ours test while they learn (out of bag, importance by permutation); ``--plain`` leaves that out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, Final

import numpy as np
from joblib import parallel_backend  # type: ignore[import-untyped]
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.stump import DecisionStump

MEMBERS: Final = 50
THREADS: Final = 2
ATTRIBUTES: Final = 20


def generated(n: int, seed: int) -> Dataset:
    """n records of two classes: half the attributes tell something, and one record in twenty is of the other class."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, ATTRIBUTES))
    score = x[:, :5].sum(axis=1) + x[:, 5] * x[:, 6] + np.abs(x[:, 7]) - np.square(x[:, 8]) + np.sin(3 * x[:, 9])
    codes = (score > np.median(score)) ^ (random.random(n) < 0.05)
    attributes = (*(numeric(f"x{i + 1}") for i in range(ATTRIBUTES)), nominal("class", ("no", "yes")))
    return Dataset(Schema(attributes, ATTRIBUTES), [*x.T, codes.astype(np.int8)])


def matrix(data: Dataset) -> FloatArray:
    """The predictors as scikit-learn takes them (n, d)."""
    return np.column_stack([data.column(i) for i in range(ATTRIBUTES)])


def pairs(plain: bool) -> Mapping[str, tuple[Learner, Any]]:
    """Ours and theirs, by name."""
    tested, tree = not plain, Cart(pruning="none", surrogates=0)
    return {
        "forest": (
            RandomForest(members=MEMBERS, out_of_bag=tested),
            RandomForestClassifier(MEMBERS, max_features=5, n_jobs=THREADS, random_state=1),
        ),
        "histograms": (
            RandomForest(members=MEMBERS, out_of_bag=tested, split_search="binned"),
            RandomForestClassifier(MEMBERS, max_features=5, n_jobs=THREADS, random_state=1),
        ),
        "bagging": (
            Bagging(base=tree, members=MEMBERS, out_of_bag=tested),
            BaggingClassifier(DecisionTreeClassifier(), MEMBERS, n_jobs=THREADS, random_state=1),
        ),
        "stumps": (
            AdaBoost(base=DecisionStump(criterion="gini"), members=MEMBERS),
            AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=MEMBERS, random_state=1),
        ),
    }


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What the work yields, and the seconds of the processor and of the clock that it took."""
    processor, clock = time.process_time(), time.perf_counter()
    found = work()
    return found, time.process_time() - processor, time.perf_counter() - clock


def compared(name: str, ours: Learner, theirs: Any, records: int, pool: Executor) -> None:
    """Print what both take for so many records."""
    ours.fit(generated(300, 3), RunContext())  # loads what is compiled
    data, tests = generated(records, 1), generated(20_000, 2)
    x, x_test = matrix(data), matrix(tests)
    model, own, own_clock = timed(lambda: ours.fit(data, RunContext(seed=1, executor=pool)))
    with parallel_backend("threading", n_jobs=THREADS):  # processes of their own would hide what they take
        _, other, other_clock = timed(lambda: theirs.fit(x, np.asarray(data.class_codes)))
    right = float(np.mean(model.predict(tests) == tests.class_codes))
    theirs_right = float(np.mean(theirs.predict(x_test) == tests.class_codes))
    print(
        f"{name}: ours {own:.2f} s ({own_clock:.2f} s by the clock), right {right:.4f}; theirs {other:.2f} s "
        f"({other_clock:.2f} s), right {theirs_right:.4f}; {other / own:.2f} times as fast "
        f"({other_clock / own_clock:.2f} by the clock)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--plain", action="store_true")
    chosen = parser.parse_args()
    with thread_pool(THREADS - 1) as pool:
        for name, (ours, theirs) in pairs(chosen.plain).items():
            if not chosen.what or name in chosen.what:
                compared(name, ours, theirs, chosen.records, pool)


if __name__ == "__main__":
    main()
