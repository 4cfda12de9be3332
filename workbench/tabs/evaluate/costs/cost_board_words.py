"""What the cost board says of the run in view, in sentences; money comes as words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isclose

from algorithms.data.columns import FloatArray
from algorithms.evaluation.compare.multi_comparison import listed
from algorithms.evaluation.costs.cost_ranking import CostVersusConstant
from algorithms.evaluation.costs.cost_workings import cheapest_guess, summed
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, Choice
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.names import shortened
from algorithms.text.sentences import counted, threshold_words
from workbench.tabs.evaluate.costs.cost_ranking import CostRanking, mean_words
from workbench.widgets.labels import TOGETHER

Money = Callable[[float], str]
NEXT_TO_NOTHING = 1e-9
LONGEST_NAME = 30
MOST_ALIKE = 4
"""So many runs that cost the same are named one by one."""
BY_MODEL = "the model's own decisions"
BY_LEAST_COST = "deciding by least expected cost"
LEAST_COST = "least expected cost"
USE_EXPECTED = "use expected cost"
IN_FORCE = "what is in force"
AT_CHEAPEST = "the cheapest threshold"


def cheapest_of(ranking: CostRanking, n_others: int, unit: str) -> str:
    """Which run costs least where each is decided by least expected cost, and whether it can be told from the second.

    One run alone is the cheapest of nothing; a threshold, or one answer for all, may cost less than any run so decided.
    """
    best, held, n_runs = ranking.runs[0], ranking.shown[0].cheapest, len(ranking.runs)
    cost = f"{mean_words(held, ranking.decimals)}{unit} a record".replace(" ± ", f"{TOGETHER}±{TOGETHER}")
    alike = [
        run.number
        for run, standing in zip(ranking.runs, ranking.shown, strict=True)
        if isclose(standing.cheapest.mean, held.mean, rel_tol=NEXT_TO_NOTHING, abs_tol=NEXT_TO_NOTHING)
    ]
    said = f"Decided by least expected cost run {best.number}, {best.learner.name}, costs {cost}"
    if len(alike) > 1:
        numbers = listed([str(number) for number in sorted(alike)])
        those = f"runs {numbers}" if len(alike) <= MOST_ALIKE else f"{len(alike)} runs"
        alike_words = "both" if len(alike) == 2 else "all"
        said = f"Of {n_runs} runs so decided {those} cost least, {alike_words} the same: {cost}"
        if len(alike) == n_runs:
            said = f"Decided by least expected cost all {n_runs} runs cost the same: {cost}"
    elif n_runs > 1:
        said = f"Of {n_runs} runs so decided run {best.number}, {best.learner.name}, costs least: {cost}"
    if len(alike) < n_runs:
        second = ranking.shown[len(alike)].cheapest
        near = held.mean + (held.spread or 0.0) >= second.mean - (second.spread or 0.0)
        those = "the two cheapest" if len(alike) == 1 else "these and the next"
        said += f", but the intervals of {those} overlap" if near else ""
    said += _otherwise_cheapest(ranking, alike)
    others = f" {counted(n_others, 'run')} judged other classes." if n_others else ""
    return f"{said}.{others}"


def _otherwise_cheapest(ranking: CostRanking, numbers: Sequence[int]) -> str:
    """Which run costs least as the models themselves decide, where it is none of those ``numbers``."""
    by_model = list(zip((standing.said.mean for standing in ranking.shown), ranking.runs, strict=True))
    least = min(mean for mean, _run in by_model) + NEXT_TO_NOTHING
    found = [run for mean, run in by_model if mean <= least]
    if any(run.number in numbers for run in found):
        return ""
    return f". As the models themselves decide, run {found[0].number}, {found[0].learner.name}, costs least"


def way_in_force(choice: Choice | None) -> str:
    """By which of the ways a run decides."""
    if isinstance(choice, AtThreshold):
        return IN_FORCE
    return BY_MODEL if choice is None else BY_LEAST_COST


def in_force(choice: Choice | None, totals: Mapping[str, float], cheapest: AtThreshold | None, money: Money) -> str:
    """What a run decides by, what that costs in all, and what the other ways would cost, each beside it.

    ``totals`` are those of :data:`BY_MODEL`, :data:`BY_LEAST_COST`, of :data:`IN_FORCE` where the run decides from a
    threshold on, and of :data:`AT_CHEAPEST` where the ``cheapest`` threshold is known.
    """
    by, said = way_in_force(choice), _decides(choice)
    own, now = totals[BY_MODEL], totals[by]
    over = "" if choice is None else f": {_beside(now - own, money)} {BY_MODEL}"

    def other(name: str, total: float) -> str:
        return f"{name}: {money(total)}, {_over(total - now, money)}."

    sentences = [f"{said}, cost {money(now)} in all{over}."]
    if by != BY_LEAST_COST:
        sentences.append(other("Least expected cost", totals[BY_LEAST_COST]))
    if cheapest is not None and cheapest != choice:
        name = f"Cheapest threshold on these records, {threshold_words(cheapest.threshold)}"
        if cheapest.threshold > 1:
            name = f"Cheapest on these records, never saying {shortened(cheapest.label, LONGEST_NAME)}"
        sentences.append(other(name, totals[AT_CHEAPEST]))
    return " ".join(sentences)


def if_unsure(choice: Choice | None, totals: Mapping[str, float], cheapest: AtThreshold | None, margin: float) -> str:
    """Which way of deciding to take without knowing more; empty where that is in force, or the threshold not known.

    Of two ways the one that was not chosen on these records is taken, unless the other costs less by more than
    ``margin``: half the interval of a total that is decided by least expected cost.
    """
    if cheapest is None:
        return ""
    expected, own, best = totals[BY_LEAST_COST], totals[BY_MODEL], totals[AT_CHEAPEST]
    if min(expected, own) - best > margin:
        is_used = isinstance(choice, AtThreshold) and totals[IN_FORCE] <= best + NEXT_TO_NOTHING
        if is_used:
            return ""
        what = "the threshold" if cheapest.threshold <= 1 else f"“never {shortened(cheapest.label, LONGEST_NAME)}”"
        return f"If unsure, use {what}: it costs clearly less."
    if own <= expected + NEXT_TO_NOTHING:
        return "If unsure, leave it as the model decides." if choice is None else ""
    return "" if isinstance(choice, ByCost) else f"If unsure, {USE_EXPECTED}: it was not chosen on these records."


def beside_one_answer(found: CostVersusConstant, choice: Choice | None, money: Money, of: str = "") -> str:
    """Whether always giving the best answer for all costs more, and whether that may be chance.

    It is beside decisions by this choice: those ``of`` this name, or else those in force.
    """
    said = f"Always saying {shortened(found.guessed, LONGEST_NAME)} costs {_over(found.more, money)}"
    if abs(found.more) < NEXT_TO_NOTHING:
        return f"{said}{' as ' if of else ''}{of}."
    said += f" than {of}" if of else ""
    if not found.less.significant:
        return f"{said}, which may be chance."
    if found.more > 0 and isinstance(choice, AtThreshold):
        return f"{said}, but not surely: the threshold was chosen on these records."
    return f"{said}, which is hardly chance."


def being_weighed(choice: Choice | None) -> str:
    """What a run decides by, while what comes of that is not known yet."""
    return f"{_decides(choice)}. What that costs is being worked out…"


def one_answer_for_all(
    decided: Report, costs: FloatArray, totals: Mapping[str, float], in_force: str, money: Money
) -> str:
    """What giving every record the same answer would cost, where that is less than one of these ways of deciding by
    their ``totals``: than which, or, where it is not less than that ``in_force``, how much more than that."""
    matrix, column = summed(decided)
    code, guess = cheapest_guess(matrix, costs, decided.classes, column)
    least = guess.value
    if least is None:
        return ""
    dearer = [f"{name} ({money(total)})" for name, total in totals.items() if least < total - NEXT_TO_NOTHING]
    if not dearer:
        return ""
    always = f"Always saying {shortened(decided.classes[code], LONGEST_NAME)}, whatever the record, would cost"
    now = totals[in_force]
    if least >= now - NEXT_TO_NOTHING:
        return f"{always} {money(least)}: {_beside(least - now, money)} {IN_FORCE}."
    return f"{always} {money(least)}: less than {listed(dearer)}."


def _decides(choice: Choice | None) -> str:
    """What a run decides by; of a threshold, what that makes it say."""
    return _from_on(choice.label, choice.threshold) if isinstance(choice, AtThreshold) else way_in_force(choice)


def _from_on(label: str, threshold: float) -> str:
    """What a threshold makes a run say."""
    name = shortened(label, LONGEST_NAME)
    return f"never {name}" if threshold > 1 else f"{name} from {threshold_words(threshold)} on"


def _over(over: float, money: Money) -> str:
    """How much more or less that is: "16 less"; "the same"."""
    return "the same" if abs(over) < NEXT_TO_NOTHING else f"{money(abs(over))} {'more' if over > 0 else 'less'}"


def _beside(over: float, money: Money) -> str:
    """The same before what it is beside: "16 less than"."""
    return f"{_over(over, money)} {'as' if abs(over) < NEXT_TO_NOTHING else 'than'}"
