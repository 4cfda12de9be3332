"""What searches chose, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from algorithms.core.learned import Search

MOST_NAMED: Final = 3


def chosen_words(searches: Sequence[Search], part: str) -> str:
    """What was chosen in how many folds: a sentence."""
    counts = Counter(search.words(search.chosen) for search in searches)
    n, tried = len(searches), max(search.n_settings for search in searches)
    named = [f"{words} in {count:,}" for words, count in counts.most_common(MOST_NAMED)]
    rest = len(counts) - len(named)
    others = "another choice in the rest" if rest == 1 else f"{rest:,} other choices in the rest"
    said = "; ".join(named) + (f"; {others}" if rest else "")
    if n == 1:
        return f"The best of {tried:,} settings was chosen by training records only: {next(iter(counts))}."
    return (
        f"In each {part} the best of {tried:,} settings was chosen by its training records only. "
        f"Of {n:,} {part}s: {said}."
    )


def ranked_settings(search: Search) -> list[int]:
    """The settings, the chosen one first, then by what they lost; those that were left behind or failed come last."""
    mean = np.where(np.isfinite(search.mean), search.mean, np.inf)
    order = np.lexsort((np.arange(search.n_settings), mean, -search.n_train))
    return [search.chosen, *(int(at) for at in order if at != search.chosen)]


def left_behind_words(search: Search) -> str:
    """What a setting without a number beside the others is; empty where each has one."""
    return "A setting without a number was left behind on fewer records." if search.has_left_behind else ""
