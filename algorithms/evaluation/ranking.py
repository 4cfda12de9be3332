"""Several learners judged on the same folds: the best, the simplest that may be as good, and that in words.

The best of several was picked by the very tests it is judged on, so its lead is partly luck; the words say so. The
simplest one whose distance from it may be chance, or is too small to matter, is recommended, with what it may cost. The
comparisons are not widened for their number: that would call ever weaker learners as good as the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from algorithms.evaluation.compare import PairedComparison, PartScores, compared
from algorithms.evaluation.metrics import Report
from algorithms.evaluation.verdict import in_100

CONFIDENCE: Final = 0.95
"""Of each comparison with the best."""
NEGLIGIBLE: Final = 0.005
"""A lead that is surely smaller matters to nobody, however many records prove it."""


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
    """The standings, the best first. ``recommended`` is the simplest that cannot be told from the best."""

    standings: tuple[Standing, ...]
    flatters: bool
    """Whether they were tested on their own training records: then nothing is recommended."""

    @property
    def best(self) -> Standing:
        return self.standings[0]

    @property
    def simplest(self) -> Standing:
        return min(self.standings, key=lambda s: (s.contender.burden, s.place))

    @property
    def recommended(self) -> Standing | None:
        if self.flatters:
            return None
        enough = [standing for standing in self.standings if standing.may_be_as_good]
        return min(enough, key=lambda s: (s.contender.burden, s.place))

    @property
    def n_comparisons(self) -> int:
        return len(self.standings) - 1


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
        tuple(filter(None, (_of_best(ranking, recommended), _of_simplest(ranking, recommended)))),
        f"The best of {len(ranking.standings)} looks a little better than it is: these very tests picked it. Judge "
        "your choice once more on records that none of them has seen, for example a test file.",
    )


def _headline(ranking: Ranking, recommended: Standing) -> str:
    name = recommended.contender.name
    if recommended.contender.burden == 0:
        return "Nothing does surely better than guessing"
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
        if not simpler:
            return f"{right}, the most of all, and nothing here is simpler."
        those = f"{simpler[0]} is simpler, and" if len(simpler) == 1 else f"all {len(simpler)} that are simpler are"
        return f"{right}, the most of all; {those} right less often by more than chance explains."
    if recommended.behind is None or recommended.behind.difference <= 0:
        return f"{right}; on the records held back {recommended.contender.name} does as well."
    return f"{right}, {lead(recommended.behind)} than {recommended.contender.name}: {recommended.chance_words()}."


def _of_simplest(ranking: Ranking, recommended: Standing) -> str:
    """Whether the best can be told from the simplest of all, where that was not said already."""
    simplest = ranking.simplest
    if recommended is ranking.best or simplest is recommended or simplest.behind is None:
        return ""
    chance = simplest.chance_words()
    return f"Beside the simplest, {simplest.contender.name}, the best is right {lead(simplest.behind)}: {chance}."


def _points(share: float) -> str:
    return f"{100 * abs(share):.1f}"


def _signed(share: float) -> str:
    return f"{_points(share)} {'less' if share < 0 else 'more'}"
