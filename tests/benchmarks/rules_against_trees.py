"""Learners of rules beside the tree of C4.5 on the published data sets.

``python -m tests.benchmarks.rules_against_trees [LEARNER[:NAME=VALUE,...]]... [--seeds 3] [--sets iris,zoo]``
(``c4.5-rules`` unless said otherwise) prints for each set the accuracy of stratified ten-fold cross-validation, mean
over the seeds, of C4.5 and of each learner, and after it the rules of one model of all records, the default one
included. In the mean each is to be no worse than C4.5.
"""

from __future__ import annotations

import argparse
import sys
from statistics import mean

from algorithms.catalogue import builtin
from algorithms.cli.arguments import configure, id_and_assignments
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.learners.trees.c45 import C45
from tests.benchmarks.published_sets import accuracy, published


def learner_of(text: str) -> Learner:
    registry = builtin()
    id, assignments = id_and_assignments(text)
    found: Learner = configure(registry.learners.get(id), assignments, registry)
    return found


def main() -> int:
    """Print the table; 1 where a learner is worse than C4.5 in the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learners", nargs="*", default=["c4.5-rules"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", default="")
    options = parser.parse_args()
    learners = [learner_of(text) for text in options.learners]
    seeds = range(1, options.seeds + 1)
    differences: list[list[float]] = [[] for _ in learners]
    print(f"{'data set':14s} {'c4.5':>6s} {'leaves':>6s}  " + "  ".join(f"{text:>20s}" for text in options.learners))
    for row, data in published():
        if options.sets and row["dataset"] not in options.sets.split(","):
            continue
        tree = mean(accuracy(C45(), data, seed) for seed in seeds)
        leaves = C45().fit(data, RunContext(seed=1)).facts()["leaves"]
        cells = []
        for learner, found in zip(learners, differences, strict=True):
            ours = mean(accuracy(learner, data, seed) for seed in seeds)
            found.append(ours - tree)
            rules = learner.fit(data, RunContext(seed=1)).facts()["rules"] + 1
            cells.append(f"{ours:6.2f} {found[-1]:+6.2f} {rules:6.0f}")
        print(f"{row['dataset']:14s} {tree:6.2f} {leaves:6.0f}  " + "  ".join(cells), flush=True)
    means = [mean(found) for found in differences]
    print("in the mean " + ", ".join(f"{text} {m:+.2f}" for text, m in zip(options.learners, means, strict=True)))
    return 0 if all(m >= 0 for m in means) else 1


if __name__ == "__main__":
    sys.exit(main())
