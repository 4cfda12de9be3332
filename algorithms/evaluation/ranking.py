"""Several learners judged on the same folds: the best, the simplest that may be as good, and that in words.

The best of several was picked by the very tests it is judged on, so its lead is partly luck; the words say so. The
simplest one whose distance from it may be chance, or is too small to matter, is recommended, with what it may cost,
unless it surely ranks the records worse than another that is right as often: it would serve no threshold, costs or
question of how sure it is. The comparisons are not widened for their number: that would call ever weaker learners as
good as the best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from algorithms.core.scores import normal_quantile
from algorithms.evaluation.compare import PairedComparison, PartScores, compared
from algorithms.evaluation.metrics import Report
from algorithms.evaluation.verdict import in_100

CONFIDENCE: Final = 0.95
"""Of each comparison with the best."""
NEGLIGIBLE: Final = 0.005
"""A lead that is surely smaller matters to nobody, however many records prove it."""
NOTICEABLE_AUC: Final = 0.02
"""An AUC lower by less than this ranks the records as well for every use."""


@dataclass(frozen=True, eq=False)
class Contender:
    """One judged learner: ``key`` tells it from the others, ``burden`` is how much there is to understand in it."""

    key: int
    name: str
    burden: int
    report: Report
    scores: PartScores


@dataclass(frozen=True, eq=False)
class Standing:
    """A place in the ranking. ``behind`` is how much more often the best is right; None for the best itself, and
    where nothing can be compared."""

    contender: Contender
    place: int
    behind: PairedComparison | None

    @property
    def may_be_chance(self) -> bool:
        """Whether the lead of the best over it may be chance."""
        return self.behind is None or not self.behind.significant

    @property
    def is_negligible(self) -> bool:
        """Whether the lead of the best over it is surely too small to matter."""
        return self.behind is not None and self.behind.interval[1] < NEGLIGIBLE

    @property
    def may_be_as_good(self) -> bool:
        return self.may_be_chance or self.is_negligible

    def chance_words(self) -> str:
        """What the lead of the best over it amounts to: "that may be chance"."""
        if self.is_negligible:
            return "too little to matter"
        return "that may be chance" if self.may_be_chance else "that is hardly chance"


@dataclass(frozen=True, eq=False)
class Ranking:
    """The standings, the best first. ``recommended`` is the simplest that may be as good as the best, and does not
    surely rank the records worse."""

    standings: tuple[Standing, ...]
    flatters: bool
    """Whether they were tested on their own training records: then nothing is recommended. Nor is one alone."""

    @property
    def best(self) -> Standing:
        return self.standings[0]

    @property
    def simplest(self) -> Standing:
        return min(self.standings, key=lambda s: (s.contender.burden, s.place))

    @cached_property
    def recommended(self) -> Standing | None:
        if self.flatters or len(self.standings) < 2:
            return None
        telling = [standing for standing in self._enough if not self._ranks_worse(standing)]
        return min(telling, key=lambda s: (s.contender.burden, s.place))

    @cached_property
    def poorer(self) -> tuple[Standing, ...]:
        """Those that might have been recommended, or are right most often, but surely rank the records worse; the
        simplest first."""
        recommended = self.recommended
        if recommended is None:
            return ()
        burden = recommended.contender.burden
        found = [s for s in self._enough if self._ranks_worse(s) and (s is self.best or s.contender.burden < burden)]
        return tuple(sorted(found, key=lambda s: (s.contender.burden, s.place)))

    @cached_property
    def best_ranking(self) -> Standing:
        """Of those that may be right as often as the best, the one that ranks the records best."""
        return max(self._enough, key=lambda s: -1.0 if s.contender.report.auc is None else s.contender.report.auc)

    @cached_property
    def _enough(self) -> list[Standing]:
        return [standing for standing in self.standings if standing.may_be_as_good]

    def _ranks_worse(self, standing: Standing) -> bool:
        return surely_ranks_worse(standing.contender.report, self.best_ranking.contender.report)

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
    """The standard error of a report's AUC, at most: Hanley and McNeil, The meaning and use of the area under a ROC
    curve (1982), for each class against the rest, weighed as the AUC is and as if the classes erred together.

    What counts are different records: neither testing them again nor the unit of their weights makes it smaller."""
    total = sum(c.n for c in report.per_class)
    each = report.n / total if total > 0 else 0.0
    known = [(c.n * each, c.auc) for c in report.per_class if c.auc is not None and 0 < c.n < total]
    weights = math.fsum(n for n, _ in known)
    return math.fsum(n * _area_error(area, n, report.n - n) for n, area in known) / weights if weights else 0.0


def _area_error(area: float, n_of_it: float, n_others: float) -> float:
    one, two = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + max(0.0, n_of_it - 1) * (one - area**2) + max(0.0, n_others - 1) * (two - area**2)
    return math.sqrt(max(0.0, spread) / (n_of_it * n_others))


def ranked(contenders: Sequence[Contender]) -> Ranking:
    """The contenders (at least one, judged by one method and seed) by how often they are right; ties by simplicity."""
    order = sorted(contenders, key=lambda c: (-c.report.accuracy, c.burden))
    best, others = order[0], order[1:]
    flatters = best.report.test_is_training
    standings = [Standing(best, 1, None)]
    for place, contender in enumerate(others, start=2):
        behind = None if flatters else compared(best.scores, contender.scores, CONFIDENCE)
        standings.append(Standing(contender, place, behind))
    return Ranking(tuple(standings), flatters)


@dataclass(frozen=True)
class RankingWords:
    """A headline, what it rests on, and what to keep in mind."""

    headline: str
    sentences: tuple[str, ...]
    caveat: str


def in_words(ranking: Ranking) -> RankingWords:
    """The ranking as a person would say it."""
    best = ranking.best.contender
    right = f"right {in_100(best.report.accuracy)} times in 100"
    if ranking.n_comparisons == 0:
        return RankingWords(f"Only {best.name} was judged", (f"It is {right}.",), "")
    recommended = ranking.recommended
    if recommended is None:
        return RankingWords(
            f"{best.name} fits its training records best",
            ("All were tested on the records they were trained on, so this says nothing about new records.",),
            "Judge by cross-validation to compare them honestly.",
        )
    return RankingWords(
        _headline(ranking, recommended),
        tuple(filter(None, (_of_best(ranking, recommended), _of_poorer(ranking), _of_simplest(ranking, recommended)))),
        f"The best of {len(ranking.standings)} looks a little better than it is: these very tests picked it. Judge "
        "your choice once more on records that none of them has seen, for example a test file.",
    )


def _headline(ranking: Ranking, recommended: Standing) -> str:
    name = recommended.contender.name
    if recommended.contender.burden == 0:
        return "Nothing does surely better than guessing"
    if any(standing.contender.burden == 0 for standing in ranking.poorer):
        return f"{name} tells the records apart, though guessing is right as often"
    if recommended is ranking.best:
        return f"{name} is the one to take"
    return f"{name} {'is' if recommended.is_negligible else 'may be'} enough"


def lead(comparison: PairedComparison) -> str:
    """A lead in words: "1.2 more (0.4 less to 2.8 more)"."""
    low, high = comparison.interval
    if comparison.standard_error == 0:
        return _signed(comparison.difference)
    span = f"{_signed(low)} to {_signed(high)}" if low < 0 else f"{_points(low)} to {_points(high)}"
    return f"{_signed(comparison.difference)} ({span})"


def _of_best(ranking: Ranking, recommended: Standing) -> str:
    best = ranking.best.contender
    right = f"{best.name} is right {in_100(best.report.accuracy)} times in 100"
    if recommended is ranking.best:
        simpler = [s.contender.name for s in ranking.standings[1:] if s.contender.burden < best.burden]
        if ranking.poorer:
            return f"{right}, the most of all."
        if not simpler:
            return f"{right}, the most of all, and nothing here is simpler."
        those = f"{simpler[0]} is simpler, and" if len(simpler) == 1 else f"all {len(simpler)} that are simpler are"
        return f"{right}, the most of all; {those} right less often by more than chance explains."
    if recommended.behind is None or recommended.behind.difference <= 0:
        return f"{right}; on the records held back {recommended.contender.name} does as well."
    return f"{right}, {lead(recommended.behind)} than {recommended.contender.name}: {recommended.chance_words()}."


def _of_poorer(ranking: Ranking) -> str:
    """Who is right as often as far as can be told, but ranks the records worse."""
    poorer, top = ranking.poorer, ranking.best_ranking.contender
    if not poorer or top.report.auc is None:
        return ""
    names = [standing.contender.name for standing in poorer]
    areas = [standing.contender.report.auc or 0.0 for standing in poorer]
    who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    verbs = ("is", "it ranks", "it says") if len(names) == 1 else ("are", "they rank", "they say")
    area = f"AUC {max(areas):.2f}" if len(names) == 1 else f"AUC {max(areas):.2f} at most"
    return (
        f"{who} {verbs[0]} right as often as far as these tests can tell, but {verbs[1]} the records worse ({area}, "
        f"against {top.report.auc:.2f} of {top.name}): {verbs[2]} less about which records are likelier to be of a "
        "class, which thresholds and costs go by."
    )


def _of_simplest(ranking: Ranking, recommended: Standing) -> str:
    """Whether the best can be told from the simplest of all, where that was not said already."""
    simplest = ranking.simplest
    said = recommended is ranking.best or simplest is recommended or simplest in ranking.poorer
    if said or simplest.behind is None:
        return ""
    chance = simplest.chance_words()
    return f"Beside the simplest, {simplest.contender.name}, the best is right {lead(simplest.behind)}: {chance}."


def _points(share: float) -> str:
    return f"{100 * abs(share):.1f}"


def _signed(share: float) -> str:
    return f"{_points(share)} {'less' if share < 0 else 'more'}"
