"""The shuffle test on the command line: in words with a histogram of lines, and as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from algorithms.evaluation.shuffling import ShuffleTest

BARS: Final = 12
LONGEST: Final = 40


def luck_to_text(luck: ShuffleTest | None) -> str:
    """What was found, and a line for each range of accuracies on shuffled classes; empty without a test."""
    from algorithms.evaluation.shuffling import histogram

    if luck is None:
        return ""
    edges, counts = histogram(luck, BARS)
    most = max(1.0, float(counts.max(initial=0)))
    own = min(int(edges.searchsorted(luck.own, side="right")) - 1, len(counts) - 1)
    lines = [
        f"{100 * low:6.1f}  {'#' * round(LONGEST * count / most)}{'  <- this run' if at == own else ''}".rstrip()
        for at, (low, count) in enumerate(zip(edges[:-1], counts, strict=True))
    ]
    return "\n".join([". ".join(luck.sentences()), "", "right in 100 on shuffled classes, from", *lines])


def luck_to_json(luck: ShuffleTest) -> dict[str, Any]:
    """The chance, and every accuracy on shuffled classes."""
    return {
        "p_value": luck.p_value,
        "as_good": luck.n_as_good,
        "shuffled": len(luck.scores),
        "planned": luck.planned,
        "accuracies": luck.scores.tolist(),
    }
