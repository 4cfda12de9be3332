"""Times of RIPPER, C4.5 rules and PART in one thread, in seconds of the processor, the ranking of the table included.

``python -m tests.benchmarks.ripper_growth [--large]``: 20 numeric attributes, 3 classes. RIPPER as a multiple of the
yardstick's time for one tree, runs of both interleaved, by medians. Then RIPPER on overlapping classes, and all three
on one concept of a few rules, at 10,000 and 100,000 records, each time against the one before.
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
from algorithms.core.learner import Model
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.model import RuleLearner
from algorithms.learners.rules.part import Part
from algorithms.learners.rules.ripper import Ripper

RIPPER = Ripper()
ATTRIBUTES = 20
CLASSES = ("a", "b", "c")


def timed(work: Callable[[], object]) -> float:
    """Seconds of the processor, which other programs do not lengthen."""
    started = time.process_time()
    work()
    return time.process_time() - started


def table(x: np.ndarray, y: np.ndarray) -> Dataset:
    schema = Schema((*(numeric(f"x{i}") for i in range(ATTRIBUTES)), nominal("class", CLASSES)), ATTRIBUTES)
    return Dataset(schema, [*x.T, y])


def fitted(x: np.ndarray, y: np.ndarray, learner: RuleLearner = RIPPER) -> Model:
    return learner.fit(table(x, y), RunContext(seed=1))


def against_a_tree(n: int, repeats: int) -> None:
    x, y = make_classification(
        n_samples=n, n_features=ATTRIBUTES, n_informative=10, n_classes=len(CLASSES), random_state=0
    )
    yardstick = DecisionTreeClassifier(random_state=0)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        times[0].append(timed(lambda: fitted(x, y)))
        times[1].append(timed(lambda: yardstick.fit(x, y)))
    mine, theirs = (statistics.median(t) for t in times)
    facts = fitted(x, y).facts()
    print(f"{n:>9,} records: {mine:8.3f} s against {theirs:8.3f} s, {mine / theirs:5.2f} times; {facts}", flush=True)


def concept(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of two decimals and the classes of three rules, a tenth of them drawn anew."""
    random = np.random.default_rng(n)
    x = random.normal(size=(n, ATTRIBUTES)).round(2)
    y = np.where((x[:, 0] > 0.5) & (x[:, 1] < 0.3), 0, np.where((x[:, 2] > 0.8) | (x[:, 3] < -1.2), 1, 2))
    return x, np.where(random.random(n) < 0.1, random.integers(0, 3, n), y)


def overlap(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Three normal distributions that overlap, apart in 8 attributes."""
    random = np.random.default_rng(n)
    centres = np.zeros((3, ATTRIBUTES))
    centres[:, :8] = np.random.default_rng(99).normal(scale=0.6, size=(3, 8))
    y = random.integers(0, 3, n)
    return random.normal(size=(n, ATTRIBUTES)) + centres[y], y


def growing(
    name: str, learner: RuleLearner, made: Callable[[int], tuple[np.ndarray, np.ndarray]], n: list[int]
) -> None:
    """Print the times on tables of these numbers of records, each as a multiple of the one before."""
    before: float | None = None
    for number in n:
        x, y = made(number)
        models: list[Model] = []
        taken = timed(lambda: models.append(fitted(x, y, learner)))  # noqa: B023 - called at once
        more = "" if before is None else f", {taken / before:5.1f} times that before"
        print(f"{number:>9,} records, {name}, {learner.name}: {taken:8.3f} s{more}; {models[0].facts()}", flush=True)
        before = taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also 100,000 and a million records")
    large = parser.parse_args().large
    sizes = [10_000, 100_000]
    for learner in (RIPPER, C45Rules(), Part()):
        ensure_compiled(learner.kernels, RunContext())
        fitted(*concept(500), learner)
    for n in sizes if large else sizes[:1]:
        against_a_tree(n, 5 if n < 50_000 else 2)
    growing("overlapping classes", RIPPER, overlap, sizes)
    growing("one concept", RIPPER, concept, [*sizes, 1_000_000] if large else sizes)
    growing("one concept", C45Rules(), concept, sizes)
    growing("one concept", Part(), concept, sizes)


if __name__ == "__main__":
    main()
