"""The numbers of a search, each with what it is worth.

Three are kept apart. What the chosen setting lost in the search is the best of several and so too good. The same with
its bias added (Tibshirani and Tibshirani 2009) is a cheap estimate. What folds say that took no part in the choice
(nested cross-validation, TSKK Algorithm 3.3) is the honest one, and the only one that a verdict speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from algorithms.core.training import SearchResult
from algorithms.evaluation.measures.metrics import confusion, estimated_accuracy
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.tuning.search import ERROR, WORDS
from algorithms.text.numbers import in_hundredths

FLATTERS: Final = "flatters"
"""The mark of a number that was chosen for being good."""
ESTIMATE: Final = "estimate"
HONEST: Final = "honest"


@dataclass(frozen=True)
class SearchFigure:
    """One number of a search: its value, what it is called, the mark that goes with it, and what it is."""

    value: float | None
    name: str
    mark: str
    sentence: str


def figures(
    search: SearchResult, honest_error: float | None = None, method: str = "", remark: str = ""
) -> tuple[SearchFigure, ...]:
    """The optimistic number of the winner, its correction, and the honest one where ``method`` found it.

    ``honest_error`` is the share of wrong decisions on records that took no part in choosing; it can be set beside the
    others only where the settings were chosen by their error. With a ``remark`` it is the method's own estimate, in
    which training records count too.
    """
    of = WORDS[search.measure]
    best = SearchFigure(
        search.optimistic,
        f"{of} of the winner in the search",
        FLATTERS,
        f"The best of {search.n_settings:,} settings on the very records it was chosen by: expect worse on new ones.",
    )
    corrected = SearchFigure(search.corrected, f"{of}, corrected for the choice", ESTIMATE, _of_correction(search))
    found = [best, corrected]
    if honest_error is not None and search.measure == ERROR:
        sentence = f"On records that took no part in choosing ({method}). This is the number to believe."
        unseen = SearchFigure(honest_error, "error rate on unseen records", HONEST, sentence)
        found.append(SearchFigure(honest_error, f"error rate by {method}", ESTIMATE, remark) if remark else unseen)
    return tuple(found)


def _of_correction(search: SearchResult) -> str:
    if search.bias is None:
        return "With one part tested there is nothing to see the bias of choosing by."
    left = " Settings left behind on fewer records count with what they lost there." if search.has_left_behind else ""
    return (
        f"The same with the bias of choosing added, as the folds show it: {loss_words(search.bias, search)} more "
        f"(Tibshirani and Tibshirani 2009).{left}"
    )


def loss_words(loss: float, search: SearchResult) -> str:
    """A loss of a search as text: an error rate in 100, another loss with four decimals."""
    return f"{in_hundredths(loss)} in 100" if search.measure == ERROR else f"{loss:.4f}"


def figures_of_run(search: SearchResult, result: EvaluationResult) -> tuple[SearchFigure, ...]:
    """:func:`figures`, and beside them the run's own error where its tested records took no part in choosing."""
    if result.test_is_training or not result.searches:
        return figures(search)
    error = 1 - estimated_accuracy(result, confusion(result))
    return figures(search, error, result.method.described(), result.estimate_remark)
