"""How often a difference between compared learners is called significant, by chance and in truth.

``python -m tests.benchmarks.comparison_errors [TRIALS] [SEED]`` (default 2000 and 1) prints the tables of
``resources/docs/coverage.md``. In each trial k learners with attributes of their own are tested by the same folds of a
new table, so that they are equally good on average; a *better* first one has an attribute more. Naive Bayes adds up six
attributes and is steady; the stump takes the best one of eight, which depends much on the training records.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy import stats

from algorithms.data.columns import FloatArray
from algorithms.evaluation.compare.significance_tests import ALPHA, FoldScores, holm, paired_areas, paired_t, tukey_holm
from algorithms.evaluation.measures.metrics import report
from tests.algorithms.evaluation.results import result_of

N = 300
ATTRIBUTES = {"naive Bayes": (6, 0.45), "stump": (8, 0.25)}
"""Attributes of a learner, and half the distance of the class means in standard deviations."""
CORRECTIONS = ("Holm", "Tukey-Holm", "Tukey, degrees of the folds", "Hsu")


def scores_of(kind: str, k: int, folds: int, random: np.random.Generator, extra: float) -> tuple[FloatArray, ...]:
    """Classes (n,), folds (n,) and scores (n, k), positive where the second class is predicted."""
    own, half = ATTRIBUTES[kind]
    truth, parts = random.integers(0, 2, N), random.permutation(N) % folds
    shift = np.full((k, own + 1), half)
    shift[:, own], shift[0, own] = 0.0, extra
    values = random.standard_normal((N, k, own + 1)) + np.where(truth == 1, 1, -1)[:, None, None] * shift
    scores = np.zeros((N, k))
    for part in range(folds):
        tests, taught = parts == part, values[parts != part]
        ones, zeros = (taught[truth[parts != part] == code] for code in (1, 0))
        apart = ones.mean(axis=0) - zeros.mean(axis=0)
        per = (values[tests] - (ones.mean(axis=0) + zeros.mean(axis=0)) / 2) * apart / taught.var(axis=0)
        if kind == "stump":
            best = np.abs(apart).argmax(axis=1)
            scores[tests] = np.take_along_axis(per, best[None, :, None], axis=2)[:, :, 0]
        else:
            scores[tests] = per.sum(axis=2) if extra else per[:, :, :own].sum(axis=2)
    return truth, parts, scores


def verdicts(accuracy: FloatArray, test_share: float) -> dict[str, FloatArray]:
    """Whether each pair (k, k) is called significant, by the correction."""
    folds, k = accuracy.shape
    one, other = np.triu_indices(k, 1)
    apart = (accuracy[:, one] - accuracy[:, other]).T
    p = [paired_t(differences, test_share=test_share).p_value for differences in apart]
    t, (of_range, of_best) = stats.t.isf(np.array(p) / 2, folds - 1), critical_t(k, folds - 1)
    called = {
        "Holm": np.array(holm(p)) < ALPHA,
        "Tukey-Holm": np.array(tukey_holm(p)) < ALPHA,
        "Tukey, degrees of the folds": t > of_range,
        "Hsu": t > of_best,
    }
    significant = {}
    for name, values in called.items():
        significant[name] = np.zeros((k, k), dtype=bool)
        significant[name][one, other] = significant[name][other, one] = values
    return significant


@cache
def critical_t(k: int, degrees: int) -> tuple[float, float]:
    """Critical t of all pairs by the studentized range, and of Hsu's comparisons with the best, from 400,000 draws."""
    random = np.random.default_rng(1)
    normal, scale = random.standard_normal((400_000, k)), np.sqrt(random.chisquare(degrees, 400_000) / degrees)
    largest = (normal[:, 1:] - normal[:, :1]).max(axis=1) / (math.sqrt(2) * scale)
    of_range = float(stats.studentized_range.ppf(1 - ALPHA, k, degrees)) / math.sqrt(2)
    return of_range, float(np.quantile(largest, 1 - ALPHA))


def errors(trials: int, seed: int) -> Iterator[str]:
    """Rows of the table of accuracies: how often the best one is called better than another one, and any pair."""
    for kind, extra in (("naive Bayes", 0.0), ("stump", 0.0), ("naive Bayes", 0.8)):
        for folds, k in ((10, 3), (10, 10), (5, 10)):
            random, counts = np.random.default_rng(seed), dict.fromkeys(CORRECTIONS, np.zeros(2))
            for _ in range(trials):
                truth, parts, scores = scores_of(kind, k, folds, random, extra)
                right = (scores > 0) == (truth == 1)[:, None]
                accuracy = np.array([right[parts == part].mean(axis=0) for part in range(folds)])
                best = int(accuracy.mean(axis=0).argmax())
                for name, pairs in verdicts(accuracy, 1 / (folds - 1)).items():
                    counts[name] = counts[name] + np.array([pairs[best].any(), pairs.any()])
            shares = " | ".join(f"{100 * a / trials:.1f} ({100 * b / trials:.1f})" for a, b in counts.values())
            yield f"| {kind}{', one better' if extra else ''} | {folds} | {k} | {shares} |"


def auc_errors(trials: int, seed: int) -> Iterator[str]:
    """Rows of the table of AUCs of two equal learners: DeLong's paired test of all records, and the test of folds."""
    for kind in ATTRIBUTES:
        random, counts = np.random.default_rng(seed), np.zeros(2)
        for _ in range(trials):
            truth, parts, scores = scores_of(kind, 2, 10, random, 0.0)
            areas = []
            for column in scores.T:
                result = result_of(truth, np.column_stack([-column, column]))
                object.__setattr__(result, "folds", parts.astype(np.int32))
                areas.append((report(result).auc or 0.5, FoldScores.of(result)))
            paired = paired_areas(areas[0], areas[1], 0.0, 0.95)
            by_folds = paired_t(areas[0][1].areas.accuracy - areas[1][1].areas.accuracy, test_share=1 / 9)
            counts += (paired is not None and paired.p_value < ALPHA, by_folds.p_value < ALPHA)
        yield f"| {kind} | {100 * counts[0] / trials:.1f} | {100 * counts[1] / trials:.1f} |"


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    n_trials, first_seed = (given + [2000, 1][len(given) :])[:2]
    for row in (*errors(n_trials, first_seed), *auc_errors(n_trials // 2, first_seed)):
        print(row, flush=True)
