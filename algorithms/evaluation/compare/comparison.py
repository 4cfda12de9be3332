"""Comparison of evaluated runs: a verdict in words and every test that suits the evaluation method.

One test decides: the corrected resampled t test over folds if there are enough, else the test over records. Several
runs are each compared with the best one. The same tests selected it, so p-values are corrected for all pairs (Holm).
Correcting only for the pairs with the best would call 15% of the differences among ten equal runs significant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray
from algorithms.evaluation.compare import significance_tests
from algorithms.evaluation.compare.multi_comparison import MultiComparison, compare_over_rows, listed
from algorithms.evaluation.compare.ranking import NOTICEABLE_AUC, area, larger_area, pair_sentence
from algorithms.evaluation.compare.significance_tests import (
    ALPHA,
    LEAST_PARTS,
    NEGLIGIBLE,
    FoldScores,
    LeadVerdict,
    PairedComparison,
    PairedLead,
    SignificanceTest,
    SuperiorityProbabilities,
    bayesian_correlated_t,
    check_comparable,
    compared,
    corrected_p,
    corrected_resampled_t,
    error_difference,
    n_pairs_of,
    other_p_values,
    paired_t,
)
from algorithms.evaluation.measures.metrics import Report, ranking_measure
from algorithms.evaluation.result import kish
from algorithms.text.numbers import decimals_for, p_words, percent

_OVERLAP: Final = "Takes the folds for independent, which they are not: it claims too much."


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A run to compare: its name and its accuracy in each test part."""

    name: str
    scores: FoldScores
    report: Report | None = None
    """Its measures, needed to compare by AUC."""

    @property
    def accuracy(self) -> float:
        result = self.scores.result
        if result.estimate is not None:
            return result.estimate.accuracy.value or 0.0
        return float(np.average(result.right, weights=result.weight_array)) if len(result) else 0.0


@dataclass(frozen=True, eq=False)
class Pair:
    """The better of two runs and the other one, with the test of their difference."""

    first: ComparedRun
    second: ComparedRun
    lead: PairedLead
    bonferroni: float
    posterior: SuperiorityProbabilities | None

    @property
    def paired(self) -> PairedComparison | None:
        return self.lead.paired

    @property
    def p_value(self) -> float:
        return self.lead.p_value

    @property
    def corrected(self) -> float:
        """p-value corrected for all pairs of the family (Holm by default)."""
        return self.lead.corrected

    @property
    def differs(self) -> bool:
        """Whether the difference is significant and relevant."""
        return self.lead.verdict is LeadVerdict.REAL

    @property
    def is_same(self) -> bool:
        """Whether the confidence interval excludes every relevant difference."""
        return self.lead.verdict is LeadVerdict.NEGLIGIBLE

    def sentence(self) -> str:
        """The verdict on the pair; all pages use this sentence."""
        return pair_sentence(self.first.name, self.second.name, self.lead)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The comparison of two or more runs: ``headline``, explaining ``sentences``, and the ``tests`` behind them."""

    headline: str
    sentences: tuple[str, ...]
    pairs: tuple[Pair, ...]
    tests: tuple[SignificanceTest, ...]
    overall: MultiComparison | None = None
    """Comparison of all runs over their common test parts; None if their tests differ or the parts are too few."""


def compared_runs(
    runs: Sequence[ComparedRun], among: Sequence[ComparedRun] = (), correction: str = "holm"
) -> Comparison:
    """Compare two or more runs; p-values are corrected for all pairs of these and of ``among``.

    ``among`` are the runs evaluated together with them. Raises :class:`DataError` if a run was tested on its training
    records.
    """
    if len(runs) < 2:
        raise DataError("There is only one run.", remedy="Choose another one to compare it with.")
    for run in runs:
        if run.scores.result.test_is_training:
            raise DataError(
                f"{run.name} was tested on its training data, so it cannot be compared.",
                remedy="Test it with cross-validation.",
            )
    order = sorted(runs, key=lambda run: -run.accuracy)
    own = {run.scores.result for run in order}
    outside = [run for run in among if run.scores.result not in own]
    overall = _over_parts(order, outside, correction)
    pairs = _pairs(order, outside, correction)
    comparison = (
        _compare_two(pairs[0], overall) if len(order) == 2 else _compare_several(order, pairs, overall, correction)
    )
    return _by_auc_where_it_ranks(comparison, order, outside, correction)


def _pairs(order: Sequence[ComparedRun], outside: Sequence[ComparedRun], correction: str) -> list[Pair]:
    """The best run paired with each other one, corrected for all pairs of these and the runs ``outside``."""
    uncorrected = [_pair(order[0], other) for other in order[1:]]
    own = [(0, place) for place in range(1, len(order))]
    rest = other_p_values([run.scores for run in (*order, *outside)], own)
    p_values, n_pairs = [pair.p_value for pair in uncorrected], n_pairs_of(len(order) + len(outside))
    corrected = corrected_p(p_values, rest, n_pairs, correction)
    by_number, way = significance_tests.bonferroni(p_values, n_pairs), significance_tests.CORRECTIONS[correction].name
    return [
        replace(of_best, lead=replace(of_best.lead, corrected=c, n_pairs=n_pairs, correction=way), bonferroni=b)
        for of_best, c, b in zip(uncorrected, corrected, by_number, strict=True)
    ]


def _pair(first: ComparedRun, second: ComparedRun) -> Pair:
    try:
        check_comparable(first.scores.result, second.scores.result)
        paired = compared(first.scores, second.scores)
    except DataError:
        n = [run.scores.result.n_effective for run in (first, second)]
        error = 1 - error_difference(1 - first.accuracy, n[0], 1 - second.accuracy, n[1]).largest_confidence
        return Pair(first, second, PairedLead(None, error, error), error, None)
    differences, share = _differences(first.scores, second.scores)
    enough = len(differences) >= LEAST_PARTS
    posterior = bayesian_correlated_t(differences, share, NEGLIGIBLE) if enough else None
    return Pair(first, second, PairedLead(paired, paired.p_value, paired.p_value), paired.p_value, posterior)


def _differences(first: FoldScores, second: FoldScores) -> tuple[FloatArray, float]:
    """Accuracy differences over the common test parts, and the mean ratio of tested to training records."""
    _, mine, theirs = np.intersect1d(first.keys, second.keys, assume_unique=True, return_indices=True)
    return first.accuracy[mine] - second.accuracy[theirs], (first.test_share + second.test_share) / 2


# ---- two -------------------------------------------------------------------------------------------------------------


def _compare_two(pair: Pair, overall: MultiComparison | None) -> Comparison:
    first, second = pair.first, pair.second
    n = min(first.scores.result.n_records, second.scores.result.n_records)
    rights = first.accuracy, second.accuracy
    apart = decimals_for(rights[0] - rights[1])
    shown = [percent(share, decimals=apart) for share in rights]
    ahead = f"Accuracy of {first.name} {shown[0]}, of {second.name} {shown[1]}"
    sentences = [f"{ahead} ({p_words(pair.p_value)}).", pair.sentence()]
    if pair.is_same:
        headline = "The two are practically equivalent"
        sentences.append(
            f"The difference is within ±{100 * NEGLIGIBLE:g} points: prefer the simpler one or the easier to explain."
        )
    elif pair.differs:
        headline = f"{first.name} has a significantly higher accuracy"
    else:
        headline = f"No significant difference with {n:,} records"
        sentences.append("More records, or more repeats of the folds, may show one.")
    tests = _tests(pair)
    sentences += [_deciding_test_sentence(pair, tests), _scope_sentence(pair)]
    return Comparison(headline, tuple(filter(None, sentences)), (pair,), tuple(tests), overall)


def _deciding_test_sentence(pair: Pair, tests: Sequence[SignificanceTest]) -> str:
    """A sentence on the deciding test and how many other tests agree; empty if there is no other."""
    tested = [test for test in tests if test.p_value is not None]
    by = next((test for test in tested if abs((test.p_value or 0.0) - pair.p_value) < 1e-9), None)
    others = [test.p_value for test in tested if test is not by and test.p_value is not None]
    if not others:
        return ""
    decided_by = "paired test of records" if by is None else by.name
    agree = sum((p < ALPHA) == (pair.p_value < ALPHA) for p in others)
    of_others = "the other test agrees" if len(others) == agree == 1 else f"{agree} of {len(others)} other tests agree"
    return f"Decided by: {decided_by}; {of_others}."


def _scope_sentence(pair: Pair) -> str:
    if pair.paired is None:
        return (
            "They were not tested on the same records, so their results are treated as independent. The same method "
            "and seed for both would detect smaller differences."
        )
    if pair.paired.by_records:
        return "The test compares these two models, not the learners on other training records."
    return "The test compares the two learners, not the final model that each trained on all records."


def tests_of(first: ComparedRun, second: ComparedRun) -> list[SignificanceTest]:
    """Every test that suits how the two runs were evaluated, uncorrected for other pairs."""
    return _tests(_pair(first, second))


def _tests(pair: Pair) -> list[SignificanceTest]:
    """Every test that suits how the pair was evaluated."""
    one, other = pair.first.scores, pair.second.scores
    if pair.paired is None:
        n_1, n_2 = one.result.n_effective, other.result.n_effective
        apart = error_difference(1 - pair.first.accuracy, n_1, 1 - pair.second.accuracy, n_2)
        z = apart.difference / apart.standard_error if apart.variance else None
        return [SignificanceTest("Difference of two error rates", "Z", z, pair.p_value, "TSKK Eq. 3.18")]
    tests = _tests_by_parts(one, other)
    alone, together = discordant_counts(one, other)
    tests += [significance_tests.mcnemar_exact(alone, together), significance_tests.mcnemar_corrected(alone, together)]
    return tests


def _tests_by_parts(one: FoldScores, other: FoldScores) -> list[SignificanceTest]:
    differences, share = _differences(one, other)
    if len(differences) < LEAST_PARTS:
        return []
    plain = paired_t(differences)
    statistic = plain.difference / plain.standard_error if plain.standard_error else None
    tests = [
        corrected_resampled_t(differences, share),
        SignificanceTest("Paired t", "t", statistic, plain.p_value, "TSKK first ed., section 4.6.3", _OVERLAP),
    ]
    wilcoxon = significance_tests.wilcoxon(differences)
    tests.append(
        SignificanceTest(
            wilcoxon.name, "T", wilcoxon.statistic, wilcoxon.p_value, wilcoxon.source, wilcoxon.caution or _OVERLAP
        )
    )
    repeats, folds = one.keys >> 32, one.keys & 0xFFFFFFFF
    if len(one.keys) == len(other.keys) == 10 and len(np.unique(repeats)) == 5 and len(np.unique(folds)) == 2:
        table = differences.reshape(5, 2)
        tests += [significance_tests.five_by_two_t(table), significance_tests.five_by_two_f(table)]
    return tests


def discordant_counts(one: FoldScores, other: FoldScores) -> tuple[float, float]:
    """McNemar's discordant counts: records that only the first, and only the second, classified correctly.

    Only the first test of each record counts. Weighted counts are scaled to their effective sample size (Kish).
    """
    rights = []
    for scores in (one, other):
        ids, first = np.unique(scores.result.row_ids, return_index=True)
        rights.append((ids, scores.result.right[first], scores.result.weight_array[first]))
    _, mine, theirs = np.intersect1d(rights[0][0], rights[1][0], assume_unique=True, return_indices=True)
    a, b, weights = rights[0][1][mine], rights[1][1][theirs], rights[0][2][mine]
    alone, together = weights * (a & ~b), weights * (b & ~a)
    whole = float(alone.sum() + together.sum())
    counts = one.result.weights is None or one.result.weights_are_counts
    worth = 1.0 if counts or not whole else kish(alone + together) / whole
    return float(alone.sum()) * worth, float(together.sum()) * worth


# ---- several ---------------------------------------------------------------------------------------------------------


def _compare_several(
    order: Sequence[ComparedRun], pairs: Sequence[Pair], overall: MultiComparison | None, correction: str
) -> Comparison:
    best, way = order[0], significance_tests.CORRECTIONS[correction].name
    apart = [pair.second.name for pair in pairs if pair.differs]
    together = [pair.second.name for pair in pairs if not pair.differs]
    chance = [pair.second.name for pair in pairs if not pair.differs and not pair.is_same]
    same = [pair.second.name for pair in pairs if pair.is_same]
    n = min(run.scores.result.n_records for run in order)
    if not apart:
        headline = f"None of these {len(order)} is significantly best with {n:,} records"
    elif not together:
        headline = f"{best.name} has a significantly higher accuracy than all others"
    else:
        others = "one other is" if len(together) == 1 else f"{len(together)} others are"
        headline = f"{best.name} has the highest accuracy; {others} not significantly worse"
    sentences = [f"Accuracy of {best.name} {percent(best.accuracy)}."]
    if apart:
        sentences.append(f"Significantly worse: {listed(apart)}.")
    if chance and apart:
        sentences.append(f"Not significantly worse: {listed(chance)}.")
    if same:
        sentences.append(f"Practically equivalent: {listed(same)}.")
    sentences.append(
        "Each run is compared with the most accurate one, which these same tests chose. The p-values are therefore "
        f"corrected for all {pairs[0].lead.n_pairs} pairs ({way}). The best of several is slightly optimistic."
    )
    tests = () if overall is None else overall.tests
    if overall is not None and any(pair.differs != (pair.nemenyi < ALPHA) for pair in overall.pairs):
        sentences.append(
            "For some pairs the tests of accuracies and of ranks disagree: ranks ignore how large a difference is. "
            "The test of accuracies decides."
        )
    return Comparison(headline, tuple(sentences), tuple(pairs), tests, overall)


# ---- by AUC ----------------------------------------------------------------------------------------------------------


def _by_auc_where_it_ranks(
    by_accuracy: Comparison, order: Sequence[ComparedRun], outside: Sequence[ComparedRun], correction: str
) -> Comparison:
    """The comparison, led by its AUC verdict if the best accuracy is not surely above the baseline.

    The ranking of several learners uses AUC in this case. Without a report for every run nothing changes.
    """
    measures = [run.report for run in order]
    first = measures[0]
    if first is None or None in measures or ranking_measure(first) != "auc":
        return by_accuracy
    inside = sorted(((run, area(run.report)) for run in order if run.report is not None), key=lambda pair: -pair[1])
    best, best_area = inside[0]
    verdicts = _verdicts_by_auc([run for run, _ in inside], outside, correction)
    ahead = [run.name for (run, _), verdict in zip(inside[1:], verdicts, strict=True) if verdict is LeadVerdict.REAL]
    level = [
        run.name for (run, _), verdict in zip(inside[1:], verdicts, strict=True) if verdict is not LeadVerdict.REAL
    ]
    if not ahead:
        either = (
            f"Always guessing {first.baseline_class} may be right as often, and AUC does not tell them apart either."
        )
        return replace(by_accuracy, sentences=(*by_accuracy.sentences, either))
    headline = f"{best.name} has the highest AUC, but it is not alone"
    if not level:
        headline = f"{best.name} has a higher AUC than {'the other' if len(ahead) == 1 else 'all others'}"
    sentences = [
        f"Always guessing {first.baseline_class} may be right as often, so AUC counts here.",
        f"{best.name} has an AUC of {best_area:.3f}.",
        f"Its lead over {listed(ahead)} is more than chance explains.",
    ]
    if level:
        sentences.append(f"Its lead over {listed(level)} may be chance or too little to matter.")
    sentences.append(f"By accuracy: {by_accuracy.headline}.")
    return replace(by_accuracy, headline=headline, sentences=(*sentences, *by_accuracy.sentences))


def _verdicts_by_auc(
    inside: Sequence[ComparedRun], outside: Sequence[ComparedRun], correction: str
) -> list[LeadVerdict]:
    """Verdict on the AUC difference between the first run and each other one, corrected for all pairs."""
    family = [run.report for run in (*inside, *outside) if run.report is not None]
    leads = [larger_area(family[0], other) for other in family[1 : len(inside)]]
    rest = [
        larger_area(family[i], family[j]).p_value
        for i, j in combinations(range(len(family)), 2)
        if i > 0 or j >= len(inside)
    ]
    n_pairs = n_pairs_of(len(inside) + len(outside))
    corrected = corrected_p([lead.p_value for lead in leads], rest, n_pairs, correction)
    return [
        PairedLead(lead, lead.p_value, p, n_pairs, NOTICEABLE_AUC).verdict
        for lead, p in zip(leads, corrected, strict=True)
    ]


def _over_parts(
    order: Sequence[ComparedRun], outside: Sequence[ComparedRun], correction: str
) -> MultiComparison | None:
    """Comparison of all runs over their common test parts; None if these are too few."""
    try:
        names, table = parts_of_all(order)
    except DataError:
        return None
    if len(table) < LEAST_PARTS:
        return None
    share = float(np.mean([run.scores.test_share for run in order]))
    inside = list(combinations(range(len(order)), 2))
    beside = other_p_values([run.scores for run in (*order, *outside)], inside) if outside else ()
    own = [run.name for run in order]
    return compare_over_rows(own, names, table, rope=NEGLIGIBLE, correction=correction, test_share=share, beside=beside)


def parts_of_all(runs: Sequence[ComparedRun]) -> tuple[list[str], FloatArray]:
    """Names of the common test parts ("3", or "2.3" with repeats) and each run's accuracy in them (n, k).

    Raises :class:`DataError` if the runs were not evaluated on the same tests.
    """
    for run in runs[1:]:
        check_comparable(runs[0].scores.result, run.scores.result)
    keys = runs[0].scores.keys
    for run in runs[1:]:
        keys = np.intersect1d(keys, run.scores.keys)
    table = np.column_stack([run.scores.accuracy[np.searchsorted(run.scores.keys, keys)] for run in runs])
    repeats, folds = (keys >> 32).tolist(), (keys & 0xFFFFFFFF).tolist()
    several = len(set(repeats)) > 1
    names = [f"{r + 1}.{f + 1}" if several else str(f + 1) for r, f in zip(repeats, folds, strict=True)]
    return names, table
