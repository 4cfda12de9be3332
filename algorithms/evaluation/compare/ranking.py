"""Ranking of learners evaluated on the same folds, and the recommended learner in words.

The recommended learner is the simplest one whose difference from the best is not significant or not relevant. Its AUC
must not be significantly lower than that of an equally accurate learner. Verdicts come from
:mod:`~algorithms.evaluation.compare.significance_tests` and are corrected for all pairs; those against the baseline
are one for each learner and corrected by Holm. The recommended learner must not be worse at p < 0.05 without correction
either, else more comparisons would recommend ever weaker learners.

With costs the ranking uses the mean cost per record. It uses AUC only if no accuracy is significantly above the
baseline, by however little, and some AUC is; else accuracy. A learner that is not significantly better than the
baseline is never recommended.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.record_costs import RecordCosts
from algorithms.core.run_control import stoppable
from algorithms.evaluation.compare.multi_comparison import adjusted_words, listed_in_brief, n_beside_baseline
from algorithms.evaluation.compare.significance_tests import (
    BASELINE_CORRECTION,
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
    compared,
    corrected_p,
    n_learners_of,
    n_pairs_of,
    normal_difference,
    other_p_values,
    paired_areas,
    paired_by_parts,
    paired_t,
    sign_test,
)
from algorithms.evaluation.costs.cost_workings import (
    CostedResult,
    CostEvaluation,
    cheapest_constant,
    in_units_of,
    priced,
)
from algorithms.evaluation.costs.decision_rules import decided_otherwise
from algorithms.evaluation.measures.metrics import FEW_RECORDS, Report, chance_error, least_p_value, report
from algorithms.text.numbers import (
    MINUS,
    coefficient,
    decimals_for,
    decimals_of,
    in_hundredths,
    interval_words,
    p_words,
    percent,
    price,
    with_minus,
)
from algorithms.text.sentences import name_in_list, within_sentence

CONFIDENCE: Final = 0.95
"""Confidence level of each comparison with the best."""
NOTICEABLE_AUC: Final = 0.02
"""Smallest relevant difference in AUC."""
BASELINE: Final = -1
"""Key of the baseline that :func:`with_baseline` adds."""


class By(Enum):
    """The measure that ranks the learners."""

    RIGHT = "accuracy"
    COST = "cost per record"
    AUC = "AUC"

    @property
    def is_cost(self) -> bool:
        """Whether learners decide by least expected cost in the ranking."""
        return self is By.COST


NOUN: Final = {By.RIGHT: "Accuracy", By.COST: "Cost per record", By.AUC: "AUC"}
MEAN_AUC: Final = "Mean AUC of the folds"
MOST: Final = {By.RIGHT: "highest accuracy", By.COST: "lowest cost", By.AUC: "highest AUC"}
"""Words for the best by each measure."""


class Evaluated:
    """What is compared: the folds of a run, with its measures and costs if these are known.

    ``burden`` is its complexity, 0 for a constant prediction.
    """

    name: str
    burden: int
    scores: FoldScores
    report: Report | None
    priced: CostedResult | None

    @property
    def accuracy(self) -> float:
        return 0.0 if self.report is None else self.report.accuracy

    @property
    def is_baseline(self) -> bool:
        """Whether it is the constant prediction that :func:`with_baseline` added."""
        return False

    @property
    def _areas(self) -> FoldScores | None:
        """The AUCs of the folds if there are enough to test them; None of a constant prediction."""
        return self.scores.areas if self.burden and len(self.scores.areas.keys) >= LEAST_PARTS else None

    @property
    def auc(self) -> tuple[float, float]:
        """The AUC that is compared, of the folds or of all tests, and its error; of a constant prediction 0.5 and 0."""
        if self.burden == 0 or self.report is None or self.report.auc is None:
            return 0.5, 0.0
        return self.report.auc if self._areas is None else float(self._areas.accuracy.mean()), self.report.auc_error

    def noun(self, by: By) -> str:
        """What :meth:`figure` is, at the beginning of a sentence."""
        return NOUN[by] if by is not By.AUC or self._areas is None else MEAN_AUC

    @property
    def tested_name(self) -> str:
        """The name with the tested folds, if not all are tested: "C4.5, 7 of 10 folds"."""
        return ", ".join(filter(None, (self.name, self.scores.result.parts_judged())))

    def figure(self, by: By) -> float:
        """The value of the ranking measure."""
        if by is By.COST and self.priced is not None:
            return self.priced.mean
        return self.auc[0] if by is By.AUC else self.accuracy

    def interval(self, by: By) -> tuple[float, float] | None:
        """95% confidence interval, of AUC and cost over folds by the corrected resampled t; None if unknown."""
        if by is By.COST and self.priced is not None:
            return self.priced.interval_over_folds
        if by is not By.AUC or self.report is None:
            return None if self.report is None else self.report.interval
        if self.burden == 0:
            return 0.5, 0.5
        pooled = (0.0, 1.0) if self.report.auc_interval is None else self.report.auc_interval.ends
        if self._areas is None:
            return pooled
        mean = paired_t(self._areas.accuracy, CONFIDENCE, self._areas.test_share)
        low, high = mean.interval if mean.standard_error > 0 else (min(mean.difference, pooled[0]), pooled[1])
        return max(0.0, low), max(mean.difference, high)

    def interval_is_over(self, by: By) -> str:
        """What :meth:`interval` is over: "folds", by the corrected resampled t, "records", or "" for the wider one."""
        if by is By.COST and self.priced is not None:
            return "" if self.priced.has_enough_folds else "records"
        return "folds" if by is By.AUC and self._areas is not None else "records"


@dataclass(frozen=True, eq=False)
class Contender(Evaluated):
    """An evaluated learner: ``key`` identifies it, ``burden`` is its complexity (0 for the baseline).

    ``priced`` is its result under the cost matrix, if costs are set for its classes.
    """

    key: int
    name: str
    burden: int
    report: Report
    scores: FoldScores
    priced: CostedResult | None = None

    @property
    def is_baseline(self) -> bool:
        return self.key == BASELINE

    def report_by(self, by: By) -> Report:
        """Its measures under the decision rule of the ranking: least expected cost if that ranks, else the default."""
        if by is not By.COST or self.priced is None:
            return self.report
        return decided_otherwise(self.report, self.priced.standing.confusion)

    def balanced(self) -> float | None:
        """Balanced accuracy over the tested classes; None without any."""
        recalls = [metrics.recall for metrics in self.report.per_class if metrics.recall is not None and metrics.n > 0]
        return sum(recalls) / len(recalls) if recalls else None


@dataclass(frozen=True, eq=False)
class RankingPlace:
    """A rank with the paired comparison of the best learner with this one, ``lead``.

    It is in terms of accuracy, cost or AUC, and None for the best itself and if nothing is comparable.
    """

    contender: Contender
    place: int
    lead: PairedLead | None = None
    """Paired difference between the best learner and this one."""
    above_baseline: PairedLead | None = None
    """Paired difference between this learner and the baseline, corrected for all learners; None without a baseline."""

    @property
    def behind(self) -> PairedComparison | None:
        """The uncorrected comparison of :attr:`lead`."""
        return None if self.lead is None else self.lead.paired

    @property
    def beats_baseline(self) -> bool:
        """Whether it is significantly better than the baseline, by however little."""
        return self.above_baseline is not None and self.above_baseline.is_significant

    @property
    def verdict(self) -> LeadVerdict:
        return LeadVerdict.CHANCE if self.lead is None else self.lead.verdict

    @property
    def is_negligible(self) -> bool:
        """Whether the difference from the best is surely irrelevant."""
        return self.verdict is LeadVerdict.NEGLIGIBLE

    @property
    def may_be_as_good(self) -> bool:
        """Whether the difference from the best is irrelevant or, uncorrected, not significant."""
        return self.behind is None or not self.behind.significant or self.is_negligible


@dataclass(frozen=True, eq=False)
class Ranking:
    """Learners by rank, with a recommendation.

    ``recommended`` is the simplest learner that may be as good as the best, in AUC as well.
    """

    standings: tuple[RankingPlace, ...]
    flatters: bool
    """Whether they were tested on their training records; then none is recommended."""
    by: By = By.RIGHT
    by_accuracy: Ranking | None = None
    """The ranking by accuracy that does not tell the learners from the baseline, where AUC ranks."""
    area_leads: Mapping[int, PairedLead] = field(default_factory=dict)
    """Leads in AUC of :attr:`best_ranking` by key, as :func:`_area_leads` gives them, where accuracy ranks."""

    @property
    def best(self) -> RankingPlace:
        return self.standings[0]

    @cached_property
    def learners(self) -> tuple[RankingPlace, ...]:
        """The places of the learners, without an added baseline."""
        return tuple(standing for standing in self.standings if not standing.contender.is_baseline)

    @cached_property
    def recommended(self) -> RankingPlace | None:
        if self.flatters or len(self.learners) < 2:
            return None
        guess = self.guessing
        if guess is not None and (guess is self.best or not self.beats_baseline):
            return guess
        telling = [standing for standing in self._as_good if not self.may_rank_worse(standing)]
        if guess is not None:
            telling = [standing for standing in telling if standing is self.best or standing.beats_baseline]
        if self.by is By.AUC:  # a relevantly lower AUC is no reason for a simpler learner
            top = self.best.contender.figure(By.AUC)
            telling = [standing for standing in telling if top - standing.contender.figure(By.AUC) < NOTICEABLE_AUC]
        return min(telling, key=lambda s: (s.contender.burden, s.place))

    @cached_property
    def poorer(self) -> tuple[RankingPlace, ...]:
        """Learners about as accurate as the best, with an AUC significantly below the highest, simplest first."""
        if self.recommended is None or self.by is not By.RIGHT:
            return ()
        level = [standing for standing in self.standings if standing.verdict is not LeadVerdict.REAL]
        worse = [s for s in level if self.may_rank_worse(s) and self.area_leads[s.contender.key].is_significant]
        return tuple(sorted(worse, key=lambda s: (s.contender.burden, s.place)))

    @cached_property
    def best_ranking(self) -> RankingPlace:
        """The learner with the highest AUC among those that may be as good as the best."""
        return max(self._as_good, key=lambda s: s.contender.figure(By.AUC))

    @cached_property
    def _as_good(self) -> list[RankingPlace]:
        return [standing for standing in self.standings if standing.may_be_as_good]

    @cached_property
    def beats_baseline(self) -> bool:
        """Whether any learner is significantly better than the baseline."""
        return any(standing.beats_baseline for standing in self.standings)

    def may_rank_worse(self, standing: RankingPlace) -> bool:
        """Whether its AUC is relevantly below the highest and, uncorrected, significantly."""
        lead = self.area_leads.get(standing.contender.key)
        ahead = None if lead is None else lead.paired
        return ahead is not None and ahead.significant and ahead.difference > NOTICEABLE_AUC

    @cached_property
    def guessing(self) -> RankingPlace | None:
        """The baseline learner (majority class), if it was evaluated; else None."""
        return next((standing for standing in self.standings if standing.contender.burden == 0), None)

    @property
    def n_comparisons(self) -> int:
        """Number of learners that are compared with the best one."""
        return len(self.learners) - 1


def with_baseline(contenders: Sequence[Contender], costs: RecordCosts | None) -> list[Contender]:
    """The contenders, at least one, and the baseline on their tests unless one of them is it.

    The baseline always predicts the most frequent class, under ``costs`` the class for which that is cheapest.
    """
    if any(contender.burden == 0 for contender in contenders):
        return list(contenders)
    result, own = contenders[0].scores.result, contenders[0].report
    code = result.baseline_class
    if costs is not None:
        code = cheapest_constant(CostEvaluation(result, own.confusion, costs))[0]
    certain = np.zeros((len(result), len(result.classes)))
    certain[:, code] = 1.0
    training = None if result.resubstitution is None else np.zeros_like(result.resubstitution)
    if training is not None and result.resubstitution is not None:
        training[:, code] = result.resubstitution.sum(axis=1)
    constant = replace(
        result, decision=np.full_like(result.decision, code), probabilities=certain, resubstitution=training
    )
    measures, scores = report(constant), FoldScores.of(constant)
    cost = None if costs is None else priced(CostEvaluation(constant, measures.confusion, costs))
    name = f"Baseline (always {result.classes[code]})"
    return [*contenders, Contender(BASELINE, name, 0, measures, scores, cost)]


def ranked(contenders: Sequence[Contender], checkpoint: Callable[[], object] = int, n_planned: int = 0) -> Ranking:
    """Rank by mean cost if all have costs, else by accuracy; equal values by complexity.

    It ranks by AUC if no accuracy is significantly above the baseline but some AUC is. The contenders, at least one,
    share method and seed. What the recommendation needs is computed here, so that to show it takes no time. AUCs are
    computed only where they are compared or told: never of tests on training data, rarely beside costs. Pairs of the
    ``n_planned`` learners that are still to be tested count as p = 1, so no p-value rises when they are tested.
    """
    is_priced = all(contender.priced is not None for contender in contenders)
    ranking = _ranked_by(By.COST if is_priced else By.RIGHT, contenders, checkpoint, n_planned)
    if ranking.flatters or (is_priced and (ranking.recommended is None or ranking.recommended.contender.burden > 0)):
        return ranking
    for contender in contenders:
        contender.scores.compute_areas(checkpoint)
    if not is_priced and ranking.guessing is not None and not ranking.beats_baseline:
        by_auc = _ranked_by(By.AUC, contenders, checkpoint, n_planned)
        ranking = replace(by_auc, by_accuracy=ranking) if by_auc.beats_baseline else ranking
    if ranking.by is By.RIGHT:
        ranking = replace(ranking, area_leads=_area_leads(ranking, checkpoint, n_planned))
    _ = ranking.poorer  # it keeps its answer and that of what is recommended
    return ranking


def _ranked_by(
    by: By, contenders: Sequence[Contender], checkpoint: Callable[[], object] = int, n_planned: int = 0
) -> Ranking:
    sign = 1 if by is By.COST else -1
    order = sorted(contenders, key=lambda c: (sign * c.figure(by), c.burden))
    best = order[0]
    if best.report.test_is_training:
        places = (RankingPlace(contender, place) for place, contender in enumerate(order, start=1))
        return Ranking(tuple(places), True, by)
    negligible = negligible_difference(best, by)
    guess = next((contender for contender in order if contender.burden == 0), None)
    above = {} if guess is None else above_baseline(order, guess, by, negligible, checkpoint, n_planned)
    learners = [contender for contender in order if not contender.is_baseline]
    leads = _leads(learners, by, negligible, checkpoint, n_planned)
    if best.is_baseline:
        leads = {
            contender.key: replace(above[contender.key], paired=paired_difference(best, contender, by))
            for contender in order[1:]
        }
    elif guess is not None and guess.is_baseline:
        leads[guess.key] = above[best.key]
    standings = (
        RankingPlace(contender, place, leads.get(contender.key), above.get(contender.key))
        for place, contender in enumerate(order, start=1)
    )
    return Ranking(tuple(standings), False, by)


def negligible_difference(best: Evaluated, by: By) -> float:
    """Largest irrelevant difference: 1 point of accuracy, 0.02 of AUC, 1% of what the cheapest constant costs."""
    if by is By.COST:
        return 0.0 if best.priced is None else NEGLIGIBLE * abs(best.priced.guess)
    return NOTICEABLE_AUC if by is By.AUC else NEGLIGIBLE


def _leads(
    learners: Sequence[Contender], by: By, negligible: float, checkpoint: Callable[[], object], n_planned: int
) -> dict[int, PairedLead]:
    """The lead of the first over each other learner, by key, corrected for all their pairs: these tests chose it."""
    paired = [paired_difference(learners[0], contender, by) for contender in stoppable(learners[1:], checkpoint)]
    p_values, n_pairs = [of_best.p_value for of_best in paired], n_pairs_of(max(len(learners), n_planned))
    own = [(0, place) for place in range(1, len(learners))]
    rest = p_values_of_others(learners, by, own, checkpoint) if paired else []
    return {
        contender.key: PairedLead(of_best, of_best.p_value, p, n_pairs, negligible)
        for contender, of_best, p in zip(learners[1:], paired, corrected_p(p_values, rest, n_pairs), strict=True)
    }


def _area_leads(ranking: Ranking, checkpoint: Callable[[], object], n_planned: int) -> dict[int, PairedLead]:
    """The lead in AUC of the best ranking learner over each other one, by key, corrected as in :func:`_ranked_by`."""
    best, everyone = ranking.best_ranking.contender, [place.contender for place in ranking.standings]
    if best.is_baseline or best.report.auc is None:
        return {}
    n_planned = max(n_planned, len(ranking.learners))
    others = [one for one in everyone if one is not best and one.report.auc is not None]
    learners = [best, *(one for one in others if not one.is_baseline)]
    rules = By.AUC, NOTICEABLE_AUC, checkpoint, n_planned
    beside = {one.key: above_baseline(learners, one, *rules)[best.key] for one in others if one.is_baseline}
    return _leads(learners, *rules) | beside


def above_baseline(
    learners: Sequence[Contender],
    baseline: Contender,
    by: By,
    negligible: float,
    checkpoint: Callable[[], object],
    n_planned: int = 0,
) -> dict[int, PairedLead]:
    """How far each learner is ahead of the baseline, by key, corrected for the number of learners by Holm.

    The baseline is no candidate, so this is one comparison a learner and no family of all pairs.
    """
    others = [learner for learner in learners if learner is not baseline]
    paired = [paired_difference(learner, baseline, by) for learner in stoppable(others, checkpoint)]
    p_values = [ahead.p_value for ahead in paired]
    n = n_beside_baseline(len(others), n_planned, is_planned=not baseline.is_baseline)
    corrected = corrected_p(p_values, [], n, BASELINE_CORRECTION)
    return {
        learner.key: PairedLead(ahead, ahead.p_value, p, n, negligible, BASELINE_CORRECTION)
        for learner, ahead, p in zip(others, paired, corrected, strict=True)
    }


def p_values_of_others(
    family: Sequence[Evaluated], by: By, tested: Collection[tuple[int, int]], checkpoint: Callable[[], object]
) -> list[float]:
    """p-values of the pairs (i, j), i < j, of a family that are not in ``tested``."""
    if by is By.AUC:
        pairs = sorted(set(combinations(range(len(family)), 2)) - set(tested))
        return [area_difference(family[i], family[j]).p_value for i, j in stoppable(pairs, checkpoint)]
    return other_p_values(scores_by(family, by), tested, checkpoint)


def scores_by(runs: Sequence[Evaluated], by: By) -> list[FoldScores]:
    """Fold scores of accuracy, AUC, or costs in one unit, larger is better; :func:`scale_of` has the unit."""
    if by is By.AUC:
        return [run.scores.areas for run in runs]
    costed = [run.priced for run in runs if run.priced is not None]
    if by is By.COST and len(costed) == len(runs):
        return [in_units_of(scale_of(runs, by), priced) for priced in costed]
    return [run.scores for run in runs]


def scale_of(runs: Sequence[Evaluated], by: By) -> float:
    """The unit of :func:`scores_by`: the largest span of the costs, or 1."""
    return max(run.priced.scale for run in runs if run.priced is not None) if by is By.COST else 1.0


def paired_difference(first: Evaluated, second: Evaluated, by: By) -> PairedComparison:
    """By how much the first is better, in units of the measure; raises :class:`DataError` without common tests."""
    if by is By.AUC:
        return area_difference(first, second)
    one, other = scores_by((first, second), by)
    return compared(one, other, CONFIDENCE).times(scale_of((first, second), by))


def area_difference(first: Evaluated, second: Evaluated) -> PairedComparison:
    """Difference in AUC: the corrected resampled t test of the AUCs of the folds, or DeLong's paired test of records.

    The latter tests runs with fewer than :data:`LEAST_PARTS` folds that have an AUC. Over all records of ten folds it
    would call 5% to 19% of the differences of equal learners significant. AUCs of other tests are independent.
    """
    one, other = first.scores, second.scores
    is_paired, is_beside_constant = True, 0 in (first.burden, second.burden)
    try:
        check_comparable(one.result, other.result)
    except DataError:
        is_paired = False
    else:
        by_parts = paired_by_parts(*one.areas.differences(other.areas), CONFIDENCE)
        if by_parts is not None:
            return by_parts
    (area, error), (other_area, other_error) = first.auc, second.auc
    fewer, both = max((one.result, other.result), key=least_p_value), math.hypot(error, other_error)
    if is_beside_constant and min(fewer.class_counts, default=0) < FEW_RECORDS:
        both = max(both, chance_error(fewer))
    independent = normal_difference(area - other_area, both, fewer, CONFIDENCE)
    if is_paired and not is_beside_constant:  # the AUC of a constant has no error
        return paired_areas((area, one), (other_area, other), both, CONFIDENCE) or replace(independent, is_paired=False)
    return replace(independent, is_paired=is_paired)


def test_of_difference(of: PairedComparison, by: By) -> SignificanceTest:
    """The test behind a paired difference: of the areas, of the folds or of the records."""
    statistic = of.difference / of.standard_error if of.standard_error else None
    if by is By.AUC and of.by_records:
        if of.is_paired:
            return SignificanceTest("DeLong, paired", "Z", statistic, of.p_value, "DeLong and others 1988")
        source = "Hanley and McNeil 1982, DeLong 1988"
        return SignificanceTest("Difference of two AUCs", "Z", statistic, of.p_value, source)
    if of.by_records and of.signs is not None:
        return sign_test(of.signs, of.p_value)
    if of.by_records:
        return SignificanceTest("Paired test of records", "Z", statistic, of.p_value, "McNemar 1947")
    return SignificanceTest("Corrected resampled t", "t", statistic, of.p_value, "Nadeau and Bengio 2003")


@dataclass(frozen=True)
class RankingWords:
    """The ranking in words: headline, explaining sentences, and a caveat."""

    headline: str
    sentences: tuple[str, ...]
    caveat: str


RANKED_BY: Final = {
    By.RIGHT: "Ranked by accuracy.",
    By.COST: "Ranked by the cost per record under the cost matrix of Evaluate, each deciding by least expected cost.",
    By.AUC: "Ranked by AUC, the probability that a record of a class ranks above one of another (chance 0.5).",
}


ONE_AT_A_TIME: Final = (
    "Each is compared with the best only. A larger difference may be less significant if it varies more between folds."
)


def in_words(ranking: Ranking) -> RankingWords:
    """The ranking in sentences."""
    best, by = ranking.best.contender, ranking.by
    if ranking.n_comparisons == 0:
        only = ranking.learners[0].contender
        return RankingWords(f"Only {only.name} was tested", (f"{only.noun(by)} {figure_words(only, by)}.",), "")
    recommended = ranking.recommended
    if recommended is None:
        return RankingWords(
            f"{best.name} fits its training records best",
            ("All were tested on their training data, so this says nothing about new records.",),
            "Test with cross-validation to compare them.",
        )
    sentences = (
        _baseline_sentence(ranking),
        _interval_sentence(ranking),
        _advice_sentence(ranking, recommended),
        RANKED_BY[by],
    )
    caveat = (
        f"The best of {len(ranking.learners)} is slightly optimistic, because these same tests chose it. Test your "
        "choice once more on new records, for example a test file."
    )
    beside = ""
    if ranking.n_comparisons > 1:
        n_pairs = max(place.lead.n_pairs for place in ranking.learners if place.lead is not None)
        of_asked = f" of the {n} learners asked for" if (n := n_learners_of(n_pairs)) > len(ranking.learners) else ""
        family = f"all {n_pairs:,} pairs{of_asked} ({CORRECTIONS[DEFAULT_CORRECTION].name})"
        beside = f"{ONE_AT_A_TIME} The p-values are corrected for {family}. "
    return RankingWords(_headline(ranking, recommended), tuple(filter(None, sentences)), f"{beside}{caveat}")


def figure_words(contender: Contender, by: By) -> str:
    """The ranking value as text: "94.6%", "0.42", "0.853"."""
    return written(contender.figure(by), by)


def written(value: float, by: By) -> str:
    """A ranking value, or a bound of its interval, as text."""
    if by is By.RIGHT:
        return percent(value)
    return price(value) if by is By.COST else f"{value:.3f}"


def in_column(value: float, by: By) -> str:
    """A ranking value as text with the decimals of its table column: "0.690" under "0.687"."""
    if by is not By.COST or abs(value) >= WHOLE_FROM:
        return written(value, by)
    return with_minus(f"{value:.{3 if abs(value) < WHOLE_FROM / 10 else 2}f}")


def _headline(ranking: Ranking, recommended: RankingPlace) -> str:
    """The recommendation with its reason, in a sentence."""
    name, best = recommended.contender.name, ranking.best.contender
    adjusted = adjusted_words([of.above_baseline for of in ranking.learners if of.above_baseline], "learners")
    if ranking.by is By.AUC and ranking.guessing is not None:
        guess = ranking.guessing.contender.report
        is_any = any(standing.contender.report.accuracy > guess.accuracy for standing in ranking.standings)
        apart = "highest AUC" if recommended is ranking.best else "its AUC is close to the highest"
        how = f", compared {_unit_words(*above)}," if (above := _range_above_guess(ranking)) else ""
        return (
            f"Take {name}: {apart}, though{how} no accuracy is {'significantly ' if is_any else ''}higher than the "
            f"baseline (always {guess.baseline_class}){adjusted}"
        )
    if recommended.contender.burden == 0:
        if ranking.by is By.COST and best.priced is not None:
            least = "No learner" if recommended is ranking.best else f"{best.name} costs least, but no learner"
            return f"{least} costs significantly less than the baseline (always {best.priced.guessed}){adjusted}"
        return "Take none: no learner is significantly better than the baseline"
    if recommended is ranking.best:
        return f"Take {name}: {_beyond_others(ranking)}"
    simpler = "it is simpler, and " if recommended.contender.burden < best.burden else ""
    if recommended.is_negligible:
        return f"Take {name}: {simpler}practically equivalent to {best.name}"
    return f"Take {name}: {simpler}not significantly worse than {best.name}"


def _beyond_others(ranking: Ranking) -> str:
    """The reason to recommend the best despite its complexity, and than which learners it is not surely better."""
    rivals = [standing for standing in ranking.standings[1:] if standing.verdict is not LeadVerdict.REAL]
    level = f" significantly better than {_named(rivals)}"
    simpler = [standing for standing in ranking.standings if standing.contender.burden < ranking.best.contender.burden]
    if not simpler:
        return f"{MOST[ranking.by]}{f', though not{level}' if rivals else ''}, and nothing here is simpler"
    poorer = [name_in_list(standing.contender.name) for standing in simpler if standing in ranking.poorer]
    if poorer:
        others = [standing for standing in simpler if standing not in ranking.poorer]
        less = f", {'the other' if len(others) == 1 else 'the others'} a significantly lower accuracy"
        have = f"{listed_in_brief(poorer)} {'has' if len(poorer) == 1 else 'have'} a significantly lower AUC"
        are_less = bool(others) and all(standing.verdict is LeadVerdict.REAL for standing in others)
        return f"{MOST[ranking.by]}, and of the simpler ones {have}{less if are_less else ''}"
    if not rivals:
        rest = "all others" if len(ranking.standings) > 2 else f"the simpler {_named(simpler)}"
        return f"{MOST[ranking.by]}, significantly better than {rest}"
    if set(simpler) & set(rivals):
        return f"{MOST[ranking.by]}, though not{level}"
    return f"{MOST[ranking.by]}, significantly better than the simpler {_named(simpler)}, but not than {_named(rivals)}"


def _named(places: Sequence[RankingPlace]) -> str:
    return listed_in_brief([within_sentence(name_in_list(place.contender.name)) for place in places])


WHOLE_FROM: Final = 100
"""From here on costs have no decimals."""
_IN_MEASURE: Final = {By.RIGHT: "in accuracy", By.COST: "in cost per record", By.AUC: "in AUC"}


def lead(comparison: PairedComparison, by: By = By.RIGHT, name: str = "") -> str:
    """A difference with its interval and the ``name`` of that: "1.2 points (−0.4 to 2.8) more", "0.12 less (...)"."""
    figure, span, more = _parts_of_lead(comparison, by, name)
    return f"{figure}{span} {more}" if by is By.RIGHT else f"{figure} {more}{span}"


def _parts_of_lead(comparison: PairedComparison, by: By, name: str) -> tuple[str, str, str]:
    """The difference without a sign except of points, its interval in brackets or empty, and the direction."""
    low, high = comparison.interval
    name = f"{name} " if name else ""
    if by is By.RIGHT:
        fine = decimals_for(high - low)
        span = f" ({name}{percentage_points(low, fine)} to {percentage_points(high, fine)})" if high > low else ""
        return f"{percentage_points(comparison.difference, fine)} points", span, "more"
    if comparison.difference < 0:
        low, high = -high, -low
    more = {By.COST: ("less", "more"), By.AUC: ("higher", "lower")}[by][comparison.difference < 0]
    figures = [abs(comparison.difference), low, high]
    fine = decimals_of(figures) if max(map(abs, figures)) < WHOLE_FROM else 0
    figure, *ends = (with_minus(f"{value:,.{fine}f}") if by is By.COST else coefficient(value) for value in figures)
    return figure, f" ({name}{' to '.join(ends)})" if comparison.standard_error > 0 else "", more


def _lead_words(of: PairedLead, by: By) -> str:
    """The difference of a pair with its interval and the name of that; empty without paired tests."""
    comparison = of.corrected_comparison
    return "" if comparison is None else lead(comparison, by, of.interval_name)


def _without_direction(of: PairedLead, by: By) -> str:
    """A difference that is zero as written: "0.0 points (95% CI −1.2 to 1.2) in accuracy"; empty for any other."""
    if of.corrected_comparison is None:
        return ""
    figure, span, _ = _parts_of_lead(of.corrected_comparison, by, of.interval_name)
    is_zero = not any(digit in figure for digit in "123456789")
    return f"{figure.lstrip(MINUS)}{span} {_IN_MEASURE[by]}" if is_zero else ""


def lead_sentence(best: Contender, standing: RankingPlace, by: By) -> str:
    """The difference between the best and a ranked learner, as on the page Compare."""
    return "" if standing.lead is None else pair_sentence(best.name, standing.contender.name, standing.lead, by)


def brief_lead_sentence(best: Contender, standing: RankingPlace, by: By) -> str:
    """As :func:`lead_sentence`, without the name of the ranked learner and the number of pairs."""
    if standing.behind is None or standing.lead is None:
        return ""
    verdict = f"{standing.lead.verdict.value} ({p_words(standing.lead.corrected)})"
    ahead = _lead_words(standing.lead, by)
    if level := _without_direction(standing.lead, by):
        return f"{best.name} differs by {level}: {verdict}."
    if by is By.COST:
        return f"{best.name} costs {ahead} per record: {verdict}."
    return (
        f"The AUC of {best.name} is {ahead}: {verdict}."
        if by is By.AUC
        else f"{best.name} is {ahead} accurate: {verdict}."
    )


def pair_sentence(first: str, second: str, of: PairedLead, by: By = By.RIGHT) -> str:
    """The verdict on a pair for all pages: "A is 1.2 points (−0.4 to 2.8) more accurate than B: ..."."""
    test = "independent results" if of.paired is None else test_of_difference(of.paired, by).in_sentence
    chance, ahead = of.chance_words(test), _lead_words(of, by)
    if not ahead:
        return f"Difference of {first} and {second}: {chance}."
    if level := _without_direction(of, by):
        return f"{first} and {second} differ by {level}: {chance}."
    if by is By.COST:
        return f"{first} costs {ahead} per record than {second}: {chance}."
    of_auc = f"The AUC of {first} is {ahead} than that of {second}: {chance}."
    return of_auc if by is By.AUC else f"{first} is {ahead} accurate than {second}: {chance}."


def percentage_points(difference: float, decimals: int = 1) -> str:
    """A difference of shares in percentage points, without the unit: "1.2", "−0.4"."""
    return with_minus(in_hundredths(difference, decimals))


def _baseline_sentence(ranking: Ranking) -> str:
    """Why accuracy does not separate the learners; empty if it does."""
    if ranking.by is not By.AUC or ranking.guessing is None:
        return ""
    guess = ranking.guessing.contender.report
    return f"The baseline's accuracy is {percent(guess.accuracy)}, so here accuracy says little about what was learned."


def _range_above_guess(ranking: Ranking) -> tuple[Contender, PairedLead] | None:
    """A learner and its paired difference from the baseline, which is not significant; None without such a learner.

    The learner's own confidence interval excludes the accuracy of the baseline.
    """
    ranking = ranking.by_accuracy or ranking
    guess = ranking.guessing
    if guess is None or ranking.by is not By.RIGHT or ranking.recommended is not guess:
        return None
    for standing in ranking.standings:
        above = standing.above_baseline
        if above is None or standing.contender.report.interval[0] <= guess.contender.report.accuracy:
            continue
        if not above.is_significant and above.paired is not None:
            return standing.contender, above
    return None


def _interval_sentence(ranking: Ranking) -> str:
    """Why an interval above the baseline is no significant difference; empty if there is no such learner."""
    above = _range_above_guess(ranking)
    if above is None:
        return ""
    contender, ahead = above
    report = contender.report
    return (
        f"The {interval_words(*report.interval, decimals=report.decimals_beside_baseline)} of {contender.name} "
        "lies above the baseline, but compared "
        f"{_unit_words(contender, ahead)} the difference is not significant: {_lead_words(ahead, By.RIGHT)}."
    )


def _unit_words(contender: Contender, ahead: PairedLead) -> str:
    """The unit of a comparison: "fold by fold" or "record by record"."""
    is_by_records = ahead.paired is not None and ahead.paired.by_records
    part = "record" if is_by_records else contender.scores.result.method.part_name
    return f"{part} by {part}"


def _advice_sentence(ranking: Ranking, recommended: RankingPlace) -> str:
    """What to inspect if the ranking value does not separate the learners from the baseline; else empty."""
    if ranking.by is By.AUC:
        return (
            f"{recommended.contender.name} may still detect the rare class: set the cost matrix in Evaluate, or move "
            "the threshold there."
        )
    if recommended.contender.burden > 0:
        return ""
    top = max((standing.contender for standing in ranking.standings), key=lambda standing: standing.figure(By.AUC))
    if top.report.auc is None:
        return ""
    mean = "mean of the folds " if top.noun(By.AUC) == MEAN_AUC else ""
    area = f"{mean}{figure_words(top, By.AUC)}, chance 0.5"
    if ranking.by is By.COST:
        return f"{top.name} has the highest AUC ({area})."
    return f"No AUC is significantly above chance (the highest, of {top.name}, is {area})."
