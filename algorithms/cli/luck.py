"""The shuffle test on the command line: in words with a histogram of lines, and as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from algorithms.evaluation.shuffling import ShuffleTest

BARS: Final = 12
LONGEST: Final = 40


def luck_to_text(luck: ShuffleTest | None) -> str:
    """What was found, and a line for each range of accuracies on shuffled classes; empty without a test."""
    from algorithms.evaluation.shuffling import ACCURACY, histogram

    if luck is None:
        return ""
    edges, counts = histogram(luck, BARS)
    most = max(1.0, float(counts.max(initial=0)))
    own = min(int(edges.searchsorted(luck.own, side="right")) - 1, len(counts) - 1)
    scale, digits = (100, 1) if luck.measure == ACCURACY else (1, 3)
    lines = [
        f"{scale * low:6.{digits}f}  {'#' * round(LONGEST * count / most)}{'  <- this run' * (at == own)}".rstrip()
        for at, (low, count) in enumerate(zip(edges[:-1], counts, strict=True))
    ]
    head = [". ".join(luck.sentences()), *_by_others(luck), "", f"{luck.by.axis} on shuffled classes, from"]
    return "\n".join([*head, *lines])


def _by_others(luck: ShuffleTest) -> list[str]:
    """What was found by the measures that were not asked for, in a line."""
    others = [luck.judged_by(id) for id in luck.measures if id != luck.measure]
    if not others or not len(luck.scores):
        return []
    told = ", ".join(f"{each.by.name} p = {each.p_value:.3g}" for each in others)
    return [f"By other measures: {told} (p by {luck.by.name} = {luck.p_value:.3g})."]


def luck_to_json(luck: ShuffleTest) -> dict[str, Any]:
    """The chance by the measure that was asked for, and by every other, with all scores on shuffled classes."""
    from algorithms.evaluation.shuffling import ACCURACY

    every = [luck.judged_by(id) for id in luck.measures]
    return {
        "measure": luck.measure,
        "p_value": luck.p_value,
        "as_good": luck.n_as_good,
        "shuffled": len(luck.scores),
        "planned": luck.planned,
        "accuracies": luck.judged_by(ACCURACY).scores.tolist(),
        "measures": {
            each.measure: {
                "own": each.own,
                "p_value": each.p_value,
                "as_good": each.n_as_good,
                "scores": each.scores.tolist(),
            }
            for each in every
        },
    }
