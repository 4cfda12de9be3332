"""How long predictions take: ``python -m tests.benchmarks.predicting [records] [forest]``.

``records``: milliseconds of the processor for one record, as sliders of Explain ask for it: the probabilities alone,
and all that the page needs of the model (probabilities, reasons, path). Every learner of the registry with its
defaults, on iris and on 569 records of 30 numbers; medians of ten times ``--runs`` records, each with another value.
Wanted: below 1 ms.

``forest``: seconds for ``--records`` x 20 records through a random forest of 50 trees, beside LightGBM's (where it is
installed) with as many trees and about as many leaves, ``--threads`` threads each, in turn; by the clock and of the
processor, medians of ``--runs``.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from algorithms.catalogue import builtin
from algorithms.core.errors import CoppiceError
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.core.training import TrainedClassifier, learn
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.what_if import changed, one_record, ways
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.structures.tree import Tree
from tests.benchmarks.committees_against_scikit_learn import MEMBERS, generated, matrix, timed


def thirty_numbers() -> Dataset:
    """569 records of 30 numbers and two classes."""
    random = np.random.default_rng(1)
    x = random.normal(size=(30, 569))
    codes = (x[:6].sum(axis=0) + random.normal(size=569) > 0).astype(np.int8)
    schema = Schema((*(numeric(f"x{i}") for i in range(30)), nominal("class", ("no", "yes"))), 30)
    return Dataset(schema, [*x, codes])


def explained(trained: TrainedClassifier, record: Dataset) -> None:
    """What the page Explain computes for every step of a slider."""
    structure = trained.structure()
    trained.explain(record, 0)
    if isinstance(structure, Tree):
        ways(structure, trained.prepared(record))


def milliseconds(work: Callable[[Dataset], object], records: list[Dataset]) -> float:
    """Median milliseconds of the processor for one record, after a first one."""
    work(records[0])
    times = []
    for record in records[1:]:
        start = time.process_time_ns()
        work(record)
        times.append((time.process_time_ns() - start) / 1e6)
    return statistics.median(times)


def print_records(runs: int, only: list[str]) -> None:
    """The table of medians, a line a learner."""
    registry, random = builtin(), np.random.default_rng(1)
    iris = next(sample for sample in registry.samples if sample.id == "iris").make(None, 1, RunContext())
    tables = {"iris": iris, "30 numbers": thirty_numbers()}
    print(f"{'learner':30}" + "".join(f"{f'{name}: alone':>20}{'explained':>12}" for name in tables))
    for kind in registry.learners:
        if only and kind.id not in only:
            continue
        line = f"{kind.id:30}"
        for data in tables.values():
            try:
                learned = learn(kind(), (), data, RunContext(seed=1))
            except CoppiceError:
                line += f"{'-':>20}{'-':>12}"
                continue
            trained = TrainedClassifier(data.schema, learned.recipe, learned.model, learned.learner)
            base = one_record(data, 70)
            records = [changed(base, {0: value}) for value in random.normal(5, 1, runs)]
            alone = milliseconds(trained.predict_proba, records)
            line += f"{alone:20.2f}{milliseconds(lambda record: explained(trained, record), records):12.2f}"  # noqa: B023
        print(line, flush=True)


def print_forest(n_records: int, threads: int, runs: int) -> None:
    """Medians of seconds, ours and LightGBM's in turn."""
    train, tests = generated(50_000, 1), generated(n_records, 2)
    x = matrix(tests)
    with thread_pool(threads) as pool:
        context = RunContext(seed=1, executor=pool)
        model = RandomForest(members=MEMBERS, split_search="binned", out_of_bag=False).fit(train, context)
        leaves = int(model.facts()["leaves"]) // MEMBERS
        peers: dict[str, Callable[[], Any]] = {f"ours ({leaves} leaves)": lambda: model.judged(tests, context)}
        if find_spec("lightgbm"):
            from lightgbm import LGBMClassifier

            forest = LGBMClassifier(
                boosting_type="rf", n_estimators=MEMBERS, num_leaves=leaves, min_child_samples=1, subsample=0.63,
                subsample_freq=1, colsample_bytree=0.25, min_split_gain=0, n_jobs=1, verbose=-1,
            ).fit(matrix(train), np.asarray(train.class_codes))  # fmt: skip
            forest.set_params(n_jobs=threads)  # threads that wait for each other would take minutes to fit it
            theirs = sum(tree["num_leaves"] for tree in forest.booster_.dump_model()["tree_info"]) // MEMBERS
            peers[f"LightGBM ({theirs} leaves)"] = lambda: forest.predict_proba(x)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in peers}
        for _ in range(runs):
            for name, predict in peers.items():
                _, processor, clock = timed(predict)
                times[name].append((clock, processor))
    for name, seconds in times.items():
        clock, processor = (statistics.median(column) for column in zip(*seconds, strict=True))
        print(f"{n_records:,} records, {name}: {clock:.2f} s by the clock, {processor:.2f} s of the processor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[[], "records", "forest"])
    parser.add_argument("--learners", nargs="*", default=[])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    what = chosen.what or ["records", "forest"]
    if "records" in what:
        print_records(10 * chosen.runs, chosen.learners)
    if "forest" in what:
        print_forest(chosen.records, chosen.threads, chosen.runs)


if __name__ == "__main__":
    main()
