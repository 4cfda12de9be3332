"""The page ``resources/docs/speed.md``: every family of learners beside its peers, by one command.

``python -m tests.benchmarks.speed [--families WORD ...] [--records N ...] [--threads N ...] [--runs 5] [--weka JAR]``

Ours and each peer learn from the same records (n x 20, see :func:`generated`), in each run from others, and predict
20,000 further ones. Each fit has a process of its own and begins after a fit of 300 records, which loads what is
compiled; the processes of a run take turns. Results are kept in the file ``--results`` and not measured again, so that
a long measurement can be stopped and continued; the page is written from all results. Where a first fit takes longer
than ``--most`` seconds, larger tables are left out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from algorithms.catalogue import builtin
from algorithms.cli.arguments import configure, id_and_all_assignments
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext, thread_pool
from tests.benchmarks.committees_against_scikit_learn import generated, matrix, timed
from tests.fuzz.measures import begin_peak, peak

PAGE: Final = Path(__file__).parents[2] / "resources" / "docs" / "speed.md"
OURS: Final = "Coppice"
WEKA: Final = "Weka"
RECORDS: Final = (10_000, 100_000, 1_000_000)
TESTS: Final = 20_000
PACKAGES: Final = ("numpy", "numba", "scikit-learn", "lightgbm", "xgboost")


@dataclass(frozen=True)
class Peer:
    """A class of another package; ``threads`` is its parameter for the number of threads, if it has one."""

    place: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    threads: str = ""

    def fit(self, x: np.ndarray, y: np.ndarray, threads: int) -> Callable[[np.ndarray], np.ndarray]:
        module, _, name = self.place.rpartition(".")
        given = {**self.parameters, **({self.threads: threads} if self.threads else {})}
        model = getattr(importlib.import_module(module), name)(**given).fit(x, y)
        return lambda other: np.asarray(model.predict(other))


@dataclass(frozen=True)
class Family:
    """Our learner as the command line names it, peers that learn the same, and Weka's class."""

    ours: str
    peers: Mapping[str, Peer] = field(default_factory=dict)
    weka: str = ""

    def learner(self) -> Learner:
        registry = builtin()
        id, given = id_and_all_assignments(self.ours, [])
        learner: Learner = configure(registry.learners.get(id), given, registry)
        return learner


def _scikit_learn(place: str, threads: str = "", **parameters: Any) -> dict[str, Peer]:
    return {"scikit-learn": Peer(f"sklearn.{place}", parameters, threads)}


_FOREST: Final = _scikit_learn("ensemble.RandomForestClassifier", "n_jobs", n_estimators=50, max_features=5)
_BOOSTING: Final = {
    "LightGBM": Peer(
        "lightgbm.LGBMClassifier", {"n_estimators": 100, "max_depth": 6, "num_leaves": 64, "verbose": -1}, "n_jobs"
    ),
    "XGBoost": Peer(
        "xgboost.XGBClassifier",
        {"n_estimators": 100, "max_depth": 6, "learning_rate": 0.1, "tree_method": "hist"},
        "n_jobs",
    ),
    **_scikit_learn(
        "ensemble.HistGradientBoostingClassifier", max_iter=100, max_depth=6, max_leaf_nodes=64, early_stopping=False
    ),
}
FAMILIES: Final[Mapping[str, Family]] = {
    "CART": Family("cart:pruning=none,surrogates=0", _scikit_learn("tree.DecisionTreeClassifier")),
    "C4.5": Family("c4.5", weka="trees.J48"),
    "Random forest": Family("random-forest:members=50,attributes_weighed=5,out_of_bag=false", _FOREST),
    "Random forest by histograms": Family(
        "random-forest:members=50,attributes_weighed=5,split_search=binned,out_of_bag=false", _FOREST
    ),
    "Bagging": Family(
        "bagging:base=cart,base.pruning=none,base.surrogates=0,members=50,out_of_bag=false",
        _scikit_learn("ensemble.BaggingClassifier", "n_jobs", n_estimators=50),
    ),
    "AdaBoost": Family(
        "adaboost:base=decision-stump,base.criterion=gini,members=50",
        _scikit_learn("ensemble.AdaBoostClassifier", n_estimators=50),
    ),
    "Gradient boosting": Family("gradient-boosting:members=100,max_depth=6,early_stopping=false", _BOOSTING),
    "Naive Bayes": Family("naive-bayes:numbers=gaussian", _scikit_learn("naive_bayes.GaussianNB")),
    "Logistic regression": Family(
        "logistic-regression", _scikit_learn("linear_model.LogisticRegression", max_iter=1000)
    ),
    "Linear discriminant": Family(
        "linear-discriminant", _scikit_learn("discriminant_analysis.LinearDiscriminantAnalysis")
    ),
    "Nearest neighbours": Family(
        "k-nearest-neighbors", _scikit_learn("neighbors.KNeighborsClassifier", "n_jobs", n_neighbors=5)
    ),
    "Support vector machine": Family(
        "svm:c=1,gamma=0.05", {"LIBSVM": Peer("sklearn.svm.SVC", {"C": 1.0, "gamma": 0.05, "cache_size": 500})}
    ),
    "Linear support vector machine": Family(
        "linear-svm:c=1", {"LIBLINEAR": Peer("sklearn.svm.LinearSVC", {"C": 1.0, "dual": "auto"})}
    ),
    "Neural network": Family(
        "neural-network:hidden=20,epochs=20,optimizer=adam",
        _scikit_learn("neural_network.MLPClassifier", hidden_layer_sizes=(20,), activation="logistic", max_iter=20),
    ),
    "RIPPER": Family("ripper", weka="rules.JRip"),
    "PART": Family("part", weka="rules.PART"),
    "C4.5 rules": Family("c4.5-rules"),
}

Result = dict[str, float]
Results = dict[str, list[Result]]
"""The runs of each cell, by ``family|side|records|threads``."""


# ---- one fit ---------------------------------------------------------------------------------------------------------


def one_fit(name: str, side: str, records: int, threads: int, seed: int) -> Result:
    """Seconds of learning and predicting, MB beyond those of the records, and accuracy, measured in this process."""
    data, tests, small = generated(records, seed), generated(TESTS, seed + 1000), generated(300, 3)
    x, y, x_test = matrix(data), np.asarray(data.class_codes), matrix(tests)
    if side == OURS:
        learner, pool = FAMILIES[name].learner(), thread_pool(threads) if threads > 1 else None
        learner.fit(small, RunContext()).predict(small)

        def fit() -> Callable[[], Any]:
            model = learner.fit(data, RunContext(seed=1, executor=pool))
            return lambda: model.predict(tests)
    else:
        peer = FAMILIES[name].peers[side]
        peer.fit(matrix(small), np.asarray(small.class_codes), threads)(x_test[:10])

        def fit() -> Callable[[], Any]:
            predict = peer.fit(x, y, threads)
            return lambda: predict(x_test)

    before = begin_peak()
    predict, processor, clock = timed(fit)
    memory = (peak() - before) / 1024**2
    codes, _, predicting = timed(predict)
    right = float(np.mean(codes == tests.class_codes))
    return {"clock": clock, "processor": processor, "predicting": predicting, "memory": memory, "right": right}


def weka_fit(jar: Path, weka_class: str, records: int, seed: int) -> Result:
    """The seconds that Weka tells it took to build the model."""
    data = generated(records, seed)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "records.arff"
        heads = [f"@attribute x{number} numeric" for number in range(1, 21)]
        with table.open("w", encoding="ascii") as file:
            file.write("\n".join(["@relation records", *heads, "@attribute class {no,yes}", "@data", ""]))
            for row, code in zip(matrix(data), np.asarray(data.class_codes), strict=True):
                file.write(",".join(map(repr, row.tolist())) + (",yes\n" if code else ",no\n"))
        command = ["java", "-cp", str(jar), f"weka.classifiers.{weka_class}", "-t", str(table), "-no-cv", "-v", "-o"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds = re.search(r"build model:\s*([\d.]+)", told)
    if seconds is None:
        raise ValueError(f"Weka tells no time: {told[:500]}")
    return {"clock": float(seconds[1])}


# ---- all fits --------------------------------------------------------------------------------------------------------


def measure(chosen: argparse.Namespace, results: Results) -> None:
    """Add what is missing of the chosen cells, and keep the results after each run."""
    names = [
        name for name in FAMILIES if not chosen.families or any(w.lower() in name.lower() for w in chosen.families)
    ]
    for name, threads in product(names, chosen.threads):
        sides = list(_sides(name, chosen.weka, threads))
        for records in sorted(chosen.records):
            for run in range(chosen.runs):
                for side in sides:
                    kept = results.setdefault(f"{name}|{side}|{records}|{threads}", [])
                    if len(kept) <= run:
                        kept.append(_measured(chosen, name, side, records, threads, run))
                        chosen.results.write_text(json.dumps(results, indent=1), encoding="utf-8")
                        print(f"{name}, {side}, {records:,}, {threads}: {kept[-1]['clock']:.3f} s", flush=True)
            slowest = max(results[f"{name}|{side}|{records}|{threads}"][0]["clock"] for side in sides)
            if slowest * 10 > chosen.most:
                break


def _sides(name: str, jar: Path | None, threads: int) -> Iterator[str]:
    yield OURS
    yield from (side for side, peer in FAMILIES[name].peers.items() if find_spec(peer.place.partition(".")[0]))
    if jar is not None and FAMILIES[name].weka and threads == 1:
        yield WEKA


def _measured(chosen: argparse.Namespace, name: str, side: str, records: int, threads: int, run: int) -> Result:
    if side == WEKA:
        return weka_fit(chosen.weka, FAMILIES[name].weka, records, run + 1)
    command = [sys.executable, "-m", __spec__.name, "--one", name, side, str(records), str(threads), str(run + 1)]
    limits = {f"{kind}_NUM_THREADS": str(threads) for kind in ("OMP", "OPENBLAS", "NUMBA")}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | limits)
    result: Result = json.loads(done.stdout.splitlines()[-1])
    return result


# ---- the page --------------------------------------------------------------------------------------------------------


def page(results: Results) -> str:
    """The page as Markdown."""
    lines = [
        "# Speed beside peers",
        "",
        f"By `python -m tests.benchmarks.speed`, {datetime.now(UTC).date().isoformat()}, on {machine()}.",
        "",
        "All learn from the same made records (n × 20 numbers, two classes) and predict 20,000 others. *Ratio* is the",
        "peer's time of learning divided by Coppice's: above 1 Coppice is faster; below 1, in bold, the peer is ahead.",
        "Times are medians, ranges the smallest and largest ratio of runs made in turn. Memory is the most beyond the",
        "records themselves. Each fit has a process of its own; compiled loops are loaded before.",
    ]
    for name, family in FAMILIES.items():
        rows = [_row(key, results) for key in _cells(name, results)]
        if rows:
            lines += ["", f"## {name}", "", f"`{family.ours}`", "", _HEAD, _RULE, *rows]
    return "\n".join(lines) + "\n"


_HEAD: Final = (
    "| records | threads | learner | learning, s | ratio | range | predicting, s | memory, MB | accuracy, % | runs |"
)
_RULE: Final = "|--:|--:|---|--:|--:|---|--:|--:|--:|--:|"


def _cells(name: str, results: Results) -> list[str]:
    keys = [key for key in results if key.startswith(f"{name}|") and results[key]]
    order = [OURS, *FAMILIES[name].peers, WEKA]

    def place(key: str) -> tuple[int, int, int]:
        _, side, records, threads = key.split("|")
        return int(records), int(threads), order.index(side)

    return sorted(keys, key=place)


def _row(key: str, results: Results) -> str:
    name, side, records, threads = key.split("|")
    runs, ours = results[key], results.get(f"{name}|{OURS}|{records}|{threads}", [])
    ratios = [theirs["clock"] / own["clock"] for theirs, own in zip(runs, ours, strict=False)]

    def middle(what: str, digits: int, factor: float = 1.0) -> str:
        return f"{factor * median(run[what] for run in runs):.{digits}f}" if what in runs[0] else ""

    ratio = spread = ""
    if side != OURS and ratios:
        ratio, spread = f"{median(ratios):.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}"
        ratio = f"**{ratio}**" if median(ratios) < 1 else ratio
    cells = [f"{int(records):,}", threads, side, middle("clock", 3), ratio, spread, middle("predicting", 3)]
    return "| " + " | ".join([*cells, middle("memory", 0), middle("right", 2, 100), str(len(runs))]) + " |"


def machine() -> str:
    """The processor, its cores, the system and the versions of what is compared."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        model = found[1] if found else model
    versions = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return f"{model}, {os.cpu_count()} cores, {platform.system()}; {', '.join(versions)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--families", nargs="*", metavar="WORD", help="families whose name has one of the words")
    parser.add_argument("--records", nargs="+", type=int, default=list(RECORDS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--most", type=float, default=300.0, help="seconds that a fit may be expected to take")
    parser.add_argument("--weka", type=Path, metavar="JAR", help="Weka's archive, to run it too")
    parser.add_argument("--results", type=Path, default=Path("speed.json"))
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        name, side, *numbers = chosen.one
        print(json.dumps(one_fit(name, side, *map(int, numbers))))
        return
    results: Results = json.loads(chosen.results.read_text("utf-8")) if chosen.results.exists() else {}
    measure(chosen, results)
    PAGE.write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
