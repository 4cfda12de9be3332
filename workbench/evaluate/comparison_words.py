"""A comparison of runs as lines of a table, for reading and copying. No widgets."""

from __future__ import annotations

from algorithms.evaluation.comparing import Comparison, Pair
from algorithms.evaluation.significance import Outcome
from workbench.evaluate.numbers import NOTHING, Figure
from workbench.views.figures import UNDEFINED

HEADERS = (
    ("Test", "Every test that fits how the runs were judged"),
    ("Value", "What the test reckons with, or the lead in 100 records"),
    ("Chance", "How often in 100 a difference as large comes about where there is none (p-value)"),
    ("Holm", "The chance corrected for the number of comparisons, step by step (Holm 1979)"),
)
Row = tuple[list[Figure], str]
"""The figures of a line and its explanation."""


def rows_of(comparison: Comparison) -> list[Row]:
    """The pairs where there are several, then every test, then what is believed, and the ranks."""
    several = len(comparison.pairs) > 1
    rows = [_pair_row(pair) for pair in comparison.pairs] if several else []
    rows += [_test_row(test) for test in comparison.tests]
    if not several:
        rows += _belief_rows(comparison.pairs[0])
    rows += [_rank_row(name, rank) for name, rank in comparison.ranks]
    if comparison.critical is not None:
        tip = "Mean ranks further apart than this differ by more than chance (Nemenyi; Demšar 2006)."
        rows.append(([Figure("Ranks that differ lie apart by"), _value(comparison.critical), NOTHING, NOTHING], tip))
    return rows


def _pair_row(pair: Pair) -> Row:
    lead = pair.first.accuracy - pair.second.accuracy
    tip = f"{pair.first.name} over {pair.second.name}. By Bonferroni the chance is {chance(pair.bonferroni)} in 100."
    figures = [
        Figure(f"Lead over {pair.second.name}"),
        Figure(f"{100 * lead:.1f}", lead),
        Figure(chance(pair.p_value), pair.p_value),
        Figure(chance(pair.corrected), pair.corrected),
    ]
    return figures, tip


def _test_row(test: Outcome) -> Row:
    tip = f"{test.name}: {test.source}." + (f" {test.caution}" if test.caution else "")
    value = NOTHING if test.statistic is None else Figure(f"{test.symbol} = {test.statistic:.3g}", test.statistic)
    p = Figure(UNDEFINED) if test.p_value is None else Figure(chance(test.p_value), test.p_value)
    return [Figure(test.name), value, p, NOTHING], tip


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
    return [([Figure(name), Figure(f"{100 * p:.1f}%", p), NOTHING, NOTHING], tip) for name, p in told]


def _rank_row(name: str, rank: float) -> Row:
    tip = f"{name}: its mean place among these runs over the folds; 1 is best everywhere."
    return [Figure(f"Mean rank of {name}"), _value(rank), NOTHING, NOTHING], tip


def _value(number: float) -> Figure:
    return Figure(f"{number:.2f}", number)


def chance(p: float) -> str:
    """A p-value in times in 100: "4.1", "< 0.1"."""
    return "< 0.1" if p < 0.001 else f"{100 * p:.1f}"
