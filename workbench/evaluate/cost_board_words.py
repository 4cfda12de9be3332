"""What the cost board says of the run in view, in sentences; money comes as words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from algorithms.core.columns import FloatArray
from algorithms.evaluation.cost_workings import cheapest_guess, summed
from algorithms.evaluation.metrics import Report
from workbench.evaluate.cost_ranking import CostRanking, mean_words
from workbench.wording import counted, shortened, threshold_words

Money = Callable[[float], str]
NEXT_TO_NOTHING = 1e-9
LONGEST_NAME = 30
BY_MODEL = "the model's own decisions"
BY_LEAST_COST = "deciding by least expected cost"
IN_FORCE = "what is in force"


def cheapest_of(ranking: CostRanking, n_others: int, unit: str) -> str:
    """Which run costs least where each is decided by least expected cost, and whether it can be told from the second.

    One run alone is the cheapest of nothing; a threshold, or one answer for all, may cost less than any run so decided.
    """
    best, held, n_runs = ranking.runs[0], ranking.shown[0].cheapest, len(ranking.runs)
    cost = f"{mean_words(held)}{unit} a record"
    said = f"Decided by least expected cost run {best.number}, {best.learner.name}, costs {cost}"
    if n_runs > 1:
        said = f"Of {n_runs} runs so decided run {best.number}, {best.learner.name}, costs least: {cost}"
        second = ranking.shown[1].cheapest
        near = held.mean + (held.spread or 0.0) >= second.mean - (second.spread or 0.0)
        said += ", but the intervals of the two cheapest overlap" if near else ""
    others = f" {counted(n_others, 'run')} judged other classes." if n_others else ""
    return f"{said}.{others}"


def by_least_cost(total: float, own: float, money: Money) -> str:
    """What the mistakes cost by least expected cost, beside what they cost by the model's ``own`` decisions."""
    return f"The mistakes cost {money(total)} in all, {_beside(total - own, money)} by the model's own decisions."


def at_threshold(threshold: float, label: str, total: float, least: float, money: Money) -> str:
    """What the mistakes cost from a threshold on, beside what they cost by ``least`` expected cost."""
    return (
        f"From {threshold_words(threshold)} on it says {label}: the mistakes cost {money(total)} in all, "
        f"{_beside(total - least, money)} by least expected cost."
    )


def one_answer_for_all(decided: Report, costs: FloatArray, totals: Mapping[str, float], money: Money) -> str:
    """Whether giving every record the same answer would cost less than any of these ways of deciding by their
    ``totals``; empty where it would not."""
    matrix, column = summed(decided)
    code, guess = cheapest_guess(matrix, costs, decided.classes, column)
    least = guess.value
    if least is None:
        return ""
    dearer = [f"{name} ({money(total)})" for name, total in totals.items() if least < total - NEXT_TO_NOTHING]
    if not dearer:
        return ""
    listed = " and ".join(filter(None, (", ".join(dearer[:-1]), dearer[-1])))
    label = shortened(decided.classes[code], LONGEST_NAME)
    return f"Always saying {label}, whatever the record, would cost {money(least)}: less than {listed}."


def _beside(over: float, money: Money) -> str:
    if abs(over) < NEXT_TO_NOTHING:
        return "the same as"
    return f"{money(abs(over))} {'more' if over > 0 else 'less'} than"
