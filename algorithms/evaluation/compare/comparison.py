"""Comparison of evaluated runs: a verdict in words and every test that suits the evaluation method.

Runs are compared by one measure: accuracy, AUC or cost, by default the one that ranks compared learners. One test
decides: the corrected resampled t test over folds if there are enough, else the test over records, for AUC DeLong's
paired one. Several runs are each compared with the best one. The same tests selected it, so p-values are corrected for
all pairs (Tukey-Holm). Correcting only for the pairs with the best, as Hsu's comparisons with the best (1996) do, would
call a difference among ten equal runs significant in 7% to 35% of the cases: they tell which runs may be the best and
do not claim that the best one found is better than a certain other one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import combinations
from statistics import NormalDist
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import stoppable
from algorithms.core.scores import normal_quantile
from algorithms.data.columns import FloatArray
from algorithms.evaluation.compare import significance_tests
from algorithms.evaluation.compare.multi_comparison import (
    MultiComparison,
    SuperiorityProbabilities,
    adjusted_words,
    bayesian_correlated_t,
    compare_over_rows,
    listed,
    n_beside_baseline,
)
from algorithms.evaluation.compare.ranking import (
    CONFIDENCE,
    MEAN_AUC,
    MOST,
    NOUN,
    WHOLE_FROM,
    By,
    Contender,
    Evaluated,
    in_column,
    negligible_difference,
    p_values_of_others,
    pair_sentence,
    paired_difference,
    percentage_points,
    scale_of,
    scores_by,
    test_of_difference,
    with_baseline,
)
from algorithms.evaluation.compare.significance_tests import (
    ALPHA,
    CORRECTIONS,
    DEFAULT_CORRECTION,
    LEAST_PARTS,
    NEGLIGIBLE,
    FoldScores,
    LeadVerdict,
    PairedComparison,
    PairedLead,
    SignificanceTest,
    check_comparable,
    corrected_p,
    corrected_resampled_t,
    error_difference,
    n_pairs_of,
    other_p_values,
    paired_t,
)
from algorithms.evaluation.costs.cost_workings import CostedResult
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.result import EvaluationResult, kish
from algorithms.text.numbers import (
    MINUS,
    coefficient,
    decimals_for,
    decimals_of,
    p_words,
    percent,
    size_in_points,
    with_minus,
)
from algorithms.text.sentences import counted, quoted

_OVERLAP: Final = "Assumes independent folds, but they share training records: it is significant too often."


WORSE_THAN_BASELINE: Final = "worse than baseline"
LEAST_EXPECTED_COST: Final = "Least expected cost"
"""The title of costs in a comparison, where all decide by that rule: the run list has the cost of the rule in force."""


def column_title(nouns: Collection[str], by: By) -> str:
    """The title of a column of figures with these :meth:`Evaluated.noun`: AUCs of folds are told from pooled ones."""
    if by is By.COST:
        return LEAST_EXPECTED_COST
    return "Mean AUC" if MEAN_AUC in nouns else NOUN[by]


def interval_title(compared: Collection[Evaluated], by: By) -> str:
    """The title of the column of :meth:`Evaluated.interval`: "95% CI (folds)", "95% CI (records)", or "95% CI"."""
    kinds = {one.interval_is_over(by) for one in compared if one.burden or by is not By.AUC}
    return "95% CI" if len(kinds) != 1 or kinds == {""} else f"95% CI ({kinds.pop()})"


class BaselineVerdict(Enum):
    """How a learner compares with the baseline: the mark, the word, and the phrase that a sentence puts after "is"."""

    BETTER = "▲", "better", "significantly better than the baseline"
    UNCLEAR = "○", "not clear", "not clearly better than the baseline"
    WORSE = "▼", "worse", "significantly worse than the baseline"

    @classmethod
    def of(cls, lead: PairedLead) -> BaselineVerdict:
        """The verdict on a pair of a learner and, second, the baseline."""
        if lead.corrected >= ALPHA:
            return cls.UNCLEAR
        return cls.BETTER if lead.is_significant else cls.WORSE

    @property
    def mark(self) -> str:
        return self.value[0]

    @property
    def word(self) -> str:
        return self.value[1]

    @property
    def legend(self) -> str:
        return " ".join(self.value[:2])


_ACCURACY_IS: Final = {
    BaselineVerdict.BETTER: "accuracy significantly higher",
    BaselineVerdict.UNCLEAR: "accuracy not significantly different",
    BaselineVerdict.WORSE: "accuracy significantly lower",
}


def ahead_of_baseline(result: EvaluationResult) -> PairedLead | None:
    """How far the accuracy of a result is ahead of the baseline, by the test of :func:`above_baseline`.

    None without tests, and if the result was tested on its training records.
    """
    if result.test_is_training or not len(result):
        return None
    constant = replace(result, decision=np.full_like(result.decision, result.baseline_class))
    ahead = significance_tests.compared(FoldScores.of(result), FoldScores.of(constant), CONFIDENCE)
    return PairedLead(ahead, ahead.p_value, ahead.p_value, correction=significance_tests.BASELINE_CORRECTION)


def beside_baseline(report: Report, ahead: PairedLead | None, part: str) -> str:
    """The verdict of the paired test on an accuracy and the baseline; empty without that test.

    A second sentence explains why the verdict differs from what the interval of the accuracy suggests. ``part`` is the
    name of a test part of the method: "fold".
    """
    if ahead is None:
        return ""
    verdict, (low, high) = BaselineVerdict.of(ahead), report.interval
    words = f"{_ACCURACY_IS[verdict]} ({p_words(ahead.p_value)})."
    is_inside = low <= report.baseline_accuracy <= high
    if is_inside is (verdict is BaselineVerdict.UNCLEAR):
        return words
    by_records = ahead.paired is not None and ahead.paired.by_records
    how = "compares both record by record" if by_records else f"compares both {part} by {part}"
    if not is_inside and not by_records:
        how = f"takes the dependence of the {part}s into account"
    return f"{words} The baseline lies {'inside' if is_inside else 'outside'} the 95% CI, but the test {how}."


def difference_from_best(of: PairedLead, by: By) -> PairedComparison | None:
    """The other learner minus the best one in the measure itself: −0.04 of AUC, +0.04 of cost; None if not paired."""
    comparison = of.corrected_comparison
    if comparison is None:
        return None
    sign = 1 if by is By.COST else -1  # what is worse costs more
    low, high = sorted(sign * end for end in comparison.interval)
    return replace(comparison, difference=sign * comparison.difference, interval=(low, high))


def signed_difference(comparison: PairedComparison, by: By) -> str:
    """A difference with its sign and its interval: "−1.2 points (−2.8 to 0.4)", "+0.040 (0.010 to 0.070)"."""
    figures = (comparison.difference, *comparison.interval)
    if by is By.RIGHT:
        fine = decimals_for(figures[2] - figures[1])
        figure, *ends = (percentage_points(value, fine) for value in figures)
    else:
        fine = decimals_of(list(figures)) if max(map(abs, figures)) < WHOLE_FROM else 0
        figure, *ends = (with_minus(f"{v:,.{fine}f}") if by is By.COST else coefficient(v) for v in figures)
    is_zero = not any(digit in figure for digit in "123456789")
    figure, sign = figure.lstrip(MINUS) if is_zero else figure, "+" if comparison.difference > 0 and not is_zero else ""
    span = f" ({' to '.join(ends)})" if comparison.interval[1] > comparison.interval[0] else ""
    return f"{sign}{figure}{' points' if by is By.RIGHT else ''}{span}"


@dataclass(frozen=True, eq=False)
class ComparedRun(Evaluated):
    """A run to compare: its name and its accuracy in each test part."""

    name: str
    scores: FoldScores
    report: Report | None = None
    """Its measures, needed to compare by AUC."""
    priced: CostedResult | None = None
    """Its costs, needed to compare by them."""
    burden: int = 1

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
    posterior: SuperiorityProbabilities | None
    by: By = By.RIGHT

    @property
    def paired(self) -> PairedComparison | None:
        return self.lead.paired

    @property
    def is_independent(self) -> bool:
        """Whether the two were not evaluated on the same tests."""
        return self.paired is None or not self.paired.is_paired

    @property
    def p_value(self) -> float:
        return self.lead.p_value

    @property
    def corrected(self) -> float:
        """p-value corrected for all pairs of the family (Tukey-Holm by default)."""
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
        return pair_sentence(self.first.name, self.second.name, self.lead, self.by)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The comparison of two or more runs: ``headline``, explaining ``sentences``, and the ``tests`` behind them."""

    headline: str
    sentences: tuple[str, ...]
    pairs: tuple[Pair, ...]
    tests: tuple[SignificanceTest, ...]
    overall: MultiComparison | None = None
    """Comparison of all accuracies over the common test parts; None by another measure or with too few parts."""
    by: By = By.RIGHT
    available: tuple[By, ...] = (By.RIGHT,)
    """The measures by which these runs can be compared."""
    guess: float | None = None
    """The value of the measure that the baseline reaches."""
    above_baseline: tuple[Pair, ...] = ()
    """The test of each run against the baseline, corrected for the number of runs (Holm); empty without reports."""

    @property
    def tied(self) -> tuple[ComparedRun, ...]:
        """The other runs that have the same value of the measure as the best one."""
        return _tied(self.pairs)


def _tied(pairs: Sequence[Pair]) -> tuple[ComparedRun, ...]:
    """The second runs of the pairs in which both have the same value of the measure."""
    return tuple(pair.second for pair in pairs if pair.second.figure(pair.by) == pair.first.figure(pair.by))


def compared_runs(
    runs: Sequence[ComparedRun],
    among: Sequence[ComparedRun] = (),
    correction: str = DEFAULT_CORRECTION,
    by: By | None = None,
    checkpoint: Callable[[], object] = int,
    n_planned: int = 0,
) -> Comparison:
    """Compare two or more runs; p-values are corrected for all pairs of these and of ``among``.

    ``among`` are the runs evaluated together with them, ``n_planned`` is the number of learners asked for if more are
    to come. ``by`` is the measure; :func:`usual_measure` if it is None or not known of all ``runs``. Raises
    :class:`DataError` if a run was tested on its training records.
    """
    if len(runs) < 2:
        raise DataError("There is only one run.", remedy="Choose another one to compare it with.")
    for run in runs:
        if run.scores.result.test_is_training:
            raise DataError(
                f"{run.name} was tested on its training data, so it cannot be compared.",
                remedy="Test it with cross-validation.",
            )
    own = {run.scores.result for run in runs}
    outside = [run for run in among if run.scores.result not in own]
    available = _available(runs)
    measure = by if by in available else usual_measure(runs, outside, checkpoint, n_planned)
    if measure is By.AUC:
        for run in (*runs, *outside):
            run.scores.compute_areas(checkpoint)
    order = sorted(runs, key=lambda run: run.figure(measure) * (1 if measure is By.COST else -1))
    overall = _over_parts(order, outside, correction, n_planned) if measure is By.RIGHT else None
    pairs = _pairs(order, outside, correction, measure, checkpoint, n_planned)
    comparison = (
        _compare_two(pairs[0], overall) if len(order) == 2 else _compare_several(order, pairs, overall, correction)
    )
    above = above_baseline(order, outside, measure, checkpoint, n_planned)
    comparison = replace(comparison, by=measure, available=available, above_baseline=above)
    if measure is By.COST:
        return _costs_beside_baseline(comparison)
    return _beside_baseline(comparison, is_chosen=measure is by)


def _available(runs: Sequence[ComparedRun]) -> tuple[By, ...]:
    """The measures that all runs have."""
    has_auc = all(run.report is not None and run.report.auc is not None for run in runs)
    has_costs = all(run.priced is not None for run in runs)
    return (By.RIGHT, *([By.AUC] if has_auc else []), *([By.COST] if has_costs else []))


def usual_measure(
    runs: Sequence[ComparedRun],
    outside: Sequence[ComparedRun] = (),
    checkpoint: Callable[[], object] = int,
    n_planned: int = 0,
) -> By:
    """The measure that ranks compared learners: cost if known of all, else accuracy if one is above the baseline.

    If no accuracy is significantly above it but some AUC is, it is AUC. Those ``outside`` count as well.
    """
    available = _available(runs)
    if By.COST in available or By.AUC not in available:
        return By.COST if By.COST in available else By.RIGHT
    for by in (By.RIGHT, By.AUC):
        if any(pair.lead.is_significant for pair in above_baseline(runs, outside, by, checkpoint, n_planned)):
            return by
    return By.RIGHT


def above_baseline(
    runs: Sequence[ComparedRun],
    outside: Sequence[ComparedRun],
    by: By,
    checkpoint: Callable[[], object] = int,
    n_planned: int = 0,
) -> tuple[Pair, ...]:
    """Each of ``runs`` paired with the baseline, corrected for the number of these and those ``outside`` (Holm).

    The baseline is a run that predicts a constant, else the constant of the tests of the first run.
    """
    everyone = [*runs, *(run for run in outside if by in _available([run]))]
    baseline = next((run for run in everyone if run.burden == 0), None) or _constant_of(runs[0], by)
    if baseline is None:
        return ()
    negligible = negligible_difference(runs[0], by)
    if by is By.AUC:
        for run in (*everyone, baseline):
            run.scores.compute_areas(checkpoint)
    others = (run for run in everyone if run is not baseline)
    pairs = [_pair(run, baseline, by, negligible) for run in stoppable(others, checkpoint)]
    pairs = [  # runs on other tests have a baseline of their own
        _pair(pair.first, _constant_of(pair.first, by) or baseline, by, negligible) if pair.is_independent else pair
        for pair in pairs
    ]
    p_values, way = [pair.p_value for pair in pairs], significance_tests.BASELINE_CORRECTION
    n = n_beside_baseline(len(pairs), n_planned, is_planned=baseline in everyone)
    corrected = significance_tests.corrected_p(p_values, [], n, way)
    return tuple(
        replace(pair, lead=replace(pair.lead, corrected=p, n_pairs=n, correction=way))
        for pair, p in zip(pairs, corrected, strict=True)
        if pair.first in runs
    )


def _constant_of(run: ComparedRun, by: By) -> ComparedRun | None:
    """The baseline on the tests of a run; None without its report."""
    if run.report is None:
        return None
    costs = run.priced.costs if by is By.COST and run.priced is not None else None
    *_, constant = with_baseline([Contender(0, run.name, 1, run.report, run.scores)], costs)
    return ComparedRun(constant.name, constant.scores, constant.report, constant.priced, 0)


def _beside_baseline(comparison: Comparison, is_chosen: bool) -> Comparison:
    """Adds the value of the baseline, and why AUC counts where it was not chosen."""
    report = comparison.pairs[0].first.report
    if report is None:
        return comparison
    if comparison.by is By.RIGHT:
        return replace(comparison, guess=report.baseline_accuracy)
    shown = [comparison.pairs[0].first, *(pair.second for pair in comparison.pairs)]
    classes = {run.report.baseline_class for run in shown if run.report is not None}
    always = f"the baseline (always {report.baseline_class})" if len(classes) == 1 else "its baseline"
    why = f"No accuracy is significantly above {always}, so AUC counts here."
    return replace(comparison, sentences=(*([] if is_chosen else [why]), *comparison.sentences), guess=0.5)


def _costs_beside_baseline(comparison: Comparison) -> Comparison:
    """Adds what the baseline costs on the tests of the best run, and leads with it if that costs no less."""
    best = comparison.pairs[0].first
    priced, sentences = best.priced, (*comparison.sentences, "Each run decides by least expected cost.")
    if priced is None or best.report is None:
        return replace(comparison, sentences=sentences)
    headline, always = comparison.headline, f"the baseline (always {priced.guessed})"
    baseline = next((pair.second for pair in comparison.above_baseline if pair.first is best), best)
    if not any(pair.lead.is_significant for pair in comparison.above_baseline if pair.second is baseline):
        is_least = priced.mean < priced.guess
        who = f"{best.name} costs least, but no run" if is_least else "No run"
        adjusted = adjusted_words([pair.lead for pair in comparison.above_baseline], "runs")
        headline = f"{who} costs significantly less than {always}{adjusted}"
    costs = f"{always[0].upper()}{always[1:]} costs {in_column(priced.guess, By.COST)} per record."
    return replace(comparison, headline=headline, sentences=(costs, *sentences), guess=priced.guess)


def _pairs(
    order: Sequence[ComparedRun],
    outside: Sequence[ComparedRun],
    correction: str,
    by: By,
    checkpoint: Callable[[], object],
    n_planned: int,
) -> list[Pair]:
    """The best run paired with each other one, corrected for all pairs of these and the runs ``outside``.

    Pairs with a run outside whose value of the measure is unknown count as p = 1.
    """
    negligible = negligible_difference(order[0], by)
    uncorrected = [_pair(order[0], other, by, negligible) for other in stoppable(order[1:], checkpoint)]
    own = [(0, place) for place in range(1, len(order))]
    family = [*order, *(run for run in outside if by in _available([run]))]
    rest = p_values_of_others(family, by, own, checkpoint)
    p_values, n_pairs = [pair.p_value for pair in uncorrected], n_pairs_of(max(len(order) + len(outside), n_planned))
    corrected = corrected_p(p_values, rest, n_pairs, correction)
    return [
        replace(of_best, lead=replace(of_best.lead, corrected=p, n_pairs=n_pairs, correction=correction))
        for of_best, p in zip(uncorrected, corrected, strict=True)
    ]


def _pair(first: ComparedRun, second: ComparedRun, by: By, negligible: float) -> Pair:
    try:
        paired = paired_difference(first, second, by)
    except DataError:
        z = _independent_z(first, second, by)
        error = 2 * NormalDist().cdf(-abs(z))
        return Pair(first, second, PairedLead(None, error, error, is_ahead=z > 0), None, by)
    posterior = None
    if not paired.by_records:
        one, other = scores_by((first, second), by)
        differences, share = one.differences(other)
        posterior = bayesian_correlated_t(scale_of((first, second), by) * differences, share, negligible)
    lead = PairedLead(paired, paired.p_value, paired.p_value, negligible=negligible)
    return Pair(first, second, lead, posterior, by)


def _independent_z(first: ComparedRun, second: ComparedRun, by: By) -> float:
    """The difference of two independent results in units of its standard error."""
    difference, error = error_difference(
        1 - first.accuracy, first.scores.result.n_effective, 1 - second.accuracy, second.scores.result.n_effective
    )
    if by is By.COST and first.priced is not None and second.priced is not None:
        difference = second.priced.mean - first.priced.mean
        margins = [priced.interval[1] - priced.mean for priced in (first.priced, second.priced)]
        error = math.hypot(*margins) / normal_quantile(CONFIDENCE)
    return difference / error if error else math.inf if difference else 0.0


# ---- two -------------------------------------------------------------------------------------------------------------


BETTER: Final = {By.RIGHT: "higher accuracy", By.COST: "lower cost", By.AUC: "higher AUC"}
OF_MEASURE: Final = {By.RIGHT: "", By.COST: " in cost", By.AUC: " in AUC"}


def _compare_two(pair: Pair, overall: MultiComparison | None) -> Comparison:
    first, second, by = pair.first, pair.second, pair.by
    n = min(first.scores.result.n_records, second.scores.result.n_records)
    figures = first.figure(by), second.figure(by)
    shown = [in_column(figure, by) for figure in figures]
    if by is By.RIGHT:
        shown = [percent(share, decimals=decimals_for(figures[0] - figures[1])) for share in figures]
    ahead = f"{first.noun(by)} of {first.tested_name} {shown[0]}, of {second.tested_name} {shown[1]}"
    sentences = [f"{ahead}.", pair.sentence()]
    if pair.is_same:
        headline = "The two are practically equivalent"
        least = pair.lead.negligible
        within = size_in_points(least) if by is By.RIGHT else in_column(least, by)
        sentences.append(f"The difference is within ±{within}: prefer the simpler one or the easier to explain.")
    elif pair.differs:
        headline = f"{first.name} has a significantly {BETTER[by]}"
    else:
        headline = f"No significant difference{OF_MEASURE[by]} with {n:,} records"
        sentences.append("With more records, or more repeats of the test method, a difference may become significant.")
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
    which = "the other test" if len(others) == agree == 1 else f"{agree} of {counted(len(others), 'other test')}"
    return f"{_decides([decided_by])}; {which} {'gives' if agree == 1 else 'give'} the same verdict."


def _decides(names: Sequence[str]) -> str:
    """A clause on the tests that decide: "The deciding test is “Paired t”"."""
    quotes = [quoted(name) for name in names]
    return f"The deciding test is {quotes[0]}" if len(quotes) == 1 else f"The deciding tests are {listed(quotes)}"


def _scope_sentence(pair: Pair) -> str:
    try:
        check_comparable(pair.first.scores.result, pair.second.scores.result)
    except DataError:
        return (
            "They were not tested on the same records, so their results are treated as independent. The same method "
            "and seed for both would detect smaller differences."
        )
    if pair.paired is not None and pair.paired.by_records:
        return "The test compares these two models, not the learners on other training records."
    return "The test compares the two learners, not the final model that each trained on all records."


def tests_of(first: ComparedRun, second: ComparedRun) -> list[SignificanceTest]:
    """Every test that suits how the two runs were evaluated, uncorrected for other pairs."""
    return _tests(_pair(first, second, By.RIGHT, NEGLIGIBLE))


def _tests(pair: Pair) -> list[SignificanceTest]:
    """Every test that suits the measure and how the pair was evaluated."""
    if pair.is_independent:
        return [deciding_test(pair)]
    tests = _tests_by_parts(*scores_by((pair.first, pair.second), pair.by))
    if pair.by is not By.RIGHT:
        return tests or [deciding_test(pair)]
    alone, together = discordant_counts(pair.first.scores, pair.second.scores)
    return [
        *tests,
        significance_tests.mcnemar_exact(alone, together),
        significance_tests.mcnemar_corrected(alone, together),
    ]


def deciding_test(pair: Pair) -> SignificanceTest:
    """The significance test that gives the verdict on a pair."""
    if pair.paired is None:
        z = _independent_z(pair.first, pair.second, pair.by)
        name = "Difference of two error rates" if pair.by is By.RIGHT else "Difference of two mean costs"
        return SignificanceTest(name, "Z", z if math.isfinite(z) and z else None, pair.p_value, "TSKK Eq. 3.18")
    return test_of_difference(pair.paired, pair.by)


def _tests_by_parts(one: FoldScores, other: FoldScores) -> list[SignificanceTest]:
    differences, share = one.differences(other)
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


MOST_LEADERS: Final = 3
"""Most tied leaders that a headline names."""


def _compare_several(
    order: Sequence[ComparedRun], pairs: Sequence[Pair], overall: MultiComparison | None, correction: str
) -> Comparison:
    best, by, way = order[0], pairs[0].by, CORRECTIONS[correction].name
    apart = [pair.second.name for pair in pairs if pair.differs]
    together = [pair.second.name for pair in pairs if not pair.differs]
    chance = [pair.second.name for pair in pairs if not pair.differs and not pair.is_same]
    same = [pair.second.name for pair in pairs if pair.is_same]
    n = min(run.scores.result.n_records for run in order)
    if not apart:
        headline = f"None of these {len(order)} is significantly best{OF_MEASURE[by]} with {n:,} records"
    elif not together:
        headline = f"{best.name} has a significantly {BETTER[by]} than all others"
    else:
        leaders = [best.name, *(run.name for run in _tied(pairs))]
        names = listed(leaders) if len(leaders) <= MOST_LEADERS else f"{len(leaders)} runs"
        have = f"{best.name} has" if len(leaders) == 1 else f"{names} are tied for"
        n_others = len(together) - len(leaders) + 1
        others = "one other is not" if n_others == 1 else f"{n_others} others are not" if n_others else "all others are"
        headline = f"{have} the {MOST[by]}; {others} significantly worse"
    ahead = f"{best.noun(by)} of {best.tested_name} {in_column(best.figure(by), by)}"
    sentences = [f"{ahead}, slightly optimistic as the best of {counted(len(order), 'run')}."]
    if apart:
        sentences.append(f"Significantly worse: {listed(apart)}.")
    if chance and apart:
        sentences.append(f"Not significantly worse: {listed(chance)}.")
    if same:
        sentences.append(f"Practically equivalent: {listed(same)}.")
    sentences.append(
        f"{_decides(sorted({deciding_test(pair).name for pair in pairs}))}. "
        f"Each run is compared with the {'most accurate' if by is By.RIGHT else 'best'} one. The same tests chose that "
        f"one, so the p-values are corrected for all {pairs[0].lead.n_pairs} pairs ({way}), not only for these "
        f"{len(pairs)}."
    )
    tests = tuple(deciding_test(pair) for pair in pairs) if overall is None else overall.tests
    if overall is not None and any(pair.differs != (pair.nemenyi < ALPHA) for pair in overall.pairs):
        sentences.append(
            "For some pairs the tests of accuracies and of ranks disagree: ranks ignore how large a difference is. "
            "The test of accuracies decides."
        )
    return Comparison(headline, tuple(sentences), tuple(pairs), tests, overall)


def _over_parts(
    order: Sequence[ComparedRun], outside: Sequence[ComparedRun], correction: str, n_planned: int
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
    return compare_over_rows(
        [run.name for run in order],
        names,
        table,
        rope=NEGLIGIBLE,
        correction=correction,
        test_share=share,
        beside=other_p_values([run.scores for run in (*order, *outside)], inside) if outside else (),
        n_pairs=n_pairs_of(max(len(order) + len(outside), n_planned)),
    )


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
