"""Several learners judged on the same folds: the best, and the simplest that may be as good.

The best of several was picked by the very tests it is judged on, so its lead is partly luck; the words say so. The
simplest one whose distance from it may be chance, or is too small to matter, is recommended, with what it may cost,
unless it surely ranks the records worse than another that is right as often: it would serve no threshold, costs or
question of how sure it is. What is said of a lead is the verdict of :mod:`~algorithms.evaluation.compare.leads`,
corrected for all pairs, as everywhere. What is recommended is not even by itself, uncorrected, surely behind the best:
correcting for ever more comparisons would recommend ever weaker learners.

Where costs are set, what a record costs is what counts, decided by least expected cost. Where guessing may be right as
often as the best (a class is rare), being right tells the learners apart no more, and the AUC does.
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
from algorithms.evaluation.compare.leads import (
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

CONFIDENCE: Final = 0.95
"""Of each comparison with the best."""
NOTICEABLE_AUC: Final = 0.02
"""An AUC lower by less than this ranks the records as well for every use."""


class By(Enum):
    """The figure that a ranking goes by."""

    RIGHT = "how often they are right"
    COST = "what a record costs"
    AUC = "AUC"


@dataclass(frozen=True, eq=False)
class Contender:
    """One judged learner: ``key`` tells it from the others, ``burden`` is how much there is to understand in it.

    ``priced`` is how it stands under costs, where costs are set for its classes.
    """

    key: int
    name: str
    burden: int
    report: Report
    scores: FoldScores
    priced: CostedResult | None = None

    def figure(self, by: By) -> float:
        """What it is ranked by."""
        if by is By.COST and self.priced is not None:
            return self.priced.mean
        return self.report.accuracy if by is not By.AUC else area(self.report)

    def interval(self, by: By) -> tuple[float, float]:
        """The 95% interval of its figure."""
        if by is By.COST and self.priced is not None:
            return self.priced.interval
        if by is not By.AUC:
            return self.report.interval
        area = self.report.auc_interval
        return (0.0, 1.0) if area is None else area.ends

    def balanced(self) -> float | None:
        """How often it is right of a class, on average over the classes that were tested."""
        found = [each.recall for each in self.report.per_class if each.recall is not None and each.n > 0]
        return sum(found) / len(found) if found else None


@dataclass(frozen=True, eq=False)
class RankingPlace:
    """A place in the ranking. ``behind`` is how much more often the best is right (how much less a record costs by it,
    how much higher its AUC is); None for the best itself, and where nothing can be compared. A lead below
    ``negligible`` matters to nobody."""

    contender: Contender
    place: int
    behind: PairedComparison | None
    negligible: float = NEGLIGIBLE
    corrected: float = 1.0
    """The p-value of the lead, corrected for all ``n_pairs`` of those ranked."""
    n_pairs: int = 1

    @property
    def lead(self) -> PairedLead | None:
        """The lead of the best over it, by which every page says what it amounts to."""
        if self.behind is None:
            return None
        return PairedLead(self.behind, self.behind.p_value, self.corrected, self.n_pairs, self.negligible)

    @property
    def verdict(self) -> LeadVerdict:
        return LeadVerdict.CHANCE if self.lead is None else self.lead.verdict

    @property
    def may_be_chance(self) -> bool:
        """Whether the lead of the best over it may be chance."""
        return self.lead is None or (self.lead.verdict is LeadVerdict.CHANCE)

    @property
    def is_negligible(self) -> bool:
        """Whether the lead of the best over it is surely too small to matter."""
        return self.verdict is LeadVerdict.NEGLIGIBLE

    @property
    def may_be_as_good(self) -> bool:
        """Whether even by itself, uncorrected, it is not surely behind, or by too little to matter."""
        return self.behind is None or not self.behind.significant or self.is_negligible

    def chance_words(self) -> str:
        """What the lead of the best over it amounts to: "that may be chance"."""
        return self.verdict.value


@dataclass(frozen=True, eq=False)
class Ranking:
    """The standings, the best first. ``recommended`` is the simplest that may be as good as the best, and does not
    surely rank the records worse."""

    standings: tuple[RankingPlace, ...]
    flatters: bool
    """Whether they were tested on their own training records: then nothing is recommended. Nor is one alone."""
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
        telling = [standing for standing in self._enough if self.by is By.COST or not self._ranks_worse(standing)]
        if self.by is By.AUC:  # the lower of two that these tests cannot tell apart serves nobody
            top = self.best.contender.figure(By.AUC)
            telling = [standing for standing in telling if top - standing.contender.figure(By.AUC) < NOTICEABLE_AUC]
        return min(telling, key=lambda s: (s.contender.burden, s.place))

    @cached_property
    def poorer(self) -> tuple[RankingPlace, ...]:
        """Those that might have been recommended, or are right most often, but surely rank the records worse; the
        simplest first."""
        recommended = self.recommended
        if recommended is None or self.by is not By.RIGHT:
            return ()
        burden = recommended.contender.burden
        found = [s for s in self._enough if self._ranks_worse(s) and (s is self.best or s.contender.burden < burden)]
        return tuple(sorted(found, key=lambda s: (s.contender.burden, s.place)))

    @cached_property
    def best_ranking(self) -> RankingPlace:
        """Of those that may be right as often as the best, the one that ranks the records best."""
        return max(self._enough, key=lambda s: -1.0 if s.contender.report.auc is None else s.contender.report.auc)

    @cached_property
    def _enough(self) -> list[RankingPlace]:
        return [standing for standing in self.standings if standing.may_be_as_good]

    def _ranks_worse(self, standing: RankingPlace) -> bool:
        return surely_ranks_worse(standing.contender.report, self.best_ranking.contender.report)

    @cached_property
    def guessing(self) -> RankingPlace | None:
        """That of always guessing a class, where it was tried."""
        return next((standing for standing in self.standings if standing.contender.burden == 0), None)

    @property
    def tells_only_by_auc(self) -> bool:
        """Whether guessing may be right as often as the best of all, though some surely rank the records better."""
        guessing = self.guessing
        if self.flatters or guessing is None or not guessing.may_be_as_good:
            return False
        return any(surely_ranks_worse(guessing.contender.report, each.contender.report) for each in self.standings)

    @property
    def n_comparisons(self) -> int:
        return len(self.standings) - 1


def surely_ranks_worse(report: Report, other: Report) -> bool:
    """Whether the AUC lies below the other's by more than chance explains, and enough to be noticed.

    As if the two were judged on different records, which asks for a greater distance than the same records would.
    """
    if report.auc is None or other.auc is None:
        return False
    margin = normal_quantile(CONFIDENCE) * math.hypot(auc_error(report), auc_error(other))
    return other.auc - report.auc > max(margin, NOTICEABLE_AUC)


def auc_error(report: Report) -> float:
    """The standard error of a report's AUC by DeLong; where it cannot vary, that of a share of as many records."""
    interval = report.auc_interval
    if interval is None:
        return 0.0
    if interval.error is not None:
        return interval.error
    low, high = interval.ends
    return (high - low) / (2 * normal_quantile(CONFIDENCE))


def ranked(contenders: Sequence[Contender]) -> Ranking:
    """The contenders (at least one, judged by one method and seed) by what they cost where all are priced, else by how
    often they are right, or by their AUC where that alone tells them from guessing; ties by simplicity."""
    if all(each.priced is not None for each in contenders):
        return _ranked_by(By.COST, contenders)
    found = _ranked_by(By.RIGHT, contenders)
    return _ranked_by(By.AUC, contenders) if found.tells_only_by_auc else found


def _ranked_by(by: By, contenders: Sequence[Contender]) -> Ranking:
    sign = 1 if by is By.COST else -1
    order = sorted(contenders, key=lambda c: (sign * c.figure(by), c.burden))
    best, others = order[0], order[1:]
    flatters = best.report.test_is_training
    negligible = {By.RIGHT: NEGLIGIBLE, By.AUC: NOTICEABLE_AUC}.get(by, 0.0)
    if best.priced is not None and by is By.COST:
        negligible = NEGLIGIBLE * abs(best.priced.guess)
    leads = [None if flatters else _lead_of(best, contender, by) for contender in others]
    n_pairs = n_pairs_of(len(order))
    known = [1.0 if found is None else found.p_value for found in leads]
    corrected = corrected_p(known, [] if flatters else _other_p_values(order, by), n_pairs)
    standings = [RankingPlace(best, 1, None, negligible)]
    for place, (contender, behind, p) in enumerate(zip(others, leads, corrected, strict=True), start=2):
        standings.append(RankingPlace(contender, place, behind, negligible, p, n_pairs))
    return Ranking(tuple(standings), flatters, by)


def _other_p_values(order: Sequence[Contender], by: By) -> list[float]:
    """Of all pairs without the first."""
    if by is By.AUC:
        return [larger_area(one.report, other.report).p_value for one, other in combinations(order[1:], 2)]
    known = [(0, at) for at in range(1, len(order))]
    priced = [each.priced for each in order if each.priced is not None]
    if by is By.COST and len(priced) == len(order):
        scale = max(each.scale for each in priced)
        return other_p_values([in_units_of(scale, each) for each in priced], known)
    return other_p_values([each.scores for each in order], known)


def _lead_of(best: Contender, other: Contender, by: By) -> PairedComparison:
    if by is By.COST and best.priced is not None and other.priced is not None:
        return cheaper_by(best.priced, other.priced, CONFIDENCE)
    return larger_area(best.report, other.report) if by is By.AUC else compared(best.scores, other.scores, CONFIDENCE)


def larger_area(first: Report, second: Report) -> PairedComparison:
    """How much higher the AUC of the first is, as if the two were judged on different records."""
    lead, error = area(first) - area(second), math.hypot(auc_error(first), auc_error(second))
    margin = normal_quantile(CONFIDENCE) * error
    p_value = math.erfc(abs(lead) / error / math.sqrt(2)) if error > 0 else float(lead == 0)
    return PairedComparison(lead, error, (lead - margin, lead + margin), CONFIDENCE, p_value, first.n, by_records=True)


def area(report: Report) -> float:
    return 0.5 if report.auc is None else report.auc
