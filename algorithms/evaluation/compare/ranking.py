"""Ranking of learners evaluated on the same folds, and the recommended learner in words.

The recommended learner is the simplest one whose difference from the best is not significant or not relevant. Its AUC
must not be significantly lower than that of an equally accurate learner. Verdicts come from
:mod:`~algorithms.evaluation.compare.pairwise_comparison` and are corrected for all pairs. The recommended learner must
not be significantly worse without correction either, else more comparisons would recommend ever weaker learners.

With costs the ranking uses the mean cost per record. If the baseline may be as accurate as the best, it uses AUC.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import combinations
from typing import Final

from algorithms.core.scores import normal_quantile
from algorithms.evaluation.compare.multi_comparison import listed
from algorithms.evaluation.compare.pairwise_comparison import (
    NEGLIGIBLE,
    LeadVerdict,
    PairedLead,
    corrected_p,
    n_pairs_of,
    other_p_values,
)
from algorithms.evaluation.compare.significance_tests import FoldScores, PairedComparison, compared
from algorithms.evaluation.costs.cost_ranking import CostedResult, cheaper_by, in_units_of
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.numbers import decimals_for, in_100, price

CONFIDENCE: Final = 0.95
"""Confidence level of each comparison with the best."""
NOTICEABLE_AUC: Final = 0.02
"""Smallest relevant difference in AUC."""


class By(Enum):
    """The measure that ranks the learners."""

    RIGHT = "how often they are right"
    COST = "what a record costs"
    AUC = "AUC"


@dataclass(frozen=True, eq=False)
class Contender:
    """An evaluated learner: ``key`` identifies it, ``burden`` is its complexity (0 for the baseline).

    ``priced`` is its result under the cost matrix, if costs are set for its classes.
    """

    key: int
    name: str
    burden: int
    report: Report
    scores: FoldScores
    priced: CostedResult | None = None

    def figure(self, by: By) -> float:
        """The value of the ranking measure."""
        if by is By.COST and self.priced is not None:
            return self.priced.mean
        return self.report.accuracy if by is not By.AUC else area(self.report)

    def interval(self, by: By) -> tuple[float, float]:
        """95% confidence interval of the ranking measure."""
        if by is By.COST and self.priced is not None:
            return self.priced.interval
        if by is not By.AUC:
            return self.report.interval
        area = self.report.auc_interval
        return (0.0, 1.0) if area is None else area.ends

    def balanced(self) -> float | None:
        """Balanced accuracy over the tested classes; None without any."""
        recalls = [metrics.recall for metrics in self.report.per_class if metrics.recall is not None and metrics.n > 0]
        return sum(recalls) / len(recalls) if recalls else None


@dataclass(frozen=True, eq=False)
class RankingPlace:
    """A rank with the paired comparison of the best learner with this one, ``behind``.

    ``behind`` is in terms of accuracy, cost or AUC. It is None for the best itself and if nothing is comparable.
    Differences below ``negligible`` are irrelevant.
    """

    contender: Contender
    place: int
    behind: PairedComparison | None
    negligible: float = NEGLIGIBLE
    corrected: float = 1.0
    """p-value of ``behind``, corrected for all ``n_pairs`` of ranked learners."""
    n_pairs: int = 1

    @property
    def lead(self) -> PairedLead | None:
        """Paired difference between the best learner and this one; None if there is no comparison."""
        if self.behind is None:
            return None
        return PairedLead(self.behind, self.behind.p_value, self.corrected, self.n_pairs, self.negligible)

    @property
    def verdict(self) -> LeadVerdict:
        return LeadVerdict.CHANCE if self.lead is None else self.lead.verdict

    @property
    def may_be_chance(self) -> bool:
        """Whether the difference from the best is not significant."""
        return self.lead is None or (self.lead.verdict is LeadVerdict.CHANCE)

    @property
    def is_negligible(self) -> bool:
        """Whether the difference from the best is surely irrelevant."""
        return self.verdict is LeadVerdict.NEGLIGIBLE

    @property
    def may_be_as_good(self) -> bool:
        """Whether the difference from the best is irrelevant or, uncorrected, not significant."""
        return self.behind is None or not self.behind.significant or self.is_negligible

    def chance_words(self) -> str:
        """The verdict in words: "that may be chance"."""
        return self.verdict.value


@dataclass(frozen=True, eq=False)
class Ranking:
    """Learners by rank, with a recommendation.

    ``recommended`` is the simplest learner that may be as good as the best and whose AUC is not significantly lower.
    """

    standings: tuple[RankingPlace, ...]
    flatters: bool
    """Whether they were tested on their training records; then none is recommended."""
    by: By = By.RIGHT

    @property
    def best(self) -> RankingPlace:
        return self.standings[0]

    @property
    def simplest(self) -> RankingPlace:
        return min(self.standings, key=lambda s: (s.contender.burden, s.place))

    @cached_property
    def recommended(self) -> RankingPlace | None:
        if self.flatters or len(self.standings) < 2:
            return None
        telling = [standing for standing in self._as_good if self.by is By.COST or not self._ranks_worse(standing)]
        if self.by is By.AUC:  # a relevantly lower AUC is no reason for a simpler learner
            top = self.best.contender.figure(By.AUC)
            telling = [standing for standing in telling if top - standing.contender.figure(By.AUC) < NOTICEABLE_AUC]
        return min(telling, key=lambda s: (s.contender.burden, s.place))

    @cached_property
    def poorer(self) -> tuple[RankingPlace, ...]:
        """Learners about as accurate as the best, with an AUC significantly below the highest, simplest first.

        Only the best itself and those simpler than the recommended learner.
        """
        recommended = self.recommended
        if recommended is None or self.by is not By.RIGHT:
            return ()
        burden = recommended.contender.burden
        worse = [s for s in self._as_good if self._ranks_worse(s) and (s is self.best or s.contender.burden < burden)]
        return tuple(sorted(worse, key=lambda s: (s.contender.burden, s.place)))

    @cached_property
    def best_ranking(self) -> RankingPlace:
        """The learner with the highest AUC among those that may be as good as the best."""
        return max(self._as_good, key=lambda s: -1.0 if s.contender.report.auc is None else s.contender.report.auc)

    @cached_property
    def _as_good(self) -> list[RankingPlace]:
        return [standing for standing in self.standings if standing.may_be_as_good]

    def _ranks_worse(self, standing: RankingPlace) -> bool:
        return surely_ranks_worse(standing.contender.report, self.best_ranking.contender.report)

    @cached_property
    def guessing(self) -> RankingPlace | None:
        """The baseline learner (majority class), if it was evaluated; else None."""
        return next((standing for standing in self.standings if standing.contender.burden == 0), None)

    @property
    def tells_only_by_auc(self) -> bool:
        """Whether the baseline may be as accurate as the best, while some AUC is significantly above its own."""
        guessing = self.guessing
        if self.flatters or guessing is None or not guessing.may_be_as_good:
            return False
        return any(
            surely_ranks_worse(guessing.contender.report, standing.contender.report) for standing in self.standings
        )

    @property
    def n_comparisons(self) -> int:
        return len(self.standings) - 1


def surely_ranks_worse(report: Report, other: Report) -> bool:
    """Whether the AUC is significantly and relevantly below the other's.

    The test treats the two as independent, which is conservative for runs on the same records.
    """
    if report.auc is None or other.auc is None:
        return False
    margin = normal_quantile(CONFIDENCE) * math.hypot(auc_error(report), auc_error(other))
    return other.auc - report.auc > max(margin, NOTICEABLE_AUC)


def auc_error(report: Report) -> float:
    """Standard error of the AUC (DeLong); from its interval if DeLong gives none."""
    interval = report.auc_interval
    if interval is None:
        return 0.0
    if interval.error is not None:
        return interval.error
    low, high = interval.ends
    return (high - low) / (2 * normal_quantile(CONFIDENCE))


def ranked(contenders: Sequence[Contender]) -> Ranking:
    """Rank by mean cost if all have costs, else by accuracy; equal values by complexity.

    It ranks by AUC if the best accuracy is not surely above the baseline but some AUC is. The contenders, at least one,
    share method and seed.
    """
    if all(contender.priced is not None for contender in contenders):
        return _ranked_by(By.COST, contenders)
    by_accuracy = _ranked_by(By.RIGHT, contenders)
    return _ranked_by(By.AUC, contenders) if by_accuracy.tells_only_by_auc else by_accuracy


def _ranked_by(by: By, contenders: Sequence[Contender]) -> Ranking:
    sign = 1 if by is By.COST else -1
    order = sorted(contenders, key=lambda c: (sign * c.figure(by), c.burden))
    best, others = order[0], order[1:]
    flatters = best.report.test_is_training
    negligible = {By.RIGHT: NEGLIGIBLE, By.AUC: NOTICEABLE_AUC}.get(by, 0.0)
    if best.priced is not None and by is By.COST:
        negligible = NEGLIGIBLE * abs(best.priced.guess)
    leads = [None if flatters else _paired_difference(best, contender, by) for contender in others]
    n_pairs = n_pairs_of(len(order))
    p_values = [1.0 if lead_of_best is None else lead_of_best.p_value for lead_of_best in leads]
    corrected = corrected_p(p_values, [] if flatters else _other_p_values(order, by), n_pairs)
    standings = [RankingPlace(best, 1, None, negligible)]
    for place, (contender, behind, p) in enumerate(zip(others, leads, corrected, strict=True), start=2):
        standings.append(RankingPlace(contender, place, behind, negligible, p, n_pairs))
    return Ranking(tuple(standings), flatters, by)


def _other_p_values(order: Sequence[Contender], by: By) -> list[float]:
    """p-values of all pairs without the first contender."""
    if by is By.AUC:
        return [larger_area(one.report, other.report).p_value for one, other in combinations(order[1:], 2)]
    of_best = [(0, place) for place in range(1, len(order))]
    priced = [contender.priced for contender in order if contender.priced is not None]
    if by is By.COST and len(priced) == len(order):
        scale = max(contender.scale for contender in priced)
        return other_p_values([in_units_of(scale, contender) for contender in priced], of_best)
    return other_p_values([contender.scores for contender in order], of_best)


def _paired_difference(best: Contender, other: Contender, by: By) -> PairedComparison:
    if by is By.COST and best.priced is not None and other.priced is not None:
        return cheaper_by(best.priced, other.priced, CONFIDENCE)
    return larger_area(best.report, other.report) if by is By.AUC else compared(best.scores, other.scores, CONFIDENCE)


def larger_area(first: Report, second: Report) -> PairedComparison:
    """Difference in AUC of two runs, treated as independent."""
    lead, error = area(first) - area(second), math.hypot(auc_error(first), auc_error(second))
    margin = normal_quantile(CONFIDENCE) * error
    p_value = math.erfc(abs(lead) / error / math.sqrt(2)) if error > 0 else float(lead == 0)
    return PairedComparison(lead, error, (lead - margin, lead + margin), CONFIDENCE, p_value, first.n, by_records=True)


def area(report: Report) -> float:
    return 0.5 if report.auc is None else report.auc


@dataclass(frozen=True)
class RankingWords:
    """The ranking in words: headline, explaining sentences, and a caveat."""

    headline: str
    sentences: tuple[str, ...]
    caveat: str


RANKED_BY: Final = {
    By.RIGHT: "Ranked by how often they are right.",
    By.COST: "Ranked by what a record costs with the costs set in Evaluate, each decided by least expected cost.",
    By.AUC: "Ranked by AUC: how surely a record of a class is told from one of the others (0.5 is guessing, 1 is "
    "always).",
}


ONE_AT_A_TIME: Final = (
    "Each is compared with the best only. One that is further behind may still be as good: it depends on how much its "
    "distance varies from test to test."
)
MOST_NAMED: Final = 5
"""Largest number of listed learners; longer lists end with the number of the others."""


def in_words(ranking: Ranking) -> RankingWords:
    """The ranking in sentences."""
    best, by = ranking.best.contender, ranking.by
    if ranking.n_comparisons == 0:
        return RankingWords(f"Only {best.name} was judged", (f"{_value_sentence('It', best, by)}.",), "")
    recommended = ranking.recommended
    if recommended is None:
        return RankingWords(
            f"{best.name} fits its training records best",
            ("All were tested on the records they were trained on, so this says nothing about new records.",),
            "Judge by cross-validation to compare them honestly.",
        )
    sentences = (
        _baseline_sentence(ranking),
        _interval_sentence(ranking),
        _best_sentence(ranking, recommended),
        _lower_auc_sentence(ranking),
        _simplest_sentence(ranking, recommended),
        _advice_sentence(ranking, recommended),
        RANKED_BY[by],
    )
    caveat = (
        f"The best of {len(ranking.standings)} looks a little better than it is: these very tests picked it. Judge "
        "your choice once more on records that none of them has seen, for example a test file."
    )
    beside = ""
    if ranking.n_comparisons > 1 and by is not By.AUC:
        n_pairs = ranking.standings[-1].n_pairs
        where = ", as in Compare runs" if by is By.RIGHT else ""
        beside = f"{ONE_AT_A_TIME} Chances are corrected for all {n_pairs:,} pairs (Holm){where}. "
    return RankingWords(_headline(ranking, recommended), tuple(filter(None, sentences)), f"{beside}{caveat}")


def figure_words(contender: Contender, by: By) -> str:
    """The ranking value as text: "94.6", "0.42", "0.853"."""
    return written(contender.figure(by), by)


def written(value: float, by: By) -> str:
    """A ranking value, or a bound of its interval, as text."""
    return {By.RIGHT: in_100, By.COST: price, By.AUC: "{:.3f}".format}[by](value)


def in_column(value: float, by: By) -> str:
    """As :func:`written`, with the fixed decimals of a table column: "0.690" under "0.687"."""
    return f"{value:.3f}" if by is By.COST and abs(value) < 100 else written(value, by)


def _value_sentence(name: str, contender: Contender, by: By) -> str:
    """The ranking value of one learner in words: "It costs 0.42 a record"."""
    figure = figure_words(contender, by)
    if by is By.RIGHT:
        return f"{name} is right {figure} times in 100"
    return f"{name} costs {figure} a record" if by is By.COST else f"{name} has an AUC of {figure}"


def _headline(ranking: Ranking, recommended: RankingPlace) -> str:
    """The recommendation with its reason, in a sentence."""
    name, best = recommended.contender.name, ranking.best.contender
    if ranking.by is By.AUC and ranking.guessing is not None:
        guess = ranking.guessing.contender.report
        is_any = any(standing.contender.report.accuracy > guess.accuracy for standing in ranking.standings)
        apart = "best" if recommended is ranking.best else "about as well as the best"
        how = f", compared {_unit_words(*above)}," if (above := _range_above_guess(ranking)) else ""
        return (
            f"Take {name}: it tells the classes apart {apart}, though{how} none is {'surely ' if is_any else ''}right "
            f"more often than always guessing {guess.baseline_class}"
        )
    if recommended.contender.burden == 0:
        if ranking.by is By.COST and best.priced is not None:
            least = "Nothing" if recommended is ranking.best else f"{best.name} costs least, but nothing"
            return f"{least} costs surely less than always saying {best.priced.guessed}"
        return "Take none: nothing does surely better than guessing"
    if recommended is ranking.best:
        return f"Take {name}: {_beyond_others(ranking)}"
    simpler = "it is simpler, and " if recommended.contender.burden < best.burden else ""
    if recommended.is_negligible:
        return f"Take {name}: {simpler}what {best.name} has over it is too little to matter"
    return f"Take {name}: {simpler}the lead of {best.name} over it may be chance"


def _beyond_others(ranking: Ranking) -> str:
    """The reason to recommend the best despite its complexity."""
    most = {By.RIGHT: "it is right most often", By.COST: "it costs least", By.AUC: "it tells the classes apart best"}
    if not any(standing.contender.burden < ranking.best.contender.burden for standing in ranking.standings):
        return f"{most[ranking.by]}, and nothing here is simpler"
    if ranking.poorer:
        return f"{most[ranking.by]}, and what is simpler is surely worse at that or at ranking the records"
    more = {By.RIGHT: "more often", By.COST: "less", By.AUC: "better"}[ranking.by]
    simpler = [standing for standing in ranking.standings if standing.contender.burden < ranking.best.contender.burden]
    which = "the simpler one" if len(simpler) == 1 else "every simpler one"
    if all(standing.verdict is LeadVerdict.REAL for standing in simpler):
        return f"{most[ranking.by]}, surely {more} than {which}"
    return f"{most[ranking.by]}, and {which} is behind it if compared alone"


def lead(comparison: PairedComparison, by: By = By.RIGHT) -> str:
    """A difference with its interval: "1.2 more (0.4 less to 2.8 more)", for costs "0.12 less (...)"."""
    low, high = comparison.interval
    if comparison.standard_error == 0:
        return _signed(comparison.difference, by)
    fine, ends = decimals_for(high - low), (low, high)
    span = " to ".join(_signed(end, by, fine) if low < 0 else _points(end, by, fine) for end in ends)
    return f"{_signed(comparison.difference, by, fine)} ({span})"


def lead_sentence(best: Contender, standing: RankingPlace, by: By) -> str:
    """The difference between the best and a ranked learner; for accuracy the sentence of Compare runs."""
    if standing.behind is None or standing.lead is None:
        return ""
    if by is By.RIGHT:
        return pair_sentence(best.name, standing.contender.name, standing.lead)
    ahead, chance = lead(standing.behind, by), standing.lead.chance_words()
    return f"{'By the best a record costs' if by is By.COST else 'The AUC of the best is'} {ahead}: {chance}."


def pair_sentence(first: str, second: str, of: PairedLead) -> str:
    """The verdict on a pair for all pages: "Of 100 records A is right in 1.2 more (...) than B: ..."."""
    if of.paired is None:
        return f"The lead of {first} over {second}: {of.chance_words()}."
    return f"Of 100 records {first} is right in {lead(of.paired)} than {second}: {of.chance_words()}."


def _baseline_sentence(ranking: Ranking) -> str:
    """Why accuracy does not separate the learners; empty if it does."""
    if ranking.by is not By.AUC or ranking.guessing is None:
        return ""
    guess = ranking.guessing.contender.report
    return (
        f"That guess is right {in_100(guess.accuracy)} times in 100, so here being right says little about what was "
        "learned."
    )


def _range_above_guess(ranking: Ranking) -> tuple[Contender, PairedComparison] | None:
    """A learner whose interval excludes the baseline although the paired difference is not significant.

    Returned with that difference; None if there is no such learner.
    """
    guess, recommended = ranking.guessing, ranking.recommended
    if guess is None or not (ranking.by is By.AUC or (ranking.by is By.RIGHT and recommended is guess)):
        return None
    for standing in (recommended or guess, *ranking.standings):
        contender = standing.contender
        if contender.report.interval[0] <= guess.contender.report.accuracy:
            continue
        ahead = compared(contender.scores, guess.contender.scores)
        if not ahead.significant:
            return contender, ahead
    return None


def _interval_sentence(ranking: Ranking) -> str:
    """Why an interval above the baseline is no significant difference; empty if there is no such learner."""
    above = _range_above_guess(ranking)
    if above is None:
        return ""
    contender, ahead = above
    low, high = contender.report.interval
    return (
        f"The range of {contender.name}, {in_100(low)} to {in_100(high)}, lies above the guess, but looks at it alone; "
        f"of 100 it is right in {lead(ahead)}, compared {_unit_words(contender, ahead)}: that may be chance."
    )


def _unit_words(contender: Contender, comparison: PairedComparison) -> str:
    """The unit of a comparison: "fold by fold" or "record by record"."""
    part = "record" if comparison.by_records else contender.scores.result.method.part_name
    return f"{part} by {part}"


def _best_sentence(ranking: Ranking, recommended: RankingPlace) -> str:
    best, by = ranking.best.contender, ranking.by
    opening = _value_sentence(best.name, best, by)
    most = {By.RIGHT: "the most of all", By.COST: "the least of all", By.AUC: "the highest of all"}[by]
    if recommended is ranking.best:
        simpler = [s.contender.name for s in ranking.standings[1:] if s.contender.burden < best.burden]
        if ranking.poorer or by is By.AUC:
            return f"{opening}, {most}."
        if not simpler:
            return f"{opening}, {most}, and nothing here is simpler."
        doubtful = [
            s.contender.name
            for s in ranking.standings[1:]
            if s.contender.burden < best.burden and s.verdict is not LeadVerdict.REAL
        ]
        if doubtful:
            ahead = f"its lead over {_named(doubtful)}, simpler, may be chance among so many comparisons"
            return f"{opening}, {most}; {ahead}."
        is_one = len(simpler) == 1
        worse = (
            f"cost{'s' if is_one else ''} more" if by is By.COST else f"{'is' if is_one else 'are'} right less often"
        )
        which = f"{_named(simpler)}, which {'is' if is_one else 'are'} simpler,"
        return f"{opening}, {most}; {which} {worse}, by more than chance explains."
    if recommended.behind is None or recommended.behind.difference <= 0:
        return f"{opening}; on the records held back {recommended.contender.name} does as well."
    name = recommended.contender.name
    if by is By.AUC:
        return (
            f"{opening}, {most}; {_in_a_list(name)}, which is simpler, has {figure_words(recommended.contender, by)}."
        )
    return f"{opening}, {lead(recommended.behind, by)} than {name}: {recommended.chance_words()}."


def _advice_sentence(ranking: Ranking, recommended: RankingPlace) -> str:
    """What to inspect if the ranking value does not separate the learners from the baseline; else empty."""
    if ranking.by is By.AUC:
        return (
            f"{recommended.contender.name} may still find what is rare: set in Evaluate what each mistake costs, or "
            "move the threshold there, and see what it then finds."
        )
    top = max((standing.contender for standing in ranking.standings), key=lambda standing: standing.figure(By.AUC))
    if recommended.contender.burden > 0 or top.report.auc is None:
        return ""
    area = f"{figure_words(top, By.AUC)} where 0.5 is guessing"
    if ranking.by is By.COST:
        return f"Who tells the classes apart best is {top.name} (AUC {area})."
    return f"Nor does any surely tell the classes apart (the highest AUC, of {top.name}, is {area})."


def _lower_auc_sentence(ranking: Ranking) -> str:
    """Which learners may be as accurate but have a significantly lower AUC; empty if none."""
    poorer, top = ranking.poorer, ranking.best_ranking.contender
    if not poorer or top.report.auc is None:
        return ""
    names = [_in_a_list(standing.contender.name) for standing in poorer]
    areas = [standing.contender.report.auc or 0.0 for standing in poorer]
    who = listed(names)
    verbs = ("is", "it ranks", "it says") if len(names) == 1 else ("are", "they rank", "they say")
    area = f"AUC {written(max(areas), By.AUC)}" if len(names) == 1 else f"AUC {written(max(areas), By.AUC)} at most"
    return (
        f"{who} {verbs[0]} right as often as far as these tests can tell, but {verbs[1]} the records surely worse "
        f"({area}, against {figure_words(top, By.AUC)} of {top.name}): {verbs[2]} less about which records are "
        f"likelier to be of a class, which thresholds and costs go by.{_recommended_auc_sentence(ranking)}"
    )


def _in_a_list(name: str) -> str:
    """A name with its options in brackets: "C4.5 decision tree (most questions in a row 3)"."""
    learner, _, options = name.partition(", ")
    return f"{learner} ({options})" if options else name


def _named(names: list[str]) -> str:
    """The first few names as a list, with the number of the others."""
    listing = [_in_a_list(name) for name in names]
    if len(listing) > MOST_NAMED:
        listing = [*listing[: MOST_NAMED - 1], f"{len(listing) - MOST_NAMED + 1} more"]
    return listed(listing)


def _recommended_auc_sentence(ranking: Ranking) -> str:
    """Says that the recommended learner's AUC is lower, but not significantly; empty if it is the highest."""
    recommended = ranking.recommended
    if recommended is None or recommended is ranking.best_ranking or recommended in ranking.poorer:
        return ""
    area = recommended.contender.report.auc
    if area is None:
        return ""
    return f" Of {_in_a_list(recommended.contender.name)}, with {written(area, By.AUC)}, that is not sure."


def _simplest_sentence(ranking: Ranking, recommended: RankingPlace) -> str:
    """The difference between the best and the simplest learner; empty if other sentences cover it."""
    simplest = ranking.simplest
    is_told = recommended is ranking.best or simplest is recommended or simplest in ranking.poorer
    if is_told or ranking.by is By.AUC or simplest.behind is None:
        return ""
    chance, ahead = simplest.chance_words(), lead(simplest.behind, ranking.by)
    if ranking.by is By.COST:
        return (
            f"Beside the simplest, {_in_a_list(simplest.contender.name)}, a record costs {ahead} by the best: {chance}."
        )
    return f"Beside the simplest, {_in_a_list(simplest.contender.name)}, the best is right {ahead}: {chance}."


def _points(value: float, by: By, decimals: int = 1) -> str:
    return f"{100 * abs(value):.{decimals}f}" if by is By.RIGHT else written(abs(value), by)


def _signed(value: float, by: By, decimals: int = 1) -> str:
    more, less = ("less", "more") if by is By.COST else ("more", "less")
    if by is By.AUC:
        more, less = "higher", "lower"
    return f"{_points(value, by, decimals)} {less if value < 0 else more}"
