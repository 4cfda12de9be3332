"""False alarms and power of the analyses of errors: ``python -m tests.benchmarks.error_analysis [RUNS]``.

Prints for groups of more errors: alarms in errors at random; how often a planted group of two conditions (5% of the
records) is found, beside a search in one half that the other half tests by Fisher and Holm; and false second groups.
Prints for label errors: runs with any on clean and on random classes; precision and recall with 3% swapped classes.
Last the seconds for 200,000 records of 20 attributes.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np
from scipy.stats import hypergeom

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.columns import Mask
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.compare.significance_tests import holm
from algorithms.evaluation.error_groups import LEVEL, MOST_GROUPS, error_groups
from algorithms.evaluation.label_errors import label_errors
from algorithms.evaluation.tested_records import RecordErrors
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.linear.logistic_regression import LogisticRegression
from tests.algorithms.evaluation.test_error_analysis import made_table, run_of, two_clouds, with_errors


def split_half(errors: RecordErrors, seed: int) -> bool:
    """Whether a group found in one half is significant in the other: at most ten rules, Fisher, Holm."""
    data, wrong = errors.data, errors.wrong > 0
    order = np.random.default_rng(seed).permutation(len(data))
    half, other = np.sort(order[::2]), np.sort(order[1::2])
    found = error_groups(with_errors(data.take(half), wrong[half]), RunContext(seed=seed), permutations=0, alpha=1.0)
    rest, tested = data.take(other), wrong[other]
    rows = [group.rows_in(rest) for group in found.groups[:MOST_GROUPS]]
    p = [float(hypergeom.sf(tested[r].sum() - 1, len(other), tested.sum(), r.sum())) for r in rows]
    return bool(p) and min(holm(p)) <= LEVEL


def groups(runs: int) -> None:
    for n, rate, inside in ((500, 0.2, 0.2), (500, 0.1, 0.4), (500, 0.1, 0.6), (1000, 0.1, 0.9)):
        alarms = halves = more = 0
        for seed in range(runs):
            data = made_table(n, seed)
            random = np.random.default_rng(seed + 10_000)
            at = (data.column(0) > 0.674) & (data.column(4) == 2)
            errors = with_errors(data, random.random(n) < np.where(at, inside, rate))
            found = error_groups(errors, RunContext(seed=seed))
            alarms += bool(found.groups)
            more += len(found.groups) > 1
            halves += split_half(errors, seed)
        name = "at random" if rate == inside else f"{rate:.0%}, planted {inside:.0%}"
        print(f"{n:,} records, errors {name}: any group {alarms}, by halves {halves}, two or more {more} of {runs}")


def labels(runs: int) -> None:
    for learner in (NaiveBayes(), LogisticRegression()):
        for apart, share in ((3.0, 0.0), (1.5, 0.0), (0.0, 0.0), (3.0, 0.03), (4.0, 0.03)):
            alarms, reported, hits, swapped = 0, 0, 0, 0
            for seed in range(runs):
                data, wrong = two_clouds(1000, apart, share, seed)
                found = label_errors(run_of(data, learner, seed))
                alarms += len(found) > 0
                reported, hits = reported + len(found), hits + int(np.count_nonzero(wrong[found.places]))
                swapped += int(np.count_nonzero(wrong))
            line = f"{learner.name}, 1,000 records {apart} apart, {share:.0%} swapped: any {alarms} of {runs}"
            print(f"{line}, precision {hits / max(1, reported):.2f}, recall {hits / max(1, swapped):.2f}")


def speed(n: int = 200_000, a: int = 20) -> None:
    random = np.random.default_rng(0)
    schema = Schema((*(numeric(f"x{j}") for j in range(a)), nominal("class", ("yes", "no"))), a)
    data = Dataset(schema, [*random.normal(size=(a, n)), random.integers(0, 2, n).astype(np.int8)])
    inside: Mask = (data.column(0) > 0.674) & (data.column(1) > 0.84)
    errors = with_errors(data, random.random(n) < np.where(inside, 0.9, 0.1))
    context = RunContext(seed=1, executor=thread_pool())
    ensure_compiled(("algorithms.evaluation.order_kernels",), context)
    begin = perf_counter()
    found = error_groups(errors, context)
    print(f"{n:,} x {a}: groups {perf_counter() - begin:.1f} s, {found.sentence}")
    begin = perf_counter()
    label_errors(errors)
    print(f"{n:,}: label errors {perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    planned = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    speed()
    labels(planned)
    groups(planned)
