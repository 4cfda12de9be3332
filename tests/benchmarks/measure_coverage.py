"""How often the 95% intervals of AUC, kappa, F and PR area hold the true values, over samples of a known population.

``python -m tests.benchmarks.measure_coverage [SAMPLES] [SEED]`` (default 500 and 1) prints the table of
``resources/docs/coverage.md``. Records are drawn independently, and their scores from normal distributions, one for
each class; the true values are those of 400,000 records of the same population. Weights have logarithms
with standard deviation 1: the truth is the same, as weights do not depend on the scores.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from algorithms.evaluation.measures.class_rates import KAPPA
from algorithms.evaluation.measures.metrics import Report, report
from algorithms.evaluation.result import EvaluationResult
from tests.algorithms.evaluation.results import result_of

TRUE_RECORDS = 400_000
POPULATIONS = {
    "two classes": ((0.5, 0.5), 1.5),
    "two classes, one rare": ((0.9, 0.1), 1.5),
    "two classes, one rare and hard": ((0.9, 0.1), 0.5),
    "three classes": ((0.6, 0.3, 0.1), 1.5),
}
"""Shares of the classes, and standard deviations from a class's own mean to the others' on its score."""


def drawn(
    n: int, shares: tuple[float, ...], apart: float, random: np.random.Generator, is_weighted: bool
) -> EvaluationResult:
    """``n`` tested records of a population with these class shares, so far ``apart``."""
    k = len(shares)
    truth = random.choice(k, n, p=shares)
    scores = random.normal(size=(n, k)) + apart * (np.arange(k) == truth[:, None]) + np.log(shares)
    odds = np.exp(scores)
    result = result_of(truth.tolist(), odds / odds.sum(axis=1, keepdims=True))
    return replace(result, weights=np.exp(random.normal(size=n))) if is_weighted else result


def figures(of: Report) -> tuple[dict[str, float | None], dict[str, tuple[float, float] | None]]:
    """The measures of a report and their intervals, of all classes and of the last one."""
    assert of.drawn is not None
    last = of.per_class[-1]
    both = {
        "AUC": (of.auc, of.auc_interval),
        "kappa": (KAPPA.value(of), of.drawn.kappa),
        "F (last class)": (last.f, of.drawn.f[-1]),
        "PR area (last class)": (last.pr_area, last.pr_area_interval),
    }
    values = {name: value for name, (value, _) in both.items()}
    return values, {name: None if interval is None else interval.ends for name, (_, interval) in both.items()}


def coverage(n: int, shares: tuple[float, ...], apart: float, samples: int, seed: int, is_weighted: bool) -> list[str]:
    """For each measure how many of 100 intervals held the true value."""
    random = np.random.default_rng(seed)
    true = figures(report(drawn(TRUE_RECORDS, shares, apart, random, is_weighted=False)))[0]
    held: dict[str, list[bool]] = {name: [] for name in true}
    for _ in range(samples):
        ends = figures(report(drawn(n, shares, apart, random, is_weighted)))[1]
        for name, of in ends.items():
            value = true[name]
            if of is not None and value is not None:
                held[name].append(of[0] <= value <= of[1])
    return [f"{100 * float(np.mean(found)):.1f}" if found else "-" for found in held.values()]


def table(samples: int, seed: int) -> str:
    """The coverages as lines of Markdown."""
    lines = ["| population | records | AUC | kappa | F (last class) | PR area (last class) |", "|---" * 6 + "|"]
    for name, (shares, apart) in POPULATIONS.items():
        for n, is_weighted in ((50, False), (200, False), (1000, False), (1000, True)):
            cells = coverage(n, shares, apart, samples, seed, is_weighted)
            lines.append(f"| {name} | {n}{', weighted' * is_weighted} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


if __name__ == "__main__":
    samples, seed = (int(given) for given in [*sys.argv[1:], *["500", "1"][len(sys.argv) - 1 :]])
    print(table(samples, seed))
