"""A comparison of runs as lines of a table, for reading and copying. No widgets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from algorithms.evaluation.compare.comparison import Comparison, Pair
from algorithms.evaluation.compare.multi_comparison import MultiComparison, duel_rows, score_rows
from algorithms.evaluation.compare.significance_tests import SignificanceTest
from algorithms.text.numbers import UNDEFINED, with_minus
from workbench.session.runs import Run, change_words
from workbench.tabs.evaluate.numbers import NOTHING, MetricFigure

FEW_RUNS: Final = 4
"""So many runs are named by their numbers, more are counted."""
HEADERS = (
    ("Test", "Every test that fits how the runs were judged; a click says what it reckons"),
    ("Value", "What the test reckons with, or the lead in 100 records; a click on it says what it is"),
    (
        "Luck in 100",
        "In how many of 100 cases a difference as large comes about by luck, where there is none (p-value)",
    ),
    (
        "Corrected",
        "The same made stricter, since of several comparisons one looks good by luck more easily (Holm 1979)",
    ),
)
PAIR_HEADERS = (
    ("Runs", "The one of the better average place first"),
    ("Won", "Folds in which the first was right more often"),
    ("Drawn", "Folds in which both were right as often"),
    ("Lost", "Folds in which the second was right more often"),
    ("Lead", "How much more often in 100 the first is right, on average"),
    (
        "Lead by luck",
        "How often in 100 such a lead comes about by luck alone (corrected resampled t), made stricter for the number "
        "of pairs (Holm)",
    ),
    (
        "Place by luck",
        "How often in 100 average places so far apart come about by luck alone; what counts here is only which was "
        "better in a fold, not by how much (Nemenyi)",
    ),
    ("Alike", "How probable it is that both are as good as each other: right as often, within 1 record in 100"),
)
PLAINLY: Final = {
    "Friedman": "Any difference at all? (Friedman)",
    "Iman-Davenport": "The same, less cautious (Iman-Davenport)",
}
"""Tests of all runs together, by the question that they answer."""
STATISTICS: Final = {
    "Corrected resampled t": (
        "t = mean lead / √((1/k + tested/training) · s²)",
        "How many times its own standard error the lead is, over k folds whose leads spread by s. Folds share training "
        "records, which the second part under the root allows for. 0 is no lead; beyond 2 or so it is hardly luck.",
    ),
    "Paired t": (
        "t = mean lead / √(s² / k)",
        "How many times its own standard error the lead is, over k folds whose leads spread by s.",
    ),
    "Wilcoxon signed rank": (
        "T = the smaller of: sum of ranks of the folds won, sum of ranks of the folds lost",
        "Folds are ranked by how large the lead in them is, whoever has it. 0 means: one run won every fold in which "
        "they differ. The nearer both sums, the more it may be luck.",
    ),
    "McNemar, exact": (
        "n = the smaller of: records that only the first gets right, records that only the second gets right",
        "What both get right, or both wrong, tells nothing of which is better. Where there is no difference the others "
        "fall on either side as a coin does: the smaller n is beside all of them, the less it is luck.",
    ),
    "McNemar, with correction": (
        "χ² = (|n₁ − n₂| − 1)² / (n₁ + n₂)",
        "n₁ records only the first gets right, n₂ only the second. 0 is no difference; beyond 3.84 it is hardly luck.",
    ),
    "Difference of two error rates": (
        "Z = (e₁ − e₂) / √(e₁(1 − e₁)/N₁ + e₂(1 − e₂)/N₂)",
        "How many times its own standard error the difference is of the shares that are wrong, e₁ of N₁ records and e₂ "
        "of N₂. Beyond 1.96 it is hardly luck.",
    ),
    "5x2cv t": ("t = first lead / √(mean variance of the five repeats)", "0 is no lead."),
    "5x2cv F": ("F = sum of the squared leads / (2 · sum of the variances of the repeats)", "Near 1 is no difference."),
    "Friedman": (
        "χ² = 12 n / (k (k + 1)) · (ΣR² − k (k + 1)² / 4)",
        "R is the average place of each of k runs over n folds. 0 means: all have the same average place.",
    ),
    "Iman-Davenport": (
        "F = (n − 1) χ² / (n (k − 1) − χ²)",
        "Friedman's χ² of k runs over n folds, reckoned less cautiously. Near 0 is no difference.",
    ),
}
"""Of each test its formula, and in plain words what the value says."""
Row = tuple[list[MetricFigure], str]
"""The figures of a line and its explanation."""


def rows_of(comparison: Comparison) -> list[Row]:
    """The pairs where there are several, then every test, then what is believed, and the ranks."""
    several = len(comparison.pairs) > 1
    rows = [_pair_row(pair) for pair in comparison.pairs] if several else []
    rows += [_test_row(test) for test in comparison.tests]
    if not several:
        rows += _belief_rows(comparison.pairs[0])
    contest = comparison.contest
    if several and contest is not None:
        rows += [_rank_row(contest.learners[at], float(contest.places[at])) for at in contest.order]
        tip = "Average ranks further apart than this differ by more than chance (Nemenyi; Demšar 2006)."
        rows.append(
            (
                [
                    MetricFigure("Ranks further apart differ by more than luck"),
                    _value(contest.critical),
                    NOTHING,
                    NOTHING,
                ],
                tip,
            )
        )
    return rows


def rows_to_save(comparison: Comparison) -> list[list[str]]:
    """All there is, as lines of text: what is said, accuracies by fold and places, every pair, every test."""
    lines = [[comparison.headline], *([sentence] for sentence in comparison.sentences), []]
    contest = comparison.contest
    if contest is not None:
        lines += [*score_rows(contest, "fold"), [], *duel_rows(contest), []]
    lines.append([title for title, _ in HEADERS])
    lines += [[figure.text for figure in figures] for figures, _ in rows_of(comparison)]
    return lines


def pair_rows(contest: MultiComparison) -> list[Row]:
    """Wins, draws and losses of every pair."""
    found: list[Row] = []
    for duel in contest.duels:
        first, second = contest.learners[duel.first], contest.learners[duel.second]
        counts = [MetricFigure(str(count), count) for count in (duel.wins, duel.draws, duel.losses)]
        figures = [
            MetricFigure(f"{_briefly(first)} : {_briefly(second)}"),
            *counts,
            MetricFigure(with_minus(f"{100 * duel.difference:.1f}"), duel.difference),
            MetricFigure(chance(duel.corrected), duel.corrected),
            MetricFigure(chance(duel.nemenyi), duel.nemenyi),
            MetricFigure(f"{100 * duel.belief.same:.0f}%", duel.belief.same),
        ]
        tip = (
            f"{first} is right more often than {second} on {duel.wins} folds, as often on {duel.draws}, less often on "
            f"{duel.losses}. {duel.test.name}: {duel.test.source}."
        )
        found.append((figures, tip))
    return found


def _briefly(name: str) -> str:
    """ "C4.5 decision tree (run 5)" as "5": of a pair of long names only the same beginning would be seen."""
    found = re.search(r"\(run (\d+)\)$", name)
    return name if found is None else found[1]


def _pair_row(pair: Pair) -> Row:
    lead = pair.first.accuracy - pair.second.accuracy
    tip = f"{pair.sentence()} By Bonferroni the chance is {chance(pair.bonferroni)} in 100."
    figures = [
        MetricFigure(f"Lead over {pair.second.name}"),
        MetricFigure(with_minus(f"{100 * lead:.1f}"), lead),
        MetricFigure(chance(pair.p_value), pair.p_value),
        MetricFigure(chance(pair.corrected), pair.corrected),
    ]
    return figures, tip


def _test_row(test: SignificanceTest) -> Row:
    formula, meaning = STATISTICS[test.name]
    tip = "\n".join(filter(None, (f"{test.name}: {formula}", meaning, _by_luck(test), test.caution, test.source)))
    p = MetricFigure(UNDEFINED) if test.p_value is None else MetricFigure(chance(test.p_value), test.p_value)
    return [MetricFigure(PLAINLY.get(test.name, test.name)), statistic_of(test), p, NOTHING], tip


def _by_luck(test: SignificanceTest) -> str:
    if test.p_value is None:
        return ""
    return f"By luck alone a difference as large comes about in {chance(test.p_value)} of 100 cases, if there is none."


def _belief_rows(pair: Pair) -> list[Row]:
    belief = pair.belief
    if belief is None:
        return []
    near = f"{100 * belief.rope:g} in 100"
    tip = (
        "How probable it is after these folds (Bayesian correlated t test, Corani and Benavoli 2015); the same means "
        f"a difference below {near}."
    )
    told = (
        (f"Probably {pair.first.name} is better", belief.first),
        (f"Probably the same, within {near}", belief.same),
        (f"Probably {pair.second.name} is better", belief.second),
    )
    return [([MetricFigure(name), MetricFigure(f"{100 * p:.1f}%", p), NOTHING, NOTHING], tip) for name, p in told]


def _rank_row(name: str, rank: float) -> Row:
    tip = f"{name}: its average place among these runs over the folds; 1 is best everywhere."
    return [MetricFigure(f"Average rank of {name}"), _value(rank), NOTHING, NOTHING], tip


def _value(number: float) -> MetricFigure:
    return MetricFigure(f"{number:.2f}", number)


def statistic_of(test: SignificanceTest) -> MetricFigure:
    """What a test measured, in three figures, or whole where it is large: n = 7,671 and not n = 7.67e+03."""
    found = test.statistic
    if found is None:
        return NOTHING
    words = f"{found:.3g}" if abs(found) < 999.5 else f"{found:,.0f}"
    return MetricFigure(f"{test.symbol} = {with_minus(words)}", found)


def chance(p: float) -> str:
    """A p-value in times in 100: "4.1", "< 0.1"."""
    return "< 0.1" if p < 0.001 else f"{100 * p:.1f}"


def judged_on_other_tables(runs: Sequence[Run]) -> list[str]:
    """A sentence where some runs were judged on the table as it was before it was changed; none where all are alike."""
    latest = max(runs, key=lambda run: run.number)
    older = [run for run in runs if run.data is not latest.data]
    if not older:
        return []
    numbers = [str(run.number) for run in sorted(older, key=lambda run: run.number)]
    which = f"Run {numbers[0]} was" if len(older) == 1 else f"{len(older)} of these runs were"
    if 1 < len(older) <= FEW_RUNS:
        which = f"Runs {', '.join(numbers[:-1])} and {numbers[-1]} were"
    change = change_words(older[0].data, latest.data)
    return [f"{which} judged on the table as it was before ({change}), so a difference may come from that."]
